//! Derivatives of steps with penalty contact against differences.

mod common;

use common::scene::{ball, body, cuboid, fixed, free, ground, on_ground};
use common::{Rng, all_jacobians, param, random_joint, random_q, relative_error};
use diffsim::contact::mode::Mode;
use diffsim::joint::{MAX_DOFS, VaryingJoint};
use diffsim::model::mesh::TriMesh;
use diffsim::model::params::{Param, ParamKind};
use diffsim::model::spec::{
    BodySpec, GeomSpec, HeightField, JointKind, JointSpec, MeshMode, ModelSpec, OpenMesh, ShapeSpec,
};
use diffsim::model::{Actuation, Model};
use diffsim::rollout::Rollout;
use diffsim::spatial::{Pose, Quat, Twist, Vec3, so3_exp};
use diffsim::step::{Contact, Gradient, Integrator, Options, Sim};
use std::sync::Arc;

fn options(h: f64) -> Options {
    Options {
        time_step: h,
        contact: Contact::Penalty,
        ..Options::default()
    }
}

/// With rotors, so that no parameter is at the end of its range.
fn compile(mut spec: ModelSpec) -> Arc<Model> {
    for j in spec.bodies.iter_mut().flat_map(|b| &mut b.joints) {
        j.armature = j.armature.max(0.01);
    }
    Arc::new(Model::compile(spec, Actuation::Full).unwrap())
}

/// What a difference may not step across: features and modes of all contacts.
fn pieces(sim: &Sim) -> Vec<([usize; 2], u64, Mode)> {
    let seen = sim.contacts().iter().map(|c| (c.geom, c.feature, c.mode));
    seen.collect()
}

/// Weights of a derivative's difference over points at ±1 and ±2 steps.
const STENCIL: [(f64, f64); 4] = [
    (1.0, 8.0 / 12.0),
    (-1.0, -8.0 / 12.0),
    (2.0, -1.0 / 12.0),
    (-2.0, 1.0 / 12.0),
];

/// Results of [`check`]: columns compared, those across a kink, the worst relative error, and how far directions and adjoints
/// are from the Jacobians.
#[derive(Debug, Default)]
struct Tally {
    columns: usize,
    across: usize,
    worst: f64,
    apart: f64,
    modes: [usize; 3],
}

/// All columns of a step's Jacobians against differences.
fn check(
    sim: &mut Sim,
    list: &[Param],
    (q, v, u): (&[f64], &[f64], &[f64]),
    eps: f64,
    tally: &mut Tally,
) {
    let model = sim.model().clone();
    let (nv, sizes) = (model.nv(), [model.nv(), model.nv(), model.nu(), sim.np()]);
    let (mut base, mut vn) = (q.to_vec(), v.to_vec());
    sim.step(q, v, u, &mut base, &mut vn).unwrap();
    let here = pieces(sim);
    for (_, _, mode) in &here {
        tally.modes[match mode {
            Mode::Breaking => 0,
            Mode::Sticking => 1,
            _ => 2,
        }] += 1;
    }
    let mut jq = sizes.map(|n| vec![f64::NAN; nv * n]);
    let mut jv = jq.clone();
    sim.step_jacobians(all_jacobians(&mut jq, &mut jv)).unwrap();
    if sim.step_info().unwrap().gradient != Gradient::Exact {
        tally.across += 1;
        return;
    }
    tally.apart = tally.apart.max(products(sim, &jq, &jv));
    let mut p = vec![0.0; sim.np()];
    sim.get_params(&mut p).unwrap();
    for kind in 0..4 {
        for k in 0..sizes[kind] {
            let own = match kind {
                0 => eps,
                1 => 4.0 * eps,
                2 => 0.1,
                _ if list[k].kind.moves_surfaces() => eps,
                _ if list[k].kind == ParamKind::Gravity => 0.1,
                _ => 1e-3 * p[k].abs().max(0.1),
            };
            let mut slope = vec![0.0; 2 * nv];
            let mut same = true;
            for (offset, weight) in STENCIL {
                let (mut q2, mut v2, mut u2) = (q.to_vec(), v.to_vec(), u.to_vec());
                let s = offset * own;
                match kind {
                    0 => {
                        let mut d = vec![0.0; nv];
                        d[k] = s;
                        model.integrate(q, &d, &mut q2);
                    }
                    1 => v2[k] += s,
                    2 => u2[k] += s,
                    _ => {
                        let mut p2 = p.clone();
                        p2[k] += s;
                        sim.set_params(&p2).unwrap();
                    }
                }
                let (mut qn, mut vn) = (q2.clone(), v2.clone());
                sim.step(&q2, &v2, &u2, &mut qn, &mut vn).unwrap();
                same &= pieces(sim) == here;
                if kind == 3 {
                    sim.set_params(&p).unwrap();
                }
                let mut x = vec![0.0; nv];
                model.difference(&base, &qn, &mut x);
                x.extend(vn);
                for (slope, x) in slope.iter_mut().zip(x) {
                    *slope += weight * x / own;
                }
            }
            if !same {
                tally.across += 1;
                continue;
            }
            let column = [&jq[kind][k * nv..][..nv], &jv[kind][k * nv..][..nv]].concat();
            // By what is given in metres and radians nothing is compared more finely than by positions.
            let least = match kind {
                0 | 1 => 1.0,
                3 if list[k].kind.moves_surfaces() => 1.0,
                _ => 1e-8,
            };
            let size = column.iter().fold(least, |m: f64, x| m.max(x.abs()));
            // Differences see results to their last digits.
            let floor = 1e-15 * vn.iter().fold(1.0_f64, |m, x| m.max(x.abs())) / own;
            let off = column.iter().zip(&slope).map(|(a, b)| (a - b).abs());
            let error = (off.fold(0.0, f64::max) - floor).max(0.0) / size;
            if error > 1e-7 {
                let which = list.get(k).filter(|_| kind == 3);
                println!(
                    "{} {k}, {which:?}: {error:e} of {size:e}",
                    ["q", "v", "u", "p"][kind]
                );
            }
            tally.worst = tally.worst.max(error);
            tally.columns += 1;
        }
    }
}

/// How far a direction and an adjoint of the last step are from its Jacobians.
fn products(sim: &mut Sim, jq: &[Vec<f64>; 4], jv: &[Vec<f64>; 4]) -> f64 {
    let nv = sim.model().nv();
    let sizes = [nv, nv, sim.model().nu(), sim.np()];
    let mut rng = Rng::new(5);
    let w = sizes.map(|n| rng.vector(n, 1.0));
    let z = rng.vector(2 * nv, 1.0);
    let mut product = vec![0.0; 2 * nv];
    let mut adjoint = sizes.map(|n| vec![0.0; n]);
    for i in 0..4 {
        for (k, x) in w[i].iter().enumerate() {
            let column = [&jq[i][k * nv..][..nv], &jv[i][k * nv..][..nv]].concat();
            for (y, c) in product.iter_mut().zip(&column) {
                *y += c * x;
            }
            adjoint[i][k] = column.iter().zip(&z).map(|(c, z)| c * z).sum();
        }
    }
    let (mut dq, mut dv) = (vec![0.0; nv], vec![0.0; nv]);
    sim.step_jvp(&w[0], &w[1], &w[2], &w[3], &mut dq, &mut dv)
        .unwrap();
    let mut worst = relative_error(&[dq, dv].concat(), &product);
    let mut bars = sizes.map(|n| vec![0.0; n]);
    let [a, b, c, d] = &mut bars;
    sim.step_vjp(&z[..nv], &z[nv..], Some(a), Some(b), Some(c), Some(d))
        .unwrap();
    for (bar, adjoint) in bars.iter().zip(&adjoint) {
        worst = worst.max(relative_error(bar, adjoint));
    }
    worst
}

/// Says what was checked, and refuses what is off.
fn accept(tally: &Tally, name: &str, least: [usize; 3]) {
    println!("{name}: {tally:?}");
    assert!(
        tally.worst < 1e-7 && tally.apart < 1e-10,
        "{name}: {tally:?}"
    );
    assert!(
        tally.modes.iter().zip(least).all(|(n, m)| *n >= m),
        "{name}: {tally:?}"
    );
    assert!(10 * tally.across <= tally.columns, "{name}: {tally:?}");
}

/// All parameters of a model by which steps with penalty contact vary.
fn all_parameters(model: &Model) -> Vec<Param> {
    use ParamKind as K;
    let mut list = Vec::new();
    for (g, geom) in model.geoms().iter().enumerate() {
        for kind in [K::GeomFriction, K::ContactDissipation] {
            list.push(param(kind, g, 0));
        }
        if geom.body > 0 {
            list.push(param(K::ContactStiffness, g, 0));
            list.push(param(K::ContactTangential, g, 0));
        }
        for c in 0..geom.shape.variable_sizes() {
            list.push(param(K::GeomSize, g, c));
        }
    }
    for j in 0..model.njoint() {
        list.extend((0..6).map(|c| param(K::JointPlacement, j, c)));
        list.extend((0..model.joint(j).nv).map(|c| param(K::JointArmature, j, c)));
    }
    for b in 1..model.nbody() {
        list.extend((0..10).map(|c| param(K::BodyInertia, b, c)));
    }
    list.extend((0..3).map(|c| param(K::Gravity, 0, c)));
    list
}

/// Different coefficients of friction, so that no larger one is tied.
fn roughen(spec: &mut ModelSpec) {
    for (k, g) in spec.geoms.iter_mut().enumerate() {
        g.friction[0] = 0.3 + 0.05 * k as f64;
        g.dissipation = 0.01 + 0.002 * k as f64;
    }
}

/// A polyhedron without symmetry.
fn hull() -> ShapeSpec {
    let vertices = [
        [0.06, 0.01, 0.0],
        [-0.05, 0.0, 0.01],
        [0.0, 0.07, 0.01],
        [0.01, -0.05, 0.0],
        [0.0, 0.01, 0.06],
        [0.01, 0.0, -0.08],
    ];
    let triangles = vec![
        [0, 2, 4],
        [2, 1, 4],
        [1, 3, 4],
        [3, 0, 4],
        [2, 0, 5],
        [1, 2, 5],
        [3, 1, 5],
        [0, 3, 5],
    ];
    ShapeSpec::Mesh {
        mesh: Arc::new(TriMesh {
            vertices: vertices.map(|v| Vec3::from_slice(&v)).to_vec(),
            triangles,
        }),
        mode: MeshMode::Hull,
        open: OpenMesh::Error,
    }
}

fn shapes() -> Vec<(&'static str, ShapeSpec)> {
    vec![
        ("sphere", ball(0.05)),
        (
            "capsule",
            ShapeSpec::Capsule {
                radius: 0.04,
                half_length: 0.06,
            },
        ),
        ("box", cuboid(0.04, 0.06, 0.05)),
        (
            "cylinder",
            ShapeSpec::Cylinder {
                radius: 0.05,
                half_length: 0.07,
            },
        ),
        (
            "ellipsoid",
            ShapeSpec::Ellipsoid {
                semi_axes: Vec3::new(0.04, 0.06, 0.05),
            },
        ),
        ("hull", hull()),
    ]
}

/// A free body of any shape with the moments of a box.
fn any_free(spec: &mut ModelSpec, name: &str, shape: ShapeSpec) -> usize {
    let id = free(spec, name, Pose::IDENTITY, 1.0, cuboid(0.04, 0.06, 0.05));
    spec.geoms.last_mut().unwrap().shape = shape;
    id
}

/// Moves the last free body along the normal of two geoms until they overlap by this much.
fn press(sim: &mut Sim, geoms: [usize; 2], q: &mut [f64], depth: f64) {
    let d = sim.distance(geoms[0], geoms[1], q, None).unwrap();
    let at = q.len() - 7;
    for k in 0..3 {
        q[at + k] -= d.normal[k] * (d.distance + depth);
    }
}

fn set_quat(q: &mut [f64], quat: Quat) {
    q.copy_from_slice(&[quat.x, quat.y, quat.z, quat.w]);
}

/// Random states of the last body against another geom, at speeds at which it sticks, slides and parts.
fn press_at_random(model: &Arc<Model>, geoms: [usize; 2], states: usize, tally: &mut Tally) {
    let mut sim = Sim::new(model.clone(), &options(1e-3)).unwrap();
    let list = all_parameters(model);
    sim.select_params(&list).unwrap();
    let mut rng = Rng::new(7 + geoms[1] as u64);
    for k in 0..states {
        let mut q = model.neutral().to_vec();
        let at = q.len() - 7;
        let away = rng.vec3(0.3);
        for i in 0..3 {
            q[at + i] = away[i] + if i == 2 { 0.4 } else { 0.0 };
        }
        for quat in (3..q.len()).step_by(7) {
            set_quat(&mut q[quat..quat + 4], rng.quat());
        }
        press(&mut sim, geoms, &mut q, rng.range(0.0005, 0.002));
        let v = rng.vector(model.nv(), [0.01, 0.5, 3.0][k % 3]);
        let u = rng.vector(model.nu(), 1.0);
        check(&mut sim, &list, (&q, &v, &u), 5e-6, tally);
    }
}

#[test]
fn each_shape_on_a_plane() {
    let mut tally = Tally::default();
    for (name, shape) in shapes() {
        let mut spec = ModelSpec::default();
        ground(&mut spec, 0.5);
        any_free(&mut spec, name, shape);
        roughen(&mut spec);
        press_at_random(&compile(spec), [0, 1], 6, &mut tally);
    }
    accept(&tally, "on a plane", [3, 6, 6]);
}

#[test]
fn each_shape_against_each() {
    let all = shapes();
    let mut tally = Tally::default();
    for (i, (first, a)) in all.iter().enumerate() {
        for (second, b) in &all[i..] {
            let mut spec = ModelSpec::default();
            any_free(&mut spec, first, a.clone());
            any_free(&mut spec, &format!("other {second}"), b.clone());
            roughen(&mut spec);
            press_at_random(&compile(spec), [0, 1], 2, &mut tally);
        }
    }
    accept(&tally, "against each other", [2, 10, 2]);
}

#[test]
fn a_ball_on_a_height_field() {
    let n = 9;
    let height = |k: usize| 0.1 * ((k * k) as f64).sin().abs();
    let field = ShapeSpec::HeightField(Arc::new(HeightField {
        columns: n,
        rows: n,
        half_extents: [1.0, 1.0],
        base: 0.5,
        heights: (0..n * n).map(height).collect(),
    }));
    let mut spec = ModelSpec::default();
    fixed(&mut spec, "field", Pose::IDENTITY, field, 0.5);
    any_free(&mut spec, "ball", ball(0.08));
    roughen(&mut spec);
    let mut tally = Tally::default();
    press_at_random(&compile(spec), [0, 1], 9, &mut tally);
    accept(&tally, "on a height field", [0, 1, 1]);
}

/// A box on its face: four contacts, each with all its slopes.
#[test]
fn a_box_on_its_face() {
    let mut spec = on_ground(0.1, 0.0485, 2.0, cuboid(0.1, 0.07, 0.05));
    spec.geoms[1].friction[0] = 0.3;
    let model = compile(spec);
    let mut sim = Sim::new(model.clone(), &options(1e-3)).unwrap();
    let list = all_parameters(&model);
    sim.select_params(&list).unwrap();
    let (mut rng, mut tally) = (Rng::new(3), Tally::default());
    for k in 0..6 {
        let mut q = model.neutral().to_vec();
        let tilt = Quat::exp(rng.vec3(0.003)).normalized();
        set_quat(&mut q[3..7], tilt);
        let mut v = rng.vector(6, [0.005, 0.1][k % 2]);
        v[k % 2] += [0.0, 1.0][k % 2];
        check(
            &mut sim,
            &list,
            (&q, &v, &rng.vector(6, 1.0)),
            5e-6,
            &mut tally,
        );
    }
    accept(&tally, "a box on its face", [0, 8, 8]);
}

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
        for integrator in common::INTEGRATORS {
            check_heap(name, heap(20 + i as u64, kinds), integrator, 1);
        }
    }
}

/// A hinge about x and one about y, as one joint whose S depends on q.
#[derive(Debug)]
struct Hooke;

impl VaryingJoint for Hooke {
    fn dofs(&self) -> usize {
        2
    }

    fn pose(&self, q: &[f64]) -> Pose {
        Pose::new(
            so3_exp(Vec3::X * q[0]).mul_mat(&so3_exp(Vec3::Y * q[1])),
            Vec3::ZERO,
        )
    }

    fn columns(&self, q: &[f64], s: &mut [Twist]) {
        s[0] = Twist::new(Vec3::ZERO, Vec3::new(q[1].cos(), 0.0, q[1].sin()));
        s[1] = Twist::new(Vec3::ZERO, Vec3::Y);
    }

    fn slopes(&self, q: &[f64], slopes: &mut [[Twist; MAX_DOFS]]) {
        slopes[0] = [Twist::ZERO; MAX_DOFS];
        slopes[1] = [Twist::ZERO; MAX_DOFS];
        slopes[1][0] = Twist::new(Vec3::ZERO, Vec3::new(-q[1].sin(), 0.0, q[1].cos()));
    }

    fn bias_slopes(&self, q: &[f64], v: &[f64], dc: &mut [Twist]) {
        let by = Vec3::new(-q[1].cos(), 0.0, -q[1].sin()) * (v[0] * v[1]);
        (dc[0], dc[1]) = (Twist::ZERO, Twist::new(Vec3::ZERO, by));
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
                varying: Some(Arc::new(Hooke)),
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

/// A robot with passed limits whose feet stick and slide, and whose links touch each other: explicit and implicit.
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
    let mut spec = common::checker::quadruped_spec(true);
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
        let mut q = common::checker::standing(&model);
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
    let mut spec = common::scene::lying_spec(70, 5);
    let mut other = common::scene::lying_spec(70, 5);
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

/// A rollout of a ball that slips and then rolls beside an arm that touches it, against differences of all of it.
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
    let mut kept = None;
    for interval in [1, 7] {
        let o = Options {
            checkpoint_interval: interval,
            ..options(1e-3)
        };
        let mut rollout = Rollout::new(model.clone(), &o, STEPS).unwrap();
        let list: Vec<Param> = (all_parameters(&model).into_iter())
            .filter(|p| p.kind != ParamKind::BodyInertia || p.component < 4)
            .collect();
        rollout.sim_mut().select_params(&list).unwrap();
        let (nq, nv, np) = (model.nq(), model.nv(), list.len());
        let mut rng = Rng::new(6);
        let mut v0 = rng.vector(nv, 0.1);
        v0[0] = 0.8;
        let q0 = model.neutral().to_vec();
        let u = rng.vector(nv * STEPS, 0.2);
        let bars = [(); 2].map(|()| rng.vector(nv * (STEPS + 1), 1.0));
        let run = |rollout: &mut Rollout, q0: &[f64], v0: &[f64], u: &[f64]| {
            let mut q = vec![0.0; nq * (STEPS + 1)];
            let mut v = vec![0.0; nv * (STEPS + 1)];
            rollout
                .run(q0, v0, u, STEPS, Some(&mut q), Some(&mut v))
                .unwrap();
            (q, v)
        };
        let (base, _) = run(&mut rollout, &q0, &v0, &u);
        let mut g = [nv, nv, nv * STEPS, np].map(|n| vec![0.0; n]);
        let [a, b, c, d] = &mut g;
        rollout
            .adjoint(&bars[0], &bars[1], Some(a), Some(b), Some(c), Some(d))
            .unwrap();
        if let Some(kept) = &kept {
            // From checkpoints the same, to the bit.
            assert_eq!(&g, kept);
            continue;
        }
        kept = Some(g.clone());
        let loss = |rollout: &mut Rollout, q0: &[f64], v0: &[f64], u: &[f64]| {
            let (q, v) = run(rollout, q0, v0, u);
            let mut d = vec![0.0; nv];
            let mut sum: f64 = v.iter().zip(&bars[1]).map(|(a, b)| a * b).sum();
            for k in 0..=STEPS {
                model.difference(&base[k * nq..][..nq], &q[k * nq..][..nq], &mut d);
                sum += d
                    .iter()
                    .zip(&bars[0][k * nv..])
                    .map(|(a, b)| a * b)
                    .sum::<f64>();
            }
            vec![sum]
        };
        let eps = 1e-6;
        let slope = |f: &mut dyn FnMut(f64) -> Vec<f64>| common::difference(eps, f)[0];
        let mut worst: f64 = 0.0;
        let mut compare = |ours: f64, theirs: f64, all: &[f64]| {
            let size = all.iter().fold(1.0_f64, |m, x| m.max(x.abs()));
            worst = worst.max((ours - theirs).abs() / size);
        };
        for k in 0..nv {
            let mut d = vec![0.0; nv];
            let mut q = q0.clone();
            let by_q = slope(&mut |s| {
                d[k] = s;
                model.integrate(&q0, &d, &mut q);
                loss(&mut rollout, &q, &v0, &u)
            });
            compare(g[0][k], by_q, &g[0]);
            let mut v = v0.clone();
            let by_v = slope(&mut |s| {
                v[k] = v0[k] + s;
                loss(&mut rollout, &q0, &v, &u)
            });
            compare(g[1][k], by_v, &g[1]);
            let (at, mut w) = (rng.below(u.len()), u.clone());
            let by_u = slope(&mut |s| {
                w[at] = u[at] + s;
                loss(&mut rollout, &q0, &v0, &w)
            });
            compare(g[2][at], by_u, &g[2]);
        }
        let mut p = vec![0.0; np];
        rollout.sim().get_params(&mut p).unwrap();
        for k in 0..np {
            let scale = p[k].abs().max(0.1);
            let mut x = p.clone();
            let by_p = slope(&mut |s| {
                x[k] = p[k] + s * scale;
                rollout.sim_mut().set_params(&x).unwrap();
                loss(&mut rollout, &q0, &v0, &u)
            });
            rollout.sim_mut().set_params(&p).unwrap();
            let scaled: Vec<f64> = g[3]
                .iter()
                .zip(&p)
                .map(|(g, p)| g * p.abs().max(0.1))
                .collect();
            compare(scaled[k], by_p, &scaled);
        }
        println!("rollout: worst {worst:.1e}");
        assert!(worst < 1e-7, "{worst:e}");
    }
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
