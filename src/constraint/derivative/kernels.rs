//! The loops of [`ConstraintDerivative`], compiled for the widest vectors of the processor.

use super::{
    ConstraintDerivative, Constraints, External, Kinematics, LinkStiffness, Model, Paths, Scene,
    Topology,
};
use crate::linalg::dispatch;

impl ConstraintDerivative {
    /// Prepares the derivative at the end of a step. `state` is q and v at the start of the step, at
    /// which the second derivatives of tendons are taken, and v at its end. The impulses on bodies join
    /// the external loads as forces over the step. For equalities this includes their change with the
    /// rotation of the bodies.
    pub fn prepare(
        &mut self,
        c: &Constraints,
        scene: (&mut Scene, &Paths),
        model: &Model,
        kin: &Kinematics,
        state: [&[f64]; 3],
        external: &mut External,
    ) {
        prepare(self, c, scene, model, kin, state, external);
    }

    /// Prepares columns by dofs, and adds the change of the contacts' impulses with the motion of the
    /// bodies to the stiffness of the links' loads.
    pub fn expand(&mut self, t: &Topology, kin: &Kinematics, stiffness: &mut LinkStiffness) {
        expand(self, t, kin, stiffness);
    }

    /// Adds ∂σ/∂q dq to `sigma`, and the same of the bounds of lagged friction to `bounds`.
    pub fn direction(
        &mut self,
        t: &Topology,
        kin: &Kinematics,
        dq: &[f64],
        sigma: &mut [f64],
        bounds: &mut [f64],
    ) {
        direction(self, t, kin, dq, sigma, bounds);
    }

    /// Adjoint of [`ConstraintDerivative::direction`], and of the change of the contacts' impulses on
    /// the dofs. It takes the adjoints of σ, of the bounds of lagged friction and of the impulses on the
    /// dofs, and adds to `q_bar`.
    pub fn direction_adjoint(
        &mut self,
        t: &Topology,
        kin: &Kinematics,
        paths: &Paths,
        bars: [&[f64]; 2],
        force_bar: &[f64],
        q_bar: &mut [f64],
    ) {
        self.tendons_adjoint(t, paths, force_bar, q_bar);
        direction_adjoint(self, t, kin, bars, force_bar, q_bar);
    }
}

dispatch! {
    fn prepare = ConstraintDerivative::prepare_kernel(
        variation: &mut ConstraintDerivative, c: &Constraints, scene: (&mut Scene, &Paths), model: &Model, kin: &Kinematics,
        state: [&[f64]; 3], external: &mut External,
    )
}

dispatch! {
    fn expand = ConstraintDerivative::expand_kernel(
        variation: &mut ConstraintDerivative, t: &Topology, kin: &Kinematics,
        stiffness: &mut LinkStiffness,
    )
}

dispatch! {
    fn direction = ConstraintDerivative::direction_kernel(
        variation: &mut ConstraintDerivative, t: &Topology, kin: &Kinematics, dq: &[f64], sigma: &mut [f64],
        bounds: &mut [f64],
    )
}

dispatch! {
    fn direction_adjoint = ConstraintDerivative::direction_adjoint_kernel(
        variation: &mut ConstraintDerivative, t: &Topology, kin: &Kinematics, bars: [&[f64]; 2],
        force_bar: &[f64], q_bar: &mut [f64],
    )
}
