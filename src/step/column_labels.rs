//! Labels of single columns of a step's derivative: a switch concerns only the columns that reach it.
//!
//! | reason | columns that it concerns |
//! |---|---|
//! | contacts, limits and dry friction at a switch of modes | those whose response differs on the sides |
//! | a kink of the stabilization, at a gap | positions of the dofs that move the gap, all parameters |
//! | a contact whose place has no unique derivative | positions that move it, parameters that move surfaces |
//! | equalities that hold more motions at nearby states | all positions, parameters that move bodies |
//! | an input at a clamp, or an activation at a jump | this input |
//! | an actuator's force at a clamp | its input and dofs, all parameters |
//! | a parameter at a kink | this parameter |
//! | bodies whose push-out was not solved | those that reach them, all parameters |
//! | any other jump of a force; joints with friction by load | all columns |

use super::contact::{Kink, Larger};
use super::info::Gradient;
use super::linearization::Linearization;
use super::link::{Along, Parameters};
use super::parameters::At;
use super::taken::{Taken, at};
use crate::contact::law::Side;
use crate::dynamics::Dynamics;
use crate::dynamics::coupling::Columns;
use crate::error::Result;
use crate::linalg::largest;
use crate::model::topology::Topology;

/// A row counts as not varying if its variation is at most this share of the change of the velocity at
/// fixed impulses.
const AT_REST: f64 = 1e-9;

/// Labels of the columns by q (nv, tangent), v (nv), u (nu) and the selected parameters (np): 0 exact, 1
/// one-sided.
#[derive(Clone, Copy, Debug)]
pub struct ColumnLabels<'a> {
    pub q: &'a [u8],
    pub v: &'a [u8],
    pub u: &'a [u8],
    pub p: &'a [u8],
}

/// The labels of all columns: q, v, u, p.
struct Labels<'a> {
    all: &'a mut [u8],
    nv: usize,
    nu: usize,
}

impl Labels<'_> {
    fn dof(&mut self, k: usize) {
        self.all[k] = 1;
    }

    fn speed(&mut self, k: usize) {
        self.all[self.nv + k] = 1;
    }

    fn input(&mut self, j: usize) {
        self.all[2 * self.nv + j] = 1;
    }

    fn parameter(&mut self, p: usize) {
        self.all[2 * self.nv + self.nu + p] = 1;
    }

    fn positions(&mut self) {
        self.all[..self.nv].fill(1);
    }

    fn parameters(&mut self) {
        self.all[2 * self.nv + self.nu..].fill(1);
    }
}

impl Taken<'_> {
    /// Finds the labels of all columns in [`Linearization::labels`].
    pub(super) fn label_columns(&mut self, lin: &mut Linearization) -> Result<()> {
        self.linearize(lin)?;
        let mut all = std::mem::take(&mut lin.labels);
        all.fill(0);
        let labels = Labels {
            all: &mut all,
            nv: self.model.nv(),
            nu: self.model.nu(),
        };
        let done = match self.state.info.gradient {
            Gradient::OneSided => self.find_labels(lin, labels),
            _ => Ok(()),
        };
        lin.labels = all;
        done
    }

    fn find_labels(&mut self, lin: &mut Linearization, mut labels: Labels<'_>) -> Result<()> {
        // Only an explicit step has the switches of forces one by one.
        let by_stages = self.implicit.is_some();
        let margin = match by_stages {
            true => self.state.forces_margin,
            false => self.forces.margin_without_actuators(),
        };
        let has_loads = self.has_loads();
        if margin == 0.0 || has_loads || self.forces.are_one_sided(self.model, self.params, &[]) {
            labels.all.fill(1);
            return Ok(());
        }
        if !by_stages {
            self.forces.for_jumps(|j, dofs| {
                labels.input(j);
                for k in dofs {
                    labels.dof(k);
                    labels.speed(k);
                    labels.parameters();
                }
            });
        }
        for j in self.state.drives.at_jumps() {
            labels.input(j);
            labels.parameters();
        }
        if let Some(c) = &self.contact {
            c.for_kinks(|kink| {
                labels.parameters();
                match kink {
                    Kink::Anywhere => labels.positions(),
                    Kink::Dof(k, by_speed) => {
                        labels.dof(k);
                        if by_speed {
                            labels.speed(k);
                        }
                    }
                }
            });
        }
        self.label_changes_of_level(lin, &mut labels)?;
        let ties = self.feels_ties(lin)?;
        let mut by_places = false;
        if let Some(c) = &self.contact {
            c.for_places(ties, |k| {
                labels.dof(k);
                by_places = true;
            });
        }
        // Some dofs gain rank only to second order: all positions are labelled.
        if self.gains_rank(lin)? {
            labels.positions();
            by_places = true;
        }
        for p in 0..self.np() {
            if by_places && self.moves_places(p) || self.is_at_kink_of(lin, p)? {
                labels.parameter(p);
            }
        }
        let of_contact = self.contact.as_ref().and_then(|c| c.linear.as_ref());
        if of_contact.is_some_and(|l| l.by_modes) {
            self.compare_columns(lin, labels.all)?;
        }
        Ok(())
    }

    /// Labels the columns that reach bodies which may take another level of stabilization at a nearby state.
    fn label_changes_of_level(
        &mut self,
        lin: &mut Linearization,
        labels: &mut Labels<'_>,
    ) -> Result<()> {
        let t = self.model.topology();
        let mut changing = self.contact.iter().flat_map(|c| c.may_change_level(t));
        let none = changing.next().is_none();
        drop(changing);
        if none {
            return Ok(());
        }
        self.couple(lin)?;
        let driven = self.state.drives.driven();
        lin.place_inputs(self.forces.actuator_inputs(), driven);
        let Some(c) = &self.contact else {
            return Ok(());
        };
        labels.parameters();
        let [dofs, inputs, _] = lin.kinds();
        for tree in c.may_change_level(t) {
            let first = t.trees[tree].first_dof;
            let reaches = |columns: &Columns<'_>, j: usize| {
                columns.spans(j).iter().any(|rows| rows.contains(&first))
            };
            for k in (0..labels.nv).filter(|k| reaches(&dofs, *k)) {
                labels.dof(k);
                labels.speed(k);
            }
            for j in (0..labels.nu).filter(|j| reaches(&inputs, *j)) {
                labels.input(j);
            }
        }
        Ok(())
    }

    /// True if the step depends on the choice of the features that define a contact point.
    fn feels_ties(&mut self, lin: &mut Linearization) -> Result<bool> {
        let Some(c) = &mut self.contact else {
            return Ok(false);
        };
        let v_end = &self.state.v_end;
        let solve = |d: &mut Dynamics, t: &Topology, x: &mut [f64]| d.mass.solve(t, x);
        c.feels_ties(self.model, self.dynamics, v_end, solve, &mut lin.x)
    }

    /// True if equalities hold more motions at nearby states than at this one.
    fn gains_rank(&mut self, lin: &mut Linearization) -> Result<bool> {
        let Some(c) = &mut self.contact else {
            return Ok(false);
        };
        let (model, dynamics) = (self.model, &mut *self.dynamics);
        c.gains_rank(model, dynamics, &self.state.q, &mut lin.x)
    }

    /// True if a parameter moves contacts and rows.
    fn moves_places(&self, p: usize) -> bool {
        let p = &self.selected[p];
        p.kind.displaces() || p.kind.moves_surfaces() || p.anchor().is_some()
    }

    /// True if the derivative by this parameter is one-sided for a reason of its own.
    fn is_at_kink_of(&mut self, lin: &mut Linearization, p: usize) -> Result<bool> {
        let selected = &self.selected[p..=p];
        if self.forces.are_one_sided(self.model, self.params, selected) {
            return Ok(true);
        }
        let Some(c) = &mut self.contact else {
            return Ok(false);
        };
        let larger = Larger {
            params: self.params,
            selected,
        };
        if c.is_at_kink(&larger) {
            return Ok(true);
        }
        let Some(d) = &self.dynamics.derivatives else {
            return Ok(false);
        };
        c.contradicts(&at!(self, d), &selected[0], &mut lin.column)
    }

    /// Labels the columns whose response depends on the modes around the solution.
    fn compare_columns(&mut self, lin: &mut Linearization, labels: &mut [u8]) -> Result<()> {
        if let Some(c) = &mut self.contact {
            c.begin_sides()?;
        }
        let compared = [Side::Solution, Side::Released]
            .iter()
            .try_for_each(|side| {
                let mut rest = labels.iter_mut().enumerate().filter(|(_, x)| **x == 0);
                rest.try_for_each(|(column, label)| {
                    let differs = self.column_differs(lin, column, *side)?;
                    *label = u8::from(differs);
                    Ok(())
                })
            });
        match &mut self.contact {
            Some(c) => c.end_sides().and(compared),
            None => compared,
        }
    }

    /// Takes a column as far as the rows, and compares the sides there.
    fn column_differs(
        &mut self,
        lin: &mut Linearization,
        column: usize,
        side: Side,
    ) -> Result<bool> {
        let (nv, nu) = (self.model.nv(), self.model.nu());
        let (mut unit, mut drive) = (
            std::mem::take(&mut lin.unit),
            std::mem::take(&mut lin.drive),
        );
        let none = Along::default();
        let along = if column < nv {
            unit[column] = 1.0;
            Along {
                q: &unit[..nv],
                ..none
            }
        } else if column < 2 * nv {
            unit[column - nv] = 1.0;
            Along {
                v: &unit[..nv],
                ..none
            }
        } else if column < 2 * nv + nu {
            unit[column - 2 * nv] = 1.0;
            let drives = &self.state.drives;
            let u = match drives.are_states() {
                false => &unit[..nu],
                true => {
                    drives.direction(&unit[..nu], &[], &mut drive, &mut lin.act);
                    &drive[..]
                }
            };
            Along { u, ..none }
        } else {
            Along {
                p: Parameters::Unit(column - 2 * nv - nu),
                ..none
            }
        };
        let done = self.velocity_along(lin, &along);
        unit.fill(0.0);
        (lin.unit, lin.drive) = (unit, drive);
        done?;
        let felt = AT_REST * largest(&lin.x);
        match &mut self.contact {
            Some(c) => c.differs(felt, side),
            None => Ok(false),
        }
    }
}
