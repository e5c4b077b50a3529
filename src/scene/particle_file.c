/* Reads particles from a file: CSV with a header, or XYZ (number of particles, a comment, one line per particle),
 * both also compressed by gzip. Files of other formats: particle_points.c. Every error names file and line. */
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <zlib.h>

#include "base/c_locale.h"
#include "io/csv_read.h"
#include "io/file.h"
#include "scene/particle_points.h"
#include "scene/scene_internal.h"

enum { COLUMNS = 64, LINE = 4096 };

typedef enum column {
    SKIP,
    X,
    Y,
    Z,
    RADIUS,
    MASS,
    VX,
    VY,
    VZ,
    WX,
    WY,
    WZ,
    QW,
    QX,
    QY,
    QZ,
    MATERIAL,
    COLUMN_KINDS
} column;
static const char *const column_name[COLUMN_KINDS] = {"-",  "x",  "y",  "z",  "radius", "mass", "vx", "vy",      "vz",
                                                      "wx", "wy", "wz", "qw", "qx",     "qy",   "qz", "material"};

typedef struct reader {
    rps_scene *scene;
    rps_world *world;
    const rps_node *set, *node; /* the set and its `file` */
    const char *path;
    gzFile file;
    char line[LINE];
    int number; /* of the line */
    bool csv;
    column column[COLUMNS];
    int columns;
    double scale, shift[3];
    const rps_particle_template *particle_template;
    uint32_t set_number;
    uint64_t count;
    rps_error *err;
} reader;

/* A sentence behind file and line. */
static rps_status file_fail(reader *r, const char *fmt, ...) RPS_PRINTF(2, 3);
static rps_status file_fail(reader *r, const char *fmt, ...) {
    char message[1024];
    va_list args;
    va_start(args, fmt);
    rps_vsnprintf(message, sizeof message, fmt, args);
    va_end(args);
    return rps_fail(r->err, RPS_BAD_INPUT, "%s:%d: %s", r->path, r->number, message);
}

/* Reads the next line without its terminator; *more is false at the end of the file. */
static rps_status next_line(reader *r, bool *more) {
    *more = gzgets(r->file, r->line, LINE) != NULL;
    r->number++;
    if (!*more) {
        int code, error = errno;
        char cause[RPS_SYSTEM_ERROR];
        const char *text = gzerror(r->file, &code);
        if (code == Z_ERRNO) return file_fail(r, "the file cannot be read: %s", rps_system_error(error, cause));
        if (code != Z_OK && code != Z_STREAM_END) return file_fail(r, "the file cannot be read: %s", text);
        if (!gzeof(r->file)) return file_fail(r, "the file cannot be read");
        return RPS_OK;
    }
    /* a byte order mark, written by some spreadsheets */
    if (r->number == 1 && strncmp(r->line, "\357\273\277", 3) == 0)
        memmove(r->line, r->line + 3, strlen(r->line + 3) + 1);
    size_t length = strlen(r->line);
    if (length + 1 == LINE && r->line[length - 1] != '\n') return file_fail(r, "the line is too long for a particle");
    if (length > 0 && r->line[length - 1] != '\n' && !gzeof(r->file)) return file_fail(r, "a zero byte is no text");
    while (length > 0 && (r->line[length - 1] == '\n' || r->line[length - 1] == '\r')) r->line[--length] = 0;
    for (size_t i = 0; i < length; i++) {
        if ((unsigned char)r->line[i] < 32 && r->line[i] != '\t')
            return file_fail(r, "the line holds bytes that are no text");
    }
    return RPS_OK;
}

/* Splits the line in place into fields, at commas (CSV) or blanks. -1: too many fields. */
static int split_line(reader *r, char *field[COLUMNS]) {
    return rps_csv_split(r->line, r->csv ? ',' : '\0', field, COLUMNS);
}

/* --- columns ------------------------------------------------------------------------------------------------------- */

static int particle_file_find_column(const char *name) {
    if (strcmp(name, "r") == 0) return RADIUS;
    if (strcmp(name, "omegax") == 0) return WX;
    if (strcmp(name, "omegay") == 0) return WY;
    if (strcmp(name, "omegaz") == 0) return WZ;
    for (int i = 0; i < COLUMN_KINDS; i++) {
        if (strcmp(column_name[i], name) == 0) return i;
    }
    return -1;
}

static rps_status check_columns(reader *r) {
    int seen[COLUMN_KINDS] = {0};
    for (int i = 0; i < r->columns; i++) {
        if (r->column[i] != SKIP && seen[r->column[i]]++) {
            return file_fail(r, "the column `%s` stands twice", column_name[r->column[i]]);
        }
    }
    for (int k = X; k <= Z; k++) {
        if (seen[k] || (k == Y && r->scene->planar)) continue;
        return file_fail(r, "there is no column `%s`; the columns %s are needed", column_name[k],
                         r->scene->planar ? "x, z" : "x, y, z");
    }
    if (!seen[RADIUS] && r->particle_template->by_file) {
        return file_fail(r, "there is no column `%s`, and the set gives no radius either", column_name[RADIUS]);
    }
    if (seen[RADIUS] && !r->particle_template->by_file) {
        const rps_node *radius = rps_node_get(r->set, "radius");
        return rps_place_fail(r->err, radius ? radius->place : r->set->place,
                              "the file %s has radii of its own; leave %s "
                              "out, or skip its column by `columns`",
                              r->path, radius ? "`radius`" : "the shape");
    }
    const rps_node *turn = rps_node_get(r->set, "orientation");
    const int turns = seen[QW] + seen[QX] + seen[QY] + seen[QZ];
    if (turns != 0 && turns != 4) {
        return file_fail(r, "an orientation takes the four columns qw, qx, qy, qz, but there are %d of them", turns);
    }
    if (turns != 0 && turn) {
        return rps_place_fail(
            r->err, turn->place,
            "the file %s has orientations of its own; leave `orientation` out, or skip its columns by "
            "`columns`",
            r->path);
    }
    if (seen[MATERIAL] && r->particle_template->def.piece) {
        return file_fail(r, "materials of bodies of several pieces are those of the pieces; skip the column `%s`",
                         column_name[MATERIAL]);
    }
    return RPS_OK;
}

/* Adds a column named in the scene or in a header line. */
static rps_status name_column(reader *r, const char *name, const rps_node *node) {
    int found = particle_file_find_column(name);
    char hint[512];
    if (r->columns == COLUMNS) return file_fail(r, "there are too many columns");
    if (found < 0 && node) {
        return rps_place_fail(r->err, node->place, "`%.40s` is no column%s", name,
                              rps_suggest(name, column_name, COLUMN_KINDS, hint, sizeof hint));
    }
    if (found < 0) {
        const char *known = rps_suggest(name, column_name, COLUMN_KINDS, hint, sizeof hint);
        return file_fail(
            r, "`%.40s` is no column; %s; or name the columns in the scene by `columns`, with - for one to skip", name,
            known + 1);
    }
    r->column[r->columns++] = (column)found;
    return RPS_OK;
}

static rps_status columns_from_scene(reader *r, const rps_node *columns) {
    for (size_t i = 0; i < columns->count; i++) {
        RPS_TRY(name_column(r, columns->entry[i].value->text, columns->entry[i].value));
    }
    return RPS_OK;
}

static bool is_number(const char *text) {
    double value;
    return rps_parse_double(text, &value, NULL) == RPS_OK;
}

/* Without column names an XYZ line is x y z [radius], after a label if the first field is not a number. */
static rps_status columns_of_xyz(reader *r, char *field[COLUMNS], int n) {
    int at = 0;
    if (n > 0 && !is_number(field[0])) r->column[at++] = SKIP;
    if (n - at != 3 && n - at != 4) {
        return file_fail(r, "%d numbers in a line; x y z or x y z radius are understood, or name them by `columns`",
                         n - at);
    }
    for (int k = X; at < n; k++) r->column[at++] = (column)k;
    r->columns = at;
    return RPS_OK;
}

/* --- rows ---------------------------------------------------------------------------------------------------------- */

static rps_status read_number(reader *r, const char *text, column kind, double *value) {
    char what[160];
    snprintf(what, sizeof what, "`%.60s` in column `%s`", text, column_name[kind]);
    if (rps_parse_double(text, value, NULL) != RPS_OK) {
        return file_fail(r, "%s %s", what, *text ? "is no finite number" : "is empty");
    }
    if ((kind == RADIUS || kind == MASS) && !(*value > 0.0)) {
        return file_fail(r, "%s must be above 0", what);
    }
    return RPS_OK;
}

static rps_status particle_file_read_row(reader *r) {
    char *field[COLUMNS];
    rps_body_def def;
    RPS_TRY(rps_sizes_prepare(&r->particle_template->sizes, r->count + 1, r->err));
    rps_particle_template_draw(r->particle_template, r->scene->seed, rps_set_key(r->set_number, r->count), &def);
    int n = split_line(r, field);
    if (r->columns == 0) RPS_TRY(columns_of_xyz(r, field, n));
    if (r->count == 0) RPS_TRY(check_columns(r));
    if (n != r->columns) {
        return file_fail(r, "the line has %d fields, but there are %d columns", n, r->columns);
    }
    for (int i = 0; i < n; i++) {
        column kind = r->column[i];
        double value = 0.0;
        if (kind == SKIP) continue;
        if (kind == MATERIAL) {
            def.material = rps_world_find_material(r->world, field[i]);
            if (def.material < 0) return file_fail(r, "there is no material `%.60s` in the scene", field[i]);
            continue;
        }
        RPS_TRY(read_number(r, field[i], kind, &value));
        if (kind >= X && kind <= Z)
            def.position[kind - X] = value * r->scale + r->shift[kind - X];
        else if (kind == RADIUS)
            def.radius = value * r->scale;
        else if (kind == MASS)
            def.mass = value;
        else if (kind >= VX && kind <= VZ)
            def.velocity[kind - VX] = value;
        else if (kind >= QW && kind <= QZ)
            def.orientation[kind - QW] = value;
        else
            def.angular_velocity[kind - WX] = value;
    }
    uint64_t id;
    rps_scene_add_flow(r->world, &def);
    rps_status status = rps_world_add_body(r->world, &def, &id, r->err);
    if (status != RPS_OK) rps_error_prefix(r->err, "%s:%d: ", r->path, r->number);
    r->count++;
    return status;
}

static rps_status particle_file_read_rows(reader *r, bool *more, double promised) {
    for (; *more;) {
        if (!rps_csv_is_void(r->line)) {
            if (promised >= 0.0 && (double)r->count >= promised) {
                return file_fail(r, "there are more particles than the first line says");
            }
            if (r->count % RPS_SCENE_ASK_EVERY == 0) RPS_TRY(rps_scene_may_proceed(r->scene, r->err));
            RPS_TRY(particle_file_read_row(r));
        }
        RPS_TRY(next_line(r, more));
    }
    if (promised >= 0.0 && (double)r->count != promised) {
        return file_fail(r, "the file ends after %llu particles, but its first line says %.0f",
                         (unsigned long long)r->count, promised);
    }
    if (r->count == 0) return file_fail(r, "the file holds no particles");
    return RPS_OK;
}

static rps_status skip_comments(reader *r, bool *more) {
    RPS_TRY(next_line(r, more));
    while (*more && rps_csv_is_void(r->line)) RPS_TRY(next_line(r, more));
    return *more ? RPS_OK : file_fail(r, "the file holds no particles");
}

static rps_status read_csv(reader *r) {
    bool more;
    RPS_TRY(skip_comments(r, &more));
    if (r->columns == 0) {
        char *field[COLUMNS];
        int n = split_line(r, field);
        if (n > 0 && is_number(field[0])) {
            return file_fail(
                r, "a header with the names of the columns is expected (x,y,z,radius), or name them by `columns`");
        }
        for (int i = 0; i < n; i++) RPS_TRY(name_column(r, field[i], NULL));
        RPS_TRY(check_columns(r));
        RPS_TRY(next_line(r, &more));
    }
    return particle_file_read_rows(r, &more, -1.0);
}

/* XYZ starts with the number of particles and a comment; a file without these two lines is accepted too. */
static rps_status read_xyz(reader *r) {
    bool more;
    char *field[COLUMNS], copy[LINE];
    RPS_TRY(skip_comments(r, &more));
    memcpy(copy, r->line, sizeof copy);
    int n = split_line(r, field);
    double promised = -1.0;
    bool header = n == 1 && is_number(field[0]);
    if (header) {
        RPS_TRY(read_number(r, field[0], SKIP, &promised));
        RPS_TRY(next_line(r, &more));
        if (more) RPS_TRY(next_line(r, &more));
    } else {
        memcpy(r->line, copy, sizeof copy);
    }
    return particle_file_read_rows(r, &more, promised);
}

static bool particle_file_ends_with(const char *text, const char *end) {
    size_t a = strlen(text), b = strlen(end);
    return a >= b && strcmp(text + a - b, end) == 0;
}

rps_status rps_build_particle_file(rps_scene *scene, rps_world *world, const rps_node *set,
                                   const rps_particle_template *particle_template, uint32_t number, uint64_t *count,
                                   rps_error *err) {
    const rps_node *node = rps_node_get(set, "file"),
                   *name = node->kind == RPS_NODE_MAP ? rps_node_get(node, "path") : node;
    const rps_node *format = rps_node_get(node, "format"), *columns = rps_node_get(node, "columns");
    reader *r = rps_pool_take(&scene->pool, sizeof *r, err);
    rps_points_format other;
    const char *path = rps_scene_file_path(scene, name, err);
    if (!r || !path) return RPS_NO_MEMORY;
    r->scene = scene;
    r->world = world;
    r->set = set;
    r->node = node;
    r->path = path;
    r->particle_template = particle_template;
    r->set_number = number;
    r->err = err;
    if (rps_is_points_file(path, format, &other)) {
        const rps_particle_points points = {set, node, path, other, particle_template, number};
        return rps_build_particle_points(scene, world, &points, count, err);
    }
    r->scale = rps_node_number(node, "scale", 1.0);
    rps_node_vector(node, "shift", r->shift, 3);
    if (format)
        r->csv = format->number[0] == 0.0;
    else if (particle_file_ends_with(path, ".csv") || particle_file_ends_with(path, ".csv.gz"))
        r->csv = true;
    else if (!particle_file_ends_with(path, ".xyz") && !particle_file_ends_with(path, ".xyz.gz")) {
        return rps_place_fail(
            err, name->place,
            "the name does not end in .csv, .xyz, .csv.gz, .xyz.gz, .dump, .data, .vtu or .ply\nsay what it is by "
            "`file: {path: ..., format: csv}`");
    }
    if (columns) RPS_TRY(columns_from_scene(r, columns));
    errno = 0;
    r->file = gzopen(path, "rb");
    if (!r->file) {
        const int error = errno ? errno : ENOMEM;
        char cause[RPS_SYSTEM_ERROR];
        return rps_place_fail(err, name->place, "the file %s cannot be opened: %s%s%s", path,
                              rps_system_error(error, cause), rps_file_remedy(error),
                              error == ENOENT ? "\nthe path starts at the scene file" : "");
    }
    gzbuffer(r->file, 1 << 17);
    rps_status status = r->csv ? read_csv(r) : read_xyz(r);
    gzclose(r->file);
    *count = r->count;
    return status == RPS_OK ? rps_scene_note_file(scene, path, err) : status;
}
