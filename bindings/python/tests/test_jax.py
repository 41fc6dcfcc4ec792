"""Steps and trajectories in JAX against the library's own calls and against differences."""

import copy
import os
import pathlib
import subprocess
import sys

import numpy as np
import pytest

jax = pytest.importorskip("jax")
jax.config.update("jax_enable_x64", True)

import jax.numpy as jnp  # noqa: E402

import diffsim  # noqa: E402
import diffsim.jax  # noqa: E402
from diffsim import _xla  # noqa: E402

PARAMS = (diffsim.Param("body_inertia", 1), diffsim.Param("geom_friction", "floor"), diffsim.Param("joint_damping", 3))

#: A chain on a free base with a spherical joint: two quaternions in q.
CHAIN = """<mujoco><option timestep="0.002"/><worldbody><geom name="floor" type="plane" size="1 1 1" friction="0.6"/>
  <body name="base" pos="0 0 0.5"><freejoint/><geom type="box" size="0.2 0.1 0.05"/>
    <body pos="0.2 0 0"><joint type="ball" damping="0.1"/><geom type="capsule" size="0.03" fromto="0 0 0 0.3 0 0"/>
      <body pos="0.3 0 0"><joint name="wrist" axis="0 1 0" damping="0.1"/><geom size="0.05"/></body></body></body>
  </worldbody><actuator><motor joint="wrist"/></actuator></mujoco>"""


class Scene:
    def __init__(self, model, q, v, u, **options):
        self.model, self.options = model, options
        self.sim = diffsim.jax.Simulator(model, PARAMS[: 3 if model.nu > 1 else 1], **options)
        # Above the friction of the feet, so that it counts.
        p = self.sim.params.at[1:2].set(0.9)
        self.x = tuple(map(jnp.asarray, (q, v, u, p)))
        self.random = np.random.default_rng(5)

    def directions(self):
        """A direction of every argument: that of q is tangent to the unit quaternions."""
        q = self.x[0]
        dq = self.sim._chart.velocity(q, jnp.asarray(self.random.normal(size=self.model.nv)))
        return (dq, *(jnp.asarray(self.random.normal(size=x.shape)) for x in self.x[1:]))

    def inputs(self, steps):
        return jnp.asarray(self.x[2] + self.random.normal(size=(steps, self.model.nu)))

    def library(self, kind, *arguments):
        made = kind(self.model, *arguments, **self.options)
        made.select_params(PARAMS[: self.sim.np])
        made.params = np.asarray(self.x[3])
        return made


@pytest.fixture(scope="module")
def walking(models):
    """A quadruped that stands on its feet, and slides."""
    model = diffsim.Model.load(models / "quadruped.xml", actuation="full")
    q, _, _ = model.keyframe("standing")
    v = 0.2 * np.sin(np.arange(model.nv))
    v[0] = 1.0
    return Scene(model, q, v, 0.3 * np.cos(np.arange(model.nu)), time_step=2e-3)


@pytest.fixture(scope="module")
def chain():
    model = diffsim.Model.from_string(CHAIN, "mjcf")
    v = np.sin(np.arange(model.nv))
    return Scene(model, model.integrate(model.home(), 0.4 * v), v, np.array([0.3]))


@pytest.fixture(params=("walking", "chain"))
def scene(request):
    return request.getfixturevalue(request.param)


def moved(scene, along, e, f, x):
    q = scene.sim.integrate(x[0], e * scene.sim._chart.tangent(x[0], along[0]))
    return f(q, *(y + e * d for y, d in zip(x[1:], along[1:])))


def close(a, b, tolerance):
    a, b = np.asarray(a), np.asarray(b)
    assert np.abs(a - b).max(initial=0.0) <= tolerance * max(1.0, np.abs(b).max(initial=0.0))


def test_steps_have_the_bits_of_the_library(scene):
    q, v, u, p = scene.x
    sim = scene.library(diffsim.Sim)
    for step in (scene.sim.step, jax.jit(scene.sim.step)):
        sim.reset()
        for got, expected in zip(step(q, v, u, p), sim.step(*map(np.asarray, (q, v, u)))):
            assert (np.asarray(got) == expected).all()
    # Without p: the model's values.
    assert (scene.sim.step(q, v, u)[1] == scene.sim.step(q, v, u, scene.sim.params)[1]).all()


def test_derivatives_of_a_step(scene):
    f, x, along = jax.jit(scene.sim.step), scene.x, scene.directions()
    (q1, v1), (dq, dv) = jax.jit(lambda x, along: jax.jvp(f, x, along))(x, along)
    chart = scene.sim._chart
    # The library's own direction.
    sim = scene.library(diffsim.Sim)
    sim.step(*map(np.asarray, x[:3]))
    delta = np.asarray(chart.tangent(x[0], along[0]))
    expected = sim.jvp(delta, *map(np.asarray, along[1:]))
    close(chart.tangent(q1, dq), expected[0], 1e-12)
    close(dv, expected[1], 1e-12)
    # Differences in the coordinates of q.
    e = 1e-6
    up, down = moved(scene, along, e, f, x), moved(scene, along, -e, f, x)
    close(dq, (up[0] - down[0]) / (2 * e), 1e-6)
    close(dv, (up[1] - down[1]) / (2 * e), 1e-6)
    # Reverse mode is its transpose.
    bars = tuple(jnp.asarray(scene.random.normal(size=y.shape)) for y in (q1, v1))
    back = jax.jit(lambda x, bars: jax.vjp(f, *x)[1](bars))(x, bars)
    forward = jnp.vdot(bars[0], dq) + jnp.vdot(bars[1], dv)
    assert abs(sum(jnp.vdot(a, b) for a, b in zip(back, along)) - forward) < 1e-10 * max(1.0, abs(forward))
    assert all(jnp.abs(x).max() > 0 for x in back)
    rows, columns = (jax.jit(jac(f, argnums=(0, 1, 2, 3)))(*x) for jac in (jax.jacrev, jax.jacfwd))
    for a, b in zip(jax.tree.leaves(rows), jax.tree.leaves(columns)):
        close(a, b, 1e-11)


def test_rollouts_have_the_bits_and_the_adjoint_of_the_library(scene):
    q, v, _, p = scene.x
    u, steps = scene.inputs(25), 25
    rollout = scene.library(diffsim.Rollout, steps)
    expected = rollout.run(np.asarray(q), np.asarray(v), np.asarray(u).T)
    for run in (scene.sim.rollout, jax.jit(scene.sim.rollout)):
        for got, path in zip(run(q, v, u, p), expected):
            assert (np.asarray(got).T == path).all()
    bars = [scene.random.normal(size=(scene.model.nv, steps + 1)) for _ in range(2)]
    exact = rollout.adjoint(*bars)
    # The same function: tangents at the states of the trajectory.
    states = jnp.asarray(expected[0].T)

    def loss(q, v, u, p):
        path = scene.sim.rollout(q, v, u, p)
        return jnp.vdot(bars[0].T, scene.sim.difference(states, path[0])) + jnp.vdot(bars[1].T, path[1])

    got = jax.jit(jax.grad(loss, argnums=(0, 1, 2, 3)))(q, v, u, p)
    # By q0: its tangent coordinates are the gradient along G(q0).
    along = jax.vmap(lambda d: scene.sim._chart.velocity(q, d))(jnp.eye(scene.model.nv))
    for a, b in zip((along @ got[0], got[1], got[2].T, got[3]), exact):
        close(a, b, 1e-11)
    assert (np.asarray(scene.sim.rollout_labels(q, v, u, p)) == 0).all()


def test_directions_of_rollouts(scene):
    u = scene.inputs(15)
    x = (*scene.x[:2], u, scene.x[3])
    along = scene.directions()
    along = (*along[:2], jnp.asarray(scene.random.normal(size=u.shape)), along[3])
    f = jax.jit(scene.sim.rollout)
    (q, v), (dq, dv) = jax.jit(lambda x, along: jax.jvp(f, x, along))(x, along)
    e = 1e-6
    up, down = moved(scene, along, e, f, x), moved(scene, along, -e, f, x)
    close(dq, (up[0] - down[0]) / (2 * e), 1e-5)
    close(dv, (up[1] - down[1]) / (2 * e), 1e-5)
    bars = tuple(jnp.asarray(scene.random.normal(size=y.shape)) for y in (q, v))
    back = jax.jit(lambda x, bars: jax.vjp(f, *x)[1](bars))(x, bars)
    forward = jnp.vdot(bars[0], dq) + jnp.vdot(bars[1], dv)
    assert abs(sum(jnp.vdot(a, b) for a, b in zip(back, along)) - forward) < 1e-10 * max(1.0, abs(forward))
    last = lambda u: f(*x[:2], u, x[3])[1][-1]  # noqa: E731
    close(jax.jit(jax.jacfwd(last))(u), jax.jit(jax.jacrev(last))(u), 1e-11)


def test_a_scan_of_a_hundred_steps(walking):
    q, v, _, p = walking.x
    u = walking.inputs(100)
    traces = []

    def by_steps(q, v, u, p):
        traces.append(None)
        return jax.lax.scan(lambda x, u: (walking.sim.step(*x, u, p),) * 2, (q, v), u)[1]

    def loss(path):
        return lambda *x: sum(jnp.sum(jnp.sin(y[-1])) for y in path(*x))

    gradient = jax.jit(jax.grad(loss(by_steps), argnums=(0, 1, 2, 3)))
    got = gradient(q, v, u, p)
    before = len(traces)
    gradient(q, v, 1.01 * u, p)
    assert len(traces) == before, "compiled once"
    # Rollouts keep warm starts, steps here do not: both solve to the same tolerance.
    of_rollout = jax.jit(jax.grad(loss(walking.sim.rollout), argnums=(0, 1, 2, 3)))
    for a, b in zip(got, of_rollout(q, v, u, p)):
        close(a, b, 1e-9)
    # The library's own products of Jacobians, step by step and back, each step without a warm start.
    states = [tuple(map(np.asarray, (q, v)))]
    sim = walking.library(diffsim.Sim)
    for row in np.asarray(u):
        sim.reset()
        states.append(sim.step(*states[-1], row))
    velocities = jax.jit(jax.vmap(walking.sim._chart.velocity, (None, 0)))
    bars = np.asarray(velocities(states[-1][0], jnp.eye(walking.model.nv)) @ jnp.cos(states[-1][0])), np.cos(states[-1][1])
    of_u, of_p = [], 0.0
    for state, row in zip(states[-2::-1], np.asarray(u)[::-1]):
        sim.reset()
        sim.step(*state, row)
        back = sim.vjp(*bars)
        bars, of_p = (back.q, back.v), of_p + back.p
        of_u.append(back.u)
    expected = velocities(q, jnp.eye(walking.model.nv)) @ got[0]
    for a, b in zip((expected, *got[1:]), (bars[0], bars[1], np.array(of_u[::-1]), of_p)):
        close(a, b, 1e-12)
    # Forward mode and differences along one direction.
    direction = jnp.asarray(walking.random.normal(size=u.shape))
    value = jax.jit(lambda e: loss(by_steps)(q, v, u + e * direction, p))
    slope = jax.jit(lambda: jax.jvp(value, (0.0,), (1.0,))[1])()
    assert abs(slope - jnp.vdot(got[2], direction)) < 1e-11 * max(1.0, abs(slope))
    e = 1e-5
    wide, narrow = ((value(h) - value(-h)) / (2.0 * h) for h in (2.0 * e, e))
    assert abs((4.0 * narrow - wide) / 3.0 - slope) < 1e-6 * max(1.0, abs(slope))


def test_vmap_is_a_batch(walking):
    q, v, _, p = walking.x
    count = 64
    u = jnp.stack([walking.inputs(4) for _ in range(count)])
    ps = p * jnp.linspace(0.9, 1.1, count)[:, None]
    f = lambda u, p: jnp.sum(walking.sim.rollout(q, v, u, p)[1][-1] ** 2)  # noqa: E731
    single = jax.jit(jax.value_and_grad(f, argnums=(0, 1)))
    both = jax.jit(jax.vmap(single))(u, ps)
    for i in (0, 17, 63):
        alone = single(u[i], ps[i])
        for a, b in zip(jax.tree.leaves(both), jax.tree.leaves(alone)):
            close(a[i], b, 1e-13)
    # Leading dimensions do the same, and so do threads.
    other = diffsim.jax.Simulator(walking.model, PARAMS, threads=3, **walking.options)
    nested = other.rollout(q, v, u.reshape(8, 8, 4, -1), ps.reshape(8, 8, -1))
    flat = walking.sim.rollout(q, v, u, ps)
    assert nested[0].shape == (8, 8, 5, walking.model.nq)
    assert all((a.reshape(b.shape) == b).all() for a, b in zip(nested, flat))
    steps = jax.vmap(walking.sim.step, in_axes=(None, None, 0))(q, v, u[:, 0])
    assert (steps[1][5] == walking.sim.step(q, v, u[5, 0])[1]).all()
    rows = jax.vmap(jax.jacrev(lambda u: walking.sim.step(q, v, u)[1]))(u[:3, 0])
    assert rows.shape == (3, walking.model.nv, walking.model.nu)


def test_charts(chain):
    sim, q, nv = chain.sim, chain.x[0], chain.model.nv

    @jax.jit
    def charted(delta):
        there = sim.integrate(q, delta)
        J = jax.jacfwd(sim.integrate, argnums=1)(q, delta)
        return there, sim.difference(q, there), J, jax.jacrev(sim.difference, argnums=1)(q, there) @ J

    for scale in (1.0, 1e-3, 1e-6, 1e-12, 0.0):
        delta = scale * jnp.sin(jnp.arange(nv) + 1.0)
        there, back, J, identity = charted(delta)
        close(there, chain.model.integrate(np.asarray(q), np.asarray(delta)), 1e-14)
        close(back, delta, 1e-13)
        close(identity, jnp.eye(nv), 1e-10)
    G = jax.jit(jax.vmap(lambda d: sim._chart.velocity(q, d)))(jnp.eye(nv))
    close(G.T, J, 1e-14)


def test_gradients_have_no_radial_part(chain):
    q, v, u, _ = chain.x
    bar = jax.grad(lambda q: jnp.sum(jnp.sin(chain.sim.step(q, v, u)[0])))(q)
    for at in (slice(3, 7), slice(7, 11)):
        assert abs(jnp.vdot(bar[at], q[at])) < 1e-12 < jnp.abs(bar[at]).max()


STUCK = """<mujoco><worldbody><geom type="plane" size="1 1 1"/><body pos="0 0 0.1"><freejoint/>
    <geom type="box" size="0.1 0.1 0.1"/></body></worldbody></mujoco>"""


def test_labels_and_refused_gradients(models):
    model = diffsim.Model.from_string(STUCK, "mjcf")
    q, v = jnp.asarray(model.home()), jnp.zeros(6)
    sim = diffsim.jax.Simulator(model)
    landing = jnp.stack([q.at[2].add(1.0), q])
    labels = sim.labels(landing, v)
    assert labels.shape == (2,) and labels[0] == diffsim.Gradient.EXACT
    # A solver without iterations solves nothing: the step is one, its derivative is refused.
    for refused, expected in (("nan", np.nan), ("zero", 0.0)):
        tired = diffsim.jax.Simulator(model, refused=refused, max_iterations=1, tolerance=1e-300, strict=False)
        moving = v.at[0].set(1.0).at[5].set(2.0)
        mask = tired.labels(landing, moving)
        assert mask.tolist() == [0, 3]
        several = jnp.broadcast_to(moving, (2, 6))
        bars = jax.jit(jax.grad(lambda v: jnp.sum(tired.step(landing, v)[1])))(several)
        assert np.array_equal(bars[1], np.full(6, expected), equal_nan=True)
        assert np.isfinite(bars[0]).all() and bars[0].any()


@pytest.mark.parametrize("law", ("ncp", "lcp", "convex", "penalty"))
def test_landing_from_a_touch_has_the_derivative_of_one_side(models, law):
    """Feet that just touch are at a switch of the convex and the penalty law. The step there is labelled; the gradient is
    that of one side, so that central differences, which see both, are off. Where a direction lifts one foot and presses
    another one down, so are differences to either side."""
    model = diffsim.Model.load(models / "quadruped.xml", actuation="full")
    q, random = model.keyframe("standing")[0], np.random.default_rng(0)
    sim = diffsim.jax.Simulator(model, contact=law, time_step=2e-3)
    steps = 4 if law == "penalty" else 30
    v, u = 0.3 * random.normal(size=18), 0.3 * random.normal(size=(steps, 18))
    v[2] -= 0.5
    dq, dv, weights = (random.normal(size=18) for _ in range(3))
    value = jax.jit(lambda q, v: jnp.vdot(weights, jnp.sin(sim.rollout(q, v, u)[1][-1])))
    by_q, by_v = jax.grad(value, (0, 1))(jnp.asarray(q), jnp.asarray(v))
    exact = jnp.vdot(by_q, sim._chart.velocity(jnp.asarray(q), jnp.asarray(dq))) + jnp.vdot(by_v, dv)
    labels = sim.rollout_labels(q, v, u)
    one_sided = law in ("convex", "penalty")
    assert np.flatnonzero(labels).tolist() == ([0] if one_sided else [])
    e = 1e-8 if law == "penalty" else 1e-6
    at = lambda e: float(value(jnp.asarray(model.integrate(q, e * dq)), jnp.asarray(v + e * dv)))  # noqa: E731
    up, down = (at(e) - at(0.0)) / e, (at(0.0) - at(-e)) / e
    errors = sorted(abs(float(exact) - x) / max(1.0, abs(float(exact))) for x in (up, down))
    assert errors[0] < 1e-3 and (errors[1] > 0.02) == one_sided, errors
    # It is the gradient of feet just above the ground, in all entries; both neighbours are exact.
    both = jax.jit(jax.grad(value, (0, 1)))
    away = []
    for height in (1e-10, -1e-10):
        near = model.integrate(q, height * np.eye(18)[2])
        assert not sim.rollout_labels(near, v, u).any()
        other = both(jnp.asarray(near), jnp.asarray(v))
        away.append(max(float(jnp.abs(a - b).max() / jnp.abs(b).max()) for a, b in zip(other, (by_q, by_v))))
    assert away[0] < 1e-6 and (away[1] > 0.1) == one_sided, away


def test_smoothed_steps_are_the_library_s(walking):
    q, v, u, p = walking.x
    both = jnp.stack([u, u, 1.1 * u])
    path = {"method": "central_path", "kappa": 1e-3}
    for fields in (path, {"method": "first_order", "pairs": 3}):
        sim = diffsim.jax.Simulator(walking.model, PARAMS, smoothing=fields, **walking.options)
        J = jax.jit(jax.vmap(jax.jacrev(lambda u, p: sim.step(q, v, u, p)[1], (0, 1)), (0, None)))(both, p)
        assert sim.labels(q, v, both, p).tolist() == 3 * [diffsim.Gradient.SMOOTHED]
        # Random displacements follow from the arguments.
        assert all((x[0] == x[1]).all() and (x[0] != x[2]).any() for x in J)
        assert (sim.step(q, v, u, p)[1] == walking.sim.step(q, v, u, p)[1]).all()
        if fields is path:
            one = walking.library(diffsim.Sim)
            one.step(*map(np.asarray, (q, v, u)))
            expected, _ = one.smoothed_jacobians(**path)
            close(J[0][0], expected.dv_du, 1e-14)
            close(J[1][0], expected.dv_dp, 1e-14)
    with pytest.raises(diffsim.UnsupportedError, match="scan over steps"):
        jax.grad(lambda u: jnp.sum(sim.rollout(q, v, u, p)[1]))(both)
    with pytest.raises(TypeError, match="kapa"):
        diffsim.jax.Simulator(walking.model, smoothing={"kapa": 1.0})
    wrong = diffsim.jax.Simulator(walking.model, smoothing=path, contact="convex")
    with pytest.raises(Exception, match="DS_SMOOTHING_CENTRAL_PATH"):
        jax.block_until_ready(wrong.labels(q, v, u))


def test_the_aware_gradient_of_a_rollout():
    """A ball on the ground with a motor too weak to lift it: only the aware gradient sees the motor."""
    model = diffsim.Model.from_string(
        """<mujoco><worldbody><geom type="plane" size="1 1 1"/><body pos="0 0 0.1"><joint name="z" type="slide" axis="0 0 1"/>
        <geom size="0.1" mass="1"/></body></worldbody><actuator><motor joint="z"/></actuator></mujoco>""", "mjcf"
    )  # fmt: skip
    slopes = []
    for aware in (0, 1):
        sim = diffsim.jax.Simulator(model, time_step=1e-3, aware_gradient=aware)
        slopes.append(jax.grad(lambda u: -sim.rollout(jnp.zeros(1), jnp.zeros(1), u)[0][-1, 0])(jnp.zeros((4, 1))))  # noqa: B023
    assert (slopes[0] == 0.0).all() and (slopes[1] < 0.0).all()


def test_a_failed_element(walking):
    q, v, u, p = walking.x
    both = jnp.stack([u, u.at[2].set(jnp.nan)])
    with pytest.raises(Exception, match=r"element 1: u\[2\] must be finite, got NaN"):
        jax.block_until_ready(jax.jit(walking.sim.step)(q, v, both, p))
    lax = diffsim.jax.Simulator(walking.model, PARAMS, strict=False, **walking.options)
    for q1, v1 in (lax.step(q, v, both), (x[:, -1] for x in lax.rollout(q, v, both[:, None]))):
        assert np.isnan(q1[1]).all() and np.isnan(v1[1]).all()
        assert (q1[0] == walking.sim.step(q, v, u)[0]).all() and np.isfinite(v1[0]).all()
    bars = jax.grad(lambda x: jnp.sum(lax.rollout(q, v, x[:, None])[1][0]))(both)
    assert np.isfinite(bars[0]).all() and np.isnan(bars[1]).all()
    assert lax.labels(q, v, both).tolist() == [0, 3]
    # The next call works.
    assert np.isfinite(walking.sim.step(q, v, u, p)[1]).all()


def test_a_gradient_where_every_element_failed(walking):
    q, v, u, _ = walking.x
    for refused in (np.nan, 0.0):
        lax = diffsim.jax.Simulator(walking.model, strict=False, refused="zero" if refused == 0.0 else "nan")
        end = lambda u: jnp.sum(lax.rollout(q, v, u)[0])  # noqa: E731, B023
        bad = jnp.tile(u, (4, 1)).at[2, 0].set(jnp.nan)
        assert np.isnan(end(bad))
        np.testing.assert_array_equal(jax.grad(end)(bad), np.full(bad.shape, refused))
        assert np.isfinite(jax.grad(end)(jnp.tile(u, (4, 1)))).all()


def test_misuse(walking, models):
    q, v, u, p = walking.x
    sim = walking.sim
    with pytest.raises(TypeError, match="u: expected float64, got float32"):
        jax.jit(sim.step)(q, v, u.astype(jnp.float32))
    with pytest.raises(ValueError, match=r"q: expected shape \(..., 19\), got \(18,\)"):
        sim.step(v, v, u)
    with pytest.raises(ValueError, match=r"u: expected shape \(..., steps, 18\), got \(18,\)"):
        sim.rollout(q, v, u)
    with pytest.raises(ValueError, match="u: expected one row"):
        sim.rollout(q, v, jnp.zeros((0, 18)))
    with pytest.raises(ValueError, match="p: expected shape"):
        sim.step(q, v, u, p[1:])
    with pytest.raises(TypeError, match="q: expected an array of float64, got NoneType"):
        sim.step(None, v, u)
    with pytest.raises(ValueError, match=r"leading dimensions that broadcast, got those of q \(3,\), v \(2,\)"):
        sim.step(jnp.tile(q, (3, 1)), jnp.tile(v, (2, 1)), u)
    with pytest.raises(ValueError, match=r"delta: expected shape \(..., 18\), got \(19,\)"):
        sim.integrate(q, q)
    with pytest.raises(TypeError, match="q1: expected float64"):
        sim.difference(q, q.astype(jnp.float32))
    with pytest.raises(ValueError, match="refused"):
        diffsim.jax.Simulator(walking.model, refused="none")
    with pytest.raises(ValueError, match="threads: must not be negative"):
        diffsim.jax.Simulator(walking.model, threads=-1)
    with pytest.raises(TypeError, match="threads: expected a whole number"):
        diffsim.jax.Simulator(walking.model, threads="2")
    with pytest.raises(TypeError, match="smoothing: expected a dict"):
        diffsim.jax.Simulator(walking.model, smoothing=3)
    with pytest.raises(TypeError, match="time_stepp"):
        diffsim.jax.Simulator(walking.model, time_stepp=1e-3)
    with pytest.raises(Exception, match=r"p\[0\]"):
        jax.block_until_ready(sim.step(q, v, u, p.at[0].set(-1.0)))
    assert (sim.step(q, v, u, sim.params)[1] == sim.step(q, v, u)[1]).all()
    # No second derivative is made up.
    with pytest.raises(Exception, match="second derivatives"):
        jax.hessian(lambda u: jnp.sum(sim.step(q, v, u)[1]))(u)
    with pytest.raises(Exception, match="second derivatives"):
        jax.hessian(lambda u: jnp.sum(sim.rollout(q, v, u[None])[1]))(u)
    one = diffsim.jax.Simulator(walking.model)
    program = jax.jit(one.step)
    jax.block_until_ready(program(q, v, u))
    one.close()
    with pytest.raises(Exception, match="the simulator is closed"):
        jax.block_until_ready(program(q, v, u))
    # The model lives as long as the simulator.
    model = copy.copy(walking.model)
    kept = diffsim.jax.Simulator(model)
    model.close()
    assert (kept.step(q, v, u)[1] == sim.step(q, v, u)[1]).all()
    muscles = diffsim.Model.from_string(
        '<mujoco><worldbody><body><joint name="j"/><geom size="0.1"/></body></worldbody><actuator>'
        '<general joint="j" dyntype="filter" dynprm="0.1"/></actuator></mujoco>', "mjcf")  # fmt: skip
    with pytest.raises(diffsim.UnsupportedError, match="actuators with a state"):
        diffsim.jax.Simulator(muscles)


def test_what_cannot_be_done_is_said(walking):
    q, v, u, _ = walking.x
    pendulum = diffsim.Model.from_string(
        '<mujoco><worldbody><body><joint axis="0 1 0"/><geom size="0.1" pos="0 0 -1"/></body></worldbody></mujoco>', "mjcf"
    )
    two = diffsim.jax.Simulator(pendulum, integrator="bdf2", contact="none")
    x = jnp.array([0.5]), jnp.array([0.0]), jnp.zeros((5, 0))
    end = lambda v: two.rollout(x[0], v, x[2])[1][-1, 0]  # noqa: E731
    assert np.isfinite(jax.grad(end)(x[1])).all()
    for wrong in (lambda: jax.jvp(end, (x[1],), (x[1] + 1.0,)), lambda: two.step(x[0], x[1])):
        with pytest.raises(Exception, match="(?i)bdf2"):
            jax.block_until_ready(wrong())
    blind = diffsim.jax.Simulator(walking.model, derivatives=0)
    assert np.isfinite(blind.step(q, v, u)[1]).all()
    with pytest.raises(Exception, match="derivatives"):
        jax.block_until_ready(jax.grad(lambda v: jnp.sum(blind.step(q, v, u)[1]))(v))
    with pytest.raises(diffsim.UnsupportedError, match="nothing that moves"):
        diffsim.jax.Simulator(diffsim.Model.from_string("<mujoco/>", "mjcf"))


def run(code, **environment):
    everything = {**os.environ, **environment}
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120, env=everything)


def test_single_precision_is_refused():
    done = run("import diffsim.jax; diffsim.jax.Simulator(diffsim.Model.from_string('<mujoco/>', 'mjcf'))")
    assert "jax_enable_x64" in done.stderr and "UnsupportedError" in done.stderr


def test_without_a_compiler(tmp_path):
    done = run("import diffsim.jax", CXX="no-such-compiler", DIFFSIM_CACHE=str(tmp_path))
    assert "no C++ compiler found" in done.stderr
    # Compiled ones are used wherever they lie.
    assert pathlib.Path(_xla.compiled()).exists()


def test_the_order_of_the_library_s_functions():
    source = _xla.SOURCE.read_text()
    struct = source[source.index("struct Library {") : source.index("};")]
    names = [line.split("(*")[1].split(")")[0] for line in struct.splitlines() if "(*" in line]
    known = [name.removeprefix("ds_batch_").removeprefix("ds_") for name in _xla.FUNCTIONS]
    other = {"select": "select_params", "jacobians": "step_jacobians", "info": "step_info",
             "adjoint": "rollout_adjoint", "labels": "rollout_gradient", "sim_select": "sim_select_params",
             "smoothed": "sim_smoothed_jacobians"}  # fmt: skip
    assert [other.get(name, name) for name in names] == known
