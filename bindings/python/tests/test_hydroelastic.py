"""Faces of hydroelastic contact, how friction combines, and the variants of convex friction."""

import numpy as np
import pytest

import diffsim


def cube(hydroelastic, gravity=(0.0, 0.0, -9.81)):
    builder = diffsim.Builder()
    builder.set_gravity(gravity)
    builder.add_geom(0, kind="plane", friction=[0.8, 0, 0], hydroelastic="rigid" if hydroelastic else "none")
    body = builder.add_body(0, name="cube", inertia=[1, 0, 0, 0, 2e-3, 0, 2e-3, 0, 0, 2e-3])
    builder.add_joint(body, "free", name="free")
    fields = dict(hydroelastic="compliant", modulus=1e7) if hydroelastic else {}
    builder.add_geom(body, kind="box", size=[0.05] * 3, friction=[0.3, 0, 0], **fields)
    return builder.build()


def test_faces_carry_the_force_of_their_pressures():
    sim = diffsim.Sim(cube(True), contact="convex", time_step=1e-3)
    with pytest.raises(diffsim.NoStepError):
        sim.patch_faces()
    sim.collide([0, 0, 0.049, 0, 0, 0, 1])
    contacts, faces = sim.contacts(), sim.patch_faces()
    assert len(faces) == len(contacts)
    for face in faces:
        a = face.vertices[0]
        twice = [np.cross(b - a, c - a) for b, c in zip(face.vertices[1:], face.vertices[2:])]
        assert np.linalg.norm(twice, axis=1).sum() / 2 == pytest.approx(contacts[face.contact]["area"], rel=1e-9)
        assert face.pressures.shape == (len(face.vertices),)
    # A closed form of the pressed cube.
    force = sum(c["area"] * c["pressure"] for c in contacts if c["pressure"] > 0)
    assert force == pytest.approx(1960.2666667, rel=1e-8)
    # Points have no faces.
    sim = diffsim.Sim(cube(False), contact="convex", time_step=1e-3)
    sim.collide([0, 0, 0.049, 0, 0, 0, 1])
    assert sim.patch_faces() == [] and len(sim.contacts()) == 4


def test_a_recording_shows_faces_by_their_pressure():
    model = cube(True)
    sim = diffsim.Sim(model, contact="convex", time_step=1e-3)
    recorder = diffsim.Recorder(model, rate=0)
    q = np.array([0, 0, 0.0499, 0, 0, 0, 1])
    q, v = sim.step(q, np.zeros(6))
    recorder.patches(sim, largest=2e4, bands=4)
    recorder.step(sim)
    # In the air they are gone.
    q[2] = 1.0
    sim.step(q, v)
    recorder.patches(sim, largest=2e4, bands=4)
    recorder.step(sim)
    pressed, free = (frame.surfaces for frame in recorder.recording().frames[-2:])
    area = 0.0
    for points, triangles, _ in pressed.values():
        a, b, c = (points[triangles[:, k]] for k in range(3))
        area += np.linalg.norm(np.cross(b - a, c - a), axis=1).sum() / 2
    assert area == pytest.approx(0.01, rel=1e-9) and all(name.startswith("pressure") for name in pressed)
    assert not any(len(points) for points, _, _ in free.values())
    for wrong in (0.0, -1.0, float("nan"), float("inf")):
        with pytest.raises(diffsim.InvalidArgumentError, match="largest"):
            recorder.patches(sim, largest=wrong)
    with pytest.raises(diffsim.InvalidArgumentError, match="bands"):
        recorder.patches(sim, largest=1.0, bands=0)


@pytest.mark.parametrize("rule, mu", [("larger", 0.8), ("harmonic", 0.48 / 1.1), ("product", 0.24)])
def test_friction_combines_by_the_rule(rule, mu):
    sim = diffsim.Sim(cube(False), contact="convex", time_step=1e-3, friction_rule=rule, convex_variant="lagged")
    q, v = np.array([0, 0, 0.05 - 1e-6, 0, 0, 0, 1]), np.array([1.0, 0, 0, 0, 0, 0])
    for _ in range(20):
        q, v = sim.step(q, v)
    _, after = sim.step(q, v)
    assert v[0] - after[0] == pytest.approx(9.81e-3 * mu, rel=1e-3)
    with pytest.raises(diffsim.UnknownNameError):
        diffsim.Sim(cube(False), friction_rule="mean")


@pytest.mark.parametrize("hydroelastic", [False, True])
@pytest.mark.parametrize("share", [0.1, 0.5, 0.9])
def test_similar_friction_creeps_by_its_formula(hydroelastic, share):
    model = cube(hydroelastic, (share * 0.8 * 9.81, 0.0, -9.81))
    sim = diffsim.Sim(model, contact="convex", time_step=1e-3, convex_variant="similar")
    q, v = np.array([0, 0, 0.05 - 1e-6, 0, 0, 0, 1]), np.zeros(6)
    for _ in range(1000):
        q, v = sim.step(q, v)
    assert v[0] == pytest.approx(1e-4 * share / np.sqrt(1.0 - share**2), rel=0.02)
    with pytest.raises(diffsim.UnsupportedError, match="convex_variant"):
        diffsim.Sim(model, contact="ncp", convex_variant="similar")
