/* Output falls on the step nearest to each multiple of its interval, so that no interval drifts, and whether a step is
 * one of them depends on its number alone. */
#include "scene/scene.h"

#include <math.h>

bool rps_schedule_due(double interval, double step, uint64_t number) {
    if (!(interval > 0.0 && step > 0.0)) {
        return false;
    }
    if (interval <= step) return true; /* a quotient of the two might overflow */
    double below = floor((double)number * step / interval);
    for (int k = 0; k < 2; k++) {
        if (floor((below + k) * interval / step + 0.5) == (double)number) {
            return true;
        }
    }
    return false;
}
