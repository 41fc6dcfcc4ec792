"""A step with its Jacobians beside Nimble's (boxed LCP) and beside Drake's SAP in AutoDiffXd.

Each robot stands (or lies) on the floor under the same servos, without noise. Nimble, which has
no rotor inertia, gets it as inertia of the links, and the boxes, capsules and spheres of the robot;
Drake gets Go1's feet.
"""

import json

import mujoco
import numpy as np

import scenarios
import steps
from common import HERE, Best, compile_ours, run_json, say
from tables import table

# Their step and Jacobians over ours, at least.
NIMBLE = {"half_cheetah": 20, "atlas": 20}
DRAKE = 200
FRICTION = 0.8
_SHAPES = {
    int(mujoco.mjtGeom.mjGEOM_BOX): "box",
    int(mujoco.mjtGeom.mjGEOM_CAPSULE): "capsule",
    int(mujoco.mjtGeom.mjGEOM_SPHERE): "sphere",
}
_JOINTS = {
    int(mujoco.mjtJoint.mjJNT_FREE): "free",
    int(mujoco.mjtJoint.mjJNT_HINGE): "hinge",
    int(mujoco.mjtJoint.mjJNT_SLIDE): "slide",
}


def _rotation(quaternion):
    R = np.zeros(9)
    mujoco.mju_quat2Mat(R, np.array(quaternion))
    return R.reshape(3, 3)


def _describe(m, body):
    joints = range(m.body_jntadr[body], m.body_jntadr[body] + m.body_jntnum[body])
    geoms = [g for g in range(m.ngeom) if m.geom_bodyid[g] == body and int(m.geom_type[g]) in _SHAPES]
    R = _rotation(m.body_iquat[body])
    inertia = R @ np.diag(m.body_inertia[body]) @ R.T
    for j in joints:
        if m.jnt_type[j] == mujoco.mjtJoint.mjJNT_HINGE:
            inertia += m.dof_armature[m.jnt_dofadr[j]] * np.outer(m.jnt_axis[j], m.jnt_axis[j])
    return {
        "id": body,
        "parent": int(m.body_parentid[body]),
        "position": m.body_pos[body].tolist(),
        "rotation": _rotation(m.body_quat[body]).tolist(),
        "mass": m.body_mass[body],
        "com": m.body_ipos[body].tolist(),
        "inertia": inertia.tolist(),
        "joints": [
            {"kind": _JOINTS[int(m.jnt_type[j])], "axis": m.jnt_axis[j].tolist(), "anchor": m.jnt_pos[j].tolist(),
             "damping": float(np.ravel(m.dof_damping[m.jnt_dofadr[j]])[0]), "stiffness": float(np.ravel(m.jnt_stiffness[j])[0])}
            for j in joints
        ],
        "geoms": [
            {"kind": _SHAPES[int(m.geom_type[g])], "size": m.geom_size[g].tolist(), "position": m.geom_pos[g].tolist(),
             "rotation": _rotation(m.geom_quat[g]).tolist()}
            for g in geoms
        ],
    }


def _describe_for_nimble(p):
    m, stiffness = p.model, scenarios.BY_NAME[p.name].stiffness
    free = m.jnt_type[0] == mujoco.mjtJoint.mjJNT_FREE
    # Its free joint has a rotation vector, then a position; the robots here start upright.
    start = np.concatenate([np.zeros(3), p.qpos[:3], p.qpos[7:]]) if free else p.qpos
    servo = np.zeros(m.nv)
    servo[6 * free :] = stiffness
    return {
        "time_step": scenarios.TIME_STEP, "friction": FRICTION, "start": start.tolist(),
        "servo_stiffness": servo.tolist(), "servo_damping": np.zeros(m.nv).tolist(),
        "bodies": [_describe(m, body) for body in range(1, m.nbody)],
    }


def _describe_for_drake(p):
    scenario = scenarios.BY_NAME[p.name]
    joints = {p.model.joint(j).name: p.qpos[p.model.jnt_qposadr[j]] for j in range(1, p.model.njnt)}
    return {"time_step": scenarios.TIME_STEP, "friction": FRICTION, "stiffness": scenario.stiffness,
            "damping": scenario.damping, "base": p.qpos[:7].tolist(), "joints": joints}


def measure(prepared, rounds, nimble, drake):
    """{robot: Best}; `nimble` and `drake` are the interpreters that have them, or None."""
    compile_ours("ours_step.c")
    best = {}
    for p in prepared:
        sides = []
        if nimble and p.name in NIMBLE:
            path = p.folder / "nimble.json"
            path.write_text(json.dumps(_describe_for_nimble(p)))
            sides.append((nimble, HERE / "nimble_side.py", path))
        if drake and p.name == "go1":
            path = p.folder / "drake.json"
            path.write_text(json.dumps(_describe_for_drake(p)))
            sides.append((drake, HERE / "drake_side.py", "go1", p.urdf, path))
        if not sides:
            continue
        best[p.name], best[_pyramids(p.name)] = Best(), Best()
        for round_ in range(rounds):
            say(f"{p.name} beside Nimble and Drake, round {round_ + 1} of {rounds}")
            for theirs in [run_json(*command) for command in sides]:
                best[p.name].add(theirs)
                best[_pyramids(p.name)].add(theirs)
            best[p.name].add(steps.ours(p, p.stand))
            best[_pyramids(p.name)].add(steps.ours(p, p.stand, "lcp"))
    return best


def _pyramids(name):
    return f"{name}, pyramids"


def markdown(best, bounds):
    rows = []
    for name, b in best.items():
        ours = b["step"] + b["Jacobians"]
        for peer, bound in (("Nimble", NIMBLE.get(name.split(",")[0])), ("Drake", DRAKE)):
            both = f"{peer} step and Jacobian" + ("s" if peer == "Nimble" else "")
            if both in b:
                contacts = b.last[f"{peer.lower()}_run"]["contacts"]
                rows.append([name, peer, f"{b.last['run']['contacts']:.1f} / {contacts:.1f}", b["step"], b[f"{peer} step"], ours, b[both],
                             bounds.at_least(b[both] / ours, bound)])
    return [
        "### A step with its Jacobians, beside Nimble and Drake",
        "",
        "Contacts are the mean, ours and theirs. Ours with exact cones, or with friction pyramids as Nimble. Drake's is SAP in",
        "AutoDiffXd, by state and generalized force.",
        "",
        *table(["robot", "peer", "contacts", "step", "theirs", "step + Jacobians", "theirs", "ratio"], rows),
    ]
