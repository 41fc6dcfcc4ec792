"""Models that are read, changed and built again."""

import copy
import pickle

import numpy as np
import pytest

import diffsim

HAND = """<mujoco><worldbody>
  <body name="thumb" pos="0.05 0 0"><joint name="j" axis="1 0 0" damping="0.1"/><geom name="g" size="0.02" pos="0 0 -0.05"/></body>
  <body name="finger" pos="-0.05 0 0"><joint name="k" axis="1 0 0" damping="0.1"/><geom name="h" size="0.02" pos="0 0 -0.05"/></body>
  </worldbody><actuator><motor name="m" joint="j" gear="2" ctrlrange="-1 3" forcerange="-5 5"/></actuator></mujoco>"""


def moved(x, y, z):
    place = np.eye(4)
    place[:3, 3] = x, y, z
    return place


def run(model, steps=20):
    sim = diffsim.Sim(model, max_contacts=200)
    q, v, u = model.keyframe(0) if model.nkeyframe else (model.home(), np.zeros(model.nv), np.zeros(model.nu))
    for _ in range(steps):
        q, v = sim.step(q, v, u)
    J = sim.jacobians()
    return [q, v, J.dq_dq, J.dv_dq, J.dv_dv, J.dv_du]


def test_every_part_can_be_read(models):
    model = diffsim.Model.load(models / "quadruped.xml")
    assert model.body_names[:2] == ("world", "trunk") and len(model.body_names) == model.nbody
    assert model.joint_names[0] == model.joint(0).name and len(model.geom_names) == model.ngeom
    assert len(model.site_names) == model.nsite and len(model.sensor_names) == model.nsensor
    joint = model.joint("FR_hip_joint")
    assert joint.axis.tolist() == [1, 0, 0] and joint.damping == 2.0 and joint.armature == 0.01
    actuator = model.actuator("FR_hip")
    assert actuator.joint == "FR_hip_joint" and actuator.kp == 100.0 and actuator.control_range == (-0.863, 0.863)
    assert [a.name for a in model.actuators] == list(model.actuator_names)
    trunk = model.body("trunk")
    again = diffsim.inertia_from_com(trunk.mass, trunk.com, trunk.inertia_com[[0, 0, 1, 0, 1, 2], [0, 1, 1, 2, 2, 2]])
    assert np.abs(again - trunk.inertia).max() < 1e-15
    assert all(np.array_equal(a, b) for a, b in zip(model.keyframe(0), model.keyframe("standing")))
    for wrong, said in (
        (lambda: model.joint("FR_hip_jont"), "near it: 'FR_hip_joint'"),
        (lambda: model.actuator(99), "must be the id of an actuator, 0 to 11"),
        (lambda: model.keyframe(1), "keyframe: must be the id"),
        (lambda: model.keyframe(1.5), "name: expected an id"),
    ):
        with pytest.raises(diffsim.InvalidArgumentError, match=said):
            wrong()


def test_full_inputs_are_motors_on_their_dofs(models):
    model = diffsim.Model.load(models / "arm7.urdf", base="free", actuation="full")
    for i, actuator in enumerate(model.actuators):
        joint = model.joint(actuator.joint)
        assert joint.v_index <= i < joint.v_index + joint.nv
        assert np.flatnonzero(actuator.gear).tolist() == [i - joint.v_index] and actuator.gear.sum() == 1.0


@pytest.mark.parametrize("name", ["arm7.urdf", "cartpole.xml", "quadruped.xml", "humanoid.xml", "cable_arm.xml"])
@pytest.mark.parametrize("actuation", ["from_file", "full"])
def test_what_is_taken_apart_and_built_is_the_same(models, name, actuation):
    model = diffsim.Model.load(models / name, ground_plane=name.endswith("urdf"), actuation=actuation)
    again = diffsim.Builder.from_model(model).build()
    assert all(np.array_equal(a, b) for a, b in zip(run(model), run(again)))
    assert again.body_names == model.body_names and again.warnings == model.warnings
    assert again.time_step == model.time_step


def test_an_arm_gets_friction_a_hand_and_an_obstacle(models):
    arm = diffsim.Model.load(models / "arm7.urdf", actuation="full")
    hand = diffsim.Model.from_string(HAND, "mjcf")
    builder = diffsim.Builder(arm)
    joint = arm.joint_names[1]
    builder.set_joint(joint, friction_loss=0.3, damping=0.7)
    for side, x in (("left_", 0.1), ("right_", -0.1)):
        builder.attach(arm.body_names[-1], hand, prefix=side, placement=moved(x, 0, 0))
    builder.add_geom("world", name="block", kind="box", size=[0.1, 0.1, 0.1], placement=moved(2, 0, 0))
    builder.add_geom(0, name="terrain", heights=[[0.0, 0.1, 0.0], [0.0, 0.2, 0.1]], size=[3.0, 2.0, 0.5], placement=moved(0, 0, -2))
    builder.add_site("left_thumb", "tip", moved(0, 0, -0.07))
    builder.add_actuator(joint=joint, name="more")
    made = builder.build()
    assert made.nv == arm.nv + 4 and made.nu == arm.nv + 4 + 1
    told = made.joint(joint)
    assert told.friction_loss == 0.3 and told.damping == 0.7 and np.array_equal(told.axis, arm.joint(joint).axis)
    assert told.limits == arm.joint(joint).limits and told.effort == arm.joint(joint).effort
    assert made.body("left_thumb").parent == made.body_id(arm.body_names[-1])
    assert made.geom("terrain").heights.tolist() == [[0.0, 0.1, 0.0], [0.0, 0.2, 0.1]]
    sim = diffsim.Sim(made)
    sim.select_params([diffsim.Param("joint_friction", joint)])
    q, v = made.neutral(), np.full(made.nv, 0.2)
    sim.step(q, v)
    slope = sim.jacobians().dv_dp[:, 0]
    ends = []
    for friction in (0.3 - 1e-4, 0.3 + 1e-4):
        sim.reset()
        sim.params = [friction]
        ends.append(sim.step(q, v)[1])
    assert np.abs((ends[1] - ends[0]) / 2e-4 - slope).max() < 1e-8 * np.abs(slope).max() and np.abs(slope).max() > 0
    # Without the block, and what a builder remembers goes with copies and pickles.
    builder.remove_geom("block")
    assert "block" not in builder.build().geom_names and "terrain" in builder.build().geom_names
    for again in (copy.copy(builder), copy.deepcopy(builder), pickle.loads(pickle.dumps(builder))):
        assert again.build().geom_names == builder.build().geom_names
    kept = pickle.loads(pickle.dumps(made))
    assert all(np.array_equal(a, b) for a, b in zip(run(made, 3), run(kept, 3)))
    builder.set_geom("terrain", friction=[0.4, 0.0, 0.0])
    assert builder.build().geom("terrain").friction.tolist() == [0.4, 0.0, 0.0]
    assert builder.build().geom("terrain").heights.shape == (2, 3)
    builder.set_body("left_thumb", inertia=diffsim.inertia_from_com(2.0, [0, 0, 0.1], [0.1, 0, 0.1, 0, 0, 0.1]))
    assert builder.build().body("left_thumb").mass == 2.0


def test_a_joint_bounds_the_sum_of_its_actuators(models, tmp_path):
    text = """<mujoco><worldbody><body><joint name="j" axis="0 1 0" actuatorfrcrange="-3 4"/>
      <joint name="k" axis="1 0 0" actuatorfrcrange="-1 1"/><geom size="0.1" pos="0.2 0 0"/></body></worldbody><actuator>
      <motor joint="j"/><position joint="j" kp="60"/><velocity joint="j" kv="3"/><motor joint="k"/></actuator></mujoco>"""
    model = diffsim.Model.from_string(text, "mjcf")
    # A single actuator has the bounds itself.
    assert model.joint("j").actuator_range == (-3, 4) and model.joint("k").actuator_range == (-np.inf, np.inf)
    assert model.actuator(3).force_range == (-1, 1)
    q, v, u = np.array([0.1, 0]), np.array([0.5, 0]), np.array([1.0, 0.3, 0.2, 2.0])

    def forces(of):
        sim = diffsim.Sim(of)
        return sim.generalized_forces(q, v, u, kinds="actuator"), sim.actuator_states(q, v, u).forces

    total, single = forces(model)
    assert total.force.tolist() == [4, 1] and not total.dforce_du.any() and not total.dforce_dq.any()
    np.testing.assert_allclose(single, [1, 12, -0.9, 1], atol=1e-12)
    model.save(tmp_path / "bounded.xml")
    saved = diffsim.Model.load(tmp_path / "bounded.xml")
    assert saved.joint("j").actuator_range == (-3, 4) and forces(saved)[0].force.tolist() == [4, 1]
    builder = diffsim.Builder(model)
    builder.set_joint("j", actuator_lower=-20, actuator_upper=20)
    assert abs(forces(builder.build())[0].force[0] - 12.1) < 1e-12
    full = diffsim.Model.from_string(text, "mjcf", actuation="full")
    assert diffsim.Sim(full).generalized_forces(q, v, np.array([9.0, 0]), kinds="actuator").force[0] == 9


def test_what_cannot_be_changed_is_named(models):
    arm = diffsim.Model.load(models / "arm7.urdf", base="free", actuation="full")
    builder = diffsim.Builder(arm)
    joint = arm.joint_names[1]
    wrong = (
        ("joint", lambda: builder.set_joint(joint + "x", damping=1.0), f"near it: '{joint}'"),
        ("joint", lambda: builder.set_joint(99, damping=1.0), "got 99"),
        ("dampng", lambda: builder.set_joint(joint, dampng=1.0), "near it: 'damping'"),
        ("kind", lambda: builder.set_joint(joint, kind="prismatic"), "kind must stay"),
        ("geom", lambda: builder.remove_geom("nose"), "no geom named 'nose'"),
        ("geom", lambda: builder.remove_geom(-1), "got -1"),
        ("body", lambda: builder.attach("nose", arm), "no body named 'nose'"),
        ("model", lambda: builder.attach(0, "arm.urdf"), "expected a diffsim.Model"),
        ("prefix", lambda: builder.attach(0, arm, 3), "expected a str"),
        ("placement", lambda: builder.attach(0, arm, "x_", np.zeros((4, 4))), "last row"),
        ("model", lambda: builder.attach(1, arm, "x_"), "fixed base"),
        ("body", lambda: builder.attach(0, arm), "taken twice"),
        ("model", lambda: diffsim.Builder("arm.urdf"), "expected a diffsim.Model"),
        ("columns", lambda: builder.add_geom(0, heights=[[0.0], [1.0]], size=[1, 1, 1]), "2 or more"),
        ("heights", lambda: builder.add_geom(0, heights=[0.0, 1.0], size=[1, 1, 1]), "expected shape"),
        ("body", lambda: builder.set_body(0, gravity_compensation=1.0), "stays as it is"),
    )
    before = builder.build()
    for _, call, said in wrong:
        with pytest.raises(diffsim.InvalidArgumentError, match=said):
            call()
    after = builder.build()
    assert after.body_names == before.body_names and all(np.array_equal(a, b) for a, b in zip(run(before, 2), run(after, 2)))


def test_linearization_is_the_jacobians(models):
    for name in ("quadruped.xml", "humanoid.xml", "cartpole.xml", "arm7.urdf"):
        model = diffsim.Model.load(models / name)
        sim, other = diffsim.Sim(model), diffsim.Sim(model)
        q, v = model.home(), np.linspace(-0.1, 0.1, model.nv)
        A, B = sim.linearize(q, v)
        other.step(q, v)
        J = other.jacobians()
        assert np.array_equal(A, np.block([[J.dq_dq, J.dq_dv], [J.dv_dq, J.dv_dv]]))
        assert np.array_equal(B, np.vstack([J.dq_du, J.dv_du]))
        assert sim.info() == other.info()


def test_a_robot_is_placed_on_the_ground(models):
    model = diffsim.Model.load(models / "quadruped.xml")
    q = model.keyframe(0)[0]
    rng = np.random.default_rng(3)
    for _ in range(20):
        turned = model.integrate(q, np.r_[rng.normal(size=3), rng.normal(size=3), 0.2 * rng.normal(size=12)])
        placed = model.place_on_ground(turned)
        assert np.array_equal(np.delete(placed, 2), np.delete(turned, 2))
        sim = diffsim.Sim(model)
        gaps = [sim.distance("floor", g, placed).distance for g in range(1, model.ngeom) if model.pair_enabled(0, g)]
        assert abs(min(gaps)) < 1e-9
    with pytest.raises(diffsim.InvalidArgumentError, match="free joint"):
        diffsim.Model.load(models / "arm7.urdf", ground_plane=True).place_on_ground(np.zeros(7))
    with pytest.raises(diffsim.InvalidArgumentError, match="ground_plane"):
        free = diffsim.Model.load(models / "arm7.urdf", base="free")
        free.place_on_ground(free.neutral())


def test_forces_on_feet_carry_the_weight(models):
    model = diffsim.Model.load(models / "quadruped.xml")
    sim, (q, v, u) = diffsim.Sim(model, time_step=0.002), model.keyframe(0)
    for _ in range(2000):
        q, v = sim.step(q, v, u)
    forces = sim.contact_forces()
    feet = ["FR_calf", "FL_calf", "RR_calf", "RL_calf"]
    weight = 9.81 * sum(body.mass for body in model.bodies)
    assert set(forces) == set(feet)
    assert abs(sum(f[2] for f in forces.values()) - weight) < 1e-3 * weight
    assert np.array_equal(sim.contact_forces(["RL_calf"])["RL_calf"], forces["RL_calf"])
    assert not sim.contact_forces(["trunk"])["trunk"].any()


def test_directions_that_no_input_reaches_are_named(models):
    model = diffsim.Model.load(models / "quadruped.xml")
    sim = diffsim.Sim(model, time_step=0.002)
    q, v, u = model.keyframe(0)
    for _ in range(500):
        q, v = sim.step(q, v, u)
    A, B = sim.linearize(q, v, u)
    lost = diffsim.uncontrollable(A, B, model)
    assert lost
    for one in lost:
        w = one.direction
        assert abs(np.linalg.norm(w) - 1) < 1e-9
        assert np.abs(w @ A - one.eigenvalue * w).max() < 1e-7 * np.abs(A).max() and np.abs(w @ B).max() < 1e-7 * np.abs(B).max()
        assert all("root" in n or "joint" in n for n in one.names)
    with pytest.raises(diffsim.NotConvergedError, match="no input reaches .* root"):
        diffsim.lqr(A, B, np.eye(36), np.eye(12), model=model)
    # An integrator chain is reached; with a mode of its own beside it, that is named.
    chain, by = np.array([[1.0, 0.1], [0.0, 1.0]]), np.array([[0.0], [0.1]])
    assert diffsim.uncontrollable(chain, by) == []
    diffsim.lqr(chain, by, np.eye(2), np.eye(1))
    alone = np.zeros((3, 3))
    alone[:2, :2], alone[2, 2] = chain, 1.2
    (one,) = diffsim.uncontrollable(alone, np.vstack([by, [[0.0]]]))
    assert one.names == ("x[2]",) and abs(one.eigenvalue - 1.2) < 1e-9
    alone[2, 2] = 0.8
    assert diffsim.uncontrollable(alone, np.vstack([by, [[0.0]]])) == []


def test_what_a_file_draws_is_shown_without_being_asked_for(models, tmp_path):
    robot = tmp_path / "robot.urdf"
    robot.write_text(
        '<robot name="r"><link name="l"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>'
        '<visual><geometry><box size="1 2 3"/></geometry></visual><collision><geometry><sphere radius="1"/></geometry></collision>'
        "</link></robot>"
    )
    model = diffsim.Model.load(robot)

    def drawn(recorder):
        recorder.state(0.0, model.neutral())
        return sum(shape.visual for shape in recorder.recording().shapes)

    assert drawn(diffsim.Recorder(model)) == 1 and drawn(diffsim.Recorder(model, visuals=robot)) == 1
    assert drawn(diffsim.Recorder(model, visuals=False)) == 0 and drawn(diffsim.Recorder(model, visuals=None)) == 0
    robot.unlink()
    assert drawn(diffsim.Recorder(model)) == 0


def test_an_obstacle_and_a_second_robot_stand_beside_an_arm(models):
    arm = diffsim.Model.load(models / "arm7.urdf", actuation="full", ground_plane=True)
    second = diffsim.Model.load(models / "quadruped.xml")
    builder = diffsim.Builder.from_model(arm)
    builder.attach("world", second, prefix="dog_", placement=moved(2, 0, 0))
    builder.attach("world", arm, prefix="twin_", placement=moved(0, 2, 0))
    builder.add_geom("world", name="step", kind="box", size=[0.5, 0.5, 0.02], placement=moved(2, 0, 0.02))
    made = builder.build()
    assert made.nv == 2 * arm.nv + second.nv and made.nu == made.nv
    q, v = made.neutral(), np.zeros(made.nv)
    q[made.joint(arm.njoint).q_index + 2] = 0.6
    sim = diffsim.Sim(made)
    for _ in range(400):
        q, v = sim.step(q, v)
    assert sim.info().converged and np.isfinite(np.r_[q, v]).all()
    # The twin moves as the arm does, and the dog fell on the step.
    own, twin = (made.joint(prefix + arm.joint_names[0]).v_index for prefix in ("", "twin_"))
    np.testing.assert_allclose(v[own : own + arm.nv], v[twin : twin + arm.nv], atol=1e-9)
    step = made.geom_id("step")
    assert any(step in (c["geom_a"], c["geom_b"]) for c in sim.contacts())


def test_a_hand_attached_to_an_arm_is_loaded_by_mujoco(models, tmp_path):
    mujoco = pytest.importorskip("mujoco")
    arm = diffsim.Model.load(models / "arm7.urdf", actuation="full")
    builder = diffsim.Builder(arm)
    for side, x in (("left_", 0.1), ("right_", -0.1)):
        builder.attach(arm.body_names[-1], diffsim.Model.from_string(HAND, "mjcf"), prefix=side, placement=moved(x, 0, 0))
    made = builder.build()
    path = tmp_path / "armed.xml"
    made.save(path)
    theirs = mujoco.MjModel.from_xml_path(str(path))
    names = [theirs.body(i).name for i in range(theirs.nbody)]
    assert names == list(made.body_names) and (theirs.nv, theirs.nu) == (made.nv, made.nu)
    bodies = [made.body(i) for i in range(made.nbody)]
    np.testing.assert_allclose(theirs.body_mass, [b.mass for b in bodies], rtol=1e-14)
    assert theirs.body_parentid[1:].tolist() == [b.parent for b in bodies[1:]]
    data, q = mujoco.MjData(theirs), made.integrate(made.neutral(), np.linspace(-0.5, 0.5, made.nv))
    data.qpos[:] = made.q_to_mujoco(q)
    mujoco.mj_forward(theirs, data)
    mass = np.zeros((made.nv, made.nv))
    mujoco.mj_fullM(theirs, data, mass)
    np.testing.assert_allclose(mass, diffsim.Sim(made).mass_matrix(q), atol=1e-12)
