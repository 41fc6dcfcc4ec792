"""Parameters of a step, by which derivatives can be taken."""

from __future__ import annotations

import inspect
from dataclasses import dataclass
from typing import Any, Callable, Dict, Sequence, Tuple, Union

from ._errors import ArgumentTypeError
from ._help import params as kinds
from ._names import choice, listed
from ._native import check, ffi, index
from .enums import ParamKind, ParamKindName
from .model import Id, Model

#: Of what part of a model a kind's index is.
_PARTS: Dict[ParamKind, str] = {
    ParamKind.BODY_INERTIA: "body",
    ParamKind.GEOM_FRICTION: "geom",
    ParamKind.GEOM_RESTITUTION: "geom",
    ParamKind.CONTACT_STIFFNESS: "geom",
    ParamKind.CONTACT_DISSIPATION: "geom",
    ParamKind.CONTACT_TANGENTIAL: "geom",
    ParamKind.GEOM_SIZE: "geom",
    ParamKind.JOINT_DAMPING: "joint",
    ParamKind.JOINT_STIFFNESS: "joint",
    ParamKind.JOINT_ARMATURE: "joint",
    ParamKind.JOINT_PLACEMENT: "joint",
    ParamKind.JOINT_SPRING_REFERENCE: "joint",
    ParamKind.JOINT_FRICTION: "joint",
    ParamKind.SPLINE_FRAME: "joint",
    ParamKind.EXTERNAL_WRENCH: "body",
    ParamKind.TENDON: "tendon",
}


@dataclass(frozen=True)
class Param:
    """A parameter: a number of a model that `params` of a sim, rollout or batch sets, and by which derivatives are
    taken.

    For example `Param("body_inertia", "trunk")` is the mass of the body "trunk", `Param("joint_friction", "elbow")` the dry friction of a
    joint. index: an id or a name; component: which of its numbers. By the kind:
    """

    kind: Union[ParamKind, ParamKindName]
    index: Id = 0
    component: int = 0

    def __post_init__(self) -> None:
        object.__setattr__(self, "kind", choice(ParamKind, self.kind, "kind"))

    def _numbers(self, model: Model) -> Tuple[int, int, int]:
        kind = choice(ParamKind, self.kind, "kind")
        of = self.index
        if isinstance(of, str):
            if kind not in _PARTS:
                raise ArgumentTypeError(f"index: parameters of the kind {kind.name.lower()} have no names, got {of!r}")
            of = model._id(_PARTS[kind], of, "index")
        return int(kind), index(of, "index", "an id or a name"), index(self.component, "component")


Param.__doc__ = f"{inspect.cleandoc(Param.__doc__ or '')}\n\n{kinds()}\n"


def select(function: Callable[..., int], handle: Any, params: Sequence[Param], model: Model) -> Tuple[Param, ...]:
    """Calls a `_select_params` of the library. Returns the selected parameters with numbers for names."""
    numbers = []
    for param in listed(params, "params", "diffsim.Param"):
        if not isinstance(param, Param):
            raise ArgumentTypeError(f"params: expected diffsim.Param, got {type(param).__name__}")
        numbers.append(param._numbers(model))
    chosen = ffi.new("ds_param[]", numbers)
    check(function(handle, chosen, len(numbers)))
    return tuple(Param(ParamKind(kind), i, component) for kind, i, component in numbers)
