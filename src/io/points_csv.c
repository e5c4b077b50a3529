/* CSV with a header, in the columns of particle files of scenes, and extended XYZ. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/c_locale.h"
#include "io/csv_read.h"
#include "io/points_parts.h"

rps_status rps_points_read_csv(rps_points_source *source, bool *more, rps_error *err) {
    char *line, *name[RPS_POINT_COLUMNS];
    double number;
    (void)more;
    do {
        RPS_TRY(rps_points_line(source, &line, err));
        if (!line) return rps_points_fail(source, err, "the file holds no points");
    } while (rps_csv_is_void(line));
    RPS_TRY(rps_points_split(source, line, true, err));
    if (rps_parse_double(source->word[0], &number, NULL) == RPS_OK) {
        return rps_points_fail(source, err, "a header with the names of the columns is expected, as x,y,z,radius");
    }
    memcpy(name, source->word, sizeof name);
    for (int n = 0; n < source->words; n++) rps_csv_cut_unit(name[n]); /* "x [m]" */
    RPS_TRY(rps_points_name_columns(source, name, source->words, err));
    for (;;) {
        RPS_TRY(rps_points_line(source, &line, err));
        if (!line) return RPS_OK;
        if (rps_csv_is_void(line)) continue;
        RPS_TRY(rps_points_split(source, line, true, err));
        RPS_TRY(rps_points_row(source, err));
    }
}

static void csv_add_word(rps_text *out, const char *word) {
    for (; *word; word++) { /* a blank or comma would begin another column */
        const char one[2] = {*word == ' ' || *word == ',' || *word == '\t' ? '_' : *word, '\0'};
        rps_text_add(out, one, NULL);
    }
}

static void add_material(rps_text *out, const rps_points *points, const rps_point_field *field, size_t n) {
    const double index = ((const double *)field->value)[n];
    if (index >= 0.0 && index < points->types && index == floor(index)) {
        csv_add_word(out, points->type_name[(int)index]);
    } else {
        rps_points_add_value(out, field, n, 0);
    }
}

static bool is_material(const rps_points *points, const rps_point_field *field) {
    return points->types > 0 && strcmp(field->name, "material") == 0;
}

rps_status rps_points_write_csv(const rps_points *points, bool binary, rps_text *out, rps_error *err) {
    const rps_point_field *of[RPS_POINT_FIELDS];
    int fields = 0;
    (void)binary, (void)err;
    for (int f = 0; f < points->fields; f++) {
        /* an index without its name says nothing to a scene */
        const bool nameless = points->types == 0 && strcmp(points->field[f].name, "material") == 0;
        if (points->field[f].chosen && !nameless) of[fields++] = &points->field[f];
    }
    for (int f = 0; f < fields; f++) {
        for (int k = 0; k < of[f]->components; k++) {
            char name[RPS_POINT_NAME + 8];
            rps_points_column_name(of[f], k, RPS_POINT_SCENE, name);
            if (f + k > 0) rps_text_add(out, ",", NULL);
            csv_add_word(out, name);
        }
    }
    rps_text_add(out, "\n", NULL);
    for (size_t n = 0; n < points->count; n++) {
        for (int f = 0; f < fields; f++) {
            for (int k = 0; k < of[f]->components; k++) {
                if (f + k > 0) rps_text_add(out, ",", NULL);
                if (is_material(points, of[f])) {
                    add_material(out, points, of[f], n);
                } else {
                    rps_points_add_value(out, of[f], n, k);
                }
            }
        }
        rps_text_add(out, "\n", NULL);
    }
    return RPS_OK;
}

/* --- XYZ ------------------------------------------------------------------------------------------------------------ */

typedef struct xyz_name {
    const char *xyz, *field; /* of OVITO and others; ours */
    int components;
} xyz_name;

static const xyz_name xyz_names[] = {
    {"pos", "position", 3}, {"velo", "velocity", 3}, {"orientation", "orientation", 4}};

/* The columns in the text of Properties=name:type:count:..., by the names of fields. */
static rps_status take_properties(rps_points_source *source, char *list, rps_error *err) {
    rps_points *p = &source->points;
    source->columns = 0;
    for (char *at = list; at && *at;) {
        char *type = strchr(at, ':'), *count = type ? strchr(type + 1, ':') : NULL;
        if (!count) return rps_points_fail(source, err, "Properties is a list of name:type:count");
        *type++ = '\0';
        *count++ = '\0';
        char *next = strchr(count, ':');
        if (next) *next++ = '\0';
        uint64_t components;
        RPS_TRY(rps_points_count(source, count, &components, err));
        if (components < 1 || components > RPS_POINT_COMPONENTS ||
            source->columns + (int)components > RPS_POINT_COLUMNS) {
            return rps_points_fail(source, err, "`%.40s` has %llu components; 1 to %d are read", at,
                                   (unsigned long long)components, (int)RPS_POINT_COMPONENTS);
        }
        const char *name = at;
        for (size_t k = 0; k < sizeof xyz_names / sizeof *xyz_names; k++) {
            if (strcmp(at, xyz_names[k].xyz) == 0 && (int)components == xyz_names[k].components) {
                name = xyz_names[k].field;
            }
        }
        if (strcmp(type, "S") == 0) name = "material"; /* words */
        if (rps_points_find(p, name) || !name[0]) {
            return rps_points_fail(source, err, "the property `%.40s` stands twice or has no name", name);
        }
        rps_point_field *field;
        RPS_TRY(rps_points_add_field(p, name, (int)components, strcmp(type, "I") == 0 || type[0] == 'S', &field, err));
        const bool turned = strcmp(name, "orientation") == 0 && components == 4; /* x y z w */
        for (int k = 0; k < (int)components; k++) {
            source->column[source->columns++] =
                (rps_point_column){(int)(field - p->field), turned ? (k + 1) % 4 : k, 1.0, 0.0};
        }
        at = next;
    }
    const rps_point_field *position = rps_points_find(p, "position");
    if (position && position->components == 3) return RPS_OK;
    return rps_points_fail(source, err, "Properties has no pos:R:3");
}

/* Without Properties a line is x y z or x y z radius, behind a word or not. */
static rps_status guess_columns(rps_points_source *source, rps_error *err) {
    static char *const plain[] = {"x", "y", "z", "radius"}, *const behind[] = {"material", "x", "y", "z", "radius"};
    double number;
    const bool word = rps_parse_double(source->word[0], &number, NULL) != RPS_OK;
    const int numbers = source->words - word;
    if (numbers != 3 && numbers != 4) {
        return rps_points_fail(source, err, "%d numbers in a line; x y z or x y z radius are read, or Properties=...",
                               numbers);
    }
    char *const *name = word ? behind : plain;
    return rps_points_name_columns(source, name, source->words, err);
}

/* The number behind a key of the comment, if there is one. */
static double number_behind(const char *key) {
    char word[64];
    double number = 0.0;
    const size_t length = strcspn(key, " \t\"");
    if (length == 0 || length >= sizeof word) return 0.0;
    memcpy(word, key, length);
    word[length] = '\0';
    return rps_parse_double(word, &number, NULL) == RPS_OK ? number : 0.0;
}

static rps_status read_comment(rps_points_source *source, char *line, rps_error *err) {
    char *list = strstr(line, "Properties="), *time = strstr(line, "Time="), *step = strstr(line, "Step=");
    source->columns = 0;
    if (time && list) source->points.time = number_behind(time + 5);
    if (step && list) source->points.step = strtoull(step + 5, NULL, 10);
    if (!list) return RPS_OK;
    list += 11;
    list[strcspn(list, " \t")] = '\0';
    return take_properties(source, list, err);
}

rps_status rps_points_read_xyz(rps_points_source *source, bool *more, rps_error *err) {
    uint64_t count;
    char *line;
    do {
        RPS_TRY(rps_points_line(source, &line, err));
        if (!line) {
            *more = false;
            return source->frame > 0 ? RPS_OK : rps_points_fail(source, err, "the file holds no points");
        }
    } while (rps_csv_is_void(line));
    RPS_TRY(rps_points_split(source, line, false, err));
    if (source->words != 1) return rps_points_fail(source, err, "a frame begins with the number of its points alone");
    RPS_TRY(rps_points_count(source, source->word[0], &count, err));
    RPS_TRY(rps_points_line(source, &line, err));
    if (line) RPS_TRY(read_comment(source, line, err));
    for (uint64_t n = 0; n < count; n++) {
        RPS_TRY(rps_points_line(source, &line, err));
        if (!line) {
            return rps_points_fail(source, err, "the file ends after %llu of %llu points", (unsigned long long)n,
                                   (unsigned long long)count);
        }
        RPS_TRY(rps_points_split(source, line, false, err));
        if (source->words == 0) return rps_points_fail(source, err, "the line is empty");
        if (source->columns == 0) RPS_TRY(guess_columns(source, err));
        RPS_TRY(rps_points_row(source, err));
    }
    if (source->columns > 0) return RPS_OK;
    return rps_points_add_field(&source->points, "position", 3, false, NULL, err);
}

static const char *xyz_name_of(const rps_point_field *field) {
    for (size_t k = 0; k < sizeof xyz_names / sizeof *xyz_names; k++) {
        if (strcmp(field->name, xyz_names[k].field) == 0) return xyz_names[k].xyz;
    }
    return field->name;
}

rps_status rps_points_write_xyz(const rps_points *points, bool binary, rps_text *out, rps_error *err) {
    const rps_point_field *material = points->types > 0 ? rps_points_find(points, "material") : NULL;
    double low[3], high[3];
    (void)binary, (void)err;
    rps_points_bounds(points, low, high);
    rps_text_addf(out, NULL, "%zu\nLattice=\"", points->count);
    for (int k = 0; k < 9; k++) {
        if (k > 0) rps_text_add(out, " ", NULL);
        rps_text_add_double(out, k % 4 == 0 ? high[k / 4] - low[k / 4] : 0.0, NULL);
    }
    rps_text_add(out, "\" Origin=\"", NULL);
    for (int k = 0; k < 3; k++) {
        if (k > 0) rps_text_add(out, " ", NULL);
        rps_text_add_double(out, low[k], NULL);
    }
    rps_text_addf(out, NULL, "\" pbc=\"%c %c %c\" Properties=species:S:1", points->periodic[0] ? 'T' : 'F',
                  points->periodic[1] ? 'T' : 'F', points->periodic[2] ? 'T' : 'F');
    for (int f = 0; f < points->fields; f++) {
        const rps_point_field *field = &points->field[f];
        if (!field->chosen || field == material) continue;
        rps_text_addf(out, NULL, ":%s:%c:%d", xyz_name_of(field), field->whole ? 'I' : 'R', field->components);
    }
    rps_text_add(out, " Time=", NULL);
    rps_text_add_double(out, points->time, NULL);
    rps_text_addf(out, NULL, " Step=%llu\n", (unsigned long long)points->step);
    for (size_t n = 0; n < points->count; n++) {
        if (material) {
            add_material(out, points, material, n);
        } else {
            rps_text_addf(out, NULL, "t%.0f", rps_points_type_of(points, n));
        }
        for (int f = 0; f < points->fields; f++) {
            const rps_point_field *field = &points->field[f];
            const bool turned = strcmp(field->name, "orientation") == 0 && field->components == 4;
            if (!field->chosen || field == material) continue;
            for (int k = 0; k < field->components; k++) {
                rps_text_add(out, " ", NULL);
                rps_points_add_value(out, field, n, turned ? (k + 1) % 4 : k);
            }
        }
        rps_text_add(out, "\n", NULL);
    }
    return RPS_OK;
}
