//! Slopes of all contacts: entries between dofs, made of the contacts' arms.

use super::touch::{Arm, Touch};
use crate::collision::Smoothness;
use crate::collision::scene::Scene;
use crate::force::face::State;
use crate::force::slopes::Entry;
use crate::joint::MAX_DOFS;
use crate::model::Model;
use std::ops::Range;

/// Of the contacts at the last state. Sized at creation.
#[derive(Debug)]
pub(super) struct Linear {
    arms: Vec<Arm>,
    /// Those of each contact's two bodies.
    of: Vec<[Range<usize>; 2]>,
    /// By the change of S within links of joints whose S depends on q.
    bends: Vec<Entry>,
    /// A contact has no derivative.
    pub degenerate: bool,
}

impl Linear {
    pub fn new(model: &Model, max_contacts: usize) -> Linear {
        let t = model.topology();
        // The arms of both bodies are different dofs.
        let arms = max_contacts * model.nv().min(2 * t.max_depth);
        let widest = match t.varying.is_empty() {
            true => 0,
            false => MAX_DOFS,
        };
        Linear {
            arms: Vec::with_capacity(arms),
            of: Vec::with_capacity(max_contacts),
            bends: Vec::with_capacity(arms * widest),
            degenerate: false,
        }
    }
}

impl Linear {
    /// Takes the contacts of a state, which are those of the scene.
    pub fn set(&mut self, at: &State<'_>, scene: &mut Scene, touches: &mut [Touch]) {
        let t = at.model.topology();
        self.arms.clear();
        self.of.clear();
        self.bends.clear();
        self.degenerate = false;
        for (i, touch) in touches.iter_mut().enumerate() {
            let acts = touch.acts();
            if acts {
                let contact = scene.contacts()[i];
                let smoothness = scene.differentiate(&contact, &mut touch.motion);
                self.degenerate |= smoothness == Smoothness::Degenerate;
            }
            let of = [0, 1].map(|side| {
                let first = self.arms.len();
                if acts {
                    touch.for_arms(t, at.kin, at.v, side, |arm| self.arms.push(arm));
                    touch.for_bends(t, at.kin, side, |row, column, by_q| {
                        self.bends.push(Entry {
                            row,
                            column,
                            by_q,
                            by_v: 0.0,
                        });
                    });
                }
                first..self.arms.len()
            });
            self.of.push(of);
        }
    }

    /// The arms of a contact's bodies.
    pub fn arms(&self, contact: usize) -> impl Iterator<Item = &Arm> {
        let sides = self.of[contact].each_ref();
        sides.into_iter().flat_map(|of| &self.arms[of.clone()])
    }

    /// Visits the entries of R_q and R_v between dofs of one branch: (row, column, by q, by v).
    #[inline(always)]
    pub fn for_branches(&self, mut visit: impl FnMut(usize, usize, f64, f64)) {
        for of in self.of.iter().flatten() {
            let arms = &self.arms[of.clone()];
            for column in arms {
                for row in arms {
                    let [by_q, by_v] = column.on(row);
                    visit(row.dof, column.dof, by_q, by_v);
                }
            }
        }
        for e in &self.bends {
            visit(e.row, e.column, e.by_q, e.by_v);
        }
    }

    /// Visits those between dofs of different branches.
    #[inline(always)]
    pub fn for_cross(&self, mut visit: impl FnMut(usize, usize, f64, f64)) {
        for [a, b] in &self.of {
            for (columns, rows) in [(a, b), (b, a)] {
                for column in &self.arms[columns.clone()] {
                    for row in &self.arms[rows.clone()] {
                        let [by_q, by_v] = column.across(row);
                        visit(row.dof, column.dof, by_q, by_v);
                    }
                }
            }
        }
    }
}
