"""Rays, sensors, and what the laws of a step say about a state."""

import diffsim
import numpy as np
import pytest

MODEL = """<mujoco><worldbody><geom name="ground" type="plane" size="0 0 1"/>
<body name="ball" pos="0 0 0.099"><freejoint/><geom name="ball" size="0.1" mass="2"/>
<site name="top" pos="0 0 0.2" euler="180 0 0"/></body></worldbody>
<sensor><framepos name="place" objtype="site" objname="top"/><rangefinder name="range" site="top"/>
<touch name="touch" site="top"/></sensor></mujoco>"""


@pytest.fixture
def model():
    return diffsim.Model.from_string(MODEL, "mjcf", actuation="full")


def test_sensors_tell_by_name_and_vary(model):
    sim = diffsim.Sim(model, contact="convex")
    q, v = model.neutral(), np.zeros(6)
    place, ranged = model.sensor("place"), model.sensor(1)
    assert (place.kind, place.address, place.size) == (diffsim.SensorKind.FRAME_POSITION, 0, 3)
    assert (model.nsensor, model.nsensordata, ranged.name, model.sensor_id("touch")) == (3, 5, "range", 2)
    data = sim.sensors(q, v)
    np.testing.assert_allclose(data, [0, 0, 0.299, 0.299, 0], atol=1e-12)
    by_q, by_v, by_u, gradient = sim.sensor_jacobians(q, v)
    assert gradient is diffsim.Gradient.EXACT and by_u.shape == (5, 6) and not by_v.any()
    np.testing.assert_allclose(by_q[2:4, 2], 1.0)
    bar = np.arange(5.0)
    q_bar, *_ = sim.sensor_vjp(q, v, bar)
    np.testing.assert_allclose(q_bar, by_q.T @ bar, atol=1e-12)
    with pytest.raises(diffsim.UnknownNameError):
        model.sensor("none")


def test_rays_meet_the_nearest_geom(model):
    sim = diffsim.Sim(model)
    q = model.neutral()
    distance, normal, geom, by_q, gradient = sim.ray_cast(q, [0, 0, 3], [0, 0, -2])
    assert geom == model.geom_id("ball") and gradient is diffsim.Gradient.EXACT
    np.testing.assert_allclose([distance, *normal, by_q[2]], [2.801, 0, 0, 1, -1], atol=1e-12)
    assert sim.ray_cast(q, [0, 0, 3], [0, 0, -2], exclude_body="ball")[0] == 3.0
    assert sim.ray_cast(q, [0, 0, 3], [0, 0, 1])[2] == -1
    hits = sim.ray_casts(q, [[0, 1], [0, 0], [3, 3]], [[0, 0], [0, 0], [-1, -1]])
    np.testing.assert_allclose(hits.distances, [2.801, 3.0])
    assert hits.geoms.tolist() == [1, 0] and hits.normals.shape == (3, 2) and hits.ddistances.shape == (6, 2)
    with pytest.raises(diffsim.InvalidArgumentError, match="directions"):
        sim.ray_cast(q, [0, 0, 3], [0, 0, 0])


def test_forces_and_accelerations_belong_to_each_other(model):
    sim = diffsim.Sim(model, contact="convex")
    q, v, u = model.neutral(), np.array([0.1, 0, 0, 0, 0, 0]), np.array([0, 0, 1.0, 0, 0, 0])
    a = sim.forward(q, v, u)
    wrench = sim.body_contact_wrenches()[:, 1]
    np.testing.assert_allclose(wrench[2] + u[2] - 2 * 9.81, 2 * a[2], atol=1e-9)
    _, da_dv, _, _ = sim.acceleration_jacobians()
    np.testing.assert_allclose(sim.acceleration_vjp(np.eye(6)[2])[1], da_dv[2], atol=1e-9)
    np.testing.assert_allclose(sim.inverse(q, v, a), u, atol=1e-6)
    assert sim.inverse_jacobians()[2][2, 2] > 2.0
    with pytest.raises(diffsim.UnsupportedError, match="many forces lead to the same motion"):
        diffsim.Sim(model).inverse(q, v, a)


def test_builders_take_sensors():
    builder = diffsim.Builder()
    body = builder.add_body(name="body", inertia=[1, 0, 0, 0, 0.1, 0, 0.1, 0, 0, 0.1])
    builder.add_joint(body, "revolute", name="hinge")
    builder.add_sensor("joint_position", name="angle", of="hinge")
    builder.add_sensor("gyro", name="spin", body="body", placement=np.eye(4))
    model = builder.build()
    assert [s.name for s in model.sensors] == ["angle", "spin"]
    assert diffsim.Sim(model).sensors([0.3], [2.0]).tolist() == [0.3, 0.0, 0.0, 2.0]
    with pytest.raises(diffsim.InvalidArgumentError, match="cutoff"):
        builder.add_sensor("gyro", cutoff=-1.0)


def test_torsion_brakes_a_ball_that_drills():
    mjcf = """<mujoco><option timestep="0.001"/><worldbody><geom type="plane" size="1 1 1" condim="4" friction="1 .004 0"/>
      <body pos="0 0 .1"><freejoint/><geom size=".1" mass=".5" condim="4" friction="1 .004 0"/></body></worldbody></mujoco>"""
    model = diffsim.Model.from_string(mjcf, "mjcf")
    sim = diffsim.Sim(model, time_step=1e-3)
    q, v = model.neutral(), np.array([0, 0, 0, 0, 0, 5.0])
    _, v_next = sim.step(q, v)
    torque = 0.004 * 0.5 * 9.81 * 1e-3
    np.testing.assert_allclose(sim.contact_torques(), [[0], [0], [-torque]], atol=1e-12)
    np.testing.assert_allclose(v_next[5], 5 - torque / (0.4 * 0.5 * 0.01), atol=1e-9)


def test_more_contacts_than_any_other_result_has_numbers():
    feet = "".join(
        f'<geom type="sphere" size="0.05" mass="1" pos="{0.2 * k} 0 0" condim="6" friction="1 0.01 0.001"/>'
        for k in range(30)
    )
    body = f'<body pos="0 0 0.05"><joint axis="0 0 1"/>{feet}</body>'
    plane = '<geom type="plane" size="1 1 1"/>'
    model = diffsim.Model.from_string(f"<mujoco><worldbody>{plane}{body}</worldbody></mujoco>", "mjcf")
    sim = diffsim.Sim(model)
    sim.step(model.neutral(), [1.0])
    assert sim.contact_torques().shape == (3, 30)
