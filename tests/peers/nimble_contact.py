"""Runs in Nimble's virtual environment: one body on the floor after the other, one step each, by its boxed contact.

Reads a list of cases as JSON, prints the list of what each came to: angular and linear velocity of the body in the axes that it had before, and
the number of contacts.
"""

import json
import sys

import nimblephysics_libs._nimblephysics as nimble
import numpy as np

FLOOR = 0.5


def pose(position):
    return nimble.math.Isometry3(np.eye(3), np.array(position, dtype=float))


def add_shape(body, shape, case, restitution, at=(0.0, 0.0, 0.0)):
    node = body.createShapeNode(shape)
    node.setRelativeTransform(pose(at))
    node.createCollisionAspect()
    body.setFrictionCoeff(case["friction"])
    body.setRestitutionCoeff(restitution)


def outcome(case):
    world = nimble.simulation.World()
    world.setGravity(np.array([0.0, 0.0, -9.81]))
    world.setTimeStep(case["time_step"])
    floor, skeleton = nimble.dynamics.Skeleton(), nimble.dynamics.Skeleton()
    _, ground = floor.createWeldJointAndBodyNodePair()
    add_shape(ground, nimble.dynamics.BoxShape(np.array([20.0, 20.0, 2 * FLOOR])), case, 1.0, [0.0, 0.0, -FLOOR])
    _, body = skeleton.createFreeJointAndBodyNodePair()
    size = case["size"]
    is_ball = len(size) == 1
    shape = nimble.dynamics.SphereShape(size[0]) if is_ball else nimble.dynamics.BoxShape(2 * np.array(size))
    add_shape(body, shape, case, case["restitution"])
    body.setMass(case["mass"])
    body.setMomentOfInertia(*case["inertia"], 0.0, 0.0, 0.0)
    world.addSkeleton(floor)
    world.addSkeleton(skeleton)
    world.setPositions(np.array([0.0, 0.0, 0.0, 0.0, 0.0, case["height"]]))
    world.setVelocities(np.array([*case["spin"], *case["velocity"]]))
    world.step()
    return [list(world.getVelocities()), world.getLastCollisionResult().getNumContacts()]


print(json.dumps([outcome(case) for case in json.load(sys.stdin)]))
