/*
 * Formulas of a scene: "2 * R + 1 mm", "R * cos(2 * pi * i / n)".
 *
 * Every value carries its dimension, so a length is never added to a time. Numbers are bare until a quantity with a
 * unit takes part: a bare result is SI in whatever unit is asked for, as a bare number of a scene is.
 */
#ifndef RPS_LANGUAGE_FORMULA_H
#define RPS_LANGUAGE_FORMULA_H

#include <stdbool.h>

#include "language/tree.h"
#include "language/units.h"

enum { RPS_FORMULA_PARTS = 12 }; /* of a power: sqrt gives halves of it */

typedef struct rps_formula_value {
    const char *word;          /* a word or name instead of a number; NULL: a number */
    double number;             /* SI */
    int power[RPS_UNIT_BASES]; /* of the base units, in parts */
    bool bare;                 /* no unit took part */
    int step;                  /* of a program (program.h): 1 + the step that computes it; 0: the number above */
} rps_formula_value;

/* Finds the value of a name. *found false: there is no such name. */
typedef struct rps_formula_names {
    rps_status (*find)(void *context, const char *name, bool *found, rps_formula_value *value, rps_error *err);
    void *context;
    bool units_first; /* a name that is a unit too stands for the unit right behind a number: 5 N/m */
} rps_formula_names;

static inline rps_formula_value rps_formula_number(double number) {
    return (rps_formula_value){.number = number, .bare = true};
}

/* The value of a formula. An error is a sentence without a source location; *at is then the byte in `text` that it
 * points at. */
rps_status rps_formula_evaluate(rps_pool *pool, const char *text, const rps_formula_names *names,
                                rps_formula_value *value, size_t *at, rps_error *err);

struct rps_program;
/* The same, where names may stand for variables: then the value is that of a step of the program, which it appends to. */
rps_status rps_formula_compile(rps_pool *pool, const char *text, const rps_formula_names *names,
                               struct rps_program *program, rps_formula_value *value, size_t *at, rps_error *err);
rps_status rps_formula_too_long(rps_error *err); /* for a program: RPS_BAD_INPUT */
/* x^y: whole exponents by products, so that x^2 is x * x to the last bit. */
double rps_formula_power(double x, double y);

/* The value of a plain scalar: a number with or without a unit, else a word. */
rps_status rps_formula_plain(const char *text, rps_formula_value *value, rps_error *err);

/* A value as a scene writes it: "0.25 m", "36", a word. Fails if a power of its dimension is not whole. */
rps_status rps_formula_text(rps_pool *pool, const rps_formula_value *value, const char **text, rps_error *err);

bool rps_formula_is_pure(const rps_formula_value *value); /* a number without a dimension */
/* Is `name` a name that a scene may give: a letter or _, then letters, digits and _; and neither pi nor a function? */
bool rps_formula_may_name(const char *name);

#endif
