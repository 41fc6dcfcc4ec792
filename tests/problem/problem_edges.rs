//! The solver alone at its edges: switches, no contacts, memory between solves, bad input and numbers of any
//! size.

use crate::common::problems::{Case, LAWS, jvp, on_corners, options, solve, solver, vjp};
use crate::common::{Rng, relative_error};
use diffsim::error::Status;
use diffsim::problem::{ContactProblem, ProblemBars, ProblemData, ProblemOptions};
use diffsim::step::{Contact, Gradient};

/// A ball that just touches: of an impulse there is one to one side only.
#[test]
fn the_label_of_a_touch_is_one_sided() {
    for law in LAWS {
        let mut case = Case::random(&mut Rng::new(9), law, 6, 1);
        let mut solver = solver(law, 6, 1);
        case.0[2].fill(0.0);
        case.0[3].fill(0.0);
        solve(&mut solver, &case);
        assert_eq!(solver.info().unwrap().gradient, Gradient::OneSided);
        let by = case.direction(&mut Rng::new(10), Some(2));
        jvp(&mut solver, &by, 6, 3);
        assert_eq!(solver.info().unwrap().gradient, Gradient::OneSided);
    }
}

#[test]
fn without_contacts_the_velocity_is_free() {
    for law in LAWS {
        let mut rng = Rng::new(6);
        let case = Case::random(&mut rng, law, 4, 0);
        let mut solver = solver(law, 4, 2);
        assert_eq!(solve(&mut solver, &case), case.0[2]);
        let by = case.direction(&mut rng, None);
        assert_eq!(jvp(&mut solver, &by, 4, 0), by.0[2]);
        let bars = vjp(&mut solver, &case, &[1.0, 2.0, 3.0, 4.0]);
        assert_eq!(bars.0[2], [1.0, 2.0, 3.0, 4.0]);
        assert_eq!(bars.0[0], [0.0; 16]);
        let info = solver.info().unwrap();
        assert!(info.converged && info.gradient == Gradient::Exact && info.contacts == 0);
        // The next one may have some.
        solve(&mut solver, &Case::random(&mut rng, law, 4, 1));
    }
}

/// The warm start is state: without it a solve is that of a new solver, to the bit.
#[test]
fn a_reset_solver_is_a_new_one() {
    for law in LAWS {
        let mut rng = Rng::new(7);
        let cases: Vec<Case> = (0..8).map(|_| Case::random(&mut rng, law, 9, 3)).collect();
        let mut used = solver(law, 9, 3);
        for case in &cases {
            used.reset();
            let x = solve(&mut used, case);
            assert_eq!(x, solve(&mut solver(law, 9, 3), case));
            let again = solve(&mut used, case);
            assert!(relative_error(&again, &x) < 1e-12, "{law:?}");
        }
        used.reset();
        let none = used.info().unwrap_err();
        assert_eq!(none.status, Status::NoStep);
    }
}

#[test]
fn bad_input_is_refused_and_nothing_is_written() {
    for law in LAWS {
        let mut rng = Rng::new(8);
        let good = Case::random(&mut rng, law, 5, 2);
        let mut solver = solver(law, 5, 2);
        let early = solver.jvp(&ProblemData::default(), &mut [0.0; 5], &mut [0.0; 6]);
        assert_eq!(early.unwrap_err().status, Status::NoStep);
        let early = solver.vjp(&[], &[], ProblemBars::default());
        assert_eq!(early.unwrap_err().status, Status::NoStep);
        let solution = solve(&mut solver, &good);
        let by = good.direction(&mut rng, None);
        let derivative = jvp(&mut solver, &by, 5, 6);

        let mut refuse = |change: &dyn Fn(&mut Case), status: Status, said: &str| {
            let mut case = good.clone();
            change(&mut case);
            let (mut v, mut impulse) = (vec![7.0; 5], vec![7.0; case.rows()]);
            let e = solver.solve(&case.data(), &mut v, &mut impulse);
            let e = e.unwrap_err();
            assert!(e.status == status && e.message.contains(said), "{e} {said}");
            assert!(v.iter().chain(&impulse).all(|x| *x == 7.0));
            // The last solution stays.
            assert_eq!(jvp(&mut solver, &by, 5, 6), derivative);
        };
        let invalid = Status::InvalidArgument;
        refuse(
            &|c| c.0[0][1] += 0.1,
            invalid,
            "A must be symmetric: A[0, 1]",
        );
        refuse(
            &|c| c.0[0][3 * 5 + 3] = -1.0,
            invalid,
            "A must be positive definite: its Cholesky pivot 3",
        );
        refuse(&|c| c.0[0].fill(0.0), invalid, "Cholesky pivot 0");
        refuse(&|c| c.0[0][7] = f64::NAN, Status::Numerical, "A[7]");
        refuse(&|c| c.0[1][3] = f64::INFINITY, Status::Numerical, "J[3]");
        refuse(&|c| c.0[2][0] = f64::NAN, Status::Numerical, "v_free[0]");
        refuse(&|c| c.0[3][5] = f64::NAN, Status::Numerical, "target[5]");
        refuse(&|c| c.0[4][1] = f64::NAN, Status::Numerical, "friction[1]");
        refuse(
            &|c| c.0[4][1] = -0.1,
            invalid,
            "friction[1] must be at least 0",
        );
        refuse(&|c| c.0[1].truncate(29), invalid, "J must have 30 entries");
        refuse(
            &|c| c.0[4].push(0.1),
            Status::Capacity,
            "options.max_contacts = 2",
        );
        if law == Contact::Convex {
            refuse(
                &|c| c.0[5].clear(),
                invalid,
                "compliance must have 6 entries",
            );
            refuse(
                &|c| c.0[5][2] = 0.0,
                invalid,
                "compliance[2] must be positive",
            );
            refuse(&|c| c.0[5][4] *= 2.0, invalid, "compliance[4] must be");
        } else {
            refuse(&|c| c.0[5] = vec![0.1; 6], invalid, "compliance: ");
        }
        assert!(relative_error(&solve(&mut solver, &good), &solution) < 1e-12);
        let (mut dv, mut dimpulse) = ([7.0; 5], [7.0; 6]);
        let long = ProblemData {
            target: &[0.0; 5],
            ..ProblemData::default()
        };
        let e = solver.jvp(&long, &mut dv, &mut dimpulse).unwrap_err();
        assert!(e.message.contains("dtarget must have 6 entries"), "{e}");
        assert!(dv == [7.0; 5] && dimpulse == [7.0; 6]);

        // One iteration does not solve four contacts that come as they please.
        let hard = ProblemOptions {
            max_iterations: 1,
            ..options(law, 12, 8)
        };
        let mut stopped = ContactProblem::new(&hard).unwrap();
        let case = Case::random(&mut rng, law, 12, 8);
        let (mut v, mut impulse) = ([0.0; 12], [0.0; 24]);
        let info = stopped.solve(&case.data(), &mut v, &mut impulse).unwrap();
        assert!(
            !info.converged && info.gradient == Gradient::Refused,
            "{law:?}"
        );
        let e = stopped.jvp(&ProblemData::default(), &mut v, &mut impulse);
        assert_eq!(e.unwrap_err().status, Status::NotConverged);
    }
    for (o, status, said) in [
        (
            options(Contact::Ncp, 0, 1),
            Status::InvalidArgument,
            "options.nv",
        ),
        (
            options(Contact::Ncp, 1, 0),
            Status::InvalidArgument,
            "options.max_contacts",
        ),
        (
            options(Contact::None, 1, 1),
            Status::InvalidArgument,
            "options.law",
        ),
        (
            options(Contact::Penalty, 1, 1),
            Status::InvalidArgument,
            "options.law",
        ),
        (
            options(Contact::Ncp, usize::MAX / 2, 1),
            Status::Capacity,
            "memory",
        ),
        (
            options(Contact::Convex, 6, 1 << 60),
            Status::Capacity,
            "memory",
        ),
    ] {
        let e = ContactProblem::new(&o).unwrap_err();
        assert!(e.status == status && e.message.contains(said), "{e}");
    }
}

/// Numbers of any size: a finite solution or an error, a finite derivative or an error, and an end.
#[test]
fn extreme_numbers_come_to_an_end() {
    for law in LAWS {
        let mut rng = Rng::new(11);
        let (mut solved, mut refused, mut unsolved) = (0, 0, 0);
        let mut solver = solver(law, 6, 4);
        for k in 0..300 {
            let mut case = match k % 3 {
                0 => on_corners(law, [0.3, 0.1, -0.1, 0.0, 0.2, 0.1], 0.5),
                _ => Case::random(&mut rng, law, 6, 1 + k % 4),
            };
            for (part, values) in case.0.iter_mut().enumerate() {
                // A quarter of the parts, by up to hundreds of powers of ten; or some of their entries.
                let power = [0.0, 0.0, 0.0, rng.range(-1.0, 1.0)][rng.below(4)];
                let reach = [3.0, 20.0, 300.0][rng.below(3)];
                let whole = part == 0 || part == 5 || rng.below(2) == 0;
                let scale = 10f64.powf(power * reach);
                for x in values.iter_mut() {
                    if whole || rng.below(4) == 0 {
                        *x *= scale;
                    }
                }
            }
            if k % 7 == 0 {
                let rows = case.rows();
                for row in 0..3 {
                    case.0[1]
                        .iter_mut()
                        .skip(row)
                        .step_by(rows)
                        .for_each(|x| *x = 0.0);
                }
            }
            let (mut v, mut impulse) = (vec![7.0; 6], vec![7.0; case.rows()]);
            let info = match solver.solve(&case.data(), &mut v, &mut impulse) {
                Ok(info) => info,
                Err(_) => {
                    refused += 1;
                    assert!(v.iter().chain(&impulse).all(|x| *x == 7.0));
                    continue;
                }
            };
            assert!(v.iter().chain(&impulse).all(|x| x.is_finite()));
            solved += usize::from(info.converged);
            unsolved += usize::from(!info.converged);
            let by = case.direction(&mut rng, None);
            let rows = case.rows();
            let (mut dv, mut dimpulse) = (vec![7.0; 6], vec![7.0; rows]);
            match solver.jvp(&by.data(), &mut dv, &mut dimpulse) {
                Ok(()) => assert!(dv.iter().chain(&dimpulse).all(|x| x.is_finite())),
                Err(e) => {
                    assert!(dv.iter().chain(&dimpulse).all(|x| *x == 7.0));
                    assert!(!info.converged || e.status == Status::Numerical, "{e}");
                }
            }
            let mut bars = case.clone();
            let [a, j, v_free, ..] = bars.0.each_mut().map(|x| &mut x[..]);
            let out = ProblemBars {
                a: Some(a),
                j: Some(j),
                v_free: Some(v_free),
                ..ProblemBars::default()
            };
            let done = solver.vjp(&dv, &dimpulse, out);
            if done.is_ok() {
                let finite = |x: &[f64]| x.iter().all(|x| x.is_finite());
                assert!(
                    finite(&bars.0[0]) && finite(&bars.0[1]) && finite(&bars.0[2]),
                    "{law:?} {k}"
                );
            }
        }
        println!("{law:?}: {solved} solved, {unsolved} not, {refused} refused");
        assert!(solved > 150 && refused > 0, "{law:?}");
    }
}
