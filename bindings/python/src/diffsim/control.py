"""Control by the derivatives of the step: a linear-quadratic regulator, and plans improved by an iterative one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple, Optional, Tuple

import numpy as np
from numpy.typing import ArrayLike

from ._handle import Handle, given
from ._native import NULL, Array, Slot, array, check, ffi, index, lib, pointer, struct
from .enums import IlqrOutcome
from .model import Id, Model

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from .options import SimOptions


def lqr(A: ArrayLike, B: ArrayLike, Q: ArrayLike, R: ArrayLike) -> Tuple[Array, Array]:
    """(K, P) of the regulator u = −K x that is least in Σ xᵀQx + uᵀRu along x⁺ = A x + B u, with xᵀPx that sum from x on.

    About a state at rest A and B are Jacobians of a step, x the tangent of q, then v. Raises NotConvergedError where no
    regulator holds the system."""
    shape = np.shape(B)
    if len(shape) != 2:
        raise ValueError(f"B: expected a matrix, got the shape {shape}")
    nx, nu = shape
    given_: Tuple[Tuple[ArrayLike, Tuple[int, int], str], ...] = (
        (A, (nx, nx), "A"),
        (B, (nx, nu), "B"),
        (Q, (nx, nx), "Q"),
        (R, (nu, nu), "R"),
    )
    all_ = [array(x, size, name) for x, size, name in given_]
    K, P = np.zeros((nu, nx), order="F"), np.zeros((nx, nx), order="F")
    check(lib.ds_lqr(nx, nu, *(pointer(x) for x in all_), pointer(K), pointer(P)))
    return K, P


class IlqrInfo(NamedTuple):
    """How a solve went: how it ended; how often the trajectory was improved; its cost and that of the one that came; the
    largest slope of the cost by an input that no bound holds."""

    outcome: IlqrOutcome
    iterations: int
    cost: float
    first_cost: float
    slope: float


class Ilqr(Handle, kind="ds_ilqr", free=lib.ds_ilqr_free, fixed=("model", "steps")):
    """A horizon of `steps` steps with a cost and bounds of the inputs, whose trajectory is improved by an iterative
    linear-quadratic regulator. The cost is ½ Σ w d² of deviations d from a reference, where each step begins, of its
    input, and at the end. Calls of several threads take turns. It cannot be copied or pickled.

    max_iterations: of one solve; tolerance: a decrease below this share of the cost ends it. Options are those of a `Sim`.
    """

    _no_copies = "it holds a plan in progress. Make another one"

    def __init__(
        self,
        model: Model,
        steps: int,
        *,
        max_plans: int = 100,
        plan_tolerance: float = 1e-9,
        **options: Unpack[SimOptions],
    ) -> None:
        made, _keep = struct("ds_options", lib.ds_options_init, dict(options))
        fields = {"max_iterations": max_plans, "tolerance": plan_tolerance}
        how, _kept = struct("ds_ilqr_options", lib.ds_ilqr_options_init, fields)
        self._own(lib.ds_ilqr_create, given(model, Model, "model")._handle, made, steps, how)
        self.model: Final = model
        self.steps: Final = steps
        self._q0, self._v0 = Slot(model.nq, "q0"), Slot(model.nv, "v0")

    def __repr__(self) -> str:
        if self._handle is NULL:
            return f"<diffsim.Ilqr: {self._gone}>"
        return f"<diffsim.Ilqr of {self.model!r}: {lib.ds_ilqr_steps(self._handle)} steps>"

    def set_weights(self, state: ArrayLike, end: ArrayLike, input: ArrayLike) -> None:
        """Weights of the deviations of states, 2 nv + na numbers (tangent of q; v; activations), where steps begin and at the
        end, and of inputs, nu numbers greater than 0."""
        n, nu = 2 * self.model.nv + self.model.na, self.model.nu
        a, b, c = array(state, (n,), "state"), array(end, (n,), "end"), array(input, (nu,), "input")
        check(lib.ds_ilqr_set_weights(self._handle, pointer(a), pointer(b), pointer(c)))

    def set_reference(
        self, q: ArrayLike, v: Optional[ArrayLike] = None, u: Optional[ArrayLike] = None, *, node: Optional[int] = None
    ) -> None:
        """What deviations are from, where a step begins (`node`, 0 to steps, the end) or everywhere. v and u: None for zeros."""
        m = self.model
        x = array(q, (m.nq,), "q")
        y = np.zeros(m.nv) if v is None else array(v, (m.nv,), "v")
        z = np.zeros(m.nu) if u is None else array(u, (m.nu,), "u")
        k = -1 if node is None else index(node, "node")
        check(lib.ds_ilqr_set_reference(self._handle, k, pointer(x), pointer(y), pointer(z)))

    def set_act_reference(self, act: ArrayLike, *, node: Optional[int] = None) -> None:
        """What deviations of activations, na numbers, are from; `node` as of `set_reference`. Zeros at first."""
        x = array(act, (self.model.na,), "act")
        k = -1 if node is None else index(node, "node")
        check(lib.ds_ilqr_set_act_reference(self._handle, k, pointer(x)))

    def set_external_wrench(self, body: Id, wrench: ArrayLike) -> None:
        """Wrench on a body in every step, as `Sim.set_external_wrench`. The last plan is forgotten."""
        b, w = self.model._id("body", body, "body"), array(wrench, (6,), "wrench")
        check(lib.ds_ilqr_set_external_wrench(self._handle, b, pointer(w)))

    def prescribe(self, dof: int, velocity: float) -> None:
        """Prescribes the velocity of a dof in every step, as `Sim.prescribe`; NaN frees it. The last plan is forgotten."""
        check(lib.ds_ilqr_prescribe(self._handle, index(dof, "dof"), float(velocity)))

    def set_input_bounds(self, lower: ArrayLike, upper: ArrayLike) -> None:
        """Bounds of the inputs, nu numbers each; infinite ones are none."""
        nu = self.model.nu
        a, b = array(lower, (nu,), "lower"), array(upper, (nu,), "upper")
        check(lib.ds_ilqr_set_input_bounds(self._handle, pointer(a), pointer(b)))

    def solve(
        self, q0: ArrayLike, v0: ArrayLike, u: Optional[ArrayLike] = None, act0: Optional[ArrayLike] = None
    ) -> Tuple[Array, IlqrInfo]:
        """Better inputs, nu × steps, from the state on, and how that went. u: those to begin with, None for zeros; act0: the
        activations, na numbers, None for zeros."""
        shape = (self.model.nu, self.steps)
        x = np.zeros(shape, order="F") if u is None else np.array(array(u, shape, "u"), order="F")
        out = ffi.new("ds_ilqr_info *")
        state = self._q0.fill(q0), self._v0.fill(v0)
        if act0 is None:
            check(lib.ds_ilqr_solve(self._handle, *state, pointer(x), out))
        else:
            act = array(act0, (self.model.na,), "act0")
            check(lib.ds_ilqr_solve_act(self._handle, *state, pointer(act), pointer(x), out))
        return x, IlqrInfo(IlqrOutcome(out.outcome), *(getattr(out, name) for name in IlqrInfo._fields[1:]))

    def states(self) -> Tuple[Array, Array]:
        """q, nq × (steps + 1), and v, nv × (steps + 1), of the last plan."""
        q = np.zeros((self.model.nq, self.steps + 1), order="F")
        v = np.zeros((self.model.nv, self.steps + 1), order="F")
        check(lib.ds_ilqr_states(self._handle, pointer(q), pointer(v)))
        return q, v

    def activations(self) -> Array:
        """Activations of the last plan, na × (steps + 1)."""
        act = np.zeros((self.model.na, self.steps + 1), order="F")
        check(lib.ds_ilqr_states_act(self._handle, NULL, NULL, pointer(act)))
        return act

    def gains(self, step: int) -> Array:
        """K of a step of the last plan, nu × (2 nv + na): u + K δx answers a state that is off the plan by δx, the tangent
        `model.difference(q_plan, q)`, then v − v_plan, then act − act_plan."""
        K = np.zeros((self.model.nu, 2 * self.model.nv + self.model.na), order="F")
        check(lib.ds_ilqr_gains(self._handle, index(step, "step"), pointer(K)))
        return K
