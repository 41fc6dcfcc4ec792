"""Short-horizon actor-critic (Xu et al. 2022): a cart learns to swing its pole up, and a hopper to hop, from
gradients of the simulation.

    python examples/python/learning/shac.py --steps 150000 --seed 1 --out shac.json --record cart.dsrec
    python examples/python/learning/shac.py --task HopperSmooth --steps 1000000 --state hopper.pickle

Several robots run 32 steps each. The policy follows the gradient of their rewards, and of the critic's value at
the end, through those steps; the critic learns from the same steps. A robot that falls starts again. The printed
return is that of the policy without noise; for a task with a smooth reward, by the reward and the early ends of
the task that it smooths. A run with --state that was interrupted goes on where it was, with the same numbers.
"""

import argparse
import json
import os
import pickle
import time
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import optax

import diffsim
import diffsim.gym
import diffsim.jax

jax.config.update("jax_enable_x64", True)

HORIZON = 32
DISCOUNT, LAMBDA = 0.99, 0.95
CRITIC_RATE, CRITIC_ROUNDS, CRITIC_PARTS, TARGET_KEEPS = 1e-3, 16, 4, 0.2


class Settings(NamedTuple):
    """Robots, rate of the actor, and options of the simulation."""

    count: int
    actor_rate: float
    options: dict


# Of all other tasks: those of the hopper.
SETTINGS = {
    "CartPoleSwingUp": Settings(4, 1e-2, {}),
    "HopperSmooth": Settings(64, 2e-3, {"integrator": "symplectic_euler"}),
}


#: Of the derivatives of steps (docs/gradients.md): options of the simulator.
GRADIENTS = {
    "exact": {},
    "aware": {"aware_gradient": 1},
    "central_path": {"smoothing": {"method": "central_path"}, "refused": "zero"},
    "randomized": {"smoothing": {"method": "first_order", "pairs": 1, "width_v": 0.05}, "refused": "zero"},
}


class Problem:
    """A task of diffsim.gym whose observation and reward are functions of JAX. `judge` is the task that counts in
    the end."""

    def __init__(self, name, gradient="exact", weighted=False):
        self.weighted, self.smoothed = weighted, "smoothing" in GRADIENTS[gradient]
        self.settings = SETTINGS.get(name, SETTINGS["HopperSmooth"])
        self.count = self.settings.count
        self.task = getattr(diffsim.gym, name)()
        self.judge = getattr(diffsim.gym, name.removesuffix("Smooth"))()
        self.sim = diffsim.jax.Simulator(self.task.model, threads=1, **self.settings.options, **GRADIENTS[gradient])
        self.dt = self.task.frame_skip * self.sim.time_step
        random = np.random.default_rng(0)
        self.first = states(self.task.reset(random) for _ in range(4096))
        # Those of ppo.py.
        self.judged = states(self.task.reset(np.random.default_rng(seed)) for seed in range(16))
        self.size, self.actions = self.task.observe(*(x[:1] for x in self.first)).shape[1], len(self.task.low)
        self.limit = self.task.max_episode_steps
        self.task.xp = self.judge.xp = jnp

    def advance(self, q, v, action, by):
        """A step of the environment, which is several of the simulation: state and reward of the task `by`."""
        action = jnp.clip(action, self.task.low, self.task.high)
        before, inputs = (q, v), self.task.control(action)
        if self.smoothed:
            for _ in range(self.task.frame_skip):
                q, v = self.sim.step(q, v, inputs)
        else:
            q, v = (x[:, -1] for x in self.sim.rollout(q, v, jnp.repeat(inputs[:, None], self.task.frame_skip, 1)))
        return q, v, by.reward(before, (q, v), action, self.dt)

    def observe(self, q, v):
        return self.task.observe(q, v)

    def starts(self, key, count):
        rows = jax.random.randint(key, (count,), 0, len(self.first[0]))
        return self.first[0][rows], self.first[1][rows]


def states(rows):
    """q and v as arrays with a row for each state."""
    return tuple(map(jnp.asarray, map(np.stack, zip(*rows))))


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


def normal(scale, x):
    mean, variance, _ = scale
    return jnp.clip((x - mean) / jnp.sqrt(variance + 1e-5), -10.0, 10.0)


def seen(scale, x):
    """Running mean and variance of the observations, with those of a batch."""
    mean, variance, count = scale
    n, m, v = len(x), x.mean(0), x.var(0)
    total = count + n
    return (
        mean + (m - mean) * n / total,
        (variance * count + v * n) / total + (m - mean) ** 2 * count * n / total**2,
        total,
    )


def plan(actor, scale, x, noise):
    return evaluate(actor["mean"], normal(scale, x)) + jnp.exp(actor["log_std"]) * noise


def loss(actor, shift, critic, scale, state, key, problem):
    """Minus the mean of discounted rewards and of values at the end; the steps as the critic learns from
    them. shift: of the plans, for the gradient by single actions."""

    def step(carry, row):
        key, shift = row
        (q, v, age), discount, total = carry
        noise, again = jax.random.split(key)
        x = problem.observe(q, v)
        noise = jax.random.normal(noise, (problem.count, problem.actions))
        q, v, reward = problem.advance(q, v, jnp.tanh(plan(actor, scale, x, noise) + shift), problem.task)
        after, fallen = problem.observe(q, v), jnp.asarray(problem.judge.ends(q, v))
        value = jnp.where(fallen, 0.0, evaluate(critic, normal(scale, after))[:, 0])
        age = age + 1
        done = fallen | (age >= problem.limit)
        total = total + discount * reward + jnp.where(done, discount * DISCOUNT * value, 0.0)
        fresh_q, fresh_v = problem.starts(again, problem.count)
        q, v = jnp.where(done[:, None], fresh_q, q), jnp.where(done[:, None], fresh_v, v)
        carry = (q, v, jnp.where(done, 0, age)), jnp.where(done, 1.0, DISCOUNT * discount), total
        return carry, (x, reward, value, done, noise, discount)

    begin = state, jnp.ones(problem.count), jnp.zeros(problem.count)
    (state, discount, total), rows = jax.lax.scan(step, begin, (jax.random.split(key, HORIZON), shift))
    value, done = rows[2:4]
    total = total + jnp.where(done[-1], 0.0, discount * value[-1])
    return -jnp.mean(total) / HORIZON, (state, *rows)


def mixed(actor, critic, scale, by_shift, rows, wanted, share=None):
    """The slope of first and zeroth order: by an action through the simulation, and from the advantage times the score.
    share: of first order; None weighs both by their inverse variances in every step of the horizon (after
    arXiv 2604.18161)."""
    x, _, _, _, noise, discount = rows
    gain = -discount * (wanted - evaluate(critic, normal(scale, x))[..., 0]) / discount.size
    score = gain[..., None] * noise / jnp.exp(actor["log_std"])
    if share is None:
        first, zeroth = (jnp.sum(jnp.var(d, 1), -1) for d in (by_shift, score))
        share = (zeroth / (first + zeroth + 1e-300))[:, None, None]

    def along(actor):
        by_std = (1.0 - share) * gain[..., None] * jnp.sum(actor["log_std"])
        return jnp.sum((share * by_shift + (1.0 - share) * score) * plan(actor, scale, x, noise)) - jnp.sum(by_std)

    return jax.grad(along)(actor)


def targets(reward, value, done):
    """Values that the critic is to have: returns with λ, from the value where an episode or the horizon
    ends."""

    def back(following, row):
        reward, value, done = row
        mixed = jnp.where(done, value, (1.0 - LAMBDA) * value + LAMBDA * following)
        now = reward + DISCOUNT * mixed
        return now, now

    return jax.lax.scan(back, value[-1], (reward, value, done), reverse=True)[1]


def epoch(problem, optimizers, carry, key):
    actor, critic, slow, scale, state, of_actor, of_critic = carry
    key, order = jax.random.split(key)
    shift = jnp.zeros((HORIZON, problem.count, problem.actions))
    slopes, (state, *rows) = jax.grad(loss, (0, 1), has_aux=True)(actor, shift, slow, scale, state, key, problem)
    x, wanted = rows[0], targets(*rows[1:4])
    slope = mixed(actor, slow, scale, slopes[1], rows, wanted) if problem.weighted else slopes[0]
    change, of_actor = optimizers[0].update(slope, of_actor)
    actor = optax.apply_updates(actor, change)
    wanted = wanted.reshape(-1)
    inputs = normal(scale, x.reshape(-1, x.shape[-1]))

    def part(learner, rows):
        critic, of_critic = learner
        error = lambda c: jnp.mean((evaluate(c, inputs[rows])[:, 0] - wanted[rows]) ** 2)  # noqa: E731
        change, of_critic = optimizers[1].update(jax.grad(error)(critic), of_critic)
        return (optax.apply_updates(critic, change), of_critic), None

    orders = jax.vmap(lambda k: jax.random.permutation(k, len(wanted)))(jax.random.split(order, CRITIC_ROUNDS))
    rows = orders.reshape(CRITIC_ROUNDS * CRITIC_PARTS, -1)
    (critic, of_critic), _ = jax.lax.scan(part, (critic, of_critic), rows)
    slow = jax.tree.map(lambda a, b: TARGET_KEEPS * a + (1.0 - TARGET_KEEPS) * b, slow, critic)
    scale = seen(scale, x.reshape(-1, x.shape[-1]))
    return (actor, critic, slow, scale, state, of_actor, of_critic), optax.global_norm(slope)


def trial(problem):
    """A function: mean return of 16 episodes without noise, and the states of the first."""

    @jax.jit
    def run(actor, scale):
        def step(carry, _):
            state, counts = carry
            q, v, reward = problem.advance(*state, jnp.tanh(plan(actor, scale, problem.observe(*state), 0.0)), problem.judge)
            return ((q, v), counts & ~jnp.asarray(problem.judge.ends(q, v))), (jnp.where(counts, reward, 0.0), q[0])

        begin = problem.judged, jnp.ones(16, bool)
        reward, path = jax.lax.scan(step, begin, None, length=problem.limit)[1]
        return jnp.sum(reward, 0).mean(), path

    return run


def save(path, carry, *rest):
    """Writes a file whole or not at all."""
    with open(f"{path}.part", "wb") as file:
        pickle.dump((jax.tree.map(np.asarray, carry), *rest), file)
    os.replace(f"{path}.part", path)


def save_policy(path, actor, scale):
    """Writes the mean of the policy as arrays for play.py: layers, and mean and variance of the observations."""
    arrays = {f"{kind}{i}": x for i, layer in enumerate(actor["mean"]) for kind, x in zip(("weight", "bias"), layer)}
    np.savez_compressed(path, mean=scale[0], variance=scale[1], **{k: np.float32(x) for k, x in arrays.items()})


def train(
    steps, seed, report=print, task="CartPoleSwingUp", state_file=None, record=None, pause=None, policy=None, **kind
):
    """Learns for so many steps of environments; a list of (steps, seconds, return). pause: an epoch before which the run
    stops. kind: gradient and weighted."""
    problem = Problem(task, **kind)
    batch = problem.count * HORIZON
    epochs = max(1, steps // batch)
    keys, judge = jax.random.split(jax.random.key(seed), 5), trial(problem)
    actor = {"mean": network(keys[0], (problem.size, 64, 64, problem.actions), 0.1), "log_std": jnp.full(problem.actions, -0.5)}
    critic = network(keys[1], (problem.size, 64, 64, 1))

    def adam(rate):
        return optax.chain(
            optax.clip_by_global_norm(1.0), optax.adam(optax.linear_schedule(rate, 0.1 * rate, epochs), b1=0.7, b2=0.95)
        )

    optimizers = adam(problem.settings.actor_rate), optax.adam(CRITIC_RATE, b1=0.7, b2=0.95)
    scale = jnp.zeros(problem.size), jnp.ones(problem.size), 1e-4
    q, v = problem.starts(keys[2], problem.count)
    # Episodes end at different times.
    state = q, v, jax.random.randint(keys[3], (problem.count,), 0, problem.limit)
    carry = actor, critic, critic, scale, state, optimizers[0].init(actor), optimizers[1].init(critic)
    run = jax.jit(lambda carry, key: epoch(problem, optimizers, carry, key))
    curve, first, spent = [], 0, 0.0
    if state_file and os.path.exists(state_file):
        with open(state_file, "rb") as file:
            carry, first, curve, spent = pickle.load(file)
    began = time.perf_counter() - spent

    def measure(i):
        curve.append((i * batch, time.perf_counter() - began, float(judge(carry[0], carry[3])[0])))
        report("steps {:8d}  {:6.1f} s  return {:7.1f}".format(*curve[-1]))

    part = max(1, epochs // 25)
    for i, key in enumerate(jax.random.split(keys[4], epochs)):
        if i < first:
            continue
        if state_file and (i % part == 0 or i == pause):
            save(state_file, carry, i, curve, time.perf_counter() - began)
        if i == pause:
            return curve
        if i % part == 0 or i == epochs - 1:
            measure(i)
        carry, _ = run(carry, key)
    measure(epochs)
    if policy:
        save_policy(policy, carry[0], carry[3])
    if record:
        recorder = diffsim.Recorder(problem.task.model)
        for k, q in enumerate(np.asarray(judge(carry[0], carry[3])[1])):
            recorder.state(k * problem.dt, q)
        recorder.save(record)
    return curve


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--steps", type=int, default=150_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--task", default="CartPoleSwingUp", help="a class of diffsim.gym with a smooth reward")
    parser.add_argument("--gradient", choices=GRADIENTS, default="exact", help="of the steps")
    parser.add_argument("--weighted", action="store_true", help="mix it with that of zeroth order by their variances")
    parser.add_argument("--out", help="a JSON file for the curve")
    parser.add_argument("--state", help="a file for the state of the run, from which it goes on")
    parser.add_argument("--pause", type=int, help="the epoch before which the run stops; it goes on with --state")
    parser.add_argument("--record", help="a recording of the learned policy")
    parser.add_argument("--policy", help="a .npz file for the learned policy, which play.py replays")
    given = parser.parse_args()
    kind = {"gradient": given.gradient, "weighted": given.weighted}
    files = {"state_file": given.state, "record": given.record, "policy": given.policy}
    result = train(given.steps, given.seed, task=given.task, pause=given.pause, **kind, **files)
    if given.out:
        with open(given.out, "w") as file:
            json.dump(result, file)
    if given.pause is None and result[-1][2] <= result[0][2]:
        raise SystemExit("the policy has not learned")
