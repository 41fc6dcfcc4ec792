/* Times MuJoCo's step, and its derivative by finite differences, along a run.
 *
 * usage: mujoco_step MODEL.xml SCENARIO STRIDE CLOCK
 *
 * Euler, Newton to MuJoCo's default tolerance, pyramidal cones. Every STRIDE-th step (0: none) a copy of the
 * state is differentiated. One JSON line for each kind of call, then one about the run. */
#define _POSIX_C_SOURCE 200809L
#include "bench.h"

#include <mujoco/mujoco.h>

int main(int argc, char **argv) {
    if (argc != 5) {
        fprintf(stderr, "usage: mujoco_step MODEL.xml SCENARIO STRIDE CLOCK\n");
        return 1;
    }
    char error[1000] = "";
    mjModel *m = mj_loadXML(argv[1], NULL, error, sizeof error);
    if (!m) {
        fprintf(stderr, "%s: %s\n", argv[1], error);
        return 1;
    }
    m->opt.integrator = mjINT_EULER;
    m->opt.solver = mjSOL_NEWTON;
    m->opt.iterations = 100;
    m->opt.cone = mjCONE_PYRAMIDAL;
    const Scenario s = read_scenario(argv[2], (size_t)m->nq, (size_t)m->nu);
    m->opt.timestep = s.time_step;
    const size_t stride = strtoul(argv[3], NULL, 10);
    const Clock clock = clock_named(argv[4]);

    mjData *d = mj_makeData(m), *copy = mj_makeData(m);
    const size_t nx = (size_t)(2 * m->nv + m->na);
    double *A = numbers(nx * nx), *B = numbers(nx * (size_t)m->nu);
    Samples step = samples(s.steps), differences = samples(s.steps);
    double contacts = 0;
    int most = 0;
    mju_copy(d->qpos, s.qpos, m->nq);
    for (size_t k = 0; k < s.steps; k++) {
        mju_copy(d->ctrl, control(&s, k), m->nu);
        if (stride && k % stride == stride / 2) {
            mj_copyData(copy, m, d);
            mj_forward(m, copy); /* warm, as between steps */
            const double start = busy_us();
            mjd_transitionFD(m, copy, 1e-6, 1, A, B, NULL, NULL);
            record(&differences, busy_us() - start);
        }
        const double start = clock();
        mj_step(m, d);
        record(&step, clock() - start);
        contacts += d->ncon;
        if (d->ncon > most) most = d->ncon;
    }
    const int finite = all_finite(d->qpos, (size_t)m->nq) && all_finite(d->qvel, (size_t)m->nv) &&
                       !d->warning[mjWARN_BADQPOS].number && !d->warning[mjWARN_BADQVEL].number &&
                       !d->warning[mjWARN_BADQACC].number;
    print_samples("mj_step", &step);
    print_samples("mjd_transitionFD, centred", &differences);
    printf("{\"run\": {\"finite\": %d, \"contacts\": %.2f, \"most_contacts\": %d}}\n", finite,
           contacts / (double)s.steps, most);
    mj_deleteData(copy);
    mj_deleteData(d);
    mj_deleteModel(m);
    return 0;
}
