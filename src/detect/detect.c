/*
 * When lists are rebuilt, and how wide their skins are.
 *
 * A pair that a list leaves out was farther apart than reach and the list's skin; both bodies together come at most
 * twice the travel nearer. The inner list is good while twice the travel is below its skin. It may be made from the
 * outer one while outer skin less twice the outer travel is not below the new inner skin.
 *
 * Where all flows together the fastest body says little of how neighbours part. So the inner list also holds what would
 * come near for some time if every body kept the velocity of that moment, its course; as long as that time lasts, it is
 * good too while no body has left its course by its leeway (near.c), of which half the skin is the least.
 *
 * Skins are a bargain between building often and carrying pairs that do not touch. With a way u of the fastest body per
 * step and a typical diameter d, the near pairs of a dense bed grow by about 15 s/d a body for a skin s; weighing that
 * by what an entry and a build cost gives skins near sqrt(u d) and sqrt(s d). Bodies leave their course as the square of
 * time, by half a bend b for n (n + 1) steps; the bargain is then at most near n^3 = d/(8 b), s = b n^2. A list also wears:
 * what begins to touch and what ceases to costs more than what was listed so. If p pairs are listed and each step adds
 * the cost of w to all that follow, the bargain is n^2 = 2 p/w. All are bounded, and none shows in results.
 */
#include "detect/detect.h"

#include <math.h>
#include <string.h>

#include "base/elementary.h"
#include "base/random.h"
#include "detect/image.h"
#include "detect/lists.h"

#define COURSE_LEAST 0.0005 /* of the typical diameter: of a list that follows courses */
#define INNER_LEAST 0.002
#define INNER_MOST 0.1
#define OUTER_USUAL 0.1
#define OUTER_MOST 0.5
#define AHEAD 2.2 /* skin for what closes in the coming step: both bodies move, and their speed may grow a little */
#define SAFETY (1.0 - 1e-9) /* the sum of ways rounds */
#define OUTER_USED 0.2      /* of the wanted time: an outer list costs as much as some five inner ones */
#define COURSE_FIRST 8.0    /* steps, as long as nothing is known */
#define COURSE_LONGEST 1000.0
#define COURSE_MORE 1.25 /* longer than is expected: what comes near on its course costs little */
#define ROUNDED 1.000001 /* courses are no more exact than that */

/* --- life --------------------------------------------------------------------------------------------------------- */

static void detect_release(rps_world *world) {
    rps_lists *lists = world->lists;
    const rps_allocator *allocator = world->allocator;
    rps_found *found = lists->found.p;
    for (size_t c = 0; c < lists->found_chunks; c++) {
        rps_buffer_release(allocator, &found[c].pair.p, &found[c].pair.bytes);
        rps_buffer_release(allocator, &found[c].subkey.p, &found[c].subkey.bytes);
        rps_buffer_release(allocator, &found[c].block.p, &found[c].block.bytes);
    }
    rps_cells *cells = &lists->cells;
    rps_scratch *capacity[] = {
        &lists->found,         &lists->row,
        &lists->cursor,        &lists->other,
        &lists->pair_type,     &lists->subkey,
        &lists->entry,         &lists->pair_mark,
        &lists->column,        &lists->column_pair,
        &lists->column_other,  &lists->row_block,
        &lists->segment[0],    &lists->segment[1],
        &lists->store[0],      &lists->store[1],
        &lists->load,          &lists->place,
        &lists->result,        &lists->tally,
        &lists->kind,          &lists->degree,
        &cells->from,          &lists->shuffled,
        &lists->reference,     &lists->reference_begin,
        &lists->reference_own, &cells->keyed,
        &cells->body,          &lists->has_load,
        &lists->was_active,    &cells->plane,
        &cells->keyed_other,   &cells->histogram,
        &lists->same[0],       &lists->same[1],
        &lists->line,          &lists->line_row,
        &lists->prediction,    &lists->slot[0],
        &lists->slot[1],       &lists->piece,
        &lists->mixed,         &lists->renumbering,
    };
    for (size_t k = 0; k < sizeof capacity / sizeof *capacity; k++)
        rps_buffer_release(allocator, &capacity[k]->p, &capacity[k]->bytes);
    memset(&world->contacts, 0, sizeof world->contacts);
    world->prediction = NULL;
    rps_memory_release(allocator, lists, sizeof *lists);
    world->lists = NULL;
}

static rps_status detect_create(rps_world *world, rps_error *err) {
    void *p;
    RPS_TRY(rps_memory_alloc_zeroed(world->allocator, sizeof(rps_lists), &p, err));
    world->lists = p;
    world->lists->acceleration = -1.0;
    world->lists_release = detect_release;
    return RPS_OK;
}

static rps_status set_chunks(rps_world *world, rps_lists *lists, rps_error *err) {
    lists->chunks = world->bodies.count >= RPS_PARALLEL_FROM && world->threads > 1 ? world->threads : 1;
    size_t chunks = (size_t)lists->chunks;
    if (chunks > lists->found_chunks) {
        RPS_TRY(rps_scratch_grow(world, &lists->found, lists->found_chunks, chunks, sizeof(rps_found), err));
        memset((rps_found *)lists->found.p + lists->found_chunks, 0,
               (chunks - lists->found_chunks) * sizeof(rps_found));
        lists->found_chunks = chunks;
    }
    return RPS_OK;
}

/* --- skins and travel --------------------------------------------------------------------------------------------- */

/* Distance between the centers of the two free bodies that need most, without skin. */
static double widest_pair(const rps_cells *cells) {
    return (cells->radius_max[0] + cells->radius_max[1]) + cells->cutoff * cells->radius_max[1];
}

/* The same of a free body and a sphere that is fixed or driven. */
static double widest_held(const rps_cells *cells) {
    const double r = cells->radius_max[0], held = cells->held_sphere;
    return (r + held) + cells->cutoff * (r < held ? r : held);
}

static bool is_periodic(const rps_world *world) {
    const double *period = world->options.period;
    return period[0] > 0.0 || period[1] > 0.0 || period[2] > 0.0;
}

static double least_skin(const rps_world *world, double radius_mean) {
    return world->options.skin > 0.0 ? world->options.skin : OUTER_USUAL * 2.0 * radius_mean;
}

double rps_detect_least_period(const rps_world *world, double largest, double second, double mean) {
    double cutoff = 0.0;
    for (size_t k = 0; k < world->pairs; k++) {
        if (world->pair_setup[k].cutoff > cutoff) cutoff = world->pair_setup[k].cutoff;
    }
    return 2.0 * ((largest + second) + cutoff * second + least_skin(world, mean));
}

/* Bodies without pieces are looked for in one image only. Of others image.c knows what they need. */
static rps_status detect_check_periods(const rps_world *world, const rps_cells *cells, rps_error *err) {
    if (!is_periodic(world)) return RPS_OK;
    const double skin = least_skin(world, cells->free_mean);
    const bool with_held = cells->free > 0 && cells->held_sphere > 0.0;
    const double need = cells->free > 1 ? 2.0 * (widest_pair(cells) + skin) : 0.0;
    const double need_held = with_held ? 2.0 * (widest_held(cells) + skin) : 0.0;
    for (int k = 0; k < 3; k++) {
        double period = world->options.period[k];
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

/* The widest skin at which bodies need not be looked for in more images than these, m. */
static double widest_skin(const rps_world *world, const rps_cells *cells) {
    double widest = INFINITY;
    for (int k = 0; k < 3; k++) {
        const double period = world->options.period[k];
        if (!(period > 0.0)) continue;
        double most = INFINITY;
        if (cells->free > 1) most = 0.5 * period - widest_pair(cells);
        if (cells->free > 0 && cells->held_sphere > 0.0) {
            const double held = 0.5 * period - widest_held(cells);
            most = held < most ? held : most;
        }
        if (cells->held_pieces && !(most < 0.24 * period)) most = 0.24 * period; /* rps_image_near: P/4 */
        widest = most < widest ? most : widest;
    }
    return widest;
}

/* Bound of the way that turning planes made relative to the bodies, m: half of it counts for each partner. */
static double rotation_displacement(const rps_world *world, const rps_lists *lists) {
    const uint32_t *plane = lists->cells.plane.p;
    double most = 0.0;
    for (size_t k = 0; k < lists->cells.planes; k++) {
        size_t s = plane[k];
        if (world->bodies.kind[s][0] != RPS_BODY_DRIVEN) continue;
        const double *w = world->driven[world->bodies.drive[s][0]].now.angular_velocity;
        const double *n = world->bodies.normal[s];
        double tilt = rps_vec3_norm(rps_vec3_cross((rps_vec3){w[0], w[1], w[2]}, (rps_vec3){n[0], n[1], n[2]}));
        most = tilt > most ? tilt : most;
    }
    return most > 0.0 ? 0.5 * most * world->step * (lists->plane_reach + 2.0 * lists->candidate_displacement) : 0.0;
}

/* Bound of the way of a body in the coming step, m, where contacts are sought before motion. */
static double displacement_bound(const rps_world *world, const rps_lists *lists) {
    return world->speed_bound > 0.0 ? world->speed_bound * world->step + rotation_displacement(world, lists) : 0.0;
}

/* Within `least` and INNER_MOST, also what is not a number. */
static double bounded(double skin, double least, double typical) {
    skin = skin > least * typical ? skin : least * typical;
    return skin < INNER_MOST * typical ? skin : INNER_MOST * typical;
}

/* How many steps a list should last that follows courses: wear grows with time and rebuilding is shared by more. */
static double prediction_steps(const rps_lists *lists, double typical) {
    double steps = COURSE_LONGEST;
    if (8.0 * lists->acceleration * steps * steps * steps > typical)
        steps = rps_cbrt(typical / (8.0 * lists->acceleration));
    const double pairs = (double)lists->counts.neighbor_count;
    if (lists->rebuild_cost * steps * steps > 2.0 * pairs) steps = sqrt(2.0 * pairs / lists->rebuild_cost);
    return steps;
}

/* The skins for the present speed, and for how long the inner list counts on the course of bodies. */
static void choose_skins(const rps_world *world, const rps_cells *cells, double *candidate_skin_out,
                         double *neighbor_skin_out, double *time) {
    const rps_lists *lists = world->lists;
    double typical = 2.0 * cells->radius_mean;
    double step_displacement = lists->step_displacement;
    const double by_way = bounded(sqrt(step_displacement * typical), INNER_LEAST, typical);
    *neighbor_skin_out = by_way;
    *time = 0.0;
    if (lists->moved && world->options.stepper == RPS_PENALTY) {
        double steps = COURSE_FIRST;
        if (lists->acceleration >= 0.0) {
            steps = prediction_steps(lists, typical);
            *neighbor_skin_out = bounded(lists->acceleration * steps * steps, COURSE_LEAST, typical);
            if (lists->acceleration * steps * steps > *neighbor_skin_out)
                steps = sqrt(*neighbor_skin_out / lists->acceleration);
            if (2.0 * step_displacement * steps < by_way)
                *neighbor_skin_out = by_way; /* speed alone lets it last longer */
        }
        *time = COURSE_MORE * steps * world->step;
    }
    const double given = world->options.neighbor_skin, ahead = AHEAD * displacement_bound(world, lists);
    *neighbor_skin_out = (given > 0.0 ? given : *neighbor_skin_out) + ahead;
    const double base = (given > 0.0 ? given : by_way) + ahead;
    double large = base + 2.0 * sqrt(base * typical);
    *candidate_skin_out = large < OUTER_MOST * typical ? large : OUTER_MOST * typical;
    *candidate_skin_out =
        *candidate_skin_out > 2.0 * *neighbor_skin_out ? *candidate_skin_out : 2.0 * *neighbor_skin_out;
    if (world->options.skin > 0.0) *candidate_skin_out = world->options.skin;
    /* a contact that lived before this step is evaluated once more, unless its bodies flew apart by a whole diameter */
    double inactive_begin = 2.5 * step_displacement < typical ? 2.5 * step_displacement : typical;
    if (*candidate_skin_out < inactive_begin) *candidate_skin_out = inactive_begin;
    const double widest = widest_skin(world, cells);
    if (*candidate_skin_out > widest) *candidate_skin_out = widest;
    if (*neighbor_skin_out > 0.5 * *candidate_skin_out) *neighbor_skin_out = 0.5 * *candidate_skin_out;
}

/* s, for how long bodies may keep their course until one comes within `skin` of another that is not in the outer list,
 * whose skin is down to `left`. No body is faster now than it was in the last step, since it has not moved again. */
static double predicted_within(const rps_world *world, double left, double skin) {
    const double nearer = 2.0 * ROUNDED * world->lists->step_displacement; /* a step */
    const double capacity = left - skin;
    return nearer > 0.0 ? capacity / nearer * world->step : capacity >= 0.0 ? INFINITY : 0.0;
}

/* Distance of the farthest corner of the box of all bodies from any plane's centre. */
static double farthest_from_planes(const rps_world *world, const rps_cells *cells) {
    const uint32_t *plane = cells->plane.p;
    double most = 0.0;
    for (size_t k = 0; k < cells->planes && cells->count > 0; k++) {
        double sum = 0.0;
        for (int axis = 0; axis < 3; axis++) {
            double x = world->bodies.pose[plane[k]].position[axis];
            double low = fabs(cells->low[axis] - x), high = fabs(cells->high[axis] - x);
            double far = low > high ? low : high;
            if (world->options.period[axis] > 0.0 && far < world->options.period[axis])
                far = world->options.period[axis];
            sum += far * far;
        }
        most = sqrt(sum) > most ? sqrt(sum) : most;
    }
    return most;
}

static void add_displacement(const rps_world *world, rps_lists *lists) {
    const double angular = rotation_displacement(world, lists);
    lists->step_displacement = world->max_speed * world->step + angular;
    lists->candidate_displacement += lists->step_displacement;
    lists->neighbor_displacement += lists->step_displacement;
    lists->order_displacement += lists->step_displacement;
    lists->since += world->step;
    lists->accumulated_deviation += world->max_deviation * world->step + angular;
}

/* --- builds ------------------------------------------------------------------------------------------------------- */

/* What an outer list is made from: raw pairs and sorted bodies, a tenth of a bed's memory. */
static void release_sources(const rps_world *world, rps_lists *lists) {
    rps_found *found = lists->found.p;
    for (size_t c = 0; c < lists->found_chunks; c++) {
        rps_scratch_shrink(world, &found[c].pair);
        rps_scratch_shrink(world, &found[c].subkey);
        rps_scratch_shrink(world, &found[c].block);
    }
    rps_cells *cells = &lists->cells;
    rps_scratch *capacity[] = {&cells->keyed,  &cells->keyed_other,  &cells->body,     &cells->from,
                               &lists->cursor, &lists->column_other, &lists->row_block};
    for (size_t k = 0; k < sizeof capacity / sizeof *capacity; k++) rps_scratch_shrink(world, capacity[k]);
}

static rps_status make_candidates(rps_world *world, rps_lists *lists, double *neighbor_skin, double *time,
                                  rps_error *err) {
    rps_cells *cells = &lists->cells;
    lists->candidates_valid = false;
    rps_scratch_shrink(world, &lists->load); /* the coming evaluation rewrites them; until then there is room */
    world->contacts.load = NULL;
    lists->general = world->pieces > 0;
    RPS_TRY(rps_cells_measure(world, lists, err));
    RPS_TRY(detect_check_periods(world, cells, err));
    bool changed;
    RPS_TRY(rps_order_slots(world, lists, &changed, err));
    if (changed) world->prediction = NULL;         /* it was by slot */
    RPS_TRY(rps_cells_measure(world, lists, err)); /* ordering used its room */
    double skin;
    choose_skins(world, cells, &skin, neighbor_skin, time);
    lists->coming_candidate_skin = skin;
    RPS_TRY(rps_cells_sort(world, lists, skin, err));
    RPS_TRY(rps_cells_search(world, lists, skin, err));
    RPS_TRY(rps_candidate_list_build(world, lists, err));
    RPS_TRY(rps_persist_match(world, lists, err));
    release_sources(world, lists);
    lists->candidate_skin = skin;
    lists->candidate_displacement = 0.0;
    lists->plane_reach = farthest_from_planes(world, cells);
    lists->candidates_valid = true;
    lists->counts.candidate_builds++;
    lists->counts.candidate_count = lists->pairs;
    return RPS_OK;
}

/* left: m, what remains of the outer skin. */
static rps_status make_neighbors(rps_world *world, rps_lists *lists, double skin, double time, double left,
                                 rps_error *err) {
    lists->prediction_horizon = time;
    const rps_status status = rps_neighbor_list_build(world, lists, skin, 0.5 * left, err);
    if (status != RPS_OK) {
        lists->candidates_valid = lists->neighbors_valid = false;
        return status;
    }
    lists->neighbor_skin = skin;
    lists->neighbor_displacement = lists->accumulated_deviation = lists->since = 0.0;
    lists->neighbors_valid = true;
    lists->counts.neighbor_builds++;
    lists->counts.neighbor_count = 0;
    for (size_t k = 0; k < world->contacts.segments; k++)
        lists->counts.neighbor_count += world->contacts.segment[k].count;
    return RPS_OK;
}

static rps_status keep_results(rps_world *world, rps_lists *lists, rps_error *err) {
    rps_contacts *contacts = &world->contacts;
    if (!world->keep_contacts || (contacts->result != NULL && contacts->result_capacity >= contacts->entries))
        return RPS_OK;
    RPS_TRY(rps_scratch_fit(world, &lists->result, contacts->entries, sizeof(rps_entry_result), err));
    contacts->result = lists->result.p;
    contacts->result_capacity = lists->result.bytes / sizeof(rps_entry_result);
    return RPS_OK;
}

/* Is whatever came within reach since in the inner list? Courses tell of pairs of the outer list alone. */
static bool neighbors_are_good(const rps_world *world, const rps_lists *lists) {
    const double most = lists->neighbor_skin * SAFETY;
    return 2.0 * (lists->neighbor_displacement + displacement_bound(world, lists)) < most ||
           (lists->since <= lists->prediction_horizon && 2.0 * lists->accumulated_deviation < most &&
            2.0 * lists->candidate_displacement < lists->candidate_skin * SAFETY);
}

/* Learns from the time of the last inner list: accelerations bend a way in proportion to the square of time. */
static void estimate_acceleration(const rps_world *world, rps_lists *lists) {
    const double steps = lists->since / world->step;
    if (world->prediction == NULL || !lists->neighbors_valid || !(lists->accumulated_deviation < INFINITY) ||
        !(steps > 0.5))
        return;
    lists->acceleration = 2.0 * lists->accumulated_deviation / (steps * (steps + 1.0));
}

rps_status rps_detect_update(rps_world *world, rps_error *err) {
    if (world->lists == NULL) RPS_TRY(detect_create(world, err));
    rps_lists *lists = world->lists;
    add_displacement(world, lists);
    lists->moved = world->max_deviation < INFINITY;
    world->max_deviation = INFINITY; /* until bodies move again */
    bool neighbor_skin_out = world->lists_stale || !lists->neighbors_valid || !neighbors_are_good(world, lists);
    bool candidate_skin_out = world->lists_stale || !lists->candidates_valid;
    if (world->options.shuffle != 0) { /* some steps more, by chance */
        uint64_t chance =
            rps_random_index(world->options.shuffle, RPS_RANDOM_SHUFFLE_ORDER, world->steps, UINT64_MAX, 8);
        candidate_skin_out = candidate_skin_out || chance == 0;
        neighbor_skin_out = neighbor_skin_out || chance <= 2;
    }
    if (!neighbor_skin_out && !candidate_skin_out) return keep_results(world, lists, err);
    RPS_TRY(set_chunks(world, lists, err));
    RPS_TRY(rps_persist_extend(world, lists, err));
    estimate_acceleration(world, lists);
    double skin, time, left = lists->candidate_skin * SAFETY - 2.0 * lists->candidate_displacement;
    if (!candidate_skin_out) {
        double wanted;
        choose_skins(world, &lists->cells, &wanted, &skin, &time);
        double least = world->options.neighbor_skin > 0.0 ? skin : 0.5 * skin;
        const double ahead = AHEAD * displacement_bound(world, lists);
        candidate_skin_out =
            !(left >= (least > ahead ? least : ahead)) || predicted_within(world, left, skin) < OUTER_USED * time;
        skin = skin < left ? skin : left;
    }
    lists->neighbors_valid = false;
    lists->remake_constants = world->lists_stale;
    if (candidate_skin_out) {
        RPS_TRY(make_candidates(world, lists, &skin, &time, err));
        left = lists->candidate_skin * SAFETY;
    }
    const double within = predicted_within(world, left, skin);
    time = within < time ? within : time;
    if (!(2.0 * displacement_bound(world, lists) <= skin * SAFETY)) {
        return rps_fail(err, RPS_GUARD,
                        "bodies move by up to %g m a step, further than neighbours can be sought in this periodic box "
                        "at t = %.9g s: choose a smaller step",
                        displacement_bound(world, lists), (double)world->steps * world->step);
    }
    RPS_TRY(make_neighbors(world, lists, skin, time, left, err));
    world->lists_stale = false;
    return keep_results(world, lists, err);
}

/* --- questions ---------------------------------------------------------------------------------------------------- */

size_t rps_detect_referenced(const rps_world *world) {
    return world->lists ? world->lists->referenced : 0;
}

void rps_detect_counts(const rps_world *world, rps_detect_count *out) {
    *out = world->lists != NULL ? world->lists->counts : (rps_detect_count){0};
}

static bool may_touch(const rps_world *world, size_t a, size_t b) {
    return rps_pair_exists(rps_pair_shape_of(world, a), rps_pair_shape_of(world, b)) &&
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
