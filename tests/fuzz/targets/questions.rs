//! Queries of a session without a step.

use super::session::{Out, Session, check_all};
use super::source::Source;
use diffsim::capi::forces::*;
use diffsim::capi::model::ds_model_ntendon;
use std::ptr::null_mut;

impl Session {
    /// # Safety
    /// The session is of live objects.
    pub unsafe fn forces(&mut self, s: &mut Source) {
        let (nv, nu) = (self.v.len(), self.nu);
        let n = unsafe { ds_model_ntendon(self.model) };
        let (q, v, u) = (s.near(&self.q), s.near(&self.v), s.near(&vec![0.3; nu]));
        let (sim, q, v, u) = (self.sim, q.as_ptr(), v.as_ptr(), u.as_ptr());
        let kinds = s.pick(&[1, 2, 4, 8, 16, 32, 64, 128, 31, 255, 255, 0, 256]);
        let mut outs = [nv, nv * nv, nv * nv, nv * nu].map(Out::new);
        let [f, a, b, c] = outs.each_mut().map(Out::at);
        let status = unsafe { ds_generalized_forces(sim, q, v, u, kinds, f, a, b, c, null_mut()) };
        check_all(&outs.each_ref(), status, "ds_generalized_forces");
        let mut outs = [nu, nu, nu, nu * nv, nu * nv, nu * nu].map(Out::new);
        let [l, r, f, a, b, c] = outs.each_mut().map(Out::at);
        let status = unsafe { ds_actuator_states(sim, q, v, u, l, r, f, a, b, c, null_mut()) };
        check_all(&outs.each_ref(), status, "ds_actuator_states");
        let mut outs = [n, n, n, n * nv, n * nv].map(Out::new);
        let [l, r, f, a, b] = outs.each_mut().map(Out::at);
        let status = unsafe { ds_tendon_states(sim, q, v, l, r, f, a, b, null_mut()) };
        check_all(&outs.each_ref(), status, "ds_tendon_states");
    }
}
