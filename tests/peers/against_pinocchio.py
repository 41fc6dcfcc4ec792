"""Smooth dynamics and their derivatives against Pinocchio.

URDF robots are read by Pinocchio itself; for MJCF it is given MuJoCo's compiled model.
"""

import mujoco
import numpy as np
import pinocchio as pin

import diffsim_c as ds
import pinocchio_model
from report import Weights, difference, weigh
from states import random_states

STATES = 10
VALUE, DERIVATIVE = 1e-10, 1e-9


def compare_urdf(report, robot):
    ours = ds.Model(robot.path, **robot.load_options(ds.lib))
    comparison = Comparison(report, robot, ours, pinocchio_model.from_urdf(robot.path, robot.free))
    for state in comparison.states:
        comparison.dynamics(*state)
        comparison.bodies(state[0])
        comparison.motion(*state[:3])
        comparison.terms(*state)
        comparison.centroidal(*state)
    comparison.finish()


def compare_mjcf(report, robot):
    model = pinocchio_model.from_mujoco(mujoco.MjModel.from_xml_path(str(robot.path)))
    comparison = Comparison(report, robot, ds.Model(robot.path, **robot.load_options(ds.lib)), model)
    for state in comparison.states:
        comparison.dynamics(*state)
        comparison.terms(*state)
        comparison.centroidal(*state)
    comparison.finish()


class Comparison:
    """One robot on both sides, the states, and the largest difference of each quantity."""

    def __init__(self, report, robot, ours, model):
        self.report, self.robot = report, robot
        self.ours, self.sim = ours, ds.Sim(ours, contact=ds.lib.DS_CONTACT_NONE)
        # Pinocchio's joints have none.
        springs = [(ds.lib.DS_PARAM_JOINT_STIFFNESS, j, k) for j, nv in enumerate(ours.joint_nv) for k in range(nv)]
        self.sim.set_params(springs, np.zeros(len(springs)))
        self.model, self.data = model, model.createData()
        self.match = pinocchio_model.Match(ours, model)
        self.rng = np.random.default_rng(1)
        self.worst = {}
        weights = lambda q: Weights(self.mass_matrix(q))
        self.states, refused = random_states(ours, self.rng, STATES, weights)
        if refused:
            report.note(robot.name, f"{refused} states drawn again: mass matrix nearly singular")

    def note(self, quantity, mine, theirs, *factors, allowed=VALUE, scale=0.0):
        value = difference(weigh(mine, *factors), weigh(theirs, *factors), scale)
        self.worst[quantity] = (max(value, self.worst.get(quantity, (0.0,))[0]), allowed)

    def finish(self):
        for quantity, (value, allowed) in self.worst.items():
            self.report.row(self.robot.name, quantity, value, allowed)

    def mass_matrix(self, q):
        """Pinocchio's, in our order."""
        return self.match.back(symmetric(pin.crba(self.model, self.data, self.match.q(q))), 0, 1)

    def dynamics(self, q, v, a, w):
        sim, match, note = self.sim, self.match, self.note
        model, data = self.model, self.data
        qp, vp, ap = match.q(q), match.v(v), match.v(a)

        note("mass matrix", sim.mass_matrix(q), self.mass_matrix(q), w.force, w.force)
        bias = match.back(pin.nle(model, data, qp, vp), 0)
        note("bias", sim.inverse_dynamics(q, v, np.zeros(len(v))), bias, w.force)
        taup = pin.rnea(model, data, qp, vp, ap)
        tau = match.back(taup, 0)
        note("inverse dynamics", sim.inverse_dynamics(q, v, a), tau, w.force)
        accelerations = match.back(pin.aba(model, data, qp, vp, taup), 0)
        note("forward dynamics", sim.forward_dynamics(q, v, tau), accelerations, w.motion)

        mine = sim.inverse_dynamics_derivatives(q, v, a)
        theirs = pin.computeRNEADerivatives(model, data, qp, vp, ap)[:2]
        for name, x, y in zip(("dID/dq", "dID/dv"), mine, theirs):
            note(name, x, match.back(y, 0, 1), w.force, w.force, allowed=DERIVATIVE)
        mine = sim.forward_dynamics_derivatives(q, v, tau)
        by_q, by_v, inverse = pin.computeABADerivatives(model, data, qp, vp, taup)
        theirs = (by_q, by_v, symmetric(inverse))
        for name, x, y, by in zip(("dFD/dq", "dFD/dv", "dFD/dtau"), mine, theirs, (w.force, w.force, w.motion)):
            note(name, x, match.back(y, 0, 1), w.motion, by, allowed=DERIVATIVE)

        kinetic, potential = sim.energy(q, v)
        # Not computeKineticEnergy: with armature it is not ½ vᵀ M v of Pinocchio's own M.
        note("kinetic energy", kinetic, 0.5 * v @ self.mass_matrix(q) @ v)
        # The potential may be anywhere near zero: its scale is that of lifting the robot by a metre. Energies
        # of tendons are compared with MuJoCo.
        if not ds.lib.ds_model_ntendon(self.ours.handle):
            metre_up = sum(body.mass for body in model.inertias) * 9.81
            note("potential energy", potential, pin.computePotentialEnergy(model, data, qp), scale=metre_up)

    def bodies(self, q):
        model, data = self.model, self.data
        pin.computeJointJacobians(model, data, self.match.q(q))
        pin.updateFramePlacements(model, data)
        placements = self.sim.forward_kinematics(q)
        for body in range(1, self.ours.nbody):
            frame = model.getFrameId(self.ours.body_names[body], pin.FrameType.BODY)
            if frame == model.nframes:
                raise ValueError(f"Pinocchio has no body {self.ours.body_names[body]!r}")
            self.note("body placements", placements[:, :, body], data.oMf[frame].homogeneous, scale=1.0)
            point = self.rng.uniform(-0.5, 0.5, 3)
            J = pin.getFrameJacobian(model, data, frame, pin.LOCAL_WORLD_ALIGNED)
            J[:3] -= pin.skew(data.oMf[frame].rotation @ point) @ J[3:]
            self.note("body Jacobians", self.sim.body_jacobian(q, body, point), self.match.back(J, 1), scale=1.0)


    def motion(self, q, v, a):
        """Velocities, accelerations, their Jacobians and derivatives of one body, in every reference frame."""
        model, data, match = self.model, self.data, self.match
        qp, vp, ap = match.q(q), match.v(v), match.v(a)
        body = int(self.rng.integers(1, self.ours.nbody))
        frame = model.getFrameId(self.ours.body_names[body], pin.FrameType.BODY)
        pin.computeForwardKinematicsDerivatives(model, data, qp, vp, ap)
        pin.computeJointJacobiansTimeVariation(model, data, qp, vp)
        pin.updateFramePlacements(model, data)
        own = pin.LOCAL, pin.WORLD, pin.LOCAL_WORLD_ALIGNED
        for k, reference in enumerate(own):
            note = lambda name, mine, theirs, *axes: self.note(
                f"{name}, {reference}", mine, match.back(np.asarray(theirs), *axes), scale=1.0
            )
            moving = self.sim.body_velocities(q, v, k)[:, body]
            note("velocities", moving, pin.getFrameVelocity(model, data, frame, reference).vector)
            J = pin.getFrameJacobian(model, data, frame, reference)
            note("all Jacobians", self.sim.body_jacobians(q, k)[:, :, body], J, 1)
            # The rate of the velocity's numbers: of the moving origin along fixed axes that is the classical
            # one.
            aligned = reference == pin.LOCAL_WORLD_ALIGNED
            acceleration = pin.getFrameClassicalAcceleration if aligned else pin.getFrameAcceleration
            mine, dq, dv, da = self.sim.frame_acceleration(q, v, a, body, k)
            note("accelerations", mine, acceleration(model, data, frame, reference).vector)
            note("accelerations", self.sim.body_accelerations(q, v, a, k)[:, body], mine)
            note("all Jacobians", da, J, 1)
            velocity, by_q, by_v = self.sim.frame_velocity(q, v, body, k)
            note("velocities", velocity, moving)
            note("all Jacobians", by_v, J, 1)
            rate = pin.getFrameJacobianTimeVariation(model, data, frame, reference)
            note("J̇ v", self.sim.frame_jacobian_rate(q, v, body, k) @ v, match.back(rate, 1) @ v)
            note("J̇", self.sim.frame_jacobian_rate(q, v, body, k), rate, 1)
            velocity_by_q = pin.getFrameVelocityDerivatives(model, data, frame, reference)[0]
            _, acceleration_by_q, acceleration_by_v, _ = pin.getFrameAccelerationDerivatives(model, data, frame, reference)
            if aligned:
                # Theirs are told of the point of space where the frame's origin is, ours of that origin,
                # which moves; and ours is the classical acceleration, whose ω × u varies, too.
                u, w, alpha = moving[:3], moving[3:], mine[3:]
                cross = lambda x, y: np.vstack([np.cross(x.T, y.T).T, np.zeros_like(J[:3])])
                turned = lambda dv: cross(dv[3:], u[:, None]) + cross(w[:, None], dv[:3])
                velocity_by_q = velocity_by_q - cross(J[:3], w[:, None])
                acceleration_by_q = acceleration_by_q - cross(J[:3], alpha[:, None]) + turned(velocity_by_q)
                acceleration_by_v = acceleration_by_v + turned(J)
            note("velocity by q", by_q, velocity_by_q, 1)
            note("acceleration by q", dq, acceleration_by_q, 1)
            note("acceleration by v", dv, acceleration_by_v, 1)


    def terms(self, q, v, a, w):
        """Gravity, bias, Coriolis matrix, inverse of M, regressor, external wrenches."""
        sim, model, data, match, note = self.sim, self.model, self.data, self.match, self.note
        qp, vp, ap = match.q(q), match.v(v), match.v(a)
        g, by_q = sim.gravity_forces(q)
        note("gravity", g, match.back(pin.computeGeneralizedGravity(model, data, qp), 0), w.force)
        theirs = pin.computeGeneralizedGravityDerivatives(model, data, qp)
        note("gravity by q", by_q, match.back(theirs, 0, 1), w.force, w.force)
        note("bias forces", sim.bias_forces(q, v), match.back(pin.nle(model, data, qp, vp), 0), w.force)
        # C is one of many with C v and C + Cᵀ given, but theirs is the same.
        C = match.back(pin.computeCoriolisMatrix(model, data, qp, vp), 0, 1)
        note("Coriolis matrix", sim.coriolis_matrix(q, v), C, w.force, w.force)
        inverse = match.back(symmetric(pin.computeMinverse(model, data, qp)), 0, 1)
        note("inverse of M", sim.mass_matrix_inverse(q), inverse, w.motion, w.motion, allowed=DERIVATIVE)
        Y = match.back(pin.computeJointTorqueRegressor(model, data, qp, vp, ap), 0)
        pi = np.concatenate([i.toDynamicParameters() for i in list(model.inertias)[1:]])
        # Theirs has a column a joint, ours a body: welded bodies' are apart.
        mine = sim.inverse_dynamics_regressor(q, v, a)
        ours = np.concatenate([self.ours.body_inertia(b) for b in range(self.ours.nbody)])
        note("regressor", mine @ ours, Y @ pi, w.force)
        for joint in range(1, model.njoints):
            body = self._carried_by(joint)
            if body is not None:
                columns = slice(10 * (joint - 1), 10 * joint)
                note("regressor by body", mine[:, 10 * body : 10 * body + 10], Y[:, columns], w.force, scale=1.0)

    def _carried_by(self, joint):
        """Our body whose frame is that of Pinocchio's joint, or None."""
        for frame in self.model.frames:
            if frame.type == pin.FrameType.BODY and frame.parentJoint == joint and frame.placement.isIdentity(0.0):
                return self.ours.body_names.index(frame.name) if frame.name in self.ours.body_names else None
        return None

    def centroidal(self, q, v, a, w):
        """The centre of mass, momentum about it, its map and derivatives."""
        sim, model, data, match, note = self.sim, self.model, self.data, self.match, self.note
        qp, vp, ap = match.q(q), match.v(v), match.v(a)
        pin.centerOfMass(model, data, qp, vp, ap)
        # Theirs has gravity in it only where it is asked for with forces.
        com = [data.com[0].copy(), data.vcom[0].copy(), data.acom[0].copy()]
        for name, mine, theirs in zip(("position", "velocity", "acceleration"), sim.center_of_mass_motion(q, v, a), com):
            note(f"centre of mass, {name}", mine, theirs, scale=1.0)
        momentum, rate = sim.centroidal_momentum(q, v, a)
        pin.computeCentroidalMomentumTimeVariation(model, data, qp, vp, ap)
        note("momentum about the centre", momentum, data.hg.vector.copy(), scale=1.0)
        note("its rate", rate, data.dhg.vector.copy(), scale=1.0)
        map = pin.computeCentroidalMap(model, data, qp).copy()
        note("centroidal map", sim.centroidal_map(q), match.back(map, 1), scale=1.0)
        bias = sim.centroidal_momentum(q, v, 0 * a)[1]
        note("rate of the map times v", bias, pin.dccrba(model, data, qp, vp) @ vp, scale=1.0)
        mine = sim.centroidal_derivatives(q, v, a)
        theirs = pin.computeCentroidalDynamicsDerivatives(model, data, qp, vp, ap)
        for name, x, y in zip(("momentum by q", "rate by q", "rate by v", "rate by a"), mine, theirs):
            note(f"centroidal {name}", x, match.back(y, 1), scale=1.0)


def symmetric(upper):
    """Pinocchio fills the upper triangle only."""
    return np.triu(upper) + np.triu(upper, 1).T
