"""Actuators to add to a model."""

from __future__ import annotations

from typing import Any, List, Mapping, Sequence, Tuple

from ._names import number
from ._native import check, ffi, lib, struct


def descs(actuators: Sequence[Mapping[str, Any]]) -> Tuple[Any, List[Any]]:
    """An array of `ds_actuator_desc`, and the objects that must live as long as the array."""
    out, keep = ffi.new("ds_actuator_desc[]", len(actuators)), []
    for i, given in enumerate(actuators):
        fields = dict(given)
        gains = [fields.pop(name, None) for name in ("kp", "kd")]
        made, kept = struct("ds_actuator_desc", lib.ds_actuator_desc_init, fields)
        if gains != [None, None]:
            kp, kd = (0.0 if gain is None else number(gain, name) for name, gain in zip(("kp", "kd"), gains))
            check(lib.ds_actuator_desc_set_servo(made, kp, kd))
        out[i] = made[0]
        keep.append(kept)
    return out, keep
