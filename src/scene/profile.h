/* Profiles: what bodies have in the bins of a line or of the distance from an axis. A body counts in the bin of its
 * centre, so that the sums over bins are those of the bodies between the ends. */
#ifndef RPS_SCENE_PROFILE_H
#define RPS_SCENE_PROFILE_H

#include "scene/region.h"
#include "world/world.h"

typedef struct rps_profile {
    const char *name;
    bool radial;
    rps_vec3 point, direction; /* m; unit vector of the line, or of the axis */
    int axis;                  /* of a line along a coordinate; -1: none */
    double from, to;           /* m */
    size_t bins;
    double extent; /* m^2 across a line, m along an axis; 0: not known */
    bool bounded;
    rps_region region; /* used if bounded */
    int group;         /* -1: all free bodies */
} rps_profile;

/* One row: NAN where a bin has nothing to tell. Vectors are x y z; of a radial profile radial, about the axis and along
 * it, which are orthogonal at the centre of each body. */
typedef struct rps_profile_bin {
    double low, high;           /* m */
    double number, mass;        /* 1, kg */
    double fraction;            /* volume of the bodies over that of the bin */
    double velocity[3];         /* m/s, mean by mass */
    double temperature;         /* m^2/s^2, a third of the mean square of what velocities differ from their mean */
    double angular_velocity[3]; /* rad/s, mean by mass */
    double stress[6];           /* Pa, of contacts, over the volume of the bin, xx xy xz yy yz zz, tension positive */
} rps_profile_bin;

enum { RPS_PROFILE_VALUES = sizeof(rps_profile_bin) / sizeof(double) };

rps_status rps_build_profiles(rps_scene *scene, rps_error *err);
const rps_profile *rps_scene_profiles(const rps_scene *scene, size_t *count);

/* Fills `bin` with all bins. moment: by body in the order of ids, its stress times its volume, N m
 * (rps_frame_stress_add). depth: m, of a planar scene. */
void rps_profile_measure(const rps_profile *profile, const rps_world *world, double depth, const double (*moment)[6],
                         rps_profile_bin *bin);
double rps_scene_depth(const rps_scene *scene);

#endif
