"""Simulations over many steps, with their adjoint."""

from typing import Optional, Sequence, Tuple

import numpy as np

from ._native import Handle, InvalidArgumentError, Slot, array, check, ffi, lib, pointer, result, struct
from .enums import Gradient
from .model import Array, Model
from .parameters import Param, select
from .sim import Gradients


class Rollout(Handle):
    """A trajectory of at most `max_steps` steps and its adjoint. One thread at a time.

    Options are those of a `Sim`, and checkpoint_interval: every how many steps a state is kept; aware_gradient: 1 for an
    `adjoint` by `Sim.vjp_aware` in every step.
    """

    _kind = "ds_rollout"
    _free = lib.ds_rollout_free

    def __init__(self, model: Model, max_steps: int, **options):
        made, _keep = struct("ds_options", lib.ds_options_init, options)
        self._own(lib.ds_rollout_create, model._handle, made, max_steps)
        self.model = model
        self.max_steps = max_steps
        self._q0, self._v0 = Slot(model.nq, "q0"), Slot(model.nv, "v0")
        self._steps = 0

    def run(
        self, q0, v0, u=None, steps: Optional[int] = None, out: Optional[Tuple[Array, Array]] = None
    ) -> Tuple[Array, Array]:
        """Runs N steps from (q0, v0) and returns the trajectory, the initial state first:
        q: nq×(N+1), v: nv×(N+1).

        u: nu×N; a column-major array is used where it lies, another is copied. steps: N, where nu = 0.
        out: two column-major arrays for the result. Errors: those of `Sim.step`, naming the step.
        """
        m = self.model
        if u is None:
            n = 0 if steps is None else steps
        else:
            n = np.shape(u)[-1] if np.ndim(u) == 2 else 0
            if steps is not None and steps != n:
                raise InvalidArgumentError(f"u: expected shape {(m.nu, steps)}, got {np.shape(u)}")
            u = array(u, (m.nu, n), "u")
        q = result(out and out[0], (m.nq, n + 1), "out[0]")
        v = result(out and out[1], (m.nv, n + 1), "out[1]")
        check(
            lib.ds_rollout_run(
                self._handle, self._q0.fill(q0), self._v0.fill(v0), pointer(u), n, pointer(q), pointer(v)
            )
        )
        self._steps = n
        return q, v

    def adjoint(self, q_bar, v_bar) -> Gradients:
        """Gradient of a function of the last run's trajectory by the initial state, inputs (nu×N) and
        selected parameters, given its gradient q_bar (tangent) and v_bar by the states: nv×(N+1)."""
        nv, n = self.model.nv, self._steps
        q_bar, v_bar = array(q_bar, (nv, n + 1), "q_bar"), array(v_bar, (nv, n + 1), "v_bar")
        out = Gradients(np.zeros(nv), np.zeros(nv), np.zeros((self.model.nu, n), order="F"), np.zeros(self.np))
        check(lib.ds_rollout_adjoint(self._handle, pointer(q_bar), pointer(v_bar), *map(pointer, out)))
        return out

    def gradient(self) -> Gradient:
        """What the last adjoint is: one-sided if any step was at a switch of modes."""
        out = ffi.new("ds_gradient *")
        check(lib.ds_rollout_gradient(self._handle, out))
        return Gradient(out[0])

    def aware_report(self) -> Tuple[int, int]:
        """What aware_gradient made of the last adjoint: how many steps took another gradient than the exact one, and
        how many contacts and limits those took in another mode, in all."""
        steps, contacts = ffi.new("size_t *"), ffi.new("size_t *")
        check(lib.ds_rollout_aware_report(self._handle, steps, contacts))
        return steps[0], contacts[0]

    def select_params(self, params: Sequence[Param]) -> None:
        """Chooses parameters, as `Sim.select_params`. The last run is forgotten."""
        select(lib.ds_rollout_select_params, self._handle, params)

    @property
    def np(self) -> int:
        """Number of selected parameters."""
        return lib.ds_rollout_np(self._open())

    @property
    def params(self) -> Array:
        """Values of the selected parameters. Can be set for the runs to come."""
        out = np.zeros(self.np)
        check(lib.ds_rollout_get_params(self._handle, pointer(out)))
        return out

    @params.setter
    def params(self, value):
        value = array(value, (self.np,), "p")
        check(lib.ds_rollout_set_params(self._handle, pointer(value)))

    def set_external_wrench(self, body: int, wrench) -> None:
        """Sets the wrench on a body in the runs to come, as `Sim.set_external_wrench`."""
        wrench = array(wrench, (6,), "wrench")
        check(lib.ds_rollout_set_external_wrench(self._handle, body, pointer(wrench)))
