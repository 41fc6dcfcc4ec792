"""Smooth dynamics of URDF robots against Pinocchio built from the same file."""

import numpy as np
import pinocchio as pin

import diffsim_c as ds
import pinocchio_model
from report import Weights, difference, weigh
from robots import MESHES
from states import random_states

STATES = 10
VALUE, DERIVATIVE = 1e-10, 1e-9


def compare(report, robot):
    base = ds.lib.DS_BASE_FREE if robot.free else ds.lib.DS_BASE_FIXED
    ours = ds.Model(robot.path, mesh_dirs=MESHES, base=base)
    sim = ds.Sim(ours, contact=ds.lib.DS_CONTACT_NONE)
    model = pinocchio_model.from_urdf(robot.path, robot.free)
    match = pinocchio_model.Match(ours, model)
    data = model.createData()
    worst = {}

    def note(quantity, mine, theirs, *factors, allowed=VALUE, scale=0.0):
        value = difference(weigh(mine, *factors), weigh(theirs, *factors), scale)
        worst[quantity] = (max(value, worst.get(quantity, (0.0,))[0]), allowed)

    def mass_matrix(q):
        return match.back(symmetric(pin.crba(model, data, match.q(q))), 0, 1)

    rng = np.random.default_rng(1)
    states, refused = random_states(ours, rng, STATES, lambda q: Weights(mass_matrix(q)))
    if refused:
        report.note(robot.name, f"{refused} states drawn again: mass matrix nearly singular")
    for q, v, a, w in states:
        qp, vp, ap = match.q(q), match.v(v), match.v(a)

        note("mass matrix", sim.mass_matrix(q), mass_matrix(q), w.force, w.force)
        bias = match.back(pin.nle(model, data, qp, vp), 0)
        note("bias", sim.inverse_dynamics(q, v, np.zeros(ours.nv)), bias, w.force)
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
        note("kinetic energy", kinetic, pin.computeKineticEnergy(model, data, qp, vp))
        metre_up = sum(body.mass for body in model.inertias) * 9.81
        note("potential energy", potential, pin.computePotentialEnergy(model, data, qp), scale=metre_up)

        pin.computeJointJacobians(model, data, qp)
        pin.updateFramePlacements(model, data)
        placements = sim.forward_kinematics(q)
        for body in range(1, ours.nbody):
            frame = model.getFrameId(ours.body_names[body], pin.FrameType.BODY)
            if frame == model.nframes:
                raise ValueError(f"Pinocchio has no body {ours.body_names[body]!r}")
            note("body placements", placements[:, :, body], data.oMf[frame].homogeneous, scale=1.0)
            point = rng.uniform(-0.5, 0.5, 3)
            J = pin.getFrameJacobian(model, data, frame, pin.LOCAL_WORLD_ALIGNED)
            J[:3] -= pin.skew(data.oMf[frame].rotation @ point) @ J[3:]
            note("body Jacobians", sim.body_jacobian(q, body, point), match.back(J, 1), scale=1.0)
    for quantity, (value, allowed) in worst.items():
        report.row(robot.name, quantity, value, allowed)


def symmetric(upper):
    """Pinocchio fills the upper triangle only."""
    return np.triu(upper) + np.triu(upper, 1).T
