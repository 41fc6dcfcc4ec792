"""No Python object refers to memory of the library that is gone, whatever is done with it."""

import copy
import inspect
import os
import pickle
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

import diffsim


@pytest.fixture
def model(models):
    return diffsim.Model.load(models / "quadruped.xml")


def handle_of(kind, model):
    makers = {
        "Sim": lambda: diffsim.Sim(model),
        "Rollout": lambda: diffsim.Rollout(model, 3),
        "Batch": lambda: diffsim.Batch(model, 2, 2),
        "Problem": lambda: diffsim.Problem(1),
        "Ik": lambda: diffsim.Ik(model),
        "Ilqr": lambda: diffsim.Ilqr(model, 2),
        "Builder": diffsim.Builder,
        "Recorder": lambda: diffsim.Recorder(model),
        "Model": lambda: diffsim.Model.from_string("<mujoco/>", diffsim.Format.MJCF),
    }
    return makers[kind]()


KINDS = ("Sim", "Rollout", "Batch", "Problem", "Ik", "Ilqr", "Builder", "Model")
COPIERS = {
    "copy": copy.copy,
    "deepcopy": copy.deepcopy,
    "deepcopy of its holder": lambda x: copy.deepcopy({"of": [x]}),
    **{f"pickle {i}": lambda x, i=i: pickle.dumps(x, i) for i in range(pickle.HIGHEST_PROTOCOL + 1)},
}


@pytest.mark.parametrize("kind", ("Batch", "Problem", "Ik", "Ilqr", "Recorder"))
@pytest.mark.parametrize("copier", COPIERS)
def test_what_cannot_be_copied_says_so(model, kind, copier):
    handle = handle_of(kind, model)
    for _ in ("open", "closed"):
        with pytest.raises(TypeError, match=f"a diffsim.{kind} can be neither copied nor pickled: it"):
            COPIERS[copier](handle)
        handle.close()


@pytest.mark.parametrize("kind", ("Sim", "Rollout", "Builder", "Model"))
@pytest.mark.parametrize("copier", COPIERS)
def test_a_closed_handle_is_not_copied(model, kind, copier):
    """The copy of a closed model seemed to be open."""
    handle = handle_of(kind, model)
    handle.close()
    with pytest.raises(diffsim.InvalidArgumentError, match=f"{kind.lower()}: must be open"):
        COPIERS[copier](handle)


# Arguments of every public method, as an open handle takes them.
Q, V, U = "q", "v", "u"
PATTERN = diffsim.JacobianPattern(0, *(np.zeros(0, dtype=np.int32) for _ in range(4)))
CALLS = {
    "Sim": {
        "time_step": None,
        "integrator": None,
        "step": (Q, V, U),
        "jacobians": (),
        "jacobian_pattern": (),
        "sparse_jacobians": (PATTERN,),
        "jvp": (),
        "vjp": (V, V),
        "vjp_aware": (V, V),
        "act": None,
        "act_jacobians": (),
        "jvp_act": (),
        "vjp_act": (V, V),
        "aware_contacts": (),
        "column_labels": (),
        "impulse_jacobians": (),
        "impulse_jvp": (),
        "impulse_vjp": (np.zeros((3, 0)),),
        "smoothed_jacobians": (diffsim.SmoothingMethod.CENTRAL_PATH,),
        "relaxed_step": (),
        "collide": (Q,),
        "contacts": (),
        "patches": (),
        "patch_faces": (),
        "contact_derivatives": (),
        "distance": (0, 1, Q),
        "smoothed_distance": (0, 1, Q),
        "set_pair_enabled": (0, 1, True),
        "info": (),
        "work": (),
        "reset": (),
        "set_external_wrench": (1, np.zeros(6)),
        "set_force": (np.zeros(18),),
        "prescribe": (7, 0.1),
        "prescribed_velocities": None,
        "prescribed_impulses": (),
        "select_params": ([],),
        "memory": None,
        "params": None,
        "np": None,
        "forward_kinematics": (Q,),
        "inverse_dynamics": (Q, V, V),
        "forward_dynamics": (Q, V, V),
        "hybrid_dynamics": (Q, V, np.zeros(18), V, V),
        "mass_matrix": (Q,),
        "inverse_dynamics_derivatives": (Q, V, V),
        "forward_dynamics_derivatives": (Q, V, V),
        "body_jacobian": (Q, 1),
        "site_placements": (Q,),
        "site_jacobian": (Q, 0),
        "tendon_lengths": (Q,),
        "energy": (Q, V),
        "center_of_mass": (Q,),
        "momentum": (Q, V),
        "forward": (Q, V),
        "acceleration_jacobians": (),
        "acceleration_vjp": (V,),
        "acceleration_act_jacobian": (),
        "acceleration_vjp_act": (V,),
        "inverse": (Q, V, V),
        "inverse_jacobians": (),
        "body_contact_wrenches": (),
        "contact_forces": (),
        "linearize": (Q, V, U),
        "contact_torques": (),
        "ray_cast": (Q, np.zeros(3), np.ones(3)),
        "ray_casts": (Q, np.zeros((3, 1)), np.ones((3, 1))),
        "sensors": (Q, V),
        "sensor_jacobians": (Q, V),
        "sensor_vjp": (Q, V, np.zeros(0)),
        "sensor_act_jacobian": (Q, V),
        "sensor_vjp_act": (Q, V, np.zeros(0)),
        "gravity_forces": (Q,),
        "bias_forces": (Q, V),
        "coriolis_matrix": (Q, V),
        "mass_matrix_inverse": (Q,),
        "inverse_dynamics_regressor": (Q, V, V),
        "inverse_dynamics_with_wrenches": (Q, V, V, [1], np.zeros((6, 1))),
        "forward_dynamics_with_wrenches": (Q, V, V, [1], np.zeros((6, 1))),
        "center_of_mass_motion": (Q, V),
        "centroidal_momentum": (Q, V),
        "centroidal_map": (Q,),
        "centroidal_derivatives": (Q, V, V),
        "generalized_forces": (Q, V),
        "actuator_states": (Q, V),
        "tendon_states": (Q, V),
        "body_velocities": (Q, V),
        "body_accelerations": (Q, V, V),
        "site_velocities": (Q, V),
        "site_accelerations": (Q, V, V),
        "body_jacobians": (Q,),
        "frame_jacobian": (Q, 1),
        "frame_jacobian_rate": (Q, V, 1),
        "frame_velocity": (Q, V, 1),
        "frame_acceleration": (Q, V, V, 1),
    },
    "Rollout": {
        "run": (Q, V, np.zeros((12, 2))),
        "adjoint": (np.zeros((18, 1)), np.zeros((18, 1))),
        "run_act": (Q, V, None, np.zeros((12, 2))),
        "adjoint_act": (np.zeros((18, 1)), np.zeros((18, 1))),
        "gradient": (),
        "aware_report": (),
        "select_params": ([],),
        "np": None,
        "params": None,
        "set_external_wrench": (1, np.zeros(6)),
        "prescribe": (7, 0.1),
    },
    "Problem": {
        "solve": (np.eye(1), np.zeros((0, 1)), np.zeros(1), np.zeros(0), np.zeros(0)),
        "jvp": (),
        "vjp": (),
        "info": (),
        "modes": (),
        "impulses_unique": (),
        "reset": (),
    },
    "Ik": {
        "add_frame": (1,),
        "add_center_of_mass": (),
        "add_posture": (),
        "ntask": None,
        "set_target": (0, np.zeros(3)),
        "set_weight": (0, 1.0),
        "solve": (Q,),
        "residual": (0,),
        "gradient": (),
        "jacobian": (),
        "jvp": (np.zeros(0),),
        "vjp": (V,),
    },
    "Ilqr": {
        "set_weights": (np.ones(36), np.ones(36), np.ones(12)),
        "set_reference": (Q,),
        "set_act_reference": (np.zeros(0),),
        "set_external_wrench": (1, np.zeros(6)),
        "prescribe": (0, 0.1),
        "set_input_bounds": (np.zeros(12), np.ones(12)),
        "solve": (Q, V),
        "states": (),
        "activations": (),
        "gains": (0,),
    },
    "Batch": {
        "step": (np.zeros((19, 2)), np.zeros((18, 2)), np.zeros((12, 2))),
        "jacobians": (),
        "vjp": (np.zeros((18, 2)), np.zeros((18, 2))),
        "reserve": (3,),
        "rollout": (np.zeros((19, 2)), np.zeros((18, 2)), np.zeros((12, 3, 2))),
        "rollout_adjoint": (np.zeros((18, 4, 2)), np.zeros((18, 4, 2))),
        "rollout_gradient": (),
        "run_episodes": (np.zeros((19, 2)), np.zeros((18, 2)), np.zeros((12, 3, 2))),
        "episodes_adjoint": (),
        "act": None,
        "info": (0,),
        "select_params": ([],),
        "np": None,
        "get_params": (0,),
        "set_params": (0, np.zeros(0)),
        "set_external_wrench": (0, 1, np.zeros(6)),
        "prescribe": (0, 7, 0.1),
        "reset": (),
    },
    "Builder": {
        "set_gravity": (np.zeros(3),),
        "set_actuation": (diffsim.Actuation.FULL,),
        "add_body": (),
        "add_joint": (0,),
        "add_geom": (0,),
        "add_site": (0,),
        "set_gravity_compensation": (0, 1.0),
        "add_actuator": ("joint",),
        "add_spring": (),
        "add_deformable": ([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0]], [[0, 1]]),
        "add_tendon": ({"hinge": 1.0},),
        "add_sensor": (diffsim.SensorKind.GYRO,),
        "add_equality": (diffsim.EqualityKind.WELD,),
        "add_reduction": (["hinge"], [[1.0], [0.5]]),
        "attach": (0, None),
        "set_joint": (0,),
        "set_body": (0,),
        "set_geom": (0,),
        "remove_geom": (0,),
        "build": (),
    },
    "Model": {
        "body_id": ("world",),
        "joint_id": ("",),
        "geom_id": ("",),
        "site_id": ("",),
        "tendon_id": ("",),
        "sensor_id": ("",),
        "sensor": (0,),
        "sensors": None,
        "actuator_id": ("",),
        "body": (0,),
        "joint": (0,),
        "geom": (0,),
        "site": (0,),
        "actuator": (0,),
        "bodies": None,
        "body_names": None,
        "place_on_ground": ([],),
        "gravity": None,
        "time_step": None,
        "pair_enabled": (0, 1),
        "with_pairs": ([(0, 1)], True),
        "visuals": ("closed.urdf",),
        "with_actuators": ([{"joint": ""}],),
        "exclude_overlapping": (),
        "save": ("closed.xml",),
        "neutral": (),
        "home": (),
        "keyframe": ("",),
        "keyframe_act": ("",),
        "act_actuators": None,
        "integrate": ([], []),
        "difference": ([], []),
        "q_from_mujoco": ([],),
        "q_to_mujoco": ([],),
        "v_from_mujoco": ([], []),
        "v_to_mujoco": ([], []),
    },
}
# They make a handle or memory; or go through the model's parts one by one, of which the empty model has none.
NOT_A_CALL = {"options", "close", "load", "from_string", "from_model", "actuators", "joint_names", "geom_names", "site_names", "sensor_names", "new_jacobians", "joints", "geoms", "sites", "actuator_names", "tendon_names", "keyframe_names"}


@pytest.mark.parametrize("kind", KINDS)
def test_every_call_of_a_closed_handle_raises(model, kind):
    state = dict(zip((Q, V, U), model.keyframe("standing")))
    handle = handle_of(kind, model)
    public = {name for name, _ in inspect.getmembers(type(handle)) if not name.startswith("_")}
    assert public - NOT_A_CALL == set(CALLS[kind])
    handle.close()
    handle.close()
    for name, given in CALLS[kind].items():
        with pytest.raises(diffsim.InvalidArgumentError, match=f"{kind.lower()}: must be open"):
            call = getattr(handle, name)
            call(*(state.get(x) if isinstance(x, str) and x in state else x for x in given))


def test_close_waits_for_the_call_of_another_thread(model):
    """It freed what the running call used."""
    q, v, u = model.keyframe("standing")
    u = np.repeat(u[:, None], 4000, axis=1)
    expected = diffsim.Rollout(model, 4000).run(q, v, u)
    for _ in range(5):
        rollout, outcome = diffsim.Rollout(model, 4000), []

        def run():
            outcome.extend(rollout.run(q, v, u))

        thread = threading.Thread(target=run)
        thread.start()
        # Until the call has its turn.
        while not outcome and rollout._lock.acquire(blocking=False):
            rollout._lock.release()
            time.sleep(0.001)
        rollout.close()
        thread.join()
        assert len(outcome) == 2 and all((a == b).all() for a, b in zip(outcome, expected))


def test_jacobians_keep_the_memory_that_results_go_to(model):
    """An array exchanged in `out` was freed, and the next call wrote to where it had been."""
    sim = diffsim.Sim(model)
    sim.step(*model.keyframe("standing"))
    J = sim.jacobians()
    with pytest.raises(AttributeError, match="dq_dq"):
        J.dq_dq = None
    with pytest.raises(AttributeError, match="dv_dv"):
        del J.dv_dv
    with pytest.raises(ValueError):
        J.dq_dq.resize((0, 0))
    for other in (copy.copy(J), copy.deepcopy(J), pickle.loads(pickle.dumps(J))):
        J.dv_dq[...] = 0.0
        assert (other.dv_dq != 0.0).any() and other.dv_dq.flags.f_contiguous
        other.dv_dq[...] = 0.0
        sim.jacobians(out=other)
        assert (other.dv_dq != 0.0).any() and (J.dv_dq == 0.0).all()
        sim.jacobians(out=J)


ENDINGS = {
    "open handles": "",
    "a cycle": "everything.append(everything)",
    "closed in another order": "model.close(); [x.close() for x in everything]",
    "used by an exit handler": "import atexit; atexit.register(lambda: sim.step(q, v, u))",
    "a thread in a call": """
import threading, time
q = np.repeat(q[:, None], 2, axis=1); v = np.repeat(v[:, None], 2, axis=1); u = np.repeat(u[:, None], 2, axis=1)
def go():
    while True:
        batch.step(q, v, u)
threading.Thread(target=go, daemon=True).start()
time.sleep(0.05)
""",
    "a fork": """
import os
child = os.fork()
sim.step(q, v, u)
if child:
    assert os.waitpid(child, 0)[1] == 0
""",
}


@pytest.mark.parametrize("ending", ENDINGS)
def test_the_interpreter_ends_well(models, ending):
    start = f"""
import numpy as np, diffsim
model = diffsim.Model.load({str(models / "quadruped.xml")!r})
q, v, u = model.keyframe("standing")
everything = sim, rollout, batch, builder = [
    diffsim.Sim(model), diffsim.Rollout(model, 2), diffsim.Batch(model, 2, 2), diffsim.Builder()]
everything = list(everything)
"""
    run = subprocess.run(
        [sys.executable, "-X", "faulthandler", "-c", start + ENDINGS[ending]],
        capture_output=True,
        text=True,
        timeout=60,
        env=os.environ,
    )
    assert (run.returncode, run.stderr) == (0, "")
