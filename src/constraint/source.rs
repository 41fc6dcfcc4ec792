//! The source of a group of rows: the contact, limit, equality or spring that it stands for.

use super::elastic::Elastic;
use super::torsion::Torsion;
use crate::spatial::Vec3;

/// The quantity that a bound or dry friction acts on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Along {
    Dof(usize),
    /// The length of a tendon.
    Tendon(usize),
    /// The angle by which a spherical joint is turned
    /// ([`Limit::turn`](crate::model::limits::Limit::turn)).
    Turn(usize),
}

/// The source of a group of rows.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Source {
    /// Contact of the scene by index. A frictionless contact has one row, the normal.
    Contact(usize),
    /// Torsional and rolling friction of a contact of the scene.
    Torsion(Torsion),
    /// A bound of a one-dof link, of the turn of a spherical joint, or of a tendon. σ is `sign` times
    /// its velocity.
    Limit { along: Along, sign: f64 },
    /// A bound of a dof's speed: σ is `sign` times its velocity, plus `limit`.
    Speed { dof: usize, sign: f64, limit: f64 },
    /// Dry friction of a dof or of a tendon.
    Friction { along: Along },
    /// The spring-damper of a tendon: σ is `sign` times its velocity, scaled. `end` is the length at
    /// rest beyond which it is stretched, 0 for the lower one. Between the two lengths it has damping
    /// only.
    Path {
        tendon: usize,
        sign: f64,
        elastic: Elastic,
        end: Option<usize>,
    },
    /// A part of an equality, by index among the equalities of the model, and its violation.
    Equality { index: usize, error: Vec3 },
    /// A spring between two points, by index among those of the model, and its elongation.
    Spring {
        index: usize,
        error: Vec3,
        elastic: Elastic,
    },
}

impl Source {
    /// Number of blocks of a group with this number of rows. Groups with more than one block come last.
    pub fn blocks(&self, rows: usize) -> usize {
        match self {
            Source::Equality { .. } | Source::Spring { .. } => rows,
            _ => 1,
        }
    }

    /// The spring-damper of the rows.
    pub fn elastic(&self) -> Option<&Elastic> {
        match self {
            Source::Path { elastic, .. } | Source::Spring { elastic, .. } => Some(elastic),
            _ => None,
        }
    }
}
