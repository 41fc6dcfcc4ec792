"""Records frames of simulations and writes recordings."""

from __future__ import annotations

import math
from typing import Dict, Final, Iterable, List, Mapping, Optional, Tuple, Union

import numpy as np
from numpy.typing import ArrayLike

from ._errors import ArgumentTypeError, InvalidArgumentError, NoStepError, UnknownNameError
from ._handle import Handle, given
from ._late import enter
from ._names import choice, near, number, string, whole
from ._native import NULL, Array, array, check, ffi, file_name, index, indices, lib, numbers, pointer, struct, text
from ._origin import loaded_from
from .batch import Batch
from .enums import Quantity, QuantityName
from .model import Id, Model, Path, mesh_folders
from .recording import Recording
from .rollout import Rollout
from .results import Gradients
from .sim import Sim


@enter
def picture(model: Model, sim: Optional[Sim] = None) -> str:
    """Picture for a notebook: a model at home, or a sim after its last step."""
    recorder = Recorder(model, rate=0)
    try:
        if sim is None:
            raise NoStepError("")
        recorder.step(sim)
    except NoStepError:
        recorder.state(0.0, model.home())
    html = recorder._repr_html_()
    assert html is not None
    return html


class Recorder(Handle, kind="ds_recorder", free=lib.ds_recorder_free, fixed=("model",)):
    """Records frames of sims, rollouts and batches of one model into a ring of `capacity` bytes.

    rate: frames a second of simulated time, 0 for one each step. channels: names of further numbers in each frame,
    with their count (such as 1 or 3); `set` sets them. path: a file for all frames; without it the ring keeps the
    newest ones for `recording` and `save`. visuals: the file with the meshes and colours to show, with mesh_dirs as
    for `Model.load`; True for the file of the model, False for the collision shapes alone.

        recorder = diffsim.Recorder(model, channels={"height": 1})
        for u in controls:
            q, v = sim.step(q, v, u)
            recorder.set("height", q[2])
            recorder.step(sim)
        recorder.recording().view("run.html")

    It cannot be copied or pickled; its `recording` can.
    """

    _no_copies = "it owns a file and a ring of frames. Its recording() can be"

    def __init__(
        self,
        model: Model,
        rate: float = 60.0,
        channels: Optional[Mapping[str, int]] = None,
        path: Optional[Path] = None,
        visuals: Union[Path, bool, None] = True,
        mesh_dirs: Union[Path, Iterable[Path]] = (),
        capacity: int = 1 << 24,
    ) -> None:
        made, _keep = struct("ds_recorder_options", lib.ds_recorder_options_init, {"rate": rate, "capacity": capacity})
        self._own(lib.ds_recorder_create, given(model, Model, "model")._handle, made)
        self.model: Final = model
        self._channels: Dict[str, Tuple[int, int]] = {}
        if channels is not None and not isinstance(channels, Mapping):
            raise ArgumentTypeError(f"channels: expected sizes by names, got {type(channels).__name__}")
        for name, size in (channels or {}).items():
            made_as, size = ffi.new("int32_t *"), index(size, "channels")
            check(lib.ds_recorder_add_channel(self._handle, string(name, "channels"), size, made_as))
            self._channels[name] = (made_as[0], size)
        #: Number of shapes of `visuals` whose mesh is missing or cannot be read.
        self.left_out = 0
        #: Meshes and colours of `visuals` that could not be read, one line each.
        self.warnings: List[str] = []
        if visuals is True:
            file = loaded_from(model._origin)
            visuals, mesh_dirs = (None, ()) if file is None else (file.path, (*mesh_folders(mesh_dirs), *file.mesh_dirs))
        if visuals is not None and visuals is not False:
            dirs = [ffi.new("char[]", file_name(d, "mesh_dirs")) for d in mesh_folders(mesh_dirs)]
            options = ffi.new("ds_load_options *")
            lib.ds_load_options_init(options)
            listed = ffi.new("char *[]", dirs)
            options.mesh_dirs, options.mesh_dir_count = listed, len(dirs)
            left_out = ffi.new("size_t *")
            check(lib.ds_recorder_add_visuals(self._handle, file_name(visuals, "visuals"), options, left_out))
            self.left_out = left_out[0]
            count = lib.ds_recorder_warning_count(self._handle)
            self.warnings = [text(lib.ds_recorder_warning(self._handle, i)) or "" for i in range(count)]
        if path is not None:
            check(lib.ds_recorder_open(self._handle, file_name(path, "path")))

    def step(self, sim: Sim) -> None:
        """Records a frame of the sim's last step if one is due. Call it after every step."""
        with given(sim, Sim, "sim")._lock:
            check(lib.ds_recorder_step(self._handle, sim._handle))

    def batch_step(self, batch: Batch, element: int) -> None:
        """`step` for an element of a batch."""
        element = whole(element, "element: expected the number of an element")
        if element < 0:
            raise InvalidArgumentError(f"element: must not be negative, got {element}")
        with given(batch, Batch, "batch")._lock:
            check(lib.ds_recorder_batch_step(self._handle, batch._handle, element))

    def rollout(self, rollout: Rollout, gradients: Optional[Gradients] = None) -> None:
        """Records frames of the rollout's last run, which is repeated for this. gradients: the result of its
        `adjoint`, shown as arrows on the bodies; those by the initial state are in the first frame."""
        with given(rollout, Rollout, "rollout")._lock:
            q = v = u = None
            if gradients is not None:
                if not isinstance(gradients, Gradients):
                    raise ArgumentTypeError(f"gradients: expected diffsim.Gradients, got {type(gradients).__name__}")
                m, n = rollout.model, rollout._steps or 0
                q, v = array(gradients.q, (m.nv,), "gradients.q"), array(gradients.v, (m.nv,), "gradients.v")
                u = array(gradients.u, (m.nu, n), "gradients.u")
            check(lib.ds_recorder_rollout(self._handle, rollout._handle, pointer(q), pointer(v), pointer(u)))

    def state(self, time: float, q: ArrayLike, v: Optional[ArrayLike] = None) -> None:
        """Records a frame of a state at a time [s], at any rate, without contacts. v: None for zeros."""
        m = self.model
        place = array(q, (m.nq,), "q")
        motion = np.zeros(m.nv) if v is None else array(v, (m.nv,), "v")
        check(lib.ds_recorder_state(self._handle, number(time, "time"), pointer(place), pointer(motion)))

    def set(self, channel: str, values: ArrayLike) -> None:
        """Sets the numbers of a channel for the next frames."""
        if not isinstance(channel, str) or channel not in self._channels:
            known = f"expected one of {sorted(self._channels)}, got {channel!r}"
            raise UnknownNameError(f"channel: {known}{near(str(channel), self._channels)}")
        at, size = self._channels[channel]
        x = array(np.atleast_1d(numbers(values, "values")), (size,), "values")
        check(lib.ds_recorder_set_channel(self._handle, at, pointer(x)))

    def set_gradient(self, quantity: Union[Quantity, QuantityName], values: ArrayLike) -> None:
        """Shows a gradient by the tangent of q or by v (nv numbers), or by u (nu), as arrows in the next frame."""
        of = choice(Quantity, quantity, "quantity")
        n = self.model.nu if of == Quantity.CONTROL else self.model.nv
        x = array(values, (n,), "values")
        check(lib.ds_recorder_set_gradient(self._handle, int(of), pointer(x)))

    def add_arrow(self, body: Id, point: ArrayLike, vector: ArrayLike) -> None:
        """Shows an arrow of a body in the next frame, from a point along a vector, world axes."""
        start, along = array(point, (3,), "point"), array(vector, (3,), "vector")
        i = self.model._id("body", body, "body")
        check(lib.ds_recorder_add_arrow(self._handle, i, pointer(start), pointer(along)))

    def surface(
        self, name: str, points: ArrayLike, triangles: ArrayLike = (), color: ArrayLike = (0.6, 0.6, 0.6, 1.0)
    ) -> None:
        """Shows a surface (such as a deformable body or a contact patch) from the next frame on, until you set the
        name again. points: n×3 [m], world axes; triangles: m×3, numbers of points from 0; color: red, green, blue and,
        if you like, opacity, 0 to 1. No points remove the surface."""
        at = np.ascontiguousarray(numbers(points, "points", 3))
        corners = np.ascontiguousarray(indices(triangles, "triangles", 3), dtype=np.uint32)
        if corners.size and corners.max() >= len(at):
            raise InvalidArgumentError(f"triangles: expected integers from 0 to {len(at) - 1}, got {corners.max()}")
        tint = numbers(color, "color").astype(np.float32).ravel()
        if tint.size not in (3, 4):
            raise InvalidArgumentError(f"color: expected 3 or 4 numbers, got {tint.size}")
        rgba = np.append(tint, np.ones(4 - tint.size, np.float32))
        check(
            lib.ds_recorder_surface(
                self._handle,
                string(name, "name"),
                ffi.from_buffer("double[]", at),
                len(at),
                ffi.from_buffer("uint32_t[]", corners),
                len(corners),
                ffi.from_buffer("float[]", rgba),
            )
        )

    def patches(self, sim: Sim, largest: float, bands: int = 8) -> None:
        """Lets the frames from the next one on show the closed hydroelastic faces of the sim's last step, from blue to red
        by their mean pressure up to `largest` [Pa]. Each of the `bands` colors is a surface. Call it before `step`."""
        if not (number(largest, "largest") > 0.0 and math.isfinite(largest)):
            raise InvalidArgumentError(f"largest: expected a positive pressure, got {largest}")
        if not (isinstance(bands, (int, np.integer)) and 1 <= bands <= 64):
            raise InvalidArgumentError(f"bands: expected 1 to 64, got {bands!r}")
        points: List[List[Array]] = [[] for _ in range(bands)]
        corners: List[List[Tuple[int, int, int]]] = [[] for _ in range(bands)]
        for face in given(sim, Sim, "sim").patch_faces():
            mean = float(face.pressures.mean())
            if mean <= 0.0:
                continue
            band = min(int(mean / largest * bands), bands - 1)
            first = sum(len(p) for p in points[band])
            points[band].append(face.vertices)
            corners[band].extend((first, first + k, first + k + 1) for k in range(1, len(face.vertices) - 1))
        for band in range(bands):
            share = band / max(bands - 1, 1)
            at = np.concatenate(points[band]) if points[band] else np.zeros((0, 3))
            color = (share, 1.0 - abs(2.0 * share - 1.0), 1.0 - share)
            self.surface(f"pressure {band + 1} of {bands}", at, corners[band], color)

    def flush(self) -> None:
        """Writes the frames in the ring to the file given at creation."""
        check(lib.ds_recorder_flush(self._handle))

    def save(self, path: Path) -> None:
        """Writes the frames in the ring as a recording."""
        check(lib.ds_recorder_save(self._handle, file_name(path, "path")))

    def bytes(self) -> bytes:
        """The frames in the ring as the bytes of a recording's file."""
        at, size = ffi.new("uint8_t **"), ffi.new("size_t *")
        check(lib.ds_recorder_bytes(self._handle, at, size))
        return bytes(ffi.buffer(at[0], size[0])) if at[0] != NULL else b""

    def recording(self) -> Recording:
        """The recording of the frames in the ring."""
        made = Recording.from_bytes(self.bytes())
        made.lost = self.dropped
        for body, own in zip(made.bodies, self.model.bodies):
            body.inertia = own.inertia_com
        return made

    def close(self) -> None:
        """Closes the recorder. Before that, it writes the frames in the ring to the file given at creation."""
        with self._lock:
            handle, self._handle = self._handle, NULL
            if handle is not NULL:
                check(lib.ds_recorder_flush(handle))

    @property
    def frames(self) -> int:
        """Number of frames taken."""
        return int(lib.ds_recorder_frames(self._open()))

    @property
    def dropped(self) -> int:
        """Number of frames that newer ones have pushed out of the ring."""
        return int(lib.ds_recorder_dropped(self._open()))

    def __repr__(self) -> str:
        if self._handle is NULL:
            return f"<diffsim.Recorder: {self._gone}>"
        return f"<diffsim.Recorder of {self.model!r}: {self.frames} frames>"

    def _repr_html_(self) -> Optional[str]:
        return self.recording()._repr_html_()
