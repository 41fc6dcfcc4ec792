@testset "misuse" begin
    sim, q, v, u = quadruped()
    @test_throws DimensionMismatch step!(sim, q[1:end-1], v, u)
    @test_throws DimensionMismatch step!(sim, q, v, zeros(3))
    @test_throws ArgumentError step!(sim, Float32.(q), v, u)
    @test_throws ArgumentError step!(sim, q, view(zeros(36), 1:2:36), u)
    @test_throws ArgumentError Sim(sim.model; timestep = 0.1)
    @test_throws ArgumentError load_model(STANDING; base = :floating)
    @test_throws ArgumentError select_params!(sim, [Param(:colour, 0)])
    @test_throws DimensionMismatch set_params!(sim, [1.0])

    failure(f) = try
        f()
    catch e
        e
    end
    e = failure(() -> load_model("no/such/robot.xml"))
    @test e isa DiffSimError && e.status == :DS_ERR_IO && occursin("no/such/robot.xml", e.message)
    e = failure(() -> jacobians(sim))
    @test e.status == :DS_ERR_NO_STEP
    e = failure(() -> step!(sim, q, v, fill(NaN, 12)))
    @test e.status == :DS_ERR_NUMERICAL && occursin("u", sprint(showerror, e))
    @test failure(() -> body_id(sim.model, "tail")).status == :DS_ERR_INVALID_ARGUMENT
    @test all(isfinite, step(sim, q, v, u)[2])

    close(sim)
    close(sim)
    @test_throws ArgumentError step!(sim, q, v, u)
    model = load_model(STANDING)
    close(model)
    @test_throws ArgumentError neutral(model)
    @test_throws ArgumentError home(model)
end
