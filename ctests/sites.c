/* Sites: named frames on bodies, where they are and how they move; and bodies whose weight is carried. */
#include <math.h>
#include <stdlib.h>

#include "check.h"

/* Of a body turned about z by `angle` and shifted. */
static void frame(double angle, double x, double y, double z, double out[16]) {
    const double c = cos(angle), s = sin(angle);
    const double m[16] = {c, s, 0, 0, -s, c, 0, 0, 0, 0, 1, 0, x, y, z, 1};
    memcpy(out, m, sizeof m);
}

static void product(const double *a, const double *b, double *out) {
    for (int c = 0; c < 4; c++)
        for (int r = 0; r < 4; r++) {
            double sum = 0.0;
            for (int k = 0; k < 4; k++) sum += a[r + 4 * k] * b[k + 4 * c];
            out[r + 4 * c] = sum;
        }
}

static int32_t body(ds_builder *builder, int32_t parent, const char *name, int32_t kind) {
    double placement[16], inertia[10];
    const double com[3] = {0.2, 0.1, 0.0}, about[6] = {0.02, 0.0, 0.03, 0.0, 0.0, 0.04};
    int32_t id = -1;
    frame(0.4, 0.3, 0.0, 0.1, placement);
    CHECK_OK(ds_inertia_from_com(1.5, com, about, inertia));
    CHECK_OK(ds_builder_add_body(builder, parent, name, placement, inertia, &id));
    ds_joint_desc joint;
    ds_joint_desc_init(&joint);
    joint.name = name;
    joint.kind = kind;
    joint.axis[0] = 1.0;
    CHECK_OK(ds_builder_add_joint(builder, id, &joint));
    return id;
}

/* An arm with a hand, a site on each and one in the world; `frames` are in the order of their ids. */
static ds_model *arm(double frames[3][16], double share) {
    ds_builder *builder = NULL;
    ds_model *model = NULL;
    CHECK_OK(ds_builder_create(&builder));
    const int32_t upper = body(builder, 0, "arm", DS_JOINT_REVOLUTE);
    const int32_t hand = body(builder, upper, "hand", DS_JOINT_SPHERICAL);
    frame(0.0, 0.0, 0.0, 0.0, frames[0]);
    frame(-0.7, 0.2, -0.3, 0.1, frames[1]);
    frame(1.1, 0.0, 0.4, 0.05, frames[2]);
    int32_t id = -1;
    CHECK_OK(ds_builder_add_site(builder, hand, "grip", frames[2], &id));
    CHECK(id == 0);
    CHECK_OK(ds_builder_add_site(builder, upper, NULL, frames[1], NULL));
    CHECK_OK(ds_builder_add_site(builder, 0, "origin", NULL, &id));
    CHECK(id == 2);
    CHECK_OK(ds_builder_set_gravity_compensation(builder, upper, share));
    CHECK_OK(ds_builder_set_gravity_compensation(builder, hand, share));

    double skewed[16];
    frame(0.3, 0.0, 0.0, 0.0, skewed);
    skewed[0] = 2.0;
    id = 77;
    CHECK_INVALID(ds_builder_add_site(builder, 9, "x", NULL, &id), "body");
    CHECK_INVALID(ds_builder_add_site(builder, -1, "x", NULL, &id), "body");
    CHECK_INVALID(ds_builder_add_site(builder, upper, "grip", NULL, &id), "taken twice");
    CHECK_INVALID(ds_builder_add_site(builder, upper, "x", skewed, &id), "site \"x\": placement");
    skewed[3] = 1.0;
    CHECK_INVALID(ds_builder_add_site(builder, upper, "x", skewed, &id), "last row");
    CHECK_INVALID(ds_builder_add_site(NULL, upper, "x", NULL, &id), "builder");
    CHECK(id == 77);
    CHECK_INVALID(ds_builder_set_gravity_compensation(builder, 9, 1.0), "body");
    CHECK_INVALID(ds_builder_set_gravity_compensation(builder, hand, NAN), "gravity compensation");
    CHECK_INVALID(ds_builder_set_gravity_compensation(NULL, hand, 1.0), "builder");
    CHECK_OK(ds_builder_build(builder, &model));
    ds_builder_free(builder);
    if (model == NULL) exit(report());
    return model;
}

static void queries(const ds_model *model, double frames[3][16]) {
    double x[16];
    CHECK(ds_model_nsite(model) == 3);
    CHECK(ds_model_nsite(NULL) == 0);
    /* By body, whatever the order in which they came. */
    CHECK(ds_model_site_id(model, "origin") == 0 && ds_model_site_id(model, "grip") == 2);
    CHECK(strcmp(ds_model_site_name(model, 2), "grip") == 0);
    CHECK(strcmp(ds_model_site_name(model, 1), "") == 0);
    const char *bodies[3] = {"world", "arm", "hand"};
    for (int32_t i = 0; i < 3; i++) {
        CHECK(ds_model_site_body(model, i) == ds_model_body_id(model, bodies[i]));
        CHECK_OK(ds_model_site_placement(model, i, x));
        for (int k = 0; k < 16; k++) CHECK(x[k] == frames[i][k]);
    }
    CHECK(ds_model_site_id(model, "nobody") == -1 && strstr(ds_last_error(), "no site") != NULL);
    CHECK(ds_model_site_id(model, NULL) == -1);
    CHECK(ds_model_site_name(model, 3) == NULL);
    CHECK(ds_model_site_body(model, -1) == -1 && strstr(ds_last_error(), "site") != NULL);
    x[0] = 77.0;
    CHECK_INVALID(ds_model_site_placement(model, 3, x), "site");
    CHECK_INVALID(ds_model_site_placement(model, 0, NULL), "out");
    CHECK_INVALID(ds_model_site_placement(NULL, 0, x), "model");
    CHECK_INVALID(ds_model_body_gravity_compensation(model, 3, x), "body");
    CHECK_INVALID(ds_model_body_gravity_compensation(model, 0, NULL), "out");
    CHECK(x[0] == 77.0);
}

static void motion(ds_sim *sim, const ds_model *model, double frames[3][16]) {
    const size_t nv = ds_model_nv(model);
    double q[5], bodies[16 * 3], sites[16 * 3], expected[16], J[6 * 4], ahead[16 * 3], back[16 * 3];
    double moved[5], d[4] = {0};
    CHECK(nv == 4 && ds_model_nq(model) == 5);
    CHECK_OK(ds_model_neutral(model, q));
    for (int k = 0; k < 4; k++) d[k] = 0.3 + 0.2 * k;
    CHECK_OK(ds_model_integrate(model, q, d, q));
    CHECK_OK(ds_forward_kinematics(sim, q, bodies));
    CHECK_OK(ds_site_placements(sim, q, sites));
    for (int i = 0; i < 3; i++) {
        product(bodies + 16 * ds_model_site_body(model, i), frames[i], expected);
        for (int k = 0; k < 16; k++) CHECK_NEAR(sites[16 * i + k], expected[k], 1e-15);
    }
    const double h = 1e-5;
    for (int32_t i = 0; i < 3; i++) {
        CHECK_OK(ds_site_jacobian(sim, q, i, J));
        for (size_t k = 0; k < nv; k++) {
            for (size_t j = 0; j < nv; j++) d[j] = j == k ? h : 0.0;
            CHECK_OK(ds_model_integrate(model, q, d, moved));
            CHECK_OK(ds_site_placements(sim, moved, ahead));
            d[k] = -h;
            CHECK_OK(ds_model_integrate(model, q, d, moved));
            CHECK_OK(ds_site_placements(sim, moved, back));
            const double *a = ahead + 16 * i, *b = back + 16 * i, *r = sites + 16 * i;
            for (int row = 0; row < 3; row++)
                CHECK_NEAR((a[12 + row] - b[12 + row]) / (2 * h), J[6 * k + row], 1e-9);
            /* The angular velocity w: the derivative of each axis is w x axis. */
            const double *w = J + 6 * k + 3;
            for (int c = 0; c < 3; c++) {
                const double *e = r + 4 * c;
                const double turn[3] = {w[1] * e[2] - w[2] * e[1], w[2] * e[0] - w[0] * e[2],
                                        w[0] * e[1] - w[1] * e[0]};
                for (int row = 0; row < 3; row++)
                    CHECK_NEAR((a[4 * c + row] - b[4 * c + row]) / (2 * h), turn[row], 1e-9);
            }
        }
    }

    q[0] = NAN;
    sites[0] = J[0] = 77.0;
    CHECK_WRONG(ds_site_placements(sim, q, sites), DS_ERR_NUMERICAL, "q[0]");
    CHECK_WRONG(ds_site_jacobian(sim, q, 0, J), DS_ERR_NUMERICAL, "q[0]");
    q[0] = 0.0;
    CHECK_INVALID(ds_site_placements(sim, q, NULL), "placements");
    CHECK_INVALID(ds_site_placements(sim, NULL, sites), "q");
    CHECK_INVALID(ds_site_placements(NULL, q, sites), "sim");
    CHECK_INVALID(ds_site_jacobian(sim, q, 3, J), "site");
    CHECK_INVALID(ds_site_jacobian(sim, q, -1, J), "site");
    CHECK_INVALID(ds_site_jacobian(sim, q, 0, NULL), "J");
    CHECK_INVALID(ds_site_jacobian(NULL, q, 0, J), "sim");
    CHECK(sites[0] == 77.0 && J[0] == 77.0);
}

/* Wholly carried it stays where it is left. */
static void carried(const ds_model *model) {
    ds_sim *sim = NULL;
    double q[5], v[4] = {0}, share = 0.0, tau[4] = {0};
    const double still[4] = {0};
    CHECK_OK(ds_sim_create(model, NULL, &sim));
    if (sim == NULL) exit(report());
    CHECK_OK(ds_model_body_gravity_compensation(model, 1, &share));
    CHECK(share == 1.0);
    CHECK_OK(ds_model_neutral(model, q));
    CHECK_OK(ds_inverse_dynamics(sim, q, still, still, tau));
    for (int k = 0; k < 100; k++) CHECK_OK(ds_sim_step(sim, q, v, NULL, q, v));
    for (int k = 0; k < 4; k++) CHECK(fabs(v[k]) < 1e-12 && fabs(tau[k]) < 1e-12);
    ds_sim_free(sim);
}

int main(void) {
    double frames[3][16];
    ds_sim *sim = NULL;
    ds_model *model = arm(frames, 0.0);
    CHECK_OK(ds_sim_create(model, NULL, &sim));
    if (sim == NULL) exit(report());
    queries(model, frames);
    motion(sim, model, frames);
    ds_sim_free(sim);
    ds_model_free(model);
    model = arm(frames, 1.0);
    carried(model);
    ds_model_free(model);
    return report();
}
