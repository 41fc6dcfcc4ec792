//! After creation no call of the C interface that runs in a control loop touches the heap.

#![allow(non_snake_case)]

use allocation_counter::measure;
use diffsim::capi::{
    configuration::*, contacts::*, derivatives::*, dynamics::*, load::*, model::*, options::*,
    params::*, problem::*, rollout::*, sim::*, status::ds_status,
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
        ds_rollout_run(rollout, q, v, u, STEPS, x, y);
        ds_rollout_run(rollout, q, v, u, STEPS, null_mut(), null_mut());
        ds_rollout_adjoint(rollout, x, y, z, a, c, d);
        ds_rollout_aware_report(rollout, &mut count, &mut count);
        ds_model_integrate(model, q, v, x);
        ds_model_difference(model, q, x, y);
        ds_model_v_to_mujoco(model, q, v, x);
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
            ok(ds_sim_create(model, null(), &mut sim));
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
