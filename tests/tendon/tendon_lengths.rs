//! Lengths of tendons and springs: their moments and second derivatives against differences, and the rules
//! for a description.

use crate::common::lengths::{Probe, derivative_error, displacement_error};
use crate::common::tendons::{corded, corded_spec, tendon};
use crate::common::{Rng, random_q};
use diffsim::model::spec::{JointKind, ModelSpec};
use diffsim::model::tendon::{PathPoint, TendonPath};
use diffsim::model::{Actuation, Model};
use diffsim::spatial::Vec3;
use diffsim::tendon::Paths;

#[test]
fn moments_and_their_slopes_are_those_of_differences() {
    for seed in 0..12 {
        let model = corded(seed, 3 + seed as usize);
        let q = random_q(&mut Rng::new(seed), &model, 0.6);
        let error = derivative_error(&model, &q);
        assert!(error < 1e-9, "seed {seed}: {error:e}");
    }
}

/// What a displaced joint does to lengths and moments.
#[test]
fn a_displaced_joint_moves_the_stations() {
    for seed in 0..6 {
        let model = corded(30 + seed, 7);
        let q = random_q(&mut Rng::new(seed), &model, 0.6);
        let error = displacement_error(&model, &q);
        assert!(error < 1e-9, "seed {seed}: {error:e}");
    }
}

/// What carries all stations has no part in a length.
#[test]
fn a_base_that_carries_all_stations_is_not_in_the_support() {
    let mut spec = ModelSpec::default();
    let mut rng = Rng::new(3);
    let kinds = [JointKind::Free, JointKind::Revolute, JointKind::Spherical];
    for (id, kind) in (1..).zip(kinds) {
        (spec.bodies).push(crate::common::random_body(&mut rng, id, id - 1, kind));
    }
    let at = |body| PathPoint::Point {
        body,
        at: Vec3::new(0.1, 0.2, 0.3),
    };
    let path = TendonPath::Spatial(vec![at(1), at(3)]);
    spec.tendons.push(tendon("cord", path));
    let model = Model::compile(spec, Actuation::Full).unwrap();
    let paths = Paths::new(&model, false);
    assert_eq!(paths.support(0), [6, 7, 8, 9]);
}

#[test]
fn a_rest_that_is_not_given_is_the_length_at_the_reference() {
    let model = corded(5, 9);
    let mut probe = Probe::new(&model);
    probe.go(&model, model.neutral());
    for (i, t) in model.tendons().iter().enumerate() {
        let (lo, hi) = t.rest.unwrap();
        assert!(lo == hi && (lo - probe.paths.length(i)).abs() < 1e-13);
        assert_eq!(model.params().tendon[i], [t.stiffness, t.damping, lo, hi]);
        assert_eq!(model.tendon_id(&t.name), Some(i));
    }
}

#[test]
fn descriptions_that_make_no_sense_are_refused_by_name() {
    let point = |body| PathPoint::Point {
        body,
        at: Vec3::ZERO,
    };
    let pulley = |divisor| PathPoint::Pulley { divisor };
    let spatial = TendonPath::Spatial;
    let fixed = |name: &str, x| TendonPath::Fixed(vec![(name.into(), x)]);
    let path = |path| tendon("cord", path);
    let changed = |change: &dyn Fn(&mut diffsim::model::tendon::TendonSpec)| {
        let mut t = tendon("cord", TendonPath::Spatial(vec![point(0), point(1)]));
        change(&mut t);
        t
    };
    let cases = [
        (path(fixed("nobody", 1.0)), "nobody"),
        (path(fixed("joint1", f64::NAN)), "coefficient"),
        (path(fixed("ball", 1.0)), "one dof"),
        (path(TendonPath::Fixed(vec![])), "needs a joint"),
        (path(spatial(vec![point(0)])), "two points"),
        (path(spatial(vec![point(0), point(7)])), "no body 7"),
        (
            path(spatial(vec![
                point(0),
                point(1),
                pulley(0.0),
                point(0),
                point(1),
            ])),
            "divisor",
        ),
        (
            path(spatial(vec![point(0), point(1), pulley(2.0)])),
            "followed",
        ),
        (
            path(spatial(vec![point(0), point(1), pulley(2.0), point(1)])),
            "alone",
        ),
        (changed(&|t| t.stiffness = -1.0), "stiffness"),
        (changed(&|t| t.damping = f64::NAN), "damping"),
        (changed(&|t| t.friction_loss = -1.0), "friction loss"),
        (changed(&|t| t.rest = Some((2.0, 1.0))), "rest lengths"),
        (changed(&|t| t.rest = Some((0.0, f64::NAN))), "rest lengths"),
        (changed(&|t| t.limits = Some((2.0, 1.0))), "limits"),
    ];
    let mut spec = ModelSpec::default();
    let mut rng = Rng::new(1);
    (spec.bodies).push(crate::common::random_body(
        &mut rng,
        1,
        0,
        JointKind::Revolute,
    ));
    let mut ball = crate::common::random_body(&mut rng, 2, 1, JointKind::Spherical);
    ball.joints[0].name = "ball".into();
    spec.bodies.push(ball);
    for (t, what) in cases {
        let mut spec = spec.clone();
        spec.tendons.push(t);
        let e = Model::compile(spec, Actuation::Full).unwrap_err();
        let said = e.message.contains("tendon \"cord\"") && e.message.contains(what);
        assert!(said, "{what}: {e}");
    }
    let mut twice = corded_spec(1, 4);
    twice.tendons[1].name = "cord0".into();
    let e = Model::compile(twice, Actuation::Full).unwrap_err();
    assert!(e.message.contains("cord0"), "{e}");
    let mut spec = corded_spec(1, 4);
    spec.springs[0].damping = f64::NAN;
    let e = Model::compile(spec, Actuation::Full).unwrap_err();
    assert!(e.message.contains("spring \"spring0\""), "{e}");
}
