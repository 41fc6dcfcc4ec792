"""Regulators and plans."""

import numpy as np
import pytest

import diffsim


def test_a_regulator_holds_the_pole(models):
    model = diffsim.Model.load(models / "cartpole.xml")
    sim = diffsim.Sim(model, time_step=0.01)
    q, v, u = model.neutral(), np.zeros(model.nv), np.zeros(model.nu)
    sim.step(q, v, u)
    J = sim.jacobians()
    A = np.block([[J.dq_dq, J.dq_dv], [J.dv_dq, J.dv_dv]])
    B = np.vstack([J.dq_du, J.dv_du])
    K, P = diffsim.lqr(A, B, np.eye(4), 0.1 * np.eye(1))
    closed = A - B @ K
    assert np.abs(np.linalg.eigvals(closed)).max() < 1
    residual = np.eye(4) + closed.T @ P @ closed + 0.1 * K.T @ K - P
    assert np.abs(residual).max() < 1e-9 * np.abs(P).max()
    q[1] += 0.1
    for _ in range(1500):
        x = np.concatenate([model.difference(model.neutral(), q), v])
        q, v = sim.step(q, v, -K @ x)
    assert np.abs(v).max() < 1e-3 and np.abs(q).max() < 1e-2
    with pytest.raises(diffsim.NotConvergedError, match="Riccati"):
        diffsim.lqr([[2.0]], [[0.0]], [[1.0]], [[1.0]])
    with pytest.raises(ValueError, match="B"):
        diffsim.lqr([[2.0]], [0.0], [[1.0]], [[1.0]])


def test_a_plan_is_the_rollout_that_it_says(models):
    model = diffsim.Model.load(models / "quadruped.xml")
    q, v, u = model.keyframe("standing")
    plan = diffsim.Ilqr(model, 10, time_step=0.01, max_plans=5)
    plan.set_weights(np.full(36, 10.0), np.full(36, 10.0), np.full(12, 0.1))
    plan.set_reference(q, None, u)
    plan.set_input_bounds(u - 0.1, u + 0.1)
    pushed = v.copy()
    pushed[1] = 0.3
    better, info = plan.solve(q, pushed, np.tile(u[:, None], 10))
    assert info.cost < info.first_cost and 0 < info.iterations <= 5
    assert (np.abs(better - u[:, None]) <= 0.1 + 1e-15).all()
    states, _ = plan.states()
    rolled = diffsim.Rollout(model, 10, time_step=0.01).run(q, pushed, better)
    np.testing.assert_allclose(states, rolled[0], atol=1e-9)
    assert plan.gains(0).shape == (12, 36) and np.isfinite(plan.gains(9)).all()
    with pytest.raises(diffsim.InvalidArgumentError, match="step"):
        plan.gains(10)
    with pytest.raises(diffsim.InvalidArgumentError, match="node"):
        plan.set_reference(q, node=11)


def hidden(lost, eigenvalue, seed):
    """A, B of a standing robot's kind: `lost` directions without input at an eigenvalue, the others unstable or decaying, in
    coordinates that mix all, with velocities that respond to positions by thousands."""
    rng = np.random.default_rng(seed)
    n, nu = 36, 12
    rest = n - lost
    reached = np.concatenate([1.0 + rng.uniform(0.01, 0.016, 6), 1.0 - rng.uniform(0.01, 0.016, 6), rng.uniform(0, 0.5, rest - 12)])
    values = np.diag(np.concatenate([np.full(lost, eigenvalue), reached]))
    values[lost:, :lost] = rng.normal(size=(rest, lost))
    inputs = np.vstack([np.zeros((lost, nu)), rng.normal(size=(rest, nu))])
    turn = np.linalg.qr(rng.normal(size=(n, n)))[0]
    scale = np.concatenate([np.ones(n // 2), np.full(n - n // 2, 3000.0)])
    at = scale[:, None] * turn
    return at @ values @ turn.T / scale, at @ inputs


@pytest.mark.parametrize("eigenvalue", [1.0, 1.02])
def test_directions_without_input_are_found_among_slow_ones(eigenvalue):
    for seed in range(20):
        lost = 1 + seed % 8
        A, B = hidden(lost, eigenvalue, seed)
        found = diffsim.uncontrollable(A, B)
        assert [abs(f.eigenvalue - eigenvalue) < 1e-7 for f in found] == [True] * lost, seed
        for f in found:
            assert np.abs(f.direction @ B).max() < 1e-7 * np.abs(B).max()
        assert np.linalg.matrix_rank(np.array([f.direction for f in found])) == lost
        with pytest.raises(diffsim.NotConvergedError, match=f"no input reaches {lost} direction"):
            diffsim.lqr(A, B, np.eye(36), np.eye(12))
        assert len(diffsim.uncontrollable(A, np.hstack([B, np.random.default_rng(seed).normal(size=(36, 12))]))) == 0


def test_inputs_of_round_off_reach_nothing():
    B = 1e-16 * np.random.default_rng(0).normal(size=(36, 12))
    with pytest.raises(diffsim.NotConvergedError, match="no input reaches 36 directions"):
        diffsim.lqr(np.eye(36), B, np.eye(36), np.eye(12))


def test_activations_and_prescribed_dofs():
    model = diffsim.Model.from_string(
        """<mujoco><worldbody><body><joint name='a' axis='0 1 0'/><geom type='capsule' fromto='0 0 0 .4 0 0' size='.03'/>
        <body pos='.4 0 0'><joint name='b' axis='0 1 0'/><geom type='capsule' fromto='0 0 0 .3 0 0' size='.03'/></body>
        </body></worldbody><actuator><general name='f' joint='a' dyntype='filter' dynprm='.05' gainprm='20'/></actuator>
        </mujoco>""",
        "mjcf",
    )
    plan = diffsim.Ilqr(model, 12, contact="none", time_step=0.01)
    plan.set_weights(np.full(5, 5.0), np.full(5, 5.0), [0.01])
    plan.set_act_reference([0.2])
    plan.set_act_reference([0.1], node=12)
    plan.prescribe(1, 0.4)
    plan.set_external_wrench(1, [0, 0, 1.0, 0, 0, 0])
    q, v, act = np.array([0.2, -0.1]), np.zeros(2), np.array([0.3])
    u, info = plan.solve(q, v, act0=act)
    assert info.cost < info.first_cost and plan.gains(0).shape == (1, 5)
    rollout = diffsim.Rollout(model, 12, contact="none", time_step=0.01)
    rollout.prescribe(1, 0.4)
    rollout.set_external_wrench(1, [0, 0, 1.0, 0, 0, 0])
    rolled = rollout.run_act(q, v, act, u)
    for found, rolled in zip((*plan.states(), plan.activations()), rolled):
        np.testing.assert_allclose(found, rolled, atol=1e-12)
    with pytest.raises(ValueError, match="act0"):
        plan.solve(q, v, act0=[0.1, 0.2])


def test_a_plan_whose_steps_or_derivatives_fail_is_no_better_one():
    """A trial that was accepted and then had no derivative ended the solve with an error."""
    text = """<mujoco><worldbody><geom name="floor" type="plane" size="0 0 1" friction="0.5"/><body name="b" pos="0 0 0.3">
    <joint name="x" type="slide" axis="1 0 0"/><joint name="y" type="slide" axis="0 1 0"/><joint name="z" type="slide"/>
    <geom type="box" size="0.1 0.1 0.1"/></body></worldbody><actuator><motor joint="x"/><motor joint="z"/></actuator></mujoco>"""
    model = diffsim.Model.from_string(text, "mjcf")
    hover = np.tile([[0.0], [9.81 * model.body("b").mass]], (1, 15))

    def solve(**options):
        plan = diffsim.Ilqr(model, 15, time_step=0.01, **options)
        plan.set_weights(np.full(6, 0.1), np.array([10.0, 10.0, 1e4, 0.0, 0.0, 0.0]), np.full(2, 1e-3))
        plan.set_reference([0.5, 0.0, -0.35])
        return plan.solve(np.zeros(3), np.zeros(3), hover)[1]

    # The best plan touches the floor; no step with contact has a derivative here, or none with all four
    # corners room.
    for failing in (dict(contact_options={"tolerance": 1e-300, "max_iterations": 1}), dict(max_contacts=2)):
        info = solve(**failing)
        assert info.iterations > 0 and info.cost < 0.5 * info.first_cost
    with pytest.raises(diffsim.DiffsimError, match="step 0 of the horizon"):
        diffsim.Ilqr(model, 3, max_contacts=2, time_step=0.01).solve(np.array([0.0, 0.0, -0.2]), np.zeros(3))
