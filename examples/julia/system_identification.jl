# Identifies a cart with a pendulum from a recorded motion, by Gauss–Newton on the exact derivatives of the
# simulation: the mass of both, the pendulum's first moment and moment of inertia, and the floor's friction.
#
#     julia --project=bindings/julia examples/julia/system_identification.jl [FOLDER]
#
# Writes system_identification.dsrec, the motion with the parameters found, into FOLDER (default: target).
#
# The cart lies on the floor and is dragged back and forth, with stick and slip. The pendulum on its mast
# swings. The recording has the velocities with noise. The unknowns are log-Cholesky coordinates of the
# pendulum's inertia, and the logarithms of the cart's mass and of the friction: every value of them is a
# physical system. The sensitivity S of the state by the parameters follows the motion, S⁺ = A S + B. The
# step's Jacobians give A (by the state) and B (by the parameters).

using DiffSim
using LinearAlgebra
using Printf

const CART = """
<mujoco>
  <worldbody>
    <geom name="floor" type="plane" size="0 0 1" friction="0.3"/>
    <body name="cart" pos="0 0 0.05">
      <joint name="x" type="slide" axis="1 0 0"/>
      <joint name="z" type="slide" axis="0 0 1"/>
      <geom name="sled" type="box" size="0.2 0.1 0.05" mass="2" friction="0.01"/>
      <geom name="mast" type="capsule" fromto="0 0 0.05 0 0 0.6" size="0.015" mass="0"/>
      <body name="pendulum" pos="0 -0.04 0.6">
        <joint name="hinge" type="hinge" axis="0 1 0" damping="0.02"/>
        <geom type="capsule" fromto="0 0 0 0 0 -0.5" size="0.02" mass="0.5" contype="0" conaffinity="0"/>
      </body>
    </body>
  </worldbody>
  <actuator>
    <motor name="drag" joint="x"/>
    <motor name="shake" joint="hinge"/>
  </actuator>
</mujoco>
"""
const STEPS = 600
const NAMES = ["mass of both [kg]", "pendulum's first moment [kg m]", "pendulum's moment of inertia [kg m²]", "floor's friction"]
const PENDULUM = 2:11

parameters(model) = [
    Param(:body_inertia, body_id(model, "cart"), 0);
    [Param(:body_inertia, body_id(model, "pendulum"), i) for i in 0:9];
    Param(:geom_friction, geom_id(model, "floor"))
]

"The parameters at the coordinates x, and their Jacobian by x."
function physical(x)
    inertia, slopes = inertia_from_log_cholesky(x[PENDULUM])
    jacobian = zeros(length(x), length(x))
    jacobian[1, 1], jacobian[end, end] = exp(x[1]), exp(x[end])
    jacobian[PENDULUM, PENDULUM] = slopes
    [exp(x[1]); inertia; exp(x[end])], jacobian
end

coordinates(p) = [log(p[1]); inertia_to_log_cholesky(p[PENDULUM]); log(p[end])]

"What a motion in a plane shows of the parameters."
shown(p) = [p[1] + p[2], p[5], p[8], p[end]]

input(k) = [25 * sin(0.015k) + 8 * sin(0.041k), 0.3 * cos(0.023k)]

"The velocities of a motion with parameters `p`, and their Jacobian by `p`; `each` is called after every step."
function motion(sim, p; each = sim -> nothing)
    model = sim.model
    n = model.nv
    set_params!(sim, p)
    reset!(sim)
    q, v = neutral(model), zeros(n)
    velocities, slopes = zeros(n, STEPS), zeros(n, STEPS, length(p))
    S = zeros(2n, length(p))
    for k in 1:STEPS
        step!(sim, q, v, input(k))
        each(sim)
        J = jacobians(sim)
        S = [J.dq_dq J.dq_dv; J.dv_dq J.dv_dv] * S + [J.dq_dp; J.dv_dp]
        velocities[:, k], slopes[:, k, :] = v, S[n+1:end, :]
    end
    vec(velocities), reshape(slopes, :, length(p))
end

function identify(; log = true, folder = nothing)
    model = load_model(CART, :mjcf)
    sim = Sim(model; time_step = 0.005)
    select_params!(sim, parameters(model))
    p = params(sim)
    # A longer and heavier pendulum, in a heavier cart on a rougher floor.
    truth = [1.4 * p[1]; inertia_from_com(0.7, [0, 0, -0.3], [0.021, 0, 0.021, 0, 0, 1e-4]); 1.6 * p[end]]
    recorded, _ = motion(sim, truth)
    # Noise of about 1 cm/s that is the same on every machine.
    recorded += [0.01 * sin(12.9898i^2) for i in eachindex(recorded)]

    x = coordinates(p)
    misfit_at(x) = recorded - first(motion(sim, first(physical(x))))
    log && @printf("%9s  %12s  %s\n", "iteration", "misfit [m/s]", join(NAMES, ", "))
    for iteration in 0:20
        p, by_x = physical(x)
        predicted, slope = motion(sim, p)
        misfit = recorded - predicted
        log && @printf("%9d  %12.6f  %s\n", iteration, norm(misfit) / sqrt(length(misfit)), join(round.(shown(p); digits = 5), ", "))
        # The shortest step: the motion depends on the sum of both masses and on one moment of inertia alone.
        change = pinv(slope * by_x; rtol = 1e-6) * misfit
        norm(change) < 1e-7 && break
        # By a third at most, and half as far while the misfit does not decrease: with stick and slip it is
        # not a parabola.
        scale = min(1.0, 0.3 / norm(change))
        while scale > 1e-3 && norm(misfit_at(x + scale * change)) > norm(misfit)
            scale /= 2
        end
        x += scale * change
    end
    p = first(physical(x))
    log && @printf("%9s  %12s  %s\n", "truth", "", join(round.(shown(truth); digits = 5), ", "))
    if folder !== nothing
        recorder = Recorder(model)
        motion(sim, p; each = sim -> record!(recorder, sim))
        save(recorder, joinpath(folder, "system_identification.dsrec"))
    end
    shown(p), shown(truth)
end

abspath(PROGRAM_FILE) == @__FILE__() && identify(; folder = get(ARGS, 1, "target"))
