"""Queries without a step beside Pinocchio's: ten robots of example-robot-data, the same states for
both, times in one run."""

import xml.etree.ElementTree as ET
from dataclasses import dataclass

import numpy as np
import pinocchio as pin

import pinocchio_model
from common import BUILD, Best, ds, run_json, say
from robots import ROBOT_DATA
from smooth import SAME, STATES, write_states
from states import random_state
from tables import Bounds, table

# Ours, and Pinocchio's that does the same.
PAIRS = {
    "ds_forward_kinematics": "forwardKinematics(q), updateFramePlacement of all",
    "ds_body_velocities": "forwardKinematics(q, v), getFrameVelocity of all",
    "ds_body_accelerations": "forwardKinematics(q, v, a), getFrameAcceleration of all",
    "ds_body_jacobians": "computeJointJacobians, getFrameJacobian of all",
    "ds_frame_jacobian": "computeJointJacobians, getJointJacobian of one",
    "ds_frame_jacobian_rate": "computeJointJacobiansTimeVariation",
    "ds_frame_velocity": "getJointVelocityDerivatives",
    "ds_frame_acceleration": "getJointAccelerationDerivatives",
    "ds_gravity_forces": "computeGeneralizedGravity",
    "ds_gravity_forces, derivative": "computeGeneralizedGravityDerivatives",
    "ds_bias_forces": "nonLinearEffects",
    "ds_coriolis_matrix": "computeCoriolisMatrix",
    "ds_mass_matrix_inverse": "computeMinverse",
    "ds_inverse_dynamics_regressor": "computeJointTorqueRegressor",
    "ds_center_of_mass": "jacobianCenterOfMass",
    "ds_center_of_mass_motion": "centerOfMass(q, v, a)",
    "ds_centroidal_momentum": "computeCentroidalMomentumTimeVariation",
    "ds_centroidal_map": "computeCentroidalMap",
    "ds_centroidal_derivatives": "computeCentroidalDynamicsDerivatives",
}
# Where not the usual: iCub's mass matrix is nearly singular, and its inverse has as many digits fewer.
ALIKE = {"ds_mass_matrix_inverse": 1e-4}


@dataclass(frozen=True)
class Robot:
    file: str
    free: bool = False

    @property
    def name(self):
        return self.file.rpartition("/")[2].removesuffix(".urdf")


ROBOTS = [
    Robot("ur_description/urdf/ur5_robot.urdf"),
    Robot("panda_description/urdf/panda.urdf"),
    Robot("allegro_hand_description/urdf/allegro_right_hand.urdf"),
    Robot("tiago_description/robots/tiago.urdf"),
    Robot("solo_description/robots/solo12.urdf", free=True),
    Robot("anymal_b_simple_description/robots/anymal.urdf", free=True),
    Robot("go1_description/urdf/go1.urdf", free=True),
    Robot("icub_description/robots/icub.urdf", free=True),
    Robot("g1_description/urdf/g1_29dof_rev_1_0.urdf", free=True),
    Robot("talos_data/robots/talos_full_v2.urdf", free=True),
]


def without_ends(robot):
    """Takes links off a file that are fixed to another and carry none: Pinocchio has no bodies for them, of which a regressor is told."""
    while True:
        parents = {joint.find("parent").get("link") for joint in robot.findall("joint")}
        fixed = [j for j in robot.findall("joint") if j.get("type") == "fixed" and j.find("child").get("link") not in parents]
        if not fixed:
            return
        ends = {joint.find("child").get("link") for joint in fixed}
        for element in fixed + [link for link in robot.findall("link") if link.get("name") in ends]:
            robot.remove(element)


def prepare(robot):
    """The folder with the robot's file without geometry, followers and fixed ends, as both read it, and random states; its nv, and the
    joint whose frame is asked about: the one with the most joints above it."""
    folder = BUILD / "questions" / robot.name
    folder.mkdir(parents=True, exist_ok=True)
    tree = ET.parse(ROBOT_DATA / robot.file)
    for element in list(tree.iter()):
        for child in list(element):
            if child.tag in ("visual", "collision", "mimic", "transmission", "gazebo"):
                element.remove(child)
    without_ends(tree.getroot())
    path = folder / "robot.urdf"
    tree.write(path)
    ours = ds.Model(path, base=ds.lib.DS_BASE_FREE if robot.free else ds.lib.DS_BASE_FIXED)
    theirs = pinocchio_model.from_urdf(path, robot.free)
    match, rng = pinocchio_model.Match(ours, theirs), np.random.default_rng(7)
    mine, peer = [], []
    for _ in range(STATES):
        q, v, a = random_state(ours, rng)
        mine.append((q, v, a, a))
        peer.append((match.q(q), match.v(v), match.v(a), match.v(a)))
    theirs.saveToText(str(folder / "pinocchio.txt"))
    write_states(folder / "states_ours.txt", mine)
    write_states(folder / "states_pinocchio.txt", peer)
    deepest = max(range(1, theirs.njoints), key=lambda j: len(theirs.supports[j]))
    return folder, ours.nv, theirs.names[deepest]


def measure(rounds, passes):
    """{robot: (nv, Best)}; the engines take turns, robot by robot, round by round."""
    prepared = {robot: prepare(robot) for robot in ROBOTS}
    best = {robot.name: (prepared[robot][1], Best()) for robot in ROBOTS}
    for round_ in range(rounds):
        say(f"questions, round {round_ + 1} of {rounds}")
        for robot, (folder, _, joint) in prepared.items():
            b = best[robot.name][1]
            text, states = folder / "pinocchio.txt", folder / "states_pinocchio.txt"
            b.add(run_json(BUILD / "pinocchio_questions", text, joint, states, passes))
            base = "free" if robot.free else "fixed"
            b.add(run_json(BUILD / "ours_questions", folder / "robot.urdf", base, joint, folder / "states_ours.txt", passes))
    return best


def markdown(best, bounds: Bounds):
    rows = []
    for ours, peer in PAIRS.items():
        cells, ratios = [], []
        for name, (_, b) in best.items():
            difference = abs(b.last[ours]["norm"] / b.last[peer]["norm"] - 1)
            if not difference < ALIKE.get(ours, SAME):
                raise SystemExit(f"{name}: {ours} and {peer} differ: norms {difference:.1e} apart")
            ratios.append(b[ours] / b[peer])
            cells.append(f"{ratios[-1]:.2f}")
        rows.append([ours, peer, bounds.at_most(max(ratios), 1.0), *cells])
    return [
        "### Questions without a step",
        "",
        "Our time over Pinocchio's, header-only and compiled for this machine; the same states, and outputs of the same norm. Files without",
        "geometry, followers and links that are fixed at an end.",
        "",
        *table(["ours", "Pinocchio's", "largest", *(f"{name} ({nv})" for name, (nv, _) in best.items())], rows),
    ]
