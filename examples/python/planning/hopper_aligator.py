"""A hopper jumps: Aligator's ProxDDP with diffsim's step as its explicit dynamics.

usage: python hopper_aligator.py [ITERATIONS]      at most so many with differences (default: 100)
"""

import sys
import time

import aligator
import numpy as np

import diffsim.aligator
import hopper


def solve(differences=None, iterations=100):
    """Iterations, seconds, states and inputs of a solution."""
    step = hopper.transition(differences=differences)
    dynamics = diffsim.aligator.Dynamics(step)
    space, nu = dynamics.space, step.nu
    # Aligator's costs are halves of weighted squares.
    running = aligator.CostStack(space, nu)
    running.addCost(aligator.QuadraticControlCost(space, np.zeros(nu), 2.0 * hopper.EFFORT * np.eye(nu)))
    end = aligator.CostStack(space, nu)
    end.addCost(aligator.QuadraticStateCost(space, nu, hopper.GOAL, np.diag(2.0 * hopper.WEIGHTS)))
    x0, guess = hopper.start()
    problem = aligator.TrajOptProblem(x0, nu, space, end)
    limit = np.full(nu, 150.0)
    for _ in guess:
        stage = aligator.StageModel(running, dynamics)
        stage.addConstraint(aligator.ControlErrorResidual(step.ndx, nu), aligator.constraints.BoxConstraint(-limit, limit))
        problem.addStage(stage)
    solver = aligator.SolverProxDDP(1e-3, 1e-2, max_iters=iterations)
    solver.rollout_type = aligator.ROLLOUT_NONLINEAR
    solver.setup(problem)
    begin = list(hopper.trajectory(step, guess))
    began = time.perf_counter()
    solver.run(problem, begin, list(guess))
    seconds = time.perf_counter() - began
    found = solver.results
    if not found.conv:
        print(f"{'differences' if differences else 'exact'}: stopped")
    inputs = np.clip(np.array(list(found.us)), -limit, limit)
    return found.num_iters, seconds, hopper.trajectory(step, inputs), inputs


def main():
    most = int(sys.argv[1]) if len(sys.argv) > 1 else 100
    rows = [
        ("Aligator, ProxDDP", name, *solve(differences, limit))
        for name, differences, limit in (("exact", None, 100), ("differences", 1e-6, most))
    ]
    return hopper.report(rows)


if __name__ == "__main__":
    raise SystemExit(main())
