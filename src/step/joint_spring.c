/* Springs of joints (joint_spring.h). Integrals over a table run from line to line, so that nothing cancels. */
#include "step/joint_spring.h"

/* The line of the table at a position: from row k to row k + 1. */
static size_t line_at(const rps_joint_ends *ends, double position) {
    size_t from = 0, to = ends->table_rows - 1;
    while (to - from > 1) {
        const size_t middle = from + (to - from) / 2;
        if (ends->table[middle][0] <= position) {
            from = middle;
        } else {
            to = middle;
        }
    }
    return from;
}

static double line_slope(const rps_joint_ends *ends, size_t k) {
    const double *a = ends->table[k], *b = ends->table[k + 1];
    return (b[1] - a[1]) / (b[0] - a[0]);
}

static double load_on_line(const rps_joint_ends *ends, size_t k, double position) {
    const double *a = ends->table[k];
    return a[1] + line_slope(ends, k) * (position - a[0]);
}

double rps_joint_spring_mean(const rps_joint_ends *ends, double from, double to) {
    if (ends->table_rows == 0) return -ends->stiffness * (0.5 * (from + to) - ends->rest);
    const double low = from < to ? from : to, high = from < to ? to : from;
    const size_t first = line_at(ends, low), last = line_at(ends, high);
    if (first == last) return load_on_line(ends, first, 0.5 * (from + to));
    double work = 0.0;
    for (size_t k = first; k <= last; k++) {
        const double begin = k == first ? low : ends->table[k][0], end = k == last ? high : ends->table[k + 1][0];
        work += (end - begin) * load_on_line(ends, k, 0.5 * (begin + end));
    }
    return work / (high - low);
}

double rps_joint_spring_stiffness(const rps_joint_ends *ends, double from, double to) {
    if (ends->table_rows == 0) return ends->stiffness;
    const size_t line = line_at(ends, to);
    if (line == line_at(ends, from)) return -line_slope(ends, line);
    return -2.0 * (load_on_line(ends, line, to) - rps_joint_spring_mean(ends, from, to)) / (to - from);
}

double rps_joint_spring_energy(const rps_joint_ends *ends, double position) {
    if (ends->table_rows > 0) return -position * rps_joint_spring_mean(ends, 0.0, position);
    const double drawn = position - ends->rest;
    return 0.5 * ends->stiffness * drawn * drawn;
}

bool rps_joint_is_sprung(const rps_joint_ends *ends) {
    return ends->table_rows > 0 || ends->stiffness > 0.0 || ends->damping > 0.0;
}
