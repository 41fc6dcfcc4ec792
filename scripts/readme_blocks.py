"""Runs the fenced code blocks of a README, in order, from the top of the repository.

usage: readme_blocks.py README.md

Blocks marked sh and python are run as written; one marked c, cpp or cmake must be the text of a file
beside the README. HOME is an empty folder, and the Python is the one that runs this.
"""

import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[1]
FILES = {"c": "*.c", "cpp": "*.cpp", "cmake": "CMakeLists.txt"}


def environment(home):
    env = {**os.environ, "HOME": home, "PATH": f"{pathlib.Path(sys.executable).parent}:{os.environ['PATH']}"}
    # Rust lives in the home of whoever installed it.
    env.setdefault("CARGO_HOME", str(pathlib.Path.home() / ".cargo"))
    env.setdefault("RUSTUP_HOME", str(pathlib.Path.home() / ".rustup"))
    return env


def run(language, text, readme, env):
    if language == "sh":
        return subprocess.run(["sh", "-euc", text], cwd=ROOT, env=env).returncode == 0
    if language == "python":
        return subprocess.run([sys.executable, "-c", text], cwd=ROOT, env=env).returncode == 0
    return any(text in f.read_text() for f in readme.parent.rglob(FILES[language]))


def main():
    readme = pathlib.Path(sys.argv[1]).resolve()
    blocks = re.findall(r"^```(\w+)\n(.*?)^```$", readme.read_text(), flags=re.M | re.S)
    failed = 0
    with tempfile.TemporaryDirectory() as home:
        for language, text in blocks:
            if not run(language, text, readme, environment(home)):
                failed += 1
                print(f"FAILED: {readme.name}, {language}:\n{text}", flush=True)
    failed += not blocks
    print(f"{len(blocks) - failed} passed, {failed} failed")
    sys.exit(bool(failed))


if __name__ == "__main__":
    main()
