"""Facts about a robot and its unusual properties: the tables of `diffsim info`, `check` and `bench`."""

import os
import re
import tempfile
import time
from dataclasses import asdict, dataclass, field
from typing import Any, Callable, Dict, List, Optional, Tuple

import numpy as np

from ._errors import DiffsimError
from .enums import Actuation, Base, ContactLaw, GeomKind, Gradient, JointKind, Mimic, MissingMesh
from .model import Model
from .sim import Sim

#: Directions of the gradient check, and the largest relative error that passes.
DIRECTIONS, TOLERANCE = 6, 1e-4
#: Steps of its differences. If one step does not confirm the derivative, the next one is tried: a light robot
#: may pass a switch within the first.
DIFFERENCES = (1e-6, 1e-7, 1e-8)
#: Tolerance of contact problems for the second comparison with differences.
FINE = 1e-13


@dataclass
class Finding:
    """A finding. level: note, warning or error; cure: the option or change that helps, if there is one."""

    level: str
    what: str
    cure: str = ""


@dataclass
class Examined:
    """Findings and facts about a robot."""

    path: str
    findings: List[Finding] = field(default_factory=list)
    facts: Dict[str, Any] = field(default_factory=dict)

    def add(self, level: Any, what: Any, cure: Any = "") -> None:
        """Adds a finding."""
        self.findings.append(Finding(level, what, cure))

    @property
    def failed(self) -> bool:
        """True if a finding is an error."""
        return any(f.level == "error" for f in self.findings)

    def as_dict(self) -> Dict[str, Any]:
        """The facts and findings for JSON."""
        return {"path": self.path, **self.facts, "findings": [asdict(f) for f in self.findings]}


#: Pattern of an error message, the option that helps, its value, and its text for the command line.
_CURES: List[Tuple[str, str, int, str]] = [
    (r"is not a joint of the file", "mimic", Mimic.INDEPENDENT, "--mimic independent (mimic=DS_MIMIC_INDEPENDENT) lets such joints move on their own"),
    (r"mimic", "mimic", Mimic.COUPLE, "--mimic couple (mimic=DS_MIMIC_COUPLE) holds such joints to their leaders"),
    # `lost` reports the geometry that is left out.
    (r"missing_mesh", "missing_mesh", MissingMesh.SKIP, ""),
]


def load(path: Any, examined: Optional[Examined] = None, mesh_dirs: Any = (), **options: Any) -> Model:
    """Loads a robot. With `examined`, an error that an option cures becomes a finding, and the option is set."""
    options = dict(options)
    for _ in range(len(_CURES) + 1):
        try:
            return Model.load(path, mesh_dirs=mesh_dirs, **options)
        except DiffsimError as error:
            cure = next((c for c in _CURES if re.search(c[0], str(error)) and options.get(c[1]) != c[2]), None)
            if examined is None or cure is None:
                raise
            if cure[3]:
                examined.add("warning", f"refused as it is: {error}", cure[3])
            options[cure[1]] = cure[2]
    return Model.load(path, mesh_dirs=mesh_dirs, **options)


def describe(model: Model) -> Dict[str, Any]:
    """Sizes, masses and the tree of a model, for JSON."""
    bodies, joints, geoms = model.bodies, model.joints, model.geoms
    moved: Dict[int, List[Any]] = {}
    for joint in joints:
        moved.setdefault(joint.body, []).append(joint)
    kinds: Dict[str, int] = {}
    for geom in geoms:
        name = geom.kind.name.lower()
        kinds[name] = kinds.get(name, 0) + 1
    return {
        "nq": model.nq,
        "nv": model.nv,
        "nu": model.nu,
        "mass": float(sum(b.inertia[0] for b in bodies)),
        "geoms": kinds,
        "keyframes": list(model.keyframe_names),
        "time_step": model.time_step,
        "bodies": [
            {
                "name": body.name,
                "parent": body.parent,
                "mass": float(body.inertia[0]),
                "geoms": sum(g.body == i for g in geoms),
                "joints": [
                    {
                        "name": j.name,
                        "kind": j.kind.name.lower(),
                        "limits": [x if np.isfinite(x) else None for x in j.limits],
                    }
                    for j in moved.get(i, [])
                ],
            }
            for i, body in enumerate(bodies)
        ],
    }


def tree(facts: Dict[str, Any]) -> List[str]:
    """The bodies of `describe` as lines of a drawn tree."""
    bodies = facts["bodies"]
    children: Dict[int, List[int]] = {}
    for i, body in enumerate(bodies):
        if i:
            children.setdefault(body["parent"], []).append(i)
    lines = []

    def words(body: Any) -> Any:
        parts = [body["name"] or "(no name)"]
        for joint in body["joints"]:
            low, high = joint["limits"]
            span = f" [{low:.4g}, {high:.4g}]" if low is not None and high is not None else ""
            parts.append(f"◂ {joint['name'] or '(no name)'} {joint['kind']}{span}")
        parts.append(f"{body['mass']:.4g} kg" if body["mass"] else "no mass")
        if body["geoms"]:
            parts.append(f"{body['geoms']} geom{'s' * (body['geoms'] > 1)}")
        return "  ".join(parts)

    # An explicit stack instead of recursion: chains may be long.
    stack = [(0, "", "", "")]
    while stack:
        i, lead, branch, below = stack.pop()
        lines.append(lead + branch + words(bodies[i]))
        of = children.get(i, [])
        for k in reversed(range(len(of))):
            last = k == len(of) - 1
            stack.append((of[k], lead + below, "└─ " if last else "├─ ", "   " if last else "│  "))
    return lines


def overlaps(model: Model, q: Any) -> List[Tuple[str, str, float]]:
    """Pairs of geoms that overlap at q and may touch, with the gap [m], deepest first."""
    sim = Sim(model, derivatives=0)
    contacts = sim.collide(q)
    deepest: Dict[Tuple[int, int], float] = {}
    for c in contacts:
        pair = (int(c["geom_a"]), int(c["geom_b"]))
        deepest[pair] = min(deepest.get(pair, 0.0), float(c["gap"]))

    def name(i: int) -> str:
        return model.geom(i).name or f"geom {i}"

    found = [(name(a), name(b), gap) for (a, b), gap in deepest.items() if gap < -1e-6]
    return sorted(found, key=lambda x: x[2])


def passed_limits(model: Model, q: Any) -> List[Tuple[str, float, float, float]]:
    """One-dof joints outside their limits: name, coordinate, limits."""
    out = []
    for joint in model.joints:
        if joint.nq == 1 and not joint.limits[0] - 1e-9 <= q[joint.q_index] <= joint.limits[1] + 1e-9:
            out.append((joint.name, float(q[joint.q_index]), *joint.limits))
    return out


def many(count: int, one: str, more: str = "") -> str:
    """A number with its noun."""
    return f"{count} {one if count == 1 else more or one + 's'}"


def hints(model: Model) -> List[str]:
    """Reasons for a surprising simulation: the robot hangs from the world, or there is no ground."""
    out = []
    if not any(j.kind == JointKind.FREE for j in model.joints) and any(b.parent == 0 and b.mass > 0 for b in model.bodies[1:]):
        out.append("it hangs from the world: --base free lets it float")
    if not any(g.kind in (GeomKind.PLANE, GeomKind.HEIGHT_FIELD) for g in model.geoms):
        out.append("there is no ground: --ground adds the plane z = 0")
    return out


def _some(items: Any, words: Any, most: Any = 4) -> Any:
    items = list(items)
    shown = ", ".join(words(x) for x in items[:most])
    return shown + (f" and {len(items) - most} more" if len(items) > most else "")


_OPEN = re.compile(r'geom "(.*)".*: its mesh is open and collides as its hull')
_LEFT_OUT = re.compile(r" (?:not found|of an unsupported format), (?:(\d+) geometries|geometry) left out$")


def lost(model: Model) -> Tuple[int, List[str]]:
    """Number of collision geometries that a model lost because their meshes were not found, and a line for each
    folder."""
    found = [(w, m) for w, m in ((w, _LEFT_OUT.search(w)) for w in model.warnings) if m]
    return sum(int(m[1] or 1) for _, m in found), [w for w, _ in found]


def loss(model: Model) -> str:
    """Text about the lost geometry of a model; empty if it lost none."""
    count, lines = lost(model)
    if not count:
        return ""
    left = f"{model.ngeom} are left" if model.ngeom else "NO GEOMETRY IS LEFT"
    return f"{count} of its collision geometries are LOST, {left}: their meshes were not found: {_some(lines, str)}"


def look(model: Model, examined: Examined) -> None:
    """Findings that need no step: warnings, masses, overlaps and limits at the neutral configuration."""
    if loss(model):
        examined.add(
            "error",
            loss(model),
            "--mesh-dir FOLDER (mesh_dirs), ROS_PACKAGE_PATH or AMENT_PREFIX_PATH say where packages and meshes are",
        )
    massless = [j for j in (re.match(r'joint "(.*)": it moves no mass', w) for w in model.warnings) if j]
    if massless:
        examined.add(
            "warning",
            f"{many(len(massless), 'joint')} {'moves' if len(massless) == 1 else 'move'} no mass: {_some(massless, lambda found: found[1])}",
            "give their bodies an inertia in the file; without one the first step fails that asks for their acceleration",
        )
    shells = [(w, s) for w, s in ((w, _OPEN.match(w)) for w in model.warnings) if s]
    if shells:
        names = _some(shells, lambda found: found[1][1])
        examined.add("note", f"{len(shells)} meshes are open and collide as their hulls: {names}")
    told = {w for w, _ in shells}
    warnings = [w for w in model.warnings if "it moves no mass" not in w and not _LEFT_OUT.search(w) and w not in told]
    # The sims below need not warn of settings that are listed here.
    model._warned_of_settings = True
    for warning in warnings[:6]:
        examined.add("note", f"while reading: {warning}")
    if len(warnings) > 6:
        examined.add("note", f"while reading: {len(warnings) - 6} more, which model.warnings has")
    neutral = model.neutral()
    try:
        pairs = overlaps(model, neutral)
    except DiffsimError as error:
        examined.add("warning", f"contacts cannot be found at neutral: {error}", "a larger max_contacts, or another model")
        pairs = []
    # Only pairs within one robot are left out, so the option may have no effect.
    excluded = 0
    if pairs:
        apart = model.exclude_overlapping(neutral)
        apart._warned_of_settings = True
        excluded = len(pairs) - len(overlaps(apart, neutral))
    option = "--exclude-overlapping (exclude_overlapping=1 when loading), or " if excluded else ""
    if pairs:
        deepest = _some(pairs, lambda p: f"{p[0]} and {p[1]} by {-p[2] * 1e3:.3g} mm")
        examined.add(
            "warning",
            f"{many(len(pairs), 'pair')} of geoms {'overlaps' if len(pairs) == 1 else 'overlap'} at neutral: {deepest}",
            f"{option}start from home, as the commands do (model.home())",
        )
    examined.facts["overlaps"] = [list(p) for p in pairs]
    examined.facts["excludable"] = excluded
    beyond = passed_limits(model, neutral)
    if beyond:
        names = _some(beyond, lambda j: f"{j[0]} at {j[1]:.4g} of [{j[2]:.4g}, {j[3]:.4g}]")
        examined.add("warning", f"{many(len(beyond), 'joint')} {'passes' if len(beyond) == 1 else 'pass'} a limit at neutral: {names}", "start from home, as the commands do (model.home())")
    examined.facts["passed_limits"] = [list(p) for p in beyond]
    bodies, joints = model.bodies, model.joints
    free = any(j.kind == JointKind.FREE for j in joints)
    heavy = [b for b in bodies[1:] if b.parent == 0 and b.inertia[0] > 0]
    jointed = {j.body for j in joints if j.kind != JointKind.FIXED}
    welded = [b.name for i, b in enumerate(bodies) if i and b.parent == 0 and i not in jointed]
    if not free and welded:
        examined.add(
            "note",
            f"{_some(welded, str)} is welded to the world",
            "--base free (base=DS_BASE_FREE) lets it float" if heavy else "",
        )
    if not model.nu:
        examined.add("note", "it has no inputs", "--actuation joints (actuation=DS_ACTUATION_JOINTS) gives each joint's dof one, --actuation full (DS_ACTUATION_FULL) a floating base's, too")
    if not any(g.kind in (GeomKind.PLANE, GeomKind.HEIGHT_FIELD) for g in model.geoms):
        examined.add("note", "there is no ground", "--ground (ground_plane=1) adds the plane z = 0")


def run(
    model: Model,
    sim: Sim,
    steps: int,
    tick: Callable[[int], None] = lambda k: None,
    seconds: float = float("inf"),
    labels: bool = False,
) -> Any:
    """Simulates a fall from home for this number of steps or seconds. Returns the states at a tenth of the steps, the
    counts, the seconds of each step, and the largest speed. With `labels` it asks each step for its derivative, for at
    most the same time once more: only then the label says whether the sides of a switch differ."""
    spent, asking = 0.0, 0.0
    out = sim.new_jacobians() if labels else None
    q, v = model.home(), np.zeros(model.nv)
    u = np.zeros(model.nu)
    states, times = [], []
    counts = {"unsolved": 0, "contacts": 0, "one_sided": 0, "refused": 0, "given_up": 0, "labelled": 0}
    top = 0.0
    for k in range(steps):
        before = (q, v, sim.memory)
        began = time.perf_counter()
        q, v = sim.step(q, v, u)
        times.append(time.perf_counter() - began)
        spent += times[-1]
        info = sim.info()
        label = None if labels else info.gradient
        if labels and asking < seconds:
            began = time.perf_counter()
            try:
                sim.jacobians(out=out)
                label = sim.info().gradient
            except DiffsimError:
                label = Gradient.REFUSED
            asking += time.perf_counter() - began
            counts["labelled"] += 1
        counts["unsolved"] += not info.converged
        counts["contacts"] = max(counts["contacts"], info.contacts)
        counts["one_sided"] += label == Gradient.ONE_SIDED
        counts["refused"] += label == Gradient.REFUSED
        counts["given_up"] += info.push_out_given_up
        top = max(top, float(np.abs(v).max(initial=0.0)))
        if k % max(1, steps // 10) == 0:
            states.append((*before, info))
        tick(k + 1)
        if spent > seconds:
            break
    return states, counts, np.array(times), top


def gradient_error(model: Model, sim: Sim, state: Any, rng: Any, end: float = float("inf")) -> Optional[Tuple[float, float]]:
    """Largest relative errors of the step's derivative along random directions: against central differences, and of
    reverse against forward mode. None if the step is not exact. After the time `end` it tries no further
    direction."""
    q, v, memory, _ = state
    u, nv, nu = np.zeros(model.nu), model.nv, model.nu

    def step(dq: Any, dv: Any, du: Any) -> Any:
        sim.memory = memory
        return sim.step(model.integrate(q, dq), v + dv, u + du)

    step(np.zeros(nv), np.zeros(nv), np.zeros(nu))
    if sim.info().gradient != Gradient.EXACT or sim.info().switch_distance < 1e-4:
        return None
    worst = turned = 0.0
    for k in range(DIRECTIONS):
        if k and time.perf_counter() > end:
            break
        step(np.zeros(nv), np.zeros(nv), np.zeros(nu))
        dq, dv, du = rng.normal(size=nv), rng.normal(size=nv), rng.normal(size=nu)
        size = np.sqrt(dq @ dq + dv @ dv + du @ du)
        dq, dv, du = dq / size, dv / size, du / size
        forward = np.concatenate(sim.jvp(dq, dv, du))
        if sim.info().gradient != Gradient.EXACT:
            return None
        bar = rng.normal(size=2 * nv)
        pulled = sim.vjp(bar[:nv].copy(), bar[nv:].copy())
        reverse = pulled.q @ dq + pulled.v @ dv + pulled.u @ du
        turned = max(turned, abs(bar @ forward - reverse) / (np.linalg.norm(bar) * np.linalg.norm(forward) + 1e-12))
        error = float("inf")
        for h in DIFFERENCES:
            there, back = [step(s * h * dq, s * h * dv, s * h * du) for s in (1, -1)]
            difference = np.concatenate([model.difference(back[0], there[0]), there[1] - back[1]]) / (2 * h)
            error = min(error, float(np.linalg.norm(forward - difference) / max(1.0, float(np.linalg.norm(difference)))))
            if error < 0.01 * TOLERANCE:
                break
        worst = max(worst, error)
    return worst, float(turned)


def check(model: Model, examined: Examined, steps: int = 300, tick: Callable[[int], None] = lambda k: None, seconds: float = 15.0, **options: Any) -> None:
    """Steps, differentiates and times a model, and adds findings. Steps and derivatives end after `seconds` each,
    even if incomplete."""
    look(model, examined)
    if model.nv == 0:
        examined.add("note", "nothing of it moves")
        return
    try:
        sim = Sim(model, **options)
        states, counts, times, top = run(model, sim, steps, tick, seconds, labels=True)
    except DiffsimError as error:
        massless = any("move no mass" in f.what for f in examined.findings)
        unsound = "the joints that move no mass, above" if massless else "a smaller time_step"
        examined.add("error", f"it cannot be stepped: {error}", unsound if "finite" in str(error) else "the message names the option")
        return
    taken = len(times)
    if taken < steps:
        examined.add(
            "warning",
            f"only {taken} of {steps} steps were taken in {seconds:g} s: {counts['contacts']} contacts make them slow",
            ("--exclude-overlapping leaves out pairs that overlap; " if examined.facts["excludable"] else "") + "--contact convex (contact=DS_CONTACT_CONVEX) suits many contacts",
        )
        steps = taken
    examined.facts["steps"] = {"count": steps, **counts, "top_speed": top}
    if counts["unsolved"]:
        examined.add(
            "warning",
            f"{counts['unsolved']} of {steps} steps were not solved to the tolerance: they have no derivative",
            "--contact convex (contact=DS_CONTACT_CONVEX) always has a solution; or --time-step, a smaller one, or a larger max_work",
        )
    if counts["given_up"]:
        examined.add("note", f"in {counts['given_up']} steps jammed bodies could not be pushed apart", ("--exclude-overlapping, or " if examined.facts["excludable"] else "") + "another start")
    if top > 100.0:
        examined.add("warning", f"a dof reached {top:.4g} rad/s or m/s while falling from home", "a smaller time_step; damping or armature on light joints")
    differentiate(model, sim, states, examined, seconds, **options)
    examined.facts["timing"] = timing(model, sim, states, times)


def differentiate(model: Model, sim: Sim, states: Any, examined: Examined, seconds: float, **options: Any) -> None:
    """Checks derivatives at the states of a run. If none is exact with contact, it checks them without contact."""
    rng = np.random.default_rng(0)
    errors, aside = [], False
    end = time.perf_counter() + seconds
    for state in states:
        if time.perf_counter() > end:
            break
        try:
            found = gradient_error(model, sim, state, rng, end)
            if found and found[0] > TOLERANCE:
                # The error of the solver is within its tolerance, but may be visible in a difference over a
                # small step.
                fine = Sim(model, **{**options, "tolerance": FINE})
                found = gradient_error(model, fine, state, rng, end) or found
        except DiffsimError as error:
            examined.add("note", f"a derivative was refused: {error}")
            continue
        if found:
            errors.append(found)
    if not errors:
        aside = True
        smooth = Sim(model, contact=ContactLaw.NONE)
        without = [gradient_error(model, smooth, (q, v, np.zeros(0), info), rng) for q, v, _, info in states]
        errors = [x for x in without if x]
        examined.add(
            "note",
            "at no state of the run was the derivative with contact exact and far from a switch; it was checked without contact",
            "exclude pairs that overlap (--exclude-overlapping)" if examined.facts["excludable"] else "",
        )
    examined.facts["gradient"] = {"states": len(errors), "without_contact": aside}
    if not errors:
        return
    worst, turned = (max(x) for x in zip(*errors))
    examined.facts["gradient"].update(against_differences=worst, reverse_against_forward=turned)
    if turned > 1e-8:
        examined.add("error", f"reverse and forward derivatives differ by {turned:.2g}", "please report this")
    if worst > TOLERANCE:
        examined.add(
            "warning",
            f"the derivative differs from central differences by {worst:.2g}",
            "near a switch of modes there is no two-sided difference; see Sim.info().switch_distance",
        )


def timing(model: Model, sim: Sim, states: Any, times: Any) -> Dict[str, Any]:
    """Median time [µs] of a step and of its Jacobians, called from Python."""
    q, v, memory, _ = states[-1]
    u = np.zeros(model.nu)
    out = sim.new_jacobians()
    spent: List[float] = []
    while len(spent) < 15 and sum(spent) < 1.0:
        sim.memory = memory
        sim.step(q, v, u)
        began = time.perf_counter()
        try:
            sim.jacobians(out=out)
        except DiffsimError:
            break
        spent.append(time.perf_counter() - began)
    return {
        "step_us": float(1e6 * np.median(times)),
        "worst_step_us": float(1e6 * np.max(times)),
        "jacobians_us": float(1e6 * np.median(spent)) if spent else None,
    }


def peers(path: Any, model: Model, steps: int, as_loaded: bool) -> Dict[str, Any]:
    """Median time [µs] of MuJoCo's step, if MuJoCo is installed and reads the robot. It gets the file itself if the
    file is an MJCF and `as_loaded` is false; otherwise the MJCF that `model` gives, because MuJoCo has neither the load
    options nor the folders of packages. `lost`: the elements of the model that this MJCF lacks."""
    try:
        import mujoco
    except ImportError:
        return {"mujoco": None, "why": "MuJoCo is not installed"}
    own = not as_loaded and str(path).lower().endswith((".xml", ".mjcf"))
    lost: Tuple[str, ...] = ()
    with tempfile.TemporaryDirectory() as folder:
        try:
            if not own:
                path = os.path.join(folder, "robot.xml")
                lost = model.save(path)
            m = mujoco.MjModel.from_xml_path(str(path))
        except Exception as error:  # noqa: BLE001  (MuJoCo raises many kinds)
            return {"mujoco": None, "why": f"MuJoCo does not read it: {str(error).splitlines()[0]}"}
    data = mujoco.MjData(m)
    spent = []
    for _ in range(steps):
        began = time.perf_counter()
        mujoco.mj_step(m, data)
        spent.append(time.perf_counter() - began)
    return {"mujoco": float(1e6 * np.median(spent)), "version": mujoco.__version__, "own_file": own, "lost": list(lost)}


CHOICES: Dict[str, Any] = {
    "base": {"file": Base.FROM_FILE, "free": Base.FREE, "fixed": Base.FIXED},
    "actuation": {"file": Actuation.FROM_FILE, "full": Actuation.FULL, "joints": Actuation.JOINTS},
    "mimic": {"error": Mimic.ERROR, "couple": Mimic.COUPLE, "independent": Mimic.INDEPENDENT, "reduce": Mimic.REDUCE},
    "contact": {"ncp": ContactLaw.NCP, "convex": ContactLaw.CONVEX, "none": ContactLaw.NONE},
}
