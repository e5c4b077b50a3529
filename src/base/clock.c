/* Clocks of the system. */
#include "base/clock.h"

#include <time.h>

static double clock_read(clockid_t clock) {
    struct timespec t = {0, 0};
    clock_gettime(clock, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

double rps_clock_seconds(void) {
    return clock_read(CLOCK_MONOTONIC);
}

double rps_clock_processor_seconds(void) {
    return clock_read(CLOCK_PROCESS_CPUTIME_ID);
}
