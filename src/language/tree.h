/*
 * The tree of a scene: the YAML data, with the source location of every word.
 *
 * A node is nothing, a scalar, a list or a map; keys keep their order. The schema check writes values into the nodes
 * (numbers in SI units, the index of a word), so the rest of this layer reads values and never text. Nodes live in
 * the pool of the scene and are never freed one by one.
 */
#ifndef RPS_LANGUAGE_TREE_H
#define RPS_LANGUAGE_TREE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/array.h"
#include "base/text.h"

/* Small allocations that all live as long as the pool. */
typedef struct rps_pool {
    rps_arena arena;
    char *block;
    size_t left;
} rps_pool;

void rps_pool_init(rps_pool *pool, const rps_allocator *allocator);
void rps_pool_release(rps_pool *pool);
/* `bytes` zeroed bytes aligned to 16; NULL, with the error set, if memory runs out. */
void *rps_pool_take(rps_pool *pool, size_t bytes, rps_error *err);
/* A copy of `bytes` bytes with a terminating zero. */
char *rps_pool_copy(rps_pool *pool, const char *text, size_t bytes, rps_error *err);
char *rps_pool_printf(rps_pool *pool, rps_error *err, const char *fmt, ...) RPS_PRINTF(3, 4);

/* A source text with a name for messages: the scene file, or "--set". */
typedef struct rps_source {
    const char *name;
    const char *text;
    size_t bytes;
    const char *folder; /* of an included file, within the folder of the scene; NULL: that folder itself */
} rps_source;

/* Line and column from 1, column in bytes. */
typedef struct rps_place {
    const rps_source *source;
    int line, column;
} rps_place;

typedef enum rps_node_kind { RPS_NODE_NULL, RPS_NODE_SCALAR, RPS_NODE_LIST, RPS_NODE_MAP } rps_node_kind;

typedef struct rps_node rps_node;

typedef struct rps_entry {
    const char *key; /* NULL in a list */
    rps_place key_place;
    rps_node *value;
} rps_entry;

struct rps_node {
    rps_node_kind kind;
    bool quoted;      /* a scalar in quotes: never a null, a boolean or a number */
    bool given;       /* false: a default of the schema */
    bool expanded;    /* its formulas and braces are replaced (expand.h); of a map those of its keys */
    bool used;        /* a parameter that some formula asks for */
    bool pure;        /* the result of a formula with units that has none itself: no quantity but a pure number */
    const char *text; /* of a scalar; NULL otherwise */
    rps_place place;
    rps_entry *entry;
    size_t count, capacity;
    size_t size; /* nodes of this tree, itself included */

    /* its value, written by the schema check */
    const struct rps_schema_key *schema;
    double number[4]; /* SI; a vector: all components; a word or boolean: its index */
};

/* The child of a map; NULL if there is none, or `node` is NULL or not a map. */
rps_node *rps_node_get(const rps_node *node, const char *key);
const rps_entry *rps_node_find(const rps_node *node, const char *key);
/* The text of a scalar child; NULL if there is none. */
const char *rps_node_text(const rps_node *node, const char *key);
/* The number of a child; `default_value` if there is none. */
double rps_node_number(const rps_node *node, const char *key, double default_value);
/* Copies the vector of a child; false if there is none. */
bool rps_node_vector(const rps_node *node, const char *key, double *out, int components);
/* True for a scalar child with that text. */
bool rps_node_is(const rps_node *node, const char *text);

rps_node *rps_node_new(rps_pool *pool, rps_node_kind kind, rps_place place, rps_error *err);
rps_node *rps_node_copy(rps_pool *pool, const rps_node *node, rps_error *err);
/* Appends a child; key NULL in a list. */
rps_status rps_node_add(rps_pool *pool, rps_node *node, const char *key, rps_place key_place, rps_node *value,
                        rps_error *err);

/* Fails at the second of two equal keys of a map. */
rps_status rps_node_check_keys(rps_pool *pool, const rps_node *map, rps_error *err);

/* Finds a list item by one part of a path: its number, its `name`, or "a/b" in `pairs`. */
rps_status rps_node_item(rps_pool *pool, const rps_node *list, const char *part, const char *path, rps_place place,
                         size_t *index, rps_error *err);
/* Replaces or adds the value at a path: keys joined by dots, list items by number (from 0) or by their `name`, items
 * of `pairs` also by their materials "a/b". Missing keys are added; a missing item is an error with near matches. The
 * tree takes over the value without copying it. */
rps_status rps_node_set(rps_pool *pool, rps_node *root, const char *path, rps_place place, rps_node *value,
                        rps_error *err);

/* Fails with "file:line:column: sentence", the line and a caret below it. The message after its first newline goes
 * below the caret. Always returns RPS_BAD_INPUT. */
rps_status rps_place_fail(rps_error *err, rps_place place, const char *fmt, ...) RPS_PRINTF(3, 4);
/* Prefixes an error of a lower layer with the source location and shows the line. Returns `status`. */
rps_status rps_place_wrap(rps_error *err, rps_place place, rps_status status);

/* Static analyzers see one file at a time and would assume that the failure can return success. */
#ifdef __clang_analyzer__
#define rps_place_fail(err, place, ...) (rps_place_fail(err, place, __VA_ARGS__), RPS_BAD_INPUT)
#endif
/* "did you mean `x`?" after a newline, or "known: a, b, c" if nothing is similar; writes at most `bytes`. */
const char *rps_suggest(const char *name, const char *const *names, size_t n, char *out, size_t bytes);

#endif
