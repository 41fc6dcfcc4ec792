"""The program in Drake's virtual environment; prints JSON lines as the C programs do.

usage: drake_side.py clutter SCENE.json
       drake_side.py go1 ROBOT.urdf START.json
"""

import json
import pathlib
import sys
import time
import xml.etree.ElementTree as ET

import numpy as np
from pydrake.autodiffutils import AutoDiffXd, ExtractGradient, InitializeAutoDiff
from pydrake.geometry import AddContactMaterial, Box, HalfSpace, ProximityProperties, Sphere
from pydrake.math import RigidTransform, RotationMatrix
from pydrake.multibody.parsing import Parser
from pydrake.multibody.plant import AddMultibodyPlant, CoulombFriction, MultibodyPlantConfig
from pydrake.multibody.tree import RevoluteJoint, SpatialInertia
from pydrake.systems.analysis import Simulator
from pydrake.systems.framework import DiagramBuilder

# So stiff that it is as good as rigid, with the dissipation time of a step.
STIFFNESS = 1e12


def print_samples(what, seconds):
    us = np.array(seconds) * 1e6
    p10, median, p90 = np.percentile(us, [10, 50, 90])
    print(json.dumps({"what": what, "median_us": median, "p10_us": p10, "p90_us": p90, "n": len(us)}))


def sap_plant(time_step):
    builder = DiagramBuilder()
    config = MultibodyPlantConfig(time_step=time_step, discrete_contact_approximation="sap", contact_model="point",
                                  use_sampled_output_ports=False)
    plant, _ = AddMultibodyPlant(config, builder)
    return builder, plant


def rigid(friction, time_step):
    properties = ProximityProperties()
    AddContactMaterial(point_stiffness=STIFFNESS, friction=CoulombFriction(friction, friction), properties=properties)
    properties.AddProperty("material", "relaxation_time", time_step)
    return properties


def compliant(friction):
    """With Drake's own stiffness, which its solver likes better."""
    properties = ProximityProperties()
    AddContactMaterial(friction=CoulombFriction(friction, friction), properties=properties)
    return properties


def clutter(path):
    scene = json.loads(pathlib.Path(path).read_text())
    dt, r, density = scene["time_step"], scene["radius"], scene["density"]
    material = rigid(scene["friction"], dt)
    builder, plant = sap_plant(dt)
    for i, (centre, extents) in enumerate(scene["walls"]):
        shape = Box(*(2 * np.array(extents)))
        plant.RegisterCollisionGeometry(plant.world_body(), RigidTransform(centre), shape, f"wall{i}", material)
    poses = []
    for i, (kind, position, yaw) in enumerate(scene["bodies"]):
        sphere = kind == "sphere"
        mass = density * (4 / 3 * np.pi * r**3 if sphere else (2 * r) ** 3)
        inertia = (SpatialInertia.SolidSphereWithMass(mass, r) if sphere
                   else SpatialInertia.SolidBoxWithMass(mass, 2 * r, 2 * r, 2 * r))
        body = plant.AddRigidBody(f"body{i}", inertia)
        shape = Sphere(r) if sphere else Box(2 * r, 2 * r, 2 * r)
        plant.RegisterCollisionGeometry(body, RigidTransform(), shape, f"body{i}", material)
        poses.append((body, RigidTransform(RotationMatrix.MakeZRotation(yaw), position)))
    plant.Finalize()
    simulator = Simulator(builder.Build())
    context = plant.GetMyMutableContextFromRoot(simulator.get_mutable_context())
    for body, pose in poses:
        plant.SetFreeBodyPose(context, body, pose)
    simulator.Initialize()
    seconds, contacts, late = [], [], scene["steps"] - scene["steps"] // 4
    for k in range(scene["steps"]):
        start = time.thread_time()
        simulator.AdvanceTo((k + 1) * dt)
        seconds.append(time.thread_time() - start)
        if k >= late and k % 10 == 0:
            contacts.append(plant.get_contact_results_output_port().Eval(context).num_point_pair_contacts())
    if not np.isfinite(plant.GetPositionsAndVelocities(context)).all():
        sys.exit("Drake's run does not stay finite")
    print_samples("Drake step", seconds)
    print_samples("Drake step, last quarter", seconds[late:])
    print(json.dumps({"drake_run": {"contacts": float(np.mean(contacts))}}))


def go1_plant(urdf, start):
    """The robot with its feet only, on a half space: other shapes have no AutoDiffXd queries."""
    tree = ET.parse(urdf)
    for link in tree.getroot().iter("link"):
        for collision in link.findall("collision"):
            if collision.find("geometry/sphere") is None:
                link.remove(collision)
    dt = start["time_step"]
    builder, plant = sap_plant(dt)
    Parser(plant).AddModelsFromString(ET.tostring(tree.getroot(), encoding="unicode"), "urdf")
    ground = compliant(start["friction"])
    plant.RegisterCollisionGeometry(plant.world_body(), RigidTransform(), HalfSpace(), "floor", ground)
    for index in plant.GetJointIndices():
        joint = plant.get_joint(index)
        if isinstance(joint, RevoluteJoint):
            joint.set_default_damping(start["damping"])
    plant.Finalize()
    return builder.Build(), plant


def go1(urdf, start_path):
    start = json.loads(pathlib.Path(start_path).read_text())
    dt = start["time_step"]
    diagram, plant = go1_plant(urdf, start)
    simulator = Simulator(diagram)
    context = plant.GetMyMutableContextFromRoot(simulator.get_mutable_context())
    q0 = plant.GetPositions(context).copy()
    for index in plant.GetJointIndices():
        joint = plant.get_joint(index)
        if joint.name() in start["joints"]:
            q0[joint.position_start()] = start["joints"][joint.name()]
    x, y, z, *quaternion = start["base"]
    q0[:7] = [*quaternion, x, y, z]
    plant.SetPositions(context, q0)
    force = plant.get_applied_generalized_force_input_port()
    actuation = plant.get_actuation_input_port()
    actuation.FixValue(context, np.zeros(plant.num_actuators()))

    def servo():
        tau = np.zeros(plant.num_velocities())
        tau[6:] = start["stiffness"] * (q0[7:] - plant.GetPositions(context)[7:])
        return tau

    force.FixValue(context, servo())
    simulator.Initialize()
    seconds = []
    for k in range(400):
        force.FixValue(context, servo())
        begin = time.thread_time()
        simulator.AdvanceTo((k + 1) * dt)
        seconds.append(time.thread_time() - begin)
    state, tau = plant.GetPositionsAndVelocities(context).copy(), servo()
    contacts = plant.get_contact_results_output_port().Eval(context).num_point_pair_contacts()

    differentiable = diagram.ToAutoDiffXd()
    twin = differentiable.GetSubsystemByName(plant.get_name())
    root = differentiable.CreateDefaultContext()
    local = twin.GetMyMutableContextFromRoot(root)
    inputs = InitializeAutoDiff(np.concatenate([state, tau])).flatten()
    directions = len(inputs)
    gradients = []
    for _ in range(8):
        twin.get_actuation_input_port().FixValue(local, [AutoDiffXd(0)] * twin.num_actuators())
        twin.get_applied_generalized_force_input_port().FixValue(local, inputs[len(state):])
        twin.SetPositionsAndVelocities(local, inputs[: len(state)])
        begin = time.thread_time()
        following = twin.EvalUniquePeriodicDiscreteUpdate(local).get_vector(0).CopyToVector()
        gradients.append(time.thread_time() - begin)
    J = ExtractGradient(np.array(following).reshape(-1, 1))
    if J.shape != (len(state), directions) or not np.isfinite(J).all():
        sys.exit("Drake's Jacobian is not one")
    print_samples("Drake step", seconds)
    print_samples("Drake step and Jacobian", gradients)
    print(json.dumps({"drake_run": {"contacts": contacts, "directions": directions}}))


if __name__ == "__main__":
    {"clutter": clutter, "go1": go1}[sys.argv[1]](*sys.argv[2:])
