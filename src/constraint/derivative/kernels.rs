//! The loops of a variation, for the widest vectors of the processor.

use super::{
    ConstraintDerivative, Constraints, Cords, External, Kinematics, LinkStiffness, Model, Scene,
    Topology,
};
use crate::linalg::dispatch;

impl ConstraintDerivative {
    /// Prepares the variation at the end of a step; `q` and `v` are where it began, and where the cords' second derivatives are
    /// taken. The impulses on bodies join the
    /// external loads as forces over the step, those of equalities with how they turn.
    pub fn prepare(
        &mut self,
        c: &Constraints,
        scene: (&mut Scene, &Cords),
        model: &Model,
        kin: &Kinematics,
        state: [&[f64]; 3],
        external: &mut External,
    ) {
        prepare(self, c, scene, model, kin, state, external);
    }

    /// Prepares columns by dofs, and adds to the stiffness of the links' loads how the impulses of contacts turn.
    pub fn expand(&mut self, t: &Topology, kin: &Kinematics, stiffness: &mut LinkStiffness) {
        expand(self, t, kin, stiffness);
    }

    /// Adds ∂σ/∂q dq to `sigma`.
    pub fn direction(&mut self, t: &Topology, kin: &Kinematics, dq: &[f64], sigma: &mut [f64]) {
        direction(self, t, kin, dq, sigma);
    }

    /// Adjoint of [`ConstraintDerivative::direction`] and of how the impulses of contacts on the dofs vary: from the adjoints of σ
    /// and of the impulses on the dofs, added to `q_bar`.
    pub fn direction_adjoint(
        &mut self,
        t: &Topology,
        kin: &Kinematics,
        cords: &Cords,
        sigma_bar: &[f64],
        force_bar: &[f64],
        q_bar: &mut [f64],
    ) {
        self.tendons_adjoint(t, cords, force_bar, q_bar);
        direction_adjoint(self, t, kin, sigma_bar, force_bar, q_bar);
    }
}

dispatch! {
    fn prepare = ConstraintDerivative::prepare_kernel(
        variation: &mut ConstraintDerivative, c: &Constraints, scene: (&mut Scene, &Cords), model: &Model, kin: &Kinematics,
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
    )
}

dispatch! {
    fn direction_adjoint = ConstraintDerivative::direction_adjoint_kernel(
        variation: &mut ConstraintDerivative, t: &Topology, kin: &Kinematics, sigma_bar: &[f64],
        force_bar: &[f64], q_bar: &mut [f64],
    )
}
