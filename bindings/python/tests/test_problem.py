"""The solver alone: contact problems by their matrices."""

import numpy as np
import pytest

import diffsim

LAWS = [diffsim.ContactLaw.NCP, diffsim.ContactLaw.LCP, diffsim.ContactLaw.CONVEX]


def random_problem(law, nv=8, n=2, seed=1):
    """Contacts that come down on a body of many dofs."""
    random = np.random.default_rng(seed)
    root = random.uniform(-1, 1, (nv, nv))
    target = random.uniform(-0.3, 0.3, 3 * n)
    target[2::3] -= 0.7
    compliance = np.tile([0.01, 0.01, 0.1], n) if law == diffsim.ContactLaw.CONVEX else None
    return [
        0.3 * root @ root.T + np.eye(nv),
        random.uniform(-1, 1, (3 * n, nv)),
        random.uniform(-1, 1, nv),
        target,
        random.uniform(0.2, 0.7, n),
        compliance,
    ]


@pytest.mark.parametrize("law", LAWS)
def test_a_solution_and_its_derivatives(law):
    given = random_problem(law)
    problem = diffsim.Problem(8, 2, law=law)
    v, impulse = problem.solve(*given)
    A, J, v_free = given[:3]
    np.testing.assert_allclose(A @ (v - v_free), J.T @ impulse, atol=1e-12)
    assert problem.info().converged and problem.info().contacts == 2
    modes = problem.modes()
    assert len(modes) == 2 and problem.impulses_unique()
    random = np.random.default_rng(2)
    by = [None if x is None else random.uniform(-1, 1, x.shape) for x in given]
    by[0] += by[0].T
    if by[5] is not None:
        by[5] = 0.01 * np.repeat(by[5][::3], 3)
    dv, dimpulse = problem.jvp(*by)
    assert problem.info().gradient == diffsim.Gradient.EXACT
    v_bar, impulse_bar = random.uniform(-1, 1, 8), random.uniform(-1, 1, 6)
    bars = problem.vjp(v_bar, impulse_bar)
    np.testing.assert_array_equal(bars.A, bars.A.T)
    assert (bars.compliance is None) == (law != diffsim.ContactLaw.CONVEX)
    backward = sum(np.sum(b * d) for b, d in zip(bars, by) if d is not None)
    np.testing.assert_allclose(backward, v_bar @ dv + impulse_bar @ dimpulse, rtol=1e-10)
    eps = 1e-6
    ends = []
    for sign in (1, -1):
        ends.append(problem.solve(*(None if x is None else x + sign * eps * d for x, d in zip(given, by))))
        assert problem.modes() == modes
    np.testing.assert_allclose(dv, (ends[0][0] - ends[1][0]) / (2 * eps), atol=1e-6)
    np.testing.assert_allclose(dimpulse, (ends[0][1] - ends[1][1]) / (2 * eps), atol=1e-6)


@pytest.mark.parametrize("law", LAWS)
def test_no_contacts_and_the_warm_start(law):
    given = random_problem(law)
    problem, other = diffsim.Problem(8, 2, law=law), diffsim.Problem(8, 2, law=law)
    problem.solve(*random_problem(law, seed=3))
    problem.reset()
    with pytest.raises(diffsim.NoStepError, match="no problem"):
        problem.info()
    for a, b in zip(problem.solve(*given), other.solve(*given)):
        np.testing.assert_array_equal(a, b)
    compliance = np.zeros(0) if law == diffsim.ContactLaw.CONVEX else None
    v, impulse = problem.solve(given[0], np.zeros((0, 8)), given[2], np.zeros(0), np.zeros(0), compliance)
    np.testing.assert_array_equal(v, given[2])
    assert impulse.shape == (0,) and problem.modes() == ()
    assert problem.jvp(dv_free=v)[0].tolist() == v.tolist()


def test_wrong_calls():
    given = random_problem(diffsim.ContactLaw.NCP)
    problem = diffsim.Problem(8, 2)
    with pytest.raises(diffsim.NoStepError):
        problem.jvp()
    with pytest.raises(ValueError, match=r"J: expected shape \(6, 8\), got \(8, 6\)"):
        problem.solve(given[0], given[1].T, *given[2:])
    with pytest.raises(ValueError, match="A must be symmetric"):
        problem.solve(np.triu(given[0]), *given[1:])
    with pytest.raises(ValueError, match="Cholesky pivot 0"):
        problem.solve(-given[0], *given[1:])
    with pytest.raises(ValueError, match="compliance: "):
        problem.solve(*given[:5], np.ones(6))
    with pytest.raises(diffsim.CapacityError, match="max_contacts = 2"):
        problem.solve(*random_problem(diffsim.ContactLaw.NCP, n=3))
    with pytest.raises(ValueError, match="^law: expected one of"):
        diffsim.Problem(8, law=diffsim.ContactLaw.PENALTY)
    with pytest.raises(TypeError, match="kp: no such option"):
        diffsim.Problem(8, kp=0.1)
    problem.solve(*given)
    with pytest.raises(ValueError, match=r"dtarget: expected shape \(6,\)"):
        problem.jvp(dtarget=np.zeros(5))
    problem.close()
    with pytest.raises(diffsim.InvalidArgumentError, match="problem: must be open"):
        problem.info()
