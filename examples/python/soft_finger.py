"""Two soft fingers on a seven-axis arm grip a cube, lift it and hold it.

The fingers are blocks of rubber (E = 1 MPa, 15 × 20 × 60 mm, 144 tetrahedra each) on two sliding jaws (models/arm7.urdf with a hand).
Their nodes touch the cube with friction. The step is implicit Euler of 2 ms with penalty contact: the forces of elements, contacts, servos and
arm are all solved together. One adjoint gives the gradient of the cube's height by Young's modulus and by the grip command, which
differences of whole runs confirm.

usage: python soft_finger.py [FOLDER [HOLD [FINE]]]      writes soft_finger.svg and soft_finger.dsrec there (default: the working
directory). HOLD: seconds to hold the cube (default 2). FINE: cells across a finger (default 2; 1 is fast and too stiff)
"""

import pathlib
import sys

import numpy as np

import diffsim
from svg import lines

MODEL = pathlib.Path(__file__).resolve().parents[1] / "models" / "arm7.urdf"
STEP = 0.002
CLOSE, LIFT = 0.3, 0.7  # durations [s]
UPPER, FORE, SHOULDER, HAND = 0.42, 0.40, 0.36, 0.126  # of the arm [m]
WIDTH, DEPTH, LENGTH = 0.015, 0.02, 0.06  # of a finger [m]
CUBE, MASS = 0.04, 0.1
REACH, LOW, HIGH = 0.5, 0.095, 0.195  # the flange: distance from the axis, height before and after the lift [m]
OPEN, GRIP = 0.0, 0.009  # command of each jaw [m]; it touches at 5 mm
YOUNG = 1e6


def block(size, cells):
    """Nodes and tetrahedra of a block: six around the diagonal of each cell."""
    axes = [np.linspace(0.0, length, n + 1) for length, n in zip(size, cells)]
    nodes = np.array(np.meshgrid(*axes, indexing="ij")).reshape(3, -1).T
    number = np.arange(len(nodes)).reshape([n + 1 for n in cells])
    tets = []
    for corner in np.ndindex(*cells):
        for order in ((0, 1, 2), (1, 2, 0), (2, 0, 1), (0, 2, 1), (2, 1, 0), (1, 0, 2)):
            at, path = np.array(corner), []
            path.append(number[tuple(at)])
            for axis in order:
                at = at + np.eye(3, dtype=int)[axis]
                path.append(number[tuple(at)])
            x = nodes[path]
            tets.append(path if np.linalg.det(x[1:] - x[0]) > 0 else [path[0], path[2], path[1], path[3]])
    return nodes, np.array(tets)


def pose(height):
    """Angles of the arm with the flange at this height, pointing down."""
    x, z = REACH, height + HAND - SHOULDER
    span = np.hypot(x, z)
    bend = np.pi - np.arccos((UPPER**2 + FORE**2 - span**2) / (2 * UPPER * FORE))
    lift = np.arctan2(x, z) - np.arctan2(FORE * np.sin(bend), UPPER + FORE * np.cos(bend))
    return np.array([0.0, lift, 0.0, -bend, 0.0, np.pi - lift - bend, 0.0])


def ball(mass, moment):
    """Inertia of a body with equal moments about its centre."""
    return diffsim.inertia_from_com(mass, np.zeros(3), [moment, 0.0, moment, 0.0, 0.0, moment])


def build(fine):
    arm = diffsim.Model.load(MODEL, actuation="from_file")
    builder = diffsim.Builder(arm)
    flange = arm.body_names[-1]
    top = SHOULDER + UPPER + FORE + HAND
    for name in arm.body_names[1:]:
        builder.set_gravity_compensation(name, 1.0)
    # The arm touches nothing; its shapes are drawn.
    for geom in range(len(arm.geom_names)):
        builder.set_geom(geom, contype=0, conaffinity=0)
    for k, name in enumerate(n for n in arm.joint_names if n.startswith("joint")):
        stiffness = [4000.0, 4000.0, 2000.0, 2000.0, 500.0, 500.0, 200.0][k]
        builder.add_actuator(name, name=name, gain=stiffness, bias=[0.0, -stiffness, -0.1 * stiffness])
    nodes, tets = block((WIDTH, DEPTH, LENGTH), (fine, fine, 3 * fine))
    gap = CUBE / 2 + 0.005
    for side, name in ((1, "right"), (-1, "left")):
        place = np.eye(4)
        place[2, 3] = 0.03
        place[0, 3] = side * (gap + WIDTH / 2)
        builder.add_body(flange, name, placement=place, inertia=ball(0.1, 1e-5))
        builder.add_joint(name, "prismatic", name=name, axis=[-side, 0.0, 0.0])
        builder.add_actuator(name, name=name, gain=2000.0, bias=[0.0, -2000.0, -60.0])
        x = nodes - [WIDTH / 2, DEPTH / 2, 0.0] + [side * (gap + WIDTH / 2), 0.0, top + 0.03]
        base = {int(i): name for i in np.flatnonzero(nodes[:, 2] == 0.0)}
        builder.add_deformable(
            x, tets=tets, attach=base, name=f"{name}_finger", young=YOUNG, poisson=0.4, density=1100.0, damping=0.002, radius=0.001, friction=1.0
        )
    builder.add_body(0, "cube", inertia=ball(MASS, MASS * CUBE**2 / 6))
    builder.add_joint("cube", "free", name="cube")
    builder.add_geom("cube", kind="box", size=[CUBE / 2] * 3, name="cube", friction=[1.0, 0.005, 0.0001], stiffness=1e5, tangential=1e4)
    builder.add_geom(0, kind="plane", name="floor")
    return builder.build()


def start(model, sim):
    """The state with the fingers around the cube: free nodes stand where the jaws carry them."""
    q = model.neutral()
    rest = sim.forward_kinematics(q)
    q[:7] = pose(LOW)
    now = sim.forward_kinematics(q)
    for i, name in enumerate(model.body_names):
        if "_finger_" in name:
            jaw = model.body_id(name.split("_")[0])
            there = now[:, :, jaw] @ np.linalg.inv(rest[:, :, jaw]) @ rest[:, 3, i]
            at = model.joint(name).q_index
            q[at : at + 3] = there[:3] - rest[:3, 3, i]
    at = model.joint("cube").q_index
    # Slightly below the place where the cube begins to touch the floor, which is a kink of the contact force.
    q[at : at + 3] = REACH, 0.0, CUBE / 2 - 1e-5
    return q


def smooth(x):
    x = np.clip(x, 0.0, 1.0)
    return x * x * x * (10.0 - 15.0 * x + 6.0 * x * x)


def commands(hold, grip=GRIP):
    """Inputs of all steps (the arm's angles, the jaws' displacements), and their slope by the grip command."""
    t = STEP * np.arange(1, round((CLOSE + LIFT + hold) / STEP) + 1)
    closed, lifted = smooth(t / CLOSE), smooth((t - CLOSE) / LIFT)
    u = np.zeros((9, len(t)), order="F")
    u[:7] = np.array([pose(LOW + (HIGH - LOW) * x) for x in lifted]).T
    by_grip = np.zeros_like(u)
    by_grip[7:] = closed
    return u + grip * by_grip, by_grip


class Grip:
    """Heights of the cube along a run, and the gradient of the last one."""

    def __init__(self, hold, fine):
        self.hold = hold
        self.model = build(fine)
        self.cube = self.model.joint("cube")
        options = {"contact": "penalty", "integrator": "implicit_euler", "time_step": STEP, "max_contacts": 200}
        self.sim = diffsim.Sim(self.model, **options)
        self.q0 = start(self.model, self.sim)
        steps = commands(hold)[0].shape[1]
        self.rollout = diffsim.Rollout(self.model, steps, **options)
        self.rollout.select_params([diffsim.Param("deformable", side, 1) for side in (0, 1)])

    def run(self, young=YOUNG, grip=GRIP):
        """States and velocities of all steps."""
        self.rollout.params = [young, young]
        return self.rollout.run(self.q0, np.zeros(self.model.nv), commands(self.hold, grip)[0])

    def height(self, **changed):
        """Of the cube at the end [m]."""
        return self.run(**changed)[0][self.cube.q_index + 2, -1]

    def gradient(self, q):
        """Of the height at the end of the last run, whose states are q: by Young's modulus of both fingers and by the grip command."""
        q_bar = np.zeros((self.model.nv, q.shape[1]), order="F")
        # The cube's displacement counts along its own axes.
        up = self.sim.forward_kinematics(q[:, -1])[2, :3, self.model.body_id("cube")]
        q_bar[self.cube.v_index : self.cube.v_index + 3, -1] = up
        found = self.rollout.adjoint(q_bar, np.zeros_like(q_bar))
        return np.array([found.p.sum(), np.sum(found.u * commands(self.hold)[1])])


def main():
    folder = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ".")
    hold = float(sys.argv[2]) if len(sys.argv) > 2 else 2.0
    fine = int(sys.argv[3]) if len(sys.argv) > 3 else 2
    grip = Grip(hold, fine)
    q, _ = grip.run()
    at = grip.cube.q_index
    z, along = q[at + 2], np.hypot(q[at], q[at + 1])
    begin = round((CLOSE + LIFT + hold / 4) / STEP)  # the arm has come to rest
    print(f"{grip.model.nv} dofs, {q.shape[1] - 1} steps of {1e3 * STEP:g} ms")
    print(f"lifted by {1e3 * (z[-1] - z[0]):.2f} mm; sank by {1e3 * (z[begin] - z[-1]):.3f} mm in the last {0.75 * hold:g} s")
    recorder = diffsim.Recorder(grip.model, visuals=False)
    recorder.rollout(grip.rollout)
    recorder.save(folder / "soft_finger.dsrec")
    exact = grip.gradient(q)
    print(f"label of the gradient: {grip.rollout.gradient().name}")
    differences = []
    for name, x in (("young", YOUNG), ("grip", GRIP)):
        # Where nodes begin to slip the height has a kink; the next one is 1e-5 beside YOUNG.
        e = 3e-6 * x
        differences.append((grip.height(**{name: x + e}) - grip.height(**{name: x - e})) / (2.0 * e))
    off = abs(np.array(differences) / exact - 1.0)
    for name, unit, x, y in zip(("Young's modulus", "the grip command"), ("m/Pa", "m/m"), exact, off):
        print(f"height by {name}: {x:.6e} {unit}, differences of runs are off by {y:.1e}")
    t = STEP * np.arange(q.shape[1])
    jaws = {name: q[grip.model.joint(name).q_index] for name in ("right", "left")}
    lines(
        folder / "soft_finger.svg",
        [
            ("the cube above the floor [m]", t, {"height": z - CUBE / 2}),
            ("displacement of the jaws [m]", t, {**jaws, "command": np.append(OPEN, commands(hold)[0][7])}),
        ],
    )
    print(f"wrote {folder / 'soft_finger.svg'}")
    held = z[-1] - z[0] > 0.09 and np.ptp(along) < 0.01
    return 0 if held and off.max() < 1e-4 else 1


if __name__ == "__main__":
    sys.exit(main())
