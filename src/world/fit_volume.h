/* The volume that fitted spheres fill together. */
#ifndef RPS_WORLD_FIT_VOLUME_H
#define RPS_WORLD_FIT_VOLUME_H

#include "mesh/fit_spheres.h"

/* m^3, to 1e-4 or better. Takes up to a second. RPS_NO_MEMORY. */
rps_status rps_fit_volume(const rps_sphere_fit *fit, double *volume, rps_error *err);

#endif
