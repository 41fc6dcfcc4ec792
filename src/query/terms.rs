//! Single terms of the equations of motion: gravity, bias, Coriolis matrix, M⁻¹, the regressor.

use crate::dynamics::mass_inverse::mass_inverse;
use crate::dynamics::{coriolis, regressor};
use crate::error::{Error, Result};
use crate::spatial::INERTIA_PARAMS;
use crate::step::Sim;
use crate::step::info::{check_finite, check_length};
use crate::step::state::Held;

fn too_large(name: &str) -> Error {
    Error::numerical(format!(
        "{name} would not be finite: the state or an inertia is too large"
    ))
}

impl Sim {
    /// Generalized gravity g(q), nv entries: the force that holds the robot still against gravity, minus the
    /// gravity compensation of bodies; and its derivative by the tangent of q, nv×nv, column-major.
    pub fn gravity_forces(
        &mut self,
        q: &[f64],
        g: &mut [f64],
        dg_dq: Option<&mut [f64]>,
    ) -> Result<()> {
        self.check_state(q, None)?;
        let nv = self.model.nv();
        check_length("g", g, nv)?;
        if let Some(x) = &dg_dq {
            check_length("dg_dq", x, nv * nv)?;
        }
        self.update_positions(q)?;
        let (model, params, d) = (&*self.model, &self.params, &mut self.dynamics);
        let (kin, weights) = (&d.kin, &mut d.asked.weights);
        weights.set(kin);
        self.forces
            .compensate(model, params, kin, &mut weights.link);
        if !weights.gather(model, kin, params.gravity) {
            return Err(too_large("g"));
        }
        weights.forces(params.gravity, g);
        if let Some(x) = dg_dq {
            weights.derivative(model, kin, params.gravity, x);
        }
        Ok(())
    }

    /// Bias forces b(q, v), nv entries: Coriolis, centrifugal and gravity forces, minus the gravity
    /// compensation of bodies, without external wrenches.
    pub fn bias_forces(&mut self, q: &[f64], v: &[f64], b: &mut [f64]) -> Result<()> {
        self.check_state(q, Some(v))?;
        check_length("b", b, self.model.nv())?;
        self.dynamics.update(&self.model, &self.params, q, v);
        self.held = Held::Other;
        let d = &mut self.dynamics;
        d.external.clear();
        (self.forces).load_compensation(&self.model, &self.params, &d.kin, &mut d.external);
        d.bias(&self.model, &self.params, &mut self.work);
        self.deliver("b", b)
    }

    /// The Coriolis matrix C(q, v), nv×nv, column-major: C v are the Coriolis and centrifugal forces, and Ṁ =
    /// C + Cᵀ.
    pub fn coriolis_matrix(&mut self, q: &[f64], v: &[f64], c: &mut [f64]) -> Result<()> {
        self.check_state(q, Some(v))?;
        check_length("C", c, self.model.nv() * self.model.nv())?;
        self.dynamics.update(&self.model, &self.params, q, v);
        self.held = Held::Other;
        self.check_positions()?;
        let d = &mut self.dynamics;
        let (composite, rate) = (&mut d.asked.subtrees.composite, &mut d.asked.rate);
        if !coriolis::prepare(composite, rate, &d.kin, &self.model) {
            return Err(too_large("C"));
        }
        coriolis::coriolis_matrix(composite, rate, &d.kin, &self.model, c);
        Ok(())
    }

    /// The inverse of [`Sim::mass_matrix`]: dense, nv×nv.
    pub fn mass_matrix_inverse(&mut self, q: &[f64], inverse: &mut [f64]) -> Result<()> {
        self.check_state(q, None)?;
        check_length("M_inv", inverse, self.model.nv() * self.model.nv())?;
        self.update_positions(q)?;
        let (d, p) = (&mut self.dynamics, &self.params);
        match mass_inverse(d, &self.model, &p.armature, inverse) {
            None => Ok(()),
            Some(k) => Err(Error::numerical(format!(
                "the mass matrix is singular at {}",
                self.model.said_of_dof(k)
            ))),
        }
    }

    /// The regressor Y of inverse dynamics, nv × (10 nbody), column-major: with the inertial parameters π of
    /// all bodies Y π is τ without armature and external wrenches.
    pub fn inverse_dynamics_regressor(
        &mut self,
        q: &[f64],
        v: &[f64],
        a: &[f64],
        y: &mut [f64],
    ) -> Result<()> {
        self.check_state(q, Some(v))?;
        let model = &self.model;
        check_finite("a", a, model.nv())?;
        check_length("Y", y, INERTIA_PARAMS * model.nv() * model.nbody())?;
        self.move_to(q, Some(v), Some(a))?;
        let (d, gravity) = (&self.dynamics, self.params.gravity);
        if !regressor::regressor(&self.model, &d.kin, &d.asked.acceleration, gravity, y) {
            return Err(too_large("Y"));
        }
        Ok(())
    }
}
