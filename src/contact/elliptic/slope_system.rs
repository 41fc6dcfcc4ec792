//! Newton's system (1 + 𝒢 G) d = r with the slopes 𝒢 by units, as a matrix of the rows or of the
//! coordinates of the trees.

use super::system::System;
use super::unit::Slope;
use crate::linalg::{Lu, add_scaled};

#[derive(Debug)]
pub(super) struct SlopeSystem {
    matrix: Vec<f64>,
    lu: Lu,
    z: Vec<[f64; 1]>,
    scratch: Vec<[f64; 1]>,
}

impl SlopeSystem {
    pub fn new(rows: usize) -> SlopeSystem {
        SlopeSystem {
            matrix: vec![0.0; rows * rows],
            lu: Lu::new(rows),
            z: vec![[0.0]; rows],
            scratch: vec![[0.0]; rows],
        }
    }

    /// Factors 1 + 𝒢 G, or the matrix by coordinates. Returns false if it is singular.
    pub fn factor<'a>(
        &mut self,
        system: &mut System,
        slopes: impl Iterator<Item = &'a Slope>,
    ) -> bool {
        if system.coordinates.are_used() {
            let (units, coordinates) = (&system.units, &mut system.coordinates);
            return coordinates.factor(units, slopes, &mut self.matrix, &mut self.lu);
        }
        let n = system.order();
        let a = &mut self.matrix[..n * n];
        a.fill(0.0);
        for (unit, slope) in system.units.iter().zip(slopes) {
            for (r, slope) in slope.iter().enumerate().take(unit.rows) {
                let line = &mut a[(unit.at + r) * n..][..n];
                for (s, row) in slope.iter().zip(unit.range()) {
                    if *s != 0.0 {
                        add_scaled(*s, &system.matrix[row * n..][..n], line);
                    }
                }
                line[unit.at + r] += 1.0;
            }
        }
        self.lu.factor(a, n, n, 0.0)
    }

    /// r ← d, after [`SlopeSystem::factor`] with the same slopes.
    pub fn solve<'a>(
        &mut self,
        system: &System,
        slopes: impl Iterator<Item = &'a Slope>,
        r: &mut [[f64; 1]],
    ) {
        let n = r.len();
        let scratch = &mut self.scratch[..n];
        match system.coordinates.are_used() {
            true => {
                let room = [&mut self.z[..n], scratch];
                (system.coordinates).solve(&system.units, slopes, &self.lu, r, room);
            }
            false => self.lu.solve(r, scratch),
        }
    }
}
