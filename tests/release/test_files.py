"""What stands in several places is the same everywhere, and the files of the project's site are what their readers take."""

import json
import pathlib
import re

import pytest
import yaml

ROOT = pathlib.Path(__file__).resolve().parents[2]
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))


def text(path):
    return (ROOT / path).read_text(encoding="utf-8")


def one(pattern, path):
    found = re.findall(pattern, text(path), flags=re.M)
    assert len(found) == 1, f"{path}: {found}"
    return found[0]


VERSION = re.findall(r'^version = "(.*)"', text("Cargo.toml"), flags=re.M)[0]


def test_the_version_is_the_same_everywhere():
    assert re.fullmatch(r"\d+\.\d+\.\d+", VERSION)
    assert one(r'^version = "(.*)"', "bindings/julia/Project.toml") == VERSION
    for path in ("cbindgen.toml", "include/diffsim.h"):
        assert one(r'^#define DS_VERSION_STRING "(.*)"', path) == VERSION
        assert ".".join(one(rf"^#define DS_VERSION_{part} (\d+)", path) for part in ("MAJOR", "MINOR", "PATCH")) == VERSION
    assert re.search(rf'name = "diffsim"\nversion = "{re.escape(VERSION)}"', text("Cargo.lock"))
    # These take it from Cargo.toml.
    assert "file(STRINGS Cargo.toml version " in text("CMakeLists.txt")
    assert 'dynamic = ["version"]' in text("bindings/python/pyproject.toml") and "Cargo.toml" in text("bindings/python/setup.py")
    # The viewer is part of this and has none.
    assert "version" not in json.loads(text("viewer/package.json"))
    series = ".".join(VERSION.split(".")[:2])
    assert series in text("SECURITY.md") and f"find_package(diffsim {series})" in text("docs/embedding.md")
    assert f"libdiffsim.so.{VERSION}.debug" in text("docs/embedding.md")


def test_the_name_of_the_binary_interface_is_the_same_everywhere():
    number = one(r"-soname,libdiffsim\.so\.(\d+)", "build.rs")
    assert number == (VERSION.split(".")[0])
    assert one(r"^set\(soname libdiffsim\.so\.(\d+)\)", "CMakeLists.txt") == number
    assert one(r'^const libdiffsim = "libdiffsim\.so\.(\d+)"', "bindings/julia/src/LibDiffSim.jl") == number
    assert one(r"^DS_ABI_VERSION (\d+)", "ctests/abi.txt") == one(r"^#define DS_ABI_VERSION (\d+)", "include/diffsim.h")


def test_the_changelog_has_the_form_that_it_names():
    headings = re.findall(r"^## \[(.+?)\](?: - (\S+))?$", text("CHANGELOG.md"), flags=re.M)
    assert headings[0] == ("Unreleased", "")
    for version, day in headings[1:]:
        assert re.fullmatch(r"\d+\.\d+\.\d+", version) and re.fullmatch(r"\d{4}-\d{2}-\d{2}", day), (version, day)
    kinds = set(re.findall(r"^### (.+)$", text("CHANGELOG.md"), flags=re.M))
    assert kinds <= {"Added", "Changed", "Deprecated", "Removed", "Fixed", "Security", "Known limits"}


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda p: p.name)
def test_workflows_pin_actions_and_call_what_there_is(path):
    content = yaml.safe_load(path.read_text())
    # YAML 1.1 takes the word "on" for true.
    assert set(content) <= {"name", True, "permissions", "concurrency", "jobs"} and content["permissions"] == {"contents": "read"}
    for name, job in content["jobs"].items():
        if "uses" in job:
            assert (ROOT / job["uses"]).is_file(), name
            continue
        assert job["runs-on"] and job["steps"], name
        assert {job["needs"]} <= set(content["jobs"]) if "needs" in job else True
        for step in job["steps"]:
            assert ("uses" in step) != ("run" in step), step
            if "uses" in step:
                assert re.fullmatch(r"actions/[\w-]+@v\d+\.\d+\.\d+", step["uses"]), step["uses"]
            for script in re.findall(r"(?:^|[\s&])((?:scripts/|\./)[\w./]+)", step.get("run", "")):
                assert (ROOT / script).is_file(), script


def test_issue_forms_have_what_the_site_asks_for():
    forms = sorted((ROOT / ".github" / "ISSUE_TEMPLATE").glob("*.yml"))
    assert {f.stem for f in forms} == {"bug", "config", "feature", "gradient"}
    for form in forms:
        content = yaml.safe_load(form.read_text())
        if form.stem == "config":
            continue
        assert content["name"] and content["description"]
        fields = [x for x in content["body"] if x["type"] != "markdown"]
        assert all(x["type"] in ("textarea", "input") and x["attributes"]["label"] for x in fields)
        ids = [x["id"] for x in fields]
        assert len(ids) == len(set(ids)) and any(x.get("validations", {}).get("required") for x in fields)
