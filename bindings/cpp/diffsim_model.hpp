/**
 * @file
 * Models of diffsim for C++17: loading, reading, visuals, building.
 */
#ifndef DIFFSIM_MODEL_HPP
#define DIFFSIM_MODEL_HPP

#include <vector>

#include "diffsim_save.h"
#include "diffsim_view.hpp"
#include "diffsim_visuals.h"

namespace diffsim {

/** A robot or scene. It never changes, and many threads may use it at once. */
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

    /** Saves to a .urdf, or an .xml or .mjcf (MJCF). Returns a line for each thing that the format cannot
     * express. */
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
    /** Number of activations (states of actuators). */
    std::size_t na() const { return value(ds_model_na(get())); }
    /** The actuator of an activation; -1 if the index is out of range. */
    std::int32_t act_actuator(std::int32_t activation) const {
        return ds_model_act_actuator(get(), activation);
    }
    std::size_t nbody() const { return value(ds_model_nbody(get())); }
    std::size_t njoint() const { return value(ds_model_njoint(get())); }
    std::size_t ngeom() const { return value(ds_model_ngeom(get())); }
    std::size_t nsensor() const { return value(ds_model_nsensor(get())); }
    /** Number of values of all sensors. */
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
    /** Index of a sensor's first value. */
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

    /** Descriptions as for a builder; their strings and arrays belong to the model. */
    BodyDesc body(std::int32_t i) const { return told<BodyDesc>(ds_model_body, i); }
    JointDesc joint(std::int32_t i) const { return told<JointDesc>(ds_model_joint, i); }
    GeomDesc geom(std::int32_t i) const { return told<GeomDesc>(ds_model_geom, i); }
    ActuatorDesc actuator(std::int32_t i) const {
        return told<ActuatorDesc>(ds_model_actuator, i);
    }

    std::int32_t body_parent(std::int32_t body) const {
        return value(ds_model_body_parent(get(), body));
    }
    Placement body_placement(std::int32_t body) const {
        return read<16>(ds_model_body_placement, body);
    }
    InertiaVector body_inertia(std::int32_t body) const {
        return read<10>(ds_model_body_inertia, body);
    }
    /** Share of the body's weight that a force at its centre of mass carries. */
    double body_gravity_compensation(std::int32_t body) const {
        return read<1>(ds_model_body_gravity_compensation, body)[0];
    }
    /** Number among the mocap bodies; -1 for other bodies. */
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
    /** A copy in which these pairs of geoms (two ids each) may touch, or never touch. */
    Model with_pairs(View<const std::int32_t> geoms, bool enabled) const {
        if (geoms.size() % 2 != 0)
            throw Error(DS_ERR_INVALID_ARGUMENT, "geoms: expected two ids a pair");
        return Model(made(ds_model_with_pairs, static_cast<const ds_model *>(get()), geoms.data(),
                          geoms.size() / 2, enabled ? 1 : 0));
    }
    /** A copy with more actuators, whose inputs come after the present ones. */
    Model with_actuators(View<const ActuatorDesc> actuators) const {
        static_assert(sizeof(ActuatorDesc) == sizeof(ds_actuator_desc));
        return Model(made(ds_model_with_actuators, static_cast<const ds_model *>(get()),
                          static_cast<const ds_actuator_desc *>(actuators.data()), actuators.size()));
    }
    /** A copy in which geoms of one robot that overlap at q never touch; a default View for q is neutral. */
    Model exclude_overlapping(In q = {}) const {
        return Model(made(ds_model_exclude_overlapping, static_cast<const ds_model *>(get()),
                          q.expect(nq(), "q")));
    }

    void neutral(Out q) const { check(ds_model_neutral(get(), q.expect(nq(), "q"))); }
    /** Within limits, on the ground, and without overlap if such a configuration is found. */
    void home(Out q) const { check(ds_model_home(get(), q.expect(nq(), "q"))); }
    /** q with robots on free joints moved until their lowest points touch the ground. */
    void place_on_ground(In q, Out q_out) const {
        check(ds_model_place_on_ground(get(), q.expect(nq(), "q"), q_out.expect(nq(), "q_out")));
    }
    /** na numbers. */
    void keyframe_act(const std::string &name, Out act) const {
        check(ds_model_keyframe_act(get(), name.c_str(), act.expect(na(), "act")));
    }
    void keyframe(const std::string &name, Out q, Out v = {}, Out u = {}) const {
        check(ds_model_keyframe(get(), name.c_str(), q.expect(nq(), "q"), v.expect(nv(), "v"),
                                u.expect(nu(), "u")));
    }
    void keyframe(std::int32_t i, Out q, Out v = {}, Out u = {}) const {
        check(ds_model_keyframe_at(get(), i, q.expect(nq(), "q"), v.expect(nv(), "v"),
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

    template <class T, class F>
    T told(F function, std::int32_t index) const {
        T out;
        check(function(get(), index, &out));
        return out;
    }

    template <std::size_t N, class F>
    std::array<double, N> read(F function, std::int32_t index) const {
        std::array<double, N> out{};
        check(function(get(), index, out.data()));
        return out;
    }
};

/** Visual shapes of a file; owns its ds_visual. */
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

/** Collects bodies, joints and other parts, and makes a model of them. */
class Builder : public detail::Handle<ds_builder, ds_builder_free> {
public:
    Builder() : Handle(made(ds_builder_create)) {}
    /** Starts from a model; ids of bodies, joints and geoms are the model's. */
    explicit Builder(const Model &model)
        : Handle(made(ds_builder_from_model, static_cast<const ds_model *>(model.get()))) {}

    /** Attaches another model to a body; a default View for placement is the identity. */
    void attach(std::int32_t body, const Model &model, const std::string &prefix = "",
                In placement = {}) {
        check(ds_builder_attach(get(), body, placement.expect(16, "placement"), model.get(),
                                prefix.c_str()));
    }
    /** Ids by name, -1 for none. */
    std::int32_t body_id(const std::string &name) const {
        return value(ds_builder_body_id(get(), name.c_str()));
    }
    std::int32_t joint_id(const std::string &name) const {
        return value(ds_builder_joint_id(get(), name.c_str()));
    }
    std::int32_t geom_id(const std::string &name) const {
        return value(ds_builder_geom_id(get(), name.c_str()));
    }
    /** Descriptions without names. Change and set them; the names stay. */
    BodyDesc body(std::int32_t i) const { return told<BodyDesc>(ds_builder_body, i); }
    JointDesc joint(std::int32_t i) const { return told<JointDesc>(ds_builder_joint, i); }
    GeomDesc geom(std::int32_t i) const { return told<GeomDesc>(ds_builder_geom, i); }
    void set_body(std::int32_t i, const ds_body_desc &to) {
        check(ds_builder_set_body(get(), i, &to));
    }
    void set_joint(std::int32_t i, const ds_joint_desc &to) {
        check(ds_builder_set_joint(get(), i, &to));
    }
    void set_geom(std::int32_t i, const ds_geom_desc &to) {
        check(ds_builder_set_geom(get(), i, &to));
    }
    /** The ids of the geoms after it decrease by one. */
    void remove_geom(std::int32_t i) { check(ds_builder_remove_geom(get(), i)); }

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
    /** 1: all of the body's weight. */
    void set_gravity_compensation(std::int32_t body, double share) {
        check(ds_builder_set_gravity_compensation(get(), body, share));
    }
    void add_actuator(const ds_actuator_desc &actuator) {
        check(ds_builder_add_actuator(get(), &actuator));
    }
    void add_spring(const ds_spring_desc &spring) { check(ds_builder_add_spring(get(), &spring)); }
    void add_deformable(const ds_deformable_desc &body) { check(ds_builder_add_deformable(get(), &body)); }
    void add_tendon(const ds_tendon_desc &tendon) { check(ds_builder_add_tendon(get(), &tendon)); }
    void add_sensor(const ds_sensor_desc &sensor) { check(ds_builder_add_sensor(get(), &sensor)); }
    void add_equality(const ds_equality_desc &equality) {
        check(ds_builder_add_equality(get(), &equality));
    }
    /** The dofs of several joints as offset + matrix · y. */
    void add_reduction(const ds_reduction_desc &reduction) {
        check(ds_builder_add_reduction(get(), &reduction));
    }
    Model build() const {
        return Model(Model::made(ds_builder_build, static_cast<const ds_builder *>(get())));
    }

private:
    template <class T, class F>
    T told(F function, std::int32_t index) const {
        T out;
        check(function(get(), index, &out));
        return out;
    }
};

/** A rotation as a quaternion (x y z w), and a 3×3 matrix, column-major. */
using Quaternion = std::array<double, 4>;
using Matrix3 = std::array<double, 9>;
/** The quaternion of a rotation vector; jacobian: rotation about the moved axes by the vector. */
inline Quaternion rotation_vector_to_quat(const Vector3 &vector, Matrix3 *jacobian = nullptr) {
    Quaternion out{};
    check(ds_rotation_vector_to_quat(vector.data(), out.data(), jacobian ? jacobian->data() : nullptr));
    return out;
}
/** The rotation vector of a quaternion; jacobian: the vector by rotations about the moved axes. */
inline Vector3 quat_to_rotation_vector(const Quaternion &quat, Matrix3 *jacobian = nullptr) {
    Vector3 out{};
    check(ds_quat_to_rotation_vector(quat.data(), out.data(), jacobian ? jacobian->data() : nullptr));
    return out;
}
/** The quaternion of angles about axes, one after the other; jacobian: rotation about the moved axes by the
 * angles. */
inline Quaternion euler_to_quat(const Matrix3 &axes, const Vector3 &angles, Matrix3 *jacobian = nullptr) {
    Quaternion out{};
    check(ds_euler_to_quat(axes.data(), angles.data(), out.data(), jacobian ? jacobian->data() : nullptr));
    return out;
}
/** The angles of a quaternion about axes; jacobian: the angles by rotations about the moved axes. */
inline Vector3 quat_to_euler(const Matrix3 &axes, const Quaternion &quat, Matrix3 *jacobian = nullptr) {
    Vector3 out{};
    check(ds_quat_to_euler(axes.data(), quat.data(), out.data(), jacobian ? jacobian->data() : nullptr));
    return out;
}

/** Mass, centre of mass, and Ixx, Ixy, Iyy, Ixz, Iyz, Izz about it. */
struct MassProperties {
    double mass;
    Vector3 com;
    std::array<double, 6> inertia;
};
/** Argument of inertia_from_com. */
inline MassProperties inertia_to_com(const InertiaVector &inertia) {
    MassProperties out{};
    check(ds_inertia_to_com(inertia.data(), &out.mass, out.com.data(), out.inertia.data()));
    return out;
}

/** The inertia about a body's origin; inertia: Ixx, Ixy, Iyy, Ixz, Iyz, Izz about the centre of mass. */
inline InertiaVector inertia_from_com(double mass, const Vector3 &com,
                                      const std::array<double, 6> &inertia) {
    InertiaVector out{};
    check(ds_inertia_from_com(mass, com.data(), inertia.data(), out.data()));
    return out;
}

/** Coordinates in which every value is the inertia of a body; see the header. */
inline InertiaVector inertia_to_log_cholesky(const InertiaVector &p) {
    InertiaVector theta{};
    check(ds_inertia_to_log_cholesky(p.data(), theta.data()));
    return theta;
}

/** The inertia at these coordinates; dp_dtheta: 10×10, column-major, may be null. */
inline InertiaVector inertia_from_log_cholesky(const InertiaVector &theta,
                                               std::array<double, 100> *dp_dtheta = nullptr) {
    InertiaVector p{};
    check(ds_inertia_from_log_cholesky(theta.data(), p.data(), dp_dtheta ? dp_dtheta->data() : nullptr));
    return p;
}

}  // namespace diffsim

#endif  // DIFFSIM_MODEL_HPP
