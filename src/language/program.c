/* Programs of formulas (program.h). */
#include "language/program.h"

#include <stdio.h>
#include <string.h>

#include "language/formula_functions.h"

int rps_program_add(rps_program *program, rps_program_step step) {
    if (program->count == RPS_PROGRAM_STEPS) return -1;
    program->step[program->count] = step;
    return program->count++;
}

bool rps_program_uses(const rps_program *program, int variable) {
    for (int k = 0; k < program->count; k++) {
        if (program->step[k].does == RPS_DOES_VARIABLE && program->step[k].left == variable) return true;
    }
    return false;
}

double rps_program_value(const rps_program *program, const double *variable) {
    double value[RPS_PROGRAM_STEPS];
    for (int k = 0; k < program->count; k++) {
        const rps_program_step *s = &program->step[k];
        switch (s->does) {
        case RPS_DOES_CONSTANT:
            value[k] = s->constant;
            break;
        case RPS_DOES_VARIABLE:
            value[k] = variable[s->left];
            break;
        case RPS_DOES_NEGATE:
            value[k] = -value[s->left];
            break;
        case RPS_DOES_ADD:
            value[k] = value[s->left] + value[s->right];
            break;
        case RPS_DOES_SUBTRACT:
            value[k] = value[s->left] - value[s->right];
            break;
        case RPS_DOES_MULTIPLY:
            value[k] = value[s->left] * value[s->right];
            break;
        case RPS_DOES_DIVIDE:
            value[k] = value[s->left] / value[s->right];
            break;
        case RPS_DOES_POWER:
            value[k] = rps_formula_power(value[s->left], value[s->right]);
            break;
        case RPS_DOES_CALL_ONE:
            value[k] = s->one(value[s->left]);
            break;
        case RPS_DOES_CALL_TWO:
            value[k] = s->two(value[s->left], value[s->right]);
            break;
        }
    }
    return program->count > 0 ? value[program->count - 1] : 0.0;
}

/* --- reading -------------------------------------------------------------------------------------------------------- */

typedef struct variable_list {
    const rps_program_variable *variable;
    int variables;
    rps_program *program;
} variable_list;

static rps_status value_in(const char *unit, rps_formula_value *value, rps_error *err) {
    double factor;
    bool known;
    *value = rps_formula_number(1.0);
    RPS_TRY(rps_units_dimension(unit, value->power, &factor, &known, err));
    for (int k = 0; k < RPS_UNIT_BASES; k++) value->power[k] *= RPS_FORMULA_PARTS;
    value->bare = rps_formula_is_pure(value);
    return RPS_OK;
}

static rps_status find_variable(void *context, const char *name, bool *found, rps_formula_value *value,
                                rps_error *err) {
    const variable_list *list = context;
    for (int k = 0; k < list->variables; k++) {
        if (strcmp(list->variable[k].name, name) != 0) continue;
        *found = true;
        RPS_TRY(value_in(list->variable[k].unit, value, err));
        const int step = rps_program_add(list->program, (rps_program_step){.does = RPS_DOES_VARIABLE, .left = k});
        if (step < 0) return rps_formula_too_long(err);
        value->step = 1 + step;
        return RPS_OK;
    }
    char known[128];
    size_t used = 0;
    *found = false;
    for (int k = 0; k < list->variables && used < sizeof known; k++) {
        used += (size_t)snprintf(known + used, sizeof known - used, "%s%s", k ? ", " : "", list->variable[k].name);
    }
    return rps_fail(err, RPS_BAD_INPUT, "unknown variable `%s`\nthe variables are %s", name, known);
}

static rps_status check_dimension(const rps_formula_value *value, const char *unit, rps_error *err) {
    rps_formula_value wanted;
    char text[96], expected[96];
    if (value->word) return rps_fail(err, RPS_BAD_INPUT, "`%.60s` is a word, not a number", value->word);
    RPS_TRY(value_in(unit, &wanted, err));
    if ((value->bare && !value->step) || rps_formula_same_dimension(value, &wanted)) return RPS_OK;
    return rps_fail(err, RPS_BAD_INPUT, "the formula gives %s\nexpected %s",
                    value->step ? rps_formula_dimension(value, text, sizeof text)
                                : rps_formula_describe(value, text, sizeof text),
                    rps_units_expected(unit, expected, sizeof expected));
}

rps_status rps_program_read(rps_pool *pool, const char *text, const rps_program_variable *variable, int variables,
                            const char *unit, rps_program *program, size_t *at, rps_error *err) {
    variable_list list = {variable, variables, program};
    const rps_formula_names names = {find_variable, &list, true};
    rps_formula_value value;
    *program = (rps_program){.count = 0};
    RPS_TRY(rps_formula_compile(pool, text, &names, program, &value, at, err));
    *at = 0;
    RPS_TRY(check_dimension(&value, unit, err));
    /* the last step is the result */
    if (value.step == program->count && value.step > 0) return RPS_OK;
    const rps_program_step last =
        value.step > 0 ? program->step[value.step - 1] : (rps_program_step){.constant = value.number};
    return rps_program_add(program, last) < 0 ? rps_formula_too_long(err) : RPS_OK;
}
