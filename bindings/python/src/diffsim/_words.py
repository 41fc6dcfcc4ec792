"""Translates messages of the library to Python: names of options and values in Python instead of C."""

from __future__ import annotations

import re
from typing import Dict

from ._errors import ERRORS
from .enums import PREFIXES, Status

#: Methods and attributes by the part of the C name after the class, if they differ.
_MEMBERS = {
    "step_jacobians": "jacobians",
    "step_info": "info",
    "step_vjp": "vjp",
    "step_jvp": "jvp",
    "step_vjp_aware": "vjp_aware",
    "get_params": "params",
    "set_params": "params",
    "get_memory": "memory",
    "set_memory": "memory",
    "get_act": "act",
    "set_act": "act",
    "joint_effort_velocity": "joint",
    "joint_limits": "joint",
    "geom_size": "geom",
}
#: Python names of C structs.
_STRUCTS = {
    "ds_step_info": "Sim.info",
    "ds_geom_desc": "Builder.add_geom",
    "ds_joint_desc": "Builder.add_joint",
    "ds_actuator_desc": "Builder.add_actuator",
    "ds_tendon_desc": "Builder.add_tendon",
    "ds_options": "the options of a Sim",
    "ds_load_options": "the options of Model.load",
    "ds_contact": "Sim.contacts",
    "ds_patch": "Sim.patches",
}

#: Classes of the package by the middle part of C names.
_CLASSES = {"builder": "Builder", "model": "Model", "sim": "Sim", "rollout": "Rollout", "batch": "Batch"}


def _table() -> Dict[str, str]:
    """Enumerators of C and their texts in Python."""
    found: Dict[str, str] = {}
    for kind, prefix in PREFIXES.items():
        for member in kind:
            found.setdefault(prefix + member.name, f'"{member}"')
    found.update((f"DS_ERR_{Status(status).name}", error.__name__) for status, error in ERRORS.items())
    return found


_VALUES = _table()

_RULES = (
    # struct.field: the field is a keyword argument.
    (re.compile(r"\b(?:ds_\w+_options|ds_options|ds_\w+_desc|ds_smoothing|options)\.(\w+)"), r"\1"),
    (re.compile(r"\bds_(model|sim|builder|rollout|batch)_(\w+)"), lambda m: f"{_CLASSES[m[1]]}.{_MEMBERS.get(m[2], m[2])}"),
    (re.compile(r"\bds_\w+"), lambda m: _STRUCTS.get(m[0], m[0])),
    (re.compile(r"\bNULL\b"), "None"),
)


def python(message: str) -> str:
    """A message with Python's names."""
    if "DS_" in message:
        message = re.sub(r"\bDS_[A-Z0-9_]+\b", lambda m: _VALUES.get(m[0], m[0]), message)
    for pattern, to in _RULES:
        message = pattern.sub(to, message)
    return message
