"""Actuators with a state: what a model says of them, steps, derivatives, rollouts, batches, copies, wrong calls."""

import copy

import numpy as np
import pytest

import diffsim

ARM = """<mujoco><compiler angle='radian'/><worldbody><body><joint name='a' axis='0 1 0'/>
<geom type='capsule' fromto='0 0 0 .4 0 0' size='.03'/><body pos='.4 0 0'><joint name='b' axis='0 1 0'/>
<geom type='capsule' fromto='0 0 0 .3 0 0' size='.03'/></body></body></worldbody><actuator>
<muscle name='m' joint='a' lengthrange='-2 2' force='30' tausmooth='.2'/><motor name='n' joint='b'/>
<general name='e' joint='b' dyntype='filter' dynprm='.05' actearly='true'/></actuator>
<keyframe><key name='k' act='.1 .2'/></keyframe></mujoco>"""


@pytest.fixture
def arm():
    return diffsim.Model.from_string(ARM, "mjcf")


def start():
    rng = np.random.default_rng(3)
    return rng.uniform(-1, 1, 2), rng.uniform(-1, 1, 2), rng.uniform(0.3, 0.7, 2), rng.uniform(0.2, 0.8, 3)


def test_models(arm):
    assert (arm.nu, arm.na, arm.act_actuators) == (3, 2, (0, 2))
    assert arm.keyframe_act("k").tolist() == [0.1, 0.2]
    fields = {"joint": "a", "activation": "filter_exact", "activation_time": [0.1, 1], "act_upper": 0.5}
    more = arm.with_actuators([fields, {"joint": "b", "gain": 0, "gain_slopes": [0, -0.3]}])
    assert (more.nu, more.na) == (5, 3)
    assert more.keyframe_act("k").tolist() == [0.1, 0.2, 0.0]
    with pytest.raises(diffsim.InvalidArgumentError, match="activation"):
        arm.with_actuators([{"joint": "a", "activation": "slow"}])
    with pytest.raises(diffsim.InvalidArgumentError, match="length range"):
        arm.with_actuators([{"joint": "a", "muscle_active": 1}])


def test_derivatives(arm):
    sim = diffsim.Sim(arm, contact="none", time_step=0.01)
    x, sizes = np.concatenate(start()), (2, 4, 6)

    def step(x):
        q, v, sim.act, u = np.split(x, sizes)
        return np.concatenate([*sim.step(q, v, u), sim.act])

    e = 1e-6
    by_difference = np.stack([(step(x + e * d) - step(x - e * d)) / (2 * e) for d in np.eye(9)], axis=1)
    step(x)
    jacobians, acts = sim.jacobians(), sim.act_jacobians()
    whole = np.block(
        [
            [jacobians.dq_dq, jacobians.dq_dv, acts.dq_dact, jacobians.dq_du],
            [jacobians.dv_dq, jacobians.dv_dv, acts.dv_dact, jacobians.dv_du],
            [acts.dact_dq, acts.dact_dv, acts.dact_dact, acts.dact_du],
        ]
    )
    assert np.allclose(whole, by_difference, atol=1e-8, rtol=1e-7)
    assert (jacobians.dv_du[:, 0] == 0).all() and (acts.dv_dact[:, 0] != 0).all()
    rng = np.random.default_rng(1)
    along, bar = rng.normal(size=9), rng.normal(size=6)
    dq, dv, dact, du = np.split(along, sizes)
    assert np.allclose(np.concatenate(sim.jvp_act(dq, dv, dact, du)), whole @ along, atol=1e-12)
    assert np.allclose(np.concatenate(sim.vjp_act(*np.split(bar, 3))), bar @ whole, atol=1e-12)
    assert np.allclose(sim.vjp_act(bar[:2], bar[2:4]).u, sim.vjp(bar[:2], bar[2:4]).u)


def test_accelerations_and_sensors():
    text = ARM.replace("<keyframe>", "<sensor><actuatorfrc name='f' actuator='m'/><actuatorfrc actuator='e'/></sensor><keyframe>")
    arm = diffsim.Model.from_string(text, "mjcf")
    sim = diffsim.Sim(arm, contact="none", time_step=0.01)
    q, v, act, u = start()

    def ask(act):
        sim.act = act
        return np.concatenate([sim.forward(q, v, u), sim.sensors(q, v, u)])

    e = 1e-6
    by_difference = np.stack([(ask(act + e * d) - ask(act - e * d)) / (2 * e) for d in np.eye(2)], axis=1)
    sim.act = act
    sim.forward(q, v, u)
    by_act = sim.acceleration_act_jacobian()
    told, gradient = sim.sensor_act_jacobian(q, v, u)
    assert gradient == diffsim.Gradient.EXACT
    assert np.allclose(np.vstack([by_act, told]), by_difference, atol=1e-6) and (told != 0).any()
    sim.forward(q, v, u)
    assert np.allclose(sim.acceleration_vjp_act([1.0, -2.0]).act, [1.0, -2.0] @ by_act, atol=1e-12)
    q_bar, v_bar, act_bar, u_bar, _ = sim.sensor_vjp_act(q, v, [1.0, -2.0], u)
    assert np.allclose(act_bar, [1.0, -2.0] @ told, atol=1e-12)
    for found, same in zip((q_bar, v_bar, u_bar), sim.sensor_vjp(q, v, [1.0, -2.0], u)):
        assert (found == same).all()


def test_rollouts(arm):
    n = 20
    rollout = diffsim.Rollout(arm, n, contact="none", time_step=0.01, checkpoint_interval=3)
    q0, v0, act0, u0 = start()
    u = np.asfortranarray(np.tile(u0[:, None], n))
    weights = np.random.default_rng(2).normal(size=(2, n + 1))

    def loss(act0, u):
        q, v, act = rollout.run_act(q0, v0, act0, u)
        assert (act[:, 0] == act0).all()
        return np.vdot(weights, act) + np.vdot(weights, v)

    loss(act0, u)
    bars = rollout.adjoint_act(np.zeros((2, n + 1)), weights, weights)
    e, d = 1e-6, np.array([1.0, -2.0])
    slope = (loss(act0 + e * d, u) - loss(act0 - e * d, u)) / (2 * e)
    assert np.isclose(slope, bars.act @ d, rtol=1e-6)
    slope = (loss(act0, u + e) - loss(act0, u - e)) / (2 * e)
    assert np.isclose(slope, bars.u.sum(), rtol=1e-6)
    plain = rollout.run(q0, v0, u)
    gradient = rollout.adjoint(np.zeros((2, n + 1)), weights)
    with_activations = rollout.run_act(q0, v0, None, u)
    assert all((a == b).all() for a, b in zip(plain, with_activations))
    assert (gradient.u == rollout.adjoint_act(np.zeros((2, n + 1)), weights).u).all()
    assert (gradient.u[0] != 0).any()


def test_batches_and_copies(arm):
    q, v, act, u = start()
    batch = diffsim.Batch(arm, 2, contact="none", time_step=0.01)
    batch.act = np.stack([act, act + 0.1], axis=1)
    batch.step(*(np.stack([x, x], axis=1) for x in (q, v, u)))
    sim = diffsim.Sim(arm, contact="none", time_step=0.01)
    sim.act = act
    sim.step(q, v, u)
    assert (batch.act[:, 0] == sim.act).all() and (batch.act[:, 1] != sim.act).all()
    again = copy.copy(sim)
    assert (again.act == sim.act).all() and (again.memory[-2:] == sim.act).all()
    sim.reset()
    assert (sim.act == 0).all() and (again.act != 0).all()


def test_wrong_calls(arm):
    sim = diffsim.Sim(arm)
    with pytest.raises(diffsim.NoStepError):
        sim.act_jacobians()
    with pytest.raises(diffsim.InvalidArgumentError, match="act"):
        sim.act = np.zeros(3)
    with pytest.raises(diffsim.NumericalError, match=r"act\[1\]"):
        sim.act = [0, np.nan]
    with pytest.raises(diffsim.UnknownNameError, match="other"):
        arm.keyframe_act("other")
