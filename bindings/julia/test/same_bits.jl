# The trajectories and derivatives of ctests/reference.c, where they are described, bit for bit.

const MASS = Param(:body_inertia, 1)

pattern(n, factor, modulus, shift) = [Float64(factor * i % modulus + shift) for i in 0:n-1]

"Calls `put` on all arrays, in the file's order."
function reference(put, model)
    q, u0 = neutral(model), zeros(model.nu)
    for name in keyframe_names(model)[1:min(1, end)]
        q, _, u0 = keyframe(model, name)
    end
    v = pattern(model.nv, 5, 7, -3) / 8
    u = [u0[i+1] + ((7i + 3t) % 11 - 5.0) / 32 for i in 0:model.nu-1, t in 0:59]
    q_bar, v_bar = pattern(model.nv, 3, 5, -2), pattern(model.nv, 2, 3, -1)
    q0, v0 = copy(q), copy(v)

    sim = Sim(model; time_step = 1 / 512)
    select_params!(sim, [MASS])
    for t in 1:60
        step!(sim, q, v, u[:, t])
        foreach(put, (q, v))
        t % 10 == 0 || continue
        foreach(put, jacobians(sim))
        foreach(put, vjp(sim, q_bar, v_bar))
    end
    rollout = Rollout(model, 30; time_step = 1 / 512)
    select_params!(rollout, [MASS])
    foreach(put, run!(rollout, q0, v0, u[:, 1:30]))
    foreach(put, vjp(rollout, repeat(q_bar, 1, 31), repeat(v_bar, 1, 31)))
end

@testset "the bits of C" begin
    file = get(ENV, "DIFFSIM_REFERENCE", "")
    if isempty(file)
        @info "DIFFSIM_REFERENCE does not name the file that ctests/reference.c writes: not compared with C"
    else
        want = reinterpret(UInt64, read(file))
        have = UInt64[]
        for name in ("cartpole.xml", "arm7.urdf", "quadruped.xml", "humanoid.xml")
            actuation = endswith(name, ".urdf") ? :full : :file
            reference(load_model(joinpath(MODELS, name); actuation = actuation)) do x
                append!(have, reinterpret(UInt64, vec(x)))
            end
        end
        @test length(have) == length(want)
        @test have == want
    end
end
