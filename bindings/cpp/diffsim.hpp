/**
 * @file
 * diffsim for C++17: handles that release themselves, exceptions, and views with a length. Everything is
 * done by the C library; diffsim.h says what each call means, and its rules hold here too.
 *
 * Arguments and results are View: anything with data() and size() becomes one (std::vector, std::array,
 * std::span, Eigen's dense objects), as does an array. A length that is not the library's throws before
 * the call. A default View stands for NULL: a result that is not wanted, an input where nu = 0.
 *
 * Every failure throws diffsim::Error with the status and the message of the C library, and leaves
 * results and handles as they were. A handle that was moved from may only be assigned to or destroyed;
 * other calls throw.
 *
 * With Eigen included before this header, or DIFFSIM_EIGEN defined, diffsim::matrix and diffsim::vector
 * look at memory as Eigen maps, without a copy.
 */
#ifndef DIFFSIM_HPP
#define DIFFSIM_HPP

#include <vector>

#include "diffsim_act.hpp"
#include "diffsim_questions.hpp"
#include "diffsim_view.hpp"

namespace diffsim {

/** A robot or scene: constant, safe to use from many threads at once. */
class Model : public detail::Handle<ds_model, ds_model_free> {
public:
    static Model load(const std::string &path, const LoadOptions &options = {}) {
        return Model(made(ds_model_load, path.c_str(), &options));
    }
    static Model load_string(std::string_view text, ds_format format,
                             const LoadOptions &options = {}) {
        return Model(made(ds_model_load_string, text.data(), text.size(),
                          static_cast<std::int32_t>(format), &options));
    }

    /** Saves to a .urdf, or an .xml or .mjcf (MJCF); what the format could not say, one line each. */
    std::vector<std::string> save(const std::string &path, const SaveOptions &options = {}) const {
        ds_saved *made = nullptr;
        check(ds_model_save(get(), path.c_str(), &options, &made));
        const std::unique_ptr<ds_saved, void (*)(ds_saved *)> saved(made, ds_saved_free);
        std::vector<std::string> lines;
        for (std::size_t i = 0; i < ds_saved_warning_count(made); ++i)
            lines.emplace_back(ds_saved_warning(made, i));
        return lines;
    }

    std::size_t nq() const { return value(ds_model_nq(get())); }
    std::size_t nv() const { return value(ds_model_nv(get())); }
    std::size_t nu() const { return value(ds_model_nu(get())); }
    /** Activations: the states of actuators that have one. */
    std::size_t na() const { return value(ds_model_na(get())); }
    /** The actuator that an activation drives; -1 for an index that is none. */
    std::int32_t act_actuator(std::int32_t activation) const {
        return ds_model_act_actuator(get(), activation);
    }
    std::size_t nbody() const { return value(ds_model_nbody(get())); }
    std::size_t njoint() const { return value(ds_model_njoint(get())); }
    std::size_t ngeom() const { return value(ds_model_ngeom(get())); }
    std::size_t nsensor() const { return value(ds_model_nsensor(get())); }
    /** Numbers that all sensors tell. */
    std::size_t nsensordata() const { return value(ds_model_nsensordata(get())); }
    std::size_t nsite() const { return value(ds_model_nsite(get())); }
    std::size_t ntendon() const { return value(ds_model_ntendon(get())); }
    std::size_t nkeyframe() const { return value(ds_model_nkeyframe(get())); }

    /** Ids by name, -1 for none; names by id. */
    std::int32_t body_id(const std::string &name) const {
        return value(ds_model_body_id(get(), name.c_str()));
    }
    std::int32_t joint_id(const std::string &name) const {
        return value(ds_model_joint_id(get(), name.c_str()));
    }
    std::int32_t geom_id(const std::string &name) const {
        return value(ds_model_geom_id(get(), name.c_str()));
    }
    std::int32_t sensor_id(const std::string &name) const {
        return value(ds_model_sensor_id(get(), name.c_str()));
    }
    /** Where the numbers of a sensor begin. */
    std::int32_t sensor_adr(std::int32_t i) const { return value(ds_model_sensor_adr(get(), i)); }
    std::int32_t sensor_dim(std::int32_t i) const { return value(ds_model_sensor_dim(get(), i)); }
    ds_sensor_kind sensor_kind(std::int32_t i) const {
        return static_cast<ds_sensor_kind>(value(ds_model_sensor_kind(get(), i)));
    }
    std::string_view sensor_name(std::int32_t i) const {
        return name(ds_model_sensor_name(get(), i));
    }
    std::int32_t site_id(const std::string &name) const {
        return value(ds_model_site_id(get(), name.c_str()));
    }
    std::int32_t tendon_id(const std::string &name) const {
        return value(ds_model_tendon_id(get(), name.c_str()));
    }
    std::int32_t actuator_id(const std::string &name) const {
        return value(ds_model_actuator_id(get(), name.c_str()));
    }
    std::string_view body_name(std::int32_t i) const { return name(ds_model_body_name(get(), i)); }
    std::string_view joint_name(std::int32_t i) const {
        return name(ds_model_joint_name(get(), i));
    }
    std::string_view geom_name(std::int32_t i) const { return name(ds_model_geom_name(get(), i)); }
    std::string_view site_name(std::int32_t i) const { return name(ds_model_site_name(get(), i)); }
    std::string_view tendon_name(std::int32_t i) const {
        return name(ds_model_tendon_name(get(), i));
    }
    std::string_view actuator_name(std::int32_t i) const {
        return name(ds_model_actuator_name(get(), i));
    }
    std::string_view keyframe_name(std::int32_t i) const {
        return name(ds_model_keyframe_name(get(), i));
    }
    std::size_t warning_count() const { return value(ds_model_warning_count(get())); }
    std::string_view warning(std::size_t i) const { return name(ds_model_warning(get(), i)); }

    std::int32_t body_parent(std::int32_t body) const {
        return value(ds_model_body_parent(get(), body));
    }
    Placement body_placement(std::int32_t body) const {
        return read<16>(ds_model_body_placement, body);
    }
    InertiaVector body_inertia(std::int32_t body) const {
        return read<10>(ds_model_body_inertia, body);
    }
    /** Share of its own weight that a force at its centre of mass carries. */
    double body_gravity_compensation(std::int32_t body) const {
        return read<1>(ds_model_body_gravity_compensation, body)[0];
    }
    /** Which of the mocap bodies it is, -1 of another. */
    std::int32_t body_mocap(std::int32_t body) const { return ds_model_body_mocap(get(), body); }
    std::int32_t joint_type(std::int32_t joint) const {
        return value(ds_model_joint_type(get(), joint));
    }
    std::int32_t joint_body(std::int32_t joint) const {
        return value(ds_model_joint_body(get(), joint));
    }
    std::int32_t joint_q_index(std::int32_t joint) const {
        return value(ds_model_joint_q_index(get(), joint));
    }
    std::int32_t joint_v_index(std::int32_t joint) const {
        return value(ds_model_joint_v_index(get(), joint));
    }
    std::int32_t joint_nq(std::int32_t joint) const {
        return value(ds_model_joint_nq(get(), joint));
    }
    std::int32_t joint_nv(std::int32_t joint) const {
        return value(ds_model_joint_nv(get(), joint));
    }
    /** Lower and upper bound. */
    std::array<double, 2> joint_limits(std::int32_t joint) const {
        return read<2>(ds_model_joint_limits, joint);
    }
    std::array<double, 2> joint_effort_velocity(std::int32_t joint) const {
        return read<2>(ds_model_joint_effort_velocity, joint);
    }
    std::int32_t site_body(std::int32_t site) const {
        return value(ds_model_site_body(get(), site));
    }
    Placement site_placement(std::int32_t site) const {
        return read<16>(ds_model_site_placement, site);
    }
    std::int32_t geom_body(std::int32_t geom) const {
        return value(ds_model_geom_body(get(), geom));
    }
    std::int32_t geom_type(std::int32_t geom) const {
        return value(ds_model_geom_type(get(), geom));
    }
    Vector3 geom_size(std::int32_t geom) const { return read<3>(ds_model_geom_size, geom); }
    Placement geom_placement(std::int32_t geom) const {
        return read<16>(ds_model_geom_placement, geom);
    }
    Vector3 geom_friction(std::int32_t geom) const { return read<3>(ds_model_geom_friction, geom); }
    double geom_restitution(std::int32_t geom) const { return read<1>(ds_model_geom_restitution, geom)[0]; }
    Vector3 gravity() const {
        Vector3 out{};
        check(ds_model_gravity(get(), out.data()));
        return out;
    }
    double time_step() const { return value(ds_model_time_step(get())); }

    bool pair_enabled(std::int32_t geom_a, std::int32_t geom_b) const {
        const std::int32_t enabled = ds_model_pair_enabled(get(), geom_a, geom_b);
        if (enabled < 0) throw Error(DS_ERR_INVALID_ARGUMENT, ds_last_error());
        return enabled == 1;
    }
    /** A copy in which pairs of geoms (two ids each) may touch, or never do. */
    Model with_pairs(View<const std::int32_t> geoms, bool enabled) const {
        if (geoms.size() % 2 != 0)
            throw Error(DS_ERR_INVALID_ARGUMENT, "geoms: expected two ids a pair");
        return Model(made(ds_model_with_pairs, static_cast<const ds_model *>(get()), geoms.data(),
                          geoms.size() / 2, enabled ? 1 : 0));
    }
    /** A copy with more actuators, whose inputs come after those that there are. */
    Model with_actuators(View<const ActuatorDesc> actuators) const {
        static_assert(sizeof(ActuatorDesc) == sizeof(ds_actuator_desc));
        return Model(made(ds_model_with_actuators, static_cast<const ds_model *>(get()),
                          static_cast<const ds_actuator_desc *>(actuators.data()), actuators.size()));
    }
    /** A copy in which what overlaps by construction never touches; a default View for q is neutral. */
    Model exclude_overlapping(In q = {}) const {
        return Model(made(ds_model_exclude_overlapping, static_cast<const ds_model *>(get()),
                          q.expect(nq(), "q")));
    }

    void neutral(Out q) const { check(ds_model_neutral(get(), q.expect(nq(), "q"))); }
    /** Within limits, without overlap where that is found, on the ground. */
    void home(Out q) const { check(ds_model_home(get(), q.expect(nq(), "q"))); }
    /** na numbers. */
    void keyframe_act(const std::string &name, Out act) const {
        check(ds_model_keyframe_act(get(), name.c_str(), act.expect(na(), "act")));
    }
    void keyframe(const std::string &name, Out q, Out v = {}, Out u = {}) const {
        check(ds_model_keyframe(get(), name.c_str(), q.expect(nq(), "q"), v.expect(nv(), "v"),
                                u.expect(nu(), "u")));
    }
    void integrate(In q, In dv, Out q_out) const {
        check(ds_model_integrate(get(), q.expect(nq(), "q"), dv.expect(nv(), "dv"),
                                 q_out.expect(nq(), "q_out")));
    }
    void difference(In q0, In q1, Out dv_out) const {
        check(ds_model_difference(get(), q0.expect(nq(), "q0"), q1.expect(nq(), "q1"),
                                  dv_out.expect(nv(), "dv_out")));
    }
    void q_from_mujoco(In qpos, Out q) const {
        check(ds_model_q_from_mujoco(get(), qpos.expect(nq(), "qpos"), q.expect(nq(), "q")));
    }
    void q_to_mujoco(In q, Out qpos) const {
        check(ds_model_q_to_mujoco(get(), q.expect(nq(), "q"), qpos.expect(nq(), "qpos")));
    }
    void v_from_mujoco(In q, In qvel, Out v) const {
        check(ds_model_v_from_mujoco(get(), q.expect(nq(), "q"), qvel.expect(nv(), "qvel"),
                                     v.expect(nv(), "v")));
    }
    void v_to_mujoco(In q, In v, Out qvel) const {
        check(ds_model_v_to_mujoco(get(), q.expect(nq(), "q"), v.expect(nv(), "v"),
                                   qvel.expect(nv(), "qvel")));
    }

private:
    friend class Builder;
    explicit Model(ds_model *model) noexcept : Handle(model) {}

    template <std::size_t N, class F>
    std::array<double, N> read(F function, std::int32_t index) const {
        std::array<double, N> out{};
        check(function(get(), index, out.data()));
        return out;
    }
};

/** What a file draws of a robot; its ds_visual live as long as it does. */
class Visuals : public detail::Handle<ds_visuals, ds_visuals_free> {
public:
    Visuals(const Model &model, const std::string &path, const LoadOptions &options = {})
        : Handle(made(ds_visuals_load, static_cast<const ds_model *>(model.get()), path.c_str(), &options)) {}

    std::size_t size() const { return value(ds_visuals_count(get())); }
    const ds_visual &operator[](std::size_t i) const {
        const ds_visual *found = ds_visuals_at(get(), i);
        if (found == nullptr) throw Error(DS_ERR_INVALID_ARGUMENT, ds_last_error());
        return *found;
    }
    /** Number of shapes whose mesh is missing or cannot be read; why, one line each. */
    std::size_t left_out() const { return value(ds_visuals_left_out(get())); }
    std::size_t warning_count() const { return value(ds_visuals_warning_count(get())); }
    std::string_view warning(std::size_t i) const { return name(ds_visuals_warning(get(), i)); }
};

/** Collects the description of a model. */
class Builder : public detail::Handle<ds_builder, ds_builder_free> {
public:
    Builder() : Handle(made(ds_builder_create)) {}

    void set_gravity(const Vector3 &gravity) {
        check(ds_builder_set_gravity(get(), gravity.data()));
    }
    void set_actuation(ds_actuation actuation) {
        check(ds_builder_set_actuation(get(), static_cast<std::int32_t>(actuation)));
    }
    /** A default View for placement is the identity, for inertia none. */
    std::int32_t add_body(std::int32_t parent, const std::string &name, In placement = {},
                          In inertia = {}) {
        std::int32_t out = -1;
        check(ds_builder_add_body(get(), parent, name.empty() ? nullptr : name.c_str(),
                                  placement.expect(16, "placement"), inertia.expect(10, "inertia"),
                                  &out));
        return out;
    }
    void add_joint(std::int32_t body, const ds_joint_desc &joint) {
        check(ds_builder_add_joint(get(), body, &joint));
    }
    std::int32_t add_geom(std::int32_t body, const ds_geom_desc &geom) {
        std::int32_t out = -1;
        check(ds_builder_add_geom(get(), body, &geom, &out));
        return out;
    }
    /** A default View for placement is the identity. */
    std::int32_t add_site(std::int32_t body, const std::string &name, In placement = {}) {
        std::int32_t out = -1;
        check(ds_builder_add_site(get(), body, name.empty() ? nullptr : name.c_str(),
                                  placement.expect(16, "placement"), &out));
        return out;
    }
    /** 1 and the body floats. */
    void set_gravity_compensation(std::int32_t body, double share) {
        check(ds_builder_set_gravity_compensation(get(), body, share));
    }
    void add_actuator(const ds_actuator_desc &actuator) {
        check(ds_builder_add_actuator(get(), &actuator));
    }
    void add_spring(const ds_spring_desc &spring) { check(ds_builder_add_spring(get(), &spring)); }
    void add_tendon(const ds_tendon_desc &tendon) { check(ds_builder_add_tendon(get(), &tendon)); }
    void add_sensor(const ds_sensor_desc &sensor) { check(ds_builder_add_sensor(get(), &sensor)); }
    void add_equality(const ds_equality_desc &equality) {
        check(ds_builder_add_equality(get(), &equality));
    }
    Model build() const {
        return Model(Model::made(ds_builder_build, static_cast<const ds_builder *>(get())));
    }
};

/** The inertia about a body's origin; inertia: Ixx, Ixy, Iyy, Ixz, Iyz, Izz about the centre of mass. */
inline InertiaVector inertia_from_com(double mass, const Vector3 &com,
                                      const std::array<double, 6> &inertia) {
    InertiaVector out{};
    check(ds_inertia_from_com(mass, com.data(), inertia.data(), out.data()));
    return out;
}

/** Where Jacobians go, column-major; a default View for those not wanted. */
struct Jacobians {
    Out dq_dq, dq_dv, dq_du, dq_dp, dv_dq, dv_dv, dv_du, dv_dp;

    /** As in C, for `count` steps. */
    ds_step_jacobians expect(std::size_t nv, std::size_t nu, std::size_t np,
                             std::size_t count = 1) const {
        return expect_sizes(nv * nv * count, nv * nu * count, nv * np * count);
    }
    /** As in C, of so many numbers by q or v, by u and by p. */
    ds_step_jacobians expect_sizes(std::size_t square, std::size_t inputs,
                                   std::size_t params) const {
        return {dq_dq.expect(square, "dq_dq"), dq_dv.expect(square, "dq_dv"),
                dq_du.expect(inputs, "dq_du"), dq_dp.expect(params, "dq_dp"),
                dv_dq.expect(square, "dv_dq"), dv_dv.expect(square, "dv_dv"),
                dv_du.expect(inputs, "dv_du"), dv_dp.expect(params, "dv_dp")};
    }
};

/** One simulation. One thread at a time. */
class Sim : public detail::Handle<ds_sim, ds_sim_free>,
            public detail::Questions<Sim>,
            public detail::Activations<Sim> {
public:
    explicit Sim(const Model &model, const Options &options = {})
        : Handle(made(ds_sim_create, static_cast<const ds_model *>(model.get()), &options)),
          nq_(model.nq()), nv_(model.nv()), nu_(model.nu()), nbody_(model.nbody()),
          nsite_(model.nsite()), ntendon_(model.ntendon()), na_(model.na()), nsensordata_(model.nsensordata()) {}

    void step(In q, In v, In u, Out q_next, Out v_next) {
        check(ds_sim_step(get(), q.expect(nq_, "q"), v.expect(nv_, "v"), u.expect(nu_, "u"),
                          q_next.expect(nq_, "q_next"), v_next.expect(nv_, "v_next")));
    }
    void step_jacobians(const Jacobians &out) {
        const ds_step_jacobians jacobians = out.expect(nv_, nu_, np());
        check(ds_sim_step_jacobians(get(), &jacobians));
    }
    /** How many entries of the last step's Jacobians may differ from zero. */
    ds_jacobian_entries jacobian_entries() {
        ds_jacobian_entries out{};
        check(ds_sim_jacobian_entries(get(), &out));
        return out;
    }
    /** Which these are, in compressed columns. */
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
    /** 3 rows a contact; returns whether every impulse is determined by the state. */
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
    /// 0: the exact gradient, 1: another.
    std::int32_t step_vjp_aware(In q_next_bar, In v_next_bar, Out q_bar, Out v_bar, Out u_bar = {},
                                Out p_bar = {}) {
        std::int32_t which = 0;
        check(ds_sim_step_vjp_aware(
            get(), q_next_bar.expect(nv_, "q_next_bar"), v_next_bar.expect(nv_, "v_next_bar"),
            q_bar.expect(nv_, "q_bar"), v_bar.expect(nv_, "v_bar"), u_bar.expect(nu_, "u_bar"),
            p_bar.expect(np(), "p_bar"), &which));
        return which;
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
    ds_step_info step_info() const {
        ds_step_info out{};
        check(ds_sim_step_info(get(), &out));
        return out;
    }
    bool push_out_given_up() const {
        std::int32_t out = 0;
        check(ds_sim_push_out_given_up(get(), &out));
        return out != 0;
    }
    /// In factorizations of the contact problem; see ds_options.max_work.
    double work() const {
        double out = 0.0;
        check(ds_sim_work(get(), &out));
        return out;
    }
    void set_external_wrench(std::int32_t body, const Wrench &wrench) {
        check(ds_sim_set_external_wrench(get(), body, wrench.data()));
    }
    /// The velocity of a dof at the end of every step from now on; NaN frees it.
    void prescribe(std::int32_t dof, double velocity) {
        check(ds_sim_prescribe(get(), dof, velocity));
    }
    /// NaN of dofs without one.
    void prescribed_velocities(Out velocity) const {
        check(ds_sim_prescribed_velocities(get(), velocity.expect(nv_, "velocity")));
    }
    /// What held the dofs with a prescribed velocity in the last step; see ds_sim_prescribed_impulses.
    void prescribed_impulses(Out impulse) {
        check(ds_sim_prescribed_impulses(get(), impulse.expect(nv_, "impulse")));
    }
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

/** A trajectory and its adjoint. One thread at a time. */
class Rollout : public detail::Handle<ds_rollout, ds_rollout_free> {
public:
    Rollout(const Model &model, std::size_t max_steps, const Options &options = {})
        : Handle(made(ds_rollout_create, static_cast<const ds_model *>(model.get()), &options,
                      max_steps)),
          nq_(model.nq()), nv_(model.nv()), nu_(model.nu()), na_(model.na()) {}

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
    /// Steps that took another gradient than the exact one, and their contacts and limits in other modes.
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

/** Many simulations of one model, over threads. Column i of each array belongs to element i. */
class Batch : public detail::Handle<ds_batch, ds_batch_free> {
public:
    Batch(const Model &model, std::size_t count, std::size_t threads = 0,
          const Options &options = {})
        : Handle(made(ds_batch_create, static_cast<const ds_model *>(model.get()), &options, count,
                      threads)),
          nq_(model.nq()), nv_(model.nv()), nu_(model.nu()), na_(model.na()) {}

    std::size_t count() const { return value(ds_batch_count(get())); }
    std::size_t threads() const { return value(ds_batch_threads(get())); }

    /** Throws the error of the first element that failed; each: all the statuses. */
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
    /** The activations with which all next steps begin: na×count. */
    void set_act(In act) { check(ds_batch_set_act(get(), act.expect(na_ * count(), "act"))); }
    void get_act(Out act) const {
        check(ds_batch_get_act(get(), act.expect(na_ * count(), "act")));
    }
    void reset() { check(ds_batch_reset(get())); }
    void reset(std::size_t element) { check(ds_batch_reset_element(get(), element)); }

private:
    std::size_t nq_, nv_, nu_, na_;
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
