/* The monotonic clock of the system. */
#include "base/clock.h"

#include <time.h>

double rps_clock_seconds(void) {
    struct timespec t = {0, 0};
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}
