"""The solver alone: contact problems that an engine with dynamics of its own poses."""

from typing import NamedTuple, Optional, Tuple

import numpy as np

from ._native import INT, NULL, Handle, array, check, ffi, lib, pointer, result, struct
from .enums import ContactLaw, ContactMode
from .model import Array
from .sim import StepInfo


class ProblemGradients(NamedTuple):
    """A gradient by all that makes a problem, in the same shapes: A symmetric; compliance None with the rigid laws."""

    A: Array
    J: Array
    v_free: Array
    target: Array
    friction: Array
    compliance: Optional[Array]


class Problem(Handle):
    """Solves contact problems of `nv` dofs and up to `max_contacts` contacts, and differentiates the last one. One thread
    at a time.

    With n contacts a problem is v = v_free + A⁻¹ Jᵀ impulse, sigma = J v + target, and the law of contact between sigma and
    the impulses: A nv×nv, symmetric and positive definite; J 3n×nv, rows t1, t2, n of each contact; v_free nv; target 3n
    [m/s]; friction n coefficients; compliance 3n, with `ContactLaw.CONVEX` the diagonal of R [m/(s N s)], else None.
    options are the other fields of `ds_problem_options`: tolerance, max_iterations.
    """

    _kind = "ds_problem"
    _free = lib.ds_problem_free

    def __init__(self, nv: int, max_contacts: int = 32, law: ContactLaw = ContactLaw.NCP, **options):
        fields = {"nv": nv, "max_contacts": max_contacts, "law": int(law), **options}
        made, _keep = struct("ds_problem_options", lib.ds_problem_options_init, fields)
        self._own(lib.ds_problem_create, made)
        self.nv = nv
        self.max_contacts = max_contacts
        self.law = ContactLaw(law)
        self._contacts = 0

    def _shapes(self, n):
        return {
            "A": (self.nv, self.nv),
            "J": (3 * n, self.nv),
            "v_free": (self.nv,),
            "target": (3 * n,),
            "friction": (n,),
            "compliance": (3 * n,),
        }

    def _arrays(self, n, values, prefix=""):
        """The arguments as arrays, None where there is none: to be kept while their addresses are used."""
        shapes = self._shapes(n).items()
        return [
            None if x is None else array(x, shape, prefix + name) for (name, shape), x in zip(shapes, values)
        ]

    def solve(self, A, J, v_free, target, friction, compliance=None) -> Tuple[Array, Array]:
        """The velocity and the impulses (t1, t2, n of each contact [N s]); `info` tells how it went.

        It starts from the last impulses where there were as many contacts, which then count as the same ones: `reset`
        forgets them.
        """
        n = len(friction)
        given = self._arrays(n, (A, J, v_free, target, friction, compliance))
        v, impulse = np.zeros(self.nv), np.zeros(3 * n)
        check(lib.ds_problem_solve(self._handle, n, *map(pointer, given), pointer(v), pointer(impulse), NULL))
        self._contacts = n
        return v, impulse

    def jvp(
        self, dA=None, dJ=None, dv_free=None, dtarget=None, dfriction=None, dcompliance=None
    ) -> Tuple[Array, Array]:
        """Forward mode: the variation (dv, dimpulse) of the last solution; None is zero. Of dA the symmetric part counts.
        `info` tells afterwards whether it is the derivative to both sides along this direction."""
        n = self._contacts
        given = self._arrays(n, (dA, dJ, dv_free, dtarget, dfriction, dcompliance), "d")
        dv, dimpulse = np.zeros(self.nv), np.zeros(3 * n)
        check(lib.ds_problem_jvp(self._handle, *map(pointer, given), pointer(dv), pointer(dimpulse)))
        return dv, dimpulse

    def vjp(self, v_bar=None, impulse_bar=None) -> ProblemGradients:
        """Reverse mode: the gradient by all that made the last problem of a function of which v_bar and impulse_bar are
        the gradient by the velocity and the impulses; None is zero."""
        n = self._contacts
        v_bar = None if v_bar is None else array(v_bar, (self.nv,), "v_bar")
        impulse_bar = None if impulse_bar is None else array(impulse_bar, (3 * n,), "impulse_bar")
        shapes = self._shapes(n)
        if self.law != ContactLaw.CONVEX:
            shapes["compliance"] = None
        out = ProblemGradients(*(None if shape is None else result(None, shape, "") for shape in shapes.values()))
        check(lib.ds_problem_vjp(self._handle, pointer(v_bar), pointer(impulse_bar), *map(pointer, out)))
        return out

    def info(self) -> StepInfo:
        """How the last solve went, and what the derivative is that was asked for last."""
        out = ffi.new("ds_step_info *")
        check(lib.ds_problem_info(self._handle, out))
        return StepInfo._of(out)

    def modes(self) -> Tuple[ContactMode, ...]:
        """Which constraint of each contact holds after the last solve."""
        out = np.zeros(self._contacts, INT)
        check(lib.ds_problem_modes(self._handle, pointer(out)))
        return tuple(map(ContactMode, out.tolist()))

    def impulses_unique(self) -> bool:
        """Whether no other impulses give the last velocity, as far as is known; if not, those of least norm were chosen,
        and of their derivative only A⁻¹ Jᵀ dimpulse is determined."""
        out = ffi.new("int32_t *")
        check(lib.ds_problem_impulses_unique(self._handle, out))
        return bool(out[0])

    def reset(self) -> None:
        """Forgets the last solution, also as the start of the next one."""
        check(lib.ds_problem_reset(self._handle))
