@testset "builder" begin
    b = Builder()
    set_gravity!(b, [0, 0, 0])
    inertia = inertia_from_com(1.0, zeros(3), [0.1, 0, 0.1, 0, 0, 0.1])
    arm = add_body!(b, 0, "arm"; inertia = inertia)
    add_joint!(b, arm; name = "hinge")
    slide = add_body!(b, 0, "cart"; inertia = inertia)
    add_joint!(b, slide; kind = :prismatic, name = "slide", axis = [1, 0, 0])
    add_geom!(b, slide; kind = :sphere, size = [0.1, 0, 0])
    add_tendon!(b; joints = ["hinge" => 0.5], name = "winch", stiffness = 2.0, rest_lower = 0.0, rest_upper = 0.0)
    add_tendon!(b; bodies = [0, arm], anchors = [2 1; 0 0; 0 0], name = "cable", pull_only = true)
    add_tendon!(b; joints = ["slide" => 1.0], name = "way")
    add_spring!(b; body1 = 0, body2 = arm, anchor2 = [1, 0, 0], stiffness = 3.0)
    add_actuator!(b; tendon = "winch", name = "motor", gear = [4, 0, 0, 0, 0, 0])
    add_equality!(b; kind = :tendon, name = "follow", active = false, tendon1 = "way", tendon2 = "winch", coefficients = [0, 2, 0, 0, 0])
    model = build(b)
    @test (model.nv, model.nu) == (2, 1) && tendon_names(model) == ["winch", "cable", "way"] && tendon_id(model, "cable") == 1

    sim, q, v = Sim(model; contact = :none), [0.4, 0.0], [0.0, 0.0]
    lengths, moments = tendon_lengths(sim, q)
    @test lengths ≈ [0.2, hypot(2 - cos(0.4), sin(0.4)), 0.0]
    e = 1e-6
    slope = (tendon_lengths(sim, q + [e, 0])[1] - tendon_lengths(sim, q - [e, 0])[1]) / 2e
    @test isapprox(moments[1, :], slope; atol = 1e-8) && moments[2, :] == [0, 0, 1]
    # To the inertia about the hinge, 0.1, the spring adds h² 3 and the tendon h² 2/4; the moment is 0.5, the
    # gear 4.
    driven, idle = (step(sim, q, v, [u])[2] for u in (0.7, 0.0))
    h = 1e-3
    @test driven - idle ≈ [h * 0.7 * 0.5 * 4 / (0.1 + h^2 * 3.5), 0]

    failure(f) = try
        f()
    catch e
        e
    end
    @test occursin("\"rope\"", failure(() -> add_actuator!(b; tendon = "rope")).message)
    @test occursin("got joint and tendon", failure(() -> add_actuator!(b; joint = "hinge", tendon = "winch")).message)
    @test occursin("stiffness", failure(() -> add_spring!(b; stiffness = -1.0)).message)
    @test occursin("cable", failure(() -> add_tendon!(b; bodies = [0, arm], anchors = zeros(3, 2), name = "cable")).message)
    @test_throws ArgumentError add_tendon!(b; name = "rope")
    @test_throws ArgumentError add_spring!(b; colour = 1)
    @test_throws DimensionMismatch add_tendon!(b; bodies = [0, arm], anchors = zeros(3, 1))
    @test_throws DimensionMismatch add_spring!(b; anchor1 = [1.0])
    @test_throws DimensionMismatch tendon_lengths(sim, [0.0])
    @test failure(() -> tendon_id(model, "rope")).status == :DS_ERR_INVALID_ARGUMENT

    # The cart follows the winch at twice its length.
    add_equality!(b; kind = :tendon, name = "held", tendon1 = "way", tendon2 = "winch", coefficients = [0, 2, 0, 0, 0])
    held, (q, v) = Sim(build(b)), (zeros(2), zeros(2))
    for _ in 1:200
        step!(held, q, v, [0.3])
    end
    @test q[2] > 0.01 && isapprox(q[2], q[1]; rtol = 1e-9)
    close(b)
    close(b)
    @test_throws ArgumentError build(b)
end

@testset "hydroelastic faces and friction" begin
    pressed = DiffSim.LibDiffSim
    b = Builder()
    add_geom!(b, 0; kind = :plane, hydroelastic = pressed.DS_HYDROELASTIC_RIGID, friction = [0.8, 0, 0])
    cube = add_body!(b, 0, "cube"; inertia = inertia_from_com(1.0, zeros(3), [2e-3, 0, 2e-3, 0, 0, 2e-3]))
    add_joint!(b, cube; kind = :free, name = "free")
    soft = pressed.DS_HYDROELASTIC_COMPLIANT
    add_geom!(b, cube; kind = :box, size = [0.05, 0.05, 0.05], hydroelastic = soft, friction = [0.3, 0, 0])
    model = build(b)
    q, v = [0, 0, 0.05 - 1e-5, 0, 0, 0, 1.0], [1.0, 0, 0, 0, 0, 0]
    # It creeps on a slope.
    set_gravity!(b, [0.5 * 0.8 * 9.81, 0, -9.81])
    sim = Sim(build(b); contact = :convex, time_step = 1e-3, convex_variant = :similar)
    at, speed = q, zeros(6)
    for _ in 1:1000
        at, speed = step(sim, at, speed)
    end
    @test isapprox(speed[1], 1e-4 * 0.5 / sqrt(0.75); rtol = 0.02)
    for (rule, mu) in ((:larger, 0.8), (:harmonic, 0.48 / 1.1), (:product, 0.24))
        sim = Sim(model; contact = :convex, time_step = 1e-3, friction_rule = rule, convex_variant = :lagged)
        at, speed = q, v
        for _ in 1:20
            at, speed = step(sim, at, speed)
        end
        faster = speed[1]
        at, speed = step(sim, at, speed)
        @test isapprox(faster - speed[1], 9.81e-3 * mu; rtol = 0.02)
        faces = patch_faces(sim)
        @test length(faces) >= 4 && all(size(f.vertices, 1) == 3 for f in faces)
        @test all(length(f.pressures) == size(f.vertices, 2) >= 3 for f in faces)
        @test 0 < sum(p.area for p in patches(sim)) < 0.01 + 1e-6
    end
    @test_throws ArgumentError Sim(model; friction_rule = :mean)
end
