"""What scripts/release.sh has made in RELEASE holds what it should and no more, and the wheel serves who has no Rust."""

import hashlib
import os
import pathlib
import platform
import re
import subprocess
import sys
import tarfile
import zipfile

import pytest
import yaml
from elftools.elf.elffile import ELFFile

ROOT = pathlib.Path(__file__).resolve().parents[2]
MADE = pathlib.Path(os.environ["RELEASE"])
VERSION = re.findall(r'^version = "(.*)"', (ROOT / "Cargo.toml").read_text(), flags=re.M)[0]


def only(pattern):
    (path,) = MADE.glob(pattern)
    return path


def names(path, inside):
    with tarfile.open(path) as archive:
        assert all(m.name == inside or m.name.startswith(inside + "/") for m in archive)
        return {m.name[len(inside) + 1 :] for m in archive if not m.isdir()}


def tracked(*paths):
    """What git has, or would take."""
    listed = subprocess.run(["git", "ls-files", "--cached", "--others", "--exclude-standard", "--", *paths], cwd=ROOT, capture_output=True, text=True)
    if listed.returncode:
        pytest.skip("this is no git checkout")
    return {n for n in listed.stdout.split() if (ROOT / n).exists()}


def sections(file):
    return {s.name: s for s in ELFFile(file).iter_sections()}


CRATE = {
    "Cargo.toml", "Cargo.toml.orig", "Cargo.lock", "build.rs", ".cargo/config.toml", "cbindgen.toml", "examples/models/arm7.urdf",
    "include/diffsim.h", "include/diffsim_control.h", "include/diffsim_ik.h", "include/diffsim_record.h", "include/diffsim_save.h",
    "include/diffsim_visuals.h",
    "README.md", "CHANGELOG.md", "LICENSE-APACHE", "LICENSE-MIT", "THIRD-PARTY.txt",
    "bindings/cpp/diffsim.hpp", "bindings/cpp/diffsim_act.hpp", "bindings/cpp/diffsim_model.hpp", "bindings/cpp/diffsim_questions.hpp", "bindings/cpp/diffsim_view.hpp",
    "bindings/cpp/diffsim_recorder.hpp", "bindings/cpp/diffsim_control.hpp",
    "bindings/cpp/diffsim_ik.hpp",
    "bindings/cpp/diffsim_problem.hpp",
}  # fmt: skip


def test_the_crate_holds_the_sources_and_no_more():
    path = only("*.crate")
    held = names(path, f"diffsim-{VERSION}") - {".cargo_vcs_info.json"}
    assert {n for n in held if not n.startswith("src/")} == CRATE
    assert {n for n in held if n.startswith("src/")} == tracked("src")
    assert path.stat().st_size < 1_800_000


def test_the_source_package_holds_the_crate():
    held = names(only(f"diffsim_core-{VERSION}.tar.gz"), f"diffsim_core-{VERSION}")
    assert {n[6:] for n in held if n.startswith("crate/")} - {".cargo_vcs_info.json"} == names(only("*.crate"), f"diffsim-{VERSION}") - {".cargo_vcs_info.json"}
    assert {n for n in held if n.startswith("src/diffsim/")} == {n[16:] for n in tracked("bindings/python/src")}
    assert {"setup.py", "pyproject.toml", "LICENSE-APACHE", "LICENSE-MIT", "THIRD-PARTY.txt"} <= held
    with tarfile.open(only(f"diffsim_core-{VERSION}.tar.gz")) as archive:
        # With that of the repository cargo would look for tests that are not there.
        manifest = archive.extractfile(f"diffsim_core-{VERSION}/crate/Cargo.toml").read().decode()
    assert "[[bench]]" not in manifest and "[[test]]" not in manifest


def test_the_wheel_says_what_it_needs_and_carries_no_symbols():
    wheel = only("*.whl")
    assert re.fullmatch(rf"diffsim_core-{re.escape(VERSION)}-py3-none-(manylinux\w*\.)?manylinux_2_\d+_{platform.machine()}\.whl", wheel.name), wheel.name
    minor = int(re.search(r"manylinux_2_(\d+)_", wheel.name)[1])
    with zipfile.ZipFile(wheel) as archive:
        held = {n for n in archive.namelist() if not n.endswith("/")}
        info = f"diffsim_core-{VERSION}.dist-info"
        assert f"Version: {VERSION}\n" in archive.read(f"{info}/METADATA").decode()
        assert {f"{info}/licenses/{n}" for n in ("LICENSE-APACHE", "LICENSE-MIT", "THIRD-PARTY.txt")} <= held
        python = {f"diffsim/{pathlib.Path(n).name}" for n in tracked("bindings/python/src")}
        assert {n for n in held if n.startswith("diffsim/")} == python | {"diffsim/libdiffsim.so", "diffsim/_declarations.py"}
        with archive.open("diffsim/libdiffsim.so") as file:
            found = sections(file)
            assert ".symtab" not in found and not any(n.startswith(".debug") for n in found)
            assert {".gnu_debuglink", ".note.gnu.build-id"} <= set(found)
            versions = [v.name for _, all_of in found[".gnu.version_r"].iter_versions() for v in all_of]
            needed = [int(v.split(".")[1]) for v in versions if v.startswith("GLIBC_2.")]
            assert needed and max(needed) <= minor, (wheel.name, versions)


def test_the_archive_is_an_installation():
    path = only("*-linux-*.tar.gz")
    inside = path.name.removesuffix(".tar.gz")
    held = names(path, inside)
    library = {n for n in held if re.fullmatch(r"lib\w*(/[\w-]+)?/libdiffsim\.\S+", n)}
    ends = {n.rsplit("/", 1)[1] for n in library}
    assert ends == {"libdiffsim.a", "libdiffsim.so", "libdiffsim.so.0", f"libdiffsim.so.{VERSION}", f"libdiffsim.so.{VERSION}.debug"}
    for end in ("include/diffsim.h", "include/diffsim_record.h", "pkgconfig/diffsim.pc", "diffsimConfig.cmake", "diffsimConfigVersion.cmake", "THIRD-PARTY.txt", "CHANGELOG.md"):
        assert any(n.endswith(end) for n in held), end
    with tarfile.open(path) as archive:
        sizes = {m.name.rsplit("/", 1)[1]: m.size for m in archive if "libdiffsim" in m.name}
        assert all(m.uid == m.gid == 0 and not m.uname for m in archive)
    # What Rust's linker alone could use is gone: it was six times the rest.
    assert sizes["libdiffsim.a"] < 6 * sizes[f"libdiffsim.so.{VERSION}"] < 6 * 9_500_000


def test_the_sums_are_those_of_the_files():
    lines = (MADE / "SHA256SUMS").read_text().splitlines()
    assert {line.split()[1] for line in lines} == {p.name for p in MADE.iterdir()} - {"SHA256SUMS"} and len(lines) == 5
    for line in lines:
        digest, name = line.split()
        assert hashlib.sha256((MADE / name).read_bytes()).hexdigest() == digest, name


def test_the_recipe_asks_for_the_source_package_and_what_it_needs():
    recipe = yaml.safe_load((MADE / "recipe.yaml").read_text())
    source = only(f"diffsim_core-{VERSION}.tar.gz")
    assert recipe["context"]["version"] == VERSION and recipe["source"]["url"].rsplit("/", 1)[1] == source.name.replace(VERSION, "${{ version }}")
    assert recipe["source"]["sha256"] == hashlib.sha256(source.read_bytes()).hexdigest()
    with tarfile.open(source) as archive:
        needs = archive.extractfile(f"diffsim_core-{VERSION}/pyproject.toml").read().decode()
    listed = lambda key: re.findall(r'"([^"]*)"', re.search(rf"^{key} = \[(.*?)\]", needs, flags=re.M | re.S)[1])
    plain = lambda names: {n.replace(" ", "") for n in names}
    assert plain(recipe["requirements"]["run"]) == plain(listed("dependencies")) | {"python" + re.search(r'requires-python = "(.*)"', needs)[1]}
    assert plain(listed("requires")) <= plain(recipe["requirements"]["host"])


def test_the_licences_of_others_go_along():
    subprocess.run([sys.executable, ROOT / "scripts" / "third_party.py", "--check"], check=True)


def test_the_wheel_serves_who_has_no_rust(tmp_path):
    done = subprocess.run([sys.executable, ROOT / "scripts" / "try_wheel.py", only("*.whl"), tmp_path / "try"], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    assert f"version {VERSION}" in done.stdout
