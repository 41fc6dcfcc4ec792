#!/usr/bin/env python3
"""Writes THIRD-PARTY.txt: the crates that the libraries carry, with the texts of their licences, which ask to go along.

usage: scripts/third_party.py [--check]

Of Cargo.lock, for Linux on x86-64; cargo has the sources. --check compares and changes nothing.
"""

import json
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
OUTPUT = ROOT / "THIRD-PARTY.txt"
HEAD = """diffsim is licensed as Apache-2.0 or MIT, as you choose. Its libraries carry Rust's standard library
(Apache-2.0 or MIT, https://github.com/rust-lang/rust) and the crates below, under these licences. The page
that shows recordings carries three.js, whose licence stands in it. Made by scripts/third_party.py.
"""


def cargo(*arguments):
    target = "x86_64-unknown-linux-gnu"
    platform = ["--target", target] if arguments[0] == "tree" else ["--filter-platform", target]
    command = ["cargo", *arguments, "--locked", *platform]
    return subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout


def carried():
    """The packages that are linked in: not those of tests, of macros or of the build, nor of features that are off."""
    tree = cargo("tree", "--edges=normal,no-proc-macro", "--prefix=none", "--format={p}")
    wanted = {tuple(line.split()[:2]) for line in tree.splitlines()}
    packages = json.loads(cargo("metadata", "--format-version=1"))["packages"]
    found = [p for p in packages if (p["name"], f"v{p['version']}") in wanted and p["name"] != "diffsim"]
    return sorted(found, key=lambda p: (p["name"], p["version"]))


def texts(package):
    folder = pathlib.Path(package["manifest_path"]).parent
    names = sorted(p for p in folder.iterdir() if p.name.upper().startswith(("LICENSE", "LICENCE", "COPYING", "COPYRIGHT", "NOTICE", "UNLICENSE")))
    return [(p.name, p.read_text(encoding="utf-8", errors="replace").strip()) for p in names if p.is_file()]


def main():
    packages = carried()
    # Most have the same text of Apache-2.0: each text stands once, under all who have it.
    owners = {}
    lines = [HEAD]
    for p in packages:
        lines.append(f"{p['name']} {p['version']}: {p['license']}{', ' + p['repository'] if p['repository'] else ''}")
        for name, text in texts(p):
            key = "\n".join(line.rstrip() for line in text.replace("\r\n", "\n").split("\n"))
            owners.setdefault(key, []).append(f"{p['name']}: {name}")
    for text, who in owners.items():
        lines += ["", "=" * 100, *who, "-" * 100, text]
    made = "\n".join(lines) + "\n"
    if "--check" in sys.argv[1:]:
        if not OUTPUT.is_file() or OUTPUT.read_text(encoding="utf-8") != made:
            sys.exit("THIRD-PARTY.txt is not what Cargo.lock says: run scripts/third_party.py")
        return
    OUTPUT.write_text(made, encoding="utf-8")
    print(f"{OUTPUT.name}: {len(packages)} crates, {len(owners)} texts")


main()
