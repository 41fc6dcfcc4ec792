//! The implicit forces of a step, in addition to springs and dampers of joints: servos, and the force
//! given by the caller.

use super::Forces;
use crate::dynamics::system::System;
use crate::force::feedback::Feedback;

impl Forces {
    /// Whether servos change the diagonal of the system matrix from step to step.
    pub fn has_servos(&self) -> bool {
        self.actuators.has_servos()
    }

    /// The diagonal of [`Forces::refresh`] plus the terms of servos at the last [`Forces::apply`]. With
    /// `constant`, servos whose derivatives depend on their input are left out.
    pub fn hold(&self, h: f64, constant: bool, diagonal: &mut [f64]) {
        diagonal.copy_from_slice(&self.constant);
        self.actuators.add_diagonal(h, constant, diagonal);
    }

    /// The other entries of h D̃ + h² K̃ in the system matrix: (row, column, value).
    pub fn couplings(&self, h: f64) -> impl Iterator<Item = (usize, usize, f64)> + Clone {
        let entries = self.implicit.entries.iter();
        let own = entries.map(move |e| (e.row, e.column, h * (e.by_v + h * e.by_q)));
        own.chain(self.feedback.iter().flat_map(move |f| f.couplings(h)))
    }

    /// Sets in the system matrix the products of forces along lengths at the last [`Forces::apply`].
    pub fn set_products(&self, system: &mut System) {
        let servos = self.actuators.products(&self.paths);
        system.set_products(self.elastic.products(&self.paths).chain(servos));
    }

    /// Whether forces defined outside the library are implicit between dofs.
    pub fn couples(&self) -> bool {
        !self.implicit.entries.is_empty()
    }

    /// Copies the given force of another simulation.
    pub fn copy_feedback(&mut self, other: &Forces) {
        self.set_feedback(other.feedback().map(Feedback::given));
    }

    /// The force given by the caller, with its derivatives.
    pub fn feedback(&self) -> Option<&Feedback> {
        self.feedback.as_ref()
    }

    /// Replaces the given force, or removes it. Call [`Forces::refresh`] afterwards. Allocates if there
    /// was none before.
    pub fn set_feedback(&mut self, given: Option<[&[f64]; 3]>) {
        match (given, &mut self.feedback) {
            (None, feedback) => *feedback = None,
            (Some([force, by_q, by_v]), Some(own)) => own.take(force, by_q, by_v),
            (Some([force, by_q, by_v]), own) => {
                *own = Some(Feedback::new(force, by_q, by_v));
                let entries = force.len() * force.len();
                self.slopes.reserve(entries);
                self.cross.reserve(self.slopes.capacity());
            }
        }
    }
}
