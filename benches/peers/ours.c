/* Times the library's smooth dynamics over the states of a file.
 *
 * usage: ours MODEL STATES.txt PASSES BASE [MESH_DIR ...]      BASE: file, fixed or free
 *
 * The same file format, passes and output as pinocchio.cpp; the order of q and v is ours. */
#define _POSIX_C_SOURCE 200809L
#include "diffsim.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef struct {
    double *q, *v, *a, *tau;
} State;

/* The sim, the outputs of every task, and their sizes. */
typedef struct {
    ds_sim *sim;
    size_t nq, nv, nu;
    double *vector, *square[6], *q_next, *v_next, *u;
    ds_step_jacobians jacobians;
} Bench;

typedef struct {
    const char *name;
    ds_status (*call)(Bench *, const State *);
    double (*squared_norm)(const Bench *); /* of what the last call computed */
} Task;

static double now_us(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1e6 + t.tv_nsec * 1e-3;
}

static void fail(const char *what) {
    fprintf(stderr, "%s: %s\n", what, ds_last_error());
    exit(1);
}

static double *numbers(size_t n) {
    double *x = calloc(n ? n : 1, sizeof *x);
    if (!x) {
        fprintf(stderr, "out of memory\n");
        exit(1);
    }
    return x;
}

static double sum_of_squares(const double *x, size_t n) {
    double sum = 0;
    for (size_t i = 0; i < n; i++) sum += x[i] * x[i];
    return sum;
}

static double squares(const Bench *b, int first, int count) {
    double sum = 0;
    for (int i = first; i < first + count; i++) sum += sum_of_squares(b->square[i], b->nv * b->nv);
    return sum;
}

static ds_status inverse_dynamics(Bench *b, const State *s) {
    return ds_inverse_dynamics(b->sim, s->q, s->v, s->a, b->vector);
}
static ds_status mass_matrix(Bench *b, const State *s) { return ds_mass_matrix(b->sim, s->q, b->square[0]); }
static ds_status forward_dynamics(Bench *b, const State *s) {
    return ds_forward_dynamics(b->sim, s->q, s->v, s->tau, b->vector);
}
static ds_status inverse_derivatives(Bench *b, const State *s) {
    return ds_inverse_dynamics_derivatives(b->sim, s->q, s->v, s->a, b->square[0], b->square[1]);
}
static ds_status forward_derivatives(Bench *b, const State *s) {
    return ds_forward_dynamics_derivatives(b->sim, s->q, s->v, s->tau, b->square[0], b->square[1], b->square[2]);
}
static ds_status step(Bench *b, const State *s) {
    return ds_sim_step(b->sim, s->q, s->v, b->u, b->q_next, b->v_next);
}
static ds_status step_and_jacobians(Bench *b, const State *s) {
    ds_status status = step(b, s);
    return status ? status : ds_sim_step_jacobians(b->sim, &b->jacobians);
}

static double vector_norm(const Bench *b) { return sum_of_squares(b->vector, b->nv); }
static double one_square(const Bench *b) { return squares(b, 0, 1); }
static double two_squares(const Bench *b) { return squares(b, 0, 2); }
static double three_squares(const Bench *b) { return squares(b, 0, 3); }
static double velocity_norm(const Bench *b) { return sum_of_squares(b->v_next, b->nv); }
static double jacobian_norm(const Bench *b) { return squares(b, 0, 4); }

static const Task TASKS[] = {
    {"ds_inverse_dynamics", inverse_dynamics, vector_norm},
    {"ds_mass_matrix", mass_matrix, one_square},
    {"ds_forward_dynamics", forward_dynamics, vector_norm},
    {"ds_inverse_dynamics_derivatives", inverse_derivatives, two_squares},
    {"ds_forward_dynamics_derivatives", forward_derivatives, three_squares},
    {"ds_sim_step", step, velocity_norm},
    {"ds_sim_step + ds_sim_step_jacobians", step_and_jacobians, jacobian_norm},
};
enum { NTASK = sizeof TASKS / sizeof *TASKS };

static State *read_states(const char *path, size_t nq, size_t nv, size_t *count) {
    FILE *file = fopen(path, "r");
    size_t file_nq = 0, file_nv = 0;
    if (!file || fscanf(file, "%zu %zu %zu", count, &file_nq, &file_nv) != 3 || file_nq != nq || file_nv != nv) {
        fprintf(stderr, "%s: expected states with nq %zu and nv %zu\n", path, nq, nv);
        exit(1);
    }
    State *states = calloc(*count, sizeof *states);
    if (!states) exit(1);
    for (size_t k = 0; k < *count; k++) {
        const size_t sizes[4] = {nq, nv, nv, nv};
        double **fields[4] = {&states[k].q, &states[k].v, &states[k].a, &states[k].tau};
        for (int f = 0; f < 4; f++) {
            *fields[f] = numbers(sizes[f]);
            for (size_t i = 0; i < sizes[f]; i++)
                if (fscanf(file, "%lf", &(*fields[f])[i]) != 1) {
                    fprintf(stderr, "%s: ends before its last state\n", path);
                    exit(1);
                }
        }
    }
    fclose(file);
    return states;
}

static int ascending(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

int main(int argc, char **argv) {
    if (argc < 5) {
        fprintf(stderr, "usage: ours MODEL STATES.txt PASSES file|fixed|free [MESH_DIR ...]\n");
        return 1;
    }
    ds_load_options load;
    ds_load_options_init(&load);
    if (!strcmp(argv[4], "free")) load.base = DS_BASE_FREE;
    if (!strcmp(argv[4], "fixed")) load.base = DS_BASE_FIXED;
    load.mesh_dirs = (const char *const *)(argv + 5);
    load.mesh_dir_count = (size_t)(argc - 5);
    ds_model *model;
    if (ds_model_load(argv[1], &load, &model)) fail(argv[1]);
    ds_options options;
    ds_options_init(&options);
    options.contact = DS_CONTACT_NONE;
    options.time_step = 1e-3;
    Bench b = {.nq = ds_model_nq(model), .nv = ds_model_nv(model), .nu = ds_model_nu(model)};
    if (ds_sim_create(model, &options, &b.sim)) fail("ds_sim_create");
    size_t count;
    State *states = read_states(argv[2], b.nq, b.nv, &count);
    const int passes = atoi(argv[3]) > 0 ? atoi(argv[3]) : 1;

    b.vector = numbers(b.nv), b.v_next = numbers(b.nv), b.q_next = numbers(b.nq), b.u = numbers(b.nu);
    for (int i = 0; i < 6; i++) b.square[i] = numbers(b.nv * (b.nu > b.nv ? b.nu : b.nv));
    b.jacobians = (ds_step_jacobians){.dq_dq = b.square[0], .dq_dv = b.square[1], .dv_dq = b.square[2],
                                      .dv_dv = b.square[3], .dq_du = b.square[4], .dv_du = b.square[5]};

    double norms[NTASK] = {0}, *times[NTASK];
    for (int i = 0; i < NTASK; i++) {
        times[i] = numbers((size_t)passes);
        for (size_t k = 0; k < count; k++) {
            if (TASKS[i].call(&b, &states[k])) fail(TASKS[i].name);
            norms[i] += TASKS[i].squared_norm(&b);
        }
    }
    for (int pass = 0; pass < passes; pass++)
        for (int i = 0; i < NTASK; i++) {
            ds_status status = DS_OK;
            const double start = now_us();
            for (size_t k = 0; k < count; k++) status |= TASKS[i].call(&b, &states[k]);
            times[i][pass] = (now_us() - start) / (double)count;
            if (status != DS_OK) fail(TASKS[i].name);
        }
    for (int i = 0; i < NTASK; i++) {
        qsort(times[i], (size_t)passes, sizeof(double), ascending);
        printf("{\"what\": \"%s\", \"median_us\": %.4f, \"min_us\": %.4f, \"norm\": %.17g}\n", TASKS[i].name,
               times[i][passes / 2], times[i][0], sqrt(norms[i]));
    }

    for (int i = 0; i < NTASK; i++) free(times[i]);
    for (int i = 0; i < 6; i++) free(b.square[i]);
    for (size_t k = 0; k < count; k++) free(states[k].q), free(states[k].v), free(states[k].a), free(states[k].tau);
    free(states), free(b.vector), free(b.v_next), free(b.q_next), free(b.u);
    ds_sim_free(b.sim);
    ds_model_free(model);
    return 0;
}
