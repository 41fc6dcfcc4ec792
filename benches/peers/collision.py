"""Broad and narrow phase beside MuJoCo's mj_collision, and the derivatives of contacts.

Both engines read the same MJCF file and visit the same states in order, as a simulation does: those
of a run of MuJoCo's step. The robots stand on the floor with all of their geometries against each
other ("folded": Go1 with its joints at zero, where neighbouring links sink into each other). The hulls
have 700 vertices each and touch, or overlap by a share of their size, while one of them turns slowly.
The bodies are free spheres, boxes and capsules that fall into a heap.

"Derivatives" is how point, normal, frame and gap of all contacts move with the motions of the two
bodies, which is what a step asks for; "by δq" the same through the joints as dense matrices, the call
ds_sim_contact_derivatives.
"""

import json
import subprocess

import mujoco
import numpy as np

from common import BUILD, ROOT, Best, compile_mujoco, run_json, say
from tables import table

ROBOTS = ("go1", "atlas", "humanoid")
SETTLE, STATES = 400, 200
PASSES = 30
VERTICES = 700
# Of their size, negative where they are apart.
OVERLAPS = {"hulls touching": 1e-4, "hulls overlapping 1 %": 0.01, "hulls overlapping 10 %": 0.1}
BODIES = 500
# Of MuJoCo's time; of the time of detection; in microseconds.
SLOWEST, DERIVATIVES, HULLS = 1.0, 0.5, 3.0


def _run(model, qpos, settle):
    """Configurations of MuJoCo's simulation, servos at where they start."""
    data = mujoco.MjData(model)
    data.qpos[:] = qpos
    for i in range(model.nu):
        if model.actuator_biastype[i] == mujoco.mjtBias.mjBIAS_AFFINE:
            data.ctrl[i] = qpos[model.jnt_qposadr[model.actuator_trnid[i, 0]]]
    states = []
    for k in range(settle + STATES):
        mujoco.mj_step(model, data)
        if k >= settle:
            states.append(data.qpos.copy())
    return states


def _write(folder, name, xml, states):
    model, file = folder / f"{name}.xml", folder / f"{name}.states"
    model.write_text(xml)
    np.savetxt(file, np.array(states), fmt="%.17g")
    return model, file


def _robots(prepared, folder):
    for robot in prepared:
        if robot.name not in ROBOTS:
            continue
        spec = mujoco.MjSpec.from_file(str(robot.mjcf))
        for geom in spec.geoms:
            geom.conaffinity = 1
        model = spec.compile()
        xml = spec.to_xml()
        yield robot.name, _write(folder, robot.name, xml, _run(model, robot.qpos, SETTLE))
        if robot.name == "go1":
            folded = np.tile(model.qpos0, (STATES, 1))
            folded[:, 2] = 1.0
            folded[:, 7:] += 1e-3 * np.sin(np.linspace(0, 6, STATES))[:, None] * np.arange(1, model.nq - 6)
            yield "go1 folded", _write(folder, "folded", xml, folded)


def _cloud(semi_axes, rng):
    directions = rng.normal(size=(VERTICES, 3))
    return directions / np.linalg.norm(directions, axis=1, keepdims=True) * semi_axes


def _turned(quaternion, angle):
    out = np.empty(4)
    mujoco.mju_mulQuat(out, np.concatenate([[np.cos(0.5 * np.linalg.norm(angle))], 0.5 * angle]), quaternion)
    return out / np.linalg.norm(out)


def _hulls(folder):
    rng = np.random.default_rng(3)
    words = lambda points: " ".join(f"{x:.9g}" for x in points.ravel())
    a, b = _cloud([0.1, 0.08, 0.12], rng), _cloud([0.09, 0.11, 0.1], rng)
    xml = f"""<mujoco><asset><mesh name="a" vertex="{words(a)}"/><mesh name="b" vertex="{words(b)}"/></asset>
<worldbody><geom name="a" type="mesh" mesh="a"/>
<body><freejoint/><geom name="b" type="mesh" mesh="b"/></body></worldbody></mujoco>"""
    model = mujoco.MjModel.from_xml_string(xml)
    data, span = mujoco.MjData(model), np.zeros(6)
    size = 0.2

    def distance(direction, reach, quaternion):
        data.qpos[:] = np.concatenate([direction * reach, quaternion])
        mujoco.mj_kinematics(model, data)
        return mujoco.mj_geomDistance(model, data, 0, 1, 1.0, span)

    for name, overlap in OVERLAPS.items():
        states = []
        for _ in range(20):
            direction, quaternion = rng.normal(size=3), rng.normal(size=4)
            direction, quaternion = direction / np.linalg.norm(direction), quaternion / np.linalg.norm(quaternion)
            near, far = 0.0, 1.0
            for _ in range(40):
                middle = 0.5 * (near + far)
                near, far = (near, middle) if distance(direction, middle, quaternion) > 0 else (middle, far)
            distance(direction, far + 1e-6, quaternion)
            normal = (span[3:] - span[:3]) / np.linalg.norm(span[3:] - span[:3])
            place = direction * far - overlap * size * normal
            turn, shift = 1e-3 * rng.normal(size=3), 1e-5 * rng.normal(size=3)
            for k in range(STATES // 20):
                states.append(np.concatenate([place + k * shift, quaternion]))
                quaternion = _turned(quaternion, turn)
        yield name, _write(folder, name.replace(" ", "_").replace("%", "percent"), xml, states)


def _bodies(folder):
    rng, lines = np.random.default_rng(4), []
    shapes = ['type="sphere" size="0.05"', 'type="box" size="0.05 0.04 0.03"', 'type="capsule" size="0.03 0.04"']
    for i in range(BODIES):
        x, y, z = 0.14 * (i % 8), 0.14 * (i // 8 % 8), 0.1 + 0.14 * (i // 64)
        dx, dy = rng.uniform(-0.01, 0.01, 2)
        lines.append(f'<body pos="{x + dx:.6f} {y + dy:.6f} {z:.6f}"><freejoint/><geom {shapes[i % 3]}/></body>')
    xml = '<mujoco><size memory="400M"/><option timestep="0.002"/><worldbody><geom type="plane" size="9 9 1"/>'
    xml += "\n".join(lines) + "</worldbody></mujoco>"
    model = mujoco.MjModel.from_xml_string(xml)
    yield f"{BODIES} bodies", _write(folder, "bodies", xml, _run(model, model.qpos0, SETTLE))


def _compile():
    """Our side: parts of it have no C function."""
    say("building the collision benchmark ...")
    manifest = str(ROOT / "Cargo.toml")
    command = ["cargo", "bench", "--locked", "--manifest-path", manifest, "--bench", "ours_collision", "--no-run"]
    run = subprocess.run([*command, "--message-format=json"], check=True, stdout=subprocess.PIPE, text=True)
    artifacts = (json.loads(line) for line in run.stdout.splitlines())
    return next(a["executable"] for a in artifacts if a.get("executable"))


def measure(prepared, rounds):
    """{scene: Best}"""
    ours = _compile()
    compile_mujoco("mujoco_collision.c")
    folder = BUILD / "collision"
    folder.mkdir(parents=True, exist_ok=True)
    scenes = dict([*_robots(prepared, folder), *_hulls(folder), *_bodies(folder)])
    best = {name: Best() for name in scenes}
    for round_ in range(rounds):
        say(f"collision: round {round_ + 1} of {rounds}")
        for name, (model, states) in scenes.items():
            passes = PASSES if name != f"{BODIES} bodies" else 1
            for side in (BUILD / "mujoco_collision", ours):
                best[name].add(run_json(side, model, states, passes))
    return best


def markdown(best, bounds):
    rows = []
    for name, b in best.items():
        contacts = lambda what: f"{b.last[what]['contacts']:.4g}"
        mine, theirs, moved = b["detection"], b["mj_collision"], b["derivatives by bodies"]
        collide, by_q = b["ds_sim_collide"], b["ds_sim_contact_derivatives"]
        hulls = name in OVERLAPS
        rows.append([
            name,
            f"{contacts('mj_collision')} / {contacts('detection')}",
            theirs,
            bounds.holds(f"{mine:.2f} (≤ {HULLS:g})", mine <= HULLS) if hulls else mine,
            bounds.at_most(mine / theirs, SLOWEST if name in ROBOTS else None),
            moved,
            bounds.at_most(moved / mine, DERIVATIVES if name in ROBOTS or hulls else None),
            collide,
            by_q,
            bounds.at_most(by_q / collide, None),
        ])
    head = ["", "contacts MuJoCo / ours", "mj_collision", "ours", "ratio", "derivatives", "of detection",
            "ds_sim_collide", "by δq", "of the call"]
    return ["## Collision", "", *__doc__.strip().splitlines(), "", *table(head, rows)]
