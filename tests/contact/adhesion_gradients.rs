//! Derivatives of adhesion with every integrator and law: of free bodies, hinges, several shapes, two bodies
//! that both adhere, a world that does, a chain beyond packed rows; of trajectories, and a plan by them.

use crate::common::adhesive::{adhesion, compile, crowd, moved, near, one, pull, sunken};
use crate::common::checker::{Checker, FOURTH_ORDER, free_body, ground};
use crate::common::penalty::{Tally, accept, check};
use crate::common::scene::{ball, options};
use crate::common::trajectory::{From, compare};
use crate::common::{LAWS, Rng, all_jacobians, param, relative_error};
use diffsim::control::{Ilqr, IlqrOptions, IlqrOutcome};
use diffsim::force::ForceKinds;
use diffsim::model::params::ParamKind;
use diffsim::model::spec::{BodySpec, GeomSpec, JointKind, JointSpec, ModelSpec};
use diffsim::query::ForceDerivatives;
use diffsim::spatial::{Pose, Vec3};
use diffsim::step::{Contact, Gradient, Integrator, Options, Sim, StepJacobians};

#[test]
fn derivatives_of_the_force_at_a_state() {
    for both in [false, true] {
        let model = compile(crowd(both));
        let (nv, nu) = (model.nv(), model.nu());
        let mut sim = Sim::new(model.clone(), &options(1e-3)).unwrap();
        let mut rng = Rng::new(3);
        let mut felt = 0.0_f64;
        for _ in 0..6 {
            let [q, v, u] = near(&model, &mut rng);
            let mut f = vec![0.0; nv];
            let [mut by_q, mut by_v, mut by_u] = [nv, nv, nu].map(|n| vec![f64::NAN; nv * n]);
            let out = ForceDerivatives {
                by_q: Some(&mut by_q),
                by_v: Some(&mut by_v),
                by_u: Some(&mut by_u),
            };
            let label = sim
                .generalized_forces(&q, &v, &u, ForceKinds::ACTUATOR, &mut f, out)
                .unwrap();
            assert_eq!(label, Gradient::Exact);
            assert!(by_v.iter().all(|x| *x == 0.0));
            for k in 0..nv {
                let slope = crate::common::difference(2e-6, |e| {
                    let (mut d, mut moved) = (vec![0.0; nv], q.clone());
                    d[k] = e;
                    model.integrate(&q, &d, &mut moved);
                    pull(&mut sim, &moved, &u)
                });
                let column = &by_q[k * nv..][..nv];
                let size = column.iter().fold(1.0, |m: f64, x| m.max(x.abs()));
                felt = felt.max(size);
                for (x, y) in column.iter().zip(&slope) {
                    assert!((x - y).abs() < 1e-7 * size, "{both} {k}: {x} {y}");
                }
            }
            for k in 0..nu {
                let slope = crate::common::difference(0.02, |e| {
                    let mut u = u.clone();
                    u[k] += e;
                    pull(&mut sim, &q, &u)
                });
                for (x, y) in by_u[k * nv..][..nv].iter().zip(&slope) {
                    assert!((x - y).abs() < 1e-9, "{both} u {k}: {x} {y}");
                }
            }
        }
        // Some contact is in the middle of its fade.
        assert!(felt > 1e3, "{felt}");
    }
}

#[test]
fn derivatives_of_steps_with_constraints() {
    let mut pressed = 0;
    use Integrator::{ImplicitEuler, Midpoint, SymplecticEuler, SymplecticEulerWorld};
    for (both, depth) in [(false, 0.0), (true, 0.0), (true, 7e-4)] {
        let model = compile(sunken(both, depth));
        for integrator in [
            SymplecticEulerWorld,
            SymplecticEuler,
            ImplicitEuler,
            Midpoint,
        ] {
            for contact in LAWS {
                let o = Options {
                    integrator,
                    contact,
                    ..options(5e-4)
                };
                let mut c = Checker::new(model.clone(), &o);
                (c.eps, c.stencil) = (1e-6, FOURTH_ORDER);
                c.select(&moved(&model));
                let mut beside = Sim::new(model.clone(), &o).unwrap();
                let mut rng = Rng::new(8);
                for _ in 0..2 {
                    let [mut q, mut v, u] = near(&model, &mut rng);
                    for _ in 0..2 {
                        let (mut qn, mut vn) = (q.clone(), v.clone());
                        beside.step(&q, &v, &u, &mut qn, &mut vn).unwrap();
                        let contacts = beside.contacts().iter();
                        pressed += contacts.filter(|c| c.impulse[2] > 0.0).count();
                        c.check(&mut q, &mut v, &u);
                    }
                }
                c.report(&format!("{both}, {depth}, {integrator:?}, {contact:?}"));
            }
        }
    }
    assert!(pressed > 50, "{pressed}");
}

#[test]
fn derivatives_of_steps_with_penalty_contact() {
    use Integrator::{
        Bdf1, ImplicitEuler, Midpoint, Sdirk2, SymplecticEuler, SymplecticEulerWorld,
    };
    for integrator in [
        SymplecticEulerWorld,
        SymplecticEuler,
        ImplicitEuler,
        Midpoint,
        Bdf1,
        Sdirk2,
    ] {
        let (mut rng, mut tally) = (Rng::new(4), Tally::default());
        for depth in [0.0, 7e-4, 1e-3] {
            let model = compile(sunken(true, depth));
            let o = Options {
                integrator,
                contact: Contact::Penalty,
                ..options(1e-3)
            };
            let mut sim = Sim::new(model.clone(), &o).unwrap();
            let list = moved(&model);
            sim.select_params(&list).unwrap();
            for _ in 0..2 {
                let [q, v, u] = near(&model, &mut rng);
                check(&mut sim, &list, (&q, &v, &u), 1e-6, &mut tally);
            }
        }
        accept(&tally, &format!("{integrator:?}"), [0, 1, 1]);
    }
}

/// A world that holds two of three balls: the tree of the first dof touches nothing.
#[test]
fn a_world_that_holds_what_touches_it() {
    let mut spec = ModelSpec::default();
    ground(&mut spec, 0.6);
    for (k, gap) in [0.5, 3e-4, 2e-4].into_iter().enumerate() {
        let at = Vec3::new(k as f64, 0.0, 0.1 + gap);
        free_body(&mut spec, &format!("ball{k}"), at, ball(0.1));
    }
    spec.actuators.push(adhesion("hold", "world", 3.0));
    spec.actuators.push(adhesion("none", "ball0", 3.0));
    let model = compile(spec);
    let nv = model.nv();
    for contact in LAWS.into_iter().chain([Contact::Penalty]) {
        let o = Options {
            contact,
            ..options(1e-3)
        };
        let mut c = Checker::new(model.clone(), &o);
        (c.eps, c.stencil) = (1e-6, FOURTH_ORDER);
        let (mut q, mut v) = (model.neutral().to_vec(), vec![0.0; nv]);
        c.check(&mut q, &mut v, &[0.7, 0.5]);
        c.report(&format!("world, {contact:?}"));
    }
    let mut sim = Sim::new(model.clone(), &options(1e-3)).unwrap();
    let (q, v) = (model.neutral().to_vec(), vec![0.0; nv]);
    let (mut qn, mut vn) = (q.clone(), v.clone());
    sim.step(&q, &v, &[0.7, 0.5], &mut qn, &mut vn).unwrap();
    let (mut dense, entries) = (vec![0.0; nv * 2], sim.jacobian_entries().unwrap());
    let mut packed = vec![0.0; entries.by_input];
    let by_u = |dv_du| StepJacobians {
        dv_du,
        ..StepJacobians::default()
    };
    sim.step_jacobians(by_u(Some(&mut dense))).unwrap();
    sim.step_jacobians_sparse(by_u(Some(&mut packed))).unwrap();
    let sum = |x: &[f64]| x.iter().map(|x| x.abs()).sum::<f64>();
    assert!((sum(&dense) - sum(&packed)).abs() < 1e-15 && sum(&dense) > 1e-3);
    assert!(dense[..6].iter().chain(&dense[nv..]).all(|x| *x == 0.0));
}

/// A chain beyond the depth of packed rows over the ground, whose last link and the world adhere.
#[test]
fn derivatives_of_a_long_chain() {
    let n = 70;
    let mut spec = ModelSpec::default();
    ground(&mut spec, 0.5);
    let mut rng = Rng::new(1);
    for k in 1..=n {
        let mut joint = JointSpec::new(format!("joint{k}"), JointKind::Revolute);
        joint.axis = if k % 2 == 0 { Vec3::Y } else { Vec3::Z };
        joint.armature = 0.05;
        let reach = if k == 1 { 0.1003 } else { 0.0 };
        spec.bodies.push(BodySpec {
            name: format!("link{k}"),
            parent: k - 1,
            placement: Pose::translation(Vec3::new(0.05, 0.0, reach)),
            inertia: rng.inertia(),
            joints: vec![joint],
            ..BodySpec::world()
        });
        if k % 20 == 0 || k == n {
            let (name, place) = (format!("geom{k}"), Pose::IDENTITY);
            spec.geoms.push(GeomSpec::new(name, k, place, ball(0.1)));
        }
    }
    spec.actuators
        .push(adhesion("tip", &format!("link{n}"), 3.0));
    spec.actuators.push(adhesion("world", "world", 2.0));
    let model = compile(spec);
    assert!(model.topology().is_deep());
    let list = [
        param(ParamKind::GeomSize, 2, 0),
        param(ParamKind::JointPlacement, 30, 2),
        param(ParamKind::ActuatorGain, 0, 0),
    ];
    let nv = model.nv();
    let q = rng.vector(nv, 2e-5);
    let (v, u) = (vec![0.0; nv], [0.7, 0.4]);
    for (contact, integrator) in [
        (Contact::Ncp, Integrator::SymplecticEulerWorld),
        (Contact::Penalty, Integrator::SymplecticEuler),
        (Contact::Penalty, Integrator::Bdf1),
        (Contact::Convex, Integrator::Midpoint),
    ] {
        let o = Options {
            contact,
            integrator,
            ..options(1e-3)
        };
        let mut sim = Sim::new(model.clone(), &o).unwrap();
        sim.select_params(&list).unwrap();
        let (mut qn, mut vn) = (q.clone(), v.clone());
        sim.step(&q, &v, &u, &mut qn, &mut vn).unwrap();
        let sizes = [nv, nv, 2, 3];
        let [mut jq, mut jv] = [(); 2].map(|()| sizes.map(|n| vec![f64::NAN; nv * n]));
        sim.step_jacobians(all_jacobians(&mut jq, &mut jv)).unwrap();
        let apart = crate::common::penalty::products(&mut sim, &jq, &jv);
        assert!(apart < 1e-10, "{contact:?} {integrator:?}: {apart:e}");
        let mut p = vec![0.0; 3];
        sim.get_params(&mut p).unwrap();
        // A few of the columns by q, and all by u and parameters.
        let columns = (0..nv).step_by(9).map(|k| (0, k));
        for (kind, k) in columns.chain([(2, 0), (2, 1), (3, 0), (3, 1), (3, 2)]) {
            let eps = if kind == 2 { 0.01 } else { 1e-6 };
            let slope = crate::common::difference(eps, |e| {
                let (mut q, mut u, mut p2) = (q.clone(), u, p.clone());
                match kind {
                    0 => q[k] += e,
                    2 => u[k] += e,
                    _ => p2[k] += e,
                }
                sim.reset();
                sim.set_params(&p2).unwrap();
                let (mut qn, mut vn) = (q.clone(), v.clone());
                sim.step(&q, &v, &u, &mut qn, &mut vn).unwrap();
                sim.set_params(&p).unwrap();
                vn
            });
            let error = relative_error(&jv[kind][k * nv..][..nv], &slope);
            assert!(
                error < 1e-6,
                "{contact:?} {integrator:?} {kind} {k}: {error:e}"
            );
        }
    }
}

#[test]
fn gradients_of_trajectories() {
    use Integrator::{Bdf2, Midpoint, SymplecticEulerWorld};
    const STEPS: usize = 25;
    let model = compile(crowd(true));
    let mut rng = Rng::new(4);
    let [q0, v0, _] = near(&model, &mut rng);
    let u = (0..model.nu() * STEPS).map(|_| rng.range(0.2, 1.0));
    let from = From {
        q0,
        v0,
        u: u.collect(),
    };
    for (integrator, contact) in [
        (SymplecticEulerWorld, Contact::Convex),
        (SymplecticEulerWorld, Contact::Penalty),
        (Midpoint, Contact::Penalty),
        (Bdf2, Contact::Penalty),
    ] {
        let o = Options {
            integrator,
            contact,
            checkpoint_interval: 7,
            ..options(2e-4)
        };
        compare(&model, &o, STEPS, &from, &moved(&model), 1e-6)
            .accept(&format!("{integrator:?}, {contact:?}"), 1e-6);
    }
}

/// A ball under a ceiling that the adhesion must hold at rest: the plan finds a pull of about its weight.
#[test]
fn a_plan_holds_a_ball_under_a_ceiling() {
    const STEPS: usize = 30;
    let model = compile(one(ball(0.1), 0.1, 5e-4, true));
    let o = options(1e-3);
    let mut plan = Ilqr::new(model.clone(), &o, &IlqrOptions::default(), STEPS).unwrap();
    let weights = [[1e4; 6], [1e2; 6]].concat();
    plan.set_weights(&weights, &weights, &[1e-6]).unwrap();
    let (q, v) = (model.neutral().to_vec(), vec![0.0; 6]);
    plan.set_reference(None, &q, &v, &[0.0]).unwrap();
    plan.set_input_bounds(&[0.0], &[10.0]).unwrap();
    let mut u = vec![0.0; STEPS];
    let told = plan.solve(&q, &v, &mut u).unwrap();
    assert_ne!(told.outcome, IlqrOutcome::Iterations);
    assert!(told.cost < 1e-2 * told.first_cost, "{told:?}");
    let weight = 9.81;
    let pull = -pull(&mut Sim::new(model, &o).unwrap(), &q, &u[STEPS / 2..][..1])[2];
    assert!((pull.abs() - weight).abs() < 0.2 * weight, "{pull} {u:?}");
}
