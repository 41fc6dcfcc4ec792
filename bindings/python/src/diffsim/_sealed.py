"""What a pickle holds beside the library's objects, under a digest."""

from __future__ import annotations

import hashlib
import pickle
from dataclasses import dataclass
from typing import Any

from ._errors import InvalidArgumentError


@dataclass(frozen=True)
class Sealed:
    """The pickle of an object. It is read only where its bytes are what they were: of damaged ones NumPy makes arrays that
    end the process, and other numbers would make another model."""

    data: bytes
    digest: str

    @classmethod
    def of(cls, x: Any, protocol: int) -> Sealed:
        data = pickle.dumps(x, protocol)
        return cls(data, hashlib.sha256(data).hexdigest())

    def open(self) -> Any:
        """The object, or `InvalidArgumentError`."""
        if not isinstance(self.data, bytes) or hashlib.sha256(self.data).hexdigest() != self.digest:
            raise InvalidArgumentError("pickle: it is damaged: its contents do not match their digest")
        return pickle.loads(self.data)
