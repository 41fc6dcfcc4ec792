"""A cylinder on a spring rolls on the ground: which scheme keeps its energy, and the order of its error.

The scene of Castro, Permenter and Han, "An unconstrained convex formulation of compliant contact", section VI-B: a
cylinder of 0.5 kg, a spring of 100 N/m, a contact of 1e4 N/m and 0.02 s, released 0.1 m beside the spring's rest.

usage: python oscillating_cylinder.py [FILE]      writes a recording of the midpoint rule there
"""

import sys

import numpy as np

import diffsim

MASS, RADIUS, STIFFNESS, START = 0.5, 0.05, 100.0, 0.1
SCHEMES = ("symplectic_euler_world", "midpoint", "implicit_euler")
GRAVITY = 9.81
#: How deep it rests in the ground.
DEPTH = MASS * GRAVITY / 1e4


def cylinder(friction, is_explicit):
    """A cylinder that slides along x and z and turns about y."""
    inertia = 0.5 * MASS * RADIUS**2
    builder = diffsim.Builder()
    builder.set_actuation("joints")
    shape = dict(stiffness=2e4, dissipation=0.01, friction=[friction, 0, 0])
    builder.add_geom(0, kind="plane", name="ground", **shape)
    # At rest; each geom has twice the stiffness of the contact.
    height = RADIUS - DEPTH
    place = np.eye(4)
    place[2, 3] = height
    body = builder.add_body(
        0, name="cylinder", placement=place, inertia=[MASS, 0, 0, 0, inertia, 0, inertia, 0, 0, inertia]
    )
    # Symplectic Euler takes the spring as a force at the start of the step, the others implicitly.
    builder.add_joint(body, "prismatic", name="x", axis=[1, 0, 0], stiffness=0.0 if is_explicit else STIFFNESS)
    builder.add_joint(body, "prismatic", name="z", axis=[0, 0, 1])
    builder.add_joint(body, "continuous", name="turn", axis=[0, 1, 0])
    # In the plane a ball touches as a cylinder does.
    builder.add_geom(body, kind="sphere", name="cylinder", size=[RADIUS, 0, 0], **shape)
    return builder.build()


def run(friction, scheme, step, seconds, recorder=None):
    """Times, places and total energies."""
    is_explicit = scheme.startswith("symplectic")
    model = cylinder(friction, is_explicit)
    sim = diffsim.Sim(model, contact="convex", integrator=scheme, time_step=step)
    recorder = None if recorder is None else recorder(model)
    q, v = np.array([START, 0.0, 0.0]), np.zeros(3)
    count = int(round(seconds / step))
    places, energies = np.zeros(count + 1), np.zeros(count + 1)
    inertia = 0.5 * MASS * RADIUS**2
    for i in range(count + 1):
        places[i] = q[0]
        moving = 0.5 * MASS * (v[0] ** 2 + v[1] ** 2) + 0.5 * inertia * v[2] ** 2
        energies[i] = moving + 0.5 * STIFFNESS * q[0] ** 2 + MASS * GRAVITY * q[1]
        q, v = sim.step(q, v, [-STIFFNESS * q[0] if is_explicit else 0.0, 0.0, 0.0])
        if recorder is not None:
            recorder.step(sim)
    return np.arange(count + 1) * step, places, energies, recorder


def error(step, scheme, reference):
    """Root mean square of the error of x over 5 s of rolling. The reference has steps of 1 ms."""
    _, x, _, _ = run(1.0, scheme, step, 5.0)
    every = int(round(step / 0.001))
    return float(np.sqrt(np.mean((x - reference[::every]) ** 2)))


def main(path=None):
    print("| scheme | band of energy, free | band, rolling | error at 20 ms | 10 ms | 5 ms |")
    print("|---|---|---|---|---|---|")
    table = {}
    reference = run(1.0, "midpoint", 0.001, 5.0)[1]
    for scheme in SCHEMES:
        bands = []
        for friction in (0.0, 1.0):
            _, _, energy, _ = run(friction, scheme, 0.02, 10.0)
            bands.append(float((energy.max() - energy.min()) / energy[0]))
        errors = [error(step, scheme, reference) for step in (0.02, 0.01, 0.005)]
        table[scheme] = (bands, errors)
        cells = [f"{100 * b:.2f} %" for b in bands] + [f"{1000 * e:.2f} mm" for e in errors]
        print(f"| {scheme} | " + " | ".join(cells) + " |")
    if path is not None:
        _, _, _, recorder = run(1.0, "midpoint", 0.02, 10.0, lambda model: diffsim.Recorder(model))
        recorder.save(path)
    return table


if __name__ == "__main__":
    main(*sys.argv[1:])
