"""The enumerations of the C interface, with its numbers. Generated from the header by generate.py; do not edit."""

from typing import Dict, Literal, Type

from ._named import Named


class Status(Named):
    """Outcome of a fallible call. The numbers never change and are never reused.

    OK: Done.
    INVALID_ARGUMENT: An argument is null, of the wrong size, out of range, or contradicts another.
    IO: A file cannot be read or written.
    PARSE: A file violates its format.
    UNSUPPORTED: The request is valid, but this version does not support it.
    CAPACITY: A capacity chosen at creation is too small, or there is not enough memory.
    NOT_CONVERGED: The contact solver stopped above its tolerance.
    NUMERICAL: An argument or a result is not finite.
    NO_STEP: A result of a step was asked for before any step.
    INTERNAL: A defect of the library; the message says where. Please report it.
    """

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


class Base(Named):
    """How the robot is attached to the world.

    FROM_FILE: As the file says.
    FIXED: Free joints between bodies and the world are removed. The bodies stay at their placements in the file.
    FREE: The one body with mass that is welded to the world gets a free joint named "root_joint". Nothing changes
        if all bodies are free already.
    """

    FROM_FILE = 0
    FIXED = 1
    FREE = 2


class Actuation(Named):
    """The meaning of the inputs u.

    FROM_FILE: Inputs of the actuators of the file. A URDF has the actuators of its transmissions if
        ds_load_options.transmissions is 1, otherwise none: nu = 0.
    FULL: One input for each dof: nu = nv, and u is the generalized force.
    JOINTS: One input for each dof, except on free joints and on joints of several dofs (planar, spherical) that
        connect a body to the world. One-dof joints on the world do have inputs: an arm's first joint, and also a
        base made of slides and hinges.
    """

    FROM_FILE = 0
    FULL = 1
    JOINTS = 2


class Mimic(Named):
    """How to treat a joint that follows another joint.

    ERROR: Refuse the file.
    INDEPENDENT: Let it move independently, with a warning.
    COUPLE: Couple it to its leader by an equality constraint of the same name: q = multiplier * q_leader + offset.
        "penalty" refuses equality constraints.
    REDUCE: Give both one coordinate, that of the leader: nq and nv do not count the follower, and no constraint is
        needed. Also for equalities of two joints of MJCF with coefficients up to degree 1 (see
        ds_builder_add_reduction).
    """

    ERROR = 0
    INDEPENDENT = 1
    COUPLE = 2
    REDUCE = 3


class MissingMesh(Named):
    """How to treat a URDF collision geometry whose mesh file is not found.

    ERROR: Refuse the file.
    SKIP: Leave the geometry out, with a warning.
    """

    ERROR = 0
    SKIP = 1


class MeshMode(Named):
    """How meshes collide.

    HULL: As their convex hulls.
    DECOMPOSED: As unions of convex pieces found at load.
    """

    HULL = 0
    DECOMPOSED = 1


class OpenMesh(Named):
    """How to treat an open mesh, which bounds no solid. A mesh is open if its holes make up more than a thousandth
    of its surface; with "decomposed", if any edge belongs to one triangle only. Geoms that the filters exclude from
    all contact are not checked.

    ERROR: Refuse it.
    HULL: Let it collide as its convex hull, with a warning.
    """

    ERROR = 0
    HULL = 1


class Format(Named):
    """Format of a description."""

    URDF = 0
    MJCF = 1


class JointKind(Named):
    """Motion of a joint. In brackets: the numbers of entries in q and v.

    FIXED: No motion: a named weld. (0, 0)
    REVOLUTE: Rotation about the axis [rad]. (1, 1)
    CONTINUOUS: As revolute, without limits. (1, 1)
    PRISMATIC: Translation along the axis [m]. (1, 1)
    SPHERICAL: Quaternion (x y z w); angular velocity in body axes. (4, 3)
    FREE: Position and quaternion (x y z, qx qy qz qw); twist in body axes (linear; angular). (7, 6)
    PLANAR_TRANSLATION: Translations along two directions perpendicular to the axis. (2, 2)
    TRANSLATION: Translations along x, y, z. (3, 3)
    PLANAR: Translations in the plane perpendicular to the axis, then the rotation about it. (3, 3)
    UNIVERSAL: Rotation about the axis, then about a second one that the first carries along. (2, 2)
    SPLINE_CURVE: Along a curve: a cubic B-spline of the control frames in cumulative form. The coordinate grows by
        1 from one frame to the next: q = i is near frame i. An open curve passes through its first frame at 0 and
        its last at count - 1; beyond them it goes on as a uniform screw motion. (1, 1)
    SPLINE_SURFACE: On a patch of a surface: translations along x, y, z, then rotations about x, y, z, each a
        bicubic B-spline of two coordinates, from 0 to 1 within the patch. (2, 2)
    EULER: Rotations about three axes, each carried along by those before it [rad]. Where all three are in one
        plane, a direction of rotation is lost: ds_step_info.near_singular. (3, 3)
    """

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
    """Shape of a geom, along and about its own axes. In brackets: its sizes [m].

    PLANE: The half space z <= 0 (half extents of the drawing along x and y; 0: unbounded).
    SPHERE: (radius)
    CAPSULE: Along z (radius, half length of the cylindrical part).
    CYLINDER: Along z (radius, half length).
    ELLIPSOID: (semi-axes along x, y, z)
    BOX: (half extents along x, y, z)
    MESH: Triangles; no sizes.
    HEIGHT_FIELD: (half extents along x and y, thickness below height 0)
    """

    PLANE = 0
    SPHERE = 1
    CAPSULE = 2
    CYLINDER = 3
    ELLIPSOID = 4
    BOX = 5
    MESH = 6
    HEIGHT_FIELD = 7


class ContactLaw(Named):
    """The contact law of a step.

    NCP: Rigid contact with the exact Coulomb cone.
    LCP: Rigid contact with a friction pyramid, a boxed linear complementarity problem. The two tangents of a
        contact are independent: along each, friction is at most the coefficient times the normal impulse.
        ds_contact.at_bound reports along which tangents the contact slides.
    CONVEX: Compliant contact as a convex problem, which always has exactly one solution. Use it for piles, and for
        contacts with a stiffness ("contact_stiffness", "contact_dissipation"). Limits, dry friction and equalities
        are slightly compliant too, with the period of one time step. Sliding contacts keep a gap of friction × h ×
        speed; a contact with a much larger gap has no friction. kp and kd must be 0.
    PENALTY: Contacts and joint limits are springs and dampers. They are explicit with the symplectic integrators:
        then h² k + h d < 2 m must roughly hold for the mass m that moves at a contact of stiffness k and damping d.
        They are implicit with "bdf1", "bdf2" and "sdirk2". "unsupported" for joints with dry friction, equalities,
        and tendons with bounds or dry friction. kp and kd must be 0.
    NONE: No contacts, limits, dry friction or equality constraints.
    """

    NCP = 0
    LCP = 1
    CONVEX = 2
    PENALTY = 3
    NONE = 4


class Integrator(Named):
    """The time-stepping scheme.

    SYMPLECTIC_EULER: v+ = v + h a, q+ = q ⊕ h v+, with implicit joint damping and joint springs. The velocity of a
        free joint is in the body's own axes. While these rotate at w, its linear part grows by the share (h w)²/2
        in each step.
    IMPLICIT_EULER: Forces at the end of an impulse-free step, found by Newton's method: M(q*)(v* - v) = h (f -
        b)(q*, v*, u) with q* = q ⊕ h v*. Then impulses act through M(q*) plus the implicit terms of joint springs
        and dampers, with any contact law, and q+ = q ⊕ h v+. First order; stiff forces are damped. Free joints keep
        their linear velocity in world axes, here and in "midpoint".
    MIDPOINT: Same as "implicit_euler", with the forces at the middle of the step, at q ⊕ h/4 (v + v*) and (v +
        v*)/2, and with q+ = q ⊕ h/2 (v + v+). Second order while impulses vary smoothly. It adds no numerical
        damping: stiff modes continue to oscillate.
    BDF1: Implicit Euler with the forces at the end of the step, found by Newton's method: M(q+)(v+ - v) = h (f -
        b)(q+, v+, u), q+ = q ⊕ h v+. First order; stiff forces are damped. Free joints keep their linear velocity
        in world axes, here and in BDF2 and SDIRK2. Needs "none" or "penalty"; penalty forces are implicit too.
    BDF2: The backward differentiation formula of second order, from the last two states. The first step is an
        SDIRK2 step. Only for ds_rollout_*: a single step has no previous state and is "unsupported". Contact laws
        as for BDF1.
    SYMPLECTIC_EULER_WORLD: Same as "symplectic_euler", but free joints keep their linear velocity in world axes, as
        in MuJoCo and Drake: a spinning body flies straight, and a rolling body stays on the ground. v+ is in the
        axes at the end of the step, as always. The centre of mass of a free body moves on a straight line wherever
        its frame is. Without torque the body keeps its angular momentum, and its energy stays in a band; so does a
        body on a ball joint that carries no other bodies.
    SDIRK2: Two implicit stages like those of BDF1. Second order; stiff forces are damped as by BDF1. Contact laws
        as for BDF1.
    FROM_MODEL: The integrator nearest to that of the model's file. MuJoCo's Euler and implicitfast, and files that
        name none, give "symplectic_euler_world"; implicit gives "implicit_euler"; RK4 gives "midpoint". All of
        these work with every contact law. ds_sim_integrator returns the result.
    """

    SYMPLECTIC_EULER = 0
    IMPLICIT_EULER = 1
    MIDPOINT = 2
    BDF1 = 3
    BDF2 = 4
    SYMPLECTIC_EULER_WORLD = 5
    SDIRK2 = 6
    FROM_MODEL = 7


class FrictionRule(Named):
    """How the sliding friction of two geoms of equal priority combines. Of torsional and rolling coefficients,
    which are lengths, the larger one counts with every rule.

    LARGER: The larger one, as in MuJoCo.
    HARMONIC: 2 mu1 mu2 / (mu1 + mu2), as in Drake.
    PRODUCT: mu1 mu2.
    """

    LARGER = 0
    HARMONIC = 1
    PRODUCT = 2


class ConvexVariant(Named):
    """The friction of "convex".

    SAP: The normal impulse of the step bounds friction. A contact that slides opens at friction × speed, and glides
        at a gap of friction × h × speed.
    LAGGED: Drake's default, lagged: friction is at most friction × h k max(-gap - dissipation × speed, 0) at the
        state before the step, for the contact's stiffness k. Sliding contacts do not open. A contact that closes in
        the step has no friction yet. It does not depend on earlier steps. Jacobians take one direction per column.
        "unsupported" with other laws, with torsional or rolling friction, for derivatives of "implicit_euler" and
        "midpoint", and for those of the inverse of a step.
    SIMILAR: Drake's similar: the normal impulse of the step bounds friction, which grows smoothly with the slip and
        reaches 70 % of its bound at 1e-4 m/s. Contacts that stick creep more slowly than this; contacts that slide
        glide as with "sap". The derivative has no switch between sticking and sliding. "unsupported" with other
        laws, and with torsional or rolling friction.
    """

    SAP = 0
    LAGGED = 1
    SIMILAR = 2


class Gradient(Named):
    """The label of a derivative of a step (docs/gradients.md).

    EXACT: The derivative of the step as computed.
    ONE_SIDED: The derivative of one side of a switch. When you ask for a derivative, the two sides are compared;
        the label is ONE_SIDED only if they differ. Also reported in these cases, which are found only when you ask
        for a derivative: - The geometry of a contact has no unique derivative here. The undetermined part is left
        out. - Redundant constraints are consistent at this state but not at nearby ones (four corners of a box that
        rocks while it is level). The derivative is that of the motions for which they are consistent. - Constraints
        are nearly dependent, so that round-off decides which solution the step is near. - A selected friction
        coefficient equals that of the other geom of a pair, and the larger of the two counts.
    SMOOTHED: A smoothed derivative, computed on request.
    REFUSED: No derivative is given. If the contact problem was not solved to the tolerance, asking for a derivative
        is "not_converged". Two further cases are found only when you ask for a derivative; they are "numerical": -
        Constraints are so nearly dependent that the derivative would be round-off: JVPs and VJPs would differ by
        more than 1e-6. - Forces are so stiff compared with the inertia they act on that the solution keeps only
        five digits.
    """

    EXACT = 0
    ONE_SIDED = 1
    SMOOTHED = 2
    REFUSED = 3


class ContactMode(Named):
    """The branch of the contact law that a contact is on.

    BREAKING: No impulse.
    STICKING: No relative motion.
    SLIDING: Sliding against friction, or touching without friction.
    UNKNOWN: Not known: the solver stopped early, or no contact problem was solved (ds_sim_collide).
    """

    BREAKING = 0
    STICKING = 1
    SLIDING = 2
    UNKNOWN = 3


class ParamKind(Named):
    """Kind of a parameter. It decides the meaning of a ds_param's index and component.

    BODY_INERTIA: index: body; component 0 to 9: m, m cx, m cy, m cz, Ixx, Ixy, Iyy, Ixz, Iyz, Izz about the body's
        origin.
    GEOM_FRICTION: index: geom; component 0: sliding, 1: torsional [m], 2: rolling [m]. The last two apply to
        contacts of condim 4 and 6.
    GEOM_RESTITUTION: index: geom; component 0: coefficient of restitution, in [0, 1]. The larger one of a pair
        counts. With "ncp" and "lcp".
    CONTACT_STIFFNESS: index: geom; component 0 [N/m], greater than 0. As loaded it is ds_geom_desc.stiffness,
        infinite by default; infinite means as rigid as a step resolves. The stiffnesses of two geoms act in series.
        With "convex" and "penalty". With "penalty" a moving geom has, instead of an infinite stiffness, 10⁴ N/m per
        kg of its tree, and ds_sim_get_params returns this value.
    CONTACT_DISSIPATION: index: geom; component 0 [s], at least 0. As loaded it is ds_geom_desc.dissipation, 0.01 by
        default. The sum over the two geoms is the time in which a penetration is removed. With "convex" and
        "penalty".
    JOINT_DAMPING: index: joint; component: dof of the joint [N s/m or N m s/rad].
    JOINT_STIFFNESS: index: joint; component: dof of the joint [N/m or N m/rad].
    JOINT_ARMATURE: index: joint; component: dof of the joint [kg or kg m²].
    JOINT_PLACEMENT: index: joint; component 0 to 2: displacement of the joint's placement along its own axes [m], 3
        to 5: rotation vector [rad]. All are zero as loaded.
    GEOM_SIZE: index: geom; component: as in ds_model_geom_size [m], for a sphere, capsule, cylinder, ellipsoid or
        box. It changes collisions only; mass and inertia stay the same. The mesh of a hydroelastic geom is
        stretched; the number of its elements stays.
    SPRING: index: spring; component 0: stiffness [N/m], 1: damping [N s/m], 2 to 4: anchor1, 5 to 7: anchor2, each
        in its body's frame [m].
    GRAVITY: component 0 to 2, world axes [m/s²].
    JOINT_SPRING_REFERENCE: index: joint; component: dof of the joint [m or rad].
    JOINT_FRICTION: index: joint; component: dof of the joint [N or N m]. "unsupported" if the dof has no dry
        friction as loaded, and with laws that do not solve for impulses.
    EXTERNAL_WRENCH: index: body that can move; component 0 to 5 of its external wrench, as in
        ds_sim_set_external_wrench [N, N m].
    STABILIZATION: component 0: kp, 1: kd of ds_options, in [0, 1].
    CONTACT_TANGENTIAL: index: geom; component 0 [N s/m], greater than 0: friction force per slip velocity, below
        the friction bound. The values of two geoms act in series. As loaded it is ds_geom_desc.tangential; instead
        of an infinite value a moving geom has 200 N s/m per kg of its tree, and ds_sim_get_params returns this.
        With "penalty".
    TENDON: index: tendon; component 0: stiffness [N/m], 1: damping [N s/m], 2 and 3: lower and upper end of the
        rest lengths [m], 4 + 3 i to 6 + 3 i: element i of a spatial path, which is a point, in its body's frame
        [m].
    PRESCRIBED: index: dof with a prescribed velocity; component 0 [m/s or rad/s]. Selecting a dof without one is
        "unsupported".
    ACTUATOR_GAIN: index: actuator; component 0: its gain, the force per unit of u or of the activation, before the
        gear. The gain of an adhesion actuator must not be negative. Selecting the gain of a muscle is
        "unsupported".
    HYDROELASTIC_MODULUS: index: compliant geom ("compliant") that may touch something; component 0: its modulus
        [Pa], greater than 0. With "convex".
    JOINT_FRICTION_COEFFICIENT: index: joint with ds_joint_desc.friction_coefficient; component 0: this coefficient,
        1: the radius of the bearing or ball [m]. "unsupported" for other joints.
    SPLINE_FRAME: index: joint along a spline. Of a curve component 6 i + 0 to 2: displacement of control frame i
        along its own axes [m], 6 i + 3 to 5: rotation vector [rad], all zero as loaded. Of a surface 6 i + k:
        number k of control vector i. Of a joint that carries points of tendons or springs, selecting it is
        "unsupported".
    REDUCTION: index: reduction, in the order of ds_builder_add_reduction; component: entry of its matrix, column-
        major, then of its offset. The coordinates y stay.
    DEFORMABLE: index: deformable body; component 0: density, 1: Young's modulus [Pa], 2: Poisson's ratio, 3:
        stiffness of edges [N/m], 4: damping [s], 5 + 3 i + k: place of node i in the shape without stress along
        axis k [m]. Density and places also change the masses of the nodes.
    """

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
    JOINT_FRICTION_COEFFICIENT = 21
    SPLINE_FRAME = 22
    REDUCTION = 23
    DEFORMABLE = 24


class SmoothingMethod(Named):
    """Method of smoothing a derivative. Let x = (q, v, u), f the step, n standard normal and S the widths. The
    randomized methods differentiate the mean of f(x (+) (d + S n)) over n by d, at d = 0.

    FIRST_ORDER: Mean of exact Jacobians at random states. It has little variance but does not see jumps, such as
        the jump of the velocity at an impact.
    ZEROTH_ORDER: Correlation of results with random displacements. It sees jumps; its variance grows with 1/width.
    CENTRAL_PATH: Exact Jacobian of the step with complementarity relaxed by kappa, see ds_sim_relaxed_step. With
        "ncp" or "none", without contacts of condim 4 or 6.
    """

    FIRST_ORDER = 0
    ZEROTH_ORDER = 1
    CENTRAL_PATH = 2


class ReferenceFrame(Named):
    """Reference frame in which the motion of a frame on a body is given: (linear; angular), 6 numbers. An
    acceleration is the rate of change of the 6 numbers of the velocity, without gravity.

    LOCAL: Along the frame's own axes; linear: velocity of the frame's origin. The acceleration is the spatial one.
    WORLD: Along the world's axes; linear: velocity of the body's point that is now at the world's origin. The
        acceleration is the spatial one.
    LOCAL_WORLD_ALIGNED: Along the world's axes; linear: velocity of the frame's origin. The acceleration is the
        classical acceleration of this point.
    """

    LOCAL = 0
    WORLD = 1
    LOCAL_WORLD_ALIGNED = 2


class ForceKind(Named):
    """Kinds of forces. Each is a bit; add them to form a set.

    JOINT_SPRING: Springs of joints.
    JOINT_DAMPER: Dampers of joints.
    GRAVITY_COMPENSATION: Forces that carry bodies against gravity (MJCF's gravcomp).
    TENDON: Springs and dampers of tendons, springs between points of bodies, and deformable bodies.
    FLUID: Drag and lift of the fluid.
    ACTUATOR: Actuators: the effect of u.
    CONTACT: Contacts and limits as penalty forces ("penalty"); none with other laws.
    EXTERNAL: Wrenches set by ds_sim_set_external_wrench.
    PASSIVE: The first five: passive forces other than contact.
    ALL: All of them.
    """

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


class ZoneKind(Named):
    """Shape of the zone in which a touch sensor measures.

    CAPSULE: Along z.
    CYLINDER: Along z.
    """

    SPHERE = 0
    CAPSULE = 1
    ELLIPSOID = 2
    CYLINDER = 3
    BOX = 4


class SensorKind(Named):
    """The quantity that a sensor measures. Quaternions are (x y z w). Readings are in the axes of the reference
    frame, or of the world if there is no reference.

    FRAME_POSITION: Position, orientation and axes of a frame, relative to the reference frame or the world.
    FRAME_LINEAR_VELOCITY: Linear velocity of the frame's origin and angular velocity of the frame, as seen by an
        observer who moves with the reference frame.
    FRAME_LINEAR_ACCELERATION: Linear and angular acceleration in world axes. The linear acceleration excludes
        gravity: it is -g at rest, as an accelerometer measures it.
    GYRO: Angular velocity, linear velocity, linear acceleration without gravity (as an accelerometer measures it),
        and the magnetic field. All are along the frame's own axes.
    RANGEFINDER: Distance from the frame's origin along its z axis to the first geom of another body, computed as by
        ds_sim_ray_cast. -1 if the ray hits nothing.
    TOUCH: Sum of the normal forces on the frame's body. A contact counts if its point lies in the zone, or if its
        line of action away from the body meets the zone.
    FORCE: Force on the subtree of the frame's body from the rest of the model (joints, springs, tendons and
        equalities, without contacts and external wrenches), and its moment about the frame's origin. Along the
        frame's axes.
    JOINT_POSITION: Coordinate and velocity of a one-dof joint.
    BALL_QUATERNION: Quaternion and angular velocity of a spherical joint, in the body's axes.
    JOINT_ACTUATOR_FORCE: Sum of the forces of all actuators on a one-dof joint.
    TENDON_POSITION: Length of a tendon and its rate.
    ACTUATOR_POSITION: Length of an actuator's transmission and its rate, both times the gear, and the actuator's
        force before the gear.
    SUBTREE_CENTER: Centre of mass of the subtree of a body, its velocity, and the angular momentum about it; world
        axes.
    JOINT_LIMIT_POSITION: The limit of a one-dof joint or of a tendon's length that is within its margin; the lower
        limit if both are. Position: distance to the limit minus the margin, negative. Velocity: rate of this
        distance. Both are 0 if no limit is within its margin. Force: the impulse on either limit over the time
        step.
    """

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


class Hydroelastic(Named):
    """How a geom takes part in hydroelastic contact. Two geoms touch in faces if one is compliant and the other one
    rigid or compliant; otherwise in points. Planes never touch planes.

    NONE: It touches in points.
    RIGID: By its surface, which is rigid.
    COMPLIANT: By a pressure field inside. A compliant mesh must be convex. Height fields have neither kind.
    """

    NONE = 0
    RIGID = 1
    COMPLIANT = 2


class Activation(Named):
    """Dynamics of an actuator's activation, driven by its clamped input u. A step advances act to act+ with Euler's
    method, except for "filter_exact".

    NONE: No activation: u itself drives the actuator.
    INTEGRATOR: dact/dt = u.
    FILTER: dact/dt = (u - act)/T with T = activation_time[0].
    FILTER_EXACT: Same as "filter", solved exactly over a step with constant u.
    MUSCLE: dact/dt = (u - act)/T with u clamped to [0, 1]. With m = 0.5 + 1.5 act, T is activation_time[0] m if u >
        act, otherwise activation_time[1]/m. T changes smoothly from one to the other while u - act is within ±
        activation_smoothing/2.
    """

    NONE = 0
    INTEGRATOR = 1
    FILTER = 2
    FILTER_EXACT = 3
    MUSCLE = 4


class TendonKind(Named):
    """Definition of the length of a tendon.

    FIXED: The sum of the coordinates of one-dof joints times coefficients.
    SPATIAL: The length of a path through points and around solids.
    """

    FIXED = 0
    SPATIAL = 1


class PathKind(Named):
    """An element of a spatial tendon's path.

    POINT: A point of a body through which the path runs.
    SPHERE: A sphere on a body, around which the path bends between the previous and the next point.
    CYLINDER: A cylinder on a body, unbounded along its axis.
    PULLEY: A pulley: a new branch begins at the next point.
    """

    POINT = 0
    SPHERE = 1
    CYLINDER = 2
    PULLEY = 3


class Material(Named):
    """The law of the stress in tetrahedra. For small strains both are Hooke's law.

    NEO_HOOKEAN: Stable neo-Hookean: smooth at every deformation, inverted tetrahedra included.
    COROTATED: Hooke's law in axes that turn with the tetrahedron.
    """

    NEO_HOOKEAN = 0
    COROTATED = 1


class EqualityKind(Named):
    """Kind of an equality constraint.

    CONNECT: anchor1, a point of body1, stays at the point of body2 at which it is in the reference configuration: 3
        rows.
    WELD: body2 keeps its pose in body1: 6 rows, acting at anchor2; 3 rows if torque_scale is 0.
    DISTANCE: anchor1 of body1 and anchor2 of body2 stay at a distance, as if on a massless rod: 1 row.
    JOINT: Couples two coordinates of joints: q1 - ref1 = sum of coefficients[k] (q2 - ref2)^k. Without joint2, q1 -
        ref1 = coefficients[0]. Of a joint with several dofs dof1 and dof2 choose the coordinate, with a reference
        of 0. Not of spherical and free joints. 1 row.
    TENDON: Couples the lengths of two tendons: l1 - ref1 = sum of coefficients[k] (l2 - ref2)^k, with the lengths
        at the reference configuration as references. Without tendon2, l1 - ref1 = coefficients[0]. 1 row.
    """

    CONNECT = 0
    WELD = 1
    DISTANCE = 2
    JOINT = 3
    TENDON = 4


class IlqrOutcome(Named):
    """Outcome of a solve of a ds_ilqr.

    CONVERGED: The cost no longer falls by more than the tolerance.
    STUCK: The quadratic model predicts a decrease, but no step along it achieves one: a switch of contacts is near.
    ITERATIONS: options.max_iterations was reached: an unfinished plan, which a controller can use.
    """

    CONVERGED = 0
    STUCK = 1
    ITERATIONS = 2


class IkOutcome(Named):
    """Outcome of a search of a ds_ik.

    SOLVED: Every task and the model's equalities are within their tolerances, and preferences are at their best.
    STATIONARY: A local minimum with a residual above its tolerance: the target is out of reach, or the search needs
        another start.
    ITERATIONS: Neither of these within options.max_iterations.
    """

    SOLVED = 0
    STATIONARY = 1
    ITERATIONS = 2


class IkKind(Named):
    """The quantity that a task of a ds_ik prescribes.

    FRAME: A frame on a body. Target: its placement in the world, 16 numbers of a column-major 4×4 matrix. Residual:
        the position along the world's axes, then the rotation vector from the target's orientation, along the
        target's axes. Variation of the target: 6 numbers (linear; angular) along the world's axes.
    CENTER_OF_MASS: The centre of mass of all that moves. Target, residual and variation: 3 numbers.
    POSTURE: The configuration. Target: nq numbers. Residual: nv numbers, q minus the target. For spherical joints
        it is the rotation vector along the target's axes; for free joints, the position in the joint's frame and
        then this rotation vector. Variation of the target: nv numbers, its tangent.
    """

    FRAME = 0
    CENTER_OF_MASS = 1
    POSTURE = 2


class Quantity(Named):
    """The variable by which a recorded gradient is taken.

    POSE: The tangent of q: nv numbers.
    VELOCITY: v: nv numbers.
    CONTROL: u: nu numbers.
    """

    POSE = 0
    VELOCITY = 1
    CONTROL = 2


#: The prefix of C's enumerators.
PREFIXES: Dict[Type[Named], str] = {
    Status: "DS_ERR_",
    Base: "DS_BASE_",
    Actuation: "DS_ACTUATION_",
    Mimic: "DS_MIMIC_",
    MissingMesh: "DS_MISSING_MESH_",
    MeshMode: "DS_MESH_",
    OpenMesh: "DS_OPEN_MESH_",
    Format: "DS_FORMAT_",
    JointKind: "DS_JOINT_",
    GeomKind: "DS_GEOM_",
    ContactLaw: "DS_CONTACT_",
    Integrator: "DS_INTEGRATOR_",
    FrictionRule: "DS_FRICTION_",
    ConvexVariant: "DS_CONVEX_",
    Gradient: "DS_GRADIENT_",
    ContactMode: "DS_MODE_",
    ParamKind: "DS_PARAM_",
    SmoothingMethod: "DS_SMOOTHING_",
    ReferenceFrame: "DS_FRAME_",
    ForceKind: "DS_FORCE_",
    ZoneKind: "DS_ZONE_",
    SensorKind: "DS_SENSOR_",
    Hydroelastic: "DS_HYDROELASTIC_",
    Activation: "DS_ACTIVATION_",
    TendonKind: "DS_TENDON_",
    PathKind: "DS_PATH_",
    Material: "DS_MATERIAL_",
    EqualityKind: "DS_EQUALITY_",
    IlqrOutcome: "DS_ILQR_",
    IkOutcome: "DS_IK_",
    IkKind: "DS_IK_",
    Quantity: "DS_QUANTITY_",
}

#: The fields that take an enumeration, by the name of the struct.
CHOICES: Dict[str, Dict[str, Type[Named]]] = {
    "ds_load_options": {
        "base": Base,
        "actuation": Actuation,
        "mimic": Mimic,
        "missing_mesh": MissingMesh,
        "mesh_mode": MeshMode,
        "open_mesh": OpenMesh,
    },
    "ds_options": {
        "contact": ContactLaw,
        "integrator": Integrator,
        "friction_rule": FrictionRule,
        "convex_variant": ConvexVariant,
    },
    "ds_param": {
        "kind": ParamKind,
    },
    "ds_smoothing": {
        "method": SmoothingMethod,
    },
    "ds_sensor_desc": {
        "kind": SensorKind,
        "zone": ZoneKind,
    },
    "ds_distance_smoothing": {
        "method": SmoothingMethod,
    },
    "ds_problem_options": {
        "law": ContactLaw,
    },
    "ds_joint_desc": {
        "kind": JointKind,
    },
    "ds_geom_desc": {
        "kind": GeomKind,
        "mesh_mode": MeshMode,
        "open_mesh": OpenMesh,
        "hydroelastic": Hydroelastic,
    },
    "ds_actuator_desc": {
        "activation": Activation,
    },
    "ds_tendon_desc": {
        "kind": TendonKind,
    },
    "ds_deformable_desc": {
        "material": Material,
    },
    "ds_equality_desc": {
        "kind": EqualityKind,
    },
    "ds_ilqr_info": {
        "outcome": IlqrOutcome,
    },
    "ds_ik_task": {
        "kind": IkKind,
    },
    "ds_ik_info": {
        "outcome": IkOutcome,
    },
    "ds_visual": {
        "kind": GeomKind,
    },
}

# The names of each enumeration's members, as arguments take them.
StatusName = Literal[
    "ok",
    "invalid_argument",
    "io",
    "parse",
    "unsupported",
    "capacity",
    "not_converged",
    "numerical",
    "no_step",
    "internal",
]
BaseName = Literal[
    "from_file",
    "fixed",
    "free",
]
ActuationName = Literal[
    "from_file",
    "full",
    "joints",
]
MimicName = Literal[
    "error",
    "independent",
    "couple",
    "reduce",
]
MissingMeshName = Literal[
    "error",
    "skip",
]
MeshModeName = Literal[
    "hull",
    "decomposed",
]
OpenMeshName = Literal[
    "error",
    "hull",
]
FormatName = Literal[
    "urdf",
    "mjcf",
]
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
GeomKindName = Literal[
    "plane",
    "sphere",
    "capsule",
    "cylinder",
    "ellipsoid",
    "box",
    "mesh",
    "height_field",
]
ContactLawName = Literal[
    "ncp",
    "lcp",
    "convex",
    "penalty",
    "none",
]
IntegratorName = Literal[
    "symplectic_euler",
    "implicit_euler",
    "midpoint",
    "bdf1",
    "bdf2",
    "symplectic_euler_world",
    "sdirk2",
    "from_model",
]
FrictionRuleName = Literal[
    "larger",
    "harmonic",
    "product",
]
ConvexVariantName = Literal[
    "sap",
    "lagged",
    "similar",
]
GradientName = Literal[
    "exact",
    "one_sided",
    "smoothed",
    "refused",
]
ContactModeName = Literal[
    "breaking",
    "sticking",
    "sliding",
    "unknown",
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
    "joint_friction_coefficient",
    "spline_frame",
    "reduction",
    "deformable",
]
SmoothingMethodName = Literal[
    "first_order",
    "zeroth_order",
    "central_path",
]
ReferenceFrameName = Literal[
    "local",
    "world",
    "local_world_aligned",
]
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
ZoneKindName = Literal[
    "sphere",
    "capsule",
    "ellipsoid",
    "cylinder",
    "box",
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
HydroelasticName = Literal[
    "none",
    "rigid",
    "compliant",
]
ActivationName = Literal[
    "none",
    "integrator",
    "filter",
    "filter_exact",
    "muscle",
]
TendonKindName = Literal[
    "fixed",
    "spatial",
]
PathKindName = Literal[
    "point",
    "sphere",
    "cylinder",
    "pulley",
]
MaterialName = Literal[
    "neo_hookean",
    "corotated",
]
EqualityKindName = Literal[
    "connect",
    "weld",
    "distance",
    "joint",
    "tendon",
]
IlqrOutcomeName = Literal[
    "converged",
    "stuck",
    "iterations",
]
IkOutcomeName = Literal[
    "solved",
    "stationary",
    "iterations",
]
IkKindName = Literal[
    "frame",
    "center_of_mass",
    "posture",
]
QuantityName = Literal[
    "pose",
    "velocity",
    "control",
]
