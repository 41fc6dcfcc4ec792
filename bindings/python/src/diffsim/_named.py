"""The base of the generated enumerations."""

from enum import IntEnum


class Named(IntEnum):
    """A number that prints as its name in small letters, the form that arguments take."""

    def __str__(self) -> str:
        return self.name.lower()

    def __format__(self, how: str) -> str:
        try:
            return format(str(self), how)
        except ValueError:
            return format(int(self), how)
