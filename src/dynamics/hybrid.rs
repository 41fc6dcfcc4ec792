//! Hybrid dynamics: some dofs have given accelerations, the others given forces.
//!
//! Featherstone (2008), §9.2; Sueda's notes on RedMax, §2.10 and §2.13. The free dofs solve
//! M_ff a_f = τ_f − (b + M_fp a_p)_f; with the prescribed rows and columns of M replaced by those of
//! the identity, the branch-sparse factorization serves as it is.

use super::mass::BranchMatrix;
use crate::linalg::F4;
use crate::model::topology::Topology;

/// Adds the armature and replaces the rows and columns of prescribed dofs by those of the identity.
pub fn restrict(m: &mut BranchMatrix, t: &Topology, armature: &[f64], prescribed: &[bool]) {
    let flat = F4::flat_mut(&mut m.rows);
    for (k, dof) in t.dofs.iter().enumerate() {
        flat[dof.row + dof.depth] += armature[k];
        let mut a = k;
        for d in (0..=dof.depth).rev() {
            if prescribed[k] || prescribed[a] {
                flat[dof.row + d] = if a == k { 1.0 } else { 0.0 };
            }
            a = t.dofs[a].parent;
        }
    }
}
