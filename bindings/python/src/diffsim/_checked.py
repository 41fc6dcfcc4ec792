"""Objects of Python alone whose attributes are checked when they are set."""

from __future__ import annotations

from typing import Any, Callable, ClassVar, FrozenSet, Mapping, NoReturn, Tuple

from ._names import near

#: Takes the object, the value and the name of the attribute; returns what is kept, or raises.
Check = Callable[[Any, Any, str], Any]


class Checked:
    """Refuses public attributes that the class does not know: a misspelt name is an error. A user's subclass may have
    its own."""

    #: Attributes that may be set, with their checks.
    _settable: ClassVar[Mapping[str, Check]] = {}
    #: Attributes that are set once.
    _fixed: ClassVar[FrozenSet[str]] = frozenset()

    def __setattr__(self, name: str, value: Any) -> None:
        check = self._settable.get(name)
        if check is not None:
            value = check(self, value, name)
        elif name in self._fixed:
            if name in self.__dict__:
                raise AttributeError(f"{name}: it is fixed when the {type(self).__name__} is made")
        elif not name.startswith("_") and "_settable" in vars(type(self)):
            self._refuse(name)
        super().__setattr__(name, value)

    def _refuse(self, name: str) -> NoReturn:
        """Raises for an attribute that cannot be set."""
        found, who = getattr(type(self), name, None), f"diffsim.{type(self).__name__}"
        if isinstance(found, property):
            raise AttributeError(f"{name}: it can be read and not be set, {who} finds it")
        if callable(found):
            raise AttributeError(f"{name}: it is a method of {who}, to be called")
        raise AttributeError(f"{name}: a {who} has no such attribute to be set{near(name, self._settable)}")


class Uncopied(Checked):
    """One that owns something that there is once."""

    _no_copies: ClassVar[str] = ""

    def __reduce_ex__(self, protocol: Any) -> Tuple[Any, ...]:
        raise TypeError(f"a diffsim.{type(self).__name__} can be neither copied nor pickled: {self._no_copies}")
