//! Adhesion: the pull and its direction, its distribution and fading, friction under it; reports, the
//! inverse, batches, heap, parameters, bad input.

use crate::common::adhesive::{adhesion, compile, crowd, faded, moved, near, one, pull};
use crate::common::checker::ground;
use crate::common::scene::{ball, cuboid, options, tilt};
use crate::common::{LAWS, Rng, all_jacobians, param, relative_error};
use allocation_counter::measure;
use diffsim::batch::Batch;
use diffsim::error::Status;
use diffsim::load::options::{Format, LoadOptions, load_str};
use diffsim::model::activation::{Activation, ActivationLaw};
use diffsim::model::params::ParamKind;
use diffsim::model::spec::{ActuatorSpec, BodySpec, ModelSpec, ShapeSpec};
use diffsim::model::tendon::Transmission;
use diffsim::model::{Actuation, Model};
use diffsim::query::Transmissions;
use diffsim::spatial::{Quat, Vec3};
use diffsim::step::{Contact, Integrator, InverseJacobians, Options, Sim};
use std::sync::Arc;

const G: f64 = 9.81;

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
        let slope = crate::common::difference(1e-6, |e| {
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
    assert!(e.message.contains("no body of the model can move"), "{e}");
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
