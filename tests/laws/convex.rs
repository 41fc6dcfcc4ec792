//! Convex compliant contact: the law against formulas, and all derivatives against differences.

use crate::common::checker::{Checker, quadruped, standing};
use crate::common::runs::container;
use crate::common::scene::*;
use crate::common::{INTEGRATORS, KINDS, Rng, param, relative_error};
use diffsim::error::Status;
use diffsim::model::params::ParamKind;
use diffsim::model::spec::{GeomSpec, JointKind, ModelSpec, ShapeSpec};
use diffsim::model::{Actuation, Model};
use diffsim::query::{Smoothing, SmoothingMethod};
use diffsim::spatial::{Pose, Vec3};
use diffsim::step::{Contact, Options, Sim, StepJacobians};
use std::sync::Arc;

const RADIUS: f64 = 0.05;

fn convex(options: Options) -> Options {
    Options {
        contact: Contact::Convex,
        ..options
    }
}

/// Against differences, and directions and adjoints against the Jacobians.
fn check(name: &str, model: Model, options: &Options, q: &[f64], steps: usize) {
    let mut c = Checker::new(model, options);
    let model = c.sim.model().clone();
    let (body, geom) = (model.nbody() - 1, model.ngeom() - 1);
    c.select(&[
        param(ParamKind::BodyInertia, body, 0),
        param(ParamKind::BodyInertia, body, 4),
        param(ParamKind::JointDamping, 0, 1),
        param(ParamKind::GeomFriction, geom, 0),
        param(ParamKind::GeomSize, geom, 0),
        param(ParamKind::Gravity, 0, 2),
        param(ParamKind::ContactStiffness, geom, 0),
        param(ParamKind::ContactDissipation, geom, 0),
        param(ParamKind::ContactDissipation, 0, 0),
    ]);
    c.set(&[(2, 0.3), (6, 500.0)]);
    c.run(name, q, 1.0, steps);
}

#[test]
fn derivatives_of_a_quadruped() {
    let model = quadruped(false);
    let q = standing(&model);
    for integrator in INTEGRATORS {
        let options = Options {
            integrator,
            ..convex(options(5e-3))
        };
        check("quadruped", model.clone(), &options, &q, 20);
    }
}

#[test]
fn derivatives_of_bodies_in_a_container() {
    let options = Options {
        max_contacts: 128,
        ..convex(options(5e-3))
    };
    let model = Model::compile(container(4, true), Actuation::FromFile).unwrap();
    let mut w = World::of(model.clone(), &options);
    w.run(60);
    check("container", model, &options, &w.q, 12);
}

/// All kinds of joints, in contact with what surrounds them, with every other parameter.
#[test]
fn derivatives_of_all_joints() {
    for (i, kind) in KINDS.into_iter().enumerate().skip(1) {
        let mut rng = Rng::new(70 + i as u64);
        let mut spec = ModelSpec::default();
        ground(&mut spec, 0.6);
        let lever = Vec3::new(0.1, 0.05, -0.08);
        let id = body(&mut spec, "part", kind, at(0.0, 0.0, 0.2), 1.0, ball(0.1));
        spec.bodies[id].inertia = rng.inertia();
        let j = &mut spec.bodies[id].joints[0];
        j.axis = rng.vec3(1.0);
        j.axis2 = j.axis.cross(rng.vec3(1.0));
        (j.damping, j.stiffness, j.armature, j.friction_loss) = (0.2, 1.0, 0.01, 0.1);
        if kind == JointKind::Free {
            j.friction_loss = 0.0;
        }
        spec.geoms.push(GeomSpec::new(
            "hand",
            id,
            Pose::translation(lever),
            cuboid(0.06, 0.05, 0.07),
        ));
        // A wall that the hand just touches.
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
        let mut sim = Sim::new(Arc::new(far), &options(1e-3)).unwrap();
        let gap = sim.distance(hand, plane, &q, None).unwrap().distance;
        let model = wall(1.0 - gap - 1e-4);
        let mut c = Checker::new(model, &convex(options(4e-3)));
        let model = c.sim.model().clone();
        let mut list = vec![
            param(ParamKind::ContactStiffness, hand, 0),
            param(ParamKind::ContactDissipation, hand, 0),
            param(ParamKind::GeomFriction, hand, 0),
            param(ParamKind::GeomSize, hand, 1),
            param(ParamKind::BodyInertia, id, 0),
            param(ParamKind::BodyInertia, id, 2),
            param(ParamKind::JointPlacement, 0, 2),
            param(ParamKind::JointPlacement, 0, 4),
            param(ParamKind::JointDamping, 0, 0),
            param(ParamKind::JointStiffness, 0, 0),
            param(ParamKind::JointArmature, 0, 0),
            param(ParamKind::ExternalWrench, id, 2),
            param(ParamKind::Gravity, 0, 2),
        ];
        if kind != JointKind::Free {
            list.push(param(ParamKind::JointFriction, 0, 0));
        }
        c.select(&list);
        let mut p = vec![0.0; list.len()];
        c.sim.get_params(&mut p).unwrap();
        p[0] = 800.0;
        c.sim.set_params(&p).unwrap();
        let (mut q, mut v) = (model.neutral().to_vec(), rng.vector(model.nv(), 1.0));
        let touches = |q: &[f64], v: &[f64], u: &[f64], sim: &mut Sim| {
            sim.step(q, v, u, &mut q.to_vec(), &mut v.to_vec()).unwrap();
            sim.contacts().iter().any(|c| c.impulse[2] > 0.0)
        };
        // Towards the wall.
        if !touches(&q, &v, &vec![0.0; model.nu()], &mut c.sim) {
            v.iter_mut().for_each(|v| *v = -*v);
        }
        let mut touched = 0;
        for _ in 0..40 {
            let u = rng.vector(model.nu(), 4.0);
            touched += usize::from(touches(&q, &v, &u, &mut c.sim));
            c.check(&mut q, &mut v, &u);
        }
        assert!(touched > 2, "{kind:?}");
        c.report(&format!("{kind:?}"));
    }
}

/// A ball at rest sinks in by m g/k, or as far as the period of a step allows.
#[test]
fn at_rest_penetration_is_weight_over_stiffness() {
    for h in [1e-3, 1e-2] {
        let spec = on_ground(0.5, RADIUS, 2.0, ball(RADIUS));
        let mut w = World::new(spec, Actuation::FromFile, &convex(options(h)));
        w.run((2.0 / h) as usize);
        let rigid = w.position(0)[2] - RADIUS;
        // The weight of a ball over all directions: 8/(3√3 m).
        let weight = 8.0 / (3.0 * 3.0f64.sqrt() * 2.0);
        let near_rigid = weight / (4.0 * std::f64::consts::PI.powi(2));
        let dissipation = 0.02;
        let expected = -2.0 * G * h * (h + dissipation) * near_rigid;
        assert!(
            (rigid - expected).abs() < 1e-6 * expected.abs(),
            "{rigid:e} {expected:e}"
        );
        let list = [0, 1].map(|g| param(ParamKind::ContactStiffness, g, 0));
        w.sim.select_params(&list).unwrap();
        let k = 4e3;
        w.sim.set_params(&[2.0 * k, 2.0 * k]).unwrap();
        w.run((2.0 / h) as usize);
        let sunk = w.position(0)[2] - RADIUS;
        let expected = -2.0 * G / k;
        assert!(
            (sunk - expected).abs() < 1e-6 * expected.abs(),
            "{sunk:e} {expected:e}"
        );
    }
}

/// A rod of 1 kg that rested 42 mm deep, a needle 17 mm and a beam 0.63 mm, as if each were as mobile about
/// its axis as across it.
#[test]
fn slender_bodies_rest_on_the_ground() {
    let rod = |radius: f64, half_length: f64| ShapeSpec::Cylinder {
        radius,
        half_length,
    };
    let needle = ShapeSpec::Capsule {
        radius: 5e-4,
        half_length: 0.05,
    };
    for (name, shape, mass, radius) in [
        ("rod", rod(2e-3, 0.5), 1.0, 2e-3),
        ("needle", needle, 1e-3, 5e-4),
        ("beam", cuboid(1.0, 0.02, 0.02), 5.0, 0.02),
        ("plate", cuboid(0.5, 0.5, 1e-3), 2.0, 1e-3),
    ] {
        let lying = match name {
            "rod" | "needle" => tilt(std::f64::consts::FRAC_PI_2, 0.0).rot,
            _ => Pose::IDENTITY.rot,
        };
        for speed in [0.0, -5.0] {
            let mut spec = ModelSpec::default();
            ground(&mut spec, 0.5);
            let place = Pose::new(lying, Vec3::Z * radius);
            free(&mut spec, name, place, mass, shape.clone());
            let mut w = World::new(spec, Actuation::FromFile, &convex(options(1e-3)));
            w.launch(0, Vec3::new(0.0, 0.0, speed));
            let mut deepest = 0.0f64;
            for _ in 0..500 {
                w.step();
                let gaps = w.sim.contacts().iter().map(|c| c.gap);
                deepest = gaps.fold(deepest, f64::min);
            }
            println!("{name} at {speed} m/s: {deepest:e}");
            // Of an impact the share that near rigidity leaves of a step's travel.
            let allowed = 3e-5 + 0.06 * 1e-3 * speed.abs();
            assert!(deepest > -allowed, "{name} at {speed} m/s: {deepest:e}");
        }
    }
}

/// A body 6 cm deep leaves at the bounded speed, whatever its stiffness. A body that rests 5 cm deep by its
/// stiffness stays there. Derivatives on both sides of the bound.
#[test]
fn deep_penetrations_leave_slowly() {
    for stiffness in [f64::INFINITY, 2e5, 2.0 * 2.0 * G / 0.05] {
        let o = convex(options(1e-3));
        let spec = on_ground(0.5, 0.1 - 0.06, 2.0, ball(0.1));
        let model = Model::compile(spec, Actuation::FromFile).unwrap();
        let mut w = World::of(model.clone(), &o);
        let list = [0, 1].map(|g| param(ParamKind::ContactStiffness, g, 0));
        w.sim.select_params(&list).unwrap();
        w.sim.set_params(&[stiffness; 2]).unwrap();
        let mut fastest = 0.0f64;
        for _ in 0..1000 {
            w.step();
            fastest = fastest.max(w.velocity(0).z);
        }
        assert!(fastest < o.max_push_out * (1.0 + 1e-9), "{fastest}");
        let depth = w.position(0)[2] - 0.1;
        let expected = -2.0 * G / (0.5 * stiffness);
        assert!((depth - expected).abs() < 2e-5, "{depth} {expected}");
        let mut c = Checker::new(model.clone(), &o);
        c.select(&[
            list[0],
            list[1],
            param(ParamKind::ContactDissipation, 1, 0),
            param(ParamKind::GeomSize, 1, 0),
            param(ParamKind::BodyInertia, 1, 0),
        ]);
        if stiffness.is_finite() {
            c.set(&[(0, stiffness), (1, stiffness)]);
        }
        c.run("deep", model.neutral(), 0.5, 60);
    }
}

/// A rod of 10 cm that flies crosswise or end on at 10 m/s does not pass a wall of 1 mm.
#[test]
fn a_rod_does_not_pass_a_thin_wall() {
    for (name, turn) in [("crosswise", 0.0), ("end on", std::f64::consts::FRAC_PI_2)] {
        let mut spec = ModelSpec {
            gravity: Vec3::ZERO,
            ..ModelSpec::default()
        };
        fixed(
            &mut spec,
            "wall",
            Pose::IDENTITY,
            cuboid(5e-4, 1.0, 1.0),
            0.5,
        );
        let rod = ShapeSpec::Cylinder {
            radius: 2e-3,
            half_length: 0.05,
        };
        let place = Pose::new(tilt(turn, turn).rot, Vec3::new(-0.2, 0.0, 0.0));
        free(&mut spec, "rod", place, 0.1, rod);
        let mut w = World::new(spec, Actuation::FromFile, &convex(options(1e-3)));
        w.launch(0, Vec3::new(10.0, 0.0, 0.0));
        let mut farthest = f64::NEG_INFINITY;
        for _ in 0..60 {
            w.step();
            farthest = farthest.max(w.position(0)[0]);
        }
        assert!(farthest < 0.0, "{name}: {farthest}");
    }
}

/// A box that slides is slowed by friction times weight, and glides at a gap of friction × h × speed.
#[test]
fn a_sliding_box_is_slowed_by_friction_and_glides() {
    let (h, mu) = (1e-3, 0.5);
    let start = 0.1 + mu * h * 1.5;
    let spec = on_ground(mu, start, 1.0, cuboid(0.3, 0.3, 0.1));
    let mut w = World::new(spec, Actuation::FromFile, &convex(options(h)));
    w.launch(0, Vec3::new(1.5, 0.0, 0.0));
    w.run(100);
    let (before, x) = (w.velocity(0), w.position(0));
    w.run(100);
    let after = w.velocity(0);
    let slowed = (before.x - after.x) / (100.0 * h);
    assert!((slowed - mu * G).abs() < 0.01 * mu * G, "{slowed}");
    // Minus the compliance of the contact.
    let gap = x[2] - 0.1;
    assert!(
        gap > 0.5 * mu * h * before.x && gap < mu * h * before.x,
        "{gap:e}"
    );
    w.run(1000);
    assert!(w.velocity(0).norm() < 1e-6, "{:?}", w.velocity(0));
}

/// Steps of a pile are solved to round-off from any start, and bodies come to rest on each other without deep
/// overlaps. Every step solved, and by about as many factorizations whatever the pile's size; piles of one
/// size differ by twice.
#[test]
fn a_pile_comes_to_rest() {
    for piles in [[10, 11, 12, 13], [42, 46, 50, 54]] {
        let (mut deepest, mut factorizations) = (0.0f64, 0);
        for bodies in piles {
            let o = Options {
                max_contacts: 512,
                derivatives: false,
                ..convex(options(1e-2))
            };
            let mut w = World::new(container(bodies, true), Actuation::FromFile, &o);
            for step in 0..300 {
                w.step();
                let info = w.sim.step_info().unwrap();
                assert!(info.converged && info.residual < 1e-11, "{step}: {info:?}");
                if step >= 200 {
                    factorizations += info.iterations;
                }
            }
            let gaps = w.sim.contacts().iter().map(|c| c.gap);
            deepest = gaps.fold(deepest, f64::min);
        }
        println!("{piles:?}: deepest {deepest:e}, {factorizations} in 400 steps");
        assert!(deepest > -2e-3, "{deepest:e}");
        // A few bodies still roll in some of them. If a rolling body may pass beside another one, the step is
        // solved again.
        assert!(factorizations < 4500, "{factorizations}");
    }
}

/// Two balls that meet keep their momentum and do not gain energy.
#[test]
fn a_collision_keeps_momentum() {
    let mut spec = ModelSpec {
        gravity: Vec3::ZERO,
        ..ModelSpec::default()
    };
    free(&mut spec, "left", at(0.0, 0.0, 0.0), 1.0, ball(0.1));
    free(&mut spec, "right", at(0.21, 0.05, 0.02), 3.0, ball(0.1));
    let mut w = World::new(spec, Actuation::FromFile, &convex(options(1e-3)));
    w.launch(0, Vec3::new(1.0, 0.2, 0.0));
    (w.v[3], w.v[4]) = (3.0, -5.0);
    let momentum = |w: &World| w.velocity(0) + w.velocity(1) * 3.0;
    let energy = |w: &World| {
        let rolling: f64 = [1.0, 3.0]
            .iter()
            .enumerate()
            .map(|(b, m)| {
                0.5 * 0.4 * m * 0.01 * w.v[6 * b + 3..][..3].iter().map(|x| x * x).sum::<f64>()
            })
            .sum();
        let [a, b] = [w.velocity(0).norm(), w.velocity(1).norm()];
        0.5 * (a * a + 3.0 * b * b) + rolling
    };
    let (p, e) = (momentum(&w), energy(&w));
    w.run(200);
    assert!(w.velocity(1).norm() > 0.1);
    assert!((momentum(&w) - p).norm() < 1e-12);
    assert!(energy(&w) < e);
}

/// Another start finds the same solution: it is the only one.
#[test]
fn the_solution_does_not_depend_on_the_warm_start() {
    let o = Options {
        max_contacts: 512,
        ..convex(options(5e-3))
    };
    let mut w = World::new(container(8, true), Actuation::FromFile, &o);
    w.run(120);
    let cold = {
        let mut sim = Sim::new(w.sim.model().clone(), &o).unwrap();
        let (mut q, mut v) = (w.q.clone(), w.v.clone());
        sim.step(&w.q, &w.v, &[], &mut q, &mut v).unwrap();
        v
    };
    w.step();
    assert!(relative_error(&w.v, &cold) < 1e-11);
}

/// What has no meaning for the law is refused by name.
#[test]
fn what_compliant_contact_does_not_know_is_refused() {
    let model = Arc::new(quadruped(false));
    for (kp, kd, name) in [(0.1, 0.0, "options.kp"), (0.0, 0.1, "options.kd")] {
        let o = Options {
            kp,
            kd,
            ..convex(options(1e-3))
        };
        let error = Sim::new(model.clone(), &o).err().unwrap();
        assert_eq!(error.status, Status::InvalidArgument);
        assert!(error.message.contains(name), "{error}");
    }
    let mut sim = Sim::new(model.clone(), &convex(options(1e-3))).unwrap();
    let gain = param(ParamKind::Stabilization, 0, 0);
    assert_eq!(
        sim.select_params(&[gain]).unwrap_err().status,
        Status::Unsupported
    );
    let stiffness = param(ParamKind::ContactStiffness, 1, 0);
    let mut rigid = Sim::new(model.clone(), &options(1e-3)).unwrap();
    assert_eq!(
        rigid.select_params(&[stiffness]).unwrap_err().status,
        Status::Unsupported
    );
    sim.select_params(&[stiffness, param(ParamKind::ContactDissipation, 1, 0)])
        .unwrap();
    let mut p = [0.0; 2];
    sim.get_params(&mut p).unwrap();
    assert_eq!(p, [f64::INFINITY, 0.01]);
    for bad in [
        [0.0, 0.01],
        [f64::NAN, 0.01],
        [-1.0, 0.01],
        [1e4, -1.0],
        [1e4, f64::INFINITY],
    ] {
        assert!(sim.set_params(&bad).is_err(), "{bad:?}");
    }
    sim.set_params(&[f64::INFINITY, 0.02]).unwrap();
    // The central path is that of rigid contact.
    let (mut q, mut v) = (standing(&model), vec![0.0; 18]);
    let q0 = q.clone();
    sim.step(&q0, &[0.0; 18], &[0.0; 18], &mut q, &mut v)
        .unwrap();
    let smoothing = Smoothing {
        method: SmoothingMethod::CentralPath,
        ..Smoothing::default()
    };
    let error = sim.relaxed_step(&smoothing, &mut q, &mut v).unwrap_err();
    assert_eq!(error.status, Status::Unsupported);
    // The mean over random states works as always.
    let mut mean = vec![f64::NAN; 18 * 18];
    let out = StepJacobians {
        dv_dv: Some(&mut mean),
        ..StepJacobians::default()
    };
    let info = sim.smoothed_jacobians(&Smoothing::default(), out).unwrap();
    assert!(info.pairs == 64 && mean.iter().all(|x| x.is_finite()));
}
