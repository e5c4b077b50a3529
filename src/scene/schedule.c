/* Output occurs at the step nearest to each multiple of its interval. So intervals do not drift, and whether a step
 * has output depends only on its number. */
#include "scene/scene.h"

#include <math.h>

bool rps_schedule_due(double interval, rps_step_clock clock, uint64_t number) {
    const double step = clock.step;
    if (!(interval > 0.0 && step > 0.0)) {
        return false;
    }
    if (interval <= step) return true; /* their quotient could overflow */
    double below = floor(rps_step_time(clock, number) / interval);
    for (int k = 0; k < 2; k++) {
        if (floor(((below + k) * interval - clock.time) / step + 0.5) == (double)number - (double)clock.number) {
            return true;
        }
    }
    return false;
}

bool rps_schedule_at(double time, rps_step_clock clock, uint64_t number) {
    return clock.step > 0.0 && floor((time - clock.time) / clock.step + 0.5) == (double)number - (double)clock.number;
}
