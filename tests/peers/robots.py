"""Where the compared robots are, and which of them."""

import os
import pathlib
import sysconfig
from dataclasses import dataclass

SITE = pathlib.Path(sysconfig.get_paths()["purelib"])
ROBOT_DATA = SITE / "cmeel.prefix" / "share" / "example-robot-data" / "robots"
# Where package://example-robot-data is.
MESHES = [ROBOT_DATA.parent.parent]
GYMNASIUM = SITE / "gymnasium" / "envs" / "mujoco" / "assets"
OWN = pathlib.Path(__file__).resolve().parents[2] / "examples" / "models"
# Robots that no package brings; without the variable they are skipped.
EXTRA = os.environ.get("DIFFSIM_ROBOTS")


@dataclass(frozen=True)
class Robot:
    name: str
    path: pathlib.Path
    free: bool = False
    # Joints that follow others move on their own, as Pinocchio has it.
    mimic: bool = False
    # Collision meshes that are open take part as their hulls.
    shells: bool = False
    # One that is not there is skipped, not failed.
    optional: bool = False
    # Names the directory of one that no package brings.
    variable: str = "DIFFSIM_ROBOTS"
    # Random states that are compared.
    states: int = 10
    # How far its dynamics may be from MuJoCo's.
    allowed: float = 1e-10

    def load_options(self, lib):
        """How our library is to read the file."""
        if self.path.suffix != ".urdf":
            return {}
        options = {"base": lib.DS_BASE_FREE if self.free else lib.DS_BASE_FIXED, "mesh_dirs": MESHES}
        if self.mimic:
            options["mimic"] = lib.DS_MIMIC_INDEPENDENT
        if self.shells:
            options["open_mesh"] = lib.DS_OPEN_MESH_HULL
        return options

    @property
    def missing(self):
        """Why the file cannot be had, or None."""
        if self.path.exists():
            return None
        if self.optional:
            return f"needs {self.variable}, a directory with " + "/".join(self.path.parts[-2:])
        return f"there is no {self.path}"


_extra = pathlib.Path(EXTRA or "DIFFSIM_ROBOTS")
URDF = [
    Robot("ur5", ROBOT_DATA / "ur_description" / "urdf" / "ur5_robot.urdf"),
    Robot("ur10", ROBOT_DATA / "ur_description" / "urdf" / "ur10_robot.urdf"),
    Robot("go1", ROBOT_DATA / "go1_description" / "urdf" / "go1.urdf", free=True),
    Robot("a1", ROBOT_DATA / "a1_description" / "urdf" / "a1.urdf", free=True),
    Robot("icub", ROBOT_DATA / "icub_description" / "robots" / "icub.urdf", free=True, shells=True),
    Robot("tiago", ROBOT_DATA / "tiago_description" / "robots" / "tiago.urdf", mimic=True, shells=True),
    Robot("allegro", ROBOT_DATA / "allegro_hand_description" / "urdf" / "allegro_right_hand.urdf"),
    *(Robot("own_" + path.stem, path) for path in sorted(OWN.glob("*.urdf"))),
    Robot("h1", _extra / "h1" / "h1.urdf", free=True, optional=not EXTRA),
    Robot("atlas", _extra / "atlas_v4" / "atlas_v4_with_multisense.urdf", free=True, optional=not EXTRA),
]
MJCF = [
    Robot(name, GYMNASIUM / f"{name}.xml")
    for name in (
        "half_cheetah", "humanoid", "walker2d", "swimmer", "reacher", "pusher", "ant", "hopper",
        "inverted_pendulum", "inverted_double_pendulum", "humanoidstandup",
    )
] + [Robot("own_" + path.stem, path) for path in sorted(OWN.glob("*.xml"))]

# Springs, tendons, gravity compensation, fluids, limits of ball joints, actuators with a state, and sensors:
# written for this comparison.
MODELS = pathlib.Path(__file__).resolve().parent / "models"
PASSIVE = [
    Robot(name, MODELS / f"{name}.xml", states=100)
    for name in ("passive", "tendons", "fluid", "balls", "muscles", "sensors", "sites", "bounds")
]
# Those of dm_control's suite that load: its files are used where they lie.
SUITE_DIRECTORY = os.environ.get("DIFFSIM_SUITE")
SUITE = [
    Robot(
        "suite_" + name,
        pathlib.Path(SUITE_DIRECTORY or "DIFFSIM_SUITE") / f"{name}.xml",
        optional=not SUITE_DIRECTORY,
        variable="DIFFSIM_SUITE",
        states=100,
        allowed=1e-9,
    )
    for name in (
        "acrobot", "ball_in_cup", "cartpole", "cheetah", "finger", "fish", "hopper", "humanoid", "humanoid_CMU", "manipulator",
        "pendulum", "point_mass", "reacher", "stacker", "swimmer", "walker",
    )
]
