"""Compliant contact against Drake's SAP, lagged and similar law: the path of a ball that falls on the ground, with the same stiffness
and dissipation. The friction of ball and ground combines by Drake's rule.

The ball stays on the ground: Drake lets a gap close within a step and then pushes, the library closes it. Drake solves to a
relative 1e-6. Its contact point is elsewhere by a share of the depth, which turns a ball that rolls, and what sticks creeps by
another thousandth. Its lagged and similar laws have a dissipation of their own: these comparisons have none.
"""

import json
import pathlib
import subprocess
import tempfile

import numpy as np

import diffsim_c as ds
from environments import DRAKE, interpreter

TIME_STEP, STEPS, MASS, RADIUS, GRAVITY = 2e-3, 200, 0.5, 0.05, 9.81
# Of the ground and of the ball [N/m], [s].
MATERIALS = [((2e4, 1e5), (0.01, 0.02)), ((1e3, 1e4), (0.0, 0.05)), ((1e5, 1e5), (0.01, 0.0))]
# Name, law, first velocity [m/s], friction of ground and ball, and what positions [m] and velocities [m/s]
# may differ by: absolute, and in units of the depth at rest.
RUNS = [
    ("sinks", "sap", (0.0, 0.0, 0.0), (0.0, 0.0), [(1e-7, 0.0), (1e-5, 0.0)]),
    ("glides", "sap", (0.5, -0.2, -0.02), (0.0, 0.0), [(1e-7, 0.0), (1e-5, 0.0)]),
    ("rolls", "sap", (0.04, 0.02, 0.0), (0.1, 0.1), [(0.0, 0.1), (0.0, 0.3)]),
    # It slides to the end: as long as it slides, both laws are the same.
    ("slides", "lagged", (5.0, 1.0, 0.0), (0.6, 0.2), [(1e-7, 0.0), (1e-5, 0.0)]),
    # It glides above its depth at rest, and starts there.
    ("slides", "similar", (0.88, 0.15, 0.0), (0.05, 0.05), [(1e-7, 2e-3), (1e-5, 1e-2)]),
]
VARIANTS = {"sap": ds.lib.DS_CONVEX_SAP, "lagged": ds.lib.DS_CONVEX_LAGGED, "similar": ds.lib.DS_CONVEX_SIMILAR}


def rotation(quaternion):
    x, y, z, w = quaternion
    skew = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    return np.eye(3) + 2.0 * w * skew + 2.0 * skew @ skew


def ours(case):
    inertia = 0.4 * case["mass"] * case["radius"] ** 2
    numbers = lambda xs: " ".join(map(repr, xs))
    scene = f"""<mujoco><default><geom friction="0 0 0"/></default><worldbody>
      <geom name="ground" type="plane" size="0 0 1" friction="{case["friction"][0]} 0 0"/>
      <body name="ball" pos="{numbers(case["position"])}"><freejoint/>
        <inertial pos="0 0 0" mass="{case["mass"]}" diaginertia="{numbers([inertia] * 3)}"/>
        <geom name="ball" type="sphere" size="{case["radius"]}" friction="{case["friction"][1]} 0 0"/></body></worldbody></mujoco>"""
    with tempfile.TemporaryDirectory() as directory:
        path = pathlib.Path(directory) / "scene.xml"
        path.write_text(scene)
        model = ds.Model(path)
    sim = ds.Sim(
        model,
        time_step=case["time_step"],
        contact=ds.lib.DS_CONTACT_CONVEX,
        friction_rule=ds.lib.DS_FRICTION_HARMONIC,
        # Drake has no bound on the speed at which a deep contact opens.
        max_push_out=float("inf"),
        convex_variant=VARIANTS[case["approximation"]],
    )
    kinds = [ds.lib.DS_PARAM_CONTACT_STIFFNESS, ds.lib.DS_PARAM_CONTACT_DISSIPATION]
    sim.set_params([(kind, geom, 0) for kind in kinds for geom in range(2)], [*case["stiffness"], *case["dissipation"]])
    q, v, states = model.neutral(), np.array([*case["velocity"], 0.0, 0.0, 0.0]), []
    for _ in range(case["steps"]):
        q, v = sim.step(q, v, [])
        turn = rotation(q[3:7])
        states.append([*q[:3], *(turn @ v[:3]), *(turn @ v[3:])])
    return states


def height(law, velocity, friction, stiffness):
    if law != "similar":
        return RADIUS - 1e-6
    rises = TIME_STEP * 2.0 * friction[0] * friction[1] / sum(friction) * np.hypot(*velocity[:2])
    return float(RADIUS + rises - MASS * GRAVITY * sum(1.0 / k for k in stiffness))


def compare(report):
    python = interpreter(DRAKE)
    if python is None:
        report.skip("ball", "Drake cannot be installed")
        return
    cases = [
        {"time_step": TIME_STEP, "steps": STEPS, "mass": MASS, "radius": RADIUS,
         "position": (0.0, 0.0, height(law, velocity, friction, stiffness)),
         "stiffness": stiffness, "dissipation": dissipation if law == "sap" else (0.0, 0.0), "velocity": velocity,
         "friction": friction, "approximation": law}
        for stiffness, dissipation in MATERIALS
        for _, law, velocity, friction, _ in RUNS
    ]
    script = pathlib.Path(__file__).with_name("drake_contact.py")
    run = subprocess.run([str(python), str(script)], input=json.dumps(cases), capture_output=True, text=True)
    if run.returncode:
        report.fail("ball", f"Drake: {run.stderr.strip().splitlines()[-1:]}")
        return
    for i, (case, theirs) in enumerate(zip(cases, json.loads(run.stdout))):
        name, law, _, _, allowed = RUNS[i % len(RUNS)]
        off = np.abs(np.array(ours(case)) - np.array(theirs)).max(axis=0)
        depth = case["mass"] * GRAVITY * sum(1.0 / k for k in case["stiffness"])
        for what, worst, (absolute, relative) in zip(("position", "velocity"), (off[:3].max(), off[3:6].max()), allowed):
            quantity = f"{what}, rests at {1e3 * depth:.2g} mm"
            report.row(f"ball that {name}, {law}", quantity, worst, absolute + relative * depth)
