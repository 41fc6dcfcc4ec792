"""Recordings in other programs: rerun (`pip install rerun-sdk`) and viser (`pip install viser`)."""

import re
import threading
from typing import Any, Iterator

import numpy as np

from ._names import instance
from .enums import GeomKind
from .gltf import triangles
from .recording import ARROW, Recording
from .viewer import _rotate


#: Gradients by pose, velocity and input, and arrows of the user, by their number, in the viewer's colours.
_QUANTITIES = {"pose": (59, 130, 246), "velocity": (224, 69, 155), "input": (217, 179, 28), "user": (20, 184, 196)}


def _drawn(recording: Any) -> Iterator[Any]:
    """Shapes to draw: body, unique name, points, triangles and colour (0 to 255) of each."""
    visuals = any(s.visual and s.body for s in recording.shapes)
    for i, shape in enumerate(recording.shapes):
        found = triangles(shape, recording)
        if found is None or (visuals and not shape.visual):
            continue
        rgba = np.array([0.6, 0.65, 0.7, 1.0]) if np.isnan(shape.rgba).any() else shape.rgba
        yield shape, f"shape{i}", *found, np.rint(255 * rgba).astype(np.uint8)


def _paths(recording: Any) -> Any:
    """A name for each body that other programs do not read as a path."""
    return [f"{i}_{re.sub(r'[^A-Za-z0-9_]', '_', b.name)}" for i, b in enumerate(recording.bodies)]


def _extent(recording: Any) -> Any:
    """Centre and size [m] of the bodies in the first frame."""
    if not recording.frames:
        return np.zeros(3), 1.0
    places = []
    for shape, _, points, _, _ in _drawn(recording):
        pose = recording.frames[0].poses[shape.body]
        if shape.body > 0:
            places.append(_rotate(pose[3:], _rotate(shape.quaternion, points) + shape.position) + pose[:3])
    every = np.concatenate(places or [recording.frames[0].poses[:, :3]])
    low, high = every.min(axis=0), every.max(axis=0)
    return (low + high) / 2, float(np.linalg.norm(high - low)) or 1.0


def _grounds(recording: Any, size: float) -> Iterator[Any]:
    """Planes of the world: name, shape, points and triangles of a square in the plane."""
    corners = 0.5 * size * np.array([[-1.0, -1.0, 0.0], [1.0, -1.0, 0.0], [1.0, 1.0, 0.0], [-1.0, 1.0, 0.0]])
    for i, shape in enumerate(recording.shapes):
        if shape.kind == GeomKind.PLANE:
            yield f"ground{i}", shape, corners, np.array([[0, 1, 2], [0, 2, 3]])


def to_rerun(recording: Recording, path: Any = None, application: str = "diffsim") -> Any:
    """Logs a recording to rerun: bodies, planes, contact impulses, gradient arrows, labels of derivatives, channels, q, v
    and u over time, with a layout of these. path: a .rrd file; None opens rerun's viewer. Returns the stream."""
    instance(recording, Recording, "recording")
    import rerun as rr
    import rerun.blueprint as rrb

    stream = rr.RecordingStream(application)
    stream.save(str(path)) if path is not None else stream.spawn()
    plots = [rrb.TimeSeriesView(origin=f"/{at}", name=at) for at in ("state", "channels", "derivative") if at != "channels" or recording.channels]
    space = rrb.Spatial3DView(origin="/", contents=["world/**", "contacts", "gradients/**"], name="robot")
    stream.send_blueprint(rrb.Blueprint(rrb.Horizontal(space, rrb.Vertical(*plots), column_shares=[3, 2]), collapse_panels=True))
    names = _paths(recording)
    stream.log("world", rr.ViewCoordinates.RIGHT_HAND_Z_UP, static=True)
    for shape, name, points, faces, rgba in _drawn(recording):
        at = f"world/{names[shape.body]}/{name}"
        place = rr.Transform3D(translation=shape.position, quaternion=rr.Quaternion(xyzw=shape.quaternion))
        stream.log(at, place, static=True)
        stream.log(at, rr.Mesh3D(vertex_positions=points, triangle_indices=faces, albedo_factor=rgba), static=True)
    _, size = _extent(recording)
    for name, shape, points, faces in _grounds(recording, 20 * size):
        place = rr.Transform3D(translation=shape.position, quaternion=rr.Quaternion(xyzw=shape.quaternion))
        stream.log(f"world/{name}", place, static=True)
        grey = np.array([200, 205, 212, 255], np.uint8)
        stream.log(f"world/{name}", rr.Mesh3D(vertex_positions=points, triangle_indices=faces, albedo_factor=grey), static=True)
    reach = _reach(recording, size)
    arrows = np.concatenate([np.zeros(0, ARROW), *(f.arrows for f in recording.frames)])
    lengths = [0.25 * size / (np.abs(arrows["vector"][arrows["quantity"] == k]).max(initial=0.0) or 1.0) for k in range(len(_QUANTITIES))]
    for frame in recording.frames:
        stream.set_time("time", duration=frame.time)
        for name in ("q", "v", "u"):
            stream.log(f"state/{name}", rr.Scalars(getattr(frame, name)))
        for name, pose in zip(names, frame.poses):
            turn = rr.Quaternion(xyzw=pose[3:])
            stream.log(f"world/{name}", rr.Transform3D(translation=pose[:3], quaternion=turn))
        c = frame.contacts
        stream.log("contacts", rr.Arrows3D(origins=c["point"], vectors=reach * impulses(c)))
        for k, (name, color) in enumerate(_QUANTITIES.items()):
            a = frame.arrows[frame.arrows["quantity"] == k]
            if (arrows["quantity"] == k).any():
                stream.log(f"gradients/{name}", rr.Arrows3D(origins=a["point"], vectors=lengths[k] * a["vector"], colors=[color] * len(a)))
        if frame.gradient is not None:
            stream.log("derivative/label", rr.Scalars(int(frame.gradient)))
        for name, where in recording.channels.items():
            values = frame.channels[where]
            stream.log(f"channels/{re.sub(r'[^A-Za-z0-9_]', '_', name)}", rr.Scalars(values))
    return stream


def to_viser(recording: Recording, server: Any = None, host: str = "127.0.0.1", port: int = 8080) -> Any:
    """Shows a recording in viser: bodies, planes and contact impulses, with a slider for the frame and a box that plays
    the recording in real time. Returns the server; makes one if none is given."""
    instance(recording, Recording, "recording")
    import viser

    server = server or viser.ViserServer(host=host, port=port)
    centre, size = _extent(recording)
    eye, camera = centre + size * np.array([0.9, -0.97, 0.45]), server.initial_camera
    camera.look_at, camera.position, camera.near, camera.far = tuple(centre), tuple(eye), 0.01 * size, 100.0 * size
    names = _paths(recording)
    frames = [server.scene.add_frame(f"/{name}", show_axes=False) for name in names]
    for shape, name, points, faces, rgba in _drawn(recording):
        x, y, z, w = shape.quaternion
        server.scene.add_mesh_simple(
            f"/{names[shape.body]}/{name}",
            vertices=np.asarray(points, np.float32),
            faces=np.asarray(faces, np.uint32),
            color=tuple(int(c) for c in rgba[:3]),
            wxyz=(w, x, y, z),
            position=tuple(shape.position),
        )
    # Sections of a power of ten, about as long as the robot.
    section = 10.0 ** np.floor(np.log10(size) + 0.4)
    for name, shape, _, _ in _grounds(recording, 20 * section):
        x, y, z, w = shape.quaternion
        server.scene.add_grid(
            f"/{name}", width=20 * section, height=20 * section, section_size=section, cell_size=section / 4,
            wxyz=(w, x, y, z), position=tuple(shape.position),
        )  # fmt: skip
    slider = server.gui.add_slider("frame", min=0, max=max(1, len(recording.frames) - 1), step=1, initial_value=0)
    playing = server.gui.add_checkbox("play", initial_value=False)
    reach = _reach(recording, size)

    def show(_: Any = None) -> None:
        frame = recording.frames[min(int(slider.value), len(recording.frames) - 1)]
        for handle, pose in zip(frames, frame.poses):
            handle.position = tuple(pose[:3])
            handle.wxyz = (pose[6], *pose[3:6])
        c = frame.contacts
        ends = np.stack([c["point"], c["point"] + reach * impulses(c)], axis=1).astype(np.float32)
        green = np.full(ends.shape, (47, 177, 112), np.uint8)
        server.scene.add_line_segments("/contacts", points=ends, colors=green, visible=len(c) > 0)

    times = recording.times
    again = threading.Event()

    def play() -> None:
        """Moves the slider while the box is set, and ends when the box is cleared."""
        while playing.value:
            at = min(int(slider.value), len(times) - 1)
            following = (at + 1) % len(times)
            again.wait(max(0.005, float(times[following] - times[at])))
            slider.value = following

    slider.on_update(show)
    playing.on_update(lambda _: threading.Thread(target=play, daemon=True).start() if playing.value else None)
    show()
    return server


def impulses(contacts: Any) -> Any:
    """Impulses of a frame's contacts on their second geom, world axes: n×3."""
    second = np.cross(contacts["normal"], contacts["tangent"])
    i = contacts["impulse"]
    return i[:, :1] * contacts["tangent"] + i[:, 1:2] * second + i[:, 2:] * contacts["normal"]


def _reach(recording: Any, size: float) -> Any:
    """Length of an arrow per impulse [m/(N s)]: the largest arrow is a quarter of the robot's size."""
    largest = max((np.abs(f.contacts["impulse"]).max(initial=0.0) for f in recording.frames), default=0.0)
    return 0.25 * size / largest if largest > 0 else 0.0
