//! After creation no call of the C interface that runs in a control loop touches the heap.

#![allow(non_snake_case)]

use allocation_counter::measure;
use diffsim::capi::{
    act::*, batch::*, batch_episodes::*, batch_rollout::*, centroidal::*, configuration::*,
    contacts::*, derivatives::*, dynamics::*, forces::*, forward::*, load::*, model::*, motion::*,
    options::*, params::*, prescribe::*, problem::*, rays::*, rollout::*, sensors::*, sim::*,
    status::ds_status, terms::*,
};
use std::ffi::CString;
use std::ptr::{null, null_mut};

const STEPS: usize = 12;

/// Everything that a call may need, made before anything is measured.
struct Bench {
    model: *mut ds_model,
    sim: *mut ds_sim,
    rollout: *mut ds_rollout,
    q: Vec<f64>,
    v: Vec<f64>,
    u: Vec<f64>,
    flags: Vec<i32>,
    wrench: [f64; 6],
    out: [Vec<f64>; 8],
}

fn ok(status: ds_status) {
    assert_eq!(status, ds_status::DS_OK);
}

impl Bench {
    fn new(file: &str, base: ds_base, interval: usize, law: ds_contact_law) -> Bench {
        let path = format!("{}/examples/models/{file}", env!("CARGO_MANIFEST_DIR"));
        let path = CString::new(path).unwrap();
        let (mut model, mut sim, mut rollout) = (null_mut(), null_mut(), null_mut());
        // SAFETY: every pointer is to a live object of the right size.
        unsafe {
            let mut load = std::mem::zeroed();
            ds_load_options_init(&mut load);
            load.actuation = ds_actuation::DS_ACTUATION_FULL as i32;
            load.base = base as i32;
            ok(ds_model_load(path.as_ptr(), &load, &mut model));
            let mut options = std::mem::zeroed();
            ds_options_init(&mut options);
            options.checkpoint_interval = interval;
            options.contact = law as i32;
            options.aware_gradient = i32::from(interval > 1);
            ok(ds_sim_create(model, &options, &mut sim));
            ok(ds_rollout_create(model, &options, STEPS, &mut rollout));
            let params = [
                (ds_param_kind::DS_PARAM_BODY_INERTIA, 2, 1),
                (ds_param_kind::DS_PARAM_JOINT_DAMPING, 1, 0),
                (ds_param_kind::DS_PARAM_JOINT_PLACEMENT, 2, 4),
            ]
            .map(|(kind, index, component)| ds_param {
                kind: kind as i32,
                index,
                component,
            });
            ok(ds_sim_select_params(sim, params.as_ptr(), params.len()));
            ok(ds_rollout_select_params(
                rollout,
                params.as_ptr(),
                params.len(),
            ));
            let (nq, nv, nbody) = (
                ds_model_nq(model),
                ds_model_nv(model),
                ds_model_nbody(model),
            );
            let mut q = vec![0.0; nq];
            ok(ds_model_neutral(model, q.as_mut_ptr()));
            let size = (16 * nbody)
                .max(10 * nv * nbody)
                .max((nq.max(nv) + 1) * (STEPS + 1))
                .max(nv * nv)
                .max(ds_sim_memory_size(sim));
            Bench {
                q,
                v: (0..nv).map(|i| 0.1 * i as f64).collect(),
                u: vec![0.3; nv * STEPS],
                flags: (0..nv).map(|i| i as i32 % 2).collect(),
                wrench: [1.0, 2.0, 3.0, 0.1, 0.2, 0.3],
                out: std::array::from_fn(|_| vec![0.0; size]),
                model,
                sim,
                rollout,
            }
        }
    }
}

impl Drop for Bench {
    fn drop(&mut self) {
        // SAFETY: made by the library and released once.
        unsafe {
            ds_rollout_free(self.rollout);
            ds_sim_free(self.sim);
            ds_model_free(self.model);
        }
    }
}

/// Runs each call and demands that it succeeds without the heap.
macro_rules! free_of_heap {
    ($($call:ident($($argument:expr),* $(,)?));* $(;)?) => {
        $({
            let mut status = ds_status::DS_ERR_INTERNAL;
            // SAFETY: the arguments are as long as the call says.
            let used = measure(|| status = unsafe { $call($($argument),*) });
            assert_eq!(status, ds_status::DS_OK, stringify!($call));
            assert_eq!((used.count_total, used.bytes_total), (0, 0), stringify!($call));
        })*
    };
}

fn every_call(file: &str, base: ds_base, interval: usize) {
    for law in [
        ds_contact_law::DS_CONTACT_NCP,
        ds_contact_law::DS_CONTACT_LCP,
        ds_contact_law::DS_CONTACT_CONVEX,
        ds_contact_law::DS_CONTACT_PENALTY,
    ] {
        every_call_of_a_law(file, base, interval, law);
    }
}

fn every_call_of_a_law(file: &str, base: ds_base, interval: usize, law: ds_contact_law) {
    let mut b = Bench::new(file, base, interval, law);
    let [x, y, z, a, c, d, e, f] = b.out.each_mut().map(|x| x.as_mut_ptr());
    let (model, sim, rollout) = (b.model, b.sim, b.rollout);
    let (q, v, u, w) = (b.q.as_ptr(), b.v.as_ptr(), b.u.as_ptr(), b.wrench.as_ptr());
    let all = ds_step_jacobians {
        dq_dq: x,
        dq_dv: y,
        dq_du: z,
        dq_dp: a,
        dv_dq: c,
        dv_dv: d,
        dv_du: e,
        dv_dp: f,
    };
    let (mut contacts, mut count, mut which) = (null(), 0, 0);
    free_of_heap! {
        ds_sim_set_external_wrench(sim, 1, w);
        ds_sim_step(sim, q, v, u, x, y);
        ds_sim_contacts(sim, &mut contacts, &mut count);
        ds_sim_contact_derivatives(sim, null_mut(), null_mut(), null_mut(), null_mut(), null_mut());
        ds_sim_step_jacobians(sim, &all);
        ds_sim_step_jvp(sim, v, v, v, w, x, y);
        ds_sim_step_vjp(sim, v, v, x, y, z, a);
        ds_sim_step_vjp_aware(sim, v, v, x, y, z, a, &mut which);
        ds_sim_aware_contacts(sim, &mut count);
        ds_sim_column_labels(sim, x.cast(), y.cast(), z.cast(), a.cast());
        ds_sim_get_params(sim, x);
        ds_sim_set_params(sim, x);
        ds_sim_get_memory(sim, y);
        ds_sim_set_memory(sim, y);
        ds_sim_reset(sim);
        ds_sim_collide(sim, q);
        ds_forward_kinematics(sim, q, x);
        ds_inverse_dynamics(sim, q, v, v, x);
        ds_forward_dynamics(sim, q, v, v, x);
        ds_hybrid_dynamics(sim, q, v, b.flags.as_ptr(), x, y);
        ds_mass_matrix(sim, q, x);
        ds_inverse_dynamics_derivatives(sim, q, v, v, x, y);
        ds_forward_dynamics_derivatives(sim, q, v, v, x, y, z);
        ds_body_jacobian(sim, q, 2, w, x);
        ds_energy(sim, q, v, x, y);
        ds_center_of_mass(sim, q, x, y, z);
        ds_momentum(sim, q, v, null(), x);
        ds_gravity_forces(sim, q, x, y);
        ds_bias_forces(sim, q, v, x);
        ds_coriolis_matrix(sim, q, v, x);
        ds_mass_matrix_inverse(sim, q, x);
        ds_inverse_dynamics_regressor(sim, q, v, v, x);
        ds_inverse_dynamics_with_wrenches(sim, q, v, v, &1, w, 1, x);
        ds_forward_dynamics_with_wrenches(sim, q, v, v, &1, w, 1, x);
        ds_center_of_mass_motion(sim, q, v, null(), x, y, z);
        ds_centroidal_momentum(sim, q, v, v, x, y);
        ds_centroidal_map(sim, q, x);
        ds_centroidal_derivatives(sim, q, v, v, x, y, z, a);
        ds_generalized_forces(sim, q, v, u, 255, x, y, z, a, null_mut());
        ds_actuator_states(sim, q, v, u, x, y, z, a, c, d, null_mut());
        ds_tendon_states(sim, q, v, x, y, z, a, c, null_mut());
        ds_body_velocities(sim, q, v, 0, x);
        ds_body_accelerations(sim, q, v, v, 1, x);
        ds_site_velocities(sim, q, v, 0, x);
        ds_site_accelerations(sim, q, v, v, 2, x);
        ds_body_jacobians(sim, q, 1, x);
        ds_frame_jacobian(sim, q, 2, null(), 0, x);
        ds_frame_jacobian_rate(sim, q, v, 2, null(), 1, x);
        ds_frame_velocity(sim, q, v, 2, null(), 2, x, y, z);
        ds_frame_acceleration(sim, q, v, v, 2, null(), 2, x, y, z, a);
        ds_rollout_run(rollout, q, v, u, STEPS, x, y);
        ds_rollout_run(rollout, q, v, u, STEPS, null_mut(), null_mut());
        ds_rollout_adjoint(rollout, x, y, z, a, c, d);
        ds_rollout_aware_report(rollout, &mut count, &mut count);
        ds_model_integrate(model, q, v, x);
        ds_model_difference(model, q, x, y);
        ds_model_v_to_mujoco(model, q, v, x);
        ds_sim_prescribe(sim, 1, 0.1);
        ds_sim_step(sim, q, v, u, x, y);
        ds_sim_prescribed_impulses(sim, x);
        ds_sim_prescribed_velocities(sim, x);
        ds_sim_step_jacobians(sim, &all);
        ds_sim_step_vjp(sim, v, v, x, y, z, a);
        ds_sim_prescribe(sim, 1, f64::NAN);
        ds_rollout_prescribe(rollout, 1, 0.1);
        ds_rollout_run(rollout, q, v, u, STEPS, null_mut(), null_mut());
        ds_rollout_adjoint(rollout, x, y, z, a, c, d);
        ds_rollout_prescribe(rollout, 1, f64::NAN);
    }
}

/// A muscle and an early filter on one hinge.
#[test]
fn activations() {
    let text = r#"<mujoco><worldbody><body><joint name="j" axis="0 1 0"/><geom size="0.1" pos="0.3 0 0"/></body></worldbody>
        <actuator><muscle joint="j" lengthrange="-1 1"/><general joint="j" dyntype="filter" actearly="true"/></actuator>
        <sensor><jointpos joint="j"/></sensor></mujoco>"#;
    let (mut model, mut sim, mut rollout, mut batch) =
        (null_mut(), null_mut(), null_mut(), null_mut());
    // SAFETY: every pointer is to a live object of the right size.
    unsafe {
        let format = ds_format::DS_FORMAT_MJCF as i32;
        ok(ds_model_load_string(
            text.as_ptr().cast(),
            text.len(),
            format,
            null(),
            &mut model,
        ));
        ok(ds_sim_create(model, null(), &mut sim));
        ok(ds_rollout_create(model, null(), STEPS, &mut rollout));
        ok(ds_batch_create(model, null(), 2, 1, &mut batch));
    }
    let start = [0.3, 0.6, 0.4, 0.7];
    let (x, mut y) = (start.as_ptr(), [[0.0; 4]; 8]);
    let [a, b, c, d, e, f, g, h] = y.each_mut().map(|y| y.as_mut_ptr());
    let (zeros, u) = ([0.0; 2 * (STEPS + 1)], [0.5; 2 * STEPS]);
    let (mut path, mut u_bar) = (zeros, u);
    // Of two elements.
    let (ins, more) = ([0.5; 4 * STEPS], [0.5; 2 * (STEPS + 1)]);
    let (mut paths, mut u_bars) = ([more; 2], ins);
    let mut each = [ds_status::DS_OK; 2];
    // SAFETY: a live batch.
    unsafe { ok(ds_batch_reserve(batch, STEPS)) };
    let (mut readings, lengths) = (more, [STEPS, 1]);
    // SAFETY: all pointers of the structs may be null.
    let (mut episodes, mut bars) = unsafe {
        let mut both: (ds_episodes, ds_episodes_bars) = std::mem::zeroed();
        ds_episodes_init(&mut both.0);
        ds_episodes_bars_init(&mut both.1);
        both
    };
    (episodes.q0, episodes.v0, episodes.u) = (x, x, ins.as_ptr());
    (episodes.lengths, episodes.sensors) = (lengths.as_ptr(), readings.as_mut_ptr());
    (bars.q_bar, bars.sensors_bar, bars.q0_bar) = (more.as_ptr(), more.as_ptr(), a);
    let jacobians = ds_act_jacobians {
        dq_dact: a,
        dv_dact: b,
        dact_dq: c,
        dact_dv: d,
        dact_dact: e,
        dact_du: f,
    };
    free_of_heap! {
        ds_batch_set_act(batch, x);
        ds_batch_get_act(batch, g);
        ds_batch_rollout(batch, STEPS, x, x, ins.as_ptr(), paths[0].as_mut_ptr(), paths[1].as_mut_ptr(), each.as_mut_ptr());
        ds_batch_rollout_adjoint(
            batch, more.as_ptr(), more.as_ptr(), a, b, u_bars.as_mut_ptr(), null_mut(), each.as_mut_ptr(),
        );
        ds_batch_run_episodes(batch, STEPS, &episodes, each.as_mut_ptr());
        ds_batch_episodes_adjoint(batch, &bars, each.as_mut_ptr());
        ds_sim_set_act(sim, x);
        ds_sim_step(sim, x, x, u.as_ptr(), a, b);
        ds_sim_get_act(sim, h);
        ds_sim_step_act_jacobians(sim, &jacobians);
        ds_sim_step_jvp_act(sim, x, x, x, x, null(), a, b, c);
        ds_sim_step_vjp_act(sim, x, x, x, a, b, c, d, null_mut());
        ds_rollout_run_act(rollout, x, x, x, u.as_ptr(), STEPS, null_mut(), null_mut(), path.as_mut_ptr());
        ds_rollout_adjoint_act(
            rollout, zeros.as_ptr(), zeros.as_ptr(), path.as_ptr(), a, b, c, u_bar.as_mut_ptr(), null_mut(),
        );
    }
    assert!(y[7][0] != 0.3 && y[6] == start && path[2] == y[7][0]);
    // SAFETY: made by the library and released once.
    unsafe {
        ds_batch_free(batch);
        ds_rollout_free(rollout);
        ds_sim_free(sim);
        ds_model_free(model);
    }
}

/// Of one tree and of several, with contacts that hold and others that are open.
#[test]
fn gradients_in_other_modes() {
    let ball = |name: &str, z: f64| {
        format!(
            r#"<body name="{name}" pos="0 0 {z}"><joint type="slide" axis="0 0 1"/><geom size="0.1" mass="1"/></body>"#
        )
    };
    for several in [false, true] {
        let above = if several {
            ball("above", 0.3001)
        } else {
            String::new()
        };
        let text = format!(
            r#"<mujoco><worldbody><geom type="plane" size="1 1 1"/>{}{above}</worldbody></mujoco>"#,
            ball("below", 0.1)
        );
        let (mut model, mut sim) = (null_mut(), null_mut());
        // One is let go; of two the upper one might be carried, but is moved less then.
        let (q, v) = ([0.0; 2], [0.0, -0.05]);
        let bar = if several { [0.5, -1.0] } else { [-1.0; 2] };
        let (mut x, mut y, mut u) = ([0.0; 2], [0.0; 2], [0.0; 2]);
        let (mut which, mut count) = (0, 0);
        // SAFETY: every pointer is to a live object of the right size.
        unsafe {
            let mut load = std::mem::zeroed();
            ds_load_options_init(&mut load);
            load.actuation = ds_actuation::DS_ACTUATION_FULL as i32;
            let format = ds_format::DS_FORMAT_MJCF as i32;
            ok(ds_model_load_string(
                text.as_ptr().cast(),
                text.len(),
                format,
                &load,
                &mut model,
            ));
            let mut options = std::mem::MaybeUninit::uninit();
            ds_options_init(options.as_mut_ptr());
            let mut options: ds_options = options.assume_init();
            options.time_step = 0.001;
            ok(ds_sim_create(model, &options, &mut sim));
        }
        for _ in 0..3 {
            free_of_heap! {
                ds_sim_step(sim, q.as_ptr(), v.as_ptr(), q.as_ptr(), x.as_mut_ptr(), y.as_mut_ptr());
                ds_sim_step_vjp_aware(
                    sim, bar.as_ptr(), bar.as_ptr(), x.as_mut_ptr(), y.as_mut_ptr(), u.as_mut_ptr(), null_mut(), &mut which,
                );
                ds_sim_aware_contacts(sim, &mut count);
                ds_sim_step_vjp(sim, v.as_ptr(), v.as_ptr(), x.as_mut_ptr(), y.as_mut_ptr(), u.as_mut_ptr(), null_mut());
            }
            let found = if several { (0, 0) } else { (1, 1) };
            assert_eq!((which, count), found);
        }
        // SAFETY: made by the library and released once.
        unsafe {
            ds_sim_free(sim);
            ds_model_free(model);
        }
    }
}

#[test]
fn an_arm_with_every_state_kept() {
    every_call("arm7.urdf", ds_base::DS_BASE_FREE, 1);
}

#[test]
fn legs_on_the_ground() {
    for file in ["quadruped.xml", "runner.xml", "humanoid.xml"] {
        every_call(file, ds_base::DS_BASE_FROM_FILE, 3);
    }
}

#[test]
fn an_arm_with_checkpoints() {
    every_call("arm7.urdf", ds_base::DS_BASE_FREE, 5);
}

/// Contact problems by their matrices: four contacts, thirty, which are not held as one matrix, and none.
#[test]
fn problems_alone() {
    const NV: usize = 8;
    for law in [
        ds_contact_law::DS_CONTACT_NCP,
        ds_contact_law::DS_CONTACT_LCP,
        ds_contact_law::DS_CONTACT_CONVEX,
    ] {
        let mut a = [0.0; NV * NV];
        a.iter_mut().step_by(NV + 1).for_each(|x| *x = 2.0);
        let number = |k: usize| ((k * k) as f64 * 0.7).sin();
        let x: Vec<f64> = (0..90 * NV).map(number).collect();
        let (ones, mut out) = ([0.5; 90], [(); 8].map(|()| vec![0.0; 90 * NV]));
        let mut problem = null_mut();
        let (mut info, mut modes, mut unique) = (std::mem::MaybeUninit::uninit(), [0; 30], 0);
        // SAFETY: every pointer is to live objects of the right size.
        unsafe {
            let mut options = std::mem::zeroed();
            ds_problem_options_init(&mut options);
            (options.law, options.nv, options.max_contacts) = (law as i32, NV, 30);
            ok(ds_problem_create(&options, &mut problem));
        }
        let x = x.as_ptr();
        let r = match law {
            ds_contact_law::DS_CONTACT_CONVEX => ones.as_ptr(),
            _ => null(),
        };
        for contacts in [4, 4, 30, 0] {
            let [b, c, d, e, f, g, v, impulse] = out.each_mut().map(|x| x.as_mut_ptr());
            let g = if r.is_null() { null_mut() } else { g };
            let (a, mu) = (a.as_ptr(), ones.as_ptr());
            free_of_heap! {
                ds_problem_solve(problem, contacts, a, x, x, x, mu, r, v, impulse, info.as_mut_ptr());
                ds_problem_jvp(problem, a, x, x, x, x, r, v, impulse);
                ds_problem_vjp(problem, x, x, b, c, d, e, f, g);
                ds_problem_info(problem, info.as_mut_ptr());
                ds_problem_modes(problem, modes.as_mut_ptr());
                ds_problem_impulses_unique(problem, &mut unique);
                ds_problem_reset(problem);
            }
        }
        // SAFETY: made by the library and released once.
        unsafe { ds_problem_free(problem) };
    }
}

/// The counter sees what it should: creation does use the heap.
#[test]
fn the_counter_counts() {
    let used = measure(|| {
        drop(Bench::new(
            "arm7.urdf",
            ds_base::DS_BASE_FREE,
            1,
            ds_contact_law::DS_CONTACT_NCP,
        ))
    });
    assert!(used.count_total > 0);
}

/// Rays, sensors of every kind, what a step says about a state, and the force for an acceleration.
#[test]
fn what_is_measured_takes_no_heap() {
    let path = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/tests/peers/models/sensors.xml"
    );
    let path = CString::new(path).unwrap();
    // SAFETY: arrays of the sizes that the header asks for.
    unsafe {
        let mut model = null_mut();
        ok(ds_model_load(path.as_ptr(), null(), &mut model));
        let (nv, nu, n) = (
            ds_model_nv(model),
            ds_model_nu(model),
            ds_model_nsensordata(model),
        );
        let mut options = std::mem::MaybeUninit::uninit();
        ds_options_init(options.as_mut_ptr());
        let mut options: ds_options = options.assume_init();
        options.contact = ds_contact_law::DS_CONTACT_CONVEX as i32;
        let mut sim = null_mut();
        ok(ds_sim_create(model, &options, &mut sim));
        options.contact = ds_contact_law::DS_CONTACT_NONE as i32;
        let mut free = null_mut();
        ok(ds_sim_create(model, &options, &mut free));
        let mut q = vec![0.0; ds_model_nq(model)];
        ok(ds_model_neutral(model, q.as_mut_ptr()));
        // The trunk in the ground: something touches.
        q[2] -= 3.97;
        let (v, u, bar) = (vec![0.1; nv], vec![0.2; nu], vec![0.3; n]);
        let mut outs = [(); 4].map(|()| vec![0.0; (n + nv) * nv.max(nu)]);
        let [x, y, z, w] = outs.each_mut().map(|x| x.as_mut_ptr());
        let (q, v, u, bar) = (q.as_mut_ptr(), v.as_ptr(), u.as_ptr(), bar.as_ptr());
        let mut geoms = [0; 4];
        let (origins, directions) = ([0.0; 12], [1.0; 12]);
        let info = measure(|| {
            ok(ds_sim_forward(sim, q, v, u, x));
            ok(ds_sim_acceleration_jacobians(sim, x, y, z, null_mut()));
            ok(ds_sim_acceleration_vjp(sim, v, x, y, z, null_mut()));
            ok(ds_sim_body_contact_wrenches(sim, w));
            // A servo on a tendon beside contact has no inverse.
            ok(ds_sim_inverse(free, q, v, u, v, x));
            ok(ds_sim_inverse_jacobians(free, x, y, z));
            ok(ds_sim_ray_casts(
                sim,
                q,
                4,
                origins.as_ptr(),
                directions.as_ptr(),
                f64::INFINITY,
                -1,
                x,
                y,
                geoms.as_mut_ptr(),
                z,
                null_mut(),
            ));
            ok(ds_sim_sensors(sim, q, v, u, x));
        });
        assert_eq!(info.count_total, 0);
        ok(ds_model_neutral(model, q));
        let info = measure(|| {
            ok(ds_sim_sensor_jacobians(sim, q, v, u, x, y, z, null_mut()));
            ok(ds_sim_sensor_vjp(sim, q, v, u, bar, x, y, z, null_mut()));
        });
        assert_eq!(info.count_total, 0);
        ds_sim_free(free);
        ds_sim_free(sim);
        ds_model_free(model);
    }
}
