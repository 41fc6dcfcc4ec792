"""Wrong calls raise Python's errors with a message that names the culprit, and change nothing."""

import copy
import pickle

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
    with pytest.raises(TypeError, match="timestep: no such option; near it: 'time_step'; expected one of time_step"):
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


def test_models_are_made_by_load():
    for make in (diffsim.Model, lambda: diffsim.Model("robot.urdf")):
        with pytest.raises(TypeError, match=r"make one by Model.load\(path\)"):
            make()


def test_an_option_of_another_class_names_that_class(models, model):
    with pytest.raises(TypeError, match="time_step: no such option; it is one of Sim, Rollout, Batch and Ilqr"):
        diffsim.Model.load(models / "arm7.urdf", time_step=1e-3)
    with pytest.raises(TypeError, match="base: no such option; it is one of Model.load"):
        diffsim.Sim(model, base="free")


def test_wrong_types_of_options_say_what_was_expected(model):
    for options, said in (
        ({"time_step": "x"}, "time_step: expected a number, got 'x'"),
        ({"max_contacts": 1.5}, "max_contacts: expected a whole number, got 1.5"),
        ({"max_contacts": True}, "max_contacts: expected a whole number, got True"),
        ({"max_contacts": -1}, "max_contacts: must not be negative or above"),
        ({"derivatives": "yes"}, "derivatives: expected a whole number, got 'yes'"),
    ):
        with pytest.raises(ValueError, match=said):
            diffsim.Sim(model, **options)
    sim = diffsim.Sim(model)
    with pytest.raises(TypeError, match="dof: expected a whole number, got 'FR_hip_joint'"):
        sim.prescribe("FR_hip_joint", 1.0)
    with pytest.raises(TypeError, match="max_distance: expected a number"):
        sim.ray_cast(model.neutral(), np.zeros(3), np.ones(3), "far")
    # Python's own messages have the class that the user knows.
    with pytest.raises(TypeError, match=r"^Sim\.linearize\(\) missing"):
        sim.linearize(model.neutral())


def test_errors_about_files_are_about_no_argument():
    with pytest.raises(diffsim.FileError) as caught:
        diffsim.Model.load("nope.urdf")
    assert caught.value.argument is None


def test_regulators_of_wrong_matrices():
    eye, column = np.eye(2), np.zeros((2, 1))
    for make, said in (
        (lambda: diffsim.lqr(eye, 3.0, eye, eye), "B: expected a matrix"),
        (lambda: diffsim.lqr(eye, column, eye, np.eye(1), model=3), "model: expected a diffsim.Model, got int"),
        (lambda: diffsim.uncontrollable(np.nan * eye, column), r"A\[0, 0\] must be finite"),
    ):
        with pytest.raises(diffsim.DiffsimError, match=said):
            make()


def test_plans_refuse_negative_steps(model):
    plan = diffsim.Ilqr(model, 3)
    with pytest.raises(ValueError, match="step: must not be negative, got -1"):
        plan.gains(-1)
    # It would set the reference of every node.
    with pytest.raises(ValueError, match="node: must not be negative, got -1"):
        plan.set_reference(model.neutral(), node=-1)


def test_fixed_tendons_refuse_what_spatial_ones_take(model):
    builder = diffsim.Builder.from_model(model)
    with pytest.raises(ValueError, match="anchors: spatial tendons have it"):
        builder.add_tendon(joints={"FR_hip_joint": 1.0}, anchors=np.zeros((3, 1)))


def test_live_and_recordings_check_their_attributes(model):
    live = diffsim.Live(model)
    for name, value, said in (
        ("sped", 1.0, "no such attribute to be set; near it: 'speed'"),
        ("time_step", 1e-3, "time_step: it is fixed when the Live is made"),
        ("speed", "fast", "speed: expected a number, got 'fast'"),
        ("paused", "no", "paused: expected True or False, got 'no'"),
        ("control", 3, "control: expected a function"),
        ("port", 99999, "port: expected 0 to 65535, got 99999"),
        ("q", [0.0], "q: expected shape"),
    ):
        with pytest.raises((AttributeError, ValueError), match=said):
            setattr(live, name, value)
    for copier in (copy.copy, pickle.dumps):
        with pytest.raises(TypeError, match="a diffsim.Live can be neither copied nor pickled"):
            copier(live)
    with pytest.raises(TypeError, match="derivatives: a live view takes none"):
        diffsim.Live(model, derivatives=1)
    recorder = diffsim.Recorder(model)
    recorder.state(0.0, model.neutral())
    recording = recorder.recording()
    for act, said in (
        (lambda: setattr(recording, "fames", []), "no such attribute to be set; near it: 'frames'"),
        (lambda: setattr(recording, "frames", [3]), "frames: expected a list of Frame, with int in it"),
        (lambda: recording.channel("h"), "name: no channel is called 'h'"),
        (lambda: recording.html("other"), "others: expected a diffsim.Recording, got str"),
        (lambda: recording.view("/no/such/folder/a.html"), "cannot be written: No such file"),
        (lambda: diffsim.Recording.read(3), "path: expected a path, got int"),
        (lambda: diffsim.Recording.read("nope"), "nope: cannot be read: No such file"),
        (lambda: diffsim.Recording.from_bytes("x"), "data: expected bytes, got str"),
    ):
        with pytest.raises((AttributeError, diffsim.DiffsimError), match=said):
            act()


def test_forces_on_bodies_that_there_are_not(model, state):
    sim = diffsim.Sim(model)
    sim.step(*state)
    for body in (-1, model.nbody):
        with pytest.raises(ValueError, match=f"bodies: must be ids of bodies, 0 to 13, got {body}"):
            sim.contact_forces([body])


def test_modules_refuse_objects_of_other_classes(model, tmp_path):
    from diffsim import gltf, planning

    recorder = diffsim.Recorder(model)
    recorder.state(0.0, model.neutral())
    for call, said in (
        (lambda: gltf.write(model, tmp_path / "a.glb"), "recording: expected a diffsim.Recording, got Model"),
        (lambda: gltf.write(recorder.recording(), tmp_path / "a.glb", "all"), "shapes: expected drawn, collision"),
        (lambda: planning.quaternions("robot"), "model: expected a diffsim.Model, got str"),
        (lambda: planning.integrate_jacobians(model, 0.0), "transition: expected a diffsim.Transition, got Model"),
        (lambda: diffsim.StepJacobians("18", 12, 0), "nv: expected a whole number, got '18'"),
    ):
        with pytest.raises(ValueError, match=said):
            call()
