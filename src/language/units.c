/* Our own system of units in udunits2. */
#include "language/units.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <udunits2.h>

#include "base/c_locale.h"
#include "base/text.h"

enum { CACHED = 32, UNIT_TEXT = 64 };

typedef struct cached {
    char from[UNIT_TEXT], to[UNIT_TEXT];
    double factor;
} cached;

/* One system per process, because udunits2 keeps global tables for each system and never frees them. It is not
 * thread-safe either, so the lock is held around each of its functions. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static ut_system *the_system; /* NULL until the first use of a unit */
static cached cache[CACHED];  /* of factors */
static size_t cached_ever;

/* Names, and their definitions by units listed above them. NULL: a base unit. */
static const struct {
    const char *symbol, *name, *plural, *definition;
} unit_table[] = {
    {"m", "meter", "meters", NULL},
    {"kg", "kilogram", "kilograms", NULL},
    {"s", "second", "seconds", NULL},
    {"rad", "radian", "radians", NULL},
    {"K", "kelvin", "kelvins", NULL},
    {"g", "gram", "grams", "1e-3 kg"},
    {"N", "newton", "newtons", "kg m/s^2"},
    {"Pa", "pascal", "pascals", "N/m^2"},
    {"J", "joule", "joules", "N m"},
    {"W", "watt", "watts", "J/s"},
    {"Hz", "hertz", NULL, "1/s"},
    {"min", "minute", "minutes", "60 s"},
    {"h", "hour", "hours", "3600 s"},
    {"d", "day", "days", "86400 s"},
    {"t", "tonne", "tonnes", "1000 kg"},
    {"L", "liter", "liters", "1e-3 m^3"},
    {"l", "litre", "litres", "1e-3 m^3"},
    {"bar", NULL, NULL, "1e5 Pa"},
    {"atm", "atmosphere", "atmospheres", "101325 Pa"},
    {"deg", "degree", "degrees", "0.017453292519943295 rad"},
    {"\302\260", NULL, NULL, "0.017453292519943295 rad"},
    {"rev", "revolution", "revolutions", "6.283185307179586 rad"},
    {"turn", NULL, "turns", "6.283185307179586 rad"},
    {"rpm", NULL, NULL, "0.10471975511965977 rad/s"},
    {"%", "percent", NULL, "0.01"},
    {"in", "inch", "inches", "0.0254 m"},
    {"ft", "foot", "feet", "0.3048 m"},
    {"lb", "pound", "pounds", "0.45359237 kg"},
    {"lbf", NULL, NULL, "4.4482216152605 N"},
    {"psi", NULL, NULL, "6894.757293168 Pa"},
    {"dyn", "dyne", "dynes", "1e-5 N"},
    {"erg", NULL, "ergs", "1e-7 J"},
    {"gee", NULL, NULL, "9.80665 m/s^2"},
};

static const struct {
    const char *symbol, *name;
    double factor;
} prefix_table[] = {
    {"n", "nano", 1e-9},  {"u", "micro", 1e-6}, {"\302\265", NULL, 1e-6}, {"\316\274", NULL, 1e-6},
    {"m", "milli", 1e-3}, {"c", "centi", 1e-2}, {"d", "deci", 1e-1},      {"k", "kilo", 1e3},
    {"M", "mega", 1e6},   {"G", "giga", 1e9},   {"T", "tera", 1e12},
};

/* The name of a dimension and an example. */
static const struct {
    const char *unit, *name, *example;
} dimension_table[] = {
    {"", "a pure number", "0.3"},
    {"1", "a pure number", "0.3"},
    {"m", "a length", "22.5 mm"},
    {"m^2", "an area", "3 mm^2"},
    {"m^3", "a volume", "2 L"},
    {"s", "a time", "1e-4 s"},
    {"kg", "a mass", "5 kg"},
    {"kg/m^3", "a density", "2500 kg/m^3"},
    {"kg m^2", "a moment of inertia", "0.08 kg m^2"},
    {"m/s", "a velocity", "0.5 m/s"},
    {"m/s^2", "an acceleration", "9.81 m/s^2"},
    {"rad", "an angle", "35 deg"},
    {"rad/s", "an angular velocity", "60 rev/min"},
    {"Hz", "a frequency", "2 Hz"},
    {"1/s", "a rate", "500 1/s"},
    {"N", "a force", "12 N"},
    {"N m", "a torque or an energy", "0.5 N m"},
    {"J", "an energy", "3 mJ"},
    {"W", "a power", "2 W"},
    {"Pa", "a pressure or a modulus", "2 GPa"},
    {"N/m", "a stiffness", "1e5 N/m"},
    {"N s/m", "a damping coefficient", "200 N s/m"},
    {"N m/rad", "a stiffness against turning", "1600 N m/rad"},
    {"N m s/rad", "a damping coefficient against turning", "2 N m s/rad"},
    {"1/m", "a curvature", "5 1/m"},
};

typedef struct session {
    ut_error_message_handler handler; /* of the program */
    rps_c_locale locale;
} session;

/* Takes the lock, silences udunits2 and makes it read numbers with a decimal point. */
static session units_begin(void) {
    pthread_mutex_lock(&lock);
    return (session){ut_set_error_message_handler(ut_ignore), rps_c_locale_enter()};
}

static void end(session s) {
    rps_c_locale_leave(s.locale);
    ut_set_error_message_handler(s.handler);
    pthread_mutex_unlock(&lock);
}

static bool map_unit(ut_unit *unit, size_t i) {
    bool done = unit && ut_map_symbol_to_unit(unit_table[i].symbol, UT_UTF8, unit) == UT_SUCCESS;
    const char *names[2] = {unit_table[i].name, unit_table[i].plural};
    for (int k = 0; done && k < 2; k++) {
        done = !names[k] || ut_map_name_to_unit(names[k], UT_UTF8, unit) == UT_SUCCESS;
    }
    return done;
}

static bool fill_system(ut_system *system) {
    for (size_t i = 0; i < sizeof prefix_table / sizeof *prefix_table; i++) {
        if (ut_add_symbol_prefix(system, prefix_table[i].symbol, prefix_table[i].factor) != UT_SUCCESS) return false;
        if (prefix_table[i].name &&
            ut_add_name_prefix(system, prefix_table[i].name, prefix_table[i].factor) != UT_SUCCESS) {
            return false;
        }
    }
    for (size_t i = 0; i < sizeof unit_table / sizeof *unit_table; i++) {
        const char *definition = unit_table[i].definition;
        ut_unit *unit = definition ? ut_parse(system, definition, UT_UTF8) : ut_new_base_unit(system);
        bool done = map_unit(unit, i);
        ut_free(unit);
        if (!done) return false;
    }
    return true;
}

/* Creates the system if there is none. After a failure it is freed, and the next call tries again. Lock held. */
static bool have_system(void) {
    if (the_system) return true;
    ut_system *system = ut_new_system();
    if (system && fill_system(system)) {
        the_system = system;
    } else if (system) {
        ut_free_system(system);
    }
    return the_system != NULL;
}

/* Accepts only characters of units, since the parser of udunits2 would also read offsets, logarithms and dates. */
static bool is_unit_text(const char *text) {
    if (strlen(text) >= UNIT_TEXT) return false;
    for (const char *c = text; *c; c++) {
        bool letter = (*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') || (unsigned char)*c >= 128;
        if (!letter && !strchr("0123456789 ^*/.()-%", *c)) return false;
        bool digit = *c >= '0' && *c <= '9', factor = digit && (c == text || strchr(" */(.", c[-1]));
        bool one = *c == '1' && (c[1] == 0 || c[1] == '/') && c == text;
        if (factor && !one && !(c > text + 1 && c[-1] == '*' && c[-2] == '*')) return false; /* "5 2" is no quantity */
    }
    return strncmp(text, "lg", 2) != 0 && strncmp(text, "ln", 2) != 0 && strncmp(text, "lb(", 3) != 0;
}

/* Results of factor_of and find_factor if there is no factor. */
static const double OTHER_DIMENSION = 0.0, NO_UNIT = -1.0;

/* NULL if the text is not a unit, or if memory runs out (*memory becomes false). Lock held. */
static ut_unit *units_parse(const char *text, bool *memory) {
    ut_unit *unit = ut_parse(the_system, *text ? text : "1", UT_UTF8);
    *memory = *memory && (unit || ut_get_status() != UT_OS);
    return unit;
}

/* Factor from one unit to another; *memory becomes false if memory runs out. Lock held. */
static double factor_of(const char *from, const char *to, bool *memory) {
    double factor = NO_UNIT;
    ut_unit *a = units_parse(from, memory), *b = units_parse(to, memory);
    if (a && b) {
        factor = OTHER_DIMENSION;
        cv_converter *converter = ut_are_convertible(a, b) ? ut_get_converter(a, b) : NULL;
        if (converter) {
            double zero = cv_convert_double(converter, 0.0);
            factor = zero == 0.0 ? cv_convert_double(converter, 1.0) : NO_UNIT;
            cv_free(converter);
        }
    }
    ut_free(a);
    ut_free(b);
    return factor;
}

/* The same through a cache, in which the newest entry replaces the oldest. Lock held. */
static double cached_factor(const char *from, const char *to, bool *memory) {
    for (size_t i = 0; i < CACHED && i < cached_ever; i++) {
        if (strcmp(cache[i].from, from) == 0 && strcmp(cache[i].to, to) == 0) return cache[i].factor;
    }
    const double factor = factor_of(from, to, memory);
    if (factor > 0.0) {
        cached *entry = &cache[cached_ever++ % CACHED];
        snprintf(entry->from, sizeof entry->from, "%s", from);
        snprintf(entry->to, sizeof entry->to, "%s", to);
        entry->factor = factor;
    }
    return factor;
}

static rps_status find_factor(const char *from, const char *to, double *factor, rps_error *err) {
    *factor = NO_UNIT;
    if (!is_unit_text(from) || !is_unit_text(to)) return RPS_OK;
    const session s = units_begin();
    bool memory = have_system();
    if (memory) *factor = cached_factor(from, to, &memory);
    end(s);
    return memory ? RPS_OK : rps_fail(err, RPS_NO_MEMORY, "no memory for the units of measurement");
}

rps_status rps_units_known(const char *unit, bool *known, rps_error *err) {
    double factor;
    RPS_TRY(find_factor(unit, unit, &factor, err));
    *known = factor > 0.0;
    return RPS_OK;
}

/* --- dimensions --------------------------------------------------------------------------------------------------- */

static const char *const base[RPS_UNIT_BASES] = {"m", "kg", "s", "rad", "K"};

/* Lock held, as in all of the visitor. */
static ut_status add_power(const ut_unit *unit, int n, int power[RPS_UNIT_BASES]) {
    for (int k = 0; k < RPS_UNIT_BASES; k++) {
        ut_unit *one = ut_get_unit_by_symbol(the_system, base[k]);
        if (!one) return UT_OS;
        if (ut_compare(one, unit) == 0) power[k] += n;
        ut_free(one);
    }
    return UT_SUCCESS;
}

static ut_status see_basic(const ut_unit *unit, void *power) {
    return add_power(unit, 1, power);
}

static ut_status see_product(const ut_unit *unit, int count, const ut_unit *const *part, const int *n, void *power) {
    (void)unit;
    ut_status status = UT_SUCCESS;
    for (int k = 0; k < count && status == UT_SUCCESS; k++) status = add_power(part[k], n[k], power);
    return status;
}

static ut_status see_others(const ut_unit *unit, double scale, const ut_unit *of, double origin, void *power);
static ut_status see_time(const ut_unit *unit, const ut_unit *of, double origin, void *power) {
    (void)unit, (void)of, (void)origin, (void)power;
    return UT_VISIT_ERROR;
}
static ut_status see_logarithm(const ut_unit *unit, double number, const ut_unit *of, void *power) {
    (void)unit, (void)number, (void)of, (void)power;
    return UT_VISIT_ERROR;
}

static const ut_visitor visitor = {see_basic, see_product, see_others, see_time, see_logarithm};

/* A multiple of another unit. */
static ut_status see_others(const ut_unit *unit, double scale, const ut_unit *of, double origin, void *power) {
    (void)unit, (void)scale, (void)origin;
    return ut_accept_visitor(of, &visitor, power);
}

rps_status rps_units_dimension(const char *unit, int power[RPS_UNIT_BASES], double *factor, bool *known,
                               rps_error *err) {
    char text[UNIT_TEXT];
    memset(power, 0, RPS_UNIT_BASES * sizeof *power);
    *factor = 1.0;
    RPS_TRY(rps_units_known(unit, known, err));
    if (!*known) return RPS_OK;
    bool memory = true;
    const session s = units_begin();
    ut_unit *parsed = units_parse(unit, &memory);
    const ut_status seen = parsed ? ut_accept_visitor(parsed, &visitor, power) : UT_PARSE;
    memory = memory && seen != UT_OS;
    ut_free(parsed);
    end(s);
    if (!memory) return rps_fail(err, RPS_NO_MEMORY, "no memory for the units of measurement");
    size_t used = 0;
    text[0] = 0;
    for (int k = 0; k < RPS_UNIT_BASES && used < sizeof text; k++) {
        if (power[k] == 0) continue;
        used += (size_t)snprintf(text + used, sizeof text - used, "%s%s^%d", used ? " " : "", base[k], power[k]);
    }
    *known = seen == UT_SUCCESS && used < sizeof text;
    if (*known) RPS_TRY(find_factor(unit, text, factor, err));
    return RPS_OK;
}

const char *rps_units_expected(const char *unit, char *out, size_t bytes) {
    for (size_t i = 0; i < sizeof dimension_table / sizeof *dimension_table; i++) {
        if (strcmp(dimension_table[i].unit, unit) == 0) {
            snprintf(out, bytes, "%s, such as %s", dimension_table[i].name, dimension_table[i].example);
            return out;
        }
    }
    snprintf(out, bytes, "a value in %s, such as 1.5 %s", unit, unit);
    return out;
}

size_t rps_number_length(const char *text) {
    size_t i = text[0] == '+' || text[0] == '-';
    size_t whole = strspn(text + i, "0123456789"), part = 0;
    i += whole;
    if (text[i] == '.') {
        part = strspn(text + i + 1, "0123456789");
        i += 1 + part;
    }
    if (whole + part == 0) return 0;
    if (text[i] == 'e' || text[i] == 'E') {
        size_t sign = text[i + 1] == '+' || text[i + 1] == '-';
        size_t digits = strspn(text + i + 1 + sign, "0123456789");
        if (digits) i += 1 + sign + digits;
    }
    return i;
}

/* Splits "22.5 mm" into number and unit; unit "" for a bare number. */
static rps_status units_split(const char *text, const char *expected, double *number, const char **unit,
                              rps_error *err) {
    while (*text == ' ') text++;
    size_t length = rps_number_length(text);
    char digits[64];
    if (length == 0 || length >= sizeof digits) {
        return rps_fail(err, RPS_BAD_INPUT, "`%.60s` is no number\nexpected %s", text, expected);
    }
    memcpy(digits, text, length);
    digits[length] = 0;
    rps_error inner;
    if (rps_parse_double(digits, number, &inner) != RPS_OK) {
        return rps_fail(err, RPS_BAD_INPUT, "%s\nexpected %s", inner.text, expected);
    }
    const char *rest = text + length;
    while (*rest == ' ') rest++;
    *unit = rest;
    return RPS_OK;
}

/* --- suggestions -------------------------------------------------------------------------------------------------- */

/* The two most similar spellings that differ from a word only by case; "" if there is none. */
typedef struct variants {
    char text[2][UNIT_TEXT];
    int same[2]; /* letters of the same case */
} variants;

static void add_variant(variants *v, const char *word, const char *prefix, const char *unit) {
    char text[UNIT_TEXT];
    int same = 0;
    if (!unit || snprintf(text, sizeof text, "%s%s", prefix, unit) >= (int)sizeof text) return;
    if (strcasecmp(text, word) != 0 || strcmp(text, v->text[0]) == 0) return;
    for (size_t k = 0; text[k]; k++) same += text[k] == word[k];
    const int at = !*v->text[0] || same > v->same[0] ? 0 : 1;
    if (at == 1 && *v->text[1] && same <= v->same[1]) return;
    if (at == 0) {
        memcpy(v->text[1], v->text[0], UNIT_TEXT);
        v->same[1] = v->same[0];
    }
    memcpy(v->text[at], text, sizeof text);
    v->same[at] = same;
}

static variants variants_of(const char *word) {
    variants v = {0};
    for (size_t i = 0; i < sizeof unit_table / sizeof *unit_table; i++) {
        add_variant(&v, word, "", unit_table[i].symbol);
        add_variant(&v, word, "", unit_table[i].name);
        add_variant(&v, word, "", unit_table[i].plural);
        for (size_t k = 0; k < sizeof prefix_table / sizeof *prefix_table; k++) {
            add_variant(&v, word, prefix_table[k].symbol, unit_table[i].symbol);
        }
    }
    return v;
}

static bool is_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* Writes the unit with each of its words in the right case to `out`; false if no such unit exists. For a unit of one
 * word, `other` is the second most similar one, or "": MPa and mPa are both similar to mpa. */
static bool right_case(const char *from, char out[UNIT_TEXT], char other[UNIT_TEXT]) {
    size_t n = 0;
    other[0] = 0;
    for (const char *c = from; *c;) {
        char word[UNIT_TEXT];
        size_t length = 0;
        while (is_letter(c[length]) && length + 1 < sizeof word) length++;
        if (length == 0) {
            if (n + 1 >= UNIT_TEXT) return false;
            out[n++] = *c++;
            continue;
        }
        memcpy(word, c, length);
        word[length] = 0;
        const variants v = variants_of(word);
        if (!*v.text[0] || n + length >= UNIT_TEXT) return false;
        memcpy(out + n, v.text[0], length);
        if (!from[length] && c == from) memcpy(other, v.text[1], UNIT_TEXT);
        n += length;
        c += length;
    }
    out[n] = 0;
    bool known = false;
    return strcmp(out, from) != 0 && rps_units_known(out, &known, NULL) == RPS_OK && known;
}

/* "; did you mean `MPa`, or `mPa`?", or "". */
static const char *suggestion(const char *from, char *hint, size_t bytes) {
    char best[UNIT_TEXT], other[UNIT_TEXT];
    hint[0] = 0;
    if (strlen(from) >= UNIT_TEXT) return hint;
    if (right_case(from, best, other)) {
        snprintf(hint, bytes, "; did you mean `%s`%s%s%s?", best, *other ? ", or `" : "", other, *other ? "`" : "");
        return hint;
    }
    const char *names[sizeof unit_table / sizeof *unit_table];
    size_t n = 0;
    for (size_t i = 0; i < sizeof unit_table / sizeof *unit_table; i++) names[n++] = unit_table[i].symbol;
    const char *near = rps_closest_name(from, names, n);
    if (near) snprintf(hint, bytes, "; did you mean `%s`?", near);
    return hint;
}

/* The error: why `from`, the unit of `text`, cannot be converted to `to`. */
static rps_status unit_error(const char *text, const char *from, const char *to, const char *expected, rps_error *err) {
    bool known;
    double to_angle, to_number;
    RPS_TRY(rps_units_known(from, &known, err));
    if (!known) {
        char hint[3 * UNIT_TEXT];
        return rps_fail(err, RPS_BAD_INPUT, "`%.60s`: `%.40s` is not a unit%s\nexpected %s", text, from,
                        suggestion(from, hint, sizeof hint), expected);
    }
    RPS_TRY(find_factor(from, "rad", &to_angle, err));
    RPS_TRY(find_factor(from, "1", &to_number, err));
    bool wants_angle = strcmp(to, "rad") == 0, wants_number = !*to || strcmp(to, "1") == 0;
    if (to_angle > 0.0 && wants_number) {
        return rps_fail(err, RPS_BAD_INPUT, "`%.60s` is an angle\nexpected %s", text, expected);
    }
    if (to_number > 0.0 && wants_angle) {
        return rps_fail(err, RPS_BAD_INPUT, "`%.60s` is a pure number\nexpected %s", text, expected);
    }
    return rps_fail(err, RPS_BAD_INPUT, "`%.60s` has the wrong dimension\nexpected %s", text, expected);
}

/* Converts `number` from the unit `from`, as in `text`, to the unit `to`. */
static rps_status convert(const char *text, double number, const char *from, const char *to, const char *expected,
                          double *value, rps_error *err) {
    double factor = 1.0;
    if (*from) RPS_TRY(find_factor(from, to, &factor, err));
    if (!(factor > 0.0)) return unit_error(text, from, to, expected, err);
    const double result = number * factor;
    if (result - result != 0.0) {
        return rps_fail(err, RPS_BAD_INPUT, "`%.60s` is too large\nexpected %s", text, expected);
    }
    if (result == 0.0 && number != 0.0) { /* 0 may mean never, or none */
        return rps_fail(err, RPS_BAD_INPUT, "`%.60s` is too small: it is 0 %s to all digits\nexpected %s", text, to,
                        expected);
    }
    *value = result;
    return RPS_OK;
}

rps_status rps_units_read(const char *text, const char *unit, double *value, rps_error *err) {
    char expected[128];
    const char *from;
    double number;
    rps_units_expected(unit, expected, sizeof expected);
    RPS_TRY(units_split(text, expected, &number, &from, err));
    return convert(text, number, from, unit, expected, value, err);
}

rps_status rps_units_read_tolerance(const char *text, const char *unit, double *value, bool *percent, rps_error *err) {
    char expected[128], both[sizeof expected + 48];
    snprintf(both, sizeof both, "%s, or a part of the expected value, such as 0.1 %%",
             rps_units_expected(unit, expected, sizeof expected));
    const char *from;
    double number;
    RPS_TRY(units_split(text, both, &number, &from, err));
    *percent = strcmp(from, "%") == 0 || strcmp(from, "percent") == 0;
    if (!*percent) return convert(text, number, from, unit, both, value, err);
    *value = number * 0.01;
    return RPS_OK;
}
