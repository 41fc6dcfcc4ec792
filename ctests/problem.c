/* The solver alone: a box of 2 kg on its four corners, given by its matrices. Results against formulas,
 * derivatives against differences and each other, warm starts, and refusals. */
#include <math.h>
#include <stdlib.h>

#include "check.h"

enum { NV = 6, CONTACTS = 4, ROWS = 3 * CONTACTS };

static const double H = 1e-2, GRAVITY = 9.81, MASS = 2.0;

/* A, J, v_free, target, friction, compliance: a problem, or a variation or gradient of one. */
typedef struct {
    double A[NV * NV], J[ROWS * NV], v_free[NV], target[ROWS], friction[CONTACTS], compliance[ROWS];
} data;

typedef struct {
    double v[NV], impulse[ROWS];
} answer;

static data box(void) {
    data d = {0};
    const double diagonal[NV] = {MASS, MASS, MASS, 0.03, 0.05, 0.06};
    const double x[CONTACTS] = {0.2, -0.2, -0.2, 0.2}, y[CONTACTS] = {0.1, 0.1, -0.1, -0.1}, z = -0.15;
    for (int k = 0; k < NV; k++) d.A[(NV + 1) * k] = diagonal[k];
    for (int c = 0; c < CONTACTS; c++) {
        const double arm[3] = {x[c], y[c], z};
        for (int axis = 0; axis < 3; axis++) {
            const int row = 3 * c + axis, next = (axis + 1) % 3, last = (axis + 2) % 3;
            d.J[ROWS * axis + row] = 1.0;
            /* (w x arm) along the axis. */
            d.J[ROWS * (3 + next) + row] = arm[last];
            d.J[ROWS * (3 + last) + row] = -arm[next];
            d.compliance[row] = axis < 2 ? 1e-3 : 0.02;
        }
        d.friction[c] = 0.4;
    }
    d.v_free[2] = -GRAVITY * H;
    return d;
}

static ds_problem *create(int32_t law) {
    ds_problem_options options;
    ds_problem_options_init(&options);
    CHECK(options.struct_size == sizeof options && options.law == DS_CONTACT_NCP && options.max_contacts == 32);
    options.law = law;
    options.nv = NV;
    options.max_contacts = CONTACTS;
    ds_problem *problem = NULL;
    CHECK_OK(ds_problem_create(&options, &problem));
    if (problem == NULL) exit(report());
    return problem;
}

static ds_status solve(ds_problem *p, int32_t law, const data *d, answer *out, ds_step_info *info) {
    return ds_problem_solve(p, CONTACTS, d->A, d->J, d->v_free, d->target, d->friction,
                            law == DS_CONTACT_CONVEX ? d->compliance : NULL, out->v, out->impulse, info);
}

static double dot(const double *a, const double *b, int n) {
    double sum = 0.0;
    for (int k = 0; k < n; k++) sum += a[k] * b[k];
    return sum;
}

/* A box that rests, one that sticks by friction and one that slides. */
static void physics(int32_t law) {
    ds_problem *p = create(law);
    data d = box();
    answer x;
    ds_step_info info;
    CHECK_OK(solve(p, law, &d, &x, &info));
    CHECK(info.converged == 1 && info.contacts == CONTACTS && info.gradient == DS_GRADIENT_EXACT);
    const double weight = MASS * GRAVITY * H;
    double carried = 0.0;
    for (int c = 0; c < CONTACTS; c++) carried += x.impulse[3 * c + 2];
    if (law != DS_CONTACT_CONVEX) {
        for (int k = 0; k < NV; k++) CHECK_NEAR(x.v[k], 0.0, 1e-12);
        for (int c = 0; c < CONTACTS; c++) CHECK_NEAR(x.impulse[3 * c + 2], weight / 4, 1e-12);
    } else {
        /* Four springs of compliance R in parallel: (m + 4/R) v = m v_free. */
        CHECK_NEAR(x.v[2], -weight / (MASS + 4 / 0.02), 1e-12);
    }
    CHECK_NEAR(carried, MASS * (x.v[2] + GRAVITY * H), 1e-12);
    int32_t unique = -1, modes[CONTACTS];
    CHECK_OK(ds_problem_impulses_unique(p, &unique));
    CHECK(unique == (law == DS_CONTACT_CONVEX));
    CHECK_OK(ds_problem_modes(p, modes));
    for (int c = 0; c < CONTACTS; c++) CHECK(modes[c] == DS_MODE_STICKING);
    if (law != DS_CONTACT_CONVEX) {
        /* Along t1 all laws of friction are one: v = v_free - mu g h. It may come as the result's place. */
        d.v_free[0] = 0.5;
        memcpy(x.v, d.v_free, sizeof x.v);
        CHECK_OK(ds_problem_solve(p, CONTACTS, d.A, d.J, x.v, d.target, d.friction, NULL, x.v, x.impulse, NULL));
        CHECK_NEAR(x.v[0], 0.5 - 0.4 * GRAVITY * H, 1e-12);
        CHECK_OK(ds_problem_modes(p, modes));
        for (int c = 0; c < CONTACTS; c++) CHECK(modes[c] == DS_MODE_SLIDING);
        /* dv by v_free is 1 along x and mu along z; by friction -g h, shared by four. */
        const double up[NV] = {0, 0, 1};
        double dv[NV], free_bar[NV], friction_bar[CONTACTS];
        CHECK_OK(ds_problem_jvp(p, NULL, NULL, up, NULL, NULL, NULL, dv, NULL));
        CHECK_NEAR(dv[0], 0.4, 1e-12);
        const double along[NV] = {1};
        CHECK_OK(ds_problem_vjp(p, along, NULL, NULL, NULL, free_bar, NULL, friction_bar, NULL));
        CHECK_NEAR(free_bar[0], 1.0, 1e-12);
        CHECK_NEAR(free_bar[2], 0.4, 1e-12);
        double all = 0.0;
        for (int c = 0; c < CONTACTS; c++) all += friction_bar[c];
        CHECK_NEAR(all, -GRAVITY * H, 1e-12);
        CHECK_OK(ds_problem_info(p, &info));
        CHECK(info.gradient == DS_GRADIENT_EXACT);
    }
    /* One corner alone is asked to go: rigid ones cannot follow. */
    double target[ROWS] = {0};
    target[2] = 1.0;
    CHECK_OK(ds_problem_jvp(p, NULL, NULL, NULL, target, NULL, NULL, NULL, NULL));
    CHECK_OK(ds_problem_info(p, &info));
    CHECK(info.gradient == (law == DS_CONTACT_CONVEX ? DS_GRADIENT_EXACT : DS_GRADIENT_ONE_SIDED));
    ds_problem_free(p);
}

/* Along a direction of everything that the corners can follow: forward, backward and differences. */
static void derivatives(int32_t law) {
    enum { COUNT = sizeof(data) / sizeof(double) };
    ds_problem *p = create(law);
    data d = box(), by = {0}, bars;
    d.v_free[0] = 0.3, d.v_free[1] = -0.1, d.v_free[5] = 0.2, d.friction[1] = 0.3;
    for (int i = 0; i < NV; i++) {
        by.v_free[i] = sin(1.0 + i);
        for (int j = 0; j <= i; j++) by.A[NV * i + j] = by.A[NV * j + i] = 0.01 * sin(2.0 + i + 3 * j);
    }
    for (int c = 0; c < CONTACTS; c++) {
        by.friction[c] = 0.1 * c;
        /* All corners rise alike. */
        by.target[3 * c + 2] = 0.2;
        if (law == DS_CONTACT_CONVEX) {
            by.compliance[3 * c] = by.compliance[3 * c + 1] = 1e-4 * c;
            by.compliance[3 * c + 2] = 3e-3;
        }
    }
    const double *r = law == DS_CONTACT_CONVEX ? by.compliance : NULL;
    answer at, forward, bar, ends[2];
    ds_step_info info;
    CHECK_OK(solve(p, law, &d, &at, NULL));
    CHECK_OK(ds_problem_jvp(p, by.A, by.J, by.v_free, by.target, by.friction, r, forward.v, forward.impulse));
    CHECK_OK(ds_problem_info(p, &info));
    CHECK(info.gradient == DS_GRADIENT_EXACT);
    for (int k = 0; k < NV; k++) bar.v[k] = cos(1.0 + k);
    for (int k = 0; k < ROWS; k++) bar.impulse[k] = cos(3.0 * k);
    double *to_r = law == DS_CONTACT_CONVEX ? bars.compliance : NULL;
    memset(&bars, 0, sizeof bars);
    CHECK_OK(ds_problem_vjp(p, bar.v, bar.impulse, bars.A, bars.J, bars.v_free, bars.target, bars.friction, to_r));
    const double along = dot(forward.v, bar.v, NV) + dot(forward.impulse, bar.impulse, ROWS);
    CHECK_NEAR(dot((const double *)&bars, (const double *)&by, COUNT), along, 1e-10 * (1.0 + fabs(along)));
    for (int side = 0; side < 2; side++) {
        data moved = d;
        for (size_t k = 0; k < COUNT; k++) ((double *)&moved)[k] += (side ? 1e-6 : -1e-6) * ((double *)&by)[k];
        CHECK_OK(solve(p, law, &moved, &ends[side], NULL));
    }
    for (int k = 0; k < NV; k++) CHECK_NEAR(forward.v[k], (ends[1].v[k] - ends[0].v[k]) / 2e-6, 1e-6);
    ds_problem_free(p);
}

/* A reset solver gives the bits of a new one; no contacts are a problem, too. */
static void state(int32_t law) {
    ds_problem *p = create(law), *fresh = create(law);
    data d = box();
    answer x, y;
    d.v_free[0] = 0.7;
    CHECK_OK(solve(p, law, &d, &x, NULL));
    d.v_free[1] = 0.3;
    CHECK_OK(ds_problem_reset(p));
    ds_step_info info;
    CHECK_WRONG(ds_problem_info(p, &info), DS_ERR_NO_STEP, "no problem");
    CHECK_OK(solve(p, law, &d, &x, NULL));
    CHECK_OK(solve(fresh, law, &d, &y, NULL));
    CHECK(memcmp(&x, &y, sizeof x) == 0);
    CHECK_OK(ds_problem_solve(p, 0, d.A, NULL, d.v_free, NULL, NULL, NULL, x.v, NULL, NULL));
    CHECK(memcmp(x.v, d.v_free, sizeof x.v) == 0);
    CHECK_OK(ds_problem_modes(p, NULL));
    CHECK_OK(ds_problem_jvp(p, NULL, NULL, d.v_free, NULL, NULL, NULL, x.v, NULL));
    CHECK(memcmp(x.v, d.v_free, sizeof x.v) == 0);
    ds_problem_free(p);
    ds_problem_free(fresh);
}

static void refusals(int32_t law) {
    ds_problem *p = create(law);
    data d = box(), bad;
    answer x;
    memset(&x, 7, sizeof x);
    const answer poison = x;
    int32_t flag;
    CHECK_WRONG(ds_problem_jvp(p, NULL, NULL, NULL, NULL, NULL, NULL, x.v, NULL), DS_ERR_NO_STEP, "no problem");
    CHECK_WRONG(ds_problem_vjp(p, NULL, NULL, NULL, NULL, x.v, NULL, NULL, NULL), DS_ERR_NO_STEP, "no problem");
    CHECK_WRONG(ds_problem_modes(p, &flag), DS_ERR_NO_STEP, "no problem");
    CHECK_WRONG(ds_problem_impulses_unique(p, &flag), DS_ERR_NO_STEP, "no problem");
#define BAD(field, i, value, status, culprit)               \
    bad = d;                                                \
    bad.field[i] = value;                                   \
    CHECK_WRONG(solve(p, law, &bad, &x, NULL), status, culprit)
    BAD(A, 6, 0.3, DS_ERR_INVALID_ARGUMENT, "A must be symmetric: A[0, 1]");
    BAD(A, 14, -2.0, DS_ERR_INVALID_ARGUMENT, "Cholesky pivot 2");
    BAD(A, 0, NAN, DS_ERR_NUMERICAL, "A[0]");
    BAD(J, 5, INFINITY, DS_ERR_NUMERICAL, "J[5]");
    BAD(v_free, 1, NAN, DS_ERR_NUMERICAL, "v_free[1]");
    BAD(target, 11, NAN, DS_ERR_NUMERICAL, "target[11]");
    BAD(friction, 3, -0.1, DS_ERR_INVALID_ARGUMENT, "friction[3]");
    if (law == DS_CONTACT_CONVEX) {
        BAD(compliance, 2, 0.0, DS_ERR_INVALID_ARGUMENT, "compliance[2]");
        BAD(compliance, 1, 5.0, DS_ERR_INVALID_ARGUMENT, "compliance[1]");
    }
    const double *r = law == DS_CONTACT_CONVEX ? NULL : d.compliance;
    CHECK_INVALID(ds_problem_solve(p, CONTACTS, d.A, d.J, d.v_free, d.target, d.friction, r, x.v, x.impulse, NULL),
                  "compliance");
    r = law == DS_CONTACT_CONVEX ? d.compliance : NULL;
    CHECK_WRONG(ds_problem_solve(p, CONTACTS + 1, d.A, d.J, d.v_free, d.target, d.friction, r, x.v, x.impulse, NULL),
                DS_ERR_CAPACITY, "max_contacts = 4");
    CHECK_WRONG(ds_problem_solve(p, (size_t)-1, d.A, d.J, d.v_free, d.target, d.friction, r, x.v, x.impulse, NULL),
                DS_ERR_CAPACITY, "max_contacts = 4");
    CHECK_INVALID(ds_problem_solve(p, CONTACTS, NULL, d.J, d.v_free, d.target, d.friction, r, x.v, x.impulse, NULL), "A");
    CHECK_INVALID(ds_problem_solve(p, CONTACTS, d.A, d.J, d.v_free, NULL, d.friction, r, x.v, x.impulse, NULL), "target");
    CHECK_INVALID(ds_problem_solve(p, CONTACTS, d.A, d.J, d.v_free, d.target, d.friction, r, NULL, x.impulse, NULL), "v");
    CHECK_INVALID(ds_problem_solve(NULL, 0, d.A, NULL, d.v_free, NULL, NULL, NULL, x.v, NULL, NULL), "problem");
    CHECK(memcmp(&x, &poison, sizeof x) == 0);
    CHECK_OK(solve(p, law, &d, &x, NULL));
    x = poison;
    const double nan[NV] = {NAN};
    CHECK_WRONG(ds_problem_jvp(p, NULL, NULL, nan, NULL, NULL, NULL, x.v, NULL), DS_ERR_NUMERICAL, "dv_free[0]");
    if (law != DS_CONTACT_CONVEX) {
        CHECK_INVALID(ds_problem_jvp(p, NULL, NULL, NULL, NULL, NULL, d.compliance, x.v, NULL), "compliance");
        CHECK_INVALID(ds_problem_vjp(p, x.v, NULL, NULL, NULL, NULL, NULL, NULL, bad.compliance), "compliance");
    }
    CHECK(memcmp(&x, &poison, sizeof x) == 0);
    ds_problem_free(p);
}

/* What is not solved to the tolerance is told, and has no derivative. */
static void unsolved(void) {
    ds_problem_options options;
    ds_problem_options_init(&options);
    options.nv = NV, options.max_iterations = 1;
    ds_problem *p = NULL;
    CHECK_OK(ds_problem_create(&options, &p));
    data d = box();
    d.v_free[0] = 0.1, d.v_free[3] = 3.0, d.v_free[4] = -2.0, d.v_free[5] = 1.0;
    for (int k = 0; k < ROWS; k++) d.target[k] = 0.3 * sin(5.0 * k);
    answer x;
    ds_step_info info;
    CHECK_OK(solve(p, DS_CONTACT_NCP, &d, &x, &info));
    CHECK(info.converged == 0 && info.gradient == DS_GRADIENT_REFUSED);
    CHECK_WRONG(ds_problem_jvp(p, NULL, NULL, NULL, NULL, NULL, NULL, x.v, NULL), DS_ERR_NOT_CONVERGED, "residual");
    ds_problem_free(p);
}

static void options_refused(void) {
    ds_problem_options good;
    ds_problem_options_init(&good);
    ds_problem *p = NULL;
    CHECK_INVALID(ds_problem_create(&good, &p), "options.nv");
    CHECK_INVALID(ds_problem_create(NULL, &p), "options.nv");
    good.nv = NV;
    ds_problem_options o = good;
#define REFUSED(field, value, status, culprit) \
    o = good;                                  \
    o.field = value;                           \
    CHECK_WRONG(ds_problem_create(&o, &p), status, culprit)
    REFUSED(law, DS_CONTACT_PENALTY, DS_ERR_INVALID_ARGUMENT, "options.law");
    REFUSED(law, DS_CONTACT_NONE, DS_ERR_INVALID_ARGUMENT, "options.law");
    REFUSED(reserved, 1, DS_ERR_INVALID_ARGUMENT, "options.reserved");
    REFUSED(tolerance, 0.0, DS_ERR_INVALID_ARGUMENT, "options.tolerance");
    REFUSED(tolerance, NAN, DS_ERR_INVALID_ARGUMENT, "options.tolerance");
    REFUSED(max_iterations, 0, DS_ERR_INVALID_ARGUMENT, "options.max_iterations");
    REFUSED(max_contacts, 0, DS_ERR_INVALID_ARGUMENT, "options.max_contacts");
    REFUSED(max_contacts, (size_t)-1, DS_ERR_CAPACITY, "memory");
    REFUSED(nv, (size_t)-1 / 64, DS_ERR_CAPACITY, "memory");
    REFUSED(struct_size, 8, DS_ERR_INVALID_ARGUMENT, "struct_size");
    CHECK_INVALID(ds_problem_create(&good, NULL), "out");
    CHECK(p == NULL);
    ds_problem_free(NULL);
    ds_problem_options_init(NULL);
}

int main(void) {
    const int32_t laws[] = {DS_CONTACT_NCP, DS_CONTACT_LCP, DS_CONTACT_CONVEX};
    for (int k = 0; k < 3; k++) {
        physics(laws[k]);
        derivatives(laws[k]);
        state(laws[k]);
        refusals(laws[k]);
    }
    unsolved();
    options_refused();
    return report();
}
