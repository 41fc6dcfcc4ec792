// Checks that count and go on.
#ifndef CHECK_HPP
#define CHECK_HPP

#include <cstdio>
#include <string>

#include "diffsim.hpp"

inline int checks_made = 0;
inline int checks_failed = 0;

inline void check_that(bool holds, const char *file, int line, const std::string &what) {
    ++checks_made;
    if (holds) return;
    ++checks_failed;
    std::fprintf(stderr, "%s:%d: %s\n", file, line, what.c_str());
}

#define CHECK(condition) check_that(static_cast<bool>(condition), __FILE__, __LINE__, #condition)

/* The call throws diffsim::Error with this status and these words. */
#define CHECK_THROWS(call, wanted, words)                                                       \
    do {                                                                                        \
        std::string got = "nothing";                                                            \
        bool right = false;                                                                     \
        try {                                                                                   \
            call;                                                                               \
        } catch (const diffsim::Error &e) {                                                     \
            got = std::string(diffsim::status_name(e.status())) + ": " + e.what();              \
            right = e.status() == wanted && got.find(words) != std::string::npos;               \
        }                                                                                       \
        check_that(right, __FILE__, __LINE__, std::string(#call) + " threw " + got);            \
    } while (0)

inline int report() {
    std::printf("%d checks, %d failed\n", checks_made, checks_failed);
    return checks_failed == 0 && checks_made > 0 ? 0 : 1;
}

#endif
