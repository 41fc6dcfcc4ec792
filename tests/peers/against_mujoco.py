"""MJCF models against MuJoCo's compiled model and its smooth dynamics."""

import mujoco
import numpy as np

import diffsim_c as ds
import mujoco_model
from mujoco_model import pose
from report import Weights, difference, weigh
from states import random_states

COMPILED = 1e-9

# Ours, and how many of the sizes mean something (a plane's third is for drawing).
GEOMS = {
    int(mujoco.mjtGeom.mjGEOM_PLANE): (ds.lib.DS_GEOM_PLANE, 2),
    int(mujoco.mjtGeom.mjGEOM_SPHERE): (ds.lib.DS_GEOM_SPHERE, 1),
    int(mujoco.mjtGeom.mjGEOM_CAPSULE): (ds.lib.DS_GEOM_CAPSULE, 2),
    int(mujoco.mjtGeom.mjGEOM_ELLIPSOID): (ds.lib.DS_GEOM_ELLIPSOID, 3),
    int(mujoco.mjtGeom.mjGEOM_CYLINDER): (ds.lib.DS_GEOM_CYLINDER, 2),
    int(mujoco.mjtGeom.mjGEOM_BOX): (ds.lib.DS_GEOM_BOX, 3),
}


def compare(report, robot):
    ours = ds.Model(robot.path)
    match = mujoco_model.Match(ours, robot.path)
    compiled(report, robot, ours, match)
    keyframes(report, robot, ours, match)
    dynamics(report, robot, ours, match)
    step(report, robot, ours, mujoco_model.Match(ours, robot.path))


def compiled(report, robot, ours, match):
    """What the loader made of the file: bodies and geoms."""
    m = match.model
    bodies = range(1, ours.nbody)
    if [ours.body_parent[b] for b in bodies] != [m.body_parentid[b] for b in bodies]:
        report.fail(robot.name, f"parents: expected {list(m.body_parentid)}, got {ours.body_parent}")
    worst = lambda values: max(values, default=0.0)
    total = mujoco.mj_getTotalmass(m)
    report.row(
        robot.name,
        "body placements",
        worst(difference(ours.body_placement(b), pose(m.body_pos[b], m.body_quat[b]), 1.0) for b in bodies),
        COMPILED,
    )
    mine, theirs = ([f(b) for b in bodies] for f in (ours.body_inertia, match.body_inertia))
    # A centre of mass may be at the origin: first moments have the scale of a lever of a centimetre.
    for name, part, floor in (
        ("masses", slice(0, 1), lambda mass: 1e-9 * total),
        ("first moments", slice(1, 4), lambda mass: 1e-2 * mass),
        ("inertias", slice(4, 10), lambda mass: 1e-12 * total),
    ):
        values = (difference(x[part], y[part], floor(y[0])) for x, y in zip(mine, theirs))
        report.row(robot.name, name, worst(values), COMPILED)
    if not m.ngeom:
        return
    # A mesh has its own frame on either side: MuJoCo's is at its centre of mass.
    plain = [g for g in range(m.ngeom) if m.geom_type[g] in GEOMS]
    if len(plain) < m.ngeom:
        report.skip(robot.name, f"placement and size of {m.ngeom - len(plain)} mesh geoms: frames differ")
    for g in range(m.ngeom):
        if ours.geom_body[g] != m.geom_bodyid[g]:
            report.fail(robot.name, f"geom {g}: expected body {m.geom_bodyid[g]}, got {ours.geom_body[g]}")
    for g in plain:
        if ours.geom_type[g] != GEOMS[m.geom_type[g]][0]:
            report.fail(robot.name, f"geom {g}: expected type {m.geom_type[g]}, got {ours.geom_type[g]}")
    placements = worst(difference(ours.geom_placement(g), pose(m.geom_pos[g], m.geom_quat[g]), 1.0) for g in plain)
    report.row(robot.name, "geom placements", placements, COMPILED)
    used = lambda g: GEOMS[m.geom_type[g]][1]
    sizes = worst(difference(ours.geom_size(g)[: used(g)], m.geom_size[g][: used(g)]) for g in plain)
    report.row(robot.name, "geom sizes", sizes, COMPILED)
    friction = worst(difference(ours.geom_friction(g), m.geom_friction[g]) for g in range(m.ngeom))
    report.row(robot.name, "geom friction", friction, COMPILED)


def keyframes(report, robot, ours, match):
    m = match.model
    named = [k for k in range(m.nkey) if m.key(k).name]
    if not named:
        return
    worst = 0.0
    for k in named:
        q, v, u = ours.keyframe(m.key(k).name)
        match.set(q, v)
        for mine, theirs in ((match.data.qpos, m.key_qpos[k]), (match.data.qvel, m.key_qvel[k]), (u, m.key_ctrl[k])):
            worst = max(worst, difference(mine, theirs, 1.0))
    report.row(robot.name, "keyframes", worst, COMPILED)


def dynamics(report, robot, ours, match):
    """M, bias, forward dynamics and body poses with nothing but inertia and gravity at work."""
    match.disable()
    m, d = match.model, match.data
    sim = ds.Sim(ours, contact=ds.lib.DS_CONTACT_NONE)
    worst, rng = {}, np.random.default_rng(5)

    def note(quantity, mine, theirs, *factors, scale=0.0):
        value = difference(weigh(mine, *factors), weigh(theirs, *factors), scale)
        worst[quantity] = max(worst.get(quantity, 0.0), value)

    for q, v, a, w in states(report, robot, ours, match, seed=2):
        T, drift = match.T(q), match.Tdot_v(q, v)
        tau = sim.inverse_dynamics(q, v, a)
        match.set(q, v)
        mujoco.mj_fwdPosition(m, d)
        # With the other passive forces disabled MuJoCo leaves it out.
        lift = match.gravity_compensation()
        d.qfrc_applied[:] = T @ tau + lift  # T is orthogonal: its inverse transpose is itself
        mujoco.mj_forward(m, d)
        for mine, theirs in (
            (ours.q_from_mujoco(d.qpos), q),
            (ours.q_to_mujoco(q), d.qpos),
            (ours.v_from_mujoco(q, d.qvel), v),
            (ours.v_to_mujoco(q, v), d.qvel),
        ):
            note("conversions of q and v", mine, theirs)
        M = match.mass_matrix()
        poses = np.stack([pose(d.xpos[b], d.xquat[b]) for b in range(m.nbody)], axis=2)
        note("body poses", sim.forward_kinematics(q), poses, scale=1.0)
        body, point = int(rng.integers(1, m.nbody)), rng.uniform(-0.5, 0.5, 3)
        J = match.body_jacobian(body, poses[:3, :, body] @ np.append(point, 1.0))
        note("body Jacobians", sim.body_jacobian(q, body, point), J @ T, scale=1.0)
        note("mass matrix", sim.mass_matrix(q), T.T @ M @ T, w.force, w.force)
        note("bias", sim.inverse_dynamics(q, v, np.zeros(m.nv)), T.T @ (d.qfrc_bias - lift + M @ drift), w.force)
        note("forward dynamics", sim.forward_dynamics(q, v, tau), T.T @ (d.qacc - drift), w.motion)
    for quantity, value in worst.items():
        report.row(robot.name, quantity, value, robot.allowed)


def states(report, robot, ours, match, seed):
    def weights(q):
        match.set(q, np.zeros(ours.nv))
        mujoco.mj_forward(match.model, match.data)
        return Weights(match.T(q).T @ match.mass_matrix() @ match.T(q))

    drawn, refused = random_states(ours, np.random.default_rng(seed), robot.states, weights)
    if refused:
        report.note(robot.name, f"{refused} states drawn again: mass matrix nearly singular")
    return drawn


def step(report, robot, ours, match):
    """One contact-free step with the file's actuators, springs, dampers and tendons, and a push on a body,
    from MuJoCo's terms, with free joints in body axes and in world axes.

    (M + h D + h² K)(v⁺ − v) = h (actuation + springs + dampers + Jᵀ push − bias − h K v), where a tendon of moment g has
    the terms d g gᵀ in D and k g gᵀ in K.
    """
    m, d = match.model, match.data
    match.disable(mujoco_model.EXTRA_FORCES[:4])
    m.opt.density = m.opt.viscosity = 0.0
    h = 1e-3
    sims = [ds.Sim(ours, contact=ds.lib.DS_CONTACT_NONE, time_step=h, integrator=integrator)
            for integrator in (ds.lib.DS_INTEGRATOR_SYMPLECTIC_EULER, ds.lib.DS_INTEGRATOR_SYMPLECTIC_EULER_WORLD)]
    K = np.zeros((m.nv, m.nv))
    for j in range(m.njnt):
        i, n = m.jnt_dofadr[j], ours.joint_nv[j]
        K[i : i + n, i : i + n] = m.jnt_stiffness[j] * np.eye(n)
    worst, rng = np.zeros(3), np.random.default_rng(3)
    for q, v, _, w in states(report, robot, ours, match, seed=4):
        u = rng.uniform(-1.2, 1.2, ours.nu)
        match.set(q, v)
        d.ctrl[:] = u
        mujoco.mj_forward(m, d)
        body, push = int(rng.integers(1, m.nbody)), rng.uniform(-1, 1, 6)
        for sim in sims:
            sim.set_external_wrench(body, push)
        A = match.mass_matrix() + h * np.diag(m.dof_damping) + h * h * K
        force = match.body_jacobian(body, d.xpos[body]).T @ push
        force += d.qfrc_actuator + d.qfrc_passive - d.qfrc_bias - h * K @ d.qvel
        for t in range(m.ntendon):
            moment, k = match.tendon_moment(t), match.tendon_stiffness(t)
            A += h * (m.tendon_damping[t] + h * k) * np.outer(moment, moment)
            force -= h * k * moment * (moment @ d.qvel)
        # v' = T v: what MuJoCo calls the same acceleration includes the turning of the axes. Implicit are damping and
        # springs in ours, whichever axes a step ends in.
        T, drift = match.T(q), match.Tdot_v(q, v)
        expected = h * np.linalg.solve(T.T @ A @ T, T.T @ (force - match.mass_matrix() @ drift))
        change = T @ expected + h * drift
        (_, mine), (q_world, v_world) = (sim.step(q, v, u) for sim in sims)
        in_world = T.T @ (ours.v_to_mujoco(q_world, v_world) - T @ v)
        qpos = np.array(ours.q_to_mujoco(q))
        mujoco.mj_integratePos(m, qpos, T @ v + change, h)
        worst = np.maximum(worst, [
            difference(weigh(mine - v, w.motion), weigh(expected, w.motion)),
            difference(weigh(in_world, w.motion), weigh(T.T @ change, w.motion)),
            difference(np.array(ours.q_to_mujoco(q_world)), qpos, 1.0),
        ])
        for sim in sims:
            sim.set_external_wrench(body, np.zeros(6))
    for quantity, value in zip(("change of v", "change of v in world axes", "q in world axes"), worst):
        report.row(robot.name, f"step: {quantity} in 1 ms", value, COMPILED)
