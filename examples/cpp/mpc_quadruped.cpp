// Model-predictive control through contact. A standing quadruped is pushed sideways and should lower its trunk.
// Every 10 ms an iterative linear-quadratic regulator (iLQR: Li and Todorov, 2004; here with the Gauss-Newton
// Hessian) improves the plan of the next 0.25 s with the Jacobians of the step, while feet stick, slide and lift.
// The robot applies the first input of the plan. Beside it runs the same robot with its servos at the standing
// pose.
//
// usage: mpc_quadruped [MODEL.xml [FOLDER]]      writes recordings of both there (default: target)
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

#include "dense.hpp"
#include "diffsim.hpp"
#include "diffsim_recorder.hpp"

namespace {

using Numbers = std::vector<double>;

constexpr double h = 0.01;
constexpr std::size_t horizon = 25, cycles = 150;
constexpr double lower_by = 0.06;    // [m]
constexpr double push_impulse = 10.0; // [N s], sideways, at 0.5 s

/// A state in the model's coordinates.
struct State {
    Numbers q, v;
};

/// Weights of the squares of the deviation (tangent of q; v) and of the input's.
struct Weights {
    Numbers state;
    double input;

    explicit Weights(std::size_t nv) : state(2 * nv), input(0.1) {
        for (std::size_t i = 0; i < nv; i++) {
            const bool trunk = i < 6;
            state[i] = trunk ? 300.0 : 0.5;
            state[nv + i] = trunk ? 1.0 : 0.01;
        }
    }
};

class Planner {
public:
    Planner(const diffsim::Model &model, const diffsim::Options &options, Numbers q_goal, Numbers u_goal)
        : model_(model), sim_(model, options), nv_(model.nv()), nu_(model.nu()), weights_(model.nv()),
          q_goal_(std::move(q_goal)), u_goal_(std::move(u_goal)), states_(horizon + 1),
          inputs_(horizon, u_goal_), A_(horizon, Matrix(2 * nv_, 2 * nv_)), B_(horizon, Matrix(2 * nv_, nu_)),
          k_(horizon), K_(horizon) {}

    /// The input to apply in the state, from the last plan moved on by one step and improved.
    const Numbers &plan(const State &now) {
        std::rotate(inputs_.begin(), inputs_.begin() + 1, inputs_.end());
        inputs_.back() = u_goal_;
        states_[0] = now;
        double cost = follow(inputs_, states_, true);
        for (int iteration = 0; iteration < 2; iteration++) {
            if (!backward()) break;
            double step = 1.0, reached = cost;
            std::vector<State> states(horizon + 1);
            std::vector<Numbers> inputs;
            for (; step > 0.05; step *= 0.4) {
                inputs = inputs_;
                states[0] = now;
                reached = forward(step, inputs, states);
                if (reached < cost) break;
            }
            if (!(reached < cost)) break;
            inputs_ = inputs;
            cost = follow(inputs_, states_, true);
        }
        return inputs_[0];
    }

private:
    /// The deviation of a state from the goal, tangent of q above v.
    Numbers deviation(const State &x) const {
        Numbers d(2 * nv_);
        model_.difference(q_goal_, x.q, {d.data(), nv_});
        std::copy(x.v.begin(), x.v.end(), d.begin() + static_cast<std::ptrdiff_t>(nv_));
        return d;
    }

    double state_cost(const State &x) const {
        const Numbers d = deviation(x);
        double cost = 0.0;
        for (std::size_t i = 0; i < d.size(); i++) cost += weights_.state[i] * d[i] * d[i];
        return cost;
    }

    double input_cost(const Numbers &u) const {
        double cost = 0.0;
        for (std::size_t i = 0; i < nu_; i++)
            cost += weights_.input * (u[i] - u_goal_[i]) * (u[i] - u_goal_[i]);
        return cost;
    }

    /// One step from x under u; its linearization goes to A and B of stage t if wanted.
    State step(const State &x, const Numbers &u, std::size_t t, bool linearize) {
        State next{Numbers(x.q.size()), Numbers(nv_)};
        sim_.step(x.q, x.v, u, next.q, next.v);
        if (linearize) {
            Matrix qq(nv_, nv_), qv(nv_, nv_), qu(nv_, nu_), vq(nv_, nv_), vv(nv_, nv_), vu(nv_, nu_);
            diffsim::Jacobians out;
            out.dq_dq = qq, out.dq_dv = qv, out.dq_du = qu;
            out.dv_dq = vq, out.dv_dv = vv, out.dv_du = vu;
            sim_.step_jacobians(out);
            A_[t].put(0, 0, qq), A_[t].put(0, nv_, qv), A_[t].put(nv_, 0, vq), A_[t].put(nv_, nv_, vv);
            B_[t].put(0, 0, qu), B_[t].put(nv_, 0, vu);
        }
        return next;
    }

    /// Cost of the inputs from states[0] on; fills the states.
    double follow(const std::vector<Numbers> &inputs, std::vector<State> &states, bool linearize) {
        double cost = 0.0;
        for (std::size_t t = 0; t < horizon; t++) {
            states[t + 1] = step(states[t], inputs[t], t, linearize);
            cost += state_cost(states[t + 1]) + input_cost(inputs[t]);
        }
        return cost;
    }

    /// Gains k (the change of an input) and K (its feedback) of every stage, from the last one back.
    bool backward() {
        const std::size_t n = 2 * nv_;
        Matrix V(n, n), g(n, 1); // Hessian and gradient of the cost to go, by halves
        const auto add_state_cost = [&](const State &x) {
            const Numbers d = deviation(x);
            for (std::size_t i = 0; i < n; i++) {
                V(i, i) += weights_.state[i];
                g(i, 0) += weights_.state[i] * d[i];
            }
        };
        for (std::size_t t = horizon; t-- > 0;) {
            add_state_cost(states_[t + 1]);
            const Matrix VA = times(V, A_[t]), VB = times(V, B_[t]);
            Matrix Quu = transposed_times(B_[t], VB);
            Matrix gains(nu_, n + 1); // Qux and Qu side by side
            gains.put(0, 0, transposed_times(B_[t], VA));
            gains.put(0, n, transposed_times(B_[t], g));
            for (std::size_t i = 0; i < nu_; i++) {
                Quu(i, i) += weights_.input;
                gains(i, n) += weights_.input * (inputs_[t][i] - u_goal_[i]);
            }
            const Matrix Q = gains;
            if (!solve(Quu, gains)) return false;
            K_[t] = Matrix(nu_, n);
            std::copy(gains.data(), gains.data() + nu_ * n, K_[t].data());
            k_[t].assign(gains.data() + nu_ * n, gains.data() + nu_ * (n + 1));

            Matrix Qux(nu_, n), Qu(nu_, 1);
            std::copy(Q.data(), Q.data() + nu_ * n, Qux.data());
            std::copy(Q.data() + nu_ * n, Q.data() + nu_ * (n + 1), Qu.data());
            V = transposed_times(A_[t], VA);
            add(V, -1.0, transposed_times(Qux, K_[t]));
            g = transposed_times(A_[t], g);
            add(g, -1.0, transposed_times(K_[t], Qu));
        }
        return true;
    }

    /// Rolls out the gains at this step length; inputs come as they were and leave as they are.
    double forward(double length, std::vector<Numbers> &inputs, std::vector<State> &states) {
        double cost = 0.0;
        Numbers d(2 * nv_);
        for (std::size_t t = 0; t < horizon; t++) {
            model_.difference(states_[t].q, states[t].q, {d.data(), nv_});
            for (std::size_t i = 0; i < nv_; i++) d[nv_ + i] = states[t].v[i] - states_[t].v[i];
            for (std::size_t i = 0; i < nu_; i++) {
                inputs[t][i] -= length * k_[t][i];
                for (std::size_t j = 0; j < d.size(); j++) inputs[t][i] -= K_[t](i, j) * d[j];
            }
            states[t + 1] = step(states[t], inputs[t], t, false);
            cost += state_cost(states[t + 1]) + input_cost(inputs[t]);
        }
        return cost;
    }

    const diffsim::Model &model_;
    diffsim::Sim sim_;
    std::size_t nv_, nu_;
    Weights weights_;
    Numbers q_goal_, u_goal_;
    std::vector<State> states_;
    std::vector<Numbers> inputs_;
    std::vector<Matrix> A_, B_;
    std::vector<Numbers> k_;
    std::vector<Matrix> K_;
};

/// The standing pose with the trunk lower, feet below the hips: of the configuration and of the servos.
void lower(const diffsim::Model &model, Numbers &q, Numbers &u) {
    constexpr double segment = 0.213, foot = 0.02;
    q[2] -= lower_by;
    const double thigh = std::acos((q[2] - foot) / (2 * segment));
    for (const std::string leg : {"FR", "FL", "RR", "RL"})
        for (const auto &[joint, angle] : {std::pair{"_thigh", thigh}, std::pair{"_calf", -2 * thigh}}) {
            const auto actuator = static_cast<std::size_t>(model.actuator_id(leg + joint));
            u[actuator] = angle;
            q[static_cast<std::size_t>(model.joint_q_index(model.joint_id(leg + joint + "_joint")))] = angle;
        }
}

/// The same push for both robots.
void push(diffsim::Sim &sim, std::size_t cycle) {
    const double force = cycle >= 50 && cycle < 55 ? push_impulse / (5 * h) : 0.0;
    sim.set_external_wrench(1, {0.0, force, 0.0, 0.0, 0.0, 0.0});
}

int run(const std::string &path, const std::string &folder) {
    const auto model = diffsim::Model::load(path);
    diffsim::Options options;
    options.time_step = h;
    State robot{Numbers(model.nq()), Numbers(model.nv())};
    Numbers u(model.nu());
    model.keyframe("standing", robot.q, robot.v, u);
    Numbers goal = robot.q, u_goal = u;
    lower(model, goal, u_goal);

    Planner planner(model, options, goal, u_goal);
    diffsim::Sim sim(model, options), sim_passive(model, options);
    diffsim::Recorder recorder(model), recorder_passive(model);
    State passive = robot;
    double planning = 0.0, aside = 0.0, passive_aside = 0.0;
    std::printf("  t [s]   MPC: y [m]  z [m]  feet    servos: y [m]  z [m]\n");
    for (std::size_t cycle = 0; cycle < cycles; cycle++) {
        const auto begin = std::chrono::steady_clock::now();
        const Numbers &input = planner.plan(robot);
        planning += std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
        push(sim, cycle);
        push(sim_passive, cycle);
        sim.step(robot.q, robot.v, input, robot.q, robot.v);
        sim_passive.step(passive.q, passive.v, u, passive.q, passive.v);
        recorder.step(sim);
        recorder_passive.step(sim_passive);
        aside = std::max(aside, std::abs(robot.q[1]));
        passive_aside = std::max(passive_aside, std::abs(passive.q[1]));
        if (cycle % 10 == 9)
            std::printf("%7.2f %12.4f %6.3f %5zu %16.4f %6.3f\n", h * static_cast<double>(cycle + 1), robot.q[1],
                        robot.q[2], sim.contacts().size(), passive.q[1], passive.q[2]);
    }
    recorder.save(folder + "/mpc_quadruped.dsrec");
    recorder_passive.save(folder + "/mpc_quadruped_servos.dsrec");
    const double low = std::abs(robot.q[2] - goal[2]), back = std::abs(robot.q[1]);
    std::printf("largest sway %.3f m against %.3f m; at the end %.4f m from the height, %.4f m aside\n", aside,
                passive_aside, low, back);
    std::printf("a plan took %.1f ms\n", 1e3 * planning / static_cast<double>(cycles));
    return low < 0.01 && back < 0.01 && aside < passive_aside ? 0 : 1;
}

}  // namespace

int main(int argc, char **argv) {
    try {
        return run(argc > 1 ? argv[1] : "examples/models/quadruped.xml", argc > 2 ? argv[2] : "target");
    } catch (const diffsim::Error &e) {
        std::fprintf(stderr, "%s: %s\n", std::string(diffsim::status_name(e.status())).c_str(), e.what());
        return 1;
    }
}
