"""Jacobians of a contact-free step against central differences of the step itself."""

import numpy as np

import diffsim_c as ds
from report import Weights, difference, weigh
from states import random_states

STATES = 3
# A right derivative is as far from differences as the best of these allows: the small ones lose to
# rounding, the large ones to curvature. A wrong one is far from all of them.
EPSILONS = {"q": (1e-4, 1e-3, 1e-2), "v": (1e-2,), "u": (1e-2,)}
ALLOWED = 1e-7


def compare(report, robot):
    # Every dof of a URDF has an input; an MJCF brings its actuators.
    actuation = ds.lib.DS_ACTUATION_FULL if robot.path.suffix == ".urdf" else ds.lib.DS_ACTUATION_FROM_FILE
    model = ds.Model(robot.path, actuation=actuation, **robot.load_options(ds.lib))
    sim = ds.Sim(model, contact=ds.lib.DS_CONTACT_NONE, time_step=1e-3)
    # In a body's own axes v⁺ is affine in u but where a motor is clamped; axes of the end turn with it.
    affine = ds.Sim(model, contact=ds.lib.DS_CONTACT_NONE, time_step=1e-3, integrator=ds.lib.DS_INTEGRATOR_SYMPLECTIC_EULER)
    rng = np.random.default_rng(4)
    worst = {}
    states, _ = random_states(model, rng, STATES, lambda q: Weights(sim.mass_matrix(q)))
    for q, v, _, w in states:
        u = smooth_input(affine, q, v, rng)
        q_next, _ = sim.step(q, v, u)
        jacobians = sim.step_jacobians()

        moves = {
            "q": lambda dx: sim.step(model.integrate(q, dx), v, u),
            "v": lambda dx: sim.step(q, v + dx, u),
            "u": lambda dx: sim.step(q, v, u + dx),
        }
        factors = {"q": w.force, "v": w.force, "u": np.ones(model.nu)}
        for by, move in moves.items():
            columns = [central(model, q_next, move, len(factors[by]), epsilon) for epsilon in EPSILONS[by]]
            for of in ("dq", "dv"):
                key, sides = f"{of}_d{by}", (w.motion, factors[by])
                mine = weigh(jacobians[key], *sides)
                value = min(difference(mine, weigh(theirs[of], *sides)) for theirs in columns)
                worst[key] = max(worst.get(key, 0.0), value)
    for key, value in worst.items():
        report.row(robot.name, f"step {key}", value, ALLOWED)


def smooth_input(sim, q, v, rng):
    """Inputs no motor of which is about to be clamped: elsewhere v⁺ is affine in u."""
    near = 3 * max(EPSILONS["u"])
    for _ in range(100):
        u = rng.uniform(-0.3, 0.3, sim.model.nu)
        _, here = sim.step(q, v, u)
        steps = near * np.eye(sim.model.nu)
        bends = [sim.step(q, v, u + du)[1] + sim.step(q, v, u - du)[1] - 2 * here for du in steps]
        if np.abs(bends).max(initial=0.0) <= 1e-12 * (1 + np.abs(here).max()):
            return u
    raise ValueError("every input drawn is at a motor's bound")


def central(model, q_next, move, n, epsilon):
    """∂(q⁺, v⁺) by differences of fourth order, q⁺ in the tangent at `q_next`."""
    dq, dv = np.zeros((model.nv, n)), np.zeros((model.nv, n))
    for i in range(n):
        for weight, steps in ((2 / 3, 1), (-1 / 12, 2)):
            dx = np.zeros(n)
            dx[i] = steps * epsilon
            (q_up, v_up), (q_down, v_down) = move(dx), move(-dx)
            up, down = model.difference(q_next, q_up), model.difference(q_next, q_down)
            dq[:, i] += weight * (up - down) / epsilon
            dv[:, i] += weight * (v_up - v_down) / epsilon
    return {"dq": dq, "dv": dv}
