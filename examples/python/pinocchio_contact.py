"""Contact for an engine that has none: Pinocchio's dynamics, our contact, and the derivative of both together.

A quadruped stands on the ground and is pushed. Pinocchio gives the mass matrix M(q), the Jacobian of the feet and the
velocity without contact. A `diffsim.Problem` gives the velocity with contact, for each law. The derivative of the whole
step by q, v and the torques chains Pinocchio's derivatives with those of the problem. The program compares it with
differences: of a step, and of a run of 100 steps.

usage: python pinocchio_contact.py      needs Pinocchio: pip install pin
"""

import sys

import numpy as np

import diffsim

try:
    import pinocchio as pin
except ImportError:
    pin = None

TIME_STEP, FRICTION, RADIUS = 2e-3, 0.7, 0.02
# Feet nearer to the ground than this take part [m]; overlap is undone at most at this speed [m/s].
REACH, PUSH_OUT = 0.01, 0.5
# Of a foot, for the convex law: along the ground and across [m/(s N s)].
COMPLIANCE = (5e-4, 5e-4, 1e-2)
LAWS = (diffsim.ContactLaw.NCP, diffsim.ContactLaw.LCP, diffsim.ContactLaw.CONVEX)


def quadruped():
    """A trunk of 5 kg on four legs of three hinges, and the frames of its feet."""
    model, feet = pin.Model(), []
    inertia = lambda mass, com, *diagonal: pin.Inertia(mass, np.array(com), np.diag(diagonal))
    place = lambda *p: pin.SE3(np.eye(3), np.array(p))
    trunk = model.addJoint(0, pin.JointModelFreeFlyer(), place(0, 0, 0), "trunk")
    model.appendBodyToJoint(trunk, inertia(5.0, [0.01, 0, 0], 0.02, 0.06, 0.07), place(0, 0, 0))
    for leg, (x, y) in enumerate([(1, 1), (1, -1), (-1, 1), (-1, -1)]):
        joint = trunk
        for name, kind, at, mass in (
            ("hip", pin.JointModelRX(), (0.19 * x, 0.05 * y, 0), 0.6),
            ("thigh", pin.JointModelRY(), (0, 0.08 * y, 0), 0.9),
            ("calf", pin.JointModelRY(), (0, 0, -0.21), 0.2),
        ):
            joint = model.addJoint(joint, kind, place(*at), f"{name}{leg}")
            model.appendBodyToJoint(joint, inertia(mass, [0, 0, -0.05], 4e-3, 4e-3, 1e-3), place(0, 0, 0))
        feet.append(model.addFrame(pin.Frame(f"foot{leg}", joint, 0, place(0, 0, -0.21), pin.FrameType.OP_FRAME)))
    model.armature = np.r_[np.zeros(6), np.full(12, 0.01)]
    return model, feet


class Robot:
    """Pinocchio's robot on the ground z = 0, stepped with our contact: v+ = v_free + M⁻¹ Jᵀ impulse, q+ = q ⊕ h v+."""

    def __init__(self, law):
        self.model, self.feet = quadruped()
        self.data = self.model.createData()
        self.problem = diffsim.Problem(self.model.nv, len(self.feet), law=law)

    def contacts(self, q):
        """J of the lowest points of the feet that are near the ground (rows x, y, z), and their gaps."""
        pin.computeJointJacobians(self.model, self.data, q)
        pin.updateFramePlacements(self.model, self.data)
        gaps = np.array([self.data.oMf[f].translation[2] for f in self.feet]) - RADIUS
        self.near = [f for f, gap in zip(self.feet, gaps) if gap < REACH]
        rows = [below(pin.getFrameJacobian(self.model, self.data, f, pin.LOCAL_WORLD_ALIGNED)) for f in self.near]
        return np.vstack([np.zeros((0, self.model.nv)), *rows]), gaps[gaps < REACH]

    def step(self, q, v, tau):
        """The next state. Ask for the derivative before the next step."""
        model, data, h = self.model, self.data, TIME_STEP
        self.q, self.v, self.tau = q, v, tau
        M = pin.crba(model, data, q)
        M = np.triu(M) + np.triu(M, 1).T
        v_free = v + h * np.linalg.solve(M, tau - pin.nle(model, data, q, v))
        J, gaps = self.contacts(q)
        self.slope = np.where(gaps / h > -PUSH_OUT, 1 / h, 0.0)
        target = np.zeros(len(J))
        target[2::3] = np.maximum(gaps / h, -PUSH_OUT)
        n = len(gaps)
        compliance = np.tile(COMPLIANCE, n) if self.problem.law == diffsim.ContactLaw.CONVEX else None
        self.v_next, self.impulse = self.problem.solve(M, J, v_free, target, np.full(n, FRICTION), compliance)
        if not self.problem.info().converged:
            raise RuntimeError("a step was not solved")
        self.J = J
        return pin.integrate(model, q, h * self.v_next), self.v_next

    def linearize(self):
        """Variations of the problem with q, v and tau: Pinocchio's part of the derivative."""
        model, data, h, q = self.model, self.data, TIME_STEP, self.q
        nv, rows = model.nv, len(self.J)
        by_q, by_v, by_tau = pin.computeABADerivatives(model, data, q, self.v, self.tau)
        by_tau = np.triu(by_tau) + np.triu(by_tau, 1).T
        self.dfree = h * by_q, np.eye(nv) + h * by_v, h * by_tau
        # Column j of M is the force of the acceleration e_j, column j of J the velocity of the feet at the
        # velocity e_j.
        self.dM, self.dJ = np.zeros((nv, nv, nv)), np.zeros((rows, nv, nv))
        gravity = pin.computeGeneralizedGravityDerivatives(model, data, q)
        zero = np.zeros(nv)
        for j, unit in enumerate(np.eye(nv)):
            self.dM[:, j] = pin.computeRNEADerivatives(model, data, q, zero, unit)[0] - gravity
            pin.computeForwardKinematicsDerivatives(model, data, q, unit, zero)
            for k, f in enumerate(self.near):
                self.dJ[3 * k : 3 * k + 3, j] = below(self.turned(f, j))
        self.dtarget = np.zeros((rows, nv))
        self.dtarget[2::3] = self.slope[:, None] * self.J[2::3]
        # q ⊕ h v+ by q and by h v+.
        self.by_start, self.by_end = pin.dIntegrate(model, q, h * self.v_next)

    def turned(self, frame, j):
        """The variation by q of a frame's velocity at the unit velocity j, in world axes: that in its own, and those turn."""
        model, data = self.model, self.data
        moved = pin.getFrameVelocityDerivatives(model, data, frame, pin.LOCAL)[0]
        J = pin.computeFrameJacobian(model, data, self.q, frame, pin.LOCAL)
        turn = np.vstack([np.cross(J[3:].T, J[rows, j]).T for rows in (slice(0, 3), slice(3, 6))])
        R = data.oMf[frame].rotation
        return np.vstack([R @ (moved + turn)[:3], R @ (moved + turn)[3:]])

    def jvp(self, dq, dv, dtau):
        """The variation of (q+, v+), tangent."""
        free = self.dfree[0] @ dq + self.dfree[1] @ dv + self.dfree[2] @ dtau
        end = self.problem.jvp(self.dM @ dq, self.dJ @ dq, free, self.dtarget @ dq)[0]
        return self.by_start @ dq + TIME_STEP * self.by_end @ end, end

    def vjp(self, q_bar, v_bar):
        """The gradient by (q, v, tau) of a function of which (q_bar, v_bar) is the gradient by the next state."""
        bars = self.problem.vjp(v_bar + TIME_STEP * self.by_end.T @ q_bar)
        by_M, by_J = np.einsum("ij,ijk->k", bars.A, self.dM), np.einsum("ij,ijk->k", bars.J, self.dJ)
        dq = self.by_start.T @ q_bar + by_M + by_J + self.dtarget.T @ bars.target
        return dq + self.dfree[0].T @ bars.v_free, self.dfree[1].T @ bars.v_free, self.dfree[2].T @ bars.v_free


def below(x):
    """From rows of a foot's centre (linear; angular, world axes) to those of the point RADIUS below it: v + w × d."""
    return x[:3] + RADIUS * np.array([-x[4], x[3], np.zeros(x.shape[1])])


def standing(robot):
    """A state that has just been pushed: the feet a tenth of a millimetre in the ground."""
    q = pin.neutral(robot.model)
    q[8::3], q[9::3] = 0.8, -1.6
    pin.framesForwardKinematics(robot.model, robot.data, q)
    q[2] -= robot.data.oMf[robot.feet[0]].translation[2] - RADIUS + 1e-4
    return q, np.r_[0.3, -0.5, 0.0, 0.1, 0.2, -0.3, np.zeros(12)]


def servo(q, v, rest):
    """Torques that hold the legs at rest."""
    return np.r_[np.zeros(6), 60.0 * (rest - q[7:]) - 2.0 * v[6:]]


def step_error(robot, q, v, tau, eps=1e-7):
    """How far the step's derivative is from central differences along every direction, and forward from reverse mode,
    relative to the largest entry; and whether it is labelled exact. Feet that creep at a tenth of a millimetre a second turn
    their friction with little: hence small differences."""
    nv = robot.model.nv
    robot.step(q, v, tau)
    robot.linearize()
    directions = np.eye(3 * nv)
    forward = np.array([np.r_[robot.jvp(*np.split(d, 3))] for d in directions]).T
    reverse = np.array([np.r_[robot.vjp(*np.split(bar, 2))] for bar in np.eye(2 * nv)])
    exact = robot.problem.info().gradient == diffsim.Gradient.EXACT
    base = robot.step(q, v, tau)[0]

    def outcome(d):
        dq, dv, dtau = np.split(d, 3)
        end, v_end = robot.step(pin.integrate(robot.model, q, dq), v + dv, tau + dtau)
        return np.r_[pin.difference(robot.model, base, end), v_end]

    measured = np.array([(outcome(eps * d) - outcome(-eps * d)) / (2 * eps) for d in directions]).T
    scale = abs(forward).max()
    return abs(forward - measured).max() / scale, abs(forward - reverse).max() / scale, exact


def run(robot, q, v, torques):
    states = []
    for tau in torques:
        states.append((q, v))
        q, v = robot.step(q, v, tau)
    return states, q, v


def run_error(robot, steps=100, eps=1e-6):
    """The gradient of where the trunk ends by the first velocity, through all steps backward, beside a difference."""
    q0, v0 = standing(robot)
    rest, q, v, torques = q0[7:], q0, v0, []
    for _ in range(steps):
        torques.append(servo(q, v, rest))
        q, v = robot.step(q, v, torques[-1])
    states, q, v = run(robot, q0, v0, torques)
    # The trunk's y, of which the tangent at the end has this gradient.
    q_bar = np.r_[pin.XYZQUATToSE3(q[:7]).rotation[1], np.zeros(robot.model.nv - 3)]
    v_bar = np.zeros(robot.model.nv)
    for (q, v), tau in zip(reversed(states), reversed(torques)):
        robot.step(q, v, tau)
        robot.linearize()
        q_bar, v_bar, _ = robot.vjp(q_bar, v_bar)
    push = np.r_[0.2, 1.0, 0.1, -0.5, 0.3, 0.4, np.full(12, 0.1)]
    ends = [run(robot, q0, v0 + sign * eps * push, torques)[1][1] for sign in (1, -1)]
    return v_bar @ push, (ends[0] - ends[1]) / (2 * eps)


def examine(law):
    """Results of a run with a law: modes seen, whether all labels were exact, errors of the step's derivative against
    differences and of reverse against forward mode, and the gradient of 100 steps with its difference."""
    robot = Robot(law)
    q, v = standing(robot)
    rest, modes, errors = q[7:], set(), []
    for k in range(60):
        tau = servo(q, v, rest)
        if k % 10 == 0:
            errors.append(step_error(robot, q, v, tau))
        q, v = robot.step(q, v, tau)
        modes.update(robot.problem.modes())
    differences, adjoints, labels = zip(*errors)
    return modes, all(labels), max(differences), max(adjoints), *run_error(robot)


def main():
    if pin is None:
        print("Pinocchio is not installed (pip install pin): nothing to do")
        return 0
    good = True
    for law in LAWS:
        modes, exact, step, adjoint, gradient, measured = examine(law)
        print(f"{law.name}: contacts {', '.join(sorted(m.name.lower() for m in modes))}")
        print(f"    step: off differences by {step:.1e}, reverse off forward mode by {adjoint:.1e}")
        print(f"    100 steps: y of the trunk by the first velocity {gradient:.9f}, by a difference {measured:.9f}")
        good &= exact and step < 1e-5 and adjoint < 1e-10 and abs(gradient - measured) < 1e-5 * abs(measured)
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
