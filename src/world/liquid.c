/* The books of films. */
#include "world/liquid.h"

#include <math.h>

#include "world/body_shape.h"
#include "world/share.h"
#include "world/world_internal.h"
#include <repose/body.h>

bool rps_world_is_wet(const rps_world *world) {
    bool wet = false;
    for (size_t k = 0; k < world->pairs; k++) wet = wet || world->pair_setup[k].wet;
    return wet;
}

bool rps_world_conserves_liquid(const rps_world *world) {
    bool conserves = true;
    for (size_t k = 0; k < world->pairs; k++) {
        const rps_pair_setup *pair = &world->pair_setup[k];
        rps_law_liquid share;
        if (!pair->wet) continue;
        pair->law[RPS_ROLE_BRIDGE]->liquid(pair->constant[RPS_ROLE_BRIDGE], &share);
        conserves = conserves && share.share != RPS_LIQUID_FIXED;
    }
    return conserves;
}

rps_status rps_liquid_reserve(rps_world *world, uint64_t id, rps_error *err) {
    rps_liquid *liquid = &world->liquid;
    void *table = liquid->film;
    if (id < liquid->films) return RPS_OK;
    RPS_TRY(rps_table_by_id(world, &table, &liquid->films, sizeof *liquid->film, err));
    liquid->film = table;
    return RPS_OK;
}

void rps_liquid_begin(rps_liquid *liquid, uint64_t id, double film) {
    rps_twofold_add(&liquid->film[id], film);
    rps_twofold_add(&liquid->added, film);
}

double rps_liquid_film(const rps_liquid *liquid, uint64_t id) {
    const double film = id < liquid->films ? liquid->film[id].high : 0.0;
    return film > 0.0 ? film : 0.0; /* a film that gave all may be below 0 by its rounding */
}

static void move_film(rps_twofold *from, rps_twofold *to, double sign) {
    rps_twofold_add(to, sign * from->high);
    rps_twofold_add(to, sign * from->low);
    *from = (rps_twofold){0.0, 0.0};
}

void rps_liquid_end(rps_liquid *liquid, uint64_t id) {
    if (id < liquid->films) move_film(&liquid->film[id], &liquid->removed, 1.0);
}

void rps_liquid_undo(rps_liquid *liquid, uint64_t id) {
    for (; id < liquid->films; id++) move_film(&liquid->film[id], &liquid->added, -1.0);
}

void rps_liquid_release(rps_world *world) {
    rps_liquid *liquid = &world->liquid;
    rps_memory_release(world->allocator, liquid->film, liquid->films * sizeof *liquid->film);
    rps_scratch_release(world, &liquid->work);
    *liquid = (rps_liquid){0};
}

/* --- sharing -------------------------------------------------------------------------------------------------------- */

/* The part that the sphere `own` with this film gives: of the half of the film that faces the other sphere, the cap that it covers (Shi &
 * McCarthy 2008), or a given part of the film. */
static double part_of_film(const rps_law_liquid *share, double film, double own, double other) {
    if (!(own > 0.0) || !(film > 0.0)) return 0.0;
    if (share->share == RPS_LIQUID_FRACTION) return share->fraction * film;
    const double covers = other > 0.0 ? other / (own + other) : 1.0;
    return 0.5 * film * (1.0 - sqrt(1.0 - covers * covers));
}

double rps_liquid_take(rps_liquid *liquid, const rps_law_liquid *share, const rps_liquid_sides *sides) {
    double part[2];
    if (share->share == RPS_LIQUID_FIXED) return share->volume;
    for (int k = 0; k < 2; k++) {
        part[k] = part_of_film(share, rps_liquid_film(liquid, sides->id[k]), sides->radius[k], sides->radius[1 - k]);
    }
    const double sum = part[0] + part[1];
    const double scale = sum > share->largest ? share->largest / sum : 1.0;
    double volume = scale * part[0] + scale * part[1];
    if (volume > share->largest) volume = share->largest;
    if (!(volume > 0.0) || volume < share->least) return 0.0;
    /* the first film gives what the second, rounded, does not: as much leaves as the bridge gets */
    const double second = scale * part[1] < volume ? scale * part[1] : volume;
    const int gives = part[0] > 0.0 ? 0 : 1;
    rps_twofold *film = liquid->film;
    if (gives == 0) {
        rps_twofold_add(&film[sides->id[0]], -volume);
        if (second > 0.0) {
            rps_twofold_add(&film[sides->id[0]], second);
            rps_twofold_add(&film[sides->id[1]], -second);
        }
    } else {
        rps_twofold_add(&film[sides->id[1]], -volume);
    }
    return volume;
}

void rps_liquid_give(rps_liquid *liquid, const rps_law_liquid *share, const rps_liquid_sides *sides, double volume) {
    liquid->ruptured++;
    if (share->share == RPS_LIQUID_FIXED || liquid->film == NULL) return;
    const double a = sides->radius[0], b = sides->radius[1], a3 = a * a * a, b3 = b * b * b;
    double first = share->split == RPS_LIQUID_HALF ? 0.5 * volume : volume * (a3 / (a3 + b3));
    if (!(a > 0.0)) first = 0.0;
    if (!(b > 0.0)) first = volume;
    if (first > 0.0) rps_twofold_add(&liquid->film[sides->id[0]], first);
    if (!(first < volume)) return;
    rps_twofold_add(&liquid->film[sides->id[1]], volume);
    rps_twofold_add(&liquid->film[sides->id[1]], -first);
}

/* --- questions and changes of a program ------------------------------------------------------------------------------- */

rps_status rps_world_liquid(const rps_world *world, uint64_t id, double *film, rps_error *err) {
    size_t slot;
    RPS_GIVEN(world);
    RPS_GIVEN(film);
    RPS_TRY(rps_world_find_body(world, id, &slot, err));
    *film = rps_liquid_film(&world->liquid, id);
    return RPS_OK;
}

rps_status rps_world_add_liquid(rps_world *world, uint64_t id, double volume, rps_error *err) {
    size_t slot;
    char name[RPS_BODY_NAME];
    RPS_GIVEN(world);
    RPS_TRY(rps_share_refuse(world, "adding liquid", err));
    RPS_TRY(rps_world_find_body(world, id, &slot, err));
    const double film = rps_liquid_film(&world->liquid, id);
    rps_body_name(world, slot, name, sizeof name);
    if (!rps_finite(volume) || film + volume < 0.0) {
        return rps_fail(err, RPS_BAD_INPUT,
                        "%s: %g m^3 of liquid cannot be added to a film of %g m^3; take away at most what is there",
                        name, volume, film);
    }
    if (rps_body_is_plane(&world->bodies, slot)) {
        return rps_fail(err, RPS_BAD_INPUT, "%s: a plane has no film; the liquid of its bridges comes from the spheres",
                        name);
    }
    RPS_TRY(rps_liquid_reserve(world, id, err));
    rps_liquid_begin(&world->liquid, id, volume);
    return RPS_OK;
}

static double volume_of(const rps_world *world, const rps_segment *segment, size_t place) {
    const int lane = world->pair_setup[segment->pair].layout[segment->record].liquid;
    const double kept = rps_segment_get(segment, lane, place);
    return kept < 0.0 ? -kept : kept;
}

rps_status rps_world_liquid_sums(const rps_world *world, rps_liquid_sums *out, rps_error *err) {
    rps_exact_sum films, bridges;
    RPS_GIVEN(world);
    RPS_GIVEN(out);
    rps_exact_sum_clear(&films);
    rps_exact_sum_clear(&bridges);
    const rps_liquid *liquid = &world->liquid;
    *out =
        (rps_liquid_sums){.added = liquid->added.high, .removed = liquid->removed.high, .ruptured = liquid->ruptured};
    for (uint64_t id = 0; id < liquid->films && id < world->bodies.ids; id++) {
        rps_exact_sum_add(&films, liquid->film[id].high);
        rps_exact_sum_add(&films, liquid->film[id].low);
    }
    for (size_t s = 0; s < world->contacts.segments; s++) {
        const rps_segment *segment = &world->contacts.segment[s];
        if (!world->pair_setup[segment->pair].wet) continue;
        for (size_t e = 0; e < segment->count; e++) {
            const double volume = volume_of(world, segment, e);
            rps_exact_sum_add(&bridges, volume);
            out->bridges += volume > 0.0;
        }
    }
    out->films = rps_exact_sum_value(&films);
    out->in_bridges = rps_exact_sum_value(&bridges);
    out->formed = out->bridges + out->ruptured;
    return RPS_OK;
}
