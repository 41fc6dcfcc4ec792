"""Converts states to MuJoCo and back. In MuJoCo quaternions have w first, velocities of free joints are in world
axes, and mocap bodies are separate."""

from __future__ import annotations

from typing import Any, Dict, Optional, Tuple

import numpy as np
from numpy.typing import ArrayLike

from ._errors import ArgumentTypeError, InvalidArgumentError
from ._handle import given
from ._native import Array, numbers
from .model import Model


def to_mujoco(model: Model, q: ArrayLike, v: ArrayLike, data: Any = None) -> Tuple[Array, Array]:
    """MuJoCo's (qpos, qvel) of a state, nq and nv numbers, or of a trajectory, nq×N and nv×N, with columns as in a
    `Rollout`.

    data: an `MjData` of the same robot; its qpos and qvel are set. Its joints are compared with the model's by number
    and name. Call `mujoco.mj_forward` or `mj_kinematics` afterwards to update the other quantities. Mocap bodies,
    which MuJoCo keeps apart from qpos and qvel, follow them with 7 and 6 numbers each; the mocap bodies of data are
    set, too. Raises `InvalidArgumentError`.
    """
    given(model, Model, "model")
    qpos, qvel = _each(model, q, v, "q", "v", lambda q, v: (model.q_to_mujoco(q), model.v_to_mujoco(q, v)))
    if data is not None:
        _same(model, data)
        if qpos.ndim != 1:
            raise InvalidArgumentError(f"q: expected the one state that data holds, got {qpos.shape[1]}")
        nq, nv = data.qpos.size, data.qvel.size
        data.qpos[:], data.qvel[:] = qpos[:nq], qvel[:nv]
        poses = qpos[nq:].reshape(-1, 7)
        data.mocap_pos[:], data.mocap_quat[:] = poses[:, :3], poses[:, 3:]
    return qpos, qvel


def from_mujoco(model: Model, qpos: Any, qvel: Optional[ArrayLike] = None) -> Tuple[Array, Array]:
    """(q, v) of MuJoCo's qpos and qvel in the form of `to_mujoco`, or of an `MjData` of the same robot in place of
    qpos."""
    given(model, Model, "model")
    if hasattr(qpos, "qpos"):
        if qvel is not None:
            raise ArgumentTypeError("qvel: expected none beside an MjData, which has one")
        _same(model, qpos)
        # Views of memory that the next step of MuJoCo changes.
        poses = np.hstack([qpos.mocap_pos, qpos.mocap_quat]).ravel()
        qpos, qvel = np.append(qpos.qpos, poses), np.append(qpos.qvel, np.zeros(6 * qpos.model.nmocap))
    elif qvel is None:
        raise ArgumentTypeError("qvel: expected a velocity beside qpos")

    def convert(qpos: Array, qvel: Array) -> Tuple[Array, Array]:
        q = model.q_from_mujoco(qpos)
        return q, model.v_from_mujoco(q, qvel)

    return _each(model, qpos, qvel, "qpos", "qvel", convert)


def _each(model: Model, x: ArrayLike, y: ArrayLike, a: str, b: str, convert: Any) -> Tuple[Array, Array]:
    """Converts the states one by one."""
    xs, ys = numbers(x, a), numbers(y, b)
    if xs.ndim == ys.ndim == 1:
        one: Tuple[Array, Array] = convert(x, y)
        return one
    if xs.ndim != 2 or ys.ndim != 2 or (xs.shape[0], *ys.shape) != (model.nq, model.nv, xs.shape[1]):
        raise InvalidArgumentError(f"{a}, {b}: expected {model.nq}×N and {model.nv}×N, got {xs.shape} and {ys.shape}")
    made = np.zeros(xs.shape, order="F"), np.zeros(ys.shape, order="F")
    for k in range(xs.shape[1]):
        made[0][:, k], made[1][:, k] = convert(np.ascontiguousarray(xs[:, k]), np.ascontiguousarray(ys[:, k]))
    return made


def _same(model: Model, data: Any) -> None:
    """Raises an error for data of a robot with other joints."""
    if not hasattr(data, "qpos"):
        raise ArgumentTypeError(f"data: expected an MjData, got {type(data).__name__}")
    m = data.model
    # Mocap bodies are not in qpos and qvel.
    apart = m.nmocap
    sizes = (data.qpos.size + 7 * apart, data.qvel.size + 6 * apart)
    if sizes != (model.nq, model.nv):
        raise InvalidArgumentError(
            f"data: expected nq = {model.nq} and nv = {model.nv} as the model has, got {sizes[0]} and {sizes[1]}"
        )
    # A joint of several dofs may be several joints of MuJoCo. Joints with the same name in both must have the
    # same index.
    ours: Dict[str, int] = {}
    at = 0
    for joint in model.joints:
        if model.body(joint.body).mocap >= 0:
            continue
        if joint.name:
            ours[joint.name] = at
        at += joint.nq
    for i in range(m.njnt):
        name, at = m.joint(i).name, int(m.jnt_qposadr[i])
        if ours.get(name, at) != at:
            raise InvalidArgumentError(f"data: joint {name!r} begins at qpos[{at}] and here at q[{ours[name]}]")
