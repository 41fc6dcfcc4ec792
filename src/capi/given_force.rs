//! Applied generalized force: a force of the caller, with its slopes.

use super::args;
use super::edge;
use super::sim::{any, ds_sim};
use super::status::ds_status;
use super::wall;

/// Sets a generalized force on all dofs in all following steps, in addition to all other forces.
/// tau: nv numbers [N or N m], the force at the state at the start of the next step; NULL ends the
/// force. K, D: its slopes there, ∂tau/∂q (by the tangent of q) and ∂tau/∂v, nv×nv, column-major;
/// NULL for zero. The step uses tau + K h v⁺ + D (v⁺ − v): a stiff feedback stays stable. Call it
/// before every step. Derivatives of the step hold tau, K and D fixed. Allocates at the first call
/// and for a new pattern of zeros in K and D. The last step is forgotten; ds_sim_reset keeps the
/// force. See docs/control.md, Your own feedback.
///
/// Errors: DS_ERR_NUMERICAL for a number that is not finite; DS_ERR_UNSUPPORTED with integrators
/// other than DS_INTEGRATOR_SYMPLECTIC_EULER and DS_INTEGRATOR_SYMPLECTIC_EULER_WORLD. Then
/// nothing changes.
#[unsafe(no_mangle)]
#[allow(non_snake_case)]
pub unsafe extern "C" fn ds_sim_set_force(
    sim: *mut ds_sim,
    tau: *const f64,
    K: *const f64,
    D: *const f64,
) -> ds_status {
    wall::status(|| {
        let s = any(sim)?;
        let nv = s.sim.model().free_nv();
        if tau.is_null() {
            return s.sim.set_force(None);
        }
        // SAFETY: the header's rules promise the elements.
        let given = unsafe {
            [
                args::array(tau, nv, "tau")?,
                args::optional_array(K, nv * nv, "K")?,
                args::optional_array(D, nv * nv, "D")?,
            ]
        };
        let e = &mut s.edge;
        let Some(map) = &e.map else {
            return s.sim.set_force(Some(given));
        };
        let [tau, slopes @ ..] = given;
        let n = map.v.sizes()[0];
        map.v.restrict_transposed(tau, &mut e.a);
        let (by_q, by_v) = e.matrices.split_at_mut(n * n);
        let outs = [by_q, &mut by_v[..n * n]];
        let mut slopes = slopes.into_iter().zip(outs).map(|(from, to)| {
            if !from.is_empty() {
                edge::spread(&map.v, from, &mut e.product, to);
            }
            let to: &[f64] = to;
            &to[..if from.is_empty() { 0 } else { n * n }]
        });
        let slopes = [(); 2].map(|()| slopes.next().unwrap_or_default());
        s.sim.set_force(Some([&e.a, slopes[0], slopes[1]]))
    })
}
