/* Times queries without a step over the states of a file.
 *
 * usage: ours_questions MODEL.urdf free|fixed JOINT STATES.txt PASSES
 *
 * JOINT: whose body is the frame that is asked about. */
#define _POSIX_C_SOURCE 200809L
#include "smooth.h"

#include <string.h>

struct Bench {
    ds_sim *sim;
    size_t nq, nv, nbody;
    int32_t frame;
    double *inertias;
    double *vector, *square[1], *six[4], *bodies, *jacobians, *regressor;
};

enum { ALIGNED = DS_FRAME_LOCAL_WORLD_ALIGNED };

static double of_six(const Bench *b, int count) {
    double sum = 0;
    for (int i = 0; i < count; i++) sum += sum_of_squares(b->six[i], 6 * b->nv);
    return sum;
}

static double vector_norm(const Bench *b) { return sum_of_squares(b->vector, b->nv); }
static double twelve_numbers(const Bench *b) { return sum_of_squares(b->vector, 12); }
static double nine_numbers(const Bench *b) { return sum_of_squares(b->vector, 9); }
static double square_norm(const Bench *b) { return sum_of_squares(b->square[0], b->nv * b->nv); }
static double one_six(const Bench *b) { return of_six(b, 1); }
static double two_six(const Bench *b) { return of_six(b, 2); }
static double three_six(const Bench *b) { return of_six(b, 3); }
static double four_six(const Bench *b) { return of_six(b, 4); }
static double twists(const Bench *b) { return sum_of_squares(b->bodies, 6 * b->nbody); }
static double all_jacobians(const Bench *b) { return sum_of_squares(b->jacobians, 6 * b->nv * b->nbody); }

static double positions(const Bench *b) {
    double sum = 0;
    for (size_t i = 0; i < b->nbody; i++) sum += sum_of_squares(b->bodies + 16 * i + 12, 3);
    return sum;
}

/* Of the regressor times the parameters: how bodies that are fixed to others are counted does not matter to
 * it. */
static double regressed(const Bench *b) {
    double sum = 0;
    for (size_t i = 0; i < b->nv; i++) {
        double force = 0;
        for (size_t p = 0; p < 10 * b->nbody; p++) force += b->regressor[i + b->nv * p] * b->inertias[p];
        sum += force * force;
    }
    return sum;
}

static ds_status kinematics(Bench *b, const State *s) { return ds_forward_kinematics(b->sim, s->q, b->bodies); }
static ds_status velocities(Bench *b, const State *s) { return ds_body_velocities(b->sim, s->q, s->v, DS_FRAME_LOCAL, b->bodies); }
static ds_status accelerations(Bench *b, const State *s) {
    return ds_body_accelerations(b->sim, s->q, s->v, s->a, DS_FRAME_LOCAL, b->bodies);
}
static ds_status jacobians(Bench *b, const State *s) { return ds_body_jacobians(b->sim, s->q, ALIGNED, b->jacobians); }
static ds_status jacobian(Bench *b, const State *s) { return ds_frame_jacobian(b->sim, s->q, b->frame, NULL, ALIGNED, b->six[0]); }
static ds_status jacobian_rate(Bench *b, const State *s) {
    return ds_frame_jacobian_rate(b->sim, s->q, s->v, b->frame, NULL, DS_FRAME_WORLD, b->six[0]);
}
static ds_status velocity_derivatives(Bench *b, const State *s) {
    return ds_frame_velocity(b->sim, s->q, s->v, b->frame, NULL, DS_FRAME_LOCAL, b->vector, b->six[0], b->six[1]);
}
static ds_status acceleration_derivatives(Bench *b, const State *s) {
    return ds_frame_acceleration(b->sim, s->q, s->v, s->a, b->frame, NULL, DS_FRAME_LOCAL, b->vector, b->six[0], b->six[1],
                                 b->six[2]);
}
static ds_status gravity(Bench *b, const State *s) { return ds_gravity_forces(b->sim, s->q, b->vector, NULL); }
static ds_status gravity_derivatives(Bench *b, const State *s) { return ds_gravity_forces(b->sim, s->q, NULL, b->square[0]); }
static ds_status bias(Bench *b, const State *s) { return ds_bias_forces(b->sim, s->q, s->v, b->vector); }
static ds_status coriolis(Bench *b, const State *s) { return ds_coriolis_matrix(b->sim, s->q, s->v, b->square[0]); }
static ds_status inverse(Bench *b, const State *s) { return ds_mass_matrix_inverse(b->sim, s->q, b->square[0]); }
static ds_status regressor(Bench *b, const State *s) {
    return ds_inverse_dynamics_regressor(b->sim, s->q, s->v, s->a, b->regressor);
}
static ds_status com_jacobian(Bench *b, const State *s) {
    double mass;
    return ds_center_of_mass(b->sim, s->q, &mass, b->vector, b->six[0]);
}
static double com_jacobian_norm(const Bench *b) { return sum_of_squares(b->six[0], 3 * b->nv); }
static ds_status com_motion(Bench *b, const State *s) {
    return ds_center_of_mass_motion(b->sim, s->q, s->v, s->a, b->vector, b->vector + 3, b->vector + 6);
}
static ds_status momentum(Bench *b, const State *s) {
    return ds_centroidal_momentum(b->sim, s->q, s->v, s->a, b->vector, b->vector + 6);
}
static ds_status map(Bench *b, const State *s) { return ds_centroidal_map(b->sim, s->q, b->six[0]); }
static ds_status centroidal_derivatives(Bench *b, const State *s) {
    return ds_centroidal_derivatives(b->sim, s->q, s->v, s->a, b->six[0], b->six[1], b->six[2], b->six[3]);
}

static const Task TASKS[] = {
    {"ds_forward_kinematics", kinematics, positions},
    {"ds_body_velocities", velocities, twists},
    {"ds_body_accelerations", accelerations, twists},
    {"ds_body_jacobians", jacobians, all_jacobians},
    {"ds_frame_jacobian", jacobian, one_six},
    {"ds_frame_jacobian_rate", jacobian_rate, one_six},
    {"ds_frame_velocity", velocity_derivatives, two_six},
    {"ds_frame_acceleration", acceleration_derivatives, three_six},
    {"ds_gravity_forces", gravity, vector_norm},
    {"ds_gravity_forces, derivative", gravity_derivatives, square_norm},
    {"ds_bias_forces", bias, vector_norm},
    {"ds_coriolis_matrix", coriolis, square_norm},
    {"ds_mass_matrix_inverse", inverse, square_norm},
    {"ds_inverse_dynamics_regressor", regressor, regressed},
    {"ds_center_of_mass", com_jacobian, com_jacobian_norm},
    {"ds_center_of_mass_motion", com_motion, nine_numbers},
    {"ds_centroidal_momentum", momentum, twelve_numbers},
    {"ds_centroidal_map", map, one_six},
    {"ds_centroidal_derivatives", centroidal_derivatives, four_six},
};
enum { NTASK = sizeof TASKS / sizeof *TASKS };

int main(int argc, char **argv) {
    if (argc != 6) {
        fprintf(stderr, "usage: ours_questions MODEL.urdf free|fixed JOINT STATES.txt PASSES\n");
        return 1;
    }
    ds_load_options how;
    ds_load_options_init(&how);
    how.base = strcmp(argv[2], "free") ? DS_BASE_FIXED : DS_BASE_FREE;
    ds_model *model = NULL;
    check(ds_model_load(argv[1], &how, &model), argv[1]);
    ds_options options = sim_options(1e-3, 0);
    options.contact = DS_CONTACT_NONE;
    Bench b = {.nq = ds_model_nq(model), .nv = ds_model_nv(model), .nbody = ds_model_nbody(model)};
    b.sim = simulation(model, &options);
    const int32_t joint = ds_model_joint_id(model, argv[3]);
    if (joint < 0) {
        fprintf(stderr, "%s: no joint is called %s\n", argv[1], argv[3]);
        return 1;
    }
    b.frame = ds_model_joint_body(model, joint);
    b.inertias = numbers(10 * b.nbody);
    for (size_t i = 0; i < b.nbody; i++) check(ds_model_body_inertia(model, (int32_t)i, b.inertias + 10 * i), "ds_model_body_inertia");
    b.vector = numbers(b.nv > 12 ? b.nv : 12);
    b.square[0] = numbers(b.nv * b.nv);
    for (int i = 0; i < 4; i++) b.six[i] = numbers(6 * b.nv);
    b.bodies = numbers(16 * b.nbody);
    b.jacobians = numbers(6 * b.nv * b.nbody);
    b.regressor = numbers(10 * b.nv * b.nbody);
    size_t count;
    const State *states = read_states(argv[4], b.nq, b.nv, &count);
    run_tasks(&b, TASKS, NTASK, states, count, strtoul(argv[5], NULL, 10));
    ds_sim_free(b.sim);
    ds_model_free(model);
    return 0;
}
