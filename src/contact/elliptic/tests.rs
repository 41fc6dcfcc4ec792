//! Solutions by coordinates and by a matrix, and derivatives against differences, on random problems.

use super::Elliptic;
use crate::contact::block::Cone;
use crate::contact::capacity::Capacity;
use crate::contact::certificate::Certificate;
use crate::contact::convex::Convex;
use crate::contact::law::{Law, Linearized, Posed, Request};
use crate::contact::mode::Mode;
use crate::contact::problem::{Block, Delassus, Problem, Regularization};
use crate::contact::push_out::PushOut;
use crate::contact::whitened_jacobian::WhitenedJacobian;
use crate::contact::work_budget::WorkBudget;
use crate::linalg::scattered;
use std::sync::Arc;

const CONTACTS: usize = 4;

/// A problem with its data.
#[derive(Clone)]
struct Posing {
    blocks: Vec<Block>,
    matrix: Vec<f64>,
    /// Rows × dofs: the matrix is its product with itself transposed.
    factor: Vec<f64>,
    /// The factor on one tree, if the problem is stored by trees.
    trees: Option<Arc<WhitenedJacobian>>,
    g: Vec<f64>,
    regularization: Vec<Regularization>,
    lambda: Vec<f64>,
    modes: Vec<Mode>,
}

fn held<'a>(matrix: &'a [f64], trees: Option<&'a WhitenedJacobian>) -> Delassus<'a> {
    trees.map_or(Delassus::Dense(matrix), Delassus::Trees)
}

impl Posing {
    /// Rows of contacts, each with `torsion` torsional and rolling rows, and one row of every other law,
    /// on this many dofs.
    fn new(seed: usize, torsion: usize, cone: Cone, dofs: usize) -> Posing {
        let mut blocks: Vec<Block> = (0..CONTACTS)
            .map(|k| cone.block(0.3 + 0.2 * k as f64))
            .collect();
        if torsion > 0 {
            blocks.extend((0..CONTACTS).map(|contact| Block::Torsion {
                contact,
                rows: torsion,
            }));
        }
        blocks.extend([
            Block::Unilateral,
            Block::Box { bound: 0.4 },
            Block::Bilateral,
        ]);
        let n: usize = blocks.iter().map(|b| b.rows()).sum();
        let a: Vec<f64> = (0..n * dofs).map(|k| scattered(k, seed)).collect();
        let row = |k: usize| &a[k * dofs..(k + 1) * dofs];
        let matrix = (0..n * n)
            .map(|k| row(k / n).iter().zip(row(k % n)).map(|(x, y)| x * y).sum())
            .collect();
        // The velocity of a motion.
        let v: Vec<f64> = (0..dofs).map(|k| 2.0 * scattered(k, seed + 7)).collect();
        let g = (0..n).map(|k| row(k).iter().zip(&v).map(|(x, y)| x * y).sum());
        let r = |k: usize| Regularization::new(0.02 + 0.01 * (k % 3) as f64, 0.1);
        Posing {
            g: g.collect(),
            matrix,
            factor: a.clone(),
            trees: None,
            regularization: (0..blocks.len()).map(r).collect(),
            lambda: vec![0.0; n],
            modes: vec![Mode::Unknown; blocks.len()],
            blocks,
        }
    }

    /// The same problem stored by its factor, on one tree.
    fn by_trees(&self) -> Posing {
        let dofs = self.dofs();
        let mut trees = WhitenedJacobian::with_capacity(1, self.blocks.len(), self.factor.len());
        trees.clear([dofs].into_iter());
        for block in &self.blocks {
            trees.push(block.rows(), [Some(0), None]);
        }
        let mut from = &self.factor[..];
        for k in 0..self.blocks.len() {
            let to = trees.panel_mut(k, 0);
            let (panel, rest) = from.split_at(to.len());
            to.copy_from_slice(panel);
            from = rest;
        }
        trees.finish();
        Posing {
            trees: Some(Arc::new(trees)),
            ..self.clone()
        }
    }

    fn dofs(&self) -> usize {
        self.factor.len() / self.g.len()
    }

    fn problem(&self) -> Problem<'_> {
        Problem {
            blocks: &self.blocks,
            delassus: held(&self.matrix, self.trees.as_deref()),
            g: &self.g,
        }
    }

    fn capacity(&self) -> Capacity {
        let (trees, dofs) = match self.trees {
            Some(_) => (1, self.dofs()),
            None => (0, 0),
        };
        Capacity {
            torsion: CONTACTS,
            rows: self.g.len(),
            blocks: self.blocks.len(),
            trees,
            coordinates: dofs,
            largest_tree: dofs,
        }
    }

    fn solve(&mut self, law: &mut Elliptic) -> Certificate {
        let work_budget = WorkBudget {
            iterations: 2000,
            work: f64::INFINITY,
        };
        law.solve_alone(self, &work_budget).unwrap().certificate
    }
}

impl Request for Posing {
    fn ask(&mut self, _push_out: PushOut) {}

    fn posed(&mut self) -> Posed<'_> {
        Posed {
            problem: Problem {
                blocks: &self.blocks,
                delassus: held(&self.matrix, self.trees.as_deref()),
                g: &self.g,
            },
            blocks: None,
            regularization: &self.regularization,
            kept: &[],
            lambda: &mut self.lambda,
            modes: &mut self.modes,
        }
    }

    fn gentler(&self, _push_out: PushOut) -> Option<PushOut> {
        None
    }

    fn throws(&mut self) -> bool {
        false
    }
}

fn law(p: &Posing) -> Elliptic {
    let plain = Box::new(Convex::new(&Capacity::default(), 1e-10));
    Elliptic::new(&p.capacity(), plain, 1e-10)
}

/// If there are many more rows than dofs, Newton's systems are in the coordinates of the dofs.
#[test]
fn many_rows_are_solved_by_coordinates_as_by_a_matrix() {
    for (seed, dofs) in (0..40).flat_map(|s| [(s, 6), (s, 12)]) {
        let mut p = Posing::new(seed, 3, Cone::Circular, dofs);
        let mut other = p.by_trees();
        let mut laws = [&p, &other].map(law);
        assert!(p.solve(&mut laws[0]).converged, "{seed} {dofs}");
        assert!(other.solve(&mut laws[1]).converged, "{seed} {dofs}");
        assert!(laws[1].solver.system.coordinates.are_used());
        assert!(!laws[0].solver.system.coordinates.are_used());
        let size = p.lambda.iter().fold(1.0f64, |m, x| m.max(x.abs()));
        let pairs = p.lambda.iter().zip(&other.lambda);
        let off = pairs.map(|(a, b)| (a - b).abs()).fold(0.0, f64::max) / size;
        assert!(off < 1e-8, "{seed} {dofs}: {off:e}");
    }
}

#[test]
fn derivatives_are_those_of_differences_and_adjoints_theirs() {
    let cone = Cone::Circular;
    // Impulses of more rows than dofs are unique, because the rows are compliant.
    for by_trees in [false, true] {
        let (mut worst, mut compared) = (0.0f64, 0);
        for (seed, torsion) in (0..40).flat_map(|s| [(s, 1), (s, 3)]) {
            let p = match by_trees {
                true => Posing::new(seed, torsion, cone, 6).by_trees(),
                false => Posing::new(seed, torsion, cone, 40),
            };
            let (n, blocks) = (p.g.len(), p.blocks.len());
            let w: Vec<f64> = (0..n).map(|k| scattered(k, seed + 3)).collect();
            let is_limited = |b: &Block| {
                matches!(
                    b,
                    Block::Contact { .. } | Block::Pyramid { .. } | Block::Box { .. }
                )
            };
            let d: Vec<f64> = (p.blocks.iter().enumerate())
                .map(|(k, b)| {
                    if is_limited(b) {
                        scattered(k, seed + 5)
                    } else {
                        0.0
                    }
                })
                .collect();
            let moved = |eps: f64| {
                let mut p = p.clone();
                p.g.iter_mut().zip(&w).for_each(|(g, w)| *g += eps * w);
                for (b, d) in p.blocks.iter_mut().zip(&d) {
                    match b {
                        Block::Contact { mu } | Block::Pyramid { mu } => *mu += eps * d,
                        Block::Box { bound } => *bound += eps * d,
                        _ => {}
                    }
                }
                let mut law = law(&p);
                let found = p.solve(&mut law);
                (found.converged, p.lambda, p.modes)
            };
            let eps = 1e-6;
            let ((_, ahead, a), (_, back, b)) = (moved(eps), moved(-eps));
            let mut p = p.clone();
            let mut law = law(&p);
            let found = p.solve(&mut law);
            assert!(found.converged, "{seed}: {found:?}");
            if a != b || found.at_switch {
                continue;
            }
            let problem = p.problem();
            let linear: &mut dyn Linearized = law.linearize(&problem).unwrap();
            let mut dlambda = vec![0.0; n];
            linear
                .apply(&problem, &w, Some(&d), 1, &mut dlambda)
                .unwrap();
            let scale = dlambda.iter().fold(1.0f64, |m, x| m.max(x.abs()));
            for ((x, y), d) in ahead.iter().zip(&back).zip(&dlambda) {
                worst = worst.max(((x - y) / (2.0 * eps) - d).abs() / scale);
            }
            let bar: Vec<f64> = (0..n).map(|k| scattered(k, seed + 11)).collect();
            let (mut w_bar, mut d_bar) = (vec![0.0; n], vec![0.0; blocks]);
            let limits = Some(&mut d_bar[..]);
            linear
                .apply_transpose(&problem, &bar, &mut w_bar, limits)
                .unwrap();
            let dot = |x: &[f64], y: &[f64]| x.iter().zip(y).map(|(x, y)| x * y).sum::<f64>();
            let (forward, back) = (dot(&bar, &dlambda), dot(&w_bar, &w) + dot(&d_bar, &d));
            assert!((forward - back).abs() < 1e-10 * scale, "{forward} {back}");
            compared += 1;
        }
        assert!(compared > 60, "{compared}");
        assert!(worst < 1e-7, "{by_trees} {worst:e}");
    }
}
