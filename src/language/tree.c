/* Nodes, paths into the tree, and error messages with their source location. */
#include "language/tree.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/c_locale.h"
#include "base/hash.h"

/* --- pool ---------------------------------------------------------------------------------------------------------- */

enum { POOL_BLOCK = 1 << 16 };

void rps_pool_init(rps_pool *pool, const rps_allocator *allocator) {
    *pool = (rps_pool){0};
    rps_arena_init(&pool->arena, allocator);
}

void rps_pool_release(rps_pool *pool) {
    rps_arena_release(&pool->arena);
    *pool = (rps_pool){0};
}

void *rps_pool_take(rps_pool *pool, size_t bytes, rps_error *err) {
    if (bytes > SIZE_MAX - 16) {
        rps_fail(err, RPS_NO_MEMORY, "%zu bytes do not fit into memory", bytes);
        return NULL;
    }
    size_t size = (bytes + 15) & ~(size_t)15;
    void *p = NULL;
    if (size > POOL_BLOCK / 4) {
        if (rps_arena_take(&pool->arena, size, &p, err) != RPS_OK) return NULL;
    } else {
        if (size > pool->left) {
            void *block;
            if (rps_arena_take(&pool->arena, POOL_BLOCK, &block, err) != RPS_OK) return NULL;
            pool->block = block;
            pool->left = POOL_BLOCK;
        }
        p = pool->block;
        pool->block += size;
        pool->left -= size;
    }
    memset(p, 0, size);
    return p;
}

char *rps_pool_copy(rps_pool *pool, const char *text, size_t bytes, rps_error *err) {
    char *copy = rps_pool_take(pool, bytes + 1, err);
    if (copy && bytes) memcpy(copy, text, bytes);
    return copy;
}

char *rps_pool_printf(rps_pool *pool, rps_error *err, const char *fmt, ...) {
    va_list args;
    va_start(args, fmt);
    int length = rps_vsnprintf(NULL, 0, fmt, args);
    va_end(args);
    char *text = length < 0 ? NULL : rps_pool_take(pool, (size_t)length + 1, err);
    if (text) {
        va_start(args, fmt);
        rps_vsnprintf(text, (size_t)length + 1, fmt, args);
        va_end(args);
    }
    return text;
}

/* --- nodes --------------------------------------------------------------------------------------------------------- */

const rps_entry *rps_node_find(const rps_node *node, const char *key) {
    if (!node || node->kind != RPS_NODE_MAP) return NULL;
    for (size_t i = 0; i < node->count; i++) {
        if (strcmp(node->entry[i].key, key) == 0) return &node->entry[i];
    }
    return NULL;
}

rps_node *rps_node_get(const rps_node *node, const char *key) {
    const rps_entry *entry = rps_node_find(node, key);
    return entry ? entry->value : NULL;
}

const char *rps_node_text(const rps_node *node, const char *key) {
    const rps_node *child = rps_node_get(node, key);
    return child && child->kind == RPS_NODE_SCALAR ? child->text : NULL;
}

double rps_node_number(const rps_node *node, const char *key, double default_value) {
    const rps_node *child = rps_node_get(node, key);
    return child && child->kind == RPS_NODE_SCALAR ? child->number[0] : default_value;
}

bool rps_node_vector(const rps_node *node, const char *key, double *out, int components) {
    const rps_node *child = rps_node_get(node, key);
    if (!child || child->kind != RPS_NODE_LIST) return false;
    memcpy(out, child->number, (size_t)components * sizeof *out);
    return true;
}

bool rps_node_is(const rps_node *node, const char *text) {
    return node && node->kind == RPS_NODE_SCALAR && strcmp(node->text, text) == 0;
}

rps_node *rps_node_new(rps_pool *pool, rps_node_kind kind, rps_place place, rps_error *err) {
    rps_node *node = rps_pool_take(pool, sizeof *node, err);
    if (node) {
        node->kind = kind;
        node->place = place;
        node->given = true;
        node->size = 1;
    }
    return node;
}

rps_status rps_node_add(rps_pool *pool, rps_node *node, const char *key, rps_place key_place, rps_node *value,
                        rps_error *err) {
    if (node->count == node->capacity) {
        size_t capacity = node->capacity ? node->capacity * 2 : 4;
        rps_entry *entry = rps_pool_take(pool, capacity * sizeof *entry, err);
        if (!entry) return RPS_NO_MEMORY;
        if (node->count) memcpy(entry, node->entry, node->count * sizeof *entry);
        node->entry = entry;
        node->capacity = capacity;
    }
    node->entry[node->count++] = (rps_entry){key, key_place, value};
    node->size += value->size;
    return RPS_OK;
}

rps_node *rps_node_copy(rps_pool *pool, const rps_node *node, rps_error *err) {
    rps_node *copy = rps_pool_take(pool, sizeof *copy, err);
    if (!copy) return NULL;
    *copy = *node;
    copy->entry = NULL;
    copy->capacity = node->count;
    if (node->count) {
        copy->entry = rps_pool_take(pool, node->count * sizeof *copy->entry, err);
        if (!copy->entry) return NULL;
    }
    for (size_t i = 0; i < node->count; i++) {
        copy->entry[i] = node->entry[i];
        copy->entry[i].value = rps_node_copy(pool, node->entry[i].value, err);
        if (!copy->entry[i].value) return NULL;
    }
    return copy;
}

rps_status rps_node_check_keys(rps_pool *pool, const rps_node *map, rps_error *err) {
    size_t capacity = 8;
    while (capacity < 2 * map->count) capacity *= 2;
    rps_arena_mark mark = rps_arena_get_mark(&pool->arena);
    void *memory;
    RPS_TRY(rps_arena_take_items(&pool->arena, capacity, sizeof(uint32_t), &memory, err));
    uint32_t *table = memory;
    memset(table, 0, capacity * sizeof *table);
    rps_status status = RPS_OK;
    for (size_t i = 0; i < map->count && status == RPS_OK; i++) {
        const char *key = map->entry[i].key;
        size_t slot = (size_t)rps_hash64(key, strlen(key)) & (capacity - 1);
        for (; table[slot]; slot = (slot + 1) & (capacity - 1)) {
            const rps_entry *other = &map->entry[table[slot] - 1];
            if (strcmp(other->key, key) == 0) {
                status = rps_place_fail(err, map->entry[i].key_place,
                                        "the key `%s` stands here a second time; the first is in line %d", key,
                                        other->key_place.line);
                break;
            }
        }
        table[slot] = (uint32_t)i + 1;
    }
    rps_arena_rewind(&pool->arena, mark);
    return status;
}

/* --- paths --------------------------------------------------------------------------------------------------------- */

/* True if the list item has this name: by its key `name`, or for a pair of materials "a/b" in either order. */
static bool item_has_name(const rps_node *item, const char *name) {
    const char *own = rps_node_text(item, "name");
    if (own && strcmp(own, name) == 0) return true;
    const rps_node *between = rps_node_get(item, "between");
    if (rps_node_is(between, "all")) return strcmp(name, "all") == 0 || strcmp(name, "all/all") == 0;
    const char *slash = strchr(name, '/');
    if (!slash || !between || between->kind != RPS_NODE_LIST || between->count != 2) return false;
    const char *a = between->entry[0].value->text, *b = between->entry[1].value->text;
    size_t left = (size_t)(slash - name);
    if (!a || !b) return false;
    return (strlen(a) == left && strncmp(a, name, left) == 0 && strcmp(b, slash + 1) == 0) ||
           (strlen(b) == left && strncmp(b, name, left) == 0 && strcmp(a, slash + 1) == 0);
}

rps_status rps_node_item(rps_pool *pool, const rps_node *list, const char *part, const char *path, rps_place place,
                         size_t *index, rps_error *err) {
    size_t digits = strspn(part, "0123456789");
    if (digits && part[digits] == 0) {
        unsigned long long number = strtoull(part, NULL, 10);
        if (digits < 10 && number < list->count) {
            *index = (size_t)number;
            return RPS_OK;
        }
        return rps_place_fail(err, place, "`%s` asks for item %s of a list that has %zu\nitems are counted from 0",
                              path, part, list->count);
    }
    for (size_t i = 0; i < list->count; i++) {
        if (item_has_name(list->entry[i].value, part)) {
            *index = i;
            return RPS_OK;
        }
    }
    const char **names = rps_pool_take(pool, (list->count + 1) * sizeof *names, err);
    if (!names) return RPS_NO_MEMORY;
    size_t n = 0;
    for (size_t i = 0; i < list->count; i++) {
        const char *own = rps_node_text(list->entry[i].value, "name");
        const rps_node *between = rps_node_get(list->entry[i].value, "between");
        const char *a = NULL, *b = NULL;
        if (!own && between && between->kind == RPS_NODE_LIST && between->count == 2) {
            a = between->entry[0].value->text;
            b = between->entry[1].value->text;
        }
        if (!own && rps_node_is(between, "all")) own = "all";
        if (a && b && !(own = rps_pool_printf(pool, err, "%s/%s", a, b))) return RPS_NO_MEMORY;
        if (own) names[n++] = own;
    }
    char hint[512];
    return rps_place_fail(err, place,
                          "`%s`: the list has no item called `%s`%s\nlist items go by number (from 0) or name", path,
                          part, rps_suggest(part, names, n, hint, sizeof hint));
}

rps_status rps_node_set(rps_pool *pool, rps_node *root, const char *path, rps_place place, rps_node *value,
                        rps_error *err) {
    rps_node *node = root;
    const rps_node *settings = NULL;
    const char *rest = path;
    if (!*path || strchr(path, '.') == path || path[strlen(path) - 1] == '.' || strstr(path, "..")) {
        return rps_place_fail(err, place, "`%s` is no path of a key\nwrite keys joined by dots, as in run.step", path);
    }
    for (;;) {
        /* below `set` of a stage stands a path as one key */
        size_t length = node == settings ? strlen(rest) : strcspn(rest, ".");
        char *part = rps_pool_copy(pool, rest, length, err);
        if (!part) return RPS_NO_MEMORY;
        bool last = rest[length] == 0;
        rps_node **slot = NULL;
        if (node->kind == RPS_NODE_MAP) {
            for (size_t i = 0; i < node->count; i++) {
                if (strcmp(node->entry[i].key, part) == 0) {
                    slot = &node->entry[i].value;
                    if (last) node->entry[i].key_place = place;
                }
            }
            if (!slot) {
                rps_node *fresh = last ? value : rps_node_new(pool, RPS_NODE_MAP, place, err);
                if (!fresh) return RPS_NO_MEMORY;
                RPS_TRY(rps_node_add(pool, node, part, place, fresh, err));
                slot = &node->entry[node->count - 1].value;
            }
        } else if (node->kind == RPS_NODE_LIST) {
            size_t index = 0;
            RPS_TRY(rps_node_item(pool, node, part, path, place, &index, err));
            slot = &node->entry[index].value;
        } else {
            return rps_place_fail(err, place, "`%s` leads below `%.*s`, which has no keys", path,
                                  (int)(rest > path ? rest - path - 1 : 0), path);
        }
        if (last) {
            *slot = value;
            return RPS_OK;
        }
        if ((*slot)->kind == RPS_NODE_NULL) (*slot)->kind = RPS_NODE_MAP;
        if (strncmp(path, "stages.", 7) == 0 && strcmp(part, "set") == 0) settings = *slot;
        node = *slot;
        rest += length + 1;
    }
}

/* --- messages ------------------------------------------------------------------------------------------------------ */

enum { SHOWN = 110 }; /* columns of a source line in a message */

static bool is_head(char c) {
    return ((unsigned char)c & 0xc0) != 0x80; /* not the continuation of a UTF-8 character */
}

/* A message under construction. It allocates nothing, so that it works when memory has run out. */
typedef struct rps_message {
    char text[sizeof((rps_error *)0)->text];
    size_t used;
} rps_message;

static void tree_say(rps_message *out, const char *fmt, ...) RPS_PRINTF(2, 3);
static void tree_say(rps_message *out, const char *fmt, ...) {
    va_list args;
    size_t capacity = sizeof out->text - out->used;
    va_start(args, fmt);
    int n = rps_vsnprintf(out->text + out->used, capacity, fmt, args);
    va_end(args);
    out->used += n < 0 ? 0 : (size_t)n < capacity ? (size_t)n : capacity - 1;
}

/* Writes the line and a caret under the column, cut to the part near the caret. */
static void show_line(rps_message *out, rps_place place) {
    const char *at = place.source->text, *end = at + place.source->bytes;
    for (int line = 1; line < place.line && at < end; line++) {
        const char *next = memchr(at, '\n', (size_t)(end - at));
        at = next ? next + 1 : end;
    }
    const char *stop = at < end ? memchr(at, '\n', (size_t)(end - at)) : end;
    if (!stop) stop = end;
    if (stop > at && stop[-1] == '\r') stop--;
    if (stop == at && place.line > 1 && at == end) return;
    int first = place.column > SHOWN - 10 ? place.column - SHOWN / 2 : 1;
    tree_say(out, "\n    ");
    char caret[SHOWN + 1];
    int column = 0, carets = 0;
    for (const char *c = at; c < stop; c++) {
        if (is_head(*c)) column++; /* NOLINT: at lies in the text */
        if (column < first) continue;
        if (column >= first + SHOWN) break;
        tree_say(out, "%c", (unsigned char)*c < 32 && *c != '\t' ? '?' : *c);
        if (column < place.column && is_head(*c) && carets < SHOWN) caret[carets++] = *c == '\t' ? '\t' : ' ';
    }
    for (; column + 1 < place.column && column < first + SHOWN && carets < SHOWN; column++) caret[carets++] = ' ';
    tree_say(out, "\n    %.*s^", carets, caret);
}

/* Builds the message from a text: its first line is the sentence, the other lines go below the caret. */
static rps_status place_message(rps_error *err, rps_status status, rps_place place, const char *text) {
    if (!err) return status;
    if (!place.source) return rps_fail(err, status, "%s", text);
    rps_message out = {.used = 0};
    size_t sentence = strcspn(text, "\n");
    tree_say(&out, "%s:%d:%d: %.*s", place.source->name, place.line, place.column, (int)sentence, text);
    show_line(&out, place);
    for (const char *rest = text + sentence; *rest;) {
        rest++;
        size_t length = strcspn(rest, "\n");
        if (length) tree_say(&out, "\n  %.*s", (int)length, rest);
        rest += length;
    }
    return rps_fail(err, status, "%s", out.text);
}

#undef rps_place_fail /* the form for analyzers, see tree.h */
rps_status rps_place_fail(rps_error *err, rps_place place, const char *fmt, ...) {
    if (err) {
        char message[1600];
        va_list args;
        va_start(args, fmt);
        rps_vsnprintf(message, sizeof message, fmt, args);
        va_end(args);
        place_message(err, RPS_BAD_INPUT, place, message);
    }
    return RPS_BAD_INPUT;
}

rps_status rps_place_wrap(rps_error *err, rps_place place, rps_status status) {
    if (err && status == RPS_BAD_INPUT) {
        char message[sizeof err->text];
        memcpy(message, err->text, sizeof message);
        place_message(err, status, place, message);
    }
    return status;
}

const char *rps_suggest(const char *name, const char *const *names, size_t n, char *out, size_t bytes) {
    out[0] = 0;
    const char *closest = n ? rps_closest_name(name, names, n) : NULL;
    if (closest) {
        snprintf(out, bytes, "\ndid you mean `%s`?", closest);
    } else if (n) {
        size_t used = (size_t)snprintf(out, bytes, "\nknown: ");
        for (size_t i = 0; i < n && used + 1 < bytes; i++) {
            if (used + strlen(names[i]) + 8 > bytes || used > 400) {
                snprintf(out + used, bytes - used, ", ...");
                break;
            }
            used += (size_t)snprintf(out + used, bytes - used, "%s%s", i ? ", " : "", names[i]);
        }
    }
    return out;
}
