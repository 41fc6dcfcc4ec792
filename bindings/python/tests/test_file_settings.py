"""What a model's file says of steps, what it did not get, and inertias."""

import copy
import pickle
import warnings

import numpy as np
import pytest

import diffsim

BOX = """<mujoco>{}<worldbody><geom type="plane" size="1 1 1"/><body name="b" pos="0 0 .2"><freejoint/>
<geom type="box" size=".1 .1 .1" mass="1"/></body>{}</worldbody></mujoco>"""


def box(option="", more=""):
    return diffsim.Model.from_string(BOX.format(option, more), "mjcf")


@pytest.mark.parametrize(
    "option, h, integrator",
    [
        ("", 0.002, "symplectic_euler_world"),
        ('<option timestep=".004" integrator="implicitfast"/>', 0.004, "symplectic_euler_world"),
        ('<option integrator="RK4"/>', 0.002, "midpoint"),
        ('<option integrator="implicit"/>', 0.002, "implicit_euler"),
    ],
)
def test_a_sim_takes_them(option, h, integrator):
    model = box(option)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        sim, rollout, batch = diffsim.Sim(model), diffsim.Rollout(model, 3), diffsim.Batch(model, 2, 1)
    assert model.time_step == sim.time_step == h
    assert sim.integrator.name.lower() == integrator
    for made in (sim, rollout, batch):
        assert made.options["time_step"] == h and made.options["integrator"] is sim.integrator
        assert f"time_step={h}" in repr(made) and f"integrator={integrator}" in repr(made)
    q, v = model.neutral(), np.zeros(6)
    assert sim.step(q, v)[1][2] == pytest.approx(-9.81 * h)
    assert rollout.run(q, v, steps=3)[1][2, 3] == pytest.approx(-9.81 * 3 * h)
    for again in (copy.copy(sim), pickle.loads(pickle.dumps(sim))):
        assert again.options == sim.options
        assert np.array_equal(again.step(q, v)[1], sim.step(q, v)[1])
    given = diffsim.Sim(model, time_step=1e-3, integrator="symplectic_euler")
    assert (given.time_step, given.integrator) == (1e-3, diffsim.Integrator.SYMPLECTIC_EULER)


def test_models_without_a_file():
    builder = diffsim.Builder()
    builder.add_joint(builder.add_body(0, "b", inertia=diffsim.inertia_from_com(1, [0, 0, 0], [1, 0, 1, 0, 0, 1])), "free")
    urdf = '<robot name="r"><link name="a"/></robot>'
    for model in (builder.build(), diffsim.Model.from_string(urdf, "urdf")):
        sim = diffsim.Sim(model)
        assert model.time_step == sim.time_step == 1e-3
        assert sim.integrator is diffsim.Integrator.SYMPLECTIC_EULER_WORLD


def test_what_a_file_did_not_get_is_told_once():
    model = box('<option integrator="RK4" cone="elliptic" impratio="10" iterations="7"><flag eulerdamp="disable"/></option>')
    with pytest.warns(diffsim.FileSettingsWarning) as told:
        diffsim.Sim(model)
    said = sorted(str(w.message) for w in told)
    assert len(said) == 4 and all(w.filename == __file__ for w in told)
    for line, word in zip(said, ("cone", "eulerdamp", "impratio", "RK4")):
        assert word in line
    assert "midpoint" in said[-1] and "contact=ncp" in said[0]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        diffsim.Sim(model), diffsim.Rollout(model, 2), diffsim.Batch(model, 1, 1)
        # What is given is not asked of the file, and what makes no difference is not told.
        diffsim.Sim(box('<option integrator="RK4"/>'), integrator="symplectic_euler")
        diffsim.Sim(box('<option timestep=".01" integrator="implicitfast" iterations="5" tolerance="1e-3"/>'))


def test_mocap_bodies_are_where_the_file_places_them():
    model = box(more='<body name="m" mocap="true" pos="1 2 3" quat="1 1 0 0"/>')
    neutral = model.neutral()
    qpos = np.array([0.1, 0.2, 0.5, 2, 0, 0, 0])
    for given in (qpos, np.append(qpos, np.zeros(7))):
        q = model.q_from_mujoco(given)
        assert np.array_equal(q[7:], neutral[7:]) and np.allclose(q[:7], [0.1, 0.2, 0.5, 0, 0, 0, 1])
        diffsim.Sim(model).step(q, np.zeros(12))
    q = model.q_from_mujoco(np.append(qpos, [7, 8, 9, 0, 3, 0, 0]))
    assert np.allclose(q[7:], [7, 8, 9, 1, 0, 0, 0])
    with pytest.raises(diffsim.InvalidArgumentError, match="qpos"):
        model.q_from_mujoco(qpos[:6])


def test_contacts_that_are_too_deep():
    model = box()
    q = model.neutral()
    q[2] = 0.06
    for bound, count in ((0.0, 4), (0.03, 4), (0.05, 0), (np.inf, 0)):
        sim = diffsim.Sim(model, contact="convex", max_depth=bound)
        sim.step(q, np.zeros(6))
        info = sim.info()
        assert info.deepest == pytest.approx(0.04) and info.too_deep == count


def test_inertias():
    model = box()
    sim = diffsim.Sim(model)
    sim.select_params([diffsim.Param("body_inertia", "b", i) for i in range(10)])
    p = sim.params
    with pytest.raises(diffsim.InvalidArgumentError, match=r'p\[0\]: "body_inertia" of body "b": the principal moments'):
        sim.params = [1, 0, 0, 0, 0.01, 0, 0.01, 0, 0, 0.1]
    assert np.array_equal(sim.params, p)
    theta = diffsim.inertia_to_log_cholesky(p)
    assert np.allclose(diffsim.inertia_from_log_cholesky(theta), p, rtol=0, atol=1e-15)
    random = np.random.default_rng(1)
    for _ in range(50):
        at = theta + random.normal(size=10)
        value, slopes = diffsim.inertia_from_log_cholesky(at, jacobian=True)
        # Every value is one of a body.
        sim.params = value
        assert np.allclose(diffsim.inertia_to_log_cholesky(value), at, atol=1e-8)
        for k in range(10):
            d = np.zeros(10)
            d[k] = 1e-6
            found = (diffsim.inertia_from_log_cholesky(at + d) - diffsim.inertia_from_log_cholesky(at - d)) / 2e-6
            assert np.allclose(slopes[:, k], found, atol=1e-8 * np.abs(value).max())
    with pytest.raises(diffsim.InvalidArgumentError, match="p: "):
        diffsim.inertia_to_log_cholesky(np.zeros(10))
    with pytest.raises(diffsim.NumericalError):
        diffsim.inertia_from_log_cholesky(np.full(10, 800.0))


def test_a_gradient_by_coordinates_of_an_inertia():
    """∂v⁺/∂θ by the chain rule against differences that stay bodies."""
    model = box()
    sim = diffsim.Sim(model)
    sim.select_params([diffsim.Param("body_inertia", "b", i) for i in range(10)])
    q, v = model.neutral(), np.array([0.1, 0.2, 0.3, 3.0, -2.0, 1.0])
    sim.set_external_wrench("b", [3, 1, -2, 0.5, 0.2, -0.3])
    theta = diffsim.inertia_to_log_cholesky(sim.params) + 0.1 * np.random.default_rng(2).normal(size=10)
    p, slopes = diffsim.inertia_from_log_cholesky(theta, jacobian=True)
    sim.params = p
    sim.step(q, v)
    exact = sim.jacobians().dv_dp @ slopes
    for k in range(10):
        ends = []
        for d in (1e-6, -1e-6):
            at = theta.copy()
            at[k] += d
            sim.params = diffsim.inertia_from_log_cholesky(at)
            ends.append(sim.step(q, v)[1])
        assert np.allclose(exact[:, k], (ends[0] - ends[1]) / 2e-6, atol=1e-7)
