/* Walks the tree and checks it against the table of keys. */
#include "language/schema.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/c_locale.h"
#include "base/threads.h"

#define KEY(p, t, ...) {.path = p, .type = t, .meaning = __VA_ARGS__},
static const rps_schema_key table[] = {
#include "io/file_names.h"
#include "language/schema_table.inc"
};
#undef KEY

enum { KEYS = sizeof table / sizeof *table, PATH_TEXT = 160 };

size_t rps_schema_count(void) {
    return KEYS;
}

const rps_schema_key *rps_schema_at(size_t index) {
    return index < KEYS ? &table[index] : NULL;
}

const rps_schema_key *rps_schema_find(const char *path) {
    for (size_t i = 0; i < KEYS; i++) {
        if (strcmp(table[i].path, path) == 0) return &table[i];
    }
    return NULL;
}

const char *rps_schema_child(const rps_schema_key *key, const char *parent) {
    size_t length = strlen(parent);
    const char *rest = key->path;
    if (length) {
        if (strncmp(rest, parent, length) != 0 || rest[length] != '.') return NULL;
        rest += length + 1;
    }
    return *rest && !strpbrk(rest, ".[") ? rest : NULL;
}

const rps_schema_key *rps_schema_below(const char *parent, const char *key) {
    for (size_t i = 0; i < KEYS; i++) {
        const char *name = rps_schema_child(&table[i], parent);
        if (name && strcmp(name, key) == 0) return &table[i];
    }
    return NULL;
}

int rps_choice(const char *choices, const char *word) {
    size_t length = strlen(word);
    int index = 0;
    for (const char *c = choices; length && c && *c; index++) {
        size_t n = strcspn(c, "|");
        if (n == length && strncmp(c, word, n) == 0) return index;
        c += n + (c[n] == '|');
    }
    return -1;
}

/* "a|b|c" as "a, b, c". */
static const char *list_choices(const char *choices, char *out, size_t bytes) {
    size_t used = 0;
    out[0] = 0;
    for (const char *c = choices; *c && used + 4 < bytes; c++) {
        used += (size_t)snprintf(out + used, bytes - used, *c == '|' ? ", " : "%c", *c);
    }
    return out;
}

const char *rps_schema_expected(const rps_schema_key *key, char *out, size_t bytes) {
    size_t used = 0;
    const char *join = "";
    char inner[128], words[128];
    out[0] = 0;
#define SAY(...)                                                                               \
    do {                                                                                       \
        used += (size_t)snprintf(out + used, bytes - used, "%s", join);                        \
        if (used < bytes) used += (size_t)rps_snprintf(out + used, bytes - used, __VA_ARGS__); \
        join = ", or ";                                                                        \
        if (used >= bytes) return out;                                                         \
    } while (0)
    if (key->type & RPS_IS_QUANTITY) SAY("%s", rps_units_expected(key->unit, inner, sizeof inner));
    if (key->type & RPS_IS_VECTOR) {
        const char *unit = *key->unit && strcmp(key->unit, "1") != 0 ? key->unit : "numbers";
        SAY("a list of %d %s%s", key->count, unit == key->unit ? "values in " : "", unit);
    }
    if (key->type & RPS_IS_INTEGER) SAY("a whole number from %.0f to %.0f", key->low, key->high);
    if (key->type & RPS_IS_BOOL) SAY("true or false");
    if (key->type & RPS_IS_WORD) {
        bool many = strchr(key->choices, '|') != NULL;
        SAY("%s %s", many ? "one of" : "the word", list_choices(key->choices, words, sizeof words));
    }
    if (key->type & RPS_IS_NAME) SAY("a name");
    if (key->type & RPS_IS_TEXT) SAY("a text");
    if (key->type & RPS_IS_VALUE) SAY("a value");
    if (key->type & RPS_IS_LAW) SAY("the name of a law, or {law: name, parameter: value}, or none");
    if (key->type & RPS_IS_LIST) {
        if (key->count && !(key->type & RPS_IS_VECTOR))
            SAY("a list of %d", key->count);
        else
            SAY(key->type & RPS_IS_VECTOR ? "a list of maps" : "a list");
    }
    if (key->type & RPS_IS_SHAPE) SAY("a shape, such as {sphere: {radius: 1 cm}}");
    if (key->type & (RPS_IS_MAP | RPS_IS_NAMES | RPS_IS_SETTINGS)) SAY("a map of keys");
#undef SAY
    return out;
}

/* --- the walk ------------------------------------------------------------------------------------------------------ */

typedef struct walk {
    rps_pool *pool;
    const rps_law_list *own;
    rps_error *err;
    bool planar;
} walk;

static rps_status check_node(walk *w, rps_node *node, const rps_schema_key *key, const char *label);

/* The part of a path that identifies the key in messages. */
static const char *last_part(const char *path) {
    const char *dot = strrchr(path, '.');
    return dot ? dot + 1 : path;
}

rps_status rps_schema_quantity(rps_node *node, const char *unit, double *value, rps_error *err) {
    if (node->kind != RPS_NODE_SCALAR) {
        char expected[128];
        return rps_place_fail(err, node->place, "a value is missing here\nexpected %s",
                              rps_units_expected(unit, expected, sizeof expected));
    }
    RPS_TRY(rps_place_wrap(err, node->place, rps_units_read(node->text, unit, value, err)));
    if (!node->pure || !*unit || strcmp(unit, "1") == 0) return RPS_OK;
    char expected[128];
    return rps_place_fail(err, node->place, "this formula gives the pure number %s\nexpected %s", node->text,
                          rps_units_expected(unit, expected, sizeof expected));
}

rps_status rps_schema_tolerance(const rps_node *node, const char *unit, double *value, bool *percent, rps_error *err) {
    RPS_TRY(rps_place_wrap(err, node->place, rps_units_read_tolerance(node->text, unit, value, percent, err)));
    if (!node->pure || !*unit || strcmp(unit, "1") == 0) return RPS_OK;
    return rps_place_fail(err, node->place,
                          "this formula gives the pure number %s\nwrite a tolerance in %% without a formula",
                          node->text);
}

static rps_status check_range(walk *w, const rps_node *node, const rps_schema_key *key, double value) {
    const char *name = last_part(key->path), *unit = key->unit ? key->unit : "";
    if (key->range == RPS_POSITIVE && !(value > 0.0)) {
        return rps_place_fail(w->err, node->place, "`%s` must be above 0, not %s", name, node->text);
    }
    if (key->range == RPS_NOT_NEGATIVE && !(value >= 0.0)) {
        return rps_place_fail(w->err, node->place, "`%s` must not be negative", name);
    }
    if (key->range == RPS_WITHIN && !(value >= key->low && value <= key->high)) {
        const bool pure = !*unit || strcmp(unit, "1") == 0;
        return rps_place_fail(w->err, node->place, "`%s` must lie from %.15g to %.15g%s%s, not %s", name, key->low,
                              key->high, pure ? "" : " ", pure ? "" : unit, node->text);
    }
    return RPS_OK;
}

/* --- planar scenes: [x, z] is [x, 0, z], and w about y is [0, w, 0] ------------------------------------------------ */

static bool is_space_vector(const walk *w, const rps_schema_key *key) {
    return w->planar && (key->type & RPS_IS_VECTOR) && key->count == 3 && strcmp(key->unit, "kg m^2") != 0;
}

/* The type of the joint decides whether its axis lies in the plane or across it; build_joints.c checks that. */
static bool is_joint_axis(const rps_schema_key *key) {
    return strcmp(key->path, "joints[].axis") == 0;
}

static bool turns(const rps_schema_key *key) {
    return strcmp(key->unit, "rad/s") == 0 || (strcmp(last_part(key->path), "axis") == 0 && !is_joint_axis(key));
}

/* Inserts a zero that the user left out, before entry `at` of a list. */
static rps_status put_zero(walk *w, rps_node *node, size_t at) {
    rps_node *zero = rps_node_new(w->pool, RPS_NODE_SCALAR, node->place, w->err);
    if (!zero) return RPS_NO_MEMORY;
    zero->text = "0";
    zero->given = false;
    RPS_TRY(rps_node_add(w->pool, node, NULL, node->place, zero, w->err));
    for (size_t k = node->count - 1; k > at; k--) {
        rps_entry last = node->entry[k];
        node->entry[k] = node->entry[k - 1];
        node->entry[k - 1] = last;
    }
    return RPS_OK;
}

static rps_status complete_planar(walk *w, rps_node *node, const rps_schema_key *key) {
    if (node->kind == RPS_NODE_SCALAR) {
        rps_node *value = rps_node_new(w->pool, RPS_NODE_SCALAR, node->place, w->err);
        if (!value) return RPS_NO_MEMORY;
        value->text = node->text;
        value->quoted = node->quoted;
        value->pure = node->pure;
        node->kind = RPS_NODE_LIST;
        node->text = NULL;
        RPS_TRY(rps_node_add(w->pool, node, NULL, node->place, value, w->err));
        RPS_TRY(put_zero(w, node, 0));
        return put_zero(w, node, 2);
    }
    return node->kind == RPS_NODE_LIST && node->count == 2 && !turns(key) ? put_zero(w, node, 1) : RPS_OK;
}

static rps_status check_planar(walk *w, const rps_node *node, const char *name, bool turning) {
    for (int k = 0; k < 3; k++) {
        const bool must_be_zero = (k == 1) != turning;
        if (!must_be_zero || node->number[k] == 0.0) continue;
        return rps_place_fail(
            w->err, node->entry[k].value->place,
            "`%s` has a part along %c, but the scene is planar: it moves in x-z and turns about y\n%s", name, "xyz"[k],
            turning ? "turn about y" : "give [x, z]");
    }
    return RPS_OK;
}

/* Normal and point of a plane. */
static rps_status check_shape(walk *w, rps_node *node, const rps_schema_key *key) {
    static const char *const vector[2] = {"normal", "point"};
    const rps_node *plane = w->planar ? rps_node_get(node, "plane") : NULL;
    for (int k = 0; k < 2; k++) {
        rps_node *v = rps_node_get(plane, vector[k]);
        if (v && v->kind == RPS_NODE_LIST && v->count == 2) RPS_TRY(put_zero(w, v, 1));
    }
    RPS_TRY(rps_schema_check_shape(node, key, w->err));
    for (int k = 0; k < 2; k++) {
        const rps_node *v = rps_node_get(plane, vector[k]);
        if (v) RPS_TRY(check_planar(w, v, vector[k], false));
    }
    return RPS_OK;
}

static rps_status schema_check_vector(walk *w, rps_node *node, const rps_schema_key *key) {
    char expected[256];
    const bool planar = is_space_vector(w, key);
    if (planar) RPS_TRY(complete_planar(w, node, key));
    if (node->count != (size_t)key->count) {
        return rps_place_fail(w->err, node->place, "`%s` has %zu values\nexpected %s", last_part(key->path),
                              node->count, rps_schema_expected(key, expected, sizeof expected));
    }
    for (int i = 0; i < key->count; i++) {
        rps_node *part = node->entry[i].value;
        RPS_TRY(rps_schema_quantity(part, key->unit, &node->number[i], w->err));
        RPS_TRY(check_range(w, part, key, node->number[i]));
        part->number[0] = node->number[i];
    }
    return planar && !is_joint_axis(key) ? check_planar(w, node, last_part(key->path), turns(key)) : RPS_OK;
}

static bool is_name(const char *text) {
    if (!((*text >= 'a' && *text <= 'z') || (*text >= 'A' && *text <= 'Z') || *text == '_')) return false;
    for (const char *c = text; *c; c++) {
        bool fine = (*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') || (*c >= '0' && *c <= '9') ||
                    (unsigned char)*c >= 128 || strchr(" _-+/", *c);
        if (!fine && !(*c == '.' && c > text && c[1])) return false;
    }
    return true;
}

static rps_status check_word(walk *w, rps_node *node, const rps_schema_key *key) {
    const char *names[32];
    char copy[256], hint[512], expected[256];
    size_t n = 0;
    snprintf(copy, sizeof copy, "%s", key->choices);
    for (char *c = copy; c && n < 32;) {
        names[n++] = c;
        c = strchr(c, '|');
        if (c) *c++ = 0;
    }
    const char *near = rps_closest_name(node->text, names, n);
    hint[0] = 0;
    if (near) snprintf(hint, sizeof hint, "\ndid you mean `%s`?", near);
    return rps_place_fail(w->err, node->place, "`%s` cannot be `%.60s`\nexpected %s%s", last_part(key->path),
                          node->text, rps_schema_expected(key, expected, sizeof expected), hint);
}

static rps_status check_scalar(walk *w, rps_node *node, const rps_schema_key *key) {
    char expected[256];
    int types = key->type;
    if (types & RPS_IS_LAW) {
        int role = rps_role_from_name(last_part(key->path));
        return rps_schema_check_law(w->own, node, (rps_role)role, w->err);
    }
    if (types & RPS_IS_WORD) {
        int index = rps_choice(key->choices, node->text);
        if (index >= 0) {
            node->number[0] = index;
            return RPS_OK;
        }
        if (!(types & RPS_IS_QUANTITY) || strchr("0123456789+-.", node->text[0]) == NULL)
            return check_word(w, node, key);
    }
    if (types & RPS_IS_BOOL) {
        int index = node->quoted ? -1 : rps_choice("false|true", node->text);
        if (index < 0) {
            return rps_place_fail(w->err, node->place, "`%s` cannot be `%.60s`\nexpected %s", last_part(key->path),
                                  node->text, rps_schema_expected(key, expected, sizeof expected));
        }
        node->number[0] = index;
        return RPS_OK;
    }
    if (types & RPS_IS_QUANTITY) {
        RPS_TRY(rps_schema_quantity(node, key->unit, &node->number[0], w->err));
        return check_range(w, node, key, node->number[0]);
    }
    if (types & RPS_IS_INTEGER) {
        double value;
        if (rps_parse_double(node->text, &value, NULL) != RPS_OK || value != floor(value)) {
            return rps_place_fail(w->err, node->place, "`%s` cannot be `%.60s`\nexpected %s", last_part(key->path),
                                  node->text, rps_schema_expected(key, expected, sizeof expected));
        }
        node->number[0] = value;
        return check_range(w, node, key, value);
    }
    if (types & (RPS_IS_TEXT | RPS_IS_VALUE)) return RPS_OK;
    if (types & RPS_IS_NAME) {
        if (is_name(node->text)) return RPS_OK;
        return rps_place_fail(
            w->err, node->place,
            "`%.60s` is no name\na name begins with a letter; letters, digits, blanks and _ - + / follow", node->text);
    }
    return rps_place_fail(w->err, node->place, "`%s` cannot be `%.60s`\nexpected %s", last_part(key->path), node->text,
                          rps_schema_expected(key, expected, sizeof expected));
}

static rps_status check_list(walk *w, rps_node *node, const rps_schema_key *key) {
    char path[PATH_TEXT], expected[256];
    const char *name = last_part(key->path);
    const bool maps = (key->type & RPS_IS_LIST) && node->count && node->entry[0].value->kind == RPS_NODE_MAP;
    if ((key->type & RPS_IS_VECTOR) && !maps) return schema_check_vector(w, node, key);
    if (!(key->type & RPS_IS_LIST)) {
        return rps_place_fail(w->err, node->place, "`%s` cannot be a list\nexpected %s", name,
                              rps_schema_expected(key, expected, sizeof expected));
    }
    if (key->count && !maps && node->count != (size_t)key->count) {
        return rps_place_fail(w->err, node->place, "`%s` has %zu items, not %d\n%s", name, node->count, key->count,
                              key->meaning);
    }
    if ((key->flags & RPS_NOT_EMPTY) && node->count == 0) {
        return rps_place_fail(w->err, node->place, "`%s` is empty\n%s", name, key->meaning);
    }
    snprintf(path, sizeof path, "%s[]", key->path);
    const rps_schema_key *item = rps_schema_find(path);
    for (size_t i = 0; item && i < node->count; i++) {
        RPS_TRY(check_node(w, node->entry[i].value, item, name));
    }
    return RPS_OK;
}

/* Keys of other programs for what `include` does. */
static const char *missing_feature(const char *key) {
    static const char *const including[] = {"includes", "import", "imports", "inherit", "extends"};
    for (size_t k = 0; k < sizeof including / sizeof *including; k++) {
        if (strcmp(key, including[k]) == 0) return "\na scene takes keys from other files by `include`";
    }
    return NULL;
}

static rps_status unknown_key(walk *w, const rps_entry *entry, const rps_schema_key *key) {
    const char *names[64];
    char hint[512];
    size_t n = 0;
    for (size_t i = 0; i < KEYS && n < 64; i++) {
        const char *name = rps_schema_child(&table[i], key->path);
        if (name) names[n++] = name;
    }
    const char *missing = missing_feature(entry->key);
    return rps_place_fail(w->err, entry->key_place, "unknown key `%.60s`%s%s%s%s", entry->key,
                          *key->path ? " in `" : "", key->path, *key->path ? "`" : "",
                          missing ? missing : rps_suggest(entry->key, names, n, hint, sizeof hint));
}

/* Checks required keys, and fills in defaults of missing ones. */
static rps_status complete_map(walk *w, rps_node *node, const rps_schema_key *key) {
    for (size_t i = 0; i < KEYS; i++) {
        const char *name = rps_schema_child(&table[i], key->path);
        if (!name || rps_node_find(node, name)) continue;
        if (table[i].flags & RPS_REQUIRED) {
            char expected[256];
            return rps_place_fail(w->err, node->place, "the key `%s` is missing%s%s%s\n%s: %s", name,
                                  *key->path ? " in `" : "", key->path, *key->path ? "`" : "", table[i].meaning,
                                  rps_schema_expected(&table[i], expected, sizeof expected));
        }
        const char *text = table[i].default_value;
        if (!text) continue;
        bool list = strcmp(text, "[]") == 0, map = strcmp(text, "{}") == 0;
        rps_node_kind kind = list ? RPS_NODE_LIST : map ? RPS_NODE_MAP : RPS_NODE_SCALAR;
        rps_node *value = rps_node_new(w->pool, kind, node->place, w->err);
        if (!value) return RPS_NO_MEMORY;
        value->given = false;
        if (kind == RPS_NODE_SCALAR) value->text = text;
        RPS_TRY(check_node(w, value, &table[i], name));
        RPS_TRY(rps_node_add(w->pool, node, name, node->place, value, w->err));
    }
    return RPS_OK;
}

static rps_status schema_check_names(walk *w, rps_node *node, const rps_schema_key *key) {
    char path[PATH_TEXT];
    snprintf(path, sizeof path, "%s.*", key->path);
    const rps_schema_key *item = rps_schema_find(path);
    if ((key->flags & RPS_NOT_EMPTY) && node->count == 0) {
        return rps_place_fail(w->err, node->place, "`%s` is empty\n%s", last_part(key->path), key->meaning);
    }
    for (size_t i = 0; i < node->count; i++) {
        if (!is_name(node->entry[i].key)) {
            return rps_place_fail(w->err, node->entry[i].key_place,
                                  "`%.60s` is no name\na name begins with a letter; letters, digits, blanks and "
                                  "_ - + / follow",
                                  node->entry[i].key);
        }
        rps_node *value = node->entry[i].value;
        if (value->kind == RPS_NODE_NULL && (item->type & RPS_IS_MAP)) value->kind = RPS_NODE_MAP;
        RPS_TRY(check_node(w, value, item, node->entry[i].key));
    }
    return RPS_OK;
}

static rps_status check_map(walk *w, rps_node *node, const rps_schema_key *key) {
    char expected[256], names[256] = "";
    if (key->type & RPS_IS_LAW) return check_scalar(w, node, key);
    if (key->type & RPS_IS_SETTINGS) return RPS_OK;
    if (key->type & RPS_IS_NAMES) return schema_check_names(w, node, key);
    if (!(key->type & RPS_IS_MAP)) {
        return rps_place_fail(w->err, node->place, "`%s` cannot be a map\nexpected %s", last_part(key->path),
                              rps_schema_expected(key, expected, sizeof expected));
    }
    for (size_t i = 0; i < node->count; i++) {
        const rps_schema_key *child = rps_schema_below(key->path, node->entry[i].key);
        if (!child) return unknown_key(w, &node->entry[i], key);
        rps_node *value = node->entry[i].value;
        if (value->kind == RPS_NODE_NULL) {
            return rps_place_fail(w->err, node->entry[i].key_place, "the key `%s` has no value\nexpected %s",
                                  node->entry[i].key, rps_schema_expected(child, expected, sizeof expected));
        }
        RPS_TRY(check_node(w, value, child, node->entry[i].key));
    }
    if ((key->flags & (RPS_ONE_OF | RPS_SOME_OF)) &&
        (node->count == 0 || ((key->flags & RPS_ONE_OF) && node->count > 1))) {
        size_t used = 0;
        for (size_t i = 0; i < KEYS; i++) {
            const char *name = rps_schema_child(&table[i], key->path);
            if (name && used + strlen(name) + 3 < sizeof names) {
                used += (size_t)snprintf(names + used, sizeof names - used, "%s%s", used ? ", " : "", name);
            }
        }
        return rps_place_fail(w->err, node->count ? node->entry[1].key_place : node->place, "`%s` takes %s of: %s",
                              last_part(key->path), key->flags & RPS_ONE_OF ? "exactly one" : "at least one", names);
    }
    return complete_map(w, node, key);
}

static rps_status check_node(walk *w, rps_node *node, const rps_schema_key *key, const char *label) {
    node->schema = key;
    if ((key->type & RPS_IS_SHAPE) && node->kind != RPS_NODE_NULL) {
        return check_shape(w, node, key);
    }
    switch (node->kind) {
    case RPS_NODE_SCALAR:
        if (is_space_vector(w, key) && strcmp(key->unit, "rad/s") == 0) return schema_check_vector(w, node, key);
        return check_scalar(w, node, key);
    case RPS_NODE_LIST:
        return check_list(w, node, key);
    case RPS_NODE_MAP:
        return check_map(w, node, key);
    default: {
        char expected[256];
        return rps_place_fail(w->err, node->place, "a value of `%s` is empty\nexpected %s", label,
                              rps_schema_expected(key, expected, sizeof expected));
    }
    }
}

rps_status rps_schema_check(rps_pool *pool, const rps_law_list *own, rps_node *root, rps_error *err) {
    walk w = {pool, own, err, rps_node_is(rps_node_get(root, "dimension"), "2")};
    if (root->kind != RPS_NODE_MAP) {
        return rps_place_fail(err, root->place,
                              root->kind == RPS_NODE_NULL ? "the scene is empty\na scene begins with `repose: 1`"
                                                          : "a scene is a map of keys\nit begins with `repose: 1`");
    }
    return check_node(&w, root, &table[0], "scene");
}
