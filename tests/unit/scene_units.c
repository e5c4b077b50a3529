/* Units: values, dimensions that must not be mixed, and what udunits2 would read but nobody means. */
#include "scene_common.h"

#include <math.h>
#include <string.h>

#include "scene/units.h"

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
    {"5 metre", "m", "`metre` is no unit"},
    {"5 mn", "m", "did you mean"},
    {"5 Newten", "N", "no unit"},
    {"abc", "m", "is no number"},
    {"", "m", "is no number"},
    {"mm", "m", "is no number"},
    {"1,5 m", "m", "no unit"},
    {"nan", "1", "is no number"},
    {"inf m", "m", "is no number"},
    {"1e400 m", "m", "overflows"},
    {"1e300 km^9", "m^9", "too large"},
    {"0x10", "1", "no unit"},
    {"5 2", "1", "no unit"},
    {"10 2 m", "m", "no unit"},
    {"3 m @ 2", "m", "no unit"},
    {"3 m from 2", "m", "no unit"},
    {"3 lg(re mW)", "W", "no unit"},
    {"3 m since 2001-01-01", "s", "no unit"},
    {"5 m/", "m", "no unit"},
    {"5 (m", "m", "no unit"},
};

static void values(void **state) {
    rps_units *units;
    (void)state;
    assert_int_equal(rps_units_create(&units, NULL, NULL), RPS_OK);
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        rps_error err;
        double value = NAN;
        if (rps_units_read(units, good[i].text, good[i].unit, &value, &err) != RPS_OK) fail_msg("%s", err.text);
        /* number, factor and product round once each */
        if (!(fabs(value - good[i].value) <= 4e-16 * fabs(good[i].value))) {
            fail_msg("%s in %s is %.17g, expected %.17g", good[i].text, good[i].unit, value, good[i].value);
        }
    }
    rps_units_free(units);
}

static void refusals(void **state) {
    rps_units *units;
    (void)state;
    assert_int_equal(rps_units_create(&units, NULL, NULL), RPS_OK);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        rps_error err = {0};
        double value = 7.0;
        if (rps_units_read(units, bad[i].text, bad[i].unit, &value, &err) != RPS_BAD_INPUT) {
            fail_msg("`%s` was read as %g %s", bad[i].text, value, bad[i].unit);
        }
        if (!strstr(err.text, bad[i].part)) fail_msg("expected \"%s\" in\n%s", bad[i].part, err.text);
        assert_true(value == 7.0);
    }
    rps_units_free(units);
}

static void tolerances(void **state) {
    rps_units *units;
    double value;
    bool percent;
    (void)state;
    assert_int_equal(rps_units_create(&units, NULL, NULL), RPS_OK);
    assert_int_equal(rps_units_read_tolerance(units, "0.5 %", "N", &value, &percent, NULL), RPS_OK);
    assert_true(percent && fabs(value - 0.005) < 1e-17);
    assert_int_equal(rps_units_read_tolerance(units, "2 mN", "N", &value, &percent, NULL), RPS_OK);
    assert_true(!percent && fabs(value - 0.002) < 1e-17);
    assert_int_equal(rps_units_read_tolerance(units, "2 mm", "N", &value, &percent, NULL), RPS_BAD_INPUT);
    rps_units_free(units);
}

/* Every unit that a law's parameter is declared in must be one that a scene can write. */
static void units_of_laws(void **state) {
    rps_units *units;
    (void)state;
    assert_int_equal(rps_units_create(&units, NULL, NULL), RPS_OK);
    for (size_t i = 0; rps_law_at(i); i++) {
        const rps_law *law = rps_law_at(i);
        for (int k = 0; k < RPS_LAW_PARAMETERS && law->parameter[k].name; k++) {
            if (!rps_units_known(units, law->parameter[k].unit)) {
                fail_msg("%s: %s has the unknown unit %s", law->name, law->parameter[k].name, law->parameter[k].unit);
            }
        }
    }
    for (size_t i = 0; i < rps_quantity_count(); i++) assert_true(rps_units_known(units, rps_quantity_at(i)->unit));
    rps_units_free(units);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(values), cmocka_unit_test(refusals),
                                       cmocka_unit_test(tolerances), cmocka_unit_test(units_of_laws)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
