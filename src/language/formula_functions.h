/* Functions of formulas, and how a value is described and written. */
#ifndef RPS_LANGUAGE_FORMULA_FUNCTIONS_H
#define RPS_LANGUAGE_FORMULA_FUNCTIONS_H

#include "language/formula.h"

enum { RPS_FUNCTION_ARGUMENTS = 16 };

int rps_function_find(const char *name); /* -1: there is none */
/* "sin, cos, ..." */
const char *rps_function_names(char *out, size_t bytes);
/* Calls a function with `count` numbers. */
rps_status rps_function_call(int function, const rps_formula_value *argument, int count, rps_formula_value *out,
                             rps_error *err);

bool rps_formula_same_dimension(const rps_formula_value *a, const rps_formula_value *b);
/* "0.25 m", "the pure number 2", for messages. */
const char *rps_formula_describe(const rps_formula_value *value, char *out, size_t bytes);

#endif
