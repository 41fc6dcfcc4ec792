"""Sensors and rays against MuJoCo, at states where nothing touches."""

import mujoco
import numpy as np

import diffsim_c as ds
import mujoco_model
from report import difference
from states import random_state

# Constraints have no part in what is compared, and the time step none in the acceleration.
CONSTRAINTS = mujoco_model.EXTRA_FORCES[:4]
TIME_STEP = 1e-13
QUATERNIONS = (ds.lib.DS_SENSOR_FRAME_QUATERNION, ds.lib.DS_SENSOR_BALL_QUATERNION)


def compare(report, robot):
    ours = ds.Model(robot.path)
    match = mujoco_model.Match(ours, robot.path)
    match.disable(CONSTRAINTS)
    # In body axes: the spin of free bodies in world axes is a difference over the step, which is round-off
    # here.
    scheme = ds.lib.DS_INTEGRATOR_SYMPLECTIC_EULER
    sim = ds.Sim(ours, contact=ds.lib.DS_CONTACT_NONE, time_step=TIME_STEP, integrator=scheme)
    sensors(report, robot, ours, match, sim)
    rays(report, robot, ours, match, sim)


def sensors(report, robot, ours, match, sim):
    m, d = match.model, match.data
    names = [m.sensor(i).name for i in range(m.nsensor)]
    places = {name: i for i, name in enumerate(names) if name}
    known = [s for s in ours.sensors if s.name in places]
    if len(known) < m.nsensor:
        report.skip(robot.name, f"{m.nsensor - len(known)} sensors that have no name or are not read")
    if not known:
        return
    worst, rng = {}, np.random.default_rng(3)
    # Early activations are those at a step's end.
    kept, m.opt.timestep = m.opt.timestep, TIME_STEP
    for _ in range(robot.states):
        q, v, _ = random_state(ours, rng)
        u = rng.uniform(-1, 1, ours.nu)
        match.set(q, v)
        d.ctrl[:] = u
        if ours.na:
            d.act[:] = sim.act = rng.uniform(0, 1, ours.na)
        mujoco.mj_forward(m, d)
        mine = sim.sensors(q, v, u)
        for s in known:
            i = places[s.name]
            x, y = mine[s.adr : s.adr + s.dim], d.sensordata[m.sensor_adr[i] :][: m.sensor_dim[i]]
            if s.kind in QUATERNIONS:
                y = y[[1, 2, 3, 0]]
                y = y * np.sign(x @ y)
            kind = mujoco.mjtSensor(m.sensor_type[i]).name
            worst[kind] = max(worst.get(kind, 0.0), difference(x, y, 1.0))
    m.opt.timestep = kept
    for kind, value in worst.items():
        report.row(robot.name, kind, value, 1e-9)


def rays(report, robot, ours, match, sim):
    """Of all but what has another shape in MuJoCo, where rays see triangles and drawn rectangles, and pass through what is not seen."""
    m, d = match.model, match.data
    drawn = [
        g
        for g in range(m.ngeom)
        if m.geom_type[g] in (mujoco.mjtGeom.mjGEOM_MESH, mujoco.mjtGeom.mjGEOM_SDF)
        or m.geom_type[g] == mujoco.mjtGeom.mjGEOM_PLANE
        and (m.geom_size[g, :2] > 0).any()
    ]
    if drawn or not m.ngeom:
        report.skip(robot.name, "rays: meshes or planes with edges are seen otherwise by MuJoCo")
        return
    m.geom_matid[:] = -1
    m.geom_rgba[:, 3] = 1.0
    rng, worst, seen, far = np.random.default_rng(4), 0.0, 0, 0
    for _ in range(robot.states):
        q, v, _ = random_state(ours, rng)
        match.set(q, v)
        mujoco.mj_forward(m, d)
        middle = d.geom_xpos[rng.integers(m.ngeom, size=50)]
        origins = middle + rng.normal(size=(50, 3)) * 3.0
        directions = middle + rng.normal(size=(50, 3)) * 0.3 - origins
        distances, normals, geoms = sim.ray_casts(q, origins, directions)
        for o, w, distance, normal, geom in zip(origins, directions, distances, normals, geoms):
            found, theirs = np.array([-1], dtype=np.int32), np.zeros(3)
            t = mujoco.mj_ray(m, d, o, w / np.linalg.norm(w), None, 1, -1, found, theirs)
            if found[0] != geom:
                far += 1
                continue
            if geom >= 0:
                seen += 1
                worst = max(worst, abs(t - distance) / (1 + t), np.abs(normal - theirs).max() * 1e-3)
    if far > seen // 1000:
        report.fail(robot.name, f"rays: {far} beside {seen} meet another geom")
    report.row(robot.name, f"{seen} rays", worst, 1e-9)
