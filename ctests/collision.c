/* Geometry without dynamics: contacts at a pose, how they move, distances, and which pairs touch. */
#include <math.h>
#include <stdlib.h>

#include "check.h"

enum { NQ = 15, NV = 13, MAX_CONTACTS = 16 };

/* A floor, a tilted box in it, and a free arm whose capsule meets the box and whose ball meets none. */
static const char scene[] =
    "<mujoco><worldbody><geom name='floor' type='plane' size='0 0 1'/>"
    "<body name='box' pos='0 0 0.12'><freejoint/><geom name='box' type='box' size='0.1 0.2 0.1' margin='0.05'/></body>"
    "<body name='arm' pos='0.05 0.03 0.3'><freejoint/><geom name='rod' type='capsule' size='0.05 0.2' margin='0.1'/>"
    "<body name='hand' pos='0 0 0.5'><joint axis='0 1 0'/><geom name='ball' size='0.1' pos='0.3 0 0'/>"
    "</body></body></worldbody></mujoco>";

static ds_model *model;
static ds_sim *sim;
static double q[NQ];

static int32_t geom(const char *name) { return ds_model_geom_id(model, name); }

static void prepare(void) {
    CHECK_OK(ds_model_load_string(scene, strlen(scene), DS_FORMAT_MJCF, NULL, &model));
    CHECK_OK(ds_sim_create(model, NULL, &sim));
    if (sim == NULL) exit(report());
    CHECK(ds_model_nq(model) == NQ && ds_model_nv(model) == NV);
    const double tilt[NV] = {0, 0, 0, 0.02, -0.03, 0.4, 0, 0, 0, 1.2, 0.3, -0.2, 0.7};
    CHECK_OK(ds_model_neutral(model, q));
    CHECK_OK(ds_model_integrate(model, q, tilt, q));
}

/* q moved along dof k. */
static const double *moved(size_t k, double s) {
    static double to[NQ];
    double d[NV] = {0};
    d[k] = s;
    CHECK_OK(ds_model_integrate(model, q, d, to));
    return to;
}

static size_t contacts_at(const double *at, ds_contact *copy) {
    const ds_contact *list = NULL;
    size_t count = 0;
    CHECK_OK(ds_sim_collide(sim, at));
    CHECK_OK(ds_sim_contacts(sim, &list, &count));
    CHECK(count <= MAX_CONTACTS);
    if (count > 0 && count <= MAX_CONTACTS) memcpy(copy, list, count * sizeof *copy);
    return count;
}

static void derivatives(void) {
    static ds_contact here[MAX_CONTACTS], plus[MAX_CONTACTS], minus[MAX_CONTACTS];
    static double dpoint[3 * NV * MAX_CONTACTS], dnormal[3 * NV * MAX_CONTACTS],
        dtangents[6 * NV * MAX_CONTACTS], dgap[NV * MAX_CONTACTS];
    const size_t n = contacts_at(q, here);
    CHECK(n >= 5);
    for (size_t i = 0; i < n; i++) {
        const double *a = here[i].tangents, *b = a + 3, *c = here[i].normal;
        CHECK_NEAR(a[1] * b[2] - a[2] * b[1], c[0], 1e-14);
        CHECK_NEAR(a[2] * b[0] - a[0] * b[2], c[1], 1e-14);
        CHECK_NEAR(a[0] * b[1] - a[1] * b[0], c[2], 1e-14);
        CHECK(here[i].impulse[2] == 0.0 && here[i].mode == DS_MODE_UNKNOWN);
    }
    ds_gradient gradient;
    CHECK_OK(ds_sim_contact_derivatives(sim, dpoint, dnormal, dtangents, dgap, &gradient));
    CHECK(gradient == DS_GRADIENT_EXACT);
    const double h = 1e-6;
    double worst = 0.0, largest = 0.0;
    for (size_t k = 0; k < NV; k++) {
        CHECK(contacts_at(moved(k, h), plus) == n);
        CHECK(contacts_at(moved(k, -h), minus) == n);
        for (size_t i = 0; i < n; i++) {
            const size_t at = i * NV + k;
            for (int x = 0; x < 6; x++) {
                const double d = (plus[i].tangents[x] - minus[i].tangents[x]) / (2 * h);
                worst = fmax(worst, fabs(d - dtangents[6 * at + x]));
                if (x >= 3) continue;
                const double p = (plus[i].point[x] - minus[i].point[x]) / (2 * h);
                const double m = (plus[i].normal[x] - minus[i].normal[x]) / (2 * h);
                worst = fmax(worst, fabs(p - dpoint[3 * at + x]));
                worst = fmax(worst, fabs(m - dnormal[3 * at + x]));
                largest = fmax(largest, fabs(m));
            }
            worst = fmax(worst, fabs((plus[i].gap - minus[i].gap) / (2 * h) - dgap[at]));
        }
    }
    printf("contacts: %zu, largest error of a derivative %.1e\n", n, worst);
    CHECK(worst < 1e-7 && largest > 0.1);

    /* Of a step the same as of its pose; one output alone. */
    const double zero[NV] = {0};
    double q_next[NQ], v_next[NV], again[NV * MAX_CONTACTS];
    CHECK_OK(ds_sim_step(sim, q, zero, NULL, q_next, v_next));
    const ds_contact *list = NULL;
    size_t count = 0;
    CHECK_OK(ds_sim_contacts(sim, &list, &count));
    CHECK(count == n && memcmp(list[0].point, here[0].point, sizeof here[0].point) == 0);
    CHECK_OK(ds_sim_contact_derivatives(sim, NULL, NULL, NULL, again, NULL));
    CHECK(memcmp(again, dgap, n * NV * sizeof *dgap) == 0);
}

static void distances(void) {
    static const char *pairs[][2] = {{"ball", "box"}, {"floor", "ball"}, {"rod", "box"}, {"floor", "box"}};
    const double h = 1e-6;
    for (size_t p = 0; p < sizeof pairs / sizeof *pairs; p++) {
        const int32_t a = geom(pairs[p][0]), b = geom(pairs[p][1]);
        ds_distance d, back;
        double gradient[NV];
        CHECK_OK(ds_sim_distance(sim, a, b, q, &d, gradient));
        CHECK(d.gradient == DS_GRADIENT_EXACT);
        CHECK_OK(ds_sim_distance(sim, b, a, q, &back, NULL));
        CHECK_NEAR(d.distance, back.distance, 1e-12);
        double size = 0.0;
        for (int x = 0; x < 3; x++) {
            CHECK_NEAR(d.point_b[x] - d.point_a[x], d.distance * d.normal[x], 1e-12);
            CHECK_NEAR(d.normal[x], -back.normal[x], 1e-9);
        }
        for (size_t k = 0; k < NV; k++) {
            ds_distance plus, minus;
            CHECK_OK(ds_sim_distance(sim, a, b, moved(k, h), &plus, NULL));
            CHECK_OK(ds_sim_distance(sim, a, b, moved(k, -h), &minus, NULL));
            CHECK_NEAR((plus.distance - minus.distance) / (2 * h), gradient[k], 1e-7);
            size = fmax(size, fabs(gradient[k]));
        }
        CHECK(size > 0.1);
    }
}

static void filters(void) {
    static ds_contact before[MAX_CONTACTS], after[MAX_CONTACTS];
    const int32_t box = geom("box"), rod = geom("rod"), ball = geom("ball"), floor = geom("floor");
    const size_t n = contacts_at(q, before);
    size_t between = 0;
    for (size_t i = 0; i < n; i++) between += before[i].geom_a == box && before[i].geom_b == rod;
    CHECK(between > 0 && between < n);
    CHECK_OK(ds_sim_set_pair_enabled(sim, rod, box, 0));
    CHECK(contacts_at(q, after) == n - between);
    /* Smoothing steps a copy: the copy has the same pairs. */
    const double zero[NV] = {0};
    double q_next[NQ], v_next[NV], relaxed_q[NQ], relaxed_v[NV], away = 0.0;
    ds_smoothing smoothing;
    ds_smoothing_init(&smoothing);
    smoothing.method = DS_SMOOTHING_CENTRAL_PATH;
    smoothing.kappa = 1e-9;
    smoothing.reach = 0.0;
    CHECK_OK(ds_sim_step(sim, q, zero, NULL, q_next, v_next));
    CHECK_OK(ds_sim_relaxed_step(sim, &smoothing, relaxed_q, relaxed_v));
    for (int k = 0; k < NV; k++) away = fmax(away, fabs(relaxed_v[k] - v_next[k]));
    CHECK(away < 1e-2);
    CHECK_OK(ds_sim_set_pair_enabled(sim, rod, box, 1));
    CHECK(contacts_at(q, after) == n);
    CHECK(memcmp(before[n - 1].point, after[n - 1].point, sizeof before->point) == 0);
    CHECK_INVALID(ds_sim_set_pair_enabled(sim, ball, ball, 1), "different");
    CHECK_INVALID(ds_sim_set_pair_enabled(sim, ball, 99, 1), "geom_b");
    CHECK_INVALID(ds_sim_set_pair_enabled(sim, -1, ball, 1), "geom_a");
    CHECK_INVALID(ds_sim_set_pair_enabled(sim, floor, ball, 2), "enabled");
    CHECK(contacts_at(q, after) == n);
}

/* Features stay while the same ones touch, and tell the contacts of a pair apart. */
static void features(void) {
    static ds_contact before[MAX_CONTACTS], after[MAX_CONTACTS];
    const size_t n = contacts_at(q, before);
    CHECK(contacts_at(moved(0, 1e-4), after) == n);
    for (size_t i = 0; i < n; i++) {
        CHECK(before[i].feature == after[i].feature);
        for (size_t k = 0; k < i; k++)
            CHECK(before[i].geom_a != before[k].geom_a || before[i].geom_b != before[k].geom_b ||
                  before[i].feature != before[k].feature);
    }
}

/* A rod through a ball on the next body but one, and both in the floor. */
static const char crossed[] =
    "<mujoco><worldbody><geom name='floor' type='plane' size='0 0 1'/>"
    "<body name='a'><freejoint/><geom name='rod' type='capsule' size='0.05 0.2'/>"
    "<body name='b' pos='0.2 0 0'><joint axis='0 1 0'/><geom name='elbow' size='0.01' contype='0' conaffinity='0'/>"
    "<body name='c' pos='-0.1 0 0'><joint axis='0 1 0'/><geom name='ball' size='0.08'/></body>"
    "</body></body></worldbody></mujoco>";

/* The number of contacts of a sim of this model at neutral. */
static size_t touching(const ds_model *of) {
    ds_sim *s = NULL;
    double neutral[NQ];
    const ds_contact *list = NULL;
    size_t count = 0;
    CHECK_OK(ds_sim_create(of, NULL, &s));
    CHECK_OK(ds_model_neutral(of, neutral));
    CHECK_OK(ds_sim_collide(s, neutral));
    CHECK_OK(ds_sim_contacts(s, &list, &count));
    ds_sim_free(s);
    return count;
}

static void pairs_of_the_model(void) {
    ds_model *m = NULL, *apart = NULL, *aside = NULL, *option = NULL, *back = NULL;
    CHECK_OK(ds_model_load_string(crossed, strlen(crossed), DS_FORMAT_MJCF, NULL, &m));
    const int32_t rod = ds_model_geom_id(m, "rod"), ball = ds_model_geom_id(m, "ball");
    const int32_t floor = ds_model_geom_id(m, "floor");
    const size_t n = touching(m);
    CHECK(ds_model_pair_enabled(m, rod, ball) == 1);

    CHECK_OK(ds_model_exclude_overlapping(m, NULL, &apart));
    CHECK(ds_model_pair_enabled(apart, ball, rod) == 0 && ds_model_pair_enabled(apart, floor, rod) == 1);
    CHECK(touching(apart) == n - 1 && touching(m) == n);
    CHECK(ds_model_warning_count(apart) == ds_model_warning_count(m) + 1);
    CHECK(strstr(ds_model_warning(apart, ds_model_warning_count(m)), "never touch: 1 (") != NULL);
    /* Out of the way nothing overlaps. */
    double away[9];
    CHECK_OK(ds_model_neutral(m, away));
    away[7] = 3.14159;
    away[0] = 5.0;
    CHECK_OK(ds_model_exclude_overlapping(m, away, &aside));
    CHECK(ds_model_pair_enabled(aside, rod, ball) == 1);

    ds_load_options options;
    ds_load_options_init(&options);
    CHECK(options.exclude_overlapping == 0);
    options.exclude_overlapping = 1;
    CHECK_OK(ds_model_load_string(crossed, strlen(crossed), DS_FORMAT_MJCF, &options, &option));
    CHECK(touching(option) == n - 1);

    const int32_t both[] = {ball, rod, floor, ball};
    CHECK_OK(ds_model_with_pairs(apart, both, 1, 1, &back));
    CHECK(touching(back) == n);
    ds_model_free(back);
    CHECK_OK(ds_model_with_pairs(m, both, 2, 0, &back));
    CHECK(ds_model_pair_enabled(back, ball, floor) == 0 && touching(back) < n - 1);
    ds_model_free(back);

    const int32_t wrong_ids[] = {ball, 99}, same[] = {ball, ball};
    back = NULL;
    CHECK_INVALID(ds_model_with_pairs(m, wrong_ids, 1, 0, &back), "geoms");
    CHECK_INVALID(ds_model_with_pairs(m, same, 1, 0, &back), "different");
    CHECK_INVALID(ds_model_with_pairs(m, NULL, 1, 0, &back), "geoms");
    CHECK_INVALID(ds_model_with_pairs(m, both, 1, 2, &back), "enabled");
    CHECK_INVALID(ds_model_with_pairs(m, both, 1, 0, NULL), "out");
    CHECK_INVALID(ds_model_with_pairs(NULL, both, 1, 0, &back), "model");
    CHECK_INVALID(ds_model_exclude_overlapping(NULL, NULL, &back), "model");
    CHECK_INVALID(ds_model_exclude_overlapping(m, NULL, NULL), "out");
    away[8] = NAN;
    CHECK_WRONG(ds_model_exclude_overlapping(m, away, &back), DS_ERR_NUMERICAL, "q[8]");
    CHECK(back == NULL);
    CHECK(ds_model_pair_enabled(m, rod, 99) == -1 && ds_model_pair_enabled(NULL, 0, 1) == -1);
    ds_model_free(option);
    ds_model_free(aside);
    ds_model_free(apart);
    ds_model_free(m);
}

static void without_dynamics(void) {
    static ds_contact list[MAX_CONTACTS], other[MAX_CONTACTS];
    const size_t n = contacts_at(q, list);
    ds_sim *full = sim;
    ds_options options;
    ds_options_init(&options);
    options.contact = DS_CONTACT_NONE;
    options.derivatives = 0;
    CHECK_OK(ds_sim_create(model, &options, &sim));
    const ds_contact *none = NULL;
    size_t count = 7;
    CHECK(ds_sim_contacts(sim, &none, &count) == DS_ERR_NO_STEP && count == 7);
    CHECK(ds_sim_contact_derivatives(sim, NULL, NULL, NULL, NULL, NULL) == DS_ERR_NO_STEP);
    CHECK(contacts_at(q, other) == n);
    CHECK(memcmp(list, other, n * sizeof *list) == 0);
    double gap[NV * MAX_CONTACTS];
    CHECK_OK(ds_sim_contact_derivatives(sim, NULL, NULL, NULL, gap, NULL));
    ds_step_info info;
    CHECK(ds_sim_step_info(sim, &info) == DS_ERR_NO_STEP);
    ds_sim_free(sim);
    sim = full;
}

static void wrong(void) {
    static double same[3 * NV * MAX_CONTACTS];
    double bad[NQ], gradient[NV];
    ds_distance d;
    memset(&d, 0x5A, sizeof d);
    const ds_distance untouched = d;
    memcpy(bad, q, sizeof bad);
    bad[8] = NAN;
    CHECK_INVALID(ds_sim_collide(NULL, q), "sim");
    CHECK_INVALID(ds_sim_collide(sim, NULL), "q");
    CHECK_WRONG(ds_sim_collide(sim, bad), DS_ERR_NUMERICAL, "q[8]");
    CHECK_INVALID(ds_sim_distance(sim, geom("ball"), 99, q, &d, gradient), "geom_b");
    CHECK_INVALID(ds_sim_distance(sim, 1, 1, q, &d, gradient), "different");
    CHECK_INVALID(ds_sim_distance(sim, 0, 1, q, NULL, gradient), "out");
    CHECK_INVALID(ds_sim_distance(sim, 0, 1, NULL, &d, gradient), "q");
    CHECK_INVALID(ds_sim_distance(sim, 0, 1, q, &d, q), "must not overlap q");
    CHECK_WRONG(ds_sim_distance(sim, 0, 1, bad, &d, gradient), DS_ERR_NUMERICAL, "q[8]");
    CHECK(memcmp(&d, &untouched, sizeof d) == 0);
    CHECK_OK(ds_sim_collide(sim, q));
    CHECK_INVALID(ds_sim_contact_derivatives(sim, same, same, NULL, NULL, NULL), "dnormal: must not overlap dpoint");
    CHECK_INVALID(ds_sim_contact_derivatives(NULL, same, NULL, NULL, NULL, NULL), "sim");

    /* More contacts than there is room for. */
    ds_options options;
    ds_options_init(&options);
    options.max_contacts = 2;
    ds_sim *small = NULL;
    CHECK_OK(ds_sim_create(model, &options, &small));
    CHECK_WRONG(ds_sim_collide(small, q), DS_ERR_CAPACITY, "max_contacts");
    CHECK(ds_sim_contact_derivatives(small, NULL, NULL, NULL, NULL, NULL) == DS_ERR_NO_STEP);
    CHECK_OK(ds_sim_distance(small, 0, 1, q, &d, NULL));
    ds_sim_free(small);

    /* Two planes have no distance. */
    static const char planes[] =
        "<mujoco><worldbody><geom type='plane' size='0 0 1'/><geom type='plane' size='0 0 1'/></worldbody></mujoco>";
    ds_model *flat = NULL;
    CHECK_OK(ds_model_load_string(planes, strlen(planes), DS_FORMAT_MJCF, NULL, &flat));
    ds_sim *still = NULL;
    CHECK_OK(ds_sim_create(flat, NULL, &still));
    CHECK_WRONG(ds_sim_distance(still, 0, 1, NULL, &d, NULL), DS_ERR_UNSUPPORTED, "planes");
    ds_sim_free(still);
    ds_model_free(flat);
}

int main(void) {
    prepare();
    derivatives();
    distances();
    filters();
    features();
    pairs_of_the_model();
    without_dynamics();
    wrong();
    ds_sim_free(sim);
    ds_model_free(model);
    return report();
}
