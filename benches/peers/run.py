"""Prepares the models and states, compiles both sides, and lets them take turns on one core.

Run through run.sh. Writes DIRECTORY/peers.md and DIRECTORY/peers.json (target/peers by default).
A cell is the smallest over the rounds of a round's median: the machine may be slow for minutes, and
the smallest median of a function is what it takes when it is not.
"""

import argparse
import json
import os
import pathlib
import platform
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(ROOT / "tests" / "peers"))

import mujoco
import numpy as np
import pinocchio as pin

import diffsim_c as ds
import pinocchio_model
from robots import GYMNASIUM, MESHES, SITE, URDF, Robot
from states import random_state

ROBOTS = [r for r in URDF if r.name in ("ur5", "go1", "h1", "atlas")] + [Robot("humanoid", GYMNASIUM / "humanoid.xml")]
STATES = 50
# Ours; Pinocchio's (the faster counts); how many times Pinocchio's time it may take.
PAIRS = [
    ("ds_inverse_dynamics", ["rnea"], 1.2),
    ("ds_mass_matrix", ["crba(WORLD)", "crba(LOCAL)"], 1.2),
    ("ds_forward_dynamics", ["aba(WORLD)", "aba(LOCAL)"], 1.2),
    ("ds_inverse_dynamics_derivatives", ["computeRNEADerivatives"], None),
    ("ds_forward_dynamics_derivatives", ["computeABADerivatives"], 1.0),
]
ALONE = ["ds_sim_step", "ds_sim_step + ds_sim_step_jacobians"]
# Both sides must have computed the same thing.
SAME = 1e-9


def compile_ours(build):
    library = ds.LIBRARY.parent
    flags = ["-std=c11", "-O2", "-Wall", "-Wextra", f"-I{ds.HEADER.parent}"]
    link = [str(ds.LIBRARY), f"-Wl,-rpath,{library}", "-lm"]
    subprocess.run(["cc", *flags, str(HERE / "ours.c"), "-o", str(build / "ours"), *link], check=True)


def compile_pinocchio(build):
    """Once: again only when its source is newer."""
    source, binary = HERE / "pinocchio.cpp", build / "pinocchio"
    if binary.exists() and binary.stat().st_mtime > source.stat().st_mtime:
        return
    print("compiling Pinocchio (minutes) ...", file=sys.stderr, flush=True)
    prefix = SITE / "cmeel.prefix"
    # The joint variant is longer than Boost's preprocessed lists.
    boost = ["-DBOOST_MPL_LIMIT_LIST_SIZE=30", "-DBOOST_MPL_LIMIT_VECTOR_SIZE=30"]
    boost += ["-DBOOST_MPL_CFG_NO_PREPROCESSED_HEADERS", "-DBOOST_FUSION_INVOKE_MAX_ARITY=12"]
    flags = ["-std=c++17", "-O3", "-march=native", "-DNDEBUG", "-w", *boost]
    include = ["-isystem", str(prefix / "include"), "-isystem", os.environ["EIGEN_INCLUDE"]]
    link = [f"-L{prefix / 'lib'}", "-lboost_serialization", f"-Wl,-rpath,{prefix / 'lib'}"]
    subprocess.run(["c++", *flags, *include, str(source), "-o", str(binary), *link], check=True)


def write_states(path, rows):
    q, v = rows[0][:2]
    lines = [f"{len(rows)} {len(q)} {len(v)}"]
    lines += [" ".join(f"{x:.17g}" for x in np.concatenate(row)) for row in rows]
    path.write_text("\n".join(lines) + "\n")


def prepare(robot, build):
    """Writes the model for Pinocchio and the states for both; returns both command lines' files."""
    if robot.path.suffix == ".xml":
        compiled = mujoco.MjModel.from_xml_path(str(robot.path))
        base, theirs = "file", pinocchio_model.from_mujoco(compiled)
    else:
        base, theirs = "free" if robot.free else "fixed", pinocchio_model.from_urdf(robot.path, robot.free)
    ours = ds.Model(robot.path, **robot.load_options(ds.lib))
    match, data, rng = pinocchio_model.Match(ours, theirs), theirs.createData(), np.random.default_rng(5)
    mine, peer = [], []
    for _ in range(STATES):
        q, v, a = random_state(ours, rng)
        qp, vp, ap = match.q(q), match.v(v), match.v(a)
        tau = pin.rnea(theirs, data, qp, vp, ap)
        mine.append((q, v, a, match.back(tau, 0)))
        peer.append((qp, vp, ap, tau))
    model = build / f"{robot.name}.pinocchio.txt"
    theirs.saveToText(str(model))
    write_states(build / f"{robot.name}.ours.txt", mine)
    write_states(build / f"{robot.name}.theirs.txt", peer)
    return {
        "nv": ours.nv,
        "ours": ([str(robot.path), str(build / f"{robot.name}.ours.txt")], [base, *map(str, MESHES)]),
        "pinocchio": ([str(model), str(build / f"{robot.name}.theirs.txt")], []),
    }


def measure(build, prepared, rounds, passes):
    """{robot: {function: {"median_us": ..., "norm": ...}}} with the smallest medians."""
    core = max(os.sched_getaffinity(0))
    best = {name: {} for name in prepared}
    for round_ in range(rounds):
        print(f"round {round_ + 1} of {rounds}", file=sys.stderr, flush=True)
        for name, files in prepared.items():
            for side in ("pinocchio", "ours"):
                before, after = files[side]
                command = ["taskset", "-c", str(core), str(build / side), *before, str(passes), *after]
                output = subprocess.run(command, check=True, capture_output=True, text=True).stdout
                for row in map(json.loads, output.splitlines()):
                    old = best[name].setdefault(row["what"], row)
                    old["median_us"] = min(old["median_us"], row["median_us"])
    return best


def compare(name, results):
    """Rows (ours, µs, Pinocchio's, µs, ratio, allowed); raises if the outputs differ."""
    for ours, peers, allowed in PAIRS:
        for peer in peers:
            difference = abs(results[ours]["norm"] / results[peer]["norm"] - 1)
            if not difference < SAME:
                raise SystemExit(f"{name}: {ours} and {peer} differ: norms {difference:.1e} apart")
        peer = min(peers, key=lambda p: results[p]["median_us"])
        mine, theirs = results[ours]["median_us"], results[peer]["median_us"]
        yield ours, mine, peer, theirs, mine / theirs, allowed


def versions():
    def run(*command):
        return subprocess.run(command, capture_output=True, text=True).stdout.splitlines()[0]

    info = pathlib.Path("/proc/cpuinfo").read_text().splitlines()
    cpu = next((line.split(":")[1].strip() for line in info if line.startswith("model name")), platform.processor())
    return {
        "diffsim": ds.ffi.string(ds.lib.ds_version_string()).decode(),
        "pinocchio": pin.__version__,
        "processor": cpu,
        "cores": os.cpu_count(),
        "system": platform.platform(),
        "rustc": run("rustc", "--version"),
        "c++": run("c++", "--version"),
    }


def markdown(machine, prepared, best):
    lines = [
        "Microseconds per call, smallest median over the rounds; one core. Pinocchio is header-only,",
        "-O3 -march=native; of its conventions (WORLD, LOCAL) the faster one counts.",
        "; ".join(f"{name}: {value}" for name, value in machine.items()),
        "",
        "| robot | nv | function | ours | Pinocchio | ratio | at most |",
        "|---|---|---|---|---|---|---|",
    ]
    beyond = 0
    for name, results in best.items():
        nv = prepared[name]["nv"]
        for ours, mine, peer, theirs, ratio, allowed in compare(name, results):
            bad = allowed is not None and ratio > allowed
            beyond += bad
            limit = "" if allowed is None else f"{allowed:.1f}" + (" **beyond**" if bad else "")
            lines.append(f"| {name} | {nv} | {ours} | {mine:.2f} | {theirs:.2f} {peer} | {ratio:.2f} | {limit} |")
        for ours in ALONE:
            lines.append(f"| {name} | {nv} | {ours} | {results[ours]['median_us']:.2f} | | | |")
    lines += ["", f"{beyond} ratios beyond what is allowed"]
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--passes", type=int, default=200)
    parser.add_argument("--output", type=pathlib.Path, default=ROOT / "target" / "peers")
    parser.add_argument("robots", nargs="*", metavar="ROBOT")
    options = parser.parse_args()

    chosen = [r for r in ROBOTS if not options.robots or r.name in options.robots]
    for robot in chosen:
        if robot.missing:
            print(f"{robot.name} skipped: {robot.missing}", file=sys.stderr)
    build = ROOT / "target" / "peers"
    build.mkdir(parents=True, exist_ok=True)
    options.output.mkdir(parents=True, exist_ok=True)
    compile_ours(build)
    compile_pinocchio(build)
    prepared = {robot.name: prepare(robot, build) for robot in chosen if not robot.missing}
    best = measure(build, prepared, options.rounds, options.passes)
    machine = versions()
    text = markdown(machine, prepared, best)
    (options.output / "peers.md").write_text(text)
    (options.output / "peers.json").write_text(json.dumps({"machine": machine, "results": best}, indent=1))
    print(text)


if __name__ == "__main__":
    main()
