"""Failures as exceptions, one for each status."""

import re
from typing import Dict, Optional, Type

from .enums import Status

#: What a message is about: an argument, or one entry of it, of a step or an element.
_ARGUMENT = re.compile(r"(?:(?:step|element) \d+: )*([A-Za-z_]\w*(?:\.\w+)*)(?:\[[^\]]*\])*(?:: | must )")


class DiffsimError(Exception):
    """A call that failed; the message names the argument, what was expected and what was given."""

    status = Status.INTERNAL

    def __init__(self, message: Optional[str]) -> None:
        super().__init__(message)
        self.message = message or ""

    def __str__(self) -> str:
        return self.message

    @property
    def argument(self) -> Optional[str]:
        """The argument or option that the message begins with, None where it is about none."""
        found = _ARGUMENT.match(self.message)
        return found[1].rpartition(".")[2] if found else None


class InvalidArgumentError(DiffsimError, ValueError):
    """An argument is of the wrong size, out of range, or contradicts another; a handle is closed."""

    status = Status.INVALID_ARGUMENT


class ArgumentTypeError(InvalidArgumentError, TypeError):
    """An array holds numbers of another type than the library's."""


class UnknownNameError(InvalidArgumentError, KeyError):
    """Nothing has this name; the message has names that are like it."""


class _OfFile(DiffsimError):
    """An error whose message begins with the name of a file."""

    @property
    def argument(self) -> Optional[str]:
        """None: the message is about a file."""
        return None


class FileError(_OfFile, OSError):
    """A file cannot be read or written."""

    status = Status.IO


class ParseError(_OfFile, ValueError):
    """A file is not what its format asks for."""

    status = Status.PARSE


class UnsupportedError(DiffsimError, NotImplementedError):
    """The request is outside what this version does."""

    status = Status.UNSUPPORTED


class CapacityError(DiffsimError, RuntimeError):
    """A capacity chosen at creation, or memory, does not suffice."""

    status = Status.CAPACITY


class NotConvergedError(DiffsimError, ArithmeticError):
    """The contact solver stopped above its tolerance."""

    status = Status.NOT_CONVERGED


class NumericalError(DiffsimError, ArithmeticError):
    """A number that is not finite came in or would have gone out."""

    status = Status.NUMERICAL


class NoStepError(DiffsimError, RuntimeError):
    """A result of a step was asked for before any step."""

    status = Status.NO_STEP


class InternalError(DiffsimError, RuntimeError):
    """A defect of the library; please report it."""

    status = Status.INTERNAL


ERRORS: Dict[int, Type[DiffsimError]] = {
    error.status: error
    for error in (
        InvalidArgumentError,
        FileError,
        ParseError,
        UnsupportedError,
        CapacityError,
        NotConvergedError,
        NumericalError,
        NoStepError,
        InternalError,
    )
}
