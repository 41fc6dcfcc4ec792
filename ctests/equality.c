/* Models made in code whose joints form loops: a four-bar linkage that stays closed, and every kind of
 * equality. */
#include <math.h>
#include <stdlib.h>

#include "check.h"

/* Of a rod along x from its joint: mass 1, about its own end. */
static void rod(double length, double inertia[10]) {
    const double com[3] = {0.5 * length, 0.0, 0.0},
                 i = length * length / 12.0, about[6] = {1e-3, 0.0, i, 0.0, 0.0, i};
    CHECK_OK(ds_inertia_from_com(1.0, com, about, inertia));
}

/* A bar on `parent`, hinged about y at (x, 0, 0), lying at `angle`. */
static int32_t bar(ds_builder *builder, int32_t parent, const char *name, double x, double angle, double length) {
    const double c = cos(angle), s = sin(angle);
    const double placement[16] = {c, 0, -s, 0, 0, 1, 0, 0, s, 0, c, 0, x, 0, 0, 1};
    double inertia[10];
    int32_t id = -1;
    rod(length, inertia);
    CHECK_OK(ds_builder_add_body(builder, parent, name, placement, inertia, &id));
    ds_joint_desc joint;
    ds_joint_desc_init(&joint);
    joint.name = name;
    joint.axis[1] = 1.0;
    joint.axis[2] = 0.0;
    CHECK_OK(ds_builder_add_joint(builder, id, &joint));
    return id;
}

/* A tendon as long as a bar is turned, times a factor. */
static void cord(ds_builder *builder, const char *name, const char *joint, double factor) {
    ds_tendon_desc tendon;
    ds_tendon_desc_init(&tendon);
    tendon.name = name;
    tendon.kind = DS_TENDON_FIXED;
    tendon.count = 1;
    tendon.joints = &joint;
    tendon.coefficients = &factor;
    CHECK_OK(ds_builder_add_tendon(builder, &tendon));
}

static void end_of(ds_sim *sim, const double *q, int32_t body, double x, double out[3]) {
    double placements[16 * 8];
    CHECK_OK(ds_forward_kinematics(sim, q, placements));
    const double *m = placements + 16 * body;
    for (int i = 0; i < 3; i++) out[i] = m[12 + i] + x * m[i];
}

/* Ground 1 m, crank 0.4 m, coupler 1 m, rocker 0.4 m: a parallelogram, upright at the reference. The
 * chain crank, coupler and the rocker meet at the rocker's end. */
static void four_bar(void) {
    const double up = -acos(-1.0) / 2;
    ds_builder *builder = NULL;
    ds_model *model = NULL;
    ds_sim *sim = NULL;
    CHECK_OK(ds_builder_create(&builder));
    const int32_t crank = bar(builder, 0, "crank", 0.0, up, 0.4);
    const int32_t coupler = bar(builder, crank, "coupler", 0.4, -up, 1.0);
    const int32_t rocker = bar(builder, 0, "rocker", 1.0, up, 0.4);
    ds_equality_desc loop;
    ds_equality_desc_init(&loop);
    loop.name = "loop";
    loop.body1 = coupler;
    loop.body2 = rocker;
    loop.anchor1[0] = 1.0;
    CHECK_OK(ds_builder_add_equality(builder, &loop));
    CHECK_OK(ds_builder_set_actuation(builder, DS_ACTUATION_FULL));
    CHECK_OK(ds_builder_build(builder, &model));
    ds_builder_free(builder);
    CHECK_OK(ds_sim_create(model, NULL, &sim));
    if (sim == NULL) exit(report());
    const int32_t a = ds_model_body_id(model, "coupler"), b = ds_model_body_id(model, "rocker");
    double q[3] = {0}, v[3] = {0}, u[3] = {0}, worst = 0.0, travel = 0.0;
    const int32_t drive = ds_model_actuator_id(model, "crank");
    for (int k = 0; k < 10000; k++) {
        u[drive] = 3.0 * sin(0.003 * k);
        CHECK(ds_sim_step(sim, q, v, u, q, v) == DS_OK);
        double x[3], y[3];
        end_of(sim, q, a, 1.0, x);
        end_of(sim, q, b, 0.4, y);
        worst = fmax(worst, fmax(fabs(x[0] - y[0]), fmax(fabs(x[1] - y[1]), fabs(x[2] - y[2]))));
        travel = fmax(travel, fabs(q[0]));
    }
    printf("four-bar linkage: open by at most %.1e m over 10 s, crank travels %.2f rad\n", worst, travel);
    CHECK(worst < 1e-6 && travel > 1.0);

    /* Its step has a derivative, too. */
    double by_u[9], up_v[3], down_v[3], q_next[3];
    const double h = 1e-5;
    CHECK_OK(ds_sim_step(sim, q, v, u, q_next, up_v));
    CHECK_OK(ds_sim_step_jacobians(sim, &(ds_step_jacobians){.dv_du = by_u}));
    u[drive] += h;
    CHECK_OK(ds_sim_step(sim, q, v, u, q_next, up_v));
    u[drive] -= 2 * h;
    CHECK_OK(ds_sim_step(sim, q, v, u, q_next, down_v));
    for (int i = 0; i < 3; i++)
        CHECK_NEAR((up_v[i] - down_v[i]) / (2 * h), by_u[i + 3 * drive], 1e-8);
    ds_sim_free(sim);
    ds_model_free(model);
}

/* Two bars hang side by side, tied by one equality: after 1 s what it holds is where it was. */
static double violation(void (*change)(ds_equality_desc *)) {
    ds_builder *builder = NULL;
    ds_model *model = NULL;
    ds_sim *sim = NULL;
    CHECK_OK(ds_builder_create(&builder));
    const int32_t left = bar(builder, 0, "left", 0.0, 0.3, 0.5);
    const int32_t right = bar(builder, 0, "right", 0.2, 0.3, 0.5);
    cord(builder, "twice", "left", 2.0);
    cord(builder, "back", "right", -1.0);
    ds_equality_desc tie;
    ds_equality_desc_init(&tie);
    tie.body1 = left;
    tie.body2 = right;
    change(&tie);
    CHECK_OK(ds_builder_add_equality(builder, &tie));
    CHECK_OK(ds_builder_build(builder, &model));
    ds_builder_free(builder);
    CHECK_OK(ds_sim_create(model, NULL, &sim));
    double q[2] = {0}, v[2] = {0}, before[2][3], after[2][3], worst = 0.0;
    const int32_t bodies[2] = {ds_model_body_id(model, "left"), ds_model_body_id(model, "right")};
    for (int i = 0; i < 2; i++) end_of(sim, q, bodies[i], 0.5, before[i]);
    for (int k = 0; k < 1000; k++) CHECK(ds_sim_step(sim, q, v, NULL, q, v) == DS_OK);
    for (int i = 0; i < 2; i++) end_of(sim, q, bodies[i], 0.5, after[i]);
    switch (tie.active ? tie.kind : -1) {
    case DS_EQUALITY_CONNECT: /* Both hinges and a common point: nothing moves. */
    case DS_EQUALITY_WELD:
        worst = fmax(fabs(q[0]), fabs(q[1]));
        break;
    case DS_EQUALITY_DISTANCE:
        worst = fabs(hypot(after[1][0] - after[0][0], after[1][2] - after[0][2]) -
                     hypot(before[1][0] - before[0][0], before[1][2] - before[0][2]));
        break;
    case DS_EQUALITY_JOINT:
        worst = fabs(q[0] - (tie.coefficients[0] + tie.coefficients[1] * q[1]));
        break;
    case DS_EQUALITY_TENDON: /* 2 q0 = -q1. */
        worst = fabs(2.0 * q[0] + q[1]);
        break;
    default:
        worst = fabs(q[0] - q[1]);
    }
    if (tie.kind == DS_EQUALITY_DISTANCE || tie.kind == DS_EQUALITY_JOINT || tie.kind == DS_EQUALITY_TENDON)
        CHECK(fabs(q[0]) > 0.1);
    ds_sim_free(sim);
    ds_model_free(model);
    return worst;
}

static void connect(ds_equality_desc *e) { e->anchor1[0] = 0.5; }
static void weld(ds_equality_desc *e) { e->kind = DS_EQUALITY_WELD; }
static void distance(ds_equality_desc *e) {
    e->kind = DS_EQUALITY_DISTANCE;
    e->anchor1[0] = e->anchor2[0] = 0.5;
}
static void opposite(ds_equality_desc *e) {
    e->kind = DS_EQUALITY_JOINT;
    e->joint1 = "left";
    e->joint2 = "right";
    e->coefficients[1] = -0.5;
}
static void cords(ds_equality_desc *e) {
    e->kind = DS_EQUALITY_TENDON;
    e->tendon1 = "twice";
    e->tendon2 = "back";
}
static void resting(ds_equality_desc *e) { opposite(e), e->active = 0; }

static ds_builder *pair;

static ds_status add(void (*change)(ds_equality_desc *)) {
    ds_equality_desc tie;
    ds_equality_desc_init(&tie);
    tie.body1 = 1;
    tie.body2 = 2;
    change(&tie);
    return ds_builder_add_equality(pair, &tie);
}

static const double row_major[16] = {1, 0, 0, 0.5, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1};
static void no_init(ds_equality_desc *e) { e->struct_size = 0; }
static void unknown_kind(ds_equality_desc *e) { e->kind = 5; }
static void half_active(ds_equality_desc *e) { e->active = 2; }
static void missing_body(ds_equality_desc *e) { e->body2 = 3; }
static void negative_body(ds_equality_desc *e) { e->body1 = -1; }
static void nan_anchor(ds_equality_desc *e) { e->anchor1[2] = NAN; }
static void infinite_scale(ds_equality_desc *e) { weld(e), e->torque_scale = INFINITY; }
static void transposed(ds_equality_desc *e) { weld(e), e->relative = row_major; }
static void no_joint(ds_equality_desc *e) { opposite(e), e->joint1 = NULL; }
static void missing_joint(ds_equality_desc *e) { opposite(e), e->joint2 = "nobody"; }
static void no_tendon(ds_equality_desc *e) { cords(e), e->tendon1 = NULL; }
static void missing_tendon(ds_equality_desc *e) { cords(e), e->tendon2 = "nothing"; }
/* Of before there were tendons in it. */
static void old_cords(ds_equality_desc *e) { cords(e), e->struct_size = offsetof(ds_equality_desc, tendon1); }

static ds_status create_with(void (*change)(ds_equality_desc *)) {
    ds_builder *builder = NULL;
    ds_model *model = NULL;
    ds_sim *sim = NULL;
    CHECK_OK(ds_builder_create(&builder));
    bar(builder, 0, "left", 0.0, 0.3, 0.5);
    cord(builder, "twice", "left", 2.0);
    ds_equality_desc tie;
    ds_equality_desc_init(&tie);
    tie.name = "tie";
    tie.body1 = 1;
    change(&tie);
    CHECK_OK(ds_builder_add_equality(builder, &tie));
    CHECK_OK(ds_builder_build(builder, &model));
    const ds_status status = ds_sim_create(model, NULL, &sim);
    ds_builder_free(builder);
    ds_model_free(model);
    CHECK(sim == NULL);
    return status;
}

static void negative_scale(ds_equality_desc *e) { weld(e), e->torque_scale = -1.0; }
static void negative_length(ds_equality_desc *e) { distance(e), e->length = -2.0; }
static void self_follower(ds_equality_desc *e) { opposite(e), e->joint2 = "left"; }
static void own_tendon(ds_equality_desc *e) { cords(e), e->tendon2 = "twice"; }

static void wrong(void) {
    CHECK_OK(ds_builder_create(&pair));
    bar(pair, 0, "left", 0.0, 0.3, 0.5);
    bar(pair, 0, "right", 0.2, 0.3, 0.5);
    cord(pair, "twice", "left", 2.0);
    cord(pair, "back", "right", -1.0);
    CHECK_INVALID(ds_builder_add_equality(pair, NULL), "equality");
    CHECK_INVALID(ds_builder_add_equality(NULL, NULL), "builder");
    CHECK_INVALID(add(no_init), "ds_equality_desc_init");
    CHECK_INVALID(add(unknown_kind), "DS_EQUALITY_WELD");
    CHECK_INVALID(add(half_active), "equality.active");
    CHECK_INVALID(add(missing_body), "body2");
    CHECK_INVALID(add(negative_body), "equality.body1");
    CHECK_WRONG(add(nan_anchor), DS_ERR_NUMERICAL, "equality.anchor1[2]");
    CHECK_WRONG(add(infinite_scale), DS_ERR_NUMERICAL, "equality.torque_scale");
    CHECK_INVALID(add(transposed), "column-major");
    CHECK_INVALID(add(no_joint), "equality.joint1");
    CHECK_INVALID(add(missing_joint), "nobody");
    CHECK_INVALID(add(no_tendon), "equality.tendon1");
    CHECK_INVALID(add(missing_tendon), "no tendon is called \"nothing\"");
    CHECK_INVALID(add(old_cords), "equality.tendon1");
    CHECK_INVALID(create_with(own_tendon), "cannot follow itself");
    CHECK_INVALID(create_with(negative_scale), "tie");
    CHECK_INVALID(create_with(negative_length), "tie");
    CHECK_INVALID(create_with(self_follower), "tie");
    /* After all that the builder builds. */
    ds_model *model = NULL;
    CHECK_OK(add(connect));
    CHECK_OK(ds_builder_build(pair, &model));
    ds_builder_free(pair);
    ds_model_free(model);
    ds_equality_desc_init(NULL);
}

int main(void) {
    four_bar();
    CHECK(violation(connect) < 1e-9);
    CHECK(violation(weld) < 1e-9);
    CHECK(violation(distance) < 1e-9);
    CHECK(violation(opposite) < 1e-9);
    CHECK(violation(cords) < 1e-9);
    CHECK(violation(resting) < 1e-9);
    wrong();
    return report();
}
