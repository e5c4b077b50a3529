/* Counts bodies by shape and finds the range of their sizes. */
#include <string.h>

#include "run/run_state.h"

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
        if (!(radius > 0.0)) {
            c->planes++;
            continue;
        }
        c->mass += kind == RPS_BODY_FREE ? *world->bodies.mass[s] : 0.0;
        size_summary_count(*world->bodies.pieces[s] > 1 ? &c->several : &c->of_shape[*world->bodies.shape[s]], radius);
    }
}
