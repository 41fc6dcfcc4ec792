//! Where rows come from.

use super::elastic::Elastic;
use super::turning::Turning;
use crate::spatial::Vec3;

/// What a bound or dry friction acts on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Along {
    Dof(usize),
    /// The length of a tendon.
    Tendon(usize),
    /// How far a spherical joint is turned ([`Limit::turn`](crate::model::limits::Limit::turn)).
    Turn(usize),
}

/// What a group of rows stands for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Source {
    /// Contact of the scene by index; one row (the normal) where it is frictionless.
    Contact(usize),
    /// Torsional and rolling friction of a contact of the scene.
    Turning(Turning),
    /// A bound of a one-dof link, of a spherical one's turn or of a tendon: σ is `sign` times its velocity.
    Limit { along: Along, sign: f64 },
    /// A bound of a dof's speed: σ is `sign` times its velocity, and `limit`.
    Speed { dof: usize, sign: f64, limit: f64 },
    /// Dry friction of a dof or of a tendon.
    Friction { along: Along },
    /// The spring-damper of a tendon: σ is `sign` times its velocity, scaled. `end` of its lengths at rest it is beyond, 0 the
    /// lower one; between them it has damping alone.
    Cord {
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
    /// Blocks that a group of so many rows is. Those of more than one come last.
    pub fn blocks(&self, rows: usize) -> usize {
        match self {
            Source::Equality { .. } | Source::Spring { .. } => rows,
            _ => 1,
        }
    }

    /// The spring-damper that the rows are.
    pub fn elastic(&self) -> Option<&Elastic> {
        match self {
            Source::Cord { elastic, .. } | Source::Spring { elastic, .. } => Some(elastic),
            _ => None,
        }
    }
}
