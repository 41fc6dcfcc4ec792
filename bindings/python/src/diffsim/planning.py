"""A model's step for solvers of optimal control: x⁺ = f(x, u) with x = (q, v), and its derivatives.

`diffsim.casadi`, `diffsim.acados`, `diffsim.crocoddyl` and `diffsim.aligator` use it. Each of them needs its package; this module does
not.
"""

from __future__ import annotations

from typing import Any, Callable, List, NamedTuple, Tuple

import numpy as np
from numpy.typing import ArrayLike

from ._errors import DiffsimError, InvalidArgumentError, UnsupportedError
from ._handle import given
from ._names import instance
from ._native import Array, array
from .enums import Gradient, JointKind
from .model import Model
from .sim import Sim


class Quaternion(NamedTuple):
    """Location of a rotation: its first entry in q, its first dof, and those of a free joint's position (-1 for other
    joints)."""

    q: int
    v: int
    position: Tuple[int, int]


def quaternions(model: Model) -> List[Quaternion]:
    """Rotations of a model with quaternions as coordinates."""
    out = []
    for joint in given(model, Model, "model").joints:
        if joint.kind == JointKind.SPHERICAL:
            out.append(Quaternion(joint.q_index, joint.v_index, (-1, -1)))
        elif joint.kind == JointKind.FREE:
            out.append(Quaternion(joint.q_index + 3, joint.v_index + 3, (joint.q_index, joint.v_index)))
    return out


class Transition:
    """`steps` steps of a model with one input, as a function of x = (q, v) and u.

    Every call begins without a warm start: equal arguments give equal bits. options: those of a `Sim`. differences:
    None for exact derivatives, else the increment of central differences, for comparison.

    If a step fails, `step` and the derivatives are NaN; solvers then try a shorter step. `failure` has the reason.
    `gradients` counts the labels of the differentiated steps.
    """

    def __init__(self, model: Model, steps: int = 1, differences: Any = None, **options: Any) -> None:
        given(model, Model, "model")
        if not isinstance(steps, int) or steps < 1:
            raise InvalidArgumentError(f"steps: expected an integer of at least 1, got {steps!r}")
        if differences is not None and not 0 < differences < 1:
            raise InvalidArgumentError(f"differences: expected an increment between 0 and 1, or None, got {differences!r}")
        if model.act_actuators:
            raise UnsupportedError("model: its actuators have activations, which x = (q, v) does not hold")
        self.model, self.steps, self.differences = model, steps, differences
        self.options = options
        self.sim = Sim(model, **options)
        self.nq, self.nv, self.nu = model.nq, model.nv, model.nu
        #: Length of x, and of its tangent.
        self.nx, self.ndx = self.nq + self.nv, 2 * self.nv
        self.time_step = steps * self.sim.time_step
        self.quaternions = quaternions(model)
        self.failure = ""
        self.evaluations = self.derivatives = 0
        self.gradients = {label: 0 for label in Gradient}

    def __deepcopy__(self, memo: Any) -> Transition:
        """A transition of the same model with a simulation of its own."""
        return Transition(self.model, self.steps, self.differences, **self.options)

    def state(self, q: ArrayLike, v: ArrayLike) -> Array:
        """x from q and v."""
        return np.concatenate([array(q, (self.nq,), "q"), array(v, (self.nv,), "v")])

    def split(self, x: ArrayLike) -> Tuple[Array, Array]:
        """q with quaternions of unit length, and v."""
        x = array(x, (self.nx,), "x")
        q = x[: self.nq].copy()
        for at in self.quaternions:
            length = np.linalg.norm(q[at.q : at.q + 4])
            if length > 0:
                q[at.q : at.q + 4] /= length
        return q, x[self.nq :].copy()

    def step(self, x: ArrayLike, u: ArrayLike) -> Array:
        """The next state x⁺."""
        self.evaluations += 1
        try:
            q, v = self.split(x)
            self.sim.reset()
            for _ in range(self.steps):
                q, v = self.sim.step(q, v, u)
        except DiffsimError as error:
            return self._failed(error)
        return np.concatenate([q, v])

    def linearize(self, x: ArrayLike, u: ArrayLike) -> Tuple[Array, Array, Array]:
        """(x⁺, A, B): δx⁺ = A δx + B δu with δx = (δq, δv), δq in the tangent space of q. 2nv×2nv and 2nv×nu."""
        self.derivatives += 1
        if self.differences is not None:
            return self._differenced(x, u)
        n, nu = self.nv, self.nu
        A, B = np.eye(2 * n), np.zeros((2 * n, nu))
        try:
            q, v = self.split(x)
            self.sim.reset()
            for _ in range(self.steps):
                q, v = self.sim.step(q, v, u)
                J = self.sim.jacobians(("dq_dq", "dq_dv", "dq_du", "dv_dq", "dv_dv", "dv_du"))
                one = np.block([[J.dq_dq, J.dq_dv], [J.dv_dq, J.dv_dv]])
                A, B = one @ A, one @ B + np.concatenate([J.dq_du, J.dv_du])
                self.gradients[self.sim.info().gradient] += 1
        except DiffsimError as error:
            return self._failed(error), np.full_like(A, np.nan), np.full_like(B, np.nan)
        return np.concatenate([q, v]), A, B

    def jacobians(self, x: ArrayLike, u: ArrayLike) -> Tuple[Array, Array, Array]:
        """(x⁺, ∂x⁺/∂x, ∂x⁺/∂u) by the entries of x: nx×nx and nx×nu. A quaternion stands for the unit quaternion in
        its direction. So a solver that leaves the unit sphere still has the derivative of its function."""
        y, A, B = self.linearize(x, u)
        if not self.quaternions:
            return y, A, B
        right, left = self._to_tangent(np.asarray(x, float)), self._from_tangent(y)
        return y, left @ A @ right, left @ B

    def _to_tangent(self, x: Array) -> Array:
        """∂(tangent of x)/∂(entries of x): ndx×nx."""
        out = np.zeros((self.ndx, self.nx))
        out[self.nv :, self.nq :] = np.eye(self.nv)
        for joint in self.model.joints:
            if joint.nq == joint.nv:
                out[joint.v_index : joint.v_index + joint.nv, joint.q_index : joint.q_index + joint.nq] = np.eye(joint.nv)
        for at in self.quaternions:
            length = np.linalg.norm(x[at.q : at.q + 4])
            a, b, c, w = x[at.q : at.q + 4] / length
            # ω = 2 vec(conj(q) δq) / |q|
            out[at.v : at.v + 3, at.q : at.q + 4] = 2.0 / length * np.array([[w, c, -b, -a], [-c, w, a, -b], [b, -a, w, -c]])
            if at.position[0] >= 0:
                i, k = at.position
                out[k : k + 3, i : i + 3] = rotation(a, b, c, w).T
        return out

    def _from_tangent(self, x: Array) -> Array:
        """∂(entries of x)/∂(tangent of x), x with quaternions of unit length: nx×ndx."""
        out = np.zeros((self.nx, self.ndx))
        out[self.nq :, self.nv :] = np.eye(self.nv)
        for joint in self.model.joints:
            if joint.nq == joint.nv:
                out[joint.q_index : joint.q_index + joint.nq, joint.v_index : joint.v_index + joint.nv] = np.eye(joint.nv)
        for at in self.quaternions:
            a, b, c, w = x[at.q : at.q + 4]
            out[at.q : at.q + 4, at.v : at.v + 3] = 0.5 * np.array([[w, -c, b], [c, w, -a], [-b, a, w], [-a, -b, -c]])
            if at.position[0] >= 0:
                i, k = at.position
                out[i : i + 3, k : k + 3] = rotation(a, b, c, w)
        return out

    # States as points of a manifold

    def difference(self, x0: ArrayLike, x1: ArrayLike) -> Array:
        """The tangent vector from x0 to x1."""
        (q0, v0), (q1, v1) = self.split(x0), self.split(x1)
        return np.concatenate([self.model.difference(q0, q1), v1 - v0])

    def integrate(self, x: ArrayLike, dx: ArrayLike) -> Array:
        """Moves x along a tangent vector."""
        q, v = self.split(x)
        d = array(dx, (self.ndx,), "dx")
        return np.concatenate([self.model.integrate(q, d[: self.nv]), v + d[self.nv :]])

    def _differenced(self, x: ArrayLike, u: ArrayLike) -> Tuple[Array, Array, Array]:
        u, e = array(u, (self.nu,), "u"), self.differences
        y = self.step(x, u)
        A, B = np.empty((self.ndx, self.ndx)), np.empty((self.ndx, self.nu))
        if np.isnan(y).any():
            return y, np.full_like(A, np.nan), np.full_like(B, np.nan)
        moved: Tuple[Tuple[Array, Callable[[Array], Array]], ...] = (
            (A, lambda d: self.step(self.integrate(x, d), u)),
            (B, lambda d: self.step(x, u + d)),
        )
        for out, ends in moved:
            for k in range(out.shape[1]):
                d = np.zeros(out.shape[1])
                d[k] = e
                two = ends(d), ends(-d)
                failed = np.isnan(two).any()
                out[:, k] = np.nan if failed else (self.difference(y, two[0]) - self.difference(y, two[1])) / (2.0 * e)
        return y, A, B

    def _failed(self, error: DiffsimError) -> Array:
        self.failure = str(error)
        return np.full(self.nx, np.nan)


def rotation(a: float, b: float, c: float, w: float) -> Array:
    """Rotation matrix of a unit quaternion (x y z w)."""
    return np.array(
        [
            [1 - 2 * (b * b + c * c), 2 * (a * b - c * w), 2 * (a * c + b * w)],
            [2 * (a * b + c * w), 1 - 2 * (a * a + c * c), 2 * (b * c - a * w)],
            [2 * (a * c - b * w), 2 * (b * c + a * w), 1 - 2 * (a * a + b * b)],
        ]
    )


def _cross(x: Array) -> Array:
    return np.array([[0.0, -x[2], x[1]], [x[2], 0.0, -x[0]], [-x[1], x[0], 0.0]])


def right_jacobian(d: Array) -> Array:
    """∂(log(exp(d)⁻¹ exp(d + δ)))/∂δ of a rotation (3 numbers) or a rigid motion (6: linear, angular), by its series."""
    n = len(d)
    if n == 3:
        ad = _cross(d)
    else:
        ad = np.zeros((6, 6))
        ad[:3, :3] = ad[3:, 3:] = _cross(d[3:])
        ad[:3, 3:] = _cross(d[:3])
    out, term = np.eye(n), np.eye(n)
    for k in range(2, 60):
        term = term @ (-ad) / k
        out = out + term
    return out


def difference_jacobians(transition: Transition, x0: ArrayLike, x1: ArrayLike) -> Tuple[Array, Array]:
    """Derivatives of `difference` by the tangents of x0 and x1."""
    d = instance(transition, Transition, "transition").difference(x0, x1)
    first, second = -np.eye(transition.ndx), np.eye(transition.ndx)
    for s in _spans(transition):
        # q1 moves on its right side. A motion of q0 on its right is the inverse motion on the left of the
        # difference.
        second[s, s] = np.linalg.inv(right_jacobian(d[s]))
        first[s, s] = -np.linalg.inv(right_jacobian(-d[s]))
    return first, second


def integrate_jacobians(transition: Transition, dx: ArrayLike) -> Tuple[Array, Array]:
    """Derivatives of `integrate` by the tangents of x and by dx."""
    d = array(dx, (instance(transition, Transition, "transition").ndx,), "dx")
    first, second = np.eye(transition.ndx), np.eye(transition.ndx)
    for s in _spans(transition):
        second[s, s] = right_jacobian(d[s])
        # exp(d)⁻¹ exp(δ) exp(d) = exp(Ad(exp(-d)) δ), and Ad(exp(-d)) = J_r(d) J_r(-d)⁻¹.
        first[s, s] = second[s, s] @ np.linalg.inv(right_jacobian(-d[s]))
    return first, second


def _spans(transition: Transition) -> List[slice]:
    return [slice(at.v - 3 if at.position[0] >= 0 else at.v, at.v + 3) for at in transition.quaternions]
