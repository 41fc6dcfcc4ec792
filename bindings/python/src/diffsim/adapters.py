"""Recordings in other programs: rerun (`pip install rerun-sdk`) and viser (`pip install viser`)."""

import re
from typing import Any, Iterator

import numpy as np

from .gltf import triangles
from .recording import Recording


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


def to_rerun(recording: Recording, path: Any = None, application: str = "diffsim") -> Any:
    """Logs a recording to rerun: bodies, contact impulses and channels over time. path: a .rrd file; None opens
    rerun's viewer. Returns the stream."""
    import rerun as rr

    stream = rr.RecordingStream(application)
    stream.save(str(path)) if path is not None else stream.spawn()
    names = _paths(recording)
    stream.log("world", rr.ViewCoordinates.RIGHT_HAND_Z_UP, static=True)
    for shape, name, points, faces, rgba in _drawn(recording):
        at = f"world/{names[shape.body]}/{name}"
        place = rr.Transform3D(translation=shape.position, quaternion=rr.Quaternion(xyzw=shape.quaternion))
        stream.log(at, place, static=True)
        stream.log(at, rr.Mesh3D(vertex_positions=points, triangle_indices=faces, albedo_factor=rgba), static=True)
    reach = _reach(recording)
    for frame in recording.frames:
        stream.set_time("time", duration=frame.time)
        for name, pose in zip(names, frame.poses):
            turn = rr.Quaternion(xyzw=pose[3:])
            stream.log(f"world/{name}", rr.Transform3D(translation=pose[:3], quaternion=turn))
        c = frame.contacts
        stream.log("contacts", rr.Arrows3D(origins=c["point"], vectors=reach * impulses(c)))
        for name, where in recording.channels.items():
            values = frame.channels[where]
            stream.log(f"channels/{re.sub(r'[^A-Za-z0-9_]', '_', name)}", rr.Scalars(values))
    return stream


def to_viser(recording: Recording, server: Any = None, host: str = "127.0.0.1", port: int = 8080) -> Any:
    """Shows a recording in viser with a slider for its time. Returns the server; makes one if none is given."""
    import viser

    server = server or viser.ViserServer(host=host, port=port)
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
    slider = server.gui.add_slider("frame", min=0, max=len(recording.frames) - 1, step=1, initial_value=0)

    def show(_: Any = None) -> None:
        for handle, pose in zip(frames, recording.frames[int(slider.value)].poses):
            handle.position = tuple(pose[:3])
            handle.wxyz = (pose[6], *pose[3:6])

    slider.on_update(show)
    show()
    return server


def impulses(contacts: Any) -> Any:
    """Impulses of a frame's contacts on their second geom, world axes: n×3."""
    second = np.cross(contacts["normal"], contacts["tangent"])
    i = contacts["impulse"]
    return i[:, :1] * contacts["tangent"] + i[:, 1:2] * second + i[:, 2:] * contacts["normal"]


def _reach(recording: Any) -> Any:
    """Length of an arrow per impulse [m/(N s)]: the largest arrow is a quarter of a metre."""
    largest = max((np.abs(f.contacts["impulse"]).max(initial=0.0) for f in recording.frames), default=0.0)
    return 0.25 / largest if largest > 0 else 0.0
