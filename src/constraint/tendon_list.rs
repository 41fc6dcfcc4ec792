//! The data of tendons that rows need and that do not depend on the configuration.

use super::rows::Rows;
use crate::error::{Error, Result};
use crate::model::Model;
use crate::model::topology::Topology;
use crate::tendon::Paths;

/// A tendon that may have rows: for its length, its friction or its spring-damper.
#[derive(Clone, Debug)]
pub struct Tendon {
    /// The trees on which it acts.
    pub trees: [Option<usize>; 2],
    /// Bounds of the length [m]; infinite without a bound.
    pub lower: f64,
    pub upper: f64,
    pub margin: f64,
    /// Bound of dry friction [N].
    pub friction_loss: f64,
    pub pull_only: bool,
    /// True if no equality, joint limit or other limited tendon constrains its dofs.
    pub is_alone: bool,
    /// True if it depends on some dof, and joins at most two trees.
    pub has_rows: bool,
}

impl Tendon {
    pub fn is_limited(&self) -> bool {
        self.lower.is_finite() || self.upper.is_finite()
    }

    /// Largest number of its rows in a step.
    pub fn most_rows(&self) -> usize {
        let bounds = [self.lower, self.upper];
        let bounds = bounds.iter().filter(|b| b.is_finite()).count();
        let own = 1 + bounds + usize::from(self.friction_loss > 0.0);
        if self.has_rows { own } else { 0 }
    }

    /// Appends the row c g, with g the slope of the length, as a group.
    pub fn fill(&self, t: &Topology, paths: &Paths, index: usize, c: f64, rows: &mut Rows) {
        let id = rows.push_on(t, self.trees, paths.support(index).iter().copied());
        for (k, g) in paths.moments(index) {
            rows.column_mut(id, k).0[0] = c * g;
        }
    }
}

/// The tendons of a model, in order. `coupled` says for each dof whether an equality or a joint limit
/// constrains it.
///
/// # Errors
/// `Unsupported` naming a tendon whose rows would join more than two trees.
pub fn tendons(model: &Model, paths: &Paths, coupled: &[bool]) -> Result<Vec<Tendon>> {
    let t = model.topology();
    let mut list: Vec<Tendon> = Vec::with_capacity(model.tendons().len());
    for (i, spec) in model.tendons().iter().enumerate() {
        let mut joined: Vec<usize> = (paths.support(i).iter())
            .map(|k| t.links[t.dofs[*k].link].tree)
            .collect();
        joined.sort_unstable();
        joined.dedup();
        let (trees, count) = ([0, 1].map(|k| joined.get(k).copied()), joined.len());
        let (lower, upper) = spec.limits.unwrap_or((f64::NEG_INFINITY, f64::INFINITY));
        let tendon = Tendon {
            trees,
            lower,
            upper,
            margin: spec.limit_margin,
            friction_loss: spec.friction_loss,
            pull_only: spec.pull_only,
            is_alone: paths.support(i).iter().all(|k| !coupled[*k]),
            has_rows: (1..=2).contains(&count),
        };
        let [stiffness, damping, ..] = model.params().tendon[i];
        let holds = tendon.is_limited() || [stiffness, damping, tendon.friction_loss] != [0.0; 3];
        if holds && count > 2 {
            return Err(Error::unsupported(format!(
                "tendon \"{}\": it joins {count} kinematic trees, and constraints act between two at most; \
                 options.contact None makes no constraints",
                spec.name
            )));
        }
        list.push(tendon);
    }
    let limited = |list: &[Tendon], i: usize, j: usize| {
        let shares = |k: &usize| paths.support(j).contains(k);
        i != j && list[j].is_limited() && paths.support(i).iter().any(shares)
    };
    for i in 0..list.len() {
        if (0..list.len()).any(|j| limited(&list, i, j)) {
            list[i].is_alone = false;
        }
    }
    Ok(list)
}
