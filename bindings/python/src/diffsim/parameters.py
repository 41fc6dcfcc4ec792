"""Parameters of a step that derivatives can be taken by."""

from dataclasses import dataclass
from typing import Sequence

from ._native import check, ffi
from .enums import ParamKind


@dataclass(frozen=True)
class Param:
    """A parameter; the header says what index and component mean for a kind.

    For example `Param(ParamKind.BODY_INERTIA, body, 0)` is the mass of a body.
    """

    kind: ParamKind
    index: int = 0
    component: int = 0


def select(function, handle, params: Sequence[Param]) -> None:
    """Calls one of the library's `_select_params`."""
    chosen = ffi.new("ds_param[]", len(params))
    for to, param in zip(chosen, params):
        to.kind, to.index, to.component = int(param.kind), param.index, param.component
    check(function(handle, chosen, len(params)))
