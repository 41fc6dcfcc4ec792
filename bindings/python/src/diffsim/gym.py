"""Environments of gymnasium: many robots at once over a batch, or one.

    import gymnasium, diffsim.gym
    envs = gymnasium.make_vec("diffsim/Hopper-v0", num_envs=64)
    observations, info = envs.reset(seed=1)
    observations, rewards, terminations, truncations, info = envs.step(envs.action_space.sample())

`diffsim/CartPoleSwingUp-v0` has a model of its own. `diffsim/Hopper-v0`, `diffsim/HalfCheetah-v0` and
`diffsim/Ant-v0` are the tasks of gymnasium's `-v5` environments, with the models of its package (MuJoCo need
not be installed), their observations, rewards and ends; Ant without contact forces in its observations and
reward.

An environment's numbers depend on its seed and its actions alone: not on how many there are, nor on threads.
"""

from __future__ import annotations

import importlib.util
import pathlib
from typing import TYPE_CHECKING, Any, Dict, Optional, Sequence, Tuple, Type, Union

import gymnasium
import numpy as np
import numpy.typing as npt
from gymnasium.spaces import Box
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

from ._errors import InvalidArgumentError, NumericalError
from .batch import Batch
from .model import Model

Array = npt.NDArray[np.float64]
Flags = npt.NDArray[np.bool_]

if TYPE_CHECKING:
    # A checker that does not have gymnasium would refuse its classes as bases.
    class _VectorEnv: ...

    class _Env:
        def reset(self, *, seed: Optional[int] = None, options: Optional[Dict[str, Any]] = None) -> Any: ...

else:
    _VectorEnv, _Env = VectorEnv, gymnasium.Env

__all__ = ["Ant", "CartPoleSwingUp", "Environment", "HalfCheetah", "Hopper", "Task", "VectorEnvironment"]


class Task:
    """The definition of an environment. States and actions are rows, one an environment."""

    #: Steps of the simulation for one of the environment, steps of an episode, and the largest action.
    frame_skip = 1
    max_episode_steps = 1000

    def __init__(self) -> None:
        self.model = self.load()
        bounds = [self._range(i) for i in range(self.model.nu)]
        self.low, self.high = (np.array(x) for x in zip(*bounds))
        self.q0 = self.model.home()

    def load(self) -> Model:
        raise NotImplementedError

    def _range(self, actuator: int) -> Tuple[float, float]:
        low, high = self.model.actuator(actuator).control_range
        return float(low), float(high)

    def reset(self, random: np.random.Generator) -> Tuple[Array, Array]:
        """A first state."""
        raise NotImplementedError

    def observe(self, q: Array, v: Array) -> Array:
        raise NotImplementedError

    def reward(self, before: Tuple[Array, Array], after: Tuple[Array, Array], actions: Array, dt: float) -> Array:
        raise NotImplementedError

    def ends(self, q: Array, v: Array) -> Flags:
        """Where an episode ends before its time."""
        return np.zeros(len(q), bool)


_CART_POLE = """
<mujoco model="cart-pole">
  <option timestep="0.01" integrator="implicitfast"/>
  <worldbody>
    <body name="cart">
      <joint name="slide" type="slide" axis="1 0 0" damping="0.05"/>
      <geom type="box" size="0.2 0.1 0.1" mass="1" contype="0" conaffinity="0"/>
      <body name="pole">
        <joint name="hinge" type="hinge" axis="0 1 0" damping="0.002"/>
        <geom type="capsule" fromto="0 0 0 0 0 0.6" size="0.03" mass="0.2" contype="0" conaffinity="0"/>
      </body>
    </body>
  </worldbody>
  <actuator><motor joint="slide" gear="20" ctrlrange="-1 1" ctrllimited="true"/></actuator>
</mujoco>
"""


class CartPoleSwingUp(Task):
    """A pole on a cart, at any angle in the beginning, is to be swung up and held there. Observation: x, sin θ,
    cos θ, the rates of x and θ; θ is 0 where the pole stands. The reward is smooth."""

    frame_skip = 2
    max_episode_steps = 240

    def load(self) -> Model:
        return Model.from_string(_CART_POLE, "mjcf")

    def reset(self, random: np.random.Generator) -> Tuple[Array, Array]:
        return np.array([0.1, np.pi]) * random.uniform(-1.0, 1.0, 2), random.uniform(-0.1, 0.1, 2)

    def observe(self, q: Array, v: Array) -> Array:
        return np.stack([q[:, 0], np.sin(q[:, 1]), np.cos(q[:, 1]), v[:, 0], v[:, 1]], 1)

    def reward(self, before: Tuple[Array, Array], after: Tuple[Array, Array], actions: Array, dt: float) -> Array:
        (q, v), a = after, actions[:, 0]
        speeds = v[:, 0] ** 2 + v[:, 1] ** 2
        reward: Array = np.cos(q[:, 1]) - 0.05 * q[:, 0] ** 2 - 0.002 * speeds - 0.01 * a**2
        return reward


def _asset(name: str) -> pathlib.Path:
    """A model of gymnasium's package, whose own import of it would need MuJoCo."""
    found = importlib.util.find_spec("gymnasium")
    assert found is not None and found.origin is not None
    return pathlib.Path(found.origin).parent / "envs" / "mujoco" / "assets" / name


class _Walker(Task):
    """A task of gymnasium's MuJoCo environments."""

    file = ""
    noise = 0.1
    forward_weight = 1.0
    control_weight = 0.1
    healthy_reward = 0.0
    #: Leading coordinates that are not observed.
    hidden = 1

    def load(self) -> Model:
        return Model.load(_asset(self.file))

    def states(self, q: Array, v: Array) -> Tuple[Array, Array]:
        """The state in the coordinates of the task's observation."""
        return q, v

    def healthy(self, q: Array, v: Array) -> Flags:
        return np.ones(len(q), bool)

    def observe(self, q: Array, v: Array) -> Array:
        q, v = self.states(q, v)
        return np.concatenate([q[:, self.hidden :], v], 1)

    def reward(self, before: Tuple[Array, Array], after: Tuple[Array, Array], actions: Array, dt: float) -> Array:
        forward = (after[0][:, 0] - before[0][:, 0]) / dt
        cost = self.control_weight * np.sum(actions**2, 1)
        reward: Array = self.forward_weight * forward - cost + self.healthy_reward * self.healthy(*after)
        return reward

    def ends(self, q: Array, v: Array) -> Flags:
        return ~self.healthy(q, v)


class Hopper(_Walker):
    """gymnasium's Hopper-v5."""

    file, frame_skip, noise, control_weight, healthy_reward = "hopper.xml", 4, 5e-3, 1e-3, 1.0

    def reset(self, random: np.random.Generator) -> Tuple[Array, Array]:
        q = self.q0 + random.uniform(-self.noise, self.noise, self.model.nq)
        return q, random.uniform(-self.noise, self.noise, self.model.nv)

    def observe(self, q: Array, v: Array) -> Array:
        return super().observe(q, np.clip(v, -10.0, 10.0))

    def healthy(self, q: Array, v: Array) -> Flags:
        rest = np.concatenate([q[:, 2:], v], 1)
        healthy: Flags = (q[:, 1] > 0.7) & (np.abs(q[:, 2]) < 0.2) & (np.abs(rest) < 100.0).all(1)
        return healthy


class HalfCheetah(_Walker):
    """gymnasium's HalfCheetah-v5."""

    file, frame_skip = "half_cheetah.xml", 5

    def reset(self, random: np.random.Generator) -> Tuple[Array, Array]:
        q = self.q0 + random.uniform(-self.noise, self.noise, self.model.nq)
        return q, self.noise * random.standard_normal(self.model.nv)


class Ant(_Walker):
    """gymnasium's Ant-v5 with include_cfrc_ext_in_observation=False and contact_cost_weight=0."""

    file, frame_skip, control_weight, healthy_reward, hidden = "ant.xml", 5, 0.5, 1.0, 2

    def states(self, q: Array, v: Array) -> Tuple[Array, Array]:
        """MuJoCo's quaternion (w x y z), and the velocity of the base in world axes."""
        xyz, w = q[:, 3:6], q[:, 6:7]
        t = 2.0 * np.cross(xyz, v[:, :3])
        linear = v[:, :3] + w * t + np.cross(xyz, t)
        return np.concatenate([q[:, :3], w, xyz, q[:, 7:]], 1), np.concatenate([linear, v[:, 3:]], 1)

    def reset(self, random: np.random.Generator) -> Tuple[Array, Array]:
        q = self.q0 + random.uniform(-self.noise, self.noise, self.model.nq)
        q[3:7] /= np.linalg.norm(q[3:7])
        return q, self.noise * random.standard_normal(self.model.nv)

    def healthy(self, q: Array, v: Array) -> Flags:
        healthy: Flags = (q[:, 2] >= 0.2) & (q[:, 2] <= 1.0)
        return healthy


class _Robots:
    """The states of `count` environments of a task, and the batch that steps them."""

    def __init__(self, task: Task, count: int, threads: int, options: Dict[str, Any]) -> None:
        self.task, self.count = task, count
        self.batch = Batch(task.model, count, threads, **options)
        self.batch.reserve(task.frame_skip)
        self.dt = task.frame_skip * self.batch.options["time_step"]
        self.q, self.v = np.zeros((count, task.model.nq)), np.zeros((count, task.model.nv))
        self.random = [np.random.default_rng(None) for _ in range(count)]

    def seed(self, i: int, seed: Optional[int]) -> None:
        if seed is not None:
            self.random[i] = np.random.default_rng(seed)

    def reset(self, which: Flags) -> None:
        for i in map(int, np.flatnonzero(which)):
            self.q[i], self.v[i] = self.task.reset(self.random[i])

    def observe(self) -> Array:
        return self.task.observe(self.q, self.v)

    def step(self, actions: Array, which: Flags) -> Tuple[Array, Flags, Flags]:
        """Rewards, ends, and steps that failed, which end their episode where it is with the reward 0.
        Environments outside of `which` stay."""
        actions = np.asarray(actions, np.float64)
        if actions.shape != (self.count, self.task.model.nu):
            raise InvalidArgumentError(f"action: expected shape {(self.count, self.task.model.nu)}, got {actions.shape}")
        bad = np.argwhere(~np.isfinite(actions))
        if len(bad):
            raise NumericalError(f"action[{', '.join(map(str, bad[0]))}]: must be finite, got {actions[tuple(bad[0])]}")
        actions = np.clip(actions, self.task.low, self.task.high)
        inputs = np.repeat(actions[:, None, :], self.task.frame_skip, 1)
        each = np.zeros(self.count, np.int32)
        q, v = self.batch.rollout(self.q.T, self.v.T, inputs.T, self.task.frame_skip, each=each)
        failed = which & (each != 0)
        moves = (which & ~failed)[:, None]
        before = self.q, self.v
        self.q, self.v = np.where(moves, q[:, -1].T, self.q), np.where(moves, v[:, -1].T, self.v)
        with np.errstate(over="ignore", invalid="ignore"):
            rewards = self.task.reward(before, (self.q, self.v), actions, self.dt)
        ends = self.task.ends(self.q, self.v) | failed
        return np.where(which & ~failed, rewards, 0.0), ends & which, failed

    def spaces(self) -> Tuple[Box, Box]:
        size = self.task.observe(self.q[:1], self.v[:1]).shape[1]
        observation = Box(-np.inf, np.inf, (size,), np.float64)
        return observation, Box(self.task.low.astype(np.float32), self.task.high.astype(np.float32), dtype=np.float32)


class VectorEnvironment(_VectorEnv):
    """`num_envs` environments of a task in one batch. threads: 0 for one per core.

    All autoreset modes of gymnasium; with SAME_STEP, info["final_obs"] has the last observations of episodes
    that ended. info["failed"]: environments whose step failed, which ends the episode. Other arguments are
    options of a `Batch`.
    """

    metadata: Dict[str, Any] = {"autoreset_mode": AutoresetMode.NEXT_STEP}

    def __init__(
        self,
        task: Type[Task],
        num_envs: int = 1,
        threads: int = 0,
        max_episode_steps: Optional[int] = None,
        autoreset_mode: Union[str, AutoresetMode] = AutoresetMode.NEXT_STEP,
        **options: Any,
    ) -> None:
        self.num_envs = num_envs
        self.task = task()
        self.robots = _Robots(self.task, num_envs, threads, options)
        self.autoreset_mode = AutoresetMode(autoreset_mode)
        self.metadata = {**self.metadata, "autoreset_mode": self.autoreset_mode}
        self.single_observation_space, self.single_action_space = self.robots.spaces()
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self.limit = max_episode_steps or self.task.max_episode_steps
        self._steps = np.zeros(num_envs, int)
        self._done = np.ones(num_envs, bool)

    def reset(
        self, *, seed: Optional[Union[int, Sequence[Optional[int]]]] = None, options: Optional[Dict[str, Any]] = None
    ) -> Tuple[Array, Dict[str, Any]]:
        """seed: that of environment 0, the others have the numbers after it; or one for each.
        options["reset_mask"]: flags of the environments that begin anew, the others go on."""
        seeds = [None if seed is None else seed + i for i in range(self.num_envs)] if not isinstance(seed, Sequence) else seed
        if len(seeds) != self.num_envs:
            raise InvalidArgumentError(f"seed: expected {self.num_envs} numbers, got {len(seeds)}")
        which = np.ones(self.num_envs, bool)
        if options and "reset_mask" in options:
            which = np.asarray(options["reset_mask"])
            if which.shape != (self.num_envs,) or which.dtype != np.bool_:
                raise InvalidArgumentError(f"reset_mask: expected {self.num_envs} flags, got {which.dtype} {which.shape}")
        for i in map(int, np.flatnonzero(which)):
            self.robots.seed(i, seeds[i])
        self._begin(which)
        return self.robots.observe(), {}

    def _begin(self, which: Flags) -> None:
        self.robots.reset(which)
        self._steps[which] = 0
        self._done[which] = False

    def step(self, actions: Array) -> Tuple[Array, Array, Flags, Flags, Dict[str, Any]]:
        fresh = self._done.copy() if self.autoreset_mode == AutoresetMode.NEXT_STEP else np.zeros(self.num_envs, bool)
        if self.autoreset_mode != AutoresetMode.NEXT_STEP and self._done.any():
            i = int(np.flatnonzero(self._done)[0])
            raise InvalidArgumentError(f"environment {i}: its episode has ended; reset it with options reset_mask")
        rewards, terminations, failed = self.robots.step(actions, ~fresh)
        self._steps[~fresh] += 1
        self._begin(fresh)
        truncations = (self._steps >= self.limit) & ~terminations
        self._done = terminations | truncations
        observations = self.robots.observe()
        info: Dict[str, Any] = {"failed": failed}
        if self.autoreset_mode == AutoresetMode.SAME_STEP and self._done.any():
            ended = self._done.copy()
            last = np.full(self.num_envs, None, dtype=object)
            for i in map(int, np.flatnonzero(ended)):
                last[i] = observations[i].copy()
            info["final_obs"], info["_final_obs"] = last, ended
            info["final_info"], info["_final_info"] = {"failed": failed}, ended
            self._begin(ended)
            observations = self.robots.observe()
        return observations, rewards, terminations, truncations, info

    def close_extras(self, **kwargs: Any) -> None:
        self.robots.batch.close()


class Environment(_Env):
    """One environment of a task. `gymnasium.make` adds the limit of an episode's steps."""

    metadata: Dict[str, Any] = {"render_modes": []}

    def __init__(self, task: Type[Task], **options: Any) -> None:
        self.task = task()
        self.robots = _Robots(self.task, 1, 1, options)
        self.observation_space, self.action_space = self.robots.spaces()

    def reset(
        self, *, seed: Optional[int] = None, options: Optional[Dict[str, Any]] = None
    ) -> Tuple[Array, Dict[str, Any]]:
        super().reset(seed=seed)
        self.robots.seed(0, seed)
        self.robots.reset(np.ones(1, bool))
        return self.robots.observe()[0], {}

    def step(self, action: Array) -> Tuple[Array, float, bool, bool, Dict[str, Any]]:
        rewards, ends, failed = self.robots.step(np.asarray(action)[None], np.ones(1, bool))
        return self.robots.observe()[0], float(rewards[0]), bool(ends[0]), False, {"failed": bool(failed[0])}

    def close(self) -> None:
        self.robots.batch.close()


def _one(task: Type[Task]) -> Any:
    return lambda **arguments: Environment(task, **arguments)


def _many(task: Type[Task]) -> Any:
    return lambda **arguments: VectorEnvironment(task, **arguments)


for _task in (CartPoleSwingUp, Hopper, HalfCheetah, Ant):
    gymnasium.register(
        f"diffsim/{_task.__name__}-v0",
        entry_point=_one(_task),
        vector_entry_point=_many(_task),
        max_episode_steps=_task.max_episode_steps,
    )
