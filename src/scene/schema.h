/*
 * The schema of a scene: one table of keys, schema_table.inc. It drives checking, defaults, `repose list keys`, the
 * JSON Schema and the reference page; parameters of laws come from the laws' descriptors. After rps_schema_check every
 * node holds its meaning in SI units and every default is in the tree, so that the rest of the floor reads values only.
 *
 * A path joins keys by dots; "[]" stands for the items of a list and "*" for names that the user chooses.
 */
#ifndef RPS_SCENE_SCHEMA_H
#define RPS_SCENE_SCHEMA_H

#include <repose/law.h>

#include "scene/tree.h"
#include "scene/units.h"
#include "shape/shape.h"

/* The kinds of a value; several may be joined (a gravity is a vector or a map). */
typedef enum rps_schema_type {
    RPS_IS_MAP = 1,         /* the keys below its path */
    RPS_IS_NAMES = 2,       /* a map with names as keys */
    RPS_IS_LIST = 4,        /* items below path[]; `count` of them, 0: any number */
    RPS_IS_QUANTITY = 8,    /* a number in `unit` */
    RPS_IS_VECTOR = 16,     /* a list of `count` numbers in `unit` */
    RPS_IS_INTEGER = 32,    /* a whole number within low and high */
    RPS_IS_BOOL = 64,       /* true or false */
    RPS_IS_WORD = 128,      /* one of `choices` ("a|b"); number[0] is its index */
    RPS_IS_NAME = 256,      /* a name of something: a letter first; letters, digits, blanks and _ - + / follow */
    RPS_IS_TEXT = 512,      /* any text on its own */
    RPS_IS_LAW = 1024,      /* a law of the role that is the last part of the path: its name, or a map with `law` */
    RPS_IS_VALUE = 2048,    /* a quantity whose dimension another key decides; read later */
    RPS_IS_SETTINGS = 4096, /* a map of paths and values; read by load.c */
    RPS_IS_SHAPE = 8192     /* a map with the name of a shape and what it takes */
} rps_schema_type;

typedef enum rps_schema_range { RPS_ANY, RPS_POSITIVE, RPS_NOT_NEGATIVE, RPS_WITHIN } rps_schema_range;

enum {
    RPS_REQUIRED = 1,
    RPS_ONE_OF = 2,    /* of a map: exactly one of its keys must be there */
    RPS_SOME_OF = 4,   /* of a map: at least one key */
    RPS_NOT_EMPTY = 8, /* of a list or names: at least one item */
    RPS_BOUNDED = 16   /* of a shape: no plane */
};

typedef struct rps_schema_key {
    const char *path;
    int type;  /* rps_schema_type, joined */
    int count; /* beside a vector a list has any number of items, which are maps */
    const char *unit;
    rps_schema_range range;
    double low, high; /* of RPS_WITHIN, inclusive */
    const char *choices;
    const char *default_value; /* default as text, put into the tree; NULL: none */
    const char *shown;         /* default in words, for the reference; NULL: `otherwise` */
    int flags;
    const char *meaning;
} rps_schema_key;

/* Laws of the program's own, which a scene may name as it names the built-in ones. */
typedef struct rps_law_list {
    const rps_law *const *law;
    size_t count;
} rps_law_list;

size_t rps_schema_count(void);
const rps_schema_key *rps_schema_at(size_t index);
const rps_schema_key *rps_schema_find(const char *path);
/* Is `key` directly below `parent`? Its last part then, else NULL. */
const char *rps_schema_child(const rps_schema_key *key, const char *parent);
/* The key of that name directly below a path; NULL if there is none. */
const rps_schema_key *rps_schema_below(const char *path, const char *name);
/* "a length, such as 22.5 mm", "one of verlet, half-implicit" ... */
const char *rps_schema_expected(const rps_schema_key *key, char *out, size_t bytes);

/* Checks `root` against the whole table and completes it. */
rps_status rps_schema_check(rps_pool *pool, const rps_law_list *own, rps_node *root, rps_error *err);

/* Index of a word in "a|b|c", -1 if it is none. */
int rps_choice(const char *choices, const char *word);

/* Checks a law block (schema_law.c): a name or a map with `law` and parameters. Parameters get their SI values. */
rps_status rps_schema_check_law(const rps_law_list *own, rps_node *node, rps_role role, rps_error *err);
/* The law that a checked node names; NULL for none. */
const rps_law *rps_schema_law(const rps_law_list *own, const rps_node *node, rps_role role);
int rps_role_from_name(const char *name); /* -1: no role */

/* Checks a shape block (schema_shape.c), numbers and how they go together. Parameters get their SI values. */
rps_status rps_schema_check_shape(rps_node *node, const rps_schema_key *key, rps_error *err);
/* The shape of a checked node, and its numbers in the order of its list; NAN where it has a default. */
const rps_shape *rps_schema_shape(const rps_node *node);
void rps_schema_shape_numbers(const rps_node *node, double parameter[RPS_SHAPE_PARAMETERS]);
/* The keys of a shape: its parameters, of a plane its direction and position. */
const rps_shape_parameter *rps_schema_shape_keys(const rps_shape *shape, size_t *count);
int rps_schema_components(const rps_shape_parameter *p);

/* A parsed scalar in its place: fails with place, caret and what was expected. */
rps_status rps_schema_quantity(rps_node *node, const char *unit, double *value, rps_error *err);

#endif
