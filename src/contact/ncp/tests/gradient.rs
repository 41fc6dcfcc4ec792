//! The linearization against central differences of the solution, and against its own transpose.

use super::problems::{Case, Random, random, table};
use crate::contact::mode::Mode;
use crate::contact::ncp::{NcpOptions, NcpSolver};
use crate::contact::problem::{Block, Delassus, Problem};

/// A random direction of all data of a problem.
struct Direction {
    rows: Vec<Vec<f64>>,
    g: Vec<f64>,
    limits: Vec<f64>,
}

impl Direction {
    fn random(random: &mut Random, case: &Case) -> Direction {
        Direction {
            rows: case
                .rows
                .iter()
                .map(|r| {
                    r.iter()
                        .map(|x| if *x == 0.0 { 0.0 } else { random.signed() })
                        .collect()
                })
                .collect(),
            g: case.g.iter().map(|_| random.signed()).collect(),
            limits: case.blocks.iter().map(|_| random.signed()).collect(),
        }
    }

    /// A copy of the case, moved by `step`: G from the moved rows, g moved by itself.
    fn moved(&self, case: &Case, step: f64) -> Case {
        let mut out = case.clone();
        for (row, d) in out.rows.iter_mut().zip(&self.rows) {
            row.iter_mut().zip(d).for_each(|(x, d)| *x += step * d);
        }
        for (block, d) in out.blocks.iter_mut().zip(&self.limits) {
            match block {
                Block::Contact { mu } if *mu > 0.0 => *mu += step * d,
                Block::Box { bound } => *bound += step * d,
                _ => {}
            }
        }
        let mut out = out.finish();
        out.g = case
            .g
            .iter()
            .zip(&self.g)
            .map(|(g, d)| g + step * d)
            .collect();
        out
    }

    /// dG λ + dg.
    fn w(&self, case: &Case, lambda: &[f64]) -> Vec<f64> {
        let n = case.g.len();
        (0..n)
            .map(|i| {
                self.g[i]
                    + (0..n)
                        .map(|j| {
                            lambda[j]
                                * (0..case.inverse_mass.len())
                                    .map(|k| {
                                        case.inverse_mass[k]
                                            * (self.rows[i][k] * case.rows[j][k]
                                                + case.rows[i][k] * self.rows[j][k])
                                    })
                                    .sum::<f64>()
                        })
                        .sum::<f64>()
            })
            .collect()
    }
}

fn solve(
    solver: &mut NcpSolver,
    case: &Case,
    lambda: &mut [f64],
    modes: &mut [Mode],
) -> crate::contact::certificate::Certificate {
    let c = solver
        .solve(&case.problem(), lambda, modes, &NcpOptions::default())
        .unwrap();
    assert!(c.converged && c.residual() <= 1e-10, "{c:?}");
    c
}

#[test]
fn the_derivative_is_that_of_central_differences_in_every_mode() {
    let mut rng = Random(7);
    let mut solver = NcpSolver::new(60, 40);
    let (mut checked, mut near, mut redundant, mut worst) = (0, 0, 0, 0.0f64);
    let mut seen = [0usize; 5];
    for round in 0..240 {
        let contacts = 1 + round % 8;
        let case = random(&mut rng, contacts, round % 5);
        let n = case.g.len();
        let (mut lambda, mut modes) = (vec![0.0; n], vec![Mode::Unknown; case.blocks.len()]);
        let certificate = solve(&mut solver, &case, &mut lambda, &mut modes);
        if certificate.path == crate::contact::ncp::Path::Pgs {
            println!("AGAIN");
            solve(&mut solver, &case, &mut lambda, &mut modes);
            println!("ENDAGAIN");
        }
        if certificate.redundant {
            redundant += 1;
            continue;
        }
        if certificate.margin < 1e-3 {
            near += 1;
            continue;
        }
        solver.linearize(&case.problem()).unwrap();
        for _ in 0..3 {
            let direction = Direction::random(&mut rng, &case);
            let w = direction.w(&case, &lambda);
            let mut exact = vec![0.0; n];
            solver.linearize(&case.problem()).unwrap();
            solver
                .apply(&case.problem(), &w, Some(&direction.limits), 1, &mut exact)
                .unwrap();
            let scale = exact.iter().fold(1.0f64, |m, x| m.max(x.abs()));
            // The step shrinks with the response, so that no mode changes inside the difference.
            let step = 1e-3 * certificate.margin.min(0.1) / scale;
            let mut ends: [Vec<f64>; 4] = std::array::from_fn(|_| lambda.clone());
            for (end, sign) in ends.iter_mut().zip([1.0, -1.0, 2.0, -2.0]) {
                let mut new_modes = modes.clone();
                solve(
                    &mut solver,
                    &direction.moved(&case, sign * step),
                    end,
                    &mut new_modes,
                );
                assert_eq!(new_modes, modes, "margin {}", certificate.margin);
            }
            for k in 0..n {
                let difference =
                    (8.0 * (ends[0][k] - ends[1][k]) - (ends[2][k] - ends[3][k])) / (12.0 * step);
                let error = (difference - exact[k]).abs() / scale;
                worst = worst.max(error);
                assert!(
                    error < 1e-6,
                    "round {round} row {k}: {difference} {} modes {modes:?} {certificate:?}",
                    exact[k]
                );
            }
            checked += 1;
            // Back to the undisturbed solution for the next direction.
            solve(&mut solver, &case, &mut lambda.clone(), &mut modes.clone());
        }
        for mode in &modes {
            seen[match mode {
                Mode::Breaking => 0,
                Mode::Sticking => 1,
                Mode::Sliding => 2,
                Mode::AtLower => 3,
                _ => 4,
            }] += 1;
        }
    }
    println!(
        "{checked} directions, largest relative error {worst:e}; {near} cases within 1e-3 of a switch and {redundant} \
         redundant ones left out; blocks breaking, sticking, sliding, at lower, at upper bound: {seen:?}"
    );
    assert!(checked > 400 && seen.iter().all(|s| *s > 10));
}

#[test]
fn the_transpose_is_the_adjoint() {
    let mut rng = Random(11);
    let mut solver = NcpSolver::new(80, 40);
    let mut count = 0;
    let mut cases: Vec<Case> = (0..40)
        .map(|k| random(&mut rng, 1 + k % 10, k % 5))
        .collect();
    cases.push(table(
        10.0,
        0.5,
        [1.0, 0.6, 0.8],
        5,
        4,
        [0.0, 0.0, -0.01, 0.0, 0.0, 0.0],
    ));
    cases.push(table(
        10.0,
        0.5,
        [1.0, 0.6, 0.8],
        5,
        4,
        [1.0, 0.2, -0.01, 0.0, 0.0, 0.3],
    ));
    cases.push(table(
        10.0,
        0.5,
        [1.0, 0.6, 0.8],
        2,
        2,
        [1.0, 0.2, -0.01, 0.0, 0.0, 0.0],
    ));
    for case in &cases {
        let (n, nb) = (case.g.len(), case.blocks.len());
        let (mut lambda, mut modes) = (vec![0.0; n], vec![Mode::Unknown; nb]);
        solve(&mut solver, case, &mut lambda, &mut modes);
        solver.linearize(&case.problem()).unwrap();
        let columns = 11;
        let mut numbers = |size: usize| {
            (0..size * columns)
                .map(|_| rng.signed())
                .collect::<Vec<_>>()
        };
        let (w, limits, lambda_bar) = (numbers(n), numbers(nb), numbers(n));
        let (mut dlambda, mut w_bar, mut limits_bar) = (w.clone(), w.clone(), limits.clone());
        solver
            .apply(&case.problem(), &w, Some(&limits), columns, &mut dlambda)
            .unwrap();
        solver
            .apply_transpose(
                &case.problem(),
                &lambda_bar,
                columns,
                &mut w_bar,
                Some(&mut limits_bar),
            )
            .unwrap();
        for k in 0..columns {
            let dot = |a: &[f64], b: &[f64], m: usize| -> f64 {
                a[k * m..(k + 1) * m]
                    .iter()
                    .zip(&b[k * m..(k + 1) * m])
                    .map(|(a, b)| a * b)
                    .sum()
            };
            let left = dot(&lambda_bar, &dlambda, n);
            let (right, more) = (dot(&w_bar, &w, n), dot(&limits_bar, &limits, nb));
            let size = dlambda
                .iter()
                .chain(&w_bar)
                .fold(1.0f64, |m, x| m.max(x.abs()));
            assert!(
                (left - right - more).abs() <= 1e-12 * size * n as f64,
                "{left} {right} {more} {modes:?}"
            );
            count += 1;
        }
        // A column alone has the same result as among others.
        let mut alone = vec![0.0; n];
        solver
            .apply(&case.problem(), &w[..n], Some(&limits[..nb]), 1, &mut alone)
            .unwrap();
        let size = dlambda.iter().fold(1.0f64, |m, x| m.max(x.abs()));
        assert!(
            alone
                .iter()
                .zip(&dlambda)
                .all(|(a, b)| (a - b).abs() <= 1e-11 * size)
        );
    }
    println!("{count} pairs");
}

/// Redundant contacts: λ is a choice, but the body's velocity and its derivative are not.
#[test]
fn the_force_on_a_body_with_redundant_contacts_has_the_right_derivative() {
    let mut solver = NcpSolver::new(60, 20);
    for (name, velocity) in [
        ("at rest", [0.001, 0.002, -0.02, 0.0, 0.0, 0.0]),
        ("sliding", [1.0, 0.4, -0.02, 0.0, 0.0, 0.0]),
        ("sliding and turning", [1.0, 0.4, -0.02, 0.0, 0.0, 1.5]),
    ] {
        for (nx, ny) in [(2, 2), (5, 4)] {
            let base = table(10.0, 0.5, [1.0, 0.6, 0.4], nx, ny, velocity);
            let n = base.g.len();
            let (mut lambda, mut modes) = (vec![0.0; n], vec![Mode::Unknown; base.blocks.len()]);
            let certificate = solve(&mut solver, &base, &mut lambda, &mut modes);
            assert!(certificate.redundant, "{name} {certificate:?}");
            solver.linearize(&base.problem()).unwrap();
            let mut derivatives = Vec::new();
            for k in 0..6 {
                let w: Vec<f64> = base.rows.iter().map(|row| row[k]).collect();
                let mut d = vec![0.0; n];
                solver.apply(&base.problem(), &w, None, 1, &mut d).unwrap();
                derivatives.push(base.force(&d));
            }
            let mut d = vec![0.0; n];
            solver
                .apply(
                    &base.problem(),
                    &vec![0.0; n],
                    Some(&vec![1.0; nx * ny]),
                    1,
                    &mut d,
                )
                .unwrap();
            derivatives.push(base.force(&d));
            for (k, exact) in derivatives.iter().enumerate() {
                let step = 1e-6;
                let [up, down] = [step, -step].map(|s| {
                    let (mut v, mut mu) = (velocity, 0.5);
                    *(if k < 6 { &mut v[k] } else { &mut mu }) += s;
                    let case = table(10.0, mu, [1.0, 0.6, 0.4], nx, ny, v);
                    let (mut l, mut m) = (lambda.clone(), modes.clone());
                    solve(&mut solver, &case, &mut l, &mut m);
                    case.force(&l)
                });
                for j in 0..6 {
                    let difference = (up[j] - down[j]) / (2.0 * step);
                    let error = (difference - exact[j]).abs();
                    assert!(
                        error < 1e-6 * 10.0,
                        "{name} {nx}x{ny} dF{j}/d{k}: {difference} {}",
                        exact[j]
                    );
                }
            }
        }
    }
}

/// At exactly zero slip, the derivative is finite, that of sticking, and labelled.
#[test]
fn zero_slip_has_a_finite_derivative() {
    let g = [0.5, 0.0, 0.0, 0.0, 0.5, 0.0, 0.0, 0.0, 0.5];
    let mut solver = NcpSolver::new(3, 1);
    for (free, mu) in [
        ([0.0, 0.0, -1.0], 0.5),
        ([0.5, 0.0, -1.0], 0.5),
        ([0.0, 0.0, 0.0], 0.5),
        ([0.0, 0.0, -1.0], 0.0),
    ] {
        let problem = Problem {
            blocks: &[Block::Contact { mu }],
            delassus: Delassus::Dense(&g),
            g: &free,
        };
        let (mut lambda, mut modes) = ([0.0; 3], [Mode::Unknown]);
        let certificate = solver
            .solve(&problem, &mut lambda, &mut modes, &NcpOptions::default())
            .unwrap();
        solver.linearize(&problem).unwrap();
        let mut d = [0.0; 9];
        let identity = [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0];
        solver.apply(&problem, &identity, None, 3, &mut d).unwrap();
        assert_eq!(
            modes[0],
            if mu > 0.0 {
                Mode::Sticking
            } else {
                Mode::Sliding
            }
        );
        assert_eq!(
            certificate.at_switch,
            mu > 0.0 && (free[0] != 0.0 || free[2] == 0.0),
            "{certificate:?}"
        );
        let tangent = if mu > 0.0 { -2.0 } else { 0.0 };
        let expected = [tangent, 0.0, 0.0, 0.0, tangent, 0.0, 0.0, 0.0, -2.0];
        for (a, b) in d.iter().zip(expected) {
            assert!((a - b).abs() < 1e-14, "{d:?}");
        }
    }
}
