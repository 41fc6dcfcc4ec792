"""
`rrule` of `DiffSim.step`, so that Zygote and other ChainRules users differentiate through a step.

Cotangents of a configuration have `nq` entries there and are tangent vectors (`nv`) in the library: E = ∂(q ⊕ d)/∂d at
d = 0 leads from one to the other. The pullback steps again from the warm start that the step had, so that other steps
of the same sim may come between.
"""
module DiffSimChainRulesCoreExt

using ChainRulesCore
using DiffSim

function ChainRulesCore.rrule(::typeof(DiffSim.step), s::Sim, q, v, u)
    warm = memory(s)
    q_next, v_next = DiffSim.step(s, q, v, u)
    function step_pullback(bars)
        q_bar, v_bar = map((b, x) -> b isa AbstractZero ? zero(x) : collect(Float64, unthunk(b)), bars, (q_next, v_next))
        now = memory(s)
        restore!(s, warm)
        DiffSim.step(s, q, v, u)
        g = vjp(s, DiffSim.to_tangent(s.model, q_next, q_bar), v_bar)
        restore!(s, now)
        NoTangent(), NoTangent(), DiffSim.from_tangent(s.model, q, g.q_bar), g.v_bar, g.u_bar
    end
    (q_next, v_next), step_pullback
end

end
