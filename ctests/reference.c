/* Writes trajectories and their derivatives, doubles in the machine's order, for the bindings to repeat
 * bit for bit: reference.c MODELS_DIRECTORY FILE.
 *
 * For each of the models below: a sim with h = 1/512 s and the mass of body 1 as its parameter, from the
 * first keyframe (else the neutral configuration) with v[i] = ((5 i) mod 7 - 3)/8, under the keyframe's u
 * plus u[i] = ((7 i + 3 t) mod 11 - 5)/32 in step t. Written are
 *   in each of 60 steps: q, v;
 *   in every tenth: the Jacobians in the order of ds_step_jacobians, and the gradients (q, v, u, p) of
 *   sum_i ((3 i) mod 5 - 2) q[i] + ((2 i) mod 3 - 1) v[i], q in tangent coordinates;
 * then a rollout of 30 steps from the same state with the same inputs: q, v and the gradients (q0, v0,
 * u, p) of the same sum over all its states. Every number is exact in binary before it comes in. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "diffsim.h"

enum { MAX = 64, STEPS = 60, EVERY = 10, ROLLOUT = 30 };

static const char *const models[] = {"cartpole.xml", "arm7.urdf", "quadruped.xml", "humanoid.xml"};

static FILE *file;
static double q[MAX], v[MAX], u[MAX], q0[MAX], v0[MAX], u0[MAX], inputs[MAX * ROLLOUT];
static double q_bar[MAX * (ROLLOUT + 1)], v_bar[MAX * (ROLLOUT + 1)];
static double q_out[MAX * (ROLLOUT + 1)], v_out[MAX * (ROLLOUT + 1)], u_out[MAX * ROLLOUT], p_out[1];
static double jacobians[8][MAX * MAX];

static void must(ds_status status) {
    if (status != DS_OK) {
        fprintf(stderr, "%s: %s\n", ds_status_name(status), ds_last_error());
        exit(1);
    }
}

static void put(const double *x, size_t n) {
    if (fwrite(x, sizeof *x, n, file) != n) {
        perror("writing");
        exit(1);
    }
}

static void input(size_t nu, size_t t, double *out) {
    for (size_t i = 0; i < nu; i++) out[i] = u0[i] + ((double)((7 * i + 3 * t) % 11) - 5.0) / 32.0;
}

static void write_model(const ds_model *model) {
    const size_t nq = ds_model_nq(model), nv = ds_model_nv(model), nu = ds_model_nu(model);
    const ds_param mass = {.kind = DS_PARAM_BODY_INERTIA, .index = 1, .component = 0};
    ds_options options;
    ds_options_init(&options);
    options.time_step = 1.0 / 512.0;
    ds_sim *sim = NULL;
    must(ds_sim_create(model, &options, &sim));
    must(ds_sim_select_params(sim, &mass, 1));

    memset(u0, 0, sizeof u0);
    must(ds_model_neutral(model, q0));
    if (ds_model_nkeyframe(model) > 0)
        must(ds_model_keyframe(model, ds_model_keyframe_name(model, 0), q0, NULL, u0));
    for (size_t i = 0; i < nv; i++) v0[i] = ((double)((5 * i) % 7) - 3.0) / 8.0;
    for (size_t t = 0; t <= ROLLOUT; t++)
        for (size_t i = 0; i < nv; i++) {
            q_bar[i + nv * t] = (double)((3 * i) % 5) - 2.0;
            v_bar[i + nv * t] = (double)((2 * i) % 3) - 1.0;
        }

    const size_t columns[8] = {nv, nv, nu, 1, nv, nv, nu, 1};
    const ds_step_jacobians out = {jacobians[0], jacobians[1], jacobians[2], jacobians[3],
                                   jacobians[4], jacobians[5], jacobians[6], jacobians[7]};
    memcpy(q, q0, sizeof q);
    memcpy(v, v0, sizeof v);
    for (size_t t = 0; t < STEPS; t++) {
        input(nu, t, u);
        must(ds_sim_step(sim, q, v, u, q, v));
        put(q, nq);
        put(v, nv);
        if (t % EVERY != EVERY - 1) continue;
        must(ds_sim_step_jacobians(sim, &out));
        for (size_t k = 0; k < 8; k++) put(jacobians[k], nv * columns[k]);
        must(ds_sim_step_vjp(sim, q_bar, v_bar, q_out, v_out, u_out, p_out));
        put(q_out, nv);
        put(v_out, nv);
        put(u_out, nu);
        put(p_out, 1);
    }
    ds_sim_free(sim);

    ds_rollout *rollout = NULL;
    must(ds_rollout_create(model, &options, ROLLOUT, &rollout));
    must(ds_rollout_select_params(rollout, &mass, 1));
    for (size_t t = 0; t < ROLLOUT; t++) input(nu, t, inputs + nu * t);
    must(ds_rollout_run(rollout, q0, v0, inputs, ROLLOUT, q_out, v_out));
    put(q_out, nq * (ROLLOUT + 1));
    put(v_out, nv * (ROLLOUT + 1));
    must(ds_rollout_adjoint(rollout, q_bar, v_bar, q_out, v_out, u_out, p_out));
    put(q_out, nv);
    put(v_out, nv);
    put(u_out, nu * ROLLOUT);
    put(p_out, 1);
    ds_rollout_free(rollout);
}

int main(int argc, char **argv) {
    if (argc != 3 || (file = fopen(argv[2], "wb")) == NULL) {
        fprintf(stderr, "usage: %s MODELS_DIRECTORY FILE\n", argv[0]);
        return 1;
    }
    for (size_t i = 0; i < sizeof models / sizeof *models; i++) {
        char path[4096];
        snprintf(path, sizeof path, "%s/%s", argv[1], models[i]);
        ds_load_options load;
        ds_load_options_init(&load);
        load.actuation = strstr(models[i], ".urdf") ? DS_ACTUATION_FULL : DS_ACTUATION_FROM_FILE;
        ds_model *model = NULL;
        must(ds_model_load(path, &load, &model));
        write_model(model);
        ds_model_free(model);
    }
    return fclose(file) == 0 ? 0 : 1;
}
