//! Sequences of calls of simulations, rollouts and batches, on small models and on those of the builder.

use super::builder;
use super::session::{Out, Session, check_all, default_options, expect};
use super::source::Source;
use diffsim::capi::batch::*;
use diffsim::capi::load::*;
use diffsim::capi::model::*;
use diffsim::capi::options::ds_options;
use diffsim::capi::rollout::*;
use diffsim::capi::status::ds_status;
use std::ptr::null_mut;

const MODELS: [&str; 8] = [
    "<mujoco><worldbody><geom type='plane' size='0 0 1'/><body pos='0 0 .1'><freejoint/><geom size='.1'/></body></worldbody></mujoco>",
    "<mujoco><worldbody><geom type='plane' size='0 0 1'/><body pos='0 0 .05'><freejoint/><geom type='box' size='.1 .05 .05'/>\
     </body><body pos='0 0 .16'><freejoint/><geom type='box' size='.05 .05 .05'/></body></worldbody></mujoco>",
    "<mujoco><worldbody><body><joint axis='0 1 0' damping='.1' frictionloss='.1' range='-1 1' limited='true'/><geom type='capsule' \
     size='.03 .2' pos='0 0 -.2'/><body pos='0 0 -.4'><joint axis='0 1 0' stiffness='2'/><geom type='capsule' size='.03 .2' \
     pos='0 0 -.2'/></body></body><geom type='plane' size='0 0 1' pos='0 0 -.8'/></worldbody><actuator><motor joint='j'/></actuator></mujoco>",
    "<mujoco><worldbody><geom type='ellipsoid' size='.3 .2 .1'/><body pos='0 0 .2'><joint type='ball'/><geom type='cylinder' \
     size='.05 .1'/></body><body pos='.2 0 .3'><freejoint/><geom type='ellipsoid' size='.05 .06 .1'/></body></worldbody></mujoco>",
    "<mujoco><worldbody><body name='a'><joint name='x' axis='0 0 1'/><geom size='.1' pos='.3 0 0'/><body name='b' pos='.6 0 0'>\
     <joint name='y' axis='0 0 1'/><geom size='.1' pos='.3 0 0'/></body></body><body name='c'><joint axis='0 0 1'/><geom size='.1' \
     pos='.3 .2 0'/></body></worldbody><equality><connect body1='b' body2='c' anchor='.6 0 0'/><joint joint1='x' joint2='y'/>\
     </equality><actuator><position joint='x' kp='3'/><motor joint='y' ctrlrange='-1 1' ctrllimited='true'/></actuator></mujoco>",
    "<mujoco><asset><mesh name='m' vertex='0 0 0 .1 0 0 0 .1 0 0 0 .1 .1 .1 .1'/></asset><worldbody><geom type='plane' size='0 0 1'/>\
     <body pos='0 0 .01'><freejoint/><geom type='mesh' mesh='m'/></body><body pos='.05 0 .1'><freejoint/><geom type='mesh' mesh='m'/>\
     </body></worldbody></mujoco>",
    "<mujoco/>",
    "<mujoco><asset><hfield name='h' nrow='3' ncol='3' size='1 1 .2 .1' elevation='0 1 0 1 0 1 0 0 1'/></asset><worldbody><geom \
     type='hfield' hfield='h'/><body pos='.1 .1 .2'><freejoint/><geom type='box' size='.1 .1 .1'/></body></worldbody></mujoco>",
];

pub fn run(data: &[u8]) {
    let s = &mut Source::new(data);
    let made = match s.below(MODELS.len() + 3) {
        i if i < MODELS.len() => loaded(MODELS[i].replace("joint='j'", "joint=''").as_str(), s),
        _ => builder::model(s),
    };
    let Some(made) = made else { return };
    let options = options(s);
    if let Some(mut session) = Session::new(made.model, &options) {
        for _ in 0..40 {
            if s.is_empty() {
                break;
            }
            let kind = s.below(Session::CALLS + 6).saturating_sub(6);
            session.call(kind, s);
        }
        if s.once_in(3) {
            rollout(&session, &options, s);
        }
        if s.once_in(3) {
            batch(&session, &options, s);
        }
    }
}

pub fn loaded(text: &str, s: &mut Source) -> Option<builder::Made> {
    let mut options = std::mem::MaybeUninit::<ds_load_options>::uninit();
    let mut model = null_mut();
    // SAFETY: complete structs, the text's own length, a place.
    unsafe {
        ds_load_options_init(options.as_mut_ptr());
        let mut options = options.assume_init();
        options.actuation = s.id(2);
        options.base = s.id(3);
        options.ground_plane = i32::from(s.once_in(4));
        options.exclude_overlapping = i32::from(s.once_in(4));
        let (at, n) = (text.as_ptr().cast(), text.len());
        let status = ds_model_load_string(at, n, 1, &raw const options, &raw mut model);
        expect(status, "ds_model_load_string");
    }
    (!model.is_null()).then_some(builder::Made { model })
}

pub fn options(s: &mut Source) -> ds_options {
    let mut o = default_options();
    o.contact = s.pick(&[0, 0, 2, 2, 4, 1, 3, -1]);
    o.max_contacts = 24;
    if s.once_in(2) {
        o.time_step = 1e-2 * s.size();
        o.integrator = s.id(6);
    }
    if s.once_in(4) {
        o.tolerance = 1e-6 * s.size();
        o.max_iterations = s.count(60);
        o.max_contacts = s.count(60);
        o.checkpoint_interval = s.count(4);
        o.derivatives = s.id(2);
        o.require_convergence = s.id(2);
    }
    if s.once_in(4) {
        o.kp = s.size() * 0.1;
        o.kd = s.size() * 0.1;
        o.max_push_out = s.size();
        o.restitution_threshold = s.size();
    }
    o
}

fn rollout(session: &Session, options: &ds_options, s: &mut Source) {
    let (nq, nv) = (session.q.len(), session.v.len());
    let mut r = null_mut();
    // SAFETY: every pointer is to memory of the size that the header asks for.
    unsafe {
        let nu = ds_model_nu(session.model);
        let most = s.count(6);
        let status = ds_rollout_create(session.model, options, most, &raw mut r);
        if !expect(status, "ds_rollout_create") {
            assert!(r.is_null());
            return;
        }
        let n = s.below(7);
        let (q0, v0, u) = (
            s.near(&session.q),
            s.near(&session.v),
            s.near(&vec![0.1; nu * n]),
        );
        let (mut q, mut v) = (Out::new(nq * (n + 1)), Out::new(nv * (n + 1)));
        let status = ds_rollout_run(r, q0.as_ptr(), v0.as_ptr(), u.as_ptr(), n, q.at(), v.at());
        check_all(&[&q, &v], status, "ds_rollout_run");
        let (a, b) = (s.near(&vec![1.0; nv * (n + 1)]), vec![0.5; nv * (n + 1)]);
        let mut outs = [nv, nv, nu * n, 0].map(Out::new);
        let [x, y, z, w] = outs.each_mut().map(Out::at);
        let status = ds_rollout_adjoint(r, a.as_ptr(), b.as_ptr(), x, y, z, w);
        check_all(&outs.each_ref(), status, "ds_rollout_adjoint");
        ds_rollout_free(r);
    }
}

fn batch(session: &Session, options: &ds_options, s: &mut Source) {
    let (nq, nv) = (session.q.len(), session.v.len());
    let mut b = null_mut();
    // SAFETY: as in `rollout`.
    unsafe {
        let nu = ds_model_nu(session.model);
        let status = ds_batch_create(
            session.model,
            options,
            s.count(3),
            1 + s.below(2),
            &raw mut b,
        );
        if !expect(status, "ds_batch_create") {
            assert!(b.is_null());
            return;
        }
        let n = ds_batch_count(b);
        let mut stack = |x: &[f64]| -> Vec<f64> { (0..n).flat_map(|_| s.near(x)).collect() };
        let (q, v, u) = (stack(&session.q), stack(&session.v), stack(&vec![0.1; nu]));
        let mut each = vec![ds_status::DS_ERR_INTERNAL; n];
        let mut outs = [Out::new(nq * n), Out::new(nv * n)];
        let [x, y] = outs.each_mut().map(Out::at);
        let status = ds_batch_step(
            b,
            q.as_ptr(),
            v.as_ptr(),
            u.as_ptr(),
            x,
            y,
            each.as_mut_ptr(),
        );
        let called = expect(status, "ds_batch_step") || each[0] != ds_status::DS_ERR_INTERNAL;
        let columns = |out: &Out, rows: usize, each: &[ds_status], call: &str| {
            for (x, status) in out.0.chunks_exact(rows.max(1)).zip(each) {
                Out(x.to_vec()).check(*status == ds_status::DS_OK, call);
            }
        };
        if called {
            columns(&outs[0], nq, &each, "ds_batch_step");
            columns(&outs[1], nv, &each, "ds_batch_step");
        }
        let (a, c) = (vec![1.0; nv * n], vec![-1.0; nv * n]);
        each.fill(ds_status::DS_ERR_INTERNAL);
        let mut outs = [nv, nv].map(|rows| Out::new(rows * n));
        let [x, y] = outs.each_mut().map(Out::at);
        let (a, c) = (a.as_ptr(), c.as_ptr());
        let status = ds_batch_step_vjp(b, a, c, x, y, null_mut(), null_mut(), each.as_mut_ptr());
        let called = expect(status, "ds_batch_step_vjp") || each[0] != ds_status::DS_ERR_INTERNAL;
        if called {
            columns(&outs[0], nv, &each, "ds_batch_step_vjp");
            columns(&outs[1], nv, &each, "ds_batch_step_vjp");
        }
        expect(ds_batch_step_info(b, s.count(2), null_mut()), "info");
        ds_batch_free(b);
    }
}
