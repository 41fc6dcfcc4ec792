"""Threads, forks and objects that were made by half: exceptions or right results, no crash."""

import gc
import os
import subprocess
import sys
import threading
import weakref

import numpy as np
import pytest

import diffsim


@pytest.fixture
def model(models):
    return diffsim.Model.load(models / "quadruped.xml")


def together(work, count=4):
    """Runs work(i) in as many threads at once; the first exception is raised here."""
    failed, start = [], threading.Barrier(count)

    def go(i):
        try:
            start.wait()
            work(i)
        except BaseException as error:
            failed.append(error)

    threads = [threading.Thread(target=go, args=(i,)) for i in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if failed:
        raise failed[0]


def test_calls_of_one_sim_take_turns(model):
    """Each step is one of those that the threads ask for: none is a mixture."""
    q, v, u = model.keyframe("standing")
    sims = diffsim.Sim(model, contact="none"), diffsim.Sim(model, contact="none")
    inputs = [u + i for i in range(4)]
    expected = [sims[0].step(q, v, x)[1] for x in inputs]

    def work(i):
        for _ in range(200):
            np.testing.assert_array_equal(sims[1].step(q, v, inputs[i])[1], expected[i])
            sims[1].jacobians(["dv_du"])

    together(work)


def test_steps_and_other_calls_of_one_object_at_once(model):
    q, v, u = model.keyframe("standing")
    sim, recorder, rollout = (
        diffsim.Sim(model),
        diffsim.Recorder(model, rate=0, capacity=1 << 16),
        diffsim.Rollout(model, 3),
    )
    sim.step(q, v, u)

    def work(i):
        for _ in range(100):
            sim.step(q, v, u)
            (sim.contacts, sim.jacobians, lambda: recorder.step(sim), lambda: repr(sim))[i]()
            rollout.run(q, v, steps=1 + i % 3)

    together(work)


def test_a_model_serves_threads(model):
    q = model.home()

    def work(i):
        for _ in range(50):
            assert model.integrate(q, np.zeros(18)).shape == (19,)
            diffsim.Sim(model).mass_matrix(q)

    together(work)


def test_closing_while_others_call(model):
    q, v, u = model.keyframe("standing")
    sim = diffsim.Sim(model)

    def work(i):
        try:
            for k in range(200):
                sim.step(q, v, u)
                if (i, k) == (3, 50):
                    sim.close()
        except diffsim.InvalidArgumentError as error:
            assert "sim: must be open; it is closed" in str(error)

    together(work)


def test_fixed_attributes_cannot_be_exchanged(model, models):
    """Results were made for the other model's sizes, and written past their ends."""
    small = diffsim.Model.load(models / "cartpole.xml")
    sim, rollout, batch = diffsim.Sim(model), diffsim.Rollout(model, 2), diffsim.Batch(model, 2, 1)
    problem, recorder = diffsim.Problem(2), diffsim.Recorder(model)
    for handle, name in (
        *((x, "model") for x in (sim, rollout, batch, recorder)),
        (sim, "np"),
        (rollout, "max_steps"),
        (batch, "count"),
        (problem, "nv"),
        (model, "nq"),
        (model, "nbody"),
    ):
        with pytest.raises(AttributeError):
            setattr(handle, name, small)
        with pytest.raises(AttributeError):
            delattr(handle, name)
    with pytest.raises(TypeError, match="made once"):
        sim.__init__(small)
    assert sim.model is model and sim.mass_matrix(model.home()).shape == (18, 18)


@pytest.mark.parametrize("kind", ("Sim", "Rollout", "Batch", "Problem", "Builder", "Model", "Recorder"))
def test_an_object_without_its_init(kind):
    made = getattr(diffsim, kind)
    empty = made.__new__(made)
    assert "closed" in repr(empty)
    empty.close()
    with empty:
        pass
    for name in dir(made):
        if not name.startswith("_") and isinstance(getattr(made, name), property):
            with pytest.raises((diffsim.InvalidArgumentError, AttributeError)):
                getattr(empty, name)
    with pytest.raises(TypeError):
        made.__new__(made).__init__(object(), object(), object(), nothing=1)


def test_an_init_that_raises(model):
    class Late(diffsim.Sim):
        def __init__(self):
            super().__init__(model)
            self.itself = self
            raise RuntimeError

    class Never(diffsim.Sim):
        def __init__(self):
            self.name = "never"

    with pytest.raises(RuntimeError):
        Late()
    never = Never()
    with pytest.raises(diffsim.InvalidArgumentError, match="sim: must be open"):
        never.info()
    with pytest.raises((diffsim.InvalidArgumentError, AttributeError)):
        never.step([], [])
    gc.collect()
    with pytest.raises(TypeError):
        diffsim.Recorder(model, channels={3: 1})


def test_cycles_are_released(model):
    class Own(diffsim.Sim):
        pass

    sim = Own(model)
    sim.itself, gone = [sim], weakref.ref(sim)
    del sim
    gc.collect()
    assert gone() is None


def test_jacobians_made_of_other_numbers(model):
    """Memory of bytes was taken for one of float64."""
    sim = diffsim.Sim(model)
    sim.step(*model.keyframe("standing"))
    J = sim.jacobians()
    J.__setstate__({"dq_dq": np.zeros((18, 18), np.int8)})
    assert np.array_equal(sim.jacobians(out=J).dq_dq, sim.jacobians().dq_dq) and J.dv_dv is None
    with pytest.raises(TypeError, match="out: expected diffsim.StepJacobians, got Namespace"):
        sim.jacobians(out=type("Namespace", (), {"_struct": J._struct})())


FORKS = {
    "idle": "sim.step(q, v, u); rollout.run(q, v, steps=2); problem.info",
    "batch": """
try:
    batch.step(Q, V)
except diffsim.InvalidArgumentError as error:
    assert "its threads did not come along when the process forked" in str(error)
else:
    raise AssertionError
alone.step(Q, V)
""",
    "within a call": """
try:
    busy.run(q, v, steps=100000)
except diffsim.InvalidArgumentError as error:
    assert "a call was under way when the process forked" in str(error)
else:
    raise AssertionError
""",
}


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
@pytest.mark.parametrize("work", FORKS)
def test_forks(models, work):
    program = f"""
import os, sys, threading, time, warnings
import numpy as np, diffsim
warnings.simplefilter("ignore")
model = diffsim.Model.load({str(models / "quadruped.xml")!r})
q, v, u = model.keyframe("standing")
Q, V = np.repeat(q[:, None], 2, axis=1), np.repeat(v[:, None], 2, axis=1)
sim, rollout, problem = diffsim.Sim(model), diffsim.Rollout(model, 2), diffsim.Problem(1)
batch, alone, busy = diffsim.Batch(model, 2, 2), diffsim.Batch(model, 2, 1), diffsim.Rollout(model, 100000)
batch.step(Q, V)
thread = threading.Thread(target=lambda: busy.run(q, v, steps={20000 if work == "within a call" else 1}))
thread.start()
while {work == "within a call"} and busy._lock.acquire(blocking=False):
    busy._lock.release()
    time.sleep(1e-3)
child = os.fork()
if child == 0:
{"".join("    " + line + chr(10) for line in FORKS[work].splitlines())}
    sys.exit(0)
assert os.waitpid(child, 0)[1] == 0
batch.step(Q, V)
thread.join()
"""
    run = subprocess.run(
        [sys.executable, "-X", "faulthandler", "-c", program], capture_output=True, text=True, timeout=60
    )
    assert (run.returncode, run.stderr) == (0, "")
