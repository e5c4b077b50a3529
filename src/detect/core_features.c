/* Vertices and edges of cores in the axes of the cores; pair_core.h describes the model. */
#include "detect/core_features.h"

#include <math.h>

#include "detect/pair_core.h"

/* Parameters of pair_core.h: how much thinner an edge is at its ends, over the core's smallest half width; and the
 * overlap, over the smallest width of both, up to which edges that meet at their ends are left out. */
static const double barrel = 5e-4, left_out = 2e-3;
/* Two edges are deep at this fraction of the sum of their radii; at the full sum they pass through each other. */
static const double deep_of_radii = 0.75;

const double rps_core_cut_most = 0.25;

static int extents(const rps_shape_core *core) {
    return (core->half[0] > 0.0) + (core->half[1] > 0.0) + (core->half[2] > 0.0);
}

static double smallest_half(const rps_shape_core *core) {
    double a = core->half[0] < core->half[1] ? core->half[0] : core->half[1];
    return a < core->half[2] ? a : core->half[2];
}

double rps_core_width(const rps_shape_core *core) {
    return 2.0 * (smallest_half(core) + core->radius);
}

double rps_core_smaller_width(const rps_shape_core *i, const rps_shape_core *j) {
    double a = rps_core_width(i), b = rps_core_width(j);
    return a < b ? a : b;
}

double rps_core_deep(double width) {
    return RPS_CORE_DEEP * width;
}

double rps_core_deep_edges(double width, double radii) {
    double smallest = RPS_CORE_DEEP * width, least = deep_of_radii * radii;
    return smallest < least ? smallest : least;
}

double rps_core_cut_of(double radii, double width) {
    return sqrt(left_out * width * radii);
}

double rps_core_cut(const rps_shape_core *i, const rps_shape_core *j) {
    return rps_core_cut_of(i->radius + j->radius, rps_core_smaller_width(i, j));
}

double rps_core_cut_at_line(const rps_shape_core *core) {
    return rps_core_cut_of(core->radius, rps_core_width(core));
}

double rps_core_taper(double half_width, double half) {
    return barrel * half_width / (half * half);
}

double rps_core_bend(const rps_shape_core *core) {
    if (core->radius > 0.0) {
        return 1.0 / core->radius;
    }
    double least = 0.0;
    for (int k = 0; k < 3; k++) {
        if (core->half[k] > 0.0 && (!(least > 0.0) || core->half[k] < least)) {
            least = core->half[k];
        }
    }
    return least > 0.0 ? 1.0 / (RPS_CORE_SHARP * least) : 0.0;
}

rps_shape_core rps_core_for_contact(const rps_shape_core *core) {
    double least = RPS_CORE_SHARP * (smallest_half(core) + core->radius);
    rps_shape_core out = *core;
    if (least > core->radius) {
        for (int k = 0; k < 3; k++) {
            out.half[k] = (core->half[k] + core->radius) - least;
        }
        out.radius = least;
    }
    return out;
}

unsigned rps_core_vertices(const rps_shape_core *core) {
    return 1U << extents(core);
}

unsigned rps_core_edges(const rps_shape_core *core) {
    static const unsigned count[4] = {0, 1, 4, 12};
    return count[extents(core)];
}

unsigned rps_core_features(const rps_shape_core *i, const rps_shape_core *j) {
    unsigned vi = rps_core_vertices(i), vj = rps_core_vertices(j);
    return vi == 1 || vj == 1 ? 1 : vi + vj + rps_core_edges(i) * rps_core_edges(j);
}

rps_vec3 rps_core_vertex_in(const rps_shape_core *core, unsigned vertex) {
    double local[3];
    for (int k = 0; k < 3; k++) {
        local[k] = 0.0;
        if (core->half[k] > 0.0) {
            local[k] = vertex & 1U ? core->half[k] : -core->half[k];
            vertex >>= 1;
        }
    }
    return rps_vec3_make(local[0], local[1], local[2]);
}

rps_core_edge rps_core_edge_in(const rps_shape_core *core, unsigned number, double cut) {
    const double *half = core->half;
    const int others = extents(core) - 1;
    unsigned order = number >> others, bits = number & ((1U << others) - 1);
    int k = 0;
    for (unsigned seen = 0;; k++) {
        if (half[k] > 0.0 && seen++ == order) {
            break;
        }
    }
    double middle[3] = {0.0, 0.0, 0.0};
    for (int a = 0; a < 3; a++) {
        if (a != k && half[a] > 0.0) {
            middle[a] = bits & 1U ? half[a] : -half[a];
            bits >>= 1;
        }
    }
    rps_core_edge e = {.middle = rps_vec3_make(middle[0], middle[1], middle[2]), .axis = k};
    e.half = half[k] - (cut < rps_core_cut_most * half[k] ? cut : rps_core_cut_most * half[k]);
    e.taper = rps_core_taper(smallest_half(core) + core->radius, e.half);
    return e;
}
