"""Balls and boxes fall into a container: how long a step takes, and how well it is solved.

The scene of Castro, Permenter and Han, "An unconstrained convex formulation of compliant contact", section VI-C: four
columns of bodies of 0.1 m above a container of 0.8 m, nearly rigid contact, friction 1, steps of 10 ms.

usage: python clutter.py [BODIES ... [FILE]]      40 80 160 by default; writes a recording of the last run
"""

import sys
import time

import numpy as np

import diffsim

STEP, SECONDS, DENSITY = 0.01, 10.0, 1000.0
#: Lagged friction is Drake's default.
VARIANTS = ("sap", "lagged")


def container(bodies):
    rng = np.random.default_rng(7)
    shape = dict(stiffness=2e12, dissipation=0.5 * STEP, friction=[1.0, 0, 0])
    builder = diffsim.Builder()
    builder.add_geom(0, kind="plane", name="floor", **shape)
    for k, (x, y) in enumerate(((0.45, 0), (-0.45, 0), (0, 0.45), (0, -0.45))):
        place = np.eye(4)
        place[:3, 3] = x, y, 0.4
        size = [0.05, 0.5, 0.4] if x else [0.5, 0.05, 0.4]
        builder.add_geom(0, kind="box", name=f"wall{k}", size=size, placement=place, **shape)
    for i in range(bodies):
        place = np.eye(4)
        column, level = i % 4, i // 4
        place[:3, 3] = 0.2 * (column % 2) - 0.1, 0.2 * (column // 2) - 0.1, 0.1 + 0.12 * level
        place[:2, 3] += 0.01 * rng.uniform(-1, 1, 2)
        is_ball = rng.uniform() < 0.5
        mass = DENSITY * (4 / 3 * np.pi * 0.05**3 if is_ball else 0.1**3)
        turn = 0.4 * mass * 0.05**2 if is_ball else mass * 0.1**2 / 6
        body = builder.add_body(
            0, name=f"body{i}", placement=place, inertia=[mass, 0, 0, 0, turn, 0, turn, 0, 0, turn]
        )
        builder.add_joint(body, "free", name=f"free{i}")
        if is_ball:
            builder.add_geom(body, kind="sphere", name=f"geom{i}", size=[0.05, 0, 0], **shape)
        else:
            builder.add_geom(body, kind="box", name=f"geom{i}", size=[0.05] * 3, **shape)
    return builder.build()


def run(bodies, variant, seconds=SECONDS, path=None):
    model = container(bodies)
    sim = diffsim.Sim(
        model, contact="convex", time_step=STEP, convex_variant=variant, derivatives=0, max_contacts=20 * bodies
    )
    recorder = diffsim.Recorder(model) if path else None
    q, v = model.neutral(), np.zeros(model.nv)
    times, iterations, unsolved = [], [], 0
    for _ in range(int(seconds / STEP)):
        start = time.perf_counter()
        q, v = sim.step(q, v)
        times.append(time.perf_counter() - start)
        info = sim.info()
        iterations.append(info.iterations)
        unsolved += not info.converged
        if recorder is not None:
            recorder.step(sim)
    if recorder is not None:
        recorder.save(path)
    half = len(times) // 2
    return dict(
        contacts=sim.info().contacts,
        falling=1000 * float(np.mean(times[:half])),
        settled=1000 * float(np.mean(times[half:])),
        iterations=float(np.mean(iterations)),
        unsolved=unsolved,
        speed=float(np.abs(v).max()),
        inside=bool(all(abs(q[7 * i]) < 0.5 and abs(q[7 * i + 1]) < 0.5 for i in range(bodies))),
    )


def main(counts=(40, 80, 160), path=None, seconds=SECONDS):
    print("| bodies | friction | contacts | step, falling | step, at rest | iterations | unsolved | speed at the end |")
    print("|---|---|---|---|---|---|---|---|")
    table = []
    for bodies in counts:
        for variant in VARIANTS:
            last = bodies == counts[-1] and variant == VARIANTS[-1]
            r = run(bodies, variant, seconds, path if last else None)
            table.append(r)
            print(
                f"| {bodies} | {variant} | {r['contacts']} | {r['falling']:.2f} ms | {r['settled']:.2f} ms "
                f"| {r['iterations']:.1f} | {r['unsolved']} | {r['speed']:.1e} |"
            )
    return table


if __name__ == "__main__":
    counts = tuple(int(a) for a in sys.argv[1:] if a.isdigit()) or (40, 80, 160)
    files = [a for a in sys.argv[1:] if not a.isdigit()]
    main(counts, files[0] if files else None)
