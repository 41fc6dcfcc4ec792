/* The convex law of compliant contact: results against formulas, derivatives against differences, and
 * refusals. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "check.h"

enum { NQ = 14, NV = 12, NP = 7, STEPS = 40, COUNT = 4 };

static const double PI = 3.14159265358979323846, GRAVITY = 9.81;

/* A ball of 2 kg that touches the ground only; 10 cm is its radius. */
static const char BALL[] =
    "<mujoco><worldbody><geom name='ground' type='plane' size='0 0 1'/><body pos='0 0 0.1'><freejoint/>"
    "<geom name='ball' type='sphere' size='0.1' mass='2'/></body></worldbody></mujoco>";

/* A box that stands on the ground, and a ball that rolls against it. */
static const char SCENE[] =
    "<mujoco><worldbody><geom name='ground' type='plane' size='0 0 1' friction='0.6'/>"
    "<body name='box' pos='0 0 0.0996'><freejoint/>"
    "<geom name='box' type='box' size='0.2 0.3 0.1' mass='3' friction='0.4'/></body>"
    "<body name='ball' pos='-0.2995 0.05 0.0995'><freejoint/>"
    "<geom name='ball' type='sphere' size='0.1' mass='2' friction='0.3'/></body></worldbody></mujoco>";

static ds_model *scene;
static ds_param list[NP];
/* Of the ground, the box and the ball. */
static const double values[NP] = {9e3, 6e3, 4e3, 0.004, 0.02, 0.015, 0.6};
static double q0[NQ], v0[NV], u0[NV];

static ds_options convex(void) {
    ds_options options;
    ds_options_init(&options);
    /* The formulas below are those without a bound on push-out. */
    options.max_push_out = INFINITY;
    options.contact = DS_CONTACT_CONVEX;
    options.time_step = 2e-3;
    return options;
}

static ds_model *load(const char *text, int32_t actuation) {
    ds_load_options options;
    ds_load_options_init(&options);
    options.actuation = actuation;
    ds_model *model = NULL;
    CHECK_OK(ds_model_load_string(text, strlen(text), DS_FORMAT_MJCF, &options, &model));
    if (model == NULL) exit(report());
    return model;
}

static ds_sim *create(const ds_model *model, const ds_options *options) {
    ds_sim *sim = NULL;
    CHECK_OK(ds_sim_create(model, options, &sim));
    if (sim == NULL) exit(report());
    return sim;
}

static ds_sim *scene_sim(void) {
    const ds_options options = convex();
    ds_sim *sim = create(scene, &options);
    CHECK_OK(ds_sim_select_params(sim, list, NP));
    CHECK_OK(ds_sim_set_params(sim, values));
    return sim;
}

static void prepare(void) {
    scene = load(SCENE, DS_ACTUATION_FULL);
    CHECK(ds_model_nq(scene) == NQ && ds_model_nv(scene) == NV && ds_model_nu(scene) == NV);
    const char *names[] = {"ground", "box", "ball"};
    for (int i = 0; i < 3; i++) {
        const int32_t geom = ds_model_geom_id(scene, names[i]);
        list[i] = (ds_param){DS_PARAM_CONTACT_STIFFNESS, geom, 0};
        list[3 + i] = (ds_param){DS_PARAM_CONTACT_DISSIPATION, geom, 0};
    }
    list[6] = (ds_param){DS_PARAM_GEOM_FRICTION, list[0].index, 0};
    CHECK_OK(ds_model_neutral(scene, q0));
    /* The box sticks, the ball slides on both. */
    v0[6] = 0.8, v0[7] = 0.1, v0[10] = -2.0;
    for (int k = 0; k < NV; k++) u0[k] = 0.3 * sin(1.0 + 2.0 * k);
}

/* A ball on a spring of k = 1/(1/k1 + 1/k2) and a damper of k (t1 + t2), both implicit: its path, its
 * derivatives, and how deep it lies in the end, -m g/k. */
static void spring(void) {
    ds_model *model = load(BALL, DS_ACTUATION_FROM_FILE);
    ds_options options = convex();
    /* Else a step takes the last impulses where they are good enough. */
    options.tolerance = 1e-13;
    ds_sim *sim = create(model, &options);
    const int32_t ground = ds_model_geom_id(model, "ground"), ball = ds_model_geom_id(model, "ball");
    const ds_param materials[] = {{DS_PARAM_CONTACT_STIFFNESS, ball, 0},
                                  {DS_PARAM_CONTACT_STIFFNESS, ground, 0},
                                  {DS_PARAM_CONTACT_DISSIPATION, ball, 0},
                                  {DS_PARAM_CONTACT_DISSIPATION, ground, 0}};
    CHECK_OK(ds_sim_select_params(sim, materials, 4));
    double p[4];
    CHECK_OK(ds_sim_get_params(sim, p));
    CHECK(isinf(p[0]) && isinf(p[1]) && p[2] == 0.01 && p[3] == 0.01);
    const double some[4] = {3000.0, 1500.0, 0.03, 0.01}, k = 1000.0, tau = 0.04, m = 2.0, h = options.time_step;
    CHECK_OK(ds_sim_set_params(sim, some));
    double q[7], v[6] = {0}, J[4 * 6], gap = -1e-4, speed = -0.3, worst = 0.0, worst_slope = 0.0, residual = 0.0;
    const ds_step_jacobians out = {.dv_dp = J};
    CHECK_OK(ds_model_neutral(model, q));
    q[2] += gap, v[2] = speed;
    ds_step_info info;
    for (int i = 0; i < 2000; i++) {
        const double heavy = m + h * k * (h + tau);
        const double end = (m * speed - m * GRAVITY * h - h * k * gap) / heavy;
        const double by_k = -(h * gap + h * (h + tau) * end) / heavy, by_tau = -h * k * end / heavy;
        const double expected[4] = {by_k * pow(k / some[0], 2), by_k * pow(k / some[1], 2), by_tau, by_tau};
        CHECK_OK(ds_sim_step(sim, q, v, NULL, q, v));
        CHECK_OK(ds_sim_step_jacobians(sim, &out));
        CHECK_OK(ds_sim_step_info(sim, &info));
        CHECK(info.converged == 1 && info.contacts == 1);
        residual = fmax(residual, info.residual);
        speed = end, gap += h * end;
        worst = fmax(worst, fmax(fabs(v[2] - speed), fabs(q[2] - 0.1 - gap)));
        for (int j = 0; j < 4; j++) worst_slope = fmax(worst_slope, fabs(J[6 * j + 2] - expected[j]));
    }
    printf("spring: path %.1e, derivatives %.1e, residual %.1e, at rest %.6f m\n", worst, worst_slope, residual, gap);
    CHECK(worst < 1e-12 && worst_slope < 1e-11 && residual < 1e-12);
    CHECK_NEAR(q[2] - 0.1, -m * GRAVITY / k, 1e-10);
    CHECK_NEAR(v[2], 0.0, 1e-10);
    CHECK(info.gradient == DS_GRADIENT_EXACT && info.switch_distance > 0.0);

    /* As rigid as a step resolves: R = w/(4 pi^2) with the weight of a ball, 8/(3 sqrt(3) m). Stiffness has
     * no say. */
    const double rigid[4] = {INFINITY, INFINITY, 0.03, 0.01}, stiff[4] = {1e9, 1e9, 0.03, 0.01};
    for (int j = 0; j < 2; j++) {
        CHECK_OK(ds_sim_set_params(sim, j ? stiff : rigid));
        CHECK_OK(ds_sim_get_params(sim, p));
        CHECK(memcmp(p, j ? stiff : rigid, sizeof p) == 0);
        for (int i = 0; i < 2000; i++) CHECK_OK(ds_sim_step(sim, q, v, NULL, q, v));
        const double weight = 8.0 / (3.0 * sqrt(3.0) * m), least = weight / (4.0 * PI * PI);
        CHECK_NEAR(q[2] - 0.1, -m * GRAVITY * h * (h + tau) * least, 1e-12);
        CHECK_OK(ds_sim_step_jacobians(sim, &out));
        CHECK(J[2] == 0.0 && J[6 + 2] == 0.0);
    }
    ds_sim_free(sim);
    ds_model_free(model);
}

/* A ball on rails that slides at `speed`, so many steps later: how far it went, its gap, and its velocity. */
static void slide(double stiffness, double height, double rising, double speed, int steps, double *q, double *v) {
    static const char text[] =
        "<mujoco><worldbody><geom type='plane' size='0 0 1' friction='0.5'/><body pos='0 0 0.1'>"
        "<joint type='slide' axis='1 0 0'/><joint type='slide' axis='0 0 1'/>"
        "<geom type='sphere' size='0.1' mass='2' friction='0.5'/></body></worldbody></mujoco>";
    ds_model *model = load(text, DS_ACTUATION_FROM_FILE);
    const ds_options options = convex();
    ds_sim *sim = create(model, &options);
    const ds_param material = {DS_PARAM_CONTACT_STIFFNESS, 1, 0};
    CHECK_OK(ds_sim_select_params(sim, &material, 1));
    CHECK_OK(ds_sim_set_params(sim, &stiffness));
    q[0] = 0.0, q[1] = height, v[0] = speed, v[1] = rising;
    for (int i = 0; i < steps; i++) CHECK_OK(ds_sim_step(sim, q, v, NULL, q, v));
    const ds_contact *contacts = NULL;
    size_t count = 0;
    CHECK_OK(ds_sim_contacts(sim, &contacts, &count));
    CHECK(count == 1 && contacts[0].mode == DS_MODE_SLIDING);
    CHECK_NEAR(hypot(contacts[0].impulse[0], contacts[0].impulse[1]), 0.5 * contacts[0].impulse[2], 1e-12);
    ds_sim_free(sim);
    ds_model_free(model);
}

/* What sliding contacts of every convex law do: they glide at a gap of mu h |v|, soft ones lie less deep by
 * mu (h + t) |v|, and what begins to slide at once leaves the ground at up to mu |v|. */
static void gliding(void) {
    const double h = 2e-3, tau = 0.02, mu = 0.5, k = 200.0;
    double q[2], v[2];
    slide(INFINITY, mu * h * 2.0, -mu * mu * h * GRAVITY, 2.0, 100, q, v);
    printf("gliding at %.3f m/s: gap %.4f mm of %.4f\n", v[0], 1e3 * q[1], 1e3 * mu * h * v[0]);
    CHECK_NEAR(q[1], mu * h * v[0], 2e-5);
    CHECK_NEAR(v[0], 2.0 - mu * GRAVITY * h * 100, 1e-2);
    /* It stays at that depth, at the speed of the step's end. */
    slide(k, -2.0 * GRAVITY / k + mu * (h + tau) * (2.0 - mu * GRAVITY * h), 0.0, 2.0, 1, q, v);
    CHECK_NEAR(v[1], 0.0, 1e-6);
    slide(INFINITY, 0.0, 0.0, 4.0, 1, q, v);
    printf("hop: %.3f m/s of %.3f\n", v[1], mu * v[0]);
    CHECK_NEAR(v[1], mu * v[0], 0.05 * mu * v[0]);
}

/* A step of the scene's k-th variable displaced by d: of q, v, u or the parameters. */
static void displaced(ds_sim *sim, const double *warm, const double *at[3], int what, int k, double d, double *q,
                      double *v, double *impulses) {
    double x[NV] = {0}, p[NP], qs[NQ], vs[NV], us[NV];
    memcpy(vs, at[1], sizeof vs), memcpy(us, at[2], sizeof us), memcpy(p, values, sizeof p);
    (what == 0 ? x : what == 1 ? vs : what == 2 ? us : p)[k] += d;
    CHECK_OK(ds_model_integrate(scene, at[0], x, qs));
    CHECK_OK(ds_sim_set_params(sim, p));
    CHECK_OK(ds_sim_set_memory(sim, warm));
    CHECK_OK(ds_sim_step(sim, qs, vs, us, q, v));
    const ds_contact *contacts = NULL;
    size_t count = 0;
    CHECK_OK(ds_sim_contacts(sim, &contacts, &count));
    for (size_t i = 0; i < count && i < 8; i++) memcpy(impulses + 3 * i, contacts[i].impulse, 3 * sizeof *impulses);
}

/* Jacobians of the scene's step against central differences, directions and adjoints against Jacobians. */
static void derivatives(void) {
    static double J[4][2][NV * NV], by[4][24 * NV];
    ds_sim *sim = scene_sim();
    double *warm = calloc(ds_sim_memory_size(sim), sizeof *warm), worst = 0.0, same = 0.0, worst_impulse = 0.0;
    double q[NQ], v[NV], seen[4] = {0}, q_next[NQ], v_next[NV];
    memcpy(q, q0, sizeof q), memcpy(v, v0, sizeof v);
    size_t modes[4] = {0};
    const int columns[4] = {NV, NV, NV, NP};
    for (int step = 0; step < 12; step++) {
        const double *at[3] = {q, v, u0};
        CHECK_OK(ds_sim_get_memory(sim, warm));
        CHECK_OK(ds_sim_step(sim, q, v, u0, q_next, v_next));
        ds_step_info info;
        CHECK_OK(ds_sim_step_info(sim, &info));
        CHECK(info.converged == 1 && info.gradient == DS_GRADIENT_EXACT && info.residual < 1e-12);
        CHECK(info.contacts >= 5 && info.contacts <= 8);
        const ds_contact *contacts = NULL;
        size_t count = 0;
        CHECK_OK(ds_sim_contacts(sim, &contacts, &count));
        for (size_t i = 0; i < count; i++) ++modes[contacts[i].mode];
        const ds_step_jacobians out = {J[0][0], J[1][0], J[2][0], J[3][0], J[0][1], J[1][1], J[2][1], J[3][1]};
        CHECK_OK(ds_sim_step_jacobians(sim, &out));
        int32_t unique = 0;
        CHECK_OK(ds_sim_impulse_jacobians(sim, by[0], by[1], by[2], by[3], &unique));
        /* Four corners share the weight in one way only: all of them yield. */
        CHECK(unique == 1);

        double d[4][NV], bar[2][NV], jvp[2][NV], vjp[4][NV], unit_jvp[2][NV], unit_vjp[4][NV];
        for (int k = 0; k < NV; k++) {
            for (int what = 0; what < 4; what++) d[what][k] = cos(1.0 + 3.0 * k + 5.0 * what + step);
            for (int row = 0; row < 2; row++) bar[row][k] = sin(2.0 + 3.0 * k + 7.0 * row + step);
        }
        CHECK_OK(ds_sim_step_jvp(sim, d[0], d[1], d[2], d[3], jvp[0], jvp[1]));
        CHECK_OK(ds_sim_step_vjp(sim, bar[0], bar[1], vjp[0], vjp[1], vjp[2], vjp[3]));
        for (int k = 0; k < NV; k++) {
            for (int row = 0; row < 2; row++) unit_jvp[row][k] = 1.0;
            for (int what = 0; what < 4; what++) unit_vjp[what][k] = 1.0;
        }
        for (int row = 0; row < 2; row++)
            for (int i = 0; i < NV; i++)
                for (int what = 0; what < 4; what++)
                    for (int k = 0; k < columns[what]; k++) {
                        const double x = J[what][row][i + NV * k];
                        jvp[row][i] -= x * d[what][k], unit_jvp[row][i] += fabs(x);
                        vjp[what][k] -= x * bar[row][i], unit_vjp[what][k] += fabs(x);
                    }
        for (int k = 0; k < NV; k++) {
            for (int row = 0; row < 2; row++) same = fmax(same, fabs(jvp[row][k]) / unit_jvp[row][k]);
            for (int what = 0; what < 4; what++)
                if (k < columns[what]) same = fmax(same, fabs(vjp[what][k]) / unit_vjp[what][k]);
        }

        for (int what = 0; what < 4; what++)
            for (int k = 0; k < columns[what]; k++) {
                const double h = what == 3 ? 1e-4 * values[k] : 1e-6;
                double qs[2][NQ], vs[2][NV], change[2][NV], lambda[2][24];
                for (int side = 0; side < 2; side++)
                    displaced(sim, warm, at, what, k, side ? h : -h, qs[side], vs[side], lambda[side]);
                CHECK_OK(ds_model_difference(scene, qs[0], qs[1], change[0]));
                for (int i = 0; i < NV; i++) change[1][i] = vs[1][i] - vs[0][i];
                /* Parameters are in units of their values. */
                const double unit = what == 3 ? values[k] : 1.0;
                for (int row = 0; row < 2; row++)
                    for (int i = 0; i < NV; i++) {
                        const double x = unit * change[row][i] / (2 * h);
                        worst = fmax(worst, fabs(x - unit * J[what][row][i + NV * k]) / (1.0 + fabs(x)));
                        seen[what] = fmax(seen[what], fabs(x));
                    }
                for (size_t i = 0; i < 3 * count; i++) {
                    const double x = unit * (lambda[1][i] - lambda[0][i]) / (2 * h);
                    worst_impulse =
                        fmax(worst_impulse, fabs(x - unit * by[what][i + 3 * count * (size_t)k]) / (1.0 + fabs(x)));
                }
            }
        CHECK_OK(ds_sim_set_params(sim, values));
        CHECK_OK(ds_sim_set_memory(sim, warm));
        CHECK_OK(ds_sim_step(sim, q, v, u0, q, v));
        CHECK(memcmp(q, q_next, sizeof q) == 0 && memcmp(v, v_next, sizeof v) == 0);
    }
    printf("scene: largest entries by q %.1f, v %.1f, u %.1e, p %.1e; differences %.1e, of impulses %.1e;\n"
           "    directions and adjoints %.1e; modes %zu %zu %zu\n",
           seen[0], seen[1], seen[2], seen[3], worst, worst_impulse, same, modes[0], modes[1], modes[2]);
    CHECK(worst < 1e-6 && worst_impulse < 1e-6 && same < 1e-10);
    CHECK(modes[DS_MODE_STICKING] > 0 && modes[DS_MODE_SLIDING] > 0);
    for (int what = 0; what < 4; what++) CHECK(seen[what] > 1e-3);
    free(warm);
    ds_sim_free(sim);
}

/* The same numbers for weights of a loss, and for directions. */
static void fill(double *x, size_t n, double phase) {
    for (size_t i = 0; i < n; i++) x[i] = sin(phase + 1.7 * (double)i);
}

static double loss_at(ds_rollout *rollout, const double *d, double scale, const double *q_bar, const double *v_bar,
                      const double *q_ref) {
    static double q[NQ * (STEPS + 1)], v[NV * (STEPS + 1)], u[NV * STEPS];
    double dq[NV], q_at[NQ], v_at[NV], p[NP], sum = 0.0;
    for (int k = 0; k < NV; k++) dq[k] = scale * d[k], v_at[k] = v0[k] + scale * d[NV + k];
    for (int k = 0; k < NP; k++) p[k] = values[k] * (1.0 + scale * d[2 * NV + k]);
    for (int k = 0; k < NV * STEPS; k++) u[k] = u0[k % NV] + scale * d[2 * NV + NP + k];
    CHECK_OK(ds_model_integrate(scene, q0, dq, q_at));
    CHECK_OK(ds_rollout_set_params(rollout, p));
    CHECK_OK(ds_rollout_run(rollout, q_at, v_at, u, STEPS, q, v));
    for (int i = 0; i <= STEPS; i++) {
        CHECK_OK(ds_model_difference(scene, q_ref + NQ * i, q + NQ * i, dq));
        for (int k = 0; k < NV; k++) sum += q_bar[NV * i + k] * dq[k] + v_bar[NV * i + k] * v[NV * i + k];
    }
    return sum;
}

/* The adjoint of a trajectory, with all states kept and with some, against differences and against the
 * adjoints of its steps. */
static void rollout(void) {
    enum { ALL = 2 * NV + NP + NV * STEPS };
    static double q_ref[NQ * (STEPS + 1)], v_ref[NV * (STEPS + 1)], u[NV * STEPS], d[ALL];
    static double q_bar[NV * (STEPS + 1)], v_bar[NV * (STEPS + 1)], bar[2][ALL];
    for (int k = 0; k < NV * STEPS; k++) u[k] = u0[k % NV];
    fill(q_bar, NV * (STEPS + 1), 0.3), fill(v_bar, NV * (STEPS + 1), 0.9), fill(d, ALL, 0.1);
    double differences = 0.0, along = 0.0;
    for (int sparse = 0; sparse < 2; sparse++) {
        ds_options options = convex();
        options.checkpoint_interval = sparse ? 7 : 1;
        ds_rollout *rollout = NULL;
        CHECK_OK(ds_rollout_create(scene, &options, STEPS, &rollout));
        CHECK_OK(ds_rollout_select_params(rollout, list, NP));
        CHECK_OK(ds_rollout_set_params(rollout, values));
        CHECK_OK(ds_rollout_run(rollout, q0, v0, u, STEPS, q_ref, v_ref));
        double *b = bar[sparse];
        CHECK_OK(ds_rollout_adjoint(rollout, q_bar, v_bar, b, b + NV, b + 2 * NV + NP, b + 2 * NV));
        ds_gradient gradient = DS_GRADIENT_REFUSED;
        CHECK_OK(ds_rollout_gradient(rollout, &gradient));
        CHECK(gradient == DS_GRADIENT_EXACT);
        if (!sparse) {
            const double h = 1e-6;
            differences = loss_at(rollout, d, h, q_bar, v_bar, q_ref) - loss_at(rollout, d, -h, q_bar, v_bar, q_ref);
            differences /= 2 * h;
        }
        ds_rollout_free(rollout);
    }
    CHECK(memcmp(bar[0], bar[1], sizeof bar[0]) == 0);
    for (int k = 0; k < ALL; k++) {
        const int parameter = k >= 2 * NV && k < 2 * NV + NP;
        along += bar[0][k] * d[k] * (parameter ? values[k - 2 * NV] : 1.0);
    }
    printf("rollout: along a direction %.9g, differences %.9g\n", along, differences);
    CHECK_NEAR(along, differences, 1e-5 * fabs(along));

    /* Forwards once more by single steps, then back by their adjoints: each is taken when it is the last
     * step. */
    ds_sim *sim = scene_sim();
    const size_t size = ds_sim_memory_size(sim);
    double *warm = calloc(size * STEPS, sizeof *warm), q[NQ], v[NV], x[2][NV], p_bar[NP], sum[NP] = {0}, worst = 0.0;
    memcpy(q, q0, sizeof q), memcpy(v, v0, sizeof v);
    for (int i = 0; i < STEPS; i++) {
        CHECK_OK(ds_sim_get_memory(sim, warm + size * (size_t)i));
        CHECK_OK(ds_sim_step(sim, q, v, u0, q, v));
        CHECK(memcmp(q, q_ref + NQ * (i + 1), sizeof q) == 0 && memcmp(v, v_ref + NV * (i + 1), sizeof v) == 0);
    }
    memcpy(x[0], q_bar + NV * STEPS, sizeof x[0]), memcpy(x[1], v_bar + NV * STEPS, sizeof x[1]);
    for (int i = STEPS - 1; i >= 0; i--) {
        double u_bar[NV];
        CHECK_OK(ds_sim_set_memory(sim, warm + size * (size_t)i));
        CHECK_OK(ds_sim_step(sim, q_ref + NQ * i, v_ref + NV * i, u0, q, v));
        CHECK(memcmp(q, q_ref + NQ * (i + 1), sizeof q) == 0);
        CHECK_OK(ds_sim_step_vjp(sim, x[0], x[1], x[0], x[1], u_bar, p_bar));
        for (int k = 0; k < NP; k++) sum[k] += p_bar[k];
        for (int k = 0; k < NV; k++) {
            x[0][k] += q_bar[NV * i + k], x[1][k] += v_bar[NV * i + k];
            worst = fmax(worst, fabs(u_bar[k] - bar[0][2 * NV + NP + NV * i + k]));
        }
    }
    for (int k = 0; k < NV; k++)
        worst = fmax(worst, fmax(fabs(x[0][k] - bar[0][k]), fabs(x[1][k] - bar[0][NV + k])));
    for (int k = 0; k < NP; k++) worst = fmax(worst, fabs(sum[k] - bar[0][2 * NV + k]));
    printf("rollout: adjoint against those of single steps %.1e\n", worst);
    CHECK(worst < 1e-9);
    free(warm);
    ds_sim_free(sim);
}

/* A batch gives the bits of single sims, and a sim with its memory restored those of the steps before. */
static void same_bits(void) {
    static double q[COUNT * NQ], v[COUNT * NV], u[COUNT * NV], J[COUNT * NV * NV], by_p[COUNT * NV * NP];
    double p[NP];
    const ds_options options = convex();
    for (size_t threads = 1; threads <= 2; threads++) {
        ds_batch *batch = NULL;
        CHECK_OK(ds_batch_create(scene, &options, COUNT, threads, &batch));
        if (batch == NULL) exit(report());
        CHECK_OK(ds_batch_select_params(batch, list, NP));
        for (int e = 0; e < COUNT; e++) {
            for (int k = 0; k < NP; k++) p[k] = values[k] * (1.0 + 0.2 * e);
            CHECK_OK(ds_batch_set_params(batch, (size_t)e, p));
            memcpy(q + NQ * e, q0, sizeof q0), memcpy(v + NV * e, v0, sizeof v0), memcpy(u + NV * e, u0, sizeof u0);
            v[NV * e + 6] += 0.3 * e;
        }
        for (int i = 0; i < STEPS; i++) CHECK_OK(ds_batch_step(batch, q, v, u, q, v, NULL));
        const ds_step_jacobians out = {.dv_dq = J, .dv_dp = by_p};
        CHECK_OK(ds_batch_step_jacobians(batch, &out, NULL));
        for (int e = 0; e < COUNT; e++) {
            double qs[NQ], vs[NV], one[NV * NV], one_p[NV * NP];
            ds_sim *sim = scene_sim();
            for (int k = 0; k < NP; k++) p[k] = values[k] * (1.0 + 0.2 * e);
            CHECK_OK(ds_sim_set_params(sim, p));
            memcpy(qs, q0, sizeof q0), memcpy(vs, v0, sizeof v0);
            vs[6] += 0.3 * e;
            for (int i = 0; i < STEPS; i++) CHECK_OK(ds_sim_step(sim, qs, vs, u0, qs, vs));
            const ds_step_jacobians single = {.dv_dq = one, .dv_dp = one_p};
            CHECK_OK(ds_sim_step_jacobians(sim, &single));
            CHECK(memcmp(qs, q + NQ * e, sizeof qs) == 0 && memcmp(vs, v + NV * e, sizeof vs) == 0);
            CHECK(memcmp(one, J + NV * NV * e, sizeof one) == 0);
            CHECK(memcmp(one_p, by_p + NV * NP * e, sizeof one_p) == 0);
            ds_sim_free(sim);
        }
        ds_batch_free(batch);
    }

    ds_sim *sims[2] = {scene_sim(), scene_sim()};
    double *warm = calloc(ds_sim_memory_size(sims[0]), sizeof *warm), qs[2][NQ], vs[2][NV], from_q[NQ], from_v[NV];
    memcpy(from_q, q0, sizeof q0), memcpy(from_v, v0, sizeof v0);
    for (int i = 0; i < 10; i++) CHECK_OK(ds_sim_step(sims[0], from_q, from_v, u0, from_q, from_v));
    CHECK_OK(ds_sim_get_memory(sims[0], warm));
    CHECK_OK(ds_sim_set_memory(sims[1], warm));
    for (int s = 0; s < 2; s++) {
        memcpy(qs[s], from_q, sizeof from_q), memcpy(vs[s], from_v, sizeof from_v);
        for (int i = 0; i < 10; i++) CHECK_OK(ds_sim_step(sims[s], qs[s], vs[s], u0, qs[s], vs[s]));
    }
    CHECK(memcmp(qs[0], qs[1], sizeof qs[0]) == 0 && memcmp(vs[0], vs[1], sizeof vs[0]) == 0);
    /* After the detour, too. */
    CHECK_OK(ds_sim_set_memory(sims[0], warm));
    for (int i = 0; i < 10; i++) CHECK_OK(ds_sim_step(sims[0], from_q, from_v, u0, from_q, from_v));
    CHECK(memcmp(from_q, qs[1], sizeof from_q) == 0 && memcmp(from_v, vs[1], sizeof from_v) == 0);
    free(warm);
    ds_sim_free(sims[0]), ds_sim_free(sims[1]);
}

static void refused_options(void) {
    ds_sim *sim = NULL;
    ds_rollout *rollout = NULL;
    ds_batch *batch = NULL;
    const char *names[] = {"options.kp must be 0", "options.kd must be 0"};
    for (int i = 0; i < 2; i++) {
        ds_options options = convex();
        double *const fields[] = {&options.kp, &options.kd};
        *fields[i] = 0.5;
        const char *name = names[i];
        CHECK_INVALID(ds_sim_create(scene, &options, &sim), name);
        CHECK_INVALID(ds_rollout_create(scene, &options, 3, &rollout), name);
        CHECK_INVALID(ds_batch_create(scene, &options, 3, 1, &batch), name);
    }
    CHECK(sim == NULL && rollout == NULL && batch == NULL);
}

static void refused_parameters(void) {
    const ds_param gain = {DS_PARAM_STABILIZATION, 0, 0}, no_geom = {DS_PARAM_CONTACT_STIFFNESS, 99, 0},
                   no_component = {DS_PARAM_CONTACT_DISSIPATION, 0, 1};
    ds_sim *sim = scene_sim();
    CHECK_WRONG(ds_sim_select_params(sim, &gain, 1), DS_ERR_UNSUPPORTED, "DS_PARAM_STABILIZATION");
    CHECK_INVALID(ds_sim_select_params(sim, &no_geom, 1), "99");
    CHECK_INVALID(ds_sim_select_params(sim, &no_component, 1), "component");
    CHECK(ds_sim_np(sim) == NP);
    static const struct {
        int entry;
        double value;
        ds_status status;
        const char *culprit;
    } bad[] = {{1, 0.0, DS_ERR_INVALID_ARGUMENT, "p[1]: DS_PARAM_CONTACT_STIFFNESS"},
               {2, -5.0, DS_ERR_INVALID_ARGUMENT, "p[2]: DS_PARAM_CONTACT_STIFFNESS"},
               {0, NAN, DS_ERR_NUMERICAL, "p[0]"},
               {0, -INFINITY, DS_ERR_NUMERICAL, "p[0]"},
               {4, -1e-3, DS_ERR_INVALID_ARGUMENT, "p[4]: DS_PARAM_CONTACT_DISSIPATION"},
               {5, NAN, DS_ERR_NUMERICAL, "p[5]"},
               {5, INFINITY, DS_ERR_NUMERICAL, "p[5]"}};
    double p[NP], got[NP], q[NQ], v[NV], q_next[NQ], v_next[NV];
    CHECK_OK(ds_sim_step(sim, q0, v0, u0, q, v));
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        for (int k = 0; k < NP; k++) p[k] = 2.0 * values[k];
        p[bad[i].entry] = bad[i].value;
        CHECK_WRONG(ds_sim_set_params(sim, p), bad[i].status, bad[i].culprit);
        CHECK_OK(ds_sim_get_params(sim, got));
        CHECK(memcmp(got, values, sizeof got) == 0);
        CHECK_OK(ds_sim_reset(sim));
        CHECK_OK(ds_sim_step(sim, q0, v0, u0, q_next, v_next));
        CHECK(memcmp(q, q_next, sizeof q) == 0 && memcmp(v, v_next, sizeof v) == 0);
    }
    memcpy(p, values, sizeof p);
    p[0] = INFINITY, p[3] = 0.0;
    CHECK_OK(ds_sim_set_params(sim, p));
    CHECK_OK(ds_sim_step(sim, q0, v0, u0, q_next, v_next));
    CHECK(memcmp(v, v_next, sizeof v) != 0);
    ds_sim_free(sim);

    const int32_t others[] = {DS_CONTACT_NCP, DS_CONTACT_NONE};
    for (int i = 0; i < 2; i++) {
        ds_options options = convex();
        options.contact = others[i];
        sim = create(scene, &options);
        CHECK_WRONG(ds_sim_select_params(sim, list, 1), DS_ERR_UNSUPPORTED, "params[0]: DS_PARAM_CONTACT_STIFFNESS");
        CHECK_WRONG(ds_sim_select_params(sim, list + 3, 1), DS_ERR_UNSUPPORTED, "params[0]: DS_PARAM_CONTACT_DISSIPATION");
        ds_sim_free(sim);
    }
}

/* Randomized smoothing has a mean; there is nothing to relax, and the step's own results stay. */
static void smoothing(void) {
    ds_sim *sim = scene_sim();
    double q[NQ], v[NV], J[3][NV * NV], before[NV * NV];
    CHECK_OK(ds_sim_step(sim, q0, v0, u0, q, v));
    const ds_step_jacobians exact = {.dv_dv = before};
    CHECK_OK(ds_sim_step_jacobians(sim, &exact));
    ds_smoothing s;
    ds_smoothing_init(&s);
    ds_smoothing_info info;
    s.width_q = 1e-6, s.width_v = 1e-6;
    for (int method = DS_SMOOTHING_FIRST_ORDER; method <= DS_SMOOTHING_ZEROTH_ORDER; method++) {
        s.method = method;
        const ds_step_jacobians out = {.dv_dv = J[method]};
        CHECK_OK(ds_sim_smoothed_jacobians(sim, &s, &out, &info));
        CHECK(info.gradient == DS_GRADIENT_SMOOTHED && info.pairs == s.pairs && info.failures == 0);
    }
    /* So narrow a mean is the derivative. */
    for (int i = 0; i < NV * NV; i++) CHECK_NEAR(J[0][i], before[i], 1e-3);
    s.method = DS_SMOOTHING_CENTRAL_PATH;
    memset(J[2], 0x5A, sizeof J[2]);
    double untouched[NV * NV];
    memcpy(untouched, J[2], sizeof untouched);
    const ds_step_jacobians out = {.dv_dv = J[2]};
    CHECK_WRONG(ds_sim_smoothed_jacobians(sim, &s, &out, &info), DS_ERR_UNSUPPORTED, "smoothing.method");
    CHECK_WRONG(ds_sim_relaxed_step(sim, &s, J[2], J[2] + NV * 2), DS_ERR_UNSUPPORTED, "smoothing.method");
    CHECK(memcmp(J[2], untouched, sizeof untouched) == 0);
    CHECK_OK(ds_sim_step_jacobians(sim, &exact));
    ds_sim_free(sim);
}

/* Bounds that leave a step unsolved: it is taken and says so, or refused where that was asked for. */
static void unsolved(void) {
    ds_options options = convex();
    options.tolerance = 1e-300;
    ds_sim *sim = create(scene, &options);
    double q[NQ], v[NV], J[NV * NV];
    const ds_step_jacobians out = {.dv_dv = J};
    ds_step_info info;
    CHECK_OK(ds_sim_step(sim, q0, v0, u0, q, v));
    CHECK_OK(ds_sim_step_info(sim, &info));
    CHECK(info.converged == 0 && info.gradient == DS_GRADIENT_REFUSED && info.residual < 1e-12);
    CHECK_WRONG(ds_sim_step_jacobians(sim, &out), DS_ERR_NOT_CONVERGED, "residual");
    ds_sim_free(sim);
    options.require_convergence = 1;
    sim = create(scene, &options);
    CHECK_WRONG(ds_sim_step(sim, q0, v0, u0, q, v), DS_ERR_NOT_CONVERGED, "residual");
    ds_sim_free(sim);
}

/* Velocities whose squares are no numbers: every step ends, finite or refused with nothing written, and the
 * next one is as if there had been none. */
static void huge(void) {
    const ds_options options = convex();
    ds_sim *sim = create(scene, &options);
    double q[NQ], v[NV], q_after[NQ], v_after[NV], v_huge[NV];
    CHECK_OK(ds_sim_step(sim, q0, v0, u0, q, v));
    ds_sim_reset(sim);
    int refused = 0;
    for (int power = 20; power < 308; power += 8) {
        for (int i = 0; i < NV; i++) v_huge[i] = (i % 2 ? 1.0 : -1.0) * pow(10.0, power);
        memset(q_after, 0x5A, sizeof q_after);
        memset(v_after, 0x5A, sizeof v_after);
        const double untouched = v_after[0];
        const ds_status status = ds_sim_step(sim, q0, v_huge, u0, q_after, v_after);
        if (status == DS_OK) {
            for (int i = 0; i < NV; i++) CHECK(isfinite(v_after[i]));
        } else {
            refused++;
            CHECK(status == DS_ERR_NUMERICAL && *ds_last_error() != 0);
            for (int i = 0; i < NV; i++) CHECK(v_after[i] == untouched);
        }
    }
    CHECK(refused > 0);
    ds_sim_reset(sim);
    CHECK_OK(ds_sim_step(sim, q0, v0, u0, q_after, v_after));
    CHECK(memcmp(q, q_after, sizeof q) == 0 && memcmp(v, v_after, sizeof v) == 0);
    ds_sim_free(sim);
}

int main(void) {
    prepare();
    spring();
    gliding();
    derivatives();
    rollout();
    same_bits();
    refused_options();
    refused_parameters();
    smoothing();
    unsolved();
    huge();
    ds_model_free(scene);
    return report();
}
