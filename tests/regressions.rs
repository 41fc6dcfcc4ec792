//! Failures that users of other engines reported, each as a test of this one.
//!
//! Not here: those of impacts, which are with restitution, and contact of boxes with boxes, which is tested
//! with the collision code.

mod common;

use common::scene::*;
use common::{Rng, relative_error};
use diffsim::contact::mode::Mode;
use diffsim::model::params::{Param, ParamKind};
use diffsim::model::spec::{GeomSpec, JointKind, ModelSpec, ShapeSpec};
use diffsim::model::{Actuation, Model};
use diffsim::rollout::Rollout;
use diffsim::spatial::{Pose, Vec3};
use std::sync::Arc;

fn jacobian_is_finite(w: &mut World) {
    for j in w.velocity_jacobians() {
        assert!(j.iter().all(|x| x.is_finite()), "{j:?}");
    }
}

/// nimble #46, #200: what is dropped on a body must not pass it, however fast and thin.
#[test]
fn sphere_does_not_pass_through_a_thin_box() {
    for (speed, h) in [(1.0, 1e-3), (50.0, 1e-3), (50.0, 1e-2), (300.0, 1e-2)] {
        let mut spec = ModelSpec::default();
        fixed(
            &mut spec,
            "sheet",
            Pose::IDENTITY,
            cuboid(1.0, 1.0, 1e-3),
            0.5,
        );
        free(&mut spec, "ball", at(0.1, 0.2, 1.0), 0.5, ball(0.02));
        let mut w = World::new(spec, Actuation::FromFile, &options(h));
        w.launch(0, Vec3::new(0.0, 0.0, -speed));
        for _ in 0..(1.5 / h) as usize {
            w.step();
            assert!(w.position(0).z > 0.021 - 1e-9, "{speed} m/s: {:?}", w.q);
        }
        assert!((w.position(0).z - 0.021).abs() < 1e-9);
    }
}

/// The same where the blow comes from another body within the step.
#[test]
fn struck_sphere_does_not_enter_its_neighbour() {
    let mut spec = ModelSpec {
        gravity: Vec3::ZERO,
        ..ModelSpec::default()
    };
    for i in 0..4 {
        let x = f64::from(i) * 0.205;
        free(
            &mut spec,
            &format!("ball{i}"),
            at(x, 0.0, 0.0),
            1.0,
            ball(0.1),
        );
    }
    let mut w = World::new(spec, Actuation::FromFile, &options(1e-2));
    w.launch(0, Vec3::X * 5.0);
    for _ in 0..50 {
        w.step();
        for i in 0..3 {
            let gap = (w.position(i + 1) - w.position(i)).norm() - 0.2;
            assert!(gap > -1e-9, "gap {gap:e}");
        }
    }
    // Without restitution all go on together.
    for i in 0..4 {
        assert!((w.velocity(i) - Vec3::X * 1.25).norm() < 1e-9);
    }
}

/// brax #317: the final height must grow with the start height, and its gradient be non-negative.
#[test]
fn final_height_grows_with_start_height() {
    let (h, steps) = (2e-3, 100);
    let spec = on_ground(0.5, 0.1, 1.0, ball(0.1));
    let model = Arc::new(Model::compile(spec, Actuation::FromFile).unwrap());
    let mut rollout = Rollout::new(model.clone(), &options(h), steps).unwrap();
    let mut before = f64::NEG_INFINITY;
    for i in 0..=60 {
        let start = 0.1 + 0.01 * f64::from(i) + 0.0037;
        let mut q0 = model.neutral().to_vec();
        q0[2] = start;
        let v0 = [0.0, 0.0, -2.0, 0.0, 0.0, 0.0];
        let mut q = vec![0.0; 7 * (steps + 1)];
        rollout
            .run(&q0, &v0, &[], steps, Some(&mut q), None)
            .unwrap();
        let height = q[7 * steps + 2];
        assert!(height > before - 1e-12, "{height} after {before}");
        before = height;
        let mut q_bar = vec![0.0; 6 * (steps + 1)];
        q_bar[6 * steps + 2] = 1.0;
        let mut gradient = [f64::NAN; 6];
        rollout
            .adjoint(
                &q_bar,
                &vec![0.0; 6 * (steps + 1)],
                Some(&mut gradient),
                None,
                None,
                None,
            )
            .unwrap();
        let time = h * steps as f64;
        let fallen = 2.0 * time + 0.5 * G * time * (time + h);
        let lands = start - fallen < 0.1;
        let expected = if lands { 0.0 } else { 1.0 };
        assert!(
            (gradient[2] - expected).abs() < 1e-12,
            "{start}: {gradient:?}"
        );
    }
}

/// mujoco #1517, #1349: a geom that leaves the ground, and one that touches it with no force.
#[test]
fn jacobian_is_finite_where_contact_begins_and_ends() {
    for (gap, lift) in [(0.0, 0.0), (0.0, G), (0.0, 1.5 * G), (1e-12, G), (-1e-9, G)] {
        let spec = on_ground(0.5, 0.1 + gap, 1.0, cuboid(0.1, 0.1, 0.1));
        let mut w = World::new(spec, Actuation::Full, &options(1e-3));
        w.u[2] = lift;
        for _ in 0..5 {
            w.step();
            jacobian_is_finite(&mut w);
        }
    }
}

/// A leg of two joints that presses a foot on the ground, with every parameter that a step takes.
fn leg() -> World {
    let mut spec = ModelSpec::default();
    ground(&mut spec, 0.4);
    let trunk = free(
        &mut spec,
        "trunk",
        at(0.0, 0.0, 0.45),
        2.0,
        cuboid(0.1, 0.1, 0.05),
    );
    let mut parent = trunk;
    for (i, name) in ["thigh", "shin"].into_iter().enumerate() {
        let pose = at(0.0, 0.0, if i == 0 { 0.0 } else { -0.2 });
        let id = body(
            &mut spec,
            name,
            JointKind::Revolute,
            pose,
            0.5,
            cuboid(0.02, 0.02, 0.1),
        );
        spec.geoms.pop();
        spec.bodies[id].parent = parent;
        let j = &mut spec.bodies[id].joints[0];
        j.axis = Vec3::Y;
        j.damping = 0.3;
        j.stiffness = 2.0;
        j.spring_reference = 0.1;
        j.armature = 0.02;
        j.friction_loss = 0.05;
        j.limits = Some((-2.0, 2.0));
        parent = id;
    }
    let foot = Pose::translation(Vec3::new(0.0, 0.0, -0.2));
    spec.geoms
        .push(GeomSpec::new("foot", parent, foot, ball(0.05)));
    let mut w = World::new(spec, Actuation::Full, &options(1e-3));
    (w.v[0], w.v[6], w.v[7]) = (0.8, 0.5, -1.1);
    w
}

/// mujoco #1344: a parameter that is accepted has its derivative, not a silent zero.
#[test]
fn every_accepted_parameter_has_its_derivative() {
    let mut w = leg();
    let shin = w.sim.model().joint_id("shin_joint").unwrap() as i32;
    let body = w.sim.model().body_id("shin").unwrap() as i32;
    let all = [
        (ParamKind::BodyInertia, body, 10),
        (ParamKind::GeomFriction, 0, 1),
        (ParamKind::JointDamping, shin, 1),
        (ParamKind::JointStiffness, shin, 1),
        (ParamKind::JointArmature, shin, 1),
        (ParamKind::JointPlacement, shin, 6),
        (ParamKind::Gravity, 0, 3),
        (ParamKind::JointSpringReference, shin, 1),
        (ParamKind::JointFriction, shin, 1),
    ];
    let list: Vec<Param> = (all.iter())
        .flat_map(|&(kind, index, n)| {
            (0..n).map(move |component| Param {
                kind,
                index,
                component,
            })
        })
        .collect();
    w.sim.select_params(&list).unwrap();
    let (q, v) = (w.q.clone(), w.v.clone());
    let (nv, np) = (v.len(), list.len());
    w.run(1);
    assert_eq!(w.sim.contacts()[0].mode, Mode::Sliding);
    let (base, memory) = (w.q.clone(), vec![0.0; w.sim.memory_size()]);
    let modes = w.sim.constraint_modes().to_vec();
    let mut jacobian = vec![f64::NAN; nv * np];
    w.sim
        .step_jacobians(diffsim::step::StepJacobians {
            dv_dp: Some(&mut jacobian),
            ..Default::default()
        })
        .unwrap();
    let mut p = vec![0.0; np];
    w.sim.get_params(&mut p).unwrap();
    let eps = 1e-6;
    for (k, param) in list.iter().enumerate() {
        let ends = [eps, -eps].map(|s| {
            let mut shifted = p.clone();
            shifted[k] += s;
            w.sim.set_params(&shifted).unwrap();
            let (x, m) = outcome(&mut w, &memory, &base, &q, &v, &[0.0; 8]);
            assert_eq!(m, modes, "{param:?}");
            x
        });
        let slope: Vec<f64> = (0..nv)
            .map(|i| (ends[0][nv + i] - ends[1][nv + i]) / (2.0 * eps))
            .collect();
        let ours = &jacobian[k * nv..(k + 1) * nv];
        assert!(
            relative_error(ours, &slope) < 1e-6,
            "{param:?}: {ours:?}, {slope:?}"
        );
        // A motion in the xz plane feels no products of inertia out of it, nor the moments about x, z.
        let flat =
            param.kind == ParamKind::BodyInertia && [4, 5, 7, 8, 9].contains(&param.component);
        let size = ours.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
        assert!(flat || size > 1e-9, "{param:?} has no effect");
    }
}

/// genesis #2059: two free bodies with derivatives; warp #280: the load feels the pose of what it
/// stands on.
#[test]
fn ball_on_a_box_feels_the_pose_of_the_box() {
    let h = 1e-3;
    let mut spec = on_ground(0.5, 0.1, 1.0, cuboid(0.1, 0.1, 0.1));
    free(&mut spec, "ball", at(0.01, 0.02, 0.25), 0.5, ball(0.05));
    let mut w = World::new(spec, Actuation::Full, &options(h));
    for i in 0..6 {
        w.v[i] = 0.1 * f64::from(i as u32);
    }
    assert!(check_jacobians(&mut w) > 12);
    w.v.fill(0.0);
    w.step();
    let [by_q, ..] = w.velocity_jacobians();
    // The box is pressed back to the ground: −1/h; the ball stays on it and sinks with it.
    let upper_by_lower = by_q[2 * 12 + 8];
    let lower_by_lower = by_q[2 * 12 + 2];
    assert!((lower_by_lower + 1.0 / h).abs() < 1e-6, "{lower_by_lower}");
    assert!(upper_by_lower.abs() < 1e-6, "{upper_by_lower}");
    assert!((by_q[8 * 12 + 8] + 1.0 / h).abs() < 1e-6);
}

/// genesis #3087: an offset prismatic joint and a quaternion in one chain, siblings that share an
/// ancestor, and a second step that replays the first one's state.
#[test]
fn chains_with_offsets_and_shared_ancestors_have_exact_jacobians() {
    let mut spec = ModelSpec::default();
    ground(&mut spec, 0.6);
    let mut rng = Rng::new(21);
    let base = free(
        &mut spec,
        "base",
        at(0.0, 0.0, 0.3),
        3.0,
        cuboid(0.2, 0.1, 0.05),
    );
    for (i, kind) in [
        JointKind::Prismatic,
        JointKind::Spherical,
        JointKind::Revolute,
    ]
    .into_iter()
    .enumerate()
    {
        let mut pose = at(0.15 * (i as f64 - 1.0), 0.05 * i as f64, -0.1);
        pose.rot = rng.pose(0.0).rot;
        let id = body(&mut spec, &format!("arm{i}"), kind, pose, 0.4, ball(0.06));
        spec.bodies[id].parent = base;
        let j = &mut spec.bodies[id].joints[0];
        j.axis = rng.vec3(1.0);
        j.anchor = rng.vec3(0.1);
        j.damping = 0.1;
        let tip = at(0.0, 0.0, -0.12);
        let tip = body(
            &mut spec,
            &format!("tip{i}"),
            JointKind::Revolute,
            tip,
            0.2,
            ball(0.05),
        );
        spec.bodies[tip].parent = id;
        spec.bodies[tip].joints[0].axis = rng.vec3(1.0);
    }
    let mut w = World::new(spec, Actuation::Full, &options(2e-3));
    w.v = rng.vector(w.v.len(), 0.3);
    w.u = rng.vector(w.u.len(), 0.5);
    let (mut checked, mut all, mut contacts) = (0, 0, 0);
    for _ in 0..150 {
        let touching = w.sim.contacts().iter().any(|c| c.impulse[2] > 0.0);
        if touching && contacts < 8 {
            contacts += 1;
            checked += check_jacobians(&mut w);
            all += 3 * w.v.len();
        }
        w.step();
    }
    assert!(
        contacts == 8 && 2 * checked > all,
        "{checked} of {all} in {contacts} steps"
    );
}

/// mujoco #728: not a product of 500 Jacobians, which grows without bound, but one adjoint.
#[test]
fn adjoint_of_five_hundred_steps_is_the_slope_of_the_rollout() {
    let steps = 500;
    let spec = on_ground(0.3, 0.1, 1.0, cuboid(0.2, 0.2, 0.1));
    let model = Arc::new(Model::compile(spec, Actuation::Full).unwrap());
    let mut rollout = Rollout::new(model.clone(), &options(1e-3), steps).unwrap();
    let q0 = model.neutral().to_vec();
    let u = vec![0.0; 6 * steps];
    let travel = |rollout: &mut Rollout, speed: f64| {
        let mut q = vec![0.0; 7 * (steps + 1)];
        let v0 = [speed, 0.0, 0.0, 0.0, 0.0, 0.0];
        rollout
            .run(&q0, &v0, &u, steps, Some(&mut q), None)
            .unwrap();
        q[7 * steps]
    };
    let eps = 1e-6;
    let slope = (travel(&mut rollout, 2.5 + eps) - travel(&mut rollout, 2.5 - eps)) / (2.0 * eps);
    travel(&mut rollout, 2.5);
    let mut q_bar = vec![0.0; 6 * (steps + 1)];
    q_bar[6 * steps] = 1.0;
    let v_bar = vec![0.0; 6 * (steps + 1)];
    let mut v0_bar = [0.0; 6];
    rollout
        .adjoint(&q_bar, &v_bar, None, Some(&mut v0_bar), None, None)
        .unwrap();
    // It still slides: every step carries the initial speed on.
    assert!((slope - 0.5).abs() < 1e-6, "{slope}");
    assert!((v0_bar[0] - slope).abs() < 1e-7, "{v0_bar:?} {slope}");
}

/// parry #378: a capsule beside a box must not touch at a point far away.
#[test]
fn capsule_beside_a_box_touches_only_near_it() {
    let mut rng = Rng::new(2);
    for _ in 0..300 {
        let mut spec = ModelSpec::default();
        fixed(&mut spec, "box", Pose::IDENTITY, cuboid(0.5, 0.4, 0.3), 0.5);
        let pose = Pose::from_quat(rng.quat(), rng.vec3(1.2));
        let shape = ShapeSpec::Capsule {
            radius: 0.1,
            half_length: 0.4,
        };
        free(&mut spec, "rod", pose, 1.0, shape);
        let mut w = World::new(spec, Actuation::FromFile, &options(1e-3));
        let (q, v) = (w.q.clone(), w.v.clone());
        let (mut qn, mut vn) = (q.clone(), v.clone());
        w.sim.step(&q, &v, &[], &mut qn, &mut vn).unwrap();
        for c in w.sim.contacts() {
            let p = c.point.map(f64::abs);
            let slack = c.gap.abs() + 1e-9;
            assert!(
                p[0] <= 0.5 + slack && p[1] <= 0.4 + slack && p[2] <= 0.3 + slack,
                "{c:?}"
            );
        }
    }
}

/// drake PR #14963: friction at exactly zero slip, no square root of zero is differentiated.
#[test]
fn jacobian_is_finite_at_exactly_zero_slip() {
    for mu in [0.0, 0.5] {
        for v in [0.0, 1e-300, 1e-160, 1e-17] {
            let spec = on_ground(mu, 0.1, 1.0, cuboid(0.1, 0.1, 0.1));
            let mut w = World::new(spec, Actuation::Full, &options(1e-3));
            w.v[0] = v;
            w.step();
            jacobian_is_finite(&mut w);
            assert!(w.v.iter().all(|x| x.is_finite()));
        }
    }
}

/// DART's CFM clause, phyz's `SingularKkt`: the corners of a box are redundant; the impulse is that
/// of least norm, and motion and its Jacobian are those of differences.
#[test]
fn redundant_corners_of_a_box_share_its_weight() {
    // A difference of 1e-6 rad is undone at 1e-6/h rad/s: the corners of the tilted box hold together but
    // for the product of the two, which must stay below what the solver tells apart.
    let h = 1e-2;
    let spec = on_ground(0.5, 0.1, 2.0, cuboid(0.2, 0.3, 0.1));
    let mut w = World::new(spec, Actuation::Full, &options(h));
    w.run(3);
    assert_eq!(w.sim.contacts().len(), 4);
    for c in w.sim.contacts() {
        assert!((c.impulse[2] - 2.0 * G * h / 4.0).abs() < 1e-12, "{c:?}");
        assert!(c.impulse[0].abs() < 1e-12 && c.impulse[1].abs() < 1e-12);
    }
    assert_eq!(check_jacobians(&mut w), 18);
}
