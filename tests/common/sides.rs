//! Comparison of the two sides of a step: a one-sided label claims that they differ.

use super::Rng;
use diffsim::model::Model;
use diffsim::step::{Gradient, Sim, StepJacobians};
use std::sync::Arc;

const WIDTHS: [f64; 4] = [1e-5, 1e-6, 1e-7, 1e-8];

/// Relative difference of one-sided differences of second order from which on two sides differ.
pub const APART: f64 = 1e-6;

/// Widths of the differences of columns, how near those of two widths or of two sides are that count as
/// one, and how far from both a column is that is neither side's.
const NARROW: [f64; 2] = [1e-7, 3e-7];
const SAME: f64 = 2e-5;
const WRONG: f64 = 1e-4;

/// A simulation with its state, and what its memory was before the last step.
pub struct Walk {
    pub sim: Sim,
    pub q: Vec<f64>,
    pub v: Vec<f64>,
    memory: Vec<f64>,
    rng: Rng,
}

/// What a step was found to be.
#[derive(Clone, Copy, Debug)]
pub struct Sides {
    pub label: Gradient,
    /// How far the two sides are from each other, and the derivative from the mean of them.
    pub apart: f64,
    pub off: f64,
}

/// A column's label, and how far the column is from the farther of its two sides; `None` if differences do
/// not tell.
#[derive(Clone, Copy, Debug)]
pub struct Labelled {
    pub one_sided: bool,
    pub off: Option<f64>,
}

impl Labelled {
    /// Called exact, and wrong by more than 1e-4.
    pub fn is_wrong(&self) -> bool {
        !self.one_sided && self.off.is_some_and(|off| off > WRONG)
    }

    /// Called one-sided, and the same on both sides.
    pub fn is_needless(&self) -> bool {
        self.one_sided && self.off.is_some_and(|off| off < APART)
    }
}

impl Walk {
    pub fn new(sim: Sim, q: Vec<f64>) -> Walk {
        let nv = sim.model().nv();
        Walk {
            memory: vec![0.0; sim.memory_size()],
            sim,
            q,
            v: vec![0.0; nv],
            rng: Rng::new(5),
        }
    }

    /// Steps, and asks for the derivative: the label.
    pub fn step(&mut self, u: &[f64]) -> Gradient {
        let (mut q, mut v) = (self.q.clone(), self.v.clone());
        self.sim.get_memory(&mut self.memory).unwrap();
        self.sim.step(&self.q, &self.v, u, &mut q, &mut v).unwrap();
        let nv = v.len();
        let mut by_v = vec![0.0; nv * nv];
        let _ = self.sim.step_jacobians(StepJacobians {
            dv_dv: Some(&mut by_v),
            ..StepJacobians::default()
        });
        (self.q, self.v) = (q, v);
        self.sim.step_info().unwrap().gradient
    }

    /// As [`Walk::step`], and compares the step's two sides along `directions` in general position.
    pub fn look(&mut self, u: &[f64], directions: usize) -> Sides {
        let (q, v) = (self.q.clone(), self.v.clone());
        let label = self.step(u);
        let model = self.sim.model().clone();
        let (nv, nu) = (model.nv(), model.nu());
        let n = 2 * nv + nu;
        let mut found = Sides {
            label,
            apart: 0.0,
            off: 0.0,
        };
        let mut after = vec![0.0; self.memory.len()];
        self.sim.get_memory(&mut after).unwrap();
        let lines: Vec<(Vec<f64>, Vec<f64>)> = (0..directions)
            .map(|_| {
                let d = self.rng.vector(n, 1.0);
                let (mut by_q, mut by_v) = (vec![0.0; nv], vec![0.0; nv]);
                let [dq, rest] = [&d[..nv], &d[nv..]];
                if label != Gradient::Refused {
                    self.sim
                        .step_jvp(dq, &rest[..nv], &rest[nv..], &[], &mut by_q, &mut by_v)
                        .unwrap();
                }
                (d, [by_q, by_v].concat())
            })
            .collect();
        for (d, column) in lines {
            let (mut apart, mut off) = (f64::INFINITY, f64::INFINITY);
            for h in WIDTHS {
                let ends =
                    [h, -h, 2.0 * h, -2.0 * h].map(|s| self.moved(&model, [&q, &v, u], &d, s));
                let [up, down, up2, down2] = ends;
                let pairs = |f: &dyn Fn(usize) -> [f64; 2]| distance((0..2 * nv).map(f));
                let right = |i: usize| (4.0 * up[i] - up2[i]) / (2.0 * h);
                let left = |i: usize| -(4.0 * down[i] - down2[i]) / (2.0 * h);
                let central = |i: usize| (up[i] - down[i]) / (2.0 * h);
                apart = apart.min(pairs(&|i| [right(i), left(i)]));
                off = off.min(pairs(&|i| [column[i], central(i)]));
                if apart < 0.1 * APART {
                    break;
                }
            }
            found.apart = found.apart.max(apart);
            found.off = found.off.max(off);
        }
        self.sim.set_memory(&after).unwrap();
        found
    }

    /// As [`Walk::step`], and compares every column by q, v and u with the step's two sides: on how many
    /// columns both agree, and how many of these the derivative has otherwise. Columns of which two widths
    /// tell different things do not count.
    pub fn columns(&mut self, u: &[f64]) -> (Gradient, [usize; 2]) {
        let (q, v) = (self.q.clone(), self.v.clone());
        let label = self.step(u);
        let model = self.sim.model().clone();
        let (nv, n) = (model.nv(), 2 * model.nv() + model.nu());
        let mut after = vec![0.0; self.memory.len()];
        self.sim.get_memory(&mut after).unwrap();
        let columns: Vec<Vec<f64>> = (0..n)
            .map(|k| {
                let (d, [mut by_q, mut by_v]) = (unit(n, k), [(); 2].map(|()| vec![0.0; nv]));
                let [dq, dv, du] = [&d[..nv], &d[nv..2 * nv], &d[2 * nv..]];
                (self.sim.step_jvp(dq, dv, du, &[], &mut by_q, &mut by_v)).unwrap();
                [by_q, by_v].concat()
            })
            .collect();
        self.check_one_map(&columns);
        let [mut agree, mut neither] = [0; 2];
        for (k, column) in columns.iter().enumerate() {
            let sides = self.slopes(&model, [&q, &v, u], k);
            if let [Some(right), Some(left)] = sides
                && far(&right, &left) < SAME
            {
                agree += 1;
                neither += usize::from(far(column, &right) > WRONG && far(column, &left) > WRONG);
            }
        }
        self.sim.set_memory(&after).unwrap();
        (label, [agree, neither])
    }

    /// As [`Walk::step`]: the step's label; and by q, v and u, in this order, each column's label and what
    /// differences to both sides say of it.
    pub fn labelled(&mut self, u: &[f64]) -> (Gradient, Vec<Labelled>) {
        let (q, v) = (self.q.clone(), self.v.clone());
        let label = self.step(u);
        let model = self.sim.model().clone();
        let (nv, n) = (model.nv(), 2 * model.nv() + model.nu());
        let mut after = vec![0.0; self.memory.len()];
        self.sim.get_memory(&mut after).unwrap();
        let before = self.columns_by_directions(n);
        let labels = self.sim.column_labels().unwrap();
        let labels = [labels.q, labels.v, labels.u].concat();
        assert_eq!(
            before,
            self.columns_by_directions(n),
            "labels changed the derivative"
        );
        let found = (0..n).map(|k| {
            let column = &before[k][nv..];
            let [right, left] = self.slopes(&model, [&q, &v, u], k);
            let off = match (&right, &left) {
                (Some(a), Some(b)) => Some(far(column, &a[nv..]).max(far(column, &b[nv..]))),
                _ => None,
            };
            Labelled {
                one_sided: labels[k] != 0,
                off,
            }
        });
        let found = found.collect();
        self.sim.set_memory(&after).unwrap();
        (label, found)
    }

    fn columns_by_directions(&mut self, n: usize) -> Vec<Vec<f64>> {
        let nv = self.v.len();
        let columns = (0..n).map(|k| {
            let (d, [mut by_q, mut by_v]) = (unit(n, k), [(); 2].map(|()| vec![0.0; nv]));
            let [dq, dv, du] = [&d[..nv], &d[nv..2 * nv], &d[2 * nv..]];
            (self.sim.step_jvp(dq, dv, du, &[], &mut by_q, &mut by_v)).unwrap();
            [by_q, by_v].concat()
        });
        columns.collect()
    }

    /// The slopes of a column to its right and its left; `None` if two widths tell different things.
    fn slopes(
        &mut self,
        model: &Arc<Model>,
        [q, v, u]: [&[f64]; 3],
        k: usize,
    ) -> [Option<Vec<f64>>; 2] {
        let d = unit(2 * v.len() + u.len(), k);
        [1.0, -1.0].map(|sign| {
            let slopes = NARROW.map(|h| {
                let h = sign * h;
                let [one, two] = [h, 2.0 * h].map(|s| self.moved(model, [q, v, u], &d, s));
                let slope = one.iter().zip(&two).map(|(a, b)| (4.0 * a - b) / (2.0 * h));
                slope.collect::<Vec<_>>()
            });
            (far(&slopes[0], &slopes[1]) < SAME).then(|| slopes[0].clone())
        })
    }

    /// Jacobians and an adjoint are those of directions.
    fn check_one_map(&mut self, columns: &[Vec<f64>]) {
        let (nv, nu) = (self.v.len(), self.sim.model().nu());
        let [mut by_q, mut by_v] = [(); 2].map(|()| vec![0.0; nv * nv]);
        let mut by_u = vec![0.0; nv * nu];
        let jacobians = StepJacobians {
            dv_dq: Some(&mut by_q),
            dv_dv: Some(&mut by_v),
            dv_du: Some(&mut by_u),
            ..StepJacobians::default()
        };
        self.sim.step_jacobians(jacobians).unwrap();
        let jacobian = [by_q, by_v, by_u].concat();
        let bar = self.rng.vector(2 * nv, 1.0);
        let [mut q_bar, mut v_bar] = [(); 2].map(|()| vec![0.0; nv]);
        let mut u_bar = vec![0.0; nu];
        let (a, b, c) = (
            Some(&mut q_bar[..]),
            Some(&mut v_bar[..]),
            Some(&mut u_bar[..]),
        );
        (self.sim.step_vjp(&bar[..nv], &bar[nv..], a, b, c, None)).unwrap();
        let adjoint = [q_bar, v_bar, u_bar].concat();
        for (k, column) in columns.iter().enumerate() {
            let apart = far(&jacobian[k * nv..(k + 1) * nv], &column[nv..]);
            let product: f64 = column.iter().zip(&bar).map(|(a, b)| a * b).sum();
            let off = distance([[adjoint[k], product]].into_iter());
            assert!(
                apart < 1e-10 && off < 1e-10,
                "column {k}: {apart:e} {off:e}"
            );
        }
    }

    /// Where the step from the state moved by `s` along `d` ends, from where it ended, as tangent and
    /// velocity.
    fn moved(&mut self, model: &Arc<Model>, [q, v, u]: [&[f64]; 3], d: &[f64], s: f64) -> Vec<f64> {
        let nv = v.len();
        let part =
            |range: std::ops::Range<usize>| d[range].iter().map(|x| s * x).collect::<Vec<_>>();
        let add = |x: &[f64], d: Vec<f64>| x.iter().zip(d).map(|(x, d)| x + d).collect::<Vec<_>>();
        let mut q_from = q.to_vec();
        model.integrate(q, &part(0..nv), &mut q_from);
        let v_from = add(v, part(nv..2 * nv));
        let u_from = add(u, part(2 * nv..d.len()));
        let (mut q_to, mut v_to) = (q.to_vec(), v.to_vec());
        self.sim.set_memory(&self.memory).unwrap();
        self.sim
            .step(&q_from, &v_from, &u_from, &mut q_to, &mut v_to)
            .unwrap();
        let mut x = vec![0.0; nv];
        model.difference(&self.q, &q_to, &mut x);
        x.extend(v_to.iter().zip(&self.v).map(|(a, b)| a - b));
        x
    }
}

fn unit(n: usize, k: usize) -> Vec<f64> {
    let mut d = vec![0.0; n];
    d[k] = 1.0;
    d
}

/// [`distance`] of two columns.
fn far(a: &[f64], b: &[f64]) -> f64 {
    distance(a.iter().zip(b).map(|(a, b)| [*a, *b]))
}

/// Relative to the second's largest entry, and 1 at least.
fn distance(pairs: impl Iterator<Item = [f64; 2]>) -> f64 {
    let (mut apart, mut size) = (0.0f64, 1.0f64);
    for [a, b] in pairs {
        apart = apart.max((a - b).abs());
        size = size.max(b.abs());
    }
    apart / size
}
