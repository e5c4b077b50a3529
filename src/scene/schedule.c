/* Output occurs at the step nearest to each multiple of its interval. So intervals do not drift, and whether a step
 * has output depends only on its number. */
#include "scene/scene.h"

#include <math.h>

bool rps_schedule_due(double interval, double step, uint64_t number) {
    if (!(interval > 0.0 && step > 0.0)) {
        return false;
    }
    if (interval <= step) return true; /* their quotient could overflow */
    double below = floor((double)number * step / interval);
    for (int k = 0; k < 2; k++) {
        if (floor((below + k) * interval / step + 0.5) == (double)number) {
            return true;
        }
    }
    return false;
}
