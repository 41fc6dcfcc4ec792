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

from ._native import (
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
    UnsupportedError,
    lib as _lib,
    text as _text,
)
from .batch import Batch
from .builder import Builder, inertia_from_com
from .enums import (
    Actuation,
    Base,
    ContactLaw,
    ContactMode,
    EqualityKind,
    Format,
    GeomKind,
    Gradient,
    Integrator,
    JointKind,
    MeshMode,
    Mimic,
    MissingMesh,
    OpenMesh,
    ParamKind,
    Quantity,
    SmoothingMethod,
    Status,
    TendonKind,
)
from .live import Live
from .model import Body, Geom, Joint, Model, Site
from .parameters import Param
from .problem import Problem, ProblemGradients
from .recorder import Recorder
from .recording import Recording, RecordingError
from .rollout import Rollout
from .sim import (
    ContactDerivatives,
    Distance,
    Gradients,
    ImpulseJacobians,
    JacobianPattern,
    Sim,
    SmoothedDistance,
    SmoothingInfo,
    StepInfo,
    StepJacobians,
)

__version__ = _text(_lib.ds_version_string())
abi_version = _lib.ds_abi_version()

__all__ = [
    "Actuation",
    "ArgumentTypeError",
    "Base",
    "Batch",
    "Body",
    "Builder",
    "CapacityError",
    "ContactDerivatives",
    "ContactLaw",
    "ContactMode",
    "DiffsimError",
    "Distance",
    "EqualityKind",
    "FileError",
    "Format",
    "Geom",
    "GeomKind",
    "Gradient",
    "Gradients",
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
    "OpenMesh",
    "Model",
    "NoStepError",
    "NotConvergedError",
    "NumericalError",
    "Param",
    "ParamKind",
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
    "SmoothingMethod",
    "Status",
    "TendonKind",
    "StepInfo",
    "StepJacobians",
    "UnsupportedError",
    "abi_version",
    "inertia_from_com",
]
