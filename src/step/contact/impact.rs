//! Derivative of positions by the times of impacts.
//!
//! A step takes q⁺ = q ⊕ h v̂, whatever the time within the step at which bodies meet. Finite differences
//! of one step therefore do not show that a later impact also means a later rebound. Finite differences of
//! a trajectory do. A contact i that rebounds closes its gap Φ_i at the speed (J v)_i,n, so that a change
//! δΦ_i moves the impact by δt_i = −δΦ_i/(J v)_i,n. During δt_i its rows keep their old velocity σ⁻ = J v
//! instead of the new one σ⁺ = J v̂. The active rows pass the resulting displacement on:
//!
//!   S = A⁻¹Jᵀ δλ(w),   w_i = (σ_i⁺ − σ_i⁻) δt_i, zero on rows that do not rebound,
//!
//! where δλ is the law's response to a variation of its rows, which includes friction during the impact and
//! contacts at rest. q⁺ is displaced by S as by h v̂. Without friction this is ∂q⁺/∂q = 1 − M⁻¹Jᵀ(J
//! M⁻¹Jᵀ)⁺(1 + E) J + …, also for redundant contacts and any masses. Contacts that meet at once count as
//! simultaneous on all sides.

use crate::constraint::Constraints;

/// A contact that rebounds.
#[derive(Clone, Copy, Debug)]
pub(super) struct Impact {
    pub group: usize,
    /// Slope of w by the gap.
    pub by_gap: [f64; 3],
    /// The change of the gap along a direction, or its adjoint.
    pub gap: f64,
}

impl Impact {
    /// Adds w for the change of the gap.
    pub fn add(&self, c: &Constraints, w: &mut [f64]) {
        for (w, by_gap) in w[c.range(self.group)].iter_mut().zip(self.by_gap) {
            *w += by_gap * self.gap;
        }
    }

    /// (dof, entry) of the normal row, which is the slope of the gap by q.
    pub fn normal<'a>(&self, c: &'a Constraints) -> impl Iterator<Item = (usize, f64)> + use<'a> {
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
        // Exact, without the solver's tolerance.
        by_gap[c.range(group).len() - 1] = 1.0 + rebound.e;
        out.push(Impact {
            group,
            by_gap,
            gap: 0.0,
        });
    }
}

/// Computes w of a displacement.
pub(super) fn vary(impacts: &mut [Impact], c: &Constraints, dq: &[f64], w: &mut [f64]) {
    w.fill(0.0);
    for impact in impacts {
        impact.gap = impact.normal(c).map(|(k, n)| n * dq[k]).sum();
        impact.add(c, w);
    }
}
