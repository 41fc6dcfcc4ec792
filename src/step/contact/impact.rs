//! How positions vary through the times of impacts.
//!
//! A step takes q⁺ = q ⊕ h v̂, whenever within it bodies meet: no difference of a single step tells that what meets later also
//! leaves later. Over many steps it does. A contact i that rebounds meets when its gap Φ_i is used up at its speed (J v)_i,n, so
//! that a change δΦ_i moves the impact by δt_i = −δΦ_i/(J v)_i,n. For that long its rows keep their old velocity σ⁻ = J v instead
//! of the new one σ⁺ = J v̂. The displacement that this leaves is carried by all rows that hold:
//!
//!   S = A⁻¹Jᵀ δλ(w),   w_i = (σ_i⁺ − σ_i⁻) δt_i, zero on rows that do not rebound,
//!
//! with the law's own answer δλ to a variation of its rows, so that friction during the impact and contacts at rest have their
//! part. q⁺ is displaced by S as by h v̂. Without friction that is ∂q⁺/∂q = 1 − M⁻¹Jᵀ(J M⁻¹Jᵀ)⁺(1 + E) J + …, for redundant contacts
//! and any masses; where several meet at once, it takes them for simultaneous on all sides.

use super::{ContactStage, lanes, solved_by};
use crate::constraint::Constraints;
use crate::dynamics::factors::Factors;
use crate::error::Result;
use crate::model::topology::Topology;
use crate::step::contact_kernels::gather;

/// A contact that rebounds.
#[derive(Clone, Copy, Debug)]
pub(super) struct Impact {
    group: usize,
    /// w by the gap.
    by_gap: [f64; 3],
    /// The change of the gap along a direction, or its adjoint.
    gap: f64,
}

impl Impact {
    /// Adds w at the change of the gap.
    fn add(&self, c: &Constraints, w: &mut [f64]) {
        for (w, by_gap) in w[c.range(self.group)].iter_mut().zip(self.by_gap) {
            *w += by_gap * self.gap;
        }
    }

    /// (dof, entry) of the normal row, which is how the gap varies with q.
    fn normal<'a>(&self, c: &'a Constraints) -> impl Iterator<Item = (usize, f64)> + use<'a> {
        let (group, lane) = (self.group, c.range(self.group).len() - 1);
        (c.rows.dofs(group)).map(move |k| (k, c.rows.column(group, k).0[lane]))
    }
}

/// Finds the impacts of a step from v to v̂.
pub(super) fn find(c: &Constraints, [v, v_end]: [&[f64]; 2], out: &mut Vec<Impact>) {
    out.clear();
    for (group, rebound) in c.impacts() {
        let [old, new] = [v, v_end].map(|v| c.rows.times(group, v).0);
        let mut by_gap = [0, 1, 2].map(|i| (old[i] - new[i]) / rebound.speed);
        // Without the solver's tolerance.
        by_gap[c.range(group).len() - 1] = 1.0 + rebound.e;
        out.push(Impact {
            group,
            by_gap,
            gap: 0.0,
        });
    }
}

/// w of a displacement.
pub(super) fn vary(impacts: &mut [Impact], c: &Constraints, dq: &[f64], w: &mut [f64]) {
    w.fill(0.0);
    for impact in impacts {
        impact.gap = impact.normal(c).map(|(k, n)| n * dq[k]).sum();
        impact.add(c, w);
    }
}

impl ContactStage {
    /// Contacts of the last step that rebound, after [`ContactStage::linearize`].
    pub fn impacts(&self) -> usize {
        self.linear.as_ref().map_or(0, |l| l.impacts.len())
    }

    /// Starts a direction of gaps; an empty displacement stands for zero.
    pub fn meet(&mut self, dq: &[f64]) {
        let (c, Some(l)) = (&self.constraints, &mut self.linear) else {
            return;
        };
        for impact in &mut l.impacts {
            let change = |(k, n): (usize, f64)| n * dq.get(k).unwrap_or(&0.0);
            impact.gap = impact.normal(c).map(change).sum();
        }
    }

    /// The same along the gap of one impact.
    pub fn meet_one(&mut self, index: usize) {
        if let Some(l) = &mut self.linear {
            for (i, impact) in l.impacts.iter_mut().enumerate() {
                impact.gap = f64::from(u8::from(i == index));
            }
        }
    }

    /// Adds `scale` times what the parameter of the last [`ContactStage::parameter`] does to the gaps.
    pub fn meet_by_parameter(&mut self, scale: f64) {
        if let Some(l) = &mut self.linear {
            for impact in &mut l.impacts {
                impact.gap += scale * l.gaps[impact.group];
            }
        }
    }

    /// S along the direction.
    pub fn displacement(&mut self, t: &Topology, m: &mut Factors, out: &mut [f64]) -> Result<()> {
        out.fill(0.0);
        let (c, Some(l)) = (&self.constraints, &mut self.linear) else {
            return Ok(());
        };
        let rows = c.g.len();
        let (w, answer) = (&mut l.sigma[..rows], &mut l.w_param[..rows]);
        w.fill(0.0);
        for impact in &l.impacts {
            impact.add(c, w);
        }
        let problem = c.problem();
        let law = solved_by(&mut self.law, &mut self.relaxed);
        law.linearize(&problem)?
            .apply(&problem, w, None, 1, answer)?;
        for group in 0..c.groups() {
            c.rows.add_half(group, lanes(&answer[c.range(group)]), out);
        }
        c.rows.complete(t, m, out);
        Ok(())
    }

    /// Adjoint of [`ContactStage::displacement`]: takes that of S, which is used up, and adds that of q. The adjoints of
    /// the gaps stay.
    pub fn displacement_adjoint(
        &mut self,
        t: &Topology,
        m: &mut Factors,
        bar: &mut [f64],
        q_bar: &mut [f64],
    ) -> Result<()> {
        let (c, Some(l)) = (&self.constraints, &mut self.linear) else {
            return Ok(());
        };
        let rows = c.g.len();
        c.rows.begin(t, m, bar);
        gather(c, bar, &mut l.dlambda);
        let problem = c.problem();
        let law = solved_by(&mut self.law, &mut self.relaxed);
        let (answer, w) = (&l.dlambda[..rows], &mut l.sigma[..rows]);
        law.linearize(&problem)?
            .apply_transpose(&problem, answer, w, None)?;
        for impact in &mut l.impacts {
            let w = w[c.range(impact.group)].iter();
            impact.gap = w.zip(impact.by_gap).map(|(w, by_gap)| w * by_gap).sum();
            for (k, n) in impact.normal(c) {
                q_bar[k] += n * impact.gap;
            }
        }
        Ok(())
    }

    /// Adjoint of [`ContactStage::meet_by_parameter`].
    pub fn meeting_adjoint(&self) -> f64 {
        let Some(l) = &self.linear else {
            return 0.0;
        };
        (l.impacts.iter()).map(|i| i.gap * l.gaps[i.group]).sum()
    }

    /// Calls `visit(dof, x)` for how the gap of an impact varies with q.
    pub fn for_gap(&self, index: usize, mut visit: impl FnMut(usize, f64)) {
        if let Some(l) = &self.linear {
            for (k, n) in l.impacts[index].normal(&self.constraints) {
                visit(k, n);
            }
        }
    }
}
