"""Boxed contact against Nimble's: one step of one body on the floor.

Where Nimble is right the two agree to round-off. Where it is not, ours is compared with the closed form, and a line says
what Nimble makes of it:

- four corners of a box that slides: in many states Nimble drops the friction of all four, and the box keeps its speed;
- four corners of a box that touches the floor at depth 0: Nimble leaves some 1e-6 m/s;
- a body that bounces: Nimble's rebounds from the velocity after the step's gravity, e g h too fast, ours from that of its approach.
"""

import json
import pathlib
import subprocess
import tempfile

import numpy as np

import diffsim_c as ds
from environments import NIMBLE, interpreter

GRAVITY, ALLOWED = 9.81, 1e-9
BALL, BOX = [0.05], [0.2, 0.15, 0.1]


def case(what, size, velocity, friction=0.0, spin=(0.0, 0.0, 0.0), h=0.01, above=0.0, mass=2.0, restitution=0.0):
    squares = np.square(size)
    if len(size) == 1:
        inertia = [0.4 * mass * squares[0]] * 3
    else:
        inertia = [mass * (squares.sum() - s) / 3 for s in squares]
    return {
        "what": what, "size": size, "velocity": velocity, "friction": friction, "spin": spin, "time_step": h, "mass": mass,
        "inertia": inertia, "height": size[-1] + above, "restitution": restitution,
    }


SAME = [
    case("box, free", [0.1, 0.2, 0.3], (0.5, -0.2, 0.3), spin=(1.0, 2.0, 3.0), above=2.0),
    case("ball that sticks", BALL, (0.1, 0.02, 0.0), 0.8),
    case("spinning ball that sticks", BALL, (0.1, 0.02, 0.0), 0.8, spin=(0.3, -1.0, 0.7)),
    case("ball that slides", BALL, (1.0, 0.0, 0.0), 0.1),
    case("ball that slides across", BALL, (1.0, 0.4, 0.0), 0.1),
    case("ball that sticks along y", BALL, (1.0, 0.02, 0.0), 0.1),
    case("ball that lands", BALL, (1.0, -0.4, -0.2), 0.1),
    case("box that rests", BOX, (0.0, 0.0, 0.0), 0.5, above=-1e-4),
    case("box that lands", BOX, (0.0, 0.0, -0.3), 0.5, above=-1e-4),
]
TOUCHING = [case("box that just touches", BOX, (0.0, 0.0, 0.0), 0.5)]
SLIDING = [
    case(f"box {speed:g} m/s μ {mu:g} {1e3 * h:g} ms", size, (speed, 0.0, 0.0), mu, h=h)
    for mu, h, speed, size in [
        (0.4, 0.01, 0.7, BOX), (0.5, 0.02, 0.7, BOX), (1.0, 0.01, 0.7, BOX), (0.8, 0.04, 1.0, [0.1] * 3), (0.5, 0.04, 1.0, BOX),
    ]
]
BOUNCING = [
    case(f"{name} that bounces, e = {e:g}", size, (0.0, 0.0, -2.0), restitution=e)
    for name, size in [("ball", BALL), ("box", BOX)] for e in (0.5, 1.0)
]


def ours(case):
    numbers = lambda xs: " ".join(map(repr, map(float, xs)))
    kind = "sphere" if len(case["size"]) == 1 else "box"
    scene = f"""<mujoco><default><geom friction="{case["friction"]} 0 0"/></default><worldbody>
      <geom name="ground" type="plane" size="0 0 1"/>
      <body name="body" pos="0 0 {case["height"]!r}"><freejoint/>
        <inertial pos="0 0 0" mass="{case["mass"]}" diaginertia="{numbers(case["inertia"])}"/>
        <geom name="body" type="{kind}" size="{numbers(case["size"])}"/></body></worldbody></mujoco>"""
    with tempfile.TemporaryDirectory() as directory:
        path = pathlib.Path(directory) / "scene.xml"
        path.write_text(scene)
        model = ds.Model(path)
    # Nimble steps a free joint in the body's own axes, and pushes nothing out.
    integrator = ds.lib.DS_INTEGRATOR_SYMPLECTIC_EULER
    sim = ds.Sim(model, time_step=case["time_step"], contact=ds.lib.DS_CONTACT_LCP, integrator=integrator, kp=1.0)
    sim.set_params([(ds.lib.DS_PARAM_GEOM_RESTITUTION, 1, 0)], [case["restitution"]])
    _, v = sim.step(model.neutral(), np.array([*case["velocity"], *case["spin"]]), [])
    return np.array([*v[3:], *v[:3]])


def compare(report):
    python = interpreter(NIMBLE)
    if python is None:
        report.skip("Nimble", "cannot be installed")
        return
    cases = SAME + TOUCHING + SLIDING + BOUNCING
    script = pathlib.Path(__file__).with_name("nimble_contact.py")
    run = subprocess.run([str(python), str(script)], input=json.dumps(cases), capture_output=True, text=True)
    if run.returncode:
        report.fail("Nimble", f"{run.stderr.strip().splitlines()[-1:]}")
        return
    theirs = iter(np.array(velocity) for velocity, _ in json.loads(run.stdout))
    for case, theirs_ in zip(SAME, theirs):
        report.row(case["what"], "velocity", np.abs(ours(case) - theirs_).max(), ALLOWED)
    for case, theirs_ in zip(TOUCHING, theirs):
        report.row(case["what"], "velocity, of rest", np.abs(ours(case)).max(), ALLOWED)
        report.note(case["what"], f"Nimble: {np.abs(theirs_).max():.1e} m/s or rad/s")
    for case, theirs_ in zip(SLIDING, theirs):
        speed, brake = case["velocity"][0], case["friction"] * GRAVITY * case["time_step"]
        report.row(case["what"], "speed, by Coulomb's law", abs(ours(case)[3] - (speed - brake)), ALLOWED)
        kept = (speed - theirs_[3]) / brake
        report.note(case["what"], f"Nimble: {theirs_[3]:.4f} m/s of {speed - brake:.4f}, {100 * kept:.0f} % of the friction")
    for case, theirs_ in zip(BOUNCING, theirs):
        e, fall = case["restitution"], -case["velocity"][2]
        report.row(case["what"], "speed, e times the approach", abs(ours(case)[5] - e * fall), ALLOWED)
        late = e * GRAVITY * case["time_step"]
        report.row(case["what"], "the same, Nimble's less e g h", abs(theirs_[5] - late - e * fall), ALLOWED)
