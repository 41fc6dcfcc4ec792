"""Two arms open a jar of marbles, pour them into a bowl, put the empty jar back and close it.

The task of Castro, Permenter and Han, "An unconstrained convex formulation of compliant contact", section VI-E, with
arms, jar, lid and bowl modelled here. Each arm has three joints and a gripper of two pads. Pads, lid and jar meet in
faces, all else in points; steps of 5 ms.

usage: python jar.py [SECONDS [FILE]]      13 s by default; writes a recording with faces coloured by pressure
"""

import sys
import time

import numpy as np

import diffsim

STEP, MARBLES, RADIUS = 0.005, 16, 0.011
#: Half width inside and half height of the jar, half thickness of its walls, and the place of the bowl [m].
INSIDE, HALF, WALL, BOWL = 0.04, 0.06, 0.004, 0.3
#: Stiffness and damping of the arms' joints, along x and z and about y.
GAINS = np.array([[6000.0, 6000.0, 60.0], [400.0, 400.0, 3.0]])
HARD = dict(hydroelastic="rigid", resolution=0.02, friction=[0.6, 0, 0], dissipation=0.01)
SOFT = dict(hydroelastic="compliant", modulus=1e6, resolution=0.02, friction=[0.9, 0, 0], dissipation=0.01)

#: Time [s]; targets (x, z, angle) of the arm of the jar and of the arm of the lid; forces of their grips [N].
PLAN = [
    (0.0, (0, 0, 0), (0, 0, 0), (0, 0)),
    (0.3, (0, 0, 0), (0, 0, 0), (60, 12)),
    (0.8, (0, 0, 0), (0, 0, 0), (60, 12)),
    (1.6, (0, 0, 0), (0, 0.1, 0), (60, 12)),
    (2.6, (0, 0.14, 0), (-0.25, 0.1, 0), (60, 12)),
    (3.6, (BOWL - 0.07, 0.14, 0), (-0.25, 0.1, 0), (60, 12)),
    (5.2, (BOWL - 0.07, 0.14, 2.4), (-0.25, 0.1, 0), (60, 12)),
    (6.6, (BOWL - 0.07, 0.14, 2.4), (-0.25, 0.1, 0), (60, 12)),
    (7.8, (BOWL - 0.07, 0.14, 0), (-0.25, 0.1, 0), (60, 12)),
    (8.8, (0, 0.14, 0), (-0.25, 0.1, 0), (60, 12)),
    (9.8, (0, 0.0, 0), (-0.25, 0.1, 0), (60, 12)),
    (10.8, (0, 0.0, 0), (0, 0.1, 0), (60, 12)),
    (11.8, (0, 0.0, 0), (0, 0.001, 0), (60, 12)),
    (12.0, (0, 0.0, 0), (0, 0.001, 0), (0, 0)),
    (13.0, (0, 0.0, 0), (0, 0.001, 0), (-5, -5)),
]


def at(x, y, z):
    place = np.eye(4)
    place[:3, 3] = x, y, z
    return place


def solid(mass, half, centre=0.0):
    """Inertia of a box of this mass whose centre is at this height."""
    x, y, z = (mass / 3 * (np.sum(np.square(half)) - h * h) for h in half)
    lift = mass * centre * centre
    return [mass, 0, 0, mass * centre, x + lift, 0, y + lift, 0, 0, z]


def walls(builder, body, inside, half, **shape):
    """An open box around the origin of a body."""
    out = inside + WALL
    builder.add_geom(body, kind="box", size=[inside + 2 * WALL] * 2 + [WALL], placement=at(0, 0, WALL - half), **shape)
    for sign in (-1, 1):
        builder.add_geom(body, kind="box", size=[WALL, out + WALL, half], placement=at(sign * out, 0, 0), **shape)
        builder.add_geom(body, kind="box", size=[inside, WALL, half], placement=at(0, sign * out, 0), **shape)


def arm(builder, name, height, reach, pad):
    """Slides along x and z, a wrist about y, and two pads at ±`reach` along y. Inputs: joints, then pads."""
    x = builder.add_body(0, name=f"{name}_x", placement=at(0, 0, height), inertia=solid(1.0, [0.05] * 3))
    z = builder.add_body(x, name=f"{name}_z", placement=np.eye(4), inertia=solid(1.0, [0.05] * 3))
    wrist = builder.add_body(z, name=f"{name}_wrist", placement=np.eye(4), inertia=solid(0.5, [0.05] * 3))
    builder.add_joint(x, "prismatic", name=f"{name}_x", axis=[1, 0, 0])
    builder.add_joint(z, "prismatic", name=f"{name}_z", axis=[0, 0, 1])
    builder.add_joint(wrist, "revolute", name=f"{name}_wrist", axis=[0, 1, 0], armature=0.05)
    for side in (-1, 1):
        finger = builder.add_body(
            wrist, name=f"{name}_pad{side}", placement=at(0, side * (reach + 0.01), 0), inertia=solid(0.1, pad)
        )
        builder.add_joint(finger, "prismatic", name=f"{name}_pad{side}", axis=[0, -side, 0], damping=20.0)
        builder.add_geom(finger, kind="box", name=f"{name}_pad{side}", size=pad, contype=2, conaffinity=1, **SOFT)


def scene():
    builder = diffsim.Builder()
    builder.set_actuation("joints")
    builder.add_geom(0, kind="plane", name="table", friction=[0.6, 0, 0], dissipation=0.01)
    for sign in (-1, 1):
        rim = dict(kind="box", friction=[0.6, 0, 0], dissipation=0.01)
        builder.add_geom(0, size=[0.005, 0.1, 0.03], placement=at(BOWL + sign * 0.095, 0, 0.03), **rim)
        builder.add_geom(0, size=[0.09, 0.005, 0.03], placement=at(BOWL, sign * 0.095, 0.03), **rim)
    arm(builder, "jar", HALF, INSIDE + 2 * WALL + 0.008, [0.02, 0.008, 0.03])
    arm(builder, "lid", 2 * HALF + 0.02, 0.016, [0.01, 0.008, 0.01])
    jar = builder.add_body(0, name="jar", placement=at(0, 0, HALF), inertia=solid(0.3, [INSIDE, INSIDE, HALF]))
    builder.add_joint(jar, "free", name="jar")
    walls(builder, jar, INSIDE, HALF, contype=1, conaffinity=3, **HARD)
    lid = builder.add_body(0, name="lid", placement=at(0, 0, 2 * HALF), inertia=solid(0.05, [0.04, 0.04, 0.004]))
    builder.add_joint(lid, "free", name="lid")
    cover = dict(SOFT, friction=[0.4, 0, 0], contype=1, conaffinity=1)
    for name, half, size, z in (("cover", INSIDE + 2 * WALL, 0.003, 0.003), ("plug", INSIDE - 0.002, 0.004, -0.004)):
        builder.add_geom(lid, kind="box", name=name, size=[half, half, size], placement=at(0, 0, z), **cover)
    knob = dict(HARD, friction=[0.9, 0, 0], contype=1, conaffinity=3)
    builder.add_geom(lid, kind="box", name="knob", size=[0.008, 0.008, 0.012], placement=at(0, 0, 0.018), **knob)
    turn = 0.4 * 0.05 * RADIUS**2
    for i in range(MARBLES):
        column, level = i % 4, i // 4
        place = at(0.018 * (2 * (column % 2) - 1), 0.018 * (2 * (column // 2) - 1), 0.022 + 0.023 * level)
        place[0, 3] += 0.002 * (level % 2)
        inertia = [0.05, 0, 0, 0, turn, 0, turn, 0, 0, turn]
        ball = builder.add_body(0, name=f"marble{i}", placement=place, inertia=inertia)
        builder.add_joint(ball, "free", name=f"marble{i}")
        builder.add_geom(ball, kind="sphere", size=[RADIUS, 0, 0], friction=[0.4, 0, 0], dissipation=0.01)
    return builder.build()


def wanted(now):
    """Targets of both arms and the forces of their grips at a time."""
    times = [entry[0] for entry in PLAN]
    columns = np.array([np.concatenate(entry[1:]) for entry in PLAN], dtype=float)
    return np.array([np.interp(now, times, column) for column in columns.T])


def run(variant="lagged", seconds=PLAN[-1][0], path=None):
    """Marbles in the bowl, places of the jar and of the lid, mean time of a step [s], and most contacts."""
    model = scene()
    sim = diffsim.Sim(
        model, contact="convex", time_step=STEP, convex_variant=variant, max_contacts=4000, derivatives=0
    )
    recorder = diffsim.Recorder(model) if path else None
    q, v = model.neutral(), np.zeros(model.nv)
    spent, contacts = [], 0
    for i in range(int(seconds / STEP)):
        goal, u = wanted(i * STEP), np.zeros(model.nu)
        for side in range(2):
            dofs = slice(5 * side, 5 * side + 3)
            u[dofs] = GAINS[0] * (goal[3 * side : 3 * side + 3] - q[dofs]) - GAINS[1] * v[dofs]
            u[5 * side + 1] += 9.81 * 1.7
            u[5 * side + 3 : 5 * side + 5] = goal[6 + side]
        start = time.perf_counter()
        q, v = sim.step(q, v, u)
        spent.append(time.perf_counter() - start)
        contacts = max(contacts, len(sim.contacts()))
        if recorder is not None:
            recorder.patches(sim, largest=5e4)
            recorder.step(sim)
    if recorder is not None:
        recorder.save(path)
    place = {name: q[model.nq - 7 * (MARBLES + 2 - k) :][:3] for k, name in enumerate(("jar", "lid"))}
    balls = q[model.nq - 7 * MARBLES :].reshape(MARBLES, 7)[:, :3]
    inside = int(np.sum((abs(balls[:, 0] - BOWL) < 0.09) & (abs(balls[:, 1]) < 0.09) & (balls[:, 2] < 0.1)))
    return inside, place["jar"], place["lid"], float(np.mean(spent)), contacts


def main(seconds=PLAN[-1][0], path=None):
    print("| friction | marbles in the bowl | jar at | lid at | mean step | most contacts |")
    print("|---|---|---|---|---|---|")
    results = {}
    for variant in ("sap", "lagged"):
        results[variant] = run(variant, float(seconds), path if variant == "lagged" else None)
        inside, jar, lid, spent, contacts = results[variant]
        places = " | ".join("({:.3f}, {:.3f}, {:.3f}) m".format(*place) for place in (jar, lid))
        print(f"| {variant} | {inside} of {MARBLES} | {places} | {1e3 * spent:.2f} ms | {contacts} |")
    return results


if __name__ == "__main__":
    main(*sys.argv[1:])
