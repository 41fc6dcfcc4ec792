"""Smooth dynamics: the equations of motion without contact, their terms and derivatives."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Optional, Tuple

import numpy as np
from numpy.typing import ArrayLike

from ._errors import InvalidArgumentError
from ._native import INT, NULL, Array, Slot, array, check, ffi, lib, numbers, pointer, result
from .model import Id, Model


class Dynamics:
    """Queries of a `Sim` about the smooth dynamics of a state, without a step."""

    if TYPE_CHECKING:

        @property
        def model(self) -> Model:
            """The model of the sim."""

    _handle: Any
    _q: Slot
    _v: Slot
    _a: Slot
    _tau: Slot
    _six: Slot
    _three: Slot

    def forward_kinematics(self, q: ArrayLike, out: Optional[Array] = None) -> Array:
        """World placements of all bodies: 4×4×nbody."""
        out = result(out, (4, 4, self.model.nbody), "out")
        check(lib.ds_forward_kinematics(self._handle, self._q.fill(q), pointer(out)))
        return out

    def inverse_dynamics(self, q: ArrayLike, v: ArrayLike, a: ArrayLike) -> Array:
        """Total generalized force tau for the acceleration a at (q, v)."""
        check(
            lib.ds_inverse_dynamics(self._handle, self._q.fill(q), self._v.fill(v), self._a.fill(a), self._tau.pointer)
        )
        return self._tau.take()

    def forward_dynamics(self, q: ArrayLike, v: ArrayLike, tau: ArrayLike) -> Array:
        """Acceleration under the total generalized force tau at (q, v)."""
        check(
            lib.ds_forward_dynamics(
                self._handle, self._q.fill(q), self._v.fill(v), self._tau.fill(tau), self._a.pointer
            )
        )
        return self._a.take()

    def hybrid_dynamics(
        self, q: ArrayLike, v: ArrayLike, prescribed: ArrayLike, tau: ArrayLike, a: ArrayLike
    ) -> Tuple[Array, Array]:
        """Completes (tau, a): if prescribed[k] is true, a[k] is given and tau[k] is computed; else tau[k] is given
        and a[k] is computed."""
        flags = np.ascontiguousarray(numbers(prescribed, "prescribed") != 0.0, dtype=INT)
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

    def mass_matrix(self, q: ArrayLike, out: Optional[Array] = None) -> Array:
        """Joint-space inertia matrix with armature: nv×nv."""
        out = result(out, (self.model.nv,) * 2, "out")
        check(lib.ds_mass_matrix(self._handle, self._q.fill(q), pointer(out)))
        return out

    def _squares(self, count: int) -> Any:
        return tuple(result(None, (self.model.nv,) * 2, "out") for _ in range(count))

    def inverse_dynamics_derivatives(self, q: ArrayLike, v: ArrayLike, a: ArrayLike) -> Tuple[Array, Array]:
        """(dtau_dq, dtau_dv), nv×nv each. The derivative by a is the mass matrix."""
        out: Tuple[Array, Array] = self._squares(2)
        check(
            lib.ds_inverse_dynamics_derivatives(
                self._handle, self._q.fill(q), self._v.fill(v), self._a.fill(a), *map(pointer, out)
            )
        )
        return out

    def forward_dynamics_derivatives(self, q: ArrayLike, v: ArrayLike, tau: ArrayLike) -> Tuple[Array, Array, Array]:
        """(da_dq, da_dv, da_dtau), nv×nv each."""
        out: Tuple[Array, Array, Array] = self._squares(3)
        check(
            lib.ds_forward_dynamics_derivatives(
                self._handle, self._q.fill(q), self._v.fill(v), self._tau.fill(tau), *map(pointer, out)
            )
        )
        return out

    def body_jacobian(self, q: ArrayLike, body: Id, point: ArrayLike = (0.0, 0.0, 0.0)) -> Array:
        """Jacobian of a point fixed to a body (body axes [m]): 6×nv, (linear; angular), world axes."""
        out, i = result(None, (6, self.model.nv), "J"), self.model._id("body", body, "body")
        check(lib.ds_body_jacobian(self._handle, self._q.fill(q), i, self._three.fill(point), pointer(out)))
        return out

    def site_placements(self, q: ArrayLike, out: Optional[Array] = None) -> Array:
        """World placements of all sites: 4×4×nsite."""
        out = result(out, (4, 4, self.model.nsite), "out")
        check(lib.ds_site_placements(self._handle, self._q.fill(q), pointer(out)))
        return out

    def site_jacobian(self, q: ArrayLike, site: Id) -> Array:
        """Jacobian of a site: 6×nv, velocity of its origin and angular velocity, world axes."""
        out, i = result(None, (6, self.model.nv), "J"), self.model._id("site", site, "site")
        check(lib.ds_site_jacobian(self._handle, self._q.fill(q), i, pointer(out)))
        return out

    def tendon_lengths(self, q: ArrayLike) -> Tuple[Array, Array]:
        """Lengths of all tendons, and their derivatives by the tangent of q: nv×ntendon."""
        lengths = result(None, (self.model.ntendon,), "lengths")
        moments = result(None, (self.model.nv, self.model.ntendon), "moments")
        check(lib.ds_sim_tendon_lengths(self._handle, self._q.fill(q), pointer(lengths), pointer(moments)))
        return lengths, moments

    def energy(self, q: ArrayLike, v: ArrayLike) -> Tuple[float, float]:
        """Kinetic energy, and potential energy of gravity and of all springs, including those of joints and tendons
        [J]."""
        kinetic, potential = ffi.new("double *"), ffi.new("double *")
        check(lib.ds_energy(self._handle, self._q.fill(q), self._v.fill(v), kinetic, potential))
        return kinetic[0], potential[0]

    def center_of_mass(self, q: ArrayLike) -> Tuple[float, Array, Array]:
        """Mass [kg], centre of mass (world axes) [m] and its Jacobian (3×nv) of all moving bodies."""
        mass, com, J = ffi.new("double *"), np.zeros(3), result(None, (3, self.model.nv), "J")
        check(lib.ds_center_of_mass(self._handle, self._q.fill(q), mass, pointer(com), pointer(J)))
        return mass[0], com, J

    def momentum(self, q: ArrayLike, v: ArrayLike, about: Optional[ArrayLike] = None) -> Array:
        """Linear [N s] and angular [N m s] momentum about a point (world axes, None for the origin)."""
        center = NULL if about is None else self._three.fill(array(about, (3,), "about"))
        check(lib.ds_momentum(self._handle, self._q.fill(q), self._v.fill(v), center, self._six.pointer))
        return self._six.take()
