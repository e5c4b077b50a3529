/* Worlds whose stages write all that stages may write. */
#ifndef TESTS_CONTRACT_STAGE_WORLDS_COMMON_H
#define TESTS_CONTRACT_STAGE_WORLDS_COMMON_H

#include <repose/repose.h>

typedef struct stage_manner {
    int threads;
    rps_integrator integrator;
    uint64_t shuffle; /* of slots and lists */
} stage_manner;

/* Spheres in a periodic box, that meet and part; sheared: with moving images. */
rps_world *stage_gas(const stage_manner *in);
rps_world *stage_sheared(const stage_manner *in);
rps_world *stage_press(const stage_manner *in);
rps_world *stage_shapes(const stage_manner *in);
rps_world *stage_forces(const stage_manner *in);
rps_world *stage_bonds(const stage_manner *in);
rps_world *stage_linkage(const stage_manner *in);
rps_world *stage_wet(const stage_manner *in);
rps_world *stage_imposed(const stage_manner *in);
rps_world *stage_warned(const stage_manner *in);
/* Of the nonsmooth stepper. */
rps_world *stage_plates(const stage_manner *in);

#endif
