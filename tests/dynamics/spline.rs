//! Joints along splines and Euler joints: their motion against differences, closed forms and other joints.

use crate::common::varying::{control_frames, control_vectors, splines};
use crate::common::*;
use diffsim::dynamics::Dynamics;
use diffsim::joint::spline::{Curve, Spline, Surface};
use diffsim::joint::{MAX_DOFS, VaryingJoint};
use diffsim::model::builder::ModelBuilder;
use diffsim::model::fluid::Fluid;
use diffsim::model::params::ParamKind;
use diffsim::model::spec::{BodySpec, GeomSpec, JointKind, JointSpec, ModelSpec, ShapeSpec};
use diffsim::model::{Actuation, Model};
use diffsim::spatial::{Inertia, Pose, Sym3, Twist, Vec3, so3_exp};
use diffsim::step::{Contact, Integrator, Options, Sim};
use std::f64::consts::{FRAC_PI_2, TAU};
use std::sync::Arc;

/// S, its slopes, and the slopes of c, in one list each.
fn rates(joint: &dyn VaryingJoint, q: &[f64], v: &[f64]) -> [Vec<f64>; 3] {
    let n = joint.dofs();
    let mut s = [Twist::ZERO; MAX_DOFS];
    let mut slopes = [[Twist::ZERO; MAX_DOFS]; MAX_DOFS];
    let mut dc = [Twist::ZERO; MAX_DOFS];
    joint.columns(q, &mut s[..n]);
    joint.slopes(q, &mut slopes[..n]);
    joint.bias_slopes(q, v, &mut dc[..n]);
    let flat = |list: &[Twist]| list.iter().flat_map(|t| t.to_array()).collect::<Vec<_>>();
    let by = slopes[..n].iter().flat_map(|by| flat(&by[..n])).collect();
    [flat(&s[..n]), by, flat(&dc[..n])]
}

/// c = Σ S_k,j v_j v_k.
fn bias(joint: &dyn VaryingJoint, q: &[f64], v: &[f64]) -> Vec<f64> {
    let n = joint.dofs();
    let by = rates(joint, q, v)[1].clone();
    let mut c = vec![0.0; 6];
    for (j, k) in (0..n).flat_map(|j| (0..n).map(move |k| (j, k))) {
        for (c, x) in c.iter_mut().zip(&by[6 * (j * n + k)..]) {
            *c += x * v[j] * v[k];
        }
    }
    c
}

fn check_rates(joint: &dyn VaryingJoint, q: &[f64], v: &[f64], who: &str) {
    let here = joint.pose(q);
    let moved = |q: &[f64]| here.relative(&joint.pose(q)).log().to_array().to_vec();
    let [s, by, dc] = rates(joint, q, v);
    for (what, ours, differences) in [
        ("S", s, by_vector(q, moved)),
        (
            "slopes",
            by,
            by_vector(q, |q| rates(joint, q, v)[0].clone()),
        ),
        ("slopes of c", dc, by_vector(q, |q| bias(joint, q, v))),
    ] {
        let error = relative_error(&ours, &differences);
        assert!(error < 1e-8, "{who}, {what} at {q:?}: {error:e}");
    }
}

#[test]
fn rates_are_those_of_differences() {
    for seed in 0..40 {
        let mut rng = Rng::new(seed);
        let (n, cyclic) = (3 + rng.below(6), seed % 2 == 0);
        let frames = control_frames(&mut rng, n, cyclic);
        let curve = Spline::Curve(Curve::new(frames, cyclic).unwrap());
        // Within every piece, far outside on either side, and close to knots.
        let mut places: Vec<f64> = (0..n + 2)
            .map(|k| k as f64 - 1.0 + rng.range(0.01, 0.99))
            .collect();
        places.extend([-7.3, 25.6, 1001.2, 1.0 + 1e-3, 2.0 - 1e-3]);
        for q in places {
            check_rates(&curve, &[q], &rng.vector(1, 2.0), &format!("curve {seed}"));
        }
        let vectors = control_vectors(&mut rng);
        let surface = Spline::Surface(Surface::new(vectors.as_chunks().0).unwrap());
        for _ in 0..5 {
            let (q, v) = (rng.vector(2, 1.3), rng.vector(2, 2.0));
            check_rates(&surface, &q, &v, &format!("surface {seed}"));
        }
    }
}

/// Every number of a shape, also where frames are displaced already.
#[test]
fn changes_by_the_shape_are_those_of_differences() {
    for seed in 0..12 {
        let mut rng = Rng::new(seed);
        let cyclic = seed % 2 == 0;
        let frames = control_frames(&mut rng, 5, cyclic);
        let vectors = control_vectors(&mut rng);
        let joints: [(Arc<dyn VaryingJoint>, usize); 2] = [
            (
                Arc::new(Spline::Curve(Curve::new(frames, cyclic).unwrap())),
                30,
            ),
            (
                Arc::new(Spline::Surface(
                    Surface::new(vectors.as_chunks().0).unwrap(),
                )),
                96,
            ),
        ];
        for (mut joint, count) in joints {
            assert_eq!(joint.parameters(), count);
            for k in 0..count {
                let value = joint.parameter(k) + rng.range(-0.05, 0.05);
                joint = joint.with_parameter(k, value).unwrap();
                assert_eq!(joint.parameter(k), value);
            }
            let n = joint.dofs();
            // Beyond its patch the polynomials of a surface grow.
            let places = if n == 1 {
                [0.37, 1.6, 3.4, -1.3, 5.7]
            } else {
                [0.0, 0.37, 0.8, -0.2, 1.2]
            };
            for place in places {
                let (q, v) = (vec![place; n], rng.vector(n, 2.0));
                let here = joint.pose(&q);
                for k in 0..count {
                    let other = |x: f64| joint.with_parameter(k, joint.parameter(k) + x).unwrap();
                    let by = joint.by_parameter(&q, &v, k);
                    let bent = by.bent[..n].iter().flat_map(|s| s.to_array()).collect();
                    let motion =
                        |x: f64| here.relative(&other(x).pose(&q)).log().to_array().to_vec();
                    for (what, ours, differences) in [
                        ("ξ", by.xi.to_array().to_vec(), difference(EPS, motion)),
                        (
                            "δS",
                            bent,
                            difference(EPS, |x| rates(&*other(x), &q, &v)[0].clone()),
                        ),
                        (
                            "δc",
                            by.bias.to_array().to_vec(),
                            difference(EPS, |x| bias(&*other(x), &q, &v)),
                        ),
                    ] {
                        let error = relative_error(&ours, &differences);
                        assert!(
                            error < 1e-8,
                            "{what} by {k} of {count} at {place}: {error:e}"
                        );
                    }
                }
            }
        }
    }
}

/// Placement, S and its slope do not jump at knots, nor at the ends of an open curve.
#[test]
fn curves_are_smooth_at_knots() {
    for seed in 0..20 {
        let mut rng = Rng::new(seed);
        let cyclic = seed % 2 == 0;
        let frames = control_frames(&mut rng, 5, cyclic);
        let curve = Spline::Curve(Curve::new(frames.clone(), cyclic).unwrap());
        for knot in -2..8 {
            let at = |q: f64| {
                let mut all = curve.pose(&[q]).homogeneous().to_vec();
                all.extend(rates(&curve, &[q], &[1.0])[..2].concat());
                all
            };
            let q = f64::from(knot);
            assert!(relative_error(&at(q - 1e-11), &at(q)) < 1e-9);
        }
        let far = |a: &Pose, b: &Pose| relative_error(&a.homogeneous(), &b.homogeneous());
        if cyclic {
            let q = rng.range(0.0, 5.0);
            assert!(far(&curve.pose(&[q]), &curve.pose(&[q + 15.0])) < 1e-12);
        } else {
            assert!(far(&curve.pose(&[0.0]), &frames[0]) < 1e-14);
            assert!(far(&curve.pose(&[4.0]), &frames[4]) < 1e-14);
            // A uniform screw motion beyond the ends.
            let step = frames[3].relative(&frames[4]).log();
            let on = frames[4].compose(&Pose::exp(step * 2.5));
            assert!(far(&curve.pose(&[6.5]), &on) < 1e-13);
            let back = frames[0].compose(&Pose::exp(frames[0].relative(&frames[1]).log() * -1.7));
            assert!(far(&curve.pose(&[-1.7]), &back) < 1e-13);
        }
    }
}

fn one_body(joint: JointSpec, gravity: Vec3) -> Model {
    let mut spec = ModelSpec {
        gravity,
        ..ModelSpec::default()
    };
    let about = Sym3::diagonal(Vec3::new(0.02, 0.05, 0.04));
    spec.bodies.push(BodySpec {
        name: "body".into(),
        placement: Pose::translation(Vec3::new(0.1, 0.2, 0.3)),
        inertia: Inertia::from_com(1.5, Vec3::new(0.3, 0.1, -0.2), about),
        joints: vec![joint],
        ..BodySpec::world()
    });
    Model::compile(spec, Actuation::Full).unwrap()
}

/// A curve of `n` frames around an axis.
fn circle(n: usize, frame: impl Fn(f64) -> Pose) -> JointSpec {
    let mut j = JointSpec::new("ring", JointKind::SplineCurve);
    let frames = (0..n).flat_map(|i| frame(TAU * i as f64 / n as f64).homogeneous());
    (j.cyclic, j.control) = (true, frames.collect());
    j
}

fn acceleration(model: &Model, q: &[f64], v: &[f64]) -> Vec<f64> {
    let (p, nv) = (model.params(), model.nv());
    let mut d = Dynamics::new(model, false);
    let mut a = vec![0.0; nv];
    d.update(model, p, q, v);
    d.forward(model, p, &p.armature, &vec![0.0; nv], &mut a);
    a
}

/// Frames that turn by equal angles: the spline is the rotation itself.
#[test]
fn a_spline_of_turned_frames_is_a_revolute_joint() {
    let gravity = Vec3::new(1.0, -3.0, -9.0);
    for n in [3, 4, 9] {
        let ring = one_body(
            circle(n, |a| Pose::new(so3_exp(Vec3::Z * a), Vec3::ZERO)),
            gravity,
        );
        let hinge = one_body(JointSpec::new("hinge", JointKind::Revolute), gravity);
        let scale = TAU / n as f64;
        for (q, v) in [(0.0, 0.0), (0.3, 2.0), (-4.4, -1.0), (7.9, 0.5)] {
            let ours = acceleration(&ring, &[q], &[v])[0] * scale;
            let theirs = acceleration(&hinge, &[q * scale], &[v * scale])[0];
            assert!((ours - theirs).abs() < 1e-11, "{n} frames: {ours} {theirs}");
        }
    }
}

/// Points on a circle without rotation: the error of the shape falls with the square of their distance, as
/// that of the control polygon of a B-spline does, and so do those of accelerations.
#[test]
fn a_spline_of_moved_frames_comes_near_a_circle() {
    let (radius, mut last) = (0.4, f64::INFINITY);
    for n in [8, 16, 32, 64] {
        let at = |a: f64| Pose::translation(Vec3::new(a.cos(), a.sin(), 0.0) * radius);
        let ring = one_body(circle(n, at), Vec3::new(0.0, -9.81, 0.0));
        let scale = TAU / n as f64;
        let error = (0..7).map(|k| {
            let angle = 0.3 + 0.8 * f64::from(k);
            let ours = acceleration(&ring, &[angle / scale], &[1.5 / scale])[0] * scale;
            // A bead on a circle.
            let theirs = -9.81 * angle.cos() / radius;
            (ours - theirs).abs()
        });
        let error = error.fold(0.0, f64::max);
        assert!(error < 0.3 * last, "{n} frames: {error:e} after {last:e}");
        last = error;
    }
    assert!(last < 0.1, "{last:e}");
}

fn energy(model: &Model, q: &[f64], v: &[f64]) -> f64 {
    let mut d = Dynamics::new(model, false);
    d.update(model, model.params(), q, v);
    let (kinetic, potential) =
        diffsim::dynamics::jacobian::energy(model, model.params(), &d.kin, v);
    kinetic + potential
}

/// Largest change of energy over two rounds of a closed curve, or over a time on a surface.
fn drift(model: &Arc<Model>, integrator: Integrator, h: f64, q: &[f64], v: &[f64]) -> f64 {
    let options = Options {
        time_step: h,
        integrator,
        contact: Contact::None,
        derivatives: false,
        ..Options::default()
    };
    let mut sim = Sim::new(model.clone(), &options).unwrap();
    let (mut q, mut v) = (q.to_vec(), v.to_vec());
    let (mut qn, mut vn) = (q.clone(), v.clone());
    let (start, mut worst) = (energy(model, &q, &v), 0.0_f64);
    for _ in 0..(1.0 / h) as usize {
        sim.step(&q, &v, &vec![0.0; model.nu()], &mut qn, &mut vn)
            .unwrap();
        (q, v) = (qn.clone(), vn.clone());
        worst = worst.max((energy(model, &q, &v) - start).abs());
    }
    worst
}

#[test]
fn energy_is_kept_at_the_order_of_the_integrator() {
    for (kind, cyclic, q, v) in [
        (JointKind::SplineCurve, true, &[0.3][..], &[9.0][..]),
        (JointKind::SplineSurface, false, &[0.2, 0.3], &[0.5, 0.7]),
        (
            JointKind::Euler,
            false,
            &[0.2, 0.3, -0.4],
            &[1.5, 0.7, -2.0],
        ),
    ] {
        let mut j = JointSpec::new("path", kind);
        if kind != JointKind::Euler {
            splines(&mut Rng::new(11), &mut j, kind, cyclic);
        }
        let model = Arc::new(one_body(j, Vec3::new(0.0, 0.0, -2.0)));
        for (integrator, least) in [
            (Integrator::SymplecticEuler, 1.7),
            (Integrator::Midpoint, 3.4),
        ] {
            let of = |h| drift(&model, integrator, h, q, v);
            let [coarse, fine] = [2e-3, 1e-3].map(of);
            assert!(
                coarse > 1e-9,
                "{kind:?}: the motion shows nothing, {coarse:e}"
            );
            let ratio = coarse / fine;
            assert!(
                ratio > least,
                "{kind:?}, {integrator:?}: {coarse:e} {fine:e}"
            );
        }
    }
}

/// Three angles move a body as a ball joint does.
#[test]
fn an_euler_joint_is_a_ball_joint() {
    let (z, y, x) = (Vec3::Z, Vec3::Y, Vec3::X);
    for axes in [
        [z, y, x],
        [x, y, z],
        [z, x, z],
        [Vec3::new(0.6, 0.8, 0.0), Vec3::new(0.0, 0.6, -0.8), x],
    ] {
        let mut j = JointSpec::new("euler", JointKind::Euler);
        [j.axis, j.axis2, j.axis3] = axes;
        let gravity = Vec3::new(1.0, -3.0, -9.0);
        let euler = one_body(j, gravity);
        let ball = one_body(JointSpec::new("ball", JointKind::Spherical), gravity);
        assert_eq!((euler.nq(), euler.nv()), (3, 3));
        let (q, v) = ([0.4, 0.9, -0.7], [0.8, -1.1, 0.6]);
        // Rotation, and angular velocity and acceleration in the body, by differences of the angles'
        // rotation.
        let turn = |q: [f64; 3]| {
            let turns = axes.iter().zip(q).map(|(a, q)| so3_exp(*a * q));
            turns.reduce(|a, b| a.mul_mat(&b)).unwrap()
        };
        let a = acceleration(&euler, &q, &v);
        let at = |t: f64| std::array::from_fn(|k| q[k] + v[k] * t + 0.5 * a[k] * t * t);
        let spin = |t: f64| {
            let r = turn(at(t)).transpose();
            difference(EPS, |d| {
                diffsim::spatial::so3_log(&r.mul_mat(&turn(at(t + d))))
                    .to_array()
                    .to_vec()
            })
        };
        let rot = diffsim::spatial::Quat::from_mat3(&turn(q));
        let expected = acceleration(&ball, &rot.to_array(), &spin(0.0));
        let found = difference(1e-3, spin);
        assert!(
            relative_error(&found, &expected) < 1e-7,
            "{axes:?}: {found:?} {expected:?}"
        );
    }
}

#[test]
fn an_euler_joint_tells_of_its_singularity() {
    let mut j = JointSpec::new("euler", JointKind::Euler);
    [j.axis, j.axis2, j.axis3] = [Vec3::Z, Vec3::Y, Vec3::X];
    let model = Arc::new(one_body(j, Vec3::new(0.0, 0.0, -9.0)));
    let options = Options {
        contact: Contact::None,
        ..Options::default()
    };
    let mut sim = Sim::new(model, &options).unwrap();
    for (second, near) in [
        (0.3, 0),
        (FRAC_PI_2 - 0.1, 0),
        (FRAC_PI_2 - 0.02, 1),
        (-FRAC_PI_2 + 1e-4, 1),
    ] {
        let (q, mut qn, mut vn) = ([0.1, second, 0.2], [0.0; 3], [0.0; 3]);
        sim.step(&q, &[0.1; 3], &[0.0; 3], &mut qn, &mut vn)
            .unwrap();
        assert_eq!(sim.step_info().unwrap().near_singular, near, "{second}");
    }
}

#[test]
fn bad_control_is_refused() {
    let refused = |kind: JointKind, control: Vec<f64>, cyclic: bool| {
        let mut b = ModelBuilder::new("bad");
        let body = b
            .add_body(0, "body", Pose::IDENTITY, Inertia::ZERO)
            .unwrap();
        let mut j = JointSpec::new("path", kind);
        (j.control, j.cyclic) = (control.into(), cyclic);
        b.add_joint(body, j).unwrap_err().message
    };
    let flat = |list: &[Pose]| {
        list.iter()
            .flat_map(|f| f.homogeneous())
            .collect::<Vec<_>>()
    };
    let one = Pose::IDENTITY;
    let other = Pose::translation(Vec3::X);
    let curve = JointKind::SplineCurve;
    let mut bent = flat(&[one, other]);
    bent[16] = 1.1;
    let mut row = flat(&[one, other]);
    row[3] = 0.1;
    let half = Pose::new(so3_exp(Vec3::Z * std::f64::consts::PI), Vec3::ZERO);
    for (kind, control, cyclic, part) in [
        (curve, vec![], false, "control_count"),
        (curve, flat(&[one]), false, "control_count"),
        (curve, flat(&[one, other]), true, "control_count"),
        (curve, flat(&[one, one]), false, "must differ"),
        (curve, flat(&[one, half]), false, "half a turn"),
        (curve, bent, false, "control frame 1"),
        (curve, row, false, "last row"),
        (curve, vec![f64::NAN; 32], false, "finite"),
        (
            JointKind::SplineSurface,
            vec![0.0; 90],
            false,
            "control_count",
        ),
        (
            JointKind::SplineSurface,
            vec![f64::INFINITY; 96],
            false,
            "finite",
        ),
        (JointKind::SplineSurface, vec![0.0; 96], true, "cyclic"),
        (
            JointKind::Revolute,
            vec![0.0; 16],
            false,
            "control must be empty",
        ),
    ] {
        let message = refused(kind, control, cyclic);
        assert!(
            message.contains(part) && message.contains("path"),
            "{message}"
        );
    }
}

/// A hinge, a spline, a ball joint in a fluid, with a ball at the end that presses into the ground.
fn arm(kind: JointKind, seed: u64) -> Arc<Model> {
    let mut rng = Rng::new(seed);
    let fluid = Fluid {
        density: 900.0,
        viscosity: 0.1,
        wind: Vec3::new(0.3, 0.1, 0.0),
    };
    let mut spec = ModelSpec {
        fluid,
        ..ModelSpec::default()
    };
    let half_extents = [0.0; 2];
    let plane = ShapeSpec::Plane { half_extents };
    spec.geoms
        .push(GeomSpec::new("ground", 0, Pose::IDENTITY, plane));
    for (id, kind) in [
        (1, JointKind::Revolute),
        (2, kind),
        (3, JointKind::Spherical),
    ] {
        let mut body = random_body(&mut rng, id, id - 1, kind);
        let j = &mut body.joints[0];
        j.reference = 0.0;
        if id == 2 {
            splines(&mut rng, j, kind, false);
        }
        spec.bodies.push(body);
    }
    spec.bodies[1].placement = Pose::translation(Vec3::new(0.0, 0.0, 0.6));
    let end = GeomSpec::new("end", 3, Pose::IDENTITY, ShapeSpec::Sphere { radius: 0.9 });
    spec.geoms.push(end);
    Arc::new(Model::compile(spec, Actuation::Full).unwrap())
}

/// Steps' derivatives by all numbers of a shape, in a fluid, with balls that spin, and with penalty contact,
/// by every integrator of single steps; and back through a vector.
#[test]
fn steps_have_exact_derivatives_by_the_shape() {
    let laws = [Contact::None, Contact::Penalty];
    let schemes = [
        Integrator::SymplecticEuler,
        Integrator::SymplecticEulerWorld,
        Integrator::ImplicitEuler,
        Integrator::Midpoint,
        Integrator::Bdf1,
        Integrator::Sdirk2,
    ];
    let mut touched = 0;
    for (kind, q_spline) in [
        (JointKind::SplineCurve, &[0.3][..]),
        (JointKind::SplineSurface, &[0.4, 0.6]),
    ] {
        let model = arm(kind, 3);
        let joint = model.joint_id("joint2").unwrap();
        let count = model.topology().varying[0].joint.parameters();
        let params: Vec<_> = (0..count)
            .step_by(count / 15)
            .map(|c| param(ParamKind::SplineFrame, joint, c))
            .collect();
        for (contact, integrator) in laws.iter().flat_map(|c| schemes.map(|i| (*c, i))) {
            let options = Options {
                time_step: 2e-3,
                contact,
                integrator,
                ..Options::default()
            };
            let mut sim = Sim::new(model.clone(), &options).unwrap();
            sim.select_params(&params).unwrap();
            let mut rng = Rng::new(9);
            let (nv, nu, np) = (model.nv(), model.nu(), params.len());
            let q = [&[0.2][..], q_spline, &[0.1, -0.2, 0.3, 0.9]].concat();
            let (v, u) = (rng.vector(nv, 1.5), rng.vector(nu, 1.0));
            let (mut qn, mut vn) = (q.clone(), v.clone());
            let p: Vec<f64> = rng.vector(np, 0.02);
            let mut loaded = vec![0.0; np];
            sim.get_params(&mut loaded).unwrap();
            let p: Vec<f64> = p.iter().zip(&loaded).map(|(p, l)| p + l).collect();
            sim.set_params(&p).unwrap();
            sim.step(&q, &v, &u, &mut qn, &mut vn).unwrap();
            touched += sim.step_info().unwrap().contacts;
            let mut jq = [nv, nv, nu, np].map(|n| vec![0.0; nv * n]);
            let mut jv = jq.clone();
            sim.step_jacobians(all_jacobians(&mut jq, &mut jv)).unwrap();
            let (wq, wv) = (rng.vector(nv, 1.0), rng.vector(nv, 1.0));
            let product = |j: &[f64], w: &[f64]| -> Vec<f64> {
                let columns = j.chunks(nv);
                columns
                    .map(|c| c.iter().zip(w).map(|(x, w)| x * w).sum())
                    .collect()
            };
            let forward: Vec<f64> = product(&jq[3], &wq)
                .iter()
                .zip(product(&jv[3], &wv))
                .map(|(x, y)| x + y)
                .collect();
            let mut p_bar = vec![0.0; np];
            sim.step_vjp(&wq, &wv, None, None, None, Some(&mut p_bar))
                .unwrap();
            let who = format!("{kind:?}, {contact:?}, {integrator:?}");
            let error = relative_error(&p_bar, &forward);
            assert!(error < 1e-10, "{who}: reverse against forward {error:e}");
            let memory = vec![0.0; sim.memory_size()];
            let by = by_vector(&p, |p| {
                let (mut q2, mut v2, mut d) = (q.clone(), v.clone(), vec![0.0; nv]);
                sim.set_params(p).unwrap();
                sim.set_memory(&memory).unwrap();
                sim.step(&q, &v, &u, &mut q2, &mut v2).unwrap();
                model.difference(&qn, &q2, &mut d);
                [d, v2].concat()
            });
            let mut ours = Vec::new();
            for (a, b) in jq[3].chunks(nv).zip(jv[3].chunks(nv)) {
                ours.extend([a, b].concat());
            }
            let error = relative_error(&ours, &by);
            assert!(error < 1e-7, "{who}: {error:e}");
        }
    }
    assert!(touched >= 10, "{touched}");
}

#[test]
fn shapes_that_no_joint_has_are_not_set() {
    let mut j = JointSpec::new("path", JointKind::SplineCurve);
    let frames = [0.0, 0.5, 1.0].map(|a| Pose::new(so3_exp(Vec3::Z * a), Vec3::ZERO));
    j.control = frames.iter().flat_map(|f| f.homogeneous()).collect();
    let model = Arc::new(one_body(j, Vec3::ZERO));
    let mut sim = Sim::new(model, &Options::default()).unwrap();
    let all: Vec<_> = (0..18)
        .map(|c| param(ParamKind::SplineFrame, 0, c))
        .collect();
    sim.select_params(&all).unwrap();
    let mut p = vec![0.0; 18];
    p[6 * 2 + 3] = 0.1;
    sim.set_params(&p).unwrap();
    for (angle, part) in [
        (std::f64::consts::PI - 0.5, "half a turn"),
        (-0.5, "must differ"),
        (f64::NAN, "finite"),
    ] {
        let mut bad = p.clone();
        bad[6 + 5] = angle;
        let message = sim.set_params(&bad).unwrap_err().message;
        assert!(message.contains(part), "{message}");
        let mut now = vec![0.0; 18];
        sim.get_params(&mut now).unwrap();
        assert_eq!(now, p);
    }
    let hinge = one_body(JointSpec::new("hinge", JointKind::Revolute), Vec3::ZERO);
    let mut other = Sim::new(Arc::new(hinge), &Options::default()).unwrap();
    assert!(other.select_params(&all[..1]).is_err());
    for (index, component) in [(0, 18), (99, 0)] {
        assert!(
            sim.select_params(&[param(ParamKind::SplineFrame, index, component)])
                .is_err()
        );
    }
}

/// No coordinate is too large.
#[test]
fn far_coordinates_have_placements() {
    for cyclic in [false, true] {
        let frames = control_frames(&mut Rng::new(1), 4, cyclic);
        let curve = Spline::Curve(Curve::new(frames, cyclic).unwrap());
        for q in [1e9, -1e15, 1e60, -1e100, 5e-324] {
            assert!(curve.pose(&[q]).is_finite(), "{q}");
            let [s, by, dc] = rates(&curve, &[q], &[1.0]);
            assert!([s, by, dc].concat().iter().all(|x| x.is_finite()), "{q}");
        }
    }
}
