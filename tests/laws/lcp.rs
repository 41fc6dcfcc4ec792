//! Boxed contact: derivatives of steps, and the effect of the friction pyramid.

use crate::common::checker::{Checker, quadruped, standing};
use crate::common::scene::{at, ball, body, cuboid, ground, tilt};
use crate::common::{Rng, param};
use diffsim::model::params::ParamKind;
use diffsim::model::spec::{JointKind, ModelSpec};
use diffsim::model::{Actuation, Model};
use diffsim::step::{Contact, Options};
use std::sync::Arc;

fn options(time_step: f64) -> Options {
    Options {
        contact: Contact::Lcp,
        time_step,
        ..Options::default()
    }
}

/// Boxes and balls on the ground and on each other, with different friction.
fn heap() -> Model {
    let mut spec = ModelSpec::default();
    ground(&mut spec, 0.7);
    let shapes = [
        (at(0.0, 0.0, 0.0995), cuboid(0.2, 0.15, 0.1), 2.0),
        (at(0.03, 0.02, 0.249), ball(0.05), 0.5),
        (at(0.6, 0.1, 0.0999), cuboid(0.1, 0.1, 0.1), 1.0),
        (at(-0.5, 0.1, 0.0999), ball(0.1), 1.0),
    ];
    for (k, (place, shape, mass)) in shapes.into_iter().enumerate() {
        let turn = tilt(0.01 * k as f64, 0.3);
        let name = format!("b{k}");
        body(
            &mut spec,
            &name,
            JointKind::Free,
            place.compose(&turn),
            mass,
            shape,
        );
    }
    for (k, mu) in [0.4, 0.55, 0.3, 0.2].into_iter().enumerate() {
        spec.geoms[k + 1].friction[0] = mu;
    }
    spec.geoms[0].priority = 0;
    spec.geoms[0].friction[0] = 0.35;
    Model::compile(spec, Actuation::Full).unwrap()
}

fn check(model: Model, q: Vec<f64>, h: f64, speed: f64, steps: usize, label: &str) {
    let model = Arc::new(model);
    let mut c = Checker::new(model.clone(), &options(h));
    let friction = (0..model.ngeom()).map(|g| param(ParamKind::GeomFriction, g, 0));
    let mass = [param(ParamKind::BodyInertia, 1, 0)];
    c.select(&friction.chain(mass).collect::<Vec<_>>());
    let mut rng = Rng::new(3);
    let (mut q, mut v) = (q, rng.vector(model.nv(), speed));
    for step in 0..steps {
        c.label = format!("{label}, step {step}");
        let u = rng.vector(model.nu(), 0.3);
        c.check(&mut q, &mut v, &u);
    }
    let tally = c.tally(label);
    assert_eq!((tally.wrong, tally.refused), (0, 0), "{tally:?}");
    assert!(tally.checked > 100 && tally.apart < 1e-9, "{tally:?}");
}

#[test]
fn a_robot_has_all_derivatives() {
    let model = quadruped(false);
    let q = standing(&model);
    check(model, q, 2e-3, 0.3, 60, "robot");
}

#[test]
fn a_heap_has_all_derivatives() {
    let model = heap();
    let q = model.neutral().to_vec();
    check(model, q, 2e-3, 0.5, 60, "heap");
}
