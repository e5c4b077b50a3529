/*
 * The schema of a scene: one table of keys, schema_table.inc. It drives checking, defaults, `repose list keys`, the
 * JSON Schema and the reference page; parameters of laws come from the laws' descriptors. After rps_schema_check
 * every node holds its value in SI units and the tree contains all defaults, so the rest of this layer reads only
 * values.
 *
 * A path joins keys by dots; "[]" stands for list items and "*" for user-chosen names.
 */
#ifndef RPS_LANGUAGE_SCHEMA_H
#define RPS_LANGUAGE_SCHEMA_H

#include <repose/law.h>

#include "language/tree.h"
#include "language/units.h"
#include "shape/shape.h"

/* Types of values; they can be combined (gravity is a vector or a map). */
typedef enum rps_schema_type {
    RPS_IS_MAP = 1,         /* the keys below its path */
    RPS_IS_NAMES = 2,       /* a map with names as keys */
    RPS_IS_LIST = 4,        /* a list of items at path[]; `count` items, 0: any number */
    RPS_IS_QUANTITY = 8,    /* a number in `unit` */
    RPS_IS_VECTOR = 16,     /* a list of `count` numbers in `unit` */
    RPS_IS_INTEGER = 32,    /* an integer from low to high */
    RPS_IS_BOOL = 64,       /* true or false */
    RPS_IS_WORD = 128,      /* one of `choices` ("a|b"); number[0] is its index */
    RPS_IS_NAME = 256,      /* a name: a letter, then letters, digits, blanks and _ - + / */
    RPS_IS_TEXT = 512,      /* any text on its own */
    RPS_IS_LAW = 1024,      /* a law of the role that ends the path: its name, or a map with `law` */
    RPS_IS_VALUE = 2048,    /* a quantity with a dimension set by another key; read later */
    RPS_IS_SETTINGS = 4096, /* a map from paths to values; read by load.c */
    RPS_IS_SHAPE = 8192     /* a map from the name of a shape to its parameters */
} rps_schema_type;

typedef enum rps_schema_range { RPS_ANY, RPS_POSITIVE, RPS_NOT_NEGATIVE, RPS_WITHIN } rps_schema_range;

enum {
    RPS_REQUIRED = 1,
    RPS_ONE_OF = 2,    /* map: exactly one of its keys is required */
    RPS_SOME_OF = 4,   /* map: at least one key is required */
    RPS_NOT_EMPTY = 8, /* list or names: at least one item is required */
    RPS_BOUNDED = 16   /* shape: not a plane */
};

typedef struct rps_schema_key {
    const char *path;
    int type;  /* rps_schema_type, joined */
    int count; /* a list that can also be a vector has any number of items, all maps */
    const char *unit;
    rps_schema_range range;
    double low, high; /* of RPS_WITHIN, inclusive */
    const char *choices;
    const char *default_value; /* default as text, added to the tree; NULL: none */
    const char *shown;         /* default in words, for the reference; NULL: `default_value` */
    int flags;
    const char *meaning;
} rps_schema_key;

/* The program's own laws, which a scene can name like built-in ones. */
typedef struct rps_law_list {
    const rps_law *const *law;
    size_t count;
} rps_law_list;

size_t rps_schema_count(void);
const rps_schema_key *rps_schema_at(size_t index);
const rps_schema_key *rps_schema_find(const char *path);
/* The last part of `key` if it is directly below `parent`, else NULL. */
const char *rps_schema_child(const rps_schema_key *key, const char *parent);
/* The key with that name directly below a path; NULL if there is none. */
const rps_schema_key *rps_schema_below(const char *path, const char *name);
/* "a length, such as 22.5 mm", "one of verlet, half-implicit" ... */
const char *rps_schema_expected(const rps_schema_key *key, char *out, size_t bytes);

/* Checks `root` against the whole table and fills in defaults. */
rps_status rps_schema_check(rps_pool *pool, const rps_law_list *own, rps_node *root, rps_error *err);

/* Index of a word in "a|b|c"; -1 if it is not there. */
int rps_choice(const char *choices, const char *word);

/* schema_law.c: checks a law block, a name or a map with `law` and parameters, and converts parameters to SI. */
rps_status rps_schema_check_law(const rps_law_list *own, rps_node *node, rps_role role, rps_error *err);
/* The law named by a checked node; NULL for none. */
const rps_law *rps_schema_law(const rps_law_list *own, const rps_node *node, rps_role role);
int rps_role_from_name(const char *name); /* -1: no role */
/* Checks the value of a parameter, and converts it. */
rps_status rps_schema_check_parameter(rps_node *value, const rps_law_parameter *p, rps_error *err);
/* Does some law of the role have a parameter of that name that is a number? */
bool rps_schema_has_parameter(const rps_law_list *own, rps_role role, const char *name);

/* schema_shape.c: checks a shape block, its parameters and their combination, and converts them to SI. */
rps_status rps_schema_check_shape(rps_node *node, const rps_schema_key *key, rps_error *err);
/* The shape of a checked node, and its parameters in the order of its descriptor; NAN for a default. */
/* Values that are no numbers: a text; one of the words in `unit`, "a|b", of which number[0] is the index. */
enum { RPS_SHAPE_TEXT = 2, RPS_SHAPE_WORD = 4 };
const rps_shape *rps_schema_shape(const rps_node *node);
void rps_schema_shape_numbers(const rps_node *node, double parameter[RPS_SHAPE_PARAMETERS]);
/* The keys of a shape: its parameters; for a plane, direction and position. */
const rps_shape_parameter *rps_schema_shape_keys(const rps_shape *shape, size_t *count);
int rps_schema_components(const rps_shape_parameter *p);

/* Parses a scalar; an error has its source location, a caret and the expected value. */
rps_status rps_schema_quantity(rps_node *node, const char *unit, double *value, rps_error *err);
/* The same for tolerances: of one in %, `percent` is set and the fraction returned. */
rps_status rps_schema_tolerance(const rps_node *node, const char *unit, double *value, bool *percent, rps_error *err);

#endif
