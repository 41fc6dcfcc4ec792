"""The program in Nimble's virtual environment; prints JSON lines as the C programs do.

usage: nimble_side.py ROBOT.json

ROBOT.json describes a robot on a floor as gradients.py writes it. The bindings are imported without
the package around them, which would ask for PyTorch.
"""

import json
import pathlib
import sys
import time

import nimblephysics_libs._nimblephysics as nimble
import numpy as np

STEPS, SETTLING = 300, 200
# A body between two joints of one body; without mass the mass matrix would be singular.
DUMMY_MASS = 1e-3


def pose(position, rotation=np.eye(3)):
    return nimble.math.Isometry3(np.array(rotation, dtype=float), np.array(position, dtype=float))


def shape(geom):
    size = geom["size"]
    if geom["kind"] == "box":
        return nimble.dynamics.BoxShape(2 * np.array(size))
    if geom["kind"] == "capsule":
        return nimble.dynamics.CapsuleShape(size[0], 2 * size[1])
    return nimble.dynamics.SphereShape(size[0])


def add_geoms(body, geoms, friction):
    for geom in geoms:
        node = body.createShapeNode(shape(geom))
        node.setRelativeTransform(pose(geom["position"], geom["rotation"]))
        node.createCollisionAspect()
    body.setFrictionCoeff(friction)


def add_body(skeleton, parent, body):
    """One joint after another, with dummies between; returns the body itself."""
    at = np.zeros(3)
    for i, joint in enumerate(body["joints"]):
        create = {
            "hinge": skeleton.createRevoluteJointAndBodyNodePair,
            "slide": skeleton.createPrismaticJointAndBodyNodePair,
            "free": skeleton.createFreeJointAndBodyNodePair,
        }[joint["kind"]]
        made, child = create(parent) if parent else create()
        anchor, last = np.array(joint["anchor"]), i + 1 == len(body["joints"])
        if joint["kind"] != "free":
            made.setAxis(np.array(joint["axis"]))
            made.setDampingCoefficient(0, joint["damping"])
            made.setSpringStiffness(0, joint["stiffness"])
            if i == 0:
                R = np.array(body["rotation"])
                made.setTransformFromParentBodyNode(pose(body["position"] + R @ anchor, R))
            else:
                made.setTransformFromParentBodyNode(pose(anchor - at))
            if last:
                made.setTransformFromChildBodyNode(pose(anchor))
        if not last:
            child.setMass(DUMMY_MASS)
            child.setMomentOfInertia(DUMMY_MASS, DUMMY_MASS, DUMMY_MASS, 0, 0, 0)
        parent, at = child, anchor
    parent.setMass(body["mass"])
    parent.setLocalCOM(np.array(body["com"]))
    I = body["inertia"]
    parent.setMomentOfInertia(I[0][0], I[1][1], I[2][2], I[0][1], I[0][2], I[1][2])
    return parent


def make_world(robot):
    world = nimble.simulation.World()
    world.setGravity(np.array([0, 0, -9.81]))
    world.setTimeStep(robot["time_step"])
    floor = nimble.dynamics.Skeleton()
    _, ground = floor.createWeldJointAndBodyNodePair()
    add_geoms(ground, [{"kind": "box", "size": [10, 10, 0.5], "position": [0, 0, -0.5], "rotation": np.eye(3)}], robot["friction"])
    world.addSkeleton(floor)
    skeleton, made = nimble.dynamics.Skeleton(), {}
    for body in robot["bodies"]:
        made[body["id"]] = add_body(skeleton, made.get(body["parent"]), body)
        add_geoms(made[body["id"]], body["geoms"], robot["friction"])
    world.addSkeleton(skeleton)
    return world


def print_samples(what, seconds):
    us = np.array(seconds) * 1e6
    p10, median, p90 = np.percentile(us, [10, 50, 90])
    print(json.dumps({"what": what, "median_us": median, "p10_us": p10, "p90_us": p90, "n": len(us)}))


def main(path):
    robot = json.loads(pathlib.Path(path).read_text())
    world = make_world(robot)
    start = np.array(robot["start"])  # its own order: rotation vector and position of a free joint
    world.setPositions(start)
    world.setVelocities(np.zeros(world.getNumDofs()))
    stiffness, damping = np.array(robot["servo_stiffness"]), np.array(robot["servo_damping"])
    steps, both, contacts = [], [], []
    for k in range(STEPS):
        world.setControlForces(stiffness * (start - world.getPositions()) - damping * world.getVelocities())
        if k < SETTLING:
            begin = time.thread_time()
            world.step()
            steps.append(time.thread_time() - begin)
            continue
        begin = time.thread_time()
        snapshot = nimble.neural.forwardPass(world)
        J, B = snapshot.getStateJacobian(world), snapshot.getActionJacobian(world)
        both.append(time.thread_time() - begin)
        contacts.append(world.getLastCollisionResult().getNumContacts())
        if not (np.isfinite(J).all() and np.isfinite(B).all()):
            sys.exit("Nimble's Jacobians are not finite")
    if not np.isfinite(world.getState()).all():
        sys.exit("Nimble's run does not stay finite")
    print_samples("Nimble step", steps[SETTLING // 2 :])
    print_samples("Nimble step and Jacobians", both)
    print(json.dumps({"nimble_run": {"contacts": float(np.mean(contacts)), "dofs": world.getNumDofs()}}))


if __name__ == "__main__":
    main(sys.argv[1])
