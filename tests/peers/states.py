"""Random states of a model, from a seed."""

import numpy as np


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
