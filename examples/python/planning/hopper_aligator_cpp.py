"""A hopper jumps: compiles hopper_aligator.cpp with Aligator's C++ library and runs it.

PyPI has the library: pip install libaligator cmeel-eigen

usage: python hopper_aligator_cpp.py [ITERATIONS]      at most so many with differences (default: 100)
"""

import os
import pathlib
import subprocess
import sys
import sysconfig
import tempfile

import diffsim
import hopper

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[2]
PREFIX = pathlib.Path(sysconfig.get_path("purelib")) / "cmeel.prefix"


def build(folder):
    """The program, in the folder."""
    if not (PREFIX / "include/aligator").is_dir() or not (PREFIX / "include/eigen3").is_dir():
        raise SystemExit(f"{PREFIX} has no Aligator or no Eigen: pip install libaligator cmeel-eigen")
    # Linked programs look for the library by its name with a number.
    library = folder / "libdiffsim.so.0"
    library.symlink_to(pathlib.Path(diffsim.__file__).with_name("libdiffsim.so"))
    program = folder / "hopper"
    command = [
        os.environ.get("CXX", "c++"), "-std=c++17", "-O2", "-DALIGATOR_ENABLE_TEMPLATE_INSTANTIATION",
        f"-I{ROOT / 'include'}", f"-I{ROOT / 'bindings/cpp'}", "-isystem", PREFIX / "include", "-isystem", PREFIX / "include/eigen3",
        HERE / "hopper_aligator.cpp", "-o", program, library, f"-L{PREFIX / 'lib'}", "-laligator", "-lfmt", "-lmimalloc",
        f"-Wl,-rpath,{folder}", f"-Wl,-rpath,{PREFIX / 'lib'}",
    ]  # fmt: skip
    subprocess.run(command, check=True)
    return program


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        program = build(folder)
        robot = folder / "hopper.xml"
        robot.write_text(hopper.TEXT)
        return subprocess.run([program, robot, *sys.argv[1:2]]).returncode


if __name__ == "__main__":
    raise SystemExit(main())
