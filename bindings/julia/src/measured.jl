# Checks the state of queries that use the laws of a step.
function state(s::Sim, q, v, u)
    m = s.model
    (sized(q, "q", m.nq), sized(v, "v", m.nv), sized(u, "u", m.nu))
end

"""
    forward(sim, q, v, u = zeros(nu))

Acceleration (nv) at a state by the laws of the step. The state does not advance. Afterwards [`contacts`](@ref),
[`body_contact_wrenches`](@ref) and all derivatives are those of this step; the warm start of the next step does not change.
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

The force (nv) that must act beside the inputs `u` so that [`forward`](@ref) from (q, v) gives the acceleration `a`, with contact.
Refused for rigid contact: its impulses are not a function of the velocity.
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

First hits of rays at `q`. Origins and directions (any length but zero): 3×n, world axes. Rays ignore the geoms of `exclude_body`.
Returns `distances`, -1 for a miss; `normals` of the surfaces, 3×n; ids of `geoms`, -1 for a miss; `ddistances`, derivatives of the
distances by q (tangent), nv×n; `gradients`, `:exact` or `:one_sided` (on edges, and if a ray grazes).
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

First hit of one ray: (distance, normal, geom, ddistance, gradient); see [`ray_casts`](@ref).
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

Values of all sensors at a state, in the order of the file: nsensordata numbers; [`sensor_range`](@ref) has those of one sensor. If a
sensor needs accelerations or contact forces, [`forward`](@ref) runs first.
"""
function sensors(s::Sim, q, v, u = no_input(s))
    out = Vector{Float64}(undef, s.model.nsensordata)
    check(LibDiffSim.ds_sim_sensors(handle(s), state(s, q, v, u)..., out))
    out
end

"""
    sensor_jacobians(sim, q, v, u = zeros(nu))

Jacobians (ddata_dq, ddata_dv, ddata_du) of the values of all sensors, nsensordata rows each, and the `gradient`, `:exact` or
`:one_sided`. Refused for touch, force and torque sensors under contact load.
"""
function sensor_jacobians(s::Sim, q, v, u = no_input(s))
    m, kind = s.model, Ref{Int32}(0)
    out = map(n -> Matrix{Float64}(undef, m.nsensordata, n), (m.nv, m.nv, m.nu))
    check(LibDiffSim.ds_sim_sensor_jacobians(handle(s), state(s, q, v, u)..., out..., kind))
    NamedTuple{(:ddata_dq, :ddata_dv, :ddata_du, :gradient)}((out..., get(GRADIENTS, kind[], :refused)))
end

"    sensor_vjp(sim, q, v, data_bar, u = zeros(nu))\n\nAdjoint of the values of all sensors: (q_bar, v_bar, u_bar, gradient)."
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

# Checks the id of a sensor.
function sensor_at(m::Model, sensor)
    0 <= sensor < LibDiffSim.ds_model_nsensor(handle(m)) || throw(ArgumentError("sensor: expected an id, got $sensor"))
    sensor
end

"    sensor_range(model, sensor)\n\nRange of the numbers of a sensor, given by its id, among those of all sensors."
function sensor_range(m::Model, sensor)
    first = Int(LibDiffSim.ds_model_sensor_adr(m.handle, sensor_at(m, sensor)))
    first+1:first+Int(LibDiffSim.ds_model_sensor_dim(m.handle, sensor))
end

"    sensor_kind(model, sensor)\n\nKind of a sensor, given by its id, such as `:gyro`."
sensor_kind(m::Model, sensor) = named(SENSORS, LibDiffSim.ds_model_sensor_kind(m.handle, sensor_at(m, sensor)))
