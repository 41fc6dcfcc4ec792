"""The solver alone: contact problems of an engine with its own dynamics."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Dict, Final, List, NamedTuple, Optional, Sequence, Tuple, Union

import numpy as np
from numpy.typing import ArrayLike

from ._errors import InvalidArgumentError
from ._help import says
from ._handle import Handle
from ._names import choice
from ._native import INT, NULL, Array, array, check, ffi, lib, pointer, result, shape_of, struct
from .enums import ContactLaw, ContactLawName, ContactMode
from .results import StepInfo

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from .options import ProblemOptions


class ProblemGradients(NamedTuple):
    """A gradient by the data of a problem, in the same shapes: A symmetric; compliance None with the rigid laws."""

    A: Array
    J: Array
    v_free: Array
    target: Array
    friction: Array
    compliance: Optional[Array]


class Problem(Handle, kind="ds_problem", free=lib.ds_problem_free, fixed=("nv", "max_contacts", "law")):
    """Solves contact problems of `nv` dofs and up to `max_contacts` contacts, and differentiates the last one. Calls
    of several threads take turns.

    With n contacts a problem is v = v_free + A⁻¹ Jᵀ impulse, sigma = J v + target, and the law of contact between sigma and
    the impulses: A nv×nv, symmetric and positive definite; J 3n×nv, rows t1, t2, n of each contact; v_free nv; target 3n
    [m/s]; friction n coefficients; compliance 3n, with `ContactLaw.CONVEX` the diagonal of R [m/(s N s)], else None.
    options are the other fields of `ds_problem_options`: tolerance, max_iterations. It cannot be copied or pickled: its warm start cannot be read.
    """

    _no_copies = "its warm start cannot be read. Make another one"

    @says("ds_problem_options", ("nv", "max_contacts", "law"))
    def __init__(
        self,
        nv: int,
        max_contacts: int = 32,
        law: Union[ContactLaw, ContactLawName] = ContactLaw.NCP,
        **options: Unpack[ProblemOptions],
    ) -> None:
        chosen = choice(ContactLaw, law, "law")
        fields = {"nv": nv, "max_contacts": max_contacts, "law": chosen, **options}
        made, _keep = struct("ds_problem_options", lib.ds_problem_options_init, fields)
        self._own(lib.ds_problem_create, made)
        self.nv: Final = int(made.nv)
        self.max_contacts: Final = int(made.max_contacts)
        self.law: Final[ContactLaw] = chosen
        self._contacts = 0

    def __repr__(self) -> str:
        if self._handle is NULL:
            return f"<diffsim.Problem: {self._gone}>"
        return f"<diffsim.Problem nv={self.nv} max_contacts={self.max_contacts} law={self.law.name.lower()}>"

    def _shapes(self, n: int) -> Dict[str, Tuple[int, ...]]:
        return {
            "A": (self.nv, self.nv),
            "J": (3 * n, self.nv),
            "v_free": (self.nv,),
            "target": (3 * n,),
            "friction": (n,),
            "compliance": (3 * n,),
        }

    def _arrays(self, n: int, values: Sequence[Any], prefix: str = "") -> List[Optional[Array]]:
        """The arguments as arrays, or None. Keep them while their addresses are in use."""
        shapes = self._shapes(n).items()
        return [None if x is None else array(x, shape, prefix + name) for (name, shape), x in zip(shapes, values)]

    def solve(
        self,
        A: ArrayLike,
        J: ArrayLike,
        v_free: ArrayLike,
        target: ArrayLike,
        friction: ArrayLike,
        compliance: Optional[ArrayLike] = None,
    ) -> Tuple[Array, Array]:
        """The velocity and the impulses (t1, t2, n of each contact [N s]); `info` has the residual. If the number of
        contacts is that of the last problem, its impulses are the warm start; `reset` forgets them.
        """
        shape = shape_of(friction, "friction")
        if len(shape) != 1:
            raise InvalidArgumentError(f"friction: expected shape (contacts,), got {shape}")
        n = shape[0]
        given = self._arrays(n, (A, J, v_free, target, friction, compliance))
        v, impulse = np.zeros(self.nv), np.zeros(3 * n)
        check(lib.ds_problem_solve(self._handle, n, *map(pointer, given), pointer(v), pointer(impulse), NULL))
        self._contacts = n
        return v, impulse

    def jvp(
        self,
        dA: Optional[ArrayLike] = None,
        dJ: Optional[ArrayLike] = None,
        dv_free: Optional[ArrayLike] = None,
        dtarget: Optional[ArrayLike] = None,
        dfriction: Optional[ArrayLike] = None,
        dcompliance: Optional[ArrayLike] = None,
    ) -> Tuple[Array, Array]:
        """Forward mode: the variation (dv, dimpulse) of the last solution; None is zero. The symmetric part of dA
        counts. Afterwards `info` has the label of the derivative along this direction."""
        n = self._contacts
        given = self._arrays(n, (dA, dJ, dv_free, dtarget, dfriction, dcompliance), "d")
        dv, dimpulse = np.zeros(self.nv), np.zeros(3 * n)
        check(lib.ds_problem_jvp(self._handle, *map(pointer, given), pointer(dv), pointer(dimpulse)))
        return dv, dimpulse

    def vjp(self, v_bar: Optional[ArrayLike] = None, impulse_bar: Optional[ArrayLike] = None) -> ProblemGradients:
        """Reverse mode: from the gradient of a function by the last velocity and impulses, v_bar and impulse_bar
        (None: zero), to its gradient by the data of the problem."""
        n = self._contacts
        bars = (
            None if v_bar is None else array(v_bar, (self.nv,), "v_bar"),
            None if impulse_bar is None else array(impulse_bar, (3 * n,), "impulse_bar"),
        )
        shapes: Dict[str, Optional[Tuple[int, ...]]] = {**self._shapes(n)}
        if self.law != ContactLaw.CONVEX:
            shapes["compliance"] = None
        made = (None if shape is None else result(None, shape, "") for shape in shapes.values())
        out = ProblemGradients(*made)  # type: ignore[arg-type]
        check(lib.ds_problem_vjp(self._handle, *map(pointer, bars), *map(pointer, out)))
        return out

    def info(self) -> StepInfo:
        """Facts about the last solve, and the label of the last derivative."""
        out = ffi.new("ds_step_info *")
        check(lib.ds_problem_info(self._handle, out))
        return StepInfo._of(out)

    def modes(self) -> Tuple[ContactMode, ...]:
        """Mode of each contact after the last solve."""
        out = np.zeros(self._contacts, INT)
        check(lib.ds_problem_modes(self._handle, pointer(out)))
        return tuple(map(ContactMode, out.tolist()))

    def impulses_unique(self) -> bool:
        """True if the impulses of the last velocity are known to be unique. If not, they have the least norm, and of
        their derivative only A⁻¹ Jᵀ dimpulse is determined."""
        out = ffi.new("int32_t *")
        check(lib.ds_problem_impulses_unique(self._handle, out))
        return bool(out[0])

    def reset(self) -> None:
        """Forgets the last solution, which is also the warm start of the next one."""
        check(lib.ds_problem_reset(self._handle))
