"""The trajectories and derivatives of ctests/reference.c, where they are described, bit for bit."""

import numpy as np

import diffsim

MODELS = ("cartpole.xml", "arm7.urdf", "quadruped.xml", "humanoid.xml")
STEPS, EVERY, ROLLOUT = 60, 10, 30
MASS = diffsim.Param(diffsim.ParamKind.BODY_INERTIA, 1, 0)


def pattern(n, factor, modulus, shift):
    return factor * np.arange(n) % modulus + float(shift)


def numbers(model):
    """All arrays, in the file's order."""
    q0, u0 = model.neutral(), np.zeros(model.nu)
    if model.nkeyframe:
        q0, _, u0 = model.keyframe(model.keyframe_names[0])
    v0 = pattern(model.nv, 5, 7, -3) / 8.0
    u = np.array([u0 + ((7 * np.arange(model.nu) + 3 * t) % 11 - 5.0) / 32.0 for t in range(STEPS)])
    q_bar, v_bar = pattern(model.nv, 3, 5, -2), pattern(model.nv, 2, 3, -1)

    sim = diffsim.Sim(model, time_step=1.0 / 512.0)
    sim.select_params([MASS])
    q, v = q0, v0
    for t in range(STEPS):
        q, v = sim.step(q, v, u[t])
        yield from (q, v)
        if t % EVERY == EVERY - 1:
            jacobians = sim.jacobians()
            yield from (getattr(jacobians, name) for name in diffsim.StepJacobians.NAMES)
            yield from sim.vjp(q_bar, v_bar)

    rollout = diffsim.Rollout(model, ROLLOUT, time_step=1.0 / 512.0)
    rollout.select_params([MASS])
    yield from rollout.run(q0, v0, u[:ROLLOUT].T)
    repeated = (np.repeat(x[:, None], ROLLOUT + 1, axis=1) for x in (q_bar, v_bar))
    yield from rollout.adjoint(*repeated)


def test_python_gives_the_bits_of_c(models, reference):
    got = []
    for name in MODELS:
        full = diffsim.Actuation.FULL if name.endswith(".urdf") else diffsim.Actuation.FROM_FILE
        model = diffsim.Model.load(models / name, actuation=full)
        got += [x.ravel(order="F") for x in numbers(model)]
    want = np.fromfile(reference)
    got = np.concatenate(got)
    assert got.size == want.size > 10_000
    assert np.isfinite(got).all()
    assert (got.view(np.uint64) == want.view(np.uint64)).all()
