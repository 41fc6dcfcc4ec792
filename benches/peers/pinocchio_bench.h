// Shared code of the benchmarks of Pinocchio: the states of a file, and tasks that take turns over them.
//
// STATES.txt holds the number of states K, nq and nv, then K rows of q, v, a, tau. Every pass calls one
// function once per state and yields one time per call; the functions take turns, so that a slow minute of
// the machine hits them all. One JSON object per line: the function, the median over the passes in
// microseconds per call, and the Frobenius norm of the outputs over all states, by which the runner knows
// that both sides computed the same thing.
#pragma once

#include <pinocchio/multibody.hpp>
#include <pinocchio/serialization.hpp>

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
  std::function<double()> squared_norm;  // of the last call's result
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

// crba and others fill the upper triangle of a symmetric matrix only.
template <typename Matrix>
static double symmetric(const Matrix &upper) {
  double diagonal = upper.diagonal().squaredNorm();
  Eigen::MatrixXd strict = upper.template triangularView<Eigen::StrictlyUpper>();
  return diagonal + 2 * strict.squaredNorm();
}

static void run(const std::vector<Task> &tasks, const std::vector<State> &states, int passes) {
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
}
