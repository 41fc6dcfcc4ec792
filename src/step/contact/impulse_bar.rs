//! The adjoint of a step's impulses.

use crate::constraint::{Along, Constraints, Source};
use crate::spatial::Vec3;

/// The adjoint of a step's impulses. An empty part is zero.
#[derive(Clone, Copy, Default)]
pub(crate) struct ImpulseBar<'a> {
    /// Of the impulses (t₁ t₂ n) of each contact; and of its torques of rolling and torsion about the
    /// same axes.
    pub contacts: &'a [f64],
    pub torques: &'a [f64],
    /// Of the impulse of a bound.
    pub bound: Option<(Along, f64)>,
}

impl<'a> ImpulseBar<'a> {
    pub fn of_contacts(contacts: &'a [f64]) -> Self {
        ImpulseBar {
            contacts,
            ..ImpulseBar::default()
        }
    }

    /// Calls `visit(row, weight)` for rows of the constraints.
    pub(super) fn for_rows(&self, c: &Constraints, mut visit: impl FnMut(usize, f64)) {
        if self.contacts.is_empty() && self.torques.is_empty() && self.bound.is_none() {
            return;
        }
        for (group, source) in c.sources.iter().enumerate() {
            let rows = c.range(group);
            match source {
                Source::Contact(i) => {
                    let bar = self.contacts.get(3 * i..3 * i + 3).unwrap_or_default();
                    // A frictionless contact has only its normal.
                    for (row, weight) in rows.rev().zip(bar.iter().rev()) {
                        visit(row, *weight);
                    }
                }
                Source::Torsion(torsion) => {
                    let at = 3 * torsion.contact;
                    let Some(bar) = self.torques.get(at..at + 3) else {
                        continue;
                    };
                    let weights = torsion.rows_of(Vec3::from_slice(bar)).0;
                    for (row, weight) in rows.zip(weights) {
                        visit(row, weight);
                    }
                }
                Source::Limit { along, .. } => {
                    for (_, weight) in self.bound.iter().filter(|(of, _)| of == along) {
                        rows.clone().for_each(|row| visit(row, *weight));
                    }
                }
                _ => {}
            }
        }
    }
}
