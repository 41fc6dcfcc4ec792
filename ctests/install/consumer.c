/* Steps a robot and reads a Jacobian, with the installed library. */
#include <diffsim.h>
#include <stdio.h>
#include <string.h>

static const char *const pendulum =
    "<mujoco><worldbody><body><joint type='hinge' axis='0 1 0'/>"
    "<geom type='sphere' size='0.1' pos='0 0 -1' mass='1'/></body></worldbody></mujoco>";

int main(void) {
    if (ds_abi_version() != DS_ABI_VERSION || strcmp(ds_version_string(), DS_VERSION_STRING) != 0) {
        fprintf(stderr, "the library is not that of the header\n");
        return 1;
    }
    ds_model *model = NULL;
    ds_sim *sim = NULL;
    double q = 0.5, v = 0.0, dv_dq = 0.0;
    const ds_step_jacobians out = {.dv_dq = &dv_dq};
    ds_status status =
        ds_model_load_string(pendulum, strlen(pendulum), DS_FORMAT_MJCF, NULL, &model);
    if (status == DS_OK) status = ds_sim_create(model, NULL, &sim);
    if (status == DS_OK) status = ds_sim_step(sim, &q, &v, NULL, &q, &v);
    if (status == DS_OK) status = ds_sim_step_jacobians(sim, &out);
    if (status == DS_OK) printf("stepped: v = %g, dv/dq = %g\n", v, dv_dq);
    else fprintf(stderr, "%s: %s\n", ds_status_name(status), ds_last_error());
    ds_sim_free(sim);
    ds_model_free(model);
    return status == DS_OK && v < 0.0 && dv_dq < 0.0 ? 0 : 1;
}
