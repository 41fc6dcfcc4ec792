"""Ranges of lengths of muscles that a file does not give, and sensors of limits, against MuJoCo.

MuJoCo finds the ranges by a simulation against limits that give way, so that they agree to a share of their width; sensors agree to
round-off.
"""

import pathlib
import tempfile

import mujoco
import numpy as np

import diffsim_c as ds
from report import difference

PATH = pathlib.Path(__file__).resolve().parent / "models" / "ranges.xml"


def compare(report):
    ours, theirs = ds.Model(PATH), mujoco.MjModel.from_xml_path(str(PATH))
    ranges(report, ours, theirs)
    sensors(report, ours, theirs)


def ranges(report, ours, theirs):
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "saved.xml"
        ours.save(path)
        # What is given is taken as it is.
        saved = mujoco.MjModel.from_xml_path(str(path))
    for i in range(theirs.nu):
        mine, found = saved.actuator_lengthrange[i], theirs.actuator_lengthrange[i]
        off = np.abs(mine - found).max() / (found[1] - found[0])
        report.row("ranges", f"lengthrange of {theirs.actuator(i).name}", off, 5e-3)


def sensors(report, ours, theirs):
    data, rng = mujoco.MjData(theirs), np.random.default_rng(7)
    sim = ds.Sim(ours)
    worst, active = np.zeros(theirs.nsensor), np.zeros(theirs.nsensor)
    for _ in range(400):
        q = rng.uniform(-1.5, 1.5, ours.nq) * [1, 1, 0.6, 0.8]
        v = rng.uniform(-1, 1, ours.nv)
        data.qpos[:], data.qvel[:] = q, v
        mujoco.mj_forward(theirs, data)
        mine = sim.sensors(q, v, np.zeros(ours.nu))
        worst = np.maximum(worst, [difference(x, y, 1.0) for x, y in zip(mine, data.sensordata)])
        active += data.sensordata != 0
    for i in range(theirs.nsensor):
        report.row("ranges", theirs.sensor(i).name, worst[i] if 50 < active[i] < 400 else np.inf, 1e-12)
