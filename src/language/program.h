/*
 * A formula with variables, read once and evaluated often: forces of a scene, body by body in every step.
 *
 * A program is a list of operations, each on the results of earlier ones. It is made by the reader of formulas
 * (formula.h), so that it has its functions, units and messages, and it computes with the functions of
 * base/elementary.h: the bits are the same on every machine, which the math of a parser library would not promise.
 */
#ifndef RPS_LANGUAGE_PROGRAM_H
#define RPS_LANGUAGE_PROGRAM_H

#include "language/formula.h"

enum { RPS_PROGRAM_STEPS = 128 };

typedef enum rps_operation {
    RPS_DOES_CONSTANT,
    RPS_DOES_VARIABLE,
    RPS_DOES_NEGATE,
    RPS_DOES_ADD,
    RPS_DOES_SUBTRACT,
    RPS_DOES_MULTIPLY,
    RPS_DOES_DIVIDE,
    RPS_DOES_POWER,
    RPS_DOES_CALL_ONE,
    RPS_DOES_CALL_TWO
} rps_operation;

typedef struct rps_program_step {
    rps_operation does;
    int left, right; /* steps before this one; of a variable its number */
    double constant; /* SI */
    double (*one)(double);
    double (*two)(double, double);
} rps_program_step;

typedef struct rps_program {
    int count;
    rps_program_step step[RPS_PROGRAM_STEPS];
} rps_program;

/* A variable: its name, and its unit ("": a pure number). */
typedef struct rps_program_variable {
    const char *name, *unit;
} rps_program_variable;

/* Reads a formula in these variables. Its value must have the dimension of `unit`; a bare constant is SI. Errors as of
 * rps_formula_evaluate. */
rps_status rps_program_read(rps_pool *pool, const char *text, const rps_program_variable *variable, int variables,
                            const char *unit, rps_program *program, size_t *at, rps_error *err);
/* Does the program depend on that variable? */
bool rps_program_uses(const rps_program *program, int variable);
/* Its value, in SI; NAN or infinite where the formula has none. */
double rps_program_value(const rps_program *program, const double *variable);

/* Appends a step, while a formula is read; -1: the program is full. */
int rps_program_add(rps_program *program, rps_program_step step);

#endif
