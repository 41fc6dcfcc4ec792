"""Reduced coordinates: the dofs of several joints as offset + matrix @ y."""

import diffsim
import numpy as np
import pytest

H = 1e-6


def link(builder, parent, name, placement=None, **joint):
    inertia = diffsim.inertia_from_com(0.7, [0.0, 0.02, -0.2], [0.02, 0.0, 0.018, 0.0, 0.0, 0.004])
    body = builder.add_body(parent, name, placement=placement, inertia=inertia)
    builder.add_joint(body, name=name, **{"kind": "revolute", "axis": [0, 1, 0], **joint})
    return body


def shift(x=0.0, y=0.0, z=0.0):
    m = np.eye(4)
    m[:3, 3] = x, y, z
    return m


def chain(reduced=True, coupled=False, factors=(1.0, 0.5, 0.25), offset=(0.0, 0.1, -0.2), **joint):
    builder = diffsim.Builder()
    parent = "world"
    for k in range(3):
        parent = link(builder, parent, f"j{k}", shift(z=-0.4 if k else 1.0), damping=0.05, **joint)
    names = ["j0", "j1", "j2"]
    if reduced:
        builder.add_reduction(names, factors, offset)
    if coupled:
        for k in (1, 2):
            builder.add_equality("joint", joint1=names[k], joint2="j0", coefficients=[offset[k], factors[k], 0, 0, 0])
    builder.set_actuation("full")
    return builder.build()


def mixed(**options):
    """A floating body with an arm: four joints on two coordinates, a free joint, limits, and a ground below."""
    builder = diffsim.Builder()
    base = builder.add_body("world", "base", inertia=diffsim.inertia_from_com(3.0, [0, 0, 0], [0.05, 0, 0.06, 0, 0, 0.07]))
    builder.add_joint(base, "free", name="root")
    builder.add_geom(base, kind="box", size=[0.15, 0.1, 0.05], name="hull")
    builder.add_geom("world", kind="plane", name="floor")
    a = link(builder, base, "a", shift(x=0.15), damping=0.1)
    b = link(builder, a, "b", shift(x=0.3), axis=[1, 0, 0], friction_loss=options.pop("friction", 0.02))
    link(builder, b, "c", shift(x=0.1), kind="prismatic", axis=[0, 0, 1], stiffness=5.0)
    link(builder, base, "d", shift(x=-0.15), axis=[0, 0, 1], armature=0.01)
    link(builder, base, "e", shift(y=0.1), axis=[1, 0, 0])
    matrix = np.array([[1.0, 0.2], [0.5, -0.3], [0.1, 0.05], [0.0, 2.0]])
    if options.pop("reduced", True):
        builder.add_reduction(["a", "b", "c", "d"], matrix, [0.1, 0.0, 0.02, -0.1], name="arm")
    builder.set_actuation("full")
    return builder.build(), matrix


def state(model, rng, height=1.0):
    q = model.neutral()
    q = model.integrate(q, 0.4 * rng.normal(size=model.nv))
    q[2] += height
    return q, rng.normal(size=model.nv)


def test_sizes_count_the_coordinates():
    model, _ = mixed()
    whole, _ = mixed(reduced=False)
    assert (whole.nq, whole.nv) == (12, 11)
    assert (model.nq, model.nv, model.nu) == (10, 9, 11)
    assert [model.joint(j).name for j in range(model.njoint)] == ["root", "a", "b", "c", "d", "e"]


def matrices(model, whole, matrix):
    """G, and the map of configurations."""
    g = np.zeros((11, 9))
    g[:6, :6] = np.eye(6)
    g[6:10, 6:8] = matrix
    g[10, 8] = 1.0

    def expand(q):
        return np.concatenate([q[:7], np.array([0.1, 0.0, 0.02, -0.1]) + matrix @ q[7:9], q[9:]])

    return g, expand


def test_dynamics_are_those_of_the_whole_model_projected():
    rng = np.random.default_rng(1)
    (model, matrix), (whole, _) = mixed(), mixed(reduced=False)
    g, expand = matrices(model, whole, matrix)
    ours, all_ = diffsim.Sim(model, contact="none"), diffsim.Sim(whole, contact="none")
    for _ in range(5):
        q, v = state(model, rng)
        a, tau = rng.normal(size=(2, model.nv))
        full = expand(q)
        np.testing.assert_allclose(ours.forward_kinematics(q), all_.forward_kinematics(full), atol=1e-14)
        mass = g.T @ all_.mass_matrix(full) @ g
        np.testing.assert_allclose(ours.mass_matrix(q), mass, atol=1e-12)
        np.testing.assert_allclose(ours.mass_matrix_inverse(q) @ mass, np.eye(model.nv), atol=1e-10)
        expected = g.T @ all_.inverse_dynamics(full, g @ v, g @ a)
        np.testing.assert_allclose(ours.inverse_dynamics(q, v, a), expected, atol=1e-11)
        bias = g.T @ all_.inverse_dynamics(full, g @ v, np.zeros(whole.nv))
        np.testing.assert_allclose(ours.bias_forces(q, v), bias, atol=1e-11)
        np.testing.assert_allclose(ours.forward_dynamics(q, v, tau), np.linalg.solve(mass, tau - bias), atol=1e-9)
        point = rng.normal(size=3)
        np.testing.assert_allclose(ours.body_jacobian(q, 4, point), all_.body_jacobian(full, 4, point) @ g, atol=1e-13)
        assert np.allclose(ours.energy(q, v), all_.energy(full, g @ v), atol=1e-12)


def test_derivatives_of_dynamics_are_those_of_differences():
    rng = np.random.default_rng(2)
    model, _ = mixed()
    sim = diffsim.Sim(model, contact="none")
    q, v = state(model, rng)
    a, tau = rng.normal(size=(2, model.nv))
    eye = np.eye(model.nv)

    def differences(f):
        return np.array([(f(H * e) - f(-H * e)) / (2 * H) for e in eye]).T

    by_q, by_v = sim.inverse_dynamics_derivatives(q, v, a)
    np.testing.assert_allclose(by_q, differences(lambda d: sim.inverse_dynamics(model.integrate(q, d), v, a)), atol=1e-6)
    np.testing.assert_allclose(by_v, differences(lambda d: sim.inverse_dynamics(q, v + d, a)), atol=1e-6)
    by_q, by_v, by_tau = sim.forward_dynamics_derivatives(q, v, tau)
    np.testing.assert_allclose(by_q, differences(lambda d: sim.forward_dynamics(model.integrate(q, d), v, tau)), atol=3e-5)
    np.testing.assert_allclose(by_v, differences(lambda d: sim.forward_dynamics(q, v + d, tau)), atol=3e-5)
    np.testing.assert_allclose(by_tau, differences(lambda d: sim.forward_dynamics(q, v, tau + d)), atol=3e-5)


def check_step(sim, q, v, u, rng, atol=2e-6):
    """Jacobians of a step against differences, and JVP, VJP against the Jacobians."""
    model = sim.model
    sim.reset()
    q_next, _ = sim.step(q, v, u)
    assert sim.info().gradient is diffsim.Gradient.EXACT
    j = sim.jacobians()
    scale = 1 + max(np.abs(x).max() for x in (j.dv_dq, j.dv_dv))

    def stepped(dq, dv, du):
        sim.reset()
        a, b = sim.step(model.integrate(q, dq), v + dv, u + du)
        return np.concatenate([model.difference(q_next, a), b])

    zeros = [np.zeros(n) for n in (model.nv, model.nv, model.nu)]
    for k, names in enumerate([("dq_dq", "dv_dq"), ("dq_dv", "dv_dv"), ("dq_du", "dv_du")]):
        for i in range(len(zeros[k])):
            d = [z.copy() for z in zeros]
            d[k][i] = H
            ours = np.concatenate([getattr(j, name)[:, i] for name in names])
            by = (stepped(*d) - stepped(*(-x for x in d))) / (2 * H)
            np.testing.assert_allclose(ours, by, atol=atol * scale, err_msg=f"{names} {i}")
    sim.reset()
    sim.step(q, v, u)
    dq, dv, du = (rng.normal(size=len(z)) for z in zeros)
    a, b = sim.jvp(dq, dv, du)
    np.testing.assert_allclose(a, j.dq_dq @ dq + j.dq_dv @ dv + j.dq_du @ du, atol=1e-10 * scale)
    np.testing.assert_allclose(b, j.dv_dq @ dq + j.dv_dv @ dv + j.dv_du @ du, atol=1e-10 * scale)
    x, y = rng.normal(size=(2, model.nv))
    bar = sim.vjp(x, y)
    for ours, by_q, by_v in ((bar.q, j.dq_dq, j.dv_dq), (bar.v, j.dq_dv, j.dv_dv), (bar.u, j.dq_du, j.dv_du)):
        np.testing.assert_allclose(ours, by_q.T @ x + by_v.T @ y, atol=1e-10 * scale)


@pytest.mark.parametrize("contact", ["none", "ncp", "convex", "lcp", "penalty"])
def test_a_step_in_the_air_has_exact_derivatives(contact):
    rng = np.random.default_rng(3)
    # Penalty contact has no dry friction.
    model, _ = mixed(friction=0.0 if contact == "penalty" else 0.02)
    sim = diffsim.Sim(model, contact=contact)
    for _ in range(3):
        q, v = state(model, rng)
        check_step(sim, q, v, rng.normal(size=model.nu), rng)


def landing(sim):
    """A tilted state of `mixed` whose lowest corner is 0.1 mm in the ground and moves down."""
    model = sim.model
    q = model.neutral()
    q = model.integrate(q, np.concatenate([[0, 0, 0], [0.2, 0.3, 0.1], [0.1, -0.2, 0.3]]))
    placed = sim.forward_kinematics(q)[..., model.body_id("base")]
    corners = np.array([[x, y, z] for x in (-0.15, 0.15) for y in (-0.1, 0.1) for z in (-0.05, 0.05)])
    q[2] -= (placed[:3, :3] @ corners.T)[2].min() + placed[2, 3] + 1e-4
    v = np.array([0.3, -0.2, -0.8, 0.1, 0.2, 0.1, 0.5, -0.3, 0.2])
    return q, v


@pytest.mark.parametrize("contact", ["ncp", "convex", "lcp"])
def test_a_step_in_contact_has_exact_derivatives(contact):
    rng = np.random.default_rng(4)
    model, _ = mixed()
    sim = diffsim.Sim(model, contact=contact)
    q, v = landing(sim)
    check_step(sim, q, v, rng.normal(size=model.nu), rng)
    assert len(sim.contacts()) > 0


@pytest.mark.parametrize("coupled", [{}, {"lower": -0.4, "upper": 0.35}])
def test_a_chain_on_one_coordinate_moves_as_the_coupled_one(coupled):
    ours, theirs = chain(**coupled), chain(reduced=False, coupled=True, **coupled)
    assert (ours.nv, theirs.nv) == (1, 3)
    a = diffsim.Sim(ours, contact="ncp", time_step=1e-3)
    b = diffsim.Sim(theirs, contact="ncp", time_step=1e-3, tolerance=1e-13)
    factors, offset = np.array([1, 0.5, 0.25]), np.array([0, 0.1, -0.2])
    q, v = np.array([0.3]), np.array([-0.4])
    p, w = offset + factors * q, factors * v
    u = np.array([0.3, -0.1, 0.05])
    for k in range(600):
        q, v = a.step(q, v, u * np.cos(0.01 * k))
        p, w = b.step(p, w, u * np.cos(0.01 * k))
        np.testing.assert_allclose(offset + factors * q, p, atol=1e-9)
        np.testing.assert_allclose(factors * v, w, atol=1e-8)


def test_a_rollout_has_the_gradient_of_differences():
    rng = np.random.default_rng(5)
    model, _ = mixed()
    steps = 30
    rollout = diffsim.Rollout(model, steps, contact="ncp", time_step=2e-3, checkpoint_interval=7)
    rollout.select_params([diffsim.Param("joint_damping", "a"), diffsim.Param("body_inertia", model.body_id("b"), 0)])
    q0, v0 = state(model, rng, height=2.0)
    u = rng.normal(size=(model.nu, steps))
    weights = rng.normal(size=(2, model.nv, steps + 1))

    def value(q0, v0, u):
        q, v = rollout.run(q0, v0, u)
        return sum(weights[0, :, k] @ model.difference(model.neutral(), q[:, k]) for k in [steps]) + (weights[1] * v).sum()

    value(q0, v0, u)
    q, v = rollout.run(q0, v0, u)
    q_bar = np.zeros((model.nv, steps + 1))
    eye = np.eye(model.nv)
    end = q[:, -1]
    q_bar[:, -1] = [
        weights[0, :, steps]
        @ (
            model.difference(model.neutral(), model.integrate(end, H * e))
            - model.difference(model.neutral(), model.integrate(end, -H * e))
        )
        / (2 * H)
        for e in eye
    ]
    bar = rollout.adjoint(q_bar, weights[1])
    p = rollout.params
    for i, e in enumerate(eye):
        by = (value(model.integrate(q0, H * e), v0, u) - value(model.integrate(q0, -H * e), v0, u)) / (2 * H)
        assert abs(by - bar.q[i]) < 1e-5 * (1 + abs(by))
        by = (value(q0, v0 + H * e, u) - value(q0, v0 - H * e, u)) / (2 * H)
        assert abs(by - bar.v[i]) < 1e-5 * (1 + abs(by))
    d = np.zeros_like(u)
    d[7, 11] = H
    by = (value(q0, v0, u + d) - value(q0, v0, u - d)) / (2 * H)
    assert abs(by - bar.u[7, 11]) < 1e-6 * (1 + abs(by))
    for i in range(len(p)):
        values = []
        for sign in (1, -1):
            x = p.copy()
            x[i] += sign * H
            rollout.params = x
            values.append(value(q0, v0, u))
        rollout.params = p
        by = (values[0] - values[1]) / (2 * H)
        assert abs(by - bar.p[i]) < 1e-5 * (1 + abs(by))


GRIPPER = """<robot name="g"><link name="palm"><inertial><mass value="1"/><inertia ixx="0.01" iyy="0.01" izz="0.01" ixy="0" ixz="0"
 iyz="0"/></inertial></link>%s</robot>"""


def finger(name, y, follow):
    mimic = f'<mimic joint="left" multiplier="{follow[0]}" offset="{follow[1]}"/>' if follow else ""
    return f"""<link name="{name}_pad"><inertial><origin xyz="0 0 0.05"/><mass value="0.1"/><inertia ixx="1e-4" iyy="1e-4" izz="1e-4"
 ixy="0" ixz="0" iyz="0"/></inertial><collision><origin xyz="0 0 0.05"/><geometry><sphere radius="0.02"/></geometry></collision>
</link><joint name="{name}" type="revolute"><parent link="palm"/><child link="{name}_pad"/><origin xyz="0 {y} 0.1"/><axis xyz="1 0 0"/>
<limit lower="-0.6" upper="0.6" effort="10" velocity="5"/><dynamics damping="0.01"/>{mimic}</joint>"""


@pytest.mark.parametrize("base", ["fixed", "free"])
def test_mimic_joints_move_as_coupled_ones_without_rows(base):
    text = GRIPPER % (finger("left", 0.05, None) + finger("right", -0.05, (-1.0, 0.05)) + finger("third", 0.15, (0.5, 0.0)))
    models = [
        diffsim.Model.from_string(text, "urdf", mimic=mimic, base=base, actuation="full", self_collision=False)
        for mimic in ("reduce", "couple")
    ]
    ours, theirs = models
    root = 6 if base == "free" else 0
    assert (ours.nv, theirs.nv) == (root + 1, root + 3)
    sims = [diffsim.Sim(m, contact="ncp", time_step=1e-3, tolerance=1e-13) for m in models]
    q, p = ours.neutral(), theirs.neutral()
    p[-3:] = [q[-1], 0.05 - q[-1], 0.5 * q[-1]]
    v, w = np.zeros(ours.nv), np.zeros(theirs.nv)
    for k in range(700):
        u = np.zeros(theirs.nu)
        u[-3:] = 0.2 * np.sin(0.02 * k) + 0.1, 0.02, -0.01
        q, v = sims[0].step(q, v, u)
        p, w = sims[1].step(p, w, u)
        np.testing.assert_allclose([q[-1], 0.05 - q[-1], 0.5 * q[-1]], p[-3:], atol=1e-8)
    # The bounds of the joints that follow bound the coordinate.
    assert -0.55 - 1e-6 <= q[-1] <= 0.6


def test_calls_that_do_not_take_reductions_refuse():
    model = chain()
    sim = diffsim.Sim(model)
    q, v = np.zeros(1), np.zeros(1)
    sim.step(q, v)
    for call in (
        lambda: sim.prescribe(0, 1.0),
        lambda: model.home(),
        lambda: sim.jacobian_pattern(),
        lambda: model.save("/nonexistent/x.xml"),
    ):
        with pytest.raises(diffsim.UnsupportedError, match="reduced"):
            call()


def robotiq(factors):
    """A gripper of two fingers of three links each on one motor, which closes around a ball."""

    def link(name, parent, xyz, mass, pad, axis="0 1 0", mimic=""):
        return f"""<link name="{name}"><inertial><origin xyz="{pad}"/><mass value="{mass}"/><inertia ixx="4e-5" iyy="5e-5" izz="6e-5"
 ixy="0" ixz="0" iyz="0"/></inertial><collision><origin xyz="{pad}"/><geometry><box size="0.012 0.03 0.04"/></geometry></collision></link>
<joint name="{name}" type="revolute"><parent link="{parent}"/><child link="{name}"/><origin xyz="{xyz}"/><axis xyz="{axis}"/>
<limit lower="-0.9" upper="0.9" effort="5" velocity="5"/><dynamics damping="0.02"/>{mimic}</joint>"""

    text, names = "", []
    for side, x in (("left", -0.04), ("right", 0.04)):
        parent, at = "palm", f"{x} 0 0.03"
        for k in range(3):
            name = f"{side}_{k}"
            follow = f'<mimic joint="left_0" multiplier="{factors[name]}"/>' if name in factors else ""
            text += link(name, parent, at, 0.08 - 0.02 * k, "0 0 0.02", mimic=follow)
            parent, at = name, "0 0 0.04"
            names.append(name)
    return GRIPPER % text, names


def test_a_gripper_on_one_motor_closes_as_the_coupled_one():
    factors = {"left_1": 0.8, "left_2": -0.9, "right_0": -1.0, "right_1": -0.8, "right_2": 0.9}
    text, names = robotiq(factors)
    models = [
        diffsim.Model.from_string(text, "urdf", mimic=mimic, base="fixed", actuation="full") for mimic in ("reduce", "couple")
    ]
    all_ = np.array([1.0] + [factors[name] for name in names[1:]])
    sims = [diffsim.Sim(m, contact="ncp", time_step=1e-3, tolerance=1e-13) for m in models]
    assert [m.nv for m in models] == [1, 6]
    q, v = np.array([-0.1]), np.array([0.0])
    p, w = all_ * q, all_ * v
    touched = 0
    for _ in range(400):
        u = np.array([0.6, 0.0, 0.0, -0.2, 0.0, 0.0])
        q, v = sims[0].step(q, v, u)
        p, w = sims[1].step(p, w, u)
        np.testing.assert_allclose(all_ * q, p, atol=1e-8)
        touched += len(sims[0].contacts()) > 0
    # The fingers stop on each other.
    assert touched > 50 and np.abs(v).max() < 0.1


def entries(index, count):
    return [diffsim.Param("reduction", index, k) for k in range(count)]


def check_entries(sim, q, v, u, rng, tolerance=1e-6):
    """Derivatives of a step by all entries of the only reduction: differences, and JVP and VJP against Jacobians."""
    model = sim.model
    sim.reset()
    q_next, _ = sim.step(q, v, u)
    j = sim.jacobians()
    assert sim.info().gradient is diffsim.Gradient.EXACT
    values = sim.params.copy()
    for i in range(len(values)):
        ends = []
        for sign in (1, -1):
            sim.params = values + sign * H * np.eye(len(values))[i]
            sim.reset()
            a, b = sim.step(q, v, u)
            ends.append(np.concatenate([model.difference(q_next, a), b]))
        by = (ends[0] - ends[1]) / (2 * H)
        ours = np.concatenate([j.dq_dp[:, i], j.dv_dp[:, i]])
        np.testing.assert_allclose(ours, by, atol=tolerance * (1 + np.abs(by).max()), err_msg=f"entry {i}")
    sim.params = values
    sim.reset()
    sim.step(q, v, u)
    dq, dv = rng.normal(size=(2, model.nv))
    du, dp = rng.normal(size=model.nu), rng.normal(size=len(values))
    scale = 1 + max(np.abs(x).max() for x in (j.dv_dq, j.dv_dv, j.dv_dp))
    a, b = sim.jvp(dq, dv, du, dp)
    np.testing.assert_allclose(a, j.dq_dq @ dq + j.dq_dv @ dv + j.dq_du @ du + j.dq_dp @ dp, atol=1e-10 * scale)
    np.testing.assert_allclose(b, j.dv_dq @ dq + j.dv_dv @ dv + j.dv_du @ du + j.dv_dp @ dp, atol=1e-10 * scale)
    np.testing.assert_allclose(sim.jvp(dp=dp)[1], j.dv_dp @ dp, atol=1e-10 * scale)
    x, y = rng.normal(size=(2, model.nv))
    bar = sim.vjp(x, y)
    np.testing.assert_allclose(bar.p, j.dq_dp.T @ x + j.dv_dp.T @ y, atol=1e-10 * scale)
    np.testing.assert_allclose(bar.q, j.dq_dq.T @ x + j.dv_dq.T @ y, atol=1e-10 * scale)
    # The last parameter alone.
    sim.select_params(entries(0, len(values))[-1:])
    sim.reset()
    sim.step(q, v, u)
    np.testing.assert_allclose(sim.jacobians().dv_dp[:, 0], j.dv_dp[:, -1], atol=1e-10 * scale)


@pytest.mark.parametrize("contact", ["none", "ncp", "convex", "lcp", "penalty"])
def test_derivatives_by_the_entries_of_a_reduction(contact):
    rng = np.random.default_rng(6)
    model, _ = mixed(friction=0.0 if contact == "penalty" else 0.02)
    sim = diffsim.Sim(model, contact=contact)
    sim.select_params(entries(0, 12))
    matrix = np.array([1.0, 0.5, 0.1, 0.0, 0.2, -0.3, 0.05, 2.0, 0.1, 0.0, 0.02, -0.1])
    np.testing.assert_array_equal(sim.params, matrix)
    q, v = state(model, rng, height=3.0)
    check_entries(sim, q, v, rng.normal(size=model.nu), rng)


@pytest.mark.parametrize("contact", ["ncp", "convex", "lcp"])
def test_derivatives_by_the_entries_of_a_reduction_in_contact(contact):
    rng = np.random.default_rng(7)
    model, _ = mixed()
    sim = diffsim.Sim(model, contact=contact)
    sim.select_params(entries(0, 12))
    q, v = landing(sim)
    check_entries(sim, q, v, rng.normal(size=model.nu), rng)


def test_changed_entries_are_those_of_a_model_made_with_them():
    factors, offset = (0.9, -0.6, 0.3), (0.05, 0.0, -0.1)
    sim, rollout = (made(chain(), *arguments) for made, arguments in ((diffsim.Sim, ()), (diffsim.Rollout, (20,))))
    for of in (sim, rollout):
        of.select_params(entries(0, 6))
        of.params = np.concatenate([factors, offset])
    theirs = diffsim.Sim(chain(factors=factors, offset=offset))
    q, v, u = np.array([0.3]), np.array([-0.4]), np.array([0.1, 0.2, -0.1])
    trajectory = rollout.run(q, v, np.tile(u[:, None], 20))[0]
    p, w = q, v
    for k in range(20):
        q, v = sim.step(q, v, u)
        p, w = theirs.step(p, w, u)
        np.testing.assert_allclose([*q, *v], [*p, *w], atol=1e-13)
        np.testing.assert_allclose(trajectory[:, k + 1], p, atol=1e-12)
    np.testing.assert_allclose(sim.forward_dynamics(q, v, [0.3]), theirs.forward_dynamics(q, v, [0.3]), atol=1e-11)
    np.testing.assert_allclose(sim.forward_kinematics(q), theirs.forward_kinematics(q), atol=1e-13)
    for bad, message in (([0, 0, 0], "rank 1"), ([1, np.nan, 1], "finite")):
        with pytest.raises(diffsim.DiffsimError, match=message):
            sim.params = np.concatenate([bad, offset])
        np.testing.assert_array_equal(sim.params, np.concatenate([factors, offset]))


def test_a_rollout_has_the_gradient_by_the_entries_of_a_reduction():
    rng = np.random.default_rng(8)
    model, _ = mixed()
    steps = 20
    rollout = diffsim.Rollout(model, steps, contact="ncp", time_step=2e-3, checkpoint_interval=4)
    rollout.select_params([*entries(0, 12), diffsim.Param("joint_damping", "a")])
    q0, v0 = state(model, rng, height=2.0)
    u = rng.normal(size=(model.nu, steps))
    by_q, by_v = rng.normal(size=(model.nq, steps + 1)), rng.normal(size=(model.nv, steps + 1))
    by_q[:7] = 0.0

    def value():
        q, v = rollout.run(q0, v0, u)
        return (by_q * q).sum() + (by_v * v).sum()

    values, differences = rollout.params.copy(), []
    for e in np.eye(len(values)):
        ends = []
        for sign in (1, -1):
            rollout.params = values + sign * H * e
            ends.append(value())
        differences.append((ends[0] - ends[1]) / (2 * H))
    rollout.params = values
    value()
    q_bar = np.zeros((model.nv, steps + 1))
    q_bar[6:] = by_q[7:]
    bar = rollout.adjoint(q_bar, by_v)
    np.testing.assert_allclose(bar.p, differences, atol=1e-6 * (1 + np.abs(differences).max()))


def test_entries_that_have_no_derivative_are_refused():
    sim = diffsim.Sim(chain())
    for index, component, message in ((1, 0, "index"), (0, 6, "component"), (-1, 0, "index")):
        with pytest.raises(diffsim.DiffsimError, match=message):
            sim.select_params([diffsim.Param("reduction", index, component)])
    with pytest.raises(diffsim.DiffsimError, match="index"):
        diffsim.Sim(chain(reduced=False)).select_params(entries(0, 1))
    # No coordinate is within the bounds of both joints.
    sim = diffsim.Sim(chain(factors=(1.0, 0.9, 0.8), offset=(0, 0, 0), lower=0.2, upper=0.4))
    sim.select_params(entries(0, 6))
    before = sim.params.copy()
    with pytest.raises(diffsim.DiffsimError, match="within the bounds"):
        sim.params = [1.0, -0.9, 0.8, 0, 0, 0]
    np.testing.assert_array_equal(sim.params, before)


@pytest.mark.parametrize("contact", ["ncp", "convex", "lcp", "penalty"])
@pytest.mark.parametrize("factor", [0.5, -0.8])
def test_the_bound_of_a_follower_has_a_derivative_by_the_entries(contact, factor):
    # The second joint is the first to reach a bound.
    model = chain(factors=(0.3, factor, 0.1), offset=(0.0, 0.1, -0.1), lower=-0.5, upper=0.5)
    bound, rng = np.copysign(0.5, factor), np.random.default_rng(14)
    u = rng.normal(size=3)
    sim, free = diffsim.Sim(model, contact=contact), diffsim.Sim(model, contact="none")
    sim.select_params(entries(0, 6))
    for gap in (4e-4, -1e-3):
        q, v = np.array([(bound - 0.1) / factor - gap]), np.array([0.9])
        if contact == "penalty" and gap > 0:
            continue
        stopped = sim.step(q, v, u)[1][0]
        assert stopped < free.step(q, v, u)[1][0] - 1e-4
        check_entries(sim, q, v, u, rng, 1e-5 if contact == "penalty" else 1e-6)
        sim.select_params(entries(0, 6))
    # Another entry makes the first joint the tighter one.
    sim.params = [1.0, 0.2, 0.1, 0.0, 0.1, -0.1]
    q = np.array([0.5007])
    check_entries(sim, q, v, u, rng, 1e-5 if contact == "penalty" else 1e-6)


@pytest.mark.parametrize("contact", ["ncp", "convex", "lcp"])
def test_a_bound_of_two_followers_has_a_one_sided_derivative_by_the_entries(contact):
    model = chain(factors=(1.0, -1.0, 0.25), offset=(0, 0, 0), lower=-0.5, upper=0.5)
    sim = diffsim.Sim(model, contact=contact)
    q, v, e = np.array([0.4998]), np.array([0.8]), 1e-6
    sim.step(q, v)
    sim.jacobians()
    assert sim.info().gradient is diffsim.Gradient.EXACT
    sim.select_params(entries(0, 6))
    sim.step(q, v)
    by_p = sim.jacobians().dv_dp[0]
    assert sim.info().gradient is diffsim.Gradient.ONE_SIDED
    labels = sim.column_labels()
    np.testing.assert_array_equal(labels[3], [1, 1, 0, 1, 1, 0])
    assert not any(x.any() for x in labels[:3])
    # The bound is that of the first joint: the side on which it is the tighter one.
    values = sim.params.copy()
    for i, side in ((0, 1), (1, 1), (3, 1), (4, 1)):
        ends = []
        for scale in (0, side * e):
            sim.params = values + scale * np.eye(6)[i]
            sim.reset()
            ends.append(sim.step(q, v)[1][0])
        by = (ends[1] - ends[0]) / (side * e)
        assert abs(by - by_p[i]) < 1e-4 * (1 + abs(by)), i


def test_a_batch_is_its_sims():
    rng = np.random.default_rng(9)
    model, _ = mixed()
    count, steps = 3, 6
    batch = diffsim.Batch(model, count, 2, contact="ncp", time_step=2e-3)
    params = [*entries(0, 12), diffsim.Param("joint_damping", "a")]
    batch.select_params(params)
    starts = [state(model, rng, height=0.1 + k) for k in range(count)]
    q, v = (np.stack([s[k] for s in starts], axis=1) for k in (0, 1))
    u = rng.normal(size=(model.nu, steps, count))
    q_bar, v_bar = rng.normal(size=(2, model.nv, steps + 1, count))
    values = [batch.get_params(i) * (1 + 0.1 * i) for i in range(count)]
    for i, x in enumerate(values):
        batch.set_params(i, x)
    q_next, v_next = batch.step(q, v, u[:, 0])
    jacobians, bars = batch.jacobians(), batch.vjp(q_bar[:, 0], v_bar[:, 0])
    run = batch.rollout(q, v, u)
    of_run = batch.rollout_adjoint(q_bar, v_bar)
    for i in range(count):
        sim = diffsim.Sim(model, contact="ncp", time_step=2e-3)
        rollout = diffsim.Rollout(model, steps, contact="ncp", time_step=2e-3)
        for of in (sim, rollout):
            of.select_params(params)
            of.params = values[i]
        a, b = sim.step(q[:, i], v[:, i], u[:, 0, i])
        np.testing.assert_array_equal(q_next[:, i], a)
        np.testing.assert_array_equal(v_next[:, i], b)
        ours = sim.jacobians()
        for name in ("dq_dq", "dq_dv", "dq_du", "dq_dp", "dv_dq", "dv_dv", "dv_du", "dv_dp"):
            np.testing.assert_array_equal(getattr(jacobians, name)[..., i], getattr(ours, name), err_msg=name)
        bar = sim.vjp(q_bar[:, 0, i], v_bar[:, 0, i])
        for name in "qvup":
            np.testing.assert_array_equal(getattr(bars, name)[:, i], getattr(bar, name), err_msg=name)
        a, b = rollout.run(q[:, i], v[:, i], u[..., i])
        np.testing.assert_array_equal(run[0][..., i], a)
        np.testing.assert_array_equal(run[1][..., i], b)
        bar = rollout.adjoint(q_bar[..., i], v_bar[..., i])
        for name in "qvup":
            np.testing.assert_array_equal(getattr(of_run, name)[..., i], getattr(bar, name), err_msg=name)


def test_sensors_read_and_have_derivatives():
    rng = np.random.default_rng(10)
    made, _ = mixed()
    builder = diffsim.Builder.from_model(made)
    builder.add_sensor("joint_position", of="b")
    builder.add_sensor("joint_velocity", of="d")
    for kind in ("frame_position", "frame_linear_velocity", "gyro", "accelerometer"):
        builder.add_sensor(kind, body="c")
    model = builder.build()
    sim = diffsim.Sim(model)
    q, v = state(model, rng)
    u = rng.normal(size=model.nu)
    data = sim.sensors(q, v, u)
    assert abs(data[0] - (0.5 * q[7] - 0.3 * q[8])) < 1e-14 and abs(data[1] - (2 * v[7] - 0 * v[6])) < 1e-14
    np.testing.assert_allclose(data[2:5], sim.forward_kinematics(q)[:3, 3, model.body_id("c")], atol=1e-14)
    dq, dv, du, _ = sim.sensor_jacobians(q, v, u)
    for k, e in enumerate(H * np.eye(model.nv)):
        difference = (sim.sensors(model.integrate(q, e), v, u) - sim.sensors(model.integrate(q, -e), v, u)) / (2 * H)
        np.testing.assert_allclose(dq[:, k], difference, atol=1e-5 * (1 + np.abs(difference).max()))
        difference = (sim.sensors(q, v + e, u) - sim.sensors(q, v - e, u)) / (2 * H)
        np.testing.assert_allclose(dv[:, k], difference, atol=1e-5 * (1 + np.abs(difference).max()))
    bar = rng.normal(size=model.nsensordata)
    for ours, by in zip(sim.sensor_vjp(q, v, bar, u), (dq, dv, du)):
        np.testing.assert_allclose(ours, by.T @ bar, atol=1e-9)


def test_a_recorder_shows_all_bodies():
    model = chain()
    sim, recorder = diffsim.Sim(model), diffsim.Recorder(model, rate=0)
    q, v = np.array([0.4]), np.array([0.5])
    for _ in range(3):
        q, v = sim.step(q, v)
        recorder.step(sim)
    recorder.set_gradient("pose", [1.0])
    recorder.state(1.0, q, v)
    frames = recorder.recording().frames
    assert len(frames) == 5
    places = sim.forward_kinematics(q)
    for frame in (frames[3], frames[4]):
        np.testing.assert_allclose(frame.poses[-1, :3], places[:3, 3, -1], atol=1e-6)


def test_the_acceleration_and_its_derivatives():
    rng = np.random.default_rng(11)
    model, _ = mixed()
    sim = diffsim.Sim(model, contact="ncp", integrator="symplectic_euler")
    sim.select_params([*entries(0, 12), diffsim.Param("joint_damping", "a")])
    q, v = state(model, rng, height=3.0)
    u = rng.normal(size=model.nu)
    a = sim.forward(q, v, u)
    da_dq, da_dv, da_du, da_dp = sim.acceleration_jacobians()
    bar = rng.normal(size=model.nv)
    for ours, by in zip(sim.acceleration_vjp(bar), (da_dq, da_dv, da_du, da_dp)):
        np.testing.assert_allclose(ours, by.T @ bar, atol=1e-9)
    values = sim.params.copy()

    def at(dq, dv, du, dp):
        sim.params = values + dp
        return sim.forward(model.integrate(q, dq), v + dv, u + du)

    sizes = (model.nv, model.nv, model.nu, len(values))
    for k, by in enumerate((da_dq, da_dv, da_du, da_dp)):
        for i in range(sizes[k]):
            d = [np.zeros(n) for n in sizes]
            d[k][i] = H
            difference = (at(*d) - at(*(-x for x in d))) / (2 * H)
            np.testing.assert_allclose(by[:, i], difference, atol=2e-6 * (1 + np.abs(difference).max()), err_msg=f"{k} {i}")
    assert np.isfinite(a).all()


def test_calls_that_follow_a_step():
    rng = np.random.default_rng(12)
    (model, matrix), (whole, _) = mixed(), mixed(reduced=False)
    g, expand = matrices(model, whole, matrix)
    sim, all_ = diffsim.Sim(model), diffsim.Sim(whole)
    sim.select_params(entries(0, 12))
    q, v = state(model, rng, height=0.6)
    u = rng.normal(size=model.nu)
    coriolis = g.T @ all_.coriolis_matrix(expand(q), g @ v) @ g
    np.testing.assert_allclose(sim.coriolis_matrix(q, v), coriolis, atol=1e-11)
    a, b = sim.linearize(q, v, u)
    sim.reset()
    sim.step(q, v, u)
    j = sim.jacobians()
    np.testing.assert_array_equal(a, np.block([[j.dq_dq, j.dq_dv], [j.dv_dq, j.dv_dv]]))
    np.testing.assert_array_equal(b, np.vstack([j.dq_du, j.dv_du]))
    assert [len(x) for x in sim.column_labels()] == [model.nv, model.nv, model.nu, 12]
    assert not any(x.any() for x in sim.column_labels())
    # A force on the coordinates is one on the joints.
    w = rng.normal(size=whole.nv)
    sim.reset()
    by_inputs = sim.step(q, v, u + w)[1]
    sim.set_force(g.T @ w)
    sim.reset()
    np.testing.assert_allclose(sim.step(q, v, u)[1], by_inputs, atol=1e-11)


def test_a_feedback_on_a_coordinate():
    h, q, v, tau, k, d = 1e-3, np.array([0.3]), np.array([0.8]), 0.4, -900.0, -5.0
    sim = diffsim.Sim(chain(), time_step=h)
    ends = []
    for force in (0.0, 1.0):
        sim.set_force([force])
        ends.append(sim.step(q, v)[1][0])
    mass, plain = h / (ends[1] - ends[0]), (ends[0] - v[0]) / (ends[1] - ends[0])
    sim.set_force([tau], [[k]], [[d]])
    end = sim.step(q, v)[1][0]
    assert abs(mass * (end - v[0]) / h - (plain + tau + k * h * end + d * (end - v[0]))) < 1e-9


def test_impulses_have_derivatives():
    rng = np.random.default_rng(13)
    model, _ = mixed()
    sim = diffsim.Sim(model, contact="ncp")
    sim.select_params(entries(0, 12))
    q, v = landing(sim)
    u, values = rng.normal(size=model.nu), sim.params.copy()

    def impulses(dq, dv, du, dp):
        sim.params = values + dp
        sim.reset()
        sim.step(model.integrate(q, dq), v + dv, u + du)
        return np.array(sim.contacts()["impulse"]).T

    d = [rng.normal(size=n) for n in (model.nv, model.nv, model.nu, 12)]
    difference = (impulses(*(H * x for x in d)) - impulses(*(-H * x for x in d))) / (2 * H)
    impulses(*(0 * x for x in d))
    ours, unique = sim.impulse_jvp(*d)
    assert unique and ours.size > 0
    np.testing.assert_allclose(ours, difference, atol=1e-6 * (1 + np.abs(difference).max()))
    bar = rng.normal(size=ours.shape)
    back, _ = sim.impulse_vjp(bar)
    along = sum(x @ y for x, y in zip((back.q, back.v, back.u, back.p), d))
    assert abs(along - (bar * ours).sum()) < 1e-9 * (1 + abs(along))


def test_bad_reductions_are_refused_and_change_nothing():
    builder = diffsim.Builder()
    a = link(builder, "world", "a")
    b = link(builder, a, "b")
    link(builder, b, "ball", kind="spherical")
    c = builder.add_body("world", "c", inertia=diffsim.inertia_from_com(1, [0, 0, 0], [1, 0, 1, 0, 0, 1]))
    builder.add_joint(c, "planar", name="plane")
    for joints, matrix, offset, message in (
        (["a", "nobody"], [[1.0]], None, "nobody"),
        (["a", "ball"], np.ones((4, 1)), None, "ball"),
        (["a", "a"], [1.0, 2.0], None, "twice"),
        (["a", "b"], np.eye(2), None, "columns"),
        (["a", "b"], [0.0, 0.0], None, "rank 1"),
        (["a", "plane"], [[1, 2], [2, 4], [3, 6], [0, 0]], None, "rank 2"),
        (["a", "b"], [1.0, np.nan], None, "finite"),
        (["a", "b"], [1.0, 0.5], [np.inf, 0], "finite"),
        ([], np.zeros((0, 1)), None, "columns"),
    ):
        with pytest.raises(diffsim.DiffsimError, match=message):
            builder.add_reduction(joints, matrix, offset)
    assert builder.build().nv == 8
    builder.add_reduction(["b", "plane"], [[1, 0], [0, 2], [1, 1], [0.5, 0]])
    with pytest.raises(diffsim.DiffsimError, match="another"):
        builder.add_reduction(["a", "b"], [1.0, 0.5])
    model = builder.build()
    assert model.nv == 1 + 2 + 3
    copy = diffsim.Builder.from_model(model).build()
    assert copy.nv == model.nv


def test_equalities_of_mjcf_reduce_if_they_are_linear():
    text = """<mujoco><worldbody><body name="base" pos="0 0 1"><joint name="a" axis="0 1 0" ref="20"/><geom size="0.05" mass="1" pos="0.2 0 0"/>
    <body name="b" pos="0.3 0 0"><joint name="b" axis="0 1 0"/><geom size="0.05" mass="0.5" pos="0.1 0 0"/>
    <body name="c" pos="0.3 0 0"><joint name="c" axis="0 1 0"/><geom size="0.05" mass="0.5" pos="0.1 0 0"/>
    <body name="d" pos="0.3 0 0"><joint name="d" axis="0 1 0"/><geom size="0.05" mass="0.5" pos="0.1 0 0"/></body>
    </body></body></body></worldbody><equality><joint joint1="b" joint2="a" polycoef="0.1 0.5 0 0 0"/>
    <joint joint1="c" joint2="b" polycoef="0 -2 0 0 0"/><joint joint1="d" joint2="a" polycoef="0 1 0.3 0 0"/></equality>
    <keyframe><key name="k" qpos="0.2 0.1 0.1 0.1"/></keyframe></mujoco>"""
    options = dict(actuation="full", self_collision=False)
    ours = diffsim.Model.from_string(text, "mjcf", mimic="reduce", **options)
    theirs = diffsim.Model.from_string(text, "mjcf", **options)
    # d follows by a parabola, which stays an equality.
    assert (ours.nv, theirs.nv) == (2, 4)
    sims = [diffsim.Sim(m, contact="ncp", time_step=1e-3, tolerance=1e-13) for m in (ours, theirs)]
    ref = np.deg2rad(20.0)

    def expand(q):
        b = 0.1 + 0.5 * (q[0] - ref)
        return np.array([q[0], b, -2 * b, q[1]])

    x = 0.1
    q = np.array([ref + x, x + 0.3 * x * x])
    p, v, w = expand(q), np.zeros(2), np.zeros(4)
    for _ in range(300):
        q, v = sims[0].step(q, v)
        p, w = sims[1].step(p, w)
        np.testing.assert_allclose(expand(q), p, atol=1e-8)
    assert ours.keyframe("k")[0].shape == (2,)


STAGES = [(i, c) for i in ("implicit_euler", "midpoint") for c in ("none", "ncp", "lcp", "convex", "penalty")]
STAGES += [(i, c) for i in ("bdf1", "sdirk2") for c in ("none", "penalty")]


@pytest.mark.parametrize("integrator, contact", STAGES)
def test_implicit_steps_have_exact_derivatives(integrator, contact):
    has_stages = integrator in ("bdf1", "sdirk2")
    rng = np.random.default_rng(15)
    model, _ = mixed(friction=0.0 if has_stages or contact == "penalty" else 0.02)
    sim = diffsim.Sim(model, contact=contact, integrator=integrator)
    q, v = state(model, rng, height=3.0)
    check_step(sim, q, v, rng.normal(size=model.nu), rng)
    if contact != "none":
        q, v = landing(sim)
        check_step(sim, q, v, rng.normal(size=model.nu), rng, 1e-5 if contact == "penalty" else 2e-6)
        assert sim.info().contacts > 0
    sim.select_params(entries(0, 12))
    check_entries(sim, q, v, rng.normal(size=model.nu), rng, 1e-5 if contact == "penalty" else 1e-6)


def test_an_implicit_step_balances_the_forces_on_the_coordinates():
    rng = np.random.default_rng(16)
    ours, whole, g = chain(factors=(1.0, 0.5, -0.7)), chain(reduced=False), np.array([1.0, 0.5, -0.7])
    offset, h = np.array([0.0, 0.1, -0.2]), 5e-3
    sim, all_ = diffsim.Sim(ours, contact="none", integrator="bdf1", time_step=h), diffsim.Sim(whole, contact="none")
    q, v, u = np.array([0.4]), np.array([1.5]), rng.normal(size=3)
    for _ in range(5):
        p, w = sim.step(q, v, u)
        force = all_.inverse_dynamics(offset + g * p, g * w, g * (w - v) / h) - u + 0.05 * g * w
        assert abs(g @ force) < 1e-10 and abs(p - q - h * w)[0] < 1e-14
        q, v = p, w


@pytest.mark.parametrize("integrator", ["bdf2", "sdirk2", "midpoint"])
def test_a_rollout_of_implicit_steps_has_the_gradient_of_differences(integrator):
    rng = np.random.default_rng(17)
    model, _ = mixed(friction=0.0)
    steps = 8
    rollout = diffsim.Rollout(model, steps, contact="none", integrator=integrator, time_step=2e-3, checkpoint_interval=3)
    damping = diffsim.Param("joint_damping", "a")
    rollout.select_params([*entries(0, 12), damping])
    q0, v0 = state(model, rng)
    u = rng.normal(size=(model.nu, steps))
    by_q, by_v = rng.normal(size=(model.nq, steps + 1)), rng.normal(size=(model.nv, steps + 1))
    by_q[:7] = 0.0
    values = rollout.params.copy()

    def value(dp=0.0, dv=0.0):
        rollout.params = values + dp
        q, v = rollout.run(q0, v0 + dv, u)
        return (by_q * q).sum() + (by_v * v).sum()

    value()
    q_bar = np.zeros((model.nv, steps + 1))
    q_bar[6:] = by_q[7:]
    bar = rollout.adjoint(q_bar, by_v)
    p = [(value(H * e) - value(-H * e)) / (2 * H) for e in np.eye(len(values))]
    np.testing.assert_allclose(bar.p, p, atol=2e-6 * (1 + np.abs(p).max()))
    v = [(value(dv=H * e) - value(dv=-H * e)) / (2 * H) for e in np.eye(model.nv)]
    np.testing.assert_allclose(bar.v, v, atol=2e-6 * (1 + np.abs(v).max()))


def test_inverse_kinematics_in_reduced_coordinates():
    rng = np.random.default_rng(18)
    model, _ = mixed()
    ik, sim = diffsim.Ik(model), diffsim.Sim(model, contact="none")
    goal, _ = state(model, rng)
    body = model.body_id("c")
    target = sim.forward_kinematics(goal)[..., body]
    frame, center, posture = ik.add_frame("c"), ik.add_center_of_mass(weight=0.3), ik.add_posture(weight=0.1)
    wanted = model.integrate(goal, 0.1 * rng.normal(size=model.nv))
    centre = sim.center_of_mass(goal)[1] + 0.05
    targets = [target, centre, wanted]
    for task, x in zip((frame, center, posture), targets):
        ik.set_target(task, x)
    q, info = ik.solve(model.neutral())
    assert q.shape == (model.nq,) and info.slope < 1e-8
    np.testing.assert_allclose(ik.residual(posture), model.difference(wanted, q)[:], atol=0.2)
    label, unique = ik.gradient()
    assert label is diffsim.Gradient.EXACT and unique
    by = ik.jacobian()
    dt, bar = rng.normal(size=by.shape[1]), rng.normal(size=model.nv)
    np.testing.assert_allclose(ik.jvp(dt), by @ dt, atol=1e-10)
    np.testing.assert_allclose(ik.vjp(bar), by.T @ bar, atol=1e-10)

    def moved(k, e):
        ends = []
        for sign in (1, -1):
            x = [np.array(t) for t in targets]
            if k < 3:
                x[0][k, 3] += sign * e
            elif 6 <= k < 9:
                x[1][k - 6] += sign * e
            else:
                x[2] = model.integrate(x[2], sign * e * np.eye(model.nv)[k - 9])
            for task, t in zip((frame, center, posture), x):
                ik.set_target(task, t)
            ends.append(ik.solve(q)[0])
        return model.difference(ends[1], ends[0]) / (2 * e)

    for k in [0, 1, 2, *range(6, 9 + model.nv)]:
        np.testing.assert_allclose(by[:, k], moved(k, 1e-5), atol=2e-6 * (1 + np.abs(by).max()), err_msg=str(k))


def test_inverse_kinematics_keeps_the_bounds_of_followers():
    bounds = dict(lower=-0.3, upper=0.4)
    ours, theirs = chain(factors=(1.0, -1.5, 0.5), **bounds), chain(reduced=False, **bounds)
    factors, offset = np.array([1.0, -1.5, 0.5]), np.array([0.0, 0.1, -0.2])
    sim = diffsim.Sim(theirs, contact="none")
    ik = diffsim.Ik(ours)
    task = ik.add_frame("j2", axes=(1, 1, 1, 0, 0, 0), tolerance=1e-9)
    # Within the bounds, and beyond: the second joint stops at its upper bound.
    for y, end in ((0.1, 0.1), (-0.25, -0.2), (0.35, 0.4 / 1.5)):
        ik.set_target(task, sim.forward_kinematics(offset + factors * y)[..., 3])
        q, info = ik.solve([0.0])
        assert abs(q[0] - end) < 1e-7, (q, info)
    builder = diffsim.Builder.from_model(theirs)
    builder.add_reduction(["j0", "j1", "j2"], [[1.0, 0], [0, 1.0], [0.5, 0.5]])
    with pytest.raises(diffsim.UnsupportedError, match="j2"):
        diffsim.Ik(builder.build())
    assert diffsim.Ik(builder.build(), limits=False).solve([0.1, 0.2])[0].shape == (2,)


def test_episodes_of_a_batch():
    rng = np.random.default_rng(19)
    made, _ = mixed()
    builder = diffsim.Builder.from_model(made)
    builder.add_sensor("joint_position", of="b")
    builder.add_sensor("frame_position", body="c")
    model = builder.build()
    count, steps = 4, 7
    batch = diffsim.Batch(model, count, 2, contact="ncp", time_step=2e-3)
    batch.select_params([*entries(0, 12), diffsim.Param("joint_damping", "a")])
    starts = [state(model, rng, height=0.2 + k) for k in range(count)]
    q0, v0 = (np.stack([s[k] for s in starts], axis=1) for k in (0, 1))
    u = rng.normal(size=(model.nu, steps, count))
    p = np.stack([batch.get_params(i) * (1 + 0.1 * i) for i in range(count)], axis=1)
    plain = batch.run_episodes(q0, v0, u, p=p)
    q, v = batch.rollout(q0, v0, u)
    np.testing.assert_array_equal(plain.q, q)
    np.testing.assert_array_equal(plain.v, v)
    assert (plain.steps == steps).all()
    # The bound of a reduced coordinate ends an element, lengths end others.
    upper = np.full(model.nq + model.nv, np.inf)
    upper[8] = 0.5 * (q[8, 3, 1] + q[8, 4, 1]) if q[8, 4, 1] > q[8, 3, 1] else np.inf
    ended = batch.run_episodes(q0, v0, u, p=p, upper=upper, lengths=[steps, steps, 0, 3])
    for i in range(count):
        out = np.flatnonzero((q[:, 1:, i] > upper[: model.nq, None]).any(axis=0))
        most = [steps, steps, 0, 3][i]
        taken = min(most, out[0] + 1 if len(out) else most)
        assert ended.steps[i] == taken
        np.testing.assert_array_equal(ended.q[:, : taken + 1, i], q[:, : taken + 1, i])
        np.testing.assert_array_equal(ended.q[:, taken:, i].T, np.tile(q[:, taken, i], (steps - taken + 1, 1)))
    # The gradient of states and readings, against differences.
    bars = [rng.normal(size=(n, steps + 1, count)) for n in (model.nq, model.nv, model.nsensordata)]
    bars[0][:7] = 0.0

    def value(dp=0.0, dv=0.0):
        run = batch.run_episodes(q0, v0 + dv, u, p=p + dp, lengths=[steps, 4, 0, 3])
        return sum((b * x).sum(axis=(0, 1)) for b, x in zip(bars, (run.q, run.v, run.sensors)))

    value()
    q_bar = np.zeros((model.nv, steps + 1, count))
    q_bar[6:] = bars[0][7:]
    ours = batch.episodes_adjoint(q_bar, bars[1], sensors_bar=bars[2])
    for k, e in enumerate(np.eye(len(p))):
        by = (value(H * e[:, None]) - value(-H * e[:, None])) / (2 * H)
        np.testing.assert_allclose(ours.p[k], by, atol=1e-6 * (1 + np.abs(by).max()), err_msg=str(k))
    for k, e in enumerate(np.eye(model.nv)):
        by = (value(dv=H * e[:, None]) - value(dv=-H * e[:, None])) / (2 * H)
        np.testing.assert_allclose(ours.v[k], by, atol=1e-6 * (1 + np.abs(by).max()), err_msg=str(k))
    # An element that cannot start keeps its columns; the others do not feel it.
    bad = p.copy()
    bad[:8, 2] = 0.0
    each = np.zeros(count, np.int32)
    run = batch.run_episodes(q0, v0, u, p=bad, each=each)
    assert np.isnan(run.q[..., 2]).all() and (run.steps[[0, 1, 3]] == steps).all()
    np.testing.assert_array_equal(run.q[..., [0, 1, 3]], q[..., [0, 1, 3]])


def random_model(rng, penalty):
    """A tree of hinges and slides on a free or fixed base, some of whose joints are on fewer coordinates."""
    builder = diffsim.Builder()
    bodies = ["world"]
    if rng.random() < 0.5:
        base = builder.add_body("world", "base", inertia=diffsim.inertia_from_com(2.0, [0, 0, 0], [0.05, 0, 0.06, 0, 0, 0.07]))
        builder.add_joint(base, "free", name="root")
        builder.add_geom(base, kind="sphere", size=[0.1, 0, 0], name="ball")
        bodies = [base]
    builder.add_geom("world", kind="plane", name="floor")
    n = int(rng.integers(4, 8))
    rows = int(rng.integers(2, n + 1))
    columns = int(rng.integers(1, min(rows, 6)))
    joints = rng.permutation(n)[:rows]
    matrix = rng.normal(size=(rows, columns)) * (rng.random(size=(rows, columns)) < 0.7)
    if np.linalg.matrix_rank(matrix) < columns:
        matrix[:columns] = np.eye(columns) * np.sign(rng.normal(size=columns))
    still = [k for k, row in zip(joints, matrix) if not row.any()]
    for k in range(n):
        axis = rng.normal(size=3)
        more = {}
        if rng.random() < 0.4:
            more = {"lower": -0.6 - 0.3 * rng.random(), "upper": 0.6 + 0.3 * rng.random()}
        # An entry that sets a joint with friction in motion is at a switch.
        if rng.random() < 0.3 and not penalty and k not in still:
            more["friction_loss"] = 0.05
        kind = "prismatic" if rng.random() < 0.3 else "revolute"
        at = shift(*(0.2 * rng.normal(size=3)))
        body = link(builder, bodies[rng.integers(len(bodies))], f"j{k}", at, kind=kind, axis=axis / np.linalg.norm(axis),
                    damping=0.1, stiffness=2.0 * rng.random(), **more)  # fmt: skip
        bodies.append(body)
    builder.add_reduction([f"j{k}" for k in joints], matrix, 0.1 * rng.normal(size=rows))
    builder.set_actuation("full")
    return builder.build(), rows * (columns + 1)


SEEDS = 4
SCHEMES = [(i, c) for i in ("symplectic_euler", "symplectic_euler_world") for c in ("none", "ncp", "lcp", "convex", "penalty")]


@pytest.mark.parametrize("integrator, contact", SCHEMES + STAGES)
def test_random_reductions(integrator, contact):
    has_stages = integrator in ("bdf1", "sdirk2")
    for seed in range(SEEDS):
        rng = np.random.default_rng(100 + seed)
        model, count = random_model(rng, contact == "penalty" or has_stages)
        sim = diffsim.Sim(model, contact=contact, integrator=integrator, time_step=2e-3)
        q = model.integrate(model.neutral(), 0.25 * rng.normal(size=model.nv))
        v = rng.normal(size=model.nv)
        if model.joint(0).name == "root":
            q[2] += 0.4
        u = rng.normal(size=model.nu)
        check_step(sim, q, v, u, rng, 1e-5)
        if integrator not in ("implicit_euler", "midpoint"):
            sim.select_params(entries(0, count))
            check_entries(sim, q, v, u, rng, 1e-5)


def tiago():
    """Two fingers that slide, one of which mirrors the other."""
    finger = """<link name="{0}"><inertial><mass value="0.1"/><inertia ixx="1e-4" iyy="1e-4" izz="1e-4" ixy="0" ixz="0" iyz="0"/></inertial>
<collision><geometry><box size="0.02 0.01 0.06"/></geometry></collision></link><joint name="{0}" type="prismatic"><parent link="palm"/>
<child link="{0}"/><origin xyz="0 {1}0.006 0.1"/><axis xyz="0 {1}1 0"/><limit lower="0" upper="0.045" effort="20" velocity="1"/>
<dynamics damping="0.5"/>{2}</joint>"""
    follow = '<mimic joint="left" multiplier="1.0"/>'
    return GRIPPER % (finger.format("left", "", "") + finger.format("right", "-", follow)), {"right": ("left", 1.0)}


def allegro():
    """Four fingers of four joints: the last two of each follow the second one."""
    text, followers = "", {}
    for f in range(4):
        parent, at = "palm", f"{0.04 * (f - 1.5)} 0 0.1"
        for k, axis in enumerate(("0 1 0", "1 0 0", "1 0 0", "1 0 0")):
            name, factor = f"f{f}{k}", {2: 1.1, 3: 0.7}.get(k)
            mimic = f'<mimic joint="f{f}1" multiplier="{factor}"/>' if factor else ""
            if factor:
                followers[name] = (f"f{f}1", factor)
            text += f"""<link name="{name}"><inertial><origin xyz="0 0 0.02"/><mass value="0.05"/><inertia ixx="2e-5" iyy="2e-5"
 izz="1e-5" ixy="0" ixz="0" iyz="0"/></inertial></link><joint name="{name}" type="revolute"><parent link="{parent}"/><child link="{name}"/>
<origin xyz="{at}"/><axis xyz="{axis}"/><limit lower="-0.5" upper="0.7" effort="1" velocity="9"/><dynamics damping="0.003"/>{mimic}</joint>"""
            parent, at = name, "0 0 0.04"
    return GRIPPER % text, followers


@pytest.mark.parametrize("made, speed", [(tiago, 6.0), (allegro, 0.04)])
def test_grippers_with_mimic_joints_move_as_coupled_ones(made, speed):
    text, followers = made()
    models = [
        diffsim.Model.from_string(text, "urdf", mimic=mimic, base="fixed", actuation="full") for mimic in ("reduce", "couple")
    ]
    ours, theirs = models
    assert ours.nv == theirs.nv - len(followers)
    names = [theirs.joint(j).name for j in range(theirs.njoint)]
    names = [n for n in names if n]
    sims = [diffsim.Sim(m, contact="ncp", time_step=1e-3, tolerance=1e-13) for m in models]
    q, v, p, w = np.zeros(ours.nv), np.zeros(ours.nv), np.zeros(theirs.nv), np.zeros(theirs.nv)
    own = [n for n in names if n not in followers]

    def expand(y):
        of = dict(zip(own, y))
        return np.array([of[n] if n in of else followers[n][1] * of[followers[n][0]] for n in names])

    most = np.zeros(ours.nv)
    for k in range(300):
        u = speed * np.sin(0.02 * k + np.arange(theirs.nu))
        q, v = sims[0].step(q, v, u)
        p, w = sims[1].step(p, w, u)
        np.testing.assert_allclose(expand(q), p, atol=1e-8)
        most = np.maximum(most, np.abs(q))
    # They reach bounds of the joints.
    assert most.max() > (0.044 if made is tiago else 0.6)
