"Contacts that come down on a body of 8 dofs; what makes the problem, in order."
function falling(law)
    number(k, n...) = reshape([sin(k + 0.7i^2) for i in 1:prod(n)], n...)
    root = number(1, 8, 8)
    target = 0.3number(3, 6)
    target[3:3:6] .-= 0.7
    A = 0.3root * root' + I
    compliance = law == :convex ? repeat([0.01, 0.01, 0.1], 2) : nothing
    (A, number(2, 6, 8), number(4, 8), target, [0.3, 0.6], compliance)
end

@testset "problem" begin
    for law in (:ncp, :lcp, :convex)
        problem = Problem(8; law = law, max_contacts = 2)
        @test_throws DiffSimError step_info(problem)
        given = falling(law)
        A, J, v_free = given
        v, impulse = solve!(problem, given...)
        @test norm(A * (v - v_free) - J' * impulse) < 1e-12
        info, seen = step_info(problem), modes(problem)
        @test info.converged && info.contacts == 2 && impulses_unique(problem) && length(seen) == 2
        by = map(x -> x === nothing ? nothing : cos.(1:length(x)), given)
        square = reshape(by[1], 8, 8)
        by = (square + square', reshape(by[2], 6, 8), by[3:5]..., law == :convex ? 1e-3ones(6) : nothing)
        names = (:dA, :dJ, :dv_free, :dtarget, :dfriction, :dcompliance)
        forward = jvp(problem; NamedTuple{names}(by)...)
        @test step_info(problem).gradient == :exact
        v_bar, impulse_bar = sin.(1:8), cos.(1:6)
        bars = vjp(problem, v_bar, impulse_bar)
        backward = sum(dot(vec(b), vec(d)) for (b, d) in zip(bars, by) if d !== nothing)
        @test backward ≈ dot(v_bar, forward.dv) + dot(impulse_bar, forward.dimpulse)
        ends = map((1e-6, -1e-6)) do e
            moved = map((x, d) -> x === nothing ? nothing : x + e * d, given, by)
            end_v = solve!(problem, moved...)
            @test modes(problem) == seen
            end_v
        end
        @test norm(forward.dv - (ends[1].v - ends[2].v) / 2e-6, Inf) < 1e-6
        reset!(problem)
        @test solve!(problem, given...).v == v
        alone = solve!(problem, A, zeros(0, 8), v_free, zeros(0), zeros(0))
        @test alone.v == v_free && isempty(alone.impulse)
        @test_throws DimensionMismatch solve!(problem, A, J[1:3, :], given[3:end]...)
        @test_throws DiffSimError solve!(problem, -A, given[2:end]...)
        close(problem)
        @test_throws ArgumentError step_info(problem)
    end
    @test_throws ArgumentError Problem(8; law = :penalty)
    @test_throws ArgumentError Problem(8; kp = 0.1)
    @test_throws DiffSimError Problem(0)
end
