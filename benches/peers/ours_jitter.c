/* How evenly the library steps: the time of every step of a long run.
 *
 * usage: ours_jitter MODEL.xml SCENARIO STEPS REPETITIONS
 *
 * The controls repeat. Every repetition takes the same steps to the bit, so the least time of a step
 * over the repetitions is what the step itself takes, and what exceeds it is the machine's. */
#define _POSIX_C_SOURCE 200809L
#include "ours.h"

#include <string.h>

static void print_quantiles(const char *what, Samples *s) {
    sort_samples(s);
    printf("{\"what\": \"%s\", \"median_us\": %.4f, \"p99_us\": %.4f, \"p999_us\": %.4f, \"max_us\": %.4f, \"n\": %zu}\n",
           what, quantile(s, 0.5), quantile(s, 0.99), quantile(s, 0.999), quantile(s, 1), s->n);
}

int main(int argc, char **argv) {
    if (argc != 5) {
        fprintf(stderr, "usage: ours_jitter MODEL.xml SCENARIO STEPS REPETITIONS\n");
        return 1;
    }
    ds_model *model = load(argv[1]);
    const size_t nq = ds_model_nq(model), nv = ds_model_nv(model);
    const Scenario s = read_scenario(argv[2], nq, ds_model_nu(model));
    const size_t steps = strtoul(argv[3], NULL, 10), repetitions = strtoul(argv[4], NULL, 10);
    const ds_options options = sim_options(s.time_step, 128);
    ds_sim *sim = simulation(model, &options);
    double *q = numbers(nq), *v = numbers(nv), *end = numbers(nq);
    Samples every = samples(steps), least = samples(steps);
    Run run = {0};
    for (size_t r = 0; r < repetitions; r++) {
        check(ds_sim_reset(sim), "ds_sim_reset");
        check(ds_model_q_from_mujoco(model, s.qpos, q), "ds_model_q_from_mujoco");
        memset(v, 0, nv * sizeof *v);
        for (size_t k = 0; k < steps; k++) {
            const double start = now_us();
            check(ds_sim_step(sim, q, v, control(&s, k), q, v), "ds_sim_step");
            const double us = now_us() - start;
            if (r == 0) {
                record(&every, us);
                record(&least, us);
                count_step(&run, sim);
            } else if (us < least.us[k]) {
                least.us[k] = us;
            }
        }
        if (r > 0 && memcmp(q, end, nq * sizeof *q)) {
            fprintf(stderr, "%s: two runs differ\n", argv[1]);
            return 1;
        }
        memcpy(end, q, nq * sizeof *q);
    }
    if (!all_finite(q, nq) || !all_finite(v, nv)) {
        fprintf(stderr, "%s: the run does not stay finite\n", argv[1]);
        return 1;
    }
    print_quantiles("first run", &every);
    print_quantiles("least of the runs", &least);
    print_run("run", &run, "");
    ds_sim_free(sim);
    ds_model_free(model);
    return 0;
}
