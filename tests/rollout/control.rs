//! Regulators about a state, and trajectories improved through contact within bounds of the inputs.

use crate::common::activated::{Point, pulled, walker};
use crate::common::checker::standing;
use crate::common::{Rng, random_q, relative_error};
use diffsim::control::{Ilqr, IlqrInfo, IlqrOptions, IlqrOutcome, lqr};
use diffsim::error::Status;
use diffsim::load::options::{Format, LoadOptions, load_file, load_str};
use diffsim::model::Model;
use diffsim::rollout::{Rollout, Trajectory};
use diffsim::step::{ActJacobians, Contact, Options};
use nalgebra::DMatrix;
use std::sync::Arc;

fn example(name: &str) -> Model {
    let path = format!("{}/examples/models/{name}", env!("CARGO_MANIFEST_DIR"));
    load_file(path.as_ref(), &LoadOptions::default()).unwrap()
}

fn of(m: &DMatrix<f64>) -> &[f64] {
    m.as_slice()
}

/// A double integrator's P solves the equation, which is known for h = 1, Q = diag(1, 0), R = r in the limit
/// of scalars.
#[test]
fn a_scalar_in_closed_form() {
    // p = q + a² p r/(r + b² p).
    for (a, b, q, r) in [
        (1.0, 1.0, 1.0, 1.0),
        (2.0, 0.5, 3.0, 0.1),
        (0.3, 1.0, 0.0, 1.0),
    ] {
        let (k, p) = lqr([1, 1], [&[a], &[b], &[q], &[r]]).unwrap();
        let (c, d) = (b * b, r * (1.0 - a * a) - b * b * q);
        let exact = (-d + (d * d + 4.0 * c * q * r).sqrt()) / (2.0 * c);
        assert!(
            (p[0] - exact).abs() < 1e-12 * (1.0 + exact),
            "{p:?} {exact}"
        );
        let gain = a * b * exact / (r + b * b * exact);
        assert!((k[0] - gain).abs() < 1e-12, "{k:?} {gain}");
    }
}

#[test]
fn random_systems_are_regulated() {
    let mut rng = Rng::new(7);
    for (nx, nu, growth) in [(2, 1, 1.0), (4, 2, 1.2), (8, 3, 1.5), (30, 10, 1.1)] {
        let a = DMatrix::from_fn(nx, nx, |r, c| {
            rng.range(-1.0, 1.0) / (nx as f64).sqrt() + if r == c { growth - 0.5 } else { 0.0 }
        });
        let b = DMatrix::from_fn(nx, nu, |_, _| rng.range(-1.0, 1.0));
        let (q, r) = (DMatrix::identity(nx, nx), DMatrix::identity(nu, nu) * 0.1);
        let (k, p) = lqr([nx, nu], [of(&a), of(&b), of(&q), of(&r)]).unwrap();
        let (k, p) = (
            DMatrix::from_column_slice(nu, nx, &k),
            DMatrix::from_column_slice(nx, nx, &p),
        );
        let closed = &a - &b * &k;
        let left = &q + closed.tr_mul(&(&p * &closed)) + k.tr_mul(&(&r * &k)) - &p;
        assert!(left.amax() < 1e-9 * p.amax(), "{nx}: {:e}", left.amax());
        let largest = closed.complex_eigenvalues().map(|x| x.norm()).max();
        assert!(largest < 1.0, "{nx}: {largest}");
    }
}

/// Inputs of round-off leave a closed loop of nearly equal eigenvalues, for which iterations for eigenvalues
/// do not end.
#[test]
fn inputs_of_round_off_are_refused() {
    let (nx, nu) = (36, 12);
    let mut rng = Rng::new(5);
    let b = rng.vector(nx * nu, 1e-16);
    let one = |n: usize| DMatrix::<f64>::identity(n, n);
    let (a, r) = (one(nx), one(nu));
    let given = [a.as_slice(), &b, a.as_slice(), r.as_slice()];
    let error = lqr([nx, nu], given).unwrap_err();
    assert_eq!(error.status, Status::NotConverged);
}

#[test]
fn what_cannot_be_regulated_is_refused() {
    let bad = |sizes, all: [&[f64]; 4]| lqr(sizes, all).unwrap_err();
    let one: &[f64] = &[1.0];
    // Unstable and out of reach; at the edge and unseen.
    assert_eq!(
        bad([1, 1], [&[2.0], &[0.0], one, one]).status,
        Status::NotConverged
    );
    assert_eq!(
        bad([1, 1], [one, one, &[0.0], one]).status,
        Status::NotConverged
    );
    for (all, name) in [
        ([&[f64::NAN], one, one, one], "A"),
        ([one, &[1.0, 2.0], one, one], "B"),
        ([one, one, &[-1.0], one], "Q"),
        ([one, one, one, &[0.0]], "R"),
    ] {
        let e = bad([1, 1], all);
        assert!(e.message.starts_with(name), "{e}");
    }
    let skew: &[f64] = &[1.0, 2.0, 0.0, 1.0];
    let e = bad([2, 1], [skew, &[1.0, 1.0], skew, one]);
    assert!(e.message.starts_with("Q: must be symmetric"), "{e}");
    assert_eq!(
        bad([0, 1], [&[], &[], &[], one]).status,
        Status::InvalidArgument
    );
}

fn options(contact: Contact) -> Options {
    Options {
        time_step: 0.01,
        contact,
        ..Options::default()
    }
}

/// A plan to hold the keyframe, from a state beside it.
fn planner(model: &Arc<Model>, contact: Contact, steps: usize) -> (Ilqr, Vec<f64>, Vec<f64>) {
    planner_of(model, contact, steps, 100)
}

fn planner_of(
    model: &Arc<Model>,
    contact: Contact,
    steps: usize,
    max_iterations: usize,
) -> (Ilqr, Vec<f64>, Vec<f64>) {
    let how = IlqrOptions {
        max_iterations,
        ..IlqrOptions::default()
    };
    let mut ilqr = Ilqr::new(model.clone(), &options(contact), &how, steps).unwrap();
    let (nv, nu) = (model.nv(), model.nu());
    let (q, u) = match model.keyframe("standing") {
        Ok(key) => (key.q.clone(), key.u.clone()),
        Err(_) => (model.neutral().to_vec(), vec![0.0; nu]),
    };
    let state: Vec<f64> = (0..2 * nv)
        .map(|k| if k < nv { 20.0 } else { 0.1 })
        .collect();
    ilqr.set_weights(&state, &state, &vec![0.01; nu]).unwrap();
    ilqr.set_reference(None, &q, &vec![0.0; nv], &u).unwrap();
    (ilqr, q, u)
}

/// Differences of the cost by each input: as large as said where no bound holds, and inwards at a bound none
/// that lowers it.
fn check_slopes(
    model: &Arc<Model>,
    contact: Contact,
    (q0, v0): (&[f64], &[f64]),
    u0: &[f64],
    [lower, upper]: [&[f64]; 2],
    u: &[f64],
    info: &IlqrInfo,
) {
    let nu = model.nu();
    let (mut ilqr, ..) = planner_of(model, contact, u.len() / nu, 0);
    let cost = |ilqr: &mut Ilqr, k: usize, dx: f64| {
        let mut x = u.to_vec();
        x[k] += dx;
        ilqr.solve(q0, v0, &mut x).unwrap().cost
    };
    let first: Vec<f64> = u0.iter().cycle().take(u.len()).copied().collect();
    let mut at_first = first.clone();
    let begun = ilqr.solve(q0, v0, &mut at_first).unwrap();
    assert_eq!(begun.iterations, 0);
    // The possible gain of a free input over a tenth of its range, and always its share of the plan's gain.
    let gained = info.first_cost - info.cost;
    for k in (0..u.len()).step_by(7) {
        let range = upper[k % nu] - lower[k % nu];
        let d = 1e-5 * range;
        let slope = (cost(&mut ilqr, k, d) - cost(&mut ilqr, k, -d)) / (2.0 * d);
        let inward = match u[k] {
            x if x <= lower[k % nu] => slope.min(0.0),
            x if x >= upper[k % nu] => slope.max(0.0),
            _ => slope,
        };
        if info.outcome == IlqrOutcome::Converged {
            assert!(
                inward.abs() <= info.slope * 1.01 + 1e-6,
                "{k}: {slope} {info:?}"
            );
            assert!(
                inward.abs() * 0.1 * range < 0.02 * gained,
                "{k}: {slope} {info:?}"
            );
        }
    }
}

/// At the least no input within its bounds has a slope, by the rollout's own adjoint.
#[test]
fn plans_end_where_the_gradient_does() {
    for contact in [Contact::None, Contact::Ncp, Contact::Convex] {
        let model = Arc::new(example("quadruped.xml"));
        let (nq, nv, nu, steps) = (model.nq(), model.nv(), model.nu(), 12);
        let (mut ilqr, mut q0, u0) = planner(&model, contact, steps);
        let mut rng = Rng::new(3);
        let mut v0 = rng.vector(nv, 0.2);
        if contact == Contact::None {
            q0 = random_q(&mut rng, &model, 0.2);
        }
        v0[1] += 0.2;
        let (lower, upper): (Vec<f64>, Vec<f64>) = u0.iter().map(|u| (u - 0.15, u + 0.1)).unzip();
        ilqr.set_input_bounds(&lower, &upper).unwrap();
        let mut u: Vec<f64> = (0..steps).flat_map(|_| u0.clone()).collect();
        let info = ilqr.solve(&q0, &v0, &mut u).unwrap();
        println!("{contact:?}: {info:?}");
        assert!(info.cost < info.first_cost, "{info:?}");
        // Feet that begin to slip make the cost a ragged one.
        match contact {
            Contact::None => assert_eq!(info.outcome, IlqrOutcome::Converged),
            _ => assert!(info.cost < 0.2 * info.first_cost, "{info:?}"),
        }
        let held = u.iter().enumerate().filter(|(i, u)| {
            assert!(**u >= lower[i % nu] && **u <= upper[i % nu]);
            **u == lower[i % nu] || **u == upper[i % nu]
        });
        assert!(held.count() > 0, "no bound is reached");
        // The same trajectory and cost by a rollout, and its gradient.
        let mut rollout = Rollout::new(model.clone(), &options(contact), steps).unwrap();
        let (mut q, mut v) = (vec![0.0; nq * (steps + 1)], vec![0.0; nv * (steps + 1)]);
        (rollout.run(&q0, &v0, &u, steps, Some(&mut q), Some(&mut v))).unwrap();
        let (planned, _) = ilqr.states().unwrap();
        assert!(relative_error(planned, &q) < 1e-9);
        assert_eq!(ilqr.gains(0).unwrap().len(), nu * 2 * nv);
        let (start, [lower, upper]) = ((&q0[..], &v0[..]), [&lower[..], &upper[..]]);
        check_slopes(&model, contact, start, &u0, [lower, upper], &u, &info);
        let mut again = vec![0.0; u.len()];
        again
            .chunks_exact_mut(nu)
            .for_each(|x| x.copy_from_slice(&u0));
        let repeated = ilqr.solve(&q0, &v0, &mut again).unwrap();
        assert_eq!(again, u, "other bits the second time");
        assert_eq!(repeated.cost, info.cost);
    }
}

/// A plan through contact is the same in N m and in thousandths, where changes are damped, too.
#[test]
fn units_of_inputs_do_not_matter() {
    let file = format!(
        "{}/examples/models/quadruped.xml",
        env!("CARGO_MANIFEST_DIR")
    );
    let text = std::fs::read_to_string(file).unwrap();
    let (steps, push) = (30, 1.5);
    let plan = |unit: f64| {
        let lines = text.lines().map(|line| {
            let motor = (line.trim_start().starts_with("<position name")).then(|| {
                let joint = line
                    .split("joint=\"")
                    .nth(1)
                    .unwrap()
                    .split('"')
                    .next()
                    .unwrap();
                format!("<motor joint=\"{joint}\" gear=\"{unit}\"/>")
            });
            motor.unwrap_or_else(|| line.split("ctrl=").next().unwrap().to_owned())
        });
        let text = lines
            .collect::<Vec<_>>()
            .join("\n")
            .replace(" -1.8\"\n", " -1.8\"/>\n");
        let model = load_str(&text, Format::Mjcf, None, &LoadOptions::default()).unwrap();
        let model = Arc::new(model);
        let (nv, nu) = (model.nv(), model.nu());
        let (mut ilqr, q, u) = planner_of(&model, Contact::Ncp, steps, 30);
        let state = vec![20.0; 2 * nv];
        let effort = vec![1e-3 * unit * unit; nu];
        ilqr.set_weights(&state, &state, &effort).unwrap();
        let bound = vec![40.0 / unit; nu];
        let least: Vec<f64> = bound.iter().map(|b| -b).collect();
        ilqr.set_input_bounds(&least, &bound).unwrap();
        let mut v = vec![0.0; nv];
        v[1] = push;
        let mut inputs = u.repeat(steps);
        let info = ilqr.solve(&q, &v, &mut inputs).unwrap();
        inputs.iter_mut().for_each(|u| *u *= unit);
        (info, inputs)
    };
    let [(info, u), (other, in_thousandths)] = [1.0, 1.0 / 1024.0].map(plan);
    assert!(info.cost < info.first_cost, "{info:?}");
    assert_eq!((info.iterations, info.cost), (other.iterations, other.cost));
    assert_eq!(u, in_thousandths);
}

/// About an equilibrium the first gain of a long horizon without bounds is that of the regulator.
#[test]
fn gains_tend_to_the_regulator() {
    let model = Arc::new(example("cartpole.xml"));
    let (nv, nu) = (model.nv(), model.nu());
    let (mut ilqr, q, _) = planner(&model, Contact::None, 600);
    let mut u = vec![0.0; nu * 600];
    let v = vec![0.0; nv];
    let info = ilqr.solve(&q, &v, &mut u).unwrap();
    assert!(info.cost < 1e-20, "{info:?}");
    let mut sim = diffsim::step::Sim::new(model.clone(), &options(Contact::None)).unwrap();
    let (mut q1, mut v1) = (q.clone(), v.clone());
    sim.step(&q, &v, &vec![0.0; nu], &mut q1, &mut v1).unwrap();
    let [mut jq, mut jv] = [[nv, nv, nu, 0], [nv, nv, nu, 0]].map(|s| s.map(|n| vec![0.0; nv * n]));
    sim.step_jacobians(crate::common::all_jacobians(&mut jq, &mut jv))
        .unwrap();
    let nx = 2 * nv;
    let at = |r: usize, c: usize| {
        let part = if r < nv { &jq } else { &jv };
        part[usize::from(c >= nv)][(c % nv) * nv + r % nv]
    };
    let a = DMatrix::from_fn(nx, nx, at);
    let b = DMatrix::from_fn(nx, nu, |r, c| {
        (if r < nv { &jq } else { &jv })[2][c * nv + r % nv]
    });
    let weights = DMatrix::from_fn(nx, nx, |r, c| match r == c {
        true if r < nv => 20.0,
        true => 0.1,
        false => 0.0,
    });
    let (k, _) = lqr([nx, nu], [of(&a), of(&b), of(&weights), &[0.01]]).unwrap();
    let planned = ilqr.gains(0).unwrap();
    let opposite: Vec<f64> = k.iter().map(|x| -x).collect();
    assert!(
        relative_error(planned, &opposite) < 1e-6,
        "{planned:?} {k:?}"
    );
}

#[test]
fn bad_input_is_named_and_nothing_is_written() {
    let model = Arc::new(example("quadruped.xml"));
    let (nv, nu) = (model.nv(), model.nu());
    let (mut ilqr, q, u0) = planner(&model, Contact::Ncp, 3);
    let v = vec![0.0; nv];
    let named = |e: diffsim::error::Error, name: &str| assert!(e.message.contains(name), "{e}");
    named(ilqr.gains(0).unwrap_err(), "no plan");
    named(ilqr.states().unwrap_err(), "no plan");
    let mut u = vec![1.0; nu * 3];
    let before = u.clone();
    named(ilqr.solve(&q[1..], &v, &mut u).unwrap_err(), "q");
    named(ilqr.solve(&q, &v[1..], &mut u).unwrap_err(), "v");
    u[4] = f64::NAN;
    named(ilqr.solve(&q, &v, &mut u).unwrap_err(), "u[4]");
    u[4] = 1.0;
    named(ilqr.solve(&q, &v, &mut u[1..]).unwrap_err(), "u");
    assert_eq!(u, before);
    let w = vec![1.0; 2 * nv];
    named(
        ilqr.set_weights(&w, &w, &vec![0.0; nu]).unwrap_err(),
        "input[0]",
    );
    named(
        ilqr.set_weights(&w[1..], &w, &vec![1.0; nu]).unwrap_err(),
        "state",
    );
    named(
        ilqr.set_reference(Some(4), &q, &v, &u0).unwrap_err(),
        "node",
    );
    named(
        ilqr.set_input_bounds(&vec![1.0; nu], &vec![0.0; nu])
            .unwrap_err(),
        "lower[0]",
    );
    let no_steps = Ilqr::new(
        model.clone(),
        &options(Contact::Ncp),
        &IlqrOptions::default(),
        0,
    );
    named(no_steps.unwrap_err(), "steps");
    let huge = Ilqr::new(
        model,
        &options(Contact::Ncp),
        &IlqrOptions::default(),
        usize::MAX / 2,
    );
    assert_eq!(huge.unwrap_err().status, Status::Capacity);
    ilqr.set_reference(None, &q, &vec![1e200; nv], &u0).unwrap();
    let e = ilqr.solve(&q, &v, &mut u).unwrap_err();
    assert_eq!((e.status, &u), (Status::Numerical, &before));
    named(e, "cost");
}

/// Slopes of a plan's cost by each input are those of differences of a rollout's: with muscles, filters and
/// motors on joints and along tendons between two trees, and under a robot that stands; with dofs driven.
#[test]
fn slopes_with_activations_tendons_and_driven_dofs() {
    for contact in [Contact::None, Contact::Ncp, Contact::Convex] {
        let (model, reach) = match contact {
            Contact::None => (Arc::new(pulled()), 0.2),
            _ => (Arc::new(walker()), 1e-3),
        };
        let driven = [(1, 0.3 * reach), (model.nv() - 1, -reach)];
        let (nq, nv, nu, na) = (model.nq(), model.nv(), model.nu(), model.na());
        let (steps, mut rng) = (6, Rng::new(5));
        let how = IlqrOptions {
            max_iterations: 0,
            ..IlqrOptions::default()
        };
        let mut ilqr = Ilqr::new(model.clone(), &options(contact), &how, steps).unwrap();
        let mut rollout = Rollout::new(model.clone(), &options(contact), steps).unwrap();
        for (dof, velocity) in driven {
            ilqr.sim_mut().prescribe(dof, velocity).unwrap();
            rollout.sim_mut().prescribe(dof, velocity).unwrap();
        }
        let weights =
            |rng: &mut Rng, n: usize| -> Vec<f64> { (0..n).map(|_| rng.range(0.5, 4.0)).collect() };
        let n = 2 * nv + na;
        let [state, end, input] = [n, n, nu].map(|n| weights(&mut rng, n));
        ilqr.set_weights(&state, &end, &input).unwrap();
        let mut at = Point::random(&mut rng, &model);
        at.v.iter_mut().for_each(|v| *v *= reach);
        let (v_ref, act_ref) = (rng.vector(nv, 0.3), weights(&mut rng, na));
        ilqr.set_reference(None, &at.q, &v_ref, &at.u).unwrap();
        ilqr.set_act_reference(None, &act_ref).unwrap();
        let u = rng.vector(nu * steps, 0.5);
        let q0 = match contact {
            Contact::None => random_q(&mut rng, &model, reach),
            _ => standing(&model),
        };
        let mut cost = |u: &[f64]| {
            let [mut q, mut v, mut act] = [nq, nv, na].map(|n| vec![0.0; n * (steps + 1)]);
            let out = Trajectory {
                q: Some(&mut q),
                v: Some(&mut v),
                act: Some(&mut act),
            };
            (rollout.run_act(&q0, &at.v, &at.act, u, steps, out)).unwrap();
            let mut sum = 0.0;
            for k in 0..=steps {
                let mut d = vec![0.0; nv];
                model.difference(&at.q, &q[k * nq..][..nq], &mut d);
                d.extend((0..nv).map(|i| v[k * nv + i] - v_ref[i]));
                d.extend((0..na).map(|i| act[k * na + i] - act_ref[i]));
                let w = if k == steps { &end } else { &state };
                sum += 0.5 * w.iter().zip(&d).map(|(w, d)| w * d * d).sum::<f64>();
            }
            let inputs = u.iter().enumerate();
            sum + inputs
                .map(|(i, x)| 0.5 * input[i % nu] * (x - at.u[i % nu]).powi(2))
                .sum::<f64>()
        };
        let mut kept = u.clone();
        let info = ilqr.solve_act(&q0, &at.v, &at.act, &mut kept).unwrap();
        assert_eq!((kept == u, info.iterations), (true, 0));
        assert!((info.cost - cost(&u)).abs() < 1e-9 * info.cost, "{info:?}");
        assert_eq!(ilqr.gains(0).unwrap().len(), nu * n);
        assert_eq!(&ilqr.activations().unwrap()[..na], at.act);
        let slopes = crate::common::by_vector(&u, |u| vec![cost(u)]);
        let largest = slopes.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
        let error = (info.slope - largest).abs() / largest;
        println!("{contact:?}: slope {largest}, error {error:e}");
        assert!(error < 1e-7, "{contact:?}: {info:?} {largest}");
    }
}

/// Where no kink holds it, a plan with activations ends where no input has a slope; it repeats its bits.
#[test]
fn plans_vary_activations() {
    let text = r#"<mujoco><worldbody><body><joint name="a" axis="0 1 0" damping="0.2"/><geom size="0.1" mass="1" pos="0.2 0 0"/>
        <body pos="0.4 0 0"><joint name="b" axis="0 1 0.1"/><geom size="0.1" mass="1" pos="0.2 0 0"/>
        <body pos="0.4 0 0"><joint name="c" axis="0 1 0"/><geom size="0.1" mass="1" pos="0.2 0 0"/></body></body></body></worldbody>
        <actuator><general joint="a" dyntype="filter" dynprm="0.04" gainprm="20"/>
        <general joint="b" dyntype="filterexact" dynprm="0.02" gainprm="5" actearly="true"/></actuator></mujoco>"#;
    let model = Arc::new(load_str(text, Format::Mjcf, None, &LoadOptions::default()).unwrap());
    let (nv, nu, na, steps) = (model.nv(), model.nu(), model.na(), 10);
    let how = IlqrOptions {
        tolerance: 1e-13,
        ..IlqrOptions::default()
    };
    let mut ilqr = Ilqr::new(model.clone(), &options(Contact::None), &how, steps).unwrap();
    ilqr.sim_mut().prescribe(2, 0.3).unwrap();
    let state = vec![3.0; 2 * nv + na];
    ilqr.set_weights(&state, &state, &vec![0.05; nu]).unwrap();
    let at = Point::random(&mut Rng::new(3), &model);
    ilqr.set_reference(None, &at.q, &vec![0.0; nv], &vec![0.0; nu])
        .unwrap();
    ilqr.set_act_reference(Some(steps), &vec![0.5; na]).unwrap();
    let mut u: Vec<f64> = (0..steps).flat_map(|_| at.u.clone()).collect();
    let (mut again, v) = (u.clone(), vec![0.0; nv]);
    let info = ilqr.solve_act(&at.q, &v, &at.act, &mut u).unwrap();
    println!("{info:?}");
    assert_eq!(info.outcome, IlqrOutcome::Converged);
    assert!(
        info.cost < 0.9 * info.first_cost && info.slope < 1e-5 * info.cost,
        "{info:?}"
    );
    let planned = ilqr.activations().unwrap().to_vec();
    let repeated = ilqr.solve_act(&at.q, &v, &at.act, &mut again).unwrap();
    assert_eq!((again == u, repeated.cost), (true, info.cost));
    assert_eq!(ilqr.activations().unwrap(), planned);
    let named = |e: diffsim::error::Error, name: &str| assert!(e.message.contains(name), "{e}");
    named(
        ilqr.set_act_reference(None, &at.act[1..]).unwrap_err(),
        "act",
    );
    named(
        ilqr.set_act_reference(Some(steps + 1), &at.act)
            .unwrap_err(),
        "node",
    );
    named(
        ilqr.solve_act(&at.q, &v, &at.act[1..], &mut again)
            .unwrap_err(),
        "act0",
    );
    named(
        ilqr.set_weights(&state[1..], &state, &vec![1.0; nu])
            .unwrap_err(),
        "state",
    );
    assert_eq!(again, u);
    // Without activations to begin with they are zero.
    ilqr.solve(&at.q, &v, &mut again).unwrap();
    assert_eq!(ilqr.activations().unwrap()[..na], vec![0.0; na]);
}

/// About an equilibrium the first gain is the regulator's of the state with its activation.
#[test]
fn gains_by_activations_tend_to_the_regulator() {
    let text = r#"<mujoco><option gravity="0 0 0"/><worldbody><body><joint name="j" axis="0 1 0" damping="0.1"/>
        <geom size="0.1" mass="1" pos="0.3 0 0"/></body></worldbody>
        <actuator><general joint="j" dyntype="filter" dynprm="0.1" gainprm="3"/></actuator></mujoco>"#;
    let model = Arc::new(load_str(text, Format::Mjcf, None, &LoadOptions::default()).unwrap());
    let steps = 800;
    let how = IlqrOptions::default();
    let mut ilqr = Ilqr::new(model.clone(), &options(Contact::None), &how, steps).unwrap();
    ilqr.set_weights(&[20.0, 0.1, 0.3], &[20.0, 0.1, 0.3], &[0.01])
        .unwrap();
    let info = ilqr.solve(&[0.0], &[0.0], &mut vec![0.0; steps]).unwrap();
    assert!(info.cost < 1e-20, "{info:?}");
    let mut sim = diffsim::step::Sim::new(model, &options(Contact::None)).unwrap();
    sim.step(&[0.0], &[0.0], &[0.0], &mut [0.0], &mut [0.0])
        .unwrap();
    let [mut jq, mut jv] = [[1, 1, 1, 0], [1, 1, 1, 0]].map(|s| s.map(|n| vec![0.0; n]));
    sim.step_jacobians(crate::common::all_jacobians(&mut jq, &mut jv))
        .unwrap();
    let mut x = [[0.0]; 4];
    let [qa, va, aa, au] = &mut x;
    sim.step_act_jacobians(ActJacobians {
        dq_dact: Some(qa),
        dv_dact: Some(va),
        dact_dact: Some(aa),
        dact_du: Some(au),
        ..ActJacobians::default()
    })
    .unwrap();
    let [[qa], [va], [aa], [au]] = x;
    let a = [jq[0][0], jv[0][0], 0.0, jq[1][0], jv[1][0], 0.0, qa, va, aa];
    let b = [jq[2][0], jv[2][0], au];
    assert!(va > 0.0 && au > 0.0 && b[1] == 0.0);
    let weights = [20.0, 0.0, 0.0, 0.0, 0.1, 0.0, 0.0, 0.0, 0.3];
    let (k, _) = lqr([3, 1], [&a, &b, &weights, &[0.01]]).unwrap();
    let opposite: Vec<f64> = k.iter().map(|x| -x).collect();
    let planned = ilqr.gains(0).unwrap();
    assert!(
        relative_error(planned, &opposite) < 1e-6,
        "{planned:?} {k:?}"
    );
}
