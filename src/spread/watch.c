/*
 * Watches the bodies for what a scene does with them: flows, zones and sinks (scene/traffic.h).
 *
 * Process 0 has the tallies, and needs the whole world only where one of them changes. Every process asks its own bodies
 * after each step; where the answer of one is another than before, all stop, and process 0 looks at the world.
 */
#include <string.h>

#include "spread/deal.h"

/* Asks all; true if a number has changed or a sink takes one. */
static bool ask(rps_spread *s, double *number) {
    const rps_world *world = s->world;
    const size_t watches = rps_scene_watches(s->scene);
    bool passes = false;
    for (size_t slot = 0; slot < world->share->mine; slot++) {
        double *mine = number + (size_t)world->bodies.id[slot][0] * 2 * watches, *before = mine + watches;
        passes = rps_scene_watch_body(s->scene, world, slot, mine) || passes;
        for (size_t k = 0; k < watches; k++) passes = passes || mine[k] != before[k];
        if (watches > 0) memcpy(before, mine, watches * sizeof *before);
    }
    return passes;
}

rps_status rps_watch_begin(rps_spread *s, rps_error *err) {
    rps_watch *watch = &s->watch;
    void *number = watch->number;
    size_t bytes;
    if (!rps_scene_has_traffic(s->scene)) return RPS_OK;
    const size_t row = 2 * rps_scene_watches(s->scene) * sizeof *watch->number;
    RPS_TRY(rps_size_of_items(s->world->bodies.count + 1, row + sizeof *watch->number, &bytes, err));
    const rps_status status = rps_buffer_reserve(NULL, &number, &watch->bytes, 0, bytes, err);
    watch->number = number;
    if (status != RPS_OK) return status;
    memset(watch->number, 0, bytes);
    ask(s, watch->number);
    return RPS_OK;
}

bool rps_watch_passes(rps_spread *s) {
    if (!rps_scene_has_traffic(s->scene)) return false;
    double passes = ask(s, s->watch.number) ? 1.0 : 0.0;
    rps_share_most(s->world, 1, &passes);
    return passes > 0.0;
}

void rps_watch_release(rps_watch *watch) {
    void *number = watch->number;
    rps_buffer_release(NULL, &number, &watch->bytes);
    watch->number = NULL;
}
