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
