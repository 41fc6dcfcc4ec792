"""A gripper with soft pads lets a spatula turn in its grip by the force with which it presses, and a peg resists a twist.

The scene of Castro, Permenter and Han, "An unconstrained convex formulation of compliant contact", section VI-D, with
pads and a spatula modelled here: the grip has a period of 6 s, three quarters at 16 N and one at 2 N; steps of 5 ms. Then a
peg in the same pads is twisted: faces resist by a torque, points do not.

usage: python slip_control.py [FILE]      writes a recording with faces coloured by pressure
"""

import sys

import numpy as np

import diffsim

STEP = 0.005
FIRM, LOOSE, PERIOD, LOOSE_SHARE = 16.0, 2.0, 6.0, 0.25
PADS = dict(hydroelastic="compliant", modulus=5e4, resolution=0.01, dissipation=0.01, friction=[0.8, 0, 0])


def pose(x, y, z):
    out = np.eye(4)
    out[:3, 3] = x, y, z
    return out


def grip(held, faces=True):
    """Two pads on slides, and a body between them that `held` adds."""
    pads = PADS if faces else dict(dissipation=0.01, stiffness=1e4, friction=[0.8, 0, 0])
    builder = diffsim.Builder()
    builder.set_actuation("joints")
    for name, side in (("left", -1.0), ("right", 1.0)):
        body = builder.add_body(
            0, name=name, placement=pose(side * 0.0195, 0, 0), inertia=[0.05, 0, 0, 0, 1e-5, 0, 1e-5, 0, 0, 1e-5]
        )
        builder.add_joint(body, "prismatic", name=name, axis=[-side, 0, 0], damping=2.0)
        builder.add_geom(body, kind="ellipsoid", name=name, size=[0.012, 0.03, 0.03], **pads)
    held(builder, faces)
    return builder.build()


def spatula(builder, faces):
    """Held by the handle; the blade pulls it down."""
    body = builder.add_body(
        0, name="spatula", placement=np.eye(4), inertia=[0.08, 0.0, 0.0024, 0, 3e-4, 0, 1e-5, 0, 0, 3e-4]
    )
    builder.add_joint(body, "free", name="spatula")
    kind = dict(hydroelastic="rigid", resolution=0.01) if faces else {}
    builder.add_geom(body, kind="box", name="handle", size=[0.008, 0.05, 0.01], friction=[0.8, 0, 0], **kind)
    builder.add_geom(
        body, kind="box", name="blade", size=[0.03, 0.04, 0.002], placement=pose(0, 0.14, 0), contype=0, conaffinity=0
    )


def peg(builder, faces):
    body = builder.add_body(0, name="peg", placement=np.eye(4), inertia=[0.02, 0, 0, 0, 1e-5, 0, 1e-5, 0, 0, 1e-5])
    builder.add_joint(body, "free", name="peg")
    kind = dict(hydroelastic="rigid", resolution=0.01) if faces else {}
    builder.add_geom(body, kind="box", name="peg", size=[0.008, 0.02, 0.02], friction=[0.8, 0, 0], **kind)


def pitch(q, at):
    """Angle of a body's y axis below the horizon [rad]."""
    x, y, z, w = q[at + 3 : at + 7]
    return float(-np.arcsin(2 * (y * z + x * w)))


def control(model, force):
    u = np.zeros(model.nu)
    u[:2] = force
    return u


def slip(variant="lagged", seconds=12.0, path=None):
    """Pitch [rad] at the ends of firm and loose phases, and the largest number of faces."""
    model = grip(spatula)
    sim = diffsim.Sim(model, contact="convex", time_step=STEP, convex_variant=variant, max_contacts=1500)
    recorder = diffsim.Recorder(model) if path else None
    q, v = model.neutral(), np.zeros(model.nv)
    at = model.nq - 7
    angles, faces, start = [], 0, 0.0
    for i in range(int(seconds / STEP)):
        share = (i * STEP / PERIOD) % 1.0
        firm = share < 1.0 - LOOSE_SHARE
        q, v = sim.step(q, v, control(model, FIRM if firm else LOOSE))
        patches = sim.patches()
        faces = max(faces, int(patches["contact_count"].sum()))
        if recorder is not None:
            recorder.patches(sim, largest=2e4)
            recorder.step(sim)
        after = ((i + 1) * STEP / PERIOD) % 1.0 < 1.0 - LOOSE_SHARE
        if firm != after:
            angles.append(("firm" if firm else "loose", start, pitch(q, at)))
            start = pitch(q, at)
    if recorder is not None:
        recorder.save(path)
    return angles, faces, q[at + 2]


def twist(faces, torque=0.02, seconds=1.0):
    """How fast a peg turns about the pads' common axis under a torque [rad/s]."""
    model = grip(peg, faces)
    sim = diffsim.Sim(model, contact="convex", time_step=STEP, max_contacts=1500, derivatives=0)
    q, v = model.neutral(), np.zeros(model.nv)
    for _ in range(int(0.5 / STEP)):
        q, v = sim.step(q, v, control(model, FIRM))
    body = model.body_id("peg")
    for _ in range(int(seconds / STEP)):
        sim.set_external_wrench(body, [0, 0, 0, torque, 0, 0])
        q, v = sim.step(q, v, control(model, FIRM))
    return float(abs(v[-3]))


def main(path=None):
    print("| friction | grip | pitch before | after | faces |\n|---|---|---|---|---|")
    results = {}
    for variant in ("sap", "lagged"):
        angles, faces, height = slip(variant, path=path if variant == "lagged" else None)
        results[variant] = (angles, faces, height)
        for phase, before, after in angles:
            print(f"| {variant} | {phase} | {before:.3f} rad | {after:.3f} rad | {faces} |")
    turning = {kind: twist(kind == "faces") for kind in ("points", "faces")}
    print("\n| a peg twisted by 0.02 N m in a grip of 16 N | turns at |\n|---|---|")
    for kind, speed in turning.items():
        print(f"| {kind} | {speed:.2e} rad/s |")
    return results, turning


if __name__ == "__main__":
    main(*sys.argv[1:])
