"""Lists the robots of packages for the corpus, one a line: name, path, base, ground, folder of meshes.

usage: python3 benches/corpus/files.py [--survey] > LIST; cargo bench --bench corpus -- --list LIST

Installs the packages of requirements.txt, without what they depend on, below target/corpus on first use.
--survey adds the robots of benches/survey; run it with the Python of target/venvs/survey then.
"""

import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
PACKAGES = ROOT / "target" / "corpus"


def install():
    wanted = HERE / "requirements.txt"
    done = PACKAGES / "requirements.txt"
    if done.exists() and done.read_text() == wanted.read_text():
        return
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps", "--upgrade"]
    subprocess.run([*pip, "--target", str(PACKAGES), "--requirement", str(wanted)], check=True)
    done.write_text(wanted.read_text())


def is_model(path):
    """Parts that other files include have no bodies of their own, and meshes no joints."""
    text = path.read_text(errors="replace")
    return "<robot" in text or ("<mujoco" in text and ("<body" in text or "<include" in text))


def lines():
    for path in sorted(PACKAGES.rglob("*")):
        if path.suffix in (".urdf", ".xml") and is_model(path):
            parts = path.relative_to(PACKAGES).parts
            name = "/".join(parts[-3:] if len(parts) > 2 else parts)
            yield name, path, "file", "0", path.parent
    if "--survey" in sys.argv:
        sys.path.insert(0, str(HERE.parent / "survey"))
        from files import all_files

        for file in all_files():
            path, base, ground, share = file.arguments()
            yield f"survey/{file.name}", path, base, ground, share


install()
for line in lines():
    print("\t".join(str(part) for part in line))
