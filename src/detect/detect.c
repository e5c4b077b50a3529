/*
 * Updates the lists in a step, and answers queries about pairs. list_life.c decides when to rebuild; the other files
 * build.
 */
#include "detect/detect.h"

#include <math.h>
#include <string.h>

#include "base/random.h"
#include "detect/image.h"
#include "detect/lists.h"
#include "world/body_shape.h"

#define CANDIDATE_SKIN_USUAL 0.1 /* of the typical diameter: a period has space for this much */

/* --- life --------------------------------------------------------------------------------------------------------- */

static void detect_release(rps_world *world) {
    rps_lists *lists = world->lists;
    rps_found *found = lists->found.p;
    for (size_t c = 0; c < lists->finders; c++) {
        rps_scratch_release(world, &found[c].pair);
        rps_scratch_release(world, &found[c].subkey);
        rps_scratch_release(world, &found[c].block);
    }
    rps_cells *cells = &lists->cells;
    rps_scratch *const buffer[] = {&lists->found,      &lists->row,         &lists->cursor,       &lists->other,
                                   &lists->pair_type,  &lists->subkey,      &lists->entry,        &lists->pair_mark,
                                   &lists->column,     &lists->column_pair, &lists->column_other, &lists->row_block,
                                   &lists->prediction, &cells->from,        &cells->keyed,        &cells->body,
                                   &cells->plane,      &cells->keyed_other, &cells->histogram};
    for (size_t k = 0; k < sizeof buffer / sizeof *buffer; k++) rps_scratch_release(world, buffer[k]);
    rps_memory_release(world->allocator, lists, sizeof *lists);
    world->lists = NULL;
}

static rps_status detect_create(rps_world *world, rps_error *err) {
    void *p;
    RPS_TRY(rps_memory_alloc_zeroed(world->allocator, sizeof(rps_lists), &p, err));
    world->lists = p;
    rps_life_begin(&world->lists->life);
    world->lists_release = detect_release;
    return RPS_OK;
}

static rps_status set_workers(const rps_world *world, rps_lists *lists, rps_error *err) {
    lists->workers = rps_world_workers(world);
    if (world->bodies.count < RPS_PARALLEL_FROM) lists->workers.count = 1;
    const size_t workers = (size_t)lists->workers.count;
    if (workers > lists->finders) {
        RPS_TRY(rps_scratch_grow(world, &lists->found, lists->finders, workers, sizeof(rps_found), err));
        memset((rps_found *)lists->found.p + lists->finders, 0, (workers - lists->finders) * sizeof(rps_found));
        lists->finders = workers;
    }
    return RPS_OK;
}

/* --- skins and travel --------------------------------------------------------------------------------------------- */

/* Largest search distance between the centers of two free bodies, without skin. */
static double widest_pair(const rps_cells *cells) {
    return (cells->radius_max[0] + cells->radius_max[1]) + cells->cutoff * cells->radius_max[1];
}

/* The same for a free body and a fixed or driven sphere. */
static double widest_held(const rps_cells *cells) {
    const double r = cells->radius_max[0], held = cells->held_sphere;
    return (r + held) + cells->cutoff * (r < held ? r : held);
}

static double least_skin(const rps_world *world, double radius_mean) {
    return world->options.skin > 0.0 ? world->options.skin : CANDIDATE_SKIN_USUAL * 2.0 * radius_mean;
}

double rps_detect_least_period(const rps_world *world, double largest, double second, double mean) {
    double cutoff = 0.0;
    for (size_t k = 0; k < world->pairs; k++) {
        const rps_pair_setup *pair = &world->pair_setup[k];
        const double own = pair->ranged && second > 0.0 ? rps_pair_range_bound(pair, second, true) : pair->cutoff;
        if (own > cutoff) cutoff = own;
    }
    return 2.0 * ((largest + second) + cutoff * second + least_skin(world, mean));
}

/* Bodies without pieces are searched in one image only. image.c handles all others. */
static rps_status detect_check_periods(const rps_world *world, const rps_cells *cells, rps_error *err) {
    if (!world->cell.periodic) return RPS_OK;
    const double skin = least_skin(world, cells->free_mean);
    const bool with_held = cells->free > 0 && cells->held_sphere > 0.0;
    const double need = cells->free > 1 ? 2.0 * (widest_pair(cells) + skin) : 0.0;
    const double need_held = with_held ? 2.0 * (widest_held(cells) + skin) : 0.0;
    for (int k = 0; k < 3; k++) {
        double period = world->cell.period[k];
        if (!(period > 0.0)) continue;
        if (period < need) {
            return rps_fail(
                err, RPS_BAD_INPUT,
                "The period along %c is %g m, but at least %g m are needed: twice the sum of the two largest radii of "
                "free bodies (%g m and %g m), the reach of the laws (%g m) and the skin of the candidate list (%g m), "
                "so "
                "that a body meets another in one image only. Make the box longer along %c, or do not make it periodic "
                "there.",
                "xyz"[k], period, need, cells -> radius_max[0], cells -> radius_max[1],
                cells -> cutoff * cells -> radius_max[1], skin, "xyz"[k]);
        }
        if (period < need_held) {
            return rps_fail(
                err, RPS_BAD_INPUT,
                "The period along %c is %g m, but at least %g m are needed beside a fixed or driven sphere of radius "
                "%g "
                "m: twice the sum of its radius, the largest of a free body (%g m), the reach of the laws and the skin "
                "of the candidate list (%g m). Make the box longer along %c, or give the sphere as an ellipsoid with "
                "three equal semi-axes, which free bodies may meet in two images.",
                "xyz"[k], period, need_held, cells -> held_sphere, cells -> radius_max[0], skin, "xyz"[k]);
        }
    }
    return cells->free > 0 ? rps_image_check(world, (1.0 + cells->cutoff) * cells->radius_max[0], err) : RPS_OK;
}

/* The widest skin for which bodies need not be searched in more images (m). */
static double widest_skin(const rps_world *world, const rps_cells *cells) {
    double widest = INFINITY;
    for (int k = 0; k < 3; k++) {
        const double period = world->cell.period[k];
        if (!(period > 0.0)) continue;
        double most = INFINITY;
        if (cells->free > 1) most = world->cell.half[k] - widest_pair(cells);
        if (cells->free > 0 && cells->held_sphere > 0.0) {
            const double held = world->cell.half[k] - widest_held(cells);
            most = held < most ? held : most;
        }
        if (cells->held_pieces && !(most < 0.24 * period)) most = 0.24 * period; /* rps_image_near: P/4 */
        widest = most < widest ? most : widest;
    }
    return widest;
}

/* --- builds ------------------------------------------------------------------------------------------------------- */

/* Releases the input of the candidate list: candidate pairs and sorted bodies, a tenth of a bed's memory. */
static void release_sources(const rps_world *world, rps_lists *lists) {
    rps_found *found = lists->found.p;
    for (size_t c = 0; c < lists->finders; c++) {
        rps_scratch_shrink(world, &found[c].pair);
        rps_scratch_shrink(world, &found[c].subkey);
        rps_scratch_shrink(world, &found[c].block);
    }
    rps_cells *cells = &lists->cells;
    rps_scratch *capacity[] = {&cells->keyed,  &cells->keyed_other,  &cells->body,     &cells->from,
                               &lists->cursor, &lists->column_other, &lists->row_block};
    for (size_t k = 0; k < sizeof capacity / sizeof *capacity; k++) rps_scratch_shrink(world, capacity[k]);
}

/* An update of the lists: what it reads, and what it writes. */
typedef struct list_update {
    const rps_world *world;
    rps_lists *lists;
    rps_contacts *contacts;     /* rebuilt */
    rps_bodies *bodies;         /* put in order */
    rps_pair_setup *pair_setup; /* their ranges */
} list_update;

static rps_status make_candidates(const list_update *u, rps_list_plan *plan, rps_error *err) {
    const rps_world *world = u->world;
    rps_lists *lists = u->lists;
    rps_cells *cells = &lists->cells;
    lists->life.candidates_valid = false;
    rps_contacts_drop_loads(world, u->contacts); /* the next evaluation rewrites them; until then they are free */
    lists->general = world->pieces > 0;
    rps_pairs_bound_ranges(world, u->pair_setup);
    RPS_TRY(rps_cells_measure(world, lists, err));
    RPS_TRY(detect_check_periods(world, cells, err));
    bool changed;
    RPS_TRY(rps_order_slots(world, lists, u->bodies, u->contacts, &changed, err));
    if (changed) lists->life.predicts = false;     /* predictions are by slot */
    RPS_TRY(rps_cells_measure(world, lists, err)); /* ordering used its room */
    rps_life_choose_skins(world, cells, &lists->life, widest_skin(world, cells), plan);
    lists->coming_candidate_skin = plan->candidate_skin;
    RPS_TRY(rps_cells_sort(world, lists, plan->candidate_skin, err));
    RPS_TRY(rps_cells_search(world, lists, plan->candidate_skin, err));
    RPS_TRY(rps_candidate_list_build(world, lists, err));
    RPS_TRY(rps_persist_match(world, lists, err));
    release_sources(world, lists);
    rps_life_candidates_built(world, cells, plan->candidate_skin, &lists->life);
    lists->counts.candidate_builds++;
    lists->counts.candidate_count = lists->pairs;
    return RPS_OK;
}

/* left: m, remaining skin of the candidate list. */
static rps_status make_neighbors(const list_update *u, const rps_list_plan *plan, double left, rps_error *err) {
    rps_lists *lists = u->lists;
    const rps_status status =
        rps_neighbor_list_build(u->world, lists, u->contacts, plan->neighbor_skin, 0.5 * left, plan->horizon, err);
    if (status != RPS_OK) {
        lists->life.candidates_valid = lists->life.neighbors_valid = false;
        return status;
    }
    lists->counts.neighbor_builds++;
    lists->counts.neighbor_count = 0;
    for (size_t k = 0; k < u->contacts->segments; k++) lists->counts.neighbor_count += u->contacts->segment[k].count;
    rps_life_neighbors_built(plan->neighbor_skin, plan->horizon, lists->counts.neighbor_count, &lists->life);
    return RPS_OK;
}

/* The lists that this step has to rebuild. */
static rps_list_plan plan_of(const rps_world *world, const rps_lists *lists) {
    const rps_list_life *life = &lists->life;
    rps_list_plan plan = {.candidates = world->lists_stale || !life->candidates_valid,
                          .neighbors = world->lists_stale || !life->neighbors_valid ||
                                       !rps_life_neighbors_are_good(world, &lists->cells, life)};
    if (world->options.shuffle != 0) { /* some steps more, by chance */
        const uint64_t chance =
            rps_random_index(world->options.shuffle, RPS_RANDOM_SHUFFLE_ORDER, world->steps, UINT64_MAX, 8);
        plan.candidates = plan.candidates || chance == 0;
        plan.neighbors = plan.neighbors || chance <= 2;
    }
    return plan;
}

rps_status rps_detect_update(rps_world *world, rps_error *err) {
    if (world->lists == NULL) RPS_TRY(detect_create(world, err));
    rps_lists *lists = world->lists;
    rps_list_life *life = &lists->life;
    const rps_cells *cells = &lists->cells;
    const list_update update = {world, lists, &world->contacts, &world->bodies, world->pair_setup};
    rps_life_add_step(world, cells, life);
    world->moved.deviation = INFINITY; /* until bodies move again */
    rps_list_plan plan = plan_of(world, lists);
    if (!plan.neighbors && !plan.candidates) return rps_contacts_reserve_results(world, &world->contacts, err);
    RPS_TRY(set_workers(world, lists, err));
    RPS_TRY(rps_contacts_extend(world, &world->contacts, err));
    rps_life_estimate_acceleration(world, life);
    double left = rps_life_left(life);
    if (!plan.candidates) rps_life_plan_neighbors(world, cells, life, widest_skin(world, cells), &plan);
    life->neighbors_valid = false;
    lists->remake_constants = world->lists_stale;
    if (plan.candidates) {
        RPS_TRY(make_candidates(&update, &plan, err));
        left = rps_life_left(life);
    }
    rps_life_limit_horizon(world, life, left, &plan);
    const double ahead = rps_life_displacement_bound(world, cells, life);
    if (!rps_life_fits(ahead, plan.neighbor_skin)) {
        return rps_fail(err, RPS_GUARD,
                        "bodies move by up to %g m a step, further than neighbours can be sought in this periodic box "
                        "at t = %.9g s: choose a smaller step",
                        ahead, rps_world_time(world));
    }
    RPS_TRY(make_neighbors(&update, &plan, left, err));
    world->lists_stale = false;
    return rps_contacts_reserve_results(world, &world->contacts, err);
}

rps_prediction *rps_detect_predictions_to_write(rps_world *world) {
    return rps_detect_predictions(world) != NULL ? world->lists->prediction.p : NULL;
}

/* --- questions ---------------------------------------------------------------------------------------------------- */

const rps_prediction *rps_detect_predictions(const rps_world *world) {
    const rps_lists *lists = world->lists;
    return lists != NULL && lists->life.predicts && !world->lists_stale ? lists->prediction.p : NULL;
}

void rps_detect_counts(const rps_world *world, rps_detect_count *out) {
    *out = world->lists != NULL ? world->lists->counts : (rps_detect_count){0};
}

static bool may_touch(const rps_world *world, size_t a, size_t b) {
    return rps_pair_exists(rps_body_shape_of(&world->bodies, a), rps_body_shape_of(&world->bodies, b)) &&
           rps_world_may_touch(world, a, b);
}

rps_status rps_detect_all_pairs(const rps_world *world, double gap, uint32_t (**pairs)[2], size_t *count,
                                rps_error *err) {
    const rps_bodies *bodies = &world->bodies;
    size_t found = 0, bytes = 0;
    *pairs = NULL;
    *count = 0;
    for (int pass = 0; pass < 2; pass++) {
        size_t next = 0;
        for (uint64_t id_i = 0, i; rps_bodies_next(bodies, &id_i, &i); id_i++) {
            for (uint64_t id_j = id_i + 1, j; rps_bodies_next(bodies, &id_j, &j); id_j++) {
                if (!may_touch(world, i, j) || !(rps_detect_gap(world, i, j) < gap)) continue;
                if (pass == 1) {
                    (*pairs)[next][0] = (uint32_t)i;
                    (*pairs)[next][1] = (uint32_t)j;
                }
                next++;
            }
        }
        found = next;
        if (pass == 0) {
            void *p;
            RPS_TRY(rps_size_of_items(found, sizeof **pairs, &bytes, err));
            RPS_TRY(rps_memory_alloc(world->allocator, bytes, &p, err));
            *pairs = p;
        }
    }
    *count = found;
    return RPS_OK;
}
