/* Fields are arrays that grow together. The table of formats at the end has a reader and a writer for each. */
#include "io/points.h"

#include <math.h>
#include <string.h>

#include "io/points_parts.h"

void rps_points_init(rps_points *points, const rps_allocator *allocator) {
    memset(points, 0, sizeof *points);
    points->allocator = allocator;
}

void rps_points_release(rps_points *points) {
    for (int f = 0; f < RPS_POINT_FIELDS; f++) {
        rps_buffer_release(points->allocator, &points->field[f].value, &points->field[f].bytes);
    }
    rps_points_init(points, points->allocator);
}

void rps_points_clear(rps_points *points) {
    points->count = 0;
    points->fields = points->types = 0;
    points->time = 0.0;
    points->step = 0;
    points->has_box = false;
    for (int k = 0; k < 3; k++) points->periodic[k] = false;
}

const rps_point_field *rps_points_find(const rps_points *points, const char *name) {
    for (int f = 0; f < points->fields; f++) {
        if (strcmp(points->field[f].name, name) == 0) return &points->field[f];
    }
    return NULL;
}

const double *rps_points_values(const rps_points *points, const char *name) {
    const rps_point_field *field = rps_points_find(points, name);
    return field ? field->value : NULL;
}

static rps_status field_reserve(const rps_points *points, rps_point_field *field, size_t from, size_t count,
                                rps_error *err) {
    const size_t width = (size_t)field->components * sizeof(double);
    size_t bytes;
    RPS_TRY(rps_size_of_items(count, width, &bytes, err));
    RPS_TRY(rps_buffer_reserve(points->allocator, &field->value, &field->bytes, from * width, bytes, err));
    if (count > from) memset((char *)field->value + from * width, 0, bytes - from * width);
    return RPS_OK;
}

rps_status rps_points_add_field(rps_points *points, const char *name, int components, bool whole,
                                rps_point_field **field, rps_error *err) {
    if (points->fields == RPS_POINT_FIELDS) {
        return rps_fail(err, RPS_BAD_INPUT, "there are more than %d fields", (int)RPS_POINT_FIELDS);
    }
    if (strlen(name) >= RPS_POINT_NAME) {
        return rps_fail(err, RPS_BAD_INPUT, "the name of the field `%.40s...` is longer than %d bytes", name,
                        (int)RPS_POINT_NAME - 1);
    }
    rps_point_field *f = &points->field[points->fields];
    strcpy(f->name, name);
    f->components = components;
    f->whole = whole;
    f->chosen = false;
    /* one number at least, so that the values of no points are there too */
    RPS_TRY(field_reserve(points, f, 0, points->count > 0 ? points->count : 1, err));
    points->fields++;
    if (field) *field = f;
    return RPS_OK;
}

rps_status rps_points_resize(rps_points *points, size_t count, rps_error *err) {
    for (int f = 0; f < points->fields && count > points->count; f++) {
        RPS_TRY(field_reserve(points, &points->field[f], points->count, count, err));
    }
    points->count = count;
    return RPS_OK;
}

void rps_points_select(rps_points *points, const unsigned char *keep) {
    size_t kept = 0;
    for (size_t n = 0; n < points->count; n++) {
        if (!keep[n]) continue;
        for (int f = 0; f < points->fields && kept < n; f++) {
            const size_t width = (size_t)points->field[f].components;
            double *value = points->field[f].value;
            memcpy(value + kept * width, value + n * width, width * sizeof *value);
        }
        kept++;
    }
    points->count = kept;
}

rps_status rps_points_type(rps_points *points, const char *name, double *index, rps_error *err) {
    for (int t = 0; t < points->types; t++) {
        *index = t;
        if (strcmp(points->type_name[t], name) == 0) return RPS_OK;
    }
    if (points->types == RPS_POINT_TYPES || strlen(name) >= RPS_POINT_NAME || !name[0]) {
        return rps_fail(err, RPS_BAD_INPUT,
                        "`%.40s` cannot be a material: there are %d at most, with names of 1 to %d bytes", name,
                        (int)RPS_POINT_TYPES, (int)RPS_POINT_NAME - 1);
    }
    *index = points->types;
    strcpy(points->type_name[points->types++], name);
    return RPS_OK;
}

void rps_points_bounds(const rps_points *points, double low[3], double high[3]) {
    const double *x = rps_points_values(points, "position"), *radius = rps_points_values(points, "radius");
    for (int k = 0; k < 3; k++) {
        low[k] = INFINITY;
        high[k] = -INFINITY;
        for (size_t n = 0; n < points->count; n++) {
            const double r = radius ? radius[n] : 0.0;
            low[k] = fmin(low[k], x[3 * n + (size_t)k] - r);
            high[k] = fmax(high[k], x[3 * n + (size_t)k] + r);
        }
        if (points->has_box) low[k] = points->low[k], high[k] = points->high[k];
        if (!(low[k] < high[k])) { /* no points, or all in a plane */
            const double middle = isfinite(low[k]) ? low[k] : 0.0;
            low[k] = middle - 0.5;
            high[k] = middle + 0.5;
        }
    }
}

double rps_points_type_of(const rps_points *points, size_t point) {
    const double *type = rps_points_values(points, "type"), *material = rps_points_values(points, "material");
    return type ? type[point] : material ? material[point] + 1.0 : 1.0;
}

/* --- formats -------------------------------------------------------------------------------------------------------- */

static const char particle[] = "radius mass velocity angular_velocity orientation material";

static const struct {
    const char *name, *ends, *begins; /* of names of files, between blanks */
    const char *chosen;               /* fields that are written unless others are chosen; NULL: all */
    bool many;
    rps_status (*read)(rps_points_source *source, bool *more, rps_error *err);
    rps_status (*write)(const rps_points *points, bool binary, rps_text *out, rps_error *err);
} format_table[RPS_POINTS_FORMATS] = {
    [RPS_POINTS_RESULTS] = {.name = "results", .ends = ".h5"},
    [RPS_POINTS_DUMP] = {"dump", ".dump .lammpstrj .liggghts", "dump.",
                         "id type radius mass velocity angular_velocity force torque", true, rps_points_read_dump,
                         rps_points_write_dump},
    [RPS_POINTS_DATA] = {"data", ".data .lmp", "data.", particle, false, rps_points_read_data, rps_points_write_data},
    [RPS_POINTS_VTU] = {"vtu", ".vtu", "", NULL, false, rps_points_read_vtu, rps_points_write_vtu},
    [RPS_POINTS_PLY] = {"ply", ".ply", "", NULL, false, rps_points_read_ply, rps_points_write_ply},
    [RPS_POINTS_CSV] = {"csv", ".csv", "", particle, false, rps_points_read_csv, rps_points_write_csv},
    [RPS_POINTS_XYZ] = {"xyz", ".xyz", "", "id radius velocity orientation angular_velocity", true, rps_points_read_xyz,
                        rps_points_write_xyz},
};

/* Is the word one of a list between blanks? */
static bool is_listed(const char *list, const char *word) {
    const size_t n = strlen(word);
    for (const char *at = list; n > 0 && (at = strstr(at, word)) != NULL; at += n) {
        if ((at == list || at[-1] == ' ') && (at[n] == ' ' || at[n] == '\0')) return true;
    }
    return false;
}

const char *rps_points_format_name(int format) {
    return format >= 0 && format < RPS_POINTS_FORMATS ? format_table[format].name : "";
}

rps_points_format rps_points_format_of(const char *path) {
    const char *base = strrchr(path, '/'), *dot = strrchr(path, '.');
    base = base ? base + 1 : path;
    if (rps_is_directory(path)) return RPS_POINTS_RESULTS;
    for (int f = 0; f < RPS_POINTS_FORMATS; f++) {
        if (dot && dot >= base && is_listed(format_table[f].ends, dot)) return (rps_points_format)f;
    }
    for (int f = 0; f < RPS_POINTS_FORMATS; f++) {
        const char *begins = format_table[f].begins;
        if (begins && begins[0] && strncmp(base, begins, strlen(begins)) == 0) return (rps_points_format)f;
    }
    return RPS_POINTS_FORMATS;
}

bool rps_points_many(rps_points_format format) {
    return format_table[format].many;
}

/* Fields that most files have come first, in this order. */
static void order_fields(rps_points *points) {
    static const char *const first[] = {
        "id", "type", "position", "radius", "mass", "velocity", "angular_velocity", "orientation", "force", "torque"};
    int at = 0;
    for (size_t k = 0; k < sizeof first / sizeof *first; k++) {
        const rps_point_field *found = rps_points_find(points, first[k]);
        if (!found) continue;
        const int from = (int)(found - points->field);
        const rps_point_field moved = *found;
        memmove(&points->field[at + 1], &points->field[at], (size_t)(from - at) * sizeof moved);
        points->field[at++] = moved;
    }
}

rps_status rps_points_choose(rps_points *points, rps_points_format format, const char *const *name, size_t names,
                             rps_error *err) {
    const char *known[RPS_POINT_FIELDS];
    const char *usual = format_table[format].chosen;
    order_fields(points);
    for (int f = 0; f < points->fields; f++) {
        rps_point_field *field = &points->field[f];
        known[f] = field->name;
        field->chosen = names == 0 && (usual == NULL || is_listed(usual, field->name));
    }
    for (size_t n = 0; n < names; n++) {
        const rps_point_field *field = rps_points_find(points, name[n]);
        const char *near = rps_closest_name(name[n], known, (size_t)points->fields);
        if (!field) {
            return rps_fail(err, RPS_BAD_INPUT, "there is no field `%.60s`%s%s%s", name[n],
                            near ? "; did you mean `" : "", near ? near : "", near ? "`?" : "");
        }
        points->field[field - points->field].chosen = true;
    }
    const rps_point_field *position = rps_points_find(points, "position");
    if (!position || position->components != 3) {
        return rps_fail(err, RPS_BAD_INPUT, "there are no positions, without which there is nothing to write");
    }
    points->field[position - points->field].chosen = true;
    return RPS_OK;
}

rps_status rps_points_write(const rps_points *points, rps_points_format format, bool binary, rps_text *out,
                            rps_error *err) {
    RPS_TRY(format_table[format].write(points, binary, out, err));
    return out->status == RPS_OK ? RPS_OK : rps_fail(err, out->status, "no memory for the text of a frame");
}

/* --- sources -------------------------------------------------------------------------------------------------------- */

rps_status rps_points_open(const char *path, rps_points_format format, const rps_allocator *allocator,
                           rps_points_source **out, rps_error *err) {
    void *memory;
    *out = NULL;
    RPS_TRY(rps_memory_alloc_zeroed(allocator, sizeof(rps_points_source), &memory, err));
    rps_points_source *source = memory;
    source->allocator = allocator;
    source->format = format;
    rps_points_init(&source->points, allocator);
    rps_status status = rps_path_join(source->path, NULL, path, err);
    if (status == RPS_OK && format == RPS_POINTS_RESULTS) {
        status = rps_results_open(path, allocator, &source->results, err);
    } else if (status == RPS_OK) {
        status = rps_file_read_bytes(path, &source->bytes, &source->capacity, &source->count, err);
        source->at = source->bytes;
        source->end = source->at ? source->at + source->count : NULL;
    }
    if (status != RPS_OK) {
        rps_points_close(source);
        return status;
    }
    *out = source;
    return RPS_OK;
}

rps_status rps_points_next(rps_points_source *source, bool wanted, rps_points **points, rps_error *err) {
    bool more = true;
    *points = NULL;
    rps_points_clear(&source->points);
    if (source->format == RPS_POINTS_RESULTS) {
        RPS_TRY(rps_points_read_results(source, wanted, &more, err));
    } else if (source->frame > 0 && !rps_points_many(source->format)) {
        more = false;
    } else {
        RPS_TRY(format_table[source->format].read(source, &more, err));
    }
    source->frame++;
    if (more) *points = &source->points;
    return RPS_OK;
}

void rps_points_close(rps_points_source *source) {
    if (!source) return;
    rps_results_reader_close(source->results);
    rps_buffer_release(NULL, &source->bytes, &source->capacity);
    rps_points_release(&source->points);
    rps_memory_release(source->allocator, source, sizeof *source);
}
