"""
    forward_kinematics(sim, q)

Placements of all bodies: 4×4×nbody, each taking a point from the body's axes to the world's. Body `i` is at `i + 1`.
"""
function forward_kinematics(s::Sim, q)
    out = Array{Float64}(undef, 4, 4, s.model.nbody)
    check(LibDiffSim.ds_forward_kinematics(handle(s), sized(q, "q", s.model.nq), out))
    out
end

"The generalized force under which the acceleration is `a`: M a + b(q, v)."
function inverse_dynamics(s::Sim, q, v, a)
    m, out = s.model, Vector{Float64}(undef, s.model.nv)
    sized(q, "q", m.nq), sized(v, "v", m.nv), sized(a, "a", m.nv)
    check(LibDiffSim.ds_inverse_dynamics(handle(s), q, v, a, out))
    out
end

"The acceleration under the total generalized force `tau`. Joint damping, springs and friction act in steps only."
function forward_dynamics(s::Sim, q, v, tau)
    m, out = s.model, Vector{Float64}(undef, s.model.nv)
    sized(q, "q", m.nq), sized(v, "v", m.nv), sized(tau, "tau", m.nv)
    check(LibDiffSim.ds_forward_dynamics(handle(s), q, v, tau, out))
    out
end

"The joint-space inertia matrix with rotor inertia, nv×nv."
function mass_matrix(s::Sim, q)
    out = Matrix{Float64}(undef, s.model.nv, s.model.nv)
    check(LibDiffSim.ds_mass_matrix(handle(s), sized(q, "q", s.model.nq), out))
    out
end

"Derivatives of [`inverse_dynamics`](@ref) by q (tangent) and v: (dtau_dq, dtau_dv)."
function inverse_dynamics_derivatives(s::Sim, q, v, a)
    m = s.model
    by_q, by_v = (Matrix{Float64}(undef, m.nv, m.nv) for _ in 1:2)
    sized(q, "q", m.nq), sized(v, "v", m.nv), sized(a, "a", m.nv)
    check(LibDiffSim.ds_inverse_dynamics_derivatives(handle(s), q, v, a, by_q, by_v))
    (dtau_dq = by_q, dtau_dv = by_v)
end

"Derivatives of [`forward_dynamics`](@ref) by q (tangent), v and tau: (da_dq, da_dv, da_dtau)."
function forward_dynamics_derivatives(s::Sim, q, v, tau)
    m = s.model
    by_q, by_v, by_tau = (Matrix{Float64}(undef, m.nv, m.nv) for _ in 1:3)
    sized(q, "q", m.nq), sized(v, "v", m.nv), sized(tau, "tau", m.nv)
    check(LibDiffSim.ds_forward_dynamics_derivatives(handle(s), q, v, tau, by_q, by_v, by_tau))
    (da_dq = by_q, da_dv = by_v, da_dtau = by_tau)
end

"The 6×nv Jacobian (linear; angular) in world axes of a body at a point given in its own axes."
function body_jacobian(s::Sim, q, body, point = zeros(3))
    out = Matrix{Float64}(undef, 6, s.model.nv)
    check(LibDiffSim.ds_body_jacobian(handle(s), sized(q, "q", s.model.nq), body, sized(point, "point", 3), out))
    out
end

"Placements of all sites: 4×4×nsite, each taking a point from the site's axes to the world's. Site `i` is at `i + 1`."
function site_placements(s::Sim, q)
    out = Array{Float64}(undef, 4, 4, s.model.nsite)
    check(LibDiffSim.ds_site_placements(handle(s), sized(q, "q", s.model.nq), out))
    out
end

"The 6×nv Jacobian (linear; angular) in world axes of a site at its origin."
function site_jacobian(s::Sim, q, site)
    out = Matrix{Float64}(undef, 6, s.model.nv)
    check(LibDiffSim.ds_site_jacobian(handle(s), sized(q, "q", s.model.nq), site, out))
    out
end

"Kinetic energy, and potential energy in gravity and of springs, of joints and tendons, too [J]."
function energy(s::Sim, q, v)
    kinetic, potential = Ref(0.0), Ref(0.0)
    sized(q, "q", s.model.nq), sized(v, "v", s.model.nv)
    check(LibDiffSim.ds_energy(handle(s), q, v, kinetic, potential))
    (kinetic = kinetic[], potential = potential[])
end

"""
    tendon_lengths(sim, q)

The lengths of the tendons at q [m; of a sum of joints' coordinates in its own unit], and the moments ∂l/∂q, a column of `nv`
numbers for each.
"""
function tendon_lengths(s::Sim, q)
    count = Int(LibDiffSim.ds_model_ntendon(handle(s.model)))
    lengths, moments = Vector{Float64}(undef, count), Matrix{Float64}(undef, s.model.nv, count)
    check(LibDiffSim.ds_sim_tendon_lengths(handle(s), sized(q, "q", s.model.nq), lengths, moments))
    (lengths, moments)
end
