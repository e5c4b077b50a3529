/* The periodic cell: nearest images, positions wrapped into the cell and unwrapped, image counts; and the vectorised
 * forms. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/cell_simd.h"
#include "base/random.h"

enum { POINTS = 2000 };

static const double periods[3] = {0.3, 0.0, 0.7};

static double number(uint64_t id, uint64_t n, double low, double high) {
    return low + (high - low) * rps_random_uniform(9, RPS_RANDOM_TEST, id, n);
}

/* The nearest of all images, tried one by one. Both round once, so they agree to the last bits of a period. */
static void test_nearest_image_is_the_shortest(void **state) {
    (void)state;
    const rps_cell cell = rps_cell_make(periods);
    for (uint64_t p = 0; p < POINTS; p++) {
        double d[3], least[3];
        for (int k = 0; k < 3; k++) {
            const double most = periods[k] > 0.0 ? periods[k] : 1.0;
            d[k] = least[k] = number(p, (uint64_t)k, -most, most);
            for (int n = -2; n <= 2; n++) {
                const double other = d[k] + n * periods[k];
                if (fabs(other) < fabs(least[k])) least[k] = other;
            }
        }
        rps_cell_nearest(&cell, d);
        for (int k = 0; k < 3; k++) assert_true(fabs(fabs(d[k]) - fabs(least[k])) <= 1e-15);
        assert_true(fabs(rps_cell_second_along(&cell, 0, d[0])) >= fabs(d[0]));
    }
}

/* A sheared cell with any pair of axes, whose offset exceeds several periods. */
static rps_cell sheared_cell(int flow, int gradient, double travel) {
    static const double all[3] = {0.3, 0.5, 0.7};
    rps_cell cell = rps_cell_make(all);
    rps_cell_shear(&cell, flow, gradient, -4.0);
    assert_true(rps_cell_set_travel(&cell, travel));
    return cell;
}

static void compare_vectors(const rps_cell *cell) {
    for (uint64_t p = 0; p < POINTS; p++) {
        double one[RPS_WIDE][3];
        rps_simd all[3];
        for (int c = 0; c < RPS_WIDE; c++) {
            for (int k = 0; k < 3; k++) {
                const double most = cell->period[k] > 0.0 ? cell->period[k] : 1.0;
                one[c][k] = all[k][c] = number(p, (uint64_t)(3 * c + k), -most, most);
            }
            rps_cell_nearest(cell, one[c]);
        }
        rps_cell_nearest_simd(cell, all);
        for (int c = 0; c < RPS_WIDE; c++) {
            for (int k = 0; k < 3; k++) {
                const double lane = all[k][c];
                assert_memory_equal(&one[c][k], &lane, sizeof lane);
            }
        }
    }
}

/* A vector of RPS_WIDE differences gives the same bits as each difference alone. */
static void test_vectors_give_the_same_bits(void **state) {
    (void)state;
    const rps_cell cell = rps_cell_make(periods), moved = sheared_cell(2, 1, 5.3);
    compare_vectors(&cell);
    compare_vectors(&moved);
}

/* In a sheared cell: the nearest of all images, tried one by one, if one is nearer than half of the least period, as
 * for all pairs that can touch; and its image number along the gradient axis. */
static void test_nearest_image_of_a_sheared_cell(void **state) {
    (void)state;
    static const int axes[6][2] = {{0, 1}, {0, 2}, {1, 0}, {1, 2}, {2, 0}, {2, 1}};
    int near = 0;
    for (uint64_t p = 0; p < POINTS; p++) {
        const int flow = axes[p % 6][0], gradient = axes[p % 6][1];
        const rps_cell cell = sheared_cell(flow, gradient, number(p, 9, -20.0, 20.0));
        assert_true(fabs(cell.offset) <= cell.half[flow] * (1.0 + 1e-12));
        double d[3], found[3], least = INFINITY;
        for (int k = 0; k < 3; k++) d[k] = found[k] = number(p, (uint64_t)k, -cell.period[k], cell.period[k]);
        int up = 0;
        for (int n = 0; n < 125; n++) {
            const int image[3] = {n % 5 - 2, n / 5 % 5 - 2, n / 25 - 2};
            double other2 = 0.0;
            for (int k = 0; k < 3; k++) {
                double x = d[k] - image[k] * cell.period[k];
                if (k == flow) x -= image[gradient] * cell.offset;
                other2 += x * x;
            }
            if (other2 < least) {
                least = other2;
                up = image[gradient];
            }
        }
        if (!(least < 0.15 * 0.15)) continue;
        near++;
        rps_cell_nearest(&cell, found);
        const double found2 = (found[0] * found[0] + found[1] * found[1]) + found[2] * found[2];
        assert_true(fabs(found2 - least) <= 1e-15);
        assert_true(rps_cell_images_up(&cell, d[gradient]) == (double)up);
    }
    assert_true(near > 100);
}

/* Position and velocity in any image belong to one path: unwrapping restores them, and the image in the cell moves
 * with the shear. */
static void test_wrapped_positions_of_a_sheared_cell(void **state) {
    (void)state;
    for (uint64_t p = 0; p < POINTS; p++) {
        const rps_cell cell = sheared_cell(1, 2, number(p, 9, -20.0, 20.0));
        double x[3], given[3], back[3], v[3] = {1.0, 2.0, 3.0};
        int32_t image[3] = {0, 0, 0};
        for (int k = 0; k < 3; k++) x[k] = given[k] = number(p, (uint64_t)k, -10.0, 10.0);
        assert_true(rps_cell_wrap(&cell, x, v, image));
        rps_cell_unwrap(&cell, x, image, back);
        for (int k = 0; k < 3; k++) {
            assert_true(x[k] >= 0.0 && x[k] < cell.period[k]);
            assert_true(fabs(back[k] - given[k]) <= 1e-12); /* travel of 20 m times 15 images */
        }
        assert_true(v[0] == 1.0 && v[2] == 3.0 && fabs(v[1] + image[2] * cell.speed - 2.0) <= 1e-14);
        const double height = image[2] * cell.period[2] + x[2];
        assert_true(fabs(rps_cell_flow_at(&cell, height) - rps_cell_flow_at(&cell, x[2]) - image[2] * cell.speed) <=
                    1e-13);
    }
    rps_cell cell = sheared_cell(0, 1, 0.25);
    const rps_cell before = cell;
    assert_false(rps_cell_set_travel(&cell, 0.3e9));
    assert_false(rps_cell_set_travel(&cell, NAN));
    assert_true(cell.travel == before.travel && cell.offset == before.offset);
}

/* Wrapping and unwrapping restore a position within the rounding of a thousand periods. */
static void test_wrapped_positions_unwrap(void **state) {
    (void)state;
    const rps_cell cell = rps_cell_make(periods);
    for (uint64_t p = 0; p < POINTS; p++) {
        double x[3], given[3], back[3];
        int32_t image[3] = {0, 0, 0};
        for (int k = 0; k < 3; k++) x[k] = given[k] = number(p, (uint64_t)k, -1000.0, 1000.0) * 0.3;
        assert_true(rps_cell_wrap(&cell, x, NULL, image));
        rps_cell_unwrap(&cell, x, image, back);
        for (int k = 0; k < 3; k++) {
            assert_true(periods[k] > 0.0 ? x[k] >= 0.0 && x[k] < periods[k] : x[k] == given[k]);
            assert_true(fabs(back[k] - given[k]) <= 2e-13);
        }
        assert_int_equal(image[1], 0);
    }
}

/* Both faces, numbers that round to them, and image counts out of range. */
static void test_faces_and_refusals(void **state) {
    (void)state;
    const rps_cell cell = rps_cell_make(periods);
    const struct {
        double x, wrapped;
        int32_t image;
    } at[] = {{0.0, 0.0, 0}, {0.3, 0.0, 1}, {-0.3, 0.0, -1}, {-1e-30, 0.0, 0}, {0.6, 0.0, 2}};
    for (size_t n = 0; n < sizeof at / sizeof *at; n++) {
        double x[3] = {at[n].x, 5.0, 0.0};
        int32_t image[3] = {0, 0, 0};
        assert_true(rps_cell_wrap(&cell, x, NULL, image));
        assert_true(x[0] == at[n].wrapped && x[1] == 5.0);
        assert_int_equal(image[0], at[n].image);
    }
    const double bad[] = {NAN, INFINITY, -INFINITY, 1e9};
    for (size_t n = 0; n < sizeof bad / sizeof *bad; n++) {
        double x[3] = {0.4, 0.0, bad[n]};
        int32_t image[3] = {0, 0, 0};
        assert_false(rps_cell_wrap(&cell, x, NULL, image));
        assert_true(x[0] == 0.4 && image[0] == 0);
    }
}

static void test_images_are_counted(void **state) {
    (void)state;
    const rps_cell cell = rps_cell_make(periods);
    for (uint64_t p = 0; p < POINTS; p++) {
        const double x = number(p, 0, 0.0, 0.3), low = number(p, 1, -2.0, 1.0), high = low + number(p, 2, 0.0, 2.0);
        double count = 0.0;
        for (int n = -10; n <= 20; n++) count += x + n * 0.3 >= low && x + n * 0.3 < high;
        assert_true(rps_cell_count_along(&cell, 0, x, low, high) == count);
        const double next = rps_cell_next_along(&cell, 0, x, low);
        assert_true(next >= low - 1e-15 && next <= low + 0.3 + 1e-15);
        const double turns = rps_cell_turns(&cell, 0, low);
        assert_true(fabs(low - turns * 0.3) <= 0.15 + 1e-15);
        assert_true(fabs(rps_cell_whole_along(&cell, 0, turns * 0.3 + 1e-9) - turns * 0.3) <= 1e-15);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_nearest_image_is_the_shortest),
        cmocka_unit_test(test_vectors_give_the_same_bits),
        cmocka_unit_test(test_wrapped_positions_unwrap),
        cmocka_unit_test(test_faces_and_refusals),
        cmocka_unit_test(test_images_are_counted),
        cmocka_unit_test(test_nearest_image_of_a_sheared_cell),
        cmocka_unit_test(test_wrapped_positions_of_a_sheared_cell),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
