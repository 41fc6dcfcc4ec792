//! Jacobians of a θ-step: the stage's columns in lanes, and the response to forces as one matrix.
//!
//! With K instead of A⁻¹ ([`constrained_inverse`](crate::step::constrained_inverse)) and δλ = G w,
//! 1 + A⁻¹JᵀG J = K A:
//!
//!   δv̂ = K (A δv* − δ(A Δ) − h R_λ δq) + A⁻¹JᵀG δσ.
//!
//! The panels common to all schemes contain −h K R_λ δq + A⁻¹JᵀG δσ. The panel by v also contains K A δv,
//! the term of a scheme whose v̂₀ is v; here it is subtracted again.

use super::matrix::Matrix;
use crate::dynamics::coupling::Coupling;
use crate::dynamics::factors::Factors;
use crate::dynamics::mass::DenseInverse;
use crate::error::{Error, Result};
use crate::linalg::{F4, LANES, axpy, dispatch};
use crate::model::topology::Topology;
use crate::step::implicit::{Kind, Lanes, missing};
use crate::step::linearization::Linearization;
use crate::step::taken::Taken;

impl Taken<'_> {
    /// Columns of ∂v̂ by q and v.
    pub(in crate::step) fn theta_columns(&mut self, lin: &mut Linearization) -> Result<()> {
        if self.theta.as_ref().is_some_and(|t| t.has_impulses) {
            self.columns_at_once(lin)?;
            self.drive_columns(lin)?;
        }
        self.add_panel(lin, Kind::Position)?;
        self.add_panel(lin, Kind::Velocity)
    }

    /// Columns of ∂v̂ by the actuators' drives.
    pub(in crate::step) fn theta_input_columns(&mut self, lin: &mut Linearization) -> Result<()> {
        lin.by_u.fill(0.0);
        self.add_panel(lin, Kind::Input)
    }

    /// Adds the stage's part to the columns of a panel; without impulses, writes it.
    fn add_panel(&mut self, lin: &mut Linearization, kind: Kind) -> Result<()> {
        let (_, rule) = self.rules()?.next().ok_or_else(missing)?;
        let (Some(theta), Some(implicit)) = (&mut self.theta, &mut self.implicit) else {
            return Err(missing());
        };
        let (t, nv, nu) = (self.model.topology(), self.model.nv(), self.model.nu());
        let Some(d) = &self.dynamics.derivatives else {
            return Err(Error::internal("the workspace of derivatives is missing"));
        };
        let answer = match &self.contact {
            Some(c) => c.response(&d.inverse),
            None => &d.inverse,
        };
        let panel = match kind {
            Kind::Position => &mut lin.by_q,
            Kind::Velocity => &mut lin.by_v,
            Kind::Input => &mut lin.by_u,
            Kind::Parameter => return Err(missing()),
        };
        let (inputs, prescribed) = (
            self.forces.actuator_inputs(),
            self.prescribed.is_prescribed(),
        );
        for (g, columns) in panel.chunks_mut(LANES * nv.max(1)).enumerate() {
            let first = g * LANES;
            let count = if kind == Kind::Input { nu } else { nv };
            implicit.work.lanes.rows().x[..nv].fill([0.0; LANES]);
            let is_displaced = implicit.take_group(t, (0, &rule), kind, [first, count], &[])?;
            let Lanes { unit, xi0, x, .. } = implicit.work.lanes.rows();
            if !theta.has_impulses {
                for (k, column) in columns.chunks_exact_mut(nv).enumerate() {
                    for (out, x) in column.iter_mut().zip(&*x) {
                        *out = x[k];
                    }
                }
                continue;
            }
            let Factors::Packed(mass) = &self.dynamics.mass else {
                return Err(Error::internal(
                    "Jacobians of deep trees come by directions",
                ));
            };
            let (xi, x) = (&mut xi0[..nv], &mut x[..nv]);
            if !is_displaced {
                xi.fill([0.0; LANES]);
            }
            for (xi, x) in xi.iter_mut().zip(&*x) {
                axpy(rule.displacement, x, xi);
            }
            let q = match kind {
                Kind::Position => &unit[..nv],
                _ => &[],
            };
            let force = theta.force.as_chunks_mut().0;
            force.fill([0.0; LANES]);
            // −δ(A Δ).
            subtract_matrix(&mut theta.matrix, t, q, xi, force);
            // For prescribed dofs it was subtracted column by column.
            for (k, x) in x.iter_mut().enumerate() {
                if kind == Kind::Velocity && !prescribed[k] {
                    axpy(-1.0, &unit[k], x);
                }
            }
            mass.times_columns(t, x);
            for (x, force) in x.iter_mut().zip(&*force) {
                axpy(1.0, force, x);
            }
            for (k, column) in columns.chunks_exact_mut(nv).enumerate() {
                let dof = match kind {
                    Kind::Input => inputs[first + k].home(),
                    _ => first + k,
                };
                add_answers(answer, &lin.coupling, dof, k, x, column);
            }
        }
        Ok(())
    }
}

/// Adds to a column, in the island of a dof, the response to the forces of lane `lane`.
#[inline(always)]
fn add_answers_kernel(
    answer: &DenseInverse,
    coupling: &Coupling,
    dof: usize,
    lane: usize,
    forces: &[[f64; LANES]],
    column: &mut [f64],
) {
    let spans = coupling.spans(coupling.of_dof(dof));
    for i in spans.iter().flat_map(Clone::clone) {
        let (force, row) = (forces[i][lane], F4::flat(answer.row(i)));
        for span in spans {
            for (out, x) in column[span.clone()].iter_mut().zip(&row[span.clone()]) {
                *out += force * x;
            }
        }
    }
}

dispatch! {
    fn add_answers = add_answers_kernel(
        answer: &DenseInverse, coupling: &Coupling, dof: usize, lane: usize, forces: &[[f64; LANES]], column: &mut [f64],
    )
}

dispatch! {
    fn subtract_matrix = Matrix::subtract_columns(
        matrix: &mut Matrix, t: &Topology, q: &[[f64; LANES]], xi: &[[f64; LANES]], out: &mut [[f64; LANES]],
    )
}
