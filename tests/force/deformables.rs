//! Deformable bodies: derivatives, closed forms, momentum, attachments, no heap, refusals.

use crate::common::trajectory::{From, compare};
use crate::common::{Rng, all_jacobians, param, relative_error};
use diffsim::error::Status;
use diffsim::model::Model;
use diffsim::model::builder::ModelBuilder;
use diffsim::model::deformable::{DeformableSpec, Material};
use diffsim::model::deformable_builder::Skin;
use diffsim::model::params::{Param, ParamKind};
use diffsim::model::spec::{GeomSpec, JointKind, JointSpec, ShapeSpec};
use diffsim::spatial::{Inertia, Pose, Quat, Sym3, Vec3};
use diffsim::step::{Contact, Gradient, Integrator, Options, Sim};
use std::sync::Arc;

const SCHEMES: [Integrator; 4] = [
    Integrator::ImplicitEuler,
    Integrator::Midpoint,
    Integrator::Bdf1,
    Integrator::Sdirk2,
];

fn options(integrator: Integrator, h: f64) -> Options {
    Options {
        time_step: h,
        integrator,
        contact: Contact::None,
        ..Options::default()
    }
}

fn empty(name: &str) -> DeformableSpec {
    DeformableSpec {
        name: name.into(),
        nodes: Vec::new(),
        rest: Vec::new(),
        edges: Vec::new(),
        triangles: Vec::new(),
        tets: Vec::new(),
        thickness: 0.0,
        material: Material::NeoHookean,
        density: 1000.0,
        young: 1e4,
        poisson: 0.3,
        stiffness: 0.0,
        damping: 0.0,
        origin: String::new(),
    }
}

/// A block of cubes, six tetrahedra each.
fn block(name: &str, cells: [usize; 3], size: f64, corner: Vec3) -> DeformableSpec {
    let [nx, ny, nz] = cells.map(|n| n + 1);
    let mut d = empty(name);
    let node = |i: usize, j: usize, k: usize| i + nx * (j + ny * k);
    for k in 0..nz {
        for j in 0..ny {
            for i in 0..nx {
                d.rest
                    .push(corner + Vec3::new(i as f64, j as f64, k as f64) * size);
            }
        }
    }
    // Each path along the edges from the first corner of a cube to the last one is a tetrahedron.
    let paths = [
        [0, 1, 2],
        [1, 2, 0],
        [2, 0, 1],
        [0, 2, 1],
        [2, 1, 0],
        [1, 0, 2],
    ];
    for c in 0..cells.iter().product() {
        let from = [
            c % cells[0],
            c / cells[0] % cells[1],
            c / cells[0] / cells[1],
        ];
        for (p, path) in paths.iter().enumerate() {
            let mut at = from;
            let mut tet = [node(at[0], at[1], at[2]); 4];
            for (k, axis) in path.iter().enumerate() {
                at[*axis] += 1;
                tet[k + 1] = node(at[0], at[1], at[2]);
            }
            if p >= 3 {
                tet.swap(2, 3);
            }
            d.tets.push(tet);
        }
    }
    d
}

fn string(name: &str, nodes: usize, length: f64) -> DeformableSpec {
    let mut d = empty(name);
    let step = length / (nodes - 1) as f64;
    d.rest = (0..nodes)
        .map(|i| Vec3::new(i as f64 * step, 0.0, 0.0))
        .collect();
    d.edges = (1..nodes).map(|i| [i - 1, i]).collect();
    (d.density, d.stiffness) = (0.2, 200.0);
    d
}

/// A sheet of squares of this size, two triangles each, that x and y span.
fn sheet(name: &str, cells: [usize; 2], [x, y]: [Vec3; 2], corner: Vec3) -> DeformableSpec {
    let mut d = empty(name);
    let node = |i: usize, j: usize| i + (cells[0] + 1) * j;
    for j in 0..=cells[1] {
        for i in 0..=cells[0] {
            d.rest.push(corner + x * i as f64 + y * j as f64);
        }
    }
    for c in 0..cells[0] * cells[1] {
        let (i, j) = (c % cells[0], c / cells[0]);
        let [a, b, c, e] = [
            node(i, j),
            node(i + 1, j),
            node(i + 1, j + 1),
            node(i, j + 1),
        ];
        d.triangles.extend([[a, b, c], [a, c, e]]);
    }
    d.thickness = 2e-3;
    d
}

fn solid(mass: f64) -> Inertia {
    let about = Sym3::new(0.02, 0.001, 0.03, 0.0, 0.002, 0.025);
    Inertia::from_com(mass, Vec3::new(0.01, 0.02, 0.05), about)
}

/// A soft block, a net and a sail between the links of an arm, a free body and the world.
fn rig(material: Material) -> Arc<Model> {
    let mut b = ModelBuilder::new("rig");
    let turn = Pose::from_quat(
        Quat::exp(Vec3::new(0.3, -0.2, 0.5)).normalized(),
        Vec3::new(0.1, -0.05, 0.3),
    );
    let arm = b.add_body(0, "arm", turn, solid(1.5)).unwrap();
    b.add_joint(arm, JointSpec::new("shoulder", JointKind::Spherical))
        .unwrap();
    let hand = b.add_body(arm, "hand", turn, solid(0.8)).unwrap();
    let mut elbow = JointSpec::new("elbow", JointKind::Revolute);
    (elbow.axis, elbow.damping) = (Vec3::new(0.6, 0.0, 0.8), 0.1);
    b.add_joint(hand, elbow).unwrap();
    let ball = b
        .add_body(
            0,
            "ball",
            Pose::new(turn.rot, Vec3::new(0.5, 0.1, 0.2)),
            solid(1.0),
        )
        .unwrap();
    b.add_joint(ball, JointSpec::new("float", JointKind::Free))
        .unwrap();
    let mut soft = block("soft", [1, 1, 2], 0.1, Vec3::new(0.1, 0.0, 0.3));
    (soft.material, soft.damping) = (material, 0.01);
    b.add_deformable(soft, &[(0, arm), (1, hand), (2, hand), (10, ball)], None)
        .unwrap();
    let mut net = string("net", 4, 0.3);
    net.edges.push([0, 2]);
    net.damping = 0.02;
    b.add_deformable(net, &[(0, 0), (3, ball)], None).unwrap();
    let span = [Vec3::new(0.1, 0.03, 0.02), Vec3::new(-0.04, 0.09, 0.05)];
    let mut sail = sheet("sail", [2, 1], span, Vec3::new(0.2, 0.1, 0.4));
    (sail.young, sail.damping) = (1e5, 0.01);
    b.add_deformable(sail, &[(0, 0), (4, hand), (5, ball)], None)
        .unwrap();
    Arc::new(b.build().unwrap())
}

fn every_parameter(model: &Model) -> Vec<Param> {
    let mut list = vec![
        param(ParamKind::Gravity, 0, 2),
        param(ParamKind::BodyInertia, 1, 0),
    ];
    for (i, d) in model.deformables().iter().enumerate() {
        let rest = (0..d.rest.len()).map(|n| 5 + 3 * n + n % 3);
        list.extend(
            (0..5)
                .chain(rest)
                .map(|c| param(ParamKind::Deformable, i, c)),
        );
    }
    // Numbers of elements that the body has: edges in the second one, volumes in the others.
    list.retain(|p| {
        let unused: &[i32] = if p.index == 1 { &[1, 2] } else { &[3] };
        p.kind != ParamKind::Deformable || !unused.contains(&p.component)
    });
    list
}

fn step(sim: &mut Sim, base: &[f64], q: &[f64], v: &[f64]) -> Vec<f64> {
    let (mut qn, mut vn) = (q.to_vec(), v.to_vec());
    let memory = vec![0.0; sim.memory_size()];
    sim.set_memory(&memory).unwrap();
    sim.step(q, v, &[], &mut qn, &mut vn).unwrap();
    let info = sim.step_info().unwrap();
    assert!(info.converged, "{info:?}");
    let mut x = vec![0.0; v.len()];
    sim.model().difference(base, &qn, &mut x);
    [x, vn].concat()
}

/// Central differences with increments `e`, by columns.
fn differences(n: usize, e: f64, mut f: impl FnMut(&[f64]) -> Vec<f64>) -> Vec<f64> {
    let mut d = vec![0.0; n];
    let mut out = Vec::new();
    for k in 0..n {
        let mut at = |x: f64| {
            d[k] = x;
            f(&d)
        };
        let (more, less) = (at(e), at(-e));
        d[k] = 0.0;
        out.extend(more.iter().zip(&less).map(|(a, b)| (a - b) / (2.0 * e)));
    }
    out
}

/// The largest relative errors of the Jacobians by q, v and parameters against differences, and of
/// directions and adjoints against the Jacobians.
fn check(sim: &mut Sim, q: &[f64], v: &[f64], list: &[Param], e: f64) -> [f64; 4] {
    let (model, nv, np) = (sim.model().clone(), sim.model().nv(), list.len());
    sim.select_params(list).unwrap();
    let mut base = q.to_vec();
    sim.step(q, v, &[], &mut base, &mut v.to_vec()).unwrap();
    let sizes = [nv, nv, 0, np];
    let mut jq = sizes.map(|n| vec![f64::NAN; nv * n]);
    let mut jv = jq.clone();
    sim.step_jacobians(all_jacobians(&mut jq, &mut jv)).unwrap();
    assert_eq!(sim.step_info().unwrap().gradient, Gradient::Exact);
    let mut rng = Rng::new(9);
    let w = sizes.map(|n| rng.vector(n, 1.0));
    let z = rng.vector(2 * nv, 1.0);
    let (mut dq, mut dv) = (vec![0.0; nv], vec![0.0; nv]);
    sim.step_jvp(&w[0], &w[1], &[], &w[3], &mut dq, &mut dv)
        .unwrap();
    let mut bars = sizes.map(|n| vec![0.0; n]);
    let [a, b, _, d] = &mut bars;
    sim.step_vjp(&z[..nv], &z[nv..], Some(a), Some(b), None, Some(d))
        .unwrap();
    let (mut product, mut apart) = (vec![0.0; 2 * nv], 0.0_f64);
    let mut p = vec![0.0; np];
    sim.get_params(&mut p).unwrap();
    let mut errors = [0.0; 4];
    for kind in [0, 1, 3] {
        let columns: Vec<f64> = (0..sizes[kind])
            .flat_map(|k| [&jq[kind][k * nv..][..nv], &jv[kind][k * nv..][..nv]].concat())
            .collect();
        let fd = match kind {
            0 => {
                let mut at = q.to_vec();
                differences(nv, e, |d| {
                    model.integrate(q, d, &mut at);
                    step(sim, &base, &at, v)
                })
            }
            1 => differences(nv, e, |d| {
                let there: Vec<f64> = v.iter().zip(d).map(|(v, d)| v + d).collect();
                step(sim, &base, q, &there)
            }),
            _ => {
                let mut fd = Vec::new();
                for k in 0..np {
                    let e = 1e-6 * p[k].abs().max(0.1);
                    let mut at = |x: f64| {
                        let mut p = p.clone();
                        p[k] += x;
                        sim.set_params(&p).unwrap();
                        step(sim, &base, q, v)
                    };
                    let (more, less) = (at(e), at(-e));
                    fd.extend(more.iter().zip(&less).map(|(a, b)| (a - b) / (2.0 * e)));
                }
                sim.set_params(&p).unwrap();
                fd
            }
        };
        errors[kind.min(2)] = match kind {
            // Columns by Young's modulus are small: each against its own size.
            3 => columns
                .chunks(2 * nv)
                .zip(fd.chunks(2 * nv))
                .map(|(a, b)| {
                    let size = b.iter().fold(1e-12_f64, |m, x| m.max(x.abs()));
                    a.iter()
                        .zip(b)
                        .fold(0.0_f64, |m, (x, y)| m.max((x - y).abs() / size))
                })
                .fold(0.0, f64::max),
            _ => relative_error(&columns, &fd),
        };
        for (k, column) in columns.chunks_exact(2 * nv).enumerate() {
            for (y, c) in product.iter_mut().zip(column) {
                *y += c * w[kind][k];
            }
            let adjoint: f64 = column.iter().zip(&z).map(|(c, z)| c * z).sum();
            let size = column.iter().fold(1.0_f64, |m, c| m.max(c.abs()));
            apart = apart.max((bars[kind][k] - adjoint).abs() / size);
        }
    }
    errors[3] = apart.max(relative_error(&[dq, dv].concat(), &product));
    errors
}

#[test]
fn steps_have_exact_derivatives_by_state_material_and_shape() {
    for integrator in SCHEMES {
        for material in [Material::NeoHookean, Material::Corotated] {
            let model = rig(material);
            let mut sim = Sim::new(model.clone(), &options(integrator, 5e-3)).unwrap();
            let mut rng = Rng::new(4);
            let mut q = vec![0.0; model.nq()];
            model.integrate(model.neutral(), &rng.vector(model.nv(), 0.02), &mut q);
            let v = rng.vector(model.nv(), 0.5);
            let errors = check(&mut sim, &q, &v, &every_parameter(&model), 1e-5);
            println!("{integrator:?} {material:?}: {errors:?}");
            assert!(
                errors[0] < 1e-6 && errors[1] < 1e-6 && errors[2] < 3e-5,
                "{errors:?}"
            );
            assert!(errors[3] < 1e-10, "{errors:?}");
        }
    }
}

/// A block above a floor, whose lowest nodes are in contact, and a sphere on it.
fn lying(skin: f64) -> Arc<Model> {
    let mut b = ModelBuilder::new("lying");
    b.add_geom(GeomSpec::new(
        "floor",
        0,
        Pose::IDENTITY,
        ShapeSpec::Plane {
            half_extents: [0.0; 2],
        },
    ))
    .unwrap();
    let mut soft = block("soft", [1, 1, 1], 0.1, Vec3::new(0.0, 0.0, skin - 1e-3));
    soft.damping = 0.01;
    let skin = Skin {
        radius: skin,
        friction: 0.5,
        condim: 3,
    };
    b.add_deformable(soft, &[], Some(skin)).unwrap();
    let ball = b
        .add_body(
            0,
            "ball",
            Pose::new(Pose::IDENTITY.rot, Vec3::new(0.01, 0.02, 0.153)),
            solid(0.2),
        )
        .unwrap();
    b.add_joint(ball, JointSpec::new("float", JointKind::Free))
        .unwrap();
    b.add_geom(GeomSpec::new(
        "ball",
        ball,
        Pose::IDENTITY,
        ShapeSpec::Sphere { radius: 0.04 },
    ))
    .unwrap();
    Arc::new(b.build().unwrap())
}

#[test]
fn penalty_contact_of_nodes_has_exact_derivatives() {
    let model = lying(0.01);
    for integrator in [Integrator::ImplicitEuler, Integrator::Bdf1] {
        let o = Options {
            contact: Contact::Penalty,
            ..options(integrator, 2e-3)
        };
        let mut sim = Sim::new(model.clone(), &o).unwrap();
        let mut rng = Rng::new(6);
        let (q, v) = (model.neutral().to_vec(), rng.vector(model.nv(), 0.02));
        // Contacts are 1 mm deep and a kink of the force is near: small increments.
        let errors = check(&mut sim, &q, &v, &every_parameter(&model), 1e-7);
        step(&mut sim, &q, &q, &v);
        assert!(sim.step_info().unwrap().contacts >= 4);
        println!("{integrator:?}: {errors:?}");
        assert!(
            errors[..2].iter().all(|e| *e < 1e-6) && errors[2] < 1e-6 && errors[3] < 1e-10,
            "{errors:?}"
        );
    }
}

/// Runs a simulation until it rests, and returns q.
#[test]
fn a_gantry_that_carries_a_node_touches_nodes_of_another_body() {
    let mut b = ModelBuilder::new("gantry");
    let skin = Skin {
        radius: 0.01,
        friction: 0.5,
        condim: 3,
    };
    let mut soft = block("soft", [1, 1, 1], 0.1, Vec3::ZERO);
    soft.damping = 0.01;
    b.add_deformable(soft, &[(0, 0), (1, 0), (2, 0), (3, 0)], Some(skin))
        .unwrap();
    // Three slides, as a node has, and a sphere 1 mm deep in a node.
    let above = Pose::new(Pose::IDENTITY.rot, Vec3::new(0.0, 0.01, 0.148));
    let hand = b.add_body(0, "hand", above, solid(0.5)).unwrap();
    b.add_joint(hand, JointSpec::new("slides", JointKind::Translation))
        .unwrap();
    let shape = ShapeSpec::Sphere { radius: 0.04 };
    b.add_geom(GeomSpec::new("hand", hand, Pose::IDENTITY, shape))
        .unwrap();
    let mut net = string("net", 3, 0.1);
    net.damping = 0.02;
    b.add_deformable(net, &[(0, hand)], None).unwrap();
    let o = Options {
        contact: Contact::Penalty,
        ..options(Integrator::ImplicitEuler, 2e-3)
    };
    let mut sim = Sim::new(Arc::new(b.build().unwrap()), &o).unwrap();
    let model = sim.model().clone();
    let (q, v) = (
        model.neutral().to_vec(),
        Rng::new(6).vector(model.nv(), 0.02),
    );
    let errors = check(&mut sim, &q, &v, &every_parameter(&model), 1e-7);
    step(&mut sim, &q, &q, &v);
    assert_eq!(sim.step_info().unwrap().contacts, 1);
    assert!(
        errors[..3].iter().all(|e| *e < 1e-6) && errors[3] < 1e-10,
        "{errors:?}"
    );
}

fn settle(sim: &mut Sim, steps: usize) -> Vec<f64> {
    let model = sim.model().clone();
    let (mut q, mut v) = (model.neutral().to_vec(), vec![0.0; model.nv()]);
    for _ in 0..steps {
        let (q0, v0) = (q.clone(), v.clone());
        sim.step(&q0, &v0, &[], &mut q, &mut v).unwrap();
        assert!(sim.step_info().unwrap().converged);
    }
    let speed = v.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
    assert!(speed < 1e-8, "{speed}");
    q
}

#[test]
fn a_hanging_bar_stretches_by_its_weight() {
    // ρ g L² / 2 E, with an error that shrinks with the square of the elements.
    for (n, bound) in [(2, 3e-3), (4, 6e-4), (8, 1.5e-4)] {
        let length = 1.0;
        let mut bar = block("bar", [1, 1, n], length / n as f64, Vec3::ZERO);
        (bar.young, bar.poisson, bar.damping) = (1e6, 0.0, 0.01);
        let mut b = ModelBuilder::new("bar");
        let top: Vec<_> = (4 * n..4 * n + 4).map(|i| (i, 0)).collect();
        b.add_deformable(bar, &top, None).unwrap();
        let mut sim = Sim::new(
            Arc::new(b.build().unwrap()),
            &options(Integrator::ImplicitEuler, 0.5),
        )
        .unwrap();
        let q = settle(&mut sim, 60);
        let tip = (0..4).map(|i| -q[3 * i + 2]).sum::<f64>() / 4.0;
        let expected = 1000.0 * 9.81 * length * length / 2e6;
        let error = (tip / expected - 1.0).abs();
        println!("{n} cells: {tip:.6e}, {error:.1e} off");
        assert!(error < bound, "{tip} {expected}");
    }
}

#[test]
fn a_hanging_string_is_a_discrete_catenary() {
    let (n, length) = (11, 1.0);
    let mut rope = string("rope", n, length);
    (rope.stiffness, rope.damping, rope.density) = (2e4, 0.01, 0.5);
    let mut b = ModelBuilder::new("rope");
    b.add_deformable(rope, &[(0, 0), (n - 1, 0)], None).unwrap();
    let model = Arc::new(b.build().unwrap());
    let mut sim = Sim::new(model.clone(), &options(Integrator::Bdf1, 0.2)).unwrap();
    // A straight rope has no stiffness across: begin below the line.
    let (mut q, mut v) = (model.neutral().to_vec(), vec![0.0; model.nv()]);
    for i in 1..n - 1 {
        q[3 * (i - 1) + 2] = -0.05;
    }
    for _ in 0..400 {
        let (q0, v0) = (q.clone(), v.clone());
        sim.step(&q0, &v0, &[], &mut q, &mut v).unwrap();
    }
    let place = |i: usize| match i {
        0 => Vec3::ZERO,
        i if i == n - 1 => Vec3::new(length, 0.0, 0.0),
        i => {
            Vec3::new(i as f64 * length / (n - 1) as f64, 0.0, 0.0)
                + Vec3::from_slice(&q[3 * (i - 1)..])
        }
    };
    let rest = length / (n - 1) as f64;
    let pulls: Vec<Vec3> = (1..n)
        .map(|i| {
            let d = place(i) - place(i - 1);
            d * (2e4 * (d.norm() - rest) / d.norm())
        })
        .collect();
    // The horizontal pull is the same everywhere; the vertical one grows by the weight of each node.
    let weight = 0.5 * rest * 9.81;
    for pair in pulls.windows(2) {
        assert!(
            (pair[1].x - pair[0].x).abs() < 1e-8 * pulls[0].x,
            "{pulls:?}"
        );
        assert!((pair[1].z - pair[0].z - weight).abs() < 1e-8, "{pulls:?}");
    }
}

/// Cantilevers of square section by linear tetrahedra, which are too stiff in bending. The error falls with
/// the square of the elements' size. Extrapolated to size zero, the tip is that of a beam with shear.
#[test]
fn a_beam_bends_by_a_load_and_by_its_weight() {
    let (length, side, young, density, g) = (1.0_f64, 0.25_f64, 1e6, 1000.0, 9.81);
    let (area, second) = (side * side, side.powi(4) / 12.0);
    // Poisson's ratio 0: the shear modulus is E/2, and 5/6 of the section takes part in shear.
    let sheared = 5.0 / 6.0 * area * young / 2.0;
    let (load, weight) = (0.2, density * area * 0.02 * g);
    let expected = [
        load * length.powi(3) / (3.0 * young * second) + load * length / sheared,
        weight * length.powi(4) / (8.0 * young * second)
            + weight * length.powi(2) / (2.0 * sheared),
    ];
    for (by_weight, expected) in [false, true].into_iter().zip(expected) {
        let tip = |n: usize| {
            let mut beam = block("beam", [4 * n, n, n], side / n as f64, Vec3::ZERO);
            (beam.young, beam.poisson, beam.damping) = (young, 0.0, 0.01);
            let nx = 4 * n + 1;
            let nodes = beam.rest.len();
            let wall: Vec<_> = (0..nodes).step_by(nx).map(|i| (i, 0)).collect();
            let end: Vec<_> = (4 * n..nodes).step_by(nx).collect();
            let mut b = ModelBuilder::new("beam");
            let down = if by_weight { -0.02 * g } else { 0.0 };
            b.set_gravity(Vec3::new(0.0, 0.0, down)).unwrap();
            b.add_deformable(beam, &wall, None).unwrap();
            let model = Arc::new(b.build().unwrap());
            let mut sim = Sim::new(model, &options(Integrator::ImplicitEuler, 5.0)).unwrap();
            let bodies = sim.model().deformables()[0].nodes.clone();
            for i in &end {
                // Each face of an element gives equal shares to its nodes.
                let edges = |k: usize| if k == 0 || k == n { 1.0 } else { 2.0 };
                let share = edges(i / nx % (n + 1)) * edges(i / nx / (n + 1)) / (4 * n * n) as f64;
                let f = if by_weight { 0.0 } else { -load * share };
                sim.set_external_wrench(bodies[*i].body, [0.0, 0.0, f, 0.0, 0.0, 0.0])
                    .unwrap();
            }
            let q = settle(&mut sim, 12);
            let free = |i: usize| i - i / nx - 1;
            let sum: f64 = end.iter().map(|i| -q[3 * free(*i) + 2]).sum();
            sum / end.len() as f64
        };
        // By how much it is too stiff: for elements of three sizes, and for size zero.
        let errors = [1, 2, 4].map(|n| expected / tip(n) - 1.0);
        let rest = (4.0 * errors[2] - errors[1]) / 3.0;
        println!("by weight: {by_weight}, errors {errors:?}, for size zero {rest}");
        assert!(errors[0] > 3.4 * errors[1] && errors[1] > 3.4 * errors[2]);
        assert!(rest.abs() < 0.02, "{rest}");
    }
}

/// A strip that is pulled at both ends has one strain E = (s² − 1)/2 along it, and −ν E across it. Its stress
/// is s Young E.
#[test]
fn a_strip_of_triangles_stretches_and_narrows_as_plane_stress_says() {
    let (young, poisson, load, size) = (2e5, 0.3, 40.0, 0.05);
    let span = [Vec3::new(size, 0.0, 0.0), Vec3::new(0.0, size, 0.0)];
    let mut strip = sheet("strip", [6, 2], span, Vec3::ZERO);
    (strip.young, strip.poisson, strip.damping) = (young, poisson, 0.01);
    let rest = strip.rest.clone();
    let mut b = ModelBuilder::new("strip");
    b.set_gravity(Vec3::ZERO).unwrap();
    b.add_deformable(strip, &[(7, 0)], None).unwrap();
    let mut sim = Sim::new(
        Arc::new(b.build().unwrap()),
        &options(Integrator::ImplicitEuler, 1.0),
    )
    .unwrap();
    let bodies = sim.model().deformables()[0].nodes.clone();
    for (j, share) in [0.25, 0.5, 0.25].into_iter().enumerate() {
        for (i, sign) in [(7 * j, -1.0), (7 * j + 6, 1.0)] {
            let f = [sign * share * load, 0.0, 0.0, 0.0, 0.0, 0.0];
            if bodies[i].is_free {
                sim.set_external_wrench(bodies[i].body, f).unwrap();
            }
        }
    }
    let q = settle(&mut sim, 40);
    // s (s² − 1) / 2 = load / (Young × section)
    let pull = load / (young * 2.0 * size * 2e-3);
    let s = (0..50).fold(1.0, |s: f64, _| {
        s - (0.5 * s * (s * s - 1.0) - pull) / (1.5 * s * s - 0.5)
    });
    let across = (1.0 - poisson * (s * s - 1.0)).sqrt();
    let free: Vec<usize> = (0..rest.len()).filter(|i| *i != 7).collect();
    for (k, i) in free.into_iter().enumerate() {
        let (x, at) = (rest[i], Vec3::from_slice(&q[3 * k..]) + rest[i]);
        let y = size + (x.y - size) * across;
        let off = at - Vec3::new(s * x.x, y, 0.0);
        assert!(off.norm() < 1e-9, "{i}: {off:?}");
    }
    assert!(s > 1.1);
}

/// A ladder of edges bends like a cable of stiffness EI = k t² l / 2, with rungs of length t at distances l.
/// The moment 2 π EI / L bends it to a circle, up to the square of a bay's angle.
#[test]
fn a_moment_at_its_tip_bends_a_cable_to_a_circle() {
    let gap = |bays: usize| {
        let (length, thick, stiffness) = (1.0, 0.02, 1e4);
        let bay = length / bays as f64;
        let mut cable = empty("cable");
        for i in 0..=bays {
            let x = i as f64 * bay;
            cable.rest.extend([Vec3::X * x, Vec3::new(x, thick, 0.0)]);
            cable.edges.push([2 * i, 2 * i + 1]);
        }
        for i in (0..2 * bays).step_by(2) {
            let [a, b, c, d] = [i, i + 1, i + 2, i + 3];
            cable.edges.extend([[a, c], [b, d], [a, d], [b, c]]);
        }
        (cable.stiffness, cable.damping, cable.density) = (stiffness, 0.01, 1.0);
        let mut b = ModelBuilder::new("cable");
        b.set_gravity(Vec3::ZERO).unwrap();
        let at = Pose::new(Pose::IDENTITY.rot, Vec3::new(length, 0.5 * thick, 0.0));
        let ball = Inertia::from_com(0.01, Vec3::ZERO, Sym3::new(1e-5, 0.0, 1e-5, 0.0, 0.0, 1e-5));
        let tip = b.add_body(0, "tip", at, ball).unwrap();
        b.add_joint(tip, JointSpec::new("float", JointKind::Free))
            .unwrap();
        let held = [(0, 0), (1, 0), (2 * bays, tip), (2 * bays + 1, tip)];
        b.add_deformable(cable, &held, None).unwrap();
        let model = Arc::new(b.build().unwrap());
        let mut sim = Sim::new(model.clone(), &options(Integrator::ImplicitEuler, 0.5)).unwrap();
        let (mut q, mut v) = (model.neutral().to_vec(), vec![0.0; model.nv()]);
        let most = std::f64::consts::TAU * stiffness * thick * thick * bay / (2.0 * length);
        for k in 1..=300 {
            let moment = most * (k as f64 / 150.0).min(1.0);
            sim.set_external_wrench(tip, [0.0, 0.0, 0.0, 0.0, 0.0, moment])
                .unwrap();
            let (q0, v0) = (q.clone(), v.clone());
            sim.step(&q0, &v0, &[], &mut q, &mut v).unwrap();
            assert!(sim.step_info().unwrap().converged, "{bays} {k}");
        }
        let speed = v.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
        assert!(speed < 1e-3, "{speed}");
        // The free joint comes first. It begins one length away from the wall.
        let moved = [0, 1].map(|k| q[k] - model.neutral()[k]);
        (length + moved[0]).hypot(moved[1]) / length
    };
    let gaps = [24, 48].map(gap);
    println!("{gaps:?}");
    assert!(gaps[1] < 0.015 && gaps[0] > 3.5 * gaps[1], "{gaps:?}");
}

#[test]
fn a_free_body_keeps_its_momentum() {
    for material in [Material::NeoHookean, Material::Corotated] {
        for integrator in SCHEMES {
            let mut b = ModelBuilder::new("free");
            b.set_gravity(Vec3::ZERO).unwrap();
            let mut soft = block("soft", [2, 1, 1], 0.1, Vec3::ZERO);
            (soft.material, soft.damping) = (material, 0.01);
            let carrier = b
                .add_body(0, "carrier", Pose::IDENTITY, solid(1.0))
                .unwrap();
            b.add_joint(carrier, JointSpec::new("slide", JointKind::Translation))
                .unwrap();
            b.add_deformable(soft, &[(0, carrier), (3, carrier)], None)
                .unwrap();
            let model = Arc::new(b.build().unwrap());
            let mut sim = Sim::new(model.clone(), &options(integrator, 5e-3)).unwrap();
            let (mut q, mut v) = (
                model.neutral().to_vec(),
                Rng::new(2).vector(model.nv(), 1.0),
            );
            let momentum = |sim: &mut Sim, q: &[f64], v: &[f64]| {
                let still = vec![0.0; v.len()];
                sim.centroidal(q, v, &still).unwrap().momentum
            };
            let mut before = momentum(&mut sim, &q, &v);
            for _ in 0..40 {
                let (q0, v0) = (q.clone(), v.clone());
                sim.step(&q0, &v0, &[], &mut q, &mut v).unwrap();
                assert!(sim.step_info().unwrap().converged);
                let after = momentum(&mut sim, &q, &v);
                for k in 0..3 {
                    assert!((after[k] - before[k]).abs() < 1e-10, "{before:?} {after:?}");
                }
                before = after;
            }
        }
    }
}

#[test]
fn a_rollout_has_the_gradient_by_material() {
    let model = rig(Material::NeoHookean);
    for integrator in [Integrator::ImplicitEuler, Integrator::Bdf2] {
        let mut rng = Rng::new(12);
        let from = From {
            q0: model.neutral().to_vec(),
            v0: rng.vector(model.nv(), 0.2),
            u: Vec::new(),
        };
        let o = options(integrator, 5e-3);
        let list = every_parameter(&model);
        let found = compare(&model, &o, 50, &from, &list, 1e-5);
        found.accept(&format!("{integrator:?}"), 1e-6);
    }
}

/// Single columns are solved with the factors of a point near the solution, and refined. They agree with the
/// Jacobians, and have the same bits before and after them.
#[test]
fn refined_directions_and_adjoints_agree_with_jacobians() {
    for integrator in SCHEMES {
        agree_with_jacobians(integrator);
    }
}

fn agree_with_jacobians(integrator: Integrator) {
    let mut beam = block("beam", [6, 3, 3], 0.05, Vec3::ZERO);
    (beam.young, beam.damping) = (5e5, 0.01);
    let wall: Vec<_> = (0..beam.rest.len()).step_by(7).map(|i| (i, 0)).collect();
    let mut b = ModelBuilder::new("beam");
    b.add_deformable(beam, &wall, None).unwrap();
    let model = Arc::new(b.build().unwrap());
    let nv = model.nv();
    let mut sim = Sim::new(model.clone(), &options(integrator, 2e-3)).unwrap();
    let mut rng = Rng::new(5);
    let (mut q, mut v) = (model.neutral().to_vec(), vec![0.0; nv]);
    let (w, z) = (rng.vector(2 * nv, 1.0), rng.vector(2 * nv, 1.0));
    for _ in 0..6 {
        let (q0, v0) = (q.clone(), v.clone());
        sim.step(&q0, &v0, &[], &mut q, &mut v).unwrap();
        let single = |sim: &mut Sim| {
            let mut all = vec![0.0; 4 * nv];
            let (along, bars) = all.split_at_mut(2 * nv);
            let [dq, dv] = along.split_at_mut(nv).into();
            sim.step_jvp(&w[..nv], &w[nv..], &[], &[], dq, dv).unwrap();
            let [a, b] = bars.split_at_mut(nv).into();
            sim.step_vjp(&z[..nv], &z[nv..], Some(a), Some(b), None, None)
                .unwrap();
            all
        };
        let first = single(&mut sim);
        let mut jq = [nv, nv, 0, 0].map(|n| vec![0.0; nv * n]);
        let mut jv = jq.clone();
        sim.step_jacobians(all_jacobians(&mut jq, &mut jv)).unwrap();
        assert_eq!(first, single(&mut sim));
        let mut expected = vec![0.0; 4 * nv];
        for (kind, j) in [&jq, &jv].into_iter().enumerate() {
            for (of, j) in j[..2].iter().enumerate() {
                for (k, x) in j.iter().enumerate() {
                    let (column, row) = (k / nv, k % nv);
                    expected[kind * nv + row] += x * w[of * nv + column];
                    expected[(2 + of) * nv + column] += x * z[kind * nv + row];
                }
            }
        }
        let wrong = relative_error(&first, &expected);
        assert!(wrong < 1e-11, "{wrong:e}");
    }
}

#[test]
fn steps_and_derivatives_use_no_heap() {
    let model = lying(0.01);
    let o = Options {
        contact: Contact::Penalty,
        ..options(Integrator::ImplicitEuler, 2e-3)
    };
    let mut sim = Sim::new(model.clone(), &o).unwrap();
    let list = every_parameter(&model);
    sim.select_params(&list).unwrap();
    let (nv, np) = (model.nv(), list.len());
    let (q, v) = (model.neutral().to_vec(), vec![0.01; nv]);
    let (mut qn, mut vn) = (q.clone(), v.clone());
    let sizes = [nv, nv, 0, np];
    let mut jq = sizes.map(|n| vec![0.0; nv * n]);
    let mut jv = jq.clone();
    let mut p = vec![0.0; np];
    sim.get_params(&mut p).unwrap();
    let w = vec![1.0; nv];
    let (mut q_bar, mut v_bar, mut p_bar) = (w.clone(), w.clone(), p.clone());
    let used = allocation_counter::measure(|| {
        for _ in 0..3 {
            sim.step(&q, &v, &[], &mut qn, &mut vn).unwrap();
            sim.step_jacobians(all_jacobians(&mut jq, &mut jv)).unwrap();
            let bars = [&mut q_bar, &mut v_bar];
            let [a, b] = bars;
            sim.step_vjp(&w, &w, Some(a), Some(b), None, Some(&mut p_bar))
                .unwrap();
            sim.set_params(&p).unwrap();
        }
    });
    assert_eq!(used.count_total, 0, "{used:?}");
}

#[test]
fn bad_bodies_and_options_are_refused_and_change_nothing() {
    let good = || block("soft", [1, 1, 1], 0.1, Vec3::ZERO);
    let mut b = ModelBuilder::new("m");
    let before = format!("{b:?}");
    let mut refused = |d: DeformableSpec, attached: &[(usize, usize)], named: &str| {
        let e = b.add_deformable(d, attached, None).unwrap_err();
        assert_eq!(e.status, Status::InvalidArgument);
        assert!(e.message.contains(named), "{e}");
        assert_eq!(format!("{b:?}"), before);
    };
    let changed = |change: &dyn Fn(&mut DeformableSpec)| {
        let mut d = good();
        change(&mut d);
        d
    };
    refused(
        changed(&|d| d.tets[2].swap(0, 1)),
        &[],
        "tets[2] must have a positive volume",
    );
    refused(changed(&|d| d.rest[7] = d.rest[6]), &[], "positive volume");
    refused(
        changed(&|d| d.rest[3].y = f64::NAN),
        &[],
        "nodes[3] must be finite",
    );
    refused(
        changed(&|d| d.rest.push(Vec3::ZERO)),
        &[],
        "nodes[8] belongs to no edge",
    );
    refused(
        changed(&|d| d.tets[0][1] = 9),
        &[],
        "must name nodes 0 to 7, got 9",
    );
    refused(
        changed(&|d| d.tets.clear()),
        &[],
        "it must have edges, triangles or tets",
    );
    refused(
        changed(&|d| d.triangles.push([0, 1, 2])),
        &[],
        "thickness must be positive",
    );
    refused(
        changed(&|d| {
            d.thickness = 1e-3;
            d.rest[1] = (d.rest[0] + d.rest[2]) * 0.5;
            d.tets.clear();
            d.triangles = vec![[0, 1, 2], [3, 4, 5], [5, 6, 7]];
        }),
        &[],
        "triangles[0] must have an area",
    );
    refused(
        changed(&|d| d.triangles.push([0, 8, 2])),
        &[],
        "triangles[0] must name nodes 0 to 7, got 8",
    );
    refused(
        changed(&|d| d.material = Material::Membrane),
        &[],
        "material must be",
    );
    refused(
        changed(&|d| d.edges.push([2, 2])),
        &[],
        "names node 2 twice",
    );
    refused(changed(&|d| d.young = 0.0), &[], "young must be positive");
    refused(
        changed(&|d| d.young = f64::INFINITY),
        &[],
        "young must be positive",
    );
    refused(
        changed(&|d| d.poisson = 0.5),
        &[],
        "poisson must be above -1",
    );
    refused(
        changed(&|d| d.damping = -1.0),
        &[],
        "damping must be finite",
    );
    refused(
        changed(&|d| d.density = f64::NAN),
        &[],
        "density must be positive",
    );
    refused(good(), &[(1, 0), (1, 0)], "attached twice");
    refused(good(), &[(8, 0)], "must be 0 to 7");
    refused(good(), &[(1, 4)], "attach_bodies[0]");
    b.add_deformable(good(), &[], None).unwrap();
    let again = b.add_deformable(good(), &[], None).unwrap_err();
    assert!(again.message.contains("taken twice"), "{again}");
    let model = Arc::new(b.build().unwrap());
    let refusal = |o: &Options| {
        let e = Sim::new(model.clone(), o).unwrap_err();
        assert_eq!(e.status, Status::Unsupported);
        e.message
    };
    assert!(refusal(&Options::default()).contains("Penalty or None"));
    let explicit = options(Integrator::SymplecticEuler, 1e-3);
    assert!(refusal(&explicit).contains("implicit"));
    let mut sim = Sim::new(model.clone(), &options(Integrator::FromModel, 1e-3)).unwrap();
    // A shape with an inverted element is refused as a whole.
    let list = [
        param(ParamKind::Deformable, 0, 5 + 2),
        param(ParamKind::Deformable, 0, 2),
    ];
    sim.select_params(&list).unwrap();
    for (p, named) in [
        ([0.3, 0.3], "flat or inverted"),
        ([0.0, 0.6], "poisson"),
        ([f64::NAN, 0.3], "finite"),
    ] {
        let e = sim.set_params(&p).unwrap_err();
        assert!(e.message.contains(named), "{e}");
    }
    let mut p = [f64::NAN; 2];
    sim.get_params(&mut p).unwrap();
    assert_eq!(p, [0.0, 0.3]);
    let joint = param(ParamKind::JointPlacement, 0, 0);
    assert_eq!(
        sim.select_params(&[joint]).unwrap_err().status,
        Status::Unsupported
    );
}

#[test]
fn a_body_attached_to_another_model_moves_as_before() {
    let model = rig(Material::Corotated);
    let mut b = ModelBuilder::new("scene");
    b.attach(0, Pose::IDENTITY, &model, "a_").unwrap();
    let copy = Arc::new(b.build().unwrap());
    let o = options(Integrator::ImplicitEuler, 5e-3);
    let v = Rng::new(3).vector(model.nv(), 0.3);
    let run = |model: &Arc<Model>| {
        let mut sim = Sim::new(model.clone(), &o).unwrap();
        let (mut q, mut vn) = (model.neutral().to_vec(), v.clone());
        sim.step(model.neutral(), &v, &[], &mut q, &mut vn).unwrap();
        vn
    };
    assert_eq!(run(&model), run(&copy));
    assert_eq!(copy.deformables()[0].name, "a_soft");
}

/// A floor across the z axis.
fn floor(b: &mut ModelBuilder, friction: f64, condim: i32) {
    let half_extents = [0.0; 2];
    let mut floor = GeomSpec::new(
        "floor",
        0,
        Pose::IDENTITY,
        ShapeSpec::Plane { half_extents },
    );
    (floor.friction[0], floor.condim) = (friction, condim);
    b.add_geom(floor).unwrap();
}

fn on_the_floor(b: ModelBuilder, tangential: f64, h: f64) -> Sim {
    let model = Arc::new(b.build().unwrap());
    let o = Options {
        contact: Contact::Penalty,
        ..options(Integrator::ImplicitEuler, h)
    };
    let mut sim = Sim::new(model.clone(), &o).unwrap();
    let nodes: Vec<_> = (model.geoms().iter().enumerate())
        .filter(|(_, g)| g.body != 0)
        .map(|(g, _)| param(ParamKind::ContactTangential, g, 0))
        .collect();
    if tangential > 0.0 {
        sim.select_params(&nodes).unwrap();
        sim.set_params(&vec![tangential; nodes.len()]).unwrap();
    }
    sim
}

/// The test of Drake's deformable bodies: an octahedron of eight tetrahedra on a slope of 15°. Here gravity
/// is tilted instead of the floor.
#[test]
fn an_octahedron_rests_on_a_slope() {
    let mut b = ModelBuilder::new("slope");
    let (slope, g) = (15_f64.to_radians(), 9.81);
    b.set_gravity(Vec3::new(g * slope.sin(), 0.0, -g * slope.cos()))
        .unwrap();
    floor(&mut b, 0.4, 3);
    // A face lies on the floor: its normal is the diagonal of the octahedron's axes.
    let down = Vec3::new(-1.0, -1.0, -1.0) * (1.0 / 3_f64.sqrt());
    let (size, radius) = (0.1, 1e-3);
    let u = down.cross(Vec3::X).normalized().unwrap();
    let placed = |x: Vec3| Vec3::new(x.dot(u), x.dot(u.cross(down)), -x.dot(down));
    let mut soft = empty("soft");
    soft.rest.push(Vec3::ZERO);
    for axis in [Vec3::X, Vec3::Y, Vec3::Z] {
        soft.rest.extend([axis * size, axis * -size]);
    }
    for [x, y, z] in [0, 1, 2, 3, 4, 5, 6, 7].map(|k| [k & 1, k >> 1 & 1, k >> 2]) {
        let mut tet = [0, 1 + x, 3 + y, 5 + z];
        if (x + y + z) % 2 == 1 {
            tet.swap(2, 3);
        }
        soft.tets.push(tet);
    }
    let height = Vec3::new(0.0, 0.0, size / 3_f64.sqrt() + radius);
    soft.rest.iter_mut().for_each(|x| *x = placed(*x) + height);
    (soft.young, soft.poisson, soft.damping) = (1e5, 0.4, 0.01);
    let skin = Skin {
        radius,
        friction: 0.4,
        condim: 3,
    };
    b.add_deformable(soft, &[], Some(skin)).unwrap();
    // At rest it creeps with 1.1 N per node.
    let mut sim = on_the_floor(b, 2e5, 2.5e-3);
    let model = sim.model().clone();
    let (mut q, mut v) = (model.neutral().to_vec(), vec![0.0; model.nv()]);
    for _ in 0..2000 {
        let (q0, v0) = (q.clone(), v.clone());
        sim.step(&q0, &v0, &[], &mut q, &mut v).unwrap();
        assert!(sim.step_info().unwrap().converged);
    }
    let speed = v.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
    let mut force = [0.0; 3];
    for c in sim.contacts() {
        for (f, p) in force.iter_mut().zip(c.impulse) {
            *f += p / 2.5e-3;
        }
    }
    let weight = 1000.0 * 4.0 / 3.0 * size.powi(3) * g;
    let [along, normal] = [force[0].hypot(force[1]), force[2]];
    println!("{speed:.1e} m/s, {along} N along and {normal} N across, weight {weight} N");
    assert!(sim.contacts().len() == 3 && speed < 2e-5);
    assert!((along - weight * slope.sin()).abs() < 1e-5);
    assert!((normal - weight * slope.cos()).abs() < 1e-5);
}

/// A cube settles by ρ g L² / 2 E, with the default numbers of contact at its nodes. The floor pushes at
/// nodes, so that the error falls with the size of the elements.
#[test]
fn a_cube_settles_by_its_weight() {
    let (length, young) = (0.3, 1e5);
    let errors = [2, 4].map(|n: usize| {
        let mut b = ModelBuilder::new("settling");
        floor(&mut b, 1.0, 1);
        let size = length / n as f64;
        let mut cube = block("cube", [n; 3], size, Vec3::new(0.0, 0.0, 1e-3));
        (cube.young, cube.poisson, cube.damping) = (young, 0.0, 0.01);
        cube.density = 10.0;
        let skin = Skin {
            radius: 1e-3,
            friction: 1.0,
            condim: 1,
        };
        b.add_deformable(cube, &[], Some(skin)).unwrap();
        let mut sim = on_the_floor(b, 0.0, 0.02);
        let q = settle(&mut sim, 150);
        let layer = (n + 1) * (n + 1);
        let mean =
            |first: usize| (first..first + layer).map(|i| q[3 * i + 2]).sum::<f64>() / layer as f64;
        let [bottom, top] = [mean(0), mean(n * layer)];
        let expected = 10.0 * 9.81 * length * length / (2.0 * young);
        println!(
            "{n} cells: {:.4e} of {expected:.4e}, sunk in by {:.1e}",
            bottom - top,
            -bottom
        );
        assert!((0.0..0.2 * expected).contains(&-bottom));
        (bottom - top) / expected - 1.0
    });
    let [coarse, fine] = errors.map(f64::abs);
    assert!(coarse < 1.2e-2 && fine < 0.6 * coarse, "{errors:?}");
}
