"""Shared code of the benchmark's parts: places, processes, the machine."""

import json
import os
import pathlib
import platform
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
BUILD = ROOT / "target" / "peers"

import diffsim_c as ds
from robots import SITE

# Where one process runs alone; the highest core is the one that interrupts use least.
CORE = max(os.sched_getaffinity(0))


def say(text):
    print(text, file=sys.stderr, flush=True)


def run_json(*command, pinned=True, environment=None):
    """The JSON lines that a program prints, on one core unless not `pinned`."""
    command = [str(word) for word in command]
    if pinned:
        command = ["taskset", "-c", str(CORE), *command]
    run = subprocess.run(command, capture_output=True, text=True, cwd=BUILD, env=environment)
    if run.returncode:
        raise SystemExit(f"{' '.join(command)}: exit status {run.returncode}\n{run.stdout[-2000:]}{run.stderr[-2000:]}")
    return [json.loads(line) for line in run.stdout.splitlines() if line.startswith("{")]


def _cc(source, *flags):
    warnings = ["-std=c11", "-O2", "-Wall", "-Wextra"]
    subprocess.run(["cc", *warnings, str(HERE / source), "-o", str(BUILD / pathlib.Path(source).stem), *flags], check=True)


def compile_ours(*sources):
    # The name that the program asks for at run time.
    link = BUILD / "lib" / "libdiffsim.so.0"
    link.parent.mkdir(parents=True, exist_ok=True)
    link.unlink(missing_ok=True)
    link.symlink_to(ds.LIBRARY.resolve())
    for source in sources:
        _cc(source, f"-I{ds.HEADER.parent}", str(link), f"-Wl,-rpath,{link.parent}", "-lm")


def compile_mujoco(*sources):
    package = SITE / "mujoco"
    library = next(package.glob("libmujoco.so.*"))
    for source in sources:
        _cc(source, f"-I{package / 'include'}", str(library), f"-Wl,-rpath,{package}", "-lm")


def compile_pinocchio(name):
    """Once: again only when its source is newer."""
    source, binary = HERE / f"{name}.cpp", BUILD / name
    newest = max(file.stat().st_mtime for file in (source, HERE / "pinocchio_bench.h"))
    if binary.exists() and binary.stat().st_mtime > newest:
        return
    say(f"compiling {name} (minutes) ...")
    prefix = SITE / "cmeel.prefix"
    # The joint variant is longer than Boost's preprocessed lists.
    boost = ["-DBOOST_MPL_LIMIT_LIST_SIZE=30", "-DBOOST_MPL_LIMIT_VECTOR_SIZE=30"]
    boost += ["-DBOOST_MPL_CFG_NO_PREPROCESSED_HEADERS", "-DBOOST_FUSION_INVOKE_MAX_ARITY=12"]
    flags = ["-std=c++17", "-O3", "-march=native", "-DNDEBUG", "-w", *boost]
    include = ["-isystem", str(prefix / "include"), "-isystem", os.environ["EIGEN_INCLUDE"]]
    link = [f"-L{prefix / 'lib'}", "-lboost_serialization", f"-Wl,-rpath,{prefix / 'lib'}"]
    subprocess.run(["c++", *flags, *include, str(source), "-o", str(binary), *link], check=True)


def machine():
    """The dependencies of the figures besides the code."""
    import mujoco
    import pinocchio

    def first_line(*command):
        lines = subprocess.run(command, capture_output=True, text=True, cwd=ROOT).stdout.splitlines()
        return lines[0] if lines else ""

    info = pathlib.Path("/proc/cpuinfo").read_text().splitlines()
    cpu = next((line.split(":")[1].strip() for line in info if line.startswith("model name")), platform.processor())
    return {
        "diffsim": ds.ffi.string(ds.lib.ds_version_string()).decode(),
        "commit": first_line("git", "describe", "--always", "--dirty"),
        "MuJoCo": mujoco.__version__,
        "Pinocchio": pinocchio.__version__,
        "processor": cpu,
        "cores": os.cpu_count(),
        "load before": round(os.getloadavg()[0], 1),
        "system": platform.platform(),
        "rustc": first_line("rustc", "--version"),
        "c++": first_line("c++", "--version"),
    }


class Best:
    """Medians of each kind of call over the rounds; the smallest is the undisturbed time."""

    def __init__(self):
        self.medians = {}
        self.last = {}

    def add(self, rows):
        for row in rows:
            if "what" in row:
                self.medians.setdefault(row["what"], []).append(row["median_us"])
                self.last[row["what"]] = row
            else:
                self.last |= row

    def __getitem__(self, what):
        return min(self.medians[what])

    def __contains__(self, what):
        return what in self.medians

    def json(self):
        calls = {
            what: {"best_us": min(us), "rounds_us": us, **{k: v for k, v in self.last[what].items() if k in ("p10_us", "p90_us")}}
            for what, us in self.medians.items()
        }
        return {"calls": calls} | {name: row for name, row in self.last.items() if name not in calls}
