/* Evaluates parameters in any order, and walks the tree. */
#include "language/expand.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "language/expand_internal.h"
#include "language/schema.h"
#include "language/yaml.h"

enum { DEEPEST_PARAMETER = 100 };

static const char parameters_key[] = "parameters";

/* --- places inside of a scalar ------------------------------------------------------------------------------------ */

static bool is_first_byte(char c) {
    return ((unsigned char)c & 0xc0) != 0x80;
}

/* The place of a byte of a scalar, if its line has the scalar as it is; else the place of the scalar. */
rps_place rps_place_inside(const rps_node *node, size_t byte) {
    rps_place place = node->place;
    if (!place.source) return place;
    const char *at = place.source->text, *end = at + place.source->bytes;
    for (int line = 1; line < place.line && at < end; line++) {
        const char *next = memchr(at, '\n', (size_t)(end - at));
        at = next ? next + 1 : end;
    }
    for (int column = 1; column < place.column && at < end; column++) {
        do at++;
        while (at < end && !is_first_byte(*at));
    }
    int more = 0;
    if ((size_t)(end - at) < byte || strlen(node->text) < byte || memcmp(at, node->text, byte) != 0) return place;
    for (size_t k = 0; k < byte; k++) more += is_first_byte(at[k]);
    place.column += more;
    return place;
}

/* --- names -------------------------------------------------------------------------------------------------------- */

static rps_status read_parameter(rps_expansion *e, size_t index, rps_formula_value *value) {
    const rps_entry *entry = &e->parameters->entry[index];
    rps_parameter *p = &e->parameter[index];
    if (p->state == RPS_PARAMETER_OPEN) {
        return rps_place_fail(e->err, entry->value->place, "the parameter `%.60s` needs its own value", entry->key);
    }
    if (p->state == RPS_PARAMETER_UNREAD) {
        if (entry->value->kind != RPS_NODE_SCALAR) {
            return rps_place_fail(e->err, entry->value->place,
                                  "the parameter `%.60s` needs one value\nexpected a quantity, a formula or a word",
                                  entry->key);
        }
        if (e->depth == DEEPEST_PARAMETER) {
            return rps_place_fail(e->err, entry->value->place, "more than %d parameters need each other's value",
                                  DEEPEST_PARAMETER);
        }
        const rps_variable *scope = e->scope;
        e->scope = NULL;
        p->state = RPS_PARAMETER_OPEN;
        e->depth++;
        RPS_TRY(rps_expand_value(e, entry->value, &p->value));
        e->depth--;
        p->state = RPS_PARAMETER_KNOWN;
        e->scope = scope;
    }
    *value = p->value;
    return RPS_OK;
}

static rps_status find_name(void *context, const char *name, bool *found, rps_formula_value *value, rps_error *err) {
    rps_expansion *e = context;
    (void)err;
    *found = true;
    for (const rps_variable *v = e->scope; v; v = v->outer) {
        if (strcmp(v->name, name) != 0) continue;
        *value = v->value;
        return RPS_OK;
    }
    const rps_entry *entry = rps_node_find(e->parameters, name);
    *found = entry != NULL;
    if (entry) entry->value->used = true;
    return entry ? read_parameter(e, (size_t)(entry - e->parameters->entry), value) : RPS_OK;
}

/* Names that the scene has, for a formula that asks for another. */
static const char *tell_known(const rps_expansion *e, char *out, size_t bytes) {
    size_t used = 0;
    out[0] = 0;
    for (const rps_variable *v = e->scope; v && used < bytes; v = v->outer) {
        used += (size_t)snprintf(out + used, bytes - used, "%s%s", used ? ", " : "\nknown: ", v->name);
    }
    for (size_t k = 0; e->parameters && k < e->parameters->count && k < 16 && used < bytes; k++) {
        used += (size_t)snprintf(out + used, bytes - used, "%s%.40s",
                                 used ? ", " : "\nknown: ", e->parameters->entry[k].key);
    }
    return out;
}

/* --- scalars ------------------------------------------------------------------------------------------------------ */

rps_status rps_expand_formula(rps_expansion *e, const rps_node *node, size_t skip, rps_formula_value *value) {
    const rps_formula_names names = {.find = find_name, .context = e};
    rps_error inner = {.text = ""};
    size_t at = 0;
    const rps_status status = rps_formula_evaluate(e->pool, node->text + skip, &names, value, &at, &inner);
    if (status == RPS_OK) return RPS_OK;
    if (!*inner.text) return status; /* a parameter that it needs has failed, with its own place */
    if (status != RPS_BAD_INPUT) return rps_fail(e->err, status, "%s", inner.text);
    char known[512];
    const bool unknown = strncmp(inner.text, "there is no parameter", 21) == 0;
    return rps_place_fail(e->err, rps_place_inside(node, skip + at), "%s%s", inner.text,
                          unknown ? tell_known(e, known, sizeof known) : "");
}

rps_status rps_expand_value(rps_expansion *e, const rps_node *node, rps_formula_value *value) {
    if (node->text[0] == '=') return rps_expand_formula(e, node, 1, value);
    return rps_place_wrap(e->err, node->place, rps_formula_plain(node->text, value, e->err));
}

/* Replaces a formula by its result. */
static rps_status finish_scalar(rps_expansion *e, rps_node *node) {
    rps_formula_value value;
    RPS_TRY(rps_expand_formula(e, node, 1, &value));
    const char *text;
    RPS_TRY(rps_place_wrap(e->err, node->place, rps_formula_text(e->pool, &value, &text, e->err)));
    node->text = text;
    node->quoted = false;
    node->pure = !value.bare && rps_formula_is_pure(&value);
    return RPS_OK;
}

rps_status rps_expand_text(rps_expansion *e, rps_place place, const char *text, const char **out) {
    rps_text made;
    rps_text_init(&made, e->pool->arena.allocator, RPS_YAML_BYTES);
    rps_status status = RPS_OK;
    for (const char *c = text; *c && status == RPS_OK;) {
        const size_t plain = strcspn(c, "{}");
        status = rps_text_add_bytes(&made, c, plain, e->err);
        c += plain;
        if (!*c || status != RPS_OK) break;
        if (c[1] == *c) { /* {{ and }} are the braces themselves */
            status = rps_text_add_bytes(&made, c, 1, e->err);
            c += 2;
            continue;
        }
        const size_t length = *c == '{' ? strcspn(c, "}") : 0;
        if (length == 0 || !c[length]) {
            status = rps_place_fail(
                e->err, place,
                "the brace %c has no other\n{i} stands for the value of a variable or parameter i; for braces "
                "themselves write {{ and }}",
                *c);
            break;
        }
        rps_node inner = {
            .kind = RPS_NODE_SCALAR, .place = place, .text = rps_pool_copy(e->pool, c + 1, length - 1, e->err)};
        rps_formula_value value;
        const char *word = NULL;
        status = inner.text ? rps_expand_formula(e, &inner, 0, &value) : RPS_NO_MEMORY;
        if (status == RPS_OK) status = rps_place_wrap(e->err, place, rps_formula_text(e->pool, &value, &word, e->err));
        if (status == RPS_OK) status = rps_text_add(&made, word, e->err);
        c += length + 1;
    }
    if (status == RPS_OK && made.length > e->bytes_left) {
        status =
            rps_place_fail(e->err, place, "the loops of the scene make more than %d bytes of text", RPS_YAML_BYTES);
    }
    if (status == RPS_OK) e->bytes_left -= made.length;
    *out = status == RPS_OK ? rps_pool_printf(e->pool, e->err, "%s", rps_text_string(&made)) : NULL;
    rps_text_release(&made);
    return status != RPS_OK || *out ? status : RPS_NO_MEMORY;
}

/* --- the walk ----------------------------------------------------------------------------------------------------- */

/* In loops, and in scenes with parameters, braces in texts and keys hold formulas. */
static bool has_braces(const rps_expansion *e, const char *text) {
    return (e->scope || e->parameters) && text && strpbrk(text, "{}");
}

static rps_status expand_entries(rps_expansion *e, rps_node *node) {
    const bool fresh = !node->expanded;
    bool changed = false;
    for (size_t k = 0; k < node->count && !changed; k++) {
        const rps_entry *entry = &node->entry[k];
        changed = rps_loop_of(entry->value) || (fresh && has_braces(e, entry->key));
    }
    node->expanded = true;
    if (!changed) {
        for (size_t k = 0; k < node->count; k++) RPS_TRY(rps_expand_node(e, node->entry[k].value));
        return RPS_OK;
    }
    rps_node before = *node;
    node->entry = NULL;
    node->count = node->capacity = 0;
    node->size = 1;
    for (size_t k = 0; k < before.count; k++) {
        rps_entry *entry = &before.entry[k];
        if (rps_loop_of(entry->value)) {
            RPS_TRY(rps_loop_run(e, node, entry));
            continue;
        }
        if (fresh && has_braces(e, entry->key)) RPS_TRY(rps_expand_text(e, entry->key_place, entry->key, &entry->key));
        RPS_TRY(rps_expand_node(e, entry->value));
        RPS_TRY(rps_node_add(e->pool, node, entry->key, entry->key_place, entry->value, e->err));
    }
    return node->kind == RPS_NODE_MAP ? rps_node_check_keys(e->pool, node, e->err) : RPS_OK;
}

rps_status rps_expand_node(rps_expansion *e, rps_node *node) {
    if (node->kind == RPS_NODE_LIST || node->kind == RPS_NODE_MAP) return expand_entries(e, node);
    if (node->kind != RPS_NODE_SCALAR || node->expanded) return RPS_OK;
    node->expanded = true;
    if (node->text[0] == '=') return finish_scalar(e, node);
    if (!has_braces(e, node->text)) return RPS_OK;
    return rps_expand_text(e, node->place, node->text, &node->text);
}

/* --- parameters --------------------------------------------------------------------------------------------------- */

static rps_status check_parameter_name(const rps_entry *entry, rps_error *err) {
    if (!rps_formula_may_name(entry->key)) {
        return rps_place_fail(
            err, entry->key_place,
            "`%.60s` cannot be the name of a parameter\na name is a letter or _, then letters, digits "
            "and _, and not pi or a function",
            entry->key);
    }
    if (!rps_schema_below("", entry->key)) return RPS_OK;
    return rps_place_fail(err, entry->key_place,
                          "`%s` is a key of scenes, so that a setting `%s=...` would have two meanings\nchoose another "
                          "name",
                          entry->key, entry->key);
}

static rps_status expand_parameters(rps_expansion *e, rps_node *map) {
    for (size_t k = 0; k < map->count; k++) RPS_TRY(check_parameter_name(&map->entry[k], e->err));
    for (size_t k = 0; k < map->count; k++) {
        rps_node *node = map->entry[k].value;
        rps_formula_value value;
        RPS_TRY(read_parameter(e, k, &value));
        if (node->text[0] == '=') RPS_TRY(finish_scalar(e, node));
    }
    return RPS_OK;
}

rps_status rps_scene_expand(rps_pool *pool, rps_node *root, rps_error *err) {
    if (root->kind != RPS_NODE_MAP) return RPS_OK;
    rps_expansion e = {.pool = pool, .left = RPS_YAML_NODES, .bytes_left = RPS_YAML_BYTES, .err = err};
    rps_node *parameters = rps_node_get(root, parameters_key);
    if (parameters && parameters->kind == RPS_NODE_MAP) {
        e.parameters = parameters;
        e.parameter = rps_pool_take(pool, (parameters->count + 1) * sizeof *e.parameter, err);
        if (!e.parameter) return RPS_NO_MEMORY;
        RPS_TRY(expand_parameters(&e, parameters));
    }
    for (size_t k = 0; k < root->count; k++) {
        const rps_entry *entry = &root->entry[k];
        if (entry->value == parameters || strcmp(entry->key, "variants") == 0) continue;
        if (rps_loop_of(entry->value)) {
            return rps_place_fail(err, entry->key_place,
                                  "`%.60s` itself cannot be repeated; `for` stands in items of lists and in maps of "
                                  "names",
                                  entry->key);
        }
        RPS_TRY(rps_expand_node(&e, entry->value));
    }
    return RPS_OK;
}

bool rps_scene_is_parameter(const char *path) {
    const size_t n = sizeof parameters_key - 1;
    return strncmp(path, parameters_key, n) == 0 && (path[n] == '.' || path[n] == 0);
}

const char *rps_scene_full_path(rps_pool *pool, const rps_node *root, const char *path, rps_error *err) {
    if (strchr(path, '.') || rps_schema_below("", path)) return path;
    return rps_node_find(rps_node_get(root, parameters_key), path)
               ? rps_pool_printf(pool, err, "%s.%s", parameters_key, path)
               : path;
}
