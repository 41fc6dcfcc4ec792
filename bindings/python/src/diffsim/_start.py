"""Where runs start that nobody gave a state: on the command line and in the live view."""

from __future__ import annotations

from typing import Optional, Tuple

import numpy as np

from ._native import Array
from .model import Model


def start(model: Model, keyframe: Optional[str] = None) -> Tuple[Array, Array, Array]:
    """q, v and u of a keyframe, or home at rest with the inputs that hold it, if a keyframe of the file has them."""
    if keyframe is not None:
        q, v, u = model.keyframe(keyframe)
    else:
        q, v, u = model.home(), np.zeros(model.nv), np.zeros(model.nu)
        frames = (model.keyframe(name) for name in model.keyframe_names)
        u = next((held for at, _, held in frames if np.array_equal(at, q)), u)
    low, high = np.array([a.control_range for a in model.actuators]).reshape(-1, 2).T
    return q, v, np.clip(u, low, high)
