//! Where tendons have no part: parts of paths that cancel, numbers that are zero, dead centres, ends of the
//! lengths at rest that are one.

use crate::common::lengths::Probe;
use crate::common::scene::options;
use crate::common::tendons::tendon;
use crate::common::tethers::{arms, point};
use crate::common::{LAWS, param, random_q, relative_error};
use diffsim::error::Status;
use diffsim::model::params::{Param, ParamKind};
use diffsim::model::spec::{BodySpec, EqualityKind, EqualitySpec, JointKind, JointSpec, ModelSpec};
use diffsim::model::tendon::{PathPoint, TendonPath, TendonSpec, WrapShape, WrapSpec};
use diffsim::model::{Actuation, Model};
use diffsim::spatial::{Inertia, Pose, Quat, Sym3, Vec3};
use diffsim::step::{Contact, Gradient, Integrator, Options, Sim, StepJacobians};
use std::sync::Arc;

/// Out of reach of every path.
fn far(body: usize, shape: WrapShape) -> PathPoint {
    PathPoint::Around(WrapSpec {
        body,
        placement: Pose::translation(Vec3::X * 9.0),
        shape,
        radius: 0.2,
        side: None,
    })
}

/// Between points of one body, or of two bodies that a third one carries, the motion of the carrier does not
/// change the length, although a solid that the path does not touch might.
#[test]
fn what_a_length_does_not_depend_on_has_a_moment_of_zero() {
    let (mut spec, mut rng) = arms();
    let mut at = |body| point(body, rng.vec3(0.3));
    let on_one = vec![at(3), far(0, WrapShape::Sphere), at(3), at(3)];
    let on_branches = vec![
        at(3),
        far(7, WrapShape::Cylinder),
        at(5),
        PathPoint::Pulley { divisor: 3.0 },
        at(2),
        at(4),
        far(0, WrapShape::Sphere),
        at(5),
    ];
    for (name, path) in [("one", on_one), ("branches", on_branches)] {
        spec.tendons.push(tendon(name, TendonPath::Spatial(path)));
    }
    let model = Model::compile(spec, Actuation::Full).unwrap();
    let (nv, mut probe) = (model.nv(), Probe::new(&model));
    let own: Vec<usize> = (model.joints().iter())
        .filter(|j| ["joint2", "joint3", "joint4", "joint5"].contains(&j.name.as_str()))
        .flat_map(|j| j.iv..j.iv + j.nv)
        .collect();
    for _ in 0..20 {
        probe.go(&model, &random_q(&mut rng, &model, 1.0));
        let moments = probe.moments(nv);
        let (one, branches) = moments.split_at(nv);
        assert_eq!(one, vec![0.0; nv]);
        for (k, x) in branches.iter().enumerate() {
            assert_eq!(*x != 0.0, own.contains(&k), "{k}: {x:e}");
        }
    }
}

/// How a step's velocities vary by the first parameter: Jacobian, direction, adjoint, and the difference to a
/// value above.
fn slopes(sim: &mut Sim, q: &[f64], v: &[f64]) -> [Vec<f64>; 4] {
    let (nv, nu) = (v.len(), sim.model().nu());
    let step = |sim: &mut Sim| {
        let (mut q_next, mut v_next) = (q.to_vec(), v.to_vec());
        sim.reset();
        sim.step(q, v, &vec![0.1; nu], &mut q_next, &mut v_next)
            .unwrap();
        v_next
    };
    let (eps, mut value) = (1e-6, vec![0.0; sim.np()]);
    sim.get_params(&mut value).unwrap();
    value[0] += eps;
    sim.set_params(&value).unwrap();
    let above = step(sim);
    value[0] -= eps;
    sim.set_params(&value).unwrap();
    let here = step(sim);
    let mut jacobian = vec![0.0; nv * sim.np()];
    sim.step_jacobians(StepJacobians {
        dv_dp: Some(&mut jacobian),
        ..Default::default()
    })
    .unwrap();
    let (mut dq, mut direction, mut dp) = (vec![0.0; nv], vec![0.0; nv], vec![0.0; sim.np()]);
    dp[0] = 1.0;
    sim.step_jvp(&[], &[], &[], &dp, &mut dq, &mut direction)
        .unwrap();
    let adjoint = (0..nv).map(|k| {
        let (mut bar, mut p_bar) = (vec![0.0; nv], vec![0.0; value.len()]);
        bar[k] = 1.0;
        sim.step_vjp(&vec![0.0; nv], &bar, None, None, None, Some(&mut p_bar))
            .unwrap();
        p_bar[0]
    });
    let adjoint = adjoint.collect();
    let difference = above.iter().zip(&here).map(|(a, b)| (a - b) / eps);
    jacobian.truncate(nv);
    [jacobian, direction, adjoint, difference.collect()]
}

/// A tendon and a spring without stiffness and damping in steps that have no rows at all.
#[test]
fn numbers_that_are_zero_have_derivatives_in_two_stages() {
    let (mut spec, mut rng) = arms();
    let mut at = |body| point(body, rng.vec3(0.3));
    spec.tendons.push(tendon(
        "cord",
        TendonPath::Spatial(vec![at(3), at(5), at(7)]),
    ));
    spec.tendons[0].rest = Some((0.1, 0.1));
    spec.springs.push(crate::common::tethers::spring(
        "s",
        [(3, Vec3::X * 0.1), (5, Vec3::Y * 0.2)],
        [0.0; 2],
    ));
    let model = Arc::new(Model::compile(spec, Actuation::Full).unwrap());
    let q = random_q(&mut rng, &model, 0.3);
    let v = rng.vector(model.nv(), 1.0);
    for integrator in [Integrator::ImplicitEuler, Integrator::Midpoint] {
        for contact in LAWS {
            for kind in [ParamKind::Tendon, ParamKind::Spring] {
                for component in 0..2 {
                    let options = Options {
                        contact,
                        integrator,
                        ..options(4e-3)
                    };
                    let mut sim = Sim::new(model.clone(), &options).unwrap();
                    sim.select_params(&[param(kind, 0, component)]).unwrap();
                    let [jacobian, direction, adjoint, difference] = slopes(&mut sim, &q, &v);
                    let name = format!("{integrator:?} {contact:?} {kind:?} {component}");
                    let error = relative_error(&jacobian, &difference);
                    assert!(error < 1e-5, "{name}: {error:e}");
                    for other in [direction, adjoint] {
                        let error = relative_error(&other, &jacobian);
                        assert!(error < 1e-10, "{name}: {error:e}");
                    }
                }
            }
        }
    }
}

/// A rod of 1 m on a hinge at the origin, hung from `above`, with a tendon from there to its end, all of it
/// turned by `tilt`.
fn rod(above: Vec3, tilt: f64, hold: impl Fn(&mut TendonSpec)) -> ModelSpec {
    let turn = Quat::exp(Vec3::Y * tilt);
    let mut b = BodySpec::world();
    b.name = "rod".into();
    b.placement = Pose::from_quat(turn, Vec3::ZERO);
    b.inertia = Inertia::from_com(
        1.0,
        Vec3::Z * -0.5,
        Sym3::diagonal(Vec3::new(0.1, 0.1, 0.01)),
    );
    let mut hinge = JointSpec::new("hinge", JointKind::Revolute);
    hinge.axis = Vec3::Y;
    b.joints = vec![hinge];
    let path = vec![point(0, turn.to_mat3().mul_vec(above)), point(1, -Vec3::Z)];
    let mut t = tendon("cord", TendonPath::Spatial(path));
    hold(&mut t);
    ModelSpec {
        bodies: vec![BodySpec::world(), b],
        tendons: vec![t],
        ..ModelSpec::default()
    }
}

/// A damper that would push gives a cable nothing.
#[test]
fn a_cable_that_shortens_gets_nothing_by_a_damping_of_zero() {
    let spec = rod(Vec3::new(1.0, 0.0, 1.0), 0.0, |t| {
        (t.rest, t.pull_only) = (Some((0.0, 0.0)), true);
    });
    let model = Arc::new(Model::compile(spec, Actuation::Full).unwrap());
    use Integrator::{Bdf1, ImplicitEuler, Sdirk2, SymplecticEuler};
    for (integrator, contact) in [
        (SymplecticEuler, Contact::None),
        (SymplecticEuler, Contact::Ncp),
        (ImplicitEuler, Contact::None),
        (Bdf1, Contact::None),
        (Sdirk2, Contact::Penalty),
    ] {
        let options = Options {
            contact,
            integrator,
            ..options(1e-3)
        };
        let mut sim = Sim::new(model.clone(), &options).unwrap();
        for component in 0..2 {
            sim.select_params(&[param(ParamKind::Tendon, 0, component)])
                .unwrap();
            for speed in [2.0, -2.0] {
                let [jacobian, direction, adjoint, difference] = slopes(&mut sim, &[0.1], &[speed]);
                let name = format!("{integrator:?} {contact:?} {component} {speed}");
                let error = relative_error(&jacobian, &difference);
                assert!(error < 1e-5, "{name}: {jacobian:?} {difference:?}");
                assert_eq!(jacobian[0] == 0.0, component == 1 && speed < 0.0, "{name}");
                for other in [direction, adjoint] {
                    assert!(relative_error(&other, &jacobian) < 1e-10, "{name}");
                }
            }
        }
    }
}

/// Where a tendon leads through the hinge that it would turn, no speed of the hinge gives it another length:
/// the step says that it gave up, or that it is not solved, and throws nothing.
#[test]
fn an_equality_of_lengths_throws_nothing_at_a_dead_centre() {
    for (tilt, beside) in [
        (0.0, 0.0),
        (1.1, 0.0),
        (0.0, 1e-12),
        (0.0, 1e-9),
        (0.3, 1e-6),
        (0.0, 1e-3),
    ] {
        let mut spec = rod(Vec3::new(beside, 0.0, 1.0), tilt, |_| {});
        spec.equalities.push(EqualitySpec {
            name: "shorter".into(),
            active: true,
            kind: EqualityKind::Tendon {
                tendon1: "cord".into(),
                tendon2: None,
                coefficients: [-0.1, 0.0, 0.0, 0.0, 0.0],
            },
            origin: String::new(),
        });
        let model = Arc::new(Model::compile(spec, Actuation::Full).unwrap());
        for contact in LAWS {
            let options = Options {
                contact,
                ..options(1e-3)
            };
            let mut sim = Sim::new(model.clone(), &options).unwrap();
            let (mut q, mut v) = ([0.0], [0.0]);
            sim.step(&[0.0], &[0.3], &[0.0], &mut q, &mut v).unwrap();
            let info = sim.step_info().unwrap();
            let name = format!("{contact:?} {tilt} {beside:e}: {} {info:?}", v[0]);
            assert!(v[0].abs() < 6.0, "{name}");
            // Off the centre by a tenth of the length it is led, if slowly.
            let (mut there, mut speed) = ([0.0], [0.0]);
            sim.reset();
            sim.step(&[0.1], &[0.0], &[0.0], &mut there, &mut speed)
                .unwrap();
            assert!(sim.step_info().unwrap().converged, "{name}");
            assert!(speed[0].abs() < 6.0, "{name}: {}", speed[0]);
        }
    }
}

/// By one of two ends of the lengths at rest that are the same, where that is the tendon's length.
#[test]
fn a_length_at_both_ends_of_its_rest_has_a_derivative_of_one_side() {
    let spec = rod(Vec3::new(1.0, 0.0, 1.0), 0.0, |t| t.stiffness = 40.0);
    let model = Arc::new(Model::compile(spec, Actuation::Full).unwrap());
    let label = |options: &Options, list: &[Param], q: f64| {
        let mut sim = Sim::new(model.clone(), options).unwrap();
        sim.select_params(list).unwrap();
        let (mut there, mut v) = ([0.0], [0.0]);
        sim.step(&[q], &[0.2], &[0.0], &mut there, &mut v).unwrap();
        sim.step_jacobians(StepJacobians::default()).unwrap();
        sim.step_info().unwrap().gradient
    };
    use Integrator::{ImplicitEuler, SymplecticEulerWorld};
    for (integrator, contact) in [
        (SymplecticEulerWorld, Contact::None),
        (SymplecticEulerWorld, Contact::Ncp),
        (SymplecticEulerWorld, Contact::Convex),
        (ImplicitEuler, Contact::Lcp),
    ] {
        let options = Options {
            contact,
            integrator,
            ..options(1e-3)
        };
        for component in 0..4 {
            let list = [param(ParamKind::Tendon, 0, component)];
            let expected = match component {
                2 | 3 => Gradient::OneSided,
                _ => Gradient::Exact,
            };
            let name = format!("{integrator:?} {contact:?} {component}");
            assert_eq!(label(&options, &list, 0.0), expected, "{name}");
            assert_eq!(label(&options, &list, 0.1), Gradient::Exact, "{name}");
        }
    }
}

/// By a stiffness of zero of a cable with a damper alone: with any stiffness implicit formulas let the damper
/// fade in.
#[test]
fn a_damper_that_would_begin_to_fade_has_no_exact_derivative_by_stiffness() {
    let spec = rod(Vec3::new(1.0, 0.0, 1.0), 0.0, |t| {
        (t.damping, t.rest, t.pull_only) = (3.0, Some((0.0, 0.5)), true);
    });
    let model = Arc::new(Model::compile(spec, Actuation::Full).unwrap());
    use Integrator::{Bdf1, SymplecticEuler};
    for (integrator, component, expected) in [
        (Bdf1, 0, Gradient::OneSided),
        (Bdf1, 1, Gradient::Exact),
        (SymplecticEuler, 0, Gradient::Exact),
    ] {
        let options = Options {
            contact: Contact::None,
            integrator,
            ..options(1e-3)
        };
        let mut sim = Sim::new(model.clone(), &options).unwrap();
        sim.select_params(&[param(ParamKind::Tendon, 0, component)])
            .unwrap();
        let (mut q, mut v) = ([0.0], [0.0]);
        // It becomes longer, or shorter.
        for speed in [1.0, -1.0] {
            sim.step(&[0.1], &[speed], &[0.0], &mut q, &mut v).unwrap();
            sim.step_jacobians(StepJacobians::default()).unwrap();
            let found = sim.step_info().unwrap().gradient;
            assert_eq!(found, expected, "{integrator:?} {component} {speed}");
        }
    }
}

/// A tendon between welded bodies in a model without dofs.
#[test]
fn what_nothing_can_move_is_stepped() {
    let mut b = BodySpec::world();
    b.name = "block".into();
    let mut t = tendon(
        "cord",
        TendonPath::Spatial(vec![point(0, Vec3::Z), point(1, Vec3::ZERO)]),
    );
    (t.stiffness, t.damping, t.rest) = (10.0, 1.0, Some((0.2, 0.2)));
    let spec = ModelSpec {
        bodies: vec![BodySpec::world(), b],
        tendons: vec![t],
        ..ModelSpec::default()
    };
    let model = Arc::new(Model::compile(spec, Actuation::Full).unwrap());
    for contact in [Contact::None, Contact::Ncp, Contact::Penalty] {
        let options = Options {
            contact,
            ..options(1e-3)
        };
        let mut sim = Sim::new(model.clone(), &options).unwrap();
        sim.select_params(&[]).unwrap();
        sim.step(&[], &[], &[], &mut [], &mut []).unwrap();
        sim.step_jacobians(StepJacobians::default()).unwrap();
    }
}

/// Points of finite numbers may be an infinite length apart.
#[test]
fn lengths_that_are_no_numbers_are_refused() {
    let spec = rod(Vec3::Z * 1e300, 0.0, |_| {});
    let model = Arc::new(Model::compile(spec, Actuation::Full).unwrap());
    let mut sim = Sim::new(model, &options(1e-3)).unwrap();
    let (mut lengths, mut moments) = ([7.0], [7.0]);
    let error = sim
        .tendon_lengths(&[0.1], &mut lengths, Some(&mut moments))
        .unwrap_err();
    assert_eq!(error.status, Status::Numerical);
    assert!(error.message.contains("cord"), "{error}");
    assert_eq!((lengths, moments), ([7.0], [7.0]));
}
