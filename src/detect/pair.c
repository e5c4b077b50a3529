/*
 * The table of gap functions by shapes. `flipped`: the function is written for the other order of the two bodies.
 */
#include "detect/pair.h"

#include <math.h>

#include "detect/detect.h"

typedef struct gap_entry {
    rps_gap_function gap; /* NULL: these shapes never touch */
    bool flipped;
} gap_entry;

/* clang-format off */
static const gap_entry table[RPS_PAIR_SHAPES][RPS_PAIR_SHAPES] = {
    [RPS_PAIR_SPHERE] = {[RPS_PAIR_SPHERE] = {rps_gap_sphere_sphere, false},
                         [RPS_PAIR_PLANE]  = {rps_gap_plane_sphere,  true}},
    [RPS_PAIR_PLANE]  = {[RPS_PAIR_SPHERE] = {rps_gap_plane_sphere,  false},
                         [RPS_PAIR_PLANE]  = {NULL,                  false}},
};
/* clang-format on */

bool rps_pair_exists(rps_pair_shape a, rps_pair_shape b) {
    return table[a][b].gap != NULL;
}

void rps_pair_gaps(const rps_world *world, rps_pair_shape shape_a, rps_pair_shape shape_b, const uint32_t *a,
                   const uint32_t *b, size_t count, double *gap) {
    gap_entry entry = table[shape_a][shape_b];
    if (entry.gap == NULL) {
        for (size_t k = 0; k < count; k++) gap[k] = INFINITY;
    } else if (entry.flipped) {
        entry.gap(world, b, a, count, gap);
    } else {
        entry.gap(world, a, b, count, gap);
    }
}

double rps_detect_gap(const rps_world *world, size_t slot_i, size_t slot_j) {
    uint32_t i = (uint32_t)slot_i, j = (uint32_t)slot_j;
    double gap;
    rps_pair_gaps(world, rps_pair_shape_of(world, slot_i), rps_pair_shape_of(world, slot_j), &i, &j, 1, &gap);
    return gap;
}
