//! Derivatives of a link's motion by its unknowns of a stage.

use super::stage::Rule;
use crate::integrator::implicit::Slope;
use crate::joint::{LinkMatrix, block_mul, block_tr_mul};

/// Derivatives of a', v' and q' of one link by its unknowns w. M, D and Q are multiplied by these from the
/// right.
pub(super) struct Blocks(pub [LinkMatrix; 3]);

impl Blocks {
    pub fn of(rule: &Rule, blocks: &[LinkMatrix]) -> Blocks {
        let sum = |terms: &[(f64, Slope)]| {
            let mut m: LinkMatrix = Default::default();
            for (scale, slope) in terms {
                for (m, b) in m.iter_mut().zip(&blocks[*slope as usize]) {
                    *m += *b * *scale;
                }
            }
            m
        };
        let Rule {
            displacement,
            rate,
            share,
            ..
        } = *rule;
        Blocks([
            sum(&[
                (rate, Slope::Velocity),
                (share, Slope::AccelerationByVelocity),
                (displacement, Slope::AccelerationByPosition),
            ]),
            sum(&[
                (share, Slope::Velocity),
                (displacement, Slope::VelocityByPosition),
            ]),
            sum(&[(displacement, Slope::Position)]),
        ])
    }

    /// a', v' and q' of the link for a unit of one of its unknowns.
    pub fn columns(&self, n: usize, unknown: usize) -> [[f64; 6]; 3] {
        self.0.each_ref().map(|m| {
            let mut x = [0.0; 6];
            x[unknown] = 1.0;
            block_mul(m, &mut x[..n]);
            x
        })
    }

    /// A row of H in the columns of the link, from the rows of M, D and Q.
    pub fn row(&self, rows: [[f64; 6]; 3], n: usize) -> [f64; 6] {
        let mut sum = [0.0; 6];
        for (m, mut row) in self.0.iter().zip(rows) {
            block_tr_mul(m, &mut row[..n]);
            for (sum, x) in sum.iter_mut().zip(row) {
                *sum += x;
            }
        }
        sum
    }
}
