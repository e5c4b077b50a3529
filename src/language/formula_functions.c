/* The functions of formulas, and the values that they take: sin of an angle or a pure number, sqrt of anything, exp of pure numbers. */
#include "language/formula_functions.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/c_locale.h"
#include "base/elementary.h"
#include "base/text.h"

enum { ANGLE = 3 }; /* the radian among the base units */

/* The values that a function takes, and so the one that it gives. */
typedef enum takes {
    OF_ANGLE, /* an angle or a pure number; gives a pure number */
    TO_ANGLE, /* a pure number; gives an angle */
    PURE,     /* a pure number; gives one */
    ROOT,     /* anything; gives half of its powers */
    ALIKE,    /* values of one dimension; gives the same */
    RATIO     /* two values of one dimension; gives an angle */
} takes;

static double round_to_whole(double x) {
    return round(x);
}
static double absolute(double x) {
    return fabs(x);
}
static double square_root(double x) {
    return sqrt(x);
}
static double down(double x) {
    return floor(x);
}
static double up(double x) {
    return ceil(x);
}
static double arc_cosine(double x) {
    return rps_atan2(sqrt((1.0 - x) * (1.0 + x)), x);
}
static double arc_sine(double x) {
    return rps_atan2(x, sqrt((1.0 - x) * (1.0 + x)));
}
/* NAN if one of them is. */
static double lesser(double x, double y) {
    return x < y || x != x ? x : y;
}
static double greater(double x, double y) {
    return x > y || x != x ? x : y;
}
/* Has the sign of y, so that mod(i - 1, n) counts round. */
static double modulo(double x, double y) {
    const double rest = fmod(x, y);
    return rest != 0.0 && (rest < 0.0) != (y < 0.0) ? rest + y : rest;
}

static const struct {
    const char *name;
    takes kind;
    int least, most; /* values */
    double (*one)(double);
    double (*two)(double, double);
} function_table[] = {
    {"sin", OF_ANGLE, 1, 1, rps_sin, NULL},
    {"cos", OF_ANGLE, 1, 1, rps_cos, NULL},
    {"tan", OF_ANGLE, 1, 1, rps_tan, NULL},
    {"asin", TO_ANGLE, 1, 1, arc_sine, NULL},
    {"acos", TO_ANGLE, 1, 1, arc_cosine, NULL},
    {"atan", TO_ANGLE, 1, 1, rps_atan, NULL},
    {"atan2", RATIO, 2, 2, NULL, rps_atan2},
    {"sqrt", ROOT, 1, 1, square_root, NULL},
    {"abs", ALIKE, 1, 1, absolute, NULL},
    {"min", ALIKE, 1, RPS_FUNCTION_ARGUMENTS, NULL, lesser},
    {"max", ALIKE, 1, RPS_FUNCTION_ARGUMENTS, NULL, greater},
    {"floor", PURE, 1, 1, down, NULL},
    {"ceil", PURE, 1, 1, up, NULL},
    {"round", PURE, 1, 1, round_to_whole, NULL},
    {"mod", ALIKE, 2, 2, NULL, modulo},
    {"exp", PURE, 1, 1, rps_exp, NULL},
    {"log", PURE, 1, 1, rps_log, NULL},
};

enum { FUNCTIONS = sizeof function_table / sizeof *function_table };

int rps_function_find(const char *name) {
    for (int k = 0; k < FUNCTIONS; k++) {
        if (strcmp(function_table[k].name, name) == 0) return k;
    }
    return -1;
}

const char *rps_function_names(char *out, size_t bytes) {
    size_t used = 0;
    out[0] = 0;
    for (int k = 0; k < FUNCTIONS && used < bytes; k++) {
        used += (size_t)snprintf(out + used, bytes - used, "%s%s", k ? ", " : "", function_table[k].name);
    }
    return out;
}

bool rps_formula_same_dimension(const rps_formula_value *a, const rps_formula_value *b) {
    return memcmp(a->power, b->power, sizeof a->power) == 0;
}

/* Dimensions that have a name of their own. */
static const struct {
    const char *text;
    int power[RPS_UNIT_BASES];
} named_table[] = {
    {"N", {1, 1, -2, 0, 0}},   {"Pa", {-1, 1, -2, 0, 0}},    {"J", {2, 1, -2, 0, 0}},   {"W", {2, 1, -3, 0, 0}},
    {"N/m", {0, 1, -2, 0, 0}}, {"kg/m^3", {-3, 1, 0, 0, 0}}, {"m/s", {1, 0, -1, 0, 0}}, {"m/s^2", {1, 0, -2, 0, 0}},
    {"1/s", {0, 0, -1, 0, 0}}, {"rad/s", {0, 0, -1, 1, 0}},
};

/* The unit of a value; "" for a pure number. False if a power is not whole, or the unit too long. */
static bool write_unit(const rps_formula_value *value, char *out, size_t bytes) {
    static const char *const base[RPS_UNIT_BASES] = {"m", "kg", "s", "rad", "K"};
    int whole[RPS_UNIT_BASES];
    size_t used = 0;
    bool fine = true;
    for (int k = 0; k < RPS_UNIT_BASES; k++) {
        whole[k] = value->power[k] / RPS_FORMULA_PARTS;
        fine = fine && value->power[k] % RPS_FORMULA_PARTS == 0;
    }
    for (size_t k = 0; fine && k < sizeof named_table / sizeof *named_table; k++) {
        if (memcmp(named_table[k].power, whole, sizeof whole) != 0) continue;
        snprintf(out, bytes, "%s", named_table[k].text);
        return true;
    }
    out[0] = 0;
    for (int k = 0; k < RPS_UNIT_BASES && used < bytes; k++) {
        if (value->power[k] == 0) continue;
        used += (size_t)snprintf(out + used, bytes - used, "%s%s", used ? " " : "", base[k]);
        if (value->power[k] == RPS_FORMULA_PARTS || used >= bytes) continue;
        const char *form = fine ? "^%.0f" : "^%.4g";
        used += (size_t)rps_snprintf(out + used, bytes - used, form, value->power[k] / (double)RPS_FORMULA_PARTS);
    }
    return fine && used < bytes;
}

const char *rps_formula_dimension(const rps_formula_value *value, char *out, size_t bytes) {
    char unit[64];
    write_unit(value, unit, sizeof unit);
    snprintf(out, bytes, *unit ? "a value in %s" : "a pure number", unit);
    return out;
}

const char *rps_formula_describe(const rps_formula_value *value, char *out, size_t bytes) {
    char unit[64];
    write_unit(value, unit, sizeof unit);
    if (value->step > 0) return rps_formula_dimension(value, out, bytes);
    if (value->word) {
        snprintf(out, bytes, "the word `%.40s`", value->word);
    } else {
        rps_snprintf(out, bytes, "%s%.6g%s%s", *unit ? "" : "the pure number ", value->number, *unit ? " " : "", unit);
    }
    return out;
}

rps_status rps_formula_text(rps_pool *pool, const rps_formula_value *value, const char **text, rps_error *err) {
    char number[RPS_DOUBLE_TEXT], unit[64];
    *text = value->word;
    if (value->word) return RPS_OK;
    if (!write_unit(value, unit, sizeof unit)) {
        return rps_fail(err, RPS_BAD_INPUT, "the result is in %.60s, which is the unit of nothing", unit);
    }
    *text = rps_pool_printf(pool, err, "%s%s%s", rps_double_format(value->number, number), *unit ? " " : "", unit);
    return *text ? RPS_OK : RPS_NO_MEMORY;
}

rps_status rps_formula_plain(const char *text, rps_formula_value *value, rps_error *err) {
    *value = (rps_formula_value){.word = text};
    const char *rest = text + rps_number_length(text);
    char digits[64];
    double factor;
    bool known;
    if (rest == text || (size_t)(rest - text) >= sizeof digits) return RPS_OK;
    memcpy(digits, text, (size_t)(rest - text));
    digits[rest - text] = 0;
    RPS_TRY(rps_parse_double(digits, &value->number, err));
    while (*rest == ' ') rest++;
    value->word = NULL;
    value->bare = !*rest;
    if (value->bare) return RPS_OK;
    RPS_TRY(rps_units_dimension(rest, value->power, &factor, &known, err));
    if (!known) return rps_fail(err, RPS_BAD_INPUT, "`%.60s`: `%.40s` is not a unit", text, rest);
    for (int k = 0; k < RPS_UNIT_BASES; k++) value->power[k] *= RPS_FORMULA_PARTS;
    value->number *= factor;
    if (isfinite(value->number)) return RPS_OK;
    return rps_fail(err, RPS_BAD_INPUT, "`%.60s` is too large", text);
}

/* --- calls -------------------------------------------------------------------------------------------------------- */

static rps_status call_check(int function, const rps_formula_value *argument, int count, rps_error *err) {
    const char *name = function_table[function].name;
    const takes kind = function_table[function].kind;
    char text[96], other[96];
    if (count < function_table[function].least || count > function_table[function].most) {
        return rps_fail(err, RPS_BAD_INPUT, "`%s` takes %s%d value%s, not %d", name,
                        function_table[function].most > 2 ? "at least " : "", function_table[function].least,
                        function_table[function].least > 1 ? "s" : "", count);
    }
    for (int k = 1; k < count; k++) {
        if (rps_formula_same_dimension(&argument[0], &argument[k])) continue;
        return rps_fail(err, RPS_BAD_INPUT, "`%s` cannot compare %s with %s", name,
                        rps_formula_describe(&argument[0], text, sizeof text),
                        rps_formula_describe(&argument[k], other, sizeof other));
    }
    if (kind == ROOT || kind == ALIKE || kind == RATIO || rps_formula_is_pure(&argument[0])) return RPS_OK;
    rps_formula_value angle = {.power[ANGLE] = RPS_FORMULA_PARTS};
    if (kind == OF_ANGLE && rps_formula_same_dimension(&argument[0], &angle)) return RPS_OK;
    return rps_fail(err, RPS_BAD_INPUT, "`%s` takes %s, not %s%s", name,
                    kind == OF_ANGLE ? "an angle or a pure number" : "a pure number",
                    rps_formula_describe(&argument[0], text, sizeof text),
                    kind == PURE ? "\ndivide it by its unit first, as in floor(L / 1 mm)" : "");
}

void rps_function_of(int function, double (**one)(double), double (**two)(double, double)) {
    *one = function_table[function].one;
    *two = function_table[function].two;
}

rps_status rps_function_dimension(int function, const rps_formula_value *argument, int count, rps_formula_value *out,
                                  rps_error *err) {
    RPS_TRY(call_check(function, argument, count, err));
    const takes kind = function_table[function].kind;
    *out = argument[0];
    for (int k = 1; k < count; k++) out->bare = out->bare && argument[k].bare;
    for (int k = 0; k < RPS_UNIT_BASES; k++) {
        if (kind == ROOT && out->power[k] % 2 != 0) {
            return rps_fail(err, RPS_BAD_INPUT, "the root of this quantity has no unit");
        }
        if (kind == ROOT) out->power[k] /= 2;
    }
    if (kind == OF_ANGLE || kind == TO_ANGLE || kind == RATIO) memset(out->power, 0, sizeof out->power);
    if (kind == TO_ANGLE || kind == RATIO) {
        out->power[ANGLE] = RPS_FORMULA_PARTS;
        out->bare = false;
    }
    return RPS_OK;
}

rps_status rps_function_call(int function, const rps_formula_value *argument, int count, rps_formula_value *out,
                             rps_error *err) {
    RPS_TRY(rps_function_dimension(function, argument, count, out, err));
    if (function_table[function].one) out->number = function_table[function].one(argument[0].number);
    for (int k = 1; k < count; k++) out->number = function_table[function].two(out->number, argument[k].number);
    if (isfinite(out->number)) return RPS_OK;
    char text[96];
    return rps_fail(err, RPS_BAD_INPUT, "`%s` of %s is not a finite number", function_table[function].name,
                    rps_formula_describe(&argument[count - 1], text, sizeof text));
}
