/* Plans of a legged robot that was pushed, by iLQR: how long the worst step on the way takes, and a cycle of
 * control.
 *
 * usage: plan FILE MESH_DIR [PUSH [STEPS [TIME_STEP]]]
 *
 * The robot stands at home on a ground, of its geoms those that overlap there do not touch, and its base is
 * pushed sideways at PUSH m/s (0.6). A plan of STEPS (30) of TIME_STEP (0.01 s) is improved 45 times, and
 * after each time every step of it is timed; then it follows the robot for as many cycles of three iterations
 * as it has steps. It starts once from inputs of zero, with which the robot falls into itself, and once from
 * those that keep the stance. Times are of the thread. One JSON line a law and start. */
#define _POSIX_C_SOURCE 200809L
#include "diffsim_control.h"
#include "robot.h"

enum { IMPROVEMENTS = 45, ITERATIONS = 3 };
static const ds_contact_law PLAN_LAWS[] = {DS_CONTACT_NCP, DS_CONTACT_LCP, DS_CONTACT_CONVEX};
static const char *const PLAN_LAW_NAMES[] = {"ncp", "lcp", "convex"};

static ds_model *load_legged(const char *path, const char *mesh_dir) {
    ds_load_options o;
    ds_load_options_init(&o);
    o.base = DS_BASE_FREE;
    o.actuation = DS_ACTUATION_JOINTS;
    o.ground_plane = 1;
    o.exclude_overlapping = 1;
    o.mesh_dirs = &mesh_dir;
    o.mesh_dir_count = 1;
    ds_model *model = NULL;
    check(ds_model_load(path, &o, &model), path);
    return model;
}

static ds_ilqr *make_plan(const ds_model *model, const ds_options *step, size_t steps, size_t iterations, const double *home) {
    const size_t nv = ds_model_nv(model), nu = ds_model_nu(model);
    ds_ilqr_options o;
    ds_ilqr_options_init(&o);
    o.max_iterations = iterations;
    ds_ilqr *plan = NULL;
    check(ds_ilqr_create(model, step, steps, &o, &plan), "ds_ilqr_create");
    double *state = numbers(2 * nv), *effort = numbers(nu), *rest = numbers(nv), *idle = numbers(nu);
    for (size_t i = 0; i < nv; i++) {
        state[i] = i < 6 ? 100 : 10;
        state[nv + i] = i < 6 ? 1 : 0.1;
    }
    for (size_t i = 0; i < nu; i++) effort[i] = 1e-3;
    check(ds_ilqr_set_weights(plan, state, state, effort), "ds_ilqr_set_weights");
    check(ds_ilqr_set_reference(plan, -1, home, rest, idle), "ds_ilqr_set_reference");
    for (size_t i = 0; i < nu; i++) effort[i] = 40, idle[i] = -40;
    check(ds_ilqr_set_input_bounds(plan, idle, effort), "ds_ilqr_set_input_bounds");
    free(state), free(effort), free(rest), free(idle);
    return plan;
}

/* Times of the calls of one kind [us]. */
typedef struct {
    double worst, sum;
} Taken;

static void take(Taken *t, double start) {
    const double taken = busy_us() - start;
    t->worst = fmax(t->worst, taken);
    t->sum += taken;
}

/* A solve, timed. */
static ds_ilqr_info solve(Taken *t, ds_ilqr *plan, const double *q, const double *v, double *u) {
    ds_ilqr_info info;
    const double start = busy_us();
    check(ds_ilqr_solve(plan, q, v, u, &info), "ds_ilqr_solve");
    take(t, start);
    return info;
}

/* The steps of a plan one by one, each timed. */
static void replay(Taken *t, Run *run, const ds_model *model, ds_sim *sim, size_t steps, const double *q0, const double *v0, const double *u) {
    const size_t nq = ds_model_nq(model), nv = ds_model_nv(model), nu = ds_model_nu(model);
    double *q = numbers(nq), *v = numbers(nv);
    memcpy(q, q0, nq * sizeof *q);
    memcpy(v, v0, nv * sizeof *v);
    check(ds_sim_reset(sim), "ds_sim_reset");
    for (size_t k = 0; k < steps; k++) {
        const double start = busy_us();
        check(ds_sim_step(sim, q, v, u + k * nu, q, v), "ds_sim_step");
        take(t, start);
        count_step(run, sim);
    }
    free(q), free(v);
}

/* The inputs that keep the joints where they stand, from the state on: those of a run in which they are
 * prescribed to rest. */
static void hold(const ds_model *model, ds_sim *sim, size_t steps, double h, const double *q0, const double *v0, double *u) {
    const size_t nq = ds_model_nq(model), nv = ds_model_nv(model), nu = ds_model_nu(model), first = nv - nu;
    double *q = numbers(nq), *v = numbers(nv), *impulse = numbers(nv), *none = numbers(nu);
    memcpy(q, q0, nq * sizeof *q);
    memcpy(v, v0, nv * sizeof *v);
    check(ds_sim_reset(sim), "ds_sim_reset");
    for (size_t i = 0; i < nu; i++) check(ds_sim_prescribe(sim, (int32_t)(first + i), 0), "ds_sim_prescribe");
    for (size_t k = 0; k < steps; k++) {
        check(ds_sim_step(sim, q, v, none, q, v), "ds_sim_step");
        check(ds_sim_prescribed_impulses(sim, impulse), "ds_sim_prescribed_impulses");
        for (size_t i = 0; i < nu; i++) u[k * nu + i] = impulse[first + i] / h;
    }
    for (size_t i = 0; i < nu; i++) check(ds_sim_prescribe(sim, (int32_t)(first + i), NAN), "ds_sim_prescribe");
    free(q), free(v), free(impulse), free(none);
}

static void plan_with(const ds_model *model, int law, int held, double push, size_t steps, double h) {
    ds_options o;
    ds_options_init(&o);
    o.time_step = h;
    o.contact = PLAN_LAWS[law];
    o.max_contacts = 512;
    const size_t nq = ds_model_nq(model), nv = ds_model_nv(model), nu = ds_model_nu(model);
    double *home = numbers(nq), *q = numbers(nq), *v = numbers(nv), *u = numbers(nu * steps);
    ds_sim *sim = simulation(model, &o);
    check(ds_model_home(model, home), "ds_model_home");
    memcpy(q, home, nq * sizeof *q);
    v[1] = push;
    if (held) hold(model, sim, steps, h, q, v, u);
    ds_ilqr *plan = make_plan(model, &o, steps, 1, home);
    Taken single = {0}, improvements = {0}, cycles = {0};
    Run replayed = {0}, driven = {0};
    double first = 0, cost = 0;
    replay(&single, &replayed, model, sim, steps, q, v, u);
    for (int i = 0; i < IMPROVEMENTS; i++) {
        const ds_ilqr_info info = solve(&improvements, plan, q, v, u);
        if (i == 0) first = info.first_cost;
        cost = info.cost;
        replay(&single, &replayed, model, sim, steps, q, v, u);
    }
    ds_ilqr_free(plan);
    plan = make_plan(model, &o, steps, ITERATIONS, home);
    check(ds_sim_reset(sim), "ds_sim_reset");
    for (size_t k = 0; k < steps; k++) {
        solve(&cycles, plan, q, v, u);
        check(ds_sim_step(sim, q, v, u, q, v), "ds_sim_step");
        count_step(&driven, sim);
        memmove(u, u + nu, (steps - 1) * nu * sizeof *u);
    }
    double *off = numbers(nv);
    check(ds_model_difference(model, home, q, off), "ds_model_difference");
    printf("{\"law\": \"%s\", \"start\": \"%s\", \"steps\": %zu, \"mean_step_us\": %.1f, \"worst_step_ms\": %.3f, \"most_contacts\": %zu, \"unsolved\": %zu, "
           "\"first_cost\": %.4g, \"cost\": %.4g, \"mean_improvement_ms\": %.2f, \"worst_improvement_ms\": %.2f, "
           "\"mean_cycle_ms\": %.2f, \"worst_cycle_ms\": %.2f, \"unsolved_driven\": %zu, \"end_off\": %.3f, \"end_speed\": %.3f}\n",
           PLAN_LAW_NAMES[law], held ? "held" : "zero", replayed.steps, single.sum / (double)replayed.steps, single.worst / 1e3,
           replayed.most_contacts, replayed.unsolved, first, cost, improvements.sum / IMPROVEMENTS / 1e3, improvements.worst / 1e3,
           cycles.sum / (double)steps / 1e3, cycles.worst / 1e3, driven.unsolved, largest(off, nv), largest(v, nv));
    fflush(stdout);
    ds_ilqr_free(plan);
    ds_sim_free(sim);
    free(home), free(q), free(v), free(u), free(off);
}

int main(int argc, char **argv) {
    if (argc < 3 || argc > 6) {
        fprintf(stderr, "usage: plan FILE MESH_DIR [PUSH [STEPS [TIME_STEP]]]\n");
        return 1;
    }
    ds_model *model = load_legged(argv[1], argv[2]);
    for (int law = 0; law < 3; law++)
        for (int held = 0; held < 2; held++)
            plan_with(model, law, held, argc > 3 ? strtod(argv[3], NULL) : 0.6, argc > 4 ? strtoul(argv[4], NULL, 10) : 30,
                      argc > 5 ? strtod(argv[5], NULL) : 0.01);
    ds_model_free(model);
    return 0;
}
