/* Units: values, dimensions that must not be mixed, and texts that udunits2 would accept but no user intends. */
#include "scene_common.h"

#include <float.h>
#include <malloc.h>
#include <ctype.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifdef __SANITIZE_ADDRESS__
size_t __sanitizer_get_current_allocated_bytes(void); /* not every gcc comes with the header */
#endif

#include "language/units.h"

static const struct {
    const char *text, *unit;
    double value;
} good[] = {
    {"22.5 mm", "m", 0.0225},
    {"22.5mm", "m", 0.0225},
    {"0.2", "m", 0.2},
    {"-3 cm", "m", -0.03},
    {"+3 km", "m", 3000},
    {"5 um", "m", 5e-6},
    {"5 \302\265m", "m", 5e-6},
    {"1 in", "m", 0.0254},
    {"2 GPa", "Pa", 2e9},
    {"48 GPa", "N/m^2", 48e9},
    {"1 bar", "Pa", 1e5},
    {"1e5 N/m", "N/m", 1e5},
    {"2 kN/mm", "N/m", 2e6},
    {"5 kg", "kg", 5},
    {"3 g", "kg", 3e-3},
    {"4 mg", "kg", 4e-6},
    {"2 t", "kg", 2000},
    {"2500 kg/m^3", "kg/m^3", 2500},
    {"2.5 g/cm^3", "kg/m^3", 2500},
    {"0.08 kg m^2", "kg m^2", 0.08},
    {"0.08 kg*m^2", "kg m^2", 0.08},
    {"1e-4 s", "s", 1e-4},
    {"100 us", "s", 1e-4},
    {"2 min", "s", 120},
    {"1 h", "s", 3600},
    {"9.8 m/s^2", "m/s^2", 9.8},
    {"9.8 m s-2", "m/s^2", 9.8},
    {"9.8 m/s/s", "m/s^2", 9.8},
    {"36 km/h", "m/s", 10},
    {"1 gee", "m/s^2", 9.80665},
    {"35 deg", "rad", 0.6108652381980153},
    {"35\302\260", "rad", 0.6108652381980153},
    {"0.5 rad", "rad", 0.5},
    {"0.5", "rad", 0.5},
    {"5 mrad", "rad", 5e-3},
    {"1 rev", "rad", 6.283185307179586},
    {"60 rev/min", "rad/s", 6.283185307179586},
    {"60 rpm", "rad/s", 6.283185307179586},
    {"90 deg/s", "rad/s", 1.5707963267948966},
    {"0.1 %", "1", 1e-3},
    {"30 %", "", 0.3},
    {"0.3", "", 0.3},
    {"2 Hz", "Hz", 2},
    {"2 1/s", "Hz", 2},
    {"500 1/s", "1/s", 500},
    {"200 N s/m", "N s/m", 200},
    {"2 N m s/rad", "N m s/rad", 2},
    {"1600 N m/rad", "N m/rad", 1600},
    {"10 N m/deg", "N m/rad", 572.957795130823},
    {"0.5 N m", "N m", 0.5},
    {"3 mJ", "J", 3e-3},
    {"3 mJ", "N m", 3e-3},
    {"5 1/m", "1/m", 5},
    {"2 L", "m^3", 2e-3},
    {".5 m", "m", 0.5},
    {"5. m", "m", 5},
    {"1E3 m", "m", 1000},
};

static const struct {
    const char *text, *unit, *part;
} bad[] = {
    {"35 deg", "1", "is an angle"},
    {"35 deg", "", "a pure number, such as 0.3"},
    {"1 rad", "1", "is an angle"},
    {"0.3 %", "rad", "is a pure number"},
    {"0.3 %", "rad", "an angle, such as 35 deg"},
    {"2 Hz", "rad/s", "an angular velocity, such as 60 rev/min"},
    {"2 rad/s", "Hz", "wrong dimension"},
    {"1 N m", "N m/rad", "a stiffness against turning"},
    {"1 N m/rad", "N m", "a torque or an energy"},
    {"5 s", "m", "a length, such as 22.5 mm"},
    {"5 m", "s", "a time, such as 1e-4 s"},
    {"5 kg", "N", "a force"},
    {"2 GPa", "N/m", "a stiffness"},
    {"5 m", "m/s", "a velocity"},
    {"5 metre", "m", "`metre` is not a unit"},
    {"5 mn", "m", "did you mean"},
    {"20 MPA", "Pa", "did you mean `MPa`, or `mPa`?"},
    {"20 mpa", "Pa", "did you mean `mPa`, or `MPa`?"},
    {"20 gpa", "Pa", "did you mean `GPa`?"},
    {"5 KG", "kg", "did you mean `kg`?"},
    {"5 KG/M^3", "kg/m^3", "did you mean `kg/m^3`?"},
    {"5 Newten", "N", "not a unit"},
    {"abc", "m", "is no number"},
    {"", "m", "is no number"},
    {"mm", "m", "is no number"},
    {"1,5 m", "m", "not a unit"},
    {"nan", "1", "is no number"},
    {"inf m", "m", "is no number"},
    {"1e400 m", "m", "overflows"},
    {"1e300 km^9", "m^9", "too large"},
    {"1e-320 us", "s", "too small: it is 0 s"},
    {"-1e-323 nm", "m", "a length, such as 22.5 mm"},
    {"0x10", "1", "not a unit"},
    {"5 2", "1", "not a unit"},
    {"10 2 m", "m", "not a unit"},
    {"3 m @ 2", "m", "not a unit"},
    {"3 m from 2", "m", "not a unit"},
    {"3 lg(re mW)", "W", "not a unit"},
    {"3 m since 2001-01-01", "s", "not a unit"},
    {"5 m/", "m", "not a unit"},
    {"5 (m", "m", "not a unit"},
};

static void values(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        rps_error err;
        double value = NAN;
        if (rps_units_read(good[i].text, good[i].unit, &value, &err) != RPS_OK) fail_msg("%s", err.text);
        /* number, factor and product round once each */
        if (!(fabs(value - good[i].value) <= 4e-16 * fabs(good[i].value))) {
            fail_msg("%s in %s is %.17g, expected %.17g", good[i].text, good[i].unit, value, good[i].value);
        }
    }
}

/* A refused unit is among the suggestions in any case of its letters: none is off by a power of ten. */
static void suggestions_by_case(void **state) {
    (void)state;
    static const char *const prefix[] = {"", "n", "u", "m", "c", "d", "k", "M", "G", "T"};
    static const char *const symbol[] = {"m", "s", "g", "N", "Pa", "J", "W", "Hz", "rad", "bar", "min"};
    int refused = 0;
    for (size_t p = 0; p < sizeof prefix / sizeof *prefix; p++) {
        for (size_t s = 0; s < sizeof symbol / sizeof *symbol; s++) {
            for (int upper = 0; upper < 2; upper++) {
                char unit[16], text[24];
                snprintf(unit, sizeof unit, "%s%s", prefix[p], symbol[s]);
                snprintf(text, sizeof text, "2 %s", unit);
                for (char *c = text; *c; c++) *c = (char)(upper ? toupper(*c) : tolower(*c));
                bool known;
                rps_error err = {0};
                double value;
                assert_int_equal(rps_units_known(text + 2, &known, &err), RPS_OK);
                if (known) continue; /* a unit of its own: nothing is suggested */
                refused++;
                assert_int_equal(rps_units_read(text, "1", &value, &err), RPS_BAD_INPUT);
                char quoted[24];
                snprintf(quoted, sizeof quoted, "`%s`", unit);
                if (!strstr(strstr(err.text, "did you mean") ? strstr(err.text, "did you mean") : "", quoted)) {
                    fail_msg("%s is refused without %s: %s", text, unit, err.text);
                }
            }
        }
    }
    assert_true(refused > 50);
}

static void refusals(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        rps_error err = {0};
        double value = 7.0;
        if (rps_units_read(bad[i].text, bad[i].unit, &value, &err) != RPS_BAD_INPUT) {
            fail_msg("`%s` was read as %g %s", bad[i].text, value, bad[i].unit);
        }
        if (!strstr(err.text, bad[i].part)) fail_msg("expected \"%s\" in\n%s", bad[i].part, err.text);
        assert_true(value == 7.0);
    }
}

static void tolerances(void **state) {
    double value;
    bool percent;
    (void)state;
    assert_int_equal(rps_units_read_tolerance("0.5 %", "N", &value, &percent, NULL), RPS_OK);
    assert_true(percent && fabs(value - 0.005) < 1e-17);
    assert_int_equal(rps_units_read_tolerance("2 mN", "N", &value, &percent, NULL), RPS_OK);
    assert_true(!percent && fabs(value - 0.002) < 1e-17);
    assert_int_equal(rps_units_read_tolerance("2 mm", "N", &value, &percent, NULL), RPS_BAD_INPUT);
}

static bool known(const char *unit) {
    bool is_known = false;
    rps_error err;
    if (rps_units_known(unit, &is_known, &err) != RPS_OK) fail_msg("%s", err.text);
    return is_known;
}

/* Every unit that a law's parameter is declared in must be one that a scene can write. */
static void units_of_laws(void **state) {
    (void)state;
    for (size_t i = 0; rps_law_at(i); i++) {
        const rps_law *law = rps_law_at(i);
        for (int k = 0; k < RPS_LAW_PARAMETERS && law->parameter[k].name; k++) {
            if (!known(law->parameter[k].unit)) {
                fail_msg("%s: %s has the unknown unit %s", law->name, law->parameter[k].name, law->parameter[k].unit);
            }
        }
    }
    for (size_t i = 0; i < rps_quantity_count(); i++) assert_true(known(rps_quantity_at(i)->unit));
}

/* More units than the 32 in the cache, several times: each result is correct. */
static void many_units(void **state) {
    (void)state;
    for (int round = 0; round < 3; round++) {
        for (int power = 1; power <= 60; power++) {
            char text[64], unit[64];
            double value = 0.0;
            rps_error err;
            snprintf(text, sizeof text, "1 kg^%d s", power);
            snprintf(unit, sizeof unit, "g^%d s", power);
            if (rps_units_read(text, unit, &value, &err) != RPS_OK) fail_msg("%s", err.text);
            const double expected = pow(10.0, 3.0 * power);
            /* udunits2 multiplies the factor up, one rounding a power */
            assert_true(fabs(value - expected) <= 2.0 * power * DBL_EPSILON * expected);
        }
    }
}

/* Reads all of `good`, many times. */
static void *read_units(void *context) {
    bool *right = context;
    for (int round = 0; round < 20; round++) {
        for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
            double value;
            *right = *right && rps_units_read(good[i].text, good[i].unit, &value, NULL) == RPS_OK &&
                     fabs(value - good[i].value) <= 4e-16 * fabs(good[i].value);
        }
    }
    return NULL;
}

static void threads(void **state) {
    pthread_t thread[4];
    bool right[4];
    (void)state;
    for (int k = 0; k < 4; k++) {
        right[k] = true;
        assert_int_equal(pthread_create(&thread[k], NULL, read_units, &right[k]), 0);
    }
    for (int k = 0; k < 4; k++) {
        pthread_join(thread[k], NULL);
        assert_true(right[k]);
    }
}

/* --- memory --------------------------------------------------------------------------------------------------------- */

static size_t heap_in_use(void) {
#ifdef __SANITIZE_ADDRESS__
    return __sanitizer_get_current_allocated_bytes();
#else
    return mallinfo2().uordblks;
#endif
}

/* udunits2 never frees its tables of a unit system, so one system per scene would leak. */
static void loading_keeps_no_memory(void **state) {
    static const char text[] =
        "repose: 1\n"
        "gravity: {magnitude: 9.81 m/s^2, tilt: 35 deg}\n"
        "materials: {clay: {young: 1 MPa, poisson: 0.3, density: 2 g/cm^3}}\n"
        "pairs: [{between: [clay, clay], normal: hertz, damping: none, slide: none, roll: none, spin: none}]\n"
        "bodies: [{name: ball, shape: {sphere: {radius: 1 cm}}, material: clay, position: [0, 0, 5 mm]}]\n"
        "run: {step: 0.1 ms, until: 2 s}\n";
    size_t before = 0;
    (void)state;
    void *volatile block = malloc(4096);
    const size_t with_block = heap_in_use();
    free(block);
    if (with_block - heap_in_use() < 4096) skip(); /* valgrind has a heap of its own, and finds leaks itself */
    for (int k = 0; k < 1010; k++) {
        rps_error err;
        if (k == 10) before = heap_in_use();
        rps_scene *scene = scene_load(text, NULL, NULL, &err);
        if (!scene) fail_msg("%s", err.text);
        rps_scene_free(scene);
    }
    const size_t after = heap_in_use();
    /* malloc counts some freed blocks as used, those that it holds for the thread: here up to 7 kB, however many scenes */
    if (after > before + 16000) fail_msg("1000 scenes left %zu bytes on the heap", after - before);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(values),        cmocka_unit_test(suggestions_by_case),
                                       cmocka_unit_test(refusals),      cmocka_unit_test(tolerances),
                                       cmocka_unit_test(units_of_laws), cmocka_unit_test(many_units),
                                       cmocka_unit_test(threads),       cmocka_unit_test(loading_keeps_no_memory)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
