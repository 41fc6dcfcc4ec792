//! Finds which columns of the derivative a switch of the contact stage concerns.

use super::{ContactStage, Larger, contact_groups, solved_by};
use crate::contact::law::{Side, Variation};
use crate::error::Result;
use crate::model::topology::Topology;

/// A step counts as at a kink of the stabilization within this distance, as for the step's label.
pub(in crate::step) const AT_KINK: f64 = 1e-9;

/// A dof that moves a gap by at most this share of the dof that moves it most counts as not moving it: the
/// change of the derivative at the kink is round-off in its column.
const UNMOVED: f64 = 1e-12;

/// A kink of the stabilization.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::step) enum Kink {
    /// It moves with this dof, and with its velocity if the second entry is true.
    Dof(usize, bool),
    /// It moves with any position.
    Anywhere,
}

impl ContactStage {
    /// Starts the comparison of sides. Until [`ContactStage::end_sides`] directions end at the rows. Call it
    /// after [`ContactStage::linearize`].
    pub fn begin_sides(&mut self) -> Result<()> {
        let problem = self.constraints.problem();
        let law = solved_by(&mut self.law, &mut self.relaxed);
        law.linearize(&problem)?.begin_sides(&problem)?;
        if let Some(l) = &mut self.linear {
            l.ends_at_rows = true;
        }
        Ok(())
    }

    /// Whether the response to the last direction may depend on the side, as
    /// [`Linearized::differs`](crate::contact::law::Linearized::differs). Velocities up to `felt` count as
    /// zero.
    pub fn differs(&mut self, felt: f64, side: Side) -> Result<bool> {
        let problem = self.constraints.problem();
        let Some(l) = &self.linear else {
            return Ok(false);
        };
        let x = Variation {
            w: &l.sigma[..problem.rows()],
            limits: &l.bounds[..problem.blocks.len()],
            felt,
        };
        let law = solved_by(&mut self.law, &mut self.relaxed);
        law.linearize(&problem)?.differs(&problem, &x, side)
    }

    pub fn end_sides(&mut self) -> Result<()> {
        if let Some(l) = &mut self.linear {
            l.ends_at_rows = false;
        }
        let problem = self.constraints.problem();
        let law = solved_by(&mut self.law, &mut self.relaxed);
        law.linearize(&problem)?.end_sides(&problem)
    }

    /// The trees for which a step from a nearby state may take another level of stabilization
    /// ([`Constraints::may_change_level`]).
    ///
    /// [`Constraints::may_change_level`]: crate::constraint::Constraints::may_change_level
    pub fn may_change_level(&self, t: &Topology) -> impl Iterator<Item = usize> + '_ {
        let trees = 0..t.trees.len();
        trees.filter(|tree| self.constraints.may_change_level(*tree, AT_KINK))
    }

    /// Calls `visit` with each kink of the stabilization that the last step is at. Call it after
    /// [`ContactStage::complete_rows`].
    pub fn for_kinks(&self, mut visit: impl FnMut(Kink)) {
        let c = &self.constraints;
        let near = AT_KINK * c.kink_scale();
        for group in 0..c.groups() {
            let kinks = c.kinks(group);
            if kinks.path < near {
                visit(Kink::Anywhere);
            }
            let by_speed = kinks.rebound < near;
            if kinks.gap < near || by_speed {
                // Dofs that do not move a contact's gap do not reach a kink of the gap. They may reach a
                // kink of the speed, because they turn the normal.
                let normal = match by_speed {
                    true => None,
                    false => c.normal_row(group).map(|_| c.range(group).len() - 1),
                };
                let moves = |k: usize| normal.map_or(1.0, |n| c.rows.column(group, k).0[n].abs());
                let most = c.rows.dofs(group).map(moves).fold(0.0, f64::max);
                c.rows
                    .dofs(group)
                    .filter(|k| moves(*k) > UNMOVED * most)
                    .for_each(|k| visit(Kink::Dof(k, by_speed)));
            }
        }
    }

    /// Calls `visit` with each dof that moves a contact whose place has no unique derivative. `ties` says
    /// whether the step depends on the features that define contact points ([`ContactStage::feels_ties`]).
    pub fn for_places(&self, ties: bool, mut visit: impl FnMut(usize)) {
        let (c, Some(l)) = (&self.constraints, &self.linear) else {
            return;
        };
        let mut group = |b: usize| c.rows.dofs(b).for_each(&mut visit);
        l.variation.unplaced(ties).for_each(&mut group);
        if l.begins {
            contact_groups(c).for_each(|(b, _)| group(b));
        }
        if l.disagree {
            l.impacts.iter().for_each(|impact| group(impact.group));
        }
    }

    /// True if coefficients of these parameters are at a kink. See [`Larger`].
    pub fn is_at_kink(&self, larger: &Larger<'_>) -> bool {
        larger.is_at_kink(&self.constraints, self.scene.contacts())
    }
}
