// Times Pinocchio's queries without a step, header-only, over the states of a file.
//
// usage: pinocchio_questions MODEL.txt JOINT STATES.txt PASSES
//
// MODEL.txt is a text archive of a pinocchio::Model; the states and the output are pinocchio_bench.h's. JOINT: the frame
// that is asked about.

#include "pinocchio_bench.h"

#include <pinocchio/algorithm/center-of-mass.hpp>
#include <pinocchio/algorithm/centroidal-derivatives.hpp>
#include <pinocchio/algorithm/centroidal.hpp>
#include <pinocchio/algorithm/frames.hpp>
#include <pinocchio/algorithm/jacobian.hpp>
#include <pinocchio/algorithm/kinematics-derivatives.hpp>
#include <pinocchio/algorithm/kinematics.hpp>
#include <pinocchio/algorithm/regressor.hpp>
#include <pinocchio/algorithm/rnea-derivatives.hpp>
#include <pinocchio/algorithm/rnea.hpp>
#include <pinocchio/algorithm/aba.hpp>

int main(int argc, char **argv) {
  if (argc != 5) {
    std::fprintf(stderr, "usage: pinocchio_questions MODEL.txt JOINT STATES.txt PASSES\n");
    return 1;
  }
  pin::Model model;
  model.loadFromText(argv[1]);
  if (!model.existJointName(argv[2])) {
    std::fprintf(stderr, "%s: no joint is called %s\n", argv[1], argv[2]);
    return 1;
  }
  pin::Data data(model);
  const pin::JointIndex joint = model.getJointId(argv[2]);
  const std::vector<State> states = read_states(argv[3], model);
  const int passes = std::max(1, std::atoi(argv[4]));

  const auto ALIGNED = pin::LOCAL_WORLD_ALIGNED, WORLD = pin::WORLD, LOCAL = pin::LOCAL;
  // All that the file calls a link, as ours has them.
  std::vector<pin::FrameIndex> bodies;
  for (pin::FrameIndex i = 0; i < model.frames.size(); i++)
    if (model.frames[i].type == pin::BODY) bodies.push_back(i);
  std::vector<pin::Motion> moving(bodies.size());
  std::vector<pin::Data::Matrix6x> all(bodies.size(), pin::Data::Matrix6x::Zero(6, model.nv));
  std::vector<pin::Data::Matrix6x> six(4, pin::Data::Matrix6x::Zero(6, model.nv));
  Eigen::VectorXd parameters(10 * (model.njoints - 1));
  for (int i = 1; i < model.njoints; i++) parameters.segment<10>(10 * (i - 1)) = model.inertias[i].toDynamicParameters();
  auto zero = [&](int count) {
    for (int i = 0; i < count; i++) six[i].setZero();
  };
  auto sixes = [&](int count) {
    double sum = 0;
    for (int i = 0; i < count; i++) sum += six[i].squaredNorm();
    return sum;
  };
  auto each = [&](auto of) {
    double sum = 0;
    for (size_t i = 0; i < bodies.size(); i++) sum += of(i);
    return sum;
  };
  auto twists = [&] { return each([&](size_t i) { return moving[i].toVector().squaredNorm(); }); };

  std::vector<Task> tasks = {
      {"forwardKinematics(q), updateFramePlacement of all",
       [&](const State &s) {
         pin::forwardKinematics(model, data, s.q);
         for (pin::FrameIndex i : bodies) pin::updateFramePlacement(model, data, i);
       },
       [&] { return each([&](size_t i) { return data.oMf[bodies[i]].translation().squaredNorm(); }); }},
      {"forwardKinematics(q, v), getFrameVelocity of all",
       [&](const State &s) {
         pin::forwardKinematics(model, data, s.q, s.v);
         for (size_t i = 0; i < bodies.size(); i++) moving[i] = pin::getFrameVelocity(model, data, bodies[i], LOCAL);
       },
       twists},
      {"forwardKinematics(q, v, a), getFrameAcceleration of all",
       [&](const State &s) {
         pin::forwardKinematics(model, data, s.q, s.v, s.a);
         for (size_t i = 0; i < bodies.size(); i++) moving[i] = pin::getFrameAcceleration(model, data, bodies[i], LOCAL);
       },
       twists},
      {"computeJointJacobians, getFrameJacobian of all",
       [&](const State &s) {
         pin::computeJointJacobians(model, data, s.q);
         for (size_t i = 0; i < bodies.size(); i++) {
           all[i].setZero();
           pin::getFrameJacobian(model, data, bodies[i], ALIGNED, all[i]);
         }
       },
       [&] { return each([&](size_t i) { return all[i].squaredNorm(); }); }},
      {"computeJointJacobians, getJointJacobian of one",
       [&](const State &s) {
         pin::computeJointJacobians(model, data, s.q);
         zero(1);
         pin::getJointJacobian(model, data, joint, ALIGNED, six[0]);
       },
       [&] { return sixes(1); }},
      {"computeJointJacobiansTimeVariation",
       [&](const State &s) {
         pin::computeJointJacobiansTimeVariation(model, data, s.q, s.v);
         zero(1);
         pin::getJointJacobianTimeVariation(model, data, joint, WORLD, six[0]);
       },
       [&] { return sixes(1); }},
      {"getJointVelocityDerivatives",
       [&](const State &s) {
         pin::computeForwardKinematicsDerivatives(model, data, s.q, s.v, s.a);
         zero(2);
         pin::getJointVelocityDerivatives(model, data, joint, LOCAL, six[0], six[1]);
       },
       [&] { return sixes(2); }},
      {"getJointAccelerationDerivatives",
       [&](const State &s) {
         pin::computeForwardKinematicsDerivatives(model, data, s.q, s.v, s.a);
         zero(4);
         pin::getJointAccelerationDerivatives(model, data, joint, LOCAL, six[3], six[0], six[1], six[2]);
       },
       [&] { return sixes(3); }},
      {"computeGeneralizedGravity", [&](const State &s) { pin::computeGeneralizedGravity(model, data, s.q); },
       [&] { return data.g.squaredNorm(); }},
      {"computeGeneralizedGravityDerivatives",
       [&](const State &s) {
         data.dtau_dq.setZero();
         pin::computeGeneralizedGravityDerivatives(model, data, s.q, data.dtau_dq);
       },
       [&] { return data.dtau_dq.squaredNorm(); }},
      {"nonLinearEffects", [&](const State &s) { pin::nonLinearEffects(model, data, s.q, s.v); },
       [&] { return data.nle.squaredNorm(); }},
      {"computeCoriolisMatrix", [&](const State &s) { pin::computeCoriolisMatrix(model, data, s.q, s.v); },
       [&] { return data.C.squaredNorm(); }},
      {"computeMinverse", [&](const State &s) { pin::computeMinverse(model, data, s.q); }, [&] { return symmetric(data.Minv); }},
      {"computeJointTorqueRegressor",
       [&](const State &s) { pin::computeJointTorqueRegressor(model, data, s.q, s.v, s.a); },
       [&] { return (data.jointTorqueRegressor * parameters).squaredNorm(); }},
      {"jacobianCenterOfMass", [&](const State &s) { pin::jacobianCenterOfMass(model, data, s.q, false); },
       [&] { return data.Jcom.squaredNorm(); }},
      {"centerOfMass(q, v, a)", [&](const State &s) { pin::centerOfMass(model, data, s.q, s.v, s.a, false); },
       [&] { return data.com[0].squaredNorm() + data.vcom[0].squaredNorm() + data.acom[0].squaredNorm(); }},
      {"computeCentroidalMomentumTimeVariation",
       [&](const State &s) { pin::computeCentroidalMomentumTimeVariation(model, data, s.q, s.v, s.a); },
       [&] { return data.hg.toVector().squaredNorm() + data.dhg.toVector().squaredNorm(); }},
      {"computeCentroidalMap", [&](const State &s) { pin::computeCentroidalMap(model, data, s.q); },
       [&] { return data.Ag.squaredNorm(); }},
      {"computeCentroidalDynamicsDerivatives",
       [&](const State &s) {
         zero(4);
         pin::computeCentroidalDynamicsDerivatives(model, data, s.q, s.v, s.a, six[0], six[1], six[2], six[3]);
       },
       [&] { return sixes(4); }},
  };
  run(tasks, states, passes);
  return 0;
}
