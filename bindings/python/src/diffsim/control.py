"""Controllers from the derivatives of a step: the linear-quadratic regulator, and plans by iLQR."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Dict, Final, List, NamedTuple, Optional, Tuple

import numpy as np
import numpy.typing as npt
from numpy.typing import ArrayLike

from ._errors import ArgumentTypeError, InvalidArgumentError, NotConvergedError
from ._handle import Handle, given
from ._help import says
from ._names import number
from ._native import NULL, Array, Slot, array, check, ffi, finite, index, input_hint, lib, pointer, position
from ._native import shape_of, size, struct
from .enums import IlqrOutcome
from .model import Id, Model

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from .options import ContactOptions, StepOptions


#: A direction is uncontrollable if the test is below this, in units of the balanced A and of the largest
#: entry of B.
_UNREACHED = 1e-7
#: Eigenvalues closer than this count as one, and those up to this below 1 in magnitude as 1.
_EQUAL = 1e-6
#: Eigenvalues of A are searched up to this below 1 in magnitude: round-off scatters the copies of a multiple
#: one.
_SCATTER = 1e-2
#: Entries of B below this, in units of the balanced A, are round-off.
_NOTHING = 1e-12
#: Corrections of an eigenvalue. Each one converges at second order.
_CORRECTIONS = 8


class Uncontrollable(NamedTuple):
    """An uncontrollable direction: w with wᵀA = `eigenvalue` wᵀ and wᵀB = 0. No input changes wᵀx.
    `names`: the largest entries of w, by joint if a model was given; `weights`: the values of these entries."""

    eigenvalue: complex
    direction: npt.NDArray[np.complex128]
    names: Tuple[str, ...]
    weights: Tuple[float, ...]


def uncontrollable(A: ArrayLike, B: ArrayLike, model: Optional[Model] = None) -> List[Uncontrollable]:
    """Uncontrollable directions that do not decay (|eigenvalue| ≥ 1 up to round-off), by the test of Popov, Belevitch
    and Hautus: left null vectors of (A − λ1, B). Empty if a regulator exists. A, B: those of `Sim.linearize`; model:
    its joints name the directions."""
    shape = shape_of(B, "B")
    if len(shape) != 2:
        raise ArgumentTypeError(f"B: expected a matrix, got the shape {shape}")
    nx, nu = shape
    a, b = finite(array(A, (nx, nx), "A"), "A"), finite(array(B, (nx, nu), "B"), "B")
    named = _coordinates(model, nx)
    a, d = _balanced(a)
    scale = max(1.0, float(np.abs(a).max(initial=0.0)))
    inputs = b / d[:, None]
    most = float(np.abs(inputs).max(initial=0.0))
    inputs = inputs / most if most > _NOTHING * scale else np.zeros_like(inputs)
    found: List[Uncontrollable] = []
    known: List[complex] = []
    for value in np.linalg.eigvals(a):
        if abs(value) < 1.0 - _SCATTER or value.imag < 0.0:
            continue
        value, w, size = _nearest_lost(a, inputs, complex(value), scale)
        lost = np.flatnonzero(size <= _UNREACHED)
        value = complex(value.real, 0.0 if abs(value.imag) <= _EQUAL else abs(value.imag))
        if not len(lost) or abs(value) < 1.0 - _EQUAL or any(abs(value - x) <= _EQUAL for x in known):
            continue
        known.append(value)
        for i in lost:
            direction = w[:, i].conj() / d
            direction = direction / np.linalg.norm(direction)
            largest = [int(k) for k in np.argsort(-np.abs(direction))[:4]]
            chief = [k for k in largest if abs(direction[k]) > 0.1 * abs(direction[largest[0]])]
            names = tuple(named[k] for k in chief)
            found.append(Uncontrollable(value, direction, names, tuple(float(direction[k].real) for k in chief)))
    return found


def _balanced(a: Array) -> Tuple[Array, Array]:
    """D⁻¹ A D with powers of two in the diagonal D, so that rows and columns have like sums (Parlett and Reinsch 1969);
    and the entries of D. Velocities of a step respond to positions by 1/h times as much as positions to velocities."""
    a, d = np.array(a), np.ones(len(a))
    for _ in range(100):
        done = True
        for i in range(len(a)):
            column, row = (float(np.abs(x).sum() - abs(a[i, i])) for x in (a[:, i], a[i]))
            if column == 0.0 or row == 0.0:
                continue
            f = 2.0 ** round(0.5 * np.log2(row / column))
            if column * f + row / f < 0.95 * (column + row):
                done = False
                d[i] *= f
                a[:, i] *= f
                a[i] /= f
        if done:
            break
    return a, d


def _nearest_lost(a: Array, inputs: Array, value: complex, scale: float) -> Tuple[complex, Any, Any]:
    """An eigenvalue near `value` whose left null vector of (A − λ1, B) exists, if there is one: λ ← wᴴA w with the
    vector w that fits best. Also the left singular vectors and values at it."""
    for _ in range(_CORRECTIONS):
        w, size, _ = np.linalg.svd(np.hstack([(a - value * np.eye(len(a))) / scale, inputs]))
        last = w[:, -1]
        better = complex(last.conj() @ a @ last)
        if abs(better - value) <= 1e-15 * scale:
            break
        value = better
    return value, w, size


def _coordinates(model: Optional[Model], nx: int) -> List[str]:
    """Names of the entries of a state (δq, δv)."""
    if model is None:
        return [f"x[{k}]" for k in range(nx)]
    m = given(model, Model, "model")
    if nx != 2 * m.nv + m.na:
        raise InvalidArgumentError(f"model: expected one with a state of {nx} numbers as A, got {2 * m.nv + m.na}")
    dofs: List[str] = []
    for joint, name in zip(model.joints, model.joint_names):
        who = name or f"joint {len(dofs)}"
        dofs += [who] if joint.nv == 1 else [f"{who}[{k}]" for k in range(joint.nv)]
    positions, velocities = ([f"{what} of {dof}" for dof in dofs] for what in ("position", "velocity"))
    return [*positions, *velocities, *(f"activation {k}" for k in range(m.na))]


def lqr(A: ArrayLike, B: ArrayLike, Q: ArrayLike, R: ArrayLike, model: Optional[Model] = None) -> Tuple[Array, Array]:
    """(K, P) of the discrete regulator: u = −K x minimizes Σ xᵀQx + uᵀRu along x⁺ = A x + B u; xᵀPx is the sum from x
    on.

    About a state at rest, A and B are the Jacobians of a step, and x is the tangent of q, then v. If no regulator
    stabilizes the system, it raises NotConvergedError, which names the uncontrollable directions (see
    `uncontrollable`). Sticking feet cause such directions of the base. model: its joints name the directions."""
    shape = shape_of(B, "B")
    if len(shape) != 2:
        raise ArgumentTypeError(f"B: expected a matrix, got the shape {shape}")
    nx, nu = shape
    given_: Tuple[Tuple[ArrayLike, Tuple[int, int], str], ...] = (
        (A, (nx, nx), "A"),
        (B, (nx, nu), "B"),
        (Q, (nx, nx), "Q"),
        (R, (nu, nu), "R"),
    )
    all_ = [array(x, size, name) for x, size, name in given_]
    _coordinates(model, nx)
    K, P = np.zeros((nu, nx), order="F"), np.zeros((nx, nx), order="F")
    try:
        check(lib.ds_lqr(nx, nu, *(pointer(x) for x in all_), pointer(K), pointer(P)))
    except NotConvergedError as error:
        lost = uncontrollable(all_[0], all_[1], model)
        if not lost:
            raise
        said = "; ".join(
            ", ".join(f"{x:+.2g} {name}" for x, name in zip(d.weights, d.names)) + f" (eigenvalue {d.eigenvalue.real if d.eigenvalue.imag == 0.0 else d.eigenvalue:.6g})" for d in lost[:3]
        )
        more = f"; and {len(lost) - 3} more, which diffsim.uncontrollable gives" if len(lost) > 3 else ""
        raise NotConvergedError(
            f"B: no input reaches {len(lost)} direction{'s' if len(lost) > 1 else ''} that A does not let die out: {said}{more}. "
            f"{error.message}"
        ) from None
    return K, P


class IlqrInfo(NamedTuple):
    """Result of a solve: outcome; number of improvements; cost of the plan and of the given inputs; largest slope of
    the cost by an input that is not at a bound."""

    outcome: IlqrOutcome
    iterations: int
    cost: float
    first_cost: float
    slope: float


class Ilqr(Handle, kind="ds_ilqr", free=lib.ds_ilqr_free, fixed=("model", "steps")):
    """A horizon of `steps` steps with a cost and bounds of the inputs. `solve` improves the trajectory by an
    iterative linear-quadratic regulator (iLQR). The cost is ½ Σ w d² over the deviations d from a reference: of the
    state at the start of each step, of its input, and of the end. Calls of several threads take turns. It cannot be copied or pickled.

    max_plans: largest number of improvements in one solve; plan_tolerance: it ends if the cost decreases by less than
    this share.
    Other options are those of a `Sim`, for the steps. Give `tolerance` and `max_iterations` of the contact solver in
    `contact_options`: `Ilqr(model, 20, max_plans=3, time_step=0.01, contact_options={"max_iterations": 200})`.
    If the steps of a trial fail (for example by `CapacityError`), a smaller change is tried. `solve` raises only if
    the given inputs fail.
    """

    _no_copies = "it holds a plan in progress. Make another one"

    @says("ds_options", ("tolerance", "max_iterations"))
    def __init__(
        self,
        model: Model,
        steps: int,
        *,
        max_plans: int = 100,
        plan_tolerance: float = 1e-9,
        contact_options: Optional[ContactOptions] = None,
        **options: Unpack[StepOptions],
    ) -> None:
        """Makes a horizon. The reference is the neutral configuration at rest; weights are 1 for inputs and 0 for
        states."""
        for name, plan in (("max_iterations", "max_plans"), ("tolerance", "plan_tolerance")):
            if name in options:
                raise ArgumentTypeError(
                    f"{name}: say {plan}=... for the plans, or contact_options={{{name!r}: ...}} for the contact solver of a step"
                )
        if not isinstance(contact_options, (Mapping, type(None))):
            raise ArgumentTypeError(f"contact_options: expected a mapping of options, got {type(contact_options).__name__}")
        solver: Dict[str, Any] = dict(contact_options or {})
        unknown = [name for name in solver if name not in ("tolerance", "max_iterations")]
        if unknown:
            raise ArgumentTypeError(f"contact_options: expected tolerance and max_iterations, got {unknown[0]!r}")
        made, _keep = struct("ds_options", lib.ds_options_init, {**options, **solver})
        fields = {"max_iterations": max_plans, "tolerance": plan_tolerance}
        how, _kept = struct("ds_ilqr_options", lib.ds_ilqr_options_init, fields)
        self._own(lib.ds_ilqr_create, given(model, Model, "model")._handle, made, size(steps, "steps"), how)
        self.model: Final = model
        self.steps: Final = steps
        self._q0, self._v0 = Slot(model.nq, "q0"), Slot(model.nv, "v0")

    def __repr__(self) -> str:
        if self._handle is NULL:
            return f"<diffsim.Ilqr: {self._gone}>"
        return f"<diffsim.Ilqr of {self.model!r}: {lib.ds_ilqr_steps(self._handle)} steps>"

    def set_weights(self, state: ArrayLike, end: ArrayLike, input: ArrayLike) -> None:
        """Sets the weights of deviations: of states at the start of steps and at the end, 2 nv + na nonnegative
        numbers each (tangent of q; v; activations), and of inputs, nu positive numbers."""
        n, nu = 2 * self.model.nv + self.model.na, self.model.nu
        a, b, c = array(state, (n,), "state"), array(end, (n,), "end"), array(input, (nu,), "input")
        check(lib.ds_ilqr_set_weights(self._handle, pointer(a), pointer(b), pointer(c)))

    def set_reference(
        self, q: ArrayLike, v: Optional[ArrayLike] = None, u: Optional[ArrayLike] = None, *, node: Optional[int] = None
    ) -> None:
        """Sets the reference at a `node` (0 to steps, which is the end), or everywhere. v and u: None for zeros."""
        m = self.model
        x = array(q, (m.nq,), "q")
        y = np.zeros(m.nv) if v is None else array(v, (m.nv,), "v")
        z = np.zeros(m.nu) if u is None else array(u, (m.nu,), "u", input_hint(m.nu))
        k = -1 if node is None else position(node, "node")
        check(lib.ds_ilqr_set_reference(self._handle, k, pointer(x), pointer(y), pointer(z)))

    def set_act_reference(self, act: ArrayLike, *, node: Optional[int] = None) -> None:
        """Sets the reference of activations, na numbers, at first zeros; `node`: see `set_reference`."""
        x = array(act, (self.model.na,), "act")
        k = -1 if node is None else position(node, "node")
        check(lib.ds_ilqr_set_act_reference(self._handle, k, pointer(x)))

    def set_external_wrench(self, body: Id, wrench: ArrayLike) -> None:
        """Sets a wrench on a body in every step; see `Sim.set_external_wrench`. Forgets the last plan."""
        b, w = self.model._id("body", body, "body"), array(wrench, (6,), "wrench")
        check(lib.ds_ilqr_set_external_wrench(self._handle, b, pointer(w)))

    def prescribe(self, dof: int, velocity: float) -> None:
        """Prescribes the velocity of a dof in every step; see `Sim.prescribe`. NaN frees it. Forgets the last plan."""
        check(lib.ds_ilqr_prescribe(self._handle, index(dof, "dof"), number(velocity, "velocity")))

    def set_input_bounds(self, lower: ArrayLike, upper: ArrayLike) -> None:
        """Sets the bounds of the inputs, nu numbers each; ±inf for no bound."""
        nu = self.model.nu
        a, b = array(lower, (nu,), "lower"), array(upper, (nu,), "upper")
        check(lib.ds_ilqr_set_input_bounds(self._handle, pointer(a), pointer(b)))

    def solve(
        self, q0: ArrayLike, v0: ArrayLike, u: Optional[ArrayLike] = None, act0: Optional[ArrayLike] = None
    ) -> Tuple[Array, IlqrInfo]:
        """Improves the inputs from the state (q0, v0) on. Returns the new inputs, nu × steps, and an `IlqrInfo`. u:
        initial inputs, None for zeros; act0: initial activations, na numbers, None for zeros."""
        shape = (self.model.nu, self.steps)
        hint = input_hint(shape[0])
        x = np.zeros(shape, order="F") if u is None else np.array(array(u, shape, "u", hint), order="F")
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
        """Feedback K of a step of the last plan, nu × (2 nv + na): apply u + K δx at the deviation δx from the plan:
        `model.difference(q_plan, q)`, then v − v_plan, then act − act_plan."""
        K = np.zeros((self.model.nu, 2 * self.model.nv + self.model.na), order="F")
        check(lib.ds_ilqr_gains(self._handle, position(step, "step"), pointer(K)))
        return K
