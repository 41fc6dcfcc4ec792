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
export pair_enabled, with_pairs, exclude_overlapping
export Sim, step!, jacobians, jacobian_pattern, sparse_jacobians, jvp, vjp, vjp_aware, aware_contacts, contacts, step_info, memory, restore!, reset!
export Param, select_params!, params, set_params!, external_wrench!
export forward_kinematics, inverse_dynamics, forward_dynamics, mass_matrix, body_jacobian, site_placements, site_jacobian, energy
export inverse_dynamics_derivatives, forward_dynamics_derivatives
export Rollout, run!, aware_report
export Batch, batch_step!
export Problem, solve!, modes, impulses_unique
export Recorder, record!, surface!, save

"""
    library_path()

Where the shared library is looked for: in the environment variable `DIFFSIM_LIBRARY`, in the repository that this
package lies in, and where the system's loader looks.
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
include("sim.jl")
include("derivatives.jl")
include("dynamics.jl")
include("rollout.jl")
include("batch.jl")
include("problem.jl")
include("recorder.jl")

end
