/* Functions of formulas, and how a value is described and written. */
#ifndef RPS_LANGUAGE_FORMULA_FUNCTIONS_H
#define RPS_LANGUAGE_FORMULA_FUNCTIONS_H

#include "language/formula.h"

enum { RPS_FUNCTION_ARGUMENTS = 16 };

int rps_function_find(const char *name); /* -1: there is none */
/* "sin, cos, ..." */
const char *rps_function_names(char *out, size_t bytes);
/* The dimension of its value, without the number. */
rps_status rps_function_dimension(int function, const rps_formula_value *argument, int count, rps_formula_value *out,
                                  rps_error *err);
/* Its code, of one number or two; a function of more takes them from the left. The other is NULL. */
void rps_function_of(int function, double (**one)(double), double (**two)(double, double));
/* Calls a function with `count` numbers. */
rps_status rps_function_call(int function, const rps_formula_value *argument, int count, rps_formula_value *out,
                             rps_error *err);

bool rps_formula_same_dimension(const rps_formula_value *a, const rps_formula_value *b);
/* "0.25 m", "the pure number 2", for messages. */
const char *rps_formula_describe(const rps_formula_value *value, char *out, size_t bytes);
/* "a value in m/s", "a pure number". */
const char *rps_formula_dimension(const rps_formula_value *value, char *out, size_t bytes);

#endif
