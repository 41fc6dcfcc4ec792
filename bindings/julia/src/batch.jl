"""
    Batch(model, count; threads = 0, options...)

`count` simulations of a model, each with its own warm start, which step together on `threads` threads (0: one for each core).
The number of threads changes no bit of a result. Options: see [`Sim`](@ref).
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

Advances all states in place: nq×count, nv×count, nu×count. A state whose step fails does not change; the error names the first
one.
"""
function batch_step!(b::Batch, q, v, u)
    m = b.model
    sized(q, "q", m.nq, b.count), sized(v, "v", m.nv, b.count), sized(u, "u", m.nu, b.count)
    check(LibDiffSim.ds_batch_step(handle(b), q, v, u, q, v, C_NULL))
    (q, v)
end

"""
    run!(batch, q0, v0, u)

Runs N steps of every element: q0 (nq×count), v0 (nv×count), u (nu×N×count). Returns the trajectories (q, v), nq×(N+1)×count and
nv×(N+1)×count, the initial state first. Each element gives the bits of a [`Rollout`](@ref) with its parameters. If an element
fails, the error names it.
"""
function run!(b::Batch, q0, v0, u::AbstractArray{<:Any,3})
    m, steps = b.model, size(u, 2)
    q, v = fill(NaN, m.nq, steps + 1, b.count), fill(NaN, m.nv, steps + 1, b.count)
    sized(q0, "q0", m.nq, b.count), sized(v0, "v0", m.nv, b.count), sized(u, "u", m.nu, steps, b.count)
    check(LibDiffSim.ds_batch_rollout(handle(b), steps, q0, v0, u, q, v, C_NULL))
    (q = q, v = v)
end

"""
    vjp(batch, q_bar, v_bar)

Adjoint of the last [`run!`](@ref): from the gradient by the states (nv×(N+1)×count each, positions in tangent coordinates)
to (q0_bar, v0_bar, u_bar, p_bar), element by element.
"""
function vjp(b::Batch, q_bar, v_bar)
    m, np = b.model, Int(LibDiffSim.ds_batch_np(handle(b)))
    n = Int(LibDiffSim.ds_batch_rollout_steps(handle(b)))
    sized(q_bar, "q_bar", m.nv, n + 1, b.count), sized(v_bar, "v_bar", m.nv, n + 1, b.count)
    q0_bar, v0_bar = fill(NaN, m.nv, b.count), fill(NaN, m.nv, b.count)
    u_bar, p_bar = fill(NaN, m.nu, n, b.count), fill(NaN, np, b.count)
    check(LibDiffSim.ds_batch_rollout_adjoint(handle(b), q_bar, v_bar, q0_bar, v0_bar, u_bar, p_bar, C_NULL))
    (q0_bar = q0_bar, v0_bar = v0_bar, u_bar = u_bar, p_bar = p_bar)
end

"    prescribe!(batch, element, dof, velocity)\n\nPrescribes the velocity of a dof of one element, counted from 1; see `prescribe!` of a [`Sim`](@ref)."
function prescribe!(b::Batch, element, dof, velocity)
    1 <= element <= b.count || throw(ArgumentError("element: expected 1 to $(b.count), got $element"))
    check(LibDiffSim.ds_batch_prescribe(handle(b), element - 1, dof, velocity))
end
