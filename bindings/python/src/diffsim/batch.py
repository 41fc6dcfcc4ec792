"""Many sims of one model, stepped together on several threads."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Dict, Final, NamedTuple, Optional, Sequence, Tuple

import numpy as np
import numpy.typing as npt
from numpy.typing import ArrayLike

from . import _file_settings
from ._errors import InvalidArgumentError, NoStepError
from ._handle import Handle, Options, given
from ._help import says
from ._names import number, whole
from ._native import INT, NULL, Array, array, check, fail, ffi, fields_of, index, input_hint, lib, pointer, result, shape_of, size, struct, two
from .activations import ActGradients
from .model import Id, Model
from .parameters import Param, select
from .results import Gradients, StepInfo, StepJacobians
from .sim import said

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from .options import SimOptions

Statuses = Optional[npt.NDArray[np.int32]]


class Episodes(NamedTuple):
    """Trajectories that may end early: q (nq, N+1, count), v (nv, N+1, count), act (na, N+1, count) and sensors
    (nsensordata, N+1, count). Columns after an end repeat the last state. steps: number of steps of each element;
    labels (N, count): values of `Gradient`, as far as they are known without a derivative."""

    q: Array
    v: Array
    act: Array
    sensors: Array
    steps: npt.NDArray[np.uintp]
    labels: npt.NDArray[np.int32]


#: Value of `each` before the library writes to it.
_UNTOUCHED = -1


class Batch(Handle, kind="ds_batch", free=lib.ds_batch_free, fixed=("model", "count", "threads")):
    """`count` sims of a model, stepped by `threads` threads (0: one per core). The number of threads changes no bit
    of a result. Calls of several threads take turns.

    Column i of every array belongs to element i. An array of shape (nq, count) in column-major order is the transpose
    of a row-major one of shape (count, nq): `x.T` converts without a copy.

    The columns of a failed element are NaN (with `out`: unchanged). The other elements continue. Then the call raises
    the exception of the first failed element. Give `each`, an int32 array for the statuses, to get no exception.

    A batch cannot be copied or pickled: the warm starts of its elements cannot be read. After a fork the child can
    use it only if it has one thread.
    """

    _no_copies = "its elements' warm starts cannot be read. Make another one of the same model"

    @says("ds_options")
    def __init__(self, model: Model, count: int, threads: int = 0, **options: Unpack[SimOptions]) -> None:
        made, _keep = struct("ds_options", lib.ds_options_init, dict(options))
        self._own(lib.ds_batch_create, given(model, Model, "model")._handle, made, size(count, "count"), size(threads, "threads"))
        self.model: Final = model
        self.count: Final[int] = lib.ds_batch_count(self._handle)
        self.threads: Final[int] = lib.ds_batch_threads(self._handle)
        self._options = fields_of(made)
        step, integrator = lib.ds_batch_time_step(self._handle), lib.ds_batch_integrator(self._handle)
        _file_settings.take(self._options, options, model, step, integrator)
        self._defaults = {name for name in self._options if name not in options}

    @property
    def options(self) -> Options:
        """All options, by name."""
        return Options(self._options)

    def __repr__(self) -> str:
        if self._handle is NULL:
            return f"<diffsim.Batch: {self._gone}>"
        of = f"{self.count} of {self.model!r}, {self.threads} threads"
        return f"<diffsim.Batch: {of}: {said(self._options, self._defaults)}>"

    def _statuses(self, each: Statuses) -> Statuses:
        if each is not None:
            result(each, (self.count,), "each", INT)
            each[...] = _UNTOUCHED
        return each

    def _check(self, status: int, each: Statuses) -> None:
        if status and (each is None or (each == _UNTOUCHED).all()):
            fail(status)

    def _result(self, rows: int, out: Optional[Array], name: str) -> Array:
        shape = (rows, self.count)
        return np.full(shape, np.nan, order="F") if out is None else result(out, shape, name)

    def step(
        self,
        q: ArrayLike,
        v: ArrayLike,
        u: Optional[ArrayLike] = None,
        out: Optional[Tuple[Array, Array]] = None,
        each: Statuses = None,
    ) -> Tuple[Array, Array]:
        """Advances every element by one step. q: nq×count, v: nv×count, u: nu×count, None for zeros. Returns (q_next,
        v_next). out may be (q, v)."""
        m, n, places = self.model, self.count, two(out)
        state = array(q, (m.nq, n), "q"), array(v, (m.nv, n), "v")
        inputs = np.zeros((m.nu, n), order="F") if u is None else array(u, (m.nu, n), "u", input_hint(m.nu))
        q_next = self._result(m.nq, places[0], "out[0]")
        v_next = self._result(m.nv, places[1], "out[1]")
        each = self._statuses(each)
        given = map(pointer, (*state, inputs, q_next, v_next, each))
        self._check(lib.ds_batch_step(self._handle, *given), each)
        return q_next, v_next

    def jacobians(self, wanted: Sequence[str] = StepJacobians.NAMES, each: Statuses = None) -> StepJacobians:
        """Jacobians of every element's last step. The matrix of element i is x[:, :, i]."""
        out = StepJacobians(self.model.nv, self.model.nu, self.np, wanted, (self.count,))
        each = self._statuses(each)
        self._check(lib.ds_batch_step_jacobians(self._handle, out._struct, pointer(each)), each)
        return out

    def vjp(self, q_next_bar: ArrayLike, v_next_bar: ArrayLike, each: Statuses = None) -> Gradients:
        """Reverse mode through every element's last step, as `Sim.vjp`, with one column per element."""
        nv, n = self.model.nv, self.count
        bars = array(q_next_bar, (nv, n), "q_next_bar"), array(v_next_bar, (nv, n), "v_next_bar")
        out = Gradients(*(self._result(rows, None, "") for rows in (nv, nv, self.model.nu, self.np)))
        each = self._statuses(each)
        given = map(pointer, (*bars, *out, each))
        self._check(lib.ds_batch_step_vjp(self._handle, *given), each)
        return out

    def reserve(self, steps: int) -> None:
        """Allocates memory for rollouts of up to `steps` steps. Afterwards `rollout` does not allocate in the
        library."""
        check(lib.ds_batch_reserve(self._handle, self._number(steps)))

    @staticmethod
    def _number(steps: Any) -> int:
        n = whole(steps, "steps: expected a number of steps")
        if n <= 0:
            raise InvalidArgumentError(f"steps: must be positive, got {n}")
        return n

    def rollout(
        self,
        q0: ArrayLike,
        v0: ArrayLike,
        u: Optional[ArrayLike] = None,
        steps: Optional[int] = None,
        out: Optional[Tuple[Array, Array]] = None,
        each: Statuses = None,
    ) -> Tuple[Array, Array]:
        """Runs N steps in every element from q0 (nq×count) and v0 (nv×count) and returns the trajectories, the
        initial state first: q of shape (nq, N+1, count), v of shape (nv, N+1, count). Warm starts and activations are
        reset first: each element does the same as a `Rollout` with its parameters.

        u: shape (nu, N, count), None for zeros. For a row-major array x of shape (count, N, nu) give x.T: it is not
        copied. steps: N, needed without u. out: two column-major arrays for the result. The trajectory of a failed
        element is NaN.
        """
        m, count = self.model, self.count
        inputs, n = self._inputs(u, steps)
        start = array(q0, (m.nq, count), "q0"), array(v0, (m.nv, count), "v0")
        paths = []
        for k, (rows, name) in enumerate(((m.nq, "out[0]"), (m.nv, "out[1]"))):
            shape = (rows, n + 1, count)
            paths.append(np.full(shape, np.nan, order="F") if out is None else result(out[k], shape, name))
        each = self._statuses(each)
        given = map(pointer, (*start, inputs, *paths, each))
        self._check(lib.ds_batch_rollout(self._handle, n, *given), each)
        return paths[0], paths[1]

    def _inputs(self, u: Optional[ArrayLike], steps: Optional[int]) -> Tuple[Array, int]:
        """The inputs of a rollout, and its number of steps."""
        m, count = self.model, self.count
        if u is None:
            if steps is None:
                raise InvalidArgumentError("steps: expected a number where no u is given")
            n = self._number(steps)
            return np.zeros((m.nu, n, count), order="F"), n
        shape = shape_of(u, "u")
        n = shape[1] if len(shape) == 3 and steps is None else steps or 0
        return array(u, (m.nu, self._number(n or 1), count), "u", input_hint(m.nu)), n

    def run_episodes(
        self,
        q0: ArrayLike,
        v0: ArrayLike,
        u: Optional[ArrayLike] = None,
        steps: Optional[int] = None,
        act0: Optional[ArrayLike] = None,
        p: Optional[ArrayLike] = None,
        lengths: Optional[ArrayLike] = None,
        lower: Optional[ArrayLike] = None,
        upper: Optional[ArrayLike] = None,
        each: Statuses = None,
    ) -> Episodes:
        """`rollout` with sensor values at every state, in which each element may end early. An element ends after its
        number of `lengths` (0 to N; 0: it does not move). It ends after the first step whose state is outside the
        bounds `lower` or `upper` of (q, v), of nq + nv numbers each. It ends before a step that fails. Columns after
        the end repeat the last state.

        act0: na×count, zero by default. p: values of the selected parameters, np×count; they stay set. An element
        with an invalid start has NaN and no steps. Sensor values that could not be computed are NaN.
        """
        m, count = self.model, self.count
        inputs, n = self._inputs(u, steps)
        given: Dict[str, Any] = {
            "q0": array(q0, (m.nq, count), "q0"),
            "v0": array(v0, (m.nv, count), "v0"),
            "u": inputs,
            "act0": None if act0 is None else array(act0, (m.na, count), "act0"),
            "p": None if p is None else array(p, (self.np, count), "p"),
            "lower": None if lower is None else array(lower, (m.nq + m.nv,), "lower"),
            "upper": None if upper is None else array(upper, (m.nq + m.nv,), "upper"),
        }
        paths = {name: np.full((rows, n + 1, count), np.nan, order="F") for name, rows in
                 (("q", m.nq), ("v", m.nv), ("act", m.na), ("sensors", m.nsensordata))}  # fmt: skip
        taken, labels = np.zeros(count, np.uintp), np.full((n, count), 3, np.int32, order="F")
        made = ffi.new("ds_episodes *")
        lib.ds_episodes_init(made)
        keep = [pointer(x) for x in (*given.values(), *paths.values(), labels)]
        for name, at in zip((*given, *paths), keep):
            setattr(made, name, at)
        made.labels = ffi.cast("ds_gradient *", keep[-1])
        keep.append(ffi.from_buffer("size_t[]", taken))
        made.taken = keep[-1]
        if lengths is not None:
            numbers = [whole(x, "lengths: expected whole numbers") for x in np.ravel(lengths)]
            if len(numbers) != count or not all(0 <= x <= n for x in numbers):
                raise InvalidArgumentError(f"lengths: expected {count} numbers of 0 to {n}, got {numbers}")
            keep.append(ffi.new("size_t[]", numbers))
            made.lengths = keep[-1]
        each = self._statuses(each)
        self._check(lib.ds_batch_run_episodes(self._handle, n, made, pointer(each)), each)
        return Episodes(paths["q"], paths["v"], paths["act"], paths["sensors"], taken, labels)

    def episodes_adjoint(
        self,
        q_bar: Optional[ArrayLike] = None,
        v_bar: Optional[ArrayLike] = None,
        act_bar: Optional[ArrayLike] = None,
        sensors_bar: Optional[ArrayLike] = None,
        each: Statuses = None,
    ) -> ActGradients:
        """Gradient of a function of the last trajectories, their activations and sensor values. The arguments are its
        gradients by them (shapes of `Episodes`, q_bar tangent: nv; None for zeros). It is the derivative of the steps
        taken: gradients by columns after an end count for the last state, and gradients by inputs after an end are
        zero. By parameters only sensors of positions and velocities of frames and joints are supported. With other
        sensors it fails unless no parameters are selected."""
        m, n, count = self.model, int(lib.ds_batch_rollout_steps(self._handle)), self.count
        if n == 0:
            raise NoStepError("batch: the adjoint needs a rollout first")
        made = ffi.new("ds_episodes_bars *")
        lib.ds_episodes_bars_init(made)
        keep = []
        for name, bar, rows in (
            ("q_bar", q_bar, m.nv),
            ("v_bar", v_bar, m.nv),
            ("act_bar", act_bar, m.na),
            ("sensors_bar", sensors_bar, m.nsensordata),
        ):
            x = None if bar is None else array(bar, (rows, n + 1, count), name)
            keep.append(pointer(x))
            setattr(made, name, keep[-1])
        inputs = np.full((m.nu, n, count), np.nan, order="F")
        q0, v0, act0, p = (self._result(rows, None, "") for rows in (m.nv, m.nv, m.na, self.np))
        out = ActGradients(q0, v0, act0, inputs, p)
        for name, x in zip(("q0_bar", "v0_bar", "act0_bar", "u_bar", "p_bar"), out):
            keep.append(pointer(x))
            setattr(made, name, keep[-1])
        each = self._statuses(each)
        self._check(lib.ds_batch_episodes_adjoint(self._handle, made, pointer(each)), each)
        return out

    def rollout_adjoint(self, q_bar: ArrayLike, v_bar: ArrayLike, each: Statuses = None) -> Gradients:
        """Gradient of a function of the last `rollout`, as `Rollout.adjoint`: from q_bar (tangent) and v_bar of shape
        (nv, N+1, count) to q, v: (nv, count), u: (nu, N, count), p: (np, count). NaN for a failed element."""
        m, n, count = self.model, int(lib.ds_batch_rollout_steps(self._handle)), self.count
        if n == 0:
            raise NoStepError("batch: the adjoint needs a rollout first")
        shape = (m.nv, n + 1, count)
        bars = array(q_bar, shape, "q_bar"), array(v_bar, shape, "v_bar")
        inputs = np.full((m.nu, n, count), np.nan, order="F")
        q_bar_0, v_bar_0, p_bar = (self._result(rows, None, "") for rows in (m.nv, m.nv, self.np))
        out = Gradients(q_bar_0, v_bar_0, inputs, p_bar)
        each = self._statuses(each)
        given = map(pointer, (*bars, *out, each))
        self._check(lib.ds_batch_rollout_adjoint(self._handle, *given), each)
        return out

    def rollout_gradient(self) -> npt.NDArray[np.int32]:
        """Label of every step in the last `rollout_adjoint`, values of `Gradient` of shape (N, count): REFUSED for an
        element without an adjoint."""
        steps = int(lib.ds_batch_rollout_steps(self._handle))
        labels = np.zeros((steps, self.count), np.int32, order="F")
        at = pointer(labels)
        check(lib.ds_batch_rollout_gradient(self._handle, NULL if at is NULL else ffi.cast("ds_gradient *", at)))
        return labels

    def _element(self, element: int) -> int:
        i = whole(element, "element: expected the number of an element")
        if not 0 <= i < self.count:
            raise InvalidArgumentError(f"element: expected 0 to {self.count - 1}, got {i}")
        return i

    def info(self, element: int) -> StepInfo:
        """Facts about the last step of an element."""
        info = ffi.new("ds_step_info *")
        check(lib.ds_batch_step_info(self._handle, self._element(element), info))
        return StepInfo._of(info)

    def select_params(self, params: Sequence[Param]) -> None:
        """Selects parameters in every element, as `Sim.select_params`."""
        select(lib.ds_batch_select_params, self._handle, params, self.model)

    @property
    def np(self) -> int:
        """Number of parameters selected in every element."""
        return int(lib.ds_batch_np(self._open()))

    def get_params(self, element: int) -> Array:
        """Values of the selected parameters in an element."""
        out = np.zeros(self.np)
        check(lib.ds_batch_get_params(self._handle, self._element(element), pointer(out)))
        return out

    def set_params(self, element: int, p: ArrayLike) -> None:
        """Sets the values of the selected parameters in one element."""
        values = array(p, (self.np,), "p")
        check(lib.ds_batch_set_params(self._handle, self._element(element), pointer(values)))

    def set_external_wrench(self, element: int, body: Id, wrench: ArrayLike) -> None:
        """Sets the wrench on a body of one element, as `Sim.set_external_wrench`."""
        i, six = self.model._id("body", body, "body"), array(wrench, (6,), "wrench")
        check(lib.ds_batch_set_external_wrench(self._handle, self._element(element), i, pointer(six)))

    def prescribe(self, element: int, dof: int, velocity: float) -> None:
        """Prescribes the velocity of a dof of one element, as `Sim.prescribe`; NaN frees it."""
        check(lib.ds_batch_prescribe(self._handle, self._element(element), index(dof, "dof"), number(velocity, "velocity")))

    @property
    def act(self) -> Array:
        """Activations at the start of the next step: na×count. Can be set."""
        out = np.zeros((self.model.na, self.count), order="F")
        check(lib.ds_batch_get_act(self._handle, pointer(out)))
        return out

    @act.setter
    def act(self, value: ArrayLike) -> None:
        numbers = array(value, (self.model.na, self.count), "act")
        check(lib.ds_batch_set_act(self._handle, pointer(numbers)))

    def reset(self, element: Optional[int] = None) -> None:
        """Forgets the warm start and sets the activations to 0: of one element, or of all."""
        if element is None:
            check(lib.ds_batch_reset(self._handle))
        else:
            check(lib.ds_batch_reset_element(self._handle, self._element(element)))
