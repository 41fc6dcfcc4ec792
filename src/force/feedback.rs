//! A generalized force that the caller gives, with its derivatives by the state at the start of the
//! step.
//!
//! f = τ + K δq + D δv, taken implicitly: with v⁺ = v + h a a step has τ + h K v + (h D + h² K) a. The
//! part that resists the dof's own motion joins the diagonal of the system matrix, like springs and
//! dampers of joints. The other parts are terms between dofs.

use super::face::State;
use super::slopes::Slopes;

#[derive(Clone, Debug)]
pub struct Feedback {
    nv: usize,
    /// τ [N or N m], and K and D, column-major.
    force: Vec<f64>,
    by_q: Vec<f64>,
    by_v: Vec<f64>,
}

impl Feedback {
    /// An empty matrix stands for zero.
    pub fn new(force: &[f64], by_q: &[f64], by_v: &[f64]) -> Feedback {
        let nv = force.len();
        let mut all = Feedback {
            nv,
            force: vec![0.0; nv],
            by_q: vec![0.0; nv * nv],
            by_v: vec![0.0; nv * nv],
        };
        all.take(force, by_q, by_v);
        all
    }

    /// Replaces force and derivatives.
    pub fn take(&mut self, force: &[f64], by_q: &[f64], by_v: &[f64]) {
        self.force.copy_from_slice(force);
        for (own, given) in [(&mut self.by_q, by_q), (&mut self.by_v, by_v)] {
            match given.is_empty() {
                true => own.fill(0.0),
                false => own.copy_from_slice(given),
            }
        }
    }

    /// τ, K and D.
    pub fn given(&self) -> [&[f64]; 3] {
        [&self.force, &self.by_q, &self.by_v]
    }

    /// Row, column, K and D of all nonzero entries.
    fn entries(&self) -> impl Iterator<Item = (usize, usize, [f64; 2])> + Clone {
        let pairs = self.by_q.iter().zip(&self.by_v).enumerate();
        pairs.filter_map(move |(i, (by_q, by_v))| {
            let is_zero = *by_q == 0.0 && *by_v == 0.0;
            (!is_zero).then_some((i % self.nv, i / self.nv, [*by_q, *by_v]))
        })
    }

    /// Adds h D̃ + h² K̃ of the part that resists each dof's own motion.
    pub fn add_diagonal(&self, h: f64, diagonal: &mut [f64]) {
        for (k, d) in diagonal.iter_mut().enumerate() {
            let [by_q, by_v] = [&self.by_q, &self.by_v].map(|x| (-x[k * self.nv + k]).max(0.0));
            *d += h * (by_v + h * by_q);
        }
    }

    /// The other parts: (row, column, value).
    pub fn couplings(&self, h: f64) -> impl Iterator<Item = (usize, usize, f64)> + Clone {
        self.entries().filter_map(move |(row, column, slopes)| {
            let drives = slopes.map(|x| if row == column { x.max(0.0) } else { x });
            let [by_q, by_v] = drives;
            (drives != [0.0; 2]).then_some((row, column, -h * (by_v + h * by_q)))
        })
    }

    /// Adds τ + h K v.
    pub fn apply(&self, at: &State<'_>, tau: &mut [f64]) {
        for (tau, force) in tau.iter_mut().zip(&self.force) {
            *tau += force;
        }
        for (row, column, [by_q, _]) in self.entries() {
            tau[row] += at.time_step * by_q * at.v[column];
        }
    }

    /// Adds −h K by v. τ, K and D are constant.
    pub fn slopes(&self, at: &State<'_>, into: &mut Slopes) {
        for (row, column, [by_q, _]) in self.entries() {
            into.add([row, column], 0.0, -at.time_step * by_q);
        }
    }
}
