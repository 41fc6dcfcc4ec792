# Generated from the headers of include/ by generate.py; do not edit.

"""
The C interface as it is: one function for each of the headers', under the same name, without checks. A pointer takes an
array, a `Ref` or `C_NULL`. The headers have their meaning.
"""
module LibDiffSim

# The name that the library carries. DiffSim has opened the file by then, so the loader finds it by this name.
const libdiffsim = "libdiffsim.so.0"

const DS_VERSION_MAJOR = 0
const DS_VERSION_MINOR = 1
const DS_VERSION_PATCH = 0
const DS_ABI_VERSION = 1
const DS_OK = Int32(0)
const DS_ERR_INVALID_ARGUMENT = Int32(1)
const DS_ERR_IO = Int32(2)
const DS_ERR_PARSE = Int32(3)
const DS_ERR_UNSUPPORTED = Int32(4)
const DS_ERR_CAPACITY = Int32(5)
const DS_ERR_NOT_CONVERGED = Int32(6)
const DS_ERR_NUMERICAL = Int32(7)
const DS_ERR_NO_STEP = Int32(8)
const DS_ERR_INTERNAL = Int32(9)
const DS_BASE_FROM_FILE = Int32(0)
const DS_BASE_FIXED = Int32(1)
const DS_BASE_FREE = Int32(2)
const DS_ACTUATION_FROM_FILE = Int32(0)
const DS_ACTUATION_FULL = Int32(1)
const DS_ACTUATION_JOINTS = Int32(2)
const DS_MIMIC_ERROR = Int32(0)
const DS_MIMIC_INDEPENDENT = Int32(1)
const DS_MIMIC_COUPLE = Int32(2)
const DS_MIMIC_REDUCE = Int32(3)
const DS_MISSING_MESH_ERROR = Int32(0)
const DS_MISSING_MESH_SKIP = Int32(1)
const DS_MESH_HULL = Int32(0)
const DS_MESH_DECOMPOSED = Int32(1)
const DS_OPEN_MESH_ERROR = Int32(0)
const DS_OPEN_MESH_HULL = Int32(1)
const DS_FORMAT_URDF = Int32(0)
const DS_FORMAT_MJCF = Int32(1)
const DS_JOINT_FIXED = Int32(0)
const DS_JOINT_REVOLUTE = Int32(1)
const DS_JOINT_CONTINUOUS = Int32(2)
const DS_JOINT_PRISMATIC = Int32(3)
const DS_JOINT_SPHERICAL = Int32(4)
const DS_JOINT_FREE = Int32(5)
const DS_JOINT_PLANAR_TRANSLATION = Int32(6)
const DS_JOINT_TRANSLATION = Int32(7)
const DS_JOINT_PLANAR = Int32(8)
const DS_JOINT_UNIVERSAL = Int32(9)
const DS_JOINT_SPLINE_CURVE = Int32(10)
const DS_JOINT_SPLINE_SURFACE = Int32(11)
const DS_JOINT_EULER = Int32(12)
const DS_GEOM_PLANE = Int32(0)
const DS_GEOM_SPHERE = Int32(1)
const DS_GEOM_CAPSULE = Int32(2)
const DS_GEOM_CYLINDER = Int32(3)
const DS_GEOM_ELLIPSOID = Int32(4)
const DS_GEOM_BOX = Int32(5)
const DS_GEOM_MESH = Int32(6)
const DS_GEOM_HEIGHT_FIELD = Int32(7)
const DS_CONTACT_NCP = Int32(0)
const DS_CONTACT_LCP = Int32(1)
const DS_CONTACT_CONVEX = Int32(2)
const DS_CONTACT_PENALTY = Int32(3)
const DS_CONTACT_NONE = Int32(4)
const DS_INTEGRATOR_SYMPLECTIC_EULER = Int32(0)
const DS_INTEGRATOR_IMPLICIT_EULER = Int32(1)
const DS_INTEGRATOR_MIDPOINT = Int32(2)
const DS_INTEGRATOR_BDF1 = Int32(3)
const DS_INTEGRATOR_BDF2 = Int32(4)
const DS_INTEGRATOR_SYMPLECTIC_EULER_WORLD = Int32(5)
const DS_INTEGRATOR_SDIRK2 = Int32(6)
const DS_INTEGRATOR_FROM_MODEL = Int32(7)
const DS_FRICTION_LARGER = Int32(0)
const DS_FRICTION_HARMONIC = Int32(1)
const DS_FRICTION_PRODUCT = Int32(2)
const DS_CONVEX_SAP = Int32(0)
const DS_CONVEX_LAGGED = Int32(1)
const DS_CONVEX_SIMILAR = Int32(2)
const DS_GRADIENT_EXACT = Int32(0)
const DS_GRADIENT_ONE_SIDED = Int32(1)
const DS_GRADIENT_SMOOTHED = Int32(2)
const DS_GRADIENT_REFUSED = Int32(3)
const DS_MODE_BREAKING = Int32(0)
const DS_MODE_STICKING = Int32(1)
const DS_MODE_SLIDING = Int32(2)
const DS_MODE_UNKNOWN = Int32(3)
const DS_PARAM_BODY_INERTIA = Int32(0)
const DS_PARAM_GEOM_FRICTION = Int32(1)
const DS_PARAM_GEOM_RESTITUTION = Int32(2)
const DS_PARAM_CONTACT_STIFFNESS = Int32(3)
const DS_PARAM_CONTACT_DISSIPATION = Int32(4)
const DS_PARAM_JOINT_DAMPING = Int32(5)
const DS_PARAM_JOINT_STIFFNESS = Int32(6)
const DS_PARAM_JOINT_ARMATURE = Int32(7)
const DS_PARAM_JOINT_PLACEMENT = Int32(8)
const DS_PARAM_GEOM_SIZE = Int32(9)
const DS_PARAM_SPRING = Int32(10)
const DS_PARAM_GRAVITY = Int32(11)
const DS_PARAM_JOINT_SPRING_REFERENCE = Int32(12)
const DS_PARAM_JOINT_FRICTION = Int32(13)
const DS_PARAM_EXTERNAL_WRENCH = Int32(14)
const DS_PARAM_STABILIZATION = Int32(15)
const DS_PARAM_CONTACT_TANGENTIAL = Int32(16)
const DS_PARAM_TENDON = Int32(17)
const DS_PARAM_PRESCRIBED = Int32(18)
const DS_PARAM_ACTUATOR_GAIN = Int32(19)
const DS_PARAM_HYDROELASTIC_MODULUS = Int32(20)
const DS_PARAM_JOINT_FRICTION_COEFFICIENT = Int32(21)
const DS_PARAM_SPLINE_FRAME = Int32(22)
const DS_PARAM_REDUCTION = Int32(23)
const DS_PARAM_DEFORMABLE = Int32(24)
const DS_SMOOTHING_FIRST_ORDER = Int32(0)
const DS_SMOOTHING_ZEROTH_ORDER = Int32(1)
const DS_SMOOTHING_CENTRAL_PATH = Int32(2)
const DS_FRAME_LOCAL = Int32(0)
const DS_FRAME_WORLD = Int32(1)
const DS_FRAME_LOCAL_WORLD_ALIGNED = Int32(2)
const DS_FORCE_JOINT_SPRING = Int32(1)
const DS_FORCE_JOINT_DAMPER = Int32(2)
const DS_FORCE_GRAVITY_COMPENSATION = Int32(4)
const DS_FORCE_TENDON = Int32(8)
const DS_FORCE_FLUID = Int32(16)
const DS_FORCE_ACTUATOR = Int32(32)
const DS_FORCE_CONTACT = Int32(64)
const DS_FORCE_EXTERNAL = Int32(128)
const DS_FORCE_PASSIVE = Int32(31)
const DS_FORCE_ALL = Int32(255)
const DS_ZONE_SPHERE = Int32(0)
const DS_ZONE_CAPSULE = Int32(1)
const DS_ZONE_ELLIPSOID = Int32(2)
const DS_ZONE_CYLINDER = Int32(3)
const DS_ZONE_BOX = Int32(4)
const DS_SENSOR_FRAME_POSITION = Int32(0)
const DS_SENSOR_FRAME_QUATERNION = Int32(1)
const DS_SENSOR_FRAME_X_AXIS = Int32(2)
const DS_SENSOR_FRAME_Y_AXIS = Int32(3)
const DS_SENSOR_FRAME_Z_AXIS = Int32(4)
const DS_SENSOR_FRAME_LINEAR_VELOCITY = Int32(5)
const DS_SENSOR_FRAME_ANGULAR_VELOCITY = Int32(6)
const DS_SENSOR_FRAME_LINEAR_ACCELERATION = Int32(7)
const DS_SENSOR_FRAME_ANGULAR_ACCELERATION = Int32(8)
const DS_SENSOR_GYRO = Int32(9)
const DS_SENSOR_VELOCIMETER = Int32(10)
const DS_SENSOR_ACCELEROMETER = Int32(11)
const DS_SENSOR_MAGNETOMETER = Int32(12)
const DS_SENSOR_RANGEFINDER = Int32(13)
const DS_SENSOR_TOUCH = Int32(14)
const DS_SENSOR_FORCE = Int32(15)
const DS_SENSOR_TORQUE = Int32(16)
const DS_SENSOR_JOINT_POSITION = Int32(17)
const DS_SENSOR_JOINT_VELOCITY = Int32(18)
const DS_SENSOR_BALL_QUATERNION = Int32(19)
const DS_SENSOR_BALL_ANGULAR_VELOCITY = Int32(20)
const DS_SENSOR_JOINT_ACTUATOR_FORCE = Int32(21)
const DS_SENSOR_TENDON_POSITION = Int32(22)
const DS_SENSOR_TENDON_VELOCITY = Int32(23)
const DS_SENSOR_ACTUATOR_POSITION = Int32(24)
const DS_SENSOR_ACTUATOR_VELOCITY = Int32(25)
const DS_SENSOR_ACTUATOR_FORCE = Int32(26)
const DS_SENSOR_SUBTREE_CENTER = Int32(27)
const DS_SENSOR_SUBTREE_LINEAR_VELOCITY = Int32(28)
const DS_SENSOR_SUBTREE_ANGULAR_MOMENTUM = Int32(29)
const DS_SENSOR_JOINT_LIMIT_POSITION = Int32(30)
const DS_SENSOR_JOINT_LIMIT_VELOCITY = Int32(31)
const DS_SENSOR_JOINT_LIMIT_FORCE = Int32(32)
const DS_SENSOR_TENDON_LIMIT_POSITION = Int32(33)
const DS_SENSOR_TENDON_LIMIT_VELOCITY = Int32(34)
const DS_SENSOR_TENDON_LIMIT_FORCE = Int32(35)
const DS_HYDROELASTIC_NONE = Int32(0)
const DS_HYDROELASTIC_RIGID = Int32(1)
const DS_HYDROELASTIC_COMPLIANT = Int32(2)
const DS_ACTIVATION_NONE = Int32(0)
const DS_ACTIVATION_INTEGRATOR = Int32(1)
const DS_ACTIVATION_FILTER = Int32(2)
const DS_ACTIVATION_FILTER_EXACT = Int32(3)
const DS_ACTIVATION_MUSCLE = Int32(4)
const DS_TENDON_FIXED = Int32(0)
const DS_TENDON_SPATIAL = Int32(1)
const DS_PATH_POINT = Int32(0)
const DS_PATH_SPHERE = Int32(1)
const DS_PATH_CYLINDER = Int32(2)
const DS_PATH_PULLEY = Int32(3)
const DS_MATERIAL_NEO_HOOKEAN = Int32(0)
const DS_MATERIAL_COROTATED = Int32(1)
const DS_EQUALITY_CONNECT = Int32(0)
const DS_EQUALITY_WELD = Int32(1)
const DS_EQUALITY_DISTANCE = Int32(2)
const DS_EQUALITY_JOINT = Int32(3)
const DS_EQUALITY_TENDON = Int32(4)
const DS_ILQR_CONVERGED = Int32(0)
const DS_ILQR_STUCK = Int32(1)
const DS_ILQR_ITERATIONS = Int32(2)
const DS_IK_SOLVED = Int32(0)
const DS_IK_STATIONARY = Int32(1)
const DS_IK_ITERATIONS = Int32(2)
const DS_IK_FRAME = Int32(0)
const DS_IK_CENTER_OF_MASS = Int32(1)
const DS_IK_POSTURE = Int32(2)
const DS_QUANTITY_POSE = Int32(0)
const DS_QUANTITY_VELOCITY = Int32(1)
const DS_QUANTITY_CONTROL = Int32(2)

mutable struct ds_load_options
    struct_size::Csize_t
    base::Int32
    actuation::Int32
    ground_plane::Int32
    mimic::Int32
    missing_mesh::Int32
    mesh_mode::Int32
    ground_friction::Cdouble
    mesh_dirs::Ptr{Ptr{UInt8}}
    mesh_dir_count::Csize_t
    self_collision::Int32
    exclude_overlapping::Int32
    open_mesh::Int32
    keep_inseparable::Int32
    effort_limits::Int32
    transmissions::Int32
    function ds_load_options()
        made = new()
        ds_load_options_init(made)
        made
    end
end

mutable struct ds_options
    struct_size::Csize_t
    time_step::Cdouble
    contact::Int32
    integrator::Int32
    tolerance::Cdouble
    max_iterations::Csize_t
    max_contacts::Csize_t
    kp::Cdouble
    kd::Cdouble
    checkpoint_interval::Csize_t
    derivatives::Int32
    require_convergence::Int32
    max_push_out::Cdouble
    max_push_out_angle::Cdouble
    max_work::Cdouble
    restitution_threshold::Cdouble
    aware_gradient::Int32
    velocity_limits::Int32
    newton_tolerance::Cdouble
    max_newton::Csize_t
    max_depth::Cdouble
    friction_rule::Int32
    convex_variant::Int32
    function ds_options()
        made = new()
        ds_options_init(made)
        made
    end
end

mutable struct ds_reduction_desc
    struct_size::Csize_t
    name::Ptr{UInt8}
    joint_count::Csize_t
    joints::Ptr{Ptr{UInt8}}
    columns::Csize_t
    matrix::Ptr{Cdouble}
    offset::Ptr{Cdouble}
    function ds_reduction_desc()
        made = new()
        ds_reduction_desc_init(made)
        made
    end
end

struct ds_step_info
    contacts::Csize_t
    iterations::Csize_t
    residual::Cdouble
    switch_distance::Cdouble
    gradient::Int32
    converged::Int32
    impacts::UInt64
    deepest::Cdouble
    too_deep::UInt64
    near_singular::UInt64
    push_out_given_up::UInt64
    work::Cdouble
    reserved::NTuple{10, UInt64}
end

struct ds_contact
    geom_a::Int32
    geom_b::Int32
    body_a::Int32
    body_b::Int32
    point::NTuple{3, Cdouble}
    normal::NTuple{3, Cdouble}
    gap::Cdouble
    impulse::NTuple{3, Cdouble}
    velocity::NTuple{3, Cdouble}
    mode::Int32
    at_bound::Int32
    tangents::NTuple{6, Cdouble}
    feature::UInt64
    area::Cdouble
    pressure::Cdouble
end

struct ds_distance
    distance::Cdouble
    point_a::NTuple{3, Cdouble}
    point_b::NTuple{3, Cdouble}
    normal::NTuple{3, Cdouble}
    gradient::Int32
    reserved::Int32
end

struct ds_param
    kind::Int32
    index::Int32
    component::Int32
end

struct ds_act_jacobians
    dq_dact::Ptr{Cdouble}
    dv_dact::Ptr{Cdouble}
    dact_dq::Ptr{Cdouble}
    dact_dv::Ptr{Cdouble}
    dact_dact::Ptr{Cdouble}
    dact_du::Ptr{Cdouble}
end

struct ds_step_jacobians
    dq_dq::Ptr{Cdouble}
    dq_dv::Ptr{Cdouble}
    dq_du::Ptr{Cdouble}
    dq_dp::Ptr{Cdouble}
    dv_dq::Ptr{Cdouble}
    dv_dv::Ptr{Cdouble}
    dv_du::Ptr{Cdouble}
    dv_dp::Ptr{Cdouble}
end

struct ds_jacobian_entries
    by_state::Csize_t
    by_input::Csize_t
    pattern::UInt64
end

mutable struct ds_smoothing
    struct_size::Csize_t
    method::Int32
    reserved::Int32
    width_q::Cdouble
    width_v::Cdouble
    width_u::Cdouble
    pairs::Csize_t
    seed::UInt64
    max_failures::Csize_t
    kappa::Cdouble
    reach::Cdouble
    function ds_smoothing()
        made = new()
        ds_smoothing_init(made)
        made
    end
end

struct ds_smoothing_info
    gradient::Int32
    reserved::Int32
    pairs::Csize_t
    failures::Csize_t
end

mutable struct ds_sensor_desc
    struct_size::Csize_t
    name::Ptr{UInt8}
    kind::Int32
    body::Int32
    placement::Ptr{Cdouble}
    of::Ptr{UInt8}
    reference_body::Int32
    zone::Int32
    reference_placement::Ptr{Cdouble}
    cutoff::Cdouble
    field::NTuple{3, Cdouble}
    zone_size::NTuple{3, Cdouble}
    function ds_sensor_desc()
        made = new()
        ds_sensor_desc_init(made)
        made
    end
end

mutable struct ds_episodes
    struct_size::Csize_t
    q0::Ptr{Cdouble}
    v0::Ptr{Cdouble}
    u::Ptr{Cdouble}
    act0::Ptr{Cdouble}
    p::Ptr{Cdouble}
    lengths::Ptr{Csize_t}
    lower::Ptr{Cdouble}
    upper::Ptr{Cdouble}
    q::Ptr{Cdouble}
    v::Ptr{Cdouble}
    act::Ptr{Cdouble}
    sensors::Ptr{Cdouble}
    taken::Ptr{Csize_t}
    labels::Ptr{Int32}
    function ds_episodes()
        made = new()
        ds_episodes_init(made)
        made
    end
end

mutable struct ds_episodes_bars
    struct_size::Csize_t
    q_bar::Ptr{Cdouble}
    v_bar::Ptr{Cdouble}
    act_bar::Ptr{Cdouble}
    sensors_bar::Ptr{Cdouble}
    q0_bar::Ptr{Cdouble}
    v0_bar::Ptr{Cdouble}
    act0_bar::Ptr{Cdouble}
    u_bar::Ptr{Cdouble}
    p_bar::Ptr{Cdouble}
    function ds_episodes_bars()
        made = new()
        ds_episodes_bars_init(made)
        made
    end
end

mutable struct ds_distance_smoothing
    struct_size::Csize_t
    method::Int32
    reserved::Int32
    width_linear::Cdouble
    width_angular::Cdouble
    pairs::Csize_t
    seed::UInt64
    function ds_distance_smoothing()
        made = new()
        ds_distance_smoothing_init(made)
        made
    end
end

struct ds_smoothed_distance
    distance::Cdouble
    point::NTuple{3, Cdouble}
    normal::NTuple{3, Cdouble}
end

struct ds_patch
    geom_a::Int32
    geom_b::Int32
    area::Cdouble
    centroid::NTuple{3, Cdouble}
    normal::NTuple{3, Cdouble}
    force::NTuple{3, Cdouble}
    torque::NTuple{3, Cdouble}
    first_contact::Csize_t
    contact_count::Csize_t
end

mutable struct ds_problem_options
    struct_size::Csize_t
    law::Int32
    reserved::Int32
    tolerance::Cdouble
    max_iterations::Csize_t
    nv::Csize_t
    max_contacts::Csize_t
    function ds_problem_options()
        made = new()
        ds_problem_options_init(made)
        made
    end
end

mutable struct ds_joint_desc
    struct_size::Csize_t
    name::Ptr{UInt8}
    kind::Int32
    cyclic::Int32
    axis::NTuple{3, Cdouble}
    axis2::NTuple{3, Cdouble}
    anchor::NTuple{3, Cdouble}
    reference::Cdouble
    damping::Cdouble
    stiffness::Cdouble
    spring_reference::Cdouble
    armature::Cdouble
    friction_loss::Cdouble
    lower::Cdouble
    upper::Cdouble
    limit_margin::Cdouble
    effort::Cdouble
    velocity::Cdouble
    axis3::NTuple{3, Cdouble}
    control_count::Csize_t
    control::Ptr{Cdouble}
    friction_coefficient::Cdouble
    friction_radius::Cdouble
    friction_height::Cdouble
    actuator_lower::Cdouble
    actuator_upper::Cdouble
    function ds_joint_desc()
        made = new()
        ds_joint_desc_init(made)
        made
    end
end

mutable struct ds_geom_desc
    struct_size::Csize_t
    name::Ptr{UInt8}
    kind::Int32
    condim::Int32
    size::NTuple{3, Cdouble}
    placement::NTuple{16, Cdouble}
    friction::NTuple{3, Cdouble}
    contype::UInt32
    conaffinity::UInt32
    priority::Int32
    mesh_mode::Int32
    margin::Cdouble
    vertices::Ptr{Cdouble}
    vertex_count::Csize_t
    triangles::Ptr{UInt32}
    triangle_count::Csize_t
    open_mesh::Int32
    reserved::Int32
    restitution::Cdouble
    stiffness::Cdouble
    dissipation::Cdouble
    tangential::Cdouble
    gap::Cdouble
    heights::Ptr{Cdouble}
    columns::Csize_t
    rows::Csize_t
    hydroelastic::Int32
    reserved2::Int32
    modulus::Cdouble
    resolution::Cdouble
    hydroelastic_margin::Cdouble
    slab_thickness::Cdouble
    function ds_geom_desc()
        made = new()
        ds_geom_desc_init(made)
        made
    end
end

mutable struct ds_actuator_desc
    struct_size::Csize_t
    name::Ptr{UInt8}
    joint::Ptr{UInt8}
    gear::NTuple{6, Cdouble}
    gain::Cdouble
    bias::NTuple{3, Cdouble}
    control_lower::Cdouble
    control_upper::Cdouble
    force_lower::Cdouble
    force_upper::Cdouble
    tendon::Ptr{UInt8}
    gain_slopes::NTuple{2, Cdouble}
    activation::Int32
    act_early::Int32
    activation_time::NTuple{2, Cdouble}
    activation_smoothing::Cdouble
    act_lower::Cdouble
    act_upper::Cdouble
    muscle_active::Int32
    muscle_passive::Int32
    muscle_length_range::NTuple{2, Cdouble}
    muscle_range::NTuple{2, Cdouble}
    muscle_force::Cdouble
    muscle_scale::Cdouble
    muscle_lmin::Cdouble
    muscle_lmax::Cdouble
    muscle_vmax::Cdouble
    muscle_fpmax::Cdouble
    muscle_fvmax::Cdouble
    body::Ptr{UInt8}
    site::Ptr{UInt8}
    reference_site::Ptr{UInt8}
    function ds_actuator_desc()
        made = new()
        ds_actuator_desc_init(made)
        made
    end
end

mutable struct ds_spring_desc
    struct_size::Csize_t
    name::Ptr{UInt8}
    body1::Int32
    body2::Int32
    anchor1::NTuple{3, Cdouble}
    anchor2::NTuple{3, Cdouble}
    stiffness::Cdouble
    damping::Cdouble
    function ds_spring_desc()
        made = new()
        ds_spring_desc_init(made)
        made
    end
end

mutable struct ds_tendon_desc
    struct_size::Csize_t
    name::Ptr{UInt8}
    kind::Int32
    pull_only::Int32
    count::Csize_t
    joints::Ptr{Ptr{UInt8}}
    coefficients::Ptr{Cdouble}
    bodies::Ptr{Int32}
    anchors::Ptr{Cdouble}
    stiffness::Cdouble
    damping::Cdouble
    rest_lower::Cdouble
    rest_upper::Cdouble
    lower::Cdouble
    upper::Cdouble
    friction_loss::Cdouble
    stations::Ptr{Int32}
    sizes::Ptr{Cdouble}
    axes::Ptr{Cdouble}
    side_bodies::Ptr{Int32}
    sides::Ptr{Cdouble}
    function ds_tendon_desc()
        made = new()
        ds_tendon_desc_init(made)
        made
    end
end

mutable struct ds_deformable_desc
    struct_size::Csize_t
    name::Ptr{UInt8}
    node_count::Csize_t
    nodes::Ptr{Cdouble}
    edge_count::Csize_t
    edges::Ptr{Int32}
    tet_count::Csize_t
    tets::Ptr{Int32}
    attach_count::Csize_t
    attach_nodes::Ptr{Int32}
    attach_bodies::Ptr{Int32}
    material::Int32
    condim::Int32
    density::Cdouble
    mass::Cdouble
    young::Cdouble
    poisson::Cdouble
    stiffness::Cdouble
    damping::Cdouble
    radius::Cdouble
    friction::Cdouble
    triangle_count::Csize_t
    triangles::Ptr{Int32}
    thickness::Cdouble
    function ds_deformable_desc()
        made = new()
        ds_deformable_desc_init(made)
        made
    end
end

mutable struct ds_equality_desc
    struct_size::Csize_t
    name::Ptr{UInt8}
    kind::Int32
    active::Int32
    body1::Int32
    body2::Int32
    anchor1::NTuple{3, Cdouble}
    anchor2::NTuple{3, Cdouble}
    relative::Ptr{Cdouble}
    torque_scale::Cdouble
    length::Cdouble
    joint1::Ptr{UInt8}
    joint2::Ptr{UInt8}
    coefficients::NTuple{5, Cdouble}
    tendon1::Ptr{UInt8}
    tendon2::Ptr{UInt8}
    dof1::Int32
    dof2::Int32
    function ds_equality_desc()
        made = new()
        ds_equality_desc_init(made)
        made
    end
end

mutable struct ds_body_desc
    struct_size::Csize_t
    name::Ptr{UInt8}
    parent::Int32
    mocap::Int32
    placement::NTuple{16, Cdouble}
    inertia::NTuple{10, Cdouble}
    gravity_compensation::Cdouble
    function ds_body_desc()
        made = new()
        ds_body_desc_init(made)
        made
    end
end

mutable struct ds_ilqr_options
    struct_size::Csize_t
    max_iterations::Csize_t
    tolerance::Cdouble
    function ds_ilqr_options()
        made = new()
        ds_ilqr_options_init(made)
        made
    end
end

struct ds_ilqr_info
    outcome::Int32
    padding::Int32
    iterations::Csize_t
    cost::Cdouble
    first_cost::Cdouble
    slope::Cdouble
    reserved::NTuple{8, UInt64}
end

mutable struct ds_ik_options
    struct_size::Csize_t
    tolerance::Cdouble
    max_iterations::Csize_t
    max_restarts::Csize_t
    seed::UInt64
    equality_weight::Cdouble
    limits::Int32
    reserved::Int32
    function ds_ik_options()
        made = new()
        ds_ik_options_init(made)
        made
    end
end

mutable struct ds_ik_task
    struct_size::Csize_t
    kind::Int32
    body::Int32
    placement::NTuple{16, Cdouble}
    weight::Cdouble
    axes::NTuple{6, Cdouble}
    dofs::Ptr{Cdouble}
    tolerance::Cdouble
    function ds_ik_task()
        made = new()
        ds_ik_task_init(made)
        made
    end
end

struct ds_ik_info
    outcome::Int32
    padding::Int32
    iterations::Csize_t
    restarts::Csize_t
    residual::Cdouble
    objective::Cdouble
    slope::Cdouble
    equality_residual::Cdouble
    reserved::NTuple{8, UInt64}
end

mutable struct ds_recorder_options
    struct_size::Csize_t
    rate::Cdouble
    capacity::Csize_t
    function ds_recorder_options()
        made = new()
        ds_recorder_options_init(made)
        made
    end
end

mutable struct ds_save_options
    struct_size::Csize_t
    strict::Int32
    reserved::Int32
    function ds_save_options()
        made = new()
        ds_save_options_init(made)
        made
    end
end

struct ds_visual
    name::Ptr{UInt8}
    file::Ptr{UInt8}
    body::Int32
    kind::Int32
    size::NTuple{3, Cdouble}
    placement::NTuple{16, Cdouble}
    rgba::NTuple{4, Cdouble}
    vertices::Ptr{Cdouble}
    vertex_count::Csize_t
    triangles::Ptr{UInt32}
    triangle_count::Csize_t
end

ds_abi_version() =
    ccall((:ds_abi_version, libdiffsim), UInt32, ())

ds_actuator_desc_init(a1) =
    ccall((:ds_actuator_desc_init, libdiffsim), Cvoid, (Ref{ds_actuator_desc},), a1)

ds_actuator_desc_set_servo(a1, a2, a3) =
    ccall((:ds_actuator_desc_set_servo, libdiffsim), Int32, (Ref{ds_actuator_desc}, Cdouble, Cdouble), a1, a2, a3)

ds_actuator_states(a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11) =
    ccall((:ds_actuator_states, libdiffsim), Int32, (Ptr{Cvoid}, Ptr{Cdouble}, Ptr{Cdouble}, Ptr{Cdouble}, Ptr{Cdouble}, Ptr{Cdouble}, Ptr{Cdouble}, Ptr{Cdouble}, Ptr{Cdouble}, Ptr{Cdouble}, Ptr{Int32}), a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11)

ds_batch_count(a1) =
    ccall((:ds_batch_count, libdiffsim), Csize_t, (Ptr{Cvoid},), a1)

ds_batch_create(a1, a2, a3, a4, a5) =
    ccall((:ds_batch_create, libdiffsim), Int32, (Ptr{Cvoid}, Ref{ds_options}, Csize_t, Csize_t, Ptr{Ptr{Cvoid}}), a1, a2, a3, a4, a5)

ds_batch_episodes_adjoint(a1, a2, a3) =
    ccall((:ds_batch_episodes_adjoint, libdiffsim), Int32, (Ptr{Cvoid}, Ref{ds_episodes_bars}, Ptr{Int32}), a1, a2, a3)

ds_batch_free(a1) =
    ccall((:ds_batch_free, libdiffsim), Cvoid, (Ptr{Cvoid},), a1)

ds_batch_get_act(a1, a2) =
    ccall((:ds_batch_get_act, libdiffsim), Int32, (Ptr{Cvoid}, Ptr{Cdouble}), a1, a2)

ds_batch_get_params(a1, a2, a3) =
    ccall((:ds_batch_get_params, libdiffsim), Int32, (Ptr{Cvoid}, Csize_t, Ptr{Cdouble}), a1, a2, a3)

ds_batch_integrator(a1) =
    ccall((:ds_batch_integrator, libdiffsim), Int32, (Ptr{Cvoid},), a1)

ds_batch_np(a1) =
    ccall((:ds_batch_np, libdiffsim), Csize_t, (Ptr{Cvoid},), a1)

ds_batch_prescribe(a1, a2, a3, a4) =
    ccall((:ds_batch_prescribe, libdiffsim), Int32, (Ptr{Cvoid}, Csize_t, Int32, Cdouble), a1, a2, a3, a4)

ds_batch_reserve(a1, a2) =
    ccall((:ds_batch_reserve, libdiffsim), Int32, (Ptr{Cvoid}, Csize_t), a1, a2)

ds_batch_reset(a1) =
    ccall((:ds_batch_reset, libdiffsim), Int32, (Ptr{Cvoid},), a1)

ds_batch_reset_element(a1, a2) =
    ccall((:ds_batch_reset_element, libdiffsim), Int32, (Ptr{Cvoid}, Csize_t), a1, a2)

ds_batch_rollout(a1, a2, a3, a4, a5, a6, a7, a8) =
    ccall((:ds_batch_rollout, libdiffsim), Int32, (Ptr{Cvoid}, Csize_t, Ptr{Cdouble}, Ptr{Cdouble}, Ptr{Cdouble}, Ptr{Cdouble}, Ptr{Cdouble}, Ptr{Int32}), a1, a2, a3, a4, a5, a6, a7, a8)

ds_batch_rollout_adjoint(a1, a2, a3, a4, a5, a6, a7, a8) =
    ccall((:ds_batch_rollout_adjoint, libdiffsim), Int32, (Ptr{Cvoid}, Ptr{Cdouble}, Ptr{Cdouble}, Ptr{Cdouble}, Ptr{Cdouble}, Ptr{Cdouble}, Ptr{Cdouble}, Ptr{Int32}), a1, a2, a3, a4, a5, a6, a7, a8)

ds_batch_rollout_gradient(a1, a2) =
    ccall((:ds_batch_rollout_gradient, libdiffsim), Int32, (Ptr{Cvoid}, Ptr{Int32}), a1, a2)

ds_batch_rollout_steps(a1) =
    ccall((:ds_batch_rollout_steps, libdiffsim), Csize_t, (Ptr{Cvoid},), a1)

ds_batch_run_episodes(a1, a2, a3, a4) =
    ccall((:ds_batch_run_episodes, libdiffsim), Int32, (Ptr{Cvoid}, Csize_t, Ref{ds_episodes}, Ptr{Int32}), a1, a2, a3, a4)

ds_batch_select_params(a1, a2, a3) =
    ccall((:ds_batch_select_params, libdiffsim), Int32, (Ptr{Cvoid}, Ptr{ds_param}, Csize_t), a1, a2, a3)

ds_batch_set_act(a1, a2) =
    ccall((:ds_batch_set_act, libdiffsim), Int32, (Ptr{Cvoid}, Ptr{Cdouble}), a1, a2)

ds_batch_set_external_wrench(a1, a2, a3, a4) =
    ccall((:ds_batch_set_external_wrench, libdiffsim), Int32, (Ptr{Cvoid}, Csize_t, Int32, Ptr{Cdouble}), a1, a2, a3, a4)

ds_batch_set_params(a1, a2, a3) =
    ccall((:ds_batch_set_params, libdiffsim), Int32, (Ptr{Cvoid}, Csize_t, Ptr{Cdouble}), a1, a2, a3)

ds_batch_step(a1, a2, a3, a4, a5, a6, a7) =
    ccall((:ds_batch_step, libdiffsim), Int32, (Ptr{Cvoid}, Ptr{Cdouble}, Ptr{Cdouble}, Ptr{Cdouble}, Ptr{Cdouble}, Ptr{Cdouble}, Ptr{Int32}), a1, a2, a3, a4, a5, a6, a7)

ds_batch_step_info(a1, a2, a3) =
    ccall((:ds_batch_step_info, libdiffsim), Int32, (Ptr{Cvoid}, Csize_t, Ptr{ds_step_info}), a1, a2, a3)

ds_batch_step_jacobians(a1, a2, a3) =
    ccall((:ds_batch_step_jacobians, libdiffsim), Int32, (Ptr{Cvoid}, Ptr{ds_step_jacobians}, Ptr{Int32}), a1, a2, a3)

ds_batch_step_vjp(a1, a2, a3, a4, a5, a6, a7, a8) =
    ccall((:ds_batch_step_vjp, libdiffsim), Int32, (Ptr{Cvoid}, Ptr{Cdouble}, Ptr{Cdouble}, Ptr{Cdouble}, Ptr{Cdouble}, Ptr{Cdouble}, Ptr{Cdouble}, Ptr{Int32}), a1, a2, a3, a4, a5, a6, a7, a8)

ds_batch_threads(a1) =
    ccall((:ds_batch_threads, libdiffsim), Csize_t, (Ptr{Cvoid},), a1)

ds_batch_time_step(a1) =
    ccall((:ds_batch_time_step, libdiffsim), Cdouble, (Ptr{Cvoid},), a1)

ds_bias_forces(a1, a2, a3, a4) =
    ccall((:ds_bias_forces, libdiffsim), Int32, (Ptr{Cvoid}, Ptr{Cdouble}, Ptr{Cdouble}, Ptr{Cdouble}), a1, a2, a3, a4)

ds_body_accelerations(a1, a2, a3, a4, a5, a6) =
    ccall((:ds_body_accelerations, libdiffsim), Int32, (Ptr{Cvoid}, Ptr{Cdouble}, Ptr{Cdouble}, Ptr{Cdouble}, Int32, Ptr{Cdouble}), a1, a2, a3, a4, a5, a6)

ds_body_desc_init(a1) =
    ccall((:ds_body_desc_init, libdiffsim), Cvoid, (Ref{ds_body_desc},), a1)

ds_body_jacobian(a1, a2, a3, a4, a5) =
    ccall((:ds_body_jacobian, libdiffsim), Int32, (Ptr{Cvoid}, Ptr{Cdouble}, Int32, Ptr{Cdouble}, Ptr{Cdouble}), a1, a2, a3, a4, a5)

ds_body_jacobians(a1, a2, a3, a4) =
    ccall((:ds_body_jacobians, libdiffsim), Int32, (Ptr{Cvoid}, Ptr{Cdouble}, Int32, Ptr{Cdouble}), a1, a2, a3, a4)

ds_body_velocities(a1, a2, a3, a4, a5) =
    ccall((:ds_body_velocities, libdiffsim), Int32, (Ptr{Cvoid}, Ptr{Cdouble}, Ptr{Cdouble}, Int32, Ptr{Cdouble}), a1, a2, a3, a4, a5)

ds_builder_add_actuator(a1, a2) =
    ccall((:ds_builder_add_actuator, libdiffsim), Int32, (Ptr{Cvoid}, Ref{ds_actuator_desc}), a1, a2)

ds_builder_add_body(a1, a2, a3, a4, a5, a6) =
    ccall((:ds_builder_add_body, libdiffsim), Int32, (Ptr{Cvoid}, Int32, Cstring, Ptr{Cdouble}, Ptr{Cdouble}, Ptr{Int32}), a1, a2, a3, a4, a5, a6)

ds_builder_add_deformable(a1, a2) =
    ccall((:ds_builder_add_deformable, libdiffsim), Int32, (Ptr{Cvoid}, Ref{ds_deformable_desc}), a1, a2)

ds_builder_add_equality(a1, a2) =
    ccall((:ds_builder_add_equality, libdiffsim), Int32, (Ptr{Cvoid}, Ref{ds_equality_desc}), a1, a2)

ds_builder_add_geom(a1, a2, a3, a4) =
    ccall((:ds_builder_add_geom, libdiffsim), Int32, (Ptr{Cvoid}, Int32, Ref{ds_geom_desc}, Ptr{Int32}), a1, a2, a3, a4)

ds_builder_add_joint(a1, a2, a3) =
    ccall((:ds_builder_add_joint, libdiffsim), Int32, (Ptr{Cvoid}, Int32, Ref{ds_joint_desc}), a1, a2, a3)

ds_builder_add_reduction(a1, a2) =
    ccall((:ds_builder_add_reduction, libdiffsim), Int32, (Ptr{Cvoid}, Ref{ds_reduction_desc}), a1, a2)

ds_builder_add_sensor(a1, a2) =
    ccall((:ds_builder_add_sensor, libdiffsim), Int32, (Ptr{Cvoid}, Ref{ds_sensor_desc}), a1, a2)

ds_builder_add_site(a1, a2, a3, a4, a5) =
    ccall((:ds_builder_add_site, libdiffsim), Int32, (Ptr{Cvoid}, Int32, Cstring, Ptr{Cdouble}, Ptr{Int32}), a1, a2, a3, a4, a5)

ds_builder_add_spring(a1, a2) =
    ccall((:ds_builder_add_spring, libdiffsim), Int32, (Ptr{Cvoid}, Ref{ds_spring_desc}), a1, a2)

ds_builder_add_tendon(a1, a2) =
    ccall((:ds_builder_add_tendon, libdiffsim), Int32, (Ptr{Cvoid}, Ref{ds_tendon_desc}), a1, a2)

ds_builder_attach(a1, a2, a3, a4, a5) =
    ccall((:ds_builder_attach, libdiffsim), Int32, (Ptr{Cvoid}, Int32, Ptr{Cdouble}, Ptr{Cvoid}, Cstring), a1, a2, a3, a4, a5)

ds_builder_body(a1, a2, a3) =
    ccall((:ds_builder_body, libdiffsim), Int32, (Ptr{Cvoid}, Int32, Ref{ds_body_desc}), a1, a2, a3)

ds_builder_body_id(a1, a2) =
    ccall((:ds_builder_body_id, libdiffsim), Int32, (Ptr{Cvoid}, Cstring), a1, a2)

ds_builder_build(a1, a2) =
    ccall((:ds_builder_build, libdiffsim), Int32, (Ptr{Cvoid}, Ptr{Ptr{Cvoid}}), a1, a2)

ds_builder_create(a1) =
    ccall((:ds_builder_create, libdiffsim), Int32, (Ptr{Ptr{Cvoid}},), a1)

ds_builder_free(a1) =
    ccall((:ds_builder_free, libdiffsim), Cvoid, (Ptr{Cvoid},), a1)

ds_builder_from_model(a1, a2) =
    ccall((:ds_builder_from_model, libdiffsim), Int32, (Ptr{Cvoid}, Ptr{Ptr{Cvoid}}), a1, a2)

ds_builder_geom(a1, a2, a3) =
    ccall((:ds_builder_geom, libdiffsim), Int32, (Ptr{Cvoid}, Int32, Ref{ds_geom_desc}), a1, a2, a3)

ds_builder_geom_id(a1, a2) =
    ccall((:ds_builder_geom_id, libdiffsim), Int32, (Ptr{Cvoid}, Cstring), a1, a2)

ds_builder_joint(a1, a2, a3) =
    ccall((:ds_builder_joint, libdiffsim), Int32, (Ptr{Cvoid}, Int32, Ref{ds_joint_desc}), a1, a2, a3)

ds_builder_joint_id(a1, a2) =
    ccall((:ds_builder_joint_id, libdiffsim), Int32, (Ptr{Cvoid}, Cstring), a1, a2)

ds_builder_remove_geom(a1, a2) =
    ccall((:ds_builder_remove_geom, libdiffsim), Int32, (Ptr{Cvoid}, Int32), a1, a2)

ds_builder_set_actuation(a1, a2) =
    ccall((:ds_builder_set_actuation, libdiffsim), Int32, (Ptr{Cvoid}, Int32), a1, a2)

ds_builder_set_body(a1, a2, a3) =
    ccall((:ds_builder_set_body, libdiffsim), Int32, (Ptr{Cvoid}, Int32, Ref{ds_body_desc}), a1, a2, a3)

ds_builder_set_geom(a1, a2, a3) =
    ccall((:ds_builder_set_geom, libdiffsim), Int32, (Ptr{Cvoid}, Int32, Ref{ds_geom_desc}), a1, a2, a3)

ds_builder_set_gravity(a1, a2) =
    ccall((:ds_builder_set_gravity, libdiffsim), Int32, (Ptr{Cvoid}, Ptr{Cdouble}), a1, a2)

ds_builder_set_gravity_compensation(a1, a2, a3) =
    ccall((:ds_builder_set_gravity_compensation, libdiffsim), Int32, (Ptr{Cvoid}, Int32, Cdouble), a1, a2, a3)

ds_builder_set_joint(a1, a2, a3) =
    ccall((:ds_builder_set_joint, libdiffsim), Int32, (Ptr{Cvoid}, Int32, Ref{ds_joint_desc}), a1, a2, a3)

ds_center_of_mass(a1, a2, a3, a4, a5) =
    ccall((:ds_center_of_mass, libdiffsim), Int32, (Ptr{Cvoid}, Ptr{Cdouble}, Ptr{Cdouble}, Ptr{Cdouble}, Ptr{Cdouble}), a1, a2, a3, a4, a5)

ds_center_of_mass_motion(a1, a2, a3, a4, a5, a6, a7) =
    ccall((:ds_center_of_mass_motion, libdiffsim), Int32, (Ptr{Cvoid}, Ptr{Cdouble}, Ptr{Cdouble}, Ptr{Cdouble}, Ptr{Cdouble}, Ptr{Cdouble}, Ptr{Cdouble}), a1, a2, a3, a4, a5, a6, a7)

ds_centroidal_derivatives(a1, a2, a3, a4, a5, a6, a7, a8) =
    ccall((:ds_centroidal_derivatives, libdiffsim), Int32, (Ptr{Cvoid}, Ptr{Cdouble}, Ptr{Cdouble}, Ptr{Cdouble}, Ptr{Cdouble}, Ptr{Cdouble}, Ptr{Cdouble}, Ptr{Cdouble}), a1, a2, a3, a4, a5, a6, a7, a8)

ds_centroidal_map(a1, a2, a3) =
    ccall((:ds_centroidal_map, libdiffsim), Int32, (Ptr{Cvoid}, Ptr{Cdouble}, Ptr{Cdouble}), a1, a2, a3)

ds_centroidal_momentum(a1, a2, a3, a4, a5, a6) =
    ccall((:ds_centroidal_momentum, libdiffsim), Int32, (Ptr{Cvoid}, Ptr{Cdouble}, Ptr{Cdouble}, Ptr{Cdouble}, Ptr{Cdouble}, Ptr{Cdouble}), a1, a2, a3, a4, a5, a6)

ds_contact_size() =
    ccall((:ds_contact_size, libdiffsim), Csize_t, ())

ds_coriolis_matrix(a1, a2, a3, a4) =
    ccall((:ds_coriolis_matrix, libdiffsim), Int32, (Ptr{Cvoid}, Ptr{Cdouble}, Ptr{Cdouble}, Ptr{Cdouble}), a1, a2, a3, a4)

ds_deformable_desc_init(a1) =
    ccall((:ds_deformable_desc_init, libdiffsim), Cvoid, (Ref{ds_deformable_desc},), a1)

ds_distance_smoothing_init(a1) =
    ccall((:ds_distance_smoothing_init, libdiffsim), Cvoid, (Ref{ds_distance_smoothing},), a1)

ds_energy(a1, a2, a3, a4, a5) =
    ccall((:ds_energy, libdiffsim), Int32, (Ptr{Cvoid}, Ptr{Cdouble}, Ptr{Cdouble}, Ptr{Cdouble}, Ptr{Cdouble}), a1, a2, a3, a4, a5)

ds_episodes_bars_init(a1) =
    ccall((:ds_episodes_bars_init, libdiffsim), Cvoid, (Ref{ds_episodes_bars},), a1)

ds_episodes_init(a1) =
    ccall((:ds_episodes_init, libdiffsim), Cvoid, (Ref{ds_episodes},), a1)

ds_equality_desc_init(a1) =
    ccall((:ds_equality_desc_init, libdiffsim), Cvoid, (Ref{ds_equality_desc},), a1)

ds_euler_to_quat(a1, a2, a3, a4) =
    ccall((:ds_euler_to_quat, libdiffsim), Int32, (Ptr{Cdouble}, Ptr{Cdouble}, Ptr{Cdouble}, Ptr{Cdouble}), a1, a2, a3, a4)

ds_forward_dynamics(a1, a2, a3, a4, a5) =
    ccall((:ds_forward_dynamics, libdiffsim), Int32, (Ptr{Cvoid}, Ptr{Cdouble}, Ptr{Cdouble}, Ptr{Cdouble}, Ptr{Cdouble}), a1, a2, a3, a4, a5)

ds_forward_dynamics_derivatives(a1, a2, a3, a4, a5, a6, a7) =
    ccall((:ds_forward_dynamics_derivatives, libdiffsim), Int32, (Ptr{Cvoid}, Ptr{Cdouble}, Ptr{Cdouble}, Ptr{Cdouble}, Ptr{Cdouble}, Ptr{Cdouble}, Ptr{Cdouble}), a1, a2, a3, a4, a5, a6, a7)

ds_forward_dynamics_with_wrenches(a1, a2, a3, a4, a5, a6, a7, a8) =
    ccall((:ds_forward_dynamics_with_wrenches, libdiffsim), Int32, (Ptr{Cvoid}, Ptr{Cdouble}, Ptr{Cdouble}, Ptr{Cdouble}, Ptr{Int32}, Ptr{Cdouble}, Csize_t, Ptr{Cdouble}), a1, a2, a3, a4, a5, a6, a7, a8)

ds_forward_kinematics(a1, a2, a3) =
    ccall((:ds_forward_kinematics, libdiffsim), Int32, (Ptr{Cvoid}, Ptr{Cdouble}, Ptr{Cdouble}), a1, a2, a3)

ds_frame_acceleration(a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11) =
    ccall((:ds_frame_acceleration, libdiffsim), Int32, (Ptr{Cvoid}, Ptr{Cdouble}, Ptr{Cdouble}, Ptr{Cdouble}, Int32, Ptr{Cdouble}, Int32, Ptr{Cdouble}, Ptr{Cdouble}, Ptr{Cdouble}, Ptr{Cdouble}), a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11)

ds_frame_jacobian(a1, a2, a3, a4, a5, a6) =
    ccall((:ds_frame_jacobian, libdiffsim), Int32, (Ptr{Cvoid}, Ptr{Cdouble}, Int32, Ptr{Cdouble}, Int32, Ptr{Cdouble}), a1, a2, a3, a4, a5, a6)

ds_frame_jacobian_rate(a1, a2, a3, a4, a5, a6, a7) =
    ccall((:ds_frame_jacobian_rate, libdiffsim), Int32, (Ptr{Cvoid}, Ptr{Cdouble}, Ptr{Cdouble}, Int32, Ptr{Cdouble}, Int32, Ptr{Cdouble}), a1, a2, a3, a4, a5, a6, a7)

ds_frame_velocity(a1, a2, a3, a4, a5, a6, a7, a8, a9) =
    ccall((:ds_frame_velocity, libdiffsim), Int32, (Ptr{Cvoid}, Ptr{Cdouble}, Ptr{Cdouble}, Int32, Ptr{Cdouble}, Int32, Ptr{Cdouble}, Ptr{Cdouble}, Ptr{Cdouble}), a1, a2, a3, a4, a5, a6, a7, a8, a9)

ds_generalized_forces(a1, a2, a3, a4, a5, a6, a7, a8, a9, a10) =
    ccall((:ds_generalized_forces, libdiffsim), Int32, (Ptr{Cvoid}, Ptr{Cdouble}, Ptr{Cdouble}, Ptr{Cdouble}, Int32, Ptr{Cdouble}, Ptr{Cdouble}, Ptr{Cdouble}, Ptr{Cdouble}, Ptr{Int32}), a1, a2, a3, a4, a5, a6, a7, a8, a9, a10)

ds_geom_desc_init(a1) =
    ccall((:ds_geom_desc_init, libdiffsim), Cvoid, (Ref{ds_geom_desc},), a1)

ds_gravity_forces(a1, a2, a3, a4) =
    ccall((:ds_gravity_forces, libdiffsim), Int32, (Ptr{Cvoid}, Ptr{Cdouble}, Ptr{Cdouble}, Ptr{Cdouble}), a1, a2, a3, a4)

ds_hybrid_dynamics(a1, a2, a3, a4, a5, a6) =
    ccall((:ds_hybrid_dynamics, libdiffsim), Int32, (Ptr{Cvoid}, Ptr{Cdouble}, Ptr{Cdouble}, Ptr{Int32}, Ptr{Cdouble}, Ptr{Cdouble}), a1, a2, a3, a4, a5, a6)

ds_ik_add_task(a1, a2, a3) =
    ccall((:ds_ik_add_task, libdiffsim), Int32, (Ptr{Cvoid}, Ref{ds_ik_task}, Ptr{Int32}), a1, a2, a3)

ds_ik_create(a1, a2, a3) =
    ccall((:ds_ik_create, libdiffsim), Int32, (Ptr{Cvoid}, Ref{ds_ik_options}, Ptr{Ptr{Cvoid}}), a1, a2, a3)

ds_ik_free(a1) =
    ccall((:ds_ik_free, libdiffsim), Cvoid, (Ptr{Cvoid},), a1)

ds_ik_gradient(a1, a2, a3) =
    ccall((:ds_ik_gradient, libdiffsim), Int32, (Ptr{Cvoid}, Ptr{Int32}, Ptr{Int32}), a1, a2, a3)

ds_ik_jacobian(a1, a2) =
    ccall((:ds_ik_jacobian, libdiffsim), Int32, (Ptr{Cvoid}, Ptr{Cdouble}), a1, a2)

ds_ik_jvp(a1, a2, a3) =
    ccall((:ds_ik_jvp, libdiffsim), Int32, (Ptr{Cvoid}, Ptr{Cdouble}, Ptr{Cdouble}), a1, a2, a3)

ds_ik_ntask(a1) =
    ccall((:ds_ik_ntask, libdiffsim), Csize_t, (Ptr{Cvoid},), a1)

ds_ik_options_init(a1) =
    ccall((:ds_ik_options_init, libdiffsim), Cvoid, (Ref{ds_ik_options},), a1)

ds_ik_residual(a1, a2, a3) =
    ccall((:ds_ik_residual, libdiffsim), Int32, (Ptr{Cvoid}, Int32, Ptr{Cdouble}), a1, a2, a3)

ds_ik_residual_size(a1, a2) =
    ccall((:ds_ik_residual_size, libdiffsim), Csize_t, (Ptr{Cvoid}, Int32), a1, a2)

ds_ik_set_target(a1, a2, a3) =
    ccall((:ds_ik_set_target, libdiffsim), Int32, (Ptr{Cvoid}, Int32, Ptr{Cdouble}), a1, a2, a3)

ds_ik_set_weight(a1, a2, a3) =
    ccall((:ds_ik_set_weight, libdiffsim), Int32, (Ptr{Cvoid}, Int32, Cdouble), a1, a2, a3)

ds_ik_solve(a1, a2, a3, a4) =
    ccall((:ds_ik_solve, libdiffsim), Int32, (Ptr{Cvoid}, Ptr{Cdouble}, Ptr{Cdouble}, Ptr{ds_ik_info}), a1, a2, a3, a4)

ds_ik_target_size(a1, a2) =
    ccall((:ds_ik_target_size, libdiffsim), Csize_t, (Ptr{Cvoid}, Int32), a1, a2)

ds_ik_task_init(a1) =
    ccall((:ds_ik_task_init, libdiffsim), Cvoid, (Ref{ds_ik_task},), a1)

ds_ik_variation_size(a1) =
    ccall((:ds_ik_variation_size, libdiffsim), Csize_t, (Ptr{Cvoid},), a1)

ds_ik_vjp(a1, a2, a3) =
    ccall((:ds_ik_vjp, libdiffsim), Int32, (Ptr{Cvoid}, Ptr{Cdouble}, Ptr{Cdouble}), a1, a2, a3)

ds_ilqr_create(a1, a2, a3, a4, a5) =
    ccall((:ds_ilqr_create, libdiffsim), Int32, (Ptr{Cvoid}, Ref{ds_options}, Csize_t, Ref{ds_ilqr_options}, Ptr{Ptr{Cvoid}}), a1, a2, a3, a4, a5)

ds_ilqr_free(a1) =
    ccall((:ds_ilqr_free, libdiffsim), Cvoid, (Ptr{Cvoid},), a1)

ds_ilqr_gains(a1, a2, a3) =
    ccall((:ds_ilqr_gains, libdiffsim), Int32, (Ptr{Cvoid}, Csize_t, Ptr{Cdouble}), a1, a2, a3)

ds_ilqr_options_init(a1) =
    ccall((:ds_ilqr_options_init, libdiffsim), Cvoid, (Ref{ds_ilqr_options},), a1)

ds_ilqr_prescribe(a1, a2, a3) =
    ccall((:ds_ilqr_prescribe, libdiffsim), Int32, (Ptr{Cvoid}, Int32, Cdouble), a1, a2, a3)

ds_ilqr_set_act_reference(a1, a2, a3) =
    ccall((:ds_ilqr_set_act_reference, libdiffsim), Int32, (Ptr{Cvoid}, Int32, Ptr{Cdouble}), a1, a2, a3)

ds_ilqr_set_external_wrench(a1, a2, a3) =
    ccall((:ds_ilqr_set_external_wrench, libdiffsim), Int32, (Ptr{Cvoid}, Int32, Ptr{Cdouble}), a1, a2, a3)

ds_ilqr_set_input_bounds(a1, a2, a3) =
    ccall((:ds_ilqr_set_input_bounds, libdiffsim), Int32, (Ptr{Cvoid}, Ptr{Cdouble}, Ptr{Cdouble}), a1, a2, a3)

ds_ilqr_set_reference(a1, a2, a3, a4, a5) =
    ccall((:ds_ilqr_set_reference, libdiffsim), Int32, (Ptr{Cvoid}, Int32, Ptr{Cdouble}, Ptr{Cdouble}, Ptr{Cdouble}), a1, a2, a3, a4, a5)

ds_ilqr_set_weights(a1, a2, a3, a4) =
    ccall((:ds_ilqr_set_weights, libdiffsim), Int32, (Ptr{Cvoid}, Ptr{Cdouble}, Ptr{Cdouble}, Ptr{Cdouble}), a1, a2, a3, a4)

ds_ilqr_solve(a1, a2, a3, a4, a5) =
    ccall((:ds_ilqr_solve, libdiffsim), Int32, (Ptr{Cvoid}, Ptr{Cdouble}, Ptr{Cdouble}, Ptr{Cdouble}, Ptr{ds_ilqr_info}), a1, a2, a3, a4, a5)

ds_ilqr_solve_act(a1, a2, a3, a4, a5, a6) =
    ccall((:ds_ilqr_solve_act, libdiffsim), Int32, (Ptr{Cvoid}, Ptr{Cdouble}, Ptr{Cdouble}, Ptr{Cdouble}, Ptr{Cdouble}, Ptr{ds_ilqr_info}), a1, a2, a3, a4, a5, a6)

ds_ilqr_states(a1, a2, a3) =
    ccall((:ds_ilqr_states, libdiffsim), Int32, (Ptr{Cvoid}, Ptr{Cdouble}, Ptr{Cdouble}), a1, a2, a3)

ds_ilqr_states_act(a1, a2, a3, a4) =
    ccall((:ds_ilqr_states_act, libdiffsim), Int32, (Ptr{Cvoid}, Ptr{Cdouble}, Ptr{Cdouble}, Ptr{Cdouble}), a1, a2, a3, a4)

ds_ilqr_steps(a1) =
    ccall((:ds_ilqr_steps, libdiffsim), Csize_t, (Ptr{Cvoid},), a1)

ds_inertia_from_com(a1, a2, a3, a4) =
    ccall((:ds_inertia_from_com, libdiffsim), Int32, (Cdouble, Ptr{Cdouble}, Ptr{Cdouble}, Ptr{Cdouble}), a1, a2, a3, a4)

ds_inertia_from_log_cholesky(a1, a2, a3) =
    ccall((:ds_inertia_from_log_cholesky, libdiffsim), Int32, (Ptr{Cdouble}, Ptr{Cdouble}, Ptr{Cdouble}), a1, a2, a3)

ds_inertia_to_com(a1, a2, a3, a4) =
    ccall((:ds_inertia_to_com, libdiffsim), Int32, (Ptr{Cdouble}, Ptr{Cdouble}, Ptr{Cdouble}, Ptr{Cdouble}), a1, a2, a3, a4)

ds_inertia_to_log_cholesky(a1, a2) =
    ccall((:ds_inertia_to_log_cholesky, libdiffsim), Int32, (Ptr{Cdouble}, Ptr{Cdouble}), a1, a2)

ds_inverse_dynamics(a1, a2, a3, a4, a5) =
    ccall((:ds_inverse_dynamics, libdiffsim), Int32, (Ptr{Cvoid}, Ptr{Cdouble}, Ptr{Cdouble}, Ptr{Cdouble}, Ptr{Cdouble}), a1, a2, a3, a4, a5)

ds_inverse_dynamics_derivatives(a1, a2, a3, a4, a5, a6) =
    ccall((:ds_inverse_dynamics_derivatives, libdiffsim), Int32, (Ptr{Cvoid}, Ptr{Cdouble}, Ptr{Cdouble}, Ptr{Cdouble}, Ptr{Cdouble}, Ptr{Cdouble}), a1, a2, a3, a4, a5, a6)

ds_inverse_dynamics_regressor(a1, a2, a3, a4, a5) =
    ccall((:ds_inverse_dynamics_regressor, libdiffsim), Int32, (Ptr{Cvoid}, Ptr{Cdouble}, Ptr{Cdouble}, Ptr{Cdouble}, Ptr{Cdouble}), a1, a2, a3, a4, a5)

ds_inverse_dynamics_with_wrenches(a1, a2, a3, a4, a5, a6, a7, a8) =
    ccall((:ds_inverse_dynamics_with_wrenches, libdiffsim), Int32, (Ptr{Cvoid}, Ptr{Cdouble}, Ptr{Cdouble}, Ptr{Cdouble}, Ptr{Int32}, Ptr{Cdouble}, Csize_t, Ptr{Cdouble}), a1, a2, a3, a4, a5, a6, a7, a8)

ds_joint_desc_init(a1) =
    ccall((:ds_joint_desc_init, libdiffsim), Cvoid, (Ref{ds_joint_desc},), a1)

ds_last_error() =
    ccall((:ds_last_error, libdiffsim), Cstring, ())

ds_load_options_init(a1) =
    ccall((:ds_load_options_init, libdiffsim), Cvoid, (Ref{ds_load_options},), a1)

ds_lqr(a1, a2, a3, a4, a5, a6, a7, a8) =
    ccall((:ds_lqr, libdiffsim), Int32, (Csize_t, Csize_t, Ptr{Cdouble}, Ptr{Cdouble}, Ptr{Cdouble}, Ptr{Cdouble}, Ptr{Cdouble}, Ptr{Cdouble}), a1, a2, a3, a4, a5, a6, a7, a8)

ds_mass_matrix(a1, a2, a3) =
    ccall((:ds_mass_matrix, libdiffsim), Int32, (Ptr{Cvoid}, Ptr{Cdouble}, Ptr{Cdouble}), a1, a2, a3)

ds_mass_matrix_inverse(a1, a2, a3) =
    ccall((:ds_mass_matrix_inverse, libdiffsim), Int32, (Ptr{Cvoid}, Ptr{Cdouble}, Ptr{Cdouble}), a1, a2, a3)

ds_model_act_actuator(a1, a2) =
    ccall((:ds_model_act_actuator, libdiffsim), Int32, (Ptr{Cvoid}, Int32), a1, a2)

ds_model_actuator(a1, a2, a3) =
    ccall((:ds_model_actuator, libdiffsim), Int32, (Ptr{Cvoid}, Int32, Ref{ds_actuator_desc}), a1, a2, a3)

ds_model_actuator_id(a1, a2) =
    ccall((:ds_model_actuator_id, libdiffsim), Int32, (Ptr{Cvoid}, Cstring), a1, a2)

ds_model_actuator_name(a1, a2) =
    ccall((:ds_model_actuator_name, libdiffsim), Cstring, (Ptr{Cvoid}, Int32), a1, a2)

ds_model_body(a1, a2, a3) =
    ccall((:ds_model_body, libdiffsim), Int32, (Ptr{Cvoid}, Int32, Ref{ds_body_desc}), a1, a2, a3)

ds_model_body_gravity_compensation(a1, a2, a3) =
    ccall((:ds_model_body_gravity_compensation, libdiffsim), Int32, (Ptr{Cvoid}, Int32, Ptr{Cdouble}), a1, a2, a3)

ds_model_body_id(a1, a2) =
    ccall((:ds_model_body_id, libdiffsim), Int32, (Ptr{Cvoid}, Cstring), a1, a2)

ds_model_body_inertia(a1, a2, a3) =
    ccall((:ds_model_body_inertia, libdiffsim), Int32, (Ptr{Cvoid}, Int32, Ptr{Cdouble}), a1, a2, a3)

ds_model_body_mocap(a1, a2) =
    ccall((:ds_model_body_mocap, libdiffsim), Int32, (Ptr{Cvoid}, Int32), a1, a2)

ds_model_body_name(a1, a2) =
    ccall((:ds_model_body_name, libdiffsim), Cstring, (Ptr{Cvoid}, Int32), a1, a2)

ds_model_body_parent(a1, a2) =
    ccall((:ds_model_body_parent, libdiffsim), Int32, (Ptr{Cvoid}, Int32), a1, a2)

ds_model_body_placement(a1, a2, a3) =
    ccall((:ds_model_body_placement, libdiffsim), Int32, (Ptr{Cvoid}, Int32, Ptr{Cdouble}), a1, a2, a3)

ds_model_difference(a1, a2, a3, a4) =
    ccall((:ds_model_difference, libdiffsim), Int32, (Ptr{Cvoid}, Ptr{Cdouble}, Ptr{Cdouble}, Ptr{Cdouble}), a1, a2, a3, a4)

ds_model_exclude_overlapping(a1, a2, a3) =
    ccall((:ds_model_exclude_overlapping, libdiffsim), Int32, (Ptr{Cvoid}, Ptr{Cdouble}, Ptr{Ptr{Cvoid}}), a1, a2, a3)

ds_model_free(a1) =
    ccall((:ds_model_free, libdiffsim), Cvoid, (Ptr{Cvoid},), a1)

ds_model_geom(a1, a2, a3) =
    ccall((:ds_model_geom, libdiffsim), Int32, (Ptr{Cvoid}, Int32, Ref{ds_geom_desc}), a1, a2, a3)

ds_model_geom_body(a1, a2) =
    ccall((:ds_model_geom_body, libdiffsim), Int32, (Ptr{Cvoid}, Int32), a1, a2)

ds_model_geom_friction(a1, a2, a3) =
    ccall((:ds_model_geom_friction, libdiffsim), Int32, (Ptr{Cvoid}, Int32, Ptr{Cdouble}), a1, a2, a3)

ds_model_geom_id(a1, a2) =
    ccall((:ds_model_geom_id, libdiffsim), Int32, (Ptr{Cvoid}, Cstring), a1, a2)

ds_model_geom_name(a1, a2) =
    ccall((:ds_model_geom_name, libdiffsim), Cstring, (Ptr{Cvoid}, Int32), a1, a2)

ds_model_geom_placement(a1, a2, a3) =
    ccall((:ds_model_geom_placement, libdiffsim), Int32, (Ptr{Cvoid}, Int32, Ptr{Cdouble}), a1, a2, a3)

ds_model_geom_restitution(a1, a2, a3) =
    ccall((:ds_model_geom_restitution, libdiffsim), Int32, (Ptr{Cvoid}, Int32, Ptr{Cdouble}), a1, a2, a3)

ds_model_geom_size(a1, a2, a3) =
    ccall((:ds_model_geom_size, libdiffsim), Int32, (Ptr{Cvoid}, Int32, Ptr{Cdouble}), a1, a2, a3)

ds_model_geom_type(a1, a2) =
    ccall((:ds_model_geom_type, libdiffsim), Int32, (Ptr{Cvoid}, Int32), a1, a2)

ds_model_gravity(a1, a2) =
    ccall((:ds_model_gravity, libdiffsim), Int32, (Ptr{Cvoid}, Ptr{Cdouble}), a1, a2)

ds_model_home(a1, a2) =
    ccall((:ds_model_home, libdiffsim), Int32, (Ptr{Cvoid}, Ptr{Cdouble}), a1, a2)

ds_model_integrate(a1, a2, a3, a4) =
    ccall((:ds_model_integrate, libdiffsim), Int32, (Ptr{Cvoid}, Ptr{Cdouble}, Ptr{Cdouble}, Ptr{Cdouble}), a1, a2, a3, a4)

ds_model_joint(a1, a2, a3) =
    ccall((:ds_model_joint, libdiffsim), Int32, (Ptr{Cvoid}, Int32, Ref{ds_joint_desc}), a1, a2, a3)

ds_model_joint_body(a1, a2) =
    ccall((:ds_model_joint_body, libdiffsim), Int32, (Ptr{Cvoid}, Int32), a1, a2)

ds_model_joint_effort_velocity(a1, a2, a3) =
    ccall((:ds_model_joint_effort_velocity, libdiffsim), Int32, (Ptr{Cvoid}, Int32, Ptr{Cdouble}), a1, a2, a3)

ds_model_joint_id(a1, a2) =
    ccall((:ds_model_joint_id, libdiffsim), Int32, (Ptr{Cvoid}, Cstring), a1, a2)

ds_model_joint_limits(a1, a2, a3) =
    ccall((:ds_model_joint_limits, libdiffsim), Int32, (Ptr{Cvoid}, Int32, Ptr{Cdouble}), a1, a2, a3)

ds_model_joint_name(a1, a2) =
    ccall((:ds_model_joint_name, libdiffsim), Cstring, (Ptr{Cvoid}, Int32), a1, a2)

ds_model_joint_nq(a1, a2) =
    ccall((:ds_model_joint_nq, libdiffsim), Int32, (Ptr{Cvoid}, Int32), a1, a2)

ds_model_joint_nv(a1, a2) =
    ccall((:ds_model_joint_nv, libdiffsim), Int32, (Ptr{Cvoid}, Int32), a1, a2)

ds_model_joint_q_index(a1, a2) =
    ccall((:ds_model_joint_q_index, libdiffsim), Int32, (Ptr{Cvoid}, Int32), a1, a2)

ds_model_joint_type(a1, a2) =
    ccall((:ds_model_joint_type, libdiffsim), Int32, (Ptr{Cvoid}, Int32), a1, a2)

ds_model_joint_v_index(a1, a2) =
    ccall((:ds_model_joint_v_index, libdiffsim), Int32, (Ptr{Cvoid}, Int32), a1, a2)

ds_model_keyframe(a1, a2, a3, a4, a5) =
    ccall((:ds_model_keyframe, libdiffsim), Int32, (Ptr{Cvoid}, Cstring, Ptr{Cdouble}, Ptr{Cdouble}, Ptr{Cdouble}), a1, a2, a3, a4, a5)

ds_model_keyframe_act(a1, a2, a3) =
    ccall((:ds_model_keyframe_act, libdiffsim), Int32, (Ptr{Cvoid}, Cstring, Ptr{Cdouble}), a1, a2, a3)

ds_model_keyframe_at(a1, a2, a3, a4, a5) =
    ccall((:ds_model_keyframe_at, libdiffsim), Int32, (Ptr{Cvoid}, Int32, Ptr{Cdouble}, Ptr{Cdouble}, Ptr{Cdouble}), a1, a2, a3, a4, a5)

ds_model_keyframe_name(a1, a2) =
    ccall((:ds_model_keyframe_name, libdiffsim), Cstring, (Ptr{Cvoid}, Int32), a1, a2)

ds_model_load(a1, a2, a3) =
    ccall((:ds_model_load, libdiffsim), Int32, (Cstring, Ref{ds_load_options}, Ptr{Ptr{Cvoid}}), a1, a2, a3)

ds_model_load_string(a1, a2, a3, a4, a5) =
    ccall((:ds_model_load_string, libdiffsim), Int32, (Cstring, Csize_t, Int32, Ref{ds_load_options}, Ptr{Ptr{Cvoid}}), a1, a2, a3, a4, a5)

ds_model_na(a1) =
    ccall((:ds_model_na, libdiffsim), Csize_t, (Ptr{Cvoid},), a1)

ds_model_nbody(a1) =
    ccall((:ds_model_nbody, libdiffsim), Csize_t, (Ptr{Cvoid},), a1)

ds_model_neutral(a1, a2) =
    ccall((:ds_model_neutral, libdiffsim), Int32, (Ptr{Cvoid}, Ptr{Cdouble}), a1, a2)

ds_model_ngeom(a1) =
    ccall((:ds_model_ngeom, libdiffsim), Csize_t, (Ptr{Cvoid},), a1)

ds_model_njoint(a1) =
    ccall((:ds_model_njoint, libdiffsim), Csize_t, (Ptr{Cvoid},), a1)

ds_model_nkeyframe(a1) =
    ccall((:ds_model_nkeyframe, libdiffsim), Csize_t, (Ptr{Cvoid},), a1)

ds_model_nq(a1) =
    ccall((:ds_model_nq, libdiffsim), Csize_t, (Ptr{Cvoid},), a1)

ds_model_nsensor(a1) =
    ccall((:ds_model_nsensor, libdiffsim), Csize_t, (Ptr{Cvoid},), a1)

ds_model_nsensordata(a1) =
    ccall((:ds_model_nsensordata, libdiffsim), Csize_t, (Ptr{Cvoid},), a1)

ds_model_nsite(a1) =
    ccall((:ds_model_nsite, libdiffsim), Csize_t, (Ptr{Cvoid},), a1)

ds_model_ntendon(a1) =
    ccall((:ds_model_ntendon, libdiffsim), Csize_t, (Ptr{Cvoid},), a1)

ds_model_nu(a1) =
    ccall((:ds_model_nu, libdiffsim), Csize_t, (Ptr{Cvoid},), a1)

ds_model_nv(a1) =
    ccall((:ds_model_nv, libdiffsim), Csize_t, (Ptr{Cvoid},), a1)

ds_model_pair_enabled(a1, a2, a3) =
    ccall((:ds_model_pair_enabled, libdiffsim), Int32, (Ptr{Cvoid}, Int32, Int32), a1, a2, a3)

ds_model_place_on_ground(a1, a2, a3) =
    ccall((:ds_model_place_on_ground, libdiffsim), Int32, (Ptr{Cvoid}, Ptr{Cdouble}, Ptr{Cdouble}), a1, a2, a3)

ds_model_q_from_mujoco(a1, a2, a3) =
    ccall((:ds_model_q_from_mujoco, libdiffsim), Int32, (Ptr{Cvoid}, Ptr{Cdouble}, Ptr{Cdouble}), a1, a2, a3)

ds_model_q_to_mujoco(a1, a2, a3) =
    ccall((:ds_model_q_to_mujoco, libdiffsim), Int32, (Ptr{Cvoid}, Ptr{Cdouble}, Ptr{Cdouble}), a1, a2, a3)

ds_model_save(a1, a2, a3, a4) =
    ccall((:ds_model_save, libdiffsim), Int32, (Ptr{Cvoid}, Cstring, Ref{ds_save_options}, Ptr{Ptr{Cvoid}}), a1, a2, a3, a4)

ds_model_sensor_adr(a1, a2) =
    ccall((:ds_model_sensor_adr, libdiffsim), Int32, (Ptr{Cvoid}, Int32), a1, a2)

ds_model_sensor_dim(a1, a2) =
    ccall((:ds_model_sensor_dim, libdiffsim), Int32, (Ptr{Cvoid}, Int32), a1, a2)

ds_model_sensor_id(a1, a2) =
    ccall((:ds_model_sensor_id, libdiffsim), Int32, (Ptr{Cvoid}, Cstring), a1, a2)

ds_model_sensor_kind(a1, a2) =
    ccall((:ds_model_sensor_kind, libdiffsim), Int32, (Ptr{Cvoid}, Int32), a1, a2)

ds_model_sensor_name(a1, a2) =
    ccall((:ds_model_sensor_name, libdiffsim), Cstring, (Ptr{Cvoid}, Int32), a1, a2)

ds_model_site_body(a1, a2) =
    ccall((:ds_model_site_body, libdiffsim), Int32, (Ptr{Cvoid}, Int32), a1, a2)

ds_model_site_id(a1, a2) =
    ccall((:ds_model_site_id, libdiffsim), Int32, (Ptr{Cvoid}, Cstring), a1, a2)

ds_model_site_name(a1, a2) =
    ccall((:ds_model_site_name, libdiffsim), Cstring, (Ptr{Cvoid}, Int32), a1, a2)

ds_model_site_placement(a1, a2, a3) =
    ccall((:ds_model_site_placement, libdiffsim), Int32, (Ptr{Cvoid}, Int32, Ptr{Cdouble}), a1, a2, a3)

ds_model_tendon_id(a1, a2) =
    ccall((:ds_model_tendon_id, libdiffsim), Int32, (Ptr{Cvoid}, Cstring), a1, a2)

ds_model_tendon_name(a1, a2) =
    ccall((:ds_model_tendon_name, libdiffsim), Cstring, (Ptr{Cvoid}, Int32), a1, a2)

ds_model_time_step(a1) =
    ccall((:ds_model_time_step, libdiffsim), Cdouble, (Ptr{Cvoid},), a1)

ds_model_v_from_mujoco(a1, a2, a3, a4) =
    ccall((:ds_model_v_from_mujoco, libdiffsim), Int32, (Ptr{Cvoid}, Ptr{Cdouble}, Ptr{Cdouble}, Ptr{Cdouble}), a1, a2, a3, a4)

ds_model_v_to_mujoco(a1, a2, a3, a4) =
    ccall((:ds_model_v_to_mujoco, libdiffsim), Int32, (Ptr{Cvoid}, Ptr{Cdouble}, Ptr{Cdouble}, Ptr{Cdouble}), a1, a2, a3, a4)

ds_model_warning(a1, a2) =
    ccall((:ds_model_warning, libdiffsim), Cstring, (Ptr{Cvoid}, Csize_t), a1, a2)

ds_model_warning_count(a1) =
    ccall((:ds_model_warning_count, libdiffsim), Csize_t, (Ptr{Cvoid},), a1)

ds_model_with_actuators(a1, a2, a3, a4) =
    ccall((:ds_model_with_actuators, libdiffsim), Int32, (Ptr{Cvoid}, Ref{ds_actuator_desc}, Csize_t, Ptr{Ptr{Cvoid}}), a1, a2, a3, a4)

ds_model_with_pairs(a1, a2, a3, a4, a5) =
    ccall((:ds_model_with_pairs, libdiffsim), Int32, (Ptr{Cvoid}, Ptr{Int32}, Csize_t, Int32, Ptr{Ptr{Cvoid}}), a1, a2, a3, a4, a5)

ds_momentum(a1, a2, a3, a4, a5) =
    ccall((:ds_momentum, libdiffsim), Int32, (Ptr{Cvoid}, Ptr{Cdouble}, Ptr{Cdouble}, Ptr{Cdouble}, Ptr{Cdouble}), a1, a2, a3, a4, a5)

ds_options_init(a1) =
    ccall((:ds_options_init, libdiffsim), Cvoid, (Ref{ds_options},), a1)

ds_patch_size() =
    ccall((:ds_patch_size, libdiffsim), Csize_t, ())

ds_problem_create(a1, a2) =
    ccall((:ds_problem_create, libdiffsim), Int32, (Ref{ds_problem_options}, Ptr{Ptr{Cvoid}}), a1, a2)

ds_problem_free(a1) =
    ccall((:ds_problem_free, libdiffsim), Cvoid, (Ptr{Cvoid},), a1)

ds_problem_impulses_unique(a1, a2) =
    ccall((:ds_problem_impulses_unique, libdiffsim), Int32, (Ptr{Cvoid}, Ptr{Int32}), a1, a2)

ds_problem_info(a1, a2) =
    ccall((:ds_problem_info, libdiffsim), Int32, (Ptr{Cvoid}, Ptr{ds_step_info}), a1, a2)

ds_problem_jvp(a1, a2, a3, a4, a5, a6, a7, a8, a9) =
    ccall((:ds_problem_jvp, libdiffsim), Int32, (Ptr{Cvoid}, Ptr{Cdouble}, Ptr{Cdouble}, Ptr{Cdouble}, Ptr{Cdouble}, Ptr{Cdouble}, Ptr{Cdouble}, Ptr{Cdouble}, Ptr{Cdouble}), a1, a2, a3, a4, a5, a6, a7, a8, a9)

ds_problem_modes(a1, a2) =
    ccall((:ds_problem_modes, libdiffsim), Int32, (Ptr{Cvoid}, Ptr{Int32}), a1, a2)

ds_problem_options_init(a1) =
    ccall((:ds_problem_options_init, libdiffsim), Cvoid, (Ref{ds_problem_options},), a1)

ds_problem_reset(a1) =
    ccall((:ds_problem_reset, libdiffsim), Int32, (Ptr{Cvoid},), a1)

ds_problem_solve(a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11) =
    ccall((:ds_problem_solve, libdiffsim), Int32, (Ptr{Cvoid}, Csize_t, Ptr{Cdouble}, Ptr{Cdouble}, Ptr{Cdouble}, Ptr{Cdouble}, Ptr{Cdouble}, Ptr{Cdouble}, Ptr{Cdouble}, Ptr{Cdouble}, Ptr{ds_step_info}), a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11)

ds_problem_vjp(a1, a2, a3, a4, a5, a6, a7, a8, a9) =
    ccall((:ds_problem_vjp, libdiffsim), Int32, (Ptr{Cvoid}, Ptr{Cdouble}, Ptr{Cdouble}, Ptr{Cdouble}, Ptr{Cdouble}, Ptr{Cdouble}, Ptr{Cdouble}, Ptr{Cdouble}, Ptr{Cdouble}), a1, a2, a3, a4, a5, a6, a7, a8, a9)

ds_quat_to_euler(a1, a2, a3, a4) =
    ccall((:ds_quat_to_euler, libdiffsim), Int32, (Ptr{Cdouble}, Ptr{Cdouble}, Ptr{Cdouble}, Ptr{Cdouble}), a1, a2, a3, a4)

ds_quat_to_rotation_vector(a1, a2, a3) =
    ccall((:ds_quat_to_rotation_vector, libdiffsim), Int32, (Ptr{Cdouble}, Ptr{Cdouble}, Ptr{Cdouble}), a1, a2, a3)

ds_recorder_add_arrow(a1, a2, a3, a4) =
    ccall((:ds_recorder_add_arrow, libdiffsim), Int32, (Ptr{Cvoid}, Int32, Ptr{Cdouble}, Ptr{Cdouble}), a1, a2, a3, a4)

ds_recorder_add_channel(a1, a2, a3, a4) =
    ccall((:ds_recorder_add_channel, libdiffsim), Int32, (Ptr{Cvoid}, Cstring, Csize_t, Ptr{Int32}), a1, a2, a3, a4)

ds_recorder_add_visuals(a1, a2, a3, a4) =
    ccall((:ds_recorder_add_visuals, libdiffsim), Int32, (Ptr{Cvoid}, Cstring, Ref{ds_load_options}, Ptr{Csize_t}), a1, a2, a3, a4)

ds_recorder_batch_step(a1, a2, a3) =
    ccall((:ds_recorder_batch_step, libdiffsim), Int32, (Ptr{Cvoid}, Ptr{Cvoid}, Csize_t), a1, a2, a3)

ds_recorder_bytes(a1, a2, a3) =
    ccall((:ds_recorder_bytes, libdiffsim), Int32, (Ptr{Cvoid}, Ptr{Ptr{Cvoid}}, Ptr{Csize_t}), a1, a2, a3)

ds_recorder_create(a1, a2, a3) =
    ccall((:ds_recorder_create, libdiffsim), Int32, (Ptr{Cvoid}, Ref{ds_recorder_options}, Ptr{Ptr{Cvoid}}), a1, a2, a3)

ds_recorder_dropped(a1) =
    ccall((:ds_recorder_dropped, libdiffsim), UInt64, (Ptr{Cvoid},), a1)

ds_recorder_flush(a1) =
    ccall((:ds_recorder_flush, libdiffsim), Int32, (Ptr{Cvoid},), a1)

ds_recorder_frames(a1) =
    ccall((:ds_recorder_frames, libdiffsim), UInt64, (Ptr{Cvoid},), a1)

ds_recorder_free(a1) =
    ccall((:ds_recorder_free, libdiffsim), Cvoid, (Ptr{Cvoid},), a1)

ds_recorder_open(a1, a2) =
    ccall((:ds_recorder_open, libdiffsim), Int32, (Ptr{Cvoid}, Cstring), a1, a2)

ds_recorder_options_init(a1) =
    ccall((:ds_recorder_options_init, libdiffsim), Cvoid, (Ref{ds_recorder_options},), a1)

ds_recorder_rollout(a1, a2, a3, a4, a5) =
    ccall((:ds_recorder_rollout, libdiffsim), Int32, (Ptr{Cvoid}, Ptr{Cvoid}, Ptr{Cdouble}, Ptr{Cdouble}, Ptr{Cdouble}), a1, a2, a3, a4, a5)

ds_recorder_save(a1, a2) =
    ccall((:ds_recorder_save, libdiffsim), Int32, (Ptr{Cvoid}, Cstring), a1, a2)

ds_recorder_set_channel(a1, a2, a3) =
    ccall((:ds_recorder_set_channel, libdiffsim), Int32, (Ptr{Cvoid}, Int32, Ptr{Cdouble}), a1, a2, a3)

ds_recorder_set_gradient(a1, a2, a3) =
    ccall((:ds_recorder_set_gradient, libdiffsim), Int32, (Ptr{Cvoid}, Int32, Ptr{Cdouble}), a1, a2, a3)

ds_recorder_state(a1, a2, a3, a4) =
    ccall((:ds_recorder_state, libdiffsim), Int32, (Ptr{Cvoid}, Cdouble, Ptr{Cdouble}, Ptr{Cdouble}), a1, a2, a3, a4)

ds_recorder_step(a1, a2) =
    ccall((:ds_recorder_step, libdiffsim), Int32, (Ptr{Cvoid}, Ptr{Cvoid}), a1, a2)

ds_recorder_surface(a1, a2, a3, a4, a5, a6, a7) =
    ccall((:ds_recorder_surface, libdiffsim), Int32, (Ptr{Cvoid}, Cstring, Ptr{Cdouble}, Csize_t, Ptr{UInt32}, Csize_t, Ptr{Cfloat}), a1, a2, a3, a4, a5, a6, a7)

ds_recorder_warning(a1, a2) =
    ccall((:ds_recorder_warning, libdiffsim), Cstring, (Ptr{Cvoid}, Csize_t), a1, a2)

ds_recorder_warning_count(a1) =
    ccall((:ds_recorder_warning_count, libdiffsim), Csize_t, (Ptr{Cvoid},), a1)

ds_reduction_desc_init(a1) =
    ccall((:ds_reduction_desc_init, libdiffsim), Cvoid, (Ref{ds_reduction_desc},), a1)

ds_rollout_adjoint(a1, a2, a3, a4, a5, a6, a7) =
    ccall((:ds_rollout_adjoint, libdiffsim), Int32, (Ptr{Cvoid}, Ptr{Cdouble}, Ptr{Cdouble}, Ptr{Cdouble}, Ptr{Cdouble}, Ptr{Cdouble}, Ptr{Cdouble}), a1, a2, a3, a4, a5, a6, a7)

ds_rollout_adjoint_act(a1, a2, a3, a4, a5, a6, a7, a8, a9) =
    ccall((:ds_rollout_adjoint_act, libdiffsim), Int32, (Ptr{Cvoid}, Ptr{Cdouble}, Ptr{Cdouble}, Ptr{Cdouble}, Ptr{Cdouble}, Ptr{Cdouble}, Ptr{Cdouble}, Ptr{Cdouble}, Ptr{Cdouble}), a1, a2, a3, a4, a5, a6, a7, a8, a9)

ds_rollout_aware_report(a1, a2, a3) =
    ccall((:ds_rollout_aware_report, libdiffsim), Int32, (Ptr{Cvoid}, Ptr{Csize_t}, Ptr{Csize_t}), a1, a2, a3)

ds_rollout_create(a1, a2, a3, a4) =
    ccall((:ds_rollout_create, libdiffsim), Int32, (Ptr{Cvoid}, Ref{ds_options}, Csize_t, Ptr{Ptr{Cvoid}}), a1, a2, a3, a4)

ds_rollout_free(a1) =
    ccall((:ds_rollout_free, libdiffsim), Cvoid, (Ptr{Cvoid},), a1)

ds_rollout_get_params(a1, a2) =
    ccall((:ds_rollout_get_params, libdiffsim), Int32, (Ptr{Cvoid}, Ptr{Cdouble}), a1, a2)

ds_rollout_gradient(a1, a2) =
    ccall((:ds_rollout_gradient, libdiffsim), Int32, (Ptr{Cvoid}, Ptr{Int32}), a1, a2)

ds_rollout_integrator(a1) =
    ccall((:ds_rollout_integrator, libdiffsim), Int32, (Ptr{Cvoid},), a1)

ds_rollout_np(a1) =
    ccall((:ds_rollout_np, libdiffsim), Csize_t, (Ptr{Cvoid},), a1)

ds_rollout_prescribe(a1, a2, a3) =
    ccall((:ds_rollout_prescribe, libdiffsim), Int32, (Ptr{Cvoid}, Int32, Cdouble), a1, a2, a3)

ds_rollout_run(a1, a2, a3, a4, a5, a6, a7) =
    ccall((:ds_rollout_run, libdiffsim), Int32, (Ptr{Cvoid}, Ptr{Cdouble}, Ptr{Cdouble}, Ptr{Cdouble}, Csize_t, Ptr{Cdouble}, Ptr{Cdouble}), a1, a2, a3, a4, a5, a6, a7)

ds_rollout_run_act(a1, a2, a3, a4, a5, a6, a7, a8, a9) =
    ccall((:ds_rollout_run_act, libdiffsim), Int32, (Ptr{Cvoid}, Ptr{Cdouble}, Ptr{Cdouble}, Ptr{Cdouble}, Ptr{Cdouble}, Csize_t, Ptr{Cdouble}, Ptr{Cdouble}, Ptr{Cdouble}), a1, a2, a3, a4, a5, a6, a7, a8, a9)

ds_rollout_select_params(a1, a2, a3) =
    ccall((:ds_rollout_select_params, libdiffsim), Int32, (Ptr{Cvoid}, Ptr{ds_param}, Csize_t), a1, a2, a3)

ds_rollout_set_external_wrench(a1, a2, a3) =
    ccall((:ds_rollout_set_external_wrench, libdiffsim), Int32, (Ptr{Cvoid}, Int32, Ptr{Cdouble}), a1, a2, a3)

ds_rollout_set_params(a1, a2) =
    ccall((:ds_rollout_set_params, libdiffsim), Int32, (Ptr{Cvoid}, Ptr{Cdouble}), a1, a2)

ds_rollout_time_step(a1) =
    ccall((:ds_rollout_time_step, libdiffsim), Cdouble, (Ptr{Cvoid},), a1)

ds_rotation_vector_to_quat(a1, a2, a3) =
    ccall((:ds_rotation_vector_to_quat, libdiffsim), Int32, (Ptr{Cdouble}, Ptr{Cdouble}, Ptr{Cdouble}), a1, a2, a3)

ds_save_options_init(a1) =
    ccall((:ds_save_options_init, libdiffsim), Cvoid, (Ref{ds_save_options},), a1)

ds_saved_free(a1) =
    ccall((:ds_saved_free, libdiffsim), Cvoid, (Ptr{Cvoid},), a1)

ds_saved_warning(a1, a2) =
    ccall((:ds_saved_warning, libdiffsim), Cstring, (Ptr{Cvoid}, Csize_t), a1, a2)

ds_saved_warning_count(a1) =
    ccall((:ds_saved_warning_count, libdiffsim), Csize_t, (Ptr{Cvoid},), a1)

ds_sensor_desc_init(a1) =
    ccall((:ds_sensor_desc_init, libdiffsim), Cvoid, (Ref{ds_sensor_desc},), a1)

ds_sim_acceleration_act_jacobian(a1, a2) =
    ccall((:ds_sim_acceleration_act_jacobian, libdiffsim), Int32, (Ptr{Cvoid}, Ptr{Cdouble}), a1, a2)

ds_sim_acceleration_jacobians(a1, a2, a3, a4, a5) =
    ccall((:ds_sim_acceleration_jacobians, libdiffsim), Int32, (Ptr{Cvoid}, Ptr{Cdouble}, Ptr{Cdouble}, Ptr{Cdouble}, Ptr{Cdouble}), a1, a2, a3, a4, a5)

ds_sim_acceleration_vjp(a1, a2, a3, a4, a5, a6) =
    ccall((:ds_sim_acceleration_vjp, libdiffsim), Int32, (Ptr{Cvoid}, Ptr{Cdouble}, Ptr{Cdouble}, Ptr{Cdouble}, Ptr{Cdouble}, Ptr{Cdouble}), a1, a2, a3, a4, a5, a6)

ds_sim_acceleration_vjp_act(a1, a2, a3, a4, a5, a6, a7) =
    ccall((:ds_sim_acceleration_vjp_act, libdiffsim), Int32, (Ptr{Cvoid}, Ptr{Cdouble}, Ptr{Cdouble}, Ptr{Cdouble}, Ptr{Cdouble}, Ptr{Cdouble}, Ptr{Cdouble}), a1, a2, a3, a4, a5, a6, a7)

ds_sim_aware_contacts(a1, a2) =
    ccall((:ds_sim_aware_contacts, libdiffsim), Int32, (Ptr{Cvoid}, Ptr{Csize_t}), a1, a2)

ds_sim_body_contact_wrenches(a1, a2) =
    ccall((:ds_sim_body_contact_wrenches, libdiffsim), Int32, (Ptr{Cvoid}, Ptr{Cdouble}), a1, a2)

ds_sim_collide(a1, a2) =
    ccall((:ds_sim_collide, libdiffsim), Int32, (Ptr{Cvoid}, Ptr{Cdouble}), a1, a2)

ds_sim_column_labels(a1, a2, a3, a4, a5) =
    ccall((:ds_sim_column_labels, libdiffsim), Int32, (Ptr{Cvoid}, Ptr{Cvoid}, Ptr{Cvoid}, Ptr{Cvoid}, Ptr{Cvoid}), a1, a2, a3, a4, a5)

ds_sim_contact_derivatives(a1, a2, a3, a4, a5, a6) =
    ccall((:ds_sim_contact_derivatives, libdiffsim), Int32, (Ptr{Cvoid}, Ptr{Cdouble}, Ptr{Cdouble}, Ptr{Cdouble}, Ptr{Cdouble}, Ptr{Int32}), a1, a2, a3, a4, a5, a6)

ds_sim_contact_torques(a1, a2) =
    ccall((:ds_sim_contact_torques, libdiffsim), Int32, (Ptr{Cvoid}, Ptr{Cdouble}), a1, a2)

ds_sim_contacts(a1, a2, a3) =
    ccall((:ds_sim_contacts, libdiffsim), Int32, (Ptr{Cvoid}, Ptr{Ptr{ds_contact}}, Ptr{Csize_t}), a1, a2, a3)

ds_sim_create(a1, a2, a3) =
    ccall((:ds_sim_create, libdiffsim), Int32, (Ptr{Cvoid}, Ref{ds_options}, Ptr{Ptr{Cvoid}}), a1, a2, a3)

ds_sim_distance(a1, a2, a3, a4, a5, a6) =
    ccall((:ds_sim_distance, libdiffsim), Int32, (Ptr{Cvoid}, Int32, Int32, Ptr{Cdouble}, Ptr{ds_distance}, Ptr{Cdouble}), a1, a2, a3, a4, a5, a6)

ds_sim_forward(a1, a2, a3, a4, a5) =
    ccall((:ds_sim_forward, libdiffsim), Int32, (Ptr{Cvoid}, Ptr{Cdouble}, Ptr{Cdouble}, Ptr{Cdouble}, Ptr{Cdouble}), a1, a2, a3, a4, a5)

ds_sim_free(a1) =
    ccall((:ds_sim_free, libdiffsim), Cvoid, (Ptr{Cvoid},), a1)

ds_sim_get_act(a1, a2) =
    ccall((:ds_sim_get_act, libdiffsim), Int32, (Ptr{Cvoid}, Ptr{Cdouble}), a1, a2)

ds_sim_get_memory(a1, a2) =
    ccall((:ds_sim_get_memory, libdiffsim), Int32, (Ptr{Cvoid}, Ptr{Cdouble}), a1, a2)

ds_sim_get_params(a1, a2) =
    ccall((:ds_sim_get_params, libdiffsim), Int32, (Ptr{Cvoid}, Ptr{Cdouble}), a1, a2)

ds_sim_impulse_jacobians(a1, a2, a3, a4, a5, a6) =
    ccall((:ds_sim_impulse_jacobians, libdiffsim), Int32, (Ptr{Cvoid}, Ptr{Cdouble}, Ptr{Cdouble}, Ptr{Cdouble}, Ptr{Cdouble}, Ptr{Int32}), a1, a2, a3, a4, a5, a6)

ds_sim_impulse_jvp(a1, a2, a3, a4, a5, a6, a7) =
    ccall((:ds_sim_impulse_jvp, libdiffsim), Int32, (Ptr{Cvoid}, Ptr{Cdouble}, Ptr{Cdouble}, Ptr{Cdouble}, Ptr{Cdouble}, Ptr{Cdouble}, Ptr{Int32}), a1, a2, a3, a4, a5, a6, a7)

ds_sim_impulse_vjp(a1, a2, a3, a4, a5, a6, a7) =
    ccall((:ds_sim_impulse_vjp, libdiffsim), Int32, (Ptr{Cvoid}, Ptr{Cdouble}, Ptr{Cdouble}, Ptr{Cdouble}, Ptr{Cdouble}, Ptr{Cdouble}, Ptr{Int32}), a1, a2, a3, a4, a5, a6, a7)

ds_sim_integrator(a1) =
    ccall((:ds_sim_integrator, libdiffsim), Int32, (Ptr{Cvoid},), a1)

ds_sim_inverse(a1, a2, a3, a4, a5, a6) =
    ccall((:ds_sim_inverse, libdiffsim), Int32, (Ptr{Cvoid}, Ptr{Cdouble}, Ptr{Cdouble}, Ptr{Cdouble}, Ptr{Cdouble}, Ptr{Cdouble}), a1, a2, a3, a4, a5, a6)

ds_sim_inverse_jacobians(a1, a2, a3, a4) =
    ccall((:ds_sim_inverse_jacobians, libdiffsim), Int32, (Ptr{Cvoid}, Ptr{Cdouble}, Ptr{Cdouble}, Ptr{Cdouble}), a1, a2, a3, a4)

ds_sim_jacobian_entries(a1, a2) =
    ccall((:ds_sim_jacobian_entries, libdiffsim), Int32, (Ptr{Cvoid}, Ptr{ds_jacobian_entries}), a1, a2)

ds_sim_jacobian_pattern(a1, a2, a3, a4, a5, a6) =
    ccall((:ds_sim_jacobian_pattern, libdiffsim), Int32, (Ptr{Cvoid}, Ptr{ds_jacobian_entries}, Ptr{Int32}, Ptr{Int32}, Ptr{Int32}, Ptr{Int32}), a1, a2, a3, a4, a5, a6)

ds_sim_linearize(a1, a2, a3, a4, a5, a6) =
    ccall((:ds_sim_linearize, libdiffsim), Int32, (Ptr{Cvoid}, Ptr{Cdouble}, Ptr{Cdouble}, Ptr{Cdouble}, Ptr{Cdouble}, Ptr{Cdouble}), a1, a2, a3, a4, a5, a6)

ds_sim_memory_size(a1) =
    ccall((:ds_sim_memory_size, libdiffsim), Csize_t, (Ptr{Cvoid},), a1)

ds_sim_np(a1) =
    ccall((:ds_sim_np, libdiffsim), Csize_t, (Ptr{Cvoid},), a1)

ds_sim_patch_faces(a1, a2, a3, a4, a5) =
    ccall((:ds_sim_patch_faces, libdiffsim), Int32, (Ptr{Cvoid}, Ptr{Ptr{Cdouble}}, Ptr{Ptr{Cdouble}}, Ptr{Ptr{Csize_t}}, Ptr{Csize_t}), a1, a2, a3, a4, a5)

ds_sim_patches(a1, a2, a3) =
    ccall((:ds_sim_patches, libdiffsim), Int32, (Ptr{Cvoid}, Ptr{Ptr{ds_patch}}, Ptr{Csize_t}), a1, a2, a3)

ds_sim_prescribe(a1, a2, a3) =
    ccall((:ds_sim_prescribe, libdiffsim), Int32, (Ptr{Cvoid}, Int32, Cdouble), a1, a2, a3)

ds_sim_prescribed_impulses(a1, a2) =
    ccall((:ds_sim_prescribed_impulses, libdiffsim), Int32, (Ptr{Cvoid}, Ptr{Cdouble}), a1, a2)

ds_sim_prescribed_velocities(a1, a2) =
    ccall((:ds_sim_prescribed_velocities, libdiffsim), Int32, (Ptr{Cvoid}, Ptr{Cdouble}), a1, a2)

ds_sim_ray_cast(a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11) =
    ccall((:ds_sim_ray_cast, libdiffsim), Int32, (Ptr{Cvoid}, Ptr{Cdouble}, Ptr{Cdouble}, Ptr{Cdouble}, Cdouble, Int32, Ptr{Cdouble}, Ptr{Cdouble}, Ptr{Int32}, Ptr{Cdouble}, Ptr{Int32}), a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11)

ds_sim_ray_casts(a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12) =
    ccall((:ds_sim_ray_casts, libdiffsim), Int32, (Ptr{Cvoid}, Ptr{Cdouble}, Csize_t, Ptr{Cdouble}, Ptr{Cdouble}, Cdouble, Int32, Ptr{Cdouble}, Ptr{Cdouble}, Ptr{Int32}, Ptr{Cdouble}, Ptr{Int32}), a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12)

ds_sim_relaxed_step(a1, a2, a3, a4) =
    ccall((:ds_sim_relaxed_step, libdiffsim), Int32, (Ptr{Cvoid}, Ref{ds_smoothing}, Ptr{Cdouble}, Ptr{Cdouble}), a1, a2, a3, a4)

ds_sim_reset(a1) =
    ccall((:ds_sim_reset, libdiffsim), Int32, (Ptr{Cvoid},), a1)

ds_sim_select_params(a1, a2, a3) =
    ccall((:ds_sim_select_params, libdiffsim), Int32, (Ptr{Cvoid}, Ptr{ds_param}, Csize_t), a1, a2, a3)

ds_sim_sensor_act_jacobian(a1, a2, a3, a4, a5, a6) =
    ccall((:ds_sim_sensor_act_jacobian, libdiffsim), Int32, (Ptr{Cvoid}, Ptr{Cdouble}, Ptr{Cdouble}, Ptr{Cdouble}, Ptr{Cdouble}, Ptr{Int32}), a1, a2, a3, a4, a5, a6)

ds_sim_sensor_jacobians(a1, a2, a3, a4, a5, a6, a7, a8) =
    ccall((:ds_sim_sensor_jacobians, libdiffsim), Int32, (Ptr{Cvoid}, Ptr{Cdouble}, Ptr{Cdouble}, Ptr{Cdouble}, Ptr{Cdouble}, Ptr{Cdouble}, Ptr{Cdouble}, Ptr{Int32}), a1, a2, a3, a4, a5, a6, a7, a8)

ds_sim_sensor_vjp(a1, a2, a3, a4, a5, a6, a7, a8, a9) =
    ccall((:ds_sim_sensor_vjp, libdiffsim), Int32, (Ptr{Cvoid}, Ptr{Cdouble}, Ptr{Cdouble}, Ptr{Cdouble}, Ptr{Cdouble}, Ptr{Cdouble}, Ptr{Cdouble}, Ptr{Cdouble}, Ptr{Int32}), a1, a2, a3, a4, a5, a6, a7, a8, a9)

ds_sim_sensor_vjp_act(a1, a2, a3, a4, a5, a6, a7, a8, a9, a10) =
    ccall((:ds_sim_sensor_vjp_act, libdiffsim), Int32, (Ptr{Cvoid}, Ptr{Cdouble}, Ptr{Cdouble}, Ptr{Cdouble}, Ptr{Cdouble}, Ptr{Cdouble}, Ptr{Cdouble}, Ptr{Cdouble}, Ptr{Cdouble}, Ptr{Int32}), a1, a2, a3, a4, a5, a6, a7, a8, a9, a10)

ds_sim_sensors(a1, a2, a3, a4, a5) =
    ccall((:ds_sim_sensors, libdiffsim), Int32, (Ptr{Cvoid}, Ptr{Cdouble}, Ptr{Cdouble}, Ptr{Cdouble}, Ptr{Cdouble}), a1, a2, a3, a4, a5)

ds_sim_set_act(a1, a2) =
    ccall((:ds_sim_set_act, libdiffsim), Int32, (Ptr{Cvoid}, Ptr{Cdouble}), a1, a2)

ds_sim_set_external_wrench(a1, a2, a3) =
    ccall((:ds_sim_set_external_wrench, libdiffsim), Int32, (Ptr{Cvoid}, Int32, Ptr{Cdouble}), a1, a2, a3)

ds_sim_set_force(a1, a2, a3, a4) =
    ccall((:ds_sim_set_force, libdiffsim), Int32, (Ptr{Cvoid}, Ptr{Cdouble}, Ptr{Cdouble}, Ptr{Cdouble}), a1, a2, a3, a4)

ds_sim_set_memory(a1, a2) =
    ccall((:ds_sim_set_memory, libdiffsim), Int32, (Ptr{Cvoid}, Ptr{Cdouble}), a1, a2)

ds_sim_set_pair_enabled(a1, a2, a3, a4) =
    ccall((:ds_sim_set_pair_enabled, libdiffsim), Int32, (Ptr{Cvoid}, Int32, Int32, Int32), a1, a2, a3, a4)

ds_sim_set_params(a1, a2) =
    ccall((:ds_sim_set_params, libdiffsim), Int32, (Ptr{Cvoid}, Ptr{Cdouble}), a1, a2)

ds_sim_smoothed_distance(a1, a2, a3, a4, a5, a6, a7, a8, a9) =
    ccall((:ds_sim_smoothed_distance, libdiffsim), Int32, (Ptr{Cvoid}, Int32, Int32, Ptr{Cdouble}, Ref{ds_distance_smoothing}, Ptr{ds_smoothed_distance}, Ptr{Cdouble}, Ptr{Cdouble}, Ptr{Cdouble}), a1, a2, a3, a4, a5, a6, a7, a8, a9)

ds_sim_smoothed_jacobians(a1, a2, a3, a4) =
    ccall((:ds_sim_smoothed_jacobians, libdiffsim), Int32, (Ptr{Cvoid}, Ref{ds_smoothing}, Ptr{ds_step_jacobians}, Ptr{ds_smoothing_info}), a1, a2, a3, a4)

ds_sim_step(a1, a2, a3, a4, a5, a6) =
    ccall((:ds_sim_step, libdiffsim), Int32, (Ptr{Cvoid}, Ptr{Cdouble}, Ptr{Cdouble}, Ptr{Cdouble}, Ptr{Cdouble}, Ptr{Cdouble}), a1, a2, a3, a4, a5, a6)

ds_sim_step_act_jacobians(a1, a2) =
    ccall((:ds_sim_step_act_jacobians, libdiffsim), Int32, (Ptr{Cvoid}, Ptr{ds_act_jacobians}), a1, a2)

ds_sim_step_info(a1, a2) =
    ccall((:ds_sim_step_info, libdiffsim), Int32, (Ptr{Cvoid}, Ptr{ds_step_info}), a1, a2)

ds_sim_step_jacobians(a1, a2) =
    ccall((:ds_sim_step_jacobians, libdiffsim), Int32, (Ptr{Cvoid}, Ptr{ds_step_jacobians}), a1, a2)

ds_sim_step_jacobians_sparse(a1, a2, a3) =
    ccall((:ds_sim_step_jacobians_sparse, libdiffsim), Int32, (Ptr{Cvoid}, Ptr{ds_jacobian_entries}, Ptr{ds_step_jacobians}), a1, a2, a3)

ds_sim_step_jvp(a1, a2, a3, a4, a5, a6, a7) =
    ccall((:ds_sim_step_jvp, libdiffsim), Int32, (Ptr{Cvoid}, Ptr{Cdouble}, Ptr{Cdouble}, Ptr{Cdouble}, Ptr{Cdouble}, Ptr{Cdouble}, Ptr{Cdouble}), a1, a2, a3, a4, a5, a6, a7)

ds_sim_step_jvp_act(a1, a2, a3, a4, a5, a6, a7, a8, a9) =
    ccall((:ds_sim_step_jvp_act, libdiffsim), Int32, (Ptr{Cvoid}, Ptr{Cdouble}, Ptr{Cdouble}, Ptr{Cdouble}, Ptr{Cdouble}, Ptr{Cdouble}, Ptr{Cdouble}, Ptr{Cdouble}, Ptr{Cdouble}), a1, a2, a3, a4, a5, a6, a7, a8, a9)

ds_sim_step_vjp(a1, a2, a3, a4, a5, a6, a7) =
    ccall((:ds_sim_step_vjp, libdiffsim), Int32, (Ptr{Cvoid}, Ptr{Cdouble}, Ptr{Cdouble}, Ptr{Cdouble}, Ptr{Cdouble}, Ptr{Cdouble}, Ptr{Cdouble}), a1, a2, a3, a4, a5, a6, a7)

ds_sim_step_vjp_act(a1, a2, a3, a4, a5, a6, a7, a8, a9) =
    ccall((:ds_sim_step_vjp_act, libdiffsim), Int32, (Ptr{Cvoid}, Ptr{Cdouble}, Ptr{Cdouble}, Ptr{Cdouble}, Ptr{Cdouble}, Ptr{Cdouble}, Ptr{Cdouble}, Ptr{Cdouble}, Ptr{Cdouble}), a1, a2, a3, a4, a5, a6, a7, a8, a9)

ds_sim_step_vjp_aware(a1, a2, a3, a4, a5, a6, a7, a8) =
    ccall((:ds_sim_step_vjp_aware, libdiffsim), Int32, (Ptr{Cvoid}, Ptr{Cdouble}, Ptr{Cdouble}, Ptr{Cdouble}, Ptr{Cdouble}, Ptr{Cdouble}, Ptr{Cdouble}, Ptr{Int32}), a1, a2, a3, a4, a5, a6, a7, a8)

ds_sim_tendon_lengths(a1, a2, a3, a4) =
    ccall((:ds_sim_tendon_lengths, libdiffsim), Int32, (Ptr{Cvoid}, Ptr{Cdouble}, Ptr{Cdouble}, Ptr{Cdouble}), a1, a2, a3, a4)

ds_sim_time_step(a1) =
    ccall((:ds_sim_time_step, libdiffsim), Cdouble, (Ptr{Cvoid},), a1)

ds_site_accelerations(a1, a2, a3, a4, a5, a6) =
    ccall((:ds_site_accelerations, libdiffsim), Int32, (Ptr{Cvoid}, Ptr{Cdouble}, Ptr{Cdouble}, Ptr{Cdouble}, Int32, Ptr{Cdouble}), a1, a2, a3, a4, a5, a6)

ds_site_jacobian(a1, a2, a3, a4) =
    ccall((:ds_site_jacobian, libdiffsim), Int32, (Ptr{Cvoid}, Ptr{Cdouble}, Int32, Ptr{Cdouble}), a1, a2, a3, a4)

ds_site_placements(a1, a2, a3) =
    ccall((:ds_site_placements, libdiffsim), Int32, (Ptr{Cvoid}, Ptr{Cdouble}, Ptr{Cdouble}), a1, a2, a3)

ds_site_velocities(a1, a2, a3, a4, a5) =
    ccall((:ds_site_velocities, libdiffsim), Int32, (Ptr{Cvoid}, Ptr{Cdouble}, Ptr{Cdouble}, Int32, Ptr{Cdouble}), a1, a2, a3, a4, a5)

ds_smoothing_init(a1) =
    ccall((:ds_smoothing_init, libdiffsim), Cvoid, (Ref{ds_smoothing},), a1)

ds_spring_desc_init(a1) =
    ccall((:ds_spring_desc_init, libdiffsim), Cvoid, (Ref{ds_spring_desc},), a1)

ds_status_name(a1) =
    ccall((:ds_status_name, libdiffsim), Cstring, (Int32,), a1)

ds_tendon_desc_init(a1) =
    ccall((:ds_tendon_desc_init, libdiffsim), Cvoid, (Ref{ds_tendon_desc},), a1)

ds_tendon_states(a1, a2, a3, a4, a5, a6, a7, a8, a9) =
    ccall((:ds_tendon_states, libdiffsim), Int32, (Ptr{Cvoid}, Ptr{Cdouble}, Ptr{Cdouble}, Ptr{Cdouble}, Ptr{Cdouble}, Ptr{Cdouble}, Ptr{Cdouble}, Ptr{Cdouble}, Ptr{Int32}), a1, a2, a3, a4, a5, a6, a7, a8, a9)

ds_version_string() =
    ccall((:ds_version_string, libdiffsim), Cstring, ())

ds_visuals_at(a1, a2) =
    ccall((:ds_visuals_at, libdiffsim), Ptr{ds_visual}, (Ptr{Cvoid}, Csize_t), a1, a2)

ds_visuals_count(a1) =
    ccall((:ds_visuals_count, libdiffsim), Csize_t, (Ptr{Cvoid},), a1)

ds_visuals_free(a1) =
    ccall((:ds_visuals_free, libdiffsim), Cvoid, (Ptr{Cvoid},), a1)

ds_visuals_left_out(a1) =
    ccall((:ds_visuals_left_out, libdiffsim), Csize_t, (Ptr{Cvoid},), a1)

ds_visuals_load(a1, a2, a3, a4) =
    ccall((:ds_visuals_load, libdiffsim), Int32, (Ptr{Cvoid}, Cstring, Ref{ds_load_options}, Ptr{Ptr{Cvoid}}), a1, a2, a3, a4)

ds_visuals_warning(a1, a2) =
    ccall((:ds_visuals_warning, libdiffsim), Cstring, (Ptr{Cvoid}, Csize_t), a1, a2)

ds_visuals_warning_count(a1) =
    ccall((:ds_visuals_warning_count, libdiffsim), Csize_t, (Ptr{Cvoid},), a1)

end
