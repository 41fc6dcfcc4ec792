//! Workspace of a step's derivatives, and products with its branch-packed matrices.

use super::info::REACH;
use crate::dynamics::aba_derivatives::ColumnSupport;
use crate::dynamics::coupling::{Columns, Coupling, Homes, are_within};
use crate::dynamics::rnea_derivatives::RneaDerivatives;
use crate::force::Input;
use crate::linalg::{F4, axpy};
use crate::model::Model;
use crate::model::topology::Topology;

/// Workspace of a step's derivatives, kept between calls.
#[derive(Clone, Debug)]
pub(crate) struct Linearization {
    pub support: ColumnSupport,
    /// Trees that the last step connects. Entries of columns outside their island are zero and not written.
    pub coupling: Coupling,
    pub by_q: Vec<f64>,
    pub by_v: Vec<f64>,
    /// Columns by the actuators' drives; at the end, columns by u
    /// ([`Drives::share`](super::drives::Drives::share)).
    pub by_u: Vec<f64>,
    pub by_act: Vec<f64>,
    /// Allocated when parameters are selected.
    pub by_p: Vec<f64>,
    pub column: Vec<f64>,
    /// Islands of the inputs, and of the activations.
    pub input_homes: Homes,
    pub act_homes: Homes,
    /// First nonzero entry of each column by dofs and by inputs.
    pub starts: [Vec<usize>; 2],
    /// A unit vector of dofs or inputs; zero between calls.
    pub unit: Vec<f64>,
    /// A direction on its way through the chain, and its result at the end.
    pub x: Vec<f64>,
    /// The position jump caused by impacts, or its adjoint.
    pub left: Vec<f64>,
    pub q_next: Vec<f64>,
    pub v_next: Vec<f64>,
    /// Adjoints of velocities (`z`) and of forces (`weights`) on the way back.
    pub z: Vec<f64>,
    pub weights: Vec<f64>,
    /// Adjoints by q, v and the integrator's state.
    pub q_sum: Vec<f64>,
    pub v_sum: Vec<f64>,
    pub carried: Vec<f64>,
    /// A direction or adjoint of the actuators' drives and of the activations; empty without activations.
    pub drive: Vec<f64>,
    pub act: Vec<f64>,
    /// Labels of the columns by q, v, u and p, while they are found.
    pub labels: Vec<u8>,
}

impl Linearization {
    pub fn new(model: &Model, carried: usize) -> Self {
        let (nv, na) = (model.nv(), model.na());
        Linearization {
            support: ColumnSupport::new(nv),
            coupling: Coupling::separate(model.topology()),
            by_q: vec![0.0; nv * nv],
            by_v: vec![0.0; nv * nv],
            column: vec![0.0; nv],
            by_u: vec![0.0; nv * model.nu()],
            by_act: vec![0.0; nv * na],
            by_p: Vec::new(),
            input_homes: Homes::new(model.topology(), model.nu()),
            act_homes: Homes::new(model.topology(), na),
            starts: [vec![0; nv + 1], vec![0; model.nu() + 1]],
            unit: vec![0.0; nv.max(model.nu())],
            x: vec![0.0; nv],
            left: vec![0.0; nv],
            q_next: vec![0.0; nv],
            v_next: vec![0.0; nv],
            z: vec![0.0; nv],
            weights: vec![0.0; nv],
            q_sum: vec![0.0; nv],
            v_sum: vec![0.0; nv],
            carried: vec![0.0; carried],
            drive: vec![0.0; if na > 0 { model.nu() } else { 0 }],
            act: vec![0.0; na],
            labels: vec![0; 2 * nv + model.nu()],
        }
    }

    /// True if the integrator's products with the columns by q and v, and on request by u and p, stay
    /// finite. The integrator's own factors must be below [`REACH`] too; products of six such numbers are
    /// far below overflow.
    pub fn products_are_finite(&self, h: f64, by_u: bool, by_p: bool) -> bool {
        let bound = REACH / h.max(1.0);
        let [dofs, inputs, full] = self.kinds();
        are_within(&dofs, bound, &self.by_q)
            && are_within(&dofs, bound, &self.by_v)
            && (!by_u || are_within(&inputs, bound, &self.by_u))
            && (!by_p || are_within(&full, bound, &self.by_p))
    }

    /// Finds the islands of the inputs, and of the activations that drive the inputs `driven`.
    pub fn place_inputs(&mut self, inputs: &[Input], driven: impl Iterator<Item = usize>) {
        (self.input_homes).place(&self.coupling, inputs.iter().map(Input::home));
        (self.act_homes).place(&self.coupling, driven.map(|j| inputs[j].home()));
    }

    /// Rows of the columns by activations.
    pub fn by_activations(&self) -> Columns<'_> {
        self.coupling.by_homes(&self.act_homes)
    }

    /// Rows of the columns by q and v, by inputs, and by parameters.
    pub fn kinds(&self) -> [Columns<'_>; 3] {
        let c = &self.coupling;
        [c.by_dofs(), c.by_homes(&self.input_homes), c.full()]
    }
}

pub(crate) fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// Adds an entry to branch-packed R_q and R_v.
#[inline(always)]
pub(crate) fn add_entry(
    id: &mut RneaDerivatives,
    t: &Topology,
    [row, column]: [usize; 2],
    by_q: f64,
    by_v: f64,
) {
    // The entry is in the row of the deeper dof.
    let at = t.dofs[row.max(column)].row + t.dofs[row.min(column)].depth;
    if row <= column {
        F4::flat_mut(&mut id.above_q)[at] += by_q;
        F4::flat_mut(&mut id.above_v)[at] += by_v;
    }
    if row >= column {
        F4::flat_mut(&mut id.below_q)[at] += by_q;
        F4::flat_mut(&mut id.below_v)[at] += by_v;
    }
}

/// y += R x for a branch-packed R.
pub(crate) fn packed_mul(t: &Topology, above: &[F4], below: &[F4], x: &[f64], y: &mut [f64]) {
    packed_mul_columns::<1>(t, above, below, x.as_chunks().0, y.as_chunks_mut().0);
}

/// [`packed_mul`] for W columns, row by row.
#[inline(always)]
pub(crate) fn packed_mul_columns<const W: usize>(
    t: &Topology,
    above: &[F4],
    below: &[F4],
    x: &[[f64; W]],
    y: &mut [[f64; W]],
) {
    let (above, below) = (F4::flat(above), F4::flat(below));
    for (k, dof) in t.dofs.iter().enumerate() {
        let own = x[k];
        let mut sum = own.map(|x| above[dof.row + dof.depth] * x);
        let mut a = dof.parent;
        for d in (0..dof.depth).rev() {
            axpy(below[dof.row + d], &x[a], &mut sum);
            axpy(above[dof.row + d], &own, &mut y[a]);
            a = t.dofs[a].parent;
        }
        axpy(1.0, &sum, &mut y[k]);
    }
}
