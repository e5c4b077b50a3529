/* Liquid in a checkpoint: the films of bodies by id, and the sums. The volume of a bridge is in the memory of its contact. A world
 * that never had a film or a bridge has no such sections. */
#include <string.h>

#include "io/state_parts.h"

static const char film_name[] = "liquid: films", sum_name[] = "liquid: added, removed",
                  count_name[] = "liquid: ruptured";
static const char *const sections[] = {film_name, sum_name, count_name, NULL};
enum { SUMS = 4 };

static size_t films_of(const rps_liquid *liquid, uint64_t ids) {
    return liquid->films < ids ? liquid->films : (size_t)ids;
}

static rps_status save_liquid(const rps_world *world, rps_serializer *serializer, rps_error *err) {
    const rps_liquid *liquid = &world->liquid;
    const size_t films = films_of(liquid, world->bodies.ids);
    const double sum[SUMS] = {liquid->added.high, liquid->added.low, liquid->removed.high, liquid->removed.low};
    void *to;
    if (films == 0 && liquid->ruptured == 0) return RPS_OK;
    RPS_TRY(rps_serializer_doubles(serializer, sum_name, sum, SUMS, err));
    RPS_TRY(rps_serializer_words(serializer, count_name, &liquid->ruptured, 1, err));
    if (films == 0) return RPS_OK;
    RPS_TRY(rps_serializer_add(serializer, film_name, RPS_TYPE_double, 2, films, &to, err));
    memcpy(to, liquid->film, films * sizeof *liquid->film);
    return RPS_OK;
}

static rps_status check_liquid(const rps_world *world, const rps_state_source *from, rps_error *err) {
    const rps_section *films;
    double sum[SUMS];
    uint64_t ruptured;
    (void)world;
    if (!rps_checkpoint_find(from->c, sum_name)) return RPS_OK;
    RPS_TRY(rps_checkpoint_doubles(from->c, sum_name, sum, SUMS, err));
    RPS_TRY(rps_checkpoint_words(from->c, count_name, &ruptured, 1, err));
    if (!rps_all_finite(sum, SUMS)) return rps_state_contradicts(from->c, "its liquid makes no sense", 0, err);
    if (!rps_checkpoint_find(from->c, film_name)) return RPS_OK;
    RPS_TRY(rps_checkpoint_need(from->c, film_name, RPS_TYPE_double, 2, SIZE_MAX, &films, err));
    const bool sound = films->count <= from->ids && rps_all_finite(films->data, 2 * films->count);
    return sound ? RPS_OK : rps_state_contradicts(from->c, "its films make no sense", films->count, err);
}

static rps_status restore_liquid(rps_world *world, const rps_state_source *from, rps_error *err) {
    rps_liquid *liquid = &world->liquid;
    const rps_section *films;
    double sum[SUMS];
    rps_liquid_release(world);
    if (!rps_checkpoint_find(from->c, sum_name)) return RPS_OK;
    RPS_TRY(rps_checkpoint_doubles(from->c, sum_name, sum, SUMS, err));
    RPS_TRY(rps_checkpoint_words(from->c, count_name, &liquid->ruptured, 1, err));
    liquid->added = (rps_twofold){sum[0], sum[1]};
    liquid->removed = (rps_twofold){sum[2], sum[3]};
    if (!rps_checkpoint_find(from->c, film_name)) return RPS_OK;
    RPS_TRY(rps_checkpoint_need(from->c, film_name, RPS_TYPE_double, 2, SIZE_MAX, &films, err));
    if (films->count == 0) return RPS_OK;
    RPS_TRY(rps_liquid_reserve(world, films->count - 1, err));
    memcpy(liquid->film, films->data, films->count * sizeof *liquid->film);
    return RPS_OK;
}

const rps_state_part rps_state_liquid = {
    .section = sections, .save = save_liquid, .check = check_liquid, .restore = restore_liquid};
