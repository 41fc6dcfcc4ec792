"""Where the instructions of a step and of its Jacobians go, and how many of them are arithmetic.

By callgrind: each instruction counts for the function it was compiled into, and each function for the
stage whose module it is in. Shares of instructions are not shares of time, but the next run gives the
same ones. Skipped, aloud, where valgrind or objdump is missing.
"""

import re
import shutil
import subprocess

import scenarios
from common import BUILD, compile_ours, ds, say
from tables import table

ROBOTS = ("go1", "atlas")
CALLS = {"step": "ds_sim_step", "Jacobians": "ds_sim_step_jacobians"}
# A quarter of the run: callgrind takes fifty times as long.
STEPS, STRIDE, MAX_CONTACTS = scenarios.STEPS // 4, 10, 128
# The first that matches a function's name.
STAGES = [
    ("kinematics", r"dynamics::kinematics"),
    ("bias, mass, factors", r"dynamics::(aba|rnea|mass|workspace|external)::"),
    ("dynamics derivatives", r"dynamics::"),
    ("collision", r"collision::"),
    ("constraint rows, Delassus", r"constraint::(assemble|rows|memory|equality)::|constraint::.*Constraints"),
    ("constraint derivatives", r"constraint::"),
    ("contact solve", r"contact::|linalg::"),
    ("response", r"step::(contact_kernels|response)"),
    ("rest", r""),
]
_ARITHMETIC = re.compile(r"^v?(?:(?P<fused>fn?m(?:add|sub)\w*?)|addsub|h?add|h?sub|mul|div|sqrt|min|max)(?:[pP](?P<packed>d)|sd)$")


def stage(function):
    return next(name for name, pattern in STAGES if re.search(pattern, function))


def operations():
    """Floating-point operations of each instruction of the library, by its address."""
    listing = subprocess.run(["objdump", "-d", "--no-show-raw-insn", str(ds.LIBRARY)], capture_output=True, text=True, check=True)
    found = {}
    for line in listing.stdout.splitlines():
        parts = line.split(None, 2)
        match = len(parts) > 1 and parts[0].endswith(":") and _ARITHMETIC.match(parts[1])
        if not match:
            continue
        lanes = (4 if "%ymm" in line else 2) if match["packed"] else 1
        found[int(parts[0][:-1], 16)] = lanes * (2 if match["fused"] else 1)
    return found


def read_profile(path, library, operations):
    """{function: (instructions, floating-point operations)} of each function itself."""
    names, totals, current, ours, address, call = {}, {}, None, False, 0, False
    objects = {}
    for line in path.read_text().splitlines():
        key, equals, value = line.partition("=")
        if equals and key in ("ob", "fn", "cob", "cfn"):
            number, _, text = value.partition(" ")
            name = (objects if key in ("ob", "cob") else names).setdefault(number, text)
            if key == "ob":
                ours = name == library
            elif key == "fn":
                current = totals.setdefault(name, [0, 0])
        elif key == "calls":
            call = True
        elif line[:1] in ("0", "+", "-", "*"):
            where, _, cost = line.split()
            address = address if where == "*" else address + int(where, 0) if where[0] in "+-" else int(where, 16)
            if not call:
                current[0] += int(cost)
                if ours:
                    current[1] += int(cost) * operations.get(address, 0)
            call = False
    return totals


def _callgrind(p, function):
    out = BUILD / "callgrind.out"
    command = ["valgrind", "--tool=callgrind", "--dump-instr=yes", "--collect-atstart=no", f"--toggle-collect={function}",
               f"--callgrind-out-file={out}", str(BUILD / "ours_step"), str(p.mjcf), str(p.start), str(STRIDE), "now",
               str(MAX_CONTACTS), "inf", "ncp"]
    subprocess.run(command, cwd=BUILD, capture_output=True, text=True, check=True)
    return out


def measure(prepared):
    """{robot: {call: {"stages": {stage: instructions a call}, "operations": a call}}}"""
    for tool in ("valgrind", "objdump"):
        if not shutil.which(tool):
            say(f"profile skipped: {tool} is not installed")
            return {}
    compile_ours("ours_step.c")
    flops, results = operations(), {}
    library = str(ds.LIBRARY.resolve())
    for p in (p for p in prepared if p.name in ROBOTS):
        results[p.name] = {}
        for call, function in CALLS.items():
            say(f"profile of {p.name}: {call}")
            count = STEPS if call == "step" else STEPS // STRIDE
            stages, arithmetic = {name: 0.0 for name, _ in STAGES}, 0.0
            for name, (instructions, ops) in read_profile(_callgrind(p, function), library, flops).items():
                stages[stage(name)] += instructions / count
                arithmetic += ops / count
            results[p.name][call] = {"stages": stages, "operations": arithmetic}
    return results


def markdown(results):
    rows = []
    for robot, calls in results.items():
        for call, r in calls.items():
            total = sum(r["stages"].values())
            rows.append([f"{robot}, {call}", f"{total:.0f}", f"{r['operations']:.0f}", *(f"{100 * n / total:.0f} %" for n in r["stages"].values())])
    return [
        "### Where the instructions go",
        "",
        f"Instructions a call, mean over the first {STEPS} steps of the run, counted by callgrind; of them floating-point operations (a",
        "vector's lanes each count); and the stages' shares of the instructions.",
        "",
        *table(["", "instructions", "operations", *(name for name, _ in STAGES)], rows),
    ] if results else []


def bars(results):
    """For the chart: series and stacked bars of instructions."""
    names = [name for name, _ in STAGES]
    return names, {f"{robot}, {call}": [r["stages"][name] for name in names] for robot, calls in results.items() for call, r in calls.items()}
