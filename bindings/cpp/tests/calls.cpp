// Every class does what C does, and wrong calls throw: calls MODELS.
#include <cmath>
#include <cstring>
#include <iterator>
#include <vector>

#include "check.hpp"

namespace {

using diffsim::Batch, diffsim::Builder, diffsim::Model, diffsim::Rollout, diffsim::Sim;
using Numbers = std::vector<double>;

struct State {
    Numbers q, v, u;
    explicit State(const Model &model) : q(model.nq()), v(model.nv()), u(model.nu()) {
        model.keyframe("standing", q, v, u);
    }
};

bool near(const Numbers &a, const Numbers &b, double tolerance) {
    double worst = 0.0;
    for (std::size_t i = 0; i < a.size(); i++) worst = std::max(worst, std::abs(a[i] - b[i]));
    return a.size() == b.size() && worst <= tolerance;
}

void model_queries(const Model &model) {
    CHECK(model.nq() == 19 && model.nv() == 18 && model.nu() == 12);
    CHECK(model.nbody() == 14 && model.njoint() == 13 && model.ngeom() == 18);
    CHECK(model.nkeyframe() == 1 && model.keyframe_name(0) == "standing");
    CHECK(model.warning_count() == 0 && model.time_step() == 0.002);
    CHECK(Sim(model).time_step() == 0.002 && Sim(model).integrator() == DS_INTEGRATOR_SYMPLECTIC_EULER_WORLD);
    const diffsim::InertiaVector p = {2, .6, -.2, 1.4, 1.3, .05, 1.6, -.4, .1, .9};
    const auto theta = diffsim::inertia_to_log_cholesky(p);
    std::array<double, 100> slopes{};
    const auto again = diffsim::inertia_from_log_cholesky(theta, &slopes);
    for (std::size_t i = 0; i < 10; i++) CHECK(std::abs(again[i] - p[i]) < 1e-14);
    CHECK(std::abs(slopes[0] - 2 * p[0]) < 1e-14);
    const auto trunk = model.body_id("trunk"), hip = model.joint_id("FR_hip_joint"),
               foot = model.geom_id("FR_foot");
    CHECK(model.body_name(trunk) == "trunk" && model.body_parent(trunk) == 0);
    CHECK(model.body_inertia(trunk)[0] == 5.2 && model.body_placement(trunk)[14] == 0.446);
    CHECK(model.joint_name(hip) == "FR_hip_joint" && model.joint_type(hip) == DS_JOINT_REVOLUTE);
    CHECK(model.joint_q_index(hip) == 7 && model.joint_v_index(hip) == 6);
    CHECK(model.joint_nq(hip) == 1 && model.joint_nv(hip) == 1);
    CHECK(model.joint_body(hip) == model.body_id("FR_hip"));
    CHECK(model.joint_limits(hip)[1] == 0.863);
    CHECK(std::isinf(model.joint_effort_velocity(hip)[0]));
    CHECK(model.geom_name(foot) == "FR_foot" && model.geom_type(foot) == DS_GEOM_SPHERE);
    CHECK(model.geom_body(foot) == model.body_id("FR_calf"));
    CHECK(model.geom_size(foot)[0] == 0.02 && model.geom_friction(foot)[0] == 0.8);
    CHECK(model.geom_restitution(foot) == 0.0);
    CHECK(model.geom_placement(foot)[14] == -0.213);
    CHECK(model.actuator_name(model.actuator_id("FR_calf")) == "FR_calf");
    CHECK(model.gravity()[2] == -9.81 && model.time_step() == 0.002);
    CHECK(model.body_id("wing") == -1);

    Numbers q(19), q1(19), dv(18), back(18), qvel(18);
    model.neutral(q);
    for (std::size_t i = 0; i < 18; i++) dv[i] = 0.1 * std::sin(1.0 + static_cast<double>(i));
    model.integrate(q, dv, q1);
    model.difference(q, q1, back);
    CHECK(near(dv, back, 1e-12));
    model.q_to_mujoco(q1, q);
    model.q_from_mujoco(q, q);
    CHECK(near(q, q1, 1e-15));
    model.home(q1);
    for (std::size_t i = 7; i < 19; i++) CHECK(std::isfinite(q1[i]));
    model.v_to_mujoco(q, dv, qvel);
    model.v_from_mujoco(q, qvel, back);
    CHECK(near(dv, back, 1e-12));
}

void steps(const Model &model) {
    Sim sim(model);
    State s(model);
    const ds_param mass{DS_PARAM_BODY_INERTIA, 1, 0};
    sim.select_params({&mass, 1});
    Numbers p(1), warm(sim.memory_size());
    sim.get_params(p);
    CHECK(sim.np() == 1 && p[0] == 5.2);

    sim.get_memory(warm);
    Numbers q(19), v(18), q_again(19), v_again(18);
    sim.step(s.q, s.v, s.u, q, v);
    CHECK(sim.contacts().size() == 4 && sim.contacts()[0].impulse[2] > 0.0);
    CHECK(sim.step_info().converged == 1 && sim.step_info().contacts == 4);
    CHECK(sim.step_info().push_out_given_up == 0);
    CHECK(sim.step_info().work >= 1.0 && sim.step_info().work < 50.0);

    // d(v_next)/du three ways.
    Numbers B(18 * 12), du(12, 0.0), dq_next(18), dv_next(18), u_bar(12), q_bar(18), v_bar(18, 0.0);
    diffsim::Jacobians out;
    out.dv_du = B;
    sim.step_jacobians(out);
    const ds_jacobian_entries entries = sim.jacobian_entries();
    CHECK(entries.by_state == 18 * 18 && entries.by_input == 18 * 12);
    std::vector<std::int32_t> starts(13), rows(entries.by_input);
    sim.jacobian_pattern(entries, {}, {}, starts, rows);
    CHECK(starts[12] == 18 * 12 && rows[17] == 17 && rows[18] == 0);
    Numbers values(entries.by_input);
    diffsim::Jacobians sparse;
    sparse.dv_du = values;
    sim.step_jacobians_sparse(entries, sparse);
    CHECK(values == B);
    CHECK_THROWS(sim.jacobian_pattern(entries, starts, {}), DS_ERR_INVALID_ARGUMENT,
                 "state_starts: expected 19 numbers, got 13");
    du[4] = 1.0;
    sim.step_jvp({}, {}, du, {}, dq_next, dv_next);
    v_bar[2] = 1.0;
    const Numbers zero(18, 0.0);
    sim.step_vjp(zero, v_bar, q_bar, {}, u_bar, p);
    CHECK(std::abs(dv_next[2] - B[2 + 18 * 4]) < 1e-12);
    CHECK(std::abs(u_bar[4] - B[2 + 18 * 4]) < 1e-12);
    const diffsim::ColumnLabels labels = sim.column_labels();
    CHECK(labels.q.size() == 18 && labels.v.size() == 18 && labels.u.size() == 12);
    CHECK(labels.p.size() == sim.np());
    CHECK_THROWS(sim.aware_contacts(), DS_ERR_NO_STEP, "since the step");
    const bool other = sim.step_vjp_aware(zero, v_bar, q_bar, {}, u_bar, p) == 1;
    CHECK(other == (sim.aware_contacts() > 0));

    Numbers by_u(12 * 12), dimpulse(12);
    const bool unique = sim.impulse_jacobians({}, {}, by_u);
    CHECK(sim.impulse_jvp({}, {}, du, {}, dimpulse) == unique);
    Numbers impulse_bar(12), by_motors(12);
    impulse_bar[2] = 1.0;
    CHECK(sim.impulse_vjp(impulse_bar, {}, {}, by_motors) == unique);
    for (std::size_t k = 0; k < 12; k++) CHECK(std::abs(by_u[2 + 12 * k] - by_motors[k]) < 1e-12);
    for (std::size_t i = 0; i < 12; i++) CHECK(std::abs(by_u[i + 12 * 4] - dimpulse[i]) < 1e-12);

    sim.set_memory(warm);
    sim.step(s.q, s.v, s.u, q_again, v_again);
    CHECK(q == q_again && v == v_again);
    sim.reset();
    sim.set_external_wrench(1, {0.0, 0.0, 40.0, 0.0, 0.0, 0.0});
    sim.step(s.q, s.v, s.u, q_again, v_again);
    CHECK(v_again[2] > v[2]);
    p[0] = 5.0;
    sim.set_params(p);
    Numbers velocities(18), impulses(18);
    sim.prescribe(7, 0.25);
    sim.prescribed_velocities(velocities);
    CHECK(velocities[7] == 0.25 && std::isnan(velocities[0]));
    sim.step(s.q, s.v, s.u, q_again, v_again);
    sim.prescribed_impulses(impulses);
    CHECK(v_again[7] == 0.25 && impulses[7] != 0.0 && impulses[0] == 0.0);
    sim.prescribe(7, NAN);
    CHECK(model.body_mocap(1) == -1);
    Numbers tau(18), by_q(18 * 18), by_v(18 * 18);
    tau[8] = 30.0;
    sim.set_force(tau);
    sim.step(s.q, s.v, s.u, q_again, v_again);
    const double pushed = v_again[8];
    by_v[19 * 8] = -500.0;
    sim.set_force(tau, by_q, by_v);
    sim.step(s.q, s.v, s.u, q_again, v_again);
    CHECK(std::abs(v_again[8]) < std::abs(pushed));
    sim.clear_force();
    sim.step(s.q, s.v, s.u, q_again, v_again);
    CHECK(v_again[8] != pushed);
}

void geometry(const Model &model) {
    Sim sim(model);
    State s(model);
    s.q[2] -= 0.01;
    sim.collide(s.q);
    const auto contacts = sim.contacts();
    CHECK(contacts.size() == 4 && std::abs(contacts[0].gap + 0.01) < 1e-12);
    CHECK(std::distance(contacts.begin(), contacts.end()) == 4);
    // Those of a library whose contacts are longer.
    struct Longer {
        ds_contact known;
        double more;
    };
    std::array<Longer, 4> longer{};
    for (std::size_t i = 0; i < longer.size(); i++) longer[i] = {contacts[i], -1.0};
    std::size_t same = 0;
    for (const ds_contact &c : diffsim::Contacts(&longer[0].known, longer.size(), sizeof(Longer))) {
        CHECK(std::memcmp(&c, &contacts[same], sizeof c) == 0);
        same++;
    }
    CHECK(same == 4);
    Numbers dgap(4 * 18), gradient(18);
    CHECK(sim.contact_derivatives({}, {}, {}, dgap) == DS_GRADIENT_EXACT);
    CHECK(std::abs(dgap[2] - 1.0) < 1e-12);
    const auto floor = model.geom_id("floor"), foot = model.geom_id("FR_foot");
    CHECK(std::abs(sim.distance(floor, foot, s.q, gradient).distance + 0.01) < 1e-12);
    CHECK(std::abs(gradient[2] - 1.0) < 1e-12);
    diffsim::DistanceSmoothing mean;
    CHECK(std::abs(sim.smoothed_distance(floor, foot, s.q, mean, gradient).distance + 0.01) < 1e-3);
    CHECK(std::abs(gradient[2] - 1.0) < 1e-2);
    mean.pairs = 0;
    CHECK_THROWS(sim.smoothed_distance(floor, foot, s.q, mean), DS_ERR_INVALID_ARGUMENT, "pairs");
    sim.set_pair_enabled(floor, foot, false);
    sim.collide(s.q);
    CHECK(sim.contacts().size() == 3);
    CHECK_THROWS(sim.contact_derivatives(gradient, {}, {}, {}), DS_ERR_INVALID_ARGUMENT, "dpoint");
    const std::array<std::int32_t, 2> pair{foot, floor};
    const Model without = model.with_pairs(pair, false);
    CHECK(model.pair_enabled(floor, foot) && !without.pair_enabled(floor, foot));
    std::array<diffsim::ActuatorDesc, 2> added{diffsim::ActuatorDesc::servo("FR_hip_joint", 10.0, 1.0), {}};
    added[1].joint = "FR_calf_joint";
    CHECK(model.with_actuators(added).nu() == 14);
    CHECK_THROWS(diffsim::ActuatorDesc::servo("FR_hip_joint", -1.0, 0.0), DS_ERR_INVALID_ARGUMENT, "kp");
    added[1].joint = "tail";
    CHECK_THROWS(model.with_actuators(added), DS_ERR_INVALID_ARGUMENT, "tail");
    CHECK(without.exclude_overlapping().warning_count() == without.warning_count());
    CHECK(without.exclude_overlapping(s.q).ngeom() == model.ngeom());
    CHECK_THROWS(model.with_pairs(diffsim::View<const std::int32_t>(pair.data(), 1), true), DS_ERR_INVALID_ARGUMENT, "two ids");
    CHECK_THROWS(model.pair_enabled(floor, 99), DS_ERR_INVALID_ARGUMENT, "geom_b");
    CHECK_THROWS(sim.distance(foot, foot, s.q), DS_ERR_INVALID_ARGUMENT, "different");
}

void saving(const Model &model) {
    CHECK(model.save("cpp_saved.xml").empty());
    const Model again = Model::load("cpp_saved.xml");
    CHECK(again.nv() == model.nv() && again.nu() == model.nu() && again.ngeom() == model.ngeom());
    CHECK(model.save("cpp_saved.urdf").size() > 3);
    diffsim::SaveOptions strict;
    strict.strict = 1;
    CHECK_THROWS(model.save("cpp_strict.urdf", strict), DS_ERR_UNSUPPORTED, "actuators are left out");
    CHECK_THROWS(model.save("nowhere/cpp.xml"), DS_ERR_IO, "nowhere");
}

void smoothing(const Model &model) {
    Sim sim(model);
    const State s(model);
    Numbers q(19), v(18), B(18 * 12);
    sim.step(s.q, s.v, s.u, q, v);
    diffsim::Smoothing options;
    options.pairs = 4;
    diffsim::Jacobians out;
    out.dv_du = B;
    const auto info = sim.smoothed_jacobians(options, out);
    CHECK(info.pairs == 4 && info.gradient == DS_GRADIENT_SMOOTHED && B[0] != 0.0);
    options.method = DS_SMOOTHING_CENTRAL_PATH;
    sim.relaxed_step(options, q, v);
    CHECK(v[2] != 0.0);
    options.kappa = -1.0;
    CHECK_THROWS(sim.relaxed_step(options, q, v), DS_ERR_INVALID_ARGUMENT, "kappa");
}

void compliant_contact(const Model &model) {
    diffsim::Options options;
    options.contact = DS_CONTACT_CONVEX;
    options.kp = 0.5;
    CHECK_THROWS(Sim(model, options), DS_ERR_INVALID_ARGUMENT, "kp");
    options.kp = 0.0;
    Sim sim(model, options);
    State s(model);
    const ds_param stiffness{DS_PARAM_CONTACT_STIFFNESS, model.geom_id("floor"), 0};
    sim.select_params({&stiffness, 1});
    Numbers p(1), by_p(18);
    sim.get_params(p);
    CHECK(std::isinf(p[0]));
    p[0] = 4000.0;
    sim.set_params(p);
    for (int i = 0; i < 20; i++) sim.step(s.q, s.v, s.u, s.q, s.v);
    CHECK(sim.step_info().converged == 1 && sim.contacts().size() == 4 && sim.contacts()[0].gap < 0.0);
    diffsim::Jacobians out;
    out.dv_dp = by_p;
    sim.step_jacobians(out);
    CHECK(by_p[2] > 0.0);
    p[0] = -1.0;
    CHECK_THROWS(sim.set_params(p), DS_ERR_INVALID_ARGUMENT, "p[0]");
    CHECK_THROWS(Sim(model).select_params({&stiffness, 1}), DS_ERR_UNSUPPORTED, "DS_PARAM_CONTACT_STIFFNESS");
}

void dynamics(const Model &model) {
    Sim sim(model);
    State s(model);
    for (std::size_t i = 0; i < 18; i++) s.v[i] = std::cos(static_cast<double>(i));
    Numbers tau(18, 1.0), a(18), back(18), M(18 * 18), x(18 * 18), y(18 * 18), z(18 * 18);
    sim.forward_dynamics(s.q, s.v, tau, a);
    sim.inverse_dynamics(s.q, s.v, a, back);
    CHECK(near(tau, back, 1e-9));
    const std::vector<std::int32_t> prescribed(18, 1);
    sim.hybrid_dynamics(s.q, s.v, prescribed, back, a);
    CHECK(near(tau, back, 1e-9));
    sim.mass_matrix(s.q, M);
    const auto [kinetic, potential] = sim.energy(s.q, s.v);
    double twice = 0.0;
    for (std::size_t i = 0; i < 18; i++)
        for (std::size_t j = 0; j < 18; j++) twice += s.v[i] * M[i + 18 * j] * s.v[j];
    CHECK(std::abs(twice / 2 - kinetic) < 1e-10 && potential > 0.0);
    Numbers J(3 * 18), full(6 * 18), placements(16 * 14);
    const auto [mass, com] = sim.center_of_mass(s.q, J);
    const auto momentum = sim.momentum(s.q, s.v);
    double along = 0.0;
    for (std::size_t j = 0; j < 18; j++) along += mass * J[2 + 3 * j] * s.v[j];
    CHECK(std::abs(along - momentum[2]) < 1e-10 && com[2] > 0.0);
    sim.forward_kinematics(s.q, placements);
    CHECK(placements[16 + 14] == s.q[2]);
    sim.body_jacobian(s.q, 1, {}, full);
    CHECK(std::abs(full[0] - 1.0) < 1e-15);
    sim.inverse_dynamics_derivatives(s.q, s.v, a, x, y);
    sim.forward_dynamics_derivatives(s.q, s.v, tau, {}, {}, z);
    CHECK(z[0] > 0.0);
}

void motion(const Model &model) {
    Sim sim(model);
    State s(model);
    for (std::size_t i = 0; i < 18; i++) s.v[i] = std::cos(static_cast<double>(i));
    const Numbers a(18, 0.5), still(18, 0.0);
    const std::size_t n = 6 * model.nbody();
    Numbers velocities(n), rates(n), all(18 * n), J(6 * 18), rate(6 * 18), by_q(6 * 18);
    Numbers none;
    sim.body_velocities(s.q, s.v, DS_FRAME_LOCAL, velocities);
    for (std::size_t i = 0; i < 6; i++) CHECK(std::abs(velocities[6 + i] - s.v[i]) < 1e-14);
    sim.body_accelerations(s.q, s.v, a, DS_FRAME_LOCAL, rates);
    for (std::size_t i = 0; i < 6; i++) CHECK(std::abs(rates[6 + i] - a[i]) < 1e-14);
    sim.site_velocities(s.q, s.v, DS_FRAME_WORLD, none);
    sim.site_accelerations(s.q, s.v, a, DS_FRAME_WORLD, none);
    sim.body_jacobians(s.q, DS_FRAME_LOCAL_WORLD_ALIGNED, all);
    const std::array<double, 16> ahead{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0.5, 0, 0, 1};
    const diffsim::Frame frame{1, ahead, DS_FRAME_LOCAL};
    sim.frame_jacobian(s.q, frame, J);
    sim.frame_jacobian_rate(s.q, s.v, frame, rate);
    const auto velocity = sim.frame_velocity(s.q, s.v, frame, by_q);
    CHECK(std::abs(velocity[1] - (s.v[1] + 0.5 * s.v[5])) < 1e-14);
    const auto turning = sim.frame_acceleration(s.q, s.v, still, frame, {}, {}, by_q);
    CHECK(near(by_q, J, 1e-15));
    double along = 0.0;
    for (std::size_t j = 0; j < 18; j++) along += rate[6 * j] * s.v[j];
    CHECK(std::abs(along - turning[0]) < 1e-13);
    Numbers g(18), b(18), C(18 * 18), M(18 * 18), inverse(18 * 18), tau(18), Y(18 * 10 * 14);
    sim.gravity_forces(s.q, g, C);
    sim.bias_forces(s.q, s.v, b);
    sim.coriolis_matrix(s.q, s.v, C);
    for (std::size_t i = 0; i < 18; i++) {
        double sum = g[i];
        for (std::size_t j = 0; j < 18; j++) sum += C[i + 18 * j] * s.v[j];
        CHECK(std::abs(sum - b[i]) < 1e-11);
    }
    Numbers u(12, 0.5), l(12), r(12), f(12), by_u(18 * 12), each(12 * 12);
    CHECK(sim.generalized_forces(s.q, s.v, u, DS_FORCE_ACTUATOR, tau, {}, {}, by_u) == DS_GRADIENT_EXACT);
    CHECK(sim.actuator_states(s.q, s.v, u, l, r, f, {}, {}, each) == DS_GRADIENT_EXACT);
    double all_forces = 0.0, all_torques = 0.0;
    for (std::size_t i = 0; i < 12; i++) all_forces += f[i];
    for (std::size_t i = 0; i < 18; i++) all_torques += tau[i];
    CHECK(f[0] != 0.0 && std::abs(all_forces - all_torques) < 1e-12);
    CHECK(sim.tendon_states(s.q, s.v, none, none, none) == DS_GRADIENT_EXACT);
    // Of no sensors, and by the laws of the step.
    Numbers pull(18);
    CHECK(sim.sensor_jacobians(s.q, s.v, u, none) == DS_GRADIENT_EXACT);
    CHECK(sim.sensor_vjp(s.q, s.v, u, none, pull) == DS_GRADIENT_EXACT && pull[0] == 0.0);
    sim.sensors(s.q, s.v, u, none);
    sim.forward(s.q, s.v, u, pull);
    Numbers da_dv(18 * 18), wrenches(6 * 14), v_bar(18);
    sim.acceleration_jacobians({}, da_dv);
    sim.acceleration_vjp(pull, {}, v_bar);
    Numbers again(v_bar.size());
    sim.acceleration_vjp_act(pull, {}, again, {});
    CHECK(near(again, v_bar, 0.0));
    sim.acceleration_act_jacobian({});
    CHECK(sim.sensor_act_jacobian(s.q, s.v, u, none) == DS_GRADIENT_EXACT);
    CHECK(sim.sensor_vjp_act(s.q, s.v, u, none, again, {}, {}) == DS_GRADIENT_EXACT && again[0] == 0.0);
    double transposed = 0.0;
    for (std::size_t i = 0; i < 18; i++) transposed += da_dv[i] * pull[i];
    CHECK(std::abs(transposed - v_bar[0]) < 1e-9 * (1.0 + std::abs(v_bar[0])));
    sim.body_contact_wrenches(wrenches);
    Numbers torques(3 * sim.contacts().size());
    sim.contact_torques(torques);
    const diffsim::RayHit hit = sim.ray_cast(s.q, {0.0, 0.0, 5.0}, {0.0, 0.0, -1.0});
    std::vector<std::int32_t> seen(1);
    Numbers far(1);
    sim.ray_casts(s.q, std::vector<double>{0.0, 0.0, 5.0}, std::vector<double>{0.0, 0.0, -1.0}, 9.0, -1,
                  far, seen);
    CHECK(hit.geom >= 0 && seen[0] == hit.geom && far[0] == hit.distance);
    CHECK_THROWS(sim.inverse(s.q, s.v, u, a, pull), DS_ERR_UNSUPPORTED, "options.contact");
    CHECK_THROWS(sim.inverse_jacobians(C), DS_ERR_UNSUPPORTED, "options.contact");
    sim.mass_matrix(s.q, M);
    sim.mass_matrix_inverse(s.q, inverse);
    double one = 0.0;
    for (std::size_t j = 0; j < 18; j++) one += M[18 * j] * inverse[j];
    CHECK(std::abs(one - 1.0) < 1e-9);
    sim.inverse_dynamics_regressor(s.q, s.v, a, Y);
    const std::vector<std::int32_t> bodies{1};
    const Numbers lift{0, 0, 10, 0, 0, 0};
    sim.inverse_dynamics_with_wrenches(s.q, s.v, a, bodies, lift, tau);
    Numbers back(18);
    sim.forward_dynamics_with_wrenches(s.q, s.v, tau, bodies, lift, back);
    CHECK(near(back, a, 1e-9));
    Numbers com(3), drift(3), momentum(6), rate_of(6), A(6 * 18), x(6 * 18), y(6 * 18);
    sim.center_of_mass_motion(s.q, s.v, {}, com, drift);
    sim.centroidal_momentum(s.q, s.v, a, momentum, rate_of);
    sim.centroidal_map(s.q, A);
    sim.centroidal_derivatives(s.q, s.v, a, x, {}, {}, y);
    CHECK(near(A, y, 1e-12));
    double lifted = 0.0;
    for (std::size_t j = 0; j < 18; j++) lifted += A[2 + 6 * j] * s.v[j];
    CHECK(std::abs(lifted - momentum[2]) < 1e-11);
    const diffsim::Frame nowhere{99, {}, DS_FRAME_WORLD};
    CHECK_THROWS(sim.frame_jacobian(s.q, nowhere, J), DS_ERR_INVALID_ARGUMENT, "body");
}

void sites() {
    Builder builder;
    builder.set_gravity_compensation(0, 0.5);
    const auto inertia = diffsim::inertia_from_com(1.0, {}, {0.1, 0.0, 0.1, 0.0, 0.0, 0.1});
    const auto arm = builder.add_body(0, "arm", {}, inertia);
    ds_joint_desc hinge;
    ds_joint_desc_init(&hinge);
    builder.add_joint(arm, hinge);
    const std::array<double, 16> tip{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0.5, 0, 0, 1};
    CHECK(builder.add_site(0, "") == 0 && builder.add_site(arm, "tip", tip) == 1);
    const Model model = builder.build();
    CHECK(model.nsite() == 2 && model.site_id("tip") == 1 && model.site_name(1) == "tip");
    CHECK(model.site_body(1) == model.body_id("arm") && model.site_placement(1) == tip);
    CHECK(model.body_gravity_compensation(0) == 0.5);
    Sim sim(model);
    const Numbers q{std::acos(0.0)};
    Numbers placements(32), J(6);
    sim.site_placements(q, placements);
    CHECK(std::abs(placements[16 + 13] - 0.5) < 1e-15);
    sim.site_jacobian(q, 1, J);
    CHECK(std::abs(J[0] + 0.5) < 1e-15 && J[5] == 1.0);
    CHECK_THROWS(sim.site_jacobian(q, 2, J), DS_ERR_INVALID_ARGUMENT, "site");
}

void deformable_bodies() {
    Builder builder;
    const double nodes[] = {0, 0, 0, 0.1, 0, 0, 0, 0.1, 0, 0, 0, 0.1};
    const std::int32_t tets[] = {0, 1, 2, 3}, attached[] = {0, 1, 2}, bodies[] = {0, 0, 0};
    diffsim::DeformableDesc jelly;
    jelly.name = "jelly";
    jelly.node_count = 4;
    jelly.nodes = nodes;
    jelly.tet_count = 1;
    jelly.tets = tets;
    jelly.triangle_count = 1;
    jelly.triangles = attached;
    jelly.thickness = 1e-3;
    jelly.attach_count = 3;
    jelly.attach_nodes = attached;
    jelly.attach_bodies = bodies;
    CHECK_THROWS(builder.add_deformable(jelly), DS_ERR_INVALID_ARGUMENT, "young");
    jelly.young = 1e4;
    builder.add_deformable(jelly);
    const Model model = builder.build();
    CHECK(model.nv() == 3 && model.body_id("jelly_3") == 1);
}

void springs_and_tendons() {
    Builder builder;
    const auto inertia = diffsim::inertia_from_com(1.0, {}, {0.1, 0.0, 0.1, 0.0, 0.0, 0.1});
    const auto arm = builder.add_body(0, "arm", {}, inertia);
    diffsim::JointDesc hinge;
    hinge.name = "hinge";
    builder.add_joint(arm, hinge);
    diffsim::TendonDesc tendon;
    const char *joints[] = {"hinge"};
    const double coefficients[] = {0.5};
    tendon.name = "winch";
    tendon.kind = DS_TENDON_FIXED;
    tendon.count = 1;
    tendon.joints = joints;
    tendon.coefficients = coefficients;
    builder.add_tendon(tendon);
    diffsim::SpringDesc spring;
    spring.body2 = arm;
    spring.anchor2[0] = 1.0;
    spring.stiffness = 3.0;
    builder.add_spring(spring);
    diffsim::ActuatorDesc motor;
    motor.tendon = "winch";
    motor.gear[0] = 4.0;
    builder.add_actuator(motor);
    // Around a sphere, the longer way, and over a pulley; not in the first model.
    Builder other = Builder();
    const std::int32_t bodies[] = {0, 0, 0, 0, 0, 0}, sides_on[] = {-1, 0, -1, -1, -1, -1};
    const std::int32_t stations[] = {DS_PATH_POINT,  DS_PATH_SPHERE, DS_PATH_POINT,
                                     DS_PATH_PULLEY, DS_PATH_POINT,  DS_PATH_POINT};
    const double anchors[] = {-2, 0.5, 0, 0, 0, 0, 2, 0.5, 0, 0, 0, 0, 0, 0, 0, 0, 3, 0};
    const double sizes[] = {0, 1, 0, 2, 0, 0};
    const double sides[] = {0, 0, 0, 0, -1.5, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0};
    diffsim::TendonDesc wrap;
    wrap.count = 6;
    wrap.bodies = bodies;
    wrap.stations = stations;
    wrap.anchors = anchors;
    wrap.sizes = sizes;
    wrap.side_bodies = sides_on;
    wrap.sides = sides;
    other.add_tendon(wrap);
    Sim bent(other.build());
    Numbers around(1);
    bent.tendon_lengths(Numbers{}, around);
    const double s = std::sqrt(3.25), turned = std::acos(-1.0) + 2.0 * std::atan(0.25);
    CHECK(std::abs(around[0] - (2.0 * s + turned - 2.0 * std::atan(s) + 1.5)) < 1e-13);
    wrap.sizes = nullptr;
    CHECK_THROWS(other.add_tendon(wrap), DS_ERR_INVALID_ARGUMENT, "tendon.sizes");
    const Model model = builder.build();
    CHECK(model.ntendon() == 1 && model.tendon_id("winch") == 0 && model.tendon_name(0) == "winch");
    Sim sim(model);
    const Numbers q{0.4};
    Numbers lengths(1), moments(1), none(2);
    sim.tendon_lengths(q, lengths, moments);
    CHECK(std::abs(lengths[0] - 0.2) < 1e-15 && moments[0] == 0.5);
    CHECK_THROWS(sim.tendon_lengths(q, none), DS_ERR_INVALID_ARGUMENT, "lengths");
    // The inertia about the hinge is 0.1, and the spring adds h² k to it; the moment is 0.5, the gear 4.
    const Numbers v{0.0}, u{0.7};
    Numbers q_next(1), v_next(1);
    diffsim::Options smooth;
    smooth.contact = DS_CONTACT_NONE;
    Sim pulled(model, smooth);
    pulled.step(q, v, u, q_next, v_next);
    const double h = pulled.time_step();
    CHECK(std::abs(v_next[0] - h * 0.7 * 0.5 * 4.0 / (0.1 + h * h * 3.0)) < 1e-13);
    motor.joint = "hinge";
    CHECK_THROWS(builder.add_actuator(motor), DS_ERR_INVALID_ARGUMENT, "got joint and tendon");
    tendon.stiffness = -1.0;
    CHECK_THROWS(builder.add_tendon(tendon), DS_ERR_INVALID_ARGUMENT, "winch");
}

void rollouts_and_batches(const Model &model) {
    const State s(model);
    constexpr std::size_t n = 5;
    Numbers u, q(19 * (n + 1)), v(18 * (n + 1)), bar(18 * (n + 1), 1.0), q0(18), v0(18), u_bar(12 * n);
    for (std::size_t t = 0; t < n; t++) u.insert(u.end(), s.u.begin(), s.u.end());
    Rollout rollout(model, n);
    rollout.set_external_wrench(1, {});
    rollout.prescribe(7, 0.0);
    rollout.prescribe(7, NAN);
    rollout.run(s.q, s.v, u, n, q, v);
    rollout.adjoint(bar, bar, q0, v0, u_bar);
    CHECK(rollout.gradient() == DS_GRADIENT_EXACT && u_bar[0] != 0.0);
    CHECK(rollout.aware_report() == std::make_pair(std::size_t{0}, std::size_t{0}));
    const ds_param mass{DS_PARAM_BODY_INERTIA, 1, 0};
    rollout.select_params({&mass, 1});
    Numbers p(1);
    rollout.get_params(p);
    rollout.set_params(p);
    CHECK(rollout.np() == 1 && p[0] == 5.2);

    Batch batch(model, 2, 2);
    batch.select_params({&mass, 1});
    batch.get_params(1, p);
    batch.set_params(1, p);
    batch.set_external_wrench(0, 1, {});
    batch.prescribe(0, 7, 0.0);
    batch.prescribe(0, 7, NAN);
    Numbers q2(s.q), v2(s.v), u2(s.u);
    q2.insert(q2.end(), s.q.begin(), s.q.end());
    v2.insert(v2.end(), s.v.begin(), s.v.end());
    u2.insert(u2.end(), s.u.begin(), s.u.end());
    std::vector<ds_status> each(2, DS_ERR_INTERNAL);
    for (std::size_t t = 0; t < n; t++) batch.step(q2, v2, u2, q2, v2, each);
    CHECK(each[0] == DS_OK && each[1] == DS_OK && batch.count() == 2 && batch.threads() == 2);
    CHECK(Numbers(q2.begin() + 19, q2.end()) == Numbers(q.end() - 19, q.end()));
    Numbers B(2 * 18 * 12), bars(36, 1.0), inputs(24);
    diffsim::Jacobians out;
    out.dv_du = B;
    batch.step_jacobians(out);
    batch.step_vjp(bars, bars, {}, {}, inputs);
    CHECK(inputs[0] != 0.0 && inputs[0] == inputs[12] && batch.np() == 1);
    CHECK(batch.step_info(1).contacts == 4);
    Numbers starts_q(s.q), starts_v(s.v), long_u(u), q_two(2 * q.size()), v_two(2 * v.size());
    starts_q.insert(starts_q.end(), s.q.begin(), s.q.end());
    starts_v.insert(starts_v.end(), s.v.begin(), s.v.end());
    long_u.insert(long_u.end(), u.begin(), u.end());
    batch.reserve(n);
    batch.rollout(n, starts_q, starts_v, long_u, q_two, v_two, each);
    CHECK(each[1] == DS_OK && Numbers(q_two.begin() + static_cast<std::ptrdiff_t>(q.size()), q_two.end()) == q);
    Numbers bar_two(2 * bar.size(), 1.0), q0_two(36), v0_two(36), u_two(2 * u_bar.size()), p_two(2);
    batch.rollout_adjoint(bar_two, bar_two, q0_two, v0_two, u_two, p_two, each);
    CHECK(Numbers(u_two.begin(), u_two.begin() + static_cast<std::ptrdiff_t>(u_bar.size())) == u_bar);
    CHECK(batch.rollout_gradient() == std::vector<ds_gradient>(2 * n, DS_GRADIENT_EXACT));
    // One ends after two steps, the other goes on.
    const std::size_t lengths[] = {n, 2};
    std::size_t taken[2];
    std::vector<ds_gradient> known(2 * n);
    diffsim::Episodes episodes;
    episodes.q0 = starts_q, episodes.v0 = starts_v, episodes.u = long_u;
    episodes.lengths = lengths, episodes.taken = taken, episodes.labels = known;
    Numbers q_short(q_two.size());
    episodes.q = q_short;
    batch.run_episodes(n, episodes, each);
    CHECK(taken[0] == n && taken[1] == 2 && each[1] == DS_OK && known[0] == DS_GRADIENT_EXACT);
    CHECK(Numbers(q_short.begin(), q_short.begin() + static_cast<std::ptrdiff_t>(q.size())) ==
          Numbers(q_two.begin(), q_two.begin() + static_cast<std::ptrdiff_t>(q.size())));
    diffsim::EpisodesBars pull;
    Numbers u_short(u_two.size());
    pull.q_bar = bar_two, pull.v_bar = bar_two, pull.u_bar = u_short;
    batch.episodes_adjoint(pull, each);
    CHECK(Numbers(u_short.begin(), u_short.begin() + static_cast<std::ptrdiff_t>(u_bar.size())) == u_bar);
    CHECK(u_short[u_bar.size()] != 0.0 && u_short.back() == 0.0);
    episodes.lower = q_short;
    CHECK_THROWS(batch.run_episodes(n, episodes, each), DS_ERR_INVALID_ARGUMENT, "lower");
    batch.reset();
    batch.reset(1);
    CHECK_THROWS(batch.episodes_adjoint(pull), DS_ERR_NO_STEP, "rollout");
    CHECK_THROWS(batch.rollout_adjoint(bar_two, bar_two, q0_two, v0_two), DS_ERR_NO_STEP, "rollout");
    u2[12] = NAN;
    CHECK_THROWS(batch.step(q2, v2, u2, q2, v2, each), DS_ERR_NUMERICAL, "u");
    CHECK(each[0] == DS_OK && each[1] == DS_ERR_NUMERICAL);
}

void built_in_code() {
    Builder builder;
    builder.set_gravity({0.0, 0.0, -10.0});
    builder.set_actuation(DS_ACTUATION_FROM_FILE);
    const auto inertia = diffsim::inertia_from_com(2.0, {0.0, 0.0, -0.5}, {0.1, 0, 0.1, 0, 0, 0.1});
    const auto rod = builder.add_body(0, "rod", {}, inertia);
    diffsim::JointDesc joint;
    joint.name = "hinge";
    builder.add_joint(rod, joint);
    diffsim::GeomDesc geom;
    geom.size[0] = 0.1;
    builder.add_geom(rod, geom);
    diffsim::ActuatorDesc motor;
    motor.joint = "hinge";
    builder.add_actuator(motor);
    diffsim::EqualityDesc hold;
    hold.kind = DS_EQUALITY_JOINT;
    hold.joint1 = "hinge";
    builder.add_equality(hold);
    diffsim::TendonDesc cord;
    const char *joints[] = {"hinge"};
    const double coefficients[] = {2.0};
    cord.name = "cord", cord.kind = DS_TENDON_FIXED, cord.count = 1;
    cord.joints = joints, cord.coefficients = coefficients;
    builder.add_tendon(cord);
    diffsim::EqualityDesc wound;
    wound.kind = DS_EQUALITY_TENDON;
    wound.tendon1 = "cord";
    builder.add_equality(wound);
    wound.tendon2 = "rope";
    CHECK_THROWS(builder.add_equality(wound), DS_ERR_INVALID_ARGUMENT, "rope");
    diffsim::ReductionDesc alone;
    alone.joints = joints, alone.joint_count = 1;
    alone.matrix = coefficients;
    CHECK_THROWS(builder.add_reduction(alone), DS_ERR_INVALID_ARGUMENT, "columns");
    const Model model = builder.build();
    Numbers q(1), v(1);
    Sim(model).step(q, v, q, q, v);
    CHECK(std::abs(v[0]) < 1e-12);
    CHECK(model.nq() == 1 && model.nu() == 1 && model.gravity()[2] == -10.0);
    CHECK_THROWS(builder.add_joint(9, joint), DS_ERR_INVALID_ARGUMENT, "body");
}

void misuse(const Model &model, const std::string &models) {
    Sim sim(model);
    State s(model);
    Numbers shorter(3), q(19, 7.0), v(18, 7.0);
    CHECK_THROWS(sim.step(shorter, s.v, s.u, q, v), DS_ERR_INVALID_ARGUMENT,
                 "q: expected 19 numbers, got 3");
    CHECK_THROWS(sim.step(s.q, s.v, s.u, q, q), DS_ERR_INVALID_ARGUMENT,
                 "v_next: expected 18 numbers, got 19");
    CHECK_THROWS(sim.step(s.q, s.v, {}, q, v), DS_ERR_INVALID_ARGUMENT, "u: must not be NULL");
    diffsim::Jacobians out;
    CHECK_THROWS(sim.step_jacobians(out), DS_ERR_NO_STEP, "step");
    s.u[0] = NAN;
    CHECK_THROWS(sim.step(s.q, s.v, s.u, q, v), DS_ERR_NUMERICAL, "u[0]");
    CHECK(q[0] == 7.0 && v[0] == 7.0);
    out.dv_du = q;
    CHECK_THROWS(sim.step_jacobians(out), DS_ERR_INVALID_ARGUMENT, "dv_du: expected 216 numbers");
    const diffsim::Visuals drawn(model, models + "/quadruped.xml");
    for (std::size_t i = 0; i < drawn.size(); i++) CHECK(model.geom_id(drawn[i].name) >= 0);
    CHECK(drawn.left_out() == 0 && drawn.warning_count() == 0);
    CHECK_THROWS(drawn[99], DS_ERR_INVALID_ARGUMENT, "visual");
    CHECK_THROWS(drawn.warning(0), DS_ERR_INVALID_ARGUMENT, "warning");
    CHECK_THROWS(Model::load(models + "/none.urdf"), DS_ERR_IO, "none.urdf");
    CHECK_THROWS(Model::load_string("<robot", DS_FORMAT_URDF), DS_ERR_PARSE, "line 1");
    CHECK_THROWS(model.body_name(99), DS_ERR_INVALID_ARGUMENT, "body");
    CHECK_THROWS(model.keyframe("flying", q), DS_ERR_INVALID_ARGUMENT, "flying");
    diffsim::Options options;
    options.time_step = -1.0;
    CHECK_THROWS(Sim(model, options), DS_ERR_INVALID_ARGUMENT, "time_step");

    // Handles that were moved from; assigned to, they serve again.
    s.u[0] = 0.0;
    Sim other = std::move(sim);
    CHECK(!sim && other);
    CHECK_THROWS(sim.step(s.q, s.v, s.u, q, v), DS_ERR_INVALID_ARGUMENT, "sim: must not be NULL");
    CHECK_THROWS(sim.np(), DS_ERR_INVALID_ARGUMENT, "sim: must not be NULL");
    sim = std::move(other);
    sim.step(s.q, s.v, s.u, q, v);
    Model first = Model::load(models + "/cartpole.xml");
    const Model second = std::move(first);
    CHECK(second.nq() == 2);
    CHECK_THROWS(first.nq(), DS_ERR_INVALID_ARGUMENT, "model: must not be NULL");
    CHECK_THROWS(first.body_name(0), DS_ERR_INVALID_ARGUMENT, "model: must not be NULL");
    CHECK_THROWS(Sim{first}, DS_ERR_INVALID_ARGUMENT, "model: must not be NULL");
    Rollout rollout(second, 2);
    const Rollout kept = std::move(rollout);
    CHECK_THROWS(rollout.np(), DS_ERR_INVALID_ARGUMENT, "rollout: must not be NULL");
    Batch batch(second, 1);
    const Batch held = std::move(batch);
    CHECK_THROWS(batch.reset(), DS_ERR_INVALID_ARGUMENT, "batch: must not be NULL");
    Builder builder;
    const Builder owner = std::move(builder);
    CHECK_THROWS(builder.build(), DS_ERR_INVALID_ARGUMENT, "builder: must not be NULL");
}

void recordings(const Model &model) {
    diffsim::RecorderOptions options;
    CHECK(options.rate == 60.0);
    options.rate = 0.0;
    diffsim::Recorder recorder(model, options);
    const std::int32_t height = recorder.add_channel("height", 2);
    Sim sim(model);
    State s(model);
    for (int k = 0; k < 3; k++) {
        sim.step(s.q, s.v, s.u, s.q, s.v);
        recorder.set_channel(height, Numbers{s.q[2], 0.0});
        recorder.set_gradient(DS_QUANTITY_VELOCITY, Numbers(18, 1.0));
        recorder.add_arrow(1, {0.0, 0.0, 0.0}, {0.0, 0.0, 1.0});
        recorder.surface("patch", {{0.0, 0.0, 0.0}, {1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}}, {{0, 1, 2}});
        recorder.step(sim);
    }
    CHECK(recorder.frames() == 4 && recorder.dropped() == 0);
    recorder.state(1.0, s.q, s.v);
    Batch batch(model, 2);
    Numbers q(38), v(36), u(24);
    for (std::size_t i = 0; i < 38; i++) q[i] = s.q[i % 19];
    batch.step(q, v, u, q, v);
    recorder.step(batch, 1);
    Rollout rollout(model, 2);
    rollout.run(s.q, s.v, Numbers(24), 2, Numbers(57), Numbers(54));
    recorder.rollout(rollout, 2, Numbers(18, 1.0), {}, Numbers(24, 1.0));
    CHECK(recorder.frames() == 8);
    CHECK(recorder.bytes().substr(1, 3) == "DSR");
    CHECK(recorder.bytes().find("SURF") != std::string_view::npos);
    CHECK_THROWS(recorder.surface("patch", {{0.0, 0.0, 0.0}}, {{0, 0, 1}}), DS_ERR_INVALID_ARGUMENT,
                 "triangles[2]");
    recorder.surface("patch", {}, {});
    CHECK_THROWS(recorder.step(batch, 2), DS_ERR_INVALID_ARGUMENT, "element");
    CHECK_THROWS(recorder.open("/no such folder/a"), DS_ERR_IO, "path");
    CHECK_THROWS(recorder.save("/no such folder/a"), DS_ERR_IO, "path");
    CHECK_THROWS(recorder.add_visuals("/no/robot.urdf"), DS_ERR_IO, "robot.urdf");
    CHECK(recorder.warning_count() == 0 && recorder.warning(0).empty());
    recorder.flush();
}

/** A ball of 2 kg that slides on its lowest point: v = v_free - mu (impulse) along the motion. */
void problems() {
    diffsim::ProblemOptions options;
    CHECK(options.law == DS_CONTACT_NCP && options.max_contacts == 32);
    CHECK_THROWS(diffsim::Problem{options}, DS_ERR_INVALID_ARGUMENT, "options.nv");
    options.nv = 3;
    options.max_contacts = 1;
    diffsim::Problem problem(options);
    CHECK_THROWS(problem.info(), DS_ERR_NO_STEP, "no problem");
    const Numbers A{2, 0, 0, 0, 2, 0, 0, 0, 2}, J{1, 0, 0, 0, 1, 0, 0, 0, 1}, free{1, 0, -0.1}, target(3), friction{0.5};
    Numbers v(3), impulse(3), dv(3), dimpulse(3), A_bar(9), J_bar(9), free_bar(3), target_bar(3), friction_bar(1);
    const auto info = problem.solve({A, J, free, target, friction, {}}, v, impulse);
    CHECK(info.converged == 1 && info.contacts == 1);
    CHECK(near(v, {0.95, 0, 0}, 1e-12) && near(impulse, {-0.1, 0, 0.2}, 1e-12));
    CHECK(problem.modes() == std::vector<std::int32_t>{DS_MODE_SLIDING} && problem.impulses_unique());
    problem.jvp({{}, {}, Numbers{0, 0, 1}, {}, Numbers{0.1}, {}}, dv, dimpulse);
    CHECK(near(dv, {0.5 - 0.01, 0, 0}, 1e-12) && problem.info().gradient == DS_GRADIENT_EXACT);
    problem.vjp(Numbers{1, 0, 0}, {}, {A_bar, J_bar, free_bar, target_bar, friction_bar, {}});
    CHECK(near(free_bar, {1, 0, 0.5}, 1e-12) && near(friction_bar, {-0.1}, 1e-12));
    CHECK_THROWS(problem.solve({A, J, free, free, friction, target}, v, impulse), DS_ERR_INVALID_ARGUMENT, "compliance");
    CHECK_THROWS(problem.solve({J, Numbers(6), free, target, friction, {}}, v, impulse), DS_ERR_INVALID_ARGUMENT, "J");
    problem.reset();
    CHECK_THROWS(problem.jvp({}, dv), DS_ERR_NO_STEP, "no problem");
}

/** A foot of the quadruped where it stands at another configuration. */
void inverse_kinematics(const Model &model) {
    diffsim::IkOptions options;
    options.max_restarts = 3;
    options.limits = 0;
    diffsim::Ik ik(model, options);
    diffsim::IkTask task;
    task.body = static_cast<std::int32_t>(model.nbody()) - 1;
    CHECK(ik.add_task(task) == 0 && ik.target_size(0) == 16 && ik.residual_size(0) == 6);
    task.kind = DS_IK_POSTURE;
    task.weight = 1e-3;
    CHECK(ik.add_task(task) == 1 && ik.ntask() == 2 && ik.variation_size() == 6 + model.nv());
    Numbers q(model.nq()), residual(6), dq(model.nv()), bar(ik.variation_size()), all(model.nv() * ik.variation_size());
    Numbers start(model.nq());
    model.neutral(start);
    CHECK_THROWS(ik.solve(start, q), DS_ERR_INVALID_ARGUMENT, "no target");
    diffsim::Sim sim(model);
    Numbers places(16 * model.nbody()), moved = start, step(model.nv(), 0.1);
    model.integrate(start, step, moved);
    sim.forward_kinematics(moved, places);
    ik.set_target(0, diffsim::In(places.data() + places.size() - 16, 16));
    CHECK_THROWS(ik.set_target(1, residual), DS_ERR_INVALID_ARGUMENT, "target");
    CHECK_THROWS(ik.set_target(7, residual), DS_ERR_INVALID_ARGUMENT, "task: must be the number of a task");
    ik.set_target(1, moved);
    const auto info = ik.solve(start, q);
    CHECK(info.outcome == DS_IK_SOLVED && info.residual < 1e-10 && near(q, moved, 1e-8));
    ik.residual(0, residual);
    CHECK_THROWS(ik.residual(-1, residual), DS_ERR_INVALID_ARGUMENT, "task: must be the number of a task");
    CHECK(near(residual, Numbers(6), 1e-10));
    CHECK(ik.gradient().gradient == DS_GRADIENT_EXACT && ik.gradient().unique);
    ik.jacobian(all);
    ik.jvp(Numbers(ik.variation_size(), 1.0), dq);
    ik.vjp(Numbers(model.nv(), 1.0), bar);
    double forward = 0, backward = 0;
    for (const double x : dq) forward += x;
    for (const double x : bar) backward += x;
    CHECK(std::abs(forward - backward) < 1e-9);
    ik.set_weight(1, 0.0);
    CHECK_THROWS(ik.gradient(), DS_ERR_NO_STEP, "solve first");
}

/** A plan for one step of the quadruped, and a regulator of a number. */
void control(const Model &model) {
    Numbers K(1), P(1);
    diffsim::lqr(1, 1, Numbers{1.0}, Numbers{1.0}, Numbers{1.0}, Numbers{1.0}, K, P);
    CHECK(near(P, {0.5 + std::sqrt(1.25)}, 1e-12));
    CHECK_THROWS(diffsim::lqr(1, 1, Numbers{2.0}, Numbers{0.0}, K, P, K, P), DS_ERR_NOT_CONVERGED, "Riccati");
    diffsim::IlqrOptions options;
    options.max_iterations = 2;
    diffsim::Ilqr ilqr(model, 2, {}, options);
    CHECK(ilqr.steps() == 2);
    Numbers q(model.nq()), v(model.nv()), u(model.nu()), inputs(2 * model.nu()), gains(2 * model.nu() * model.nv());
    model.neutral(q);
    CHECK_THROWS(ilqr.gains(0, gains), DS_ERR_NO_STEP, "no plan");
    ilqr.set_weights(Numbers(2 * model.nv(), 1.0), Numbers(2 * model.nv(), 1.0), Numbers(model.nu(), 1.0));
    ilqr.set_reference(-1, q, v, u);
    ilqr.set_input_bounds(Numbers(model.nu(), -1.0), Numbers(model.nu(), 1.0));
    const auto info = ilqr.solve(q, v, inputs);
    CHECK(info.cost <= info.first_cost);
    Numbers places(3 * model.nq()), speeds(3 * model.nv());
    ilqr.states(places, speeds);
    ilqr.gains(1, gains);
    CHECK(near(Numbers(places.begin(), places.begin() + static_cast<std::ptrdiff_t>(model.nq())), q, 0.0));
    CHECK_THROWS(ilqr.solve(q, q, inputs), DS_ERR_INVALID_ARGUMENT, "v0");
    ilqr.prescribe(static_cast<std::int32_t>(model.nv()) - 1, 0.25);
    ilqr.set_external_wrench(1, Numbers(6, 0.1));
    CHECK_THROWS(ilqr.states(places, speeds), DS_ERR_NO_STEP, "no plan");
    ilqr.set_act_reference(-1, Numbers());
    CHECK(ilqr.solve_act(q, v, Numbers(), inputs).first_cost > 0.0);
    ilqr.states_act(places, speeds, Numbers());
    CHECK(speeds[2 * model.nv() - 1] == 0.25);
}

}  // namespace

void activations() {
    const Model model = Model::load_string(
        "<mujoco><worldbody><body><joint name='a' axis='0 1 0'/><geom size='.1' pos='.3 0 0'/></body></worldbody>"
        "<actuator><motor joint='a'/><general joint='a' dyntype='filter' dynprm='.1' gainprm='2'/></actuator>"
        "<keyframe><key name='k' act='.3'/></keyframe></mujoco>",
        DS_FORMAT_MJCF);
    CHECK(model.nu() == 2 && model.na() == 1 && model.act_actuator(0) == 1 && model.act_actuator(1) == -1);
    Numbers act(1), q{0.2}, v{0.1}, q_next(1), v_next(1);
    const Numbers u{0.4, 1.0};
    model.keyframe_act("k", act);
    CHECK(act[0] == 0.3);
    diffsim::Options options;
    options.contact = DS_CONTACT_NONE;
    options.time_step = 0.01;
    Sim sim(model, options);
    CHECK(sim.na() == 1);
    sim.set_act(act);
    sim.step(q, v, u, q_next, v_next);
    sim.get_act(act);
    CHECK(std::abs(act[0] - (0.3 + 0.1 * 0.7)) < 1e-15);

    Numbers by_act(1), of_u(2), by_u(2), own(1), zero(1);
    diffsim::Jacobians jacobians;
    jacobians.dv_du = by_u;
    sim.step_jacobians(jacobians);
    diffsim::ActJacobians acts;
    acts.dv_dact = by_act;
    acts.dact_du = of_u;
    acts.dact_dact = own;
    acts.dact_dv = zero;
    sim.step_act_jacobians(acts);
    CHECK(near({2.0 * by_u[0], 0.0}, {by_act[0], by_u[1]}, 1e-14));
    CHECK(near({of_u[0], of_u[1], own[0], zero[0]}, {0.0, 0.1, 0.9, 0.0}, 1e-15));
    Numbers dq(1), dv(1), dact(1), q_bar(1), v_bar(1), act_bar(1), u_bar(2);
    const Numbers one{1.0}, none{0.0}, input{0.0, 1.0};
    sim.step_jvp_act(none, none, one, input, {}, dq, dv, dact);
    CHECK(near({dv[0], dact[0]}, {by_act[0], 1.0}, 1e-14));
    sim.step_vjp_act(none, one, one, q_bar, v_bar, act_bar, u_bar);
    CHECK(near({act_bar[0], u_bar[1]}, {by_act[0] + 0.9, 0.1}, 1e-14));
    CHECK_THROWS(sim.set_act(u), DS_ERR_INVALID_ARGUMENT, "act");

    Rollout rollout(model, 2, options);
    Numbers qs(3), vs(3), path(3), zeros(3), u_bars(4);
    rollout.run_act(q, v, one, Numbers{0.0, 0.0, 0.0, 0.0}, 2, qs, vs, path);
    CHECK(near(path, {1.0, 0.9, 0.81}, 1e-15));
    rollout.adjoint_act(zeros, zeros, Numbers{0.0, 0.0, 1.0}, q_bar, v_bar, act_bar, u_bars);
    CHECK(near({act_bar[0], u_bars[1], u_bars[3]}, {0.81, 0.09, 0.1}, 1e-14));

    Batch batch(model, 2, 1, options);
    Numbers both{0.5, 1.0};
    batch.set_act(both);
    Numbers next_q(2), next_v(2);
    batch.step(Numbers(2), Numbers(2), Numbers(4), next_q, next_v);
    batch.get_act(both);
    CHECK(near(both, {0.45, 0.9}, 1e-15));
}

int main(int argc, char **argv) {
    if (argc != 2) return 2;
    const std::string models = argv[1];
    const Model model = Model::load(models + "/quadruped.xml");
    CHECK(diffsim::abi_version() == DS_ABI_VERSION && diffsim::version() == DS_VERSION_STRING);
    model_queries(model);
    steps(model);
    geometry(model);
    smoothing(model);
    inverse_kinematics(model);
    control(model);
    compliant_contact(model);
    dynamics(model);
    motion(model);
    rollouts_and_batches(model);
    activations();
    sites();
    deformable_bodies();
    springs_and_tendons();
    built_in_code();
    recordings(model);
    saving(model);
    problems();
    misuse(model, models);
    return report();
}
