/* Reads formulas by recursive descent: sums of products of signed powers of numbers, names, calls and parentheses. */
#include "language/formula.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/elementary.h"
#include "language/formula_functions.h"
#include "language/program.h"

enum { DEEPEST = 64, WORD = 64, UNIT = 56, MOST_POWER = 1000 * RPS_FORMULA_PARTS };

typedef struct formula {
    rps_pool *pool;
    const char *text, *c; /* c: not yet read */
    const rps_formula_names *names;
    rps_program *program; /* NULL: names have values */
    int depth;
    const char *at; /* of an error */
    rps_error *err;
} formula;

static rps_status sum(formula *f, rps_formula_value *out);

#define FAIL(f, place, ...) ((f)->at = (place), rps_fail((f)->err, RPS_BAD_INPUT, __VA_ARGS__))

static bool begins_word(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || (unsigned char)c >= 128;
}

static bool begins_number(char c) {
    return c >= '0' && c <= '9';
}

static size_t word_length(const char *text) {
    size_t n = 0;
    while (begins_word(text[n]) || (n > 0 && begins_number(text[n]))) n++;
    return n;
}

static void skip_blanks(formula *f) {
    while (*f->c == ' ' || *f->c == '\t' || *f->c == '\n' || *f->c == '\r') f->c++;
}

static bool take_sign(formula *f, char c) {
    skip_blanks(f);
    if (*f->c != c) return false;
    f->c++;
    return true;
}

/* Copies a word of the formula; false if it is too long to be a name or unit. */
static bool copy_word(const char *from, size_t length, char out[WORD]) {
    if (length >= WORD) return false;
    memcpy(out, from, length);
    out[length] = 0;
    return true;
}

bool rps_formula_is_pure(const rps_formula_value *value) {
    if (value->word) return false;
    for (int k = 0; k < RPS_UNIT_BASES; k++) {
        if (value->power[k]) return false;
    }
    return true;
}

/* --- steps of a program --------------------------------------------------------------------------------------------- */

rps_status rps_formula_too_long(rps_error *err) {
    return rps_fail(err, RPS_BAD_INPUT, "the formula has more than %d operations; split what it does",
                    RPS_PROGRAM_STEPS);
}

/* The step of a value; a number becomes one. */
static int step_of(formula *f, const rps_formula_value *value) {
    if (value->step > 0) return value->step - 1;
    return rps_program_add(f->program, (rps_program_step){.does = RPS_DOES_CONSTANT, .constant = value->number});
}

/* Appends an operation on `out`, and on `right` if it has two sides; its result becomes `out`. */
static rps_status append_step(formula *f, rps_program_step step, rps_formula_value *out, const rps_formula_value *right,
                              const char *at) {
    step.left = step_of(f, out);
    step.right = right ? step_of(f, right) : 0;
    const int done = step.left < 0 || step.right < 0 ? -1 : rps_program_add(f->program, step);
    f->at = at;
    if (done < 0) return rps_formula_too_long(f->err);
    out->step = 1 + done;
    return RPS_OK;
}

/* --- numbers with units ------------------------------------------------------------------------------------------- */

static rps_status unit_is_known(const char *text, size_t length, bool *known, rps_error *err) {
    char word[WORD];
    *known = false;
    return copy_word(text, length, word) ? rps_units_known(word, known, err) : RPS_OK;
}

/* The end of one factor of a unit: a word or per cent, with its exponent. */
static const char *end_of_factor(const char *c) {
    c += *c == '%' ? 1 : word_length(c);
    const size_t sign = c[0] == '^' && c[1] == '-';
    if (*c == '^' && begins_number(c[1 + sign])) {
        c += 1 + sign;
        while (begins_number(*c)) c++;
    }
    return c;
}

/* "10 cm/d": d may be the unit or a name of the scene. */
static rps_status is_divided_by_unit(formula *f, const char *c, bool *unit) {
    char word[WORD];
    bool named = false;
    rps_formula_value unused;
    const size_t length = word_length(c);
    RPS_TRY(unit_is_known(c, length, unit, f->err));
    if (!*unit || f->names->units_first || !copy_word(c, length, word)) return RPS_OK;
    RPS_TRY(f->names->find(f->names->context, word, &named, &unused, f->err));
    if (!named) return RPS_OK;
    return FAIL(f, c,
                "`%s` is a unit and a name of this scene\nto divide by the name put blanks around the /, for the unit "
                "write %s^-1 behind a blank",
                word, word);
}

/* The unit behind a number, up to `*end`: factors joined by one / or a blank. */
static rps_status find_unit(formula *f, const char **end) {
    const char *c = f->c;
    while (*c == ' ') c++;
    *end = f->c;
    if (!begins_word(*c) && *c != '%') return RPS_OK;
    for (;;) {
        c = *end = end_of_factor(c);
        if (*c == '/' && begins_word(c[1])) {
            bool unit;
            RPS_TRY(is_divided_by_unit(f, c + 1, &unit));
            if (!unit) return RPS_OK;
            c++;
            continue;
        }
        while (*c == ' ') c++;
        if (!begins_word(*c)) return RPS_OK;
    }
}

static rps_status read_quantity(formula *f, rps_formula_value *out) {
    const char *start = f->c, *end;
    const size_t length = rps_number_length(start);
    char digits[WORD], unit[WORD];
    double number, factor;
    bool known;
    rps_error inner;
    if (!copy_word(start, length, digits)) return FAIL(f, start, "a number of more than %d characters", WORD - 1);
    if (rps_parse_double(digits, &number, &inner) != RPS_OK) return FAIL(f, start, "%s", inner.text);
    f->c += length;
    RPS_TRY(find_unit(f, &end));
    *out = rps_formula_number(number);
    if (end == f->c) return RPS_OK;
    while (*f->c == ' ') f->c++;
    if ((size_t)(end - f->c) > UNIT) return FAIL(f, f->c, "a unit of more than %d characters", UNIT);
    copy_word(f->c, (size_t)(end - f->c), unit);
    RPS_TRY(rps_units_dimension(unit, out->power, &factor, &known, f->err));
    if (!known) {
        return FAIL(f, f->c,
                    "`%s` is not a unit\na number is followed by a unit, an operator or the end; a product needs its "
                    "*, as in 2 * R",
                    unit);
    }
    f->c = end;
    for (int k = 0; k < RPS_UNIT_BASES; k++) out->power[k] *= RPS_FORMULA_PARTS;
    out->number = number * factor;
    out->bare = false;
    if (out->number - out->number != 0.0) return FAIL(f, start, "the number is too large");
    return RPS_OK;
}

/* --- names and calls ---------------------------------------------------------------------------------------------- */

bool rps_formula_may_name(const char *name) {
    for (const char *c = name; *c; c++) {
        if ((unsigned char)*c >= 128) return false;
    }
    return *name && word_length(name) == strlen(name) && strcmp(name, "pi") != 0 && rps_function_find(name) < 0;
}

static rps_status read_call(formula *f, int function, const char *start, rps_formula_value *out) {
    rps_formula_value argument[RPS_FUNCTION_ARGUMENTS];
    int count = 0;
    f->c++; /* the parenthesis */
    if (!take_sign(f, ')')) {
        do {
            if (count == RPS_FUNCTION_ARGUMENTS) {
                return FAIL(f, f->c, "a function takes at most %d values", RPS_FUNCTION_ARGUMENTS);
            }
            skip_blanks(f);
            const char *place = f->c;
            RPS_TRY(sum(f, &argument[count]));
            if (argument[count].word) return FAIL(f, place, "`%.60s` is a word, not a number", argument[count].word);
            count++;
        } while (take_sign(f, ','));
        if (!take_sign(f, ')')) {
            return FAIL(f, f->c,
                        "a parenthesis ) is missing here\ninside [ ] and { } a formula with a comma needs quotes, as "
                        "in [\"= max(a, b)\", 0, 0]");
        }
    }
    bool varies = false;
    for (int k = 0; k < count; k++) varies = varies || argument[k].step > 0;
    f->at = start;
    if (!varies) return rps_function_call(function, argument, count, out, f->err);
    RPS_TRY(rps_function_dimension(function, argument, count, out, f->err));
    rps_program_step step = {.does = RPS_DOES_CALL_ONE};
    rps_function_of(function, &step.one, &step.two);
    if (step.one) return append_step(f, step, out, NULL, start);
    step.does = RPS_DOES_CALL_TWO;
    for (int k = 1; k < count; k++) RPS_TRY(append_step(f, step, out, &argument[k], start));
    return RPS_OK;
}

static rps_status read_name(formula *f, rps_formula_value *out) {
    const char *start = f->c;
    const size_t length = word_length(start);
    char word[WORD];
    bool found = false;
    if (!copy_word(start, length, word)) return FAIL(f, start, "a name of more than %d characters", WORD - 1);
    f->c += length;
    skip_blanks(f);
    const int function = rps_function_find(word);
    if (*f->c == '(') {
        if (function >= 0) return read_call(f, function, start, out);
        char known[256];
        return FAIL(f, start, "there is no function `%s`\nknown: %s", word, rps_function_names(known, sizeof known));
    }
    if (function >= 0) return FAIL(f, start, "the function `%s` needs its values in parentheses", word);
    if (strcmp(word, "pi") == 0) {
        *out = rps_formula_number(3.14159265358979323846);
        return RPS_OK;
    }
    const rps_status status = f->names->find(f->names->context, word, &found, out, f->err);
    if (status != RPS_OK || found) {
        f->at = start;
        return status;
    }
    return FAIL(f, start, "there is no parameter and no variable of a loop named `%s`", word);
}

/* --- operators ---------------------------------------------------------------------------------------------------- */

static rps_status need_number(formula *f, const rps_formula_value *value, const char *at) {
    return value->word ? FAIL(f, at, "`%.60s` is a word, not a number", value->word) : RPS_OK;
}

/* A result must be finite. */
static rps_status need_finite(formula *f, const rps_formula_value *value, const char *at) {
    for (int k = 0; k < RPS_UNIT_BASES; k++) {
        if (value->power[k] > MOST_POWER || value->power[k] < -MOST_POWER) {
            return FAIL(f, at, "the result has a power above %d of a unit", MOST_POWER / RPS_FORMULA_PARTS);
        }
    }
    if (value->step > 0) return RPS_OK;
    return isfinite(value->number) ? RPS_OK : FAIL(f, at, "the result is not a finite number");
}

static rps_status read_operand(formula *f, rps_formula_value *out) {
    skip_blanks(f);
    const char *start = f->c;
    if (begins_number(*start) || (*start == '.' && begins_number(start[1]))) return read_quantity(f, out);
    if (begins_word(*start)) return read_name(f, out);
    if (*start != '(') {
        return *start ? FAIL(f, start, "a value is missing before `%.1s`", start)
                      : FAIL(f, start, "the formula ends where a value is missing");
    }
    f->c++;
    RPS_TRY(sum(f, out));
    if (take_sign(f, ')')) return RPS_OK;
    return FAIL(f, f->c, "a parenthesis ) is missing here");
}

double rps_formula_power(double x, double y) {
    if (y == floor(y) && fabs(y) <= 64.0) {
        double product = 1.0;
        for (int k = 0; k < (int)fabs(y); k++) product *= x;
        return y < 0.0 ? 1.0 / product : product;
    }
    if (x == 0.0) return y > 0.0 ? 0.0 : INFINITY;
    if (x > 0.0) return rps_pow(x, y);
    return y == floor(y) ? rps_pow(-x, y) * (fmod(y, 2.0) == 0.0 ? 1.0 : -1.0) : NAN;
}

static rps_status raise(formula *f, rps_formula_value *base, const rps_formula_value *exponent, const char *at) {
    if (!rps_formula_is_pure(exponent)) return FAIL(f, at, "an exponent must be a pure number");
    if (exponent->step > 0 && !rps_formula_is_pure(base)) {
        return FAIL(f, at, "the exponent of a quantity cannot vary\nmake it a pure number first, as in (r / 1 m)^id");
    }
    for (int k = 0; k < RPS_UNIT_BASES; k++) {
        const double part = exponent->step > 0 ? 0.0 : base->power[k] * exponent->number;
        if (fabs(part) > MOST_POWER || fabs(part - round(part)) > 1e-9) {
            return FAIL(f, at,
                        "this power of a quantity has no unit\nmake it a pure number first, as in (R / 1 m)^0.3");
        }
        base->power[k] = (int)round(part);
    }
    const rps_program_step step = {.does = RPS_DOES_POWER};
    if (base->step > 0 || exponent->step > 0) {
        RPS_TRY(append_step(f, step, base, exponent, at));
    } else {
        base->number = rps_formula_power(base->number, exponent->number);
    }
    base->bare = base->bare && exponent->bare;
    return need_finite(f, base, at);
}

/* A sign binds less than a power: -2^2 is -4. */
static rps_status signed_power(formula *f, rps_formula_value *out) {
    rps_formula_value exponent;
    if (f->depth == DEEPEST) return FAIL(f, f->c, "the formula is nested deeper than %d levels", DEEPEST);
    f->depth++;
    skip_blanks(f);
    const char *start = f->c;
    if (*start == '-' || *start == '+') {
        f->c++;
        RPS_TRY(signed_power(f, out));
        RPS_TRY(need_number(f, out, start + 1));
        const rps_program_step negate = {.does = RPS_DOES_NEGATE};
        if (*start == '-' && out->step > 0) RPS_TRY(append_step(f, negate, out, NULL, start));
        if (*start == '-') out->number = -out->number;
    } else {
        RPS_TRY(read_operand(f, out));
        skip_blanks(f);
        const char *at = f->c;
        if (take_sign(f, '^')) {
            RPS_TRY(need_number(f, out, start));
            RPS_TRY(signed_power(f, &exponent));
            RPS_TRY(need_number(f, &exponent, at + 1));
            RPS_TRY(raise(f, out, &exponent, at));
        }
    }
    f->depth--;
    return RPS_OK;
}

static rps_status product(formula *f, rps_formula_value *out) {
    rps_formula_value right;
    skip_blanks(f);
    const char *start = f->c;
    RPS_TRY(signed_power(f, out));
    for (;;) {
        skip_blanks(f);
        const char *at = f->c;
        if (*at != '*' && *at != '/') return RPS_OK;
        f->c++;
        RPS_TRY(need_number(f, out, start));
        RPS_TRY(signed_power(f, &right));
        RPS_TRY(need_number(f, &right, at + 1));
        if (*at == '/' && right.step == 0 && right.number == 0.0) return FAIL(f, at, "a division by zero");
        for (int k = 0; k < RPS_UNIT_BASES; k++) out->power[k] += *at == '*' ? right.power[k] : -right.power[k];
        const rps_program_step step = {.does = *at == '*' ? RPS_DOES_MULTIPLY : RPS_DOES_DIVIDE};
        if (out->step > 0 || right.step > 0) {
            RPS_TRY(append_step(f, step, out, &right, at));
        } else {
            out->number = *at == '*' ? out->number * right.number : out->number / right.number;
        }
        out->bare = out->bare && right.bare;
        RPS_TRY(need_finite(f, out, at));
    }
}

static rps_status sum(formula *f, rps_formula_value *out) {
    rps_formula_value right;
    skip_blanks(f);
    const char *start = f->c;
    RPS_TRY(product(f, out));
    for (;;) {
        skip_blanks(f);
        const char *at = f->c;
        if (*at != '+' && *at != '-') return RPS_OK;
        f->c++;
        RPS_TRY(need_number(f, out, start));
        RPS_TRY(product(f, &right));
        RPS_TRY(need_number(f, &right, at + 1));
        const rps_formula_value both[2] = {*out, right};
        if (!rps_formula_same_dimension(&both[0], &both[1])) {
            char a[96], b[96];
            return FAIL(f, at, "%s and %s cannot be %s", rps_formula_describe(out, a, sizeof a),
                        rps_formula_describe(&right, b, sizeof b), *at == '+' ? "added" : "subtracted");
        }
        const rps_program_step step = {.does = *at == '+' ? RPS_DOES_ADD : RPS_DOES_SUBTRACT};
        if (out->step > 0 || right.step > 0) {
            RPS_TRY(append_step(f, step, out, &right, at));
        } else {
            out->number = *at == '+' ? out->number + right.number : out->number - right.number;
        }
        out->bare = out->bare && right.bare;
        RPS_TRY(need_finite(f, out, at));
    }
}

rps_status rps_formula_compile(rps_pool *pool, const char *text, const rps_formula_names *names, rps_program *program,
                               rps_formula_value *value, size_t *at, rps_error *err) {
    formula f = {pool, text, text, names, program, 0, text, err};
    rps_status status = sum(&f, value);
    if (status == RPS_OK) {
        skip_blanks(&f);
        if (*f.c == ',') {
            status = FAIL(&f, f.c,
                          "a comma has no place here\nnumbers have a decimal point, and only functions have "
                          "commas between their values");
        } else if (*f.c) {
            status = FAIL(&f, f.c, "`%.1s` has no place here\nan operator + - * / ^ or the end is expected", f.c);
        }
    }
    *at = (size_t)(f.at - text);
    return status;
}

rps_status rps_formula_evaluate(rps_pool *pool, const char *text, const rps_formula_names *names,
                                rps_formula_value *value, size_t *at, rps_error *err) {
    return rps_formula_compile(pool, text, names, NULL, value, at, err);
}
