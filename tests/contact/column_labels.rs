//! Labels of single columns: a column is called exact only if both sides have it, and a switch concerns
//! only the columns that reach it.

use crate::common::Rng;
use crate::common::scene::{at, ball, body, cuboid, free, ground, on_ground, options};
use crate::common::sides::{Labelled, Walk};
use diffsim::error::Status;
use diffsim::load::mjcf::{MjcfOptions, read_str};
use diffsim::model::spec::{JointKind, ModelSpec};
use diffsim::model::{Actuation, Model};
use diffsim::spatial::Vec3;
use diffsim::step::{Contact, Gradient, Options, Sim};
use std::sync::Arc;

const LAWS: [Contact; 3] = [Contact::Ncp, Contact::Lcp, Contact::Convex];

fn walk(spec: ModelSpec, options: &Options) -> Walk {
    let model = Arc::new(Model::compile(spec, Actuation::Full).unwrap());
    let q = model.neutral().to_vec();
    Walk::new(Sim::new(model, options).unwrap(), q)
}

fn law(contact: Contact, h: f64) -> Options {
    Options {
        contact,
        ..options(h)
    }
}

fn weightless() -> ModelSpec {
    ModelSpec {
        gravity: Vec3::ZERO,
        ..ModelSpec::default()
    }
}

/// A hinge across a limit at zero, with dry friction of 1 N m.
fn arm(spec: &mut ModelSpec, name: &str, limit: f64) {
    let place = at(3.0 * spec.bodies.len() as f64, 0.0, 2.0);
    let arm = body(spec, name, JointKind::Revolute, place, 1.0, ball(0.1));
    let j = &mut spec.bodies[arm].joints[0];
    (j.friction_loss, j.limits) = (1.0, Some((limit, limit + 1.0)));
}

/// Columns called one-sided, by their place in q, v, u.
fn one_sided(found: &[Labelled]) -> Vec<usize> {
    let list = found.iter().enumerate();
    list.filter(|(_, x)| x.one_sided).map(|(k, _)| k).collect()
}

fn check(found: &[Labelled]) {
    for (k, x) in found.iter().enumerate() {
        assert!(!x.is_wrong(), "column {k}: {x:?}");
    }
}

/// Of two arms one is on its limit, where friction alone holds it: only its angle tells the sides apart.
/// Pressed by twice its friction it is exact.
#[test]
fn a_limit_with_friction_concerns_the_angle_alone() {
    for (force, expected) in [(-0.5, &[0][..]), (-2.0, &[][..]), (0.5, &[0][..])] {
        let mut spec = weightless();
        arm(&mut spec, "on", 0.0);
        arm(&mut spec, "off", -0.5);
        let mut w = walk(spec, &law(Contact::Ncp, 1e-2));
        let (label, found) = w.labelled(&[force, 3.0]);
        check(&found);
        assert_eq!(one_sided(&found), expected, "{force}");
        let is_exact = label == Gradient::Exact;
        assert_eq!(is_exact, expected.is_empty(), "{force}");
    }
}

/// Dry friction exactly at its bound concerns every column that its dof feels, and none of another tree.
#[test]
fn friction_at_its_bound_concerns_its_tree() {
    for contact in LAWS {
        let mut spec = weightless();
        arm(&mut spec, "slips", -0.5);
        arm(&mut spec, "other", -0.5);
        let mut w = walk(spec, &law(contact, 1e-2));
        let (label, found) = w.labelled(&[1.0, 0.2]);
        check(&found);
        if contact != Contact::Convex {
            assert_eq!(label, Gradient::OneSided);
            let own = one_sided(&found);
            assert!(
                own.contains(&2) && own.contains(&4),
                "{contact:?}: v and u of the arm, not {own:?}"
            );
            assert!(own.iter().all(|k| k % 2 == 0), "{contact:?}: {own:?}");
        }
    }
}

/// One ball just touches the ground, another flies and a third lies.
#[test]
fn a_contact_without_load_concerns_its_body() {
    for contact in LAWS {
        let mut spec = weightless();
        ground(&mut spec, 0.5);
        for (name, x, z) in [("touches", 0.0, 0.1), ("flies", 1.0, 0.5)] {
            free(&mut spec, name, at(x, 0.0, z), 1.0, ball(0.1));
        }
        let mut w = walk(spec, &law(contact, 1e-2));
        let (label, found) = w.labelled(&[0.0; 12]);
        assert_eq!(label, Gradient::OneSided, "{contact:?}");
        check(&found);
        let own = one_sided(&found);
        // Along the normal: z of q, v and u.
        for k in [2, 12 + 2, 24 + 2] {
            assert!(own.contains(&k), "{contact:?}: column {k} of {own:?}");
        }
        assert!(own.iter().all(|k| k % 12 < 6), "{contact:?}: {own:?}");
        // Turning about the normal is felt by nothing.
        assert!(
            !own.contains(&5) && !own.contains(&(12 + 5)),
            "{contact:?}: {own:?}"
        );
    }
}

/// A compliant contact has a kink at gap zero. A box that just touches the ground and slides has it only in
/// the columns of motions that move a gap.
#[test]
fn a_kink_at_gap_zero_concerns_motions_that_move_the_gap() {
    let mut w = walk(
        on_ground(0.5, 0.1, 1.0, cuboid(0.1, 0.1, 0.1)),
        &law(Contact::Convex, 1e-3),
    );
    w.v[0] = 0.3;
    let (label, found) = w.labelled(&[0.0; 6]);
    assert_eq!(label, Gradient::OneSided);
    check(&found);
    assert_eq!(one_sided(&found), [2, 3, 4]);
}

/// The push-out of a ball that slides would throw it. It is given up at nearby states, too, so that the
/// derivative is exact, but for the speed from which the ball is thrown.
#[test]
fn a_push_out_that_would_throw_is_one_sided_at_its_bound_alone() {
    let sliding = |speed: f64| {
        let mut w = walk(
            on_ground(0.5, 0.099, 1.0, ball(0.1)),
            &law(Contact::Convex, 1e-3),
        );
        w.v[0] = speed;
        w
    };
    let gives_up = |speed: f64| {
        let mut w = sliding(speed);
        w.step(&[0.0; 6]);
        w.sim.step_info().unwrap().push_out_given_up
    };
    let mut w = sliding(10.0);
    let (label, found) = w.labelled(&[0.0; 6]);
    assert!(gives_up(10.0));
    assert_eq!(label, Gradient::Exact);
    check(&found);
    let mut speed = [1.0, 10.0];
    for _ in 0..60 {
        let middle = 0.5 * (speed[0] + speed[1]);
        speed[usize::from(gives_up(middle))] = middle;
    }
    for (speed, given_up) in speed.into_iter().zip([false, true]) {
        assert_eq!(gives_up(speed), given_up);
        let mut w = sliding(speed);
        assert_eq!(w.step(&[0.0; 6]), Gradient::OneSided);
        let labels = w.sim.column_labels().unwrap();
        assert!(labels.q.iter().chain(labels.v).all(|x| *x == 1));
    }
}

/// A box on the edge of its cone, pushed along x, and a second one at rest.
#[test]
fn an_impulse_on_the_edge_of_its_cone_concerns_its_body() {
    for contact in [Contact::Ncp, Contact::Lcp] {
        let mut spec = ModelSpec::default();
        ground(&mut spec, 0.5);
        for (name, x) in [("pushed", 0.0), ("rests", 2.0)] {
            free(&mut spec, name, at(x, 0.0, 0.1), 1.0, ball(0.1));
        }
        spec.geoms.iter_mut().for_each(|g| g.friction[0] = 0.5);
        let mut w = walk(spec, &law(contact, 1e-2));
        // A ball that does not roll slips where the push beyond rolling exceeds friction: force at the
        // centre and a torque that only friction balances.
        let mut u = [0.0; 12];
        (u[0], u[4]) = (0.5 * 9.81, -0.1 * 0.5 * 9.81);
        let (label, found) = w.labelled(&u);
        check(&found);
        if label == Gradient::OneSided {
            let own = one_sided(&found);
            assert!(!own.is_empty() && own.iter().all(|k| k % 12 < 6), "{own:?}");
        }
    }
}

/// An input at its clamp concerns this input alone.
#[test]
fn an_input_at_its_clamp_is_one_column() {
    let text = r#"<mujoco><worldbody>
        <body><joint name="a" axis="0 1 0"/><geom size="0.1" pos="0.3 0 0"/>
          <body pos="0.5 0 0"><joint name="b" axis="0 1 0"/><geom size="0.1" pos="0.3 0 0"/></body></body>
      </worldbody><actuator>
        <motor joint="a" ctrlrange="-1 1"/><motor joint="b" ctrlrange="-1 1"/></actuator></mujoco>"#;
    let spec = read_str(text, None, &MjcfOptions::default()).unwrap();
    let model = Arc::new(Model::compile(spec, Actuation::FromFile).unwrap());
    let q = model.neutral().to_vec();
    for contact in [Contact::None, Contact::Ncp] {
        let mut w = Walk::new(
            Sim::new(model.clone(), &law(contact, 1e-3)).unwrap(),
            q.clone(),
        );
        let (label, found) = w.labelled(&[0.3, 1.0]);
        assert_eq!(label, Gradient::OneSided);
        check(&found);
        assert_eq!(one_sided(&found), [5], "{contact:?}");
    }
}

/// Trees and stacks in random states at switches, with every law and two schemes.
#[test]
fn columns_called_exact_are_those_of_both_sides() {
    let mut rng = Rng::new(11);
    let (mut steps, mut columns, mut labelled, mut needless) = (0, 0, 0, 0);
    for scene in 0..36 {
        let contact = LAWS[scene % 3];
        let mut spec = if scene % 2 == 0 {
            ModelSpec::default()
        } else {
            weightless()
        };
        ground(&mut spec, 0.6);
        for k in 0..3 {
            arm(
                &mut spec,
                &format!("arm{k}"),
                [0.0, -0.3, -1.0][rng.below(3)],
            );
        }
        for k in 0..2 {
            let shape = if rng.below(2) == 0 {
                ball(0.1)
            } else {
                cuboid(0.1, 0.1, 0.1)
            };
            let place = at(k as f64, 5.0, 0.1 + [0.0, 0.0, 0.3][rng.below(3)]);
            free(&mut spec, &format!("free{k}"), place, 1.0, shape);
        }
        let mut w = walk(spec, &law(contact, 5e-3));
        let nv = w.v.len();
        if rng.below(2) == 0 {
            for k in 0..nv {
                w.v[k] = [0.0, 0.0, rng.range(-1.0, 1.0)][rng.below(3)];
            }
        }
        let u: Vec<f64> = (0..nv)
            .map(|_| [0.0, 1.0, -1.0, rng.range(-3.0, 3.0)][rng.below(4)])
            .collect();
        for _ in 0..3 {
            let (label, found) = w.labelled(&u);
            if label == Gradient::Exact {
                assert!(one_sided(&found).is_empty());
                continue;
            }
            steps += 1;
            columns += found.len();
            for (k, x) in found.iter().enumerate() {
                assert!(
                    !x.is_wrong(),
                    "scene {scene} {contact:?}, column {k}: {x:?}"
                );
                labelled += usize::from(x.one_sided);
                needless += usize::from(x.is_needless());
            }
        }
    }
    println!(
        "{steps} one-sided steps, {columns} columns, {labelled} labelled, {needless} of them alike"
    );
    assert!(steps > 20 && 3 * labelled < 2 * columns);
}

/// Labels exist after a step only, and need the workspace of derivatives.
#[test]
fn labels_need_a_step() {
    let spec = || on_ground(0.5, 0.1, 1.0, ball(0.1));
    let mut w = walk(spec(), &options(1e-2));
    let error = w.sim.column_labels().unwrap_err();
    assert_eq!(error.status, Status::NoStep);
    w.step(&[0.0; 6]);
    assert!(w.sim.column_labels().is_ok());
    let plain = Options {
        derivatives: false,
        ..options(1e-2)
    };
    let mut plain = walk(spec(), &plain);
    let (mut q, mut v) = (plain.q.clone(), plain.v.clone());
    (plain.sim)
        .step(&plain.q, &plain.v, &[0.0; 6], &mut q, &mut v)
        .unwrap();
    assert!(plain.sim.column_labels().is_err());
}

/// A box without spin that friction nearly stops within the step. The derivative by its spin is that of slip
/// directions, which must be solved to round-off, from a cold start as from the last step. The impulse of its
/// four corners is not unique, and must not jump where the box begins to spin.
#[test]
fn columns_of_a_box_that_slides_are_exact() {
    let mut rng = Rng::new(11);
    let mut compared = 0;
    for k in 0..24 {
        let (friction, h) = [(0.05, 1e-2), (0.5, 2e-3), (1.0, 5e-3)][k % 3];
        let contact = LAWS[k % 2];
        let shape = cuboid(rng.range(0.05, 0.15), rng.range(0.05, 0.15), 0.03);
        let mut w = walk(on_ground(friction, 0.03, 1.0, shape), &law(contact, h));
        let turn = rng.range(0.0, 6.0);
        let speed = rng.range(1.1, 2.3) * friction * 9.81 * h;
        (w.v[0], w.v[1]) = (speed * turn.cos(), speed * turn.sin());
        for _ in 0..2 {
            let (_, found) = w.labelled(&[0.0; 6]);
            check(&found);
            compared += found.iter().filter(|x| x.off.is_some()).count();
        }
    }
    assert!(compared > 500, "{compared}");
}
