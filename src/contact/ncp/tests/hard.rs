//! Problems that break solvers: heavy on light, piles, jamming, and long runs from step to step.

use super::problems::{Case, LEVEL, Random, frame_of, table, tower};
use super::solve::certified;
use crate::contact::certificate::Path;
use crate::contact::mode::Mode;
use crate::contact::ncp::{Method, NcpOptions, NcpSolver};
use crate::contact::problem::Block;

/// A pile: each body lies on one of the three before it, every third on four corners, the others on one
/// random point.
fn pile(rng: &mut Random, bodies: usize) -> Case {
    let sizes: Vec<_> = (0..bodies)
        .map(|_| (0.5 + 0.4 * rng.signed(), 0.1))
        .collect();
    let mut case = Case::new(&sizes);
    for v in &mut case.velocity {
        *v = 0.1 * rng.signed();
    }
    let corners = [[0.1, 0.1], [-0.1, 0.1], [-0.1, -0.1], [0.1, -0.1]];
    for b in 0..bodies {
        case.velocity[6 * b + 2] -= 0.02;
        let below = (b > 3).then(|| b - 1 - rng.below(3));
        if b % 3 == 0 {
            for [x, y] in corners {
                case.contact(
                    0.6,
                    below.map(|k| (k, [x, y, 0.1])),
                    (b, [x, y, -0.1]),
                    LEVEL,
                );
            }
        } else {
            let mut point = || std::array::from_fn(|_| 0.1 * rng.signed());
            let (on, from, mut normal): ([f64; 3], [f64; 3], [f64; 3]) =
                (point(), point(), point());
            normal[2] += 0.2;
            case.contact(0.6, below.map(|k| (k, on)), (b, from), frame_of(normal));
        }
    }
    case.finish()
}

#[test]
fn piles_are_certified_cold_and_warm() {
    let mut rng = Random(77);
    let mut solver = NcpSolver::new(260, 90);
    let mut cases: Vec<Case> = [8, 8, 20, 20, 40]
        .into_iter()
        .map(|n| pile(&mut rng, n))
        .collect();
    cases.push(tower(&[1.0; 10], 0.003));
    let mut at_once = 0;
    for case in &cases {
        let (mut lambda, mut modes, _) = certified(&mut solver, case);
        let before = case.force(&lambda);
        let certificate = solver
            .solve(
                &case.problem(),
                &mut lambda,
                &mut modes,
                &NcpOptions::default(),
            )
            .unwrap();
        assert_eq!(certificate.path, Path::Newton);
        assert!(certificate.residual() <= 1e-10);
        if certificate.newton <= 2 {
            at_once += 1;
            let after = case.force(&lambda);
            assert!(before.iter().zip(after).all(|(a, b)| (a - b).abs() < 1e-9));
        }
    }
    // The other problems are at a switch or get the nearest impulse, because the least-norm impulse is
    // tried first.
    assert!(at_once >= 2, "{at_once} of 6 with two factorizations");
}

#[test]
fn heavy_on_light_and_towers_are_certified() {
    let mut solver = NcpSolver::new(120, 40);
    for case in [
        tower(&[1.0, 1000.0], 0.0),
        tower(&[1.0, 10.0, 100.0, 1000.0, 1.0], 0.0),
        tower(&[1000.0, 1.0, 1000.0], 0.001),
        tower(&[1.0; 10], 0.0),
        tower(&[1.0; 8], 0.01),
    ] {
        let (lambda, mut modes, _) = certified(&mut solver, &case);
        // At rest every box ends without velocity. The next step starts from this solution and finds the
        // same forces in few factorizations, even if the first solve found the nearest impulse and the
        // second the least-norm one.
        let mut again = lambda.clone();
        let certificate = solver
            .solve(
                &case.problem(),
                &mut again,
                &mut modes,
                &NcpOptions::default(),
            )
            .unwrap();
        assert_eq!(certificate.path, Path::Newton);
        assert!(certificate.newton <= 8, "{certificate:?}");
        let [before, after] = [&lambda, &again].map(|l| case.force(l));
        let size = before.iter().fold(0.0f64, |m, x| m.max(x.abs()));
        assert!((before.iter().zip(&after)).all(|(a, b)| (a - b).abs() <= 1e-9 * size));
    }
}

/// A rod whose tip drags on the floor and pushes its friction into the floor (G_nt < 0, large μ). The
/// forces of rigid bodies have no solution here; impulses have one.
#[test]
fn a_painleve_rod_is_certified() {
    let mut solver = NcpSolver::new(3, 1);
    let mut seen = [0; 3];
    for degrees in (10..=170).step_by(5) {
        for mu in [0.3, 1.5, 4.0] {
            for speed in [-2.0, 0.5, 2.0] {
                let (length, angle) = (1.0, f64::from(degrees).to_radians());
                let mut case = Case::new(&[(1.0, 1.0)]);
                case.inverse_mass[3..].fill(12.0 / (length * length));
                let arm = [0.5 * length * angle.cos(), 0.0, -0.5 * length * angle.sin()];
                case.contact(mu, None, (0, arm), LEVEL);
                case.velocity[..3].copy_from_slice(&[speed, 0.0, -0.1]);
                let (_, modes, _) = certified(&mut solver, &case.finish());
                seen[usize::from(modes[0] == Mode::Sticking)
                    + 2 * usize::from(modes[0] == Mode::Breaking)] += 1;
            }
        }
    }
    assert!(seen[0] > 20 && seen[1] > 20 && seen[2] == 0, "{seen:?}");
}

/// A box pushed over the floor: the solution of one step starts the next.
#[test]
fn steps_in_a_row_cost_one_or_two_factorizations() {
    let (h, mass, mu) = (1e-3, 10.0, 0.5);
    let mut solver = NcpSolver::new(60, 20);
    for (nx, ny) in [(2, 2), (5, 4)] {
        let mut velocity = [1.5, 0.6, 0.0, 0.0, 0.0, 2.0];
        let (mut lambda, mut modes) = (vec![0.0; 3 * nx * ny], vec![Mode::Unknown; nx * ny]);
        let (mut factorizations, mut unaided, steps) = (0, 0, 1200);
        for _ in 0..steps {
            velocity[2] -= h * 9.81;
            let case = table(mass, mu, [1.0, 0.6, 0.2], nx, ny, velocity);
            let certificate = solver
                .solve(
                    &case.problem(),
                    &mut lambda,
                    &mut modes,
                    &NcpOptions::default(),
                )
                .unwrap();
            assert!(certificate.converged, "{certificate:?}");
            factorizations += certificate.newton;
            unaided += usize::from(certificate.path == Path::Newton);
            let force = case.force(&lambda);
            for k in 0..6 {
                velocity[k] += case.inverse_mass[k] * force[k];
            }
            assert!(
                velocity[2].abs() < 1e-12,
                "no gap while sliding: {velocity:?}"
            );
        }
        assert!(
            velocity.iter().all(|v| v.abs() < 1e-12),
            "at rest at the end: {velocity:?}"
        );
        println!(
            "{nx} x {ny}: {factorizations} factorizations in {steps} steps, {unaided} of them without help"
        );
        assert!(factorizations <= 2 * steps + 10 && unaided >= steps - 2);
    }
}

/// Overlapping contacts of a chain with itself, with dry friction in every second joint and slightly
/// compliant rows.
fn folded(seed: u64) -> Case {
    const DOFS: usize = 8;
    const CONTACTS: usize = 10;
    let mut rng = Random(seed);
    let mut case = Case {
        inverse_mass: (0..DOFS)
            .map(|_| 10f64.powf(1.5 * rng.signed() + 0.5))
            .collect(),
        velocity: (0..DOFS).map(|_| 0.1 * rng.signed()).collect(),
        ..Case::default()
    };
    for _ in 0..CONTACTS {
        let first = rng.below(DOFS - 3);
        let dofs = first..first + 3 + rng.below(DOFS - first - 2);
        case.blocks.push(Block::Contact { mu: 1.0 });
        for offset in [0.0, 0.0, -0.015] {
            let mut row = vec![0.0; DOFS];
            row[dofs.clone()].fill_with(|| rng.signed());
            case.rows.push(row);
            case.offset.push(offset);
        }
    }
    for k in 0..DOFS / 2 {
        let mut row = vec![0.0; DOFS];
        row[k] = 1.0;
        case.row(Block::Box { bound: 0.01 }, row);
    }
    let mut case = case.finish();
    let n = case.rows.len();
    for r in (0..3 * CONTACTS).step_by(3) {
        let mean = (r..r + 3).map(|k| case.g_matrix[k * n + k]).sum::<f64>() / 3.0;
        for (k, part) in [0.3, 0.3, 1.0].into_iter().enumerate() {
            case.g_matrix[(r + k) * n + r + k] += 1e-4 * part * mean;
        }
    }
    case
}

/// Of 149 of these problems, the ones in which continuation with the usual nearness ended in front of a
/// fold.
#[test]
fn continuation_follows_sharp_folds_from_nearer() {
    let mut solver = NcpSolver::new(40, 20);
    let options = NcpOptions {
        method: Method::Continuation,
        ..NcpOptions::default()
    };
    for seed in [44, 57, 103, 126, 148, 149] {
        let case = folded(seed);
        let mut lambda = vec![0.0; case.g.len()];
        let mut modes = vec![Mode::Unknown; case.blocks.len()];
        let c = solver.solve(&case.problem(), &mut lambda, &mut modes, &options);
        let c = c.unwrap();
        println!("{seed}: {c:?}");
        assert!(c.converged && c.residual() < 1e-10, "{seed}: {c:?}");
    }
}
