const REFERENCE_FRAMES = (
    local_frame = LibDiffSim.DS_FRAME_LOCAL, world = LibDiffSim.DS_FRAME_WORLD,
    world_aligned = LibDiffSim.DS_FRAME_LOCAL_WORLD_ALIGNED,
)

# A frame on a body for C; keep the placement alive during the call.
function frame_on(placement, frame)
    at = placement === nothing ? C_NULL : reshape(convert(Matrix{Float64}, placement), 16)
    at === C_NULL || length(at) == 16 || throw(DimensionMismatch("placement must be 4×4"))
    at, choice(REFERENCE_FRAMES, "frame", frame)
end

"""
    body_velocities(sim, q, v; frame = :world_aligned)

Velocities of all bodies' frames, 6×nbody (linear; angular). `frame`: `:local_frame`, along the frame's own axes; `:world`,
along the world's axes and of the body's point that is now at the world's origin; `:world_aligned`, along the world's axes
and of the frame's origin.
"""
function body_velocities(s::Sim, q, v; frame = :world_aligned)
    m, out = s.model, Matrix{Float64}(undef, 6, s.model.nbody)
    sized(q, "q", m.nq), sized(v, "v", m.nv)
    check(LibDiffSim.ds_body_velocities(handle(s), q, v, choice(REFERENCE_FRAMES, "frame", frame), out))
    out
end

"Accelerations of all bodies' frames at joint accelerations `a`, without gravity: the rates of [`body_velocities`](@ref)."
function body_accelerations(s::Sim, q, v, a; frame = :world_aligned)
    m, out = s.model, Matrix{Float64}(undef, 6, s.model.nbody)
    sized(q, "q", m.nq), sized(v, "v", m.nv), sized(a, "a", m.nv)
    check(LibDiffSim.ds_body_accelerations(handle(s), q, v, a, choice(REFERENCE_FRAMES, "frame", frame), out))
    out
end

"Velocities of all sites, 6×nsite; see [`body_velocities`](@ref)."
function site_velocities(s::Sim, q, v; frame = :world_aligned)
    m, out = s.model, Matrix{Float64}(undef, 6, s.model.nsite)
    sized(q, "q", m.nq), sized(v, "v", m.nv)
    check(LibDiffSim.ds_site_velocities(handle(s), q, v, choice(REFERENCE_FRAMES, "frame", frame), out))
    out
end

"Accelerations of all sites, 6×nsite; see [`body_accelerations`](@ref)."
function site_accelerations(s::Sim, q, v, a; frame = :world_aligned)
    m, out = s.model, Matrix{Float64}(undef, 6, s.model.nsite)
    sized(q, "q", m.nq), sized(v, "v", m.nv), sized(a, "a", m.nv)
    check(LibDiffSim.ds_site_accelerations(handle(s), q, v, a, choice(REFERENCE_FRAMES, "frame", frame), out))
    out
end

"Jacobians of all bodies' frames: 6×nv×nbody. Body `i` is at `i + 1`."
function body_jacobians(s::Sim, q; frame = :world_aligned)
    out = Array{Float64}(undef, 6, s.model.nv, s.model.nbody)
    frame = choice(REFERENCE_FRAMES, "frame", frame)
    check(LibDiffSim.ds_body_jacobians(handle(s), sized(q, "q", s.model.nq), frame, out))
    out
end

"""
    frame_jacobian(sim, q, body, placement = nothing; frame = :world_aligned)

The 6×nv Jacobian of a frame on a body. `placement`: 4×4, in the body's frame; `nothing` for the body's own.
"""
function frame_jacobian(s::Sim, q, body, placement = nothing; frame = :world_aligned)
    out = Matrix{Float64}(undef, 6, s.model.nv)
    at, frame = frame_on(placement, frame)
    check(LibDiffSim.ds_frame_jacobian(handle(s), sized(q, "q", s.model.nq), body, at, frame, out))
    out
end

"Time derivative along `v` of [`frame_jacobian`](@ref)."
function frame_jacobian_rate(s::Sim, q, v, body, placement = nothing; frame = :world_aligned)
    m, out = s.model, Matrix{Float64}(undef, 6, s.model.nv)
    at, frame = frame_on(placement, frame)
    sized(q, "q", m.nq), sized(v, "v", m.nv)
    check(LibDiffSim.ds_frame_jacobian_rate(handle(s), q, v, body, at, frame, out))
    out
end

"Velocity of a frame on a body, with its 6×nv derivatives by q (tangent) and v: (velocity, dq, dv)."
function frame_velocity(s::Sim, q, v, body, placement = nothing; frame = :world_aligned)
    m, out = s.model, Vector{Float64}(undef, 6)
    by_q, by_v = (Matrix{Float64}(undef, 6, m.nv) for _ in 1:2)
    at, frame = frame_on(placement, frame)
    sized(q, "q", m.nq), sized(v, "v", m.nv)
    check(LibDiffSim.ds_frame_velocity(handle(s), q, v, body, at, frame, out, by_q, by_v))
    (velocity = out, dq = by_q, dv = by_v)
end

"""
    frame_acceleration(sim, q, v, a, body, placement = nothing; frame = :world_aligned)

Acceleration of a frame on a body at joint accelerations `a`, without gravity, with its 6×nv derivatives by q (tangent), v
and a: (acceleration, dq, dv, da).
"""
function frame_acceleration(s::Sim, q, v, a, body, placement = nothing; frame = :world_aligned)
    m, out = s.model, Vector{Float64}(undef, 6)
    by_q, by_v, by_a = (Matrix{Float64}(undef, 6, m.nv) for _ in 1:3)
    at, frame = frame_on(placement, frame)
    sized(q, "q", m.nq), sized(v, "v", m.nv), sized(a, "a", m.nv)
    check(LibDiffSim.ds_frame_acceleration(handle(s), q, v, a, body, at, frame, out, by_q, by_v, by_a))
    (acceleration = out, dq = by_q, dv = by_v, da = by_a)
end

"""
    gravity_forces(sim, q)

The force that holds the robot still against gravity, and its nv×nv derivative by q (tangent): (g, dq).
"""
function gravity_forces(s::Sim, q)
    m = s.model
    g, by_q = Vector{Float64}(undef, m.nv), Matrix{Float64}(undef, m.nv, m.nv)
    check(LibDiffSim.ds_gravity_forces(handle(s), sized(q, "q", m.nq), g, by_q))
    (g = g, dq = by_q)
end

"Coriolis, centrifugal and gravity forces, without external wrenches."
function bias_forces(s::Sim, q, v)
    m, out = s.model, Vector{Float64}(undef, s.model.nv)
    sized(q, "q", m.nq), sized(v, "v", m.nv)
    check(LibDiffSim.ds_bias_forces(handle(s), q, v, out))
    out
end

"The Coriolis matrix C: C v are the Coriolis and centrifugal forces, and C + Cᵀ is the rate of the mass matrix."
function coriolis_matrix(s::Sim, q, v)
    m, out = s.model, Matrix{Float64}(undef, s.model.nv, s.model.nv)
    sized(q, "q", m.nq), sized(v, "v", m.nv)
    check(LibDiffSim.ds_coriolis_matrix(handle(s), q, v, out))
    out
end

"The inverse of [`mass_matrix`](@ref)."
function mass_matrix_inverse(s::Sim, q)
    out = Matrix{Float64}(undef, s.model.nv, s.model.nv)
    check(LibDiffSim.ds_mass_matrix_inverse(handle(s), sized(q, "q", s.model.nq), out))
    out
end

"""
    inverse_dynamics_regressor(sim, q, v, a)

The nv×(10 nbody) matrix that takes the inertial parameters of all bodies to the force that gives the acceleration `a`,
without armature and external wrenches.
"""
function inverse_dynamics_regressor(s::Sim, q, v, a)
    m, out = s.model, Matrix{Float64}(undef, s.model.nv, 10 * s.model.nbody)
    sized(q, "q", m.nq), sized(v, "v", m.nv), sized(a, "a", m.nv)
    check(LibDiffSim.ds_inverse_dynamics_regressor(handle(s), q, v, a, out))
    out
end

# Ids and wrenches for C.
function listed(bodies, wrenches)
    ids = convert(Vector{Int32}, bodies)
    ids, sized(wrenches, "wrenches", 6, length(ids))
end

"[`inverse_dynamics`](@ref) with further wrenches (force; moment), 6×length(bodies), world axes, at the bodies' origins."
function inverse_dynamics_with_wrenches(s::Sim, q, v, a, bodies, wrenches)
    m, out = s.model, Vector{Float64}(undef, s.model.nv)
    sized(q, "q", m.nq), sized(v, "v", m.nv), sized(a, "a", m.nv)
    ids, w = listed(bodies, wrenches)
    check(LibDiffSim.ds_inverse_dynamics_with_wrenches(handle(s), q, v, a, ids, w, length(ids), out))
    out
end

"[`forward_dynamics`](@ref) with further wrenches; see [`inverse_dynamics_with_wrenches`](@ref)."
function forward_dynamics_with_wrenches(s::Sim, q, v, tau, bodies, wrenches)
    m, out = s.model, Vector{Float64}(undef, s.model.nv)
    sized(q, "q", m.nq), sized(v, "v", m.nv), sized(tau, "tau", m.nv)
    ids, w = listed(bodies, wrenches)
    check(LibDiffSim.ds_forward_dynamics_with_wrenches(handle(s), q, v, tau, ids, w, length(ids), out))
    out
end

"Position, velocity and acceleration of the centre of mass at joint accelerations `a`, without gravity: (com, velocity, acceleration)."
function center_of_mass_motion(s::Sim, q, v, a = zeros(s.model.nv))
    m = s.model
    com, velocity, acceleration = (Vector{Float64}(undef, 3) for _ in 1:3)
    sized(q, "q", m.nq), sized(v, "v", m.nv), sized(a, "a", m.nv)
    check(LibDiffSim.ds_center_of_mass_motion(handle(s), q, v, a, com, velocity, acceleration))
    (com = com, velocity = velocity, acceleration = acceleration)
end

"Momentum about the centre of mass (linear; angular) and its rate at joint accelerations `a`, without gravity: (momentum, rate)."
function centroidal_momentum(s::Sim, q, v, a = zeros(s.model.nv))
    m = s.model
    momentum, rate = (Vector{Float64}(undef, 6) for _ in 1:2)
    sized(q, "q", m.nq), sized(v, "v", m.nv), sized(a, "a", m.nv)
    check(LibDiffSim.ds_centroidal_momentum(handle(s), q, v, a, momentum, rate))
    (momentum = momentum, rate = rate)
end

"The 6×nv matrix that takes v to the momentum about the centre of mass."
function centroidal_map(s::Sim, q)
    out = Matrix{Float64}(undef, 6, s.model.nv)
    check(LibDiffSim.ds_centroidal_map(handle(s), sized(q, "q", s.model.nq), out))
    out
end

"""
    centroidal_derivatives(sim, q, v, a)

Derivatives, 6×nv each, of the momentum about the centre of mass by q (tangent), and of its rate by q, v and a:
(momentum_dq, rate_dq, rate_dv, rate_da).
"""
function centroidal_derivatives(s::Sim, q, v, a)
    m = s.model
    x, y, z, w = (Matrix{Float64}(undef, 6, m.nv) for _ in 1:4)
    sized(q, "q", m.nq), sized(v, "v", m.nv), sized(a, "a", m.nv)
    check(LibDiffSim.ds_centroidal_derivatives(handle(s), q, v, a, x, y, z, w))
    (momentum_dq = x, rate_dq = y, rate_dv = z, rate_da = w)
end

const FORCE_KINDS = (joint_spring = 1, joint_damper = 2, gravity_compensation = 4, tendon = 8, fluid = 16, actuator = 32,
    contact = 64, external = 128, passive = 31, all = 255)

"""
    generalized_forces(sim, q, v, u; kinds = :all)

The generalized force of these kinds, their sum if there are several, and its derivatives by q (tangent), v and u:
(force, dq, dv, du). kinds: one of `:joint_spring`, `:joint_damper`, `:gravity_compensation`, `:tendon`, `:fluid`, `:actuator`,
`:contact`, `:external`, `:passive`, `:all`, or several.
"""
function generalized_forces(s::Sim, q, v, u; kinds = :all)
    m = s.model
    sum = reduce(|, (FORCE_KINDS[k] for k in (kinds isa Symbol ? (kinds,) : kinds)))
    force = Vector{Float64}(undef, m.nv)
    by_q, by_v, by_u = (Matrix{Float64}(undef, m.nv, n) for n in (m.nv, m.nv, m.nu))
    sized(q, "q", m.nq), sized(v, "v", m.nv), sized(u, "u", m.nu)
    check(LibDiffSim.ds_generalized_forces(handle(s), q, v, u, sum, force, by_q, by_v, by_u, C_NULL))
    (force = force, dq = by_q, dv = by_v, du = by_u)
end

"""
    actuator_states(sim, q, v, u)

State of every actuator: length and velocity of its transmission (with the gear), its force (before the gear), and the derivatives
of the forces by q (tangent), v and u: (lengths, velocities, forces, dq, dv, du).
"""
function actuator_states(s::Sim, q, v, u)
    m = s.model
    lengths, velocities, forces = (Vector{Float64}(undef, m.nu) for _ in 1:3)
    by_q, by_v, by_u = (Matrix{Float64}(undef, m.nu, n) for n in (m.nv, m.nv, m.nu))
    sized(q, "q", m.nq), sized(v, "v", m.nv), sized(u, "u", m.nu)
    check(LibDiffSim.ds_actuator_states(handle(s), q, v, u, lengths, velocities, forces, by_q, by_v, by_u, C_NULL))
    (lengths = lengths, velocities = velocities, forces = forces, dq = by_q, dv = by_v, du = by_u)
end

"""
    tendon_states(sim, q, v)

State of every tendon: length, velocity, tension of its spring and damper, and the derivatives of the tensions by q (tangent) and
v: (lengths, velocities, tensions, dq, dv).
"""
function tendon_states(s::Sim, q, v)
    m, n = s.model, Int(LibDiffSim.ds_model_ntendon(handle(s.model)))
    lengths, velocities, tensions = (Vector{Float64}(undef, n) for _ in 1:3)
    by_q, by_v = (Matrix{Float64}(undef, n, m.nv) for _ in 1:2)
    sized(q, "q", m.nq), sized(v, "v", m.nv)
    check(LibDiffSim.ds_tendon_states(handle(s), q, v, lengths, velocities, tensions, by_q, by_v, C_NULL))
    (lengths = lengths, velocities = velocities, tensions = tensions, dq = by_q, dv = by_v)
end
