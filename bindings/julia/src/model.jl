"""
    Model

A robot or scene. It never changes, and many threads may use it. Fields `nq`, `nv`, `nu`, `nbody`, `njoint`,
`ngeom`, `nsite`, `nsensor`, `nsensordata` hold its sizes. Made by [`load_model`](@ref).
"""
mutable struct Model
    handle::Ptr{Cvoid}
    nq::Int
    nv::Int
    nu::Int
    na::Int
    nbody::Int
    njoint::Int
    ngeom::Int
    nsite::Int
    nsensor::Int
    nsensordata::Int
    function Model(handle)
        L = LibDiffSim
        sizes = (
            L.ds_model_nq,
            L.ds_model_nv,
            L.ds_model_nu,
            L.ds_model_na,
            L.ds_model_nbody,
            L.ds_model_njoint,
            L.ds_model_ngeom,
            L.ds_model_nsite,
            L.ds_model_nsensor,
            L.ds_model_nsensordata,
        )
        finalizer(close, new(handle, (Int(f(handle)) for f in sizes)...))
    end
end

function Base.close(m::Model)
    LibDiffSim.ds_model_free(m.handle)
    m.handle = C_NULL
    nothing
end

Base.show(io::IO, m::Model) = print(io, "Model($(m.nbody) bodies, nq = $(m.nq), nv = $(m.nv), nu = $(m.nu))")

const BASES = (file = LibDiffSim.DS_BASE_FROM_FILE, fixed = LibDiffSim.DS_BASE_FIXED, free = LibDiffSim.DS_BASE_FREE)
const ACTIVATIONS = (
    none = LibDiffSim.DS_ACTIVATION_NONE,
    integrator = LibDiffSim.DS_ACTIVATION_INTEGRATOR,
    filter = LibDiffSim.DS_ACTIVATION_FILTER,
    filter_exact = LibDiffSim.DS_ACTIVATION_FILTER_EXACT,
    muscle = LibDiffSim.DS_ACTIVATION_MUSCLE,
)
const ACTUATIONS = (
    file = LibDiffSim.DS_ACTUATION_FROM_FILE,
    full = LibDiffSim.DS_ACTUATION_FULL,
    joints = LibDiffSim.DS_ACTUATION_JOINTS,
)
const MIMICS = (
    error = LibDiffSim.DS_MIMIC_ERROR,
    independent = LibDiffSim.DS_MIMIC_INDEPENDENT,
    couple = LibDiffSim.DS_MIMIC_COUPLE,
    reduce = LibDiffSim.DS_MIMIC_REDUCE,
)
const OPEN_MESHES = (error = LibDiffSim.DS_OPEN_MESH_ERROR, hull = LibDiffSim.DS_OPEN_MESH_HULL)
const FORMATS = (urdf = LibDiffSim.DS_FORMAT_URDF, mjcf = LibDiffSim.DS_FORMAT_MJCF)

function choice(options, name, value)
    value isa Symbol && haskey(options, value) || throw(ArgumentError("$name: expected one of $(keys(options)), got $(repr(value))"))
    options[value]
end

"Name of a constant of the library; `:unknown` for a constant of a newer library."
function named(options, value)
    at = findfirst(x -> x == value, collect(values(options)))
    at === nothing ? :unknown : keys(options)[at]
end

"""
    load_model(path; base = :file, actuation = :file, ground_plane = false, ground_friction = 1.0, mimic = :couple,
               self_collision = true, exclude_overlapping = false, keep_inseparable = false, open_mesh = :hull,
               effort_limits = false, transmissions = false, mesh_dirs = String[])
    load_model(text, format; ...)

The model of a `.urdf` or MJCF `.xml` file, or of a text in `format` `:urdf` or `:mjcf`. `base` may be `:file`,
`:fixed` or `:free`, `open_mesh` `:error` or `:hull`; with `actuation = :full` the inputs are the generalized forces (nu = nv), with
`:joints` those on joints, none on a floating base. `effort_limits` clamps inputs to the joints' efforts, `transmissions` makes
actuators of a URDF's. Meshes are searched in the file's folder and its parents, in `mesh_dirs`, and in the packages of
ROS_PACKAGE_PATH and AMENT_PREFIX_PATH. [`warnings`](@ref) lists the elements that the loader ignored.
"""
load_model(path::AbstractString; options...) = with_load_options(; options...) do made, out
    LibDiffSim.ds_model_load(path, made, out)
end

load_model(text::AbstractString, format::Symbol; options...) = with_load_options(; options...) do made, out
    LibDiffSim.ds_model_load_string(text, sizeof(text), choice(FORMATS, "format", format), made, out)
end

function with_load_options(
    load;
    base = :file,
    actuation = :file,
    ground_plane = false,
    ground_friction = 1.0,
    mimic = :couple,
    self_collision = true,
    exclude_overlapping = false,
    keep_inseparable = false,
    open_mesh = :hull,
    effort_limits = false,
    transmissions = false,
    mesh_dirs = String[],
)
    made = LibDiffSim.ds_load_options()
    made.base = choice(BASES, "base", base)
    made.actuation = choice(ACTUATIONS, "actuation", actuation)
    made.ground_plane = ground_plane
    made.ground_friction = ground_friction
    made.mimic = choice(MIMICS, "mimic", mimic)
    made.self_collision = self_collision
    made.keep_inseparable = keep_inseparable
    made.exclude_overlapping = exclude_overlapping
    made.open_mesh = choice(OPEN_MESHES, "open_mesh", open_mesh)
    made.effort_limits = effort_limits
    made.transmissions = transmissions
    out = Ref{Ptr{Cvoid}}(C_NULL)
    with_folders(options -> check(load(options, out)), mesh_dirs, made)
    Model(out[])
end

"""
Folders that hold ROS packages, from the environment: `share` of each prefix of AMENT_PREFIX_PATH, and of
ROS_PACKAGE_PATH each folder and, up to five levels within, those that hold a folder with a package.xml.
"""
function ros_folders()
    separator = Sys.iswindows() ? ';' : ':'
    listed(name) = abspath.(split(get(ENV, name, ""), separator; keepempty = false))
    found = filter(isdir, joinpath.(listed("AMENT_PREFIX_PATH"), "share"))
    left = 20_000
    for root in filter(isdir, listed("ROS_PACKAGE_PATH"))
        push!(found, root)
        waiting = [(root, 0)]
        while !isempty(waiting) && (left -= 1) > 0
            folder, depth = popfirst!(waiting)
            if isfile(joinpath(folder, "package.xml"))
                push!(found, dirname(folder))
            elseif depth < 5 && !isfile(joinpath(folder, "CATKIN_IGNORE"))
                inner = filter(n -> !startswith(n, ".") && isdir(joinpath(folder, n)), readdir(folder))
                append!(waiting, [(joinpath(folder, n), depth + 1) for n in inner])
            end
        end
    end
    unique(found)
end

"Calls with options that search meshes in these folders, then in those of ROS."
function with_folders(call, mesh_dirs, options)
    names = [Base.cconvert(Cstring, String(d)) for d in Iterators.flatten((mesh_dirs, ros_folders()))]
    GC.@preserve names begin
        pointers = [Ptr{UInt8}(Base.unsafe_convert(Cstring, n)) for n in names]
        GC.@preserve pointers begin
            options.mesh_dirs = isempty(pointers) ? C_NULL : pointer(pointers)
            options.mesh_dir_count = length(pointers)
            call(options)
        end
    end
end

"""
    save(model, path; strict = false)

Saves the model to a `.urdf`, or an `.xml` or `.mjcf` (MJCF), and returns a line for each thing that the format cannot express. With
`strict` such a thing is an error, and nothing is written.
"""
function save(m::Model, path::AbstractString; strict = false)
    options = LibDiffSim.ds_save_options()
    options.strict = strict
    out = Ref{Ptr{Cvoid}}(C_NULL)
    check(LibDiffSim.ds_model_save(handle(m), path, options, out))
    lines = [unsafe_string(LibDiffSim.ds_saved_warning(out[], i)) for i in 0:Int(LibDiffSim.ds_saved_warning_count(out[]))-1]
    LibDiffSim.ds_saved_free(out[])
    lines
end

"Things that the loader ignored or changed, one line each."
function warnings(m::Model)
    count = LibDiffSim.ds_model_warning_count(handle(m))
    [unsafe_string(LibDiffSim.ds_model_warning(m.handle, i)) for i in 0:Int(count)-1]
end

for (name, f) in (
    (:body_id, :ds_model_body_id),
    (:joint_id, :ds_model_joint_id),
    (:geom_id, :ds_model_geom_id),
    (:site_id, :ds_model_site_id),
    (:tendon_id, :ds_model_tendon_id),
    (:sensor_id, :ds_model_sensor_id),
    (:actuator_id, :ds_model_actuator_id),
)
    @eval begin
        "Id of the part with this name."
        function $name(m::Model, name::AbstractString)
            id = LibDiffSim.$f(handle(m), name)
            id < 0 && throw(DiffSimError(:DS_ERR_INVALID_ARGUMENT, unsafe_string(LibDiffSim.ds_last_error())))
            Int(id)
        end
    end
end

"Names of the tendons, in their order."
tendon_names(m::Model) =
    [unsafe_string(LibDiffSim.ds_model_tendon_name(m.handle, i)) for i in 0:Int(LibDiffSim.ds_model_ntendon(handle(m)))-1]

function copied(create, m::Model, arguments...)
    out = Ref{Ptr{Cvoid}}(C_NULL)
    check(create(handle(m), arguments..., out))
    Model(out[])
end

"    pair_enabled(model, geom_a, geom_b)\n\nTrue if two geoms may touch."
function pair_enabled(m::Model, geom_a, geom_b)
    enabled = LibDiffSim.ds_model_pair_enabled(handle(m), geom_a, geom_b)
    enabled < 0 && throw(DiffSimError(:DS_ERR_INVALID_ARGUMENT, unsafe_string(LibDiffSim.ds_last_error())))
    enabled == 1
end

"""
    with_pairs(model, pairs, enabled)

A copy of the model in which these pairs of geoms (tuples of ids) may touch (`enabled`) or never touch, whatever the filters
say.
"""
function with_pairs(m::Model, pairs, enabled)
    geoms = Int32[geom for (a, b) in pairs for geom in (a, b)]
    copied(LibDiffSim.ds_model_with_pairs, m, geoms, length(geoms) ÷ 2, enabled)
end

"""
    with_actuators(model, actuators)

A copy of the model with more actuators, whose inputs come after the present ones. Each is a named tuple with `joint`, `tendon`, `body` or `site`, a name,
and fields of `ds_actuator_desc`: `name`, `gear` (6), `gain`, `bias` (3), `control_lower`, `control_upper`, `force_lower`,
`force_upper`, `gain_slopes` (2), `activation` (such as `:filter`) with what belongs to it, `muscle_...`; or `kp` and `kd` of a
servo in place of gain and bias.
"""
function with_actuators(m::Model, actuators)
    size = sizeof(LibDiffSim.ds_actuator_desc)
    bytes, texts = Vector{UInt8}(undef, size * length(actuators)), []
    for (i, fields) in enumerate(actuators)
        made = LibDiffSim.ds_actuator_desc()
        for (name, value) in pairs(fields)
            name in (:kp, :kd) && continue
            known = fieldnames(typeof(made))[2:end]
            name in known || throw(ArgumentError("expected one of $((known..., :kp, :kd)), got $name"))
            name == :activation && (value = choice(ACTIVATIONS, "activation", value))
            if value isa AbstractString
                push!(texts, Base.cconvert(Cstring, String(value)))
                value = Ptr{UInt8}(Base.unsafe_convert(Cstring, texts[end]))
            elseif value isa AbstractVector
                value = Tuple(value)
            end
            setproperty!(made, name, convert(fieldtype(typeof(made), name), value))
        end
        if haskey(fields, :kp) || haskey(fields, :kd)
            check(LibDiffSim.ds_actuator_desc_set_servo(made, get(fields, :kp, 0.0), get(fields, :kd, 0.0)))
        end
        GC.@preserve made unsafe_copyto!(pointer(bytes, size * (i - 1) + 1), Ptr{UInt8}(pointer_from_objref(made)), size)
    end
    GC.@preserve bytes texts begin
        first = Ptr{LibDiffSim.ds_actuator_desc}(isempty(bytes) ? C_NULL : pointer(bytes))
        copied(LibDiffSim.ds_model_with_actuators, m, first, length(actuators))
    end
end

"""
    exclude_overlapping(model, q = neutral(model))

A copy of the model in which geoms of one robot that overlap at q never touch, with a warning that counts the pairs.
"""
exclude_overlapping(m::Model, q = neutral(m)) =
    copied(LibDiffSim.ds_model_exclude_overlapping, m, sized(q, "q", m.nq))

"The configuration with every joint at zero."
function neutral(m::Model)
    q = Vector{Float64}(undef, m.nq)
    check(LibDiffSim.ds_model_neutral(handle(m), q))
    q
end

"A configuration to start from: within all limits, on the ground, and without overlap if one is found."
function home(m::Model)
    q = Vector{Float64}(undef, m.nq)
    check(LibDiffSim.ds_model_home(handle(m), q))
    q
end

"""
    visuals(model, path; mesh_dirs = String[])

Visual shapes of the file that the model was loaded from: `<visual>` of a URDF, geoms of an MJCF that touch nothing.
Returns (shapes, left_out, warnings); a shape is a named tuple of `name`, `body`, `kind`, `size`, `placement` (4×4, in the body's
frame), `rgba` (NaN where there is none), `file`, `vertices` (3×n) and `triangles` (3×m, from 0), the last three `nothing` where
there are none.
"""
function visuals(m::Model, path::AbstractString; mesh_dirs = String[])
    with_folders(mesh_dirs, LibDiffSim.ds_load_options()) do options
        out = Ref{Ptr{Cvoid}}(C_NULL)
        check(LibDiffSim.ds_visuals_load(handle(m), path, options, out))
        L, found = LibDiffSim, out[]
        matrix(at, count) = at == C_NULL ? nothing : copy(unsafe_wrap(Array, at, (3, Int(count))))
        shapes = map(0:Int(L.ds_visuals_count(found))-1) do i
            v = unsafe_load(L.ds_visuals_at(found, i))
            (
                name = unsafe_string(v.name),
                body = Int(v.body),
                kind = Int(v.kind),
                size = collect(v.size),
                placement = reshape(collect(v.placement), 4, 4),
                rgba = collect(v.rgba),
                file = v.file == C_NULL ? nothing : unsafe_string(v.file),
                vertices = matrix(v.vertices, v.vertex_count),
                triangles = matrix(v.triangles, v.triangle_count),
            )
        end
        left_out = Int(L.ds_visuals_left_out(found))
        lines = [unsafe_string(L.ds_visuals_warning(found, i)) for i in 0:Int(L.ds_visuals_warning_count(found))-1]
        L.ds_visuals_free(found)
        (shapes = shapes, left_out = left_out, warnings = lines)
    end
end

"Names of the file's keyframes."
function keyframe_names(m::Model)
    count = LibDiffSim.ds_model_nkeyframe(handle(m))
    [unsafe_string(LibDiffSim.ds_model_keyframe_name(m.handle, i)) for i in 0:Int(count)-1]
end

text_of(p) = p == C_NULL ? nothing : unsafe_string(p)

for (part, id, read, T) in (
    (:body, :body_id, :ds_model_body, :ds_body_desc),
    (:joint, :joint_id, :ds_model_joint, :ds_joint_desc),
    (:geom, :geom_id, :ds_model_geom, :ds_geom_desc),
    (:actuator, :actuator_id, :ds_model_actuator, :ds_actuator_desc),
)
    described_part = Symbol(:described_, part)
    @eval begin
        "Properties of a part of the model, given by its name or id (from 0): a named tuple of the fields of its struct."
        function $described_part(m::Model, of::Integer)
            made = LibDiffSim.$T()
            check(LibDiffSim.$read(handle(m), of, made))
            names = filter(f -> !(f in (:struct_size, :reserved, :vertices, :triangles, :heights, :control)), fieldnames(LibDiffSim.$T))
            NamedTuple(f => (x = getfield(made, f); x isa Ptr ? text_of(x) : x) for f in names)
        end
        $described_part(m::Model, of::AbstractString) = $described_part(m, $id(m, of))
    end
end

"""
    place_on_ground(model, q)

q with every robot that has a free joint moved along the normal of the ground, a plane of the world, until its lowest point touches it.
"""
function place_on_ground(m::Model, q)
    out = Vector{Float64}(undef, m.nq)
    check(LibDiffSim.ds_model_place_on_ground(handle(m), sized(q, "q", m.nq), out))
    out
end

"State and input of a keyframe of the file by its number, from 0: (q, v, u)."
function keyframe(m::Model, number::Integer)
    q, v, u = (Vector{Float64}(undef, n) for n in (m.nq, m.nv, m.nu))
    check(LibDiffSim.ds_model_keyframe_at(handle(m), number, q, v, u))
    (q = q, v = v, u = u)
end

"State and input of a keyframe of the file: (q, v, u)."
function keyframe(m::Model, name::AbstractString)
    q, v, u = (Vector{Float64}(undef, n) for n in (m.nq, m.nv, m.nu))
    check(LibDiffSim.ds_model_keyframe(handle(m), name, q, v, u))
    (q = q, v = v, u = u)
end

"    integrate(model, q, d)\n\nThe configuration q ⊕ d, `nq` numbers, for a tangent vector d of `nv` numbers."
function integrate(m::Model, q, d)
    out = Vector{Float64}(undef, m.nq)
    check(LibDiffSim.ds_model_integrate(handle(m), sized(q, "q", m.nq), sized(d, "d", m.nv), out))
    out
end

"    difference(model, q0, q1)\n\nThe tangent vector d, `nv` numbers, with q0 ⊕ d = q1."
function difference(m::Model, q0, q1)
    out = Vector{Float64}(undef, m.nv)
    check(LibDiffSim.ds_model_difference(handle(m), sized(q0, "q0", m.nq), sized(q1, "q1", m.nq), out))
    out
end

"""
The nonzero blocks of E = ∂(q ⊕ d)/∂d at d = 0, nq×nv: a function of ranges of q and of v, and of the block. Entries of
q that are not part of a quaternion or of a free joint's position move as their entries of v do.
"""
function each_block(f, m::Model, q)
    for j in 0:m.njoint-1
        L = LibDiffSim
        nq, nv = L.ds_model_joint_nq(handle(m), j), L.ds_model_joint_nv(m.handle, j)
        iq, iv = L.ds_model_joint_q_index(m.handle, j), L.ds_model_joint_v_index(m.handle, j)
        if nq == nv
            f(iq+1:iq+nq, iv+1:iv+nv, [Float64(a == b) for a in 1:nq, b in 1:nv])
            continue
        end
        x, y, z, w = q[iq+nq-3:iq+nq]
        # ½ q̂ (ω, 0): how a quaternion moves under an angular velocity in its own axes.
        f(iq+nq-3:iq+nq, iv+nv-2:iv+nv, 0.5 * [w -z y; z w -x; -y x w; -x -y -z])
        if nq == 7
            rotation = [
                1-2(y^2+z^2) 2(x*y-z*w) 2(x*z+y*w)
                2(x*y+z*w) 1-2(x^2+z^2) 2(y*z-x*w)
                2(x*z-y*w) 2(y*z+x*w) 1-2(x^2+y^2)
            ]
            f(iq+1:iq+3, iv+1:iv+3, rotation)
        end
    end
end

"Converts a gradient by the numbers of q (nq) to tangent coordinates (nv): Eᵀ q_bar."
function to_tangent(m::Model, q, q_bar)
    out = zeros(m.nv)
    each_block((rows, columns, E) -> out[columns] = E' * q_bar[rows], m, q)
    out
end

"Converts a gradient in tangent coordinates (nv) to the least-norm one by the numbers of q (nq)."
function from_tangent(m::Model, q, d_bar)
    out = zeros(m.nq)
    # The columns of a block are orthogonal and of one length: 1, or ½ for a unit quaternion.
    each_block(m, q) do rows, columns, E
        out[rows] = E * d_bar[columns] / sum(abs2, E[:, 1])
    end
    out
end
