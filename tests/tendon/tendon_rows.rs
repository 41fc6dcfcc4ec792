//! Springs and tendons in steps with constraints: spring-dampers as rows that yield, bounds of lengths, dry
//! friction along them.

use crate::common::checker::{Checker, FOURTH_ORDER, quadruped_spec, standing};
use crate::common::scene::{lying_spec, options};
use crate::common::tendons::{anchors, tendon};
use crate::common::tethers::{PAIRS, arms, paths, point, spring};
use crate::common::{EPS, LAWS, Rng, all_jacobians, in_body, param, random_q, relative_error};
use diffsim::dynamics::kinematics::{Kinematics, positions};
use diffsim::model::params::{Param, ParamKind};
use diffsim::model::tendon::{TendonPath, TendonSpec};
use diffsim::model::{Actuation, Model};
use diffsim::spatial::Vec3;
use diffsim::step::{Contact, Options, Sim, StepJacobians};
use diffsim::tendon::Paths;
use std::sync::Arc;

fn placements(model: &Model, joint: &str) -> Vec<Param> {
    let index = model.joint_id(joint).unwrap();
    (0..6)
        .map(|k| param(ParamKind::JointPlacement, index, k))
        .collect()
}

#[test]
fn springs_have_derivatives_with_every_law() {
    for (name, a, b) in PAIRS {
        let (mut spec, mut rng) = arms();
        spec.springs.push(spring(
            "soft",
            [(a, rng.vec3(0.2)), (b, rng.vec3(0.2))],
            [40.0, 0.5],
        ));
        spec.springs.push(spring(
            "stiff",
            [(a, rng.vec3(0.2)), (b, rng.vec3(0.2))],
            [1e5, 0.5],
        ));
        let model = Model::compile(spec, Actuation::Full).unwrap();
        for contact in LAWS {
            let mut c = Checker::new(
                model.clone(),
                &Options {
                    contact,
                    ..options(4e-3)
                },
            );
            (c.eps, c.stencil) = (EPS, FOURTH_ORDER);
            let mut list = placements(&model, "joint2");
            list.extend(placements(&model, "joint6"));
            list.extend([0, 1].map(|k| param(ParamKind::Spring, 0, k)));
            list.extend([0, 1].map(|k| param(ParamKind::Spring, 1, k)));
            list.extend(anchors(&model));
            c.select(&list);
            let q = random_q(&mut rng, &model, 0.3);
            c.run(&format!("{name}, {contact:?}"), &q, 1.0, 3);
        }
    }
}

/// The length of the only tendon at q.
fn length(model: &Model, q: &[f64]) -> f64 {
    let mut kin = Kinematics::new(model);
    positions(&mut kin, model, model.params(), q);
    let mut paths = Paths::new(model, false);
    paths.update(&kin, q);
    paths.length(0)
}

/// Checks a tendon of the arms that `hold` gives its numbers, from its length at the state.
fn check_tendon(
    name: &str,
    contacts: &[Contact],
    hold: impl Fn(&mut TendonSpec, f64),
    parameters: bool,
) {
    let (spec, mut rng) = arms();
    for (way, path) in paths(&mut rng) {
        let mut spec = spec.clone();
        spec.tendons.push(tendon("t", path));
        let q = random_q(
            &mut rng,
            &Model::compile(spec.clone(), Actuation::Full).unwrap(),
            0.3,
        );
        let l = length(&Model::compile(spec.clone(), Actuation::Full).unwrap(), &q);
        hold(&mut spec.tendons[0], l);
        let model = Model::compile(spec, Actuation::Full).unwrap();
        for contact in contacts {
            let o = Options {
                contact: *contact,
                ..options(4e-3)
            };
            for (kp, kd) in [(0.0, 0.0), (0.6, 0.3)] {
                if *contact == Contact::Convex && kp > 0.0 {
                    continue;
                }
                let mut c = Checker::new(model.clone(), &Options { kp, kd, ..o });
                (c.eps, c.stencil) = (EPS, FOURTH_ORDER);
                if name.contains("near") {
                    // A bound that is reached is led back from beyond a millionth.
                    c.eps = 1e-7;
                }
                let mut list = placements(&model, "joint2");
                list.extend(placements(&model, "joint6"));
                list.extend(anchors(&model));
                if parameters {
                    list.extend([0, 1, 2, 3].map(|k| param(ParamKind::Tendon, 0, k)));
                }
                c.select(&list);
                c.run(&format!("{name}, {way}, {contact:?}, kp {kp}"), &q, 1.0, 3);
            }
        }
    }
}

#[test]
fn bounds_of_lengths_have_derivatives() {
    // Passed, reached within the step, and out of reach.
    check_tendon(
        "lower passed",
        &LAWS,
        |t, l| t.limits = Some((l + 0.02, l + 9.0)),
        false,
    );
    check_tendon(
        "upper passed",
        &LAWS,
        |t, l| t.limits = Some((l - 9.0, l - 0.1)),
        false,
    );
    check_tendon(
        "upper near",
        &LAWS,
        |t, l| t.limits = Some((l - 9.0, l + 2e-3)),
        false,
    );
    check_tendon(
        "within",
        &LAWS,
        |t, l| t.limits = Some((l - 9.0, l + 9.0)),
        false,
    );
}

#[test]
fn dry_friction_along_tendons_has_derivatives() {
    for (name, loss) in [("holds", 200.0), ("slips", 0.3)] {
        check_tendon(name, &LAWS, |t, _| t.friction_loss = loss, false);
    }
}

#[test]
fn spring_dampers_of_tendons_have_derivatives() {
    let law =
        |t: &mut TendonSpec, k, d, rest| (t.stiffness, t.damping, t.rest) = (k, d, Some(rest));
    check_tendon(
        "spring",
        &LAWS,
        |t, l| law(t, 80.0, 0.1, (l - 0.1, l - 0.1)),
        true,
    );
    check_tendon(
        "spring-damper",
        &LAWS,
        |t, l| law(t, 80.0, 2.0, (l + 0.1, l + 0.2)),
        true,
    );
    check_tendon(
        "within",
        &LAWS,
        |t, l| law(t, 80.0, 2.0, (l - 0.2, l + 0.2)),
        true,
    );
    check_tendon(
        "beyond",
        &LAWS,
        |t, l| law(t, 80.0, 2.0, (l - 0.4, l - 0.2)),
        true,
    );
    check_tendon(
        "stiff",
        &LAWS,
        |t, l| law(t, 1e6, 10.0, (l - 0.01, l - 0.01)),
        true,
    );
    let cable = |t: &mut TendonSpec, rest| {
        law(t, 80.0, 2.0, (rest - 9.0, rest));
        t.pull_only = true;
    };
    check_tendon("taut", &LAWS, |t, l| cable(t, l - 0.1), true);
    check_tendon("slack", &LAWS, |t, l| cable(t, l + 0.1), true);
}

/// Without contact, rows have the effect of implicit forces, also of stiff ones. (Where free joints keep
/// world axes, forces see their velocity in those of the beginning, rows in those that the step goes along.)
#[test]
fn rows_agree_with_implicit_forces() {
    for stiffness in [30.0, 1e5, 1e8] {
        let (mut spec, mut rng) = arms();
        for (i, (_, path)) in paths(&mut rng).into_iter().enumerate() {
            let mut t = tendon(&format!("t{i}"), path);
            (t.stiffness, t.damping) = (stiffness, 0.3);
            spec.tendons.push(t);
        }
        let model = Arc::new(Model::compile(spec, Actuation::Full).unwrap());
        let nv = model.nv();
        let (q, v) = (random_q(&mut rng, &model, 0.01), rng.vector(nv, 0.3));
        let run = |contact| {
            let o = Options {
                contact,
                ..in_body(options(1e-2))
            };
            let mut sim = Sim::new(model.clone(), &o).unwrap();
            let (mut q, mut v) = (q.clone(), v.clone());
            let mut square = vec![0.0; nv * nv];
            for _ in 0..5 {
                let (q0, v0) = (q.clone(), v.clone());
                sim.step(&q0, &v0, &vec![0.1; nv], &mut q, &mut v).unwrap();
            }
            sim.step_jacobians(StepJacobians {
                dv_dq: Some(&mut square),
                ..Default::default()
            })
            .unwrap();
            (v, square)
        };
        let (v_none, by_q) = run(Contact::None);
        for contact in LAWS {
            let (v, square) = run(contact);
            let errors = [relative_error(&v, &v_none), relative_error(&square, &by_q)];
            println!("{stiffness:e} {contact:?}: {errors:?}");
            assert!(
                errors.iter().all(|e| *e < 1e-9),
                "{stiffness:e} {contact:?}: {errors:?}"
            );
        }
    }
}

/// A quadruped whose legs are held by everything that there is.
fn corded_quadruped(corded: bool) -> Model {
    let mut spec = quadruped_spec(false);
    let id = |name: &str| spec.bodies.iter().position(|b| b.name == name).unwrap();
    let foot = Vec3::new(0.0, 0.0, -0.21);
    let between = |a: usize, b: usize| TendonPath::Spatial(vec![point(a, foot), point(b, foot)]);
    let joints =
        |list: [(&str, f64); 2]| TendonPath::Fixed(list.map(|(name, x)| (name.into(), x)).into());
    let mut springy = tendon("springy", joints([("thigh0", 1.0), ("calf0", 0.5)]));
    (springy.stiffness, springy.damping) = (30.0, 0.3);
    let mut cable = tendon("cable", between(id("trunk"), id("calf2")));
    (cable.stiffness, cable.damping, cable.pull_only) = (5e3, 5.0, true);
    cable.rest = Some((0.0, 0.1));
    let mut limited = tendon("limited", between(id("calf0"), id("calf1")));
    limited.limits = Some((0.0, 0.2));
    let mut dry = tendon("dry", between(id("calf2"), id("calf3")));
    dry.friction_loss = 3.0;
    let mut sum = tendon("sum", joints([("hip2", 1.0), ("hip3", 1.0)]));
    sum.limits = Some((0.05, 3.0));
    let own = spring(
        "spring",
        [(id("calf1"), foot), (id("calf2"), Vec3::ZERO)],
        [50.0, 1.0],
    );
    if corded {
        spec.tendons = vec![springy, cable, limited, dry, sum];
        spec.springs = vec![own];
    }
    Model::compile(spec, Actuation::Full).unwrap()
}

#[test]
fn rows_of_tendons_beside_contacts() {
    let model = corded_quadruped(true);
    for contact in LAWS {
        let (mut q, mut v) = (standing(&model), vec![0.0; 18]);
        v[1] = 0.3;
        let rest = q.clone();
        let mut c = Checker::new(
            model.clone(),
            &Options {
                contact,
                ..options(2e-3)
            },
        );
        c.eps = 3e-7;
        let mut list = placements(&model, "calf0");
        list.push(param(ParamKind::GeomFriction, 0, 0));
        list.extend([0, 1].map(|k| param(ParamKind::Spring, 0, k)));
        list.extend(anchors(&model));
        for tendon in 0..2 {
            list.extend([0, 1, 2, 3].map(|k| param(ParamKind::Tendon, tendon, k)));
        }
        c.select(&list);
        let mut rng = Rng::new(4);
        let mut used = [false; 4];
        for step in 0..80 {
            let mut u = vec![0.0; 18];
            for k in 6..18 {
                u[k] = 40.0 * (rest[k + 1] - q[k + 1]) - v[k] + rng.range(-2.0, 2.0);
            }
            if step % 6 == 0 {
                c.check(&mut q, &mut v, &u);
            } else {
                let (q0, v0) = (q.clone(), v.clone());
                c.sim.step(&q0, &v0, &u, &mut q, &mut v).unwrap();
            }
            let touching = c.sim.contacts().iter().any(|c| c.impulse[2] > 0.0);
            used[0] |= touching;
        }
        assert!(used[0]);
        c.report(&format!("corded quadruped, {contact:?}"));
    }
}

#[test]
fn steps_with_tendons_do_not_allocate_and_repeat() {
    for contact in LAWS {
        let o = Options {
            contact,
            ..options(2e-3)
        };
        let mut sim = Sim::new(Arc::new(corded_quadruped(true)), &o).unwrap();
        let (q, v) = (standing(sim.model()), vec![0.1; 18]);
        let (mut qn, mut vn) = (q.clone(), v.clone());
        let (mut dq, mut dv) = (vec![0.0; 18], vec![0.0; 18]);
        let square = || vec![0.0; 18 * 18];
        let rest = || [square(), square(), square(), Vec::new()];
        let (mut jq, mut jv) = (rest(), rest());
        let jacobians = all_jacobians(&mut jq, &mut jv);
        let used = allocation_counter::measure(|| {
            sim.step(&q, &v, &[0.0; 18], &mut qn, &mut vn).unwrap();
            sim.step_jvp(&[0.1; 18], &[], &[], &[], &mut dq, &mut dv)
                .unwrap();
            sim.step_jacobians(jacobians).unwrap();
            sim.step_vjp(&[1.0; 18], &[0.5; 18], Some(&mut dq), None, None, None)
                .unwrap();
        });
        assert_eq!(used.count_total, 0, "{contact:?}");
        let run = |sim: &mut Sim, q: &mut Vec<f64>, v: &mut Vec<f64>| {
            for _ in 0..20 {
                let (q0, v0) = (q.clone(), v.clone());
                sim.step(&q0, &v0, &[0.0; 18], q, v).unwrap();
            }
        };
        let mut memory = vec![0.0; sim.memory_size()];
        sim.get_memory(&mut memory).unwrap();
        let (mut q2, mut v2) = (qn.clone(), vn.clone());
        run(&mut sim, &mut qn, &mut vn);
        let mut other = Sim::new(sim.model().clone(), &o).unwrap();
        other.set_memory(&memory).unwrap();
        run(&mut other, &mut q2, &mut v2);
        let bits = |x: &[f64]| x.iter().map(|x| x.to_bits()).collect::<Vec<_>>();
        assert_eq!(
            (bits(&qn), bits(&vn)),
            (bits(&q2), bits(&v2)),
            "{contact:?}"
        );
    }
}

/// By a stiffness and a damping that are zero derivatives are those of what would be added.
#[test]
fn numbers_that_are_zero_have_derivatives() {
    let (mut spec, mut rng) = arms();
    spec.springs.push(spring(
        "s",
        [(3, rng.vec3(0.2)), (5, rng.vec3(0.2))],
        [0.0; 2],
    ));
    let paths = paths(&mut rng);
    for (i, (_, path)) in paths.into_iter().enumerate() {
        let mut t = tendon(&format!("t{i}"), path);
        t.rest = Some((-20.0, -0.5 + i as f64));
        t.pull_only = i == 2;
        spec.tendons.push(t);
    }
    let model = Arc::new(Model::compile(spec, Actuation::Full).unwrap());
    let nv = model.nv();
    let q = random_q(&mut rng, &model, 0.3);
    let (v, u) = (rng.vector(nv, 1.0), rng.vector(nv, 1.0));
    let spring = [0, 1].map(|k| param(ParamKind::Spring, 0, k));
    let tendons = [0, 1, 2].map(|i| [0, 1].map(|k| param(ParamKind::Tendon, i, k)));
    let list = [&spring[..], tendons.as_flattened()].concat();
    for contact in LAWS {
        let mut sim = Sim::new(
            model.clone(),
            &Options {
                contact,
                ..options(4e-3)
            },
        )
        .unwrap();
        sim.select_params(&list).unwrap();
        let step = |sim: &mut Sim| {
            let (mut qn, mut vn) = (q.clone(), v.clone());
            sim.reset();
            sim.step(&q, &v, &u, &mut qn, &mut vn).unwrap();
            vn
        };
        let at_zero = step(&mut sim);
        let mut dv = vec![0.0; nv * list.len()];
        sim.step_jacobians(StepJacobians {
            dv_dp: Some(&mut dv),
            ..Default::default()
        })
        .unwrap();
        for (k, ours) in dv.chunks_exact(nv).enumerate() {
            let mut p = vec![0.0; list.len()];
            p[k] = 1e-6;
            sim.set_params(&p).unwrap();
            let there = step(&mut sim);
            sim.set_params(&vec![0.0; list.len()]).unwrap();
            let slope: Vec<f64> = there
                .iter()
                .zip(&at_zero)
                .map(|(a, b)| (a - b) / 1e-6)
                .collect();
            let error = relative_error(ours, &slope);
            assert!(error < 1e-6, "{contact:?} {:?}: {error:e}", list[k]);
        }
    }
}

/// Chains beyond the depth of packed rows have their derivatives by directions.
#[test]
fn long_chains_with_tendons() {
    let mut spec = lying_spec(72, 4);
    let joints = (0..10).map(|k| (format!("hinge{}", 1 + 7 * k), 0.5));
    let mut sum = tendon("sum", TendonPath::Fixed(joints.collect()));
    (sum.stiffness, sum.damping) = (3.0, 0.1);
    let along = (0..6).map(|k| point(1 + 14 * k, Vec3::Z * 0.02));
    let mut cable = tendon("cable", TendonPath::Spatial(along.collect()));
    (cable.stiffness, cable.damping, cable.rest) = (400.0, 1.0, Some((1.0, 1.0)));
    cable.limits = Some((0.0, 1.01));
    cable.friction_loss = 0.1;
    spec.tendons = vec![sum, cable];
    spec.springs
        .push(spring("s", [(20, Vec3::ZERO), (60, Vec3::Z)], [2.0, 0.1]));
    let model = Arc::new(Model::compile(spec, Actuation::Full).unwrap());
    assert!(model.topology().is_deep());
    for contact in LAWS {
        let mut c = Checker::new(
            model.clone(),
            &Options {
                contact,
                ..options(1e-3)
            },
        );
        c.eps = 1e-6;
        c.select(&[0, 1, 2].map(|k| param(ParamKind::Tendon, 1, k)));
        c.run(&format!("long chain, {contact:?}"), model.neutral(), 0.0, 1);
    }
}
