//! A problem in the form in which a law solves it. There is no stabilization, so there is no gentler demand.

use super::rows::Rows;
use crate::contact::block::Block;
use crate::contact::law::{Posed, Request};
use crate::contact::mode::Mode;
use crate::contact::push_out::PushOut;

/// Impulses and modes of a solution, or of a guess.
#[derive(Clone, Debug, Default)]
pub(super) struct Answer {
    pub lambda: Vec<f64>,
    /// One for each contact.
    pub modes: Vec<Mode>,
}

impl Answer {
    pub fn with_capacity(contacts: usize) -> Answer {
        Answer {
            lambda: Vec::with_capacity(3 * contacts),
            modes: Vec::with_capacity(contacts),
        }
    }

    /// Sets the impulses of this many contacts to zero, without modes.
    pub fn clear(&mut self, contacts: usize) {
        self.lambda.clear();
        self.lambda.resize(3 * contacts, 0.0);
        self.modes.clear();
        self.modes.resize(contacts, Mode::Unknown);
    }

    /// Drops the parts that these blocks cannot have.
    pub fn fit(&mut self, blocks: &[Block]) {
        let contacts = self.lambda.chunks_exact_mut(3).zip(&mut self.modes);
        for ((lambda, mode), block) in contacts.zip(blocks) {
            if !mode.fits(*block) {
                *mode = Mode::Unknown;
            }
            if let Block::Contact { mu: 0.0 } | Block::Pyramid { mu: 0.0 } = block {
                lambda[..2].fill(0.0);
            }
        }
    }

    pub fn copy_from(&mut self, other: &Answer) {
        self.lambda.clone_from(&other.lambda);
        self.modes.clone_from(&other.modes);
    }
}

/// The problem with the guess from which every attempt starts.
pub(super) struct OfProblem<'a> {
    pub rows: &'a Rows,
    pub kept: &'a [f64],
    pub guess: &'a Answer,
    pub answer: &'a mut Answer,
}

impl Request for OfProblem<'_> {
    fn ask(&mut self, _push_out: PushOut) {
        self.answer.copy_from(self.guess);
    }

    fn posed(&mut self) -> Posed<'_> {
        Posed {
            problem: self.rows.problem(),
            blocks: None,
            regularization: &self.rows.regularization,
            kept: self.kept,
            lambda: &mut self.answer.lambda,
            modes: &mut self.answer.modes,
        }
    }

    fn gentler(&self, _push_out: PushOut) -> Option<PushOut> {
        None
    }

    fn throws(&mut self) -> bool {
        false
    }
}
