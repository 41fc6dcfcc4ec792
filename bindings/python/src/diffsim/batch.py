"""Many simulations of one model at once, over threads."""

from typing import Optional, Sequence, Tuple

import numpy as np

from ._native import INT, Handle, array, check, fail, ffi, lib, pointer, result, struct
from .model import Array, Model
from .parameters import Param, select
from .sim import Gradients, StepInfo, StepJacobians

#: What `each` holds before the library has written to it.
_UNTOUCHED = -1


class Batch(Handle):
    """`count` simulations of a model, stepped by `threads` threads (0: one per core); how many there
    are changes no bit of a result. One thread at a time calls.

    Column i of every array belongs to element i: an array of shape (nq, count) in column-major order is
    the transpose of a row-major one of shape (count, nq), so `x.T` converts at no cost.

    An element that fails leaves its columns NaN (with `out`: untouched); the others go on. The call
    then raises the exception of the first that failed, unless it was given `each`, an int32 array for
    the statuses.
    """

    _kind = "ds_batch"
    _free = lib.ds_batch_free

    def __init__(self, model: Model, count: int, threads: int = 0, **options):
        made, _keep = struct("ds_options", lib.ds_options_init, options)
        self._own(lib.ds_batch_create, model._handle, made, count, threads)
        self.model = model
        self.count: int = lib.ds_batch_count(self._handle)
        self.threads: int = lib.ds_batch_threads(self._handle)

    def _statuses(self, each):
        if each is not None:
            result(each, (self.count,), "each", INT)
            each[...] = _UNTOUCHED
        return each

    def _check(self, status, each):
        if status and (each is None or (each == _UNTOUCHED).all()):
            fail(status)

    def _result(self, rows, out, name):
        shape = (rows, self.count)
        return np.full(shape, np.nan, order="F") if out is None else result(out, shape, name)

    def step(
        self,
        q,
        v,
        u=None,
        out: Optional[Tuple[Array, Array]] = None,
        each: Optional[np.ndarray] = None,
    ) -> Tuple[Array, Array]:
        """Advances every element by one step. q: nq×count, v: nv×count, u: nu×count (None where
        nu = 0); returns (q_next, v_next). out may be (q, v)."""
        m, n = self.model, self.count
        q, v = array(q, (m.nq, n), "q"), array(v, (m.nv, n), "v")
        u = None if u is None else array(u, (m.nu, n), "u")
        q_next = self._result(m.nq, out and out[0], "out[0]")
        v_next = self._result(m.nv, out and out[1], "out[1]")
        each = self._statuses(each)
        given = map(pointer, (q, v, u, q_next, v_next, each))
        self._check(lib.ds_batch_step(self._handle, *given), each)
        return q_next, v_next

    def jacobians(
        self, wanted: Sequence[str] = StepJacobians.NAMES, each: Optional[np.ndarray] = None
    ) -> StepJacobians:
        """Jacobians of every element's last step; element i's matrix is x[:, :, i]."""
        out = StepJacobians(self.model.nv, self.model.nu, self.np, wanted, (self.count,))
        each = self._statuses(each)
        self._check(lib.ds_batch_step_jacobians(self._handle, out._struct, pointer(each)), each)
        return out

    def vjp(self, q_next_bar, v_next_bar, each: Optional[np.ndarray] = None) -> Gradients:
        """Reverse mode through every element's last step, as `Sim.vjp`; one column an element."""
        nv, n = self.model.nv, self.count
        q_next_bar = array(q_next_bar, (nv, n), "q_next_bar")
        v_next_bar = array(v_next_bar, (nv, n), "v_next_bar")
        out = Gradients(*(self._result(rows, None, "") for rows in (nv, nv, self.model.nu, self.np)))
        each = self._statuses(each)
        given = map(pointer, (q_next_bar, v_next_bar, *out, each))
        self._check(lib.ds_batch_step_vjp(self._handle, *given), each)
        return out

    def info(self, element: int) -> StepInfo:
        """How the last step of an element went."""
        info = ffi.new("ds_step_info *")
        check(lib.ds_batch_step_info(self._handle, element, info))
        return StepInfo._of(info)

    def select_params(self, params: Sequence[Param]) -> None:
        """Chooses parameters in every element, as `Sim.select_params`."""
        select(lib.ds_batch_select_params, self._handle, params)

    @property
    def np(self) -> int:
        """Number of parameters selected in every element."""
        return lib.ds_batch_np(self._open())

    def get_params(self, element: int) -> Array:
        """Values of the selected parameters in an element."""
        out = np.zeros(self.np)
        check(lib.ds_batch_get_params(self._handle, element, pointer(out)))
        return out

    def set_params(self, element: int, p) -> None:
        """Sets the selected parameters in one element."""
        p = array(p, (self.np,), "p")
        check(lib.ds_batch_set_params(self._handle, element, pointer(p)))

    def set_external_wrench(self, element: int, body: int, wrench) -> None:
        """Sets the wrench on a body of one element, as `Sim.set_external_wrench`."""
        wrench = array(wrench, (6,), "wrench")
        check(lib.ds_batch_set_external_wrench(self._handle, element, body, pointer(wrench)))

    def reset(self, element: Optional[int] = None) -> None:
        """Forgets the warm start of one element, or of all."""
        if element is None:
            check(lib.ds_batch_reset(self._handle))
        else:
            check(lib.ds_batch_reset_element(self._handle, element))
