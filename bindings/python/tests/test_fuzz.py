"""A lean run of fuzz.py, in a process whose end is looked at."""

import pathlib
import re
import subprocess
import sys

FUZZ = pathlib.Path(__file__).with_name("fuzz.py")


def test_random_calls_end_in_results_or_exceptions():
    command = [sys.executable, "-X", "faulthandler", FUZZ, "--sequences", "300", "--seed", "7"]
    run = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert run.returncode == 0, run.stderr
    called, ended = (
        {name: int(count) for count, name in re.findall(r"^ +(\d+) (\w+)$", part, flags=re.M)}
        for part in run.stdout.split("by outcome:")
    )
    assert sum(called.values()) == sum(ended.values()) == 300 * 16
    assert ended["ok"] > 1000 and ended["ArgumentTypeError"] > 100
    # Every class, and functions of the module.
    assert called.keys() > {"Model", "Sim", "Rollout", "Batch", "Problem", "Builder", "Recorder", "Ik", "Ilqr"}
    assert called.keys() > {"Live", "Recording", "Visuals", "StepJacobians", "Param", "lqr"}
