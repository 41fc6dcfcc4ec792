using DiffSim
using LinearAlgebra
using Test

const MODELS = normpath(joinpath(@__DIR__, "..", "..", "..", "examples", "models"))
const STANDING = joinpath(MODELS, "quadruped.xml")

"A quadruped's sim with a state and an input in which it falls on its feet."
function quadruped(; options...)
    model = load_model(STANDING)
    sim = Sim(model; time_step = 0.002, options...)
    q, _, u = keyframe(model, "standing")
    sim, q, [0.1sin(i) for i in 1:model.nv], u
end

@testset "DiffSim" begin
    include("calls.jl")
    include("builder.jl")
    include("derivatives.jl")
    include("activations.jl")
    include("misuse.jl")
    include("problem.jl")
    include("measured.jl")
    include("ik.jl")
    include("control.jl")
    include("same_bits.jl")
    include("chain_rules.jl")
    @testset "names of constants" begin
        # The kinds of geoms that Julia has no call for yet are meshes and height fields.
        unnamed = (:DS_GEOM_MESH, :DS_GEOM_HEIGHT_FIELD)
        for (prefix, named) in (
            "DS_CONTACT_" => DiffSim.LAWS, "DS_INTEGRATOR_" => DiffSim.INTEGRATORS, "DS_PARAM_" => DiffSim.PARAMS,
            "DS_JOINT_" => DiffSim.JOINTS, "DS_GEOM_" => DiffSim.GEOMS, "DS_EQUALITY_" => DiffSim.EQUALITIES,
            "DS_ACTUATION_" => DiffSim.ACTUATIONS, "DS_ACTIVATION_" => DiffSim.ACTIVATIONS, "DS_MIMIC_" => DiffSim.MIMICS,
            "DS_FRICTION_" => DiffSim.OPTIONS[:friction_rule], "DS_CONVEX_" => DiffSim.OPTIONS[:convex_variant],
            "DS_SENSOR_" => DiffSim.SENSORS, "DS_ZONE_" => DiffSim.ZONES, "DS_ILQR_" => DiffSim.ILQR_OUTCOMES,
        )
            constants = filter(n -> startswith(string(n), prefix) && !(n in unnamed), names(DiffSim.LibDiffSim; all = true))
            # What the file says is called so in C.
            written(k) = k == :file ? "FROM_FILE" : uppercase(string(k))
            made = Dict(Symbol(prefix, written(k)) => named[k] for k in keys(named))
            @test made == Dict(n => getfield(DiffSim.LibDiffSim, n) for n in constants)
        end
        @test_throws ArgumentError DiffSim.sim_options(; integrator = 3)
        @test_throws ArgumentError DiffSim.sim_options(; contact = :rigid)
    end
    @testset "examples" begin
        include(joinpath(@__DIR__, "..", "..", "..", "examples", "julia", "system_identification.jl"))
        found, truth = identify(log = false)
        @test norm((found - truth) ./ truth, Inf) < 5e-3
        include(joinpath(@__DIR__, "..", "..", "..", "examples", "julia", "spring_identification.jl"))
        found, biased, truth = SpringIdentification.identify(log = false)
        @test norm((found - truth) ./ truth, Inf) < 0.1 < norm((biased - truth) ./ truth, Inf)
    end
end
