/* Times the library's smooth dynamics over the states of a file.
 *
 * usage: ours_smooth MODEL.xml STATES.txt PASSES */
#define _POSIX_C_SOURCE 200809L
#include "smooth.h"

struct Bench {
    ds_sim *sim;
    size_t nq, nv;
    double *vector, *square[3];
};

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
    run_tasks(&b, TASKS, NTASK, states, count, passes);
    ds_sim_free(b.sim);
    ds_model_free(model);
    return 0;
}
