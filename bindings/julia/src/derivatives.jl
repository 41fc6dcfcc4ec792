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
    jacobian_pattern(sim)

Structural nonzeros of the last step's Jacobians, in compressed columns that count from one: a named tuple of `number`,
`state_starts` and `state_rows` of the columns by q and v, `input_starts` and `input_rows` of the columns by u. Patterns of one
simulation with the same number are equal; the number changes if other bodies touch.
"""
function jacobian_pattern(s::Sim)
    entries = Ref(LibDiffSim.ds_jacobian_entries(0, 0, 0))
    check(LibDiffSim.ds_sim_jacobian_entries(handle(s), entries))
    e = entries[]
    sizes = (s.model.nv + 1, Int(e.by_state), s.model.nu + 1, Int(e.by_input))
    arrays = map(n -> Vector{Int32}(undef, n), sizes)
    check(LibDiffSim.ds_sim_jacobian_pattern(handle(s), entries, arrays...))
    foreach(x -> x .+= Int32(1), arrays)
    NamedTuple{(:number, :state_starts, :state_rows, :input_starts, :input_rows)}((e.pattern, arrays...))
end

"""
    sparse_jacobians(sim, pattern)

Values of the last step's Jacobians at the entries of its [`jacobian_pattern`](@ref), as a named tuple with fields such as
`dv_dq`, of which `SparseMatrixCSC(nv, nv, pattern.state_starts, pattern.state_rows, J.dv_dq)` is the matrix.
"""
function sparse_jacobians(s::Sim, pattern)
    by_state, by_input = length(pattern.state_rows), length(pattern.input_rows)
    sizes = (by_state, by_state, by_input, 0, by_state, by_state, by_input, 0)
    values = map(n -> Vector{Float64}(undef, n), sizes)
    entries = Ref(LibDiffSim.ds_jacobian_entries(by_state, by_input, pattern.number))
    GC.@preserve values begin
        pointers = map(x -> isempty(x) ? Ptr{Cdouble}(C_NULL) : pointer(x), values)
        out = Ref(LibDiffSim.ds_step_jacobians(pointers...))
        check(LibDiffSim.ds_sim_step_jacobians_sparse(handle(s), entries, out))
    end
    all = NamedTuple{fieldnames(LibDiffSim.ds_step_jacobians)}(values)
    NamedTuple{(:dq_dq, :dq_dv, :dq_du, :dv_dq, :dv_dv, :dv_du)}(all)
end

"""
    jvp(sim; dq = nothing, dv = nothing, du = nothing, dp = nothing)

Forward mode: the variations (dq_next, dv_next) of the last step's result for variations of its arguments.
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

Reverse mode: from the gradient of a function by the last step's result (`nv` numbers each, tangent at the next configuration)
to its gradient (q_bar, v_bar, u_bar, p_bar) by the arguments.
"""
function vjp(s::Sim, q_next_bar, v_next_bar)
    m = s.model
    bars = map(n -> Vector{Float64}(undef, n), (m.nv, m.nv, m.nu, s.np))
    sized(q_next_bar, "q_next_bar", m.nv), sized(v_next_bar, "v_next_bar", m.nv)
    check(LibDiffSim.ds_sim_step_vjp(handle(s), q_next_bar, v_next_bar, bars...))
    NamedTuple{(:q_bar, :v_bar, :u_bar, :p_bar)}(bars)
end

"""
    vjp_aware(sim, q_next_bar, v_next_bar)

[`vjp`](@ref), or the complementarity-aware gradient where it is larger: it also sees the other modes of contacts that hold or
are open. `other` is true if it is the aware one.
"""
function vjp_aware(s::Sim, q_next_bar, v_next_bar)
    m = s.model
    bars, which = map(n -> Vector{Float64}(undef, n), (m.nv, m.nv, m.nu, s.np)), Ref{Int32}(0)
    sized(q_next_bar, "q_next_bar", m.nv), sized(v_next_bar, "v_next_bar", m.nv)
    check(LibDiffSim.ds_sim_step_vjp_aware(handle(s), q_next_bar, v_next_bar, bars..., which))
    NamedTuple{(:q_bar, :v_bar, :u_bar, :p_bar, :other)}((bars..., which[] == 1))
end

"""
    column_labels(sim)

Labels of the single columns of the last step's derivative, by q, v, u and p: 0 exact, 1 one-sided.
"""
function column_labels(s::Sim)
    m = s.model
    labels = map(n -> zeros(UInt8, n), (m.nv, m.nv, m.nu, s.np))
    check(LibDiffSim.ds_sim_column_labels(handle(s), labels...))
    NamedTuple{(:q, :v, :u, :p)}(labels)
end

"""
    aware_contacts(sim)

Number of contacts and limits that the last [`vjp_aware`](@ref) took in another mode than the step.
"""
function aware_contacts(s::Sim)
    out = Ref{Csize_t}(0)
    check(LibDiffSim.ds_sim_aware_contacts(handle(s), out))
    Int(out[])
end

"""
    linearize(sim, q, v, u)

Takes a step and returns its linear model (A, B): (δq⁺, δv⁺) = A (δq, δv) + B δu, 2nv×2nv and 2nv×nu, equal to the Jacobians of the
step to the bit.
"""
function linearize(s::Sim, q, v, u)
    m = s.model
    A, B = Matrix{Float64}(undef, 2m.nv, 2m.nv), Matrix{Float64}(undef, 2m.nv, m.nu)
    check(LibDiffSim.ds_sim_linearize(handle(s), sized(q, "q", m.nq), sized(v, "v", m.nv), sized(u, "u", m.nu), A, B))
    (A = A, B = B)
end
