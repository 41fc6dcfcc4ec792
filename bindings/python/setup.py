"""Builds the wheel: the Python files, the shared library, and the C declarations of its header.

The library is built with cargo from the repository that this folder belongs to, or taken from the
environment variable DIFFSIM_LIBRARY. The wheel serves every Python 3 of the platform: nothing in it
is compiled against Python. A source package holds the Rust crate, too, in the folder crate.
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import tarfile

import cffi
from setuptools import Distribution, setup
from setuptools.command.bdist_wheel import bdist_wheel
from setuptools.command.build_py import build_py
from setuptools.command.sdist import sdist

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE / "crate" if (HERE / "crate").is_dir() else HERE.parents[1]
LIBRARY = {"darwin": "libdiffsim.dylib", "win32": "diffsim.dll"}.get(sys.platform, "libdiffsim.so")


def version():
    return re.search(r'^version = "(.*)"', (ROOT / "Cargo.toml").read_text(), flags=re.M)[1]


def run(tool, arguments, **options):
    """Runs a tool that has to be installed."""
    if shutil.which(tool) is None:
        sys.exit(f"{tool} is missing: building diffsim takes Rust (https://rustup.rs) and a C compiler")
    return subprocess.run([tool, *arguments], check=True, **options)


def target():
    """Where cargo builds."""
    return pathlib.Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))


def library():
    """The shared library's path; cargo builds it, at no cost where it is up to date."""
    given = os.environ.get("DIFFSIM_LIBRARY")
    if given:
        return pathlib.Path(given)
    run("cargo", ["libraries"], cwd=ROOT, env={**os.environ, "CARGO_TARGET_DIR": str(target())})
    return target() / "release" / LIBRARY


def declarations():
    """The headers as cffi reads them: preprocessed, without includes. diffsim.h comes first."""
    header = "".join(path.read_text(encoding="utf-8") for path in sorted((ROOT / "include").glob("diffsim*.h")))
    text = re.sub(r"^#include .*$", "", header, flags=re.M)
    arguments = ["-std=c11", "-E", "-P", "-xc", "-"]
    code = run(os.environ.get("CC", "cc"), arguments, input=text, capture_output=True, text=True).stdout
    version = re.search(r"^#define DS_ABI_VERSION (\d+)$", header, flags=re.M)[1]
    return f"{code}\n#define DS_ABI_VERSION {version}\n"


class Build(build_py):
    def run(self):
        super().run()
        package = pathlib.Path(self.build_lib) / "diffsim"
        shutil.copy2(library(), package / LIBRARY)
        # Symbols are six times what runs.
        if sys.platform == "linux" and shutil.which("strip"):
            run("strip", ["--strip-unneeded", package / LIBRARY])
        ffi = cffi.FFI()
        ffi.set_source("diffsim._declarations", None)
        ffi.cdef(declarations())
        ffi.emit_python_code(str(package / "_declarations.py"))


class Wheel(bdist_wheel):
    def get_tag(self):
        return "py3", "none", super().get_tag()[2]


class Source(sdist):
    def make_release_tree(self, base_dir, files):
        super().make_release_tree(base_dir, files)
        # As the registry of crates would have it: its manifest knows of no tests that are not there.
        run("cargo", ["package", "--quiet", "--locked", "--no-verify", "--allow-dirty"], cwd=ROOT)
        name = f"diffsim-{version()}"
        with tarfile.open(target() / "package" / f"{name}.crate") as crate:
            for member in crate:
                member.name = str(pathlib.Path("crate", *pathlib.Path(member.name).parts[1:]))
                crate.extract(member, base_dir)


class PlatformDistribution(Distribution):
    def has_ext_modules(self):
        return True


setup(version=version(), distclass=PlatformDistribution, cmdclass={"build_py": Build, "bdist_wheel": Wheel, "sdist": Source})
