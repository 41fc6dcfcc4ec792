"""A search beyond active contacts: a worm that lies on the ground should raise its head as high as it can.

The unknowns are the motor inputs of 0.6 s (2 motors, 150 steps), zero at first. The weight of the worm holds its four
balls on the ground, and a small torque changes only the ground's forces. So the exact gradient of the head's height is
zero, and a descent along it does not move. With `aware_gradient` the adjoint lets go, step by step, the contacts that
the height pulls open (docs/gradients.md). Adam (Kingma and Ba, 2015) follows three gradients, everything else equal:
the exact one, the aware one, and first the aware one, then the exact one.

usage: python jump_worm.py [FOLDER]      writes jump_worm.svg, jump_worm_start.dsrec and jump_worm.dsrec there
(default: the working directory)
"""

import pathlib
import sys

import numpy as np

import diffsim
from svg import lines

MODEL = pathlib.Path(__file__).resolve().parents[1] / "models" / "worm.xml"
STEPS, TIME_STEP = 150, 0.004
LENGTH = 0.3  # of a link [m]
EFFORT = 1e-4
STAGES = ((40, 0.1), (120, 0.05))  # iterations of Adam and their rate; the second begins anew at the best of the first


class Worm:
    """The height of the head at the end above where it lies, by inputs u = tanh w."""

    def __init__(self, model, aware):
        self.model = model
        self.rollout = diffsim.Rollout(model, STEPS, time_step=TIME_STEP, aware_gradient=int(aware))

    def run(self, w):
        u = np.asfortranarray(np.tanh(w))
        return u, *self.rollout.run(self.model.neutral(), np.zeros(self.model.nv), u)

    def __call__(self, w):
        """Height [m], gradient of its negative and a little effort, steps with another gradient than the exact one."""
        u, q, v = self.run(w)
        angle = np.cumsum(q[2:, -1])
        height = q[1, -1] - LENGTH * np.sum(np.sin(angle))
        q_bar = np.zeros_like(v)
        q_bar[1, -1] = -1.0
        q_bar[2:, -1] = LENGTH * np.cumsum(np.cos(angle)[::-1])[::-1]
        gradient = self.rollout.adjoint(q_bar, np.zeros_like(v)).u + 2.0 * EFFORT * TIME_STEP * u
        return height, gradient * (1.0 - u * u), self.rollout.aware_report()[0]


def search(functions):
    """Adam along one function's gradient a stage. By iteration the best height so far and how many steps took another
    gradient than the exact one; and w of the best."""
    found, best, heights, others = np.zeros((2, STEPS)), -np.inf, [], []
    for function, (iterations, rate) in zip(functions, STAGES):
        w, mean, square = found, np.zeros_like(found), np.zeros_like(found)
        for k in range(1, iterations + 1):
            height, gradient, other = function(w)
            if height > best:
                best, found = height, w
            heights.append(best)
            others.append(other)
            mean = 0.9 * mean + 0.1 * gradient
            square = 0.99 * square + 0.01 * gradient**2
            w = w - rate * mean / (1.0 - 0.9**k) / (np.sqrt(square / (1.0 - 0.99**k)) + 1e-8)
    return heights, others, found


def main():
    model = diffsim.Model.load(MODEL)
    exact, aware = Worm(model, False), Worm(model, True)
    rest = np.zeros((2, STEPS))
    norms = [np.linalg.norm(worm(rest)[1]) for worm in (exact, aware)]
    print(f"at rest: the exact gradient has norm {norms[0]:.1e}, the aware one {norms[1]:.1e}")
    plans = {"exact": (exact, exact), "aware": (aware, aware), "aware, then exact": (aware, exact)}
    runs = {name: search(functions) for name, functions in plans.items()}
    iterations = sum(n for n, _ in STAGES)
    print("best height of the head so far [m], and how many steps took another gradient than the exact one")
    print("iteration  " + "".join(f"{name:>24}" for name in runs))
    for k in (1, 5, 10, 20, 40, 60, 80, 120, 160):
        print(f"{k:9d}  " + "".join(f"{max(h[k - 1], 0.0):17.4f} ({o[k - 1]:4d})" for h, o, _ in runs.values()))

    folder = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ".")
    best = max(runs, key=lambda name: runs[name][0][-1])
    for name, w in (("jump_worm_start", rest), ("jump_worm", runs[best][2])):
        _, q, _ = exact.run(w)
        recorder = diffsim.Recorder(model)
        recorder.rollout(exact.rollout)
        recorder.save(folder / f"{name}.dsrec")
    joints = q[1] - LENGTH * np.cumsum(np.sin(np.cumsum(q[2:], axis=0)), axis=0)
    balls = np.round([q[1], *joints], 6) + 0.0
    heights = dict(zip(("tail", "rear joint", "front joint", "head"), balls))
    best_so_far = {name: np.round(run[0], 6) + 0.0 for name, run in runs.items()}
    panels = [
        ("best height of the head by iteration [m]", np.arange(1, iterations + 1), best_so_far),
        ("heights of the best, above where it lies [m]", TIME_STEP * np.arange(STEPS + 1), heights),
    ]
    lines(folder / "jump_worm.svg", panels)
    print(f"highest with \"{best}\"; its lowest ball gets up to {balls.min(axis=0).max():.3f} m off the ground")
    print(f"wrote {folder / 'jump_worm.svg'}")
    stuck = runs["exact"][0][-1] < 1e-6
    return 0 if stuck and min(runs[name][0][-1] for name in ("aware", "aware, then exact")) > 0.3 else 1


if __name__ == "__main__":
    sys.exit(main())
