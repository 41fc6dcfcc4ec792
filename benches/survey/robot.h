/* Shared code of the survey's programs: loading any robot, and configurations to start from. */
#ifndef ROBOT_H
#define ROBOT_H

#include "../peers/ours.h"
#include <string.h>

static const ds_contact_law LAWS[] = {DS_CONTACT_NCP, DS_CONTACT_CONVEX};
static const char *const LAW_NAMES[] = {"ncp", "convex"};

/* Uniform in [0, 1): the same numbers on any machine. */
static uint64_t seed = 1;
static inline double uniform(void) {
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(seed >> 11) / 9007199254740992.0;
}

static inline ds_model *load_any(const char *path, const char *base, int ground, const char *mesh_dir) {
    ds_load_options o;
    ds_load_options_init(&o);
    o.base = !strcmp(base, "free") ? DS_BASE_FREE : DS_BASE_FROM_FILE;
    o.actuation = DS_ACTUATION_FULL;
    o.ground_plane = ground;
    o.mesh_dirs = &mesh_dir;
    o.mesh_dir_count = 1;
    o.mimic = DS_MIMIC_COUPLE;
    o.open_mesh = DS_OPEN_MESH_HULL;
    ds_model *model = NULL;
    ds_status status = ds_model_load(path, &o, &model);
    if (status) {
        o.missing_mesh = DS_MISSING_MESH_SKIP;
        status = ds_model_load(path, &o, &model);
    }
    if (status) {
        char text[400];
        snprintf(text, sizeof text, "%s", ds_last_error());
        for (char *c = text; *c; c++)
            if (*c == '"' || *c == '\\' || (unsigned char)*c < ' ') *c = '\'';
        printf("{\"refused\": \"%s: %s\"}\n", ds_status_name(status), text);
        exit(0);
    }
    return model;
}

static inline double largest(const double *x, size_t n) {
    double m = 0;
    for (size_t i = 0; i < n; i++) m = fmax(m, fabs(x[i]));
    return m;
}

/* Lets a free base down, or lifts it, until the lowest geom touches the ground. */
static inline void stand(const ds_model *model, ds_sim *sim, int32_t base_q, double *q) {
    int32_t ground = ds_model_geom_id(model, "ground");
    if (ground < 0) ground = ds_model_geom_id(model, "floor");
    if (ground < 0 || base_q < 0) return;
    double lowest = INFINITY;
    for (int32_t g = 0; g < (int32_t)ds_model_ngeom(model); g++) {
        ds_distance d;
        if (g == ground || !ds_model_pair_enabled(model, ground < g ? ground : g, ground < g ? g : ground)) continue;
        if (ds_sim_distance(sim, ground, g, q, &d, NULL) == DS_OK) lowest = fmin(lowest, d.distance);
    }
    if (isfinite(lowest)) q[base_q + 2] -= lowest;
}

static inline void random_configuration(const ds_model *model, ds_sim *sim, int32_t base_q, double *q) {
    for (int32_t j = 0; j < (int32_t)ds_model_njoint(model); j++) {
        const int32_t nq = ds_model_joint_nq(model, j), at = ds_model_joint_q_index(model, j);
        double *x = q + at, limits[2];
        check(ds_model_joint_limits(model, j, limits), "ds_model_joint_limits");
        if (nq == 1) {
            const double low = fmax(limits[0], -3), high = fmin(limits[1], 3);
            *x = low + (high - low) * uniform();
        } else if (nq == 4 || nq == 7) {
            double *quaternion = x + nq - 4, norm = 0;
            for (int k = 0; k < 4; k++) quaternion[k] = uniform() - 0.5;
            for (int k = 0; k < 4; k++) norm += quaternion[k] * quaternion[k];
            for (int k = 0; k < 4; k++) quaternion[k] /= sqrt(norm);
        }
    }
    stand(model, sim, base_q, q);
}

/* Where the first free joint's coordinates are, -1 without any. */
static inline int32_t free_base(const ds_model *model) {
    for (int32_t j = 0; j < (int32_t)ds_model_njoint(model); j++)
        if (ds_model_joint_type(model, j) == DS_JOINT_FREE) return ds_model_joint_q_index(model, j);
    return -1;
}

#endif
