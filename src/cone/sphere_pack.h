/* Contacts of isotropic bodies whose forces act along the line of centres (spheres), eight to a pack, stored as
 * structure of arrays: the data that a sweep reads. Their blocks of W follow from five numbers and are never stored. */
#ifndef RPS_CONE_SPHERE_PACK_H
#define RPS_CONE_SPHERE_PACK_H

#include "base/cpu.h"
#include "packed.h"

typedef double rps_cone_lane[RPS_CONE_LANES];

typedef struct rps_cone_pack {
    rps_cone_lane n[3], t[3], branch[2]; /* arms along n */
    rps_cone_lane bias[6], soft[RPS_CONE_GROUPS], c[RPS_CONE_CONES];
    rps_cone_lane lambda;             /* one over the largest eigenvalue of the scaled block */
    uint32_t node[2][RPS_CONE_LANES]; /* immovable: the number of nodes, an index whose motion is zero */
    uint32_t simple;                  /* 0: the eight are solved one by one */
    uint32_t fill[15];
} rps_cone_pack;

typedef struct rps_cone_pack_task {
    const rps_cone_pack *pack, *end;
    rps_cone_motion *v;
    double *r, *old; /* [6] for each contact of the first pack and all after it */
    double beta;     /* the sweep starts from r + beta (r - old) */
    uint32_t nodes;
    bool coulomb;
} rps_cone_pack_task;

/* Sweeps over packs up to `end` or the first that is not simple; returns that. Adds to sum: f, the change of impulses. */
typedef const rps_cone_pack *rps_cone_pack_sweep(const rps_cone_pack_task *task, rps_cone_swept *sum);

rps_cone_pack_sweep rps_cone_sweep_sse2, rps_cone_sweep_avx2, rps_cone_sweep_avx512;

#endif
