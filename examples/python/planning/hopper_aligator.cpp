// A hopper jumps: Aligator's ProxDDP in C++ with diffsim's step as its explicit dynamics.
//
// usage: hopper_aligator HOPPER.xml [ITERATIONS]      at most so many with differences (default: 100)
// hopper_aligator_cpp.py writes the robot's file, compiles this and runs it.
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <memory>
#include <vector>

#include <aligator/core/explicit-dynamics.hpp>
#include <aligator/core/stage-model.hpp>
#include <aligator/core/traj-opt-problem.hpp>
#include <aligator/core/vector-space.hpp>
#include <aligator/modelling/constraints/box-constraint.hpp>
#include <aligator/modelling/costs/quad-state-cost.hpp>
#include <aligator/modelling/costs/sum-of-costs.hpp>
#include <aligator/solvers/proxddp/solver-proxddp.hpp>

#include "diffsim.hpp"

namespace {

using Vector = Eigen::VectorXd;
using Matrix = Eigen::MatrixXd;
using Explicit = aligator::ExplicitDynamicsModelTpl<double>;
using Space = aligator::VectorSpaceTpl<double>;

/// x⁺ = f(x, u) with x = (q, v): some steps with one input, each call without a warm start. For a robot without quaternions,
/// whose tangents are the differences of x; another one takes a space with the model's tangents.
struct Dynamics : Explicit {
    /// increment: of central differences that stand for exact derivatives; 0 for exact ones.
    Dynamics(std::shared_ptr<const diffsim::Model> robot, int count, double difference)
        : Explicit(Space(robot->nq() + robot->nv()), robot->nu()), model(std::move(robot)), steps(count), increment(difference),
          sim(std::make_shared<diffsim::Sim>(*model)) {}

    /// The next state, and its derivatives if they are wanted. Steps that fail give NaN: the solver shortens its step.
    Vector next(const Vector &x, const Vector &u, Matrix *A, Matrix *B) const {
        const int nq = model->nq(), nv = model->nv(), nu = model->nu();
        Vector q = x.head(nq), v = x.tail(nv), q_next(nq), v_next(nv);
        if (A) A->setIdentity(2 * nv, 2 * nv);
        if (B) B->setZero(2 * nv, nu);
        try {
            sim->reset();
            for (int k = 0; k < steps; k++) {
                sim->step(q, v, u, q_next, v_next);
                q.swap(q_next), v.swap(v_next);
                if (!A) continue;
                Matrix qq(nv, nv), qv(nv, nv), qu(nv, nu), vq(nv, nv), vv(nv, nv), vu(nv, nu);
                sim->step_jacobians({qq, qv, qu, {}, vq, vv, vu, {}});
                Matrix by_x(2 * nv, 2 * nv), by_u(2 * nv, nu);
                by_x << qq, qv, vq, vv;
                by_u << qu, vu;
                *A = by_x * *A;
                *B = by_x * *B + by_u;
            }
        } catch (const diffsim::Error &) {
            const double nan = std::numeric_limits<double>::quiet_NaN();
            q.setConstant(nan), v.setConstant(nan);
            if (A) A->setConstant(nan), B->setConstant(nan);
        }
        Vector out(nq + nv);
        out << q, v;
        return out;
    }

    void forward(const ConstVectorRef &x, const ConstVectorRef &u, Data &data) const override {
        data.xnext_ = next(x, u, nullptr, nullptr);
    }

    void dForward(const ConstVectorRef &x, const ConstVectorRef &u, Data &data) const override {
        if (increment == 0.0) {
            Matrix A, B;
            next(x, u, &A, &B);
            data.Jx() = A, data.Ju() = B;
            return;
        }
        Vector z(x.size() + u.size());
        z << x, u;
        for (Eigen::Index j = 0; j < z.size(); j++) {
            Vector more = z, less = z;
            more[j] += increment, less[j] -= increment;
            const Vector column = (next(more.head(x.size()), more.tail(u.size()), nullptr, nullptr) -
                                   next(less.head(x.size()), less.tail(u.size()), nullptr, nullptr)) / (2.0 * increment);
            if (j < x.size()) data.Jx().col(j) = column;
            else data.Ju().col(j - x.size()) = column;
        }
    }

    std::shared_ptr<const diffsim::Model> model;
    int steps;
    double increment;
    std::shared_ptr<diffsim::Sim> sim;
};

/// The task of hopper.py.
constexpr int NODES = 50, STEPS = 2;
constexpr double EFFORT = 1e-5, LIMIT = 150.0;
const Vector GOAL = (Vector(4) << 0.45, 0.0, 0.0, 0.0).finished();
const Vector WEIGHTS = (Vector(4) << 2e3, 2e1, 1e2, 1e-2).finished();

std::vector<Vector> trajectory(const Dynamics &dynamics, const std::vector<Vector> &us) {
    std::vector<Vector> xs{Vector::Zero(4)};
    for (const Vector &u : us) xs.push_back(dynamics.next(xs.back(), u, nullptr, nullptr));
    return xs;
}

/// Solves the problem and prints a row of the table. Returns the height at the end.
double solve(const std::shared_ptr<const diffsim::Model> &model, const char *name, double increment, std::size_t iterations) {
    const Dynamics dynamics(model, STEPS, increment);
    const Space space(4);
    // Aligator's costs are halves of weighted squares.
    aligator::CostStackTpl<double> running(space, 1), end(space, 1);
    running.addCost(aligator::QuadraticControlCostTpl<double>(space, 1, Matrix::Constant(1, 1, 2.0 * EFFORT)));
    const Matrix weights = (2.0 * WEIGHTS).asDiagonal();
    end.addCost(aligator::QuadraticStateCostTpl<double>(space, 1, GOAL, weights));
    aligator::TrajOptProblemTpl<double> problem(Vector::Zero(4), 1, space, end);
    const Vector limit = Vector::Constant(1, LIMIT);
    std::vector<Vector> guess;
    for (int k = 0; k < NODES; k++) {
        aligator::StageModelTpl<double> stage(running, dynamics);
        stage.addConstraint(aligator::ControlErrorResidualTpl<double>(4, 1), aligator::BoxConstraintTpl<double>(-limit, limit));
        problem.addStage(stage);
        guess.push_back(Vector::Constant(1, k < 10 ? 30.0 : k < 20 ? 90.0 : 0.0));
    }
    aligator::SolverProxDDPTpl<double> solver(1e-3, 1e-2, iterations);
    solver.rollout_type_ = aligator::RolloutType::NONLINEAR;
    solver.setup(problem);
    const auto began = std::chrono::steady_clock::now();
    solver.run(problem, trajectory(dynamics, guess), guess);
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
    std::vector<Vector> us;
    double cost = 0.0;
    for (const Vector &u : solver.results_.us) {
        us.push_back(u.cwiseMax(-LIMIT).cwiseMin(LIMIT));
        cost += EFFORT * us.back().squaredNorm();
    }
    const Vector last = trajectory(dynamics, us).back();
    cost += (last - GOAL).cwiseAbs2().dot(WEIGHTS);
    std::printf("%-18s %-12s %10zu %9.3f %9.4f %10.4f %11.4f%s\n", "Aligator, C++", name, solver.results_.num_iters, seconds,
                cost, last[0], last[2], solver.results_.conv ? "" : " (stopped)");
    return last[0];
}

}  // namespace

int main(int count, char **words) {
    const std::size_t most = count > 2 ? std::strtoul(words[2], nullptr, 10) : 100;
    const auto model = std::make_shared<const diffsim::Model>(diffsim::Model::load(words[1]));
    std::printf("%-18s %-12s %10s %9s %9s %10s %11s\n", "solver", "derivatives", "iterations", "time [s]", "cost", "height [m]",
                "speed [m/s]");
    const double height = solve(model, "exact", 0.0, 100);
    solve(model, "differences", 1e-6, most);
    std::printf("the torso ends %.3f m above where it stood\n", height);
    return std::abs(height - GOAL[0]) > 0.05;
}
