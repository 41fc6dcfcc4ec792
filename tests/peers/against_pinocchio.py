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
    comparison.finish()


def compare_mjcf(report, robot):
    model = pinocchio_model.from_mujoco(mujoco.MjModel.from_xml_path(str(robot.path)))
    comparison = Comparison(report, robot, ds.Model(robot.path, **robot.load_options(ds.lib)), model)
    for state in comparison.states:
        comparison.dynamics(*state)
    comparison.finish()


class Comparison:
    """One robot on both sides, the states, and the largest difference of each quantity."""

    def __init__(self, report, robot, ours, model):
        self.report, self.robot = report, robot
        self.ours, self.sim = ours, ds.Sim(ours, contact=ds.lib.DS_CONTACT_NONE)
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
        # The potential may be anywhere near zero: its scale is that of lifting the robot by a metre.
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


def symmetric(upper):
    """Pinocchio fills the upper triangle only."""
    return np.triu(upper) + np.triu(upper, 1).T
