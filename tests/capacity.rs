//! What a caller's sizes cost, and that sizes beyond the memory are refused.

mod common;

use common::scene::*;
use diffsim::error::Status;
use diffsim::model::spec::{ActuatorSpec, JointKind, ModelSpec};
use diffsim::model::{Actuation, Model};
use diffsim::rollout::Rollout;
use diffsim::step::{Contact, Options};
use std::sync::Arc;

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
