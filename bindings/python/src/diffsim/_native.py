"""The shared library, its errors, and conversions between it and NumPy.

Vectors are copied into memory whose address the library already has. For the few dozen numbers of a state, copying is
faster than asking NumPy for the address of an array. Matrices and trajectories are passed by address.
"""

import os
import pathlib
import reprlib
import sys
from typing import Any, Callable, Dict, Iterable, List, NoReturn, Optional, Tuple

import numpy as np
import numpy.typing as npt

from ._declarations import ffi as _ffi
from ._errors import ERRORS, ArgumentTypeError, InternalError, InvalidArgumentError, NumericalError
from ._fields import FIELDS
from ._names import choice, like, number, string, whole
from ._words import python
from .enums import CHOICES

ffi: Any = _ffi
Array = npt.NDArray[np.float64]

_NAME = {"darwin": "libdiffsim.dylib", "win32": "diffsim.dll"}.get(sys.platform, "libdiffsim.so")
lib: Any = ffi.dlopen(str(pathlib.Path(__file__).with_name(_NAME)))
if lib.ds_abi_version() != lib.DS_ABI_VERSION:
    raise ImportError(f"{_NAME} has another binary interface than this package")

FLOAT = np.dtype(np.float64)
INT = np.dtype(np.int32)
NULL: Any = ffi.NULL
_DOUBLES = ffi.typeof("double[]")
_INTS = ffi.typeof("int32_t[]")
#: Fields of structs that are not options.
_NO_OPTIONS = ("struct_size", "reserved")
#: Who takes the fields of a struct as options.
_TAKES = {"ds_load_options": "Model.load", "ds_options": "Sim, Rollout, Batch and Ilqr", "ds_ik_options": "Ik"}


def text(string: Any) -> Optional[str]:
    """A C string, or None for NULL."""
    return None if string == NULL else ffi.string(string).decode()


def optional_string(x: Any, name: str) -> Any:
    """As `string`; NULL for None."""
    return NULL if x is None else string(x, name)


def file_name(x: Any, name: str) -> bytes:
    """A path in the system's encoding."""
    try:
        path = os.fsencode(x)
    except TypeError:
        raise ArgumentTypeError(f"{name}: expected a path, got {type(x).__name__}") from None
    except UnicodeEncodeError:
        raise InvalidArgumentError(f"{name}: must be text that a path can have, got {x!r}") from None
    if b"\0" in path:
        raise InvalidArgumentError(f"{name}: must not contain NUL, got {x!r}")
    return path


def index(x: Any, name: str, expected: str = "a whole number") -> int:
    """A number of 32 bits, such as an id. The library checks its range. expected: what a message says, where names are
    taken, too."""
    i = whole(x, f"{name}: expected {expected}")
    if not -(2**31) <= i < 2**31:
        raise InvalidArgumentError(f"{name}: expected {expected}, got {i}")
    return i


def position(x: Any, name: str) -> int:
    """A place in a sequence. The library checks its end."""
    i = index(x, name)
    if i < 0:
        raise InvalidArgumentError(f"{name}: must not be negative, got {i}")
    return i


def size(x: Any, name: str, bits: int = 63) -> int:
    """A number of things."""
    i = whole(x, f"{name}: expected a whole number")
    if not 0 <= i < 2**bits:
        raise InvalidArgumentError(f"{name}: must not be negative or above 2**{bits}, got {i}")
    return i


def last_error() -> Optional[str]:
    """Message of the last failing call of this thread."""
    return python(text(lib.ds_last_error()) or "")


def fail(status: int) -> NoReturn:
    """Raises the exception of a status, with the library's message."""
    raise ERRORS.get(status, InternalError)(last_error())


def check(status: int) -> None:
    if status:
        fail(status)


def array(x: Any, shape: Tuple[int, ...], name: str, hint: str = "") -> Array:
    """`x` as a float64 array of this shape, column-major and contiguous: `x` itself if it is one. hint: addition to
    the message about another shape.

    Sequences of numbers are converted. An array of another type raises an error, because a conversion in every call
    would be unnoticed.
    """
    if not isinstance(x, np.ndarray):
        try:
            x = np.array(x, dtype=FLOAT)
        except (TypeError, ValueError, OverflowError) as error:
            raise ArgumentTypeError(f"{name}: expected numbers in shape {shape}: {error}") from None
    elif x.dtype != FLOAT:
        raise ArgumentTypeError(f"{name}: expected an array of float64, got {x.dtype}")
    if x.shape != shape:
        raise InvalidArgumentError(f"{name}: expected shape {shape}, got {x.shape}{hint}")
    return np.asfortranarray(x)


def finite(x: Array, name: str) -> Array:
    """`x`, which must not have infinite numbers or NaN."""
    if not np.isfinite(x).all():
        at = np.argwhere(~np.isfinite(x))[0].tolist()
        raise NumericalError(f"{name}{at} must be finite, got {x[tuple(at)]}")
    return x


def numbers(x: Any, name: str, columns: Optional[int] = None) -> Array:
    """`x` as an array of float64 in any shape; with columns, n×columns."""
    try:
        made: Array = np.asarray(x, dtype=FLOAT)
    except (TypeError, ValueError, OverflowError) as error:
        raise ArgumentTypeError(f"{name}: expected numbers: {error}") from None
    return made if columns is None else _table(made, name, columns)


def _table(x: npt.NDArray[Any], name: str, columns: int) -> npt.NDArray[Any]:
    """`x`, which must have rows of this length, as one list of them. Without rows it may be a list without entries."""
    if x.ndim == 1 and x.size == 0:
        return x.reshape(0, columns)
    if x.ndim < 2 or x.shape[-1] != columns:
        raise InvalidArgumentError(f"{name}: expected shape (n, {columns}), got {x.shape}")
    return x.reshape(-1, columns)


def integers(x: Any, name: str) -> npt.NDArray[Any]:
    """`x` as an array of integers from 0 in any shape."""
    try:
        made: npt.NDArray[Any] = np.asarray(x)
    except (TypeError, ValueError, OverflowError) as error:
        raise ArgumentTypeError(f"{name}: expected integers: {error}") from None
    if not made.size:
        return made.astype(np.int64)
    if made.dtype.kind not in "iu":
        raise ArgumentTypeError(f"{name}: expected integers, got an array of {made.dtype}")
    if made.min() < 0 or made.max() >= 2**31:
        raise InvalidArgumentError(f"{name}: expected integers from 0, got {made.min()} to {made.max()}")
    return made


def indices(x: Any, name: str, columns: int) -> npt.NDArray[Any]:
    """`x` as an n×columns array of integers from 0."""
    return _table(integers(x, name), name, columns)


def shape_of(x: Any, name: str) -> Tuple[int, ...]:
    """The shape of an array or of nested sequences."""
    try:
        return np.shape(x)
    except (TypeError, ValueError, OverflowError) as error:
        raise ArgumentTypeError(f"{name}: expected numbers: {error}") from None


def two(out: Any) -> Tuple[Any, Any]:
    """The two arrays for results, or None and None."""
    if out is None:
        return None, None
    if not isinstance(out, (tuple, list)) or len(out) != 2:
        raise ArgumentTypeError(f"out: expected two arrays, got {reprlib.repr(out)}")
    return out[0], out[1]


def pointer(x: Any) -> Any:
    """Address of a contiguous array, which must stay alive. NULL for None or an empty array."""
    if x is None or x.size == 0:
        return NULL
    return ffi.from_buffer(_INTS if x.dtype == INT else _DOUBLES, x.T)


def result(x: Any, shape: Tuple[int, ...], name: str, dtype: Any = FLOAT) -> npt.NDArray[Any]:
    """The array for a result: a new one for None, else `x` after a check."""
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
    """A vector for arguments or results of the library: memory whose address is taken once."""

    __slots__ = ("hint", "memory", "name", "pointer", "shape")

    def __init__(self, n: int, name: str, hint: str = "") -> None:
        self.hint = hint
        self.memory = np.zeros(n)
        self.pointer = pointer(self.memory)
        self.shape = (n,)
        self.name = name

    def fill(self, x: Any) -> Any:
        """Copies an argument in and returns the address; NULL for None."""
        if x is None:
            return NULL
        if type(x) is not np.ndarray or x.dtype is not FLOAT or x.shape != self.shape:
            x = array(x, self.shape, self.name, self.hint)
        self.memory[...] = x
        return self.pointer

    def take(self, out: Optional[Array] = None) -> Array:
        """The result: a new array, or `out` with the numbers copied in."""
        if out is None:
            return self.memory.copy()
        out[...] = self.memory
        return out


def input_hint(nu: int) -> str:
    """Addition to messages about u for a model without inputs."""
    if nu:
        return ""
    return (
        '; the model has no inputs: load it with actuation="full" (a force on each dof) or "joints" (but those of a floating'
        " base), or add actuators by Model.with_actuators"
    )


def _integer(x: Any, name: str) -> int:
    """A whole number, or a truth value as 0 or 1: the struct's type does not tell a switch from a number."""
    return int(x) if isinstance(x, (bool, np.bool_)) else index(x, name)


#: Conversions by the type of a struct's field.
_NUMBERS: Dict[str, Callable[[Any, str], Any]] = {
    "double": number,
    "int32_t": _integer,
    "size_t": size,
    "uint64_t": lambda x, name: size(x, name, 64),
}


def unknown_option(kind: str, name: str, fields: Iterable[str]) -> str:
    """A message about a name that no field of a struct has."""
    # Lengths of arrays follow from the arrays.
    known = [f for f in fields if f not in _NO_OPTIONS and not f.endswith("count")]
    others = [who for of, who in _TAKES.items() if kind in _TAKES and of != kind and name in FIELDS[of]]
    elsewhere = f"; it is one of {' and of '.join(others)}" if others else ""
    return f"{name}: no such option{like(name, known)}{elsewhere}; expected one of {', '.join(known)}"


def struct(kind: str, init: Any, values: Dict[str, Any]) -> Tuple[Any, List[Any]]:
    """A new struct with defaults and these fields, and the objects that must live as long as the struct.

    Arrays of numbers are copied. The returned objects keep strings, sequences of strings and arrays behind pointers
    alive.
    """
    made = ffi.new(kind + " *")
    init(made)
    return made, fill(made, values)


def fill(made: Any, values: Any) -> List[Any]:
    """Sets fields of a struct. Returns the objects that must live as long as the struct."""
    kind = ffi.typeof(made).item.cname.rpartition(" ")[2]
    fields = dict(ffi.typeof(kind).fields)
    choices = CHOICES.get(kind, {})
    keep = []
    for name, value in values.items():
        if name not in fields or name in _NO_OPTIONS:
            raise ArgumentTypeError(unknown_option(kind, name, fields))
        of = fields[name].type
        if name in choices:
            value = choice(choices[name], value, name)
        elif of.cname in _NUMBERS:
            value = _NUMBERS[of.cname](value, name)
        elif of.kind == "array":
            value = array(value, (of.length,), name).tolist()
        elif of is ffi.typeof("const char *"):
            value = ffi.new("char[]", string(value, name)) if value is not None else NULL
            keep.append(value)
        try:
            setattr(made, name, value)
        except (TypeError, ValueError, OverflowError) as error:
            raise ArgumentTypeError(f"{name}: {error}") from None
    return keep


def fields_of(made: Any) -> Dict[str, Any]:
    """The numbers of a struct by name; enumerators as enumeration members."""
    kind = ffi.typeof(made).item.cname.rpartition(" ")[2]
    choices = CHOICES.get(kind, {})
    values = {name: getattr(made, name) for name, _ in ffi.typeof(kind).fields if name not in _NO_OPTIONS}
    return {name: choices[name](x) if name in choices else x for name, x in values.items()}


def layout(kind: str, size: int) -> np.dtype[Any]:
    """The NumPy type of a C struct of numbers. An element of an array takes `size` bytes."""
    names, formats, offsets = [], [], []
    numbers = {"double": "f8", "int32_t": "i4", "size_t": "u8", "uint64_t": "u8", "uint32_t": "u4"}

    def number(t: Any) -> str:
        return f"({t.length},){number(t.item)}" if t.kind == "array" else numbers[t.cname]

    for name, field in ffi.typeof(kind).fields:
        names.append(name)
        formats.append(number(field.type))
        offsets.append(field.offset)
    return np.dtype({"names": names, "formats": formats, "offsets": offsets, "itemsize": size})


def records(start: Any, count: int, dtype: np.dtype[Any]) -> npt.NDArray[Any]:
    """A copy of `count` structs that belong to the library."""
    if count == 0:
        return np.zeros(0, dtype)
    return np.frombuffer(ffi.buffer(start, count * dtype.itemsize), dtype).copy()


def records_of(start: Any, count: int, dtype: Any) -> Optional[npt.NDArray[Any]]:
    """A copy of `count` numbers that belong to the library; None for NULL."""
    if start == NULL:
        return None
    return np.frombuffer(ffi.buffer(start, count * np.dtype(dtype).itemsize), dtype).copy()
