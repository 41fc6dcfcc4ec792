/** @file Regulators and plans: part of diffsim.hpp. */
#ifndef DIFFSIM_CONTROL_HPP
#define DIFFSIM_CONTROL_HPP

#include "diffsim.hpp"
#include "diffsim_control.h"

namespace diffsim {

/** K (nu×nx) and P (nx×nx) of the regulator u = −K x, all matrices column-major; see ds_lqr. */
inline void lqr(std::size_t nx, std::size_t nu, In A, In B, In Q, In R, Out K, Out P) {
    check(ds_lqr(nx, nu, A.expect(nx * nx, "A"), B.expect(nx * nu, "B"), Q.expect(nx * nx, "Q"),
                 R.expect(nu * nu, "R"), K.expect(nx * nu, "K"), P.expect(nx * nx, "P")));
}

struct IlqrOptions : ds_ilqr_options {
    IlqrOptions() : ds_ilqr_options{} { ds_ilqr_options_init(this); }
};

/** Improves the inputs of a horizon; see ds_ilqr. */
class Ilqr : public detail::Handle<ds_ilqr, ds_ilqr_free> {
public:
    Ilqr(const Model &model, std::size_t steps, const Options &step = {}, const IlqrOptions &options = {})
        : Handle(made(ds_ilqr_create, static_cast<const ds_model *>(model.get()),
                      static_cast<const ds_options *>(&step), steps,
                      static_cast<const ds_ilqr_options *>(&options))),
          nq_(model.nq()), nv_(model.nv()), nu_(model.nu()), na_(model.na()) {}

    std::size_t steps() const { return value(ds_ilqr_steps(get())); }

    /** 2 nv + na numbers of states (tangent of q; v; activations), nu of inputs. */
    void set_weights(In state, In end, In input) {
        check(ds_ilqr_set_weights(get(), state.expect(nx(), "state"), end.expect(nx(), "end"),
                                  input.expect(nu_, "input")));
    }
    /** At a node, 0 to steps(), or everywhere: −1. */
    void set_reference(std::int32_t node, In q, In v, In u) {
        check(ds_ilqr_set_reference(get(), node, q.expect(nq_, "q"), v.expect(nv_, "v"), u.expect(nu_, "u")));
    }
    void set_act_reference(std::int32_t node, In act) {
        check(ds_ilqr_set_act_reference(get(), node, act.expect(na_, "act")));
    }
    void set_external_wrench(std::int32_t body, In wrench) {
        check(ds_ilqr_set_external_wrench(get(), body, wrench.expect(6, "wrench")));
    }
    /** As Sim::prescribe, in every step. */
    void prescribe(std::int32_t dof, double velocity) { check(ds_ilqr_prescribe(get(), dof, velocity)); }
    void set_input_bounds(In lower, In upper) {
        check(ds_ilqr_set_input_bounds(get(), lower.expect(nu_, "lower"), upper.expect(nu_, "upper")));
    }
    /** Improves u, nu × steps(), in place. */
    ds_ilqr_info solve(In q0, In v0, Out u) {
        ds_ilqr_info info{};
        check(ds_ilqr_solve(get(), q0.expect(nq_, "q0"), v0.expect(nv_, "v0"), u.expect(nu_ * steps(), "u"),
                            &info));
        return info;
    }
    /** With the initial activations: na numbers. */
    ds_ilqr_info solve_act(In q0, In v0, In act0, Out u) {
        ds_ilqr_info info{};
        check(ds_ilqr_solve_act(get(), q0.expect(nq_, "q0"), v0.expect(nv_, "v0"), act0.expect(na_, "act0"),
                                u.expect(nu_ * steps(), "u"), &info));
        return info;
    }
    /** Of the last plan: nq and nv numbers times steps() + 1. */
    void states(Out q, Out v) const {
        const std::size_t nodes = steps() + 1;
        check(ds_ilqr_states(get(), q.expect(nq_ * nodes, "q"), v.expect(nv_ * nodes, "v")));
    }
    /** With activations, na numbers times steps() + 1. */
    void states_act(Out q, Out v, Out act) const {
        const std::size_t nodes = steps() + 1;
        check(ds_ilqr_states_act(get(), q.expect(nq_ * nodes, "q"), v.expect(nv_ * nodes, "v"),
                                 act.expect(na_ * nodes, "act")));
    }
    /** Feedback of a step of the last plan, nu × (2 nv + na). */
    void gains(std::size_t step, Out K) const {
        check(ds_ilqr_gains(get(), step, K.expect(nu_ * nx(), "K")));
    }

private:
    std::size_t nx() const { return 2 * nv_ + na_; }

    std::size_t nq_, nv_, nu_, na_;
};

}  // namespace diffsim

#endif  // DIFFSIM_CONTROL_HPP
