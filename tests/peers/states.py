"""Random states of a model, from a seed."""

import numpy as np

# States whose mass matrix, scaled to a unit diagonal, is nearer to singular than this are drawn
# again: rounding alone then moves a peer's own results by more than what is compared (iCub's file
# gives the neck no inertia, and Pinocchio's two conventions differ by 1e-8 there).
WELL_CONDITIONED = 1e4


def random_state(model, rng):
    """q, v, a: free bodies within a metre, any orientation, angles and slides within ±1.5."""
    q = rng.uniform(-1.5, 1.5, model.nq)
    for iq, nq in zip(model.joint_iq, model.joint_nq):
        if nq == 7:
            q[iq : iq + 3] = rng.uniform(-1, 1, 3)
        if nq in (4, 7):
            quaternion = rng.normal(size=4)
            q[iq + nq - 4 : iq + nq] = quaternion / np.linalg.norm(quaternion)
    return q, rng.uniform(-2, 2, model.nv), rng.uniform(-5, 5, model.nv)


def random_states(model, rng, count, weights):
    """`count` states (q, v, a, w) where `weights(q)` is well conditioned, and how many were not."""
    states, refused = [], 0
    while len(states) < count:
        q, v, a = random_state(model, rng)
        w = weights(q)
        if w.condition <= WELL_CONDITIONED:
            states.append((q, v, a, w))
        else:
            refused += 1
            if refused > 100 * count:
                raise ValueError(f"{refused} states have a nearly singular mass matrix")
    return states, refused
