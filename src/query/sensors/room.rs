//! The workspace of sensors, sized for a simulation.

use super::motion::Columns;
use super::{press, subtree};
use crate::error::{Error, Result};
use crate::step::Sim;

/// The workspace of the sensors of one simulation. Allocates nothing after creation.
#[derive(Clone, Debug)]
pub struct SensorRoom {
    /// Number of readings, dofs, inputs; and whether there is memory for derivatives.
    sizes: [usize; 3],
    differentiates: bool,
    pub(super) data: Vec<f64>,
    pub(super) acceleration: Vec<f64>,
    /// Derivatives of the readings by q, v and a, column-major; by u; and by the activations.
    pub(super) by: [Vec<f64>; 3],
    pub(super) by_u: Vec<f64>,
    pub(super) by_act: Vec<f64>,
    /// Derivatives of the acceleration by q, v, u and the activations.
    pub(super) of_acceleration: [Vec<f64>; 4],
    /// Derivative of a distance by the motion of the hit geom.
    pub(super) moved: Vec<f64>,
    pub(super) own: Columns,
    pub(super) reference: Columns,
    pub(super) subtree: subtree::Room,
    pub(super) press: press::Room,
    /// One zero for each dof.
    pub(super) zeros: Vec<f64>,
}

impl SensorRoom {
    /// The workspace for a simulation; empty if its model has no sensors.
    pub fn new(sim: &Sim) -> SensorRoom {
        let m = sim.model();
        let sizes = [m.nsensordata(), m.nv(), m.nu()];
        let differentiates = sim.options().derivatives;
        let ([n, nv, nu], na) = (sizes, m.na());
        let all = |count: usize| vec![0.0; if differentiates && n > 0 { count } else { 0 }];
        let dofs = if n > 0 { nv } else { 0 };
        SensorRoom {
            sizes,
            differentiates,
            data: vec![0.0; n],
            acceleration: vec![0.0; dofs],
            by: [(); 3].map(|()| all(n * nv)),
            by_u: all(n * nu),
            by_act: all(n * na),
            of_acceleration: [nv, nv, nu, na].map(|columns| all(nv * columns)),
            moved: vec![0.0; dofs],
            own: Columns::new(dofs),
            reference: Columns::new(dofs),
            subtree: subtree::Room::new(dofs),
            press: press::Room::new(sim, differentiates),
            zeros: vec![0.0; dofs],
        }
    }

    /// All derivatives: by q, v, u and the activations.
    pub(super) fn all(&self) -> [&[f64]; 4] {
        [&self.by[0], &self.by[1], &self.by_u, &self.by_act]
    }

    pub(super) fn check(&self, sim: &Sim) -> Result<()> {
        let m = sim.model();
        let same = self.sizes == [m.nsensordata(), m.nv(), m.nu()];
        match same && self.differentiates == sim.options().derivatives {
            true => Ok(()),
            false => Err(Error::invalid(
                "room: it was made for another simulation's sensors",
            )),
        }
    }
}
