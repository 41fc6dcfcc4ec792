//! The step with rigid contact: Jacobians against differences wherever no mode changes inside the
//! difference, forward against reverse mode, and invariants of the interface.

use crate::common::checker::*;
use crate::common::scene::{at, body, cuboid, fixed, plane};
use crate::common::*;
use diffsim::model::params::{Param, ParamKind};
use diffsim::model::spec::{JointKind, ModelSpec, ShapeSpec};
use diffsim::model::{Actuation, Model};
use diffsim::spatial::{Pose, Quat, Vec3};
use diffsim::step::{Contact, Gradient, Options, Sim};
use std::sync::Arc;

#[test]
fn a_box_that_drops_slides_and_sticks() {
    let gains = [(0.0, 0.0), (0.5, 0.0), (0.2, 0.3)].map(|g| (Contact::Ncp, g));
    for (contact, (kp, kd)) in gains.into_iter().chain([(Contact::Convex, (0.0, 0.0))]) {
        let mut spec = ModelSpec::default();
        ground(&mut spec, 0.5);
        free_body(
            &mut spec,
            "box",
            Vec3::new(0.0, 0.0, 0.12),
            ShapeSpec::Box {
                half_extents: Vec3::new(0.1, 0.08, 0.1),
            },
        );
        let model = Model::compile(spec, Actuation::Full).unwrap();
        let mut q = model.neutral().to_vec();
        q[3..7].copy_from_slice(
            &Quat::exp(Vec3::new(0.02, 0.05, 0.3))
                .normalized()
                .to_array(),
        );
        let mut v = vec![0.6, 0.2, -0.3, 0.3, -0.2, 0.5];
        let mut c = Checker::new(
            model,
            &Options {
                contact,
                kp,
                kd,
                ..options(5e-3)
            },
        );
        c.select(&[
            param(ParamKind::GeomFriction, 0, 0),
            param(ParamKind::BodyInertia, 1, 0),
        ]);
        for _ in 0..100 {
            c.check(&mut q, &mut v, &[0.0; 6]);
        }
        c.report(&format!("box, {contact:?}, kp {kp} kd {kd}"));
    }
}

#[test]
fn round_bodies_that_roll_and_collide() {
    let mut spec = ModelSpec::default();
    ground(&mut spec, 0.4);
    free_body(
        &mut spec,
        "ball",
        Vec3::new(0.0, 0.0, 0.1),
        ShapeSpec::Sphere { radius: 0.1 },
    );
    free_body(
        &mut spec,
        "rod",
        Vec3::new(0.02, 0.24, 0.09),
        ShapeSpec::Capsule {
            radius: 0.08,
            half_length: 0.1,
        },
    );
    free_body(
        &mut spec,
        "egg",
        Vec3::new(-0.01, 0.01, 0.33),
        ShapeSpec::Ellipsoid {
            semi_axes: Vec3::new(0.1, 0.12, 0.14),
        },
    );
    // Between these two there is no friction.
    spec.geoms[2].condim = 1;
    spec.geoms[3].condim = 1;
    let model = Model::compile(spec, Actuation::FromFile).unwrap();
    for contact in LAWS {
        let mut q = model.neutral().to_vec();
        let mut rng = Rng::new(3);
        let mut v = rng.vector(18, 0.4);
        let o = Options {
            contact,
            ..options(2e-3)
        };
        let mut c = Checker::new(model.clone(), &o);
        let list: Vec<Param> = (0..4)
            .map(|i| param(ParamKind::GeomFriction, i, 0))
            .collect();
        c.select(&list);
        for _ in 0..60 {
            c.check(&mut q, &mut v, &[]);
        }
        c.report(&format!("round bodies, {contact:?}"));
    }
}

#[test]
fn a_quadruped_that_lands_and_stands() {
    for (self_collision, contact) in LAWS
        .map(|law| (law != Contact::Ncp, law))
        .into_iter()
        .chain([(true, Contact::Ncp)])
    {
        let model = quadruped(self_collision);
        let (mut q, mut v) = (standing(&model), vec![0.0; 18]);
        v[0] = 0.4;
        let rest = q.clone();
        let calf = model.joint_id("calf0").unwrap();
        let hip = model.joint_id("hip1").unwrap();
        let o = Options {
            contact,
            ..options(2e-3)
        };
        let mut c = Checker::new(model, &o);
        let mut list = vec![
            param(ParamKind::GeomFriction, 0, 0),
            param(ParamKind::JointFriction, calf, 0),
            param(ParamKind::JointDamping, hip, 0),
            param(ParamKind::BodyInertia, 1, 1),
            param(ParamKind::Gravity, 0, 0),
        ];
        for (kind, index) in [
            (ParamKind::JointPlacement, calf),
            (ParamKind::ExternalWrench, 1),
        ] {
            list.extend((0..6).map(|k| param(kind, index, k)));
        }
        c.select(&list);
        let mut rng = Rng::new(9);
        for step in 0..80 {
            let mut u = vec![0.0; 18];
            for k in 6..18 {
                u[k] = 40.0 * (rest[k + 1] - q[k + 1]) - v[k] + rng.range(-2.0, 2.0);
            }
            if step % 4 == 0 {
                c.check(&mut q, &mut v, &u);
            } else {
                let (q0, v0) = (q.clone(), v.clone());
                c.sim.step(&q0, &v0, &u, &mut q, &mut v).unwrap();
            }
        }
        c.report(&format!("quadruped, {contact:?}"));
    }
}

/// A box that starts deep in the ground is pushed out at the bounded speed, and no derivative misses
/// the bound.
#[test]
fn a_deep_overlap_is_undone_at_the_bounded_speed() {
    let mut spec = ModelSpec::default();
    ground(&mut spec, 0.5);
    let half_extents = Vec3::new(0.1, 0.08, 0.1);
    let shape = ShapeSpec::Box { half_extents };
    free_body(&mut spec, "box", Vec3::new(0.0, 0.0, 0.08), shape);
    let model = Model::compile(spec, Actuation::Full).unwrap();
    let mut q = model.neutral().to_vec();
    let turn = Quat::exp(Vec3::new(0.02, 0.05, 0.3)).normalized();
    q[3..7].copy_from_slice(&turn.to_array());
    let mut v = vec![0.3, 0.1, -0.2, 0.0, 0.0, 0.0];
    for kp in [0.0, 0.3] {
        let o = Options {
            kp,
            max_push_out: 0.4,
            ..options(5e-3)
        };
        let mut c = Checker::new(model.clone(), &o);
        let mut sim = Sim::new(Arc::new(model.clone()), &o).unwrap();
        let (mut q, mut v) = (q.clone(), v.clone());
        for step in 0..30 {
            let (mut q_next, mut v_next) = (q.clone(), v.clone());
            sim.step(&q, &v, &[0.0; 6], &mut q_next, &mut v_next)
                .unwrap();
            let info = sim.step_info().unwrap();
            assert!(info.converged && !info.push_out_given_up);
            for contact in sim.contacts() {
                if contact.gap < -0.005 && contact.impulse[2] > 0.0 {
                    let speed = contact.velocity[2];
                    assert!((speed - 0.4).abs() < 1e-9, "{step}: {speed}");
                }
            }
            c.check(&mut q, &mut v, &[0.0; 6]);
        }
        assert!(sim.contacts().iter().all(|c| c.gap > -1e-3));
        c.report(&format!("overlapping box, kp {kp}"));
    }
    // Without a bound the deepest corner leaves at its depth per step.
    let mut sim = Sim::new(Arc::new(model), &at_once(options(5e-3))).unwrap();
    let (q0, v0) = (q.clone(), v.clone());
    sim.step(&q0, &v0, &[0.0; 6], &mut q, &mut v).unwrap();
    let deepest = (sim.contacts().iter())
        .map(|c| (c.gap, c.velocity[2]))
        .fold((0.0, 0.0), |a: (f64, f64), b| if b.0 < a.0 { b } else { a });
    assert!((deepest.1 + deepest.0 / 5e-3).abs() < 1e-9, "{deepest:?}");
    assert!(deepest.1 > 4.0);
}

/// A sphere between walls that are too near: no impulse parts them, so that the step says it was taken with
/// walls that yield. They squeeze it alike, and friction keeps it from falling but for creep.
#[test]
fn a_jammed_sphere_is_squeezed_by_both_walls() {
    let overlap = 1e-3;
    for walls in [1, 2] {
        let mut spec = ModelSpec::default();
        for k in 0..walls {
            let turn = Vec3::Y * (0.5 * std::f64::consts::PI * if k == 0 { 1.0 } else { -1.0 });
            let mut pose = Pose::from_quat(Quat::exp(turn).normalized(), Vec3::ZERO);
            pose.pos = pose.rot.c[2] * (overlap - 0.1);
            plane(&mut spec, &format!("wall{k}"), pose, 0.5);
        }
        let shape = ShapeSpec::Sphere { radius: 0.1 };
        free_body(&mut spec, "ball", at(0.0, 0.0, 0.0).pos, shape);
        let model = Model::compile(spec, Actuation::FromFile).unwrap();
        let h = 1e-3;
        let mut sim = Sim::new(Arc::new(model), &at_once(options(h))).unwrap();
        let q = [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0];
        let (mut q_next, mut v) = (q, [0.0; 6]);
        sim.step(&q, &[0.0; 6], &[], &mut q_next, &mut v).unwrap();
        let info = sim.step_info().unwrap();
        assert!(info.converged, "{info:?}");
        let jammed = walls == 2;
        assert_eq!(info.push_out_given_up, jammed);
        assert_eq!(info.gradient == Gradient::OneSided, jammed);
        if jammed {
            let [left, right] = [0, 1].map(|k| sim.contacts()[k].impulse);
            assert!(left[2] > 0.0 && (left[2] - right[2]).abs() < 1e-9);
            // The friction that carries it is below the cones' limit, so it creeps.
            let carried = left[0].hypot(left[1]);
            assert!(carried > 0.4 * 9.81 * h && carried < 0.5 * left[2]);
            assert!(
                v[0].abs() < 1e-9 && v[2] < 0.0 && v[2] > -0.2 * 9.81 * h,
                "{v:?}"
            );
        } else {
            // v⁺ is in axes that the friction at the wall has begun to turn.
            assert!((q_next[0] - overlap).abs() < 1e-12, "{q_next:?} {v:?}");
        }
    }
}

/// A groove with sides of 45° and a sphere that overlaps both: on its way out it would slide on them, and
/// friction would hold it back by more than they push.
fn groove(overlap: f64, radius: f64) -> ModelSpec {
    let mut spec = ModelSpec::default();
    for (name, sign) in [("left", 1.0), ("right", -1.0)] {
        let turn = Vec3::Y * (0.25 * std::f64::consts::PI * sign);
        let pose = Pose::from_quat(Quat::exp(turn).normalized(), Vec3::ZERO);
        plane(&mut spec, name, pose, 1.5);
    }
    let place = Vec3::Z * (2.0_f64.sqrt() * (radius - overlap));
    free_body(&mut spec, "ball", place, ShapeSpec::Sphere { radius });
    spec
}

/// The jammed sphere leaves as its sides yield, more slowly than they would push it without friction, and the
/// derivative is that of such a step.
#[test]
fn a_sphere_that_friction_jams_is_squeezed_out() {
    let (overlap, h) = (1e-3, 1e-3);
    let model = Model::compile(groove(overlap, 0.1), Actuation::Full).unwrap();
    let (mut q, mut v) = (model.neutral().to_vec(), vec![0.0; 6]);
    let mut sim = Sim::new(Arc::new(model.clone()), &at_once(options(h))).unwrap();
    let (mut q_next, mut v_next) = (q.clone(), v.clone());
    sim.step(&q, &v, &[0.0; 6], &mut q_next, &mut v_next)
        .unwrap();
    let info = sim.step_info().unwrap();
    assert!(info.converged && info.push_out_given_up, "{info:?}");
    assert_eq!(info.gradient, Gradient::OneSided);
    let speed = 2.0_f64.sqrt() * overlap / h;
    assert!(v_next[2] > 0.1 * speed && v_next[2] < speed, "{v_next:?}");
    for contact in sim.contacts() {
        let [t1, t2, n] = contact.impulse;
        assert!(t1.hypot(t2) <= 1.5 * n * (1.0 + 1e-9));
    }

    let mut c = Checker::new(model, &at_once(options(h)));
    let kinds = [ParamKind::GeomFriction, ParamKind::GeomSize];
    c.select(&kinds.map(|kind| param(kind, 2, 0)));
    c.check(&mut q, &mut v, &[0.0; 6]);
    c.report("jammed sphere");
}

/// Beside a jam bodies that no row joins to it move as they do without it, to the bit: they stay rigid and
/// keep their labels.
#[test]
fn beside_a_jam_bodies_stay_rigid() {
    let (deep, shallow, radius) = (1e-3, 5e-6, 0.1);
    let o = Options {
        kp: 0.2,
        kd: 0.1,
        ..at_once(options(1e-3))
    };
    let scene = |is_jammed: bool| {
        let mut spec = groove(deep, radius);
        if !is_jammed {
            spec.geoms.last_mut().unwrap().contype = 0;
            spec.geoms.last_mut().unwrap().conaffinity = 0;
        }
        let sphere = ShapeSpec::Sphere { radius };
        let (side, up) = (Vec3::new(1.0, 0.0, 1.0), Vec3::new(-1.0, 0.0, 1.0));
        let place = (side * (radius - shallow) + up) * 0.5_f64.sqrt();
        free_body(&mut spec, "slider", place, sphere.clone());
        let ice = at(0.0, 1.0, 2.0);
        fixed(&mut spec, "ice", ice, cuboid(0.3, 0.3, 0.1), 0.5);
        spec.geoms.last_mut().unwrap().condim = 1;
        let place = ice.pos + Vec3::Z * (0.1 + radius - deep);
        free_body(&mut spec, "skater", place, sphere.clone());
        let hinge = at(0.0, -1.0, 2.0);
        let arm = body(&mut spec, "arm", JointKind::Revolute, hinge, 1.0, sphere);
        spec.bodies[arm].joints[0].limits = Some((deep, 1.0));
        Arc::new(Model::compile(spec, Actuation::Full).unwrap())
    };
    let step = |model: &Arc<Model>| {
        let (mut q, mut v) = (model.neutral().to_vec(), vec![0.0; 19]);
        (v[7], v[12], v[14], v[18]) = (0.5, 0.3, -0.2, -0.4);
        let mut sim = Sim::new(model.clone(), &o).unwrap();
        let (q0, v0) = (q.clone(), v.clone());
        sim.step(&q0, &v0, &[0.0; 19], &mut q, &mut v).unwrap();
        (sim, q0, v0, v)
    };
    let (model, free) = (scene(true), scene(false));
    let (mut sim, mut q, mut v, v_next) = step(&model);
    let info = sim.step_info().unwrap();
    assert!(info.converged && info.push_out_given_up, "{info:?}");
    assert_eq!(info.gradient, Gradient::OneSided);
    let (alone, .., v_alone) = step(&free);
    assert!(!alone.step_info().unwrap().push_out_given_up);
    let bits = |v: &[f64]| v[6..].iter().map(|x| x.to_bits()).collect::<Vec<_>>();
    assert_eq!(bits(&v_next), bits(&v_alone), "{v_next:?} {v_alone:?}");

    let labels = sim.column_labels().unwrap();
    let one_sided = |x: &[u8]| x.iter().map(|x| usize::from(*x)).sum::<usize>();
    for columns in [labels.q, labels.v, labels.u] {
        assert_eq!([one_sided(&columns[..6]), one_sided(&columns[6..])], [6, 0]);
    }

    let mut c = Checker::new(model.clone(), &o);
    let mut list: Vec<_> = (0..model.ngeom())
        .map(|g| param(ParamKind::GeomFriction, g, 0))
        .collect();
    for geom in ["ball", "slider", "skater"] {
        list.push(param(ParamKind::GeomSize, model.geom_id(geom).unwrap(), 0));
    }
    list.extend((0..2).map(|k| param(ParamKind::Stabilization, 0, k)));
    c.select(&list);
    c.check(&mut q, &mut v, &[0.0; 19]);
    let t = c.tally("beside a jam");
    assert_eq!((t.one_sided_differ, t.excluded), (0, 0));
    assert!(t.apart_one_sided < 1e-10, "{t:?}");
}
