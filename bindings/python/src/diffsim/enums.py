"""The enumerations of the C interface, with its numbers."""

from enum import IntEnum


class Status(IntEnum):
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


class Gradient(IntEnum):
    """What a derivative of a step is: of the step, of one side of a switch, smoothed on request, or
    none, because the step was not solved."""

    EXACT = 0
    ONE_SIDED = 1
    SMOOTHED = 2
    REFUSED = 3


class ContactMode(IntEnum):
    """Which constraint of a contact holds."""

    BREAKING = 0
    STICKING = 1
    SLIDING = 2
    UNKNOWN = 3


class Format(IntEnum):
    """Format of a description."""

    URDF = 0
    MJCF = 1


class Base(IntEnum):
    """How the robot hangs on the world."""

    FROM_FILE = 0
    FIXED = 1
    FREE = 2


class Actuation(IntEnum):
    """How the inputs u act: by the file's actuators, or one generalized force for each dof."""

    FROM_FILE = 0
    FULL = 1


class Mimic(IntEnum):
    """What to do with a URDF joint that follows another one."""

    ERROR = 0
    INDEPENDENT = 1
    COUPLE = 2


class MissingMesh(IntEnum):
    """What to do with a URDF collision geometry whose mesh file is not found."""

    ERROR = 0
    SKIP = 1


class MeshMode(IntEnum):
    """How meshes collide: as their convex hulls, or as unions of convex pieces."""

    HULL = 0
    DECOMPOSED = 1


class OpenMesh(IntEnum):
    """What to do with a mesh that is open and so bounds no solid: refuse it, or let it collide as its
    convex hull, with a warning."""

    ERROR = 0
    HULL = 1


class JointKind(IntEnum):
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


class GeomKind(IntEnum):
    """Shape of a geom."""

    PLANE = 0
    SPHERE = 1
    CAPSULE = 2
    CYLINDER = 3
    ELLIPSOID = 4
    BOX = 5
    MESH = 6
    HEIGHT_FIELD = 7


class ContactLaw(IntEnum):
    """The contact law of a step."""

    NCP = 0
    LCP = 1
    CONVEX = 2
    PENALTY = 3
    NONE = 4


class Integrator(IntEnum):
    """The time-stepping scheme."""

    SYMPLECTIC_EULER = 0
    IMPLICIT_EULER = 1
    MIDPOINT = 2
    BDF1 = 3
    BDF2 = 4
    SYMPLECTIC_EULER_WORLD = 5
    SDIRK2 = 6


class ParamKind(IntEnum):
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


class EqualityKind(IntEnum):
    """What an equality holds."""

    CONNECT = 0
    WELD = 1
    DISTANCE = 2
    JOINT = 3


class TendonKind(IntEnum):
    """What the length of a tendon is: a sum of joints' coordinates, or that of a path through points of bodies."""

    FIXED = 0
    SPATIAL = 1


class Quantity(IntEnum):
    """By what a gradient that a recording shows is: the tangent of q, v or u."""

    POSE = 0
    VELOCITY = 1
    CONTROL = 2


class SmoothingMethod(IntEnum):
    """How a derivative is smoothed."""

    FIRST_ORDER = 0
    ZEROTH_ORDER = 1
    CENTRAL_PATH = 2
