"""Queries about a state: forces by kind, actuators and tendons one by one."""

from __future__ import annotations

from typing import Any, NamedTuple, Optional, Sequence, Union

from numpy.typing import ArrayLike

from ._names import choice, listed
from ._native import Array, Slot, check, ffi, index, lib, pointer, result
from .enums import ForceKind, ForceKindName, Gradient
from .questions import Questions

Kinds = Union[int, ForceKind, ForceKindName, Sequence[Union[ForceKind, ForceKindName]]]


class GeneralizedForces(NamedTuple):
    """A generalized force (nv) and its derivatives by q (tangent), v and u: nv×nv, nv×nv, nv×nu. gradient: one-sided
    if the slope of a force jumps."""

    force: Array
    dforce_dq: Array
    dforce_dv: Array
    dforce_du: Array
    gradient: Gradient


class ActuatorStates(NamedTuple):
    """State of every actuator: length and velocity of its transmission, with the gear, and its force before the gear
    (nu each); derivatives of the forces by q (tangent), v and u."""

    lengths: Array
    velocities: Array
    forces: Array
    dforces_dq: Array
    dforces_dv: Array
    dforces_du: Array
    gradient: Gradient


class TendonStates(NamedTuple):
    """State of every tendon: length, velocity, and the tension of its spring and damper; derivatives of the tensions
    by q (tangent) and v, ntendon×nv."""

    lengths: Array
    velocities: Array
    tensions: Array
    dtensions_dq: Array
    dtensions_dv: Array
    gradient: Gradient


def _kinds(kinds: Kinds) -> int:
    if isinstance(kinds, int) and not isinstance(kinds, bool):
        return index(int(kinds), "kinds")
    if isinstance(kinds, str):
        return int(choice(ForceKind, kinds, "kinds"))
    total = 0
    for kind in listed(kinds, "kinds", "diffsim.ForceKind or their names, or their sum"):
        total |= int(choice(ForceKind, kind, "kinds"))
    return total


class Asked(Questions):
    """Queries of a `Sim` about forces at any state."""

    _u: Slot
    _no_u: Slot

    def _inputs(self, u: Optional[ArrayLike]) -> Any:
        return self._no_u.pointer if u is None else self._u.fill(u)

    def generalized_forces(
        self, q: ArrayLike, v: ArrayLike, u: Optional[ArrayLike] = None, kinds: Kinds = ForceKind.ALL
    ) -> GeneralizedForces:
        """Generalized force of these kinds at (q, v, u); of several kinds their sum. kinds: a `ForceKind` or its
        name, a list of them, or a sum of their numbers. u: None for zeros."""
        nv, nu = self.model.nv, self.model.nu
        force, by_q, by_v, by_u = out = [result(None, s, "out") for s in ((nv,), (nv, nv), (nv, nv), (nv, nu))]
        gradient = ffi.new("ds_gradient *")
        state = self._q.fill(q), self._v.fill(v), self._inputs(u)
        check(lib.ds_generalized_forces(self._handle, *state, _kinds(kinds), *map(pointer, out), gradient))
        return GeneralizedForces(force, by_q, by_v, by_u, Gradient(gradient[0]))

    def actuator_states(self, q: ArrayLike, v: ArrayLike, u: Optional[ArrayLike] = None) -> ActuatorStates:
        """States of all actuators, one by one. u: None for zeros."""
        nv, nu = self.model.nv, self.model.nu
        shapes = (nu,), (nu,), (nu,), (nu, nv), (nu, nv), (nu, nu)
        lengths, velocities, forces, by_q, by_v, by_u = out = [result(None, s, "out") for s in shapes]
        gradient = ffi.new("ds_gradient *")
        state = self._q.fill(q), self._v.fill(v), self._inputs(u)
        check(lib.ds_actuator_states(self._handle, *state, *map(pointer, out), gradient))
        return ActuatorStates(lengths, velocities, forces, by_q, by_v, by_u, Gradient(gradient[0]))

    def tendon_states(self, q: ArrayLike, v: ArrayLike) -> TendonStates:
        """States of all tendons, one by one."""
        n, nv = self.model.ntendon, self.model.nv
        shapes = (n,), (n,), (n,), (n, nv), (n, nv)
        lengths, velocities, tensions, by_q, by_v = out = [result(None, s, "out") for s in shapes]
        gradient = ffi.new("ds_gradient *")
        state = self._q.fill(q), self._v.fill(v)
        check(lib.ds_tendon_states(self._handle, *state, *map(pointer, out), gradient))
        return TendonStates(lengths, velocities, tensions, by_q, by_v, Gradient(gradient[0]))
