//! Sequences of calls about a state, with sensors, rays and prescribed velocities, and plans of inputs.

use super::calls::{loaded, options};
use super::session::{Out, Session, check_all, expect};
use super::source::Source;
use diffsim::capi::control::*;
use diffsim::capi::forward::*;
use diffsim::capi::model::{ds_model_nbody, ds_model_ngeom};
use diffsim::capi::options::ds_options;
use diffsim::capi::prescribe::*;
use diffsim::capi::rays::*;
use diffsim::capi::report::ds_gradient;
use diffsim::capi::sensors::*;
use std::mem::MaybeUninit;
use std::ptr::{null, null_mut};

const MODELS: [&str; 5] = [
    "<mujoco><worldbody><geom name='g' type='plane' size='0 0 1'/><body name='b' pos='0 0 .1'><freejoint/><geom name='o' size='.1'/>\
     <site name='s' euler='180 0 0' type='box' size='.2 .2 .2'/></body></worldbody><sensor><framepos objtype='site' objname='s'/>\
     <framequat objtype='site' objname='s'/><accelerometer site='s'/><gyro site='s'/><touch site='s'/><force site='s'/><torque \
     site='s'/><rangefinder site='s'/><subtreeangmom body='b'/><framelinacc objtype='xbody' objname='b'/></sensor></mujoco>",
    "<mujoco><worldbody><geom type='plane' size='0 0 1' pos='0 0 -.5'/><body name='a'><joint name='j' axis='0 1 0' range='-1 1' \
     damping='.1'/><geom type='capsule' size='.03 .2' pos='0 0 -.2'/><site name='s'/><body name='b' pos='0 0 -.4'><joint name='k' \
     axis='0 1 0' frictionloss='.1'/><geom type='capsule' size='.03 .2' pos='0 0 -.2'/><site name='e' pos='0 0 -.2'/></body></body>\
     </worldbody><tendon><spatial name='t' range='0 .7'><site site='s'/><site site='e'/></spatial></tendon><actuator><motor \
     joint='j'/><position name='p' tendon='t' kp='3'/></actuator><sensor><jointlimitpos joint='j'/><jointlimitfrc joint='j' \
     cutoff='2'/><jointactuatorfrc joint='j'/><tendonpos tendon='t'/><tendonvel tendon='t'/><tendonlimitpos tendon='t'/>\
     <tendonlimitvel tendon='t'/><tendonlimitfrc tendon='t'/><actuatorfrc actuator='p'/><velocimeter site='e'/><magnetometer \
     site='e'/><rangefinder site='e' cutoff='1'/><framelinvel objtype='site' objname='e' reftype='site' refname='s'/></sensor></mujoco>",
    "<mujoco><asset><hfield name='h' nrow='3' ncol='3' size='1 1 .2 .1' elevation='0 1 0 1 0 1 0 0 1'/><mesh name='m' vertex='0 0 0 .1 \
     0 0 0 .1 0 0 0 .1 .1 .1 .1'/></asset><worldbody><geom type='hfield' hfield='h'/><body pos='.1 .1 .3'><freejoint/><geom \
     type='mesh' mesh='m'/><site name='s' euler='170 0 0'/></body><body pos='.5 0 .5'><joint name='q' type='ball'/><geom \
     type='ellipsoid' size='.1 .2 .3'/></body><geom type='cylinder' size='.2 .3' pos='-1 0 0'/><geom type='capsule' size='.2 .3' \
     pos='-2 0 0'/><geom type='box' size='.2 .3 .4' pos='-3 0 0'/></worldbody><sensor><rangefinder site='s'/><ballquat joint='q'/>\
     <ballangvel joint='q'/></sensor></mujoco>",
    "<mujoco><worldbody><body mocap='true' pos='0 0 -.1'><geom type='box' size='.3 .3 .1'/></body><body pos='0 0 .1'><freejoint/><geom \
     size='.1'/></body><body><joint name='x' type='slide'/><geom size='.1' pos='2 0 0'/></body></worldbody><actuator><motor joint='x' \
     ctrlrange='-1 1' ctrllimited='true'/></actuator></mujoco>",
    "<mujoco/>",
];

pub fn run(data: &[u8]) {
    let s = &mut Source::new(data);
    let Some(made) = loaded(MODELS[s.below(MODELS.len())], s) else {
        return;
    };
    let mut options = options(s);
    options.velocity_limits = i32::from(s.once_in(4));
    if let Some(mut session) = Session::new(made.model, &options) {
        for _ in 0..30 {
            if s.is_empty() {
                break;
            }
            session.ask(s);
        }
        if s.once_in(3) {
            plan(&session, &options, s);
        }
    }
    if s.once_in(3) {
        regulator(s);
    }
}

impl Session {
    fn ask(&mut self, s: &mut Source) {
        // SAFETY: every pointer is null or to memory of the size that the header asks for.
        unsafe {
            match s.below(10) {
                0 | 1 => self.call(0, s),
                2 => self.call(1, s),
                3 => self.call(3, s),
                4 => self.prescribe(s),
                5 => self.rays(s),
                6 => self.sense(s),
                7 => self.forward(s),
                8 => self.inverse(s),
                _ => self.call(15, s),
            }
        }
    }

    unsafe fn prescribe(&mut self, s: &mut Source) {
        let (nv, sim) = (self.v.len(), self.sim);
        let before = unsafe { self.prescribed() };
        let (dof, velocity) = (s.id(nv), if s.once_in(4) { f64::NAN } else { s.number() });
        let done = expect(
            unsafe { ds_sim_prescribe(sim, dof, velocity) },
            "ds_sim_prescribe",
        );
        let after = unsafe { self.prescribed() };
        for (k, (a, b)) in before.iter().zip(&after).enumerate() {
            let set = done && k as i32 == dof;
            let wanted = if set { velocity } else { *a };
            assert!(
                wanted.to_bits() == b.to_bits() || wanted.is_nan() && b.is_nan(),
                "ds_sim_prescribe: dof {k} has {b}"
            );
        }
        let mut out = Out::new(nv);
        let status = unsafe { ds_sim_prescribed_impulses(sim, out.at()) };
        check_all(&[&out], status, "ds_sim_prescribed_impulses");
    }

    unsafe fn prescribed(&self) -> Vec<f64> {
        let mut out = vec![0.0; self.v.len()];
        let status = unsafe { ds_sim_prescribed_velocities(self.sim, out.as_mut_ptr()) };
        assert!(expect(status, "ds_sim_prescribed_velocities"));
        out
    }

    unsafe fn rays(&mut self, s: &mut Source) {
        let (nv, n, q) = (self.v.len(), s.below(4), s.near(&self.q));
        let origins = s.near(&[-1.0, 0.1, 0.6].repeat(n));
        let directions = s.near(&[0.3, 0.1, -1.0].repeat(n));
        let most = if s.once_in(2) {
            f64::INFINITY
        } else {
            s.size()
        };
        let nbody = unsafe { ds_model_nbody(self.model) };
        let body = if s.once_in(2) { -1 } else { s.id(nbody) };
        let mut outs = [n, 3 * n, nv * n].map(Out::new);
        let [distances, normals, slopes] = outs.each_mut().map(Out::at);
        let mut geoms = vec![-7; n];
        let mut kinds = vec![ds_gradient::DS_GRADIENT_SMOOTHED; n];
        let status = unsafe {
            ds_sim_ray_casts(
                self.sim,
                q.as_ptr(),
                n,
                origins.as_ptr(),
                directions.as_ptr(),
                most,
                body,
                distances,
                normals,
                geoms.as_mut_ptr(),
                slopes,
                kinds.as_mut_ptr(),
            )
        };
        let done = check_all(&outs.each_ref(), status, "ds_sim_ray_casts");
        let ngeom = unsafe { ds_model_ngeom(self.model) } as i32;
        for (geom, distance) in geoms.iter().zip(&outs[0].0) {
            let told = (-1..ngeom).contains(geom) && (*geom < 0) == (*distance == -1.0);
            assert!(
                if done { told } else { *geom == -7 },
                "geom {geom} at {distance}"
            );
            assert!(!done || *distance <= most, "{distance} beyond {most}");
        }
    }

    unsafe fn sense(&mut self, s: &mut Source) {
        let (nv, nu) = (self.v.len(), self.nu);
        let n = unsafe { ds_model_nsensordata(self.model) };
        let (q, v, u) = (s.near(&self.q), s.near(&self.v), s.near(&vec![0.3; nu]));
        let (sim, q, v, u) = (self.sim, q.as_ptr(), v.as_ptr(), u.as_ptr());
        let mut out = Out::new(n);
        let status = unsafe { ds_sim_sensors(sim, q, v, u, out.at()) };
        check_all(&[&out], status, "ds_sim_sensors");
        let mut outs = [n * nv, n * nv, n * nu].map(Out::new);
        let [a, b, c] = outs.each_mut().map(Out::at);
        let status = unsafe { ds_sim_sensor_jacobians(sim, q, v, u, a, b, c, null_mut()) };
        check_all(&outs.each_ref(), status, "ds_sim_sensor_jacobians");
        let bar = s.near(&vec![1.0; n]);
        let mut outs = [nv, nv, nu].map(Out::new);
        let [a, b, c] = outs.each_mut().map(Out::at);
        let mut kind = ds_gradient::DS_GRADIENT_EXACT;
        let status =
            unsafe { ds_sim_sensor_vjp(sim, q, v, u, bar.as_ptr(), a, b, c, &raw mut kind) };
        check_all(&outs.each_ref(), status, "ds_sim_sensor_vjp");
    }

    unsafe fn forward(&mut self, s: &mut Source) {
        let (nv, nu) = (self.v.len(), self.nu);
        let (q, v, u) = (s.near(&self.q), s.near(&self.v), s.near(&vec![0.3; nu]));
        let (sim, q, v, u) = (self.sim, q.as_ptr(), v.as_ptr(), u.as_ptr());
        let mut out = Out::new(nv);
        let status = unsafe { ds_sim_forward(sim, q, v, u, out.at()) };
        check_all(&[&out], status, "ds_sim_forward");
        let mut outs = [nv * nv, nv * nv, nv * nu].map(Out::new);
        let [a, b, c] = outs.each_mut().map(Out::at);
        let status = unsafe { ds_sim_acceleration_jacobians(sim, a, b, c, null_mut()) };
        check_all(&outs.each_ref(), status, "ds_sim_acceleration_jacobians");
        let bar = s.near(&vec![1.0; nv]);
        let mut outs = [nv, nv, nu].map(Out::new);
        let [a, b, c] = outs.each_mut().map(Out::at);
        let status = unsafe { ds_sim_acceleration_vjp(sim, bar.as_ptr(), a, b, c, null_mut()) };
        check_all(&outs.each_ref(), status, "ds_sim_acceleration_vjp");
        let mut out = Out::new(6 * unsafe { ds_model_nbody(self.model) });
        let status = unsafe { ds_sim_body_contact_wrenches(sim, out.at()) };
        check_all(&[&out], status, "ds_sim_body_contact_wrenches");
    }

    unsafe fn inverse(&mut self, s: &mut Source) {
        let nv = self.v.len();
        let (q, v, a) = (s.near(&self.q), s.near(&self.v), s.near(&vec![0.1; nv]));
        let u = s.near(&vec![0.3; self.nu]);
        let (sim, q, v, a) = (self.sim, q.as_ptr(), v.as_ptr(), a.as_ptr());
        let u = if s.once_in(2) { u.as_ptr() } else { null() };
        let mut out = Out::new(nv);
        let status = unsafe { ds_sim_inverse(sim, q, v, u, a, out.at()) };
        check_all(&[&out], status, "ds_sim_inverse");
        let mut outs = [nv * nv; 3].map(Out::new);
        let [x, y, z] = outs.each_mut().map(Out::at);
        let status = unsafe { ds_sim_inverse_jacobians(sim, x, y, z) };
        check_all(&outs.each_ref(), status, "ds_sim_inverse_jacobians");
    }
}

fn plan(session: &Session, step: &ds_options, s: &mut Source) {
    let (nq, nv, nu) = (session.q.len(), session.v.len(), session.nu);
    let (mut p, mut options) = (null_mut(), MaybeUninit::<ds_ilqr_options>::uninit());
    // SAFETY: every pointer is null or to memory of the size that the header asks for.
    unsafe {
        ds_ilqr_options_init(options.as_mut_ptr());
        let mut options = options.assume_init();
        options.max_iterations = s.count(4);
        if s.once_in(4) {
            options.tolerance = s.number();
        }
        let steps = s.count(4);
        let status = ds_ilqr_create(session.model, step, steps, &raw const options, &raw mut p);
        if !expect(status, "ds_ilqr_create") {
            assert!(p.is_null(), "a plan from a call that failed");
            return;
        }
        assert_eq!(ds_ilqr_steps(p), steps);
        for _ in 0..s.below(5) {
            let (q, v, u) = (
                s.near(&session.q),
                s.near(&session.v),
                s.near(&vec![0.1; nu]),
            );
            let (q, v) = (q.as_ptr(), v.as_ptr());
            match s.below(5) {
                0 => {
                    let (x, e) = (s.near(&vec![1.0; 2 * nv]), s.near(&vec![2.0; 2 * nv]));
                    let status = ds_ilqr_set_weights(p, x.as_ptr(), e.as_ptr(), u.as_ptr());
                    expect(status, "ds_ilqr_set_weights");
                }
                1 => {
                    let node = s.id(steps + 1);
                    let status = ds_ilqr_set_reference(p, node, q, v, u.as_ptr());
                    expect(status, "ds_ilqr_set_reference");
                }
                2 => {
                    let (low, high) = (s.near(&vec![-0.5; nu]), s.near(&vec![0.5; nu]));
                    let status = ds_ilqr_set_input_bounds(p, low.as_ptr(), high.as_ptr());
                    expect(status, "ds_ilqr_set_input_bounds");
                }
                _ => {
                    let given = s.near(&vec![0.2; nu * steps]);
                    let mut inputs = given.clone();
                    let mut told = MaybeUninit::<ds_ilqr_info>::uninit();
                    let at = (inputs.as_mut_ptr(), told.as_mut_ptr());
                    let status = ds_ilqr_solve(p, q, v, at.0, at.1);
                    if expect(status, "ds_ilqr_solve") {
                        let told = told.assume_init();
                        assert!(
                            inputs.iter().all(|x| x.is_finite()),
                            "ds_ilqr_solve: {inputs:?}"
                        );
                        assert!(
                            told.cost <= told.first_cost,
                            "{} {}",
                            told.cost,
                            told.first_cost
                        );
                    } else {
                        let same = inputs
                            .iter()
                            .zip(&given)
                            .all(|(a, b)| a.to_bits() == b.to_bits());
                        assert!(same, "ds_ilqr_solve wrote and failed");
                    }
                }
            }
            let mut outs = [nq * (steps + 1), nv * (steps + 1)].map(Out::new);
            let [a, b] = outs.each_mut().map(Out::at);
            check_all(&outs.each_ref(), ds_ilqr_states(p, a, b), "ds_ilqr_states");
            let mut gains = Out::new(2 * nv * nu);
            let status = ds_ilqr_gains(p, s.count(steps), gains.at());
            check_all(&[&gains], status, "ds_ilqr_gains");
        }
        ds_ilqr_free(p);
    }
}

fn regulator(s: &mut Source) {
    let (nx, nu) = (s.below(4), s.below(3));
    let eye = |n: usize| -> Vec<f64> {
        let entry = |k: usize| f64::from(u8::from(k % n == k / n));
        (0..n * n).map(entry).collect()
    };
    let (a, b) = (s.near(&eye(nx)), s.near(&vec![0.4; nx * nu]));
    let (q, r) = (s.near(&eye(nx)), s.near(&eye(nu)));
    let mut outs = [nu * nx, nx * nx].map(Out::new);
    let [k, p] = outs.each_mut().map(Out::at);
    let given = [&a, &b, &q, &r].map(|x| x.as_ptr());
    // SAFETY: matrices of these sizes.
    let status = unsafe { ds_lqr(nx, nu, given[0], given[1], given[2], given[3], k, p) };
    check_all(&outs.each_ref(), status, "ds_lqr");
}
