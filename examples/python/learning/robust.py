"""The problem of mpi_gradients.py and ray_gradients.py: one list of controls for a quadruped that is pushed in a
different way in every environment."""

import pathlib

import numpy as np

import diffsim

STEPS = 40
MODEL = pathlib.Path(__file__).resolve().parents[2] / "models" / "quadruped.xml"


class Part:
    """Some of the environments, known by their seeds: the share of a worker."""

    def __init__(self, seeds, threads=1):
        self.model = diffsim.Model.load(MODEL)
        self.batch = diffsim.Batch(self.model, len(seeds), threads)
        self.batch.select_params([diffsim.Param("geom_friction", "floor")])
        q, _, self.rest = self.model.keyframe("standing")
        random = [np.random.default_rng(seed) for seed in seeds]
        self.q0 = np.repeat(q[:, None], len(seeds), 1)
        self.v0 = np.stack([0.5 * r.normal(size=self.model.nv) for r in random], 1)
        self.friction = np.array([[r.uniform(0.8, 1.2) for r in random]])

    def gradients(self, controls):
        """Losses of the environments, and gradients by the controls (steps×nu): a row for each environment."""
        count = self.batch.count
        u = np.repeat((self.rest + controls).T[:, :, None], count, 2)
        run = self.batch.run_episodes(self.q0, self.v0, u, p=self.friction)
        # The robot is to stand still where it began.
        miss, speed = run.q[:2, -1] - self.q0[:2], run.v[:, -1]
        loss = 100.0 * np.sum(miss**2, 0) + np.sum(speed**2, 0)
        # By x and y of the world; the tangent of a free joint is in axes of the body.
        q_bar, v_bar = (np.zeros((self.model.nv, STEPS + 1, count)) for _ in range(2))
        q_bar[:3, -1] = in_body(run.q[3:7, -1], np.vstack([200.0 * miss, np.zeros(count)]))
        v_bar[:, -1] = 2.0 * speed
        bars = self.batch.episodes_adjoint(q_bar, v_bar)
        return loss, bars.u.transpose(2, 1, 0)


def in_body(quaternions, vectors):
    """Vectors of the world in axes of bodies: columns; quaternions are x y z w."""
    xyz, w = -quaternions[:3].T, quaternions[3:].T
    turned = 2.0 * np.cross(xyz, vectors.T)
    return (vectors.T + w * turned + np.cross(xyz, turned)).T


def descend(gradients, rounds, rate=2e-3):
    """Follows the sum of all environments' gradients: the controls, and the mean loss of every round."""
    controls, losses = np.zeros((STEPS, 12)), []
    for _ in range(rounds):
        loss, by_controls = gradients(controls)
        losses.append(loss.mean())
        # The sum goes by environment, so that its bits do not depend on how workers share them.
        total = np.zeros_like(controls)
        for one in by_controls:
            total += one
        controls -= rate * total / len(loss)
    return controls, losses
