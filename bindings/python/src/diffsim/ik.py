"""Inverse kinematics: configurations that bring frames, the centre of mass and postures to their targets."""

from __future__ import annotations

from typing import Any, Final, NamedTuple, Optional, Tuple

import numpy as np
from numpy.typing import ArrayLike

from ._handle import Handle, given
from ._names import flag, number
from ._native import NULL, Array, Slot, array, check, ffi, index, lib, pointer, shape_of, struct
from .enums import Gradient, IkKind, IkOutcome
from .model import Id, Model


class IkInfo(NamedTuple):
    """Result of a search: outcome; iterations of all starts; starts after the first; largest residual of tasks with a
    tolerance [m, rad]; half the sum of squared weighted residuals; largest entry of its gradient at a dof that is not
    at a limit; largest violation of the model's equalities."""

    outcome: IkOutcome
    iterations: int
    restarts: int
    residual: float
    objective: float
    slope: float
    equality_residual: float


class Ik(Handle, kind="ds_ik", free=lib.ds_ik_free, fixed=("model",)):
    """Solves inverse kinematics of one model within its joint limits. Add tasks once, and set their targets as often
    as you like. Tasks that contradict each other are weighed. Calls of several threads take turns.

    tolerance: largest residual of a solved task [m, rad]; max_iterations: of each start; max_restarts, seed: further
    starts at random configurations if the first one does not solve the tasks; equality_weight: of the model's
    equalities, 0 to ignore them; limits: True to respect joint limits. It cannot be copied or pickled.
    """

    _no_copies = "it makes its tasks one by one. Make another one"

    def __init__(
        self,
        model: Model,
        *,
        tolerance: float = 1e-10,
        max_iterations: int = 100,
        max_restarts: int = 0,
        seed: int = 0,
        equality_weight: float = 1.0,
        limits: bool = True,
    ) -> None:
        fields = {
            "tolerance": tolerance,
            "max_iterations": max_iterations,
            "max_restarts": max_restarts,
            "seed": seed,
            "equality_weight": equality_weight,
            "limits": int(flag(limits, "limits")),
        }
        made, _keep = struct("ds_ik_options", lib.ds_ik_options_init, fields)
        self._own(lib.ds_ik_create, given(model, Model, "model")._handle, made)
        self.model: Final = model
        self._q0, self._q = Slot(model.nq, "q0"), Slot(model.nq, "q")

    def __repr__(self) -> str:
        if self._handle is NULL:
            return f"<diffsim.Ik: {self._gone}>"
        return f"<diffsim.Ik of {self.model!r}: {lib.ds_ik_ntask(self._handle)} tasks>"

    def _add(self, kind: IkKind, fields: Any, dofs: Optional[Array] = None) -> int:
        made, _keep = struct("ds_ik_task", lib.ds_ik_task_init, {"kind": kind, **fields})
        if dofs is not None:
            made.dofs = pointer(dofs)
        number = ffi.new("int32_t *")
        check(lib.ds_ik_add_task(self._handle, made, number))
        return int(number[0])

    def add_frame(
        self,
        body: Id,
        placement: Optional[ArrayLike] = None,
        *,
        weight: float = 1.0,
        axes: ArrayLike = (1, 1, 1, 1, 1, 1),
        tolerance: float = 0.0,
    ) -> int:
        """Adds a frame on a body and returns the task's number. placement: of the frame in the body's, 4×4, None for the
        body's own; axes: factors of the weight, position along the world's axes and rotation about the target's, 0
        for a free direction (position only: (1, 1, 1, 0, 0, 0)); tolerance: 0 for that of the solver, infinite for a
        preference.
        Target: 4×4."""
        fields = {"body": self.model._id("body", body, "body"), "weight": weight, "axes": axes, "tolerance": tolerance}
        if placement is not None:
            fields["placement"] = array(placement, (4, 4), "placement").ravel(order="F")
        return self._add(IkKind.FRAME, fields)

    def add_center_of_mass(
        self, *, weight: float = 1.0, axes: ArrayLike = (1, 1, 1), tolerance: float = 0.0
    ) -> int:
        """Adds the centre of mass of all moving bodies and returns the task's number. Target: 3 numbers."""
        factors = np.ones(6)
        factors[:3] = array(axes, (3,), "axes")
        return self._add(IkKind.CENTER_OF_MASS, {"weight": weight, "axes": factors, "tolerance": tolerance})

    def add_posture(
        self, *, weight: float = 1.0, dofs: Optional[ArrayLike] = None, tolerance: float = 0.0
    ) -> int:
        """Adds the configuration itself and returns the task's number: a preference, unless it has a tolerance. dofs:
        factors of the weight, nv numbers. Target: nq numbers."""
        factors = None if dofs is None else array(dofs, (self.model.nv,), "dofs")
        return self._add(IkKind.POSTURE, {"weight": weight, "tolerance": tolerance}, factors)

    @property
    def ntask(self) -> int:
        """Number of tasks."""
        return int(lib.ds_ik_ntask(self._open()))

    def set_target(self, task: int, target: ArrayLike) -> None:
        """Sets the target of a task: a 4×4 placement, 3 numbers, or nq. Forgets the last solution."""
        i = index(task, "task")
        n = int(lib.ds_ik_target_size(self._handle, i))
        shape = (4, 4) if n == 16 and len(shape_of(target, "target")) == 2 else (n,)
        x = array(target, shape, "target") if n else np.zeros(1)
        check(lib.ds_ik_set_target(self._handle, i, pointer(x)))

    def set_weight(self, task: int, weight: float) -> None:
        """Sets the weight of a task; 0 to ignore it. Forgets the last solution."""
        check(lib.ds_ik_set_weight(self._handle, index(task, "task"), number(weight, "weight")))

    def solve(self, q0: ArrayLike) -> Tuple[Array, IkInfo]:
        """Searches from q0 and returns the configuration and an `IkInfo`. If tasks are not met, this is no error; see
        the outcome."""
        out = ffi.new("ds_ik_info *")
        check(lib.ds_ik_solve(self._handle, self._q0.fill(q0), self._q.pointer, out))
        told = (getattr(out, name) for name in IkInfo._fields[1:])
        return self._q.take(), IkInfo(IkOutcome(out.outcome), *told)

    def residual(self, task: int) -> Array:
        """Residual of a task at the last solution, unweighted: 6 numbers of a frame (position along the world's axes, rotation
        vector along the target's), 3 of the centre of mass, nv of a posture."""
        i = index(task, "task")
        out = np.zeros(int(lib.ds_ik_residual_size(self._handle, i)))
        check(lib.ds_ik_residual(self._handle, i, pointer(out)))
        return out

    def gradient(self) -> Tuple[Gradient, bool]:
        """Label of the derivative of the last solution, and whether the solution is locally unique. If it is not
        unique, the derivative is that of the least-norm motion that follows the targets."""
        kind, unique = ffi.new("ds_gradient *"), ffi.new("int32_t *")
        check(lib.ds_ik_gradient(self._handle, kind, unique))
        return Gradient(kind[0]), bool(unique[0])

    def _targets(self) -> int:
        return int(lib.ds_ik_variation_size(self._handle))

    def jacobian(self) -> Array:
        """Derivative of the last solution (tangent, nv rows) by the variations of all targets, task after task: of a frame 6
        numbers along the world's axes (linear; angular), of the centre of mass 3, of a posture its tangent."""
        out = np.zeros((self.model.nv, self._targets()), order="F")
        check(lib.ds_ik_jacobian(self._handle, pointer(out)))
        return out

    def jvp(self, dtarget: ArrayLike) -> Array:
        """Forward mode: the variation of the last solution for one of all targets."""
        by, out = array(dtarget, (self._targets(),), "dtarget"), np.zeros(self.model.nv)
        check(lib.ds_ik_jvp(self._handle, pointer(by), pointer(out)))
        return out

    def vjp(self, q_bar: ArrayLike) -> Array:
        """Reverse mode: the gradient by all targets of a function of the last solution with gradient q_bar (tangent)."""
        by, out = array(q_bar, (self.model.nv,), "q_bar"), np.zeros(self._targets())
        check(lib.ds_ik_vjp(self._handle, pointer(by), pointer(out)))
        return out
