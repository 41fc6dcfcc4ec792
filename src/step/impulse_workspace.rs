//! Workspace of the derivatives of impulses.

use super::options::{Contact, Options};
use crate::linalg::grow;
use crate::model::Model;

/// A direction and its results.
#[derive(Clone, Debug, Default)]
pub(super) struct Direction {
    pub unit: Vec<f64>,
    pub dq_next: Vec<f64>,
    pub dv_next: Vec<f64>,
    /// Adjoints of impulses, and of q, v, u and the parameters.
    pub bar: Vec<f64>,
    pub bars: [Vec<f64>; 4],
    /// All four Jacobians, one after the other.
    pub matrices: Vec<f64>,
    pub rows: usize,
}

impl Direction {
    pub fn new(model: &Model, options: &Options) -> Direction {
        let (nv, nu) = (model.nv(), model.nu());
        let contacts = match options.contact {
            Contact::None => 0,
            _ => options.max_contacts,
        };
        Direction {
            unit: vec![0.0; nv.max(nu)],
            dq_next: vec![0.0; nv],
            dv_next: vec![0.0; nv],
            bar: vec![0.0; 3 * contacts],
            bars: [nv, nv, nu, 0].map(|n| vec![0.0; n]),
            matrices: Vec::with_capacity(3 * contacts * (2 * nv + nu)),
            rows: 3 * contacts,
        }
    }

    /// Allocates for np parameters.
    pub fn fit(&mut self, np: usize) {
        self.unit.resize(self.unit.len().max(np), 0.0);
        self.bars[3].resize(np, 0.0);
        let columns: usize = self.bars.iter().map(Vec::len).sum();
        // A new allocation: untouched pages take no memory.
        self.matrices = Vec::with_capacity(self.rows * columns);
    }

    /// Makes room for the four Jacobians of this many rows.
    pub fn start(&mut self, rows: usize) {
        let columns: usize = self.bars.iter().map(Vec::len).sum();
        grow(&mut self.matrices, rows * columns);
    }
}

/// Splits memory into results of these lengths.
pub(super) fn parts(memory: &mut [f64], lengths: [usize; 4]) -> [&mut [f64]; 4] {
    let mut rest = memory;
    lengths.map(|n| {
        let (part, tail) = std::mem::take(&mut rest).split_at_mut(n);
        rest = tail;
        part
    })
}
