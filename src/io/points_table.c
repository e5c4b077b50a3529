/* Tables of text: lines, words, and columns that are components of fields. A vector has columns of its own names in
 * some formats (vx, omegax), else NAME.x and so on. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/c_locale.h"
#include "io/csv_read.h"
#include "io/points_parts.h"

rps_status rps_points_fail(const rps_points_source *source, rps_error *err, const char *fmt, ...) {
    char message[1024];
    va_list args;
    va_start(args, fmt);
    rps_vsnprintf(message, sizeof message, fmt, args);
    va_end(args);
    if (source->line > 0) {
        return rps_fail(err, RPS_BAD_INPUT, "%s:%zu: %s", source->path, source->line, message);
    }
    return rps_fail(err, RPS_BAD_INPUT, "%s: %s", source->path, message);
}

rps_status rps_points_line(rps_points_source *source, char **line, rps_error *err) {
    *line = NULL;
    if (!source->at || source->at >= source->end) return RPS_OK;
    char *start = source->at, *end = memchr(start, '\n', (size_t)(source->end - start));
    source->line++;
    source->at = end ? end + 1 : source->end;
    end = end ? end : source->end;
    if (memchr(start, 0, (size_t)(end - start))) return rps_points_fail(source, err, "a zero byte is no text");
    while (end > start && end[-1] == '\r') end--;
    *end = '\0';
    if (source->line == 1 && strncmp(start, "\357\273\277", 3) == 0) start += 3; /* a byte order mark */
    *line = start;
    return RPS_OK;
}

rps_status rps_points_split(rps_points_source *source, char *line, bool commas, rps_error *err) {
    source->words = rps_csv_split(line, commas ? ',' : '\0', source->word, RPS_POINT_COLUMNS);
    if (source->words >= 0) return RPS_OK;
    return rps_points_fail(source, err, "the line has more than %d columns", (int)RPS_POINT_COLUMNS);
}

rps_status rps_points_number(const rps_points_source *source, const char *text, double *value, rps_error *err) {
    if (rps_parse_double(text, value, NULL) == RPS_OK) return RPS_OK;
    return rps_points_fail(source, err, "`%.60s` %s", text, *text ? "is no finite number" : "is empty");
}

rps_status rps_points_count(const rps_points_source *source, const char *text, uint64_t *value, rps_error *err) {
    double number;
    RPS_TRY(rps_points_number(source, text, &number, err));
    if (!(number >= 0.0 && number <= 0x1p53 && number == floor(number))) {
        return rps_points_fail(source, err, "`%.60s` is no count", text);
    }
    *value = (uint64_t)number;
    return RPS_OK;
}

/* --- names ---------------------------------------------------------------------------------------------------------- */

typedef struct alias {
    const char *field;
    int components;
    const char *scene[4], *lammps[4]; /* names of columns */
} alias;

static const alias aliases[] = {
    {"position", 3, {"x", "y", "z"}, {"x", "y", "z"}},
    {"velocity", 3, {"vx", "vy", "vz"}, {"vx", "vy", "vz"}},
    {"angular_velocity", 3, {"wx", "wy", "wz"}, {"omegax", "omegay", "omegaz"}},
    {"force", 3, {"fx", "fy", "fz"}, {"fx", "fy", "fz"}},
    {"torque", 3, {"tqx", "tqy", "tqz"}, {"tqx", "tqy", "tqz"}},
    {"orientation", 4, {"qw", "qx", "qy", "qz"}, {"quatw", "quati", "quatj", "quatk"}},
};
enum { ALIASES = sizeof aliases / sizeof *aliases };

static const char *const of_three[] = {"x", "y", "z"};
static const char *const of_six[] = {"xx", "xy", "xz", "yy", "yz", "zz"};
static const char *const of_nine[] = {"xx", "xy", "xz", "yx", "yy", "yz", "zx", "zy", "zz"};

static const char *const *suffixes(int components) {
    return components == 3 ? of_three : components == 6 ? of_six : components == 9 ? of_nine : NULL;
}

void rps_points_column_name(const rps_point_field *field, int component, rps_point_style style,
                            char out[RPS_POINT_NAME + 8]) {
    const char *const *suffix = suffixes(field->components);
    for (int a = 0; a < ALIASES; a++) {
        if (strcmp(aliases[a].field, field->name) != 0 || aliases[a].components != field->components) continue;
        strcpy(out, (style == RPS_POINT_LAMMPS ? aliases[a].lammps : aliases[a].scene)[component]);
        return;
    }
    if (field->components == 1) {
        strcpy(out, field->name);
    } else if (suffix) {
        snprintf(out, RPS_POINT_NAME + 8, "%s.%s", field->name, suffix[component]);
    } else {
        snprintf(out, RPS_POINT_NAME + 8, "%s.%d", field->name, component);
    }
}

void rps_points_add_value(rps_text *out, const rps_point_field *field, size_t point, int component) {
    const double *value = field->value;
    const double number = value[point * (size_t)field->components + (size_t)component];
    if (field->whole && fabs(number) <= 0x1p53 && number == floor(number)) {
        rps_text_addf(out, NULL, "%.0f", number);
    } else {
        rps_text_add_double(out, number, NULL);
    }
}

static bool is_whole_column(const char *name) {
    static const char *const whole[] = {"id", "type", "material", "kind", "group", "shape", "mol"};
    for (size_t k = 0; k < sizeof whole / sizeof *whole; k++) {
        if (strcmp(name, whole[k]) == 0) return true;
    }
    return false;
}

static rps_status put_column(rps_points_source *source, const char *field, int components, int component,
                             rps_error *err) {
    rps_points *p = &source->points;
    const rps_point_field *f = rps_points_find(p, field);
    if (!f) {
        rps_point_field *added;
        RPS_TRY(rps_points_add_field(p, field, components, is_whole_column(field), &added, err));
        f = added;
    }
    if (f->components != components) {
        return rps_points_fail(source, err, "the columns of `%.60s` contradict each other", field);
    }
    source->column[source->columns++] = (rps_point_column){(int)(f - p->field), component, 1.0, 0.0};
    return RPS_OK;
}

static bool find_alias(const char *name, const alias **found, int *component) {
    for (int a = 0; a < ALIASES; a++) {
        for (int k = 0; k < aliases[a].components; k++) {
            if (strcmp(name, aliases[a].scene[k]) != 0 && strcmp(name, aliases[a].lammps[k]) != 0) continue;
            *found = &aliases[a];
            *component = k;
            return true;
        }
    }
    return false;
}

/* How many columns from `first` on are the components of one field, NAME.x NAME.y NAME.z: 9, 6, 3, or 0. */
static int count_family(char *const *name, int left, char base[RPS_POINT_NAME]) {
    const char *dot = strrchr(name[0], '.');
    const size_t length = dot ? (size_t)(dot - name[0]) : 0;
    if (!dot || length == 0 || length >= RPS_POINT_NAME) return 0;
    memcpy(base, name[0], length);
    base[length] = '\0';
    for (int n = 9; n >= 3; n -= 3) {
        bool all = n <= left;
        for (int k = 0; k < n && all; k++) {
            all = strncmp(name[k], base, length) == 0 && name[k][length] == '.' &&
                  strcmp(name[k] + length + 1, suffixes(n)[k]) == 0;
        }
        if (all) return n;
    }
    return 0;
}

/* Columns with names of their own: the radius, a diameter, coordinates relative to the box. */
static bool special(rps_points_source *source, const char *name, rps_status *status, rps_error *err) {
    const rps_points *p = &source->points;
    const bool half = strcmp(name, "diameter") == 0;
    if (half || strcmp(name, "r") == 0) {
        *status = put_column(source, "radius", 1, 0, err);
        if (*status == RPS_OK && half) source->column[source->columns - 1].factor = 0.5;
        return true;
    }
    const size_t n = strlen(name);
    if (n < 2 || n > 3 || name[0] < 'x' || name[0] > 'z' || strspn(name + 1, "su") != n - 1) return false;
    const int axis = name[0] - 'x';
    *status = put_column(source, "position", 3, axis, err);
    if (*status != RPS_OK || name[1] != 's') return true; /* xu: unwrapped */
    if (!p->has_box) {
        *status =
            rps_points_fail(source, err, "`%s` is relative to a box, which is not there or tilted; write x y z", name);
        return true;
    }
    source->column[source->columns - 1].factor = p->high[axis] - p->low[axis];
    source->column[source->columns - 1].shift = p->low[axis];
    return true;
}

static rps_status check_twice(const rps_points_source *source, char *const *name, rps_error *err) {
    const int last = source->columns - 1;
    for (int k = 0; k < last; k++) {
        if (source->column[k].field != source->column[last].field ||
            source->column[k].component != source->column[last].component) {
            continue;
        }
        return rps_points_fail(source, err, "the column `%.60s` stands twice", name[last]);
    }
    return RPS_OK;
}

rps_status rps_points_name_columns(rps_points_source *source, char *const *name, int count, rps_error *err) {
    source->columns = 0;
    while (source->columns < count) {
        const int at = source->columns;
        const alias *a;
        char base[RPS_POINT_NAME];
        int component, family = 0;
        rps_status status = RPS_OK;
        if (!name[at][0]) return rps_points_fail(source, err, "the column %d has no name", at + 1);
        if (find_alias(name[at], &a, &component)) {
            status = put_column(source, a->field, a->components, component, err);
        } else if (special(source, name[at], &status, err)) {
            ;
        } else if ((family = count_family(name + at, count - at, base)) > 0) {
            for (int k = 0; k < family && status == RPS_OK; k++) status = put_column(source, base, family, k, err);
        } else {
            status = put_column(source, name[at], 1, 0, err);
        }
        RPS_TRY(status);
        if (family == 0) RPS_TRY(check_twice(source, name, err));
    }
    const rps_point_field *position = rps_points_find(&source->points, "position");
    bool has[3] = {false, false, false};
    for (int c = 0; c < source->columns && position; c++) {
        if (&source->points.field[source->column[c].field] == position) has[source->column[c].component] = true;
    }
    return has[0] && has[2] ? RPS_OK : rps_points_fail(source, err, "there are no columns x, y, z");
}

rps_status rps_points_row(rps_points_source *source, rps_error *err) {
    rps_points *p = &source->points;
    if (source->words != source->columns) {
        return rps_points_fail(source, err, "the line has %d fields, but there are %d columns", source->words,
                               source->columns);
    }
    const size_t n = p->count;
    RPS_TRY(rps_points_resize(p, n + 1, err));
    for (int c = 0; c < source->columns; c++) {
        const rps_point_column *column = &source->column[c];
        const rps_point_field *field = &p->field[column->field];
        double value;
        if (strcmp(field->name, "material") == 0 && rps_parse_double(source->word[c], &value, NULL) != RPS_OK) {
            rps_error why;
            if (rps_points_type(p, source->word[c], &value, &why) != RPS_OK) {
                return rps_points_fail(source, err, "%s", why.text);
            }
        } else {
            RPS_TRY(rps_points_number(source, source->word[c], &value, err));
        }
        if (column->factor != 1.0 || column->shift != 0.0) value = column->factor * value + column->shift;
        ((double *)field->value)[n * (size_t)field->components + (size_t)column->component] = value;
    }
    return RPS_OK;
}
