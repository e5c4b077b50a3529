/* Laws and parameters by name, and definitions by shape: they set exactly the values in the lists of laws and
 * shapes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#include <repose/repose.h>

#include "shape/shape.h"

static void assert_says(rps_status status, const rps_error *err, const char *a, const char *b) {
    assert_int_equal(status, RPS_BAD_INPUT);
    if (!strstr(err->text, a) || !strstr(err->text, b)) fail_msg("\"%s\" lacks %s or %s", err->text, a, b);
}

static void test_every_parameter_by_name(void **state) {
    (void)state;
    rps_error err = {0};
    for (size_t n = 0; rps_law_at(n); n++) {
        const rps_law *law = rps_law_at(n);
        rps_pair pair = rps_pair_default();
        assert_int_equal(rps_pair_law(&pair, law->role, law->name, &err), RPS_OK);
        assert_ptr_equal(pair.law[law->role], law);
        for (int k = 0; k < RPS_LAW_PARAMETERS && law->parameter[k].name; k++) {
            const rps_law_parameter *p = &law->parameter[k];
            char word[64];
            if (p->choices) {
                const char *last = strrchr(p->choices, '|');
                snprintf(word, sizeof word, "%s", last ? last + 1 : p->choices);
                assert_int_equal(rps_pair_set_word(&pair, law->role, p->name, word, &err), RPS_OK);
                assert_says(rps_pair_set(&pair, law->role, p->name, 0.0, &err), &err, p->name, p->choices);
                assert_says(rps_pair_set_word(&pair, law->role, p->name, "nonsense", &err), &err, p->name, p->choices);
                int number = 0;
                for (const char *c = p->choices; *c; c++) number += *c == '|';
                assert_true(pair.value[law->role][k] == number);
            } else {
                assert_int_equal(rps_pair_set(&pair, law->role, p->name, 0.25 + k, &err), RPS_OK);
                assert_true(pair.value[law->role][k] == 0.25 + k);
                assert_says(rps_pair_set_word(&pair, law->role, p->name, "cut", &err), &err, p->name, "number");
            }
        }
        assert_int_equal(rps_pair_law(&pair, law->role, law->name, &err), RPS_OK);
        for (int k = 0; k < RPS_LAW_PARAMETERS; k++) assert_true(isnan(pair.value[law->role][k]));
    }
}

static void test_wrong_names(void **state) {
    (void)state;
    rps_pair pair = rps_pair_default();
    rps_error err = {0};
    assert_says(rps_pair_law(&pair, RPS_ROLE_SLIDE, "trakced", &err), &err, "did you mean \"tracked\"", "mindlin");
    assert_says(rps_pair_law(&pair, (rps_role)9, "tracked", &err), &err, "role", "9");
    assert_says(rps_pair_set(&pair, RPS_ROLE_SLIDE, "static", 0.5, &err), &err, "slide", "rps_pair_law");
    assert_int_equal(rps_pair_law(&pair, RPS_ROLE_SLIDE, "tracked", &err), RPS_OK);
    assert_says(rps_pair_set(&pair, RPS_ROLE_SLIDE, "statik", 0.5, &err), &err, "did you mean \"static\"", "kinetic");
    assert_int_equal(rps_pair_law(&pair, RPS_ROLE_SPIN, "none", &err), RPS_OK);
    assert_says(rps_pair_set(&pair, RPS_ROLE_SPIN, "static", 0.5, &err), &err, "none", "no parameters");
    pair.size = 1;
    assert_says(rps_pair_law(&pair, RPS_ROLE_SLIDE, "tracked", &err), &err, "size", "rps_pair_default");
}

static void test_own_law(void **state) {
    (void)state;
    rps_pair pair = rps_pair_default();
    rps_error err = {0};
    rps_law law = *rps_law_find(RPS_ROLE_NORMAL, "hooke");
    law.name = "mine";
    assert_int_equal(rps_pair_own_law(&pair, &law, &err), RPS_OK);
    assert_int_equal(rps_pair_set(&pair, RPS_ROLE_NORMAL, "stiffness", 1e4, &err), RPS_OK);
    assert_ptr_equal(pair.law[RPS_ROLE_NORMAL], &law);
    law.prepare = NULL;
    assert_says(rps_pair_own_law(&pair, &law, &err), &err, "mine", "prepare");
}

/* One definition for each shape of the list, with as many numbers as the list has, all different. */
static void test_every_shape(void **state) {
    (void)state;
    const rps_body_def def[] = {
        rps_body_sphere(1.0),
        rps_body_plane(0.0, 0.6, 0.8),
        rps_body_ellipsoid(1, 2, 3),
        rps_body_superquadric(1, 2, 3, 4, 5),
        rps_body_cylinder(1, 2),
        rps_body_capsule(1, 2),
        rps_body_box(1, 2, 3, 0.4),
        rps_body_disk(1.0),
        rps_body_cylinder_wall(1, 2, 1),
        rps_body_cone_wall(1, 2, 3, 1),
        rps_body_sphere_wall(1, 2),
        rps_body_torus_wall(2, 1, 3, 4),
        rps_body_disk_wall(2, 1),
        rps_body_rectangle(1, 2),
        rps_body_triangle((const double[]){1, 2, 3}, (const double[]){4, 5, 7}),
        rps_body_mesh(1),
    };
    assert_int_equal(sizeof def / sizeof *def, RPS_SHAPE_COUNT);
    for (int k = 0; k < RPS_SHAPE_COUNT; k++) {
        const rps_shape *shape = rps_shape_at(k);
        assert_string_equal(def[k].shape, shape->name);
        if (shape->unbounded || shape->by_world) continue;
        rps_piece_def piece = rps_piece_of(def[k]);
        assert_int_equal(rps_shape_check(shape, piece.parameter, "it", NULL), RPS_OK);
        int numbers = 0;
        while (numbers < RPS_SHAPE_NUMBERS_MOST && !isnan(piece.parameter[numbers])) numbers++;
        assert_int_equal(numbers, rps_shape_numbers(shape));
        for (int n = 0; n < numbers; n++) {
            if (strcmp(shape->name, "box") == 0 && n == 3) continue;
            if (rps_shape_is_sheet(shape)) continue; /* below */
            assert_true(piece.parameter[n] == 1.0 + n);
        }
    }
    assert_true(def[1].kind == RPS_BODY_FIXED && def[1].normal[1] == 0.6);
    assert_true(def[6].parameter[3] == 0.4);
    static const double wall[][6] = {{1, 2, 1}, {1, 2, 3, 1}, {1, 2}, {2, 1, 3, 4}, {2, 1}, {1, 2}, {1, 2, 3, 4, 5, 7}};
    for (int k = 0; k < 7; k++) {
        const rps_body_def *one = &def[RPS_SHAPE_INDEX(cylinder_wall) + k];
        assert_int_equal(one->kind, RPS_BODY_FIXED);
        for (int n = 0; n < 6 && !isnan(one->parameter[n]); n++) assert_true(one->parameter[n] == wall[k][n]);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_parameter_by_name),
        cmocka_unit_test(test_wrong_names),
        cmocka_unit_test(test_own_law),
        cmocka_unit_test(test_every_shape),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
