"""Joints along splines and Euler joints."""

import diffsim
import numpy as np
import pytest


def frame(angle, slide):
    c, s = np.cos(angle), np.sin(angle)
    return np.array([[c, 0, s, slide], [0, 1, 0, 0], [-s, 0, c, 0.1 * slide], [0, 0, 0, 1]])


def one(kind, **fields):
    builder = diffsim.Builder()
    inertia = diffsim.inertia_from_com(3.0, [0.1, 0.05, -0.2], [0.05, 0.0, 0.04, 0.0, 0.0, 0.03])
    body = builder.add_body("world", "body", inertia=inertia)
    builder.add_joint(body, kind, name="joint", **fields)
    return builder


FRAMES = np.array([frame(0.4 * i, 0.01 * i**2) for i in range(6)])


def test_frames_come_back_as_they_were_given():
    builder = one("spline_curve", control=FRAMES, lower=0.0, upper=5.0)
    model = builder.build()
    joint = model.joint("joint")
    assert joint.kind is diffsim.JointKind.SPLINE_CURVE and (joint.nq, joint.nv, joint.cyclic) == (1, 1, False)
    np.testing.assert_array_equal(joint.control, FRAMES)
    again = diffsim.Builder.from_model(model)
    again.set_joint("joint", damping=0.5)
    joint = again.build().joint("joint")
    assert joint.damping == 0.5
    np.testing.assert_array_equal(joint.control, FRAMES)
    vectors = np.random.default_rng(1).normal(size=(16, 6))
    np.testing.assert_array_equal(one("spline_surface", control=vectors).build().joint("joint").control, vectors)
    assert one("euler").build().joint("joint").control is None


def test_a_body_passes_through_the_ends_of_its_curve():
    builder = one("spline_curve", control=FRAMES)
    builder.add_site("body", "origin")
    dynamics = diffsim.Sim(builder.build(), contact="none")
    for q, expected in ((0.0, FRAMES[0]), (5.0, FRAMES[5])):
        np.testing.assert_allclose(dynamics.site_placements([q])[..., 0], expected, atol=1e-14)


def test_the_derivative_by_a_frame_is_that_of_differences():
    sim = diffsim.Sim(one("spline_curve", control=FRAMES).build(), contact="none")
    sim.select_params([diffsim.Param("spline_frame", "joint", 6 * 2 + k) for k in range(6)])

    def stepped(p):
        sim.params = p
        return sim.step([1.5], [2.0])

    p = np.full(6, 0.02)
    stepped(p)
    ours = sim.jacobians().dv_dp[0].copy()
    h = 1e-5
    by = [(stepped(p + h * e)[1][0] - stepped(p - h * e)[1][0]) / (2 * h) for e in np.eye(6)]
    np.testing.assert_allclose(ours, by, atol=1e-7)


def test_an_euler_joint_tells_of_its_singularity():
    sim = diffsim.Sim(one("euler", axis=[0, 0, 1], axis2=[0, 1, 0], axis3=[1, 0, 0]).build(), contact="none")
    for second, near in ((0.3, 0), (np.pi / 2 - 0.02, 1)):
        sim.step([0.1, second, 0.2], [0.1, 0.1, 0.1])
        assert sim.info().near_singular == near


@pytest.mark.parametrize(
    "control, message",
    [
        (FRAMES[:1], "control_count"),
        (np.array([FRAMES[0], FRAMES[0]]), "must differ"),
        (FRAMES * 2, "last row"),
        (np.zeros((16, 6)), "control"),
    ],
)
def test_bad_frames_are_refused(control, message):
    with pytest.raises(diffsim.InvalidArgumentError, match=message):
        one("spline_curve", control=control)
