"""Copies and pickles go on with the same bits, or are refused."""

import copy
import multiprocessing
import pickle
import subprocess
import sys

import numpy as np
import pytest

import diffsim
from test_ownership import CALLS

COPIERS = {"copy": copy.copy, "deepcopy": copy.deepcopy, "pickle": lambda x: pickle.loads(pickle.dumps(x))}


@pytest.fixture
def model(models):
    return diffsim.Model.load(models / "quadruped.xml")


def states(sim, count=20, start=None):
    """What follows, derivatives included."""
    q, v, u = start or sim.model.keyframe("standing")
    for _ in range(count):
        q, v = sim.step(q, v, u)
        yield from (q, v)
    yield from sim.vjp(np.cos(np.arange(18.0)), np.sin(np.arange(18.0)))


def same(a, b):
    a, b = list(a), list(b)
    return len(a) == len(b) and all(np.array_equal(x, y) for x, y in zip(a, b))


@pytest.mark.parametrize("copier", COPIERS)
def test_a_sim_goes_on_with_the_same_bits(model, copier):
    model = model.with_pairs([("FR_foot", "FL_foot")], True)
    sim = diffsim.Sim(model, time_step=0.002, contact="convex", max_iterations=50, max_push_out=np.inf)
    sim.select_params([diffsim.Param("geom_friction", "floor"), diffsim.Param("joint_damping", "FR_hip_joint")])
    sim.params = [0.9, 0.2]
    sim.select_params([diffsim.Param("body_inertia", "trunk"), diffsim.Param("external_wrench", "trunk", 2)])
    sim.params = [5.3, 20.0]
    sim.set_external_wrench("trunk", [1.0, 0.0, -3.0, 0.0, 0.1, 0.0])
    sim.set_pair_enabled("floor", "RL_foot", False)
    sim.prescribe(7, 0.3)
    sim.prescribe(8, 0.1)
    sim.prescribe(8, np.nan)
    sim.set_force(np.full(model.nv, 0.2), D=-0.1 * np.eye(model.nv) + 0.01)
    q, v, u = model.keyframe("standing")
    v[2] = -0.4
    for _ in range(30):
        q, v = sim.step(q, v, u)
    again = COPIERS[copier](sim)
    assert again.options == sim.options and np.array_equal(again.memory, sim.memory)
    assert np.array_equal(again.prescribed_velocities, sim.prescribed_velocities, equal_nan=True)
    assert again.prescribed_velocities[7] == 0.3
    assert again.np == 2 and np.array_equal(again.params, sim.params)
    assert (again.model is sim.model) == (copier == "copy")
    with pytest.raises(diffsim.NoStepError):
        again.jacobians()
    assert same(states(again, start=(q, v, u)), states(sim, start=(q, v, u)))
    # Neither is the other.
    before = sim.params
    again.params = [6.0, 0.0]
    assert np.array_equal(sim.params, before)
    third = copy.copy(again)
    assert third.params.tolist() == [6.0, 0.0]
    sim.close()
    again.model.close() if copier != "copy" else None
    list(states(again, 1, (q, v, u)))


@pytest.mark.parametrize("name", [name for name, given in CALLS["Sim"].items() if given is not None])
def test_no_call_changes_a_sim_in_a_way_that_its_copy_does_not_have(model, name):
    q, v, u = model.keyframe("standing")
    sim = diffsim.Sim(model)
    sim.step(q, v, u)
    given = {"set_external_wrench": (1, np.arange(6.0))}.get(name, CALLS["Sim"][name])
    known = {"q": q, "v": v, "u": u}
    try:
        getattr(sim, name)(*(known.get(x, x) if isinstance(x, str) else x for x in given))
    except (diffsim.DiffsimError, ValueError):
        pass
    again = pickle.loads(pickle.dumps(sim))
    assert same(states(again, 3), states(sim, 3))


@pytest.mark.parametrize("copier", COPIERS)
def test_rollouts(model, copier):
    q, v, u = model.keyframe("standing")
    rollout = diffsim.Rollout(model, 10, time_step=0.002, checkpoint_interval=3)
    rollout.select_params([diffsim.Param("body_inertia", "trunk")])
    rollout.params = [5.5]
    rollout.set_external_wrench("trunk", [3.0, 0.0, 0.0, 0.0, 0.0, 0.0])
    rollout.prescribe(7, 0.3)
    again = COPIERS[copier](rollout)
    assert again.options == rollout.options and again.max_steps == 10
    bars = np.ones((18, 11)), np.ones((18, 11))
    with pytest.raises(diffsim.NoStepError):
        again.adjoint(*bars)
    assert same(again.run(q, v, steps=10), rollout.run(q, v, np.zeros((12, 10))))
    assert same(again.adjoint(*bars), rollout.adjoint(*bars))


@pytest.mark.parametrize("copier", COPIERS)
@pytest.mark.parametrize("name", ("quadruped.xml", "arm7.urdf", "humanoid.xml"))
def test_models(models, copier, name, monkeypatch):
    monkeypatch.chdir(models)
    options = {"base": "free", "ground_plane": True, "actuation": "full"} if name.endswith("urdf") else {}
    model = diffsim.Model.load(name, **options).exclude_overlapping()
    monkeypatch.chdir("/")
    again = COPIERS[copier](model)
    assert again is not model and again.warnings == model.warnings and repr(again) == repr(model)
    q, v = model.home(), np.linspace(-0.5, 0.5, model.nv)
    assert same(*(states_of(m, q, v) for m in (again, model)))
    model.close()
    again.home()


def states_of(model, q, v):
    sim = diffsim.Sim(model)
    for _ in range(10):
        q, v = sim.step(q, v)
        yield from (q, v)


def test_pairs_go_with_a_copy_of_a_model(model):
    without = model.with_pairs([("FR_foot", "floor")], False)
    for copier in COPIERS.values():
        assert not copier(without).pair_enabled("floor", "FR_foot")


def made():
    builder = diffsim.Builder()
    builder.set_gravity([0.0, 0.0, -3.0])
    rod = builder.add_body(
        name="rod", inertia=diffsim.inertia_from_com(2.0, [0.1, 0.0, -0.5], [0.1, 0, 0.1, 0, 0, 0.1])
    )
    builder.add_joint("rod", name="hinge", axis=[0.0, 1.0, 0.0], damping=0.1)
    corners = np.array([[x, y, z] for x in (0.0, 0.3) for y in (0.0, 0.7) for z in (0.0, 0.9)]).T
    faces = np.array([[0, 1, 3], [0, 3, 2], [4, 6, 7], [4, 7, 5], [0, 4, 5], [0, 5, 1],
                      [2, 3, 7], [2, 7, 6], [0, 2, 6], [0, 6, 4], [1, 5, 7], [1, 7, 3]]).T  # fmt: skip
    builder.add_geom(rod, kind="mesh", name="box", vertices=corners, triangles=faces)
    corners[:] = 7.0
    with pytest.raises(diffsim.InvalidArgumentError):
        builder.add_joint("rod", damping=-1.0)
    builder.add_actuator("hinge", gear=[2.0, 0, 0, 0, 0, 0])
    builder.add_tendon(joints={"hinge": 0.5}, stiffness=2.0)
    builder.add_spring(body1="world", body2="rod", stiffness=3.0)
    return builder


@pytest.mark.parametrize("copier", COPIERS)
def test_builders_and_what_they_make(copier):
    builder = made()
    again = COPIERS[copier](builder)
    results = [builder.build(), again.build(), COPIERS[copier](builder.build())]
    assert same(*(list(states_of(m, [0.3], [0.1])) for m in results[:2]))
    assert same(*(list(states_of(m, [0.3], [0.1])) for m in results[1:]))
    assert results[2].geoms[0].size.tolist() == results[0].geoms[0].size.tolist()
    again.add_body("rod", name="more")
    assert builder.build().nbody == 2 and again.build().nbody == 3


def test_a_model_from_a_text():
    text = "<mujoco><worldbody><body><freejoint/><geom size='0.1' mass='1'/></body></worldbody></mujoco>"
    model = diffsim.Model.from_string(text, "mjcf")
    assert pickle.loads(pickle.dumps(model)).nv == 6


def test_what_is_no_longer_the_same_is_refused(tmp_path):
    path, part = tmp_path / "robot.xml", tmp_path / "part.xml"
    path.write_text("<mujoco><include file='part.xml'/></mujoco>")
    body = "<mujoco><worldbody><body><freejoint/><geom size='{}' mass='1'/></body></worldbody></mujoco>"
    part.write_text(body.format(0.1))
    kept = pickle.dumps(diffsim.Model.load(path))
    assert pickle.loads(kept).ngeom == 1
    part.write_text(body.format(0.2))
    with pytest.raises(diffsim.InvalidArgumentError, match="or meshes have changed"):
        pickle.loads(kept)
    part.write_text(body.format(0.1))
    path.write_text(path.read_text() + "\n")
    with pytest.raises(diffsim.InvalidArgumentError, match="robot.xml is not the file"):
        pickle.loads(kept)
    path.unlink()
    with pytest.raises(diffsim.DiffsimError, match="robot.xml"):
        pickle.loads(kept)


def test_a_damaged_pickle_is_refused(model):
    """Byte by byte, wherever the contents lie: none makes another object, none reaches NumPy."""
    sim = diffsim.Sim(model)
    sim.set_external_wrench(1, np.arange(6.0))
    builder = diffsim.Builder()
    builder.add_body(0, "ball", np.eye(4), np.array([1.0, 0, 0, 0, 1, 0, 1, 0, 0, 1]))
    for made in (sim, builder, builder.build(), diffsim.Rollout(model, 2)):
        kept = pickle.dumps(made)
        sealed = [i for i in range(len(kept)) if kept[i : i + 6] == b"numpy." or kept[i : i + 4] == b"ball"]
        for at in sealed:
            damaged = bytearray(kept)
            damaged[at + 1] ^= 1
            with pytest.raises(diffsim.InvalidArgumentError, match="pickle: it is damaged"):
                pickle.loads(damaged)
        assert sealed or isinstance(made, diffsim.Rollout)


class Named(diffsim.Sim):
    """A user's class, with what the package does not know."""

    def __init__(self, model, name):
        self.early = [name]
        super().__init__(model, time_step=0.003)
        self.name = name

    def __eq__(self, other):
        return True


@pytest.mark.parametrize("copier", COPIERS)
def test_subclasses_keep_what_they_add(model, copier):
    sim = Named(model, "one")
    again = COPIERS[copier](sim)
    assert type(again) is Named and (again.name, again.early) == ("one", ["one"])
    assert again.options["time_step"] == 0.003
    assert (again.early is sim.early) == (copier == "copy")


def test_a_deep_copy_keeps_who_is_who(model):
    first, second = copy.deepcopy([diffsim.Sim(model), diffsim.Sim(model)])
    assert first.model is second.model is not model
    pickled = pickle.loads(pickle.dumps((model, diffsim.Sim(model))))
    assert pickled[1].model is pickled[0]


@pytest.mark.parametrize("method", [m for m in ("fork", "spawn") if m in multiprocessing.get_all_start_methods()])
def test_processes(models, method, tmp_path):
    """In a program of its own: this one has threads."""
    program = tmp_path / "program.py"
    program.write_text(
        f"""
import multiprocessing, sys
import numpy as np
import diffsim
sys.path.insert(0, {str(tmp_path)!r})
from work import height
if __name__ == "__main__":
    sim = diffsim.Sim(diffsim.Model.load({str(models / "quadruped.xml")!r}))
    with multiprocessing.get_context({method!r}).Pool(2) as pool:
        got = pool.map(height, [sim, sim])
    assert all(np.array_equal(q, height(sim)) for q in got)
"""
    )
    (tmp_path / "work.py").write_text(
        """
def height(sim):
    q, v, u = sim.model.keyframe("standing")
    sim.reset()
    for _ in range(10):
        q, v = sim.step(q, v, u)
    return q
"""
    )
    run = subprocess.run([sys.executable, program], capture_output=True, text=True, timeout=120)
    assert (run.returncode, run.stderr) == (0, "")
