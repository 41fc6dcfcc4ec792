"""Names where the library has numbers: of enumerations, and of a model's parts."""

import difflib
import operator
import reprlib
from collections.abc import Mapping
from enum import IntEnum
from typing import Any, Iterable, List, Type, TypeVar

from ._errors import ArgumentTypeError, InvalidArgumentError, UnknownNameError

E = TypeVar("E", bound=IntEnum)
T = TypeVar("T")
#: Most names that a message lists.
LISTED = 20


def string(x: Any, argument: str) -> bytes:
    """A name or text as C has it."""
    if not isinstance(x, str):
        raise ArgumentTypeError(f"{argument}: expected a str, got {type(x).__name__}")
    if "\0" in x:
        raise InvalidArgumentError(f"{argument}: must not contain NUL, got {x!r}")
    try:
        return x.encode()
    except UnicodeEncodeError:
        raise InvalidArgumentError(f"{argument}: must be text that UTF-8 can encode, got {x!r}") from None


def whole(x: Any, expected: str) -> int:
    """A whole number, which an enumeration's member or a truth value is not taken for. expected: what a message says."""
    if not isinstance(x, (IntEnum, bool)):
        try:
            return operator.index(x)
        except TypeError:
            pass
    raise ArgumentTypeError(f"{expected}, got {reprlib.repr(x)}")


def flag(x: Any, argument: str) -> bool:
    """A truth value, which 0 and 1 are, too."""
    try:
        if isinstance(x, bool) or operator.index(x) in (0, 1):
            return bool(x)
    except TypeError:
        # NumPy's truth values are no numbers.
        if type(x).__name__ in ("bool", "bool_"):
            return bool(x)
    raise ArgumentTypeError(f"{argument}: expected True or False, got {reprlib.repr(x)}")


def number(x: Any, argument: str) -> float:
    """A real number."""
    if not isinstance(x, (str, bytes, bytearray)):
        try:
            return float(x)
        except (TypeError, ValueError, OverflowError):
            pass
    raise ArgumentTypeError(f"{argument}: expected a number, got {reprlib.repr(x)}")


def instance(x: Any, kind: Type[T], argument: str) -> T:
    """An object of one of the package's classes of Python alone."""
    if not isinstance(x, kind):
        raise ArgumentTypeError(f"{argument}: expected a diffsim.{kind.__name__}, got {type(x).__name__}")
    return x


def listed(x: Any, argument: str, of: str) -> List[Any]:
    """The entries of a list or anything else that has some one after the other; texts and mappings are none."""
    if not isinstance(x, (str, bytes, bytearray, Mapping)):
        try:
            return list(x)
        except TypeError:
            pass
    raise ArgumentTypeError(f"{argument}: expected a list of {of}, got {reprlib.repr(x)}")


def like(name: str, known: Iterable[str]) -> str:
    """What a message says of the names that are like an unknown one; nothing where none is."""
    folded = {n.lower(): n for n in known if n}
    found = [folded[n] for n in difflib.get_close_matches(name.lower(), folded, n=3, cutoff=0.6)]
    return f"; near it: {', '.join(map(repr, found))}" if found else ""


def near(name: str, known: Iterable[str]) -> str:
    """As `like`; where no name is, what there is."""
    names = [n for n in dict.fromkeys(known) if n]
    more = f" and {len(names) - LISTED} more" if len(names) > LISTED else ""
    listed = ", ".join(map(repr, names[:LISTED])) + more
    return like(name, names) or f"; there is {listed or 'none with a name'}"


def choice(enumeration: Type[E], value: Any, argument: str) -> E:
    """A member of an enumeration, given as such, by its name in any case, or by its number."""
    if isinstance(value, enumeration):
        return value
    if isinstance(value, str):
        found = enumeration.__members__.get(value.upper().replace("-", "_").replace(" ", "_"))
        if found is None:
            names = [member.lower() for member in enumeration.__members__]
            raise UnknownNameError(f"{argument}: no {enumeration.__name__} is named {value!r}{near(value, names)}")
        return found
    given = whole(value, f"{argument}: expected a diffsim.{enumeration.__name__} or its name")
    try:
        return enumeration(given)
    except ValueError:
        members = ", ".join(f"{m.name.lower()} ({m.value})" for m in enumeration)
        raise InvalidArgumentError(f"{argument}: expected one of {members}, got {value!r}") from None
