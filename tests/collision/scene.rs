//! Filters, and many bodies at once.

use crate::common::Rng;
use crate::{body, compile, fixed, options_without_contact};
use diffsim::model::Model;
use diffsim::model::spec::{ModelSpec, ShapeSpec};
use diffsim::query::ContactDerivatives;
use diffsim::spatial::Vec3;
use diffsim::step::{Gradient, Options, Sim};
use std::sync::Arc;

#[test]
fn pairs_are_filtered_by_the_user() {
    let mut spec = ModelSpec::default();
    let sphere = || ShapeSpec::Sphere { radius: 0.1 };
    body(&mut spec, "a", Vec3::ZERO, sphere());
    body(&mut spec, "b", Vec3::X * 0.15, sphere());
    spec.excludes.push((1, 2));
    let model = compile(spec);
    let q = model.neutral().to_vec();
    let mut sim = Sim::new(model, &Options::default()).unwrap();
    let count = |sim: &mut Sim| {
        sim.collide(&q).unwrap();
        sim.contacts().len()
    };
    assert_eq!(count(&mut sim), 0);
    sim.set_pair_enabled(1, 0, true).unwrap();
    assert_eq!(count(&mut sim), 1);
    sim.set_pair_enabled(0, 1, false).unwrap();
    assert_eq!(count(&mut sim), 0);
    assert!(sim.set_pair_enabled(0, 2, true).is_err());
    assert!(sim.set_pair_enabled(1, 1, true).is_err());
}

#[test]
fn a_normal_that_no_features_fix_has_no_derivative() {
    let cylinder = |radius, half_length| ShapeSpec::Cylinder {
        radius,
        half_length,
    };
    for (aside, kind) in [(0.0, Gradient::OneSided), (0.15, Gradient::Exact)] {
        let mut spec = ModelSpec::default();
        body(&mut spec, "a", Vec3::ZERO, cylinder(0.1, 0.5));
        // Rods with one axis part as soon in any direction across it.
        body(&mut spec, "b", Vec3::X * aside, cylinder(0.08, 0.4));
        let model = compile(spec);
        let q = model.neutral().to_vec();
        let mut sim = Sim::new(model, &options_without_contact()).unwrap();
        sim.collide(&q).unwrap();
        assert!(!sim.contacts().is_empty());
        let found = sim.contact_derivatives(ContactDerivatives::default());
        assert_eq!(found.unwrap(), kind, "{aside}");
        // And beside each other they are as near at one end as at the other.
        let distance = sim.distance(0, 1, &q, None).unwrap();
        assert_eq!(distance.gradient, Gradient::OneSided, "{aside}");
    }
}

/// Many small bodies in a cube over a plane.
fn crowd(n: usize, seed: u64) -> Arc<Model> {
    let mut rng = Rng::new(seed);
    let mut spec = ModelSpec::default();
    let half_extents = [0.0; 2];
    fixed(
        &mut spec,
        "ground",
        Vec3::ZERO,
        ShapeSpec::Plane { half_extents },
    );
    for i in 0..n {
        let at = rng.vec3(1.0) + Vec3::Z;
        body(
            &mut spec,
            &format!("ball{i}"),
            at,
            ShapeSpec::Sphere { radius: 0.08 },
        );
    }
    compile(spec)
}

#[test]
fn a_crowd_touches_as_counted_pair_by_pair() {
    let n = 500;
    let model = crowd(n, 5);
    let options = Options {
        max_contacts: 4000,
        derivatives: false,
        ..options_without_contact()
    };
    let mut sim = Sim::new(model.clone(), &options).unwrap();
    let mut q = model.neutral().to_vec();
    let mut rng = Rng::new(6);
    for _ in 0..5 {
        sim.collide(&q).unwrap();
        let at = |i: usize| Vec3::from_slice(&q[7 * i..]);
        let pairs = (0..n).flat_map(|i| (i + 1..n).map(move |j| (i, j)));
        let touching = pairs.filter(|&(i, j)| (at(i) - at(j)).norm() <= 0.16);
        let mut expected: Vec<[usize; 2]> = touching.map(|(i, j)| [i + 1, j + 1]).collect();
        expected.extend((0..n).filter(|&i| at(i).z <= 0.08).map(|i| [0, i + 1]));
        expected.sort_unstable();
        let found: Vec<[usize; 2]> = sim.contacts().iter().map(|c| c.geom).collect();
        assert!(found.len() > 100);
        assert_eq!(found, expected);
        let dv = rng.vector(model.nv(), 0.05);
        let from = q.clone();
        model.integrate(&from, &dv, &mut q);
    }
}
