"""Runs every comparison and prints the largest differences.

usage: compare.py [ROBOT ...]     all robots when none is named

difference = largest |ours − theirs| over the largest |theirs| (over one where the quantity is a
placement), the largest over random states from a fixed seed.
"""

import sys

import mujoco
import pinocchio

import against_differences
import against_drake
import against_drake_faces
import against_mujoco
import against_mujoco_adhesion
import against_mujoco_friction
import against_mujoco_margins
import against_mujoco_ranges
import against_mujoco_sensors
import against_nimble
import against_parts
import against_pinocchio
import against_saved
import distances
import on_ground
from report import Report
from robots import MJCF, PASSIVE, SUITE, URDF


def main(names):
    known = {robot.name for robot in URDF + PASSIVE + SUITE + against_saved.ROBOTS + on_ground.LEGGED}
    if unknown := set(names) - known:
        sys.exit(f"no such robot: {', '.join(sorted(unknown))}; there are {', '.join(sorted(known))}")
    chosen = lambda robots: [r for r in robots if not names or r.name in names]

    report = Report()
    report.section(f"URDF against Pinocchio {pinocchio.__version__}")
    report.each(chosen(URDF), against_pinocchio.compare_urdf)
    report.section(f"MJCF against MuJoCo {mujoco.__version__}")
    report.each(chosen(MJCF + PASSIVE + SUITE), against_mujoco.compare)
    report.section("Legged robots on the ground")
    report.each(chosen(on_ground.LEGGED), on_ground.compare)
    report.section("Parts of models against Pinocchio and MuJoCo")
    report.each(chosen(URDF), against_parts.compare_urdf)
    report.each(chosen(MJCF + PASSIVE + SUITE), against_parts.compare_mjcf)
    report.section(f"Sensors and rays against MuJoCo {mujoco.__version__}")
    report.each(chosen(MJCF + PASSIVE + SUITE), against_mujoco_sensors.compare)
    if not names:
        report.section(f"Contact margins against MuJoCo {mujoco.__version__}")
        against_mujoco_margins.compare(report)
        report.section(f"Adhesion against MuJoCo {mujoco.__version__}")
        against_mujoco_adhesion.compare(report)
        against_mujoco_friction.compare(report)
        report.section(f"Ranges of muscles, and sensors of limits, against MuJoCo {mujoco.__version__}")
        against_mujoco_ranges.compare(report)
    report.section(f"Saved as MJCF, against MuJoCo {mujoco.__version__}")
    report.each(chosen(against_saved.ROBOTS), against_saved.compare)
    report.section(f"MJCF, through MuJoCo's compiled model, against Pinocchio {pinocchio.__version__}")
    report.each(chosen(MJCF), against_pinocchio.compare_mjcf)
    report.section("Step Jacobians against central differences of fourth order")
    report.each(chosen([r for r in URDF + MJCF if not r.optional]), against_differences.compare)
    if not names:
        report.section(f"Distances of {distances.POSES} poses a pair against MuJoCo's mj_geomDistance")
        distances.compare(report)
        report.section("Compliant contact of a ball against Drake's SAP")
        against_drake.compare(report)
        report.section("Hydroelastic contact against Drake")
        against_drake_faces.compare(report)
        report.section("Boxed contact of a body on the floor against Nimble")
        against_nimble.compare(report)
    print(f"\n{report.summary()}")
    return 1 if report.failed or not report.passed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
