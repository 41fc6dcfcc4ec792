//! The queries of a simulation, as methods.

use super::centroidal::{self, Centroidal};
use super::contact_motion::ContactDerivatives;
use super::distance_smoothing::{
    self, DistanceSmoothing, SmoothedDistance, SmoothedDistanceDerivatives,
};
use super::forces::{self, ForceDerivatives, Transmissions};
use super::geometry::{self, Distance};
use super::patches::{self, Outlines, Patch};
use super::rays::{self, RayHit, Rays};
use super::sensors::{self, SensorJacobians, SensorRoom};
use super::smoothing::{self, Smoothing, SmoothingInfo};
use super::{dynamics, loads, motion, sites, terms};
use crate::dynamics::motion::{Frame, ReferenceFrame};
use crate::error::Result;
use crate::force::ForceKinds;
use crate::step::state::Last;
use crate::step::{Gradient, Sim, StepJacobians};

/// Smooth dynamics. Forces are total generalized forces: joint damping, springs and friction belong to the
/// step.
impl Sim {
    /// World placements of all bodies: 16 × nbody, column-major 4×4 each.
    pub fn forward_kinematics(&mut self, q: &[f64], placements: &mut [f64]) -> Result<()> {
        dynamics::forward_kinematics(&mut self.query(), q, placements)
    }

    /// τ = M a + b − Jᵀ(external wrenches), M with armature; lengths nq, nv, nv, nv.
    pub fn inverse_dynamics(
        &mut self,
        q: &[f64],
        v: &[f64],
        a: &[f64],
        tau: &mut [f64],
    ) -> Result<()> {
        dynamics::inverse_dynamics(&mut self.query(), q, v, a, tau)
    }

    /// Acceleration under the total generalized force τ; lengths nq, nv, nv, nv.
    pub fn forward_dynamics(
        &mut self,
        q: &[f64],
        v: &[f64],
        tau: &[f64],
        a: &mut [f64],
    ) -> Result<()> {
        dynamics::forward_dynamics(&mut self.query(), q, v, tau, a)
    }

    /// Joint-space inertia with armature: dense, column-major, nv×nv.
    pub fn mass_matrix(&mut self, q: &[f64], m: &mut [f64]) -> Result<()> {
        dynamics::mass_matrix(&mut self.query(), q, m)
    }

    /// Derivatives of inverse dynamics by the tangent of q and by v, column-major nv×nv. The derivative by a
    /// is the mass matrix.
    pub fn inverse_dynamics_derivatives(
        &mut self,
        q: &[f64],
        v: &[f64],
        a: &[f64],
        dtau_dq: Option<&mut [f64]>,
        dtau_dv: Option<&mut [f64]>,
    ) -> Result<()> {
        dynamics::inverse_dynamics_derivatives(&mut self.query(), q, v, a, dtau_dq, dtau_dv)
    }

    /// Derivatives of forward dynamics by the tangent of q, by v and by τ (M⁻¹), column-major nv×nv.
    pub fn forward_dynamics_derivatives(
        &mut self,
        q: &[f64],
        v: &[f64],
        tau: &[f64],
        da_dq: Option<&mut [f64]>,
        da_dv: Option<&mut [f64]>,
        da_dtau: Option<&mut [f64]>,
    ) -> Result<()> {
        dynamics::forward_dynamics_derivatives(&mut self.query(), q, v, tau, da_dq, da_dv, da_dtau)
    }

    /// Jacobian of a point fixed on a body (body axes): 6×nv, column-major, world axes; rows linear
    /// velocity of the point, then angular velocity.
    pub fn body_jacobian(
        &mut self,
        q: &[f64],
        body: usize,
        point: [f64; 3],
        j: &mut [f64],
    ) -> Result<()> {
        dynamics::body_jacobian(&mut self.query(), q, body, point, j)
    }

    /// Time derivative of [`Sim::body_jacobian`] along v; 6×nv.
    pub fn body_jacobian_rate(
        &mut self,
        q: &[f64],
        v: &[f64],
        body: usize,
        point: [f64; 3],
        rate: &mut [f64],
    ) -> Result<()> {
        dynamics::body_jacobian_rate(&mut self.query(), q, v, body, point, rate)
    }

    /// Kinetic energy, including rotors, and potential energy [J]: of gravity (zero at the world's origin),
    /// of springs of joints, between points and of tendons, of deformable bodies, and [`Force::energy`] of
    /// forces defined outside the library. Contacts and limits are not included.
    ///
    /// [`Force::energy`]: crate::force::Force::energy
    pub fn energy(&mut self, q: &[f64], v: &[f64]) -> Result<(f64, f64)> {
        dynamics::energy(&mut self.query(), q, v)
    }

    /// Lengths of the tendons at q, and ∂l/∂q of each, nv × the number of tendons, column-major.
    pub fn tendon_lengths(
        &mut self,
        q: &[f64],
        lengths: &mut [f64],
        moments: Option<&mut [f64]>,
    ) -> Result<()> {
        dynamics::tendon_lengths(&mut self.query(), q, lengths, moments)
    }

    /// Mass [kg], centre of mass (world) [m], and its Jacobian (3×nv, column-major) of all moving bodies.
    pub fn center_of_mass(
        &mut self,
        q: &[f64],
        com: &mut [f64; 3],
        j: Option<&mut [f64]>,
    ) -> Result<f64> {
        dynamics::center_of_mass(&mut self.query(), q, com, j)
    }

    /// Linear and angular momentum of all moving bodies, world axes, angular about `about` [N s, N m s].
    pub fn momentum(&mut self, q: &[f64], v: &[f64], about: [f64; 3]) -> Result<[f64; 6]> {
        dynamics::momentum(&mut self.query(), q, v, about)
    }

    /// Hybrid dynamics. Where `prescribed` is not 0, the acceleration is given and the force is computed;
    /// elsewhere the converse. The missing entries of `tau` and `a` are filled in. All have nv entries.
    pub fn hybrid_dynamics(
        &mut self,
        q: &[f64],
        v: &[f64],
        prescribed: &[i32],
        tau: &mut [f64],
        a: &mut [f64],
    ) -> Result<()> {
        dynamics::hybrid_dynamics(&mut self.query(), q, v, prescribed, tau, a)
    }
}

/// Single terms of the equations of motion.
impl Sim {
    /// Generalized gravity g(q), nv entries: the force that holds the robot still against gravity, minus the
    /// gravity compensation of bodies; and its derivative by the tangent of q, nv×nv, column-major.
    pub fn gravity_forces(
        &mut self,
        q: &[f64],
        g: &mut [f64],
        dg_dq: Option<&mut [f64]>,
    ) -> Result<()> {
        terms::gravity_forces(&mut self.query(), q, g, dg_dq)
    }

    /// Bias forces b(q, v), nv entries: Coriolis, centrifugal and gravity forces, minus the gravity
    /// compensation of bodies, without external wrenches.
    pub fn bias_forces(&mut self, q: &[f64], v: &[f64], b: &mut [f64]) -> Result<()> {
        terms::bias_forces(&mut self.query(), q, v, b)
    }

    /// The Coriolis matrix C(q, v), nv×nv, column-major: C v are the Coriolis and centrifugal forces, and Ṁ =
    /// C + Cᵀ.
    pub fn coriolis_matrix(&mut self, q: &[f64], v: &[f64], c: &mut [f64]) -> Result<()> {
        terms::coriolis_matrix(&mut self.query(), q, v, c)
    }

    /// The inverse of [`Sim::mass_matrix`]: dense, nv×nv.
    pub fn mass_matrix_inverse(&mut self, q: &[f64], inverse: &mut [f64]) -> Result<()> {
        terms::mass_matrix_inverse(&mut self.query(), q, inverse)
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
        terms::inverse_dynamics_regressor(&mut self.query(), q, v, a, y)
    }
}

/// Dynamics under further wrenches.
impl Sim {
    /// [`Sim::inverse_dynamics`] with further wrenches (force; moment) on bodies [N, N m], 6 numbers
    /// each, along world axes, at the bodies' origins.
    pub fn inverse_dynamics_with_wrenches(
        &mut self,
        q: &[f64],
        v: &[f64],
        a: &[f64],
        bodies: &[i32],
        wrenches: &[f64],
        tau: &mut [f64],
    ) -> Result<()> {
        loads::inverse_dynamics_with_wrenches(&mut self.query(), q, v, a, bodies, wrenches, tau)
    }

    /// [`Sim::forward_dynamics`] with the wrenches of [`Sim::inverse_dynamics_with_wrenches`].
    pub fn forward_dynamics_with_wrenches(
        &mut self,
        q: &[f64],
        v: &[f64],
        tau: &[f64],
        bodies: &[i32],
        wrenches: &[f64],
        a: &mut [f64],
    ) -> Result<()> {
        loads::forward_dynamics_with_wrenches(&mut self.query(), q, v, tau, bodies, wrenches, a)
    }
}

/// Motion of bodies, sites and frames.
impl Sim {
    /// Velocities of all bodies' frames: 6 × nbody, (linear; angular) as `reference` says.
    pub fn body_velocities(
        &mut self,
        q: &[f64],
        v: &[f64],
        reference: ReferenceFrame,
        velocities: &mut [f64],
    ) -> Result<()> {
        motion::body_velocities(&mut self.query(), q, v, reference, velocities)
    }

    /// Velocities of all sites' frames: 6 × nsite.
    pub fn site_velocities(
        &mut self,
        q: &[f64],
        v: &[f64],
        reference: ReferenceFrame,
        velocities: &mut [f64],
    ) -> Result<()> {
        motion::site_velocities(&mut self.query(), q, v, reference, velocities)
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
        motion::body_accelerations(&mut self.query(), q, v, a, reference, accelerations)
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
        motion::site_accelerations(&mut self.query(), q, v, a, reference, accelerations)
    }

    /// Jacobians of all bodies' frames: 6 × nv × nbody, a column-major 6×nv matrix each.
    pub fn body_jacobians(
        &mut self,
        q: &[f64],
        reference: ReferenceFrame,
        jacobians: &mut [f64],
    ) -> Result<()> {
        motion::body_jacobians(&mut self.query(), q, reference, jacobians)
    }

    /// Jacobian of a frame on a body: 6×nv, column-major.
    pub fn frame_jacobian(&mut self, q: &[f64], frame: &Frame, j: &mut [f64]) -> Result<()> {
        motion::frame_jacobian(&mut self.query(), q, frame, j)
    }

    /// Time derivative of [`Sim::frame_jacobian`] along v: 6×nv, column-major.
    pub fn frame_jacobian_rate(
        &mut self,
        q: &[f64],
        v: &[f64],
        frame: &Frame,
        rate: &mut [f64],
    ) -> Result<()> {
        motion::frame_jacobian_rate(&mut self.query(), q, v, frame, rate)
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
        motion::frame_velocity(&mut self.query(), q, v, frame, by_q, by_v)
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
        motion::frame_acceleration(&mut self.query(), q, v, a, frame, by_q, by_v, by_a)
    }
}

/// Sites.
impl Sim {
    /// World placements of all sites: 16 × nsite, column-major 4×4 each.
    pub fn site_placements(&mut self, q: &[f64], placements: &mut [f64]) -> Result<()> {
        sites::site_placements(&mut self.query(), q, placements)
    }

    /// Jacobian of a site: 6×nv, column-major, world axes; rows linear velocity of its origin, then angular
    /// velocity.
    pub fn site_jacobian(&mut self, q: &[f64], site: usize, j: &mut [f64]) -> Result<()> {
        sites::site_jacobian(&mut self.query(), q, site, j)
    }
}

/// The centre of mass and the momentum about it.
impl Sim {
    /// The centre of mass and the momentum about it of all moving bodies, at joint accelerations a.
    pub fn centroidal(&mut self, q: &[f64], v: &[f64], a: &[f64]) -> Result<Centroidal> {
        centroidal::centroidal(&mut self.query(), q, v, a)
    }

    /// The centroidal momentum matrix A_g, 6×nv, column-major: A_g v is the momentum about the centre of
    /// mass.
    pub fn centroidal_map(&mut self, q: &[f64], map: &mut [f64]) -> Result<()> {
        centroidal::centroidal_map(&mut self.query(), q, map)
    }

    /// Derivatives of the momentum about the centre of mass by the tangent of q, and of its rate by the
    /// tangent of q, by v and by a: 6×nv each, column-major. The derivative of the momentum by v equals that
    /// of the rate by a: A_g.
    pub fn centroidal_derivatives(
        &mut self,
        q: &[f64],
        v: &[f64],
        a: &[f64],
        out: [&mut [f64]; 4],
    ) -> Result<()> {
        centroidal::centroidal_derivatives(&mut self.query(), q, v, a, out)
    }
}

/// Generalized forces kind by kind.
impl Sim {
    /// The sum of the generalized forces of these kinds at (q, v, u) and the activations of [`Sim::act`], nv
    /// entries, and its derivatives. Bits beyond all kinds are ignored. Returns [`Gradient::OneSided`] where
    /// slopes jump.
    ///
    /// For tendons and springs this is the whole force, also if steps with constraints use rows of impulses
    /// instead. Dry friction and bounds are such rows and not forces. The damper of a cable fades in as it
    /// becomes taut, as with implicit integrators.
    ///
    /// # Errors
    /// As a step's for its arguments; `InvalidArgument` for derivatives without options.derivatives;
    /// `Numerical` for a result that is not finite.
    pub fn generalized_forces(
        &mut self,
        q: &[f64],
        v: &[f64],
        u: &[f64],
        kinds: ForceKinds,
        force: &mut [f64],
        out: ForceDerivatives<'_>,
    ) -> Result<Gradient> {
        forces::generalized_forces(&mut self.query(), q, v, u, kinds, force, out)
    }

    /// Lengths, rates and forces of all actuators at (q, v, u) and the activations of [`Sim::act`], nu
    /// entries each, and derivatives of the forces, nu rows.
    ///
    /// # Errors
    /// As of [`Sim::generalized_forces`].
    pub fn actuator_states(
        &mut self,
        q: &[f64],
        v: &[f64],
        u: &[f64],
        out: Transmissions<'_>,
    ) -> Result<Gradient> {
        forces::actuator_states(&mut self.query(), q, v, u, out)
    }

    /// Lengths, rates and tensions of all tendons at (q, v), one entry for each tendon, and derivatives of
    /// the tensions. There are no derivatives by u.
    ///
    /// # Errors
    /// As of [`Sim::generalized_forces`].
    pub fn tendon_states(
        &mut self,
        q: &[f64],
        v: &[f64],
        out: Transmissions<'_>,
    ) -> Result<Gradient> {
        forces::tendon_states(&mut self.query(), q, v, out)
    }
}

/// Contacts and distances.
impl Sim {
    /// Switches contact between two geoms on or off, regardless of the model's filters. May allocate. The
    /// last step is forgotten.
    ///
    /// # Errors
    /// `InvalidArgument` for a geom that does not exist, a geom with itself, planes and height fields with
    /// each other; `Unsupported` if the pair's condim is unsupported.
    pub fn set_pair_enabled(&mut self, geom_a: usize, geom_b: usize, enabled: bool) -> Result<()> {
        (self.query())
            .with_scene(|scene, model, _| scene.set_pair_enabled(model, geom_a, geom_b, enabled))?;
        self.filter_adhesion();
        self.forget_step();
        Ok(())
    }

    /// Finds the contacts at q without dynamics: all points whose gap is at most the pair's margin.
    ///
    /// [`Sim::contacts`] then returns them, with zero impulse and velocity and mode `Unknown`. The last step
    /// is forgotten, but not its warm start. The first geometry query of a simulation with contact None
    /// allocates; no other does.
    ///
    /// # Errors
    /// As a step's for q; `Capacity` for more contacts than options.max_contacts. With contact None also the
    /// geom errors of a simulation with contact.
    pub fn collide(&mut self, q: &[f64]) -> Result<()> {
        self.check_state(q, None)?;
        self.forget_step();
        geometry::collide(&mut self.query(), q).map_err(|e| self.name_crowd(e))?;
        self.last = Last::Collide;
        Ok(())
    }

    /// Motion of the contacts of [`Sim::contacts`] with δq. Returns [`Gradient::OneSided`] if one of them has
    /// no derivative; the undetermined part is left out.
    ///
    /// # Errors
    /// `NoStep` before a step or [`Sim::collide`]; `InvalidArgument` for a wrong length.
    pub fn contact_derivatives(&mut self, out: ContactDerivatives<'_>) -> Result<Gradient> {
        self.need_contacts()?;
        let n = self.contacts().len();
        geometry::check_motions(&self.model, n, &out)?;
        if n == 0 {
            return Ok(Gradient::Exact);
        }
        let of_rows = self.place_contacts();
        geometry::contact_derivatives(&mut self.query(), of_rows, out)
    }

    /// Distance of two geoms at q, regardless of the filters; `gradient` receives nv entries. Contacts and
    /// the last step do not change. Allocates as [`Sim::collide`] does.
    ///
    /// # Errors
    /// As [`Sim::collide`]; `InvalidArgument` for a geom that does not exist or for a geom with itself;
    /// `Unsupported` for two planes or height fields.
    pub fn distance(
        &mut self,
        geom_a: usize,
        geom_b: usize,
        q: &[f64],
        gradient: Option<&mut [f64]>,
    ) -> Result<Distance> {
        geometry::distance(&mut self.query(), geom_a, geom_b, q, gradient)
    }
}

/// Rays.
impl Sim {
    /// The first hit of each ray at q. From within a solid a ray hits its surface from inside; planes are hit
    /// from above only. Every geom counts, regardless of the filters. `by_q` receives the derivatives of the
    /// distances by the tangent of q, nv entries for each ray, with the rays at rest in the world; zero for a
    /// ray without a hit.
    ///
    /// With the outward normal n and the unit direction d, the distance varies with a ray's own origin by
    /// −n/(n·d), and with its unit direction by this times the distance. Allocates as [`Sim::collide`] does.
    ///
    /// # Errors
    /// As [`Sim::collide`] for q; `InvalidArgument` for a direction of zero length, a body that does not
    /// exist or a `max_distance` that is not positive; `Numerical` for an origin that is too far away.
    pub fn ray_casts(
        &mut self,
        q: &[f64],
        rays: &Rays<'_>,
        by_q: Option<&mut [f64]>,
        each: impl FnMut(usize, Option<RayHit>),
    ) -> Result<()> {
        rays::ray_casts(&mut self.query(), q, rays, by_q, each)
    }

    /// [`Sim::ray_casts`] of one ray.
    ///
    /// # Errors
    /// As [`Sim::ray_casts`].
    pub fn ray_cast(
        &mut self,
        q: &[f64],
        rays: &Rays<'_>,
        by_q: Option<&mut [f64]>,
    ) -> Result<Option<RayHit>> {
        rays::ray_cast(&mut self.query(), q, rays, by_q)
    }
}

/// Hydroelastic patches.
impl Sim {
    /// The polygons of the faces among the contacts of the last step or [`Sim::collide`].
    pub fn outlines(&self, out: &mut Outlines) {
        patches::outlines(self, out)
    }

    /// Whether any geom may meet others in faces.
    pub fn has_patches(&self) -> bool {
        patches::has_patches(self)
    }

    /// The patches of the last step or [`Sim::collide`] in the order of the contacts.
    pub fn patches(&self) -> impl Iterator<Item = Patch> {
        patches::patches(self)
    }
}

/// Smoothed distances.
impl Sim {
    /// The distance of two geoms at q, regardless of the filters, smoothed over displacements of `geom_b`,
    /// and its derivatives by δq (formulas: see the module of [`DistanceSmoothing`]). Contacts and the last
    /// step do not change. Allocates as [`Sim::collide`] does.
    ///
    /// # Errors
    /// As [`Sim::distance`], for q and for every displaced pose; `InvalidArgument` naming the option or
    /// output. Nothing is written then.
    pub fn smoothed_distance(
        &mut self,
        geom_a: usize,
        geom_b: usize,
        q: &[f64],
        options: &DistanceSmoothing,
        out: SmoothedDistanceDerivatives<'_>,
    ) -> Result<SmoothedDistance> {
        distance_smoothing::smoothed_distance(&mut self.query(), geom_a, geom_b, q, options, out)
    }
}

/// Sensors.
impl Sim {
    /// Readings of all sensors at (q, v, u), in their order. If a sensor needs accelerations or contact
    /// forces, this calls [`Sim::forward`] first, which is the last step afterwards. Noise is not added; a
    /// cutoff holds.
    ///
    /// # Errors
    /// As [`Sim::forward`]; `InvalidArgument` for a wrong length or the workspace of another simulation.
    pub fn sensors(
        &mut self,
        room: &mut SensorRoom,
        q: &[f64],
        v: &[f64],
        u: &[f64],
        data: &mut [f64],
    ) -> Result<()> {
        sensors::sensors(self, room, q, v, u, data)
    }

    /// Jacobians of the readings of all sensors at (q, v, u), with the acceleration's. Returns
    /// [`Gradient::OneSided`] if one of them, or the step's derivative, is one-sided.
    ///
    /// # Errors
    /// As [`Sim::sensors`] and [`Sim::step_jacobians`]. `Unsupported` for a touch, force or torque sensor
    /// with contacts whose sum of forces has no derivative, because redundant constraints may distribute it
    /// differently; for such a sensor with contact Penalty and an implicit scheme; and for the force of a
    /// bound that redundant constraints may share.
    pub fn sensor_jacobians(
        &mut self,
        room: &mut SensorRoom,
        q: &[f64],
        v: &[f64],
        u: &[f64],
        out: SensorJacobians<'_>,
    ) -> Result<Gradient> {
        sensors::sensor_jacobians(self, room, q, v, u, out)
    }

    /// Adjoint of the readings of all sensors: maps a gradient by the readings to gradients by q, v, u and
    /// the activations; lengths nv, nv, nu, na.
    ///
    /// # Errors
    /// As [`Sim::sensor_jacobians`], which it uses; `Numerical` if a sum would not be finite.
    pub fn sensor_vjp(
        &mut self,
        room: &mut SensorRoom,
        q: &[f64],
        v: &[f64],
        u: &[f64],
        data_bar: &[f64],
        bars: [Option<&mut [f64]>; 4],
    ) -> Result<Gradient> {
        sensors::sensor_vjp(self, room, q, v, u, data_bar, bars)
    }
}

/// Smoothed derivatives of the last step.
impl Sim {
    /// Smoothed Jacobians of the last step; shapes as in [`StepJacobians`]. The mean over random states is
    /// also taken for parameters; parameters themselves are not displaced.
    ///
    /// Works on a copy of the simulation, made on the heap: the steps that follow have the same bits with and
    /// without this call.
    ///
    /// # Errors
    /// `NoStep` before a step; `InvalidArgument` naming the option, output or missing workspace;
    /// `NotConverged` if more pairs than `max_failures` had a failing step or derivative (with the first
    /// cause), or if the relaxed problem was not solved. Nothing is written then.
    pub fn smoothed_jacobians(
        &self,
        options: &Smoothing,
        out: StepJacobians<'_>,
    ) -> Result<SmoothingInfo> {
        smoothing::smoothed_jacobians(self, options, out)
    }

    /// The last step with complementarity relaxed; [`SmoothingMethod::CentralPath`] gives its Jacobian.
    /// Lengths nq, nv. Only the method, κ and the reach of `options` matter. The simulation does not change.
    ///
    /// # Errors
    /// As [`Sim::smoothed_jacobians`]; `InvalidArgument` for another method.
    pub fn relaxed_step(
        &self,
        options: &Smoothing,
        q_next: &mut [f64],
        v_next: &mut [f64],
    ) -> Result<()> {
        smoothing::relaxed_step(self, options, q_next, v_next)
    }
}
