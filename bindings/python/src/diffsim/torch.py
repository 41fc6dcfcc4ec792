"""Steps and trajectories as functions of torch tensors.

    import diffsim, diffsim.torch
    sim = diffsim.torch.Simulator(diffsim.Model.load("robot.xml"))
    q, v = sim.rollout(q0, v0, controls)
    (v[-1] ** 2).sum().backward()

Tensors are of float64 and on the CPU. Gradients use the library's adjoint. There are no second derivatives and no
forward mode.
"""

# mypy: disable-error-code="misc,no-untyped-call,no-untyped-def,unused-ignore"
from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Dict, Optional, Sequence, Tuple

import numpy as np
import torch

from ._charts import Chart
from ._errors import ArgumentTypeError, InvalidArgumentError, UnsupportedError
from ._handle import given
from .batch import Batch
from .model import Model
from .parameters import Param

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from .options import SimOptions

__all__ = ["Simulator"]

Tensor = Any


def _check(x: Any, name: str) -> None:
    if not isinstance(x, torch.Tensor):
        raise ArgumentTypeError(f"{name}: expected a tensor of float64 on the CPU, got {type(x).__name__}")
    if x.dtype != torch.float64 or x.device.type != "cpu" or x.layout != torch.strided:
        sparse = "" if x.layout == torch.strided else f" with layout {x.layout}"
        raise ArgumentTypeError(f"{name}: expected a tensor of float64 on the CPU, got {x.dtype} on {x.device}{sparse}")


class _Last:
    """A batch, and the arguments of its last rollout."""

    def __init__(self, batch: Batch) -> None:
        self.batch = batch
        self.arguments: Optional[Tuple[Any, ...]] = None


class _Function(torch.autograd.Function):  # type: ignore
    """A rollout of several elements: q0 (count×nq), v0, u (count×steps×nu), p."""

    @staticmethod
    def forward(ctx: Any, sim: Simulator, *x: Tensor) -> Any:
        arrays = tuple(t.detach().numpy() for t in x)
        q, v = (torch.from_numpy(np.ascontiguousarray(y.T)) for y in sim._run(arrays))
        ctx.sim = sim
        ctx.save_for_backward(*x, q)
        return q, v

    @staticmethod
    def backward(ctx: Any, q_bar: Tensor, v_bar: Tensor) -> Any:
        *x, q = ctx.saved_tensors
        return (None, *_Adjoint.apply(ctx.sim, q.detach(), q_bar, v_bar, *x))


class _Adjoint(torch.autograd.Function):  # type: ignore
    """The adjoint of a rollout, a function of its arguments, too: their gradient must not be zero in silence."""

    @staticmethod
    def forward(ctx: Any, sim: Simulator, *x: Tensor) -> Any:
        q, q_bar, v_bar, *arguments = (t.detach().numpy() for t in x)
        bars = sim._back(tuple(arguments), q, q_bar, v_bar)
        return tuple(torch.from_numpy(np.ascontiguousarray(bar)) for bar in bars)

    @staticmethod
    def backward(ctx: Any, *_: Tensor) -> Any:
        raise NotImplementedError("diffsim.torch: second derivatives are not known; the library gives first ones")


class Simulator:
    """Steps and trajectories of a model as differentiable functions of tensors.

    q has nq numbers, v nv, u nu, and p np. p: the values of `params`; None for the values of the model. All may have
    leading dimensions, which are broadcast and become the elements of one batch of `threads` threads. Gradients by q
    are in the coordinates of q, as in `diffsim.jax`. refused: value of a gradient that the library refuses, "nan" or
    "zero".
    """

    def __init__(
        self, model: Model, params: Sequence[Param] = (), threads: int = 0, refused: str = "nan", **options: Unpack[SimOptions]
    ) -> None:
        self.model = given(model, Model, "model")
        if model.na:
            raise UnsupportedError("diffsim.torch: the model has actuators with a state, which steps here do not carry")
        if refused not in ("nan", "zero"):
            raise InvalidArgumentError(f'refused: expected "nan" or "zero", got {refused!r}')
        self._refused = np.nan if refused == "nan" else 0.0
        self._chosen, self._threads, self._options = tuple(params), threads, options
        self._chart = Chart(model, np)
        self._batches: Dict[int, _Last] = {}
        first = self._of(1).batch
        self.np = first.np
        self.params = torch.from_numpy(first.get_params(0))

    def _of(self, count: int) -> _Last:
        if count not in self._batches:
            batch = Batch(self.model, count, self._threads, **self._options)
            batch.select_params(self._chosen)
            self._batches[count] = _Last(batch)
        return self._batches[count]

    def _run(self, x: Tuple[Any, ...], each: Any = None) -> Tuple[Any, Any]:
        q0, v0, u, p = x
        last = self._of(len(q0))
        if self.np:
            for i, values in enumerate(p):
                last.batch.set_params(i, values)
        last.arguments = None
        out = last.batch.rollout(q0.T, v0.T, u.T, u.shape[1], each=each)
        last.arguments = tuple(y.copy() for y in x)
        return out

    def _back(self, x: Tuple[Any, ...], q: Any, q_bar: Any, v_bar: Any) -> Tuple[Any, ...]:
        last = self._of(len(q))
        each = np.zeros(len(q), np.int32)
        # Repeats the rollout unless the last one had the same arguments.
        if last.arguments is None or not all(np.array_equal(a, b) for a, b in zip(last.arguments, x)):
            self._run(x, each)
        bars = np.ascontiguousarray(self._chart.adjoint_velocity(q, q_bar)), np.ascontiguousarray(v_bar)
        got = last.batch.rollout_adjoint(bars[0].T, bars[1].T, each=each)
        q0, v0, u, p = (np.where(np.isnan(y.T), self._refused, y.T) if each.any() else y.T for y in (got.q, got.v, got.u, got.p))
        return self._chart.adjoint_tangent(x[0], q0), v0, u, p

    def rollout(self, q0: Tensor, v0: Tensor, u: Tensor, p: Optional[Tensor] = None) -> Tuple[Tensor, Tensor]:
        """Takes a step for each of the N rows of u (N×nu). Returns the states q ((N+1)×nq) and v ((N+1)×nv), the
        initial state first."""
        m = self.model
        p = self.params if p is None else p
        rows = ((q0, m.nq, "q0", 1), (v0, m.nv, "v0", 1), (u, m.nu, "u", 2), (p, self.np, "p", 1))
        for x, n, name, last in rows:
            _check(x, name)
            if x.ndim < last or x.shape[-1] != n:
                raise InvalidArgumentError(f"{name}: expected shape (..., {'steps, ' * (last - 1)}{n}), got {tuple(x.shape)}")
        if u.shape[-2] == 0:
            raise InvalidArgumentError("u: expected one row at least, got none")
        leads = [tuple(x.shape[: x.ndim - last]) for x, _, _, last in rows]
        try:
            lead = np.broadcast_shapes(*leads)
        except ValueError:
            got = ", ".join(f"{name} {shape}" for (_, _, name, _), shape in zip(rows, leads))
            raise InvalidArgumentError(f"expected leading dimensions that broadcast, got those of {got}") from None
        count = math.prod(lead)
        if count == 0:
            raise InvalidArgumentError(f"expected one element at least, got leading dimensions {lead}")
        own = [x.shape[x.ndim - last :] for x, _, _, last in rows]
        # Without parameters p has no number, and reshape(-1, 0) no meaning.
        flat = [x.expand(*lead, *n).reshape(count, *n).contiguous() for (x, *_), n in zip(rows, own)]
        q, v = _Function.apply(self, *flat)
        return q.reshape(*lead, *q.shape[1:]), v.reshape(*lead, *v.shape[1:])

    def step(self, q: Tensor, v: Tensor, u: Optional[Tensor] = None, p: Optional[Tensor] = None) -> Tuple[Tensor, Tensor]:
        """One step: returns the next (q, v). u: None for zeros."""
        u = torch.zeros(self.model.nu, dtype=torch.float64) if u is None else u
        _check(u, "u")
        if u.ndim == 0:
            raise InvalidArgumentError(f"u: expected shape (..., {self.model.nu}), got ()")
        qs, vs = self.rollout(q, v, u.unsqueeze(-2), p)
        return qs[..., 1, :], vs[..., 1, :]
