"""Models saved as MJCF: MuJoCo loads the file, and has the bodies, geoms and dynamics of the model it came from."""

import pathlib
import tempfile

import numpy as np

import against_mujoco
import diffsim_c as ds
import mujoco_model
from report import difference
from robots import MJCF, ROBOT_DATA, URDF, Robot

MORE = [
    Robot(pathlib.Path(file).stem, ROBOT_DATA / f"{file}.urdf", free=free, mimic=mimic, shells=True)
    for file, free, mimic in (
        ("alexander_description/urdf/alexander_v1.lowerBodyOnly", True, False),
        ("anymal_b_simple_description/robots/anymal", True, False),
        ("b1_description/urdf/b1", True, False),
        ("baxter_description/urdf/baxter", False, True),
        ("bolt_description/robots/bolt", True, False),
        ("centauro_description/urdf/centauro", True, False),
        ("g1_description/urdf/g1_29dof_rev_1_0", True, False),
        ("go2_description/urdf/go2", True, False),
        ("kinova_description/robots/kinova", False, False),
        ("laikago_description/urdf/laikago", True, False),
        ("panda_description/urdf/panda", False, True),
        ("pr2_description/urdf/pr2", False, True),
        ("solo_description/robots/solo12", True, False),
        ("talos_data/robots/talos_full_v2", True, True),
        ("tiago_description/robots/tiago_dual", False, True),
        ("xarm_description/urdf/xarm7", False, True),
        ("z1_description/urdf/z1", False, False),
    )
]
ROBOTS = [r for r in URDF if not r.optional] + MORE + MJCF


# Texts of a line if inertias in the file are not those of the model: of which bodies, or of bodies that move
# together.
OTHER_BODIES = ("readers of MJCF refuse", "MuJoCo refuses")
OTHER_LINKS = "get the nearest physical ones:"


def compare(report, robot):
    ours = ds.Model(robot.path, **robot.load_options(ds.lib))
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "saved.xml"
        lines = ours.save(path)
        if any(part in line for line in lines for part in OTHER_BODIES):
            report.note(robot.name, "inertias that MJCF has not: MuJoCo's model is compared with the file read again")
            if not any(OTHER_LINKS in line for line in lines):
                same_dynamics(report, robot, ours, again(path, robot))
            ours = again(path, robot)
        match = mujoco_model.Match(ours, path)
        other = mujoco_model.Match(ours, path)
    against_mujoco.compiled(report, robot, ours, match)
    against_mujoco.keyframes(report, robot, ours, match)
    against_mujoco.dynamics(report, robot, ours, match)
    against_mujoco.step(report, robot, ours, other)


def again(path, robot):
    return ds.Model(path, open_mesh=ds.lib.DS_OPEN_MESH_HULL if robot.shells else ds.lib.DS_OPEN_MESH_ERROR)


def same_dynamics(report, robot, ours, other):
    sims = [ds.Sim(m, contact=ds.lib.DS_CONTACT_NONE) for m in (ours, other)]
    rng = np.random.default_rng(6)
    worst = 0.0
    for _ in range(robot.states):
        q = ours.integrate(ours.neutral(), rng.uniform(-0.5, 0.5, ours.nv))
        worst = max(worst, difference(*(sim.mass_matrix(q) for sim in sims)))
    report.row(robot.name, "mass matrix, read again", worst, against_mujoco.COMPILED)
