@testset "regulators and plans" begin
    pole = load_model(joinpath(MODELS, "cartpole.xml"))
    sim = Sim(pole; time_step = 0.01)
    q, v = neutral(pole), zeros(pole.nv)
    step(sim, q, v)
    J = jacobians(sim)
    A, B = [J.dq_dq J.dq_dv; J.dv_dq J.dv_dv], [J.dq_du; J.dv_du]
    K, P = lqr(A, B, Matrix(1.0I, 4, 4), fill(0.1, 1, 1))
    closed = A - B * K
    @test maximum(abs, eigvals(closed)) < 1
    @test norm(I + closed' * P * closed + 0.1 * K' * K - P, Inf) < 1e-9 * norm(P, Inf)
    q[2] += 0.1
    for _ in 1:1500
        step!(sim, q, v, -K * [difference(pole, neutral(pole), q); v])
    end
    @test norm(v, Inf) < 1e-3 && norm(q, Inf) < 1e-2
    @test_throws DiffSimError lqr(fill(2.0, 1, 1), zeros(1, 1), ones(1, 1), ones(1, 1))
    @test_throws DimensionMismatch lqr(A, B[1:2, :], A, ones(1, 1))

    model = load_model(STANDING)
    q, v, u = keyframe(model, "standing")
    plan = Ilqr(model, 10; time_step = 0.01, max_plans = 5)
    @test_throws DiffSimError states(plan)
    set_weights!(plan, fill(10.0, 36), fill(10.0, 36), fill(0.1, 12))
    set_reference!(plan, q, zeros(18), u)
    set_input_bounds!(plan, u .- 0.1, u .+ 0.1)
    pushed = copy(v)
    pushed[2] = 0.3
    given = repeat(u, 1, 10)
    better, info = solve!(plan, q, pushed, given)
    @test given == repeat(u, 1, 10)
    @test info.cost < info.first_cost && 0 < info.iterations <= 5 && info.outcome in (:iterations, :stuck, :converged)
    @test all(abs.(better .- u) .<= 0.1 + 1e-15)
    rolled = run!(Rollout(model, 10; time_step = 0.01), q, pushed, better)
    @test norm(states(plan).q - rolled.q, Inf) < 1e-9 && norm(states(plan).v - rolled.v, Inf) < 1e-7
    @test size(gains(plan, 1)) == (12, 36) && all(isfinite, gains(plan, 10))
    @test_throws ArgumentError gains(plan, 0)
    @test_throws ArgumentError set_reference!(plan, q; node = 0)
    @test_throws ArgumentError set_reference!(plan, q; node = 12)
    # Another end alone moves the plan: what node 11 is, is not the first.
    moved = copy(q)
    moved[1] += 0.2
    set_reference!(plan, moved; node = 11)
    @test solve!(plan, q, pushed, given).info.first_cost > info.first_cost
    @test_throws DimensionMismatch solve!(plan, q, pushed, zeros(12, 9))
    @test_throws ArgumentError Ilqr(model, 10; plans = 5)
    @test_throws DiffSimError Ilqr(model, 0)
    close(plan)
    @test_throws ArgumentError states(plan)
end
