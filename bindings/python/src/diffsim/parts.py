"""Parts of a model: bodies, joints, geoms, actuators, sites, sensors."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Callable, Dict, Optional, Tuple

import numpy as np
import numpy.typing as npt

from ._native import Array, check, ffi, lib, records_of, text
from .enums import Activation, GeomKind, Hydroelastic, JointKind, SensorKind


@dataclass(frozen=True)
class Body:
    """A body. `placement`: 4×4, in the parent's frame while every joint is at its reference.
    `inertia`: m, m c (3), Ixx, Ixy, Iyy, Ixz, Iyz, Izz about its origin, its own axes; the same as `mass` [kg], `com`, the centre
    of mass in its own axes [m], and `inertia_com`, 3×3 about it [kg m²].
    `gravity_compensation`: share of its weight that a force at its centre of mass carries.
    `mocap`: number among the mocap bodies; -1 for other bodies."""

    name: str
    parent: int
    placement: Array
    inertia: Array
    gravity_compensation: float
    mocap: int

    @property
    def mass(self) -> float:
        """[kg]"""
        return float(self.inertia[0])

    @property
    def com(self) -> Array:
        """The centre of mass, in its own axes [m]; the origin of a body without mass."""
        return self._about_com()[0]

    @property
    def inertia_com(self) -> Array:
        """The rotational inertia about the centre of mass, its own axes: 3×3 [kg m²]."""
        xx, xy, yy, xz, yz, zz = self._about_com()[1]
        return np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])

    def _about_com(self) -> Tuple[Array, Array]:
        com, about = np.zeros(3), np.zeros(6)
        given = ffi.from_buffer("double[]", np.ascontiguousarray(self.inertia))
        check(lib.ds_inertia_to_com(given, ffi.NULL, *(ffi.from_buffer("double[]", x) for x in (com, about))))
        return com, about


@dataclass(frozen=True)
class Joint:
    """A joint; its coordinates are q[q_index : q_index + nq], its dofs v[v_index : v_index + nv].
    `limits`: bounds of a one-dof joint [rad or m]. `effort`, `velocity`: limits of the file, inf if it gives none. A
    step enforces them only with the options `effort_limits` of the model and `velocity_limits` of the step.
    `axis`, `axis2`, `axis3`, `anchor`: of unit length and a point, in the frame of the body that it moves. `damping`, `stiffness`,
    `armature`, `friction_loss`: on every dof [SI]. `spring_reference`: coordinate at which the spring rests.
    `reference`: coordinate at which the body has its placement. `limit_margin`: distance from a limit at which a step
    includes it. `control`: frames n×4×4 of a spline curve,
    vectors 16×6 of a surface, else None. `cyclic`: True if the curve is closed. `friction_coefficient`,
    `friction_radius` [m], `friction_height` [m]: of friction by the load that it carries. `actuator_range`: bounds of the
    sum of its actuators' forces [N m or N]."""

    name: str
    kind: JointKind
    body: int
    q_index: int
    v_index: int
    nq: int
    nv: int
    limits: Tuple[float, float]
    effort: float
    velocity: float
    axis: Array
    axis2: Array
    axis3: Array
    anchor: Array
    damping: float
    stiffness: float
    spring_reference: float
    armature: float
    friction_loss: float
    reference: float
    limit_margin: float
    control: Optional[Array]
    cyclic: bool
    friction_coefficient: float
    friction_radius: float
    friction_height: float
    actuator_range: Tuple[float, float]


@dataclass(frozen=True)
class Geom:
    """A geom. `placement`: 4×4, in the body's frame. `size` [m]: by its kind, unused entries zero. `friction`:
    sliding, torsional [m], rolling [m]. `restitution`: 0 to 1; the larger of a pair counts. `condim`, `contype`, `conaffinity`,
    `priority`, `margin` [m], `gap` [m], `stiffness` [N/m], `dissipation` [s], `tangential` [N s/m],
    `hydroelastic`, `modulus` [Pa], `resolution` [m], `hydroelastic_margin` [m], `slab_thickness` [m]: as `Builder.add_geom` takes them.
    Of a mesh, `vertices`: 3×n [m], `triangles`: 3×m indices; of a height field, `heights` [m]: rows along y, columns along x;
    None of others."""

    name: str
    kind: GeomKind
    body: int
    placement: Array
    size: Array
    friction: Array
    restitution: float
    condim: int
    contype: int
    conaffinity: int
    priority: int
    margin: float
    gap: float
    stiffness: float
    dissipation: float
    tangential: float
    hydroelastic: Hydroelastic
    modulus: float
    resolution: float
    hydroelastic_margin: float
    slab_thickness: float
    vertices: Optional[Array]
    triangles: Optional[npt.NDArray[np.uint32]]
    heights: Optional[Array]


@dataclass(frozen=True)
class Actuator:
    """An actuator, driven by one entry of u. Its force is gain u + bias[0] + bias[1] l + bias[2] dl/dt, within
    `force_range`, with l the length of its transmission and u within `control_range`. See `Builder.add_actuator`.
    It acts on a `joint`, `tendon`, `body` or `site` (a name; the others are None). `gear`: 6 numbers, the force on each
    dof of the joint per unit, or force and torque along the axes of the site or of `reference_site`."""

    name: str
    joint: Optional[str]
    tendon: Optional[str]
    body: Optional[str]
    gear: Array
    gain: float
    bias: Array
    gain_slopes: Array
    control_range: Tuple[float, float]
    force_range: Tuple[float, float]
    activation: Activation
    activation_time: Tuple[float, float]
    activation_range: Tuple[float, float]
    muscle: Dict[str, Any]
    site: Optional[str] = None
    reference_site: Optional[str] = None

    @property
    def kp(self) -> float:
        """The stiffness of a servo: -bias[1]."""
        return 0.0 - float(self.bias[1])

    @property
    def kd(self) -> float:
        """The damping of a servo: -bias[2]."""
        return 0.0 - float(self.bias[2])


@dataclass(frozen=True)
class Site:
    """A named frame. `placement`: 4×4, in the body's frame."""

    name: str
    body: int
    placement: Array


@dataclass(frozen=True)
class Sensor:
    """A sensor. Its `size` values begin at `address` among those of all sensors."""

    name: str
    kind: SensorKind
    address: int
    size: int


def _told(kind: str, function: Callable[..., int], model: Any, of: int) -> Any:
    """Returns a struct that the library fills."""
    out = ffi.new(f"{kind} *")
    getattr(lib, f"{kind}_init")(out)
    check(function(model, of, out))
    return out


def _numbers(x: Any) -> Array:
    return np.array(list(x))


def _matrix(x: Any) -> Array:
    return _numbers(x).reshape((4, 4), order="F")


def body(model: Any, of: int) -> Body:
    b = _told("ds_body_desc", lib.ds_model_body, model, of)
    name = text(b.name) or ""
    return Body(name, b.parent, _matrix(b.placement), _numbers(b.inertia), b.gravity_compensation, b.mocap)


def joint(model: Any, of: int) -> Joint:
    j = _told("ds_joint_desc", lib.ds_model_joint, model, of)
    return Joint(
        text(j.name) or "",
        JointKind(j.kind),
        lib.ds_model_joint_body(model, of),
        lib.ds_model_joint_q_index(model, of),
        lib.ds_model_joint_v_index(model, of),
        lib.ds_model_joint_nq(model, of),
        lib.ds_model_joint_nv(model, of),
        (j.lower, j.upper),
        j.effort,
        j.velocity,
        _numbers(j.axis),
        _numbers(j.axis2),
        _numbers(j.axis3),
        _numbers(j.anchor),
        j.damping,
        j.stiffness,
        j.spring_reference,
        j.armature,
        j.friction_loss,
        j.reference,
        j.limit_margin,
        _control(j),
        bool(j.cyclic),
        j.friction_coefficient,
        j.friction_radius,
        j.friction_height,
        (j.actuator_lower, j.actuator_upper),
    )


def _control(j: Any) -> Optional[Array]:
    surface = j.kind == JointKind.SPLINE_SURFACE
    numbers = records_of(j.control, j.control_count * (6 if surface else 16), np.float64)
    if numbers is None or surface:
        return None if numbers is None else numbers.reshape((-1, 6))
    return np.ascontiguousarray(numbers.reshape((-1, 4, 4)).transpose(0, 2, 1))


def geom(model: Any, of: int) -> Geom:
    g = _told("ds_geom_desc", lib.ds_model_geom, model, of)
    heights = records_of(g.heights, g.columns * g.rows, np.float64)
    return Geom(
        text(g.name) or "",
        GeomKind(g.kind),
        lib.ds_model_geom_body(model, of),
        _matrix(g.placement),
        _numbers(g.size),
        _numbers(g.friction),
        g.restitution,
        g.condim,
        g.contype,
        g.conaffinity,
        g.priority,
        g.margin,
        g.gap,
        g.stiffness,
        g.dissipation,
        g.tangential,
        Hydroelastic(g.hydroelastic),
        g.modulus,
        g.resolution,
        g.hydroelastic_margin,
        g.slab_thickness,
        _columns(records_of(g.vertices, 3 * g.vertex_count, np.float64)),
        _columns(records_of(g.triangles, 3 * g.triangle_count, np.uint32)),
        None if heights is None else heights.reshape((g.rows, g.columns)),
    )


def _columns(x: Any) -> Any:
    return None if x is None else x.reshape((3, -1), order="F")


_MUSCLE = ("active", "passive", "length_range", "range", "force", "scale", "lmin", "lmax", "vmax", "fpmax", "fvmax")


def actuator(model: Any, of: int) -> Actuator:
    a = _told("ds_actuator_desc", lib.ds_model_actuator, model, of)
    muscle: Dict[str, Any] = {}
    if a.muscle_active or a.muscle_passive:
        fields = {f"muscle_{name}": getattr(a, f"muscle_{name}") for name in _MUSCLE}
        muscle = {name: tuple(x) if isinstance(x, ffi.CData) else x for name, x in fields.items()}
    return Actuator(
        text(a.name) or "",
        text(a.joint),
        text(a.tendon),
        text(a.body),
        _numbers(a.gear),
        a.gain,
        _numbers(a.bias),
        _numbers(a.gain_slopes),
        (a.control_lower, a.control_upper),
        (a.force_lower, a.force_upper),
        Activation(a.activation),
        (a.activation_time[0], a.activation_time[1]),
        (a.act_lower, a.act_upper),
        muscle,
        text(a.site),
        text(a.reference_site),
    )
