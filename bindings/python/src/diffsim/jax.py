"""Steps and trajectories as JAX functions.

    import diffsim, diffsim.jax, jax
    jax.config.update("jax_enable_x64", True)
    sim = diffsim.jax.Simulator(diffsim.Model.load("robot.xml"))
    q, v = jax.jit(sim.step)(q, v, u)
    loss = lambda u: jnp.sum(sim.rollout(q, v, u)[1][-1] ** 2)
    gradient = jax.grad(loss)(controls)

The functions are pure and of float64. They work with jit, vmap, scan, grad, jvp, vjp, jacfwd and jacrev. XLA calls
the library directly; no Python runs in a compiled program. The system's C++ compiler compiles the calls at the first
use. They are kept in the user's cache folder.
"""

# mypy: disable-error-code="no-untyped-call,attr-defined,no-any-return,misc"
from __future__ import annotations

import functools
import weakref
from typing import TYPE_CHECKING, Any, Mapping, Optional, Sequence, Tuple

import jax
import jax.numpy as jnp
import numpy as np
from jax.extend.core import Primitive
from jax.interpreters import ad, batching, mlir

from . import _xla
from ._charts import Chart
from ._errors import ArgumentTypeError, InvalidArgumentError, UnsupportedError
from ._handle import given
from ._native import ffi, lib, size, struct
from .batch import Batch
from .model import Model
from .parameters import Param

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from .options import SimOptions

__all__ = ["Simulator"]

Pair = Tuple[jax.Array, jax.Array]


def _call(target: str, results: Sequence[jax.ShapeDtypeStruct], number: int, strict: bool, *arguments: Any) -> Any:
    call = jax.ffi.ffi_call(f"diffsim_{target}", list(results), vmap_method="broadcast_all")
    return call(*arguments, simulator=np.int64(number), strict=np.int64(strict))


def _real(*shape: int) -> jax.ShapeDtypeStruct:
    return jax.ShapeDtypeStruct(shape, jnp.float64)


def _array(x: Any, rows: int, argument: str, own: int = 1) -> jax.Array:
    """An argument as an array of float64 with `rows` numbers in the last of its `own` dimensions; others lead."""
    try:
        out = jnp.asarray(x)
    except (TypeError, ValueError):
        raise ArgumentTypeError(f"{argument}: expected an array of float64, got {type(x).__name__}") from None
    if out.dtype != jnp.float64:
        raise ArgumentTypeError(f"{argument}: expected float64, got {out.dtype}")
    if out.ndim < own or out.shape[-1] != rows:
        wanted = f"(..., steps, {rows})" if own == 2 else f"(..., {rows})"
        raise InvalidArgumentError(f"{argument}: expected shape {wanted}, got {out.shape}")
    return out


def _together(arrays: Sequence[Tuple[jax.Array, int, str]]) -> Tuple[jax.Array, ...]:
    """Arrays (with the number of their own dimensions, and the names of the arguments) with the same leading
    dimensions."""
    leads = [x.shape[: x.ndim - own] for x, own, _ in arrays]
    try:
        lead = np.broadcast_shapes(*leads)
    except ValueError:
        got = ", ".join(f"{name} {shape}" for (_, _, name), shape in zip(arrays, leads))
        raise InvalidArgumentError(f"expected leading dimensions that broadcast, got those of {got}") from None
    return tuple(jnp.broadcast_to(x, lead + x.shape[x.ndim - own :]) for x, own, _ in arrays)


def _no_second_derivative(*_: Any) -> Any:
    raise NotImplementedError("diffsim.jax: second derivatives are not known; the library gives first ones")


# The derivative of a rollout is a primitive of JAX. It is linear in a direction; its transpose is the
# library's adjoint. Arguments: q0, v0, u, p, and the direction dq0 (nv), dv0, du, dp. Results: dq, dv, with
# nv numbers per state.
_tangent_p = Primitive("diffsim_rollout_tangent")
_tangent_p.multiple_results = True


def _tangent_call(q0: Any, v0: Any, u: Any, p: Any, dq0: Any, *rest: Any, number: int) -> Any:
    *lead, steps, _ = u.shape
    states = _real(*lead, steps + 1, v0.shape[-1])
    return _call("tangent", (states, states), number, False, q0, v0, u, p, dq0, *rest)


def _tangent_shapes(q0: Any, v0: Any, u: Any, *rest: Any, number: int) -> Any:
    *lead, steps, _ = u.shape
    shape = (*lead, steps + 1, v0.shape[-1])
    return [v0.update(shape=shape), v0.update(shape=shape)]


def _tangent_batched(arguments: Any, dims: Any, *, number: int) -> Any:
    size = next(x.shape[d] for x, d in zip(arguments, dims) if d is not None)
    moved = [
        jnp.broadcast_to(x, (size, *x.shape)) if d is None else jnp.moveaxis(x, d, 0)
        for x, d in zip(arguments, dims)
    ]
    return _tangent_p.bind(*moved, number=number), [0, 0]


def _tangent_jvp(primals: Any, tangents: Any, *, number: int) -> Any:
    if any(type(t) is not ad.Zero for t in tangents[:4]):
        _no_second_derivative()
    out = _tangent_p.bind(*primals, number=number)
    if all(type(t) is ad.Zero for t in tangents[4:]):
        return out, [ad.Zero(x.aval) for x in out]
    along = [ad.instantiate_zeros(t) for t in tangents[4:]]
    return out, _tangent_p.bind(*primals[:4], *along, number=number)


def _tangent_transposed(bars: Any, *arguments: Any, number: int) -> Any:
    fixed = arguments[:4]
    bars = [ad.instantiate_zeros(bar) for bar in bars]
    out = _adjoint(number, fixed, bars)[:4]
    wanted = [ad.is_undefined_primal(x) for x in arguments[4:]]
    return [None] * 4 + [bar if is_wanted else None for bar, is_wanted in zip(out, wanted)]


@functools.partial(jax.custom_jvp, nondiff_argnums=(0,))
def _adjoint(number: int, fixed: Any, bars: Any) -> Any:
    q0, v0, u, p = fixed
    *lead, steps, nu = u.shape
    results = (_real(*v0.shape), _real(*v0.shape), _real(*u.shape), _real(*p.shape))
    labels = jax.ShapeDtypeStruct((*lead, steps), jnp.int32)
    return _call("adjoint", (*results, labels), number, False, q0, v0, u, p, *bars)


_adjoint.defjvp(_no_second_derivative)


_tangent_p.def_impl(jax.jit(_tangent_call, static_argnames="number"))
_tangent_p.def_abstract_eval(_tangent_shapes)
batching.primitive_batchers[_tangent_p] = _tangent_batched
ad.primitive_jvps[_tangent_p] = _tangent_jvp
ad.primitive_transposes[_tangent_p] = _tangent_transposed
mlir.register_lowering(_tangent_p, mlir.lower_fun(_tangent_call, multiple_results=True))


class Simulator:
    """Steps and trajectories of a model as pure functions of JAX arrays.

    q has nq numbers, v nv, u nu, and p np. p: the values of `params`; None for the values of the model. All may have
    leading dimensions, which are broadcast. Under vmap they become one call of the library with `threads` threads (0:
    one per core; any number gives the same bits). Every call begins without a warm start: results depend only on the
    arguments.

    Tangents and gradients of q have nq numbers, as JAX requires. They are velocities of the coordinates: a loss in
    terms of q, including quaternions, has the right gradient. A quaternion counts as its direction; so the gradient
    by a quaternion has no radial part. `integrate` and `difference` are ⊕ and its inverse.

    refused: value of a gradient that the library refuses, "nan" or "zero"; `labels` shows the refused ones. strict:
    if a step fails, raises the library's message; without strict its state is NaN. Other options are those of a
    `Sim`.

    smoothing: arguments of `Sim.smoothed_jacobians`, such as {"method": "central_path", "kappa": 1e-4}. Derivatives of
    `step` are then smoothed; those of `rollout` are refused. Random displacements follow from the seed and the
    arguments of the step: elements have different ones.
    """

    def __init__(
        self,
        model: Model,
        params: Sequence[Param] = (),
        threads: int = 0,
        refused: str = "nan",
        strict: bool = True,
        smoothing: Optional[Mapping[str, Any]] = None,
        **options: Unpack[SimOptions],
    ) -> None:
        if not jax.config.jax_enable_x64:
            raise UnsupportedError('diffsim.jax: JAX must be of float64: jax.config.update("jax_enable_x64", True) first')
        self.model = given(model, Model, "model")
        if model.na:
            raise UnsupportedError("diffsim.jax: the model has actuators with a state, which steps here do not carry")
        if refused not in ("nan", "zero"):
            raise InvalidArgumentError(f'refused: expected "nan" or "zero", got {refused!r}')
        # Checks the options and parameters, and gives the values of the parameters.
        first = Batch(model, 1, 1, **options)
        first.select_params(params)
        self.time_step = first.options["time_step"]
        self._params = jnp.asarray(first.get_params(0)) if params else jnp.zeros(0)
        first.close()
        self.np = len(self._params)
        made, self._keep = struct("ds_options", lib.ds_options_init, dict(options))
        chosen = ffi.new("ds_param[]", [x._numbers(model) for x in params])
        smooth = None
        if smoothing is not None:
            if not isinstance(smoothing, Mapping):
                raise ArgumentTypeError(f"smoothing: expected a dict of arguments, got {type(smoothing).__name__}")
            smooth, _ = struct("ds_smoothing", lib.ds_smoothing_init, dict(smoothing))
        self._smoothed = smooth is not None
        threads, none = size(threads, "threads"), np.nan if refused == "nan" else 0.0
        number = _xla.opened(model, made, chosen, threads, none, smooth)
        self._number, self._strict = number, bool(strict)
        # A new batch size makes simulations, also after model.close(): the handle lives as long as the
        # number.
        self._close = weakref.finalize(self, _xla.closed, number, model._handle)
        self._chart = Chart(model, jnp)
        self._step = jax.custom_jvp(self._step_call)
        self._step.defjvp(self._step_jvp)
        self._jacobians = jax.custom_jvp(self._jacobians_call)
        self._jacobians.defjvp(_no_second_derivative)
        self._rollout = jax.custom_jvp(self._rollout_call)
        self._rollout.defjvp(self._rollout_jvp)

    def __repr__(self) -> str:
        return f"<diffsim.jax.Simulator of {self.model!r}, {self.np} parameters>"

    def close(self) -> None:
        """Releases the simulations. Later calls of compiled functions that use them fail."""
        self._close()

    @property
    def params(self) -> jax.Array:
        """Values of the parameters in the model."""
        return self._params

    def _arguments(self, q: Any, v: Any, u: Any, p: Any, name: str, own: int) -> Tuple[Any, ...]:
        """Checked arguments with the same leading dimensions. own: number of dimensions of u that are not leading
        ones."""
        m = self.model
        p = self._params if p is None else p
        rows = ((q, m.nq, "q" + name, 1), (v, m.nv, "v" + name, 1), (u, m.nu, "u", own), (p, self.np, "p", 1))
        return _together([(_array(x, n, argument, last), last, argument) for x, n, argument, last in rows])

    def step(self, q: Any, v: Any, u: Any = None, p: Any = None) -> Pair:
        """One step: returns the next (q, v). u: None for zeros."""
        u = jnp.zeros(self.model.nu) if u is None else u
        out: Pair = self._step(*self._arguments(q, v, u, p, "", 1))
        return out

    def rollout(self, q0: Any, v0: Any, u: Any, p: Any = None) -> Pair:
        """Takes a step for each of the N rows of u (N×nu). Returns the states q ((N+1)×nq) and v ((N+1)×nv), the
        initial state first.

        The bits are those of `Rollout.run`. A gradient uses the library's adjoint; its memory is the states alone."""
        arguments = self._arguments(q0, v0, u, p, "0", 2)
        if arguments[2].shape[-2] == 0:
            raise InvalidArgumentError("u: expected one row at least, got none")
        out: Pair = self._rollout(*arguments)
        return out

    def labels(self, q: Any, v: Any, u: Any = None, p: Any = None) -> jax.Array:
        """Label of the derivative of a step, values of `diffsim.Gradient`: 0 exact, 1 one-sided, 2 smoothed,
        3 refused."""
        u = jnp.zeros(self.model.nu) if u is None else u
        arguments = self._arguments(q, v, u, p, "", 1)
        return self._jacobians(*(jax.lax.stop_gradient(x) for x in arguments))[-1]

    def rollout_labels(self, q0: Any, v0: Any, u: Any, p: Any = None) -> jax.Array:
        """Labels of the N steps of a rollout; see `labels`."""
        arguments = [jax.lax.stop_gradient(x) for x in self._arguments(q0, v0, u, p, "0", 2)]
        *lead, steps, _ = arguments[2].shape
        zeros = jnp.zeros((*lead, steps + 1, self.model.nv))
        return _adjoint(self._number, arguments, (zeros, zeros))[-1]

    def integrate(self, q: Any, delta: Any) -> jax.Array:
        """q ⊕ δ (δ: nv numbers), differentiable."""
        m = self.model
        return self._chart.integrate(*_together([(_array(q, m.nq, "q"), 1, "q"), (_array(delta, m.nv, "delta"), 1, "delta")]))

    def difference(self, q0: Any, q1: Any) -> jax.Array:
        """Tangent δ (nv numbers) with q0 ⊕ δ = q1, differentiable."""
        n = self.model.nq
        return self._chart.difference(*_together([(_array(q0, n, "q0"), 1, "q0"), (_array(q1, n, "q1"), 1, "q1")]))

    def _step_call(self, q: Any, v: Any, u: Any, p: Any) -> Pair:
        out = _call("step", (_real(*q.shape), _real(*v.shape)), self._number, self._strict, q, v, u, p)
        return out[0], out[1]

    def _jacobians_call(self, q: Any, v: Any, u: Any, p: Any) -> Any:
        lead, nv = q.shape[:-1], self.model.nv
        # The library's matrices are column-major: each matrix here is the transpose.
        blocks = [_real(*lead, columns, nv) for _ in range(2) for columns in (nv, nv, self.model.nu, self.np)]
        label = jax.ShapeDtypeStruct(lead, jnp.int32)
        results = (_real(*q.shape), _real(*v.shape), *blocks, label)
        return _call("jacobians", results, self._number, self._strict, q, v, u, p)

    def _step_jvp(self, primals: Any, tangents: Any) -> Any:
        q, v, u, p = primals
        q_next, v_next, *blocks, _ = self._jacobians(q, v, u, p)
        along = (self._chart.tangent(q, tangents[0]), *tangents[1:])

        def through(four: Any) -> Any:
            return sum(jnp.einsum("...cr,...c->...r", block, x) for block, x in zip(four, along))

        return (q_next, v_next), (self._chart.velocity(q_next, through(blocks[:4])), through(blocks[4:]))

    def _rollout_call(self, q0: Any, v0: Any, u: Any, p: Any) -> Pair:
        *lead, steps, _ = u.shape
        results = (_real(*lead, steps + 1, self.model.nq), _real(*lead, steps + 1, self.model.nv))
        out = _call("rollout", results, self._number, self._strict, q0, v0, u, p)
        return out[0], out[1]

    def _rollout_jvp(self, primals: Any, tangents: Any) -> Any:
        q, v = self._rollout(*primals)
        along = (self._chart.tangent(primals[0], tangents[0]), *tangents[1:])
        if self._smoothed:
            raise UnsupportedError("diffsim.jax: smoothing: a rollout has no smoothed derivative; scan over steps instead")
        dq, dv = _tangent_p.bind(*primals, *along, number=self._number)
        return (q, v), (self._chart.velocity(q, dq), dv)
