"""Parts of a pickle other than objects of the library, with a digest."""

from __future__ import annotations

import hashlib
import pickle
from dataclasses import dataclass
from typing import Any

from ._errors import InvalidArgumentError


@dataclass(frozen=True)
class Sealed:
    """The pickle of an object. It is read only if its bytes are unchanged: NumPy makes arrays of damaged bytes that
    end the process, and other numbers would make another model."""

    data: bytes
    digest: str

    @classmethod
    def of(cls, x: Any, protocol: int) -> Sealed:
        data = pickle.dumps(x, protocol)
        return cls(data, hashlib.sha256(data).hexdigest())

    def open(self) -> Any:
        """The object. Raises `InvalidArgumentError` if the bytes are damaged."""
        if not isinstance(self.data, bytes) or hashlib.sha256(self.data).hexdigest() != self.digest:
            raise InvalidArgumentError("pickle: it is damaged: its contents do not match their digest")
        return pickle.loads(self.data)
