"""Pages of recordings: whole by themselves, small, and without a word of a file as markup."""

import base64
import json
import pathlib
import re
import zlib

import numpy as np
import pytest

import diffsim
from diffsim import viewer

MODELS = pathlib.Path(__file__).resolve().parents[3] / "examples" / "models"
BAD = "</script><script>alert(1)</script>"


@pytest.fixture(scope="module")
def recording():
    model = diffsim.Model.load(MODELS / "quadruped.xml")
    recorder = diffsim.Recorder(model, channels={BAD: 1})
    sim = diffsim.Sim(model)
    q, v, u = model.keyframe("standing")
    for _ in range(500):
        q, v = sim.step(q, v, u)
        recorder.step(sim)
    return recorder.recording()


def packed(page):
    """What the page holds: head and bytes."""
    (text,) = re.findall(r'<script type="application/x-diffsim">(.*?)</script>', page)
    data = zlib.decompress(base64.b64decode(text))
    length = int.from_bytes(data[:4], "little")
    return json.loads(data[4 : 4 + length]), data[4 + length :]


def column(head, data, name):
    """An array of the page, as the script reads it."""
    dtype, start, length, options = head["arrays"][name]
    size = int(dtype[1])
    raw = np.frombuffer(data[start : start + length], "u1").reshape(size, -1).T.tobytes()
    x = np.frombuffer(raw, "<" + dtype)
    return np.cumsum(x.reshape(-1, options["row"]), axis=1, dtype=x.dtype) if options else x


def test_a_page_needs_nothing_else(recording, tmp_path):
    recording.view(tmp_path / "run.html", title=BAD)
    page = (tmp_path / "run.html").read_text(encoding="utf-8")
    assert BAD not in page and page.count("<script") == 3
    assert "default-src 'none'" in page
    # The script knows addresses (of namespaces, in comments) but nothing of the page loads one.
    assert not re.search(r"<(link|img|iframe)[^>]+(src|href)=\"(?!data:)", page)
    assert "three.js" in page and "MIT License" in page
    assert len(page) < 0.5e6


def test_a_page_has_the_poses_of_the_recording(recording):
    head, data = packed(recording.html())
    count, poses = len(recording.frames), column(head, data, "poses")
    assert poses.shape[1] == count == len(column(head, data, "time"))
    assert head["bodies"][1]["name"] == "trunk"
    for body, slot in enumerate(head["slots"]):
        if slot < 0:
            continue
        position = poses[7 * slot : 7 * slot + 3].T * head["lengthStep"]
        want = np.array([f.poses[body, :3] for f in recording.frames])
        assert np.abs(position - want).max() < 2e-5
    starts = column(head, data, "contactStart")
    assert starts.tolist() == np.cumsum([0] + [len(f.contacts) for f in recording.frames]).tolist()
    up = column(head, data, "impulse").reshape(-1, 3)[:, 2]
    assert np.abs(up).max() > 0


def test_a_page_has_each_surface_once():
    model = diffsim.Model.load(MODELS / "quadruped.xml")
    recorder = diffsim.Recorder(model)
    corners = np.array([[0.0, 0, 0], [1, 0, 0], [0, 1, 0]])
    recorder.surface(BAD, corners, [[0, 1, 2]], [1, 0, 0, 0.5])
    for k in range(6):
        if k % 2:
            recorder.surface("moves", corners + k, [[0, 1, 2]])
        recorder.state(k, model.neutral())
    page = recorder.recording().html()
    assert BAD not in page
    head, data = packed(page)
    assert head["surfaces"]["names"] == [BAD, "moves"]
    versions = head["surfaces"]["versions"]
    assert [v["name"] for v in versions] == [0, 1, 1, 1] and versions[0]["rgba"] == [1, 0, 0, 0.5]
    assert column(head, data, "surfaceStart").tolist() == [0, 1, 3, 5, 7, 9, 11]
    assert column(head, data, "surfaceShown").tolist() == [0, 0, 1, 0, 1, 0, 2, 0, 2, 0, 3]
    points = column(head, data, "surfacePoints").reshape(-1, 3)
    for version, shift in zip(versions, (0, 1, 3, 5)):
        start, count = version["points"]
        assert np.array_equal(points[start : start + count], corners + shift)
    # They all have the same triangle.
    assert column(head, data, "surfaceTriangles").tolist() == [0, 1, 2]


def test_meshes_are_thinned_to_a_budget():
    n = 200
    x, y = np.meshgrid(np.linspace(0, 1, n), np.linspace(0, 1, n))
    points = np.stack([x.ravel(), y.ravel(), 0.1 * np.sin(9 * x.ravel())], axis=1)
    i = (np.arange(n - 1)[:, None] * n + np.arange(n - 1)).ravel()
    triangles = np.concatenate([np.stack([i, i + 1, i + n + 1], 1), np.stack([i, i + n + 1, i + n], 1)])

    def area(points, triangles):
        a, b, c = (points[triangles[:, k]] for k in range(3))
        return 0.5 * np.linalg.norm(np.cross(b - a, c - a), axis=1).sum()

    assert viewer.thinned([(points, triangles)], len(triangles))[0][1] is triangles
    ((few, faces),) = viewer.thinned([(points, triangles)], 30_000)
    assert 8_000 < len(faces) <= 30_000
    assert area(few, faces) == pytest.approx(area(points, triangles), rel=0.03)


def test_notebooks_show_models_and_sims():
    model = diffsim.Model.load(MODELS / "quadruped.xml")
    sim = diffsim.Sim(model)
    for shown in (model._repr_html_(), sim._repr_html_()):
        assert shown.startswith("<iframe")
    q, v, u = model.keyframe("standing")
    sim.step(q, v, u)
    assert sim._repr_html_().startswith("<iframe")


def test_of_many_frames_some_are_shown(recording):
    from dataclasses import replace

    many = replace(recording, frames=recording.frames * 400)
    head, data = packed(viewer.page([many]))
    times = column(head, data, "time")
    assert len(times) == viewer.FRAMES and times[0] == many.frames[0].time and times[-1] == many.frames[-1].time


def test_what_cannot_be_shown_is_told(recording):
    from dataclasses import replace

    nowhere = {"sheet": (np.full((1, 3), np.inf), np.zeros((0, 3), "u4"), np.ones(4))}
    with pytest.raises(ValueError, match="surface"):
        viewer.page([replace(recording, frames=[replace(recording.frames[0], surfaces=nowhere)])])
    with pytest.raises(ValueError, match="recordings"):
        viewer.page([])
    with pytest.raises(ValueError, match="recordings"):
        viewer.page([diffsim.Recording()])
    inline = recording._repr_html_()
    assert inline.startswith("<iframe") and BAD not in inline and 'sandbox="allow-scripts allow-downloads"' in inline


def test_what_has_no_frames_shows_itself_as_text():
    """An empty recorder at the end of a notebook's cell is no error."""
    recorder = diffsim.Recorder(diffsim.Model.load(MODELS / "quadruped.xml"))
    assert recorder._repr_html_() is None and diffsim.Recording()._repr_html_() is None
    assert "0 frames" in repr(recorder) and "0 frames" in repr(recorder.recording())


def test_text_of_a_recording_is_short(recording):
    assert len(repr(recording)) < 200 and "61 frames, 0 to 1 s" in repr(recording)
    assert len(repr(recording.frames[3])) < 100


def test_lost_frames_are_told():
    model = diffsim.Model.load(MODELS / "quadruped.xml")
    recorder = diffsim.Recorder(model, rate=0, capacity=1 << 15)
    for k in range(200):
        recorder.state(1e-3 * k, model.home())
    made = recorder.recording()
    assert made.lost == recorder.dropped > 0 and made.lost + len(made.frames) == 200
    assert head(made)["lost"] == made.lost and head(made)["recorded"] == len(made.frames)


def head(recording):
    data = viewer.pack(recording)
    return json.loads(data[4 : 4 + int.from_bytes(data[:4], "little")])


def test_ellipsoids_have_the_inertia_of_their_bodies():
    """Mass and half axes of a solid ellipsoid give the inertia back; so does the time step of frames."""
    model = diffsim.Model.load(MODELS / "quadruped.xml")
    recorder, sim = diffsim.Recorder(model, rate=0), diffsim.Sim(model, time_step=2e-3)
    q, v, u = model.keyframe("standing")
    for _ in range(3):
        q, v = sim.step(q, v, u)
        recorder.step(sim)
    told = head(recorder.recording())
    assert told["timeStep"] == pytest.approx(2e-3)
    for body, shown in zip(model.bodies[1:], told["bodies"][1:]):
        a, x = np.array(shown["inertia"]["axes"]), np.array(shown["inertia"]["quaternion"])
        r = np.eye(3) + 2 * x[3] * cross(x[:3]) + 2 * cross(x[:3]) @ cross(x[:3])
        moments = body.mass / 5 * (np.sum(a**2) - a**2)
        np.testing.assert_allclose(r @ np.diag(moments) @ r.T, body.inertia_com, atol=1e-3 * moments.max())


def cross(x):
    return np.array([[0, -x[2], x[1]], [x[2], 0, -x[0]], [-x[1], x[0], 0]])
