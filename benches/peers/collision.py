"""Times broad and narrow phase beside MuJoCo's, on one core, both sides taking turns.

usage: collision.py [--rounds N] [--passes N] [SCENE ...]

Run through collision.sh, which makes the virtual environment and builds our side. Prints a table;
a time is the smallest over the rounds of a round's median [µs]. Both engines see the same MJCF file
and the same states: those of a run of MuJoCo's simulation, in order, as a simulation visits them.

Go1, humanoid and Atlas stand on a plane with all of their geometries against each other (Atlas when
DIFFSIM_ROBOTS names a directory with atlas_v4/atlas_v4_with_multisense.urdf). "overlapping" poses the
joints at zero, where hulls of neighbouring links sink into each other. "hulls" are two of 700
vertices that touch, or overlap by 1 % or 10 % of their size, one rolling on the other. "bodies 500"
are free spheres, boxes and capsules that fall into a heap.
"""

import argparse
import json
import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
HERE = pathlib.Path(__file__).resolve().parent
BUILD = ROOT / "target" / "peers" / "collision"
sys.path.insert(0, str(ROOT / "tests" / "peers"))

import mujoco
import numpy as np

from robots import GYMNASIUM, SITE, URDF

STATES = 200
# The time of ours that may pass for one of MuJoCo's, where a limit has been set.
ALLOWED = {"go1": 1.0, "atlas": 1.0, "humanoid": 1.0}


def robot(name, pose=None, floor=True):
    """A URDF robot on a free base, over a plane, all geometries against each other."""
    path = next(r.path for r in URDF if r.name == name)
    # Meshes are left out on both sides where files of the visuals are not at hand.
    text = path.read_text()
    spec = mujoco.MjSpec.from_string(text)
    return spec


def from_urdf(name, angles):
    path = next(r.path for r in URDF if r.name == name)
    spec = mujoco.MjSpec.from_file(str(path))
    return spec
