"""Closed chains that move through a singular pose."""

import diffsim
import numpy as np
import pytest


def parallelogram():
    """Two cranks of 0.5 m and a rod of 1 m. With all of them on one line, the loop may also fold."""

    def inertia(mass, x):
        return diffsim.inertia_from_com(mass, [x, 0, 0], [1e-3, 0, 0.02 * mass, 0, 0, 0.02 * mass])

    builder = diffsim.Builder()
    bodies = ["world"]
    for name, parent, x, centre in (("crank", 0, 0.0, 0.25), ("rod", 1, 0.5, 0.5), ("rocker", 0, 1.0, 0.25)):
        place = np.eye(4)
        place[0, 3] = x
        bodies.append(builder.add_body(bodies[parent], name, placement=place, inertia=inertia(1.0, centre)))
        builder.add_joint(bodies[-1], "revolute", axis=[0, 1, 0], name=name)
    builder.add_equality("connect", body1="rod", body2="rocker", anchor1=[1.0, 0, 0], anchor2=[0.5, 0, 0])
    builder.set_actuation("full")
    return builder.build()


@pytest.mark.parametrize("contact, gap", [("ncp", 1e-12), ("lcp", 1e-12), ("convex", 1e-5)])
def test_a_loop_moves_through_a_singular_pose(contact, gap):
    model = parallelogram()
    sim = diffsim.Sim(model, contact=contact, time_step=1e-3)
    q, v = np.array([-0.3, 0.3, -0.3]), np.array([3.0, -3.0, 3.0])
    along = np.array([1.0, -1.0, 1.0])
    before = sum(sim.energy(q, v))
    for _ in range(200):
        q, v = sim.step(q, v)
        assert sim.info().converged
        j = sim.jacobians()
        # The loop neither folds nor opens, and derivatives along its motion do not blow up.
        np.testing.assert_allclose(q, q[0] * along, atol=gap * 100)
        assert np.abs(j.dv_dq @ along).max() < 1.0 and np.abs(j.dv_dv @ along - along).max() < 0.1
    assert q[0] > 0.3 and abs(sum(sim.energy(q, v)) - before) < 0.02 * before


def test_the_derivative_at_the_singular_pose_says_so():
    sim = diffsim.Sim(parallelogram(), contact="ncp")
    sim.step(np.zeros(3), np.array([3.0, -3.0, 3.0]))
    sim.jacobians()
    assert sim.info().gradient is diffsim.Gradient.ONE_SIDED
    q, v, u, _ = sim.column_labels()
    assert q.any() and not v.any() and not u.any()
