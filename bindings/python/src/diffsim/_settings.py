"""Settings of a sim or rollout since it was made, for a copy."""

from __future__ import annotations

from typing import Any, Dict, List, Optional, Sequence, Tuple

from ._native import Array
from .enums import ParamKind
from .parameters import Param


class Settings:
    """Pairs of geoms, wrenches, prescribed velocities, forces, parameters with their last values, and the selected
    parameters."""

    def __init__(self) -> None:
        self.pairs: Dict[Tuple[int, int], bool] = {}
        self.wrenches: Dict[int, Array] = {}
        self.prescribed: Dict[int, float] = {}
        self.force: Optional[Tuple[Optional[Array], ...]] = None
        self.params: Dict[Param, float] = {}
        self.selected: Tuple[Param, ...] = ()

    def pair(self, a: int, b: int, enabled: bool) -> None:
        self.pairs[min(a, b), max(a, b)] = enabled

    def wrench(self, body: int, wrench: Array) -> None:
        self.wrenches[body] = wrench.copy()
        # They are also parameters: the last setting counts.
        for component in range(6):
            self.params.pop(Param(ParamKind.EXTERNAL_WRENCH, body, component), None)

    def prescribe(self, dof: int, velocity: float) -> None:
        self.prescribed[dof] = velocity
        self.params.pop(Param(ParamKind.PRESCRIBED, dof), None)

    def give_force(self, force: Optional[Array], slopes: Sequence[Optional[Array]]) -> None:
        """Takes copies of a force and its slopes."""
        given = (force, *slopes)
        self.force = None if force is None else tuple(None if x is None else x.copy(order="F") for x in given)

    def values(self, values: Array) -> None:
        self.params.update(zip(self.selected, values.tolist()))

    def state(self) -> Dict[str, Any]:
        """Settings for a copy. The copy shares nothing with these settings."""
        wrenches = {body: wrench.copy() for body, wrench in self.wrenches.items()}
        return {
            "pairs": dict(self.pairs),
            "wrenches": wrenches,
            "prescribed": dict(self.prescribed),
            "force": self.force,
            "params": dict(self.params),
            "selected": self.selected,
        }


def apply(state: Dict[str, Any], to: Any) -> None:
    """Applies the settings to a new sim or rollout."""
    for (a, b), enabled in state["pairs"].items():
        to.set_pair_enabled(a, b, enabled)
    for body, wrench in state["wrenches"].items():
        to.set_external_wrench(body, wrench)
    for dof, velocity in state.get("prescribed", {}).items():
        to.prescribe(dof, velocity)
    force = state.get("force")
    if force is not None:
        to.set_force(*force)
    params: List[Param] = list(state["params"])
    if params:
        to.select_params(params)
        to.params = list(state["params"].values())
    to.select_params(state["selected"])
