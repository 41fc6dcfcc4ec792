"""Wrong calls raise Python's errors with a message that names the culprit, and change nothing."""

import numpy as np
import pytest

import diffsim


@pytest.fixture
def model(models):
    return diffsim.Model.load(models / "quadruped.xml")


@pytest.fixture
def state(model):
    return model.keyframe("standing")


def test_wrong_lengths(model, state):
    q, v, u = state
    sim = diffsim.Sim(model)
    with pytest.raises(diffsim.InvalidArgumentError, match=r"q: expected shape \(19,\), got \(18,\)"):
        sim.step(q[:-1], v, u)
    with pytest.raises(ValueError, match=r"u: expected shape \(12,\), got \(12, 1\)"):
        sim.step(q, v, u[:, None])
    with pytest.raises(ValueError, match="out\\[0\\]: expected shape"):
        sim.step(q, v, u, out=(v, v))
    with pytest.raises(ValueError, match=r"u: expected shape \(12, steps\), got \(12,\)"):
        diffsim.Rollout(model, 3).run(q, v, u)
    with pytest.raises(ValueError, match="v: expected shape"):
        diffsim.Batch(model, 2, 1).step(np.array([q, q]).T, v, None)
    with pytest.raises(ValueError, match="vertices: expected shape"):
        diffsim.Builder().add_geom(0, vertices=np.zeros((4, 2)))


def test_wrong_types(model, state):
    q, v, u = state
    sim = diffsim.Sim(model)
    with pytest.raises(TypeError, match="q: expected an array of float64, got float32"):
        sim.step(q.astype(np.float32), v, u)
    with pytest.raises(diffsim.DiffsimError, match="v: .* got int64"):
        sim.step(q, v.astype(np.int64), u)
    with pytest.raises(TypeError, match="out: .* got list"):
        sim.mass_matrix(q, out=[0.0])
    with pytest.raises(ValueError, match="out: expected a writable column-major array"):
        sim.mass_matrix(q, out=np.zeros((18, 18), order="C"))
    with pytest.raises(TypeError, match="no field 'timestep', only time_step"):
        diffsim.Sim(model, timestep=0.1)
    with pytest.raises(TypeError, match="max_contacts"):
        diffsim.Sim(model, max_contacts="many")
    with pytest.raises(ValueError, match="no Jacobian is named"):
        sim.jacobians(["dv_dx"])


def test_arguments_that_are_no_number_no_list_or_no_id_are_named(model, state):
    q, v, u = state
    sim, ik = diffsim.Sim(model), diffsim.Ik(model)
    ik.add_frame(1)
    wrong = (
        ("body", lambda: sim.frame_jacobian(q, np.zeros(3))),
        ("body", lambda: sim.frame_velocity(q, v, [1])),
        ("frame", lambda: sim.body_velocities(q, v, np.zeros(2))),
        ("kinds", lambda: sim.generalized_forces(q, v, u, np.array(1.0))),
        ("kinds", lambda: sim.generalized_forces(q, v, u, [np.zeros(2)])),
        ("bodies", lambda: sim.inverse_dynamics_with_wrenches(q, v, v, np.array(1), np.zeros((6, 1)))),
        ("bodies", lambda: sim.inverse_dynamics_with_wrenches(q, v, v, "trunk", np.zeros((6, 1)))),
        ("wanted", lambda: sim.jacobians(3)),
        ("wanted", lambda: sim.jacobians([["dq_dq"]])),
        ("wanted", lambda: sim.jacobians("dq_dq")),
        ("params", lambda: sim.select_params(None)),
        ("pattern", lambda: sim.sparse_jacobians(None)),
        ("out", lambda: sim.step(q, v, u, out=3.0)),
        ("weight", lambda: ik.set_weight(0, "1")),
        ("weight", lambda: ik.set_weight(0, [1.0])),
        ("weight", lambda: ik.add_frame(1, weight=np.array("a"))),
        ("actuators", lambda: model.with_actuators("joint")),
        ("actuators", lambda: model.with_actuators([1])),
        ("kp", lambda: model.with_actuators([{"joint": "FR_hip_joint", "kp": "stiff"}])),
        ("pairs", lambda: model.with_pairs([1], True)),
        ("enabled", lambda: model.with_pairs([(0, 1)], [])),
        ("enabled", lambda: sim.set_pair_enabled(0, 1, 2)),
        ("strict", lambda: model.save("robot.xml", strict="no")),
        ("limits", lambda: diffsim.Ik(model, limits=None)),
        ("text", lambda: diffsim.Model.from_string(None, "mjcf")),
        ("mesh_dirs", lambda: diffsim.Model.from_string("", "mjcf", mesh_dirs=3)),
        ("element", lambda: diffsim.Batch(model, 2, 1).info("0")),
        ("element", lambda: diffsim.Batch(model, 2, 1).reset(-1)),
        ("element", lambda: diffsim.Batch(model, 2, 1).get_params(2)),
        ("steps", lambda: diffsim.Rollout(model, 2).run(q, v, steps=1.0)),
        ("joints", lambda: diffsim.Builder().add_tendon(joints="hip")),
    )
    for argument, call in wrong:
        with pytest.raises(diffsim.InvalidArgumentError) as caught:
            call()
        assert caught.value.argument == argument, caught.value


def test_closed_handles(model, state):
    q, v, u = state
    with diffsim.Sim(model) as sim:
        sim.step(q, v, u)
    sim.close()
    with pytest.raises(diffsim.InvalidArgumentError, match="sim: must be open"):
        sim.step(q, v, u)
    with pytest.raises(ValueError, match="sim: must be open"):
        sim.info()
    rollout = diffsim.Rollout(model, 2)
    rollout.close()
    with pytest.raises(ValueError, match="rollout: must be open"):
        rollout.run(q, v, np.zeros((12, 2)))
    batch = diffsim.Batch(model, 1, 1)
    batch.close()
    with pytest.raises(ValueError, match="batch: must be open"):
        batch.reset()
    builder = diffsim.Builder()
    builder.close()
    with pytest.raises(ValueError, match="builder: must be open"):
        builder.build()
    model.close()
    for call in (
        model.neutral,
        model.home,
        lambda: diffsim.Sim(model),
        lambda: model.body_id("trunk"),
        lambda: model.time_step,
    ):
        with pytest.raises(ValueError, match="model: must be open"):
            call()


def test_nothing_is_made_of_a_closed_model(models):
    model = diffsim.Model.load(models / "arm7.urdf")
    model.close()
    for kind in (diffsim.Sim, diffsim.Ik, lambda m: diffsim.Rollout(m, 2), lambda m: diffsim.Batch(m, 2, 1)):
        with pytest.raises(diffsim.InvalidArgumentError, match="model: must be open; it is closed"):
            kind(model)


def test_a_sim_outlives_its_model(models):
    sim = diffsim.Sim(diffsim.Model.load(models / "cartpole.xml"))
    sim.model.close()
    assert sim.step([0.0, 0.1], [0.0, 0.0], [1.0])[1].shape == (2,)


def test_the_library_s_errors(model, state, tmp_path):
    q, v, u = state
    sim = diffsim.Sim(model)
    with pytest.raises(diffsim.NoStepError):
        sim.jacobians()
    with pytest.raises(diffsim.NumericalError, match=r"v\[2\] must be finite"):
        sim.step(q, np.where(np.arange(18) == 2, np.nan, v), u)
    with pytest.raises(diffsim.InvalidArgumentError, match="kp"):
        diffsim.Sim(model, contact=diffsim.ContactLaw.PENALTY, kp=0.5)
    with pytest.raises(diffsim.InvalidArgumentError, match="time_step"):
        diffsim.Sim(model, time_step=-1.0)
    with pytest.raises(diffsim.CapacityError):
        diffsim.Sim(model, max_contacts=1).step(q, v, u)
    with pytest.raises(OSError, match="no such robot"):
        diffsim.Model.load(tmp_path / "no such robot.urdf")
    with pytest.raises(diffsim.ParseError, match="line 1"):
        diffsim.Model.from_string("<robot", diffsim.Format.URDF)
    with pytest.raises(KeyError, match="no body named 'wing'"):
        model.body_id("wing")
    with pytest.raises(diffsim.InvalidArgumentError, match="body"):
        model.body(99)
    with pytest.raises(diffsim.DiffsimError) as caught:
        model.keyframe("flying")
    assert caught.value.status == diffsim.Status.INVALID_ARGUMENT and "flying" in caught.value.message


def test_a_failed_step_leaves_its_results(model, state):
    q, v, u = state
    sim, out = diffsim.Sim(model), (np.full(19, 7.0), np.full(18, 7.0))
    with pytest.raises(diffsim.NumericalError):
        sim.step(q, v, np.full(12, np.inf), out=out)
    assert (out[0] == 7.0).all() and (out[1] == 7.0).all()
    sim.step(q, v, u)


def test_an_element_of_a_batch_that_fails(model, state):
    q, v, u = (np.repeat(x[:, None], 3, axis=1) for x in state)
    v[0, 1] = np.nan
    batch, each = diffsim.Batch(model, 3, 2), np.zeros(3, np.int32)
    with pytest.raises(diffsim.NumericalError, match="1"):
        batch.step(q, v, u)
    q_next, v_next = batch.step(q, v, u, each=each)
    assert each.tolist() == [0, diffsim.Status.NUMERICAL, 0]
    assert np.isnan(v_next[:, 1]).all() and np.isfinite(v_next[:, [0, 2]]).all()
    with pytest.raises(diffsim.InvalidArgumentError, match="u: expected shape"):
        batch.step(q, v, u[:1], each=each)
    with pytest.raises(TypeError, match="each: expected an array of int32"):
        batch.step(q, v, u, each=np.zeros(3))
