/*
 * Cell search: finds every pair of bodies with bounding spheres within reach and skin.
 *
 * A body is in the level that fits its size and searches its own level and all coarser ones. So small bodies never
 * search the neighborhood of a large one for each other, and the cost at a size ratio of 100 stays near that of
 * equal sizes. Cells are not stored: bodies are sorted by (level, cell), and a row of neighboring cells is one
 * interval of the sorted keys, found by galloping from the last one. So memory and time depend on bodies, not on the
 * box. Within its own level a body takes only partners after it in the sorted order, so each pair is found once,
 * however axes wrap. Planes are separate: each is tested with every body.
 */
#include <math.h>
#include <string.h>

#include "detect/candidate_pairs.h"
#include "detect/lists.h"
#include "world/body_shape.h"

/* Rows of neighbor cells: 9 of two ranges each; with the images beyond both faces of a small sheared cell up to 33 (9
 * and twice 12). */
enum { RANGES = 66, HITS = 256 };
#define CELLS_MOST (INT64_C(1) << 18) /* on an axis; more wrap */
#define NUMBER_MOST 0x1p30            /* cell numbers beyond are clamped to this one */
#define WIDER (1.0 + 1e-6)            /* covers rounding in cell numbers up to NUMBER_MOST: 2^30 * 2^-52 */

/* --- measure ------------------------------------------------------------------------------------------------------ */

static rps_status check_planes(const rps_world *world, const rps_cells *cells, rps_error *err) {
    char name[RPS_BODY_NAME];
    const uint32_t *plane = cells->plane.p;
    for (size_t k = 0; k < cells->planes; k++) {
        for (int axis = 0; axis < 3; axis++) {
            double along = world->bodies.normal[plane[k]][axis];
            if (world->cell.period[axis] > 0.0 && !(along == 0.0)) {
                return rps_fail(
                    err, RPS_BAD_INPUT,
                    "The %s faces along %c (its normal has the component %g), but the world "
                    "is periodic along %c. Give it a normal without a component along periodic axes, or make "
                    "that axis not periodic.",
                    rps_body_name(world, plane[k], name, sizeof name), "xyz"[axis], along, "xyz"[axis]);
            }
        }
    }
    return RPS_OK;
}

rps_status rps_cells_not_finite(const rps_world *world, uint64_t id, rps_error *err) {
    char name[RPS_BODY_NAME];
    return rps_fail(err, RPS_GUARD,
                    "The position of %s is not a finite number after %llu steps. The step is probably too large for "
                    "its contacts, or a law or a load gave a number that is not finite; lower the step and look at the "
                    "contacts of this body.",
                    rps_body_name(world, rps_world_slot(world, id), name, sizeof name),
                    (unsigned long long)world->steps);
}

rps_status rps_cells_measure(const rps_world *world, rps_lists *lists, rps_error *err) {
    rps_cells *cells = &lists->cells;
    size_t count = world->bodies.count;
    RPS_TRY(rps_scratch_fit(world, &cells->keyed, count, sizeof(rps_keyed), err));
    RPS_TRY(rps_scratch_fit(world, &cells->plane, count, sizeof(uint32_t), err));
    rps_keyed *keyed = cells->keyed.p;
    uint32_t *plane = cells->plane.p;
    const rps_pose *pose = world->bodies.pose;
    cells->count = cells->planes = cells->free = 0;
    cells->held_sphere = -1.0;
    cells->held_pieces = false;
    size_t walls = 0;
    double sum = 0.0, sum_walls = 0.0, sum_free = 0.0, largest[2] = {0.0, 0.0};
    uint64_t bad = UINT64_MAX;
    for (int k = 0; k < 3; k++) {
        cells->low[k] = INFINITY;
        cells->high[k] = -INFINITY;
    }
    for (size_t s = 0; s < count; s++) {
        rps_vec3 centre = {pose[s].position[0], pose[s].position[1], pose[s].position[2]};
        if (!rps_vec3_is_finite(centre) && world->bodies.id[s][0] < bad) bad = world->bodies.id[s][0];
        if (rps_body_shape_of(&world->bodies, s) == RPS_BODY_PLANE) {
            plane[cells->planes++] = (uint32_t)s;
            continue;
        }
        double radius = pose[s].radius[0];
        keyed[cells->count++].slot = (uint32_t)s;
        /* a wall of many pieces, or a mesh, does not indicate the size of grains */
        const bool wall = world->bodies.kind[s][0] != RPS_BODY_FREE &&
                          (rps_body_collider(world, s) != NULL || rps_body_has_mesh(world, s));
        walls += wall;
        *(wall ? &sum_walls : &sum) += radius;
        if (world->bodies.kind[s][0] != RPS_BODY_FREE) {
            const bool sphere = !rps_body_has_pieces(&world->bodies, s);
            cells->held_pieces = cells->held_pieces || !sphere;
            if (sphere && radius > cells->held_sphere) cells->held_sphere = radius;
        } else {
            cells->free++;
            sum_free += radius;
            const double lower = radius < largest[0] ? radius : largest[0];
            largest[0] = radius > largest[0] ? radius : largest[0];
            largest[1] = lower > largest[1] ? lower : largest[1];
        }
        for (int k = 0; k < 3; k++) {
            double x = pose[s].position[k];
            cells->low[k] = x < cells->low[k] ? x : cells->low[k];
            cells->high[k] = x > cells->high[k] ? x : cells->high[k];
        }
    }
    if (bad != UINT64_MAX) return rps_cells_not_finite(world, bad, err);
    if (walls == cells->count) {
        cells->radius_mean = walls > 0 ? sum_walls / (double)walls : 0.0;
    } else {
        cells->radius_mean = sum / (double)(cells->count - walls);
    }
    cells->free_mean = cells->free > 0 ? sum_free / (double)cells->free : 0.0;
    cells->radius_max[0] = largest[0];
    cells->radius_max[1] = largest[1];
    cells->cutoff = 0.0;
    for (size_t k = 0; k < world->pairs; k++) {
        if (world->pair_setup[k].cutoff > cells->cutoff) cells->cutoff = world->pair_setup[k].cutoff;
    }
    return check_planes(world, cells, err);
}

/* --- sort --------------------------------------------------------------------------------------------------------- */

/* Search distance between the centres of two bodies of this radius. */
static double extent_of(const rps_cells *cells, double radius, double skin) {
    return radius * (2.0 + cells->cutoff) + skin;
}

static int64_t cells_number_of(const rps_level *level, int axis, double x) {
    double t = (x - level->origin[axis]) * level->inverse[axis];
    t = t > NUMBER_MOST ? NUMBER_MOST : t < -NUMBER_MOST ? -NUMBER_MOST : t;
    int64_t number = (int64_t)t;
    return number - (t < (double)number);
}

static int64_t cells_wrap(int64_t number, int64_t n) {
    if ((uint64_t)number < (uint64_t)n) return number;
    number %= n;
    return number < 0 ? number + n : number;
}

static uint64_t key_of(const rps_level *level, int64_t x, int64_t y, int64_t z) {
    return level->base + (uint64_t)((z * level->n[1] + y) * level->n[0] + x);
}

/* Cells of the level for its largest extent. */
static void set_cells(const rps_world *world, const rps_cells *cells, rps_level *level, double extent) {
    double edge = extent * WIDER;
    for (int k = 0; k < 3; k++) {
        double period = world->cell.period[k];
        if (period > 0.0) {
            double fit = period / edge;
            level->n[k] = fit >= (double)CELLS_MOST ? CELLS_MOST : fit < 1.0 ? 1 : (int64_t)fit;
            level->origin[k] = 0.0;
            level->inverse[k] = (double)level->n[k] / period;
        } else {
            /* one more than needed, so that the last and first cells are not neighbours */
            double fit = (cells->high[k] - cells->low[k]) / edge + 2.0;
            level->n[k] = fit < (double)CELLS_MOST ? (int64_t)fit : CELLS_MOST;
            level->origin[k] = cells->low[k];
            level->inverse[k] = 1.0 / edge;
        }
    }
}

typedef struct placing {
    rps_cells *cells;
    const rps_pose *pose;
    const int *index; /* of the levels in use, by level */
} placing;

static void set_keys(void *context, rps_part part) {
    const placing *p = context;
    rps_keyed *keyed = p->cells->keyed.p;
    for (size_t k = part.begin; k < part.end; k++) {
        const rps_level *level = &p->cells->level[p->index[keyed[k].key]];
        const double *x = p->pose[keyed[k].slot].position;
        keyed[k].key = key_of(level, cells_wrap(cells_number_of(level, 0, x[0]), level->n[0]),
                              cells_wrap(cells_number_of(level, 1, x[1]), level->n[1]),
                              cells_wrap(cells_number_of(level, 2, x[2]), level->n[2]));
    }
}

static void copy_spheres(void *context, rps_part part) {
    const placing *p = context;
    const rps_keyed *keyed = p->cells->keyed.p;
    rps_celled *body = p->cells->body.p;
    for (size_t k = part.begin; k < part.end; k++) {
        const rps_pose *pose = &p->pose[keyed[k].slot];
        body[k] = (rps_celled){{pose->position[0], pose->position[1], pose->position[2]}, pose->radius[0]};
    }
}

rps_status rps_cells_sort(const rps_world *world, rps_lists *lists, double skin, rps_error *err) {
    rps_cells *cells = &lists->cells;
    RPS_TRY(rps_scratch_fit(world, &cells->body, cells->count, sizeof(rps_celled), err));
    const rps_pose *pose = world->bodies.pose;
    rps_keyed *keyed = cells->keyed.p;
    double smallest = INFINITY, extent_max[RPS_LEVELS] = {0.0}, radius_max[RPS_LEVELS] = {0.0};
    for (size_t k = 0; k < cells->count; k++) {
        double radius = pose[keyed[k].slot].radius[0];
        smallest = radius < smallest ? radius : smallest;
    }
    double first_edge = 2.0 * extent_of(cells, smallest, skin);
    for (size_t k = 0; k < cells->count; k++) {
        double radius = pose[keyed[k].slot].radius[0];
        double extent = extent_of(cells, radius, skin), edge = first_edge;
        int l = 0;
        for (; extent >= edge && l < RPS_LEVELS - 1; l++) edge *= 2.0;
        keyed[k].key = (uint64_t)l;
        extent_max[l] = extent > extent_max[l] ? extent : extent_max[l];
        radius_max[l] = radius > radius_max[l] ? radius : radius_max[l];
    }
    int index[RPS_LEVELS] = {0};
    uint64_t base = 0;
    cells->levels = 0;
    for (int l = 0; l < RPS_LEVELS; l++) {
        if (!(extent_max[l] > 0.0)) continue;
        rps_level *level = &cells->level[cells->levels];
        index[l] = cells->levels++;
        level->radius_max = radius_max[l];
        level->base = base;
        set_cells(world, cells, level, extent_max[l]);
        base += (uint64_t)(level->n[0] * level->n[1] * level->n[2]);
    }
    for (cells->key_bits = 0; base >> cells->key_bits != 0; cells->key_bits++) {}
    placing place_in_cells = {.cells = cells, .pose = pose, .index = index};
    rps_parallel_for(lists->workers, cells->count, set_keys, &place_in_cells);
    RPS_TRY(rps_sort_keyed(world, &cells->keyed, &cells->keyed_other, &cells->histogram, cells->count, cells->key_bits,
                           lists->workers, err));
    keyed = cells->keyed.p;
    rps_parallel_for(lists->workers, cells->count, copy_spheres, &place_in_cells);
    size_t place = 0;
    for (int l = 0; l < cells->levels; l++) {
        cells->level[l].begin = place;
        uint64_t next = l + 1 < cells->levels ? cells->level[l + 1].base : UINT64_MAX;
        size_t low = place, high = cells->count;
        while (low < high) {
            size_t mid = low + (high - low) / 2;
            if (keyed[mid].key < next)
                low = mid + 1;
            else
                high = mid;
        }
        cells->level[l].end = place = low;
    }
    return RPS_OK;
}

/* --- search ------------------------------------------------------------------------------------------------------- */

typedef struct interval {
    size_t begin, end; /* places */
} interval;

typedef struct search {
    rps_pair_collector keep;
    const rps_world *world;
    const rps_cells *cells;
    rps_found *found;
    double skin;
    rps_cell periods;
    bool general;                    /* some body has pieces */
    bool crossing;                   /* the neighbours of the present cell may lie across a period */
    size_t hint[RPS_LEVELS][RANGES]; /* where the last intervals began */
    int ranges;
    interval range[RANGES];
} search;

/* First index in [begin, end) with a key not below `key`, galloping from `hint`. */
static size_t first_from(const rps_keyed *keyed, size_t begin, size_t end, size_t hint, uint64_t key) {
    size_t low = begin, high = end, step = 1;
    if (hint < begin || hint > end) hint = begin;
    if (hint < end && keyed[hint].key < key) {
        low = hint + 1;
        while (low + step <= end && keyed[low + step - 1].key < key) {
            low += step;
            step *= 2;
        }
        high = low + step <= end ? low + step - 1 : end;
    } else {
        high = hint;
        while (high >= begin + step && keyed[high - step].key >= key) {
            high -= step;
            step *= 2;
        }
        low = high >= begin + step ? high - step + 1 : begin;
    }
    while (low < high) {
        size_t mid = low + (high - low) / 2;
        if (keyed[mid].key < key)
            low = mid + 1;
        else
            high = mid;
    }
    return low;
}

/* Adds the index ranges of cells x0..x1 of one row, from `from` on. */
static void cells_add_row(search *s, int l, int hint, int64_t x0, int64_t x1, int64_t y, int64_t z, size_t from) {
    const rps_level *level = &s->cells->level[l];
    const rps_keyed *keyed = s->cells->keyed.p;
    uint64_t first = key_of(level, x0, y, z), last = key_of(level, x1, y, z);
    if (from < level->end && from > level->begin && keyed[from - 1].key > last) return; /* all behind us */
    size_t begin = first_from(keyed, level->begin, level->end, s->hint[l][hint], first);
    s->hint[l][hint] = begin;
    size_t end = begin > from ? begin : from;
    begin = end;
    while (end < level->end && keyed[end].key <= last) end++;
    if (begin < end) s->range[s->ranges++] = (interval){begin, end};
}

/* Adds the index ranges of all cells low..high (not yet wrapped) of a level, from `from` on. */
static void add_block(search *s, int l, const int64_t low[3], const int64_t high[3], size_t from, int *hint) {
    const rps_level *level = &s->cells->level[l];
    int64_t first[3], cells[3];
    for (int k = 0; k < 3; k++) {
        bool all = high[k] - low[k] + 1 >= level->n[k];
        first[k] = all ? 0 : cells_wrap(low[k], level->n[k]);
        cells[k] = all ? level->n[k] : high[k] - low[k] + 1;
    }
    for (int64_t dz = 0; dz < cells[2]; dz++) {
        int64_t z = first[2] + dz < level->n[2] ? first[2] + dz : first[2] + dz - level->n[2];
        for (int64_t dy = 0; dy < cells[1]; dy++, *hint += 2) {
            int64_t y = first[1] + dy < level->n[1] ? first[1] + dy : first[1] + dy - level->n[1];
            int64_t last = first[0] + cells[0] - 1;
            if (last < level->n[0]) {
                cells_add_row(s, l, *hint, first[0], last, y, z, from);
            } else {
                cells_add_row(s, l, *hint, first[0], level->n[0] - 1, y, z, from);
                cells_add_row(s, l, *hint + 1, 0, last - level->n[0], y, z, from);
            }
        }
    }
}

/* Merges overlapping ranges, so that no body is visited twice. */
static void join_ranges(search *s) {
    int joined = 0;
    for (int r = 1; r < s->ranges; r++) {
        const interval one = s->range[r];
        int at = r;
        for (; at > 0 && s->range[at - 1].begin > one.begin; at--) s->range[at] = s->range[at - 1];
        s->range[at] = one;
    }
    for (int r = 1; r < s->ranges; r++) {
        interval *last = &s->range[joined];
        if (s->range[r].begin > last->end) {
            s->range[++joined] = s->range[r];
        } else if (s->range[r].end > last->end) {
            last->end = s->range[r].end;
        }
    }
    s->ranges = s->ranges > 0 ? joined + 1 : 0;
}

/* The same across the faces of a sheared cell: bodies beyond them are displaced along the flow axis. Images of a
 * small cell may share cells. */
static void add_sheared(search *s, int l, const int64_t low[3], const int64_t high[3], size_t from, int *hint) {
    const rps_level *level = &s->cells->level[l];
    const int f = s->periods.flow, g = s->periods.gradient;
    const int64_t n = level->n[g];
    for (int64_t up = low[g] < 0 ? -1 : 0; up <= (high[g] >= n ? 1 : 0); up++) {
        int64_t first[3], last[3];
        memcpy(first, low, sizeof first);
        memcpy(last, high, sizeof last);
        first[g] = low[g] - up * n > 0 ? low[g] - up * n : 0;
        last[g] = high[g] - up * n < n - 1 ? high[g] - up * n : n - 1;
        if (up != 0) {
            const double moved = (double)up * s->periods.offset * level->inverse[f];
            first[f] = (int64_t)floor((double)low[f] - moved);
            last[f] = (int64_t)floor((double)(high[f] + 1) - moved);
        }
        add_block(s, l, first, last, from, hint);
    }
    join_ranges(s);
}

/* Collects the index ranges of all cells low..high (not yet wrapped) of a level, from `from` on. */
static void cells_collect(search *s, int l, const int64_t low[3], const int64_t high[3], size_t from) {
    const int g = s->periods.gradient;
    int hint = 0;
    s->ranges = 0;
    if (s->periods.sheared && (low[g] < 0 || high[g] >= s->cells->level[l].n[g])) {
        add_sheared(s, l, low, high, from, &hint);
    } else {
        add_block(s, l, low, high, from, &hint);
    }
}

/* Writes the indices in [begin, end) that are within reach + skin of body b, without branches; returns their number.
 * periodic, sheared: constants where this is inlined. */
static inline __attribute__((always_inline)) int near_ones(const search *s, const rps_celled *b, size_t begin,
                                                           size_t end, const bool periodic, const bool sheared,
                                                           uint32_t *hit) {
    const rps_celled *body = s->cells->body.p;
    const rps_cell cell = s->periods;
    double cutoff = s->cells->cutoff, skin = s->skin;
    int hits = 0;
    for (size_t q = begin; q < end; q++) {
        double d[3] = {b->x[0] - body[q].x[0], b->x[1] - body[q].x[1], b->x[2] - body[q].x[2]};
        if (sheared) rps_cell_nearest_layer(&cell, d);
        for (int k = 0; k < 3 && periodic; k++) d[k] = rps_cell_nearest_along(&cell, k, d[k]);
        double smaller = b->radius < body[q].radius ? b->radius : body[q].radius;
        double range = ((b->radius + body[q].radius) + cutoff * smaller) + skin;
        hit[hits] = (uint32_t)q;
        hits += (d[0] * d[0] + d[1] * d[1]) + d[2] * d[2] < range * range;
    }
    return hits;
}

/* The shape of a body in the cells, which hold no planes. */
static rps_body_shape cells_shape_of(const search *s, uint32_t slot) {
    return s->general && rps_body_has_pieces(&s->world->bodies, slot) ? RPS_BODY_PIECES : RPS_BODY_SPHERE;
}

static int near_in_range(const search *s, size_t place, size_t begin, size_t end, bool crossing, uint32_t *hit) {
    const rps_celled *b = &((const rps_celled *)s->cells->body.p)[place];
    if (!crossing) return near_ones(s, b, begin, end, false, false, hit);
    if (!s->periods.sheared) return near_ones(s, b, begin, end, true, false, hit);
    return near_ones(s, b, begin, end, true, true, hit);
}

static void try_ranges(search *s, size_t place, bool crossing) {
    const rps_keyed *keyed = s->cells->keyed.p;
    uint32_t hit[HITS];
    for (int r = 0; r < s->ranges; r++) {
        size_t begin = s->range[r].begin;
        size_t end = s->range[r].end;
        begin =
            begin <= place ? place + 1 : begin; /* only partners after this body; coarser levels come after it anyway */
        for (; begin < end; begin += HITS) {
            size_t stop = begin + HITS < end ? begin + HITS : end;
            const int hits = near_in_range(s, place, begin, stop, crossing, hit);
            for (int h = 0; h < hits; h++) {
                /* NOLINTNEXTLINE(*ArraySubscript): near_in_range filled the first `hits` */
                const uint32_t one = keyed[place].slot, two = keyed[hit[h]].slot;
                rps_candidate_pairs_add(&s->keep, one, two, cells_shape_of(s, one), cells_shape_of(s, two));
            }
        }
    }
}

static void try_coarser(search *s, int l, size_t place) {
    const rps_celled *b = &((const rps_celled *)s->cells->body.p)[place];
    for (int coarser = l + 1; coarser < s->cells->levels; coarser++) {
        const rps_level *level = &s->cells->level[coarser];
        double range = ((b->radius * (1.0 + s->cells->cutoff) + level->radius_max) + s->skin) * WIDER;
        int64_t low[3], high[3];
        for (int k = 0; k < 3; k++) {
            low[k] = cells_number_of(level, k, b->x[k] - range);
            high[k] = cells_number_of(level, k, b->x[k] + range);
        }
        cells_collect(s, coarser, low, high, level->begin);
        try_ranges(s, place, s->periods.periodic);
    }
}

static void try_planes(search *s, uint32_t slot) {
    const uint32_t *plane = s->cells->plane.p;
    double capacity = s->cells->cutoff * s->world->bodies.pose[slot].radius[0] + s->skin;
    for (size_t k = 0; k < s->cells->planes; k++) {
        double gap;
        rps_gap_plane_sphere(s->world, &plane[k], &slot, 1, &gap);
        if (gap < capacity) rps_candidate_pairs_add(&s->keep, slot, plane[k], cells_shape_of(s, slot), RPS_BODY_PLANE);
    }
}

static void search_places(search *s, size_t begin, size_t end) {
    const rps_keyed *keyed = s->cells->keyed.p;
    const rps_celled *body = s->cells->body.p;
    interval own[RANGES];
    int owns = 0, l = 0;
    for (size_t place = begin; place < end && s->found->status == RPS_OK; place++) {
        while (place >= s->cells->level[l].end) l++;
        if (place == begin || keyed[place].key != keyed[place - 1].key) {
            int64_t low[3], high[3];
            bool crossing = false;
            for (int k = 0; k < 3; k++) {
                int64_t number = cells_number_of(&s->cells->level[l], k, body[place].x[k]);
                int64_t n = s->cells->level[l].n[k];
                low[k] = number - 1;
                high[k] = number + 1;
                /* neighbors are within two cells, so within half the period, if there are five */
                crossing = crossing || (s->periods.period[k] > 0.0 && (n < 5 || number < 1 || number > n - 2));
            }
            s->crossing = crossing;
            cells_collect(s, l, low, high, place);
            owns = s->ranges;
            if (l + 1 < s->cells->levels) memcpy(own, s->range, (size_t)owns * sizeof *own);
        }
        if (l + 1 < s->cells->levels) { /* coarser levels use the same ranges */
            try_coarser(s, l, place);
            memcpy(s->range, own, (size_t)owns * sizeof *own);
            s->ranges = owns;
        }
        try_ranges(s, place, s->crossing);
        if (s->cells->planes > 0) try_planes(s, keyed[place].slot);
    }
}

typedef struct searching {
    const rps_world *world;
    rps_lists *lists;
    double skin;
} searching;

static void search_part(void *context, rps_part part) {
    const searching *all = context;
    const rps_world *world = all->world;
    rps_lists *lists = all->lists;
    rps_found *found = (rps_found *)lists->found.p + part.worker;
    search s = {.world = world,
                .cells = &lists->cells,
                .found = found,
                .skin = all->skin,
                .periods = world->cell,
                .general = lists->general};
    s.keep = (rps_pair_collector){.world = world,
                                  .found = found,
                                  .skin = all->skin,
                                  .cutoff = lists->cells.cutoff,
                                  .periodic = world->cell.periodic,
                                  .general = lists->general,
                                  .block = {UINT32_MAX, 0}};
    /* capacity as last time, which avoids repeated reallocation */
    found->status = rps_scratch_fit(world, &found->pair, found->count, sizeof(rps_candidate_pair), &found->error);
    if (found->status == RPS_OK && lists->general) {
        found->status = rps_scratch_fit(world, &found->subkey, found->count, sizeof(rps_subkey), &found->error);
    }
    found->count = 0;
    found->pair_missing = false;
    found->refused[0] = found->refused[1] = UINT64_MAX;
    if (found->status != RPS_OK) return;
    search_places(&s, part.begin, part.end);
    if (found->status != RPS_OK) return;
    const size_t blocks = found->count / RPS_RAW_BLOCK;
    found->status = rps_scratch_grow(world, &found->block, blocks, blocks + 1, sizeof(rps_slot_range), &found->error);
    if (found->status == RPS_OK) ((rps_slot_range *)found->block.p)[blocks] = s.keep.block;
}

/* The refusal of the first two bodies, by id, if there is one. */
static rps_status refusal_of(const rps_found *found, int count, rps_error *err) {
    const rps_found *first = &found[0];
    for (int c = 1; c < count; c++) {
        const uint64_t *a = found[c].refused, *b = first->refused;
        if (a[0] < b[0] || (a[0] == b[0] && a[1] < b[1])) first = &found[c];
    }
    if (first->refused[0] == UINT64_MAX) return RPS_OK;
    return rps_fail(err, RPS_UNSUPPORTED, "%s", first->refusal.text);
}

rps_status rps_cells_search(const rps_world *world, rps_lists *lists, double skin, rps_error *err) {
    searching all = {world, lists, skin};
    rps_parallel_for(lists->workers, lists->cells.count, search_part, &all);
    const rps_found *found = lists->found.p;
    const rps_found *first = NULL;
    for (int c = 0; c < lists->workers.count; c++) {
        if (found[c].status != RPS_OK) return rps_fail(err, found[c].status, "%s", found[c].error.text);
        if (found[c].pair_missing &&
            (first == NULL || found[c].missing[0] < first->missing[0] ||
             (found[c].missing[0] == first->missing[0] && found[c].missing[1] < first->missing[1]))) {
            first = &found[c];
        }
    }
    if (first == NULL) return refusal_of(found, lists->workers.count, err);
    char body[2][RPS_BODY_NAME];
    for (int k = 0; k < 2; k++) rps_body_name(world, rps_world_slot(world, first->missing[k]), body[k], sizeof body[k]);
    return rps_fail(
        err, RPS_BAD_INPUT,
        "%s and %s come close to each other, but the pair of their materials `%s` and `%s` was not given. Add "
        "it to the pairs, or exclude these bodies from each other.",
        body[0], body[1], world->material[first->material[0]].name, world->material[first->material[1]].name);
}
