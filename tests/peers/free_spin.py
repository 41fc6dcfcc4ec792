"""Bodies that turn freely, by the discrete Euler equations on SO(3), from MuJoCo's terms.

A body with the inertia I about a point turns by exp(h ω) in a step, with F₊(ω⁺) = F₋(ω) + h τ and

    F±(ω) = p ± ½ x × p + c x × (x × p),   p = I ω,   x = h ω,   c = (1 − (θ/2) cot(θ/2))/θ²,   θ = |x|

(Marsden & West, Discrete mechanics and variational integrators, 2001). The bodies are those on a free joint, about their centre
of mass, and those on a ball joint that carry nothing, about the joint, each with what is welded to it.
"""

import mujoco
import numpy as np


def momentum(inertia, h, omega, sign):
    p, x = inertia @ omega, h * omega
    t = np.linalg.norm(x)
    c = 1 / 12 + t * t / 720 if t < 1e-2 else (1 - t / 2 / np.tan(t / 2)) / (t * t)
    across = np.cross(x, p)
    return p + sign / 2 * across + c * np.cross(x, across)


def impulse(inertia, h, omega, push):
    """What beside −h ω × I ω and the push brings I ω to I ω⁺."""
    target = momentum(inertia, h, omega, -1.0) + push
    after = omega
    # F₊ is close to I ω, so that steps by I⁻¹ lead to the solution; turns of a millisecond are small.
    for _ in range(100):
        after = after + np.linalg.solve(inertia, target - momentum(inertia, h, after, 1.0))
    assert np.allclose(momentum(inertia, h, after, 1.0), target, rtol=1e-13, atol=1e-300)
    return inertia @ (after - omega) + h * np.cross(omega, inertia @ omega) - push


class Free:
    """A body that turns freely, at the state of the data."""

    def __init__(self, m, d, joint):
        self.body = body = int(m.jnt_bodyid[joint])
        self.dof = int(m.jnt_dofadr[joint])
        self.is_free = m.jnt_type[joint] == mujoco.mjtJoint.mjJNT_FREE
        self.frame = d.xmat[body].reshape(3, 3)
        # About the joint, which is the centre of the frame of a body on a free one.
        parts = [b for b in range(1, m.nbody) if m.body_weldid[b] == body]
        mass = m.body_mass[parts]
        at = (d.xipos[parts] - d.xanchor[joint]) @ self.frame
        self.first = mass @ at
        self.centre = self.first / mass.sum() if self.is_free else np.zeros(3)
        self.inertia = np.zeros((3, 3))
        for b, weight, r in zip(parts, mass, at - self.centre):
            axes = self.frame.T @ d.ximat[b].reshape(3, 3)
            self.inertia += axes @ np.diag(m.body_inertia[b]) @ axes.T + weight * (r @ r * np.eye(3) - np.outer(r, r))

    def generalized(self, m, d, h):
        """The couple that the discrete equations add, on the dofs."""
        velocity, turn = np.zeros(6), np.zeros((3, m.nv))
        mujoco.mj_objectVelocity(m, d, mujoco.mjtObj.mjOBJ_XBODY, self.body, velocity, 1)
        push = np.zeros(3) if self.is_free else h * np.cross(self.first, self.frame.T @ m.opt.gravity)
        couple = impulse(self.inertia, h, velocity[:3], push) / h
        mujoco.mj_jacBody(m, d, None, turn, self.body)
        return turn.T @ (self.frame @ couple)


def bodies(m, d):
    """Those of the model, with what is welded to them; a ball joint's with nothing that moves on it."""
    found = []
    for joint in range(m.njnt):
        body = m.jnt_bodyid[joint]
        kind, alone = m.jnt_type[joint], m.body_jntnum[body] == 1
        carries = any(m.body_weldid[m.body_parentid[b]] == body and m.body_weldid[b] == b for b in range(1, m.nbody))
        if kind == mujoco.mjtJoint.mjJNT_FREE or kind == mujoco.mjtJoint.mjJNT_BALL and alone and not carries:
            found.append(Free(m, d, joint))
    return found


def carried(free, v, change, h):
    """The change of v' of a free joint where a step carries the velocity of the centre of mass; v' and its change of the
    frame's origin."""
    i = free.dof
    lever, omega, spun = free.frame @ free.centre, free.frame @ v[i + 3 : i + 6], free.frame @ change[i + 3 : i + 6]
    centre = v[i : i + 3] + np.cross(omega, lever) + change[i : i + 3] + np.cross(spun, lever)
    centre += h * np.cross(omega, np.cross(omega, lever))
    after, turned = v[i + 3 : i + 6] + change[i + 3 : i + 6], np.zeros(4)
    mujoco.mju_axisAngle2Quat(turned, after / max(np.linalg.norm(after), 1e-300), h * np.linalg.norm(after))
    turn = np.zeros(9)
    mujoco.mju_quat2Mat(turn, turned)
    end = free.frame @ turn.reshape(3, 3)
    # Where the origin is, and its velocity there.
    moved = h * centre + lever - end @ free.centre
    return moved, centre - end @ np.cross(after, free.centre)
