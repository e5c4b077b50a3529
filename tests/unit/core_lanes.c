/*
 * Contacts of boxes and capsules with each other, with spheres and with planes as the contact loop finds them, many at a time,
 * against the geometry of one pair: overlap, normal, points, curvatures, and the measures of both bodies.
 */
#include "../physics/worlds.h"

#include "base/cpu.h"
#include "detect/gap_table.h"
#include "step/batch.h"
#include "step/step_stages.h"
#include "world/body_shape.h"

enum { PAIRS = 60, KINDS = 4 };

static const double SIZE = 0.5; /* m, about the half length of a body */
/* Lanes and pairs have the same formulas, in an order that may differ: a few roundings of 1e-16. */
static const double ROUNDED = 2e-15;

static double any(uint64_t stream, uint64_t n, double low, double high) {
    return low + (high - low) * rps_random_uniform(53, RPS_RANDOM_TEST, stream, n);
}

static rps_vec3 any_direction(uint64_t n) {
    return rps_vec3_normalize(rps_vec3_make(any(1, n, -1.0, 1.0), any(2, n, -1.0, 1.0), any(3, n, 0.1, 1.0)));
}

/* Kind 0: a sharp box; 1: a rounded one; 2: a capsule; 3: a sphere. Every third is along the axes, so that faces and edges lie
 * along each other. */
static void grain(rps_body_def *def, int kind, uint64_t n) {
    *def = rps_body_def_default();
    def->shape = kind < 2 ? "box" : kind == 2 ? "capsule" : "sphere";
    for (int k = 0; k < 3 && kind < 2; k++) def->parameter[k] = any(4 + (uint64_t)k, n, 0.5, 1.0);
    if (kind < 2) def->parameter[3] = kind == 0 ? 0.0 : any(7, n, 0.02, 0.1);
    if (kind == 2) {
        def->parameter[0] = any(7, n, 0.2, 0.3);
        def->parameter[1] = any(8, n, 0.3, 0.8);
    }
    if (kind == 3) def->radius = any(7, n, 0.2, SIZE);
    const rps_vec3 v = any_direction(100 + n);
    const rps_quat q = rps_quat_normalize((rps_quat){any(9, n, -1.0, 1.0), v.x, v.y, v.z});
    if (n % 3 != 0) memcpy(def->orientation, (const double[4]){q.w, q.x, q.y, q.z}, sizeof def->orientation);
}

static rps_vec3 support_of(const rps_body_def *def, rps_vec3 n) {
    if (def->radius > 0.0) return rps_vec3_scale(n, def->radius);
    const double *o = def->orientation;
    const rps_quat q = {o[0], o[1], o[2], o[3]};
    const rps_shape *shape = strcmp(def->shape, "box") == 0 ? &rps_shape_box : &rps_shape_capsule;
    return rps_quat_rotate(q, shape->support(def->parameter, rps_quat_rotate_inverse(q, n)));
}

static void place(rps_world *world, rps_body_def *def, rps_vec3 x) {
    to_array(def->position, x);
    MUST(rps_world_add_body(world, def, NULL, ERR));
}

/* Boxes and capsules on a plane, and high above each a pair. `first`: the plane comes before them, and is i of its contacts. */
static rps_world *pairs_and_plane(rps_isa isa, bool first) {
    rps_world_options options = options_of(1e-6);
    options.isa = (int)isa;
    rps_pair pair = tracked_pair();
    rps_material material = rps_material_default();
    material.name = "stuff";
    material.density = 2500.0;
    rps_world *world = world_of_material(&options, &pair, material);
    const rps_vec3 z = rps_vec3_make(0.0, 0.0, 1.0);
    if (first) add_ground(world, z);
    for (uint64_t n = 0; n < PAIRS; n++) {
        rps_body_def a, b;
        grain(&a, (int)(n % 3), n);
        grain(&b, (int)(n / 3 % KINDS), PAIRS + n / 2 * 3);
        const double low = support_of(&a, rps_vec3_neg(z)).z;
        const rps_vec3 x = rps_vec3_make(5.0 * (double)n, 0.0, any(9, n, -2e-3, 2e-4) - low),
                       y = rps_vec3_add_scaled(x, 9.0, z);
        const rps_vec3 up = n % 3 == 0 ? z : any_direction(200 + n);
        const rps_vec3 apart = rps_vec3_sub(support_of(&a, up), support_of(&b, rps_vec3_neg(up)));
        place(world, n % 2 == 0 ? &a : &b, y);
        const double side = n % 2 == 0 ? 1.0 : -1.0, gap = any(10, n, -4e-3, 2e-4);
        place(world, n % 2 == 0 ? &b : &a, rps_vec3_add_scaled(y, side, rps_vec3_add(rps_vec3_scale(up, gap), apart)));
        place(world, &a, x);
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

/* True if the entry touches. */
static bool check_entry(const rps_world *world, const rps_lanes *l, int c, size_t i, size_t j, rps_subkey subkey) {
    rps_touch t;
    const rps_touch_result result = rps_pair_touch(world, i, j, subkey, INFINITY, NULL, &t);
    assert_true(l->general[c] == 1.0);
    assert_true((l->gap_overlap[c] < 0.0) == (t.overlap < 0.0));
    if (t.overlap < 0.0) return false;
    assert_int_equal(result, RPS_TOUCH_FOUND);
    double bend = 0.0;
    for (int k = 0; k < 6; k++) bend += fabs(t.curve_i.s[k]) + fabs(t.curve_j.s[k]);
    const double half_i = rps_body_half_width(world, i), half_j = rps_body_half_width(world, j);
    assert_true(l->radius_i[c] == (half_i < INFINITY ? half_i : 0.0));
    assert_true(l->radius_j[c] == (half_j < INFINITY ? half_j : 0.0));
    const double least = rps_pair_curvature_floor(world, i, j);
    assert_true(l->curve_floor[c] == least);
    ASSERT_BELOW(fabs(l->gap_overlap[c] - t.overlap), ROUNDED * SIZE);
    ASSERT_BELOW(off(at(l->normal, c), t.normal), ROUNDED);
    ASSERT_BELOW(off(at(l->branch_i, c), t.branch_i), ROUNDED * SIZE);
    /* of a plane: the sum of a position of up to 300 m */
    ASSERT_BELOW(off(at(l->branch_j, c), t.branch_j), ROUNDED * (SIZE + rps_vec3_norm(t.branch_j)));
    ASSERT_BELOW(fabs(l->radius_eff[c] * fmax(t.curvature_sum, least) - 1.0), ROUNDED);
    for (int k = 0; k < 6; k++) {
        ASSERT_BELOW(fabs(l->curve_i[k][c] - t.curve_i.s[k]), ROUNDED * bend);
        ASSERT_BELOW(fabs(l->curve_j[k][c] - t.curve_j.s[k]), ROUNDED * bend);
    }
    assert_true(off(at(l->gradient_i, c), rps_vec3_zero()) == 0.0 && off(at(l->gradient_j, c), rps_vec3_zero()) == 0.0);
    return true;
}

/* All entries; returns how many touch. */
static int check_world(rps_world *world) {
    int touching = 0;
    for (size_t s = 0; s < world->contacts.segments; s++) {
        const rps_segment *segment = &world->contacts.segment[s];
        for (size_t e = 0; e < segment->count && segment->record == RPS_RECORD_FRAME; e++) {
            if (e % RPS_BATCH == 0) (void)rps_evaluate_energy_only(world, (segment->begin + e) / RPS_BATCH);
            touching += check_entry(world, rps_evaluate_lanes(world), (int)(e % RPS_BATCH), segment->slot_i[e],
                                    segment->slot_j[e], segment->subkey[e]);
        }
    }
    return touching;
}

/* As new contacts and as those of the last step, in each instruction set; the plane before the bodies and after them. */
static void test_against_pairs(void **state) {
    (void)state;
    for (int isa = 0; isa < RPS_ISA_COUNT; isa++) {
        if (!rps_isa_supported((rps_isa)isa)) continue;
        for (int first = 0; first < 2; first++) {
            rps_world *world = pairs_and_plane((rps_isa)isa, first == 1);
            MUST(rps_evaluate_reserve(world, ERR));
            assert_true(check_world(world) > 2 * PAIRS); /* faces and edges that lie along each other touch often */
            advance(world, 1);
            assert_true(check_world(world) > 2 * PAIRS);
            rps_world_destroy(world);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_against_pairs)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
