/**
 * @file
 * Queries of a diffsim::Sim about a state, without a step.
 */
#ifndef DIFFSIM_QUESTIONS_HPP
#define DIFFSIM_QUESTIONS_HPP

#include <array>
#include <cstdint>
#include <limits>
#include <vector>

#include "diffsim_view.hpp"

namespace diffsim {

/** A frame on a body: its placement in the body's frame (default: the body's own), and the axes of its
 * motion. */
struct Frame {
    std::int32_t body = 0;
    /** 4×4, column-major; a default View for the identity. */
    In placement = {};
    ds_reference_frame reference = DS_FRAME_LOCAL_WORLD_ALIGNED;
};

/** First hit of a ray; geom -1 for a miss. */
struct RayHit {
    double distance = -1.0;
    std::array<double, 3> normal{};
    std::int32_t geom = -1;
    ds_gradient gradient = DS_GRADIENT_EXACT;
};

namespace detail {

/** The queries of a Sim. All velocities and accelerations are (linear; angular). */
template <class Sim>
class Questions {
public:
    /** 6×nbody. */
    void body_velocities(In q, In v, ds_reference_frame frame, Out velocities) {
        check(ds_body_velocities(raw(), in_q(q), in_v(v), frame,
                                 velocities.expect(6 * self().nbody_, "velocities")));
    }
    /** 6×nbody. */
    void body_accelerations(In q, In v, In a, ds_reference_frame frame, Out accelerations) {
        check(ds_body_accelerations(raw(), in_q(q), in_v(v), in_v(a, "a"), frame,
                                    accelerations.expect(6 * self().nbody_, "accelerations")));
    }
    /** 6×nsite. */
    void site_velocities(In q, In v, ds_reference_frame frame, Out velocities) {
        check(ds_site_velocities(raw(), in_q(q), in_v(v), frame,
                                 velocities.expect(6 * self().nsite_, "velocities")));
    }
    /** 6×nsite. */
    void site_accelerations(In q, In v, In a, ds_reference_frame frame, Out accelerations) {
        check(ds_site_accelerations(raw(), in_q(q), in_v(v), in_v(a, "a"), frame,
                                    accelerations.expect(6 * self().nsite_, "accelerations")));
    }
    /** 6×nv of each body. */
    void body_jacobians(In q, ds_reference_frame frame, Out jacobians) {
        const std::size_t n = 6 * self().nv_ * self().nbody_;
        check(ds_body_jacobians(raw(), in_q(q), frame, jacobians.expect(n, "jacobians")));
    }
    /** 6×nv. */
    void frame_jacobian(In q, const Frame &frame, Out J) {
        check(ds_frame_jacobian(raw(), in_q(q), frame.body, place(frame), frame.reference,
                                columns(J, "J")));
    }
    /** 6×nv. */
    void frame_jacobian_rate(In q, In v, const Frame &frame, Out J_rate) {
        check(ds_frame_jacobian_rate(raw(), in_q(q), in_v(v), frame.body, place(frame),
                                     frame.reference, columns(J_rate, "J_rate")));
    }
    /** Derivatives are 6×nv. */
    std::array<double, 6> frame_velocity(In q, In v, const Frame &frame, Out dvelocity_dq = {},
                                         Out dvelocity_dv = {}) {
        std::array<double, 6> out{};
        check(ds_frame_velocity(raw(), in_q(q), in_v(v), frame.body, place(frame), frame.reference,
                                out.data(), columns(dvelocity_dq, "dvelocity_dq"),
                                columns(dvelocity_dv, "dvelocity_dv")));
        return out;
    }
    /** Derivatives are 6×nv. */
    std::array<double, 6> frame_acceleration(In q, In v, In a, const Frame &frame,
                                             Out dacceleration_dq = {}, Out dacceleration_dv = {},
                                             Out dacceleration_da = {}) {
        std::array<double, 6> out{};
        check(ds_frame_acceleration(raw(), in_q(q), in_v(v), in_v(a, "a"), frame.body,
                                    place(frame), frame.reference, out.data(),
                                    columns(dacceleration_dq, "dacceleration_dq"),
                                    columns(dacceleration_dv, "dacceleration_dv"),
                                    columns(dacceleration_da, "dacceleration_da")));
        return out;
    }

    /** g: nv; dg_dq: nv×nv. */
    void gravity_forces(In q, Out g, Out dg_dq = {}) {
        check(ds_gravity_forces(raw(), in_q(q), out_v(g, "g"), square(dg_dq, "dg_dq")));
    }
    void bias_forces(In q, In v, Out b) {
        check(ds_bias_forces(raw(), in_q(q), in_v(v), out_v(b, "b")));
    }
    /** nv×nv. */
    void coriolis_matrix(In q, In v, Out C) {
        check(ds_coriolis_matrix(raw(), in_q(q), in_v(v), square(C, "C")));
    }
    /** nv×nv. */
    void mass_matrix_inverse(In q, Out M_inv) {
        check(ds_mass_matrix_inverse(raw(), in_q(q), square(M_inv, "M_inv")));
    }
    /** nv×(10 nbody). */
    void inverse_dynamics_regressor(In q, In v, In a, Out Y) {
        const std::size_t n = 10 * self().nv_ * self().nbody_;
        check(ds_inverse_dynamics_regressor(raw(), in_q(q), in_v(v), in_v(a, "a"),
                                            Y.expect(n, "Y")));
    }
    /** wrenches: 6 numbers a body. */
    void inverse_dynamics_with_wrenches(In q, In v, In a, View<const std::int32_t> bodies,
                                        In wrenches, Out tau) {
        check(ds_inverse_dynamics_with_wrenches(
            raw(), in_q(q), in_v(v), in_v(a, "a"), bodies.data(),
            wrenches.expect(6 * bodies.size(), "wrenches"), bodies.size(), out_v(tau, "tau")));
    }
    /** wrenches: 6 numbers a body. */
    void forward_dynamics_with_wrenches(In q, In v, In tau, View<const std::int32_t> bodies,
                                        In wrenches, Out a) {
        check(ds_forward_dynamics_with_wrenches(
            raw(), in_q(q), in_v(v), in_v(tau, "tau"), bodies.data(),
            wrenches.expect(6 * bodies.size(), "wrenches"), bodies.size(), out_v(a, "a")));
    }
    /** Three numbers each; a default View for a is zero. */
    void center_of_mass_motion(In q, In v, In a, Out com, Out velocity = {},
                               Out acceleration = {}) {
        check(ds_center_of_mass_motion(raw(), in_q(q), in_v(v), in_v(a, "a"),
                                       com.expect(3, "com"), velocity.expect(3, "velocity"),
                                       acceleration.expect(3, "acceleration")));
    }
    /** Six numbers each; a default View for a is zero. */
    void centroidal_momentum(In q, In v, In a, Out momentum, Out rate = {}) {
        check(ds_centroidal_momentum(raw(), in_q(q), in_v(v), in_v(a, "a"),
                                     momentum.expect(6, "momentum"), rate.expect(6, "rate")));
    }
    /** 6×nv. */
    void centroidal_map(In q, Out A) {
        check(ds_centroidal_map(raw(), in_q(q), columns(A, "A")));
    }
    /** 6×nv each. */
    void centroidal_derivatives(In q, In v, In a, Out dmomentum_dq, Out drate_dq,
                                Out drate_dv = {}, Out drate_da = {}) {
        check(ds_centroidal_derivatives(
            raw(), in_q(q), in_v(v), in_v(a, "a"), columns(dmomentum_dq, "dmomentum_dq"),
            columns(drate_dq, "drate_dq"), columns(drate_dv, "drate_dv"),
            columns(drate_da, "drate_da")));
    }

    /** kinds: a sum of ds_force_kind. force: nv; derivatives: nv×nv, nv×nv and nv×nu. */
    ds_gradient generalized_forces(In q, In v, In u, std::int32_t kinds, Out force,
                                   Out dforce_dq = {}, Out dforce_dv = {}, Out dforce_du = {}) {
        ds_gradient gradient = DS_GRADIENT_EXACT;
        check(ds_generalized_forces(raw(), in_q(q), in_v(v), in_u(u), kinds, out_v(force, "force"),
                                    square(dforce_dq, "dforce_dq"), square(dforce_dv, "dforce_dv"),
                                    dforce_du.expect(self().nv_ * self().nu_, "dforce_du"),
                                    &gradient));
        return gradient;
    }
    /** nu numbers each; derivatives: nu×nv, nu×nv and nu×nu. */
    ds_gradient actuator_states(In q, In v, In u, Out lengths, Out velocities, Out forces,
                                Out dforces_dq = {}, Out dforces_dv = {}, Out dforces_du = {}) {
        const std::size_t nu = self().nu_, n = nu * self().nv_;
        ds_gradient gradient = DS_GRADIENT_EXACT;
        check(ds_actuator_states(
            raw(), in_q(q), in_v(v), in_u(u), lengths.expect(nu, "lengths"),
            velocities.expect(nu, "velocities"), forces.expect(nu, "forces"),
            dforces_dq.expect(n, "dforces_dq"), dforces_dv.expect(n, "dforces_dv"),
            dforces_du.expect(nu * nu, "dforces_du"), &gradient));
        return gradient;
    }
    /** ntendon numbers each; derivatives: ntendon×nv. */
    ds_gradient tendon_states(In q, In v, Out lengths, Out velocities, Out tensions,
                              Out dtensions_dq = {}, Out dtensions_dv = {}) {
        const std::size_t n = self().ntendon_, columns = n * self().nv_;
        ds_gradient gradient = DS_GRADIENT_EXACT;
        check(ds_tendon_states(
            raw(), in_q(q), in_v(v), lengths.expect(n, "lengths"),
            velocities.expect(n, "velocities"), tensions.expect(n, "tensions"),
            dtensions_dq.expect(columns, "dtensions_dq"),
            dtensions_dv.expect(columns, "dtensions_dv"), &gradient));
        return gradient;
    }

    /** Acceleration by the laws of the step, nv. Afterwards this step is the last one. */
    void forward(In q, In v, In u, Out acceleration) {
        check(ds_sim_forward(raw(), in_q(q), in_v(v), in_u(u), out_v(acceleration, "acceleration")));
    }
    /** nv rows. */
    void acceleration_jacobians(Out da_dq, Out da_dv = {}, Out da_du = {}, Out da_dp = {}) {
        const std::size_t np = self().np();
        check(ds_sim_acceleration_jacobians(
            raw(), square(da_dq, "da_dq"), square(da_dv, "da_dv"),
            da_du.expect(self().nv_ * self().nu_, "da_du"), da_dp.expect(self().nv_ * np, "da_dp")));
    }
    void acceleration_vjp(In a_bar, Out q_bar, Out v_bar = {}, Out u_bar = {}, Out p_bar = {}) {
        const std::size_t np = self().np();
        check(ds_sim_acceleration_vjp(raw(), in_v(a_bar, "a_bar"), out_v(q_bar, "q_bar"),
                                      out_v(v_bar, "v_bar"), u_bar.expect(self().nu_, "u_bar"),
                                      p_bar.expect(np, "p_bar")));
    }
    /** nv×na. */
    void acceleration_act_jacobian(Out da_dact) {
        check(ds_sim_acceleration_act_jacobian(raw(), da_dact.expect(self().nv_ * self().na_, "da_dact")));
    }
    void acceleration_vjp_act(In a_bar, Out q_bar, Out v_bar, Out act_bar, Out u_bar = {}, Out p_bar = {}) {
        const std::size_t np = self().np();
        check(ds_sim_acceleration_vjp_act(raw(), in_v(a_bar, "a_bar"), out_v(q_bar, "q_bar"),
                                          out_v(v_bar, "v_bar"), act_bar.expect(self().na_, "act_bar"),
                                          u_bar.expect(self().nu_, "u_bar"), p_bar.expect(np, "p_bar")));
    }
    /** The force that acts beside the inputs u (default View: zero) to give an acceleration; nv. */
    void inverse(In q, In v, In u, In a, Out force) {
        check(ds_sim_inverse(raw(), in_q(q), in_v(v), in_u(u), in_v(a, "a"), out_v(force, "force")));
    }
    /** nv×nv each, of the last inverse. */
    void inverse_jacobians(Out dforce_dq, Out dforce_dv = {}, Out dforce_da = {}) {
        check(ds_sim_inverse_jacobians(raw(), square(dforce_dq, "dforce_dq"),
                                       square(dforce_dv, "dforce_dv"),
                                       square(dforce_da, "dforce_da")));
    }
    /** 6×nbody, of the last step. */
    void body_contact_wrenches(Out wrenches) {
        check(ds_sim_body_contact_wrenches(raw(), wrenches.expect(6 * self().nbody_, "wrenches")));
    }

    /** 3 a contact, of rolling about t1 and t2 and of torsion on body B [N m s]. */
    void contact_torques(Out torques) {
        const std::size_t count = 3 * self().contacts().size();
        check(ds_sim_contact_torques(raw(), torques.expect(count, "torques")));
    }

    /** First hit of a ray; geom -1 and distance -1 for a miss. ddistance: nv. */
    RayHit ray_cast(In q, const std::array<double, 3> &origin,
                    const std::array<double, 3> &direction,
                    double max_distance = std::numeric_limits<double>::infinity(),
                    std::int32_t exclude_body = -1, Out ddistance = {}) {
        RayHit hit{};
        check(ds_sim_ray_cast(raw(), in_q(q), origin.data(), direction.data(), max_distance,
                              exclude_body, &hit.distance, hit.normal.data(), &hit.geom,
                              out_v(ddistance, "ddistance"), &hit.gradient));
        return hit;
    }
    /** geoms.size() rays: origins, directions and normals 3 numbers each, ddistances nv each. */
    void ray_casts(In q, In origins, In directions, double max_distance, std::int32_t exclude_body,
                   Out distances, std::vector<std::int32_t> &geoms, Out normals = {},
                   Out ddistances = {}) {
        const std::size_t n = geoms.size();
        check(ds_sim_ray_casts(raw(), in_q(q), n, origins.expect(3 * n, "origins"),
                               directions.expect(3 * n, "directions"), max_distance, exclude_body,
                               distances.expect(n, "distances"), normals.expect(3 * n, "normals"),
                               geoms.data(), ddistances.expect(n * self().nv_, "ddistances"),
                               nullptr));
    }

    /** nsensordata numbers. */
    void sensors(In q, In v, In u, Out data) {
        check(ds_sim_sensors(raw(), in_q(q), in_v(v), in_u(u),
                             data.expect(self().nsensordata_, "data")));
    }
    /** nsensordata rows. */
    ds_gradient sensor_jacobians(In q, In v, In u, Out ddata_dq, Out ddata_dv = {},
                                 Out ddata_du = {}) {
        const std::size_t n = self().nsensordata_;
        ds_gradient gradient = DS_GRADIENT_EXACT;
        check(ds_sim_sensor_jacobians(raw(), in_q(q), in_v(v), in_u(u),
                                      ddata_dq.expect(n * self().nv_, "ddata_dq"),
                                      ddata_dv.expect(n * self().nv_, "ddata_dv"),
                                      ddata_du.expect(n * self().nu_, "ddata_du"), &gradient));
        return gradient;
    }
    ds_gradient sensor_vjp(In q, In v, In u, In data_bar, Out q_bar, Out v_bar = {},
                           Out u_bar = {}) {
        ds_gradient gradient = DS_GRADIENT_EXACT;
        check(ds_sim_sensor_vjp(raw(), in_q(q), in_v(v), in_u(u),
                                data_bar.expect(self().nsensordata_, "data_bar"),
                                out_v(q_bar, "q_bar"), out_v(v_bar, "v_bar"),
                                u_bar.expect(self().nu_, "u_bar"), &gradient));
        return gradient;
    }
    /** nsensordata×na. */
    ds_gradient sensor_act_jacobian(In q, In v, In u, Out ddata_dact) {
        ds_gradient gradient = DS_GRADIENT_EXACT;
        check(ds_sim_sensor_act_jacobian(raw(), in_q(q), in_v(v), in_u(u),
                                         ddata_dact.expect(self().nsensordata_ * self().na_, "ddata_dact"),
                                         &gradient));
        return gradient;
    }
    ds_gradient sensor_vjp_act(In q, In v, In u, In data_bar, Out q_bar, Out v_bar, Out act_bar,
                               Out u_bar = {}) {
        ds_gradient gradient = DS_GRADIENT_EXACT;
        check(ds_sim_sensor_vjp_act(raw(), in_q(q), in_v(v), in_u(u),
                                    data_bar.expect(self().nsensordata_, "data_bar"),
                                    out_v(q_bar, "q_bar"), out_v(v_bar, "v_bar"),
                                    act_bar.expect(self().na_, "act_bar"),
                                    u_bar.expect(self().nu_, "u_bar"), &gradient));
        return gradient;
    }

private:
    Sim &self() { return static_cast<Sim &>(*this); }
    ds_sim *raw() { return self().get(); }
    const double *in_q(In q) { return q.expect(self().nq_, "q"); }
    const double *in_v(In v, const char *name = "v") { return v.expect(self().nv_, name); }
    const double *in_u(In u) { return u.expect(self().nu_, "u"); }
    static const double *place(const Frame &f) { return f.placement.expect(16, "placement"); }
    double *out_v(Out x, const char *name) { return x.expect(self().nv_, name); }
    double *square(Out x, const char *name) { return x.expect(self().nv_ * self().nv_, name); }
    double *columns(Out x, const char *name) { return x.expect(6 * self().nv_, name); }
};

} // namespace detail
} // namespace diffsim

#endif
