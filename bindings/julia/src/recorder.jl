"""
    Recorder(model; rate = 60, capacity = 2^24)

Records frames of a sim, rollout or batch at `rate` frames a second (0: every step) into `capacity` bytes. [`save`](@ref) writes the
recording; see docs/recording.md.
"""
mutable struct Recorder
    handle::Ptr{Cvoid}
    model::Model
    function Recorder(model::Model; rate = 60, capacity = 2^24)
        options = LibDiffSim.ds_recorder_options()
        options.rate, options.capacity = rate, capacity
        out = Ref{Ptr{Cvoid}}(C_NULL)
        check(LibDiffSim.ds_recorder_create(handle(model), options, out))
        finalizer(close, new(out[], model))
    end
end

function Base.close(r::Recorder)
    LibDiffSim.ds_recorder_free(r.handle)
    r.handle = C_NULL
    nothing
end

"""
    record!(recorder, sim)
    record!(recorder, batch, element)
    record!(recorder, rollout; q0_bar, v0_bar, u_bar)

Records a frame of the last step if one is due, or all frames of a rollout's last run. Gradients of [`vjp`](@ref) are shown as
arrows. `element` counts from 1.
"""
record!(r::Recorder, s::Sim) = check(LibDiffSim.ds_recorder_step(handle(r), handle(s)))
record!(r::Recorder, b::Batch, element::Integer) =
    check(LibDiffSim.ds_recorder_batch_step(handle(r), handle(b), element - 1))
function record!(r::Recorder, t::Rollout; q0_bar = nothing, v0_bar = nothing, u_bar = nothing)
    m = r.model
    check(LibDiffSim.ds_recorder_rollout(handle(r), handle(t), optional(q0_bar, "q0_bar", m.nv),
        optional(v0_bar, "v0_bar", m.nv), optional(u_bar, "u_bar", m.nu, t.steps)))
end

"""
    surface!(recorder, name, points, triangles; color = (0.6, 0.6, 0.6, 1.0))

Shows a surface from the next frame on, until you set the name again: `points` 3×n [m], world axes; `triangles`
3×m, numbers of points from 1; red, green, blue and opacity from 0 to 1. An empty one (`zeros(3, 0)`) removes it.
"""
function surface!(r::Recorder, name::AbstractString, points::AbstractMatrix, triangles::AbstractMatrix{<:Integer} = zeros(Int, 3, 0);
        color = (0.6, 0.6, 0.6, 1.0))
    n, m = size(points, 2), size(triangles, 2)
    sized(points, "points", 3, n)
    size(triangles, 1) == 3 || throw(DimensionMismatch("triangles: expected 3×m numbers, got $(join(size(triangles), "×"))"))
    all(i -> 1 <= i <= n, triangles) || throw(ArgumentError("triangles: expected numbers from 1 to $n"))
    length(color) == 4 || throw(DimensionMismatch("color: expected 4 numbers, got $(length(color))"))
    check(LibDiffSim.ds_recorder_surface(handle(r), name, points, n, UInt32.(triangles .- 1), m, collect(Cfloat, color)))
end

"""
    save(recorder, path)

Writes the frames that the recorder holds as a recording.
"""
save(r::Recorder, path::AbstractString) = check(LibDiffSim.ds_recorder_save(handle(r), path))
