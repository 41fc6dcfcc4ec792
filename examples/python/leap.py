"""Trajectory optimization by the adjoint: a planar runner learns to leap.

The unknowns are the motor inputs of 0.8 s (6 motors, 160 steps). The program minimizes the distance of
the torso from a point in the air at the end, plus a little effort. One `Rollout.adjoint` gives the
gradient by all 960 inputs, through the contacts of both feet with the floor. L-BFGS (Nocedal and Wright,
Numerical Optimization, algorithm 7.4) follows it.

usage: python leap.py [FOLDER]      writes leap.svg and recordings there (default: the working directory):
leap_start.dsrec is the first trajectory with the gradient of the distance, leap.dsrec the last trajectory.
"""

import pathlib
import sys

import numpy as np

import diffsim
from svg import lines

MODEL = pathlib.Path(__file__).resolve().parents[1] / "models" / "runner.xml"
STEPS, TIME_STEP = 160, 0.005
GOAL = np.array([0.6, 0.45])  # forward and up [m] of where the torso stands
EFFORT = 1e-5


class Leap:
    """The function of the unknowns w, inputs u = tanh w, and its gradient."""

    def __init__(self):
        self.model = diffsim.Model.load(MODEL)
        self.rollout = diffsim.Rollout(self.model, STEPS, time_step=TIME_STEP)
        self.q0, self.v0, _ = self.model.keyframe("standing")
        self.shape = (self.model.nu, STEPS)
        self.evaluations = 0

    def trajectory(self, w):
        return self.rollout.run(self.q0, self.v0, np.tanh(w.reshape(self.shape, order="F")))

    def record(self, w, path):
        """The trajectory, with arrows for the gradient of the torso's distance from its goal."""
        q, v = self.trajectory(w)
        q_bar, v_bar = np.zeros_like(v), np.zeros_like(v)
        q_bar[:2, -1] = 2.0 * (q[:2, -1] - GOAL)
        recorder = diffsim.Recorder(self.model)
        recorder.rollout(self.rollout, self.rollout.adjoint(q_bar, v_bar))
        recorder.save(path)

    def __call__(self, w):
        self.evaluations += 1
        u = np.tanh(w.reshape(self.shape, order="F"))
        q, v = self.rollout.run(self.q0, self.v0, u)
        miss = q[:2, -1] - GOAL
        q_bar, v_bar = np.zeros_like(v), np.zeros_like(v)
        q_bar[:2, -1] = 2.0 * miss
        try:
            gradient = self.rollout.adjoint(q_bar, v_bar).u + 2.0 * EFFORT * u
        except diffsim.NotConvergedError:
            # A step was not solved to the tolerance and has no derivative: reject this point.
            return np.inf, np.zeros_like(w)
        return miss @ miss + EFFORT * np.sum(u * u), (gradient * (1.0 - u * u)).ravel(order="F")


def minimize(function, x, iterations, memory=12):
    """L-BFGS with a backtracking line search; yields the value after each iteration, then x."""
    value, gradient = function(x)
    pairs = []
    for _ in range(iterations):
        direction = -two_loops(gradient, pairs)
        slope, step = gradient @ direction, 1.0
        while True:
            trial = x + step * direction
            new_value, new_gradient = function(trial)
            if new_value <= value + 1e-4 * step * slope:
                break
            step *= 0.5
            if step < 1e-8:
                return
        s, y = trial - x, new_gradient - gradient
        if s @ y > 1e-12 * np.linalg.norm(s) * np.linalg.norm(y):
            pairs = [*pairs[-memory + 1 :], (s, y)]
        x, value, gradient = trial, new_value, new_gradient
        yield value, x


def two_loops(gradient, pairs):
    """The inverse Hessian estimated from the pairs, times the gradient."""
    r, weights = gradient.copy(), []
    for s, y in reversed(pairs):
        weights.append((s @ r) / (s @ y))
        r -= weights[-1] * y
    if pairs:
        s, y = pairs[-1]
        r *= (s @ y) / (y @ y)
    else:
        r /= max(1.0, np.linalg.norm(r))
    for (s, y), a in zip(pairs, reversed(weights)):
        r += (a - (y @ r) / (s @ y)) * s
    return r


def check_gradient(leap, w, value_and_gradient):
    """The slope along a random direction against a central difference; returns the relative error."""
    direction = np.random.default_rng(0).standard_normal(w.size)
    e = 1e-6
    difference = (leap(w + e * direction)[0] - leap(w - e * direction)[0]) / (2.0 * e)
    return abs(value_and_gradient[1] @ direction - difference) / abs(difference)


def main():
    leap = Leap()
    w = 0.05 * np.random.default_rng(3).standard_normal(leap.model.nu * STEPS)
    start, _ = leap.trajectory(w)
    folder = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ".")
    leap.record(w, folder / "leap_start.dsrec")
    print(f"gradient against a difference: relative error {check_gradient(leap, w, leap(w)):.1e}")
    leap.evaluations = 0
    values = []
    for value, best in minimize(leap, w, 80):
        values.append(value)
        if len(values) % 10 == 0:
            print(f"iteration {len(values):3d}: {value:.6f}")
    q, _ = leap.trajectory(best)
    miss = np.linalg.norm(q[:2, -1] - GOAL)
    print(f"{leap.evaluations} rollouts with gradient; the torso ends {miss:.4f} m from its goal")

    leap.record(best, folder / "leap.dsrec")
    path = folder / "leap.svg"
    t = TIME_STEP * np.arange(STEPS + 1)
    panels = [
        ("height of the torso above its stand [m]", t, {"found": q[1], "at first": start[1]}),
        ("way forward [m]", t, {"found": q[0], "at first": start[0]}),
        ("value by iteration, log10", np.arange(1, len(values) + 1), {"value": np.log10(values)}),
    ]
    lines(path, panels)
    print(f"wrote {path}")
    return 0 if miss < 0.05 else 1


if __name__ == "__main__":
    sys.exit(main())
