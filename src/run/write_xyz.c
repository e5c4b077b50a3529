/* run.xyz: frames of all bodies but planes as extended XYZ text, one after the other, which OVITO reads.
 *
 * A frame is the number of bodies, a line with the cell, the names of the columns and the time, and a line for each
 * body, by id: material, id, position, radius (of bodies that are not spheres: of the sphere about the centre that
 * holds them), velocity, orientation x y z w, angular velocity. Along open axes the cell spans the bodies. Numbers read
 * back to the same bits. */
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "io/append.h"
#include "io/file_names.h"
#include "run/run_state.h"
#include "world/body_shape.h"

typedef struct xyz {
    rps_append to;
    rps_text text; /* of a frame */
    uint64_t frames, last_from;
} xyz;

/* --- a frame ------------------------------------------------------------------------------------------------------ */

static void add_row(rps_text *text, const double *value, int count) {
    for (int k = 0; k < count; k++) {
        rps_text_add(text, " ", NULL);
        rps_text_add_double(text, value[k], NULL);
    }
}

/* A word of a line: blanks would begin another one. */
static void add_word(rps_text *text, const char *word) {
    for (; *word; word++) {
        const char one[2] = {isspace((unsigned char)*word) ? '_' : *word, '\0'};
        rps_text_add(text, one, NULL);
    }
}

/* Extent along an axis of all bodies but planes. */
static void find_extent(const rps_world *world, int axis, double *low, double *high) {
    *low = INFINITY, *high = -INFINITY;
    for (uint64_t id = 0, s; rps_bodies_next(&world->bodies, &id, &s); id++) {
        if (rps_body_is_plane(&world->bodies, s)) continue;
        const double x = world->bodies.pose[s].position[axis], r = world->bodies.pose[s].radius[0];
        *low = fmin(*low, x - r);
        *high = fmax(*high, x + r);
    }
    if (!(*low < *high)) *low = 0.0, *high = 1.0;
}

static void add_cell(const rps_world *world, rps_text *text) {
    const rps_cell *cell = &world->cell;
    double origin[3] = {0.0, 0.0, 0.0}, edge[3][3] = {{0.0}};
    for (int k = 0; k < 3; k++) {
        double high = cell->period[k];
        if (!(high > 0.0)) find_extent(world, k, &origin[k], &high);
        edge[k][k] = high - origin[k];
    }
    if (cell->sheared) edge[cell->gradient][cell->flow] = cell->offset;
    rps_text_add(text, "Lattice=\"", NULL);
    for (int k = 0; k < 9; k++) {
        if (k > 0) rps_text_add(text, " ", NULL);
        rps_text_add_double(text, edge[k / 3][k % 3], NULL);
    }
    rps_text_add(text, "\" Origin=\"", NULL);
    for (int k = 0; k < 3; k++) {
        if (k > 0) rps_text_add(text, " ", NULL);
        rps_text_add_double(text, origin[k], NULL);
    }
    rps_text_addf(text, NULL, "\" pbc=\"%c %c %c\"", cell->period[0] > 0.0 ? 'T' : 'F',
                  cell->period[1] > 0.0 ? 'T' : 'F', cell->period[2] > 0.0 ? 'T' : 'F');
}

static void add_frame(const rps_world *world, rps_text *text) {
    const rps_bodies *bodies = &world->bodies;
    size_t count = 0;
    for (uint64_t id = 0, s; rps_bodies_next(bodies, &id, &s); id++) count += !rps_body_is_plane(bodies, s);
    rps_text_addf(text, NULL, "%zu\n", count);
    add_cell(world, text);
    rps_text_add(
        text,
        " Properties=species:S:1:id:I:1:pos:R:3:radius:R:1:velo:R:3:orientation:R:4:angular_velocity:R:3 Time=", NULL);
    rps_text_add_double(text, rps_world_time(world), NULL);
    rps_text_addf(text, NULL, " Step=%llu\n", (unsigned long long)rps_world_steps(world));
    for (uint64_t id = 0, s; rps_bodies_next(bodies, &id, &s); id++) {
        if (rps_body_is_plane(&world->bodies, s)) continue;
        const double *q = bodies->orientation[s], turn[4] = {q[1], q[2], q[3], q[0]};
        add_word(text, rps_world_material(world, bodies->material[s][0]).name);
        rps_text_addf(text, NULL, " %llu", (unsigned long long)id);
        add_row(text, bodies->pose[s].position, 3);
        add_row(text, bodies->pose[s].radius, 1);
        add_row(text, bodies->motion[s].velocity, 3);
        add_row(text, turn, 4);
        add_row(text, bodies->motion[s].angular_velocity, 3);
        rps_text_add(text, "\n", NULL);
    }
}

static rps_status write_xyz(rps_run_state *run, void *state, rps_error *err) {
    xyz *x = state;
    const uint64_t from = rps_append_bytes(&x->to);
    rps_text_clear(&x->text);
    add_frame(run->world, &x->text);
    if (x->text.status != RPS_OK) {
        return rps_fail(err, x->text.status, "cannot write %s: no memory for a frame", x->to.path);
    }
    RPS_TRY(rps_append_write(&x->to, x->text.data, x->text.length, err));
    x->last_from = from;
    x->frames++;
    return RPS_OK;
}

/* --- the file ----------------------------------------------------------------------------------------------------- */

static rps_status make_xyz(rps_run_state *run, void **state, char path[RPS_PATH], rps_error *err) {
    void *memory;
    RPS_TRY(rps_memory_alloc_zeroed(run->allocator, sizeof(xyz), &memory, err));
    xyz *x = *state = memory;
    x->to.file = -1;
    rps_text_init(&x->text, run->allocator, (size_t)1 << 40);
    return rps_path_join(path, run->options->directory, RPS_XYZ_FILE, err);
}

static rps_status open_xyz(rps_run_state *run, void **state, rps_error *err) {
    char path[RPS_PATH];
    RPS_TRY(make_xyz(run, state, path, err));
    xyz *x = *state;
    return rps_append_open(&x->to, path, err);
}

static rps_status resume_xyz(rps_run_state *run, const rps_writer_mark *mark, void **state, rps_error *err) {
    char path[RPS_PATH];
    RPS_TRY(make_xyz(run, state, path, err));
    xyz *x = *state;
    x->frames = mark->items;
    x->last_from = mark->last_from;
    return mark->bytes == 0 ? rps_append_open(&x->to, path, err) : rps_append_resume(&x->to, path, mark->bytes, err);
}

/* Counts the whole frames within the first mark->bytes bytes. */
static rps_status count_frames(FILE *file, const char *path, rps_writer_mark *mark, rps_error *err) {
    const uint64_t most = mark->bytes;
    uint64_t at = 0, left = 0;
    char *line = NULL;
    size_t capacity = 0;
    ssize_t length;
    *mark = (rps_writer_mark){0};
    while (at < most && (length = getline(&line, &capacity, file)) > 0 && line[length - 1] == '\n') {
        if (left == 0) {
            mark->last_from = mark->bytes;
            char *end;
            left = strtoull(line, &end, 10) + 2; /* this line, the next, and the bodies */
            if (end == line || *end != '\n') break;
        }
        at += (uint64_t)length;
        if (--left > 0 || at > most) continue;
        mark->bytes = at;
        mark->items++;
    }
    const int number = ferror(file) ? errno : 0;
    free(line);
    return number ? rps_file_fail(err, "read", path, number) : RPS_OK;
}

static rps_status find_xyz(const rps_run_state *run, const char *folder, const char *checkpoint, rps_writer_mark *mark,
                           rps_error *err) {
    char path[RPS_PATH];
    rps_error why;
    const rps_writer_mark said = *mark;
    (void)run;
    RPS_TRY(rps_path_join(path, folder, RPS_XYZ_FILE, err));
    FILE *file = fopen(path, "re");
    rps_status status = file ? count_frames(file, path, mark, &why) : rps_file_fail(&why, "go on with", path, errno);
    if (file) fclose(file);
    if (status != RPS_OK) {
        *mark = (rps_writer_mark){0};
        return rps_fail(err, RPS_BAD_INPUT, "%s", why.text);
    }
    if (mark->items == said.items && mark->bytes == said.bytes) return RPS_OK;
    return rps_fail(err, RPS_BAD_INPUT, "%s has %llu whole frames, but %s was written after %llu", path,
                    (unsigned long long)mark->items, checkpoint, (unsigned long long)said.items);
}

static rps_status cut_xyz(const char *folder, rps_writer_mark *mark, rps_error *err) {
    (void)folder, (void)err;
    mark->items--;
    mark->bytes = mark->last_from;
    return RPS_OK;
}

static rps_status sync_xyz(void *state, rps_error *err) {
    xyz *x = state;
    return rps_append_sync(&x->to, err);
}

static void mark_xyz(const void *state, rps_writer_mark *mark) {
    const xyz *x = state;
    *mark = (rps_writer_mark){.items = x->frames, .bytes = rps_append_bytes(&x->to), .last_from = x->last_from};
}

static rps_status close_xyz(rps_run_state *run, void *state, rps_error *err) {
    xyz *x = state;
    const rps_status status = rps_append_close(&x->to, err);
    rps_text_release(&x->text);
    rps_memory_release(run->allocator, x, sizeof *x);
    return status;
}

static const char *const file[] = {RPS_XYZ_FILE, NULL};

const rps_writer rps_writer_xyz = {.file = file,
                                   .what = "frames of bodies as extended XYZ text, which OVITO reads",
                                   .find = find_xyz,
                                   .open = open_xyz,
                                   .resume = resume_xyz,
                                   .cut = cut_xyz,
                                   .write = write_xyz,
                                   .sync = sync_xyz,
                                   .mark = mark_xyz,
                                   .close = close_xyz};
