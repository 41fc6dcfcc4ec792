//! Labels at switches that only round-off hides: where bodies touch and nothing presses, no derivative is
//! exact.

use crate::common::Rng;
use crate::common::scene::{at, ball, body, cuboid, free, ground, on_ground, options};
use crate::common::sides::{APART, Walk};
use diffsim::model::spec::{JointKind, ModelSpec};
use diffsim::model::{Actuation, Model};
use diffsim::spatial::{Pose, Quat, Vec3};
use diffsim::step::{Contact, Gradient, Options, Sim};
use std::f64::consts::PI;
use std::sync::Arc;

fn walk(mut spec: ModelSpec, gravity: f64, options: &Options) -> Walk {
    spec.gravity = Vec3::Z * -gravity;
    let model = Arc::new(Model::compile(spec, Actuation::Full).unwrap());
    let q = model.neutral().to_vec();
    Walk::new(Sim::new(model, options).unwrap(), q)
}

/// The step is one-sided, and its sides differ.
fn one_sided(mut w: Walk) {
    let found = w.look(&vec![0.0; w.v.len()], 3);
    assert_eq!(found.label, Gradient::OneSided, "{found:?}");
    assert!(found.apart > APART, "{found:?}");
}

/// At the world's origin the point of contact has no coordinates, but gaps are differences of sizes and
/// places all the same. Such steps were exact: an impulse of 1e-48 counted as a load, as it was the largest
/// there was, and a speed of 1e-17 as parting.
#[test]
fn speeds_of_round_off_neither_press_nor_part_what_touches() {
    for speed in [0.0, 1e-48, -1e-48, 1e-30, -1e-30, 1e-17, -1e-17] {
        let mut spec = ModelSpec::default();
        ground(&mut spec, 0.5);
        let place = at(0.0, 0.0, 0.25);
        let id = body(
            &mut spec,
            "ball",
            JointKind::Prismatic,
            place,
            1.0,
            ball(0.25),
        );
        spec.bodies[id].joints[0].axis = Vec3::Z;
        let mut w = walk(spec, 0.0, &options(1e-4));
        w.v[0] = speed;
        one_sided(w);

        let mut w = walk(on_ground(0.5, 0.05, 1.0, ball(0.05)), 0.0, &options(1e-5));
        w.v[2] = speed;
        one_sided(w);
    }
}

/// Beside a time step of 1e-5 s a gap of 1e-15 m is 1e-10 m/s, and was a switch only where something else was
/// faster.
#[test]
fn gaps_of_round_off_are_none_at_any_time_step() {
    for h in [1e-2, 1e-3, 1e-4, 1e-5] {
        for (gap, shape) in [
            (1e-15, ball(0.1)),
            (-1e-15, ball(0.1)),
            (1e-15, cuboid(0.1, 0.1, 0.1)),
            (-1e-15, cuboid(0.1, 0.1, 0.1)),
        ] {
            for gravity in [0.0, 9.81] {
                for condim in [3, 4, 6] {
                    let mut spec = on_ground(0.5, 0.1, 1.0, shape.clone());
                    spec.geoms.iter_mut().for_each(|g| g.condim = condim);
                    let mut w = walk(spec, gravity, &options(h));
                    w.q[2] += gap;
                    // What the step's weight takes away.
                    w.v[2] = gravity * h;
                    one_sided(w);
                }
            }
        }
    }
}

/// A box that leaves the ground at 1e-9 m/s, 1e-12 m above it, with nothing faster in the scene, had the
/// largest distance from a switch, because contacts that do not close were measured by themselves.
#[test]
fn what_hovers_is_near_a_switch_if_nothing_is_faster() {
    let mut spec = on_ground(0.5, 0.1, 1.0, cuboid(0.1, 0.1, 0.1));
    free(
        &mut spec,
        "other",
        at(0.0, 0.0, 0.3),
        1.0,
        cuboid(0.1, 0.1, 0.1),
    );
    let mut w = walk(spec, 0.0, &options(1e-3));
    w.q[2] += 1.1e-12;
    w.q[9] += 1.1e-12;
    w.v[8] = 1e-9;
    w.step(&[0.0; 12]);
    let info = w.sim.step_info().unwrap();
    assert!(info.contacts > 0 && info.switch_distance < 1e-4, "{info:?}");
}

/// Two balls touch in free fall: of 60 fourteen steps were exact, as round-off in their tangents brought
/// impulses of 1e-50, which were measured by themselves.
#[test]
fn bodies_that_touch_in_free_fall_are_at_a_switch() {
    let mut rng = Rng::new(11);
    let mut exact = 0;
    for _ in 0..60 {
        let mut spec = ModelSpec::default();
        let axis = Vec3::new(
            rng.range(-1.0, 1.0),
            rng.range(-1.0, 1.0),
            rng.range(-1.0, 1.0),
        );
        let axis = axis * axis.norm().recip();
        let place = Vec3::new(rng.range(-1.0, 1.0), rng.range(-1.0, 1.0), 0.5);
        let turned = |rng: &mut Rng, at: Vec3| {
            let by = Vec3::new(rng.range(-PI, PI), rng.range(-PI, PI), rng.range(-PI, PI));
            Pose::from_quat(Quat::exp(by).normalized(), at)
        };
        let h = [1e-2, 1e-4][rng.below(2)];
        for (name, along) in [("one", 0.0), ("other", 0.2)] {
            let pose = turned(&mut rng, place + axis * along);
            free(&mut spec, name, pose, 1.0, ball(0.1));
        }
        for g in &mut spec.geoms {
            g.friction[0] = 1.0;
        }
        let mut w = walk(spec, 9.81, &options(h));
        let found = w.look(&[0.0; 12], 1);
        assert!(found.apart > APART, "{found:?}");
        exact += usize::from(found.label != Gradient::OneSided);
    }
    assert_eq!(exact, 0);
}

/// Beside a ball that lands one arrives at the ground at the end of the step: at 5e-12 of the speed at hand
/// from it, too, which nobody sees. Such steps were exact, and their columns off by their own size.
#[test]
fn compliant_contact_that_just_begins_is_at_a_switch() {
    let options = Options {
        contact: Contact::Convex,
        ..options(1e-2)
    };
    for off in [0.0, 5e-12, -5e-12, 1e-10] {
        let mut spec = on_ground(0.0, 0.101, 1.0, ball(0.1));
        free(&mut spec, "other", at(1.0, 0.0, 0.102), 1.0, ball(0.1));
        let mut w = walk(spec, 0.0, &options);
        (w.v[2], w.v[8]) = (-0.1 + off, -1.0);
        one_sided(w);
    }
}

/// What rests is far from every switch, however small its steps and light its load.
#[test]
fn what_rests_is_exact_at_any_time_step() {
    for contact in [Contact::Ncp, Contact::Convex] {
        for h in [1e-2, 1e-4, 1e-6] {
            let options = Options {
                contact,
                ..options(h)
            };
            let mut w = walk(
                on_ground(0.5, 0.1, 1.0, cuboid(0.1, 0.1, 0.1)),
                9.81,
                &options,
            );
            // Compliant contact begins with the first step.
            w.step(&[0.0; 6]);
            for _ in 0..3 {
                assert_eq!(w.step(&[0.0; 6]), Gradient::Exact, "{contact:?} {h}");
            }
        }
    }
}
