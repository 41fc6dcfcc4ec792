"""The shared library, its errors, and what stands between it and NumPy.

Vectors are copied into memory whose address the library already has: for the few dozen numbers of a
state that takes less time than asking an array where it lies. Matrices and trajectories are handed
over where they are.
"""

import pathlib
import sys

import numpy as np

from ._declarations import ffi
from .enums import Status

_NAME = {"darwin": "libdiffsim.dylib", "win32": "diffsim.dll"}.get(sys.platform, "libdiffsim.so")
lib = ffi.dlopen(str(pathlib.Path(__file__).with_name(_NAME)))
if lib.ds_abi_version() != lib.DS_ABI_VERSION:
    raise ImportError(f"{_NAME} has another binary interface than this package")

FLOAT = np.dtype(np.float64)
INT = np.dtype(np.int32)
NULL = ffi.NULL
_DOUBLES = ffi.typeof("double[]")
_INTS = ffi.typeof("int32_t[]")


class DiffsimError(Exception):
    """A call that failed; the message names the argument, what was expected and what was given."""

    status = Status.INTERNAL

    def __init__(self, message):
        super().__init__(message)
        self.message = message


class InvalidArgumentError(DiffsimError, ValueError):
    """An argument is of the wrong size, out of range, or contradicts another; a handle is closed."""

    status = Status.INVALID_ARGUMENT


class ArgumentTypeError(InvalidArgumentError, TypeError):
    """An array holds numbers of another type than the library's."""


class FileError(DiffsimError, OSError):
    """A file cannot be read."""

    status = Status.IO


class ParseError(DiffsimError, ValueError):
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


_ERRORS = {
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


def text(string):
    """A C string, or None for NULL."""
    return None if string == NULL else ffi.string(string).decode()


def last_error():
    """Message of the last failing call of this thread."""
    return text(lib.ds_last_error())


def fail(status):
    """Raises the exception of a status, with the library's message."""
    raise _ERRORS.get(status, InternalError)(last_error())


def check(status):
    if status:
        fail(status)


def array(x, shape, name):
    """`x` as a float64 array of this shape, column-major and without gaps: itself where it is one.

    Sequences of numbers are converted; an array of another type is refused, because a conversion on
    every call would go unnoticed.
    """
    if not isinstance(x, np.ndarray):
        x = np.array(x, dtype=FLOAT)
    elif x.dtype != FLOAT:
        raise ArgumentTypeError(f"{name}: expected an array of float64, got {x.dtype}")
    if x.shape != shape:
        raise InvalidArgumentError(f"{name}: expected shape {shape}, got {x.shape}")
    return np.asfortranarray(x)


def pointer(x):
    """Address of an array without gaps, which must stay alive; NULL for None or no numbers."""
    if x is None or x.size == 0:
        return NULL
    return ffi.from_buffer(_INTS if x.dtype == INT else _DOUBLES, x.T)


def result(x, shape, name, dtype=FLOAT):
    """The array that a result goes to: a new one for None, else `x`, which must be fit for it."""
    if x is None:
        return np.zeros(shape, dtype, order="F")
    if not isinstance(x, np.ndarray) or x.dtype != dtype:
        got = x.dtype if isinstance(x, np.ndarray) else type(x).__name__
        raise ArgumentTypeError(f"{name}: expected an array of {dtype}, got {got}")
    if x.shape != shape:
        raise InvalidArgumentError(f"{name}: expected shape {shape}, got {x.shape}")
    if not (x.flags.f_contiguous and x.flags.writeable):
        raise InvalidArgumentError(f"{name}: expected a writable column-major array without gaps")
    return x


class Slot:
    """A vector of the library's arguments or results: memory whose address is taken once."""

    __slots__ = ("memory", "name", "pointer", "shape")

    def __init__(self, n, name):
        self.memory = np.zeros(n)
        self.pointer = pointer(self.memory)
        self.shape = (n,)
        self.name = name

    def fill(self, x):
        """Copies an argument in and returns the address; NULL for None."""
        if x is None:
            return NULL
        if type(x) is not np.ndarray or x.dtype is not FLOAT or x.shape != self.shape:
            x = array(x, self.shape, self.name)
        self.memory[...] = x
        return self.pointer

    def take(self, out=None):
        """The result: a new array, or `out` with the numbers copied in."""
        if out is None:
            return self.memory.copy()
        out[...] = self.memory
        return out


def struct(kind, init, values):
    """A new struct with defaults and these fields, and what must live as long as it does.

    Arrays of numbers are copied in; strings, sequences of strings and arrays behind pointers are kept
    alive by what is returned.
    """
    made = ffi.new(kind + " *")
    init(made)
    fields = dict(ffi.typeof(kind).fields)
    keep = []
    for name, value in values.items():
        if name not in fields or name == "struct_size":
            known = ", ".join(f for f in fields if f not in ("struct_size", "reserved"))
            raise TypeError(f"{kind} has no field {name!r}, only {known}")
        of = fields[name].type
        if of.kind == "array":
            value = array(value, (of.length,), name).tolist()
        elif of is ffi.typeof("const char *"):
            value = ffi.new("char[]", value.encode()) if value is not None else NULL
            keep.append(value)
        try:
            setattr(made, name, value)
        except (TypeError, OverflowError) as error:
            raise TypeError(f"{name}: {error}") from None
    return made, keep


def layout(kind, size):
    """The NumPy type of a C struct of numbers that take `size` bytes in an array."""
    names, formats, offsets = [], [], []
    numbers = {"double": "f8", "int32_t": "i4", "size_t": "u8", "uint64_t": "u8", "uint32_t": "u4"}

    def number(t):
        return f"({t.length},){number(t.item)}" if t.kind == "array" else numbers[t.cname]

    for name, field in ffi.typeof(kind).fields:
        names.append(name)
        formats.append(number(field.type))
        offsets.append(field.offset)
    return np.dtype({"names": names, "formats": formats, "offsets": offsets, "itemsize": size})


def records(start, count, dtype):
    """A copy of `count` structs that belong to the library."""
    if count == 0:
        return np.zeros(0, dtype)
    return np.frombuffer(ffi.buffer(start, count * dtype.itemsize), dtype).copy()


class Handle:
    """An object of the library. `close` lets go of it, at the end of a `with` block or when nothing
    refers to it any more; a call after that raises `InvalidArgumentError`.

    It is neither copied nor pickled: two Python objects would own one of the library's.
    """

    _kind = ""
    _free = None
    _handle = NULL

    def _own(self, create, *arguments):
        out = ffi.new(self._kind + " **")
        check(create(*arguments, out))
        self._handle = ffi.gc(out[0], self._free)

    def close(self):
        """Lets go of the object; a second time is nothing. It is released at once, or when the call ends
        in which another thread uses it."""
        self._handle = NULL

    def _open(self):
        """The handle, for calls that give no status."""
        if self._handle == NULL:
            raise InvalidArgumentError(f"{type(self).__name__.lower()}: must not be NULL; it is closed")
        return self._handle

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def _not_copied(self, *_):
        raise TypeError(
            f"a diffsim.{type(self).__name__} can be neither copied nor pickled: it owns memory of the library. "
            "Make another one"
        )

    __copy__ = __deepcopy__ = __reduce_ex__ = __reduce__ = _not_copied
