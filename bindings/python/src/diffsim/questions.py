"""Queries about a state without a step: motion, terms of the equations of motion, momentum."""

from __future__ import annotations

from typing import Any, Callable, Optional, Sequence, Tuple, Union

import numpy as np
from numpy.typing import ArrayLike

from ._names import choice, listed
from ._native import INT, Array, array, check, lib, pointer, result
from .dynamics import Dynamics
from .enums import ReferenceFrame, ReferenceFrameName
from .model import Id

WORLD_ALIGNED = ReferenceFrame.LOCAL_WORLD_ALIGNED
Frame = Union[ReferenceFrame, ReferenceFrameName]


class Questions(Dynamics):
    """Queries of a `Sim` about any state, beside its dynamics. Velocities and accelerations are (linear; angular) in
    the `frame`. Accelerations do not include gravity. A frame on a body has the pose `placement` (4×4, in the body's
    frame); None for the body's own frame. For a site use `model.site(i).body` and `model.site(i).placement`."""

    def _vectors(
        self,
        function: Callable[..., int],
        count: int,
        name: str,
        *inputs: Any,
        frame: Frame,
    ) -> Array:
        out = result(None, (6, count), name)
        check(
            function(
                self._handle,
                *inputs,
                choice(ReferenceFrame, frame, "frame"),
                pointer(out),
            )
        )
        return out

    def _frame(self, body: Id, placement: Optional[ArrayLike], frame: Frame) -> Tuple[int, Any, ReferenceFrame]:
        place = None if placement is None else array(placement, (4, 4), "placement")
        return (
            self.model._id("body", body, "body"),
            pointer(place),
            choice(ReferenceFrame, frame, "frame"),
        )

    def _columns(self, count: int) -> Any:
        return tuple(result(None, (6, self.model.nv), "out") for _ in range(count))

    def body_velocities(self, q: ArrayLike, v: ArrayLike, frame: Frame = WORLD_ALIGNED) -> Array:
        """Velocities of all bodies' frames: 6×nbody."""
        state = self._q.fill(q), self._v.fill(v)
        return self._vectors(lib.ds_body_velocities, self.model.nbody, "velocities", *state, frame=frame)

    def body_accelerations(self, q: ArrayLike, v: ArrayLike, a: ArrayLike, frame: Frame = WORLD_ALIGNED) -> Array:
        """Accelerations of all bodies' frames at joint accelerations a: 6×nbody."""
        state = self._q.fill(q), self._v.fill(v), self._a.fill(a)
        return self._vectors(
            lib.ds_body_accelerations,
            self.model.nbody,
            "accelerations",
            *state,
            frame=frame,
        )

    def site_velocities(self, q: ArrayLike, v: ArrayLike, frame: Frame = WORLD_ALIGNED) -> Array:
        """Velocities of all sites: 6×nsite."""
        state = self._q.fill(q), self._v.fill(v)
        return self._vectors(lib.ds_site_velocities, self.model.nsite, "velocities", *state, frame=frame)

    def site_accelerations(self, q: ArrayLike, v: ArrayLike, a: ArrayLike, frame: Frame = WORLD_ALIGNED) -> Array:
        """Accelerations of all sites at joint accelerations a: 6×nsite."""
        state = self._q.fill(q), self._v.fill(v), self._a.fill(a)
        return self._vectors(
            lib.ds_site_accelerations,
            self.model.nsite,
            "accelerations",
            *state,
            frame=frame,
        )

    def body_jacobians(self, q: ArrayLike, frame: Frame = WORLD_ALIGNED, out: Optional[Array] = None) -> Array:
        """Jacobians of all bodies' frames: 6×nv×nbody."""
        out = result(out, (6, self.model.nv, self.model.nbody), "out")
        check(
            lib.ds_body_jacobians(
                self._handle,
                self._q.fill(q),
                choice(ReferenceFrame, frame, "frame"),
                pointer(out),
            )
        )
        return out

    def frame_jacobian(
        self,
        q: ArrayLike,
        body: Id,
        placement: Optional[ArrayLike] = None,
        frame: Frame = WORLD_ALIGNED,
    ) -> Array:
        """Jacobian of a frame on a body: 6×nv."""
        J: Array = result(None, (6, self.model.nv), "J")
        check(lib.ds_frame_jacobian(self._handle, self._q.fill(q), *self._frame(body, placement, frame), pointer(J)))
        return J

    def frame_jacobian_rate(
        self,
        q: ArrayLike,
        v: ArrayLike,
        body: Id,
        placement: Optional[ArrayLike] = None,
        frame: Frame = WORLD_ALIGNED,
    ) -> Array:
        """Time derivative of `frame_jacobian` along v: 6×nv. Its product with v is the acceleration at a = 0."""
        rate: Array = result(None, (6, self.model.nv), "rate")
        of = self._frame(body, placement, frame)
        check(lib.ds_frame_jacobian_rate(self._handle, self._q.fill(q), self._v.fill(v), *of, pointer(rate)))
        return rate

    def frame_velocity(
        self,
        q: ArrayLike,
        v: ArrayLike,
        body: Id,
        placement: Optional[ArrayLike] = None,
        frame: Frame = WORLD_ALIGNED,
    ) -> Tuple[Array, Array, Array]:
        """(velocity, dvelocity_dq, dvelocity_dv) of a frame on a body: 6 numbers, and 6×nv each."""
        n = (6, self.model.nv)
        out = result(None, (6,), "velocity"), result(None, n, "dvelocity_dq"), result(None, n, "dvelocity_dv")
        of = self._frame(body, placement, frame)
        check(lib.ds_frame_velocity(self._handle, self._q.fill(q), self._v.fill(v), *of, *map(pointer, out)))
        return out

    def frame_acceleration(
        self,
        q: ArrayLike,
        v: ArrayLike,
        a: ArrayLike,
        body: Id,
        placement: Optional[ArrayLike] = None,
        frame: Frame = WORLD_ALIGNED,
    ) -> Tuple[Array, Array, Array, Array]:
        """(acceleration, dacceleration_dq, dacceleration_dv, dacceleration_da) of a frame on a body at joint
        accelerations a: 6 numbers, and 6×nv each."""
        by_q, by_v, by_a = (result(None, (6, self.model.nv), f"dacceleration_d{x}") for x in "qva")
        out = result(None, (6,), "acceleration"), by_q, by_v, by_a
        state = self._q.fill(q), self._v.fill(v), self._a.fill(a)
        of = self._frame(body, placement, frame)
        check(lib.ds_frame_acceleration(self._handle, *state, *of, *map(pointer, out)))
        return out

    # Terms of the equations of motion

    def gravity_forces(self, q: ArrayLike) -> Tuple[Array, Array]:
        """(g, dg_dq): the force that holds the robot still against gravity, nv, and its derivative, nv×nv."""
        nv = self.model.nv
        out = result(None, (nv,), "g"), result(None, (nv, nv), "dg_dq")
        check(lib.ds_gravity_forces(self._handle, self._q.fill(q), *map(pointer, out)))
        return out

    def bias_forces(self, q: ArrayLike, v: ArrayLike) -> Array:
        """Coriolis, centrifugal and gravity forces, without external wrenches: nv."""
        out = result(None, (self.model.nv,), "b")
        check(lib.ds_bias_forces(self._handle, self._q.fill(q), self._v.fill(v), pointer(out)))
        return out

    def coriolis_matrix(self, q: ArrayLike, v: ArrayLike, out: Optional[Array] = None) -> Array:
        """Coriolis matrix C, nv×nv. C v are the Coriolis and centrifugal forces; C + Cᵀ is the rate of the mass
        matrix."""
        out = result(out, (self.model.nv,) * 2, "out")
        check(lib.ds_coriolis_matrix(self._handle, self._q.fill(q), self._v.fill(v), pointer(out)))
        return out

    def mass_matrix_inverse(self, q: ArrayLike, out: Optional[Array] = None) -> Array:
        """Inverse of `mass_matrix`: nv×nv."""
        out = result(out, (self.model.nv,) * 2, "out")
        check(lib.ds_mass_matrix_inverse(self._handle, self._q.fill(q), pointer(out)))
        return out

    def inverse_dynamics_regressor(
        self, q: ArrayLike, v: ArrayLike, a: ArrayLike, out: Optional[Array] = None
    ) -> Array:
        """Regressor Y, nv×(10 nbody). Y times the inertial parameters of all bodies, ten each in the order of
        `Body.inertia`, is the force for the acceleration a, without armature and external wrenches."""
        out = result(out, (self.model.nv, 10 * self.model.nbody), "out")
        state = self._q.fill(q), self._v.fill(v), self._a.fill(a)
        check(lib.ds_inverse_dynamics_regressor(self._handle, *state, pointer(out)))
        return out

    def _wrenches(self, bodies: Sequence[Id], wrenches: ArrayLike) -> Tuple[Any, Any, int]:
        named = listed(bodies, "bodies", "ids or names")
        ids = np.array([self.model._id("body", body, "bodies") for body in named], dtype=INT)
        given = array(wrenches, (6, ids.size), "wrenches")
        return pointer(ids), pointer(given), ids.size

    def inverse_dynamics_with_wrenches(
        self,
        q: ArrayLike,
        v: ArrayLike,
        a: ArrayLike,
        bodies: Sequence[Id],
        wrenches: ArrayLike,
    ) -> Array:
        """`inverse_dynamics` with further wrenches (force; moment) on bodies, 6×len(bodies), world axes, at the
        bodies' origins [N, N m]."""
        out = result(None, (self.model.nv,), "tau")
        state = self._q.fill(q), self._v.fill(v), self._a.fill(a)
        given = self._wrenches(bodies, wrenches)
        check(lib.ds_inverse_dynamics_with_wrenches(self._handle, *state, *given, pointer(out)))
        return out

    def forward_dynamics_with_wrenches(
        self,
        q: ArrayLike,
        v: ArrayLike,
        tau: ArrayLike,
        bodies: Sequence[Id],
        wrenches: ArrayLike,
    ) -> Array:
        """`forward_dynamics` with further wrenches on bodies; see `inverse_dynamics_with_wrenches`."""
        out = result(None, (self.model.nv,), "a")
        state = self._q.fill(q), self._v.fill(v), self._tau.fill(tau)
        given = self._wrenches(bodies, wrenches)
        check(lib.ds_forward_dynamics_with_wrenches(self._handle, *state, *given, pointer(out)))
        return out

    # The centre of mass and the momentum about it

    def center_of_mass_motion(
        self, q: ArrayLike, v: ArrayLike, a: Optional[ArrayLike] = None
    ) -> Tuple[Array, Array, Array]:
        """(com, velocity, acceleration) of all moving bodies, world axes, without gravity. a: None for zeros."""
        out = result(None, (3,), "com"), result(None, (3,), "velocity"), result(None, (3,), "acceleration")
        state = self._q.fill(q), self._v.fill(v), self._a.fill(a)
        check(lib.ds_center_of_mass_motion(self._handle, *state, *map(pointer, out)))
        return out

    def centroidal_momentum(self, q: ArrayLike, v: ArrayLike, a: Optional[ArrayLike] = None) -> Tuple[Array, Array]:
        """(momentum, rate) about the centre of mass, (linear; angular), world axes, without gravity. a: None for
        zeros."""
        out = result(None, (6,), "momentum"), result(None, (6,), "rate")
        state = self._q.fill(q), self._v.fill(v), self._a.fill(a)
        check(lib.ds_centroidal_momentum(self._handle, *state, *map(pointer, out)))
        return out

    def centroidal_map(self, q: ArrayLike) -> Array:
        """Matrix A, 6×nv: A v is the momentum about the centre of mass."""
        A: Array = result(None, (6, self.model.nv), "A")
        check(lib.ds_centroidal_map(self._handle, self._q.fill(q), pointer(A)))
        return A

    def centroidal_derivatives(self, q: ArrayLike, v: ArrayLike, a: ArrayLike) -> Tuple[Array, Array, Array, Array]:
        """(dmomentum_dq, drate_dq, drate_dv, drate_da), 6×nv each."""
        momentum_q, rate_q, rate_v, rate_a = (result(None, (6, self.model.nv), "out") for _ in range(4))
        out = momentum_q, rate_q, rate_v, rate_a
        state = self._q.fill(q), self._v.fill(v), self._a.fill(a)
        check(lib.ds_centroidal_derivatives(self._handle, *state, *map(pointer, out)))
        return out
