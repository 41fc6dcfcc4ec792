"""The smooth dynamics beside Pinocchio's: the same states for both, and the pairs of functions that correspond."""

import numpy as np
import pinocchio as pin

import pinocchio_model
from common import BUILD, run_json
from states import random_state

STATES = 50
# Ours; Pinocchio's (the faster counts); how many times Pinocchio's time it may take.
PAIRS = [
    ("ds_inverse_dynamics", ["rnea"], 1.2),
    ("ds_mass_matrix", ["crba(WORLD)", "crba(LOCAL)"], 1.2),
    ("ds_forward_dynamics", ["aba(WORLD)", "aba(LOCAL)"], 1.2),
    ("ds_inverse_dynamics_derivatives", ["computeRNEADerivatives"], None),
    ("ds_forward_dynamics_derivatives", ["computeABADerivatives"], 0.8),
]
# Both sides must have computed the same thing.
SAME = 1e-9


def write_states(path, rows):
    q, v = rows[0][:2]
    lines = [f"{len(rows)} {len(q)} {len(v)}"]
    lines += [" ".join(f"{x:.17g}" for x in np.concatenate(row)) for row in rows]
    path.write_text("\n".join(lines) + "\n")


def prepare(folder, ours, mujoco_model):
    """Writes the model for Pinocchio and random states for both."""
    theirs = pinocchio_model.from_mujoco(mujoco_model)
    match, data, rng = pinocchio_model.Match(ours, theirs), theirs.createData(), np.random.default_rng(5)
    mine, peer = [], []
    for _ in range(STATES):
        q, v, a = random_state(ours, rng)
        qp, vp, ap = match.q(q), match.v(v), match.v(a)
        tau = pin.rnea(theirs, data, qp, vp, ap)
        mine.append((q, v, a, match.back(tau, 0)))
        peer.append((qp, vp, ap, tau))
    theirs.saveToText(str(folder / "pinocchio.txt"))
    write_states(folder / "states_ours.txt", mine)
    write_states(folder / "states_pinocchio.txt", peer)


def pinocchio_times(folder, passes):
    return run_json(BUILD / "pinocchio", folder / "pinocchio.txt", folder / "states_pinocchio.txt", passes)


def our_times(folder, mjcf, passes):
    return run_json(BUILD / "ours_smooth", mjcf, folder / "states_ours.txt", passes)


def pairs(name, best):
    """(ours, Pinocchio's faster one, allowed ratio); raises if the outputs differ."""
    for ours, peers, allowed in PAIRS:
        for peer in peers:
            difference = abs(best.last[ours]["norm"] / best.last[peer]["norm"] - 1)
            if not difference < SAME:
                raise SystemExit(f"{name}: {ours} and {peer} differ: norms {difference:.1e} apart")
        yield ours, min(peers, key=lambda peer: best[peer]), allowed
