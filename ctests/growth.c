/* Structs that may grow without a break: contacts lie ds_contact_size() apart, and the reserved words of
 * ds_step_info are zero. */
#include <math.h>
#include <stdlib.h>

#include "check.h"

enum { NQ = 21, NV = 18, LAWS = 5, INTEGRATORS = 7, STEPS = 5 };

/* Two boxes and a ball on the ground: nine contacts. */
static const char scene[] =
    "<mujoco><worldbody><geom name='ground' type='plane' size='0 0 1'/>"
    "<body pos='0 0 0.099'><freejoint/><geom type='box' size='0.1 0.2 0.1'/></body>"
    "<body pos='1 0 0.099'><freejoint/><geom type='box' size='0.1 0.2 0.1'/></body>"
    "<body pos='0 1 0.099'><freejoint/><geom type='sphere' size='0.1'/></body></worldbody></mujoco>";

static void check_room(const ds_step_info *info) {
    const size_t words = sizeof info->reserved / sizeof *info->reserved;
    for (size_t i = 0; i < words; i++) CHECK(info->reserved[i] == 0);
}

static void check_contacts(const ds_model *model, const ds_sim *sim) {
    const ds_contact *first = NULL;
    size_t count = 0;
    CHECK_OK(ds_sim_contacts(sim, &first, &count));
    const size_t stride = ds_contact_size();
    for (size_t i = 0; i < count; i++) {
        const ds_contact *c = (const ds_contact *)((const char *)first + i * stride);
        CHECK(c->geom_a >= 0 && (size_t)c->geom_a < ds_model_ngeom(model));
        CHECK(c->geom_b > c->geom_a && (size_t)c->geom_b < ds_model_ngeom(model));
        CHECK_NEAR(fabs(c->normal[2]), 1.0, 1e-12);
        CHECK(c->gap > -2e-3 && c->gap < 1e-3 && c->at_bound == 0);
    }
}

/* Whether the law and the integrator are in this version. */
static int taken(const ds_model *model, int32_t law, int32_t integrator) {
    ds_options options;
    ds_options_init(&options);
    options.time_step = 1e-3;
    options.contact = law;
    options.integrator = integrator;
    ds_sim *sim = NULL;
    const ds_status status = ds_sim_create(model, &options, &sim);
    if (status == DS_ERR_UNSUPPORTED) return 0;
    CHECK_OK(status);
    if (sim == NULL) exit(report());
    double q[NQ], v[NV] = {0.1, 0.0, -0.1};
    CHECK_OK(ds_model_neutral(model, q));
    if (integrator == DS_INTEGRATOR_BDF2) {
        CHECK(ds_sim_step(sim, q, v, NULL, q, v) == DS_ERR_UNSUPPORTED);
        ds_sim_free(sim);
        return 0;
    }
    for (int k = 0; k < STEPS; k++) {
        CHECK_OK(ds_sim_step(sim, q, v, NULL, q, v));
        ds_step_info info;
        memset(&info, 0xff, sizeof info);
        CHECK_OK(ds_sim_step_info(sim, &info));
        CHECK(info.contacts == (law == DS_CONTACT_NONE ? 0 : 9));
        check_room(&info);
        check_contacts(model, sim);
    }
    ds_sim_free(sim);

    ds_batch *batch = NULL;
    CHECK_OK(ds_batch_create(model, &options, 1, 1, &batch));
    CHECK_OK(ds_batch_step(batch, q, v, NULL, q, v, NULL));
    ds_step_info info;
    memset(&info, 0xff, sizeof info);
    CHECK_OK(ds_batch_step_info(batch, 0, &info));
    check_room(&info);
    ds_batch_free(batch);
    return 1;
}

int main(void) {
    ds_model *model = NULL;
    CHECK_OK(ds_model_load_string(scene, strlen(scene), DS_FORMAT_MJCF, NULL, &model));
    if (model == NULL) return report();
    CHECK(ds_model_nq(model) == NQ && ds_model_nv(model) == NV && ds_model_nu(model) == 0);
    CHECK(ds_contact_size() >= sizeof(ds_contact) && ds_contact_size() % sizeof(double) == 0);
    int pairs = 0;
    for (int32_t law = 0; law < LAWS; law++)
        for (int32_t integrator = 0; integrator < INTEGRATORS; integrator++) pairs += taken(model, law, integrator);
    CHECK(pairs >= 6);
    ds_model_free(model);
    return report();
}
