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

"""
    run_episodes!(batch, q0, v0, u; lengths, lower, upper, act0, p)

[`run!`](@ref) in which each element may end early: after its number of `lengths` (0 to N), after the first step whose
state leaves the bounds `lower` or `upper` of (q, v), or before a step that fails, which makes an error. Returns q, v, act,
sensors (columns after an end repeat the last state), steps (how many each element took) and labels (N×count). p: values of
the selected parameters, np×count.
"""
function run_episodes!(b::Batch, q0, v0, u::AbstractArray{<:Any,3}; lengths = nothing, lower = nothing, upper = nothing, act0 = nothing, p = nothing)
    m, steps, count = b.model, size(u, 2), b.count
    np = Int(LibDiffSim.ds_batch_np(handle(b)))
    sized(q0, "q0", m.nq, count), sized(v0, "v0", m.nv, count), sized(u, "u", m.nu, steps, count)
    all_of(x, name, size...) = x === nothing ? Cdouble[] : convert(Array{Cdouble}, sized(x, name, size...))
    inputs = map(x -> convert(Array{Cdouble}, x), (q0, v0, u))
    rest = (all_of(act0, "act0", m.na, count), all_of(p, "p", np, count))
    bounds = (all_of(lower, "lower", m.nq + m.nv), all_of(upper, "upper", m.nq + m.nv))
    lengths === nothing || length(lengths) == count ||
        throw(DimensionMismatch("lengths: expected $count numbers, got $(length(lengths))"))
    longest = lengths === nothing ? Csize_t[] : convert(Vector{Csize_t}, lengths)
    sensordata = m.nsensordata
    q, v, act, data = (fill(NaN, rows, steps + 1, count) for rows in (m.nq, m.nv, m.na, sensordata))
    taken, labels = zeros(Csize_t, count), fill(Int32(3), steps, count)
    at(x) = isempty(x) ? Ptr{eltype(x)}(C_NULL) : pointer(x)
    GC.@preserve inputs rest bounds longest q v act data taken labels begin
        made = LibDiffSim.ds_episodes()
        made.q0, made.v0, made.u = map(at, inputs)
        made.act0, made.p = map(at, rest)
        made.lengths = at(longest)
        made.lower, made.upper = map(at, bounds)
        made.q, made.v, made.act, made.sensors = map(at, (q, v, act, data))
        made.taken, made.labels = at(taken), at(labels)
        check(LibDiffSim.ds_batch_run_episodes(handle(b), steps, made, C_NULL))
    end
    (q = q, v = v, act = act, sensors = data, steps = Int.(taken), labels = labels)
end

"""
    episodes_vjp(batch; q_bar, v_bar, act_bar, sensors_bar)

[`vjp`](@ref) of the last trajectories of [`run_episodes!`](@ref) and their sensor values: the derivative of the steps taken.
Omitted gradients are zero.
"""
function episodes_vjp(b::Batch; q_bar = nothing, v_bar = nothing, act_bar = nothing, sensors_bar = nothing)
    m, np, count = b.model, Int(LibDiffSim.ds_batch_np(handle(b))), b.count
    n = Int(LibDiffSim.ds_batch_rollout_steps(handle(b)))
    sensordata = m.nsensordata
    all_of(x, name, rows) = x === nothing ? Cdouble[] : convert(Array{Cdouble}, sized(x, name, rows, n + 1, count))
    bars = (all_of(q_bar, "q_bar", m.nv), all_of(v_bar, "v_bar", m.nv), all_of(act_bar, "act_bar", m.na),
            all_of(sensors_bar, "sensors_bar", sensordata))
    q0, v0, act0, p = (fill(NaN, rows, count) for rows in (m.nv, m.nv, m.na, np))
    u = fill(NaN, m.nu, n, count)
    at(x) = isempty(x) ? Ptr{Cdouble}(C_NULL) : pointer(x)
    GC.@preserve bars q0 v0 act0 u p begin
        made = LibDiffSim.ds_episodes_bars()
        made.q_bar, made.v_bar, made.act_bar, made.sensors_bar = map(at, bars)
        made.q0_bar, made.v0_bar, made.act0_bar, made.u_bar, made.p_bar = map(at, (q0, v0, act0, u, p))
        check(LibDiffSim.ds_batch_episodes_adjoint(handle(b), made, C_NULL))
    end
    (q0_bar = q0, v0_bar = v0, act0_bar = act0, u_bar = u, p_bar = p)
end

"    prescribe!(batch, element, dof, velocity)\n\nPrescribes the velocity of a dof of one element, counted from 1; see `prescribe!` of a [`Sim`](@ref)."
function prescribe!(b::Batch, element, dof, velocity)
    1 <= element <= b.count || throw(ArgumentError("element: expected 1 to $(b.count), got $element"))
    check(LibDiffSim.ds_batch_prescribe(handle(b), element - 1, dof, velocity))
end
