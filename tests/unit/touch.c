/*
 * The contact geometry of pairs of pieces (touch.c) against the general convex pair, in random poses: gaps, touching,
 * overlaps up to a twentieth of the smaller width. For a pair with one feature, normal and points agree; with
 * several, the deepest has the overlap of the bodies. Swapping the two mirrors everything.
 */
#include "../physics/worlds.h"

#include "detect/pair_convex.h"
#include "detect/touch.h"

typedef struct piece {
    const rps_shape *shape;
    double parameter[RPS_SHAPE_PARAMETERS];
} piece;

static const piece pieces[] = {
    {&rps_shape_sphere, {0.7}},
    {&rps_shape_capsule, {0.5, 1.2}},
    {&rps_shape_box, {1.0, 1.4, 2.0, 0.2}},
    {&rps_shape_cylinder, {0.6, 1.5}},
    {&rps_shape_ellipsoid, {0.5, 0.8, 1.1}},
    {&rps_shape_superquadric, {0.6, 0.8, 1.0, 4.0, 3.0}},
};
enum { PIECES = sizeof pieces / sizeof *pieces, POSES = 40 };

static rps_quat random_rotation(uint64_t n) {
    rps_vec3 v = random_vec(31, n);
    return rps_quat_normalize((rps_quat){uniform(32, n, -1.0, 1.0), v.x, v.y, v.z});
}

/* The deepest of all features; *count: their number. */
static rps_touch deepest(const rps_side *i, const rps_side *j, rps_vec3 d, unsigned *count) {
    rps_touch best = {.overlap = -INFINITY}, t;
    *count = rps_touch_features(i, j);
    for (unsigned f = 0; f < *count; f++) {
        if (rps_touch_find(i, j, d, f, INFINITY, NULL, &t) != RPS_TOUCH_APART && t.overlap > best.overlap) best = t;
        /* the bound that lists are made by never promises too much */
        assert_true(rps_touch_gap(i, j, d, f) <= -t.overlap + 1e-12);
    }
    return best;
}

static double distance(rps_vec3 a, rps_vec3 b) {
    return rps_vec3_norm(rps_vec3_sub(a, b));
}

static void compare(int a, int b) {
    double worst_overlap = 0.0, worst_normal = 0.0;
    for (uint64_t n = 0; n < POSES; n++) {
        uint64_t number = (uint64_t)(a * PIECES + b) * POSES + n;
        rps_side i = {
            .shape = pieces[a].shape, .parameter = pieces[a].parameter, .orientation = random_rotation(2 * number)};
        rps_side j = {
            .shape = pieces[b].shape, .parameter = pieces[b].parameter, .orientation = random_rotation(2 * number + 1)};
        /* along a random direction to the wanted gap, by the general pair */
        rps_vec3 along = random_direction(33, number), d = rps_vec3_scale(along, 6.0);
        double width = 1.0, gap = uniform(34, number, -0.05, 0.05) * width;
        rps_touch general;
        for (int k = 0; k < 60; k++) {
            assert_int_not_equal(rps_convex_touch(&i, &j, d, INFINITY, NULL, &general), RPS_TOUCH_APART);
            double excess = -general.overlap - gap;
            if (fabs(excess) < 1e-6) break;
            d = rps_vec3_add_scaled(d, -excess, along); /* the gap is no steeper than the way */
        }
        unsigned count;
        rps_touch mine = deepest(&i, &j, d, &count);
        double off = fabs(mine.overlap - general.overlap);
        if (count == 1) {
            worst_overlap = off > worst_overlap ? off : worst_overlap;
            double turn = distance(mine.normal, general.normal);
            worst_normal = turn > worst_normal ? turn : worst_normal;
            ASSERT_BELOW(distance(mine.branch_i, general.branch_i),
                         1e-9); /* 1e-12 times the condition of cylinder rims */
        } else if (mine.overlap > -INFINITY) {
            /* cores with edges meet with edges rounded at least by 5 %, which are barrels and end before their vertices
             * (pair_core.h): thinner by 1/4000 of either width, and near their ends by 1/2000 of the smaller one */
            const double w_i = i.shape->smallest_width(i.parameter), w_j = j.shape->smallest_width(j.parameter);
            const double barrels = (w_i + w_j) / 4000.0 + (w_i < w_j ? w_i : w_j) / 2000.0;
            ASSERT_BELOW(off, barrels + 1e-12 + (general.overlap < 0.0 ? 0.01 : 0.0));
        }
        /* the mirror image */
        rps_touch other = deepest(&j, &i, rps_vec3_neg(d), &count);
        ASSERT_NEAR(other.overlap, mine.overlap, 1e-12);
        if (count == 1) {
            ASSERT_BELOW(distance(other.normal, rps_vec3_neg(mine.normal)), 1e-9);
            ASSERT_BELOW(distance(other.branch_i, mine.branch_j), 1e-9);
            ASSERT_NEAR(other.curvature_sum, mine.curvature_sum, 1e-6 * mine.curvature_sum);
        }
    }
    if (worst_overlap > 0.0)
        SAY("%s, %s: %.2g, %.2g\n", pieces[a].shape->name, pieces[b].shape->name, worst_overlap, worst_normal);
    ASSERT_BELOW(worst_overlap, 1e-12);
    ASSERT_BELOW(worst_normal, 1e-9); /* 1e-12 times the largest radius of curvature over the gap or overlap */
}

static void test_against_general(void **state) {
    (void)state;
    for (int a = 0; a < PIECES; a++) {
        for (int b = a; b < PIECES; b++) compare(a, b);
    }
}

/* Any piece on a plane: the deepest feature is at the support point. */
static void test_on_planes(void **state) {
    (void)state;
    for (uint64_t n = 0; n < PIECES * POSES; n++) {
        const piece *p = &pieces[n % PIECES];
        rps_side i = {.shape = p->shape, .parameter = p->parameter, .orientation = random_rotation(5000 + n)};
        rps_side plane = {.shape = &rps_shape_plane, .orientation = random_rotation(9000 + n)};
        rps_vec3 up = rps_quat_rotate(plane.orientation, rps_vec3_make(0.0, 0.0, 1.0));
        rps_vec3 d = rps_vec3_add_scaled(rps_vec3_scale(random_vec(35, n), 0.3), 1.0, up);
        rps_vec3 lowest = rps_quat_rotate(
            i.orientation, p->shape->support(p->parameter, rps_quat_rotate_inverse(i.orientation, rps_vec3_neg(up))));
        double overlap = -(rps_vec3_dot(d, up) + rps_vec3_dot(lowest, up));
        unsigned count;
        rps_touch t = deepest(&i, &plane, d, &count);
        ASSERT_NEAR(t.overlap, overlap, 1e-14 * 4.0);
        ASSERT_BELOW(distance(t.normal, up), 1e-15 * 4.0);
        rps_touch mirrored = deepest(&plane, &i, rps_vec3_neg(d), &count);
        assert_true(mirrored.overlap == t.overlap);
        ASSERT_BELOW(distance(mirrored.branch_j, t.branch_i), 1e-14 * 4.0);
        /* the points are an overlap apart along the normal */
        rps_vec3 between = rps_vec3_sub(rps_vec3_add(d, t.branch_i), t.branch_j);
        ASSERT_BELOW(rps_vec3_norm(rps_vec3_add_scaled(between, t.overlap, t.normal)), 1e-14 * 4.0);
    }
    rps_side one = {.shape = &rps_shape_plane, .orientation = rps_quat_identity()};
    assert_int_equal(rps_touch_features(&one, &one), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_against_general),
        cmocka_unit_test(test_on_planes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
