"""Environments of gymnasium: one robot, or many robots in a batch.

    import gymnasium, diffsim.gym
    envs = gymnasium.make_vec("diffsim/Hopper-v0", num_envs=64)
    observations, info = envs.reset(seed=1)
    observations, rewards, terminations, truncations, info = envs.step(envs.action_space.sample())

`diffsim/CartPoleSwingUp-v0` and `diffsim/Quadruped-v0` have their own models. `diffsim/Hopper-v0`,
`diffsim/HalfCheetah-v0`, `diffsim/Ant-v0` and `diffsim/Humanoid-v0` are the tasks of gymnasium's `-v5` environments,
with the same models, observations, rewards and ends. The models are files of gymnasium's package; MuJoCo need not be
installed. Ant and Humanoid do not use contact forces. The observation of Humanoid does not include inertias and
actuator forces. `diffsim/HopperSmooth-v0`, `AntSmooth` and `HumanoidSmooth` have differentiable rewards and no early
end.

The numbers of an environment depend only on its seed and its actions. They do not depend on the number of
environments or threads.
"""

from __future__ import annotations

import importlib.util
import pathlib
import reprlib
from typing import TYPE_CHECKING, Any, Dict, Optional, Sequence, Tuple, Type, Union

import gymnasium
import numpy as np
import numpy.typing as npt
from gymnasium.spaces import Box
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

from ._errors import ArgumentTypeError, InvalidArgumentError, NumericalError
from ._native import size
from .batch import Batch
from .enums import Gradient
from .model import Model
from .sim import Sim

Array = npt.NDArray[np.float64]
Flags = npt.NDArray[np.bool_]

if TYPE_CHECKING:
    # Without gymnasium a type checker would reject its classes as bases.
    class _VectorEnv: ...

    class _Env:
        def reset(self, *, seed: Optional[int] = None, options: Optional[Dict[str, Any]] = None) -> Any: ...

else:
    _VectorEnv, _Env = VectorEnv, gymnasium.Env

__all__ = [
    "Ant",
    "AntSmooth",
    "CartPoleSwingUp",
    "Environment",
    "HalfCheetah",
    "Hopper",
    "HopperSmooth",
    "Humanoid",
    "HumanoidSmooth",
    "Quadruped",
    "Task",
    "VectorEnvironment",
]


class Task:
    """Definition of an environment. States and actions are rows, one per environment.

    xp: the module of array functions, numpy. With jax.numpy instead, JAX can differentiate `control`, `observe` and
    `reward` of the tasks here (except Humanoid: the library computes its centre of mass).
    """

    xp: Any = np

    #: Steps of the simulation per step of the environment, steps of an episode, and the largest action.
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
        """An initial state."""
        raise NotImplementedError

    def control(self, actions: Array) -> Array:
        """Inputs of the simulation for actions within their bounds."""
        return actions

    def observe(self, q: Array, v: Array) -> Array:
        raise NotImplementedError

    def reward(self, before: Tuple[Array, Array], after: Tuple[Array, Array], actions: Array, dt: float) -> Array:
        raise NotImplementedError

    def ends(self, q: Array, v: Array) -> Flags:
        """True for environments whose episode ends early."""
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
    """Swing up a pole on a cart and hold it up. At the start the pole has any angle. Observation: x, sin θ, cos θ,
    the rates of x and θ; θ = 0 for the upright pole. The reward is smooth."""

    frame_skip = 2
    max_episode_steps = 240

    def load(self) -> Model:
        return Model.from_string(_CART_POLE, "mjcf")

    def reset(self, random: np.random.Generator) -> Tuple[Array, Array]:
        return np.array([0.1, np.pi]) * random.uniform(-1.0, 1.0, 2), random.uniform(-0.1, 0.1, 2)

    def observe(self, q: Array, v: Array) -> Array:
        xp = self.xp
        seen: Array = xp.stack([q[:, 0], xp.sin(q[:, 1]), xp.cos(q[:, 1]), v[:, 0], v[:, 1]], 1)
        return seen

    def reward(self, before: Tuple[Array, Array], after: Tuple[Array, Array], actions: Array, dt: float) -> Array:
        (q, v), a = after, actions[:, 0]
        speeds = v[:, 0] ** 2 + v[:, 1] ** 2
        reward: Array = self.xp.cos(q[:, 1]) - 0.05 * q[:, 0] ** 2 - 0.002 * speeds - 0.01 * a**2
        return reward


def _asset(name: str) -> pathlib.Path:
    """A model file of gymnasium's package. It is not imported from there, because the import needs MuJoCo."""
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
    #: Number of leading coordinates that are not observed.
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
        seen: Array = self.xp.concatenate([q[:, self.hidden :], v], 1)
        return seen

    def reward(self, before: Tuple[Array, Array], after: Tuple[Array, Array], actions: Array, dt: float) -> Array:
        forward = (self.place(after[0]) - self.place(before[0])) / dt
        cost = self.control_weight * self.xp.sum(actions**2, 1)
        reward: Array = self.forward_weight * forward - cost + self.healthy_reward * self.health(*after)
        return reward

    def place(self, q: Array) -> Array:
        """The coordinate that the reward increases with."""
        x: Array = q[:, 0]
        return x

    def health(self, q: Array, v: Array) -> Array:
        """Share of the reward for a healthy robot."""
        share: Array = self.healthy(q, v).astype(np.float64)
        return share

    def ends(self, q: Array, v: Array) -> Flags:
        return ~self.healthy(q, v)


class Hopper(_Walker):
    """gymnasium's Hopper-v5."""

    file, frame_skip, noise, control_weight, healthy_reward = "hopper.xml", 4, 5e-3, 1e-3, 1.0

    def reset(self, random: np.random.Generator) -> Tuple[Array, Array]:
        q = self.q0 + random.uniform(-self.noise, self.noise, self.model.nq)
        return q, random.uniform(-self.noise, self.noise, self.model.nv)

    def observe(self, q: Array, v: Array) -> Array:
        return super().observe(q, self.xp.clip(v, -10.0, 10.0))

    def healthy(self, q: Array, v: Array) -> Flags:
        xp = self.xp
        rest = xp.concatenate([q[:, 2:], v], 1)
        healthy: Flags = (q[:, 1] > 0.7) & (xp.abs(q[:, 2]) < 0.2) & (xp.abs(rest) < 100.0).all(1)
        return healthy


class HalfCheetah(_Walker):
    """gymnasium's HalfCheetah-v5."""

    file, frame_skip = "half_cheetah.xml", 5

    def reset(self, random: np.random.Generator) -> Tuple[Array, Array]:
        q = self.q0 + random.uniform(-self.noise, self.noise, self.model.nq)
        return q, self.noise * random.standard_normal(self.model.nv)


def _world(xp: Any, q: Array, v: Array) -> Tuple[Array, Array]:
    """MuJoCo's coordinates of a robot on a free joint: the quaternion w x y z, the velocity in world axes."""
    xyz, w = q[:, 3:6], q[:, 6:7]
    t = 2.0 * xp.cross(xyz, v[:, :3])
    linear = v[:, :3] + w * t + xp.cross(xyz, t)
    return xp.concatenate([q[:, :3], w, xyz, q[:, 7:]], 1), xp.concatenate([linear, v[:, 3:]], 1)


class Ant(_Walker):
    """gymnasium's Ant-v5 with include_cfrc_ext_in_observation=False and contact_cost_weight=0."""

    file, frame_skip, control_weight, healthy_reward, hidden = "ant.xml", 5, 0.5, 1.0, 2

    def states(self, q: Array, v: Array) -> Tuple[Array, Array]:
        """MuJoCo's quaternion (w x y z), and the velocity of the base in world axes."""
        return _world(self.xp, q, v)

    def reset(self, random: np.random.Generator) -> Tuple[Array, Array]:
        q = self.q0 + random.uniform(-self.noise, self.noise, self.model.nq)
        q[3:7] /= np.linalg.norm(q[3:7])
        return q, self.noise * random.standard_normal(self.model.nv)

    def healthy(self, q: Array, v: Array) -> Flags:
        healthy: Flags = (q[:, 2] >= 0.2) & (q[:, 2] <= 1.0)
        return healthy


class Humanoid(_Walker):
    """gymnasium's Humanoid-v5 with only positions and velocities in the observation, and contact_cost_weight=0."""

    file, frame_skip, noise, hidden = "humanoid.xml", 5, 1e-2, 2
    forward_weight, control_weight, healthy_reward = 1.25, 0.1, 5.0

    def __init__(self) -> None:
        super().__init__()
        self._sim = Sim(self.model, contact="none")

    def states(self, q: Array, v: Array) -> Tuple[Array, Array]:
        return _world(self.xp, q, v)

    def place(self, q: Array) -> Array:
        """x of the centre of mass."""
        return np.array([self._sim.center_of_mass(one)[1][0] for one in q])

    def reset(self, random: np.random.Generator) -> Tuple[Array, Array]:
        q = self.q0 + random.uniform(-self.noise, self.noise, self.model.nq)
        q[3:7] /= np.linalg.norm(q[3:7])
        return q, random.uniform(-self.noise, self.noise, self.model.nv)

    def healthy(self, q: Array, v: Array) -> Flags:
        healthy: Flags = (q[:, 2] > 1.0) & (q[:, 2] < 2.0)
        return healthy


def _sigmoid(xp: Any, x: Array) -> Array:
    share: Array = 0.5 * (1.0 + xp.tanh(0.5 * x))
    return share


class HopperSmooth(Hopper):
    """Hopper with a differentiable reward: health is a smooth share of 1, and no episode ends early."""

    def health(self, q: Array, v: Array) -> Array:
        height, lean = (q[:, 1] - 0.7) / 0.05, (0.2 - self.xp.sqrt(q[:, 2] ** 2 + 1e-4)) / 0.05
        return _sigmoid(self.xp, height) * _sigmoid(self.xp, lean)

    def observe(self, q: Array, v: Array) -> Array:
        seen: Array = self.xp.concatenate([q[:, 1:], 10.0 * self.xp.tanh(0.1 * v)], 1)
        return seen

    def ends(self, q: Array, v: Array) -> Flags:
        return np.zeros(len(q), bool)


class AntSmooth(Ant):
    """Ant with the changes of HopperSmooth."""

    def health(self, q: Array, v: Array) -> Array:
        return _sigmoid(self.xp, (q[:, 2] - 0.2) / 0.05) * _sigmoid(self.xp, (1.0 - q[:, 2]) / 0.05)

    def ends(self, q: Array, v: Array) -> Flags:
        return np.zeros(len(q), bool)


class HumanoidSmooth(Humanoid):
    """Humanoid with the changes of HopperSmooth."""

    def health(self, q: Array, v: Array) -> Array:
        return _sigmoid(self.xp, (q[:, 2] - 1.0) / 0.05) * _sigmoid(self.xp, (2.0 - q[:, 2]) / 0.05)

    def ends(self, q: Array, v: Array) -> Flags:
        return np.zeros(len(q), bool)


def _quadruped() -> str:
    """A quadruped: a trunk of 6 kg on four legs with three joints each."""
    legs, servos = [], []
    for name, x, y in (("FR", 0.19, -0.05), ("FL", 0.19, 0.05), ("RR", -0.19, -0.05), ("RL", -0.19, 0.05)):
        out = 0.09 if y > 0 else -0.09
        legs.append(f"""
      <body name="{name}_hip" pos="{x} {y} 0">
        <joint name="{name}_hip" axis="1 0 0" range="-0.8 0.8"/>
        <geom type="capsule" fromto="0 0 0 0 {out} 0" size="0.03" mass="0.6"/>
        <body name="{name}_thigh" pos="0 {out} 0">
          <joint name="{name}_thigh" range="-0.6 2.5"/>
          <geom type="capsule" fromto="0 0 0 0 0 -0.21" size="0.02" mass="0.9"/>
          <body name="{name}_calf" pos="0 0 -0.21">
            <joint name="{name}_calf" range="-2.7 -0.8"/>
            <geom type="capsule" fromto="0 0 0 0 0 -0.19" size="0.012" mass="0.15"/>
            <geom name="{name}_foot" type="sphere" size="0.02" pos="0 0 -0.21" mass="0.05" contype="0" conaffinity="1"/>
          </body>
        </body>
      </body>""")
        servos += [f'<position joint="{name}_{part}" kp="60" forcerange="-25 25"/>' for part in ("hip", "thigh", "calf")]
    return f"""
<mujoco model="quadruped">
  <compiler angle="radian" autolimits="true"/>
  <option timestep="0.005" integrator="implicitfast"/>
  <default><geom contype="0" conaffinity="0" friction="0.8"/><joint axis="0 1 0" damping="1.5" armature="0.01"/></default>
  <worldbody>
    <geom name="floor" type="plane" size="0 0 1" contype="1" conaffinity="0"/>
    <body name="trunk" pos="0 0 0.32"><freejoint/>
      <geom name="trunk" type="box" size="0.19 0.05 0.05" mass="6" conaffinity="1"/>{"".join(legs)}
    </body>
  </worldbody>
  <actuator>{"".join(servos)}</actuator>
</mujoco>
"""


class Quadruped(Task):
    """Walk a quadruped forward at 0.5 m/s. An action is the displacement of 12 servos from the standing pose, in
    units of 0.4 rad. Observation: height, direction of gravity and velocity in axes of the trunk, joint angles
    relative to the standing pose, and their rates. The reward is smooth. An episode ends when the trunk falls."""

    frame_skip = 4
    standing = np.tile([0.0, 0.8, -1.6], 4)
    speed = 0.5

    def __init__(self) -> None:
        super().__init__()
        self.low, self.high = -np.ones(12), np.ones(12)
        self.q0 = np.concatenate([[0.0, 0.0, 0.3125, 0.0, 0.0, 0.0, 1.0], self.standing])

    def load(self) -> Model:
        return Model.from_string(_quadruped(), "mjcf")

    def _range(self, actuator: int) -> Tuple[float, float]:
        return -1.0, 1.0

    def reset(self, random: np.random.Generator) -> Tuple[Array, Array]:
        q = self.q0.copy()
        q[7:] += random.uniform(-0.05, 0.05, 12)
        return q, random.uniform(-0.05, 0.05, self.model.nv)

    def control(self, actions: Array) -> Array:
        inputs: Array = self.standing + 0.4 * actions
        return inputs

    def down(self, q: Array) -> Array:
        """Direction of gravity in axes of the trunk."""
        x, y, z, w = q[:, 3], q[:, 4], q[:, 5], q[:, 6]
        out: Array = -self.xp.stack([2.0 * (x * z - w * y), 2.0 * (y * z + w * x), 1.0 - 2.0 * (x * x + y * y)], 1)
        return out

    def observe(self, q: Array, v: Array) -> Array:
        parts = [q[:, 2:3], self.down(q), v[:, :6], q[:, 7:] - self.standing, 0.1 * v[:, 6:]]
        seen: Array = self.xp.concatenate(parts, 1)
        return seen

    def reward(self, before: Tuple[Array, Array], after: Tuple[Array, Array], actions: Array, dt: float) -> Array:
        xp, (q, v) = self.xp, after
        world = (after[0][:, :2] - before[0][:, :2]) / dt
        miss = ((world[:, 0] - self.speed) / 0.25) ** 2 + (world[:, 1] / 0.5) ** 2 + (v[:, 5] / 2.0) ** 2
        tilt = xp.sum(self.down(q)[:, :2] ** 2, 1)
        reward: Array = xp.exp(-miss) - tilt - 0.005 * xp.sum(actions**2, 1) - 1e-4 * xp.sum(v[:, 6:] ** 2, 1)
        return reward

    def ends(self, q: Array, v: Array) -> Flags:
        fallen: Flags = (q[:, 2] < 0.15) | (self.down(q)[:, 2] > -0.5)
        return fallen


def _actions(given: Any) -> Array:
    """Actions as float64. NumPy alone would take None for NaN, and drop imaginary parts."""
    try:
        made = np.asarray(given)
    except ValueError as error:
        raise ArgumentTypeError(f"action: expected numbers: {error}") from None
    if made.dtype.kind not in "fiu":
        raise ArgumentTypeError(f"action: expected numbers, got an array of {made.dtype}")
    return np.asarray(made, np.float64)


class _Robots:
    """States of `count` environments of a task, and the batch that steps them."""

    def __init__(self, task: Task, count: int, threads: int, options: Dict[str, Any]) -> None:
        self.task, self.count = task, count
        self.batch = Batch(task.model, count, threads, **options)
        self.batch.reserve(task.frame_skip)
        self.dt = task.frame_skip * self.batch.options["time_step"]
        self.q, self.v = np.zeros((count, task.model.nq)), np.zeros((count, task.model.nv))
        self.random = [np.random.default_rng(None) for _ in range(count)]

    def seed(self, i: int, seed: Optional[int]) -> None:
        if seed is not None:
            self.random[i] = np.random.default_rng(size(seed, "seed", 128))

    def reset(self, which: Flags) -> None:
        for i in map(int, np.flatnonzero(which)):
            self.q[i], self.v[i] = self.task.reset(self.random[i])

    def observe(self) -> Array:
        return self.task.observe(self.q, self.v)

    def step(self, actions: Array, which: Flags) -> Tuple[Array, Flags, Dict[str, Any]]:
        """Steps the environments of `which`; others do not change. Returns rewards, ends, and information: failed
        steps and labels of the steps. A failed step ends the episode in its current state with the reward 0."""
        actions = _actions(actions)
        if actions.shape != (self.count, self.task.model.nu):
            raise InvalidArgumentError(f"action: expected shape {(self.count, self.task.model.nu)}, got {actions.shape}")
        bad = np.argwhere(~np.isfinite(actions))
        if len(bad):
            raise NumericalError(f"action[{', '.join(map(str, bad[0]))}]: must be finite, got {actions[tuple(bad[0])]}")
        actions = np.clip(actions, self.task.low, self.task.high)
        inputs = np.repeat(self.task.control(actions)[:, None, :], self.task.frame_skip, 1)
        each = np.zeros(self.count, np.int32)
        lengths = np.where(which, self.task.frame_skip, 0)
        run = self.batch.run_episodes(self.q.T, self.v.T, inputs.T, self.task.frame_skip, lengths=lengths, each=each)
        failed = which & (each != 0)
        moves = (which & ~failed)[:, None]
        before = self.q, self.v
        self.q, self.v = np.where(moves, run.q[:, -1].T, self.q), np.where(moves, run.v[:, -1].T, self.v)
        with np.errstate(over="ignore", invalid="ignore"):
            rewards = self.task.reward(before, (self.q, self.v), actions, self.dt)
        ends = self.task.ends(self.q, self.v) | failed
        # The worst label of an environment's steps, as far as it is known without a derivative.
        labels = np.where(failed, int(Gradient.REFUSED), run.labels.max(0))
        return np.where(which & ~failed, rewards, 0.0), ends & which, {"failed": failed, "gradient": labels}

    def spaces(self) -> Tuple[Box, Box]:
        size = self.task.observe(self.q[:1], self.v[:1]).shape[1]
        observation = Box(-np.inf, np.inf, (size,), np.float64)
        return observation, Box(self.task.low.astype(np.float32), self.task.high.astype(np.float32), dtype=np.float32)


def _made(task: Type[Task]) -> Task:
    """A task of its class."""
    made = task() if callable(task) else None
    if not isinstance(made, Task):
        got = reprlib.repr(task)
        raise ArgumentTypeError(f"task: expected a class of tasks, such as diffsim.gym.Hopper, got {got}")
    return made


def _mode(mode: Union[str, AutoresetMode]) -> AutoresetMode:
    try:
        return AutoresetMode(mode)
    except ValueError:
        known = ", ".join(repr(m.value) for m in AutoresetMode)
        raise InvalidArgumentError(f"autoreset_mode: expected one of {known}, got {mode!r}") from None


class VectorEnvironment(_VectorEnv):
    """`num_envs` environments of a task in one batch. threads: 0 for one per core.

    Supports all autoreset modes of gymnasium. With SAME_STEP, info["final_obs"] has the last observations of ended
    episodes. info["failed"]: environments whose step failed; this ends the episode. info["gradient"]: the worst label
    of an environment's steps, a value of `diffsim.Gradient`, as far as it is known without a derivative. Other
    arguments are options of a `Batch`.
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
        self.num_envs = size(num_envs, "num_envs")
        self.task = _made(task)
        self.robots = _Robots(self.task, num_envs, threads, options)
        self.autoreset_mode = _mode(autoreset_mode)
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
        """seed: the seed of environment 0, and consecutive numbers for the others; or one seed for each.
        options["reset_mask"]: flags of the environments to reset; the others continue."""
        if isinstance(seed, Sequence) and not isinstance(seed, str):
            seeds = list(seed)
        else:
            seeds = [None if seed is None else size(seed, "seed") + i for i in range(self.num_envs)]
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
        rewards, terminations, info = self.robots.step(actions, ~fresh)
        self._steps[~fresh] += 1
        self._begin(fresh)
        truncations = (self._steps >= self.limit) & ~terminations
        self._done = terminations | truncations
        observations = self.robots.observe()
        if self.autoreset_mode == AutoresetMode.SAME_STEP and self._done.any():
            ended = self._done.copy()
            last = np.full(self.num_envs, None, dtype=object)
            for i in map(int, np.flatnonzero(ended)):
                last[i] = observations[i].copy()
            info["final_info"], info["_final_info"] = {name: x.copy() for name, x in info.items()}, ended
            info["final_obs"], info["_final_obs"] = last, ended
            self._begin(ended)
            observations = self.robots.observe()
        return observations, rewards, terminations, truncations, info

    def close_extras(self, **kwargs: Any) -> None:
        self.robots.batch.close()


class Environment(_Env):
    """One environment of a task. `gymnasium.make` adds the limit of an episode's steps."""

    metadata: Dict[str, Any] = {"render_modes": []}

    def __init__(self, task: Type[Task], **options: Any) -> None:
        self.task = _made(task)
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
        rewards, ends, info = self.robots.step(np.asarray(action)[None], np.ones(1, bool))
        told = {"failed": bool(info["failed"][0]), "gradient": int(info["gradient"][0])}
        return self.robots.observe()[0], float(rewards[0]), bool(ends[0]), False, told

    def close(self) -> None:
        self.robots.batch.close()


def _one(task: Type[Task]) -> Any:
    return lambda **arguments: Environment(task, **arguments)


def _many(task: Type[Task]) -> Any:
    return lambda **arguments: VectorEnvironment(task, **arguments)


for _task in (CartPoleSwingUp, Hopper, HopperSmooth, HalfCheetah, Ant, AntSmooth, Humanoid, HumanoidSmooth, Quadruped):
    gymnasium.register(
        f"diffsim/{_task.__name__}-v0",
        entry_point=_one(_task),
        vector_entry_point=_many(_task),
        max_episode_steps=_task.max_episode_steps,
    )
