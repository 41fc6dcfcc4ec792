//! Terms of the derivatives of inverse dynamics by the change of S with q, for the links of varying
//! joints.
//!
//! In the notation of [`rnea_derivatives`](super::rnea_derivatives), with S_k,j = ∂S_k/∂q_j in the link
//! frame, a dof j of the link changes the velocity S v within it by d_j = Σ S_k,j v_k, and the
//! acceleration by Σ S_k,j v̇_k + ∂c/∂q_j:
//!
//! - add d_j to η_j,  (v_p + v_b) × d_j + Σ S_k,j v̇_k + ∂c/∂q_j to α_j,  and ∂c/∂v_j = d_j + Σ S_j,k
//!   v_k to β_j
//! - add S_k,jᵀ f to ∂τ_k/∂q_j for the dofs k and j of one link.

use super::kinematics::Kinematics;
use super::rnea::Rnea;
use crate::joint::MAX_DOFS;
use crate::model::topology::{Topology, WORLD};
use crate::spatial::Twist;
use std::ops::AddAssign;

/// η, α, β of a dof.
#[derive(Clone, Copy, Debug, Default)]
pub struct Carried {
    pub eta: Twist,
    pub alpha: Twist,
    pub beta: Twist,
}

impl Carried {
    /// For a displacement column `s` of a link with parent velocity `vp`, own velocity `vb`, parent
    /// acceleration `ap`.
    #[inline(always)]
    pub fn of(s: Twist, vp: Twist, vb: Twist, ap: Twist) -> Self {
        let eta = vp.cross(s);
        Carried {
            eta,
            alpha: ap.cross(s) + vp.cross(eta),
            beta: vb.cross(s) + eta,
        }
    }
}

impl AddAssign for Carried {
    #[inline(always)]
    fn add_assign(&mut self, o: Carried) {
        self.eta += o.eta;
        self.alpha += o.alpha;
        self.beta += o.beta;
    }
}

/// The additions to η, α, β of the dofs of a varying link (by its index) at the joint accelerations
/// `acc`.
pub(super) fn gained(
    kin: &Kinematics,
    acc: &[f64],
    t: &Topology,
    index: usize,
) -> [Carried; MAX_DOFS] {
    let (state, link) = (&kin.varying[index], &t.varying[index]);
    let l = &t.links[link.link];
    let mut both = kin.v[link.link];
    if l.parent != WORLD {
        both += kin.v[l.parent];
    }
    let v = state.velocity();
    let bias = state.bias_slopes();
    let mut gained = [Carried::default(); MAX_DOFS];
    for (j, gained) in gained[..l.nv].iter_mut().enumerate() {
        let eta = state.by_dof(j, v);
        *gained = Carried {
            eta,
            alpha: both.cross(eta) + state.by_dof(j, acc) + bias[j],
            beta: eta + state.along(j, v),
        };
    }
    gained
}

/// Visits ∂τ_k/∂q_j by the change of S_k: (k, j, value).
pub(super) fn for_forces(
    kin: &Kinematics,
    rnea: &Rnea,
    t: &Topology,
    mut visit: impl FnMut(usize, usize, f64),
) {
    for (state, link) in kin.varying.iter().zip(&t.varying) {
        let (l, f) = (&t.links[link.link], rnea.f[link.link]);
        for k in 0..l.nv {
            for j in 0..l.nv {
                visit(l.iv + k, l.iv + j, state.slope(k, j).dot(f));
            }
        }
    }
}
