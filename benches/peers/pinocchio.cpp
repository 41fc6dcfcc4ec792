// Times Pinocchio's smooth dynamics, header-only (nothing comes precompiled from its shared
// library), over the states of a file.
//
// usage: pinocchio MODEL.txt STATES.txt PASSES
//
// MODEL.txt is a text archive of a pinocchio::Model. STATES.txt holds the number of states K,
// nq and nv, then K rows of q, v, a, tau. Every pass calls one function once per state and yields
// one time per call; the functions take turns, so that a slow minute of the machine hits them all.
// One JSON object per line: the function, the median over the passes in microseconds per call, and
// the Frobenius norm of the outputs over all states, by which the runner knows that both sides
// computed the same thing.
//
// Kept to a few headers on purpose: each algorithm adds about a minute to the compilation.

#include <pinocchio/multibody.hpp>
#include <pinocchio/serialization.hpp>
#include <pinocchio/algorithm/rnea.hpp>
#include <pinocchio/algorithm/crba.hpp>
#include <pinocchio/algorithm/aba.hpp>
#include <pinocchio/algorithm/rnea-derivatives.hpp>
#include <pinocchio/algorithm/aba-derivatives.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <string>
#include <vector>

namespace pin = pinocchio;

struct State {
  Eigen::VectorXd q, v, a, tau;
};

struct Task {
  const char *name;
  std::function<void(const State &)> call;
  std::function<double()> squared_norm;  // of what the last call computed
};

static double now_us() {
  using clock = std::chrono::steady_clock;
  return std::chrono::duration<double, std::micro>(clock::now().time_since_epoch()).count();
}

static std::vector<State> read_states(const char *path, const pin::Model &model) {
  std::ifstream file(path);
  long count = 0, nq = 0, nv = 0;
  file >> count >> nq >> nv;
  if (!file || count < 1 || nq != model.nq || nv != model.nv) {
    std::fprintf(stderr, "%s: expected states with nq %d and nv %d\n", path, int(model.nq), int(model.nv));
    std::exit(1);
  }
  std::vector<State> states(count);
  for (State &s : states) {
    s.q.resize(nq);
    for (Eigen::VectorXd *x : {&s.v, &s.a, &s.tau}) x->resize(nv);
    for (Eigen::VectorXd *x : {&s.q, &s.v, &s.a, &s.tau})
      for (double &value : *x) file >> value;
  }
  if (!file) {
    std::fprintf(stderr, "%s: ends before its last state\n", path);
    std::exit(1);
  }
  return states;
}

int main(int argc, char **argv) {
  if (argc != 4) {
    std::fprintf(stderr, "usage: pinocchio MODEL.txt STATES.txt PASSES\n");
    return 1;
  }
  pin::Model model;
  model.loadFromText(argv[1]);
  pin::Data data(model);
  const std::vector<State> states = read_states(argv[2], model);
  const int passes = std::max(1, std::atoi(argv[3]));

  // crba and computeABADerivatives fill the upper triangles of M and of its inverse only.
  auto symmetric = [](const auto &upper) {
    double diagonal = upper.diagonal().squaredNorm();
    Eigen::MatrixXd strict = upper.template triangularView<Eigen::StrictlyUpper>();
    return diagonal + 2 * strict.squaredNorm();
  };
  const auto WORLD = pin::Convention::WORLD, LOCAL = pin::Convention::LOCAL;
  std::vector<Task> tasks = {
      {"rnea", [&](const State &s) { pin::rnea(model, data, s.q, s.v, s.a); }, [&] { return data.tau.squaredNorm(); }},
      {"crba(WORLD)", [&](const State &s) { pin::crba(model, data, s.q, WORLD); }, [&] { return symmetric(data.M); }},
      {"crba(LOCAL)", [&](const State &s) { pin::crba(model, data, s.q, LOCAL); }, [&] { return symmetric(data.M); }},
      {"aba(WORLD)", [&](const State &s) { pin::aba(model, data, s.q, s.v, s.tau, WORLD); },
       [&] { return data.ddq.squaredNorm(); }},
      {"aba(LOCAL)", [&](const State &s) { pin::aba(model, data, s.q, s.v, s.tau, LOCAL); },
       [&] { return data.ddq.squaredNorm(); }},
      {"computeRNEADerivatives", [&](const State &s) { pin::computeRNEADerivatives(model, data, s.q, s.v, s.a); },
       [&] { return data.dtau_dq.squaredNorm() + data.dtau_dv.squaredNorm(); }},
      {"computeABADerivatives", [&](const State &s) { pin::computeABADerivatives(model, data, s.q, s.v, s.tau); },
       [&] { return data.ddq_dq.squaredNorm() + data.ddq_dv.squaredNorm() + symmetric(data.Minv); }},
  };

  std::vector<double> norms;
  for (const Task &task : tasks) {
    double sum = 0;
    for (const State &s : states) {
      task.call(s);
      sum += task.squared_norm();
    }
    norms.push_back(std::sqrt(sum));
  }
  std::vector<std::vector<double>> times(tasks.size());
  for (int pass = 0; pass < passes; pass++)
    for (size_t i = 0; i < tasks.size(); i++) {
      const double start = now_us();
      for (const State &s : states) tasks[i].call(s);
      times[i].push_back((now_us() - start) / states.size());
    }
  for (size_t i = 0; i < tasks.size(); i++) {
    std::sort(times[i].begin(), times[i].end());
    std::printf("{\"what\": \"%s\", \"median_us\": %.4f, \"min_us\": %.4f, \"norm\": %.17g}\n", tasks[i].name,
                times[i][times[i].size() / 2], times[i][0], norms[i]);
  }
  return 0;
}
