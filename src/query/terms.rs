//! Single terms of the equations of motion: gravity, bias, Coriolis matrix, M⁻¹, the regressor.

use crate::dynamics::mass_inverse::mass_inverse;
use crate::dynamics::{coriolis, regressor};
use crate::error::{Error, Result};
use crate::spatial::INERTIA_PARAMS;
use crate::step::Sim;
use crate::step::info::{check_finite, check_length};

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
        let (model, params, asked) = (&*self.model, &self.params, &mut *self.asked);
        let (kin, weights) = (&asked.dynamics.kin, &mut asked.weights);
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
        self.asked.dynamics.update(&self.model, &self.params, q, v);
        let d = &mut self.asked.dynamics;
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
        self.asked.dynamics.update(&self.model, &self.params, q, v);
        self.check_asked()?;
        let asked = &mut *self.asked;
        let kin = &asked.dynamics.kin;
        let (composite, rate) = (&mut asked.subtrees.composite, &mut asked.rate);
        if !coriolis::prepare(composite, rate, kin, &self.model) {
            return Err(too_large("C"));
        }
        coriolis::coriolis_matrix(composite, rate, kin, &self.model, c);
        Ok(())
    }

    /// The inverse of [`Sim::mass_matrix`]: dense, nv×nv.
    pub fn mass_matrix_inverse(&mut self, q: &[f64], inverse: &mut [f64]) -> Result<()> {
        self.check_state(q, None)?;
        check_length("M_inv", inverse, self.model.nv() * self.model.nv())?;
        self.update_positions(q)?;
        let (d, p) = (&mut self.asked.dynamics, &self.params);
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
        let (asked, gravity) = (&*self.asked, self.params.gravity);
        let kin = &asked.dynamics.kin;
        if !regressor::regressor(&self.model, kin, &asked.acceleration, gravity, y) {
            return Err(too_large("Y"));
        }
        Ok(())
    }
}
