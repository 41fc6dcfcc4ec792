"""Names in place of numbers, what is left out, and what a representation says."""

import re

import numpy as np
import pytest

import diffsim


@pytest.fixture
def model(models):
    return diffsim.Model.load(models / "quadruped.xml")


def test_enumerations_by_name(models):
    arm = diffsim.Model.load(models / "arm7.urdf", base="free", actuation="full")
    assert (arm.nv, arm.nu) == (13, 13)
    for law in ("ncp", "NCP", diffsim.ContactLaw.NCP, 0, np.int64(0)):
        assert diffsim.Sim(arm, contact=law).options["contact"] is diffsim.ContactLaw.NCP
    assert diffsim.Problem(3, law="convex").law is diffsim.ContactLaw.CONVEX
    assert diffsim.Param("geom_friction").kind is diffsim.ParamKind.GEOM_FRICTION
    with pytest.raises(
        diffsim.UnknownNameError, match="integrator: no Integrator is named 'midpont'; near it: 'midpoint'"
    ):
        diffsim.Sim(arm, integrator="midpont")
    with pytest.raises(ValueError, match="base: no Base is named 'hanging'; there is 'from_file', 'fixed', 'free'"):
        diffsim.Model.load(models / "arm7.urdf", base="hanging")
    with pytest.raises(diffsim.InvalidArgumentError, match=r"contact: expected one of ncp \(0\), .*, got 17"):
        diffsim.Sim(arm, contact=17)
    with pytest.raises(TypeError, match="contact: expected a diffsim.ContactLaw or its name, got <Integrator"):
        diffsim.Sim(arm, contact=diffsim.Integrator.BDF1)
    with pytest.raises(TypeError, match="near it: 'time_step'"):
        diffsim.Sim(arm, timestep=0.1)


def test_parts_by_name(model):
    q, _, _ = model.keyframe("standing")
    q[2] -= 0.01
    sim = diffsim.Sim(model)
    trunk, foot, floor = model.body_id("trunk"), model.geom_id("FL_foot"), model.geom_id("floor")
    assert model.joint("FL_calf_joint").name == "FL_calf_joint" and model.body("trunk").parent == 0
    assert model.geom("FL_foot").kind == diffsim.GeomKind.SPHERE
    np.testing.assert_array_equal(sim.body_jacobian(q, "trunk"), sim.body_jacobian(q, trunk))
    assert sim.distance("floor", "FL_foot", q).distance == sim.distance(floor, foot, q).distance
    assert model.pair_enabled("floor", "FL_foot")
    sim.set_pair_enabled("floor", "FL_foot", False)
    assert len(sim.collide(q)) == 3
    sim.select_params([diffsim.Param("body_inertia", "trunk"), diffsim.Param("geom_friction", "FL_foot")])
    assert sim.params.tolist() == [5.2, 0.8]
    for call in (
        lambda: model.joint("FL_calf_jont"),
        lambda: model.joint_id("FL_calf_jont"),
        lambda: sim.select_params([diffsim.Param("joint_damping", "FL_calf_jont")]),
    ):
        with pytest.raises(KeyError, match="no joint named 'FL_calf_jont'; near it: 'FL_calf_joint', "):
            call()
    with pytest.raises(diffsim.UnknownNameError, match="body: no body named 'wing'; there is 'world', 'trunk'"):
        sim.set_external_wrench("wing", np.zeros(6))
    with pytest.raises(diffsim.UnknownNameError, match="no keyframe is called 'standig'; near it: 'standing'"):
        model.keyframe("standig")
    with pytest.raises(TypeError, match="index: parameters of the kind gravity have no names"):
        sim.select_params([diffsim.Param("gravity", "trunk")])
    with pytest.raises(TypeError, match=r"body: expected an id or a name, got 1\.0"):
        sim.body_jacobian(q, 1.0)
    with pytest.raises(diffsim.InvalidArgumentError, match="name: must not contain NUL"):
        model.body_id("trunk\0")


def test_inputs_that_are_left_out_are_zero(model):
    q, v, _ = model.keyframe("standing")
    zero = np.zeros(12)
    sim, again = diffsim.Sim(model), diffsim.Sim(model)
    sim.step(q, v, np.ones(12))
    again.step(q, v, np.ones(12))
    for a, b in zip(sim.step(q, v), again.step(q, v, zero)):
        np.testing.assert_array_equal(a, b)
    rollout = diffsim.Rollout(model, 5)
    for a, b in zip(rollout.run(q, v, steps=5), rollout.run(q, v, np.zeros((12, 5)))):
        np.testing.assert_array_equal(a, b)
    with pytest.raises(diffsim.InvalidArgumentError, match="steps: expected a number where no u is given"):
        rollout.run(q, v)
    columns = [np.repeat(x[:, None], 3, axis=1) for x in (q, v, zero)]
    for a, b in zip(diffsim.Batch(model, 3, 1).step(*columns[:2]), diffsim.Batch(model, 3, 1).step(*columns)):
        np.testing.assert_array_equal(a, b)


def test_representations(model):
    sim = diffsim.Sim(model, time_step=0.002, contact="convex", max_push_out=2.0)
    said = "<diffsim.Sim of <diffsim.Model nq=19 .*>: time_step=0.002 contact=convex integrator=.* max_push_out=2.0; "
    assert re.fullmatch(said + "no step yet>", repr(sim))
    assert sim.options["max_push_out"] == 2.0
    with pytest.raises(TypeError, match="make another object"):
        sim.options["max_push_out"] = 3.0
    assert sim.options["max_push_out"] == 2.0
    sim.step(*model.keyframe("standing"))
    assert re.fullmatch(said + "last step: 4 contacts, residual .*, derivative one_sided>", repr(sim))
    assert "at most 7 steps" in repr(diffsim.Rollout(model, 7)) and "time_step=0.002" in repr(diffsim.Batch(model, 2))
    for handle in (
        sim,
        diffsim.Rollout(model, 7),
        diffsim.Batch(model, 2),
        diffsim.Builder(),
        diffsim.Problem(1),
        model,
    ):
        with handle:
            assert "closed" not in repr(handle)
        assert repr(handle) == f"<diffsim.{type(handle).__name__}: it is closed>"


def test_errors_say_status_and_argument(model):
    q, v, u = model.keyframe("standing")
    sim, rollout = diffsim.Sim(model), diffsim.Rollout(model, 2)
    v[3] = np.nan
    cases = {
        lambda: sim.step(q[1:], v): (diffsim.Status.INVALID_ARGUMENT, "q"),
        lambda: sim.step(q, v): (diffsim.Status.NUMERICAL, "v"),
        lambda: rollout.run(q, v, steps=2): (diffsim.Status.NUMERICAL, "v"),
        lambda: diffsim.Sim(model, time_step=-1.0): (diffsim.Status.INVALID_ARGUMENT, "time_step"),
        lambda: diffsim.Sim(model, kp="much"): (diffsim.Status.INVALID_ARGUMENT, "kp"),
        lambda: model.body("wing"): (diffsim.Status.INVALID_ARGUMENT, "body"),
        lambda: diffsim.Sim(model).jacobians(): (diffsim.Status.NO_STEP, None),
    }
    for call, (status, argument) in cases.items():
        with pytest.raises(diffsim.DiffsimError) as caught:
            call()
        assert (caught.value.status, caught.value.argument) == (status, argument), caught.value
        assert str(caught.value) == caught.value.message != ""
