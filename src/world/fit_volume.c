/* The spheres as pieces of a body, whose union is integrated as that of a clump is. */
#include "world/fit_volume.h"

#include <string.h>

#include "shape/shape.h"
#include "world/world_internal.h"

rps_status rps_fit_volume(const rps_sphere_fit *fit, double *volume, rps_error *err) {
    size_t bytes;
    void *capacity;
    RPS_TRY(rps_size_of_items(fit->count, sizeof(rps_piece) + sizeof(double), &bytes, err));
    RPS_TRY(rps_memory_alloc_zeroed(fit->allocator, bytes, &capacity, err));
    rps_piece *piece = capacity;
    double *density = (double *)(piece + fit->count);
    for (size_t k = 0; k < fit->count; k++) {
        const rps_fitted_sphere *s = &fit->sphere[k];
        rps_vec3_put(piece[k].offset, s->center);
        piece[k].orientation[0] = 1.0;
        piece[k].parameter[0] = piece[k].radius = piece[k].half_width = s->radius;
        piece[k].shape = RPS_SHAPE_INDEX(sphere);
        density[k] = 1.0;
    }
    rps_union_mass of_union;
    const rps_status status =
        rps_union_mass_of(fit->allocator, NULL, piece, fit->count, density, RPS_UNION_LITTLE_WORK, &of_union, err);
    rps_memory_release(fit->allocator, capacity, bytes);
    if (status == RPS_OK) *volume = of_union.volume;
    return status;
}
