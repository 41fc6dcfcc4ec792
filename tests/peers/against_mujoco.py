"""MJCF models against MuJoCo's compiled model and its smooth dynamics."""

import mujoco
import numpy as np

import diffsim_c as ds
import free_spin
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
    energy(report, robot, ours, mujoco_model.Match(ours, robot.path))
    if match.model.ntendon:
        tendons(report, robot, ours, mujoco_model.Match(ours, robot.path))
    if match.model.na:
        activations(report, robot, ours, mujoco_model.Match(ours, robot.path))
    step(report, robot, ours, mujoco_model.Match(ours, robot.path))
    ball_limits(report, robot, ours, mujoco_model.Match(ours, robot.path))


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


def tendons(report, robot, ours, match):
    """Lengths of tendons with their derivatives by the configuration. Where a path passes through a solid MuJoCo looks for the
    point at which it touches until an equation holds to 1e-6, which its lengths hardly feel, its moments do: there
    differences of its lengths stand for them."""
    m, d = match.model, match.data
    sim = ds.Sim(ours, contact=ds.lib.DS_CONTACT_NONE)
    mujoco.mj_kinematics(m, d)
    through = [t for t in range(m.ntendon) if passes_through(m, d, t)]
    around = [t for t in range(m.ntendon) if t not in through]
    worst, bent = np.zeros(3), 0
    for q, v, _, _ in states(report, robot, ours, match, seed=6):
        match.set(q, v)
        mujoco.mj_forward(m, d)
        lengths, moments = sim.tendon_lengths(q)
        T = match.T(q).T
        theirs = T @ np.stack([match.tendon_moment(t) for t in range(m.ntendon)], axis=1)
        worst[0] = max(worst[0], difference(lengths, d.ten_length, 1.0))
        for t in range(m.ntendon):
            points = slice(d.ten_wrapadr[t], d.ten_wrapadr[t] + d.ten_wrapnum[t])
            bent += bool((d.wrap_obj.ravel()[points] >= 0).any())
        if around:
            worst[1] = max(worst[1], difference(moments[:, around], theirs[:, around], 1.0))
        if through:
            slopes = T @ length_slopes(m, d)
            worst[2] = max(worst[2], difference(moments[:, through], slopes[:, through], 1.0))
    names = ("tendon lengths", "tendon moments", "moments of paths through solids")
    for quantity, value, listed in zip(names, worst, (True, around, through)):
        if listed:
            report.row(robot.name, quantity, value, COMPILED)
    if bent:
        report.note(robot.name, f"{bent} of {m.ntendon * robot.states} tendons touch a solid")


def energy(report, robot, ours, match):
    """In motion, in gravity, and what springs of joints and tendons store."""
    m, d = match.model, match.data
    sim = ds.Sim(ours, contact=ds.lib.DS_CONTACT_NONE)
    m.opt.enableflags |= int(mujoco.mjtEnableBit.mjENBL_ENERGY)
    metre_up = mujoco.mj_getTotalmass(m) * 9.81
    worst = np.zeros(2)
    for q, v, _, _ in states(report, robot, ours, match, seed=6):
        match.set(q, v)
        mujoco.mj_forward(m, d)
        # What cannot move has none of ours.
        fixed = m.body_weldid == 0
        potential = d.energy[0] + m.body_mass[fixed] @ (d.xipos[fixed] @ m.opt.gravity)
        mine = sim.energy(q, v)
        worst[0] = max(worst[0], difference(mine[0], d.energy[1], 1e-9 * metre_up))
        worst[1] = max(worst[1], difference(mine[1], potential, metre_up))
    for quantity, value in zip(("kinetic energy", "potential energy"), worst):
        report.row(robot.name, quantity, value, robot.allowed)


def passes_through(m, d, tendon):
    """Whether a side site of the tendon's is inside its solid."""
    for k in range(m.tendon_adr[tendon], m.tendon_adr[tendon] + m.tendon_num[tendon]):
        if m.wrap_type[k] in (int(mujoco.mjtWrap.mjWRAP_SPHERE), int(mujoco.mjtWrap.mjWRAP_CYLINDER)):
            side, geom = int(m.wrap_prm[k]), m.wrap_objid[k]
            if side >= 0 and np.linalg.norm(d.site_xpos[side] - d.geom_xpos[geom]) < m.geom_size[geom, 0]:
                return True
    return False


def length_slopes(m, d, h=3e-4):
    """Central differences of fourth order of MuJoCo's lengths, nv×ntendon, at the state of the data."""
    start, slopes = d.qpos.copy(), np.zeros((m.nv, m.ntendon))
    for k in range(m.nv):
        for offset, weight in ((1, 2 / 3), (-1, -2 / 3), (2, -1 / 12), (-2, 1 / 12)):
            d.qpos[:] = start
            mujoco.mj_integratePos(m, d.qpos, np.eye(m.nv)[k], offset * h)
            mujoco.mj_fwdPosition(m, d)
            slopes[k] += weight / h * d.ten_length
    return slopes


def states(report, robot, ours, match, seed):
    def weights(q):
        match.set(q, np.zeros(ours.nv))
        mujoco.mj_forward(match.model, match.data)
        return Weights(match.T(q).T @ match.mass_matrix() @ match.T(q))

    drawn, refused = random_states(ours, np.random.default_rng(seed), robot.states, weights)
    if refused:
        report.note(robot.name, f"{refused} states drawn again: mass matrix nearly singular")
    return drawn


def ball_limits(report, robot, ours, match):
    """Passed limits of ball joints: which they are, and that a step from rest, in which nothing else acts, answers along MuJoCo's rows."""
    m, d = match.model, match.data
    balls = [j for j in range(m.njnt) if m.jnt_type[j] == mujoco.mjtJoint.mjJNT_BALL and m.jnt_limited[j]]
    if not balls or m.opt.gravity.any():
        return
    sim = ds.Sim(ours, contact=ds.lib.DS_CONTACT_NCP, time_step=1e-3)
    worst, passed, still = 0.0, [0, 0, 0], np.zeros(ours.nv)
    for q, _, _, w in states(report, robot, ours, match, seed=6):
        match.set(q, still)
        mujoco.mj_forward(m, d)
        rows = [r for r in range(d.nefc) if d.efc_type[r] == mujoco.mjtConstraint.mjCNSTR_LIMIT_JOINT]
        passed[len(rows)] += 1
        J = d.efc_J.reshape(d.nefc, m.nv)[rows]
        mine = sim.step(q, still, np.zeros(ours.nu))[1]
        answers = np.linalg.solve(match.mass_matrix(), J.T)
        # How fast a limit is undone is each engine's own.
        speeds = J @ mine
        if rows and min(speeds) <= 1e-3:
            report.fail(robot.name, f"limits of ball joints: expected both to be undone, got speeds {speeds}")
        expected = answers @ np.linalg.solve(J @ answers, speeds) if rows else still
        worst = max(worst, difference(weigh(mine, w.motion), weigh(expected, w.motion), 1e-6))
    if min(passed[1:]) == 0:
        report.fail(robot.name, f"limits of ball joints: expected states with one and two passed, got {passed}")
    report.row(robot.name, "limits of ball joints: a step from beyond them", worst, 1e-8)


def activations(report, robot, ours, match):
    """Lengths, rates and forces of actuators, of which some have a state, and the states after a step."""
    m, d = match.model, match.data
    match.disable(mujoco_model.EXTRA_FORCES[:4])
    m.opt.timestep = h = 1e-3
    sim = ds.Sim(ours, contact=ds.lib.DS_CONTACT_NONE, time_step=h)
    plain = (mujoco.mjtJoint.mjJNT_HINGE, mujoco.mjtJoint.mjJNT_SLIDE)
    lengthy = (mujoco.mjtTrn.mjTRN_TENDON, mujoco.mjtTrn.mjTRN_SITE)
    along = [i for i in range(m.nu)
             if m.actuator_trntype[i] in lengthy or m.jnt_type[m.actuator_trnid[i, 0]] in plain]
    worst, rng = np.zeros(4), np.random.default_rng(6)
    for q, v, _, _ in states(report, robot, ours, match, seed=5):
        u, act = rng.uniform(-0.3, 1.3, ours.nu), rng.uniform(-0.2, 1.2, ours.na)
        match.set(q, v)
        d.ctrl[:], d.act[:] = u, act
        mujoco.mj_forward(m, d)
        sim.act = act
        lengths, rates, forces = sim.actuator_states(q, v, u)
        # MuJoCo has no length of an actuator on a ball or free joint.
        pairs = [(lengths[along], d.actuator_length[along]), (rates[along], d.actuator_velocity[along])]
        pairs.append((forces, d.actuator_force.copy()))
        sim.step(q, v, u)
        mujoco.mj_step(m, d)
        pairs.append((sim.act, d.act))
        worst = np.maximum(worst, [difference(mine, theirs, 1.0) for mine, theirs in pairs])
    for quantity, value in zip(("lengths", "rates", "forces", "activations after 1 ms"), worst):
        report.row(robot.name, f"actuators: {quantity}", value, COMPILED)


def servos(m, d):
    """Moment, stiffness and damping of each actuator whose force has affine slopes and is within its range."""
    fixed, affine = int(mujoco.mjtGain.mjGAIN_FIXED), int(mujoco.mjtGain.mjGAIN_AFFINE)
    moments, found = np.zeros((m.nu, m.nv)), []
    mujoco.mju_sparse2dense(moments, d.actuator_moment, d.moment_rownnz, d.moment_rowadr, d.moment_colind)
    for i in range(m.nu):
        slopes = np.zeros(2)
        if m.actuator_biastype[i] == mujoco.mjtBias.mjBIAS_AFFINE:
            slopes += m.actuator_biasprm[i, 1:3]
        elif m.actuator_biastype[i] != mujoco.mjtBias.mjBIAS_NONE:
            continue
        if m.actuator_gaintype[i] == affine:
            low, high = m.actuator_ctrlrange[i] if m.actuator_ctrllimited[i] else (-np.inf, np.inf)
            slopes += m.actuator_gainprm[i, 1:3] * np.clip(d.ctrl[i], low, high)
        elif m.actuator_gaintype[i] != fixed:
            continue
        low, high = m.actuator_forcerange[i]
        if m.actuator_forcelimited[i] and not low < d.actuator_force[i] < high:
            continue
        if m.actuator_trntype[i] == mujoco.mjtTrn.mjTRN_SITE and m.actuator_trnid[i, 1] < 0:
            # Its length is always 0.
            slopes[0] = 0.0
        found.append((moments[i], *np.maximum(-slopes, 0.0)))
    return found


def step(report, robot, ours, match):
    """One contact-free step with the file's actuators, springs, dampers and tendons, and a push on a body,
    from MuJoCo's terms, with free joints in body axes and in world axes.

    (M + h D + h² K)(v⁺ − v) = h (actuation + springs + dampers + Jᵀ push − bias − h K v), where a tendon of moment g has
    the terms d g gᵀ in D and k g gᵀ in K, and a servo its slopes.
    """
    m, d = match.model, match.data
    match.disable(mujoco_model.EXTRA_FORCES[:4])
    match.set_added_masses()
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
        if ours.na:
            d.act[:] = rng.uniform(-0.2, 1.2, ours.na)
            for sim in sims:
                sim.act = d.act
        mujoco.mj_forward(m, d)
        body, push = int(rng.integers(1, m.nbody)), rng.uniform(-1, 1, 6)
        for sim in sims:
            sim.set_external_wrench(body, push)
        A = match.mass_matrix() + h * np.diag(m.dof_damping) + h * h * K
        force = match.body_jacobian(body, d.xpos[body]).T @ push
        force += d.qfrc_actuator + d.qfrc_passive - d.qfrc_bias - h * K @ d.qvel
        for moment, k, damping in servos(m, d):
            A += h * (damping + h * k) * np.outer(moment, moment)
            force -= h * k * moment * (moment @ d.qvel)
        for t in range(m.ntendon):
            moment, k = match.tendon_moment(t), match.tendon_stiffness(t)
            A += h * (m.tendon_damping[t] + h * k) * np.outer(moment, moment)
            force -= h * k * moment * (moment @ d.qvel)
        # v' = T v: MuJoCo's acceleration includes the turning of the axes. Ours takes damping and springs
        # implicitly, whichever axes a step ends in.
        T, drift = match.T(q), match.Tdot_v(q, v)
        expected = h * np.linalg.solve(T.T @ A @ T, T.T @ (force - match.mass_matrix() @ drift))
        # In world axes a step turns free bodies by discrete equations, and carries centres of mass.
        turning = free_spin.bodies(m, d)
        spun = force + sum(free.generalized(m, d, h) for free in turning)
        world = T @ (h * np.linalg.solve(T.T @ A @ T, T.T @ (spun - match.mass_matrix() @ drift))) + h * drift
        before, qpos = T @ v, np.array(ours.q_to_mujoco(q))
        after, moved = before + world, np.array(qpos)
        mujoco.mj_integratePos(m, moved, after, h)
        for free in (free for free in turning if free.is_free):
            at = m.jnt_qposadr[m.body_jntadr[free.body]]
            shift, velocity = free_spin.carried(free, before, world, h)
            moved[at : at + 3] = qpos[at : at + 3] + shift
            after[free.dof : free.dof + 3] = velocity
        (_, mine), (q_world, v_world) = (sim.step(q, v, u) for sim in sims)
        in_world = T.T @ (ours.v_to_mujoco(q_world, v_world) - before)
        worst = np.maximum(worst, [
            difference(weigh(mine - v, w.motion), weigh(expected, w.motion)),
            difference(weigh(in_world, w.motion), weigh(T.T @ (after - before), w.motion)),
            difference(np.array(ours.q_to_mujoco(q_world)), moved, 1.0),
        ])
        for sim in sims:
            sim.set_external_wrench(body, np.zeros(6))
    for quantity, value in zip(("change of v", "change of v in world axes", "q in world axes"), worst):
        report.row(robot.name, f"step: {quantity} in 1 ms", value, COMPILED)
