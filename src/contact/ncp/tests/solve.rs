//! Solutions: closed forms, agreement of the three methods, hard problems, bad input.

use super::problems::{Case, LEVEL, Random, random, table, tower};
use crate::contact::certificate::{Certificate, Path};
use crate::contact::mode::Mode;
use crate::contact::ncp::{Method, NcpOptions, NcpSolver};
use crate::contact::problem::{Block, Delassus, Problem};
use crate::error::Status;

/// Solves from a cold start. Panics unless certified at the default tolerance.
pub fn certified(solver: &mut NcpSolver, case: &Case) -> (Vec<f64>, Vec<Mode>, Certificate) {
    let (mut lambda, mut modes) = (
        vec![0.0; case.g.len()],
        vec![Mode::Unknown; case.blocks.len()],
    );
    let certificate = solver
        .solve(
            &case.problem(),
            &mut lambda,
            &mut modes,
            &NcpOptions::default(),
        )
        .unwrap();
    assert!(
        certificate.converged && certificate.residual() <= 1e-10,
        "{certificate:?}"
    );
    (lambda, modes, certificate)
}

pub fn velocity_change(case: &Case, a: &[f64], b: &[f64]) -> f64 {
    let (fa, fb) = (case.force(a), case.force(b));
    (0..fa.len())
        .map(|k| (case.inverse_mass[k] * (fa[k] - fb[k])).abs())
        .fold(0.0, f64::max)
}

#[test]
fn a_point_mass_breaks_sticks_or_slides_as_by_hand() {
    let mass: f64 = 2.0;
    let g: Vec<f64> = (0..9)
        .map(|k| if k % 4 == 0 { 1.0 / mass } else { 0.0 })
        .collect();
    let mut solver = NcpSolver::new(3, 1);
    for method in [Method::Auto, Method::Pgs, Method::Admm] {
        let [cone, pyramid] = [Block::Contact { mu: 0.5 }, Block::Pyramid { mu: 0.5 }];
        for (block, free, expected, mode) in [
            (cone, [0.3, 0.1, 1.0], [0.0, 0.0, 0.0], Mode::Breaking),
            (cone, [0.3, 0.4, -2.0], [-0.6, -0.8, 4.0], Mode::Sticking),
            (cone, [3.0, 4.0, -2.0], [-1.2, -1.6, 4.0], Mode::Sliding),
            (
                Block::Contact { mu: 0.0 },
                [3.0, 4.0, -2.0],
                [0.0, 0.0, 4.0],
                Mode::Sliding,
            ),
            (
                pyramid,
                [3.0, -4.0, -2.0],
                [-2.0, 2.0, 4.0],
                Mode::Bounded([-1, 1]),
            ),
            (
                pyramid,
                [3.0, -0.4, -2.0],
                [-2.0, 0.8, 4.0],
                Mode::Bounded([-1, 0]),
            ),
        ] {
            let problem = Problem {
                blocks: &[block],
                delassus: Delassus::Dense(&g),
                g: &free,
            };
            let (mut lambda, mut modes) = ([0.0; 3], [Mode::Unknown]);
            let options = NcpOptions {
                method,
                ..NcpOptions::default()
            };
            let certificate = solver
                .solve(&problem, &mut lambda, &mut modes, &options)
                .unwrap();
            assert!(certificate.converged, "{certificate:?}");
            assert_eq!(modes[0], mode);
            // ADMM stops at its tolerance; the other methods reach the exact solution.
            let bound = if method == Method::Admm { 1e-9 } else { 1e-14 };
            for k in 0..3 {
                assert!(
                    (lambda[k] - expected[k]).abs() < bound,
                    "{method:?} {lambda:?} {expected:?}"
                );
            }
        }
    }
}

#[test]
fn one_row_laws_have_their_closed_form() {
    // Two coupled rows: either a limit closes and friction saturates, or neither.
    let g = [2.0, 0.5, 0.5, 1.0];
    let mut solver = NcpSolver::new(2, 2);
    for (free, expected, mode) in [
        // σ = Gλ + g = 0 in both rows: λ = −G⁻¹g.
        (
            [-1.0, -0.3],
            [(1.0 - 0.15) / 1.75, (0.6 - 0.5) / 1.75],
            [Mode::Sticking, Mode::Sticking],
        ),
        ([-1.0, 3.0], [0.6, -0.4], [Mode::Sticking, Mode::AtLower]),
        ([5.0, -3.0], [0.0, 0.4], [Mode::Breaking, Mode::AtUpper]),
        ([5.0, 0.1], [0.0, -0.1], [Mode::Breaking, Mode::Sticking]),
    ] {
        let blocks = [Block::Unilateral, Block::Box { bound: 0.4 }];
        let problem = Problem {
            blocks: &blocks,
            delassus: Delassus::Dense(&g),
            g: &free,
        };
        let (mut lambda, mut modes) = ([0.0; 2], [Mode::Unknown; 2]);
        let certificate = solver
            .solve(&problem, &mut lambda, &mut modes, &NcpOptions::default())
            .unwrap();
        assert!(certificate.converged);
        assert_eq!(modes, mode);
        assert!(
            (lambda[0] - expected[0]).abs() < 1e-15 && (lambda[1] - expected[1]).abs() < 1e-15,
            "{lambda:?}"
        );
    }
}

#[test]
fn friction_is_isotropic_over_36_azimuths() {
    let mut solver = NcpSolver::new(3, 1);
    // A ball that lands sliding: G is that of a body with inertia, the same in every direction.
    let (mass, radius, mu) = (2.0, 0.1, 0.3);
    for (speed, sliding) in [(1.0, true), (0.2, false)] {
        for k in 0..36 {
            let angle = k as f64 * 10f64.to_radians();
            let mut case = Case::new(&[(mass, radius)]);
            case.inverse_mass[3..].fill(1.0 / (0.4 * mass * radius * radius));
            case.contact(mu, None, (0, [0.0, 0.0, -radius]), LEVEL);
            case.velocity[..3].copy_from_slice(&[speed * angle.cos(), speed * angle.sin(), -0.25]);
            let (lambda, modes, _) = certified(&mut solver, &case.finish());
            let normal = mass * 0.25;
            // Sticking: the impulse that makes a sliding ball roll is 2/7 m v.
            let tangent = if sliding {
                mu * normal
            } else {
                2.0 / 7.0 * mass * speed
            };
            assert_eq!(
                modes[0],
                if sliding {
                    Mode::Sliding
                } else {
                    Mode::Sticking
                }
            );
            for (l, expected) in
                lambda
                    .iter()
                    .zip([-tangent * angle.cos(), -tangent * angle.sin(), normal])
            {
                assert!((l - expected).abs() < 1e-12, "{lambda:?}");
            }
        }
    }
}

/// With ambiguous friction the methods may find different solutions. Each must then be a solution that
/// the default path confirms from there.
#[test]
fn the_three_methods_agree() {
    let mut rng = Random(3);
    let mut solver = NcpSolver::new(80, 40);
    let (mut agreed, mut other, mut unconverged) = ([0; 2], [0; 2], [0; 2]);
    let mut worst = 0.0f64;
    for round in 0..180 {
        let contacts = 1 + round % 12;
        let case = random(&mut rng, contacts, round % 5);
        let (lambda, _, certificate) = certified(&mut solver, &case);
        worst = worst.max(certificate.residual());
        for (k, method) in [Method::Pgs, Method::Admm].into_iter().enumerate() {
            let (mut found, mut modes) = (
                vec![0.0; lambda.len()],
                vec![Mode::Unknown; case.blocks.len()],
            );
            let options = NcpOptions {
                method,
                ..NcpOptions::default()
            };
            if !solver
                .solve(&case.problem(), &mut found, &mut modes, &options)
                .unwrap()
                .converged
            {
                unconverged[k] += 1;
                continue;
            }
            if velocity_change(&case, &lambda, &found) < 1e-6 {
                agreed[k] += 1;
                continue;
            }
            let mut polished = found.clone();
            let certificate = solver
                .solve(
                    &case.problem(),
                    &mut polished,
                    &mut modes,
                    &NcpOptions::default(),
                )
                .unwrap();
            let moved = velocity_change(&case, &polished, &found);
            assert!(
                certificate.converged && moved < 1e-6,
                "{method:?} round {round}: {moved} {certificate:?}"
            );
            other[k] += 1;
        }
    }
    println!(
        "agree {agreed:?}, another solution {other:?}, not converged {unconverged:?} (PGS, ADMM) of 180; {worst:e}"
    );
    assert!(agreed[0] > 150 && agreed[1] > 150 && other[0] + other[1] < 20);
}

#[test]
fn bad_input_is_refused_and_leaves_everything_as_it_was() {
    let case = table(
        10.0,
        0.5,
        [1.0, 0.6, 0.4],
        2,
        2,
        [0.3, 0.0, -0.1, 0.0, 0.0, 0.0],
    );
    let (n, nb) = (case.g.len(), case.blocks.len());
    let mut solver = NcpSolver::new(n, nb);
    let mut spoilt: Vec<(Case, Status, &str)> = Vec::new();
    let mut with = |status, text, change: &dyn Fn(&mut Case)| {
        let mut bad = case.clone();
        change(&mut bad);
        spoilt.push((bad, status, text));
    };
    with(Status::Numerical, "g[4]", &|c| c.g[4] = f64::NAN);
    with(Status::Numerical, "Delassus entry 17", &|c| {
        c.g_matrix[17] = f64::INFINITY
    });
    with(Status::Numerical, "block 1: friction", &|c| {
        c.blocks[1] = Block::Contact { mu: f64::NAN }
    });
    with(Status::InvalidArgument, "block 2: friction", &|c| {
        c.blocks[2] = Block::Contact { mu: -0.1 }
    });
    with(Status::InvalidArgument, "rows", &|c| {
        c.blocks[0] = Block::Bilateral
    });
    with(Status::InvalidArgument, "expected 12 × 12", &|c| {
        c.g_matrix.truncate(100)
    });
    let (mut lambda, mut modes) = (vec![0.25; n], vec![Mode::Sliding; nb]);
    for (bad, status, text) in &spoilt {
        let error = solver
            .solve(
                &bad.problem(),
                &mut lambda,
                &mut modes,
                &NcpOptions::default(),
            )
            .unwrap_err();
        assert_eq!(error.status, *status, "{error}");
        assert!(error.message.contains(text), "{error}");
        assert!(lambda.iter().all(|l| *l == 0.25) && modes.iter().all(|m| *m == Mode::Sliding));
        assert_eq!(
            solver.linearize(&case.problem()).unwrap_err().status,
            Status::NoStep
        );
    }
    let error = NcpSolver::new(n - 1, nb).solve(
        &case.problem(),
        &mut lambda,
        &mut modes,
        &NcpOptions::default(),
    );
    assert_eq!(error.unwrap_err().status, Status::Capacity);
    lambda[2] = f64::NAN;
    let error = solver
        .solve(
            &case.problem(),
            &mut lambda,
            &mut modes,
            &NcpOptions::default(),
        )
        .unwrap_err();
    assert!(error.message.contains("lambda[2]"), "{error}");
    certified(&mut solver, &case);
    assert_eq!(
        solver
            .apply(&case.problem(), &case.g, None, 1, &mut lambda)
            .unwrap_err()
            .status,
        Status::NoStep
    );
    solver.linearize(&case.problem()).unwrap();
    let error = solver
        .apply(&case.problem(), &case.g, None, 2, &mut lambda)
        .unwrap_err();
    assert!(
        error.message.contains("w has 12 entries, expected 12 × 2"),
        "{error}"
    );
    // For a problem without a solution the result is flagged, and its derivative refused.
    let problem = Problem {
        blocks: &[Block::Bilateral],
        delassus: Delassus::Dense(&[0.0]),
        g: &[1.0],
    };
    let certificate = solver
        .solve(
            &problem,
            &mut [0.0],
            &mut [Mode::Unknown],
            &NcpOptions::default(),
        )
        .unwrap();
    assert!(
        !certificate.converged && certificate.dual == 1.0,
        "{certificate:?}"
    );
    assert_eq!(
        solver.linearize(&problem).unwrap_err().status,
        Status::NotConverged
    );
    let empty = Problem {
        blocks: &[],
        delassus: Delassus::Dense(&[]),
        g: &[],
    };
    let certificate = solver
        .solve(&empty, &mut [], &mut [], &NcpOptions::default())
        .unwrap();
    assert_eq!(
        (certificate.path, certificate.converged),
        (Path::Empty, true)
    );
}

#[test]
fn nothing_is_allocated_after_creation_and_the_bits_repeat() {
    let mut rng = Random(9);
    let mut cases: Vec<Case> = (0..24)
        .map(|k| random(&mut rng, 1 + k % 12, k % 5))
        .collect();
    cases.push(tower(&[1.0; 4], 0.01));
    cases.push(table(
        10.0,
        0.5,
        [1.0, 0.6, 0.8],
        5,
        4,
        [1.0, 0.2, -0.01, 0.0, 0.0, 0.3],
    ));
    let mut solver = NcpSolver::new(64, 24);
    for case in &cases {
        let (n, nb, columns) = (case.g.len(), case.blocks.len(), 9);
        let w: Vec<f64> = (0..n * columns).map(|_| rng.signed()).collect();
        let mut runs: Vec<_> = (0..2)
            .map(|_| {
                (
                    vec![0.0; n],
                    vec![Mode::Unknown; nb],
                    w.clone(),
                    w.clone(),
                    vec![0.0; nb * columns],
                )
            })
            .collect();
        let limits = vec![0.5; nb * columns];
        for (lambda, modes, d, w_bar, limits_bar) in &mut runs {
            let problem = case.problem();
            let count = allocation_counter::measure(|| {
                for method in [Method::Pgs, Method::Admm, Method::Auto] {
                    let options = NcpOptions {
                        method,
                        max_iterations: 200,
                        ..NcpOptions::default()
                    };
                    if solver
                        .solve(&problem, lambda, modes, &options)
                        .is_ok_and(|c| c.converged)
                    {
                        let done = solver.linearize(&problem).is_ok()
                            && solver
                                .apply(&problem, &w, Some(&limits), columns, d)
                                .is_ok()
                            && solver
                                .apply_transpose(&problem, &w, columns, w_bar, Some(limits_bar))
                                .is_ok();
                        assert!(done);
                    }
                }
            });
            assert_eq!(count.count_total, 0);
        }
        assert_eq!(runs[0], runs[1]);
    }
}

/// Matrices that are no Delassus matrices, at all magnitudes: the result is a solution or an error,
/// never a panic, never NaN.
#[test]
fn no_numbers_make_it_panic() {
    let mut rng = Random(13);
    let mut solver = NcpSolver::new(24, 10);
    let options = NcpOptions {
        max_iterations: 60,
        ..NcpOptions::default()
    };
    let (mut converged, mut refused) = (0, 0);
    for round in 0..600 {
        let nb = 1 + rng.below(8);
        let mut magnitude = |spread: i32| match rng.below(8) {
            0 => 0.0,
            _ => rng.signed() * 10f64.powi(rng.below(2 * spread as usize + 1) as i32 - spread),
        };
        let spread = [0, 3, 12, 150, 300][round % 5];
        let blocks: Vec<Block> = (0..nb)
            .map(|k| match (k + round) % 5 {
                0 => Block::Unilateral,
                1 => Block::Box {
                    bound: magnitude(spread).abs(),
                },
                2 => Block::Bilateral,
                _ => Block::Contact {
                    mu: magnitude(spread.min(12)).abs(),
                },
            })
            .collect();
        let n = blocks.iter().map(|b| b.rows()).sum();
        let mut g_matrix = vec![0.0; n * n];
        for i in 0..n {
            for j in 0..=i {
                let x = magnitude(spread)
                    + if i == j && round % 2 == 0 {
                        10f64.powi(spread)
                    } else {
                        0.0
                    };
                (g_matrix[j * n + i], g_matrix[i * n + j]) = (x, x);
            }
        }
        let g: Vec<f64> = (0..n).map(|_| magnitude(spread)).collect();
        let mut lambda: Vec<f64> = (0..n).map(|_| magnitude(spread)).collect();
        let mut modes: Vec<Mode> = (0..nb)
            .filter_map(|k| Mode::from_index(((k * 7 + round) % 6) as f64))
            .collect();
        let problem = Problem {
            blocks: &blocks,
            delassus: Delassus::Dense(&g_matrix),
            g: &g,
        };
        match solver.solve(&problem, &mut lambda, &mut modes, &options) {
            Ok(certificate) => {
                assert!(lambda.iter().all(|l| l.is_finite()));
                if certificate.converged {
                    converged += 1;
                    solver.linearize(&problem).unwrap();
                    let (mut d, mut w) = (vec![0.0; n], vec![0.0; n]);
                    solver.apply(&problem, &g, None, 1, &mut d).unwrap();
                    solver
                        .apply_transpose(&problem, &g, 1, &mut w, None)
                        .unwrap();
                }
            }
            Err(error) => {
                assert_eq!(error.status, Status::Numerical, "{error}");
                refused += 1;
            }
        }
    }
    assert!(converged > 100 && refused > 10, "{converged} {refused}");
}
