"""Hydroelastic contact against Drake: how bodies that are pressed into the ground rise and come to rest.

Both read the same URDF. Drake bounds the stiffness of each face as that of a near-rigid point, which the cube's modulus
stays below. Along the edges of a cube and of a cylinder's end, where the slope of the pressure is
perpendicular to the normal, Drake drops faces. Their share of the force is about the depth over the width, so the
depth is small here. Meshes of spheres differ by their error.
"""

import json
import pathlib
import subprocess
import tempfile

import diffsim_c as ds
from environments import DRAKE, interpreter

TIME_STEP, STEPS = 2e-3, 150
FIELD = '<drake:compliant_hydroelastic/><drake:hydroelastic_modulus value="{modulus}"/>'
# Name, geometry, modulus [Pa], length of edges [m], depth at the start [m], about 1.5 times that at rest, and
# the allowed difference of heights in units of this depth. Centres are 0.05 m above the lowest point.
RUNS = [
    ("cube", '<box size="0.1 0.1 0.1"/>', 1e6, 0.02, 7.5e-5, 5e-3),
    ("standing cylinder", '<cylinder radius="0.04" length="0.1"/>', 1e7, 0.005, 1.2e-5, 1e-3),
    ("sphere", '<sphere radius="0.05"/>', 1e5, 0.004, 8e-3, 1e-2),
]


def urdf(geometry, modulus, edge):
    def link(name, shape, kind, height):
        return f"""<link name="{name}">
          <inertial><mass value="1"/><inertia ixx="2e-3" iyy="2e-3" izz="2e-3" ixy="0" ixz="0" iyz="0"/></inertial>
          <collision name="{name}"><origin xyz="0 0 {height}"/><geometry>{shape}</geometry><drake:proximity_properties>
            {kind}<drake:mesh_resolution_hint value="{edge}"/><drake:mu_dynamic value="0.5"/><drake:mu_static value="0.5"/>
            <drake:relaxation_time value="0.02"/></drake:proximity_properties></collision></link>"""

    ground = link("ground", '<box size="1 1 0.2"/>', "<drake:rigid_hydroelastic/>", -0.1)
    body = link("body", geometry, FIELD.format(modulus=modulus), 0.0)
    joints = "".join(
        f'<joint name="{child}" type="{kind}"><parent link="world"/><child link="{child}"/></joint>'
        for child, kind in (("ground", "fixed"), ("body", "floating"))
    )
    return f'<robot name="scene"><link name="world"/>{ground}{body}{joints}</robot>'


def ours(case):
    with tempfile.TemporaryDirectory() as directory:
        path = pathlib.Path(directory) / "scene.urdf"
        path.write_text(case["urdf"])
        model = ds.Model(path)
    sim = ds.Sim(
        model,
        time_step=case["time_step"],
        contact=ds.lib.DS_CONTACT_CONVEX,
        # Drake has no bound on the speed at which a deep contact opens.
        max_push_out=float("inf"),
        max_contacts=3000,
    )
    q, v, heights = model.neutral(), [0.0] * model.nv, []
    q[2] = case["height"]
    for _ in range(case["steps"]):
        q, v = sim.step(q, v, [])
        heights.append(q[2])
    return heights


def compare(report):
    python = interpreter(DRAKE)
    if python is None:
        report.skip("faces", "Drake cannot be installed")
        return
    cases = [
        {"time_step": TIME_STEP, "steps": STEPS, "urdf": urdf(geometry, modulus, edge), "height": 0.05 - depth}
        for _, geometry, modulus, edge, depth, _ in RUNS
    ]
    script = pathlib.Path(__file__).with_name("drake_faces.py")
    run = subprocess.run([str(python), str(script)], input=json.dumps(cases), capture_output=True, text=True)
    if run.returncode:
        report.fail("faces", f"Drake: {run.stderr.strip().splitlines()[-1:]}")
        return
    for (name, *_, depth, allowed), case, theirs in zip(RUNS, cases, json.loads(run.stdout)):
        off = [abs(a - b) / depth for a, b in zip(ours(case), theirs)]
        report.row(name, "height on its way, in depths", max(off), allowed)
        report.row(name, "height at rest, in depths", off[-1], allowed)
