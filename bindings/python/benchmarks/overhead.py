"""What a step costs more from Python than from C, with the library that the package carries.

usage: python overhead.py MODEL.xml

Both run the same steps from the model's first keyframe (the C program is step.c, compiled here). They
take turns; of each the fastest run counts.
"""

import pathlib
import subprocess
import sys
import tempfile
import time

import numpy as np

import diffsim

STEPS, REPETITIONS, TURNS = 200, 15, 5
HERE = pathlib.Path(__file__).resolve().parent


def compiled(folder):
    """The C program, linked with the package's library."""
    program, package = pathlib.Path(folder) / "step", pathlib.Path(diffsim.__file__).parent
    # The name under which the program looks for it.
    (pathlib.Path(folder) / "libdiffsim.so.0").symlink_to(package / "libdiffsim.so")
    options = [f"-I{HERE.parents[2] / 'include'}", str(package / "libdiffsim.so"), f"-Wl,-rpath,{folder}"]
    subprocess.run(["cc", "-O2", str(HERE / "step.c"), *options, "-o", str(program)], check=True)
    return program


def from_c(program, path):
    command = [str(program), str(path), str(STEPS), str(REPETITIONS)]
    return float(subprocess.run(command, capture_output=True, text=True, check=True).stdout)


def from_python(path, in_place):
    model = diffsim.Model.load(path)
    q0, v0, u = model.keyframe(model.keyframe_names[0])
    sim = diffsim.Sim(model, derivatives=0)
    fastest = np.inf
    for _ in range(REPETITIONS):
        sim.reset()
        q, v = q0.copy(), v0.copy()
        out = (q, v) if in_place else None
        start = time.perf_counter()
        for _ in range(STEPS):
            q, v = sim.step(q, v, u, out=out)
        fastest = min(fastest, time.perf_counter() - start)
    return fastest / STEPS


def measure(path):
    """Seconds a step: from C, from Python into new arrays, from Python in place."""
    with tempfile.TemporaryDirectory() as folder:
        program = compiled(folder)
        turns = [(from_c(program, path), from_python(path, False), from_python(path, True)) for _ in range(TURNS)]
    return np.min(turns, axis=0)


if __name__ == "__main__":
    c, new, place = 1e6 * measure(sys.argv[1])
    print(f"a step: {c:.2f} us from C, {new:.2f} us from Python, {place:.2f} us from Python in place")
    print(f"overhead: {new - c:.2f} us, in place {place - c:.2f} us")
