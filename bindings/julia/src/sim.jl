const LAWS = (
    ncp = LibDiffSim.DS_CONTACT_NCP,
    convex = LibDiffSim.DS_CONTACT_CONVEX,
    lcp = LibDiffSim.DS_CONTACT_LCP,
    penalty = LibDiffSim.DS_CONTACT_PENALTY,
    none = LibDiffSim.DS_CONTACT_NONE,
)
const INTEGRATORS = (
    symplectic_euler = LibDiffSim.DS_INTEGRATOR_SYMPLECTIC_EULER,
    symplectic_euler_world = LibDiffSim.DS_INTEGRATOR_SYMPLECTIC_EULER_WORLD,
    implicit_euler = LibDiffSim.DS_INTEGRATOR_IMPLICIT_EULER,
    midpoint = LibDiffSim.DS_INTEGRATOR_MIDPOINT,
    bdf1 = LibDiffSim.DS_INTEGRATOR_BDF1,
    bdf2 = LibDiffSim.DS_INTEGRATOR_BDF2,
    sdirk2 = LibDiffSim.DS_INTEGRATOR_SDIRK2,
    from_model = LibDiffSim.DS_INTEGRATOR_FROM_MODEL,
)

const OPTIONS = Dict(
    :friction_rule => (
        larger = LibDiffSim.DS_FRICTION_LARGER,
        harmonic = LibDiffSim.DS_FRICTION_HARMONIC,
        product = LibDiffSim.DS_FRICTION_PRODUCT,
    ),
    :convex_variant => (
        sap = LibDiffSim.DS_CONVEX_SAP,
        lagged = LibDiffSim.DS_CONVEX_LAGGED,
        similar = LibDiffSim.DS_CONVEX_SIMILAR,
    ),
)

"""
Options of a sim, rollout or batch for the library. Keywords are the fields of `ds_options`; `contact` is
`:ncp`, `:convex`, `:lcp`, `:penalty` or `:none`, `integrator` one of `:symplectic_euler`, `:symplectic_euler_world`,
`:implicit_euler`, `:midpoint`, `:bdf1`, `:bdf2`, `:sdirk2` and `:from_model`, `friction_rule` one of `:larger`,
`:harmonic` and `:product`, `convex_variant` `:sap`, `:lagged` or
`:similar`.
"""
function sim_options(; contact = :ncp, integrator = :from_model, fields...)
    made = LibDiffSim.ds_options()
    made.contact = choice(LAWS, "contact", contact)
    made.integrator = choice(INTEGRATORS, "integrator", integrator)
    for (name, value) in fields
        known = filter(f -> !(f in (:struct_size, :contact, :integrator)), fieldnames(typeof(made)))
        name in known || throw(ArgumentError("expected one of $known, contact, integrator, got $name"))
        value isa Symbol && haskey(OPTIONS, name) && (value = choice(OPTIONS[name], string(name), value))
        setproperty!(made, name, convert(fieldtype(typeof(made), name), value))
    end
    made
end

"""
    Sim(model; contact = :ncp, time_step = 0, max_contacts = 0, tolerance, kp, kd, derivatives = true, ...)

A simulation: the memory for steps and dynamics calls, the selected parameters, and the warm start. Use it from one task at a time.
Keywords are the fields of the header's `ds_options`. The time step 0 means that of the model. The integrator `:from_model` is the
nearest one to that of its file. [`time_step`](@ref) and [`integrator`](@ref) return the values in use.
"""
mutable struct Sim
    handle::Ptr{Cvoid}
    model::Model
    np::Int
    function Sim(model::Model; options...)
        out = Ref{Ptr{Cvoid}}(C_NULL)
        check(LibDiffSim.ds_sim_create(handle(model), sim_options(; options...), out))
        finalizer(close, new(out[], model, 0))
    end
end

"    time_step(model)\n    time_step(sim)\n\nLength of a step [s]: the given one, or that of the model."
time_step(m::Model) = LibDiffSim.ds_model_time_step(handle(m))
time_step(s::Sim) = LibDiffSim.ds_sim_time_step(handle(s))

"    integrator(sim)\n\nName of the integrator in use: the given one, or the nearest one to that of the model's file."
function integrator(s::Sim)
    found = LibDiffSim.ds_sim_integrator(handle(s))
    first(name for (name, value) in pairs(INTEGRATORS) if value == found)
end

function Base.show(io::IO, s::Sim)
    s.handle == C_NULL && return print(io, "Sim (closed)")
    print(io, "Sim of ", s.model.nq, " coordinates: time_step = ", time_step(s), ", integrator = :", integrator(s))
end

function Base.close(s::Sim)
    LibDiffSim.ds_sim_free(s.handle)
    s.handle = C_NULL
    nothing
end

"""
    step!(sim, q, v, u = zeros(nu))
    step!(q_next, v_next, sim, q, v, u)

Advances the state by one time step, in place or into `q_next` and `v_next`. Does not allocate.
"""
step!(s::Sim, q, v, u = no_input(s)) = step!(q, v, s, q, v, u)

function step!(q_next, v_next, s::Sim, q, v, u)
    m = s.model
    sized(q, "q", m.nq), sized(v, "v", m.nv), sized(u, "u", m.nu)
    sized(q_next, "q_next", m.nq), sized(v_next, "v_next", m.nv)
    check(LibDiffSim.ds_sim_step(handle(s), q, v, u, q_next, v_next))
    (q_next, v_next)
end

no_input(s::Sim) = zeros(s.model.nu)

"    step(sim, q, v, u = zeros(nu))\n\nThe next state (q, v), in new arrays."
step(s::Sim, q, v, u = no_input(s)) = step!(similar(q), similar(v), s, q, v, u)

"""
    contacts(sim)

The contacts of the last step: a copy of the header's `ds_contact` for each. Impulses [N s] and velocities [m/s] are
along (t1, t2, n), the normal points from geom a to geom b.
"""
function contacts(s::Sim)
    list, count = Ref{Ptr{LibDiffSim.ds_contact}}(C_NULL), Ref{Csize_t}(0)
    check(LibDiffSim.ds_sim_contacts(handle(s), list, count))
    # A newer library's contacts may be longer.
    stride = LibDiffSim.ds_contact_size()
    [unsafe_load(list[] + (i - 1) * stride) for i in 1:count[]]
end

"""
    patches(sim)

The hydroelastic patches of the last step: a copy of the header's `ds_patch` for each.
"""
function patches(s::Sim)
    list, count = Ref{Ptr{LibDiffSim.ds_patch}}(C_NULL), Ref{Csize_t}(0)
    check(LibDiffSim.ds_sim_patches(handle(s), list, count))
    # A newer library's patches may be longer.
    stride = LibDiffSim.ds_patch_size()
    [unsafe_load(list[] + (i - 1) * stride) for i in 1:count[]]
end

"""
    patch_faces(sim)

The polygons of the hydroelastic faces of the last step: for each its contact (from 1), its vertices (3×n, world axes [m])
and the pressures there [Pa], which are negative on a face that is not closed.
"""
function patch_faces(s::Sim)
    vertices, pressures = Ref{Ptr{Float64}}(C_NULL), Ref{Ptr{Float64}}(C_NULL)
    starts, count = Ref{Ptr{Csize_t}}(C_NULL), Ref{Csize_t}(0)
    check(LibDiffSim.ds_sim_patch_faces(handle(s), vertices, pressures, starts, count))
    range(i) = (Int(unsafe_load(starts[], i)) + 1):Int(unsafe_load(starts[], i + 1))
    at(i) = [unsafe_load(vertices[], 3 * (v - 1) + k) for k in 1:3, v in range(i)]
    [
        (contact = i, vertices = at(i), pressures = [unsafe_load(pressures[], v) for v in range(i)]) for
        i in 1:Int(count[]) if !isempty(range(i))
    ]
end

const GRADIENTS = Dict(
    LibDiffSim.DS_GRADIENT_EXACT => :exact,
    LibDiffSim.DS_GRADIENT_ONE_SIDED => :one_sided,
    LibDiffSim.DS_GRADIENT_SMOOTHED => :smoothed,
)

"""
    step_info(sim)

Facts about the last step: `contacts`, `impacts` (contacts that rebound), `iterations`, `residual`, `switch_distance`, `converged`,
`gradient`, the label of its derivative (`:exact` or `:one_sided`), `push_out_given_up` (whether violations yielded as if
compliant) and `work` (factorizations of the contact problem).
"""
function step_info(s::Sim)
    out = Ref{LibDiffSim.ds_step_info}()
    check(LibDiffSim.ds_sim_step_info(handle(s), out))
    told(out[])
end

told(i::LibDiffSim.ds_step_info) = (
    contacts = Int(i.contacts),
    impacts = Int(i.impacts),
    iterations = Int(i.iterations),
    residual = i.residual,
    switch_distance = i.switch_distance,
    gradient = get(GRADIENTS, i.gradient, :refused),
    converged = i.converged == 1,
    push_out_given_up = i.push_out_given_up == 1,
    work = i.work,
)

"The sim's memory between steps. With the state it determines the next step."
function memory(s::Sim)
    out = Vector{Float64}(undef, LibDiffSim.ds_sim_memory_size(handle(s)))
    check(LibDiffSim.ds_sim_get_memory(s.handle, out))
    out
end

"Restores the numbers of [`memory`](@ref). The same steps follow, to the bit."
function restore!(s::Sim, warm)
    size = LibDiffSim.ds_sim_memory_size(handle(s))
    check(LibDiffSim.ds_sim_set_memory(s.handle, sized(warm, "warm", size)))
end

"Forgets the warm start."
reset!(s::Sim) = check(LibDiffSim.ds_sim_reset(handle(s)))

"""
    external_wrench!(sim, body, wrench)

Sets the force [N] and moment [N m] on a body in every step from now on: six numbers in world axes, at its origin.
"""
external_wrench!(s::Sim, body, wrench) =
    check(LibDiffSim.ds_sim_set_external_wrench(handle(s), body, sized(wrench, "wrench", 6)))

"""
    prescribe!(sim, dof, velocity)

Prescribes the velocity [m/s or rad/s] of a dof, counted from 0, at the end of every following step, whatever acts on it. NaN frees
it. Derivative: `Param(:prescribed, dof)`. For a [`Rollout`](@ref): in the following runs.
"""
prescribe!(s::Sim, dof, velocity) = check(LibDiffSim.ds_sim_prescribe(handle(s), dof, velocity))

"""
    set_force!(sim, tau; K = nothing, D = nothing)

Sets a generalized force for all following steps, with its slopes K = ∂tau/∂q and D = ∂tau/∂v at the start of the step, nv×nv, zero if
omitted. The step takes the slopes implicitly: a stiff feedback is as stable as a servo of the model. `nothing` removes it.
"""
function set_force!(s::Sim, tau; K = nothing, D = nothing)
    n = s.model.nv
    given(x, name, wanted...) = x === nothing ? C_NULL : sized(x, name, wanted...)
    force, by_q, by_v = given(tau, "tau", n), given(K, "K", n, n), given(D, "D", n, n)
    GC.@preserve force by_q by_v check(LibDiffSim.ds_sim_set_force(handle(s), force, by_q, by_v))
end

"Prescribed velocities; NaN for free dofs."
function prescribed_velocities(s::Sim)
    out = zeros(s.model.nv)
    check(LibDiffSim.ds_sim_prescribed_velocities(handle(s), out))
    out
end

"Generalized impulses on the dofs with a prescribed velocity in the last step; 0 for others."
function prescribed_impulses(s::Sim)
    out = zeros(s.model.nv)
    check(LibDiffSim.ds_sim_prescribed_impulses(handle(s), out))
    out
end

const PARAMS = (
    body_inertia = LibDiffSim.DS_PARAM_BODY_INERTIA,
    geom_friction = LibDiffSim.DS_PARAM_GEOM_FRICTION,
    geom_restitution = LibDiffSim.DS_PARAM_GEOM_RESTITUTION,
    joint_damping = LibDiffSim.DS_PARAM_JOINT_DAMPING,
    joint_stiffness = LibDiffSim.DS_PARAM_JOINT_STIFFNESS,
    joint_armature = LibDiffSim.DS_PARAM_JOINT_ARMATURE,
    joint_placement = LibDiffSim.DS_PARAM_JOINT_PLACEMENT,
    joint_spring_reference = LibDiffSim.DS_PARAM_JOINT_SPRING_REFERENCE,
    joint_friction = LibDiffSim.DS_PARAM_JOINT_FRICTION,
    geom_size = LibDiffSim.DS_PARAM_GEOM_SIZE,
    gravity = LibDiffSim.DS_PARAM_GRAVITY,
    external_wrench = LibDiffSim.DS_PARAM_EXTERNAL_WRENCH,
    stabilization = LibDiffSim.DS_PARAM_STABILIZATION,
    contact_stiffness = LibDiffSim.DS_PARAM_CONTACT_STIFFNESS,
    contact_dissipation = LibDiffSim.DS_PARAM_CONTACT_DISSIPATION,
    contact_tangential = LibDiffSim.DS_PARAM_CONTACT_TANGENTIAL,
    spring = LibDiffSim.DS_PARAM_SPRING,
    tendon = LibDiffSim.DS_PARAM_TENDON,
    prescribed = LibDiffSim.DS_PARAM_PRESCRIBED,
    actuator_gain = LibDiffSim.DS_PARAM_ACTUATOR_GAIN,
    spline_frame = LibDiffSim.DS_PARAM_SPLINE_FRAME,
    hydroelastic_modulus = LibDiffSim.DS_PARAM_HYDROELASTIC_MODULUS,
    joint_friction_coefficient = LibDiffSim.DS_PARAM_JOINT_FRICTION_COEFFICIENT,
    reduction = LibDiffSim.DS_PARAM_REDUCTION,
    deformable = LibDiffSim.DS_PARAM_DEFORMABLE,
)

"""
    Param(kind, index, component = 0)

A parameter for derivatives. `kind` is one of $(join(":" .* string.(keys(PARAMS)), ", ")); the header
says at `ds_param_kind` what index and component mean. Both count from 0.
"""
struct Param
    kind::Symbol
    index::Int
    component::Int
    Param(kind, index, component = 0) = new(kind, index, component)
end

"Selects the parameters of derivatives and of [`set_params!`](@ref), in this order."
function select_params!(s, list::AbstractVector{Param})
    chosen = [LibDiffSim.ds_param(choice(PARAMS, "kind", p.kind), p.index, p.component) for p in list]
    check(select_function(s)(handle(s), chosen, length(chosen)))
    s.np = length(chosen)
    s
end

select_function(::Sim) = LibDiffSim.ds_sim_select_params

"Values of the selected parameters."
function params(s::Sim)
    out = Vector{Float64}(undef, s.np)
    check(LibDiffSim.ds_sim_get_params(handle(s), out))
    out
end

"Sets the selected parameters of this object. The model does not change."
set_params!(s::Sim, p) = check(LibDiffSim.ds_sim_set_params(handle(s), sized(p, "p", s.np)))
