/** @file Inverse kinematics: part of diffsim.hpp. */
#ifndef DIFFSIM_IK_HPP
#define DIFFSIM_IK_HPP

#include "diffsim.hpp"
#include "diffsim_ik.h"

namespace diffsim {

struct IkOptions : ds_ik_options {
    IkOptions() : ds_ik_options{} { ds_ik_options_init(this); }
};

/** A frame on a body by default; see ds_ik_task. */
struct IkTask : ds_ik_task {
    IkTask() : ds_ik_task{} { ds_ik_task_init(this); }
};

/** Label of the derivative of a solution; see ds_ik_gradient. */
struct IkGradient {
    ds_gradient gradient;
    bool unique;
};

/** Solves inverse kinematics of one model. */
class Ik : public detail::Handle<ds_ik, ds_ik_free> {
public:
    explicit Ik(const Model &model, const IkOptions &options = {})
        : Handle(made(ds_ik_create, static_cast<const ds_model *>(model.get()),
                      static_cast<const ds_ik_options *>(&options))),
          nq_(model.nq()), nv_(model.nv()) {}

    /** Returns the task's number. */
    std::int32_t add_task(const IkTask &task) {
        std::int32_t number = -1;
        check(ds_ik_add_task(get(), &task, &number));
        return number;
    }
    std::size_t ntask() const { return value(ds_ik_ntask(get())); }
    std::size_t target_size(std::int32_t task) const { return value(ds_ik_target_size(get(), task)); }
    std::size_t residual_size(std::int32_t task) const {
        return value(ds_ik_residual_size(get(), task));
    }
    /** Length of a variation of all targets. */
    std::size_t variation_size() const { return value(ds_ik_variation_size(get())); }

    /** 16 numbers of a frame, 3 of the centre of mass, nq of a posture. */
    void set_target(std::int32_t task, In target) {
        check(ds_ik_set_target(get(), task, of_task(target, target_size(task), "target")));
    }
    void set_weight(std::int32_t task, double weight) { check(ds_ik_set_weight(get(), task, weight)); }

    /** q may be q0. */
    ds_ik_info solve(In q0, Out q) {
        ds_ik_info info{};
        check(ds_ik_solve(get(), q0.expect(nq_, "q0"), q.expect(nq_, "q"), &info));
        return info;
    }
    /** 6 numbers of a frame, 3 of the centre of mass, nv of a posture. */
    void residual(std::int32_t task, Out residual) {
        check(ds_ik_residual(get(), task, of_task(residual, residual_size(task), "residual")));
    }
    IkGradient gradient() {
        ds_gradient gradient{};
        std::int32_t unique{};
        check(ds_ik_gradient(get(), &gradient, &unique));
        return {gradient, unique == 1};
    }
    /** nv × variation_size(). */
    void jacobian(Out dq_dtarget) {
        check(ds_ik_jacobian(get(), dq_dtarget.expect(nv_ * variation_size(), "dq_dtarget")));
    }
    /** Forward mode. */
    void jvp(In dtarget, Out dq) {
        check(ds_ik_jvp(get(), dtarget.expect(variation_size(), "dtarget"), dq.expect(nv_, "dq")));
    }
    /** Reverse mode. */
    void vjp(In q_bar, Out target_bar) {
        check(ds_ik_vjp(get(), q_bar.expect(nv_, "q_bar"),
                        target_bar.expect(variation_size(), "target_bar")));
    }

private:
    /** An invalid task has size 0; the library's error names it. */
    template <class T>
    static T *of_task(View<T> x, std::size_t size, const char *name) {
        return size == 0 ? x.data() : x.expect(size, name);
    }

    std::size_t nq_, nv_;
};

}  // namespace diffsim

#endif  // DIFFSIM_IK_HPP
