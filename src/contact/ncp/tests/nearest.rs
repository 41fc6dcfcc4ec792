//! The impulse nearest to a centre: its conditions, and the slopes of the projections it is found with.

use super::problems::Random;
use crate::contact::ncp::least_norm::{Inside, LeastNorm, Piece, Set};

const SETS: [(Set, usize); 9] = [
    (Set::Cone { mu: 0.7 }, 3),
    (Set::Cone { mu: 0.4 }, 4),
    (Set::Cone { mu: 1.3 }, 6),
    (Set::Pyramid { mu: 0.6 }, 3),
    (Set::Pyramid { mu: 0.9 }, 6),
    (Set::PyramidFromNormal { mu: 0.5 }, 2),
    (Set::HalfLine, 2),
    (Set::Interval { bound: 0.8 }, 1),
    (Set::Line, 1),
];

fn pieces() -> Vec<Piece> {
    let mut start = 0;
    SETS.map(|(set, size)| {
        let piece = Piece { start, size, set };
        start += size;
        piece
    })
    .into()
}

fn vector(random: &mut Random, n: usize) -> Vec<f64> {
    (0..n).map(|_| random.signed()).collect()
}

#[test]
fn slopes_of_projections_are_those_of_differences() {
    const STEP: f64 = 1e-6;
    let mut random = Random(5);
    for (set, size) in SETS {
        for _ in 0..200 {
            let (w, along) = (vector(&mut random, size), vector(&mut random, size));
            let at = |by: f64| {
                let mut x: Vec<f64> = w.iter().zip(&along).map(|(w, d)| w + by * d).collect();
                set.project(&mut x);
                x
            };
            let mut slope = along.clone();
            set.derivative(&w, &mut slope);
            let (up, down) = (at(STEP), at(-STEP));
            for k in 0..size {
                let difference = (up[k] - down[k]) / (2.0 * STEP);
                assert!((slope[k] - difference).abs() < 1e-6, "{set:?} {w:?} {k}");
            }
        }
    }
}

/// The points x and z of a convex set of which x is nearest to the centre c: (c − x)·(z − x) ≤ 0.
#[test]
fn no_point_inside_is_nearer_to_the_centre() {
    let (pieces, m, r) = (pieces(), 28, 9);
    let mut solver = LeastNorm::new(m);
    for seed in 0..40 {
        let mut random = Random(seed);
        let f = vector(&mut random, r * m);
        let mut within = vector(&mut random, m);
        for p in &pieces {
            p.set.project(&mut within[p.start..][..p.size]);
        }
        let times = |x: &[f64], k: usize| -> f64 { (0..m).map(|j| f[j * r + k] * x[j]).sum() };
        let mut nearest = |centre: &[f64]| -> Vec<f64> {
            solver.work = 0.0;
            solver.set_centre(centre);
            let (to, t, stride) = solver.start(r, m);
            for j in 0..m {
                to[j * stride..][..r].copy_from_slice(&f[j * r..][..r]);
            }
            for (k, t) in t[..r].iter_mut().enumerate() {
                *t = times(&within, k);
            }
            solver.set_pieces(pieces.iter().copied());
            solver.solve(Inside::CLOSED).expect("a point").to_vec()
        };
        let centres = [0; 5].map(|_| vector(&mut random, m));
        let points = centres.each_ref().map(|c| nearest(c));
        for (c, x) in centres.iter().zip(&points) {
            for k in 0..r {
                assert!(
                    (times(x, k) - times(&within, k)).abs() < 1e-11,
                    "{seed} {k}"
                );
            }
            assert!(
                pieces.iter().all(|p| p.holds(x, Inside::CLOSED, 1e-12)),
                "{seed}"
            );
            for z in &points {
                let products = (0..m).map(|j| (c[j] - x[j]) * (z[j] - x[j]));
                assert!(products.sum::<f64>() < 1e-10, "{seed}");
            }
        }
        // A centre inside is its own nearest point.
        let own = nearest(&within);
        let off = own.iter().zip(&within).map(|(a, b)| (a - b).abs());
        assert!(off.fold(0.0, f64::max) < 1e-12, "{seed}");
    }
}

#[test]
fn an_empty_set_has_no_nearest_point() {
    let mut solver = LeastNorm::new(3);
    solver.set_centre(&[0.1, 0.2, 0.3]);
    let (f, t, stride) = solver.start(1, 3);
    (f[2 * stride], t[0]) = (1.0, -1.0);
    let set = Set::Cone { mu: 0.5 };
    solver.set_pieces(
        [Piece {
            start: 0,
            size: 3,
            set,
        }]
        .into_iter(),
    );
    assert!(solver.solve(Inside::CLOSED).is_none());
}

/// A coupling and a limit that contradict each other by round-off: x₁ + x₂ = 1, x₂ = 1 + 1e-9, x₁ ≥ 0. The error
/// neither falls nor grows, and the search ends.
#[test]
fn a_contradiction_by_round_off_ends_the_search() {
    let mut solver = LeastNorm::new(2);
    solver.set_centre(&[]);
    let (f, t, stride) = solver.start(2, 2);
    (f[0], f[stride], f[stride + 1]) = (1.0, 1.0, 1.0);
    (t[0], t[1]) = (1.0, 1.0 + 1e-9);
    let piece = |start, set| Piece {
        start,
        size: 1,
        set,
    };
    solver.set_pieces([piece(0, Set::HalfLine), piece(1, Set::Line)].into_iter());
    assert!(solver.solve(Inside::CLOSED).is_none());
    assert!(solver.work <= 12.0, "{} Newton steps", solver.work);
}
