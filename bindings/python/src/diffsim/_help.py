"""Text of `help` about keyword arguments that fill a struct of the library: each with its unit and default."""

from __future__ import annotations

import inspect
import re
import textwrap
from typing import Any, Callable, Dict, Iterable, TypeVar

from ._fields import FIELDS, PARAMS
from ._words import python
from .enums import CHOICES

F = TypeVar("F", bound=Callable[..., Any])

_WIDTH = 100


def field(struct: str, name: str) -> str:
    """Meaning of a field, with the names of its values."""
    said = FIELDS[struct][name]
    kind = CHOICES.get(struct, {}).get(name)
    if kind is not None:
        names = ", ".join(f'"{member}"' for member in kind)
        said = re.sub(r"^An? ds_\w+", f"diffsim.{kind.__name__} or its name, one of {names}", said)
    return python(said)


def _table(entries: Dict[str, str]) -> str:
    lines = (textwrap.fill(f"{name}: {said}", _WIDTH, initial_indent="  ", subsequent_indent="      ") for name, said in entries.items())
    return "\n".join(lines)


def fields(struct: str, but: Iterable[str] = ()) -> str:
    """Meanings of all fields of a struct except those in `but`."""
    left_out = set(but)
    return _table({name: field(struct, name) for name in FIELDS[struct] if name not in left_out})


def says(struct: str, but: Iterable[str] = ()) -> Callable[[F], F]:
    """Adds the fields of a struct to the docstring of a function."""

    def add(function: F) -> F:
        said = inspect.cleandoc(function.__doc__ or "Makes one.")
        function.__doc__ = f"{said}\n\nKeyword arguments:\n{fields(struct, but)}\n"
        return function

    return add


def params() -> str:
    """Meanings of index and component of a parameter, by its kind."""
    return _table({name: python(said) for name, said in PARAMS.items()})
