"""Random sequences of calls over all classes of the package: each ends in a result or an exception.

usage: python fuzz.py [--sequences N] [--seed S] [--first K]

A sequence makes objects, good ones and bad ones, and calls their methods with arguments of wrong types, shapes, strides and
sizes, numbers that are none, misspelt keywords and attributes, closed objects and those of other models. What may not
happen: a crash (run it with `python -X faulthandler`), an exception that says a defect (`InternalError`, `SystemError`,
`RecursionError`), an error of Python or NumPy from within the package that names no argument of the call, a hang.
Where one thing is wrong, the message has to name it: the misspelt word, the one wrong argument, the closed object.
It prints what happened how often, by class. A sequence depends on the seed and its number alone:
`--first K --sequences 1` repeats one.
"""

import argparse
import collections
import copy
import inspect
import pathlib
import pickle
import random
import re
import sys
import tempfile
import traceback
import warnings

import numpy as np

import diffsim

ROOT = pathlib.Path(__file__).resolve().parents[3]
#: Classes that are made and called; those after the first line of Python alone.
CLASSES = (
    *("Model", "Sim", "Rollout", "Batch", "Problem", "Builder", "Recorder", "Ik", "Ilqr"),
    *("Live", "Recording", "Visuals", "StepJacobians", "Param"),
)
FUNCTIONS = tuple(name for name in diffsim.__all__ if inspect.isfunction(getattr(diffsim, name)))
DEFECTS = (diffsim.InternalError, SystemError, RecursionError, AssertionError)
#: Calls that last until a user ends them.
ENDLESS = ("run", "serve")
#: Arguments that take anything: messages of a client, of which a server answers what it knows.
ANYTHING = ("Live.hear.text",)
#: Where an error of a wrong attribute comes from.
ATTRIBUTES = ("__setattr__", "__delattr__", "_refuse", "_fixed")
#: Messages of the package's own exceptions of Python's classes, and of Python about the arguments of a call.
OWN = re.compile(r"a diffsim\.|options: |[\w.]+\(\) (got|missing|takes) ")
CALLS_A_SEQUENCE = 16
#: Calls that write files or pages take their own paths; those that allocate or work as asked take small
#: numbers.
PATHS = ("path", "visuals")
WORK = (
    "count",
    "threads",
    "max_steps",
    "steps",
    "nv",
    "max_contacts",
    "pairs",
    "max_iterations",
    "max_restarts",
    "capacity",
    "size",
    "rate",
)
NUMBERS = (0.0, 1.0, -1.0, 0.5, 1e-3, 1e300, -1e-300, float("nan"), float("inf"), -float("inf"))
INTEGERS = (0, 1, 2, 3, 17, -1, -(2**31), 2**31 - 1, 2**31, 2**63, -(2**64), True)
NAMES = (
    "trunk",
    "FR_foot",
    "floor",
    "FR_hip_joint",
    "pole",
    "standing",
    "",
    "wing",
    "a\0b",
    "日本",
    "\ud800",
    "x" * 5000,
)
MODELS = ("quadruped.xml", "cartpole.xml", "arm7.urdf")
OPTIONS = {
    "Sim": (
        "time_step",
        "contact",
        "integrator",
        "tolerance",
        "max_iterations",
        "max_contacts",
        "kp",
        "derivatives",
        "max_work",
    ),
    "Problem": ("tolerance", "max_iterations"),
    "Ik": ("tolerance", "max_restarts", "seed", "equality_weight", "limits"),
    "Ilqr": ("max_plans", "plan_tolerance", "time_step", "contact", "contact_options", "max_contacts"),
    "Live": ("time_step", "contact", "control", "host", "port", "visuals", "integrator"),
    "Recorder": ("rate", "channels", "path", "visuals", "mesh_dirs", "capacity"),
    "Model": ("base", "actuation", "ground_plane", "mimic", "missing_mesh", "mesh_dirs", "self_collision"),
    "add_geom": ("kind", "size", "placement", "friction", "condim"),
    "add_actuator": ("joint", "gear", "gain", "bias"),
    "add_spring": ("body1", "body2", "stiffness", "damping"),
    "set_joint": ("damping", "armature", "friction_loss"),
}
#: Messages of a page to a live simulation.
MESSAGES = (
    *('{"do":"reset"}', '{"do":"step"}', '{"do":"drag"}', "[]"),
    *('{"do":"input","index":0,"value":1}', '{"do":"speed","value":1e999}'),
)


class Fuzz:
    def __init__(self, seed, number, folder):
        self.random = random.Random(f"{seed} {number}")
        self.numpy = np.random.default_rng([seed, number])
        self.folder = folder
        self.made = []
        self.model = None
        #: The class of the last call.
        self.of = "Model"
        #: Share of arguments that the call could take: of a sequence of nonsense none.
        self.rightness = self.one_of(0.0, 0.5, 0.9, 0.97)

    def one_of(self, *options):
        return self.random.choice(options)

    # Arguments

    def size(self):
        m = self.model
        known = () if m is None else (m.nq, m.nv, m.nu, m.nbody, m.ngeom)
        return self.one_of(0, 1, 2, 3, 4, 6, 10, 16, *known, *known)

    def array(self):
        shape = tuple(self.size() for _ in range(self.one_of(0, 1, 1, 1, 2, 2, 3)))
        x = self.numpy.standard_normal(shape)
        if x.size and self.random.random() < 0.2:
            x.flat[self.random.randrange(x.size)] = self.one_of(*NUMBERS)
        odd = self.random.randrange(14)
        if odd == 0:
            return x.astype(self.one_of("f4", "i4", "i8", "u1", "c16", ">f8", "O", "?", "U3"))
        if odd == 1 and x.ndim:
            return np.repeat(x, 2, axis=0)[::2]
        if odd == 2 and x.ndim:
            return x[::-1]
        if odd == 3:
            return np.broadcast_to(self.one_of(*NUMBERS), shape)
        if odd == 4:
            x.flags.writeable = False
        if odd == 5:
            return x.tolist()
        if odd == 6:
            # Its numbers lie between the machine's words.
            gaps = np.zeros(shape, np.dtype([("pad", "u1"), ("x", "f8")], align=False))
            return gaps["x"]
        return np.asfortranarray(x)

    def state(self):
        """What is right for one of the models, mostly that in use."""
        m = self.model if self.model is not None else self.load()
        q, v = m.neutral(), self.numpy.standard_normal(m.nv)
        return self.one_of(
            q, v, np.zeros(m.nu), np.repeat(q[:, None], 2, axis=1), np.zeros((m.nv, 2)), np.zeros((m.nu, 2))
        )

    def right(self, handle, name):
        """An argument that the call could take, by its name, or None."""
        m = getattr(handle, "model", handle if isinstance(handle, diffsim.Model) else self.model)
        if isinstance(handle, diffsim.Problem):
            n, nv = handle._contacts or 2, handle.nv
            shapes = {
                "A": (nv, nv),
                "J": (3 * n, nv),
                "v_free": nv,
                "target": 3 * n,
                "friction": n,
                "impulse_bar": 3 * n,
                "v_bar": nv,
            }
            if name == "A":
                return np.eye(nv)
            bare = name[1:] if name.startswith("d") else name
            return np.abs(self.numpy.standard_normal(shapes[bare])) if bare in shapes else None
        if m is None:
            return None
        nq, nv, nu = m.nq, m.nv, m.nu
        last = {}
        if isinstance(handle, diffsim.Ilqr):
            n = 2 * nv + m.na
            one = np.ones(nu)
            numbers = {"state": np.ones(n), "end": np.ones(n), "input": one, "lower": -one, "upper": one}
            if name in numbers or name == "u":
                return numbers.get(name, np.zeros((nu, handle.steps)))
        if isinstance(handle, diffsim.Batch):
            last = dict.fromkeys(("q", "v", "u", "q_next_bar", "v_next_bar"), handle.count)
        if isinstance(handle, diffsim.Rollout):
            steps = handle._steps or self.random.randrange(1, 4)
            last = {"u": steps, "q_bar": steps + 1, "v_bar": steps + 1}
        sizes = {
            "v": nv,
            "v0": nv,
            "u": nu,
            "tau": nv,
            "a": nv,
            "dv": nv,
            "qvel": nv,
            "wrench": 6,
            "point": 3,
            "prescribed": nv,
        }
        sizes.update(
            {
                "q_next_bar": nv,
                "v_next_bar": nv,
                "q_bar": nv,
                "v_bar": nv,
                "dq": nv,
                "du": nu,
                "dp": getattr(handle, "np", 0),
            }
        )
        sizes.update({"memory": 0, "vector": 3, "gravity": 3, "p": getattr(handle, "np", 0)})
        sizes.update({"about": 3, "origin": 3, "direction": 3, "data_bar": m.nsensordata})
        sizes.update(dict.fromkeys(("act", "act0", "dact", "act_next_bar"), m.na))
        if name in ("q", "q0", "q1", "qpos"):
            x = m.keyframe("standing")[0] if nq == 19 and self.random.random() < 0.5 else m.neutral()
            return np.repeat(x[:, None], last[name], axis=1) if name in last else x
        if name in sizes:
            return 0.1 * self.numpy.standard_normal((sizes[name], last[name]) if name in last else sizes[name])
        contacts = handle.contacts() if name == "impulse_bar" else ()
        choices = {
            "origins": (np.zeros((3, 2)),),
            "directions": (np.ones((3, 2)),),
            "nodes": (np.zeros((4, 3)),),
            "format": ("urdf",),
            "text": ("<robot name='a'><link name='b'/></robot>",),
            "dof": (0,),
            "velocity": (0.5, np.nan),
            "step": (0, 1),
            "node": (0, None),
            "seconds": (1e-3,),
            "largest": (1e5,),
            "model": [m],
            "prefix": ("second ",),
            "qpos": (m.q_to_mujoco(m.neutral()),),
            "steps": (2,),
            "body": ("trunk", 1),
            "parent": (0,),
            "geom": ("floor", 0),
            "geom_a": (0, "floor"),
            "geom_b": (1, "FR_foot"),
            "site": (0,),
            "element": (0, 1),
            "name": ("trunk", "FR_foot", "standing", "FR_hip_joint", None),
            "joint": ("FR_hip_joint", 0),
            "joints": ({"FR_hip_joint": 1.0}, *([["FR_hip_joint"]] if isinstance(handle, diffsim.Builder) else ())),
            "kind": ("weld", "revolute", "free"),
            "method": ("central_path",),
            "frame": ("world", "local"),
            "enabled": (True, False),
            "actuation": ("full",),
            "share": (0.5,),
            "pairs": ([(0, 1)],),
            "wanted": (["dv_dq", "dq_dv"], ["dv_dp"]),
            "params": ([], [diffsim.Param("gravity", 0, 2)]),
            "time": (0.5,),
            "channel": ("h",),
            "values": (np.zeros(nv), [1.0]),
            "quantity": ("pose", "velocity"),
            "points": (np.zeros((3, 3)),),
            "impulse_bar": (np.zeros((3, len(contacts))),),
            "sim": [x for kind, x in self.made if kind == "Sim"],
            "rollout": [x for kind, x in self.made if kind == "Rollout"],
            "batch": [x for kind, x in self.made if kind == "Batch"],
            "task": (0, 1, 2),
            "target": (np.eye(4), np.zeros(3), m.neutral()),
            "weight": (0.0, 1.0, 1e3),
            "axes": (np.ones(6), (1, 1, 0, 0, 0, 0), (1, 1, 1)),
            "tolerance": (0.0, 1e-3, np.inf),
            "placement": (np.eye(4), None),
            "dofs": (np.ones(nv), None),
            "dtarget": [np.ones(handle._targets())] if isinstance(handle, diffsim.Ik) else [],
            "bodies": (["trunk", 1], []),
            "wrenches": (np.ones((6, 2)), np.zeros((6, 0))),
            "kinds": ("all", ["tendon", "fluid"], diffsim.ForceKind.PASSIVE),
            "actuators": ([{"joint": "FR_hip_joint", "kp": 1.0}], []),
            "pattern": [handle.jacobian_pattern()] if name == "pattern" else [],
            "path": (str(self.folder / "a.xml"),),
        }
        return self.random.choice(choices[name]) if choices.get(name) else None

    def param(self):
        kind = self.one_of(*diffsim.ParamKind, "geom_frictoin")
        return diffsim.Param(kind, self.one_of(0, 1, 2, *NAMES), self.one_of(0, 0, 1, 9, -1))

    def thing(self):
        """Anything at all."""
        return self.one_of(
            lambda: self.one_of(*MESSAGES),
            lambda: self.one_of(*NUMBERS),
            lambda: self.one_of(*INTEGERS),
            lambda: self.one_of(*NAMES),
            lambda: None,
            lambda: object(),
            lambda: {"floor": 1.0, 3: None},
            lambda: [],
            lambda: b"bytes",
            lambda: self.one_of("mjcf", "ncp", "free", "box", "weld", diffsim.Format.URDF, diffsim.JointKind.FREE),
            lambda: diffsim.Sim,
            lambda: self.random.choice(self.made)[1] if self.made else None,
            lambda: [self.param()],
            lambda: (self.array(), self.array()),
            self.array,
            self.state,
        )()

    def argument(self, name, handle=None):
        if self.random.random() < self.rightness:
            try:
                x = self.right(handle, name)
            except diffsim.DiffsimError:
                x = None
            if x is not None:
                return x
        if name in PATHS:
            return self.one_of(
                str(self.folder / self.one_of("a.xml", "b.urdf", "c.dsrec", "no/d")), str(self.folder), None, 3
            )
        if name in WORK:
            return self.one_of(0, 1, 2, 3, 5, -1, 2.5, None, "x", True)
        return self.thing()

    def options(self, names):
        return {name: self.argument(name) for name in self.random.sample(names, self.random.randrange(3))}

    # Objects

    def load(self):
        return diffsim.Model.load(ROOT / "examples" / "models" / self.one_of(*MODELS))

    def make(self, kind):
        good = self.random.random() < max(0.5, self.rightness)
        model = self.model if self.model is not None and good else self.thing()
        if kind == "Model":
            self.model = self.load() if good else diffsim.Model.from_string(self.thing(), self.thing())
            return self.model
        if kind in ("Sim", "Rollout", "Batch"):
            given = {
                "Sim": (),
                "Rollout": (self.argument("steps"),),
                "Batch": (self.argument("count"), self.argument("threads")),
            }
            if good:
                given = {"Sim": (), "Rollout": (3,), "Batch": (2, self.one_of(1, 2))}
            return getattr(diffsim, kind)(model, *given[kind], **({} if good else self.options(OPTIONS["Sim"])))
        if kind == "Problem":
            return diffsim.Problem(2 if good else self.argument("nv"), 3, **self.options(OPTIONS["Problem"]))
        if kind == "Recorder":
            return diffsim.Recorder(model, rate=0, capacity=1 << 16, channels={"h": 1} if good else self.thing())
        if kind == "Ilqr":
            plans = {"max_plans": 2} if good else self.options(OPTIONS["Ilqr"])
            return diffsim.Ilqr(model, 3 if good else self.argument("steps"), **plans)
        if kind == "Live":
            return diffsim.Live(model, **({} if good else self.options(OPTIONS["Live"])))
        if kind == "Recording":
            if not good:
                return self.one_of(diffsim.Recording.from_bytes, diffsim.Recording.read)(self.thing())
            recorder = diffsim.Recorder(model, channels={"h": 1})
            recorder.state(0.0, model.neutral())
            data = bytearray(recorder.bytes())
            if self.random.random() < 0.3:
                data[self.random.randrange(len(data))] ^= 1 << self.random.randrange(8)
            return diffsim.Recording.from_bytes(bytes(data))
        if kind == "Visuals":
            return model.visuals(ROOT / "examples" / "models" / self.one_of(*MODELS) if good else self.thing())
        if kind == "StepJacobians":
            given = (3, 2, 1) if good else (self.argument("nv"), self.argument("nv"), self.thing())
            return diffsim.StepJacobians(*given, **({} if good else {"wanted": self.thing()}))
        if kind == "Param":
            return self.param() if good else diffsim.Param(self.thing(), self.thing(), self.thing())
        if kind == "Ik":
            return diffsim.Ik(model, max_iterations=20, **({} if good else self.options(OPTIONS["Ik"])))
        return diffsim.Builder()

    def begin(self):
        """Something that has been stepped, run or solved, for the calls that need that."""
        self.model = self.load()
        m, kind = self.model, self.one_of("Sim", "Sim", "Rollout", "Batch", "Problem", "Ik")
        handle = self.make(kind)
        names = {"Sim": ("step", "q", "v"), "Rollout": ("run", "q", "v", "u"), "Batch": ("step", "q", "v")}
        names["Ik"] = ("solve", "q0")
        names["Problem"] = ("solve", "A", "J", "v_free", "target", "friction")
        if kind == "Ik":
            handle.set_target(handle.add_frame(1), np.eye(4))
            handle.set_target(handle.add_posture(weight=0.1), m.neutral())
        call, *given = names[kind]
        self.made += [("Model", m), (kind, handle)]
        getattr(handle, call)(*(self.right(handle, name) for name in given))

    # Calls with one fault, which the message has to name

    def misspelt(self):
        """A keyword or attribute with a letter too few or too many."""
        made = [x for kind, x in self.made if type(x).__name__ == kind and kind not in ("Param", "Visuals")]
        # Those of `__new__` alone are no objects yet.
        handles = [x for x in made if getattr(x, "_made", True)]
        if handles and self.random.random() < 0.5:
            handle = self.random.choice(handles)
            self.of = type(handle).__name__
            word = self.word(self.one_of(*(n for n in dir(handle) if not n.startswith("_") and len(n) > 2)))
            self.names(lambda: setattr(handle, word, 1.0), word)
        model = self.load()
        builder = diffsim.Builder.from_model(model)
        makers = {
            "Sim": lambda **o: diffsim.Sim(model, **o),
            "Rollout": lambda **o: diffsim.Rollout(model, 3, **o),
            "Batch": lambda **o: diffsim.Batch(model, 2, 1, **o),
            "Ilqr": lambda **o: diffsim.Ilqr(model, 3, **o),
            "Live": lambda **o: diffsim.Live(model, **o),
            "Problem": lambda **o: diffsim.Problem(3, 2, **o),
            "Ik": lambda **o: diffsim.Ik(model, **o),
            "Recorder": lambda **o: diffsim.Recorder(model, **o),
            "Model": lambda **o: diffsim.Model.load(ROOT / "examples" / "models" / "arm7.urdf", **o),
            "add_geom": lambda **o: builder.add_geom(0, **o),
            "add_actuator": lambda **o: builder.add_actuator(joint=model.joint_names[-1], **o),
            "add_spring": lambda **o: builder.add_spring(**o),
            "set_joint": lambda **o: builder.set_joint(0, **o),
        }
        kind = self.one_of(*makers)
        name = self.one_of(*OPTIONS.get(kind, OPTIONS["Sim"]))
        word = self.word(name)
        self.of = kind if kind in CLASSES else "Builder"
        self.names(lambda: makers[kind](**{word: 1.0}), word)

    def word(self, name):
        """A name like this one that there is not."""
        at = self.random.randrange(2, max(3, len(name)))
        return self.one_of(name[:at] + "qq" + name[at:], name[: at - 1] + name[at:] + "_qq")

    def stale(self):
        """A call or attribute of a closed object."""
        closable = [(kind, x) for kind, x in self.made if hasattr(type(x), "close") and type(x).__name__ == kind]
        if not closable:
            return
        self.of, handle = self.random.choice(closable)
        members = [n for n in dir(type(handle)) if not n.startswith("_") and n != "close" and n not in vars(handle)]
        name = self.random.choice(members)
        member = inspect.getattr_static(type(handle), name, None)
        if isinstance(member, (classmethod, staticmethod)):
            return
        given = {}
        if not isinstance(member, property):
            given = self.all_right(handle, getattr(handle, name))
        handle.close()
        self.made = [(kind, x) for kind, x in self.made if x is not handle]
        if given is not None:
            named = isinstance(member, property)
            self.names(lambda: getattr(handle, name) if named else getattr(handle, name)(**given), "must be ")

    def all_right(self, handle, method):
        """Right values of all arguments that a call needs, by name; None if one is not known."""
        given = {}
        for parameter in inspect.signature(method).parameters.values():
            several = parameter.kind in (parameter.VAR_KEYWORD, parameter.VAR_POSITIONAL)
            if several or parameter.default is not parameter.empty:
                continue
            try:
                given[parameter.name] = self.right(handle, parameter.name)
            except diffsim.DiffsimError:
                return None
            if given[parameter.name] is None or parameter.kind is parameter.POSITIONAL_ONLY:
                return None
        return given

    def spoilt(self):
        """A call that could be right but for one argument."""
        if not self.made:
            return
        self.of, handle = self.random.choice(self.made)
        if not isinstance(handle, getattr(diffsim, self.of)) or "__new__" in self.of:
            return
        methods = [n for n in dir(type(handle)) if not n.startswith("_") and callable(getattr(type(handle), n))]
        methods = [n for n in methods if n != "close" and not (self.of == "Live" and n in ENDLESS)]
        if not methods:
            return
        name = self.random.choice(methods)
        method = getattr(handle, name)
        given = self.all_right(handle, method)
        kinds = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
        arguments = [p.name for p in inspect.signature(method).parameters.values() if p.kind in kinds]
        if given is None or not arguments:
            return
        wrong = self.random.choice(arguments)
        if f"{self.of}.{name}.{wrong}" in ANYTHING:
            return
        try:
            outcome = method(**given)
            # The iterator reads the file.
            list(outcome) if inspect.isgenerator(outcome) else outcome
        except Exception:
            return
        self.names(lambda: list(x) if inspect.isgenerator(x := method(**{**given, wrong: object()})) else x, wrong)

    def names(self, call, word):
        """Makes the call, which must end in an exception that has the word; raises it."""
        try:
            call()
        except Exception as error:
            if word not in str(error) and not isinstance(error, diffsim.NoStepError):
                raise AssertionError(f"{error!r} does not name {word!r}") from error
            raise
        raise AssertionError(f"nothing names {word!r}")

    def call(self):
        """One step of a sequence; its name."""
        fault = self.random.random()
        if fault < 0.06:
            return self.one_of(self.misspelt, self.spoilt, self.spoilt, self.stale)()
        if fault < 0.1:
            self.of = name = self.random.choice(FUNCTIONS)
            function = getattr(diffsim, name)
            return function(*(self.argument(p) for p in inspect.signature(function).parameters if p != "data"))
        if not self.made or self.random.random() < 0.2:
            self.of = kind = self.random.choice(CLASSES)
            if self.model is None and self.rightness:
                kind = "Model"
            if self.random.random() < 0.03 and hasattr(getattr(diffsim, kind), "close"):
                made = getattr(diffsim, kind)
                self.made.append((kind, made.__new__(made)))
                return f"{kind}.__new__"
            self.made.append((kind, self.make(kind)))
            return kind
        kind, handle = self.random.choice(self.made[-2:] if self.random.random() < 0.5 else self.made)
        self.of = kind
        other = self.random.random()
        if other < 0.02 and hasattr(handle, "close"):
            handle.close()
            return f"{kind}.close"
        if other < 0.08:
            copier = self.one_of(copy.copy, copy.deepcopy, lambda x: pickle.loads(pickle.dumps(x)), repr, hash)
            copied = copier(handle)
            if isinstance(copied, type(handle)):
                self.made.append((kind, copied))
            return f"{kind} copied"
        public = [name for name in dir(type(handle)) if not name.startswith("_")]
        public = [name for name in public if not (kind == "Live" and name in ENDLESS)]
        if not public:
            return f"{kind} without methods"
        # What others need comes more often.
        often = [n for n in ("step", "run", "solve") if n in public and self.random.random() < 0.2]
        name = self.random.choice(often or public)
        member = inspect.getattr_static(type(handle), name, None)
        if isinstance(member, property) or not callable(getattr(type(handle), name)):
            if self.random.random() < 0.5:
                setattr(handle, name, self.one_of(self.thing, lambda: getattr(handle, name))())
            else:
                getattr(handle, name)
            return f"{kind}.{name}"
        method = getattr(handle, name)
        given, named = [], {}
        for parameter in inspect.signature(method).parameters.values():
            optional = parameter.default is not parameter.empty
            if parameter.kind in (parameter.VAR_KEYWORD, parameter.VAR_POSITIONAL):
                if self.random.random() < 0.2:
                    named[self.one_of("time_step", "name", "pairs", "width_q", "kind", "damping", "mass")] = (
                        self.thing()
                    )
            elif not optional or self.random.random() < 0.2:
                (given.append if not optional else lambda x: named.update({parameter.name: x}))(
                    self.argument(parameter.name, handle)
                )
        outcome = method(*given, **named)
        if type(outcome).__name__ in CLASSES:
            self.made.append((type(outcome).__name__, outcome))
        return f"{kind}.{name}"


def is_bare(error):
    """True for an error that a line of the package let through without naming an argument."""
    if isinstance(error, diffsim.DiffsimError) or OWN.match(str(error)):
        return False
    home = str(pathlib.Path(diffsim.__file__).parent)
    frames = traceback.extract_tb(error.__traceback__)
    if isinstance(error, AttributeError) and frames[-1].name in ATTRIBUTES:
        return False
    return any(f.filename.startswith(home) and f.name != "call" for f in frames)


def run(seed, first, count):
    """What happened how often, by class and exception, `ok` without one. Raises where that may not be."""
    happened = collections.Counter()
    # Overflows and casts of nonsense are reported by NumPy, too.
    warnings.simplefilter("ignore")
    np.seterr(all="ignore")
    with tempfile.TemporaryDirectory() as folder:
        for number in range(first, first + count):
            fuzz = Fuzz(seed, number, pathlib.Path(folder))
            for k in range(CALLS_A_SEQUENCE):
                try:
                    (fuzz.call if k or fuzz.rightness < 0.9 else fuzz.begin)()
                    happened[fuzz.of, "ok"] += 1
                except DEFECTS as error:
                    raise AssertionError(f"sequence {number}, call {k}: {error!r}") from error
                except Exception as error:
                    if is_bare(error):
                        raise AssertionError(f"sequence {number}, call {k}: {error!r}") from error
                    happened[fuzz.of, type(error).__name__] += 1
    return happened


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sequences", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--first", type=int, default=0)
    given = parser.parse_args()
    happened = run(given.seed, given.first, given.sequences)
    print(f"{given.sequences} sequences, {sum(happened.values())} calls:")
    for column in (0, 1):
        total = collections.Counter()
        for key, count in happened.items():
            total[key[column]] += count
        print("by what was called:" if column == 0 else "by outcome:")
        for name, count in total.most_common():
            print(f"{count:9} {name}")


if __name__ == "__main__":
    sys.exit(main())
