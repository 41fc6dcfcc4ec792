"""Takes frames of simulations and writes them as recordings."""

import os
from typing import Dict, Optional, Union

import numpy as np

from ._native import NULL, Handle, InvalidArgumentError, NoStepError, array, check, ffi, lib, pointer, struct, text
from .batch import Batch
from .enums import Quantity
from .model import Model
from .recording import Recording
from .rollout import Rollout
from .sim import Gradients, Sim


def picture(model: Model, sim: Optional[Sim] = None) -> str:
    """What a notebook shows of a model at home, or of a sim after its last step."""
    recorder = Recorder(model, rate=0)
    try:
        if sim is None:
            raise NoStepError("")
        recorder.step(sim)
    except NoStepError:
        recorder.state(0.0, model.home())
    return recorder._repr_html_()


class Recorder(Handle):
    """Takes frames of sims, rollouts and batches of one model into a ring of `capacity` bytes.

    rate: frames a second of simulated time, 0 for one each step. channels: names of further numbers in
    each frame with how many there are, 1 or 3 say; `set` sets them. path: a file to which all frames go; without one
    the newest ones stay in the ring, for `recording` and `save`. visuals: the file that the model was loaded from, to
    show the meshes and colours that a URDF draws; mesh_dirs as for `Model.load`.

        recorder = diffsim.Recorder(model, channels={"height": 1})
        for u in controls:
            q, v = sim.step(q, v, u)
            recorder.set("height", q[2])
            recorder.step(sim)
        recorder.recording().view("run.html")
    """

    _kind = "ds_recorder"
    _free = lib.ds_recorder_free

    def __init__(
        self,
        model: Model,
        rate: float = 60.0,
        channels: Optional[Dict[str, int]] = None,
        path: Union[str, "os.PathLike[str]", None] = None,
        visuals: Union[str, "os.PathLike[str]", None] = None,
        mesh_dirs=(),
        capacity: int = 1 << 24,
    ):
        made, _keep = struct("ds_recorder_options", lib.ds_recorder_options_init, {"rate": rate, "capacity": capacity})
        self._own(lib.ds_recorder_create, model._handle, made)
        self.model = model
        self._channels = {}
        for name, size in (channels or {}).items():
            number = ffi.new("int32_t *")
            check(lib.ds_recorder_add_channel(self._handle, name.encode(), size, number))
            self._channels[name] = (number[0], size)
        #: Number of shapes of `visuals` whose mesh is missing or cannot be read.
        self.left_out = 0
        #: What of `visuals` could not be read, meshes and colours, one line each.
        self.warnings = []
        if visuals is not None:
            dirs = [ffi.new("char[]", os.fsencode(d)) for d in mesh_dirs]
            options = ffi.new("ds_load_options *")
            lib.ds_load_options_init(options)
            listed = ffi.new("char *[]", dirs)
            options.mesh_dirs, options.mesh_dir_count = listed, len(dirs)
            left_out = ffi.new("size_t *")
            check(lib.ds_recorder_add_visuals(self._handle, os.fsencode(visuals), options, left_out))
            self.left_out = left_out[0]
            count = lib.ds_recorder_warning_count(self._handle)
            self.warnings = [text(lib.ds_recorder_warning(self._handle, i)) for i in range(count)]
        if path is not None:
            check(lib.ds_recorder_open(self._handle, os.fsencode(path)))

    def step(self, sim: Sim) -> None:
        """Takes a frame of the sim's last step where one is due; call it after every step."""
        check(lib.ds_recorder_step(self._handle, sim._handle))

    def batch_step(self, batch: Batch, element: int) -> None:
        """As `step`, of an element of a batch."""
        if element < 0:
            raise InvalidArgumentError(f"element: must not be negative, got {element}")
        check(lib.ds_recorder_batch_step(self._handle, batch._handle, element))

    def rollout(self, rollout: Rollout, gradients: Optional[Gradients] = None) -> None:
        """Takes frames of the rollout's last run, which is repeated. gradients: what its `adjoint` gave; they are
        shown as arrows on the bodies, those by the initial state in the first frame."""
        q = v = u = None
        if gradients is not None:
            m, n = self.model, rollout._steps
            q, v = array(gradients.q, (m.nv,), "gradients.q"), array(gradients.v, (m.nv,), "gradients.v")
            u = array(gradients.u, (m.nu, n), "gradients.u")
        check(lib.ds_recorder_rollout(self._handle, rollout._handle, pointer(q), pointer(v), pointer(u)))

    def state(self, time: float, q, v=None) -> None:
        """Takes a frame of a state at a time [s], whatever the rate: without contacts. v: None for zeros."""
        m = self.model
        q = array(q, (m.nq,), "q")
        v = np.zeros(m.nv) if v is None else array(v, (m.nv,), "v")
        check(lib.ds_recorder_state(self._handle, time, pointer(q), pointer(v)))

    def set(self, channel: str, values) -> None:
        """Sets the numbers of a channel for the frames to come."""
        if channel not in self._channels:
            raise InvalidArgumentError(f"channel: expected one of {sorted(self._channels)}, got {channel!r}")
        number, size = self._channels[channel]
        values = np.atleast_1d(np.asarray(values, dtype=float))
        check(lib.ds_recorder_set_channel(self._handle, number, pointer(array(values, (size,), "values"))))

    def set_gradient(self, quantity: Quantity, values) -> None:
        """Lets the next frame show a gradient by the tangent of q or by v (nv numbers), or by u (nu), as arrows."""
        n = self.model.nu if quantity == Quantity.CONTROL else self.model.nv
        values = array(values, (n,), "values")
        check(lib.ds_recorder_set_gradient(self._handle, int(quantity), pointer(values)))

    def add_arrow(self, body: int, point, vector) -> None:
        """Lets the next frame show an arrow of a body, from a point along a vector, world axes."""
        point, vector = array(point, (3,), "point"), array(vector, (3,), "vector")
        check(lib.ds_recorder_add_arrow(self._handle, body, pointer(point), pointer(vector)))

    def surface(self, name: str, points, triangles=(), color=(0.6, 0.6, 0.6, 1.0)) -> None:
        """Lets the frames from the next one on show a surface, of a deformable body or a contact patch say, until the name
        is set again. points: n×3 [m], world axes; triangles: m×3, numbers of points from 0; color: red, green, blue and,
        if you like, opacity, 0 to 1. Without points the surface is gone."""
        points = np.ascontiguousarray(points, dtype=float).reshape(-1, 3)
        given = np.asarray(triangles).reshape(-1, 3)
        if given.size and not (given.dtype.kind in "iu" and 0 <= given.min() and given.max() < len(points)):
            raise InvalidArgumentError(f"triangles: expected integers from 0 to {len(points) - 1}")
        triangles = np.ascontiguousarray(given, dtype=np.uint32)
        color = np.asarray(color, dtype=np.float32).ravel()
        if color.size not in (3, 4):
            raise InvalidArgumentError(f"color: expected 3 or 4 numbers, got {color.size}")
        rgba = np.append(color, np.ones(4 - color.size, np.float32))
        check(
            lib.ds_recorder_surface(
                self._handle,
                name.encode(),
                ffi.from_buffer("double[]", points),
                len(points),
                ffi.from_buffer("uint32_t[]", triangles),
                len(triangles),
                ffi.from_buffer("float[]", rgba),
            )
        )

    def flush(self) -> None:
        """Writes what the ring holds to the file given at creation."""
        check(lib.ds_recorder_flush(self._handle))

    def save(self, path: Union[str, "os.PathLike[str]"]) -> None:
        """Writes the frames in the ring as a recording."""
        check(lib.ds_recorder_save(self._handle, os.fsencode(path)))

    def bytes(self) -> bytes:
        """The recording of the frames in the ring, as a file would have it."""
        at, size = ffi.new("uint8_t **"), ffi.new("size_t *")
        check(lib.ds_recorder_bytes(self._handle, at, size))
        return bytes(ffi.buffer(at[0], size[0])) if at[0] != NULL else b""

    def recording(self) -> Recording:
        """The recording of the frames in the ring."""
        return Recording.from_bytes(self.bytes())

    def close(self) -> None:
        """Lets go of the recorder; what its ring holds goes to the file given at creation first."""
        if self._handle != NULL:
            check(lib.ds_recorder_flush(self._handle))
        super().close()

    @property
    def frames(self) -> int:
        """Number of frames taken."""
        return lib.ds_recorder_frames(self._open())

    @property
    def dropped(self) -> int:
        """Number of frames that newer ones have pushed out of the ring."""
        return lib.ds_recorder_dropped(self._open())

    def _repr_html_(self) -> str:
        return self.recording()._repr_html_()
