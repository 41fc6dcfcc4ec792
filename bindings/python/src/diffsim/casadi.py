"""A model's step as a CasADi function: `pip install casadi`.

`function` calls the library from Python. `external` compiles C code that calls the library; it needs a C compiler and
is faster. Both give x⁺ for x = (q, v) and u with the exact Jacobian. There is no second derivative: give IPOPT the
option hessian_approximation "limited-memory".
"""

from __future__ import annotations

import pathlib
from typing import Any, Dict, List, Union

import casadi
import numpy as np

from . import c_model
from .planning import Transition as Transition

__all__ = ["external", "function"]


class _Function(casadi.Callback):  # type: ignore[misc]
    def __init__(self, name: str, transition: Transition) -> None:
        casadi.Callback.__init__(self)
        self.transition = transition
        self._kept: List[Any] = []
        self.construct(name, {})

    def get_n_in(self) -> int:
        return 2

    def get_n_out(self) -> int:
        return 1

    def get_name_in(self, i: int) -> str:
        return ("x", "u")[i]

    def get_name_out(self, i: int) -> str:
        return "x_next"

    def get_sparsity_in(self, i: int) -> Any:
        return casadi.Sparsity.dense((self.transition.nx, self.transition.nu)[i], 1)

    def get_sparsity_out(self, i: int) -> Any:
        return casadi.Sparsity.dense(self.transition.nx, 1)

    def eval(self, arg: Any) -> List[Any]:
        x, u = (np.array(a).ravel() for a in arg)
        return [casadi.DM(self.transition.step(x, u))]

    def has_jacobian(self) -> bool:
        return True

    def get_jacobian(self, name: str, inames: Any, onames: Any, opts: Dict[str, Any]) -> Any:
        made = _Jacobian(name, self.transition, list(inames), list(onames), opts)
        self._kept.append(made)
        return made


class _Jacobian(casadi.Callback):  # type: ignore[misc]
    def __init__(self, name: str, transition: Transition, inames: Any, onames: Any, opts: Dict[str, Any]) -> None:
        casadi.Callback.__init__(self)
        self.transition, self.names = transition, (inames, onames)
        self.construct(name, opts)

    def get_n_in(self) -> int:
        return 3

    def get_n_out(self) -> int:
        return 2

    def get_name_in(self, i: int) -> str:
        return str(self.names[0][i])

    def get_name_out(self, i: int) -> str:
        return str(self.names[1][i])

    def get_sparsity_in(self, i: int) -> Any:
        nx = self.transition.nx
        return casadi.Sparsity(nx, 1) if i == 2 else casadi.Sparsity.dense((nx, self.transition.nu)[i], 1)

    def get_sparsity_out(self, i: int) -> Any:
        return casadi.Sparsity.dense(self.transition.nx, (self.transition.nx, self.transition.nu)[i])

    def eval(self, arg: Any) -> List[Any]:
        x, u = (np.array(a).ravel() for a in arg[:2])
        _, by_x, by_u = self.transition.jacobians(x, u)
        return [casadi.DM(by_x), casadi.DM(by_u)]


def function(transition: Transition, name: str = "step") -> Any:
    """x_next = f(x, u) as a `casadi.Function`. Keep it alive as long as the functions made from it."""
    return _Function(name, transition)


def external(
    transition: Transition, name: str = "step", folder: Union[str, "pathlib.Path", None] = None, **compiling: Any
) -> Any:
    """`function` from C code, which is written to a folder and compiled there. The default folder exists until the
    process ends. compiling: see `c_model.build`."""
    source = c_model.write(transition, name, folder, for_="casadi")
    return casadi.external(name, str(c_model.build(source, **compiling)))
