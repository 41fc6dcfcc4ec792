"""Distances of every pair of shapes against MuJoCo's mj_geomDistance."""

import itertools
import pathlib
import tempfile

import mujoco
import numpy as np

import diffsim_c as ds

POSES = 1000
#: Of the distance [m], and of a normal where the shapes are at least a millimetre apart: MuJoCo's
#: meshes have single precision, its iterations a tolerance of their own.
TOLERANCE, NORMAL = 1e-6, 1e-3

SHAPES = {
    "sphere": 'type="sphere" size="0.13"',
    "capsule": 'type="capsule" size="0.08 0.12"',
    "cylinder": 'type="cylinder" size="0.1 0.09"',
    "ellipsoid": 'type="ellipsoid" size="0.1 0.13 0.16"',
    "box": 'type="box" size="0.1 0.12 0.08"',
    "mesh": 'type="mesh" mesh="gem"',
}


def scene(a, b, vertices):
    text = " ".join(f"{x:.17g}" for x in vertices.ravel())
    body = lambda name, shape: (
        f'<body><freejoint/><geom name="{name}" {SHAPES[shape]} mass="1"/></body>'
    )
    return (
        f'<mujoco><option><flag nativeccd="enable"/></option><option ccd_tolerance="1e-9" '
        f'ccd_iterations="500"/><asset><mesh name="gem" vertex="{text}"/></asset>'
        f'<worldbody>{body("a", a)}{body("b", b)}</worldbody></mujoco>'
    )


def compare(report):
    rng = np.random.default_rng(8)
    vertices = rng.normal(size=(14, 3))
    vertices *= np.array([0.1, 0.13, 0.16]) / np.linalg.norm(vertices, axis=1, keepdims=True)
    with tempfile.TemporaryDirectory() as directory:
        for a, b in itertools.product(SHAPES, repeat=2):
            path = pathlib.Path(directory) / f"{a}-{b}.xml"
            path.write_text(scene(a, b, vertices))
            gap, normal = differences(path, rng)
            report.row(f"{a}-{b}", "distance [m]", np.abs(gap).max(), TOLERANCE)
            report.row(f"{a}-{b}", "normal", normal.max(), NORMAL)


def differences(path, rng):
    """Of distances, and of normals where the shapes are apart, at poses near touching."""
    model = mujoco.MjModel.from_xml_path(str(path))
    data = mujoco.MjData(model)
    ours = ds.Model(path)
    sim = ds.Sim(ours)
    ga, gb = (ours.geom_names.index(n) for n in "ab")
    fromto = np.zeros(6)
    gaps, normals = [], []
    while len(gaps) < POSES:
        q = np.concatenate([rng.uniform(-1, 1, 3), quaternion(rng)] * 2)
        way = rng.normal(size=3)
        way /= np.linalg.norm(way)
        q[7:10] = q[:3] + 0.3 * way
        target = rng.uniform(-0.01, 0.02)
        for _ in range(6):
            distance, normal = sim.distance(ga, gb, q)
            lead = way @ normal
            step = way / lead if lead > 0.3 else normal
            q[7:10] += step * (target - distance)
        distance, normal = sim.distance(ga, gb, q)
        if abs(distance - target) > 2e-3:
            continue
        data.qpos[:] = np.concatenate([[*p[:3], p[6], *p[3:6]] for p in (q[:7], q[7:])])
        mujoco.mj_kinematics(model, data)
        theirs = mujoco.mj_geomDistance(model, data, 0, 1, 1.0, fromto)
        gaps.append(theirs - distance)
        away = fromto[3:] - fromto[:3]
        if theirs > 1e-3:
            normals.append(np.linalg.norm(away / np.linalg.norm(away) - normal))
    return np.array(gaps), np.array(normals)


def quaternion(rng):
    x = rng.normal(size=4)
    return x / np.linalg.norm(x)
