"""Legged robots put on the ground by `ds_model_place_on_ground`: the lowest point touches it, nothing is below it."""

import pathlib

import numpy as np

import diffsim_c as ds
from robots import GYMNASIUM, OWN, ROBOT_DATA, Robot

POSES = 3
LEGGED = [
    Robot(pathlib.Path(file).stem, ROBOT_DATA / f"{file}.urdf", free=True, mimic=True, shells=True)
    for file in (
        "a1_description/urdf/a1", "alex_description/urdf/alex_nub_hands", "alex_description/urdf/alex_sake_hands",
        "anymal_b_simple_description/robots/anymal-kinova", "anymal_b_simple_description/robots/anymal",
        "anymal_c_simple_description/urdf/anymal", "b1_description/urdf/b1-z1", "b1_description/urdf/b1",
        "bolt_description/robots/bolt", "centauro_description/urdf/centauro", "g1_description/urdf/g1_29dof_rev_1_0",
        "g1_description/urdf/g1_29dof_with_hand_rev_1_0", "go1_description/urdf/go1", "go2_description/urdf/go2",
        "hyq_description/robots/hyq_no_sensors", "icub_description/robots/icub", "icub_description/robots/icub_reduced",
        "laikago_description/urdf/laikago", "quadruped_description/urdf/quadruped", "romeo_description/urdf/romeo",
        "romeo_description/urdf/romeo_small", "simple_humanoid_description/urdf/simple_humanoid", "solo_description/robots/solo",
        "solo_description/robots/solo12", "talos_data/robots/talos_full_v2", "talos_data/robots/talos_full_v2_box",
        "talos_data/robots/talos_reduced",
    )
] + [Robot(f"{name} (MJCF)", GYMNASIUM / f"{name}.xml") for name in ("ant", "humanoid", "humanoidstandup")]
LEGGED += [Robot(f"own_{name}", OWN / f"{name}.xml") for name in ("quadruped", "humanoid")]


def compare(report, robot):
    options = robot.load_options(ds.lib)
    if robot.path.suffix == ".urdf":
        options |= {"ground_plane": 1, "missing_mesh": ds.lib.DS_MISSING_MESH_SKIP}
    model = ds.Model(robot.path, **options)
    sim, rng = ds.Sim(model, contact=ds.lib.DS_CONTACT_NONE), np.random.default_rng(1)
    floor = next(g for g in range(model.ngeom) if model.geom_type[g] == ds.lib.DS_GEOM_PLANE and model.geom_body[g] == 0)
    touching = [g for g in range(model.ngeom) if ds.lib.ds_model_pair_enabled(model.handle, floor, g)]
    worst = 0.0
    for _ in range(POSES):
        q = model.place_on_ground(model.integrate(model.neutral(), 0.3 * rng.normal(size=model.nv)))
        worst = max(worst, abs(min(sim.distance(floor, g, q)[0] for g in touching)))
    # In metres, not relative.
    report.row(robot.name, "lowest point above the ground [m]", worst, 1e-9)
