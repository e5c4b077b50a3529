/*
 * Contacts of ellipsoids with each other, with spheres and with planes as the contact loop finds them, many at a time, against
 * the geometry of one pair: overlap, normal, points, curvatures and their gradients, and the measures of both bodies.
 */
#include "../physics/worlds.h"

#include "base/cpu.h"
#include "detect/gap_table.h"
#include "step/batch.h"
#include "step/step_stages.h"
#include "world/body_shape.h"

enum { PAIRS = 60 };

static const double SIZE = 0.5; /* m, the longest semi-axis */

static double any(uint64_t stream, uint64_t n, double low, double high) {
    return low + (high - low) * rps_random_uniform(31, RPS_RANDOM_TEST, stream, n);
}

static rps_vec3 any_direction(uint64_t n) {
    return rps_vec3_normalize(rps_vec3_make(any(1, n, -1.0, 1.0), any(2, n, -1.0, 1.0), any(3, n, 0.1, 1.0)));
}

/* Kind 0: an ellipsoid up to 1:12; 1: a superquadric that is one; 2: a sphere. */
static void grain(rps_body_def *def, int kind, uint64_t n) {
    const double slim = n % 5 == 0 ? SIZE / 12.0 : 0.2;
    *def = rps_body_def_default();
    def->shape = kind == 0 ? "ellipsoid" : "superquadric";
    for (int k = 0; k < 3; k++) def->parameter[k] = k == (int)(n % 3) ? SIZE : any(4 + (uint64_t)k, n, slim, SIZE);
    for (int k = 3; k < 5 && kind == 1; k++) def->parameter[k] = 2.0;
    if (kind == 2) {
        def->shape = "sphere";
        def->radius = any(7, n, 0.2, SIZE);
        for (int k = 0; k < 3; k++) def->parameter[k] = NAN;
    }
    const rps_vec3 v = any_direction(100 + n);
    const rps_quat q = rps_quat_normalize((rps_quat){any(8, n, -1.0, 1.0), v.x, v.y, v.z});
    memcpy(def->orientation, (const double[4]){q.w, q.x, q.y, q.z}, sizeof def->orientation);
}

static rps_vec3 support_of(const rps_body_def *def, rps_vec3 n) {
    if (def->radius > 0.0) return rps_vec3_scale(n, def->radius);
    const double *o = def->orientation;
    const rps_quat q = {o[0], o[1], o[2], o[3]};
    return rps_quat_rotate(q, rps_shape_ellipsoid.support(def->parameter, rps_quat_rotate_inverse(q, n)));
}

static void place(rps_world *world, rps_body_def *def, rps_vec3 x) {
    to_array(def->position, x);
    MUST(rps_world_add_body(world, def, NULL, ERR));
}

/* Ellipsoids on a plane, and high above each a pair. `first`: the plane comes before them, and is i of its contacts. Gaps are
 * from -1e-3 to 2e-4 m. */
static rps_world *pairs_and_plane(rps_isa isa, bool first) {
    rps_world_options options = options_of(1e-6);
    options.isa = (int)isa;
    rps_pair pair = tracked_pair();
    use(&pair, RPS_ROLE_NORMAL, "hertz", NULL);
    rps_material material = rps_material_default();
    material.name = "stuff";
    material.density = 2500.0;
    material.young = 1e7;
    material.poisson = 0.3;
    rps_world *world = world_of_material(&options, &pair, material);
    const rps_vec3 z = rps_vec3_make(0.0, 0.0, 1.0);
    if (first) add_ground(world, z);
    for (uint64_t n = 0; n < PAIRS; n++) {
        rps_body_def a, b;
        grain(&a, (int)(n % 2), n);
        grain(&b, (int)(n % 3), PAIRS + n);
        const double low = support_of(&a, rps_vec3_neg(z)).z;
        const rps_vec3 x = rps_vec3_make(5.0 * (double)n, 0.0, any(9, n, -1e-3, 2e-4) - low),
                       y = rps_vec3_add_scaled(x, 9.0, z);
        const rps_vec3 up = any_direction(200 + n);
        const rps_vec3 apart = rps_vec3_sub(support_of(&a, up), support_of(&b, rps_vec3_neg(up)));
        place(world, &a, x);
        place(world, &a, y);
        place(world, &b, rps_vec3_add(rps_vec3_add_scaled(y, any(10, n, -1e-3, 2e-4), up), apart));
    }
    if (!first) add_ground(world, z);
    start(world);
    return world;
}

static rps_vec3 at(const rps_lane *lane, int c) {
    return rps_vec3_make(lane[0][c], lane[1][c], lane[2][c]);
}

static double off(rps_vec3 a, rps_vec3 b) {
    return rps_vec3_norm(rps_vec3_sub(a, b));
}

/* The pair solver is good to 1e-12 of the size, and points to that times the largest curvature: 12 at the tip of an ellipsoid
 * of 1:12, over its size; and 144 the other way round, its largest radius. */
static void check_entry(const rps_world *world, const rps_lanes *l, int c, size_t i, size_t j) {
    const rps_subkey none = {0};
    rps_touch t;
    rps_vec3 gradient[2];
    assert_int_equal(rps_pair_touch(world, i, j, none, INFINITY, NULL, &t), RPS_TOUCH_FOUND);
    rps_pair_curvature_gradients(world, i, j, none, &t, &gradient[0], &gradient[1]);
    if (t.overlap < 0.0) { /* then a bound of the gap is enough */
        assert_true(l->gap_overlap[c] < 0.0 && l->gap_overlap[c] >= t.overlap - 1e-12 * SIZE);
        return;
    }
    double bend = 0.0;
    for (int k = 0; k < 6; k++) bend += fabs(t.curve_i.s[k]) + fabs(t.curve_j.s[k]);
    const double scale = 1.0 + bend * SIZE;
    assert_true(l->general[c] == 1.0);
    assert_true(l->radius_i[c] == rps_body_half_width(world, i) && l->radius_j[c] == rps_body_half_width(world, j));
    assert_true(l->curve_floor[c] == rps_pair_curvature_floor(world, i, j));
    ASSERT_BELOW(fabs(l->gap_overlap[c] - t.overlap), 1e-12 * SIZE);
    ASSERT_BELOW(off(at(l->normal, c), t.normal), 1e-12 * scale);
    ASSERT_BELOW(off(at(l->branch_i, c), t.branch_i), 144e-12 * SIZE);
    ASSERT_BELOW(off(at(l->branch_j, c), t.branch_j), 144e-12 * SIZE);
    ASSERT_BELOW(fabs(l->radius_eff[c] * t.curvature_sum - 1.0), 1e-11 * scale);
    for (int k = 0; k < 6; k++) {
        ASSERT_BELOW(fabs(l->curve_i[k][c] - t.curve_i.s[k]), 1e-11 * scale * bend);
        ASSERT_BELOW(fabs(l->curve_j[k][c] - t.curve_j.s[k]), 1e-11 * scale * bend);
    }
    /* those of the pair are differences over 1e-4 of the width, which leave 1e-8 of the third derivative */
    ASSERT_BELOW(off(at(l->gradient_i, c), gradient[0]), 1e-6 * scale * bend * bend);
    ASSERT_BELOW(off(at(l->gradient_j, c), gradient[1]), 1e-6 * scale * bend * bend);
}

/* Entries of the lists that touch, or nearly do. */
static int check_world(rps_world *world) {
    int checked = 0;
    for (size_t s = 0; s < world->contacts.segments; s++) {
        const rps_segment *segment = &world->contacts.segment[s];
        for (size_t e = 0; e < segment->count && segment->record == RPS_RECORD_FRAME; e++) {
            const size_t i = segment->slot_i[e], j = segment->slot_j[e];
            if (rps_pair_gap(world, i, j, (rps_subkey){0}) > 1e-3 * SIZE) continue;
            assert_true(rps_evaluate_energy_only(world, (segment->begin + e) / RPS_BATCH) > 0);
            check_entry(world, rps_evaluate_lanes(world), (int)(e % RPS_BATCH), i, j);
            checked++;
        }
    }
    return checked;
}

/* In one place, as new contacts and as those of the last step: their start is another. */
static void test_against_pairs(void **state) {
    (void)state;
    for (int isa = 0; isa < RPS_ISA_COUNT; isa++) {
        if (!rps_isa_supported((rps_isa)isa)) continue;
        for (int first = 0; first < 2; first++) {
            rps_world *world = pairs_and_plane((rps_isa)isa, first == 1);
            MUST(rps_evaluate_reserve(world, ERR));
            const int fresh = check_world(world);
            advance(world, 1);
            const int known = check_world(world);
            assert_true(fresh == 2 * PAIRS && known == fresh);
            rps_world_destroy(world);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_against_pairs)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
