//! Derivatives of steps with penalty contact of trees, joints and limits against differences.

use crate::common::penalty::{Tally, accept, all_parameters, check, compile, options, roughen};
use crate::common::scene::{ball, body, cuboid, ground, on_ground};
use crate::common::trajectory::{From, compare};
use crate::common::varying::Universal;
use crate::common::{Rng, param, random_joint, random_q};
use diffsim::model::params::ParamKind;
use diffsim::model::spec::{BodySpec, GeomSpec, JointKind, JointSpec, ModelSpec, ShapeSpec};
use diffsim::spatial::{Pose, Vec3};
use diffsim::step::{Integrator, Options, Sim};
use std::sync::Arc;

/// A body with a ball at its end, hung on another by a joint of the kind.
fn hang(spec: &mut ModelSpec, rng: &mut Rng, parent: usize, kind: JointKind) -> usize {
    let id = spec.bodies.len();
    spec.bodies.push(BodySpec {
        name: format!("body{id}"),
        parent,
        placement: Pose::from_quat(rng.quat(), rng.vec3(0.1) + Vec3::X * 0.15),
        inertia: rng.inertia(),
        joints: vec![random_joint(rng, format!("joint{id}"), kind)],
        ..BodySpec::world()
    });
    let place = Pose::from_quat(rng.quat(), rng.vec3(0.1));
    let shape = match id % 3 {
        0 => cuboid(0.07, 0.05, 0.06),
        1 => ball(0.09),
        _ => ShapeSpec::Capsule {
            radius: 0.06,
            half_length: 0.05,
        },
    };
    let geom = GeomSpec::new(format!("geom{id}"), id, place, shape);
    spec.geoms.push(geom);
    id
}

/// Random trees of these joints in a heap: contacts with the world, within a tree and between trees.
fn heap(seed: u64, kinds: &[JointKind]) -> ModelSpec {
    let mut rng = Rng::new(seed);
    let mut spec = ModelSpec::default();
    ground(&mut spec, 0.5);
    for tree in 0..2 {
        let root = if tree == 0 { JointKind::Free } else { kinds[0] };
        let mut parent = hang(&mut spec, &mut rng, 0, root);
        let fork = parent;
        for (k, kind) in kinds.iter().enumerate() {
            if k == kinds.len() / 2 {
                parent = fork;
            }
            parent = hang(&mut spec, &mut rng, parent, *kind);
        }
    }
    roughen(&mut spec);
    for g in &mut spec.geoms {
        g.friction[0] *= 0.02;
    }
    spec
}

fn check_heap(name: &str, spec: ModelSpec, integrator: Integrator, seed: u64) {
    let model = compile(spec);
    let options = Options {
        integrator,
        ..options(1e-3)
    };
    let mut sim = Sim::new(model.clone(), &options).unwrap();
    let list = all_parameters(&model);
    sim.select_params(&list).unwrap();
    let (mut rng, mut tally) = (Rng::new(seed), Tally::default());
    let mut kinds = [0; 3];
    for k in 0..3 {
        let q = random_q(&mut rng, &model, 0.3);
        let v = rng.vector(model.nv(), [0.05, 0.5, 2.0][k % 3]);
        let u = rng.vector(model.nu(), 1.0);
        check(&mut sim, &list, (&q, &v, &u), 5e-6, &mut tally);
        let (mut qn, mut vn) = (q.clone(), v.clone());
        sim.step(&q, &v, &u, &mut qn, &mut vn).unwrap();
        let links = |g: usize| model.bodies()[model.geoms()[g].body].link;
        let t = model.topology();
        for c in sim.contacts() {
            let [a, b] = c.geom.map(links);
            let which = match (t.links.get(a), t.links.get(b)) {
                (Some(a), Some(b)) => 1 + usize::from(a.tree != b.tree),
                _ => 0,
            };
            kinds[which] += 1;
        }
    }
    println!("{name}: contacts with the world, within a tree, between trees: {kinds:?}");
    accept(&tally, name, [0, 0, 1]);
    assert!(kinds.iter().sum::<usize>() > 2);
}

#[test]
fn heaps_of_trees_with_all_joints() {
    use JointKind as J;
    let kinds = [
        (
            "hinges",
            vec![J::Revolute, J::Prismatic, J::Revolute, J::Revolute],
        ),
        ("spheres", vec![J::Spherical, J::Revolute, J::Spherical]),
        ("planes", vec![J::Planar, J::Universal, J::Spherical]),
        (
            "slides",
            vec![J::Translation, J::PlanarTranslation, J::Universal],
        ),
    ];
    for (i, (name, kinds)) in kinds.iter().enumerate() {
        for integrator in crate::common::INTEGRATORS {
            check_heap(name, heap(20 + i as u64, kinds), integrator, 1);
        }
    }
}

#[test]
fn a_joint_whose_axes_depend_on_q() {
    let mut spec = heap(
        31,
        &[
            JointKind::Universal,
            JointKind::Revolute,
            JointKind::Universal,
        ],
    );
    for j in spec.bodies.iter_mut().flat_map(|b| &mut b.joints) {
        if j.kind == JointKind::Universal {
            *j = JointSpec {
                varying: Some(Arc::new(Universal {
                    a: Vec3::X,
                    b: Vec3::Y,
                })),
                ..JointSpec::new(j.name.clone(), JointKind::Universal)
            };
        }
    }
    check_heap(
        "a joint of its own",
        spec,
        Integrator::SymplecticEulerWorld,
        2,
    );
}

#[test]
fn passed_joint_limits() {
    let mut rng = Rng::new(4);
    let mut spec = ModelSpec::default();
    let mut parent = 0;
    for k in 0..4 {
        let kind = [JointKind::Revolute, JointKind::Prismatic][k % 2];
        parent = hang(&mut spec, &mut rng, parent, kind);
        spec.bodies[parent].joints[0].limits = Some([(-0.1, 0.1), (0.0, f64::INFINITY)][k % 2]);
    }
    spec.geoms.clear();
    let model = compile(spec);
    let mut sim = Sim::new(model.clone(), &options(1e-3)).unwrap();
    let list = all_parameters(&model);
    sim.select_params(&list).unwrap();
    let mut tally = Tally::default();
    for _ in 0..6 {
        let (q, v) = (rng.vector(4, 0.3), rng.vector(4, 0.5));
        check(
            &mut sim,
            &list,
            (&q, &v, &rng.vector(4, 1.0)),
            5e-6,
            &mut tally,
        );
    }
    accept(&tally, "limits", [0; 3]);
}

/// A robot with passed limits whose feet stick and slide, and whose links touch each other: explicit and
/// implicit.
#[test]
fn legs_on_the_ground() {
    for integrator in [
        Integrator::SymplecticEulerWorld,
        Integrator::Bdf1,
        Integrator::Sdirk2,
    ] {
        legs(integrator);
    }
}

fn legs(integrator: Integrator) {
    let mut spec = crate::common::checker::quadruped_spec(true);
    for j in spec.bodies.iter_mut().flat_map(|b| &mut b.joints) {
        j.friction_loss = 0.0;
    }
    roughen(&mut spec);
    spec.geoms[0].friction[0] = 0.2;
    let model = compile(spec);
    let o = Options {
        integrator,
        ..options(5e-4)
    };
    let mut sim = Sim::new(model.clone(), &o).unwrap();
    let list = all_parameters(&model);
    sim.select_params(&list).unwrap();
    let (mut rng, mut tally) = (Rng::new(8), Tally::default());
    for k in 0..3 {
        let mut q = crate::common::checker::standing(&model);
        q[2] += [-0.03, -0.05, -0.06][k];
        for x in &mut q[7..] {
            *x += rng.range(-0.1, 0.1);
        }
        if k == 2 {
            // Knees into their bounds, the fore legs into the hind ones.
            q[9] = -0.8;
            (q[8], q[11]) = (1.7, 1.7);
            (q[14], q[17]) = (-0.5, -0.5);
        }
        let v = rng.vector(model.nv(), [0.02, 0.3, 0.3][k]);
        let u = rng.vector(model.nu(), 1.0);
        check(&mut sim, &list, (&q, &v, &u), 5e-6, &mut tally);
    }
    accept(&tally, &format!("legs, {integrator:?}"), [0, 0, 1]);
}

/// Chains beyond the depth of packed rows, on the ground and on each other.
#[test]
fn deep_chains() {
    let mut spec = crate::common::scene::lying_spec(70, 5);
    let mut other = crate::common::scene::lying_spec(70, 5);
    spec.bodies[1].placement.pos.z -= 1e-3;
    for (k, mut b) in other.bodies.drain(1..).enumerate() {
        b.name += " of the other";
        b.joints[0].name += " of the other";
        b.parent = if k == 0 { 0 } else { k + 70 };
        if k == 0 {
            b.placement.pos += Vec3::new(0.0, 0.07, 0.06);
        }
        spec.bodies.push(b);
    }
    for mut g in other.geoms.drain(1..) {
        g.name += " of the other";
        g.body += 70;
        (g.contype, g.conaffinity) = (1, 1);
        spec.geoms.push(g);
    }
    roughen(&mut spec);
    let model = compile(spec);
    assert!(model.topology().is_deep());
    let mut sim = Sim::new(model.clone(), &options(1e-3)).unwrap();
    let ball = model.ngeom() - 1;
    let list = [
        param(ParamKind::GeomSize, ball, 0),
        param(ParamKind::ContactStiffness, ball, 0),
        param(ParamKind::JointPlacement, 30, 1),
    ];
    sim.select_params(&list).unwrap();
    let (mut rng, mut tally) = (Rng::new(9), Tally::default());
    let q = model.neutral();
    let v = rng.vector(model.nv(), 2e-2);
    let u = rng.vector(model.nu(), 1e-2);
    check(&mut sim, &list, (q, &v, &u), 2e-6, &mut tally);
    accept(&tally, "deep chains", [0, 0, 4]);
    let (mut qn, mut vn) = (q.to_vec(), v.clone());
    sim.step(q, &v, &u, &mut qn, &mut vn).unwrap();
    let between = sim.contacts().iter().filter(|c| c.geom[0] != 0);
    assert!(between.count() > 0);
}

/// A rollout of a ball that slips and then rolls beside an arm that touches it, against differences of all of
/// it.
#[test]
fn rollouts_that_stick_and_slip() {
    const STEPS: usize = 100;
    let mut spec = on_ground(0.4, 0.0995, 1.0, ball(0.1));
    let arm = body(
        &mut spec,
        "arm",
        JointKind::Spherical,
        Pose::translation(Vec3::new(0.2, 0.0, 0.3)),
        0.5,
        ball(0.05),
    );
    spec.bodies[arm].joints[0].anchor = Vec3::Z * 0.2;
    spec.geoms.last_mut().unwrap().placement = Pose::translation(Vec3::new(-0.05, 0.0, -0.18));
    roughen(&mut spec);
    let model = compile(spec);
    let (nv, mut rng) = (model.nv(), Rng::new(6));
    let mut from = From {
        q0: model.neutral().to_vec(),
        v0: rng.vector(nv, 0.1),
        u: rng.vector(nv * STEPS, 0.2),
    };
    from.v0[0] = 0.8;
    let list = all_parameters(&model);
    let found = compare(&model, &options(1e-3), STEPS, &from, &list, 1e-6);
    found.accept("rollout", 1e-7);
    assert!(found.modes[2] > 20, "{:?}", found.modes);
}

#[test]
fn derivatives_of_a_ball_on_a_plane() {
    let model = compile(on_ground(0.5, 0.05, 2.0, ball(0.05)));
    let mut sim = Sim::new(model.clone(), &options(1e-3)).unwrap();
    let list = all_parameters(&model);
    sim.select_params(&list).unwrap();
    let (mut rng, mut tally) = (Rng::new(1), Tally::default());
    for k in 0..24 {
        let mut q = model.neutral().to_vec();
        q[2] -= rng.range(-0.001, 0.004);
        let quat = rng.quat();
        q[3..7].copy_from_slice(&[quat.x, quat.y, quat.z, quat.w]);
        let speed = [0.01, 0.3, 3.0][k % 3];
        let v = rng.vector(6, speed);
        let u = rng.vector(6, 1.0);
        check(&mut sim, &list, (&q, &v, &u), 5e-6, &mut tally);
    }
    println!("{tally:?}");
    assert!(tally.worst < 1e-7 && tally.apart < 1e-10);
    assert!(tally.modes.iter().all(|n| *n > 1));
}
