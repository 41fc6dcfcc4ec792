/* Sizes that a caller names, in processes that may take 1 GiB: refused with a status and a message. An
 * allocation that fails would end the process with words on standard error; once max_contacts of a million
 * and 100,000 sims did. */
#define _XOPEN_SOURCE 700
#include <stdint.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"

enum { GIB = 1 << 30 };

static const size_t sizes[] = {1000000,      100000000,        (size_t)1 << 32, (size_t)1 << 40,
                               SIZE_MAX / 8, SIZE_MAX / 8 + 1, (size_t)1 << 63, SIZE_MAX};
enum { SIZES = sizeof sizes / sizeof *sizes };

static ds_model *model;
static ds_options options;

static ds_status sim_of(size_t size) {
    ds_sim *sim = NULL;
    options.max_contacts = size;
    const ds_status status = ds_sim_create(model, &options, &sim);
    ds_sim_free(sim);
    return status;
}

static ds_status one_of_two(size_t size, size_t threads) {
    ds_batch *batch = NULL;
    const ds_status status = ds_batch_create(model, &options, size, threads, &batch);
    ds_batch_free(batch);
    return status;
}

static ds_status batch_of(size_t size) { return one_of_two(size, 1); }

static ds_status batch_with_threads(size_t size) { return one_of_two(size, 3); }

static ds_status rollout_of(size_t size) {
    ds_rollout *rollout = NULL;
    const ds_status status = ds_rollout_create(model, &options, size, &rollout);
    ds_rollout_free(rollout);
    return status;
}

static ds_status rollout_with_interval(size_t size) {
    options.checkpoint_interval = size;
    return rollout_of(size);
}

/* Runs the call in a process of its own whose memory is limited. Returns its status, or -1 if the process
 * died or printed anything. */
static int in_process(ds_status (*call)(size_t), size_t size) {
    int ends[2], state = 0;
    char word;
    fflush(NULL);
    if (pipe(ends) != 0) return -1;
    const pid_t child = fork();
    if (child == 0) {
        const struct rlimit limit = {GIB, GIB};
        dup2(ends[1], STDERR_FILENO);
        alarm(60);
        if (setrlimit(RLIMIT_AS, &limit) != 0) _exit(99);
        const ds_status status = call(size);
        if (status != DS_OK && *ds_last_error() == 0) _exit(98);
        _exit((int)status);
    }
    close(ends[1]);
    const int silent = read(ends[0], &word, 1) == 0;
    close(ends[0]);
    if (child < 0 || waitpid(child, &state, 0) != child) return -1;
    return silent && WIFEXITED(state) ? WEXITSTATUS(state) : -1;
}

static void expect(const char *name, ds_status (*call)(size_t), size_t size, int may_succeed) {
    const int got = in_process(call, size);
    ++checks_made;
    if (got != DS_ERR_CAPACITY && !(may_succeed && got == DS_OK)) {
        ++checks_failed;
        fprintf(stderr, "%s of %zu, contact %d: %d\n", name, size, (int)options.contact, got);
    }
}

int main(int argc, char **argv) {
    if (argc != 2) return 2;
    static const char *files[] = {"quadruped.xml", "cartpole.xml"};
    static const ds_contact_law laws[] = {DS_CONTACT_NCP, DS_CONTACT_LCP, DS_CONTACT_CONVEX, DS_CONTACT_NONE};
    for (size_t f = 0; f < 2; ++f) {
        CHECK_OK(ds_model_load(model_path(argv, files[f]), NULL, &model));
        for (size_t l = 0; l < sizeof laws / sizeof *laws; ++l) {
            ds_options_init(&options);
            options.contact = laws[l];
            /* A sim without contact takes no memory for contacts. */
            const int without = laws[l] == DS_CONTACT_NONE;
            for (size_t k = 0; k < SIZES; ++k) expect("sim", sim_of, sizes[k], without);
            options.max_contacts = 0;
            expect("batch", batch_of, 100000, 0);
            expect("batch with threads", batch_with_threads, 100000, 0);
            expect("batch", batch_of, SIZE_MAX / 8, 0);
            /* What each may take fits for all of them, but not with the matrices of large problems. */
            for (size_t count = 50; count < 1000; count += 75) expect("batch", batch_of, count, 1);
            /* A million steps of a small state fit. */
            for (size_t k = 0; k < SIZES; ++k) expect("rollout", rollout_of, sizes[k], k == 0);
            expect("rollout with an interval", rollout_with_interval, SIZE_MAX, 0);
        }
        ds_model_free(model);
    }
    return report();
}
