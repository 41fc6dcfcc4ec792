/* Derivatives in contact: their labels, and those of the impulses. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "check.h"

enum { MAX = 64 };

static ds_model *model;
static double q[MAX], v[MAX], u[MAX], q_next[MAX], v_next[MAX], J[MAX * MAX];

static ds_sim *standing(double tolerance) {
    ds_options options;
    ds_options_init(&options);
    options.time_step = 1e-3;
    options.tolerance = tolerance;
    ds_sim *sim = NULL;
    CHECK_OK(ds_sim_create(model, &options, &sim));
    if (sim == NULL) exit(report());
    CHECK_OK(ds_model_keyframe(model, "standing", q, v, NULL));
    return sim;
}

/* A tolerance that no solver meets: the step is taken, says so, and has no derivative. */
static void refused(void) {
    ds_sim *sim = standing(1e-300);
    for (int k = 0; k < 3; k++) CHECK_OK(ds_sim_step(sim, q, v, u, q, v));
    ds_step_info info;
    CHECK_OK(ds_sim_step_info(sim, &info));
    CHECK(info.contacts >= 4 && info.residual > 0.0);
    CHECK(info.converged == 0 && info.gradient == DS_GRADIENT_REFUSED);
    const ds_step_jacobians out = {.dv_dv = J};
    CHECK_WRONG(ds_sim_step_jacobians(sim, &out), DS_ERR_NOT_CONVERGED, "residual");
    CHECK_WRONG(ds_sim_step_jvp(sim, v, NULL, NULL, NULL, q_next, v_next), DS_ERR_NOT_CONVERGED, "residual");
    CHECK_WRONG(ds_sim_step_vjp(sim, v, v, q_next, NULL, NULL, NULL), DS_ERR_NOT_CONVERGED, "residual");
    CHECK_WRONG(ds_sim_column_labels(sim, NULL, NULL, NULL, NULL), DS_ERR_NOT_CONVERGED, "residual");
    ds_sim_free(sim);
    sim = standing(1e-9);
    for (int k = 0; k < 3; k++) CHECK_OK(ds_sim_step(sim, q, v, u, q, v));
    CHECK_OK(ds_sim_step_info(sim, &info));
    CHECK(info.converged == 1 && info.gradient == DS_GRADIENT_EXACT);
    CHECK_OK(ds_sim_step_jacobians(sim, &out));
    ds_sim_free(sim);
}

/* Of two joints one lies on its limit, where friction holds it: its angle alone tells the sides apart. */
static void columns(void) {
    const char text[] = "<mujoco><compiler angle='radian'/><option gravity='0 0 0'/><worldbody>"
                        "<body><joint name='a' limited='true' range='0 1' frictionloss='1'/><geom size='0.1' pos='0.3 0 0'/></body>"
                        "<body pos='2 0 0'><joint name='b' frictionloss='1'/><geom size='0.1' pos='0.3 0 0'/></body>"
                        "</worldbody><actuator><motor joint='a'/><motor joint='b'/></actuator></mujoco>";
    ds_model *arms = NULL;
    ds_sim *sim = NULL;
    CHECK_OK(ds_model_load_string(text, sizeof text - 1, DS_FORMAT_MJCF, NULL, &arms));
    const int laws[] = {DS_CONTACT_NCP, DS_CONTACT_LCP};
    for (int k = 0; k < 2; k++) {
        ds_options options;
        ds_options_init(&options);
        options.contact = laws[k];
        CHECK_OK(ds_sim_create(arms, &options, &sim));
        double at[2] = {0.0}, still[2] = {0.0}, push[2] = {-0.5, 3.0}, end[2];
        uint8_t by_q[2] = {7, 7}, by_v[2] = {7, 7}, by_u[2] = {7, 7};
        CHECK_OK(ds_sim_step(sim, at, still, push, end, still));
        CHECK_OK(ds_sim_column_labels(sim, by_q, by_v, by_u, NULL));
        CHECK(by_q[0] == 1 && by_q[1] == 0 && by_v[0] == 0 && by_v[1] == 0 && by_u[0] == 0 && by_u[1] == 0);
        ds_step_info info;
        CHECK_OK(ds_sim_step_info(sim, &info));
        CHECK(info.gradient == DS_GRADIENT_ONE_SIDED);
        ds_sim_free(sim);
    }
    ds_model_free(arms);
}

/* A ball between walls that are too near is squeezed by both, and friction keeps it from falling but for
   creep; from one wall it leaves at its overlap per step, or at the largest speed allowed. */
static void jammed(void) {
    const char *walls[] = {"<geom type='plane' size='1 1 1' pos='-0.099 0 0' zaxis='1 0 0'/>",
                           "<geom type='plane' size='1 1 1' pos='0.099 0 0' zaxis='-1 0 0'/>"};
    for (int both = 0; both < 2; both++) {
        char text[1024];
        const int length = snprintf(text, sizeof text,
                                    "<mujoco><worldbody>%s%s<body><freejoint/>"
                                    "<geom type='sphere' size='0.1' mass='1'/></body></worldbody></mujoco>",
                                    walls[0], both ? walls[1] : "");
        ds_model *ball = NULL;
        CHECK_OK(ds_model_load_string(text, (size_t)length, DS_FORMAT_MJCF, NULL, &ball));
        for (int bounded = 0; bounded < 2; bounded++) {
            ds_options options;
            ds_options_init(&options);
            options.time_step = 1e-3;
            CHECK(options.max_push_out == 0.5 && options.max_push_out_angle == 1.0);
            options.max_push_out = bounded ? 0.25 : INFINITY;
            ds_sim *s = NULL;
            CHECK_OK(ds_sim_create(ball, &options, &s));
            double at[7], speed[6] = {0};
            CHECK_OK(ds_model_neutral(ball, at));
            CHECK_OK(ds_sim_step(s, at, speed, NULL, at, speed));
            ds_step_info info;
            CHECK_OK(ds_sim_step_info(s, &info));
            CHECK(info.push_out_given_up == (uint64_t)both && info.work >= 1.0 && info.work <= options.max_work + 10.0);
            CHECK(info.converged == 1 && (info.gradient == DS_GRADIENT_ONE_SIDED) == both);
            const double out = both ? 0.0 : bounded ? 0.25 : 1.0;
            /* The speed is in axes that friction at the wall has begun to turn. */
            CHECK(fabs(at[0] - out * options.time_step) < 1e-12);
            if (both) CHECK(speed[2] < 0.0 && speed[2] > -0.5 * 9.81e-3);
            ds_sim_free(s);
        }
        ds_model_free(ball);
    }
}

/* The impulses of the step from (q, v, u) displaced by h along dof or input k of `what`. */
static size_t impulses_at(ds_sim *sim, int what, size_t k, double h, double *out) {
    double d[MAX] = {0}, q_at[MAX], v_at[MAX], u_at[MAX];
    d[k] = what == 0 ? h : 0.0;
    CHECK_OK(ds_model_integrate(model, q, d, q_at));
    memcpy(v_at, v, sizeof v);
    memcpy(u_at, u, sizeof u);
    v_at[k] += what == 1 ? h : 0.0;
    u_at[k] += what == 2 ? h : 0.0;
    CHECK_OK(ds_sim_step(sim, q_at, v_at, u_at, q_next, v_next));
    const ds_contact *list = NULL;
    size_t count = 0;
    CHECK_OK(ds_sim_contacts(sim, &list, &count));
    for (size_t i = 0; i < count; i++) memcpy(out + 3 * i, list[i].impulse, sizeof list->impulse);
    return count;
}

static void impulses(void) {
    static double by[3][MAX * MAX], plus[MAX], minus[MAX], here[MAX];
    const size_t columns[3] = {ds_model_nv(model), ds_model_nv(model), ds_model_nu(model)};
    ds_sim *sim = standing(1e-12);
    int32_t unique = 7;
    CHECK_WRONG(ds_sim_impulse_jacobians(sim, by[0], NULL, NULL, NULL, &unique), DS_ERR_NO_STEP, "step");
    for (int k = 0; k < 20; k++) CHECK_OK(ds_sim_step(sim, q, v, u, q, v));
    const size_t n = impulses_at(sim, 0, 0, 0.0, here);
    CHECK(n >= 4 && 3 * n <= MAX);
    CHECK_INVALID(ds_sim_impulse_jacobians(sim, by[0], NULL, NULL, NULL, NULL), "unique");
    CHECK_INVALID(ds_sim_impulse_jacobians(sim, by[0], by[0], NULL, NULL, &unique), "by_v: must not overlap");
    CHECK_INVALID(ds_sim_impulse_jvp(sim, v, NULL, NULL, NULL, NULL, &unique), "dimpulse");
    CHECK_INVALID(ds_sim_impulse_jvp(sim, v, NULL, NULL, NULL, v, &unique), "must not overlap dq");
    CHECK(unique == 7);
    CHECK_OK(ds_sim_impulse_jacobians(sim, by[0], by[1], by[2], NULL, &unique));
    CHECK(unique == 1);
    /* Forward mode is the Jacobians times the direction. */
    double along[MAX], dimpulse[MAX];
    for (size_t k = 0; k < columns[0]; k++) along[k] = sin(1.0 + (double)k);
    CHECK_OK(ds_sim_impulse_jvp(sim, NULL, along, along, NULL, dimpulse, &unique));
    for (size_t i = 0; i < 3 * n; i++) {
        double sum = 0.0;
        for (int what = 1; what < 3; what++)
            for (size_t k = 0; k < columns[what]; k++) sum += by[what][i + 3 * n * k] * along[k];
        CHECK_NEAR(sum, dimpulse[i], 1e-11);
    }
    /* Reverse mode is a row of the Jacobians. */
    double bar[MAX] = {0}, q_bar[MAX], v_bar[MAX], u_bar[MAX];
    const double *bars[] = {q_bar, v_bar, u_bar};
    bar[4] = 1.0;
    CHECK_INVALID(ds_sim_impulse_vjp(sim, bar, q_bar, NULL, NULL, NULL, NULL), "unique");
    CHECK_INVALID(ds_sim_impulse_vjp(sim, NULL, q_bar, NULL, NULL, NULL, &unique), "impulse_bar");
    CHECK_OK(ds_sim_impulse_vjp(sim, bar, q_bar, v_bar, u_bar, NULL, &unique));
    CHECK(unique == 1);
    for (int what = 0; what < 3; what++)
        for (size_t k = 0; k < columns[what]; k++) CHECK_NEAR(bars[what][k], by[what][4 + 3 * n * k], 1e-11);
    for (int what = 0; what < 3; what++) {
        double worst = 0.0, largest = 0.0;
        const double h = 1e-6;
        for (size_t k = 0; k < columns[what]; k++) {
            CHECK(impulses_at(sim, what, k, h, plus) == n && impulses_at(sim, what, k, -h, minus) == n);
            for (size_t i = 0; i < 3 * n; i++) {
                const double d = (plus[i] - minus[i]) / (2 * h);
                worst = fmax(worst, fabs(d - by[what][i + 3 * n * k]));
                largest = fmax(largest, fabs(d));
            }
        }
        printf("impulses by %c: largest entry %.1e, error %.1e\n", "qvu"[what], largest, worst);
        CHECK(largest > 0.0 && worst < 1e-6 * largest);
    }
    ds_sim_free(sim);
}

/* Four points under a box share its weight as they like, and the derivative says so. */
static void redundant(void) {
    static const char text[] =
        "<mujoco><worldbody><geom type='plane' size='0 0 1'/><body pos='0 0 0.1'><freejoint/>"
        "<geom type='box' size='0.2 0.3 0.1' mass='2'/></body></worldbody></mujoco>";
    ds_model *box = NULL;
    ds_sim *sim = NULL;
    CHECK_OK(ds_model_load_string(text, strlen(text), DS_FORMAT_MJCF, NULL, &box));
    ds_options options;
    ds_options_init(&options);
    options.time_step = 1e-3;
    CHECK_OK(ds_sim_create(box, &options, &sim));
    const ds_param weight = {DS_PARAM_GRAVITY, 0, 2};
    CHECK_OK(ds_sim_select_params(sim, &weight, 1));
    double still[6] = {0}, at[7], by_p[12], sum = 0.0;
    int32_t unique = 7;
    CHECK_OK(ds_model_neutral(box, at));
    CHECK_OK(ds_sim_step(sim, at, still, NULL, q_next, v_next));
    CHECK_OK(ds_sim_impulse_jacobians(sim, NULL, NULL, NULL, by_p, &unique));
    CHECK(unique == 0);
    for (int i = 0; i < 4; i++) sum += by_p[3 * i + 2];
    /* All normals together carry -m g h. */
    CHECK_NEAR(sum, -2.0 * 1e-3, 1e-12);
    ds_sim_free(sim);
    ds_model_free(box);
}

/* A ball that starts inside the ground leaves it at v = -(1 - kp) (z - r) / h, whatever the gravity. */
static void sizes_and_gains(void) {
    static const char text[] =
        "<mujoco><worldbody><geom name='ground' type='plane' size='1 1 1'/><body pos='0 0 0.099'><freejoint/>"
        "<geom name='ball' type='sphere' size='0.1' mass='2'/></body></worldbody></mujoco>";
    ds_model *ball = NULL;
    ds_sim *sim = NULL;
    ds_options options;
    ds_options_init(&options);
    options.time_step = 1e-3;
    options.kp = 0.25;
    options.max_push_out = INFINITY;
    CHECK_OK(ds_model_load_string(text, strlen(text), DS_FORMAT_MJCF, NULL, &ball));
    CHECK_OK(ds_sim_create(ball, &options, &sim));
    const int32_t ground = ds_model_geom_id(ball, "ground"), geom = ds_model_geom_id(ball, "ball");
    const ds_param list[] = {{DS_PARAM_GEOM_SIZE, geom, 0}, {DS_PARAM_STABILIZATION, 0, 0}};
    const ds_param flat = {DS_PARAM_GEOM_SIZE, ground, 0}, none = {DS_PARAM_STABILIZATION, 0, 2};
    CHECK_WRONG(ds_sim_select_params(sim, &flat, 1), DS_ERR_UNSUPPORTED, "ground");
    CHECK_WRONG(ds_sim_select_params(sim, &none, 1), DS_ERR_INVALID_ARGUMENT, "component");
    CHECK_OK(ds_sim_select_params(sim, list, 2));
    double p[2], at[7], still[6] = {0}, by_p[12];
    CHECK_OK(ds_sim_get_params(sim, p));
    CHECK(p[0] == 0.1 && p[1] == 0.25);
    CHECK_OK(ds_model_neutral(ball, at));
    const ds_step_jacobians out = {.dv_dp = by_p};
    for (int larger = 0; larger < 2; larger++) {
        const double radius = larger ? 0.102 : 0.1, kp = larger ? 0.5 : 0.25, h = options.time_step;
        const double values[] = {radius, kp};
        CHECK_OK(ds_sim_set_params(sim, values));
        CHECK_OK(ds_sim_step(sim, at, still, NULL, q_next, v_next));
        CHECK_NEAR(v_next[2], -(1.0 - kp) * (0.099 - radius) / h, 1e-9);
        CHECK_OK(ds_sim_step_jacobians(sim, &out));
        CHECK_NEAR(by_p[2], (1.0 - kp) / h, 1e-7);
        CHECK_NEAR(by_p[6 + 2], (0.099 - radius) / h, 1e-9);
    }
    const double no_size[] = {0.0, 0.5}, no_gain[] = {0.1, 1.5};
    CHECK_WRONG(ds_sim_set_params(sim, no_size), DS_ERR_INVALID_ARGUMENT, "positive");
    CHECK_WRONG(ds_sim_set_params(sim, no_gain), DS_ERR_INVALID_ARGUMENT, "[0, 1]");
    CHECK_OK(ds_sim_get_params(sim, p));
    CHECK(p[0] == 0.102 && p[1] == 0.5);
    ds_sim_free(sim);
    ds_model_free(ball);
}

int main(int argc, char **argv) {
    if (argc < 2) return 2;
    CHECK_OK(ds_model_load(model_path(argv, "quadruped.xml"), NULL, &model));
    if (model == NULL) return report();
    refused();
    columns();
    jammed();
    impulses();
    redundant();
    sizes_and_gains();
    ds_model_free(model);
    return report();
}
