"""Runs survey.c on every file and writes the results: survey.json, survey.md."""

import argparse
import concurrent.futures
import json
import os
import pathlib
import subprocess
import sys
import time

from files import SHARE, all_files

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
BUILD = ROOT / "target" / "survey"
# Goals of a run: see docs/robots.md.
TOP = 20.0
MEAN = 40.0
WORST_IN_1000 = 400.0


def compile_program(name):
    library = pathlib.Path(os.environ["DIFFSIM_LIBRARY"]).resolve()
    link = BUILD / "lib" / "libdiffsim.so.0"
    link.parent.mkdir(parents=True, exist_ok=True)
    link.unlink(missing_ok=True)
    link.symlink_to(library)
    flags = ["-std=c11", "-O2", "-Wall", "-Wextra", f"-I{ROOT / 'include'}", str(link), f"-Wl,-rpath,{link.parent}", "-lm"]
    subprocess.run(["cc", str(HERE / f"{name}.c"), "-o", str(BUILD / name), *flags], check=True)
    return BUILD / name


def survey(program, file, seconds, configurations, timeout):
    command = [str(word) for word in (program, *file.arguments(), seconds, configurations)]
    start = time.monotonic()
    # Standard output is kept of a program that is stopped, too.
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=timeout)
        output, code, errors = done.stdout, done.returncode, done.stderr[-400:]
    except subprocess.TimeoutExpired as late:
        output, code, errors = (late.stdout or b"").decode(), -1, f"stopped after {timeout} s"
    rows = [json.loads(line) for line in output.splitlines() if line.endswith("}")]
    facts = next((row for row in rows if "nv" in row), {})
    refused = next((row["refused"] for row in rows if "refused" in row), "")
    runs = [row for row in rows if "law" in row]
    if code and not refused:
        errors = errors or f"exit status {code}"
    else:
        errors = ""
    return {"name": file.name, "floating": file.floating, **facts, "refused": refused, "error": errors, "runs": runs,
            "seconds": round(time.monotonic() - start, 1)}


def thrown(run):
    """Faster than the bound in a step with more energy than at the start: gravity explains no such speed."""
    return run["top"] > TOP and run["fast_gain"] > 0.01


def check_gradients(program, file, timeout):
    """The lines that gradients prints of a robot's run, or why there are none."""
    command = [str(word) for word in (program, *file.arguments(), 400, 20, 0.002)]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=timeout)
    except subprocess.TimeoutExpired:
        return [{"failure": f"stopped after {timeout} s"}]
    return [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]


def summary(robot, law):
    runs = [run for run in robot["runs"] if run["law"] == law]
    if not runs:
        return None
    steps = sum(run["steps"] for run in runs)
    return {
        "top": max(run["top"] for run in runs),
        "gain": max(run["gain"] for run in runs),
        "contacts": max(run["most"] for run in runs),
        "mean": max(run["mean"] for run in runs),
        "median": max(run["median"] for run in runs),
        "p999": max(run["p999"] for run in runs),
        "worst": max(run["worst"] for run in runs),
        "unsolved": sum(run["unsolved"] for run in runs),
        "unsolved_home": sum(run["unsolved"] for run in runs if run["start"] == "home"),
        "one_sided": sum(run["one_sided"] for run in runs) / max(steps, 1),
        "failures": sorted({run["failure"] for run in runs if run["failure"]}),
        "thrown": sum(thrown(run) for run in runs),
        "slow": sum(run["mean"] > MEAN or run["p999"] > WORST_IN_1000 for run in runs),
        "runs": len(runs),
    }


def table(robots):
    lines = []
    for law in ("ncp", "convex"):
        lines += ["", f"With `{law}`:", "",
                  "| robot | nv | top speed | thrown | contacts | mean | median | 99.9 % | worst | one-sided | unsolved | from home | errors |",
                  "| --- " * 13 + "|"]
        for robot in robots:
            s = summary(robot, law)
            if s is None:
                continue
            lines.append(f"| {robot['name']} | {robot['nv']} | {s['top']:.3g} | {s['thrown']} | {s['contacts']} | {s['mean']:.3g} | {s['median']:.3g} | "
                         f"{s['p999']:.3g} | {s['worst']:.4g} | {100 * s['one_sided']:.0f} % | {s['unsolved']} | {s['unsolved_home']} | "
                         f"{len(s['failures'])} |")
    refused = [f"| {r['name']} | {r['refused'] or r['error']} |" for r in robots if not r["runs"]]
    if refused:
        lines += ["", "Not run:", "", "| robot | why |", "| --- | --- |", *refused]
    return "\n".join(lines) + "\n"


def verdict(robots):
    lines = []
    for law in ("ncp", "convex"):
        rows = [(r["name"], s) for r in robots if (s := summary(r, law))]
        runs = sum(s["runs"] for _, s in rows)
        lines.append(
            f"{law}: {len(rows)} robots, {runs} runs; thrown {sum(s['thrown'] for _, s in rows)}, "
            f"too slow {sum(s['slow'] for _, s in rows)}, failed {sum(bool(s['failures']) for _, s in rows)} robots, "
            f"unsolved steps {sum(s['unsolved'] for _, s in rows)}, from home {sum(s['unsolved_home'] for _, s in rows)}")
        for name, s in rows:
            for failure in s["failures"]:
                lines.append(f"  {name}: {failure}")
    for r in robots:
        if not r["runs"] or r["error"]:
            lines.append(f"  {r['name']}: {r['refused'] or r['error']}")
    return "\n".join(lines)


def main():
    options = argparse.ArgumentParser()
    options.add_argument("--seconds", type=float, default=2.0)
    options.add_argument("--configurations", type=int, default=20)
    options.add_argument("--jobs", type=int, default=1)
    options.add_argument("--timeout", type=float, default=900.0)
    options.add_argument("--output", type=pathlib.Path, default=BUILD)
    options.add_argument("--gradients", action="store_true")
    options.add_argument("--plans", action="store_true")
    options.add_argument("names", nargs="*")
    given = options.parse_args()
    BUILD.mkdir(parents=True, exist_ok=True)
    given.output.mkdir(parents=True, exist_ok=True)
    files = [f for f in all_files() if not given.names or any(word in f.name for word in given.names)]
    if given.gradients:
        program = compile_program("gradients")
        for file in files:
            for row in check_gradients(program, file, given.timeout):
                print(file.name, json.dumps(row), flush=True)
        return
    if given.plans:
        program = compile_program("plan")
        for file in files if given.names else [f for f in files if f.name == "go2/go2"]:
            print(file.name, flush=True)
            subprocess.run([str(program), str(file.path), str(SHARE)], check=True)
        return
    program = compile_program("survey")
    robots = []
    with concurrent.futures.ThreadPoolExecutor(given.jobs) as pool:
        work = {pool.submit(survey, program, f, given.seconds, given.configurations, given.timeout): f for f in files}
        for done in concurrent.futures.as_completed(work):
            robot = done.result()
            robots.append(robot)
            print(f"{len(robots)}/{len(files)} {robot['name']}: {len(robot['runs'])} runs, {robot['seconds']} s "
                  f"{robot['refused'] or robot['error']}", file=sys.stderr, flush=True)
            (given.output / "survey.json").write_text(json.dumps(robots))
    order = {f.name: i for i, f in enumerate(files)}
    robots.sort(key=lambda r: order[r["name"]])
    (given.output / "survey.json").write_text(json.dumps(robots, indent=1))
    (given.output / "survey.md").write_text(table(robots))
    print(verdict(robots))


if __name__ == "__main__":
    main()
