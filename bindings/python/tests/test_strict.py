"""What is misspelt, of another type or set where nothing can be set raises, in Python's words; help says what there is."""

import ast
import pathlib
import pickle
import re

import numpy as np
import pytest

import diffsim
from diffsim import _fields, _help, enums, options
from diffsim._words import python

PACKAGE = pathlib.Path(diffsim.__file__).parent


@pytest.fixture
def model(models):
    return diffsim.Model.load(models / "quadruped.xml")


def test_an_attribute_that_is_none_is_refused(model):
    sim, builder = diffsim.Sim(model), diffsim.Builder()
    refused = (
        (sim, "prams", [1.0], "near it: 'params'"),
        (sim, "time_step", 3, r"Sim\(\.\.\., time_step=\.\.\.\)"),
        (sim, "contact", "convex", "an option"),
        (sim, "contacts", [], "a method"),
        (sim, "np", 3, "can be read and not be set"),
        (sim, "memroy", [], "near it: 'memory'"),
        (model, "gravity", [0, 0, 0], "can be read and not be set"),
        (model, "friction", 1.0, "no such attribute"),
        (builder, "gravity", [0, 0, 0], "no such attribute"),
        (diffsim.Rollout(model, 2), "time_step", 1.0, "an option"),
        (diffsim.Batch(model, 2, 1), "threds", 1, "no such attribute"),
        (diffsim.Ik(model), "tolerance", 1.0, "no such attribute"),
        (diffsim.Ilqr(model, 3), "weights", 1.0, "no such attribute"),
        (diffsim.Problem(2), "friction", 1.0, "no such attribute"),
        (diffsim.Recorder(model), "rate", 1.0, "no such attribute"),
    )
    for thing, name, value, said in refused:
        before = dict(vars(thing))
        with pytest.raises(AttributeError, match=f"^{name}: .*{said}"):
            setattr(thing, name, value)
        assert vars(thing) == before
    sim.select_params([diffsim.Param("body_inertia", "trunk")])
    sim.params = [5.0]
    assert sim.params.tolist() == [5.0]


def test_a_subclass_may_have_its_own(model):
    class Mine(diffsim.Sim):
        pass

    mine = Mine(model)
    mine.note = "x"
    assert mine.note == "x"
    with pytest.raises(AttributeError, match="model: it is fixed when the Mine is made"):
        mine.model = model


def test_options_are_read_and_not_written(model):
    for made in (diffsim.Sim(model), diffsim.Rollout(model, 2), diffsim.Batch(model, 2, 1)):
        for change in (lambda o: o.__setitem__("time_step", 9), lambda o: o.update(kp=1), lambda o: o.pop("kp"), lambda o: o.clear()):
            with pytest.raises(TypeError, match="options: they are fixed when the object is made"):
                change(made.options)
        other = made.options.copy()
        other["time_step"] = 0.5
        assert made.options["time_step"] != 0.5
        assert type(pickle.loads(pickle.dumps(made.options))) is dict
    assert diffsim.Sim(model, **diffsim.Sim(model, time_step=0.003).options).options["time_step"] == 0.003


def test_enumerations_print_as_arguments_take_them(model):
    sim = diffsim.Sim(model, contact="convex")
    sim.step(*model.keyframe(0))
    assert str(sim.info().gradient) in ("exact", "one_sided")
    law = sim.options["contact"]
    assert f"{law}" == "convex" and f"{law:>8}" == "  convex" and f"{law:02d}" == "02" and "%s" % law == "convex"
    assert law == 2 and repr(law) == "<ContactLaw.CONVEX: 2>" and {law: 1}[2] == 1
    assert diffsim.ContactLaw[str(law).upper()] is law


def test_inputs_of_a_robot_without_any_say_how_to_get_them(models):
    arm = diffsim.Model.load(models / "arm7.urdf")
    assert arm.nu == 0
    calls = (
        lambda u: diffsim.Sim(arm).step(arm.neutral(), np.zeros(arm.nv), u),
        lambda u: diffsim.Rollout(arm, 3).run(arm.neutral(), np.zeros(arm.nv), np.repeat(u[:, None], 3, axis=1)),
        lambda u: diffsim.Batch(arm, 2, 1).step(
            np.zeros((arm.nq, 2)), np.zeros((arm.nv, 2)), np.repeat(u[:, None], 2, axis=1)
        ),
    )
    for call in calls:
        with pytest.raises(diffsim.InvalidArgumentError, match='u: expected shape .*actuation="full"'):
            call(np.zeros(arm.nv))


def test_transposed_inputs_are_called_so(model):
    q, v, _ = model.keyframe(0)
    with pytest.raises(diffsim.InvalidArgumentError, match=r"expected shape \(12, steps\), got \(5, 12\); it is transposed, give u.T"):
        diffsim.Rollout(model, 9).run(q, v, np.zeros((5, 12)))


def test_plans_and_the_contact_solver_have_options_of_their_own(model):
    for name, instead in (("max_iterations", "max_plans"), ("tolerance", "plan_tolerance")):
        with pytest.raises(diffsim.ArgumentTypeError, match=f"{name}: say {instead}=... .*contact_options"):
            diffsim.Ilqr(model, 3, **{name: 1})
        assert instead in (diffsim.Ilqr.__doc__ or "")
    with pytest.raises(diffsim.ArgumentTypeError, match="contact_options: expected tolerance and max_iterations, got 'kp'"):
        diffsim.Ilqr(model, 3, contact_options={"kp": 0.1})
    with pytest.raises(diffsim.ArgumentTypeError, match="contact_options: expected a mapping"):
        diffsim.Ilqr(model, 3, contact_options=3)
    q, v, u = model.keyframe(0)
    plan = diffsim.Ilqr(model, 3, max_plans=1, time_step=0.01, contact_options={"max_iterations": 300})
    plan.set_reference(q)
    plan.set_weights(np.ones(36), np.ones(36), np.ones(12))
    assert plan.solve(q, v, np.repeat(u[:, None], 3, axis=1))[1].iterations <= 1
    with pytest.raises(diffsim.InvalidArgumentError, match="max_iterations must be positive"):
        diffsim.Ilqr(model, 3, contact_options={"max_iterations": 0})


def test_messages_have_python_s_words(models):
    text = (models / "arm7.urdf").read_text()
    meshed = text.replace("</link>", '<collision><geometry><mesh filename="none.stl"/></geometry></collision></link>', 1)
    with pytest.raises(diffsim.DiffsimError) as caught:
        diffsim.Model.from_string(meshed, "urdf")
    assert 'missing_mesh = "skip"' in str(caught.value)
    diffsim.Model.from_string(meshed, "urdf", missing_mesh="skip")
    arm = diffsim.Model.load(models / "arm7.urdf")
    with pytest.raises(diffsim.InvalidArgumentError, match="q: must not be None"):
        diffsim.Sim(arm).step(None, np.zeros(arm.nv))
    assert python("say DS_ACTUATION_FULL or DS_ERR_CAPACITY of ds_options.max_contacts by ds_sim_step_jacobians") == (
        'say "full" or CapacityError of max_contacts by Sim.jacobians'
    )


def test_help_says_every_option_with_its_default():
    shown = {
        "ds_options": (diffsim.Sim.__init__, diffsim.Rollout.__init__, diffsim.Batch.__init__),
        "ds_load_options": (diffsim.Model.load, diffsim.Model.from_string),
        "ds_joint_desc": (diffsim.Builder.add_joint,),
        "ds_geom_desc": (diffsim.Builder.add_geom,),
        "ds_actuator_desc": (diffsim.Builder.add_actuator, diffsim.Model.with_actuators),
        "ds_smoothing": (diffsim.Sim.smoothed_jacobians,),
    }
    elsewhere = {"mesh_dirs", "mesh_dir_count", "kind", "vertices", "vertex_count", "triangles", "triangle_count"}
    elsewhere |= {"heights", "rows", "columns", "joint", "tendon", "body", "site", "method", "name", "control", "control_count", "reserved2"}
    for struct, functions in shown.items():
        for function in functions:
            for name in set(_fields.FIELDS[struct]) - elsewhere:
                said = re.search(rf"^\s+{name}: (.*(?:\n {{6,}}.*)*)", function.__doc__ or "", flags=re.M)
                assert said and "efault" in said[1], f"{function.__qualname__}: {name}"
    text = "\n".join([*map(_help.fields, _fields.FIELDS), _help.params()])
    assert not re.findall(r"\bDS_\w+|NULL", text)
    for kind, member in re.findall(r"\b(Model|Sim|Builder|Rollout|Batch)\.(\w+)", text):
        assert hasattr(getattr(diffsim, kind), member), f"{kind}.{member}"
    for kind in diffsim.ParamKind:
        assert f"\n  {kind}: " in (diffsim.Param.__doc__ or "")


def test_generated_files_agree_with_the_header():
    """generate.py has been run since the header changed."""
    import runpy

    root = pathlib.Path(__file__).resolve().parents[1]
    for name, text in runpy.run_path(str(root / "generate.py"))["texts"]().items():
        assert text == (PACKAGE / name).read_text(encoding="utf-8"), name


def arrows():
    """Which modules of the package a module imports, wherever and for whatever in it."""
    found = {}
    for file in PACKAGE.glob("*.py"):
        nodes = [n for n in ast.walk(ast.parse(file.read_text(encoding="utf-8"))) if isinstance(n, ast.ImportFrom) and n.level]
        names = [m for n in nodes for m in ([n.module] if n.module else [a.name for a in n.names])]
        found[file.stem] = set(names) & {f.stem for f in PACKAGE.glob("*.py")}
    return found


def circle(arrows):
    """Modules that import each other, in a row; none where there are none."""
    done, way = set(), []

    def walk(module):
        if module in way:
            return way[way.index(module) :]
        if module in done:
            return None
        way.append(module)
        found = next(filter(None, map(walk, sorted(arrows.get(module, ())))), None)
        way.pop()
        done.add(module)
        return found

    return next(filter(None, map(walk, sorted(arrows))), None)


def test_no_modules_import_each_other():
    assert circle({"a": {"b"}, "b": {"c"}, "c": {"b"}}) == ["b", "c"]
    assert circle({"a": {"b", "c"}, "b": {"c"}}) is None
    found = arrows()
    assert len(found) > 30 and found["sim"] >= {"model", "enums"}
    assert circle(found) is None


def slips(name):
    """A name with two letters swapped, one left out, and one twice."""
    k = len(name) // 2
    return {name[: k - 1] + name[k] + name[k - 1] + name[k + 1 :], name[:k] + name[k + 1 :], name[:k] + name[k] + name[k:]} - {name}


def test_every_misspelt_option_names_the_right_one(models):
    text = "<mujoco><worldbody><body><freejoint/><geom size='0.1'/></body></worldbody></mujoco>"
    model = diffsim.Model.from_string(text, "mjcf")
    sim = diffsim.Sim(model)
    sim.step(model.neutral(), np.zeros(6))
    builder = diffsim.Builder()
    body = builder.add_body(0, "b")
    takers = {
        "LoadOptions": [lambda **k: diffsim.Model.from_string(text, "mjcf", **k)],
        "SimOptions": [lambda **k: diffsim.Sim(model, **k), lambda **k: diffsim.Rollout(model, 2, **k), lambda **k: diffsim.Batch(model, 2, **k)],
        "StepOptions": [lambda **k: diffsim.Ilqr(model, 3, **k)],
        "ProblemOptions": [lambda **k: diffsim.Problem(6, **k)],
        "JointFields": [lambda **k: builder.add_joint(body, **k)],
        "GeomFields": [lambda **k: builder.add_geom(body, **k)],
        "ActuatorFields": [lambda **k: builder.add_actuator("j", **k)],
        "SpringFields": [builder.add_spring],
        "TendonFields": [lambda **k: builder.add_tendon({"j": 1.0}, **k)],
        "SensorFields": [lambda **k: builder.add_sensor("gyro", **k)],
        "EqualityFields": [lambda **k: builder.add_equality("weld", **k)],
        "SmoothingOptions": [lambda **k: sim.smoothed_jacobians("first_order", **k)],
    }
    count = 0
    for kind, functions in takers.items():
        for name in getattr(options, kind).__annotations__:
            for slip in slips(name) if len(name) > 4 else ():
                for function in functions:
                    count += 1
                    with pytest.raises(TypeError, match=rf"{slip}.*\b{name}\b"):
                        function(**{slip: 1})
    assert count > 300


def test_every_misspelt_name_of_an_enumeration_is_near_the_right_one():
    from diffsim._names import choice

    for kind in enums.PREFIXES:
        for member in kind:
            for slip in slips(str(member)) if len(member.name) > 4 else ():
                with pytest.raises(diffsim.UnknownNameError, match=f"near it: .*'{member}'"):
                    choice(kind, slip, "of")
