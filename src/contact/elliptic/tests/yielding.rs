//! Compliant rows: an island by coordinates agrees with the matrix of its rows.

use super::{Posing, law};
use crate::contact::block::Cone;
use crate::contact::law::{Law, Linearized};
use crate::contact::problem::Block;
use crate::linalg::scattered;
use std::sync::Arc;

/// Which rows are compliant, and how much.
#[derive(Clone, Copy, Debug)]
enum Soft {
    All(f64),
    /// Every second contact with its torsion, and no other row.
    Some(f64),
}

/// The problem with a compliance on its rows: as a matrix, and by its factor.
fn yielding(seed: usize, cone: Cone, dofs: usize, soft: Soft) -> [Posing; 2] {
    let mut p = Posing::new(seed, 3, cone, dofs);
    let n = p.g.len();
    let mut compliance = vec![];
    for (k, block) in p.blocks.iter().enumerate() {
        let contact = match *block {
            Block::Torsion { contact, .. } => contact,
            _ => k,
        };
        let r = match soft {
            Soft::All(r) => r,
            Soft::Some(r) if contact < 4 && contact.is_multiple_of(2) => r,
            Soft::Some(_) => 0.0,
        };
        let rows = 0..block.rows();
        compliance.extend(rows.map(|j| r * (1.0 + 0.5 * scattered(7 * k + j, seed + 13))));
    }
    let mut other = p.by_trees();
    let trees = Arc::get_mut(other.trees.as_mut().unwrap()).unwrap();
    trees.set_compliance(compliance.iter().copied());
    for (k, r) in compliance.iter().enumerate() {
        p.matrix[k * (n + 1)] += r;
    }
    other.matrix.clone_from(&p.matrix);
    [p, other]
}

fn far(a: &[f64], b: &[f64]) -> f64 {
    let size = a.iter().fold(1.0f64, |m, x| m.max(x.abs()));
    let off = a.iter().zip(b).map(|(a, b)| (a - b).abs());
    off.fold(0.0, f64::max) / size
}

fn dot(x: &[f64], y: &[f64]) -> f64 {
    x.iter().zip(y).map(|(x, y)| x * y).sum()
}

#[test]
fn compliant_rows_are_solved_by_coordinates_as_by_a_matrix() {
    let softs = [1.0, 1e-2, 1e-5].map(Soft::All);
    let softs = softs.into_iter().chain([1.0, 1e-2, 1e-5].map(Soft::Some));
    for soft in softs {
        let (mut solved, mut compared, mut springs) = (0, 0, 0);
        let mut worst = [0.0f64; 3];
        let is_soft = matches!(soft, Soft::All(r) | Soft::Some(r) if r > 1e-3);
        for (seed, dofs) in (0..20).flat_map(|s| [(s, 8), (s, 13)]) {
            for cone in [Cone::Circular, Cone::Pyramid] {
                let [mut p, mut other] = yielding(seed, cone, dofs, soft);
                let (n, blocks) = (p.g.len(), p.blocks.len());
                let mut laws = [&p, &other].map(|p| law(p, cone, false));
                let by_trees = other.solve(&mut laws[1]);
                let system = &laws[1].solver.system;
                assert!(system.coordinates.are_used() && !system.has_matrix());
                // For rigid rows that contradict each other there is no claim.
                let is_solvable = is_soft && matches!(soft, Soft::All(_));
                if !by_trees.converged && !is_solvable {
                    continue;
                }
                assert!(by_trees.converged, "{cone:?} {seed} {dofs} {soft:?}");
                solved += 1;
                // A problem may have several solutions: check that this is one of them.
                p.lambda.clone_from(&other.lambda);
                p.modes.clone_from(&other.modes);
                let found = p.solve(&mut laws[0]);
                assert!(found.converged, "{cone:?} {seed} {dofs} {soft:?}");
                worst[0] = worst[0].max(far(&p.velocity(), &other.velocity()));
                if found.at_switch || by_trees.at_switch || p.modes != other.modes {
                    continue;
                }
                let w: Vec<f64> = (0..n).map(|k| scattered(k, seed + 3)).collect();
                // Rigid rows that depend on each other cannot follow any change: take one of a motion.
                let along: Vec<f64> = (0..dofs).map(|k| scattered(k, seed + 3)).collect();
                let w = match soft {
                    Soft::All(_) => w,
                    Soft::Some(_) => p.factor.chunks(dofs).map(|h| dot(h, &along)).collect(),
                };
                let bar: Vec<f64> = (0..n).map(|k| scattered(k, seed + 11)).collect();
                let d: Vec<f64> = (p.blocks.iter().enumerate())
                    .map(|(k, b)| match b {
                        Block::Contact { .. } | Block::Pyramid { .. } | Block::Box { .. } => {
                            scattered(k, seed + 5)
                        }
                        _ => 0.0,
                    })
                    .collect();
                let mut effects = vec![];
                let mut is_open = false;
                for (law, p) in laws.iter_mut().zip([&p, &other]) {
                    let problem = p.problem();
                    let linear: &mut dyn Linearized = law.linearize(&problem).unwrap();
                    let mut dlambda = vec![0.0; n];
                    let limits = Some(&d[..]);
                    linear.apply(&problem, &w, limits, 1, &mut dlambda).unwrap();
                    let (mut w_bar, mut d_bar) = (vec![0.0; n], vec![0.0; blocks]);
                    let limits = Some(&mut d_bar[..]);
                    linear
                        .apply_transpose(&problem, &bar, &mut w_bar, limits)
                        .unwrap();
                    let (forward, back) = (dot(&bar, &dlambda), dot(&w_bar, &w) + dot(&d_bar, &d));
                    let size = dlambda.iter().fold(1.0f64, |m, x| m.max(x.abs()));
                    worst[1] = worst[1].max((forward - back).abs() / size);
                    let faces = &law.solver.faces;
                    is_open |= faces.is_deficient();
                    springs += faces.springs_count();
                    let lines = p.matrix.chunks(n);
                    effects.push(lines.map(|g| dot(g, &dlambda)).collect::<Vec<f64>>());
                }
                if !is_open {
                    worst[2] = worst[2].max(far(&effects[0], &effects[1]));
                    compared += 1;
                }
            }
        }
        println!("{soft:?}: {solved} solved, {compared} compared, {springs} springs, {worst:?}");
        assert!(solved > 20 && compared > 10, "{soft:?} {solved} {compared}");
        assert!(is_soft == (springs > 0), "{soft:?} {springs}");
        let [velocity, adjoint, derivative] = worst;
        assert!(
            velocity < 1e-7 && adjoint < 1e-10 && derivative < 1e-8,
            "{soft:?} {worst:?}"
        );
    }
}
