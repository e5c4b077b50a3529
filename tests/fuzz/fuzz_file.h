/* A file of a fuzzing program, for readers that take a path; it is removed at the end. */
#ifndef RPS_TESTS_FUZZ_FUZZ_FILE_H
#define RPS_TESTS_FUZZ_FUZZ_FILE_H

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static char fuzz_path[64];

static inline void fuzz_leave_file(void) {
    unlink(fuzz_path);
}

/* Makes the file, empty. */
static inline bool fuzz_make_file(void) {
    snprintf(fuzz_path, sizeof fuzz_path, "/tmp/repose-fuzz-XXXXXX");
    const int file = mkstemp(fuzz_path);
    if (file < 0) return false;
    close(file);
    return atexit(fuzz_leave_file) == 0;
}

static inline bool fuzz_put_file(const void *bytes, size_t count) {
    FILE *file = fopen(fuzz_path, "wb");
    if (!file) return false;
    const bool whole = fwrite(bytes, 1, count, file) == count;
    return fclose(file) == 0 && whole;
}

#endif
