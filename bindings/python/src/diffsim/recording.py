"""Reads recordings (format: docs/recording.md)."""

import io
import os
import struct
import zlib
from dataclasses import dataclass, field
from typing import Any, Dict, Iterator, List, Optional, Tuple, Union

import numpy as np
import numpy.typing as npt

from ._checked import Check, Checked
from ._errors import ArgumentTypeError, FileError, ParseError, UnknownNameError
from ._late import late
from ._names import instance, listed, near, number, string
from ._native import finite, numbers, size

SIGNATURE = b"\x89DSR\r\n\x1a\n"
VERSION = 1
NONE = 0xFFFFFFFF

_CHUNK = struct.Struct("<4sIQ")
_FRAME = struct.Struct("<IIIIIIdQdd")

#: A contact of a frame, world axes; fields as in `diffsim.Sim.contacts`.
CONTACT = np.dtype(
    [
        ("geom_a", "<i4"),
        ("geom_b", "<i4"),
        ("mode", "<i4"),
        ("reserved", "<i4"),
        ("point", "<f8", 3),
        ("normal", "<f8", 3),
        ("tangent", "<f8", 3),
        ("impulse", "<f8", 3),
        ("gap", "<f8"),
    ]
)
#: A wrench on a body, world axes at its origin.
WRENCH = np.dtype([("body", "<i4"), ("reserved", "<i4"), ("wrench", "<f8", 6)])
#: An arrow on a body, world axes. quantity: a `Quantity`, 3 for the caller's own.
ARROW = np.dtype(
    [
        ("quantity", "<i4"),
        ("angular", "<i4"),
        ("body", "<i4"),
        ("reserved", "<i4"),
        ("point", "<f8", 3),
        ("vector", "<f8", 3),
    ]
)


class RecordingError(ParseError):
    """The file is not a recording, or its head is incomplete."""


@dataclass
class Body:
    """A body of a recording."""

    name: str
    parent: int
    mass: float
    com: npt.NDArray[Any]
    #: About the centre of mass, the body's axes, 3×3 [kg m²]; None in a recording from a file.
    inertia: Optional[npt.NDArray[Any]] = None


@dataclass
class Joint:
    """A joint of a recording; the indices are those of a `Model`'s joint."""

    name: str
    kind: int
    body: int
    q_index: int
    nq: int
    v_index: int
    nv: int
    lower: float
    upper: float
    axis: npt.NDArray[Any]
    anchor: npt.NDArray[Any]


@dataclass
class Shape:
    """A shape of a body. kind: a `GeomKind`; mesh: number of the mesh, or None; geom: id, None for a visual shape of
    a file; visual: True if it touches nothing; rgba: NaN if the file gives no colour."""

    name: str
    visual: bool
    kind: int
    body: int
    geom: Optional[int]
    mesh: Optional[int]
    rgba: npt.NDArray[Any]
    size: npt.NDArray[Any]
    position: npt.NDArray[Any]
    quaternion: npt.NDArray[Any]
    friction: float


@dataclass(repr=False)
class Frame:
    """One frame. poses: nbody×7, position and quaternion (x y z w); limits: a joint's bit 0 at its lower limit, bit 1
    at its upper one; gradient: a `Gradient`, None for a state without a step; surfaces: by name points (n×3, world
    axes), triangles (m×3, numbers of points) and rgba."""

    time: float
    step: int
    gradient: Optional[int]
    converged: bool
    residual: float
    switch_distance: float
    q: npt.NDArray[Any]
    v: npt.NDArray[Any]
    u: npt.NDArray[Any]
    poses: npt.NDArray[Any]
    channels: npt.NDArray[Any]
    limits: npt.NDArray[Any]
    contacts: npt.NDArray[Any]
    wrenches: npt.NDArray[Any]
    arrows: npt.NDArray[Any]
    surfaces: Dict[str, Tuple[np.ndarray, np.ndarray, npt.NDArray[Any]]] = field(default_factory=dict)

    def __repr__(self) -> str:
        return f"<diffsim frame at {self.time:g} s, step {self.step}: {len(self.contacts)} contacts>"


def _text(_: Any, x: Any, name: str) -> str:
    return string(x, name).decode()


def _list_of(*kinds: type) -> Check:
    """The check of a list of objects of these classes."""

    def check(_: Any, x: Any, name: str) -> List[Any]:
        wrong = next((type(y) for y in listed(x, name, kinds[0].__name__) if not isinstance(y, kinds)), None)
        if wrong is not None:
            raise ArgumentTypeError(f"{name}: expected a list of {kinds[0].__name__}, with {wrong.__name__} in it")
        return list(x)

    return check


def _slices(_: Any, x: Any, name: str) -> Dict[str, slice]:
    if not (isinstance(x, dict) and all(isinstance(k, str) and isinstance(s, slice) for k, s in x.items())):
        raise ArgumentTypeError(f"{name}: expected slices by names, got {type(x).__name__}")
    return x


@dataclass(repr=False)
class Recording(Checked):
    """A run: a model's bodies, joints and shapes, and frames. damage: the fault of the rest of the file, None if it
    is complete. lost: number of frames that newer ones replaced in the recorder's ring. coats: for each mesh None, or
    of each triangle's corners (m×3×3) colours r g b and None, or places u v (v upward) and 0 in an image and its
    number. images: the bytes of PNG and JPEG files."""

    name: str = ""
    rate: float = 0.0
    gravity: npt.NDArray[Any] = field(default_factory=lambda: np.zeros(3))
    nq: int = 0
    nv: int = 0
    nu: int = 0
    bodies: List[Body] = field(default_factory=list)
    joints: List[Joint] = field(default_factory=list)
    actuators: List[str] = field(default_factory=list)
    channels: Dict[str, slice] = field(default_factory=dict)
    shapes: List[Shape] = field(default_factory=list)
    meshes: List[Tuple[np.ndarray, npt.NDArray[Any]]] = field(default_factory=list)
    coats: List[Optional[Tuple[npt.NDArray[Any], Optional[int]]]] = field(default_factory=list)
    images: List[bytes] = field(default_factory=list)
    frames: List[Frame] = field(default_factory=list)
    damage: Optional[str] = None
    lost: int = 0
    _shown: Dict[str, Tuple[np.ndarray, np.ndarray, npt.NDArray[Any]]] = field(default_factory=dict, repr=False)
    _settable = {
        "name": _text,
        "rate": lambda _, x, name: float(finite(numbers(number(x, name), name), name)),
        "gravity": lambda _, x, name: numbers(x, name),
        **dict.fromkeys(("nq", "nv", "nu", "lost"), lambda _, x, name: size(x, name)),
        "bodies": _list_of(Body),
        "joints": _list_of(Joint),
        "actuators": _list_of(str),
        "channels": _slices,
        "shapes": _list_of(Shape),
        "meshes": _list_of(tuple),
        "coats": _list_of(tuple, type(None)),
        "images": _list_of(bytes),
        "frames": _list_of(Frame),
        "damage": lambda _, x, name: None if x is None else _text(_, x, name),
    }

    @classmethod
    def read(cls, path: Union[str, "os.PathLike[str]"]) -> "Recording":
        """Reads a file. A damaged file gives all frames before the damage, and `damage`.

        Raises `RecordingError` if the file is not a recording, `FileError` if it cannot be read.
        """
        with opened(path) as file:
            return cls._whole(file, os.fspath(path))

    @classmethod
    def from_bytes(cls, data: bytes) -> "Recording":
        """Reads a recording from memory; see `read`."""
        if not isinstance(data, (bytes, bytearray, memoryview)):
            raise ArgumentTypeError(f"data: expected bytes, got {type(data).__name__}")
        return cls._whole(io.BytesIO(data), "")

    @classmethod
    def stream(cls, path: Union[str, "os.PathLike[str]"]) -> Iterator[Tuple["Recording", "Frame"]]:
        """Yields the frames of a file one after the other, each with its recording, which keeps none of them: for
        files larger than the memory. At damage the frames end, and `damage` of the recording says why."""
        with opened(path) as file:
            recording = cls()
            for _ in recording._parts(file, os.fspath(path)):
                for frame in recording.frames:
                    yield recording, frame
                recording.frames = []

    @classmethod
    def _whole(cls, file: Any, name: Any) -> "Recording":
        recording = cls()
        for _ in recording._parts(file, name):
            pass
        return recording

    def _parts(self, file: Any, name: Any) -> Iterator[Any]:
        """Takes in one chunk after the other."""
        prefix = f"{name}: " if name else ""
        if file.read(8) != SIGNATURE:
            raise RecordingError(f"{prefix}this is not a recording: it starts with other bytes")
        at, headed = 8, False
        while True:
            head = file.read(_CHUNK.size)
            if not head:
                break
            kind, crc, length = _CHUNK.unpack(head) if len(head) == _CHUNK.size else (b"", 0, 0)
            payload = memoryview(_at_most(file, length))
            if len(head) < _CHUNK.size or len(payload) < length:
                self.damage = f"byte {at}: the file ends within a chunk"
                break
            if zlib.crc32(payload, zlib.crc32(kind + struct.pack("<Q", length))) != crc:
                self.damage = f"byte {at}: a chunk does not match its checksum"
                break
            read = _CHUNKS.get(kind)
            try:
                if read:
                    read(self, payload)
            except (struct.error, ValueError, IndexError, UnicodeDecodeError) as error:
                raise RecordingError(f"{prefix}byte {at}: {error}") from None
            headed = headed or kind == b"HEAD"
            at += _CHUNK.size + length
            yield
        if not headed:
            raise RecordingError(f"{prefix}the recording is not whole: {self.damage or 'it has no head'}")

    def __repr__(self) -> str:
        frames = len(self.frames)
        span = f", {self.frames[0].time:g} to {self.frames[-1].time:g} s" if frames else ""
        state = f", damaged: {self.damage}" if self.damage else ""
        return f"<diffsim.Recording of {self.name!r}: {frames} frame{'' if frames == 1 else 's'}{span}, nv={self.nv}{state}>"

    @property
    def times(self) -> npt.NDArray[Any]:
        """Times of the frames [s]."""
        return np.array([frame.time for frame in self.frames])

    def channel(self, name: str) -> npt.NDArray[Any]:
        """Numbers of a channel, one row a frame. Raises `UnknownNameError` for a name that no channel has."""
        if string(name, "name").decode() not in self.channels:
            raise UnknownNameError(f"name: no channel is called {name!r}{near(name, self.channels)}")
        return np.array([frame.channels[self.channels[name]] for frame in self.frames])

    def html(self, *others: "Recording", title: Optional[str] = None) -> str:
        """A page that shows this recording (and others beside it) without a server or a network."""
        for other in others:
            instance(other, Recording, "others")
        if title is not None:
            string(title, "title")
        html: str = late("page")([self, *others], title=title)
        return html

    def view(self, path: Union[str, "os.PathLike[str]"], *others: "Recording", title: Optional[str] = None) -> None:
        """Writes the page of `html` to a file."""
        page = self.html(*others, title=title).encode()
        with opened(path, "wb") as file:
            file.write(page)

    def _repr_html_(self) -> Optional[str]:
        """A page for a notebook; None without a frame: the notebook shows the text."""
        if not self.frames:
            return None
        html: str = late("inline")(self.html())
        return html

    def _head(self, payload: Any) -> None:
        source = _Source(payload)
        version, *counts = source.take("<8I")
        if version != VERSION:
            raise ValueError(f"version {version} of the format, this package reads {VERSION}")
        self.nq, self.nv, self.nu, bodies, joints, channels, _ = counts
        self.rate, *gravity = source.take("<4d")
        self.gravity = np.array(gravity)
        self.name = source.text()
        for _ in range(bodies):
            name = source.text()
            parent, mass, *com = source.take("<I4d")
            if parent >= max(1, len(self.bodies)):
                raise ValueError(f"body {len(self.bodies)} comes before its parent {parent}")
            self.bodies.append(Body(name, parent, mass, np.array(com)))
        for _ in range(joints):
            name = source.text()
            kind, body, iq, nq, iv, nv, lower, upper, *rest = source.take("<6I8d")
            axis, anchor = np.array(rest[:3]), np.array(rest[3:])
            self.joints.append(Joint(name, kind, body, iq, nq, iv, nv, lower, upper, axis, anchor))
        self.actuators = [source.text() for _ in range(self.nu)]
        start = 0
        for _ in range(channels):
            name = source.text()
            (size,) = source.take("<I")
            self.channels[name] = slice(start, start + size)
            start += size

    def _image(self, payload: Any) -> None:
        _, length = struct.unpack_from("<2I", payload)
        self.images.append(bytes(payload[8 : 8 + length]))

    def _mesh(self, payload: Any) -> None:
        _, vertices, triangles, coat = struct.unpack_from("<4I", payload)
        points = np.frombuffer(payload, "<f4", 3 * vertices, 16).reshape(-1, 3)
        faces = np.frombuffer(payload, "<u4", 3 * triangles, 16 + 12 * vertices).reshape(-1, 3)
        if faces.size and faces.max() >= vertices:
            raise ValueError("a triangle has a vertex index out of range")
        if coat > 1 + len(self.images):
            raise ValueError(f"a mesh has image {coat - 2}, of {len(self.images)}")
        self.meshes.append((points, faces))
        corners = None
        if coat:
            corners = np.frombuffer(payload, "<f4", 9 * triangles, 16 + 12 * (vertices + triangles)).reshape(-1, 3, 3)
        self.coats.append(None if corners is None else (corners, coat - 2 if coat > 1 else None))

    def _shapes(self, payload: Any) -> None:
        source = _Source(payload)
        (count,) = source.take("<I")
        for _ in range(count):
            role, kind, body, geom, mesh = source.take("<5I")
            rgba = np.array(source.take("<4f"))
            numbers = np.array(source.take("<11d"))
            if body >= len(self.bodies) or (mesh != NONE and mesh >= len(self.meshes)):
                raise ValueError("a shape has the index of a body or mesh out of range")
            if geom != NONE and geom >= count:
                raise ValueError(f"a shape is of geom {geom}, of {count} at most")
            self.shapes.append(
                Shape(
                    source.text(),
                    role == 1,
                    kind,
                    body,
                    None if geom == NONE else geom,
                    None if mesh == NONE else mesh,
                    rgba,
                    numbers[:3],
                    numbers[3:6],
                    numbers[6:10],
                    numbers[10],
                )
            )

    def _surface(self, payload: Any) -> None:
        count, faces, *rgba = struct.unpack_from("<2I4f", payload)
        points = np.frombuffer(payload, "<f8", 3 * count, 24).reshape(-1, 3)
        triangles = np.frombuffer(payload, "<u4", 3 * faces, 24 + 24 * count).reshape(-1, 3)
        if triangles.size and triangles.max() >= count:
            raise ValueError("a triangle has a vertex index out of range")
        name = _Source(payload, 24 + 24 * count + 12 * faces).text()
        if count:
            self._shown[name] = points, triangles, np.array(rgba)
        else:
            self._shown.pop(name, None)

    def _frames(self, payload: Any) -> None:
        (count,) = struct.unpack_from("<Q", payload)
        at = 8
        for _ in range(count):
            (size,) = struct.unpack_from("<I", payload, at)
            self.frames.append(self._frame(payload[at : at + size]))
            at += size

    def _frame(self, payload: Any) -> Any:
        head = _FRAME.unpack_from(payload)
        _, contacts, wrenches, arrows, gradient, converged, time, step, residual, switch_distance = head
        at = _FRAME.size

        def numbers(count: Any, dtype: Any = "<f8") -> Any:
            nonlocal at
            x = np.frombuffer(payload, dtype, count, at)
            at += x.nbytes
            return x

        q, v, u = numbers(self.nq), numbers(self.nv), numbers(self.nu)
        poses = numbers(7 * len(self.bodies)).reshape(-1, 7)
        channels = numbers(max((s.stop for s in self.channels.values()), default=0))
        limits = numbers(len(self.joints), "u1")
        at += -len(self.joints) % 8
        contacts, wrenches, arrows = numbers(contacts, CONTACT), numbers(wrenches, WRENCH), numbers(arrows, ARROW)
        if at != len(payload):
            raise ValueError(f"a frame of {len(payload)} bytes holds {at}")
        geoms = sum(s.geom is not None for s in self.shapes)
        for ids, count in (
            (contacts["geom_a"], geoms),
            (contacts["geom_b"], geoms),
            (wrenches["body"], len(self.bodies)),
            (arrows["body"], len(self.bodies)),
        ):
            if ids.size and not (0 <= ids.min() and ids.max() < count):
                raise ValueError("a frame has the index of a geom or body out of range")
        return Frame(
            time,
            step,
            None if gradient == NONE else gradient,
            bool(converged),
            residual,
            switch_distance,
            q,
            v,
            u,
            poses,
            channels,
            limits,
            contacts,
            wrenches,
            arrows,
            dict(self._shown),
        )


def opened(path: Any, mode: str = "rb") -> Any:
    """An open file. Raises `FileError`, an OSError, with the file's name."""
    if not isinstance(path, (str, os.PathLike)):
        raise ArgumentTypeError(f"path: expected a path, got {type(path).__name__}")
    try:
        return open(path, mode)
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or error
        raise FileError(f"{os.fspath(path)}: cannot be {'read' if mode == 'rb' else 'written'}: {why}") from None


def _at_most(file: Any, length: Any) -> Any:
    """At most this many bytes of a file. Allocates no more than the file has."""
    parts, left = [], length
    while left > 0:
        part = file.read(min(left, 1 << 24))
        if not part:
            break
        parts.append(part)
        left -= len(part)
    return b"".join(parts)


_CHUNKS = {
    b"HEAD": Recording._head,
    b"IMAG": Recording._image,
    b"MESH": Recording._mesh,
    b"SHAP": Recording._shapes,
    b"SURF": Recording._surface,
    b"FRMS": Recording._frames,
}


class _Source:
    """Numbers and names one after the other."""

    def __init__(self, payload: Any, at: Any = 0) -> None:
        self.payload, self.at = payload, at

    def take(self, form: Any) -> Any:
        values = struct.unpack_from(form, self.payload, self.at)
        self.at += struct.calcsize(form)
        return values

    def text(self) -> Any:
        (length,) = self.take("<I")
        raw = bytes(self.payload[self.at : self.at + length])
        if len(raw) < length:
            raise ValueError("a name is longer than its chunk")
        self.at += length
        return raw.decode("utf-8")
