"""Find when, and how hard, the cables of an arm should pull.

Seven cables bend around cylinders at the three joints of an arm (models/cable_arm.xml) and can only pull. The arm hangs at
first. Its tip should pass a point behind it after 0.4 s and rest at a point in front of it from 0.9 s to the end at 1 s. The unknowns are
the activations, 7 cables × 200 steps of 5 ms. The rollout uses BDF2, which is of second order and stable with stiff cables. Its adjoint
gives the gradient by all 1400 unknowns at once, through the wrapping, through cables that become taut and slack, and through BDF2's memory
of the step before. L-BFGS (Nocedal and Wright, Numerical Optimization, 7.2) follows it. At the end the same pulls run with steps a tenth as
long, which shows the accuracy of steps of 5 ms, and with symplectic Euler for comparison.

usage: python cable_arm.py [FOLDER]      writes cable_arm.svg and cable_arm.dsrec there (default: the working directory)
"""

import pathlib
import sys

import numpy as np

import diffsim
from svg import lines

MODEL = pathlib.Path(__file__).resolve().parents[1] / "models" / "cable_arm.xml"
STEPS, TIME_STEP = 200, 0.005
VIA, GOAL = np.array([-0.35, -0.45]), np.array([0.5, 0.05])  # x, z [m]
AT_VIA, FROM = 80, 180  # steps
EFFORT, SPEED = 1e-4, 1e-5
LENGTHS = np.array([0.3, 0.25, 0.15])  # of the links, to the tip [m]
ITERATIONS, MEMORY = 200, 20


def tip(q):
    """Position x, z of the tip [m] and its Jacobian by q."""
    angle = np.cumsum(q)
    place = -np.array([LENGTHS @ np.sin(angle), LENGTHS @ np.cos(angle)])
    by_angle = np.array([-LENGTHS * np.cos(angle), LENGTHS * np.sin(angle)])
    return place, np.cumsum(by_angle[:, ::-1], axis=1)[:, ::-1]


class Reach:
    """Distance of the tip from its targets, plus a little effort, as a function of w: activations are 1 / (1 + exp(−w))."""

    def __init__(self, model, integrator="bdf2", parts=1):
        self.model = model
        self.parts = parts
        options = {"time_step": TIME_STEP / parts, "contact": "none", "integrator": integrator}
        self.rollout = diffsim.Rollout(model, STEPS * parts, **options)

    def run(self, w):
        """Activations at the ends of steps of 5 ms, and the states there. Steps may be made in parts, between which the activations
        are straight lines."""
        u = 1.0 / (1.0 + np.exp(-w.reshape(self.model.nu, STEPS)))
        ends, between = np.arange(1, STEPS + 1), np.arange(1, STEPS * self.parts + 1) / self.parts
        inputs = np.array([np.interp(between, ends, pulls) for pulls in u], order="F")
        q, v = self.rollout.run(self.model.neutral(), np.zeros(self.model.nv), inputs)
        return u, q[:, :: self.parts], v[:, :: self.parts]

    def path(self, w):
        """Of the tip [m]: one row a step."""
        return np.array([tip(q)[0] for q in self.run(w)[1].T])

    def __call__(self, w):
        """Cost and gradient."""
        u, q, v = self.run(w)
        cost, q_bar, v_bar = EFFORT * np.sum(u * u), np.zeros_like(v), np.zeros_like(v)
        for k in (AT_VIA, *range(FROM, STEPS + 1)):
            place, jacobian = tip(q[:, k])
            weight = 20.0 if k == AT_VIA else 2.0
            miss = place - (VIA if k == AT_VIA else GOAL)
            cost += weight * miss @ miss
            q_bar[:, k] = 2.0 * weight * jacobian.T @ miss
            if k >= FROM:
                cost += 0.01 * v[:, k] @ v[:, k]
                v_bar[:, k] = 0.02 * v[:, k]
        cost, v_bar = cost + SPEED * np.sum(v * v), v_bar + 2.0 * SPEED * v
        gradient = self.rollout.adjoint(q_bar, v_bar).u + 2.0 * EFFORT * u
        return cost, (gradient * u * (1.0 - u)).ravel()


def descend(function, w):
    """L-BFGS with backtracking: w of the least cost, and the costs."""
    cost, gradient = function(w)
    costs, pairs = [cost], []
    for _ in range(ITERATIONS):
        direction, alphas = -gradient, []
        for s, y in reversed(pairs):
            alphas.append(s @ direction / (s @ y))
            direction = direction - alphas[-1] * y
        if pairs:
            s, y = pairs[-1]
            direction = direction * (s @ y) / (y @ y)
        for (s, y), alpha in zip(pairs, reversed(alphas)):
            direction = direction + (alpha - y @ direction / (s @ y)) * s
        length = min(1.0, 5.0 / np.abs(direction).max())
        while True:
            try:
                tried = function(w + length * direction)
            except diffsim.NotConvergedError:
                tried = (np.inf, gradient)
            if tried[0] <= cost + 1e-4 * length * (gradient @ direction) or length < 1e-10:
                break
            length *= 0.5
        if length < 1e-10:
            break
        step, turn = length * direction, tried[1] - gradient
        w, (cost, gradient) = w + step, tried
        costs.append(cost)
        if step @ turn > 1e-12 * (turn @ turn):
            pairs = [*pairs[1 - MEMORY :], (step, turn)]
    return w, costs


def slope_errors(function, w, random):
    """Of the function along five random directions: adjoint and central difference, relative."""
    cost, gradient = function(w)
    for _ in range(5):
        direction = random.normal(size=w.size)
        difference = (function(w + 1e-7 * direction)[0] - function(w - 1e-7 * direction)[0]) / 2e-7
        yield abs(gradient @ direction - difference) / np.linalg.norm(gradient * direction)


def main():
    model = diffsim.Model.load(MODEL)
    reach = Reach(model)
    start = np.full(model.nu * STEPS, -3.0)
    random = np.random.default_rng(1)
    print(f"slopes by the adjoint and by differences differ by {max(slope_errors(reach, start, random)):.1e} at the start")
    w, costs = descend(reach, start)
    print(f"and by {max(slope_errors(reach, w, random)):.1e} at the end, where the adjoint is {reach.rollout.gradient().name}")
    print("iteration        cost")
    for k in sorted({0, 1, 2, 5, 10, 20, 40, len(costs) - 1}):
        if k < len(costs):
            print(f"{k:9d}  {costs[k]:10.6f}")

    u, _, v = reach.run(w)
    place, fine = reach.path(w), Reach(model, parts=10).path(w)
    misses = np.linalg.norm(place[AT_VIA] - VIA), np.linalg.norm(place[FROM:] - GOAL, axis=1).max()
    print(f"passes {1e3 * misses[0]:.1f} mm from the point behind, stays within {1e3 * misses[1]:.1f} mm of the one before")
    print(f"up to {np.abs(v).max():.0f} rad/s. Farthest from the path of steps of 0.5 ms:")
    for name in ("bdf2", "bdf1", "symplectic_euler"):
        print(f"    {name:17s}{1e3 * np.linalg.norm(Reach(model, name).path(w) - fine, axis=1).max():7.1f} mm")

    folder = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ".")
    recorder = diffsim.Recorder(model)
    recorder.rollout(reach.rollout)
    recorder.save(folder / "cable_arm.dsrec")
    time = TIME_STEP * np.arange(STEPS + 1)
    pulls = {name: np.round(u[model.actuator_id(name)], 4) for name in ("shoulder_front", "shoulder_back", "elbow_front", "biceps")}
    panels = [
        ("cost by iteration, log10", np.arange(len(costs)), {"cost": np.round(np.log10(costs), 5)}),
        ("tip [m]", time, {"x": np.round(place[:, 0], 5), "z": np.round(place[:, 1], 5)}),
        ("activations", time[:-1], pulls),
    ]
    lines(folder / "cable_arm.svg", panels)
    print(f"wrote {folder / 'cable_arm.svg'}")
    return 0 if max(misses) < 0.02 else 1


if __name__ == "__main__":
    sys.exit(main())
