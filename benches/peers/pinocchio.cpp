// Times Pinocchio's smooth dynamics, header-only (nothing comes precompiled from its shared
// library), over the states of a file.
//
// usage: pinocchio MODEL.txt STATES.txt PASSES
//
// MODEL.txt is a text archive of a pinocchio::Model; the states and the output are pinocchio_bench.h's.
//
// Kept to a few headers on purpose: each algorithm adds about a minute to the compilation.

#include "pinocchio_bench.h"

#include <pinocchio/algorithm/rnea.hpp>
#include <pinocchio/algorithm/crba.hpp>
#include <pinocchio/algorithm/aba.hpp>
#include <pinocchio/algorithm/rnea-derivatives.hpp>
#include <pinocchio/algorithm/aba-derivatives.hpp>

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
  run(tasks, states, passes);
  return 0;
}
