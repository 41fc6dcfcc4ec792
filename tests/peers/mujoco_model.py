"""A MuJoCo model beside one of ours: states, forces and matrices carried across.

Bodies, joints and dofs have the same order on both sides (depth first in the file's order). A free
joint differs: there MuJoCo's quaternion starts with w, and the linear velocity is in world axes. So
v' = T(q) v with T = diag(R, 1) for a free joint, hence a' = T a + Ṫ v, whose linear part is
R (a + ω × v), and forces go by the transpose of T.
"""

import sys

import mujoco
import numpy as np

# Left to itself MuJoCo also writes each warning to MUJOCO_LOG.TXT in the working directory.
mujoco.set_mju_user_warning(lambda text: print(f"  MuJoCo: {text}", file=sys.stderr))

# What acts besides inertia and gravity.
EXTRA_FORCES = (
    mujoco.mjtDisableBit.mjDSBL_CONTACT,
    mujoco.mjtDisableBit.mjDSBL_LIMIT,
    mujoco.mjtDisableBit.mjDSBL_FRICTIONLOSS,
    mujoco.mjtDisableBit.mjDSBL_EQUALITY,
    mujoco.mjtDisableBit.mjDSBL_ACTUATION,
    mujoco.mjtDisableBit.mjDSBL_SPRING,
    mujoco.mjtDisableBit.mjDSBL_DAMPER,
)


class Match:
    def __init__(self, ours, path):
        self.ours = ours
        self.model = mujoco.MjModel.from_xml_path(str(path))
        self.data = mujoco.MjData(self.model)
        m = self.model
        sizes = (ours.nq, ours.nv, ours.nbody - 1, ours.ngeom)
        expected = (m.nq, m.nv, m.nbody - 1, m.ngeom)
        if sizes != expected:
            raise ValueError(f"expected nq, nv, bodies, geoms {expected}, got {sizes}")
        moving = [name for name, nv in zip(ours.joint_names, ours.joint_nv) if nv]
        for kind, mine, theirs in (
            ("joints", moving, [m.joint(i).name for i in range(m.njnt)]),
            ("bodies", ours.body_names[1:], [m.body(i).name for i in range(1, m.nbody)]),
            ("geoms", ours.geom_names, [m.geom(i).name for i in range(m.ngeom)]),
        ):
            # A nameless element may be given a name by a loader; a name may not change.
            if any(name and name != own for own, name in zip(mine, theirs, strict=True)):
                raise ValueError(f"{kind}: expected {theirs}, got {mine}")
        self.free = [(iq, iv) for iq, nq, iv in zip(ours.joint_iq, ours.joint_nq, ours.joint_iv) if nq == 7]
        self.quaternions = [iq + nq - 4 for iq, nq in zip(ours.joint_iq, ours.joint_nq) if nq in (4, 7)]

    def disable(self, flags=EXTRA_FORCES):
        for flag in flags:
            self.model.opt.disableflags |= flag

    def set(self, q, v):
        """Puts our state into MuJoCo's data."""
        qpos = np.array(q)
        for i in self.quaternions:
            qpos[i : i + 4] = q[[i + 3, i, i + 1, i + 2]]
        self.data.qpos[:] = qpos
        self.data.qvel[:] = self.T(q) @ v

    def T(self, q):
        """∂v'/∂v."""
        T = np.eye(self.ours.nv)
        for iq, iv in self.free:
            x, y, z, w = q[iq + 3 : iq + 7]
            R = np.zeros(9)
            mujoco.mju_quat2Mat(R, np.array([w, x, y, z]))
            T[iv : iv + 3, iv : iv + 3] = R.reshape(3, 3)
        return T

    def Tdot_v(self, q, v):
        out, T = np.zeros(self.ours.nv), self.T(q)
        for _, iv in self.free:
            R = T[iv : iv + 3, iv : iv + 3]
            out[iv : iv + 3] = R @ np.cross(v[iv + 3 : iv + 6], v[iv : iv + 3])
        return out

    def mass_matrix(self):
        """MuJoCo's, in its own coordinates, at the state last computed."""
        M = np.zeros((self.model.nv, self.model.nv))
        mujoco.mj_fullM(self.model, self.data, M)
        return M

    def body_jacobian(self, body, point):
        """6×nv in MuJoCo's coordinates; `point` in the world."""
        J = np.zeros((6, self.model.nv))
        mujoco.mj_jac(self.model, self.data, J[:3], J[3:], point, body)
        return J

    def gravity_compensation(self):
        """The generalized force that carries bodies' weights, in MuJoCo's coordinates, at the state last computed."""
        m, force = self.model, np.zeros(self.model.nv)
        for body in range(1, m.nbody):
            weight = m.body_gravcomp[body] * m.body_mass[body] * m.opt.gravity
            force -= self.body_jacobian(body, self.data.xipos[body])[:3].T @ weight
        return force

    def tendon_moment(self, tendon):
        """∂l/∂q in MuJoCo's coordinates, at the state last computed."""
        m, row = self.model, np.zeros(self.model.nv)
        entries = slice(m.ten_J_rowadr[tendon], m.ten_J_rowadr[tendon] + m.ten_J_rownnz[tendon])
        row[m.ten_J_colind[entries]] = self.data.ten_J[entries]
        return row

    def tendon_stiffness(self, tendon):
        """That of the state last computed: none within the lengths at rest."""
        m = self.model
        lower, upper = m.tendon_lengthspring[tendon]
        rests = lower <= self.data.ten_length[tendon] <= upper
        return 0.0 if rests else m.tendon_stiffness[tendon].item()

    def set_added_masses(self):
        """The integrals of ellipsoids' added masses to round-off; MuJoCo's own rule leaves errors of up to 1e-4."""
        m = self.model
        for g in range(m.ngeom):
            if not m.geom_fluid[g, 0]:
                continue
            r, length = m.geom_size[g, :2]
            s = {
                mujoco.mjtGeom.mjGEOM_SPHERE: np.array([r, r, r]),
                mujoco.mjtGeom.mjGEOM_CAPSULE: np.array([r, r, r + length]),
                mujoco.mjtGeom.mjGEOM_CYLINDER: np.array([r, r, length]),
            }.get(mujoco.mjtGeom(m.geom_type[g]), m.geom_size[g])
            m.geom_fluid[g, 6:] = added_mass(s)

    def body_inertia(self, body):
        """m, m·c, inertia about the body's origin (xx xy yy xz yz zz)."""
        m = self.model
        R = np.zeros(9)
        mujoco.mju_quat2Mat(R, m.body_iquat[body])
        R = R.reshape(3, 3)
        mass, c = m.body_mass[body], m.body_ipos[body]
        inertia = R @ np.diag(m.body_inertia[body]) @ R.T + mass * (c @ c * np.eye(3) - np.outer(c, c))
        return np.concatenate([[mass], mass * c, inertia[[0, 0, 1, 0, 1, 2], [0, 1, 1, 2, 2, 2]]])


def added_mass(s):
    """Mass along and inertia about each semi-axis of an ellipsoid, per density (Lamb, Hydrodynamics, 1932)."""
    x, w = np.polynomial.legendre.leggauss(400)
    t = (x + 1) / 2
    # The integral over λ from 0 to infinity, with λ = c (t / (1 - t))².
    c, u = np.max(s) ** 2, t / (1 - t)
    weight = w * c * u / (1 - t) ** 2
    shifted = s[:, None] ** 2 + c * u * u
    alpha = np.prod(s) * np.sum(weight / (shifted * np.sqrt(np.prod(shifted, axis=0))), axis=1)
    volume, inertia = 4 / 3 * np.pi * np.prod(s), np.zeros(3)
    for k in range(3):
        i, j = (k + 1) % 3, (k + 2) % 3
        apart, both, between = s[i] ** 2 - s[j] ** 2, s[i] ** 2 + s[j] ** 2, alpha[j] - alpha[i]
        if apart:
            inertia[k] = volume / 5 * apart**2 * between / (2 * apart - both * between)
    return np.concatenate([volume * alpha / (2 - alpha), inertia])


def pose(position, quaternion):
    """4×4 from MuJoCo's position and quaternion."""
    R = np.zeros(9)
    mujoco.mju_quat2Mat(R, np.array(quaternion))
    out = np.eye(4)
    out[:3, :3], out[:3, 3] = R.reshape(3, 3), position
    return out
