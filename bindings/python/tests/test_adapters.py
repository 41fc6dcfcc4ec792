"""Recordings in rerun and viser, where these are installed."""

import pathlib

import numpy as np
import pytest

import diffsim
from diffsim import adapters

MODELS = pathlib.Path(__file__).resolve().parents[3] / "examples" / "models"


@pytest.fixture(scope="module")
def recording():
    model = diffsim.Model.load(MODELS / "quadruped.xml")
    recorder = diffsim.Recorder(model, channels={"one/two": 1})
    sim = diffsim.Sim(model, time_step=1e-3)
    q, v, u = model.keyframe("standing")
    for _ in range(100):
        q, v = sim.step(q, v, u)
        recorder.step(sim)
    return recorder.recording()


def test_impulses_hold_the_weight(recording):
    """Four feet at rest carry the robot: the impulses of a step add up to m g h."""
    contacts = recording.frames[-1].contacts
    total = adapters.impulses(contacts)
    sign = np.where([recording.shapes[g].body == 0 for g in contacts["geom_b"]], -1.0, 1.0)
    weight = sum(b.mass for b in recording.bodies) * 9.81 * 0.001
    assert (sign[:, None] * total).sum(axis=0)[2] == pytest.approx(weight, rel=0.5)


def test_rerun(recording, tmp_path):
    pytest.importorskip("rerun")
    stream = adapters.to_rerun(recording, tmp_path / "run.rrd")
    stream.flush()
    assert (tmp_path / "run.rrd").stat().st_size > 10_000


def test_viser(recording):
    pytest.importorskip("viser")
    server = adapters.to_viser(recording, port=0)
    server.stop()
