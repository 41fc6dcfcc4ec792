/* Times the library's smooth dynamics over the states of a file.
 *
 * usage: ours_smooth MODEL.xml STATES.txt PASSES
 *
 * The same file format, passes and output as pinocchio.cpp; the order of q and v is ours. */
#define _POSIX_C_SOURCE 200809L
#include "ours.h"

typedef struct {
    double *q, *v, *a, *tau;
} State;

/* The sim, and the outputs of every task. */
typedef struct {
    ds_sim *sim;
    size_t nq, nv;
    double *vector, *square[3];
} Bench;

typedef struct {
    const char *name;
    ds_status (*call)(Bench *, const State *);
    double (*squared_norm)(const Bench *); /* of what the last call computed */
} Task;

static double sum_of_squares(const double *x, size_t n) {
    double sum = 0;
    for (size_t i = 0; i < n; i++) sum += x[i] * x[i];
    return sum;
}

static double squares(const Bench *b, int count) {
    double sum = 0;
    for (int i = 0; i < count; i++) sum += sum_of_squares(b->square[i], b->nv * b->nv);
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
static double vector_norm(const Bench *b) { return sum_of_squares(b->vector, b->nv); }
static double one_square(const Bench *b) { return squares(b, 1); }
static double two_squares(const Bench *b) { return squares(b, 2); }
static double three_squares(const Bench *b) { return squares(b, 3); }

static const Task TASKS[] = {
    {"ds_inverse_dynamics", inverse_dynamics, vector_norm},
    {"ds_mass_matrix", mass_matrix, one_square},
    {"ds_forward_dynamics", forward_dynamics, vector_norm},
    {"ds_inverse_dynamics_derivatives", inverse_derivatives, two_squares},
    {"ds_forward_dynamics_derivatives", forward_derivatives, three_squares},
};
enum { NTASK = sizeof TASKS / sizeof *TASKS };

static State *read_states(const char *path, size_t nq, size_t nv, size_t *count) {
    FILE *file = fopen(path, "r");
    size_t file_nq = 0, file_nv = 0;
    if (!file || fscanf(file, "%zu %zu %zu", count, &file_nq, &file_nv) != 3 || file_nq != nq || file_nv != nv) {
        fprintf(stderr, "%s: expected states with nq %zu and nv %zu\n", path, nq, nv);
        exit(1);
    }
    State *states = zeros(*count, sizeof *states);
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

int main(int argc, char **argv) {
    if (argc != 4) {
        fprintf(stderr, "usage: ours_smooth MODEL.xml STATES.txt PASSES\n");
        return 1;
    }
    ds_model *model = load(argv[1]);
    ds_options options = sim_options(1e-3, 0);
    options.contact = DS_CONTACT_NONE;
    Bench b = {.nq = ds_model_nq(model), .nv = ds_model_nv(model)};
    check(ds_sim_create(model, &options, &b.sim), "ds_sim_create");
    size_t count;
    State *states = read_states(argv[2], b.nq, b.nv, &count);
    const size_t passes = strtoul(argv[3], NULL, 10);

    b.vector = numbers(b.nv);
    for (int i = 0; i < 3; i++) b.square[i] = numbers(b.nv * b.nv);
    double norms[NTASK] = {0};
    Samples times[NTASK];
    for (int i = 0; i < NTASK; i++) {
        times[i] = samples(passes);
        for (size_t k = 0; k < count; k++) {
            check(TASKS[i].call(&b, &states[k]), TASKS[i].name);
            norms[i] += TASKS[i].squared_norm(&b);
        }
    }
    for (size_t pass = 0; pass < passes; pass++)
        for (int i = 0; i < NTASK; i++) {
            ds_status status = DS_OK;
            const double start = now_us();
            for (size_t k = 0; k < count; k++) status |= TASKS[i].call(&b, &states[k]);
            record(&times[i], (now_us() - start) / (double)count);
            check(status, TASKS[i].name);
        }
    for (int i = 0; i < NTASK; i++) {
        sort_samples(&times[i]);
        printf("{\"what\": \"%s\", \"median_us\": %.4f, \"norm\": %.17g}\n", TASKS[i].name,
               quantile(&times[i], 0.5), sqrt(norms[i]));
    }
    ds_sim_free(b.sim);
    ds_model_free(model);
    return 0;
}
