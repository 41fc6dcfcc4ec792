/* Questions about a state that take no step: motion of bodies, sites and frames. */
#include <math.h>
#include <stdlib.h>

#include "check.h"

enum { MAX = 16, BODIES = 12 };

static double q[MAX], v[MAX], a[MAX], zero[MAX];
static ds_model *model;
static ds_sim *sim;
static size_t nv, nbody;

/* out = A x with A rows x nv, column-major. */
static void times(const double *A, size_t rows, const double *x, double *out) {
    for (size_t i = 0; i < rows; i++) out[i] = 0.0;
    for (size_t j = 0; j < nv; j++)
        for (size_t i = 0; i < rows; i++) out[i] += A[i + rows * j] * x[j];
}

static void load(const char *path) {
    ds_load_options options;
    ds_load_options_init(&options);
    options.base = DS_BASE_FREE;
    CHECK_OK(ds_model_load(path, &options, &model));
    if (model == NULL) exit(report());
    ds_options plain;
    ds_options_init(&plain);
    plain.contact = DS_CONTACT_NONE;
    CHECK_OK(ds_sim_create(model, &plain, &sim));
    if (sim == NULL) exit(report());
    nv = ds_model_nv(model);
    nbody = ds_model_nbody(model);
    if (nv > MAX || nbody > BODIES || ds_model_nq(model) > MAX) exit(2);
    CHECK_OK(ds_model_neutral(model, q));
    for (size_t i = 0; i < nv; i++) {
        v[i] = 0.3 - 0.1 * (double)i;
        a[i] = 0.2 * (double)i - 0.5;
    }
    CHECK_OK(ds_model_integrate(model, q, a, q));
}

static void motion(void) {
    const double placement[16] = {0, 1, 0, 0, -1, 0, 0, 0, 0, 0, 1, 0, 0.1, -0.2, 0.3, 1};
    double all[6 * BODIES], rates[6 * BODIES], J[6 * MAX], rate[6 * MAX], every[6 * MAX * BODIES];
    double velocity[6], acceleration[6], x[6], y[6], dq[6 * MAX], dv[6 * MAX], da[6 * MAX];
    const int32_t tip = (int32_t)nbody - 1;
    for (int32_t frame = DS_FRAME_LOCAL; frame <= DS_FRAME_LOCAL_WORLD_ALIGNED; frame++) {
        CHECK_OK(ds_body_velocities(sim, q, v, frame, all));
        CHECK_OK(ds_body_accelerations(sim, q, v, a, frame, rates));
        CHECK_OK(ds_body_jacobians(sim, q, frame, every));
        for (int i = 0; i < 6; i++) CHECK(all[i] == 0.0 && rates[i] == 0.0);
        times(every + 6 * nv * (size_t)tip, 6, v, x);
        for (int i = 0; i < 6; i++) CHECK_NEAR(x[i], all[6 * tip + i], 1e-13);
        CHECK_OK(ds_frame_jacobian(sim, q, tip, NULL, frame, J));
        CHECK(memcmp(J, every + 6 * nv * (size_t)tip, 6 * nv * sizeof *J) == 0);
        CHECK_OK(ds_frame_acceleration(sim, q, v, a, tip, NULL, frame, acceleration, NULL, NULL, NULL));
        CHECK(memcmp(acceleration, rates + 6 * tip, sizeof acceleration) == 0);

        CHECK_OK(ds_frame_jacobian(sim, q, tip, placement, frame, J));
        CHECK_OK(ds_frame_jacobian_rate(sim, q, v, tip, placement, frame, rate));
        CHECK_OK(ds_frame_velocity(sim, q, v, tip, placement, frame, velocity, dq, dv));
        CHECK(memcmp(J, dv, 6 * nv * sizeof *J) == 0);
        CHECK_OK(ds_frame_acceleration(sim, q, v, a, tip, placement, frame, acceleration, dq, dv, da));
        CHECK(memcmp(J, da, 6 * nv * sizeof *J) == 0);
        times(J, 6, a, x);
        times(rate, 6, v, y);
        for (int i = 0; i < 6; i++) CHECK_NEAR(acceleration[i], x[i] + y[i], 1e-12);

        /* The acceleration is the rate of the velocity's numbers, and dv its derivative by v. */
        const double h = 1e-6;
        double step[MAX], moved[MAX], faster[MAX], ahead[6], back[6];
        for (int side = 0; side < 2; side++) {
            const double t = side ? -h : h;
            for (size_t i = 0; i < nv; i++) {
                step[i] = t * v[i];
                faster[i] = v[i] + t * a[i];
            }
            CHECK_OK(ds_model_integrate(model, q, step, moved));
            double *to = side ? back : ahead;
            CHECK_OK(ds_frame_velocity(sim, moved, faster, tip, placement, frame, to, NULL, NULL));
        }
        for (int i = 0; i < 6; i++)
            CHECK_NEAR(acceleration[i], (ahead[i] - back[i]) / (2 * h), 1e-7);
        CHECK_OK(ds_frame_acceleration(sim, q, v, zero, tip, placement, frame, x, NULL, NULL, NULL));
        for (int i = 0; i < 6; i++) CHECK_NEAR(x[i], y[i], 1e-12);
    }
}

static void sites(void) {
    const char *text = "<mujoco><worldbody><site name='origin'/><body pos='0 0 1'><joint axis='0 0 1'/>"
                       "<geom size='0.1'/><site name='tip' pos='0.5 0 0'/></body></worldbody></mujoco>";
    ds_model *swing = NULL;
    ds_sim *swinging = NULL;
    double x[12];
    const double at[1] = {0.0}, speed[1] = {2.0}, faster[1] = {3.0};
    CHECK_OK(ds_model_load_string(text, strlen(text), DS_FORMAT_MJCF, NULL, &swing));
    CHECK_OK(ds_sim_create(swing, NULL, &swinging));
    if (swinging == NULL) exit(report());
    CHECK_OK(ds_site_velocities(swinging, at, speed, DS_FRAME_LOCAL_WORLD_ALIGNED, x));
    const double there[6] = {0, 1, 0, 0, 0, 2};
    for (int i = 0; i < 6; i++) CHECK(x[i] == 0.0 && fabs(x[6 + i] - there[i]) < 1e-15);
    CHECK_OK(ds_site_accelerations(swinging, at, speed, faster, DS_FRAME_LOCAL_WORLD_ALIGNED, x));
    const double drawn[6] = {-2, 1.5, 0, 0, 0, 3};
    for (int i = 0; i < 6; i++) CHECK(x[i] == 0.0 && fabs(x[6 + i] - drawn[i]) < 1e-15);
    /* The spatial acceleration does not turn with the point. */
    CHECK_OK(ds_site_accelerations(swinging, at, speed, faster, DS_FRAME_LOCAL, x));
    CHECK(fabs(x[6]) < 1e-15 && fabs(x[7] - 1.5) < 1e-15);
    ds_sim_free(swinging);
    ds_model_free(swing);
}

static void terms(void) {
    double g[MAX], b[MAX], x[MAX], y[MAX], C[MAX * MAX], M[MAX * MAX], W[MAX * MAX], dg[MAX * MAX];
    double Y[10 * MAX * BODIES], inertia[10], tau[MAX];
    CHECK_OK(ds_gravity_forces(sim, q, g, dg));
    CHECK_OK(ds_inverse_dynamics(sim, q, zero, zero, x));
    for (size_t i = 0; i < nv; i++) CHECK_NEAR(g[i], x[i], 1e-11);
    CHECK_OK(ds_gravity_forces(sim, q, NULL, W));
    CHECK(memcmp(dg, W, nv * nv * sizeof *W) == 0);
    CHECK_OK(ds_gravity_forces(sim, q, x, NULL));
    CHECK(memcmp(g, x, nv * sizeof *x) == 0);
    const double h = 1e-6;
    for (size_t k = 0; k < nv; k++) {
        double d[MAX] = {0}, at[MAX];
        d[k] = h;
        CHECK_OK(ds_model_integrate(model, q, d, at));
        CHECK_OK(ds_gravity_forces(sim, at, x, NULL));
        d[k] = -h;
        CHECK_OK(ds_model_integrate(model, q, d, at));
        CHECK_OK(ds_gravity_forces(sim, at, y, NULL));
        for (size_t i = 0; i < nv; i++) CHECK_NEAR(dg[i + nv * k], (x[i] - y[i]) / (2 * h), 1e-6);
    }
    CHECK_OK(ds_bias_forces(sim, q, v, b));
    CHECK_OK(ds_coriolis_matrix(sim, q, v, C));
    times(C, nv, v, x);
    for (size_t i = 0; i < nv; i++) CHECK_NEAR(x[i] + g[i], b[i], 1e-10);
    CHECK_OK(ds_mass_matrix(sim, q, M));
    CHECK_OK(ds_mass_matrix_inverse(sim, q, W));
    times(M, nv, a, x);
    times(W, nv, x, y);
    for (size_t i = 0; i < nv; i++) CHECK_NEAR(y[i], a[i], 1e-8);
    /* Without rotors the force is the regressor times all inertias. */
    CHECK_OK(ds_inverse_dynamics_regressor(sim, q, v, a, Y));
    CHECK_OK(ds_inverse_dynamics(sim, q, v, a, tau));
    for (size_t i = 0; i < nv; i++) x[i] = 0.0;
    for (size_t body = 0; body < nbody; body++) {
        CHECK_OK(ds_model_body_inertia(model, (int32_t)body, inertia));
        for (size_t c = 0; c < 10; c++)
            for (size_t i = 0; i < nv; i++) x[i] += Y[i + nv * (10 * body + c)] * inertia[c];
    }
    for (size_t i = 0; i < nv; i++) CHECK_NEAR(x[i], tau[i], 1e-10);

    const int32_t bodies[3] = {(int32_t)nbody - 1, 1, (int32_t)nbody - 1};
    const double wrenches[18] = {1, 2, 3, 0.1, 0.2, 0.3, 0, 0, 9, 0, 0, 0, -1, -2, -3, -0.1, -0.2, -0.3};
    CHECK_OK(ds_inverse_dynamics_with_wrenches(sim, q, v, a, bodies, wrenches, 3, x));
    CHECK_OK(ds_sim_set_external_wrench(sim, 1, wrenches + 6));
    CHECK_OK(ds_inverse_dynamics(sim, q, v, a, y));
    CHECK_OK(ds_bias_forces(sim, q, v, C));
    CHECK(memcmp(b, C, nv * sizeof *b) == 0);
    CHECK_OK(ds_sim_set_external_wrench(sim, 1, zero));
    for (size_t i = 0; i < nv; i++) CHECK_NEAR(x[i], y[i], 1e-11);
    CHECK_OK(ds_forward_dynamics_with_wrenches(sim, q, v, x, bodies, wrenches, 3, y));
    for (size_t i = 0; i < nv; i++) CHECK_NEAR(y[i], a[i], 1e-8);
    CHECK_OK(ds_inverse_dynamics_with_wrenches(sim, q, v, a, NULL, NULL, 0, x));
    CHECK(memcmp(x, tau, nv * sizeof *x) == 0);
}

static void momentum(void) {
    double A[6 * MAX], dq[6 * MAX], rq[6 * MAX], rv[6 * MAX], ra[6 * MAX], h[6], rate[6], x[6];
    double com[3], velocity[3], acceleration[3], mass, c[3], J[3 * MAX];
    CHECK_OK(ds_centroidal_map(sim, q, A));
    CHECK_OK(ds_centroidal_momentum(sim, q, v, a, h, rate));
    times(A, 6, v, x);
    for (int i = 0; i < 6; i++) CHECK_NEAR(x[i], h[i], 1e-12);
    CHECK_OK(ds_center_of_mass(sim, q, &mass, c, J));
    CHECK_OK(ds_momentum(sim, q, v, c, x));
    for (int i = 0; i < 6; i++) CHECK_NEAR(x[i], h[i], 1e-12);
    CHECK_OK(ds_center_of_mass_motion(sim, q, v, a, com, velocity, acceleration));
    for (int i = 0; i < 3; i++) {
        CHECK_NEAR(com[i], c[i], 1e-14);
        CHECK_NEAR(mass * velocity[i], h[i], 1e-12);
        CHECK_NEAR(mass * acceleration[i], rate[i], 1e-11);
    }
    CHECK_OK(ds_centroidal_derivatives(sim, q, v, a, dq, rq, rv, ra));
    for (size_t i = 0; i < 6 * nv; i++) CHECK_NEAR(ra[i], A[i], 1e-12);
    double bias[6];
    CHECK_OK(ds_centroidal_momentum(sim, q, v, NULL, NULL, bias));
    times(A, 6, a, x);
    for (int i = 0; i < 6; i++) CHECK_NEAR(bias[i] + x[i], rate[i], 1e-11);
    CHECK_OK(ds_centroidal_derivatives(sim, q, v, a, NULL, dq, NULL, NULL));
    CHECK(memcmp(dq, rq, 6 * nv * sizeof *dq) == 0);
}

static void wrong_terms(void) {
    double out[10 * MAX * BODIES], nan[MAX], fast[MAX];
    const int32_t beyond[2] = {1, 99}, one[1] = {1};
    const double wrench[12] = {0, 0, NAN};
    memcpy(nan, v, sizeof nan);
    memcpy(fast, v, sizeof fast);
    nan[2] = NAN;
    double faster[MAX];
    for (size_t i = 0; i < nv; i++) {
        fast[i] = 1e300;
        faster[i] = 1e308;
    }
    for (size_t i = 0; i < sizeof out / sizeof *out; i++) out[i] = 77.0;
    CHECK_INVALID(ds_gravity_forces(NULL, q, out, NULL), "sim");
    CHECK_INVALID(ds_gravity_forces(sim, NULL, out, NULL), "q");
    CHECK_INVALID(ds_gravity_forces(sim, q, out, out + 1), "overlap");
    CHECK_WRONG(ds_gravity_forces(sim, nan, out, NULL), DS_ERR_NUMERICAL, "q[2]");
    CHECK_INVALID(ds_bias_forces(sim, q, NULL, out), "v");
    CHECK_INVALID(ds_bias_forces(sim, q, v, NULL), "b");
    CHECK_WRONG(ds_bias_forces(sim, q, fast, out), DS_ERR_NUMERICAL, "b[");
    CHECK_INVALID(ds_coriolis_matrix(sim, q, v, NULL), "C");
    CHECK_INVALID(ds_coriolis_matrix(sim, q, v, v), "overlap");
    CHECK_WRONG(ds_coriolis_matrix(sim, q, faster, out), DS_ERR_NUMERICAL, "C would");
    CHECK_INVALID(ds_mass_matrix_inverse(sim, q, NULL), "M_inv");
    CHECK_WRONG(ds_mass_matrix_inverse(sim, nan, out), DS_ERR_NUMERICAL, "q[2]");
    CHECK_INVALID(ds_inverse_dynamics_regressor(sim, q, v, NULL, out), "a");
    CHECK_INVALID(ds_inverse_dynamics_regressor(sim, q, v, a, NULL), "Y");
    CHECK_WRONG(ds_inverse_dynamics_regressor(sim, q, fast, a, out), DS_ERR_NUMERICAL, "Y would");
    CHECK_INVALID(ds_inverse_dynamics_with_wrenches(sim, q, v, a, beyond, wrench, 2, out), "bodies[1]");
    CHECK_WRONG(ds_inverse_dynamics_with_wrenches(sim, q, v, a, one, wrench, 1, out),
                DS_ERR_NUMERICAL, "wrenches[2]");
    CHECK_INVALID(ds_inverse_dynamics_with_wrenches(sim, q, v, a, NULL, wrench, 1, out), "bodies");
    CHECK_INVALID(ds_forward_dynamics_with_wrenches(sim, q, v, a, one, NULL, 1, out), "wrenches");
    CHECK_INVALID(ds_forward_dynamics_with_wrenches(sim, q, v, NULL, one, wrench, 1, out), "tau");
    CHECK_INVALID(ds_center_of_mass_motion(sim, q, NULL, a, out, out, out), "v");
    CHECK_WRONG(ds_center_of_mass_motion(sim, q, v, nan, out, out, out), DS_ERR_NUMERICAL, "a[2]");
    CHECK_WRONG(ds_centroidal_momentum(sim, q, nan, a, out, out), DS_ERR_NUMERICAL, "v[2]");
    CHECK_WRONG(ds_centroidal_momentum(sim, q, fast, a, NULL, out), DS_ERR_NUMERICAL, "rate[");
    CHECK_INVALID(ds_centroidal_map(sim, q, NULL), "A");
    CHECK_INVALID(ds_centroidal_derivatives(sim, q, v, NULL, out, out, out, out), "a");
    CHECK_WRONG(ds_centroidal_derivatives(sim, q, fast, a, out, out, out, out), DS_ERR_NUMERICAL, "drate");
    for (size_t i = 0; i < sizeof out / sizeof *out; i++) CHECK(out[i] == 77.0);

    /* A body without mass cannot be accelerated by a finite force: M has no inverse. */
    const char *text = "<mujoco><worldbody><body><joint name='light' axis='0 0 1'/></body></worldbody></mujoco>";
    ds_model *light = NULL;
    if (ds_model_load_string(text, strlen(text), DS_FORMAT_MJCF, NULL, &light) == DS_OK) {
        ds_sim *lighter = NULL;
        if (ds_sim_create(light, NULL, &lighter) == DS_OK) {
            CHECK_WRONG(ds_mass_matrix_inverse(lighter, zero, out), DS_ERR_NUMERICAL, "light");
            ds_sim_free(lighter);
        }
        ds_model_free(light);
    }
}

static void wrong_motion(void) {
    double out[6 * MAX * BODIES], nan[MAX], fast[MAX];
    const double sheared[16] = {1, 1, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1};
    const double row_major[16] = {1, 0, 0, 5, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1};
    const double far[16] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 1e200, 0, 0, 1};
    memcpy(nan, v, sizeof nan);
    memcpy(fast, v, sizeof fast);
    nan[2] = NAN;
    fast[4] = fast[7] = 1e200;
    for (size_t i = 0; i < sizeof out / sizeof *out; i++) out[i] = 77.0;
    CHECK_INVALID(ds_body_velocities(NULL, q, v, DS_FRAME_LOCAL, out), "sim");
    CHECK_INVALID(ds_body_velocities(sim, NULL, v, DS_FRAME_LOCAL, out), "q");
    CHECK_INVALID(ds_body_velocities(sim, q, v, 3, out), "frame");
    CHECK_INVALID(ds_body_velocities(sim, q, v, DS_FRAME_LOCAL, NULL), "velocities");
    CHECK_WRONG(ds_body_velocities(sim, q, nan, DS_FRAME_LOCAL, out), DS_ERR_NUMERICAL, "v[2]");
    CHECK_WRONG(ds_body_accelerations(sim, q, v, nan, DS_FRAME_WORLD, out), DS_ERR_NUMERICAL, "a[2]");
    CHECK_WRONG(ds_body_accelerations(sim, q, fast, a, DS_FRAME_WORLD, out), DS_ERR_NUMERICAL,
                "accelerations");
    CHECK_INVALID(ds_site_velocities(sim, q, v, -1, out), "frame");
    CHECK_INVALID(ds_site_accelerations(sim, q, v, NULL, DS_FRAME_WORLD, out), "a");
    CHECK_INVALID(ds_body_jacobians(sim, q, 9, out), "DS_FRAME_LOCAL");
    CHECK_INVALID(ds_body_jacobians(sim, q, DS_FRAME_LOCAL, NULL), "jacobians");
    CHECK_INVALID(ds_body_jacobians(sim, q, DS_FRAME_LOCAL, q), "overlap");
    CHECK_INVALID(ds_frame_jacobian(sim, q, 77, NULL, DS_FRAME_LOCAL, out), "77");
    CHECK_INVALID(ds_frame_jacobian(sim, q, 1, sheared, DS_FRAME_LOCAL, out), "placement");
    CHECK_INVALID(ds_frame_jacobian(sim, q, 1, row_major, DS_FRAME_LOCAL, out), "column-major");
    CHECK_WRONG(ds_frame_jacobian(sim, q, 1, far, DS_FRAME_LOCAL, out), DS_ERR_NUMERICAL, "placement");
    CHECK_INVALID(ds_frame_jacobian(sim, q, 1, NULL, DS_FRAME_LOCAL, NULL), "J");
    CHECK_INVALID(ds_frame_jacobian_rate(sim, q, NULL, 1, NULL, DS_FRAME_LOCAL, out), "v");
    CHECK_INVALID(ds_frame_jacobian_rate(sim, q, v, 1, NULL, DS_FRAME_LOCAL, NULL), "J_rate");
    CHECK_INVALID(ds_frame_velocity(sim, q, v, -1, NULL, DS_FRAME_LOCAL, out, out, out), "body");
    CHECK_WRONG(ds_frame_velocity(sim, q, nan, 1, NULL, DS_FRAME_LOCAL, out, out, out),
                DS_ERR_NUMERICAL, "v[2]");
    CHECK_INVALID(ds_frame_acceleration(sim, q, v, NULL, 1, NULL, DS_FRAME_LOCAL, out, out, out, out), "a");
    CHECK_WRONG(ds_frame_acceleration(sim, q, fast, a, (int32_t)nbody - 1, NULL, DS_FRAME_WORLD, out,
                                      NULL, NULL, NULL), DS_ERR_NUMERICAL, "acceleration");
    for (size_t i = 0; i < sizeof out / sizeof *out; i++) CHECK(out[i] == 77.0);
}

/* Forces kind by kind, against closed forms. */
static void forces(void) {
    const char *text =
        "<mujoco><worldbody><body name='arm'><joint name='turn' axis='0 0 1' stiffness='3' damping='0.5'/>"
        "<geom size='0.1' pos='1 0 0' mass='2'/></body><body><joint name='slide' type='slide' axis='1 0 0'/>"
        "<geom size='0.1'/></body></worldbody><tendon><fixed name='sum' stiffness='7' damping='0.2'>"
        "<joint joint='turn' coef='2'/><joint joint='slide' coef='-1'/></fixed></tendon>"
        "<actuator><position joint='turn' kp='4' kv='1' gear='3'/></actuator></mujoco>";
    ds_model *m = NULL;
    ds_sim *s = NULL;
    const double at[2] = {0.3, -0.2}, speed[2] = {2.0, 1.0}, u[1] = {0.4};
    double f[2], dq[4], dv[4], du[2], l[1], r[1], x[1], by_q[2], by_v[2], by_u[1];
    ds_gradient gradient = DS_GRADIENT_REFUSED;
    CHECK_OK(ds_model_load_string(text, strlen(text), DS_FORMAT_MJCF, NULL, &m));
    CHECK_OK(ds_sim_create(m, NULL, &s));
    if (s == NULL) exit(report());
    CHECK_OK(ds_generalized_forces(s, at, speed, u, DS_FORCE_JOINT_SPRING, f, dq, dv, du, &gradient));
    CHECK_NEAR(f[0], -0.9, 1e-15);
    CHECK(f[1] == 0.0 && dq[0] == -3.0 && dq[1] == 0.0 && dv[0] == 0.0 && du[0] == 0.0);
    CHECK(gradient == DS_GRADIENT_EXACT);
    CHECK_OK(ds_generalized_forces(s, at, speed, u, DS_FORCE_JOINT_DAMPER, f, NULL, dv, NULL, NULL));
    CHECK(f[0] == -1.0 && dv[0] == -0.5);
    /* T = 7 (0.8) + 0.2 (3) beyond the length at rest, that of the file's zero. */
    CHECK_OK(ds_tendon_states(s, at, speed, l, r, x, by_q, by_v, &gradient));
    CHECK_NEAR(l[0], 0.8, 1e-15);
    CHECK_NEAR(r[0], 3.0, 1e-15);
    CHECK_NEAR(x[0], 6.2, 1e-14);
    CHECK_NEAR(by_q[0], 14.0, 1e-14);
    CHECK_NEAR(by_v[1], -0.2, 1e-15);
    CHECK_OK(ds_generalized_forces(s, at, speed, u, DS_FORCE_TENDON, f, NULL, NULL, NULL, NULL));
    CHECK_NEAR(f[0], -12.4, 1e-13);
    CHECK_NEAR(f[1], 6.2, 1e-13);
    CHECK_OK(ds_actuator_states(s, at, speed, u, l, r, x, by_q, by_v, by_u, NULL));
    CHECK_NEAR(l[0], 0.9, 1e-15);
    CHECK_NEAR(r[0], 6.0, 1e-15);
    CHECK_NEAR(x[0], 4 * 0.4 - 4 * 0.9 - 6.0, 1e-14);
    CHECK(by_q[0] == -12.0 && by_v[0] == -3.0 && by_u[0] == 4.0 && by_q[1] == 0.0);
    CHECK_OK(ds_generalized_forces(s, at, speed, u, DS_FORCE_PASSIVE | DS_FORCE_ACTUATOR, f, dq, NULL, du, NULL));
    CHECK_NEAR(f[0], -0.9 - 1.0 - 12.4 + 3 * x[0], 1e-13);
    CHECK_NEAR(dq[0], -3.0 - 28.0 - 36.0, 1e-13);
    CHECK(du[0] == 12.0);

    const double fast[2] = {1e308, -1e308};
    f[0] = f[1] = dq[0] = l[0] = x[0] = 77.0;
    CHECK_INVALID(ds_generalized_forces(NULL, at, speed, u, 1, f, NULL, NULL, NULL, NULL), "sim");
    CHECK_INVALID(ds_generalized_forces(s, at, speed, NULL, 1, f, NULL, NULL, NULL, NULL), "u");
    CHECK_INVALID(ds_generalized_forces(s, at, speed, u, 0, f, NULL, NULL, NULL, NULL), "kinds");
    CHECK_INVALID(ds_generalized_forces(s, at, speed, u, 256, f, NULL, NULL, NULL, NULL), "kinds");
    CHECK_INVALID(ds_generalized_forces(s, at, speed, u, 1, NULL, NULL, NULL, NULL, NULL), "force");
    CHECK_INVALID(ds_generalized_forces(s, at, speed, u, 1, f, f, NULL, NULL, NULL), "overlap");
    CHECK_WRONG(ds_generalized_forces(s, at, fast, u, 255, f, dq, NULL, NULL, NULL), DS_ERR_NUMERICAL, "force");
    CHECK_INVALID(ds_actuator_states(s, at, NULL, u, l, NULL, x, NULL, NULL, NULL, NULL), "v");
    CHECK_WRONG(ds_actuator_states(s, at, fast, u, l, NULL, x, NULL, NULL, NULL, NULL), DS_ERR_NUMERICAL, "forces");
    CHECK_INVALID(ds_tendon_states(s, NULL, speed, l, NULL, x, NULL, NULL, NULL), "q");
    CHECK_WRONG(ds_tendon_states(s, at, fast, l, NULL, x, NULL, NULL, NULL), DS_ERR_NUMERICAL, "forces");
    CHECK(f[0] == 77.0 && f[1] == 77.0 && dq[0] == 77.0 && l[0] == 77.0 && x[0] == 77.0);
    ds_sim_free(s);
    ds_model_free(m);
}

int main(int argc, char **argv) {
    if (argc < 2) return 2;
    load(model_path(argv, "arm7.urdf"));
    motion();
    sites();
    terms();
    momentum();
    wrong_motion();
    wrong_terms();
    forces();
    ds_sim_free(sim);
    ds_model_free(model);
    return report();
}
