# The state that questions by the laws of a step are about.
function state(s::Sim, q, v, u)
    m = s.model
    (sized(q, "q", m.nq), sized(v, "v", m.nv), sized(u, "u", m.nu))
end

"""
    forward(sim, q, v, u = zeros(nu))

Acceleration (nv) by the laws of the step from a state, which moves nothing: [`contacts`](@ref), [`body_contact_wrenches`](@ref) and
all derivatives are those of that step afterwards, the warm start of the next one is not.
"""
function forward(s::Sim, q, v, u = no_input(s))
    out = Vector{Float64}(undef, s.model.nv)
    check(LibDiffSim.ds_sim_forward(handle(s), state(s, q, v, u)..., out))
    out
end

"    acceleration_jacobians(sim)\n\nJacobians (da_dq, da_dv, da_du, da_dp) of the acceleration of the last step or [`forward`](@ref), nv rows each."
function acceleration_jacobians(s::Sim)
    m = s.model
    out = map(n -> Matrix{Float64}(undef, m.nv, n), (m.nv, m.nv, m.nu, s.np))
    check(LibDiffSim.ds_sim_acceleration_jacobians(handle(s), out...))
    NamedTuple{(:da_dq, :da_dv, :da_du, :da_dp)}(out)
end

"    acceleration_vjp(sim, a_bar)\n\nAdjoint of the acceleration of the last step or [`forward`](@ref): (q_bar, v_bar, u_bar, p_bar)."
function acceleration_vjp(s::Sim, a_bar)
    m = s.model
    bars = map(n -> Vector{Float64}(undef, n), (m.nv, m.nv, m.nu, s.np))
    check(LibDiffSim.ds_sim_acceleration_vjp(handle(s), sized(a_bar, "a_bar", m.nv), bars...))
    NamedTuple{(:q_bar, :v_bar, :u_bar, :p_bar)}(bars)
end

"""
    inverse(sim, q, v, a, u = zeros(nu))

The force (nv) beside those of the inputs `u` with which [`forward`](@ref) from (q, v) has acceleration `a`, with contact. Refused for
rigid contact, whose impulses are no function of the velocity.
"""
function inverse(s::Sim, q, v, a, u = no_input(s))
    out = Vector{Float64}(undef, s.model.nv)
    given = state(s, q, v, u)
    check(LibDiffSim.ds_sim_inverse(handle(s), given..., sized(a, "a", s.model.nv), out))
    out
end

"    inverse_jacobians(sim)\n\nDerivatives (dforce_dq, dforce_dv, dforce_da) of the last [`inverse`](@ref), nv×nv each."
function inverse_jacobians(s::Sim)
    out = map(_ -> Matrix{Float64}(undef, s.model.nv, s.model.nv), (1, 2, 3))
    check(LibDiffSim.ds_sim_inverse_jacobians(handle(s), out...))
    NamedTuple{(:dforce_dq, :dforce_dv, :dforce_da)}(out)
end

"""
    body_contact_wrenches(sim)

Wrenches (force; moment) of all contacts of the last step or [`forward`](@ref) on every body, 6×nbody, world axes, at the bodies'
origins. Body `i` is at `i + 1`.
"""
function body_contact_wrenches(s::Sim)
    out = Matrix{Float64}(undef, 6, s.model.nbody)
    check(LibDiffSim.ds_sim_body_contact_wrenches(handle(s), out))
    out
end

"""
    ray_casts(sim, q, origins, directions; max_distance = Inf, exclude_body = -1)

What rays meet first at `q`: origins and directions of any length but zero, 3×n, world axes. A body's geoms can be passed through.
Gives `distances`, -1 where nothing is met; `normals` of the surfaces, 3×n; ids of `geoms`, -1 for none; `ddistances`, the distances'
derivatives by q (tangent), nv×n; `gradients`, `:exact` or `:one_sided` (on edges, and where a ray grazes).
"""
function ray_casts(s::Sim, q, origins, directions; max_distance = Inf, exclude_body = -1)
    m, n = s.model, size(origins, 2)
    sized(q, "q", m.nq), sized(origins, "origins", 3, n), sized(directions, "directions", 3, n)
    distances, normals, ddistances = Vector{Float64}(undef, n), Matrix{Float64}(undef, 3, n), Matrix{Float64}(undef, m.nv, n)
    geoms, gradients = Vector{Int32}(undef, n), Vector{Int32}(undef, n)
    out = (distances, normals, geoms, ddistances, gradients)
    check(LibDiffSim.ds_sim_ray_casts(handle(s), q, n, origins, directions, max_distance, exclude_body, out...))
    told = map(g -> get(GRADIENTS, g, :refused), gradients)
    (distances = distances, normals = normals, geoms = geoms, ddistances = ddistances, gradients = told)
end

"""
    ray_cast(sim, q, origin, direction; max_distance = Inf, exclude_body = -1)

What one ray meets first: (distance, normal, geom, ddistance, gradient); see [`ray_casts`](@ref).
"""
function ray_cast(s::Sim, q, origin, direction; options...)
    start, along = sized(origin, "origin", 3), sized(direction, "direction", 3)
    hits = ray_casts(s, q, reshape(start, 3, 1), reshape(along, 3, 1); options...)
    (
        distance = hits.distances[1],
        normal = vec(hits.normals),
        geom = Int(hits.geoms[1]),
        ddistance = vec(hits.ddistances),
        gradient = hits.gradients[1],
    )
end

"""
    sensors(sim, q, v, u = zeros(nu))

What all sensors of the model tell at a state, in the order of the file: nsensordata numbers, those of one at
[`sensor_range`](@ref). Where one of them needs accelerations or contact forces [`forward`](@ref) is done first.
"""
function sensors(s::Sim, q, v, u = no_input(s))
    out = Vector{Float64}(undef, s.model.nsensordata)
    check(LibDiffSim.ds_sim_sensors(handle(s), state(s, q, v, u)..., out))
    out
end

"""
    sensor_jacobians(sim, q, v, u = zeros(nu))

Jacobians (ddata_dq, ddata_dv, ddata_du) of what all sensors tell, nsensordata rows each, and the `gradient`, `:exact` or
`:one_sided`. Refused for touch, force and torque sensors on which contacts press.
"""
function sensor_jacobians(s::Sim, q, v, u = no_input(s))
    m, kind = s.model, Ref{Int32}(0)
    out = map(n -> Matrix{Float64}(undef, m.nsensordata, n), (m.nv, m.nv, m.nu))
    check(LibDiffSim.ds_sim_sensor_jacobians(handle(s), state(s, q, v, u)..., out..., kind))
    NamedTuple{(:ddata_dq, :ddata_dv, :ddata_du, :gradient)}((out..., get(GRADIENTS, kind[], :refused)))
end

"    sensor_vjp(sim, q, v, data_bar, u = zeros(nu))\n\nAdjoint of what all sensors tell: (q_bar, v_bar, u_bar, gradient)."
function sensor_vjp(s::Sim, q, v, data_bar, u = no_input(s))
    m, kind = s.model, Ref{Int32}(0)
    bars = map(n -> Vector{Float64}(undef, n), (m.nv, m.nv, m.nu))
    given = state(s, q, v, u)
    check(LibDiffSim.ds_sim_sensor_vjp(handle(s), given..., sized(data_bar, "data_bar", m.nsensordata), bars..., kind))
    NamedTuple{(:q_bar, :v_bar, :u_bar, :gradient)}((bars..., get(GRADIENTS, kind[], :refused)))
end

"    sensor_names(model)\n\nNames of the sensors, in their order."
sensor_names(m::Model) =
    [unsafe_string(LibDiffSim.ds_model_sensor_name(handle(m), i)) for i in 0:Int(LibDiffSim.ds_model_nsensor(m.handle))-1]

# The id of a sensor that there is.
function sensor_at(m::Model, sensor)
    0 <= sensor < LibDiffSim.ds_model_nsensor(handle(m)) || throw(ArgumentError("sensor: expected an id, got $sensor"))
    sensor
end

"    sensor_range(model, sensor)\n\nWhere the numbers of a sensor, an id, stand among those that all tell."
function sensor_range(m::Model, sensor)
    first = Int(LibDiffSim.ds_model_sensor_adr(m.handle, sensor_at(m, sensor)))
    first+1:first+Int(LibDiffSim.ds_model_sensor_dim(m.handle, sensor))
end

"    sensor_kind(model, sensor)\n\nWhat a sensor, an id, tells, such as `:gyro`."
sensor_kind(m::Model, sensor) = named(SENSORS, LibDiffSim.ds_model_sensor_kind(m.handle, sensor_at(m, sensor)))
