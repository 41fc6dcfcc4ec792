"""Simulations: steps and their derivatives."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Callable, Dict, Final, List, Optional, Sequence, Tuple, Union

import numpy as np
import numpy.typing as npt
from numpy.typing import ArrayLike

from . import _file_settings, _settings
from ._errors import ArgumentTypeError, InvalidArgumentError
from ._handle import Handle, Options, given, takes_turns
from ._help import says
from ._late import late
from ._names import choice, flag, number
from ._native import (
    NULL,
    Slot,
    Array,
    array,
    check,
    fail,
    ffi,
    fields_of,
    index,
    input_hint,
    layout,
    lib,
    pointer,
    records,
    result,
    struct,
    two,
)
from .activations import Activations
from .measured import Measured
from .enums import Gradient, Integrator, SmoothingMethod, SmoothingMethodName
from .model import Id, Model
from .parameters import Param, select
from .results import (
    ColumnLabels,
    ContactDerivatives,
    Distance,
    Gradients,
    ImpulseJacobians,
    JacobianPattern,
    PatchFace,
    SmoothedDistance,
    SmoothingInfo,
    StepInfo,
    StepJacobians,
    wanted_names,
)

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from .options import DistanceSmoothingOptions, SimOptions, SmoothingOptions

Records = npt.NDArray[Any]

# The contacts of a newer library may have more fields than this header.
CONTACT = layout("ds_contact", lib.ds_contact_size())
PATCH = layout("ds_patch", lib.ds_patch_size())


class Sim(Activations, Measured, Handle, kind="ds_sim", free=lib.ds_sim_free, fixed=("model",)):
    """One simulation of a model. Calls of several threads take turns.

    Options are keyword arguments: `help(diffsim.Sim.__init__)` lists them with units and defaults. The property
    `options` has their values.

    Arrays are float64. Other dtypes raise `ArgumentTypeError`, wrong shapes `InvalidArgumentError`.
    Results are new arrays, or go to `out`. The arrays of `out` may be arguments.

    A copy or pickle has the options, parameters, wrenches, pairs and the warm start. Its next steps are equal to the
    bit. It does not have the last step.
    """

    @says("ds_options")
    def __init__(self, model: Model, **options: Unpack[SimOptions]) -> None:
        """Makes a simulation of a model."""
        made, _keep = struct("ds_options", lib.ds_options_init, dict(options))
        self._own(lib.ds_sim_create, given(model, Model, "model")._handle, made)
        self.model: Final = model
        self._options = fields_of(made)
        _file_settings.take(self._options, options, model, self.time_step, lib.ds_sim_integrator(self._handle))
        self._defaults = {name for name in self._options if name not in options}
        self._settings = _settings.Settings()
        nq, nv, nu = model.nq, model.nv, model.nu
        self._q, self._v, self._u = Slot(nq, "q"), Slot(nv, "v"), Slot(nu, "u", input_hint(nu))
        self._a, self._tau = Slot(nv, "a"), Slot(nv, "tau")
        self._dq, self._dv, self._du = Slot(nv, "dq"), Slot(nv, "dv"), Slot(nu, "du")
        self._q_next, self._v_next = Slot(nq, "q_next"), Slot(nv, "v_next")
        self._q_bar, self._v_bar = Slot(nv, "q_next_bar"), Slot(nv, "v_next_bar")
        #: Input if the caller gives none.
        self._no_u = Slot(nu, "u")
        self._six = Slot(6, "wrench")
        self._three = Slot(3, "point")
        self._make_activations()
        self._resize_params(0)

    def _resize_params(self, count: int) -> None:
        self._p = Slot(count, "p")
        self._dp = Slot(count, "dp")

    @property
    def np(self) -> int:
        """Number of selected parameters."""
        return self._p.memory.size

    @property
    def options(self) -> Options:
        """All options, by name. `Sim(model, **sim.options)` makes another sim with the same options."""
        return Options(self._options)

    @property
    def time_step(self) -> float:
        """Length of a step [s]: the option, else the time step of the model."""
        return float(lib.ds_sim_time_step(self._open()))

    @property
    def integrator(self) -> Integrator:
        """Integrator of the steps: the option, else the nearest one to the integrator of the model's file."""
        return Integrator(lib.ds_sim_integrator(self._open()))

    def __repr__(self) -> str:
        if self._handle is NULL:
            return f"<diffsim.Sim: {self._gone}>"
        return f"<diffsim.Sim of {self.model!r}: {said(self._options, self._defaults)}; {self._last_step()}>"

    def _last_step(self) -> str:
        info = ffi.new("ds_step_info *")
        with self._lock:
            if lib.ds_sim_step_info(self._handle, info):
                return "no step yet"
        solved = "" if info.converged else ", not converged"
        derivative = Gradient(info.gradient).name.lower()
        return f"last step: {info.contacts} contacts, residual {info.residual:.2g}{solved}, derivative {derivative}"

    # Copies

    def _again(self) -> Tuple[Callable[..., Any], Tuple[Any, ...]]:
        with self._lock:
            self._open()
            return _sim_again, (self.model, dict(self._options), self._settings.state(), self.memory)

    # Steps

    def _repr_html_(self) -> str:
        html: str = late("picture")(self.model, self)
        return html

    @takes_turns
    def step(
        self, q: ArrayLike, v: ArrayLike, u: Optional[ArrayLike] = None, out: Optional[Tuple[Array, Array]] = None
    ) -> Tuple[Array, Array]:
        """Advances a state by one time step and returns (q_next, v_next).

        q: nq numbers, v: nv, u: nu, None for zeros. out: two arrays for the results, which may be q and v. The
        derivatives of this step are available until the next step. Raises `NumericalError`, `CapacityError`,
        `NotConvergedError`.
        """
        self._lock.acquire()
        try:
            if self._handle is NULL:
                self._open()
            if out is not None:
                out = two(out)
                result(out[0], self._q_next.shape, "out[0]")
                result(out[1], self._v_next.shape, "out[1]")
            q_next, v_next = self._q_next, self._v_next
            status = lib.ds_sim_step(
                self._handle,
                self._q.fill(q),
                self._v.fill(v),
                self._no_u.pointer if u is None else self._u.fill(u),
                q_next.pointer,
                v_next.pointer,
            )
            if status:
                self._open()
                fail(status)
            if out is None:
                return q_next.memory.copy(), v_next.memory.copy()
            return q_next.take(out[0]), v_next.take(out[1])
        finally:
            self._lock.release()

    def jacobians(
        self, wanted: Sequence[str] = StepJacobians.NAMES, out: Optional[StepJacobians] = None
    ) -> StepJacobians:
        """Jacobians of the last step by the names `wanted`, or those of `out` (an earlier result, which is
        overwritten). Raises `NoStepError`, `NotConvergedError`, `NumericalError`."""
        out = self.new_jacobians(wanted) if out is None else out
        if not isinstance(out, StepJacobians):
            raise ArgumentTypeError(f"out: expected diffsim.StepJacobians, got {type(out).__name__}")
        self._fits(out, ())
        check(lib.ds_sim_step_jacobians(self._handle, out._struct))
        return out

    def jacobian_pattern(self) -> JacobianPattern:
        """Pattern of the entries of the last step's Jacobians that may differ from zero. It changes only if other
        bodies touch; then its `number` changes. Raises `NoStepError`."""
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
        pattern.state_starts), shape=(nv, nv))`. Jacobians by p are dense. `pattern` must belong to the last step.
        Raises `InvalidArgumentError` for another pattern, and the errors of `jacobians`."""
        if not isinstance(pattern, JacobianPattern):
            raise ArgumentTypeError(f"pattern: expected a diffsim.JacobianPattern, got {type(pattern).__name__}")
        wanted = wanted_names(wanted)
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
        """Memory for `jacobians`, for repeated use."""
        return StepJacobians(self.model.nv, self.model.nu, self.np, wanted)

    def _fits(self, out: StepJacobians, count: Tuple[int, ...]) -> None:
        columns = {"q": self.model.nv, "v": self.model.nv, "u": self.model.nu, "p": self.np}
        for name in StepJacobians.NAMES:
            x, shape = getattr(out, name), (self.model.nv, columns[name[-1]], *count)
            if x is not None and x.shape != shape:
                raise InvalidArgumentError(f"out.{name}: expected shape {shape}, got {x.shape}")

    def jvp(
        self,
        dq: Optional[ArrayLike] = None,
        dv: Optional[ArrayLike] = None,
        du: Optional[ArrayLike] = None,
        dp: Optional[ArrayLike] = None,
    ) -> Tuple[Array, Array]:
        """Forward mode through the last step: (dq_next, dv_next) for the variations dq, dv (nv, tangent), du (nu), dp
        (np). None for zeros."""
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
        """Jacobians of the contact impulses of the last step, each in its contact's own frame."""
        rows, unique = 3 * len(self.contacts()), ffi.new("int32_t *")
        columns = (self.model.nv, self.model.nv, self.model.nu, self.np)
        q, v, u, p = made = [result(None, (rows, n), "") for n in columns]
        check(lib.ds_sim_impulse_jacobians(self._handle, *map(pointer, made), unique))
        return ImpulseJacobians(q, v, u, p, bool(unique[0]))

    def impulse_jvp(
        self,
        dq: Optional[ArrayLike] = None,
        dv: Optional[ArrayLike] = None,
        du: Optional[ArrayLike] = None,
        dp: Optional[ArrayLike] = None,
    ) -> Tuple[Array, bool]:
        """Forward mode of `impulse_jacobians`: the variation of the impulses (3×contacts), and True if the impulses
        are unique."""
        out, unique = result(None, (3, len(self.contacts())), ""), ffi.new("int32_t *")
        given = (self._dq.fill(dq), self._dv.fill(dv), self._du.fill(du), self._dp.fill(dp))
        check(lib.ds_sim_impulse_jvp(self._handle, *given, pointer(out), unique))
        return out, bool(unique[0])

    def impulse_vjp(self, impulse_bar: ArrayLike) -> Tuple[Gradients, bool]:
        """Reverse mode of `impulse_jacobians`: from the gradient of a function by the impulses, impulse_bar
        (3×contacts), to its gradient by q, v, u, p. The second value is True if the impulses are unique."""
        bar = array(impulse_bar, (3, len(self.contacts())), "impulse_bar")
        made, unique = (self._dq, self._dv, self._du, self._dp), ffi.new("int32_t *")
        check(lib.ds_sim_impulse_vjp(self._handle, pointer(bar), *(s.pointer for s in made), unique))
        return Gradients(*(slot.take() for slot in made)), bool(unique[0])

    def vjp(self, q_next_bar: ArrayLike, v_next_bar: ArrayLike) -> Gradients:
        """Reverse mode through the last step: from the gradient of a function by the next state, q_next_bar (tangent
        at q_next) and v_next_bar (nv numbers each), to its gradient by q, v, u, p."""
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

    def vjp_aware(self, q_next_bar: ArrayLike, v_next_bar: ArrayLike) -> Tuple[Gradients, bool]:
        """Aware gradient of the last step: looks beyond active and open contacts. Returns it if it is larger than the
        gradient of `vjp`, else the gradient of `vjp`; the second value is True for the aware gradient.
        `aware_contacts` has the number of contacts and limits in another mode."""
        made, which = (self._dq, self._dv, self._du, self._dp), ffi.new("int32_t *")
        bars = self._q_bar.fill(q_next_bar), self._v_bar.fill(v_next_bar)
        check(lib.ds_sim_step_vjp_aware(self._handle, *bars, *(slot.pointer for slot in made), which))
        return Gradients(*(slot.take() for slot in made)), bool(which[0])

    def column_labels(self) -> ColumnLabels:
        """Labels of the single columns of the last step's derivative: False exact, True one-sided. An exact column is
        the derivative on all sides of the switch."""
        sizes = (self.model.nv, self.model.nv, self.model.nu, self.np)
        made = ColumnLabels(*(np.zeros(n, dtype=bool) for n in sizes))
        check(lib.ds_sim_column_labels(self._handle, *(ffi.from_buffer("uint8_t[]", x.view(np.uint8)) for x in made)))
        return made

    def aware_contacts(self) -> int:
        """Number of contacts and limits to which the last `vjp_aware` gave another mode than the step."""
        out = ffi.new("size_t *")
        check(lib.ds_sim_aware_contacts(self._handle, out))
        return int(out[0])

    @says("ds_smoothing", ("method",))
    def smoothed_jacobians(
        self,
        method: Union[SmoothingMethod, SmoothingMethodName],
        wanted: Sequence[str] = StepJacobians.NAMES,
        **fields: Unpack[SmoothingOptions],
    ) -> Tuple[StepJacobians, SmoothingInfo]:
        """Smoothed Jacobians of the last step. The step and its exact derivatives do not change.

        fields are those of `ds_smoothing`: width_q, width_v, width_u, pairs, seed, max_failures (random methods),
        kappa, reach (central path). Allocates.
        """
        smoothing, _keep = struct(
            "ds_smoothing", lib.ds_smoothing_init, {"method": choice(SmoothingMethod, method, "method"), **fields}
        )
        out, info = self.new_jacobians(wanted), ffi.new("ds_smoothing_info *")
        check(lib.ds_sim_smoothed_jacobians(self._handle, smoothing, out._struct, info))
        return out, SmoothingInfo(Gradient(info.gradient), info.pairs, info.failures)

    def relaxed_step(self, **fields: Unpack[SmoothingOptions]) -> Tuple[Array, Array]:
        """(q_next, v_next) of the last step with relaxed complementarity. `SmoothingMethod.CENTRAL_PATH` gives the
        Jacobians of this step. fields: kappa [J], reach [m or rad]."""
        values = {**fields, "method": SmoothingMethod.CENTRAL_PATH}
        smoothing, _keep = struct("ds_smoothing", lib.ds_smoothing_init, values)
        q_next, v_next = self._q_next, self._v_next
        check(lib.ds_sim_relaxed_step(self._handle, smoothing, q_next.pointer, v_next.pointer))
        return q_next.take(), v_next.take()

    # Geometry

    def collide(self, q: ArrayLike) -> Records:
        """Contacts at q, without dynamics: as `contacts`, with zero impulse and velocity. Forgets the last step."""
        check(lib.ds_sim_collide(self._handle, self._q.fill(q)))
        return self.contacts()

    def contact_derivatives(self) -> ContactDerivatives:
        """Derivatives by q of the contacts of the last step or `collide`."""
        nv, n = self.model.nv, len(self.contacts())
        shapes = ((3, nv, n), (3, nv, n), (6, nv, n), (nv, n))
        point, normal, tangents, gap = made = [result(None, shape, "") for shape in shapes]
        gradient = ffi.new("ds_gradient *")
        check(lib.ds_sim_contact_derivatives(self._handle, *map(pointer, made), gradient))
        return ContactDerivatives(point, normal, tangents, gap, Gradient(gradient[0]))

    def distance(self, geom_a: Id, geom_b: Id, q: ArrayLike) -> Distance:
        """Signed distance of two geoms at q. Ignores the filters of pairs. The last step does not change."""
        out, derivative = ffi.new("ds_distance *"), self._dq
        check(lib.ds_sim_distance(self._handle, *self._geoms(geom_a, geom_b), self._q.fill(q), out, derivative.pointer))
        point_a, point_b, normal = (np.array(list(x)) for x in (out.point_a, out.point_b, out.normal))
        return Distance(out.distance, point_a, point_b, normal, Gradient(out.gradient), derivative.take())

    @says("ds_distance_smoothing", ("method",))
    def smoothed_distance(
        self,
        geom_a: Id,
        geom_b: Id,
        q: ArrayLike,
        method: Union[SmoothingMethod, SmoothingMethodName] = SmoothingMethod.FIRST_ORDER,
        **fields: Unpack[DistanceSmoothingOptions],
    ) -> SmoothedDistance:
        """Mean of `distance` over random displacements of geom_b, for geoms whose closest point or normal jumps.
        fields are those of `ds_distance_smoothing`: width_linear [m], width_angular [rad], pairs, seed."""
        values = {**fields, "method": choice(SmoothingMethod, method, "method")}
        smoothing, _keep = struct("ds_distance_smoothing", lib.ds_distance_smoothing_init, values)
        nv, out = self.model.nv, ffi.new("ds_smoothed_distance *")
        derivative, dpoint, dnormal = np.zeros(nv), result(None, (3, nv), ""), result(None, (3, nv), "")
        made = map(pointer, (derivative, dpoint, dnormal))
        check(
            lib.ds_sim_smoothed_distance(
                self._handle, *self._geoms(geom_a, geom_b), self._q.fill(q), smoothing, out, *made
            )
        )
        point, normal = np.array(list(out.point)), np.array(list(out.normal))
        return SmoothedDistance(out.distance, point, normal, derivative, dpoint, dnormal)

    def _geoms(self, geom_a: Id, geom_b: Id) -> Tuple[int, int]:
        return self.model._id("geom", geom_a, "geom_a"), self.model._id("geom", geom_b, "geom_b")

    def set_pair_enabled(self, geom_a: Id, geom_b: Id, enabled: bool) -> None:
        """Enables or disables contact of two geoms. Overrides the filters of the model."""
        (a, b), may = self._geoms(geom_a, geom_b), flag(enabled, "enabled")
        check(lib.ds_sim_set_pair_enabled(self._handle, a, b, int(may)))
        self._settings.pair(a, b, may)

    def contacts(self) -> Records:
        """Contacts of the last step or `collide`: a structured array with the fields of `ds_contact` (geom_a, geom_b,
        body_a, body_b, point, normal, gap, impulse (t1 t2 n), velocity, mode, at_bound, tangents, area, pressure),
        world axes."""
        start, count = ffi.new("const ds_contact **"), ffi.new("size_t *")
        check(lib.ds_sim_contacts(self._handle, start, count))
        return records(start[0], count[0], CONTACT)

    def patches(self) -> Records:
        """Hydroelastic patches of the last step or `collide`: a structured array with the fields of `ds_patch`
        (geom_a, geom_b, area, centroid, normal, force, torque, first_contact, contact_count), world axes."""
        start, count = ffi.new("const ds_patch **"), ffi.new("size_t *")
        check(lib.ds_sim_patches(self._handle, start, count))
        return records(start[0], count[0], PATCH)

    def patch_faces(self) -> List[PatchFace]:
        """Polygons of the hydroelastic faces of the last step or `collide`, with the pressures at their vertices."""
        vertices, pressures = ffi.new("const double **"), ffi.new("const double **")
        starts, count = ffi.new("const size_t **"), ffi.new("size_t *")
        check(lib.ds_sim_patch_faces(self._handle, vertices, pressures, starts, count))
        ends = [starts[0][i] for i in range(count[0] + 1)] if count[0] else [0]
        if ends[-1] == 0:
            return []
        at = np.frombuffer(ffi.buffer(vertices[0], 24 * ends[-1])).reshape(-1, 3)
        p = np.frombuffer(ffi.buffer(pressures[0], 8 * ends[-1]))
        faces = enumerate(zip(ends, ends[1:]))
        return [PatchFace(i, at[a:b].copy(), p[a:b].copy()) for i, (a, b) in faces if a < b]

    def info(self) -> StepInfo:
        """Facts about the last step."""
        info = ffi.new("ds_step_info *")
        check(lib.ds_sim_step_info(self._handle, info))
        return StepInfo._of(info)

    def work(self) -> float:
        """Work of the last step's contact problem, in factorizations: `info().work`."""
        return self.info().work

    def reset(self) -> None:
        """Forgets the warm start and sets the activations to 0. The next step equals that of a new sim."""
        check(lib.ds_sim_reset(self._handle))

    def set_external_wrench(self, body: Id, wrench: ArrayLike) -> None:
        """Sets the force [N] and moment [N m] on a body in all later steps: 6 numbers, world axes, at the body's
        origin. Zeros remove them."""
        i = self.model._id("body", body, "body")
        check(lib.ds_sim_set_external_wrench(self._handle, i, self._six.fill(array(wrench, (6,), "wrench"))))
        self._settings.wrench(i, self._six.memory)

    def prescribe(self, dof: int, velocity: float) -> None:
        """Prescribes the velocity [m/s or rad/s] of a dof, 0 to nv-1, at the end of all later steps. The dof moves at
        this velocity under any force. NaN frees it. The dofs of a joint begin at its `v_index`. Derivatives by it:
        `Param("prescribed", dof)`."""
        k, x = index(dof, "dof"), number(velocity, "velocity")
        check(lib.ds_sim_prescribe(self._handle, k, x))
        self._settings.prescribe(k, x)

    def set_force(
        self, tau: Optional[ArrayLike], K: Optional[ArrayLike] = None, D: Optional[ArrayLike] = None
    ) -> None:
        """Sets a generalized force [N or N m] in all later steps: nv numbers, with its slopes K = ∂tau/∂q and D =
        ∂tau/∂v at the start of the step, nv×nv, None for zero. The step treats it as implicit: a stiff feedback tau =
        Kp (target - q) - Kd v with K = -Kp and D = -Kd is as stable as a servo of the model. None removes it."""
        n = self.model.nv
        force = None if tau is None else array(tau, (n,), "tau")
        slopes = [None if x is None else array(x, (n, n), name) for x, name in ((K, "K"), (D, "D"))]
        check(lib.ds_sim_set_force(self._handle, pointer(force), pointer(slopes[0]), pointer(slopes[1])))
        self._settings.give_force(force, slopes)

    @property
    def prescribed_velocities(self) -> Array:
        """Prescribed velocities; NaN for other dofs."""
        out = np.zeros(self.model.nv)
        check(lib.ds_sim_prescribed_velocities(self._handle, pointer(out)))
        return out

    def prescribed_impulses(self, out: Optional[Array] = None) -> Array:
        """Generalized impulses [N s or N m s] on the dofs with a prescribed velocity in the last step; 0 for other
        dofs."""
        out = result(out, (self.model.nv,), "out")
        check(lib.ds_sim_prescribed_impulses(self._handle, pointer(out)))
        return out

    @property
    def memory(self) -> Array:
        """The warm start and the activations. Together with the state they decide the next step. Can be set."""
        out = np.zeros(lib.ds_sim_memory_size(self._handle))
        check(lib.ds_sim_get_memory(self._handle, pointer(out)))
        return out

    @memory.setter
    def memory(self, value: ArrayLike) -> None:
        numbers = array(value, (lib.ds_sim_memory_size(self._handle),), "memory")
        check(lib.ds_sim_set_memory(self._handle, pointer(numbers)))

    # Parameters

    def select_params(self, params: Sequence[Param]) -> None:
        """Selects the parameters of `params`, Jacobians, JVPs and VJPs, in this order."""
        self._settings.selected = select(lib.ds_sim_select_params, self._handle, params, self.model)
        self._resize_params(lib.ds_sim_np(self._handle))

    @property
    def params(self) -> Array:
        """Values of the selected parameters: np numbers. Can be set; this changes this sim only."""
        check(lib.ds_sim_get_params(self._handle, self._p.pointer))
        return self._p.take()

    @params.setter
    def params(self, value: ArrayLike) -> None:
        hint = "" if self.np else "; select_params chooses parameters"
        check(lib.ds_sim_set_params(self._handle, self._p.fill(array(value, self._p.shape, "params", hint))))
        self._settings.values(self._p.memory)


def said(options: Dict[str, Any], defaults: Any) -> str:
    """Text of options for a representation: the time step, the laws, and options that differ from their defaults."""
    always = ("time_step", "contact", "integrator")
    shown = (name for name in options if name in always or name not in defaults)
    return " ".join(f"{name}={getattr(options[name], 'name', options[name])}".lower() for name in shown)


def _sim_again(sim: Sim, model: Model, options: Any, state: Dict[str, Any], memory: Array) -> None:
    Sim.__init__(sim, model, **options)
    _settings.apply(state, sim)
    sim.memory = memory
