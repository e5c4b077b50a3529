/* Merging: the schema tells which values are maps of keys. */
#include "language/merge.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/hash.h"
#include "language/schema.h"

enum { PATH = 160 };

static rps_status merge_maps(rps_pool *pool, rps_node *base, const rps_node *over, const rps_schema_key *key,
                             rps_error *err);

/* --- items of lists ------------------------------------------------------------------------------------------------ */

/* The name of an item, or the materials of a pair in one order; *out NULL if it has neither. */
static rps_status identity(rps_pool *pool, const rps_node *item, const char **out, rps_error *err) {
    const char *name = rps_node_text(item, "name"), *a = "all", *b = "all";
    const rps_node *between = rps_node_get(item, "between");
    *out = NULL;
    if (!name && !rps_node_is(between, "all")) {
        if (!between || between->kind != RPS_NODE_LIST || between->count != 2) return RPS_OK;
        a = between->entry[0].value->text;
        b = between->entry[1].value->text;
        if (!a || !b) return RPS_OK;
    }
    const bool turned = strcmp(a, b) > 0;
    *out = name ? rps_pool_printf(pool, err, "name %s", name)
                : rps_pool_printf(pool, err, "pair %s/%s", turned ? b : a, turned ? a : b);
    return *out ? RPS_OK : RPS_NO_MEMORY;
}

/* Items by their identity: open addressing, values from 1. */
typedef struct lookup {
    const char **name;
    uint32_t *item;
    size_t mask;
} lookup;

static uint32_t *find_slot(const lookup *l, const char *name) {
    size_t slot = (size_t)rps_hash64(name, strlen(name)) & l->mask;
    while (l->item[slot] && strcmp(l->name[slot], name) != 0) slot = (slot + 1) & l->mask;
    l->name[slot] = name;
    return &l->item[slot];
}

static rps_status join_lists(rps_pool *pool, rps_node *base, const rps_node *over, const rps_schema_key *key,
                             rps_error *err) {
    char path[PATH];
    const size_t before = base->count;
    lookup l = {.mask = 15};
    while (l.mask < 2 * (before + over->count)) l.mask = 2 * l.mask + 1;
    l.name = rps_pool_take(pool, (l.mask + 1) * sizeof *l.name, err);
    l.item = rps_pool_take(pool, (l.mask + 1) * sizeof *l.item, err);
    if (!l.name || !l.item) return RPS_NO_MEMORY;
    snprintf(path, sizeof path, "%s[]", key->path);
    const rps_schema_key *item_key = rps_schema_find(path);
    for (size_t i = 0; i < before; i++) {
        const char *name;
        RPS_TRY(identity(pool, base->entry[i].value, &name, err));
        if (name) *find_slot(&l, name) = (uint32_t)i + 1;
    }
    for (size_t i = 0; i < over->count; i++) {
        rps_node *item = over->entry[i].value;
        const char *name;
        RPS_TRY(identity(pool, item, &name, err));
        const uint32_t same = name ? *find_slot(&l, name) : 0;
        if (same && item_key && (item_key->type & RPS_IS_MAP)) {
            RPS_TRY(merge_maps(pool, base->entry[same - 1].value, item, item_key, err));
            base->entry[same - 1].value->place = item->place;
        } else {
            RPS_TRY(rps_node_add(pool, base, NULL, item->place, item, err));
        }
    }
    return RPS_OK;
}

/* --- maps ---------------------------------------------------------------------------------------------------------- */

/* A map of keys or names, and not one of several forms. */
static bool is_map_of_keys(const rps_schema_key *key) {
    return key && (key->type & (RPS_IS_MAP | RPS_IS_NAMES)) && !(key->type & (RPS_IS_LAW | RPS_IS_SHAPE)) &&
           !(key->flags & RPS_ONE_OF);
}

/* A list at the top of the scene; vectors are values. */
static bool is_list_of_scene(const rps_schema_key *key) {
    return key && (key->type & RPS_IS_LIST) && !(key->type & RPS_IS_VECTOR) && !strchr(key->path, '.');
}

static const rps_schema_key *key_below(const rps_schema_key *key, const char *name) {
    char path[PATH];
    if (!(key->type & RPS_IS_NAMES)) return rps_schema_below(key->path, name);
    snprintf(path, sizeof path, "%s.*", key->path);
    return rps_schema_find(path);
}

static rps_status merge_maps(rps_pool *pool, rps_node *base, const rps_node *over, const rps_schema_key *key,
                             rps_error *err) {
    for (size_t i = 0; i < over->count; i++) {
        const rps_entry *entry = &over->entry[i];
        const rps_schema_key *below = key_below(key, entry->key);
        rps_entry *there = NULL;
        for (size_t k = 0; k < base->count && !there; k++) {
            if (strcmp(base->entry[k].key, entry->key) == 0) there = &base->entry[k];
        }
        if (!there) {
            RPS_TRY(rps_node_add(pool, base, entry->key, entry->key_place, entry->value, err));
            continue;
        }
        there->key_place = entry->key_place;
        const rps_node_kind kind = there->value->kind;
        const bool alike = kind == entry->value->kind;
        if (alike && kind == RPS_NODE_MAP && is_map_of_keys(below)) {
            RPS_TRY(merge_maps(pool, there->value, entry->value, below, err));
        } else if (alike && kind == RPS_NODE_LIST && is_list_of_scene(below)) {
            RPS_TRY(join_lists(pool, there->value, entry->value, below, err));
        } else {
            there->value = entry->value;
        }
    }
    return RPS_OK;
}

rps_status rps_node_merge(rps_pool *pool, rps_node *base, const rps_node *over, rps_error *err) {
    return merge_maps(pool, base, over, rps_schema_find(""), err);
}
