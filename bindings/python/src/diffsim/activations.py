"""Activations: the states of actuators that have one."""

from __future__ import annotations

from typing import NamedTuple, Optional, Tuple

from numpy.typing import ArrayLike

from ._native import Array, Slot, array, check, ffi, lib, pointer, result
from .asked import Asked


class ActJacobians(NamedTuple):
    """Jacobians with activations. Of the next state by the activations at the start: dq_dact, dv_dact (nv×na). Of the
    activations at the end by all quantities at the start: dact_dq and dact_dv (na×nv, zeros), dact_dact (na×na),
    dact_du (na×nu)."""

    dq_dact: Array
    dv_dact: Array
    dact_dq: Array
    dact_dv: Array
    dact_dact: Array
    dact_du: Array


class ActGradients(NamedTuple):
    """Gradient of a function by the arguments of a step or a rollout: q (tangent) and v: nv numbers, act: na, u: nu
    (for a rollout nu×N), p: np."""

    q: Array
    v: Array
    act: Array
    u: Array
    p: Array


class Activations(Asked):
    """Activations of a `Sim`, and derivatives with them."""

    _dq: Slot
    _dv: Slot
    _du: Slot
    _dp: Slot
    _q_bar: Slot
    _v_bar: Slot
    _act: Slot
    _dact: Slot

    def _make_activations(self) -> None:
        self._act, self._dact = Slot(self.model.na, "act"), Slot(self.model.na, "dact")

    @property
    def act(self) -> Array:
        """Activations at the start of the next step: na numbers. Can be set; `reset` sets them to 0."""
        check(lib.ds_sim_get_act(self._handle, self._act.pointer))
        return self._act.take()

    @act.setter
    def act(self, value: ArrayLike) -> None:
        check(lib.ds_sim_set_act(self._handle, self._act.fill(array(value, self._act.shape, "act"))))

    def act_jacobians(self) -> ActJacobians:
        """Jacobians of the last step with activations. `jacobians` has those at fixed activations."""
        m = self.model
        nv, nu, na = m.nv, m.nu, m.na
        shapes = (nv, na), (nv, na), (na, nv), (na, nv), (na, na), (na, nu)
        out = ActJacobians(*(result(None, shape, "out") for shape in shapes))
        memory = {name: pointer(x) for name, x in out._asdict().items()}
        check(lib.ds_sim_step_act_jacobians(self._handle, ffi.new("ds_act_jacobians *", memory)))
        return out

    def jvp_act(
        self,
        dq: Optional[ArrayLike] = None,
        dv: Optional[ArrayLike] = None,
        dact: Optional[ArrayLike] = None,
        du: Optional[ArrayLike] = None,
        dp: Optional[ArrayLike] = None,
    ) -> Tuple[Array, Array, Array]:
        """`jvp` with activations: (dq_next, dv_next, dact_next)."""
        given = zip((self._dq, self._dv, self._dact, self._du, self._dp), (dq, dv, dact, du, dp))
        vectors = [slot.fill(x) for slot, x in given]
        out = self._q_bar, self._v_bar, self._act
        check(lib.ds_sim_step_jvp_act(self._handle, *vectors, *(slot.pointer for slot in out)))
        q, v, act = (slot.take() for slot in out)
        return q, v, act

    def vjp_act(
        self, q_next_bar: ArrayLike, v_next_bar: ArrayLike, act_next_bar: Optional[ArrayLike] = None
    ) -> ActGradients:
        """`vjp` of a function that depends on the activations, too."""
        made = self._dq, self._dv, self._dact, self._du, self._dp
        act = None if act_next_bar is None else array(act_next_bar, self._act.shape, "act_next_bar")
        bars = self._q_bar.fill(q_next_bar), self._v_bar.fill(v_next_bar), self._act.fill(act)
        check(lib.ds_sim_step_vjp_act(self._handle, *bars, *(slot.pointer for slot in made)))
        return ActGradients(*(slot.take() for slot in made))
