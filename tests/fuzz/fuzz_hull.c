/* Any bytes as a mesh file whose convex hull is wanted; the first byte says its name and the weld length. A hull is closed, holds all
 * points of the file and has a volume, or the file is refused with a sentence. */
#include <math.h>
#include <string.h>

#include "fuzz_memory.h"
#include "mesh/build_mesh.h"
#include "mesh/hull.h"
#include "mesh/read.h"

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);

/* The largest coordinate, m. */
static double largest_of(const rps_mesh *mesh) {
    double most = 0.0;
    for (size_t p = 0; p < mesh->points; p++) {
        for (int k = 0; k < 3; k++) most = fmax(most, fabs(mesh->point[p][k]));
    }
    return most;
}

/* How far the points of a surface lie outside of the planes of its hull, at most, m. */
static double farthest_outside(const rps_mesh *surface, const rps_mesh *hull) {
    double most = 0.0;
    for (size_t p = 0; p < surface->points; p++) {
        for (size_t t = 0; t < hull->triangles; t++) {
            double height = 0.0;
            for (int k = 0; k < 3; k++)
                height += hull->normal[t][k] * (surface->point[p][k] - hull->point[hull->triangle[t][0]][k]);
            most = fmax(most, height);
        }
    }
    return most;
}

static rps_status check_hull(const rps_allocator *allocator, const rps_mesh *surface, const rps_mesh_options *options,
                             rps_error *err) {
    rps_raw_mesh raw;
    rps_mesh hull;
    rps_mesh_report report;
    RPS_TRY(rps_mesh_hull(surface, options->weld, &raw, err));
    const rps_status status = rps_mesh_build_auto(allocator, &raw, options, &hull, &report, err);
    rps_raw_mesh_release(allocator, &raw);
    RPS_TRY(status);
    if (!hull.closed || !(hull.volume > 0.0)) __builtin_trap();
    /* the weld length, and that of the corners that are welded to others once more */
    if (farthest_outside(surface, &hull) > 4.0 * options->weld * largest_of(surface)) __builtin_trap();
    rps_mesh_release(&hull);
    return RPS_OK;
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size) {
    static const char *const name[] = {"a.stl", "a.obj", "a.ply", "a"};
    static const double weld[] = {1e-6, 1e-9, 1e-4, 1e-2};
    if (size < 1) return 0;
    fuzz_memory memory = {.most = 64 << 20};
    const rps_allocator allocator = {fuzz_take, fuzz_give_back, &memory};
    rps_error err = {.status = RPS_OK};
    rps_raw_mesh raw;
    rps_mesh surface;
    rps_mesh_report report;
    rps_mesh_options options = rps_mesh_options_default();
    options.weld = weld[data[0] / 4 % 4];
    rps_status status = rps_mesh_read(&allocator, name[data[0] % 4], data + 1, size - 1, &raw, &err);
    if (status == RPS_OK) {
        status = rps_mesh_build_auto(&allocator, &raw, &options, &surface, &report, &err);
        rps_raw_mesh_release(&allocator, &raw);
    }
    if (status == RPS_OK) {
        status = check_hull(&allocator, &surface, &options, &err);
        rps_mesh_release(&surface);
    }
    if (status != RPS_OK && (err.status != status || strlen(err.text) < 5 || status == RPS_INTERNAL)) __builtin_trap();
    if (memory.used != 0) __builtin_trap();
    return 0;
}
