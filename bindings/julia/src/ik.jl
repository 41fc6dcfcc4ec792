"""
    Ik(model; tolerance, max_iterations, max_restarts, seed, equality_weight, limits)

Solves inverse kinematics of one model within the bounds of its joints. Tasks are added once ([`add_frame!`](@ref),
[`add_center_of_mass!`](@ref), [`add_posture!`](@ref)), their targets set as often as wanted; tasks that no configuration meets
together are weighed against each other. One task of Julia's at a time. Keywords are the fields of `ds_ik_options`: `tolerance`,
the largest residual that counts as solved [m, rad]; `max_iterations` of each start; `max_restarts` further starts at random
configurations of `seed` where the first does not solve the tasks; `equality_weight` of the model's equalities, 0 leaves them
out; `limits`, whether bounds hold.

    ik = Ik(model; max_restarts = 10)
    hand = add_frame!(ik, body_id(model, "hand"))
    set_target!(ik, hand, placement)
    q, info = solve!(ik, neutral(model))
"""
mutable struct Ik
    handle::Ptr{Cvoid}
    model::Model
    function Ik(model::Model; fields...)
        made = LibDiffSim.ds_ik_options()
        for (name, value) in fields
            known = (:tolerance, :max_iterations, :max_restarts, :seed, :equality_weight, :limits)
            name in known || throw(ArgumentError("expected one of $known, got $name"))
            setproperty!(made, name, convert(fieldtype(typeof(made), name), value))
        end
        out = Ref{Ptr{Cvoid}}(C_NULL)
        check(LibDiffSim.ds_ik_create(handle(model), made, out))
        finalizer(close, new(out[], model))
    end
end

function Base.close(ik::Ik)
    LibDiffSim.ds_ik_free(ik.handle)
    ik.handle = C_NULL
    nothing
end

function add_task!(ik::Ik, kind, fields)
    number = Ref{Int32}(-1)
    described(made -> LibDiffSim.ds_ik_add_task(handle(ik), made, number), LibDiffSim.ds_ik_task(), (kind = kind, fields...))
    Int(number[])
end

"""
    add_frame!(ik, body, placement = nothing; weight = 1, axes = (1, 1, 1, 1, 1, 1), tolerance = 0)

Adds a frame on a body and gives the task's number. `placement`: 4×4, the frame in that of the body; `nothing` for the body's
own. `axes`: factors of the weight, position along the world's axes and rotation about the target's, 0 for what is left free (a
position: `(1, 1, 1, 0, 0, 0)`). `tolerance`: 0 for that of the solver, `Inf` for a preference. Target: 4×4.
"""
function add_frame!(ik::Ik, body, placement = nothing; weight = 1, axes = (1, 1, 1, 1, 1, 1), tolerance = 0)
    at = placement === nothing ? nothing : vec(sized(convert(Matrix{Float64}, placement), "placement", 4, 4))
    fields = (body = body, placement = at, weight = weight, axes = axes, tolerance = tolerance)
    add_task!(ik, LibDiffSim.DS_IK_FRAME, fields)
end

"    add_center_of_mass!(ik; weight = 1, axes = (1, 1, 1), tolerance = 0)\n\nAdds the centre of mass of all that moves and gives the task's number. Target: 3 numbers."
function add_center_of_mass!(ik::Ik; weight = 1, axes = (1, 1, 1), tolerance = 0)
    length(axes) == 3 || throw(DimensionMismatch("axes: expected 3 numbers, got $(length(axes))"))
    add_task!(ik, LibDiffSim.DS_IK_CENTER_OF_MASS, (weight = weight, axes = (axes..., 1, 1, 1), tolerance = tolerance))
end

"""
    add_posture!(ik; weight = 1, dofs = nothing, tolerance = 0)

Adds the configuration itself and gives the task's number: a preference, unless there is a tolerance. `dofs`: factors of the
weight, nv numbers. Target: nq numbers.
"""
function add_posture!(ik::Ik; weight = 1, dofs = nothing, tolerance = 0)
    factors = dofs === nothing ? nothing : sized(convert(Vector{Float64}, dofs), "dofs", ik.model.nv)
    add_task!(ik, LibDiffSim.DS_IK_POSTURE, (weight = weight, dofs = factors, tolerance = tolerance))
end

"    set_target!(ik, task, target)\n\nSets where a task should be: a 4×4 placement, 3 numbers, or nq. The last solution is forgotten."
function set_target!(ik::Ik, task, target)
    n = Int(LibDiffSim.ds_ik_target_size(handle(ik), task))
    # The library's own words for a number that is no task's.
    n == 0 || sized(target, "target", (n == 16 && ndims(target) == 2 ? (4, 4) : (n,))...)
    check(LibDiffSim.ds_ik_set_target(ik.handle, task, target))
end

"    set_weight!(ik, task, weight)\n\nSets the weight of a task; 0 leaves it out. The last solution is forgotten."
set_weight!(ik::Ik, task, weight) = check(LibDiffSim.ds_ik_set_weight(handle(ik), task, weight))

const IK_OUTCOMES = (
    solved = LibDiffSim.DS_IK_SOLVED,
    stationary = LibDiffSim.DS_IK_STATIONARY,
    iterations = LibDiffSim.DS_IK_ITERATIONS,
)

"""
    solve!(ik, q0)

The configuration found from `q0`, and how the search went: (q, info), where `info` has the `outcome` (`:solved`, `:stationary`
or `:iterations`), `iterations` and `restarts`, the largest `residual` of what has a tolerance [m, rad], the `objective`, the
largest entry of its `slope` that no bound holds, and the `equality_residual`. Tasks that are not met are no error: the outcome
says so.
"""
function solve!(ik::Ik, q0)
    q, out = Vector{Float64}(undef, ik.model.nq), Ref{LibDiffSim.ds_ik_info}()
    check(LibDiffSim.ds_ik_solve(handle(ik), sized(q0, "q0", ik.model.nq), q, out))
    i = out[]
    info = (
        outcome = named(IK_OUTCOMES, i.outcome),
        iterations = Int(i.iterations),
        restarts = Int(i.restarts),
        residual = i.residual,
        objective = i.objective,
        slope = i.slope,
        equality_residual = i.equality_residual,
    )
    (q = q, info = info)
end

"""
    residual(ik, task)

Residual of a task at the last solution, unweighted: 6 numbers of a frame (position along the world's axes, rotation vector along
the target's), 3 of the centre of mass, nv of a posture.
"""
function residual(ik::Ik, task)
    out = Vector{Float64}(undef, LibDiffSim.ds_ik_residual_size(handle(ik), task))
    check(LibDiffSim.ds_ik_residual(ik.handle, task, out))
    out
end

"""
    gradient_kind(ik)

What the derivative of the last solution is, `:exact` or `:one_sided`, and whether the solution is the only one near by:
(gradient, unique). Where it is not, the derivative is that of the motion of least norm that goes along with the targets.
"""
function gradient_kind(ik::Ik)
    kind, unique = Ref{Int32}(0), Ref{Int32}(0)
    check(LibDiffSim.ds_ik_gradient(handle(ik), kind, unique))
    (gradient = get(GRADIENTS, kind[], :refused), unique = unique[] == 1)
end

variation_size(ik::Ik) = Int(LibDiffSim.ds_ik_variation_size(handle(ik)))

"""
    jacobians(ik)

Derivative of the last solution (tangent, nv rows) by the variations of all targets, task after task: of a frame 6 numbers along
the world's axes (linear; angular), of the centre of mass 3, of a posture its tangent.
"""
function jacobians(ik::Ik)
    out = Matrix{Float64}(undef, ik.model.nv, variation_size(ik))
    check(LibDiffSim.ds_ik_jacobian(handle(ik), out))
    out
end

"    jvp(ik, dtarget)\n\nForward mode: the variation of the last solution (tangent) for one of all targets."
function jvp(ik::Ik, dtarget)
    out = Vector{Float64}(undef, ik.model.nv)
    check(LibDiffSim.ds_ik_jvp(handle(ik), sized(dtarget, "dtarget", variation_size(ik)), out))
    out
end

"    vjp(ik, q_bar)\n\nReverse mode: the gradient by all targets of a function of the last solution with gradient `q_bar` (tangent)."
function vjp(ik::Ik, q_bar)
    out = Vector{Float64}(undef, variation_size(ik))
    check(LibDiffSim.ds_ik_vjp(handle(ik), sized(q_bar, "q_bar", ik.model.nv), out))
    out
end
