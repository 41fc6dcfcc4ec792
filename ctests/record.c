/* Recordings: frames of sims, rollouts and batches in memory and in files. record MODELS */
#include <math.h>
#include <string.h>

#include "check.h"
#include "diffsim_record.h"

enum { NQ = 19, NV = 18, NU = 12, STEPS = 40 };

static ds_model *model;

/* The number of frames in the chunks of a recording, or -1 where a chunk does not end where the next begins.
 * */
static long frames_in(const uint8_t *bytes, size_t size) {
    static const uint8_t signature[8] = {0x89, 'D', 'S', 'R', '\r', '\n', 0x1a, '\n'};
    if (size < 8 || memcmp(bytes, signature, 8) != 0) return -1;
    long frames = 0;
    size_t at = 8;
    while (at + 16 <= size) {
        uint64_t length, count;
        memcpy(&length, bytes + at + 8, 8);
        if (length % 8 != 0 || length > size - at - 16) return -1;
        if (memcmp(bytes + at, "FRMS", 4) == 0) {
            memcpy(&count, bytes + at + 16, 8);
            frames += (long)count;
        }
        at += 16 + length;
    }
    return at == size ? frames : -1;
}

static ds_recorder *every_step(size_t capacity) {
    ds_recorder_options options;
    ds_recorder_options_init(&options);
    CHECK(options.rate == 60.0 && options.capacity == (size_t)1 << 24);
    options.rate = 0.0;
    options.capacity = capacity;
    ds_recorder *recorder = NULL;
    CHECK(ds_recorder_create(model, &options, &recorder) == DS_OK);
    return recorder;
}

/* Steps with a recorder or without, to the same end. */
static void run(ds_recorder *recorder, double *q, double *v) {
    double u[NU] = {0};
    ds_sim *sim = NULL;
    CHECK(ds_sim_create(model, NULL, &sim) == DS_OK);
    CHECK(ds_model_keyframe(model, "standing", q, v, u) == DS_OK);
    for (int k = 0; k < STEPS; k++) {
        CHECK(ds_sim_step(sim, q, v, u, q, v) == DS_OK);
        if (recorder) CHECK(ds_recorder_step(recorder, sim) == DS_OK);
    }
    ds_sim_free(sim);
}

static void a_run(void) {
    double q[NQ], v[NV], q1[NQ], v1[NV], value = 3.5;
    ds_recorder *recorder = every_step((size_t)1 << 20);
    int32_t channel = -1;
    CHECK(ds_recorder_add_channel(recorder, "value", 1, &channel) == DS_OK && channel == 0);
    CHECK(ds_recorder_set_channel(recorder, channel, &value) == DS_OK);
    CHECK(ds_recorder_set_channel(recorder, 1, &value) == DS_ERR_INVALID_ARGUMENT);
    run(NULL, q, v);
    run(recorder, q1, v1);
    CHECK(memcmp(q, q1, sizeof q) == 0 && memcmp(v, v1, sizeof v) == 0);
    CHECK(ds_recorder_warning_count(recorder) == 0 && !ds_recorder_warning(recorder, 0));
    CHECK(ds_recorder_warning_count(NULL) == 0 && !ds_recorder_warning(NULL, 0));
    CHECK(ds_recorder_frames(recorder) == STEPS + 1 && ds_recorder_dropped(recorder) == 0);

    const uint8_t *bytes = NULL;
    size_t size = 0;
    CHECK(ds_recorder_bytes(recorder, &bytes, &size) == DS_OK);
    CHECK(frames_in(bytes, size) == STEPS + 1);
    /* The last frame holds the last state. */
    size_t found = 0;
    for (size_t at = 0; at + sizeof q <= size; at += 8) found += memcmp(bytes + at, q, sizeof q) == 0;
    CHECK(found == 1);
    CHECK(ds_recorder_state(recorder, 1.0, q, v) == DS_OK && ds_recorder_frames(recorder) == STEPS + 2);
    ds_recorder_free(recorder);
}

static void files(const char *path) {
    double q[NQ], v[NV];
    ds_recorder *recorder = every_step(64 << 10);
    CHECK(ds_recorder_open(recorder, path) == DS_OK);
    CHECK(ds_recorder_open(recorder, path) == DS_ERR_INVALID_ARGUMENT);
    CHECK(ds_recorder_add_channel(recorder, "late", 1, NULL) == DS_ERR_INVALID_ARGUMENT);
    run(recorder, q, v);
    CHECK(ds_recorder_flush(recorder) == DS_OK && ds_recorder_dropped(recorder) == 0);
    ds_recorder_free(recorder);
    static uint8_t bytes[1 << 20];
    FILE *file = fopen(path, "rb");
    CHECK(file != NULL);
    const size_t size = file ? fread(bytes, 1, sizeof bytes, file) : 0;
    if (file) fclose(file);
    CHECK(frames_in(bytes, size) == STEPS + 1);

    recorder = every_step(64 << 10);
    run(recorder, q, v);
    CHECK(ds_recorder_dropped(recorder) > 0);
    CHECK(ds_recorder_save(recorder, path) == DS_OK);
    CHECK(ds_recorder_save(recorder, "/no such folder/a") == DS_ERR_IO);
    ds_recorder_free(recorder);
    remove(path);
}

static void rollouts_and_batches(void) {
    double q[2 * NQ], v[2 * NV], u[2 * NU] = {0}, bar[NV] = {1.0}, u_bar[2 * NU] = {1.0};
    ds_recorder *recorder = every_step((size_t)1 << 20);
    ds_rollout *rollout = NULL;
    ds_batch *batch = NULL;
    CHECK(ds_model_keyframe(model, "standing", q, v, NULL) == DS_OK);
    CHECK(ds_rollout_create(model, NULL, 2, &rollout) == DS_OK);
    CHECK(ds_recorder_rollout(recorder, rollout, NULL, NULL, NULL) == DS_ERR_NO_STEP);
    CHECK(ds_rollout_run(rollout, q, v, u, 2, NULL, NULL) == DS_OK);
    CHECK(ds_recorder_rollout(recorder, rollout, bar, bar, u_bar) == DS_OK);
    CHECK(ds_recorder_frames(recorder) == 3);
    ds_rollout_free(rollout);
    memcpy(q + NQ, q, NQ * sizeof *q);
    memcpy(v + NV, v, NV * sizeof *v);
    CHECK(ds_batch_create(model, NULL, 2, 1, &batch) == DS_OK);
    CHECK(ds_recorder_batch_step(recorder, batch, 1) == DS_ERR_NO_STEP);
    CHECK(ds_batch_step(batch, q, v, u, q, v, NULL) == DS_OK);
    CHECK(ds_recorder_batch_step(recorder, batch, 1) == DS_OK);
    CHECK(ds_recorder_batch_step(recorder, batch, 2) == DS_ERR_INVALID_ARGUMENT);
    CHECK(ds_recorder_frames(recorder) == 4);
    ds_batch_free(batch);
    ds_recorder_free(recorder);
}

static void bad_calls(void) {
    double q[NQ], v[NV] = {0}, point[3] = {0};
    const uint8_t *bytes = NULL;
    size_t size = 0;
    ds_recorder_options options;
    ds_recorder_options_init(&options);
    ds_recorder_options_init(NULL);
    ds_recorder *recorder = NULL;
    options.rate = -1.0;
    CHECK(ds_recorder_create(model, &options, &recorder) == DS_ERR_INVALID_ARGUMENT && !recorder);
    ds_recorder_options_init(&options);
    options.capacity = SIZE_MAX / 2;
    CHECK(ds_recorder_create(model, &options, &recorder) == DS_ERR_CAPACITY && !recorder);
    CHECK(ds_recorder_create(NULL, NULL, &recorder) == DS_ERR_INVALID_ARGUMENT && !recorder);
    CHECK(ds_recorder_create(model, NULL, NULL) == DS_ERR_INVALID_ARGUMENT);
    CHECK(ds_recorder_create(model, NULL, &recorder) == DS_OK);
    CHECK(ds_recorder_step(recorder, NULL) == DS_ERR_INVALID_ARGUMENT);
    CHECK(ds_recorder_step(NULL, NULL) == DS_ERR_INVALID_ARGUMENT);
    CHECK(ds_recorder_flush(NULL) == DS_ERR_INVALID_ARGUMENT);
    CHECK(ds_recorder_flush(recorder) == DS_OK);
    CHECK(ds_recorder_add_channel(recorder, NULL, 1, NULL) == DS_ERR_INVALID_ARGUMENT);
    CHECK(ds_recorder_add_channel(recorder, "none", 0, NULL) == DS_ERR_INVALID_ARGUMENT);
    CHECK(ds_recorder_add_visuals(recorder, "/no/robot.urdf", NULL, NULL) == DS_ERR_IO);
    CHECK(ds_recorder_add_visuals(recorder, "robot.stl", NULL, NULL) == DS_ERR_UNSUPPORTED);
    CHECK(ds_recorder_bytes(recorder, NULL, &size) == DS_ERR_INVALID_ARGUMENT);
    CHECK(ds_recorder_bytes(recorder, &bytes, &size) == DS_OK && frames_in(bytes, size) == 0);
    CHECK(ds_model_neutral(model, q) == DS_OK);
    CHECK(ds_recorder_state(recorder, 0.0, NULL, v) == DS_ERR_INVALID_ARGUMENT);
    q[3] = 9.0;
    CHECK(ds_recorder_state(recorder, 0.0, q, v) == DS_ERR_INVALID_ARGUMENT);
    q[3] = NAN;
    CHECK(ds_recorder_state(recorder, 0.0, q, v) == DS_ERR_NUMERICAL);
    CHECK(ds_recorder_set_gradient(recorder, 3, v) == DS_ERR_INVALID_ARGUMENT);
    CHECK(ds_recorder_set_gradient(recorder, DS_QUANTITY_POSE, v) == DS_OK);
    CHECK(ds_recorder_add_arrow(recorder, 99, point, point) == DS_ERR_INVALID_ARGUMENT);
    for (int k = 0; k < 64; k++) CHECK(ds_recorder_add_arrow(recorder, 1, point, point) == DS_OK);
    CHECK(ds_recorder_add_arrow(recorder, 1, point, point) == DS_ERR_CAPACITY);
    const double corners[9] = {0, 0, 0, 1, 0, 0, 0, 1, 0}, bad_corners[3] = {0, NAN, 0};
    const uint32_t inside[3] = {0, 1, 2}, outside[3] = {0, 1, 3};
    const float red[4] = {1, 0, 0, 1}, bright[4] = {1, 0, 0, 1.5F};
    const ds_status wrong = DS_ERR_INVALID_ARGUMENT;
    CHECK(ds_recorder_surface(NULL, "a", corners, 3, inside, 1, red) == wrong);
    CHECK(ds_recorder_surface(recorder, NULL, corners, 3, inside, 1, red) == wrong);
    CHECK(ds_recorder_surface(recorder, "a", NULL, 3, inside, 1, red) == wrong);
    CHECK(ds_recorder_surface(recorder, "a", corners, 3, NULL, 1, red) == wrong);
    CHECK(ds_recorder_surface(recorder, "a", corners, 3, inside, 1, NULL) == wrong);
    CHECK(ds_recorder_surface(recorder, "a", corners, 3, outside, 1, red) == wrong);
    CHECK(strstr(ds_last_error(), "triangles[2]") != NULL);
    CHECK(ds_recorder_surface(recorder, "a", corners, 3, inside, 1, bright) == wrong);
    CHECK(ds_recorder_surface(recorder, "a", bad_corners, 1, NULL, 0, red) == DS_ERR_NUMERICAL);
    CHECK(strstr(ds_last_error(), "points[1]") != NULL);
    CHECK(ds_recorder_surface(recorder, "a", corners, SIZE_MAX / 2, inside, 1, red) == wrong);
    CHECK(ds_recorder_surface(recorder, "a", corners, 3, inside, 1, red) == DS_OK);
    CHECK(ds_recorder_surface(recorder, "a", NULL, 0, NULL, 0, NULL) == DS_OK);
    CHECK(ds_recorder_frames(recorder) == 0 && ds_recorder_frames(NULL) == 0);
    CHECK(ds_recorder_dropped(NULL) == 0);
    ds_recorder_free(recorder);
    ds_recorder_free(NULL);
}

int main(int argc, char **argv) {
    if (argc != 2) return 2;
    char path[64];
    CHECK_OK(ds_model_load(model_path(argv, "quadruped.xml"), NULL, &model));
    a_run();
    snprintf(path, sizeof path, "record_%p.dsrec", (void *)&model);
    files(path);
    rollouts_and_batches();
    bad_calls();
    ds_model_free(model);
    return report();
}
