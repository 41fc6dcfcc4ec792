# The extension needs nothing of ChainRulesCore but these names, so that it is tested without the package,
# too.
module ChainRulesCore
struct NoTangent end
abstract type AbstractZero end
unthunk(x) = x
function rrule end
end

@testset "rrule" begin
    text = read(joinpath(@__DIR__, "..", "ext", "DiffSimChainRulesCoreExt.jl"), String)
    # As a package extension would see it.
    include_string(@__MODULE__, replace(text, "using ChainRulesCore" => "using ..ChainRulesCore; using ..ChainRulesCore: NoTangent, AbstractZero, unthunk"))
    sim, q, v, u = quadruped()
    for _ in 1:20
        step!(sim, q, v, u)
    end
    warm = memory(sim)
    (q1, v1), pullback = ChainRulesCore.rrule(step, sim, q, v, u)
    q_bar, v_bar = sin.(1:19), cos.(1:18)
    # Another step in between changes nothing.
    step(sim, neutral(sim.model), zero(v), u)
    _, _, by_q, by_v, by_u = pullback((q_bar, v_bar))
    function cost(q, v, u)
        restore!(sim, warm)
        q_next, v_next = step(sim, q, v, u)
        dot(q_bar, q_next) + dot(v_bar, v_next)
    end
    slope(f) = (f(1e-6) - f(-1e-6)) / 2e-6
    dv, du, d = sin.(2:19), cos.(1:12), cos.(3:20)
    @test dot(by_v, dv) ≈ slope(t -> cost(q, v + t * dv, u)) rtol = 1e-5
    @test dot(by_u, du) ≈ slope(t -> cost(q, v, u + t * du)) rtol = 1e-5
    # Along the tangent of the configurations: q + t dq with dq = E d.
    dq = (integrate(sim.model, q, 1e-7 * d) - integrate(sim.model, q, -1e-7 * d)) / 2e-7
    @test dot(by_q, dq) ≈ slope(t -> cost(integrate(sim.model, q, t * d), v, u)) rtol = 1e-5
end
