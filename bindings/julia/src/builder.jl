"""
    Builder()

Collects bodies, joints, geoms, springs, tendons, actuators and equalities; [`build`](@ref) makes a model of them.
`Builder(model)` starts from a model. Body 0 is the world. Ids belong to the builder; find those of the model by name.

    b = Builder()
    arm = add_body!(b, 0, "arm"; inertia = inertia_from_com(1.0, zeros(3), [0.1, 0, 0.1, 0, 0, 0.1]))
    add_joint!(b, arm; name = "hinge", axis = [0, 1, 0])
    add_tendon!(b; bodies = [0, arm], anchors = [0 0; 0 0; 1 0], name = "cable", stiffness = 100.0, pull_only = true)
    add_actuator!(b; tendon = "cable", name = "winch", gear = [-1, 0, 0, 0, 0, 0])
    model = build(b)
"""
mutable struct Builder
    handle::Ptr{Cvoid}
    function Builder()
        out = Ref{Ptr{Cvoid}}(C_NULL)
        check(LibDiffSim.ds_builder_create(out))
        finalizer(close, new(out[]))
    end
    function Builder(m::Model)
        out = Ref{Ptr{Cvoid}}(C_NULL)
        check(LibDiffSim.ds_builder_from_model(handle(m), out))
        finalizer(close, new(out[]))
    end
end

function Base.close(b::Builder)
    LibDiffSim.ds_builder_free(b.handle)
    b.handle = C_NULL
    nothing
end

const JOINTS = (
    fixed = LibDiffSim.DS_JOINT_FIXED,
    revolute = LibDiffSim.DS_JOINT_REVOLUTE,
    continuous = LibDiffSim.DS_JOINT_CONTINUOUS,
    prismatic = LibDiffSim.DS_JOINT_PRISMATIC,
    spherical = LibDiffSim.DS_JOINT_SPHERICAL,
    free = LibDiffSim.DS_JOINT_FREE,
    planar_translation = LibDiffSim.DS_JOINT_PLANAR_TRANSLATION,
    translation = LibDiffSim.DS_JOINT_TRANSLATION,
    planar = LibDiffSim.DS_JOINT_PLANAR,
    universal = LibDiffSim.DS_JOINT_UNIVERSAL,
    spline_curve = LibDiffSim.DS_JOINT_SPLINE_CURVE,
    spline_surface = LibDiffSim.DS_JOINT_SPLINE_SURFACE,
    euler = LibDiffSim.DS_JOINT_EULER,
)
const GEOMS = (
    plane = LibDiffSim.DS_GEOM_PLANE,
    sphere = LibDiffSim.DS_GEOM_SPHERE,
    capsule = LibDiffSim.DS_GEOM_CAPSULE,
    cylinder = LibDiffSim.DS_GEOM_CYLINDER,
    ellipsoid = LibDiffSim.DS_GEOM_ELLIPSOID,
    box = LibDiffSim.DS_GEOM_BOX,
)
const EQUALITIES = (
    connect = LibDiffSim.DS_EQUALITY_CONNECT,
    weld = LibDiffSim.DS_EQUALITY_WELD,
    distance = LibDiffSim.DS_EQUALITY_DISTANCE,
    joint = LibDiffSim.DS_EQUALITY_JOINT,
    tendon = LibDiffSim.DS_EQUALITY_TENDON,
)
const SENSORS = (
    frame_position = LibDiffSim.DS_SENSOR_FRAME_POSITION,
    frame_quaternion = LibDiffSim.DS_SENSOR_FRAME_QUATERNION,
    frame_x_axis = LibDiffSim.DS_SENSOR_FRAME_X_AXIS,
    frame_y_axis = LibDiffSim.DS_SENSOR_FRAME_Y_AXIS,
    frame_z_axis = LibDiffSim.DS_SENSOR_FRAME_Z_AXIS,
    frame_linear_velocity = LibDiffSim.DS_SENSOR_FRAME_LINEAR_VELOCITY,
    frame_angular_velocity = LibDiffSim.DS_SENSOR_FRAME_ANGULAR_VELOCITY,
    frame_linear_acceleration = LibDiffSim.DS_SENSOR_FRAME_LINEAR_ACCELERATION,
    frame_angular_acceleration = LibDiffSim.DS_SENSOR_FRAME_ANGULAR_ACCELERATION,
    gyro = LibDiffSim.DS_SENSOR_GYRO,
    velocimeter = LibDiffSim.DS_SENSOR_VELOCIMETER,
    accelerometer = LibDiffSim.DS_SENSOR_ACCELEROMETER,
    magnetometer = LibDiffSim.DS_SENSOR_MAGNETOMETER,
    rangefinder = LibDiffSim.DS_SENSOR_RANGEFINDER,
    touch = LibDiffSim.DS_SENSOR_TOUCH,
    force = LibDiffSim.DS_SENSOR_FORCE,
    torque = LibDiffSim.DS_SENSOR_TORQUE,
    joint_position = LibDiffSim.DS_SENSOR_JOINT_POSITION,
    joint_velocity = LibDiffSim.DS_SENSOR_JOINT_VELOCITY,
    ball_quaternion = LibDiffSim.DS_SENSOR_BALL_QUATERNION,
    ball_angular_velocity = LibDiffSim.DS_SENSOR_BALL_ANGULAR_VELOCITY,
    joint_actuator_force = LibDiffSim.DS_SENSOR_JOINT_ACTUATOR_FORCE,
    tendon_position = LibDiffSim.DS_SENSOR_TENDON_POSITION,
    tendon_velocity = LibDiffSim.DS_SENSOR_TENDON_VELOCITY,
    actuator_position = LibDiffSim.DS_SENSOR_ACTUATOR_POSITION,
    actuator_velocity = LibDiffSim.DS_SENSOR_ACTUATOR_VELOCITY,
    actuator_force = LibDiffSim.DS_SENSOR_ACTUATOR_FORCE,
    subtree_center = LibDiffSim.DS_SENSOR_SUBTREE_CENTER,
    subtree_linear_velocity = LibDiffSim.DS_SENSOR_SUBTREE_LINEAR_VELOCITY,
    subtree_angular_momentum = LibDiffSim.DS_SENSOR_SUBTREE_ANGULAR_MOMENTUM,
    joint_limit_position = LibDiffSim.DS_SENSOR_JOINT_LIMIT_POSITION,
    joint_limit_velocity = LibDiffSim.DS_SENSOR_JOINT_LIMIT_VELOCITY,
    joint_limit_force = LibDiffSim.DS_SENSOR_JOINT_LIMIT_FORCE,
    tendon_limit_position = LibDiffSim.DS_SENSOR_TENDON_LIMIT_POSITION,
    tendon_limit_velocity = LibDiffSim.DS_SENSOR_TENDON_LIMIT_VELOCITY,
    tendon_limit_force = LibDiffSim.DS_SENSOR_TENDON_LIMIT_FORCE,
)
const ZONES = (
    sphere = LibDiffSim.DS_ZONE_SPHERE,
    capsule = LibDiffSim.DS_ZONE_CAPSULE,
    ellipsoid = LibDiffSim.DS_ZONE_ELLIPSOID,
    cylinder = LibDiffSim.DS_ZONE_CYLINDER,
    box = LibDiffSim.DS_ZONE_BOX,
)

"""
Fills the fields of a description, and calls `add` with it while its strings and arrays are kept alive. `nothing` keeps the
library's default.
"""
function described(add, made, fields)
    T, kept = typeof(made), Any[]
    for (name, value) in pairs(fields)
        value === nothing && continue
        known = filter(f -> !(f in (:struct_size, :reserved)), fieldnames(T))
        name in known || throw(ArgumentError("expected one of $known, got $name"))
        setproperty!(made, name, field(fieldtype(T, name), value, name, kept))
    end
    GC.@preserve kept check(add(made))
end

field(::Type{T}, value, name, kept) where {T<:Number} = convert(T, value)

function field(::Type{NTuple{N,T}}, value, name, kept) where {N,T}
    length(value) == N || throw(DimensionMismatch("$name: expected $N numbers, got $(length(value))"))
    NTuple{N,T}(Tuple(value))
end

# Of text, a list of texts, and numbers.
function field(::Type{Ptr{UInt8}}, value, name, kept)
    text = Base.cconvert(Cstring, String(value))
    push!(kept, text)
    Ptr{UInt8}(Base.unsafe_convert(Cstring, text))
end

function field(::Type{Ptr{Ptr{UInt8}}}, value, name, kept)
    pointers = [field(Ptr{UInt8}, text, name, kept) for text in value]
    push!(kept, pointers)
    pointer(pointers)
end

function field(::Type{Ptr{T}}, value, name, kept) where {T<:Number}
    numbers = convert(Vector{T}, vec(collect(value)))
    push!(kept, numbers)
    pointer(numbers)
end

"""
    inertia_from_com(mass, com, inertia)

The 10 inertial numbers about the body's origin, from the mass [kg], the centre of mass (3) [m], and Ixx, Ixy, Iyy, Ixz, Iyz,
Izz about the centre of mass [kg m²].
"""
function inertia_from_com(mass, com, inertia)
    out = Vector{Float64}(undef, 10)
    com, inertia = convert(Vector{Float64}, com), convert(Vector{Float64}, inertia)
    check(LibDiffSim.ds_inertia_from_com(mass, sized(com, "com", 3), sized(inertia, "inertia", 6), out))
    out
end

"""
    rotation_vector_to_quat(vector)

The quaternion (x y z w) of a rotation vector [rad], and the rotation about the moved axes by the vector: 3×3.
"""
rotation_vector_to_quat(vector) =
    converted(4) do out, by
        LibDiffSim.ds_rotation_vector_to_quat(sized(convert(Vector{Float64}, vector), "vector", 3), out, by)
    end

"""
    quat_to_rotation_vector(quat)

The rotation vector of a quaternion (x y z w), of length π at most [rad], and its derivative by rotations about the moved axes: 3×3.
"""
quat_to_rotation_vector(quat) =
    converted(3) do out, by
        LibDiffSim.ds_quat_to_rotation_vector(sized(convert(Vector{Float64}, quat), "quat", 4), out, by)
    end

"""
    euler_to_quat(axes, angles)

The quaternion (x y z w) of rotations by angles [rad] about axes (3×3, a column for each), each carried along by those before, and
the rotation about the moved axes by the angles: 3×3.
"""
euler_to_quat(axes, angles) =
    converted(4) do out, by
        given = (sized(vec(convert(Matrix{Float64}, axes)), "axes", 9), sized(convert(Vector{Float64}, angles), "angles", 3))
        LibDiffSim.ds_euler_to_quat(given..., out, by)
    end

"""
    quat_to_euler(axes, quat)

The angles [rad] of a quaternion (x y z w) about axes (3×3, a column for each), the second of which is perpendicular to the others,
and their derivative by rotations about the moved axes: 3×3.
"""
quat_to_euler(axes, quat) =
    converted(3) do out, by
        given = (sized(vec(convert(Matrix{Float64}, axes)), "axes", 9), sized(convert(Vector{Float64}, quat), "quat", 4))
        LibDiffSim.ds_quat_to_euler(given..., out, by)
    end

"A result of `n` numbers with its 3×3 derivative."
function converted(call, n)
    out, by = Vector{Float64}(undef, n), Matrix{Float64}(undef, 3, 3)
    check(call(out, by))
    out, by
end

"""
    inertia_to_log_cholesky(p)

Coordinates of an inertia (10 numbers) in which every value is the inertia of a body: α, d1, d2, d3, s12, s23, s13, t1, t2, t3
(Rucker & Wensing 2022). The mass is exp(2α) and t the centre of mass.
"""
function inertia_to_log_cholesky(p)
    theta = Vector{Float64}(undef, 10)
    check(LibDiffSim.ds_inertia_to_log_cholesky(sized(convert(Vector{Float64}, p), "p", 10), theta))
    theta
end

"    inertia_from_log_cholesky(theta)\n\nThe inertia p at these coordinates and the 10×10 matrix ∂p/∂theta: (p, dp_dtheta)."
function inertia_from_log_cholesky(theta)
    p, slopes = Vector{Float64}(undef, 10), Matrix{Float64}(undef, 10, 10)
    check(LibDiffSim.ds_inertia_from_log_cholesky(sized(convert(Vector{Float64}, theta), "theta", 10), p, slopes))
    (p, slopes)
end

"    set_gravity!(builder, gravity)\n\nGravity in the world, three numbers [m/s²]."
set_gravity!(b::Builder, gravity) =
    check(LibDiffSim.ds_builder_set_gravity(handle(b), sized(convert(Vector{Float64}, gravity), "gravity", 3)))

"    set_actuation!(builder, actuation)\n\n`:full` makes u the generalized force, `:file` takes the actuators that were added."
set_actuation!(b::Builder, actuation) =
    check(LibDiffSim.ds_builder_set_actuation(handle(b), choice(ACTUATIONS, "actuation", actuation)))

"""
    add_body!(builder, parent, name = nothing; placement = nothing, inertia = nothing)

Adds a body and returns its id. `placement`: 4×4, its frame in that of its parent; `nothing` for the identity. `inertia`: 10
numbers about its origin ([`inertia_from_com`](@ref)); `nothing` for none.
"""
function add_body!(b::Builder, parent, name = nothing; placement = nothing, inertia = nothing)
    out = Ref{Int32}(-1)
    matrix = placement === nothing ? nothing : convert(Matrix{Float64}, placement)
    given = (optional(matrix, "placement", 4, 4), optional(inertia, "inertia", 10))
    text = name === nothing ? "" : name
    check(LibDiffSim.ds_builder_add_body(handle(b), parent, text, given..., out))
    Int(out[])
end

"""
    add_joint!(builder, body; kind = :revolute, fields...)

Adds a joint between a body and its parent; fields are those of `ds_joint_desc`: name, axis, axis2, axis3, anchor, reference,
damping, stiffness, spring_reference, armature, friction_loss, lower, upper, limit_margin, cyclic, friction_coefficient,
friction_radius, friction_height, actuator_lower, actuator_upper. `control` is a 4×4×n array of
frames of a spline curve, a 6×16 matrix of a surface; control_count follows from it.
"""
add_joint!(b::Builder, body; kind = :revolute, control = nothing, fields...) =
    described(
        LibDiffSim.ds_joint_desc(),
        (
            kind = choice(JOINTS, "kind", kind),
            control = control,
            control_count = control === nothing ? 0 : size(control, ndims(control)),
            fields...,
        ),
    ) do made
        LibDiffSim.ds_builder_add_joint(handle(b), body, made)
    end

"""
    add_geom!(builder, body; kind, fields...)

Adds a geom to a body and returns its id. `kind` is `:plane`, `:sphere`, `:capsule`, `:cylinder`, `:ellipsoid` or `:box`; fields are
those of `ds_geom_desc`: name, condim, size (3), placement (4×4), friction (3), restitution, stiffness, dissipation, tangential,
contype, conaffinity, priority, margin, gap, hydroelastic, modulus, resolution, hydroelastic_margin, slab_thickness.
"""
function add_geom!(b::Builder, body; kind, fields...)
    out = Ref{Int32}(-1)
    described(LibDiffSim.ds_geom_desc(), (kind = choice(GEOMS, "kind", kind), fields...)) do made
        LibDiffSim.ds_builder_add_geom(handle(b), body, made, out)
    end
    Int(out[])
end

"""
    add_actuator!(builder; joint = nothing, tendon = nothing, body = nothing, site = nothing, fields...)

Adds an actuator on a joint, a tendon, the contacts of a body or at a site (with `reference_site`), given by name. Its input is the next entry of u. Fields are those of
`ds_actuator_desc`:
name, gear (6), gain, bias (3), control_lower, control_upper, force_lower, force_upper, gain_slopes (2), activation (such as
`:filter`) with what belongs to it, muscle_...
"""
add_actuator!(b::Builder; activation = :none, fields...) =
    described(LibDiffSim.ds_actuator_desc(), (activation = choice(ACTIVATIONS, "activation", activation), fields...)) do made
        LibDiffSim.ds_builder_add_actuator(handle(b), made)
    end

"""
    add_spring!(builder; fields...)

Adds a spring and damper without rest length between two points; fields are those of `ds_spring_desc`: name, body1, body2,
anchor1 (3), anchor2 (3), stiffness, damping.
"""
add_spring!(b::Builder; fields...) =
    described(made -> LibDiffSim.ds_builder_add_spring(handle(b), made), LibDiffSim.ds_spring_desc(), fields)

"""
    add_deformable!(builder; nodes, edges = nothing, triangles = nothing, tets = nothing, attach = nothing, fields...)

Adds a deformable body. `nodes` (3×n) are places in the world; `edges` (2×m), `triangles` (3×m) and `tets` (4×m) name nodes
column by column, the first is 0; `attach` lists pairs `node => body`. Other fields are those of `ds_deformable_desc`: name,
material, condim, density, mass, young, poisson, stiffness, damping, radius, friction, thickness.
"""
function add_deformable!(b::Builder; nodes, edges = nothing, triangles = nothing, tets = nothing, attach = (), fields...)
    shaped(name, x, rows) = (size(x, 1) == rows && ndims(x) == 2) ||
        throw(DimensionMismatch("$name: expected a matrix of $rows rows, got $(join(size(x), "×"))"))
    shaped("nodes", nodes, 3)
    given = (node_count = size(nodes, 2), nodes = nodes)
    if edges !== nothing
        shaped("edges", edges, 2)
        given = (; given..., edge_count = size(edges, 2), edges = edges)
    end
    if triangles !== nothing
        shaped("triangles", triangles, 3)
        given = (; given..., triangle_count = size(triangles, 2), triangles = triangles)
    end
    if tets !== nothing
        shaped("tets", tets, 4)
        given = (; given..., tet_count = size(tets, 2), tets = tets)
    end
    if !isempty(attach)
        nodes_of, bodies = [first(a) for a in attach], [last(a) for a in attach]
        given = (; given..., attach_count = length(attach), attach_nodes = nodes_of, attach_bodies = bodies)
    end
    described(made -> LibDiffSim.ds_builder_add_deformable(handle(b), made), LibDiffSim.ds_deformable_desc(), (; given..., fields...))
end

"""
    add_tendon!(builder; joints, fields...)
    add_tendon!(builder; bodies, anchors, fields...)

Adds a tendon: along the sum of joints' coordinates (`joints`: pairs of names and coefficients), or along points, column by
column of `anchors` (3×n) in the frames of `bodies`. With solids and pulleys in the path, `stations` says what each is
(`LibDiffSim.DS_PATH_POINT`, `DS_PATH_SPHERE`, `DS_PATH_CYLINDER`, `DS_PATH_PULLEY`), `sizes` has radii and divisors, `axes` (3×n) the directions of
cylinders, `side_bodies` (-1 for none) and `sides` (3×n) the side points. Other fields are those of `ds_tendon_desc`: name,
pull_only, stiffness, damping, rest_lower, rest_upper, lower, upper, friction_loss.
"""
function add_tendon!(b::Builder; joints = nothing, bodies = nothing, anchors = nothing, fields...)
    (joints === nothing) == (bodies === nothing) && throw(ArgumentError("add_tendon!: expected either joints or bodies"))
    path = if joints !== nothing
        names, coefficients = [first(j) for j in joints], [last(j) for j in joints]
        (kind = LibDiffSim.DS_TENDON_FIXED, count = length(names), joints = names, coefficients = coefficients)
    else
        shape = anchors === nothing ? () : size(anchors)
        shape == (3, length(bodies)) ||
            throw(DimensionMismatch("anchors: expected 3×$(length(bodies)) numbers, got $(join(shape, "×"))"))
        (kind = LibDiffSim.DS_TENDON_SPATIAL, count = length(bodies), bodies = bodies, anchors = anchors)
    end
    described(made -> LibDiffSim.ds_builder_add_tendon(handle(b), made), LibDiffSim.ds_tendon_desc(), (; path..., fields...))
end

"""
    add_equality!(builder; kind, fields...)

Adds an equality, which may close a loop. `kind` is `:connect`, `:weld`, `:distance`, `:joint` or `:tendon`; fields are those of
`ds_equality_desc`: name, active, body1, body2, anchor1, anchor2, relative (4×4), torque_scale, length, joint1, joint2,
coefficients (5), tendon1, tendon2.
"""
add_equality!(b::Builder; kind, fields...) =
    described(LibDiffSim.ds_equality_desc(), (kind = choice(EQUALITIES, "kind", kind), fields...)) do made
        LibDiffSim.ds_builder_add_equality(handle(b), made)
    end

"""
    add_reduction!(builder; joints, matrix, offset = nothing, name = nothing)

Gives joints reduced coordinates y: their dofs are `offset + matrix * y`. `joints` are their names, `matrix` has a row for each dof
and a column for each coordinate. `nq` and `nv` of the model then count the columns in place of the dofs of these joints.
"""
function add_reduction!(b::Builder; joints, matrix, offset = nothing, name = nothing)
    rows = sum(joints; init = 0) do joint
        id = LibDiffSim.ds_builder_joint_id(handle(b), joint)
        id < 0 && return 0
        made = LibDiffSim.ds_joint_desc()
        check(LibDiffSim.ds_builder_joint(handle(b), id, made))
        (0, 1, 1, 1, 3, 6, 2, 3, 3, 2, 1, 2, 3)[made.kind+1]
    end
    size(matrix, 1) == rows || throw(DimensionMismatch("matrix: expected $rows rows, got $(size(matrix, 1))"))
    fields = (; joint_count = length(joints), joints, columns = size(matrix, 2), matrix = Matrix{Float64}(reshape(matrix, size(matrix, 1), :)), offset, name)
    described(made -> LibDiffSim.ds_builder_add_reduction(handle(b), made), LibDiffSim.ds_reduction_desc(), fields)
end

"""
    add_site!(builder, body, name = nothing; placement = nothing)

Adds a named frame to a body and returns its id. `placement`: 4×4, in the body's frame; `nothing` for the identity.
"""
function add_site!(b::Builder, body, name = nothing; placement = nothing)
    out = Ref{Int32}(-1)
    matrix = placement === nothing ? nothing : convert(Matrix{Float64}, placement)
    text = name === nothing ? C_NULL : name
    check(LibDiffSim.ds_builder_add_site(handle(b), body, text, optional(matrix, "placement", 4, 4), out))
    Int(out[])
end

"""
    add_sensor!(builder; kind, fields...)

Adds a sensor. `kind` is such as `:gyro`, as in the header's `ds_sensor_kind`; fields are those of `ds_sensor_desc`: name, body,
placement (4×4), of (the name of a joint, tendon or actuator), reference_body, reference_placement (4×4), zone (such as `:box`) and
zone_size (3), cutoff, field (3).
"""
add_sensor!(b::Builder; kind, zone = :sphere, fields...) =
    described(
        LibDiffSim.ds_sensor_desc(), (kind = choice(SENSORS, "kind", kind), zone = choice(ZONES, "zone", zone), fields...),
    ) do made
        LibDiffSim.ds_builder_add_sensor(handle(b), made)
    end

"""
    set_gravity_compensation!(builder, body, share)

Adds a force at a body's centre of mass that carries this share of its weight: 0 (default) for none, 1 for all of it.
"""
set_gravity_compensation!(b::Builder, body, share) =
    check(LibDiffSim.ds_builder_set_gravity_compensation(handle(b), body, share))

"""
    attach!(builder, body, model; prefix = "", placement = nothing)

Attaches another model to `body`: its world's frame lies at `placement` (4×4, in the body's frame). All its names get the
`prefix`.
"""
attach!(b::Builder, body, m::Model; prefix = "", placement = nothing) = check(LibDiffSim.ds_builder_attach(
    handle(b), body, placement === nothing ? C_NULL : sized(placement, "placement", 4, 4), handle(m), prefix,
))

for (part, id, read, write, T) in (
    (:joint, :ds_builder_joint_id, :ds_builder_joint, :ds_builder_set_joint, :ds_joint_desc),
    (:geom, :ds_builder_geom_id, :ds_builder_geom, :ds_builder_set_geom, :ds_geom_desc),
    (:body, :ds_builder_body_id, :ds_builder_body, :ds_builder_set_body, :ds_body_desc),
)
    change = Symbol(:set_, part, :!)
    find = Symbol(:builder_, part)
    @eval begin
        function $find(b::Builder, name::AbstractString)
            found = LibDiffSim.$id(handle(b), name)
            found < 0 && throw(DiffSimError(:DS_ERR_INVALID_ARGUMENT, unsafe_string(LibDiffSim.ds_last_error())))
            found
        end
        $find(_::Builder, number::Integer) = number
        "Changes a part of the builder's model, given by its name or id. Fields are those of the struct; fields that are not given keep their values."
        function $change(b::Builder, of; fields...)
            number, made = $find(b, of), LibDiffSim.$T()
            check(LibDiffSim.$read(handle(b), number, made))
            described(changed -> LibDiffSim.$write(handle(b), number, changed), made, fields)
        end
    end
end

"    remove_geom!(builder, geom)\n\nRemoves a geom, given by its name or id. The ids of the geoms after it decrease by one."
remove_geom!(b::Builder, geom) = check(LibDiffSim.ds_builder_remove_geom(handle(b), builder_geom(b, geom)))

"    build(builder)\n\nMakes the model. You may add to the builder and build again."
function build(b::Builder)
    out = Ref{Ptr{Cvoid}}(C_NULL)
    check(LibDiffSim.ds_builder_build(handle(b), out))
    Model(out[])
end
