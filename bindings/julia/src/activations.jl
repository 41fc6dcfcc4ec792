"""
    act(sim)

Activations (states of actuators) at the start of the next step: `na` numbers, 0 in a new sim.
"""
function act(s::Sim)
    out = Vector{Float64}(undef, s.model.na)
    check(LibDiffSim.ds_sim_get_act(handle(s), out))
    out
end

"Sets the activations; see [`act`](@ref)."
set_act!(s::Sim, x) = check(LibDiffSim.ds_sim_set_act(handle(s), sized(x, "act", s.model.na)))

"""
    act(batch)

Activations of all elements: na×count.
"""
function act(b::Batch)
    out = Matrix{Float64}(undef, b.model.na, b.count)
    check(LibDiffSim.ds_batch_get_act(handle(b), out))
    out
end

set_act!(b::Batch, x) = check(LibDiffSim.ds_batch_set_act(handle(b), sized(x, "act", b.model.na, b.count)))

"Activations of a keyframe of the file."
function keyframe_act(m::Model, name::AbstractString)
    out = Vector{Float64}(undef, m.na)
    check(LibDiffSim.ds_model_keyframe_act(handle(m), name, out))
    out
end

"Index in u, from 0, of the actuator of each activation."
act_actuators(m::Model) = [Int(LibDiffSim.ds_model_act_actuator(handle(m), i)) for i in 0:m.na-1]

"""
    act_jacobians(sim)

Jacobians of the last step by and of the activations: `dq_dact` and `dv_dact` (nv×na), `dact_dq` and `dact_dv` (na×nv, zeros),
`dact_dact` (na×na), `dact_du` (na×nu). [`jacobians`](@ref) has the others, at fixed activations.
"""
function act_jacobians(s::Sim)
    m = s.model
    sizes = ((m.nv, m.na), (m.nv, m.na), (m.na, m.nv), (m.na, m.nv), (m.na, m.na), (m.na, m.nu))
    values = map(n -> Matrix{Float64}(undef, n...), sizes)
    GC.@preserve values begin
        pointers = map(x -> isempty(x) ? Ptr{Cdouble}(C_NULL) : pointer(x), values)
        check(LibDiffSim.ds_sim_step_act_jacobians(handle(s), Ref(LibDiffSim.ds_act_jacobians(pointers...))))
    end
    NamedTuple{fieldnames(LibDiffSim.ds_act_jacobians)}(values)
end

"""
    jvp_act(sim; dq = nothing, dv = nothing, dact = nothing, du = nothing, dp = nothing)

[`jvp`](@ref) with activations. Returns (dq_next, dv_next, dact_next).
"""
function jvp_act(s::Sim; dq = nothing, dv = nothing, dact = nothing, du = nothing, dp = nothing)
    m = s.model
    state = (optional(dq, "dq", m.nv), optional(dv, "dv", m.nv), optional(dact, "dact", m.na))
    rest = (optional(du, "du", m.nu), optional(dp, "dp", s.np))
    out = map(n -> Vector{Float64}(undef, n), (m.nv, m.nv, m.na))
    check(LibDiffSim.ds_sim_step_jvp_act(handle(s), state..., rest..., out...))
    NamedTuple{(:dq_next, :dv_next, :dact_next)}(out)
end

"""
    vjp_act(sim, q_next_bar, v_next_bar, act_next_bar = nothing)

[`vjp`](@ref) of a function that depends on the activations, too. Returns (q_bar, v_bar, act_bar, u_bar, p_bar).
"""
function vjp_act(s::Sim, q_next_bar, v_next_bar, act_next_bar = nothing)
    m = s.model
    bars = map(n -> Vector{Float64}(undef, n), (m.nv, m.nv, m.na, m.nu, s.np))
    sized(q_next_bar, "q_next_bar", m.nv), sized(v_next_bar, "v_next_bar", m.nv)
    of_act = optional(act_next_bar, "act_next_bar", m.na)
    check(LibDiffSim.ds_sim_step_vjp_act(handle(s), q_next_bar, v_next_bar, of_act, bars...))
    NamedTuple{(:q_bar, :v_bar, :act_bar, :u_bar, :p_bar)}(bars)
end

"""
    run_act!(rollout, q0, v0, act0, u)

[`run!`](@ref) from the activations `act0` (`nothing`: 0). Returns (q, v, act); act is na×(N+1).
"""
function run_act!(r::Rollout, q0, v0, act0, u::AbstractMatrix)
    m, steps = r.model, size(u, 2)
    q, v, act = map(n -> Matrix{Float64}(undef, n, steps + 1), (m.nq, m.nv, m.na))
    sized(q0, "q0", m.nq), sized(v0, "v0", m.nv), sized(u, "u", m.nu, steps)
    start = optional(act0, "act0", m.na)
    check(LibDiffSim.ds_rollout_run_act(handle(r), q0, v0, start, u, steps, q, v, act))
    r.steps = steps
    (q = q, v = v, act = act)
end

"""
    vjp_act(rollout, q_bar, v_bar, act_bar = nothing)

[`vjp`](@ref) of a function that depends on the activations (na×(N+1)), too. Returns (q0_bar, v0_bar, act0_bar, u_bar, p_bar).
"""
function vjp_act(r::Rollout, q_bar, v_bar, act_bar = nothing)
    m, n = r.model, r.steps
    sized(q_bar, "q_bar", m.nv, n + 1), sized(v_bar, "v_bar", m.nv, n + 1)
    of_act = optional(act_bar, "act_bar", m.na, n + 1)
    q0_bar, v0_bar, act0_bar = map(n -> Vector{Float64}(undef, n), (m.nv, m.nv, m.na))
    u_bar, p_bar = Matrix{Float64}(undef, m.nu, n), Vector{Float64}(undef, r.np)
    check(LibDiffSim.ds_rollout_adjoint_act(handle(r), q_bar, v_bar, of_act, q0_bar, v0_bar, act0_bar, u_bar, p_bar))
    (q0_bar = q0_bar, v0_bar = v0_bar, act0_bar = act0_bar, u_bar = u_bar, p_bar = p_bar)
end
