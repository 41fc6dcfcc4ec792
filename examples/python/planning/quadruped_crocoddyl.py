"""A quadruped shifts its trunk 4 cm forward and 2 cm up on four feet: Crocoddyl's FDDP with diffsim's contact dynamics.

usage: python quadruped_crocoddyl.py [ITERATIONS]      at most so many with differences (default: 30)
"""

import pathlib
import sys
import time

import crocoddyl
import numpy as np

import diffsim
from diffsim.crocoddyl import ActionModel, Transition

MODEL = pathlib.Path(__file__).resolve().parents[2] / "models" / "quadruped.xml"
SHIFT = np.array([0.04, 0.0, 0.02])


def solve(differences=None, iterations=30, nodes=20):
    """Iterations, seconds, whether it converged, and the last state of a solution."""
    model = diffsim.Model.load(MODEL)
    step = Transition(model, steps=5, differences=differences)
    q, v, u = model.keyframe("standing")
    x0 = step.state(q, v)
    reference = x0.copy()
    reference[:3] += SHIFT
    # The tangent of x: trunk (position, rotation), 12 joints; then their velocities.
    weights = np.concatenate([np.full(6, 1.0), np.full(12, 1e-2), np.full(18, 1e-3)])
    end = np.concatenate([np.full(3, 1e4), np.full(3, 1e3), np.full(12, 1e-1), np.full(18, 1.0)])
    running = ActionModel(step, reference, weights, 1.0, u)
    terminal = ActionModel(step, reference, end, terminal=True)
    problem = crocoddyl.ShootingProblem(x0, [running] * nodes, terminal)
    solver = crocoddyl.SolverFDDP(problem)
    solver.th_stop = 1e-3
    inputs = [u] * nodes
    began = time.perf_counter()
    done = solver.solve(problem.rollout(inputs), inputs, iterations, False)
    return solver.iter, time.perf_counter() - began, done, np.array(solver.xs[-1]), solver.cost, x0


def main():
    most = int(sys.argv[1]) if len(sys.argv) > 1 else 30
    print(f"{'derivatives':12} {'iterations':>10} {'time [s]':>9} {'cost':>10} {'trunk moved by [cm]':>24}")
    ends = []
    for name, differences, limit in (("exact", None, 30), ("differences", 1e-6, most)):
        iterations, seconds, done, end, cost, x0 = solve(differences, limit)
        moved = 100 * (end[:3] - x0[:3])
        print(f"{name:12} {iterations:10d} {seconds:9.2f} {cost:10.4f} {moved[0]:9.2f} {moved[1]:6.2f} {moved[2]:6.2f}{'' if done else '  (stopped)'}")
        ends.append(moved)
    return int(np.abs(ends[0] - 100 * SHIFT).max() > 0.5)


if __name__ == "__main__":
    raise SystemExit(main())
