/** @file The solver alone: part of diffsim.hpp. */
#ifndef DIFFSIM_PROBLEM_HPP
#define DIFFSIM_PROBLEM_HPP

#include <vector>

#include "diffsim.hpp"

namespace diffsim {

struct ProblemOptions : ds_problem_options {
    ProblemOptions() : ds_problem_options{} { ds_problem_options_init(this); }
};

/** A contact problem or a variation of one: nv×nv, 3n×nv, nv, 3n, n, 3n numbers for n contacts; a default
 * View is zero. */
struct ProblemData {
    In A, J, v_free, target, friction, compliance;
};

/** Destinations of a gradient by these; default Views for those that you do not want. */
struct ProblemBars {
    Out A, J, v_free, target, friction, compliance;
};

/** Solves contact problems of an engine with its own dynamics, and differentiates the last one. */
class Problem : public detail::Handle<ds_problem, ds_problem_free> {
public:
    explicit Problem(const ProblemOptions &options)
        : Handle(made(ds_problem_create, static_cast<const ds_problem_options *>(&options))), nv_(options.nv) {}

    /** data.friction has one number a contact; v: nv, impulse: 3 a contact. */
    ds_step_info solve(const ProblemData &data, Out v, Out impulse) {
        const std::size_t contacts = data.friction.size(), rows = 3 * contacts;
        ds_step_info out{};
        check(ds_problem_solve(get(), contacts, data.A.expect(nv_ * nv_, "A"), data.J.expect(rows * nv_, "J"),
                               data.v_free.expect(nv_, "v_free"), data.target.expect(rows, "target"),
                               data.friction.data(), data.compliance.expect(rows, "compliance"),
                               v.expect(nv_, "v"), impulse.expect(rows, "impulse"), &out));
        contacts_ = contacts;
        return out;
    }
    /** Forward mode. */
    void jvp(const ProblemData &by, Out dv, Out dimpulse = {}) {
        const std::size_t rows = 3 * contacts_;
        check(ds_problem_jvp(get(), by.A.expect(nv_ * nv_, "dA"), by.J.expect(rows * nv_, "dJ"),
                             by.v_free.expect(nv_, "dv_free"), by.target.expect(rows, "dtarget"),
                             by.friction.expect(contacts_, "dfriction"),
                             by.compliance.expect(rows, "dcompliance"), dv.expect(nv_, "dv"),
                             dimpulse.expect(rows, "dimpulse")));
    }
    /** Reverse mode; a default View for v_bar or impulse_bar is zero. */
    void vjp(In v_bar, In impulse_bar, const ProblemBars &bars) {
        const std::size_t rows = 3 * contacts_;
        check(ds_problem_vjp(get(), v_bar.expect(nv_, "v_bar"), impulse_bar.expect(rows, "impulse_bar"),
                             bars.A.expect(nv_ * nv_, "A_bar"), bars.J.expect(rows * nv_, "J_bar"),
                             bars.v_free.expect(nv_, "v_free_bar"), bars.target.expect(rows, "target_bar"),
                             bars.friction.expect(contacts_, "friction_bar"),
                             bars.compliance.expect(rows, "compliance_bar")));
    }
    ds_step_info info() const {
        ds_step_info out{};
        check(ds_problem_info(get(), &out));
        return out;
    }
    /** A ds_contact_mode a contact. */
    std::vector<std::int32_t> modes() const {
        std::vector<std::int32_t> out(contacts_);
        check(ds_problem_modes(get(), out.data()));
        return out;
    }
    /** True if the impulses of the last velocity are known to be unique. */
    bool impulses_unique() {
        std::int32_t out{};
        check(ds_problem_impulses_unique(get(), &out));
        return out == 1;
    }
    /** Forgets the last solution, which is also the warm start of the next one. */
    void reset() { check(ds_problem_reset(get())); }

private:
    std::size_t nv_, contacts_ = 0;
};

}  // namespace diffsim

#endif  // DIFFSIM_PROBLEM_HPP
