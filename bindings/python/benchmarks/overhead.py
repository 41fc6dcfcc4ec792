"""What a step costs more from Python, and in a compiled program of JAX, than from C, with the library that the package
carries.

usage: python overhead.py MODEL.xml

Both run the same steps from the model's first keyframe (the C code is step.c, compiled here), run by run in
turn within one process, so that a busy machine disturbs all alike; of each the fastest run counts.

Each call of a compiled program of JAX comes after work of the interpreter and of XLA, which takes the caches
from the library. A loop of steps in C keeps them, and its steps take half the time where caches are small. So
the step from C that is compared with a compiled one follows an empty call of XLA.
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
#: Of compiled programs: a run is shorter than the time that a busy machine gives a process at once.
COMPILED_STEPS, COMPILED_TURNS = 20, 500
HERE = pathlib.Path(__file__).resolve().parent


def compiled(folder):
    """The C code, linked with the package's library."""
    library, package = pathlib.Path(folder) / "step.so", pathlib.Path(diffsim.__file__).parent
    # The name under which it looks for the package's library.
    (pathlib.Path(folder) / "libdiffsim.so.0").symlink_to(package / "libdiffsim.so")
    options = [f"-I{HERE.parents[2] / 'include'}", str(package / "libdiffsim.so"), f"-Wl,-rpath,{folder}"]
    subprocess.run(["cc", "-O2", "-shared", "-fPIC", str(HERE / "step.c"), *options, "-o", str(library)], check=True)
    return library


def code_of(library, path):
    """The C code, prepared for a model."""
    code = ctypes.CDLL(str(library))
    code.prepare.argtypes, code.prepare.restype = [ctypes.c_char_p], ctypes.c_char_p
    for steps in (code.run, code.begin):
        steps.argtypes, steps.restype = [ctypes.c_int], ctypes.c_double
    failure = code.prepare(str(path).encode())
    if failure:
        raise RuntimeError(failure.decode())
    return code


def taken(seconds):
    """The time of steps from C."""
    if seconds < 0:
        raise RuntimeError("a step failed")
    return seconds


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


def measure_jax(path):
    """Seconds of a step from the keyframe: from C, under jit; and of an empty call under jit."""
    import jax

    jax.config.update("jax_enable_x64", True)
    import diffsim.jax

    model = diffsim.Model.load(path)
    x = tuple(map(jax.numpy.asarray, model.keyframe(model.keyframe_names[0])))
    sim = diffsim.jax.Simulator(model, threads=1, derivatives=0)
    shapes = [jax.ShapeDtypeStruct(y.shape, y.dtype) for y in x[:2]]
    number = {"simulator": np.int64(0), "strict": np.int64(0)}
    step = jax.jit(sim.step)
    # With the arguments and results of a step.
    nothing = jax.jit(lambda *x: tuple(jax.ffi.ffi_call("diffsim_nothing", shapes)(*x, **number)))

    def seconds(function):
        start = time.perf_counter()
        jax.block_until_ready(function(*x))
        return time.perf_counter() - start

    with tempfile.TemporaryDirectory() as folder:
        code = code_of(compiled(folder), path)

        def turn():
            jit = [seconds(step) for _ in range(COMPILED_STEPS)]
            apart = [(seconds(nothing), taken(code.begin(1))) for _ in range(COMPILED_STEPS)]
            empty, c = np.mean(apart, axis=0)
            return c, np.mean(jit), empty

        return np.min([turn() for _ in range(COMPILED_TURNS)], axis=0)


def measure(path):
    """Seconds a step: from C, from Python into new arrays, from Python in place."""
    with tempfile.TemporaryDirectory() as folder:
        code = code_of(compiled(folder), path)
        kinds = [lambda: taken(code.run(STEPS)), runs_of_python(path, False), runs_of_python(path, True)]
        return np.min([[run() for run in kinds] for _ in range(TURNS)], axis=0)


if __name__ == "__main__":
    c, new, place = 1e6 * measure(sys.argv[1])
    print(f"a step: {c:.2f} us from C, {new:.2f} us from Python, {place:.2f} us from Python in place")
    print(f"overhead: {new - c:.2f} us, in place {place - c:.2f} us")
    c, jit, empty = 1e6 * measure_jax(sys.argv[1])
    print(f"a first step: {c:.2f} us from C, {jit:.2f} us under jit; an empty call under jit: {empty:.2f} us")
    print(f"overhead of jit: {jit - c:.2f} us, {(jit - c) / empty:.2f} empty calls")
