"""Conversions of rotations, against differences and each other."""

import itertools

import diffsim
import numpy as np
import pytest

H = 1e-6


def turned(a, b):
    """The rotation from quaternion a to b about the moved axes, for small ones."""
    v, w, x, y = -a[:3], a[3], b[:3], b[3]
    product = np.append(w * x + y * v + np.cross(v, x), w * y - v @ x)
    return 2 * product[:3] / product[3]


def tangent(quat, k):
    """A quaternion turned to and fro by a little about its own axis k."""
    for h in (H, -H):
        step = diffsim.rotation_vector_to_quat(h * np.eye(3)[k])[0]
        v, w, x, y = quat[:3], quat[3], step[:3], step[3]
        yield np.append(w * x + y * v + np.cross(v, x), w * y - v @ x)


@pytest.mark.parametrize("vector", ([0.0, 0.0, 0.0], [1e-9, 0.0, 0.0], [0.3, -0.8, 1.9], [0.0, 3.0, 0.5]))
def test_rotation_vectors(vector):
    quat, by = diffsim.rotation_vector_to_quat(vector)
    back, other = diffsim.quat_to_rotation_vector(-quat)
    np.testing.assert_allclose(back, vector, atol=1e-14)
    np.testing.assert_allclose(by @ other, np.eye(3), atol=1e-12)
    for k, e in enumerate(H * np.eye(3)):
        ends = [diffsim.rotation_vector_to_quat(vector + x)[0] for x in (-e, e)]
        np.testing.assert_allclose(turned(*ends) / (2 * H), by[:, k], atol=1e-9)


@pytest.mark.parametrize("order", [o for o in itertools.product(range(3), repeat=3) if o[0] != o[1] != o[2]])
def test_angles_about_axes(order):
    axes = np.eye(3)[:, list(order)] * [1.0, 2.0, 3.0]
    angles = np.array([0.4, 1.1, -0.7])
    quat, by = diffsim.euler_to_quat(axes, angles)
    back, other = diffsim.quat_to_euler(axes, quat)
    np.testing.assert_allclose(back, angles, atol=1e-14)
    np.testing.assert_allclose(by @ other, np.eye(3), atol=1e-13)
    for k in range(3):
        plus, minus = (diffsim.quat_to_euler(axes, q)[0] for q in tangent(quat, k))
        np.testing.assert_allclose((plus - minus) / (2 * H), other[:, k], atol=1e-8)


def test_what_has_no_angles_is_refused():
    zyx = np.eye(3)[:, [2, 1, 0]]
    with pytest.raises(diffsim.NumericalError, match="one plane"):
        diffsim.quat_to_euler(zyx, diffsim.euler_to_quat(zyx, [0.1, np.pi / 2, 0.2])[0])
    with pytest.raises(diffsim.InvalidArgumentError, match="perpendicular"):
        diffsim.quat_to_euler([[1.0, 1.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]], [0, 0, 0, 1])
    with pytest.raises(diffsim.InvalidArgumentError, match="direction"):
        diffsim.euler_to_quat(np.zeros((3, 3)), [0, 0, 0])
    with pytest.raises(diffsim.InvalidArgumentError, match="length"):
        diffsim.quat_to_rotation_vector([0, 0, 0, 2.0])
    with pytest.raises(diffsim.NumericalError):
        diffsim.rotation_vector_to_quat([np.nan, 0, 0])
