"""Runs in Drake's virtual environment: one ball after the other on the ground, by SAP, lagged or similar, with point contact.

Reads a list of cases as JSON, prints the list of their trajectories: position, velocity and angular velocity in the
world after each step.
"""

import json
import sys

import numpy as np
from pydrake.geometry import AddContactMaterial, HalfSpace, ProximityProperties, Sphere
from pydrake.math import RigidTransform
from pydrake.multibody.math import SpatialVelocity
from pydrake.multibody.plant import AddMultibodyPlant, CoulombFriction, MultibodyPlantConfig
from pydrake.multibody.tree import SpatialInertia
from pydrake.systems.analysis import Simulator
from pydrake.systems.framework import DiagramBuilder


def material(case, geom):
    own = case["friction"][geom]
    properties, friction = ProximityProperties(), CoulombFriction(own, own)
    AddContactMaterial(point_stiffness=case["stiffness"][geom], friction=friction, properties=properties)
    properties.AddProperty("material", "relaxation_time", case["dissipation"][geom])
    properties.AddProperty("material", "hunt_crossley_dissipation", 0.0)
    return properties


def trajectory(case):
    h = case["time_step"]
    builder = DiagramBuilder()
    law = case["approximation"]
    config = MultibodyPlantConfig(time_step=h, discrete_contact_approximation=law, contact_model="point")
    plant, _ = AddMultibodyPlant(config, builder)
    plant.RegisterCollisionGeometry(plant.world_body(), RigidTransform(), HalfSpace(), "ground", material(case, 0))
    ball = plant.AddRigidBody("ball", SpatialInertia.SolidSphereWithMass(case["mass"], case["radius"]))
    plant.RegisterCollisionGeometry(ball, RigidTransform(), Sphere(case["radius"]), "ball", material(case, 1))
    plant.Finalize()
    simulator = Simulator(builder.Build())
    context = plant.GetMyMutableContextFromRoot(simulator.get_mutable_context())
    plant.SetFreeBodyPose(context, ball, RigidTransform(case["position"]))
    plant.SetFreeBodySpatialVelocity(ball, SpatialVelocity(np.zeros(3), np.array(case["velocity"])), context)
    simulator.Initialize()
    states = []
    for k in range(case["steps"]):
        simulator.AdvanceTo((k + 1) * h)
        velocity = plant.EvalBodySpatialVelocityInWorld(context, ball)
        position = plant.EvalBodyPoseInWorld(context, ball).translation()
        states.append([*position, *velocity.translational(), *velocity.rotational()])
    return states


print(json.dumps([trajectory(case) for case in json.load(sys.stdin)]))
