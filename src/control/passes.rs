//! One forward pass along a trajectory, and one backward pass over its quadratic models.

use super::box_qp;
use super::cost::Tracking;
use super::sizes::{Sizes, subtract};
use crate::error::{Error, Result};
use crate::model::Model;
use crate::step::{ActJacobians, Sim, StepJacobians};
use nalgebra::DMatrix;

/// States and inputs of a horizon, node by node.
#[derive(Clone, Debug)]
pub struct Trajectory {
    pub q: Vec<f64>,
    pub v: Vec<f64>,
    pub act: Vec<f64>,
    pub u: Vec<f64>,
    /// Deviation from the reference, nx for each node.
    pub deviation: Vec<f64>,
}

impl Trajectory {
    pub fn new(n: Sizes, steps: usize) -> Trajectory {
        Trajectory {
            q: vec![0.0; n.nq * (steps + 1)],
            v: vec![0.0; n.nv * (steps + 1)],
            act: vec![0.0; n.na * (steps + 1)],
            u: vec![0.0; n.nu * steps],
            deviation: vec![0.0; n.nx() * (steps + 1)],
        }
    }

    /// Difference of another trajectory from this one at a node: tangent of q; v; activations.
    pub fn away(&self, model: &Model, node: usize, other: &Trajectory, out: &mut [f64]) {
        let Sizes { nq, nv, na, .. } = Sizes::of(model);
        let (of_q, rest) = out.split_at_mut(nv);
        let (of_v, of_act) = rest.split_at_mut(nv);
        let at = node * nq..(node + 1) * nq;
        model.difference(&self.q[at.clone()], &other.q[at], of_q);
        let at = node * nv..(node + 1) * nv;
        subtract(&other.v[at.clone()], &self.v[at], of_v);
        let at = node * na..(node + 1) * na;
        subtract(&other.act[at.clone()], &self.act[at], of_act);
    }
}

/// ∂x⁺/∂x and ∂x⁺/∂u of each step.
#[derive(Clone, Debug)]
pub struct StateMatrices {
    pub a: Vec<DMatrix<f64>>,
    pub b: Vec<DMatrix<f64>>,
    parts: [Vec<f64>; 6],
    /// Derivatives of q⁺, v⁺ and act⁺ by act, and of act⁺ by u.
    acts: [Vec<f64>; 4],
}

impl StateMatrices {
    pub fn new(n: Sizes, steps: usize) -> StateMatrices {
        let (Sizes { nv, nu, na, .. }, nx) = (n, n.nx());
        let square = || vec![0.0; nv * nv];
        let input = || vec![0.0; nv * nu];
        StateMatrices {
            a: vec![DMatrix::zeros(nx, nx); steps],
            b: vec![DMatrix::zeros(nx, nu); steps],
            parts: [square(), square(), input(), square(), square(), input()],
            acts: [nv * na, nv * na, na * na, na * nu].map(|n| vec![0.0; n]),
        }
    }

    fn take(&mut self, node: usize, sim: &mut Sim) -> Result<()> {
        let Sizes { nv, nu, na, .. } = Sizes::of(sim.model());
        let [qq, qv, qu, vq, vv, vu] = &mut self.parts;
        sim.step_jacobians(StepJacobians {
            dq_dq: Some(qq),
            dq_dv: Some(qv),
            dq_du: (nu > 0).then_some(&mut qu[..]),
            dv_dq: Some(vq),
            dv_dv: Some(vv),
            dv_du: (nu > 0).then_some(&mut vu[..]),
            ..StepJacobians::default()
        })?;
        let (a, b) = (&mut self.a[node], &mut self.b[node]);
        put(a, qq, (0, 0), nv);
        put(a, qv, (0, nv), nv);
        put(a, vq, (nv, 0), nv);
        put(a, vv, (nv, nv), nv);
        put(b, qu, (0, 0), nv);
        put(b, vu, (nv, 0), nv);
        if na == 0 {
            return Ok(());
        }
        let [qa, va, aa, au] = &mut self.acts;
        sim.step_act_jacobians(ActJacobians {
            dq_dact: Some(qa),
            dv_dact: Some(va),
            dact_dact: Some(aa),
            dact_du: Some(au),
            ..ActJacobians::default()
        })?;
        put(a, qa, (0, 2 * nv), nv);
        put(a, va, (nv, 2 * nv), nv);
        put(a, aa, (2 * nv, 2 * nv), na);
        put(b, au, (2 * nv, 0), na);
        Ok(())
    }
}

/// Writes a column-major block of `rows` rows into a matrix.
fn put(m: &mut DMatrix<f64>, part: &[f64], (row, column): (usize, usize), rows: usize) {
    for (c, values) in part.chunks_exact(rows.max(1)).enumerate() {
        for (r, x) in values.iter().enumerate() {
            m[(row + r, column + c)] = *x;
        }
    }
}

/// Runs the inputs from the first state on, with the derivatives of the steps; returns the cost.
pub fn linearized(
    sim: &mut Sim,
    cost: &Tracking,
    x: &mut Trajectory,
    slopes: &mut StateMatrices,
) -> Result<f64> {
    let all = f64::INFINITY;
    forward(
        sim,
        cost,
        x,
        all,
        |_, _| (),
        |node, sim| slopes.take(node, sim),
    )
}

/// Runs the inputs from the first state on. Returns the cost or, as soon as it reaches `most`, the cost up to
/// there. `correct` may change the input of a node at its state, which has its deviation; `after` is called
/// after each step.
pub fn forward(
    sim: &mut Sim,
    cost: &Tracking,
    x: &mut Trajectory,
    most: f64,
    mut correct: impl FnMut(usize, &mut Trajectory),
    mut after: impl FnMut(usize, &mut Sim) -> Result<()>,
) -> Result<f64> {
    let model = sim.model().clone();
    let sizes = Sizes::of(&model);
    let (Sizes { nq, nv, nu, na }, nx) = (sizes, sizes.nx());
    let steps = x.u.len() / nu.max(1);
    sim.reset();
    sim.set_act(&x.act[..na])?;
    let mut sum = 0.0;
    for node in 0..=steps {
        let (q, v) = (&x.q[node * nq..][..nq], &x.v[node * nv..][..nv]);
        let d = &mut x.deviation[nx * node..][..nx];
        cost.deviation(&model, node, [q, v, &x.act[node * na..][..na]], d);
        sum += cost.of_state(node, steps, d);
        if node == steps || sum >= most {
            break;
        }
        correct(node, x);
        let u = &x.u[node * nu..][..nu];
        sum += cost.of_input(node, u);
        let (q, q_next) = x.q.split_at_mut((node + 1) * nq);
        let (v, v_next) = x.v.split_at_mut((node + 1) * nv);
        let within = |e: Error| Error {
            message: format!("step {node} of the horizon: {e}"),
            ..e
        };
        (sim.step(
            &q[node * nq..],
            &v[node * nv..],
            u,
            &mut q_next[..nq],
            &mut v_next[..nv],
        ))
        .map_err(within)?;
        x.act[(node + 1) * na..][..na].copy_from_slice(sim.act());
        after(node, sim).map_err(within)?;
    }
    Ok(sum)
}

/// Result of a backward pass: changes of inputs k, feedback K by states, and the predicted decrease of the
/// cost for a share s of k: s·`promise[0]` + s²·`promise[1]`.
#[derive(Clone, Debug)]
pub struct Policy {
    pub change: Vec<f64>,
    pub gains: Vec<DMatrix<f64>>,
    pub promise: [f64; 2],
    /// Largest slope of the cost by an input that is not at a bound.
    pub slope: f64,
}

impl Policy {
    pub fn new(n: Sizes, steps: usize) -> Policy {
        Policy {
            change: vec![0.0; n.nu * steps],
            gains: vec![DMatrix::zeros(n.nu, n.nx()); steps],
            promise: [0.0; 2],
            slope: 0.0,
        }
    }

    /// Goes from the end to the first step, with `damping` times its diagonal added to the curvature by
    /// inputs. False if the curvature is not positive.
    pub fn backward(
        &mut self,
        sim: &Sim,
        cost: &Tracking,
        x: &Trajectory,
        slopes: &StateMatrices,
        [lower, upper]: [&[f64]; 2],
        damping: f64,
    ) -> bool {
        let model = sim.model();
        let sizes = Sizes::of(model);
        let (nx, nu) = (sizes.nx(), sizes.nu);
        let steps = self.gains.len();
        let mut gradient = vec![0.0; nx];
        let mut value = DMatrix::zeros(nx, nx);
        let end = &x.deviation[nx * steps..];
        cost.expand(model, steps, steps, end, &mut gradient, &mut value);
        (self.promise, self.slope) = ([0.0; 2], 0.0);
        // Gradient of the cost along the inputs as they are.
        let mut plain = DMatrix::from_column_slice(nx, 1, &gradient);
        for node in (0..steps).rev() {
            let (a, b) = (&slopes.a[node], &slopes.b[node]);
            let u = &x.u[node * nu..][..nu];
            let by_next = DMatrix::from_column_slice(nx, 1, &gradient);
            let by_inputs = |by_next: &DMatrix<f64>| -> Vec<f64> {
                let through = b.tr_mul(by_next);
                let own = through.iter().enumerate();
                own.map(|(k, g)| g + cost.by_input(node, k, u)).collect()
            };
            let of_u = by_inputs(&by_next);
            let vb = &value * b;
            let mut curve = b.tr_mul(&vb);
            for k in 0..nu {
                curve[(k, k)] += cost.input[k];
            }
            let cross = vb.tr_mul(a);
            let mut damped = curve.clone();
            for k in 0..nu {
                damped[(k, k)] += damping * curve[(k, k)];
            }
            let bounds = [lower, upper]
                .map(|bound| -> Vec<f64> { bound.iter().zip(u).map(|(b, u)| b - u).collect() });
            let change = &mut self.change[node * nu..][..nu];
            change.fill(0.0);
            let bounds = bounds.each_ref().map(|b| &b[..]);
            let Some(solved) = box_qp::solve(&damped, &of_u, bounds, change) else {
                return false;
            };
            for (k, g) in by_inputs(&plain).iter().enumerate() {
                let inward = (*g < 0.0 && u[k] < upper[k]) || (*g > 0.0 && u[k] > lower[k]);
                if inward {
                    self.slope = self.slope.max(g.abs());
                }
            }
            let rows = DMatrix::from_fn(solved.free.len(), nx, |r, c| -cross[(solved.free[r], c)]);
            let of_free = solved.factors.solve(&rows);
            let gains = &mut self.gains[node];
            gains.fill(0.0);
            for (r, k) in solved.free.iter().enumerate() {
                gains.row_mut(*k).copy_from(&of_free.row(r));
            }
            let k = DMatrix::from_column_slice(nu, 1, change);
            let of_u = DMatrix::from_column_slice(nu, 1, &of_u);
            let curved = &curve * &k;
            self.promise[0] += k.dot(&of_u);
            self.promise[1] += 0.5 * k.dot(&curved);
            // V_x = Q_x + K'(Q_uu k + Q_u) + Q_ux' k, V_xx = Q_xx + K'Q_uu K + K'Q_ux + Q_ux'K.
            let by_x = a.tr_mul(&by_next) + gains.tr_mul(&(curved + &of_u)) + cross.tr_mul(&k);
            let mixed = gains.tr_mul(&cross);
            let mut next = a.tr_mul(&(&value * a)) + gains.tr_mul(&(&curve * &*gains));
            next += &mixed;
            next += mixed.transpose();
            value = (&next + next.transpose()) * 0.5;
            let mut own = vec![0.0; nx];
            let d = &x.deviation[nx * node..][..nx];
            cost.expand(model, node, steps, d, &mut own, &mut value);
            let own = DMatrix::from_column_slice(nx, 1, &own);
            gradient.copy_from_slice((by_x + &own).as_slice());
            plain = a.tr_mul(&plain) + own;
        }
        self.slope.is_finite() && self.promise.iter().all(|x| x.is_finite())
    }
}
