"""A model's step as a Crocoddyl action model: `pip install crocoddyl`.

    transition = Transition(model, steps=5)
    running = ActionModel(transition, reference, weights_x, weights_u)
    terminal = ActionModel(transition, reference, 100.0 * weights_x, terminal=True)
    problem = crocoddyl.ShootingProblem(x0, [running] * 40, terminal)
    crocoddyl.SolverFDDP(problem).solve()
"""

from __future__ import annotations

from typing import Any, Optional

import crocoddyl
import numpy as np
from numpy.typing import ArrayLike

from ._native import array
from .planning import Transition as Transition
from .planning import difference_jacobians, integrate_jacobians

__all__ = ["ActionModel", "State"]


class State(crocoddyl.StateAbstract):  # type: ignore[misc]
    """States x = (q, v) of a transition, with the tangent spaces of the model."""

    def __init__(self, transition: Transition) -> None:
        crocoddyl.StateAbstract.__init__(self, transition.nx, transition.ndx)
        self.transition = transition

    def zero(self) -> Any:
        """The neutral configuration at rest."""
        return self.transition.state(self.transition.model.neutral(), np.zeros(self.transition.nv))

    def rand(self) -> Any:
        """A random state near the neutral configuration at rest."""
        return self.integrate(self.zero(), np.random.default_rng().uniform(-1.0, 1.0, self.ndx))

    def diff(self, x0: Any, x1: Any) -> Any:
        """The tangent vector from x0 to x1."""
        return self.transition.difference(x0, x1)

    def integrate(self, x: Any, dx: Any) -> Any:
        """Moves x along a tangent vector."""
        return self.transition.integrate(x, dx)

    def Jdiff(self, x0: Any, x1: Any, firstsecond: Any = crocoddyl.Jcomponent.both) -> Any:
        """Derivatives of `diff`."""
        return _chosen(difference_jacobians(self.transition, x0, x1), firstsecond)

    def Jintegrate(self, x: Any, dx: Any, firstsecond: Any = crocoddyl.Jcomponent.both) -> Any:
        """Derivatives of `integrate`."""
        return _chosen(integrate_jacobians(self.transition, dx), firstsecond)

    def JintegrateTransport(self, x: Any, dx: Any, Jin: Any, firstsecond: Any) -> Any:
        """Transports a derivative at integrate(x, dx) to x."""
        first, second = integrate_jacobians(self.transition, dx)
        return (first if firstsecond == crocoddyl.Jcomponent.first else second) @ Jin


def _chosen(pair: Any, which: Any) -> Any:
    if which == crocoddyl.Jcomponent.both:
        return list(pair)
    return pair[0] if which == crocoddyl.Jcomponent.first else pair[1]


class ActionModel(crocoddyl.ActionModelAbstract):  # type: ignore[misc]
    """A transition with the cost ½ Σ wx d² + ½ Σ wu (u - u_reference)², d the tangent vector from the reference to x.

    weights_x: 2nv numbers or one; weights_u: nu numbers or one; terminal: without dynamics and input. For another
    cost override `cost`.
    """

    def __init__(
        self,
        transition: Transition,
        reference: ArrayLike,
        weights_x: ArrayLike = 1.0,
        weights_u: ArrayLike = 1e-3,
        u_reference: Optional[ArrayLike] = None,
        terminal: bool = False,
    ) -> None:
        self.space = State(transition)
        crocoddyl.ActionModelAbstract.__init__(self, self.space, 0 if terminal else transition.nu, 0)
        self.transition, self.terminal = transition, terminal
        self.reference = array(reference, (transition.nx,), "reference")
        self.weights_x = array(np.broadcast_to(weights_x, (transition.ndx,)), (transition.ndx,), "weights_x")
        self.weights_u = array(np.broadcast_to(weights_u, (transition.nu,)), (transition.nu,), "weights_u")
        self.u_reference = np.zeros(transition.nu) if u_reference is None else array(u_reference, (transition.nu,), "u_reference")
        if not terminal:
            bounds = np.array([a.control_range for a in transition.model.actuators]).reshape(-1, 2)
            if len(bounds) == transition.nu:
                self.u_lb, self.u_ub = bounds[:, 0], bounds[:, 1]

    def cost(self, x: Any, u: Any, data: Any = None) -> float:
        """The cost. With `data`, stores its derivatives there: Lx, Lu, Lxx (Gauss-Newton), Luu, Lxu."""
        d = self.transition.difference(self.reference, x)
        e = u - self.u_reference if len(u) else np.zeros(0)
        if data is not None:
            J = difference_jacobians(self.transition, self.reference, x)[1]
            data.Lx = J.T @ (self.weights_x * d)
            data.Lxx = J.T @ (self.weights_x[:, None] * J)
            if len(u):
                data.Lu, data.Luu = self.weights_u * e, np.diag(self.weights_u)
        return float(0.5 * self.weights_x @ (d * d) + 0.5 * self.weights_u[: len(e)] @ (e * e))

    def calc(self, data: Any, x: Any, u: Any = None) -> None:
        """The next state and the cost. They are NaN if the step fails; then the solver shortens its step."""
        if u is None or self.terminal:
            data.cost = self.cost(x, np.zeros(0))
            data.xnext = np.array(x)
            return
        data.xnext = self.transition.step(x, u)
        data.cost = self.cost(x, u) if np.isfinite(data.xnext).all() else np.nan

    def calcDiff(self, data: Any, x: Any, u: Any = None) -> None:
        """Derivatives of the next state and the cost."""
        if u is None or self.terminal:
            self.cost(x, np.zeros(0), data)
            return
        _, data.Fx, data.Fu = self.transition.linearize(x, u)
        self.cost(x, u, data)
