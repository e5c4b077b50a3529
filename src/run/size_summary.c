/* Counts bodies by shape and finds the range of their sizes. */
#include <string.h>

#include "run/run_state.h"
#include "world/body_shape.h"

static void size_summary_count(rps_size_range *size, double radius) {
    size->smallest = size->count && size->smallest < radius ? size->smallest : radius;
    size->largest = radius > size->largest ? radius : size->largest;
    size->count++;
}

void rps_size_summary_make(const rps_world *world, rps_size_summary *c) {
    memset(c, 0, sizeof *c);
    for (size_t s = 0; s < world->bodies.count; s++) {
        int kind = *world->bodies.kind[s];
        double radius = world->bodies.pose[s].radius[0];
        c->kind[kind >= 0 && kind < 3 ? kind : 0]++;
        if (rps_body_is_plane(&world->bodies, s)) {
            c->planes++;
            continue;
        }
        c->mass += kind == RPS_BODY_FREE ? *world->bodies.mass[s] : 0.0;
        const bool several = rps_body_piece_count(&world->bodies, s) > 1;
        size_summary_count(several ? &c->several : &c->of_shape[rps_body_shape_index(&world->bodies, s)], radius);
    }
}
