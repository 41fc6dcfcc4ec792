//! The θ-method, implicit Euler and midpoint: derivatives with every law against differences, bad input, no
//! heap.

use crate::common::checker::{
    Checker, FOURTH_ORDER, SECOND_ORDER, quadruped, quadruped_spec, standing,
};
use crate::common::scene::*;
use crate::common::trajectory::{From, compare};
use crate::common::*;
use allocation_counter::measure;
use diffsim::error::Status;
use diffsim::model::params::{Param, ParamKind};
use diffsim::model::spec::{EqualityKind, EqualitySpec, GeomSpec, JointKind, ModelSpec};
use diffsim::model::{Actuation, Model};
use diffsim::spatial::{Pose, Vec3};
use diffsim::step::{Contact, Integrator, Options, Sim};
use std::sync::Arc;

const SCHEMES: [Integrator; 2] = [Integrator::ImplicitEuler, Integrator::Midpoint];

fn with(integrator: Integrator, contact: Contact, h: f64) -> Options {
    Options {
        integrator,
        contact,
        time_step: h,
        ..Options::default()
    }
}

/// What a step without contact depends on, of every body and joint in turn.
fn parameters(model: &Model) -> Vec<Param> {
    let mut list = vec![param(ParamKind::Gravity, 0, 1)];
    for b in 1..model.nbody() {
        list.push(param(ParamKind::BodyInertia, b, b % 10));
        list.push(param(ParamKind::ExternalWrench, b, b % 6));
    }
    for j in 0..model.njoint() {
        let component = j % model.joint(j).nv.max(1);
        list.push(param(ParamKind::JointDamping, j, component));
        list.push(param(ParamKind::JointStiffness, j, component));
        list.push(param(ParamKind::JointArmature, j, component));
        list.push(param(ParamKind::JointPlacement, j, j % 6));
        list.push(param(ParamKind::JointSpringReference, j, 0));
    }
    list
}

/// Those of them that a simulation takes.
fn usable(model: &Arc<Model>, options: &Options, list: Vec<Param>) -> Vec<Param> {
    let mut sim = Sim::new(model.clone(), options).unwrap();
    let mut taken = |p: &Param| sim.select_params(&[*p]).is_ok();
    list.into_iter().filter(|p| taken(p)).collect()
}

#[test]
fn derivatives_without_contact() {
    let singles = KINDS[1..].iter().map(|kind| single_joint(7, *kind));
    let trees = [1, 4, 6].map(|seed| random_tree(seed, 7));
    for model in singles.chain(trees).map(Arc::new) {
        for scheme in SCHEMES {
            let options = with(scheme, Contact::None, 0.02);
            let list = usable(&model, &options, parameters(&model));
            let mut c = Checker::new(model.clone(), &options);
            (c.eps, c.stencil) = (EPS, FOURTH_ORDER);
            c.select(&list);
            let mut rng = Rng::new(3);
            let (mut q, mut v) = (random_q(&mut rng, &model, 0.8), rng.vector(model.nv(), 2.0));
            for _ in 0..2 {
                let u = rng.vector(model.nu(), 3.0);
                c.check(&mut q, &mut v, &u);
            }
            let t = c.tally(&format!("{scheme:?}, {} dofs", model.nv()));
            assert!(t.p99 < 1e-8 && t.wrong == 0 && t.apart < 1e-10, "{t:?}");
        }
    }
}

/// A body with a ball and a box on it, whose box just touches a wall; and the parameters to differentiate by.
fn at_a_wall(kind: JointKind, seed: u64) -> (Arc<Model>, Vec<Param>) {
    let mut rng = Rng::new(seed);
    let mut spec = ModelSpec::default();
    ground(&mut spec, 0.6);
    let id = body(&mut spec, "part", kind, at(0.0, 0.0, 0.2), 1.0, ball(0.1));
    spec.bodies[id].inertia = rng.inertia();
    let j = &mut spec.bodies[id].joints[0];
    j.axis = rng.vec3(1.0);
    j.axis2 = j.axis.cross(rng.vec3(1.0));
    (j.damping, j.stiffness, j.armature, j.friction_loss) = (0.2, 10.0, 0.01, 0.1);
    if kind == JointKind::Free {
        j.friction_loss = 0.0;
    }
    spec.geoms.push(GeomSpec::new(
        "hand",
        id,
        Pose::translation(Vec3::new(0.1, 0.05, -0.08)),
        cuboid(0.06, 0.05, 0.07),
    ));
    let normal = Pose::from_quat(rng.quat(), Vec3::ZERO);
    let wall = |distance: f64| {
        let mut spec = spec.clone();
        let pose = Pose::new(normal.rot, normal.rot.c[2] * -distance);
        plane(&mut spec, "wall", pose, 0.5);
        Model::compile(spec, Actuation::Full).unwrap()
    };
    let far = wall(1.0);
    let [hand, plane] = ["hand", "wall"].map(|name| far.geom_id(name).unwrap());
    let q = far.neutral().to_vec();
    let mut sim = Sim::new(Arc::new(far), &crate::common::scene::options(1e-3)).unwrap();
    let gap = sim.distance(hand, plane, &q, None).unwrap().distance;
    let list = vec![
        param(ParamKind::ContactDissipation, hand, 0),
        param(ParamKind::GeomFriction, hand, 0),
        param(ParamKind::GeomSize, hand, 1),
        param(ParamKind::BodyInertia, id, 0),
        param(ParamKind::BodyInertia, id, 2),
        param(ParamKind::BodyInertia, id, 7),
        param(ParamKind::JointPlacement, 0, 2),
        param(ParamKind::JointPlacement, 0, 4),
        param(ParamKind::JointDamping, 0, 0),
        param(ParamKind::JointStiffness, 0, 0),
        param(ParamKind::JointArmature, 0, 0),
        param(ParamKind::JointFriction, 0, 0),
        param(ParamKind::ExternalWrench, id, 2),
        param(ParamKind::Gravity, 0, 2),
    ];
    (Arc::new(wall(1.0 - gap - 1e-4)), list)
}

#[test]
fn derivatives_of_all_joints_at_a_wall() {
    for scheme in SCHEMES {
        for contact in LAWS {
            for (i, kind) in KINDS.into_iter().enumerate().skip(1) {
                let (model, list) = at_a_wall(kind, 70 + i as u64);
                let options = with(scheme, contact, 4e-3);
                let list = usable(&model, &options, list);
                let mut c = Checker::new(model.clone(), &options);
                (c.eps, c.stencil) = (3e-6, FOURTH_ORDER);
                c.select(&list);
                let mut rng = Rng::new(5);
                let touches = |q: &[f64], v: &[f64], u: &[f64], sim: &mut Sim| {
                    sim.step(q, v, u, &mut q.to_vec(), &mut v.to_vec()).unwrap();
                    sim.contacts().iter().any(|c| c.impulse[2] > 0.0)
                };
                let mut touched = 0;
                for _ in 0..6 {
                    let (mut q, mut v) = (model.neutral().to_vec(), rng.vector(model.nv(), 1.0));
                    let u = rng.vector(model.nu(), 4.0);
                    // Towards the wall.
                    if !touches(&q, &v, &u, &mut c.sim) {
                        v.iter_mut().for_each(|v| *v = -*v);
                    }
                    for _ in 0..2 {
                        touched += usize::from(touches(&q, &v, &u, &mut c.sim));
                        c.check(&mut q, &mut v, &u);
                    }
                }
                assert!(touched > 5, "{kind:?}, {touched}");
                let t = c.tally(&format!("{scheme:?}, {contact:?}, {kind:?}"));
                assert!(t.median < 1e-8 && t.p99 < 1e-6, "{t:?}");
                assert!(t.apart < 1e-10 && t.apart_one_sided < 1e-8, "{t:?}");
                assert!(t.wrong == 0 && t.checked > 2 * t.excluded, "{t:?}");
            }
        }
    }
}

/// A quadruped with springs in its legs, two feet tied and two legs coupled.
fn tied_quadruped() -> Model {
    let mut spec = quadruped_spec(false);
    let body = |name: &str| spec.bodies.iter().position(|b| b.name == name).unwrap();
    let foot = Vec3::new(0.0, 0.0, -0.21);
    let rod = EqualityKind::Distance {
        body1: body("calf0"),
        body2: body("calf1"),
        anchor1: foot,
        anchor2: foot,
        length: None,
    };
    let coupling = EqualityKind::Joint {
        joint1: "thigh2".into(),
        joint2: Some("thigh3".into()),
        coefficients: [0.0, 1.0, 0.1, 0.0, 0.0],
        dofs: [0; 2],
    };
    spec.equalities = [("rod", rod), ("coupling", coupling)]
        .map(|(name, kind)| EqualitySpec {
            name: name.into(),
            active: true,
            kind,
            origin: String::new(),
        })
        .to_vec();
    for b in &mut spec.bodies {
        for j in b
            .joints
            .iter_mut()
            .filter(|j| j.kind == JointKind::Revolute)
        {
            (j.stiffness, j.damping) = (5.0, 0.3);
        }
    }
    Model::compile(spec, Actuation::Full).unwrap()
}

/// With contacts, limits, dry friction and equalities, standing and walking.
#[test]
fn derivatives_of_a_quadruped() {
    let model = Arc::new(tied_quadruped());
    let rest = standing(&model);
    for scheme in SCHEMES {
        for contact in LAWS {
            let mut c = Checker::new(model.clone(), &with(scheme, contact, 2e-3));
            (c.eps, c.stencil) = match contact {
                Contact::Convex => (1e-6, FOURTH_ORDER),
                _ => (3e-8, SECOND_ORDER),
            };
            let calf = model.joint_id("calf1").unwrap();
            c.select(&[
                param(ParamKind::JointPlacement, calf, 1),
                param(ParamKind::JointPlacement, calf, 3),
                param(ParamKind::JointStiffness, calf, 0),
                param(ParamKind::JointDamping, calf, 0),
                param(ParamKind::JointFriction, calf, 0),
                param(ParamKind::GeomFriction, 0, 0),
                param(ParamKind::BodyInertia, 3, 0),
            ]);
            let mut rng = Rng::new(4);
            let (mut q, mut v) = (rest.clone(), vec![0.0; 18]);
            v[1] = 0.3;
            let mut touched = 0;
            for step in 0..60 {
                let mut u = vec![0.0; 18];
                for k in 6..18 {
                    u[k] = 40.0 * (rest[k + 1] - q[k + 1]) - v[k] + rng.range(-2.0, 2.0);
                }
                if step % 12 == 11 {
                    c.check(&mut q, &mut v, &u);
                } else {
                    let (q0, v0) = (q.clone(), v.clone());
                    c.sim.step(&q0, &v0, &u, &mut q, &mut v).unwrap();
                }
                touched += usize::from(c.sim.contacts().iter().any(|c| c.impulse[2] > 0.0));
            }
            assert!(touched > 10);
            c.report(&format!("{scheme:?}, {contact:?}"));
        }
    }
}

/// Beyond the depth of packed rows.
#[test]
fn derivatives_of_a_deep_tree() {
    let model = lying(72, 4);
    let nv = model.nv();
    assert!(model.topology().is_deep());
    for (scheme, contact) in [
        (SCHEMES[0], Contact::Ncp),
        (SCHEMES[1], Contact::Convex),
        (SCHEMES[1], Contact::None),
    ] {
        let mut sim = Sim::new(model.clone(), &with(scheme, contact, 2e-3)).unwrap();
        sim.select_params(&[
            param(ParamKind::JointPlacement, 20, 3),
            param(ParamKind::JointDamping, 30, 0),
            param(ParamKind::BodyInertia, 40, 1),
        ])
        .unwrap();
        let mut p = vec![0.0; 3];
        sim.get_params(&mut p).unwrap();
        let mut rng = Rng::new(3);
        let along = [nv, nv, nv, 3].map(|n| rng.vector(n, 1.0));
        let state = [
            model.neutral().to_vec(),
            rng.vector(nv, 0.01),
            rng.vector(nv, 0.01),
            p,
        ];
        let at = |sim: &mut Sim, e: f64| {
            let [q, v, u, p] = [0, 1, 2, 3].map(|k| {
                let x = state[k].iter().zip(&along[k]);
                x.map(|(x, d)| x + e * d).collect::<Vec<f64>>()
            });
            sim.set_params(&p).unwrap();
            let (mut qn, mut vn) = (q.clone(), v.clone());
            sim.step(&q, &v, &u, &mut qn, &mut vn).unwrap();
            [qn, vn].concat()
        };
        let fd = difference(1e-6, |e| at(&mut sim, e));
        at(&mut sim, 0.0);
        let touching = sim.contacts().iter().filter(|c| c.impulse[2] > 0.0).count();
        assert!(contact == Contact::None || touching > 0, "{contact:?}");
        let (mut dq, mut dv) = (vec![0.0; nv], vec![0.0; nv]);
        let [a, b, c, d] = &along;
        sim.step_jvp(a, b, c, d, &mut dq, &mut dv).unwrap();
        let jvp = [dq, dv].concat();
        let error = relative_error(&jvp, &fd);
        let z = rng.vector(2 * nv, 1.0);
        let mut bars = [nv, nv, nv, 3].map(|n| vec![0.0; n]);
        let [qb, vb, ub, pb] = &mut bars;
        sim.step_vjp(&z[..nv], &z[nv..], Some(qb), Some(vb), Some(ub), Some(pb))
            .unwrap();
        let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
        let back: f64 = bars.iter().zip(&along).map(|(b, w)| dot(b, w)).sum();
        let there = dot(&z, &jvp);
        println!("{scheme:?}, {contact:?}: {error:.1e}, {:.1e}", back - there);
        // The far end is meters from the root: the residual of the laws counts.
        let bound = if contact == Contact::None { 1e-7 } else { 1e-5 };
        assert!(error < bound, "{error:e}");
        assert!((back - there).abs() < 1e-9 * there.abs().max(1.0));
    }
}

/// Σ over the run of random weights times states, and its gradients by q₀, v₀, u and p.
#[test]
fn gradients_of_trajectories() {
    const STEPS: usize = 100;
    let mut spec = on_ground(0.5, 0.05 - 1e-6, 2.0, ball(0.05));
    (
        spec.bodies[1].joints[0].damping,
        spec.bodies[1].joints[0].stiffness,
    ) = (0.01, 0.02);
    let model = Arc::new(Model::compile(spec, Actuation::Full).unwrap());
    let list = [
        param(ParamKind::BodyInertia, 1, 0),
        param(ParamKind::BodyInertia, 1, 4),
        param(ParamKind::GeomFriction, 0, 0),
        param(ParamKind::JointDamping, 0, 4),
        param(ParamKind::JointStiffness, 0, 3),
        param(ParamKind::Gravity, 0, 2),
    ];
    for (scheme, contact, interval) in [
        (SCHEMES[0], Contact::Ncp, 1),
        (SCHEMES[1], Contact::Convex, 7),
        (SCHEMES[1], Contact::None, 7),
    ] {
        let options = Options {
            checkpoint_interval: interval,
            ..with(scheme, contact, 1e-3)
        };
        let list = usable(&model, &options, list.to_vec());
        let (nv, mut rng) = (model.nv(), Rng::new(8));
        let from = From {
            q0: model.neutral().to_vec(),
            v0: rng.vector(nv, 0.3),
            u: rng.vector(nv * STEPS, 1.0),
        };
        compare(&model, &options, STEPS, &from, &list, 3e-6)
            .accept(&format!("{scheme:?}, {contact:?}"), 1e-7);
    }
}

#[test]
fn bad_input_is_named_and_nothing_is_written() {
    let model = Arc::new(single_joint(1, JointKind::Free));
    let refused = |o: Options| Sim::new(model.clone(), &o).unwrap_err();
    for scheme in SCHEMES {
        let e = refused(Options {
            newton_tolerance: 0.0,
            ..with(scheme, Contact::Ncp, 0.01)
        });
        assert!(e.message.contains("newton_tolerance"), "{e}");
        let e = refused(Options {
            max_newton: 0,
            ..with(scheme, Contact::Ncp, 0.01)
        });
        assert!(e.message.contains("max_newton"), "{e}");
        let options = with(scheme, Contact::Ncp, 0.01);
        let mut sim = Sim::new(model.clone(), &options).unwrap();
        let q = model.neutral().to_vec();
        let (mut qn, mut vn) = (vec![7.0; model.nq()], vec![7.0; model.nv()]);
        let bad = [f64::NAN, 0.0, 0.0, 0.0, 0.0, 0.0];
        let e = sim.step(&q, &bad, &[0.0; 6], &mut qn, &mut vn).unwrap_err();
        assert_eq!(e.status, Status::Numerical);
        let fast = [1e160; 6];
        let e = sim
            .step(&q, &fast, &[0.0; 6], &mut qn, &mut vn)
            .unwrap_err();
        assert_eq!(e.status, Status::Numerical);
        assert!(qn.iter().chain(&vn).all(|x| *x == 7.0));
    }
}

#[test]
fn steps_and_derivatives_do_not_touch_the_heap() {
    let model = Arc::new(quadruped(false));
    for scheme in SCHEMES {
        for contact in [Contact::None, Contact::Ncp, Contact::Lcp, Contact::Convex] {
            let mut sim = Sim::new(model.clone(), &with(scheme, contact, 2e-3)).unwrap();
            sim.select_params(&[
                param(ParamKind::JointPlacement, 3, 1),
                param(ParamKind::BodyInertia, 2, 0),
                param(ParamKind::JointDamping, 3, 0),
            ])
            .unwrap();
            let (mut q, mut v) = (standing(&model), vec![0.0; 18]);
            let (mut qn, mut vn) = (q.clone(), v.clone());
            let u = vec![0.0; 18];
            let sizes = [18, 18, 18, 3];
            let (mut jq, mut jv) = (
                sizes.map(|n| vec![0.0; 18 * n]),
                sizes.map(|n| vec![0.0; 18 * n]),
            );
            let mut bars = sizes.map(|n| vec![0.0; n]);
            let heap = measure(|| {
                for _ in 0..20 {
                    sim.step(&q, &v, &u, &mut qn, &mut vn).unwrap();
                    q.copy_from_slice(&qn);
                    v.copy_from_slice(&vn);
                }
                sim.step_jacobians(all_jacobians(&mut jq, &mut jv)).unwrap();
                let [a, b, c, d] = &mut bars;
                sim.step_vjp(&v, &v, Some(a), Some(b), Some(c), Some(d))
                    .unwrap();
                sim.step_vjp_aware(&v, &v, Some(a), None, None, None)
                    .unwrap();
                sim.step_jvp(&v, &v, &u, &[1.0; 3], &mut qn[..18], &mut vn)
                    .unwrap();
            });
            assert_eq!(heap.count_total, 0, "{scheme:?} {contact:?}");
        }
    }
}
