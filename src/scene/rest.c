/* Detects rest: the kinetic energy of every free body stays below a small fraction of m g d. A body is also slow for
 * a moment at the top of its flight or just after its release, so the limit must hold for the time in which the
 * largest body would fall through its own diameter. */
#include "scene/simulation.h"

#include <math.h>

enum { EVERY = 50 }; /* steps between looks */

static double gravity(const rps_world *world) {
    const double *g = world->options.gravity;
    return sqrt((g[0] * g[0] + g[1] * g[1]) + g[2] * g[2]);
}

/* Number of steps for which the limit must hold. */
static uint64_t hold_steps(const rps_world *world) {
    double largest = 0.0;
    for (size_t s = 0; s < world->bodies.count; s++) {
        if (*world->bodies.kind[s] == RPS_BODY_FREE && world->bodies.pose[s].radius[0] > largest) {
            largest = world->bodies.pose[s].radius[0];
        }
    }
    double g = gravity(world);
    return g > 0.0 ? (uint64_t)ceil(sqrt(4.0 * largest / g) / world->step) : EVERY;
}

static bool all_slow(const rps_world *world, double limit) {
    double g = gravity(world);
    for (size_t s = 0; s < world->bodies.count; s++) {
        if (*world->bodies.kind[s] != RPS_BODY_FREE) {
            continue;
        }
        const double *v = world->bodies.motion[s].velocity;
        double m = *world->bodies.mass[s];
        double kinetic =
            0.5 * m * ((v[0] * v[0] + v[1] * v[1]) + v[2] * v[2]) + rps_body_rotation_energy(&world->bodies, s);
        if (!(kinetic <= limit * m * g * 2.0 * world->bodies.pose[s].radius[0])) {
            return false;
        }
    }
    return true;
}

bool rps_rest_looks(const rps_simulation *s, uint64_t step) {
    return s->plan->rest > 0.0 && step % EVERY == 0;
}

bool rps_rest_possible(const rps_simulation *s, uint64_t step) {
    return rps_rest_looks(s, step) && s->rest_from != UINT64_MAX && step - s->rest_from >= hold_steps(s->world);
}

bool rps_rest_reached(rps_simulation *s) {
    uint64_t step = rps_world_steps(s->world);
    if (!rps_rest_looks(s, step)) {
        return false;
    }
    if (rps_scene_pending(s->scene) || !all_slow(s->world, s->plan->rest)) {
        s->rest_from = UINT64_MAX;
        return false;
    }
    if (s->rest_from == UINT64_MAX) {
        s->rest_from = step;
    }
    return rps_rest_possible(s, step);
}
