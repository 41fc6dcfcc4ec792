/* Balances the pole on its cart: the step's Jacobians at the upright state are the A and B of a linear
 * quadratic regulator, whose gain a Riccati iteration finds.
 *
 * usage: lqr_cartpole [FOLDER]       writes lqr_cartpole.dsrec there (default: target)
 */
#include <diffsim.h>
#include <diffsim_record.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { NV = 2, N = 2 * NV }; /* the state (q, v) of cart and pole; one input, the force on the cart */

static const double Q[N] = {1.0, 10.0, 0.1, 0.1}, R = 0.01;

/* A (column-major N×N) and B (N) of x+ = A x + B u about the state (q, v) = 0. */
static ds_status linearize(ds_sim *sim, double A[N * N], double B[N]) {
    const double x[NV] = {0}, u = 0.0;
    double q[NV], v[NV], qq[NV * NV], qv[NV * NV], vq[NV * NV], vv[NV * NV], qu[NV], vu[NV];
    const ds_step_jacobians out = {.dq_dq = qq, .dq_dv = qv, .dq_du = qu,
                                   .dv_dq = vq, .dv_dv = vv, .dv_du = vu};
    ds_status status = ds_sim_step(sim, x, x, &u, q, v);
    if (status == DS_OK) status = ds_sim_step_jacobians(sim, &out);
    for (int j = 0; status == DS_OK && j < NV; j++) {
        for (int i = 0; i < NV; i++) {
            A[i + N * j] = qq[i + NV * j];
            A[i + N * (NV + j)] = qv[i + NV * j];
            A[NV + i + N * j] = vq[i + NV * j];
            A[NV + i + N * (NV + j)] = vv[i + NV * j];
        }
        B[j] = qu[j];
        B[NV + j] = vu[j];
    }
    return status;
}

/* C = op(A) B, N×N each; op transposes where `transposed`. */
static void multiply(const double *A, int transposed, const double *B, double *C) {
    for (int j = 0; j < N; j++)
        for (int i = 0; i < N; i++) {
            double sum = 0.0;
            for (int k = 0; k < N; k++) sum += (transposed ? A[k + N * i] : A[i + N * k]) * B[k + N * j];
            C[i + N * j] = sum;
        }
}

/* The fixed point P of the Riccati equation and the gain K = (R + B'PB)^-1 B'PA, by
 * P = Q + K'RK + (A - BK)'P(A - BK), the form in which round-off keeps P symmetric and positive. Returns
 * the number of iterations, 0 if it has not settled. */
static int riccati(const double *A, const double *B, double *P, double *K) {
    memset(P, 0, N * N * sizeof *P);
    for (int iteration = 1; iteration <= 10000; iteration++) {
        double PB[N] = {0}, BPB = 0.0, closed[N * N], PC[N * N], next[N * N], change = 0.0;
        for (int j = 0; j < N; j++)
            for (int i = 0; i < N; i++) PB[i] += P[i + N * j] * B[j];
        for (int i = 0; i < N; i++) BPB += B[i] * PB[i];
        for (int j = 0; j < N; j++) {
            K[j] = 0.0;
            for (int i = 0; i < N; i++) K[j] += PB[i] * A[i + N * j] / (R + BPB);
            for (int i = 0; i < N; i++) closed[i + N * j] = A[i + N * j] - B[i] * K[j];
        }
        multiply(P, 0, closed, PC);
        multiply(closed, 1, PC, next);
        for (int j = 0; j < N; j++)
            for (int i = 0; i < N; i++) {
                next[i + N * j] += (i == j ? Q[i] : 0.0) + R * K[i] * K[j];
                change = fmax(change, fabs(next[i + N * j] - P[i + N * j]) / (1.0 + fabs(P[i + N * j])));
            }
        memcpy(P, next, sizeof next);
        if (change < 1e-12) return iteration;
    }
    return 0;
}

/* Runs the regulator for 8 s, prints and records the motion. Returns whether the pole ends
 * at rest. */
static int balance(ds_sim *sim, ds_recorder *recorder, const double *P, const double *K, double h) {
    double q[NV] = {0.5, 0.25}, v[NV] = {0}, cost = 0.0, predicted = 0.0;
    const double start[N] = {q[0], q[1], 0.0, 0.0};
    for (int j = 0; j < N; j++)
        for (int i = 0; i < N; i++) predicted += start[i] * P[i + N * j] * start[j];
    printf("  t [s]  cart [m]  pole [rad]  force [N]\n");
    for (int t = 0; t * h <= 8.0; t++) {
        const double x[N] = {q[0], q[1], v[0], v[1]};
        double u = 0.0;
        for (int i = 0; i < N; i++) {
            u -= K[i] * x[i];
            cost += Q[i] * x[i] * x[i];
        }
        u = fmax(-10.0, fmin(10.0, u)); /* the motor's range */
        cost += R * u * u;
        if (t % 100 == 0) printf("%7.2f %9.4f %11.5f %10.4f\n", t * h, q[0], q[1], u);
        if (ds_sim_step(sim, q, v, &u, q, v) != DS_OK || ds_recorder_step(recorder, sim) != DS_OK) return 0;
    }
    printf("cost %.2f; the linear model with an unbounded force predicts %.2f\n", cost, predicted);
    return fabs(q[0]) < 1e-3 && fabs(q[1]) < 1e-3 && fabs(v[0]) < 1e-3 && fabs(v[1]) < 1e-3;
}

int main(int argc, char **argv) {
    ds_model *model = NULL;
    ds_sim *sim = NULL;
    ds_recorder *recorder = NULL;
    ds_options options;
    ds_options_init(&options);
    options.time_step = 0.01;
    double A[N * N], B[N], P[N * N], K[N];
    ds_status status = ds_model_load("examples/models/cartpole.xml", NULL, &model);
    if (status == DS_OK) status = ds_sim_create(model, &options, &sim);
    if (status == DS_OK) status = ds_recorder_create(model, NULL, &recorder);
    if (status == DS_OK) status = linearize(sim, A, B);
    int stands = 0;
    if (status == DS_OK) {
        const int iterations = riccati(A, B, P, K);
        printf("gain after %d Riccati iterations: %.3f %.3f %.3f %.3f\n", iterations, K[0], K[1], K[2], K[3]);
        stands = iterations > 0 && balance(sim, recorder, P, K, options.time_step);
        printf("%s\n", stands ? "the pole stands" : "the pole does not stand");
        char path[4096];
        snprintf(path, sizeof path, "%s/lqr_cartpole.dsrec", argc > 1 ? argv[1] : "target");
        status = ds_recorder_save(recorder, path);
    }
    if (status != DS_OK) {
        fprintf(stderr, "%s: %s\n", ds_status_name(status), ds_last_error());
    }
    ds_recorder_free(recorder);
    ds_sim_free(sim);
    ds_model_free(model);
    return status == DS_OK && stands ? 0 : 1;
}
