//! Recorded problems, each of which once defeated a method. From simulated humanoids: feet whose corners
//! differ by nanometres, so that their rows are dependent to seven digits and rigid sticking contradicts
//! itself in the eighth. From a tumbling quadruped: faces that slide and turn on their corners, and that
//! a push on one corner alone would draw in.
//!
//! Four lines per problem: blocks as (law, μ or bound, given mode), g, given λ, and G's lower triangle
//! by rows. Numbers are the bits of an f64 in hexadecimal.

use crate::contact::certificate::{Effort, Path};
use crate::contact::mode::Mode;
use crate::contact::ncp::{Method, NcpOptions, NcpSolver};
use crate::contact::problem::{Block, Delassus, Problem};
use crate::contact::tuning::SWEEPS;

struct Recorded {
    blocks: Vec<Block>,
    modes: Vec<Mode>,
    g: Vec<f64>,
    lambda: Vec<f64>,
    delassus: Vec<f64>,
}

impl Recorded {
    fn problem(&self) -> Problem<'_> {
        Problem {
            blocks: &self.blocks,
            delassus: Delassus::Dense(&self.delassus),
            g: &self.g,
        }
    }

    /// Recomputes the certificate.
    fn check(&self, k: usize, lambda: &[f64]) {
        let n = self.g.len();
        let velocity = self.g.iter().fold(1.0f64, |m, x| m.max(x.abs()));
        let size = lambda.iter().fold(0.0f64, |m, x| m.max(x.abs()));
        let mut at = 0;
        for block in &self.blocks {
            let sigma = |r: usize| {
                self.g[r]
                    + (0..n)
                        .map(|j| self.delassus[r * n + j] * lambda[j])
                        .sum::<f64>()
            };
            if let Block::Contact { mu } = block {
                let (l, s) = (
                    &lambda[at..at + 3],
                    [sigma(at), sigma(at + 1), sigma(at + 2)],
                );
                let slip = s[0].hypot(s[1]);
                assert!(l[0].hypot(l[1]) <= mu * l[2] + 1e-10 * size, "{k}");
                assert!(s[2] >= -1e-10 * velocity, "{k}");
                let work = l[0] * s[0] + l[1] * s[1] + l[2] * (s[2] + mu * slip);
                assert!(work.abs() <= 1e-10 * size * velocity, "{k}");
            }
            at += block.rows();
        }
    }
}

fn recorded() -> Vec<Recorded> {
    read(include_str!(
        "../../../../tests/contact/recorded/humanoids.txt"
    ))
}

fn read(text: &str) -> Vec<Recorded> {
    let number = |s: &str| f64::from_bits(u64::from_str_radix(s, 16).unwrap());
    let numbers = |line: &str| line.split(' ').map(number).collect::<Vec<f64>>();
    let lines: Vec<&str> = text.lines().collect();
    lines
        .chunks_exact(4)
        .map(|part| {
            let words: Vec<&str> = part[0].split(' ').collect();
            let (blocks, modes) = words
                .chunks_exact(3)
                .map(|word| {
                    let block = match word[0] {
                        "c" => Block::Contact {
                            mu: number(word[1]),
                        },
                        "u" => Block::Unilateral,
                        "x" => Block::Box {
                            bound: number(word[1]),
                        },
                        _ => Block::Bilateral,
                    };
                    (block, Mode::from_index(word[2].parse().unwrap()).unwrap())
                })
                .unzip();
            let (g, triangle) = (numbers(part[1]), numbers(part[3]));
            let n = g.len();
            let mut delassus = vec![0.0; n * n];
            for row in 0..n {
                for column in 0..=row {
                    let value = triangle[row * (row + 1) / 2 + column];
                    delassus[row * n + column] = value;
                    delassus[column * n + row] = value;
                }
            }
            Recorded {
                blocks,
                modes,
                lambda: numbers(part[2]),
                g,
                delassus,
            }
        })
        .collect()
}

#[test]
fn problems_of_humanoids_are_certified_without_first_order_methods() {
    let mut solver = NcpSolver::new(60, 30);
    let cases = recorded();
    assert_eq!(cases.len(), 9);
    let mut interior = 0;
    for (k, case) in cases.iter().enumerate() {
        for warm in [true, false] {
            let (mut lambda, mut modes) = (case.lambda.clone(), case.modes.clone());
            if !warm {
                lambda.fill(0.0);
                modes.fill(Mode::Unknown);
            }
            let c = solver
                .solve(
                    &case.problem(),
                    &mut lambda,
                    &mut modes,
                    &NcpOptions::default(),
                )
                .unwrap();
            println!("{k} warm {warm}: {c:?}");
            assert!(c.converged && c.residual() <= 5e-11, "{k}: {c:?}");
            assert!(c.sweeps <= SWEEPS && c.admm == 0, "{k}: {c:?}");
            // Unsuccessful pivots are among the factorizations.
            let factorizations = c.newton + c.interior + c.continuation;
            assert!(factorizations <= 250, "{k}: {c:?}");
            interior += usize::from(c.interior > 0);
            case.check(k, &lambda);
            solver.linearize(&case.problem()).unwrap();
        }
    }
    assert!(interior >= 8, "{interior} of 18 needed the interior point");
}

/// Pivots solve the first one. Next to a switch they end, and continuation solves the problem.
#[test]
fn problems_of_a_quadruped_that_slides_are_solved() {
    let mut solver = NcpSolver::new(60, 30);
    let cases = read(include_str!(
        "../../../../tests/contact/recorded/sliding.txt"
    ));
    assert_eq!(cases.len(), 4);
    let mut by_pivots = 0;
    for (k, case) in cases.iter().enumerate() {
        let (mut lambda, mut modes) = (case.lambda.clone(), case.modes.clone());
        let c = solver
            .solve(
                &case.problem(),
                &mut lambda,
                &mut modes,
                &NcpOptions::default(),
            )
            .unwrap();
        println!("{k}: {c:?}");
        assert!(
            c.converged && c.sweeps <= SWEEPS && c.admm == 0,
            "{k}: {c:?}"
        );
        by_pivots += usize::from(c.path == Path::Polished && c.interior == 0);
        case.check(k, &lambda);
        solver.linearize(&case.problem()).unwrap();
    }
    assert!(by_pivots > 0);
}

#[test]
fn how_far_a_solve_went_is_said() {
    let mut solver = NcpSolver::new(60, 30);
    let mut found = [0; 3];
    let cases = (recorded().into_iter()).chain(read(include_str!(
        "../../../../tests/contact/recorded/sliding.txt"
    )));
    for (k, case) in cases.enumerate() {
        for tolerance in [1e-10, 1e-17] {
            let mut solve = |effort: Effort| {
                let (mut lambda, mut modes) = (case.lambda.clone(), case.modes.clone());
                let options = NcpOptions {
                    effort,
                    tolerance,
                    max_iterations: 100,
                    ..NcpOptions::default()
                };
                let c = solver.solve(&case.problem(), &mut lambda, &mut modes, &options);
                (c.unwrap(), lambda)
            };
            let (full, other) = solve(Effort::Thorough);
            for effort in [Effort::Brief, Effort::Usual] {
                let (less, one) = solve(effort);
                assert!(less.effort <= effort, "{k}: {less:?}");
                if full.effort <= effort {
                    assert_eq!(one, other, "{k}");
                    assert!(less.converged, "{k}: {less:?} {full:?}");
                }
            }
            found[full.effort as usize] += 1;
        }
    }
    assert!(found.iter().all(|n| *n > 0), "{found:?}");
}

#[test]
fn the_order_of_the_blocks_does_not_decide_whether_a_problem_is_certified() {
    let mut solver = NcpSolver::new(60, 30);
    for (k, case) in recorded().iter().enumerate() {
        let n = case.g.len();
        let mut starts = vec![0];
        for block in &case.blocks {
            starts.push(starts[starts.len() - 1] + block.rows());
        }
        let order: Vec<usize> = (0..case.blocks.len()).rev().collect();
        let rows: Vec<usize> = order
            .iter()
            .flat_map(|b| starts[*b]..starts[b + 1])
            .collect();
        let other = Recorded {
            blocks: order.iter().map(|b| case.blocks[*b]).collect(),
            modes: vec![Mode::Unknown; order.len()],
            g: rows.iter().map(|r| case.g[*r]).collect(),
            lambda: vec![0.0; n],
            delassus: rows
                .iter()
                .flat_map(|c| rows.iter().map(move |r| case.delassus[c * n + r]))
                .collect(),
        };
        let (mut lambda, mut modes) = (other.lambda.clone(), other.modes.clone());
        let c = solver
            .solve(
                &other.problem(),
                &mut lambda,
                &mut modes,
                &NcpOptions::default(),
            )
            .unwrap();
        assert!(c.converged && c.admm == 0, "{k}: {c:?}");
    }
}

#[test]
fn solvers_allocate_nothing_and_repeat_their_bits() {
    let cases = recorded();
    let mut solver = NcpSolver::new(60, 30);
    for method in [Method::Auto, Method::Continuation] {
        let options = NcpOptions {
            method,
            ..NcpOptions::default()
        };
        let mut answers: Vec<Vec<f64>> = Vec::new();
        for round in 0..2 {
            for (k, case) in cases.iter().enumerate() {
                let (mut lambda, mut modes) = (case.lambda.clone(), case.modes.clone());
                let count = allocation_counter::measure(|| {
                    let c = solver.solve(&case.problem(), &mut lambda, &mut modes, &options);
                    assert!(c.is_ok());
                });
                assert_eq!(count.count_total, 0, "{k}");
                if round == 0 {
                    answers.push(lambda);
                } else {
                    let same = answers[k]
                        .iter()
                        .zip(&lambda)
                        .all(|(a, b)| a.to_bits() == b.to_bits());
                    assert!(same, "{k}");
                }
            }
        }
    }
}

#[test]
fn continuation_alone_solves_every_recorded_problem() {
    let mut solver = NcpSolver::new(60, 30);
    let options = NcpOptions {
        method: Method::Continuation,
        ..NcpOptions::default()
    };
    let cases = (recorded().into_iter()).chain(read(include_str!(
        "../../../../tests/contact/recorded/sliding.txt"
    )));
    for (k, case) in cases.enumerate() {
        let mut lambda = vec![0.0; case.g.len()];
        let mut modes = vec![Mode::Unknown; case.blocks.len()];
        let c = solver.solve(&case.problem(), &mut lambda, &mut modes, &options);
        let c = c.unwrap();
        println!("{k}: {c:?}");
        assert!(c.converged && c.continuation > 0, "{k}: {c:?}");
        assert!(c.sweeps + c.admm + c.interior == 0, "{k}: {c:?}");
    }
}

/// Surfaces that only glide on each other: no impulse along their normal moves anything, and the normal
/// velocity is round-off. No path leads through the cones of such a contact; continuation once ended at
/// its start.
#[test]
fn continuation_passes_by_what_no_impulse_moves() {
    let mut solver = NcpSolver::new(72, 36);
    let options = NcpOptions {
        method: Method::Continuation,
        ..NcpOptions::default()
    };
    for (k, case) in recorded().into_iter().enumerate() {
        let n = case.g.len();
        let m = n + 6;
        let mut delassus = vec![0.0; m * m];
        for (to, from) in (delassus.chunks_mut(m)).zip(case.delassus.chunks(n)) {
            to[..n].copy_from_slice(from);
        }
        // Tangential rows do respond.
        for r in [n, n + 1, n + 3, n + 4] {
            delassus[r * m + r] = 0.1;
        }
        let case = Recorded {
            blocks: [case.blocks, vec![Block::Contact { mu: 0.0 }; 2]].concat(),
            modes: vec![Mode::Unknown; case.modes.len() + 2],
            g: [case.g, vec![0.01, 0.02, -1e-17, -0.03, 0.01, 2e-13]].concat(),
            lambda: vec![0.0; m],
            delassus,
        };
        let (mut lambda, mut modes) = (case.lambda.clone(), case.modes.clone());
        let c = solver.solve(&case.problem(), &mut lambda, &mut modes, &options);
        let c = c.unwrap();
        assert!(c.converged, "{k}: {c:?}");
        case.check(k, &lambda);
    }
}
