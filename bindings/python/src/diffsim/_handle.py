"""Objects of the library and their life in Python: closing, threads, forks, copies."""

import functools
import os
import threading
import weakref
from typing import Any, Callable, ClassVar, Dict, FrozenSet, NoReturn, Optional, Tuple, Type, TypeVar

from ._errors import ArgumentTypeError, InvalidArgumentError
from ._late import enter
from ._names import near
from ._native import NULL, check, ffi
from ._sealed import Sealed

H = TypeVar("H", bound="Handle")
M = TypeVar("M", bound=Callable[..., Any])

#: All open objects that one thread at a time may use, by their Python ids.
_alone: "weakref.WeakValueDictionary[int, Handle]" = weakref.WeakValueDictionary()


class _Shared:
    """Replaces the lock of an object that threads may share, because nothing changes it."""

    def __enter__(self) -> None:
        pass

    def __exit__(self, *_: Any) -> None:
        pass


def takes_turns(method: M) -> M:
    """Marks a method that takes the lock itself. The wrapper of other methods costs half a microsecond."""
    method.takes_turns = True  # type: ignore[attr-defined]
    return method


class Handle:
    """An object of the library. `close` releases it; so does the end of a `with` block, or the end of the last
    reference. A call on a closed object raises `InvalidArgumentError`.

    Calls of several threads take turns. Calls of a model run at the same time, because nothing changes a model.
    """

    #: Name of the C struct.
    _kind: ClassVar[str] = ""
    _free: ClassVar[Any] = None
    #: Attributes that are fixed when the object is made.
    _fixed: ClassVar[FrozenSet[str]] = frozenset()
    _handle: Any = NULL
    _made: bool = False
    _lock: Any
    _ours: FrozenSet[str]
    #: Reason for a missing handle.
    _gone = "it is closed"
    #: True if threads may call it at the same time.
    _shared: ClassVar[bool] = False

    def __init_subclass__(
        cls, kind: Optional[str] = None, free: Any = None, fixed: Tuple[str, ...] = (), shared: bool = False
    ) -> None:
        """kind, free: the C struct and the function that releases it, for the package's own classes. All public
        methods of such a class raise an error on a closed object. Unless the class is shared, they wait for each
        other. Methods that a user's subclass adds do not."""
        super().__init_subclass__()
        if kind is None:
            return
        cls._kind, cls._free, cls._fixed, cls._shared = kind, free, frozenset(fixed), shared
        enter(cls)
        cls.__init__ = _made_once(cls.__init__)  # type: ignore[method-assign]
        for name in dir(cls):
            found = next(vars(base)[name] for base in cls.__mro__ if name in vars(base))
            if name.startswith("_") or name in vars(Handle) or getattr(found, "takes_turns", False):
                continue
            if isinstance(found, property):
                read, write = (f and cls._guarded(name, f) for f in (found.fget, found.fset))
                setattr(cls, name, property(read, write, doc=found.__doc__))
            elif callable(found):
                setattr(cls, name, cls._guarded(name, found))

    @classmethod
    def _guarded(cls, name: str, method: Callable[..., Any]) -> Callable[..., Any]:
        """Wraps a method: it needs an open object, and no other call runs at the same time."""

        # Python's messages name the class that the user knows, not one of the package's that it inherits
        # from.
        method.__qualname__ = f"{cls.__name__}.{name}"

        @functools.wraps(method)
        def call(self: "Handle", *arguments: Any, **named: Any) -> Any:
            with self._lock:
                if self._handle is NULL:
                    self._open()
                return method(self, *arguments, **named)

        return call

    def __new__(cls: Type[H], *_: Any, **__: Any) -> H:
        self = super().__new__(cls)
        self._lock = _Shared() if cls._shared else threading.RLock()
        if not cls._shared:
            _alone[id(self)] = self
        return self

    def _own(self, create: Callable[..., int], *arguments: Any) -> None:
        out = ffi.new(self._kind + " **")
        check(create(*arguments, out))
        self._handle = ffi.gc(out[0], self._free)

    def close(self) -> None:
        """Releases the object at once, or after the call of another thread that uses it. A second `close` does
        nothing."""
        # A call may have taken its turn and not yet read the handle.
        with self._lock:
            self._handle = NULL

    def _open(self) -> Any:
        """The handle, for calls that return no status."""
        if self._handle is NULL:
            raise InvalidArgumentError(f"{self._kind[3:]}: must be open; {self._gone}")
        return self._handle

    def __enter__(self: H) -> H:
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    def __setattr__(self, name: str, value: Any) -> None:
        if name in self._fixed and name in self.__dict__:
            raise AttributeError(f"{name}: it is fixed when the {type(self).__name__} is made")
        # A user's subclass may have its own attributes.
        if not name.startswith("_") and self._made and "_fixed" in vars(type(self)):
            found = getattr(type(self), name, None)
            if not (isinstance(found, property) and found.fset):
                self._refuse(name, found)
        super().__setattr__(name, value)

    def _refuse(self, name: str, found: Any) -> NoReturn:
        """Raises for an attribute that cannot be set."""
        kind = type(self)
        who = f"diffsim.{kind.__name__}"
        if name in getattr(self, "_options", {}):
            raise AttributeError(
                f"{name}: an option, chosen when a {who} is made: make another one, {kind.__name__}(..., {name}=...)"
            )
        if isinstance(found, property):
            raise AttributeError(f"{name}: it can be read and not be set, {who} finds it")
        if callable(found):
            raise AttributeError(f"{name}: it is a method of {who}, to be called")
        known = [n for n in dir(kind) if not n.startswith("_") and getattr(getattr(kind, n), "fset", None)]
        more = near(name, known) if known else "; nothing of it can be"
        raise AttributeError(f"{name}: a {who} has no such attribute to be set{more}")

    def __delattr__(self, name: str) -> None:
        if name in self._fixed:
            raise AttributeError(f"{name}: it is fixed when the {type(self).__name__} is made")
        super().__delattr__(name)

    # Copies: `_again` of a class returns a function and arguments that make the same object.

    _no_copies: ClassVar[str] = "Make another one"

    def _again(self) -> Tuple[Callable[..., Any], Tuple[Any, ...]]:
        """A function of the module, and arguments that can be pickled. The function makes the same object again from
        an object without handle and the arguments."""
        raise TypeError(f"a diffsim.{type(self).__name__} can be neither copied nor pickled: {self._no_copies}")

    def _extra(self) -> Dict[str, Any]:
        """Attributes that a user's subclass has added."""
        return {name: x for name, x in vars(self).items() if name not in self._ours and name not in _HANDLE_S}

    def _source(self) -> Tuple[Callable[..., Any], Tuple[Any, ...]]:
        if "_ours" not in vars(self):
            raise InvalidArgumentError(f"{self._kind[3:]}: must be made before it is copied")
        return self._again()

    def __reduce_ex__(self, protocol: Any) -> Tuple[Any, ...]:
        with self._lock:
            make, arguments = self._source()
            # Objects of the library are not sealed: a pickle stores each of them once.
            kept = tuple(x if isinstance(x, Handle) else Sealed.of(x, protocol) for x in arguments)
            return _unpickled, (type(self), make, kept), self._extra() or None

    def __copy__(self: H) -> H:
        make, arguments = self._source()
        return _with(_made_again(type(self), make, arguments), self._extra())

    def __deepcopy__(self: H, memo: Dict[int, Any]) -> H:
        import copy

        make, arguments = self._source()
        made: H = _made_again(type(self), make, copy.deepcopy(arguments, memo))
        memo[id(self)] = made
        return _with(made, copy.deepcopy(self._extra(), memo))


_HANDLE_S = frozenset(("_lock", "_ours", "_made", "_handle", "_gone"))


class Options(Dict[str, Any]):
    """Options of an object, by name. Read-only; use them to make another object. A copy is a plain dict."""

    def _fixed(self, *_: Any, **__: Any) -> NoReturn:
        raise TypeError("options: they are fixed when the object is made; make another object with other options")

    __setitem__ = __delitem__ = update = setdefault = pop = popitem = clear = __ior__ = _fixed

    def __reduce__(self) -> Tuple[Any, ...]:
        return dict, (dict(self),)

    def copy(self) -> Dict[str, Any]:
        return dict(self)


def _made_once(init: Callable[..., None]) -> Callable[..., None]:
    """Wraps `__init__`: it runs once, and records the object's own attributes."""

    @functools.wraps(init)
    def once(self: Handle, *arguments: Any, **named: Any) -> None:
        if "_ours" in vars(self):
            raise TypeError(f"a diffsim.{type(self).__name__} is made once; make another one")
        before = frozenset(vars(self))
        self._ours = before
        init(self, *arguments, **named)
        self._ours = frozenset(vars(self)) - before
        self._made = True

    return once


def _made_again(kind: Type[H], make: Callable[..., None], arguments: Tuple[Any, ...]) -> H:
    made = kind.__new__(kind)
    make(made, *arguments)
    return made


def _unpickled(kind: Type[H], make: Callable[..., None], kept: Tuple[Any, ...]) -> H:
    return _made_again(kind, make, tuple(x.open() if isinstance(x, Sealed) else x for x in kept))


def _with(made: H, extra: Dict[str, Any]) -> H:
    vars(made).update(extra)
    return made


def _forked() -> None:
    """In the child of a fork, closes objects that the child cannot use: those in use by a call at the fork (no thread
    would release the lock), and batches with several threads (these do not exist in the child). Their memory is not
    released."""
    for handle in list(_alone.values()):
        if handle._lock.acquire(blocking=False):
            handle._lock.release()
            if getattr(handle, "threads", 1) == 1:
                continue
            why = "its threads did not come along when the process forked"
        else:
            why = "a call was under way when the process forked"
        handle._lock = threading.RLock()
        if handle._handle is not NULL:
            ffi.gc(handle._handle, None)
            handle._handle, handle._gone = NULL, why


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forked)


def given(x: Any, kind: Type[H], argument: str) -> H:
    """Checks that an argument is an open object of the library."""
    if not isinstance(x, kind):
        raise ArgumentTypeError(f"{argument}: expected a diffsim.{kind.__name__}, got {type(x).__name__}")
    if x._handle is NULL:
        raise InvalidArgumentError(f"{argument}: must be open; {x._gone}")
    return x
