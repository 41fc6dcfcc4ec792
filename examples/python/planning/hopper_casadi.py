"""A hopper jumps: CasADi and IPOPT, direct multiple shooting with diffsim's step as the constraint of each node.

usage: python hopper_casadi.py [ITERATIONS]      at most so many with differences (default: 60)
"""

import sys
import time

import casadi
import numpy as np

import diffsim.casadi
import hopper

KINDS = ("C code", "exact", "differences")


def solve(kind, iterations=60):
    """Iterations, seconds, states and inputs of a solution."""
    step = hopper.transition(differences=1e-6 if kind == "differences" else None)
    f = diffsim.casadi.external(step) if kind == "C code" else diffsim.casadi.function(step)
    # Unknowns: all states, then all inputs in units of their bound.
    n, bound = hopper.NODES, 150.0
    x, w = casadi.MX.sym("x", step.nx, n + 1), casadi.MX.sym("w", step.nu, n)
    x0, guess = hopper.start()
    gaps = [x[:, 0] - x0] + [x[:, k + 1] - f(x[:, k], bound * w[:, k]) for k in range(n)]
    miss = x[:, -1] - hopper.GOAL
    cost = casadi.dot(hopper.WEIGHTS, miss**2) + hopper.EFFORT * casadi.sumsqr(bound * w)
    unknowns = casadi.veccat(x, w)
    # The cost is a sum of squares: its Hessian stands for the Lagrangian's (Gauss and Newton).
    hessian = casadi.triu(casadi.hessian(cost, unknowns)[0])
    inputs = (unknowns, casadi.MX.sym("p", 0), casadi.MX.sym("s"), casadi.MX.sym("l", step.nx * (n + 1)))
    gauss_newton = casadi.Function("gauss_newton", inputs, [inputs[2] * hessian])
    solver = casadi.nlpsol(
        "solver", "ipopt", {"x": unknowns, "f": cost, "g": casadi.vertcat(*gaps)},
        {"print_time": False, "hess_lag": gauss_newton, "ipopt": {"print_level": 0, "sb": "yes", "max_iter": iterations, "tol": 1e-6}},
    )  # fmt: skip
    begin = np.concatenate([hopper.trajectory(step, guess).ravel(), guess.ravel() / bound])
    limits = np.concatenate([np.full(x.numel(), np.inf), np.ones(w.numel())])
    began = time.perf_counter()
    found = solver(x0=begin, lbx=-limits, ubx=limits, lbg=0, ubg=0)
    seconds = time.perf_counter() - began
    if not solver.stats()["success"]:
        print(f"{kind}: {solver.stats()['return_status']}")
    inputs = bound * np.array(found["x"])[x.numel() :].reshape(-1, 1)
    return solver.stats()["iter_count"], seconds, hopper.trajectory(step, inputs), inputs


def main():
    most = int(sys.argv[1]) if len(sys.argv) > 1 else 60
    rows = [("CasADi and IPOPT", kind, *solve(kind, most if kind == "differences" else 60)) for kind in KINDS]
    return hopper.report(rows)


if __name__ == "__main__":
    raise SystemExit(main())
