"""Functions of higher modules that lower modules call. A higher module enters them here when the package imports it;
so no two modules import each other."""

from typing import Any, Callable, Dict, TypeVar

F = TypeVar("F", bound=Callable[..., Any])

_ENTERED: Dict[str, Callable[..., Any]] = {}


def enter(thing: F) -> F:
    """Enters a function or class under its name."""
    _ENTERED[thing.__name__] = thing
    return thing


def late(name: str) -> Any:
    """The function or class with this name."""
    return _ENTERED[name]
