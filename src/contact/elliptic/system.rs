//! The problem of an island with the rows of each law side by side, and G in this order.

use super::coordinates::Coordinates;
use super::unit::{Set, Unit};
use crate::contact::block::Block;
use crate::contact::digits::SLOWEST;
use crate::contact::problem::{Delassus, Problem, Regularization};
use crate::linalg::{dispatch, dot};

/// y ← A x of a square A.
#[inline(always)]
fn times_kernel(a: &[f64], x: &[f64], y: &mut [f64]) {
    for (y, line) in y.iter_mut().zip(a.chunks_exact(x.len().max(1))) {
        *y = dot(line, x);
    }
}

dispatch! {
    fn times = times_kernel(a: &[f64], x: &[f64], y: &mut [f64])
}

/// A problem with the rows of each law side by side, tangents first.
#[derive(Debug, Default)]
pub(super) struct System {
    pub units: Vec<Unit>,
    /// Row of the problem for each row here, and the reverse map. The reverse map has no meaning for
    /// other rows.
    order: Vec<usize>,
    place: Vec<usize>,
    offsets: Vec<usize>,
    /// G (n × n), its diagonal, and g.
    pub matrix: Vec<f64>,
    pub diagonal: Vec<f64>,
    pub g: Vec<f64>,
    pub coordinates: Coordinates,
}

impl System {
    pub fn with_capacity(rows: usize, blocks: usize) -> System {
        System {
            units: Vec::with_capacity(blocks),
            order: Vec::with_capacity(rows),
            place: Vec::with_capacity(rows),
            offsets: Vec::with_capacity(blocks + 1),
            matrix: Vec::with_capacity(rows * rows),
            diagonal: Vec::with_capacity(rows),
            g: Vec::with_capacity(rows),
            coordinates: Coordinates::with_capacity(rows, blocks),
        }
    }

    /// Takes the blocks `members` of a problem. Other blocks must not couple with them. `regularization`
    /// is by blocks, or empty.
    pub fn start(
        &mut self,
        problem: &Problem,
        members: &[usize],
        regularization: &[Regularization],
    ) {
        self.offsets.clear();
        let mut at = 0;
        for block in problem.blocks {
            self.offsets.push(at);
            at += block.rows();
        }
        self.offsets.push(at);
        self.gather(problem.blocks, members, regularization);
        self.place.clear();
        self.place.resize(at, 0);
        for (own, row) in self.order.iter().enumerate() {
            self.place[*row] = own;
        }
        self.g.clear();
        self.g.extend(self.order.iter().map(|row| problem.g[*row]));
        self.fill(problem, members);
        self.diagonal.clear();
        let n = self.order();
        self.diagonal.extend(self.matrix.iter().step_by(n + 1));
    }

    /// The largest velocity without impulses, the unit of distances to switches.
    pub fn speed(&self) -> f64 {
        self.g.iter().fold(SLOWEST, |m, x| m.max(x.abs()))
    }

    fn gather(&mut self, blocks: &[Block], members: &[usize], regularization: &[Regularization]) {
        self.units.clear();
        self.order.clear();
        let zero = Regularization::new(0.0, 0.0);
        for &i in members {
            let set = match blocks[i] {
                Block::Contact { mu } => Set::Cone { mu },
                Block::Pyramid { mu } => Set::Pyramid { mu },
                Block::Unilateral => Set::HalfLine,
                Block::Box { bound } => Set::Interval { bound },
                Block::Bilateral => Set::Line,
                Block::Torsion { .. } => continue,
            };
            let of_this =
                |b: &&usize| matches!(blocks[**b], Block::Torsion { contact, .. } if contact == i);
            let torsion = match set {
                Set::Cone { .. } | Set::Pyramid { .. } => members.iter().find(of_this).copied(),
                _ => None,
            };
            let at = self.order.len();
            let own = self.offsets[i]..self.offsets[i + 1];
            let last = own.end - 1;
            self.order.extend(own.start..last);
            if let Some(k) = torsion {
                self.order.extend(self.offsets[k]..self.offsets[k + 1]);
            }
            self.order.push(last);
            self.units.push(Unit {
                at,
                rows: self.order.len() - at,
                set,
                block: i,
                torsion,
                r: regularization.get(i).copied().unwrap_or(zero),
            });
        }
    }

    fn fill(&mut self, problem: &Problem, members: &[usize]) {
        let (n, whole) = (self.order.len(), problem.rows());
        self.coordinates.clear();
        if let Delassus::Trees(trees) = problem.delassus {
            (self.coordinates).take(trees, members, &self.offsets, &self.place);
        }
        self.matrix.clear();
        self.matrix.resize(n * n, 0.0);
        match problem.delassus {
            Delassus::Dense(values) => {
                for (line, row) in self.matrix.chunks_exact_mut(n.max(1)).zip(&self.order) {
                    let from = &values[row * whole..(row + 1) * whole];
                    for (x, column) in line.iter_mut().zip(&self.order) {
                        *x = from[*column];
                    }
                }
            }
            Delassus::Trees(trees) => {
                let (matrix, place, offsets) = (&mut self.matrix, &self.place, &self.offsets);
                if self.coordinates.are_used() {
                    self.coordinates.write_matrix(matrix);
                    return;
                }
                for &i in members {
                    let rows = offsets[i]..offsets[i + 1];
                    for &j in members {
                        for (row, line) in rows.clone().zip(trees.block(i, j)) {
                            let columns = offsets[j]..offsets[j + 1];
                            for (column, x) in columns.zip(line) {
                                matrix[place[row] * n + place[column]] = x;
                            }
                        }
                    }
                }
            }
        }
    }

    pub fn order(&self) -> usize {
        self.order.len()
    }

    /// Weight of a Newton step's factorization in the work budget.
    pub fn weight(&self) -> f64 {
        self.coordinates.weight(self.order())
    }

    /// `to` ← the numbers `from`, which are by rows of the problem.
    pub fn take<'a>(&self, from: &[f64], to: &'a mut [f64]) -> &'a mut [f64] {
        let to = &mut to[..self.order.len()];
        for (to, row) in to.iter_mut().zip(&self.order) {
            *to = from[*row];
        }
        to
    }

    /// Writes numbers by rows here into `to`, by rows of the problem.
    pub fn give(&self, from: &[f64], to: &mut [f64]) {
        for (from, row) in from.iter().zip(&self.order) {
            to[*row] = *from;
        }
    }

    /// `y` ← G x.
    pub fn multiply(&self, x: &[f64], y: &mut [f64]) {
        times(&self.matrix, x, y);
    }

    /// `sigma` ← G λ + g.
    pub fn velocity(&self, lambda: &[f64], sigma: &mut [f64]) {
        self.multiply(lambda, sigma);
        for (s, g) in sigma.iter_mut().zip(&self.g) {
            *s += g;
        }
    }

    /// Diagonal of G on the normal of a unit, or on its only row.
    pub fn normal_response(&self, unit: &Unit) -> f64 {
        self.diagonal[unit.at + unit.rows - 1]
    }

    /// Mean diagonal of G on the tangents of a unit, or on its only row.
    pub fn response(&self, unit: &Unit) -> f64 {
        let tangents = unit.rows.max(2) - 1;
        let sum: f64 = self.diagonal[unit.at..unit.at + tangents].iter().sum();
        sum / tangents as f64
    }
}
