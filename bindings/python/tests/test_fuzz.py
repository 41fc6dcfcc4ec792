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
    happened = {name: int(count) for count, name in re.findall(r"^ +(\d+) (\w+)$", run.stdout, flags=re.M)}
    assert sum(happened.values()) == 300 * 16 and happened["ok"] > 1000 and happened["ArgumentTypeError"] > 100
