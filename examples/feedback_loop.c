/* A controller at 1 kHz: in each cycle it predicts the next step of a seven-axis arm, reads the step's
 * Jacobian and corrects the torques with it, so that the arm follows a motion while a force pushes its
 * hand. At the end it prints the tracking error, and histograms of the cycles' duration and delay.
 *
 * usage: feedback_loop [SECONDS [FOLDER]]      writes feedback_loop.dsrec there (default: 2 s, target)
 *
 * Linux or another POSIX system.
 */
#define _POSIX_C_SOURCE 200809L
#include <diffsim.h>
#include <diffsim_record.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { N = 7, BINS = 9 }; /* nq = nv = nu */

static const double H = 1e-3, GAIN = 30.0; /* the period [s]; decay rate of a position error [1/s] */
static const double edges[BINS - 1] = {5, 10, 20, 50, 100, 200, 500, 1000}; /* [us] */

typedef struct {
    long count[BINS];
    double largest;
} histogram;

static void record(histogram *h, double us) {
    int bin = 0;
    while (bin < BINS - 1 && us >= edges[bin]) bin++;
    h->count[bin]++;
    h->largest = fmax(h->largest, us);
}

static void show(const char *title, const histogram *h, long cycles) {
    printf("%s, largest %.0f us\n", title, h->largest);
    for (int bin = 0; bin < BINS; bin++) {
        if (bin < BINS - 1) printf("  below %4.0f us %6ld ", edges[bin], h->count[bin]);
        else printf("        longer %6ld ", h->count[bin]);
        for (long i = 0; i < 50 * h->count[bin] / cycles; i++) putchar('#');
        putchar('\n');
    }
}

static double seconds(const struct timespec *t) { return (double)t->tv_sec + 1e-9 * (double)t->tv_nsec; }

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return seconds(&t);
}

/* Moves the deadline on by a period and waits for it. */
static void wait_for(struct timespec *deadline) {
    deadline->tv_nsec += (long)(1e9 * H);
    if (deadline->tv_nsec >= 1000000000L) {
        deadline->tv_nsec -= 1000000000L;
        deadline->tv_sec++;
    }
    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, deadline, NULL) == EINTR) {
    }
}

/* The motion to follow. */
static void reference(double t, double *q, double *v) {
    for (int i = 0; i < N; i++) {
        const double rate = 1.0 + 0.3 * i, start = fmin(1.0, t / 0.5);
        q[i] = 0.4 * start * sin(rate * t);
        v[i] = 0.4 * start * rate * cos(rate * t);
    }
}

/* Solves the symmetric positive definite S x = b in place by Cholesky's method. */
static void solve(double S[N][N], double x[N]) {
    for (int j = 0; j < N; j++) {
        for (int k = 0; k < j; k++) S[j][j] -= S[j][k] * S[j][k];
        S[j][j] = sqrt(S[j][j]);
        for (int i = j + 1; i < N; i++) {
            for (int k = 0; k < j; k++) S[i][j] -= S[i][k] * S[j][k];
            S[i][j] /= S[j][j];
        }
        for (int k = 0; k < j; k++) x[j] -= S[j][k] * x[k];
        x[j] /= S[j][j];
    }
    for (int j = N - 1; j >= 0; j--) {
        for (int i = j + 1; i < N; i++) x[j] -= S[i][j] * x[i];
        x[j] /= S[j][j];
    }
}

/* Torques for which the predicted velocity is the wanted one, starting from those of the last cycle: one
 * damped Newton step on v_next(u) = wanted with B = dv_next/du. */
static ds_status control(ds_sim *sim, double t, const double *q, const double *v, double *u) {
    double q_ref[N], v_ref[N], q_next[N], v_next[N], B[N * N], S[N][N], du[N] = {0};
    const ds_step_jacobians out = {.dv_du = B};
    reference(t + H, q_ref, v_ref);
    ds_status status = ds_sim_step(sim, q, v, u, q_next, v_next);
    if (status == DS_OK) status = ds_sim_step_jacobians(sim, &out);
    if (status != DS_OK) return status;
    for (int i = 0; i < N; i++) {
        const double miss = v_ref[i] + GAIN * (q_ref[i] - q[i]) - v_next[i];
        for (int j = 0; j < N; j++) du[j] += B[i + N * j] * miss;
    }
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            S[i][j] = i == j ? 1e-9 : 0.0;
            for (int k = 0; k < N; k++) S[i][j] += B[k + N * i] * B[k + N * j];
        }
    solve(S, du);
    for (int i = 0; i < N; i++) u[i] += du[i];
    return DS_OK;
}

int main(int argc, char **argv) {
    const double duration = argc > 1 ? atof(argv[1]) : 2.0;
    const long cycles = (long)(duration / H);
    ds_load_options load;
    ds_load_options_init(&load);
    load.actuation = DS_ACTUATION_FULL;
    ds_model *model = NULL;
    ds_sim *predictor = NULL, *arm = NULL;
    ds_recorder *recorder = NULL;
    int32_t deviation = 0;
    ds_status status = ds_model_load("examples/models/arm7.urdf", &load, &model);
    if (status == DS_OK) status = ds_sim_create(model, NULL, &predictor);
    if (status == DS_OK) status = ds_sim_create(model, NULL, &arm);
    if (status == DS_OK) status = ds_recorder_create(model, NULL, &recorder);
    if (status == DS_OK) status = ds_recorder_add_channel(recorder, "deviation [rad]", N, &deviation);

    histogram work = {{0}, 0.0}, late = {{0}, 0.0};
    double q[N] = {0}, v[N] = {0}, u[N] = {0}, worst = 0.0;
    const int32_t hand = (int32_t)ds_model_nbody(model) - 1;
    struct timespec deadline;
    clock_gettime(CLOCK_MONOTONIC, &deadline);
    for (long cycle = 0; status == DS_OK && cycle < cycles; cycle++) {
        const double t = H * (double)cycle;
        wait_for(&deadline);
        const double begin = now();
        record(&late, 1e6 * (begin - seconds(&deadline)));
        status = control(predictor, t, q, v, u);
        record(&work, 1e6 * (now() - begin));

        /* The arm itself, with a push that the predictor does not know. */
        const double push[6] = {0.0, 0.0, fmod(t, 1.0) > 0.7 ? 15.0 : 0.0, 0.0, 0.0, 0.0};
        if (status == DS_OK) status = ds_sim_set_external_wrench(arm, hand, push);
        if (status == DS_OK) status = ds_sim_step(arm, q, v, u, q, v);
        double q_ref[N], v_ref[N], miss[N];
        reference(t + H, q_ref, v_ref);
        for (int i = 0; i < N; i++) {
            miss[i] = q[i] - q_ref[i];
            worst = fmax(worst, fabs(miss[i]));
        }
        if (status == DS_OK) status = ds_recorder_set_channel(recorder, deviation, miss);
        if (status == DS_OK) status = ds_recorder_step(recorder, arm);
    }
    char path[4096];
    snprintf(path, sizeof path, "%s/feedback_loop.dsrec", argc > 2 ? argv[2] : "target");
    if (status == DS_OK) status = ds_recorder_save(recorder, path);
    if (status != DS_OK) fprintf(stderr, "%s: %s\n", ds_status_name(status), ds_last_error());
    else if (cycles > 0) {
        show("a cycle of the controller took", &work, cycles);
        show("it began late by", &late, cycles);
        printf("largest deviation from the motion: %.4f rad in %ld cycles\n", worst, cycles);
    }
    ds_recorder_free(recorder);
    ds_sim_free(arm);
    ds_sim_free(predictor);
    ds_model_free(model);
    return status == DS_OK && worst < 0.05 ? 0 : 1;
}
