@testset "inverse kinematics" begin
    arm = load_model(joinpath(MODELS, "arm7.urdf"))
    sim, hand = Sim(arm), arm.nbody - 1
    at = collect(range(0.3, 0.9; length = arm.nv))
    target = forward_kinematics(sim, at)[:, :, hand + 1]
    ik = Ik(arm; max_restarts = 10, seed = 3)
    task, posture = add_frame!(ik, hand), add_posture!(ik; weight = 0)
    @test (task, posture) == (0, 1)
    @test_throws DiffSimError solve!(ik, neutral(arm))
    set_target!(ik, task, target)
    set_target!(ik, posture, 0.5at)
    q, info = solve!(ik, neutral(arm))
    @test info.outcome == :solved && info.residual <= 1e-10 && norm(residual(ik, task), Inf) <= 1e-10
    @test forward_kinematics(sim, q)[:, :, hand + 1] ≈ target
    @test gradient_kind(ik) == (gradient = :exact, unique = false)
    @test body_jacobian(sim, q, hand) * jacobians(ik)[:, 1:6] ≈ I

    # With a posture the solution is the only one, and moves with the target as differences do.
    set_weight!(ik, posture, 0.2)
    q, info = solve!(ik, at)
    @test gradient_kind(ik) == (gradient = :exact, unique = true) && info.slope < 1e-10
    dq = jvp(ik, Float64.(1:6+arm.nv .== 2))
    @test dq ≈ jacobians(ik)[:, 2] && vjp(ik, dq)[2] ≈ dot(dq, dq)
    ends = map((1e-5, -1e-5)) do h
        set_target!(ik, task, target + h * [i == 2 && j == 4 for i in 1:4, j in 1:4])
        solve!(ik, q).q
    end
    @test norm((ends[1] - ends[2]) / 2e-5 - dq, Inf) < 1e-6

    model = load_model(STANDING)
    ik = Ik(model)
    task = add_center_of_mass!(ik; axes = (1, 1, 0))
    set_target!(ik, task, [0.1, 0.2, 9.0])
    q, info = solve!(ik, neutral(model))
    @test info.outcome == :solved
    @test center_of_mass_motion(Sim(model), q, zeros(18), zeros(18)).com[1:2] ≈ [0.1, 0.2]

    offset = [1.0 0 0 0.1; 0 1 0 0; 0 0 1 0; 0 0 0 1]
    ik = Ik(arm; limits = false)
    frame = add_frame!(ik, hand, offset; axes = (1, 1, 1, 0, 0, 0), tolerance = 1e-8)
    set_target!(ik, frame, target * offset)
    @test solve!(ik, at).q == at

    @test_throws DiffSimError set_target!(ik, 5, zeros(3))
    @test_throws DimensionMismatch set_target!(ik, frame, zeros(4))
    @test_throws DiffSimError add_posture!(ik; weight = -1)
    @test_throws DimensionMismatch add_posture!(ik; dofs = [1.0])
    @test_throws DimensionMismatch add_frame!(ik, hand; axes = (1, 1))
    @test_throws DimensionMismatch add_center_of_mass!(ik; axes = (1, 1, 1, 1))
    @test_throws ArgumentError Ik(arm; restarts = 3)
    @test_throws DiffSimError Ik(arm; tolerance = -1.0)
    close(ik)
    @test_throws ArgumentError solve!(ik, at)
end
