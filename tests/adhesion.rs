//! Adhesion: what it pulls with and where, how it is shared out and fades, friction under it, its derivatives with every
//! integrator and law, of free bodies, hinges, several shapes, two bodies that both adhere and a world that does; what is
//! told of it, rollouts, batches, heap, parameters, bad input.

mod common;

use allocation_counter::measure;
use common::checker::{Checker, FOURTH_ORDER, free_body, ground};
use common::penalty::{Tally, accept, check};
use common::scene::{ball, cuboid, options, tilt};
use common::trajectory::{From, compare};
use common::{LAWS, Rng, all_jacobians, param, relative_error};
use diffsim::batch::Batch;
use diffsim::error::Status;
use diffsim::force::ForceKinds;
use diffsim::force::adhesion::FADE;
use diffsim::load::options::{Format, LoadOptions, load_str};
use diffsim::model::activation::{Activation, ActivationLaw};
use diffsim::model::cord::Transmission;
use diffsim::model::params::{Param, ParamKind};
use diffsim::model::spec::{
    ActuatorSpec, BodySpec, GeomSpec, JointKind, JointSpec, ModelSpec, ShapeSpec,
};
use diffsim::model::{Actuation, Model};
use diffsim::query::{ForceDerivatives, Transmissions};
use diffsim::spatial::{Inertia, Pose, Quat, Sym3, Vec3};
use diffsim::step::{Contact, Gradient, Integrator, InverseJacobians, Options, Sim, StepJacobians};
use std::sync::Arc;

const G: f64 = 9.81;

fn adhesion(name: &str, body: &str, gain: f64) -> ActuatorSpec {
    ActuatorSpec {
        gain,
        control_range: Some((0.0, 10.0)),
        ..ActuatorSpec::new(name, Transmission::Body(body.into()))
    }
}

fn compile(spec: ModelSpec) -> Arc<Model> {
    Arc::new(Model::compile(spec, Actuation::FromFile).unwrap())
}

/// A body of 1 kg whose surface is `gap` above the ground, or below a ceiling at z = 1.
fn one(shape: ShapeSpec, half: f64, gap: f64, hangs: bool) -> ModelSpec {
    let mut spec = ModelSpec::default();
    ground(&mut spec, 0.5);
    let mut z = half + gap;
    if hangs {
        let down = Pose::from_quat(Quat::exp(Vec3::X * std::f64::consts::PI), Vec3::Z);
        spec.geoms[0].placement = down;
        z = 1.0 - half - gap;
    }
    free_body(&mut spec, "body", Vec3::Z * z, shape);
    spec.actuators.push(adhesion("hold", "body", 4.0));
    spec
}

fn shapes() -> [(ShapeSpec, f64, usize); 4] {
    let capsule = ShapeSpec::Capsule {
        radius: 0.07,
        half_length: 0.1,
    };
    [
        (ball(0.1), 0.1, 1),
        (cuboid(0.1, 0.08, 0.06), 0.06, 4),
        (capsule, 0.17, 1),
        (
            ShapeSpec::Cylinder {
                radius: 0.1,
                half_length: 0.05,
            },
            0.05,
            4,
        ),
    ]
}

struct Run {
    sim: Sim,
    q: Vec<f64>,
    v: Vec<f64>,
}

impl Run {
    fn new(spec: ModelSpec, o: &Options) -> Run {
        let model = compile(spec);
        Run {
            q: model.neutral().to_vec(),
            v: vec![0.0; model.nv()],
            sim: Sim::new(model, o).unwrap(),
        }
    }

    fn step(&mut self, u: &[f64]) {
        let (q, v) = (self.q.clone(), self.v.clone());
        self.sim.step(&q, &v, u, &mut self.q, &mut self.v).unwrap();
    }

    /// Sum of the normal forces of the last step [N].
    fn pressed(&self) -> f64 {
        let h = self.sim.options().time_step;
        self.sim.contacts().iter().map(|c| c.impulse[2] / h).sum()
    }
}

#[test]
fn a_body_is_pressed_on_the_ground_and_held_under_a_ceiling() {
    for contact in LAWS.into_iter().chain([Contact::Penalty]) {
        for (shape, half, _) in shapes() {
            for hangs in [false, true] {
                let o = Options {
                    contact,
                    ..options(1e-3)
                };
                let mut run = Run::new(one(shape.clone(), half, 0.0, hangs), &o);
                for _ in 0..1500 {
                    run.step(&[5.0]);
                }
                let weight = if hangs { -G } else { G };
                let off = (run.pressed() - (weight + 20.0)).abs();
                let bound = if contact == Contact::Penalty {
                    1e-3
                } else {
                    1e-7
                };
                let speed = run.v.iter().fold(0.0, |m: f64, v| m.max(v.abs()));
                assert!(
                    off < bound && speed < 1e-4,
                    "{contact:?} {hangs}: {off:e} {speed:e}"
                );
                if !hangs {
                    continue;
                }
                // 4 N of a weight of 9.81 N let it fall, and below the ceiling nothing pulls.
                for _ in 0..500 {
                    run.step(&[1.0]);
                }
                let fall = 1.0 - half - run.q[2];
                assert!(fall > 0.5 * 0.5 * G * 0.4 * 0.4, "{contact:?}: {fall}");
            }
        }
    }
}

#[test]
fn friction_holds_what_weight_and_pull_press_together() {
    for contact in LAWS {
        let o = Options {
            contact,
            ..options(1e-3)
        };
        let bound = 0.5 * (G + 20.0);
        for (push, slides) in [(0.97 * bound, false), (1.03 * bound, true)] {
            let mut run = Run::new(one(cuboid(0.1, 0.1, 0.02), 0.02, 0.0, false), &o);
            run.sim
                .set_external_wrench(1, [push, 0.0, 0.0, 0.0, 0.0, 0.0])
                .unwrap();
            for _ in 0..400 {
                run.step(&[5.0]);
            }
            let expected = 0.5 * (push - bound).max(0.0) * 0.4 * 0.4;
            let off = (run.q[0] - expected).abs();
            assert!(off < 1e-3, "{contact:?} {push}: {} {expected}", run.q[0]);
            assert_eq!(run.v[0] > 0.1, slides, "{contact:?}");
        }
    }
}

/// The generalized force of actuators at a state.
fn pull(sim: &mut Sim, q: &[f64], u: &[f64]) -> Vec<f64> {
    let nv = sim.model().nv();
    let (v, mut f) = (vec![0.0; nv], vec![f64::NAN; nv]);
    let out = ForceDerivatives::default();
    sim.generalized_forces(q, &v, u, ForceKinds::ACTUATOR, &mut f, out)
        .unwrap();
    f
}

fn faded(gap: f64) -> f64 {
    let x = (gap / FADE).clamp(0.0, 1.0);
    1.0 - x * x * (3.0 - 2.0 * x)
}

#[test]
fn the_pull_fades_beyond_the_margin() {
    for (margin, gap) in [(0.0, 0.0), (0.004, 0.0), (0.0, 0.003), (0.002, 0.005)] {
        let mut spec = one(ball(0.1), 0.1, 0.0, false);
        (spec.geoms[1].margin, spec.geoms[0].gap) = (margin, gap);
        let mut sim = Sim::new(compile(spec), &options(1e-3)).unwrap();
        let mut q = sim.model().neutral().to_vec();
        for k in -5..40 {
            let height = 2.5e-4 * f64::from(k);
            q[2] = 0.1 + height;
            let w = faded(height - margin - gap);
            let f = pull(&mut sim, &q, &[2.0]);
            let expected = [0.0, 0.0, -8.0 * w * (2.0 - w), 0.0, 0.0, 0.0];
            for (f, x) in f.iter().zip(expected) {
                assert!((f - x).abs() < 1e-9, "{margin} {gap} {height}: {f} {x}");
            }
        }
    }
}

/// The corners share the force by their weights, and lift one, and the others have it.
#[test]
fn contacts_share_the_force() {
    let spec = one(cuboid(0.1, 0.08, 0.06), 0.06, 0.0, false);
    let mut sim = Sim::new(compile(spec), &options(1e-3)).unwrap();
    for (angle, azimuth, height) in [(0.0, 0.0, 0.0), (0.003, 0.3, 4e-4), (0.02, 1.0, 3e-4)] {
        let mut q = sim.model().neutral().to_vec();
        let tilted = tilt(angle, azimuth);
        let corner = |k: usize| {
            let sign = |bit: usize| if k >> bit & 1 == 0 { -1.0 } else { 1.0 };
            Vec3::new(0.1 * sign(0), 0.08 * sign(1), -0.06)
        };
        let corners = [0, 1, 2, 3].map(|k| tilted.rot.mul_vec(corner(k)));
        let lowest = corners.iter().fold(f64::INFINITY, |m, c| m.min(c.z));
        let axis = Vec3::new(f64::cos(azimuth), f64::sin(azimuth), 0.0);
        q[2] = height - lowest;
        q[3..].copy_from_slice(&Quat::exp(axis * angle).normalized().to_array());
        let weights = corners.map(|c| faded(q[2] + c.z));
        let sum: f64 = weights.iter().sum();
        let share = if sum < 1.0 { 2.0 - sum } else { 1.0 / sum };
        let f = pull(&mut sim, &q, &[2.0]);
        let (mut force, mut moment) = (Vec3::ZERO, Vec3::ZERO);
        for (corner, w) in corners.iter().zip(weights) {
            let one = Vec3::Z * (-8.0 * w * share);
            (force, moment) = (force + one, moment + corner.cross(one));
        }
        let expected = [tilted.rot.tr_mul_vec(force), tilted.rot.tr_mul_vec(moment)];
        for (f, x) in f.iter().zip(expected.iter().flat_map(|x| x.to_array())) {
            assert!((f - x).abs() < 1e-9, "{angle}: {f} {x}");
        }
    }
}

/// A tilted box on the ground, a ball beside it, a hinged arm with a ball over the box and another one with an ellipsoid over the
/// ball, with gaps of parts of a millimetre; `both`: all of them adhere, and the world, else the ball and the world.
fn crowd(both: bool) -> ModelSpec {
    sunken(both, 0.0)
}

/// The same with the box and the ball lower, so that the ground presses them.
fn sunken(both: bool, depth: f64) -> ModelSpec {
    let mut spec = ModelSpec::default();
    ground(&mut spec, 0.6);
    free_body(
        &mut spec,
        "box",
        Vec3::new(0.0, 0.0, 0.0604),
        cuboid(0.1, 0.08, 0.06),
    );
    let turn = Quat::exp(Vec3::new(0.002, -0.003, 0.4)).normalized();
    spec.bodies[1].placement = Pose::from_quat(turn, Vec3::new(0.0, 0.0, 0.0606 - depth));
    let along = turn.to_mat3().c[0];
    free_body(
        &mut spec,
        "ball",
        along * 0.1503 + Vec3::Z * (0.0504 - depth),
        ball(0.05),
    );
    let mut hinge = |name: &str, at: Vec3, axis: Vec3, reach: Vec3, shape: ShapeSpec| {
        let id = spec.bodies.len();
        let mut joint = JointSpec::new(format!("{name} hinge"), JointKind::Revolute);
        joint.axis = axis;
        joint.armature = 0.01;
        spec.bodies.push(BodySpec {
            name: name.into(),
            placement: Pose::translation(at),
            inertia: Inertia::from_com(
                0.3,
                reach * 0.7,
                Sym3::diagonal(Vec3::new(2e-3, 2e-3, 1e-3)),
            ),
            joints: vec![joint],
            ..BodySpec::world()
        });
        let place = Pose::from_quat(Quat::exp(Vec3::new(0.3, 0.2, 0.1)).normalized(), reach);
        spec.geoms.push(GeomSpec::new(name, id, place, shape));
    };
    // Above the box, whose top is at 0.1206 in the middle.
    let reach = Vec3::new(0.2, 0.0, 0.0);
    hinge(
        "arm",
        Vec3::new(-0.2, 0.01, 0.1206 + 0.0403),
        Vec3::Y,
        reach,
        ball(0.04),
    );
    // On top of the ball.
    let at = along * 0.1503 + Vec3::new(0.0, -0.2, 0.1004 + 0.0302);
    let ellipsoid = ShapeSpec::Ellipsoid {
        semi_axes: Vec3::new(0.03, 0.03, 0.03),
    };
    hinge("tip", at, Vec3::X, Vec3::Y * 0.2, ellipsoid);
    for g in &mut spec.geoms {
        g.friction[0] = 0.4 + 0.05 * g.body as f64;
    }
    let names: &[&str] = match both {
        true => &["box", "ball", "arm", "tip", "world"],
        false => &["ball", "world"],
    };
    for (k, name) in names.iter().enumerate() {
        let mut a = adhesion(&format!("on {name}"), name, 2.0 + k as f64);
        if k == 1 {
            a.force_range = Some((0.0, 4.0));
        }
        spec.actuators.push(a);
    }
    spec
}

fn moved(model: &Model) -> Vec<Param> {
    let mut list = Vec::new();
    for (g, geom) in model.geoms().iter().enumerate() {
        for k in 0..geom.shape.variable_sizes() {
            list.push(param(ParamKind::GeomSize, g, k));
        }
    }
    for j in 0..model.njoint() {
        list.extend((0..6).map(|k| param(ParamKind::JointPlacement, j, k)));
    }
    list.extend((0..model.nu()).map(|j| param(ParamKind::ActuatorGain, j, 0)));
    list
}

/// States near the first one, with weights between 0 and 1.
fn near(model: &Model, rng: &mut Rng) -> [Vec<f64>; 3] {
    let mut q = model.neutral().to_vec();
    model.integrate(model.neutral(), &rng.vector(model.nv(), 2e-4), &mut q);
    let v = rng.vector(model.nv(), 0.02);
    let u = (0..model.nu()).map(|_| rng.range(0.2, 1.2)).collect();
    [q, v, u]
}

#[test]
fn derivatives_of_the_force_at_a_state() {
    for both in [false, true] {
        let model = compile(crowd(both));
        let (nv, nu) = (model.nv(), model.nu());
        let mut sim = Sim::new(model.clone(), &options(1e-3)).unwrap();
        let mut rng = Rng::new(3);
        let mut felt = 0.0_f64;
        for _ in 0..6 {
            let [q, v, u] = near(&model, &mut rng);
            let mut f = vec![0.0; nv];
            let [mut by_q, mut by_v, mut by_u] = [nv, nv, nu].map(|n| vec![f64::NAN; nv * n]);
            let out = ForceDerivatives {
                by_q: Some(&mut by_q),
                by_v: Some(&mut by_v),
                by_u: Some(&mut by_u),
            };
            let label = sim
                .generalized_forces(&q, &v, &u, ForceKinds::ACTUATOR, &mut f, out)
                .unwrap();
            assert_eq!(label, Gradient::Exact);
            assert!(by_v.iter().all(|x| *x == 0.0));
            for k in 0..nv {
                let slope = common::difference(2e-6, |e| {
                    let (mut d, mut moved) = (vec![0.0; nv], q.clone());
                    d[k] = e;
                    model.integrate(&q, &d, &mut moved);
                    pull(&mut sim, &moved, &u)
                });
                let column = &by_q[k * nv..][..nv];
                let size = column.iter().fold(1.0, |m: f64, x| m.max(x.abs()));
                felt = felt.max(size);
                for (x, y) in column.iter().zip(&slope) {
                    assert!((x - y).abs() < 1e-7 * size, "{both} {k}: {x} {y}");
                }
            }
            for k in 0..nu {
                let slope = common::difference(0.02, |e| {
                    let mut u = u.clone();
                    u[k] += e;
                    pull(&mut sim, &q, &u)
                });
                for (x, y) in by_u[k * nv..][..nv].iter().zip(&slope) {
                    assert!((x - y).abs() < 1e-9, "{both} u {k}: {x} {y}");
                }
            }
        }
        // Some contact is in the middle of its fade.
        assert!(felt > 1e3, "{felt}");
    }
}

#[test]
fn derivatives_of_steps_with_constraints() {
    let mut pressed = 0;
    use Integrator::{ImplicitEuler, Midpoint, SymplecticEuler, SymplecticEulerWorld};
    for (both, depth) in [(false, 0.0), (true, 0.0), (true, 7e-4)] {
        let model = compile(sunken(both, depth));
        for integrator in [
            SymplecticEulerWorld,
            SymplecticEuler,
            ImplicitEuler,
            Midpoint,
        ] {
            for contact in LAWS {
                let o = Options {
                    integrator,
                    contact,
                    ..options(5e-4)
                };
                let mut c = Checker::new(model.clone(), &o);
                (c.eps, c.stencil) = (1e-6, FOURTH_ORDER);
                c.select(&moved(&model));
                let mut beside = Sim::new(model.clone(), &o).unwrap();
                let mut rng = Rng::new(8);
                for _ in 0..2 {
                    let [mut q, mut v, u] = near(&model, &mut rng);
                    for _ in 0..2 {
                        let (mut qn, mut vn) = (q.clone(), v.clone());
                        beside.step(&q, &v, &u, &mut qn, &mut vn).unwrap();
                        let contacts = beside.contacts().iter();
                        pressed += contacts.filter(|c| c.impulse[2] > 0.0).count();
                        c.check(&mut q, &mut v, &u);
                    }
                }
                c.report(&format!("{both}, {depth}, {integrator:?}, {contact:?}"));
            }
        }
    }
    assert!(pressed > 50, "{pressed}");
}

#[test]
fn derivatives_of_steps_with_penalty_contact() {
    use Integrator::{
        Bdf1, ImplicitEuler, Midpoint, Sdirk2, SymplecticEuler, SymplecticEulerWorld,
    };
    for integrator in [
        SymplecticEulerWorld,
        SymplecticEuler,
        ImplicitEuler,
        Midpoint,
        Bdf1,
        Sdirk2,
    ] {
        let (mut rng, mut tally) = (Rng::new(4), Tally::default());
        for depth in [0.0, 7e-4, 1e-3] {
            let model = compile(sunken(true, depth));
            let o = Options {
                integrator,
                contact: Contact::Penalty,
                ..options(1e-3)
            };
            let mut sim = Sim::new(model.clone(), &o).unwrap();
            let list = moved(&model);
            sim.select_params(&list).unwrap();
            for _ in 0..2 {
                let [q, v, u] = near(&model, &mut rng);
                check(&mut sim, &list, (&q, &v, &u), 1e-6, &mut tally);
            }
        }
        accept(&tally, &format!("{integrator:?}"), [0, 1, 1]);
    }
}

/// A world that holds two of three balls: the tree of the first dof touches nothing.
#[test]
fn a_world_that_holds_what_touches_it() {
    let mut spec = ModelSpec::default();
    ground(&mut spec, 0.6);
    for (k, gap) in [0.5, 3e-4, 2e-4].into_iter().enumerate() {
        let at = Vec3::new(k as f64, 0.0, 0.1 + gap);
        free_body(&mut spec, &format!("ball{k}"), at, ball(0.1));
    }
    spec.actuators.push(adhesion("hold", "world", 3.0));
    spec.actuators.push(adhesion("none", "ball0", 3.0));
    let model = compile(spec);
    let nv = model.nv();
    for contact in LAWS.into_iter().chain([Contact::Penalty]) {
        let o = Options {
            contact,
            ..options(1e-3)
        };
        let mut c = Checker::new(model.clone(), &o);
        (c.eps, c.stencil) = (1e-6, FOURTH_ORDER);
        let (mut q, mut v) = (model.neutral().to_vec(), vec![0.0; nv]);
        c.check(&mut q, &mut v, &[0.7, 0.5]);
        c.report(&format!("world, {contact:?}"));
    }
    let mut sim = Sim::new(model.clone(), &options(1e-3)).unwrap();
    let (q, v) = (model.neutral().to_vec(), vec![0.0; nv]);
    let (mut qn, mut vn) = (q.clone(), v.clone());
    sim.step(&q, &v, &[0.7, 0.5], &mut qn, &mut vn).unwrap();
    let (mut dense, entries) = (vec![0.0; nv * 2], sim.jacobian_entries().unwrap());
    let mut packed = vec![0.0; entries.by_input];
    let by_u = |dv_du| StepJacobians {
        dv_du,
        ..StepJacobians::default()
    };
    sim.step_jacobians(by_u(Some(&mut dense))).unwrap();
    sim.step_jacobians_sparse(by_u(Some(&mut packed))).unwrap();
    let sum = |x: &[f64]| x.iter().map(|x| x.abs()).sum::<f64>();
    assert!((sum(&dense) - sum(&packed)).abs() < 1e-15 && sum(&dense) > 1e-3);
    assert!(dense[..6].iter().chain(&dense[nv..]).all(|x| *x == 0.0));
}

/// The inverse's derivative by q against differences.
fn check_inverse(sim: &mut Sim, (q, v, u, a): (&[f64], &[f64], &[f64], &[f64])) {
    let model = sim.model().clone();
    let nv = model.nv();
    let mut by_q = vec![f64::NAN; nv * nv];
    sim.inverse_jacobians(InverseJacobians {
        by_q: Some(&mut by_q),
        ..InverseJacobians::default()
    })
    .unwrap();
    for (k, column) in by_q.chunks_exact(nv).enumerate() {
        let slope = common::difference(1e-6, |e| {
            let (mut d, mut moved, mut tau) = (vec![0.0; nv], q.to_vec(), vec![0.0; nv]);
            d[k] = e;
            model.integrate(q, &d, &mut moved);
            sim.inverse(&moved, v, u, a, &mut tau).unwrap();
            tau
        });
        let size = column.iter().fold(1.0, |m: f64, x| m.max(x.abs()));
        let error = relative_error(column, &slope);
        assert!(error < 1e-6, "{k}: {error:e} of {size:e}");
    }
}

/// A chain beyond the depth of packed rows over the ground, whose last link and the world adhere.
#[test]
fn derivatives_of_a_long_chain() {
    let n = 70;
    let mut spec = ModelSpec::default();
    ground(&mut spec, 0.5);
    let mut rng = Rng::new(1);
    for k in 1..=n {
        let mut joint = JointSpec::new(format!("joint{k}"), JointKind::Revolute);
        joint.axis = if k % 2 == 0 { Vec3::Y } else { Vec3::Z };
        joint.armature = 0.05;
        let reach = if k == 1 { 0.1003 } else { 0.0 };
        spec.bodies.push(BodySpec {
            name: format!("link{k}"),
            parent: k - 1,
            placement: Pose::translation(Vec3::new(0.05, 0.0, reach)),
            inertia: rng.inertia(),
            joints: vec![joint],
            ..BodySpec::world()
        });
        if k % 20 == 0 || k == n {
            let (name, place) = (format!("geom{k}"), Pose::IDENTITY);
            spec.geoms.push(GeomSpec::new(name, k, place, ball(0.1)));
        }
    }
    spec.actuators
        .push(adhesion("tip", &format!("link{n}"), 3.0));
    spec.actuators.push(adhesion("world", "world", 2.0));
    let model = compile(spec);
    assert!(model.topology().is_deep());
    let list = [
        param(ParamKind::GeomSize, 2, 0),
        param(ParamKind::JointPlacement, 30, 2),
        param(ParamKind::ActuatorGain, 0, 0),
    ];
    let nv = model.nv();
    let q = rng.vector(nv, 2e-5);
    let (v, u) = (vec![0.0; nv], [0.7, 0.4]);
    for (contact, integrator) in [
        (Contact::Ncp, Integrator::SymplecticEulerWorld),
        (Contact::Penalty, Integrator::SymplecticEuler),
        (Contact::Penalty, Integrator::Bdf1),
        (Contact::Convex, Integrator::Midpoint),
    ] {
        let o = Options {
            contact,
            integrator,
            ..options(1e-3)
        };
        let mut sim = Sim::new(model.clone(), &o).unwrap();
        sim.select_params(&list).unwrap();
        let (mut qn, mut vn) = (q.clone(), v.clone());
        sim.step(&q, &v, &u, &mut qn, &mut vn).unwrap();
        let sizes = [nv, nv, 2, 3];
        let [mut jq, mut jv] = [(); 2].map(|()| sizes.map(|n| vec![f64::NAN; nv * n]));
        sim.step_jacobians(all_jacobians(&mut jq, &mut jv)).unwrap();
        let apart = common::penalty::products(&mut sim, &jq, &jv);
        assert!(apart < 1e-10, "{contact:?} {integrator:?}: {apart:e}");
        let mut p = vec![0.0; 3];
        sim.get_params(&mut p).unwrap();
        // A few of the columns by q, and all by u and parameters.
        let columns = (0..nv).step_by(9).map(|k| (0, k));
        for (kind, k) in columns.chain([(2, 0), (2, 1), (3, 0), (3, 1), (3, 2)]) {
            let eps = if kind == 2 { 0.01 } else { 1e-6 };
            let slope = common::difference(eps, |e| {
                let (mut q, mut u, mut p2) = (q.clone(), u, p.clone());
                match kind {
                    0 => q[k] += e,
                    2 => u[k] += e,
                    _ => p2[k] += e,
                }
                sim.reset();
                sim.set_params(&p2).unwrap();
                let (mut qn, mut vn) = (q.clone(), v.clone());
                sim.step(&q, &v, &u, &mut qn, &mut vn).unwrap();
                sim.set_params(&p).unwrap();
                vn
            });
            let error = relative_error(&jv[kind][k * nv..][..nv], &slope);
            assert!(
                error < 1e-6,
                "{contact:?} {integrator:?} {kind} {k}: {error:e}"
            );
        }
    }
}

#[test]
fn what_is_told_of_it() {
    let model = compile(crowd(true));
    let (nv, nu) = (model.nv(), model.nu());
    let [q, v, u] = near(&model, &mut Rng::new(2));
    for contact in [Contact::Ncp, Contact::Penalty, Contact::None] {
        let o = Options {
            contact,
            ..options(1e-3)
        };
        let mut sim = Sim::new(model.clone(), &o).unwrap();
        let [mut lengths, mut rates, mut forces] = [(); 3].map(|()| vec![f64::NAN; nu]);
        let (mut by_q, mut by_u) = (vec![f64::NAN; nu * nv], vec![f64::NAN; nu * nu]);
        let out = Transmissions {
            lengths: Some(&mut lengths),
            rates: Some(&mut rates),
            forces: Some(&mut forces),
            by_q: Some(&mut by_q),
            by_u: Some(&mut by_u),
            ..Transmissions::default()
        };
        sim.actuator_states(&q, &v, &u, out).unwrap();
        for (j, a) in model.actuators().iter().enumerate() {
            let most = a.force_range.map_or(f64::INFINITY, |r| r.1);
            assert_eq!(forces[j], (a.gain * u[j]).min(most));
            let slope = if a.gain * u[j] < most { a.gain } else { 0.0 };
            assert_eq!(by_u[j * nu + j], slope);
        }
        let zeros = lengths.iter().chain(&rates).chain(&by_q);
        assert!(zeros.into_iter().all(|x| *x == 0.0));
        let f = pull(&mut sim, &q, &u);
        assert_eq!(f.iter().all(|f| *f == 0.0), contact == Contact::None);
        // The acceleration and the inverse of a step have it, too.
        let mut a = vec![0.0; nv];
        sim.forward(&q, &v, &u, &mut a).unwrap();
        if contact != Contact::Ncp {
            // Nothing but the inputs gives that acceleration.
            let mut tau = vec![f64::NAN; nv];
            sim.inverse(&q, &v, &u, &a, &mut tau).unwrap();
            let size = a.iter().fold(1.0, |m: f64, x| m.max(x.abs()));
            assert!(
                tau.iter().all(|x| x.abs() < 1e-9 * size),
                "{contact:?} {tau:?}"
            );
            check_inverse(&mut sim, (&q, &v, &u, &a));
        }
    }
}

#[test]
fn pairs_that_may_not_touch_do_not_pull() {
    let spec = one(ball(0.1), 0.1, 0.0, false);
    let mut sim = Sim::new(compile(spec), &options(1e-3)).unwrap();
    let q = sim.model().neutral().to_vec();
    assert_eq!(pull(&mut sim, &q, &[2.0])[2], -8.0);
    sim.set_pair_enabled(0, 1, false).unwrap();
    assert_eq!(pull(&mut sim, &q, &[2.0])[2], 0.0);
    let mut copy = sim.duplicate().unwrap();
    assert_eq!(pull(&mut copy, &q, &[2.0])[2], 0.0);
    copy.set_pair_enabled(0, 1, true).unwrap();
    assert_eq!(pull(&mut copy, &q, &[2.0])[2], -8.0);
    assert_eq!(pull(&mut sim, &q, &[2.0])[2], 0.0);
}

/// A hand that is led and stands on the table, too: as in MuJoCo, what cannot be pulled has no share.
#[test]
fn a_hand_that_is_led_holds_a_ball_alone() {
    let text = "<mujoco><worldbody><geom type='plane' size='1 1 1'/><body name='hand' mocap='true' pos='0 0 .0999'>\
         <geom size='.1'/></body><body name='ball' pos='0 0 .2998'><freejoint/><geom size='.1' mass='1'/></body></worldbody>\
         <actuator><adhesion body='hand' ctrlrange='0 1' gain='8'/></actuator></mujoco>";
    let model = load_str(text, Format::Mjcf, None, &LoadOptions::default()).unwrap();
    let ball = model
        .joints()
        .iter()
        .find(|j| model.bodies()[j.body].name == "ball");
    let up = ball.unwrap().iv + 2;
    for contact in [Contact::Ncp, Contact::Penalty] {
        let o = Options {
            contact,
            ..options(1e-3)
        };
        let mut sim = Sim::new(Arc::new(model.clone()), &o).unwrap();
        let q = model.neutral().to_vec();
        assert!(
            (pull(&mut sim, &q, &[1.0])[up] + 8.0).abs() < 1e-9,
            "{contact:?}"
        );
        let mut copy = sim.duplicate().unwrap();
        assert!(
            (pull(&mut copy, &q, &[1.0])[up] + 8.0).abs() < 1e-9,
            "{contact:?}"
        );
    }
}

#[test]
fn gradients_of_trajectories() {
    use Integrator::{Bdf2, Midpoint, SymplecticEulerWorld};
    const STEPS: usize = 25;
    let model = compile(crowd(true));
    let mut rng = Rng::new(4);
    let [q0, v0, _] = near(&model, &mut rng);
    let u = (0..model.nu() * STEPS).map(|_| rng.range(0.2, 1.0));
    let from = From {
        q0,
        v0,
        u: u.collect(),
    };
    for (integrator, contact) in [
        (SymplecticEulerWorld, Contact::Convex),
        (SymplecticEulerWorld, Contact::Penalty),
        (Midpoint, Contact::Penalty),
        (Bdf2, Contact::Penalty),
    ] {
        let o = Options {
            integrator,
            contact,
            checkpoint_interval: 7,
            ..options(2e-4)
        };
        compare(&model, &o, STEPS, &from, &moved(&model), 1e-6)
            .accept(&format!("{integrator:?}, {contact:?}"), 1e-6);
    }
}

#[test]
fn an_activation_drives_it() {
    let mut spec = one(ball(0.1), 0.1, 2e-4, false);
    spec.actuators[0].activation = Some(Activation::new(ActivationLaw::Filter {
        time_constant: 0.05,
    }));
    let model = compile(spec);
    let mut sim = Sim::new(model.clone(), &options(1e-3)).unwrap();
    let q = model.neutral().to_vec();
    let expected = |act: f64| {
        let w = faded(2e-4);
        -(G + 4.0 * act * w * (2.0 - w)) * 1e-3
    };
    for act in [0.0, 0.5, 2.0] {
        sim.set_act(&[act]).unwrap();
        let (mut qn, mut vn) = (q.clone(), vec![0.0; 6]);
        // Off the ground by more than a step's fall.
        sim.step(
            &q,
            &[0.0, 0.0, 0.01, 0.0, 0.0, 0.0],
            &[3.0],
            &mut qn,
            &mut vn,
        )
        .unwrap();
        assert!((vn[2] - 0.01 - expected(act)).abs() < 1e-12, "{act} {vn:?}");
    }
}

#[test]
fn no_heap_after_creation_and_the_same_bits() {
    use Integrator::{Midpoint, Sdirk2, SymplecticEulerWorld};
    let model = compile(crowd(true));
    let (nv, nu) = (model.nv(), model.nu());
    let [q, v, u] = near(&model, &mut Rng::new(6));
    for (integrator, contact) in [
        (SymplecticEulerWorld, Contact::Ncp),
        (SymplecticEulerWorld, Contact::Lcp),
        (Midpoint, Contact::Convex),
        (Sdirk2, Contact::Penalty),
    ] {
        let o = Options {
            integrator,
            contact,
            ..options(1e-3)
        };
        let mut sim = Sim::new(model.clone(), &o).unwrap();
        let list = moved(&model);
        sim.select_params(&list).unwrap();
        let sizes = [nv, nv, nu, list.len()];
        let (mut jq, mut jv) = (
            sizes.map(|n| vec![0.0; nv * n]),
            sizes.map(|n| vec![0.0; nv * n]),
        );
        let (mut qn, mut vn, mut bar) = (q.clone(), v.clone(), vec![0.0; nu]);
        let mut run = |sim: &mut Sim| {
            sim.reset();
            sim.step(&q, &v, &u, &mut qn, &mut vn).unwrap();
            sim.step_jacobians(all_jacobians(&mut jq, &mut jv)).unwrap();
            sim.step_vjp(&vn, &v, None, None, Some(&mut bar), None)
                .unwrap();
            let all = jv.iter().flatten().chain(&vn).chain(&bar);
            all.fold(0, |a: u64, x| a.rotate_left(7) ^ x.to_bits())
        };
        let first = run(&mut sim);
        let heap = measure(|| assert_eq!(run(&mut sim), first));
        assert_eq!(heap.count_total, 0, "{integrator:?}, {contact:?}");
        let mut other = sim.duplicate().unwrap();
        assert_eq!(run(&mut other), first);
    }
    let mut batch = Batch::new(model.clone(), &options(1e-3), 3, 2).unwrap();
    let repeat = |x: &[f64]| x.repeat(3);
    let (mut qn, mut vn) = (repeat(&q), repeat(&v));
    let mut each = vec![Status::Ok; 3];
    batch
        .step(
            &repeat(&q),
            &repeat(&v),
            &repeat(&u),
            &mut qn,
            &mut vn,
            &mut each,
        )
        .unwrap();
    let mut sim = Sim::new(model, &options(1e-3)).unwrap();
    let (mut q1, mut v1) = (q.clone(), v.clone());
    sim.step(&q, &v, &u, &mut q1, &mut v1).unwrap();
    assert_eq!((qn, vn), (repeat(&q1), repeat(&v1)));
}

#[test]
fn bad_input() {
    let spec = one(ball(0.1), 0.1, 0.0, false);
    let with = |change: &dyn Fn(&mut ActuatorSpec)| {
        let mut spec = spec.clone();
        let empty = BodySpec {
            name: "empty".into(),
            ..BodySpec::world()
        };
        spec.bodies.push(empty);
        change(&mut spec.actuators[0]);
        Model::compile(spec, Actuation::FromFile).unwrap_err()
    };
    let on = |name: &str| Transmission::Body(name.into());
    for (change, expected) in [
        (
            &(|a: &mut ActuatorSpec| a.transmission = on("nobody")) as &dyn Fn(&mut ActuatorSpec),
            "no body is called \"nobody\"",
        ),
        (
            &|a: &mut ActuatorSpec| a.transmission = on("empty"),
            "body \"empty\" has no geom",
        ),
        (
            &|a: &mut ActuatorSpec| a.gain = f64::NAN,
            "gain and bias must be finite",
        ),
        (
            &|a: &mut ActuatorSpec| a.gain = -1.0,
            "gain of adhesion must not be negative, got -1",
        ),
        (
            &|a: &mut ActuatorSpec| a.control_range = None,
            "needs a control range",
        ),
        (
            &|a: &mut ActuatorSpec| a.control_range = Some((-0.5, 1.0)),
            "must not be negative, got -0.5 1",
        ),
        (
            &|a: &mut ActuatorSpec| a.control_range = Some((f64::NAN, 1.0)),
            "control range must be ordered",
        ),
        (
            &|a: &mut ActuatorSpec| a.force_range = Some((-2.0, -1.0)),
            "force range of adhesion must reach to 0",
        ),
        (&|a: &mut ActuatorSpec| a.gear[0] = 2.0, "has no gear"),
        (
            &|a: &mut ActuatorSpec| a.bias[0] = 1.0,
            "without a bias or a muscle",
        ),
        (
            &|a: &mut ActuatorSpec| a.gain_slopes[1] = -1.0,
            "without a bias or a muscle",
        ),
    ] {
        let e = with(change);
        assert_eq!(e.status, Status::InvalidArgument, "{e}");
        assert!(e.message.contains("\"hold\""), "{e}");
        assert!(e.message.contains(expected), "{expected}: {e}");
    }
    let mut sim = Sim::new(compile(spec.clone()), &options(1e-3)).unwrap();
    let gain = param(ParamKind::ActuatorGain, 0, 0);
    sim.select_params(&[gain]).unwrap();
    let e = sim.set_params(&[-1.0]).unwrap_err();
    assert!(
        e.message
            .contains("p[0]: ActuatorGain must not be negative"),
        "{e}"
    );
    let none = Options {
        contact: Contact::None,
        ..options(1e-3)
    };
    let mut alone = Sim::new(compile(spec.clone()), &none).unwrap();
    let e = alone.select_params(&[gain]).unwrap_err();
    assert_eq!(e.status, Status::Unsupported, "{e}");
    let e = sim.select_params(&[param(ParamKind::ActuatorGain, 1, 0)]);
    assert_eq!(e.unwrap_err().status, Status::InvalidArgument);
    let mut still = ModelSpec::default();
    ground(&mut still, 0.5);
    still.actuators.push(adhesion("hold", "world", 1.0));
    let e = Model::compile(still, Actuation::FromFile).unwrap_err();
    assert!(e.message.contains("nothing in the model moves"), "{e}");
    let mut narrow = Sim::new(
        compile(one(cuboid(0.1, 0.1, 0.1), 0.1, 0.0, false)),
        &Options {
            max_contacts: 2,
            ..options(1e-3)
        },
    )
    .unwrap();
    let q = narrow.model().neutral().to_vec();
    let (mut qn, mut vn) = (q.clone(), vec![7.0; 6]);
    let e = narrow.step(&q, &[0.0; 6], &[1.0], &mut qn, &mut vn);
    let e = e.unwrap_err();
    assert_eq!(e.status, Status::Capacity, "{e}");
    assert!(
        e.message.contains("max_contacts") && e.message.contains("ground"),
        "{e}"
    );
    assert_eq!((qn, vn), (q, vec![7.0; 6]));
}
