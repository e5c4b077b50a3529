/* Shapes provide the meshes. Vertices are written in world coordinates, since viewers do not support rotating bodies.
 * Single precision is enough for pictures. */
#include "io/surface.h"

#include <string.h>

#include "io/vtkhdf.h"
#include "shape/shape.h"
#include "world/body_shape.h"

static const char group[] = "surface";

static void make_columns(rps_surface *surface) {
    rps_table *points = &surface->points, *vertices = &surface->vertices, *frames = &surface->frames;
    points->single = true;
    points->columns = vertices->columns = frames->columns = surface->corners.columns = 0;
    rps_table_add(points,
                  (rps_column){"position", "m", "corner of triangles, unwrapped as its body", RPS_TYPE_double, 3, 1});
    rps_table_add(points,
                  (rps_column){"velocity", "m/s", "velocity of the centre of mass of its body", RPS_TYPE_double, 3, 1});
    rps_table_add(vertices, (rps_column){"id", "1", "of its body", RPS_TYPE_uint64, 1, 1});
    rps_table_add(vertices, (rps_column){"piece", "1", "of its body, from 0", RPS_TYPE_int32, 1, 1});
    rps_table_add(vertices, (rps_column){"shape", "1", "index of the shape of its piece", RPS_TYPE_int32, 1, 1});
    rps_table_add(vertices, (rps_column){"material", "1", "index of the material of its piece", RPS_TYPE_int32, 1, 1});
    rps_table_add(vertices, (rps_column){"kind", "1", "0 free, 1 fixed, 2 driven", RPS_TYPE_int32, 1, 1});
    rps_table_add(vertices, (rps_column){"group", "1", "index of the named set of its body", RPS_TYPE_int32, 1, 1});
    rps_table_add(&surface->corners,
                  (rps_column){"points", "1", "three points of the frame, counterclockwise seen from outside",
                               RPS_TYPE_int32, 3, 1});
    rps_table_add(frames,
                  (rps_column){"offset", "1", "first row of the frame in /surface/points", RPS_TYPE_uint64, 1, 1});
    rps_table_add(frames,
                  (rps_column){"points", "1", "number of points in the frame; the first rows of /surface/vertices",
                               RPS_TYPE_uint64, 1, 1});
    rps_table_add(frames, (rps_column){"triangles", "1",
                                       "number of triangles in the frame; the first rows of /surface/triangles",
                                       RPS_TYPE_uint64, 1, 1});
}

const char *rps_surface_part_name(int part) {
    static const char *const name[] = {"surface/points", "surface/vertices", "surface/triangles", "surface/frames"};
    return name[part];
}

void rps_surface_init(rps_surface *surface, const char *path, uint64_t triangles, const rps_allocator *allocator) {
    memset(surface, 0, sizeof *surface);
    surface->allocator = allocator;
    surface->path = path;
    surface->triangles = triangles;
    make_columns(surface);
}

/* Reads or writes the three columns of one row of the index. */
static uint64_t *frame_value(rps_surface_frame *frame, int column) {
    return column == 0 ? &frame->offset : column == 1 ? &frame->points : &frame->triangles;
}

static const rps_surface_frame nothing = {0, 0, 0};

/* --- memory ------------------------------------------------------------------------------------------------------ */

static rps_status reserve_frames(rps_surface *surface, size_t used, size_t wanted, rps_error *err) {
    void *frame = surface->frame;
    rps_status status = rps_buffer_reserve(surface->allocator, &frame, &surface->frame_bytes,
                                           used * sizeof(rps_surface_frame), wanted * sizeof(rps_surface_frame), err);
    surface->frame = frame;
    return status;
}

static void release_mesh(const rps_allocator *allocator, rps_shape_triangles *mesh) {
    rps_memory_release(allocator, mesh->point, mesh->points * sizeof *mesh->point);
    rps_memory_release(allocator, mesh->triangle, mesh->triangles * sizeof *mesh->triangle);
    *mesh = (rps_shape_triangles){0};
}

/* Caches the last mesh, since grains of one size are usually consecutive. */
typedef struct last_mesh {
    rps_shape_triangles mesh;
    const rps_shape *shape; /* NULL: none */
    double parameter[RPS_SHAPE_NUMBERS_MOST];
    size_t triangles;
} last_mesh;

/* A copy of a mesh of the world, which is drawn as it is. */
static rps_status copy_mesh(const rps_surface *surface, const rps_mesh *mesh, rps_shape_triangles *out,
                            rps_error *err) {
    size_t bytes;
    void *point, *triangle;
    RPS_TRY(rps_size_of_items(mesh->points, sizeof *out->point, &bytes, err));
    RPS_TRY(rps_memory_alloc(surface->allocator, bytes, &point, err));
    const rps_status status =
        rps_memory_alloc(surface->allocator, mesh->triangles * sizeof *out->triangle, &triangle, err);
    if (status != RPS_OK) {
        rps_memory_release(surface->allocator, point, bytes);
        return status;
    }
    memcpy(point, mesh->point, bytes);
    memcpy(triangle, mesh->triangle, mesh->triangles * sizeof *out->triangle);
    *out = (rps_shape_triangles){mesh->points, mesh->triangles, point, triangle};
    return RPS_OK;
}

static rps_status mesh_of(const rps_surface *surface, const rps_world *world, const rps_piece *piece, size_t triangles,
                          last_mesh *last, rps_error *err) {
    const rps_shape *shape = rps_shape_at((int)piece->shape);
    bool same = last->shape == shape && last->triangles == triangles;
    for (int k = 0; same && k < RPS_SHAPE_NUMBERS_MOST; k++) same = last->parameter[k] == piece->parameter[k];
    if (same) return RPS_OK;
    release_mesh(surface->allocator, &last->mesh);
    last->shape = NULL;
    const rps_mesh *mesh = rps_piece_mesh(world, piece);
    if (mesh != NULL) RPS_TRY(copy_mesh(surface, mesh, &last->mesh, err));
    if (shape && shape->mesh) {
        RPS_TRY(shape->mesh(piece->parameter, triangles, surface->allocator, &last->mesh, err));
    }
    last->shape = shape;
    last->triangles = triangles;
    memcpy(last->parameter, piece->parameter, sizeof last->parameter);
    return RPS_OK;
}

static void put_points(const rps_world *world, size_t slot, const rps_piece *piece, const rps_shape_triangles *mesh,
                       float (*out)[3]) {
    const double *b = world->bodies.orientation[slot], *p = piece->orientation;
    const rps_mat3 of_body = rps_quat_to_mat3((rps_quat){b[0], b[1], b[2], b[3]});
    const rps_mat3 of_piece = rps_quat_to_mat3((rps_quat){p[0], p[1], p[2], p[3]});
    const rps_vec3 offset = rps_vec3_make(piece->offset[0], piece->offset[1], piece->offset[2]);
    double x[3];
    rps_world_unwrapped(world, slot, x);
    for (size_t n = 0; n < mesh->points; n++) {
        const double *at = mesh->point[n];
        rps_vec3 in_body = rps_vec3_add(offset, rps_mat3_mul_vec(&of_piece, rps_vec3_make(at[0], at[1], at[2])));
        rps_vec3 turned = rps_mat3_mul_vec(&of_body, in_body);
        out[n][0] = (float)(x[0] + turned.x);
        out[n][1] = (float)(x[1] + turned.y);
        out[n][2] = (float)(x[2] + turned.z);
    }
}

/* Adds one piece to the current frame; its triangles only if the body is new. */
static rps_status add_piece(rps_surface *surface, const rps_world *world, size_t slot, const rps_piece *piece,
                            const rps_shape_triangles *mesh, bool is_new, rps_error *err) {
    const rps_allocator *allocator = surface->allocator;
    const size_t points = surface->now_points, triangles = surface->new_triangles;
    RPS_TRY(rps_buffer_reserve(allocator, &surface->points_of, &surface->points_of_bytes,
                               surface->now_pieces * sizeof(uint32_t), (surface->now_pieces + 1) * sizeof(uint32_t),
                               err));
    ((uint32_t *)surface->points_of)[surface->now_pieces++] = (uint32_t)mesh->points;
    if (points + mesh->points > INT32_MAX) {
        return rps_fail(err, RPS_BAD_INPUT,
                        "the surfaces of a frame have more than %d points; choose fewer triangles (output.surface)",
                        INT32_MAX);
    }
    /* 12 bytes per point suffice for any one column */
    RPS_TRY(rps_buffer_reserve(allocator, &surface->row, &surface->row_bytes, points * 12, (points + mesh->points) * 12,
                               err));
    put_points(world, slot, piece, mesh, (float(*)[3])surface->row + points);
    surface->now_points += mesh->points;
    if (!is_new) {
        return RPS_OK;
    }
    RPS_TRY(rps_buffer_reserve(allocator, &surface->triangle, &surface->triangle_bytes, triangles * 12,
                               (triangles + mesh->triangles) * 12, err));
    int32_t(*corner)[3] = (int32_t(*)[3])surface->triangle + triangles;
    for (size_t n = 0; n < mesh->triangles; n++) {
        for (int k = 0; k < 3; k++) {
            corner[n][k] = (int32_t)(points + mesh->triangle[n][k]);
        }
    }
    surface->new_triangles += mesh->triangles;
    return RPS_OK;
}

/* The number of pieces of a body that are drawn. */
static int32_t drawn_pieces(const rps_surface *surface, const rps_world *world, size_t slot) {
    const size_t of = (size_t)world->bodies.group[slot][0];
    const bool leaves = (surface->held_only && world->bodies.kind[slot][0] == RPS_BODY_FREE) ||
                        (of < surface->groups && surface->unsteady[of]);
    return leaves ? 0 : rps_body_piece_count(&world->bodies, slot);
}

static rps_status add_body(rps_surface *surface, const rps_world *world, size_t slot, bool is_new, last_mesh *last,
                           rps_error *err) {
    const int32_t count = drawn_pieces(surface, world, slot);
    for (int32_t k = 0; k < count; k++) {
        const rps_piece *piece = rps_body_pieces(world, slot) + k;
        RPS_TRY(mesh_of(surface, world, piece, (size_t)(surface->triangles / (uint64_t)count), last, err));
        RPS_TRY(add_piece(surface, world, slot, piece, &last->mesh, is_new, err));
    }
    return RPS_OK;
}

rps_status rps_surface_prepare(rps_surface *surface, const rps_world *world, const uint32_t *slot, size_t frames,
                               rps_error *err) {
    last_mesh last = {0};
    size_t known = 0; /* points of bodies already in the file */
    rps_status status = reserve_frames(surface, frames, frames + 1, err);
    surface->now_points = surface->new_triangles = surface->now_pieces = 0;
    for (size_t n = 0; status == RPS_OK && surface->triangles > 0 && n < world->bodies.count; n++) {
        const bool is_new = world->bodies.id[slot[n]][0] >= surface->ids;
        status = add_body(surface, world, slot[n], is_new, &last, err);
        if (!is_new) known = surface->now_points;
    }
    release_mesh(surface->allocator, &last.mesh);
    if (status == RPS_OK && surface->triangles > 0 && surface->open && known != surface->vertices.items) {
        status = rps_fail(err, RPS_UNSUPPORTED,
                          "%s: a body whose surface is drawn was removed, and its triangles are those of all later "
                          "frames: leave out `output: {surface: ...}`, or begin new results",
                          surface->path);
    }
    if (status == RPS_OK) { /* this buffer also holds index rows: one, or at first those of all frames */
        const size_t index = (surface->open ? 1 : frames + 1) * sizeof(uint64_t);
        status = rps_buffer_reserve(surface->allocator, &surface->row, &surface->row_bytes, surface->now_points * 12,
                                    index, err);
    }
    return status;
}

/* --- the file ---------------------------------------------------------------------------------------------------- */

static rps_status append_index(rps_surface *surface, size_t first, size_t count, rps_error *err) {
    for (int c = 0; c < surface->frames.columns; c++) {
        uint64_t *value = surface->row;
        for (size_t n = 0; n < count; n++) {
            value[n] = *frame_value(&surface->frame[first + n], c);
        }
        RPS_TRY(rps_table_append(&surface->frames, c, 0, count, value, err));
    }
    return RPS_OK;
}

static rps_status create_group(rps_surface *surface, hid_t file, size_t frames, rps_error *err) {
    hid_t id = rps_h5_create_group(file, group);
    if (id < 0) {
        return rps_h5_fail(err, "create", surface->path);
    }
    H5Gclose(id);
    surface->open = true;
    RPS_TRY(
        rps_table_create(&surface->points, file, rps_surface_part_name(0), surface->path, surface->now_points, err));
    RPS_TRY(
        rps_table_create(&surface->vertices, file, rps_surface_part_name(1), surface->path, surface->now_points, err));
    RPS_TRY(rps_table_create(&surface->corners, file, rps_surface_part_name(2), surface->path, surface->new_triangles,
                             err));
    RPS_TRY(rps_table_create(&surface->frames, file, rps_surface_part_name(3), surface->path, 1, err));
    memset(surface->frame, 0, frames * sizeof *surface->frame);
    return RPS_OK;
}

typedef struct vertex {
    uint64_t id;
    int32_t piece, shape, material, kind, group;
    float velocity[3];
} vertex;

static void put_vertex(const vertex *v, const char *column, size_t count, size_t first, void *out) {
    const int32_t number = strcmp(column, "piece") == 0      ? v->piece
                           : strcmp(column, "shape") == 0    ? v->shape
                           : strcmp(column, "material") == 0 ? v->material
                           : strcmp(column, "kind") == 0     ? v->kind
                                                             : v->group;
    const bool id = strcmp(column, "id") == 0, velocity = strcmp(column, "velocity") == 0;
    for (size_t n = first; n < first + count; n++) {
        if (id) {
            ((uint64_t *)out)[n] = v->id;
        } else if (velocity) {
            memcpy((float(*)[3])out + n, v->velocity, sizeof v->velocity);
        } else {
            ((int32_t *)out)[n] = number;
        }
    }
}

/* Fills a column that is constant over each piece, for all bodies. */
static void fill_column(rps_surface *surface, const rps_world *world, const uint32_t *slot, const char *column) {
    const rps_bodies *bodies = &world->bodies;
    const uint32_t *points_of = surface->points_of;
    size_t at = 0;
    for (size_t n = 0; n < bodies->count; n++) {
        const size_t s = slot[n];
        const double *v = bodies->motion[s].velocity;
        for (int32_t k = 0; k < drawn_pieces(surface, world, s); k++) {
            const rps_piece *piece = rps_body_pieces(world, s) + k;
            const vertex value = {bodies->id[s][0],
                                  k,
                                  (int32_t)piece->shape,
                                  (int32_t)piece->material,
                                  bodies->kind[s][0],
                                  bodies->group[s][0],
                                  {(float)v[0], (float)v[1], (float)v[2]}};
            put_vertex(&value, column, *points_of, at, surface->row);
            at += *points_of++;
        }
    }
}

rps_status rps_surface_append(rps_surface *surface, hid_t file, const rps_world *world, const uint32_t *slot,
                              size_t frames, rps_error *err) {
    const size_t points = surface->now_points;
    if (!surface->open && points == 0) {
        surface->frame[frames] = nothing;
        return RPS_OK;
    }
    const bool first = !surface->open;
    if (first) {
        RPS_TRY(create_group(surface, file, frames, err));
    }
    surface->frame[frames] =
        (rps_surface_frame){surface->points.items, points, surface->corners.items + surface->new_triangles};
    RPS_TRY(rps_table_append(&surface->points, 0, 0, points, surface->row, err));
    fill_column(surface, world, slot, "velocity");
    RPS_TRY(rps_table_append(&surface->points, 1, 0, points, surface->row, err));
    const size_t old = (size_t)surface->vertices.items;
    for (int c = 0; c < surface->vertices.columns && points > old; c++) {
        const rps_column *column = &surface->vertices.column[c];
        fill_column(surface, world, slot, column->name);
        const char *row = (const char *)surface->row + old * rps_type_bytes(column->type);
        RPS_TRY(rps_table_append(&surface->vertices, c, 0, points - old, row, err));
    }
    RPS_TRY(rps_table_append(&surface->corners, 0, 0, surface->new_triangles, surface->triangle, err));
    return first ? append_index(surface, 0, frames + 1, err) : append_index(surface, frames, 1, err);
}

void rps_surface_commit(rps_surface *surface, const rps_world *world, size_t frames) {
    surface->ids = world->bodies.ids;
    if (!surface->open) {
        return;
    }
    rps_table_commit(&surface->points, surface->now_points);
    rps_table_commit(&surface->vertices, surface->now_points - surface->vertices.items);
    rps_table_commit(&surface->corners, surface->new_triangles);
    rps_table_commit(&surface->frames, frames + 1 - surface->frames.items);
}

/* Reads the first rows of the index into memory. */
static bool surface_read_index(rps_surface *surface, size_t frames) {
    hsize_t count = frames, start = 0;
    bool good = true;
    for (int c = 0; c < surface->frames.columns && good && frames > 0; c++) {
        uint64_t *value = surface->row;
        hid_t in_memory = H5Screate_simple(1, &count, NULL), in_file = H5Dget_space(surface->frames.dataset[c]);
        good = H5Sselect_hyperslab(in_file, H5S_SELECT_SET, &start, NULL, &count, NULL) >= 0 &&
               H5Dread(surface->frames.dataset[c], H5T_NATIVE_UINT64, in_memory, in_file, H5P_DEFAULT, value) >= 0;
        for (size_t n = 0; n < frames && good; n++) {
            *frame_value(&surface->frame[n], c) = value[n];
        }
        H5Sclose(in_file);
        H5Sclose(in_memory);
    }
    return good;
}

rps_status rps_surface_resume(rps_surface *surface, hid_t file, uint64_t frames, uint64_t bodies, rps_error *err) {
    const char *path = surface->path;
    const size_t count = (size_t)frames;
    RPS_TRY(reserve_frames(surface, 0, count, err));
    RPS_TRY(
        rps_buffer_reserve(surface->allocator, &surface->row, &surface->row_bytes, 0, count * sizeof(uint64_t), err));
    if (count > 0) {
        memset(surface->frame, 0, count * sizeof *surface->frame);
    }
    /* if drawn bodies were removed, the next frame refuses these results; held ones are there from the start */
    surface->ids = surface->held_only && frames > 0 ? UINT64_MAX : bodies;
    if (surface->triangles == 0 || H5Lexists(file, group, H5P_DEFAULT) <= 0) {
        return RPS_OK;
    }
    surface->open = true;
    RPS_TRY(rps_table_resume(&surface->frames, file, rps_surface_part_name(3), path, frames, err));
    if (!surface_read_index(surface, count)) {
        return rps_h5_fail(err, "read", path);
    }
    const rps_surface_frame last = count > 0 ? surface->frame[count - 1] : nothing;
    RPS_TRY(rps_table_resume(&surface->points, file, rps_surface_part_name(0), path, last.offset + last.points, err));
    RPS_TRY(rps_table_resume(&surface->vertices, file, rps_surface_part_name(1), path, last.points, err));
    return rps_table_resume(&surface->corners, file, rps_surface_part_name(2), path, last.triangles, err);
}

rps_status rps_surface_describe(const rps_surface *surface, const char *xdmf, const char *title, const rps_frame *frame,
                                size_t frames, rps_error *err) {
    const rps_surface_tables tables = {&surface->points, &surface->vertices, &surface->corners};
    return surface->open
               ? rps_xdmf_write_surfaces(xdmf, title, &tables, surface->frame, frame, frames, surface->allocator, err)
               : RPS_OK;
}

rps_status rps_surface_link(const rps_surface *surface, const char *vtkhdf, size_t frames, rps_error *err) {
    const rps_surface_tables tables = {&surface->points, &surface->vertices, &surface->corners};
    return surface->open ? rps_vtkhdf_write_surfaces(vtkhdf, &tables, surface->frame, frames, surface->allocator, err)
                         : RPS_OK;
}

bool rps_surface_close(rps_surface *surface) {
    rps_table *table[] = {&surface->points, &surface->vertices, &surface->corners, &surface->frames};
    bool good = true;
    for (int k = 0; k < 4; k++) {
        good = rps_table_close(table[k]) && good;
    }
    return good;
}

void rps_surface_release(rps_surface *surface) {
    const rps_allocator *allocator = surface->allocator;
    void *frame = surface->frame;
    rps_buffer_release(allocator, &frame, &surface->frame_bytes);
    surface->frame = NULL;
    rps_buffer_release(allocator, &surface->row, &surface->row_bytes);
    rps_buffer_release(allocator, &surface->triangle, &surface->triangle_bytes);
    rps_buffer_release(allocator, &surface->points_of, &surface->points_of_bytes);
}
