"""A throw that ends after two bounces: the arm of a catapult should bring its ball to a point in the air.

The unknowns are the motor's inputs of the first 0.4 s of 1.6 s (100 of 400 steps). The ball leaves the pan, flies, and
bounces on the ground twice (restitution 0.6). The function is its distance from the goal at the end. One adjoint gives its
gradient through the whole motion. Adam (Kingma and Ba, 2015) follows the exact gradient and the one of `aware_gradient`
(docs/gradients.md), from a weak throw, a firm throw and from rest, everything else equal.

usage: python catapult.py [FOLDER]      writes catapult.svg, catapult_start.dsrec and catapult.dsrec there
(default: the working directory)
"""

import pathlib
import sys

import numpy as np

import diffsim
from svg import lines

MODEL = pathlib.Path(__file__).resolve().parents[1] / "models" / "catapult.xml"
STEPS, DRIVEN, TIME_STEP = 400, 100, 0.004
BALL = np.array([-0.6, 0.59])  # where it lies in the pan: x and z [m]
GOAL = np.array([4.0, 0.3])
RESTITUTION = 0.6
STAGES = ((60, 0.03), (60, 0.01), (60, 0.003))  # iterations of Adam and their rate; each begins anew at the best so far


class Throw:
    """The distance of the ball from its goal at the end, by inputs u = tanh w."""

    def __init__(self, model, aware):
        self.model = model
        self.rollout = diffsim.Rollout(model, STEPS, time_step=TIME_STEP, aware_gradient=int(aware))
        bounce = diffsim.Param(diffsim.ParamKind.GEOM_RESTITUTION, model.geom_id("ball"), 0)
        self.rollout.select_params([bounce])
        self.rollout.params = [RESTITUTION]

    def run(self, w):
        u = np.zeros((1, STEPS), order="F")
        u[0, :DRIVEN] = np.tanh(w)
        return self.rollout.run(self.model.neutral(), np.zeros(self.model.nv), u)

    def __call__(self, w):
        """Distance [m], gradient of its square, steps with another gradient than the exact one."""
        q, v = self.run(w)
        miss = BALL + q[1:, -1] - GOAL
        q_bar = np.zeros_like(v)
        q_bar[1:, -1] = 2.0 * miss
        gradient = self.rollout.adjoint(q_bar, np.zeros_like(v)).u[0, :DRIVEN]
        return np.linalg.norm(miss), gradient * (1.0 - np.tanh(w) ** 2), self.rollout.aware_report()[0]


def search(function, w):
    """The least distance so far and how many steps took another gradient than the exact one, by iteration; w of the best."""
    found, best, distances, others = w, np.inf, [], []
    for iterations, rate in STAGES:
        w, mean, square = found, np.zeros_like(found), np.zeros_like(found)
        for k in range(1, iterations + 1):
            distance, gradient, other = function(w)
            if distance < best:
                best, found = distance, w
            distances.append(best)
            others.append(other)
            mean = 0.9 * mean + 0.1 * gradient
            square = 0.99 * square + 0.01 * gradient**2
            w = w - rate * mean / (1.0 - 0.9**k) / (np.sqrt(square / (1.0 - 0.99**k)) + 1e-8)
    return distances, others, found


def main():
    model = diffsim.Model.load(MODEL)
    exact, aware = Throw(model, False), Throw(model, True)
    starts = {"weak": np.full(DRIVEN, 0.3), "firm": np.full(DRIVEN, 0.5), "rest": np.zeros(DRIVEN)}
    runs = {f"{start}, {name}": search(f, w) for start, w in starts.items() for name, f in (("exact", exact), ("aware", aware))}
    iterations = sum(n for n, _ in STAGES)
    print("least distance so far [m], and in how many of the steps another gradient than the exact one was taken")
    print("iteration  " + "".join(f"{name:>20}" for name in runs))
    for k in (1, 10, 30, 60, 90, 120, 180):
        print(f"{k:9d}  " + "".join(f"{d[k - 1]:13.4f} ({o[k - 1]:4d})" for d, o, _ in runs.values()))

    folder = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ".")
    paths = {}
    for name, w in (("catapult_start", starts["weak"]), ("catapult", runs["weak, exact"][2])):
        paths[name] = exact.run(w)[0][1:] + BALL[:, None]
        recorder = diffsim.Recorder(model)
        recorder.rollout(exact.rollout)
        recorder.save(folder / f"{name}.dsrec")
    t = TIME_STEP * np.arange(STEPS + 1)
    start, found = paths["catapult_start"], paths["catapult"]
    panels = [
        ("least distance by iteration [m]", np.arange(1, iterations + 1), {k: runs[f"weak, {k}"][0] for k in ("exact", "aware")}),
        ("height of the ball [m]", t, {"found": found[1], "at first": start[1]}),
        ("way of the ball [m]", t, {"found": found[0], "at first": start[0]}),
    ]
    lines(folder / "catapult.svg", panels)
    miss = runs["weak, exact"][0][-1]
    print(f"from the weak throw the ball comes to {miss:.4f} m from its goal")
    print(f"wrote {folder / 'catapult.svg'}")
    return 0 if miss < 0.05 else 1


if __name__ == "__main__":
    sys.exit(main())
