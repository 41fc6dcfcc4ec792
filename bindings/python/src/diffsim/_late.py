"""What lower modules call of higher ones. These enter it here when they are imported, which the package does, so that no
two modules import each other."""

from typing import Any, Callable, Dict, TypeVar

F = TypeVar("F", bound=Callable[..., Any])

_ENTERED: Dict[str, Callable[..., Any]] = {}


def enter(thing: F) -> F:
    """Enters a function or class by its name."""
    _ENTERED[thing.__name__] = thing
    return thing


def late(name: str) -> Any:
    """What was entered by this name."""
    return _ENTERED[name]
