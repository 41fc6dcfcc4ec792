"""Adhesion against MuJoCo's: the force on dofs of all actuators where each contact is within its margin and gap or well beyond it.

In between ours fades out, over a millimetre, where MuJoCo's jumps: such states are drawn again.
"""

import pathlib

import mujoco
import numpy as np

import diffsim_c as ds
import mujoco_model
from report import difference

PATH = pathlib.Path(__file__).resolve().parent / "models" / "adhesion.xml"
FADE = 1e-3
STATES = 200
ALLOWED = 1e-9


def pairs(m, d, wider):
    """The contacts' geoms where pairs reach this much farther [m]."""
    m.geom_gap[:] += 0.5 * wider
    mujoco.mj_kinematics(m, d)
    mujoco.mj_collision(m, d)
    m.geom_gap[:] -= 0.5 * wider
    return sorted(map(tuple, d.contact.geom))


def compare(report):
    ours = ds.Model(PATH)
    match = mujoco_model.Match(ours, PATH)
    m, d = match.model, match.data
    sims = [ds.Sim(ours, contact=law) for law in (ds.lib.DS_CONTACT_NCP, ds.lib.DS_CONTACT_PENALTY)]
    rng, worst, told, seen = np.random.default_rng(7), 0.0, 0.0, {}
    done = 0
    while done < STATES:
        q = ours.integrate(ours.neutral(), rng.uniform(-1, 1, ours.nv) * rng.choice([1e-4, 2e-3, 6e-3]))
        u, act = rng.uniform(0, 2, ours.nu), rng.uniform(0, 2, ours.na)
        match.set(q, np.zeros(ours.nv))
        if pairs(m, d, 0.0) != pairs(m, d, 1.01 * FADE):
            continue
        d.ctrl[:], d.act[:] = u, act
        mujoco.mj_forward(m, d)
        expected = match.T(q).T @ d.qfrc_actuator
        for sim in sims:
            sim.act = act
            force = sim.actuator_forces(q, np.zeros(ours.nv), u)
            worst = max(worst, difference(force, expected, 1.0))
            told = max(told, difference(sim.actuator_states(q, np.zeros(ours.nv), u)[2], d.actuator_force, 1.0))
        seen[d.ncon] = seen.get(d.ncon, 0) + 1
        done += 1
    report.row("adhesion", "forces on dofs", worst, ALLOWED)
    report.row("adhesion", "forces of actuators", told, ALLOWED)
    if len(seen) < 4:
        report.fail("adhesion", f"expected states with different numbers of contacts, got {seen}")
