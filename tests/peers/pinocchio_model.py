"""A Pinocchio model beside one of ours: joints matched by name, vectors carried across.

Ours numbers joints depth first in the file's order, Pinocchio by its own rules, so every vector is
permuted. Pinocchio keeps an unbounded joint as (cos, sin) where ours keeps the angle.
"""

import numpy as np
import pinocchio as pin


def from_urdf(path, free):
    root = (pin.JointModelFreeFlyer(),) if free else ()
    return pin.buildModelFromUrdf(str(path), *root)


def from_mjcf(path):
    return pin.buildModelFromMJCF(str(path))


class Match:
    """`v_of[i]` is our index of Pinocchio's dof i; likewise for the coordinates that are plain."""

    def __init__(self, ours, pinocchio):
        self.ours, self.pin = ours, pinocchio
        self.v_of = np.full(pinocchio.nv, -1)
        self.coordinates = []  # (ours, Pinocchio's, is it (cos, sin))
        ids = {name: i for i, name in enumerate(ours.joint_names)}
        for j in range(1, pinocchio.njoints):
            joint, name = pinocchio.joints[j], pinocchio.names[j]
            first = self._joint_of(name, ids, joint)
            iv, iq = ours.joint_iv[first], ours.joint_iq[first]
            self.v_of[joint.idx_v : joint.idx_v + joint.nv] = range(iv, iv + joint.nv)
            unbounded = (joint.nq, joint.nv) == (2, 1)
            for k in range(1 if unbounded else joint.nq):
                self.coordinates.append((iq + k, joint.idx_q + k, unbounded))
        if sorted(self.v_of) != list(range(ours.nv)):
            raise ValueError(f"joints do not match: ours {ours.joint_names}, Pinocchio's {list(pinocchio.names)}")

    def _joint_of(self, name, ids, joint):
        # Several MJCF joints of one body are one joint there, named after the first of them.
        name = name.removeprefix("Composite_")
        if name in ids:
            return ids[name]
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
