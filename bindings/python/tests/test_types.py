"""Types: the package under mypy --strict, and what it lets through and refuses of a user's program."""

import pathlib
import re
import shutil
import subprocess
import sys

import pytest

import diffsim
from diffsim import options
from diffsim._declarations import ffi

pytest.importorskip("mypy")

USER = """
import numpy as np
import diffsim

model = diffsim.Model.load("robot.urdf", base="free", actuation=diffsim.Actuation.FULL, ground_plane=True)
sim = diffsim.Sim(model, time_step=0.002, contact="ncp", max_contacts=64)
q, v = sim.step(model.home(), np.zeros(model.nv))
height: float = float(q[2])
J = sim.body_jacobian(q, "FL_foot") @ v
sim.select_params([diffsim.Param("body_inertia", "trunk")])
sim.params = [5.0]
with diffsim.Rollout(model, 10, time_step=0.002) as rollout:
    gradients = rollout.adjoint(*rollout.run(q, v, steps=10))
builder = diffsim.Builder()
builder.add_joint("arm", "revolute", axis=(0, 0, 1), damping=0.1)
builder.add_geom("arm", kind="sphere", size=[0.1, 0, 0])
plan = diffsim.Ilqr(model, 10, max_plans=3, contact_options={"max_iterations": 200})
A, B = sim.linearize(q, v)
K, P = diffsim.lqr(A, B, np.eye(2 * model.nv), np.eye(model.nu), model=model)
edit = diffsim.Builder.from_model(model)
edit.set_joint("elbow", friction_loss=0.1)
edit.attach("hand", model, prefix="left_")
damping: float = model.joint("elbow").damping

diffsim.Sim(model, dt=3)  # refused
diffsim.Sim(model, time_step="0.002")  # refused
diffsim.Sim(model, contact="nvp")  # refused
diffsim.Sim(model, contact=diffsim.Integrator.BDF1)  # refused
diffsim.Sim("robot.urdf")  # refused
diffsim.Model.load("robot.urdf", base="floating")  # refused
diffsim.Model.load(3)  # refused
diffsim.Param("body_inertai", 1)  # refused
diffsim.Rollout(model, 10, stepz=3)  # refused
builder.add_joint("arm", "hinge")  # refused
builder.add_geom("arm", radius=0.1)  # refused
sim.body_jacobian(q, 1.5)  # refused
sim.model = model  # refused
model.nq = 3  # refused
sim.stepp(q, v)  # refused
diffsim.Ilqr(model, 10, max_iterations=3)  # refused
text: str = sim.info().contacts  # refused
"""


def mypy(folder, *arguments):
    command = [
        sys.executable,
        "-m",
        "mypy",
        "--strict",
        "--no-error-summary",
        "--cache-dir",
        folder / "cache",
        *arguments,
    ]
    # cffi and optional packages. CasADi has types, but is checked as if it were not installed.
    (folder / "mypy.ini").write_text("[mypy]\n[mypy-casadi.*]\nfollow_imports = skip\nfollow_imports_for_stubs = True\n")
    command += ["--disable-error-code=import-untyped", "--disable-error-code=import-not-found"]
    run = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    assert run.returncode in (0, 1), run.stderr
    return run.stdout


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A copy of the package's source, beside which a user's program can stand."""
    folder = tmp_path_factory.mktemp("types")
    shutil.copytree(
        pathlib.Path(diffsim.__file__).parent, folder / "diffsim", ignore=shutil.ignore_patterns("*.so", "__py*")
    )
    (folder / "diffsim" / "_declarations.py").write_text("from typing import Any\nffi: Any\n")
    return folder


def test_the_package_and_a_program_that_uses_it(folder):
    (folder / "user.py").write_text(USER)
    found = mypy(folder, "diffsim", "user.py")
    ours = [line for line in found.splitlines() if not line.startswith("user.py")]
    assert ours == []
    errors = {int(line) for line in re.findall(r"^user\.py:(\d+): error", found, flags=re.M)}
    refused = {i for i, line in enumerate(USER.splitlines(), 1) if line.endswith("# refused")}
    assert len(refused) > 12 and errors == refused, found


#: Of the structs that keyword arguments fill: what a method takes otherwise, as an argument of another form.
ELSEWHERE = {
    "ds_load_options": (options.LoadOptions, {"mesh_dirs", "mesh_dir_count"}),
    "ds_options": (options.SimOptions, set()),
    "ds_problem_options": (options.ProblemOptions, {"nv", "max_contacts", "law"}),
    "ds_joint_desc": (options.JointFields, {"kind", "control", "control_count"}),
    "ds_geom_desc": (options.GeomFields, {"vertices", "vertex_count", "triangles", "triangle_count", "heights", "columns", "rows", "reserved2"}),
    "ds_actuator_desc": (options.ActuatorFields, {"joint", "tendon", "body", "site"}),
    "ds_spring_desc": (options.SpringFields, set()),
    "ds_tendon_desc": (options.TendonFields, {"kind", "count", "joints", "coefficients", "bodies", "anchors", "stations", "side_bodies", "sizes", "axes", "sides"}),
    "ds_equality_desc": (options.EqualityFields, {"kind", "relative"}),
    "ds_smoothing": (options.SmoothingOptions, {"method"}),
    "ds_distance_smoothing": (options.DistanceSmoothingOptions, {"method"}),
}


@pytest.mark.parametrize("name", ELSEWHERE)
def test_options_are_the_fields_of_the_struct(name):
    typed, elsewhere = ELSEWHERE[name]
    fields = {field for field, _ in ffi.typeof(name).fields} - {"struct_size", "reserved"}
    assert set(typed.__annotations__) == fields - elsewhere
