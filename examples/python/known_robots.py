"""Robots that people know, from their own URDF files: Go2, ANYmal C, Talos, a Panda and an Allegro hand.

Each robot starts from a posture of its SRDF file, or from `home`, and follows a slow motion of its joints for 4 s. A stiff PD
feedback drives the joints. `Sim.set_force` takes the feedback with its slopes, so that a step of 2 ms is stable for every
robot, without gains that are tuned to its links. The table shows the time of a step and that of the Jacobians of a step.

usage: python known_robots.py ROBOTS [FOLDER]
ROBOTS: the folder "robots" of the package example-robot-data (`pip install example-robot-data`; it lies in
cmeel.prefix/share/example-robot-data). FOLDER: where NAME.dsrec is written for each robot (default: the working directory)
"""

import pathlib
import sys
import time
import xml.etree.ElementTree as xml

import numpy as np

import diffsim

SECONDS, STEP = 4.0, 2e-3
#: name; folder; URDF; SRDF and its posture; stiffness [N m/rad]; damping [N m s/rad]; joints that move, by a part of their
#: name, with an amplitude [rad] and a delay [s].
ROBOTS = (
    ("go2", "go2_description", "urdf/go2.urdf", ("srdf/go2.srdf", "standing"), 200.0, 8.0,
     {"_thigh_": (0.25, 0.0), "_calf_": (-0.5, 0.0)}),
    ("anymal_c", "anymal_c_simple_description", "urdf/anymal.urdf", ("srdf/anymal.srdf", "standing"), 400.0, 20.0,
     {"F_HFE": (0.2, 0.0), "F_KFE": (-0.4, 0.0), "H_HFE": (-0.2, 0.0), "H_KFE": (0.4, 0.0)}),
    ("talos", "talos_data", "robots/talos_reduced.urdf", ("srdf/talos.srdf", "half_sitting"), 4000.0, 200.0,
     {"arm_left_4": (0.6, 0.0), "arm_right_4": (-0.6, 0.0), "arm_left_2": (0.3, 0.3), "arm_right_2": (-0.3, 0.3)}),
    ("panda", "panda_description", "urdf/panda.urdf", ("srdf/panda.srdf", "default"), 600.0, 50.0,
     {"joint1": (0.8, 0.0), "joint2": (0.3, 0.5), "joint4": (0.4, 1.0), "joint6": (0.5, 1.5)}),
    ("allegro_hand", "allegro_hand_description", "urdf/allegro_right_hand.urdf", None, 1.0, 0.05,
     {f"joint_{i}": (0.5, 0.15 * (i // 4)) for i in (1, 2, 5, 6, 9, 10, 14, 15)}),
)
LEGGED = ("go2", "anymal_c", "talos")  # a floating base above a ground plane


def posture(model, path, name):
    """q at home, with the joints of a posture of an SRDF file."""
    q = model.home()
    state = next((s for s in xml.parse(path).iter("group_state") if s.get("name") == name), None)
    for entry in [] if state is None else state:
        if entry.get("name") in model.joint_names:
            values = [float(x) for x in entry.get("value").split()]
            joint = model.joint(entry.get("name"))
            if joint.nq == len(values):
                q[joint.q_index : joint.q_index + joint.nq] = values
    return q


def follow(name, folder, urdf, srdf, stiffness, damping, moving, root, out):
    legged = name in LEGGED
    options = dict(base="free" if legged else "fixed", ground_plane=legged)
    model = diffsim.Model.load(root / folder / urdf, mesh_dirs=[root.parent.parent, root], **options)
    q = model.home() if srdf is None else posture(model, root / folder / srdf[0], srdf[1])
    if legged:
        q = model.place_on_ground(q)
    v, nv = np.zeros(model.nv), model.nv
    # The joints of one coordinate are driven.
    driven = [j for j in model.joints if j.nv == 1]
    iq, iv = [j.q_index for j in driven], [j.v_index for j in driven]
    start, swing, delay = q[iq].copy(), np.zeros(len(driven)), np.zeros(len(driven))
    for part, (amplitude, wait) in moving.items():
        for k, j in enumerate(driven):
            if part in j.name:
                swing[k], delay[k] = amplitude, wait
    K, D = np.zeros((nv, nv)), np.zeros((nv, nv))
    K[iv, iv], D[iv, iv] = -stiffness, -damping
    sim = diffsim.Sim(model, time_step=STEP)
    recorder = diffsim.Recorder(model, rate=50)
    tau, u = np.zeros(nv), np.zeros(model.nu)
    stepping, differentiating = [], []
    for k in range(round(SECONDS / STEP)):
        t = np.maximum(k * STEP - delay, 0.0)
        target = start + swing * 0.5 * (1.0 - np.cos(2.0 * np.pi * t / 2.0))
        tau[iv] = stiffness * (target - q[iq]) - damping * v[iv]
        sim.set_force(tau, K, D)
        began = time.perf_counter()
        q, v = sim.step(q, v, u)
        stepping.append(time.perf_counter() - began)
        if k % 20 == 0:
            began = time.perf_counter()
            sim.jacobians()
            differentiating.append(time.perf_counter() - began)
        recorder.step(sim)
    recorder.save(out / f"{name}.dsrec")
    off = np.abs(q[iq] - target).max()
    print(f"{name:14}{nv:5}{1e6 * np.median(stepping):10.0f}{1e6 * np.median(differentiating):12.0f}{off:12.3f}")


def main():
    root = pathlib.Path(sys.argv[1]).resolve()
    out = pathlib.Path(sys.argv[2] if len(sys.argv) > 2 else ".")
    print(f"{'robot':14}{'dofs':>5}{'step [µs]':>10}{'Jacobians':>12}{'off [rad]':>12}")
    for robot in ROBOTS:
        follow(*robot, root, out)


if __name__ == "__main__":
    main()
