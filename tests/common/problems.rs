//! Contact problems given by their matrices, and queries of their solver.

use super::Rng;
use diffsim::problem::{ContactProblem, ProblemBars, ProblemData, ProblemOptions};
use diffsim::step::Contact;

/// Those with impulses.
pub const LAWS: [Contact; 3] = [Contact::Ncp, Contact::Lcp, Contact::Convex];

/// Everything that makes a problem, or a variation of one: A, J, v_free, target, friction, compliance.
#[derive(Clone)]
pub struct Case(pub [Vec<f64>; 6]);

impl Case {
    pub fn data(&self) -> ProblemData<'_> {
        let [a, j, v_free, target, friction, compliance] = self.0.each_ref().map(|x| &x[..]);
        ProblemData {
            a,
            j,
            v_free,
            target,
            friction,
            compliance,
        }
    }

    pub fn rows(&self) -> usize {
        self.0[3].len()
    }

    /// Contacts that come down on a body of many dofs, none of them the same.
    pub fn random(rng: &mut Rng, law: Contact, nv: usize, contacts: usize) -> Case {
        let rows = 3 * contacts;
        let b = rng.vector(nv * nv, 1.0);
        let mut a = vec![0.0; nv * nv];
        for i in 0..nv {
            for j in 0..nv {
                let dot: f64 = (0..nv).map(|k| b[k * nv + i] * b[k * nv + j]).sum();
                a[j * nv + i] = 0.3 * dot + f64::from(i == j);
            }
        }
        let mut target = rng.vector(rows, 0.3);
        target.iter_mut().skip(2).step_by(3).for_each(|t| *t -= 0.7);
        let compliance = match law {
            Contact::Convex => (0..contacts)
                .flat_map(|_| {
                    let tangential = rng.range(0.003, 0.03);
                    [tangential, tangential, rng.range(0.02, 0.3)]
                })
                .collect(),
            _ => Vec::new(),
        };
        Case([
            a,
            rng.vector(rows * nv, 1.0),
            rng.vector(nv, 1.0),
            target,
            (0..contacts).map(|_| rng.range(0.1, 0.8)).collect(),
            compliance,
        ])
    }

    /// The same on two bodies whose dofs alternate: the first contact on the one, the second on the other,
    /// the third on both.
    pub fn on_two_bodies(mut self) -> Case {
        let (nv, rows) = (self.0[2].len(), self.rows());
        for i in 0..nv {
            for j in (0..nv).filter(|j| (i + j) % 2 == 1) {
                self.0[0][j * nv + i] = 0.0;
            }
            for row in (0..rows).filter(|row| row / 3 % 3 != 2 && row / 3 % 2 != i % 2) {
                self.0[1][i * rows + row] = 0.0;
            }
        }
        self
    }

    /// A direction of one part of it, or of all: that of A symmetric, that of R the same along tangents.
    pub fn direction(&self, rng: &mut Rng, part: Option<usize>) -> Case {
        let nv = self.0[2].len();
        let mut d = Case(self.0.each_ref().map(|x| rng.vector(x.len(), 1.0)));
        for i in 0..nv {
            for j in 0..i {
                d.0[0][j * nv + i] = d.0[0][i * nv + j];
            }
        }
        for r in d.0[5].chunks_exact_mut(3) {
            r[1] = r[0];
            // The tangents' R is small.
            r.iter_mut().for_each(|r| *r *= 0.01);
        }
        for k in 0..6 {
            if part.is_some_and(|part| part != k) {
                d.0[k].clear();
            }
        }
        d
    }

    pub fn moved(&self, by: &Case, e: f64) -> Case {
        let mut to = self.clone();
        for (to, by) in to.0.iter_mut().zip(&by.0) {
            for (to, by) in to.iter_mut().zip(by) {
                *to += e * by;
            }
        }
        to
    }

    /// A and J times vectors.
    pub fn times_a(&self, x: &[f64]) -> Vec<f64> {
        let nv = x.len();
        let row = |i: usize| (0..nv).map(|k| self.0[0][k * nv + i] * x[k]).sum();
        (0..nv).map(row).collect()
    }

    pub fn sigma(&self, v: &[f64]) -> Vec<f64> {
        let rows = self.rows();
        let row = |i: usize| (0..v.len()).map(move |k| self.0[1][k * rows + i] * v[k]);
        (0..rows)
            .map(|i| self.0[3][i] + row(i).sum::<f64>())
            .collect()
    }

    pub fn force(&self, impulse: &[f64]) -> Vec<f64> {
        let columns = self.0[1].chunks_exact(self.rows());
        columns.map(|column| dot(column, impulse)).collect()
    }
}

pub fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

pub fn options(law: Contact, nv: usize, max_contacts: usize) -> ProblemOptions {
    ProblemOptions {
        law,
        nv,
        max_contacts,
        ..ProblemOptions::default()
    }
}

pub fn solver(law: Contact, nv: usize, max_contacts: usize) -> ContactProblem {
    ContactProblem::new(&options(law, nv, max_contacts)).unwrap()
}

/// The solution: v, then the impulses.
pub fn solve(solver: &mut ContactProblem, case: &Case) -> Vec<f64> {
    let nv = case.0[2].len();
    let mut x = vec![0.0; nv + case.rows()];
    let (v, impulse) = x.split_at_mut(nv);
    let info = solver.solve(&case.data(), v, impulse).unwrap();
    assert!(info.converged, "{info:?}");
    x
}

pub fn jvp(solver: &mut ContactProblem, by: &Case, nv: usize, rows: usize) -> Vec<f64> {
    let mut x = vec![0.0; nv + rows];
    let (dv, dimpulse) = x.split_at_mut(nv);
    solver.jvp(&by.data(), dv, dimpulse).unwrap();
    x
}

/// Gradients by everything, in the shapes of the case.
pub fn vjp(solver: &mut ContactProblem, case: &Case, bar: &[f64]) -> Case {
    let mut out = case.clone();
    let (v_bar, impulse_bar) = bar.split_at(case.0[2].len());
    let yields = !case.0[5].is_empty();
    let [a, j, v_free, target, friction, compliance] = out.0.each_mut().map(|x| &mut x[..]);
    let bars = ProblemBars {
        a: Some(a),
        j: Some(j),
        v_free: Some(v_free),
        target: Some(target),
        friction: Some(friction),
        compliance: yields.then_some(compliance),
    };
    solver.vjp(v_bar, impulse_bar, bars).unwrap();
    out
}

/// A box of 2 kg that stands on its four corners, or slides: J of the corners, below the centre by z.
pub fn on_corners(law: Contact, v_free: [f64; 6], mu: f64) -> Case {
    let arms = [(0.2, 0.1), (-0.2, 0.1), (-0.2, -0.1), (0.2, -0.1)].map(|(x, y)| [x, y, -0.15]);
    let mut j = vec![0.0; 12 * 6];
    for (c, [x, y, z]) in arms.into_iter().enumerate() {
        // v + ω × arm
        let turn = [[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]];
        for axis in 0..3 {
            j[axis * 12 + 3 * c + axis] = 1.0;
            for (row, line) in turn.iter().enumerate() {
                j[(3 + axis) * 12 + 3 * c + row] = -line[axis];
            }
        }
    }
    let mut a = vec![0.0; 36];
    for (k, m) in [2.0, 2.0, 2.0, 0.03, 0.05, 0.06].into_iter().enumerate() {
        a[7 * k] = m;
    }
    let compliance = match law {
        Contact::Convex => [1e-3, 1e-3, 0.02].repeat(4),
        _ => Vec::new(),
    };
    Case([
        a,
        j,
        v_free.to_vec(),
        vec![0.0; 12],
        vec![mu; 4],
        compliance,
    ])
}
