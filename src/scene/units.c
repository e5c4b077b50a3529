/* Our own system of units in udunits2. */
#include "scene/units.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <udunits2.h>

#include "base/text.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* udunits2 is not safe for threads */

enum { CACHED = 32, UNIT_TEXT = 64 };

typedef struct cached {
    char from[UNIT_TEXT], to[UNIT_TEXT];
    double factor;
} cached;

struct rps_units {
    const rps_allocator *allocator;
    ut_system *system;
    cached cache[CACHED];
    int cached;
};

/* Names, and what they are in units that stand above them. NULL: a base unit. */
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

/* What a dimension is called, and an example. */
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

static ut_error_message_handler silence(void) {
    pthread_mutex_lock(&lock);
    return ut_set_error_message_handler(ut_ignore);
}

static void restore(ut_error_message_handler handler) {
    ut_set_error_message_handler(handler);
    pthread_mutex_unlock(&lock);
}

static bool map_unit(ut_system *system, ut_unit *unit, size_t i) {
    bool done = unit && ut_map_symbol_to_unit(unit_table[i].symbol, UT_UTF8, unit) == UT_SUCCESS;
    const char *names[2] = {unit_table[i].name, unit_table[i].plural};
    for (int k = 0; done && k < 2; k++) {
        done = !names[k] || ut_map_name_to_unit(names[k], UT_UTF8, unit) == UT_SUCCESS;
    }
    (void)system;
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
        bool done = map_unit(system, unit, i);
        ut_free(unit);
        if (!done) return false;
    }
    return true;
}

rps_status rps_units_create(rps_units **out, const rps_allocator *allocator, rps_error *err) {
    *out = NULL;
    void *memory;
    RPS_TRY(rps_memory_alloc_zeroed(allocator, sizeof(rps_units), &memory, err));
    rps_units *units = memory;
    units->allocator = allocator;
    ut_error_message_handler handler = silence();
    units->system = ut_new_system();
    bool done = units->system && fill_system(units->system);
    restore(handler);
    if (!done) {
        rps_units_free(units);
        return rps_fail(err, RPS_NO_MEMORY, "udunits2 could not make the system of units");
    }
    *out = units;
    return RPS_OK;
}

void rps_units_free(rps_units *units) {
    if (!units) return;
    ut_error_message_handler handler = silence();
    if (units->system) ut_free_system(units->system);
    restore(handler);
    rps_memory_release(units->allocator, units, sizeof *units);
}

/* Only what a unit is made of reaches the parser: udunits2 would also read offsets, logarithms and dates. */
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

/* Factor from one unit to another; 0: not the same dimension; -1: `from` is no unit. Lock held. */
static double factor_of(ut_system *system, const char *from, const char *to) {
    double factor = -1.0;
    ut_unit *a = ut_parse(system, *from ? from : "1", UT_UTF8), *b = ut_parse(system, *to ? to : "1", UT_UTF8);
    if (a && b) {
        factor = 0.0;
        cv_converter *converter = ut_are_convertible(a, b) ? ut_get_converter(a, b) : NULL;
        if (converter) {
            double zero = cv_convert_double(converter, 0.0);
            factor = zero == 0.0 ? cv_convert_double(converter, 1.0) : -1.0;
            cv_free(converter);
        }
    }
    ut_free(a);
    ut_free(b);
    return factor;
}

static double find_factor(rps_units *units, const char *from, const char *to) {
    if (!is_unit_text(from) || !is_unit_text(to)) return -1.0;
    for (int i = 0; i < units->cached; i++) {
        if (strcmp(units->cache[i].from, from) == 0 && strcmp(units->cache[i].to, to) == 0) {
            return units->cache[i].factor;
        }
    }
    ut_error_message_handler handler = silence();
    double factor = factor_of(units->system, from, to);
    restore(handler);
    if (units->cached < CACHED && factor > 0.0) {
        cached *entry = &units->cache[units->cached++];
        snprintf(entry->from, sizeof entry->from, "%s", from);
        snprintf(entry->to, sizeof entry->to, "%s", to);
        entry->factor = factor;
    }
    return factor;
}

bool rps_units_known(rps_units *units, const char *unit) {
    return find_factor(units, unit, unit) > 0.0;
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

/* Splits "22.5 mm" into number and unit; unit "" if it is bare. */
static rps_status split(const char *text, const char *expected, double *number, const char **unit, rps_error *err) {
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

static rps_status unit_error(rps_units *units, const char *text, const char *from, const char *to, const char *expected,
                             rps_error *err) {
    if (!rps_units_known(units, from)) {
        const char *names[sizeof unit_table / sizeof *unit_table];
        size_t n = 0;
        for (size_t i = 0; i < sizeof unit_table / sizeof *unit_table; i++) names[n++] = unit_table[i].symbol;
        const char *near = strlen(from) < UNIT_TEXT ? rps_closest_name(from, names, n) : NULL;
        return rps_fail(err, RPS_BAD_INPUT, "`%.60s`: `%.40s` is no unit%s%s%s\nexpected %s", text, from,
                        near ? "; did you mean `" : "", near ? near : "", near ? "`?" : "", expected);
    }
    bool angle = find_factor(units, from, "rad") > 0.0, number = find_factor(units, from, "1") > 0.0;
    bool wants_angle = strcmp(to, "rad") == 0, wants_number = !*to || strcmp(to, "1") == 0;
    if (angle && wants_number) {
        return rps_fail(err, RPS_BAD_INPUT, "`%.60s` is an angle\nexpected %s", text, expected);
    }
    if (number && wants_angle) {
        return rps_fail(err, RPS_BAD_INPUT, "`%.60s` is a pure number\nexpected %s", text, expected);
    }
    return rps_fail(err, RPS_BAD_INPUT, "`%.60s` has the wrong dimension\nexpected %s", text, expected);
}

rps_status rps_units_read(rps_units *units, const char *text, const char *unit, double *value, rps_error *err) {
    char expected[128];
    rps_units_expected(unit, expected, sizeof expected);
    const char *from;
    double number;
    RPS_TRY(split(text, expected, &number, &from, err));
    if (!*from) {
        *value = number;
        return RPS_OK;
    }
    double factor = find_factor(units, from, unit);
    if (!(factor > 0.0)) return unit_error(units, text, from, unit, expected, err);
    double result = number * factor;
    if (result - result != 0.0)
        return rps_fail(err, RPS_BAD_INPUT, "`%.60s` is too large\nexpected %s", text, expected);
    *value = result;
    return RPS_OK;
}

rps_status rps_units_read_tolerance(rps_units *units, const char *text, const char *unit, double *value, bool *percent,
                                    rps_error *err) {
    char expected[128], both[160];
    snprintf(both, sizeof both, "%s, or a part of the expected value, such as 0.1 %%",
             rps_units_expected(unit, expected, sizeof expected));
    const char *from;
    double number;
    RPS_TRY(split(text, both, &number, &from, err));
    *percent = strcmp(from, "%") == 0 || strcmp(from, "percent") == 0;
    if (*percent) {
        *value = number * 0.01;
        return RPS_OK;
    }
    double factor = *from ? find_factor(units, from, unit) : 1.0;
    if (!(factor > 0.0)) return unit_error(units, text, from, unit, both, err);
    *value = number * factor;
    return RPS_OK;
}
