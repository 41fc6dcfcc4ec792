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


def test_what_is_wrong_is_named():
    with pytest.raises(diffsim.InvalidArgumentError, match=r"tets\[0\]"):
        jelly(tets=[[1, 0, 2, 3], [1, 4, 2, 3]])
    with pytest.raises(diffsim.InvalidArgumentError, match=r"shape \(n, 4\)"):
        jelly(tets=[[0, 1, 2]])
    with pytest.raises(diffsim.InvalidArgumentError, match=r"shape \(n, 3\)"):
        diffsim.Builder().add_deformable([0.0, 1.0])
    with pytest.raises(diffsim.UnsupportedError, match='"penalty" or "none"'):
        diffsim.Sim(jelly().build())
