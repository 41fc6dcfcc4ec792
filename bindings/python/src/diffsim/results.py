"""Results of steps, of their derivatives and of geometric queries."""

from __future__ import annotations

from typing import Any, Dict, List, NamedTuple, NoReturn, Optional, Sequence, Tuple

import numpy as np
import numpy.typing as npt

from ._errors import InvalidArgumentError
from ._names import listed
from ._native import Array, ffi, pointer, size
from .enums import Gradient


class StepInfo(NamedTuple):
    """Facts about a step.

    residual: residual at which the contact solver stopped. switch_distance: distance to the nearest switch of a mode,
    inf if there is none. gradient: label that a derivative of this step would have. converged: True if the residual
    is within the tolerance; if not, the step has no derivative. impacts: number of contacts that rebound; with any,
    the derivative of positions by positions includes the change of the impact time. deepest: deepest penetration at
    the start of the step [m]. too_deep: number of contacts deeper than the option max_depth. near_singular: Euler
    joints within three degrees of a configuration with all axes in one plane. push_out_given_up: True if violations
    yielded as if compliant, because friction jams the bodies. work: work of the contact problem, in factorizations of
    it; see the option max_work.
    """

    contacts: int
    iterations: int
    residual: float
    switch_distance: float
    gradient: Gradient
    converged: bool
    impacts: int
    deepest: float
    too_deep: int
    near_singular: int
    push_out_given_up: bool
    work: float

    @classmethod
    def _of(cls, info: Any) -> StepInfo:
        return cls(
            info.contacts,
            info.iterations,
            info.residual,
            info.switch_distance,
            Gradient(info.gradient),
            bool(info.converged),
            info.impacts,
            info.deepest,
            info.too_deep,
            info.near_singular,
            bool(info.push_out_given_up),
            info.work,
        )


def wanted_names(wanted: Sequence[str]) -> List[str]:
    names = listed(wanted, "wanted", "names of Jacobians")
    unknown = [name for name in names if not (isinstance(name, str) and name in StepJacobians.NAMES)]
    if unknown:
        raise InvalidArgumentError(f"wanted: no Jacobian is named {unknown}, only {StepJacobians.NAMES}")
    return names


class StepJacobians:
    """Jacobians of a step, column-major. Rows and columns of configurations are tangent (nv).

    dq_dq, dq_dv, dv_dq, dv_dv: nv×nv; dq_du, dv_du: nv×nu; dq_dp, dv_dp: nv×np. Jacobians that were not wanted are
    None. In a batch the arrays have one more axis at the end, the element. You can write to the arrays but not
    replace them. A copy has its own arrays.
    """

    NAMES = ("dq_dq", "dq_dv", "dq_du", "dq_dp", "dv_dq", "dv_dv", "dv_du", "dv_dp")
    __slots__ = (*NAMES, "_memory", "_struct")

    dq_dq: Array
    dq_dv: Array
    dq_du: Array
    dq_dp: Array
    dv_dq: Array
    dv_dv: Array
    dv_du: Array
    dv_dp: Array
    _memory: Dict[str, Any]
    _struct: Any

    def __init__(self, nv: int, nu: int, np_: int, wanted: Sequence[str] = NAMES, count: Tuple[int, ...] = ()) -> None:
        wanted = wanted_names(wanted)
        nv, nu, np_ = size(nv, "nv"), size(nu, "nu"), size(np_, "np_")
        columns = {"q": nv, "v": nv, "u": nu, "p": np_}
        last = [size(n, "count") for n in listed(count, "count", "sizes")]
        shapes = {name: (nv, columns[name[-1]], *last) for name in self.NAMES}
        self._own({name: np.zeros(shapes[name], order="F") if name in wanted else None for name in self.NAMES})

    def _own(self, arrays: Dict[str, Optional[Array]]) -> None:
        """Takes the arrays and their addresses. An address is valid while its array lives."""
        memory = {name: pointer(x) for name, x in arrays.items()}
        values = {**arrays, "_memory": memory, "_struct": ffi.new("ds_step_jacobians *", memory)}
        for name, value in values.items():
            object.__setattr__(self, name, value)

    def _fixed(self, name: str, *_: Any) -> NoReturn:
        raise AttributeError(f"{name}: the arrays are where results go, and stay; write to {name}[...]")

    __setattr__ = __delattr__ = _fixed

    def __getstate__(self) -> Dict[str, Optional[Array]]:
        return {name: getattr(self, name) for name in self.NAMES}

    def __setstate__(self, arrays: Dict[str, Any]) -> None:
        own = {name: arrays.get(name) for name in self.NAMES}
        self._own({name: None if x is None else np.array(x, dtype=np.float64, order="F") for name, x in own.items()})


class JacobianPattern(NamedTuple):
    """Entries of a step's Jacobians that may differ from zero, in compressed columns. The rows of column j of the
    Jacobians by q and v are state_rows[state_starts[j]:state_starts[j + 1]]; likewise for the Jacobians by u.
    Patterns of one simulation with the same number are equal."""

    number: int
    state_starts: Array
    state_rows: Array
    input_starts: Array
    input_rows: Array


class PatchFace(NamedTuple):
    """A polygon of a hydroelastic patch.

    contact: number among the sim's contacts. vertices: n×3 [m], world axes, in order around the polygon. pressures: n
    numbers [Pa]; negative on a face that is not closed.
    """

    contact: int
    vertices: Array
    pressures: Array


class SmoothingInfo(NamedTuple):
    """Samples of smoothed Jacobians: pairs in the mean, pairs left out (both 0 for the central path)."""

    gradient: Gradient
    pairs: int
    failures: int


class ContactDerivatives(NamedTuple):
    """Derivatives of contacts by q (tangent), world axes. point, normal: 3×nv×contacts; tangents: 6×nv×contacts, t1
    above t2; gap: nv×contacts. gradient: one-sided if a derivative is undetermined; the undetermined part is left
    out."""

    point: Array
    normal: Array
    tangents: Array
    gap: Array
    gradient: Gradient


class ImpulseJacobians(NamedTuple):
    """Derivatives of the impulses of the contacts: rows t1, t2, n of each contact, columns q (tangent), v, u and p.
    unique: True if the state determines every impulse. If not (four points under a flat foot), only their total force
    on a body has the given derivative."""

    q: Array
    v: Array
    u: Array
    p: Array
    unique: bool


class Distance(NamedTuple):
    """Distance of two geoms, negative if they overlap, world axes. point_a, point_b: closest points on the surfaces;
    normal: from A to B; derivative: by q (tangent), nv numbers."""

    distance: float
    point_a: Array
    point_b: Array
    normal: Array
    gradient: Gradient
    derivative: Array


class SmoothedDistance(NamedTuple):
    """Means of a distance, its point and its normal, world axes, and their derivatives by q (tangent): nv, 3×nv and
    3×nv."""

    distance: float
    point: Array
    normal: Array
    derivative: Array
    point_derivative: Array
    normal_derivative: Array


class ColumnLabels(NamedTuple):
    """Labels of the columns of a step's derivative: False exact, True one-sided. q (tangent) and v: nv labels,
    u: nu, p: np."""

    q: npt.NDArray[np.bool_]
    v: npt.NDArray[np.bool_]
    u: npt.NDArray[np.bool_]
    p: npt.NDArray[np.bool_]


class Gradients(NamedTuple):
    """Gradient of a function by the arguments of a step or a rollout: q (tangent) and v: nv numbers, u: nu (for a
    rollout nu×N), p: np. In a batch: one column per element."""

    q: Array
    v: Array
    u: Array
    p: Array
