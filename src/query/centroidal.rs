//! The centre of mass and the momentum about it: motion and derivatives.

use crate::dynamics::centroidal::Whole;
use crate::dynamics::motion::{self, Accelerated};
use crate::error::Result;
use crate::step::Sim;
use crate::step::info::{check_finite, check_length};

/// Motion of the centre of mass, world axes, and momentum about it (linear; angular) with its rate.
#[derive(Clone, Copy, Debug)]
pub struct Centroidal {
    /// [kg]
    pub mass: f64,
    /// [m]
    pub center: [f64; 3],
    pub velocity: [f64; 3],
    /// Acceleration by the joints' accelerations, without gravity.
    pub acceleration: [f64; 3],
    /// [N s, N m s]
    pub momentum: [f64; 6],
    /// [N, N m]
    pub rate: [f64; 6],
}

impl Sim {
    fn whole(&mut self, q: &[f64], v: &[f64], a: &[f64]) -> Result<Whole> {
        self.check_state(q, Some(v))?;
        check_finite("a", a, self.model.nv())?;
        self.asked.dynamics.update(&self.model, &self.params, q, v);
        self.check_asked()?;
        let asked = &mut *self.asked;
        let kin = &asked.dynamics.kin;
        motion::accelerations(kin, &self.model, a, &mut asked.acceleration);
        Ok(Whole::new(&self.model, kin))
    }

    /// The centre of mass and the momentum about it of all moving bodies, at joint accelerations a.
    pub fn centroidal(&mut self, q: &[f64], v: &[f64], a: &[f64]) -> Result<Centroidal> {
        let whole = self.whole(q, v, a)?;
        let (kin, acceleration) = (&self.asked.dynamics.kin, &self.asked.acceleration);
        let (momentum, rate) = whole.momentum(&self.model, kin, Some(acceleration));
        Ok(Centroidal {
            mass: whole.mass,
            center: whole.center.to_array(),
            velocity: whole.per_mass(momentum).to_array(),
            acceleration: whole.per_mass(rate).to_array(),
            momentum: momentum.to_array(),
            rate: rate.to_array(),
        })
    }

    /// The centroidal momentum matrix A_g, 6×nv, column-major: A_g v is the momentum about the centre of
    /// mass.
    pub fn centroidal_map(&mut self, q: &[f64], map: &mut [f64]) -> Result<()> {
        self.check_state(q, None)?;
        check_length("A", map, 6 * self.model.nv())?;
        self.update_positions(q)?;
        let asked = &mut *self.asked;
        let kin = &asked.dynamics.kin;
        let whole = Whole::new(&self.model, kin);
        whole.map(&mut asked.subtrees, &self.model, kin, map);
        Ok(())
    }

    /// Derivatives of the momentum about the centre of mass by the tangent of q, and of its rate by the
    /// tangent of q, by v and by a: 6×nv each, column-major. The derivative of the momentum by v equals that
    /// of the rate by a: A_g.
    pub fn centroidal_derivatives(
        &mut self,
        q: &[f64],
        v: &[f64],
        a: &[f64],
        [momentum_q, rate_q, rate_v, rate_a]: [&mut [f64]; 4],
    ) -> Result<()> {
        let n = 6 * self.model.nv();
        check_length("dmomentum_dq", momentum_q, n)?;
        check_length("drate_dq", rate_q, n)?;
        check_length("drate_dv", rate_v, n)?;
        check_length("drate_da", rate_a, n)?;
        let whole = self.whole(q, v, a)?;
        let asked = &mut *self.asked;
        let kin = &asked.dynamics.kin;
        let accelerated = Accelerated {
            link: &asked.acceleration,
            joint: a,
        };
        let out = [momentum_q, rate_q, rate_v, rate_a];
        whole.derivatives(&mut asked.subtrees, &self.model, kin, accelerated, out);
        Ok(())
    }
}
