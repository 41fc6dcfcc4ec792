"""States in MuJoCo are the same motions of the same bodies."""

import pathlib
import re
import sys
import types

import numpy as np
import pytest

import diffsim

mujoco = pytest.importorskip("mujoco")
PAGE = pathlib.Path(__file__).resolve().parents[3] / "docs" / "migration.md"
ROBOTS = ("quadruped.xml", "humanoid.xml", "cartpole.xml")


def pair(path):
    m = mujoco.MjModel.from_xml_path(str(path))
    return diffsim.Model.load(path), m, mujoco.MjData(m)


@pytest.mark.parametrize("name", ROBOTS)
def test_states_go_over_and_come_back(models, name):
    model, m, data = pair(models / name)
    sim, random = diffsim.Sim(model), np.random.default_rng(3)
    for _ in range(5):
        q = model.integrate(model.neutral(), random.standard_normal(model.nv))
        v = random.standard_normal(model.nv)
        qpos, qvel = diffsim.to_mujoco(model, q, v, data)
        assert np.array_equal(data.qpos, qpos) and np.array_equal(data.qvel, qvel)
        mujoco.mj_forward(m, data)
        placements = sim.forward_kinematics(q)
        for body in model.bodies[1:]:
            ours, theirs = model.body_id(body.name), m.body(body.name).id
            np.testing.assert_allclose(data.xpos[theirs], placements[:3, 3, ours], atol=1e-12)
            np.testing.assert_allclose(data.xmat[theirs].reshape(3, 3), placements[:3, :3, ours], atol=1e-12)
            velocity = np.zeros(6)
            mujoco.mj_objectVelocity(m, data, mujoco.mjtObj.mjOBJ_XBODY, theirs, velocity, 0)
            expected = sim.body_jacobian(q, ours) @ v
            np.testing.assert_allclose(velocity, [*expected[3:], *expected[:3]], atol=1e-11)
        # Vectors that are changed later are those of MuJoCo, not these.
        back = diffsim.from_mujoco(model, data)
        data.qpos[:] = 0.0
        for a, b in zip(back, (q, v)):
            np.testing.assert_allclose(a, b, atol=1e-14)
        for a, b in zip(diffsim.from_mujoco(model, qpos, qvel), back):
            np.testing.assert_array_equal(a, b)


def test_trajectories(models):
    model = diffsim.Model.load(models / "quadruped.xml")
    q, v, u = model.keyframe("standing")
    path = diffsim.Rollout(model, 6).run(q, v, np.repeat(u[:, None], 6, axis=1))
    qpos, qvel = diffsim.to_mujoco(model, *path)
    assert qpos.shape == (19, 7) and qvel.shape == (18, 7)
    for k in range(7):
        one = diffsim.to_mujoco(model, path[0][:, k], path[1][:, k])
        assert np.array_equal(one[0], qpos[:, k]) and np.array_equal(one[1], qvel[:, k])
    for a, b in zip(diffsim.from_mujoco(model, qpos, qvel), path):
        np.testing.assert_allclose(a, b, atol=1e-14)


def test_what_does_not_fit(models):
    model, m, data = pair(models / "quadruped.xml")
    q, v, _ = model.keyframe("standing")
    other = pair(models / "cartpole.xml")
    with pytest.raises(
        diffsim.InvalidArgumentError, match="data: expected nq = 19 and nv = 18 as the model has, got 2 and 2"
    ):
        diffsim.to_mujoco(model, q, v, other[2])
    with pytest.raises(diffsim.InvalidArgumentError, match="data: expected nq = 2"):
        diffsim.from_mujoco(other[0], data)
    with pytest.raises(diffsim.InvalidArgumentError, match="q: expected shape"):
        diffsim.to_mujoco(model, q[1:], v)
    with pytest.raises(diffsim.InvalidArgumentError, match="q, v: expected 19×N and 18×N"):
        diffsim.to_mujoco(model, q[:, None], np.zeros((18, 2)))
    with pytest.raises(TypeError, match="qvel: expected a velocity"):
        diffsim.from_mujoco(model, q)
    with pytest.raises(TypeError, match="model: expected a diffsim.Model"):
        diffsim.to_mujoco(m, q, v)
    text = "<mujoco><worldbody><body><joint name='{}'/><joint name='{}' axis='1 0 0'/><geom size='1'/></body></worldbody></mujoco>"
    swapped = mujoco.MjModel.from_xml_string(text.format("b", "a"))
    with pytest.raises(diffsim.InvalidArgumentError, match=r"data: joint 'b' begins at qpos\[0\] and here at q\[1\]"):
        diffsim.to_mujoco(
            diffsim.Model.from_string(text.format("a", "b"), "mjcf"), [0, 0], [0, 0], mujoco.MjData(swapped)
        )


def test_the_page_s_viewer(models, monkeypatch):
    """Its program, with a window that shows nothing and is closed after three frames."""
    shown = []

    class Window:
        def __init__(self, m, data):
            self.data = data

        def __enter__(self):
            return self

        def __exit__(self, *_):
            pass

        def is_running(self):
            return len(shown) < 3

        def sync(self):
            shown.append(self.data.xpos[1].copy())

    monkeypatch.setitem(sys.modules, "mujoco.viewer", types.SimpleNamespace(launch_passive=Window))
    monkeypatch.setattr(mujoco, "viewer", sys.modules["mujoco.viewer"], raising=False)
    (block,) = [
        b for b in re.findall(r"^```python\n(.*?)^```$", PAGE.read_text(), flags=re.M | re.S) if "launch_passive" in b
    ]
    session = {}
    exec(block, session)
    session["in_mujoco"](models / "quadruped.xml")
    assert len(shown) == 3 and 0.1 < shown[2][2] < 0.5 and not np.array_equal(shown[0], shown[2])


def test_mocap_bodies_are_apart_there():
    text = """<mujoco><worldbody>
      <body name="a"><joint name="swing" axis="0 1 0"/><geom size="0.1" mass="1"/></body>
      <body name="target" mocap="true" pos="1 0 0" quat="0 0 0 1"><geom size="0.1" mass="1"/></body>
      <body name="b" pos="0 1 0"><freejoint name="float"/><geom size="0.1" mass="1"/></body>
      <body name="other" mocap="true"/></worldbody><keyframe><key name="k" qpos="0.3 1 2 3 0.5 0.5 0.5 0.5"
      qvel="1 2 3 4 5 6 7" mpos="4 5 6 7 8 9" mquat="0.5 -0.5 0.5 0.5 0 1 0 0"/></keyframe></mujoco>"""
    model = diffsim.Model.from_string(text, "mjcf")
    m = mujoco.MjModel.from_xml_string(text)
    data = mujoco.MjData(m)
    assert (model.nq, model.nv) == (m.nq + 14, m.nv + 12)
    assert [body.mocap for body in model.bodies] == [-1, *m.body_mocapid[1:]] == [-1, -1, 0, -1, 1]
    sim = diffsim.Sim(model)

    def same_places(q):
        mujoco.mj_kinematics(m, data)
        for body, placement in enumerate(np.moveaxis(sim.forward_kinematics(q), 2, 0)):
            np.testing.assert_allclose(placement[:3, 3], data.xpos[body], atol=1e-14)
            np.testing.assert_allclose(placement[:3, :3], data.xmat[body].reshape(3, 3), atol=1e-14)

    mujoco.mj_resetDataKeyframe(m, data, 0)
    q, v, _ = model.keyframe("k")
    same_places(q)
    for a, b in zip(diffsim.from_mujoco(model, data), (q, v)):
        np.testing.assert_allclose(a, b, atol=1e-15)
    q = model.integrate(q, np.random.default_rng(1).standard_normal(model.nv))
    diffsim.to_mujoco(model, q, v, data)
    same_places(q)


HAND = """<mujoco><worldbody>
  <body name="thumb" pos="0.05 0 0"><joint name="j" axis="1 0 0"/><geom name="g" size="0.02" pos="0 0 -0.05" mass="0.2"/></body>
  <body name="finger" pos="-0.05 0 0"><joint name="k" axis="0 1 0"/><geom name="h" size="0.03" pos="0 0 -0.05" mass="0.3"/>
    <body name="tip" pos="0 0 -0.1"><joint name="l" axis="1 0 0"/><geom name="i" size="0.01" mass="0.1"/></body></body>
  </worldbody></mujoco>"""


def test_an_arm_with_hands_is_the_same_in_mujoco(models, tmp_path):
    arm = diffsim.Model.load(models / "arm7.urdf")
    hand = diffsim.Model.from_string(HAND, "mjcf")
    builder = diffsim.Builder.from_model(arm)
    for side, x in (("left_", 0.1), ("right_", -0.1)):
        placement = np.eye(4)
        placement[0, 3] = x
        builder.attach(arm.body_names[-1], hand, prefix=side, placement=placement)
    made = builder.build()
    made.save(tmp_path / "arm.xml")
    m = mujoco.MjModel.from_xml_path(str(tmp_path / "arm.xml"))
    data = mujoco.MjData(m)
    assert (m.nbody, m.nq, m.nv) == (made.nbody, made.nq, made.nv) == (arm.nbody + 6, arm.nq + 6, arm.nv + 6)
    for body in made.bodies[1:]:
        theirs = m.body(body.name)
        assert m.body(theirs.parentid[0]).name == made.body_names[body.parent] and abs(theirs.mass[0] - body.mass) < 1e-15
    assert m.body(m.body("left_finger").parentid[0]).name == arm.body_names[-1]
    # The same masses in the same places: the same mass matrix.
    sim, full = diffsim.Sim(made), np.zeros((m.nv, m.nv))
    q = made.integrate(made.neutral(), np.random.default_rng(5).standard_normal(made.nv))
    diffsim.to_mujoco(made, q, np.zeros(made.nv), data)
    mujoco.mj_forward(m, data)
    mujoco.mj_fullM(m, data, full)
    np.testing.assert_allclose(sim.mass_matrix(q), full, atol=1e-12)
