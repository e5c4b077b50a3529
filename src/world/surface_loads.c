/* The bodies whose loads are summed, and their values. */
#include "world/surface_loads.h"

#include <math.h>
#include <string.h>

#include "world/body_shape.h"
#include "world/world_internal.h"

static size_t count_triangles(const rps_world *world, size_t slot) {
    const rps_piece *piece = rps_body_pieces(world, slot);
    const int32_t count = piece != NULL ? rps_body_piece_count(&world->bodies, slot) : 0;
    size_t triangles = 0;
    for (int32_t k = 0; k < count; k++) {
        const rps_mesh *mesh = rps_piece_mesh(world, &piece[k]);
        if (mesh != NULL) triangles += mesh->triangles;
    }
    return triangles;
}

static rps_loaded_body *find_loaded(const rps_surface_loads *loads, uint64_t id) {
    for (size_t k = 0; k < loads->bodies; k++) {
        if (loads->body[k].id == id) return &loads->body[k];
    }
    return NULL;
}

const rps_loaded_body *rps_world_loaded_body(const rps_world *world, uint64_t id) {
    return find_loaded(&world->loads, id);
}

static rps_status add_loaded(rps_world *world, uint64_t id, rps_loaded_body **out, rps_error *err) {
    rps_surface_loads *loads = &world->loads;
    void *grown;
    RPS_TRY(rps_list_grown(world->allocator, loads->body, loads->bodies, sizeof *loads->body, &grown, err));
    rps_list_keep(world->allocator, loads->body, loads->bodies, sizeof *loads->body, grown);
    loads->body = grown;
    *out = &loads->body[loads->bodies++];
    **out = (rps_loaded_body){.id = id};
    return RPS_OK;
}

static rps_status add_triangles(rps_world *world, size_t slot, rps_loaded_body *body, rps_error *err) {
    rps_surface_loads *loads = &world->loads;
    char name[RPS_BODY_NAME];
    const size_t more = count_triangles(world, slot), all = loads->triangles + more;
    if (more == 0) {
        return rps_fail(err, RPS_BAD_INPUT,
                        "%s has no triangles to show loads on; loads per triangle are for meshes, and probes of a body "
                        "record its `force`, `torque`, `sliding_work` and `wear`",
                        rps_body_name(world, slot, name, sizeof name));
    }
    size_t bytes;
    void *table;
    RPS_TRY(rps_size_of_items(all, sizeof *loads->triangle, &bytes, err));
    RPS_TRY(rps_memory_alloc_zeroed(world->allocator, bytes, &table, err));
    if (loads->triangles > 0) memcpy(table, loads->triangle, loads->triangles * sizeof *loads->triangle);
    rps_memory_release(world->allocator, loads->triangle, loads->triangles * sizeof *loads->triangle);
    loads->triangle = table;
    body->first = loads->triangles;
    body->triangles = more;
    loads->triangles = all;
    return RPS_OK;
}

rps_status rps_world_want_loads(rps_world *world, uint64_t id, bool by_triangle, rps_error *err) {
    size_t slot = 0;
    if (id != RPS_LOADED_WORLD) RPS_TRY(rps_world_find_body(world, id, &slot, err));
    if (!world->options.ledger) {
        return rps_fail(
            err, RPS_UNSUPPORTED,
            "the work of sliding and the wear are read from the accounts of the energy ledger: set `ledger: true` "
            "in run");
    }
    rps_loaded_body *body = find_loaded(&world->loads, id);
    const bool is_new = body == NULL;
    if (is_new) RPS_TRY(add_loaded(world, id, &body, err));
    const rps_status status = by_triangle && body->triangles == 0 ? add_triangles(world, slot, body, err) : RPS_OK;
    if (status != RPS_OK && is_new) world->loads.bodies--;
    return status;
}

void rps_surface_loads_restart(rps_surface_loads *loads) {
    for (size_t k = 0; k < loads->triangles; k++) {
        rps_triangle_load *t = &loads->triangle[k];
        *t = (rps_triangle_load){.work = t->work, .wear = t->wear};
    }
    loads->time = (rps_twofold){0};
}

void rps_triangle_values_of(const rps_surface_loads *loads, size_t triangle, double area, rps_triangle_values *out) {
    const rps_triangle_load *t = &loads->triangle[triangle];
    const double time = loads->time.high, rate = time > 0.0 ? 1.0 / time : 0.0;
    double across = 0.0;
    for (int k = 0; k < 3; k++) {
        out->normal_force[k] = t->normal[k].high * rate;
        out->tangential_force[k] = t->tangential[k].high * rate;
        across += out->tangential_force[k] * out->tangential_force[k];
    }
    out->pressure = t->pressed.high * rate / area;
    out->shear = sqrt(across) / area;
    out->largest_pressure = (t->now > t->largest ? t->now : t->largest) / area;
    out->sliding_work = t->work.high;
    out->wear_depth = t->wear.high / area;
}

void rps_surface_loads_release(rps_world *world) {
    rps_surface_loads *loads = &world->loads;
    rps_list_release(world->allocator, loads->body, loads->bodies, sizeof *loads->body);
    rps_memory_release(world->allocator, loads->triangle, loads->triangles * sizeof *loads->triangle);
    rps_scratch_release(world, &loads->work);
    *loads = (rps_surface_loads){0};
}
