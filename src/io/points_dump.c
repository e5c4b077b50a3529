/* Dumps of LAMMPS and LIGGGHTS as text: for each frame the step, the time if it is there, the number of atoms, the box
 * and a table with named columns. */
#include <string.h>

#include "io/points_parts.h"

typedef struct items {
    bool atoms;
    bool has_number;
    uint64_t number;
} items;

static rps_status need_line(rps_points_source *source, char **line, rps_error *err) {
    RPS_TRY(rps_points_line(source, line, err));
    return *line ? RPS_OK : rps_points_fail(source, err, "the file ends in the middle of a frame");
}

static rps_status dump_read_bounds(rps_points_source *source, const char *how, rps_error *err) {
    rps_points *p = &source->points;
    const bool tilted = strstr(how, "xy") != NULL;
    char *line;
    if (strstr(how, "abc")) return rps_points_fail(source, err, "boxes of general form are not read");
    for (int k = 0; k < 3; k++) {
        RPS_TRY(need_line(source, &line, err));
        RPS_TRY(rps_points_split(source, line, false, err));
        if (source->words != (tilted ? 3 : 2)) {
            return rps_points_fail(source, err, "the bounds of the box are %d numbers", tilted ? 3 : 2);
        }
        RPS_TRY(rps_points_number(source, source->word[0], &p->low[k], err));
        RPS_TRY(rps_points_number(source, source->word[1], &p->high[k], err));
    }
    p->has_box = !tilted;
    const char *at = tilted ? strstr(how, "yz") : how;
    at = at && tilted ? at + 2 : at;
    for (int k = 0; k < 3 && at; k++) {
        at += strspn(at, " \t");
        p->periodic[k] = at[0] == 'p';
        at += strcspn(at, " \t");
    }
    return RPS_OK;
}

static rps_status read_atoms(rps_points_source *source, char *names, const items *found, rps_error *err) {
    char *line;
    if (!found->has_number) return rps_points_fail(source, err, "ITEM: NUMBER OF ATOMS is missing before the atoms");
    RPS_TRY(rps_points_split(source, names, false, err));
    if (source->words == 0) {
        return rps_points_fail(source, err, "the columns have no names; write ITEM: ATOMS id type x y z ...");
    }
    char *name[RPS_POINT_COLUMNS];
    memcpy(name, source->word, sizeof name);
    RPS_TRY(rps_points_name_columns(source, name, source->words, err));
    for (uint64_t n = 0; n < found->number; n++) {
        RPS_TRY(rps_points_line(source, &line, err));
        if (!line) {
            return rps_points_fail(source, err, "the file ends after %llu of %llu atoms", (unsigned long long)n,
                                   (unsigned long long)found->number);
        }
        RPS_TRY(rps_points_split(source, line, false, err));
        RPS_TRY(rps_points_row(source, err));
    }
    return RPS_OK;
}

static rps_status read_item(rps_points_source *source, char *item, items *found, rps_error *err) {
    rps_points *p = &source->points;
    char *line;
    if (strncmp(item, "ATOMS", 5) == 0) {
        found->atoms = true;
        return read_atoms(source, item + 5, found, err);
    }
    if (strncmp(item, "BOX BOUNDS", 10) == 0) return dump_read_bounds(source, item + 10, err);
    RPS_TRY(need_line(source, &line, err));
    line += strspn(line, " \t");
    line[strcspn(line, " \t")] = '\0';
    if (strncmp(item, "TIMESTEP", 8) == 0) return rps_points_count(source, line, &p->step, err);
    if (strncmp(item, "NUMBER OF ATOMS", 15) == 0) {
        found->has_number = true;
        return rps_points_count(source, line, &found->number, err);
    }
    /* the time, and the word of the units, which are taken as SI */
    return strncmp(item, "TIME", 4) == 0 ? rps_points_number(source, line, &p->time, err) : RPS_OK;
}

rps_status rps_points_read_dump(rps_points_source *source, bool *more, rps_error *err) {
    items found = {false, false, 0};
    bool any = false;
    char *line;
    for (;;) {
        RPS_TRY(rps_points_line(source, &line, err));
        if (!line) break;
        if (line[strspn(line, " \t")] == '\0') continue;
        if (strncmp(line, "ITEM: ", 6) != 0) {
            return rps_points_fail(source, err, "here is `%.40s`, where a dump has a line ITEM: ...%s", line,
                                   any ? "" : "; is it one?");
        }
        any = true;
        RPS_TRY(read_item(source, line + 6, &found, err));
        if (found.atoms) return RPS_OK;
    }
    *more = false;
    if (any) return rps_points_fail(source, err, "the file ends before the atoms of a frame");
    return source->frame > 0 ? RPS_OK : rps_points_fail(source, err, "the file holds no frame");
}

rps_status rps_points_write_dump(const rps_points *points, bool binary, rps_text *out, rps_error *err) {
    double low[3], high[3];
    (void)binary, (void)err;
    const rps_point_field *id = rps_points_find(points, "id");
    rps_points_bounds(points, low, high);
    rps_text_addf(out, NULL, "ITEM: TIMESTEP\n%llu\nITEM: TIME\n", (unsigned long long)points->step);
    rps_text_add_double(out, points->time, NULL);
    rps_text_addf(out, NULL, "\nITEM: NUMBER OF ATOMS\n%zu\nITEM: BOX BOUNDS", points->count);
    for (int k = 0; k < 3; k++) rps_text_add(out, points->periodic[k] ? " pp" : " ff", NULL);
    rps_text_add(out, "\n", NULL);
    for (int k = 0; k < 3; k++) {
        rps_text_add_double(out, low[k], NULL);
        rps_text_add(out, " ", NULL);
        rps_text_add_double(out, high[k], NULL);
        rps_text_add(out, "\n", NULL);
    }
    rps_text_add(out, "ITEM: ATOMS id type", NULL);
    for (int f = 0; f < points->fields; f++) {
        const rps_point_field *field = &points->field[f];
        char name[RPS_POINT_NAME + 8];
        if (!field->chosen || field == id || strcmp(field->name, "type") == 0) continue;
        for (int k = 0; k < field->components; k++) {
            rps_points_column_name(field, k, RPS_POINT_LAMMPS, name);
            rps_text_addf(out, NULL, " %s", name);
        }
    }
    rps_text_add(out, "\n", NULL);
    for (size_t n = 0; n < points->count; n++) {
        if (id) {
            rps_points_add_value(out, id, n, 0);
        } else {
            rps_text_addf(out, NULL, "%zu", n + 1);
        }
        rps_text_addf(out, NULL, " %.0f", rps_points_type_of(points, n));
        for (int f = 0; f < points->fields; f++) {
            const rps_point_field *field = &points->field[f];
            if (!field->chosen || field == id || strcmp(field->name, "type") == 0) continue;
            for (int k = 0; k < field->components; k++) {
                rps_text_add(out, " ", NULL);
                rps_points_add_value(out, field, n, k);
            }
        }
        rps_text_add(out, "\n", NULL);
    }
    return RPS_OK;
}
