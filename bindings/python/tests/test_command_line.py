"""What the command line says about arguments that it does not take, and about what it wrote."""

import json
import pathlib

import pytest

import diffsim
from diffsim import cli

MODELS = pathlib.Path(__file__).resolve().parents[3] / "examples" / "models"
ARM = str(MODELS / "arm7.urdf")


@pytest.fixture
def run(capsys):
    """The exit code, also of errors in single arguments, and the output."""

    def call(*arguments):
        try:
            code = cli.main([str(a) for a in arguments])
        except SystemExit as end:
            code = end.code
        out, err = capsys.readouterr()
        return code, out, err

    return call


@pytest.fixture
def refused(run):
    """The error of wrong arguments: a line after a line of usage."""

    def call(*arguments):
        code, out, err = run(*arguments)
        lines = err.splitlines()
        assert code == 2 and not out and len(lines) == 2 and lines[0].startswith("usage: diffsim"), (code, out, err)
        return lines

    return call


def test_a_run_of_no_step_is_refused(run, refused, tmp_path):
    path = tmp_path / "a.dsrec"
    usage, error = refused("simulate", ARM, "--time-step", 10, "--seconds", 2, "-o", path)
    assert usage.startswith("usage: diffsim simulate [OPTIONS] ROBOT")
    assert "--seconds 2" in error and "--time-step 10" in error and not path.exists()
    refused("view", ARM, "--seconds", 1e-9, "-o", tmp_path / "a.html")
    code, out, _ = run("simulate", ARM, "--time-step", 10, "--seconds", 2, "--json")
    assert code == 2 and "--time-step" in json.loads(out)["error"]
    # A page of one picture has none.
    assert run("view", ARM, "--seconds", 0, "-o", tmp_path / "a.html")[0] == 0


@pytest.mark.parametrize(
    "command, name, endings",
    [
        (("simulate", ARM, "--record"), "arm.html", (".dsrec", "diffsim view")),
        (("simulate", ARM, "-o"), "arm.npz", (".dsrec",)),
        (("simulate", ARM, "-o"), "arm.txt", (".dsrec",)),
        (("view", ARM, "-o"), "arm.txt", (".html",)),
        (("convert", ARM, "-o"), "q.xyz", cli.PAGES + cli.ROBOTS),
        (("convert", ARM, "-o"), "q", cli.PAGES + cli.ROBOTS),
    ],
)
def test_names_of_output_with_other_endings_are_refused(refused, tmp_path, command, name, endings):
    _, error = refused(*command, tmp_path / name)
    assert all(ending in error for ending in endings) and name in error and not (tmp_path / name).exists()


def test_endings_in_capitals_are_taken(run, tmp_path):
    assert run("simulate", ARM, "--seconds", 0.01, "-o", tmp_path / "A.DSREC")[0] == 0
    for name in ("A.NPZ", "A.GLB", "A.HTML"):
        assert run("convert", tmp_path / "A.DSREC", "-o", tmp_path / name)[0] == 0
    assert {p.name for p in tmp_path.iterdir()} == {"A.DSREC", "A.NPZ", "A.GLB", "A.HTML"}


@pytest.mark.parametrize(
    "arguments, meant",
    [
        (("simulate", ARM, "--ground_plane"), "--ground-plane"),
        (("simulate", ARM, "--ground_plane=1"), "--ground-plane"),
        (("check", ARM, "--exclude_overlapping"), "--exclude-overlapping"),
        (("check", ARM, "--timestep", "0.1"), "--time-step"),
        (("simulate", ARM, "--dt", "0.1"), "--time-step"),
        (("simulate", ARM, "--recrod", "a.dsrec"), "--record"),
        (("view", ARM, "--floating-base"), "--base free"),
        (("check", ARM, "--base", "floating"), "free"),
        (("check", ARM, "--base", "DS_BASE_FIXED"), "fixed"),
        (("check", ARM, "--contact", "Convx"), "convex"),
        (("simulat", ARM), "simulate"),
    ],
)
def test_what_was_meant_is_suggested(refused, arguments, meant):
    usage, error = refused(*arguments)
    assert error.endswith(f"did you mean {meant}?"), error
    if arguments[0] != "simulat":
        assert usage.startswith(f"usage: diffsim {arguments[0]} "), usage


def test_errors_have_a_line_of_usage(refused):
    for arguments, words in (
        (["check"], "ROBOT"),
        (["convert", ARM], "-o/--output"),
        ([], "COMMAND"),
        (["simulate", ARM, "--seconds", "-1"], "above 0"),
        (["view", ARM, "--seconds", "-1"], "0 or more"),
        (["view", ARM, "--seconds", "nan"], "0 or more"),
        (["check", ARM, "--xyzzy"], "unknown option --xyzzy"),
        (["check", ARM, "b.urdf"], "unexpected argument b.urdf"),
        (["view", "--live", ARM, ARM], "--live"),
    ):
        error = refused(*arguments)[1]
        assert words in error and "did you mean" not in error, error


def test_files_of_another_kind_are_named_as_the_command_does(run, tmp_path):
    none = tmp_path / "none.html"
    for command, name, both in (
        (("info", none), "ROBOT|RECORDING", True),
        (("convert", none, "-o", tmp_path / "a.glb"), None, True),
        (("convert", none, "-o", tmp_path / "a.xml"), "RECORDING|ROBOT", True),
        (("simulate", none), "ROBOT", False),
        (("bench", none), "ROBOT", False),
        (("check", none), "ROBOT", False),
    ):
        code, _, err = run(*command)
        assert code == 3 and "path:" not in err and "none.html" in err, err
        if name:
            assert f" {name}: expected" in err and "no such file" in err and (".dsrec" in err) == both, err
    record = tmp_path / "a.dsrec"
    assert run("simulate", ARM, "--seconds", 0.01, "-o", record)[0] == 0
    code, _, err = run("simulate", record)
    assert code == 3 and "(a recording; `diffsim info`" in err, err
    (tmp_path / "a.txt").write_text("no robot")
    code, out, _ = run("check", tmp_path / "a.txt")
    assert code == 1 and "ROBOT: expected a robot .urdf" in out, out


def test_help_says_the_defaults(run):
    for command, words in (
        ("simulate", ("ROBOT a file .urdf, .xml or .mjcf", "how long it falls, default 1", "frames a second, default 60", "ground-plane")),
        ("check", ("default 300",)),
        ("bench", ("default 1000",)),
        ("view", ("default 0", "a recording .dsrec", "in the current folder")),
        ("convert", (".glb, .npz, .html, .xml, .mjcf, .urdf",)),
    ):
        code, out, _ = run(command, "--help")
        text = " ".join(out.split())
        assert code == 0 and all(w in text for w in words), text


def test_labels_are_those_after_a_derivative_was_asked_for(run):
    """Base and first link of this arm touch at a gap of 0 in each step, which changes no derivative."""
    code, out, _ = run("check", ARM, "--steps", 50, "--json")
    facts = json.loads(out)
    assert code == 0 and facts["overlaps"] == [] and facts["steps"]["one_sided"] == 0 and facts["steps"]["labelled"] == 50
    assert not any("overlap" in f["cure"] for f in facts["findings"])
    assert "0 one-sided\n" in run("check", ARM, "--steps", 50)[1]


def test_overlapping_pairs_are_to_be_excluded_where_that_is_possible(run, tmp_path):
    """Geoms of one robot are excluded, and those of two are not."""
    folded, two = tmp_path / "folded.xml", tmp_path / "two.xml"
    folded.write_text("""<mujoco><worldbody><body><joint type="hinge" axis="0 1 0"/><geom name="a" size="0.1"/>
      <body><joint type="hinge" axis="0 1 0"/><geom size="0.01" pos="0 0 1"/>
      <body pos="0 0 1"><joint type="hinge" axis="1 0 0"/><geom name="b" size="0.1" pos="0 0 -0.85"/></body></body></body></worldbody></mujoco>""")
    two.write_text("""<mujoco><worldbody><body><freejoint/><geom name="a" size="0.1"/></body>
      <body pos="0.15 0 0"><freejoint/><geom name="b" size="0.1"/></body></worldbody></mujoco>""")

    def advised(*arguments):
        facts = json.loads(run(*arguments, "--json")[1])
        pairs = [pair[:2] for pair in facts["overlaps"]]
        return pairs, any("--exclude-overlapping" in f["cure"] for f in facts["findings"])

    for command in (("info",), ("check", "--steps", 20)):
        assert advised(*command, folded) == ([["a", "b"]], True)
        assert advised(*command, folded, "--exclude-overlapping") == ([], False)
        assert advised(*command, two) == ([["a", "b"]], False)


def test_labels_are_asked_for_as_long_as_there_is_time():
    from diffsim import examine

    model = diffsim.Model.load(ARM)
    counts = examine.run(model, diffsim.Sim(model), 50, seconds=1e-9, labels=True)[1]
    assert counts["labelled"] == 1
    counts = examine.run(model, diffsim.Sim(model), 50)[1]
    assert counts["labelled"] == 0 and counts["one_sided"] == 50


def test_view_prints_where_its_page_is(run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    code, out, _ = run("view", ARM)
    assert code == 0 and out.startswith("arm7.html: ") and "open it in a browser" in out and (tmp_path / "arm7.html").is_file()
