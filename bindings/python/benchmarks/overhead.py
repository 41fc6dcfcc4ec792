"""What a step costs more from Python than inside the library.

usage: python overhead.py MODEL.xml

Both run the same steps from the model's first keyframe: once `Sim.step` in a Python loop, once
`Rollout.run`, whose loop is in the library. They take turns; of each the fastest run counts.
"""

import sys
import time

import numpy as np

import diffsim

STEPS, REPETITIONS = 200, 60


def seconds(work):
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def measure(path):
    """Seconds a step: from Python into new arrays, from Python in place, inside the library."""
    model = diffsim.Model.load(path)
    q0, v0, u0 = model.keyframe(model.keyframe_names[0])
    sim = diffsim.Sim(model, derivatives=0)
    rollout = diffsim.Rollout(model, STEPS, derivatives=0)
    inputs = np.repeat(u0[:, None], STEPS, axis=1)
    q, v = np.zeros(model.nq), np.zeros(model.nv)
    trajectory = rollout.run(q0, v0, inputs)

    def new_arrays():
        sim.reset()
        x, y = q0, v0
        for _ in range(STEPS):
            x, y = sim.step(x, y, u0)

    def in_place():
        sim.reset()
        q[:], v[:] = q0, v0
        for _ in range(STEPS):
            sim.step(q, v, u0, out=(q, v))

    def library():
        rollout.run(q0, v0, inputs, out=trajectory)

    times = [[seconds(work) for work in (new_arrays, in_place, library)] for _ in range(REPETITIONS)]
    return np.min(times, axis=0) / STEPS


if __name__ == "__main__":
    new, place, inside = 1e6 * measure(sys.argv[1])
    print(f"a step: {new:.2f} us from Python, {place:.2f} us in place, {inside:.2f} us inside the library")
    print(f"overhead: {new - inside:.2f} us, in place {place - inside:.2f} us")
