"""The enumerations of the C interface, with its numbers."""

from enum import IntEnum
from typing import Dict, Literal, Type


class Named(IntEnum):
    """A number with a name, which is what is printed: as arguments take it, in small letters."""

    def __str__(self) -> str:
        return self.name.lower()

    def __format__(self, how: str) -> str:
        try:
            return format(str(self), how)
        except ValueError:
            return format(int(self), how)


class Status(Named):
    """Outcome of a call."""

    OK = 0
    INVALID_ARGUMENT = 1
    IO = 2
    PARSE = 3
    UNSUPPORTED = 4
    CAPACITY = 5
    NOT_CONVERGED = 6
    NUMERICAL = 7
    NO_STEP = 8
    INTERNAL = 9


class Gradient(Named):
    """What a derivative of a step is: of the step, of one side of a switch, smoothed on request, or
    none, because the step was not solved."""

    EXACT = 0
    ONE_SIDED = 1
    SMOOTHED = 2
    REFUSED = 3


class ContactMode(Named):
    """Which constraint of a contact holds."""

    BREAKING = 0
    STICKING = 1
    SLIDING = 2
    UNKNOWN = 3


class Format(Named):
    """Format of a description."""

    URDF = 0
    MJCF = 1


class Base(Named):
    """How the robot hangs on the world."""

    FROM_FILE = 0
    FIXED = 1
    FREE = 2


class Actuation(Named):
    """How the inputs u act: by the file's actuators, one generalized force for each dof, or one for each dof but those
    of a floating base."""

    FROM_FILE = 0
    FULL = 1
    JOINTS = 2


class Activation(Named):
    """How the activation of an actuator follows its input."""

    NONE = 0
    INTEGRATOR = 1
    FILTER = 2
    FILTER_EXACT = 3
    MUSCLE = 4


class Mimic(Named):
    """What to do with a URDF joint that follows another one."""

    ERROR = 0
    INDEPENDENT = 1
    COUPLE = 2


class MissingMesh(Named):
    """What to do with a URDF collision geometry whose mesh file is not found."""

    ERROR = 0
    SKIP = 1


class MeshMode(Named):
    """How meshes collide: as their convex hulls, or as unions of convex pieces."""

    HULL = 0
    DECOMPOSED = 1


class OpenMesh(Named):
    """What to do with a mesh that is open and so bounds no solid: refuse it, or let it collide as its
    convex hull, with a warning."""

    ERROR = 0
    HULL = 1


class Hydroelastic(Named):
    """How a geom takes part in hydroelastic contact: not, by its surface, or by a pressure field inside."""

    NONE = 0
    RIGID = 1
    COMPLIANT = 2


class JointKind(Named):
    """How a joint moves."""

    FIXED = 0
    REVOLUTE = 1
    CONTINUOUS = 2
    PRISMATIC = 3
    SPHERICAL = 4
    FREE = 5
    PLANAR_TRANSLATION = 6
    TRANSLATION = 7
    PLANAR = 8
    UNIVERSAL = 9
    SPLINE_CURVE = 10
    SPLINE_SURFACE = 11
    EULER = 12


class GeomKind(Named):
    """Shape of a geom."""

    PLANE = 0
    SPHERE = 1
    CAPSULE = 2
    CYLINDER = 3
    ELLIPSOID = 4
    BOX = 5
    MESH = 6
    HEIGHT_FIELD = 7


class ContactLaw(Named):
    """The contact law of a step."""

    NCP = 0
    LCP = 1
    CONVEX = 2
    PENALTY = 3
    NONE = 4


class Integrator(Named):
    """The time-stepping scheme."""

    SYMPLECTIC_EULER = 0
    IMPLICIT_EULER = 1
    MIDPOINT = 2
    BDF1 = 3
    BDF2 = 4
    SYMPLECTIC_EULER_WORLD = 5
    SDIRK2 = 6
    FROM_MODEL = 7


class ParamKind(Named):
    """What a parameter is; the header says what its index and component mean."""

    BODY_INERTIA = 0
    GEOM_FRICTION = 1
    GEOM_RESTITUTION = 2
    CONTACT_STIFFNESS = 3
    CONTACT_DISSIPATION = 4
    JOINT_DAMPING = 5
    JOINT_STIFFNESS = 6
    JOINT_ARMATURE = 7
    JOINT_PLACEMENT = 8
    GEOM_SIZE = 9
    SPRING = 10
    GRAVITY = 11
    JOINT_SPRING_REFERENCE = 12
    JOINT_FRICTION = 13
    EXTERNAL_WRENCH = 14
    STABILIZATION = 15
    CONTACT_TANGENTIAL = 16
    TENDON = 17
    PRESCRIBED = 18
    ACTUATOR_GAIN = 19
    HYDROELASTIC_MODULUS = 20
    SPLINE_FRAME = 22
    DEFORMABLE = 24


class EqualityKind(Named):
    """What an equality holds."""

    CONNECT = 0
    WELD = 1
    DISTANCE = 2
    JOINT = 3
    TENDON = 4


class TendonKind(Named):
    """What the length of a tendon is: a sum of joints' coordinates, or that of a path through points of bodies."""

    FIXED = 0
    SPATIAL = 1


class Material(Named):
    """The law of the stress in tetrahedra of a deformable body."""

    NEO_HOOKEAN = 0
    COROTATED = 1


class PathKind(Named):
    """What a station of a spatial tendon's path is: a point, a solid that the path bends around, or a pulley."""

    POINT = 0
    SPHERE = 1
    CYLINDER = 2
    PULLEY = 3


class Quantity(Named):
    """By what a gradient that a recording shows is: the tangent of q, v or u."""

    POSE = 0
    VELOCITY = 1
    CONTROL = 2


class ReferenceFrame(Named):
    """In which frame the motion of a frame on a body is given. LOCAL: along its own axes, velocity of its origin. WORLD:
    along the world's axes, velocity of the body's point that is now at the world's origin. LOCAL_WORLD_ALIGNED: along the
    world's axes, velocity of the frame's origin. An acceleration is the rate of the velocity's six numbers."""

    LOCAL = 0
    WORLD = 1
    LOCAL_WORLD_ALIGNED = 2


class IkKind(Named):
    """What a task of inverse kinematics is about."""

    FRAME = 0
    CENTER_OF_MASS = 1
    POSTURE = 2


class IkOutcome(Named):
    """How a search of inverse kinematics ended. STATIONARY: at a local least at which something is not within its
    tolerance. ITERATIONS: none was reached."""

    SOLVED = 0
    STATIONARY = 1
    ITERATIONS = 2


class IlqrOutcome(Named):
    """How a solve of a plan ended. STUCK: no share of the promised change lowers the cost, a switch of contacts is near.
    ITERATIONS: a plan in progress."""

    CONVERGED = 0
    STUCK = 1
    ITERATIONS = 2


class ForceKind(Named):
    """Kinds of forces, each a bit: they add up to sets, as PASSIVE (what acts by itself, without contact) and ALL are."""

    JOINT_SPRING = 1
    JOINT_DAMPER = 2
    GRAVITY_COMPENSATION = 4
    TENDON = 8
    FLUID = 16
    ACTUATOR = 32
    CONTACT = 64
    EXTERNAL = 128
    PASSIVE = 31
    ALL = 255


class SensorKind(Named):
    """What a sensor tells. Quaternions are (x y z w)."""

    FRAME_POSITION = 0
    FRAME_QUATERNION = 1
    FRAME_X_AXIS = 2
    FRAME_Y_AXIS = 3
    FRAME_Z_AXIS = 4
    FRAME_LINEAR_VELOCITY = 5
    FRAME_ANGULAR_VELOCITY = 6
    FRAME_LINEAR_ACCELERATION = 7
    FRAME_ANGULAR_ACCELERATION = 8
    GYRO = 9
    VELOCIMETER = 10
    ACCELEROMETER = 11
    MAGNETOMETER = 12
    RANGEFINDER = 13
    TOUCH = 14
    FORCE = 15
    TORQUE = 16
    JOINT_POSITION = 17
    JOINT_VELOCITY = 18
    BALL_QUATERNION = 19
    BALL_ANGULAR_VELOCITY = 20
    JOINT_ACTUATOR_FORCE = 21
    TENDON_POSITION = 22
    TENDON_VELOCITY = 23
    ACTUATOR_POSITION = 24
    ACTUATOR_VELOCITY = 25
    ACTUATOR_FORCE = 26
    SUBTREE_CENTER = 27
    SUBTREE_LINEAR_VELOCITY = 28
    SUBTREE_ANGULAR_MOMENTUM = 29
    JOINT_LIMIT_POSITION = 30
    JOINT_LIMIT_VELOCITY = 31
    JOINT_LIMIT_FORCE = 32
    TENDON_LIMIT_POSITION = 33
    TENDON_LIMIT_VELOCITY = 34
    TENDON_LIMIT_FORCE = 35


class ZoneKind(Named):
    """What a touch sensor feels in."""

    SPHERE = 0
    CAPSULE = 1
    ELLIPSOID = 2
    CYLINDER = 3
    BOX = 4


class SmoothingMethod(Named):
    """How a derivative is smoothed."""

    FIRST_ORDER = 0
    ZEROTH_ORDER = 1
    CENTRAL_PATH = 2


#: The fields of structs that are enumerations, by the struct's name.
CHOICES: Dict[str, Dict[str, Type[IntEnum]]] = {
    "ds_load_options": {
        "base": Base,
        "actuation": Actuation,
        "mimic": Mimic,
        "missing_mesh": MissingMesh,
        "mesh_mode": MeshMode,
        "open_mesh": OpenMesh,
    },
    "ds_options": {"contact": ContactLaw, "integrator": Integrator},
    "ds_problem_options": {"law": ContactLaw},
    "ds_ik_task": {"kind": IkKind},
    "ds_ik_info": {"outcome": IkOutcome},
    "ds_ilqr_info": {"outcome": IlqrOutcome},
    "ds_joint_desc": {"kind": JointKind},
    "ds_visual": {"kind": GeomKind},
    "ds_geom_desc": {"kind": GeomKind, "mesh_mode": MeshMode, "open_mesh": OpenMesh, "hydroelastic": Hydroelastic},
    "ds_actuator_desc": {"activation": Activation},
    "ds_tendon_desc": {"kind": TendonKind},
    "ds_deformable_desc": {"material": Material},
    "ds_sensor_desc": {"kind": SensorKind, "zone": ZoneKind},
    "ds_equality_desc": {"kind": EqualityKind},
    "ds_smoothing": {"method": SmoothingMethod},
    "ds_distance_smoothing": {"method": SmoothingMethod},
    "ds_param": {"kind": ParamKind},
}

# Names of the enumerations that arguments may be given by.
FormatName = Literal["urdf", "mjcf"]
BaseName = Literal["from_file", "fixed", "free"]
ActuationName = Literal["from_file", "full", "joints"]
ActivationName = Literal["none", "integrator", "filter", "filter_exact", "muscle"]
MimicName = Literal["error", "independent", "couple"]
MissingMeshName = Literal["error", "skip"]
MeshModeName = Literal["hull", "decomposed"]
OpenMeshName = Literal["error", "hull"]
HydroelasticName = Literal["none", "rigid", "compliant"]
JointKindName = Literal[
    "fixed",
    "revolute",
    "continuous",
    "prismatic",
    "spherical",
    "free",
    "planar_translation",
    "translation",
    "planar",
    "universal",
    "spline_curve",
    "spline_surface",
    "euler",
]
GeomKindName = Literal["plane", "sphere", "capsule", "cylinder", "ellipsoid", "box", "mesh", "height_field"]
ContactLawName = Literal["ncp", "lcp", "convex", "penalty", "none"]
IntegratorName = Literal[
    "symplectic_euler", "implicit_euler", "midpoint", "bdf1", "bdf2", "symplectic_euler_world", "sdirk2", "from_model"
]
ParamKindName = Literal[
    "body_inertia",
    "geom_friction",
    "geom_restitution",
    "contact_stiffness",
    "contact_dissipation",
    "joint_damping",
    "joint_stiffness",
    "joint_armature",
    "joint_placement",
    "geom_size",
    "spring",
    "gravity",
    "joint_spring_reference",
    "joint_friction",
    "external_wrench",
    "stabilization",
    "contact_tangential",
    "tendon",
    "prescribed",
    "actuator_gain",
    "hydroelastic_modulus",
    "spline_frame",
    "deformable",
]
MaterialName = Literal["neo_hookean", "corotated"]
PathKindName = Literal["point", "sphere", "cylinder", "pulley"]
EqualityKindName = Literal["connect", "weld", "distance", "joint", "tendon"]
QuantityName = Literal["pose", "velocity", "control"]
ForceKindName = Literal[
    "joint_spring",
    "joint_damper",
    "gravity_compensation",
    "tendon",
    "fluid",
    "actuator",
    "contact",
    "external",
    "passive",
    "all",
]
SensorKindName = Literal[
    "frame_position",
    "frame_quaternion",
    "frame_x_axis",
    "frame_y_axis",
    "frame_z_axis",
    "frame_linear_velocity",
    "frame_angular_velocity",
    "frame_linear_acceleration",
    "frame_angular_acceleration",
    "gyro",
    "velocimeter",
    "accelerometer",
    "magnetometer",
    "rangefinder",
    "touch",
    "force",
    "torque",
    "joint_position",
    "joint_velocity",
    "ball_quaternion",
    "ball_angular_velocity",
    "joint_actuator_force",
    "tendon_position",
    "tendon_velocity",
    "actuator_position",
    "actuator_velocity",
    "actuator_force",
    "subtree_center",
    "subtree_linear_velocity",
    "subtree_angular_momentum",
    "joint_limit_position",
    "joint_limit_velocity",
    "joint_limit_force",
    "tendon_limit_position",
    "tendon_limit_velocity",
    "tendon_limit_force",
]
ZoneKindName = Literal["sphere", "capsule", "ellipsoid", "cylinder", "box"]
SmoothingMethodName = Literal["first_order", "zeroth_order", "central_path"]
ReferenceFrameName = Literal["local", "world", "local_world_aligned"]
