"""Where meshes are looked for, and what is said when they are lost."""

import json

import pytest

import diffsim
from diffsim import cli

OBJ = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n"


def robot(*files):
    shapes = "".join(f"<collision><geometry><mesh filename='{f}'/></geometry></collision>" for f in files)
    return f"<robot name='r'><link name='a'>{shapes}</link></robot>"


@pytest.fixture
def workspace(tmp_path, monkeypatch):
    for variable in ("ROS_PACKAGE_PATH", "AMENT_PREFIX_PATH"):
        monkeypatch.delenv(variable, raising=False)
    for package in ("src/repository/arm_description", "install/share/hand_description"):
        folder = tmp_path / package
        (folder / "meshes").mkdir(parents=True)
        (folder / "package.xml").write_text("<package/>")
        (folder / "meshes" / "part.obj").write_text(OBJ)
    (tmp_path / "elsewhere").mkdir()
    return tmp_path


@pytest.mark.parametrize("slashes", ["//", "///"])
def test_packages_are_found_by_the_environment(workspace, monkeypatch, slashes):
    path = workspace / "elsewhere" / "r.urdf"
    path.write_text(robot(f"package:{slashes}arm_description/meshes/part.obj", f"package:{slashes}hand_description/meshes/part.obj"))
    with pytest.raises(diffsim.FileError, match="2 meshes cannot be used"):
        diffsim.Model.load(path)
    monkeypatch.setenv("ROS_PACKAGE_PATH", f"{workspace / 'nothing'}:{workspace / 'src'}")
    with pytest.raises(diffsim.FileError, match="hand_description"):
        diffsim.Model.load(path)
    monkeypatch.setenv("AMENT_PREFIX_PATH", str(workspace / "install"))
    assert diffsim.Model.load(path).ngeom == 2
    assert diffsim.Model.from_string(path.read_text(), "urdf").ngeom == 2


def test_relative_paths_are_absolute_ones(workspace, monkeypatch):
    folder = workspace / "src/repository/arm_description"
    (folder / "urdf").mkdir()
    (folder / "urdf/r.urdf").write_text(robot("package://arm_description/meshes/part.obj"))
    for here, path in [("urdf", "r.urdf"), ("urdf", "../urdf/r.urdf"), (".", "urdf/r.urdf")]:
        monkeypatch.chdir(folder / here)
        assert diffsim.Model.load(path).ngeom == 1


def test_check_says_loudly_that_geometry_is_lost(workspace, capsys):
    path = workspace / "elsewhere" / "r.urdf"
    path.write_text(robot(*(f"package://gone/meshes/{k}.obj" for k in range(5))))
    assert cli.main(["check", str(path)]) == 1
    text = capsys.readouterr().out
    assert "5 of its collision geometries are LOST, NO GEOMETRY IS LEFT" in text and "--mesh-dir" in text
    assert text.count("package://gone") == 1
    assert cli.main(["info", "--json", str(path)]) == 0
    found = json.loads(capsys.readouterr().out)["findings"]
    assert [f["level"] for f in found if "LOST" in f["what"]] == ["error"]
    assert cli.main(["view", str(path), "-o", str(workspace / "page.html")]) == 0
    assert "LOST" in capsys.readouterr().err
