/* Points are written in world coordinates and single precision, as those of other surfaces. */
#include "io/load_tables.h"

#include <float.h>
#include <math.h>
#include <stddef.h>
#include <string.h>

#include "io/vtkhdf.h"
#include "world/body_shape.h"

const char *rps_load_part_name(int part) {
    static const char *const name[RPS_LOAD_PARTS] = {"loads/points", "loads/values", "loads/intervals"};
    return name[part];
}

/* Columns of /loads/values, with the place of their numbers. */
#define VALUES(X)                                                                                  \
    X(normal_force, 3, "N",                                                                        \
      "mean force along the normals of contacts, on the body, over the interval before the frame") \
    X(tangential_force, 3, "N", "mean force of friction, on the body, over the interval")          \
    X(pressure, 1, "Pa", "mean of the normal loads over the area of the triangle")                 \
    X(shear, 1, "Pa", "size of the mean tangential force over the area")                           \
    X(largest_pressure, 1, "Pa", "largest of the interval, of the normal loads of one step")       \
    X(sliding_work, 1, "J", "energy that sliding friction dissipated since the start")             \
    X(wear_depth, 1, "m", "volume worn off since the start, over the area")

void rps_load_tables_columns(rps_load_tables *t, bool single) {
    t->points = t->values = t->intervals = t->triangles = (rps_table){0};
    t->points.single = true;
    t->values.single = single;
    rps_table_add(&t->points,
                  (rps_column){"position", "m", "corner of triangles, unwrapped as its body", RPS_TYPE_double, 3, 1});
#define COLUMN(name, components, unit, meaning) \
    rps_table_add(&t->values, (rps_column){#name, unit, meaning, RPS_TYPE_double, components, 1});
    VALUES(COLUMN)
#undef COLUMN
    rps_table_add(&t->intervals, (rps_column){"duration", "s", "time over which the means of the frame are taken",
                                              RPS_TYPE_double, 1, 1});
    rps_table_add(&t->triangles,
                  (rps_column){"corners", "1", "three points of the frame, counterclockwise seen from outside",
                               RPS_TYPE_int32, 3, 1});
    rps_table_add(&t->triangles, (rps_column){"id", "1", "of its body", RPS_TYPE_uint64, 1, 1});
    rps_table_add(&t->triangles, (rps_column){"area", "m^2", "of the triangle", RPS_TYPE_double, 1, 1});
}

/* Calls visit for every mesh with loads, in the order of the triangles. */
typedef rps_status visit_mesh(void *context, const rps_world *world, uint64_t id, const rps_piece *piece,
                              const rps_mesh *mesh, rps_error *err);

static rps_status each_mesh(const rps_world *world, visit_mesh *visit, void *context, rps_error *err) {
    for (size_t b = 0; b < world->loads.bodies; b++) {
        const rps_loaded_body *body = &world->loads.body[b];
        size_t slot;
        if (body->triangles == 0) continue;
        RPS_TRY(rps_world_find_body(world, body->id, &slot, err));
        const rps_piece *piece = rps_body_pieces(world, slot);
        for (int32_t k = 0; k < rps_body_piece_count(&world->bodies, slot); k++) {
            const rps_mesh *mesh = rps_piece_mesh(world, &piece[k]);
            if (mesh != NULL) RPS_TRY(visit(context, world, body->id, &piece[k], mesh, err));
        }
    }
    return RPS_OK;
}

static rps_status count_mesh(void *context, const rps_world *world, uint64_t id, const rps_piece *piece,
                             const rps_mesh *mesh, rps_error *err) {
    rps_load_tables *t = context;
    (void)world, (void)id, (void)piece, (void)err;
    t->point_count += mesh->points;
    t->triangle_count += mesh->triangles;
    return RPS_OK;
}

/* A walk that fills a column. */
typedef struct load_fill {
    rps_load_tables *tables;
    size_t points, triangles; /* of the meshes before */
} load_fill;

static rps_status fill_areas(void *context, const rps_world *world, uint64_t id, const rps_piece *piece,
                             const rps_mesh *mesh, rps_error *err) {
    load_fill *f = context;
    (void)world, (void)id, (void)piece, (void)err;
    for (size_t k = 0; k < mesh->triangles; k++) {
        const uint32_t *c = mesh->triangle[k];
        const rps_vec3 a = rps_vec3_of(mesh->point[c[0]]);
        const rps_vec3 cross = rps_vec3_cross(rps_vec3_sub(rps_vec3_of(mesh->point[c[1]]), a),
                                              rps_vec3_sub(rps_vec3_of(mesh->point[c[2]]), a));
        f->tables->area[f->triangles + k] = 0.5 * rps_vec3_norm(cross);
    }
    f->triangles += mesh->triangles;
    return RPS_OK;
}

rps_status rps_load_tables_init(rps_load_tables *tables, const rps_world *world, bool single,
                                const rps_allocator *allocator, rps_error *err) {
    *tables = (rps_load_tables){.allocator = allocator};
    void *area;
    size_t bytes;
    rps_load_tables_columns(tables, single);
    if (world->loads.triangles == 0) return RPS_OK;
    RPS_TRY(each_mesh(world, count_mesh, tables, err));
    if (tables->point_count > INT32_MAX) {
        return rps_fail(err, RPS_UNSUPPORTED, "the meshes of `output.loads` have %zu points, and may have %d",
                        tables->point_count, INT32_MAX);
    }
    const size_t rows = tables->point_count > tables->triangle_count ? tables->point_count : tables->triangle_count;
    RPS_TRY(rps_size_of_items(rows, 3 * sizeof(double), &bytes, err));
    RPS_TRY(rps_buffer_reserve(allocator, &tables->row, &tables->row_bytes, 0, bytes, err));
    RPS_TRY(rps_memory_alloc(allocator, tables->triangle_count * sizeof *tables->area, &area, err));
    tables->area = area;
    load_fill fill = {.tables = tables};
    return each_mesh(world, fill_areas, &fill, err);
}

/* --- the file ------------------------------------------------------------------------------------------------------- */

static rps_table *load_part(rps_load_tables *tables, int part) {
    return part == 0 ? &tables->points : part == 1 ? &tables->values : &tables->intervals;
}

static size_t load_part_rows(const rps_load_tables *tables, int part) {
    return part == 0 ? tables->point_count : part == 1 ? tables->triangle_count : 1;
}

static rps_status fill_corners(void *context, const rps_world *world, uint64_t id, const rps_piece *piece,
                               const rps_mesh *mesh, rps_error *err) {
    load_fill *f = context;
    int32_t(*out)[3] = (int32_t(*)[3])f->tables->row + f->triangles;
    (void)world, (void)id, (void)piece, (void)err;
    for (size_t k = 0; k < mesh->triangles; k++) {
        for (int c = 0; c < 3; c++) out[k][c] = (int32_t)(f->points + mesh->triangle[k][c]);
    }
    f->points += mesh->points;
    f->triangles += mesh->triangles;
    return RPS_OK;
}

static rps_status fill_ids(void *context, const rps_world *world, uint64_t id, const rps_piece *piece,
                           const rps_mesh *mesh, rps_error *err) {
    load_fill *f = context;
    (void)world, (void)piece, (void)err;
    for (size_t k = 0; k < mesh->triangles; k++) ((uint64_t *)f->tables->row)[f->triangles + k] = id;
    f->triangles += mesh->triangles;
    return RPS_OK;
}

rps_status rps_load_tables_create(rps_load_tables *tables, const rps_world *world, hid_t file, const char *path,
                                  rps_error *err) {
    const size_t count = tables->triangle_count;
    if (count == 0) return RPS_OK;
    const hid_t group = rps_h5_create_group(file, "loads");
    if (group < 0) return rps_h5_fail(err, "create", path);
    H5Gclose(group);
    for (int k = 0; k < RPS_LOAD_PARTS; k++) {
        RPS_TRY(
            rps_table_create(load_part(tables, k), file, rps_load_part_name(k), path, load_part_rows(tables, k), err));
    }
    RPS_TRY(rps_table_create(&tables->triangles, file, "loads/triangles", path, count, err));
    load_fill corners = {.tables = tables}, ids = {.tables = tables};
    RPS_TRY(each_mesh(world, fill_corners, &corners, err));
    RPS_TRY(rps_table_append(&tables->triangles, 0, 0, count, tables->row, err));
    RPS_TRY(each_mesh(world, fill_ids, &ids, err));
    RPS_TRY(rps_table_append(&tables->triangles, 1, 0, count, tables->row, err));
    RPS_TRY(rps_table_append(&tables->triangles, 2, 0, count, tables->area, err));
    rps_table_commit(&tables->triangles, count);
    return RPS_OK;
}

rps_status rps_load_tables_resume(rps_load_tables *tables, hid_t file, const char *path, uint64_t frames,
                                  rps_error *err) {
    if (tables->triangle_count == 0) return RPS_OK;
    for (int k = 0; k < RPS_LOAD_PARTS; k++) {
        RPS_TRY(rps_table_resume(load_part(tables, k), file, rps_load_part_name(k), path,
                                 frames * load_part_rows(tables, k), err));
    }
    return rps_table_resume(&tables->triangles, file, "loads/triangles", path, tables->triangle_count, err);
}

/* --- a frame --------------------------------------------------------------------------------------------------------- */

static rps_status fill_points(void *context, const rps_world *world, uint64_t id, const rps_piece *piece,
                              const rps_mesh *mesh, rps_error *err) {
    load_fill *f = context;
    size_t slot;
    double x[3];
    float(*out)[3] = (float(*)[3])f->tables->row + f->points;
    RPS_TRY(rps_world_find_body(world, id, &slot, err));
    const double *b = world->bodies.orientation[slot], *p = piece->orientation;
    const rps_mat3 of_body = rps_quat_to_mat3((rps_quat){b[0], b[1], b[2], b[3]});
    const rps_mat3 of_piece = rps_quat_to_mat3((rps_quat){p[0], p[1], p[2], p[3]});
    const rps_vec3 offset = rps_vec3_of(piece->offset);
    rps_world_unwrapped(world, slot, x);
    for (size_t n = 0; n < mesh->points; n++) {
        const rps_vec3 local = rps_vec3_add(offset, rps_mat3_mul_vec(&of_piece, rps_vec3_of(mesh->point[n])));
        const rps_vec3 at = rps_mat3_mul_vec(&of_body, local);
        out[n][0] = (float)(x[0] + at.x);
        out[n][1] = (float)(x[1] + at.y);
        out[n][2] = (float)(x[2] + at.z);
    }
    f->points += mesh->points;
    return RPS_OK;
}

/* In the order of the columns. */
static const size_t value_offset[] = {
#define OFFSET(name, components, unit, meaning) offsetof(rps_triangle_values, name),
    VALUES(OFFSET)
#undef OFFSET
};

static rps_status fill_values(rps_load_tables *t, const rps_world *world, int column, rps_error *err) {
    const int components = t->values.column[column].components;
    for (size_t k = 0; k < t->triangle_count; k++) {
        rps_triangle_values values;
        rps_triangle_values_of(&world->loads, k, t->area[k], &values);
        for (int c = 0; c < components; c++) {
            double value;
            memcpy(&value, (const char *)&values + value_offset[column] + (size_t)c * sizeof value, sizeof value);
            const size_t at = k * (size_t)components + (size_t)c;
            if (t->values.single && fabs(value) > FLT_MAX) {
                return rps_fail(err, RPS_BAD_INPUT,
                                "/loads/values/%s is %.6g, which single precision cannot hold; choose `output: "
                                "{precision: double}`",
                                t->values.column[column].name, value);
            }
            if (t->values.single) ((float *)t->row)[at] = (float)value;
            if (!t->values.single) ((double *)t->row)[at] = value;
        }
    }
    return RPS_OK;
}

rps_status rps_load_tables_append(rps_load_tables *tables, const rps_world *world, rps_error *err) {
    if (tables->triangle_count == 0) return RPS_OK;
    load_fill fill = {.tables = tables};
    RPS_TRY(each_mesh(world, fill_points, &fill, err));
    RPS_TRY(rps_table_append(&tables->points, 0, 0, tables->point_count, tables->row, err));
    for (int c = 0; c < tables->values.columns; c++) {
        RPS_TRY(fill_values(tables, world, c, err));
        RPS_TRY(rps_table_append(&tables->values, c, 0, tables->triangle_count, tables->row, err));
    }
    return rps_table_append(&tables->intervals, 0, 0, 1, &world->loads.time.high, err);
}

void rps_load_tables_commit(rps_load_tables *tables) {
    for (int k = 0; k < RPS_LOAD_PARTS && tables->triangle_count > 0; k++) {
        rps_table_commit(load_part(tables, k), load_part_rows(tables, k));
    }
}

static rps_load_grid load_grid_of(const rps_load_tables *tables) {
    return (rps_load_grid){&tables->points, &tables->values, &tables->triangles, tables->point_count,
                           tables->triangle_count};
}

rps_status rps_load_tables_describe(const rps_load_tables *tables, const char *xdmf, const char *title,
                                    const rps_frame *frame, size_t frames, rps_error *err) {
    if (tables->triangle_count == 0) return RPS_OK;
    const rps_load_grid grid = load_grid_of(tables);
    return rps_xdmf_write_loads(xdmf, title, &grid, frame, frames, tables->allocator, err);
}

rps_status rps_load_tables_link(const rps_load_tables *tables, const char *vtkhdf, size_t frames, rps_error *err) {
    if (tables->triangle_count == 0) return RPS_OK;
    const rps_load_grid grid = load_grid_of(tables);
    return rps_vtkhdf_write_loads(vtkhdf, &grid, frames, tables->allocator, err);
}

bool rps_load_tables_close(rps_load_tables *tables) {
    bool good = rps_table_close(&tables->triangles);
    for (int k = 0; k < RPS_LOAD_PARTS; k++) good = rps_table_close(load_part(tables, k)) && good;
    return good;
}

void rps_load_tables_release(rps_load_tables *tables) {
    rps_buffer_release(tables->allocator, &tables->row, &tables->row_bytes);
    if (tables->area != NULL)
        rps_memory_release(tables->allocator, tables->area, tables->triangle_count * sizeof *tables->area);
    tables->area = NULL;
}
