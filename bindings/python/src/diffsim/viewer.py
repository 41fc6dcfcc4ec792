"""The page that shows recordings: one file, without a server or a network."""

import base64
import functools
import html
import json
import pathlib
import zlib
from dataclasses import replace
from typing import Any, Dict, List, Optional, Sequence

import numpy as np

from ._errors import InvalidArgumentError
from ._late import enter
from .recording import Recording

#: Largest number of triangles of a recording's meshes after thinning.
TRIANGLES = 120_000

#: Largest number of frames of a recording in a page. A longer recording is thinned to evenly spaced frames.
FRAMES = 6000

#: Unit of the components of quaternions in a page.
_TURN = 2.0**-16

_PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; script-src 'unsafe-inline'; \
style-src 'unsafe-inline'; img-src data: blob:; connect-src {connect}">
<meta name="generator" content="diffsim">
<link rel="icon" href="data:,">
<title>{title}</title>
</head>
<body>
{recordings}
{script}
</body>
</html>
"""


#: Unpacks the page's script and runs it.
_START = """window.diffsim={ready:(async()=>{
const e=document.querySelector('script[type="application/x-diffsim-script"]');
const s=new Blob([Uint8Array.from(atob(e.textContent),c=>c.charCodeAt(0))]).stream();
const t=await new Response(s.pipeThrough(new DecompressionStream("deflate"))).text();
document.body.append(Object.assign(document.createElement("script"),{textContent:t}));
e.remove();
return window.diffsim.ready})()}"""


@functools.lru_cache(maxsize=1)
def script() -> str:
    """The page's script, compressed. Its licences stay readable."""
    text = pathlib.Path(__file__).with_name("viewer.js").read_text(encoding="utf-8")
    licences, end, code = text.partition("*/")
    packed = base64.b64encode(zlib.compress(code.encode(), 9)).decode()
    return f'<script type="application/x-diffsim-script">{packed}</script>\n<script>{licences}{end}\n{_START}</script>'


@enter
def page(
    recordings: Sequence[Recording],
    title: Optional[str] = None,
    labels: Optional[Sequence[str]] = None,
    triangles: int = TRIANGLES,
) -> str:
    """The page of one or several recordings. labels: names of recordings of the same robot; triangles: limit to which
    the meshes of each are thinned."""
    recordings = list(recordings)
    if not recordings or not all(r.frames for r in recordings):
        raise InvalidArgumentError("recordings: expected at least one, with a frame each")
    title = title or " and ".join(dict.fromkeys(r.name or "recording" for r in recordings))
    blocks = []
    for i, recording in enumerate(recordings):
        data = pack(recording, label=labels[i] if labels else "", triangles=triangles)
        text = base64.b64encode(zlib.compress(data, 9)).decode()
        blocks.append(f'<script type="application/x-diffsim">{text}</script>')
    return _PAGE.format(title=html.escape(title), recordings="\n".join(blocks), script=script(), connect="'none'")


def live_page(recording: Recording, facts: Dict[str, Any], authority: str) -> str:
    """The page of a simulation that runs at this host and port. Every body may move."""
    data = pack(recording, loose=True)
    connect = f"ws://{authority} wss://{authority}"
    text = base64.b64encode(zlib.compress(data, 9)).decode()
    # Also in base64: the facts contain names.
    told = base64.b64encode(json.dumps(facts).encode()).decode()
    blocks = (
        f'<script type="application/x-diffsim">{text}</script>\n'
        f'<script type="application/x-diffsim-live">{told}</script>'
    )
    title = html.escape(recording.name or "live")
    return _PAGE.format(title=title, recordings=blocks, script=script(), connect=connect)


@enter
def inline(text: str, height: int = 520) -> str:
    """A page inside a page, for notebooks."""
    source = html.escape(text, quote=True)
    return (
        f'<iframe srcdoc="{source}" sandbox="allow-scripts allow-downloads" loading="lazy" '
        f'style="width:100%;height:{height}px;border:0;border-radius:8px"></iframe>'
    )


class _Arrays:
    """Consecutive arrays, with a table of them."""

    def __init__(self) -> None:
        self.table: Dict[str, Any] = {}
        self.parts: List[bytes] = []
        self.length = 0

    def add(self, name: Any, x: Any, dtype: Any, row: Any = 0) -> Any:
        """Adds an array. `row`: stores differences along rows of this length."""
        x = np.ascontiguousarray(x, dtype="<" + dtype)
        if row:
            rows = x.reshape(-1, row)
            x = np.concatenate([rows[:, :1], np.diff(rows, axis=1)], axis=1).astype("<" + dtype)
        # Bytes of the same significance are adjacent: they are similar and compress well.
        raw = x.view("u1").reshape(-1, x.itemsize).T.tobytes() if x.size else b""
        self.table[name] = [dtype, self.length, len(raw), {"row": row} if row else {}]
        self.parts.append(raw)
        self.length += len(raw)
        return name


def pack(recording: Recording, label: str = "", triangles: int = TRIANGLES, loose: bool = False) -> bytes:
    """A recording in the format of the page, before compression. loose: every body may move against every other."""
    frames = recording.frames
    recorded = len(frames)
    if len(frames) > FRAMES:
        kept = np.unique(np.linspace(0, len(frames) - 1, FRAMES).astype(int))
        frames = [frames[i] for i in kept]
        recording = replace(recording, frames=frames)
    count = len(frames)
    arrays = _Arrays()
    poses = np.array([f.poses for f in frames])
    if not np.isfinite(poses).all():
        raise InvalidArgumentError("frames: a pose of the recording is not finite")
    origin = start(poses[0])
    poses[..., :3] -= origin
    if loose:
        n = len(recording.bodies)
        carriers, still, slots = [-1] * n, [None] * n, list(range(n))
    else:
        carriers, still, slots = _rigid(recording, poses)
    moving = [b for b, slot in enumerate(slots) if slot >= 0]
    step = _length_step(poses)
    packed = np.empty((count, len(moving), 7))
    packed[:, :, :3] = poses[:, moving, :3] / step
    packed[:, :, 3:] = _continuous(poses[:, moving, 3:]) / _TURN
    limit = 2**31 - 1
    packed = np.clip(np.rint(packed), -limit, limit).astype(np.int64)
    arrays.add("poses", packed.reshape(count, -1).T, "i4", row=count)
    arrays.add("time", [f.time for f in frames], "f8")
    for name in ("q", "v", "u"):
        arrays.add(name, np.array([getattr(f, name) for f in frames]).T, "f4")
    # Values of the caller may have any magnitude.
    arrays.add("channels", np.array([f.channels for f in frames]).T, "f8")
    arrays.add("limits", np.array([f.limits for f in frames]).T, "u1")
    arrays.add("gradient", [255 if f.gradient is None else f.gradient for f in frames], "u1")
    arrays.add("residual", [f.residual for f in frames], "f4")
    _contacts(arrays, recording, origin)
    _wrenches(arrays, frames)
    _arrows(arrays, frames, origin)
    surfaces = _surfaces(arrays, frames, origin)
    meshes = _meshes(arrays, recording, triangles)
    head = {
        "name": recording.name,
        "label": label,
        "rate": recording.rate,
        "nq": recording.nq,
        "nv": recording.nv,
        "nu": recording.nu,
        "damage": recording.damage,
        "recorded": recorded,
        "lost": recording.lost,
        "timeStep": _time_step(frames),
        "bodies": [
            {"name": b.name, "parent": b.parent, "mass": b.mass, "com": b.com.tolist(), "inertia": _ellipsoid(b)}
            for b in recording.bodies
        ],
        "joints": [_joint(j) for j in recording.joints],
        "actuators": recording.actuators,
        "channels": [
            {"name": name, "start": s.start, "size": s.stop - s.start} for name, s in recording.channels.items()
        ],
        "shapes": [_shape(s) for s in recording.shapes],
        "frictions": _frictions(recording),
        "meshes": meshes,
        "images": [arrays.add(f"image{k}", np.frombuffer(b, "u1"), "u1") for k, b in enumerate(recording.images)],
        "surfaces": surfaces,
        "slots": slots,
        "carriers": carriers,
        "still": still,
        "origin": origin.tolist(),
        "lengthStep": step,
        "arrays": arrays.table,
    }
    text = json.dumps(head, separators=(",", ":"), allow_nan=False).encode()
    return len(text).to_bytes(4, "little") + text + b"".join(arrays.parts)


def _time_step(frames: Any) -> float:
    """Time step between two frames [s]; 0 if no frame follows a step."""
    for a, b in zip(frames, frames[1:]):
        if b.step > a.step and b.time > a.time:
            return float((b.time - a.time) / (b.step - a.step))
    return 0.0


def _joint(j: Any) -> Dict[str, Any]:
    def bound(x: Any) -> Any:
        return float(x) if np.isfinite(x) else None

    return {
        "name": j.name, "kind": j.kind, "body": j.body, "iq": j.q_index, "nq": j.nq, "iv": j.v_index, "nv": j.nv,
        "lower": bound(j.lower), "upper": bound(j.upper), "axis": j.axis.tolist(), "anchor": j.anchor.tolist(),
    }  # fmt: skip


def _ellipsoid(body: Any) -> Optional[Dict[str, Any]]:
    """Half axes and rotation, in the body's axes, of the solid ellipsoid with the body's mass and inertia."""
    if body.inertia is None or not body.mass > 0:
        return None
    moments, axes = np.linalg.eigh(body.inertia)
    squares = 2.5 / body.mass * (moments.sum() - 2.0 * moments)
    half = np.sqrt(np.maximum(squares, 0.0))
    if not half.max() > 0:
        return None
    if np.linalg.det(axes) < 0:
        axes[:, 2] *= -1.0
    # A thin rod or plate would be invisible.
    return {"axes": np.maximum(half, 0.01 * half.max()).tolist(), "quaternion": quaternions(axes[:, :, None])[0].tolist()}


def quaternions(r: Any) -> Any:
    """Quaternions (x y z w) of rotations 3×3×n."""
    xx, yy, zz = r[0, 0], r[1, 1], r[2, 2]
    q = np.stack(
        [1 + xx - yy - zz, 1 - xx + yy - zz, 1 - xx - yy + zz, 1 + xx + yy + zz], axis=1
    )
    # The largest component is far from zero; the others follow from products with it.
    most = np.argmax(q, axis=1)
    a, b, c = r[2, 1] - r[1, 2], r[0, 2] - r[2, 0], r[1, 0] - r[0, 1]
    d, e, f = r[1, 0] + r[0, 1], r[0, 2] + r[2, 0], r[2, 1] + r[1, 2]
    rows = np.stack(
        [
            np.stack([q[:, 0], d, e, a], 1),
            np.stack([d, q[:, 1], f, b], 1),
            np.stack([e, f, q[:, 2], c], 1),
            np.stack([a, b, c, q[:, 3]], 1),
        ]
    )
    out = rows[most, np.arange(len(most))]
    return out / np.linalg.norm(out, axis=1, keepdims=True)


def start(poses: Any) -> Any:
    """The point from which a page counts positions. It is the origin of the world near the origin, and near the bodies
    far away: single precision, with which graphics computes, has seven digits."""
    points = poses[1:, :3] if len(poses) > 1 else poses[:, :3]
    middle = (points.min(axis=0) + points.max(axis=0)) / 2
    # Whole steps: scenes up to a hundred times their size away keep the origin.
    size = max(np.ptp(points, axis=0).max() or 1.0, 1e-6)
    step = 2.0 ** np.ceil(np.log2(200.0 * size))
    return np.round(middle / step) * step


def _length_step(poses: Any) -> Any:
    """Unit to which positions are rounded: 20 µm, less for small scenes, more for distant positions."""
    points = poses[..., :3]
    spread = np.ptp(points[0], axis=0).max() if points.shape[1] > 1 else 1.0
    fine = min(2e-5, max(spread, 1e-3) * 2e-5)
    return float(max(fine, np.abs(points).max() * 2.0**-30))


def _continuous(q: Any) -> Any:
    """Quaternions without changes of sign, which do not change the rotation."""
    turned = np.sum(q[1:] * q[:-1], axis=-1) < 0
    signs = np.where(np.cumsum(turned, axis=0) % 2 == 1, -1.0, 1.0)
    out = q.copy()
    out[1:] *= signs[..., None]
    return out


def _rotate(q: Any, x: Any) -> Any:
    u, w = q[..., :3], q[..., 3:]
    t = 2.0 * np.cross(u, x)
    return x + w * t + np.cross(u, t)


def _relative(pose: Any, of: Any) -> Any:
    """The pose `of` in the frame of `pose`."""
    inverse = pose[..., 3:] * [-1.0, -1.0, -1.0, 1.0]
    a, b = inverse, of[..., 3:]
    vector = a[..., 3:] * b[..., :3] + b[..., 3:] * a[..., :3] + np.cross(a[..., :3], b[..., :3])
    scalar = a[..., 3:] * b[..., 3:] - np.sum(a[..., :3] * b[..., :3], axis=-1, keepdims=True)
    return np.concatenate([_rotate(inverse, of[..., :3] - pose[..., :3]), vector, scalar], axis=-1)


def _rigid(recording: Any, poses: Any) -> Any:
    """For each body: the body that carries it, if it never moves against that body (-1 for none or the world); its
    pose in that body; its number among the moving bodies (-1 for a fixed one)."""
    bodies = len(recording.bodies)
    carriers, still, slots, root = [-1] * bodies, [None] * bodies, [-1] * bodies, [0] * bodies
    still[0] = poses[0, 0].tolist()
    moving = 0
    for b in range(1, bodies):
        parent = root[recording.bodies[b].parent]
        relative = _continuous(_relative(poses[:, parent], poses[:, b]))
        if np.abs(relative - relative[0]).max() < 1e-9:
            root[b] = parent
            carriers[b] = parent if parent > 0 else -1
            still[b] = relative[0].tolist() if parent > 0 else poses[0, b].tolist()
        else:
            root[b] = b
            slots[b] = moving
            moving += 1
    return carriers, still, slots


def _shape(shape: Any) -> Any:
    return {
        "name": shape.name,
        "visual": shape.visual,
        "kind": shape.kind,
        "body": shape.body,
        "mesh": shape.mesh,
        "rgba": None if np.isnan(shape.rgba).any() else shape.rgba.tolist(),
        "size": shape.size.tolist(),
        "position": shape.position.tolist(),
        "quaternion": shape.quaternion.tolist(),
    }


def _frictions(recording: Any) -> Any:
    known = {s.geom: s.friction for s in recording.shapes if s.geom is not None}
    return [min(known.get(i, 0.0), 1e9) for i in range(max(known, default=-1) + 1)]


def _starts(lists: Any) -> Any:
    return np.concatenate([[0], np.cumsum([len(x) for x in lists])])


def _joined(lists: Any, dtype: Any) -> Any:
    return np.concatenate(lists) if lists else np.zeros(0, dtype)


def _contacts(arrays: Any, recording: Any, origin: Any) -> None:
    lists = [f.contacts for f in recording.frames]
    c = _joined(lists, None)
    body = {s.geom: s.body for s in recording.shapes if s.geom is not None}
    of = np.array([body.get(i, 0) for i in range(max(body, default=0) + 1)])
    second = np.cross(c["normal"], c["tangent"])
    i = c["impulse"]
    impulse = i[:, :1] * c["tangent"] + i[:, 1:2] * second + i[:, 2:] * c["normal"]
    arrays.add("contactStart", _starts(lists), "u4")
    arrays.add("geomA", c["geom_a"], "u4")
    arrays.add("geomB", c["geom_b"], "u4")
    arrays.add("bodyA", of[np.minimum(c["geom_a"], len(of) - 1)], "u4")
    arrays.add("bodyB", of[np.minimum(c["geom_b"], len(of) - 1)], "u4")
    arrays.add("mode", np.clip(c["mode"], 0, 3), "u1")
    for name, x in (("point", c["point"] - origin), ("normal", c["normal"]), ("impulse", impulse)):
        arrays.add(name, _short(x), "f4")


def _short(x: Any) -> Any:
    """Numbers in single precision with 14 bits of their mantissa: half as long after compression."""
    bits = np.ascontiguousarray(x, "<f4").view("<u4")
    return ((bits + np.uint32(0x200)) & np.uint32(0xFFFFFC00)).view("<f4")


def _wrenches(arrays: Any, frames: Any) -> None:
    lists = [f.wrenches for f in frames]
    w = _joined(lists, None)
    arrays.add("wrenchStart", _starts(lists), "u4")
    arrays.add("wrenchBody", w["body"], "u4")
    arrays.add("wrench", w["wrench"], "f4")


def _arrows(arrays: Any, frames: Any, origin: Any) -> None:
    lists = [f.arrows for f in frames]
    a = _joined(lists, None)
    arrays.add("arrowStart", _starts(lists), "u4")
    arrays.add("arrowQuantity", np.clip(a["quantity"], 0, 3), "u1")
    arrays.add("arrowAngular", a["angular"], "u1")
    arrays.add("arrowBody", a["body"], "u4")
    arrays.add("arrowPoint", a["point"] - origin, "f4")
    arrays.add("arrowVector", a["vector"], "f4")


def _surfaces(arrays: Any, frames: Any, origin: Any) -> Any:
    """Surfaces, each stored once, and the surfaces of each frame."""
    names: Dict[str, int] = {}
    numbers: Dict[Any, int] = {}
    faces: Dict[Any, Any] = {}
    versions: List[Any] = []
    lists: List[Any] = []
    points, triangles = [np.zeros((0, 3))], [np.zeros((0, 3))]
    corners = count = 0
    for frame in frames:
        lists.append([])
        for name, surface in frame.surfaces.items():
            # Frames with the same surface share one object.
            key = name, id(surface)
            if key not in numbers:
                places, indices, rgba = surface
                if not np.isfinite(places).all():
                    raise InvalidArgumentError("frames: a point of a surface of the recording is not finite")
                raw = indices.tobytes()
                if raw not in faces:
                    faces[raw] = [count, len(indices)]
                    triangles.append(indices)
                    count += len(indices)
                numbers[key] = len(versions)
                versions.append(
                    {
                        "name": names.setdefault(name, len(names)),
                        "rgba": np.clip(np.nan_to_num(rgba), 0.0, 1.0).tolist(),
                        "points": [corners, len(places)],
                        "triangles": faces[raw],
                    }
                )
                points.append(np.clip(places - origin, -1e30, 1e30))
                corners += len(places)
            lists[-1].append(numbers[key])
    arrays.add("surfaceStart", _starts(lists), "u4")
    arrays.add("surfaceShown", [i for shown in lists for i in shown], "u4")
    arrays.add("surfacePoints", np.concatenate(points), "f4")
    arrays.add("surfaceTriangles", np.concatenate(triangles), "u4")
    return {"names": list(names), "versions": versions}


def _meshes(arrays: Any, recording: Any, budget: Any) -> List[Dict[str, Any]]:
    def placed(name: str, points: Any, row: Any = 0) -> Dict[str, Any]:
        """Points in 16 bits of their box."""
        low = points.min(axis=0) if len(points) else np.zeros(points.shape[1])
        step = (np.ptp(points, axis=0) if len(points) else low) / 65535.0
        places = np.rint((points - low) / np.where(step > 0, step, 1.0))
        name = arrays.add(name, places.T, "u2", row=row)
        return {"points": name, "low": low.astype(float).tolist(), "step": step.astype(float).tolist()}

    out = []
    coats = recording.coats or [None] * len(recording.meshes)
    whole = [(*mesh, *coat[:1]) if coat else mesh for mesh, coat in zip(recording.meshes, coats)]
    for k, ((points, triangles, *corners), coat) in enumerate(zip(thinned(whole, budget), coats)):
        points, triangles = _ordered(points, triangles)
        mesh = placed(f"points{k}", points, len(points))
        mesh["triangles"] = arrays.add(f"triangles{k}", triangles.ravel(), "u4", row=triangles.size)
        if coat and coat[1] is None:
            mesh["colors"] = arrays.add(f"colors{k}", np.rint(255 * np.nan_to_num(corners[0]).clip(0, 1)), "u1")
        elif coat:
            mesh["places"] = placed(f"places{k}", corners[0].reshape(-1, 3)[:, :2].astype(float))
            mesh["image"] = coat[1]
        out.append(mesh)
    return out


def _ordered(points: Any, triangles: Any) -> Any:
    """Vertices in the order of their first use by triangles."""
    used, first = np.unique(triangles, return_index=True)
    used = used[np.argsort(first)]
    number = np.zeros(len(points), np.int64)
    number[used] = np.arange(len(used))
    return np.asarray(points, float)[used], number[triangles]


def thinned(meshes: Any, budget: int) -> Any:
    """Meshes with at most `budget` triangles in all. Vertices within one cell of a grid become one. Uses the finest
    grid that is sufficient; the coarsest has cells of a hundredth of the largest mesh. A mesh may have a third entry,
    of each triangle's corners; the triangles that are left keep theirs."""
    total = sum(len(m[1]) for m in meshes)
    if total <= budget:
        return meshes
    largest = max(float(np.ptp(m[0], axis=0).max()) for m in meshes if len(m[0]))
    cell = largest / 1500
    while True:
        out = [_clustered(*m[:2], cell, *m[2:]) for m in meshes]
        left = sum(len(m[1]) for m in out)
        if left <= budget or cell > largest / 100:
            return out
        # The number of triangles of a surface falls with the square of the cell size.
        cell *= max(1.1, min(2.0, 0.95 * (left / budget) ** 0.5))


def _clustered(points: Any, triangles: Any, cell: Any, *corners: Any) -> Any:
    if not len(triangles):
        return (points, triangles, *corners)
    places = np.floor((points - points.min(axis=0)) / cell).astype(np.int64)
    span = places.max(axis=0) + 1
    key = (places[:, 0] * span[1] + places[:, 1]) * span[2] + places[:, 2]
    _, number = np.unique(key, return_inverse=True)
    number = number.reshape(-1)
    weight = np.bincount(number)
    center = np.stack([np.bincount(number, points[:, k]) / weight for k in range(3)], axis=1)
    faces = number[triangles]
    apart = (faces[:, 0] != faces[:, 1]) & (faces[:, 1] != faces[:, 2]) & (faces[:, 2] != faces[:, 0])
    faces = faces[apart]
    turn = np.argmin(faces, axis=1)
    order = (turn[:, None] + np.arange(3)) % 3
    faces = np.take_along_axis(faces, order, axis=1)
    n = len(center)
    # Three numbers below 2^21 in one integer.
    one = (faces[:, 0] * n + faces[:, 1]) * n + faces[:, 2]
    kept = np.unique(one, return_index=True)[1]
    return (center, faces[kept], *(np.take_along_axis(c[apart], order[:, :, None], axis=1)[kept] for c in corners))
