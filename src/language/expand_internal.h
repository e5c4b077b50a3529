/* Shared by the parts of the expansion: expand.c walks the tree, loop.c runs its loops. */
#ifndef RPS_LANGUAGE_EXPAND_INTERNAL_H
#define RPS_LANGUAGE_EXPAND_INTERNAL_H

#include "language/expand.h"
#include "language/formula.h"

/* A variable of a loop; `outer`: the one around it. */
typedef struct rps_variable {
    const char *name;
    rps_formula_value value;
    const struct rps_variable *outer;
} rps_variable;

typedef struct rps_parameter {
    enum { RPS_PARAMETER_UNREAD, RPS_PARAMETER_OPEN, RPS_PARAMETER_KNOWN } state;
    rps_formula_value value;
} rps_parameter;

typedef struct rps_expansion {
    rps_pool *pool;
    const rps_node *parameters; /* NULL: none */
    rps_parameter *parameter;   /* of each */
    size_t left;                /* values that loops may still make */
    size_t bytes_left;          /* of texts that they may still make */
    int depth;                  /* parameters that are being read */
    const rps_variable *scope;  /* NULL: outside of loops */
    rps_error *err;
} rps_expansion;

/* A scalar as a formula, from the byte `skip` on; errors point into it. */
rps_status rps_expand_formula(rps_expansion *e, const rps_node *node, size_t skip, rps_formula_value *value);
/* A scalar that may be a formula, a quantity or a word. */
rps_status rps_expand_value(rps_expansion *e, const rps_node *node, rps_formula_value *value);
/* Evaluates all formulas below a node and runs its loops. */
rps_status rps_expand_node(rps_expansion *e, rps_node *node);
/* Replaces {formula} in a text by its value. */
rps_status rps_expand_text(rps_expansion *e, rps_place place, const char *text, const char **out);

/* The `for` of an item; NULL: it has none. */
const rps_node *rps_loop_of(const rps_node *node);
/* Adds what a loop makes to `to`; `key` is NULL in a list. */
rps_status rps_loop_run(rps_expansion *e, rps_node *to, const rps_entry *entry);

#endif
