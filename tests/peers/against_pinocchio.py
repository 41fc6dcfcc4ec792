"""Smooth dynamics of URDF robots against Pinocchio built from the same file."""

import numpy as np
import pinocchio as pin

import diffsim_c as ds
import pinocchio_model
from report import difference
from robots import ROBOT_DATA
from states import random_state

STATES = 10
VALUE, DERIVATIVE = 1e-10, 1e-9


def compare(report, robot):
    base = ds.lib.DS_BASE_FREE if robot.free else ds.lib.DS_BASE_FIXED
    ours = ds.Model(robot.path, mesh_dirs=[ROBOT_DATA.parent.parent], base=base)
    sim = ds.Sim(ours, contact=ds.lib.DS_CONTACT_NONE)
    model = pinocchio_model.from_urdf(robot.path, robot.free)
    match = pinocchio_model.Match(ours, model)
    data = model.createData()
    worst = {}

    def note(quantity, mine, theirs, allowed=VALUE, scale=0.0):
        value = difference(mine, theirs, scale)
        worst[quantity] = (max(value, worst.get(quantity, (0.0,))[0]), allowed)

    rng = np.random.default_rng(1)
    for _ in range(STATES):
        q, v, a = random_state(ours, rng)
        qp, vp, ap = match.q(q), match.v(v), match.v(a)

        M = pin.crba(model, data, qp)
        M = np.triu(M) + np.triu(M, 1).T
        note("mass matrix", sim.mass_matrix(q), match.back(M, 0, 1))
        note("bias", sim.inverse_dynamics(q, v, np.zeros(ours.nv)), match.back(pin.nle(model, data, qp, vp), 0))
        taup = pin.rnea(model, data, qp, vp, ap)
        tau = match.back(taup, 0)
        note("inverse dynamics", sim.inverse_dynamics(q, v, a), tau)
        note("forward dynamics", sim.forward_dynamics(q, v, tau), match.back(pin.aba(model, data, qp, vp, taup), 0))

        mine = sim.inverse_dynamics_derivatives(q, v, a)
        theirs = pin.computeRNEADerivatives(model, data, qp, vp, ap)[:2]
        for name, x, y in zip(("dID/dq", "dID/dv"), mine, theirs):
            note(name, x, match.back(y, 0, 1), DERIVATIVE)
        mine = sim.forward_dynamics_derivatives(q, v, tau)
        dq, dv, inverse = pin.computeABADerivatives(model, data, qp, vp, taup)
        inverse = np.triu(inverse) + np.triu(inverse, 1).T
        for name, x, y in zip(("dFD/dq", "dFD/dv", "dFD/dtau"), mine, (dq, dv, inverse)):
            note(name, x, match.back(y, 0, 1), DERIVATIVE)

        kinetic, potential = sim.energy(q, v)
        note("kinetic energy", kinetic, pin.computeKineticEnergy(model, data, qp, vp))
        weight = sum(i.mass for i in model.inertias) * 9.81
        note("potential energy", potential, pin.computePotentialEnergy(model, data, qp), scale=weight)

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
