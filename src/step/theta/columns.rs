//! Jacobians of a θ-step: the stage's columns in lanes, and the response to forces as one matrix.
//!
//! With K instead of A⁻¹ ([`constrained_inverse`](crate::step::constrained_inverse)) and δλ = G w,
//! 1 + A⁻¹JᵀG J = K A:
//!
//!   δv̂ = K (A δv* − δ(A Δ) − h R_λ δq) + A⁻¹JᵀG δσ.
//!
//! The panels common to all schemes contain −h K R_λ δq + A⁻¹JᵀG δσ. The panel by v also contains K A δv,
//! the term of a scheme whose v̂₀ is v; here it is subtracted again.

use super::linear::missing;
use super::matrix::Matrix;
use super::workspace::Theta;
use crate::dynamics::coupling::Coupling;
use crate::dynamics::factors::Factors;
use crate::dynamics::mass::DenseInverse;
use crate::error::{Error, Result};
use crate::linalg::{F4, LANES, axpy, dispatch};
use crate::model::topology::Topology;
use crate::step::implicit::{Lanes, StageColumns, stage_columns};
use crate::step::linearization::Linearization;
use crate::step::taken::Taken;

/// The variable by which a panel differentiates.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Position,
    Velocity,
    Input,
}

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
        let Some(theta) = &mut self.theta else {
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
        };
        let (inputs, prescribed) = (
            self.forces.actuator_inputs(),
            self.prescribed.is_prescribed(),
        );
        for (g, columns) in panel.chunks_mut(LANES * nv.max(1)).enumerate() {
            let first = g * LANES;
            let count = if kind == Kind::Input { nu } else { nv };
            theta.unit_group(kind, count, first, nv);
            theta.group(t, kind, nv)?;
            let Lanes { unit, x, force, .. } = theta.lanes.rows();
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
            let (x, force) = (&mut x[..nv], &force[..nv]);
            // For prescribed dofs it was subtracted column by column.
            for (k, x) in x.iter_mut().enumerate() {
                if kind == Kind::Velocity && !prescribed[k] {
                    axpy(-1.0, &unit[k], x);
                }
            }
            mass.times_columns(t, x);
            for (x, force) in x.iter_mut().zip(force) {
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

impl Theta {
    /// Sets unit vectors from number `first` on, and the variation of the stage's starting values.
    fn unit_group(&mut self, kind: Kind, count: usize, first: usize, nv: usize) {
        let Lanes { unit, w0, xi0, .. } = self.lanes.rows();
        let unit = &mut unit[..count];
        unit.fill([0.0; LANES]);
        for (k, row) in unit.iter_mut().skip(first).take(LANES).enumerate() {
            row[k] = 1.0;
        }
        for (start, by) in [(w0, self.rule.w0.start), (xi0, self.rule.xi0.start)] {
            for (k, start) in start[..nv].iter_mut().enumerate() {
                *start = match kind {
                    Kind::Velocity => unit[k].map(|x| by * x),
                    _ => [0.0; LANES],
                };
            }
        }
    }

    /// δv* of a group; with impulses also the force −δ(A Δ).
    fn group(&mut self, t: &Topology, kind: Kind, nv: usize) -> Result<()> {
        let Lanes {
            unit,
            w0,
            xi0,
            x,
            force,
        } = self.lanes.rows();
        let (w0, xi0, x, force) = (&w0[..nv], &mut xi0[..nv], &mut x[..nv], &mut force[..nv]);
        let none = &[][..];
        let q = if kind == Kind::Position {
            &unit[..nv]
        } else {
            none
        };
        x.fill([0.0; LANES]);
        let along = StageColumns {
            q,
            u: if kind == Kind::Input { unit } else { none },
            w0,
            xi0,
        };
        stage_columns(&mut self.linear, t, along, x)?;
        if self.has_impulses {
            for (xi, x) in xi0.iter_mut().zip(&*x) {
                axpy(self.rule.displacement, x, xi);
            }
            force.fill([0.0; LANES]);
            subtract_matrix(&mut self.matrix, t, q, xi0, force);
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
