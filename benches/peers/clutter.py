"""Piles of free bodies beside Drake's SAP, and how the time of a step grows with the contacts.

The scene of the SAP paper (Castro et al., An unconstrained convex formulation of compliant contact,
2022): four columns of spheres and boxes in turn fall into a container of 80 cm; steps of 10 ms.
Drake's contact is as stiff as the paper's nearly rigid setting. Ours is taken three times: by the convex law, which is Drake's
with the same stiffness and dissipation, and by the default, rigid contact with exact cones, of which no peer has the like;
and with friction pyramids.
Balls roll by half a radian a step: free bodies are stepped in world axes, as Drake and MuJoCo step them.
"""

import json
import math

import mujoco
import numpy as np

import scenarios
from common import BUILD, HERE, Best, compile_mujoco, compile_ours, run_json, say
from tables import table

COUNTS = [10, 20, 40, 80, 160]
TIME_STEP, SECONDS = 0.01, 4.0
RADIUS, DENSITY, FRICTION = 0.05, 1000.0, 1.0
INSIDE, WALL = 0.8, 0.1
# Room for each body's contacts, of which falling boxes foresee many.
CONTACTS = 24
# Our run of one scene ends after this many seconds.
LONGEST = 30.0
LAWS = {"convex": "Convex compliant contact, as Drake's", "ncp": "Rigid contact, exact cones", "lcp": "Rigid contact, friction pyramids"}
# At 40 bodies, of Drake's time; and the power of the contact count.
BOUND_AT_40, POWER = 0.5, 1.5


def scene(count):
    """Walls as (centre, half extents); bodies as (kind, position, yaw)."""
    half, wall = INSIDE / 2, WALL / 2
    walls = [((0, 0, -wall), (half + WALL, half + WALL, wall))]
    for sign in (-1, 1):
        walls.append(((sign * (half + wall), 0, half), (wall, half + WALL, half)))
        walls.append(((0, sign * (half + wall), half), (half, wall, half)))
    rng, bodies = np.random.default_rng(0), []
    for i in range(count):
        layer, column = divmod(i, 4)
        x, y = (-0.2, 0.2)[column % 2], (-0.2, 0.2)[column // 2]
        dx, dy, turn = rng.uniform(-1, 1, 3)
        kind = "sphere" if (layer + column) % 2 == 0 else "box"
        bodies.append((kind, (x + 0.01 * dx, y + 0.01 * dy, 0.1 + 0.15 * layer), 0.3 * turn))
    return {"walls": walls, "bodies": bodies, "time_step": TIME_STEP, "radius": RADIUS, "density": DENSITY,
            "friction": FRICTION, "steps": round(SECONDS / TIME_STEP)}


def _mjcf(scene):
    words = lambda numbers: " ".join(f"{x:.17g}" for x in numbers)
    lines = ['<mujoco model="clutter"><compiler angle="radian"/>',
             f'<default><geom friction="{FRICTION} 0 0" density="{DENSITY}"/></default><worldbody>']
    for centre, extents in scene["walls"]:
        lines.append(f'<geom type="box" pos="{words(centre)}" size="{words(extents)}"/>')
    for kind, position, yaw in scene["bodies"]:
        size = RADIUS if kind == "sphere" else words([RADIUS] * 3)
        lines.append(f'<body pos="{words(position)}" quat="{words([math.cos(yaw / 2), 0, 0, math.sin(yaw / 2)])}"><freejoint/>'
                     f'<geom type="{kind}" size="{size}"/></body>')
    return "\n".join([*lines, "</worldbody></mujoco>"]) + "\n"


def measure(drake, rounds):
    """{name: Best} of the peers by count and of ours by count and law; `drake` is the interpreter that has it, or None."""
    compile_ours("ours_step.c")
    compile_mujoco("mujoco_step.c")
    best = {}
    for count in COUNTS:
        folder = BUILD / "clutter"
        folder.mkdir(exist_ok=True)
        description, mjcf, run, made = folder / f"{count}.json", folder / f"{count}.xml", folder / f"{count}.bin", scene(count)
        description.write_text(json.dumps(made))
        mjcf.write_text(_mjcf(made))
        qpos = mujoco.MjModel.from_xml_path(str(mjcf)).qpos0
        scenarios.write_scenario(run, TIME_STEP, qpos, np.zeros((made["steps"], 0)))
        for name in (_peers(count), *(_ours(count, law) for law in LAWS)):
            best[name] = Best()
        for round_ in range(rounds):
            say(f"clutter of {count}, round {round_ + 1} of {rounds}")
            best[_peers(count)].add(run_json(BUILD / "mujoco_step", mjcf, run, 0, "busy"))
            for law in LAWS:
                ours = run_json(BUILD / "ours_step", mjcf, run, 0, "busy", CONTACTS * count, LONGEST, law)
                best[_ours(count, law)].add(ours)
            if drake:
                best[_peers(count)].add(run_json(drake, HERE / "drake_side.py", "clutter", description))
    return best


def _peers(count):
    return f"{count}"


def _ours(count, law):
    return f"{count} {law}"


def _power(points):
    """Slope of the line through (log contacts, log time)."""
    x, y = np.log(np.array(points)).T
    return float(np.polyfit(x, y, 1)[0])


def _table(best, law, bounds):
    settled, ours, drake, rows = "step, last quarter", [], [], []
    for count in COUNTS:
        b, peers, bound = best[_ours(count, law)], best[_peers(count)], BOUND_AT_40 if count == 40 else None
        run = b.last["run"]
        finished = run["steps"] == round(SECONDS / TIME_STEP)
        contacts = b.last["last_quarter" if finished else "run"]["contacts"]
        row = [count, f"{contacts:.0f}", f"{run['residual']:.0e}", run["unsolved"]]
        if finished:
            row += [b["step"], b[settled]]
            ours.append((contacts, b[settled]))
        else:
            # The run so far is the fall: nothing to compare with.
            row += [f"{run.get('failure', 'stopped')} after {run['steps']} steps", "-"]
        row.append(peers["mj_step"])
        if "Drake step" in peers:
            drake.append((peers.last["drake_run"]["contacts"], peers["Drake step, last quarter"]))
            row += [peers["Drake step"], peers["Drake step, last quarter"]]
            if finished:
                row.append(bounds.at_most(b["step"] / peers["Drake step"], bound))
            else:
                row.append("-" if bound is None else bounds.holds(f"- (≤ {bound:g})", False))
        else:
            row += ["-", "-", "-"]
        rows.append(row)
    power = f"contacts to the power {_power(ours):.2f}" if len(ours) > 1 else "nothing that could be measured"
    power = bounds.holds(f"{power} (≤ {POWER})", len(ours) == len(COUNTS) and _power(ours) <= POWER)
    return [
        f"{LAWS[law]}:",
        "",
        *table(["bodies", "contacts", "residual", "unsolved", "step", "settled", "mj_step", "Drake SAP", "settled", "ratio"], rows),
        "",
        f"The time of a settled step grows as {power}" + (f"; Drake's as {_power(drake):.2f}." if len(drake) > 1 else "."),
    ]


def markdown(best, bounds):
    lines = [
        "### Clutter",
        "",
        f"Spheres and boxes of {100 * RADIUS:g} cm (radius, half extent) fall into a container of {INSIDE} m; {SECONDS:g} s in steps of",
        f'{TIME_STEP} s. Contacts and "settled" are of the last quarter of the run; a run of ours ends after {LONGEST:g} s.',
        "MuJoCo's contact is soft; Drake's is SAP, nearly rigid. Residuals of convex contact are relative, of momentum.",
    ]
    for law in LAWS:
        lines += ["", *_table(best, law, bounds)]
    return lines
