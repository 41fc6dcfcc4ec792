"""Replays a policy that shac.py has learned, with numpy alone, and records it.

    python examples/python/learning/play.py HopperSmooth hopper target
    python examples/python/learning/play.py CartPoleSwingUp my_policy.npz target

The policy is a file of shac.py's --policy; `hopper` is the one beside this program. It was learned in 600,000
steps of the environment (seed 2).
"""

import pathlib
import sys

import numpy as np

import diffsim
import diffsim.gym

HERE = pathlib.Path(__file__).resolve().parent


class Policy:
    """The mean of a policy: a network on normalized observations."""

    def __init__(self, path):
        data = np.load(path)
        self.mean, self.spread = data["mean"], np.sqrt(data["variance"] + 1e-5)
        count = sum(name.startswith("weight") for name in data)
        self.layers = [(data[f"weight{i}"], data[f"bias{i}"]) for i in range(count)]

    def __call__(self, seen):
        x = np.clip((seen - self.mean) / self.spread, -10.0, 10.0)
        for w, b in self.layers[:-1]:
            x = x @ w + b
            x = np.where(x > 0.0, x, np.expm1(np.minimum(x, 0.0)))
        w, b = self.layers[-1]
        return np.tanh(x @ w + b)


def play(task, policy, sim, recorder):
    """Return, steps and distance of an episode, which ends where the task that counts ends it."""
    judge = getattr(diffsim.gym, type(task).__name__.removesuffix("Smooth"))()
    q, v = task.reset(np.random.default_rng(0))
    first, total = q[0], 0.0
    dt = task.frame_skip * sim.options["time_step"]
    for step in range(task.max_episode_steps):
        recorder.state(step * dt, q)
        action = np.clip(policy(task.observe(q[None], v[None])), task.low, task.high)
        before = q[None], v[None]
        for _ in range(task.frame_skip):
            q, v = sim.step(q, v, task.control(action)[0])
        total += float(judge.reward(before, (q[None], v[None]), action, dt)[0])
        if judge.ends(q[None], v[None])[0]:
            break
    return total, step + 1, q[0] - first


if __name__ == "__main__":
    name, file, out = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3])
    task = getattr(diffsim.gym, name)()
    policy = Policy(HERE / "hopper.npz" if file == "hopper" else file)
    recorder = diffsim.Recorder(task.model)
    total, steps, distance = play(task, policy, diffsim.Sim(task.model, integrator="symplectic_euler"), recorder)
    path = out / f"learned_{name.removesuffix('Smooth').lower()}.dsrec"
    recorder.save(path)
    print(f"return {total:.0f} in {steps} steps, {distance:.1f} m; wrote {path}")
