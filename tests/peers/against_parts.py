"""The parts of a loaded model, as its getters describe them, against MuJoCo's and Pinocchio's models of the same file."""

import mujoco
import numpy as np
import pinocchio

import diffsim_c as ds
from report import difference

ALLOWED = 1e-12
#: MuJoCo's joint types: free, ball, slide, hinge.
SCALAR = (mujoco.mjtJoint.mjJNT_SLIDE, mujoco.mjtJoint.mjJNT_HINGE)


def described(model, kind, of):
    """The struct that the library fills for a part."""
    out = ds.ffi.new(f"ds_{kind}_desc *")
    getattr(ds.lib, f"ds_{kind}_desc_init")(out)
    ds._check(getattr(ds.lib, f"ds_model_{kind}")(model.handle, of, out))
    return out


def place(matrix):
    """A 4×4 placement of the library as rotation and position."""
    m = np.array(list(matrix)).reshape((4, 4), order="F")
    return m[:3, :3], m[:3, 3]


def about_com(inertia):
    """Mass, centre of mass and inertia about it, of ten numbers."""
    m, first, (xx, xy, yy, xz, yz, zz) = inertia[0], inertia[1:4], inertia[4:]
    com = first / m if m > 0 else np.zeros(3)
    square = com @ com * np.eye(3) - np.outer(com, com)
    return m, com, np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]) - m * square


def of_quaternion(quat):
    out = np.zeros(9)
    mujoco.mju_quat2Mat(out, quat)
    return out.reshape(3, 3)


class Pairs:
    """Numbers of both by quantity."""

    def __init__(self):
        self.of = {}

    def add(self, quantity, ours, theirs):
        pair = self.of.setdefault(quantity, ([], []))
        for side, x in zip(pair, (ours, theirs)):
            side.extend(np.ravel(np.asarray(x, dtype=float)))

    def report(self, report, name):
        for quantity, (ours, theirs) in self.of.items():
            scale = 1.0 if quantity in ("placements", "axes", "centres of mass") else 0.0
            # A bound that is missing is infinite, on both sides.
            infinite = np.isinf(ours) & (np.array(ours) == theirs)
            report.row(name, quantity, difference(np.where(infinite, 0, ours), np.where(infinite, 0, theirs), scale), ALLOWED)


def compare_mjcf(report, robot):
    ours, theirs = ds.Model(robot.path), mujoco.MjModel.from_xml_path(str(robot.path))
    pairs = Pairs()
    pairs.add("numbers of parts", [ours.nbody, ours.njoint, ours.nu], [theirs.nbody, theirs.njnt, theirs.nu])
    for i in range(1, min(ours.nbody, theirs.nbody)):
        b = described(ours, "body", i)
        mass, com, inertia = about_com(np.array(list(b.inertia)))
        axes = of_quaternion(theirs.body_iquat[i])
        pairs.add("parents", b.parent, theirs.body_parentid[i])
        pairs.add("masses", mass, theirs.body_mass[i])
        if mass > 0:
            pairs.add("centres of mass", com, theirs.body_ipos[i])
            pairs.add("inertias", inertia, axes @ np.diag(theirs.body_inertia[i]) @ axes.T)
        rotation, position = place(b.placement)
        if b.mocap < 0:
            pairs.add("placements", rotation, of_quaternion(theirs.body_quat[i]))
            pairs.add("placements", position, theirs.body_pos[i])
    for i in range(min(ours.njoint, theirs.njnt)):
        j, dof = described(ours, "joint", i), theirs.jnt_dofadr[i]
        pairs.add("bodies of joints", ds.lib.ds_model_joint_body(ours.handle, i), theirs.jnt_bodyid[i])
        if theirs.jnt_type[i] != mujoco.mjtJoint.mjJNT_FREE:
            pairs.add("damping, armature, friction", [j.damping, j.armature, j.friction_loss],
                      [theirs.dof_damping[dof], theirs.dof_armature[dof], theirs.dof_frictionloss[dof]])
            pairs.add("stiffness", j.stiffness, theirs.jnt_stiffness[i])
        if theirs.jnt_type[i] in SCALAR:
            pairs.add("axes", list(j.axis), theirs.jnt_axis[i])
            bounds = theirs.jnt_range[i] if theirs.jnt_limited[i] else (-np.inf, np.inf)
            pairs.add("limits", [j.lower, j.upper], bounds)
            address = theirs.jnt_qposadr[i]
            pairs.add("references", j.reference, theirs.qpos0[address])
            if j.stiffness > 0:
                pairs.add("spring references", j.spring_reference, theirs.qpos_spring[address])
    for i in range(min(ours.nu, theirs.nu)):
        a = described(ours, "actuator", i)
        if theirs.actuator_gaintype[i] != mujoco.mjtGain.mjGAIN_FIXED:
            continue
        pairs.add("gains", a.gain, theirs.actuator_gainprm[i, 0])
        if theirs.actuator_biastype[i] == mujoco.mjtBias.mjBIAS_AFFINE:
            pairs.add("biases", list(a.bias), theirs.actuator_biasprm[i, :3])
        if a.joint != ds.ffi.NULL:
            joint = mujoco.mj_id2name(theirs, mujoco.mjtObj.mjOBJ_JOINT, theirs.actuator_trnid[i, 0])
            pairs.add("joints of actuators", ds.ffi.string(a.joint).decode() == joint, True)
            pairs.add("gears", a.gear[0], theirs.actuator_gear[i, 0])
        for quantity, given, bounds, limited in (
            ("control ranges", (a.control_lower, a.control_upper), theirs.actuator_ctrlrange[i], theirs.actuator_ctrllimited[i]),
            ("force ranges", (a.force_lower, a.force_upper), theirs.actuator_forcerange[i], theirs.actuator_forcelimited[i]),
        ):
            pairs.add(quantity, given, bounds if limited else (-np.inf, np.inf))
    pairs.report(report, robot.name)


def compare_urdf(report, robot):
    ours = ds.Model(robot.path, **robot.load_options(ds.lib))
    base = [pinocchio.JointModelFreeFlyer()] if robot.free else []
    theirs = pinocchio.buildModelFromUrdf(str(robot.path), *base)
    pairs = Pairs()
    #: Pinocchio joins bodies that are welded to each other.
    masses = np.zeros(ours.nbody)
    for i in reversed(range(1, ours.nbody)):
        b = described(ours, "body", i)
        masses[i] += b.inertia[0]
        masses[b.parent] += masses[i]
    for i in range(ours.njoint):
        j = described(ours, "joint", i)
        name = ds.ffi.string(j.name).decode()
        if not theirs.existJointName(name):
            pairs.add("joints that both have", ours.joint_nv[i], 0)
            continue
        k = theirs.getJointId(name)
        pairs.add("joints that both have", ours.joint_nv[i], theirs.nvs[k])
        pairs.add("masses", masses[ds.lib.ds_model_joint_body(ours.handle, i)], sum(theirs.inertias[s].mass for s in theirs.subtrees[k]))
        if theirs.nvs[k] == 1:
            dof, position = theirs.idx_vs[k], theirs.idx_qs[k]
            pairs.add("efforts, velocities", [j.effort, j.velocity], [theirs.upperEffortLimit[dof], theirs.upperVelocityLimit[dof]])
            if theirs.nqs[k] == 1:
                pairs.add("limits", [j.lower, j.upper], [theirs.lowerPositionLimit[position], theirs.upperPositionLimit[position]])
            pairs.add("damping, friction", [j.damping, j.friction_loss], [theirs.damping[dof], theirs.upperDryFrictionLimit[dof]])
    pairs.report(report, robot.name)
