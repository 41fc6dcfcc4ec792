/**
 * @file
 * Activations (states of actuators) of a diffsim::Sim.
 */
#ifndef DIFFSIM_ACT_HPP
#define DIFFSIM_ACT_HPP

#include "diffsim_view.hpp"

namespace diffsim {

/** Destinations of the Jacobians of a step by and of its activations; leave those empty that you do not want.
 * */
struct ActJacobians {
    /** nv×na */
    Out dq_dact = {}, dv_dact = {};
    /** na×nv */
    Out dact_dq = {}, dact_dv = {};
    /** na×na and na×nu */
    Out dact_dact = {}, dact_du = {};
};

namespace detail {

/** The calls of a Sim for activations, na numbers each. */
template <class Sim>
class Activations {
public:
    std::size_t na() const { return self().na_; }
    /** Activations at the start of the next step. */
    void set_act(In act) { check(ds_sim_set_act(raw(), act.expect(na(), "act"))); }
    void get_act(Out act) const { check(ds_sim_get_act(self().get(), act.expect(na(), "act"))); }

    void step_act_jacobians(const ActJacobians &out) {
        const std::size_t nv = self().nv_, nu = self().nu_, n = na();
        const ds_act_jacobians jacobians = {
            out.dq_dact.expect(nv * n, "dq_dact"), out.dv_dact.expect(nv * n, "dv_dact"),
            out.dact_dq.expect(n * nv, "dact_dq"), out.dact_dv.expect(n * nv, "dact_dv"),
            out.dact_dact.expect(n * n, "dact_dact"), out.dact_du.expect(n * nu, "dact_du")};
        check(ds_sim_step_act_jacobians(raw(), &jacobians));
    }
    void step_jvp_act(In dq, In dv, In dact, In du, In dp, Out dq_next, Out dv_next,
                      Out dact_next) {
        const std::size_t nv = self().nv_;
        check(ds_sim_step_jvp_act(
            raw(), dq.expect(nv, "dq"), dv.expect(nv, "dv"), dact.expect(na(), "dact"),
            du.expect(self().nu_, "du"), dp.expect(self().np(), "dp"),
            dq_next.expect(nv, "dq_next"), dv_next.expect(nv, "dv_next"),
            dact_next.expect(na(), "dact_next")));
    }
    void step_vjp_act(In q_next_bar, In v_next_bar, In act_next_bar, Out q_bar, Out v_bar,
                      Out act_bar, Out u_bar = {}, Out p_bar = {}) {
        const std::size_t nv = self().nv_;
        check(ds_sim_step_vjp_act(
            raw(), q_next_bar.expect(nv, "q_next_bar"), v_next_bar.expect(nv, "v_next_bar"),
            act_next_bar.expect(na(), "act_next_bar"), q_bar.expect(nv, "q_bar"),
            v_bar.expect(nv, "v_bar"), act_bar.expect(na(), "act_bar"),
            u_bar.expect(self().nu_, "u_bar"), p_bar.expect(self().np(), "p_bar")));
    }

private:
    Sim &self() { return static_cast<Sim &>(*this); }
    const Sim &self() const { return static_cast<const Sim &>(*this); }
    ds_sim *raw() { return self().get(); }
};

} // namespace detail
} // namespace diffsim

#endif
