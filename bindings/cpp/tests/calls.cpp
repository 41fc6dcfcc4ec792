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
    CHECK(model.warning_count() == 0);
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
    CHECK(!sim.push_out_given_up());
    CHECK(sim.work() >= 1.0 && sim.work() < 50.0);

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
    CHECK_THROWS(Sim(model).select_params({&stiffness, 1}), DS_ERR_UNSUPPORTED, "ContactStiffness");
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
    const Model model = builder.build();
    CHECK(model.ntendon() == 1 && model.tendon_id("winch") == 0 && model.tendon_name(0) == "winch");
    Sim sim(model);
    const Numbers q{0.4};
    Numbers lengths(1), moments(1), none(2);
    sim.tendon_lengths(q, lengths, moments);
    CHECK(std::abs(lengths[0] - 0.2) < 1e-15 && moments[0] == 0.5);
    CHECK_THROWS(sim.tendon_lengths(q, none), DS_ERR_INVALID_ARGUMENT, "lengths");
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
    batch.reset();
    batch.reset(1);
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

}  // namespace

int main(int argc, char **argv) {
    if (argc != 2) return 2;
    const std::string models = argv[1];
    const Model model = Model::load(models + "/quadruped.xml");
    CHECK(diffsim::abi_version() == DS_ABI_VERSION && diffsim::version() == DS_VERSION_STRING);
    model_queries(model);
    steps(model);
    geometry(model);
    smoothing(model);
    compliant_contact(model);
    dynamics(model);
    rollouts_and_batches(model);
    sites();
    springs_and_tendons();
    built_in_code();
    recordings(model);
    saving(model);
    problems();
    misuse(model, models);
    return report();
}
