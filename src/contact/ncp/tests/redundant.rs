//! Redundant contacts have one documented solution, for any order and warm start.

use super::problems::{Case, LEVEL, Random, table};
use super::solve::certified;
use crate::contact::mode::Mode;
use crate::contact::ncp::{NcpOptions, NcpSolver};
use crate::contact::problem::Block;
use crate::contact::tuning::AGREED;

/// The same table with its contacts in another order; `order[k]` is the old index of contact k.
fn reordered(case: &Case, order: &[usize]) -> Case {
    let mut out = Case {
        inverse_mass: case.inverse_mass.clone(),
        velocity: case.velocity.clone(),
        ..Case::default()
    };
    for k in order {
        out.blocks.push(case.blocks[*k]);
        out.rows.extend_from_slice(&case.rows[3 * k..3 * k + 3]);
    }
    out.finish()
}

#[test]
fn four_corners_share_the_load_evenly() {
    let mut solver = NcpSolver::new(12, 4);
    let case = table(
        10.0,
        0.5,
        [1.0, 0.6, 0.8],
        2,
        2,
        [0.0, 0.0, -0.01, 0.0, 0.0, 0.0],
    );
    let (lambda, modes, certificate) = certified(&mut solver, &case);
    assert!(certificate.redundant && modes.iter().all(|m| *m == Mode::Sticking));
    for (k, l) in lambda.iter().enumerate() {
        let expected = if k % 3 == 2 { 0.025 } else { 0.0 };
        assert!((l - expected).abs() < 1e-15, "{lambda:?}");
    }
}

#[test]
fn twenty_points_give_one_answer_for_any_order_and_warm_start() {
    let mut rng = Random(21);
    let mut solver = NcpSolver::new(60, 20);
    for (name, velocity) in [
        ("rest", [0.0, 0.0, -0.01, 0.0, 0.0, 0.0]),
        (
            "pushed until points reach their cones",
            [0.004, 0.001, -0.01, 0.0, 0.0, 0.0],
        ),
        ("sliding", [1.0, 0.3, -0.01, 0.0, 0.0, 0.0]),
        ("tipping", [0.0, 0.0, -0.05, 0.0, 0.1, 0.0]),
    ] {
        let case = table(10.0, 0.5, [1.0, 0.6, 0.8], 5, 4, velocity);
        let (lambda, modes, certificate) = certified(&mut solver, &case);
        assert!(certificate.redundant && certificate.least_norm, "{name}");
        for round in 0..6 {
            let mut order: Vec<usize> = (0..20).collect();
            for k in 0..20 {
                order.swap(k, rng.below(20));
            }
            let other = reordered(&case, &order);
            let mut found: Vec<f64> = (0..60)
                .map(|_| if round % 2 == 0 { 0.0 } else { rng.signed() })
                .collect();
            let mut new_modes = vec![Mode::Unknown; 20];
            let c = solver
                .solve(
                    &other.problem(),
                    &mut found,
                    &mut new_modes,
                    &NcpOptions::default(),
                )
                .unwrap();
            assert!(c.converged);
            for (k, old) in order.iter().enumerate() {
                assert_eq!(new_modes[k], modes[*old], "{name}");
                for r in 0..3 {
                    let (a, b) = (found[3 * k + r], lambda[3 * old + r]);
                    assert!((a - b).abs() < 1e-12, "{name} round {round}: {a} {b}");
                }
            }
        }
    }
}

/// If the least-norm impulse would reach the cones, the returned one stays strictly inside, away from
/// mode switches. It is still shorter than arbitrary solutions.
#[test]
fn the_answer_stays_inside_the_cones_and_is_short() {
    let mut rng = Random(22);
    let mut solver = NcpSolver::new(60, 20);
    let push = [0.004, 0.001, -0.01, 0.0, 0.0, 0.0];
    let case = table(10.0, 0.5, [1.0, 0.6, 0.8], 5, 4, push);
    let (lambda, modes, certificate) = certified(&mut solver, &case);
    assert!(modes.iter().all(|m| *m == Mode::Sticking));
    assert!(
        !certificate.at_switch && certificate.margin > 1e-4,
        "{:e}",
        certificate.margin
    );
    let norm = |l: &[f64]| l.iter().map(|x| x * x).sum::<f64>();
    let mut compared = 0;
    for _ in 0..20 {
        // PGS from another start ends at another distribution of the same load.
        let mut other: Vec<f64> = (0..60).map(|_| 0.01 * rng.signed()).collect();
        let options = NcpOptions {
            method: crate::contact::ncp::Method::Pgs,
            tolerance: 1e-12,
            ..NcpOptions::default()
        };
        let c = solver
            .solve(
                &case.problem(),
                &mut other,
                &mut [Mode::Unknown; 20],
                &options,
            )
            .unwrap();
        let same = case
            .force(&other)
            .iter()
            .zip(case.force(&lambda))
            .all(|(a, b)| (a - b).abs() < 1e-9);
        if c.converged && same {
            assert!(norm(&lambda) < norm(&other) + 1e-9);
            compared += 1;
        }
    }
    assert!(compared >= 10, "{compared}");
}

#[test]
fn contradicting_contacts_let_go_of_what_opens() {
    // Four corners, one of them over a hollow: the rigid rows cannot all close; the three others hold.
    let mut case = Case::new(&[(10.0, 0.5)]);
    for (x, y) in [(-0.5, -0.3), (0.5, -0.3), (0.5, 0.3), (-0.5, 0.3)] {
        case.contact(0.5, None, (0, [x, y, -0.4]), LEVEL);
    }
    case.velocity[2] = -0.05;
    case.velocity[3] = 0.01;
    case.offset = vec![0.0; 12];
    case.offset[2] = 0.02;
    let case = case.finish();
    let (_, modes, _) = certified(&mut NcpSolver::new(12, 4), &case);
    assert_eq!(modes[0], Mode::Breaking);
    assert!(
        modes.iter().filter(|m| **m != Mode::Breaking).count() >= 2,
        "{modes:?}"
    );
}

/// A planar mechanism cannot respond sideways, and need not unless sideways motion is required. A
/// sliding contact answers sideways motion by turning its friction. If rows depend on each other in
/// another way, the response is compared with the requirement.
#[test]
fn rows_that_move_nothing_leave_over_what_is_asked_of_them() {
    let mut solver = NcpSolver::new(6, 2);
    // Rows along x and z, and the rotation about y, of contacts at these places along x.
    let planar = |places: &[f64], mu: f64, velocity: [f64; 3]| {
        let mut case = Case {
            inverse_mass: vec![1.0, 1.0, 1.0],
            velocity: velocity.to_vec(),
            ..Case::default()
        };
        for place in places {
            case.blocks.push(Block::Contact { mu });
            case.rows.push(vec![1.0, 0.0, 0.5]);
            case.rows.push(vec![0.0; 3]);
            case.rows.push(vec![0.0, 1.0, *place]);
        }
        case.finish()
    };
    for (name, places, mu, w, expected) in [
        ("not asked", vec![0.3], 0.9, vec![0.1, 0.0, 0.2], 0.0),
        ("asked", vec![0.3], 0.9, vec![0.1, 0.3, 0.2], 0.3),
        (
            "alike",
            vec![0.3, -0.3],
            0.9,
            vec![0.1, 0.0, 0.2, 0.1, 0.0, 0.2],
            0.0,
        ),
        (
            "at odds",
            vec![0.3, -0.3],
            0.9,
            vec![0.1, 0.0, 0.2, -0.1, 0.0, 0.2],
            0.1,
        ),
        (
            "sliding, free to turn",
            vec![0.3],
            0.1,
            vec![0.1, 0.3, 0.2],
            0.0,
        ),
    ] {
        let case = planar(&places, mu, [0.2, -1.0, 0.0]);
        let (_, modes, certificate) = certified(&mut solver, &case);
        let mode = if mu > 0.5 {
            Mode::Sticking
        } else {
            Mode::Sliding
        };
        assert!(modes.iter().all(|m| *m == mode), "{name} {certificate:?}");
        let problem = case.problem();
        solver.linearize(&problem).unwrap();
        let free = mode == Mode::Sliding;
        assert_eq!(solver.may_be_deficient(), !free, "{name}");
        let mut dlambda = vec![0.0; w.len()];
        let [left, _] = solver.left_over(&problem, &w, &mut dlambda).unwrap();
        assert!((left - expected).abs() < 1e-12, "{name}: {left}");
    }
}

/// Two rows hold nearly the same motion, and dry friction the little by which they differ. If the two rows
/// require different velocities, the friction slips, and fast: the difference is small, but it is not
/// round-off.
#[test]
fn friction_that_a_small_contradiction_overcomes_is_told_apart() {
    const APART: f64 = 1e-3;
    let mut case = Case::default();
    (case.inverse_mass, case.velocity) = (vec![1.0; 2], vec![0.3, 0.2]);
    case.row(Block::Bilateral, vec![1.0, 0.0]);
    case.row(Block::Bilateral, vec![1.0, APART]);
    case.row(Block::Box { bound: 10.0 }, vec![0.0, 1.0]);
    let case = case.finish();
    let problem = case.problem();
    let mut solver = NcpSolver::new(3, 3);
    let (_, modes, _) = certified(&mut solver, &case);
    assert_eq!(modes[2], Mode::Sticking);
    solver.linearize(&problem).unwrap();
    let [mut before, mut delta, mut change] = [[0.0; 3]; 3];
    for (w, alike) in [([1.0, 1.0, 0.0], true), ([1.0, 1.0 + 3e-6, 0.0], false)] {
        solver.apply(&problem, &w, None, 1, &mut before).unwrap();
        let [left, asked] = solver.left_over(&problem, &w, &mut delta).unwrap();
        assert!(left <= AGREED * asked, "{left}");
        let found = solver.slips_alike(&problem, (&w, 1e-12), &mut delta, &mut change);
        assert_eq!(found.unwrap(), alike);
        solver.apply(&problem, &w, None, 1, &mut delta).unwrap();
        assert_eq!(before, delta, "the derivative is that of before");
        let sides = solver.sides_agree(&problem, &w, &mut delta, &mut change);
        assert_eq!(sides.unwrap().alike, alike);
    }
}
