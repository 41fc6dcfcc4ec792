const BALL = """<mujoco><worldbody><geom name="ground" type="plane" size="0 0 1"/>
<body name="ball" pos="0 0 0.099"><freejoint/><geom name="ball" size="0.1" mass="2"/>
<site name="top" pos="0 0 0.2" euler="180 0 0"/></body></worldbody>
<sensor><framepos name="place" objtype="site" objname="top"/><rangefinder name="range" site="top"/>
<touch name="touch" site="top"/></sensor></mujoco>"""

@testset "measured" begin
    model = load_model(BALL, :mjcf; actuation = :full)
    sim = Sim(model; contact = :convex)
    q, v = neutral(model), zeros(6)

    @test (model.nsensor, model.nsensordata, sensor_names(model)) == (3, 5, ["place", "range", "touch"])
    @test sensor_kind(model, 0) == :frame_position && sensor_range(model, sensor_id(model, "range")) == 4:4
    @test_throws ArgumentError sensor_range(model, 3)
    @test_throws DiffSimError sensor_id(model, "none")
    @test norm(sensors(sim, q, v) - [0, 0, 0.299, 0.299, 0]) < 1e-12
    J = sensor_jacobians(sim, q, v)
    @test J.gradient == :exact && J.ddata_dq[3:4, 3] ≈ [1, 1] && J.ddata_dv == zeros(5, 6)
    @test sensor_vjp(sim, q, v, Float64.(1:5)).q_bar ≈ J.ddata_dq' * (1:5)
    @test_throws DimensionMismatch sensor_vjp(sim, q, v, zeros(4))

    hit = ray_cast(sim, q, [0.0, 0, 3], [0.0, 0, -2])
    @test hit.geom == geom_id(model, "ball") && hit.gradient == :exact
    @test [hit.distance; hit.normal; hit.ddistance[3]] ≈ [2.801, 0, 0, 1, -1]
    @test ray_cast(sim, q, [0.0, 0, 3], [0.0, 0, -2]; exclude_body = body_id(model, "ball")).distance == 3
    @test ray_cast(sim, q, [0.0, 0, 3], [0.0, 0, -2]; max_distance = 1).geom == -1
    hits = ray_casts(sim, q, [0.0 1; 0 0; 3 3], [0.0 0; 0 0; -1 -1])
    @test hits.distances ≈ [2.801, 3] && hits.geoms == [1, 0] && size(hits.ddistances) == (6, 2)
    @test_throws DiffSimError ray_cast(sim, q, [0.0, 0, 3], zeros(3))
    @test_throws DimensionMismatch ray_casts(sim, q, zeros(3, 2), zeros(3, 1))

    v, u = [0.1, 0, 0, 0, 0, 0], [0, 0, 1.0, 0, 0, 0]
    a = forward(sim, q, v, u)
    @test body_contact_wrenches(sim)[3, 2] + u[3] - 2 * 9.81 ≈ 2a[3]
    J = acceleration_jacobians(sim)
    @test acceleration_vjp(sim, a).v_bar ≈ J.da_dv' * a && acceleration_vjp(sim, a).u_bar ≈ J.da_du' * a
    h = 1e-6 * (1:6 .== 1)
    @test (forward(sim, q, v + h, u) - forward(sim, q, v - h, u)) / 2e-6 ≈ J.da_dv[:, 1] rtol = 1e-7
    @test norm(inverse(sim, q, v, a) - u, Inf) < 1e-6
    @test inverse_jacobians(sim).dforce_da[3, 3] > 2
    @test_throws DiffSimError inverse(Sim(model), q, v, a)
    @test_throws DimensionMismatch forward(sim, q, v, zeros(3))

    b = Builder()
    body = add_body!(b, 0, "body"; inertia = [1.0, 0, 0, 0, 0.1, 0, 0.1, 0, 0, 0.1])
    add_joint!(b, body; kind = :revolute, name = "hinge", axis = (0, 0, 1))
    tip = [1.0 0 0 0.5; 0 1 0 0; 0 0 1 0; 0 0 0 1]
    @test add_site!(b, body, "tip"; placement = tip) == 0 && add_site!(b, 0) == 1
    add_sensor!(b; kind = :joint_position, name = "angle", of = "hinge")
    add_sensor!(b; kind = :velocimeter, name = "speed", body = body, placement = tip, zone = :box)
    @test_throws DiffSimError add_sensor!(b; kind = :gyro, cutoff = -1)
    @test_throws ArgumentError add_sensor!(b; kind = :speed)
    set_gravity_compensation!(b, body, 1.0)
    made = build(b)
    @test sensor_kind(made, 1) == :velocimeter && made.nsite == 2
    @test site_placements(Sim(made), [pi / 2])[1:3, 4, site_id(made, "tip")+1] ≈ [0, 0.5, 0]
    @test sensors(Sim(made; contact = :none), [0.3], [2.0]) ≈ [0.3, 0, 1, 0]
    @test_throws DiffSimError set_gravity_compensation!(b, 9, 1.0)

    batch = Batch(made, 2; contact = :none)
    prescribe!(batch, 2, 0, 0.5)
    states = zeros(1, 2), zeros(1, 2)
    batch_step!(batch, states..., zeros(0, 2))
    @test states[2] == [0 0.5]
    @test_throws ArgumentError prescribe!(batch, 0, 0, 0.5)
end
