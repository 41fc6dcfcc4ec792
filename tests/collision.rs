//! Geometry through the simulation: every pair of shapes touches, moves with an exact derivative, and
//! holds what falls on it.

mod common;

use common::*;
use diffsim::model::mesh::TriMesh;
use diffsim::model::spec::{
    BodySpec, GeomSpec, HeightField, JointKind, JointSpec, MeshMode, ModelSpec, ShapeSpec,
};
use diffsim::model::{Actuation, Model};
use diffsim::spatial::{Inertia, Pose, Sym3, Vec3};
use diffsim::step::{ContactDerivatives, Gradient, Options, Sim};
use std::sync::Arc;

fn mesh(vertices: &[[f64; 3]], triangles: &[[u32; 3]]) -> ShapeSpec {
    ShapeSpec::Mesh {
        mesh: Arc::new(TriMesh {
            vertices: vertices.iter().map(|v| Vec3::from_slice(v)).collect(),
            triangles: triangles.to_vec(),
        }),
        mode: MeshMode::Hull,
    }
}

/// A box as a mesh of twelve triangles.
fn block(h: [f64; 3]) -> ShapeSpec {
    let corner = |i: usize| std::array::from_fn(|k| if i >> k & 1 == 1 { h[k] } else { -h[k] });
    let vertices: Vec<[f64; 3]> = (0..8).map(corner).collect();
    let quads = [
        [0, 4, 6, 2],
        [1, 3, 7, 5],
        [0, 1, 5, 4],
        [2, 6, 7, 3],
        [0, 2, 3, 1],
        [4, 5, 7, 6],
    ];
    let triangles: Vec<[u32; 3]> = quads
        .iter()
        .flat_map(|q| [[q[0], q[1], q[2]], [q[0], q[2], q[3]]])
        .collect();
    mesh(&vertices, &triangles)
}

/// A bumpy field of 4 m × 4 m.
fn field() -> ShapeSpec {
    let n = 17;
    let height = |i: usize| 0.03 * ((i % n) as f64 * 0.9).sin() + 0.02 * ((i / n) as f64).cos();
    ShapeSpec::HeightField(Arc::new(HeightField {
        columns: n,
        rows: n,
        half_extents: [2.0, 2.0],
        base: 0.5,
        heights: (0..n * n).map(height).collect(),
    }))
}

fn body(spec: &mut ModelSpec, name: &str, at: Vec3, shape: ShapeSpec) {
    let id = spec.bodies.len();
    let mut b = BodySpec::world();
    b.name = name.into();
    b.placement = Pose::translation(at);
    let i = Sym3::diagonal(Vec3::new(0.02, 0.025, 0.03));
    b.inertia = Inertia::from_com(1.0, Vec3::ZERO, i);
    b.joints = vec![JointSpec::new(format!("{name}_free"), JointKind::Free)];
    spec.bodies.push(b);
    spec.geoms
        .push(GeomSpec::new(name, id, Pose::IDENTITY, shape));
}

fn fixed(spec: &mut ModelSpec, name: &str, at: Vec3, shape: ShapeSpec) {
    spec.geoms
        .push(GeomSpec::new(name, 0, Pose::translation(at), shape));
}

fn compile(spec: ModelSpec) -> Arc<Model> {
    Arc::new(Model::compile(spec, Actuation::FromFile).unwrap())
}

#[test]
fn nothing_passes_a_mesh_floor() {
    let sphere = || ShapeSpec::Sphere { radius: 0.1 };
    let cuboid = || ShapeSpec::Box {
        half_extents: Vec3::new(0.1, 0.15, 0.08),
    };
    let floors = [("slab", block([2.0, 2.0, 0.05])), ("field", field())];
    let top = 0.05;
    for (floor, shape) in floors {
        for (name, falling) in [
            ("sphere", sphere()),
            ("box", cuboid()),
            ("mesh", block([0.12, 0.09, 0.1])),
            (
                "cylinder",
                ShapeSpec::Cylinder {
                    radius: 0.1,
                    half_length: 0.1,
                },
            ),
        ] {
            let mut spec = ModelSpec::default();
            fixed(&mut spec, floor, Vec3::ZERO, shape.clone());
            body(&mut spec, name, Vec3::new(0.03, 0.02, 0.4), falling);
            let model = compile(spec);
            let mut sim = Sim::new(model.clone(), &Options::default()).unwrap();
            let mut rng = Rng::new(7);
            for speed in [0.5, 2.0, 5.0] {
                let mut q = model.neutral().to_vec();
                let turn = rng.quat().to_array();
                q[3..7].copy_from_slice(&turn);
                let mut v = vec![0.0; 6];
                // The velocity is along the body's axes.
                let down = Pose::from_quat(diffsim::spatial::Quat::from_slice(&turn), Vec3::ZERO)
                    .rot
                    .tr_mul_vec(Vec3::Z * -speed);
                v[..3].copy_from_slice(&down.to_array());
                let (mut qn, mut vn) = (q.clone(), v.clone());
                let mut lowest = f64::INFINITY;
                for _ in 0..400 {
                    sim.step(&q, &v, &[], &mut qn, &mut vn).unwrap();
                    std::mem::swap(&mut q, &mut qn);
                    std::mem::swap(&mut v, &mut vn);
                    lowest = lowest.min(q[2]);
                }
                assert!(
                    lowest > top,
                    "{name} on {floor} at {speed} m/s sank to {lowest}"
                );
                assert!(!sim.contacts().is_empty(), "{name} on {floor}");
            }
        }
    }
}

fn shapes() -> Vec<(&'static str, ShapeSpec)> {
    vec![
        (
            "plane",
            ShapeSpec::Plane {
                half_extents: [0.0; 2],
            },
        ),
        ("field", field()),
        ("sphere", ShapeSpec::Sphere { radius: 0.13 }),
        (
            "capsule",
            ShapeSpec::Capsule {
                radius: 0.08,
                half_length: 0.12,
            },
        ),
        (
            "cylinder",
            ShapeSpec::Cylinder {
                radius: 0.1,
                half_length: 0.09,
            },
        ),
        (
            "ellipsoid",
            ShapeSpec::Ellipsoid {
                semi_axes: Vec3::new(0.1, 0.13, 0.16),
            },
        ),
        (
            "box",
            ShapeSpec::Box {
                half_extents: Vec3::new(0.1, 0.12, 0.08),
            },
        ),
        ("mesh", block([0.11, 0.08, 0.13])),
    ]
}

/// Largest differences between the columns and central differences of all contacts' points, normals
/// and gaps; None where the features change on the way.
fn contact_errors(sim: &mut Sim, q: &[f64]) -> Option<f64> {
    let model = sim.model().clone();
    let nv = model.nv();
    sim.collide(q).unwrap();
    let before = sim.contacts().to_vec();
    let n = before.len();
    let [mut dp, mut dn, mut dt, mut dg] = [3, 3, 6, 1].map(|rows| vec![f64::NAN; rows * n * nv]);
    let out = ContactDerivatives {
        point: Some(&mut dp),
        normal: Some(&mut dn),
        tangents: Some(&mut dt),
        gap: Some(&mut dg),
    };
    if sim.contact_derivatives(out).unwrap() != Gradient::Exact {
        return None;
    }
    let h = 1e-6;
    let mut worst = 0.0_f64;
    for k in 0..nv {
        let mut at = |s: f64| {
            let mut step = vec![0.0; nv];
            step[k] = s;
            let mut moved = q.to_vec();
            model.integrate(q, &step, &mut moved);
            sim.collide(&moved).unwrap();
            sim.contacts().to_vec()
        };
        let (plus, minus) = (at(h), at(-h));
        if plus.len() != n || minus.len() != n {
            return None;
        }
        for i in 0..n {
            if (Vec3::from_slice(&plus[i].point) - Vec3::from_slice(&minus[i].point)).norm() > 1e-4
            {
                return None;
            }
            for x in 0..3 {
                let slope = |p: f64, m: f64| (p - m) / (2.0 * h);
                let c = 3 * (i * nv + k) + x;
                let ep = dp[c] - slope(plus[i].point[x], minus[i].point[x]);
                let en = dn[c] - slope(plus[i].normal[x], minus[i].normal[x]);
                worst = worst.max(ep.abs()).max(en.abs() * 0.1);
                // The tangents jump where the frame's chart changes, at n_z = −0.5.
                for t in 0..if (before[i].normal[2] + 0.5).abs() > 1e-4 {
                    2
                } else {
                    0
                } {
                    let et = dt[6 * (i * nv + k) + 3 * t + x]
                        - slope(plus[i].tangents[t][x], minus[i].tangents[t][x]);
                    worst = worst.max(et.abs() * 0.1);
                }
            }
            let eg = dg[i * nv + k] - (plus[i].gap - minus[i].gap) / (2.0 * h);
            worst = worst.max(eg.abs());
        }
    }
    Some(worst)
}

/// Two free bodies of the shapes; planes and fields stand still.
fn couple(a: &ShapeSpec, b: &ShapeSpec) -> Arc<Model> {
    let mut spec = ModelSpec::default();
    for (name, s) in [("a", a), ("b", b)] {
        match s {
            ShapeSpec::Plane { .. } | ShapeSpec::HeightField(_) => {
                fixed(&mut spec, name, Vec3::ZERO, s.clone());
            }
            _ => body(&mut spec, name, Vec3::Z * 0.2, s.clone()),
        }
    }
    for g in &mut spec.geoms {
        g.margin = 0.05;
    }
    compile(spec)
}

#[test]
fn contacts_of_every_pair_move_as_differences_say() {
    let all = shapes();
    let mut rng = Rng::new(11);
    let (mut checked, mut excluded) = (0, 0);
    let mut bad = Vec::new();
    for (na, a) in &all {
        for (nb, b) in &all {
            let still = |n: &str| n == "plane" || n == "field";
            if still(na) && still(nb) {
                continue;
            }
            let model = couple(a, b);
            let mut sim = Sim::new(model.clone(), &Options::default()).unwrap();
            let mut touched = 0;
            for _ in 0..40 {
                let q = random_q(&mut rng, &model, 0.2);
                match contact_errors(&mut sim, &q) {
                    Some(e) if !sim.contacts().is_empty() => {
                        checked += 1;
                        touched += 1;
                        if e > 1e-5 {
                            bad.push((*na, *nb, e));
                        }
                    }
                    Some(_) => {}
                    None => excluded += 1,
                }
            }
            assert!(touched > 0, "{na} and {nb} never touch");
        }
    }
    println!(
        "{checked} checked, {excluded} excluded, {} off: {bad:?}",
        bad.len()
    );
    assert!(excluded * 10 < checked);
    assert!(bad.len() * 100 < checked, "{bad:?}");
}

#[test]
fn distances_move_as_differences_say() {
    let all = shapes();
    let mut rng = Rng::new(12);
    let (mut checked, mut bad) = (0, Vec::new());
    for (na, a) in &all {
        for (nb, b) in &all {
            let still = |n: &str| n == "plane" || n == "field";
            if still(na) && still(nb) {
                continue;
            }
            let model = couple(a, b);
            let mut sim = Sim::new(model.clone(), &options_without_contact()).unwrap();
            for _ in 0..20 {
                let q = random_q(&mut rng, &model, 0.35);
                // What is buried in a height field has no distance from it.
                if (*na == "field" || *nb == "field") && q[2] < 0.1 {
                    continue;
                }
                let mut gradient = vec![f64::NAN; model.nv()];
                let (ga, gb) = (model.geom_id("a").unwrap(), model.geom_id("b").unwrap());
                let d = sim
                    .distance(ga, gb, &q, Some(&mut gradient))
                    .unwrap_or_else(|e| panic!("{na} {nb} {q:?}: {e}"));
                let back = sim.distance(gb, ga, &q, None).unwrap();
                let away = Vec3::from_slice(&d.point_b) - Vec3::from_slice(&d.point_a);
                let n = Vec3::from_slice(&d.normal);
                assert!((away - n * d.distance).norm() < 1e-9, "{na} {nb}");
                assert!((back.distance - d.distance).abs() < 1e-9, "{na} {nb}");
                let h = 1e-6;
                let e = (0..model.nv())
                    .map(|k| {
                        let mut at = |s: f64| {
                            let mut step = vec![0.0; model.nv()];
                            step[k] = s;
                            let mut moved = q.clone();
                            model.integrate(&q, &step, &mut moved);
                            sim.distance(ga, gb, &moved, None).unwrap().distance
                        };
                        ((at(h) - at(-h)) / (2.0 * h) - gradient[k]).abs()
                    })
                    .fold(0.0, f64::max);
                checked += 1;
                if e > 1e-5 && d.gradient == Gradient::Exact {
                    bad.push((*na, *nb, d.distance, e));
                }
            }
        }
    }
    println!("{checked} checked, off: {bad:?}");
    assert!(bad.len() * 100 < checked, "{bad:?}");
}

fn options_without_contact() -> Options {
    Options {
        contact: diffsim::step::Contact::None,
        ..Options::default()
    }
}

#[test]
fn pairs_are_filtered_by_the_user() {
    let mut spec = ModelSpec::default();
    let sphere = || ShapeSpec::Sphere { radius: 0.1 };
    body(&mut spec, "a", Vec3::ZERO, sphere());
    body(&mut spec, "b", Vec3::X * 0.15, sphere());
    spec.excludes.push((1, 2));
    let model = compile(spec);
    let q = model.neutral().to_vec();
    let mut sim = Sim::new(model, &Options::default()).unwrap();
    let count = |sim: &mut Sim| {
        sim.collide(&q).unwrap();
        sim.contacts().len()
    };
    assert_eq!(count(&mut sim), 0);
    sim.set_pair_enabled(1, 0, true).unwrap();
    assert_eq!(count(&mut sim), 1);
    sim.set_pair_enabled(0, 1, false).unwrap();
    assert_eq!(count(&mut sim), 0);
    assert!(sim.set_pair_enabled(0, 2, true).is_err());
    assert!(sim.set_pair_enabled(1, 1, true).is_err());
}

#[test]
fn geometry_that_bounds_nothing_is_refused() {
    let flat = mesh(&[[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]], &[[0, 1, 2]]);
    let nan = mesh(
        &[
            [0.0; 3],
            [1.0, 0.0, f64::NAN],
            [0.0, 1.0, 0.0],
            [0.0, 0.0, 1.0],
        ],
        &[[0, 1, 2], [0, 1, 3], [1, 2, 3], [2, 0, 3]],
    );
    let ShapeSpec::Mesh { mesh: cube, .. } = block([0.1; 3]) else {
        unreachable!()
    };
    let mut open = (*cube).clone();
    open.triangles.pop();
    let open = ShapeSpec::Mesh {
        mesh: Arc::new(open),
        mode: MeshMode::Decomposed,
    };
    let ShapeSpec::HeightField(f) = field() else {
        unreachable!()
    };
    let mut holes = (*f).clone();
    holes.heights[20] = f64::NAN;
    for (what, shape) in [
        ("flat", flat),
        ("nan", nan),
        ("open", open),
        ("holes", ShapeSpec::HeightField(Arc::new(holes))),
    ] {
        let mut spec = ModelSpec::default();
        fixed(&mut spec, "culprit", Vec3::ZERO, shape);
        body(
            &mut spec,
            "ball",
            Vec3::Z,
            ShapeSpec::Sphere { radius: 0.1 },
        );
        let e = Model::compile(spec, Actuation::FromFile)
            .and_then(|m| Sim::new(Arc::new(m), &Options::default()))
            .expect_err(what);
        assert!(e.message.contains("culprit"), "{what}: {e}");
    }
}

/// Many small bodies in a cube over a plane.
fn crowd(n: usize, seed: u64) -> Arc<Model> {
    let mut rng = Rng::new(seed);
    let mut spec = ModelSpec::default();
    let half_extents = [0.0; 2];
    fixed(
        &mut spec,
        "ground",
        Vec3::ZERO,
        ShapeSpec::Plane { half_extents },
    );
    for i in 0..n {
        let at = rng.vec3(1.0) + Vec3::Z;
        body(
            &mut spec,
            &format!("ball{i}"),
            at,
            ShapeSpec::Sphere { radius: 0.08 },
        );
    }
    compile(spec)
}

#[test]
fn a_crowd_touches_as_counted_pair_by_pair() {
    let n = 500;
    let model = crowd(n, 5);
    let options = Options {
        max_contacts: 4000,
        derivatives: false,
        ..options_without_contact()
    };
    let mut sim = Sim::new(model.clone(), &options).unwrap();
    let mut q = model.neutral().to_vec();
    let mut rng = Rng::new(6);
    for _ in 0..5 {
        sim.collide(&q).unwrap();
        let at = |i: usize| Vec3::from_slice(&q[7 * i..]);
        let pairs = (0..n).flat_map(|i| (i + 1..n).map(move |j| (i, j)));
        let touching = pairs.filter(|&(i, j)| (at(i) - at(j)).norm() <= 0.16);
        let mut expected: Vec<[usize; 2]> = touching.map(|(i, j)| [i + 1, j + 1]).collect();
        expected.extend((0..n).filter(|&i| at(i).z <= 0.08).map(|i| [0, i + 1]));
        expected.sort_unstable();
        let found: Vec<[usize; 2]> = sim.contacts().iter().map(|c| c.geom).collect();
        assert!(found.len() > 100);
        assert_eq!(found, expected);
        let dv = rng.vector(model.nv(), 0.05);
        let from = q.clone();
        model.integrate(&from, &dv, &mut q);
    }
}

#[test]
fn geometry_queries_leave_the_heap_alone() {
    let all = shapes();
    let mut spec = ModelSpec::default();
    fixed(&mut spec, "plane", Vec3::ZERO, all[0].1.clone());
    fixed(&mut spec, "field", Vec3::ZERO, all[1].1.clone());
    for (i, (name, s)) in all[2..].iter().enumerate() {
        body(
            &mut spec,
            name,
            Vec3::new(0.15 * i as f64, 0.0, 0.05),
            s.clone(),
        );
    }
    let model = compile(spec);
    let q = model.neutral().to_vec();
    let mut sim = Sim::new(model.clone(), &Options::default()).unwrap();
    let (n, nv) = (64, model.nv());
    let (mut d, mut gradient) = (vec![0.0; 3 * n * nv], vec![0.0; nv]);
    let used = allocation_counter::measure(|| {
        sim.collide(&q).unwrap();
        let n = sim.contacts().len();
        sim.contact_derivatives(ContactDerivatives {
            point: Some(&mut d[..3 * n * nv]),
            ..Default::default()
        })
        .unwrap();
        sim.distance(1, 5, &q, Some(&mut gradient)).unwrap();
    });
    assert!(sim.contacts().len() > 10);
    assert_eq!(used.count_total, 0);
}

#[test]
fn a_box_slides_on_the_same_four_points() {
    let floors = [
        shapes().swap_remove(0).1,
        ShapeSpec::Box {
            half_extents: Vec3::new(3.0, 3.0, 0.5),
        },
        block([3.0, 3.0, 0.5]),
    ];
    for (k, floor) in floors.into_iter().enumerate() {
        let top = if k == 0 { 0.0 } else { 0.5 };
        let mut spec = ModelSpec::default();
        fixed(&mut spec, "floor", Vec3::Z * -top, floor);
        let half_extents = Vec3::new(0.1, 0.12, 0.08);
        body(
            &mut spec,
            "box",
            Vec3::Z * 0.0799,
            ShapeSpec::Box { half_extents },
        );
        let model = compile(spec);
        let mut sim = Sim::new(model.clone(), &Options::default()).unwrap();
        let mut q = model.neutral().to_vec();
        q[3..7].copy_from_slice(
            &diffsim::spatial::Quat::exp(Vec3::Z * 0.3)
                .normalized()
                .to_array(),
        );
        let mut corners: Option<Vec<Vec3>> = None;
        for i in 0..=1000 {
            q[0] = 1e-3 * f64::from(i) - 0.5;
            sim.collide(&q).unwrap();
            let at = Vec3::new(q[0], 0.0, 0.0);
            let own: Vec<Vec3> = sim
                .contacts()
                .iter()
                .map(|c| Vec3::from_slice(&c.point) - at)
                .collect();
            assert_eq!(own.len(), 4, "floor {k}, {i} mm");
            let first = corners.get_or_insert_with(|| own.clone());
            for (a, b) in first.iter().zip(&own) {
                assert!((*a - *b).norm() < 1e-9, "floor {k}, {i} mm");
            }
        }
    }
}

#[test]
fn contacts_are_the_same_with_derivatives_and_again() {
    let all = shapes();
    let run = |derivatives: bool| {
        let mut spec = ModelSpec::default();
        fixed(&mut spec, "floor", Vec3::ZERO, block([3.0, 3.0, 0.2]));
        for (i, (name, s)) in all[2..].iter().enumerate() {
            body(
                &mut spec,
                name,
                Vec3::new(0.25 * i as f64, 0.0, 0.4),
                s.clone(),
            );
        }
        let model = compile(spec);
        let options = Options {
            derivatives,
            ..Options::default()
        };
        let mut sim = Sim::new(model.clone(), &options).unwrap();
        let (mut q, mut v) = (model.neutral().to_vec(), vec![0.0; model.nv()]);
        let (mut qn, mut vn) = (q.clone(), v.clone());
        let mut seen = Vec::new();
        for _ in 0..300 {
            sim.step(&q, &v, &[], &mut qn, &mut vn).unwrap();
            std::mem::swap(&mut q, &mut qn);
            std::mem::swap(&mut v, &mut vn);
            for c in sim.contacts() {
                seen.push((c.geom, c.point.map(f64::to_bits), c.gap.to_bits()));
            }
        }
        seen
    };
    let first = run(true);
    assert!(first.len() > 1000);
    assert_eq!(first, run(false));
    assert_eq!(first, run(true));
}

#[test]
fn loading_tells_of_hulls_and_leaves_robots_alone() {
    use diffsim::load::options::{Format, LoadOptions, load_str};
    let dir = std::env::temp_dir().join(format!("diffsim_collision_{}", std::process::id()));
    std::fs::create_dir_all(&dir).unwrap();
    // A pyramid with a dent in its base, and one without.
    let obj = |z: f64| {
        format!(
            "v 1 1 0\nv -1 1 0\nv -1 -1 0\nv 1 -1 0\nv 0 0 1\nv 0 0 {z}\n\
             f 1 2 5\nf 2 3 5\nf 3 4 5\nf 4 1 5\nf 2 1 6\nf 3 2 6\nf 4 3 6\nf 1 4 6\n"
        )
    };
    std::fs::write(dir.join("dented.obj"), obj(0.3)).unwrap();
    std::fs::write(dir.join("whole.obj"), obj(0.0)).unwrap();
    let link = |name: &str, file: &str| {
        format!(
            "<link name='{name}'><inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='1' ixy='0' \
             ixz='0' iyz='0'/></inertial><collision name='{name}_shape'><geometry>\
             <mesh filename='{file}'/></geometry></collision></link>"
        )
    };
    let joint = |parent: &str, child: &str| {
        format!(
            "<joint name='{child}_joint' type='continuous'><parent link='{parent}'/>\
             <child link='{child}'/><axis xyz='0 0 1'/></joint>"
        )
    };
    let text = format!(
        "<robot name='r'><link name='base'/>{}{}{}{}{}{}</robot>",
        link("a", "whole.obj"),
        link("b", "dented.obj"),
        link("c", "whole.obj"),
        joint("base", "a"),
        joint("a", "b"),
        joint("b", "c")
    );
    let load = |self_collision| {
        let options = LoadOptions {
            self_collision,
            ..LoadOptions::default()
        };
        load_str(&text, Format::Urdf, Some(&dir), &options).unwrap()
    };
    let (with, without) = (load(true), load(false));
    std::fs::remove_dir_all(&dir).unwrap();
    let warned: Vec<&String> = with
        .warnings()
        .iter()
        .filter(|w| w.contains("hull"))
        .collect();
    assert_eq!(warned.len(), 1, "{warned:?}");
    assert!(warned[0].contains("b_shape"), "{warned:?}");
    let touching = |model: Model| {
        let mut sim = Sim::new(Arc::new(model), &Options::default()).unwrap();
        let q = sim.model().neutral().to_vec();
        sim.collide(&q).unwrap();
        sim.contacts().len()
    };
    assert!(touching(with) > 0);
    assert_eq!(touching(without), 0);
}
