"""Visual shapes of a robot's file."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Optional, Tuple

import numpy as np
import numpy.typing as npt

from ._native import Array, check, ffi, lib, text
from .enums import GeomKind


@dataclass(frozen=True)
class Visual:
    """A visual shape of one colour. `placement`: 4×4, in the body's frame. `size` [m]: by its kind, unused entries
    zero. `rgba`: 0 to 1, NaN if the file gives no colour. Of a mesh, `file`: its path as it was found (None in an MJCF),
    `vertices`: 3×n [m], scaled, `triangles`: 3×m indices; else None."""

    name: str
    body: int
    kind: GeomKind
    placement: Array
    size: Array
    rgba: Array
    file: Optional[str]
    vertices: Optional[Array]
    triangles: Optional[npt.NDArray[np.uint32]]


@dataclass(frozen=True)
class Visuals:
    """Visual shapes of a file. `left_out`: number of shapes whose mesh is missing or cannot be read; `warnings`: the
    reasons, and unknown colours, one line each."""

    shapes: Tuple[Visual, ...]
    left_out: int
    warnings: Tuple[str, ...]


def _columns(start: Any, count: int, dtype: Any) -> Any:
    """A copy of 3×count numbers of the library's."""
    if start == ffi.NULL:
        return None
    size = 3 * count * np.dtype(dtype).itemsize
    return np.frombuffer(ffi.buffer(start, size), dtype).reshape((3, count), order="F").copy(order="F")


def _visual(v: Any) -> Visual:
    return Visual(
        text(v.name) or "",
        v.body,
        GeomKind(v.kind),
        np.array(list(v.placement)).reshape((4, 4), order="F"),
        np.array(list(v.size)),
        np.array(list(v.rgba)),
        text(v.file),
        _columns(v.vertices, v.vertex_count, np.float64),
        _columns(v.triangles, v.triangle_count, np.uint32),
    )


def read(model: Any, path: bytes, options: Any) -> Visuals:
    """Copies of all that the library finds."""
    out = ffi.new("ds_visuals **")
    check(lib.ds_visuals_load(model, path, options, out))
    found = ffi.gc(out[0], lib.ds_visuals_free)
    return Visuals(
        tuple(_visual(lib.ds_visuals_at(found, i)) for i in range(lib.ds_visuals_count(found))),
        lib.ds_visuals_left_out(found),
        tuple(text(lib.ds_visuals_warning(found, i)) or "" for i in range(lib.ds_visuals_warning_count(found))),
    )
