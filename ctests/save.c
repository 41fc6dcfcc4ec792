/* Models saved and loaded again: the same steps; refusals leave everything as it was. */
#include "check.h"
#include "diffsim_save.h"

static void same_steps(const ds_model *a, const ds_model *b) {
    enum { MOST = 64 };
    const size_t nq = ds_model_nq(a), nv = ds_model_nv(a);
    CHECK(nq == ds_model_nq(b) && nv == ds_model_nv(b) && ds_model_nu(a) == ds_model_nu(b));
    CHECK(nq <= MOST);
    double q[2][MOST], v[2][MOST], u[MOST];
    ds_sim *sims[2] = {NULL, NULL};
    CHECK_OK(ds_sim_create(a, NULL, &sims[0]));
    CHECK_OK(ds_sim_create(b, NULL, &sims[1]));
    for (int k = 0; k < 2; k++) {
        CHECK_OK(ds_model_keyframe(k ? b : a, "standing", q[k], v[k], u));
        for (int step = 0; step < 20; step++) CHECK_OK(ds_sim_step(sims[k], q[k], v[k], u, q[k], v[k]));
        ds_sim_free(sims[k]);
    }
    CHECK(memcmp(q[0], q[1], nq * sizeof(double)) == 0 && memcmp(v[0], v[1], nv * sizeof(double)) == 0);
}

int main(int argc, char **argv) {
    if (argc != 2) return 2;
    ds_model *model = NULL, *again = NULL;
    ds_saved *saved = NULL;
    CHECK_OK(ds_model_load(model_path(argv, "quadruped.xml"), NULL, &model));
    CHECK_OK(ds_model_save(model, "c_saved.xml", NULL, &saved));
    CHECK(saved != NULL && ds_saved_warning_count(saved) == 0 && ds_saved_warning(saved, 0) == NULL);
    ds_saved_free(saved);
    CHECK_OK(ds_model_load("c_saved.xml", NULL, &again));
    same_steps(model, again);
    ds_model_free(again);

    CHECK_OK(ds_model_save(model, "c_saved.urdf", NULL, &saved));
    const size_t lines = ds_saved_warning_count(saved);
    CHECK(lines > 3);
    int actuators = 0;
    for (size_t i = 0; i < lines; i++) actuators += strstr(ds_saved_warning(saved, i), "actuators are left out: 12") != NULL;
    CHECK(actuators == 1 && ds_saved_warning(saved, lines) == NULL);
    ds_saved_free(saved);
    ds_saved_free(NULL);
    CHECK(ds_saved_warning_count(NULL) == 0 && ds_saved_warning(NULL, 0) == NULL);

    /* The lines may be declined. */
    CHECK_OK(ds_model_save(model, "c_saved.mjcf", NULL, NULL));
    ds_save_options options;
    ds_save_options_init(&options);
    ds_save_options_init(NULL);
    CHECK(options.strict == 0);
    options.strict = 1;
    saved = NULL;
    CHECK_OK(ds_model_save(model, "c_saved.mjcf", &options, NULL));
    CHECK_WRONG(ds_model_save(model, "c_strict.urdf", &options, &saved), DS_ERR_UNSUPPORTED, "actuators");
    options.strict = 2;
    CHECK_INVALID(ds_model_save(model, "c_saved.xml", &options, &saved), "strict");
    options.strict = 0;
    options.reserved = 1;
    CHECK_INVALID(ds_model_save(model, "c_saved.xml", &options, &saved), "reserved");
    options.struct_size = 3;
    CHECK_INVALID(ds_model_save(model, "c_saved.xml", &options, &saved), "struct_size");
    CHECK_WRONG(ds_model_save(model, "c_saved.sdf", NULL, &saved), DS_ERR_UNSUPPORTED, "expected a file .urdf");
    CHECK_WRONG(ds_model_save(model, "nowhere/c_saved.xml", NULL, &saved), DS_ERR_IO, "nowhere");
    CHECK_INVALID(ds_model_save(model, NULL, NULL, &saved), "path");
    CHECK_INVALID(ds_model_save(NULL, "c_saved.xml", NULL, &saved), "model");
    CHECK(saved == NULL);
    ds_model_free(model);
    return report();
}
