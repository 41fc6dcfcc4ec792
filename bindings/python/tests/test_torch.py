"""Steps and trajectories in torch against the library's own calls and against differences."""

import numpy as np
import pytest

torch = pytest.importorskip("torch")

import diffsim  # noqa: E402
import diffsim.torch  # noqa: E402

PARAMS = (diffsim.Param("body_inertia", 1), diffsim.Param("joint_damping", 3))


@pytest.fixture(scope="module")
def scene(models):
    model = diffsim.Model.load(models / "quadruped.xml", actuation="full")
    q, _, _ = model.keyframe("standing")
    v = 0.2 * np.sin(np.arange(model.nv))
    u = 0.3 * np.cos(np.arange(6.0 * model.nu).reshape(6, model.nu))
    return model, diffsim.torch.Simulator(model, PARAMS), *map(torch.from_numpy, (q, v, u))


def test_rollouts_have_the_bits_and_the_adjoint_of_the_library(scene):
    model, sim, q, v, u = scene
    rollout = diffsim.Rollout(model, 6)
    rollout.select_params(PARAMS)
    for got, path in zip(sim.rollout(q, v, u), rollout.run(q.numpy(), v.numpy(), u.numpy().T)):
        assert (got.numpy().T == path).all()
    x = [y.clone().requires_grad_() for y in (v, u, sim.params)]
    bar = torch.from_numpy(np.random.default_rng(0).normal(size=(7, model.nv)))
    (sim.rollout(q, *x)[1] * bar).sum().backward()
    exact = rollout.adjoint(np.zeros((model.nv, 7)), bar.numpy().T)
    for y, expected in zip(x, exact[1:]):
        assert np.allclose(y.grad.numpy().T, expected, rtol=1e-13, atol=1e-13)


def test_gradients_are_those_of_differences(scene):
    model, sim, q, v, u = scene
    random = np.random.default_rng(1)
    p = sim.params
    weights = [torch.from_numpy(random.normal(size=(3, 7, n))) for n in (model.nq, model.nv)]
    us = torch.stack([u, 1.1 * u, 0.9 * u])

    def loss(q, v, u, p):
        path = sim.rollout(q, v, u, p)
        # Another call in between does not change the gradient.
        sim.rollout(q.detach(), v.detach(), 2.0 * u.detach(), p.detach())
        return sum((w * torch.sin(x)).sum() for w, x in zip(weights, path))

    x = [y.clone().requires_grad_() for y in (q, v, us, p)]
    loss(*x).backward()
    delta = random.normal(size=model.nv)
    along = [sim._chart.velocity(q.numpy(), delta), *(random.normal(size=y.shape) for y in x[1:])]
    forward = sum(float((y.grad * torch.from_numpy(d)).sum()) for y, d in zip(x, along))
    # The gradient has no part along the quaternion.
    assert abs(float((x[0].grad[3:7] * q[3:7]).sum())) < 1e-10

    def at(e):
        there = model.integrate(q.numpy(), e * delta)
        others = (y.detach() + e * torch.from_numpy(d) for y, d in zip(x[1:], along[1:]))
        return float(loss(torch.from_numpy(there), *others))

    difference = (at(1e-6) - at(-1e-6)) / 2e-6
    assert abs(forward - difference) < 1e-5 * max(1.0, abs(difference))


def test_a_chain_of_steps_is_a_rollout(scene):
    model, sim, q, v, u = scene
    grads = []
    for chained in (True, False):
        x = u.clone().requires_grad_()
        if chained:
            state = q, v
            for row in x:
                state = sim.step(*state, row)
            end = state[1]
        else:
            end = sim.rollout(q, v, x)[1][-1]
        (end**2).sum().backward()
        grads.append(x.grad.numpy())
    assert np.allclose(grads[0], grads[1], rtol=1e-8, atol=1e-10)


def test_without_parameters(scene):
    model, _, q, v, u = scene
    sim = diffsim.torch.Simulator(model)
    x = torch.stack([u, 0.5 * u]).requires_grad_()
    path = sim.rollout(q, v, x)[1]
    assert (path[0].detach().numpy().T == diffsim.Rollout(model, 6).run(q.numpy(), v.numpy(), u.numpy().T)[1]).all()
    path.sum().backward()
    assert x.grad.shape == x.shape and torch.isfinite(x.grad).all()


def test_misuse(scene):
    model, sim, q, v, u = scene
    with pytest.raises(ValueError, match=r"leading dimensions that broadcast, got those of q0 \(3,\), v0 \(2,\)"):
        sim.step(q.repeat(3, 1), v.repeat(2, 1), u[0])
    with pytest.raises(ValueError, match=r"one element at least, got leading dimensions \(0,\)"):
        sim.rollout(q[None][:0], v, u)
    with pytest.raises(ValueError, match=r"u: expected shape \(..., 18\), got \(\)"):
        sim.step(q, v, u[0, 0])
    with pytest.raises(TypeError, match="q0: expected .* with layout torch.sparse_coo"):
        sim.rollout(q.to_sparse(), v, u)
    with pytest.raises(TypeError, match="u: expected a tensor of float64 on the CPU, got torch.float32"):
        sim.rollout(q, v, u.float())
    with pytest.raises(TypeError, match="q0: expected a tensor of float64 on the CPU, got ndarray"):
        sim.rollout(q.numpy(), v, u)
    with pytest.raises(ValueError, match=r"v0: expected shape \(..., 18\), got \(19,\)"):
        sim.rollout(q, q, u)
    with pytest.raises(ValueError, match="u: expected one row"):
        sim.rollout(q, v, u[:0])
    with pytest.raises(diffsim.NumericalError, match=r"element 0: step 2: u\[1\]"):
        bad = u.clone()
        bad[2, 1] = float("nan")
        sim.rollout(q, v, bad)
    # No second derivative is made up, not even of a loss that is linear in the states.
    for power in (1, 2):
        with pytest.raises(NotImplementedError, match="second derivatives are not known"):
            x = u.clone().requires_grad_()
            (g,) = torch.autograd.grad((sim.rollout(q, v, x)[1] ** power).sum(), x, create_graph=True)
            g.sum().backward()
