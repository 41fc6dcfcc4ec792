use super::*;
use crate::contact::mode::Mode;
use crate::contact::ncp::{NcpOptions, NcpSolver};
use crate::contact::problem::Delassus;

struct Lcg(u64);

impl Lcg {
    fn next(&mut self) -> f64 {
        self.0 = self
            .0
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        (self.0 >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }
}

const BLOCKS: [Block; 6] = [
    Block::Contact { mu: 0.6 },
    Block::Contact { mu: 0.3 },
    Block::Unilateral,
    Block::Box { bound: 0.2 },
    Block::Bilateral,
    Block::Contact { mu: 1.0 },
];

/// G = Jᵀ J with J of `rank` rows, column-major, and g.
fn random(seed: u64, rank: usize) -> (Vec<f64>, Vec<f64>) {
    let n: usize = BLOCKS.iter().map(|b| b.rows()).sum();
    let mut rng = Lcg(seed);
    let j: Vec<f64> = (0..rank * n).map(|_| rng.next()).collect();
    let g = (0..n).map(|_| rng.next()).collect();
    let delassus = (0..n * n)
        .map(|at| {
            let (a, b) = (at / n, at % n);
            (0..rank).map(|k| j[a * rank + k] * j[b * rank + k]).sum()
        })
        .collect();
    (delassus, g)
}

fn solve(blocks: &[Block], delassus: &[f64], g: &[f64], kappa: f64) -> (CentralPath, Vec<f64>) {
    let problem = Problem {
        blocks,
        delassus: Delassus::Dense(delassus),
        g,
    };
    let mut exact = vec![0.0; g.len()];
    let mut modes = vec![Mode::Unknown; blocks.len()];
    let mut solver = NcpSolver::new(g.len(), blocks.len());
    let c = solver
        .solve(&problem, &mut exact, &mut modes, &NcpOptions::default())
        .unwrap();
    assert!(c.converged);
    (CentralPath::solve(&problem, &exact, kappa).unwrap(), exact)
}

#[test]
fn the_solution_obeys_the_relaxed_laws() {
    for seed in 0..20 {
        for kappa in [1e-1, 1e-3, 1e-6] {
            let (delassus, g) = random(seed, 14);
            let (path, _) = solve(&BLOCKS, &delassus, &g, kappa);
            let (l, n) = (path.lambda(), g.len());
            let s: Vec<f64> = (0..n)
                .map(|r| g[r] + (0..n).map(|c| delassus[c * n + r] * l[c]).sum::<f64>())
                .collect();
            let mut at = 0;
            for b in BLOCKS {
                match b {
                    Block::Contact { mu } | Block::Pyramid { mu } => {
                        let (lt, st) = ([l[at], l[at + 1]], [s[at], s[at + 1]]);
                        let (ln, sn) = (l[at + 2], s[at + 2]);
                        assert!(ln > 0.0 && sn > 0.0 && lt[0].hypot(lt[1]) < mu * ln);
                        assert!((ln * sn / kappa - 1.0).abs() < 1e-7);
                        // (μ λ_N, λ_T) ∘ (ψ, σ_T) = (κ, 0) with ψ from the first entry.
                        let psi = (kappa - lt[0] * st[0] - lt[1] * st[1]) / (mu * ln);
                        assert!(psi > st[0].hypot(st[1]));
                        for k in 0..2 {
                            let row = mu * ln * st[k] + psi * lt[k];
                            assert!(row.abs() < 1e-10 * (1.0 + ln), "{row:e}");
                        }
                    }
                    Block::Unilateral => {
                        assert!(l[at] > 0.0 && (l[at] * s[at] / kappa - 1.0).abs() < 1e-7);
                    }
                    Block::Box { bound } => {
                        let push = kappa / (bound + l[at]) - kappa / (bound - l[at]);
                        assert!(l[at].abs() < bound && (s[at] - push).abs() < 1e-9);
                    }
                    Block::Bilateral | Block::Torsion { .. } => assert!(s[at].abs() < 1e-10),
                }
                at += b.rows();
            }
        }
    }
}

#[test]
fn the_derivative_is_that_of_the_solution() {
    let mut worst = 0.0_f64;
    for (seed, rank) in (0..10).map(|s| (s, if s % 2 == 0 { 14 } else { 8 })) {
        let kappa = 1e-2;
        let (delassus, g) = random(seed, rank);
        let (n, nb) = (g.len(), BLOCKS.len());
        let (mut path, _) = solve(&BLOCKS, &delassus, &g, kappa);
        let mut rng = Lcg(99 + seed);
        let w: Vec<f64> = (0..n).map(|_| rng.next()).collect();
        let limits: Vec<f64> = (0..nb).map(|_| rng.next()).collect();
        let mut ours = vec![0.0; n];
        path.direction(&w, Some(&limits), 1, &mut ours);
        let at = |e: f64| {
            let g: Vec<f64> = g.iter().zip(&w).map(|(g, w)| g + e * w).collect();
            let mut blocks = BLOCKS;
            for (b, l) in blocks.iter_mut().zip(&limits) {
                match b {
                    Block::Contact { mu } => *mu += e * l,
                    Block::Box { bound } => *bound += e * l,
                    _ => {}
                }
            }
            solve(&blocks, &delassus, &g, kappa).0.lambda().to_vec()
        };
        let e = 1e-4;
        let (p1, m1, p2, m2) = (at(e), at(-e), at(2.0 * e), at(-2.0 * e));
        let scale = ours.iter().fold(1.0_f64, |m, x| m.max(x.abs()));
        for k in 0..n {
            let fd = (8.0 * (p1[k] - m1[k]) - (p2[k] - m2[k])) / (12.0 * e);
            worst = worst.max((fd - ours[k]).abs() / scale);
        }
    }
    println!("largest relative difference {worst:e}");
    assert!(worst < 1e-7, "{worst:e}");
}

#[test]
fn the_exact_laws_are_the_limit() {
    for seed in 0..10 {
        let (delassus, g) = random(seed, 14);
        let n = g.len();
        let error = |kappa: f64| {
            let (path, exact) = solve(&BLOCKS, &delassus, &g, kappa);
            (0..n)
                .map(|k| (path.lambda()[k] - exact[k]).abs())
                .fold(0.0, f64::max)
        };
        // The error falls at least as √κ, its rate if both numbers of an exact pair are zero.
        let (coarse, fine) = (error(1e-5), error(1e-8));
        assert!(fine < 0.034 * coarse, "{coarse:e} {fine:e}");
    }
}

/// If no κ is large enough for the start, there is no path to go down; the solver must still end.
#[test]
fn velocities_beyond_any_kappa_end() {
    let (delassus, mut g) = random(1, 14);
    g.iter_mut().for_each(|x| *x *= 1e200);
    let problem = Problem {
        blocks: &BLOCKS,
        delassus: Delassus::Dense(&delassus),
        g: &g,
    };
    let exact = vec![0.0; g.len()];
    let e = CentralPath::solve(&problem, &exact, 1e-4).unwrap_err();
    assert_eq!(e.status, crate::error::Status::NotConverged);
}
