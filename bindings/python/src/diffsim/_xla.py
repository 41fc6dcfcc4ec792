"""The library's calls as XLA takes them: compiled on first use by the system's C++ compiler, and kept in a
cache folder."""

# mypy: disable-error-code="no-untyped-call"
from __future__ import annotations

import ctypes
import hashlib
import importlib.metadata
import os
import pathlib
import shlex
import shutil
import subprocess
import sys
import tempfile
from typing import Any, List

import jax

from ._native import ffi, lib

SOURCE = pathlib.Path(__file__).with_name("_xla.cpp")
TARGETS = ("step", "jacobians", "rollout", "adjoint", "tangent", "nothing")
#: In the order of `Library` in the source.
FUNCTIONS = (
    "ds_batch_create",
    "ds_batch_free",
    "ds_batch_select_params",
    "ds_batch_set_params",
    "ds_batch_reset",
    "ds_batch_step",
    "ds_batch_step_jacobians",
    "ds_batch_step_info",
    "ds_batch_rollout",
    "ds_batch_rollout_adjoint",
    "ds_batch_rollout_gradient",
    "ds_sim_create",
    "ds_sim_free",
    "ds_sim_select_params",
    "ds_sim_set_params",
    "ds_sim_reset",
    "ds_sim_step",
    "ds_sim_smoothed_jacobians",
    "ds_last_error",
)


def cache_folder() -> pathlib.Path:
    """The folder of compiled files: the environment variable DIFFSIM_CACHE, or diffsim in the user's cache
    folder."""
    given = os.environ.get("DIFFSIM_CACHE")
    if given:
        return pathlib.Path(given)
    base = os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache"
    return pathlib.Path(base) / "diffsim"


def compiler() -> List[str]:
    """The C++ compiler: the environment variable CXX, or the first of c++, g++ and clang++ that is there."""
    given = shlex.split(os.environ.get("CXX", ""))
    for name in [given[0]] if given else ["c++", "g++", "clang++"]:
        if shutil.which(name):
            return given or [name]
    raise ImportError(
        "diffsim.jax: no C++ compiler found; its calls are compiled once, against the headers of jaxlib. "
        "Install one (on Debian: apt install g++) or name it by the environment variable CXX"
    )


def compiled() -> pathlib.Path:
    """The compiled calls for this jaxlib; compiles them if they are not in the cache folder."""
    command = [*compiler(), "-std=c++17", "-O2", "-DNDEBUG", "-shared", "-fPIC", "-I", jax.ffi.include_dir()]
    text = SOURCE.read_bytes() + repr((command, importlib.metadata.version("jaxlib"), sys.platform)).encode()
    made = cache_folder() / f"xla-{hashlib.sha256(text).hexdigest()[:16]}.so"
    if made.exists():
        return made
    made.parent.mkdir(parents=True, exist_ok=True)
    # Written under another name first: processes that start together do not read half a file.
    with tempfile.TemporaryDirectory(dir=made.parent) as folder:
        part = pathlib.Path(folder) / made.name
        run = subprocess.run([*command, str(SOURCE), "-o", str(part)], capture_output=True, text=True)
        if run.returncode:
            raise ImportError(f"diffsim.jax: {command[0]} failed on {SOURCE}:\n{run.stderr[-2000:]}")
        os.replace(part, made)
    return made


def _registered() -> Any:
    calls = ctypes.CDLL(str(compiled()))
    for name in TARGETS:
        function = getattr(calls, f"diffsim_xla_{name}")
        jax.ffi.register_ffi_target(f"diffsim_{name}", jax.ffi.pycapsule(function), platform="cpu")
    calls.diffsim_xla_open.restype = ctypes.c_int64
    calls.diffsim_xla_open.argtypes = [ctypes.c_void_p, ctypes.c_void_p]
    calls.diffsim_xla_close.argtypes = [ctypes.c_int64]
    calls.diffsim_xla_close.restype = None
    return calls


_CALLS = _registered()


def _address(of: Any) -> int:
    return int(ffi.cast("uintptr_t", of))


_LIBRARY = (ctypes.c_void_p * len(FUNCTIONS))(*(_address(ffi.addressof(lib, name)) for name in FUNCTIONS))


class _Setting(ctypes.Structure):
    _fields_ = [
        ("model", ctypes.c_void_p),
        ("options", ctypes.c_void_p),
        ("options_size", ctypes.c_size_t),
        ("params", ctypes.c_void_p),
        ("params_size", ctypes.c_size_t),
        *((name, ctypes.c_size_t) for name in ("nq", "nv", "nu", "np", "threads", "info_size", "label_at")),
        ("refused", ctypes.c_double),
        ("smoothing", ctypes.c_void_p),
        ("smoothing_size", ctypes.c_size_t),
        ("seed_at", ctypes.c_size_t),
    ]


def opened(model: Any, options: Any, params: Any, threads: int, refused: float, smoothing: Any) -> int:
    """The number of a new simulator: of a model, a ds_options, a ds_param array, and a ds_smoothing or None."""
    count = len(params)
    setting = _Setting(
        model=_address(model._handle),
        options=_address(options),
        options_size=ffi.sizeof("ds_options"),
        params=_address(params) if count else None,
        params_size=count * ffi.sizeof("ds_param"),
        nq=model.nq,
        nv=model.nv,
        nu=model.nu,
        np=count,
        threads=threads,
        info_size=ffi.sizeof("ds_step_info"),
        label_at=ffi.offsetof("ds_step_info", "gradient"),
        refused=refused,
        smoothing=_address(smoothing) if smoothing else None,
        smoothing_size=ffi.sizeof("ds_smoothing"),
        seed_at=ffi.offsetof("ds_smoothing", "seed"),
    )
    return int(_CALLS.diffsim_xla_open(_LIBRARY, ctypes.byref(setting)))


def closed(number: int, _model: Any) -> None:
    """Releases a simulator: calls with its number fail from now on. Its model's handle lives until now."""
    _CALLS.diffsim_xla_close(number)
