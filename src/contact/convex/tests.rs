use super::*;
use crate::contact::problem::{Block, Friction};
use crate::error::Status;

/// A unit mass pushed by a spring of compliance R: z = −g/(1 + R). Wrong sizes are refused.
#[test]
fn one_row_by_hand_and_wrong_sizes() {
    let capacity = Capacity {
        torsion: 0,
        rows: 1,
        blocks: 1,
        trees: 1,
        coordinates: 1,
        largest_tree: 1,
    };
    let mut rows = WhitenedJacobian::with_capacity(1, 1, 1);
    rows.clear(std::iter::once(1));
    rows.push(1, [Some(0), None]);
    rows.panel_mut(0, 0)[0] = 1.0;
    rows.finish();
    let problem = Problem {
        blocks: &[Block::Unilateral],
        delassus: Delassus::Trees(&rows),
        g: &[-2.0],
    };
    let r = Regularization::new(1e-3, 0.25);
    let mut solver = ConvexSolver::new(&capacity);
    let mut solve = |r: &[Regularization], kept: &[f64], n: usize, blocks: usize| {
        let (mut lambda, mut modes) = (vec![0.0; n], vec![Mode::Unknown; blocks]);
        let options = ConvexOptions {
            tolerance: 1e-9,
            max_iterations: 10,
        };
        let done = solver.solve(&problem, r, kept, &mut lambda, &mut modes, &options);
        done.map(|c| (c.converged, modes, lambda))
    };
    let (converged, modes, lambda) = solve(&[r], &[0.0], 1, 1).unwrap();
    assert!(converged && modes == [Mode::Sticking]);
    assert!((lambda[0] - 2.0 / 1.25).abs() < 1e-15, "{lambda:?}");
    let flat = Regularization { normal: 0.0, ..r };
    for (r, kept, n, blocks, said) in [
        (&[r, r][..], &[0.0][..], 1, 1, "2 regularizations"),
        (&[r], &[0.0; 2], 1, 1, "2 coordinates"),
        (&[r], &[0.0], 2, 1, "2 impulses"),
        (&[r], &[0.0], 1, 0, "0 modes"),
        (&[flat], &[0.0], 1, 1, "block 0: regularization"),
    ] {
        let error = solve(r, kept, n, blocks).unwrap_err();
        assert!(error.message.contains(said), "{error}");
    }
}

/// Nearly rigid for directions of about unit length.
const R: Regularization = Regularization {
    tangential: 1e-3,
    normal: 0.025,
    friction: Friction::Projected,
};

/// Numbers between −½ and ½.
fn randoms(mut seed: u64) -> impl FnMut() -> f64 {
    move || {
        seed = seed
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        (seed >> 33) as f64 / (1u64 << 31) as f64 - 0.5
    }
}

/// Free bodies in a ring, each touched by the next one and by the world, with random directions.
fn ring(
    bodies: usize,
    random: &mut dyn FnMut() -> f64,
) -> (Vec<Block>, WhitenedJacobian, Vec<f64>) {
    let blocks = vec![Block::Contact { mu: 0.6 }; 2 * bodies];
    let mut rows = WhitenedJacobian::with_capacity(bodies, blocks.len(), 3 * 3 * 6 * bodies);
    rows.clear((0..bodies).map(|_| 6));
    for i in 0..blocks.len() {
        let body = i / 2;
        let other = (i % 2 == 1).then_some((body + 1) % bodies);
        rows.push(3, [Some(body), other]);
        for side in 0..=usize::from(other.is_some()) {
            rows.panel_mut(i, side)
                .iter_mut()
                .for_each(|h| *h = random());
        }
    }
    rows.finish();
    let g = (0..3 * blocks.len()).map(|_| 3.0 * random()).collect();
    (blocks, rows, g)
}

/// From no impulses and from those of a neighbouring problem, the pairs and the descent end at the same
/// solution.
#[test]
fn pairs_and_descent_end_at_one_solution() {
    const BODIES: usize = 8;
    let capacity = of_bodies(BODIES, 2 * BODIES);
    let options = ConvexOptions {
        tolerance: 1e-9,
        max_iterations: 1000,
    };
    let mut random = randoms(5);
    let mut solver = ConvexSolver::new(&capacity);
    let (mut found, mut modes_seen) = (0, [0; 3]);
    for _ in 0..100 {
        let (blocks, rows, mut g) = ring(BODIES, &mut random);
        let r = vec![R; blocks.len()];
        let (mut lambda, kept) = (vec![0.0; g.len()], vec![0.0; rows.coordinates()]);
        let mut modes = vec![Mode::Unknown; blocks.len()];
        for _ in 0..2 {
            let problem = Problem {
                blocks: &blocks,
                delassus: Delassus::Trees(&rows),
                g: &g,
            };
            let mut certificate = Certificate::new(Path::Newton);
            solver.regularization.clone_from(&r);
            solver.start(&problem, &rows, &lambda);
            let by_pairs =
                solver.follow_pairs(&problem, &rows, &kept, &lambda, &options, &mut certificate);
            found += usize::from(by_pairs);
            solver.start(&problem, &rows, &lambda);
            let residual = solver.residual(&problem, &rows);
            let residual = solver.descend(&problem, &rows, residual, &options, &mut certificate);
            assert!(residual < 1e-11, "{residual}");
            let expected = solver.lambda.clone();
            let c = solver.solve(&problem, &r, &kept, &mut lambda, &mut modes, &options);
            assert!(c.unwrap().dual < 1e-11);
            let size = expected.iter().fold(0.0f64, |m, x| m.max(x.abs()));
            for (a, b) in lambda.iter().zip(&expected) {
                assert!((a - b).abs() < 1e-8 * size, "{a} {b}");
            }
            for mode in &modes {
                modes_seen[usize::from(mode.index()) % 3] += 1;
            }
            g.iter_mut().for_each(|g| *g += 0.1 * random());
        }
    }
    // The problems contain sliding, breaking and sticking; pairs find some of the solutions.
    assert!(modes_seen.iter().all(|n| *n > 100), "{modes_seen:?}");
    assert!((100..200).contains(&found), "{found}");
}

/// Numbers whose squares overflow: the solver ends, with a solution or an error.
#[test]
fn numbers_without_squares_come_to_an_end() {
    const BODIES: usize = 3;
    let capacity = of_bodies(BODIES, 2 * BODIES);
    let options = ConvexOptions {
        tolerance: 1e-9,
        max_iterations: 1000,
    };
    let mut random = randoms(9);
    let mut solver = ConvexSolver::new(&capacity);
    let mut refused = 0;
    for power in 100..308 {
        let (blocks, rows, mut g) = ring(BODIES, &mut random);
        g.iter_mut().for_each(|g| *g *= 10f64.powi(power));
        let problem = Problem {
            blocks: &blocks,
            delassus: Delassus::Trees(&rows),
            g: &g,
        };
        let r = vec![R; blocks.len()];
        let (mut lambda, kept) = (vec![0.0; g.len()], vec![0.0; rows.coordinates()]);
        let mut modes = vec![Mode::Unknown; blocks.len()];
        match solver.solve(&problem, &r, &kept, &mut lambda, &mut modes, &options) {
            Ok(c) => assert!(c.dual.is_finite() && lambda.iter().all(|l| l.is_finite())),
            Err(e) => {
                assert!(e.status == Status::Numerical, "{e}");
                assert!(lambda.iter().all(|l| *l == 0.0));
                refused += 1;
            }
        }
    }
    assert!(refused > 0);
}

/// Capacity for this many free bodies and contacts.
fn of_bodies(bodies: usize, contacts: usize) -> Capacity {
    Capacity {
        torsion: 0,
        rows: 3 * contacts,
        blocks: contacts,
        trees: bodies,
        coordinates: 6 * bodies,
        largest_tree: 6,
    }
}

/// Free bodies, each squeezed by pairs of contacts that press with the same impulse from both sides.
fn squeezed(
    bodies: usize,
    pairs: usize,
    random: &mut dyn FnMut() -> f64,
) -> (Vec<Block>, WhitenedJacobian, Vec<f64>) {
    let count = 2 * pairs * bodies;
    let blocks = vec![Block::Contact { mu: 0.6 }; count];
    let mut rows = WhitenedJacobian::with_capacity(bodies, count, 3 * 6 * count);
    rows.clear((0..bodies).map(|_| 6));
    let mut g = Vec::new();
    let h: Vec<f64> = (0..3 * 6 * count / 2).map(|_| random()).collect();
    let press: Vec<f64> = (0..count / 2).map(|_| -5.0 * (random() + 0.6)).collect();
    for sign in [1.0, -1.0] {
        for (i, (h, press)) in h.chunks(3 * 6).zip(&press).enumerate() {
            rows.push(3, [Some(i / pairs), None]);
            let panel = rows.panel_mut(rows.blocks() - 1, 0);
            for (to, h) in panel.iter_mut().zip(h) {
                *to = sign * h;
            }
            g.extend([0.0, 0.0, *press]);
        }
    }
    rows.finish();
    (blocks, rows, g)
}

/// Impulses that cancel each other leave round-off in the momentum. This counts as solved.
#[test]
fn bodies_squeezed_from_two_sides_are_solved() {
    const BODIES: usize = 6;
    const PAIRS: usize = 4;
    let capacity = of_bodies(BODIES, 2 * PAIRS * BODIES);
    let options = ConvexOptions {
        tolerance: 1e-9,
        max_iterations: 1000,
    };
    let mut random = randoms(3);
    let mut solver = ConvexSolver::new(&capacity);
    for size in [1e-9, 1e-3, 1.0, 1e3] {
        for _ in 0..20 {
            let (blocks, rows, g) = squeezed(BODIES, PAIRS, &mut random);
            let g: Vec<f64> = g.iter().map(|g| size * g).collect();
            let problem = Problem {
                blocks: &blocks,
                delassus: Delassus::Trees(&rows),
                g: &g,
            };
            let r = vec![R; blocks.len()];
            let (mut lambda, mut kept) = (vec![0.0; g.len()], vec![0.0; rows.coordinates()]);
            // Start from a velocity other than the one before the step.
            kept.iter_mut().for_each(|z| *z = size * random());
            let mut modes = vec![Mode::Unknown; blocks.len()];
            let c = solver.solve(&problem, &r, &kept, &mut lambda, &mut modes, &options);
            let c = c.unwrap();
            assert!(c.converged && c.dual < 1e-12, "{size} {}", c.dual);
            assert!(c.newton < 20, "{size} {}", c.newton);
            for (l, g) in lambda.iter().zip(&g) {
                assert!((l + g / R.normal).abs() < 1e-12 * size, "{size} {l} {g}");
            }
        }
    }
}

/// An early stop counts as solved only at the solution: by strong convexity the gradient bounds the
/// distance of z from the solution.
#[test]
fn what_is_stopped_early_is_unsolved() {
    const BODIES: usize = 8;
    const PAIRS: usize = 3;
    let capacity = of_bodies(BODIES, 2 * PAIRS * BODIES);
    let tolerance = 1e-9;
    let mut random = randoms(11);
    let mut solver = ConvexSolver::new(&capacity);
    let (mut solved, mut unsolved) = (0, 0);
    for round in 0..200 {
        let (blocks, rows, mut g) = match round % 2 {
            0 => ring(BODIES, &mut random),
            _ => squeezed(BODIES, PAIRS, &mut random),
        };
        // The push is so small beside the squeeze that the rest of it is round-off.
        let push = 10f64.powi(-(round % 14));
        g.iter_mut().for_each(|g| *g += push * random());
        let problem = Problem {
            blocks: &blocks,
            delassus: Delassus::Trees(&rows),
            g: &g,
        };
        let r = vec![R; blocks.len()];
        let kept: Vec<f64> = (0..rows.coordinates()).map(|_| random()).collect();
        let mut modes = vec![Mode::Unknown; blocks.len()];
        let mut run = |most: usize| {
            let options = ConvexOptions {
                tolerance,
                max_iterations: most,
            };
            let mut lambda = vec![0.0; g.len()];
            let c = solver.solve(&problem, &r, &kept, &mut lambda, &mut modes, &options);
            (c.unwrap(), solver.z.clone(), lambda)
        };
        let norm = |x: &[[f64; 1]]| x.iter().map(|[x]| x * x).sum::<f64>().sqrt();
        let (whole, end, impulses) = run(1000);
        assert!(whole.converged, "{}", whole.dual);
        let alone = |i: usize| {
            let (l, own) = (&impulses[rows.range(i)], rows.block(i, i));
            (0..3).map(|k| own[k][k] * l[k] * l[k]).sum::<f64>()
        };
        let gross = (0..blocks.len()).map(alone).sum::<f64>().sqrt();
        for most in 0..whole.newton {
            let (c, z, _) = run(most);
            let apart: Vec<[f64; 1]> = z.iter().zip(&end).map(|(a, b)| [a[0] - b[0]]).collect();
            let off = norm(&apart);
            if c.converged {
                solved += 1;
                let allowed = 2.0 * tolerance * norm(&end).max(0.01 * gross);
                assert!(off <= allowed, "{most} {off:e} {gross:e}");
            } else {
                unsolved += 1;
            }
        }
    }
    assert!(unsolved > 500, "{solved} {unsolved}");
}

/// A body that slides along the edge of opening: its normal velocity is only round-off.
#[test]
fn what_grazes_is_solved() {
    let capacity = of_bodies(1, 1);
    let options = ConvexOptions {
        tolerance: 1e-9,
        max_iterations: 1000,
    };
    let mut random = randoms(17);
    let mut solver = ConvexSolver::new(&capacity);
    for round in 0..2000 {
        let mu = 0.1 + 1.5 * (random() + 0.5);
        let blocks = [Block::Contact { mu }];
        let mut rows = WhitenedJacobian::with_capacity(1, 1, 18);
        rows.clear(std::iter::once(6));
        rows.push(3, [Some(0), None]);
        rows.panel_mut(0, 0)
            .iter_mut()
            .for_each(|h| *h = 3.0 * random());
        rows.finish();
        let (x, y) = (3.0 * random(), 3.0 * random());
        let closing = f64::from(round % 20) * f64::EPSILON;
        let g = [x, y, mu * x.hypot(y) * (1.0 - closing)];
        let problem = Problem {
            blocks: &blocks,
            delassus: Delassus::Trees(&rows),
            g: &g,
        };
        let kept: Vec<f64> = (0..6).map(|_| random()).collect();
        let (mut lambda, mut modes) = (vec![0.0; 3], vec![Mode::Unknown]);
        let c = solver.solve(&problem, &[R], &kept, &mut lambda, &mut modes, &options);
        let c = c.unwrap();
        assert!(c.converged && c.newton < 30, "{round} {c:?}");
    }
}
