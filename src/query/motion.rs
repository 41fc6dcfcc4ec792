//! Motion of bodies, sites and frames on bodies: velocities, accelerations, Jacobians, and their derivatives.

use crate::dynamics::motion::{self, Accelerated, Frame, ReferenceFrame, Seen};
use crate::error::{Error, Result};
use crate::model::check_pose;
use crate::spatial::{Pose, Twist};
use crate::step::Sim;
use crate::step::info::{REACH, check_finite, check_length, check_places};

/// Placements of the frames of one kind in their bodies.
#[derive(Clone, Copy)]
enum Kind {
    Body,
    Site,
}

impl Sim {
    /// Computes placements at q, and the motion if velocities and accelerations of the joints are given.
    pub(super) fn move_to(
        &mut self,
        q: &[f64],
        v: Option<&[f64]>,
        a: Option<&[f64]>,
    ) -> Result<()> {
        let asked = &mut *self.asked;
        (asked.dynamics).update_motion(&self.model, &self.params, q, v);
        let kin = &asked.dynamics.kin;
        check_places(kin)?;
        if let Some(a) = a {
            motion::accelerations(kin, &self.model, a, &mut asked.acceleration);
        }
        Ok(())
    }

    /// Computes placements and inertias at q; an error if a body is too far away.
    pub(super) fn update_positions(&mut self, q: &[f64]) -> Result<()> {
        let d = &mut self.asked.dynamics;
        d.update_positions(&self.model, &self.params, q);
        check_places(&d.kin)
    }

    /// Computes the recursions at (q, v), with the external wrenches.
    pub(super) fn ask(&mut self, q: &[f64], v: &[f64]) {
        let d = &mut self.asked.dynamics;
        d.update(&self.model, &self.params, q, v);
        d.external.clear();
        (self.forces).load(&self.model, &self.params, &d.kin, &mut d.external);
    }

    pub(super) fn check_asked(&self) -> Result<()> {
        check_places(&self.asked.dynamics.kin)
    }

    fn frames(&self, kind: Kind) -> usize {
        match kind {
            Kind::Body => self.model.nbody(),
            Kind::Site => self.model.sites().len(),
        }
    }

    /// The frames of bodies or sites in the requested reference; `None` for those of the world.
    fn seen(&self, kind: Kind, i: usize, reference: ReferenceFrame) -> Option<Seen> {
        let (body, placement) = match kind {
            Kind::Body => (i, Pose::IDENTITY),
            Kind::Site => {
                let site = &self.model.sites()[i];
                (site.body, site.placement)
            }
        };
        let frame = Frame {
            body,
            placement,
            reference,
        };
        Seen::new(&self.model, &self.asked.dynamics.kin, &frame)
    }

    fn velocities_of(
        &mut self,
        kind: Kind,
        q: &[f64],
        v: &[f64],
        reference: ReferenceFrame,
        out: &mut [f64],
    ) -> Result<()> {
        self.check_state(q, Some(v))?;
        check_length("velocities", out, 6 * self.frames(kind))?;
        self.move_to(q, Some(v), None)?;
        let kin = &self.asked.dynamics.kin;
        for (i, out) in out.chunks_exact_mut(6).enumerate() {
            let seen = self.seen(kind, i, reference);
            let told = seen.map_or(Twist::ZERO, |s| s.tell(kin.v[s.link]));
            out.copy_from_slice(&told.to_array());
        }
        Ok(())
    }

    fn accelerations_of(
        &mut self,
        kind: Kind,
        q: &[f64],
        v: &[f64],
        a: &[f64],
        reference: ReferenceFrame,
        out: &mut [f64],
    ) -> Result<()> {
        self.check_state(q, Some(v))?;
        check_finite("a", a, self.model.nv())?;
        check_length("accelerations", out, 6 * self.frames(kind))?;
        self.move_to(q, Some(v), Some(a))?;
        for (i, out) in out.chunks_exact_mut(6).enumerate() {
            let told = self.told_acceleration(self.seen(kind, i, reference));
            out.copy_from_slice(&told.to_array());
        }
        Ok(())
    }

    fn told_acceleration(&self, seen: Option<Seen>) -> Twist {
        let (kin, acceleration) = (&self.asked.dynamics.kin, &self.asked.acceleration);
        seen.map_or(Twist::ZERO, |s| {
            s.tell_acceleration(kin.v[s.link], acceleration[s.link])
        })
    }

    /// Velocities of all bodies' frames: 6 × nbody, (linear; angular) as `reference` says.
    pub fn body_velocities(
        &mut self,
        q: &[f64],
        v: &[f64],
        reference: ReferenceFrame,
        velocities: &mut [f64],
    ) -> Result<()> {
        self.velocities_of(Kind::Body, q, v, reference, velocities)
    }

    /// Velocities of all sites' frames: 6 × nsite.
    pub fn site_velocities(
        &mut self,
        q: &[f64],
        v: &[f64],
        reference: ReferenceFrame,
        velocities: &mut [f64],
    ) -> Result<()> {
        self.velocities_of(Kind::Site, q, v, reference, velocities)
    }

    /// Accelerations of all bodies' frames at joint accelerations a, without gravity: the rates of
    /// [`Sim::body_velocities`], 6 × nbody.
    pub fn body_accelerations(
        &mut self,
        q: &[f64],
        v: &[f64],
        a: &[f64],
        reference: ReferenceFrame,
        accelerations: &mut [f64],
    ) -> Result<()> {
        self.accelerations_of(Kind::Body, q, v, a, reference, accelerations)
    }

    /// Accelerations of all sites' frames, the rates of [`Sim::site_velocities`]: 6 × nsite.
    pub fn site_accelerations(
        &mut self,
        q: &[f64],
        v: &[f64],
        a: &[f64],
        reference: ReferenceFrame,
        accelerations: &mut [f64],
    ) -> Result<()> {
        self.accelerations_of(Kind::Site, q, v, a, reference, accelerations)
    }

    /// Jacobians of all bodies' frames: 6 × nv × nbody, a column-major 6×nv matrix each.
    pub fn body_jacobians(
        &mut self,
        q: &[f64],
        reference: ReferenceFrame,
        jacobians: &mut [f64],
    ) -> Result<()> {
        self.check_state(q, None)?;
        let (nv, n) = (self.model.nv(), self.model.nbody());
        check_length("jacobians", jacobians, 6 * nv * n)?;
        self.move_to(q, None, None)?;
        for (body, j) in jacobians.chunks_exact_mut((6 * nv).max(1)).enumerate() {
            let frame = Frame {
                body,
                placement: Pose::IDENTITY,
                reference,
            };
            motion::jacobian(&self.model, &self.asked.dynamics.kin, &frame, j);
        }
        Ok(())
    }

    /// Jacobian of a frame on a body: 6×nv, column-major.
    pub fn frame_jacobian(&mut self, q: &[f64], frame: &Frame, j: &mut [f64]) -> Result<()> {
        self.check_state(q, None)?;
        self.check_frame(frame)?;
        check_length("J", j, 6 * self.model.nv())?;
        self.move_to(q, None, None)?;
        motion::jacobian(&self.model, &self.asked.dynamics.kin, frame, j);
        Ok(())
    }

    /// Time derivative of [`Sim::frame_jacobian`] along v: 6×nv, column-major.
    pub fn frame_jacobian_rate(
        &mut self,
        q: &[f64],
        v: &[f64],
        frame: &Frame,
        rate: &mut [f64],
    ) -> Result<()> {
        self.check_state(q, Some(v))?;
        self.check_frame(frame)?;
        check_length("rate", rate, 6 * self.model.nv())?;
        self.move_to(q, Some(v), None)?;
        motion::jacobian_rate(&self.model, &self.asked.dynamics.kin, frame, rate);
        Ok(())
    }

    /// Velocity of a frame on a body, and its derivatives by the tangent of q and by v: 6×nv each,
    /// column-major. The derivative by v is the Jacobian.
    pub fn frame_velocity(
        &mut self,
        q: &[f64],
        v: &[f64],
        frame: &Frame,
        by_q: Option<&mut [f64]>,
        by_v: Option<&mut [f64]>,
    ) -> Result<[f64; 6]> {
        self.check_state(q, Some(v))?;
        self.check_frame(frame)?;
        self.check_columns([("dvelocity_dq", &by_q), ("dvelocity_dv", &by_v)])?;
        self.move_to(q, Some(v), None)?;
        let (model, kin) = (&*self.model, &self.asked.dynamics.kin);
        let seen = Seen::new(model, kin, frame);
        if by_q.is_some() {
            motion::derivatives(model, kin, frame, None, by_q, None);
        }
        if let Some(j) = by_v {
            motion::jacobian(model, kin, frame, j);
        }
        let told = seen.map_or(Twist::ZERO, |s| s.tell(kin.v[s.link]));
        Ok(told.to_array())
    }

    /// Acceleration of a frame on a body at joint accelerations a, the rate of [`Sim::frame_velocity`], and
    /// its derivatives by the tangent of q, by v and by a: 6×nv each, column-major. The derivative by a is
    /// the Jacobian.
    pub fn frame_acceleration(
        &mut self,
        q: &[f64],
        v: &[f64],
        a: &[f64],
        frame: &Frame,
        by_q: Option<&mut [f64]>,
        by_v: Option<&mut [f64]>,
        by_a: Option<&mut [f64]>,
    ) -> Result<[f64; 6]> {
        self.check_state(q, Some(v))?;
        check_finite("a", a, self.model.nv())?;
        self.check_frame(frame)?;
        self.check_columns([
            ("dacceleration_dq", &by_q),
            ("dacceleration_dv", &by_v),
            ("dacceleration_da", &by_a),
        ])?;
        self.move_to(q, Some(v), Some(a))?;
        let (model, kin) = (&*self.model, &self.asked.dynamics.kin);
        if by_q.is_some() || by_v.is_some() {
            let accelerated = Accelerated {
                link: &self.asked.acceleration,
                joint: a,
            };
            motion::derivatives(model, kin, frame, Some(accelerated), by_q, by_v);
        }
        if let Some(j) = by_a {
            motion::jacobian(model, kin, frame, j);
        }
        let seen = Seen::new(model, kin, frame);
        Ok(self.told_acceleration(seen).to_array())
    }

    fn check_columns<const N: usize>(
        &self,
        columns: [(&str, &Option<&mut [f64]>); N],
    ) -> Result<()> {
        for (name, x) in columns {
            if let Some(x) = x {
                check_length(name, x, 6 * self.model.nv())?;
            }
        }
        Ok(())
    }

    fn check_frame(&self, frame: &Frame) -> Result<()> {
        self.check_body(frame.body)?;
        check_pose(&frame.placement, || "placement".into())?;
        let far = frame.placement.pos.max_abs();
        if far < REACH {
            return Ok(());
        }
        Err(Error::numerical(format!(
            "placement: its position must be below {REACH:e}, got {far}"
        )))
    }
}
