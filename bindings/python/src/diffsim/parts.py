"""Parts of a model, as it tells of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Tuple

from ._native import Array
from .enums import GeomKind, JointKind, SensorKind


@dataclass(frozen=True)
class Body:
    """A body. `placement`: 4×4, in the parent's frame while every joint is at its reference.
    `inertia`: m, m c (3), Ixx, Ixy, Iyy, Ixz, Iyz, Izz about its origin, its own axes.
    `gravity_compensation`: share of its own weight that a force at its centre of mass carries.
    `mocap`: which of the mocap bodies it is, -1 of others."""

    name: str
    parent: int
    placement: Array
    inertia: Array
    gravity_compensation: float
    mocap: int


@dataclass(frozen=True)
class Joint:
    """A joint; its coordinates are q[q_index : q_index + nq], its dofs v[v_index : v_index + nv].
    `limits`: bounds of a one-dof joint [rad or m]. `effort`, `velocity`: what the file says, inf for
    nothing; a step enforces the first where `effort_limits` of the model asks for it, the second where `velocity_limits` of the step does."""

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


@dataclass(frozen=True)
class Geom:
    """A geom. `placement`: 4×4, in the body's frame. `size` [m]: as its kind says, unused ones zero.
    `friction`: sliding, torsional [m], rolling [m]. `restitution`: 0 to 1, of a pair the larger."""

    name: str
    kind: GeomKind
    body: int
    placement: Array
    size: Array
    friction: Array
    restitution: float


@dataclass(frozen=True)
class Site:
    """A named frame. `placement`: 4×4, in the body's frame."""

    name: str
    body: int
    placement: Array


@dataclass(frozen=True)
class Sensor:
    """A sensor, whose `size` numbers begin at `address` among those that all tell."""

    name: str
    kind: SensorKind
    address: int
    size: int
