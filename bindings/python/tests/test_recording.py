"""Recordings: what the package reads is what the library recorded, to the bit, whatever became of the file."""

import pathlib

import numpy as np
import pytest

import diffsim

MODELS = pathlib.Path(__file__).resolve().parents[3] / "examples" / "models"


@pytest.fixture(scope="module")
def model():
    return diffsim.Model.load(MODELS / "quadruped.xml")


def fall(model, steps, see):
    sim = diffsim.Sim(model, time_step=1e-3)
    q, v, u = model.neutral(), np.zeros(model.nv), np.zeros(model.nu)
    for _ in range(steps):
        q, v = sim.step(q, v, u)
        see(sim, q, v)
    return q, v


def test_frames_are_what_the_sim_says(model):
    recorder = diffsim.Recorder(model, rate=0, channels={"height": 1, "<both>": 2})
    seen = []

    def see(sim, q, v):
        recorder.set("height", q[2])
        recorder.set("<both>", [len(seen), -1.0])
        recorder.step(sim)
        seen.append((q, v, sim.contacts().copy(), sim.info()))

    fall(model, 500, see)
    r = recorder.recording()
    assert r.damage is None and len(r.frames) == 501 == recorder.frames
    assert [b.name for b in r.bodies] == [model.body(i).name for i in range(model.nbody)]
    assert (r.nq, r.nv, r.nu) == (model.nq, model.nv, model.nu)
    assert r.frames[0].gradient is None and np.array_equal(r.frames[0].q, model.neutral())
    sim, touched = diffsim.Sim(model, time_step=1e-3), 0
    for k, (frame, (q, v, contacts, info)) in enumerate(zip(r.frames[1:], seen)):
        assert np.array_equal(frame.q, q) and np.array_equal(frame.v, v)
        assert frame.time == (k + 1) * 0.001 and frame.gradient == info.gradient
        touched += len(contacts)
        for name in ("geom_a", "geom_b", "mode", "point", "normal", "impulse", "gap"):
            assert np.array_equal(frame.contacts[name], contacts[name]), name
        if k % 100 == 0:
            assert np.array_equal(frame.poses[:, :3].T, sim.forward_kinematics(q)[:3, 3])
    assert touched > 500
    assert np.array_equal(r.channel("height")[1:, 0], [q[2] for q, *_ in seen])
    assert np.array_equal(r.channel("<both>")[1:], [[k, -1.0] for k in range(500)])


def test_files_survive_what_happens_to_them(model, tmp_path):
    path = tmp_path / "run.dsrec"
    with diffsim.Recorder(model, rate=0, path=path, capacity=1 << 16) as recorder:
        fall(model, 100, lambda sim, q, v: recorder.step(sim))
        assert recorder.dropped == 0
    whole = diffsim.Recording.read(path)
    assert whole.damage is None and len(whole.frames) == 101
    streamed = list(diffsim.Recording.stream(path))
    assert [f.time for _, f in streamed] == whole.times.tolist() and streamed[0][0].name == whole.name
    data = path.read_bytes()
    known = -1
    for cut in range(len(data), 0, -9973):
        try:
            part = diffsim.Recording.from_bytes(data[:cut])
        except diffsim.RecordingError:
            assert known in (-1, 0)
            known = 0
            continue
        known = len(part.frames)
        for a, b in zip(part.frames, whole.frames):
            assert a.time == b.time and np.array_equal(a.q, b.q)
        assert cut == len(data) or part.damage or known < 101
    bad = bytearray(data)
    bad[-100] ^= 1
    part = diffsim.Recording.from_bytes(bytes(bad))
    assert "checksum" in part.damage and 0 < len(part.frames) < 101
    path.write_bytes(bytes(bad))
    streamed = list(diffsim.Recording.stream(path))
    assert len(streamed) == len(part.frames) and "checksum" in streamed[-1][0].damage
    # A length that no file has.
    huge = data[:16] + (2**62).to_bytes(8, "little") + data[24:]
    with pytest.raises(diffsim.RecordingError, match="ends within a chunk"):
        diffsim.Recording.from_bytes(huge)
    path.write_bytes(b"solid stl\n")
    with pytest.raises(diffsim.RecordingError, match="run.dsrec: this is not a recording"):
        diffsim.Recording.read(path)


def test_gradients_of_a_rollout_become_arrows(model):
    rollout = diffsim.Rollout(model, 20, time_step=1e-3)
    u = np.zeros((model.nu, 20), order="F")
    rollout.run(model.neutral(), np.zeros(model.nv), u)
    bar = np.zeros((model.nv, 21), order="F")
    bar[0, -1] = 1.0
    gradients = rollout.adjoint(bar, np.zeros_like(bar))
    recorder = diffsim.Recorder(model, rate=0)
    recorder.rollout(rollout, gradients)
    r = recorder.recording()
    assert len(r.frames) == 21
    arrows = r.frames[0].arrows
    trunk = arrows[(arrows["body"] == 1) & (arrows["quantity"] == 0) & (arrows["angular"] == 0)]
    # The trunk is level at the start: its axes are the world's.
    np.testing.assert_allclose(trunk["vector"], gradients.q[None, :3], atol=1e-12)
    assert {1} <= set(r.frames[0].arrows["quantity"])


def test_surfaces_are_in_the_frames_that_show_them(model, tmp_path):
    rng = np.random.default_rng(3)
    sheets = rng.normal(size=(40, 5, 3))
    path = tmp_path / "run.dsrec"
    with diffsim.Recorder(model, path=path, capacity=1 << 14) as recorder:
        for k, sheet in enumerate(sheets):
            recorder.surface("sheet", sheet, [[0, 1, 2], [2, 3, 4]], [0, 0.5, 1, 0.25])
            if k == 3:
                recorder.surface("<b>", sheet[:3], np.array([[2, 1, 0]]), [1, 1, 0])
            if k == 30:
                recorder.surface("<b>", [])
            recorder.state(k, model.neutral())
    whole = diffsim.Recording.read(path)
    assert whole.damage is None and len(whole.frames) == 40
    for k, frame in enumerate(whole.frames):
        assert set(frame.surfaces) == ({"sheet", "<b>"} if 3 <= k < 30 else {"sheet"})
        points, triangles, rgba = frame.surfaces["sheet"]
        assert np.array_equal(points, sheets[k]) and triangles.tolist() == [[0, 1, 2], [2, 3, 4]]
        assert rgba.tolist() == [0, 0.5, 1, 0.25]
        if "<b>" in frame.surfaces:
            points, triangles, rgba = frame.surfaces["<b>"]
            assert np.array_equal(points, sheets[3, :3]) and triangles.tolist() == [[2, 1, 0]]
            assert rgba.tolist() == [1, 1, 0, 1]
    streamed = [frame.surfaces["sheet"][0] for _, frame in diffsim.Recording.stream(path)]
    assert np.array_equal(streamed, sheets)
    recorder = diffsim.Recorder(model)
    for points, triangles, color, error, name in (
        (sheets[0], [[0, 1, 5]], [1, 1, 1], diffsim.InvalidArgumentError, "triangles"),
        (sheets[0], [[0, 1, -1]], [1, 1, 1], diffsim.InvalidArgumentError, "triangles"),
        (sheets[0], [[0, 1, 0.5]], [1, 1, 1], diffsim.InvalidArgumentError, "triangles"),
        (sheets[0], [], [1, 1], diffsim.InvalidArgumentError, "color"),
        (sheets[0], [], [1, 1, 2], diffsim.InvalidArgumentError, "rgba"),
        (sheets[0] * np.nan, [], [1, 1, 1], diffsim.NumericalError, "points"),
        (np.zeros((1 << 20, 3)), [], [1, 1, 1], diffsim.CapacityError, "points"),
    ):
        with pytest.raises(error, match=name):
            recorder.surface("sheet", points, triangles, color)
    recorder.state(0.0, model.neutral())
    assert recorder.recording().frames[0].surfaces == {}


def test_wrong_calls_name_the_argument(model, tmp_path):
    recorder = diffsim.Recorder(model)
    with pytest.raises(diffsim.InvalidArgumentError, match="channel"):
        recorder.set("height", 1.0)
    with pytest.raises(diffsim.NoStepError):
        recorder.step(diffsim.Sim(model, time_step=1e-3))
    with pytest.raises(diffsim.FileError):
        recorder.save(tmp_path / "none" / "a.dsrec")
    with pytest.raises(diffsim.InvalidArgumentError, match="rate"):
        diffsim.Recorder(model, rate=-1.0)
    recorder.state(0.5, model.neutral())
    assert recorder.recording().times.tolist() == [0.5]
    recorder.close()
    with pytest.raises(diffsim.InvalidArgumentError):
        recorder.frames


def test_whatever_chunks_say_is_read_or_refused(model):
    """Any byte of a chunk changed, under a checksum that fits: an error that names the place, or another recording."""
    import struct
    import zlib

    recorder = diffsim.Recorder(model, rate=0, channels={"one": 1})
    recorder.surface("sheet", np.eye(3), [[0, 1, 2]])
    fall(model, 3, lambda sim, q, v: recorder.step(sim))
    data = recorder.bytes()
    rng = np.random.default_rng(0)
    chunks, at = [], 8
    while at < len(data):
        kind, _, length = struct.unpack_from("<4sIQ", data, at)
        chunks.append((at, kind, data[at + 16 : at + 16 + length]))
        at += 16 + length
    refused = 0
    for at, kind, payload in chunks:
        for _ in range(200):
            bad = bytearray(payload)
            spot = int(rng.integers(len(bad) // 4)) * 4
            bad[spot : spot + 4] = struct.pack("<I", int(rng.choice([0, 1, 7, 2**16, 2**31, 2**32 - 1])))
            crc = zlib.crc32(bytes(bad), zlib.crc32(kind + struct.pack("<Q", len(bad))))
            whole = data[:at] + struct.pack("<4sIQ", kind, crc, len(bad)) + bytes(bad) + data[at + 16 + len(bad) :]
            try:
                diffsim.Recording.from_bytes(whole).html()
            except diffsim.RecordingError as error:
                assert "byte" in str(error) or "version" in str(error)
                refused += 1
            except ValueError as error:
                # Numbers that no page can show.
                assert "JSON" in str(error) or "recordings" in str(error) or "pose" in str(error) or "surface" in str(error), error
    assert refused > 20


def test_visuals_have_the_colours_of_their_meshes(tmp_path):
    points = "v 0 0 0\nv 1 0 0\nv 0 1 0\n"
    (tmp_path / "red.mtl").write_text("newmtl red\nKd 1 0 0\n")
    (tmp_path / "a.obj").write_text(f"mtllib red.mtl\n{points}usemtl red\nf 1 2 3\n")
    (tmp_path / "b.obj").write_text(f"mtllib lost.mtl\n{points}usemtl red\nf 1 2 3\n")
    visuals = "".join(f'<visual><geometry><mesh filename="{name}"/></geometry></visual>' for name in ("a.obj", "b.obj", "c.obj"))
    robot = tmp_path / "robot.urdf"
    robot.write_text(f'<robot name="r"><link name="base">{visuals}</link></robot>')
    with diffsim.Recorder(diffsim.Model.load(robot), visuals=robot) as recorder:
        assert recorder.left_out == 1
        lost, missing = recorder.warnings
        assert "b.obj" in lost and "lost.mtl" in lost and "c.obj" in missing
        red, none = (s.rgba for s in recorder.recording().shapes)
    assert red.tolist() == [1, 0, 0, 1] and np.isnan(none).all()


def test_visuals_have_images_and_colours_of_vertices(tmp_path):
    points = "v 0 0 0 1 0 0\nv 1 0 0 0 1 0\nv 0 1 0 0 0 1\nvt 0 0\nvt 1 0\nvt 0 2\n"
    # An image is kept as it is: only those who draw it read it.
    (tmp_path / "wood.jpg").write_bytes(b"\xff\xd8\xff and so on")
    (tmp_path / "wood.mtl").write_text("newmtl wood\nmap_Kd wood.jpg\n")
    (tmp_path / "a.obj").write_text(f"{points}f 1 2 3\n")
    (tmp_path / "b.obj").write_text(f"mtllib wood.mtl\n{points}usemtl wood\nf 1/1 2/2 3/3\n")
    geometry = {"a.obj": "", "b.obj": ' scale="1 -1 1"'}
    visuals = "".join(f'<visual><geometry><mesh filename="{n}"{s}/></geometry></visual>' for n, s in geometry.items())
    robot = tmp_path / "robot.urdf"
    robot.write_text(f'<robot name="r"><link name="base">{visuals}</link></robot>')
    with diffsim.Recorder(diffsim.Model.load(robot), visuals=robot) as recorder:
        assert not recorder.warnings
        recorder.state(0.0, np.zeros(0))
        recording = recorder.recording()
    (colours, none), (places, image) = recording.coats
    assert none is None and colours.tolist() == np.eye(3)[None].tolist()
    # The mirrored triangle is turned over, and its places with it.
    (order,) = recording.meshes[1][1]
    assert image == 0 and recording.images == [b"\xff\xd8\xff and so on"]
    at = {tuple(p): uv for p, uv in zip(recording.meshes[1][0][order].tolist(), places[0].tolist())}
    assert at == {(0, 0, 0): [0, 0, 0], (1, 0, 0): [1, 0, 0], (0, -1, 0): [0, 2, 0]}
    colour, unknown = (s.rgba for s in recording.shapes)
    np.testing.assert_allclose(colour, [1 / 3, 1 / 3, 1 / 3, 1], atol=1e-6)
    assert np.isnan(unknown[:3]).all()
    assert diffsim.viewer.pack(recording).count(b'"image":0') == 1
    # Thinned meshes keep the places of the triangles that are left: here those of the vertices themselves.
    n = 200
    grid = np.stack([*np.meshgrid(np.arange(n), np.arange(n), indexing="ij"), np.zeros((n, n))], axis=2).reshape(-1, 3)
    i = (np.arange(n - 1)[:, None] * n + np.arange(n - 1)).ravel()
    triangles = np.concatenate([np.stack([i, i + n, i + 1], 1), np.stack([i + n, i + n + 1, i + 1], 1)])
    ((few, faces, corners),) = diffsim.viewer.thinned([(grid, triangles, grid[triangles])], 20_000)
    assert len(faces) == len(corners) <= 20_000 and np.abs(few[faces] - corners).max() < 2.0
