//! Bodies that turn freely: energy, momentum and the path of the centre of mass, alone, on ball joints, with
//! limbs and in contact, and the derivatives of their steps.

use crate::common::checker::{Checker, FOURTH_ORDER, quadruped, standing};
use crate::common::scene::*;
use crate::common::{LAWS, Rng, param};
use diffsim::model::params::{Param, ParamKind};
use diffsim::model::spec::{BodySpec, JointKind, JointSpec, ModelSpec};
use diffsim::model::{Actuation, Model};
use diffsim::spatial::{Inertia, Pose, Quat, Sym3, Vec3};
use diffsim::step::{Contact, Options};

/// Mass and moments of inertia: a rod of 1 m, a coin, a pencil, a brick.
const SHAPES: [(f64, [f64; 3]); 4] = [
    (1.0, [0.0833, 0.0833, 5e-5]),
    (0.008, [2e-7, 2e-7, 4e-7]),
    (0.006, [1.5e-5, 1.5e-5, 4e-8]),
    (2.0, [0.007, 0.01, 0.012]),
];

const SPINS: [[f64; 3]; 3] = [[0.001, 0.0, 1.0], [1.0, 0.02, 0.03], [0.5, -0.6, 0.7]];

fn flying(h: f64) -> Options {
    Options {
        contact: Contact::None,
        ..options(h)
    }
}

/// One body on a joint of this kind.
fn body_on(kind: JointKind, mass: f64, centre: Vec3, moments: Vec3) -> ModelSpec {
    let mut spec = ModelSpec::default();
    let mut b = BodySpec::world();
    b.name = "body".into();
    b.inertia = Inertia::from_com(mass, centre, Sym3::diagonal(moments));
    b.joints = vec![JointSpec::new("joint", kind)];
    spec.bodies.push(b);
    spec
}

fn rotation(w: &World, at: usize) -> Pose {
    Pose::from_quat(Quat::from_slice(&w.q[at..]), Vec3::ZERO)
}

/// F₋(ω), along the body's axes.
fn momentum(moments: Vec3, h: f64, omega: Vec3) -> Vec3 {
    let (p, x) = (moments.scale(omega), omega * h);
    let t = x.norm();
    let c = match t < 1e-2 {
        true => 1.0 / 12.0 + t * t / 720.0,
        false => (1.0 - 0.5 * t / (0.5 * t).tan()) / (t * t),
    };
    p - x.cross(p) * 0.5 + x.cross(x.cross(p)) * c
}

fn unit(x: [f64; 3]) -> Vec3 {
    let x = Vec3::from_slice(&x);
    x * (1.0 / x.norm())
}

/// Flies with the centre of mass at a velocity; how far energy, momentum and the centre are off, each
/// relative to the largest scale of it.
fn fly(
    (mass, moments): (f64, [f64; 3]),
    centre: Vec3,
    omega: Vec3,
    h: f64,
    steps: usize,
) -> [f64; 3] {
    let moments = Vec3::from_slice(&moments);
    let spec = ModelSpec {
        gravity: Vec3::ZERO,
        ..body_on(JointKind::Free, mass, centre, moments)
    };
    let mut w = World::new(spec, Actuation::FromFile, &flying(h));
    let velocity = Vec3::new(0.3, -0.2, 0.1);
    w.v[..3].copy_from_slice(&(velocity - omega.cross(centre)).to_array());
    w.v[3..].copy_from_slice(&omega.to_array());
    let start = w.sim.energy(&w.q, &w.v).unwrap().0;
    let kept = momentum(moments, h, omega);
    let mut off = [0.0f64; 3];
    for k in 1..=steps {
        w.step();
        if k % 100 != 0 && k != steps {
            continue;
        }
        let r = rotation(&w, 3).rot;
        let now = r.mul_vec(momentum(moments, h, w.spin(0)));
        let path = w.position(0) + r.mul_vec(centre) - centre - velocity * (k as f64 * h);
        let energy = w.sim.energy(&w.q, &w.v).unwrap().0;
        let now = [
            (energy / start - 1.0).abs(),
            (now - kept).norm() / kept.norm(),
            path.norm(),
        ];
        off = std::array::from_fn(|i| off[i].max(now[i]));
    }
    off
}

#[test]
fn free_bodies_keep_energy_and_momentum() {
    let h = 2e-3;
    for (shape, spin) in SHAPES
        .iter()
        .flat_map(|a| SPINS.iter().map(move |b| (a, b)))
    {
        for turn in [0.1, 0.5, 1.0, 2.0] {
            // The round-off of c(θ), which is the same in every step, adds up: most for rods about their axis.
            let steps = if shape.0 == 1.0 && turn == 0.5 {
                100_000
            } else {
                10_000
            };
            let [energy, momentum, path] =
                fly(*shape, Vec3::ZERO, unit(*spin) * (turn / h), h, steps);
            println!(
                "{shape:?} {spin:?} {turn}: energy {energy:.1e} momentum {momentum:.1e} path {path:.1e}"
            );
            let band = 0.016 * turn * turn;
            assert!(energy < band, "{shape:?} {spin:?} {turn}: {energy}");
            let drift = 3e-17 * steps as f64 + 1e-13;
            assert!(momentum < drift, "{shape:?} {spin:?} {turn}: {momentum}");
        }
    }
}

#[test]
fn a_centre_of_mass_off_the_frame_goes_on_a_line() {
    for (shape, spin) in SHAPES
        .iter()
        .flat_map(|a| SPINS.iter().map(move |b| (a, b)))
    {
        for (h, speed) in [(2e-3, 50.0), (1e-3, 10.0), (5e-3, 200.0)] {
            let centre = Vec3::new(0.1, 0.03, -0.05);
            let steps = (10.0 / h) as usize;
            let [energy, momentum, path] = fly(*shape, centre, unit(*spin) * speed, h, steps);
            assert!(path < 1e-9, "{shape:?} {spin:?} {h} {speed}: {path}");
            assert!(energy < 0.05 && momentum < 1e-9, "{energy} {momentum}");
        }
    }
}

#[test]
fn any_inertia_at_any_speed_stays_finite() {
    let mut rng = Rng::new(3);
    for turn in [0.0, 1e-8, 1e-3, 1.9, 2.1, 3.0, 4.5, 6.2, 6.3, 10.0, 50.0] {
        for thin in [1e-6, 1e-3, 1.0] {
            for mass in [1e-6, 1.0, 1e6] {
                let h = 1e-2;
                let moments = [mass, mass, mass * thin];
                let omega = rng.quat().to_mat3().mul_vec(Vec3::X) * (turn / h);
                let [energy, ..] = fly((mass, moments), rng.vec3(0.1), omega, h, 2000);
                assert!(energy < 1.5, "{turn} {thin} {mass}: {energy}");
            }
        }
    }
}

/// A top on a ball joint: energy and the momentum about the vertical stay, and it turns as fast as steps of a
/// tenth say.
#[test]
fn a_top_on_a_ball_joint_keeps_its_energy() {
    let run = |h: f64| {
        let mut spec = body_on(
            JointKind::Spherical,
            0.5,
            Vec3::new(0.0, 0.0, 0.1),
            Vec3::new(1e-3, 1e-3, 5e-4),
        );
        spec.gravity = Vec3::new(0.0, 0.0, -9.81);
        let mut w = World::new(spec, Actuation::FromFile, &flying(h));
        let tilt = 0.4f64;
        w.q.copy_from_slice(&[(0.5 * tilt).sin(), 0.0, 0.0, (0.5 * tilt).cos()]);
        w.v.copy_from_slice(&[0.0, 0.0, 400.0]);
        let energy = |w: &mut World| {
            let (kinetic, potential) = w.sim.energy(&w.q, &w.v).unwrap();
            kinetic + potential
        };
        let start = energy(&mut w);
        let (mut worst, mut lowest) = (0.0f64, f64::INFINITY);
        for _ in 0..(10.0 / h) as usize {
            w.step();
            worst = worst.max((energy(&mut w) / start - 1.0).abs());
            lowest = lowest.min(rotation(&w, 0).rot.mul_vec(Vec3::Z).z);
        }
        (worst, lowest, rotation(&w, 0).rot.mul_vec(Vec3::Z))
    };
    for h in [5e-4, 1e-3, 2e-3] {
        let (energy, lowest, axis) = run(h);
        println!("top, h {h}: energy {energy:.1e}, lowest {lowest:.4}, axis {axis:?}");
        assert!(energy < 0.05, "{h}: {energy}");
        assert!(lowest > 0.85, "{h}: {lowest}");
    }
}

fn inertial(body: usize) -> impl Iterator<Item = Param> {
    (0..10).map(move |k| param(ParamKind::BodyInertia, body, k))
}

fn check(name: &str, c: &mut Checker, q: &[f64], v: &[f64], steps: usize) {
    let (mut q, mut v) = (q.to_vec(), v.to_vec());
    let u = vec![0.0; c.sim.model().nu()];
    for _ in 0..steps {
        c.check(&mut q, &mut v, &u);
    }
    let tally = c.tally(name);
    assert_eq!(tally.wrong, 0, "{name}");
    assert!(tally.checked > 0 && tally.apart < 1e-10, "{name}");
}

#[test]
fn derivatives_of_free_bodies() {
    for (shape, spin) in SHAPES
        .iter()
        .flat_map(|a| SPINS.iter().map(move |b| (a, b)))
    {
        for turn in [0.0, 0.05, 0.7, 1.5, 2.0] {
            let (mass, moments) = *shape;
            let h = 5e-2;
            let moments = Vec3::from_slice(&moments) * (1.0 / mass);
            let mut spec = body_on(JointKind::Free, 1.0, Vec3::new(0.1, 0.03, -0.05), moments);
            spec.gravity = Vec3::new(0.0, 0.0, -9.81);
            let model = Model::compile(spec, Actuation::Full).unwrap();
            let q = [0.1, 0.2, 0.3, 0.5, -0.5, 0.1, 0.7];
            let q = {
                let mut q = q;
                let n = q[3..].iter().map(|x| x * x).sum::<f64>().sqrt();
                q[3..].iter_mut().for_each(|x| *x /= n);
                q
            };
            let omega = unit(*spin) * (turn / h);
            let mut c = Checker::new(model, &flying(h));
            (c.eps, c.stencil) = (4e-7, FOURTH_ORDER);
            let wrench = (0..6).map(|k| param(ParamKind::ExternalWrench, 1, k));
            let all: Vec<Param> = inertial(1).chain(wrench).collect();
            c.select(&all);
            c.set(&[(10, 0.3), (11, -0.1), (14, 1e-3)]);
            c.label = format!("{shape:?} {spin:?} {turn}");
            check(
                "free",
                &mut c,
                &q,
                &[0.3, -0.4, 0.2, omega.x, omega.y, omega.z],
                3,
            );
        }
    }
}

/// An arm that swings with a ball joint at its end, on which a body spins.
fn arm(base: JointKind) -> ModelSpec {
    let mut spec = body_on(
        base,
        1.5,
        Vec3::new(0.02, 0.3, 0.01),
        Vec3::new(0.02, 0.03, 0.04),
    );
    let mut b = BodySpec::world();
    b.name = "leaf".into();
    b.parent = 1;
    b.placement = Pose::translation(Vec3::new(0.0, 0.6, 0.1));
    b.inertia = Inertia::from_com(
        0.7,
        Vec3::new(0.0, 0.02, 0.1),
        Sym3::diagonal(Vec3::new(0.004, 0.005, 0.002)),
    );
    b.joints = vec![JointSpec::new("ball", JointKind::Spherical)];
    spec.bodies.push(b);
    spec.gravity = Vec3::new(0.3, -1.0, -9.81);
    spec
}

#[test]
fn derivatives_of_a_body_on_a_ball_joint() {
    for base in [
        JointKind::Revolute,
        JointKind::Spherical,
        JointKind::Free,
        JointKind::Planar,
    ] {
        let model = Model::compile(arm(base), Actuation::Full).unwrap();
        for (h, speed) in [(1e-2, 1.0), (1e-2, 40.0), (2e-2, 70.0)] {
            let mut rng = Rng::new(7);
            let q = crate::common::random_q(&mut rng, &model, 0.7);
            let mut v = rng.vector(model.nv(), 2.0);
            let n = v.len();
            v[n - 1] = speed;
            let mut c = Checker::new(model.clone(), &flying(h));
            let gravity = (0..3).map(|k| param(ParamKind::Gravity, 0, k));
            let placed = (0..6).map(|k| param(ParamKind::JointPlacement, 1, k));
            let all: Vec<Param> = inertial(1)
                .chain(inertial(2))
                .chain(gravity)
                .chain(placed)
                .collect();
            c.select(&all);
            c.label = format!("{base:?} {h} {speed}");
            check("ball joint", &mut c, &q, &v, 4);
        }
    }
}

#[test]
fn derivatives_of_a_robot_that_is_thrown() {
    for law in [Contact::None, Contact::Ncp, Contact::Convex] {
        let model = quadruped(false);
        let mut q = standing(&model);
        q[2] = if law == Contact::None { 2.0 } else { 0.3 };
        let o = Options {
            contact: law,
            ..options(2e-3)
        };
        for speed in [0.0, 5.0, 40.0] {
            let mut c = Checker::new(model.clone(), &o);
            let placed = (0..6).map(|k| param(ParamKind::JointPlacement, 3, k));
            let all: Vec<Param> = inertial(1).chain(inertial(4)).chain(placed).collect();
            c.select(&all);
            let mut v = Rng::new(1).vector(model.nv(), 1.0);
            (v[3], v[4], v[5]) = (0.3 * speed, speed, -0.6 * speed);
            c.label = format!("{law:?} {speed}");
            check("thrown", &mut c, &q, &v, 3);
        }
    }
}

#[test]
fn bodies_that_spin_land_and_rest() {
    for law in LAWS {
        for (k, shape) in [cuboid(0.02, 0.1, 0.05), cuboid(0.2, 0.02, 0.02), ball(0.05)]
            .into_iter()
            .enumerate()
        {
            let o = Options {
                contact: law,
                ..options(2e-3)
            };
            let mut w = World::new(on_ground(0.6, 0.4, 1.0, shape), Actuation::FromFile, &o);
            w.v.copy_from_slice(&[0.5, 0.1, 0.0, 20.0, -30.0, 40.0]);
            let energy = |w: &mut World| {
                let (kinetic, potential) = w.sim.energy(&w.q, &w.v).unwrap();
                kinetic + potential
            };
            let start = energy(&mut w);
            let mut top = start;
            for _ in 0..4000 {
                let (mut q, mut v) = (w.q.clone(), w.v.clone());
                w.sim.step(&w.q, &w.v, &[], &mut q, &mut v).unwrap();
                (w.q, w.v) = (q, v);
                top = top.max(energy(&mut w));
            }
            println!(
                "{law:?} {k}: top {:.4} of the start, at the end {:?}",
                top / start,
                w.v
            );
            assert!(top < 1.05 * start, "{law:?} {k}: {top} {start}");
            if k < 2 {
                assert!(w.v.iter().all(|v| v.abs() < 1e-3), "{law:?} {k}: {:?}", w.v);
            }
        }
    }
}
