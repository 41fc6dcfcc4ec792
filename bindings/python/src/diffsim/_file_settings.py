"""Simulation settings of a model's file: the options that a sim takes from it, and warnings about the others."""

from __future__ import annotations

import re
import warnings
from typing import TYPE_CHECKING, Any, Dict, Mapping

from .enums import Integrator

if TYPE_CHECKING:
    from .model import Model

#: Warnings of the loader about settings that change the motion.
INTEGRATOR = re.compile(r"integrator \w+ is not supported")
OTHERS = re.compile(r"attribute (?:cone|impratio|o_\w+) of <option>|attribute (?:eulerdamp|refsafe) of <flag>")


class FileSettingsWarning(UserWarning):
    """The file asks for a simulation setting that this library does not have."""


def take(made: Dict[str, Any], given: Mapping[str, Any], model: Model, time_step: float, integrator: int) -> None:
    """Stores the options that come from the model, and warns once per model about unsupported settings of the
    file."""
    made["time_step"], made["integrator"] = time_step, Integrator(integrator)
    if model._warned_of_settings:
        return
    model._warned_of_settings = True
    law = made["contact"].name.lower()
    for line in model.warnings:
        if INTEGRATOR.search(line) and given.get("integrator", Integrator.FROM_MODEL) in (Integrator.FROM_MODEL, "from_model"):
            said = f"{line}; this sim has {made['integrator'].name.lower()}"
        elif OTHERS.search(line):
            said = f"{line}; this sim has contact={law}"
        else:
            continue
        warnings.warn(said, FileSettingsWarning, stacklevel=4)
