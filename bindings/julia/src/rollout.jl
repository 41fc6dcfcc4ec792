"""
    Rollout(model, max_steps; options...)

A simulation over at most `max_steps` steps, with memory for the trajectory and its adjoint. Options: see [`Sim`](@ref);
`checkpoint_interval = k` keeps every k-th state and recomputes the others.
"""
mutable struct Rollout
    handle::Ptr{Cvoid}
    model::Model
    np::Int
    steps::Int
    function Rollout(model::Model, max_steps::Integer; options...)
        out = Ref{Ptr{Cvoid}}(C_NULL)
        check(LibDiffSim.ds_rollout_create(handle(model), sim_options(; options...), max_steps, out))
        finalizer(close, new(out[], model, 0, 0))
    end
end

function Base.close(r::Rollout)
    LibDiffSim.ds_rollout_free(r.handle)
    r.handle = C_NULL
    nothing
end

select_function(::Rollout) = LibDiffSim.ds_rollout_select_params

function params(r::Rollout)
    out = Vector{Float64}(undef, r.np)
    check(LibDiffSim.ds_rollout_get_params(handle(r), out))
    out
end

set_params!(r::Rollout, p) = check(LibDiffSim.ds_rollout_set_params(handle(r), sized(p, "p", r.np)))

prescribe!(r::Rollout, dof, velocity) = check(LibDiffSim.ds_rollout_prescribe(handle(r), dof, velocity))

"""
    run!(rollout, q0, v0, u)

Runs one step for each of the N columns of `u` (nu×N) and returns the trajectory (q, v): nq×(N+1) and nv×(N+1), the
initial state first.
"""
function run!(r::Rollout, q0, v0, u::AbstractMatrix)
    m, steps = r.model, size(u, 2)
    q, v = Matrix{Float64}(undef, m.nq, steps + 1), Matrix{Float64}(undef, m.nv, steps + 1)
    sized(q0, "q0", m.nq), sized(v0, "v0", m.nv), sized(u, "u", m.nu, steps)
    check(LibDiffSim.ds_rollout_run(handle(r), q0, v0, u, steps, q, v))
    r.steps = steps
    (q = q, v = v)
end

"""
    vjp(rollout, q_bar, v_bar)

Adjoint of the last run: from the gradient of a function by the states (nv×(N+1) each, positions in tangent coordinates) to
(q0_bar, v0_bar, u_bar, p_bar).
"""
function vjp(r::Rollout, q_bar, v_bar)
    m, n = r.model, r.steps
    sized(q_bar, "q_bar", m.nv, n + 1), sized(v_bar, "v_bar", m.nv, n + 1)
    q0_bar, v0_bar = Vector{Float64}(undef, m.nv), Vector{Float64}(undef, m.nv)
    u_bar, p_bar = Matrix{Float64}(undef, m.nu, n), Vector{Float64}(undef, r.np)
    check(LibDiffSim.ds_rollout_adjoint(handle(r), q_bar, v_bar, q0_bar, v0_bar, u_bar, p_bar))
    (q0_bar = q0_bar, v0_bar = v0_bar, u_bar = u_bar, p_bar = p_bar)
end

"""
    aware_report(rollout)

Effect of the option `aware_gradient = 1` on the last adjoint: the number of `steps` that used the aware gradient
([`vjp_aware`](@ref)), and the total number of `contacts` and limits that these took in another mode.
"""
function aware_report(r::Rollout)
    steps, contacts = Ref{Csize_t}(0), Ref{Csize_t}(0)
    check(LibDiffSim.ds_rollout_aware_report(handle(r), steps, contacts))
    (steps = Int(steps[]), contacts = Int(contacts[]))
end
