"""Configurations for automatic differentiation: ⊕ and its inverse, and tangents in the coordinates of q.

A model's q holds quaternions. The library's derivatives by q are by tangents δ of q ⊕ δ: nv numbers. JAX and torch
need derivatives of the shape of q. A tangent is the velocity of the nq coordinates, dq = G(q) δ with G the derivative
of q ⊕ δ at δ = 0. A direction that leaves the sphere of unit quaternions is projected onto it: δ = E(q) dq with E G =
1. G and E are orthogonal up to a factor of each quaternion; so their transposes are E and G with another factor.

The functions take arrays of NumPy or of JAX: `xp` is `numpy` or `jax.numpy`.
"""

from __future__ import annotations

from typing import Any, List, Sequence, Tuple

import numpy as np

from ._errors import UnsupportedError
from .enums import JointKind
from .model import Model

#: Squared angle below which series are used.
_SMALL = 1e-8


#: Kinds of consecutive joints: coordinates that are added, a quaternion, and a position with a quaternion. A
#: piece is a kind with its range in q and its range in v.
_PLAIN, _TURNING, _FREE = "plain", "turning", "free"
Piece = Tuple[str, slice, slice]


class Chart:
    """⊕ of a model for q and δ with any leading dimensions."""

    def __init__(self, model: Model, xp: Any) -> None:
        self.nq, self.nv, self.xp = model.nq, model.nv, xp
        if model.nv == 0:
            raise UnsupportedError("diffsim: the model has nothing that moves")
        self.pieces: List[Piece] = []
        at_q = at_v = 0
        for joint in sorted(model.joints, key=lambda j: j.v_index):
            kind = {JointKind.FREE: _FREE, JointKind.SPHERICAL: _TURNING}.get(joint.kind, _PLAIN)
            of_q, of_v = slice(at_q, joint.q_index + joint.nq), slice(at_v, joint.v_index + joint.nv)
            if kind == _PLAIN and self.pieces and self.pieces[-1][0] == _PLAIN:
                _, before_q, before_v = self.pieces.pop()
                of_q, of_v = slice(before_q.start, of_q.stop), slice(before_v.start, of_v.stop)
            self.pieces.append((kind, of_q, of_v))
            at_q, at_v = of_q.stop, of_v.stop
        if xp is np:
            self._check(model)
        else:
            Chart(model, np)

    def _check(self, model: Model) -> None:
        """Compares with the library once, to detect joints of another kind."""
        q = model.neutral()
        for k in range(3):
            delta = np.sin(np.arange(self.nv) + k) * 0.7
            q_next = model.integrate(q, delta)
            ours, back = self.integrate(q, delta), self.difference(q, q_next)
            if np.abs(ours - q_next).max(initial=0) > 1e-12 or np.abs(back - delta).max(initial=0) > 1e-11:
                raise UnsupportedError("diffsim: the model has a joint whose coordinates are not known to JAX and torch here")
            q = q_next

    def _joined(self, parts: Sequence[Any]) -> Any:
        return parts[0] if len(parts) == 1 else self.xp.concatenate(parts, -1)

    def multiply(self, a: Any, b: Any) -> Any:
        """Product of quaternions (x y z w)."""
        u, v, s, t = a[..., :3], b[..., :3], a[..., 3:], b[..., 3:]
        xyz = s * v + t * u + self.xp.cross(u, v)
        return self.xp.concatenate([xyz, s * t - (u * v).sum(-1, keepdims=True)], -1)

    def conjugate(self, a: Any) -> Any:
        return a * self.xp.asarray([-1.0, -1.0, -1.0, 1.0])

    def rotate(self, a: Any, x: Any) -> Any:
        """Rotates vectors by unit quaternions."""
        u, s = a[..., :3], a[..., 3:]
        t = 2.0 * self.xp.cross(u, x)
        return x + s * t + self.xp.cross(u, t)

    def _ratios(self, w: Any) -> Tuple[Any, Any, Any]:
        """The squared angle with 1 in place of a small one, the mask of small ones, and the squared angle itself."""
        square = (w * w).sum(-1, keepdims=True)
        small = square < _SMALL
        return self.xp.where(small, 1.0, square), small, square

    def exponential(self, w: Any) -> Any:
        """The unit quaternion of a rotation vector."""
        xp = self.xp
        safe, small, square = self._ratios(w)
        half = 0.5 * xp.sqrt(safe)
        factor = xp.where(small, 0.5 - square / 48.0, xp.sin(half) / xp.sqrt(safe))
        return xp.concatenate([factor * w, xp.where(small, 1.0 - square / 8.0, xp.cos(half))], -1)

    def logarithm(self, a: Any) -> Any:
        """The rotation vector of a unit quaternion, of length at most π."""
        xp = self.xp
        a = xp.where(a[..., 3:] < 0.0, -a, a)
        u, s = a[..., :3], a[..., 3:]
        safe, small, square = self._ratios(u)
        length, scale = xp.sqrt(safe), xp.where(small, s, 1.0)
        series = 2.0 / scale * (1.0 - square / (3.0 * scale * scale))
        return xp.where(small, series, 2.0 * xp.arctan2(length, s) / length) * u

    def _left(self, w: Any, x: Any) -> Any:
        """x + b ω × x + c ω × (ω × x): the translation of the exponential of a twist (x; ω)."""
        xp = self.xp
        safe, small, square = self._ratios(w)
        angle = xp.sqrt(safe)
        b = xp.where(small, 0.5 - square / 24.0, (1.0 - xp.cos(angle)) / safe)
        c = xp.where(small, 1.0 / 6.0 - square / 120.0, (angle - xp.sin(angle)) / (safe * angle))
        once = xp.cross(w, x)
        return x + b * once + c * xp.cross(w, once)

    def _left_inverse(self, w: Any, x: Any) -> Any:
        xp = self.xp
        safe, small, square = self._ratios(w)
        angle = xp.sqrt(safe)
        half = 0.5 * angle
        # 1/φ² − cot(φ/2)/(2φ), which is finite up to φ = π.
        c = xp.where(small, 1.0 / 12.0 + square / 720.0, 1.0 / safe - xp.cos(half) / (2.0 * angle * xp.sin(half)))
        once = xp.cross(w, x)
        return x - 0.5 * once + c * xp.cross(w, once)

    def _spin(self, a: Any, w: Any) -> Any:
        return 0.5 * self.multiply(a, self.xp.concatenate([w, self.xp.zeros_like(w[..., :1])], -1))

    def _unspin(self, a: Any, da: Any) -> Any:
        return 2.0 * self.multiply(self.conjugate(a), da)[..., :3]

    def integrate(self, q: Any, delta: Any) -> Any:
        """q ⊕ δ, as `Model.integrate`."""
        parts = []
        for kind, of_q, of_v in self.pieces:
            x, d = q[..., of_q], delta[..., of_v]
            if kind == _PLAIN:
                parts.append(x + d)
            elif kind == _TURNING:
                parts.append(self.multiply(x, self.exponential(d)))
            else:
                a, turn = x[..., 3:], d[..., 3:]
                moved = x[..., :3] + self.rotate(a, self._left(turn, d[..., :3]))
                parts += [moved, self.multiply(a, self.exponential(turn))]
        return self._joined(parts)

    def difference(self, q0: Any, q1: Any) -> Any:
        """δ with q0 ⊕ δ = q1, as `Model.difference`."""
        parts = []
        for kind, of_q, _ in self.pieces:
            x, y = q0[..., of_q], q1[..., of_q]
            if kind == _PLAIN:
                parts.append(y - x)
            elif kind == _TURNING:
                parts.append(self.logarithm(self.multiply(self.conjugate(x), y)))
            else:
                back = self.conjugate(x[..., 3:])
                turn = self.logarithm(self.multiply(back, y[..., 3:]))
                parts += [self._left_inverse(turn, self.rotate(back, y[..., :3] - x[..., :3])), turn]
        return self._joined(parts)

    def velocity(self, q: Any, delta: Any, factor: float = 1.0) -> Any:
        """G(q) δ: a tangent in the coordinates of q. With the factor 4 for quaternions: Eᵀ(q) δ. Linear in δ."""
        parts = []
        for kind, of_q, of_v in self.pieces:
            x, d = q[..., of_q], delta[..., of_v]
            if kind == _PLAIN:
                parts.append(d)
            elif kind == _TURNING:
                parts.append(factor * self._spin(x, d))
            else:
                parts += [self.rotate(x[..., 3:], d[..., :3]), factor * self._spin(x[..., 3:], d[..., 3:])]
        return self._joined(parts)

    def tangent(self, q: Any, dq: Any, factor: float = 1.0) -> Any:
        """E(q) dq: the tangent δ of a direction dq in the coordinates of q. With the factor 1/4 for quaternions:
        Gᵀ(q) dq. Linear in dq."""
        parts = []
        for kind, of_q, _ in self.pieces:
            x, d = q[..., of_q], dq[..., of_q]
            if kind == _PLAIN:
                parts.append(d)
            elif kind == _TURNING:
                parts.append(factor * self._unspin(x, d))
            else:
                moved = self.rotate(self.conjugate(x[..., 3:]), d[..., :3])
                parts += [moved, factor * self._unspin(x[..., 3:], d[..., 3:])]
        return self._joined(parts)

    def adjoint_velocity(self, q: Any, q_bar: Any) -> Any:
        """Gᵀ(q) q̄: the tangent gradient of a function whose gradient by the coordinates is q̄."""
        return self.tangent(q, q_bar, 0.25)

    def adjoint_tangent(self, q: Any, bar: Any) -> Any:
        """Eᵀ(q) δ̄: the gradient by the coordinates from the tangent gradient, for a function of the direction of
        q."""
        return self.velocity(q, bar, 4.0)
