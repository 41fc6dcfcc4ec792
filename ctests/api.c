/* The calls that succeed: their results, and that these agree with each other. */
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "check.h"

#define MAX 64

static double q[MAX], v[MAX], u[MAX], a[MAX], tau[MAX], x[MAX], y[MAX], z[MAX];
static double q_next[MAX], v_next[MAX], big[MAX * MAX], other[MAX * MAX], third[MAX * MAX];
static size_t nq, nv, nu;

static double spread(size_t i, double scale) { return scale * sin(1.0 + 1.7 * (double)i); }

static double distance(const double *s, const double *t, size_t n) {
    double d = 0.0;
    for (size_t i = 0; i < n; i++) d = fmax(d, fabs(s[i] - t[i]));
    return d;
}

/* y = A x for a column-major matrix of `rows` rows. */
static void times(const double *A, size_t rows, size_t columns, const double *in, double *out) {
    for (size_t i = 0; i < rows; i++) {
        out[i] = 0.0;
        for (size_t j = 0; j < columns; j++) out[i] += A[i + rows * j] * in[j];
    }
}

static void random_state(const ds_model *model) {
    CHECK_OK(ds_model_neutral(model, q));
    for (size_t i = 0; i < nv; i++) x[i] = spread(i, 0.6);
    CHECK_OK(ds_model_integrate(model, q, x, q));
    for (size_t i = 0; i < nv; i++) {
        v[i] = spread(i + 4, 0.8);
        a[i] = spread(i + 5, 2.0);
    }
    for (size_t i = 0; i < nu; i++) u[i] = spread(i + 7, 5.0);
}

static ds_options without_contact(void) {
    ds_options options;
    ds_options_init(&options);
    options.time_step = 1e-3;
    options.contact = DS_CONTACT_NONE;
    return options;
}

static ds_model *load(const char *path, int32_t base) {
    ds_load_options options;
    ds_load_options_init(&options);
    options.base = base;
    options.actuation = DS_ACTUATION_FULL;
    options.ground_plane = 1;
    ds_model *model = NULL;
    CHECK_OK(ds_model_load(path, &options, &model));
    if (model == NULL) exit(report());
    nq = ds_model_nq(model);
    nv = ds_model_nv(model);
    nu = ds_model_nu(model);
    return model;
}

static void versions(void) {
    char composed[32];
    snprintf(composed, sizeof composed, "%d.%d.%d", DS_VERSION_MAJOR, DS_VERSION_MINOR,
             DS_VERSION_PATCH);
    CHECK(strcmp(ds_version_string(), composed) == 0);
    CHECK(strcmp(ds_version_string(), DS_VERSION_STRING) == 0);
    CHECK(ds_abi_version() == DS_ABI_VERSION);
    CHECK(strcmp(ds_status_name(DS_ERR_PARSE), "DS_ERR_PARSE") == 0);
    CHECK(strcmp(ds_status_name(77), "DS_ERR_UNKNOWN") == 0);
    CHECK(strcmp(ds_last_error(), "") == 0);
}

static void model_queries(const ds_model *model) {
    CHECK(ds_model_nbody(model) == 10);
    CHECK(ds_model_body_id(model, "world") == 0);
    CHECK(strcmp(ds_model_body_name(model, 0), "world") == 0);
    CHECK(strcmp(ds_model_joint_name(model, 0), "root_joint") == 0);
    CHECK(ds_model_joint_type(model, 0) == DS_JOINT_FREE);
    CHECK(ds_model_joint_nq(model, 0) == 7 && ds_model_joint_nv(model, 0) == 6);
    for (int32_t i = 0; i < (int32_t)ds_model_nbody(model); i++) {
        CHECK(ds_model_body_id(model, ds_model_body_name(model, i)) == i);
        CHECK(ds_model_body_parent(model, i) <= i);
        CHECK_OK(ds_model_body_inertia(model, i, x));
        CHECK(x[0] >= 0.0);
        CHECK_OK(ds_model_body_placement(model, i, x));
        CHECK(x[15] == 1.0 && x[3] == 0.0);
    }
    int32_t next_q = 0, next_v = 0;
    for (int32_t i = 0; i < (int32_t)ds_model_njoint(model); i++) {
        CHECK(ds_model_joint_id(model, ds_model_joint_name(model, i)) == i);
        CHECK(ds_model_joint_q_index(model, i) == next_q);
        CHECK(ds_model_joint_v_index(model, i) == next_v);
        next_q += ds_model_joint_nq(model, i);
        next_v += ds_model_joint_nv(model, i);
        CHECK(ds_model_joint_body(model, i) > 0);
        CHECK_OK(ds_model_joint_limits(model, i, x));
        CHECK(x[0] < x[1]);
        CHECK_OK(ds_model_joint_effort_velocity(model, i, x));
    }
    CHECK((size_t)next_q == nq && (size_t)next_v == nv && nu == nv);
    const int32_t ground = ds_model_geom_id(model, "ground");
    CHECK(ground >= 0 && ds_model_geom_type(model, ground) == DS_GEOM_PLANE);
    CHECK(ds_model_geom_body(model, ground) == 0);
    CHECK_OK(ds_model_geom_friction(model, ground, x));
    CHECK(x[0] == 1.0);
    CHECK_OK(ds_model_geom_restitution(model, ground, x));
    CHECK(x[0] == 0.0);
    CHECK_OK(ds_model_geom_size(model, ground, x));
    CHECK_OK(ds_model_geom_placement(model, ground, x));
    CHECK_OK(ds_model_gravity(model, x));
    CHECK(x[0] == 0.0 && x[2] == -9.81);
    CHECK(ds_model_time_step(model) == 0.001);
    CHECK(ds_model_nkeyframe(model) == 0);
    CHECK(strcmp(ds_model_actuator_name(model, 6), ds_model_joint_name(model, 1)) == 0);
    for (size_t i = 0; i < ds_model_warning_count(model); i++) CHECK(ds_model_warning(model, i));
}

static void configurations(const ds_model *model) {
    random_state(model);
    for (size_t i = 0; i < nv; i++) y[i] = spread(i + 11, 0.3);
    CHECK_OK(ds_model_integrate(model, q, y, x));
    CHECK_OK(ds_model_difference(model, q, x, z));
    CHECK(distance(y, z, nv) < 1e-12);
    /* In place. */
    memcpy(z, q, sizeof z);
    CHECK_OK(ds_model_integrate(model, z, y, z));
    CHECK(memcmp(x, z, nq * sizeof *x) == 0);

    CHECK_OK(ds_model_q_to_mujoco(model, q, x));
    CHECK(x[3] == q[6] && x[4] == q[3] && x[0] == q[0]);
    CHECK_OK(ds_model_q_from_mujoco(model, x, x));
    CHECK(memcmp(x, q, nq * sizeof *x) == 0);
    CHECK_OK(ds_model_v_to_mujoco(model, q, v, y));
    CHECK(distance(v, y, 3) > 0.01 && distance(v + 3, y + 3, nv - 3) == 0.0);
    CHECK_OK(ds_model_v_from_mujoco(model, q, y, y));
    CHECK(distance(v, y, nv) < 1e-14);
}

static void dynamics(const ds_model *model, ds_sim *sim) {
    random_state(model);
    CHECK_OK(ds_inverse_dynamics(sim, q, v, a, tau));
    CHECK_OK(ds_forward_dynamics(sim, q, v, tau, x));
    CHECK(distance(a, x, nv) < 1e-9);
    memcpy(y, tau, sizeof y);
    CHECK_OK(ds_forward_dynamics(sim, q, v, y, y));
    CHECK(memcmp(x, y, nv * sizeof *x) == 0);

    /* tau(a) - tau(0) = M a */
    memset(y, 0, sizeof y);
    CHECK_OK(ds_inverse_dynamics(sim, q, v, y, z));
    CHECK_OK(ds_mass_matrix(sim, q, big));
    times(big, nv, nv, a, x);
    for (size_t i = 0; i < nv; i++) x[i] += z[i];
    CHECK(distance(x, tau, nv) < 1e-10);

    /* The kinetic energy is that of the mass matrix. */
    double kinetic, potential, work = 0.0;
    CHECK_OK(ds_energy(sim, q, v, &kinetic, &potential));
    times(big, nv, nv, v, x);
    for (size_t i = 0; i < nv; i++) work += 0.5 * x[i] * v[i];
    CHECK_NEAR(kinetic, work, 1e-10);
    CHECK_OK(ds_energy(sim, q, v, NULL, &work));
    CHECK(work == potential);

    /* da/dtau is the inverse of M, and da/dv = -da/dtau dtau/dv at the same acceleration. */
    CHECK_OK(ds_forward_dynamics_derivatives(sim, q, v, tau, NULL, other, third));
    times(big, nv, nv, a, x);
    times(third, nv, nv, x, y);
    CHECK(distance(a, y, nv) < 1e-9);
    CHECK_OK(ds_inverse_dynamics_derivatives(sim, q, v, a, NULL, big));
    times(big, nv, nv, v, x);
    times(third, nv, nv, x, y);
    times(other, nv, nv, v, z);
    for (size_t i = 0; i < nv; i++) z[i] = -z[i];
    CHECK(distance(y, z, nv) < 1e-8);

    /* The Jacobian of a point is the derivative of its placement. */
    const double point[3] = {0.1, -0.2, 0.3}, h = 1e-6;
    const int32_t tip = (int32_t)ds_model_nbody(model) - 1;
    double at[2][3];
    for (int side = 0; side < 2; side++) {
        for (size_t i = 0; i < nv; i++) y[i] = (side ? -h : h) * v[i];
        CHECK_OK(ds_model_integrate(model, q, y, x));
        CHECK_OK(ds_forward_kinematics(sim, x, big));
        const double *m = big + 16 * tip;
        for (int i = 0; i < 3; i++)
            at[side][i] = m[12 + i] + m[i] * point[0] + m[4 + i] * point[1] + m[8 + i] * point[2];
    }
    CHECK_OK(ds_body_jacobian(sim, q, tip, point, big));
    times(big, 6, nv, v, x);
    for (int i = 0; i < 3; i++) CHECK_NEAR(x[i], (at[0][i] - at[1][i]) / (2 * h), 1e-8);

    double mass, com[3], momentum[6], total = 0.0;
    CHECK_OK(ds_center_of_mass(sim, q, &mass, com, big));
    for (int32_t i = 0; i <= tip; i++) {
        CHECK_OK(ds_model_body_inertia(model, i, x));
        total += x[0];
    }
    CHECK_NEAR(mass, total, 1e-12);
    CHECK_OK(ds_momentum(sim, q, v, NULL, momentum));
    times(big, 3, nv, v, x);
    for (int i = 0; i < 3; i++) CHECK_NEAR(mass * x[i], momentum[i], 1e-10);

    /* Hybrid: half of the accelerations of the state above are given, half of the forces. */
    int32_t prescribed[MAX];
    for (size_t i = 0; i < nv; i++) {
        prescribed[i] = (int32_t)(i % 2);
        x[i] = prescribed[i] ? 0.0 : tau[i];
        y[i] = prescribed[i] ? a[i] : 0.0;
    }
    CHECK_OK(ds_hybrid_dynamics(sim, q, v, prescribed, x, y));
    CHECK(distance(x, tau, nv) < 1e-8 && distance(y, a, nv) < 1e-8);

    /* A wrench at the base: gravity compensation of a resting free body. */
    memset(y, 0, sizeof y);
    CHECK_OK(ds_inverse_dynamics(sim, q, y, y, x));
    const double lift[6] = {0.0, 0.0, 10.0, 0.0, 0.0, 0.0};
    CHECK_OK(ds_sim_set_external_wrench(sim, 1, lift));
    CHECK_OK(ds_inverse_dynamics(sim, q, y, y, z));
    CHECK_OK(ds_body_jacobian(sim, q, 1, y, big));
    for (size_t i = 0; i < nv; i++) CHECK_NEAR(x[i] - z[i], 10.0 * big[2 + 6 * i], 1e-12);
    CHECK_OK(ds_sim_set_external_wrench(sim, 1, y));
}

/* Central difference of the step along the variations, in tangent coordinates. */
static void step_difference(const ds_model *model, ds_sim *sim, const double *dq, const double *dv,
                            const double *du, double *dq_next, double *dv_next) {
    const double h = 1e-6;
    static double qs[2][MAX], vs[2][MAX], us[MAX];
    for (int side = 0; side < 2; side++) {
        const double s = side ? -h : h;
        for (size_t i = 0; i < nv; i++) {
            x[i] = s * dq[i];
            y[i] = v[i] + s * dv[i];
        }
        for (size_t i = 0; i < nu; i++) us[i] = u[i] + s * du[i];
        CHECK_OK(ds_model_integrate(model, q, x, x));
        CHECK_OK(ds_sim_step(sim, x, y, us, qs[side], vs[side]));
    }
    CHECK_OK(ds_model_difference(model, qs[1], qs[0], dq_next));
    for (size_t i = 0; i < nv; i++) {
        dq_next[i] /= 2 * h;
        dv_next[i] = (vs[0][i] - vs[1][i]) / (2 * h);
    }
}

/* The Jacobian by v, dense in `other`, has the numbers of the sparse one and zeros elsewhere. */
static void sparse_jacobians(ds_sim *sim) {
    static int32_t starts[MAX + 1], rows[MAX * MAX];
    static double values[MAX * MAX], filled[MAX * MAX];
    ds_jacobian_entries entries;
    CHECK_OK(ds_sim_jacobian_entries(sim, &entries));
    CHECK(entries.by_state <= nv * nv && entries.by_input <= nv * nu);
    CHECK_OK(ds_sim_jacobian_pattern(sim, &entries, starts, rows, NULL, NULL));
    CHECK(starts[0] == 0 && (size_t)starts[nv] == entries.by_state);
    const ds_step_jacobians out = {.dv_dv = values};
    CHECK_OK(ds_sim_step_jacobians_sparse(sim, &entries, &out));
    memset(filled, 0, sizeof filled);
    for (size_t j = 0; j < nv; j++)
        for (int32_t k = starts[j]; k < starts[j + 1]; k++) filled[j * nv + (size_t)rows[k]] = values[k];
    for (size_t i = 0; i < nv * nv; i++) CHECK(filled[i] == other[i]);
}

/* Of a simulation made with these options. */
static void steps(const ds_model *model, ds_sim *sim, ds_options options) {
    static double dq[MAX], dv[MAX], du[MAX], fq[MAX], fv[MAX], bar[4][MAX];
    random_state(model);
    CHECK(ds_sim_step_jacobians(sim, &(ds_step_jacobians){0}) == DS_ERR_NO_STEP);
    CHECK(ds_sim_column_labels(sim, NULL, NULL, NULL, NULL) == DS_ERR_NO_STEP);
    for (size_t i = 0; i < nv; i++) {
        dq[i] = spread(i + 13, 1.0);
        dv[i] = spread(i + 17, 1.0);
        du[i] = spread(i + 19, 1.0);
    }
    step_difference(model, sim, dq, dv, du, fq, fv);
    CHECK_OK(ds_sim_step(sim, q, v, u, q_next, v_next));
    CHECK_OK(ds_sim_step_jvp(sim, dq, dv, du, NULL, x, y));
    CHECK(distance(x, fq, nv) < 1e-7 && distance(y, fv, nv) < 1e-7);

    /* The Jacobians say the same, and the adjoint is the transpose. */
    ds_step_jacobians out = {.dv_dq = big, .dv_dv = other, .dv_du = third};
    CHECK_OK(ds_sim_step_jacobians(sim, &out));
    sparse_jacobians(sim);
    times(big, nv, nv, dq, x);
    times(other, nv, nv, dv, z);
    for (size_t i = 0; i < nv; i++) x[i] += z[i];
    times(third, nv, nu, du, z);
    for (size_t i = 0; i < nv; i++) x[i] += z[i];
    CHECK(distance(x, y, nv) < 1e-10);
    for (size_t i = 0; i < nv; i++) {
        fq[i] = spread(i + 23, 1.0);
        fv[i] = spread(i + 29, 1.0);
    }
    CHECK_OK(ds_sim_step_jvp(sim, dq, dv, du, NULL, x, y));
    CHECK_OK(ds_sim_step_vjp(sim, fq, fv, bar[0], bar[1], bar[2], NULL));
    double forward = 0.0, reverse = 0.0;
    for (size_t i = 0; i < nv; i++) {
        forward += fq[i] * x[i] + fv[i] * y[i];
        reverse += bar[0][i] * dq[i] + bar[1][i] * dv[i] + bar[2][i] * du[i];
    }
    CHECK_NEAR(forward, reverse, 1e-10 * (1.0 + fabs(forward)));

    /* Arguments may be results. */
    memcpy(x, q, sizeof x);
    memcpy(y, v, sizeof y);
    CHECK_OK(ds_sim_step(sim, x, y, u, x, y));
    CHECK(memcmp(x, q_next, nq * sizeof *x) == 0 && memcmp(y, v_next, nv * sizeof *y) == 0);
    memcpy(x, fq, sizeof x);
    memcpy(y, fv, sizeof y);
    CHECK_OK(ds_sim_step_vjp(sim, x, y, x, y, NULL, NULL));
    CHECK(memcmp(x, bar[0], nv * sizeof *x) == 0 && memcmp(y, bar[1], nv * sizeof *y) == 0);

    ds_step_info info;
    CHECK_OK(ds_sim_step_info(sim, &info));
    CHECK(info.contacts == 0 && info.gradient == DS_GRADIENT_EXACT);
    const ds_contact *contacts = NULL;
    size_t count = 7;
    CHECK_OK(ds_sim_contacts(sim, &contacts, &count));
    CHECK(count == 0);
    CHECK_OK(ds_sim_reset(sim));
    CHECK_OK(ds_sim_step(sim, q, v, u, x, y));
    CHECK(memcmp(x, q_next, nq * sizeof *x) == 0 && memcmp(y, v_next, nv * sizeof *y) == 0);

    /* Without derivatives: the same bits, and a refusal. */
    options.derivatives = 0;
    ds_sim *plain = NULL;
    CHECK_OK(ds_sim_create(model, &options, &plain));
    CHECK_OK(ds_sim_step(plain, q, v, u, x, y));
    CHECK(memcmp(x, q_next, nq * sizeof *x) == 0 && memcmp(y, v_next, nv * sizeof *y) == 0);
    CHECK(ds_sim_step_jvp(plain, dq, dv, du, NULL, x, y) == DS_ERR_INVALID_ARGUMENT);
    CHECK(ds_sim_column_labels(plain, NULL, NULL, NULL, NULL) == DS_ERR_INVALID_ARGUMENT);
    ds_sim_free(plain);
}

static void parameters(const ds_model *model, ds_sim *sim) {
    random_state(model);
    const ds_param selected[] = {
        {DS_PARAM_BODY_INERTIA, 3, 0}, {DS_PARAM_JOINT_DAMPING, 2, 0}, {DS_PARAM_GRAVITY, 0, 2}};
    CHECK_OK(ds_sim_select_params(sim, selected, 3));
    CHECK(ds_sim_np(sim) == 3);
    double p[3], moved[3], vs[2][MAX];
    const double h = 1e-5;
    CHECK_OK(ds_sim_get_params(sim, p));
    CHECK(p[2] == -9.81);
    CHECK_OK(ds_sim_step(sim, q, v, u, q_next, v_next));
    ds_step_jacobians out = {.dv_dp = big};
    CHECK_OK(ds_sim_step_jacobians(sim, &out));
    for (size_t k = 0; k < 3; k++) {
        for (int side = 0; side < 2; side++) {
            memcpy(moved, p, sizeof p);
            moved[k] += side ? -h : h;
            if (moved[k] < 0.0 && p[k] >= 0.0) moved[k] = p[k];
            CHECK_OK(ds_sim_set_params(sim, moved));
            CHECK_OK(ds_sim_step(sim, q, v, u, x, vs[side]));
        }
        /* Damping starts at zero: one-sided there. */
        const double width = p[k] == 0.0 ? h : 2 * h;
        for (size_t i = 0; i < nv; i++)
            CHECK_NEAR(big[i + nv * k], (vs[0][i] - vs[1][i]) / width, 1e-5);
    }
    CHECK_OK(ds_sim_set_params(sim, p));
    CHECK_OK(ds_sim_step(sim, q, v, u, x, y));
    CHECK(memcmp(y, v_next, nv * sizeof *y) == 0);
    CHECK_OK(ds_sim_select_params(sim, NULL, 0));
}

enum { STEPS = 40 };

static void rollouts(const ds_model *model, ds_sim *sim) {
    static double us[MAX * STEPS], qs[MAX * (STEPS + 1)], vs[MAX * (STEPS + 1)];
    static double q_bar[MAX * (STEPS + 1)], v_bar[MAX * (STEPS + 1)], u_bar[MAX * STEPS];
    ds_options options = without_contact();
    options.checkpoint_interval = 7;
    ds_rollout *rollout = NULL;
    CHECK_OK(ds_rollout_create(model, &options, STEPS, &rollout));
    random_state(model);
    for (size_t i = 0; i < nu * STEPS; i++) us[i] = spread(i, 3.0);
    CHECK_OK(ds_rollout_run(rollout, q, v, us, STEPS, qs, vs));
    memcpy(x, q, sizeof x);
    memcpy(y, v, sizeof y);
    for (size_t k = 0; k <= STEPS; k++) {
        CHECK(memcmp(x, qs + nq * k, nq * sizeof *x) == 0);
        CHECK(memcmp(y, vs + nv * k, nv * sizeof *y) == 0);
        if (k < STEPS) CHECK_OK(ds_sim_step(sim, x, y, us + nu * k, x, y));
    }
    /* L = sum of the last velocity: by v0 and the first input against differences. */
    for (size_t i = 0; i < nv; i++) v_bar[i + nv * STEPS] = 1.0;
    CHECK_OK(ds_rollout_adjoint(rollout, q_bar, v_bar, x, y, u_bar, NULL));
    ds_gradient kind;
    CHECK_OK(ds_rollout_gradient(rollout, &kind));
    CHECK(kind == DS_GRADIENT_EXACT);
    const double h = 1e-6;
    for (int what = 0; what < 2; what++) {
        double sums[2] = {0.0, 0.0}, *moved = what ? us : v;
        const double start = moved[8];
        for (int side = 0; side < 2; side++) {
            moved[8] = start + (side ? -h : h);
            CHECK_OK(ds_rollout_run(rollout, q, v, us, STEPS, NULL, vs));
            for (size_t i = 0; i < nv; i++) sums[side] += vs[i + nv * STEPS];
        }
        moved[8] = start;
        CHECK_NEAR((sums[0] - sums[1]) / (2 * h), what ? u_bar[8] : y[8], 1e-6);
    }
    const ds_param mass = {DS_PARAM_BODY_INERTIA, 2, 0};
    CHECK_OK(ds_rollout_select_params(rollout, &mass, 1));
    CHECK(ds_rollout_np(rollout) == 1);
    double p, p_bar;
    CHECK_OK(ds_rollout_get_params(rollout, &p));
    CHECK_OK(ds_rollout_set_params(rollout, &p));
    CHECK_OK(ds_rollout_set_external_wrench(rollout, 1, (const double[6]){0}));
    CHECK(ds_rollout_adjoint(rollout, q_bar, v_bar, x, y, u_bar, &p_bar) == DS_ERR_NO_STEP);
    CHECK_OK(ds_rollout_run(rollout, q, v, us, STEPS, NULL, NULL));
    CHECK_OK(ds_rollout_adjoint(rollout, q_bar, v_bar, NULL, NULL, NULL, &p_bar));
    CHECK(p_bar == p_bar && p_bar != 0.0);
    ds_rollout_free(rollout);
}

static void building(void) {
    ds_builder *builder = NULL;
    ds_model *model = NULL;
    CHECK_OK(ds_builder_create(&builder));
    double inertia[10];
    const double com[3] = {0.0, 0.0, -0.5}, none[6] = {0};
    CHECK_OK(ds_inertia_from_com(2.0, com, none, inertia));
    CHECK(inertia[0] == 2.0 && inertia[3] == -1.0 && inertia[4] == 0.5);
    int32_t bob = 7;
    CHECK_OK(ds_builder_add_body(builder, 0, "bob", NULL, inertia, &bob));
    CHECK(bob == 1);
    ds_joint_desc joint;
    ds_joint_desc_init(&joint);
    joint.name = "hinge";
    joint.axis[0] = 0.0;
    joint.axis[1] = 1.0;
    joint.axis[2] = 0.0;
    joint.lower = -1.0;
    joint.upper = 2.0;
    CHECK_OK(ds_builder_add_joint(builder, bob, &joint));
    ds_geom_desc geom;
    ds_geom_desc_init(&geom);
    geom.name = "shell";
    geom.kind = DS_GEOM_MESH;
    const double vertices[12] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
    const uint32_t triangles[12] = {0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3};
    geom.vertices = vertices;
    geom.vertex_count = 4;
    geom.triangles = triangles;
    geom.triangle_count = 4;
    CHECK_OK(ds_builder_add_geom(builder, bob, &geom, NULL));
    ds_actuator_desc motor;
    ds_actuator_desc_init(&motor);
    motor.name = "motor";
    motor.joint = "hinge";
    motor.gear[0] = 3.0;
    CHECK_OK(ds_builder_add_actuator(builder, &motor));
    const double moon[3] = {0.0, 0.0, -1.625};
    CHECK_OK(ds_builder_set_gravity(builder, moon));
    CHECK_OK(ds_builder_build(builder, &model));
    CHECK_OK(ds_builder_set_actuation(builder, DS_ACTUATION_FULL));
    ds_builder_free(builder);

    ds_sim *sim = NULL;
    const ds_options smooth = without_contact();
    CHECK_OK(ds_sim_create(model, &smooth, &sim));
    CHECK(ds_model_actuator_id(model, "motor") == 0 && ds_model_nu(model) == 1);
    CHECK(ds_model_geom_type(model, 0) == DS_GEOM_MESH);
    CHECK_OK(ds_model_joint_limits(model, 0, x));
    CHECK(x[0] == -1.0 && x[1] == 2.0);
    /* The sim keeps what it needs of the model. */
    ds_model_free(model);
    const double angle = 0.3, still = 0.0, push = 0.1;
    double next, speed;
    CHECK_OK(ds_sim_step(sim, &angle, &still, &push, &next, &speed));
    const double expected = (3.0 * push - 2.0 * 1.625 * 0.5 * sin(angle)) / 0.5;
    CHECK_NEAR(speed, 0.001 * expected, 1e-15);
    ds_sim_free(sim);
}

/* A joint of three dofs turns no farther than its upper bound, from wherever it comes. */
static void turning_within_a_bound(void) {
    ds_builder *builder = NULL;
    CHECK_OK(ds_builder_create(&builder));
    const double com[3] = {0.0, 0.0, -0.4}, own[6] = {0.02, 0.0, 0.02, 0.0, 0.0, 0.02};
    double inertia[10], bounds[2];
    CHECK_OK(ds_inertia_from_com(1.0, com, own, inertia));
    int32_t bob = -1;
    CHECK_OK(ds_builder_add_body(builder, 0, "bob", NULL, inertia, &bob));
    ds_joint_desc joint;
    ds_joint_desc_init(&joint);
    joint.name = "ball";
    joint.kind = DS_JOINT_SPHERICAL;
    joint.upper = 0.0;
    CHECK(ds_builder_add_joint(builder, bob, &joint) == DS_ERR_INVALID_ARGUMENT);
    CHECK(strstr(ds_last_error(), "must be above 0, got 0") != NULL);
    joint.upper = 0.5;
    joint.lower = 0.1;
    CHECK(ds_builder_add_joint(builder, bob, &joint) == DS_ERR_INVALID_ARGUMENT);
    joint.lower = -INFINITY;
    CHECK_OK(ds_builder_add_joint(builder, bob, &joint));
    ds_model *model = NULL;
    CHECK_OK(ds_builder_build(builder, &model));
    ds_builder_free(builder);
    CHECK_OK(ds_model_joint_limits(model, 0, bounds));
    CHECK(bounds[0] == 0.0 && bounds[1] == 0.5);
    const ds_contact_law laws[3] = {DS_CONTACT_NCP, DS_CONTACT_LCP, DS_CONTACT_CONVEX};
    for (int law = 0; law < 3; law++) {
        ds_options options;
        ds_options_init(&options);
        options.time_step = 1e-3;
        options.contact = laws[law];
        ds_sim *sim = NULL;
        CHECK_OK(ds_sim_create(model, &options, &sim));
        double turned[4] = {0.0, 0.0, 0.0, 1.0}, speed[3] = {2.0, -1.0, 0.5}, most = 0.0;
        for (int k = 0; k < 1000; k++) {
            CHECK_OK(ds_sim_step(sim, turned, speed, NULL, turned, speed));
            most = fmax(most, 2.0 * acos(fmin(1.0, fabs(turned[3]))));
        }
        CHECK(most > 0.49 && most < 0.502);
        ds_sim_free(sim);
    }
    ds_model_free(model);
}

/* A legged robot on the ground: what it stands on carries its weight, and the warm start is state. */
static void contacts(const char *path) {
    ds_model *model = load(path, DS_BASE_FROM_FILE);
    ds_sim *sim = NULL;
    CHECK_OK(ds_sim_create(model, NULL, &sim));
    CHECK_OK(ds_model_keyframe(model, "standing", q, v, NULL));
    memset(u, 0, sizeof u);
    const size_t size = ds_sim_memory_size(sim);
    double *warm = calloc(size + 1, sizeof *warm);
    if (warm == NULL) exit(report());
    for (int k = 0; k < 20; k++) CHECK_OK(ds_sim_step(sim, q, v, u, q, v));
    const ds_contact *list = NULL;
    size_t count = 0;
    CHECK_OK(ds_sim_contacts(sim, &list, &count));
    CHECK(count >= 4 && list != NULL);
    ds_step_info info;
    CHECK_OK(ds_sim_step_info(sim, &info));
    CHECK(info.contacts == count && info.converged == 1);
    double lift = 0.0;
    for (size_t i = 0; i < count; i++) {
        CHECK(list[i].geom_a >= 0 && list[i].geom_b >= 0 && list[i].body_a != list[i].body_b);
        CHECK(list[i].mode <= DS_MODE_SLIDING);
        CHECK_NEAR(list[i].normal[2] * list[i].normal[2], 1.0, 1e-12);
        lift += list[i].impulse[2] / 0.001;
    }
    CHECK(lift > 10.0);

    CHECK_OK(ds_sim_get_memory(sim, warm));
    CHECK_OK(ds_sim_step(sim, q, v, u, q_next, v_next));
    ds_step_jacobians out = {.dv_dq = big, .dv_dv = other, .dv_du = third};
    CHECK_OK(ds_sim_step_jacobians(sim, &out));
    for (int k = 0; k < 5; k++) CHECK_OK(ds_sim_step(sim, q, v, u, x, y));
    CHECK_OK(ds_sim_set_memory(sim, warm));
    CHECK_OK(ds_sim_step(sim, q, v, u, x, y));
    CHECK(memcmp(x, q_next, nq * sizeof *x) == 0 && memcmp(y, v_next, nv * sizeof *y) == 0);
    free(warm);
    ds_sim_free(sim);
    ds_model_free(model);
}

static void structs_grow(const ds_model *model) {
    /* A caller with a newer header, whose new fields keep their zeros. */
    struct {
        ds_options known;
        double added[3];
    } newer;
    memset(&newer, 0, sizeof newer);
    ds_options_init(&newer.known);
    newer.known.struct_size = sizeof newer;
    ds_sim *sim = NULL;
    CHECK_OK(ds_sim_create(model, &newer.known, &sim));
    ds_sim_free(sim);
    sim = NULL;
    newer.added[1] = 1.0;
    CHECK(ds_sim_create(model, &newer.known, &sim) == DS_ERR_UNSUPPORTED && sim == NULL);
    newer.known.struct_size = offsetof(ds_options, max_push_out_angle) - 8;
    CHECK(ds_sim_create(model, &newer.known, &sim) == DS_ERR_INVALID_ARGUMENT && sim == NULL);
}

/* Two balls of one robot in each other, from which a slide parts them, and in the floor, the one of "b"
 * without a mask against it. */
static const char balls[] =
    "<mujoco><worldbody><geom type='plane' size='0 0 1' contype='1' conaffinity='0'/>"
    "<body name='a' pos='0 0 0.09'><freejoint/><geom size='0.1' conaffinity='3'/>"
    "<body name='m'><joint axis='0 0 1'/><geom size='0.01' contype='0' conaffinity='0'/>"
    "<body name='b' pos='0.15 0 0'><joint type='slide' axis='1 0 0'/>"
    "<geom size='0.1' contype='2' conaffinity='2'/></body>"
    "</body></body></worldbody></mujoco>";

static size_t touching(const ds_load_options *options) {
    ds_model *model = NULL;
    ds_sim *sim = NULL;
    ds_step_info info = {0};
    CHECK_OK(ds_model_load_string(balls, strlen(balls), DS_FORMAT_MJCF, options, &model));
    CHECK_OK(ds_sim_create(model, NULL, &sim));
    CHECK_OK(ds_model_neutral(model, q));
    memset(v, 0, sizeof v);
    CHECK_OK(ds_sim_step(sim, q, v, NULL, q_next, v_next));
    CHECK_OK(ds_sim_step_info(sim, &info));
    ds_sim_free(sim);
    ds_model_free(model);
    return info.contacts;
}

static void load_options(void) {
    ds_load_options options;
    ds_load_options_init(&options);
    CHECK(options.self_collision == 1 && touching(&options) == 2);
    options.self_collision = 0;
    CHECK(touching(&options) == 1);
    /* A program built before there was such a field: what lies there is not read. */
    options.struct_size = offsetof(ds_load_options, self_collision);
    CHECK(touching(&options) == 2);

    static const char pair[] =
        "<robot name='r'><link name='a'/>"
        "<link name='b'><inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='1' ixy='0' ixz='0' iyz='0'/>"
        "</inertial></link>"
        "<link name='c'><inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='1' ixy='0' ixz='0' iyz='0'/>"
        "</inertial></link>"
        "<joint name='lead' type='continuous'><parent link='a'/><child link='b'/><axis xyz='0 1 0'/></joint>"
        "<joint name='follow' type='continuous'><parent link='a'/><child link='c'/><axis xyz='0 1 0'/>"
        "<mimic joint='lead' multiplier='2'/></joint></robot>";
    ds_load_options_init(&options);
    options.actuation = DS_ACTUATION_FULL;
    ds_model *model = NULL;
    ds_sim *sim = NULL;
    options.mimic = DS_MIMIC_ERROR;
    CHECK_WRONG(ds_model_load_string(pair, strlen(pair), DS_FORMAT_URDF, &options, &model), DS_ERR_UNSUPPORTED, "mimic");
    options.mimic = DS_MIMIC_COUPLE; /* The default. */
    CHECK_OK(ds_model_load_string(pair, strlen(pair), DS_FORMAT_URDF, &options, &model));
    CHECK_OK(ds_sim_create(model, NULL, &sim));
    const int32_t lead = ds_model_joint_q_index(model, ds_model_joint_id(model, "lead"));
    const int32_t follow = ds_model_joint_q_index(model, ds_model_joint_id(model, "follow"));
    CHECK(ds_model_nv(model) == 2 && lead >= 0 && follow >= 0);
    memset(q, 0, sizeof q);
    memset(v, 0, sizeof v);
    memset(u, 0, sizeof u);
    u[lead] = 3.0;
    for (int i = 0; i < 100; i++) CHECK_OK(ds_sim_step(sim, q, v, u, q, v));
    CHECK(v[lead] > 0.01);
    CHECK_NEAR(v[follow], 2.0 * v[lead], 1e-9);
    ds_sim_free(sim);
    ds_model_free(model);
}

static void freeing_nothing(void) {
    ds_model_free(NULL);
    ds_sim_free(NULL);
    ds_rollout_free(NULL);
    ds_builder_free(NULL);
    ds_options_init(NULL);
    ds_load_options_init(NULL);
    ds_joint_desc_init(NULL);
    ds_geom_desc_init(NULL);
    ds_actuator_desc_init(NULL);
    CHECK(ds_model_nq(NULL) == 0 && ds_sim_np(NULL) == 0);
    CHECK(ds_model_body_id(NULL, "x") == -1 && ds_model_body_name(NULL, 0) == NULL);
}

int main(int argc, char **argv) {
    if (argc < 2) return 2;
    versions();
    ds_model *model = load(model_path(argv, "arm7.urdf"), DS_BASE_FREE);
    ds_sim *sim = NULL;
    const ds_options smooth = without_contact();
    CHECK_OK(ds_sim_create(model, &smooth, &sim));
    model_queries(model);
    configurations(model);
    ds_options in_body = smooth;
    in_body.integrator = DS_INTEGRATOR_SYMPLECTIC_EULER;
    ds_sim *turning = NULL;
    CHECK_OK(ds_sim_create(model, &in_body, &turning));
    steps(model, turning, in_body);
    ds_sim_free(turning);
    steps(model, sim, smooth);
    /* A free joint moves along its world velocity at the end, up to the turn of its centre of mass about its
     * frame. */
    CHECK_OK(ds_model_v_to_mujoco(model, q_next, v_next, z));
    for (size_t i = 0; i < 3; i++) CHECK_NEAR(q_next[i], q[i] + smooth.time_step * z[i], 1e-5);
    dynamics(model, sim);
    parameters(model, sim);
    rollouts(model, sim);
    structs_grow(model);
    building();
    turning_within_a_bound();
    contacts(model_path(argv, "quadruped.xml"));
    load_options();
    freeing_nothing();
    ds_sim_free(sim);
    ds_model_free(model);
    return report();
}
