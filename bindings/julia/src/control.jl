"""
    lqr(A, B, Q, R)

The gains K (nu×nx) of the regulator u = −K x that is least in the sum of xᵀQx + uᵀRu along x⁺ = A x + B u, and P (nx×nx) with
xᵀPx that sum from x on: (K, P). `A`: nx×nx, `B`: nx×nu, `Q`: nx×nx, symmetric, without negative directions, `R`: nu×nu,
symmetric and positive definite. About a state at rest A and B are the [`jacobians`](@ref) of a step, x the tangent of q, then v.
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

A horizon of so many steps whose inputs [`solve!`](@ref) improves by an iterative linear-quadratic regulator within bounds of the
inputs. `max_plans` times at most in one solve; a decrease below the share `plan_tolerance` of the cost ends it; other keywords are
the step's, as of [`Sim`](@ref). Weights are 0 but for 1 of each input; the reference is the neutral configuration at rest without
input, and inputs have no bounds. One task at a time.
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

Weights of deviations: of the state where each step begins and of the end, 2nv numbers each (tangent of q, then v), at least 0, and
of the inputs, nu numbers greater than 0. The last plan is forgotten.
"""
function set_weights!(p::Ilqr, state, last, input)
    m = p.model
    sized(state, "state", 2m.nv), sized(last, "last", 2m.nv), sized(input, "input", m.nu)
    check(LibDiffSim.ds_ilqr_set_weights(handle(p), state, last, input))
end

"""
    set_reference!(ilqr, q, v = zeros(nv), u = zeros(nu); node = nothing)

What deviations are from where step `node` begins, counted from 1, `steps + 1` for the end; `nothing` for all of them. The last plan
is forgotten.
"""
function set_reference!(p::Ilqr, q, v = zeros(p.model.nv), u = zeros(p.model.nu); node = nothing)
    m = p.model
    sized(q, "q", m.nq), sized(v, "v", m.nv), sized(u, "u", m.nu)
    # Minus one stands for all nodes in the library; a node that is none must not become it.
    node === nothing || 1 <= node <= p.steps + 1 || throw(ArgumentError("node: expected 1 to $(p.steps + 1), got $node"))
    check(LibDiffSim.ds_ilqr_set_reference(handle(p), node === nothing ? -1 : node - 1, q, v, u))
end

"    set_input_bounds!(ilqr, lower, upper)\n\nBounds of the inputs, nu numbers each; infinite ones are none. The last plan is forgotten."
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

Improves the inputs `u` (nu×steps) from a state on; those beyond their bounds are first moved to them. Gives the better ones, in a
new array, and how it went: (u, info), where `info` has the `outcome` (`:converged`, `:stuck` or `:iterations`), `iterations`, the
`cost` of the plan and the `first_cost` of the inputs that came, and the largest `slope` by an input that no bound holds.
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

Feedback K (nu×2nv) of a step of the last plan, counted from 1: u + K δx answers a state that is off the plan by δx = (δq, δv), δq by
[`difference`](@ref) from the plan's configuration. Rows of inputs that a bound holds are zero.
"""
function gains(p::Ilqr, step)
    1 <= step <= p.steps || throw(ArgumentError("step: expected 1 to $(p.steps), got $step"))
    out = Matrix{Float64}(undef, p.model.nu, 2p.model.nv)
    check(LibDiffSim.ds_ilqr_gains(handle(p), step - 1, out))
    out
end
