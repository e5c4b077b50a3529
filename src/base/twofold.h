/*
 * A sum of doubles kept in two of them (Dekker 1971, Knuth): each addition errs by about 2^-106 of the sum. For the many sums
 * whose terms come in a fixed order; where the order may vary, use exact_sum.h.
 */
#ifndef RPS_BASE_TWOFOLD_H
#define RPS_BASE_TWOFOLD_H

typedef struct rps_twofold {
    double high, low; /* the sum is high + low; high is it rounded */
} rps_twofold;

static inline void rps_twofold_add(rps_twofold *sum, double x) {
    const double s = sum->high + x, back = s - sum->high;
    const double rest = ((sum->high - (s - back)) + (x - back)) + sum->low;
    sum->high = s + rest;
    sum->low = rest - (sum->high - s);
}

#endif
