"""A step for solvers of optimal control: its derivatives, and the packages that take it, where they are installed."""

import copy
import os
import pathlib
import shutil
import subprocess
import sys
import sysconfig
import types

import numpy as np
import pytest

import diffsim
from diffsim import c_model, planning

EXAMPLES = pathlib.Path(__file__).resolve().parents[3] / "examples" / "python" / "planning"
BALL = """<mujoco><worldbody><body pos="0 0 1"><joint type="ball"/><geom type="box" size=".1 .2 .05" pos="0 .1 -.2"/>
  <body pos="0 0 -.4"><joint axis="1 0 0"/><geom size=".05"/></body></body></worldbody>
  <actuator><motor joint="j"/></actuator></mujoco>""".replace('axis="1 0 0"', 'name="j" axis="1 0 0"')
compiler = pytest.mark.skipif(not any(map(shutil.which, ("cc", "gcc", "clang"))), reason="there is no C compiler")


def runner(models):
    return diffsim.Model.load(models / "runner.xml")


def quadruped(models):
    return diffsim.Model.load(models / "quadruped.xml")


def ball(_):
    return diffsim.Model.from_string(BALL, "mjcf")


ROBOTS = (runner, quadruped, ball)


def state(transition, seed=0):
    """A state off the keyframe, and inputs."""
    m, rng = transition.model, np.random.default_rng(seed)
    q, v, u = m.keyframe("standing") if "standing" in m.keyframe_names else (m.home(), np.zeros(m.nv), np.zeros(m.nu))
    x = transition.integrate(transition.state(q, v), 0.02 * rng.standard_normal(transition.ndx))
    return x, u + 0.01 * rng.standard_normal(m.nu)


def columns(f, n, e=1e-6):
    """Central differences of f at 0."""
    return np.stack([(f(e * d) - f(-e * d)) / (2 * e) for d in np.eye(n)], axis=1)


@pytest.mark.parametrize("robot", ROBOTS)
@pytest.mark.parametrize("steps", (1, 4))
def test_derivatives_are_those_of_the_value(models, robot, steps):
    t = planning.Transition(robot(models), steps)
    x, u = state(t)
    # Off the unit sphere, as solvers come there.
    x = x.copy()
    for at in t.quaternions:
        x[at.q : at.q + 4] *= 1.1
    y, A, B = t.linearize(x, u)
    np.testing.assert_array_equal(y, t.step(x, u))
    assert t.gradients[diffsim.Gradient.EXACT] == steps and t.derivatives == 1
    scale = np.abs(A).max()
    differenced = planning.Transition(t.model, steps, differences=1e-6).linearize(x, u)
    np.testing.assert_allclose(A, differenced[1], atol=2e-7 * scale)
    np.testing.assert_allclose(B, differenced[2], atol=2e-7 * max(1.0, np.abs(B).max()))
    _, by_x, by_u = t.jacobians(x, u)
    np.testing.assert_allclose(by_x, columns(lambda d: t.step(x + d, u), t.nx), atol=2e-7 * scale)
    np.testing.assert_allclose(by_u, columns(lambda d: t.step(x, u + d), t.nu), atol=2e-7 * max(1.0, np.abs(by_u).max()))


@pytest.mark.parametrize("robot", ROBOTS)
def test_jacobians_of_the_tangent_maps(models, robot):
    t = planning.Transition(robot(models))
    rng = np.random.default_rng(3)
    x0, _ = state(t)
    for size in (1e-9, 0.3, 1.0):
        dx = size * rng.standard_normal(t.ndx)
        x1 = t.integrate(x0, dx)
        first, second = planning.difference_jacobians(t, x0, x1)
        np.testing.assert_allclose(first, columns(lambda d: t.difference(t.integrate(x0, d), x1), t.ndx), atol=1e-7)
        np.testing.assert_allclose(second, columns(lambda d: t.difference(x0, t.integrate(x1, d)), t.ndx), atol=1e-7)
        first, second = planning.integrate_jacobians(t, dx)
        np.testing.assert_allclose(first, columns(lambda d: t.difference(x1, t.integrate(t.integrate(x0, d), dx)), t.ndx), atol=1e-7)
        np.testing.assert_allclose(second, columns(lambda d: t.difference(x1, t.integrate(x0, dx + d)), t.ndx), atol=1e-7)


def test_same_arguments_same_bits(models):
    """Whatever was asked before."""
    t = planning.Transition(quadruped(models), 2)
    x, u = state(t)
    first = t.step(x, u)
    t.step(*state(t, 5))
    t.linearize(*state(t, 6))
    np.testing.assert_array_equal(t.step(x, u), first)


def test_a_point_without_a_value_is_nan(models):
    t = planning.Transition(runner(models), max_contacts=1)
    x, u = state(t)
    x[1] -= 0.05
    y, A, B = t.linearize(x, u)
    assert all(np.isnan(z).all() for z in (y, t.step(x, u), A, B)) and "max_contacts" in t.failure
    differenced = planning.Transition(t.model, differences=1e-6, max_contacts=1).linearize(x, u)
    assert all(np.isnan(z).all() for z in differenced)


def test_bad_arguments_are_named(models):
    model = runner(models)
    for wrong, named in (({"steps": 0}, "steps"), ({"steps": 1.5}, "steps"), ({"differences": 0.0}, "differences"), ({"differences": 2}, "differences")):
        with pytest.raises(diffsim.InvalidArgumentError, match=named):
            planning.Transition(model, **wrong)
    with pytest.raises(diffsim.ArgumentTypeError, match="model"):
        planning.Transition("runner.xml")
    t = planning.Transition(model)
    for x, u in ((np.zeros(3), np.zeros(6)), (np.zeros((t.nx, 2)), np.zeros(6))):
        with pytest.raises(diffsim.InvalidArgumentError, match="x"):
            t.split(x)
    text = BALL.replace("<motor", '<general dyntype="filter" dynprm="0.1"')
    with pytest.raises(diffsim.UnsupportedError, match="activations"):
        planning.Transition(diffsim.Model.from_string(text, "mjcf"))


def test_what_cannot_become_c_code_is_refused(models, tmp_path):
    t = planning.Transition(runner(models))
    for name in ("", "a b", "1", "ä", "a;b"):
        with pytest.raises(diffsim.InvalidArgumentError, match="name"):
            c_model.write(t, name, tmp_path)
    with pytest.raises(diffsim.InvalidArgumentError, match="for_"):
        c_model.write(t, "a", tmp_path, for_="matlab")
    changed = planning.Transition(t.model.with_pairs([(0, 1)], False))
    with pytest.raises(diffsim.UnsupportedError, match="save"):
        c_model.write(changed, "a", tmp_path)
    assert not list(tmp_path.iterdir())


def run_in_c(transition, folder, x, u, threads=1):
    """x⁺ and the Jacobians by C code, called by a C program without Python."""
    source = c_model.write(transition, "robot", folder)
    main = folder / "main.c"
    main.write_text(
        r"""#include <stdio.h>
#include <pthread.h>
#include "robot.c"
static double x[NX + 1], u[NU + 1];
static int failed[64];
static double y[64][NX + 1], jx[64][NX * NX + 1], ju[64][NX * NU + 1];
static void *work_of(void *at)
{
    const double *arg[3] = { x, u, 0 };
    double *res[2];
    const long k = (long)at;
    double w[NX + NU + 1];
    res[0] = y[k];
    failed[k] = robot(arg, res, 0, w, 0);
    res[0] = jx[k], res[1] = ju[k];
    failed[k] |= jac_robot(arg, res, 0, w, 0);
    return 0;
}
int main(int argc, char **argv)
{
    const int count = atoi(argv[1]);
    pthread_t threads[64];
    (void)argc;
    if (fread(x, sizeof *x, NX, stdin) != NX || fread(u, sizeof *u, NU, stdin) != NU) return 2;
    for (long k = 0; k < count; k++) pthread_create(threads + k, 0, work_of, (void *)k);
    for (int k = 0; k < count; k++) pthread_join(threads[k], 0);
    for (int k = 0; k < count; k++) {
        if (failed[k]) return 3;
        fwrite(y[k], sizeof **y, NX, stdout);
        fwrite(jx[k], sizeof **y, NX * NX, stdout);
        fwrite(ju[k], sizeof **y, NX * NU, stdout);
    }
    return 0;
}
"""
    )
    program = folder / "program"
    command = ["cc", "-O2", "-Wall", "-Wextra", "-Werror", "-std=gnu11", str(main), "-o", str(program), "-ldl", "-lpthread", "-lm"]
    built = subprocess.run(command, capture_output=True, text=True)
    assert built.returncode == 0, built.stderr
    done = subprocess.run([program, str(threads)], input=x.tobytes() + u.tobytes(), capture_output=True, cwd=folder)
    assert done.returncode == 0, (done.returncode, done.stderr, source)
    numbers = np.frombuffer(done.stdout).reshape(threads, -1)
    n, nu = transition.nx, transition.nu
    return [(r[:n], r[n : n + n * n].reshape(n, n, order="F"), r[n + n * n :].reshape(n, nu, order="F")) for r in numbers]


@compiler
@pytest.mark.parametrize("robot", ROBOTS)
def test_c_code_agrees(models, tmp_path, robot):
    """Values to the bit, in every thread; Jacobians to the bit unless rotations are turned into entries of x."""
    t = planning.Transition(robot(models), 3, time_step=1e-3, contact="convex")
    x, u = state(t)
    y, by_x, by_u = t.jacobians(x, u)
    for got in run_in_c(t, tmp_path, x, u, 4):
        np.testing.assert_array_equal(got[0], y)
        np.testing.assert_allclose(got[1], by_x, rtol=0, atol=1e-13 * np.abs(by_x).max())
        np.testing.assert_allclose(got[2], by_u, rtol=0, atol=1e-13 * np.abs(by_x).max())


#: BLASFEO's interface, as far as acados passes arguments by it, with columns in memory.
BLASFEO = r"""#include <stdlib.h>
struct blasfeo_dvec { double *at; };
struct blasfeo_dmat { double *at; int m; };
void blasfeo_allocate_dvec(int m, struct blasfeo_dvec *v) { v->at = calloc(m + 1, sizeof *v->at); }
void blasfeo_allocate_dmat(int m, int n, struct blasfeo_dmat *a) { a->m = m, a->at = calloc(m * n + 1, sizeof *a->at); }
void blasfeo_pack_dvec(int m, double *x, int xi, struct blasfeo_dvec *y, int yi) { for (int k = 0; k < m; k++) y->at[yi + k] = x[k * xi]; }
void blasfeo_unpack_dvec(int m, struct blasfeo_dvec *x, int xi, double *y, int yi) { for (int k = 0; k < m; k++) y[k * yi] = x->at[xi + k]; }
void blasfeo_pack_tran_dmat(int m, int n, double *A, int lda, struct blasfeo_dmat *B, int bi, int bj)
{
    for (int i = 0; i < m; i++) for (int j = 0; j < n; j++) B->at[bi + j + (bj + i) * B->m] = A[i + j * lda];
}
void blasfeo_unpack_dmat(int m, int n, struct blasfeo_dmat *A, int ai, int aj, double *B, int ldb)
{
    for (int i = 0; i < m; i++) for (int j = 0; j < n; j++) B[i + j * ldb] = A->at[ai + i + (aj + j) * A->m];
}
"""


@compiler
def test_acados_code_agrees(models, tmp_path):
    """To the bit with the code for CasADi, through BLASFEO's vectors and matrices: acados's own where it is installed."""
    t = planning.Transition(quadruped(models), 3)
    x, u = state(t)
    y, by_x, by_u = run_in_c(t, tmp_path, x, u)[0]
    c_model.write(t, "robot", tmp_path, for_="acados")
    (tmp_path / "blasfeo.h").write_text(BLASFEO)
    (tmp_path / "main.c").write_text(
        r"""#include BLASFEO
#include "robot.c"
#define AT 3 /* Arguments begin within longer vectors. */
static double x[NX + 1], u[NU + 1], y[NX + 1], j[(NX + NU) * NX + 1], more[1];
int main(void)
{
    struct blasfeo_dvec sx, su, sy;
    struct blasfeo_dmat sj;
    struct vector_argument ax = { &sx, AT }, au = { &su, 0 }, ay = { &sy, AT };
    struct matrix_argument aj = { &sj, AT, 0 };
    void *in[] = { &ax, &au }, *out[] = { &ay, &aj };
    if (fread(x, sizeof *x, NX, stdin) != NX || fread(u, sizeof *u, NU, stdin) != NU) return 2;
    blasfeo_allocate_dvec(NX + AT, &sx), blasfeo_allocate_dvec(NU + AT, &su), blasfeo_allocate_dvec(NX + AT, &sy);
    blasfeo_allocate_dmat(NX + NU + AT, NX, &sj);
    blasfeo_pack_dvec(NX, x, 1, &sx, AT), blasfeo_pack_dvec(NU, u, 1, &su, 0);
    if (robot_fun(in, out, more)) return 3;
    blasfeo_unpack_dvec(NX, &sy, AT, y, 1);
    fwrite(y, sizeof *y, NX, stdout);
    if (robot_fun_jac(in, out, more)) return 3;
    blasfeo_unpack_dvec(NX, &sy, AT, y, 1);
    blasfeo_unpack_dmat(NX + NU, NX, &sj, AT, 0, j, NX + NU);
    fwrite(y, sizeof *y, NX, stdout);
    fwrite(j, sizeof *j, (NX + NU) * NX, stdout);
    return robot_fun_jac_hess(in, out, more) ? 0 : 4;
}
"""
    )
    flags, library = ['-DBLASFEO="blasfeo.h"'], []
    root = pathlib.Path(os.environ.get("ACADOS_SOURCE_DIR", "/nowhere"))
    headers = root / "include" / "blasfeo" / "include"
    if headers.is_dir():
        flags = ["-include", "blasfeo_d_aux_ext_dep.h", f"-I{headers}", '-DBLASFEO="blasfeo_d_aux.h"']
        library = [f"-L{root / 'lib'}", "-lblasfeo", f"-Wl,-rpath,{root / 'lib'}"]
    program = tmp_path / "program"
    command = ["cc", "-O1", "-Wall", "-Werror", "-std=gnu11", *flags, str(tmp_path / "main.c"), "-o", str(program)]
    built = subprocess.run([*command, *library, "-ldl", "-lpthread", "-lm"], capture_output=True, text=True)
    assert built.returncode == 0, built.stderr
    done = subprocess.run([program], input=x.tobytes() + u.tobytes(), capture_output=True, cwd=tmp_path)
    assert done.returncode == 0, (done.returncode, done.stderr)
    numbers = np.frombuffer(done.stdout)
    np.testing.assert_array_equal(numbers[: t.nx], y)
    np.testing.assert_array_equal(numbers[t.nx : 2 * t.nx], y)
    transposed = numbers[2 * t.nx :].reshape(t.nx + t.nu, t.nx, order="F")
    np.testing.assert_array_equal(transposed, np.concatenate([by_u, by_x], axis=1).T)
    assert b"GAUSS_NEWTON" in done.stderr


@compiler
def test_c_code_says_why_it_cannot_load(models, tmp_path):
    path = tmp_path / 'odd "name\\ %s.xml'
    path.write_text((models / "runner.xml").read_text())
    t = planning.Transition(diffsim.Model.load(path))
    x, u = state(t)
    np.testing.assert_array_equal(run_in_c(t, tmp_path, x, u)[0][0], t.step(x, u))
    path.unlink()
    with pytest.raises(AssertionError, match="cannot be read"):
        run_in_c(t, tmp_path, x, u)


@compiler
@pytest.mark.parametrize("robot", ROBOTS)
def test_casadi(models, robot):
    casadi = pytest.importorskip("casadi")
    import diffsim.casadi as adapter

    t = planning.Transition(robot(models), 2)
    x, u = state(t)
    y, by_x, by_u = t.jacobians(x, u)
    for f in (adapter.function(t, "f"), adapter.external(t, "g")):
        X, U = casadi.MX.sym("x", t.nx), casadi.MX.sym("u", t.nu)
        assert f.name_in() == ["x", "u"] and f.name_out() == ["x_next"]
        both = casadi.Function("both", [X, U], [f(X, U), casadi.jacobian(f(X, U), X), casadi.jacobian(f(X, U), U)])
        got = [np.array(z) for z in both(x, u)]
        np.testing.assert_array_equal(got[0].ravel(), y)
        np.testing.assert_allclose(got[1], by_x, rtol=0, atol=1e-13 * np.abs(by_x).max())
        np.testing.assert_allclose(got[2], by_u, rtol=0, atol=1e-13 * np.abs(by_x).max())
        # Forward and reverse, through two steps.
        chained = casadi.Function("chained", [X, U], [f(f(X, U), U)])
        seed = np.linspace(-1, 1, t.nx)
        forward = np.array(chained.forward(1)(x, u, chained(x, u), seed, np.zeros(t.nu))).ravel()
        reverse = np.array(chained.reverse(1)(x, u, chained(x, u), seed)[0]).ravel()
        assert seed @ forward == pytest.approx(reverse @ seed, rel=1e-10)


def test_casadi_takes_a_failed_step_as_a_failed_evaluation(models):
    pytest.importorskip("casadi")
    import diffsim.casadi as adapter

    t = planning.Transition(runner(models), max_contacts=1)
    x, u = state(t)
    x[1] -= 0.05
    assert np.isnan(np.array(adapter.function(t)(x, u))).all()


@pytest.mark.parametrize("robot", ROBOTS)
def test_crocoddyl(models, robot):
    crocoddyl = pytest.importorskip("crocoddyl")
    from diffsim.crocoddyl import ActionModel, State

    t = planning.Transition(robot(models), 2)
    x, u = state(t)
    space = State(t)
    dx = 0.1 * np.random.default_rng(1).standard_normal(t.ndx)
    np.testing.assert_allclose(space.diff(x, space.integrate(x, dx)), dx, atol=1e-9)
    reference, _ = state(t, 4)
    model = ActionModel(t, reference, np.linspace(0.5, 2, t.ndx), 0.3)
    data, trial = model.createData(), model.createData()
    model.calc(data, x, u)
    model.calcDiff(data, x, u)
    np.testing.assert_array_equal(data.xnext, t.step(x, u))
    _, A, B = t.linearize(x, u)
    np.testing.assert_array_equal(data.Fx, A)
    np.testing.assert_array_equal(np.reshape(data.Fu, B.shape), B)

    def cost(z, w):
        model.calc(trial, z, w)
        return np.array([trial.cost])

    scale = max(1.0, np.abs(data.Lx).max())
    np.testing.assert_allclose(data.Lx, columns(lambda d: cost(t.integrate(x, d), u), t.ndx)[0], atol=1e-7 * scale)
    np.testing.assert_allclose(np.ravel(data.Lu), columns(lambda d: cost(x, u + d), t.nu)[0], atol=1e-7 * scale)
    # A solver gets somewhere with it.
    if robot is ball:
        return
    terminal = ActionModel(t, reference, 10.0, terminal=True)
    problem = crocoddyl.ShootingProblem(x, [model] * 4, terminal)
    solver = crocoddyl.SolverFDDP(problem)
    first = problem.calc(problem.rollout([u] * 4), [u] * 4)
    solver.solve(problem.rollout([u] * 4), [u] * 4, 3, False)
    assert solver.cost < first


@pytest.fixture
def aligator(monkeypatch):
    """Aligator, or what its examples of a Python dynamics model show of its interface where it is not installed."""
    try:
        import aligator

        aligator.dynamics
    except (ImportError, AttributeError):
        aligator = types.ModuleType("aligator")

        class Model:
            def __init__(self, space, nu):
                self.space, self.nu, self.ndx1, self.nx2 = space, nu, space.ndx, space.nx

            def createData(self):
                n, nu = self.ndx1, self.nu
                # eigenpy gives a matrix of one column as a vector.
                by_u = np.zeros((n, nu) if nu > 1 else n)
                return types.SimpleNamespace(xnext=np.zeros(self.nx2), Jx=np.zeros((n, n)), Ju=by_u)

        class VectorSpace:
            def __init__(self, n):
                self.nx = self.ndx = n

            def __deepcopy__(self, memo):
                raise TypeError("Aligator's spaces cannot be copied")

        aligator.dynamics = types.SimpleNamespace(ExplicitDynamicsModel=Model)
        aligator.manifolds = types.SimpleNamespace(VectorSpace=VectorSpace)
        monkeypatch.setitem(sys.modules, "aligator", aligator)
    monkeypatch.delitem(sys.modules, "diffsim.aligator", raising=False)
    return aligator


@pytest.mark.parametrize("robot", ROBOTS)
def test_aligator(models, robot, aligator):
    from diffsim.aligator import Dynamics

    t = planning.Transition(robot(models), 2)
    x, u = state(t)
    if t.quaternions:
        with pytest.raises(diffsim.UnsupportedError, match="space: the model has quaternions"):
            Dynamics(t)
        if isinstance(aligator.manifolds, types.SimpleNamespace):
            model = Dynamics(t, types.SimpleNamespace(nx=t.nx, ndx=t.ndx))
        else:
            return
    else:
        model = Dynamics(t)
    with pytest.raises(diffsim.InvalidArgumentError, match="space: expected nx"):
        Dynamics(t, aligator.manifolds.VectorSpace(t.nx + 1))
    _, A, B = t.linearize(x, u)
    # Aligator copies the model for each stage.
    for one in (model, copy.deepcopy(model), type(model)(*model.__getinitargs__())):
        data = one.createData()
        one.forward(x, u, data)
        one.dForward(x, u, data)
        np.testing.assert_array_equal(data.xnext, t.step(x, u))
        np.testing.assert_array_equal(data.Jx, A)
        np.testing.assert_array_equal(np.reshape(data.Ju, B.shape), B)


def test_another_package_of_the_name_aligator_is_refused(monkeypatch):
    other = types.ModuleType("aligator")
    other.__file__ = "site-packages/aligator.py"
    monkeypatch.setitem(sys.modules, "aligator", other)
    monkeypatch.delitem(sys.modules, "diffsim.aligator", raising=False)
    with pytest.raises(ImportError, match="aligator.py is not the solver.*conda install"):
        import diffsim.aligator


def example(name, *arguments, packages=(), **more):
    for package in packages:
        pytest.importorskip(package)
    command = [sys.executable, str(EXAMPLES / name), *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, env={**os.environ, **more})


def row(text, name, start=""):
    """The numbers of a line of an example's table."""
    line = next(x for x in text.splitlines() if f" {name} " in f" {x} " and x.startswith(start))
    return [float(x) for x in line.split(name)[1].replace("(stopped)", "").split()]


def test_hopper_by_scipy():
    done = example("hopper_scipy.py", packages=("scipy",))
    assert done.returncode == 0, done.stdout + done.stderr
    exact, differenced = row(done.stdout, "adjoint"), row(done.stdout, "differences")
    assert exact[2] < differenced[2], done.stdout


@compiler
def test_hopper_by_casadi():
    done = example("hopper_casadi.py", 5, packages=("casadi",))
    assert done.returncode == 0, done.stdout + done.stderr
    code, exact = row(done.stdout, "C code"), row(done.stdout, "exact")
    assert code[0] == exact[0] < 60 and code[2] == exact[2] < 3, done.stdout


def test_quadruped_by_crocoddyl():
    done = example("quadruped_crocoddyl.py", 2, packages=("crocoddyl",))
    assert done.returncode == 0, done.stdout + done.stderr
    # The costs of the plans, to four digits of 8 and 19 iterations.
    for shift, cost in (("2 cm", 0.235), ("4 cm", 0.536)):
        exact = row(done.stdout, "exact", shift)
        assert exact[0] < 30 and exact[2] == pytest.approx(cost, abs=2e-3), done.stdout


def test_hopper_by_aligator():
    done = example("hopper_aligator.py", 3, packages=("aligator",))
    assert done.returncode == 0, done.stdout + done.stderr
    assert row(done.stdout, "exact")[2] < 3, done.stdout


def test_hopper_by_aligators_library():
    """In C++, as PyPI has Aligator without its Python module."""
    prefix = pathlib.Path(sysconfig.get_path("purelib")) / "cmeel.prefix" / "include"
    if sys.platform != "linux" or not (prefix / "aligator").is_dir() or not (prefix / "eigen3").is_dir() or not shutil.which("c++"):
        pytest.skip("there is no Linux, libaligator, cmeel-eigen or C++ compiler")
    done = example("hopper_aligator_cpp.py", 100)
    assert done.returncode == 0, done.stdout + done.stderr
    exact, differenced = row(done.stdout, "exact"), row(done.stdout, "differences")
    assert exact[0] < 10 and exact[2] < 2.2 and exact[2] < differenced[2], done.stdout


@compiler
def test_hopper_by_acados():
    done = example("hopper_acados.py", packages=("casadi", "acados_template"))
    assert done.returncode == 0, done.stdout + done.stderr
    code = row(done.stdout, "C code")
    assert code[0] < 30 and code[2] < 3, done.stdout
