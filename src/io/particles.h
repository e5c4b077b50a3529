/* The free spheres of a world as a particle file: CSV with a header that `particles: {file: ...}` of a scene reads. */
#ifndef RPS_IO_PARTICLES_H
#define RPS_IO_PARTICLES_H

#include "world/world.h"

/* Columns x y z radius mass vx vy vz wx wy wz material, in id order, numbers exact; the file is replaced atomically. */
rps_status rps_particles_write(const rps_world *world, const char *path, rps_error *err);

#endif
