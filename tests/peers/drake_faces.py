"""Runs in Drake's virtual environment: one body after the other on the ground, by SAP over hydroelastic faces.

Reads a list of cases as JSON, prints for each the heights of the body after the steps.
"""

import json
import sys

from pydrake.math import RigidTransform
from pydrake.multibody.parsing import Parser
from pydrake.multibody.plant import AddMultibodyPlant, MultibodyPlantConfig
from pydrake.systems.analysis import Simulator
from pydrake.systems.framework import DiagramBuilder


def heights(case):
    builder = DiagramBuilder()
    config = MultibodyPlantConfig(
        time_step=case["time_step"], discrete_contact_approximation="sap", contact_model="hydroelastic"
    )
    plant, _ = AddMultibodyPlant(config, builder)
    Parser(plant).AddModelsFromString(case["urdf"], "urdf")
    plant.Finalize()
    simulator = Simulator(builder.Build())
    root = simulator.get_mutable_context()
    context, body = plant.GetMyMutableContextFromRoot(root), plant.GetBodyByName("body")
    plant.SetFreeBodyPose(context, body, RigidTransform([0.0, 0.0, case["height"]]))
    simulator.Initialize()
    found = []
    for k in range(case["steps"]):
        simulator.AdvanceTo((k + 1) * case["time_step"])
        found.append(plant.EvalBodyPoseInWorld(context, body).translation()[2])
    return found


print(json.dumps([heights(case) for case in json.load(sys.stdin)]))
