"""A hopper jumps: SciPy's L-BFGS-B on the inputs alone; one adjoint of the rollout gives the whole gradient.

usage: python hopper_scipy.py
"""

import time

import numpy as np
import scipy.optimize

import diffsim
import hopper


def solve(exact):
    """Iterations, seconds, states and inputs of a solution."""
    model = diffsim.Model.from_string(hopper.TEXT, "mjcf")
    steps = hopper.NODES * hopper.STEPS
    rollout = diffsim.Rollout(model, steps)
    x0, guess = hopper.start()

    def value(w):
        u = np.repeat(w, hopper.STEPS)[None, :]
        q, v = rollout.run(x0[:2], x0[2:], u)
        miss = np.concatenate([q[:, -1], v[:, -1]]) - hopper.GOAL
        return float(hopper.WEIGHTS @ miss**2 + hopper.EFFORT * (w @ w)), miss

    def value_and_gradient(w):
        total, miss = value(w)
        q_bar, v_bar = np.zeros((2, steps + 1), order="F"), np.zeros((2, steps + 1), order="F")
        q_bar[:, -1], v_bar[:, -1] = np.split(2.0 * hopper.WEIGHTS * miss, 2)
        by_u = rollout.adjoint(q_bar, v_bar).u[0]
        return total, by_u.reshape(hopper.NODES, hopper.STEPS).sum(axis=1) + 2.0 * hopper.EFFORT * w

    options = {"maxiter": 100, "maxfun": 100_000, "ftol": 1e-12, "gtol": 1e-6}
    began = time.perf_counter()
    given = {"fun": value_and_gradient, "jac": True} if exact else {"fun": lambda w: value(w)[0], "jac": "2-point"}
    found = scipy.optimize.minimize(
        x0=guess.ravel(), method="L-BFGS-B", bounds=[(-150, 150)] * hopper.NODES, options=options, **given
    )
    seconds = time.perf_counter() - began
    inputs = found.x[:, None]
    return found.nit, seconds, hopper.trajectory(hopper.transition(), inputs), inputs


def main():
    rows = [("SciPy, L-BFGS-B", name, *solve(exact)) for name, exact in (("adjoint", True), ("differences", False))]
    return hopper.report(rows)


if __name__ == "__main__":
    raise SystemExit(main())
