"Central difference of `f` by a tangent vector of `n` numbers."
function differences(f, n; eps = 1e-6)
    columns = map(1:n) do j
        d = zeros(n)
        d[j] = eps
        (f(d) - f(-d)) / 2eps
    end
    reduce(hcat, columns)
end

@testset "derivatives" begin
    sim, q, v, u = quadruped()
    model = sim.model
    select_params!(sim, [Param(:body_inertia, 1), Param(:geom_friction, geom_id(model, "floor"))])
    for _ in 1:20
        step!(sim, q, v, u)
    end
    warm = memory(sim)
    p = params(sim)
    base = step(sim, q, v, u)
    J = jacobians(sim)
    pattern = jacobian_pattern(sim)
    @test pattern.state_starts == 1:18:(18 * 18 + 1) && pattern.input_rows == repeat(1:18, 12)
    sparse = sparse_jacobians(sim, pattern)
    @test all(name -> sparse[name] == vec(J[name]), keys(sparse))
    @test_throws DiffSimError sparse_jacobians(sim, merge(pattern, (number = pattern.number + 1,)))
    function outcome(; dq = zeros(18), dv = zeros(18), du = zeros(12), dp = zeros(2))
        set_params!(sim, p + dp)
        restore!(sim, warm)
        q_next, v_next = step(sim, integrate(model, q, dq), v + dv, u + du)
        set_params!(sim, p)
        [difference(model, base[1], q_next); v_next]
    end
    for (exact, n, f) in (
        ([J.dq_dq; J.dv_dq], 18, d -> outcome(dq = d)),
        ([J.dq_dv; J.dv_dv], 18, d -> outcome(dv = d)),
        ([J.dq_du; J.dv_du], 12, d -> outcome(du = d)),
        ([J.dq_dp; J.dv_dp], 2, d -> outcome(dp = d)),
    )
        measured = differences(f, n)
        @test norm(measured - exact, Inf) < 1e-5 * max(1, norm(exact, Inf))
    end

    restore!(sim, warm)
    step(sim, q, v, u)
    dq, dv, du, dp = [sin.(k * (1:n)) for (k, n) in ((1, 18), (2, 18), (3, 12), (4, 2))]
    forward = jvp(sim; dq = dq, dv = dv, du = du, dp = dp)
    @test forward.dv_next ≈ J.dv_dq * dq + J.dv_dv * dv + J.dv_du * du + J.dv_dp * dp
    reverse = vjp(sim, dv, dq)
    @test dot(reverse.q_bar, dq) + dot(reverse.v_bar, dv) + dot(reverse.u_bar, du) + dot(reverse.p_bar, dp) ≈
          dot(dv, forward.dq_next) + dot(dq, forward.dv_next)
    labels = column_labels(sim)
    @test length.(values(labels)) == (18, 18, 12, 2)
    @test_throws DiffSimError aware_contacts(sim)
    aware = vjp_aware(sim, dv, dq)
    @test aware.other == (aware_contacts(sim) > 0)
    @test aware.other || aware.u_bar == reverse.u_bar
    only = jacobians(sim; by = (:u,))
    @test only.dv_du == J.dv_du && isempty(only.dv_dq)
end

@testset "rollout" begin
    _, q, v, u = quadruped()
    model = load_model(STANDING)
    rollout = Rollout(model, 30; time_step = 0.002, checkpoint_interval = 4)
    U = [u[i] + 0.01cos(i + k) for i in 1:12, k in 1:30]
    weight = [sin(i + k) for i in 1:18, k in 1:31]
    cost(U) = sum(run!(rollout, q, v, U).v .* weight)
    cost(U)
    gradient = vjp(rollout, zeros(18, 31), weight)
    @test aware_report(rollout) == (steps = 0, contacts = 0)
    direction = [cos(2i + k) for i in 1:12, k in 1:30]
    measured = (cost(U + 1e-6 * direction) - cost(U - 1e-6 * direction)) / 2e-6
    @test dot(gradient.u_bar, direction) ≈ measured rtol = 1e-5
end

@testset "a force with its slopes" begin
    sim, q, v, u = quadruped()
    model = sim.model
    tau, D = zeros(model.nv), zeros(model.nv, model.nv)
    tau[8] = 30.0
    D[8, 8], D[8, 9] = -500.0, 3.0
    _, free = step(sim, q, v, u)
    set_force!(sim, tau)
    _, pushed = step(sim, q, v, u)
    set_force!(sim, tau; D)
    _, held = step(sim, q, v, u)
    @test abs(held[8] - free[8]) < 0.1 * abs(pushed[8] - free[8])
    set_force!(sim, nothing)
    reset!(sim)
    @test step(sim, q, v, u)[2] == free
    @test_throws DimensionMismatch set_force!(sim, tau; K = tau)
    @test_throws DiffSimError set_force!(sim, fill(NaN, model.nv))
end

@testset "prescribed velocities" begin
    sim, q, v, u = quadruped()
    model = sim.model
    @test all(isnan, prescribed_velocities(sim))
    @test_throws DiffSimError select_params!(sim, [Param(:prescribed, 7)])
    prescribe!(sim, 7, 0.3)
    select_params!(sim, [Param(:prescribed, 7)])
    _, v1 = step(sim, q, v, u)
    @test v1[8] == 0.3 == prescribed_velocities(sim)[8] && params(sim) == [0.3]
    held = prescribed_impulses(sim)
    @test held[8] != 0 && count(!iszero, held) == 1
    by = jacobians(sim).dv_dp
    @test by[8, 1] == 1
    @test_throws DiffSimError prescribe!(sim, 7, NaN)
    rollout = Rollout(model, 5; time_step = 0.002)
    prescribe!(rollout, 7, 0.3)
    _, speeds = run!(rollout, q, v, repeat(u, 1, 5))
    @test all(==(0.3), speeds[8, 2:end])
end
