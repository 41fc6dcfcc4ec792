//! The factors of a solution, while the system has those of other modes.
//!
//! The derivative is compared with that of other modes, or taken in them, and then needs the factors of the
//! solution again. Factoring the solution once more would cost as much as the comparison, and give slip
//! directions that differ by round-off.

use super::{Face, WideFace};
use crate::contact::capacity::Capacity;
use crate::contact::ncp::wide::{WIDEST, Wide};
use crate::linalg::{General, Symmetric};

/// Where the kept factors are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kept {
    None,
    InUse,
    Aside,
}

/// The form of the last factorization.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// A symmetric A, or any other, with its rank.
    Symmetric,
    General,
    /// A + εE, as a matrix or by trees.
    Near,
    Trees,
}

/// A second set of faces and factors. Its memory is untouched until it is used.
#[derive(Debug)]
pub(super) struct Aside {
    pub kept: Kept,
    pub faces: Vec<Face>,
    pub factored: Vec<Face>,
    pub wides: Vec<WideFace>,
    pub order: usize,
    pub symmetric: bool,
    pub definite: Symmetric,
    pub general: General,
    pub form: Form,
    pub ease: Vec<f64>,
    pub compliance: Vec<f64>,
    pub wide_compliance: Vec<[Wide; WIDEST]>,
}

impl Aside {
    pub fn new([max_rows, dense]: [usize; 2], capacity: &Capacity) -> Aside {
        Aside {
            kept: Kept::None,
            faces: Vec::with_capacity(capacity.blocks),
            factored: Vec::with_capacity(capacity.blocks),
            wides: Vec::with_capacity(capacity.torsion),
            order: 0,
            symmetric: true,
            definite: Symmetric::new(dense),
            general: General::new(dense),
            form: Form::Symmetric,
            ease: Vec::with_capacity(max_rows),
            compliance: Vec::with_capacity(max_rows),
            wide_compliance: Vec::with_capacity(capacity.torsion),
        }
    }
}
