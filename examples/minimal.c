#include <diffsim.h>
#include <stdio.h>

int main(void) {
    ds_load_options load;
    ds_load_options_init(&load);
    load.actuation = DS_ACTUATION_FULL; /* one motor on each joint */
    ds_model *model = NULL;
    ds_sim *sim = NULL;
    if (ds_model_load("examples/models/arm7.urdf", &load, &model) != DS_OK ||
        ds_sim_create(model, NULL, &sim) != DS_OK) {
        fprintf(stderr, "%s\n", ds_last_error());
        return 1;
    }

    enum { N = 7 }; /* this arm: nq = nv = nu = 7 */
    double q[N], v[N] = {0}, u[N] = {0}, A[N * N], B[N * N];
    ds_model_neutral(model, q);
    u[1] = 2.0;
    const ds_step_jacobians out = {.dv_dv = A, .dv_du = B};
    ds_status status = ds_sim_step(sim, q, v, u, q, v); /* in place */
    if (status == DS_OK) status = ds_sim_step_jacobians(sim, &out);
    if (status == DS_OK)
        printf("v[1] = %g rad/s, dv[1]/du[1] = %g rad/s per N m\n", v[1], B[1 + N * 1]);
    else
        fprintf(stderr, "%s: %s\n", ds_status_name(status), ds_last_error());

    ds_sim_free(sim);
    ds_model_free(model);
    return status == DS_OK ? 0 : 1;
}
