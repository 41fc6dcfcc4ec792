"""A model's step as the discrete dynamics of an acados model: C code with the value and the Jacobian.

acados's Python interface `acados_template` comes with acados. Set integrator_type "DISCRETE" and hessian_approx
"GAUSS_NEWTON": there is no second derivative.
"""

from __future__ import annotations

import pathlib
from typing import Any, Union

from . import c_model
from .planning import Transition as Transition

__all__ = ["model"]


def model(transition: Transition, name: str = "step", folder: Union[str, "pathlib.Path", None] = None) -> Any:
    """An `AcadosModel` with symbols x and u. Its dynamics are those of the transition. The C file goes to the folder,
    by default the working directory, where acados looks for it when `AcadosOcpSolver` makes its code."""
    import casadi
    from acados_template import AcadosModel

    source = c_model.write(transition, name, folder or pathlib.Path.cwd(), for_="acados")
    made = AcadosModel()
    made.name = name
    made.x, made.u = casadi.SX.sym("x", transition.nx), casadi.SX.sym("u", transition.nu)
    made.dyn_ext_fun_type = "generic"
    made.dyn_generic_source = source.name
    made.dyn_disc_fun = f"{name}_fun"
    made.dyn_disc_fun_jac = f"{name}_fun_jac"
    # There is no second derivative. With GAUSS_NEWTON the solver never calls it, but the generated code names
    # it.
    made.dyn_disc_fun_jac_hess = f"{name}_fun_jac_hess"
    return made
