"""Articulated rigid-body simulation with contact in which every output has an exact derivative.

    import diffsim
    model = diffsim.Model.load("robot.urdf", ground_plane=True)
    sim = diffsim.Sim(model, time_step=1e-3)
    q, v = sim.step(q, v, u)
    J = sim.jacobians()          # J.dv_dq, J.dv_du, ...

Conventions are those of the C header: SI units, radians, float64, matrices column-major (order "F").
`q` has `model.nq` entries, `v` and everything that is differentiated by q has `model.nv`: tangent
vectors of ⊕, which is `model.integrate`. Quaternions are (x y z w), a free joint's velocity is a twist
in body axes.
"""

from ._errors import (
    ArgumentTypeError,
    CapacityError,
    DiffsimError,
    FileError,
    InternalError,
    InvalidArgumentError,
    NoStepError,
    NotConvergedError,
    NumericalError,
    ParseError,
    UnknownNameError,
    UnsupportedError,
)
from ._file_settings import FileSettingsWarning
from ._native import lib as _lib, text as _text
from .batch import Batch, Episodes
from .bridge import from_mujoco, to_mujoco
from .builder import Builder, inertia_from_com, inertia_from_log_cholesky, inertia_to_log_cholesky
from .enums import (
    Activation,
    Actuation,
    Base,
    ContactLaw,
    ConvexVariant,
    ContactMode,
    EqualityKind,
    Format,
    FrictionRule,
    ForceKind,
    GeomKind,
    Gradient,
    IkKind,
    IkOutcome,
    IlqrOutcome,
    Integrator,
    JointKind,
    MeshMode,
    Mimic,
    MissingMesh,
    Hydroelastic,
    OpenMesh,
    ParamKind,
    Quantity,
    ReferenceFrame,
    SensorKind,
    SmoothingMethod,
    Status,
    Material,
    PathKind,
    TendonKind,
    ZoneKind,
)
from .activations import ActGradients, ActJacobians
from .asked import ActuatorStates, GeneralizedForces, TendonStates
from .control import Ilqr, IlqrInfo, Uncontrollable, lqr, uncontrollable
from .ik import Ik, IkInfo
from .live import Live
from .model import Model
from .parameters import Param
from .parts import Actuator, Body, Geom, Joint, Sensor, Site
from .problem import Problem, ProblemGradients
from .measured import RayHits
from .recorder import Recorder
from .recording import Recording, RecordingError
from .results import (
    ColumnLabels,
    ContactDerivatives,
    Distance,
    Gradients,
    ImpulseJacobians,
    JacobianPattern,
    SmoothedDistance,
    SmoothingInfo,
    PatchFace,
    StepInfo,
    StepJacobians,
)
from .rollout import Rollout
from .rotations import euler_to_quat, quat_to_euler, quat_to_rotation_vector, rotation_vector_to_quat
from .sim import Sim
from .visuals import Visual, Visuals

__version__ = _text(_lib.ds_version_string())
abi_version = _lib.ds_abi_version()

__all__ = [
    "ActGradients",
    "ActJacobians",
    "Activation",
    "Actuation",
    "ArgumentTypeError",
    "Base",
    "Batch",
    "Body",
    "Builder",
    "CapacityError",
    "Actuator",
    "ActuatorStates",
    "ColumnLabels",
    "ContactDerivatives",
    "TendonStates",
    "ContactLaw",
    "ConvexVariant",
    "ContactMode",
    "DiffsimError",
    "Distance",
    "Episodes",
    "EqualityKind",
    "FileError",
    "FileSettingsWarning",
    "Format",
    "FrictionRule",
    "Geom",
    "ForceKind",
    "GeneralizedForces",
    "GeomKind",
    "Gradient",
    "Gradients",
    "Ik",
    "IkInfo",
    "IkKind",
    "IkOutcome",
    "Ilqr",
    "IlqrInfo",
    "IlqrOutcome",
    "ImpulseJacobians",
    "Integrator",
    "InternalError",
    "InvalidArgumentError",
    "JacobianPattern",
    "Joint",
    "JointKind",
    "Live",
    "MeshMode",
    "Mimic",
    "MissingMesh",
    "Hydroelastic",
    "OpenMesh",
    "Model",
    "NoStepError",
    "NotConvergedError",
    "NumericalError",
    "Param",
    "ParamKind",
    "PatchFace",
    "ParseError",
    "Problem",
    "ProblemGradients",
    "Quantity",
    "Recorder",
    "Recording",
    "RecordingError",
    "Rollout",
    "Sim",
    "Site",
    "SmoothedDistance",
    "SmoothingInfo",
    "ReferenceFrame",
    "Sensor",
    "SensorKind",
    "RayHits",
    "ZoneKind",
    "SmoothingMethod",
    "Status",
    "Material",
    "PathKind",
    "TendonKind",
    "StepInfo",
    "StepJacobians",
    "Uncontrollable",
    "UnknownNameError",
    "UnsupportedError",
    "Visual",
    "Visuals",
    "abi_version",
    "euler_to_quat",
    "from_mujoco",
    "inertia_from_com",
    "inertia_from_log_cholesky",
    "inertia_to_log_cholesky",
    "lqr",
    "quat_to_euler",
    "quat_to_rotation_vector",
    "rotation_vector_to_quat",
    "to_mujoco",
    "uncontrollable",
]
