#!/usr/bin/env python3
"""Counts instructions of steps, Jacobians and VJPs under callgrind and compares with figures.json; and of a recorder,
which at 60 Hz may take a small share of steps of a millisecond.

usage: guard.py [--renew]

Unlike a time, a count is the same on a busy machine, so that a loss of a few percent shows. A count
above ALLOWED times the committed one fails. The figures belong to one compiler and to AVX2: elsewhere
the guard is left out, and says so. After a change that costs or saves on purpose, --renew writes them
anew. Needs the release library (DIFFSIM_LIBRARY, by default target/release/libdiffsim.so). Ends with
"N passed, N failed".
"""

import json
import os
import pathlib
import platform
import shutil
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
LIBRARY = pathlib.Path(os.environ.get("DIFFSIM_LIBRARY", ROOT / "target" / "release" / "libdiffsim.so")).resolve()
BUILD = ROOT / "target" / "instructions"
FIGURES = HERE / "figures.json"
ALLOWED = 1.10
# Below this the committed figure would hide a later loss.
STALE = 0.95
# Name: model, contact (none, cones, pyramids), steps, one of how many is differentiated. Short runs: over a
# long one the last bit of a result moves the contacts, and with them the count.
CASES = {
    "arm7, smooth": ("arm7.urdf", 0, 200, 5),
    "humanoid, smooth": ("humanoid.xml", 0, 100, 5),
    "runner": ("runner.xml", 1, 200, 5),
    "quadruped": ("quadruped.xml", 1, 200, 5),
    "humanoid": ("humanoid.xml", 1, 200, 5),
    "quadruped, pyramids": ("quadruped.xml", 2, 200, 5),
    "humanoid, pyramids": ("humanoid.xml", 2, 200, 5),
}
# Share of a step, in one run.
RECORDED, RATE, RECORDING = ("quadruped", "humanoid"), 60, 0.03
CALLS = ("ds_sim_step", "ds_sim_step_jacobians", "ds_sim_step_vjp")


def compiler():
    return subprocess.run(["rustc", "--version"], capture_output=True, text=True, check=True).stdout.strip()


def build():
    BUILD.mkdir(parents=True, exist_ok=True)
    link = BUILD / "libdiffsim.so.0"
    link.unlink(missing_ok=True)
    link.symlink_to(LIBRARY)
    flags = ["-std=c11", "-O2", "-Wall", "-Wextra", f"-I{ROOT / 'include'}", f"-Wl,-rpath,{BUILD}"]
    subprocess.run(["cc", *flags, str(HERE / "count.c"), "-o", str(BUILD / "count"), str(link)], check=True)


def inclusive(profile):
    """Instructions within each call from main, from callgrind's file: a line calls= is followed by its cost."""
    names, totals, caller, callee, costs = {}, {}, None, None, False

    def name(field):
        number, _, text = field.partition(" ")
        return names.setdefault(number, text)

    for line in profile.read_text().splitlines():
        key, _, value = line.partition("=")
        if costs:
            if caller == "main":
                totals[callee] = totals.get(callee, 0) + int(line.split()[-1])
            costs = False
        elif key == "fn":
            caller = name(value)
        elif key == "cfn":
            callee = name(value)
        elif key == "calls":
            costs = True
    return totals


def run(model, *arguments):
    """The output of the program, and the instructions within each call."""
    profile = BUILD / "callgrind.out"
    command = ["valgrind", "--tool=callgrind", f"--callgrind-out-file={profile}", str(BUILD / "count"),
               str(ROOT / "examples" / "models" / model), *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f"{' '.join(command)}\n{done.stdout}{done.stderr}\n0 passed, 1 failed")
    return json.loads(done.stdout), inclusive(profile)


def count(model, contact, steps, stride):
    """Instructions a call, and contacts a step."""
    made, totals = run(model, contact, steps, stride)
    return {call: round(totals[call] / made[call]) for call in CALLS}, made["contacts"] / steps


def skip_reason(figures):
    if not shutil.which("valgrind"):
        return "valgrind is not installed"
    cpu = pathlib.Path("/proc/cpuinfo")
    if platform.machine() != "x86_64" or not cpu.exists() or "avx2" not in cpu.read_text():
        return "the processor has no AVX2"
    if figures and figures["compiler"] != compiler():
        return f"the figures are of {figures['compiler']}, this is {compiler()}"
    return None


def main(renew):
    figures = None if renew else json.loads(FIGURES.read_text())
    if reason := skip_reason(figures):
        print(f"instruction counts skipped: {reason}\n0 passed, 0 failed")
        return 0
    build()
    counted, passed, failed, stale = {}, 0, 0, False
    for case, arguments in CASES.items():
        counted[case], contacts = count(*arguments)
        for call, n in counted[case].items():
            line = f"{case:19} {call:22} {n:9} instructions"
            if not renew:
                ratio = n / figures["counts"][case][call]
                good, stale = ratio <= ALLOWED, stale or ratio < STALE
                passed, failed = passed + good, failed + (not good)
                line += f", {ratio:.3f} of the figure" + ("" if good else f" (FAIL: at most {ALLOWED})")
            print(line + f"; {contacts:.2f} contacts")
    for case in RECORDED:
        model, contact, steps, _ = CASES[case]
        _, totals = run(model, contact, steps, 2 * steps, RATE)
        share = totals["ds_recorder_step"] / totals["ds_sim_step"]
        good = share <= RECORDING
        passed, failed = passed + good, failed + (not good)
        line = f"{case:19} {'ds_recorder_step':22} {share:9.2%} of the steps at {RATE} Hz"
        print(line + ("" if good else f" (FAIL: at most {RECORDING:.0%})"))
    if renew:
        FIGURES.write_text(json.dumps({"compiler": compiler(), "counts": counted}, indent=1) + "\n")
        print(f"wrote {FIGURES.relative_to(ROOT)}")
        return 0
    if failed or stale:
        print("To renew the figures: benches/instructions/guard.py --renew")
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main("--renew" in sys.argv[1:]))
