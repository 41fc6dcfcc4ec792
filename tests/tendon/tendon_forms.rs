//! Springs and tendons in steps with constraints, against closed forms.

use crate::common::checker::{free_body, ground};
use crate::common::scene::options;
use crate::common::tendons::tendon;
use crate::common::tethers::{point, spring};
use crate::common::{LAWS, param};
use diffsim::error::Status;
use diffsim::model::params::ParamKind;
use diffsim::model::spec::{ModelSpec, ShapeSpec};
use diffsim::model::tendon::{TendonPath, TendonSpec};
use diffsim::model::{Actuation, Model};
use diffsim::spatial::Vec3;
use diffsim::step::{Contact, Options, Sim};
use std::sync::Arc;

/// v⁺ = (v + h g − h k x/m)/(1 + (h² k + h d)/m) of a mass on a spring, whatever is stiff.
#[test]
fn a_mass_on_a_spring_is_taken_implicitly() {
    for (k, d) in [
        (1e-6, 0.0),
        (10.0, 0.0),
        (30.0, 4.0),
        (0.0, 0.3),
        (1e8, 0.0),
    ] {
        let mut spec = ModelSpec::default();
        ground(&mut spec, 0.5);
        free_body(
            &mut spec,
            "ball",
            Vec3::Z,
            ShapeSpec::Sphere { radius: 0.1 },
        );
        spec.springs
            .push(spring("s", [(0, Vec3::Z * 2.0), (1, Vec3::ZERO)], [k, d]));
        let model = Arc::new(Model::compile(spec, Actuation::FromFile).unwrap());
        for contact in LAWS {
            let h = 5e-3;
            let mut sim = Sim::new(
                model.clone(),
                &Options {
                    contact,
                    ..options(h)
                },
            )
            .unwrap();
            let (mut q, mut v) = (model.neutral().to_vec(), vec![0.0; 6]);
            v[2] = 0.4;
            for _ in 0..20 {
                let x = q[2] - 2.0;
                let mut expected = (v[2] + h * (-9.81 - k * x)) / (1.0 + h * (h * k + d));
                // Nothing is touched.
                assert!(q[2] > 0.3, "{k} {d} {contact:?}");
                let (q0, v0) = (q.clone(), v.clone());
                sim.step(&q0, &v0, &[], &mut q, &mut v).unwrap();
                if expected.abs() < 1e-12 {
                    expected = 0.0;
                }
                let size = 1.0f64.max(v0[2].abs()).max(expected.abs());
                assert!(
                    (v[2] - expected).abs() < 1e-11 * size,
                    "{k} {d} {contact:?}: {} {expected}",
                    v[2]
                );
                let info = sim.step_info().unwrap();
                assert!(info.converged);
            }
        }
    }
}

/// A ball on a tendon of the world from 1 m above the origin.
fn pendulum(hold: impl Fn(&mut TendonSpec)) -> Arc<Model> {
    let mut spec = ModelSpec::default();
    free_body(
        &mut spec,
        "ball",
        Vec3::ZERO,
        ShapeSpec::Sphere { radius: 0.01 },
    );
    let path = TendonPath::Spatial(vec![point(0, Vec3::Z), point(1, Vec3::ZERO)]);
    let mut t = tendon("cable", path);
    hold(&mut t);
    spec.tendons.push(t);
    Arc::new(Model::compile(spec, Actuation::FromFile).unwrap())
}

/// A ball thrown at 2 m/s swings to the height of its energy, on a circle.
#[test]
fn the_bound_of_a_length_carries_a_pendulum() {
    let model = pendulum(|t| t.limits = Some((0.0, 1.0)));
    for contact in LAWS {
        let h = 1e-3;
        let mut sim = Sim::new(
            model.clone(),
            &Options {
                contact,
                ..options(h)
            },
        )
        .unwrap();
        let (mut q, mut v) = (model.neutral().to_vec(), vec![0.0; 6]);
        v[0] = 2.0;
        let mut top = 0.0f64;
        for _ in 0..1500 {
            let (q0, v0) = (q.clone(), v.clone());
            sim.step(&q0, &v0, &[], &mut q, &mut v).unwrap();
            let off = (q[0].powi(2) + (q[2] - 1.0).powi(2)).sqrt() - 1.0;
            // A step along the tangent leaves the circle by (h v)²/2; compliant rows give way a little.
            assert!(off.abs() < 2e-5, "{contact:?} {off}");
            top = top.max(q[2]);
        }
        let expected = 4.0 / (2.0 * 9.81);
        assert!(
            (top - expected).abs() < 0.01 * expected,
            "{contact:?} {top} {expected}"
        );
    }
}

/// Below its bound dry friction carries a weight, above it is what it is.
#[test]
fn dry_friction_carries_what_it_can() {
    for (share, rises) in [(1.2, false), (0.4, true)] {
        let weight = 9.81;
        let model = pendulum(|t| t.friction_loss = share * weight);
        for contact in LAWS {
            let h = 1e-3;
            let mut sim = Sim::new(
                model.clone(),
                &Options {
                    contact,
                    ..options(h)
                },
            )
            .unwrap();
            let (mut q, mut v) = (model.neutral().to_vec(), vec![0.0; 6]);
            for _ in 0..100 {
                let (q0, v0) = (q.clone(), v.clone());
                sim.step(&q0, &v0, &[], &mut q, &mut v).unwrap();
            }
            let expected = if rises {
                -(1.0 - share) * 9.81 * 0.1
            } else {
                0.0
            };
            // Sticking contacts creep with compliant contact.
            let slack = if contact == Contact::Convex {
                1e-4
            } else {
                1e-12
            };
            assert!(
                (v[2] - expected).abs() < slack,
                "{contact:?} {} {expected}",
                v[2]
            );
        }
    }
}

/// A cable pulls where it is longer than at rest, and is not there else.
#[test]
fn cables_only_pull() {
    let model = pendulum(|t| {
        (t.stiffness, t.damping, t.pull_only) = (300.0, 40.0, true);
        t.rest = Some((0.0, 0.9));
    });
    for contact in LAWS {
        let h = 1e-3;
        let mut sim = Sim::new(
            model.clone(),
            &Options {
                contact,
                ..options(h)
            },
        )
        .unwrap();
        // Taut; slack; taut, but so fast upwards that its damper would push.
        for (z, speed) in [(0.0, 0.0), (0.2, -1.0), (0.05, 1.0)] {
            let (mut q, mut v) = (model.neutral().to_vec(), vec![0.0; 6]);
            (q[2], v[2]) = (z, speed);
            let (q0, v0) = (q.clone(), v.clone());
            sim.reset();
            sim.step(&q0, &v0, &[], &mut q, &mut v).unwrap();
            let free = speed - h * 9.81;
            let stretch = 0.1 - z;
            let held = (free + h * 300.0 * stretch) / (1.0 + h * (h * 300.0 + 40.0));
            let pulls = 300.0 * (stretch - h * held) - 40.0 * held;
            let expected = if stretch > 0.0 && pulls > 0.0 {
                held
            } else {
                free
            };
            assert!(
                (v[2] - expected).abs() < 1e-12,
                "{contact:?} {z}: {} {expected}",
                v[2]
            );
        }
    }
}

#[test]
fn a_tendon_between_three_trees_is_refused_by_name() {
    let mut spec = ModelSpec::default();
    for i in 0..3 {
        let at = Vec3::X * f64::from(i);
        free_body(
            &mut spec,
            &format!("ball{i}"),
            at,
            ShapeSpec::Sphere { radius: 0.1 },
        );
    }
    let path = TendonPath::Spatial([1, 2, 3].map(|b| point(b, Vec3::Z)).into());
    spec.tendons.push(tendon("web", path));
    let create = |spec: &ModelSpec, contact| {
        let model = Arc::new(Model::compile(spec.clone(), Actuation::FromFile).unwrap());
        Sim::new(
            model,
            &Options {
                contact,
                ..options(1e-3)
            },
        )
        .map(|_| ())
    };
    create(&spec, Contact::Ncp).unwrap();
    // Nor is there a silent zero for its forces.
    let model = Arc::new(Model::compile(spec.clone(), Actuation::FromFile).unwrap());
    let mut sim = Sim::new(model, &options(1e-3)).unwrap();
    let chosen = sim.select_params(&[param(ParamKind::Tendon, 0, 0)]);
    assert_eq!(chosen.unwrap_err().status, Status::Unsupported);
    let hold: [fn(&mut TendonSpec); 4] = [
        |t| t.stiffness = 1.0,
        |t| t.damping = 1.0,
        |t| t.friction_loss = 1.0,
        |t| t.limits = Some((0.0, 3.0)),
    ];
    for hold in hold {
        let mut spec = spec.clone();
        hold(&mut spec.tendons[0]);
        for contact in LAWS {
            let e = create(&spec, contact).unwrap_err();
            assert_eq!(e.status, Status::Unsupported);
            assert!(
                e.message.contains("\"web\"") && e.message.contains("3 kinematic trees"),
                "{e}"
            );
        }
    }
}
