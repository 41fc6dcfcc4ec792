/* Compares a robot's step Jacobians with differences, and its labels with differences of both sides.
 *
 * usage: gradients FILE BASE GROUND MESH_DIR STEPS STRIDE TIME_STEP
 *
 * From ds_model_home, one centimetre above the ground, noise on the joints: STEPS steps, one in STRIDE of
 * which is looked at. A column by q, v or u called exact is wrong where no width of central differences
 * agrees with it to 1e-4 of its largest entry (1 at least), nor, where a switch is too near for those, one of
 * the two sides. The two sides of a step differ where along a coordinate or one of eight random directions
 * the second-order differences to both sides do by more than 1e-6. One JSON line a law. */
#define _POSIX_C_SOURCE 200809L
#include "robot.h"

static const double WIDTHS[] = {1e-5, 1e-6, 1e-7, 1e-8, 1e-9, 1e-10, 1e-11};
enum { WIDTH_COUNT = 7, DIRECTIONS = 8 };
static const double WRONG = 1e-4, SIDES = 1e-6;

typedef struct {
    const ds_model *model;
    ds_sim *sim;
    size_t nq, nv, nu, n;
    double *q, *v, *u, *warm, *q_next, *v_next, *dq, *moved_q, *moved_v, *moved_u, *out_q, *out_v;
} Step;

/* The step from the state moved by `width` along `direction` (dq, dv, du): tangent of its end at the end of
 * the step itself, and its velocity's difference. 0 where the step fails. */
static int moved(Step *s, const double *direction, double width, double *out) {
    for (size_t i = 0; i < s->nv; i++) s->dq[i] = width * direction[i];
    for (size_t i = 0; i < s->nv; i++) s->moved_v[i] = s->v[i] + width * direction[s->nv + i];
    for (size_t i = 0; i < s->nu; i++) s->moved_u[i] = s->u[i] + width * direction[2 * s->nv + i];
    check(ds_model_integrate(s->model, s->q, s->dq, s->moved_q), "ds_model_integrate");
    check(ds_sim_set_memory(s->sim, s->warm), "ds_sim_set_memory");
    ds_step_info info;
    if (ds_sim_step(s->sim, s->moved_q, s->moved_v, s->moved_u, s->out_q, s->out_v)) return 0;
    check(ds_sim_step_info(s->sim, &info), "ds_sim_step_info");
    if (!info.converged) return 0;
    check(ds_model_difference(s->model, s->q_next, s->out_q, out), "ds_model_difference");
    for (size_t i = 0; i < s->nv; i++) out[s->nv + i] = s->out_v[i] - s->v_next[i];
    return 1;
}

/* Largest relative disagreement of two columns. */
static double apart(const double *x, const double *y, size_t n) {
    double difference = 0, size = 1;
    for (size_t i = 0; i < n; i++) {
        difference = fmax(difference, fabs(x[i] - y[i]));
        size = fmax(size, fabs(y[i]));
    }
    return difference / size;
}

/* Of the column that a direction gives: the least disagreement with central differences, or with those of one
 * side where the two sides agree at no width; and whether they do at some. */
static double against_differences(Step *s, const double *direction, const double *column, double *work, int *agree) {
    const size_t n = 2 * s->nv;
    double *up = work, *up2 = work + n, *down = work + 2 * n, *down2 = work + 3 * n;
    double best = INFINITY, side = INFINITY;
    *agree = 0;
    for (int w = 0; w < WIDTH_COUNT && (best > 1e-7 || !*agree); w++) {
        const double h = WIDTHS[w];
        if (!moved(s, direction, h, up) || !moved(s, direction, -h, down)) continue;
        if (!moved(s, direction, 2 * h, up2) || !moved(s, direction, -2 * h, down2)) continue;
        for (size_t i = 0; i < n; i++) {
            const double right = (4 * up[i] - up2[i]) / (2 * h), left = -(4 * down[i] - down2[i]) / (2 * h);
            up2[i] = (up[i] - down[i]) / (2 * h);
            up[i] = right;
            down[i] = left;
        }
        best = fmin(best, apart(column, up2, n));
        side = fmin(side, fmin(apart(column, up, n), apart(column, down, n)));
        if (apart(up, down, n) < SIDES) *agree = 1;
    }
    return *agree ? best : fmin(best, side);
}

static void look_at(const ds_model *model, const double *q0, int law, double h, size_t steps, size_t stride) {
    ds_options o;
    ds_options_init(&o);
    o.time_step = h;
    o.contact = LAWS[law];
    ds_sim *sim = simulation(model, &o);
    const size_t nq = ds_model_nq(model), nv = ds_model_nv(model), nu = ds_model_nu(model), n = 2 * nv + nu;
    const size_t memory = ds_sim_memory_size(sim);
    Step s = {model, sim, nq, nv, nu, n, numbers(nq), numbers(nv), numbers(nu), numbers(memory), numbers(nq), numbers(nv),
              numbers(nv), numbers(nq), numbers(nv), numbers(nu), numbers(nq), numbers(nv)};
    const ds_step_jacobians J = {.dq_dq = numbers(nv * nv), .dq_dv = numbers(nv * nv), .dv_dq = numbers(nv * nv),
                                 .dv_dv = numbers(nv * nv), .dq_du = numbers(nv * nu), .dv_du = numbers(nv * nu)};
    double *direction = numbers(n), *column = numbers(2 * nv), *work = numbers(8 * nv);
    const double *blocks[3][2] = {{J.dq_dq, J.dv_dq}, {J.dq_dv, J.dv_dv}, {J.dq_du, J.dv_du}};
    memcpy(s.q, q0, nq * sizeof *q0);
    size_t exact = 0, one_sided = 0, refused = 0, in_contact = 0, columns = 0, wrong = 0, pessimistic = 0, unsure = 0;
    double worst = 0;
    char where[200] = "";
    seed = 7;
    size_t k = 0;
    for (; k < steps; k++) {
        for (size_t i = 0; i < nu; i++) s.u[i] = i < 6 && free_base(model) >= 0 ? 0 : 0.5 * (uniform() - 0.5);
        check(ds_sim_get_memory(sim, s.warm), "ds_sim_get_memory");
        if (ds_sim_step(sim, s.q, s.v, s.u, s.q_next, s.v_next)) break;
        if (k % stride == 0) {
            ds_step_info info;
            const ds_status status = ds_sim_step_jacobians(sim, &J);
            check(ds_sim_step_info(sim, &info), "ds_sim_step_info");
            in_contact += info.contacts > 0;
            if (status) {
                refused++;
            } else {
                int sides_agree = 1;
                double step_worst = 0;
                for (size_t c = 0; c < n + DIRECTIONS; c++) {
                    memset(direction, 0, n * sizeof *direction);
                    if (c < n)
                        direction[c] = 1;
                    else
                        for (size_t i = 0; i < n; i++) direction[i] = 2 * uniform() - 1;
                    memset(column, 0, 2 * nv * sizeof *column);
                    for (size_t i = 0; i < n; i++) {
                        if (direction[i] == 0) continue;
                        const size_t block = i < nv ? 0 : i < 2 * nv ? 1 : 2, of = i - block * nv;
                        for (size_t r = 0; r < nv; r++) {
                            column[r] += blocks[block][0][of * nv + r] * direction[i];
                            column[nv + r] += blocks[block][1][of * nv + r] * direction[i];
                        }
                    }
                    int agree;
                    const double error = against_differences(&s, direction, column, work, &agree);
                    sides_agree &= agree;
                    if (info.gradient != DS_GRADIENT_EXACT) continue;
                    if (isinf(error)) {
                        unsure++;
                        continue;
                    }
                    columns++;
                    if (error > WRONG) wrong++;
                    step_worst = fmax(step_worst, error);
                    if (error > worst) snprintf(where, sizeof where, "step %zu, column %zu", k, c);
                    worst = fmax(worst, error);
                }
                if (info.gradient == DS_GRADIENT_EXACT) exact++;
                else {
                    one_sided++;
                    pessimistic += sides_agree;
                }
                check(ds_sim_set_memory(sim, s.warm), "ds_sim_set_memory");
                check(ds_sim_step(sim, s.q, s.v, s.u, s.q_next, s.v_next), "the step again");
            }
        }
        memcpy(s.q, s.q_next, nq * sizeof *s.q);
        memcpy(s.v, s.v_next, nv * sizeof *s.v);
    }
    printf("{\"law\": \"%s\", \"nv\": %zu, \"steps\": %zu, \"in_contact\": %zu, \"exact\": %zu, \"one_sided\": %zu, \"two_sided_after_all\": %zu, "
           "\"refused\": %zu, \"columns\": %zu, \"wrong\": %zu, \"unsure\": %zu, \"worst\": %.2e, \"where\": \"%s\", \"failure\": \"%s\"}\n",
           LAW_NAMES[law], nv, k, in_contact, exact, one_sided, pessimistic, refused, columns, wrong, unsure, worst, where,
           k < steps ? "a step failed" : "");
    fflush(stdout);
    ds_sim_free(sim);
}

int main(int argc, char **argv) {
    if (argc != 8) {
        fprintf(stderr, "usage: gradients FILE BASE GROUND MESH_DIR STEPS STRIDE TIME_STEP\n");
        return 1;
    }
    ds_model *model = load_any(argv[1], argv[2], atoi(argv[3]), argv[4]);
    double *q = numbers(ds_model_nq(model));
    check(ds_model_home(model, q), "ds_model_home");
    const int32_t base = free_base(model);
    if (base >= 0) q[base + 2] += 0.01;
    for (int law = 0; law < 2; law++)
        look_at(model, q, law, strtod(argv[7], NULL), strtoul(argv[5], NULL, 10), strtoul(argv[6], NULL, 10));
    ds_model_free(model);
    free(q);
    return 0;
}
