"""Writes the pages that the browser tests open.

usage: pages.py MODELS FOLDER
"""

import json
import pathlib
import struct
import sys
import xml.sax.saxutils
import zlib

import numpy as np

import diffsim
from diffsim import viewer

MODELS, OUT = map(pathlib.Path, sys.argv[1:3])
BAD = "<script>window.harmed=1</script><img src=x onerror='window.harmed=1'>\"&\u2028"


def quadruped(push):
    """A rollout on the ground with the gradient of the final forward place."""
    model = diffsim.Model.load(MODELS / "quadruped.xml")
    q, v, u = model.keyframe("standing")
    steps = 600
    controls = np.tile(u[:, None], (1, steps)).copy(order="F")
    rollout = diffsim.Rollout(model, steps)
    rollout.set_external_wrench(1, [push, 0.0, 0.0, 0.0, 0.0, 0.0])
    rollout.run(q, v, controls)
    bar = np.zeros((model.nv, steps + 1), order="F")
    bar[0, -1] = 1.0
    recorder = diffsim.Recorder(model, rate=60, channels={"push": 1})
    recorder.set("push", push)
    recorder.rollout(rollout, rollout.adjoint(bar, np.zeros_like(bar)))
    return recorder.recording()


def spheres():
    """Two small spheres: one at rest, one that moves by 1 m/s along y. Nothing else is red or blue."""
    text = """<robot name="points"><link name="still"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1"
      ixy="0" ixz="0" iyz="0"/></inertial><visual><geometry><sphere radius="0.012"/></geometry><material name="m">
      <color rgba="1 0 0 1"/></material></visual></link><link name="moves"><inertial><mass value="1"/><inertia ixx="1"
      iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial><visual><origin xyz="0 0 0.3"/><geometry><sphere
      radius="0.012"/></geometry><material name="n"><color rgba="0 0 1 1"/></material></visual></link>
      <joint name="slide" type="prismatic"><parent link="still"/><child link="moves"/><axis xyz="0 1 0"/>
      <limit lower="-9" upper="9" effort="1" velocity="1"/></joint></robot>"""
    path = OUT / "points.urdf"
    path.write_text(text)
    model = diffsim.Model.load(path)
    recorder = diffsim.Recorder(model, visuals=path)
    for k in range(61):
        recorder.state(k / 60, np.array([k / 60]), np.array([1.0]))
    return recorder.recording()


def png(pixels):
    """An image of rows of colours."""
    rows = b"".join(b"\0" + bytes(row) for row in np.asarray(pixels, np.uint8).reshape(len(pixels), -1))

    def chunk(kind, content):
        return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))

    head = struct.pack(">2I5B", len(pixels[0]), len(pixels), 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")


def coats():
    """A wall in the plane y = 0 with an image, red below and blue above at the left and grey at the right; and a tile
    beside it, whose vertices are blue at the left and red at the right."""
    red, blue, grey = [255, 0, 0], [0, 0, 255], [90, 90, 90]
    (OUT / "wall.png").write_bytes(png([[blue, grey], [red, grey]]))
    (OUT / "wall.mtl").write_text("newmtl a\nmap_Kd wall.png\n")
    (OUT / "wall.obj").write_text(
        "mtllib wall.mtl\nv 0 0 0\nv 0.4 0 0\nv 0.4 0 0.4\nv 0 0 0.4\nvt 0 0\nvt 1 0\nvt 1 1\nvt 0 1\nusemtl a\n"
        "f 1/1 2/2 3/3 4/4\n"
    )
    points = [[1, 0, 0, "0 0 1"], [1.4, 0, 0, "1 0 0"], [1.4, 0, 0.4, "1 0 0"], [1, 0, 0.4, "0 0 1"]]
    (OUT / "tile.obj").write_text("".join(f"v {x} {y} {z} {rgb}\n" for x, y, z, rgb in points) + "f 1 2 3 4\n")
    visuals = "".join(f'<visual><geometry><mesh filename="{n}.obj"/></geometry></visual>' for n in ("wall", "tile"))
    path = OUT / "coats.urdf"
    path.write_text(
        f'<robot name="coats"><link name="a"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0"'
        f' iyz="0"/></inertial>{visuals}</link></robot>'
    )
    recorder = diffsim.Recorder(diffsim.Model.load(path), visuals=path)
    recorder.state(0.0, np.zeros(0))
    return recorder.recording()


def bad_names():
    name = xml.sax.saxutils.quoteattr(BAD)
    inertial = '<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>'
    box = f'<visual name={name}><geometry><box size="1 1 1"/></geometry></visual>'
    text = (
        f"<robot name={name}><link name={name}>{inertial}{box}</link><link name='b'>{inertial}</link>"
        f"<joint name={name} type='revolute'><parent link={name}/><child link='b'/>"
        "<limit lower='-1' upper='1' effort='1' velocity='1'/></joint></robot>"
    )
    path = OUT / "bad.urdf"
    path.write_text(text, encoding="utf-8")
    model = diffsim.Model.load(path)
    recorder = diffsim.Recorder(model, visuals=path, channels={BAD: 1})
    recorder.state(0.0, np.zeros(1))
    recorder.state(1.0, np.ones(1))
    return recorder.recording()


def mixed():
    """A cart that touches the floor, and a pendulum on it that touches nothing."""
    text = """<mujoco><worldbody><geom type="plane" size="0 0 1"/><body name="cart" pos="0 0 0.1"><joint type="slide"
      axis="1 0 0"/><geom type="box" size="0.2 0.1 0.1" mass="1"/><body name="pendulum"><joint axis="0 1 0"/>
      <geom type="capsule" fromto="0 0 0 0 0 0.5" size="0.02" mass="1" contype="0" conaffinity="0"/></body></body>
      </worldbody></mujoco>"""
    recorder = diffsim.Recorder(diffsim.Model.from_string(text, diffsim.Format.MJCF))
    recorder.state(0.0, np.zeros(2))
    return recorder.recording()


def bare():
    """A double pendulum without a geom, with names of 5 kB and channels of every size."""
    long = "n" * 5000
    inertial = '<inertial pos="0 0 -.2" mass="1" diaginertia=".1 .1 .1"/>'
    text = f"""<mujoco model="{long}"><compiler inertiafromgeom="false"/><worldbody><body name="{long}" pos="0 0 1">
      <joint name="{long}" axis="0 1 0"/>{inertial}<body name="lower" pos="0 0 -.5"><joint name="b" axis="0 1 0"/>{inertial}
      </body></body></worldbody></mujoco>"""
    model = diffsim.Model.from_string(text, diffsim.Format.MJCF)
    recorder = diffsim.Recorder(model, channels={"nothing": 1, "huge": 1, long: 1})
    for k in range(3):
        recorder.set("nothing", np.nan)
        recorder.set("huge", 1e300 * (k - 1))
        recorder.state(7200.0 * k, np.full(2, 0.1 * k), np.zeros(2))
    return recorder.recording()


def pile():
    """160 boxes that fall and turn."""
    boxes = "".join(
        f'<body name="box{i}"><freejoint/><geom type="box" size="0.1 0.08 0.06" mass="1"/></body>' for i in range(160)
    )
    model = diffsim.Model.from_string(f"<mujoco><worldbody>{boxes}</worldbody></mujoco>", diffsim.Format.MJCF)
    recorder = diffsim.Recorder(model)
    rng = np.random.default_rng(1)
    place = rng.uniform([-1, -1, 1], [1, 1, 4], (160, 3))
    turn = rng.normal(size=(160, 4))
    for k in range(120):
        q = np.concatenate([place - [0, 0, k / 120], turn + 0.02 * k], axis=1)
        q[:, 3:] /= np.linalg.norm(q[:, 3:], axis=1, keepdims=True)
        recorder.state(k / 60, q.ravel())
    return recorder.recording()


def tower():
    """20 boxes, one 0.3 m above the other, that become a pile of 1 m in a second."""
    boxes = "".join(f'<body name="box{i}"><freejoint/><geom type="box" size="0.1 0.08 0.06" mass="1"/></body>' for i in range(20))
    text = f'<mujoco><worldbody><geom type="plane" size="0 0 1"/>{boxes}</worldbody></mujoco>'
    recorder = diffsim.Recorder(diffsim.Model.from_string(text, diffsim.Format.MJCF))
    end = np.random.default_rng(2).uniform([-0.4, -0.4, 0.06], [0.4, 0.4, 0.4], (20, 3))
    for k in range(61):
        q = np.zeros((20, 7))
        q[:, 2], q[:, 6] = 0.06 + 0.3 * np.arange(20), 1.0
        q[:, :3] += k / 60 * (end - q[:, :3])
        recorder.state(k / 60, q.ravel())
    return recorder.recording()


def flag():
    """A blue sheet in the plane y = 0 whose columns wave up and down, and a red tile that is gone after the middle."""
    text = """<mujoco><worldbody><body pos="0 0 0.05"><freejoint/><geom type="box" size="0.05 0.05 0.05" mass="1"
      rgba="0.5 0.5 0.5 1"/></body></worldbody></mujoco>"""
    recorder = diffsim.Recorder(diffsim.Model.from_string(text, diffsim.Format.MJCF))
    n = 12
    x, z = np.meshgrid(np.linspace(0.2, 0.8, n), np.linspace(0.3, 0.7, n))
    i = (np.arange(n - 1)[:, None] * n + np.arange(n - 1)).ravel()
    triangles = np.concatenate([np.stack([i, i + 1, i + n + 1], 1), np.stack([i, i + n + 1, i + n], 1)])
    tile = np.array([[-1, 0, -1], [1, 0, -1], [1, 0, 1], [-1, 0, 1]]) * 0.02
    for k in range(21):
        waved = z + 0.1 * np.sin(0.3 * k + 7 * x)
        recorder.surface("flag", np.stack([x, 0 * x, waved], axis=2), triangles, [0, 0, 1])
        if k <= 10:
            recorder.surface(BAD, tile + [0.3 - 0.03 * k, 0.0, 1.0], [[0, 1, 2], [0, 2, 3]], [1, 0, 0, 0.98])
        elif k == 11:
            recorder.surface(BAD, [])
        recorder.state(k / 20, np.array([0, 0, 0.05, 0, 0, 0, 1.0]))
    return recorder.recording()


def arm():
    """An arm that hangs from its base, with hinges, a slide and two joints on one body."""
    text = """<mujoco><worldbody><body name="upper" pos="0.1 0 0.2" euler="20 0 30"><joint name="yaw" axis="0 0 1"
      range="-120 120"/><joint name="pitch" axis="0 1 0" pos="0 0 0.05"/><geom type="capsule" fromto="0 0 0 0 0 -0.4" size="0.03"/>
      <body name="lower" pos="0 0 -0.4"><joint name="elbow" axis="1 1 0" range="0 150"/><geom type="capsule"
      fromto="0 0 0 0.1 0 -0.3" size="0.025"/><body name="hand" pos="0.1 0 -0.3"><joint name="reach" type="slide" axis="0 0 -1"
      range="0 0.2"/><geom type="box" size="0.03 0.03 0.05"/></body></body></body></worldbody></mujoco>"""
    model = diffsim.Model.from_string(text, diffsim.Format.MJCF)
    q = np.array([0.3, -0.5, 1.1, 0.1])

    def poses(at):
        recorder = diffsim.Recorder(model)
        recorder.state(0.0, at)
        return recorder.recording()

    start = poses(np.array([0.1, 0.0, 0.4, 0.05]))
    shown = {"joints": list(model.joint_names), "q": q.tolist(), "poses": poses(q).frames[0].poses.tolist()}
    return start, {**shown, "start": start.frames[0].poses.tolist(), "lowest": float(start.frames[0].poses[:, 2].min())}


def sized(scale):
    """A box with a leg, so large, on the ground."""
    s = scale
    text = f"""<mujoco><worldbody><geom type="plane" size="0 0 1"/><body pos="0 0 {0.5 * s}"><freejoint/><geom type="box"
      size="{0.3 * s} {0.2 * s} {0.1 * s}"/><body pos="{0.3 * s} 0 0"><joint axis="0 1 0"/><geom type="capsule"
      fromto="0 0 0 {0.2 * s} 0 {-0.35 * s}" size="{0.05 * s}"/></body></body></worldbody></mujoco>"""
    recorder = diffsim.Recorder(diffsim.Model.from_string(text, diffsim.Format.MJCF))
    for k in range(5):
        recorder.state(0.1 * k, np.array([0, 0, 0.5 * s, 0, 0, 0, 1, 0.1 * k]))
    return recorder.recording()


def placed(x, y):
    """A box that falls beside a blue tile, about this place of the ground. Another plane rises at the left, one lies in the
    ground."""
    text = f"""<mujoco><worldbody><geom type="plane" size="0 0 1"/><geom type="plane" size="0 0 1" pos="1 2 0"/>
      <geom type="plane" size="0 0 1" pos="{x - 2} {y} 0" euler="0 60 0"/><body pos="{x} {y} 0.5"><freejoint/>
      <geom type="box" size="0.3 0.2 0.1" mass="1"/></body></worldbody></mujoco>"""
    model = diffsim.Model.from_string(text, diffsim.Format.MJCF)
    recorder = diffsim.Recorder(model)
    tile = np.array([[-1, 0, -1], [1, 0, -1], [1, 0, 1], [-1, 0, 1]]) * 0.1 + [x + 0.6, y, 0.4]
    recorder.surface("tile", tile, [[0, 1, 2], [0, 2, 3]], [0, 0, 1])
    sim = diffsim.Sim(model, time_step=0.01)
    q, v = np.array([x, y, 0.15, 0, 0, 0, 1]), np.zeros(6)
    for _ in range(30):
        q, v = sim.step(q, v, np.zeros(0))
        recorder.step(sim)
    return recorder.recording()


def flung():
    """A heavy box at rest, and a ball that flies a kilometre away."""
    text = """<mujoco><worldbody><geom type="plane" size="0 0 1"/><body pos="0 0 0.1"><freejoint/><geom type="box"
      size="0.2 0.1 0.1" mass="1e5"/></body><body pos="0 0 0.25"><freejoint/><geom size="0.05" mass="1"/></body></worldbody></mujoco>"""
    recorder = diffsim.Recorder(diffsim.Model.from_string(text, diffsim.Format.MJCF))
    for k in range(5):
        recorder.state(0.1 * k, np.array([0, 0, 0.1, 0, 0, 0, 1, 250.0 * k, 0, 0.25, 0, 0, 0, 1]))
    return recorder.recording()


def write(name, recordings, **options):
    text = viewer.page(recordings, **options)
    (OUT / f"{name}.html").write_text(text, encoding="utf-8")
    return len(text)


OUT.mkdir(parents=True, exist_ok=True)
forward, backward = quadruped(8.0), quadruped(-8.0)
waving = flag()
hanging, shown = arm()
sizes = {
    "quadruped": write("quadruped", [forward]),
    "two": write("two", [forward, backward], labels=["forward", "backward"]),
    "points": write("points", [spheres()]),
    "coats": write("coats", [coats()]),
    "bad": write("bad", [bad_names()], title=BAD),
    "mixed": write("mixed", [mixed()]),
    "pile": write("pile", [pile()]),
    "tower": write("tower", [tower()]),
    "flag": write("flag", [waving]),
    "arm": write("arm", [hanging]),
    "mm": write("mm", [sized(1e-3)]),
    "flung": write("flung", [flung()]),
    "here": write("here", [placed(0.0, 0.0)]),
    "far": write("far", [placed(1e6, -2e6)]),
    "apart": write("apart", [placed(127.0, 0.0), placed(129.0, 0.0)]),
    "huge": write("huge", [sized(400.0)]),
    "bare": write("bare", [bare(), bare()], labels=["l" * 5000, "other"]),
}
# Two outputs of a notebook: a model, and a run.
outputs = [diffsim.Model.load(MODELS / "quadruped.xml")._repr_html_(), forward._repr_html_()]
(OUT / "notebook.html").write_text(f"<!doctype html><meta charset='utf-8'>{'<hr>'.join(outputs)}", encoding="utf-8")
(OUT / "swing.xml").write_text(
    """<mujoco><worldbody><body pos="0 0 1"><joint name="swing" axis="0 1 0" damping="0.3"/>
    <geom type="capsule" fromto="0 0 0 0 0 -0.6" size="0.06" mass="1"/></body></worldbody>
    <actuator><motor name="turn" joint="swing" ctrllimited="true" ctrlrange="-15 15"/></actuator></mujoco>"""
)
first = forward.frames[30].contacts[0]
step = (forward.frames[30].time - forward.frames[29].time) / (forward.frames[30].step - forward.frames[29].step)
facts = {
    "arm": shown,
    "force": float(first["impulse"][2] / step),
    "masses": sum(b.mass > 0 for b in forward.bodies[1:]),
    "sizes": sizes,
    "bad": BAD,
    "contacts": [len(f.contacts) for f in forward.frames],
    "arrows": [len(f.arrows) for f in forward.frames],
    "trunk": [f.poses[1].tolist() for f in forward.frames],
    "flag": [f.surfaces["flag"][0].tolist() for f in waving.frames],
    "times": forward.times.tolist(),
}
(OUT / "facts.json").write_text(json.dumps(facts))
