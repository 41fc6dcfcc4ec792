//! What a caller's sizes cost, and that sizes beyond the memory are refused.

mod common;

use common::scene::*;
use diffsim::error::Status;
use diffsim::model::spec::{ActuatorSpec, JointKind, ModelSpec};
use diffsim::model::{Actuation, Model};
use diffsim::rollout::Rollout;
use diffsim::step::{Contact, Options};
use std::sync::Arc;

fn rows_of_balls(n: usize) -> ModelSpec {
    let mut spec = ModelSpec::default();
    ground(&mut spec, 0.5);
    for i in 0..n {
        let place = at(0.3 * i as f64, 0.0, 0.099);
        free(&mut spec, &format!("ball{i}"), place, 1.0, ball(0.1));
    }
    spec
}

/// Once "64 do not suffice", whatever the model: 65 bodies that stand beside each other were an error.
#[test]
fn room_for_contacts_follows_the_model() {
    let mut w = World::new(rows_of_balls(100), Actuation::Full, &options(1e-3));
    w.step();
    assert_eq!(w.sim.contacts().len(), 100);
    assert_eq!(w.sim.options().max_contacts, 32 + 8 * 100);
    let w = World::new(ModelSpec::default(), Actuation::Full, &options(1e-3));
    assert_eq!(w.sim.options().max_contacts, 32);
}

/// The error says how many contacts there are, of which geoms, and what can be done.
#[test]
fn too_many_contacts_are_counted_and_named() {
    let mut spec = rows_of_balls(9);
    let boxes = [("plate", 2.0, 0.05), ("lid", 2.2, 0.149)];
    for (name, y, z) in boxes {
        free(&mut spec, name, at(0.0, y, z), 1.0, cuboid(0.5, 0.5, 0.05));
    }
    let few = Options {
        max_contacts: 5,
        ..options(1e-3)
    };
    let mut w = World::new(spec.clone(), Actuation::Full, &few);
    let (mut q, mut v) = (w.q.clone(), w.v.clone());
    let u = vec![0.0; v.len()];
    let e = w.sim.step(&w.q, &w.v, &u, &mut q, &mut v).unwrap_err();
    let geometry = w.sim.collide(&w.q).unwrap_err();
    let none = Options {
        contact: Contact::None,
        ..few
    };
    let mut without = World::new(spec, Actuation::Full, &none);
    let without = without.sim.collide(&w.q).unwrap_err();
    for e in [e, geometry, without] {
        assert_eq!(e.status, Status::Capacity);
        for part in [
            "options.max_contacts: 5 do not suffice for 17 contacts",
            "4 of \"ground\" and \"plate\"",
            "4 of \"plate\" and \"lid\"",
            "exclude_overlapping",
            "ds_sim_set_pair_enabled",
            "margins",
        ] {
            assert!(e.message.contains(part), "{part}: {e}");
        }
    }
}

/// As many steps as there are numbers: once a panic in the first run, as the number of states wrapped to none.
#[test]
fn more_steps_than_any_array_has_entries_are_refused() {
    let model = Arc::new(Model::compile(ModelSpec::default(), Actuation::FromFile).unwrap());
    for contact in [Contact::Ncp, Contact::Convex, Contact::None] {
        for interval in [1, 7, usize::MAX] {
            let o = Options {
                contact,
                checkpoint_interval: interval,
                ..options(1e-3)
            };
            let e = Rollout::new(model.clone(), &o, usize::MAX).unwrap_err();
            assert_eq!(e.status, Status::Capacity);
            assert!(e.message.contains("max_steps"), "{e}");
            let mut rollout = Rollout::new(model.clone(), &o, 5).unwrap();
            rollout.run(&[], &[], &[], 5, None, None).unwrap();
        }
    }
}

/// Once accepted, and a panic in the first step.
#[test]
fn an_actuator_of_a_fixed_joint_is_refused() {
    let mut spec = ModelSpec::default();
    let shape = cuboid(0.1, 0.1, 0.1);
    let id = body(
        &mut spec,
        "post",
        JointKind::Fixed,
        at(0.0, 0.0, 0.0),
        1.0,
        shape,
    );
    spec.actuators.push(ActuatorSpec {
        name: "motor".into(),
        joint: spec.bodies[id].joints[0].name.clone(),
        gear: [1.0; 6],
        gain: 1.0,
        bias: [0.0; 3],
        control_range: None,
        force_range: None,
        origin: String::new(),
    });
    let e = Model::compile(spec, Actuation::FromFile).unwrap_err();
    assert_eq!(e.status, Status::InvalidArgument);
    assert!(
        e.message.contains("motor") && e.message.contains("fixed"),
        "{e}"
    );
}
