"""Short-horizon actor-critic (Xu et al. 2022): a cart learns to swing its pole up from gradients of the
simulation.

    python examples/python/learning/shac.py --steps 150000 --seed 1 --out shac.json

16 carts run 32 steps each. The policy follows the gradient of their rewards, and of the critic's value at the
end, through those steps; the critic learns from the same steps. The printed return is that of the policy
without noise.
"""

import argparse
import json
import time

import jax
import jax.numpy as jnp
import numpy as np
import optax

import diffsim
import diffsim.jax
from diffsim.gym import CartPoleSwingUp

jax.config.update("jax_enable_x64", True)

COUNT, HORIZON = 16, 32
DISCOUNT, LAMBDA = 0.99, 0.95
ACTOR_RATE, CRITIC_RATE = 1e-2, 1e-3
CRITIC_ROUNDS, CRITIC_PARTS, TARGET_KEEPS = 16, 4, 0.2

task = CartPoleSwingUp()
sim = diffsim.jax.Simulator(task.model)
LIMIT = task.max_episode_steps


def advance(q, v, action):
    """A step of the environment, which is several of the simulation: state and reward."""
    u = jnp.clip(action, task.low, task.high)
    for _ in range(task.frame_skip):
        q, v = sim.step(q, v, u)
    x, angle, speeds = q[..., 0], q[..., 1], jnp.sum(v**2, -1)
    return q, v, jnp.cos(angle) - 0.05 * x**2 - 0.002 * speeds - 0.01 * u[..., 0] ** 2


def observe(q, v):
    return jnp.stack([q[..., 0], jnp.sin(q[..., 1]), jnp.cos(q[..., 1]), v[..., 0], v[..., 1]], -1)


def starts(key, count):
    a, b = jax.random.split(key)
    q = jnp.array([0.1, jnp.pi]) * jax.random.uniform(a, (count, 2), minval=-1.0)
    return q, jax.random.uniform(b, (count, 2), minval=-0.1, maxval=0.1)


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


def act(actor, scale, x, noise):
    mean = evaluate(actor["mean"], normal(scale, x))
    return jnp.tanh(mean + jnp.exp(actor["log_std"]) * noise)


def loss(actor, critic, scale, state, key):
    """Minus the mean of discounted rewards and of values at the end; the steps as the critic learns from
    them."""

    def step(carry, key):
        (q, v, age), discount, total = carry
        noise, again = jax.random.split(key)
        x = observe(q, v)
        action = act(actor, scale, x, jax.random.normal(noise, (COUNT, 1)))
        q, v, reward = advance(q, v, action)
        after = observe(q, v)
        value = evaluate(critic, normal(scale, after))[:, 0]
        age = age + 1
        done = age >= LIMIT
        total = total + discount * reward + jnp.where(done, discount * DISCOUNT * value, 0.0)
        fresh_q, fresh_v = starts(again, COUNT)
        q, v = jnp.where(done[:, None], fresh_q, q), jnp.where(done[:, None], fresh_v, v)
        carry = (q, v, jnp.where(done, 0, age)), jnp.where(done, 1.0, DISCOUNT * discount), total
        return carry, (x, reward, value, done)

    begin = state, jnp.ones(COUNT), jnp.zeros(COUNT)
    (state, discount, total), (x, reward, value, done) = jax.lax.scan(step, begin, jax.random.split(key, HORIZON))
    total = total + jnp.where(done[-1], 0.0, discount * value[-1])
    return -jnp.mean(total) / HORIZON, (state, x, reward, value, done)


def targets(reward, value, done):
    """Values that the critic is to have: returns with λ, from the value where an episode or the horizon
    ends."""

    def back(following, row):
        reward, value, done = row
        mixed = jnp.where(done, value, (1.0 - LAMBDA) * value + LAMBDA * following)
        now = reward + DISCOUNT * mixed
        return now, now

    return jax.lax.scan(back, value[-1], (reward, value, done), reverse=True)[1]


def epoch(optimizers, carry, key):
    actor, critic, slow, scale, state, of_actor, of_critic = carry
    key, order = jax.random.split(key)
    (_, (state, x, reward, value, done)), slope = jax.value_and_grad(loss, has_aux=True)(actor, slow, scale, state, key)
    change, of_actor = optimizers[0].update(slope, of_actor)
    actor = optax.apply_updates(actor, change)
    wanted = targets(reward, value, done).reshape(-1)
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


@jax.jit
def trial(actor, scale, key):
    """Mean return of 16 episodes without noise."""

    def step(state, _):
        q, v, reward = advance(*state, act(actor, scale, observe(*state), 0.0))
        return (q, v), reward

    return jnp.sum(jax.lax.scan(step, starts(key, 16), None, length=LIMIT)[1], 0).mean()


def train(steps, seed, report=print):
    """Learns for so many steps of environments; a list of (steps, seconds, return)."""
    epochs = max(1, steps // (COUNT * HORIZON))
    keys = jax.random.split(jax.random.key(seed), 5)
    actor = {"mean": network(keys[0], (5, 64, 64, 1), 0.1), "log_std": jnp.full(1, -0.5)}
    critic = network(keys[1], (5, 64, 64, 1))

    def adam(rate):
        return optax.chain(
            optax.clip_by_global_norm(1.0), optax.adam(optax.linear_schedule(rate, 0.1 * rate, epochs), b1=0.7, b2=0.95)
        )

    optimizers = adam(ACTOR_RATE), optax.adam(CRITIC_RATE, b1=0.7, b2=0.95)
    scale = jnp.zeros(5), jnp.ones(5), 1e-4
    q, v = starts(keys[2], COUNT)
    # Episodes end at different times.
    state = q, v, jax.random.randint(keys[3], (COUNT,), 0, LIMIT)
    carry = actor, critic, critic, scale, state, optimizers[0].init(actor), optimizers[1].init(critic)
    run = jax.jit(lambda carry, key: epoch(optimizers, carry, key))
    curve, began = [], time.perf_counter()
    for i, key in enumerate(jax.random.split(keys[4], epochs)):
        if i % max(1, epochs // 25) == 0 or i == epochs - 1:
            curve.append((i * COUNT * HORIZON, time.perf_counter() - began, float(trial(carry[0], carry[3], keys[2]))))
            report("steps {:8d}  {:6.1f} s  return {:7.1f}".format(*curve[-1]))
        carry, _ = run(carry, key)
    curve.append((epochs * COUNT * HORIZON, time.perf_counter() - began, float(trial(carry[0], carry[3], keys[2]))))
    report("steps {:8d}  {:6.1f} s  return {:7.1f}".format(*curve[-1]))
    return curve


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--steps", type=int, default=150_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", help="a JSON file for the curve")
    given = parser.parse_args()
    result = train(given.steps, given.seed)
    if given.out:
        with open(given.out, "w") as file:
            json.dump(result, file)
    if result[-1][2] <= result[0][2]:
        raise SystemExit("the policy has not learned")
