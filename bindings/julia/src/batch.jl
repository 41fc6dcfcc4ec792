"""
    Batch(model, count; threads = 0, options...)

`count` simulations of a model with a warm start each, stepped together over threads (0: one a core). The number of
threads changes no bit of a result. Options as of [`Sim`](@ref).
"""
mutable struct Batch
    handle::Ptr{Cvoid}
    model::Model
    count::Int
    function Batch(model::Model, count::Integer; threads = 0, options...)
        out = Ref{Ptr{Cvoid}}(C_NULL)
        check(LibDiffSim.ds_batch_create(handle(model), sim_options(; options...), count, threads, out))
        finalizer(close, new(out[], model, count))
    end
end

function Base.close(b::Batch)
    LibDiffSim.ds_batch_free(b.handle)
    b.handle = C_NULL
    nothing
end

"""
    batch_step!(batch, q, v, u)

Advances all states in place: nq×count, nv×count, nu×count. Those that fail stay as they are, and the error names the
first of them.
"""
function batch_step!(b::Batch, q, v, u)
    m = b.model
    sized(q, "q", m.nq, b.count), sized(v, "v", m.nv, b.count), sized(u, "u", m.nu, b.count)
    check(LibDiffSim.ds_batch_step(handle(b), q, v, u, q, v, C_NULL))
    (q, v)
end

"    prescribe!(batch, element, dof, velocity)\n\nAs of a [`Sim`](@ref), in one element, counted from 1."
function prescribe!(b::Batch, element, dof, velocity)
    1 <= element <= b.count || throw(ArgumentError("element: expected 1 to $(b.count), got $element"))
    check(LibDiffSim.ds_batch_prescribe(handle(b), element - 1, dof, velocity))
end
