"""Batch rollouts: how hard a push does the standing quadruped survive, on which floor?

256 robots stand on floors of different friction and are pushed sideways for 50 ms by different
impulses. After 1.5 s the program counts the robots whose trunk is still up. One `Batch` steps all of
them, on all cores; a bar shows the progress.

usage: python push_survey.py [COUNT [FOLDER]]      records the least and the most pushed robot there (default: target)
"""

import pathlib
import sys
import time

import numpy as np

import diffsim

MODEL = pathlib.Path(__file__).resolve().parents[1] / "models" / "quadruped.xml"
TIME_STEP, SECONDS, PUSHED = 0.002, 1.5, 0.05
IMPULSES = np.linspace(2.0, 30.0, 8)  # [N s]
FRICTIONS = np.array([0.2, 0.4, 0.8, 1.2])


def progress(items, title):
    """The items one by one, with a bar on the terminal's error stream."""
    start, count = time.perf_counter(), len(items)
    for i, item in enumerate(items):
        yield item
        done = (i + 1) / count
        if (i + 1) % max(1, count // 50) == 0 or done == 1.0:
            bar = "#" * int(30 * done)
            print(
                f"\r{title} [{bar:<30}] {100 * done:3.0f} % {time.perf_counter() - start:5.1f} s",
                end="",
                file=sys.stderr,
            )
    print(file=sys.stderr)


def prepare(model, count, impulses, frictions):
    """A batch with a push and a floor for each element."""
    batch = diffsim.Batch(model, count, time_step=TIME_STEP, derivatives=0)
    # A contact has the larger friction of its two geoms: set all, not the floor's only.
    sliding = [diffsim.Param(diffsim.ParamKind.GEOM_FRICTION, g, 0) for g in range(model.ngeom)]
    batch.select_params(sliding)
    trunk = model.body_id("trunk")
    for i in range(count):
        batch.set_params(i, np.full(model.ngeom, frictions[i]))
        batch.set_external_wrench(i, trunk, [0.0, impulses[i] / PUSHED, 0.0, 0.0, 0.0, 0.0])
    return batch, trunk


def main():
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 256
    model = diffsim.Model.load(MODEL)
    random = np.random.default_rng(0)
    impulse_index, friction_index = random.integers(0, 8, count), random.integers(0, 4, count)
    batch, trunk = prepare(model, count, IMPULSES[impulse_index], FRICTIONS[friction_index])

    q, v, u = (np.repeat(x[:, None], count, axis=1) for x in model.keyframe("standing"))
    q, v, u = (np.asfortranarray(x) for x in (q, v, u))
    # Small differences at the start, as between real robots.
    for i in range(count):
        q[:, i] = model.integrate(q[:, i], np.r_[np.zeros(6), 0.02 * random.standard_normal(12)])
    each, failed = np.zeros(count, np.int32), np.zeros(count, bool)
    ends = {"least": int(np.argmin(impulse_index)), "most": int(np.argmax(impulse_index))}
    recorders = {name: diffsim.Recorder(model) for name in ends}
    start = time.perf_counter()
    for step in progress(range(int(SECONDS / TIME_STEP)), f"{count} robots"):
        if step == int(PUSHED / TIME_STEP):
            for i in range(count):
                batch.set_external_wrench(i, trunk, np.zeros(6))
        batch.step(q, v, u, out=(q, v), each=each)
        failed |= each != 0
        for name, element in ends.items():
            recorders[name].batch_step(batch, element)
    seconds = time.perf_counter() - start
    folder = pathlib.Path(sys.argv[2] if len(sys.argv) > 2 else "target")
    for name, recorder in recorders.items():
        recorder.save(folder / f"push_survey_{name}.dsrec")

    # Its own z axis in the world's z, from the quaternion (x y z w).
    upright = 1.0 - 2.0 * (q[3] ** 2 + q[4] ** 2)
    stands = (upright > 0.9) & (q[2] > 0.2)
    steps = count * int(SECONDS / TIME_STEP)
    print(
        f"{steps} steps, {1e6 * seconds / steps:.1f} us each with {batch.threads} threads, {failed.sum()} robots failed"
    )
    print("standing after the push, by impulse [N s] and friction:")
    print("          " + "".join(f"{f:>9.1f}" for f in FRICTIONS))
    for i, impulse in enumerate(IMPULSES):
        cells = []
        for j in range(len(FRICTIONS)):
            here = (impulse_index == i) & (friction_index == j)
            cells.append(f"{stands[here].sum():>5d}/{here.sum():<3d}")
        print(f"{impulse:9.1f} " + "".join(cells))
    weak, strong = stands[impulse_index <= 1].mean(), stands[impulse_index >= 6].mean()
    return 0 if not failed.any() and weak > strong else 1


if __name__ == "__main__":
    sys.exit(main())
