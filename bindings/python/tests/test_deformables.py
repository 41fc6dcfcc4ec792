"""Deformable bodies through the package."""

import numpy as np
import pytest

import diffsim

NODES = [[0, 0, 0], [0.1, 0, 0], [0, 0.1, 0], [0, 0, 0.1], [0.1, 0.1, 0.1]]
TETS = [[0, 1, 2, 3], [1, 4, 2, 3]]


def jelly(**fields):
    builder = diffsim.Builder()
    given = dict(tets=TETS, attach={0: 0, 1: "world", 2: 0}, name="jelly", young=2e4, damping=0.01)
    builder.add_deformable(NODES, **{**given, **fields})
    return builder


def test_a_soft_body_hangs_and_knows_its_material():
    model = jelly(material="corotated").build()
    assert model.nv == 6 and model.body_names == ("world", "jelly_3", "jelly_4")
    sim = diffsim.Sim(model, contact="none", time_step=0.005)
    assert sim.integrator == diffsim.Integrator.IMPLICIT_EULER
    sim.select_params([diffsim.Param("deformable", 0, c) for c in range(5 + 3 * 5)])
    assert sim.params[1] == 2e4 and sim.params[5 + 3] == 0.1
    q, v = model.neutral(), np.zeros(6)
    for _ in range(100):
        q, v = sim.step(q, v)
    assert q[2] < 0 and abs(v).max() < 1e-3
    z = np.ones(6)
    jacobian = sim.jacobians().dv_dp
    p_bar = sim.vjp(np.zeros(6), z).p
    assert np.allclose(p_bar, jacobian.T @ z, rtol=1e-10, atol=1e-14)


def test_a_membrane_hangs_between_its_corners():
    builder = diffsim.Builder()
    sheet = dict(triangles=[[0, 1, 4], [1, 2, 4], [2, 3, 4], [3, 0, 4]], thickness=1e-3, young=1e5, damping=0.05)
    places = [[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0], [0.5, 0.5, 0]]
    builder.add_deformable(places, attach={0: 0, 1: 0, 2: 0, 3: 0}, mass=0.3, **sheet)
    sim = diffsim.Sim(builder.build(), contact="none", time_step=0.05)
    sim.select_params([diffsim.Param("deformable", 0, 1)])
    q, v = np.zeros(3), np.zeros(3)
    for _ in range(200):
        q, v = sim.step(q, v)
    # Each triangle is a third of a node's; its strain along the slope is e^2 / 2 with e = sag / 0.5.
    sag = -q[2]
    assert abs(v).max() < 1e-9 and sag > 0.01
    e2, area, lame = (sag / 0.5) ** 2, 1.0, 1e5 / (1 - 0.3**2)
    assert abs(lame * 1e-3 * area * e2 / 2 * (sag / 0.25) - 0.1 * 9.81) < 1e-6
    assert sim.jacobians().dv_dp[2, 0] > 0


def test_what_is_wrong_is_named():
    with pytest.raises(diffsim.InvalidArgumentError, match=r"tets\[0\]"):
        jelly(tets=[[1, 0, 2, 3], [1, 4, 2, 3]])
    with pytest.raises(diffsim.InvalidArgumentError, match=r"shape \(n, 4\)"):
        jelly(tets=[[0, 1, 2]])
    with pytest.raises(diffsim.InvalidArgumentError, match=r"triangles: .*shape \(n, 3\)"):
        jelly(triangles=[[0, 1]])
    with pytest.raises(diffsim.InvalidArgumentError, match="thickness must be positive"):
        jelly(triangles=[[0, 1, 2]])
    with pytest.raises(diffsim.InvalidArgumentError, match=r"shape \(n, 3\)"):
        diffsim.Builder().add_deformable([0.0, 1.0])
    with pytest.raises(diffsim.UnsupportedError, match='"penalty" or "none"'):
        diffsim.Sim(jelly().build())
