"""Writes a recording as glTF (.glb): meshes, materials and one animation, for Blender and other tools."""

import json
import struct
from typing import Any, Dict, List

import numpy as np

from ._errors import InvalidArgumentError
from ._names import instance
from .recording import Recording, Shape, opened

_FLOAT, _UNSIGNED = 5126, 5125
#: In glTF y is up; in recordings z is up.
_UPRIGHT = [-0.7071067811865476, 0.0, 0.0, 0.7071067811865476]


class _File:
    def __init__(self) -> None:
        self.parts: List[bytes] = []
        self.views: List[Dict[str, Any]] = []
        self.accessors: List[Dict[str, Any]] = []
        self.length = 0

    def add(self, x: Any, kind: Any, target: Any = None, bounds: Any = False) -> Any:
        x = np.ascontiguousarray(x)
        raw = x.tobytes()
        view = {"buffer": 0, "byteOffset": self.length, "byteLength": len(raw)}
        if target:
            view["target"] = target
        self.parts.append(raw + b"\0" * (-len(raw) % 4))
        self.length += len(self.parts[-1])
        self.views.append(view)
        count = len(x) if kind != "SCALAR" else x.size
        accessor = {
            "bufferView": len(self.views) - 1,
            "componentType": _UNSIGNED if x.dtype == np.uint32 else _FLOAT,
            "count": count,
            "type": kind,
        }
        if bounds:
            flat = x.reshape(count, -1)
            accessor["min"], accessor["max"] = flat.min(0).astype(float).tolist(), flat.max(0).astype(float).tolist()
        self.accessors.append(accessor)
        return len(self.accessors) - 1


def _revolved(profile: Any, segments: Any = 24) -> Any:
    """Surface of (radius, height) points rotated about z."""
    turns = np.linspace(0, 2 * np.pi, segments, endpoint=False)
    rings = [np.stack([r * np.cos(turns), r * np.sin(turns), np.full(segments, z)], 1) for r, z in profile]
    i = np.arange(segments)
    j = (i + 1) % segments
    faces = []
    for k in range(len(profile) - 1):
        a, b = k * segments, (k + 1) * segments
        faces += [np.stack([a + i, a + j, b + j], 1), np.stack([a + i, b + j, b + i], 1)]
    return np.concatenate(rings), np.concatenate(faces)


def _arc(radius: Any, low: Any, high: Any, center: Any = 0.0) -> Any:
    angles = np.linspace(low, high, 9)
    return [(radius * np.cos(t), center + radius * np.sin(t)) for t in angles]


def triangles(shape: Shape, recording: Recording) -> Any:
    """Points and triangles of a shape in its own frame; None for planes."""
    a, b, c = shape.size
    half = np.pi / 2
    if shape.kind == 1:
        return _revolved(_arc(a, -half, half))
    if shape.kind == 2:
        return _revolved(_arc(a, -half, 0, -b) + _arc(a, 0, half, b))
    if shape.kind == 3:
        return _revolved([(0, -b), (a, -b), (a, b), (0, b)])
    if shape.kind == 4:
        points, faces = _revolved(_arc(1.0, -half, half))
        return points * shape.size, faces
    if shape.kind == 5:
        corners = np.array([[x, y, z] for z in (-c, c) for y in (-b, b) for x in (-a, a)])
        quads = [(0, 2, 3, 1), (4, 5, 7, 6), (0, 1, 5, 4), (2, 6, 7, 3), (0, 4, 6, 2), (1, 3, 7, 5)]
        return corners, np.array([t for p, q, r, s in quads for t in ((p, q, r), (p, r, s))])
    if shape.kind == 6 and shape.mesh is not None:
        return recording.meshes[shape.mesh]
    return None


def write(recording: Recording, path: Any, shapes: str = "drawn") -> None:
    """Writes a .glb. shapes: "drawn" (visual shapes; collision shapes if the recording has no visual shapes),
    "collision" or "both"."""
    instance(recording, Recording, "recording")
    if shapes not in ("drawn", "collision", "both"):
        raise InvalidArgumentError(f"shapes: expected drawn, collision or both, got {shapes!r}")
    file = _File()
    drawn = any(s.visual and s.body for s in recording.shapes)
    wanted = {"drawn": lambda s: s.visual or not drawn, "collision": lambda s: not s.visual, "both": lambda s: True}
    meshes: List[Dict[str, Any]] = []
    materials: List[Dict[str, Any]] = []
    nodes: List[Dict[str, Any]] = []
    known: Dict[Any, int] = {}
    of_bodies: List[List[int]] = [[] for _ in recording.bodies]
    for shape in filter(wanted[shapes], recording.shapes):
        found = triangles(shape, recording)
        if found is None or not len(found[1]):
            continue
        rgba = [0.6, 0.65, 0.7, 1.0] if np.isnan(shape.rgba).any() else shape.rgba.tolist()
        # Colours of files are sRGB; factors of glTF are linear.
        linear = [x / 12.92 if x <= 0.04045 else ((x + 0.055) / 1.055) ** 2.4 for x in rgba[:3]]
        material: Dict[str, Any] = {"pbrMetallicRoughness": {"baseColorFactor": [*linear, rgba[3]], "metallicFactor": 0.1, "roughnessFactor": 0.6}}
        if rgba[3] < 1:
            material["alphaMode"] = "BLEND"
        if material not in materials:
            materials.append(material)
        key = (shape.kind, shape.mesh, tuple(shape.size), materials.index(material))
        if key not in known:
            points, faces = found
            primitive = {
                "attributes": {"POSITION": file.add(np.asarray(points, np.float32), "VEC3", 34962, bounds=True)},
                "indices": file.add(np.asarray(faces, np.uint32).ravel(), "SCALAR", 34963),
                "material": materials.index(material),
            }
            known[key] = len(meshes)
            meshes.append({"primitives": [primitive]})
        nodes.append(
            {
                "name": shape.name or "shape",
                "mesh": known[key],
                "translation": shape.position.tolist(),
                "rotation": shape.quaternion.tolist(),
            }
        )
        of_bodies[shape.body].append(len(nodes) - 1)
    first = len(nodes)
    poses = np.array([f.poses for f in recording.frames])
    for i, body in enumerate(recording.bodies):
        node = {"name": body.name or f"body {i}", "translation": poses[0, i, :3].tolist(), "rotation": poses[0, i, 3:].tolist()}
        if of_bodies[i]:
            node["children"] = of_bodies[i]
        nodes.append(node)
    nodes.append({"name": recording.name or "recording", "rotation": _UPRIGHT, "children": list(range(first, len(nodes)))})
    document = {
        "asset": {"version": "2.0", "generator": "diffsim"},
        "scene": 0,
        "scenes": [{"nodes": [len(nodes) - 1]}],
        "nodes": nodes,
    }
    if meshes:
        document.update(meshes=meshes, materials=materials)
    animation = _animation(file, recording, poses, first)
    if animation:
        document["animations"] = [animation]
    document.update(accessors=file.accessors, bufferViews=file.views, buffers=[{"byteLength": file.length}])
    text = json.dumps(document, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 4)
    data = b"".join(file.parts)
    with opened(path, "wb") as out:
        out.write(struct.pack("<4sII", b"glTF", 2, 28 + len(text) + len(data)))
        out.write(struct.pack("<I4s", len(text), b"JSON") + text)
        out.write(struct.pack("<I4s", len(data), b"BIN\0") + data)


def _animation(file: Any, recording: Any, poses: Any, first: Any) -> Any:
    times = recording.times
    if len(times) < 2 or not np.all(np.diff(times) > 0):
        return None
    at = file.add((times - times[0]).astype(np.float32), "SCALAR", bounds=True)
    channels, samplers = [], []
    for i in range(len(recording.bodies)):
        for path, columns, kind in (("translation", slice(0, 3), "VEC3"), ("rotation", slice(3, 7), "VEC4")):
            x = poses[:, i, columns]
            if np.abs(x - x[0]).max() < 1e-9:
                continue
            samplers.append({"input": at, "output": file.add(x.astype(np.float32), kind)})
            channels.append({"sampler": len(samplers) - 1, "target": {"node": first + i, "path": path}})
    return {"name": "run", "channels": channels, "samplers": samplers} if channels else None
