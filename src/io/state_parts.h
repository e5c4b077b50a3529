/* Shared by the files that save and restore a world.
 *
 * A part is one kind of state in one file: its sections, how they are written, checked and restored. A new kind of
 * state is one file and one line in state_part_list.inc. */
#ifndef RPS_IO_STATE_PARTS_H
#define RPS_IO_STATE_PARTS_H

#include "base/text.h"
#include "io/state.h"

/* A checkpoint that is being restored, and the numbers that several parts need. */
typedef struct rps_state_source {
    const rps_checkpoint *c;
    uint64_t steps, started, bodies, contacts;
    uint64_t ids;        /* issued, those of removed bodies included */
    rps_lane_map *lanes; /* by kind of contact (pair of materials and class of record): its lanes by name */
    size_t kinds, lane_bytes;
} rps_state_source;

typedef struct rps_state_part {
    const char *const *section; /* names of its sections, ends at NULL */
    /* whether it has a section of this name beside those; NULL: none */
    bool (*knows)(const rps_world *world, const char *name);
    /* lines of the set-up, which must be equal when a state is restored; NULL: none */
    void (*describe)(const rps_world *world, rps_text *text);
    rps_status (*save)(const rps_world *world, rps_serializer *serializer, rps_error *err);
    /* RPS_BAD_INPUT if the sections make no sense for this world. Those of the parts above it in the list do. */
    rps_status (*check)(const rps_world *world, const rps_state_source *from, rps_error *err);
    /* Replaces this state of the world, after those above it; NULL: nothing to do. */
    rps_status (*restore)(rps_world *world, const rps_state_source *from, rps_error *err);
    /* The same for state that needs the neighbor list; NULL: nothing. Called only if the world has taken a step. */
    rps_status (*restore_listed)(rps_world *world, const rps_state_source *from, rps_error *err);
} rps_state_part;

#define RPS_STATE_PART(name) extern const rps_state_part rps_state_##name;
#include "io/state_part_list.inc"
#undef RPS_STATE_PART

/* state_setup.c: text that describes how the world was set up, one line a property, and its comparison. */
extern const char rps_state_setup_name[];
void rps_state_add_numbers(rps_text *text, const double *value, int count);
rps_status rps_state_save_setup(const rps_world *world, rps_serializer *serializer, rps_error *err);
rps_status rps_state_compare_setup(const rps_world *world, const rps_checkpoint *c, rps_error *err);
void rps_state_describe_parts(const rps_world *world, rps_text *text); /* state.c */

/* state_read.c: help for checks. */
rps_status rps_state_contradicts(const rps_checkpoint *c, const char *what, uint64_t number, rps_error *err);
bool rps_all_finite(const double *value, size_t count);
/* The values of a body field, in the order of ids. The section must exist. */
const void *rps_state_body(const rps_checkpoint *c, const char *name);
/* Row of the body with this id in a checkpoint of `bodies` bodies, whose ids ascend; `bodies` if there is none. */
size_t rps_state_row(const rps_checkpoint *c, size_t bodies, uint64_t id);

/* An exact sum as words: they depend on the value alone, not on the order of the additions. */
enum { RPS_SUM_WORDS = RPS_EXACT_SUM_LIMBS + 1 };
void rps_sum_to_words(const rps_exact_sum *sum, uint64_t word[RPS_SUM_WORDS]);
void rps_sum_from_words(rps_exact_sum *sum, const uint64_t word[RPS_SUM_WORDS]);

/* state_changes.c: *ids: number of ids issued to this many bodies. */
rps_status rps_state_ids(const rps_checkpoint *c, uint64_t bodies, uint64_t *ids, rps_error *err);

/* state_accounts.c: reads the counts of a checkpoint into `from`; with `step` (s, may be NULL). */
rps_status rps_state_counts(rps_state_source *from, double *step, rps_error *err);

/* state_accounts.c: the length of steps, since when, and the time then. */
rps_status rps_state_clock(const rps_checkpoint *c, rps_step_clock *clock, rps_error *err);

/* state_lanes.c: what each lane of a contact holds, by name. */
enum { RPS_CONTACT_NAME = 80 };
/* Name of a section of contacts, `what` one of "lanes", "ids" and "state". */
void rps_contact_section(char name[RPS_CONTACT_NAME], int kind, const char *what);
/* True if it is such a name for a kind of this world. */
bool rps_contact_section_known(const rps_world *world, const char *name);
rps_status rps_state_lane_names(const rps_world *world, int kind, rps_text *text, rps_error *err);
/* Fills from->lanes: which lane of this world each lane of the checkpoint is, by its name. RPS_BAD_INPUT if the
 * checkpoint lacks a memory that cannot begin at 0, or has one that is not 0 and that no law of this world has. Always
 * call rps_state_lanes_release. */
rps_status rps_state_lanes_find(const rps_world *world, rps_state_source *from, rps_error *err);
void rps_state_lanes_release(const rps_world *world, rps_state_source *from);

/* state_block_hash.c: hash of the whole state and of its blocks. The check compares it with the restored world. */
extern const char rps_state_hash_name[];
rps_status rps_state_check_hash(const rps_world *world, const rps_state_source *from, rps_error *err);

#endif
