"""The origin of a model. Unpickling makes the model again from it: equal to the bit, or it fails."""

from __future__ import annotations

import hashlib
import os
import tempfile
from dataclasses import dataclass
from typing import Any, Dict, Optional, Tuple

from ._errors import InvalidArgumentError
from ._late import late
from ._native import lib, text
from .enums import Format


@dataclass(frozen=True)
class Origin:
    """Origin of a model that cannot be made again."""

    def make(self) -> Any:
        raise NotImplementedError

    def check(self) -> None:
        """Raises TypeError if the model cannot be made again elsewhere."""
        raise TypeError("this diffsim.Model cannot be pickled: it was not made by load, from_string or a Builder")


@dataclass(frozen=True)
class File(Origin):
    """A file. The digest detects changes of the file."""

    path: str
    mesh_dirs: Tuple[str, ...]
    options: Dict[str, Any]
    digest: Optional[str]

    def make(self) -> Any:
        if digest(self.path) != self.digest:
            raise InvalidArgumentError(
                f"path: {self.path} is not the file that the pickled model was loaded from"
            )
        return late("Model").load(self.path, self.mesh_dirs, **self.options)

    def check(self) -> None:
        if self.digest is None:
            raise TypeError(f"this diffsim.Model cannot be pickled: {self.path} cannot be read again")


@dataclass(frozen=True)
class Text(Origin):
    """A text. Meshes are read again."""

    text: str
    format: Format
    mesh_dirs: Tuple[str, ...]
    options: Dict[str, Any]

    def make(self) -> Any:
        return late("Model").from_string(self.text, self.format, self.mesh_dirs, **self.options)

    def check(self) -> None:
        pass


@dataclass(frozen=True)
class Built(Origin):
    """The calls of a builder, which began empty or from a model."""

    calls: Tuple[Any, ...]
    of: Any = None

    def make(self) -> Any:
        made = late("Builder")
        with made() if self.of is None else made.from_model(self.of) as builder:
            builder._replay(self.calls)
            return builder.build()

    def check(self) -> None:
        for model in (self.of, *(x for _, args, named in self.calls for x in (*args, *named.values()))):
            if hasattr(model, "_origin"):
                model._origin.check()


@dataclass(frozen=True)
class Changed(Origin):
    """Another model, and the method that made a changed copy of it."""

    of: Origin
    method: str
    arguments: Tuple[Any, ...]

    def make(self) -> Any:
        with self.of.make() as model:
            made = getattr(model, self.method)(*self.arguments)
            return made

    def check(self) -> None:
        self.of.check()


def digest(path: str) -> Optional[str]:
    """Digest of a file's bytes. None if the path is not a file: a pipe, for example, can be read only once."""
    if not os.path.isfile(path):
        return None
    try:
        with open(path, "rb") as file:
            return hashlib.sha256(file.read()).hexdigest()
    except OSError:
        return None


def loaded_from(origin: Origin) -> Optional[File]:
    """The file of a model if it was loaded from one, has all its bodies, and is unchanged; else None."""
    while isinstance(origin, Changed):
        origin = origin.of
    if isinstance(origin, File) and origin.digest is not None and digest(origin.path) == origin.digest:
        return origin
    return None


def mark(model: Any) -> str:
    """A digest of the model as MJCF, with numbers to the bit and meshes, and of everything that MJCF cannot
    express."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "model.xml")
        lost = model.save(path)
        with open(path, "rb") as file:
            said = hashlib.sha256(file.read())
    said.update("\n".join((*lost, *model.warnings)).encode())
    return said.hexdigest()


def restore(model: Any, origin: Origin, expected: str, version: str) -> None:
    """Fills an empty model from its origin, or raises `InvalidArgumentError`."""
    here = text(lib.ds_version_string())
    if version != here:
        raise InvalidArgumentError(
            f"pickle: diffsim {version} made it; this is {here}, whose models may differ in bits"
        )
    made = origin.make()
    model._take(made, origin)
    if model._fingerprint() != expected:
        model.close()
        raise InvalidArgumentError(
            "pickle: the files give another model now: the description, files that it includes, or meshes have changed"
        )
