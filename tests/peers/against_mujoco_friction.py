"""Friction against MuJoCo's where its contacts are stiff: what slides, drills and rolls is slowed alike, what is pushed by less than
friction holds stays, and by more moves on alike.

MuJoCo's contacts are springs, which first have to be pressed: the two agree to what that takes, a thousandth of the speeds.
"""

import pathlib

import mujoco
import numpy as np

import diffsim_c as ds
import mujoco_model

PATH = pathlib.Path(__file__).resolve().parent / "models" / "friction.xml"
STEP, TIME = 2e-5, 0.2
STIFFNESS = 1e5
ALLOWED = 2e-3
SLIDES, DRILLS, ROLLS, STAYS, PUSHED = 0, 6, 12, 18, 20
WEIGHT = 9.81 * 1000.0 * 4.0 / 3.0 * np.pi * 0.05**3


def compare(report):
    ours = ds.Model(PATH)
    match = mujoco_model.Match(ours, PATH)
    m, d = match.model, match.data
    q, v = ours.neutral(), np.zeros(ours.nv)
    v[SLIDES], v[DRILLS + 5], v[ROLLS], v[ROLLS + 4] = 1.0, 20.0, 1.0, 10.0
    # Friction holds half the weight.
    u = np.array([0.2 * WEIGHT, WEIGHT])
    steps = round(TIME / STEP)
    m.opt.timestep = STEP
    m.geom_solref[:] = [-STIFFNESS, -2.0 * np.sqrt(STIFFNESS)]
    m.geom_solimp[:] = [0.9999, 0.9999, 0.001, 0.5, 2.0]
    match.set(q, v)
    d.ctrl[:] = u
    mujoco.mj_step(m, d, steps)
    theirs = d.qvel
    for name, law in (("rigid", ds.lib.DS_CONTACT_NCP), ("convex", ds.lib.DS_CONTACT_CONVEX)):
        sim = ds.Sim(ours, contact=law, time_step=STEP)
        q, mine = ours.neutral(), v
        for _ in range(steps):
            q, mine = sim.step(q, mine, u)
        mine = match.T(q) @ mine
        for what, dofs, speed in (
            ("a crate slides", slice(SLIDES, SLIDES + 2), 1.0),
            ("a ball drills", slice(DRILLS + 3, DRILLS + 6), 20.0),
            ("a ball rolls", slice(ROLLS, ROLLS + 2), 1.0),
            ("and turns", slice(ROLLS + 3, ROLLS + 6), 10.0),
            ("what is pushed by less stays", slice(STAYS, STAYS + 1), 1.0),
            ("what is pushed by more moves", slice(PUSHED, PUSHED + 1), 1.0),
        ):
            off = np.abs(mine[dofs] - theirs[dofs]).max() / speed
            report.row("friction", f"{name}: {what}", off, ALLOWED)
