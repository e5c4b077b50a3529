/* The names of the lanes of a contact, and how the lanes of a checkpoint become those of a world.
 *
 * A checkpoint names the lanes of its contacts: class of record, modes, overlap, track, then role, law and name of each
 * memory with its first lane. A world whose laws keep other memories, or the same ones in another order, takes over
 * those of equal name. A memory that the checkpoint lacks begins at 0 if its law allows that (RPS_MEMORY_FROM_ZERO).
 * A memory that the world lacks can only be dropped if it is 0 in every contact. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "io/state_parts.h"

enum { BLOCKS = 160, LANES = 1024 };

/* Lanes of one name. */
typedef struct lane_block {
    const char *name; /* not terminated */
    int length, first, count;
} lane_block;

typedef struct lane_list {
    const char *class; /* of the record, not terminated */
    int class_length, blocks, lanes;
    lane_block block[BLOCKS];
} lane_list;

/* Numbers of the records in the names of sections. Those of checkpoints from before there were records of pieces keep
 * theirs: of a pair three, and the others from a number on that no pair reaches. */
enum { OLD_RECORDS = 3, PIECES_FROM = 1 << 28 };
static const int section_of_record[RPS_RECORD_COUNT] = {
    [RPS_RECORD_COMPACT] = 0,
    [RPS_RECORD_FLAT] = 1,
    [RPS_RECORD_FRAME] = 2,
    [RPS_RECORD_COMPACT_PIECES] = PIECES_FROM,
    [RPS_RECORD_FLAT_PIECES] = PIECES_FROM + 1,
};

static int section_number(int kind) {
    const int pair = kind / RPS_RECORD_COUNT, section = section_of_record[kind % RPS_RECORD_COUNT];
    return section + pair * (section < PIECES_FROM ? OLD_RECORDS : RPS_RECORD_COUNT - OLD_RECORDS);
}

void rps_contact_section(char name[RPS_CONTACT_NAME], int kind, const char *what) {
    snprintf(name, RPS_CONTACT_NAME, "contact/%d/%s", section_number(kind), what);
}

bool rps_contact_section_known(const rps_world *world, const char *name) {
    int number, at = 0, known = 0;
    if (sscanf(name, "contact/%d/%n", &number, &at) != 1 || at == 0) return false;
    const char *what = name + at;
    for (int kind = 0; kind < (int)world->pairs * RPS_RECORD_COUNT; kind++) known |= section_number(kind) == number;
    return known && (strcmp(what, "lanes") == 0 || strcmp(what, "ids") == 0 || strcmp(what, "state") == 0);
}

static const char *const record_name[RPS_RECORD_COUNT] = {
    [RPS_RECORD_COMPACT] = "compact",
    [RPS_RECORD_FLAT] = "flat",
    [RPS_RECORD_COMPACT_PIECES] = "compact pieces",
    [RPS_RECORD_FLAT_PIECES] = "flat pieces",
    [RPS_RECORD_FRAME] = "frame",
};

/* The meaning of each lane of a record, by law, role and name. */
static void name_lanes(const rps_pair_setup *pair, rps_record record, rps_text *text) {
    const rps_layout *layout = &pair->layout[record];
    if (layout->impulses) {
        rps_text_addf(text, NULL, "impulses\nmodes, overlap, normal, n, t, spin, roll, slip, energy\nlanes %d\n",
                      layout->lanes);
        return;
    }
    rps_text_addf(text, NULL, "%s\nmodes %d\noverlap %d\ntrack %d %d\n", record_name[record], layout->modes,
                  layout->overlap, layout->track, record == RPS_RECORD_FRAME ? (int)RPS_FRAME_LANES : 3);
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

rps_status rps_state_lane_names(const rps_world *world, int kind, rps_text *text, rps_error *err) {
    rps_text_init(text, world->allocator, 1 << 20);
    name_lanes(&world->pair_setup[kind / RPS_RECORD_COUNT], (rps_record)(kind % RPS_RECORD_COUNT), text);
    return text->status == RPS_OK ? RPS_OK : rps_fail(err, text->status, "no memory for the names of memories");
}

/* --- the lanes of a text ------------------------------------------------------------------------------------------ */

/* The number after the last space before `end`, and the length of the text before that space; false if none. */
static bool split_number(const char *line, size_t length, int *before, int *number) {
    size_t at = length;
    char *end;
    while (at > 0 && line[at - 1] != ' ') at--;
    if (at < 2 || at == length || length - at > 6 || line[at] < '0' || line[at] > '9') return false;
    *number = (int)strtol(line + at, &end, 10);
    *before = (int)at - 1;
    return end == line + length;
}

static bool block_is_named(const lane_block *block, const char *name) {
    return strlen(name) == (size_t)block->length && memcmp(block->name, name, (size_t)block->length) == 0;
}

/* Takes one line; *ended: it gave the number of lanes. */
static bool take_line(lane_list *list, const char *line, size_t length, bool *ended) {
    lane_block block = {.name = line};
    int width = 0;
    if (!split_number(line, length, &block.length, &block.first)) return false;
    if (block.length > 6 && memcmp(line, "track ", 6) == 0) { /* its first lane, then how many */
        width = block.first;
        if (!split_number(line, (size_t)block.length, &block.length, &block.first) || width < 1) return false;
    }
    lane_block *last = list->blocks > 0 ? &list->block[list->blocks - 1] : NULL;
    if (last) {
        const int count = block.first - last->first;
        if (count < 1 || (last->count > 0 && last->count != count)) return false;
        last->count = count;
    } else if (block.first != 0) {
        return false;
    }
    *ended = block_is_named(&block, "lanes");
    list->lanes = block.first;
    if (*ended) return last != NULL && list->lanes <= LANES;
    block.count = width;
    if (list->blocks == BLOCKS) return false;
    list->block[list->blocks++] = block;
    return true;
}

static bool read_lanes(const char *text, lane_list *list) {
    bool ended = false;
    list->class = text;
    list->class_length = (int)strcspn(text, "\n");
    list->blocks = list->lanes = 0;
    const char *line = text + list->class_length;
    while (*line == '\n' && line[1] != '\0' && !ended) {
        const size_t length = strcspn(++line, "\n");
        if (!take_line(list, line, length, &ended)) return false;
        line += length;
    }
    return ended && strcmp(line, "\n") == 0;
}

static const lane_block *find_block(const lane_list *list, const lane_block *like) {
    for (int k = 0; k < list->blocks; k++) {
        const lane_block *one = &list->block[k];
        if (one->length == like->length && memcmp(one->name, like->name, (size_t)like->length) == 0) return one;
    }
    return NULL;
}

/* --- from one list to the other ----------------------------------------------------------------------------------- */

/* Contacts of one kind, while their lanes are compared. */
typedef struct lane_match {
    const rps_world *world;
    const rps_pair_setup *pair;
    const rps_checkpoint *c;
    const rps_section *state;
    lane_list saved, now;
} lane_match;

enum { SAID = 320 };

/* The memory of a block, if it is one of this world's laws; *role and the name of the memory. */
static const char *memory_name(const lane_match *m, const lane_block *block, int *role) {
    for (*role = 0; *role < RPS_ROLE_COUNT; ++*role) {
        char front[SAID];
        const int length =
            snprintf(front, sizeof front, "%s %s ", rps_role_name((rps_role)*role), m->pair->law[*role]->name);
        if (length > 0 && length < block->length && memcmp(front, block->name, (size_t)length) == 0) {
            return block->name + length;
        }
    }
    return NULL;
}

static const char *say_block(const lane_match *m, const lane_block *block, char out[SAID]) {
    int role;
    const char *memory = memory_name(m, block, &role);
    if (memory) {
        snprintf(out, SAID, "the memory `%.*s` of the %s law `%s`", (int)(block->length - (memory - block->name)),
                 memory, rps_role_name((rps_role)role), m->pair->law[role]->name);
    } else {
        snprintf(out, SAID, "`%.*s`", block->length, block->name);
    }
    return out;
}

static const char *say_count(int count, char out[24]) {
    snprintf(out, 24, count == 1 ? "a number" : count == 3 ? "a vector" : "%d numbers", count);
    return out;
}

static bool may_begin_at_zero(const lane_match *m, const lane_block *block) {
    int role;
    const char *name = memory_name(m, block, &role);
    const size_t length = name ? (size_t)(block->length - (name - block->name)) : 0;
    for (int k = 0; name && k < RPS_LAW_MEMORY && m->pair->law[role]->memory[k].name; k++) {
        const rps_law_memory *memory = &m->pair->law[role]->memory[k];
        if (strlen(memory->name) == length && memcmp(memory->name, name, length) == 0) {
            return memory->kind & RPS_MEMORY_FROM_ZERO;
        }
    }
    return false;
}

/* The first block of the checkpoint that the world lacks and that is not 0 in some contact; NULL if there is none. */
static const lane_block *find_lost(const lane_match *m) {
    const double *value = m->state->data;
    for (int k = 0; k < m->saved.blocks; k++) {
        const lane_block *block = &m->saved.block[k];
        if (find_block(&m->now, block)) continue;
        for (size_t n = 0; n < m->state->count; n++) {
            for (int l = 0; l < block->count; l++) {
                uint64_t bits;
                memcpy(&bits, value + n * (size_t)m->saved.lanes + (size_t)(block->first + l), sizeof bits);
                if (bits != 0) return block;
            }
        }
    }
    return NULL;
}

static rps_status refuse(const lane_match *m, const char *why, rps_error *err) {
    const rps_world *world = m->world;
    return rps_fail(err, RPS_BAD_INPUT,
                    "contacts of `%.60s` and `%.60s` in the checkpoint %s %s; resume it with the version that wrote it",
                    world->material[m->pair->material[0]].name, world->material[m->pair->material[1]].name,
                    rps_checkpoint_path(m->c), why);
}

static rps_status refuse_missing(const lane_match *m, const lane_block *block, rps_error *err) {
    char why[3 * SAID], said[SAID];
    const lane_block *lost = find_lost(m);
    int length = snprintf(why, sizeof why, "lack %s, which cannot begin at 0 in a contact that exists",
                          say_block(m, block, said));
    if (lost && length > 0 && (size_t)length < sizeof why) {
        snprintf(why + length, sizeof why - (size_t)length, ", and hold %s, which this version does not know",
                 say_block(m, lost, said));
    }
    return refuse(m, why, err);
}

static void tell_begins(const lane_match *m, const lane_block *block) {
    char text[3 * SAID], said[SAID];
    snprintf(text, sizeof text, "%.400s lacks %s: it begins at 0", rps_checkpoint_path(m->c),
             say_block(m, block, said));
    rps_log_write(m->world->options.log, m->world->options.log_context, RPS_LOG_INFO, "%s", text);
}

/* Fills lane[], of m->saved.lanes. */
static rps_status match_lanes(const lane_match *m, int *lane, rps_error *err) {
    char why[2 * SAID], said[SAID];
    for (int l = 0; l < m->saved.lanes; l++) lane[l] = -1;
    for (int k = 0; k < m->now.blocks; k++) {
        const lane_block *to = &m->now.block[k], *from = find_block(&m->saved, to);
        if (!from && !may_begin_at_zero(m, to)) return refuse_missing(m, to, err);
        if (from && from->count != to->count) {
            char a[24], b[24];
            snprintf(why, sizeof why, "keep %s as %s, and this version as %s", say_block(m, to, said),
                     say_count(from->count, a), say_count(to->count, b));
            return refuse(m, why, err);
        }
        for (int l = 0; from && l < to->count; l++) lane[from->first + l] = to->first + l;
        if (!from) tell_begins(m, to);
    }
    const lane_block *lost = find_lost(m);
    if (!lost) return RPS_OK;
    snprintf(why, sizeof why, "hold %s, which this version does not know and which is not 0, so it would be lost",
             say_block(m, lost, said));
    return refuse(m, why, err);
}

/* Compares the texts of a kind; they differ. */
static rps_status find_map(const rps_world *world, const rps_checkpoint *c, int kind, const char *saved,
                           const char *now, rps_lane_map *map, rps_error *err) {
    char name[RPS_CONTACT_NAME];
    void *memory;
    RPS_TRY(rps_memory_alloc(world->allocator, sizeof(lane_match), &memory, err));
    lane_match *m = memory;
    *m = (lane_match){.world = world, .pair = &world->pair_setup[kind / RPS_RECORD_COUNT], .c = c};
    rps_status status = RPS_OK;
    if (world->options.stepper == RPS_NONSMOOTH || !read_lanes(now, &m->now)) {
        status = refuse(m, "have other impulses than this version", err);
    } else if (!read_lanes(saved, &m->saved)) {
        status = rps_state_contradicts(c, "the names of the lanes of contacts make no sense", (uint64_t)kind, err);
    } else if (m->saved.class_length != m->now.class_length ||
               memcmp(m->saved.class, m->now.class, (size_t)m->now.class_length) != 0) {
        char why[SAID];
        snprintf(why, sizeof why, "are records of class `%.*s`, and here of class `%.*s`",
                 m->saved.class_length > 40 ? 40 : m->saved.class_length, m->saved.class, m->now.class_length,
                 m->now.class);
        status = refuse(m, why, err);
    }
    rps_contact_section(name, kind, "state");
    if (status == RPS_OK)
        status = rps_checkpoint_need(c, name, RPS_TYPE_double, m->saved.lanes, SIZE_MAX, &m->state, err);
    if (status == RPS_OK) {
        void *lane;
        status = rps_memory_alloc(world->allocator, (size_t)m->saved.lanes * sizeof(int), &lane, err);
        if (status == RPS_OK) {
            *map = (rps_lane_map){.lanes = m->saved.lanes, .lane = lane};
            status = match_lanes(m, lane, err);
        }
    }
    rps_memory_release(world->allocator, memory, sizeof(lane_match));
    return status;
}

rps_status rps_state_lanes_find(const rps_world *world, rps_state_source *from, rps_error *err) {
    const size_t kinds = world->pairs * RPS_RECORD_COUNT;
    void *memory;
    RPS_TRY(rps_size_of_items(kinds, sizeof *from->lanes, &from->lane_bytes, err));
    RPS_TRY(rps_memory_alloc_zeroed(world->allocator, from->lane_bytes, &memory, err));
    from->lanes = memory;
    from->kinds = kinds;
    for (size_t k = 0; k < kinds; k++) {
        char name[RPS_CONTACT_NAME];
        const char *saved;
        rps_text now;
        rps_contact_section(name, (int)k, "lanes");
        if (!rps_checkpoint_find(from->c, name)) continue;
        RPS_TRY(rps_checkpoint_text(from->c, name, &saved, NULL, err));
        rps_status status = rps_state_lane_names(world, (int)k, &now, err);
        if (status == RPS_OK && strcmp(saved, rps_text_string(&now)) != 0) {
            status = find_map(world, from->c, (int)k, saved, rps_text_string(&now), &from->lanes[k], err);
        }
        rps_text_release(&now);
        RPS_TRY(status);
    }
    return RPS_OK;
}

void rps_state_lanes_release(const rps_world *world, rps_state_source *from) {
    for (size_t k = 0; k < from->kinds; k++) {
        const rps_lane_map *map = &from->lanes[k];
        rps_memory_release(world->allocator, map->lane, (size_t)map->lanes * sizeof(int));
    }
    rps_memory_release(world->allocator, from->lanes, from->lane_bytes);
    from->lanes = NULL;
    from->kinds = 0;
}
