//! The complementarity-aware adjoint: it sees beyond active and open contacts, is no smaller than the exact
//! one, and leaves no trace.

use crate::common::checker::{quadruped, standing};
use crate::common::scene::{World, at, ball, body, cuboid, free, ground, options};
use crate::common::{Rng, all_jacobians, param, relative_error};
use diffsim::batch::{Batch, BatchAdjoint};
use diffsim::contact::mode::Mode;
use diffsim::error::Status;
use diffsim::model::params::ParamKind;
use diffsim::model::spec::{ActuatorSpec, GeomSpec, JointKind, JointSpec, ModelSpec};
use diffsim::model::tendon::Transmission;
use diffsim::model::{Actuation, Model};
use diffsim::rollout::{AwareSteps, Rollout};
use diffsim::spatial::{Pose, Vec3};
use diffsim::step::{Aware, Contact, Options, Sim};
use std::sync::Arc;

const H: f64 = 1e-3;

/// Adjoints by q, v, u and p.
#[derive(Clone, Debug, Default, PartialEq)]
struct Bars {
    q: Vec<f64>,
    v: Vec<f64>,
    u: Vec<f64>,
    p: Vec<f64>,
}

impl Bars {
    fn of(sim: &Sim) -> Bars {
        let (nv, nu, np) = (sim.model().nv(), sim.model().nu(), sim.np());
        let [q, v, u, p] = [nv, nv, nu, np].map(|n| vec![f64::NAN; n]);
        Bars { q, v, u, p }
    }

    fn parts(&mut self) -> [Option<&mut [f64]>; 4] {
        [&mut self.q, &mut self.v, &mut self.u, &mut self.p].map(|x| Some(&mut x[..]))
    }
}

fn exact(sim: &mut Sim, q_bar: &[f64], v_bar: &[f64]) -> Bars {
    let mut out = Bars::of(sim);
    let [q, v, u, p] = out.parts();
    sim.step_vjp(q_bar, v_bar, q, v, u, p).unwrap();
    out
}

fn aware(sim: &mut Sim, q_bar: &[f64], v_bar: &[f64]) -> (Bars, Aware) {
    let mut out = Bars::of(sim);
    let [q, v, u, p] = out.parts();
    let which = sim.step_vjp_aware(q_bar, v_bar, q, v, u, p).unwrap();
    assert_eq!(sim.aware().unwrap(), which);
    (out, which)
}

/// Both by a function of v⁺ alone.
fn both(w: &mut World, v_bar: &[f64]) -> (Bars, Bars, Aware) {
    let none = vec![0.0; v_bar.len()];
    let exact = exact(&mut w.sim, &none, v_bar);
    let (other, which) = aware(&mut w.sim, &none, v_bar);
    (exact, other, which)
}

fn norm(x: &[f64]) -> f64 {
    x.iter().map(|x| x * x).sum::<f64>().sqrt()
}

const ANOTHER: fn(usize) -> Aware = |resorted| Aware {
    other: true,
    resorted,
};

fn slide(spec: &mut ModelSpec, name: &str, axis: Vec3, pose: Pose, mass: f64) -> usize {
    let id = body(spec, name, JointKind::Prismatic, pose, mass, ball(0.1));
    spec.bodies[id].joints[0].axis = axis;
    id
}

fn motor(joint: &str, gear: f64) -> ActuatorSpec {
    let mut gears = [0.0; 6];
    gears[0] = gear;
    ActuatorSpec {
        gear: gears,
        ..ActuatorSpec::new(joint, Transmission::Joint(joint.into()))
    }
}

/// A ball of 2 kg on a vertical slide over the ground.
fn slider(height: f64, speed: f64, law: Contact) -> World {
    let mut spec = ModelSpec::default();
    ground(&mut spec, 0.5);
    slide(&mut spec, "ball", Vec3::Z, at(0.0, 0.0, height), 2.0);
    let options = Options {
        contact: law,
        ..options(H)
    };
    let mut w = World::new(spec, Actuation::Full, &options);
    w.v[0] = speed;
    w.step();
    w
}

#[test]
fn a_body_at_rest_that_is_to_rise_is_let_go() {
    for law in [Contact::Ncp, Contact::Lcp] {
        let mut w = slider(0.1, 0.0, law);
        let (exact, other, which) = both(&mut w, &[-1.0]);
        assert_eq!((exact.v[0], exact.u[0]), (0.0, 0.0));
        assert_eq!(which, ANOTHER(1));
        // As if the ground were not there.
        assert_eq!(other.v, [-1.0]);
        assert!((other.u[0] + H / 2.0).abs() < 1e-18, "{other:?}");
    }
}

#[test]
fn a_body_at_rest_is_not_pressed_into_the_ground() {
    let mut w = slider(0.1, 0.0, Contact::Ncp);
    let (exact, other, which) = both(&mut w, &[1.0]);
    assert_eq!(which, Aware::default());
    assert_eq!(exact, other);
}

#[test]
fn a_hovering_body_is_free_already() {
    for v_bar in [-1.0, 1.0] {
        // It stays open within the margin that the step looks ahead.
        let mut w = slider(0.1001, -0.05, Contact::Ncp);
        assert_eq!(w.sim.constraint_modes(), [Mode::Breaking]);
        let (exact, other, which) = both(&mut w, &[v_bar]);
        assert_eq!(which, Aware::default());
        assert_eq!(exact, other);
        assert_eq!(exact.v, [v_bar]);
    }
}

/// A lift of 3 kg with a motor and a ball of 1 kg without, above it by the gap and coming closer at 0.05 m/s;
/// falling.
fn lift(gap: f64) -> World {
    let mut spec = ModelSpec::default();
    slide(&mut spec, "lift", Vec3::Z, at(0.0, 0.0, 0.0), 3.0);
    slide(&mut spec, "ball", Vec3::Z, at(0.0, 0.0, 0.2 + gap), 1.0);
    spec.actuators = vec![motor("lift_joint", 2.0)];
    let mut w = World::new(spec, Actuation::FromFile, &options(H));
    w.v[1] = -0.05;
    w.step();
    w
}

#[test]
fn an_open_contact_that_could_carry_holds() {
    let mut w = lift(1e-4);
    assert_eq!(w.sim.constraint_modes(), [Mode::Breaking]);
    let (exact, other, which) = both(&mut w, &[0.0, -1.0]);
    assert_eq!(exact.u, [0.0]);
    assert_eq!(which, ANOTHER(1));
    // One body of 4 kg, whose momentum the two share.
    assert!(
        relative_error(&other.v, &[-0.75, -0.25]) < 1e-12,
        "{other:?}"
    );
    assert!((other.u[0] + 2.0 * H / 4.0).abs() < 1e-15, "{other:?}");
    // To press the ball down no lift helps.
    let (_, _, which) = both(&mut w, &[0.0, 1.0]);
    assert_eq!(which, Aware::default());
}

#[test]
fn a_contact_that_carries_keeps_carrying() {
    let mut w = lift(0.0);
    assert_eq!(w.sim.constraint_modes(), [Mode::Sticking]);
    let (exact, other, which) = both(&mut w, &[0.0, -1.0]);
    // Let go it would have a larger v_bar, but no motor reaches the ball.
    assert_eq!(which, Aware::default());
    assert_eq!(exact, other);
    assert!((exact.u[0] + 2.0 * H / 4.0).abs() < 1e-15, "{exact:?}");
}

/// Two fingers on slides along x with motors, and a free ball between them in zero gravity.
fn grasp(gap: f64) -> World {
    let mut spec = ModelSpec {
        gravity: Vec3::ZERO,
        ..ModelSpec::default()
    };
    slide(&mut spec, "left", Vec3::X, at(-0.2 - gap, 0.0, 0.0), 1.0);
    slide(&mut spec, "right", Vec3::X, at(0.2 + gap, 0.0, 0.0), 1.0);
    free(&mut spec, "ball", at(0.0, 0.0, 0.0), 1.0, ball(0.1));
    spec.actuators = ["left_joint", "right_joint"].map(|j| motor(j, 1.0)).into();
    World::new(spec, Actuation::FromFile, &options(H))
}

/// Contacts that resist torsion and rolling are released and held like others, without effect on later steps;
/// so are the contacts beside them.
#[test]
fn contacts_that_resist_torsion_are_sorted_alike() {
    for (law, condim) in [
        (Contact::Ncp, 4),
        (Contact::Ncp, 6),
        (Contact::Lcp, 4),
        (Contact::Lcp, 6),
    ] {
        let mut spec = ModelSpec::default();
        ground(&mut spec, 0.5);
        // At rest on the ground, with torsion and without.
        slide(&mut spec, "turns", Vec3::Z, at(0.0, 0.0, 0.1), 2.0);
        let torsion = spec.geoms.len() - 1;
        slide(&mut spec, "plain", Vec3::Z, at(1.0, 0.0, 0.1), 2.0);
        // Just above a lift, and closing.
        slide(&mut spec, "lift", Vec3::Z, at(2.0, 0.0, 2.0), 3.0);
        slide(&mut spec, "ball", Vec3::Z, at(2.0, 0.0, 2.2 + 1e-4), 1.0);
        let above = spec.geoms.len() - 1;
        for g in [torsion, above] {
            spec.geoms[g].condim = condim;
            spec.geoms[g].friction = [0.5, 0.02, 0.01];
        }
        spec.actuators = ["turns_joint", "plain_joint", "lift_joint"]
            .map(|j| motor(j, 1.0))
            .into();
        let options = Options {
            contact: law,
            ..options(H)
        };
        let mut w = World::new(spec, Actuation::FromFile, &options);
        w.v[3] = -0.05;
        w.step();
        // Two are let go, of which one resists turning, and the ball comes to be carried.
        for (v_bar, resorted, v, dofs) in [
            ([-1.0, -1.0, 0.0, 0.0], 2, [-1.0, -1.0, 0.0, 0.0], 0..2),
            ([-1.0, 0.0, 0.0, 0.0], 1, [-1.0, 0.0, 0.0, 0.0], 0..1),
            ([0.0, 0.0, 0.0, -1.0], 1, [0.0, 0.0, -0.75, -0.25], 2..3),
        ] {
            let before = exact(&mut w.sim, &[0.0; 4], &v_bar);
            let (other, which) = aware(&mut w.sim, &[0.0; 4], &v_bar);
            assert_eq!(which, ANOTHER(resorted), "{law:?} {condim} {v_bar:?}");
            assert!(relative_error(&other.v, &v) < 1e-12, "{other:?}");
            let moved = other.u[dofs].iter().all(|u| *u < 0.0);
            assert!(moved, "{law:?} {condim} {other:?}");
            assert_eq!(before, exact(&mut w.sim, &[0.0; 4], &v_bar));
        }
        let (same, which) = aware(&mut w.sim, &[0.0; 4], &[1.0, 1.0, 0.0, 1.0]);
        assert_eq!(which, Aware::default(), "{law:?} {condim}");
        assert_eq!(same, exact(&mut w.sim, &[0.0; 4], &[1.0, 1.0, 0.0, 1.0]));
    }
}

#[test]
fn without_inputs_velocities_are_compared() {
    let mut spec = ModelSpec::default();
    ground(&mut spec, 0.5);
    slide(&mut spec, "ball", Vec3::Z, at(0.0, 0.0, 0.1), 2.0);
    let mut w = World::new(spec, Actuation::FromFile, &options(H));
    w.step();
    let (exact, other, which) = both(&mut w, &[-1.0]);
    assert_eq!((exact.v[0], other.v[0], which), (0.0, -1.0, ANOTHER(1)));
}

#[test]
fn a_bounce_that_no_input_reaches_keeps_its_exact_gradient() {
    let mut spec = ModelSpec::default();
    ground(&mut spec, 0.5);
    slide(&mut spec, "ball", Vec3::Z, at(0.0, 0.0, 0.1), 2.0);
    slide(&mut spec, "cart", Vec3::X, at(3.0, 0.0, 1.0), 2.0);
    spec.geoms[1].restitution = 0.5;
    spec.actuators = vec![motor("cart_joint", 1.0)];
    let mut w = World::new(spec, Actuation::FromFile, &options(H));
    w.v[0] = -1.0;
    w.step();
    assert_eq!(w.v[0], 0.5);
    let (exact, other, which) = both(&mut w, &[-1.0, -1.0]);
    assert_eq!(which, Aware::default());
    assert_eq!(exact, other);
}

#[test]
fn a_grasp_holds_by_what_is_open_and_lets_go_what_holds() {
    // Both fingers come closer, but not to the ball.
    let mut w = grasp(1e-4);
    (w.v[0], w.v[1]) = (0.05, -0.05);
    w.step();
    assert_eq!(w.sim.constraint_modes(), [Mode::Breaking; 2]);
    let mut to_the_right = vec![0.0; 8];
    to_the_right[2] = -1.0;
    let (exact, other, which) = both(&mut w, &to_the_right);
    assert_eq!(exact.u, [0.0, 0.0]);
    // The left finger pushes, the right one would pull.
    assert_eq!(which, ANOTHER(1));
    assert!(
        relative_error(&other.u, &[-H / 2.0, 0.0]) < 1e-12,
        "{other:?}"
    );

    // Squeezed, and the left finger is to go away.
    let mut w = grasp(0.0);
    (w.u[0], w.u[1]) = (1.0, -1.0);
    w.step();
    assert!(!w.sim.constraint_modes().contains(&Mode::Breaking));
    let mut to_the_left = vec![0.0; 8];
    to_the_left[0] = 1.0;
    let (exact, other, which) = both(&mut w, &to_the_left);
    assert_eq!(which, ANOTHER(1));
    // All three are one of 3 kg, or the finger is alone.
    assert!(
        relative_error(&exact.u, &[H / 3.0, H / 3.0]) < 1e-12,
        "{exact:?}"
    );
    assert!(relative_error(&other.u, &[H, 0.0]) < 1e-12, "{other:?}");
}

#[test]
fn a_passed_limit_is_let_go_too() {
    let mut spec = ModelSpec::default();
    let id = slide(&mut spec, "cart", Vec3::X, Pose::IDENTITY, 2.0);
    spec.bodies[id].joints[0].limits = Some((-1.0, 0.0));
    let mut w = World::new(spec, Actuation::Full, &options(H));
    w.u[0] = 1.0;
    w.step();
    assert_eq!(w.sim.constraint_modes(), [Mode::Sticking]);
    let (exact, other, which) = both(&mut w, &[1.0]);
    assert_eq!((exact.u[0], which), (0.0, ANOTHER(1)));
    assert!((other.u[0] - H / 2.0).abs() < 1e-18, "{other:?}");
    assert_eq!(both(&mut w, &[-1.0]).2, Aware::default());
}

#[test]
fn an_open_contact_that_slips_comes_to_slide() {
    // A ball that a motor pushes along x while a finger hovers at its side, and slips along y.
    let mut spec = ModelSpec {
        gravity: Vec3::ZERO,
        ..ModelSpec::default()
    };
    slide(&mut spec, "finger", Vec3::X, at(-0.2001, 0.0, 0.0), 1.0);
    let friction = 0.4;
    spec.geoms[0].friction[0] = friction;
    spec.geoms[0].priority = 1;
    let id = body(
        &mut spec,
        "ball",
        JointKind::Prismatic,
        at(0.0, 0.0, 0.0),
        1.0,
        ball(0.1),
    );
    let mut x = JointSpec::new("x", JointKind::Prismatic);
    x.axis = Vec3::X;
    let mut y = JointSpec::new("y", JointKind::Prismatic);
    y.axis = Vec3::Y;
    spec.bodies[id].joints = vec![x, y];
    spec.actuators = vec![motor("finger_joint", 1.0)];
    let model = Model::compile(spec, Actuation::FromFile).unwrap();
    for (law, slip, share) in [
        (Contact::Ncp, 0.0, 0.0),
        (Contact::Ncp, 0.3, friction),
        (Contact::Lcp, 0.3, friction),
    ] {
        let options = Options {
            contact: law,
            ..options(H)
        };
        let mut w = World::of(model.clone(), &options);
        w.v.copy_from_slice(&[0.05, 0.0, slip]);
        w.step();
        assert_eq!(w.sim.constraint_modes(), [Mode::Breaking]);
        let (_, other, which) = both(&mut w, &[0.0, -1.0, 0.0]);
        assert_eq!(which, ANOTHER(1), "{slip}");
        assert!((other.u[0] + H / 2.0).abs() < 1e-9, "{other:?}");
        // What a push brakes along y is the friction of that push, against the slip.
        let (_, braked, which) = both(&mut w, &[0.0, -1.0, 0.5]);
        let by_push = -1.0 - 0.5 * share;
        assert_eq!(which, ANOTHER(1), "{slip}");
        assert!(
            (braked.u[0] - by_push * H / 2.0).abs() < 1e-8,
            "{slip}: {braked:?}"
        );
    }
}

/// A quadruped that falls, lands or stands, by seed.
fn robot(seed: u64, law: Contact) -> World {
    let model = quadruped(false);
    let mut rng = Rng::new(seed);
    let q = standing(&model);
    let options = Options {
        contact: law,
        ..options(2e-3)
    };
    let mut w = World::of(model, &options);
    w.q = q;
    w.v = rng.vector(w.v.len(), 0.4);
    w.v[2] = -0.3;
    w.u = rng.vector(w.u.len(), 1.0);
    for _ in 0..1 + 2 * seed {
        w.step();
    }
    w
}

/// Boxes and balls of several trees, some of them about to touch.
fn heap(seed: u64) -> World {
    let mut spec = ModelSpec::default();
    let mut rng = Rng::new(seed);
    ground(&mut spec, 0.6);
    for k in 0..9 {
        let (x, y, z) = (0.16 * (k % 3) as f64, 0.16 * ((k / 3) % 3) as f64, 0.05);
        let shape = if k % 2 == 0 {
            ball(0.05)
        } else {
            cuboid(0.06, 0.05, 0.05)
        };
        let lift = rng.range(0.0, 0.002);
        free(&mut spec, &format!("b{k}"), at(x, y, z + lift), 1.0, shape);
    }
    let mut w = World::new(spec, Actuation::Full, &options(2e-3));
    w.v = rng.vector(w.v.len(), 0.3);
    for _ in 0..1 + seed % 3 {
        w.step();
    }
    w
}

fn jacobians(sim: &mut Sim) -> [Vec<f64>; 2] {
    let (nv, nu, np) = (sim.model().nv(), sim.model().nu(), sim.np());
    let sizes = [nv, nv, nu, np];
    let mut q = sizes.map(|n| vec![f64::NAN; nv * n]);
    let mut v = q.clone();
    sim.step_jacobians(all_jacobians(&mut q, &mut v)).unwrap();
    [q.concat(), v.concat()]
}

#[test]
fn it_is_never_smaller_and_leaves_nothing_behind() {
    // Of robots, whose problems are dense, and of heaps by trees.
    let mut taken = [[0; 2]; 2];
    let robots = [Contact::Ncp, Contact::Lcp].into_iter();
    let robots = robots.flat_map(|law| (0..8).map(move |seed| (0, robot(seed, law))));
    for (kind, mut w) in robots.chain((0..6).map(|seed| (1, heap(seed)))) {
        let friction = param(ParamKind::GeomFriction, 0, 0);
        w.sim
            .select_params(&[param(ParamKind::BodyInertia, 1, 0), friction])
            .unwrap();
        let nv = w.v.len();
        let mut rng = Rng::new(5);
        for seed in 0..4 {
            let q_bar = rng.vector(nv, 0.1);
            let v_bar = match seed {
                0 => (0..nv)
                    .map(|k| if k % 6 == 2 { -1.0 } else { 0.0 })
                    .collect(),
                _ => rng.vector(nv, 1.0),
            };
            let before = exact(&mut w.sim, &q_bar, &v_bar);
            let columns = (seed % 2 == 0).then(|| jacobians(&mut w.sim));
            let (found, which) = aware(&mut w.sim, &q_bar, &v_bar);
            let after = exact(&mut w.sim, &q_bar, &v_bar);
            assert_eq!(before, after);
            let columns_after = jacobians(&mut w.sim);
            if let Some(columns) = columns {
                assert_eq!(columns, columns_after);
            }
            let (again, also) = aware(&mut w.sim, &q_bar, &v_bar);
            assert_eq!((&found, which), (&again, also));
            taken[kind][usize::from(which.other)] += 1;
            assert_eq!(which.other, which.resorted > 0);
            if which.other {
                assert!(norm(&found.u) > norm(&before.u), "{which:?}");
            } else {
                assert_eq!(found, before);
            }
        }
    }
    assert!(taken.as_flattened().iter().all(|n| *n >= 8), "{taken:?}");
}

#[test]
fn jacobians_are_those_without_it_to_the_bit() {
    for seed in 0..4 {
        let [mut plain, mut asked] = [0; 2].map(|_| robot(seed, Contact::Ncp));
        let nv = plain.v.len();
        let v_bar: Vec<f64> = (0..nv).map(|k| if k == 2 { -1.0 } else { 0.0 }).collect();
        let none = vec![0.0; nv];
        aware(&mut asked.sim, &none, &v_bar);
        assert_eq!(jacobians(&mut plain.sim), jacobians(&mut asked.sim));
        assert_eq!(
            exact(&mut plain.sim, &none, &v_bar),
            exact(&mut asked.sim, &none, &v_bar)
        );
        // And so are the steps to come.
        plain.step();
        asked.step();
        assert_eq!((plain.q, plain.v), (asked.q, asked.v));
    }
}

#[test]
fn laws_without_modes_and_steps_without_contacts_have_the_exact_one_only() {
    let mut convex = robot(8, Contact::Convex);
    assert!(!convex.sim.contacts().is_empty());
    let mut none = robot(1, Contact::None);
    let mut high = slider(3.0, 0.0, Contact::Ncp);
    for w in [&mut convex, &mut none, &mut high] {
        let v_bar: Vec<f64> = (0..w.v.len()).map(|k| -1.0 - k as f64).collect();
        let (exact, other, which) = both(w, &v_bar);
        assert_eq!((exact, which), (other, Aware::default()));
    }
}

/// Balls with motors along z that rest on the ground.
fn resting() -> Arc<Model> {
    let mut spec = ModelSpec::default();
    ground(&mut spec, 0.5);
    let id = slide(&mut spec, "one", Vec3::Z, at(0.0, 0.0, 0.1), 2.0);
    spec.geoms
        .push(GeomSpec::new("other", id, at(1.0, 0.0, 0.0), ball(0.1)));
    Arc::new(Model::compile(spec, Actuation::Full).unwrap())
}

#[test]
fn a_rollout_that_knows_complementarity_finds_the_way_up() {
    let (steps, model) = (20, resting());
    let (mut q_bar, v_bar) = (vec![0.0; steps + 1], vec![0.0; steps + 1]);
    q_bar[steps] = -1.0;
    let mut found = Vec::new();
    for (aware_gradient, interval) in [(false, 1), (true, 1), (true, 7)] {
        let options = Options {
            aware_gradient,
            checkpoint_interval: interval,
            ..options(H)
        };
        let mut rollout = Rollout::new(model.clone(), &options, steps).unwrap();
        assert_eq!(rollout.aware().unwrap_err().status, Status::NoStep);
        rollout
            .run(&[0.0], &[0.0], &vec![0.0; steps], steps, None, None)
            .unwrap();
        assert_eq!(rollout.aware().unwrap_err().status, Status::NoStep);
        let (mut u, mut v0) = (vec![0.0; steps], [0.0]);
        rollout
            .adjoint(&q_bar, &v_bar, None, Some(&mut v0), Some(&mut u), None)
            .unwrap();
        let report = rollout.aware().unwrap();
        if aware_gradient {
            // Without the ground the height at the end is T v₀ and h² u (1 + … + steps) / m.
            assert_eq!(
                report,
                AwareSteps {
                    steps,
                    resorted: 2 * steps
                }
            );
            assert!((v0[0] + H * steps as f64).abs() < 1e-12, "{v0:?}");
            let expected: Vec<f64> = (0..steps)
                .map(|k| -H * H / 2.0 * (steps - k) as f64)
                .collect();
            assert!(relative_error(&u, &expected) < 1e-9, "{u:?}");
            found.push(u);
        } else {
            assert_eq!((report, v0[0], norm(&u)), (AwareSteps::default(), 0.0, 0.0));
        }
    }
    assert_eq!(found[0], found[1]);
}

#[test]
fn a_batch_keeps_to_the_exact_gradient() {
    let options = Options {
        aware_gradient: true,
        ..options(H)
    };
    let mut batch = Batch::new(resting(), &options, 2, 2).unwrap();
    let (zero, mut q, mut v) = ([0.0; 2], [0.0; 2], [0.0; 2]);
    let mut each = [Status::Internal; 2];
    batch
        .step(&zero, &zero, &zero, &mut q, &mut v, &mut each)
        .unwrap();
    let mut u_bar = [7.0; 2];
    let out = BatchAdjoint {
        u_bar: Some(&mut u_bar),
        ..BatchAdjoint::default()
    };
    batch.step_vjp(&zero, &[-1.0; 2], out, &mut each).unwrap();
    assert_eq!((each, u_bar), ([Status::Ok; 2], [0.0; 2]));
}

#[test]
fn bad_arguments_are_refused_and_nothing_is_written() {
    let mut w = slider(0.1, 0.0, Contact::Ncp);
    let mut out = [7.0];
    let ask = |sim: &mut Sim, q: &[f64], v: &[f64], out: &mut [f64]| {
        sim.step_vjp_aware(q, v, Some(out), None, None, None)
            .map_err(|e| (e.status, e.message))
    };
    for (q, v, status, name) in [
        (&[f64::NAN][..], &[0.0][..], Status::Numerical, "q_next_bar"),
        (&[0.0], &[f64::INFINITY], Status::Numerical, "v_next_bar"),
        (&[0.0, 0.0], &[0.0], Status::InvalidArgument, "q_next_bar"),
        (&[0.0], &[], Status::InvalidArgument, "v_next_bar"),
    ] {
        let (found, message) = ask(&mut w.sim, q, v, &mut out).unwrap_err();
        assert_eq!(found, status);
        assert!(message.contains(name), "{message}");
    }
    let (status, message) = ask(&mut w.sim, &[0.0], &[0.0], &mut [0.0, 0.0]).unwrap_err();
    assert!(
        status == Status::InvalidArgument && message.contains("q_bar"),
        "{message}"
    );
    assert_eq!(out, [7.0]);
    assert_eq!(w.sim.aware().unwrap_err().status, Status::NoStep);
    // A step forgets what the one before it was asked.
    both(&mut w, &[-1.0]);
    w.step();
    assert_eq!(w.sim.aware().unwrap_err().status, Status::NoStep);
    w.sim.reset();
    let (status, _) = ask(&mut w.sim, &[0.0], &[0.0], &mut out).unwrap_err();
    assert_eq!(status, Status::NoStep);
}
