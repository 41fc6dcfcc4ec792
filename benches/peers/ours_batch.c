/* Throughput of a batch on one thread and on more, in turns, and whether the results are the same.
 *
 * usage: ours_batch MODEL.xml SCENARIO COUNT STEPS THREADS ROUNDS
 *
 * Element i starts with the controls of step 7 i of the scenario, so that no two do the same. */
#define _POSIX_C_SOURCE 200809L
#include "ours.h"

#include <string.h>

typedef struct {
    ds_batch *batch;
    double *q, *v;
    Samples step; /* of the whole batch */
} Side;

int main(int argc, char **argv) {
    if (argc != 7) {
        fprintf(stderr, "usage: ours_batch MODEL.xml SCENARIO COUNT STEPS THREADS ROUNDS\n");
        return 1;
    }
    ds_model *model = load(argv[1]);
    const size_t nq = ds_model_nq(model), nv = ds_model_nv(model), nu = ds_model_nu(model);
    const Scenario s = read_scenario(argv[2], nq, nu);
    const size_t count = strtoul(argv[3], NULL, 10), steps = strtoul(argv[4], NULL, 10);
    const size_t threads = strtoul(argv[5], NULL, 10), rounds = strtoul(argv[6], NULL, 10);
    const ds_options options = sim_options(s.time_step, 64);
    double *start = numbers(nq), *u = numbers(nu * count);
    check(ds_model_q_from_mujoco(model, s.qpos, start), "ds_model_q_from_mujoco");

    Side sides[2];
    for (int i = 0; i < 2; i++) {
        sides[i] = (Side){NULL, numbers(nq * count), numbers(nv * count), samples(rounds)};
        check(ds_batch_create(model, &options, count, i ? threads : 1, &sides[i].batch), "ds_batch_create");
    }
    for (size_t round = 0; round < rounds; round++)
        for (int i = 0; i < 2; i++) {
            Side *side = &sides[i];
            check(ds_batch_reset(side->batch), "ds_batch_reset");
            memset(side->v, 0, nv * count * sizeof(double));
            for (size_t e = 0; e < count; e++) memcpy(side->q + nq * e, start, nq * sizeof(double));
            double us = 0;
            for (size_t k = 0; k < steps; k++) {
                for (size_t e = 0; e < count; e++) memcpy(u + nu * e, control(&s, k + 7 * e), nu * sizeof(double));
                const double begin = now_us();
                check(ds_batch_step(side->batch, side->q, side->v, u, side->q, side->v, NULL), "ds_batch_step");
                us += now_us() - begin;
            }
            record(&side->step, us / (double)steps);
        }
    const int same = !memcmp(sides[0].q, sides[1].q, nq * count * sizeof(double)) &&
                     !memcmp(sides[0].v, sides[1].v, nv * count * sizeof(double));
    double least[2], quotient = 0;
    for (size_t round = 0; round < rounds; round++) {
        const double r = sides[0].step.us[round] / sides[1].step.us[round];
        if (r > quotient) quotient = r;
    }
    for (int i = 0; i < 2; i++) {
        sort_samples(&sides[i].step);
        least[i] = sides[i].step.us[0];
        ds_batch_free(sides[i].batch);
    }
    printf("{\"batch\": {\"count\": %zu, \"threads\": %zu, \"one_us\": %.2f, \"many_us\": %.2f, \"best_round\": %.3f, "
           "\"same_bits\": %d}}\n",
           count, threads, least[0], least[1], quotient, same);
    ds_model_free(model);
    return 0;
}
