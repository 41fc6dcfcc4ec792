"""Jacobians of a contact-free step against central differences of the step itself."""

import numpy as np

import diffsim_c as ds
from report import difference
from robots import MESHES
from states import random_state

STATES = 3
EPSILON = 1e-5
ALLOWED = 1e-7


def compare(report, robot):
    options = {}
    if robot.path.suffix == ".urdf":
        base = ds.lib.DS_BASE_FREE if robot.free else ds.lib.DS_BASE_FIXED
        options = dict(base=base, actuation=ds.lib.DS_ACTUATION_FULL, mesh_dirs=MESHES)
    model = ds.Model(robot.path, **options)
    sim = ds.Sim(model, contact=ds.lib.DS_CONTACT_NONE, time_step=1e-3)
    rng = np.random.default_rng(4)
    worst = {}
    for _ in range(STATES):
        q, v, _ = random_state(model, rng)
        # Inside the range of every motor of the compared models: clamping has a kink.
        u = rng.uniform(-0.3, 0.3, model.nu)
        base = sim.step(q, v, u)
        jacobians = sim.step_jacobians()

        moves = {
            "q": (model.nv, lambda dx: sim.step(model.integrate(q, dx), v, u)),
            "v": (model.nv, lambda dx: sim.step(q, v + dx, u)),
            "u": (model.nu, lambda dx: sim.step(q, v, u + dx)),
        }
        for by, (n, move) in moves.items():
            for name, columns in central(model, base[0], move, n).items():
                key = f"{name}_d{by}"
                # Differences of q⁺ carry the rounding of q itself: scale by at least one step.
                worst[key] = max(worst.get(key, 0.0), difference(jacobians[key], columns, 1e-3))
    for key, value in worst.items():
        report.row(robot.name, f"step {key}", value, ALLOWED)


def central(model, q_next, move, n):
    """∂(q⁺, v⁺) by differences of fourth order, q⁺ in the tangent at `q_next`."""
    dq, dv = np.zeros((model.nv, n)), np.zeros((model.nv, n))
    for i in range(n):
        for weight, steps in ((2 / 3, 1), (-1 / 12, 2)):
            dx = np.zeros(n)
            dx[i] = steps * EPSILON
            (q_up, v_up), (q_down, v_down) = move(dx), move(-dx)
            up, down = model.difference(q_next, q_up), model.difference(q_next, q_down)
            dq[:, i] += weight * (up - down) / EPSILON
            dv[:, i] += weight * (v_up - v_down) / EPSILON
    return {"dq": dq, "dv": dv}
