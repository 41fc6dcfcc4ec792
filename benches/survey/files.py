"""The robots of the survey: every URDF of example-robot-data, and the MJCF files of dm_control's suite, gymnasium and
robosuite's robots."""

import pathlib
import sysconfig
from dataclasses import dataclass

SITE = pathlib.Path(sysconfig.get_paths()["purelib"])
SHARE = SITE / "cmeel.prefix" / "share"
URDFS = SHARE / "example-robot-data" / "robots"
# Bolted to the world; every other URDF floats and gets a ground.
BOLTED = ("arm", "allegro", "baxter", "double_pendulum", "finger_edu", "kinova_description", "panda", "TwoDofs", "xarm", "ur3", "ur5", "ur10",
          "z1_description", "so_arm", "so100", "so101")


@dataclass(frozen=True)
class File:
    name: str
    path: pathlib.Path
    floating: bool

    def arguments(self):
        """Of survey and of gradients: the file, its base, whether it gets a ground, where its meshes are."""
        return [self.path, "free" if self.floating else "file", "1" if self.floating else "0", SHARE]


def _bolted(path):
    if path.name == "talos_left_arm.urdf":
        return True
    if "flying_arm" in path.name:
        return False
    place = str(path.relative_to(URDFS))
    return any(place.startswith(word) or path.stem.startswith(word) for word in BOLTED)


def all_files():
    files = [File(f"{p.relative_to(URDFS).parts[0].removesuffix('_description')}/{p.stem}", p, not _bolted(p)) for p in sorted(URDFS.rglob("*.urdf"))]
    suites = {
        "dm_control": sorted((SITE / "dm_control" / "suite").glob("*.xml")),
        "gymnasium": [p for p in sorted((SITE / "gymnasium" / "envs" / "mujoco" / "assets").glob("*.xml")) if not p.stem.endswith("_v5")],
        "robosuite": sorted((SITE / "robosuite" / "models" / "assets" / "robots").glob("*/robot.xml")),
    }
    for suite, paths in suites.items():
        for p in paths:
            files.append(File(f"{suite}/{p.parent.name if suite == 'robosuite' else p.stem}", p, False))
    return files
