"""Draws learning curves of several seeds: the median return against steps of environments and against seconds.

    python examples/python/learning/curves.py curves.svg SHAC shac_1.json shac_2.json PPO ppo_1.json ppo_2.json

The files are those of --out of shac.py and ppo.py. Each name is followed by its files.
"""

import json
import pathlib
import sys

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import svg  # noqa: E402


def groups(words):
    """The curves of each name: arrays of (steps, seconds, return)."""
    found = {}
    for word in words:
        if word.endswith(".json"):
            found[next(reversed(found))].append(np.array(json.loads(pathlib.Path(word).read_text())))
        else:
            found[word] = []
    return {name: curves for name, curves in found.items() if curves}


def median(curves, column, x):
    """The median return at x; the last one beyond the end of a run."""
    return np.median([np.interp(x, curve[:, column], curve[:, 2]) for curve in curves], axis=0)


if __name__ == "__main__":
    known, panels = groups(sys.argv[2:]), []
    for column, title in enumerate(("median return by steps", "median return by seconds")):
        x = np.linspace(0.0, max(curve[-1, column] for curves in known.values() for curve in curves), 400)
        panels.append((title, x, {name: median(curves, column, x) for name, curves in known.items()}))
    svg.lines(pathlib.Path(sys.argv[1]), panels)
    for name, curves in known.items():
        last = sorted(curve[-1, 2] for curve in curves)
        print(f"{name}: {len(last)} seeds, return at the end {last[0]:.1f} to {last[-1]:.1f}, median {np.median(last):.1f}")
