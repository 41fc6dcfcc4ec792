"""Rollouts of many environments on one core beside MuJoCo's: its files of gymnasium, and a quadruped.

    python benches/peers/rollouts.py [--environments 64] [--steps 200] [--rounds 5] [NAME ...]

It needs the Python package, mujoco and gymnasium. Each environment has random controls of its own, new in every
step. Both engines begin at the file's reference configuration, the quadruped at its keyframe, and keep the file's
time step. Times are processor times of the process, the smallest of the rounds, in turns. "file": the integrator that the file
names (`RK4` is the midpoint rule here), "Euler": both with symplectic Euler. MuJoCo runs its `rollout` without
threads. Jacobians are those of the last step of all environments, MuJoCo's by `mjd_transitionFD`.
"""

import argparse
import pathlib
import time
import warnings

import gymnasium
import mujoco
import mujoco.rollout
import numpy as np

import diffsim
from diffsim._native import ffi, lib
from diffsim.results import StepJacobians

ASSETS = pathlib.Path(gymnasium.__file__).parent / "envs" / "mujoco" / "assets"
OWN = pathlib.Path(__file__).resolve().parents[2] / "examples" / "models"
FILES = {name: ASSETS / f"{name}.xml" for name in ("hopper", "half_cheetah", "ant", "humanoid")}
FILES["quadruped"] = OWN / "quadruped.xml"


def least(times, run):
    begin = time.process_time()
    run()
    times.append(time.process_time() - begin)


def compare(name, euler, given):
    theirs = mujoco.MjModel.from_xml_path(str(FILES[name]))
    model, options = diffsim.Model.load(FILES[name]), {}
    if euler:
        theirs.opt.integrator = mujoco.mjtIntegrator.mjINT_EULER
        options["integrator"] = "symplectic_euler_world"
    count, steps = given.environments, given.steps
    data = mujoco.MjData(theirs)
    if name == "quadruped":
        mujoco.mj_resetDataKeyframe(theirs, data, 0)
    low, high = np.where(theirs.actuator_ctrllimited[:, None], theirs.actuator_ctrlrange, [-1.0, 1.0]).T
    u = np.random.default_rng(0).uniform(low, high, (count, steps, theirs.nu))
    start = np.zeros(mujoco.mj_stateSize(theirs, mujoco.mjtState.mjSTATE_FULLPHYSICS))
    mujoco.mj_getState(theirs, data, start, mujoco.mjtState.mjSTATE_FULLPHYSICS)
    rollout = mujoco.rollout.Rollout(nthread=0)
    batch = diffsim.Batch(model, count, 1, **options)
    batch.reserve(steps)
    q0 = np.repeat(model.q_from_mujoco(data.qpos)[:, None], count, 1)
    v0 = np.zeros((model.nv, count))
    paths = tuple(np.zeros((rows, steps + 1, count), order="F") for rows in (model.nq, model.nv))
    ours, other = [], []
    for _ in range(given.rounds):
        least(ours, lambda: batch.rollout(q0, v0, u.T, out=paths))
        least(other, lambda: rollout.rollout(theirs, data, np.repeat(start[None], count, 0), u))
    ours, other = (min(x) / (count * steps) * 1e6 for x in (ours, other))
    # Jacobians at the end of the trajectories.
    q, v = (np.asfortranarray(path[:, -1]) for path in paths)
    batch.step(q, v, np.asfortranarray(u[:, -1].T))
    exact, differences = [], []
    # Memory of its own, so that a call does not count the system's first touch of new pages.
    out = StepJacobians(model.nv, model.nu, 0, StepJacobians.NAMES, (count,))
    order = 2 * theirs.nv + theirs.na
    A, B = np.zeros((order, order)), np.zeros((order, theirs.nu))
    for _ in range(given.rounds):
        batch.step(q, v, np.asfortranarray(u[:, -1].T))
        least(exact, lambda: lib.ds_batch_step_jacobians(batch._handle, out._struct, ffi.NULL))
        # MuJoCo does not differentiate RK4.
        if theirs.opt.integrator != mujoco.mjtIntegrator.mjINT_RK4:
            least(differences, lambda: mujoco.mjd_transitionFD(theirs, data, 1e-6, True, A, B, None, None))
    exact, differences = min(exact) / count * 1e6, min(differences, default=np.nan) * 1e6
    column = "Euler" if euler else "file"
    print(
        f"| {name} | {column} | {ours:.2f} | {other:.2f} | {other / ours:.2f} | {exact:.1f} | {differences:.0f} "
        f"| {differences / exact:.0f} |".replace("nan", ""),
        flush=True,
    )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", default=list(FILES))
    for option, value in (("--environments", 64), ("--steps", 200), ("--rounds", 5)):
        parser.add_argument(option, type=int, default=value)
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    print("| model | integrator | step, µs | MuJoCo's | ratio | Jacobians, µs | differences | ratio |")
    print("|---|---|---|---|---|---|---|---|")
    for name in given.names:
        for euler in (False, True):
            compare(name, euler, given)
