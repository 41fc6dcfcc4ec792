//! States and parameters whose squares are no numbers, and sizes beyond all memory: every call gives finite
//! results, or an error and no result.

use diffsim::batch::Batch;
use diffsim::error::{Result, Status};
use diffsim::load::options::{Format, LoadOptions, load_str};
use diffsim::model::Model;
use diffsim::model::params::{Param, ParamKind};
use diffsim::query::*;
use diffsim::step::*;
use std::sync::Arc;

/// What stands in a result before a call.
const MARK: f64 = 7.5;

/// A result of n numbers: finite after success, untouched after a failure.
struct Guarded(Vec<f64>);

impl Guarded {
    fn new(n: usize) -> Guarded {
        Guarded(vec![MARK; n])
    }

    fn check(&self, done: &Result<impl Sized>, what: &str) {
        match done {
            Ok(_) => assert!(self.0.iter().all(|x| x.is_finite()), "{what}: {:?}", self.0),
            Err(e) => {
                assert!(self.0.iter().all(|x| *x == MARK), "{what}: {:?}", self.0);
                let known = [Status::Numerical, Status::NoStep, Status::NotConverged];
                let known = known.contains(&e.status) || e.status == Status::Unsupported;
                assert!(known, "{what}: {:?} {e}", e.status);
            }
        }
    }
}

fn sim(text: &str, contact: Contact) -> Sim {
    let model = load_str(text, Format::Mjcf, None, &LoadOptions::default()).unwrap();
    let options = Options {
        contact,
        time_step: 1e-3,
        ..Options::default()
    };
    Sim::new(Arc::new(model), &options).unwrap()
}

/// Every kind of result at this state, and after a step from it.
fn ask(s: &mut Sim, q: &[f64], v: &[f64], what: &str) {
    let (nq, nv, nu, np) = (s.model().nq(), s.model().nv(), s.model().nu(), s.np());
    let square = || Guarded::new(nv * nv);
    let (mut x, mut j) = (Guarded::new(16 * s.model().nbody()), square());
    let done = s.forward_kinematics(q, &mut x.0);
    x.check(&done, what);
    let done = s.mass_matrix(q, &mut j.0);
    j.check(&done, what);
    let mut y = Guarded::new(10 * nv * s.model().nbody());
    let done = s.inverse_dynamics_regressor(q, v, v, &mut y.0);
    y.check(&done, what);
    for b in 1..s.model().ngeom() {
        let (mut g, mut n) = (Guarded::new(nv), Guarded::new(3 * nv));
        let done = s.distance(0, b, q, Some(&mut g.0));
        g.check(&done, what);
        if let Ok(d) = done {
            let numbers = [d.distance, d.point_a[0], d.point_b[0], d.normal[0]];
            assert!(numbers.iter().all(|x| x.is_finite()), "{what}: {d:?}");
        }
        let out = SmoothedDistanceDerivatives {
            normal: Some(&mut n.0),
            ..Default::default()
        };
        let done = s.smoothed_distance(0, b, q, &DistanceSmoothing::default(), out);
        n.check(&done, what);
    }
    let collided = s.collide(q);
    for c in s.contacts() {
        assert!(c.gap.is_finite() && c.point[2].is_finite(), "{what}: {c:?}");
    }
    for stepped in [false, true] {
        if stepped {
            let (mut a, mut b) = (Guarded::new(nq), Guarded::new(nv));
            let done = s.step(q, v, &vec![0.0; nu], &mut a.0, &mut b.0);
            a.check(&done, what);
            b.check(&done, what);
            if done.is_err() {
                return;
            }
        } else if collided.is_err() {
            continue;
        }
        let (mut p, mut t) = (
            Guarded::new(3 * nv * s.contacts().len()),
            Guarded::new(6 * nv * s.contacts().len()),
        );
        let done = s.contact_derivatives(ContactDerivatives {
            point: Some(&mut p.0),
            tangents: Some(&mut t.0),
            ..Default::default()
        });
        p.check(&done, what);
        t.check(&done, what);
    }
    let [mut a, mut b, mut c, mut d] = [(); 4].map(|()| square());
    let (mut e, mut f) = (Guarded::new(nv * np), Guarded::new(nv * np));
    let done = s.step_jacobians(StepJacobians {
        dq_dq: Some(&mut a.0),
        dq_dv: Some(&mut b.0),
        dv_dq: Some(&mut c.0),
        dv_dv: Some(&mut d.0),
        dq_dp: Some(&mut e.0),
        dv_dp: Some(&mut f.0),
        ..Default::default()
    });
    for x in [&a, &b, &c, &d, &e, &f] {
        x.check(&done, what);
    }
    let (mut a, mut b) = (square(), square());
    let done = s.smoothed_jacobians(
        &Smoothing::default(),
        StepJacobians {
            dq_dq: Some(&mut a.0),
            dv_dv: Some(&mut b.0),
            ..Default::default()
        },
    );
    a.check(&done, what);
    b.check(&done, what);
    let rows = 3 * s.contacts().len();
    let (mut a, mut b) = (Guarded::new(rows * nv), Guarded::new(rows * nv));
    let done = s.impulse_jacobians(ImpulseJacobians {
        by_q: Some(&mut a.0),
        by_v: Some(&mut b.0),
        ..Default::default()
    });
    a.check(&done, what);
    b.check(&done, what);
    let mut a = Guarded::new(rows);
    let done = s.impulse_jvp(&vec![1.0; nv], &vec![1e300; nv], &[], &[], &mut a.0);
    a.check(&done, what);
}

const SIZES: [f64; 14] = [
    1e20, 1e50, 1e77, 1e100, 1e120, 1e140, 1e150, 1e153, 1e154, 1e155, 1e160, 1e200, 1e300, 1.7e308,
];
const LAWS: [Contact; 4] = [Contact::Ncp, Contact::Lcp, Contact::Convex, Contact::None];

/// Spherical joints at 1e100 rad/s to 1e153 rad/s: all nine entries of dq_dq were NaN, the status DS_OK.
#[test]
fn fast() {
    for (size, law) in SIZES.into_iter().flat_map(|s| LAWS.map(|l| (s, l))) {
        let joint = "<mujoco><worldbody><geom size='.1'/><body><joint type='ball'/>\
                     <geom type='box' size='.1 .2 .3' pos='.3 0 0'/></body></worldbody></mujoco>";
        let v = [size, 0.3 * size, 0.1 * size];
        let what = format!("ball, {law:?}, {size:e}");
        ask(&mut sim(joint, law), &[0.0, 0.0, 0.0, 1.0], &v, &what);
        let mut free = sim(SCENE, law);
        let (mut q, mut v) = ([0.0, 0.0, 0.04, 0.0, 0.0, 0.0, 1.0], [0.0; 6]);
        for k in 0..6 {
            v[k] = size;
            ask(&mut free, &q, &v, &format!("free, {law:?}, {size:e}, {k}"));
        }
        v.fill(0.0);
        for k in 0..3 {
            q[k] = -size;
            ask(&mut free, &q, &v, &format!("far, {law:?}, {size:e}, {k}"));
        }
    }
}

const SCENE: &str = "<mujoco><worldbody><geom type='plane' size='0 0 1'/><geom size='.1'/><body>\
                     <freejoint/><geom type='box' size='.05 .05 .05' mass='1'/></body></worldbody></mujoco>";

/// A ball 1e155 m away was at a distance of inf, a capsule 2e308 m below the ground had contacts at NaN.
#[test]
fn far() {
    for (size, law) in SIZES.into_iter().flat_map(|s| LAWS.map(|l| (s, l))) {
        let text = format!(
            "<mujoco><worldbody><geom type='plane' size='0 0 1'/><geom size='1'/><body pos='0 0 -{size:e}'>\
             <joint type='slide' axis='1 0 0'/><geom type='capsule' size='.05 .1'/><body pos='0 0 -{size:e}'>\
             <joint type='hinge' axis='0 1 0'/><geom type='capsule' size='.05 .1'/></body></body></worldbody></mujoco>"
        );
        if let Ok(model) = load_str(&text, Format::Mjcf, None, &LoadOptions::default()) {
            let options = Options {
                contact: law,
                time_step: 1e-3,
                ..Options::default()
            };
            let mut s = Sim::new(Arc::new(model), &options).unwrap();
            ask(
                &mut s,
                &[0.0; 2],
                &[0.0; 2],
                &format!("far {law:?} {size:e}"),
            );
        }
    }
}

/// The Jacobian by a joint's placement was NaN where it was turned by 1e300 rad, the status DS_OK.
#[test]
fn large_parameters() {
    for (size, law) in SIZES.into_iter().flat_map(|s| LAWS.map(|l| (s, l))) {
        for (kind, components) in [
            (ParamKind::JointPlacement, 6),
            (ParamKind::BodyInertia, 10),
            (ParamKind::JointArmature, 1),
            (ParamKind::JointStiffness, 1),
            (ParamKind::JointDamping, 1),
            (ParamKind::GeomSize, 3),
        ] {
            for component in 0..components {
                let mut s = sim(
                    "<mujoco><worldbody><geom type='plane' size='0 0 1'/><body pos='0 0 .05'><joint type='hinge' \
                     axis='0 1 0'/><geom type='box' size='.1 .1 .1' pos='.3 0 0'/></body></worldbody></mujoco>",
                    law,
                );
                let index = matches!(kind, ParamKind::BodyInertia | ParamKind::GeomSize).into();
                let param = Param {
                    kind,
                    index,
                    component,
                };
                if s.select_params(&[param]).is_err() {
                    assert_eq!((kind, law), (ParamKind::GeomSize, Contact::None));
                    continue;
                }
                let what = format!("{param:?} {size:e} {law:?}");
                if s.set_params(&[size]).is_ok() {
                    ask(&mut s, &[0.1], &[0.2], &what);
                }
            }
        }
    }
}

/// What is fixed to a link, however far: its Jacobian once was not a number.
#[test]
fn bodies_beyond_reach_of_their_links_are_refused_by_name() {
    let text = |far: &str| {
        format!(
            r#"<mujoco><worldbody><body name="arm"><joint axis="0 1 0"/><geom size="0.1"/>
               <body name="flag" pos="{far} 0 1"><geom size="0.1"/></body></body></worldbody></mujoco>"#
        )
    };
    let load = |far: &str| load_str(&text(far), Format::Mjcf, None, &LoadOptions::default());
    assert!(load("1e3").is_ok());
    for far in ["1e151", "-1.7e308"] {
        let refused = load(far).unwrap_err();
        assert_eq!(refused.status, Status::InvalidArgument);
        assert!(refused.message.contains("\"flag\""), "{refused}");
    }
}

/// A chain of links that turn.
fn chain(n: usize) -> Arc<Model> {
    let link = r#"<body pos="0 0 0.1"><joint axis="1 0 0"/><geom type="sphere" size="0.02"/>"#;
    let text = format!(
        "<mujoco><worldbody>{}{}</worldbody></mujoco>",
        link.repeat(n),
        "</body>".repeat(n)
    );
    Arc::new(load_str(&text, Format::Mjcf, None, &LoadOptions::default()).unwrap())
}

/// Sizes that no memory holds, once an abort of the process or a panic for its capacity.
#[test]
fn sizes_beyond_all_memory_are_refused() {
    for model in [chain(0), chain(10), chain(100)] {
        for max_contacts in [
            1 << 40,
            usize::MAX / 8,
            usize::MAX / 8 + 1,
            1 << 63,
            usize::MAX,
        ] {
            for contact in [Contact::Ncp, Contact::Lcp, Contact::Convex] {
                let o = Options {
                    contact,
                    max_contacts,
                    ..Options::default()
                };
                let e = Sim::new(model.clone(), &o).unwrap_err();
                assert_eq!(e.status, Status::Capacity, "{e}");
                assert!(e.message.contains("max_contacts"), "{e}");
            }
            let o = Options {
                contact: Contact::None,
                max_contacts,
                ..Options::default()
            };
            // Made with the first search.
            let mut sim = Sim::new(model.clone(), &o).unwrap();
            let e = sim.collide(model.neutral()).unwrap_err();
            assert_eq!(e.status, Status::Capacity, "{e}");
        }
        for count in [1 << 40, usize::MAX / 8, 1 << 63, usize::MAX] {
            let e = Batch::new(model.clone(), &Options::default(), count, 1).err();
            assert_eq!(e.map(|e| e.status), Some(Status::Capacity));
        }
    }
}
