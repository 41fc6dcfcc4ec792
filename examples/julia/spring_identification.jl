# Finds the stiffness and damping of the springs of a small crane from a recorded motion, by Levenberg and
# Marquardt's method on the exact derivatives of an implicit formula.
#
#     julia --project=bindings/julia examples/julia/spring_identification.jl [FOLDER]
#
# Writes spring_identification.dsrec, the motion with the parameters found, into FOLDER (default: target).
#
# A jib is hinged to a wall by a rubber bush and held by a stay that only pulls. A load hangs from its tip on
# a coil spring and swings. The recording has velocities every 4 ms, with noise, of a motion computed with
# steps a twentieth as long: this is the rig. The unknowns are stiffness and damping of all three, and the
# length at which the stay becomes taut. The stay shakes the jib
# at 32 Hz, eight records for each period: a first-order formula adds damping of its own, which appears in the
# parameters. The program compares SDIRK2, of second order, with BDF1.

module SpringIdentification

using DiffSim
using LinearAlgebra
using Printf

const STEPS, PERIOD = 250, 0.004
const RIG = 20
const NAMES = [
    "bush, stiffness [N m/rad]", "bush, damping [N m s/rad]", "stay, stiffness [N/m]", "stay, damping [N s/m]",
    "stay, length [m]", "coil, stiffness [N/m]", "coil, damping [N s/m]",
]
const TRUTH = [40.0, 0.6, 24000.0, 25.0, 1.1, 300.0, 4.0]
const GUESS = [60.0, 0.3, 15000.0, 60.0, 1.105, 200.0, 8.0]

function crane()
    b = Builder()
    rod(mass, length) = inertia_from_com(mass, [length / 2, 0, 0], mass * length^2 / 12 * [0, 0, 1, 0, 0, 1] + [1e-3, 0, 0, 0, 0, 0])
    jib = add_body!(b, 0, "jib"; inertia = rod(3.0, 1.0))
    add_joint!(b, jib; name = "bush", axis = [0, 1, 0], stiffness = TRUTH[1], damping = TRUTH[2])
    add_geom!(b, jib; kind = :capsule, size = [0.03, 0.5, 0], placement = [0 0 1 0.5; 0 1 0 0; -1 0 0 0; 0 0 0 1])
    load = add_body!(b, 0, "load"; placement = [1 0 0 0.9; 0 1 0 0; 0 0 1 -0.35; 0 0 0 1], inertia = inertia_from_com(2.0, zeros(3), 5e-3 * [1, 0, 1, 0, 0, 1]))
    add_joint!(b, load; kind = :translation, name = "load")
    add_geom!(b, load; kind = :sphere, size = [0.06, 0, 0])
    add_tendon!(b; bodies = [0, jib], anchors = [0 0.8; 0 0; 0.75 0], name = "stay", pull_only = true, stiffness = TRUTH[3], damping = TRUTH[4],
        rest_lower = 0.0, rest_upper = TRUTH[5])
    add_spring!(b; name = "coil", body1 = jib, anchor1 = [0.9, 0, 0], body2 = load, stiffness = TRUTH[6], damping = TRUTH[7])
    build(b)
end

parameters(model) = [
    [Param(kind, joint_id(model, "bush")) for kind in (:joint_stiffness, :joint_damping)]
    [Param(:tendon, tendon_id(model, "stay"), component) for component in (0, 1, 3)]
    [Param(:spring, 0, component) for component in (0, 1)]
]

"The velocities every 4 ms with parameters `p`, and their Jacobian by `p`; steps are made in `parts`, and `each` is called after one."
function motion(sim, p; steps = STEPS, parts = 1, slopes = true, each = sim -> nothing)
    model = sim.model
    n = model.nv
    set_params!(sim, p)
    reset!(sim)
    q, v = neutral(model), [0.5; 0.4; 0.3; 0.0]
    velocities, sensitivities = zeros(n, steps), zeros(n, steps, length(p))
    S = zeros(2n, length(p))
    for k in 1:steps
        for _ in 1:parts
            step!(sim, q, v, zeros(model.nu))
            each(sim)
            slopes || continue
            J = jacobians(sim)
            S = [J.dq_dq J.dq_dv; J.dv_dq J.dv_dv] * S + [J.dq_dp; J.dv_dp]
        end
        velocities[:, k], sensitivities[:, k, :] = v, S[n+1:end, :]
    end
    vec(velocities), reshape(sensitivities, :, length(p))
end

function simulation(model, integrator, parts)
    sim = Sim(model; contact = :none, time_step = PERIOD / parts, integrator)
    select_params!(sim, parameters(model))
    sim
end

"""
The parameters that fit best, from the guess, and the misfit that is left [m/s]. First the beginning is fitted, then more and more: of
a whole record with the wrong frequency most is out of step, and says nothing.
"""
function fit(sim, recorded)
    p, left, n = copy(GUESS), 0.0, sim.model.nv
    for steps in (15, 30, 60, 120, STEPS)
        seen = view(recorded, 1:n*steps)
        predicted, slope = motion(sim, p; steps)
        damping = 1.0
        for _ in 1:60
            misfit = seen - predicted
            left = norm(misfit) / sqrt(length(misfit))
            # Levenberg and Marquardt's step in log p, which keeps every parameter positive.
            change = [slope .* p'; damping * I] \ [misfit; zeros(length(p))]
            norm(change) < 1e-9 && break
            tried = p .* exp.(change)
            predicted_there, slope_there = motion(sim, tried; steps)
            if norm(seen - predicted_there) < norm(misfit)
                p, predicted, slope = tried, predicted_there, slope_there
                damping /= 4
            else
                damping *= 4
            end
        end
    end
    p, left
end

function identify(; log = true, folder = nothing)
    model = crane()
    recorded, _ = motion(simulation(model, :sdirk2, RIG), TRUTH; parts = RIG, slopes = false)
    # Noise of about 5 mm/s that is the same on every machine.
    recorded += [0.005 * sin(12.9898i^2) for i in eachindex(recorded)]

    formulas = (:sdirk2, :bdf1)
    sims = [simulation(model, f, 1) for f in formulas]
    fits = [fit(sim, recorded) for sim in sims]
    if log
        @printf("%-27s%12s%12s%12s%12s\n", "", "guess", "SDIRK2", "BDF1", "truth")
        for (i, name) in enumerate(NAMES)
            @printf("%-27s%12.5g%12.5g%12.5g%12.5g\n", name, GUESS[i], fits[1][1][i], fits[2][1][i], TRUTH[i])
        end
        @printf("%-27s%12s%12.5f%12.5f\n", "misfit left [m/s]", "", fits[1][2], fits[2][2])
    end
    if folder !== nothing
        recorder = Recorder(model)
        motion(sims[1], fits[1][1]; slopes = false, each = sim -> record!(recorder, sim))
        save(recorder, joinpath(folder, "spring_identification.dsrec"))
    end
    fits[1][1], fits[2][1], TRUTH
end

end

abspath(PROGRAM_FILE) == @__FILE__() && SpringIdentification.identify(; folder = get(ARGS, 1, "target"))
