//! A simulation and its calls, each checked against the promises of all calls.

use super::source::Source;
use diffsim::capi::contacts::*;
use diffsim::capi::derivatives::*;
use diffsim::capi::distance_smoothing::*;
use diffsim::capi::dynamics::*;
use diffsim::capi::model::*;
use diffsim::capi::options::*;
use diffsim::capi::params::*;
use diffsim::capi::report::ds_step_info;
use diffsim::capi::sim::*;
use diffsim::capi::smoothing::*;
use diffsim::capi::status::{ds_last_error, ds_status};
use std::ffi::CStr;
use std::mem::MaybeUninit;
use std::ptr::{null, null_mut};

/// Whether a call succeeded. A defect of the library ends the case.
pub fn expect(status: ds_status, call: &str) -> bool {
    if status == ds_status::DS_OK {
        return true;
    }
    // SAFETY: never null, terminated.
    let message = unsafe { CStr::from_ptr(ds_last_error()) }.to_string_lossy();
    assert!(!message.is_empty(), "{call}: {status:?} without a message");
    assert_ne!(status, ds_status::DS_ERR_INTERNAL, "{call}: {message}");
    false
}

/// What stands in a result before a call: a number that none computes.
const MARK: f64 = -7.012345678901234e-33;

/// Memory for a result of n numbers.
pub struct Out(pub Vec<f64>);

impl Out {
    pub fn new(n: usize) -> Out {
        Out(vec![MARK; n])
    }

    pub fn at(&mut self) -> *mut f64 {
        self.0.as_mut_ptr()
    }

    /// All numbers after success, none written after a failure.
    pub fn check(&self, done: bool, call: &str) {
        if done {
            let bad = self.0.iter().position(|x| !x.is_finite());
            assert!(bad.is_none(), "{call}: {bad:?} of {:?} with DS_OK", self.0);
        } else {
            let bad = self.0.iter().position(|x| x.to_bits() != MARK.to_bits());
            assert!(bad.is_none(), "{call}: wrote {bad:?} and failed");
        }
    }
}

pub fn check_all(outs: &[&Out], status: ds_status, call: &str) -> bool {
    let done = expect(status, call);
    for out in outs {
        out.check(done, call);
    }
    done
}

pub fn default_options() -> ds_options {
    let mut options = MaybeUninit::uninit();
    // SAFETY: written by the call.
    unsafe {
        ds_options_init(options.as_mut_ptr());
        options.assume_init()
    }
}

pub struct Session {
    pub model: *const ds_model,
    pub sim: *mut ds_sim,
    pub q: Vec<f64>,
    pub v: Vec<f64>,
    pub nu: usize,
    np: usize,
}

impl Drop for Session {
    fn drop(&mut self) {
        // SAFETY: made by the library, released once.
        unsafe { ds_sim_free(self.sim) };
    }
}

impl Session {
    pub fn ordinary(model: *const ds_model, contact: i32) -> Option<Session> {
        let mut options = default_options();
        options.contact = contact;
        options.max_contacts = 32;
        Session::new(model, &options)
    }

    pub fn new(model: *const ds_model, options: &ds_options) -> Option<Session> {
        let mut sim = null_mut();
        // SAFETY: a live model, a complete struct, a place.
        let status = unsafe { ds_sim_create(model, options, &raw mut sim) };
        if !expect(status, "ds_sim_create") {
            assert!(sim.is_null(), "a sim from a call that failed");
            return None;
        }
        // SAFETY: a live model.
        let (nq, nv, nu) = unsafe { (ds_model_nq(model), ds_model_nv(model), ds_model_nu(model)) };
        let mut q = Out::new(nq);
        // SAFETY: nq numbers.
        let status = unsafe { diffsim::capi::configuration::ds_model_neutral(model, q.at()) };
        check_all(&[&q], status, "ds_model_neutral");
        Some(Session {
            model,
            sim,
            q: q.0,
            v: vec![0.0; nv],
            nu,
            np: 0,
        })
    }

    fn nv(&self) -> usize {
        self.v.len()
    }

    fn contacts(&self) -> usize {
        let (mut list, mut count) = (null(), 0);
        // SAFETY: a live sim and places.
        let status = unsafe { ds_sim_contacts(self.sim, &raw mut list, &raw mut count) };
        if !expect(status, "ds_sim_contacts") {
            return 0;
        }
        if count > 0 {
            // SAFETY: as the header says.
            for c in unsafe { std::slice::from_raw_parts(list, count) } {
                let numbers = [c.point, c.normal, c.impulse, c.velocity];
                let finite = numbers.iter().flatten().chain(&c.tangents).chain([&c.gap]);
                assert!(
                    finite.into_iter().all(|x| x.is_finite()),
                    "a contact: {numbers:?} {}",
                    c.gap
                );
            }
        }
        count
    }

    pub fn step_and_differentiate(&mut self, s: &mut Source) {
        for kind in [0, 0, 1, 2, 3, 4, 9, 10, 11, 0, 1, 6, 16] {
            self.call(kind, s);
        }
    }

    /// One of [`Session::CALLS`] calls.
    pub fn call(&mut self, kind: usize, s: &mut Source) {
        // SAFETY: every pointer is null or to memory of the size that the header asks for.
        unsafe {
            match kind {
                0 => self.step(s),
                1 => self.jacobians(s),
                2 => self.jvp(s),
                3 => self.vjp(s),
                4 => self.impulses(s),
                5 => self.smoothed(s),
                6 => self.memory(s),
                7 => self.select(s),
                8 => self.parameters(s),
                9 => self.collide(s),
                10 => self.contact_derivatives(),
                11 => self.distance(s),
                12 => self.filters(s),
                13 => self.wrench(s),
                14 => self.relaxed(),
                15 => {
                    expect(ds_sim_reset(self.sim), "ds_sim_reset");
                }
                16 => self.dynamics(s),
                17 => self.dynamics_derivatives(s),
                _ => self.forces(s),
            }
        }
    }

    pub const CALLS: usize = 19;

    unsafe fn step(&mut self, s: &mut Source) {
        let (q, v, u) = (
            s.near(&self.q),
            s.near(&self.v),
            s.near(&vec![0.3; self.nu]),
        );
        let (mut a, mut b) = (Out::new(q.len()), Out::new(v.len()));
        let status =
            unsafe { ds_sim_step(self.sim, q.as_ptr(), v.as_ptr(), u.as_ptr(), a.at(), b.at()) };
        if check_all(&[&a, &b], status, "ds_sim_step") {
            (self.q, self.v) = (a.0, b.0);
        }
        let mut info = MaybeUninit::uninit();
        if expect(
            unsafe { ds_sim_step_info(self.sim, info.as_mut_ptr()) },
            "ds_sim_step_info",
        ) {
            let info: ds_step_info = unsafe { info.assume_init() };
            assert!(
                // A problem that no iterate came near may leave infinity, never as a solution.
                !info.residual.is_nan()
                    && (info.residual.is_finite() || info.converged == 0)
                    && !info.switch_distance.is_nan(),
                "residual {}, switch distance {}, converged {}",
                info.residual,
                info.switch_distance,
                info.converged
            );
        }
        self.contacts();
    }

    unsafe fn jacobians(&mut self, s: &mut Source) {
        let (nv, wanted) = (self.nv(), s.byte());
        let columns = [nv, nv, self.nu, self.np];
        let mut outs: Vec<Out> = (0..8).map(|i| Out::new(nv * columns[i % 4])).collect();
        let mut at = |i: usize| {
            let skipped = wanted >= 128 && wanted >> (i % 7) & 1 == 1;
            if skipped {
                outs[i].0.clear();
                null_mut()
            } else {
                outs[i].at()
            }
        };
        let out = ds_step_jacobians {
            dq_dq: at(0),
            dq_dv: at(1),
            dq_du: at(2),
            dq_dp: at(3),
            dv_dq: at(4),
            dv_dv: at(5),
            dv_du: at(6),
            dv_dp: at(7),
        };
        let status = unsafe { ds_sim_step_jacobians(self.sim, &raw const out) };
        let all: Vec<&Out> = outs.iter().collect();
        check_all(&all, status, "ds_sim_step_jacobians");
    }

    unsafe fn jvp(&mut self, s: &mut Source) {
        let (nv, one) = (self.nv(), [1.0; 64]);
        let mut direction = |n: usize| s.near(&one[..n.min(64)]);
        let (dq, dv, du, dp) = (
            direction(nv),
            direction(nv),
            direction(self.nu),
            direction(self.np),
        );
        if nv > 64 || self.nu > 64 || self.np > 64 {
            return;
        }
        let (mut a, mut b) = (Out::new(nv), Out::new(nv));
        let status = unsafe {
            ds_sim_step_jvp(
                self.sim,
                dq.as_ptr(),
                dv.as_ptr(),
                du.as_ptr(),
                dp.as_ptr(),
                a.at(),
                b.at(),
            )
        };
        check_all(&[&a, &b], status, "ds_sim_step_jvp");
    }

    unsafe fn vjp(&mut self, s: &mut Source) {
        let nv = self.nv();
        let (a, b) = (s.near(&vec![1.0; nv]), s.near(&vec![-0.5; nv]));
        let mut outs = [nv, nv, self.nu, self.np].map(Out::new);
        let [q, v, u, p] = outs.each_mut().map(Out::at);
        let status = unsafe { ds_sim_step_vjp(self.sim, a.as_ptr(), b.as_ptr(), q, v, u, p) };
        check_all(&outs.each_ref(), status, "ds_sim_step_vjp");
        let mut outs = [nv, nv, self.nu, self.np].map(Out::new);
        let [q, v, u, p] = outs.each_mut().map(Out::at);
        let mut which = -1;
        let (a, b) = (a.as_ptr(), b.as_ptr());
        let status = unsafe { ds_sim_step_vjp_aware(self.sim, a, b, q, v, u, p, &raw mut which) };
        let done = check_all(&outs.each_ref(), status, "ds_sim_step_vjp_aware");
        assert!(if done { which >> 1 == 0 } else { which == -1 });
    }

    unsafe fn impulses(&mut self, s: &mut Source) {
        let (nv, rows) = (self.nv(), 3 * self.contacts());
        let mut unique = -1;
        let mut outs = [nv, nv, self.nu, self.np].map(|n| Out::new(rows * n));
        let [q, v, u, p] = outs.each_mut().map(Out::at);
        let status = unsafe { ds_sim_impulse_jacobians(self.sim, q, v, u, p, &raw mut unique) };
        let done = check_all(&outs.each_ref(), status, "ds_sim_impulse_jacobians");
        assert!(done || unique == -1);
        let (dq, dv, mut out) = (s.numbers(nv), s.numbers(nv), Out::new(rows));
        let status = unsafe {
            ds_sim_impulse_jvp(
                self.sim,
                dq.as_ptr(),
                dv.as_ptr(),
                null(),
                null(),
                out.at(),
                &raw mut unique,
            )
        };
        check_all(&[&out], status, "ds_sim_impulse_jvp");
        let bar = s.near(&vec![1.0; rows]);
        let mut outs = [nv, nv, self.nu, self.np].map(Out::new);
        let [q, v, u, p] = outs.each_mut().map(Out::at);
        let status =
            unsafe { ds_sim_impulse_vjp(self.sim, bar.as_ptr(), q, v, u, p, &raw mut unique) };
        check_all(&outs.each_ref(), status, "ds_sim_impulse_vjp");
    }

    unsafe fn smoothed(&mut self, s: &mut Source) {
        let mut options = MaybeUninit::<ds_smoothing>::uninit();
        let mut options = unsafe {
            ds_smoothing_init(options.as_mut_ptr());
            options.assume_init()
        };
        options.method = s.id(3);
        options.pairs = s.below(4);
        if s.once_in(2) {
            options.width_q = s.size() * 1e-2;
            options.width_v = s.size() * 1e-2;
            options.kappa = s.size() * 1e-4;
            options.reach = s.size();
        }
        let nv = self.nv();
        let (mut a, mut b) = (Out::new(nv * nv), Out::new(nv * nv));
        let out = ds_step_jacobians {
            dq_dq: a.at(),
            dq_dv: null_mut(),
            dq_du: null_mut(),
            dq_dp: null_mut(),
            dv_dq: null_mut(),
            dv_dv: b.at(),
            dv_du: null_mut(),
            dv_dp: null_mut(),
        };
        let status = unsafe {
            ds_sim_smoothed_jacobians(self.sim, &raw const options, &raw const out, null_mut())
        };
        check_all(&[&a, &b], status, "ds_sim_smoothed_jacobians");
    }

    unsafe fn relaxed(&mut self) {
        let mut options = MaybeUninit::<ds_smoothing>::uninit();
        let mut options = unsafe {
            ds_smoothing_init(options.as_mut_ptr());
            options.assume_init()
        };
        options.method = 2;
        let (mut a, mut b) = (Out::new(self.q.len()), Out::new(self.nv()));
        let status = unsafe { ds_sim_relaxed_step(self.sim, &raw const options, a.at(), b.at()) };
        check_all(&[&a, &b], status, "ds_sim_relaxed_step");
    }

    unsafe fn memory(&mut self, s: &mut Source) {
        let mut warm = Out::new(unsafe { ds_sim_memory_size(self.sim) });
        let status = unsafe { ds_sim_get_memory(self.sim, warm.at()) };
        assert!(expect(status, "ds_sim_get_memory"));
        let mut warm = warm.0;
        if s.once_in(2) && !warm.is_empty() {
            let at = (256 * s.below(256) + s.below(256)) % warm.len();
            warm[at] = s.number();
        }
        expect(
            unsafe { ds_sim_set_memory(self.sim, warm.as_ptr()) },
            "ds_sim_set_memory",
        );
    }

    unsafe fn select(&mut self, s: &mut Source) {
        let list: Vec<ds_param> = (0..s.below(4))
            .map(|_| ds_param {
                kind: s.id(16),
                index: s.id(4),
                component: s.id(6),
            })
            .collect();
        let status = unsafe { ds_sim_select_params(self.sim, list.as_ptr(), list.len()) };
        if expect(status, "ds_sim_select_params") {
            self.np = list.len();
        }
        assert_eq!(unsafe { ds_sim_np(self.sim) }, self.np);
    }

    unsafe fn parameters(&mut self, s: &mut Source) {
        let mut p = Out::new(self.np);
        assert!(expect(
            unsafe { ds_sim_get_params(self.sim, p.at()) },
            "ds_sim_get_params"
        ));
        let new: Vec<f64> =
            p.0.iter()
                .map(|x| if s.once_in(2) { s.size() } else { *x })
                .collect();
        let done = expect(
            unsafe { ds_sim_set_params(self.sim, new.as_ptr()) },
            "ds_sim_set_params",
        );
        let mut now = Out::new(self.np);
        unsafe { ds_sim_get_params(self.sim, now.at()) };
        if !done {
            let bits = |x: &[f64]| x.iter().map(|x| x.to_bits()).collect::<Vec<_>>();
            assert_eq!(
                bits(&now.0),
                bits(&p.0),
                "parameters set by a call that failed"
            );
        }
    }

    unsafe fn collide(&mut self, s: &mut Source) {
        let q = s.near(&self.q);
        expect(
            unsafe { ds_sim_collide(self.sim, q.as_ptr()) },
            "ds_sim_collide",
        );
        self.contacts();
    }

    unsafe fn contact_derivatives(&mut self) {
        let n = self.nv() * self.contacts();
        let mut outs = [3 * n, 3 * n, 6 * n, n].map(Out::new);
        let [a, b, c, d] = outs.each_mut().map(Out::at);
        let status = unsafe { ds_sim_contact_derivatives(self.sim, a, b, c, d, null_mut()) };
        check_all(&outs.each_ref(), status, "ds_sim_contact_derivatives");
    }

    unsafe fn distance(&mut self, s: &mut Source) {
        let ngeom = unsafe { ds_model_ngeom(self.model) };
        let (a, b, q) = (s.id(ngeom), s.id(ngeom), s.near(&self.q));
        let (mut found, mut g) = (MaybeUninit::<ds_distance>::uninit(), Out::new(self.nv()));
        let status =
            unsafe { ds_sim_distance(self.sim, a, b, q.as_ptr(), found.as_mut_ptr(), g.at()) };
        if check_all(&[&g], status, "ds_sim_distance") {
            let d = unsafe { found.assume_init() };
            let numbers = [d.point_a, d.point_b, d.normal];
            let all = numbers.iter().flatten().chain([&d.distance]);
            assert!(all.into_iter().all(|x| x.is_finite()), "ds_sim_distance");
        }
        let mut options = MaybeUninit::<ds_distance_smoothing>::uninit();
        let mut options = unsafe {
            ds_distance_smoothing_init(options.as_mut_ptr());
            options.assume_init()
        };
        options.pairs = 1 + s.below(3);
        options.method = s.id(2);
        if s.once_in(4) {
            options.width_linear = s.size();
        }
        let mut found = MaybeUninit::<ds_smoothed_distance>::uninit();
        let nv = self.nv();
        let mut outs = [nv, 3 * nv, 3 * nv].map(Out::new);
        let [x, y, z] = outs.each_mut().map(Out::at);
        let status = unsafe {
            ds_sim_smoothed_distance(
                self.sim,
                a,
                b,
                q.as_ptr(),
                &raw const options,
                found.as_mut_ptr(),
                x,
                y,
                z,
            )
        };
        check_all(&outs.each_ref(), status, "ds_sim_smoothed_distance");
    }

    unsafe fn filters(&mut self, s: &mut Source) {
        let ngeom = unsafe { ds_model_ngeom(self.model) };
        let (a, b, on) = (s.id(ngeom), s.id(ngeom), s.id(2));
        expect(
            unsafe { ds_sim_set_pair_enabled(self.sim, a, b, on) },
            "ds_sim_set_pair_enabled",
        );
    }

    unsafe fn wrench(&mut self, s: &mut Source) {
        let (body, wrench) = (s.id(3), s.array::<6>());
        expect(
            unsafe { ds_sim_set_external_wrench(self.sim, body, wrench.as_ptr()) },
            "ds_sim_set_external_wrench",
        );
    }

    unsafe fn dynamics(&mut self, s: &mut Source) {
        let (nv, nbody) = (self.nv(), unsafe { ds_model_nbody(self.model) });
        let (q, v, x) = (s.near(&self.q), s.near(&self.v), s.near(&vec![0.1; nv]));
        let (sim, q, v, x) = (self.sim, q.as_ptr(), v.as_ptr(), x.as_ptr());
        let mut out = Out::new(16 * nbody);
        let status = unsafe { ds_forward_kinematics(sim, q, out.at()) };
        check_all(&[&out], status, "ds_forward_kinematics");
        let mut out = Out::new(nv);
        let status = unsafe { ds_inverse_dynamics(sim, q, v, x, out.at()) };
        check_all(&[&out], status, "ds_inverse_dynamics");
        let mut out = Out::new(nv);
        let status = unsafe { ds_forward_dynamics(sim, q, v, x, out.at()) };
        check_all(&[&out], status, "ds_forward_dynamics");
        let mut out = Out::new(nv * nv);
        let status = unsafe { ds_mass_matrix(sim, q, out.at()) };
        check_all(&[&out], status, "ds_mass_matrix");
        let (mut out, point, body) = (Out::new(6 * nv), s.array::<3>(), s.id(nbody));
        let status = unsafe { ds_body_jacobian(sim, q, body, point.as_ptr(), out.at()) };
        check_all(&[&out], status, "ds_body_jacobian");
        let (mut a, mut b) = (Out::new(1), Out::new(1));
        let status = unsafe { ds_energy(sim, q, v, a.at(), b.at()) };
        check_all(&[&a, &b], status, "ds_energy");
        let (mut a, mut b, mut c) = (Out::new(1), Out::new(3), Out::new(3 * nv));
        let status = unsafe { ds_center_of_mass(sim, q, a.at(), b.at(), c.at()) };
        check_all(&[&a, &b, &c], status, "ds_center_of_mass");
        let mut out = Out::new(6);
        let status = unsafe { ds_momentum(sim, q, v, point.as_ptr(), out.at()) };
        check_all(&[&out], status, "ds_momentum");
    }

    unsafe fn dynamics_derivatives(&mut self, s: &mut Source) {
        let nv = self.nv();
        let (q, v, x) = (s.near(&self.q), s.near(&self.v), s.near(&vec![0.1; nv]));
        let (sim, q, v, x) = (self.sim, q.as_ptr(), v.as_ptr(), x.as_ptr());
        let (mut a, mut b, mut c) = (Out::new(nv * nv), Out::new(nv * nv), Out::new(nv * nv));
        let status = unsafe { ds_inverse_dynamics_derivatives(sim, q, v, x, a.at(), b.at()) };
        check_all(&[&a, &b], status, "ds_inverse_dynamics_derivatives");
        let (mut a, mut b) = (Out::new(nv * nv), Out::new(nv * nv));
        let status =
            unsafe { ds_forward_dynamics_derivatives(sim, q, v, x, a.at(), b.at(), c.at()) };
        check_all(&[&a, &b, &c], status, "ds_forward_dynamics_derivatives");
        let prescribed: Vec<i32> = (0..nv).map(|_| i32::from(s.once_in(2))).collect();
        let (mut tau, mut acc) = (s.near(&vec![0.1; nv]), s.near(&vec![0.1; nv]));
        let before = (tau.clone(), acc.clone());
        let status = unsafe {
            ds_hybrid_dynamics(
                sim,
                q,
                v,
                prescribed.as_ptr(),
                tau.as_mut_ptr(),
                acc.as_mut_ptr(),
            )
        };
        let same = |a: &[f64], b: &[f64]| a.iter().zip(b).all(|(a, b)| a.to_bits() == b.to_bits());
        if expect(status, "ds_hybrid_dynamics") {
            assert!(tau.iter().chain(&acc).all(|x| x.is_finite()));
        } else {
            assert!(
                same(&tau, &before.0) && same(&acc, &before.1),
                "hybrid wrote"
            );
        }
    }
}
