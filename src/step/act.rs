//! Jacobians of a step by its activations, and Jacobians of the activations.

/// Destination of the Jacobians of a step with activations, dense column-major: of the state at the end by
/// the activations at the start (nv rows), and of the activations at the end (na rows).
#[derive(Default)]
pub struct ActJacobians<'a> {
    /// nv×na, by q in the tangent.
    pub dq_dact: Option<&'a mut [f64]>,
    pub dv_dact: Option<&'a mut [f64]>,
    /// na×nv: zero, because activations depend on inputs only.
    pub dact_dq: Option<&'a mut [f64]>,
    pub dact_dv: Option<&'a mut [f64]>,
    /// na×na and na×nu.
    pub dact_dact: Option<&'a mut [f64]>,
    pub dact_du: Option<&'a mut [f64]>,
}
