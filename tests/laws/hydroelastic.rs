//! Steps through hydroelastic patches: rest, friction, and all derivatives against differences.

use crate::common::checker::{Checker, free_body};
use crate::common::param;
use crate::common::scene::options;
use diffsim::error::Status;
use diffsim::load::urdf::{UrdfOptions, read_str};
use diffsim::model::mesh::TriMesh;
use diffsim::model::params::ParamKind;
use diffsim::model::spec::{
    GeomSpec, Hydroelastic, HydroelasticKind, JointKind, JointSpec, MeshMode, ModelSpec, OpenMesh,
    ShapeSpec,
};
use diffsim::model::{Actuation, Model};
use diffsim::query::Outlines;
use diffsim::rollout::Rollout;
use diffsim::spatial::{Inertia, Pose, Quat, Sym3, Vec3};
use diffsim::step::{Contact, ConvexVariant, Gradient, Options, Sim};
use std::sync::Arc;

fn convex(h: f64) -> Options {
    Options {
        contact: Contact::Convex,
        max_contacts: 600,
        ..options(h)
    }
}

fn pad(kind: HydroelasticKind, modulus: f64) -> Hydroelastic {
    Hydroelastic {
        kind,
        modulus,
        resolution: 0.04,
        slab_thickness: 0.05,
        ..Hydroelastic::default()
    }
}

fn ground(spec: &mut ModelSpec, shape: ShapeSpec, pose: Pose, hydroelastic: Hydroelastic) {
    let mut g = GeomSpec::new("ground", 0, pose, shape);
    g.friction[0] = 0.5;
    g.hydroelastic = hydroelastic;
    spec.geoms.push(g);
}

fn plane() -> ShapeSpec {
    ShapeSpec::Plane {
        half_extents: [0.0; 2],
    }
}

fn cube(half: f64) -> ShapeSpec {
    ShapeSpec::Box {
        half_extents: Vec3::new(half, half, half),
    }
}

/// A free body of 1 kg with this pad, which has the friction of all its contacts.
fn body(spec: &mut ModelSpec, name: &str, at: Vec3, shape: ShapeSpec, hydroelastic: Hydroelastic) {
    free_body(spec, name, at, shape);
    let g = spec.geoms.last_mut().unwrap();
    g.hydroelastic = hydroelastic;
    g.friction[0] = 0.6;
    let i = 0.01 / 6.0;
    spec.bodies.last_mut().unwrap().inertia =
        Inertia::from_com(1.0, Vec3::ZERO, Sym3::diagonal(Vec3::new(i, i, i)));
}

fn compile(spec: ModelSpec) -> Model {
    Model::compile(spec, Actuation::Full).unwrap()
}

struct Run {
    sim: Sim,
    q: Vec<f64>,
    v: Vec<f64>,
}

impl Run {
    fn new(model: Model, options: &Options) -> Run {
        let q = model.neutral().to_vec();
        let v = vec![0.0; model.nv()];
        let sim = Sim::new(Arc::new(model), options).unwrap();
        Run { sim, q, v }
    }

    fn step(&mut self) {
        let u = vec![0.0; self.sim.model().nu()];
        let (mut q, mut v) = (self.q.clone(), self.v.clone());
        self.sim.step(&self.q, &self.v, &u, &mut q, &mut v).unwrap();
        (self.q, self.v) = (q, v);
    }

    fn speed(&self) -> f64 {
        self.v.iter().fold(0.0, |m, x| m.max(x.abs()))
    }
}

const COMPLIANT: HydroelasticKind = HydroelasticKind::Compliant;
const RIGID: HydroelasticKind = HydroelasticKind::Rigid;

/// 10 s at rest: no rattle and no drift, with any margin, on a half space and on a box; no lean on a half
/// space.
#[test]
fn a_cube_at_rest_stays() {
    for (h, margin, rigid_box) in [
        (1e-3, 0.0, false),
        (5e-3, 0.0, false),
        (1e-2, 0.0, false),
        (1e-3, 1e-4, false),
        (5e-3, 1e-4, true),
        (1e-2, 1e-4, false),
        (1e-2, 1e-2, false),
        (5e-3, 0.0, true),
        (1e-2, 0.0, true),
    ] {
        let mut spec = ModelSpec::default();
        let (shape, at) = match rigid_box {
            true => (cube(0.5), -0.5),
            false => (plane(), 0.0),
        };
        ground(
            &mut spec,
            shape,
            Pose::translation(Vec3::Z * at),
            pad(RIGID, 1e7),
        );
        let own = Hydroelastic {
            margin,
            ..pad(COMPLIANT, 1e7)
        };
        // Dropped by a millimetre.
        body(
            &mut spec,
            "cube",
            Vec3::new(0.03, -0.02, 0.051),
            cube(0.05),
            own,
        );
        let mut run = Run::new(compile(spec), &convex(h));
        let steps = (10.0 / h) as usize;
        let mut settled = None;
        for i in 0..steps {
            run.step();
            if i == steps / 5 {
                settled = Some(run.q.clone());
            }
            if i > steps / 5 {
                assert!(
                    run.speed() < 1e-9,
                    "h {h} margin {margin}: {:e} at {i}",
                    run.speed()
                );
            }
        }
        let settled = settled.unwrap();
        let drift = run.q.iter().zip(&settled).map(|(a, b)| (a - b).abs());
        assert!(drift.fold(0.0, f64::max) < 1e-9, "h {h} margin {margin}");
        // On a box the edges of the ground's triangles pass below the cube.
        let lean = run.q[3].hypot(run.q[4]);
        assert!(
            (run.q[0] - 0.03).abs() < 1e-4 && lean < 1e-9,
            "h {h} margin {margin} on a box {rigid_box}: {:?}",
            run.q
        );
        let lift: f64 = run.sim.patches().map(|p| p.force[2]).sum();
        assert!((lift.abs() - 9.81).abs() < 1e-6, "{lift}");
    }
}

#[test]
fn five_cubes_stand() {
    let mut spec = ModelSpec::default();
    ground(&mut spec, plane(), Pose::IDENTITY, pad(RIGID, 1e7));
    for i in 0..5 {
        let at = Vec3::new(0.002 * f64::from(i % 2), 0.0, 0.05 + 0.1 * f64::from(i));
        body(
            &mut spec,
            &format!("cube{i}"),
            at,
            cube(0.05),
            pad(COMPLIANT, 1e7),
        );
    }
    let mut run = Run::new(compile(spec), &convex(1e-2));
    for _ in 0..200 {
        run.step();
    }
    // Faces at the edges push sideways, and regularized friction creeps.
    assert!(run.speed() < 1e-6, "{:e}", run.speed());
    assert!((run.q[7 * 4 + 2] - 0.45).abs() < 1e-3, "{:?}", &run.q[28..]);
    assert_eq!(run.sim.patches().count(), 5);
}

/// It sticks below the angle of friction and slides above it as a point mass does.
#[test]
fn a_block_on_an_incline_sticks_and_slides() {
    for (angle, mu) in [(0.4f64, 0.6f64), (0.7, 0.6)] {
        let mut spec = ModelSpec::default();
        let turn = Quat::exp(Vec3::Y * angle);
        ground(
            &mut spec,
            plane(),
            Pose::from_quat(turn, Vec3::ZERO),
            pad(RIGID, 1e7),
        );
        let up = turn.to_mat3().c[2];
        body(
            &mut spec,
            "block",
            up * 0.05,
            cube(0.05),
            pad(COMPLIANT, 1e7),
        );
        let b = spec.bodies.last_mut().unwrap();
        b.placement = Pose::from_quat(turn, up * 0.05);
        let mut run = Run::new(compile(spec), &convex(1e-3));
        for _ in 0..500 {
            run.step();
        }
        let v = Vec3::new(run.v[0], run.v[1], run.v[2]).norm();
        let expected = 9.81 * (angle.sin() - mu * angle.cos()) * 0.5;
        if expected < 0.0 {
            // Compliant friction creeps.
            assert!(v < 1e-3, "{v}");
        } else {
            assert!((v - expected).abs() < 0.05 * expected, "{v} {expected}");
        }
    }
}

fn check(name: &str, model: Model, h: f64, speed: f64, steps: usize, turn: Vec3, lift: f64) {
    let mut c = Checker::new(model, &convex(h));
    let model = c.sim.model().clone();
    let last = model.ngeom() - 1;
    let compliant = |g: &usize| model.geoms()[*g].hydroelastic.kind == COMPLIANT;
    let mut list = vec![
        param(ParamKind::BodyInertia, model.nbody() - 1, 0),
        param(ParamKind::GeomFriction, last, 0),
        param(ParamKind::ContactDissipation, last, 0),
        param(ParamKind::Gravity, 0, 2),
    ];
    for g in (0..=last).filter(compliant) {
        list.push(param(ParamKind::HydroelasticModulus, g, 0));
    }
    for g in 0..=last {
        let sizes = model.geoms()[g].shape.variable_sizes();
        list.extend((0..sizes).map(|k| param(ParamKind::GeomSize, g, k)));
    }
    c.select(&list);
    let mut q = model.neutral().to_vec();
    let at = Quat::exp(turn).normalized();
    for joint in model.joints().iter().filter(|j| j.kind == JointKind::Free) {
        q[joint.iq + 2] += lift;
        q[joint.iq + 3..joint.iq + 7].copy_from_slice(&[at.x, at.y, at.z, at.w]);
    }
    c.run(name, &q, speed, steps);
}

/// A closed convex mesh with six corners.
fn octahedron(r: f64) -> ShapeSpec {
    let corners = [Vec3::X, Vec3::Y, Vec3::Z].map(|axis| [axis * r, axis * -r]);
    let mesh = TriMesh {
        vertices: corners.concat(),
        triangles: (0..8u32)
            .map(|octant| {
                let [x, y, z] = [0, 1, 2].map(|axis| 2 * axis + (octant >> axis & 1));
                match octant.count_ones() % 2 {
                    0 => [x, y, z],
                    _ => [x, z, y],
                }
            })
            .collect(),
    };
    ShapeSpec::Mesh {
        mesh: Arc::new(mesh),
        mode: MeshMode::Hull,
        open: OpenMesh::Error,
    }
}

#[test]
fn derivatives_of_shapes_on_the_ground() {
    let shapes = [
        ("mesh", octahedron(0.07), 0.055),
        ("sphere", ShapeSpec::Sphere { radius: 0.05 }, 0.045),
        ("cube", cube(0.05), 0.06),
        (
            "cylinder",
            ShapeSpec::Cylinder {
                radius: 0.05,
                half_length: 0.06,
            },
            0.065,
        ),
        (
            "capsule",
            ShapeSpec::Capsule {
                radius: 0.04,
                half_length: 0.05,
            },
            0.06,
        ),
        (
            "ellipsoid",
            ShapeSpec::Ellipsoid {
                semi_axes: Vec3::new(0.07, 0.05, 0.04),
            },
            0.045,
        ),
    ];
    for (name, shape, height) in shapes {
        for (own, below) in [
            (COMPLIANT, RIGID),
            (COMPLIANT, COMPLIANT),
            (RIGID, COMPLIANT),
        ] {
            for on_box in [false, true] {
                if on_box && (own, below) != (COMPLIANT, RIGID) && name != "cube" {
                    continue;
                }
                let mut spec = ModelSpec::default();
                let (base, at) = match on_box {
                    true => (cube(0.2), Pose::translation(Vec3::new(0.01, 0.02, -0.2))),
                    false => (plane(), Pose::IDENTITY),
                };
                ground(&mut spec, base, at, pad(below, 2e5));
                body(
                    &mut spec,
                    name,
                    Vec3::Z * height,
                    shape.clone(),
                    pad(own, 1e5),
                );
                let turn = Vec3::new(0.35, 0.25, 0.5);
                let name = format!("{name} {own:?} on {below:?}, box {on_box}");
                check(&name, compile(spec), 2e-3, 0.3, 6, turn, 0.0);
            }
        }
    }
}

/// A flat cube is smooth: faces along the pressure act on both sides of the flat pose. The faces at its edges
/// carry so little that the least slip is a switch, for which the label is one-sided.
#[test]
fn derivatives_of_a_cube_that_lies_flat_are_right() {
    let mut spec = ModelSpec::default();
    ground(&mut spec, plane(), Pose::IDENTITY, pad(RIGID, 1e7));
    body(
        &mut spec,
        "cube",
        Vec3::Z * 0.05,
        cube(0.05),
        pad(COMPLIANT, 1e6),
    );
    let model = compile(spec);
    let mut run = Run::new(model.clone(), &convex(5e-3));
    for _ in 0..400 {
        run.step();
    }
    let mut c = Checker::new(model, &convex(5e-3));
    c.eps = 1e-8;
    c.select(&[0, 1, 2].map(|k| param(ParamKind::GeomSize, 1, k)));
    let (mut q, mut v) = (run.q.clone(), run.v.clone());
    let u = vec![0.0; run.v.len()];
    for _ in 0..3 {
        c.check(&mut q, &mut v, &u);
    }
    let t = c.tally("flat cube");
    assert!(t.wrong == 0 && t.one_sided_differ == 0, "{t:?}");
    assert!(t.checked + t.one_sided > 12, "{t:?}");
}

/// A gripper's pads hold a ball.
fn gripper() -> Model {
    let mut spec = ModelSpec {
        gravity: Vec3::new(0.0, 0.0, -9.81),
        ..ModelSpec::default()
    };
    body(
        &mut spec,
        "ball",
        Vec3::ZERO,
        ShapeSpec::Sphere { radius: 0.04 },
        pad(COMPLIANT, 1e5),
    );
    spec.bodies[1].inertia =
        Inertia::from_com(0.2, Vec3::ZERO, Sym3::diagonal(Vec3::new(1e-4, 1e-4, 1e-4)));
    for side in [-1.0, 1.0] {
        let id = spec.bodies.len();
        let mut finger = diffsim::model::spec::BodySpec::world();
        finger.name = format!("finger{id}");
        finger.placement = Pose::translation(Vec3::new(side * 0.0485, 0.002, 0.001));
        finger.inertia =
            Inertia::from_com(0.1, Vec3::ZERO, Sym3::diagonal(Vec3::new(1e-4, 1e-4, 1e-4)));
        let mut slide = JointSpec::new(format!("slide{id}"), JointKind::Prismatic);
        slide.axis = Vec3::X * -side;
        slide.damping = 5.0;
        finger.joints = vec![slide];
        spec.bodies.push(finger);
        let shape = ShapeSpec::Box {
            half_extents: Vec3::new(0.01, 0.02, 0.025),
        };
        let mut g = GeomSpec::new(format!("pad{id}"), id, Pose::IDENTITY, shape);
        g.hydroelastic = pad(COMPLIANT, 3e5);
        spec.geoms.push(g);
    }
    compile(spec)
}

/// Forces that close the gripper.
fn closing(model: &Model, force: f64) -> Vec<f64> {
    let mut u = vec![0.0; model.nu()];
    u[model.nu() - 2..].fill(force);
    u
}

/// Of single steps, along 100 of them.
#[test]
fn a_grasp_holds_and_its_derivatives_are_exact() {
    let model = gripper();
    let mut c = Checker::new(model.clone(), &convex(5e-3));
    // Faces that creep at 1e-6 m/s turn within longer differences.
    c.eps = 3e-7;
    c.select(&[
        param(ParamKind::HydroelasticModulus, 0, 0),
        param(ParamKind::HydroelasticModulus, 1, 0),
        param(ParamKind::GeomFriction, 0, 0),
        param(ParamKind::BodyInertia, 1, 0),
    ]);
    let (mut q, mut v) = (model.neutral().to_vec(), vec![0.0; model.nv()]);
    let u = closing(&model, 6.0);
    for i in 0..100 {
        if i % 10 == 0 {
            c.check(&mut q, &mut v, &u);
        } else {
            let (q0, v0) = (q.clone(), v.clone());
            c.sim.step(&q0, &v0, &u, &mut q, &mut v).unwrap();
        }
    }
    let t = c.tally("grasp");
    assert!(q[2].abs() < 0.01, "dropped: {q:?}");
    assert!(t.checked > 150 && t.p99 < 1e-5 && t.apart < 1e-9, "{t:?}");
}

/// By pose, velocity, moduli, friction, mass and grip force. Differences by the pose at the start need
/// extrapolation: at an increment of 1e-5 m they are off by 1e-4.
#[test]
fn the_gradient_of_a_grasp_of_100_steps_is_exact() {
    let (model, steps) = (Arc::new(gripper()), 100);
    let (nq, nv, nu) = (model.nq(), model.nv(), model.nu());
    let mut rollout = Rollout::new(model.clone(), &convex(5e-3), steps).unwrap();
    let list = [
        param(ParamKind::HydroelasticModulus, 0, 0),
        param(ParamKind::HydroelasticModulus, 1, 0),
        param(ParamKind::GeomFriction, 0, 0),
        param(ParamKind::BodyInertia, 1, 0),
    ];
    rollout.select_params(&list).unwrap();
    let mut p = vec![0.0; list.len()];
    rollout.sim().get_params(&mut p).unwrap();
    let weights: Vec<f64> = (0..nv).map(|i| (1.3 * i as f64).sin() + 0.2).collect();
    let mut ends = vec![0.0; nq * (steps + 1)];
    let mut run = |rollout: &mut Rollout, [dq, v, p]: [&[f64]; 3], force: f64| -> Vec<f64> {
        rollout.sim_mut().set_params(p).unwrap();
        let mut q = model.neutral().to_vec();
        model.integrate(model.neutral(), dq, &mut q);
        let u = closing(&model, force).repeat(steps);
        (rollout.run(&q, v, &u, steps, Some(&mut ends), None)).unwrap();
        ends[nq * steps..].to_vec()
    };
    let zero = vec![0.0; nv];
    let base = run(&mut rollout, [&zero, &zero, &p], 6.0);
    let mut q_bar = vec![0.0; nv * (steps + 1)];
    q_bar[nv * steps..].copy_from_slice(&weights);
    let v_bar = vec![0.0; q_bar.len()];
    let (mut by_q, mut by_v) = (vec![0.0; nv], vec![0.0; nv]);
    let (mut by_u, mut by_p) = (vec![0.0; nu * steps], vec![0.0; p.len()]);
    rollout
        .adjoint(
            &q_bar,
            &v_bar,
            Some(&mut by_q),
            Some(&mut by_v),
            Some(&mut by_u),
            Some(&mut by_p),
        )
        .unwrap();
    assert_eq!(rollout.gradient(), Gradient::Exact);
    let by_force = by_u.chunks(nu).flat_map(|u| &u[nu - 2..]).sum::<f64>();
    let told = [by_q, by_v, by_p, vec![by_force]].concat();
    for (k, told) in told.into_iter().enumerate() {
        let size = match k.checked_sub(2 * nv) {
            Some(i) if i < p.len() => p[i],
            Some(_) => 6.0,
            None => 1.0,
        };
        let mut value = |e: f64| -> f64 {
            let (mut dq, mut v, mut moved, mut force) =
                (zero.clone(), zero.clone(), p.clone(), 6.0);
            match k {
                k if k < nv => dq[k] += e,
                k if k < 2 * nv => v[k - nv] += e,
                k if k < 2 * nv + p.len() => moved[k - 2 * nv] += e * size,
                _ => force += e * size,
            }
            let end = run(&mut rollout, [&dq, &v, &moved], force);
            let mut change = vec![0.0; nv];
            model.difference(&base, &end, &mut change);
            change.iter().zip(&weights).map(|(x, w)| x * w).sum()
        };
        let [wide, half] = [1e-5, 5e-6].map(|e| (value(e) - value(-e)) / (2.0 * e));
        let (slope, told) = ((4.0 * half - wide) / 3.0, told * size);
        let off = (told - slope).abs();
        assert!(off < 1e-6 * (slope.abs() + 0.03), "{k}: {told} {slope}");
    }
}

/// A flat peg under a disc resists turning, which a point does not.
#[test]
fn a_patch_resists_torsion() {
    let torque = |kind| {
        let mut spec = ModelSpec::default();
        let mut own = pad(kind, 1e6);
        own.resolution = 0.02;
        ground(&mut spec, plane(), Pose::IDENTITY, pad(RIGID, 1e7));
        let ball = ShapeSpec::Sphere { radius: 0.05 };
        body(&mut spec, "ball", Vec3::Z * 0.048, ball, own);
        let mut run = Run::new(compile(spec), &convex(1e-3));
        for _ in 0..300 {
            run.step();
        }
        run.v[5] = 2.0;
        run.step();
        run.v[5]
    };
    let (face, point) = (torque(COMPLIANT), torque(HydroelasticKind::None));
    assert!((point - 2.0).abs() < 1e-9, "{point}");
    assert!(face < 1.99, "{face}");
}

#[test]
fn bad_numbers_are_refused_by_name() {
    let spec = |change: &dyn Fn(&mut Hydroelastic)| {
        let mut spec = ModelSpec::default();
        ground(&mut spec, plane(), Pose::IDENTITY, pad(RIGID, 1e7));
        let mut own = pad(COMPLIANT, 1e7);
        change(&mut own);
        body(
            &mut spec,
            "cube",
            Vec3::Z * 0.05,
            ShapeSpec::Sphere { radius: 0.05 },
            own,
        );
        spec
    };
    type Change = fn(&mut Hydroelastic, f64);
    let fields: [(&str, Change); 4] = [
        ("modulus", |h, x| h.modulus = x),
        ("resolution", |h, x| h.resolution = x),
        ("hydroelastic_margin", |h, x| h.margin = x),
        ("slab_thickness", |h, x| h.slab_thickness = x),
    ];
    for (name, set) in fields {
        for x in [f64::NAN, -1.0, f64::INFINITY] {
            let e = Model::compile(spec(&|h| set(h, x)), Actuation::Full).unwrap_err();
            assert_eq!(e.status, Status::InvalidArgument);
            assert!(
                e.message.contains("cube") && e.message.contains(name),
                "{e}"
            );
        }
    }
    let fine = compile(spec(&|h| h.resolution = 1e-7));
    let e = Sim::new(Arc::new(fine), &convex(1e-3)).unwrap_err();
    assert_eq!(e.status, Status::Capacity);
    assert!(
        e.message.contains("cube") && e.message.contains("resolution"),
        "{e}"
    );
    // Too many faces name the option.
    let crowd = compile(spec(&|h| h.resolution = 0.005));
    let few = Options {
        max_contacts: 3,
        ..convex(1e-3)
    };
    let mut sim = Sim::new(Arc::new(crowd.clone()), &few).unwrap();
    let mut q = crowd.neutral().to_vec();
    q[2] = 0.03;
    let (v, u) = (vec![0.0; 6], vec![0.0; crowd.nu()]);
    let (mut qn, mut vn) = (q.clone(), v.clone());
    let e = sim.step(&q, &v, &u, &mut qn, &mut vn).unwrap_err();
    assert_eq!(e.status, Status::Capacity);
    assert!(
        e.message.contains("max_contacts") && e.message.contains("cube"),
        "{e}"
    );
    let mut sim = Sim::new(Arc::new(crowd), &convex(1e-3)).unwrap();
    let e = sim
        .select_params(&[param(ParamKind::HydroelasticModulus, 0, 0)])
        .unwrap_err();
    assert_eq!(e.status, Status::Unsupported);
}

/// Two compliant balls and the ground: steps and all derivatives after creation.
#[test]
fn nothing_is_allocated_after_creation() {
    for variant in [ConvexVariant::Sap, ConvexVariant::Lagged] {
        nothing_is_allocated(variant);
    }
}

fn nothing_is_allocated(convex_variant: ConvexVariant) {
    let mut spec = ModelSpec::default();
    ground(&mut spec, plane(), Pose::IDENTITY, pad(COMPLIANT, 1e6));
    for (name, z) in [("low", 0.048), ("high", 0.145)] {
        let mut own = pad(COMPLIANT, 1e5);
        own.resolution = 0.015;
        body(
            &mut spec,
            name,
            Vec3::Z * z,
            ShapeSpec::Sphere { radius: 0.05 },
            own,
        );
    }
    let options = Options {
        convex_variant,
        ..convex(2e-3)
    };
    let mut run = Run::new(compile(spec), &options);
    let mut outlines = Outlines::new(options.max_contacts).unwrap();
    run.sim
        .select_params(&[
            param(ParamKind::HydroelasticModulus, 1, 0),
            param(ParamKind::GeomSize, 1, 0),
        ])
        .unwrap();
    let (nv, nu) = (run.v.len(), run.sim.model().nu());
    let (u, w) = (vec![0.0; nu], vec![1.0; nv]);
    let (mut q, mut v) = (run.q.clone(), run.v.clone());
    let (mut a, mut b) = (vec![0.0; nv * nv], vec![0.0; nv * nv]);
    let mut p = [0.0; 2];
    let mut patches = 0;
    let mut all = |run: &mut Run| {
        for _ in 0..5 {
            run.sim.step(&run.q, &run.v, &u, &mut q, &mut v).unwrap();
            run.q.copy_from_slice(&q);
            run.v.copy_from_slice(&v);
            patches += run.sim.patches().count();
            run.sim.outlines(&mut outlines);
            let jacobians = diffsim::step::StepJacobians {
                dv_dq: Some(&mut a),
                dv_dv: Some(&mut b),
                ..Default::default()
            };
            run.sim.step_jacobians(jacobians).unwrap();
            let bars = (&mut a[..nv], &mut b[..nv]);
            run.sim
                .step_vjp(&w, &w, Some(bars.0), Some(bars.1), None, Some(&mut p))
                .unwrap();
        }
    };
    let taken = allocation_counter::measure(|| all(&mut run));
    assert_eq!(taken.count_total, 0);
    assert!(
        patches >= 8 && p[0] != 0.0 && p[1] != 0.0,
        "{patches} {p:?}"
    );
}

#[test]
fn proximity_properties_of_drake() {
    let file = |inside: &str| {
        format!(
            "<robot name='r' xmlns:drake='http://drake.mit.edu'><link name='a'><collision name='pad'><geometry>\
             <sphere radius='0.1'/></geometry><drake:proximity_properties>{inside}</drake:proximity_properties>\
             </collision></link></robot>"
        )
    };
    let read = |inside: &str| read_str(&file(inside), None, &UrdfOptions::default());
    let spec = read(
        "<drake:compliant_hydroelastic/><drake:hydroelastic_modulus value='3e6'/>\
         <drake:mesh_resolution_hint value='0.03'/><drake:hydroelastic_margin value='1e-4'/>\
         <drake:point_contact_stiffness value='1e5'/><drake:relaxation_time value='0.2'/>\
         <drake:mu_dynamic value='0.4'/><drake:mu_static value='0.5'/>\
         <drake:hunt_crossley_dissipation value='2'/><drake:other value='1'/>",
    )
    .unwrap();
    let g = &spec.geoms[0];
    let h = &g.hydroelastic;
    assert_eq!(h.kind, COMPLIANT);
    assert_eq!([h.modulus, h.resolution, h.margin], [3e6, 0.03, 1e-4]);
    assert_eq!([g.stiffness, g.dissipation, g.friction[0]], [1e5, 0.2, 0.4]);
    for named in ["mu_static", "hunt_crossley", "drake:other"] {
        let told = spec.warnings.iter().filter(|w| w.contains(named));
        assert_eq!(told.count(), 1, "{named}: {:?}", spec.warnings);
    }
    for (bad, what) in [
        (
            "<drake:rigid_hydroelastic/><drake:compliant_hydroelastic/>",
            "not both",
        ),
        ("<drake:hydroelastic_modulus value='0'/>", "above 0"),
        ("<drake:mesh_resolution_hint value='nan'/>", "finite"),
        ("<drake:relaxation_time/>", "value"),
    ] {
        let e = read(bad).unwrap_err();
        assert!(
            e.message.contains(what) && e.message.contains("line 1"),
            "{e}"
        );
    }
}
