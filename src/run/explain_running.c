/* Surfaces that run, by body, with the velocity of their material at the start; and tables of motion. */
#include "run/explain.h"
#include "world/motion_table.h"
#include "world/world_internal.h"

static bool has_length(const double v[3]) {
    return v[0] != 0.0 || v[1] != 0.0 || v[2] != 0.0;
}

void rps_explain_running(rps_explain_sink *to, const rps_world *world) {
    const rps_bodies *bodies = &world->bodies;
    const char *head = "  surfaces run";
    char name[80];
    for (uint64_t id = 0, s; rps_bodies_next(bodies, &id, &s); id++) {
        const int drive = bodies->drive[s][0];
        if (drive < 0) continue;
        const rps_drive *d = &world->driven[drive].initial;
        const double *v = d->surface_velocity, *w = d->surface_turning, *about = d->surface_about;
        const rps_motion_table *table = rps_drive_surface_table(world, d);
        if (!has_length(v) && !has_length(w) && table == NULL) continue;
        rps_explain_print(to, "%-16s  %s", head, rps_body_name(world, s, name, sizeof name));
        if (has_length(v)) rps_explain_print(to, ": [" NUMBER ", " NUMBER ", " NUMBER "] m/s", v[0], v[1], v[2]);
        if (has_length(w)) {
            rps_explain_print(to,
                              "%s [" NUMBER ", " NUMBER ", " NUMBER "] rad/s about [" NUMBER ", " NUMBER ", " NUMBER
                              "] m of the body",
                              has_length(v) ? " and" : ":", w[0], w[1], w[2], about[0], about[1], about[2]);
        }
        if (table != NULL) rps_explain_print(to, ": by %s", table->name);
        rps_explain_print(to, ", along the surface, which stays\n");
        head = "";
    }
}

void rps_explain_motions(rps_explain_sink *to, const rps_world *world) {
    for (size_t k = 0; k < world->motions; k++) {
        const rps_motion_table *table = &world->motion_table[k];
        const double *total = table->total;
        rps_explain_print(to,
                          "%-16s  %s: %zu rows from " NUMBER " to " NUMBER " s%s, at most " NUMBER " m/s and " NUMBER
                          " rad/s; in all [" NUMBER ", " NUMBER ", " NUMBER "] m and [" NUMBER ", " NUMBER ", " NUMBER
                          "] rad\n",
                          k == 0 ? "  motion tables" : "", table->name, table->rows, table->time[0],
                          table->time[table->rows - 1], table->repeat ? ", repeated" : "", table->speed, table->rate,
                          total[0], total[1], total[2], total[3], total[4], total[5]);
    }
}
