"""What a model's file says of steps: what a sim took of it, and what it could not."""

from __future__ import annotations

import re
import warnings
from typing import TYPE_CHECKING, Any, Dict, Mapping

from .enums import Integrator

if TYPE_CHECKING:
    from .model import Model

#: Lines of a loader about settings that change the motion.
INTEGRATOR = re.compile(r"integrator \w+ is not supported")
OTHERS = re.compile(r"attribute (?:cone|impratio|o_\w+) of <option>|attribute (?:eulerdamp|refsafe) of <flag>")


class FileSettingsWarning(UserWarning):
    """A file asks for a setting of its simulation that this library does not have."""


def take(made: Dict[str, Any], given: Mapping[str, Any], model: Model, time_step: float, integrator: int) -> None:
    """Writes over options what was left to the model, and warns, once a model, of what the file did not get."""
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
