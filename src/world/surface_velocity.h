/*
 * Surfaces that run: the material of a driven body moves along its surface, as that of a conveyor belt does, while the surface
 * stays where it is, or moves with the body.
 *
 * The velocity of the material at a contact is v + w x (x - about), as the drive gives it, projected on the tangent plane and
 * scaled back to its magnitude: a belt runs around its pulley as fast as along its length. The material turns with w. Contacts
 * see the material: the path of the contact point on it, the slip, the roll, the spin. So a surface of revolution whose material
 * turns about its axis is one that turns. The power of the loads against this motion is work of the drive.
 *
 * A table changes v and w over time. A step takes their means, so that the material comes as far as the table says, and books the work
 * of the loads at its ends by the same means.
 */
#ifndef RPS_WORLD_SURFACE_VELOCITY_H
#define RPS_WORLD_SURFACE_VELOCITY_H

#include "world/world.h"

/* Whether the drive gives the surface a velocity at some time; whether it turns. */
bool rps_drive_runs(const rps_drive *drive);
bool rps_drive_surface_turns(const rps_world *world, const rps_drive *drive);

/* Whether the surface of a body runs, now or in another stage: then contacts with its spheres need frames. */
static inline bool rps_body_runs(const rps_world *world, size_t slot) {
    return world->bodies.kind[slot][0] == RPS_BODY_DRIVEN && world->driven[world->bodies.drive[slot][0]].runs;
}

/* v and w, means of the step of dt s that ends at this time, while the drive acts in it. m/s, rad/s. */
typedef struct rps_surface_rates {
    rps_vec3 velocity, turning;
} rps_surface_rates;
rps_surface_rates rps_surface_mean(const rps_drive_state *driven, double end, double dt);

/* The velocity (m/s) of the material at a point of a body, relative to the body, at these rates. branch: m, from the
 * centre to the point; n: unit normal, either way. */
rps_vec3 rps_surface_velocity(const rps_drive_state *driven, const rps_surface_rates *rates, rps_vec3 branch,
                              rps_vec3 n);
/* s, how long the drive acts in the step of dt s that ends at this time. */
double rps_surface_time(const rps_drive *drive, double end, double dt);

#endif
