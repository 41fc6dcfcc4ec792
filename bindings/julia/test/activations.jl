@testset "activations" begin
    arm = load_model(
        """<mujoco><compiler angle='radian'/><worldbody><body><joint name='a' axis='0 1 0'/>
        <geom type='capsule' fromto='0 0 0 .4 0 0' size='.03'/><body pos='.4 0 0'><joint name='b' axis='0 1 0'/>
        <geom type='capsule' fromto='0 0 0 .3 0 0' size='.03'/></body></body></worldbody><actuator>
        <muscle name='m' joint='a' lengthrange='-2 2' force='30' tausmooth='.2'/><motor name='n' joint='b'/>
        <general name='e' joint='b' dyntype='filter' dynprm='.05' actearly='true'/></actuator>
        <keyframe><key name='k' act='.1 .2'/></keyframe></mujoco>""", :mjcf)
    @test (arm.nu, arm.na, act_actuators(arm), keyframe_act(arm, "k")) == (3, 2, [0, 2], [0.1, 0.2])
    @test with_actuators(arm, [(joint = "a", activation = :filter_exact, activation_time = [0.1, 1.0])]).na == 3
    @test_throws ArgumentError with_actuators(arm, [(joint = "a", activation = :slow)])

    sim = Sim(arm; contact = :none, time_step = 0.01)
    x = [0.3, -0.4, 0.5, 0.6, 0.4, 0.6, 0.7, 0.3, 0.2]
    function outcome(d)
        y = x + d
        set_act!(sim, y[5:6])
        q, v = step(sim, y[1:2], y[3:4], y[7:9])
        [q; v; act(sim)]
    end
    outcome(zeros(9))
    J, A = jacobians(sim), act_jacobians(sim)
    whole = [J.dq_dq J.dq_dv A.dq_dact J.dq_du; J.dv_dq J.dv_dv A.dv_dact J.dv_du; A.dact_dq A.dact_dv A.dact_dact A.dact_du]
    d, w = [sin(i) for i in 1:9], [cos(i) for i in 1:6]
    forward = jvp_act(sim; dq = d[1:2], dv = d[3:4], dact = d[5:6], du = d[7:9])
    @test [forward.dq_next; forward.dv_next; forward.dact_next] ≈ whole * d
    back = vjp_act(sim, w[1:2], w[3:4], w[5:6])
    @test [back.q_bar; back.v_bar; back.act_bar; back.u_bar] ≈ whole' * w
    @test whole ≈ differences(outcome, 9) rtol = 1e-6

    n = 20
    rollout = Rollout(arm, n; contact = :none, time_step = 0.01)
    u, weights = repeat(x[7:9], 1, n), [sin(i + 2j) for i in 1:2, j in 1:n+1]
    loss(act0) = sum(weights .* run_act!(rollout, x[1:2], x[3:4], act0, u).act)
    slope = (loss([0.4 + 1e-6, 0.6]) - loss([0.4 - 1e-6, 0.6])) / 2e-6
    loss([0.4, 0.6])
    @test vjp_act(rollout, zeros(2, n + 1), zeros(2, n + 1), weights).act0_bar[1] ≈ slope rtol = 1e-6
    @test run_act!(rollout, x[1:2], x[3:4], nothing, u).q == run!(rollout, x[1:2], x[3:4], u).q

    batch = Batch(arm, 2; contact = :none)
    set_act!(batch, [0.1 0.3; 0.2 0.4])
    @test act(batch) == [0.1 0.3; 0.2 0.4]
    @test_throws DimensionMismatch set_act!(sim, zeros(3))
    reset!(sim)
    @test act(sim) == zeros(2)
end
