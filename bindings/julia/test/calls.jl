@testset "calls" begin
    model = load_model(STANDING)
    @test (model.nq, model.nv, model.nu) == (19, 18, 12)
    @test body_id(model, "trunk") == 1
    @test isempty(warnings(model)) && time_step(model) == 0.002
    sim = Sim(model)
    @test (time_step(sim), integrator(sim)) == (0.002, :symplectic_euler_world)
    @test occursin("time_step = 0.002, integrator = :symplectic_euler_world", sprint(show, sim))
    close(sim)
    @test sprint(show, sim) == "Sim (closed)"
    sim = Sim(model; time_step = 0.001, integrator = :midpoint)
    @test (time_step(sim), integrator(sim)) == (0.001, :midpoint)
    p = [2, 0.6, -0.2, 1.4, 1.3, 0.05, 1.6, -0.4, 0.1, 0.9]
    theta = inertia_to_log_cholesky(p)
    @test exp(2theta[1]) ≈ 2 && theta[8:10] ≈ [0.3, -0.1, 0.7]
    again, slopes = inertia_from_log_cholesky(theta)
    @test again ≈ p && slopes[1, 1] ≈ 4 && size(slopes) == (10, 10)
    @test_throws DiffSimError inertia_to_log_cholesky(zeros(10))
    @test load_model(read(STANDING, String), :mjcf).nv == 18
    arm = load_model(joinpath(MODELS, "arm7.urdf"); base = :free, actuation = :full, mesh_dirs = [MODELS])
    @test arm.nu == arm.nv == 13
    arm = load_model(joinpath(MODELS, "arm7.urdf"); base = :free, actuation = :joints, effort_limits = true)
    @test arm.nu == 7
    @test with_actuators(arm, [(joint = "joint1", kp = 10.0, kd = 1.0, force_upper = 5.0), (joint = "joint2", name = "m")]).nu == 9
    @test with_actuators(arm, []).nu == 7
    @test_throws DiffSimError with_actuators(arm, [(joint = "joint9",)])
    @test_throws DiffSimError with_actuators(arm, [(joint = "joint1", kp = -1.0)])
    @test visuals(model, STANDING).left_out == 0
    @test_throws DiffSimError visuals(model, "no/such/robot.urdf")
    @test_throws ArgumentError with_actuators(arm, [(joint = "joint1", gears = 1.0)])

    mktempdir() do folder
        path = joinpath(folder, "saved.xml")
        @test isempty(save(model, path; strict = true))
        @test load_model(path).nu == 12
        @test any(startswith("actuators are left out"), save(model, joinpath(folder, "saved.urdf")))
        @test_throws DiffSimError save(model, joinpath(folder, "saved.sdf"))
    end

    floor, foot = geom_id(model, "floor"), geom_id(model, "FR_foot")
    without = with_pairs(model, [(foot, floor)], false)
    @test pair_enabled(model, floor, foot) && !pair_enabled(without, floor, foot)
    @test warnings(exclude_overlapping(without)) == warnings(model)
    @test_throws DiffSimError pair_enabled(model, floor, 99)

    q = neutral(model)
    d = [0.1i for i in 1:model.nv]
    @test difference(model, q, integrate(model, q, d)) ≈ d

    sim, q, v, u = quadruped()
    q0, v0 = copy(q), copy(v)
    q1, v1 = step(sim, q, v, u)
    @test q == q0 && v == v0
    reset!(sim)
    step!(sim, q, v, u)
    @test (q, v) == (q1, v1)
    info = step_info(sim)
    @test info.converged && info.contacts == length(contacts(sim)) > 0 && info.gradient in (:exact, :one_sided)
    @test all(c -> c.normal[3] ≈ 1.0, contacts(sim))

    warm = memory(sim)
    next = step(sim, q, v, u)
    restore!(sim, warm)
    @test step(sim, q, v, u) == next
    repeated(sim, q, v, u) = @allocated step!(sim, q, v, u)
    repeated(sim, q, v, u)
    @test repeated(sim, q, v, u) == 0

    a = forward_dynamics(sim, q, v, 0.1v)
    @test inverse_dynamics(sim, q, v, a) ≈ 0.1v
    M = mass_matrix(sim, q)
    @test M ≈ M' && isposdef(Symmetric(M))
    @test energy(sim, q, v).kinetic ≈ v' * M * v / 2
    @test size(forward_kinematics(sim, q)) == (4, 4, model.nbody)
    @test size(body_jacobian(sim, q, body_id(model, "trunk"))) == (6, model.nv)

    @test body_velocities(sim, q, v; frame = :local_frame)[:, 2] ≈ v[1:6]
    @test body_accelerations(sim, q, v, a; frame = :local_frame)[:, 2] ≈ a[1:6]
    trunk = body_id(model, "trunk")
    moving = frame_acceleration(sim, q, v, a, trunk)
    @test moving.da == frame_jacobian(sim, q, trunk) == body_jacobians(sim, q)[:, :, trunk + 1]
    @test moving.acceleration ≈ moving.da * a + frame_jacobian_rate(sim, q, v, trunk) * v
    @test frame_velocity(sim, q, v, trunk).velocity ≈ moving.da * v
    @test size(site_velocities(sim, q, v)) == size(site_accelerations(sim, q, v, a)) == (6, 0)
    @test_throws DiffSimError frame_jacobian(sim, q, 99)
    @test coriolis_matrix(sim, q, v) * v + gravity_forces(sim, q).g ≈ bias_forces(sim, q, v)
    @test mass_matrix_inverse(sim, q) * M ≈ I
    @test size(inverse_dynamics_regressor(sim, q, v, a)) == (model.nv, 10 * model.nbody)
    lift = reshape([0.0, 0, 10, 0, 0, 0], 6, 1)
    pushed = inverse_dynamics_with_wrenches(sim, q, v, a, [trunk], lift)
    @test forward_dynamics_with_wrenches(sim, q, v, pushed, [trunk], lift) ≈ a
    @test centroidal_map(sim, q) * v ≈ centroidal_momentum(sim, q, v).momentum
    @test centroidal_derivatives(sim, q, v, a).rate_da ≈ centroidal_map(sim, q)
    @test center_of_mass_motion(sim, q, v, a).com isa Vector{Float64}

    batch = Batch(model, 3; threads = 2, time_step = 0.002)
    Q, V, U = repeat(q, 1, 3), repeat(v, 1, 3), repeat(u, 1, 3)
    batch_step!(batch, Q, V, U)
    q_start, v_start = copy(q), copy(v)
    reset!(sim)
    step!(sim, q, v, u)
    @test all(Q[:, k] == q && V[:, k] == v for k in 1:3)
    several = repeat(u, 1, 4, 3)
    paths = run!(batch, repeat(q_start, 1, 3), repeat(v_start, 1, 3), several)
    single = Rollout(model, 4; time_step = 0.002)
    path = run!(single, q_start, v_start, several[:, :, 1])
    @test paths.q[:, :, 3] == path.q && paths.v[:, :, 3] == path.v
    bars = vjp(batch, ones(model.nv, 5, 3), ones(model.nv, 5, 3))
    @test bars.u_bar[:, :, 2] == vjp(single, ones(model.nv, 5), ones(model.nv, 5)).u_bar
    @test_throws DimensionMismatch vjp(batch, ones(model.nv, 5, 2), ones(model.nv, 5, 3))
    starts = repeat(q_start, 1, 3), repeat(v_start, 1, 3)
    short = run_episodes!(batch, starts..., several; lengths = [4, 2, 0])
    @test short.steps == [4, 2, 0] && short.q[:, :, 1] == path.q && short.q[:, 1:3, 2] == path.q[:, 1:3]
    @test short.q[:, 5, 2] == path.q[:, 3] && short.v[:, 5, 3] == v_start
    pulled = episodes_vjp(batch; q_bar = ones(model.nv, 5, 3), v_bar = ones(model.nv, 5, 3))
    @test pulled.u_bar[:, :, 1] == bars.u_bar[:, :, 1] && all(iszero, pulled.u_bar[:, 3:4, 2]) && all(pulled.v0_bar[:, 3] .== 5)
    @test_throws DimensionMismatch run_episodes!(batch, starts..., several; lengths = [1])
    @test_throws DiffSimError run_episodes!(batch, starts..., several; lengths = [9, 9, 9])
end

@testset "sites" begin
    text = """<mujoco><worldbody><site name="origin"/><body><joint axis="0 0 1"/><geom size="0.1"/>
              <site name="tip" pos="0.5 0 0"/></body></worldbody></mujoco>"""
    model = load_model(text, :mjcf)
    sim = Sim(model)
    @test model.nsite == 2 && site_id(model, "tip") == 1
    @test site_placements(sim, [pi / 2])[1:3, 4, 2] ≈ [0, 0.5, 0]
    @test site_jacobian(sim, [pi / 2], 1)[:, 1] ≈ [-0.5, 0, 0, 0, 0, 1]
    @test_throws DiffSimError site_jacobian(sim, [0.0], 2)
end

@testset "recordings" begin
    sim, q, v, u = quadruped()
    recorder = Recorder(sim.model; rate = 0)
    for _ in 1:5
        step!(sim, q, v, u)
        surface!(recorder, "patch", [0.0 1.0 0.0; 0.0 0.0 1.0; 0.0 0.0 0.0], [1; 2; 3][:, :])
        record!(recorder, sim)
    end
    @test_throws ArgumentError surface!(recorder, "patch", zeros(3, 2), [1; 2; 3][:, :])
    @test_throws DiffSimError surface!(recorder, "patch", fill(NaN, 3, 1))
    surface!(recorder, "patch", zeros(3, 0))
    batch = Batch(sim.model, 1; threads = 1)
    batch_step!(batch, repeat(q, 1, 1), repeat(v, 1, 1), repeat(u, 1, 1))
    record!(recorder, batch, 1)
    @test_throws DiffSimError record!(recorder, batch, 2)
    rollout = Rollout(sim.model, 2)
    run!(rollout, q, v, zeros(12, 2))
    record!(recorder, rollout; q0_bar = ones(18), u_bar = ones(12, 2))
    path = tempname()
    save(recorder, path)
    @test read(path)[1:8] == b"\x89DSR\r\n\x1a\n"
    @test_throws DiffSimError save(recorder, "/no such folder/a")
    rm(path)
end

@testset "memory" begin
    # Objects that are alive keep what they need; the others go in any order.
    sim = let model = load_model(STANDING)
        Sim(model)
    end
    for _ in 1:200
        Rollout(load_model(STANDING), 3)
        Batch(load_model(STANDING), 2; threads = 1)
    end
    GC.gc()
    q = neutral(sim.model)
    @test length(step(sim, q, zeros(18), zeros(12))[1]) == 19
end
