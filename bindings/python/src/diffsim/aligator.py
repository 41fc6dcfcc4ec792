"""A model's step as an Aligator dynamics model: `conda install -c conda-forge aligator`. PyPI has Aligator's
C++ library, `libaligator`, without its Python module (`examples/python/planning/hopper_aligator.cpp` uses it);
PyPI's `aligator` is another project.

    transition = Transition(model, steps=5)
    dynamics = Dynamics(transition)
    stage = aligator.StageModel(cost, dynamics)
    problem = aligator.TrajOptProblem(x0, [stage] * 40, terminal_cost)
"""

from __future__ import annotations

from typing import Any, Optional

import aligator
import numpy as np
from numpy.typing import ArrayLike

from ._errors import InvalidArgumentError, UnsupportedError
from .planning import Transition as Transition

__all__ = ["Dynamics"]

if not hasattr(aligator, "dynamics"):
    raise ImportError(
        f"aligator: {aligator.__file__} is not the solver; PyPI's package of this name is another project. Install the "
        "solver with: conda install -c conda-forge aligator"
    )


class Dynamics(aligator.dynamics.ExplicitDynamicsModel):  # type: ignore[misc]
    """x⁺ = f(x, u) of a transition, with x = (q, v) and derivatives in the tangent space.

    space: Aligator's manifold of x. None takes `VectorSpace(nx)`, for a model without quaternions. A model with free or
    spherical joints needs a space whose tangents are those of the model, such as `MultibodyPhaseSpace` of Pinocchio's
    model of the same file.
    """

    def __init__(self, transition: Transition, space: Optional[Any] = None) -> None:
        self.arguments = (transition,) if space is None else (transition, space)
        if space is None:
            if transition.quaternions:
                raise UnsupportedError(
                    "space: the model has quaternions, and VectorSpace has none; expected a manifold with the model's "
                    "tangents, for example aligator.manifolds.MultibodyPhaseSpace(pinocchio_model)"
                )
            space = aligator.manifolds.VectorSpace(transition.nx)
        if (space.nx, space.ndx) != (transition.nx, transition.ndx):
            raise InvalidArgumentError(
                f"space: expected nx = {transition.nx} and ndx = {transition.ndx}, got {space.nx} and {space.ndx}"
            )
        super().__init__(space, transition.nu)
        self.transition = transition

    def __getinitargs__(self) -> Any:
        """Arguments from which a pickle makes the model again."""
        return self.arguments

    def __deepcopy__(self, memo: Any) -> Dynamics:
        """Each stage of a problem owns a copy. All copies share the transition, which counts labels, and the space."""
        return Dynamics(*self.arguments)

    def forward(self, x: ArrayLike, u: ArrayLike, data: Any) -> None:
        """Stores the next state in data.xnext. It is NaN if the step fails; then the solver shortens its step."""
        data.xnext[:] = self.transition.step(x, u)

    def dForward(self, x: ArrayLike, u: ArrayLike, data: Any) -> None:
        """Stores the derivatives in data.Jx (ndx×ndx) and data.Ju (ndx×nu)."""
        _, A, B = self.transition.linearize(x, u)
        # A matrix of one column or row comes as a vector.
        for to, value in ((data.Jx, A), (data.Ju, B)):
            to[:] = np.reshape(value, np.shape(to))
