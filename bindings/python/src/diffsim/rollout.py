"""Simulations over many steps, with their adjoint."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Callable, Dict, Final, Optional, Sequence, Tuple

import numpy as np
from numpy.typing import ArrayLike

from . import _file_settings, _settings
from ._errors import InvalidArgumentError, NoStepError
from ._handle import Handle, Options, given
from ._help import says
from ._names import number, whole
from ._native import NULL, Array, Slot, array, check, ffi, fields_of, index, input_hint, lib, pointer, result, shape_of, size, struct, two
from .activations import ActGradients
from .enums import Gradient
from .model import Id, Model
from .parameters import Param, select
from .results import Gradients
from .sim import said

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from .options import SimOptions


class Rollout(Handle, kind="ds_rollout", free=lib.ds_rollout_free, fixed=("model", "max_steps")):
    """A trajectory of at most `max_steps` steps and its adjoint. Calls of several threads take turns.

    Options are those of a `Sim`, and checkpoint_interval: every how many steps a state is kept; aware_gradient: 1 to
    use `Sim.vjp_aware` in every step of `adjoint`.

    A copy or pickle has the options, parameters and wrenches, but not the last run.
    """

    @says("ds_options")
    def __init__(self, model: Model, max_steps: int, **options: Unpack[SimOptions]) -> None:
        made, _keep = struct("ds_options", lib.ds_options_init, dict(options))
        self._own(lib.ds_rollout_create, given(model, Model, "model")._handle, made, size(max_steps, "max_steps"))
        self.model: Final = model
        self.max_steps: Final = max_steps
        self._q0, self._v0, self._act0 = Slot(model.nq, "q0"), Slot(model.nv, "v0"), Slot(model.na, "act0")
        #: Number of the last run's steps; None without one.
        self._steps: Optional[int] = None
        self._options = fields_of(made)
        step, integrator = lib.ds_rollout_time_step(self._handle), lib.ds_rollout_integrator(self._handle)
        _file_settings.take(self._options, options, model, step, integrator)
        self._defaults = {name for name in self._options if name not in options}
        self._settings = _settings.Settings()

    @property
    def options(self) -> Options:
        """All options, by name."""
        return Options(self._options)

    def __repr__(self) -> str:
        if self._handle is NULL:
            return f"<diffsim.Rollout: {self._gone}>"
        steps = "no run yet" if self._steps is None else f"last run: {self._steps} steps"
        return f"<diffsim.Rollout of {self.model!r}: at most {self.max_steps} steps, {said(self._options, self._defaults)}; {steps}>"

    def _again(self) -> Tuple[Callable[..., Any], Tuple[Any, ...]]:
        with self._lock:
            self._open()
            return _rollout_again, (self.model, self.max_steps, dict(self._options), self._settings.state())

    def run(
        self,
        q0: ArrayLike,
        v0: ArrayLike,
        u: Optional[ArrayLike] = None,
        steps: Optional[int] = None,
        out: Optional[Tuple[Array, Array]] = None,
    ) -> Tuple[Array, Array]:
        """Runs N steps from (q0, v0) and returns the trajectory, the initial state first:
        q: nq×(N+1), v: nv×(N+1).

        u: nu×N; a column-major array is not copied; None for zeros. steps: N, needed without u.
        out: two column-major arrays for the result. Errors: those of `Sim.step`, naming the step.
        """
        inputs, n = self._inputs(u, steps)
        m, places = self.model, two(out)
        q = result(places[0], (m.nq, n + 1), "out[0]")
        v = result(places[1], (m.nv, n + 1), "out[1]")
        self._steps = None
        check(
            lib.ds_rollout_run(
                self._handle, self._q0.fill(q0), self._v0.fill(v0), pointer(inputs), n, pointer(q), pointer(v)
            )
        )
        self._steps = n
        return q, v

    def _inputs(self, u: Optional[ArrayLike], steps: Optional[int]) -> Tuple[Array, int]:
        """The inputs of a run, and its number of steps."""
        m = self.model
        if u is None:
            if steps is None:
                raise InvalidArgumentError("steps: expected a number where no u is given")
            n = whole(steps, "steps: expected a number of steps")
        else:
            shape = shape_of(u, "u")
            n = shape[-1] if len(shape) == 2 else 0
            if len(shape) != 2 or shape[0] != m.nu or steps is not None and whole(steps, "steps: expected a number of steps") != n:
                wanted = f"({m.nu}, {'steps' if steps is None else steps})"
                turned = "; it is transposed, give u.T" if len(shape) == 2 and n == m.nu else ""
                raise InvalidArgumentError(f"u: expected shape {wanted}, got {shape}{input_hint(m.nu) or turned}")
            u = array(u, (m.nu, n), "u")
        if not 0 < n <= self.max_steps:
            raise InvalidArgumentError(f"steps: expected 1 to {self.max_steps}, as the rollout was made, got {n}")
        return (np.zeros((m.nu, n), order="F") if u is None else u), n

    def run_act(
        self,
        q0: ArrayLike,
        v0: ArrayLike,
        act0: Optional[ArrayLike] = None,
        u: Optional[ArrayLike] = None,
        steps: Optional[int] = None,
    ) -> Tuple[Array, Array, Array]:
        """`run` from activations act0 (na, None for zeros). Returns q, v, act (na×(N+1))."""
        inputs, n = self._inputs(u, steps)
        m = self.model
        q, v, act = out = [np.zeros((rows, n + 1), order="F") for rows in (m.nq, m.nv, m.na)]
        self._steps = None
        start = self._q0.fill(q0), self._v0.fill(v0), self._act0.fill(act0)
        check(lib.ds_rollout_run_act(self._handle, *start, pointer(inputs), n, *map(pointer, out)))
        self._steps = n
        return q, v, act

    def adjoint(self, q_bar: ArrayLike, v_bar: ArrayLike) -> Gradients:
        """Gradient of a function of the last run's trajectory by the initial state, inputs (nu×N) and
        selected parameters, given its gradient q_bar (tangent) and v_bar by the states: nv×(N+1)."""
        nv, n = self.model.nv, self._steps
        if n is None:
            raise NoStepError("rollout: the adjoint needs a run first")
        q_bar, v_bar = array(q_bar, (nv, n + 1), "q_bar"), array(v_bar, (nv, n + 1), "v_bar")
        out = Gradients(np.zeros(nv), np.zeros(nv), np.zeros((self.model.nu, n), order="F"), np.zeros(self.np))
        check(lib.ds_rollout_adjoint(self._handle, pointer(q_bar), pointer(v_bar), *map(pointer, out)))
        return out

    def adjoint_act(self, q_bar: ArrayLike, v_bar: ArrayLike, act_bar: Optional[ArrayLike] = None) -> ActGradients:
        """`adjoint` of a function that depends on the activations, too; act_bar, na×(N+1), is its gradient by them."""
        m, n = self.model, self._steps
        if n is None:
            raise NoStepError("rollout: the adjoint needs a run first")
        given = (q_bar, m.nv, "q_bar"), (v_bar, m.nv, "v_bar"), (act_bar, m.na, "act_bar")
        bars = [None if x is None else array(x, (rows, n + 1), name) for x, rows, name in given]
        inputs = np.zeros((m.nu, n), order="F")
        out = ActGradients(np.zeros(m.nv), np.zeros(m.nv), np.zeros(m.na), inputs, np.zeros(self.np))
        check(lib.ds_rollout_adjoint_act(self._handle, *map(pointer, bars), *map(pointer, out)))
        return out

    def gradient(self) -> Gradient:
        """Label of the last adjoint: one-sided if any step was at a switch of modes."""
        out = ffi.new("ds_gradient *")
        check(lib.ds_rollout_gradient(self._handle, out))
        return Gradient(out[0])

    def aware_report(self) -> Tuple[int, int]:
        """Effect of aware_gradient on the last adjoint: the number of steps that used the aware gradient, and the
        total number of contacts and limits that these took in another mode."""
        steps, contacts = ffi.new("size_t *"), ffi.new("size_t *")
        check(lib.ds_rollout_aware_report(self._handle, steps, contacts))
        return steps[0], contacts[0]

    def select_params(self, params: Sequence[Param]) -> None:
        """Selects parameters; see `Sim.select_params`. Forgets the last run."""
        self._settings.selected = select(lib.ds_rollout_select_params, self._handle, params, self.model)
        self._steps = None

    @property
    def np(self) -> int:
        """Number of selected parameters."""
        return int(lib.ds_rollout_np(self._open()))

    @property
    def params(self) -> Array:
        """Values of the selected parameters. Set them for the following runs."""
        out = np.zeros(self.np)
        check(lib.ds_rollout_get_params(self._handle, pointer(out)))
        return out

    @params.setter
    def params(self, value: ArrayLike) -> None:
        p = array(value, (self.np,), "params", "" if self.np else "; select_params chooses parameters")
        check(lib.ds_rollout_set_params(self._handle, pointer(p)))
        self._settings.values(p)

    def set_external_wrench(self, body: Id, wrench: ArrayLike) -> None:
        """Sets the wrench on a body in the following runs; see `Sim.set_external_wrench`."""
        i, six = self.model._id("body", body, "body"), array(wrench, (6,), "wrench")
        check(lib.ds_rollout_set_external_wrench(self._handle, i, pointer(six)))
        self._settings.wrench(i, six)

    def prescribe(self, dof: int, velocity: float) -> None:
        """Prescribes the velocity of a dof in the following runs; see `Sim.prescribe`. NaN frees it."""
        k, x = index(dof, "dof"), number(velocity, "velocity")
        check(lib.ds_rollout_prescribe(self._handle, k, x))
        self._settings.prescribe(k, x)


def _rollout_again(rollout: Rollout, model: Model, max_steps: int, options: Any, state: Dict[str, Any]) -> None:
    Rollout.__init__(rollout, model, max_steps, **options)
    _settings.apply(state, rollout)
