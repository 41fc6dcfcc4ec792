"""
    Ik(model; tolerance, max_iterations, max_restarts, seed, equality_weight, limits)

Solves inverse kinematics of one model within its joint limits. Add tasks once ([`add_frame!`](@ref), [`add_center_of_mass!`](@ref),
[`add_posture!`](@ref)), and set their targets as often as you like. Tasks that contradict each other are weighed. Use it from one
Julia task at a time. Keywords are the fields of `ds_ik_options`: `tolerance`, the largest residual of a solved task [m, rad];
`max_iterations` of each start; `max_restarts`, further starts at random configurations (from `seed`) if the first one does not solve
the tasks; `equality_weight` of the model's equalities, 0 to ignore them; `limits`, true to respect joint limits.

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

Adds a frame on a body and returns the task's number. `placement`: 4×4, the frame in that of the body; `nothing` for the body's
own. `axes`: factors of the weight, position along the world's axes and rotation about the target's, 0 for a free direction
(position only: `(1, 1, 1, 0, 0, 0)`). `tolerance`: 0 for that of the solver, `Inf` for a preference. Target: 4×4.
"""
function add_frame!(ik::Ik, body, placement = nothing; weight = 1, axes = (1, 1, 1, 1, 1, 1), tolerance = 0)
    at = placement === nothing ? nothing : vec(sized(convert(Matrix{Float64}, placement), "placement", 4, 4))
    fields = (body = body, placement = at, weight = weight, axes = axes, tolerance = tolerance)
    add_task!(ik, LibDiffSim.DS_IK_FRAME, fields)
end

"    add_center_of_mass!(ik; weight = 1, axes = (1, 1, 1), tolerance = 0)\n\nAdds the centre of mass of all moving bodies and returns the task's number. Target: 3 numbers."
function add_center_of_mass!(ik::Ik; weight = 1, axes = (1, 1, 1), tolerance = 0)
    length(axes) == 3 || throw(DimensionMismatch("axes: expected 3 numbers, got $(length(axes))"))
    add_task!(ik, LibDiffSim.DS_IK_CENTER_OF_MASS, (weight = weight, axes = (axes..., 1, 1, 1), tolerance = tolerance))
end

"""
    add_posture!(ik; weight = 1, dofs = nothing, tolerance = 0)

Adds the configuration itself and returns the task's number: a preference, unless it has a tolerance. `dofs`: factors of the
weight, nv numbers. Target: nq numbers.
"""
function add_posture!(ik::Ik; weight = 1, dofs = nothing, tolerance = 0)
    factors = dofs === nothing ? nothing : sized(convert(Vector{Float64}, dofs), "dofs", ik.model.nv)
    add_task!(ik, LibDiffSim.DS_IK_POSTURE, (weight = weight, dofs = factors, tolerance = tolerance))
end

"    set_target!(ik, task, target)\n\nSets the target of a task: a 4×4 placement, 3 numbers, or nq. Forgets the last solution."
function set_target!(ik::Ik, task, target)
    n = Int(LibDiffSim.ds_ik_target_size(handle(ik), task))
    # The library's own message for an invalid task.
    n == 0 || sized(target, "target", (n == 16 && ndims(target) == 2 ? (4, 4) : (n,))...)
    check(LibDiffSim.ds_ik_set_target(ik.handle, task, target))
end

"    set_weight!(ik, task, weight)\n\nSets the weight of a task; 0 to ignore it. Forgets the last solution."
set_weight!(ik::Ik, task, weight) = check(LibDiffSim.ds_ik_set_weight(handle(ik), task, weight))

const IK_OUTCOMES = (
    solved = LibDiffSim.DS_IK_SOLVED,
    stationary = LibDiffSim.DS_IK_STATIONARY,
    iterations = LibDiffSim.DS_IK_ITERATIONS,
)

"""
    solve!(ik, q0)

Searches from `q0`. Returns (q, info): the configuration, and the `outcome` (`:solved`, `:stationary` or `:iterations`), `iterations`,
`restarts`, the largest `residual` of tasks with a tolerance [m, rad], the `objective`, the largest entry of its `slope` at a dof that
is not at a limit, and the `equality_residual`. If tasks are not met, this is no error; see the outcome.
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

Label of the derivative of the last solution, `:exact` or `:one_sided`, and whether the solution is locally unique: (gradient,
unique). If it is not unique, the derivative is that of the least-norm motion that follows the targets.
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
