#!/usr/bin/env python3
"""Installs a wheel in an environment of its own and uses it as somebody without Rust or a compiler would.

usage: scripts/try_wheel.py WHEEL [DIRECTORY]

A step, a derivative, the command, a page. DIRECTORY (target/packaging/try) is made anew.
"""

import json
import os
import pathlib
import shutil
import subprocess
import sys
import venv

ROOT = pathlib.Path(__file__).resolve().parents[1]
PROGRAM = """
import diffsim, pathlib, sys
assert pathlib.Path(diffsim.__file__).is_relative_to(sys.prefix), diffsim.__file__
model = diffsim.Model.load(sys.argv[1])
sim = diffsim.Sim(model)
q, v, u = model.keyframe("standing")
for _ in range(100):
    q, v = sim.step(q, v, u)
assert sim.info().contacts == 4 and sim.jacobians().dv_du.shape == (18, 12)
print(diffsim.__version__)
"""


def main():
    wheel = pathlib.Path(sys.argv[1]).resolve()
    work = pathlib.Path(sys.argv[2] if len(sys.argv) > 2 else ROOT / "target" / "packaging" / "try").resolve()
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True)
    venv.create(work / "venv", with_pip=True)
    # No compiler, no cargo, and nothing of the repository.
    environment = {k: v for k, v in os.environ.items() if k.startswith(("PIP_", "SSL_", "HTTP", "http")) or k in ("LANG", "HOME")}
    environment["PATH"] = str(work / "venv" / "bin")

    def run(*command):
        done = subprocess.run([str(c) for c in command], cwd=work, env=environment, text=True, capture_output=True, timeout=600)
        if done.returncode:
            sys.exit(f"{' '.join(map(str, command))}: exit code {done.returncode}\n{done.stdout}{done.stderr}")
        return done.stdout

    robot = work / "quadruped.xml"
    shutil.copy2(ROOT / "examples" / "models" / "quadruped.xml", robot)
    # Its dependencies as wheels, too: an index that has none for this machine is not the wheel's fault.
    run(work / "venv/bin/pip", "install", "--quiet", "--disable-pip-version-check", "--only-binary=:all:", wheel)
    version = run(work / "venv/bin/python", "-c", PROGRAM, robot).strip()
    command = work / "venv" / "bin" / "diffsim"
    facts = json.loads(run(command, "check", robot, "--steps", "50", "--json"))
    assert facts["gradient"]["against_differences"] < 1e-4, facts
    run(command, "view", robot, "--seconds", "0.1", "-o", "page.html")
    assert (work / "page.html").stat().st_size > 100_000
    print(f"{wheel.name}: version {version}, steps, differentiates, checks and shows without Rust")


main()
