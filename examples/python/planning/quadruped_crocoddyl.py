"""A quadruped shifts its trunk forward and up on four feet: Crocoddyl's FDDP with diffsim's contact dynamics.

Once by 2 cm and 1 cm, where the feet hardly slip, and once by twice as much, where two feet slip.

usage: python quadruped_crocoddyl.py [ITERATIONS] [SEED]
ITERATIONS: at most so many with differences (default: 30). SEED: moves the first guess of the inputs by 0.01 rad at
random, off the plans that are the same for left and right.
"""

import pathlib
import sys
import time

import crocoddyl
import numpy as np

import diffsim
from diffsim.crocoddyl import ActionModel, Transition

MODEL = pathlib.Path(__file__).resolve().parents[2] / "models" / "quadruped.xml"
SHIFTS = {"2 cm": np.array([0.02, 0.0, 0.01]), "4 cm": np.array([0.04, 0.0, 0.02])}


def solve(shift, differences=None, iterations=30, nodes=20, seed=None):
    """Iterations, seconds, whether it converged, the cost, and by how much the trunk moved."""
    model = diffsim.Model.load(MODEL)
    step = Transition(model, steps=5, differences=differences)
    q, v, u = model.keyframe("standing")
    x0 = step.state(q, v)
    reference = x0.copy()
    reference[:3] += shift
    # The tangent of x: trunk (position, rotation), 12 joints; then their velocities.
    weights = np.concatenate([np.full(6, 1.0), np.full(12, 1e-2), np.full(18, 1e-3)])
    end = np.concatenate([np.full(3, 1e4), np.full(3, 1e3), np.full(12, 1e-1), np.full(18, 1.0)])
    running = ActionModel(step, reference, weights, 1.0, u)
    terminal = ActionModel(step, reference, end, terminal=True)
    problem = crocoddyl.ShootingProblem(x0, [running] * nodes, terminal)
    solver = crocoddyl.SolverFDDP(problem)
    solver.th_stop = 1e-3
    inputs = [u] * nodes
    if seed is not None:
        random = np.random.default_rng(seed)
        inputs = [u + 0.01 * random.standard_normal(len(u)) for _ in range(nodes)]
    began = time.perf_counter()
    done = solver.solve(problem.rollout(inputs), inputs, iterations, False)
    return solver.iter, time.perf_counter() - began, done, solver.cost, np.array(solver.xs[-1])[:3] - x0[:3]


def main():
    most = int(sys.argv[1]) if len(sys.argv) > 1 else 30
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else None
    print(f"{'shift':5} {'derivatives':12} {'iterations':>10} {'time [s]':>9} {'cost':>10} {'trunk moved by [cm]':>24}")
    missed = 0.0
    for name, shift in SHIFTS.items():
        for kind, differences, limit in (("exact", None, max(30, most)), ("differences", 1e-6, most)):
            iterations, seconds, done, cost, moved = solve(shift, differences, limit, seed=seed)
            x, y, z = 100 * moved
            print(
                f"{name:5} {kind:12} {iterations:10d} {seconds:9.2f} {cost:10.4f} {x:9.2f} {y:6.2f} {z:6.2f}{'' if done else '  (stopped)'}"
            )
            if differences is None:
                missed = max(missed, np.abs(moved - shift).max())
    return int(missed > 0.005)


if __name__ == "__main__":
    raise SystemExit(main())
