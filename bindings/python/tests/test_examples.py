"""The Python examples reach what they set out for; each says so by its exit status."""

import pathlib
import subprocess
import sys

EXAMPLES = pathlib.Path(__file__).resolve().parents[3] / "examples" / "python"


def run(name, *arguments):
    command = [sys.executable, str(EXAMPLES / name), *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return done


def test_leap(tmp_path):
    assert "from its goal" in run("leap.py", tmp_path).stdout
    picture = (tmp_path / "leap.svg").read_text()
    assert picture.count("<polyline") == 5 and "nan" not in picture


def test_push_survey():
    done = run("push_survey.py", 64)
    assert "0 robots failed" in done.stdout and "100 %" in done.stderr
