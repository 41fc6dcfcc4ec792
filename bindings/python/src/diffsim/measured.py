"""Queries about a state by the laws of a step, which do not advance it; rays and sensors."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Dict, NamedTuple, Optional, Sequence, Tuple

import numpy as np
from numpy.typing import ArrayLike

from ._errors import InvalidArgumentError
from ._names import listed, number
from ._native import INT, Array, array, check, ffi, lib, numbers, pointer, result
from .activations import ActGradients
from .asked import Asked
from .enums import Gradient
from .model import Id


class RayHits(NamedTuple):
    """First hits of rays, an entry or column each: distances [m], -1 for a miss; normals of the surfaces (3×n); ids
    of geoms, -1 for a miss; derivatives of the distances by q (tangent), nv×n; gradients: numbers of `Gradient`."""

    distances: Array
    normals: Array
    geoms: Array
    ddistances: Array
    gradients: Array


class Measured(Asked):
    """Queries of a `Sim` about a state by the laws of its step, rays and sensors."""

    if TYPE_CHECKING:

        def contacts(self) -> Any:
            """Contacts of the last step."""

        @property
        def np(self) -> int:
            """Number of selected parameters."""

    # By the laws of the step

    def forward(self, q: ArrayLike, v: ArrayLike, u: Optional[ArrayLike] = None) -> Array:
        """Acceleration (nv) at (q, v, u) by the laws of the step. The state does not advance. Afterwards `contacts`,
        `body_contact_wrenches` and all derivatives are those of this step; the warm start of the next step does not
        change. u: None for zeros."""
        out: Array = result(None, (self.model.nv,), "acceleration")
        state = self._q.fill(q), self._v.fill(v), self._inputs(u)
        check(lib.ds_sim_forward(self._handle, *state, pointer(out)))
        return out

    def acceleration_jacobians(self) -> Tuple[Array, Array, Array, Array]:
        """(da_dq, da_dv, da_du, da_dp) of the last step or `forward`, nv rows each."""
        nv = self.model.nv
        da_dq, da_dv, da_du, da_dp = (result(None, (nv, n), "out") for n in (nv, nv, self.model.nu, self.np))
        out = da_dq, da_dv, da_du, da_dp
        check(lib.ds_sim_acceleration_jacobians(self._handle, *map(pointer, out)))
        return out

    def acceleration_vjp(self, a_bar: ArrayLike) -> Tuple[Array, Array, Array, Array]:
        """(q_bar, v_bar, u_bar, p_bar): the adjoint of the acceleration of the last step or `forward`."""
        nv = self.model.nv
        q_bar, v_bar, u_bar, p_bar = (result(None, (n,), "out") for n in (nv, nv, self.model.nu, self.np))
        out = q_bar, v_bar, u_bar, p_bar
        bar = array(a_bar, (nv,), "a_bar")
        check(lib.ds_sim_acceleration_vjp(self._handle, pointer(bar), *map(pointer, out)))
        return out

    def acceleration_act_jacobian(self) -> Array:
        """Jacobian of the same acceleration by the activations at the start of the step, nv×na."""
        out: Array = result(None, (self.model.nv, self.model.na), "out")
        check(lib.ds_sim_acceleration_act_jacobian(self._handle, pointer(out)))
        return out

    def acceleration_vjp_act(self, a_bar: ArrayLike) -> ActGradients:
        """As `acceleration_vjp`, also by the activations."""
        m = self.model
        q, v, act, u, p = out = [result(None, (n,), "out") for n in (m.nv, m.nv, m.na, m.nu, self.np)]
        bar = array(a_bar, (m.nv,), "a_bar")
        check(lib.ds_sim_acceleration_vjp_act(self._handle, pointer(bar), *map(pointer, out)))
        return ActGradients(q, v, act, u, p)

    def inverse(self, q: ArrayLike, v: ArrayLike, a: ArrayLike, u: Optional[ArrayLike] = None) -> Array:
        """The force (nv) that must act beside the inputs u (None: zeros) so that `forward` at (q, v) gives the
        acceleration a. Raises `UnsupportedError` for rigid contact: its impulses are not a function of the velocity."""
        out: Array = result(None, (self.model.nv,), "force")
        state = self._q.fill(q), self._v.fill(v), self._inputs(u), self._a.fill(a)
        check(lib.ds_sim_inverse(self._handle, *state, pointer(out)))
        return out

    def inverse_jacobians(self) -> Tuple[Array, Array, Array]:
        """(dforce_dq, dforce_dv, dforce_da) of the last `inverse`, nv×nv each."""
        by_q, by_v, by_a = (result(None, (self.model.nv,) * 2, "out") for _ in range(3))
        check(lib.ds_sim_inverse_jacobians(self._handle, pointer(by_q), pointer(by_v), pointer(by_a)))
        return by_q, by_v, by_a

    def body_contact_wrenches(self) -> Array:
        """Wrenches (force; moment) of all contacts of the last step on every body, world axes, at the bodies' origins:
        6×nbody."""
        out: Array = result(None, (6, self.model.nbody), "wrenches")
        check(lib.ds_sim_body_contact_wrenches(self._handle, pointer(out)))
        return out

    def contact_forces(self, bodies: Optional[Sequence[Id]] = None) -> Dict[str, Array]:
        """Forces [N] of all contacts of the last step on bodies (such as feet), by name: 3 numbers each, world axes,
        impulse divided by the time step. bodies: ids or names, None for all bodies that touch something. `body_contact_wrenches` has the moments, too."""
        m, forces = self.model, self.body_contact_wrenches()[:3]
        if bodies is None:
            found = self.contacts()
            touching = np.union1d(found["body_a"], found["body_b"]).tolist()
            ids = [i for i in touching if i > 0]
        else:
            ids = [m._id("body", body, "bodies") for body in listed(bodies, "bodies", "bodies")]
            for i in ids:
                if not 0 <= i < m.nbody:
                    raise InvalidArgumentError(f"bodies: must be ids of bodies, 0 to {m.nbody - 1}, got {i}")
        names = m.body_names
        return {names[i] or str(i): forces[:, i].copy() for i in ids}

    def linearize(self, q: ArrayLike, v: ArrayLike, u: Optional[ArrayLike] = None) -> Tuple[Array, Array]:
        """Takes a step from (q, v, u) and returns its linear model (A, B): (dq_next, dv_next) = A (dq, dv) + B du, dq
        tangent; 2nv×2nv and 2nv×nu, equal to the Jacobians of the step to the bit. Afterwards it is the sim's last
        step; `info` has its label. Raises as `step` and `jacobians`."""
        nv, nu = self.model.nv, self.model.nu
        A, B = result(None, (2 * nv, 2 * nv), "A"), result(None, (2 * nv, nu), "B")
        state = self._q.fill(q), self._v.fill(v), self._inputs(u)
        check(lib.ds_sim_linearize(self._handle, *state, pointer(A), pointer(B)))
        return A, B

    def contact_torques(self) -> Array:
        """Torques of torsional and rolling friction of the contacts of the last step on body B, as impulses along (t1, t2, n)
        [N m s]: 3×contacts, in the order of `contacts`."""
        start, count = ffi.new("const ds_contact **"), ffi.new("size_t *")
        check(lib.ds_sim_contacts(self._handle, start, count))
        out: Array = result(None, (3, count[0]), "torques")
        check(lib.ds_sim_contact_torques(self._handle, pointer(out)))
        return out

    # Rays

    def ray_casts(
        self,
        q: ArrayLike,
        origins: ArrayLike,
        directions: ArrayLike,
        max_distance: float = float("inf"),
        exclude_body: Optional[Id] = None,
    ) -> RayHits:
        """First hits of rays. Origins and directions (any length but zero): 3×n, world axes."""
        count = numbers(origins, "origins").size // 3
        start, along = array(origins, (3, count), "origins"), array(directions, (3, count), "directions")
        body = -1 if exclude_body is None else self.model._id("body", exclude_body, "exclude_body")
        hits = RayHits(
            result(None, (count,), "distances"),
            result(None, (3, count), "normals"),
            result(None, (count,), "geoms", INT),
            result(None, (self.model.nv, count), "ddistances"),
            result(None, (count,), "gradients", INT),
        )
        farthest = number(max_distance, "max_distance")
        given = self._q.fill(q), count, pointer(start), pointer(along), farthest, body
        made = pointer(hits.distances), pointer(hits.normals), pointer(hits.geoms), pointer(hits.ddistances)
        gradients = ffi.cast("ds_gradient *", hits.gradients.ctypes.data)
        check(lib.ds_sim_ray_casts(self._handle, *given, *made, gradients))
        return hits

    def ray_cast(
        self,
        q: ArrayLike,
        origin: ArrayLike,
        direction: ArrayLike,
        max_distance: float = float("inf"),
        exclude_body: Optional[Id] = None,
    ) -> Tuple[float, Array, int, Array, Gradient]:
        """First hit of one ray: (distance, normal, geom, ddistance, gradient); -1, zeros, -1 for a miss."""
        start, along = array(origin, (3,), "origin"), array(direction, (3,), "direction")
        body = -1 if exclude_body is None else self.model._id("body", exclude_body, "exclude_body")
        normal, by_q = result(None, (3,), "normal"), result(None, (self.model.nv,), "ddistance")
        distance, geom, gradient = ffi.new("double *"), ffi.new("int32_t *"), ffi.new("ds_gradient *")
        given = self._q.fill(q), pointer(start), pointer(along), number(max_distance, "max_distance"), body
        check(lib.ds_sim_ray_cast(self._handle, *given, distance, pointer(normal), geom, pointer(by_q), gradient))
        return distance[0], normal, geom[0], by_q, Gradient(gradient[0])

    # Sensors

    def sensors(self, q: ArrayLike, v: ArrayLike, u: Optional[ArrayLike] = None) -> Array:
        """Values of all sensors at (q, v, u): nsensordata numbers; those of sensor i begin at
        `model.sensor(i).address`. If a sensor needs accelerations or contact forces, `forward` runs first."""
        out: Array = result(None, (self.model.nsensordata,), "data")
        state = self._q.fill(q), self._v.fill(v), self._inputs(u)
        check(lib.ds_sim_sensors(self._handle, *state, pointer(out)))
        return out

    def sensor_jacobians(
        self, q: ArrayLike, v: ArrayLike, u: Optional[ArrayLike] = None
    ) -> Tuple[Array, Array, Array, Gradient]:
        """(ddata_dq, ddata_dv, ddata_du, gradient) of the values of all sensors, nsensordata rows. Raises `UnsupportedError` for
        touch, force and torque sensors under contact load, with penalty contact and an implicit scheme, or if
        redundant rigid contacts leave their values undetermined."""
        m = self.model
        by_q, by_v, by_u = (result(None, (m.nsensordata, n), "out") for n in (m.nv, m.nv, m.nu))
        gradient = ffi.new("ds_gradient *")
        state = self._q.fill(q), self._v.fill(v), self._inputs(u)
        check(lib.ds_sim_sensor_jacobians(self._handle, *state, pointer(by_q), pointer(by_v), pointer(by_u), gradient))
        return by_q, by_v, by_u, Gradient(gradient[0])

    def sensor_vjp(
        self, q: ArrayLike, v: ArrayLike, data_bar: ArrayLike, u: Optional[ArrayLike] = None
    ) -> Tuple[Array, Array, Array, Gradient]:
        """(q_bar, v_bar, u_bar, gradient): the adjoint of the values of all sensors."""
        m = self.model
        bar = array(data_bar, (m.nsensordata,), "data_bar")
        q_bar, v_bar, u_bar = (result(None, (n,), "out") for n in (m.nv, m.nv, m.nu))
        gradient = ffi.new("ds_gradient *")
        state = self._q.fill(q), self._v.fill(v), self._inputs(u), pointer(bar)
        check(lib.ds_sim_sensor_vjp(self._handle, *state, pointer(q_bar), pointer(v_bar), pointer(u_bar), gradient))
        return q_bar, v_bar, u_bar, Gradient(gradient[0])

    def sensor_act_jacobian(self, q: ArrayLike, v: ArrayLike, u: Optional[ArrayLike] = None) -> Tuple[Array, Gradient]:
        """(ddata_dact, gradient): by the activations at the start of a step, nsensordata×na. Raises as `sensor_jacobians`."""
        by_act: Array = result(None, (self.model.nsensordata, self.model.na), "out")
        gradient = ffi.new("ds_gradient *")
        state = self._q.fill(q), self._v.fill(v), self._inputs(u)
        check(lib.ds_sim_sensor_act_jacobian(self._handle, *state, pointer(by_act), gradient))
        return by_act, Gradient(gradient[0])

    def sensor_vjp_act(
        self, q: ArrayLike, v: ArrayLike, data_bar: ArrayLike, u: Optional[ArrayLike] = None
    ) -> Tuple[Array, Array, Array, Array, Gradient]:
        """(q_bar, v_bar, act_bar, u_bar, gradient): as `sensor_vjp`, also by the activations."""
        m = self.model
        bar = array(data_bar, (m.nsensordata,), "data_bar")
        q_bar, v_bar, act_bar, u_bar = out = [result(None, (n,), "out") for n in (m.nv, m.nv, m.na, m.nu)]
        gradient = ffi.new("ds_gradient *")
        state = self._q.fill(q), self._v.fill(v), self._inputs(u), pointer(bar)
        check(lib.ds_sim_sensor_vjp_act(self._handle, *state, *map(pointer, out), gradient))
        return q_bar, v_bar, act_bar, u_bar, Gradient(gradient[0])
