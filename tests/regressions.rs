//! Failures that users of other engines reported, each as a test of this one.
//!
//! Not here: two equal elastic balls with their closed-form gradient, and two balls and a wall whose
//! energy must not double. Both need restitution, which this version does not have. Contact of boxes
//! with boxes is tested with the collision code.

mod common;

use common::scene::*;
use common::{Rng, relative_error};
use diffsim::contact::ncp::Mode;
use diffsim::model::params::{Param, ParamKind};
use diffsim::model::spec::{GeomSpec, JointKind, JointSpec, ModelSpec, ShapeSpec};
use diffsim::model::{Actuation, Model};
use diffsim::rollout::Rollout;
use diffsim::spatial::{Pose, Quat, Vec3};
use diffsim::step::{Options, Sim};
use std::sync::Arc;

fn ball(radius: f64) -> ShapeSpec {
    ShapeSpec::Sphere { radius }
}

fn jacobian_is_finite(w: &mut World) {
    for j in w.velocity_jacobians() {
        assert!(j.iter().all(|x| x.is_finite()), "{j:?}");
    }
}

/// q⁺ (tangent at `base`) and v⁺ of a step from the warm start `memory`, and the modes.
fn outcome(
    w: &mut World,
    memory: &[f64],
    base: &[f64],
    q: &[f64],
    v: &[f64],
    u: &[f64],
) -> (Vec<f64>, Vec<Mode>) {
    w.sim.set_memory(memory).unwrap();
    let (mut qn, mut vn) = (q.to_vec(), v.to_vec());
    w.sim.step(q, v, u, &mut qn, &mut vn).unwrap();
    let mut x = vec![0.0; v.len()];
    w.sim.model().difference(base, &qn, &mut x);
    x.extend(vn);
    (x, w.sim.constraint_modes().to_vec())
}

/// Jacobians of v⁺ at the world's state against differences; returns how many columns kept their
/// modes, all of which must agree. The state does not advance.
fn check_jacobians(w: &mut World) -> usize {
    let (q, v, u) = (w.q.clone(), w.v.clone(), w.u.clone());
    let nv = v.len();
    let mut memory = vec![0.0; w.sim.memory_size()];
    w.sim.get_memory(&mut memory).unwrap();
    w.step();
    let base = w.q.clone();
    let modes = w.sim.constraint_modes().to_vec();
    let jacobians = w.velocity_jacobians();
    let model = w.sim.model().clone();
    let eps = 1e-6;
    let mut checked = 0;
    for (kind, jacobian) in jacobians.iter().enumerate() {
        for (k, column) in jacobian.chunks(nv).enumerate() {
            let mut ends = [1.0, -1.0].map(|s| {
                let (mut q2, mut v2, mut u2) = (q.clone(), v.clone(), u.clone());
                match kind {
                    0 => {
                        let mut d = vec![0.0; nv];
                        d[k] = s * eps;
                        model.integrate(&q, &d, &mut q2);
                    }
                    1 => v2[k] += s * eps,
                    _ => u2[k] += s * eps,
                }
                outcome(w, &memory, &base, &q2, &v2, &u2)
            });
            if ends.iter().any(|e| e.1 != modes) {
                continue;
            }
            let minus = std::mem::take(&mut ends[1].0);
            let slope: Vec<f64> = (ends[0].0[nv..].iter().zip(&minus[nv..]))
                .map(|(a, b)| (a - b) / (2.0 * eps))
                .collect();
            let error = relative_error(column, &slope);
            assert!(error < 1e-5, "block {kind}, column {k}: {error:e}");
            checked += 1;
        }
    }
    w.sim.set_memory(&memory).unwrap();
    (w.q, w.v) = (q, v);
    checked
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
    let mut spec = ModelSpec::default();
    ground(&mut spec, 0.5);
    free(&mut spec, "ball", at(0.0, 0.0, 0.1), 1.0, ball(0.1));
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
        let mut spec = ModelSpec::default();
        ground(&mut spec, 0.5);
        free(
            &mut spec,
            "box",
            at(0.0, 0.0, 0.1 + gap),
            1.0,
            cuboid(0.1, 0.1, 0.1),
        );
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
    let mut spec = ModelSpec::default();
    ground(&mut spec, 0.5);
    free(
        &mut spec,
        "box",
        at(0.0, 0.0, 0.1),
        1.0,
        cuboid(0.1, 0.1, 0.1),
    );
    free(&mut spec, "ball", at(0.01, 0.02, 0.25), 0.5, ball(0.05));
    let mut w = World::new(spec, Actuation::Full, &options(h));
    for i in 0..6 {
        w.v[i] = 0.01 * f64::from(i as u32);
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
    let mut spec = ModelSpec::default();
    ground(&mut spec, 0.3);
    free(
        &mut spec,
        "box",
        at(0.0, 0.0, 0.1),
        1.0,
        cuboid(0.2, 0.2, 0.1),
    );
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
            let mut spec = ModelSpec::default();
            ground(&mut spec, mu);
            free(
                &mut spec,
                "box",
                at(0.0, 0.0, 0.1),
                1.0,
                cuboid(0.1, 0.1, 0.1),
            );
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
    let h = 1e-3;
    let mut spec = ModelSpec::default();
    ground(&mut spec, 0.5);
    free(
        &mut spec,
        "box",
        at(0.0, 0.0, 0.1),
        2.0,
        cuboid(0.2, 0.3, 0.1),
    );
    let mut w = World::new(spec, Actuation::Full, &options(h));
    w.run(3);
    assert_eq!(w.sim.contacts().len(), 4);
    for c in w.sim.contacts() {
        assert!((c.impulse[2] - 2.0 * G * h / 4.0).abs() < 1e-12, "{c:?}");
        assert!(c.impulse[0].abs() < 1e-12 && c.impulse[1].abs() < 1e-12);
    }
    assert_eq!(check_jacobians(&mut w), 18);
}

/// A scene of spheres and a capsule on a box and the ground, for what follows.
fn scene(derivatives: bool) -> World {
    let mut spec = ModelSpec::default();
    ground(&mut spec, 0.5);
    free(
        &mut spec,
        "box",
        at(0.0, 0.0, 0.12),
        1.0,
        cuboid(0.2, 0.15, 0.1),
    );
    free(&mut spec, "ball", at(0.03, 0.02, 0.3), 0.5, ball(0.06));
    let rod = ShapeSpec::Capsule {
        radius: 0.04,
        half_length: 0.15,
    };
    let turned = Pose::from_quat(
        Quat::exp(Vec3::new(1.4, 0.2, 0.0)).normalized(),
        Vec3::new(-0.1, 0.05, 0.35),
    );
    free(&mut spec, "rod", turned, 0.7, rod);
    let hinge = at(0.5, 0.0, 0.5);
    let id = body(
        &mut spec,
        "arm",
        JointKind::Revolute,
        hinge,
        0.4,
        ball(0.05),
    );
    spec.bodies[id].joints[0] = JointSpec {
        axis: Vec3::Y,
        anchor: Vec3::new(0.0, 0.0, 0.3),
        limits: Some((-0.2, 0.3)),
        friction_loss: 0.01,
        ..spec.bodies[id].joints[0].clone()
    };
    let options = Options {
        derivatives,
        ..options(2e-3)
    };
    let mut w = World::new(spec, Actuation::Full, &options);
    w.launch(0, Vec3::new(0.7, 0.2, -0.3));
    w
}

fn bits(x: &[f64]) -> Vec<u64> {
    x.iter().map(|x| x.to_bits()).collect()
}

/// State after each of the steps, and impulses.
fn record(w: &mut World, rng: &mut Rng, steps: usize) -> Vec<Vec<u64>> {
    (0..steps)
        .map(|_| {
            w.u = rng.vector(w.u.len(), 0.4);
            w.step();
            let impulses: Vec<f64> = w.sim.contacts().iter().flat_map(|c| c.impulse).collect();
            [bits(&w.q), bits(&w.v), bits(&impulses)].concat()
        })
        .collect()
}

/// newton #2133, genesis #2865: contacts and motion are the same with derivatives on, off, and after
/// they have been asked for.
#[test]
fn derivatives_change_no_bit_of_the_step() {
    let steps = 200;
    let plain = record(&mut scene(false), &mut Rng::new(8), steps);
    assert_eq!(record(&mut scene(true), &mut Rng::new(8), steps), plain);
    let (mut w, mut rng) = (scene(true), Rng::new(8));
    let n = w.v.len();
    for expected in &plain {
        let got = record(&mut w, &mut rng, 1);
        assert_eq!(got[0], *expected);
        let mut bar = vec![0.0; n];
        w.velocity_jacobians();
        w.sim
            .step_vjp(
                &vec![1.0; n],
                &vec![1.0; n],
                Some(&mut bar),
                None,
                None,
                None,
            )
            .unwrap();
        let (mut a, mut b) = (bar.clone(), bar.clone());
        w.sim
            .step_jvp(&bar.clone(), &bar, &vec![0.0; n], &[], &mut a, &mut b)
            .unwrap();
    }
    assert!(plain.iter().any(|s| s.len() > 2 * n + 20));
}

/// gym #1193, mujoco #493: a state restored with its warm start replays the same bits, also in
/// another simulation.
#[test]
fn restored_memory_replays_the_same_bits() {
    let mut w = scene(true);
    let mut rng = Rng::new(8);
    record(&mut w, &mut rng, 90);
    let mut memory = vec![0.0; w.sim.memory_size()];
    w.sim.get_memory(&mut memory).unwrap();
    let (q, v) = (w.q.clone(), w.v.clone());
    let first = record(&mut w, &mut Rng::new(9), 100);
    for mut other in [w, scene(false)] {
        other.sim.set_memory(&memory).unwrap();
        (other.q, other.v) = (q.clone(), v.clone());
        assert_eq!(record(&mut other, &mut Rng::new(9), 100), first);
    }
}

/// rapier #868, mujoco #2724: simulations in turns are as alone.
#[test]
fn interleaved_simulations_are_as_alone() {
    let alone = record(&mut scene(true), &mut Rng::new(8), 100);
    let mut worlds = [scene(true), scene(true)];
    let mut rngs = [Rng::new(8), Rng::new(8)];
    for expected in &alone {
        for (w, rng) in worlds.iter_mut().zip(&mut rngs) {
            assert_eq!(record(w, rng, 1)[0], *expected);
        }
    }
}

/// The step fails with `status`, writes nothing, and the next good one is as if it had not been.
fn fails_harmlessly(
    w: &mut World,
    status: diffsim::error::Status,
    bad: impl Fn(&mut Sim, &[f64], &[f64], &[f64], &mut [f64], &mut [f64]) -> diffsim::error::Result<()>,
) {
    let mut untouched = scene(true);
    let (mut a, mut b) = (Rng::new(8), Rng::new(8));
    record(&mut untouched, &mut a, 60);
    record(w, &mut b, 60);
    let (mut qn, mut vn) = (vec![7.0; w.q.len()], vec![7.0; w.v.len()]);
    let e = bad(&mut w.sim, &w.q, &w.v, &w.u, &mut qn, &mut vn).unwrap_err();
    assert_eq!(e.status, status, "{e}");
    assert!(qn.iter().chain(&vn).all(|x| *x == 7.0));
    assert_eq!(record(w, &mut b, 60), record(&mut untouched, &mut a, 60));
}

#[test]
fn bad_input_leaves_the_simulation_as_it_was() {
    use diffsim::error::Status;
    fails_harmlessly(&mut scene(true), Status::Numerical, |s, q, v, u, qn, vn| {
        let mut u = u.to_vec();
        u[4] = f64::NAN;
        s.step(q, v, &u, qn, vn)
    });
    fails_harmlessly(&mut scene(true), Status::Numerical, |s, q, v, u, qn, vn| {
        let mut u = u.to_vec();
        u[2] = 1e308;
        u[8] = -1e308;
        s.step(q, v, &u, qn, vn)
    });
    fails_harmlessly(&mut scene(true), Status::Numerical, |s, q, v, u, qn, vn| {
        let list: Vec<Param> = (0..10)
            .map(|component| Param {
                kind: ParamKind::BodyInertia,
                index: 2,
                component,
            })
            .collect();
        s.select_params(&list).unwrap();
        let mut good = vec![0.0; 10];
        s.get_params(&mut good).unwrap();
        s.set_params(&[0.0; 10]).unwrap();
        let result = s.step(q, v, u, qn, vn);
        s.set_params(&good).unwrap();
        result
    });
}

#[test]
fn too_many_contacts_are_an_error_and_no_contact_is_dropped() {
    let mut spec = ModelSpec::default();
    ground(&mut spec, 0.5);
    for i in 0..3 {
        let x = f64::from(i);
        free(
            &mut spec,
            &format!("box{i}"),
            at(x, 0.0, 0.1),
            1.0,
            cuboid(0.1, 0.1, 0.1),
        );
    }
    let few = Options {
        max_contacts: 8,
        ..options(1e-3)
    };
    let mut w = World::new(spec, Actuation::Full, &few);
    let low = w.q.clone();
    let mut high = low.clone();
    high[16] = 5.0;
    let (mut qn, mut vn) = (vec![7.0; 21], vec![7.0; 18]);
    let zero = [0.0; 18];
    for _ in 0..2 {
        let e = w
            .sim
            .step(&low, &zero, &zero, &mut qn, &mut vn)
            .unwrap_err();
        assert_eq!(e.status, diffsim::error::Status::Capacity);
        assert!(qn.iter().chain(&vn).all(|x| *x == 7.0));
        assert!(w.sim.step_info().is_err());
        let (mut q, mut v) = (vec![0.0; 21], vec![0.0; 18]);
        w.sim.step(&high, &zero, &zero, &mut q, &mut v).unwrap();
        assert_eq!(w.sim.contacts().len(), 8);
    }
}

/// pinocchio #658 and many more: no heap call in the loop.
#[test]
fn a_step_and_its_derivatives_allocate_nothing() {
    let mut w = scene(true);
    let (nq, n) = (w.q.len(), w.v.len());
    let mut jacobians = [n, n, n].map(|k| vec![0.0; n * k]);
    let (mut qn, mut vn) = (vec![0.0; nq], vec![0.0; n]);
    let (one, mut bar, mut bar2) = (vec![1.0; n], vec![0.0; n], vec![0.0; n]);
    let mut memory = vec![0.0; w.sim.memory_size()];
    let mut rng = Rng::new(8);
    let inputs: Vec<Vec<f64>> = (0..200).map(|_| rng.vector(n, 0.4)).collect();
    let mut contacts = 0;
    let info = allocation_counter::measure(|| {
        for u in &inputs {
            w.sim.step(&w.q, &w.v, u, &mut qn, &mut vn).unwrap();
            w.q.copy_from_slice(&qn);
            w.v.copy_from_slice(&vn);
            contacts = contacts.max(w.sim.contacts().len());
            let [a, b, c] = &mut jacobians;
            w.sim
                .step_jacobians(diffsim::step::StepJacobians {
                    dv_dq: Some(a),
                    dv_dv: Some(b),
                    dv_du: Some(c),
                    ..Default::default()
                })
                .unwrap();
            w.sim
                .step_vjp(&one, &one, Some(&mut bar), Some(&mut bar2), None, None)
                .unwrap();
            w.sim
                .step_jvp(&one, &one, &one, &[], &mut bar, &mut bar2)
                .unwrap();
            w.sim.get_memory(&mut memory).unwrap();
            w.sim.set_memory(&memory).unwrap();
        }
    });
    assert!(contacts >= 6, "{contacts}");
    assert_eq!(info.count_total, 0);
}
