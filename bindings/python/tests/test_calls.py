"""The calls that succeed: their shapes, and that they agree with each other."""

import sys

import numpy as np
import pytest

import diffsim
from diffsim._native import ffi, layout, records


@pytest.fixture(scope="module")
def model(models):
    return diffsim.Model.load(models / "quadruped.xml")


@pytest.fixture
def state(model):
    """A moving state, all feet in the air, and an input."""
    random = np.random.default_rng(1)
    q, _, u = model.keyframe("standing")
    dq = 0.3 * random.standard_normal(model.nv)
    dq[2] = 1.0
    return model.integrate(q, dq), random.standard_normal(model.nv), u


def test_what_a_model_is(model):
    assert (model.nq, model.nv, model.nu, model.nbody, model.njoint, model.ngeom) == (19, 18, 12, 14, 13, 18)
    trunk = model.bodies[model.body_id("trunk")]
    assert trunk.parent == 0 and trunk.inertia[0] == 5.2 and trunk.placement[2, 3] == 0.446
    hip = model.joints[model.joint_id("FR_hip_joint")]
    assert (hip.kind, hip.q_index, hip.v_index, hip.limits) == (diffsim.JointKind.REVOLUTE, 7, 6, (-0.863, 0.863))
    foot = model.geoms[model.geom_id("FR_foot")]
    assert foot.kind == diffsim.GeomKind.SPHERE and foot.size[0] == 0.02 and foot.friction[0] == 0.8
    assert foot.restitution == 0.0
    assert model.actuator_names[model.actuator_id("FR_thigh")] == "FR_thigh"
    assert model.keyframe_names == ("standing",) and model.warnings == ()
    assert model.gravity.tolist() == [0.0, 0.0, -9.81] and model.time_step == 0.002


def test_sites_and_gravity_compensation():
    builder = diffsim.Builder()
    arm = builder.add_body(0, "arm", inertia=diffsim.inertia_from_com(1.0, np.zeros(3), [0.1, 0, 0.1, 0, 0, 0.1]))
    builder.add_joint(arm)
    tip = np.eye(4)
    tip[0, 3] = 0.5
    assert builder.add_site(0) == 0 and builder.add_site(arm, "tip", tip) == 1
    builder.set_gravity_compensation(arm, 0.5)
    model = builder.build()
    assert model.nsite == 2 and model.site_id("tip") == 1 and [s.body for s in model.sites] == [0, 1]
    assert model.site(1).name == "tip" and model.bodies[1].gravity_compensation == 0.5
    np.testing.assert_array_equal(model.site(1).placement, tip)
    sim = diffsim.Sim(model)
    placements = sim.site_placements([np.pi / 2])
    np.testing.assert_allclose(placements[:3, 3, 1], [0, 0.5, 0], atol=1e-15)
    np.testing.assert_allclose(sim.site_jacobian([np.pi / 2], 1)[:, 0], [-0.5, 0, 0, 0, 0, 1], atol=1e-15)
    with pytest.raises(KeyError, match="site"):
        model.site_id("nobody")
    with pytest.raises(diffsim.InvalidArgumentError, match="site"):
        sim.site_jacobian([0.0], 2)


def test_configurations(model, state):
    q, v, _ = state
    q1 = model.integrate(q, v)
    np.testing.assert_allclose(model.difference(q, q1), v, atol=1e-12)
    np.testing.assert_allclose(model.q_from_mujoco(model.q_to_mujoco(q)), q)
    np.testing.assert_allclose(model.v_from_mujoco(q, model.v_to_mujoco(q, v)), v, atol=1e-12)
    assert model.integrate(q, v, out=q) is q and (q == q1).all()


def test_dynamics(model, state):
    q, v, _ = state
    sim = diffsim.Sim(model)
    tau = np.arange(18.0)
    a = sim.forward_dynamics(q, v, tau)
    np.testing.assert_allclose(sim.inverse_dynamics(q, v, a), tau, atol=1e-10)
    M = sim.mass_matrix(q)
    assert M.flags.f_contiguous
    kinetic, potential = sim.energy(q, v)
    assert potential > 0.0
    np.testing.assert_allclose(kinetic, v @ M @ v / 2)
    mass, com, J = sim.center_of_mass(q)
    momentum = sim.momentum(q, v)
    np.testing.assert_allclose(mass * J @ v, momentum[:3])
    np.testing.assert_allclose(sim.momentum(q, v, about=com)[3:], momentum[3:] - np.cross(com, momentum[:3]))
    da_dq, da_dv, da_dtau = sim.forward_dynamics_derivatives(q, v, tau)
    dtau_dq, dtau_dv = sim.inverse_dynamics_derivatives(q, v, a)
    np.testing.assert_allclose(M @ da_dtau, np.eye(18), atol=1e-9)
    np.testing.assert_allclose(M @ da_dq, -dtau_dq, atol=1e-8)
    np.testing.assert_allclose(M @ da_dv, -dtau_dv, atol=1e-8)
    found, same = sim.hybrid_dynamics(q, v, np.arange(18) % 2, tau, a)
    np.testing.assert_allclose(found, tau, atol=1e-9)
    np.testing.assert_allclose(same, a, atol=1e-9)
    trunk = model.body_id("trunk")
    placement = sim.forward_kinematics(q)[:, :, trunk]
    np.testing.assert_allclose(placement[:3, 3], q[:3])
    np.testing.assert_allclose((sim.body_jacobian(q, trunk) @ v)[:3], placement[:3, :3] @ v[:3])
    g, _ = sim.gravity_forces(q)
    np.testing.assert_allclose(sim.coriolis_matrix(q, v) @ v + g, sim.bias_forces(q, v), atol=1e-11)
    np.testing.assert_allclose(M @ sim.mass_matrix_inverse(q), np.eye(18), atol=1e-9)
    parameters = np.concatenate([body.inertia for body in model.bodies])
    # Without accelerations rotors need no force.
    Y = sim.inverse_dynamics_regressor(q, v, np.zeros(18))
    np.testing.assert_allclose(Y @ parameters, sim.bias_forces(q, v), atol=1e-9)
    wrench = np.array([[0.0, 1, 2, 3, 4, 5]]).T
    pushed = sim.inverse_dynamics_with_wrenches(q, v, a, [trunk], wrench)
    found = sim.forward_dynamics_with_wrenches(q, v, pushed, [trunk], wrench)
    np.testing.assert_allclose(found, a, atol=1e-8)
    A, (momentum, _) = sim.centroidal_map(q), sim.centroidal_momentum(q, v)
    np.testing.assert_allclose(A @ v, momentum, atol=1e-11)
    np.testing.assert_array_equal(sim.centroidal_derivatives(q, v, a)[3], A)
    np.testing.assert_allclose(sim.center_of_mass_motion(q, v, a)[0], com)
    u = np.linspace(-1.0, 1.0, model.nu)
    acts = sim.generalized_forces(q, v, u, "actuator")
    assert acts.dforce_dq.trace() < 0 and acts.gradient == diffsim.Gradient.EXACT
    both = sim.generalized_forces(q, v, u, ["actuator", diffsim.ForceKind.PASSIVE]).force
    passive = sim.generalized_forces(q, v, kinds=31)
    np.testing.assert_allclose(both, acts.force + passive.force)
    each = sim.actuator_states(q, v, u)
    np.testing.assert_allclose(np.sort(acts.force[6:]), np.sort(each.forces))
    np.testing.assert_allclose(each.dforces_dq.sum(), acts.dforce_dq.sum())
    assert sim.tendon_states(q, v).dtensions_dv.shape == (0, 18)
    with pytest.raises(diffsim.InvalidArgumentError, match="kinds"):
        sim.generalized_forces(q, v, u, 0)
    with pytest.raises(diffsim.InvalidArgumentError, match="bodies"):
        sim.inverse_dynamics_with_wrenches(q, v, a, [99], wrench)
    velocities, rates = sim.body_velocities(q, v), sim.body_accelerations(q, v, a)
    speed, _, by_v = sim.frame_velocity(q, v, trunk)
    rate, _, _, by_a = sim.frame_acceleration(q, v, a, trunk)
    J = sim.frame_jacobian(q, trunk)
    np.testing.assert_array_equal(J, by_v)
    np.testing.assert_array_equal(J, by_a)
    np.testing.assert_array_equal(J, sim.body_jacobians(q)[:, :, trunk])
    np.testing.assert_array_equal(speed, velocities[:, trunk])
    np.testing.assert_array_equal(rate, rates[:, trunk])
    np.testing.assert_allclose(J @ a + sim.frame_jacobian_rate(q, v, trunk) @ v, rate, atol=1e-12)
    own = diffsim.ReferenceFrame.LOCAL
    np.testing.assert_allclose(sim.frame_velocity(q, v, trunk, np.eye(4), own)[0], v[:6])
    assert sim.site_velocities(q, v).shape == sim.site_accelerations(q, v, a).shape == (6, 0)
    with pytest.raises(diffsim.InvalidArgumentError, match="placement"):
        sim.frame_jacobian(q, trunk, np.eye(3))


def test_a_step_and_its_derivatives(model):
    q, v, u = model.keyframe("standing")
    sim = diffsim.Sim(model, time_step=0.002)
    sim.select_params([diffsim.Param(diffsim.ParamKind.BODY_INERTIA, 1, 0)])
    assert sim.np == 1 and sim.params.tolist() == [5.2]
    q1, v1 = sim.step(q, v, u)
    v0 = v1.copy()
    info, contacts = sim.info(), sim.contacts()
    assert not sim.info().push_out_given_up and 1.0 <= sim.info().work < 50.0
    assert info.contacts == len(contacts) == 4 and info.converged and info.gradient == diffsim.Gradient.EXACT
    assert (contacts["impulse"][:, 2] > 0.0).all() and contacts["normal"].shape == (4, 3)
    J = sim.jacobians()
    d = [np.linspace(-1.0, 1.0, n) for n in (18, 18, 12, 1)]
    jvp = sim.jvp(*d)
    A = np.block([[J.dq_dq, J.dq_dv, J.dq_du, J.dq_dp], [J.dv_dq, J.dv_dv, J.dv_du, J.dv_dp]])
    np.testing.assert_allclose(A @ np.concatenate(d), np.concatenate(jvp), rtol=1e-9, atol=1e-9)
    bar = np.cos(np.arange(36.0))
    vjp = sim.vjp(bar[:18], bar[18:])
    np.testing.assert_allclose(A.T @ bar, np.concatenate(vjp), rtol=1e-9, atol=1e-9)
    impulses = sim.impulse_jacobians()
    variation, unique = sim.impulse_jvp(*d)
    assert impulses.u.shape == (12, 12) and unique == impulses.unique
    np.testing.assert_allclose(
        np.hstack(impulses[:4]) @ np.concatenate(d), variation.ravel(order="F"), rtol=1e-9, atol=1e-12
    )
    impulse_bar = np.sin(np.arange(12.0)).reshape(3, 4, order="F")
    gradients, unique = sim.impulse_vjp(impulse_bar)
    assert unique == impulses.unique
    np.testing.assert_allclose(
        np.hstack(impulses[:4]).T @ impulse_bar.ravel(order="F"), np.concatenate(gradients), rtol=1e-9, atol=1e-9
    )
    pattern = sim.jacobian_pattern()
    assert pattern.state_starts.tolist() == list(range(0, 18 * 19, 18)) and pattern.input_rows.size == 12 * 18
    sparse = sim.sparse_jacobians(pattern)
    assert sorted(sparse) == ["dq_dq", "dq_du", "dq_dv", "dv_dq", "dv_du", "dv_dv"]
    for name, values in sparse.items():
        assert (values == getattr(J, name).ravel(order="F")).all()
    assert (sim.sparse_jacobians(pattern, ["dv_dp"])["dv_dp"] == J.dv_dp).all()
    with pytest.raises(diffsim.InvalidArgumentError, match="entries->pattern"):
        sim.sparse_jacobians(pattern._replace(number=7))
    with pytest.raises(diffsim.InvalidArgumentError, match="dv_dx"):
        sim.sparse_jacobians(pattern, ["dv_dx"])
    again = sim.jacobians(out=sim.new_jacobians(["dv_du"]))
    assert again.dq_dq is None and (again.dv_du == J.dv_du).all()

    memory = sim.memory
    q2, v2 = sim.step(q1, v1, u)
    sim.memory = memory
    out = (q1, v1)
    assert sim.step(q1, v1, u, out=out)[0] is q1
    assert (q1 == q2).all() and (v1 == v2).all()
    sim.set_external_wrench(1, [0.0, 0.0, 30.0, 0.0, 0.0, 0.0])
    _, lifted = sim.step(q, v, u)
    sim.params = [6.0]
    assert sim.params.tolist() == [6.0]
    sim.reset()
    _, heavy = sim.step(q, v, u)
    assert lifted[2] > v0[2] and heavy[2] < lifted[2]


def test_compliant_contact():
    text = """<mujoco><worldbody><geom name="ground" type="plane" size="0 0 1"/><body pos="0 0 0.1"><freejoint/>
              <geom name="ball" type="sphere" size="0.1" mass="2"/></body></worldbody></mujoco>"""
    model = diffsim.Model.from_string(text, diffsim.Format.MJCF)
    convex = {"contact": diffsim.ContactLaw.CONVEX}
    sim = diffsim.Sim(model, time_step=0.002, **convex)
    kinds = diffsim.ParamKind.CONTACT_STIFFNESS, diffsim.ParamKind.CONTACT_DISSIPATION
    sim.select_params([diffsim.Param(kind, model.geom_id("ball"), 0) for kind in kinds])
    assert sim.params.tolist() == [np.inf, 0.01]
    q, v = model.neutral(), np.zeros(6)
    sim.params = [5000.0, 0.03]
    for _ in range(1000):
        q, v = sim.step(q, v, [])
    np.testing.assert_allclose(q[2], 0.1 - 2.0 * 9.81 / 5000.0, rtol=1e-6)

    # The ball's speed after a fall by its material, against differences.
    v[2] = -0.5
    memory = sim.memory

    def after(p):
        sim.params, sim.memory = p, memory
        return sim.step(q, v, [])[1]

    p = np.array([5000.0, 0.03])
    after(p)
    assert sim.info().gradient == diffsim.Gradient.EXACT
    exact = sim.jacobians().dv_dp
    for k in range(2):
        d = np.zeros(2)
        d[k] = 1e-4 * p[k]
        np.testing.assert_allclose(exact[:, k], (after(p + d) - after(p - d)) / (2 * d[k]), rtol=1e-6, atol=1e-9)
    assert (exact[2] > 0.0).all()

    with pytest.raises(diffsim.InvalidArgumentError, match="kd"):
        diffsim.Sim(model, kd=0.1, **convex)
    with pytest.raises(diffsim.InvalidArgumentError, match=r"p\[0\]"):
        sim.params = [0.0, 0.03]
    with pytest.raises(diffsim.UnsupportedError, match='"contact_stiffness"'):
        diffsim.Sim(model).select_params([diffsim.Param(kinds[0], 0, 0)])


def test_contacts_of_a_newer_library_may_be_longer():
    size = ffi.sizeof("ds_contact")
    memory = ffi.new("char[]", 3 * (size + 8))
    for i in range(3):
        ffi.cast("ds_contact *", memory + i * (size + 8)).gap = i
    contacts = records(memory, 3, layout("ds_contact", size + 8))
    assert contacts["gap"].tolist() == [0.0, 1.0, 2.0]


def test_geometry(model):
    q, _, _ = model.keyframe("standing")
    q[2] -= 0.01
    sim = diffsim.Sim(model)
    contacts = sim.collide(q)
    np.testing.assert_allclose(contacts["gap"], -0.01, atol=1e-12)
    moves = sim.contact_derivatives()
    assert moves.point.shape == (3, 18, 4) and moves.gradient == diffsim.Gradient.EXACT
    np.testing.assert_allclose(moves.gap[2], 1.0)
    floor, foot = model.geom_id("floor"), model.geom_id("FR_foot")
    distance = sim.distance(floor, foot, q)
    np.testing.assert_allclose([distance.distance, *distance.normal], [-0.01, 0.0, 0.0, 1.0], atol=1e-12)
    np.testing.assert_allclose(distance.derivative[2], 1.0)
    mean = sim.smoothed_distance(floor, foot, q, pairs=16, width_angular=0.001)
    np.testing.assert_allclose(mean.distance, -0.01, atol=1e-3)
    np.testing.assert_allclose(mean.derivative[2], 1.0, atol=1e-2)
    assert mean.point_derivative.shape == mean.normal_derivative.shape == (3, 18)
    assert len(set(contacts["feature"])) > 0 and (sim.collide(q)["feature"] == contacts["feature"]).all()
    without = model.with_pairs([(foot, floor)], False)
    assert model.pair_enabled(floor, foot) and not without.pair_enabled(floor, foot)
    assert len(diffsim.Sim(without).collide(q)) == 3
    assert without.exclude_overlapping().warnings == without.exclude_overlapping(q).warnings == model.warnings
    with pytest.raises(diffsim.InvalidArgumentError, match="geom_b"):
        model.pair_enabled(floor, 99)
    with pytest.raises(diffsim.InvalidArgumentError, match="two geom ids or names"):
        model.with_pairs([(1, 2, 3)], False)
    sim.set_pair_enabled(floor, foot, False)
    assert len(sim.collide(q)) == 3
    with pytest.raises(diffsim.InvalidArgumentError, match="different"):
        sim.distance(foot, foot, q)


def test_smoothing(model):
    q, v, u = model.keyframe("standing")
    sim = diffsim.Sim(model)
    with pytest.raises(diffsim.NoStepError):
        sim.smoothed_jacobians(diffsim.SmoothingMethod.FIRST_ORDER)
    sim.step(q, v, u)
    J, info = sim.smoothed_jacobians(diffsim.SmoothingMethod.FIRST_ORDER, ["dv_du"], pairs=4, seed=2)
    assert info == (diffsim.Gradient.SMOOTHED, 4, 0) and J.dq_dq is None and np.isfinite(J.dv_du).all()
    soft, _ = sim.smoothed_jacobians(diffsim.SmoothingMethod.CENTRAL_PATH, ["dv_du"], kappa=1e-5)
    assert not np.allclose(soft.dv_du, J.dv_du)
    assert np.isfinite(sim.relaxed_step(kappa=1e-5)[1]).all()


def test_rollouts_of_a_batch(model):
    q0, v0, u0 = model.keyframe("standing")
    steps, count = 12, 4
    mass = diffsim.Param("body_inertia", "trunk")
    u = np.asfortranarray(u0[:, None, None] + 0.05 * np.sin(np.arange(12.0 * steps * count).reshape(12, steps, count)))
    qs, vs = np.repeat(q0[:, None], count, 1), 0.1 * np.sin(np.arange(18.0 * count).reshape(18, count))
    bars = np.cos(np.arange(18.0 * (steps + 1) * count)).reshape(18, steps + 1, count)
    batch = diffsim.Batch(model, count, 2)
    batch.select_params([mass])
    for i in range(count):
        batch.set_params(i, [5.0 + i])
    batch.reserve(steps)
    Q, V = batch.rollout(qs, vs, u)
    gradients = batch.rollout_adjoint(bars, bars)
    labels = batch.rollout_gradient()
    assert labels.shape == (steps, count) and set(labels.ravel()) <= {0, 1}
    rollout = diffsim.Rollout(model, steps)
    rollout.select_params([mass])
    for i in range(count):
        rollout.params = [5.0 + i]
        q, v = rollout.run(qs[:, i], vs[:, i], u[:, :, i])
        assert (q == Q[:, :, i]).all() and (v == V[:, :, i]).all()
        for one, all_ in zip(rollout.adjoint(bars[:, :, i], bars[:, :, i]), gradients):
            assert (one == all_[..., i]).all()
    # One that fails: its trajectory is NaN, and the others are the same.
    u[3, 5, 2] = np.nan
    each = np.zeros(count, np.int32)
    with pytest.raises(diffsim.NumericalError, match=r"element 2: step 5: u\[3\]"):
        batch.rollout(qs, vs, u)
    q, v = batch.rollout(qs, vs, u, each=each)
    assert each.tolist() == [0, 0, diffsim.Status.NUMERICAL, 0]
    assert np.isnan(q[:, :, 2]).all() and (q[:, :, [0, 1, 3]] == Q[:, :, [0, 1, 3]]).all()
    some = batch.rollout_adjoint(bars, bars, each=each)
    assert each.tolist() == [0, 0, diffsim.Status.NO_STEP, 0]
    assert np.isnan(some.u[:, :, 2]).all() and (some.u[:, :, 3] == gradients.u[:, :, 3]).all()
    assert (batch.rollout_gradient()[:, 2] == diffsim.Gradient.REFUSED).all()
    # Without inputs, into given arrays, and wrong calls.
    out = np.zeros((19, 4, count), order="F"), np.zeros((18, 4, count), order="F")
    assert batch.rollout(qs, vs, steps=3, out=out)[0] is out[0] and out[0].any()
    for wrong, culprit in (
        (lambda: batch.rollout(qs, vs), "steps"),
        (lambda: batch.rollout(qs, vs, steps=0), "steps"),
        (lambda: batch.rollout(qs, vs, u[:, :, :2]), "u: expected shape"),
        (lambda: batch.rollout(qs, vs, u[:, 0]), "u: expected shape"),
        (lambda: batch.rollout(qs[:, :2], vs, u), "q0"),
        (lambda: batch.rollout_adjoint(bars, bars), "q_bar"),
        (lambda: batch.reserve(-1), "steps"),
    ):
        with pytest.raises(ValueError, match=culprit):
            wrong()
    batch.reset()
    with pytest.raises(diffsim.NoStepError):
        batch.rollout_adjoint(bars, bars)
    with pytest.raises(diffsim.NoStepError):
        batch.rollout_gradient()


def test_episodes_of_a_batch():
    leg = diffsim.Model.from_string(
        """<mujoco><option timestep="0.002"/><worldbody><geom type="plane" size="1 1 1"/><body name="ball" pos="0 0 0.3"><freejoint/>
        <geom size="0.1" mass="1"/><site name="middle"/><body pos="0 0 0.1"><joint name="j" axis="0 1 0"/>
        <geom size="0.02" pos="0 0 0.1" mass="0.1"/></body></body></worldbody>
        <actuator><general joint="j" dyntype="filter" dynprm="0.05"/></actuator>
        <sensor><framepos objtype="site" objname="middle"/><gyro site="middle"/><jointpos joint="j"/></sensor></mujoco>""",
        "mjcf",
    )
    count, steps = 4, 12
    q0, v0 = np.repeat(leg.home()[:, None], count, 1), np.zeros((leg.nv, count))
    v0[2] = [-0.5, -1.0, -2.0, 0.0]
    u, act0 = np.full((1, steps, count), 0.3), np.full((1, count), 0.1)
    lower = np.full(leg.nq + leg.nv, -np.inf)
    lower[2] = 0.27
    batch = diffsim.Batch(leg, count, 2)
    batch.select_params([diffsim.Param("joint_damping", "j")])
    p = np.array([[0.1, 0.2, 0.3, 0.4]])
    given = {"u": u, "act0": act0, "p": p, "lengths": [steps, steps, steps, 3], "lower": lower}
    run = batch.run_episodes(q0, v0, **given)
    assert run.steps.tolist()[::3] == [steps, 3] and 0 < run.steps[2] < run.steps[1] <= steps
    assert run.q.shape == (leg.nq, steps + 1, count) and run.sensors.shape == (7, steps + 1, count)
    assert (run.labels == 0).all() and (batch.get_params(2) == p[:, 2]).all()
    sim = diffsim.Sim(leg)
    for i, n in enumerate(run.steps):
        # The readings are those at the states; after the end both repeat.
        for k in range(steps + 1):
            assert (run.sensors[:, k, i] == sim.sensors(run.q[:, k, i], run.v[:, k, i], u[:, 0, 0])).all()
            assert k <= n or (run.q[:, k, i] == run.q[:, n, i]).all()
        assert (run.q[2, : n, i] >= 0.27).all()

    def value(q0, v0, u, act0, p):
        path = batch.run_episodes(q0, v0, **{**given, "u": u, "act0": act0, "p": p})
        return np.sum(np.sin(path.sensors)) + np.sum(path.v**2) + np.sum(np.cos(path.act)), path

    _, path = value(q0, v0, u, act0, p)
    each = np.zeros(count, np.int32)
    bars = batch.episodes_adjoint(
        v_bar=2.0 * path.v, act_bar=-np.sin(path.act), sensors_bar=np.cos(path.sensors), each=each
    )
    assert (each == 0).all() and bars.u.shape == u.shape and (bars.u[:, 3:, 3] == 0.0).all()
    assert (batch.rollout_gradient() == 0).all()
    random = np.random.default_rng(2)
    for name, x, bar in (("v0", v0, bars.v), ("u", u, bars.u), ("act0", act0, bars.act), ("p", p, bars.p)):
        along, e, arguments = random.normal(size=x.shape), 1e-6, {"q0": q0, "v0": v0, "u": u, "act0": act0, "p": p}
        up, down = (value(**{**arguments, name: x + s * along})[0] for s in (e, -e))
        assert abs(np.vdot(bar, along) - (up - down) / (2 * e)) < 1e-6 * max(1.0, abs(np.vdot(bar, along))), name
    # One fails and the others go on.
    bad = u.copy()
    bad[0, 5, 1] = np.nan
    with pytest.raises(diffsim.NumericalError, match="element 1: step 5: "):
        batch.run_episodes(q0, v0, bad)
    run = batch.run_episodes(q0, v0, bad, each=each)
    assert each.tolist() == [0, diffsim.NumericalError.status, 0, 0] and run.steps.tolist() == [steps, 5, steps, steps]
    assert run.labels[5, 1] == diffsim.Gradient.REFUSED and np.isfinite(run.q).all()
    for wrong, message in (
        ({"lengths": [1, 2, 3]}, "lengths: expected 4 numbers of 0 to 12"),
        ({"lengths": [13] * 4}, "lengths"),
        ({"lower": np.zeros(3)}, "lower: expected shape"),
        ({"p": np.zeros((2, 4))}, "p: expected shape"),
        ({"upper": np.full(15, np.nan)}, r"upper\[0\]: must be a number"),
    ):
        with pytest.raises(ValueError, match=message):
            batch.run_episodes(q0, v0, u, **wrong)
    with pytest.raises(TypeError, match="u: expected an array of float64, got float32"):
        batch.run_episodes(q0, v0, u.astype(np.float32))
    with pytest.raises(ValueError, match="sensors_bar: expected shape"):
        batch.episodes_adjoint(sensors_bar=np.zeros((7, 3, 4)))
    batch.reset()
    with pytest.raises(diffsim.NoStepError):
        batch.episodes_adjoint()


def test_rollout_and_batch_repeat_steps(model):
    q0, v0, u0 = model.keyframe("standing")
    steps = 20
    u = u0[:, None] + 0.05 * np.sin(np.arange(12.0)[:, None] + np.arange(steps))
    sim = diffsim.Sim(model)
    batch = diffsim.Batch(model, 2, 2)
    rollout = diffsim.Rollout(model, steps)
    Q, V = rollout.run(q0, v0, u)
    q, v = q0, v0
    qs, vs = np.array([q0, q0]).T, np.array([v0, v0]).T
    bar = (np.ones(18), np.zeros(18))
    for t in range(steps):
        q, v = sim.step(q, v, u[:, t])
        qs, vs = batch.step(qs, vs, np.repeat(u[:, t : t + 1], 2, axis=1))
        assert (q == Q[:, t + 1]).all() and (v == V[:, t + 1]).all()
        assert (qs[:, 1] == q).all() and (vs[:, 0] == v).all()
    assert (batch.jacobians(["dv_du"]).dv_du[:, :, 1] == sim.jacobians(["dv_du"]).dv_du).all()
    assert (batch.vjp(*(np.array([b, b]).T for b in bar)).q[:, 0] == sim.vjp(*bar).q).all()
    assert batch.info(1) == sim.info()

    # The gradient of the trunk's last height by the inputs, against a difference.
    q_bar, v_bar = np.zeros((18, steps + 1)), np.zeros((18, steps + 1))
    q_bar[2, -1] = 1.0
    rollout.select_params([diffsim.Param(diffsim.ParamKind.BODY_INERTIA, 1, 0)])
    rollout.run(q0, v0, u)
    gradient = rollout.adjoint(q_bar, v_bar)
    assert gradient.p.shape == (1,) and rollout.gradient() == diffsim.Gradient.EXACT
    d, e = np.zeros_like(u), 1e-4
    d[4, 7] = e
    high, low = (rollout.run(q0, v0, u + s)[0] for s in (d, -d))
    # The trunk is level to first order, so that its own z axis is the world's.
    slope = model.difference(low[:, -1], high[:, -1])[2] / (2 * e)
    np.testing.assert_allclose(gradient.u[4, 7], slope, rtol=1e-3, atol=1e-9)


BALL = """<mujoco><worldbody><geom type="plane" size="1 1 1"/>
  <body pos="0 0 0.1"><joint name="z" type="slide" axis="0 0 1"/><geom size="0.1" mass="2"/></body></worldbody>
  <actuator><motor joint="z"/></actuator></mujoco>"""


ARMS = """<mujoco><compiler angle="radian"/><option gravity="0 0 0"/><worldbody>
  <body><joint name="a" limited="true" range="0 1" frictionloss="1"/><geom size="0.1" pos="0.3 0 0"/></body>
  <body pos="2 0 0"><joint name="b" frictionloss="1"/><geom size="0.1" pos="0.3 0 0"/></body></worldbody>
  <actuator><motor joint="a"/><motor joint="b"/></actuator></mujoco>"""


def test_labels_of_columns():
    sim = diffsim.Sim(diffsim.Model.from_string(ARMS, diffsim.Format.MJCF))
    with pytest.raises(diffsim.NoStepError):
        sim.column_labels()
    for push, held in ((-0.5, True), (-2.0, False)):
        sim.step([0.0, 0.0], [0.0, 0.0], [push, 3.0])
        labels = sim.column_labels()
        assert labels.q.tolist() == [held, False] and labels.p.size == 0
        assert not labels.v.any() and not labels.u.any()
        assert (sim.info().gradient is diffsim.Gradient.ONE_SIDED) == held


FLAT = """<mujoco><option gravity="0 0 {g}"/><worldbody>
<body name="crank"><joint axis="0 1 0"/><geom size="0.02" mass="0.2" pos="0.1 0 0"/>
<body name="coupler" pos="0.2 0 0"><joint axis="0 1 0"/><geom size="0.02" mass="0.4" pos="0.2 0 0"/></body></body>
<body name="rocker" pos="0.4 0 0"><joint axis="0 1 0"/><geom size="0.02" mass="0.2" pos="0.1 0 0"/></body></worldbody>
<contact><exclude body1="crank" body2="rocker"/><exclude body1="coupler" body2="rocker"/></contact>
<equality><connect body1="coupler" body2="rocker" anchor="0.4 0 0"/></equality></mujoco>"""


def test_labels_of_a_loop_at_its_singular_pose():
    # All bars of a parallelogram lie on one line: a row of the pin holds nothing there, and one motion more
    # beside it.
    for gravity in (0.0, -9.81):
        model = diffsim.Model.from_string(FLAT.format(g=gravity), "mjcf", self_collision=False)
        sim = diffsim.Sim(model, contact="ncp", time_step=1e-3)
        for bend, is_flat in ((0.0, True), (0.4, False)):
            q, v = np.array([bend, -bend, bend]), np.zeros(3)
            _, v_next = sim.step(q, v)
            j, labels = sim.jacobians(), sim.column_labels()
            assert (sim.info().gradient is diffsim.Gradient.ONE_SIDED) == is_flat
            assert labels.q.tolist() == [is_flat] * 3 and not labels.v.any()
            # Along a displacement and a velocity together.
            dq, dv = 1e-5 * np.array([1.0, 0.5, -0.3]), 1e-5 * np.array([0.4, -1.0, 0.2])
            ends = [sim.step(q + x * dq, v + x * dv)[1] for x in (1, -1)]
            expected = j.dv_dq @ dq + j.dv_dv @ dv
            error = np.abs((ends[0] - ends[1]) / 2 - expected).max() / np.abs(expected).max()
            assert error > 0.01 if is_flat else error < 1e-5, error


def test_a_gradient_that_sees_beyond_a_contact():
    model = diffsim.Model.from_string(BALL, diffsim.Format.MJCF)
    sim = diffsim.Sim(model, time_step=1e-3)
    sim.step([0.0], [0.0], [0.0])
    assert sim.vjp([0.0], [-1.0]).u == 0.0
    with pytest.raises(diffsim.NoStepError):
        sim.aware_contacts()
    gradient, other = sim.vjp_aware([0.0], [-1.0])
    assert gradient.u == pytest.approx(-0.0005) and (other, sim.aware_contacts()) == (True, 1)
    gradient, other = sim.vjp_aware([0.0], [1.0])
    assert gradient.u == 0.0 and (other, sim.aware_contacts()) == (False, 0)
    for aware in (0, 1):
        rollout = diffsim.Rollout(model, 4, time_step=1e-3, aware_gradient=aware)
        rollout.run([0.0], [0.0], np.zeros((1, 4)))
        q_bar = np.array([[0.0, 0.0, 0.0, 0.0, -1.0]])
        gradient = rollout.adjoint(q_bar, np.zeros((1, 5)))
        np.testing.assert_allclose(gradient.u, aware * -5e-7 * np.array([[4.0, 3.0, 2.0, 1.0]]), rtol=1e-9)
        assert rollout.aware_report() == (4 * aware, 4 * aware)


def test_a_model_made_in_code():
    builder = diffsim.Builder()
    builder.set_gravity([0.0, 0.0, -10.0])
    rod = builder.add_body(
        name="rod", inertia=diffsim.inertia_from_com(2.0, [0.0, 0.0, -0.5], [0.1, 0, 0.1, 0, 0, 0.1])
    )
    builder.add_joint(rod, name="hinge", axis=[0.0, 1.0, 0.0], damping=0.1)
    corners = np.array([[x, y, z] for x in (-1.0, 1.0) for y in (-1.0, 1.0) for z in (-1.0, 1.0)]).T
    triangles = np.array([[0, 1, 3], [0, 3, 2], [4, 6, 7], [4, 7, 5], [0, 4, 5], [0, 5, 1],
                          [2, 3, 7], [2, 7, 6], [0, 2, 6], [0, 6, 4], [1, 5, 7], [1, 7, 3]]).T  # fmt: skip
    builder.add_geom(rod, kind=diffsim.GeomKind.MESH, name="box", vertices=0.1 * corners, triangles=triangles)
    builder.add_geom(rod, kind=diffsim.GeomKind.SPHERE, size=[0.1, 0.0, 0.0], placement=np.eye(4))
    builder.add_actuator("hinge", name="motor", gear=[2.0, 0.0, 0.0, 0.0, 0.0, 0.0])
    with builder.build() as model:
        assert (model.nq, model.nu, model.ngeom) == (1, 1, 2)
        q, v = diffsim.Sim(model, time_step=0.01).step([0.0], [0.0], [1.0])
        np.testing.assert_allclose(v, 0.01 * 2.0 / (0.6 + 0.01 * 0.1), rtol=1e-12)
    builder.add_equality(diffsim.EqualityKind.WELD, body1=0, body2=rod, relative=np.eye(4))
    assert diffsim.Sim(builder.build()).step([0.0], [0.0], [1.0])[1] == pytest.approx(0.0, abs=1e-12)
    builder.set_actuation(diffsim.Actuation.FULL)
    assert builder.build().nu == 1


def test_inputs_of_a_urdf(models):
    options = dict(base=diffsim.Base.FREE, actuation=diffsim.Actuation.JOINTS)
    model = diffsim.Model.load(models / "arm7.urdf", **options)
    assert (model.nv, model.nu) == (13, 7)
    servos = [dict(joint=name, name=f"servo of {name}", kp=20.0, kd=1.0, force_upper=3.0) for name in model.actuator_names]
    driven = model.with_actuators(servos)
    assert (driven.nu, model.nu) == (14, 7) and driven.actuator_id(servos[0]["name"]) == 7
    with pytest.raises(diffsim.InvalidArgumentError, match="no joint is called"):
        model.with_actuators([dict(joint="tail")])
    with pytest.raises(diffsim.InvalidArgumentError, match="kp"):
        model.with_actuators([dict(joint="joint1", kp=-1.0)])
    with pytest.raises(TypeError, match="gears"):
        model.with_actuators([dict(joint="joint1", gears=1.0)])
    limited = diffsim.Model.load(models / "arm7.urdf", effort_limits=1, **options)
    q, v, h = model.neutral(), np.zeros(13), 1e-3
    effort = np.array([j.effort for j in model.joints if j.nv == 1])
    far = [diffsim.Sim(m, time_step=h).step(q, v, u) for m, u in ((limited, 9.0 * effort), (model, effort))]
    np.testing.assert_array_equal(far[0][1], far[1][1])
    speed = np.array([j.velocity for j in model.joints if j.nv == 1])
    held = diffsim.Sim(model, time_step=0.1, velocity_limits=1).step(q, v, 99.0 * effort)[1]
    free = diffsim.Sim(model, time_step=0.1).step(q, v, 99.0 * effort)[1]
    assert (np.abs(held[6:]) <= speed + 1e-9).all() and (np.abs(free[6:]) > speed).any()


def test_what_a_file_draws(tmp_path):
    path = tmp_path / "r.urdf"
    mesh = '<visual name="m"><geometry><mesh filename="m.obj" scale="2 1 1"/></geometry></visual>'
    path.write_text(f"<robot name='r'><link name='a'>{mesh}{mesh.replace('m.obj', 'lost.obj')}</link></robot>")
    (tmp_path / "m.obj").write_text("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n")
    found = diffsim.Model.load(path).visuals(path)
    (shape,) = found.shapes
    assert (found.left_out, len(found.warnings)) == (1, 1) and "lost.obj" in found.warnings[0]
    assert (shape.name, shape.kind, shape.body) == ("m", diffsim.GeomKind.MESH, 1) and shape.file.endswith("m.obj")
    assert shape.vertices.shape == (3, 3) and shape.vertices[0].max() == 2.0 and shape.triangles.shape == (3, 1)
    assert np.isnan(shape.rgba).all() and (shape.placement == np.eye(4)).all()


def test_springs_and_tendons():
    builder = diffsim.Builder()
    arm = builder.add_body(name="arm", inertia=diffsim.inertia_from_com(1.0, [0.0] * 3, [0.1, 0, 0.1, 0, 0, 0.1]))
    builder.add_joint(arm, name="hinge")
    builder.add_tendon(joints={"hinge": 0.5}, name="winch", stiffness=2.0, rest_lower=0.0, rest_upper=0.0)
    builder.add_tendon(bodies=[0, arm], anchors=np.array([[2.0, 1.0], [0.0, 0.0], [0.0, 0.0]]), name="cable", pull_only=1)
    builder.add_spring(body1=0, body2=arm, anchor2=[1.0, 0.0, 0.0], stiffness=3.0)
    builder.add_actuator(tendon="winch", name="motor", gear=[4.0, 0.0, 0.0, 0.0, 0.0, 0.0])
    model = builder.build()
    assert model.ntendon == 2 and model.tendon_id("cable") == 1 and model.tendon_names == ("winch", "cable")
    q, step = np.array([0.4]), 1e-6
    with diffsim.Sim(model, contact=diffsim.ContactLaw.NONE) as sim:
        lengths, moments = sim.tendon_lengths(q)
        np.testing.assert_allclose(lengths, [0.2, np.hypot(2.0 - np.cos(0.4), np.sin(0.4))], rtol=1e-15)
        slope = (sim.tendon_lengths(q + step)[0] - sim.tendon_lengths(q - step)[0]) / (2.0 * step)
        np.testing.assert_allclose(moments, [slope], rtol=1e-8)
        # To the inertia about the hinge, 0.1, the spring adds h² 3 and the tendon h² 2/4; the moment is 0.5,
        # the gear 4.
        (_, idle), (_, driven) = (sim.step(q, np.zeros(1), [u]) for u in (0.0, 0.7))
        h = 1e-3
        np.testing.assert_allclose(driven - idle, h * 0.7 * 0.5 * 4.0 / (0.1 + h * h * 3.5), rtol=1e-12)
    # Around a cylinder along the hinge's axis, whose side point asks for the longer way, and half of it over
    # a pulley.
    kinds = diffsim.PathKind
    wrap = dict(
        bodies=[0, 0, arm, 0, 0, arm],
        stations=[kinds.POINT, kinds.CYLINDER, kinds.POINT, kinds.PULLEY, kinds.POINT, kinds.POINT],
        anchors=np.array([[-2.0, 0, 2.0, 0, -2.0, 2.0], np.zeros(6), np.zeros(6)]),
        sizes=[0, 1.0, 0, 2.0, 0, 0], axes=np.tile([[0.0], [0.0], [3.0]], 6),
        side_bodies=[None, 0, None, None, None, None], sides=np.tile([[0.0], [-1.5], [0.0]], 6),
    )
    builder.add_tendon(name="wrap", **wrap)
    with diffsim.Sim(builder.build(), contact=diffsim.ContactLaw.NONE) as sim:
        lengths, moments = sim.tendon_lengths([0.3])
        longer = 2.0 * np.sqrt(3.0) + np.pi / 3.0 + 0.3
        np.testing.assert_allclose(lengths[2], longer + 2.0 * np.cos(0.15), rtol=1e-14)
        np.testing.assert_allclose(moments[0, 2], 1.0 - np.sin(0.15), rtol=1e-14)
    with pytest.raises(diffsim.InvalidArgumentError, match="radius"):
        builder.add_tendon(**{**wrap, "sizes": [0, -1.0, 0, 2.0, 0, 0]})
    with pytest.raises(diffsim.InvalidArgumentError, match="stations: expected 6 entries, got 2"):
        builder.add_tendon(**{**wrap, "stations": ["point", "sphere"]})
    builder.add_equality(diffsim.EqualityKind.TENDON, tendon1="winch", coefficients=[0.1, 0.0, 0.0, 0.0, 0.0])
    with diffsim.Sim(builder.build()) as sim:
        held, velocity = np.zeros(1), np.zeros(1)
        for _ in range(300):
            held, velocity = sim.step(held, velocity, [0.0])
        assert held[0] == pytest.approx(0.2, abs=1e-6)
    with pytest.raises(diffsim.InvalidArgumentError, match="rope"):
        builder.add_equality(diffsim.EqualityKind.TENDON, tendon1="rope")
    with pytest.raises(diffsim.InvalidArgumentError, match="joint or tendon"):
        builder.add_actuator("hinge", tendon="winch")
    with pytest.raises(KeyError, match="tendon"):
        model.tendon_id("rope")
    with pytest.raises(diffsim.InvalidArgumentError, match="cable"):
        builder.add_tendon(bodies=[0, arm], anchors=np.zeros((3, 2)), name="cable")
    with pytest.raises(diffsim.InvalidArgumentError, match="joints or bodies"):
        builder.add_tendon(name="rope")
    with pytest.raises(diffsim.InvalidArgumentError, match="stiffness"):
        builder.add_spring(stiffness=-1.0)


def test_impacts_rebound():
    builder = diffsim.Builder()
    builder.add_geom(0, kind=diffsim.GeomKind.PLANE)
    ball = builder.add_body(name="ball", inertia=diffsim.inertia_from_com(0.5, [0.0] * 3, [2e-3, 0, 2e-3, 0, 0, 2e-3]))
    builder.add_joint(ball, kind=diffsim.JointKind.FREE)
    builder.add_geom(ball, name="ball", size=[0.1, 0.0, 0.0], restitution=0.6)
    with builder.build() as model:
        geom = model.geom_id("ball")
        assert model.geoms[geom].restitution == 0.6
        sim = diffsim.Sim(model, time_step=1e-3, restitution_threshold=0.05)
        sim.select_params([diffsim.Param(diffsim.ParamKind.GEOM_RESTITUTION, geom, 0)])
        start = np.array([0.0, 0.0, 0.1005, 0.0, 0.0, 0.0, 1.0])
        _, v = sim.step(start, [0.0, 0.0, -2.0, 0.0, 0.0, 0.0])
        assert v[2] == pytest.approx(1.2) and sim.info().impacts == 1
        j = sim.jacobians()
        assert (j.dq_dq[2, 2], j.dv_dp[2, 0]) == (pytest.approx(-0.6), pytest.approx(2.0))
        # Too slow to rebound.
        _, v = sim.step(start - [0, 0, 5e-4, 0, 0, 0, 0], [0.0, 0.0, -0.04, 0.0, 0.0, 0.0])
        assert v[2] == pytest.approx(0.0, abs=1e-9) and sim.info().impacts == 0


def test_memory_goes_with_its_object(models):
    model = diffsim.Model.load(models / "quadruped.xml")
    count = sys.getrefcount(model)
    for _ in range(200):
        diffsim.Sim(model)
    assert sys.getrefcount(model) == count


def test_models_are_saved(models, tmp_path):
    """What is read back steps with the same bits; what cannot be said is given, or refused."""
    model = diffsim.Model.load(models / "quadruped.xml")
    path = tmp_path / "saved 日本.xml"
    assert model.save(path, strict=True) == ()
    again = diffsim.Model.load(path)
    q, v, u = model.keyframe("standing")
    for a, b in zip(diffsim.Sim(model).step(q, v, u), diffsim.Sim(again).step(q, v, u)):
        assert np.array_equal(a, b)
    assert again.geoms[5].name == model.geoms[5].name and again.keyframe_names == ("standing",)
    lost = model.save(tmp_path / "saved.urdf")
    assert any(line.startswith("actuators are left out: 12") for line in lost)
    with pytest.raises(diffsim.UnsupportedError, match="actuators are left out"):
        model.save(tmp_path / "strict.urdf", strict=True)
    with pytest.raises(diffsim.UnsupportedError, match="expected a file .urdf, .xml or .mjcf"):
        model.save(tmp_path / "saved.sdf")
    with pytest.raises(diffsim.FileError, match="nowhere"):
        model.save(tmp_path / "nowhere" / "saved.xml")
    assert sorted(p.name for p in tmp_path.iterdir()) == ["saved 日本.xml", "saved.urdf"]


def test_adhesion():
    builder = diffsim.Builder()
    builder.add_geom(0, kind="plane", gap=0.002)
    inertia = diffsim.inertia_from_com(1.0, [0.0, 0.0, 0.0], [0.004, 0, 0.004, 0, 0, 0.004])
    ball = builder.add_body(name="ball", inertia=inertia)
    builder.add_joint(ball, kind="prismatic", name="lift", axis=[0.0, 0.0, 1.0])
    builder.add_geom(ball, kind="sphere", size=[0.1, 0.0, 0.0])
    builder.add_actuator(body="ball", name="grip", gain=4.0, control_lower=0.0, control_upper=10.0)
    for both in ({"joint": "lift"}, {"tendon": "lift"}):
        with pytest.raises(diffsim.InvalidArgumentError, match="either joint or tendon or body"):
            builder.add_actuator(body="ball", **both)
    sim = diffsim.Sim(builder.build(), time_step=0.001)
    sim.select_params([diffsim.Param("actuator_gain", 0)])
    # Within the gap it pulls in full, and 1 mm farther not at all.
    for height, pull in ((0.1015, 20.0), (0.1031, 0.0)):
        _, v = sim.step([height], [1.0], [5.0])
        assert v[0] == pytest.approx(1.0 - 0.001 * (9.81 + pull), abs=1e-12)
        assert sim.jacobians().dv_dp[0, 0] == pytest.approx(-0.001 * pull / 4.0, abs=1e-12)


def test_actuators_at_sites():
    builder = diffsim.Builder()
    inertia = diffsim.inertia_from_com(1.0, [0.0, 0.0, 0.0], [0.01, 0, 0.01, 0, 0, 0.01])
    arm = builder.add_body(name="arm", inertia=inertia)
    builder.add_joint(arm, kind="revolute", name="turn", axis=[0.0, 1.0, 0.0])
    place = np.eye(4)
    place[0, 3] = 0.5
    builder.add_site(arm, name="tip", placement=place)
    builder.add_site(0, name="home")
    builder.add_actuator(site="tip", name="push", gear=[0, 0, 1, 0, 0, 0])
    builder.add_actuator(site="tip", reference_site="home", name="lift", gear=[0, 0, 1, 0, 0, 0], gain=3, bias=[0, -3, 0])
    with pytest.raises(diffsim.InvalidArgumentError, match="or site"):
        builder.add_actuator(site="tip", joint="turn")
    model = builder.build()
    assert [(a.site, a.reference_site, a.joint) for a in model.actuators] == [("tip", None, None), ("tip", "home", None)]
    sim, height = diffsim.Sim(model, contact="none"), -0.5 * np.sin(0.4)
    states = sim.actuator_states([0.4], [0.2], [2.0, 0.1])
    assert states.lengths == pytest.approx([0.0, height], abs=1e-15)
    force = sim.generalized_forces([0.4], [0.2], [2.0, 0.1], "actuator").force
    assert force == pytest.approx([-0.5 * 2.0 - 0.5 * np.cos(0.4) * 3 * (0.1 - height)], abs=1e-14)


def test_force_with_slopes(model):
    q, v, u = model.keyframe("standing")
    sim = diffsim.Sim(model, time_step=0.002)
    _, free = sim.step(q, v, u)
    tau, slopes = np.zeros(model.nv), np.zeros((model.nv, model.nv))
    k = model.joint("FR_thigh_joint").v_index
    tau[k], slopes[k, k], slopes[k, k + 1] = 30.0, -500.0, 3.0
    sim.set_force(tau)
    _, pushed = sim.step(q, v, u)
    sim.set_force(tau, D=slopes)
    _, held = sim.step(q, v, u)
    assert abs(held[k] - free[k]) < 0.1 * abs(pushed[k] - free[k])
    jacobian = sim.jacobians().dv_dv
    assert np.all(np.isfinite(jacobian))
    sim.set_force(None)
    sim.reset()
    assert np.array_equal(sim.step(q, v, u)[1], free)
    with pytest.raises(diffsim.InvalidArgumentError, match="K: expected shape"):
        sim.set_force(tau, tau)
    with pytest.raises(diffsim.NumericalError, match="tau"):
        sim.set_force(np.nan * tau)
    implicit = diffsim.Sim(model, integrator="midpoint")
    with pytest.raises(diffsim.UnsupportedError, match="integrator"):
        implicit.set_force(tau)


def test_prescribed_velocities(model):
    q, v, u = model.keyframe("standing")
    sim = diffsim.Sim(model, time_step=0.002)
    assert np.all(np.isnan(sim.prescribed_velocities))
    with pytest.raises(diffsim.UnsupportedError, match="dof 7 has no prescribed velocity"):
        sim.select_params([diffsim.Param("prescribed", 7)])
    k = model.joint("FR_thigh_joint").v_index
    sim.prescribe(k, 0.3)
    sim.select_params([diffsim.Param("prescribed", k)])
    _, v_next = sim.step(q, v, u)
    assert v_next[k] == 0.3 == sim.prescribed_velocities[k]
    held = sim.prescribed_impulses()
    assert held[k] != 0.0 and np.count_nonzero(held) == 1
    by = sim.jacobians().dv_dp[:, 0]
    assert by[k] == 1.0 and np.count_nonzero(by) > 1
    with pytest.raises(diffsim.InvalidArgumentError, match=f"dof {k} cannot be freed"):
        sim.prescribe(k, np.nan)
    with pytest.raises(TypeError, match="dof: expected"):
        sim.prescribe(0.5, 1.0)
    batch = diffsim.Batch(model, 2, time_step=0.002)
    batch.prescribe(1, k, 0.3)
    _, ends = batch.step(np.stack([q, q], axis=1), np.stack([v, v], axis=1), np.stack([u, u], axis=1))
    assert ends[k, 1] == 0.3 and ends[k, 0] != 0.3
    assert np.array_equal(ends[:, 1], v_next)
