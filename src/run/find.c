/* Bisection of a parameter between two outcomes. It is a pure function of the runs made so far, so a resumed
 * bisection continues as if never stopped. It finds one change; if the outcome changes more than once, which one is
 * unspecified. */
#include "run/sweep_state.h"

#include <math.h>
#include <stdlib.h>

/* The midpoint, rounded as printed, so that the table shows exactly the value that was run. */
static double middle(double low, double high) {
    rps_text text;
    double value = 0.5 * (low + high);
    rps_text_init(&text, NULL, 64);
    if (rps_text_addf(&text, NULL, "%.12g", value) == RPS_OK) rps_parse_double(rps_text_string(&text), &value, NULL);
    rps_text_release(&text);
    return value;
}

bool rps_find_next(const sweep_state *sweep, const sweep_point *point, double *tried, sweep_found *found) {
    const sweep_find *find = &sweep->find;
    double low = find->low, high = find->high;
    *found = (sweep_found){NAN, NAN, NAN, NULL};
    for (size_t k = 0; k < point->records; k++) {
        const sweep_record *record = &point->record[k];
        if (record->failure) {
            found->failure = record->failure;
            return false;
        }
        bool yes = record->value[0] != 0.0;
        if (k == 1 && yes == (point->record[0].value[0] != 0.0)) {
            found->failure = yes ? "the outcome is yes at both ends" : "the outcome is no at both ends";
            return false;
        }
        if (k > 1) *(yes == (point->record[0].value[0] != 0.0) ? &low : &high) = record->tried;
    }
    if (point->records < 2) {
        *tried = point->records ? high : low;
        return true;
    }
    double next = middle(low, high);
    if (high - low > find->within && low < next && next < high) {
        *tried = next;
        return true;
    }
    *found = (sweep_found){next, low, high, NULL};
    return false;
}
