"""A hopper jumps: acados with diffsim's step in C as its discrete dynamics, by sequential quadratic programming.

acados is not on PyPI under its own name; see docs.acados.org for its installation (acados_template must be importable).

usage: python hopper_acados.py
"""

import os
import tempfile
import time

import numpy as np

import diffsim.acados
import hopper
from acados_template import AcadosOcp, AcadosOcpSolver


def build(folder, differences):
    """The solver, its code in the folder."""
    step = hopper.transition(differences)
    ocp = AcadosOcp()
    ocp.model = diffsim.acados.model(step, "hopper_differences" if differences else "hopper_step", folder)
    nx, nu = step.nx, step.nu
    if hasattr(ocp.solver_options, "N_horizon"):
        ocp.solver_options.N_horizon = hopper.NODES
    else:
        ocp.dims.N = hopper.NODES
    ocp.cost.cost_type = ocp.cost.cost_type_e = "LINEAR_LS"
    # Half of the weighted squares, times 2.
    ocp.cost.Vx, ocp.cost.Vu = np.zeros((nu, nx)), np.eye(nu)
    ocp.cost.W, ocp.cost.yref = 2.0 * hopper.EFFORT * np.eye(nu) / step.time_step, np.zeros(nu)
    ocp.cost.Vx_e, ocp.cost.W_e, ocp.cost.yref_e = np.eye(nx), np.diag(2.0 * hopper.WEIGHTS), hopper.GOAL
    ocp.constraints.x0, ocp.constraints.idxbu = hopper.start()[0], np.arange(nu)
    ocp.constraints.lbu, ocp.constraints.ubu = np.array([-150.0]), np.array([150.0])
    o = ocp.solver_options
    o.tf = hopper.NODES * step.time_step
    o.integrator_type, o.hessian_approx, o.nlp_solver_type = "DISCRETE", "GAUSS_NEWTON", "SQP"
    o.qp_solver, o.nlp_solver_max_iter, o.globalization = "PARTIAL_CONDENSING_HPIPM", 100, "MERIT_BACKTRACKING"
    o.tol = 1e-5
    # Gauss and Newton's Hessian lacks the curvature of the impacts.
    o.levenberg_marquardt = 1e-4
    ocp.code_export_directory = os.path.join(folder, "code")
    return step, AcadosOcpSolver(ocp, json_file=os.path.join(folder, "ocp.json"), verbose=False)


def solve(name, differences=None):
    """A row of the table, and acados's status."""
    with tempfile.TemporaryDirectory() as folder:
        here = os.getcwd()
        os.chdir(folder)
        try:
            step, solver = build(folder, differences)
        finally:
            os.chdir(here)
        _, guess = hopper.start()
        for k, x in enumerate(hopper.trajectory(step, guess)):
            solver.set(k, "x", x)
            if k < hopper.NODES:
                solver.set(k, "u", guess[k])
        began = time.perf_counter()
        status = solver.solve()
        seconds = time.perf_counter() - began
        inputs = np.array([solver.get(k, "u") for k in range(hopper.NODES)])
        iterations = int(np.ravel(solver.get_stats("sqp_iter"))[0])
        return ("acados, SQP", name, iterations, seconds, hopper.trajectory(step, inputs), inputs), status


def main():
    row, status = solve("C code")
    differenced, other = solve("differences", 1e-6)
    print(f"status {status}, with differences {other}")
    return hopper.report([row, differenced])


if __name__ == "__main__":
    raise SystemExit(main())
