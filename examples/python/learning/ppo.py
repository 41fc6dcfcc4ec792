"""Proximal policy optimization (Schulman et al. 2017): the carts of shac.py, without gradients of the
simulation.

    python examples/python/learning/ppo.py --steps 1000000 --seed 1 --out ppo.json
    python examples/python/learning/ppo.py --task diffsim/Hopper-v0 --integrator symplectic_euler
    python examples/python/learning/ppo.py --task Hopper-v5

Several environments of gymnasium run some steps each; ten rounds of minibatches follow. Rewards are divided by
the running deviation of the discounted return. The printed return is that of the policy without noise, as in
shac.py, which has the same networks. Hopper-v5 is gymnasium's own, which runs in MuJoCo.
"""

import argparse
import json
import time
from typing import NamedTuple

import gymnasium
import jax
import jax.numpy as jnp
import numpy as np
import optax

import diffsim.gym  # noqa: F401  (makes the environments known)

jax.config.update("jax_enable_x64", True)

ROUNDS, DISCOUNT, LAMBDA, CLIP = 10, 0.99, 0.95, 0.2


class Settings(NamedTuple):
    """Environments, their steps between two updates, rows of a minibatch, and the rate at the beginning."""

    count: int = 16
    horizon: int = 128
    rows: int = 64
    rate: float = 3e-4


#: Of all other tasks: the defaults.
SETTINGS = {"diffsim/CartPoleSwingUp-v0": Settings()}


def network(key, sizes, last=1.0):
    layers = []
    for i, (n, m) in enumerate(zip(sizes, sizes[1:])):
        key, one = jax.random.split(key)
        scale = (last if i == len(sizes) - 2 else 1.0) / np.sqrt(n)
        layers.append((scale * jax.random.normal(one, (n, m)), jnp.zeros(m)))
    return layers


def evaluate(layers, x):
    for w, b in layers[:-1]:
        x = jax.nn.elu(x @ w + b)
    w, b = layers[-1]
    return x @ w + b


def log_density(agent, x, action):
    """Of actions under the policy, summed over the actuators."""
    z = (action - evaluate(agent["mean"], x)) / jnp.exp(agent["log_std"])
    return jnp.sum(-0.5 * z**2 - agent["log_std"], -1)


@jax.jit
def act(agent, x, key):
    mean = evaluate(agent["mean"], x)
    action = mean + jnp.exp(agent["log_std"]) * jax.random.normal(key, mean.shape)
    return action, log_density(agent, x, action), evaluate(agent["value"], x)[:, 0]


@jax.jit
def best(agent, x):
    return evaluate(agent["mean"], x)


class Scale:
    """Running mean and variance of the observations."""

    def __init__(self, size):
        self.mean, self.variance, self.count = np.zeros(size), np.ones(size), 1e-4

    def see(self, x):
        n, m, v = len(x), x.mean(0), x.var(0)
        total = self.count + n
        self.variance = (self.variance * self.count + v * n) / total + (m - self.mean) ** 2 * self.count * n / total**2
        self.mean, self.count = self.mean + (m - self.mean) * n / total, total

    def __call__(self, x):
        return np.clip((x - self.mean) / np.sqrt(self.variance + 1e-5), -10.0, 10.0)


def loss(agent, x, action, before, advantage, wanted):
    now = log_density(agent, x, action)
    ratio = jnp.exp(now - before)
    advantage = (advantage - advantage.mean()) / (advantage.std() + 1e-8)
    gain = jnp.minimum(ratio * advantage, jnp.clip(ratio, 1.0 - CLIP, 1.0 + CLIP) * advantage)
    error = (evaluate(agent["value"], x)[:, 0] - wanted) ** 2
    return jnp.mean(0.5 * error - gain)


def learner(optimizer, rows):
    @jax.jit
    def learn(agent, of_agent, data, key):
        def part(carry, rows):
            agent, of_agent = carry
            change, of_agent = optimizer.update(jax.grad(loss)(agent, *(x[rows] for x in data)), of_agent)
            return (optax.apply_updates(agent, change), of_agent), None

        orders = jax.vmap(lambda k: jax.random.permutation(k, len(data[0])))(jax.random.split(key, ROUNDS))
        return jax.lax.scan(part, (agent, of_agent), orders.reshape(-1, rows))[0]

    return learn


def environments(task, count, options):
    """Environments of diffsim.gym in one batch, or of another package one by one; and the steps of an episode."""
    if task.startswith("diffsim/"):
        envs = gymnasium.make_vec(task, num_envs=count, threads=1, autoreset_mode="SameStep", **options)
    else:
        reset = {"autoreset_mode": gymnasium.vector.AutoresetMode.SAME_STEP}
        envs = gymnasium.make_vec(task, num_envs=count, vectorization_mode="sync", vector_kwargs=reset, **options)
    return envs.unwrapped, gymnasium.spec(task).max_episode_steps


def clipped(envs, actions):
    """Within their bounds: not all environments clip what they are given."""
    return np.clip(np.asarray(actions), envs.single_action_space.low, envs.single_action_space.high)


def trial(envs, limit, agent, scale, seed):
    """Mean return of 16 episodes without noise."""
    x, _ = envs.reset(seed=seed)
    total, runs = np.zeros(envs.num_envs), np.ones(envs.num_envs, bool)
    for _ in range(limit):
        x, reward, ended, cut, _ = envs.step(clipped(envs, best(agent, scale(x))))
        total += np.where(runs, reward, 0.0)
        runs &= ~(ended | cut)
        if not runs.any():
            break
    return total.mean()


def train(steps, seed, report=print, task="diffsim/CartPoleSwingUp-v0", options={}):
    """Learns for so many steps of environments; a list of (steps, seconds, return)."""
    count, horizon, minibatch, rate = SETTINGS.get(task, Settings())
    (envs, limit), (judges, _) = environments(task, count, options), environments(task, 16, options)
    size, actions = envs.single_observation_space.shape[0], envs.single_action_space.shape[0]
    keys = jax.random.split(jax.random.key(seed), 3)
    agent = {
        "mean": network(keys[0], (size, 64, 64, actions), 0.1),
        "value": network(keys[1], (size, 64, 64, 1)),
        "log_std": jnp.full(actions, -0.5),
    }
    batch = count * horizon
    rounds = max(1, steps // batch)
    decay = optax.linear_schedule(rate, 0.0, rounds * ROUNDS * batch // minibatch)
    optimizer = optax.chain(optax.clip_by_global_norm(0.5), optax.adam(decay, eps=1e-5))
    of_agent, learn, scale = optimizer.init(agent), learner(optimizer, minibatch), Scale(size)
    discounted, spread = np.zeros(count), Scale(1)
    observation, _ = envs.reset(seed=1000 * seed)
    if task.startswith("diffsim/"):
        # Episodes end at different times.
        envs._steps[:] = np.random.default_rng(seed).integers(0, limit, count)
    scale.see(observation)
    curve, began = [], time.perf_counter()
    for i, key in enumerate(jax.random.split(keys[2], rounds)):
        if i % max(1, rounds // 25) == 0:
            curve.append((i * batch, time.perf_counter() - began, float(trial(judges, limit, agent, scale, 0))))
            report("steps {:8d}  {:6.1f} s  return {:7.1f}".format(*curve[-1]))
        rows = []
        for one in jax.random.split(key, horizon):
            x = scale(observation)
            action, density, value = map(np.asarray, act(agent, x, one))
            following, reward, ended, cut, info = envs.step(clipped(envs, action))
            discounted = reward + DISCOUNT * discounted
            spread.see(discounted[:, None])
            reward = reward / np.sqrt(spread.variance[0] + 1e-8)
            discounted[ended | cut] = 0.0
            last = following.copy()
            for k in np.flatnonzero(ended | cut):
                last[k] = info["final_obs"][k]
            after = np.asarray(act(agent, scale(last), one)[2])
            rows.append((x, action, density, value, reward, after, ended, ended | cut, observation))
            observation = following
        x, action, density, value, reward, after, ended, done, raw = map(np.array, zip(*rows))
        advantage, sum_ = np.zeros_like(reward), np.zeros(count)
        for t in reversed(range(horizon)):
            error = reward[t] + DISCOUNT * np.where(ended[t], 0.0, after[t]) - value[t]
            sum_ = error + DISCOUNT * LAMBDA * np.where(done[t], 0.0, sum_)
            advantage[t] = sum_
        data = (x, action, density, advantage, advantage + value)
        flat = [y.reshape(batch, *y.shape[2:]) for y in data]
        agent, of_agent = learn(agent, of_agent, [jnp.asarray(y) for y in flat], key)
        scale.see(raw.reshape(-1, size))
    curve.append((rounds * batch, time.perf_counter() - began, float(trial(judges, limit, agent, scale, 0))))
    report("steps {:8d}  {:6.1f} s  return {:7.1f}".format(*curve[-1]))
    return curve


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--steps", type=int, default=1_000_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--task", default="diffsim/CartPoleSwingUp-v0")
    parser.add_argument("--integrator", help="of the simulation; by default that of the task's file")
    parser.add_argument("--out", help="a JSON file for the curve")
    given = parser.parse_args()
    options = {"integrator": given.integrator} if given.integrator else {}
    result = train(given.steps, given.seed, task=given.task, options=options)
    if given.out:
        with open(given.out, "w") as file:
            json.dump(result, file)
    if result[-1][2] <= result[0][2]:
        raise SystemExit("the policy has not learned")
