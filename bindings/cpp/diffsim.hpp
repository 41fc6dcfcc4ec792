/**
 * @file
 * diffsim for C++17: handles that release themselves, exceptions, and views with a length. Every call is a
 * call of the C library; see diffsim.h for its meaning and rules.
 *
 * Arguments and results are View: anything with data() and size() becomes one (std::vector, std::array,
 * std::span, Eigen's dense objects), as does an array. A wrong length throws before the call.
 * A default View stands for NULL: a result that you do not want, or an input if nu = 0.
 *
 * Every failure throws diffsim::Error with the status and the message of the C library, and leaves
 * results and handles as they were. After a move you may only assign to the old handle or destroy it;
 * other calls throw.
 *
 * With Eigen included before this header, or DIFFSIM_EIGEN defined, diffsim::matrix and diffsim::vector
 * are Eigen maps of memory, without a copy.
 */
#ifndef DIFFSIM_HPP
#define DIFFSIM_HPP

#include <array>
#include <vector>

#include "diffsim_act.hpp"
#include "diffsim_model.hpp"
#include "diffsim_questions.hpp"
#include "diffsim_view.hpp"

namespace diffsim {

/** Destinations of Jacobians, column-major; a default View for those that you do not want. */
struct Jacobians {
    Out dq_dq, dq_dv, dq_du, dq_dp, dv_dq, dv_dv, dv_du, dv_dp;

    /** The C struct for `count` steps. */
    ds_step_jacobians expect(std::size_t nv, std::size_t nu, std::size_t np,
                             std::size_t count = 1) const {
        return expect_sizes(nv * nv * count, nv * nu * count, nv * np * count);
    }
    /** The C struct, with these numbers of columns by q or v, by u and by p. */
    ds_step_jacobians expect_sizes(std::size_t square, std::size_t inputs,
                                   std::size_t params) const {
        return {dq_dq.expect(square, "dq_dq"), dq_dv.expect(square, "dq_dv"),
                dq_du.expect(inputs, "dq_du"), dq_dp.expect(params, "dq_dp"),
                dv_dq.expect(square, "dv_dq"), dv_dv.expect(square, "dv_dv"),
                dv_du.expect(inputs, "dv_du"), dv_dp.expect(params, "dv_dp")};
    }
};

/** Labels of the columns by q and v (nv each), u (nu) and p (np). */
struct ColumnLabels {
    std::vector<std::uint8_t> q, v, u, p;
};

/** A simulation. Use it from one thread at a time. */
class Sim : public detail::Handle<ds_sim, ds_sim_free>,
            public detail::Questions<Sim>,
            public detail::Activations<Sim> {
public:
    explicit Sim(const Model &model, const Options &options = {})
        : Handle(made(ds_sim_create, static_cast<const ds_model *>(model.get()), &options)),
          nq_(model.nq()), nv_(model.nv()), nu_(model.nu()), nbody_(model.nbody()),
          nsite_(model.nsite()), ntendon_(model.ntendon()), na_(model.na()), nsensordata_(model.nsensordata()) {}

    /** Length of a step [s]: that of the options, or the model's. */
    double time_step() const { return value(ds_sim_time_step(get())); }
    /** A ds_integrator: that of the options, or the nearest one to that of the model's file. */
    std::int32_t integrator() const { return value(ds_sim_integrator(get())); }

    void step(In q, In v, In u, Out q_next, Out v_next) {
        check(ds_sim_step(get(), q.expect(nq_, "q"), v.expect(nv_, "v"), u.expect(nu_, "u"),
                          q_next.expect(nq_, "q_next"), v_next.expect(nv_, "v_next")));
    }
    /** A step and its linear model: A 2nv×2nv, B 2nv×nu; a default View to omit one. */
    void linearize(In q, In v, In u, Out A, Out B = {}) {
        check(ds_sim_linearize(get(), q.expect(nq_, "q"), v.expect(nv_, "v"), u.expect(nu_, "u"),
                               A.expect(4 * nv_ * nv_, "A"), B.expect(2 * nv_ * nu_, "B")));
    }
    void step_jacobians(const Jacobians &out) {
        const ds_step_jacobians jacobians = out.expect(nv_, nu_, np());
        check(ds_sim_step_jacobians(get(), &jacobians));
    }
    /** Number of structural nonzeros of the last step's Jacobians. */
    ds_jacobian_entries jacobian_entries() {
        ds_jacobian_entries out{};
        check(ds_sim_jacobian_entries(get(), &out));
        return out;
    }
    /** Their positions, in compressed columns. */
    void jacobian_pattern(const ds_jacobian_entries &entries, View<std::int32_t> state_starts,
                          View<std::int32_t> state_rows, View<std::int32_t> input_starts = {},
                          View<std::int32_t> input_rows = {}) {
        check(ds_sim_jacobian_pattern(get(), &entries, state_starts.expect(nv_ + 1, "state_starts"),
                                      state_rows.expect(entries.by_state, "state_rows"),
                                      input_starts.expect(nu_ + 1, "input_starts"),
                                      input_rows.expect(entries.by_input, "input_rows")));
    }
    /** Their values, in the same order; dq_dp and dv_dp are dense. */
    void step_jacobians_sparse(const ds_jacobian_entries &entries, const Jacobians &out) {
        const ds_step_jacobians jacobians =
            out.expect_sizes(entries.by_state, entries.by_input, nv_ * np());
        check(ds_sim_step_jacobians_sparse(get(), &entries, &jacobians));
    }
    void step_jvp(In dq, In dv, In du, In dp, Out dq_next, Out dv_next) {
        check(ds_sim_step_jvp(get(), dq.expect(nv_, "dq"), dv.expect(nv_, "dv"),
                              du.expect(nu_, "du"), dp.expect(np(), "dp"),
                              dq_next.expect(nv_, "dq_next"), dv_next.expect(nv_, "dv_next")));
    }
    /** 3 rows a contact. Returns true if the state determines every impulse. */
    bool impulse_jacobians(Out by_q, Out by_v, Out by_u = {}, Out by_p = {}) {
        const std::size_t rows = 3 * contacts().size();
        std::int32_t unique = 0;
        check(ds_sim_impulse_jacobians(get(), by_q.expect(rows * nv_, "by_q"),
                                       by_v.expect(rows * nv_, "by_v"),
                                       by_u.expect(rows * nu_, "by_u"),
                                       by_p.expect(rows * np(), "by_p"), &unique));
        return unique == 1;
    }
    bool impulse_jvp(In dq, In dv, In du, In dp, Out dimpulse) {
        std::int32_t unique = 0;
        check(ds_sim_impulse_jvp(get(), dq.expect(nv_, "dq"), dv.expect(nv_, "dv"),
                                 du.expect(nu_, "du"), dp.expect(np(), "dp"),
                                 dimpulse.expect(3 * contacts().size(), "dimpulse"), &unique));
        return unique == 1;
    }
    bool impulse_vjp(In impulse_bar, Out q_bar, Out v_bar, Out u_bar = {}, Out p_bar = {}) {
        std::int32_t unique = 0;
        check(ds_sim_impulse_vjp(get(), impulse_bar.expect(3 * contacts().size(), "impulse_bar"),
                                 q_bar.expect(nv_, "q_bar"), v_bar.expect(nv_, "v_bar"),
                                 u_bar.expect(nu_, "u_bar"), p_bar.expect(np(), "p_bar"), &unique));
        return unique == 1;
    }
    void step_vjp(In q_next_bar, In v_next_bar, Out q_bar, Out v_bar, Out u_bar = {},
                  Out p_bar = {}) {
        check(ds_sim_step_vjp(get(), q_next_bar.expect(nv_, "q_next_bar"),
                              v_next_bar.expect(nv_, "v_next_bar"), q_bar.expect(nv_, "q_bar"),
                              v_bar.expect(nv_, "v_bar"), u_bar.expect(nu_, "u_bar"),
                              p_bar.expect(np(), "p_bar")));
    }
    /// 0: the exact gradient, 1: the aware one.
    std::int32_t step_vjp_aware(In q_next_bar, In v_next_bar, Out q_bar, Out v_bar, Out u_bar = {},
                                Out p_bar = {}) {
        std::int32_t which = 0;
        check(ds_sim_step_vjp_aware(
            get(), q_next_bar.expect(nv_, "q_next_bar"), v_next_bar.expect(nv_, "v_next_bar"),
            q_bar.expect(nv_, "q_bar"), v_bar.expect(nv_, "v_bar"), u_bar.expect(nu_, "u_bar"),
            p_bar.expect(np(), "p_bar"), &which));
        return which;
    }
    /** Of single columns of the last step's derivative: 0 exact, 1 one-sided. */
    ColumnLabels column_labels() {
        ColumnLabels out;
        out.q.resize(nv_);
        out.v.resize(nv_);
        out.u.resize(nu_);
        out.p.resize(np());
        check(ds_sim_column_labels(get(), out.q.data(), out.v.data(), out.u.data(), out.p.data()));
        return out;
    }
    std::size_t aware_contacts() const {
        std::size_t out = 0;
        check(ds_sim_aware_contacts(get(), &out));
        return out;
    }
    ds_smoothing_info smoothed_jacobians(const Smoothing &smoothing, const Jacobians &out) {
        const ds_step_jacobians jacobians = out.expect(nv_, nu_, np());
        ds_smoothing_info info{};
        check(ds_sim_smoothed_jacobians(get(), &smoothing, &jacobians, &info));
        return info;
    }
    void relaxed_step(const Smoothing &smoothing, Out q_next, Out v_next) {
        check(ds_sim_relaxed_step(get(), &smoothing, q_next.expect(nq_, "q_next"),
                                  v_next.expect(nv_, "v_next")));
    }

    void collide(In q) { check(ds_sim_collide(get(), q.expect(nq_, "q"))); }
    /** With nv columns a contact; the rows a contact are 3, 3, 6 and 1. */
    ds_gradient contact_derivatives(Out dpoint, Out dnormal, Out dtangents, Out dgap) {
        const std::size_t columns = nv_ * contacts().size();
        ds_gradient gradient{};
        check(ds_sim_contact_derivatives(
            get(), dpoint.expect(3 * columns, "dpoint"), dnormal.expect(3 * columns, "dnormal"),
            dtangents.expect(6 * columns, "dtangents"), dgap.expect(columns, "dgap"), &gradient));
        return gradient;
    }
    ds_distance distance(std::int32_t geom_a, std::int32_t geom_b, In q, Out ddistance = {}) {
        ds_distance out{};
        check(ds_sim_distance(get(), geom_a, geom_b, q.expect(nq_, "q"), &out,
                              ddistance.expect(nv_, "ddistance")));
        return out;
    }
    ds_smoothed_distance smoothed_distance(std::int32_t geom_a, std::int32_t geom_b, In q,
                                           const DistanceSmoothing &smoothing, Out ddistance = {},
                                           Out dpoint = {}, Out dnormal = {}) {
        ds_smoothed_distance out{};
        check(ds_sim_smoothed_distance(get(), geom_a, geom_b, q.expect(nq_, "q"), &smoothing, &out,
                                       ddistance.expect(nv_, "ddistance"),
                                       dpoint.expect(3 * nv_, "dpoint"),
                                       dnormal.expect(3 * nv_, "dnormal")));
        return out;
    }
    void set_pair_enabled(std::int32_t geom_a, std::int32_t geom_b, bool enabled) {
        check(ds_sim_set_pair_enabled(get(), geom_a, geom_b, enabled ? 1 : 0));
    }
    /** Of the last step or collide, until the next call. */
    Contacts contacts() const {
        const ds_contact *start = nullptr;
        std::size_t count = 0;
        check(ds_sim_contacts(get(), &start, &count));
        return {start, count, ds_contact_size()};
    }
    /** A polygon of a hydroelastic patch: its number among the contacts, its vertices and the pressures
     * there. */
    struct PatchFace {
        std::size_t contact;
        std::vector<std::array<double, 3>> vertices;
        std::vector<double> pressures;
    };
    /** Of the last step or collide. */
    std::vector<PatchFace> patch_faces() const {
        const double *vertices = nullptr, *pressures = nullptr;
        const std::size_t *starts = nullptr;
        std::size_t count = 0;
        check(ds_sim_patch_faces(get(), &vertices, &pressures, &starts, &count));
        std::vector<PatchFace> out;
        for (std::size_t i = 0; i < count; i++) {
            if (starts[i] == starts[i + 1]) continue;
            PatchFace face{i, {}, {pressures + starts[i], pressures + starts[i + 1]}};
            for (std::size_t k = starts[i]; k < starts[i + 1]; k++) {
                face.vertices.push_back({vertices[3 * k], vertices[3 * k + 1], vertices[3 * k + 2]});
            }
            out.push_back(std::move(face));
        }
        return out;
    }
    /** Of the last step or collide. */
    std::vector<ds_patch> patches() const {
        const ds_patch *start = nullptr;
        std::size_t count = 0;
        check(ds_sim_patches(get(), &start, &count));
        // Records of a newer library may be longer.
        const std::size_t stride = ds_patch_size();
        std::vector<ds_patch> out(count);
        for (std::size_t i = 0; i < count; i++) {
            out[i] = *reinterpret_cast<const ds_patch *>(reinterpret_cast<const char *>(start) + i * stride);
        }
        return out;
    }
    ds_step_info step_info() const {
        ds_step_info out{};
        check(ds_sim_step_info(get(), &out));
        return out;
    }
    void set_external_wrench(std::int32_t body, const Wrench &wrench) {
        check(ds_sim_set_external_wrench(get(), body, wrench.data()));
    }
    /// Velocity of a dof at the end of every following step; NaN frees it.
    void prescribe(std::int32_t dof, double velocity) {
        check(ds_sim_prescribe(get(), dof, velocity));
    }
    /// NaN for free dofs.
    void prescribed_velocities(Out velocity) const {
        check(ds_sim_prescribed_velocities(get(), velocity.expect(nv_, "velocity")));
    }
    /// Impulses on the dofs with a prescribed velocity in the last step; see ds_sim_prescribed_impulses.
    void prescribed_impulses(Out impulse) {
        check(ds_sim_prescribed_impulses(get(), impulse.expect(nv_, "impulse")));
    }
    /// Generalized force in every following step, with its slopes by q and v at the start of the step, nv×nv
    /// column-major.
    void set_force(In tau, In by_q, In by_v) {
        check(ds_sim_set_force(get(), tau.expect(nv_, "tau"), by_q.expect(nv_ * nv_, "K"),
                               by_v.expect(nv_ * nv_, "D")));
    }
    /// The same without slopes.
    void set_force(In tau) {
        check(ds_sim_set_force(get(), tau.expect(nv_, "tau"), nullptr, nullptr));
    }
    /// Removes it.
    void clear_force() { check(ds_sim_set_force(get(), nullptr, nullptr, nullptr)); }
    void reset() { check(ds_sim_reset(get())); }
    std::size_t memory_size() const { return value(ds_sim_memory_size(get())); }
    void get_memory(Out warm) const {
        check(ds_sim_get_memory(get(), warm.expect(memory_size(), "warm")));
    }
    void set_memory(In warm) {
        check(ds_sim_set_memory(get(), warm.expect(memory_size(), "warm")));
    }

    void select_params(View<const ds_param> params) {
        check(ds_sim_select_params(get(), params.data(), params.size()));
    }
    std::size_t np() const { return value(ds_sim_np(get())); }
    void get_params(Out p) const { check(ds_sim_get_params(get(), p.expect(np(), "p"))); }
    void set_params(In p) { check(ds_sim_set_params(get(), p.expect(np(), "p"))); }

    void forward_kinematics(In q, Out placements) {
        check(ds_forward_kinematics(get(), q.expect(nq_, "q"),
                                    placements.expect(16 * nbody_, "placements")));
    }
    void inverse_dynamics(In q, In v, In a, Out tau) {
        check(ds_inverse_dynamics(get(), q.expect(nq_, "q"), v.expect(nv_, "v"),
                                  a.expect(nv_, "a"), tau.expect(nv_, "tau")));
    }
    void forward_dynamics(In q, In v, In tau, Out a) {
        check(ds_forward_dynamics(get(), q.expect(nq_, "q"), v.expect(nv_, "v"),
                                  tau.expect(nv_, "tau"), a.expect(nv_, "a")));
    }
    void hybrid_dynamics(In q, In v, View<const std::int32_t> prescribed, Out tau, Out a) {
        check(ds_hybrid_dynamics(get(), q.expect(nq_, "q"), v.expect(nv_, "v"),
                                 prescribed.expect(nv_, "prescribed"), tau.expect(nv_, "tau"),
                                 a.expect(nv_, "a")));
    }
    void mass_matrix(In q, Out M) {
        check(ds_mass_matrix(get(), q.expect(nq_, "q"), M.expect(nv_ * nv_, "M")));
    }
    void inverse_dynamics_derivatives(In q, In v, In a, Out dtau_dq, Out dtau_dv) {
        check(ds_inverse_dynamics_derivatives(
            get(), q.expect(nq_, "q"), v.expect(nv_, "v"), a.expect(nv_, "a"),
            dtau_dq.expect(nv_ * nv_, "dtau_dq"), dtau_dv.expect(nv_ * nv_, "dtau_dv")));
    }
    void forward_dynamics_derivatives(In q, In v, In tau, Out da_dq, Out da_dv, Out da_dtau) {
        check(ds_forward_dynamics_derivatives(
            get(), q.expect(nq_, "q"), v.expect(nv_, "v"), tau.expect(nv_, "tau"),
            da_dq.expect(nv_ * nv_, "da_dq"), da_dv.expect(nv_ * nv_, "da_dv"),
            da_dtau.expect(nv_ * nv_, "da_dtau")));
    }
    void body_jacobian(In q, std::int32_t body, const Vector3 &point, Out J) {
        check(ds_body_jacobian(get(), q.expect(nq_, "q"), body, point.data(),
                               J.expect(6 * nv_, "J")));
    }
    /** 4×4 of each site, column-major. */
    void site_placements(In q, Out placements) {
        check(ds_site_placements(get(), q.expect(nq_, "q"),
                                 placements.expect(16 * nsite_, "placements")));
    }
    void site_jacobian(In q, std::int32_t site, Out J) {
        check(ds_site_jacobian(get(), q.expect(nq_, "q"), site, J.expect(6 * nv_, "J")));
    }
    /** ntendon numbers; of moments nv×ntendon. */
    void tendon_lengths(In q, Out lengths, Out moments = {}) {
        check(ds_sim_tendon_lengths(get(), q.expect(nq_, "q"), lengths.expect(ntendon_, "lengths"),
                                    moments.expect(nv_ * ntendon_, "moments")));
    }
    /** Kinetic energy, and potential energy in gravity and of springs, of joints and tendons, too [J]. */
    std::pair<double, double> energy(In q, In v) {
        double kinetic = 0.0, potential = 0.0;
        check(ds_energy(get(), q.expect(nq_, "q"), v.expect(nv_, "v"), &kinetic, &potential));
        return {kinetic, potential};
    }
    /** Mass and centre; its Jacobian, 3×nv, goes to J. */
    std::pair<double, Vector3> center_of_mass(In q, Out J = {}) {
        std::pair<double, Vector3> out{};
        check(ds_center_of_mass(get(), q.expect(nq_, "q"), &out.first, out.second.data(),
                                J.expect(3 * nv_, "J")));
        return out;
    }
    Wrench momentum(In q, In v, const Vector3 &about = {}) {
        Wrench out{};
        check(ds_momentum(get(), q.expect(nq_, "q"), v.expect(nv_, "v"), about.data(), out.data()));
        return out;
    }

private:
    friend detail::Questions<Sim>;
    friend detail::Activations<Sim>;
    std::size_t nq_, nv_, nu_, nbody_, nsite_, ntendon_, na_, nsensordata_;
};

/** A trajectory and its adjoint. Use it from one thread at a time. */
class Rollout : public detail::Handle<ds_rollout, ds_rollout_free> {
public:
    Rollout(const Model &model, std::size_t max_steps, const Options &options = {})
        : Handle(made(ds_rollout_create, static_cast<const ds_model *>(model.get()), &options,
                      max_steps)),
          nq_(model.nq()), nv_(model.nv()), nu_(model.nu()), na_(model.na()) {}

    /** Length of a step [s]: that of the options, or the model's. */
    double time_step() const { return value(ds_rollout_time_step(get())); }
    /** The integrator in use, a DS_INTEGRATOR_ value. */
    std::int32_t integrator() const { return value(ds_rollout_integrator(get())); }

    /** u: nu×steps; q: nq×(steps+1), v: nv×(steps+1). */
    void run(In q0, In v0, In u, std::size_t steps, Out q, Out v) {
        check(ds_rollout_run(get(), q0.expect(nq_, "q0"), v0.expect(nv_, "v0"),
                             u.expect(nu_ * steps, "u"), steps, q.expect(nq_ * (steps + 1), "q"),
                             v.expect(nv_ * (steps + 1), "v")));
        steps_ = steps;
    }
    void adjoint(In q_bar, In v_bar, Out q0_bar, Out v0_bar, Out u_bar = {}, Out p_bar = {}) {
        const std::size_t states = nv_ * (steps_ + 1);
        check(ds_rollout_adjoint(get(), q_bar.expect(states, "q_bar"),
                                 v_bar.expect(states, "v_bar"), q0_bar.expect(nv_, "q0_bar"),
                                 v0_bar.expect(nv_, "v0_bar"), u_bar.expect(nu_ * steps_, "u_bar"),
                                 p_bar.expect(np(), "p_bar")));
    }
    /** From the activations act0: na; act: na×(steps+1). */
    void run_act(In q0, In v0, In act0, In u, std::size_t steps, Out q, Out v, Out act) {
        const std::size_t n = steps + 1;
        check(ds_rollout_run_act(get(), q0.expect(nq_, "q0"), v0.expect(nv_, "v0"),
                                 act0.expect(na_, "act0"), u.expect(nu_ * steps, "u"), steps,
                                 q.expect(nq_ * n, "q"), v.expect(nv_ * n, "v"),
                                 act.expect(na_ * n, "act")));
        steps_ = steps;
    }
    void adjoint_act(In q_bar, In v_bar, In act_bar, Out q0_bar, Out v0_bar, Out act0_bar,
                     Out u_bar = {}, Out p_bar = {}) {
        const std::size_t n = steps_ + 1;
        check(ds_rollout_adjoint_act(
            get(), q_bar.expect(nv_ * n, "q_bar"), v_bar.expect(nv_ * n, "v_bar"),
            act_bar.expect(na_ * n, "act_bar"), q0_bar.expect(nv_, "q0_bar"),
            v0_bar.expect(nv_, "v0_bar"), act0_bar.expect(na_, "act0_bar"),
            u_bar.expect(nu_ * steps_, "u_bar"), p_bar.expect(np(), "p_bar")));
    }
    ds_gradient gradient() const {
        ds_gradient out{};
        check(ds_rollout_gradient(get(), &out));
        return out;
    }
    /// Steps that took the aware gradient, and their contacts and limits in other modes.
    std::pair<std::size_t, std::size_t> aware_report() const {
        std::size_t steps = 0, contacts = 0;
        check(ds_rollout_aware_report(get(), &steps, &contacts));
        return {steps, contacts};
    }
    void select_params(View<const ds_param> params) {
        check(ds_rollout_select_params(get(), params.data(), params.size()));
    }
    std::size_t np() const { return value(ds_rollout_np(get())); }
    void get_params(Out p) const { check(ds_rollout_get_params(get(), p.expect(np(), "p"))); }
    void set_params(In p) { check(ds_rollout_set_params(get(), p.expect(np(), "p"))); }
    void set_external_wrench(std::int32_t body, const Wrench &wrench) {
        check(ds_rollout_set_external_wrench(get(), body, wrench.data()));
    }
    void prescribe(std::int32_t dof, double velocity) {
        check(ds_rollout_prescribe(get(), dof, velocity));
    }

private:
    std::size_t nq_, nv_, nu_, na_, steps_ = 0;
};

/** Arguments and results of Batch::run_episodes, as in C; a default View for those not wanted. */
struct Episodes {
    In q0, v0, u, act0, p;
    View<const std::size_t> lengths;
    In lower, upper;
    Out q, v, act, sensors;
    View<std::size_t> taken;
    View<ds_gradient> labels;
};

/** Arguments and results of Batch::episodes_adjoint, as in C; a default View for those not wanted. */
struct EpisodesBars {
    In q_bar, v_bar, act_bar, sensors_bar;
    Out q0_bar, v0_bar, act0_bar, u_bar, p_bar;
};

/** Many simulations of one model, over threads. Column i of each array belongs to element i. */
class Batch : public detail::Handle<ds_batch, ds_batch_free> {
public:
    Batch(const Model &model, std::size_t count, std::size_t threads = 0,
          const Options &options = {})
        : Handle(made(ds_batch_create, static_cast<const ds_model *>(model.get()), &options, count,
                      threads)),
          nq_(model.nq()), nv_(model.nv()), nu_(model.nu()), na_(model.na()),
          nsensordata_(model.nsensordata()) {}

    std::size_t count() const { return value(ds_batch_count(get())); }
    /** Length of a step [s]: that of the options, or the model's. */
    double time_step() const { return value(ds_batch_time_step(get())); }
    /** The integrator in use, a DS_INTEGRATOR_ value. */
    std::int32_t integrator() const { return value(ds_batch_integrator(get())); }
    std::size_t threads() const { return value(ds_batch_threads(get())); }

    /** Throws the error of the first element that failed; each: all statuses. */
    void step(In q, In v, In u, Out q_next, Out v_next, View<ds_status> each = {}) {
        const std::size_t n = count();
        check(ds_batch_step(get(), q.expect(nq_ * n, "q"), v.expect(nv_ * n, "v"),
                            u.expect(nu_ * n, "u"), q_next.expect(nq_ * n, "q_next"),
                            v_next.expect(nv_ * n, "v_next"), each.expect(n, "each")));
    }
    void step_jacobians(const Jacobians &out, View<ds_status> each = {}) {
        const ds_step_jacobians jacobians = out.expect(nv_, nu_, np(), count());
        check(ds_batch_step_jacobians(get(), &jacobians, each.expect(count(), "each")));
    }
    void step_vjp(In q_next_bar, In v_next_bar, Out q_bar, Out v_bar, Out u_bar = {},
                  Out p_bar = {}, View<ds_status> each = {}) {
        const std::size_t n = count(), states = nv_ * n;
        check(ds_batch_step_vjp(get(), q_next_bar.expect(states, "q_next_bar"),
                                v_next_bar.expect(states, "v_next_bar"),
                                q_bar.expect(states, "q_bar"), v_bar.expect(states, "v_bar"),
                                u_bar.expect(nu_ * n, "u_bar"), p_bar.expect(np() * n, "p_bar"),
                                each.expect(n, "each")));
    }
    /** Allocates memory for rollouts of up to `steps` steps. */
    void reserve(std::size_t steps) { check(ds_batch_reserve(get(), steps)); }
    /** A trajectory of every element, as Rollout::run; throws as step does. */
    void rollout(std::size_t steps, In q0, In v0, In u, Out q, Out v, View<ds_status> each = {}) {
        const std::size_t n = count();
        check(ds_batch_rollout(get(), steps, q0.expect(nq_ * n, "q0"), v0.expect(nv_ * n, "v0"),
                               u.expect(nu_ * steps * n, "u"),
                               q.expect(nq_ * (steps + 1) * n, "q"),
                               v.expect(nv_ * (steps + 1) * n, "v"), each.expect(n, "each")));
    }
    /** Trajectories that may end early, with outputs of the states; throws as step does. */
    void run_episodes(std::size_t steps, const Episodes &e, View<ds_status> each = {}) {
        const std::size_t n = count(), states = (steps + 1) * n;
        ds_episodes c;
        ds_episodes_init(&c);
        c.q0 = e.q0.expect(nq_ * n, "q0");
        c.v0 = e.v0.expect(nv_ * n, "v0");
        c.u = e.u.expect(nu_ * steps * n, "u");
        c.act0 = e.act0.expect(na_ * n, "act0");
        c.p = e.p.expect(np() * n, "p");
        c.lengths = e.lengths.expect(n, "lengths");
        c.lower = e.lower.expect(nq_ + nv_, "lower");
        c.upper = e.upper.expect(nq_ + nv_, "upper");
        c.q = e.q.expect(nq_ * states, "q");
        c.v = e.v.expect(nv_ * states, "v");
        c.act = e.act.expect(na_ * states, "act");
        c.sensors = e.sensors.expect(nsensordata_ * states, "sensors");
        c.taken = e.taken.expect(n, "taken");
        c.labels = e.labels.expect(steps * n, "labels");
        check(ds_batch_run_episodes(get(), steps, &c, each.expect(n, "each")));
    }
    /** Of the last trajectories and the readings of sensors. */
    void episodes_adjoint(const EpisodesBars &e, View<ds_status> each = {}) {
        const std::size_t n = count(), steps = rollout_steps(), states = (steps + 1) * n;
        ds_episodes_bars c;
        ds_episodes_bars_init(&c);
        // Without a rollout there are no sizes to compare with.
        if (steps == 0) check(ds_batch_episodes_adjoint(get(), &c, nullptr));
        c.q_bar = e.q_bar.expect(nv_ * states, "q_bar");
        c.v_bar = e.v_bar.expect(nv_ * states, "v_bar");
        c.act_bar = e.act_bar.expect(na_ * states, "act_bar");
        c.sensors_bar = e.sensors_bar.expect(nsensordata_ * states, "sensors_bar");
        c.q0_bar = e.q0_bar.expect(nv_ * n, "q0_bar");
        c.v0_bar = e.v0_bar.expect(nv_ * n, "v0_bar");
        c.act0_bar = e.act0_bar.expect(na_ * n, "act0_bar");
        c.u_bar = e.u_bar.expect(nu_ * steps * n, "u_bar");
        c.p_bar = e.p_bar.expect(np() * n, "p_bar");
        check(ds_batch_episodes_adjoint(get(), &c, each.expect(n, "each")));
    }
    /** Number of steps of the last rollouts; 0 without one. */
    std::size_t rollout_steps() const { return value(ds_batch_rollout_steps(get())); }
    /** Of the last rollout of every element, as Rollout::adjoint. */
    void rollout_adjoint(In q_bar, In v_bar, Out q0_bar, Out v0_bar, Out u_bar = {},
                         Out p_bar = {}, View<ds_status> each = {}) {
        const std::size_t n = count(), steps = rollout_steps(), states = nv_ * (steps + 1) * n;
        // Without a rollout there are no sizes to compare with.
        if (steps == 0)
            check(ds_batch_rollout_adjoint(get(), nullptr, nullptr, nullptr, nullptr, nullptr,
                                           nullptr, nullptr));
        check(ds_batch_rollout_adjoint(
            get(), q_bar.expect(states, "q_bar"), v_bar.expect(states, "v_bar"),
            q0_bar.expect(nv_ * n, "q0_bar"), v0_bar.expect(nv_ * n, "v0_bar"),
            u_bar.expect(nu_ * steps * n, "u_bar"), p_bar.expect(np() * n, "p_bar"),
            each.expect(n, "each")));
    }
    /** The label of every step in the last rollout_adjoint: steps×count. */
    std::vector<ds_gradient> rollout_gradient() const {
        std::vector<ds_gradient> labels(rollout_steps() * count());
        check(ds_batch_rollout_gradient(get(), labels.data()));
        return labels;
    }
    ds_step_info step_info(std::size_t element) const {
        ds_step_info out{};
        check(ds_batch_step_info(get(), element, &out));
        return out;
    }
    void select_params(View<const ds_param> params) {
        check(ds_batch_select_params(get(), params.data(), params.size()));
    }
    std::size_t np() const { return value(ds_batch_np(get())); }
    void get_params(std::size_t element, Out p) const {
        check(ds_batch_get_params(get(), element, p.expect(np(), "p")));
    }
    void set_params(std::size_t element, In p) {
        check(ds_batch_set_params(get(), element, p.expect(np(), "p")));
    }
    void set_external_wrench(std::size_t element, std::int32_t body, const Wrench &wrench) {
        check(ds_batch_set_external_wrench(get(), element, body, wrench.data()));
    }
    void prescribe(std::size_t element, std::int32_t dof, double velocity) {
        check(ds_batch_prescribe(get(), element, dof, velocity));
    }
    /** Activations at the start of the next steps: na×count. */
    void set_act(In act) { check(ds_batch_set_act(get(), act.expect(na_ * count(), "act"))); }
    void get_act(Out act) const {
        check(ds_batch_get_act(get(), act.expect(na_ * count(), "act")));
    }
    void reset() { check(ds_batch_reset(get())); }
    void reset(std::size_t element) { check(ds_batch_reset_element(get(), element)); }

private:
    std::size_t nq_, nv_, nu_, na_, nsensordata_;
};

/** Versions of the library, and the name of a status. */
inline std::uint32_t abi_version() { return ds_abi_version(); }
inline std::string_view version() { return ds_version_string(); }
inline std::string_view status_name(ds_status status) { return ds_status_name(status); }

}  // namespace diffsim

#include "diffsim_control.hpp"
#include "diffsim_ik.hpp"
#include "diffsim_problem.hpp"
#include "diffsim_recorder.hpp"

#endif  // DIFFSIM_HPP
