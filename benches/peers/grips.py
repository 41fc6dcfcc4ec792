"""Hydroelastic grips beside Drake: the spatula between soft pads, and two arms that open a jar of marbles.

The scenes are the examples of the Python package (`pip install bindings/python`). Drake builds them by the same calls, with
the same hints for its meshes, materials, collision filters and forces of each step. Our faces before they close
count as work, but not as faces. Both laws of Drake take part.
"""

import importlib.util
import json
import pathlib
import sys
import time

import numpy as np

from common import BUILD, HERE, ROOT, Best, run_json, say
from tables import table

EXAMPLES = ROOT / "examples" / "python" / "convex"
LAWS = ("sap", "lagged")
# Of Drake's mean step.
BOUND = 0.25


def _example(name):
    spec = importlib.util.spec_from_file_location(name, EXAMPLES / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _recorded(make):
    """The model that `make` builds, and the calls of its builder."""
    import diffsim

    calls, Builder = [], diffsim.Builder

    def plain(x):
        return x.tolist() if isinstance(x, np.ndarray) else x

    class Recorded(Builder):
        pass

    def recorder(name):
        def call(self, *args, **fields):
            out = getattr(Builder, name)(self, *args, **fields)
            calls.append([name, [plain(a) for a in args], {k: plain(v) for k, v in fields.items()}, out])
            return out

        return call

    for name in ("add_body", "add_joint", "add_geom"):
        setattr(Recorded, name, recorder(name))
    diffsim.Builder = Recorded
    try:
        return make(), calls
    finally:
        diffsim.Builder = Builder


def _spatula():
    m = _example("slip_control")
    model, calls = _recorded(lambda: m.grip(m.spatula))
    steps = int(2 * m.PERIOD / m.STEP)
    firm = [(i * m.STEP / m.PERIOD) % 1.0 < 1.0 - m.LOOSE_SHARE for i in range(steps)]
    feed = [[m.FIRM if f else m.LOOSE] * 2 for f in firm]
    zero = [0.0] * 2
    return model, calls, dict(time_step=m.STEP, goals=[zero] * steps, feed=feed, stiffness=zero, damping=zero)


def _jar():
    m = _example("jar")
    model, calls = _recorded(m.scene)
    steps = int(m.PLAN[-1][0] / m.STEP)
    goals, feed = [], []
    for i in range(steps):
        goal = m.wanted(i * m.STEP)
        goals.append([*goal[0:3], 0.0, 0.0, *goal[3:6], 0.0, 0.0])
        feed.append([0.0, 9.81 * 1.7, 0.0, *[goal[6]] * 2, 0.0, 9.81 * 1.7, 0.0, *[goal[7]] * 2])
    gains = [[*row, 0.0, 0.0] * 2 for row in m.GAINS.tolist()]
    return model, calls, dict(time_step=m.STEP, goals=goals, feed=feed, stiffness=gains[0], damping=gains[1])


SCENES = {"spatula": _spatula, "jar": _jar}


def ours(name, law):
    """Prints JSON lines. The actuated joints are the first dofs."""
    import diffsim

    model, _, plan = SCENES[name]()
    sim = diffsim.Sim(
        model, contact="convex", time_step=plan["time_step"], convex_variant=law, max_contacts=4000, derivatives=0
    )
    q, v, n = model.neutral(), np.zeros(model.nv), len(plan["stiffness"])
    u, seconds, faces = np.zeros(model.nu), [], []
    for goal, feed in zip(plan["goals"], plan["feed"]):
        u[:n] = feed + np.multiply(plan["stiffness"], goal - q[:n]) - np.multiply(plan["damping"], v[:n])
        start = time.thread_time()
        q, v = sim.step(q, v, u)
        seconds.append(time.thread_time() - start)
        if len(seconds) % 10 == 0:
            contacts = sim.contacts()
            faces.append([(contacts["pressure"] > 0).sum(), (contacts["area"] > 0).sum(), (contacts["area"] == 0).sum()])
    if not np.isfinite(q).all():
        sys.exit("our run does not stay finite")
    closed, all_faces, points = np.mean(faces, axis=0)
    print(json.dumps({"what": "mean step", "median_us": 1e6 * float(np.mean(seconds))}))
    print(json.dumps({"run": {"closed": closed, "faces": all_faces, "points": points, "last": q[-7:].tolist()}}))


def measure(drake, rounds):
    """By scene, engine and law."""
    if importlib.util.find_spec("diffsim") is None or not drake:
        say("grips skipped: they need Drake and the Python package (pip install bindings/python)")
        return {}
    BUILD.mkdir(parents=True, exist_ok=True)
    best = {}
    for name, make in SCENES.items():
        _, calls, plan = make()
        description = BUILD / f"{name}.json"
        description.write_text(json.dumps(dict(plan, calls=calls)))
        for round_ in range(rounds):
            say(f"{name}, round {round_ + 1} of {rounds}")
            for law in LAWS:
                best.setdefault(f"{name} {law}", Best()).add(run_json(sys.executable, HERE / "grips.py", name, law))
                theirs = run_json(drake, HERE / "drake_side.py", "grip", description, law)
                best.setdefault(f"{name} {law} Drake", Best()).add(theirs)
    return best


def markdown(best, bounds):
    rows = []
    for key in [k for k in best if not k.endswith("Drake")]:
        us, theirs = best[key], best[f"{key} Drake"]
        run, drake = us.last["run"], theirs.last["run"]
        ratio = bounds.at_most(us["mean step"] / theirs["mean step"], BOUND)
        faces = f"{run['closed']:.0f} of {run['faces']:.0f}, {drake['faces']:.0f}"
        points = f"{run['points']:.0f}, {drake['points']:.0f}"
        a_face = us["mean step"] / run["closed"] / (theirs["mean step"] / drake["faces"])
        rows.append([key, faces, points, us["mean step"], theirs["mean step"], ratio, f"{a_face:.2f}"])
    heads = ["scene and law", "closed faces of all, Drake's", "points, Drake's", "mean step", "Drake's", "ratio", "a face"]
    return ["### Hydroelastic grips", "", *table(heads, rows)]


if __name__ == "__main__":
    ours(*sys.argv[1:])
