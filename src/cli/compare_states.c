/* repose info A B for two checkpoints: sections by name, bodies by id, contacts by key. */
#include "compare.h"

#include <stdio.h>
#include <string.h>

#include "base/array.h"
#include "io/state.h"
#include "world/world.h"

enum { KEY = 5, NAME = 96 };

typedef struct two_states {
    rps_checkpoint *c[2];
    rps_state_info info[2];
    bool equal;
} two_states;

static bool begins_with(const char *text, const char *begin) {
    return strncmp(text, begin, strlen(begin)) == 0;
}

/* --- blocks ---------------------------------------------------------------------------------------------------------- */

static void compare_blocks(two_states *two) {
    const rps_section *a = rps_checkpoint_find(two->c[0], "block hashes");
    const rps_section *b = rps_checkpoint_find(two->c[1], "block hashes");
    if (!a || !b || a->type != RPS_TYPE_uint64 || b->type != RPS_TYPE_uint64) return;
    const size_t blocks = (a->count < b->count ? a->count : b->count) / 2;
    size_t differ = 0;
    for (size_t k = 0; k < blocks; k++) {
        differ += memcmp((const uint64_t *)a->data + 2 * k, (const uint64_t *)b->data + 2 * k, 16) != 0;
    }
    if (differ == 0) return;
    printf("blocks    %zu of %zu differ:", differ, blocks);
    for (size_t k = 0, shown = 0; k < blocks && shown <= 4 * COMPARE_SHOWN; k++) {
        if (memcmp((const uint64_t *)a->data + 2 * k, (const uint64_t *)b->data + 2 * k, 16) == 0) continue;
        if (shown++ == 4 * COMPARE_SHOWN) {
            printf(" ...");
        } else {
            printf(" %zu", k);
        }
    }
    printf(" (block k: bodies %d k to %d k + %d, and contacts whose lower body is one of them)\n", RPS_HASH_BLOCK,
           RPS_HASH_BLOCK, RPS_HASH_BLOCK - 1);
    two->equal = false;
}

/* --- contacts -------------------------------------------------------------------------------------------------------- */

/* The name of a lane, from the text of a section contact/K/lanes; its lines end in the number of their first lane. */
static const char *lane_name(const char *text, int lane, char out[NAME]) {
    int best = -1;
    snprintf(out, NAME, "lane %d", lane);
    while (*text) {
        const size_t length = strcspn(text, "\n");
        char line[NAME], *space;
        snprintf(line, sizeof line, "%.*s", (int)length, text);
        text += length + (text[length] == '\n');
        int first, count;
        if (sscanf(line, "track %d %d", &first, &count) == 2) { /* its last number is a count */
            snprintf(line, sizeof line, "track %d", first);
        }
        if (begins_with(line, "lanes ") || !(space = strrchr(line, ' ')) || sscanf(space, "%d", &first) != 1) continue;
        if (first > lane || first <= best) continue;
        best = first;
        *space = '\0';
        snprintf(out, NAME, first == lane ? "%.60s" : "%.60s[%d]", line, lane - first);
    }
    return out;
}

static int compare_states_compare_keys(const uint64_t *p, const uint64_t *q) {
    int k = 0;
    while (k < KEY - 1 && p[k] == q[k]) k++;
    return (p[k] > q[k]) - (p[k] < q[k]);
}

static void print_contact(const uint64_t *key) {
    printf("  contact %llu-%llu", (unsigned long long)key[0], (unsigned long long)key[1]);
    if (key[2] != 0 || key[3] != 0 || key[4] != 0) {
        printf(", pieces %llu and %llu, feature %llu", (unsigned long long)key[2], (unsigned long long)key[3],
               (unsigned long long)key[4]);
    }
    printf(" (block %llu)", (unsigned long long)(key[0] / RPS_HASH_BLOCK));
}

typedef struct contacts_of {
    const uint64_t *key;
    const double *state;
    size_t count, at;
    int lanes;
} contacts_of;

static rps_status compare_states_find_contacts(const rps_checkpoint *c, int kind, contacts_of *out, const char **names,
                                               rps_error *err) {
    char name[NAME];
    const rps_section *ids, *state;
    *out = (contacts_of){0};
    snprintf(name, sizeof name, "contact/%d/state", kind);
    state = rps_checkpoint_find(c, name);
    snprintf(name, sizeof name, "contact/%d/ids", kind);
    if (!state || !rps_checkpoint_find(c, name)) return RPS_OK;
    RPS_TRY(rps_checkpoint_need(c, name, RPS_TYPE_uint64, KEY, state->count, &ids, err));
    if (state->type != RPS_TYPE_double) {
        return rps_fail(err, RPS_BAD_INPUT, "%s: the section of contacts of kind %d does not hold numbers",
                        rps_checkpoint_path(c), kind);
    }
    snprintf(name, sizeof name, "contact/%d/lanes", kind);
    RPS_TRY(rps_checkpoint_text(c, name, names, NULL, err));
    *out = (contacts_of){ids->data, state->data, ids->count, 0, state->components};
    return RPS_OK;
}

static void print_lanes(const contacts_of *a, const contacts_of *b, const char *names) {
    const double *of_a = a->state + a->at * (size_t)a->lanes, *of_b = b->state + b->at * (size_t)b->lanes;
    for (int l = 0; l < a->lanes; l++) {
        char text[COMPARE_ROW], name[NAME];
        if (rps_same_bits(of_a + l, of_b + l, sizeof *of_a)) continue;
        printf("    %-24s A %s", lane_name(names, l, name), compare_row(RPS_TYPE_double, 1, of_a + l, text));
        printf("  B %s\n", compare_row(RPS_TYPE_double, 1, of_b + l, text));
    }
}

/* Compares contacts of one kind, a pair of materials and a class of record. Returns the number that differ; with
 * `print` it shows the first few. */
static size_t walk_contacts(contacts_of a, contacts_of b, const char *names, bool print) {
    size_t differ = 0;
    while (a.at < a.count || b.at < b.count) {
        const uint64_t *p = a.key + KEY * a.at, *q = b.key + KEY * b.at;
        const int order = a.at == a.count ? 1 : b.at == b.count ? -1 : compare_states_compare_keys(p, q);
        const size_t lanes = (size_t)a.lanes;
        const bool same =
            order == 0 && memcmp(a.state + a.at * lanes, b.state + b.at * lanes, lanes * sizeof(double)) == 0;
        if (!same && print && differ < COMPARE_SHOWN) {
            print_contact(order <= 0 ? p : q);
            printf("%s\n", order < 0 ? " is in A only" : order > 0 ? " is in B only" : "");
            if (order == 0) print_lanes(&a, &b, names);
        }
        differ += !same;
        a.at += order <= 0;
        b.at += order >= 0;
    }
    return differ;
}

static rps_status compare_contacts(two_states *two, int kind, rps_error *err) {
    contacts_of a, b;
    const char *names_a = "", *names_b = "";
    RPS_TRY(compare_states_find_contacts(two->c[0], kind, &a, &names_a, err));
    RPS_TRY(compare_states_find_contacts(two->c[1], kind, &b, &names_b, err));
    if (a.count && b.count && (a.lanes != b.lanes || strcmp(names_a, names_b) != 0)) {
        printf("contacts  kind %d remembers other things\n", kind);
        two->equal = false;
        return RPS_OK;
    }
    if (a.lanes == 0) a.lanes = b.lanes;
    const size_t differ = walk_contacts(a, b, names_a, false);
    if (differ > 0) {
        printf("contacts  %zu differ, of %zu in A and %zu in B (kind %d)\n", differ, a.count, b.count, kind);
        walk_contacts(a, b, names_a, true);
        two->equal = false;
    }
    return RPS_OK;
}

/* --- all other sections ---------------------------------------------------------------------------------------------- */

/* Sections on how the run was requested and how long it took: reported, but not a difference. */
static bool is_remark(const char *name) {
    return begins_with(name, "run/") || begins_with(name, "scene/folder") || begins_with(name, "scene/path") ||
           begins_with(name, "scene/text") || begins_with(name, "scene/files") || begins_with(name, "scene/included");
}

static void compare_text(const char *name, const char *a, const char *b) {
    size_t line = 1;
    for (size_t k = 0; a[0] && b[0] && strncmp(a, b, k = strcspn(a, "\n") + 1) == 0 && a[k - 1]; line++) a += k, b += k;
    printf("%s differs from line %zu on\n    A %.*s\n    B %.*s\n", name, line, (int)strcspn(a, "\n"), a,
           (int)strcspn(b, "\n"), b);
}

static void compare_numbers(const rps_section *a, const rps_section *b) {
    const size_t bytes = compare_bytes(a->type) * (size_t)a->components;
    char text[COMPARE_ROW];
    printf("%s differs", a->name);
    if (a->count != b->count) printf(": %zu in A, %zu in B", a->count, b->count);
    printf("\n");
    for (size_t k = 0; k < a->count && k < b->count; k++) {
        const char *p = (const char *)a->data + k * bytes, *q = (const char *)b->data + k * bytes;
        if (memcmp(p, q, bytes) == 0) continue;
        printf("  number %zu\n    A %s\n", k, compare_row(a->type, a->components, p, text));
        printf("    B %s\n", compare_row(b->type, b->components, q, text));
        return;
    }
}

static bool same_section(const rps_section *a, const rps_section *b) {
    return b && a->type == b->type && a->components == b->components && a->count == b->count &&
           (a->count == 0 || memcmp(a->data, b->data, a->count * compare_bytes(a->type) * (size_t)a->components) == 0);
}

static void compare_section(two_states *two, const rps_section *a, const rps_section *b) {
    if (same_section(a, b)) return;
    if (!is_remark(a->name)) two->equal = false;
    if (!b || a->type != b->type || a->components != b->components) {
        printf("%s is in A only, or is of another kind in B\n", a->name);
    } else if (begins_with(a->name, "body/")) {
        const size_t count = a->count < b->count ? a->count : b->count;
        compare_bodies(a->name + strlen("body/"), a->type, a->components, count, a->data, b->data);
    } else if (a->type == RPS_SECTION_TEXT) {
        compare_text(a->name, a->data, b->data);
    } else {
        compare_numbers(a, b);
    }
}

static rps_status compare_sections(two_states *two, rps_error *err) {
    static const char *const told[] = {"block hashes", "state hash"}; /* and contacts */
    for (int w = 0; w < 2; w++) {
        const rps_section *s;
        for (size_t k = 0; (s = rps_checkpoint_at(two->c[w], k)) != NULL; k++) {
            int kind, at = 0;
            if (sscanf(s->name, "contact/%d/%n", &kind, &at) == 1) {
                const bool once = at > 0 && strcmp(s->name + at, "state") == 0 &&
                                  (w == 0 || !rps_checkpoint_find(two->c[0], s->name));
                if (once) RPS_TRY(compare_contacts(two, kind, err));
                continue;
            }
            if (strcmp(s->name, told[0]) == 0 || strcmp(s->name, told[1]) == 0) continue;
            const rps_section *other = rps_checkpoint_find(two->c[1 - w], s->name);
            if (w == 0) {
                compare_section(two, s, other);
            } else if (!other) {
                printf("%s is in B only\n", s->name);
                if (!is_remark(s->name)) two->equal = false;
            }
        }
    }
    return RPS_OK;
}

rps_status compare_states(const char *path_a, const char *path_b, bool *equal, rps_error *err) {
    two_states two = {.equal = true};
    const char *path[2] = {path_a, path_b};
    rps_status status = RPS_OK;
    for (int w = 0; w < 2 && status == RPS_OK; w++) {
        status = rps_checkpoint_open(path[w], NULL, &two.c[w], err);
        if (status == RPS_OK) status = rps_state_look(two.c[w], &two.info[w], err);
        if (status != RPS_OK) break;
        const rps_state_info *s = &two.info[w];
        printf("%c         step %llu, %llu bodies, %llu contacts, state_hash %016llx%016llx\n", 'A' + w,
               (unsigned long long)s->steps, (unsigned long long)s->bodies, (unsigned long long)s->contacts,
               (unsigned long long)s->hash[0], (unsigned long long)s->hash[1]);
    }
    if (status == RPS_OK) {
        two.equal = memcmp(two.info[0].hash, two.info[1].hash, sizeof two.info[0].hash) == 0;
        compare_blocks(&two);
        status = compare_sections(&two, err);
    }
    for (int w = 0; w < 2; w++) rps_checkpoint_close(two.c[w]);
    *equal = two.equal;
    return status;
}
