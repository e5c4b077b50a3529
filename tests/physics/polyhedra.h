/* Convex meshes as bodies, for tests. */
#ifndef TESTS_PHYSICS_POLYHEDRA_H
#define TESTS_PHYSICS_POLYHEDRA_H

#include "meshes.h"

#include "mesh/build_mesh.h"
#include "mesh/hull.h"

#define G 9.81
#define DENSITY 2500.0

static inline sheet brick_of(double x, double y, double z) {
    static const uint32_t face[6][4] = {{0, 2, 3, 1}, {4, 5, 7, 6}, {0, 1, 5, 4},
                                        {2, 6, 7, 3}, {0, 4, 6, 2}, {1, 3, 7, 5}};
    sheet s = sheet_new();
    for (int k = 0; k < 8; k++) sheet_point(&s, (k % 2 - 0.5) * x, (k / 2 % 2 - 0.5) * y, (k / 4 - 0.5) * z);
    for (int f = 0; f < 6; f++) sheet_quad(&s, face[f][0], face[f][1], face[f][2], face[f][3]);
    return s;
}

/* The hull of points at random near an ellipsoid with half axes of 10, 8 and 6 mm. */
static inline sheet rock(uint64_t stream) {
    enum { POINTS = 24 };
    sheet s = sheet_new();
    rps_raw_mesh raw = {.point = s.point, .triangle = s.triangle}, around;
    rps_mesh surface;
    rps_mesh_report report;
    rps_mesh_options options = rps_mesh_options_default();
    options.side = RPS_MESH_BOTH;
    for (uint64_t n = 0; n < POINTS; n++) {
        const rps_vec3 u = rps_vec3_scale(random_direction(stream, n), uniform(stream + 100, n, 0.85, 1.0));
        const uint32_t p = sheet_point(&s, 0.01 * u.x, 0.008 * u.y, 0.006 * u.z);
        if (n >= 2) sheet_triangle(&s, p - 2, p - 1, p);
    }
    raw.points = s.points;
    raw.triangles = s.triangles;
    MUST(rps_mesh_build(NULL, &raw, &options, &surface, &report, ERR));
    MUST(rps_mesh_hull(&surface, RPS_MESH_WELD, &around, ERR));
    rps_mesh_release(&surface);
    s.points = s.triangles = 0;
    for (size_t p = 0; p < around.points; p++) {
        sheet_point(&s, around.point[p][0], around.point[p][1], around.point[p][2]);
    }
    for (size_t t = 0; t < around.triangles; t++) {
        sheet_triangle(&s, around.triangle[t][0], around.triangle[t][1], around.triangle[t][2]);
    }
    rps_raw_mesh_release(NULL, &around);
    return s;
}

typedef enum friction { NONE, ALL } friction;

static inline rps_world *world_with(rps_stepper stepper, friction which, double gravity, double step, int threads,
                                    double period) {
    rps_world_options options = options_of(step);
    options.threads = threads;
    options.stepper = stepper;
    options.gravity[2] = -gravity;
    options.guards.motion = options.guards.rotation = 2.0;
    options.nonsmooth.tolerance = 1e-12;
    if (period > 0.0) options.period[0] = options.period[1] = options.period[2] = period;
    rps_pair pair = tracked_pair();
    use(&pair, RPS_ROLE_DAMPING, "restitution", "value", 0.5, NULL);
    if (which == NONE) {
        use(&pair, RPS_ROLE_DAMPING, "none", NULL);
        use(&pair, RPS_ROLE_SLIDE, "none", NULL);
    }
    use(&pair, RPS_ROLE_ROLL, "none", NULL);
    use(&pair, RPS_ROLE_SPIN, "none", NULL);
    rps_material material = rps_material_default();
    material.name = "stuff";
    material.density = DENSITY;
    material.young = 1e8;
    material.poisson = 0.3;
    return world_of_material(&options, &pair, material);
}

static inline uint64_t add_body(rps_world *world, rps_body_def def, rps_vec3 x, rps_quat q, rps_vec3 v, rps_vec3 w) {
    uint64_t id = 0;
    to_array(def.position, x);
    to_array(def.velocity, v);
    to_array(def.angular_velocity, w);
    def.orientation[0] = q.w;
    def.orientation[1] = q.x;
    def.orientation[2] = q.y;
    def.orientation[3] = q.z;
    MUST(rps_world_add_body(world, &def, &id, ERR));
    return id;
}

/* A brick as a mesh or as the shape `box`. */
static inline uint64_t add_brick_of(rps_world *world, bool mesh, const double size[3], bool fixed, rps_vec3 x,
                                    rps_quat q) {
    rps_body_def def = rps_body_def_default();
    if (mesh) {
        sheet s = brick_of(size[0], size[1], size[2]);
        def = rps_body_mesh(add_solid(world, &s));
        sheet_free(&s);
    } else {
        def.shape = "box";
        memcpy(def.parameter, size, 3 * sizeof *size);
    }
    def.kind = fixed ? RPS_BODY_FIXED : RPS_BODY_FREE;
    return add_body(world, def, x, q, rps_vec3_zero(), rps_vec3_zero());
}

static inline size_t contacts_in(const rps_world *world) {
    rps_contact a[256];
    size_t count;
    MUST(rps_world_contacts(world, a, 256, &count, ERR));
    return count;
}

#endif
