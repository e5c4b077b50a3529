/* Parses YAML by the events of libfyaml. This file builds the tree, so it controls limits, aliases, merge keys and
 * duplicate keys. An alias is a copy of a finished node and counts against a limit, so there are no cycles and no
 * alias bombs. */
#include "language/yaml.h"

#include <libfyaml.h>
#include <stdlib.h>
#include <string.h>

#include "base/c_locale.h"
#include "base/text.h"

typedef struct anchor {
    const char *name;
    rps_node *node;
    bool open; /* still being read */
    struct anchor *next;
} anchor;

typedef struct frame {
    rps_node *node;
    const char *key; /* read, its value is awaited */
    rps_place key_place;
    anchor *anchor;
} frame;

typedef struct reader {
    rps_pool *pool;
    const rps_source *source;
    int shift; /* columns before the parsed text */
    frame stack[RPS_YAML_DEPTH];
    int depth;
    anchor *anchors;
    rps_node *root;
    size_t nodes, aliased;
    rps_error *err;
} reader;

static void swallow(struct fy_diag *diag, void *user, const char *text, size_t length) {
    (void)diag, (void)user, (void)text, (void)length;
}

static rps_place token_place(const reader *r, struct fy_token *token) {
    const struct fy_mark *mark = token ? fy_token_start_mark(token) : NULL;
    rps_place place = {r->source, 1, 1 + r->shift};
    if (mark) {
        place.line = mark->line + 1;
        place.column = mark->column + 1 + (mark->line == 0 ? r->shift : 0);
    }
    return place;
}

static char *token_text(reader *r, struct fy_token *token, size_t *length) {
    size_t bytes = 0;
    const char *text = token ? fy_token_get_text(token, &bytes) : NULL;
    if (length) *length = text ? bytes : 0;
    return rps_pool_copy(r->pool, text ? text : "", text ? bytes : 0, r->err);
}

/* libfyaml uses the locale to classify letters and blanks. */
static struct fy_event *next_event(struct fy_parser *parser) {
    const rps_c_locale inside = rps_c_locale_enter();
    struct fy_event *event = fy_parser_parse(parser);
    rps_c_locale_leave(inside);
    return event;
}

/* Adds the entries of `from` that `map` lacks. */
static rps_status merge_from(reader *r, rps_node *map, const rps_node *from, rps_place place) {
    if (from->kind != RPS_NODE_MAP) {
        return rps_place_fail(r->err, place, "the merge key << needs a map or a list of maps");
    }
    for (size_t i = 0; i < from->count; i++) {
        if (rps_node_find(map, from->entry[i].key)) continue;
        r->nodes += from->entry[i].value->size;
        rps_node *value = rps_node_copy(r->pool, from->entry[i].value, r->err);
        if (!value) return RPS_NO_MEMORY;
        RPS_TRY(rps_node_add(r->pool, map, from->entry[i].key, from->entry[i].key_place, value, r->err));
    }
    return RPS_OK;
}

static rps_status finish_map(reader *r, rps_node *map) {
    RPS_TRY(rps_node_check_keys(r->pool, map, r->err));
    const rps_entry *found = rps_node_find(map, "<<");
    if (!found) return RPS_OK;
    rps_entry merge = *found;
    size_t at = (size_t)(found - map->entry);
    memmove(map->entry + at, map->entry + at + 1, (map->count - at - 1) * sizeof *map->entry);
    map->count--;
    if (merge.value->kind != RPS_NODE_LIST) return merge_from(r, map, merge.value, merge.key_place);
    for (size_t i = 0; i < merge.value->count; i++) {
        RPS_TRY(merge_from(r, map, merge.value->entry[i].value, merge.key_place));
    }
    return RPS_OK;
}

static rps_status yaml_count_nodes(reader *r, size_t n, rps_place place) {
    r->nodes += n;
    if (r->nodes > RPS_YAML_NODES) {
        return rps_place_fail(r->err, place, "the scene has more than %d values; put particles into a file (`file:`)",
                              RPS_YAML_NODES);
    }
    return RPS_OK;
}

/* Adds a node in its role: root, key, value or list item. */
static rps_status place_node(reader *r, rps_node *node) {
    if (r->depth == 0) {
        r->root = node;
        return RPS_OK;
    }
    frame *top = &r->stack[r->depth - 1];
    if (top->node->kind == RPS_NODE_LIST) {
        return rps_node_add(r->pool, top->node, NULL, node->place, node, r->err);
    }
    if (!top->key) {
        if (node->kind != RPS_NODE_SCALAR) {
            return rps_place_fail(r->err, node->place,
                                  "a key must be a word\na value in braces { } needs `key: value`");
        }
        top->key = node->text;
        top->key_place = node->place;
        return RPS_OK;
    }
    rps_status status = rps_node_add(r->pool, top->node, top->key, top->key_place, node, r->err);
    top->key = NULL;
    return status;
}

static rps_status new_anchor(reader *r, struct fy_token *token, rps_node *node, bool open, anchor **out) {
    *out = NULL;
    if (!token) return RPS_OK;
    anchor *a = rps_pool_take(r->pool, sizeof *a, r->err);
    if (!a) return RPS_NO_MEMORY;
    a->name = token_text(r, token, NULL);
    if (!a->name) return RPS_NO_MEMORY;
    a->node = node;
    a->open = open;
    a->next = r->anchors;
    r->anchors = a;
    *out = a;
    return RPS_OK;
}

static rps_status read_alias(reader *r, struct fy_token *token) {
    rps_place place = token_place(r, token);
    const char *name = token_text(r, token, NULL);
    if (place.column > 1) place.column--; /* the token begins behind the star */
    if (!name) return RPS_NO_MEMORY;
    const anchor *a = r->anchors;
    while (a && strcmp(a->name, name) != 0) a = a->next;
    if (!a) return rps_place_fail(r->err, place, "no anchor &%s stands above this alias", name);
    if (a->open) return rps_place_fail(r->err, place, "the alias *%s stands inside of what it names", name);
    r->aliased += a->node->size;
    if (r->aliased > RPS_YAML_ALIASED) {
        return rps_place_fail(r->err, place, "aliases make more than %d values of this scene", RPS_YAML_ALIASED);
    }
    RPS_TRY(yaml_count_nodes(r, a->node->size, place));
    rps_node *copy = rps_node_copy(r->pool, a->node, r->err);
    return copy ? place_node(r, copy) : RPS_NO_MEMORY;
}

static bool is_null(const char *text) {
    return !*text || strcmp(text, "~") == 0 || strcmp(text, "null") == 0 || strcmp(text, "Null") == 0 ||
           strcmp(text, "NULL") == 0;
}

static rps_status read_scalar(reader *r, const struct fy_event *event) {
    rps_place place = token_place(r, event->scalar.value);
    RPS_TRY(yaml_count_nodes(r, 1, place));
    size_t length;
    char *text = token_text(r, event->scalar.value, &length);
    rps_node *node = rps_node_new(r->pool, RPS_NODE_SCALAR, place, r->err);
    if (!text || !node) return RPS_NO_MEMORY;
    if (strlen(text) != length) return rps_place_fail(r->err, place, "a zero byte has no place in a text");
    node->text = text;
    node->quoted = event->scalar.value && fy_token_scalar_style(event->scalar.value) != FYSS_PLAIN;
    if (!node->quoted && is_null(text)) {
        node->kind = RPS_NODE_NULL;
        node->text = NULL;
    }
    anchor *unused;
    RPS_TRY(new_anchor(r, event->scalar.anchor, node, false, &unused));
    return place_node(r, node);
}

static rps_status open_node(reader *r, rps_node_kind kind, struct fy_token *start, struct fy_token *name) {
    rps_place place = token_place(r, start);
    if (!start && r->depth > 0 && r->stack[r->depth - 1].key) place = r->stack[r->depth - 1].key_place;
    RPS_TRY(yaml_count_nodes(r, 1, place));
    if (r->depth == RPS_YAML_DEPTH) {
        return rps_place_fail(r->err, place, "values are nested deeper than %d levels", RPS_YAML_DEPTH);
    }
    rps_node *node = rps_node_new(r->pool, kind, place, r->err);
    if (!node) return RPS_NO_MEMORY;
    frame top = {node, NULL, place, NULL};
    RPS_TRY(new_anchor(r, name, node, true, &top.anchor));
    r->stack[r->depth++] = top;
    return RPS_OK;
}

static rps_status close_node(reader *r) {
    frame top = r->stack[--r->depth];
    if (top.node->kind == RPS_NODE_MAP) /* NOLINT: the stack holds only maps and lists, with their nodes */
        RPS_TRY(finish_map(r, top.node));
    if (top.anchor) top.anchor->open = false;
    return place_node(r, top.node);
}

static rps_status read_event(reader *r, const struct fy_event *event, int *documents) {
    switch (event->type) {
    case FYET_DOCUMENT_START:
        if ((*documents)++) {
            return rps_place_fail(r->err, token_place(r, event->document_start.document_start),
                                  "a second document starts here; a scene is one document");
        }
        return RPS_OK;
    case FYET_SCALAR:
        return read_scalar(r, event);
    case FYET_ALIAS:
        return read_alias(r, event->alias.anchor);
    case FYET_MAPPING_START:
        return open_node(r, RPS_NODE_MAP, event->mapping_start.mapping_start, event->mapping_start.anchor);
    case FYET_SEQUENCE_START:
        return open_node(r, RPS_NODE_LIST, event->sequence_start.sequence_start, event->sequence_start.anchor);
    case FYET_MAPPING_END:
    case FYET_SEQUENCE_END:
        return close_node(r);
    default:
        return RPS_OK;
    }
}

/* Moves a location after the last line to the end of that line, so that there is a line to show. */
static void end_of_text(rps_place *place) {
    const char *text = place->source->text;
    size_t bytes = place->source->bytes, start = 0;
    int line = 1;
    while (bytes > 0 && strchr(" \t\r\n", text[bytes - 1])) bytes--;
    for (size_t i = 0; i < bytes; i++) {
        if (text[i] != '\n') continue;
        line++;
        start = i + 1;
    }
    if (place->line <= line) return;
    place->line = line;
    place->column = 1;
    for (size_t i = start; i < bytes; i++) place->column += ((unsigned char)text[i] & 0xc0) != 0x80;
}

/* The byte at a location; 0 at the end. */
static char byte_at(const rps_place *place) {
    const char *text = place->source->text, *end = text + place->source->bytes;
    for (int line = 1, column = 1; text < end; text++) {
        if (line == place->line && column == place->column) return *text;
        column = *text == '\n' ? 1 : column + (((unsigned char)*text & 0xc0) != 0x80);
        line += *text == '\n';
    }
    return 0;
}

/* Some releases of libfyaml misspell their most common message. */
static void correct_spelling(char *message) {
    char *word = strstr(message, "indendation");
    if (word) word[strlen("inden")] = 't';
}

/* Reports the error of libfyaml with its source location. */
static rps_status parser_error(reader *r, struct fy_diag *diag) {
    void *iterator = NULL;
    const struct fy_diag_error *found = NULL, *error;
    while (!found && (error = fy_diag_errors_iterate(diag, &iterator))) {
        if (error->type == FYET_ERROR) found = error;
    }
    if (!found || !found->msg) {
        return rps_place_fail(r->err, (rps_place){r->source, 1, 1}, "this is not valid YAML");
    }
    int line = found->line < 0 ? 1 : found->line + 1, column = found->column < 0 ? 1 : found->column + 1;
    if (found->fyt && fy_token_start_mark(found->fyt)) {
        rps_place exact = token_place(r, found->fyt);
        line = exact.line;
        column = exact.column - (line == 1 ? r->shift : 0);
    }
    rps_place place = {r->source, line, column + (line == 1 ? r->shift : 0)};
    end_of_text(&place);
    char message[256];
    snprintf(message, sizeof message, "%.*s", (int)strcspn(found->msg, "\r\n"), found->msg);
    correct_spelling(message);
    const char *hint = strstr(message, "in flow") && byte_at(&place) == '{'
                           ? "\na text with braces needs quotes inside { } and [ ], as in {name: \"ball_{i}\"}"
                           : "";
    return rps_place_fail(r->err, place, "this is not valid YAML: %s%s", message, hint);
}

/* libfyaml can loop forever on bytes that are not UTF-8. */
static rps_status check_bytes(const rps_source *source, rps_error *err) {
    if (source->bytes > RPS_YAML_BYTES) {
        return rps_fail(err, RPS_BAD_INPUT,
                        "%s: the scene has %zu bytes, the most is %d; put particles into a file of their own (`file:`)",
                        source->name, source->bytes, RPS_YAML_BYTES);
    }
    int line = 1, column = 1;
    for (size_t i = 0, n; i < source->bytes; i += n) {
        const char *text = source->text + i;
        unsigned char c = (unsigned char)*text;
        n = rps_character_length(text, source->bytes - i);
        if (n == 0 || (c < 32 && c != '\n' && c != '\r' && c != '\t')) {
            return rps_fail(err, RPS_BAD_INPUT,
                            "%s:%d:%d: byte %#04x has no place in a text; a scene is a YAML text in UTF-8",
                            source->name, line, column, c);
        }
        column = c == '\n' ? 1 : column + 1;
        line += c == '\n';
    }
    return RPS_OK;
}

static rps_status yaml_parse(rps_pool *pool, const rps_source *source, size_t offset, rps_node **root, rps_error *err) {
    *root = NULL;
    RPS_TRY(check_bytes(source, err));
    reader *r = rps_pool_take(pool, sizeof *r, err);
    if (!r) return RPS_NO_MEMORY;
    *r = (reader){.pool = pool, .source = source, .shift = (int)offset, .err = err};

    struct fy_diag_cfg quiet;
    fy_diag_cfg_default(&quiet);
    quiet.fp = NULL;
    quiet.output_fn = swallow;
    quiet.colorize = false;
    struct fy_diag *diag = fy_diag_create(&quiet);
    if (!diag) return rps_fail(err, RPS_NO_MEMORY, "libfyaml could not start");
    fy_diag_set_collect_errors(diag, true);
    struct fy_parse_cfg cfg = {.flags = FYPCF_QUIET | FYPCF_COLLECT_DIAG | FYPCF_DEFAULT_VERSION_1_2 | FYPCF_JSON_NONE |
                                        FYPCF_ALLOW_DUPLICATE_KEYS,
                               .diag = diag};
    struct fy_parser *parser = fy_parser_create(&cfg);
    rps_status status = RPS_OK;
    if (!parser || fy_parser_set_string(parser, source->text + offset, source->bytes - offset) != 0) {
        status = rps_fail(err, RPS_NO_MEMORY, "libfyaml could not start");
    }
    int documents = 0;
    bool ended = false;
    while (status == RPS_OK && !ended) {
        struct fy_event *event = next_event(parser);
        if (!event) {
            status = parser_error(r, diag);
            break;
        }
        ended = event->type == FYET_STREAM_END;
        status = read_event(r, event, &documents);
        fy_parser_event_free(parser, event);
    }
    if (status == RPS_OK && fy_diag_got_error(diag)) status = parser_error(r, diag);
    if (parser) fy_parser_destroy(parser);
    fy_diag_destroy(diag);
    if (status == RPS_OK && !r->root) {
        r->root = rps_node_new(pool, RPS_NODE_NULL, (rps_place){source, 1, 1 + r->shift}, err);
        if (!r->root) status = RPS_NO_MEMORY;
    }
    *root = r->root;
    return status;
}

rps_status rps_yaml_parse(rps_pool *pool, const rps_source *source, rps_node **root, rps_error *err) {
    return yaml_parse(pool, source, 0, root, err);
}

rps_status rps_yaml_parse_value(rps_pool *pool, const rps_source *source, size_t offset, rps_node **root,
                                rps_error *err) {
    return yaml_parse(pool, source, offset, root, err);
}
