"""The norm of the comparisons, and the table of their results."""

import numpy as np


def difference(ours, theirs, scale=0.0):
    """Largest |ours − theirs| over the largest |theirs| (or over `scale` if that is larger)."""
    ours, theirs = np.asarray(ours, dtype=float), np.asarray(theirs, dtype=float)
    if ours.shape != theirs.shape:
        raise ValueError(f"expected shape {theirs.shape}, got {ours.shape}")
    if theirs.size == 0:
        return 0.0
    if not (np.isfinite(ours).all() and np.isfinite(theirs).all()):
        return np.inf
    worst = np.abs(ours - theirs).max()
    return 0.0 if worst == 0 else worst / max(np.abs(theirs).max(), scale, np.finfo(float).tiny)


def weigh(x, *factors):
    """`x` with each axis multiplied by its factors."""
    for axis, factor in enumerate(factors):
        x = x * np.reshape(factor, [-1 if k == axis else 1 for k in range(x.ndim)])
    return x


class Weights:
    """Units of kinetic energy for the dofs: s = √Mᵢᵢ.

    A vector over dofs mixes metres with radians and trunks with fingers, so that its largest entry
    says nothing about the others. Motions (v, a) are compared as s·x, forces as x/s, matrices by
    their rows and columns: M then has a unit diagonal.
    """

    def __init__(self, mass_matrix):
        s = np.sqrt(np.diag(mass_matrix))
        self.motion, self.force = s, 1 / s
        self.condition = np.linalg.cond(weigh(mass_matrix, 1 / s, 1 / s))


class Report:
    """Counts what passed, failed and was skipped; prints each as it comes."""

    def __init__(self):
        self.passed = self.failed = self.skipped = 0

    def section(self, title):
        print(f"\n{title}\n  {'robot':<26}{'quantity':<34}{'difference':>12}{'allowed':>12}", flush=True)

    def row(self, robot, quantity, value, allowed):
        good = bool(value <= allowed)
        self.passed += good
        self.failed += not good
        print(f"  {robot:<26}{quantity:<34}{value:>12.1e}{allowed:>12.0e}{'' if good else '  FAILED'}", flush=True)

    def fail(self, robot, message):
        self.failed += 1
        print(f"  {robot:<26}FAILED: {message}", flush=True)

    def note(self, robot, text):
        print(f"  {robot:<26}{text}", flush=True)

    def skip(self, robot, why):
        self.skipped += 1
        print(f"  {robot:<26}skipped: {why}", flush=True)

    def each(self, robots, compare):
        """Calls compare(report, robot) for every robot; one that raises has failed, one that is
        missing is skipped if it was said to be optional."""
        for robot in robots:
            if robot.missing and robot.optional:
                self.skip(robot.name, robot.missing)
                continue
            try:
                if robot.missing:
                    raise FileNotFoundError(robot.missing)
                compare(self, robot)
            except Exception as error:  # a comparison that breaks must not hide the next one
                self.fail(robot.name, f"{type(error).__name__}: {error}")

    def summary(self):
        skipped = f", {self.skipped} skipped" if self.skipped else ""
        return f"{self.passed} passed, {self.failed} failed{skipped}"
