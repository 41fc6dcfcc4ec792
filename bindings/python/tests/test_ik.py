"""Inverse kinematics from Python: targets are reached, derivatives are those of differences, and errors name arguments."""

import numpy as np
import pytest

import diffsim


@pytest.fixture
def arm(models):
    return diffsim.Model.load(models / "arm7.urdf")


def test_a_hand_is_brought_to_its_target(arm):
    at = np.linspace(0.3, 0.9, arm.nv)
    hand = arm.nbody - 1
    target = diffsim.Sim(arm).forward_kinematics(at)[..., hand]
    ik = diffsim.Ik(arm, max_restarts=10, seed=3)
    task = ik.add_frame(hand)
    posture = ik.add_posture(weight=0.0)
    with pytest.raises(diffsim.InvalidArgumentError, match="no target"):
        ik.solve(arm.neutral())
    ik.set_target(task, target)
    ik.set_target(posture, 0.5 * at)
    q, info = ik.solve(arm.neutral())
    assert info.outcome == diffsim.IkOutcome.SOLVED and info.residual <= 1e-10
    assert np.abs(ik.residual(task)).max() <= 1e-10
    assert np.allclose(diffsim.Sim(arm).forward_kinematics(q)[..., hand], target, atol=1e-9)
    assert ik.gradient() == (diffsim.Gradient.EXACT, False)
    J = ik.jacobian()
    assert np.allclose(diffsim.Sim(arm).body_jacobian(q, hand) @ J[:, :6], np.eye(6), atol=1e-8)

    ik.set_weight(posture, 0.2)
    q, info = ik.solve(at)
    assert ik.gradient() == (diffsim.Gradient.EXACT, True) and info.slope < 1e-10
    dq = ik.jvp(np.eye(6 + arm.nv)[1])
    assert np.allclose(dq, ik.jacobian()[:, 1]) and np.isclose(ik.vjp(dq)[1], dq @ dq)
    ends = []
    for h in (1e-5, -1e-5):
        moved = np.array(target)
        moved[1, 3] += h
        ik.set_target(task, moved)
        ends.append(ik.solve(q)[0])
    assert np.allclose((ends[0] - ends[1]) / 2e-5, dq, atol=1e-6)


def test_a_centre_of_mass_and_what_is_refused(models):
    model = diffsim.Model.load(models / "quadruped.xml")
    ik = diffsim.Ik(model)
    task = ik.add_center_of_mass(axes=(1, 1, 0))
    ik.set_target(task, [0.1, 0.2, 9.0])
    q, info = ik.solve(model.neutral())
    assert info.outcome == diffsim.IkOutcome.SOLVED
    assert np.allclose(diffsim.Sim(model).center_of_mass(q)[1][:2], [0.1, 0.2], atol=1e-9)
    with pytest.raises(diffsim.InvalidArgumentError, match="task"):
        ik.set_target(5, np.zeros(3))
    with pytest.raises(diffsim.InvalidArgumentError, match="target"):
        ik.set_target(task, np.zeros(4))
    with pytest.raises(diffsim.InvalidArgumentError, match="task.weight"):
        ik.add_posture(weight=-1.0)
    with pytest.raises(diffsim.InvalidArgumentError, match="^tolerance"):
        diffsim.Ik(model, tolerance=0.0)
