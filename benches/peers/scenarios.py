"""The robots of the benchmark as MJCF files that every engine here reads, and their controls.

A URDF becomes an MJCF file by MuJoCo: visuals and collision meshes that are not there or not STL are
dropped, joints get damping and rotor inertia, motors or position servos, and collision is with the
floor only, with friction 0.8. A run starts one centimetre above the floor, and its controls are
noise around the start's servo targets, or noise on the motors, from a fixed seed.
"""

import shutil
import sys
import xml.etree.ElementTree as ET
from dataclasses import dataclass, field

import mujoco
import numpy as np

from robots import GYMNASIUM, MESHES, URDF, Robot

# Left to itself MuJoCo also writes each warning to MUJOCO_LOG.TXT in the working directory.
mujoco.set_mju_user_warning(lambda text: print(f"MuJoCo: {text}", file=sys.stderr))

STEPS = 2000
TIME_STEP = 1e-3
START_HEIGHT = 0.01
FRICTION = [0.8, 0.005, 0.0001]


@dataclass(frozen=True)
class Scenario:
    robot: Robot
    stiffness: float = 0.0  # of a position servo; 0: motors
    damping: float = 0.0
    armature: float = 0.0
    # Joint coordinate at the start, by a part of the joint's name.
    pose: dict = field(default_factory=dict)

    @property
    def name(self):
        return self.robot.name


_urdf = {robot.name: robot for robot in URDF}
_crouched = {"hip_pitch": -0.4, "knee": 0.8, "ankle": -0.4}
SCENARIOS = [
    Scenario(Robot("half_cheetah", GYMNASIUM / "half_cheetah.xml")),
    Scenario(Robot("humanoid", GYMNASIUM / "humanoid.xml")),
    Scenario(_urdf["ur5"]),
    Scenario(_urdf["go1"], stiffness=40, damping=1, armature=0.01, pose={"thigh": 0.9, "calf": -1.8}),
    Scenario(_urdf["h1"], stiffness=200, damping=5, armature=0.01, pose=_crouched),
    Scenario(_urdf["atlas"], stiffness=1000, damping=5, armature=0.01),
]
BY_NAME = {s.name: s for s in SCENARIOS}


def _find_mesh(name, urdf):
    """The file of a URDF's mesh, or None."""
    _, _, path = name.rpartition("package://")
    for folder in (urdf.parent, *MESHES):
        if (folder / path).is_file():
            return folder / path
    return None


def _write_urdf(robot, folder):
    """The URDF as MuJoCo, Drake and Nimble read it, its meshes beside it."""
    tree = ET.parse(robot.path)
    root = tree.getroot()
    for tag in ("gazebo", "transmission", "sensor", "mujoco"):
        for element in root.findall(tag):
            root.remove(element)
    meshes = {}
    for link in root.iter("link"):
        for visual in link.findall("visual"):
            link.remove(visual)
        for collision in link.findall("collision"):
            mesh = collision.find("geometry/mesh")
            if mesh is None:
                continue
            source = _find_mesh(mesh.get("filename"), robot.path)
            if source is None or source.suffix.lower() != ".stl":
                link.remove(collision)
                continue
            # Numbered: MuJoCo takes a mesh's name from its file, and two folders may use one name.
            target = meshes.setdefault(source, f"{len(meshes)}_{source.stem}.stl")
            shutil.copy(source, folder / target)
            mesh.set("filename", target)
        # The rank-deficient inertia of a dummy link is refused by MuJoCo.
        inertial = link.find("inertial")
        if inertial is not None and float(inertial.find("mass").get("value")) <= 1e-5:
            for product in ("ixy", "ixz", "iyz"):
                inertial.find("inertia").set(product, "0")
    path = folder / f"{robot.name}.urdf"
    tree.write(path)
    return path


def _write_mjcf(scenario, urdf):
    root = ET.parse(urdf).getroot()
    compiler = {"meshdir": str(urdf.parent), "strippath": "false", "fusestatic": "true", "balanceinertia": "true",
                "discardvisual": "true"}
    ET.SubElement(ET.SubElement(root, "mujoco"), "compiler", compiler)
    spec = mujoco.MjSpec.from_string(ET.tostring(root, encoding="unicode"))
    for geom in spec.geoms:
        geom.contype, geom.conaffinity, geom.condim, geom.friction = 1, 0, 3, FRICTION
    if scenario.robot.free:
        spec.worldbody.first_body().add_freejoint()
        spec.worldbody.add_geom(name="floor", type=mujoco.mjtGeom.mjGEOM_PLANE, size=[10, 10, 0.1], contype=0,
                                conaffinity=1, condim=3, friction=FRICTION)
    for joint in spec.joints:
        if joint.type == mujoco.mjtJoint.mjJNT_FREE:
            continue
        joint.damping, joint.armature, joint.frictionloss = [scenario.damping, 0, 0], scenario.armature, 0
        actuator = spec.add_actuator(name=joint.name, target=joint.name, trntype=mujoco.mjtTrn.mjTRN_JOINT)
        if scenario.stiffness:
            actuator.set_to_position(kp=scenario.stiffness)
        else:
            actuator.set_to_motor()
    spec.option.timestep = TIME_STEP
    spec.compile()
    path = urdf.with_suffix(".xml")
    path.write_text(spec.to_xml())
    return path


def _start(scenario, model):
    """MuJoCo's qpos at the start."""
    data = mujoco.MjData(model)
    for j in range(model.njnt):
        for part, value in scenario.pose.items():
            if part in model.joint(j).name:
                data.qpos[model.jnt_qposadr[j]] = value
    if scenario.robot.free:
        mujoco.mj_forward(model, data)
        floor = model.geom("floor").id
        gaps = [mujoco.mj_geomDistance(model, data, floor, g, 10.0, None) for g in range(model.ngeom) if g != floor]
        data.qpos[2] += START_HEIGHT - min(gaps)
    return data.qpos.copy()


def _controls(model, start, noise):
    """steps × nu."""
    middle, scale = np.zeros(model.nu), np.zeros(model.nu)
    for i in range(model.nu):
        if model.actuator_biastype[i] == mujoco.mjtBias.mjBIAS_AFFINE:
            middle[i], scale[i] = start[model.jnt_qposadr[model.actuator_trnid[i, 0]]], 0.05
        else:
            limited = model.actuator_ctrllimited[i]
            scale[i] = 0.2 * model.actuator_ctrlrange[i, 1] if limited else 2.0
    return middle + noise * scale * np.random.default_rng(1).uniform(-1, 1, (STEPS, model.nu))


def write_scenario(path, time_step, qpos, controls):
    """The input of bench.h: qpos in MuJoCo's order, controls steps × nu."""
    sizes = np.array([len(qpos), controls.shape[1], len(controls)], dtype=np.int64)
    numbers = np.concatenate([[time_step], qpos, controls.ravel()])
    path.write_bytes(sizes.tobytes() + numbers.tobytes())


@dataclass(frozen=True)
class Prepared:
    name: str
    folder: object
    model: object  # mujoco.MjModel
    mjcf: object
    qpos: object
    run: object  # files of write_scenario: with noise
    start: object  # the first quarter of that
    stand: object  # without noise
    urdf: object  # None for a robot that comes as MJCF


def prepare(scenario, build):
    """Writes the model and its run into a folder of their own."""
    folder = build / scenario.name
    folder.mkdir(parents=True, exist_ok=True)
    urdf = None
    if scenario.robot.path.suffix == ".urdf":
        urdf = _write_urdf(scenario.robot, folder)
        mjcf = _write_mjcf(scenario, urdf)
    else:
        mjcf = scenario.robot.path
    model = mujoco.MjModel.from_xml_path(str(mjcf))
    qpos = _start(scenario, model)
    run, start, stand = folder / "run.bin", folder / "start.bin", folder / "stand.bin"
    controls = _controls(model, qpos, 1.0)
    write_scenario(run, TIME_STEP, qpos, controls)
    write_scenario(start, TIME_STEP, qpos, controls[: STEPS // 4])
    write_scenario(stand, TIME_STEP, qpos, _controls(model, qpos, 0.0))
    return Prepared(scenario.name, folder, model, mjcf, qpos, run, start, stand, urdf)
