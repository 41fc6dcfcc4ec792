"""Gradients of many environments over a pool of Ray's actors: each has a part of them.

    pip install ray                 # a wheel of 79 MB
    python examples/python/learning/ray_gradients.py --workers 2 --environments 16 --out controls.npy

An actor that dies is replaced and asked again: its environments are known by their seeds, so that the result has
the same bits. An actor has one thread and one core.
"""

import argparse
import os
import pathlib
import sys

import numpy as np
import ray
from robust import Part, descend


class Pool:
    """Actors that share the environments."""

    def __init__(self, environments, workers):
        folder = str(pathlib.Path(__file__).resolve().parent)
        paths = {"PYTHONPATH": os.pathsep.join([folder, *sys.path])}
        ray.init(num_cpus=workers, include_dashboard=False, log_to_driver=False, runtime_env={"env_vars": paths})
        self.kind = ray.remote(num_cpus=1)(Part)
        shares = [x for x in np.array_split(np.arange(environments), workers) if len(x)]
        self.seeds = [[int(seed) for seed in share] for share in shares]
        self.actors = [self.kind.remote(seeds) for seeds in self.seeds]

    def gradients(self, controls):
        calls = [actor.gradients.remote(controls) for actor in self.actors]
        done = []
        for i, call in enumerate(calls):
            try:
                done.append(ray.get(call))
            except ray.exceptions.RayActorError:
                self.actors[i] = self.kind.remote(self.seeds[i])
                done.append(ray.get(self.actors[i].gradients.remote(controls)))
        losses, parts = zip(*done)
        return np.concatenate(losses), np.concatenate(parts)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--environments", type=int, default=16)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=10)
    parser.add_argument("--kill", type=int, default=-1, help="the round before which the first actor is killed")
    parser.add_argument("--out", help="a file for the controls")
    given = parser.parse_args()
    pool, rounds = Pool(given.environments, given.workers), iter(range(given.rounds))

    def gradients(controls):
        if next(rounds) == given.kill:
            ray.kill(pool.actors[0])
        return pool.gradients(controls)

    result, mean = descend(gradients, given.rounds)
    print(f"{given.workers} workers: mean loss {mean[0]:.3f}, after {given.rounds} rounds {mean[-1]:.3f}")
    if given.out:
        np.save(given.out, result)
    ray.shutdown()
