/*
 * Sizes of particles: one value, or a distribution by number or by mass.
 *
 * Distributions by classes are not drawn at random: particle k takes the class that is due, so that after any number of
 * particles every class has its part to within one particle. Of the classes whose due number is ahead of the actual
 * one, that with the earliest deadline is next (R. Tijdeman, The chairman assignment problem, Discrete Math. 32 (1980)
 * 323). Parts of mass become parts of number by the mean of 1/mass over a class.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/random.h"
#include "scene/csv_columns.h"
#include "scene/scene_internal.h"

/* tries: by mass the part of the draws that are kept is at least 1e-3, which read_normal holds */
enum { CLASSES_MOST = 1 << 16, NORMAL_TRIES = 20000 };

/* --- classes ------------------------------------------------------------------------------------------------------- */

static rps_status take_classes(rps_scene *scene, rps_sizes *sizes, size_t count, rps_place place, rps_error *err) {
    if (count > CLASSES_MOST) return rps_place_fail(err, place, "there are more than %d classes", CLASSES_MOST);
    sizes->kind = RPS_SIZE_CLASSES;
    sizes->count = count;
    sizes->allocator = scene->allocator;
    double *numbers = rps_pool_take(&scene->pool, 4 * count * sizeof *numbers, err);
    sizes->memo = rps_pool_take(&scene->pool, sizeof *sizes->memo, err);
    if (!numbers || !sizes->memo) return RPS_NO_MEMORY;
    sizes->from = numbers;
    sizes->to = numbers + count;
    sizes->asked = numbers + 2 * count;
    sizes->part = numbers + 3 * count;
    sizes->memo->count = rps_pool_take(&scene->pool, count * sizeof *sizes->memo->count, err);
    if (!sizes->memo->count) return RPS_NO_MEMORY;
    sizes->memo->next = scene->memos;
    scene->memos = sizes->memo;
    return RPS_OK;
}

/* Mean of size^-power where each size from a to b has the same part of the mass. */
static double per_mass(const rps_sizes *sizes, double a, double b) {
    return sizes->power == 2 ? 1.0 / (a * b) : 0.5 * (a + b) / ((a * b) * (a * b));
}

/* From the parts that were asked for, of any sum, to parts of the number. */
static rps_status finish_classes(rps_sizes *sizes, rps_place place, rps_error *err) {
    double asked = 0.0, number = 0.0;
    sizes->low = INFINITY;
    sizes->high = 0.0;
    for (size_t c = 0; c < sizes->count; c++) {
        const double a = sizes->from[c], b = sizes->to[c];
        sizes->part[c] = sizes->asked[c] * (sizes->by_mass ? per_mass(sizes, a, b) : 1.0);
        asked += sizes->asked[c];
        number += sizes->part[c];
        if (!(sizes->asked[c] > 0.0)) continue;
        sizes->low = fmin(sizes->low, a);
        sizes->high = fmax(sizes->high, b);
    }
    if (!(asked > 0.0) || !isfinite(number)) {
        return rps_place_fail(err, place, "at least one part must be above 0, and all of them finite");
    }
    for (size_t c = 0; c < sizes->count; c++) {
        sizes->asked[c] /= asked;
        sizes->part[c] /= number;
    }
    return RPS_OK;
}

/* The class of the next particle, given how many of each class there are. */
static size_t next_class(const rps_sizes *sizes, const uint64_t *count, uint64_t total) {
    if (sizes->count == 1) return 0;
    const double least = 1.0 / (2.0 * (double)sizes->count - 2.0);
    size_t best = SIZE_MAX;
    double deadline = INFINITY;
    for (size_t c = 0; c < sizes->count; c++) {
        const double part = sizes->part[c], due = part * (double)(total + 1) - (double)count[c];
        if (!(part > 0.0) || due < least) continue;
        const double left = (1.0 - least - due) / part;
        if (best != SIZE_MAX && !(left < deadline)) continue;
        best = c;
        deadline = left;
    }
    if (best != SIZE_MAX) return best;
    for (best = 0; !(sizes->part[best] > 0.0);) best++; /* rounding errors alone lead here */
    return best;
}

rps_status rps_sizes_prepare(const rps_sizes *sizes, uint64_t count, rps_error *err) {
    rps_size_memo *memo = sizes->memo;
    if (sizes->kind != RPS_SIZE_CLASSES || count <= memo->known) return RPS_OK;
    size_t bytes;
    RPS_TRY(rps_size_of_items((size_t)count, sizeof(uint16_t), &bytes, err));
    RPS_TRY(rps_buffer_reserve(sizes->allocator, &memo->class_of, &memo->bytes, (size_t)memo->known * sizeof(uint16_t),
                               bytes, err));
    for (; memo->known < count; memo->known++) {
        const size_t one = next_class(sizes, memo->count, memo->known);
        ((uint16_t *)memo->class_of)[memo->known] = (uint16_t)one;
        memo->count[one]++;
    }
    return RPS_OK;
}

size_t rps_sizes_class(const rps_sizes *sizes, uint64_t particle) {
    return ((const uint16_t *)sizes->memo->class_of)[particle];
}

void rps_sizes_release(rps_scene *scene) {
    for (rps_size_memo *memo = scene->memos; memo; memo = memo->next) {
        rps_buffer_release(scene->allocator, &memo->class_of, &memo->bytes);
    }
    scene->memos = NULL;
}

/* --- reading a block ------------------------------------------------------------------------------------------------ */

/* --- radii --------------------------------------------------------------------------------------------------------- */

static rps_status read_random_list(rps_scene *scene, const rps_node *list, const char *unit, rps_sizes *sizes,
                                   rps_error *err) {
    sizes->kind = RPS_SIZE_LIST;
    sizes->count = list->count;
    sizes->radius = rps_pool_take(&scene->pool, list->count * sizeof *sizes->radius, err);
    sizes->upto = rps_pool_take(&scene->pool, list->count * sizeof *sizes->upto, err);
    if (!sizes->radius || !sizes->upto) return RPS_NO_MEMORY;
    double sum = 0.0;
    for (size_t i = 0; i < list->count; i++) {
        rps_node *radius = list->entry[i].value->entry[0].value, *weight = list->entry[i].value->entry[1].value;
        double share;
        RPS_TRY(rps_schema_quantity(radius, unit, &sizes->radius[i], err));
        RPS_TRY(rps_schema_quantity(weight, "1", &share, err));
        if (!(sizes->radius[i] > 0.0)) return rps_place_fail(err, radius->place, "a size must be above 0");
        if (!(share >= 0.0)) return rps_place_fail(err, weight->place, "a weight must not be negative");
        sum += share;
        sizes->upto[i] = sum;
        sizes->low = i ? fmin(sizes->low, sizes->radius[i]) : sizes->radius[i];
        sizes->high = fmax(sizes->high, sizes->radius[i]);
    }
    if (!(sum > 0.0)) return rps_place_fail(err, list->place, "at least one weight must be above 0");
    for (size_t i = 0; i < list->count; i++) sizes->upto[i] /= sum;
    return RPS_OK;
}

static rps_status read_normal(const rps_node *normal, rps_sizes *sizes, rps_error *err) {
    sizes->kind = RPS_SIZE_NORMAL;
    sizes->a = rps_node_number(normal, "mean", 0.0);
    sizes->b = rps_node_number(normal, "sd", 0.0);
    sizes->low = rps_node_number(normal, "min", 0.0);
    sizes->high = rps_node_number(normal, "max", 0.0);
    /* values outside the bounds are redrawn, so the bounds must leave a fair part of the distribution */
    if (!(sizes->low <= sizes->a && sizes->a <= sizes->high)) {
        return rps_place_fail(err, normal->place, "the mean must lie between min and max");
    }
    if (sizes->by_mass && sizes->a > 10.0 * sizes->low) {
        return rps_place_fail(
            err, normal->place,
            "by mass nearly all of the grains would be of the smallest size: the mean is more than 10 "
            "times `min`\nraise `min`, or give a list");
    }
    return RPS_OK;
}

static rps_status read_classes(rps_scene *scene, const rps_node *list, const char *unit, rps_sizes *sizes,
                               rps_error *err) {
    RPS_TRY(take_classes(scene, sizes, list->count, list->place, err));
    for (size_t i = 0; i < list->count; i++) {
        rps_node *size = list->entry[i].value->entry[0].value, *weight = list->entry[i].value->entry[1].value;
        RPS_TRY(rps_schema_quantity(size, unit, &sizes->from[i], err));
        RPS_TRY(rps_schema_quantity(weight, "1", &sizes->asked[i], err));
        sizes->to[i] = sizes->from[i];
        if (!(sizes->from[i] > 0.0)) return rps_place_fail(err, size->place, "a size must be above 0");
        if (!(sizes->asked[i] >= 0.0)) return rps_place_fail(err, weight->place, "a weight must not be negative");
    }
    return finish_classes(sizes, list->place, err);
}

static rps_status read_uniform(rps_scene *scene, const rps_node *uniform, rps_sizes *sizes, rps_error *err) {
    const double a = uniform->number[0], b = uniform->number[1];
    if (!(a <= b)) return rps_place_fail(err, uniform->place, "the first must not be above the second");
    if (sizes->by_mass) {
        RPS_TRY(take_classes(scene, sizes, 1, uniform->place, err));
        sizes->from[0] = a;
        sizes->to[0] = b;
        sizes->asked[0] = 1.0;
        return finish_classes(sizes, uniform->place, err);
    }
    sizes->kind = RPS_SIZE_UNIFORM;
    sizes->a = sizes->low = a;
    sizes->b = sizes->high = b;
    return RPS_OK;
}

/* --- sieves -------------------------------------------------------------------------------------------------------- */

/* The sieves that were read: diameter, m, and the part that passes. */
typedef struct sieves {
    double (*row)[2];
    size_t count;
} sieves;

static rps_status finish_sieves(rps_scene *scene, const sieves *s, rps_place place, rps_sizes *sizes, rps_error *err) {
    if (s->count < 2 || s->row[0][1] != 0.0 || !(fabs(s->row[s->count - 1][1] - 1.0) <= 1e-9)) {
        return rps_place_fail(err, place,
                              "a sieve table goes from a diameter that nothing passes, 0 %%, to one that all pass, 100 "
                              "%%\nadd the smallest and the largest diameter of the grains");
    }
    RPS_TRY(take_classes(scene, sizes, s->count - 1, place, err));
    for (size_t i = 0; i + 1 < s->count; i++) {
        sizes->from[i] = 0.5 * s->row[i][0];
        sizes->to[i] = 0.5 * s->row[i + 1][0];
        sizes->asked[i] = s->row[i + 1][1] - s->row[i][1];
        if (!(sizes->from[i] > 0.0 && sizes->from[i] < sizes->to[i])) {
            return rps_place_fail(err, place, "diameters of sieves must be above 0 and rise, but %g m follows %g m",
                                  s->row[i + 1][0], s->row[i][0]);
        }
        if (!(sizes->asked[i] >= 0.0)) {
            return rps_place_fail(err, place, "more passes the sieve of %g m than that of %g m", s->row[i][0],
                                  s->row[i + 1][0]);
        }
    }
    return finish_classes(sizes, place, err);
}

static rps_status read_sieve_table(rps_scene *scene, const rps_node *table, rps_sizes *sizes, rps_error *err) {
    sieves s = {.row = rps_pool_take(&scene->pool, table->count * sizeof *s.row, err), .count = table->count};
    if (!s.row) return RPS_NO_MEMORY;
    for (size_t i = 0; i < s.count; i++) {
        const rps_node *pair = table->entry[i].value;
        RPS_TRY(rps_schema_quantity(pair->entry[0].value, "m", &s.row[i][0], err));
        RPS_TRY(rps_schema_quantity(pair->entry[1].value, "1", &s.row[i][1], err));
    }
    return finish_sieves(scene, &s, table->place, sizes, err);
}

/* Two columns, a diameter and the part that passes, in this order. */
static rps_status take_sieves(rps_scene *scene, const rps_csv_table *table, sieves *s, rps_error *err) {
    static const char *const unit[2] = {"m", "1"};
    double scale[2];
    if (table->columns != 2) {
        return rps_csv_table_fail(
            table, table->header, err,
            "%d columns; two are expected, a diameter and the part that passes, such as `diameter "
            "[mm],passing [%%]`",
            table->columns);
    }
    for (int k = 0; k < 2; k++) RPS_TRY(rps_csv_column_scale(table, k, unit[k], &scale[k], err));
    s->row = rps_pool_take(&scene->pool, (table->rows + 1) * sizeof *s->row, err);
    if (!s->row) return RPS_NO_MEMORY;
    for (s->count = 0; s->count < table->rows; s->count++) {
        for (int k = 0; k < 2; k++) s->row[s->count][k] = scale[k] * table->value[2 * s->count + (size_t)k];
    }
    return RPS_OK;
}

static rps_status read_sieve_file(rps_scene *scene, const rps_node *name, rps_sizes *sizes, rps_error *err) {
    const char *path = rps_scene_file_path(scene, name, err);
    rps_csv_table table;
    sieves s = {.count = 0};
    if (!path) return RPS_NO_MEMORY;
    rps_status status = rps_csv_table_read(path, &table, err);
    if (status == RPS_OK) status = take_sieves(scene, &table, &s, err);
    rps_csv_table_release(&table);
    RPS_TRY(rps_place_wrap(err, name->place, status));
    RPS_TRY(rps_scene_note_file(scene, path, err));
    return finish_sieves(scene, &s, name->place, sizes, err);
}

/* --- any distribution ------------------------------------------------------------------------------------------------ */

rps_status rps_sizes_read(rps_scene *scene, const rps_node *set, const rps_node *node, const char *unit,
                          rps_sizes *sizes, rps_error *err) {
    const rps_node *by = rps_node_get(set, "by"), *sieve = rps_node_get(set, "sieve");
    *sizes = (rps_sizes){.kind = RPS_SIZE_FIXED, .power = scene->planar ? 2 : 3};
    sizes->by_mass = by ? !rps_node_is(by, "number") : node == NULL;
    if (sizes->by_mass && rps_node_get(set, "mass")) {
        return rps_place_fail(err, (by ? by : set)->place,
                              "all particles have the same `mass`, so that parts of the mass are parts of the number"
                              "\nwrite `by: number`, or give the material a density");
    }
    if (!node) {
        const rps_node *table = rps_node_get(sieve, "table");
        return table ? read_sieve_table(scene, table, sizes, err)
                     : read_sieve_file(scene, rps_node_get(sieve, "file"), sizes, err);
    }
    if (node->kind == RPS_NODE_SCALAR) {
        sizes->a = sizes->low = sizes->high = node->number[0];
        return RPS_OK;
    }
    const rps_node *uniform = rps_node_get(node, "uniform"), *normal = rps_node_get(node, "normal");
    const rps_node *list = rps_node_get(node, "list");
    if (normal) return read_normal(normal, sizes, err);
    if (uniform) return read_uniform(scene, uniform, sizes, err);
    return by ? read_classes(scene, list, unit, sizes, err) : read_random_list(scene, list, unit, sizes, err);
}

/* A size of a class: by mass the number falls as size^-power within it. */
static double draw_within(const rps_sizes *sizes, double a, double b, double u) {
    if (a == b) return a;
    if (!sizes->by_mass) return fmin(a + u * (b - a), b);
    const double size = sizes->power == 2 ? a * b / (b - u * (b - a)) : a * b / sqrt(b * b - u * (b * b - a * a));
    return fmin(fmax(size, a), b);
}

/* Values outside the bounds are drawn again, and by mass all but a part (low/size)^power of the others, since the number
 * falls so. */
static double draw_normal(const rps_sizes *sizes, uint64_t seed, uint64_t key) {
    for (uint64_t n = 0; n < NORMAL_TRIES; n++) {
        const double r = sizes->a + sizes->b * rps_random_normal(seed, RPS_RANDOM_SIZE, key, n), q = sizes->low / r;
        if (!(r >= sizes->low && r <= sizes->high)) continue;
        const double keep = !sizes->by_mass ? 1.0 : sizes->power == 2 ? q * q : q * q * q;
        if (keep == 1.0 || rps_random_uniform(seed, RPS_RANDOM_CHOICE, key, n) < keep) return r;
    }
    return sizes->a;
}

double rps_sizes_draw(const rps_sizes *sizes, uint64_t seed, uint64_t key) {
    if (sizes->kind == RPS_SIZE_FIXED) return sizes->a;
    if (sizes->kind == RPS_SIZE_NORMAL) return draw_normal(sizes, seed, key);
    const double u = rps_random_uniform(seed, RPS_RANDOM_SIZE, key, 0);
    if (sizes->kind == RPS_SIZE_CLASSES) {
        const size_t c = rps_sizes_class(sizes, rps_set_item(key));
        return draw_within(sizes, sizes->from[c], sizes->to[c], u);
    }
    if (sizes->kind == RPS_SIZE_UNIFORM) return fmin(sizes->a + u * (sizes->b - sizes->a), sizes->b);
    size_t i = 0;
    while (i + 1 < sizes->count && !(u < sizes->upto[i])) i++;
    return sizes->radius[i];
}
