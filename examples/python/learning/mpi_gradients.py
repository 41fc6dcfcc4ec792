"""Gradients of many environments over the processes of MPI: each has a part of them.

    pip install mpi4py mpich        # wheels of 1 MB and 13 MB
    mpiexec -n 2 python examples/python/learning/mpi_gradients.py --environments 16 --out controls.npy

Every process gathers the gradients of all environments and adds them up in the order of the environments, so
that the bits are the same for any number of processes. A process has one thread: there are as many processes as
cores.
"""

import argparse

import numpy as np
from mpi4py import MPI
from robust import Part, descend

if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--environments", type=int, default=16)
    parser.add_argument("--rounds", type=int, default=10)
    parser.add_argument("--out", help="a file for the controls")
    given = parser.parse_args()
    world = MPI.COMM_WORLD
    seeds = np.array_split(np.arange(given.environments), world.size)[world.rank]
    part = Part([int(seed) for seed in seeds]) if len(seeds) else None

    def gradients(controls):
        own = part.gradients(controls) if part else (np.zeros(0), np.zeros((0, *controls.shape)))
        losses, parts = zip(*world.allgather(own))
        return np.concatenate(losses), np.concatenate(parts)

    result, mean = descend(gradients, given.rounds)
    if world.rank == 0:
        print(f"{world.size} processes: mean loss {mean[0]:.3f}, after {given.rounds} rounds {mean[-1]:.3f}")
        if given.out:
            np.save(given.out, result)
