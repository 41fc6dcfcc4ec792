"""
    jacobians(sim; by = (:q, :v, :u, :p))

Jacobians of the last step, as a named tuple with fields such as `dv_dq`: `nv` rows each. Positions are differentiated in
tangent coordinates: rows of `dq_*` are the tangent at the next configuration, columns of `*_dq` tangent directions.
"""
function jacobians(s::Sim; by = (:q, :v, :u, :p))
    m = s.model
    columns = (q = m.nv, v = m.nv, u = m.nu, p = s.np)
    all(b -> haskey(columns, b), by) || throw(ArgumentError("by: expected some of $(keys(columns)), got $by"))
    of(b) = b in by && columns[b] > 0 ? Matrix{Float64}(undef, m.nv, columns[b]) : zeros(m.nv, 0)
    blocks = (of(:q), of(:v), of(:u), of(:p), of(:q), of(:v), of(:u), of(:p))
    GC.@preserve blocks begin
        pointers = map(b -> isempty(b) ? Ptr{Cdouble}(C_NULL) : pointer(b), blocks)
        check(LibDiffSim.ds_sim_step_jacobians(handle(s), Ref(LibDiffSim.ds_step_jacobians(pointers...))))
    end
    NamedTuple{fieldnames(LibDiffSim.ds_step_jacobians)}(blocks)
end

"""
    jvp(sim; dq = nothing, dv = nothing, du = nothing, dp = nothing)

Forward mode: the variations (dq_next, dv_next) of the last step's result for variations of what went in.
"""
function jvp(s::Sim; dq = nothing, dv = nothing, du = nothing, dp = nothing)
    m = s.model
    given = (optional(dq, "dq", m.nv), optional(dv, "dv", m.nv), optional(du, "du", m.nu), optional(dp, "dp", s.np))
    dq_next, dv_next = Vector{Float64}(undef, m.nv), Vector{Float64}(undef, m.nv)
    check(LibDiffSim.ds_sim_step_jvp(handle(s), given..., dq_next, dv_next))
    (dq_next = dq_next, dv_next = dv_next)
end

"""
    vjp(sim, q_next_bar, v_next_bar)

Reverse mode: given the gradient of a function by the last step's result (`nv` numbers each, tangent at the next
configuration), its gradient (q_bar, v_bar, u_bar, p_bar) by what went in.
"""
function vjp(s::Sim, q_next_bar, v_next_bar)
    m = s.model
    bars = map(n -> Vector{Float64}(undef, n), (m.nv, m.nv, m.nu, s.np))
    sized(q_next_bar, "q_next_bar", m.nv), sized(v_next_bar, "v_next_bar", m.nv)
    check(LibDiffSim.ds_sim_step_vjp(handle(s), q_next_bar, v_next_bar, bars...))
    NamedTuple{(:q_bar, :v_bar, :u_bar, :p_bar)}(bars)
end
