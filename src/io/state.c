/* Saves a world as sections and restores it. Bodies are stored by id and contacts by key, so the result does not
 * depend on slots or lists. */
#include "io/state_parts.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "detect/detect.h"
#include "shape/shape.h"
#include "step/step_stages.h"
#include "world/share.h"

enum { NAME = 80, SUM_WORDS = RPS_EXACT_SUM_LIMBS + 1, SUMS = 5 };
enum { STEPS, STARTED, BODIES, CONTACTS, COUNTS };
enum { STEP, SPEED, ENERGY_FIRST, VALUES };
static const char counts_name[] = "counts: steps, started, bodies, contacts";
enum { SOLVED = 3 };
static const char solved_name[] = "solver: steps, missed, iterations", worst_name[] = "solver: worst residual";
static const char shear_name[] = "shear: rate, since, travel, force, work";
static const char sums_name[] = "exact sums: energy brought, dissipated at fixed and driven bodies";
static const char values_name[] = "step, largest speed, first elastic energy";

static size_t state_item_bytes(const rps_field *field) {
    return (size_t)field->components * (field->type == RPS_TYPE_int32 ? 4 : 8);
}

/* --- how the world was set up ------------------------------------------------------------------------------------- */

static void add_numbers(rps_text *text, const double *value, int count) {
    for (int k = 0; k < count; k++) {
        rps_text_add(text, " ", NULL);
        rps_text_add_double(text, value[k], NULL);
    }
}

static void describe_pair(const rps_world *world, const rps_pair_setup *pair, rps_text *text) {
    const char *a = world->material[pair->material[0]].name, *b = world->material[pair->material[1]].name;
    for (int role = 0; role < RPS_ROLE_COUNT; role++) {
        const rps_law *law = pair->law[role];
        rps_text_addf(text, NULL, "pair %s, %s: %s: %s", a, b, rps_role_name((rps_role)role), law->name);
        for (int k = 0; k < RPS_LAW_PARAMETERS && law->parameter[k].name; k++) {
            rps_text_addf(text, NULL, " %s", law->parameter[k].name);
            add_numbers(text, &pair->given.value[role][k], 1);
        }
        rps_text_add(text, "\n", NULL);
    }
    const rps_form *f = &pair->given.form;
    rps_text_addf(
        text, NULL,
        "pair %s, %s: form: frame %d path %d history %d carry %d damper %d mass %d caps %d arc %d tension %d\n", a, b,
        (int)f->frame, (int)f->path, (int)f->history, (int)f->carry, (int)f->damper, (int)f->damper_mass,
        (int)f->cap_load, (int)f->arc, (int)pair->given.tension);
}

static void describe_drive(const rps_drive_state *driven, size_t number, rps_text *text) {
    double made[RPS_DRIVEN_NUMBERS];
    rps_drive_state_pack_definition(driven, made);
    rps_text_addf(text, NULL, "drive %zu:", number);
    add_numbers(text, made, RPS_DRIVEN_NUMBERS);
    rps_text_add(text, "\n", NULL);
}

/* One line for each property that must match before a state can be restored into a world. */
static rps_status state_describe(const rps_world *world, rps_text *text, rps_error *err) {
    const rps_world_options *o = &world->options;
    rps_text_addf(text, NULL, "integrator: %d\nledger: %d\nframes: %d\ngravity:", (int)o->integrator, o->ledger,
                  o->frames);
    add_numbers(text, world->gravity_made, 3);
    if (o->stepper == RPS_NONSMOOTH) {
        const rps_nonsmooth_options *n = &o->nonsmooth;
        const double value[5] = {n->tolerance, (double)n->max_iterations, n->margin, n->recovery_speed,
                                 n->impact_speed};
        rps_text_addf(text, NULL, "\nnonsmooth: cone %d rigid %d", (int)n->cone, n->rigid);
        add_numbers(text, value, 5);
    }
    rps_text_add(text, "\nperiod:", NULL);
    add_numbers(text, o->period, 3);
    if (world->cell.sheared) {
        rps_text_addf(text, NULL, "\nshear: %c %c", "xyz"[o->shear.flow], "xyz"[o->shear.gradient]);
        add_numbers(text, &o->shear.rate, 1);
    }
    if (o->dimension == 2) {
        rps_text_add(text, "\ndimension: 2\ndepth:", NULL);
        add_numbers(text, &o->depth, 1);
    }
    rps_text_add(text, "\nstep:", NULL);
    add_numbers(text, &world->step, 1);
    rps_text_add(text, "\n", NULL);
    for (size_t k = 0; k < world->materials; k++) {
        const rps_material *m = &world->material[k].value;
        const double value[3] = {m->young, m->poisson, m->density};
        rps_text_addf(text, NULL, "material %s:", m->name);
        add_numbers(text, value, 3);
        rps_text_add(text, "\n", NULL);
    }
    for (size_t k = 0; k < world->pairs; k++) describe_pair(world, &world->pair_setup[k], text);
    for (size_t k = 0; k < world->drives; k++) describe_drive(&world->driven[k], k, text);
    for (size_t k = 0; k < world->joints; k++) rps_state_describe_joint(&world->joint[k], k, text);
    for (size_t k = 0; k < world->groups; k++) rps_text_addf(text, NULL, "group %zu: %s\n", k, world->group[k]);
    static const char *const rule[] = {NULL, "excluded", "included"};
    for (size_t k = 0; world->rule && k < world->groups * world->groups; k++) {
        if (world->rule[k] != RPS_RULE_NONE) {
            rps_text_addf(text, NULL, "%s: %zu %zu\n", rule[world->rule[k]], k / world->groups, k % world->groups);
        }
    }
    return text->status == RPS_OK ? RPS_OK : rps_fail(err, text->status, "no memory for the description of the world");
}

static rps_status compare_setup(const rps_world *world, const rps_checkpoint *c, rps_error *err) {
    const char *saved;
    RPS_TRY(rps_checkpoint_text(c, "setup", &saved, NULL, err));
    rps_text text;
    rps_text_init(&text, world->allocator, (size_t)1 << 30);
    rps_status status = state_describe(world, &text, err);
    const char *now = rps_text_string(&text);
    if (status == RPS_OK && strcmp(saved, now) != 0) {
        const char *a = saved, *b = now; /* starts of the first lines that differ */
        for (size_t k = 0; saved[k] == now[k]; k++) {
            if (saved[k] == '\n') a = saved + k + 1, b = now + k + 1;
        }
        status = rps_fail(err, RPS_BAD_INPUT,
                          "the state in %s belongs to another set-up: it was saved with `%.*s`, the world has `%.*s`; "
                          "set the world up as it was",
                          rps_checkpoint_path(c), (int)strcspn(a, "\n"), a, (int)strcspn(b, "\n"), b);
    }
    rps_text_release(&text);
    return status;
}

/* --- saving ------------------------------------------------------------------------------------------------------- */

static rps_status save_bodies(const rps_world *world, rps_serializer *serializer, rps_error *err) {
    size_t count = world->bodies.count;
    for (size_t f = 0; f < rps_body_field_count(); f++) {
        const rps_field *field = rps_body_field(f);
        char name[NAME];
        void *to;
        rps_view view;
        if (!(field->flags & RPS_FIELD_SAVED)) continue;
        snprintf(name, sizeof name, "body/%s", field->name);
        RPS_TRY(rps_serializer_add(serializer, name, field->type, field->components, count, &to, err));
        RPS_TRY(rps_world_view(world, field->name, &view, err));
        size_t bytes = state_item_bytes(field);
        char *row = to;
        for (uint64_t id = 0, s; rps_bodies_next(&world->bodies, &id, &s); id++, row += bytes) {
            memcpy(row, (const char *)view.data + s * view.stride, bytes);
        }
    }
    return RPS_OK;
}

/* A piece consists of doubles only. */
enum { PIECE_NUMBERS = sizeof(rps_piece) / sizeof(double) };
static const char pieces_name[] = "pieces";

static rps_status save_pieces(const rps_world *world, rps_serializer *serializer, rps_error *err) {
    void *to;
    if (world->pieces == 0) return RPS_OK;
    RPS_TRY(rps_serializer_add(serializer, pieces_name, RPS_TYPE_double, PIECE_NUMBERS, world->pieces, &to, err));
    memcpy(to, world->piece, world->pieces * sizeof *world->piece);
    return RPS_OK;
}

static const rps_layout *state_layout_of(const rps_world *world, const rps_segment *segment) {
    return &world->pair_setup[segment->pair].layout[segment->record];
}

/* Both ids, both pieces, feature. */
enum { KEY = 5 };

typedef struct contact_key {
    uint64_t id[KEY];
    size_t place;
} contact_key;

static int compare_ids(const uint64_t *p, const uint64_t *q) {
    int k = 0;
    while (k < KEY - 1 && p[k] == q[k]) k++;
    return (p[k] > q[k]) - (p[k] < q[k]);
}

static int state_compare_keys(const void *a, const void *b) {
    return compare_ids(((const contact_key *)a)->id, ((const contact_key *)b)->id);
}

/* The meaning of each lane of a record, by law, role and name. */
static void name_lanes(const rps_pair_setup *pair, rps_record record, rps_text *text) {
    const rps_layout *layout = &pair->layout[record];
    if (layout->impulses) {
        rps_text_addf(text, NULL, "impulses\nmodes, overlap, normal, n, t, spin, roll, slip, energy\nlanes %d\n",
                      layout->lanes);
        return;
    }
    rps_text_addf(text, NULL, "%s\nmodes %d\noverlap %d\ntrack %d %d\n",
                  record == RPS_RECORD_COMPACT ? "compact"
                  : record == RPS_RECORD_FLAT  ? "flat"
                                               : "frame",
                  layout->modes, layout->overlap, layout->track, record == RPS_RECORD_FRAME ? (int)RPS_FRAME_LANES : 3);
    for (int role = 0; role < RPS_ROLE_COUNT; role++) {
        const rps_law *law = pair->law[role];
        for (int k = 0; k < RPS_LAW_MEMORY && law->memory[k].name; k++) {
            if (layout->memory[role][k] < 0) continue;
            rps_text_addf(text, NULL, "%s %s %s %d\n", rps_role_name((rps_role)role), law->name, law->memory[k].name,
                          layout->memory[role][k]);
        }
    }
    rps_text_addf(text, NULL, "lanes %d\n", layout->lanes);
}

static rps_status lane_names(const rps_world *world, int pair, rps_record record, rps_text *text, rps_error *err) {
    rps_text_init(text, world->allocator, 1 << 20);
    name_lanes(&world->pair_setup[pair], record, text);
    return text->status == RPS_OK ? RPS_OK : rps_fail(err, text->status, "no memory for the names of memories");
}

/* The contacts of one segment: keys in order, and all lanes of each contact. */
static rps_status save_segment(const rps_world *world, const rps_segment *segment, rps_serializer *serializer,
                               size_t *contacts, rps_error *err) {
    const rps_layout *layout = state_layout_of(world, segment);
    const double *modes = rps_segment_lane(segment, layout->modes);
    size_t count = 0, bytes;
    for (size_t e = 0; e < segment->count; e++) count += modes[e] != 0.0;
    *contacts += count;
    if (count == 0) return RPS_OK;
    void *block, *ids, *state;
    RPS_TRY(rps_size_of_items(count, sizeof(contact_key), &bytes, err));
    RPS_TRY(rps_memory_alloc(world->allocator, bytes, &block, err));
    contact_key *key = block;
    count = 0;
    for (size_t e = 0; e < segment->count; e++) {
        if (modes[e] == 0.0) continue;
        const uint64_t i = world->bodies.id[segment->slot_i[e]][0], j = world->bodies.id[segment->slot_j[e]][0];
        const rps_subkey subkey = rps_segment_subkey(segment, e);
        key[count++] = (contact_key){{i, j, subkey.piece_i, subkey.piece_j, subkey.feature}, e};
    }
    qsort(key, count, sizeof *key, state_compare_keys);
    char name[NAME];
    int kind = segment->pair * RPS_RECORD_COUNT + (int)segment->record;
    rps_text text;
    rps_status status = lane_names(world, segment->pair, segment->record, &text, err);
    snprintf(name, sizeof name, "contact/%d/lanes", kind);
    if (status == RPS_OK) status = rps_serializer_text(serializer, name, rps_text_string(&text), text.length, err);
    rps_text_release(&text);
    snprintf(name, sizeof name, "contact/%d/ids", kind);
    if (status == RPS_OK) status = rps_serializer_add(serializer, name, RPS_TYPE_uint64, KEY, count, &ids, err);
    for (size_t k = 0; status == RPS_OK && k < count; k++)
        memcpy((uint64_t *)ids + KEY * k, key[k].id, sizeof key[k].id);
    snprintf(name, sizeof name, "contact/%d/state", kind);
    size_t lanes = (size_t)layout->lanes;
    if (status == RPS_OK)
        status = rps_serializer_add(serializer, name, RPS_TYPE_double, (int)lanes, count, &state, err);
    for (size_t k = 0; status == RPS_OK && k < count; k++) {
        double *to = (double *)state + k * lanes;
        rps_segment_get_all(segment, key[k].place, layout->lanes, to);
    }
    rps_memory_release(world->allocator, block, bytes);
    return status;
}

/* Converts an exact sum to words and back. The words depend on the value alone, not on the order of the additions. */
static void sum_to_words(const rps_exact_sum *sum, uint64_t word[SUM_WORDS]) {
    rps_exact_sum one = *sum;
    rps_exact_sum_normalize(&one);
    memcpy(word, one.limb, sizeof one.limb);
    word[SUM_WORDS - 1] = one.special;
}

static void sum_from_words(rps_exact_sum *sum, const uint64_t word[SUM_WORDS]) {
    rps_exact_sum_clear(sum);
    memcpy(sum->limb, word, sizeof sum->limb);
    sum->special = (uint32_t)word[SUM_WORDS - 1];
}

static rps_status save_accounts(const rps_world *world, rps_serializer *serializer, size_t contacts, rps_error *err) {
    const uint64_t count[COUNTS] = {world->steps, world->started, world->bodies.count, contacts};
    const double value[VALUES] = {world->step, world->moved.speed, world->energy_first};
    uint64_t word[SUMS * SUM_WORDS];
    sum_to_words(&world->energy_brought, word);
    for (int k = 0; k < 4; k++) sum_to_words(&world->boundary_dissipated[k], word + (k + 1) * SUM_WORDS);
    RPS_TRY(rps_serializer_words(serializer, counts_name, count, COUNTS, err));
    RPS_TRY(rps_serializer_doubles(serializer, values_name, value, VALUES, err));
    RPS_TRY(rps_serializer_words(serializer, sums_name, word, SUMS * SUM_WORDS, err));
    if (world->options.stepper == RPS_NONSMOOTH) {
        const rps_solver_report *s = &world->solver;
        const uint64_t solved[SOLVED] = {s->steps, s->missed, s->iterations};
        RPS_TRY(rps_serializer_words(serializer, solved_name, solved, SOLVED, err));
        RPS_TRY(rps_serializer_doubles(serializer, worst_name, &s->worst_residual, 1, err));
    }
    if (world->cell.sheared) {
        const double *numbers = (const double *)&world->shear;
        RPS_TRY(rps_serializer_doubles(serializer, shear_name, numbers, RPS_SHEAR_NUMBERS, err));
    }
    return rps_state_save_hash(world, serializer, err);
}

rps_status rps_state_save(const rps_world *world, rps_serializer *serializer, rps_error *err) {
    RPS_TRY(rps_share_refuse(world, "saving the state", err));
    rps_text text;
    rps_text_init(&text, world->allocator, (size_t)1 << 30);
    rps_status status = state_describe(world, &text, err);
    if (status == RPS_OK) status = rps_serializer_text(serializer, "setup", rps_text_string(&text), text.length, err);
    rps_text_release(&text);
    RPS_TRY(status);
    RPS_TRY(save_bodies(world, serializer, err));
    RPS_TRY(save_pieces(world, serializer, err));
    RPS_TRY(rps_state_save_commons(world, serializer, err));
    RPS_TRY(rps_state_save_drives(world, serializer, err));
    RPS_TRY(rps_state_save_joints(world, serializer, err));
    RPS_TRY(rps_state_save_changes(world, serializer, err));
    size_t contacts = 0;
    for (size_t k = 0; k < world->contacts.segments; k++) {
        RPS_TRY(save_segment(world, &world->contacts.segment[k], serializer, &contacts, err));
    }
    return save_accounts(world, serializer, contacts, err);
}

/* --- checking ----------------------------------------------------------------------------------------------------- */

/* Reads and checks the pieces of a checkpoint; count 0 if it has none. */
static rps_status find_pieces(const rps_world *world, const rps_checkpoint *c, const rps_piece **piece, size_t *count,
                              rps_error *err) {
    const rps_section *s;
    *piece = NULL;
    *count = 0;
    if (!rps_checkpoint_find(c, pieces_name)) return RPS_OK;
    RPS_TRY(rps_checkpoint_need(c, pieces_name, RPS_TYPE_double, PIECE_NUMBERS, SIZE_MAX, &s, err));
    *piece = s->data;
    *count = s->count;
    for (size_t k = 0; k < s->count; k++) {
        const rps_piece *p = &(*piece)[k];
        double parameter[RPS_SHAPE_NUMBERS_MOST];
        memcpy(parameter, p->parameter, sizeof parameter);
        const double *q = p->orientation, length2 = ((q[0] * q[0] + q[1] * q[1]) + q[2] * q[2]) + q[3] * q[3];
        bool sound = rps_all_finite((const double *)p, PIECE_NUMBERS) && p->shape >= 0.0 &&
                     p->shape < RPS_SHAPE_COUNT && p->material >= 0.0 && p->material < (double)world->materials &&
                     p->shape == (double)(int)p->shape && p->material == (double)(int)p->material &&
                     fabs(length2 - 1.0) < 1e-12;
        const rps_shape *shape = sound ? rps_shape_at((int)p->shape) : NULL;
        sound = shape && !shape->unbounded && rps_shape_check(shape, parameter, "a piece", NULL) == RPS_OK &&
                p->radius == shape->bounding_radius(parameter) &&
                p->half_width == 0.5 * shape->smallest_width(parameter) && p->equal_radius > 0.0;
        if (!sound) return rps_state_contradicts(c, "a piece makes no sense", k, err);
    }
    return RPS_OK;
}

static rps_status state_check_bodies(const rps_world *world, const rps_checkpoint *c, size_t count, uint64_t ids,
                                     rps_error *err) {
    for (size_t f = 0; f < rps_body_field_count(); f++) {
        const rps_field *field = rps_body_field(f);
        char name[NAME];
        const rps_section *s;
        if (!(field->flags & RPS_FIELD_SAVED)) continue;
        snprintf(name, sizeof name, "body/%s", field->name);
        RPS_TRY(rps_checkpoint_need(c, name, field->type, field->components, count, &s, err));
        if (field->type == RPS_TYPE_double && !rps_all_finite(s->data, count * (size_t)field->components)) {
            return rps_state_contradicts(c, "a body has a value that is no finite number", f, err);
        }
    }
    const rps_piece *pieces;
    size_t piece_count;
    RPS_TRY(find_pieces(world, c, &pieces, &piece_count, err));
    const int32_t *piece = rps_state_body(c, "piece"), *pieces_of = rps_state_body(c, "pieces");
    const uint64_t *id = rps_state_body(c, "id");
    const int32_t *kind = rps_state_body(c, "kind"), *drive = rps_state_body(c, "drive"),
                  *shape = rps_state_body(c, "shape");
    const int32_t *material = rps_state_body(c, "material"), *group = rps_state_body(c, "group");
    const double *mass = rps_state_body(c, "mass"), *inertia = rps_state_body(c, "inertia"),
                 *radius = rps_state_body(c, "radius");
    for (size_t k = 0; k < count; k++) {
        bool plane = shape[k] == RPS_SHAPE_INDEX(plane), is_free = kind[k] == RPS_BODY_FREE;
        bool sound = (k == 0 || id[k - 1] < id[k]) && id[k] < ids && kind[k] >= RPS_BODY_FREE &&
                     kind[k] <= RPS_BODY_DRIVEN && shape[k] >= 0 && rps_shape_at(shape[k]) && material[k] >= 0 &&
                     (size_t)material[k] < world->materials && group[k] >= 0 && (size_t)group[k] < world->groups;
        sound = sound && (plane ? radius[k] == 0.0 && !is_free : radius[k] > 0.0);
        const double *moment = inertia + 3 * k;
        sound = sound && (!is_free || (mass[k] > 0.0 && moment[0] > 0.0 && moment[1] > 0.0 && moment[2] > 0.0));
        const bool disk = shape[k] == RPS_SHAPE_INDEX(disk), planar = world->options.dimension == 2;
        sound = sound && (plane || disk == planar);
        if (plane || disk || (shape[k] == RPS_SHAPE_INDEX(sphere) && pieces_of[k] == 0)) {
            sound = sound && piece[k] == -1 && pieces_of[k] == 0;
        } else {
            sound = sound && piece[k] >= 0 && pieces_of[k] > 0 &&
                    (size_t)piece[k] + (size_t)pieces_of[k] <= piece_count &&
                    pieces[piece[k]].shape == (double)shape[k];
        }
        sound =
            sound && (kind[k] == RPS_BODY_DRIVEN ? drive[k] >= 0 && (size_t)drive[k] < world->drives : drive[k] == -1);
        if (!sound) return rps_state_contradicts(c, "a body makes no sense", k, err);
    }
    return RPS_OK;
}

typedef struct kind_state {
    const uint64_t *id;
    const double *state;
    size_t count, lanes;
} kind_state;

/* Reads and checks the contacts of one kind (pair of materials and class of record); count 0 if it has none. */
static rps_status find_kind(const rps_world *world, const rps_checkpoint *c, int kind, size_t bodies, kind_state *out,
                            rps_error *err) {
    char name[NAME];
    const rps_section *ids, *state;
    const rps_pair_setup *pair = &world->pair_setup[kind / RPS_RECORD_COUNT];
    const rps_layout *layout = &pair->layout[kind % RPS_RECORD_COUNT];
    *out = (kind_state){.lanes = (size_t)layout->lanes};
    snprintf(name, sizeof name, "contact/%d/ids", kind);
    if (!rps_checkpoint_find(c, name)) return RPS_OK;
    RPS_TRY(rps_checkpoint_need(c, name, RPS_TYPE_uint64, KEY, SIZE_MAX, &ids, err));
    snprintf(name, sizeof name, "contact/%d/state", kind);
    RPS_TRY(rps_checkpoint_need(c, name, RPS_TYPE_double, layout->lanes, ids->count, &state, err));
    const char *saved;
    snprintf(name, sizeof name, "contact/%d/lanes", kind);
    RPS_TRY(rps_checkpoint_text(c, name, &saved, NULL, err));
    rps_text text;
    rps_status status = lane_names(world, kind / RPS_RECORD_COUNT, (rps_record)(kind % RPS_RECORD_COUNT), &text, err);
    bool same = status == RPS_OK && strcmp(saved, rps_text_string(&text)) == 0;
    rps_text_release(&text);
    RPS_TRY(status);
    if (!same) {
        return rps_fail(err, RPS_BAD_INPUT,
                        "contacts in the checkpoint %s remember other things than the laws of this version do; resume "
                        "it with the version that wrote it",
                        rps_checkpoint_path(c));
    }
    out->id = ids->data;
    out->state = state->data;
    out->count = ids->count;
    for (size_t k = 0; k < out->count; k++) {
        const uint64_t *id = out->id + (size_t)KEY * k;
        double modes = out->state[k * out->lanes + (size_t)layout->modes];
        bool sound = id[0] < id[1] && rps_state_row(c, bodies, id[0]) < bodies &&
                     rps_state_row(c, bodies, id[1]) < bodies && modes >= 1.0 && modes < 64.0 && ((int)modes & 1) &&
                     modes == (double)(int)modes && rps_all_finite(out->state + k * out->lanes, out->lanes) &&
                     id[2] <= INT32_MAX && id[3] <= INT32_MAX && id[4] <= INT32_MAX &&
                     (k == 0 || compare_ids(id - KEY, id) < 0);
        if (!sound) return rps_state_contradicts(c, "a contact makes no sense", k, err);
    }
    return RPS_OK;
}

static rps_status check_contacts(const rps_world *world, const rps_checkpoint *c, const uint64_t count[COUNTS],
                                 rps_error *err) {
    size_t contacts = 0;
    for (int kind = 0; kind < (int)world->pairs * RPS_RECORD_COUNT; kind++) {
        kind_state k;
        RPS_TRY(find_kind(world, c, kind, (size_t)count[BODIES], &k, err));
        contacts += k.count;
    }
    return contacts == count[CONTACTS] ? RPS_OK
                                       : rps_state_contradicts(c, "its number of contacts is another", contacts, err);
}

/* --- restoring ---------------------------------------------------------------------------------------------------- */

static rps_status restore_bodies(rps_world *world, const rps_checkpoint *c, size_t count, uint64_t ids,
                                 rps_error *err) {
    rps_bodies *bodies = &world->bodies;
    const rps_piece *piece;
    size_t pieces, first;
    bodies->count = 0; /* all of them are replaced */
    bodies->ids = 0;
    RPS_TRY(rps_bodies_reserve(world, count, err));
    RPS_TRY(rps_bodies_reserve_ids(world, ids, err));
    RPS_TRY(find_pieces(world, c, &piece, &pieces, err));
    rps_colliders_release(world);
    world->pieces = world->last_pieces = 0;
    if (pieces > 0) RPS_TRY(rps_world_add_pieces(world, piece, pieces, &first, err));
    bodies->count = count;
    bodies->ids = ids;
    for (size_t f = 0; f < rps_body_field_count(); f++) {
        const rps_field *field = rps_body_field(f);
        if (!(field->flags & RPS_FIELD_SAVED)) continue;
        const char *from = rps_state_body(c, field->name);
        size_t stride;
        char *to = rps_bodies_field(bodies, f, &stride);
        size_t bytes = state_item_bytes(field);
        for (size_t s = 0; s < count; s++) { /* do not write values that are already 0: see bodies.c */
            if (memcmp(to + s * stride, from + s * bytes, bytes) != 0) {
                memcpy(to + s * stride, from + s * bytes, bytes);
            }
        }
    }
    for (size_t s = 0; s < count; s++) { /* the last body with pieces has the last pieces */
        if (bodies->piece[s][0] < 0) continue;
        world->last_pieces = (size_t)bodies->piece[s][0];
        RPS_TRY(rps_world_add_collider(world, world->last_pieces, (size_t)bodies->pieces[s][0], err));
    }
    rps_bodies_derive(world);
    return rps_state_restore_commons(world, c, err);
}

static rps_status restore_contacts(rps_world *world, const rps_checkpoint *c, rps_error *err) {
    for (int kind = 0; kind < (int)world->pairs * RPS_RECORD_COUNT; kind++) {
        kind_state saved;
        RPS_TRY(find_kind(world, c, kind, world->bodies.count, &saved, err));
        for (size_t k = 0; k < saved.count; k++) {
            const uint64_t *id = saved.id + (size_t)KEY * k;
            const size_t entry =
                rps_contacts_find(world, id, rps_subkey_make((uint32_t)id[2], (uint32_t)id[3], (uint32_t)id[4]));
            const rps_segment *segment = entry != SIZE_MAX ? rps_entry_segment(&world->contacts, entry) : NULL;
            if (segment == NULL || segment->pair * RPS_RECORD_COUNT + (int)segment->record != kind) {
                return rps_state_contradicts(c, "a contact is between bodies that do not touch", k, err);
            }
            rps_contacts_restore_entry(&world->contacts, entry, (int)saved.lanes, saved.state + k * saved.lanes);
        }
    }
    return RPS_OK;
}

rps_status rps_state_restore(rps_world *world, const rps_checkpoint *c, rps_error *err) {
    uint64_t count[COUNTS], word[SUMS * SUM_WORDS];
    rps_state_changes changes;
    double value[VALUES];
    RPS_TRY(rps_share_refuse(world, "restoring a state", err));
    RPS_TRY(compare_setup(world, c, err));
    RPS_TRY(rps_checkpoint_words(c, counts_name, count, COUNTS, err));
    RPS_TRY(rps_checkpoint_doubles(c, values_name, value, VALUES, err));
    RPS_TRY(rps_checkpoint_words(c, sums_name, word, SUMS * SUM_WORDS, err));
    uint64_t solved[SOLVED] = {0};
    double worst = 0.0;
    if (world->options.stepper == RPS_NONSMOOTH) {
        RPS_TRY(rps_checkpoint_words(c, solved_name, solved, SOLVED, err));
        RPS_TRY(rps_checkpoint_doubles(c, worst_name, &worst, 1, err));
        if (!rps_all_finite(&worst, 1)) return rps_state_contradicts(c, "the worst residual is no number", 0, err);
    }
    rps_shear_memory shear = {0};
    if (world->cell.sheared) {
        RPS_TRY(rps_checkpoint_doubles(c, shear_name, (double *)&shear, RPS_SHEAR_NUMBERS, err));
        if (!rps_all_finite((const double *)&shear, RPS_SHEAR_NUMBERS) || !(shear.since >= 0.0) ||
            !(shear.since <= (double)count[STEPS])) {
            return rps_state_contradicts(c, "its shear makes no sense", 0, err);
        }
    }
    if (!rps_all_finite(value, VALUES) || count[STARTED] > 1 || (count[STARTED] == 0 && count[CONTACTS] > 0) ||
        value[STEP] != world->step || !(value[SPEED] >= 0.0)) {
        return rps_state_contradicts(c, "its accounts make no sense", 0, err);
    }
    RPS_TRY(rps_state_find_changes(c, count[BODIES], &changes, err));
    RPS_TRY(state_check_bodies(world, c, (size_t)count[BODIES], changes.ids, err));
    RPS_TRY(rps_state_check_changes(c, &changes, count[BODIES], err));
    RPS_TRY(rps_state_check_drives(world, c, count[BODIES], err));
    RPS_TRY(rps_state_check_joints(world, c, count[BODIES], err));
    RPS_TRY(check_contacts(world, c, count, err));
    if (world->contact_log_release) world->contact_log_release(world);
    if (world->lists_release) world->lists_release(world);
    world->lists_release = NULL;
    rps_contacts_release(world);
    RPS_TRY(restore_bodies(world, c, (size_t)count[BODIES], changes.ids, err));
    RPS_TRY(rps_state_restore_changes(world, &changes, err));
    RPS_TRY(rps_state_restore_drives(world, c, err));
    world->steps = count[STEPS];
    world->started = count[STARTED] != 0;
    world->shear = shear;
    if (world->cell.sheared) {
        world->cell.speed = shear.rate * world->cell.period[world->cell.gradient];
        RPS_TRY(rps_shear_set_travel(world, err));
    }
    world->moved.speed = value[SPEED];
    world->energy_first = value[ENERGY_FIRST];
    world->solver =
        (rps_solver_report){.steps = solved[0], .missed = solved[1], .iterations = solved[2], .worst_residual = worst};
    RPS_TRY(rps_state_restore_joints(world, c, err));
    sum_from_words(&world->energy_brought, word);
    for (int k = 0; k < 4; k++) sum_from_words(&world->boundary_dissipated[k], word + (k + 1) * SUM_WORDS);
    world->contacts_kept = world->loads_known = false;
    world->lists_stale = true;
    if (world->started) {
        rps_guard_arm(world);
        /* nonsmooth contacts carried a load in the last step; their bodies may have separated since */
        if (world->options.stepper == RPS_NONSMOOTH) world->speed_bound = world->moved.speed;
        RPS_TRY(rps_detect_update(world, err));
        RPS_TRY(restore_contacts(world, c, err));
    }
    return rps_state_check_hash(world, c, err);
}

rps_status rps_state_look(const rps_checkpoint *c, rps_state_info *out, rps_error *err) {
    uint64_t count[COUNTS];
    double value[VALUES];
    RPS_TRY(rps_checkpoint_words(c, counts_name, count, COUNTS, err));
    RPS_TRY(rps_checkpoint_doubles(c, values_name, value, VALUES, err));
    *out = (rps_state_info){.steps = count[STEPS], .bodies = count[BODIES], .contacts = count[CONTACTS]};
    out->step = value[STEP];
    out->time = (double)out->steps * out->step;
    return rps_checkpoint_words(c, rps_state_hash_name, out->hash, 2, err);
}

/* --- for programs ------------------------------------------------------------------------------------------------- */

rps_status rps_world_save(const rps_world *world, const char *path, rps_error *err) {
    RPS_GIVEN(world);
    RPS_GIVEN(path);
    rps_serializer serializer;
    rps_serializer_init(&serializer, world->allocator);
    rps_status status = rps_state_save(world, &serializer, err);
    if (status == RPS_OK) status = rps_serializer_write(&serializer, path, err);
    rps_serializer_release(&serializer);
    return status;
}

rps_status rps_world_restore(rps_world *world, const char *path, rps_error *err) {
    RPS_GIVEN(world);
    RPS_GIVEN(path);
    rps_checkpoint *checkpoint;
    RPS_TRY(rps_checkpoint_open(path, world->allocator, &checkpoint, err));
    rps_status status = rps_state_restore(world, checkpoint, err);
    rps_checkpoint_close(checkpoint);
    return status;
}
