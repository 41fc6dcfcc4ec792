/* Times MuJoCo's mj_collision over the states of a file.
 *
 * usage: mujoco_collision MODEL.xml STATES PASSES
 *
 * A line of STATES holds one qpos. Prints one JSON line: the median over all calls of all passes, in
 * microseconds, and the mean number of contacts. */
#define _POSIX_C_SOURCE 200809L
#include <mujoco/mujoco.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double now_us(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1e6 + t.tv_nsec * 1e-3;
}

static int ascending(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void *grown(void *memory, size_t bytes) {
    void *more = realloc(memory, bytes);
    if (!more) {
        fprintf(stderr, "out of memory\n");
        exit(1);
    }
    return more;
}

int main(int argc, char **argv) {
    if (argc != 4) {
        fprintf(stderr, "usage: mujoco_collision MODEL.xml STATES PASSES\n");
        return 1;
    }
    char error[1000] = "";
    mjModel *m = mj_loadXML(argv[1], NULL, error, sizeof error);
    FILE *file = fopen(argv[2], "r");
    if (!m || !file) {
        fprintf(stderr, "%s or %s cannot be read: %s\n", argv[1], argv[2], error);
        return 1;
    }
    const size_t nq = (size_t)m->nq, passes = strtoul(argv[3], NULL, 10);
    size_t numbers = 0, room = 0;
    double *qpos = NULL, x;
    while (fscanf(file, "%lf", &x) == 1) {
        if (numbers == room) qpos = grown(qpos, sizeof *qpos * (room = 2 * room + nq));
        qpos[numbers++] = x;
    }
    fclose(file);
    const size_t states = numbers / nq, calls = passes * states;
    if (!calls) {
        fprintf(stderr, "%s: no states\n", argv[2]);
        return 1;
    }
    double *us = grown(NULL, sizeof *us * calls), contacts = 0;
    mjData *d = mj_makeData(m);
    for (size_t k = 0; k < calls; k++) {
        mju_copy(d->qpos, qpos + k % states * nq, m->nq);
        mj_kinematics(m, d);
        const double start = now_us();
        mj_collision(m, d);
        us[k] = now_us() - start;
        contacts += d->ncon;
    }
    qsort(us, calls, sizeof *us, ascending);
    printf("{\"what\": \"mj_collision\", \"median_us\": %.4f, \"contacts\": %.4f}\n", us[calls / 2],
           contacts / (double)calls);
    mj_deleteData(d);
    mj_deleteModel(m);
    free(us);
    free(qpos);
    return 0;
}
