/* Checks that count and go on. */
#ifndef CHECK_H
#define CHECK_H

#include <stdio.h>
#include <string.h>

#include "diffsim.h"

static int checks_made = 0;
static int checks_failed = 0;

#define CHECK(condition)                                                                         \
    do {                                                                                         \
        ++checks_made;                                                                           \
        if (!(condition)) {                                                                      \
            ++checks_failed;                                                                     \
            fprintf(stderr, "%s:%d: %s\n    last error: %s\n", __FILE__, __LINE__, #condition,   \
                    ds_last_error());                                                            \
        }                                                                                        \
    } while (0)

#define CHECK_OK(call) CHECK((call) == DS_OK)

/* |a - b| is at most tol, and neither is NaN. */
#define CHECK_NEAR(a, b, tol) CHECK((a) - (b) <= (tol) && (b) - (a) <= (tol))

/* A call that fails with this status and a message that names the culprit. */
#define CHECK_WRONG(call, status, culprit) \
    CHECK((call) == (status) && strstr(ds_last_error(), (culprit)) != NULL)
#define CHECK_INVALID(call, culprit) CHECK_WRONG(call, DS_ERR_INVALID_ARGUMENT, culprit)

/* The model file `name` of the folder given on the command line. */
static inline const char *model_path(char **argv, const char *name) {
    static char path[4096];
    snprintf(path, sizeof path, "%s/%s", argv[1], name);
    return path;
}

static inline int report(void) {
    printf("%d checks, %d failed\n", checks_made, checks_failed);
    return checks_failed == 0 && checks_made > 0 ? 0 : 1;
}

#endif
