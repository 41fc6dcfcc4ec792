"""What a step costs more from Python, and in a compiled program of JAX, than from C, with the library that the package
carries.

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


def runs_of_c(library, path, name="run"):
    """A function that runs once and returns the seconds a step."""
    code = ctypes.CDLL(str(library))
    code.prepare.argtypes, code.prepare.restype = [ctypes.c_char_p], ctypes.c_char_p
    steps = getattr(code, name)
    steps.argtypes, steps.restype = [ctypes.c_int], ctypes.c_double
    failure = code.prepare(str(path).encode())
    if failure:
        raise RuntimeError(failure.decode())

    def run():
        taken = steps(STEPS)
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


def runs_of_jax(path):
    """Two functions: a step under jit, and an empty call of XLA with the same arguments and results."""
    import jax

    jax.config.update("jax_enable_x64", True)
    import diffsim.jax

    model = diffsim.Model.load(path)
    x = tuple(map(jax.numpy.asarray, model.keyframe(model.keyframe_names[0])))
    sim = diffsim.jax.Simulator(model, threads=1, derivatives=0)
    shapes = [jax.ShapeDtypeStruct(y.shape, y.dtype) for y in x[:2]]
    number = {"simulator": np.int64(0), "strict": np.int64(0)}
    nothing = lambda *x: jax.ffi.ffi_call("diffsim_nothing", shapes)(*x, **number)  # noqa: E731

    def runs(function):
        function = jax.jit(function)

        def run():
            jax.block_until_ready(function(*x))
            start = time.perf_counter()
            for _ in range(STEPS):
                jax.block_until_ready(function(*x))
            return (time.perf_counter() - start) / STEPS

        return run

    return runs(sim.step), runs(lambda *x: tuple(nothing(*x)))


def measure_jax(path):
    """Seconds of a step from the keyframe: from C, under jit; and of an empty call under jit."""
    with tempfile.TemporaryDirectory() as folder:
        kinds = [runs_of_c(compiled(folder), path, "begin"), *runs_of_jax(path)]
        return np.min([[run() for run in kinds] for _ in range(TURNS)], axis=0)


def measure(path):
    """Seconds a step: from C, from Python into new arrays, from Python in place."""
    with tempfile.TemporaryDirectory() as folder:
        kinds = [runs_of_c(compiled(folder), path), runs_of_python(path, False), runs_of_python(path, True)]
        return np.min([[run() for run in kinds] for _ in range(TURNS)], axis=0)


if __name__ == "__main__":
    c, new, place = 1e6 * measure(sys.argv[1])
    print(f"a step: {c:.2f} us from C, {new:.2f} us from Python, {place:.2f} us from Python in place")
    print(f"overhead: {new - c:.2f} us, in place {place - c:.2f} us")
    c, jit, empty = 1e6 * measure_jax(sys.argv[1])
    print(f"a first step: {c:.2f} us from C, {jit:.2f} us under jit; an empty call under jit: {empty:.2f} us")
    print(f"overhead of jit: {jit - c:.2f} us, {(jit - c) / empty:.2f} empty calls")
