"""Virtual environments of the peers whose requirements do not go with the others'."""

import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]

DRAKE = ("drake", ["drake==1.51.1"])
# Without its dependencies: PyTorch, which its bindings do not need, is some gigabytes.
NIMBLE = ("nimble", ["--no-deps", "nimblephysics==0.10.52", "numpy==1.26.4"])


def _say(text):
    print(text, file=sys.stderr, flush=True)


def interpreter(peer):
    """Its Python, installed on first use; None, said aloud, where it cannot be."""
    name, arguments = peer
    venv = ROOT / "target" / "venvs" / name
    python, stamp, wanted = venv / "bin" / "python", venv / "installed", " ".join(arguments)
    if stamp.exists() and stamp.read_text() == wanted:
        return python
    _say(f"installing {wanted}")
    pip = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *arguments]
    for command in ([sys.executable, "-m", "venv", "--clear", str(venv)], pip):
        run = subprocess.run(command, capture_output=True, text=True)
        if run.returncode:
            reason = (run.stderr or run.stdout).strip().splitlines()[-1:]
            _say(f"{name} skipped: {' '.join(reason)}")
            return None
    stamp.write_text(wanted)
    return python
