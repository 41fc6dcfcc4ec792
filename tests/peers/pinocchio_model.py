"""A Pinocchio model beside one of ours: joints matched by name, vectors carried across.

Ours numbers joints depth first in the file's order, Pinocchio by its own rules, so every vector is
permuted. Pinocchio keeps an unbounded joint as (cos, sin) where ours keeps the angle.
"""

import mujoco
import numpy as np
import pinocchio as pin


def from_urdf(path, free):
    root = (pin.JointModelFreeFlyer(),) if free else ()
    return pin.buildModelFromUrdf(str(path), *root)


def from_mujoco(m):
    """A Pinocchio model of MuJoCo's compiled model.

    Pinocchio's own MJCF reader will not do: it ignores settotalmass, and it makes the joints of one
    body a composite joint, for which its derivatives of inverse dynamics are not the differences of
    its inverse dynamics. Here every joint is one of its own, with massless bodies between.
    """
    model = pin.Model()
    model.gravity.linear = m.opt.gravity
    armature = []
    joint_of, frame_of = {0: 0}, {0: pin.SE3.Identity()}  # of a body: its joint, and its pose there
    for body in range(1, m.nbody):
        parent = m.body_parentid[body]
        joint, frame = joint_of[parent], frame_of[parent] * _pose(m.body_pos[body], m.body_quat[body])
        for j in range(m.body_jntadr[body], m.body_jntadr[body] + m.body_jntnum[body]):
            free = m.jnt_type[j] == mujoco.mjtJoint.mjJNT_FREE
            here = pin.SE3.Identity() if free else pin.SE3(np.eye(3), m.jnt_pos[j])
            placement = pin.SE3.Identity() if free else frame * here * _reference(m, j)
            joint = model.addJoint(joint, _joint(m, j), placement, joint_name(m, j))
            frame = here.inverse()
            dof = m.jnt_dofadr[j]
            armature.extend(m.dof_armature[dof : dof + model.joints[joint].nv])
        joint_of[body], frame_of[body] = joint, frame
        if joint:
            R = _pose(np.zeros(3), m.body_iquat[body]).rotation
            inertia = R @ np.diag(m.body_inertia[body]) @ R.T
            model.appendBodyToJoint(joint, pin.Inertia(m.body_mass[body], m.body_ipos[body], inertia), frame)
    model.armature = np.array(armature)
    return model


def joint_name(m, j):
    """The joint's name, or its number for one without."""
    return m.joint(j).name or f"#{j}"


def _joint(m, j):
    kind, axis = m.jnt_type[j], m.jnt_axis[j]
    if kind == mujoco.mjtJoint.mjJNT_FREE:
        return pin.JointModelFreeFlyer()
    if kind == mujoco.mjtJoint.mjJNT_BALL:
        return pin.JointModelSpherical()
    hinge = kind == mujoco.mjtJoint.mjJNT_HINGE
    # The aligned kinds are the faster ones, which matters to the benchmark.
    for unit, turning, sliding in zip(np.eye(3), (pin.JointModelRX, pin.JointModelRY, pin.JointModelRZ),
                                      (pin.JointModelPX, pin.JointModelPY, pin.JointModelPZ)):
        if np.array_equal(axis, unit):
            return turning() if hinge else sliding()
    return pin.JointModelRevoluteUnaligned(axis) if hinge else pin.JointModelPrismaticUnaligned(axis)


def _reference(m, j):
    """The joint's motion to −qpos0: the body is at its place where the coordinate is qpos0."""
    back = -m.qpos0[m.jnt_qposadr[j]] * m.jnt_axis[j]
    if m.jnt_type[j] == mujoco.mjtJoint.mjJNT_HINGE:
        return pin.SE3(pin.exp3(back), np.zeros(3))
    if m.jnt_type[j] == mujoco.mjtJoint.mjJNT_SLIDE:
        return pin.SE3(np.eye(3), back)
    return pin.SE3.Identity()


def _pose(position, quaternion):
    w, x, y, z = quaternion
    return pin.SE3(pin.Quaternion(w, x, y, z).matrix(), np.array(position))


class Match:
    """`v_of[i]` is our index of Pinocchio's dof i."""

    def __init__(self, ours, pinocchio):
        self.ours, self.pin = ours, pinocchio
        self.v_of = np.full(pinocchio.nv, -1)
        self.coordinates = []  # (ours, Pinocchio's, is it (cos, sin))
        moving = [i for i, nv in enumerate(ours.joint_nv) if nv]
        ids = {ours.joint_names[i] or f"#{k}": i for k, i in enumerate(moving)}
        for j in range(1, pinocchio.njoints):
            joint = pinocchio.joints[j]
            i = self._joint_of(pinocchio.names[j], ids, joint)
            iv, iq = ours.joint_iv[i], ours.joint_iq[i]
            self.v_of[joint.idx_v : joint.idx_v + joint.nv] = range(iv, iv + joint.nv)
            unbounded = (joint.nq, joint.nv) == (2, 1)
            for k in range(1 if unbounded else joint.nq):
                self.coordinates.append((iq + k, joint.idx_q + k, unbounded))
        if sorted(self.v_of) != list(range(ours.nv)):
            raise ValueError(f"joints do not match: ours {ours.joint_names}, Pinocchio's {list(pinocchio.names)}")

    def _joint_of(self, name, ids, joint):
        if name in ids:
            return ids[name]
        # The root joint, which is not in a URDF, may be called differently.
        free = [i for i, nq in enumerate(self.ours.joint_nq) if nq == 7]
        if joint.nq == 7 and len(free) == 1:
            return free[0]
        raise ValueError(f"Pinocchio's joint {name!r} is none of ours: {self.ours.joint_names}")

    def q(self, q):
        """Our configuration as Pinocchio's."""
        out = np.zeros(self.pin.nq)
        for ours, theirs, unbounded in self.coordinates:
            if unbounded:
                out[theirs : theirs + 2] = np.cos(q[ours]), np.sin(q[ours])
            else:
                out[theirs] = q[ours]
        return out

    def v(self, v):
        """Our velocity, acceleration or force as Pinocchio's."""
        return v[self.v_of]

    def back(self, x, *axes):
        """Pinocchio's array in our order, along the axes that run over dofs."""
        for axis in axes:
            out = np.empty_like(x)
            index = [slice(None)] * x.ndim
            index[axis] = self.v_of
            out[tuple(index)] = x
            x = out
        return x
