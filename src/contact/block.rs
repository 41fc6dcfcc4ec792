//! Blocks of rows that share a law.

/// The law of a group of consecutive rows.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Block {
    /// Contact with Coulomb friction, rows (t₁, t₂, n); `mu` ≥ 0.
    Contact { mu: f64 },
    /// Contact with a friction pyramid: each of the two tangents is bounded by itself.
    Pyramid { mu: f64 },
    /// A joint limit or a frictionless contact.
    Unilateral,
    /// Dry friction: the impulse stays within ±`bound` [N·s or N·m·s], `bound` ≥ 0.
    Box { bound: f64 },
    /// An equality: the impulse is free.
    Bilateral,
    /// Torsional and rolling friction of the contact in block `contact`, which comes before this one.
    /// The rows are `rows` relative angular velocities times the ratio of their coefficient to the
    /// contact's μ [m/s]. In these units the impulses of both blocks together lie in one round cone with
    /// this μ, or in one pyramid.
    Torsion { contact: usize, rows: usize },
}

impl Block {
    /// Number of rows.
    #[inline]
    pub fn rows(self) -> usize {
        match self {
            Block::Contact { .. } | Block::Pyramid { .. } => 3,
            Block::Torsion { rows, .. } => rows,
            _ => 1,
        }
    }
}

/// The set that contains the friction impulses of a contact.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cone {
    Circular,
    Pyramid,
}

impl Cone {
    /// The law of a contact.
    pub fn block(self, mu: f64) -> Block {
        match self {
            Cone::Circular => Block::Contact { mu },
            Cone::Pyramid => Block::Pyramid { mu },
        }
    }
}

/// R of a block: its tangential part for friction, its normal part for all other rows [m/(s·N·s), or the
/// angular unit].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Regularization {
    pub tangential: f64,
    pub normal: f64,
    pub friction: Friction,
}

impl Regularization {
    /// R of rows with [`Friction::Projected`].
    pub fn new(tangential: f64, normal: f64) -> Regularization {
        Regularization {
            tangential,
            normal,
            friction: Friction::Projected,
        }
    }
}

/// How the friction of a compliant contact is regularized.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Friction {
    /// By R: the impulse is a projection on the cone. The normal impulse of the step bounds friction.
    Projected,
    /// By R. A normal impulse known before the step bounds friction.
    Lagged(Lag),
    /// By the slip speed: friction is smooth in the slip, and reaches 70 % of its bound at this slip [m/s].
    Similar { slip: f64 },
}

/// Lagged friction: the normal impulse, known before the step, that bounds friction.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Lag {
    /// [N s]
    pub impulse: f64,
    /// Distance to the state at which the normal impulse becomes zero or nonzero, as a velocity [m/s].
    pub margin: f64,
}

/// Up to 3 × 3, row-major; entries beyond a block's size are zero.
pub type Small = [[f64; 3]; 3];
