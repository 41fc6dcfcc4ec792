const PROBLEM_LAWS =
    (ncp = LibDiffSim.DS_CONTACT_NCP, lcp = LibDiffSim.DS_CONTACT_LCP, convex = LibDiffSim.DS_CONTACT_CONVEX)

"""
    Problem(nv; law = :ncp, max_contacts = 32, tolerance, max_iterations)

Solves contact problems of an engine with its own dynamics, and differentiates the last one. Use it from one task at a time.
`law` is `:ncp`, `:lcp` or `:convex`.

With n contacts a problem is v = v_free + A⁻¹ Jᵀ impulse, sigma = J v + target, and the law of contact between sigma and the
impulses: `A` nv×nv, symmetric and positive definite; `J` 3n×nv, rows t1, t2, n of each contact; `v_free` nv; `target` 3n
[m/s]; `friction` n coefficients; `compliance` 3n, with `:convex` the diagonal of R [m/(s N s)], else `nothing`.
"""
mutable struct Problem
    handle::Ptr{Cvoid}
    nv::Int
    yields::Bool
    contacts::Int
    function Problem(nv::Integer; law = :ncp, fields...)
        made = LibDiffSim.ds_problem_options()
        made.law = choice(PROBLEM_LAWS, "law", law)
        made.nv = nv
        for (name, value) in fields
            known = (:max_contacts, :tolerance, :max_iterations)
            name in known || throw(ArgumentError("expected one of $known, got $name"))
            setproperty!(made, name, convert(fieldtype(typeof(made), name), value))
        end
        out = Ref{Ptr{Cvoid}}(C_NULL)
        check(LibDiffSim.ds_problem_create(made, out))
        finalizer(close, new(out[], nv, law == :convex, 0))
    end
end

function Base.close(p::Problem)
    LibDiffSim.ds_problem_free(p.handle)
    p.handle = C_NULL
    nothing
end

"""
    solve!(problem, A, J, v_free, target, friction, compliance = nothing)

The velocity and the impulses (t1, t2, n of each contact [N s]) as (v, impulse); [`step_info`](@ref) has the residual. If
the number of contacts is that of the last problem, its impulses are the warm start; `reset!` forgets them.
"""
function solve!(p::Problem, A, J, v_free, target, friction, compliance = nothing)
    n, nv = length(friction), p.nv
    sized(A, "A", nv, nv), sized(J, "J", 3n, nv), sized(v_free, "v_free", nv), sized(target, "target", 3n)
    sized(friction, "friction", n)
    v, impulse = Vector{Float64}(undef, nv), Vector{Float64}(undef, 3n)
    check(
        LibDiffSim.ds_problem_solve(
            handle(p), n, A, J, v_free, target, friction, optional(compliance, "compliance", 3n), v, impulse, C_NULL,
        ),
    )
    p.contacts = n
    (v = v, impulse = impulse)
end

"""
    jvp(problem; dA, dJ, dv_free, dtarget, dfriction, dcompliance)

Forward mode: the variation (dv, dimpulse) of the last solution for variations of the problem's data; the symmetric part of `dA`
counts. Afterwards `step_info(problem).gradient` is the label of the derivative along this direction.
"""
function jvp(
    p::Problem;
    dA = nothing,
    dJ = nothing,
    dv_free = nothing,
    dtarget = nothing,
    dfriction = nothing,
    dcompliance = nothing,
)
    n, nv = p.contacts, p.nv
    given = (
        optional(dA, "dA", nv, nv),
        optional(dJ, "dJ", 3n, nv),
        optional(dv_free, "dv_free", nv),
        optional(dtarget, "dtarget", 3n),
        optional(dfriction, "dfriction", n),
        optional(dcompliance, "dcompliance", 3n),
    )
    dv, dimpulse = Vector{Float64}(undef, nv), Vector{Float64}(undef, 3n)
    check(LibDiffSim.ds_problem_jvp(handle(p), given..., dv, dimpulse))
    (dv = dv, dimpulse = dimpulse)
end

"""
    vjp(problem, v_bar, impulse_bar = nothing)

Reverse mode: given the gradient of a function by the last solution, its gradient by `A` (symmetric), `J`, `v_free`,
`target`, `friction` and, with `:convex`, `compliance` (else empty).
"""
function vjp(p::Problem, v_bar, impulse_bar = nothing)
    n, nv = p.contacts, p.nv
    given = (optional(v_bar, "v_bar", nv), optional(impulse_bar, "impulse_bar", 3n))
    A, J = Matrix{Float64}(undef, nv, nv), Matrix{Float64}(undef, 3n, nv)
    v_free, target, friction = map(n -> Vector{Float64}(undef, n), (nv, 3n, n))
    compliance = Vector{Float64}(undef, p.yields ? 3n : 0)
    to_compliance = p.yields ? compliance : C_NULL
    check(LibDiffSim.ds_problem_vjp(handle(p), given..., A, J, v_free, target, friction, to_compliance))
    (A = A, J = J, v_free = v_free, target = target, friction = friction, compliance = compliance)
end

"Facts about the last solve, as `step_info` of a sim; `gradient` is the label of the last derivative."
function step_info(p::Problem)
    out = Ref{LibDiffSim.ds_step_info}()
    check(LibDiffSim.ds_problem_info(handle(p), out))
    told(out[])
end

const MODES = Dict(
    LibDiffSim.DS_MODE_BREAKING => :breaking,
    LibDiffSim.DS_MODE_STICKING => :sticking,
    LibDiffSim.DS_MODE_SLIDING => :sliding,
)

"    modes(problem)\n\nMode of each contact of the last solve: `:breaking`, `:sticking` or `:sliding`."
function modes(p::Problem)
    out = Vector{Int32}(undef, p.contacts)
    check(LibDiffSim.ds_problem_modes(handle(p), out))
    map(mode -> get(MODES, mode, :unknown), out)
end

"""
    impulses_unique(problem)

True if the impulses of the last velocity are known to be unique. If not, the solution has the least norm, and of its derivative
only A⁻¹ Jᵀ dimpulse is determined.
"""
function impulses_unique(p::Problem)
    out = Ref{Int32}(0)
    check(LibDiffSim.ds_problem_impulses_unique(handle(p), out))
    out[] == 1
end

"Forgets the last solution, which is also the warm start of the next one."
reset!(p::Problem) = check(LibDiffSim.ds_problem_reset(handle(p)))
