//! Problems by trees and by islands, compared with the same problems with a dense matrix.

use super::problems::{Case, Random, random, tower};
use super::solve::velocity_change;
use crate::contact::capacity::Capacity;
use crate::contact::certificate::Effort;
use crate::contact::law::Linearized;
use crate::contact::mode::Mode;
use crate::contact::ncp::island_solver::IslandSolver;
use crate::contact::ncp::{Method, NcpOptions, NcpSolver};
use crate::contact::problem::{Block, Delassus, Problem};
use crate::contact::whitened_jacobian::WhitenedJacobian;
use allocation_counter::measure;

/// The same operator by its factor: each body is a tree.
fn by_trees(case: &Case) -> WhitenedJacobian {
    let bodies = case.inverse_mass.len() / 6;
    let mut out = WhitenedJacobian::default();
    out.clear((0..bodies).map(|_| 6));
    let mut at = 0;
    for (b, block) in case.blocks.iter().enumerate() {
        let rows = &case.rows[at..at + block.rows()];
        let touched = |k: &usize| rows.iter().any(|r| r[6 * k..6 * k + 6] != [0.0; 6]);
        let mut touched = (0..bodies).filter(touched);
        let trees = [touched.next(), touched.next()];
        assert_eq!(touched.next(), None, "block {b} acts on three bodies");
        out.push(block.rows(), trees);
        for (side, body) in trees.into_iter().flatten().enumerate() {
            for (line, row) in out.panel_mut(b, side).chunks_exact_mut(6).zip(rows) {
                for (k, x) in line.iter_mut().enumerate() {
                    *x = row[6 * body + k] * case.inverse_mass[6 * body + k].sqrt();
                }
            }
        }
        at += block.rows();
    }
    out.finish();
    out
}

fn capacity(case: &Case) -> Capacity {
    Capacity {
        torsion: 0,
        rows: case.g.len(),
        blocks: case.blocks.len(),
        trees: case.inverse_mass.len() / 6,
        coordinates: case.inverse_mass.len(),
        largest_tree: 6,
    }
}

/// Cases side by side, without contact between them.
fn together(cases: &[Case]) -> Case {
    let bodies: usize = cases.iter().map(|c| c.inverse_mass.len()).sum();
    let mut all = Case::default();
    let mut first = 0;
    for case in cases {
        for row in &case.rows {
            let mut wide = vec![0.0; bodies];
            wide[first..first + row.len()].copy_from_slice(row);
            all.rows.push(wide);
        }
        first += case.inverse_mass.len();
        all.blocks.extend(&case.blocks);
        all.inverse_mass.extend(&case.inverse_mass);
        all.velocity.extend(&case.velocity);
    }
    all.finish()
}

fn cold(case: &Case) -> (Vec<f64>, Vec<Mode>) {
    (
        vec![0.0; case.g.len()],
        vec![Mode::Unknown; case.blocks.len()],
    )
}

#[test]
fn by_trees_the_solution_is_that_of_the_dense_matrix() {
    let mut rng = Random(5);
    let mut cases: Vec<Case> = (0..24).map(|k| random(&mut rng, 2 + k, 0)).collect();
    cases.push(tower(&[1.0; 5], 0.01));
    cases.push(tower(&[1.0, 10.0, 1.0, 5.0, 0.2, 3.0, 1.0, 1.0], 0.0));
    let mut worst: f64 = 0.0;
    for (number, case) in cases.iter().enumerate() {
        let rows = by_trees(case);
        let mut solver = NcpSolver::with_trees(&capacity(case), case.g.len());
        for method in [
            Method::Auto,
            Method::Continuation,
            Method::Pgs,
            Method::Admm,
        ] {
            let options = NcpOptions {
                method,
                ..NcpOptions::default()
            };
            let [a, b] = [case.problem().delassus, Delassus::Trees(&rows)].map(|delassus| {
                let (mut lambda, mut modes) = cold(case);
                let problem = Problem {
                    delassus,
                    ..case.problem()
                };
                let mut certificate = None;
                let used = measure(|| {
                    certificate = solver
                        .solve(&problem, &mut lambda, &mut modes, &options)
                        .ok();
                });
                assert_eq!(used.count_total, 0, "{number} {method:?}");
                (lambda, certificate.unwrap())
            });
            assert_eq!(a.1.converged, b.1.converged, "{number} {method:?}");
            if matches!(method, Method::Auto | Method::Continuation) {
                assert!(b.1.converged, "{number} {:?}", b.1);
                let change = velocity_change(case, &a.0, &b.0);
                worst = worst.max(change);
                assert!(change < 1e-9, "{number} {method:?}: {change:e} {:?}", b.1);
            }
        }
    }
    println!("largest difference in velocity {worst:e}");
}

#[test]
fn islands_give_the_solution_and_the_derivative_of_the_whole() {
    let mut rng = Random(8);
    let mut seen = 0;
    for round in 0..12 {
        let case = together(&[
            tower(&[1.0; 3], 0.0),
            random(&mut rng, 3 + round, 0),
            tower(&[2.0, 1.0, 1.0, 3.0, 1.0, 0.5, 1.0], 1e-3),
            random(&mut rng, 4, 0),
        ]);
        let (n, nb) = (case.g.len(), case.blocks.len());
        let rows = by_trees(&case);
        let whole = case.problem();
        let split = Problem {
            delassus: Delassus::Trees(&rows),
            ..whole
        };
        let mut dense = NcpSolver::new(n, nb);
        let mut islands = IslandSolver::new(&capacity(&case));
        let options = NcpOptions::default();
        let (mut a, mut modes) = cold(&case);
        let certificate = dense.solve(&whole, &mut a, &mut modes, &options).unwrap();
        let (mut b, mut modes) = cold(&case);
        let other = islands.solve(&split, &mut b, &mut modes, &options).unwrap();
        assert!(certificate.converged && other.converged, "{other:?}");
        let change = velocity_change(&case, &a, &b);
        assert!(change < 1e-9, "{round}: {change:e} {other:?}");
        if certificate.margin < 1e-6 {
            continue;
        }
        seen += 1;
        // Directions of motion are consistent where rows are redundant.
        const COLUMNS: usize = 11;
        let mut w = Vec::new();
        for k in 0..COLUMNS {
            // Some columns leave some islands at rest.
            let still = if k % 3 == 0 {
                case.velocity.len() / 2
            } else {
                0
            };
            let v: Vec<f64> = (0..case.velocity.len())
                .map(|i| if i < still { 0.0 } else { rng.signed() })
                .collect();
            let row = |r: &Vec<f64>| r.iter().zip(&v).map(|(r, v)| r * v).sum::<f64>();
            w.extend(case.rows.iter().map(row));
        }
        let mut limits = vec![0.0; nb * COLUMNS];
        limits.iter_mut().for_each(|l| *l = 0.1 * rng.signed());
        let (mut da, mut db) = (vec![0.0; n * COLUMNS], vec![0.0; n * COLUMNS]);
        dense.linearize(&whole).unwrap();
        dense
            .apply(&whole, &w, Some(&limits), COLUMNS, &mut da)
            .unwrap();
        islands.linearize(&split).unwrap();
        islands
            .apply(&split, &w, Some(&limits), COLUMNS, &mut db)
            .unwrap();
        for (da, db) in da.chunks(n).zip(db.chunks(n)) {
            let scale = velocity_change(&case, da, &vec![0.0; n]).max(1.0);
            let change = velocity_change(&case, da, db);
            assert!(change < 1e-8 * scale, "{round}: {change:e} of {scale:e}");
        }
        let lambda_bar: Vec<f64> = (0..n).map(|_| rng.signed()).collect();
        let (mut w_bar, mut limits_bar) = (vec![0.0; n], vec![0.0; nb]);
        islands
            .apply_transpose(&split, &lambda_bar, &mut w_bar, Some(&mut limits_bar))
            .unwrap();
        let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
        for k in 0..COLUMNS {
            let forward = dot(&lambda_bar, &db[k * n..(k + 1) * n]);
            let limits = dot(&limits_bar, &limits[k * nb..(k + 1) * nb]);
            let backward = dot(&w_bar, &w[k * n..(k + 1) * n]) + limits;
            let size = db[k * n..(k + 1) * n]
                .iter()
                .fold(1.0f64, |m, x| m.max(x.abs()));
            assert!(
                (forward - backward).abs() < 1e-9 * size * n as f64,
                "{round}: {forward} {backward}"
            );
        }
    }
    assert!(seen > 6, "{seen}");
}

/// A body runs into a row of bodies that drift apart: each contact closes only after the one before.
#[test]
fn a_blow_reaches_blocks_that_were_open_without_it() {
    for bodies in [3, 8, 20] {
        let mut case = Case::default();
        for k in 1..bodies {
            let mut row = vec![0.0; 6 * bodies];
            (row[6 * k - 6], row[6 * k]) = (-1.0, 1.0);
            case.rows.push(row);
            case.blocks.push(Block::Unilateral);
        }
        case.inverse_mass = vec![1.0; 6 * bodies];
        case.velocity = vec![0.0; 6 * bodies];
        for k in 0..bodies {
            case.velocity[6 * k] = 1e-3 * k as f64;
        }
        case.velocity[0] = 1.0;
        let case = case.finish();
        let rows = by_trees(&case);
        let split = Problem {
            delassus: Delassus::Trees(&rows),
            ..case.problem()
        };
        let mut islands = IslandSolver::new(&capacity(&case));
        for effort in [Effort::Brief, Effort::Usual, Effort::Thorough] {
            let options = NcpOptions {
                effort,
                ..NcpOptions::default()
            };
            let (mut lambda, mut modes) = cold(&case);
            let certificate = islands
                .solve(&split, &mut lambda, &mut modes, &options)
                .unwrap();
            assert!(certificate.converged, "{bodies} {certificate:?}");
            // All bodies move on together.
            let mean = case.velocity.iter().sum::<f64>() / bodies as f64;
            let first = case.velocity[0] - lambda[0];
            assert!((first - mean).abs() < 1e-12, "{bodies}: {first} {mean}");
            assert!(modes.iter().all(|m| *m == Mode::Sticking));
        }
    }
}

#[test]
fn what_was_not_made_for_trees_refuses_them() {
    let case = tower(&[1.0; 2], 0.0);
    let rows = by_trees(&case);
    let other = tower(&[1.0; 3], 0.0);
    let (mut lambda, mut modes) = cold(&case);
    let mut solve = |solver: &mut NcpSolver, case: &Case| {
        let problem = Problem {
            delassus: Delassus::Trees(&rows),
            ..case.problem()
        };
        lambda.resize(case.g.len(), 0.0);
        modes.resize(case.blocks.len(), Mode::Unknown);
        solver
            .solve(&problem, &mut lambda, &mut modes, &NcpOptions::default())
            .unwrap_err()
            .message
    };
    let mut small = NcpSolver::new(case.g.len(), case.blocks.len());
    assert!(solve(&mut small, &case).contains("trees"));
    let mut solver = NcpSolver::with_trees(&capacity(&other), other.g.len());
    assert!(solve(&mut solver, &other).contains("other blocks"));
}
