//! The solver alone: problems given by their matrices obey the laws, and have the derivatives of differences
//! by all that they are made of; a step of a simulation is one of them.

use crate::common::checker::{quadruped_spec, standing};
use crate::common::problems::{Case, LAWS, dot, jvp, on_corners, solve, solver, vjp};
use crate::common::scene::{at, cuboid, free, on_ground};
use crate::common::{Rng, at_once, difference, in_body, relative_error};
use diffsim::contact::mode::Mode;
use diffsim::model::spec::ModelSpec;
use diffsim::model::{Actuation, Model};
use diffsim::problem::ProblemBars;
use diffsim::step::{Contact, Gradient, Options, Sim};
use std::sync::Arc;

/// How far impulses are from their law, by what each law says of σ and λ.
fn off_law(law: Contact, case: &Case, sigma: &[f64], impulse: &[f64]) -> f64 {
    let mut worst = 0.0f64;
    let contacts = sigma.chunks_exact(3).zip(impulse.chunks_exact(3));
    for (i, ((s, l), mu)) in contacts.zip(&case.0[4]).enumerate() {
        let slip = s[0].hypot(s[1]);
        let friction = l[0].hypot(l[1]);
        let off = match law {
            Contact::Convex => {
                // The projection of y = −R⁻¹σ on the cone, in the norm of R.
                let r = &case.0[5][3 * i..3 * i + 3];
                let y = [0, 1, 2].map(|k| -s[k] / r[k]);
                let (y_t, ratio) = (y[0].hypot(y[1]), mu * r[0] / r[2]);
                let projected = if y_t <= mu * y[2] {
                    y
                } else if y[2] <= -ratio * y_t {
                    [0.0; 3]
                } else {
                    let n = (y[2] + ratio * y_t) / (1.0 + mu * ratio);
                    [mu * n * y[0] / y_t, mu * n * y[1] / y_t, n]
                };
                relative_error(l, &projected)
            }
            Contact::Lcp => {
                let boxed = |s: f64, l: f64| {
                    let bound = mu * impulse[3 * i + 2];
                    let within = (l.abs() - bound).max(0.0);
                    // At rest inside, against the motion at the bound.
                    let against = (l + bound * s.signum()).abs().min(s.abs());
                    within.max(against)
                };
                boxed(s[0], l[0])
                    .max(boxed(s[1], l[1]))
                    .max((-s[2]).max(0.0))
                    .max((-l[2]).max(0.0))
                    .max((s[2] * l[2]).abs())
            }
            _ => {
                let within = (friction - mu * l[2]).max(0.0);
                let dissipation = (l[0] * s[0] + l[1] * s[1] + mu * l[2] * slip).abs();
                within
                    .max(dissipation)
                    .max((-s[2]).max(0.0))
                    .max((-l[2]).max(0.0))
                    .max((s[2] * l[2]).abs())
            }
        };
        worst = worst.max(off);
    }
    worst
}

/// 200 problems a law: the momentum is balanced, and impulses are what the law says.
#[test]
fn solutions_balance_momentum_and_obey_their_law() {
    for law in LAWS {
        let mut rng = Rng::new(1);
        let mut seen = [0; 3];
        let mut solver = solver(law, 14, 5);
        for k in 0..200 {
            let mut case = Case::random(&mut rng, law, 14, 1 + k % 5);
            if k % 2 == 1 {
                case = case.on_two_bodies();
            }
            solver.reset();
            let x = solve(&mut solver, &case);
            let (v, impulse) = x.split_at(14);
            let change: Vec<f64> = v.iter().zip(&case.0[2]).map(|(v, f)| v - f).collect();
            let balance = relative_error(&case.times_a(&change), &case.force(impulse));
            assert!(balance < 1e-12, "{law:?} {k}: {balance:e}");
            let off = off_law(law, &case, &case.sigma(v), impulse);
            assert!(off < 1e-9, "{law:?} {k}: {off:e}");
            for mode in solver.modes() {
                match mode {
                    Mode::Breaking => seen[0] += 1,
                    Mode::Sticking => seen[1] += 1,
                    _ => seen[2] += 1,
                }
            }
        }
        assert!(seen.iter().all(|n| *n > 10), "{law:?} {seen:?}");
    }
}

/// Directions of each of the six, and of all at once, wherever no mode changes inside the difference;
/// adjoints.
#[test]
fn derivatives_are_those_of_differences() {
    const EPS: f64 = 1e-5;
    for law in LAWS {
        let (mut rng, nv) = (Rng::new(2), 14);
        let (mut checked, mut worst, mut apart) = (0, 0.0f64, 0.0f64);
        let mut solver = solver(law, nv, 5);
        for k in 0..40 {
            let mut case = Case::random(&mut rng, law, nv, 1 + k % 5);
            if k % 2 == 1 {
                case = case.on_two_bodies();
            }
            for part in (0..6).map(Some).chain([None]) {
                let by = case.direction(&mut rng, part);
                solver.reset();
                solve(&mut solver, &case);
                let modes = solver.modes().to_vec();
                let d = jvp(&mut solver, &by, nv, case.rows());
                assert_eq!(solver.info().unwrap().gradient, Gradient::Exact);
                let bar = rng.vector(nv + case.rows(), 1.0);
                let bars = vjp(&mut solver, &case, &bar);
                let forward = dot(&d, &bar);
                let parts = bars.0.iter().zip(&by.0);
                let backward: f64 = parts.map(|(b, d)| dot(b, d)).sum();
                apart = apart.max((forward - backward).abs() / forward.abs().max(1.0));
                let mut same = true;
                let expected = difference(EPS, |e| {
                    let x = solve(&mut solver, &case.moved(&by, e));
                    same &= modes == solver.modes();
                    x
                });
                if same {
                    checked += 1;
                    worst = worst.max(relative_error(&d, &expected));
                }
            }
        }
        println!("{law:?}: {checked} directions, worst {worst:.1e}, adjoints {apart:.1e}");
        assert!(
            checked > 250 && worst < 1e-6,
            "{law:?} {checked} {worst:.1e}"
        );
        assert!(apart < 1e-10, "{law:?} {apart:.1e}");
    }
}

/// Four corners depend on each other: the velocity has its derivative by free velocity, mass and friction,
/// and is labelled exact; of a target of one corner it is said that it is not.
#[test]
fn corners_that_depend_on_each_other_have_the_right_derivative() {
    for law in LAWS {
        for (speed, mu) in [(0.0, 0.6), (1.0, 0.3)] {
            let case = on_corners(law, [speed, 0.3 * speed, -0.05, 0.0, 0.0, 0.01], mu);
            let mut solver = solver(law, 6, 4);
            let x = solve(&mut solver, &case);
            let off = off_law(law, &case, &case.sigma(&x[..6]), &x[6..]);
            assert!(off < 1e-9, "{law:?} {off:e}");
            let mut rng = Rng::new(3);
            for part in [0, 2, 4] {
                let mut by = case.direction(&mut rng, Some(part));
                by.0[0].iter_mut().for_each(|x| *x *= 0.01);
                solve(&mut solver, &case);
                let d = jvp(&mut solver, &by, 6, 12);
                let label = solver.info().unwrap().gradient;
                assert_eq!(label, Gradient::Exact, "{law:?} {speed} {part}");
                let expected = difference(1e-6, |e| solve(&mut solver, &case.moved(&by, e)));
                let error = relative_error(&d[..6], &expected[..6]);
                assert!(error < 1e-6, "{law:?} {speed} {part}: {error:e}");
            }
            solve(&mut solver, &case);
            let unique = solver.impulses_are_unique().unwrap();
            let yields = law == Contact::Convex;
            assert_eq!(unique, yields, "{law:?} {speed}");
            let mut corner = Case([const { Vec::new() }; 6]);
            corner.0[3] = vec![0.0; 12];
            corner.0[3][2] = 1.0;
            jvp(&mut solver, &corner, 6, 12);
            let expected = if yields {
                Gradient::Exact
            } else {
                Gradient::OneSided
            };
            assert_eq!(solver.info().unwrap().gradient, expected, "{law:?} {speed}");
        }
    }
}

/// A, J, v_free and the target of a step, as an engine with dynamics of its own would make them.
fn of_step(sim: &mut Sim, q: &[f64], v: &[f64], u: &[f64]) -> Case {
    let (model, h) = (sim.model().clone(), sim.options().time_step);
    let (nv, reports) = (model.nv(), sim.contacts().to_vec());
    let rows = 3 * reports.len();
    let (mut a, mut acc) = (vec![0.0; nv * nv], vec![0.0; nv]);
    sim.mass_matrix(q, &mut a).unwrap();
    sim.forward_dynamics(q, v, u, &mut acc).unwrap();
    let mut placements = vec![0.0; 16 * model.nbody()];
    sim.forward_kinematics(q, &mut placements).unwrap();
    let mut case = Case([
        a,
        vec![0.0; rows * nv],
        v.iter().zip(&acc).map(|(v, a)| v + h * a).collect(),
        vec![0.0; rows],
        vec![0.7; reports.len()],
        Vec::new(),
    ]);
    for (c, report) in reports.iter().enumerate() {
        for (body, sign) in report.body.into_iter().zip([-1.0, 1.0]) {
            let frame = &placements[16 * body..16 * body + 16];
            let from = [0, 1, 2].map(|k| report.point[k] - frame[12 + k]);
            let local = [0, 1, 2].map(|k| dot(&frame[4 * k..4 * k + 3], &from));
            let mut jacobian = vec![0.0; 6 * nv];
            sim.body_jacobian(q, body, local, &mut jacobian).unwrap();
            let [t1, t2] = report.tangents;
            for (r, axis) in [t1, t2, report.normal].into_iter().enumerate() {
                for k in 0..nv {
                    let speed = dot(&axis, &jacobian[6 * k..6 * k + 3]);
                    case.0[1][k * rows + 3 * c + r] += sign * speed;
                }
            }
        }
        case.0[3][3 * c + 2] = report.gap / h;
    }
    case
}

/// A box, a stack of two, beside which a third stands alone, and a robot on the ground: the problem that
/// their dynamics make has the velocity and the impulses of the step.
#[test]
fn a_step_is_such_a_problem() {
    let ground_box = on_ground(0.7, 0.0999, 2.0, cuboid(0.2, 0.15, 0.1));
    let mut robot = quadruped_spec(false);
    for j in robot.bodies.iter_mut().flat_map(|b| &mut b.joints) {
        (j.damping, j.friction_loss) = (0.0, 0.0);
    }
    let mut stack = ground_box.clone();
    for (name, x, z) in [("upper", 0.01, 0.2998), ("third", 1.0, 0.0999)] {
        let shape = cuboid(0.2, 0.15, 0.1);
        free(&mut stack, name, at(x, 0.0, z), 1.0, shape);
    }
    for geom in &mut stack.geoms {
        geom.friction[0] = 0.7;
    }
    let compile = |spec: ModelSpec| Arc::new(Model::compile(spec, Actuation::Full).unwrap());
    let laws = LAWS.into_iter().filter(|law| *law != Contact::Convex);
    for (law, (model, feet)) in laws.flat_map(|law| {
        [
            (law, (compile(ground_box.clone()), 4)),
            (law, (compile(stack.clone()), 12)),
            (law, (compile(robot.clone()), 4)),
        ]
    }) {
        let options = at_once(in_body(Options {
            time_step: 1e-3,
            contact: law,
            ..Options::default()
        }));
        let (nq, nv) = (model.nq(), model.nv());
        let mut sim = Sim::new(model.clone(), &options).unwrap();
        let walks = nv == 18 && feet == 4;
        let mut q = match walks {
            true => standing(&model),
            false => model.neutral().to_vec(),
        };
        if walks {
            // Down to the ground.
            let mut placements = vec![0.0; 16 * model.nbody()];
            sim.forward_kinematics(&q, &mut placements).unwrap();
            let calf = &placements[16 * 4..16 * 5];
            q[2] -= calf[14] - 0.21 * calf[10] - 0.02 + 1e-4;
        }
        let mut rng = Rng::new(4);
        let v = rng.vector(nv, 0.05);
        let u: Vec<f64> = (0..model.nu())
            .map(|k| if walks && k >= 6 { 0.1 * k as f64 } else { 0.0 })
            .collect();
        let (mut q_next, mut v_next) = (vec![0.0; nq], vec![0.0; nv]);
        sim.step(&q, &v, &u, &mut q_next, &mut v_next).unwrap();
        let reports = sim.contacts().to_vec();
        assert_eq!(reports.len(), feet);
        let case = of_step(&mut sim, &q, &v, &u);
        let x = solve(&mut solver(law, nv, feet), &case);
        let error = relative_error(&x[..nv], &v_next);
        assert!(error < 1e-10, "{law:?} {nv}: {error:e}");
        let impulses: Vec<f64> = reports.iter().flat_map(|r| r.impulse).collect();
        let size = impulses.iter().fold(0.0f64, |m, x| m.max(x.abs()));
        let error = relative_error(&x[nv..], &impulses) / size.min(1.0);
        assert!(size > 1e-3 && error < 1e-8, "{law:?} {nv}: {error:e}");
    }
}

/// More rows than are held as one matrix: a plate on a grid of points.
#[test]
fn many_contacts_on_few_dofs() {
    for law in LAWS {
        let one = on_corners(law, [0.3, 0.1, -0.05, 0.1, 0.0, 0.2], 0.4);
        let (mut rng, copies) = (Rng::new(5), 10);
        // The box under other corners.
        let rows = 12 * copies;
        let mut case = one.clone();
        case.0[1] = vec![0.0; rows * 6];
        for k in 0..copies {
            let s = 1.0 - 0.05 * k as f64;
            for column in 0..6 {
                for row in 0..12 {
                    let lever = if column < 3 || row % 3 != 2 { 1.0 } else { s };
                    let x = one.0[1][column * 12 + row];
                    case.0[1][column * rows + 12 * k + row] = lever * x;
                }
            }
        }
        case.0[3] = vec![0.0; rows];
        case.0[4] = vec![0.4; 4 * copies];
        case.0[5] = one.0[5].repeat(copies);
        let mut solver = solver(law, 6, 4 * copies);
        let x = solve(&mut solver, &case);
        let off = off_law(law, &case, &case.sigma(&x[..6]), &x[6..]);
        assert!(off < 1e-9, "{law:?} {off:e}");
        let by = case.direction(&mut rng, Some(2));
        let d = jvp(&mut solver, &by, 6, rows);
        let bar = rng.vector(6, 1.0);
        let mut free = vec![0.0; 6];
        let bars = ProblemBars {
            v_free: Some(&mut free),
            ..ProblemBars::default()
        };
        solver.vjp(&bar, &[], bars).unwrap();
        let (forward, backward) = (dot(&d[..6], &bar), dot(&free, &by.0[2]));
        assert!((forward - backward).abs() < 1e-9 * forward.abs().max(1.0));
    }
}
