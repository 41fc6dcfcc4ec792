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
    include("derivatives.jl")
    include("misuse.jl")
    include("problem.jl")
    include("same_bits.jl")
    include("chain_rules.jl")
    @testset "examples" begin
        include(joinpath(@__DIR__, "..", "..", "..", "examples", "julia", "system_identification.jl"))
        found, truth = identify(log = false)
        @test norm((found - truth) ./ truth, Inf) < 5e-3
    end
end
