//! What of the forces a step takes implicitly, beside springs and dampers of joints: servos, and what a
//! caller gives.

use super::Forces;
use crate::dynamics::system::System;
use crate::force::feedback::Feedback;

impl Forces {
    /// Whether servos change the diagonal of the system matrix from step to step.
    pub fn has_servos(&self) -> bool {
        self.actuators.has_servos()
    }

    /// The diagonal of [`Forces::refresh`] with what servos have at the last [`Forces::apply`]: with
    /// `constant` without those whose slopes vary with their input.
    pub fn hold(&self, h: f64, constant: bool, diagonal: &mut [f64]) {
        diagonal.copy_from_slice(&self.constant);
        self.actuators.add_diagonal(h, constant, diagonal);
    }

    /// What else of h D̃ + h² K̃ is in the system matrix: (row, column, value).
    pub fn couplings(&self, h: f64) -> impl Iterator<Item = (usize, usize, f64)> + Clone {
        let entries = self.implicit.entries.iter();
        let own = entries.map(move |e| (e.row, e.column, h * (e.by_v + h * e.by_q)));
        own.chain(self.feedback.iter().flat_map(move |f| f.couplings(h)))
    }

    /// Gives the system matrix what forces along lengths declared at the last [`Forces::apply`].
    pub fn set_products(&self, system: &mut System) {
        let servos = self.actuators.products(&self.cords);
        system.set_products(self.elastic.products(&self.cords).chain(servos));
    }

    /// Whether forces beside every model's are implicit between dofs.
    pub fn couples(&self) -> bool {
        !self.implicit.entries.is_empty()
    }

    /// Takes that of another simulation.
    pub fn copy_feedback(&mut self, other: &Forces) {
        self.set_feedback(other.feedback().map(Feedback::given));
    }

    /// The force that is given with its slopes.
    pub fn feedback(&self) -> Option<&Feedback> {
        self.feedback.as_ref()
    }

    /// Takes another one or none; [`Forces::refresh`] comes after it. Allocates where there was none.
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
