/* Writers of meshes. Bytes are put in order one by one, so the files are the same on every machine. */
#include "mesh/write.h"

#include <ctype.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

bool rps_mesh_format_of(const char *name, rps_mesh_format *out) {
    static const char *const ending[] = {[RPS_MESH_STL] = ".stl", [RPS_MESH_OBJ] = ".obj", [RPS_MESH_PLY] = ".ply"};
    const size_t length = strlen(name);
    for (int k = 0; k < 3 && length > 4; k++) {
        bool same = true;
        for (int c = 0; c < 4; c++) same = same && tolower((unsigned char)name[length - 4 + (size_t)c]) == ending[k][c];
        if (!same) continue;
        *out = (rps_mesh_format)k;
        return true;
    }
    return false;
}

enum { PART = 1 << 16, LARGEST_ITEM = 256 };

typedef struct mesh_writer {
    const rps_mesh *mesh;
    double factor;
    rps_mesh_write_fn *write;
    void *context;
    size_t count;
    char part[PART];
} mesh_writer;

static void flush_part(mesh_writer *w) {
    w->write(w->context, w->part, w->count);
    w->count = 0;
}

/* Of at most LARGEST_ITEM bytes. */
static void put_bytes(mesh_writer *w, const void *bytes, size_t count) {
    if (w->count + count > PART) flush_part(w);
    memcpy(w->part + w->count, bytes, count);
    w->count += count;
}

static void put_text(mesh_writer *w, const char *text) {
    put_bytes(w, text, strlen(text));
}

static void put_little(mesh_writer *w, uint64_t value, int bytes) {
    unsigned char out[8];
    for (int k = 0; k < bytes; k++) out[k] = (unsigned char)(value >> 8 * k & 0xff);
    put_bytes(w, out, (size_t)bytes);
}

static void put_float(mesh_writer *w, double value) {
    const float single = (float)value;
    uint32_t bits;
    memcpy(&bits, &single, sizeof bits);
    put_little(w, bits, 4);
}

static void put_double(mesh_writer *w, double value) {
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    put_little(w, bits, 8);
}

/* A coordinate in the unit of the file. Of the quotient and its neighbors the one that gives the coordinate back. */
static double in_unit(double x, double factor) {
    const double quotient = x / factor;
    uint64_t bits;
    memcpy(&bits, &quotient, sizeof bits);
    for (int k = 0; k < 3 && quotient != 0.0; k++) {
        const uint64_t other = k == 0 ? bits : k == 1 ? bits + 1 : bits - 1;
        double near;
        memcpy(&near, &other, sizeof near);
        if (near * factor == x) return near;
    }
    return quotient;
}

static rps_status check_single(const mesh_writer *w, rps_error *err) {
    for (size_t p = 0; p < w->mesh->points; p++) {
        for (int k = 0; k < 3; k++) {
            const double x = in_unit(w->mesh->point[p][k], w->factor);
            if (fabs(x) <= FLT_MAX) continue;
            return rps_fail(
                err, RPS_UNSUPPORTED,
                "the coordinate %g is more than STL can hold, which has single precision: write .ply or .obj", x);
        }
    }
    return RPS_OK;
}

static void write_stl(mesh_writer *w) {
    static const char head[80] = "binary STL, corners counterclockwise seen from outside";
    put_bytes(w, head, sizeof head);
    put_little(w, w->mesh->triangles, 4);
    for (size_t t = 0; t < w->mesh->triangles; t++) {
        for (int k = 0; k < 3; k++) put_float(w, w->mesh->normal[t][k]);
        for (int c = 0; c < 3; c++) {
            const double *at = w->mesh->point[w->mesh->triangle[t][c]];
            for (int k = 0; k < 3; k++) put_float(w, in_unit(at[k], w->factor));
        }
        put_little(w, 0, 2);
    }
}

static void write_obj(mesh_writer *w) {
    char line[LARGEST_ITEM], x[3][RPS_DOUBLE_TEXT];
    for (size_t p = 0; p < w->mesh->points; p++) {
        for (int k = 0; k < 3; k++) rps_double_format(in_unit(w->mesh->point[p][k], w->factor), x[k]);
        snprintf(line, sizeof line, "v %s %s %s\n", x[0], x[1], x[2]);
        put_text(w, line);
    }
    for (size_t t = 0; t < w->mesh->triangles; t++) {
        const uint32_t *corner = w->mesh->triangle[t];
        snprintf(line, sizeof line, "f %zu %zu %zu\n", (size_t)corner[0] + 1, (size_t)corner[1] + 1,
                 (size_t)corner[2] + 1);
        put_text(w, line);
    }
}

static void write_ply(mesh_writer *w) {
    char line[LARGEST_ITEM];
    put_text(w, "ply\nformat binary_little_endian 1.0\n");
    snprintf(line, sizeof line, "element vertex %zu\n", w->mesh->points);
    put_text(w, line);
    put_text(w, "property double x\nproperty double y\nproperty double z\n");
    snprintf(line, sizeof line, "element face %zu\n", w->mesh->triangles);
    put_text(w, line);
    put_text(w, "property list uchar uint vertex_indices\nend_header\n");
    for (size_t p = 0; p < w->mesh->points; p++) {
        for (int k = 0; k < 3; k++) put_double(w, in_unit(w->mesh->point[p][k], w->factor));
    }
    for (size_t t = 0; t < w->mesh->triangles; t++) {
        put_little(w, 3, 1);
        for (int k = 0; k < 3; k++) put_little(w, w->mesh->triangle[t][k], 4);
    }
}

rps_status rps_mesh_write(const rps_mesh *mesh, rps_mesh_format format, double factor, rps_mesh_write_fn *write,
                          void *context, rps_error *err) {
    void *block;
    RPS_TRY(rps_memory_alloc(mesh->allocator, sizeof(mesh_writer), &block, err));
    mesh_writer *w = block;
    w->mesh = mesh;
    w->factor = factor;
    w->write = write;
    w->context = context;
    w->count = 0;
    const rps_status status = format == RPS_MESH_STL ? check_single(w, err) : RPS_OK;
    if (status == RPS_OK) {
        (format == RPS_MESH_STL ? write_stl : format == RPS_MESH_OBJ ? write_obj : write_ply)(w);
        flush_part(w);
    }
    rps_memory_release(mesh->allocator, w, sizeof *w);
    return status;
}
