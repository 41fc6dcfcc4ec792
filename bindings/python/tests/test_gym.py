"""Environments of gymnasium: its own checks, the task's numbers, resets, seeds, failures."""

import numpy as np
import pytest

gymnasium = pytest.importorskip("gymnasium")

from gymnasium.utils.env_checker import check_env  # noqa: E402
from gymnasium.vector import AutoresetMode  # noqa: E402

import diffsim  # noqa: E402
import diffsim.gym  # noqa: E402
from diffsim import gym  # noqa: E402

pytestmark = [
    pytest.mark.filterwarnings("ignore::diffsim.FileSettingsWarning"),
    # The bounds of observations are infinite, as in gymnasium's own environments.
    pytest.mark.filterwarnings("ignore:.*A Box observation space"),
]
#: Observations, actions and steps a second; those of gymnasium's environments where it has them, of Ant and
#: Humanoid without contact forces, of Humanoid without inertias and actuator forces.
SIZES = {
    "CartPoleSwingUp": (5, 1, 50.0),
    "Hopper": (11, 3, 125.0),
    "HopperSmooth": (11, 3, 125.0),
    "HalfCheetah": (17, 6, 20.0),
    "Ant": (27, 8, 20.0),
    "AntSmooth": (27, 8, 20.0),
    "Humanoid": (45, 17, 1.0 / 0.015),
    "HumanoidSmooth": (45, 17, 1.0 / 0.015),
    "Quadruped": (34, 12, 50.0),
}
NAMES = tuple(SIZES)


@pytest.mark.parametrize("name", NAMES)
def test_one_environment(name):
    env = gymnasium.make(f"diffsim/{name}-v0")
    check_env(env.unwrapped, skip_render_check=True)
    observations, actions, rate = SIZES[name]
    assert env.observation_space.shape == (observations,) and env.action_space.shape == (actions,)
    assert 1.0 / env.unwrapped.robots.dt == pytest.approx(rate)
    assert env.spec.max_episode_steps == env.unwrapped.task.max_episode_steps
    env.close()


@pytest.mark.parametrize("name", NAMES)
def test_many_are_single_ones(name):
    count, task = 5, f"diffsim/{name}-v0"
    envs = gymnasium.make_vec(task, num_envs=count, threads=2, autoreset_mode=AutoresetMode.DISABLED)
    alone = [gymnasium.make(task).unwrapped for _ in range(count)]
    observations, _ = envs.reset(seed=3)
    singles = [env.reset(seed=3 + i)[0] for i, env in enumerate(alone)]
    assert (observations == np.array(singles)).all() and len(np.unique(observations, axis=0)) == count
    random = np.random.default_rng(0)
    for _ in range(3):
        actions = random.uniform(-1.0, 1.0, envs.action_space.shape)
        observations, rewards, terminations, truncations, _ = envs.step(actions)
        for i, env in enumerate(alone):
            one = env.step(actions[i])
            assert (one[0] == observations[i]).all() and one[1] == rewards[i] and one[2] == terminations[i]
        if terminations.any():
            break
    assert not truncations.any()


def test_hopper_is_gymnasium_s():
    mujoco = pytest.importorskip("mujoco")
    with_mujoco = gymnasium.make("Hopper-v5").unwrapped
    env = gymnasium.make("diffsim/Hopper-v0").unwrapped
    env.reset(seed=1)
    with_mujoco.reset(seed=1)
    # In the air and away from joint limits, where the two engines do the same; their integrators differ.
    q, v = env.robots.q[0].copy(), env.robots.v[0].copy()
    q[1] += 1.0
    q[3:] = -0.5
    env.robots.q[0] = q
    with_mujoco.set_state(q, v)
    mujoco.mj_forward(with_mujoco.model, with_mujoco.data)
    for k in range(5):
        action = 0.1 * np.sin(np.arange(3.0) + k)
        ours, theirs = env.step(action), with_mujoco.step(action)
        assert np.allclose(ours[0], theirs[0], atol=0.1, rtol=0.05) and abs(ours[1] - theirs[1]) < 0.1
        assert ours[2] == theirs[2]


@pytest.mark.parametrize("mode", list(AutoresetMode))
def test_autoreset(mode):
    envs = gymnasium.make_vec("diffsim/CartPoleSwingUp-v0", num_envs=3, max_episode_steps=4, autoreset_mode=mode)
    assert envs.metadata["autoreset_mode"] == mode
    first, _ = envs.reset(seed=[5, 6, 7])
    # Environment 1 began two steps later.
    zero = np.zeros((3, 1))
    for _ in range(2):
        envs.step(zero)
    begun, _ = envs.reset(options={"reset_mask": np.array([False, True, False])})
    assert (begun[0] != first[0]).any() and (begun[1] != first[1]).any()
    envs.step(zero)
    before, _, _, truncations, info = envs.step(zero)
    assert truncations.tolist() == [True, False, True]
    if mode == AutoresetMode.SAME_STEP:
        assert info["_final_obs"].tolist() == [True, False, True] and info["final_obs"][1] is None
        assert (info["final_obs"][0] != before[0]).any()
    after = None
    if mode == AutoresetMode.DISABLED:
        with pytest.raises(ValueError, match="environment 0: its episode has ended"):
            envs.step(zero)
        after, _ = envs.reset(options={"reset_mask": np.array([True, False, True])})
        assert (after[1] == before[1]).all()
        envs.step(zero)
    else:
        after, rewards, _, truncations, _ = envs.step(zero)
        waits = mode == AutoresetMode.NEXT_STEP
        assert ((rewards == 0.0) == [waits, False, waits]).all() and not truncations.any()
    envs.close()


def test_seeds_and_threads_repeat():
    paths = []
    for threads in (1, 2):
        envs = gymnasium.make_vec("diffsim/Hopper-v0", num_envs=4, threads=threads, autoreset_mode="SameStep")
        seen = [envs.reset(seed=11)[0]]
        for k in range(30):
            observations, rewards, *_ = envs.step(np.sin(np.arange(12.0).reshape(4, 3) + k))
            seen += [observations, rewards[:, None]]
        paths.append(np.concatenate(seen, axis=1))
    assert (paths[0] == paths[1]).all()


def test_a_failed_step_ends_its_episode():
    envs = gymnasium.make_vec("diffsim/CartPoleSwingUp-v0", num_envs=2, autoreset_mode="SameStep")
    envs.reset(seed=1)
    envs.unwrapped.robots.v[1] = 1e200
    observations, rewards, terminations, _, info = envs.step(np.zeros((2, 1)))
    assert info["failed"].tolist() == [False, True] == terminations.tolist()
    assert info["gradient"].tolist() == [diffsim.Gradient.EXACT, diffsim.Gradient.REFUSED]
    assert info["final_info"]["gradient"].tolist() == info["gradient"].tolist()
    assert rewards[1] == 0.0 and np.abs(observations).max() < 10.0


def test_misuse():
    envs = gymnasium.make_vec("diffsim/CartPoleSwingUp-v0", num_envs=2).unwrapped
    envs.reset(seed=1)
    with pytest.raises(ValueError, match=r"action: expected shape \(2, 1\), got \(2, 2\)"):
        envs.step(np.zeros((2, 2)))
    with pytest.raises(diffsim.NumericalError, match=r"action\[1, 0\]: must be finite, got nan"):
        envs.step(np.array([[0.0], [np.nan]]))
    with pytest.raises(TypeError, match="action: expected numbers, got an array of complex128"):
        envs.step(np.ones((2, 1), complex))
    with pytest.raises(TypeError, match="action: expected numbers, got an array of object"):
        envs.step(None)
    with pytest.raises(TypeError, match="action: expected numbers: .*inhomogeneous"):
        envs.step([[0.0], [0.0, 1.0]])
    with pytest.raises(ValueError, match="seed: must not be negative"):
        envs.reset(seed=-1)
    with pytest.raises(TypeError, match="seed: expected a whole number, got 'a'"):
        envs.reset(seed="a")
    with pytest.raises(ValueError, match="seed: expected 2"):
        envs.reset(seed=[1, 2, 3])
    with pytest.raises(ValueError, match="reset_mask"):
        envs.reset(options={"reset_mask": np.ones(2)})
    with pytest.raises(TypeError, match="time_stepp"):
        gymnasium.make("diffsim/CartPoleSwingUp-v0", time_stepp=0.1)
    envs.close()
    with pytest.raises(ValueError, match="must be open; it is closed"):
        envs.step(np.zeros((2, 1)))


def with_gymnasium_s(name, **arguments):
    """The environment of the same name that MuJoCo steps, at the same state as ours."""
    mujoco = pytest.importorskip("mujoco")
    other = gymnasium.make(f"{name}-v5", **arguments).unwrapped
    env = gymnasium.make(f"diffsim/{name}-v0").unwrapped
    other.reset(seed=1)
    env.reset(seed=1)
    model, q = env.task.model, env.robots.q[0].copy()
    q[2] += 0.05
    env.robots.q[0], env.robots.v[0] = q, 0.01 * env.robots.v[0]
    other.set_state(model.q_to_mujoco(q), model.v_to_mujoco(q, env.robots.v[0]))
    mujoco.mj_forward(other.model, other.data)
    return env, other


def test_humanoid_is_gymnasium_s():
    left_out = ("cinert", "cvel", "qfrc_actuator", "cfrc_ext")
    env, other = with_gymnasium_s(
        "Humanoid", contact_cost_weight=0.0, **{f"include_{x}_in_observation": False for x in left_out}
    )
    for k in range(3):
        action = 0.1 * np.sin(np.arange(17.0) + k)
        ours, theirs = env.step(action), other.step(action)
        assert np.allclose(ours[0], theirs[0], atol=0.1, rtol=0.1) and abs(ours[1] - theirs[1]) < 0.2
        assert ours[2] == theirs[2]


def test_smooth_tasks_differ_in_health_alone():
    rng = np.random.default_rng(3)
    for smooth, usual in ((gym.HopperSmooth, gym.Hopper), (gym.AntSmooth, gym.Ant), (gym.HumanoidSmooth, gym.Humanoid)):
        one, two = smooth(), usual()
        q, v = (np.stack(x) for x in zip(*(one.reset(rng) for _ in range(4))))
        actions = rng.uniform(-0.1, 0.1, (4, one.model.nu))
        a, b = (task.reward((q, v), (q, v), actions, 0.01) for task in (one, two))
        assert (0.9 * two.healthy_reward < a - b + two.healthy_reward).all() and (a <= b).all()
        fallen = q.copy()
        fallen[:, 1 if usual is gym.Hopper else 2] -= 1.0
        assert two.ends(fallen, v).all() and not one.ends(fallen, v).any()
        assert (one.reward((fallen, v), (fallen, v), actions, 0.01) < 0.1 * two.healthy_reward).all()


def test_rewards_are_functions_of_jax():
    jax = pytest.importorskip("jax")
    jax.config.update("jax_enable_x64", True)
    for kind in (gym.CartPoleSwingUp, gym.HopperSmooth, gym.AntSmooth, gym.Quadruped):
        task = kind()
        q, v = (x[None] for x in task.reset(np.random.default_rng(1)))
        actions, after = np.full((1, len(task.low)), 0.1), (q + 0.01, v)
        expected = task.observe(*after), task.reward((q, v), after, actions, 0.02)
        task.xp = jax.numpy
        both = jax.jit(lambda q, v, a: (task.observe(q, v), task.reward(state, (q, v), a, 0.02)))  # noqa: B023
        state = q, v
        for got, wanted in zip(both(*after, actions), expected):
            assert np.allclose(got, wanted, rtol=1e-12, atol=1e-12)
        slopes = jax.grad(lambda q, v, a: task.reward(state, (q, v), a, 0.02)[0], (0, 1, 2))(*after, actions)  # noqa: B023
        assert all(np.isfinite(x).all() for x in slopes) and any(np.abs(x).max() > 0 for x in slopes)


def test_the_quadruped_walks():
    """A trot by hand goes forward and earns more than standing still."""
    returns, ways = [], []
    for stride in (0.0, 1.0):
        env = gymnasium.make("diffsim/Quadruped-v0").unwrapped
        env.reset(seed=1)
        total = 0.0
        for k in range(150):
            phase = 2.0 * np.pi * 1.5 * env.robots.dt * k
            action = np.zeros((4, 3))
            for leg, shift in enumerate((0.0, np.pi, np.pi, 0.0)):
                lift = max(0.0, np.sin(phase + shift))
                action[leg, 1] = stride * (0.8 * np.cos(phase + shift) + 0.7 * lift)
                action[leg, 2] = -2.0 * stride * lift
            _, reward, ended, *_ = env.step(np.clip(action.ravel(), -1.0, 1.0))
            total += reward
            assert not ended
        returns.append(total)
        ways.append(env.robots.q[0, 0])
    assert abs(ways[0]) < 0.1 and ways[1] > 0.6, ways
    assert returns[1] > returns[0] + 30.0, returns


def test_a_task_is_a_class_of_tasks():
    for task in ("Hopper", gym.Hopper(), 3):
        with pytest.raises(ValueError, match="task: expected a class of tasks, such as diffsim.gym.Hopper, got"):
            gym.Environment(task)
    with pytest.raises(ValueError, match="num_envs: expected a whole number"):
        gym.VectorEnvironment(gym.Hopper, num_envs="x")
    with pytest.raises(ValueError, match="autoreset_mode: expected one of 'NextStep'"):
        gym.VectorEnvironment(gym.Hopper, autoreset_mode="never")
