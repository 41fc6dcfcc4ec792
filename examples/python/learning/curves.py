"""Draws learning curves of several seeds: the median return against steps of environments and against seconds.

    python examples/python/learning/curves.py curves.svg SHAC shac_1.json shac_2.json PPO ppo_1.json ppo_2.json

The files are those of --out of shac.py and ppo.py. Each name is followed by its files. With `--least -300` first, lower
returns are drawn as -300.
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
    words, least = sys.argv[1:], -np.inf
    if words[0] == "--least":
        least, words = float(words[1]), words[2:]
    known, panels = groups(words[1:]), []
    for column, title in enumerate(("median return by steps", "median return by seconds")):
        x = np.linspace(0.0, max(curve[-1, column] for curves in known.values() for curve in curves), 240)
        panels.append((title, x, {name: np.maximum(median(curves, column, x), least) for name, curves in known.items()}))
    svg.lines(pathlib.Path(words[0]), panels)
    for name, curves in known.items():
        last = sorted(curve[-1, 2] for curve in curves)
        print(f"{name}: {len(last)} seeds, return at the end {last[0]:.1f} to {last[-1]:.1f}, median {np.median(last):.1f}")
