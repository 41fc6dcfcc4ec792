"""
Articulated rigid-body simulation with frictional contact in which every output has an exact derivative: the C library
diffsim from Julia.

    model = load_model("robot.xml")
    sim = Sim(model)
    q, v = neutral(model), zeros(model.nv)
    step!(sim, q, v, zeros(model.nu))
    J = jacobians(sim)

Arrays are `Float64` and contiguous; matrices are column-major on both sides, so nothing is copied. Lengths are checked
before the library is called, and each of its errors is a [`DiffSimError`](@ref) with its message. Ids of bodies,
joints and geoms are the library's: 0 is the world.
"""
module DiffSim

import Base: step
import Libdl

include("LibDiffSim.jl")
using .LibDiffSim

export DiffSimError, Model, load_model, neutral, home, keyframe, keyframe_names, integrate, difference, body_id, joint_id, geom_id, site_id, warnings
export rotation_vector_to_quat, quat_to_rotation_vector, euler_to_quat, quat_to_euler
export Builder, inertia_from_com, inertia_to_log_cholesky, inertia_from_log_cholesky, set_gravity!, set_actuation!, add_body!, add_joint!, add_geom!, add_actuator!, add_spring!
export add_deformable!, add_tendon!, add_equality!, add_reduction!, add_site!, add_sensor!, set_gravity_compensation!, build, tendon_id, tendon_names, tendon_lengths
export pair_enabled, with_pairs, with_actuators, exclude_overlapping, visuals
export described_body, described_joint, described_geom, described_actuator, place_on_ground
export attach!, set_body!, set_joint!, set_geom!, remove_geom!, linearize
export Sim, time_step, integrator, step!, jacobians, jacobian_pattern, sparse_jacobians, jvp, vjp, vjp_aware, aware_contacts, column_labels, contacts, patches, patch_faces, step_info, memory, restore!, reset!
export Param, select_params!, params, set_params!, external_wrench!
export set_force!, prescribe!, prescribed_velocities, prescribed_impulses
export forward_kinematics, inverse_dynamics, forward_dynamics, mass_matrix, body_jacobian, site_placements, site_jacobian, energy
export inverse_dynamics_derivatives, forward_dynamics_derivatives
export body_velocities, body_accelerations, site_velocities, site_accelerations, body_jacobians
export gravity_forces, bias_forces, coriolis_matrix, mass_matrix_inverse, inverse_dynamics_regressor
export inverse_dynamics_with_wrenches, forward_dynamics_with_wrenches
export generalized_forces, actuator_states, tendon_states
export center_of_mass_motion, centroidal_momentum, centroidal_map, centroidal_derivatives
export frame_jacobian, frame_jacobian_rate, frame_velocity, frame_acceleration
export Rollout, run!, aware_report
export act, set_act!, act_jacobians, jvp_act, vjp_act, run_act!, keyframe_act, act_actuators
export Batch, batch_step!, run_episodes!, episodes_vjp
export forward, acceleration_jacobians, acceleration_vjp, inverse, inverse_jacobians, body_contact_wrenches
export ray_cast, ray_casts, sensors, sensor_jacobians, sensor_vjp, sensor_id, sensor_names, sensor_range, sensor_kind
export Ik, add_frame!, add_center_of_mass!, add_posture!, set_target!, set_weight!, residual, gradient_kind
export lqr, Ilqr, set_weights!, set_reference!, set_input_bounds!, states, gains
export Problem, solve!, modes, impulses_unique
export Recorder, record!, surface!, save

"""
    library_path()

Path of the shared library. It is searched in this order: the environment variable `DIFFSIM_LIBRARY`, the repository that
contains this package, the folders of the system's loader.
"""
function library_path()
    named = get(ENV, "DIFFSIM_LIBRARY", "")
    isempty(named) || return named
    built = normpath(joinpath(@__DIR__, "..", "..", "..", "target", "release", "libdiffsim.so"))
    isfile(built) ? built : LibDiffSim.libdiffsim
end

function __init__()
    path = library_path()
    Libdl.dlopen(path, Libdl.RTLD_GLOBAL | Libdl.RTLD_NOW)
    version = LibDiffSim.ds_abi_version()
    version == LibDiffSim.DS_ABI_VERSION ||
        error("$path has binary interface $version, this package was made for $(LibDiffSim.DS_ABI_VERSION)")
end

include("errors.jl")
include("model.jl")
include("builder.jl")
include("sim.jl")
include("derivatives.jl")
include("dynamics.jl")
include("questions.jl")
include("rollout.jl")
include("batch.jl")
include("activations.jl")
include("measured.jl")
include("ik.jl")
include("control.jl")
include("problem.jl")
include("recorder.jl")

end
