"""The command line: what it prints, its JSON, its exit codes."""

import json
import os
import pathlib
import signal
import struct
import subprocess
import sys
import time

import numpy as np
import pytest

import diffsim
from diffsim import cli

MODELS = pathlib.Path(__file__).resolve().parents[3] / "examples" / "models"
QUADRUPED = str(MODELS / "quadruped.xml")
ARM = str(MODELS / "arm7.urdf")


@pytest.fixture
def run(capsys):
    def call(*arguments):
        code = cli.main([str(a) for a in arguments])
        out, err = capsys.readouterr()
        return code, out, err

    return call


def urdf(tmp_path, body="", name="robot"):
    inertial = '<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>'
    path = tmp_path / f"{name}.urdf"
    joints = "".join(
        f'<joint name="j{i}" type="revolute"><parent link="l{i}"/><child link="l{i + 1}"/><axis xyz="0 1 0"/>'
        f'<limit lower="0.5" upper="1" effort="1" velocity="1"/>{body if i == 1 else ""}</joint>'
        for i in range(2)
    )
    links = "".join(f'<link name="l{i}">{inertial}</link>' for i in range(3))
    path.write_text(f'<robot name="r">{links}{joints}</robot>')
    return path


def test_info_draws_the_tree(run):
    code, out, _ = run("info", QUADRUPED)
    assert code == 0
    assert "world" in out and "└─ trunk" in out and "│  └─ FR_thigh" in out and "12 kg" in out
    code, out, _ = run("info", QUADRUPED, "--json")
    facts = json.loads(out)
    model = diffsim.Model.load(QUADRUPED)
    assert [b["name"] for b in facts["bodies"]] == [b.name for b in model.bodies]
    assert facts["mass"] == pytest.approx(sum(b.inertia[0] for b in model.bodies))
    assert facts["bodies"][1]["joints"][0]["kind"] == "free"


def test_info_tells_overlaps_and_passed_limits(run, tmp_path):
    code, out, _ = run("info", urdf(tmp_path), "--json")
    facts = json.loads(out)
    assert code == 0 and [x[0] for x in facts["passed_limits"]] == ["j0", "j1"]
    text = """<mujoco><worldbody><body><freejoint/><geom name="a" type="sphere" size="0.1"/></body>
      <body pos="0.15 0 0"><freejoint/><geom name="b" type="sphere" size="0.1"/></body></worldbody></mujoco>"""
    path = tmp_path / "two.xml"
    path.write_text(text)
    _, out, _ = run("info", path, "--json")
    ((a, b, gap),) = json.loads(out)["overlaps"]
    assert (a, b) == ("a", "b") and gap == pytest.approx(-0.05)
    assert any("overlap" in f["what"] and "home" in f["cure"] for f in json.loads(out)["findings"])


def test_check_steps_and_differentiates(run):
    code, out, _ = run("check", QUADRUPED, "--steps", 100, "--json")
    facts = json.loads(out)
    assert code == 0
    assert facts["steps"]["count"] == 100 and facts["steps"]["contacts"] == 4
    assert facts["gradient"]["states"] > 0 and facts["gradient"]["against_differences"] < 1e-5
    assert facts["gradient"]["reverse_against_forward"] < 1e-10
    assert facts["timing"]["step_us"] > 0
    _, out, _ = run("check", ARM, "--steps", 20)
    assert "--actuation full" in out and "no errors" in out


def test_check_ends_in_time(tmp_path):
    from diffsim import examine

    model, examined = diffsim.Model.load(QUADRUPED), examine.Examined(QUADRUPED)
    examine.check(model, examined, steps=10**6, seconds=0.2)
    assert 0 < examined.facts["steps"]["count"] < 10**6
    assert any("steps were taken" in f.what for f in examined.findings)


def test_check_names_the_option_that_cures(run, tmp_path):
    path = urdf(tmp_path, '<mimic joint="j0"/>')
    code, out, _ = run("check", path, "--steps", 20)
    assert code == 0 and "refused" not in out
    code, out, _ = run("check", path, "--mimic", "error", "--steps", 20)
    assert code == 0 and "--mimic couple" in out
    code, out, _ = run("check", path, "--mimic", "independent", "--steps", 20)
    assert code == 0 and "refused" not in out
    code, out, _ = run("check", urdf(tmp_path, '<mimic joint="none"/>', "astray"), "--steps", 20)
    assert code == 0 and "--mimic independent" in out
    # Where nothing helps it is an error among the findings, not a traceback.
    (tmp_path / "bad.urdf").write_text("<robot name='r'><link/></robot>")
    code, out, _ = run("check", tmp_path / "bad.urdf")
    assert code == 1 and "cannot be loaded" in out and "bad.urdf" in out


def test_joints_without_mass_are_named(run, tmp_path):
    """A step of such a robot fails, and the finding says what to do about it."""
    path = urdf(tmp_path)
    path.write_text(path.read_text().replace('<mass value="1"/><inertia ixx="1" iyy="1" izz="1"', '<mass value="0"/><inertia ixx="0" iyy="0" izz="0"'))
    code, out, _ = run("check", path, "--json")
    findings = json.loads(out)["findings"]
    (massless,) = [f for f in findings if "move no mass" in f["what"]]
    assert code == 1 and massless["level"] == "warning" and "j1, j0" in massless["what"] and "inertia" in massless["cure"]
    (error,) = [f for f in findings if f["level"] == "error"]
    assert "cannot be stepped" in error["what"] and "no mass" in error["cure"]


def test_differences_do_not_step_over_switches():
    """Stuck friction of light joints: over 1e-6 it slips, and the derivative is right where it sticks."""
    from diffsim import examine

    text = """<mujoco><worldbody><body><joint type="hinge" axis="0 1 0" frictionloss="0.05"/><geom size="0.05" mass="0.1"/>
      <body pos="0 0 0.1"><joint type="hinge" axis="0 1 0" frictionloss="0.05"/><geom size="0.05" pos="0 0 0.01" mass="0.01"/></body></body></worldbody></mujoco>"""
    model = diffsim.Model.from_string(text, diffsim.Format.MJCF)
    sim = diffsim.Sim(model, time_step=1e-3)
    state = (model.neutral(), np.zeros(2), sim.memory, None)
    sim.step(model.neutral(), np.zeros(2), None)
    steps, examine.DIFFERENCES = examine.DIFFERENCES, (1.0,)
    try:
        over, _ = examine.gradient_error(model, sim, state, np.random.default_rng(0))
    finally:
        examine.DIFFERENCES = steps
    within, _ = examine.gradient_error(model, sim, state, np.random.default_rng(0))
    assert over > 0.01 and within < 1e-8


ROBOTS = pathlib.Path(__file__).resolve().parents[3] / "target" / "venvs" / "peers"
OF_PACKAGE = {
    "double_pendulum_description/urdf/double_pendulum.urdf": 0,
    "go2_description/urdf/go2.urdf": 0,
    "baxter_description/urdf/baxter.urdf": 0,
    "talos_data/robots/talos_full_v2_box.urdf": 0,
    "romeo_description/urdf/romeo.urdf": 1,
    "ur_description/urdf/ur3.urdf": 1,
}


@pytest.mark.parametrize("name", OF_PACKAGE)
def test_robots_of_a_package_give_a_page_of_findings(run, name):
    """Fixed as the file has them and free above the ground; all 69 of example-robot-data were tried so once."""
    found = list(ROBOTS.glob(f"lib/*/site-packages/cmeel.prefix/share/example-robot-data/robots/{name}"))
    if not found:
        pytest.skip("example-robot-data is not installed in target/venvs/peers")
    for options in ([], ["--base", "free", "--ground", "--actuation", "full"]):
        code, out, err = run("check", found[0], "--steps", 100, *options)
        assert code == OF_PACKAGE[name] and not err
        assert 2 < len(out.splitlines()) < 40 and "differs" not in out
        if code == 0:
            assert "within" in out and "a step takes" in out


def test_simulate_view_and_convert(run, tmp_path):
    path, page = tmp_path / "run.dsrec", tmp_path / "run.html"
    code, out, _ = run("simulate", QUADRUPED, "--seconds", 0.2, "--record", path, "--json")
    facts = json.loads(out)
    assert code == 0 and facts["frames"] == 13 and facts["steps"] == 100
    recording = diffsim.Recording.read(path)
    assert len(recording.frames) == 13 and recording.frames[-1].time == pytest.approx(0.2)
    assert recording.frames[-1].q.tolist() == facts["q"]
    code, _, _ = run("view", path, QUADRUPED, "-o", page, "--title", "<b>")
    text = page.read_text(encoding="utf-8")
    assert code == 0 and text.count("application/x-diffsim\">") == 2 and "<title>&lt;b&gt;</title>" in text
    code, _, _ = run("convert", path, "-o", tmp_path / "run.npz")
    arrays = np.load(tmp_path / "run.npz")
    assert code == 0 and np.array_equal(arrays["q"][-1], recording.frames[-1].q)


def test_a_robot_is_converted(run, tmp_path):
    arm = pathlib.Path(QUADRUPED).with_name("arm7.urdf")
    out = tmp_path / "arm.xml"
    code, text, _ = run("convert", arm, "-o", out, "--base", "free")
    assert code == 0 and "velocity limits are left out: 7" in text and "not said: 2" in text
    assert diffsim.Model.load(out).nv == 13
    code, text, _ = run("convert", QUADRUPED, "-o", tmp_path / "again.mjcf", "--strict", "--json")
    assert code == 0 and json.loads(text)["lost"] == []
    code, _, err = run("convert", arm, "-o", tmp_path / "strict.xml", "--strict")
    assert code == 3 and "velocity limits" in err and not (tmp_path / "strict.xml").exists()
    path = tmp_path / "run.dsrec"
    run("simulate", QUADRUPED, "--seconds", 0.01, "--record", path)
    assert run("convert", path, "-o", tmp_path / "run.urdf")[0] == 3
    assert run("convert", QUADRUPED, "-o", tmp_path / "robot.glb")[0] == 3


def test_gltf_holds_the_run(run, tmp_path):
    path, out = tmp_path / "run.dsrec", tmp_path / "run.glb"
    run("simulate", QUADRUPED, "--seconds", 0.1, "--record", path)
    assert run("convert", path, "-o", out)[0] == 0
    data = out.read_bytes()
    magic, version, length = struct.unpack_from("<4sII", data)
    size, kind = struct.unpack_from("<I4s", data, 12)
    assert (magic, version, length, kind) == (b"glTF", 2, len(data), b"JSON")
    document = json.loads(data[20 : 20 + size])
    binary = data[28 + size :]
    recording = diffsim.Recording.read(path)
    names = [n["name"] for n in document["nodes"]]
    # A geom has the same name, its node comes first.
    trunk = len(names) - 1 - names[::-1].index("trunk")

    def array(number):
        accessor = document["accessors"][number]
        view = document["bufferViews"][accessor["bufferView"]]
        width = {"SCALAR": 1, "VEC3": 3, "VEC4": 4}[accessor["type"]]
        dtype = "<u4" if accessor["componentType"] == 5125 else "<f4"
        return np.frombuffer(binary, dtype, accessor["count"] * width, view["byteOffset"]).reshape(-1, width)

    animation = document["animations"][0]
    channel = next(c for c in animation["channels"] if c["target"] == {"node": trunk, "path": "translation"})
    moved = array(animation["samplers"][channel["sampler"]]["output"])
    want = np.array([f.poses[1, :3] for f in recording.frames], np.float32)
    assert np.array_equal(moved, want)
    for mesh in document["meshes"]:
        (primitive,) = mesh["primitives"]
        points, faces = array(primitive["attributes"]["POSITION"]), array(primitive["indices"])
        assert faces.max() < len(points) and len(faces) % 3 == 0


def test_solids_of_gltf_have_their_volumes():
    from diffsim import gltf
    from diffsim.recording import Shape

    def volume(kind, *size):
        zero = np.zeros(3)
        shape = Shape("", False, kind, 0, None, None, np.full(4, np.nan), np.array(size), zero, np.array([0, 0, 0, 1.0]), 1.0)
        points, faces = gltf.triangles(shape, diffsim.Recording())
        a, b, c = (points[faces[:, k]] for k in range(3))
        return np.sum(a * np.cross(b, c)) / 6

    pi = np.pi
    for kind, size, want in [
        (1, (0.3, 0, 0), 4 / 3 * pi * 0.027),
        (2, (0.2, 0.5, 0), pi * 0.04 * 1.0 + 4 / 3 * pi * 0.008),
        (3, (0.2, 0.5, 0), pi * 0.04 * 1.0),
        (4, (0.2, 0.3, 0.4), 4 / 3 * pi * 0.024),
        (5, (0.2, 0.3, 0.4), 8 * 0.024),
    ]:
        assert volume(kind, *size) == pytest.approx(want, rel=0.05), kind


def test_bench_and_completion(run):
    code, out, _ = run("bench", QUADRUPED, "--steps", 30, "--json")
    facts = json.loads(out)
    assert code == 0 and facts["step_us"] > 0 and facts["jacobians_us"] > 0 and "mujoco" in facts
    # MuJoCo gets the robot as it was loaded, also from a URDF, and with a free base.
    if facts["mujoco"]:
        assert facts["own_file"] and facts["lost"] == []
        code, out, _ = run("bench", ARM, "--base", "free", "--steps", 5, "--json")
        facts = json.loads(out)
        assert code == 0 and facts["mujoco"] > 0 and not facts["own_file"] and facts["nv"] == 13
        code, out, _ = run("bench", QUADRUPED, "--ground", "--steps", 5)
        assert code == 0 and "with the MJCF that diffsim writes" in out
    for shell in ("bash", "zsh", "fish"):
        code, out, _ = run("completion", shell)
        assert code == 0 and "simulate" in out and "exclude-overlapping" in out
    script = run("completion", "bash")[1]
    script += '\nCOMP_WORDS=(diffsim ch); COMP_CWORD=1; _diffsim; echo "${COMPREPLY[@]}"'
    done = subprocess.run(["bash", "-c", script], capture_output=True, text=True)
    assert done.stdout.strip() == "check", done.stderr


def test_exit_codes(run, tmp_path):
    code, _, err = run("info", tmp_path / "none.urdf")
    assert code == 3 and "none.urdf" in err and "Traceback" not in err
    (tmp_path / "text.dsrec").write_bytes(b"no")
    assert run("convert", tmp_path / "text.dsrec", "-o", tmp_path / "a.npz")[0] == 3
    assert run("convert", tmp_path / "none.dsrec", "-o", tmp_path / "a.npz")[0] == 3
    assert run("view", tmp_path / "text.dsrec")[0] == 3
    assert run("simulate", QUADRUPED, "--keyframe", "none")[0] == 3
    for wrong in (["nothing"], ["check"], ["check", QUADRUPED, "--steps", "0"], ["simulate", QUADRUPED, "--seconds", "-1"], ["simulate", QUADRUPED, "--seconds", "x"]):
        with pytest.raises(SystemExit) as end:
            cli.main(wrong)
        assert end.value.code == 2
    done = subprocess.run([sys.executable, "-m", "diffsim", "info", QUADRUPED, "--json"], capture_output=True, text=True)
    assert done.returncode == 0 and json.loads(done.stdout)["nv"] == 18


def shell(*arguments, **options):
    """The command in a process of its own."""
    return subprocess.run([sys.executable, "-m", "diffsim", *map(str, arguments)], capture_output=True, **options)


@pytest.mark.parametrize("text", [b"", b"\0\xff\x1b[2J" * 99, b"<robot name='a'>\0</robot>", b"<robot name='\xff'/>", b"<robot/>"], ids=["empty", "noise", "nul", "bytes", "bare"])
def test_files_that_are_no_robots(run, tmp_path, text):
    for name in ("a.urdf", "a.xml"):
        (tmp_path / name).write_bytes(text)
        for command, codes in (("info", {3}), ("check", {1}), ("simulate", {3}), ("bench", {3}), ("view", {3})):
            code, out, err = run(command, tmp_path / name, "--json")
            assert code in codes and json.loads(out) and "Traceback" not in err and "\x1b" not in err, (command, err)
    for what in (tmp_path, "/dev/null", "", tmp_path / "none.urdf"):
        assert {run(command, what)[0] for command in ("info", "view")} == {3}, what
    # A file that is there is examined; one that cannot be read is not.
    assert run("check", "/dev/null")[0] == 1
    assert {run("check", what)[0] for what in (tmp_path / "none.urdf", tmp_path)} == {3}


def test_it_says_its_version_and_completes_values(run, tmp_path, capsys):
    with pytest.raises(SystemExit) as end:
        cli.main(["--version"])
    assert end.value.code == 0 and capsys.readouterr().out == f"diffsim {diffsim.__version__}\n"
    script = run("completion", "bash")[1]
    script += '\nCOMP_WORDS=(diffsim check a.urdf --contact c); COMP_CWORD=4; _diffsim; echo "${COMPREPLY[@]}"'
    done = subprocess.run(["bash", "-c", script], capture_output=True, text=True)
    assert done.stdout.strip() == "convex", done.stderr
    # Robots and recordings, and folders that may have some; any file for the output.
    for name in ("run.dsrec", "robot.urdf", "run.html", "rest.txt"):
        (tmp_path / name).touch()
    (tmp_path / "robots").mkdir()
    for words, found in (("check r", {"robot.urdf", "run.dsrec", "robots"}), ("convert a.urdf -o ru", {"run.dsrec", "run.html"})):
        asked = run("completion", "bash")[1] + f'\nCOMP_WORDS=(diffsim {words}); COMP_CWORD={len(words.split())}; _diffsim; echo "${{COMPREPLY[@]}}"'
        done = subprocess.run(["bash", "-c", asked], capture_output=True, text=True, cwd=tmp_path)
        assert set(done.stdout.split()) == found, (words, done.stdout, done.stderr)


def test_messages_name_the_file_and_the_reason(run, tmp_path):
    none = tmp_path / "none.dsrec"
    for command in (("convert", none, "-o", tmp_path / "a.npz"), ("view", none)):
        code, _, err = run(*command)
        assert code == 3 and f"{none}: cannot be read: No such file" in err and "[Errno" not in err, err
    (tmp_path / "folder.html").mkdir()
    code, _, err = run("view", QUADRUPED, "-o", tmp_path / "folder.html")
    assert code == 3 and "Is a directory" in err and "[Errno" not in err, err
    code, _, err = run("convert", QUADRUPED, "-o", tmp_path / "robot.npz")
    assert code == 3 and "a robot is converted to" in err, err


def test_simulate_says_how_it_ended(run, tmp_path):
    path = tmp_path / "ball.xml"
    path.write_text('<mujoco><worldbody><body pos="0 0 9"><freejoint/><geom size="0.1"/></body></worldbody></mujoco>')
    code, out, _ = run("simulate", path, "--seconds", "0.5")
    assert code == 0 and "centre of mass at 0 0" in out and "0 contacts at most" in out and "--ground" in out, out
    facts = json.loads(run("simulate", path, "--seconds", "0.5", "--json")[1])
    start = diffsim.Model.load(path).home()[2]
    assert facts["com"][2] == pytest.approx(start - 0.5 * 9.81 * 0.25, rel=1e-2) and facts["top_speed"] == pytest.approx(4.905)


def test_arrays_of_a_recording_have_its_contacts(run, tmp_path):
    record = tmp_path / "a.dsrec"
    assert run("simulate", QUADRUPED, "--seconds", "0.3", "--record", record)[0] == 0
    assert run("convert", record, "-o", tmp_path / "a.npz")[0] == 0
    code, out, _ = run("info", record)
    assert code == 0 and "recording of quadruped" in out and "13 moving bodies, nq 19" in out, out
    assert json.loads(run("info", record, "--json")[1])["frames"] == len(diffsim.Recording.read(record).frames)
    arrays, frames = np.load(tmp_path / "a.npz"), diffsim.Recording.read(record).frames
    start = arrays["contact_start"]
    assert start[-1] == sum(len(f.contacts) for f in frames) > 0
    np.testing.assert_array_equal(arrays["contact_impulse"][start[-2] : start[-1]], frames[-1].contacts["impulse"])


def test_a_live_view_without_websockets_says_what_to_install():
    script = "import sys; sys.modules['websockets'] = None; from diffsim import cli; sys.exit(cli.main(sys.argv[1:]))"
    done = subprocess.run([sys.executable, "-c", script, "view", "--live", str(QUADRUPED)], capture_output=True, text=True)
    assert done.returncode == 3 and 'pip install "websockets>=13"' in done.stderr and "Traceback" not in done.stderr, done.stderr


def test_names_from_files_are_escaped(run, tmp_path):
    """In a terminal, where they could be commands to it, and in a page, where they could be scripts."""
    path, page = tmp_path / "a.xml", tmp_path / "a.html"
    name = "&lt;/script&gt;&lt;script&gt;alert(1)&lt;/script&gt;&#x9b;2J&#x202e;&#10;x"
    path.write_text(f'<mujoco model="{name}"><worldbody><body name="{name}"><freejoint name="{name}"/><geom name="{name}" size="0.1"/></body></worldbody></mujoco>')
    code, out, _ = run("info", path)
    assert code == 0 and "\\x9b2J\\u202e\\nx" in out and "\x9b" not in out and "\u202e" not in out
    assert run("view", path, "--seconds", 0.01, "--title", "</title><script>", "-o", page)[0] == 0
    assert "<script>alert" not in page.read_text(encoding="utf-8") and "<title></title>" not in page.read_text(encoding="utf-8")


@pytest.mark.parametrize("buffered", [True, False])
def test_output_that_nobody_reads(buffered):
    """A closed pipe is no error to tell of, a full disk is; neither is a traceback."""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"}
    if not buffered:
        environment["PYTHONUNBUFFERED"] = "1"
    for arguments in (["info", QUADRUPED], ["info", QUADRUPED, "--json"], ["check", QUADRUPED, "--steps", "20"]):
        command = [sys.executable, "-m", "diffsim", *arguments]
        reader, writer = os.pipe()
        os.close(reader)
        done = subprocess.run(command, stdout=writer, stderr=subprocess.PIPE, text=True, env=environment)
        os.close(writer)
        assert done.returncode == 141 and done.stderr == "", done.stderr
        if os.path.exists("/dev/full"):
            with open("/dev/full", "w") as full:
                done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, env=environment)
            assert done.returncode == 3 and done.stderr.count("\n") == 1, done.stderr


def test_a_terminal_without_unicode_is_served():
    done = shell("info", QUADRUPED, env={**os.environ, "PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"})
    assert done.returncode == 0 and b"trunk" in done.stdout and max(done.stdout) < 128


def test_an_interrupt_ends_it(tmp_path):
    process = subprocess.Popen(
        [sys.executable, "-m", "diffsim", "simulate", QUADRUPED, "--seconds", "1e5", "--record", str(tmp_path / "a.dsrec")],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        # Shells start what runs in the background without the signal, and children inherit that.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )  # fmt: skip
    while not (tmp_path / "a.dsrec").exists() and process.poll() is None:
        time.sleep(0.01)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 130 and not out and not err
    # What was recorded until then can be read.
    assert len(diffsim.Recording.read(tmp_path / "a.dsrec").bodies) == 14


def test_json_has_no_infinities():
    from diffsim.cli import plain

    facts = plain({"a": [float("inf"), np.float64(1.5), np.int64(2), None, True, "x"], "b": {"c": float("nan")}})
    assert facts == {"a": [None, 1.5, 2, None, True, "x"], "b": {"c": None}}
