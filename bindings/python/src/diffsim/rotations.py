"""Rotations as quaternions, rotation vectors and angles about axes, with derivatives of the conversions."""

from __future__ import annotations

from typing import Tuple

import numpy as np
from numpy.typing import ArrayLike

from ._native import Array, array, check, lib, pointer


def rotation_vector_to_quat(vector: ArrayLike) -> Tuple[Array, Array]:
    """Converts a rotation vector [rad] to a quaternion (x y z w). Also returns the derivative, 3×3: of the rotation
    about the moved axes by the vector."""
    out, by = np.zeros(4), np.zeros((3, 3), order="F")
    check(lib.ds_rotation_vector_to_quat(pointer(array(vector, (3,), "vector")), pointer(out), pointer(by)))
    return out, by


def quat_to_rotation_vector(quat: ArrayLike) -> Tuple[Array, Array]:
    """Converts a quaternion (x y z w) to a rotation vector of length at most pi [rad]. Also returns its derivative by
    rotations about the moved axes, 3×3."""
    out, by = np.zeros(3), np.zeros((3, 3), order="F")
    check(lib.ds_quat_to_rotation_vector(pointer(array(quat, (4,), "quat")), pointer(out), pointer(by)))
    return out, by


def euler_to_quat(axes: ArrayLike, angles: ArrayLike) -> Tuple[Array, Array]:
    """Converts angles [rad] about axes to a quaternion (x y z w). Each rotation carries the later axes along. Also
    returns the derivative, 3×3: of the rotation about the moved axes by the angles. axes: 3×3, a column per axis."""
    out, by = np.zeros(4), np.zeros((3, 3), order="F")
    given = array(axes, (3, 3), "axes"), array(angles, (3,), "angles")
    check(lib.ds_euler_to_quat(*map(pointer, given), pointer(out), pointer(by)))
    return out, by


def quat_to_euler(axes: ArrayLike, quat: ArrayLike) -> Tuple[Array, Array]:
    """Converts a quaternion (x y z w) to angles [rad] about axes; the second axis is perpendicular to the others.
    Also returns their derivative by rotations about the moved axes, 3×3. axes: 3×3, a column per axis."""
    out, by = np.zeros(3), np.zeros((3, 3), order="F")
    given = array(axes, (3, 3), "axes"), array(quat, (4,), "quat")
    check(lib.ds_quat_to_euler(*map(pointer, given), pointer(out), pointer(by)))
    return out, by
