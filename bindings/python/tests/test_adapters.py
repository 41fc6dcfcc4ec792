"""Recordings in rerun and viser, where these are installed."""

import pathlib
import time

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


def test_rerun_shows_gradients(tmp_path):
    """The arrows of a rollout's gradient, by quantity, and the label of each step."""
    pytest.importorskip("rerun")
    model = diffsim.Model.load(MODELS / "quadruped.xml")
    q, v, u = model.keyframe("standing")
    rollout = diffsim.Rollout(model, 40)
    rollout.run(q, v, np.tile(u[:, None], 40))
    bar = np.zeros((model.nv, 41), order="F")
    bar[0, -1] = 1.0
    recorder = diffsim.Recorder(model)
    recorder.rollout(rollout, rollout.adjoint(bar, np.zeros_like(bar)))
    run = recorder.recording()
    assert {int(k) for f in run.frames for k in f.arrows["quantity"]} == {0, 1, 2}
    adapters.to_rerun(run, tmp_path / "run.rrd").flush()
    data = (tmp_path / "run.rrd").read_bytes()
    for path in (b"gradients/pose", b"gradients/velocity", b"gradients/input", b"derivative/label", b"state/q"):
        assert path in data, path
    assert b"gradients/user" not in data


def test_the_extent_is_that_of_the_poses(recording):
    """Feet on the ground, and the largest distance of bodies with the thickness of their shapes."""
    centre, size = adapters._extent(recording)
    poses = recording.frames[0].poses[1:, :3]
    spread = np.linalg.norm(np.ptp(poses, axis=0))
    assert spread < size < spread + 0.4 and np.all(np.abs(centre - (poses.min(axis=0) + poses.max(axis=0)) / 2) < 0.1)


def test_viser(recording):
    """The ground, the contacts and the frames; the box plays."""
    pytest.importorskip("viser")
    server = adapters.to_viser(recording, port=0)
    try:
        names = set(server.scene._handle_from_node_name)
        # The camera looks at the robot from as far as it is large.
        centre, size = adapters._extent(recording)
        camera = server.initial_camera
        assert np.allclose(camera.look_at, centre) and 1.2 * size < np.linalg.norm(camera.position - centre) < 1.6 * size
        assert {"/contacts", "/ground0"} <= names and any("trunk" in name for name in names), names
        slider, play = (next(h for h in server.gui._gui_input_handle_from_uuid.values() if h.label == label) for label in ("frame", "play"))
        play.value = True
        end = time.monotonic() + 5.0
        while slider.value == 0 and time.monotonic() < end:
            time.sleep(0.01)
        assert slider.value > 0
        play.value = False
        time.sleep(0.1)
    finally:
        server.stop()


def test_planes_are_drawn(recording):
    (name, shape, points, faces), *others = adapters._grounds(recording, 20.0)
    assert not others and name == "ground0" and shape.body == 0 and np.all(points[:, 2] == 0.0)
    # Seen from above.
    a, b, c = points[faces[0]]
    assert np.cross(b - a, c - a)[2] > 0.0
