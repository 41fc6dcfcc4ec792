"""
    lqr(A, B, Q, R)

Discrete regulator: u = −K x minimizes the sum of xᵀQx + uᵀRu along x⁺ = A x + B u. Returns (K, P): the gains (nu×nx), and P
(nx×nx), where xᵀPx is the sum from x on. `A`: nx×nx, `B`: nx×nu, `Q`: nx×nx, symmetric positive semidefinite, `R`: nu×nu, symmetric
positive definite. About a state at rest, A and B are the [`jacobians`](@ref) of a step, and x is the tangent of q, then v.
"""
function lqr(A, B, Q, R)
    nx, nu = size(A, 1), size(B, 2)
    sized(A, "A", nx, nx), sized(B, "B", nx, nu), sized(Q, "Q", nx, nx), sized(R, "R", nu, nu)
    K, P = Matrix{Float64}(undef, nu, nx), Matrix{Float64}(undef, nx, nx)
    check(LibDiffSim.ds_lqr(nx, nu, A, B, Q, R, K, P))
    (K = K, P = P)
end

"""
    Ilqr(model, steps; max_plans = 100, plan_tolerance = 1e-9, options...)

A horizon of `steps` steps. [`solve!`](@ref) improves its inputs within their bounds by an iterative linear-quadratic regulator, at
most `max_plans` times. It ends if the cost decreases by less than the share `plan_tolerance`. Other keywords are those of a
[`Sim`](@ref), for the steps. Defaults: weight 1 for each input, 0 for states; reference: neutral, at rest, without input; no bounds.
Use it from one task at a time.
"""
mutable struct Ilqr
    handle::Ptr{Cvoid}
    model::Model
    steps::Int
    function Ilqr(model::Model, steps::Integer; max_plans = nothing, plan_tolerance = nothing, options...)
        made = LibDiffSim.ds_ilqr_options()
        max_plans === nothing || (made.max_iterations = max_plans)
        plan_tolerance === nothing || (made.tolerance = plan_tolerance)
        out = Ref{Ptr{Cvoid}}(C_NULL)
        check(LibDiffSim.ds_ilqr_create(handle(model), sim_options(; options...), steps, made, out))
        finalizer(close, new(out[], model, steps))
    end
end

function Base.close(p::Ilqr)
    LibDiffSim.ds_ilqr_free(p.handle)
    p.handle = C_NULL
    nothing
end

"""
    set_weights!(ilqr, state, last, input)

Sets the weights of deviations: of the state at the start of each step and at the end, 2nv nonnegative numbers each (tangent of q,
then v), and of the inputs, nu positive numbers. Forgets the last plan.
"""
function set_weights!(p::Ilqr, state, last, input)
    m = p.model
    sized(state, "state", 2m.nv), sized(last, "last", 2m.nv), sized(input, "input", m.nu)
    check(LibDiffSim.ds_ilqr_set_weights(handle(p), state, last, input))
end

"""
    set_reference!(ilqr, q, v = zeros(nv), u = zeros(nu); node = nothing)

Sets the reference at the start of step `node`, counted from 1 (`steps + 1`: the end; `nothing`: everywhere). Forgets the last
plan.
"""
function set_reference!(p::Ilqr, q, v = zeros(p.model.nv), u = zeros(p.model.nu); node = nothing)
    m = p.model
    sized(q, "q", m.nq), sized(v, "v", m.nv), sized(u, "u", m.nu)
    # −1 means all nodes in the library; node 0 is invalid and must not become −1.
    node === nothing || 1 <= node <= p.steps + 1 || throw(ArgumentError("node: expected 1 to $(p.steps + 1), got $node"))
    check(LibDiffSim.ds_ilqr_set_reference(handle(p), node === nothing ? -1 : node - 1, q, v, u))
end

"    set_input_bounds!(ilqr, lower, upper)\n\nSets the bounds of the inputs, nu numbers each; ±Inf for no bound. Forgets the last plan."
function set_input_bounds!(p::Ilqr, lower, upper)
    sized(lower, "lower", p.model.nu), sized(upper, "upper", p.model.nu)
    check(LibDiffSim.ds_ilqr_set_input_bounds(handle(p), lower, upper))
end

const ILQR_OUTCOMES = (
    converged = LibDiffSim.DS_ILQR_CONVERGED,
    stuck = LibDiffSim.DS_ILQR_STUCK,
    iterations = LibDiffSim.DS_ILQR_ITERATIONS,
)

"""
    solve!(ilqr, q0, v0, u)

Improves the inputs `u` (nu×steps) from the state (q0, v0) on; inputs beyond their bounds are moved to them first. Returns (u, info):
the new inputs, and the `outcome` (`:converged`, `:stuck` or `:iterations`), the `iterations`, the `cost` of the plan, the
`first_cost` of the given inputs, and the largest `slope` by an input that is not at a bound.
"""
function solve!(p::Ilqr, q0, v0, u)
    m = p.model
    sized(q0, "q0", m.nq), sized(v0, "v0", m.nv)
    better, out = copy(sized(u, "u", m.nu, p.steps)), Ref{LibDiffSim.ds_ilqr_info}()
    check(LibDiffSim.ds_ilqr_solve(handle(p), q0, v0, better, out))
    i = out[]
    info = (
        outcome = named(ILQR_OUTCOMES, i.outcome),
        iterations = Int(i.iterations),
        cost = i.cost,
        first_cost = i.first_cost,
        slope = i.slope,
    )
    (u = better, info = info)
end

"    states(ilqr)\n\nStates of the last plan: (q, v), nq×(steps + 1) and nv×(steps + 1)."
function states(p::Ilqr)
    q, v = Matrix{Float64}(undef, p.model.nq, p.steps + 1), Matrix{Float64}(undef, p.model.nv, p.steps + 1)
    check(LibDiffSim.ds_ilqr_states(handle(p), q, v))
    (q = q, v = v)
end

"""
    gains(ilqr, step)

Feedback K (nu×2nv) of a step of the last plan, counted from 1: apply u + K δx at a deviation δx = (δq, δv) from the plan, δq by
[`difference`](@ref) from its configuration. Rows of inputs at a bound are zero.
"""
function gains(p::Ilqr, step)
    1 <= step <= p.steps || throw(ArgumentError("step: expected 1 to $(p.steps), got $step"))
    out = Matrix{Float64}(undef, p.model.nu, 2p.model.nv)
    check(LibDiffSim.ds_ilqr_gains(handle(p), step - 1, out))
    out
end
