/* Times the library's step, its Jacobians and its VJP along a run.
 *
 * usage: ours_step MODEL.xml SCENARIO STRIDE CLOCK MAX_CONTACTS SECONDS LAW
 *
 * The default options but for LAW: ncp, the exact cones, lcp, friction pyramids, or convex.
 * Within STRIDE steps (0: none) one has its Jacobians by q, v and u computed and another its VJP, so that
 * neither finds work of the other done. A run that has taken SECONDS, or fails, ends there. One JSON line for
 * each kind of call, then one about the run and one about the last quarter of it, where a pile has settled.
 * */
#define _POSIX_C_SOURCE 200809L
#include "ours.h"
#include <string.h>

int main(int argc, char **argv) {
    if (argc != 8) {
        fprintf(stderr, "usage: ours_step MODEL.xml SCENARIO STRIDE CLOCK MAX_CONTACTS SECONDS LAW\n");
        return 1;
    }
    ds_model *model = load(argv[1]);
    const size_t nq = ds_model_nq(model), nv = ds_model_nv(model), nu = ds_model_nu(model);
    const Scenario s = read_scenario(argv[2], nq, nu);
    const size_t stride = strtoul(argv[3], NULL, 10);
    const Clock clock = clock_named(argv[4]);
    const double longest = 1e6 * strtod(argv[6], NULL);
    ds_options options = sim_options(s.time_step, strtoul(argv[5], NULL, 10));
    if (!strcmp(argv[7], "lcp")) options.contact = DS_CONTACT_LCP;
    if (!strcmp(argv[7], "convex")) options.contact = DS_CONTACT_CONVEX;
    ds_sim *sim = simulation(model, &options);

    double *q = numbers(nq), *v = numbers(nv), *q_bar = numbers(nv), *v_bar = numbers(nv), *u_bar = numbers(nu);
    const ds_step_jacobians jacobians = {.dq_dq = numbers(nv * nv), .dq_dv = numbers(nv * nv), .dv_dq = numbers(nv * nv),
                                         .dv_dv = numbers(nv * nv), .dq_du = numbers(nv * nu), .dv_du = numbers(nv * nu)};
    Samples step = samples(s.steps), late_step = samples(s.steps), jacobian = samples(s.steps), vjp = samples(s.steps);
    Run run = {0}, late = {0};
    char failure[80] = "";
    const double begin = busy_us();
    check(ds_model_q_from_mujoco(model, s.qpos, q), "ds_model_q_from_mujoco");
    for (size_t k = 0; k < s.steps && busy_us() - begin < longest; k++) {
        double start = clock();
        const ds_status status = ds_sim_step(sim, q, v, control(&s, k), q, v);
        const double us = clock() - start;
        if (status) {
            snprintf(failure, sizeof failure, ", \"failure\": \"%s\"", ds_status_name(status));
            break;
        }
        record(&step, us);
        count_step(&run, sim);
        if (k >= s.steps - s.steps / 4) {
            record(&late_step, us);
            count_step(&late, sim);
        }
        if (stride && k % stride == stride / 2) {
            start = clock();
            check(ds_sim_step_jacobians(sim, &jacobians), "ds_sim_step_jacobians");
            record(&jacobian, clock() - start);
        } else if (stride && k % stride == 0) {
            start = clock();
            check(ds_sim_step_vjp(sim, v, v, q_bar, v_bar, u_bar, NULL), "ds_sim_step_vjp");
            record(&vjp, clock() - start);
        }
    }
    if (!all_finite(q, nq) || !all_finite(v, nv)) {
        fprintf(stderr, "%s: the run does not stay finite\n", argv[1]);
        return 1;
    }
    print_samples("step", &step);
    print_samples("step, last quarter", &late_step);
    print_samples("Jacobians", &jacobian);
    print_samples("VJP", &vjp);
    print_run("run", &run, failure);
    print_run("last_quarter", &late, "");
    ds_sim_free(sim);
    ds_model_free(model);
    return 0;
}
