"""Types of keyword arguments, which `help` explains. Generated from the header by generate.py; do not edit."""

from __future__ import annotations

from typing import Optional, TypedDict, Union

from numpy.typing import ArrayLike

from .enums import (
    Activation,
    ActivationName,
    Actuation,
    ActuationName,
    Base,
    BaseName,
    ContactLaw,
    ContactLawName,
    ConvexVariant,
    ConvexVariantName,
    FrictionRule,
    FrictionRuleName,
    GeomKind,
    GeomKindName,
    Hydroelastic,
    HydroelasticName,
    Integrator,
    IntegratorName,
    Material,
    MaterialName,
    MeshMode,
    MeshModeName,
    Mimic,
    MimicName,
    MissingMesh,
    MissingMeshName,
    OpenMesh,
    OpenMeshName,
    ZoneKind,
    ZoneKindName,
)

#: The id of a body, or its name.
Id = Union[int, str]


class LoadOptions(TypedDict, total=False):
    """Fields of `ds_load_options`."""

    base: Union[Base, BaseName]
    actuation: Union[Actuation, ActuationName]
    ground_plane: int
    mimic: Union[Mimic, MimicName]
    missing_mesh: Union[MissingMesh, MissingMeshName]
    mesh_mode: Union[MeshMode, MeshModeName]
    ground_friction: float
    self_collision: int
    exclude_overlapping: int
    open_mesh: Union[OpenMesh, OpenMeshName]
    keep_inseparable: int
    effort_limits: int
    transmissions: int


class StepOptions(TypedDict, total=False):
    """Fields of `ds_options` that are keyword arguments."""

    time_step: float
    contact: Union[ContactLaw, ContactLawName]
    integrator: Union[Integrator, IntegratorName]
    max_contacts: int
    kp: float
    kd: float
    checkpoint_interval: int
    derivatives: int
    require_convergence: int
    max_push_out: float
    max_push_out_angle: float
    max_work: float
    restitution_threshold: float
    aware_gradient: int
    velocity_limits: int
    newton_tolerance: float
    max_newton: int
    max_depth: float
    friction_rule: Union[FrictionRule, FrictionRuleName]
    convex_variant: Union[ConvexVariant, ConvexVariantName]


class SimOptions(StepOptions, total=False):
    """Fields of `ds_options`."""

    tolerance: float
    max_iterations: int


class ContactOptions(TypedDict, total=False):
    """Fields of `ds_options` that bound the work of the contact solver."""

    tolerance: float
    max_iterations: int


class ProblemOptions(TypedDict, total=False):
    """Fields of `ds_problem_options` that are keyword arguments."""

    tolerance: float
    max_iterations: int


class JointFields(TypedDict, total=False):
    """Fields of `ds_joint_desc` that are keyword arguments."""

    name: Optional[str]
    cyclic: int
    axis: ArrayLike
    axis2: ArrayLike
    anchor: ArrayLike
    reference: float
    damping: float
    stiffness: float
    spring_reference: float
    armature: float
    friction_loss: float
    lower: float
    upper: float
    limit_margin: float
    effort: float
    velocity: float
    axis3: ArrayLike
    friction_coefficient: float
    friction_radius: float
    friction_height: float
    actuator_lower: float
    actuator_upper: float


class GeomFields(TypedDict, total=False):
    """Fields of `ds_geom_desc` that are keyword arguments."""

    name: Optional[str]
    kind: Union[GeomKind, GeomKindName]
    condim: int
    size: ArrayLike
    placement: ArrayLike
    friction: ArrayLike
    contype: int
    conaffinity: int
    priority: int
    mesh_mode: Union[MeshMode, MeshModeName]
    margin: float
    open_mesh: Union[OpenMesh, OpenMeshName]
    restitution: float
    stiffness: float
    dissipation: float
    tangential: float
    gap: float
    hydroelastic: Union[Hydroelastic, HydroelasticName]
    modulus: float
    resolution: float
    hydroelastic_margin: float
    slab_thickness: float


class ActuatorFields(TypedDict, total=False):
    """Fields of `ds_actuator_desc` that are keyword arguments."""

    name: Optional[str]
    gear: ArrayLike
    gain: float
    bias: ArrayLike
    control_lower: float
    control_upper: float
    force_lower: float
    force_upper: float
    gain_slopes: ArrayLike
    activation: Union[Activation, ActivationName]
    act_early: int
    activation_time: ArrayLike
    activation_smoothing: float
    act_lower: float
    act_upper: float
    muscle_active: int
    muscle_passive: int
    muscle_length_range: ArrayLike
    muscle_range: ArrayLike
    muscle_force: float
    muscle_scale: float
    muscle_lmin: float
    muscle_lmax: float
    muscle_vmax: float
    muscle_fpmax: float
    muscle_fvmax: float
    reference_site: Optional[str]


class SpringFields(TypedDict, total=False):
    """Fields of `ds_spring_desc`."""

    name: Optional[str]
    body1: Id
    body2: Id
    anchor1: ArrayLike
    anchor2: ArrayLike
    stiffness: float
    damping: float


class DeformableFields(TypedDict, total=False):
    """Fields of `ds_deformable_desc`."""

    name: Optional[str]
    material: Union[Material, MaterialName]
    condim: int
    density: float
    mass: float
    young: float
    poisson: float
    stiffness: float
    damping: float
    radius: float
    friction: float
    thickness: float


class TendonFields(TypedDict, total=False):
    """Fields of `ds_tendon_desc` that are keyword arguments."""

    name: Optional[str]
    pull_only: int
    stiffness: float
    damping: float
    rest_lower: float
    rest_upper: float
    lower: float
    upper: float
    friction_loss: float


class SensorFields(TypedDict, total=False):
    """Fields of `ds_sensor_desc` that are keyword arguments."""

    name: Optional[str]
    body: Id
    of: Optional[str]
    reference_body: Id
    zone: Union[ZoneKind, ZoneKindName]
    cutoff: float
    field: ArrayLike
    zone_size: ArrayLike


class EqualityFields(TypedDict, total=False):
    """Fields of `ds_equality_desc` that are keyword arguments."""

    name: Optional[str]
    active: int
    body1: Id
    body2: Id
    anchor1: ArrayLike
    anchor2: ArrayLike
    torque_scale: float
    length: float
    joint1: Optional[str]
    joint2: Optional[str]
    coefficients: ArrayLike
    tendon1: Optional[str]
    tendon2: Optional[str]
    dof1: int
    dof2: int


class SmoothingOptions(TypedDict, total=False):
    """Fields of `ds_smoothing` that are keyword arguments."""

    width_q: float
    width_v: float
    width_u: float
    pairs: int
    seed: int
    max_failures: int
    kappa: float
    reach: float


class DistanceSmoothingOptions(TypedDict, total=False):
    """Fields of `ds_distance_smoothing` that are keyword arguments."""

    width_linear: float
    width_angular: float
    pairs: int
    seed: int
