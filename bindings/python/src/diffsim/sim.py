"""Simulations: steps, their derivatives, and dynamics."""

from typing import Dict, NamedTuple, Optional, Sequence, Tuple

import numpy as np

from ._native import (
    INT,
    NULL,
    Handle,
    InvalidArgumentError,
    Slot,
    array,
    check,
    fail,
    ffi,
    layout,
    lib,
    pointer,
    records,
    result,
    struct,
)
from .enums import Gradient, SmoothingMethod
from .model import Array, Model
from .parameters import Param, select

# A newer library's contacts may be longer than the header has them.
CONTACT = layout("ds_contact", lib.ds_contact_size())


class StepInfo(NamedTuple):
    """How a step went.

    residual: at which the contact solver stopped. switch_distance: to the nearest switch of a mode, inf
    without any. gradient: what a derivative of this step would be. converged: whether the residual is
    within the tolerance; if not, the step has no derivative. impacts: contacts that rebound; with any, the
    derivative of positions by positions is that through the impacts.
    """

    contacts: int
    iterations: int
    residual: float
    switch_distance: float
    gradient: Gradient
    converged: bool
    impacts: int

    @classmethod
    def _of(cls, info):
        return cls(
            info.contacts,
            info.iterations,
            info.residual,
            info.switch_distance,
            Gradient(info.gradient),
            bool(info.converged),
            info.impacts,
        )


class StepJacobians:
    """Jacobians of a step, column-major. Rows and columns of configurations are tangent (nv).

    dq_dq, dq_dv, dv_dq, dv_dv: nv×nv; dq_du, dv_du: nv×nu; dq_dp, dv_dp: nv×np. Those that were not
    wanted are None. In a batch the arrays have one more axis, the element, at the end. The arrays can be
    written to, but not exchanged for others; a copy has arrays of its own.
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

    def __init__(self, nv: int, nu: int, np_: int, wanted: Sequence[str] = NAMES, count: Tuple[int, ...] = ()):
        unknown = set(wanted) - set(self.NAMES)
        if unknown:
            raise InvalidArgumentError(f"wanted: no Jacobian is named {sorted(unknown)}, only {self.NAMES}")
        columns = {"q": nv, "v": nv, "u": nu, "p": np_}
        shapes = {name: (nv, columns[name[-1]], *count) for name in self.NAMES}
        self._own({name: np.zeros(shapes[name], order="F") if name in wanted else None for name in self.NAMES})

    def _own(self, arrays):
        """Takes the arrays and their addresses, which hold as long as what they were taken from."""
        memory = {name: pointer(x) for name, x in arrays.items()}
        values = {**arrays, "_memory": memory, "_struct": ffi.new("ds_step_jacobians *", memory)}
        for name, value in values.items():
            object.__setattr__(self, name, value)

    def _fixed(self, name, *_):
        raise AttributeError(f"{name}: the arrays are where results go, and stay; write to {name}[...]")

    __setattr__ = __delattr__ = _fixed

    def __getstate__(self):
        return {name: getattr(self, name) for name in self.NAMES}

    def __setstate__(self, arrays):
        self._own({name: None if x is None else np.array(x, order="F") for name, x in arrays.items()})


class JacobianPattern(NamedTuple):
    """Entries of a step's Jacobians that may differ from zero, in compressed columns: the rows of column j of those by q
    and v are state_rows[state_starts[j]:state_starts[j + 1]], likewise for those by u. Patterns of one simulation with
    the same number are the same."""

    number: int
    state_starts: Array
    state_rows: Array
    input_starts: Array
    input_rows: Array


class SmoothingInfo(NamedTuple):
    """What smoothed Jacobians are made of: pairs in the mean, pairs left out (both 0 for the central
    path)."""

    gradient: Gradient
    pairs: int
    failures: int


class ContactDerivatives(NamedTuple):
    """How contacts move with q (tangent), world axes. point, normal: 3×nv×contacts; tangents: 6×nv×
    contacts, t1 above t2; gap: nv×contacts. gradient: one-sided where something is not determined and
    left out."""

    point: Array
    normal: Array
    tangents: Array
    gap: Array
    gradient: Gradient


class ImpulseJacobians(NamedTuple):
    """How the impulses of the contacts move: rows t1, t2, n of each contact, columns q (tangent), v, u
    and p. unique: whether the state determines every impulse; if not (four points under a flat foot),
    only their total force on a body has the derivative given."""

    q: Array
    v: Array
    u: Array
    p: Array
    unique: bool


class Distance(NamedTuple):
    """The distance of two geoms, negative where they overlap, world axes. point_a, point_b: on the
    surfaces; normal: from A to B; derivative: by q (tangent), nv numbers."""

    distance: float
    point_a: Array
    point_b: Array
    normal: Array
    gradient: Gradient
    derivative: Array


class SmoothedDistance(NamedTuple):
    """Means of a distance, its point and its normal, world axes, and their derivatives by q (tangent):
    nv, 3×nv and 3×nv."""

    distance: float
    point: Array
    normal: Array
    derivative: Array
    point_derivative: Array
    normal_derivative: Array


class Gradients(NamedTuple):
    """Gradient of a function by what went into a step or a rollout: q (tangent) and v: nv numbers,
    u: nu (of a rollout nu×N), p: np. In a batch: one column an element."""

    q: Array
    v: Array
    u: Array
    p: Array


class Sim(Handle):
    """One simulation of a model. One thread at a time.

    Options are the fields of `ds_options`: time_step (0.001 s, whatever the file says), contact,
    integrator, tolerance, max_iterations, max_work, max_contacts, kp, kd, restitution_threshold, derivatives,
    require_convergence, newton_tolerance, max_newton.

    Arrays are float64; other dtypes raise `ArgumentTypeError`, wrong shapes `InvalidArgumentError`.
    Results are new arrays unless `out` says where they go; `out` may hold arguments.
    """

    _kind = "ds_sim"
    _free = lib.ds_sim_free

    def __init__(self, model: Model, **options):
        made, _keep = struct("ds_options", lib.ds_options_init, options)
        self._own(lib.ds_sim_create, model._handle, made)
        self.model = model
        self.np = 0
        nq, nv, nu = model.nq, model.nv, model.nu
        self._q, self._v, self._u = Slot(nq, "q"), Slot(nv, "v"), Slot(nu, "u")
        self._a, self._tau = Slot(nv, "a"), Slot(nv, "tau")
        self._dq, self._dv, self._du = Slot(nv, "dq"), Slot(nv, "dv"), Slot(nu, "du")
        self._q_next, self._v_next = Slot(nq, "q_next"), Slot(nv, "v_next")
        self._q_bar, self._v_bar = Slot(nv, "q_next_bar"), Slot(nv, "v_next_bar")
        self._six = Slot(6, "wrench")
        self._three = Slot(3, "point")
        self._resize_params(0)

    def _resize_params(self, count):
        self.np = count
        self._p = Slot(count, "p")
        self._dp = Slot(count, "dp")

    # Steps

    def _repr_html_(self) -> str:
        from .recorder import picture

        return picture(self.model, self)

    def step(self, q, v, u=None, out: Optional[Tuple[Array, Array]] = None) -> Tuple[Array, Array]:
        """Advances a state by one time step and returns (q_next, v_next).

        q: nq numbers, v: nv, u: nu (None where nu = 0). out: two arrays for the results, which may be q
        and v themselves. Derivatives of this step can be asked for until the next one. Raises
        `NumericalError`, `CapacityError`, `NotConvergedError`.
        """
        if out is not None:
            result(out[0], self._q_next.shape, "out[0]")
            result(out[1], self._v_next.shape, "out[1]")
        q_next, v_next = self._q_next, self._v_next
        status = lib.ds_sim_step(
            self._handle, self._q.fill(q), self._v.fill(v), self._u.fill(u), q_next.pointer, v_next.pointer
        )
        if status:
            fail(status)
        if out is None:
            return q_next.memory.copy(), v_next.memory.copy()
        return q_next.take(out[0]), v_next.take(out[1])

    def jacobians(
        self, wanted: Sequence[str] = StepJacobians.NAMES, out: Optional[StepJacobians] = None
    ) -> StepJacobians:
        """Jacobians of the last step: those `wanted`, or those that `out` has (an earlier result, which
        is overwritten). Raises `NoStepError`, `NotConvergedError`, `NumericalError`."""
        if out is None:
            out = self.new_jacobians(wanted)
        self._fits(out, ())
        check(lib.ds_sim_step_jacobians(self._handle, out._struct))
        return out

    def jacobian_pattern(self) -> JacobianPattern:
        """Which entries of the last step's Jacobians may differ from zero. It is another than before only where
        other bodies touch, which its `number` shows. Raises `NoStepError`."""
        entries = ffi.new("ds_jacobian_entries *")
        check(lib.ds_sim_jacobian_entries(self._handle, entries))
        sizes = (self.model.nv + 1, entries.by_state, self.model.nu + 1, entries.by_input)
        arrays = [np.zeros(n, dtype=np.int32) for n in sizes]
        check(lib.ds_sim_jacobian_pattern(self._handle, entries, *(pointer(x) for x in arrays)))
        return JacobianPattern(entries.pattern, *arrays)

    def sparse_jacobians(
        self, pattern: JacobianPattern, wanted: Sequence[str] = StepJacobians.NAMES[:3] + StepJacobians.NAMES[4:7]
    ) -> Dict[str, Array]:
        """Values of the `pattern`'s entries, by name: `scipy.sparse.csc_array((values["dv_dq"], pattern.state_rows,
        pattern.state_starts), shape=(nv, nv))`. Those by p are dense. `pattern` must be that of the last step. Raises
        `InvalidArgumentError` for another, and as `jacobians`."""
        unknown = set(wanted) - set(StepJacobians.NAMES)
        if unknown:
            raise InvalidArgumentError(f"wanted: no Jacobian is named {sorted(unknown)}, only {StepJacobians.NAMES}")
        by_state, by_input = pattern.state_rows.size, pattern.input_rows.size
        entries = ffi.new("ds_jacobian_entries *", (by_state, by_input, pattern.number))
        sizes = {"q": by_state, "v": by_state, "u": by_input}
        values = {}
        for name in wanted:
            by = name[-1]
            values[name] = np.zeros((self.model.nv, self.np), order="F") if by == "p" else np.zeros(sizes[by])
        memory = {name: pointer(x) for name, x in values.items()}
        check(lib.ds_sim_step_jacobians_sparse(self._handle, entries, ffi.new("ds_step_jacobians *", memory)))
        return values

    def new_jacobians(self, wanted: Sequence[str] = StepJacobians.NAMES) -> StepJacobians:
        """Memory for `jacobians`, to be used again and again."""
        return StepJacobians(self.model.nv, self.model.nu, self.np, wanted)

    def _fits(self, out, count):
        columns = {"q": self.model.nv, "v": self.model.nv, "u": self.model.nu, "p": self.np}
        for name in StepJacobians.NAMES:
            x, shape = getattr(out, name), (self.model.nv, columns[name[-1]], *count)
            if x is not None and x.shape != shape:
                raise InvalidArgumentError(f"out.{name}: expected shape {shape}, got {x.shape}")

    def jvp(self, dq=None, dv=None, du=None, dp=None) -> Tuple[Array, Array]:
        """Forward mode through the last step: (dq_next, dv_next) for variations dq, dv (nv, tangent),
        du (nu), dp (np); None for none."""
        a, b = self._q_bar, self._v_bar
        check(
            lib.ds_sim_step_jvp(
                self._handle,
                self._dq.fill(dq),
                self._dv.fill(dv),
                self._du.fill(du),
                self._dp.fill(dp),
                a.pointer,
                b.pointer,
            )
        )
        return a.take(), b.take()

    def impulse_jacobians(self) -> ImpulseJacobians:
        """Jacobians of the contact impulses of the last step, each along its contact's own frame."""
        rows, unique = 3 * len(self.contacts()), ffi.new("int32_t *")
        columns = (self.model.nv, self.model.nv, self.model.nu, self.np)
        q, v, u, p = made = [result(None, (rows, n), "") for n in columns]
        check(lib.ds_sim_impulse_jacobians(self._handle, *map(pointer, made), unique))
        return ImpulseJacobians(q, v, u, p, bool(unique[0]))

    def impulse_jvp(self, dq=None, dv=None, du=None, dp=None) -> Tuple[Array, bool]:
        """Forward mode of `impulse_jacobians`: the variation of the impulses (3×contacts), and whether
        they are unique."""
        out, unique = result(None, (3, len(self.contacts())), ""), ffi.new("int32_t *")
        given = (self._dq.fill(dq), self._dv.fill(dv), self._du.fill(du), self._dp.fill(dp))
        check(lib.ds_sim_impulse_jvp(self._handle, *given, pointer(out), unique))
        return out, bool(unique[0])

    def impulse_vjp(self, impulse_bar) -> Tuple[Gradients, bool]:
        """Reverse mode of `impulse_jacobians`: the gradient by q, v, u, p of a function of which
        impulse_bar (3×contacts) is the gradient, and whether the impulses are unique."""
        bar = array(impulse_bar, (3, len(self.contacts())), "impulse_bar")
        made, unique = (self._dq, self._dv, self._du, self._dp), ffi.new("int32_t *")
        check(lib.ds_sim_impulse_vjp(self._handle, pointer(bar), *(s.pointer for s in made), unique))
        return Gradients(*(slot.take() for slot in made)), bool(unique[0])

    def vjp(self, q_next_bar, v_next_bar) -> Gradients:
        """Reverse mode through the last step: the gradient by q, v, u, p of a function of which
        q_next_bar (tangent at q_next) and v_next_bar (nv numbers each) are the gradient."""
        made = (self._dq, self._dv, self._du, self._dp)
        check(
            lib.ds_sim_step_vjp(
                self._handle,
                self._q_bar.fill(q_next_bar),
                self._v_bar.fill(v_next_bar),
                *(slot.pointer for slot in made),
            )
        )
        return Gradients(*(slot.take() for slot in made))

    def vjp_aware(self, q_next_bar, v_next_bar) -> Tuple[Gradients, bool]:
        """As `vjp`, but another gradient where that is larger, which sees beyond contacts that hold or are open; and whether
        it is another. `aware_contacts` says how many contacts and limits that one takes in another mode."""
        made, which = (self._dq, self._dv, self._du, self._dp), ffi.new("int32_t *")
        bars = self._q_bar.fill(q_next_bar), self._v_bar.fill(v_next_bar)
        check(lib.ds_sim_step_vjp_aware(self._handle, *bars, *(slot.pointer for slot in made), which))
        return Gradients(*(slot.take() for slot in made)), bool(which[0])

    def aware_contacts(self) -> int:
        """How many contacts and limits the gradient of the last `vjp_aware` took in another mode than the step did."""
        out = ffi.new("size_t *")
        check(lib.ds_sim_aware_contacts(self._handle, out))
        return out[0]

    def smoothed_jacobians(
        self, method: SmoothingMethod, wanted: Sequence[str] = StepJacobians.NAMES, **fields
    ) -> Tuple[StepJacobians, SmoothingInfo]:
        """Smoothed Jacobians of the last step; the step and its exact derivatives stay as they are.

        fields are those of `ds_smoothing`: width_q, width_v, width_u, pairs, seed, max_failures (random
        methods), kappa, reach (central path). Allocates.
        """
        smoothing, _keep = struct("ds_smoothing", lib.ds_smoothing_init, {"method": int(method), **fields})
        out, info = self.new_jacobians(wanted), ffi.new("ds_smoothing_info *")
        check(lib.ds_sim_smoothed_jacobians(self._handle, smoothing, out._struct, info))
        return out, SmoothingInfo(Gradient(info.gradient), info.pairs, info.failures)

    def relaxed_step(self, **fields) -> Tuple[Array, Array]:
        """(q_next, v_next) of the last step with complementarity relaxed, of which
        `SmoothingMethod.CENTRAL_PATH` gives the Jacobians; fields: kappa [J], reach [m or rad]."""
        fields["method"] = int(SmoothingMethod.CENTRAL_PATH)
        smoothing, _keep = struct("ds_smoothing", lib.ds_smoothing_init, fields)
        q_next, v_next = self._q_next, self._v_next
        check(lib.ds_sim_relaxed_step(self._handle, smoothing, q_next.pointer, v_next.pointer))
        return q_next.take(), v_next.take()

    # Geometry

    def collide(self, q) -> np.ndarray:
        """The contacts at q, without dynamics: as `contacts`, with zero impulse and velocity. The last
        step is forgotten."""
        check(lib.ds_sim_collide(self._handle, self._q.fill(q)))
        return self.contacts()

    def contact_derivatives(self) -> ContactDerivatives:
        """How the contacts of the last step or `collide` move with q."""
        nv, n = self.model.nv, len(self.contacts())
        shapes = ((3, nv, n), (3, nv, n), (6, nv, n), (nv, n))
        point, normal, tangents, gap = made = [result(None, shape, "") for shape in shapes]
        gradient = ffi.new("ds_gradient *")
        check(lib.ds_sim_contact_derivatives(self._handle, *map(pointer, made), gradient))
        return ContactDerivatives(point, normal, tangents, gap, Gradient(gradient[0]))

    def distance(self, geom_a: int, geom_b: int, q) -> Distance:
        """Signed distance of two geoms at q, whatever the filters say. The last step stays as it is."""
        out, derivative = ffi.new("ds_distance *"), self._dq
        check(lib.ds_sim_distance(self._handle, geom_a, geom_b, self._q.fill(q), out, derivative.pointer))
        point_a, point_b, normal = (np.array(list(x)) for x in (out.point_a, out.point_b, out.normal))
        return Distance(out.distance, point_a, point_b, normal, Gradient(out.gradient), derivative.take())

    def smoothed_distance(
        self, geom_a: int, geom_b: int, q, method: SmoothingMethod = SmoothingMethod.FIRST_ORDER, **fields
    ) -> SmoothedDistance:
        """`distance` as a mean over random displacements of geom_b, where the closest point or normal
        jumps; fields are those of `ds_distance_smoothing`: width_linear [m], width_angular [rad], pairs,
        seed."""
        fields["method"] = int(method)
        smoothing, _keep = struct("ds_distance_smoothing", lib.ds_distance_smoothing_init, fields)
        nv, out = self.model.nv, ffi.new("ds_smoothed_distance *")
        derivative, dpoint, dnormal = np.zeros(nv), result(None, (3, nv), ""), result(None, (3, nv), "")
        made = map(pointer, (derivative, dpoint, dnormal))
        check(lib.ds_sim_smoothed_distance(self._handle, geom_a, geom_b, self._q.fill(q), smoothing, out, *made))
        point, normal = np.array(list(out.point)), np.array(list(out.normal))
        return SmoothedDistance(out.distance, point, normal, derivative, dpoint, dnormal)

    def set_pair_enabled(self, geom_a: int, geom_b: int, enabled: bool) -> None:
        """Lets two geoms touch, or keeps them from it, whatever the model's filters say."""
        check(lib.ds_sim_set_pair_enabled(self._handle, geom_a, geom_b, int(enabled)))

    def contacts(self) -> np.ndarray:
        """The contacts of the last step or `collide`: a structured array with the fields of `ds_contact` (geom_a,
        geom_b, body_a, body_b, point, normal, gap, impulse (t1 t2 n), velocity, mode, at_bound, tangents), world axes."""
        start, count = ffi.new("const ds_contact **"), ffi.new("size_t *")
        check(lib.ds_sim_contacts(self._handle, start, count))
        return records(start[0], count[0], CONTACT)

    def info(self) -> StepInfo:
        """How the last step went."""
        info = ffi.new("ds_step_info *")
        check(lib.ds_sim_step_info(self._handle, info))
        return StepInfo._of(info)

    def push_out_given_up(self) -> bool:
        """Whether the last step did not undo all overlaps as asked, since friction jams the bodies."""
        out = ffi.new("int32_t *")
        check(lib.ds_sim_push_out_given_up(self._handle, out))
        return bool(out[0])

    def work(self) -> float:
        """What the contact problem of the last step took, in factorizations of it; see the option max_work."""
        out = ffi.new("double *")
        check(lib.ds_sim_work(self._handle, out))
        return out[0]

    def reset(self) -> None:
        """Forgets warm starts: the next step is that of a new sim."""
        check(lib.ds_sim_reset(self._handle))

    def set_external_wrench(self, body: int, wrench) -> None:
        """Sets the force [N] and moment [N m] on a body in every step from now on: 6 numbers, world
        axes, at the body's origin. Zeros end it."""
        check(lib.ds_sim_set_external_wrench(self._handle, body, self._six.fill(wrench)))

    @property
    def memory(self) -> Array:
        """The warm start: with the state, all that the next step depends on. Can be set."""
        out = np.zeros(lib.ds_sim_memory_size(self._handle))
        check(lib.ds_sim_get_memory(self._handle, pointer(out)))
        return out

    @memory.setter
    def memory(self, value):
        value = array(value, (lib.ds_sim_memory_size(self._handle),), "memory")
        check(lib.ds_sim_set_memory(self._handle, pointer(value)))

    # Parameters

    def select_params(self, params: Sequence[Param]) -> None:
        """Chooses the parameters that `params`, Jacobians, JVPs and VJPs refer to, in this order."""
        select(lib.ds_sim_select_params, self._handle, params)
        self._resize_params(lib.ds_sim_np(self._handle))

    @property
    def params(self) -> Array:
        """Values of the selected parameters: np numbers. Can be set, in this sim only."""
        check(lib.ds_sim_get_params(self._handle, self._p.pointer))
        return self._p.take()

    @params.setter
    def params(self, value):
        check(lib.ds_sim_set_params(self._handle, self._p.fill(value)))

    # Dynamics

    def forward_kinematics(self, q, out: Optional[Array] = None) -> Array:
        """World placements of all bodies: 4×4×nbody."""
        out = result(out, (4, 4, self.model.nbody), "out")
        check(lib.ds_forward_kinematics(self._handle, self._q.fill(q), pointer(out)))
        return out

    def inverse_dynamics(self, q, v, a) -> Array:
        """The total generalized force tau that gives the acceleration a at (q, v)."""
        check(
            lib.ds_inverse_dynamics(
                self._handle, self._q.fill(q), self._v.fill(v), self._a.fill(a), self._tau.pointer
            )
        )
        return self._tau.take()

    def forward_dynamics(self, q, v, tau) -> Array:
        """The acceleration under the total generalized force tau at (q, v)."""
        check(
            lib.ds_forward_dynamics(
                self._handle, self._q.fill(q), self._v.fill(v), self._tau.fill(tau), self._a.pointer
            )
        )
        return self._a.take()

    def hybrid_dynamics(self, q, v, prescribed, tau, a) -> Tuple[Array, Array]:
        """(tau, a), completed: where prescribed[k] is true a[k] is given and tau[k] is found, elsewhere
        the converse."""
        flags = np.ascontiguousarray(prescribed, dtype=INT)
        if flags.shape != (self.model.nv,):
            raise InvalidArgumentError(f"prescribed: expected shape {(self.model.nv,)}, got {flags.shape}")
        check(
            lib.ds_hybrid_dynamics(
                self._handle,
                self._q.fill(q),
                self._v.fill(v),
                pointer(flags),
                self._tau.fill(tau),
                self._a.fill(a),
            )
        )
        return self._tau.take(), self._a.take()

    def mass_matrix(self, q, out: Optional[Array] = None) -> Array:
        """The joint-space inertia matrix with armature: nv×nv."""
        out = result(out, (self.model.nv,) * 2, "out")
        check(lib.ds_mass_matrix(self._handle, self._q.fill(q), pointer(out)))
        return out

    def _squares(self, count):
        return tuple(result(None, (self.model.nv,) * 2, "out") for _ in range(count))

    def inverse_dynamics_derivatives(self, q, v, a) -> Tuple[Array, Array]:
        """(dtau_dq, dtau_dv), nv×nv each; that by a is the mass matrix."""
        out = self._squares(2)
        check(
            lib.ds_inverse_dynamics_derivatives(
                self._handle, self._q.fill(q), self._v.fill(v), self._a.fill(a), *map(pointer, out)
            )
        )
        return out

    def forward_dynamics_derivatives(self, q, v, tau) -> Tuple[Array, Array, Array]:
        """(da_dq, da_dv, da_dtau), nv×nv each."""
        out = self._squares(3)
        check(
            lib.ds_forward_dynamics_derivatives(
                self._handle, self._q.fill(q), self._v.fill(v), self._tau.fill(tau), *map(pointer, out)
            )
        )
        return out

    def body_jacobian(self, q, body: int, point=(0.0, 0.0, 0.0)) -> Array:
        """Jacobian of a point fixed to a body (body axes [m]): 6×nv, (linear; angular), world axes."""
        out = result(None, (6, self.model.nv), "J")
        check(lib.ds_body_jacobian(self._handle, self._q.fill(q), body, self._three.fill(point), pointer(out)))
        return out

    def site_placements(self, q, out: Optional[Array] = None) -> Array:
        """World placements of all sites: 4×4×nsite."""
        out = result(out, (4, 4, self.model.nsite), "out")
        check(lib.ds_site_placements(self._handle, self._q.fill(q), pointer(out)))
        return out

    def site_jacobian(self, q, site: int) -> Array:
        """Jacobian of a site: 6×nv, velocity of its origin and angular velocity, world axes."""
        out = result(None, (6, self.model.nv), "J")
        check(lib.ds_site_jacobian(self._handle, self._q.fill(q), site, pointer(out)))
        return out

    def tendon_lengths(self, q) -> Tuple[Array, Array]:
        """Lengths of all tendons, and their derivatives by the tangent of q: nv×ntendon."""
        lengths = result(None, (self.model.ntendon,), "lengths")
        moments = result(None, (self.model.nv, self.model.ntendon), "moments")
        check(lib.ds_sim_tendon_lengths(self._handle, self._q.fill(q), pointer(lengths), pointer(moments)))
        return lengths, moments

    def energy(self, q, v) -> Tuple[float, float]:
        """Kinetic and potential energy [J]."""
        kinetic, potential = ffi.new("double *"), ffi.new("double *")
        check(lib.ds_energy(self._handle, self._q.fill(q), self._v.fill(v), kinetic, potential))
        return kinetic[0], potential[0]

    def center_of_mass(self, q) -> Tuple[float, Array, Array]:
        """Mass [kg], centre of mass (world axes) [m] and its Jacobian (3×nv) of all that moves."""
        mass, com, J = ffi.new("double *"), np.zeros(3), result(None, (3, self.model.nv), "J")
        check(lib.ds_center_of_mass(self._handle, self._q.fill(q), mass, pointer(com), pointer(J)))
        return mass[0], com, J

    def momentum(self, q, v, about=None) -> Array:
        """Linear [N s] and angular [N m s] momentum about a point (world axes, None for the origin)."""
        about = NULL if about is None else self._three.fill(about)
        check(lib.ds_momentum(self._handle, self._q.fill(q), self._v.fill(v), about, self._six.pointer))
        return self._six.take()
