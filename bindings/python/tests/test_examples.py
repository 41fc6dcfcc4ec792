"""The Python examples reach what they set out for; each says so by its exit status."""

import json
import pathlib
import re
import shutil
import subprocess
import sys

import numpy as np
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


def test_soft_finger(tmp_path):
    said = run("soft_finger.py", tmp_path, 0.1, 1).stdout
    off = [float(x) for x in re.findall(r"off by (\d\.\de-\d+)", said)]
    assert len(off) == 2 and max(off) < 1e-5 and "EXACT" in said
    picture = (tmp_path / "soft_finger.svg").read_text()
    assert picture.count("<polyline") == 4 and "nan" not in picture
    frames = diffsim.Recording.read(tmp_path / "soft_finger.dsrec").frames
    surfaces = [frame.surfaces["left_finger"][0] for frame in frames]
    assert surfaces[-1][:, 2].min() > surfaces[0][:, 2].min() + 0.09


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


def test_jar(tmp_path):
    table = rows(run("convex/jar.py", 1.2, tmp_path / "run.dsrec").stdout)[1:]
    assert [row[0] for row in table] == ["sap", "lagged"]
    for _, inside, jar, lid, *_ in table:
        # The lid hangs in its gripper; the jar stands.
        heights = [float(place.split(",")[2].split(")")[0]) for place in (jar, lid)]
        assert inside == "0 of 16" and abs(heights[0] - 0.06) < 1e-3 and heights[1] > 0.15
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
    curve, robot = tmp_path / "curve.json", tmp_path / "cart.dsrec"
    given = "--steps", 15000, "--seed", 1, "--out", curve, "--state", tmp_path / "state"
    # It stops, and goes on in another process.
    run("learning/shac.py", *given, "--pause", 40)
    before = json.loads(curve.read_text())
    run("learning/shac.py", *given, "--record", robot)
    after = json.loads(curve.read_text())
    assert after[: len(before)] == before and len(before) < len(after)
    returns = [row[2] for row in after]
    assert returns[-1] > returns[0] + 300.0
    frames = diffsim.Recording.read(robot).frames
    assert len(frames) == 240 and all(np.isfinite(f.q).all() for f in frames)


def test_two_orders_of_gradients_are_weighed(monkeypatch):
    """By single actions, first order sums up to the slope by the policy; without variance it counts alone, and both orders
    agree in the mean."""
    for package in ("optax", "gymnasium"):
        pytest.importorskip(package)
    jax = pytest.importorskip("jax")
    monkeypatch.syspath_prepend(EXAMPLES / "learning")
    import shac

    jnp, problem = jax.numpy, shac.Problem("CartPoleSwingUp")
    problem.count = 2048
    keys = jax.random.split(jax.random.key(1), 4)
    actor = {"mean": shac.network(keys[0], (5, 8, 1), 0.1), "log_std": jnp.full(1, -0.5)}
    critic, scale = shac.network(keys[1], (5, 8, 1)), (jnp.zeros(5), jnp.ones(5), 1e-4)
    state = *problem.starts(keys[2], problem.count), jnp.zeros(problem.count, int)
    shift = jnp.zeros((shac.HORIZON, problem.count, 1))
    slopes = jax.jit(jax.grad(lambda a, s: shac.loss(a, s, critic, scale, state, keys[3], problem), (0, 1), has_aux=True))
    (slope, by_shift), (_, *rows) = slopes(actor, shift)
    wanted = shac.targets(*rows[1:4])
    first, zeroth = (shac.mixed(actor, critic, scale, by_shift, rows, wanted, share) for share in (1.0, 0.0))
    for a, b in zip(*map(jax.tree.leaves, (first, slope))):
        assert np.allclose(a, b, rtol=1e-12, atol=1e-12 * np.abs(b).max())
    flat = [np.concatenate([np.ravel(x) for x in jax.tree.leaves(y)]) for y in (first, zeroth)]
    assert np.dot(*flat) > 0.9 * np.linalg.norm(flat[0]) * np.linalg.norm(flat[1]), flat


def test_a_learned_policy_is_replayed(tmp_path):
    pytest.importorskip("gymnasium")
    said = run("learning/play.py", "HopperSmooth", "hopper", tmp_path).stdout
    frames = diffsim.Recording.read(tmp_path / "learned_hopper.dsrec").frames
    assert f"in {len(frames)} steps" in said and frames[-1].q[0] > frames[0].q[0] + 3.0


def test_learning_curves_are_drawn(tmp_path):
    for seed in range(3):
        curve = [(steps, 0.1 * steps + seed, 2.0 * steps + seed) for steps in (0, 10, 20)]
        (tmp_path / f"{seed}.json").write_text(json.dumps(curve))
    files = [tmp_path / f"{seed}.json" for seed in range(3)]
    said = run("learning/curves.py", tmp_path / "curves.svg", "SHAC", *files[:2], "PPO", files[2]).stdout
    assert "SHAC: 2 seeds, return at the end 40.0 to 41.0, median 40.5" in said
    picture = (tmp_path / "curves.svg").read_text()
    assert picture.count("<polyline") == 4 and "nan" not in picture
    run("learning/curves.py", "--least", 10, tmp_path / "curves.svg", "SHAC", *files)
    assert ">10<" in (tmp_path / "curves.svg").read_text()


def test_processes_of_mpi_share_a_gradient(tmp_path):
    pytest.importorskip("mpi4py", reason="mpi4py is not installed")
    start = pathlib.Path(sys.executable).parent / "mpiexec"
    start = str(start) if start.exists() else shutil.which("mpiexec")
    if start is None:
        pytest.skip("there is no mpiexec: pip install mpich")
    name = EXAMPLES / "learning" / "mpi_gradients.py"
    found = []
    for processes in (1, 2, 3):
        out = tmp_path / f"{processes}.npy"
        command = [start, "-n", processes, sys.executable, name, "--environments", 5, "--rounds", 3, "--out", out]
        done = subprocess.run([*map(str, command)], capture_output=True, text=True, timeout=120)
        assert done.returncode == 0, done.stdout + done.stderr
        before, after = (float(x) for x in re.findall(r"(?:loss|rounds) (\d+\.\d+)", done.stdout))
        assert after < before
        found.append(np.load(out))
    assert np.abs(found[0]).max() > 0.0
    assert (found[0] == found[1]).all() and (found[0] == found[2]).all()


def test_actors_of_ray_share_a_gradient(tmp_path):
    pytest.importorskip("ray", reason="Ray is not installed")
    given = "--environments", 5, "--rounds", 3, "--out"
    found = []
    # In the last run an actor dies and is replaced.
    for workers, kill in ((1, -1), (2, -1), (2, 1)):
        out = tmp_path / f"{workers}{kill}.npy"
        run("learning/ray_gradients.py", "--workers", workers, "--kill", kill, *given, out)
        found.append(np.load(out))
    assert np.abs(found[0]).max() > 0.0
    assert (found[0] == found[1]).all() and (found[0] == found[2]).all()
