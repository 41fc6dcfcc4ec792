//! Derivatives of a step by the sizes of its geometries and by the stabilization's gains.

use crate::common::checker::{Checker, FOURTH_ORDER};
use crate::common::scene::{at, body, cuboid, fixed, free, ground, options};
use crate::common::{LAWS, Rng, difference, param, relative_error};
use diffsim::batch::Batch;
use diffsim::error::Status;
use diffsim::model::params::{Param, ParamKind};
use diffsim::model::spec::{JointKind, MeshMode, ModelSpec, OpenMesh, ShapeSpec};
use diffsim::model::{Actuation, Model};
use diffsim::rollout::Rollout;
use diffsim::spatial::{Pose, Quat, Vec3};
use diffsim::step::{Contact, Options, Sim, StepJacobians};
use std::sync::Arc;

fn shapes() -> [(&'static str, usize, ShapeSpec); 7] {
    let semi_axes = Vec3::new(0.1, 0.14, 0.2);
    let wedge = diffsim::model::mesh::TriMesh {
        vertices: vec![
            Vec3::new(-0.1, -0.12, -0.1),
            Vec3::new(0.2, -0.1, -0.1),
            Vec3::new(0.0, 0.2, -0.1),
            Vec3::new(0.02, 0.01, 0.2),
        ],
        triangles: vec![[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]],
    };
    [
        ("sphere", 1, ShapeSpec::Sphere { radius: 0.15 }),
        (
            "capsule",
            2,
            ShapeSpec::Capsule {
                radius: 0.1,
                half_length: 0.2,
            },
        ),
        (
            "cylinder",
            2,
            ShapeSpec::Cylinder {
                radius: 0.12,
                half_length: 0.18,
            },
        ),
        ("ellipsoid", 3, ShapeSpec::Ellipsoid { semi_axes }),
        ("box", 3, cuboid(0.12, 0.16, 0.1)),
        (
            "plane",
            0,
            ShapeSpec::Plane {
                half_extents: [0.0; 2],
            },
        ),
        (
            "mesh",
            0,
            ShapeSpec::Mesh {
                mesh: Arc::new(wedge),
                mode: MeshMode::Hull,
                open: OpenMesh::Error,
            },
        ),
    ]
}

/// Two bodies that touch at a random place, lying flat on each other if `flat`, on the way towards each
/// other.
fn meeting(
    a: &ShapeSpec,
    b: &ShapeSpec,
    flat: bool,
    rng: &mut Rng,
) -> Option<(Model, Vec<f64>, Vec<f64>)> {
    let mut spec = ModelSpec {
        gravity: Vec3::ZERO,
        ..ModelSpec::default()
    };
    let mass_like = |shape: &ShapeSpec| match shape {
        ShapeSpec::Mesh { .. } => cuboid(0.1, 0.1, 0.1),
        shape => shape.clone(),
    };
    for (name, shape) in [("a", a), ("b", b)] {
        if matches!(shape, ShapeSpec::Plane { .. }) {
            fixed(&mut spec, name, Pose::IDENTITY, shape.clone(), 0.6);
        } else {
            free(&mut spec, name, Pose::IDENTITY, 1.0, mass_like(shape));
            let g = spec.geoms.last_mut().unwrap();
            g.shape = shape.clone();
            g.friction[0] = 0.5;
        }
    }
    let model = Model::compile(spec, Actuation::Full).unwrap();
    let plane = a.variable_sizes() == 0 && model.nv() == 6;
    let (mut q, mut v) = (model.neutral().to_vec(), rng.vector(model.nv(), 0.3));
    for (k, q) in q.chunks_exact_mut(7).enumerate() {
        let turn = if flat {
            Quat::exp(rng.vec3(3e-3) + Vec3::Z * rng.range(-1.0, 1.0)).normalized()
        } else {
            rng.quat()
        };
        q[3..].copy_from_slice(&turn.to_array());
        if plane || k == 1 {
            let p = rng.vec3(if flat { 0.05 } else { 0.2 }).to_array();
            q[..3].copy_from_slice(&p);
            q[2] += 0.4;
        }
    }
    // To a gap of a tenth of a millimetre, or as much penetration.
    let mut sim = Sim::new(Arc::new(model.clone()), &options(2e-3)).unwrap();
    let last = q.len() - 7;
    for _ in 0..8 {
        let d = sim.distance(0, 1, &q, None).ok()?;
        for k in 0..3 {
            q[last + k] -= d.normal[k] * (d.distance - rng.range(-1e-4, 1e-4));
        }
    }
    let n = sim.distance(0, 1, &q, None).ok()?.normal;
    let at = model.nv() - 6;
    let turn = Quat::from_slice(&q[last + 3..]);
    let towards = Pose::from_quat(turn, Vec3::ZERO)
        .rot
        .tr_mul_vec(Vec3::from_slice(&n));
    for k in 0..3 {
        v[at + k] -= towards[k];
    }
    Some((model, q, v))
}

/// Every shape on every other, turned anyhow and flat on each other.
#[test]
fn of_all_pairs_of_shapes() {
    let mut rng = Rng::new(77);
    let shapes = shapes();
    let poses = std::env::var("DIFFSIM_POSES").map_or(3, |s| s.parse().unwrap());
    for (name_a, _, a) in &shapes {
        for (name_b, _, b) in &shapes {
            let planes = [a, b].map(|s| matches!(s, ShapeSpec::Plane { .. }));
            if planes == [true; 2] || a.variable_sizes() + b.variable_sizes() == 0 {
                continue;
            }
            // The plane comes first: a body moves against it.
            if planes[1] {
                continue;
            }
            let (mut touch, mut wrong, mut checked) = (0, 0, 0);
            for (pose, contact) in (0..poses).flat_map(|p| LAWS.map(|l| (p, l))) {
                let flat = pose % 3 == 2;
                let Some((model, mut q, mut v)) = meeting(a, b, flat, &mut rng) else {
                    continue;
                };
                let rigid = contact != Contact::Convex;
                let (kp, kd) = if rigid { (0.3, 0.2) } else { (0.0, 0.0) };
                let o = Options {
                    contact,
                    kp,
                    kd,
                    ..options(2e-3)
                };
                let mut c = Checker::new(model, &o);
                (c.eps, c.stencil) = (2e-7, FOURTH_ORDER);
                let mut list: Vec<Param> = Vec::new();
                for (g, shape) in [a, b].into_iter().enumerate() {
                    let sizes = 0..shape.variable_sizes();
                    list.extend(sizes.map(|k| param(ParamKind::GeomSize, g, k)));
                }
                list.extend((0..2).map(|k| match rigid {
                    true => param(ParamKind::Stabilization, 0, k),
                    false => param(ParamKind::ContactDissipation, k, 0),
                }));
                c.select(&list);
                let u = vec![0.0; v.len()];
                c.label = format!("{name_a} on {name_b}, pose {pose}, {contact:?}");
                let mut probe = Sim::new(c.sim.model().clone(), &o).unwrap();
                probe
                    .step(&q, &v, &u, &mut q.clone(), &mut v.clone())
                    .unwrap();
                touch += usize::from(probe.contacts().iter().any(|c| c.impulse[2] > 0.0));
                c.check(&mut q, &mut v, &u);
                let t = c.tally(&c.label.clone());
                checked += t.checked;
                wrong += t.wrong;
            }
            assert!(touch > poses && checked > 0, "{name_a} on {name_b}");
            assert!(100 * wrong <= checked, "{name_a} on {name_b}");
        }
    }
}

/// Cylinders that lie on a box with one end lifted, beside its edge, and beside another one, millimetres
/// deep. Their sizes moved balls about the ends of the axes, which touched in place of the rims.
#[test]
fn of_cylinders_that_lie() {
    let (radius, half_length) = (0.05, 0.08);
    let rod = ShapeSpec::Cylinder {
        radius,
        half_length,
    };
    let along_x = |slope: f64, turn: f64| {
        let lying = Quat::exp(Vec3::Y * (std::f64::consts::FRAC_PI_2 - slope));
        let turned = Quat::exp(Vec3::Z * turn);
        Pose::from_quat(turned, Vec3::ZERO)
            .rot
            .mul_mat(&Pose::from_quat(lying, Vec3::ZERO).rot)
    };
    let beside = Pose::new(along_x(0.0, 0.03), Vec3::new(0.03, 0.03, -0.09));
    let lower = [
        ("box", at(0.0, 0.0, -0.11), cuboid(0.07, 0.2, 0.06)),
        ("edge", at(0.02, 0.06, -0.05), cuboid(0.09, 0.04, 0.02)),
        ("cylinder", beside, rod.clone()),
    ];
    for (name, below, shape) in &lower {
        for slope in [0.02, 0.1] {
            for contact in LAWS {
                let mut spec = ModelSpec::default();
                let over = Pose::new(along_x(slope, 0.0), Vec3::new(0.0, 0.0, -0.002));
                free(&mut spec, "upper", over, 1.0, rod.clone());
                free(&mut spec, "lower", *below, 1.0, shape.clone());
                let model = Model::compile(spec, Actuation::Full).unwrap();
                let o = Options {
                    contact,
                    ..options(2e-3)
                };
                let mut q = model.neutral().to_vec();
                let mut v = vec![0.0; 12];
                (v[1], v[2], v[9]) = (0.2, -0.3, 0.4);
                let mut c = Checker::new(model, &o);
                (c.eps, c.stencil) = (2e-7, FOURTH_ORDER);
                let sizes = (0..2).map(|k| param(ParamKind::GeomSize, 0, k));
                c.select(&sizes.collect::<Vec<_>>());
                c.label = format!("{name}, {slope}, {contact:?}");
                c.sim.collide(&q).unwrap();
                assert!(!c.sim.contacts().is_empty(), "{}", c.label);
                c.check(&mut q, &mut v, &[0.0; 12]);
                let t = c.tally(&c.label.clone());
                assert!(t.checked > 0 && t.wrong == 0, "{name} {slope} {contact:?}");
            }
        }
    }
}

fn ball_on_ground(radius: f64) -> Model {
    let mut spec = ModelSpec::default();
    ground(&mut spec, 0.4);
    free(
        &mut spec,
        "box",
        at(0.0, 0.0, 0.1),
        1.0,
        cuboid(0.2, 0.2, 0.1),
    );
    let ball = ShapeSpec::Sphere { radius };
    free(
        &mut spec,
        "ball",
        at(0.02, 0.01, 0.33),
        0.5,
        cuboid(0.1, 0.1, 0.1),
    );
    spec.geoms[2].shape = ball;
    Model::compile(spec, Actuation::Full).unwrap()
}

/// A geom that is made larger collides as one that was loaded so, to the last bit; also in a batch.
#[test]
fn a_changed_size_is_that_of_a_model_loaded_with_it() {
    let radius = param(ParamKind::GeomSize, 2, 0);
    let o = options(1e-3);
    let small = Arc::new(ball_on_ground(0.08));
    let mut expected = Sim::new(Arc::new(ball_on_ground(0.12)), &o).unwrap();
    let mut changed = Sim::new(small.clone(), &o).unwrap();
    changed.select_params(&[radius]).unwrap();
    let mut batch = Batch::new(small.clone(), &o, 1, 1).unwrap();
    batch.select_params(&[radius]).unwrap();
    let mut q = [small.neutral(); 3].map(<[f64]>::to_vec);
    let mut v = [(); 3].map(|_| vec![0.0; 12]);
    let u = vec![0.0; 12];
    // The small ball falls first, so that searches have something to forget.
    for _ in 0..20 {
        let (q0, v0) = (q[1].clone(), v[1].clone());
        changed.step(&q0, &v0, &u, &mut q[1], &mut v[1]).unwrap();
    }
    assert_eq!(changed.contacts().len(), 4);
    changed.set_params(&[0.12]).unwrap();
    batch.sim_mut(0).unwrap().set_params(&[0.12]).unwrap();
    changed.reset();
    (q[1], v[1]) = (q[0].clone(), v[0].clone());
    for _ in 0..60 {
        let (q0, v0) = (q.clone(), v.clone());
        expected
            .step(&q0[0], &v0[0], &u, &mut q[0], &mut v[0])
            .unwrap();
        changed
            .step(&q0[1], &v0[1], &u, &mut q[1], &mut v[1])
            .unwrap();
        batch
            .step(&q0[2], &v0[2], &u, &mut q[2], &mut v[2], &mut [Status::Ok])
            .unwrap();
    }
    assert_eq!(expected.contacts().len(), 5);
    assert_eq!((&q[0], &v[0]), (&q[1], &v[1]));
    assert_eq!((&q[0], &v[0]), (&q[2], &v[2]));
    let mut p = [0.0];
    changed.get_params(&mut p).unwrap();
    assert_eq!(p, [0.12]);
}

/// The adjoint of a rollout by a radius, a half extent and both gains is the slope of the rollout.
#[test]
fn adjoint_of_a_rollout() {
    const STEPS: usize = 5;
    let model = Arc::new(ball_on_ground(0.1));
    let o = Options {
        kp: 0.4,
        kd: 0.1,
        checkpoint_interval: 2,
        ..options(2e-3)
    };
    let mut rollout = Rollout::new(model.clone(), &o, STEPS).unwrap();
    let list = [
        param(ParamKind::GeomSize, 2, 0),
        param(ParamKind::GeomSize, 1, 2),
        param(ParamKind::Stabilization, 0, 0),
        param(ParamKind::Stabilization, 0, 1),
    ];
    rollout.select_params(&list).unwrap();
    let mut v0 = vec![0.0; 12];
    (v0[6], v0[7], v0[8]) = (0.3, -0.2, -0.4);
    let mut q0 = model.neutral().to_vec();
    // Both begin inside their support, and with kp > 0 do not reach its surface.
    (q0[2], q0[9]) = (0.0995, 0.2992);
    let mut rng = Rng::new(3);
    let weights = rng.vector(12, 1.0);
    let u = vec![0.0; 12 * STEPS];
    let end = |rollout: &mut Rollout| {
        let mut v = vec![0.0; 12 * (STEPS + 1)];
        rollout
            .run(&q0, &v0, &u, STEPS, None, Some(&mut v))
            .unwrap();
        v[12 * STEPS..]
            .iter()
            .zip(&weights)
            .map(|(a, b)| a * b)
            .sum::<f64>()
    };
    end(&mut rollout);
    let mut v_bar = vec![0.0; 12 * (STEPS + 1)];
    v_bar[12 * STEPS..].copy_from_slice(&weights);
    let mut p_bar = [0.0; 4];
    let zero = vec![0.0; 12 * (STEPS + 1)];
    rollout
        .adjoint(&zero, &v_bar, None, None, None, Some(&mut p_bar))
        .unwrap();
    let mut p = [0.0; 4];
    rollout.sim().get_params(&mut p).unwrap();
    for k in 0..4 {
        let slope = difference(1e-7, |x| {
            let mut p = p;
            p[k] += x;
            rollout.sim_mut().set_params(&p).unwrap();
            vec![end(&mut rollout)]
        })[0];
        println!(
            "{:?}: adjoint {:.6}, difference {slope:.6}",
            list[k], p_bar[k]
        );
        assert!(slope.abs() > 1e-6);
        assert!(
            (p_bar[k] - slope).abs() < 1e-5 * slope.abs().max(1.0),
            "{:?}",
            list[k]
        );
    }
}

/// A hinge beyond its bound, on the way further.
#[test]
fn gains_of_a_joint_limit() {
    let mut spec = ModelSpec::default();
    let id = body(
        &mut spec,
        "arm",
        JointKind::Revolute,
        at(0.0, 0.0, 0.0),
        1.0,
        cuboid(0.1, 0.1, 0.1),
    );
    spec.bodies[id].joints[0].axis = Vec3::Y;
    spec.bodies[id].joints[0].limits = Some((-0.2, 0.3));
    let model = Model::compile(spec, Actuation::Full).unwrap();
    let o = Options {
        kp: 0.4,
        kd: 0.3,
        ..options(2e-3)
    };
    let mut c = Checker::new(model, &o);
    let gains = [0, 1].map(|k| param(ParamKind::Stabilization, 0, k));
    c.select(&gains);
    c.sim
        .step(&[0.301], &[0.5], &[0.0], &mut [0.0], &mut [0.0])
        .unwrap();
    let mut by_gains = [0.0; 2];
    let out = StepJacobians {
        dv_dp: Some(&mut by_gains),
        ..StepJacobians::default()
    };
    c.sim.step_jacobians(out).unwrap();
    // v⁺ = −K_d (−v) … the limit's row is −v: −v⁺ = (1 − K_p) 0.001/h + K_d (−0.5).
    let expected = [0.001 / 2e-3, 0.5];
    assert!(relative_error(&by_gains, &expected) < 1e-9, "{by_gains:?}");
    c.check(&mut vec![0.301], &mut vec![0.5], &[0.0]);
    c.report("limit");
}

#[test]
fn what_has_no_such_parameter_is_refused() {
    let mut spec = ModelSpec::default();
    for (name, _, shape) in shapes() {
        fixed(&mut spec, name, Pose::IDENTITY, shape, 0.5);
    }
    let model = Arc::new(Model::compile(spec, Actuation::Full).unwrap());
    let mut sim = Sim::new(model.clone(), &options(1e-3)).unwrap();
    let mut status = |p: Param| sim.select_params(&[p]).map_err(|e| e.status);
    for (g, (_, sizes, _)) in shapes().iter().enumerate() {
        for k in 0..*sizes {
            assert_eq!(status(param(ParamKind::GeomSize, g, k)), Ok(()));
        }
        let missing = if *sizes == 0 {
            Status::Unsupported
        } else {
            Status::InvalidArgument
        };
        assert_eq!(status(param(ParamKind::GeomSize, g, *sizes)), Err(missing));
    }
    assert_eq!(
        status(param(ParamKind::GeomSize, 7, 0)),
        Err(Status::InvalidArgument)
    );
    for (index, component) in [(0, 2), (1, 0)] {
        let p = param(ParamKind::Stabilization, index, component);
        assert_eq!(status(p), Err(Status::InvalidArgument));
    }
    sim.select_params(&[
        param(ParamKind::GeomSize, 0, 0),
        param(ParamKind::Stabilization, 0, 1),
    ])
    .unwrap();
    for bad in [[0.0, 0.5], [-0.1, 0.5], [0.1, 1.1], [0.1, -0.1]] {
        let e = sim.set_params(&bad).unwrap_err();
        assert_eq!(e.status, Status::InvalidArgument);
        let mut p = [0.0; 2];
        sim.get_params(&mut p).unwrap();
        assert_eq!(p, [0.15, 0.0]);
    }
    // Without contact neither has any effect.
    let o = Options {
        contact: Contact::None,
        ..options(1e-3)
    };
    let mut free = Sim::new(model, &o).unwrap();
    for p in [
        param(ParamKind::GeomSize, 0, 0),
        param(ParamKind::Stabilization, 0, 0),
    ] {
        assert_eq!(
            free.select_params(&[p]).unwrap_err().status,
            Status::Unsupported
        );
    }
}
