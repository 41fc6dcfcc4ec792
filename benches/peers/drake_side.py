"""The program in Drake's virtual environment; prints JSON lines as the C programs do.

usage: drake_side.py clutter SCENE.json
       drake_side.py go1 ROBOT.urdf START.json
       drake_side.py grip SCENE.json LAW
"""

import json
import pathlib
import sys
import time
import xml.etree.ElementTree as ET

import numpy as np
from pydrake.autodiffutils import AutoDiffXd, ExtractGradient, InitializeAutoDiff
from pydrake.geometry import (
    AddCompliantHydroelasticProperties, AddContactMaterial, AddRigidHydroelasticProperties, Box, CollisionFilterDeclaration,
    Ellipsoid, GeometrySet, HalfSpace, ProximityProperties, Sphere,
)
from pydrake.math import RigidTransform, RotationMatrix
from pydrake.multibody.parsing import Parser
from pydrake.multibody.plant import AddMultibodyPlant, CoulombFriction, MultibodyPlantConfig
from pydrake.multibody.tree import FixedOffsetFrame, PrismaticJoint, RevoluteJoint, SpatialInertia, UnitInertia
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


def _inertia(ten):
    mass, x, y, z, xx, xy, yy, xz, yz, zz = ten
    return SpatialInertia(mass, np.array([x, y, z]) / mass, UnitInertia(*(np.array([xx, yy, zz, xy, xz, yz]) / mass)))


def _material(fields):
    properties, mu = ProximityProperties(), fields.get("friction", [1.0])[0]
    AddContactMaterial(friction=CoulombFriction(mu, mu), properties=properties)
    properties.AddProperty("material", "relaxation_time", fields.get("dissipation", 0.0))
    kind = fields.get("hydroelastic", "none")
    if kind == "rigid":
        AddRigidHydroelasticProperties(fields["resolution"], properties)
    elif kind == "compliant":
        AddCompliantHydroelasticProperties(fields["resolution"], fields["modulus"], properties)
    return properties


def _shape(fields):
    size = np.array(fields.get("size", [0, 0, 0]))
    shapes = {"box": lambda: Box(*(2 * size)), "ellipsoid": lambda: Ellipsoid(*size), "sphere": lambda: Sphere(size[0]),
              "plane": HalfSpace}
    return shapes[fields["kind"]]()


def grip(path, law):
    """A scene of the calls of our builder, see grips.py. Bodies on free joints keep the poses of their placements."""
    scene = json.loads(pathlib.Path(path).read_text())
    dt = scene["time_step"]
    builder = DiagramBuilder()
    config = MultibodyPlantConfig(time_step=dt, discrete_contact_approximation=law,
                                  contact_model="hydroelastic_with_fallback", use_sampled_output_ports=False)
    plant, graph = AddMultibodyPlant(config, builder)
    bodies, places, free, joints, geoms = {0: plant.world_body()}, {}, [], [], []
    for name, args, fields, out in scene["calls"]:
        pose = RigidTransform(np.array(fields.get("placement", np.eye(4))))
        if name == "add_body":
            bodies[out] = plant.AddRigidBody(fields["name"], _inertia(fields["inertia"]))
            places[out] = (args[0], pose)
        elif name == "add_joint":
            body, kind = args
            parent, place = places[body]
            if kind == "free":
                free.append((bodies[body], place))
                continue
            Joint = {"prismatic": PrismaticJoint, "revolute": RevoluteJoint}[kind]
            frame = plant.AddFrame(FixedOffsetFrame(f"{fields['name']}_frame", bodies[parent].body_frame(), place))
            joint = plant.AddJoint(Joint(fields["name"], frame, bodies[body].body_frame(), fields["axis"],
                                         damping=fields.get("damping", 0.0)))
            actuator = plant.AddJointActuator(fields["name"], joint)
            actuator.set_default_rotor_inertia(fields.get("armature", 0.0))
            joints.append(joint)
        else:
            shape, material = _shape(fields), _material(fields)
            geom = plant.RegisterCollisionGeometry(bodies[args[0]], pose, shape, f"geom{len(geoms)}", material)
            geoms.append((geom, fields.get("contype", 1), fields.get("conaffinity", 1)))
    plant.Finalize()
    for k, (geom, kind, affinity) in enumerate(geoms):
        apart = [g for g, t, a in geoms[:k] if not (t & affinity or kind & a)]
        no_pairs = CollisionFilterDeclaration().ExcludeBetween(GeometrySet(geom), GeometrySet(apart))
        graph.collision_filter_manager().Apply(no_pairs)
    simulator = Simulator(builder.Build())
    context = plant.GetMyMutableContextFromRoot(simulator.get_mutable_context())
    for body, pose in free:
        plant.SetFreeBodyPose(context, body, pose)
    at, last = [j.position_start() for j in joints], free[-1][0]
    dofs = [j.velocity_start() for j in joints]
    port, tau = plant.get_applied_generalized_force_input_port(), np.zeros(plant.num_velocities())
    port.FixValue(context, tau)
    simulator.Initialize()
    seconds, faces = [], []
    for k, (goal, feed) in enumerate(zip(scene["goals"], scene["feed"])):
        q, v = plant.GetPositions(context)[at], plant.GetVelocities(context)[dofs]
        tau[dofs] = feed + np.multiply(scene["stiffness"], goal - q) - np.multiply(scene["damping"], v)
        port.FixValue(context, tau)
        start = time.thread_time()
        simulator.AdvanceTo((k + 1) * dt)
        seconds.append(time.thread_time() - start)
        if (k + 1) % 10 == 0:
            results = plant.get_contact_results_output_port().Eval(context)
            surfaces = [results.hydroelastic_contact_info(i) for i in range(results.num_hydroelastic_contacts())]
            count = sum(x.contact_surface().num_faces() for x in surfaces)
            faces.append([count, results.num_point_pair_contacts()])
    if not np.isfinite(plant.GetPositionsAndVelocities(context)).all():
        sys.exit("Drake's run does not stay finite")
    count, points = np.mean(faces, axis=0)
    place = plant.EvalBodyPoseInWorld(context, last).translation().tolist()
    print(json.dumps({"what": "mean step", "median_us": 1e6 * float(np.mean(seconds))}))
    print(json.dumps({"run": {"faces": count, "points": points, "last": place}}))


if __name__ == "__main__":
    {"clutter": clutter, "go1": go1, "grip": grip}[sys.argv[1]](*sys.argv[2:])
