"""What a step costs more from Python than from C, with the library that the package carries.

usage: python overhead.py MODEL.xml

Both run the same steps from the model's first keyframe (the C code is step.c, compiled here), run by run in
turn within one process, so that a busy machine disturbs all alike; of each the fastest run counts.
"""

import ctypes
import pathlib
import subprocess
import sys
import tempfile
import time

import numpy as np

import diffsim

STEPS, TURNS = 200, 100
HERE = pathlib.Path(__file__).resolve().parent


def compiled(folder):
    """The C code, linked with the package's library."""
    library, package = pathlib.Path(folder) / "step.so", pathlib.Path(diffsim.__file__).parent
    # The name under which it looks for the package's library.
    (pathlib.Path(folder) / "libdiffsim.so.0").symlink_to(package / "libdiffsim.so")
    options = [f"-I{HERE.parents[2] / 'include'}", str(package / "libdiffsim.so"), f"-Wl,-rpath,{folder}"]
    subprocess.run(["cc", "-O2", "-shared", "-fPIC", str(HERE / "step.c"), *options, "-o", str(library)], check=True)
    return library


def runs_of_c(library, path):
    """A function that runs once and returns the seconds a step."""
    code = ctypes.CDLL(str(library))
    code.prepare.argtypes, code.prepare.restype = [ctypes.c_char_p], ctypes.c_char_p
    code.run.argtypes, code.run.restype = [ctypes.c_int], ctypes.c_double
    failure = code.prepare(str(path).encode())
    if failure:
        raise RuntimeError(failure.decode())

    def run():
        taken = code.run(STEPS)
        if taken < 0:
            raise RuntimeError("a step failed")
        return taken

    return run


def runs_of_python(path, in_place):
    model = diffsim.Model.load(path)
    q0, v0, u = model.keyframe(model.keyframe_names[0])
    sim = diffsim.Sim(model, time_step=1e-3, derivatives=0)

    def run():
        sim.reset()
        q, v = q0.copy(), v0.copy()
        out = (q, v) if in_place else None
        start = time.perf_counter()
        for _ in range(STEPS):
            q, v = sim.step(q, v, u, out=out)
        return (time.perf_counter() - start) / STEPS

    return run


def measure(path):
    """Seconds a step: from C, from Python into new arrays, from Python in place."""
    with tempfile.TemporaryDirectory() as folder:
        kinds = [runs_of_c(compiled(folder), path), runs_of_python(path, False), runs_of_python(path, True)]
        return np.min([[run() for run in kinds] for _ in range(TURNS)], axis=0)


if __name__ == "__main__":
    c, new, place = 1e6 * measure(sys.argv[1])
    print(f"a step: {c:.2f} us from C, {new:.2f} us from Python, {place:.2f} us from Python in place")
    print(f"overhead: {new - c:.2f} us, in place {place - c:.2f} us")
