/* Data files of LAMMPS: a header with counts and the box, then sections. Atoms are read in the styles sphere (id type
 * diameter density x y z) and atomic (id type x y z), with or without the numbers of periods; Velocities have v, and of
 * spheres omega, by id. All other sections are passed over. */
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "io/points_parts.h"

#define PI 3.14159265358979323846

typedef struct data_file {
    uint64_t promised;
    bool has_promise, has_atoms;
} data_file;

typedef struct id_row {
    double id;
    size_t row;
} id_row;

static int by_id(const void *a, const void *b) {
    const double x = ((const id_row *)a)->id, y = ((const id_row *)b)->id;
    return (x > y) - (x < y);
}

static double volume_of_ball(double radius) {
    return 4.0 / 3.0 * PI * (radius * radius * radius);
}

static bool ends_with_words(const rps_points_source *source, int from, const char *first, const char *second) {
    return source->words == from + (second ? 2 : 1) && strcmp(source->word[from], first) == 0 &&
           (!second || strcmp(source->word[from + 1], second) == 0);
}

/* A line of the header: counts, the box, or something that does not matter. */
static rps_status take_header(rps_points_source *source, char *line, data_file *file, rps_error *err) {
    static const char *const bound[3][2] = {{"xlo", "xhi"}, {"ylo", "yhi"}, {"zlo", "zhi"}};
    rps_points *p = &source->points;
    RPS_TRY(rps_points_split(source, line, false, err));
    if (ends_with_words(source, 1, "atoms", NULL)) {
        file->has_promise = true;
        return rps_points_count(source, source->word[0], &file->promised, err);
    }
    for (int k = 0; k < 3; k++) {
        if (!ends_with_words(source, 2, bound[k][0], bound[k][1])) continue;
        RPS_TRY(rps_points_number(source, source->word[0], &p->low[k], err));
        RPS_TRY(rps_points_number(source, source->word[1], &p->high[k], err));
        p->has_box = true;
    }
    return RPS_OK;
}

/* The columns of atoms, by the style that stands behind `Atoms`, or by their number. */
static rps_status name_atoms(rps_points_source *source, const char *style, int count, rps_error *err) {
    static char *const sphere[] = {"id", "type", "diameter", "density", "x", "y", "z", "ix", "iy", "iz"};
    static char *const atomic[] = {"id", "type", "x", "y", "z", "ix", "iy", "iz"};
    const bool is_sphere = strcmp(style, "sphere") == 0 || (!style[0] && (count == 7 || count == 10));
    const bool is_atomic = strcmp(style, "atomic") == 0 || (!style[0] && (count == 5 || count == 8));
    const int least = is_sphere ? 7 : 5;
    if (!is_sphere && !is_atomic) {
        return rps_points_fail(source, err, "atoms %s%s are not read; the styles sphere and atomic are",
                               style[0] ? "of the style " : "with other columns than those of a sphere", style);
    }
    if (count != least && count != least + 3) {
        return rps_points_fail(source, err, "a line of the style %s has %d or %d columns, not %d",
                               is_sphere ? "sphere" : "atomic", least, least + 3, count);
    }
    return rps_points_name_columns(source, is_sphere ? sphere : atomic, count, err);
}

/* The next line of a section that is not blank; NULL at its end, which is a line that begins with a letter. */
static rps_status section_line(rps_points_source *source, char **line, rps_error *err) {
    for (;;) {
        const char *at = source->at;
        if (at && at < source->end && isalpha((unsigned char)at[strspn(at, " \t")])) {
            *line = NULL;
            return RPS_OK;
        }
        RPS_TRY(rps_points_line(source, line, err));
        if (!*line) return RPS_OK;
        (*line)[strcspn(*line, "#")] = '\0';
        if ((*line)[strspn(*line, " \t")] != '\0') return RPS_OK;
    }
}

static rps_status read_atoms_section(rps_points_source *source, const char *style, data_file *file, rps_error *err) {
    char *line;
    if (file->has_atoms) return rps_points_fail(source, err, "there is a second section of atoms");
    file->has_atoms = true;
    for (;;) {
        RPS_TRY(section_line(source, &line, err));
        if (!line) break;
        RPS_TRY(rps_points_split(source, line, false, err));
        if (source->points.count == 0) RPS_TRY(name_atoms(source, style, source->words, err));
        RPS_TRY(rps_points_row(source, err));
    }
    if (file->has_promise && file->promised != source->points.count) {
        return rps_points_fail(source, err, "there are %zu atoms, but the header says %llu", source->points.count,
                               (unsigned long long)file->promised);
    }
    return RPS_OK;
}

static rps_status read_velocities(rps_points_source *source, const id_row *row, rps_error *err) {
    rps_points *p = &source->points;
    rps_point_field *v, *w;
    char *line;
    RPS_TRY(rps_points_add_field(p, "velocity", 3, false, &v, err));
    RPS_TRY(rps_points_add_field(p, "angular_velocity", 3, false, &w, err));
    for (;;) {
        id_row key = {0.0, 0};
        RPS_TRY(section_line(source, &line, err));
        if (!line) return RPS_OK;
        RPS_TRY(rps_points_split(source, line, false, err));
        if (source->words != 4 && source->words != 7) {
            return rps_points_fail(source, err, "a line of velocities has 4 or 7 columns, not %d", source->words);
        }
        RPS_TRY(rps_points_number(source, source->word[0], &key.id, err));
        const id_row *of = p->count > 0 ? bsearch(&key, row, p->count, sizeof key, by_id) : NULL;
        if (!of) return rps_points_fail(source, err, "there is no atom %.20s", source->word[0]);
        for (int k = 0; k < source->words - 1; k++) {
            double *to = k < 3 ? v->value : w->value;
            RPS_TRY(rps_points_number(source, source->word[k + 1], &to[3 * of->row + (size_t)(k % 3)], err));
        }
    }
}

static rps_status index_ids(rps_points_source *source, void **row, size_t *bytes, rps_error *err) {
    const double *id = rps_points_values(&source->points, "id");
    const size_t count = source->points.count;
    RPS_TRY(rps_size_of_items(count, sizeof(id_row), bytes, err));
    RPS_TRY(rps_memory_alloc(source->allocator, *bytes, row, err));
    id_row *r = *row;
    for (size_t n = 0; n < count; n++) r[n] = (id_row){id[n], n};
    if (count > 1) qsort(r, count, sizeof *r, by_id);
    for (size_t n = 1; n < count; n++) {
        if (r[n].id == r[n - 1].id) return rps_points_fail(source, err, "the atom %.0f stands twice", r[n].id);
    }
    return RPS_OK;
}

static rps_status take_velocities(rps_points_source *source, const data_file *file, rps_error *err) {
    void *row = NULL;
    size_t bytes = 0;
    if (!file->has_atoms) return rps_points_fail(source, err, "velocities come before the atoms");
    if (rps_points_find(&source->points, "velocity")) {
        return rps_points_fail(source, err, "there is a second section of velocities");
    }
    rps_status status = index_ids(source, &row, &bytes, err);
    if (status == RPS_OK) status = read_velocities(source, row, err);
    rps_memory_release(source->allocator, row, bytes);
    return status;
}

/* The mass of spheres from density and diameter. */
static rps_status find_mass(rps_points *p, rps_error *err) {
    const rps_point_field *density = rps_points_find(p, "density");
    rps_point_field *mass;
    if (!density) return RPS_OK;
    RPS_TRY(rps_points_add_field(p, "mass", 1, false, &mass, err));
    const double *rho = density->value, *radius = rps_points_values(p, "radius");
    for (size_t n = 0; n < p->count; n++) ((double *)mass->value)[n] = rho[n] * volume_of_ball(radius[n]);
    return RPS_OK;
}

rps_status rps_points_read_data(rps_points_source *source, bool *more, rps_error *err) {
    data_file file = {0, false, false};
    char *line;
    (void)more;
    RPS_TRY(rps_points_line(source, &line, err)); /* a title */
    for (;;) {
        RPS_TRY(rps_points_line(source, &line, err));
        if (!line) break;
        char *at = line + strspn(line, " \t");
        if (!isalpha((unsigned char)*at)) {
            at[strcspn(at, "#")] = '\0';
            RPS_TRY(take_header(source, at, &file, err));
            continue;
        }
        char *comment = at + strcspn(at, "#"), *style = *comment ? comment + 1 : comment;
        style += strspn(style, " \t");
        *comment = '\0';
        style[strcspn(style, " \t")] = '\0';
        at[strcspn(at, " \t")] = '\0';
        if (strcmp(at, "Atoms") == 0) {
            RPS_TRY(read_atoms_section(source, style, &file, err));
        } else if (strcmp(at, "Velocities") == 0) {
            RPS_TRY(take_velocities(source, &file, err));
        } else {
            do {
                RPS_TRY(section_line(source, &line, err));
            } while (line);
        }
    }
    if (!file.has_atoms || source->points.count == 0) {
        return rps_points_fail(source, err, "the file holds no atoms; is it a data file of LAMMPS?");
    }
    return find_mass(&source->points, err);
}

/* --- writing -------------------------------------------------------------------------------------------------------- */

static void add_numbers(rps_text *out, const double *value, int count) {
    for (int k = 0; k < count; k++) {
        rps_text_add(out, " ", NULL);
        rps_text_add_double(out, value[k], NULL);
    }
}

rps_status rps_points_write_data(const rps_points *points, bool binary, rps_text *out, rps_error *err) {
    static const char *const axis = "xyz";
    const double *x = rps_points_values(points, "position"), *radius = rps_points_values(points, "radius");
    const double *mass = rps_points_values(points, "mass"), *id = rps_points_values(points, "id");
    const double *v = rps_points_values(points, "velocity"), *w = rps_points_values(points, "angular_velocity");
    const double *density = rps_points_values(points, "density"), nothing[3] = {0.0, 0.0, 0.0};
    double low[3], high[3], shift = 0.0, types = 1.0;
    (void)binary;
    if (!radius || (!mass && !density)) {
        return rps_fail(err, RPS_BAD_INPUT, "a data file needs the %s of each sphere, which is not there; %s",
                        radius ? "mass" : "radius", radius ? "give --density" : "choose input that has it");
    }
    rps_points_bounds(points, low, high);
    for (size_t n = 0; n < points->count; n++) {
        types = fmax(types, rps_points_type_of(points, n));
        if (id && id[n] < 1.0) shift = 1.0; /* LAMMPS counts from 1 */
    }
    rps_text_addf(out, NULL, "LAMMPS data file, SI units\n\n%zu atoms\n%.0f atom types\n\n", points->count, types);
    for (int k = 0; k < 3; k++) {
        rps_text_add_double(out, low[k], NULL);
        add_numbers(out, &high[k], 1);
        rps_text_addf(out, NULL, " %clo %chi\n", axis[k], axis[k]);
    }
    rps_text_add(out, "\nAtoms # sphere\n\n", NULL);
    for (size_t n = 0; n < points->count; n++) {
        const double size[2] = {2.0 * radius[n], density ? density[n] : mass[n] / volume_of_ball(radius[n])};
        rps_text_addf(out, NULL, "%.0f %.0f", id ? id[n] + shift : (double)n + 1.0, rps_points_type_of(points, n));
        add_numbers(out, size, 2);
        add_numbers(out, x + 3 * n, 3);
        rps_text_add(out, "\n", NULL);
    }
    if (!v && !w) return RPS_OK;
    rps_text_add(out, "\nVelocities\n\n", NULL);
    for (size_t n = 0; n < points->count; n++) {
        rps_text_addf(out, NULL, "%.0f", id ? id[n] + shift : (double)n + 1.0);
        add_numbers(out, v ? v + 3 * n : nothing, 3);
        add_numbers(out, w ? w + 3 * n : nothing, 3);
        rps_text_add(out, "\n", NULL);
    }
    return RPS_OK;
}
