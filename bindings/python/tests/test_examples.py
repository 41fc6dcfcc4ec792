"""The Python examples reach what they set out for; each says so by its exit status."""

import json
import pathlib
import re
import subprocess
import sys

import pytest

import diffsim

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
    start, found = (diffsim.Recording.read(tmp_path / name) for name in ("leap_start.dsrec", "leap.dsrec"))
    assert len(start.frames) == len(found.frames) > 40 and any(len(f.arrows) for f in start.frames)
    assert found.frames[-1].q[1] > start.frames[-1].q[1] + 0.3


def test_jump_worm(tmp_path):
    assert "at rest: the exact gradient has norm" in run("jump_worm.py", tmp_path).stdout
    picture = (tmp_path / "jump_worm.svg").read_text()
    assert picture.count("<polyline") == 7 and "nan" not in picture
    start, found = (diffsim.Recording.read(tmp_path / name) for name in ("jump_worm_start.dsrec", "jump_worm.dsrec"))
    # The tail lies, or has left the ground.
    assert max(abs(f.q[1]) for f in start.frames) < 1e-6 and max(f.q[1] for f in found.frames) > 0.1


def test_cable_arm(tmp_path):
    said = run("cable_arm.py", tmp_path).stdout
    slopes = [float(x) for x in re.findall(r"by (\d\.\de-\d+)", said)]
    paths = [float(x) for x in re.findall(r"^ +(?:bdf2|bdf1) +([\d.]+) mm", said, re.M)]
    assert len(slopes) == 2 and max(slopes) < 1e-5 and "EXACT" in said
    assert len(paths) == 2 and 10 * paths[0] < paths[1]
    picture = (tmp_path / "cable_arm.svg").read_text()
    assert picture.count("<polyline") == 7 and "nan" not in picture
    frames = diffsim.Recording.read(tmp_path / "cable_arm.dsrec").frames
    assert max(abs(frames[0].q)) < 0.1 and max(abs(frames[-1].q)) > 0.5


def rows(said):
    """The tables of a program, cell by cell."""
    lines = [line.strip("| ").split(" | ") for line in said.splitlines() if line.startswith("| ")]
    return [[cell.strip() for cell in line] for line in lines]


def number(cell):
    return float(cell.split()[0])


def test_oscillating_cylinder(tmp_path):
    table = {row[0]: row[1:] for row in rows(run("convex/oscillating_cylinder.py", tmp_path / "run.dsrec").stdout)}
    free, rolling, *errors = map(number, table["midpoint"])
    assert free < 0.01 and rolling < 0.5 and all(3.5 < a / b < 4.5 for a, b in zip(errors, errors[1:]))
    # Symplectic Euler keeps its energy in the band that the paper has, 28 % wide.
    assert 25 < number(table["symplectic_euler_world"][0]) < 32
    assert len(diffsim.Recording.read(tmp_path / "run.dsrec").frames) > 100


def test_clutter(tmp_path):
    table = rows(run("convex/clutter.py", 8, tmp_path / "run.dsrec").stdout)[1:]
    assert [row[:2] for row in table] == [["8", "sap"], ["8", "lagged"]]
    for row in table:
        assert int(row[2]) >= 8 and int(row[6]) == 0 and float(row[7]) < 5.0
    assert diffsim.Recording.read(tmp_path / "run.dsrec").frames[-1].q[2::7].max() < 0.5


def test_slip_control(tmp_path):
    table = rows(run("convex/slip_control.py", tmp_path / "run.dsrec").stdout)
    phases = [row for row in table if row[0] in ("sap", "lagged")]
    turned = {(law, grip): number(after) - number(before) for law, grip, before, after, _ in phases[::-1]}
    for law in ("sap", "lagged"):
        assert abs(turned[law, "firm"]) < 0.01 and 0.1 < turned[law, "loose"] < 0.8
    speeds = {row[0]: number(row[1]) for row in table if row[0] in ("points", "faces")}
    assert speeds["faces"] < 1e-3 < 1.0 < speeds["points"]
    frames = diffsim.Recording.read(tmp_path / "run.dsrec").frames
    assert any(name.startswith("pressure") for name in frames[-1].surfaces)


def test_catapult(tmp_path):
    assert "from its goal" in run("catapult.py", tmp_path).stdout
    picture = (tmp_path / "catapult.svg").read_text()
    assert picture.count("<polyline") == 6 and "nan" not in picture
    start, found = (diffsim.Recording.read(tmp_path / name) for name in ("catapult_start.dsrec", "catapult.dsrec"))
    assert found.frames[-1].q[1] > start.frames[-1].q[1] + 0.5


def test_push_survey(tmp_path):
    done = run("push_survey.py", 64, tmp_path)
    assert "0 robots failed" in done.stdout and "100 %" in done.stderr
    least, most = (diffsim.Recording.read(tmp_path / f"push_survey_{name}.dsrec") for name in ("least", "most"))
    # The height of the trunk at the end: one stands, the other has fallen.
    assert least.frames[-1].q[2] > 0.2 > most.frames[-1].q[2]


def test_pinocchio_contact():
    pytest.importorskip("pinocchio", reason="Pinocchio is not installed")
    printed = run("pinocchio_contact.py").stdout
    for law in ("NCP", "LCP", "CONVEX"):
        assert f"{law}: contacts breaking, sliding, sticking" in printed


def test_a_cart_learns_from_gradients(tmp_path):
    for package in ("jax", "optax", "gymnasium"):
        pytest.importorskip(package)
    run("learning/shac.py", "--steps", 50000, "--seed", 1, "--out", tmp_path / "curve.json")
    returns = [row[2] for row in json.loads((tmp_path / "curve.json").read_text())]
    assert returns[-1] > returns[0] + 300.0
