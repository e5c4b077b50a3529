/*
 * Bodies of many pieces: trees find every pair of pieces within the margin, at any position and orientation and
 * across periods. Worlds evolve with the same bits as with a loop over all pieces, for any number of threads and
 * across a restart.
 */
#include "../physics/worlds.h"

#include <stdlib.h>
#include <unistd.h>

#include "detect/detect.h"
#include "detect/gap_table.h"
#include "detect/piece_pairs.h"
#include "world/body_shape.h"
#include "world/world.h"

static char file[] = "/tmp/repose-collider-XXXXXX";

enum { MOST = 5000 };

static rps_piece_def piece[142 * 142];

static void turn_at_random(double q[4], uint64_t stream, uint64_t n) {
    const rps_vec3 v = random_vec(stream, 2 * n), w = random_vec(stream, 2 * n + 1);
    const rps_quat turn = rps_quat_normalize((rps_quat){w.x, v.x, v.y, v.z});
    memcpy(q, (const double[]){turn.w, turn.x, turn.y, turn.z}, 4 * sizeof *q);
}

/* A body of `count` pieces of all shapes within about `size` m of its origin. */
static uint64_t add_clump(rps_world *world, int count, double size, rps_vec3 x, rps_body_kind kind, uint64_t stream) {
    static const char *const shape[] = {"sphere", "box", "capsule", "ellipsoid", "cylinder"};
    const double edge = 0.8 * size / cbrt((double)count);
    for (int k = 0; k < count; k++) {
        const uint64_t n = (uint64_t)k;
        piece[k] = rps_piece_def_default();
        piece[k].shape = shape[k % 5];
        const double a = edge * uniform(stream, 4 * n, 0.2, 1.0);
        piece[k].parameter[0] = a;
        if (k % 5 != 0) piece[k].parameter[1] = edge * uniform(stream, 4 * n + 1, 0.2, 1.0);
        if (k % 5 == 1 || k % 5 == 3) piece[k].parameter[2] = edge * uniform(stream, 4 * n + 2, 0.2, 1.0);
        to_array(piece[k].position,
                 rps_vec3_scale(random_direction(stream + 1, n), size * cbrt(uniform(stream + 2, n, 0, 1))));
        turn_at_random(piece[k].orientation, stream + 3, n);
    }
    rps_body_def def = rps_body_def_default();
    def.kind = kind;
    def.piece = piece;
    def.pieces = count;
    def.mass = 1e-3;
    for (int k = 0; k < 3; k++) def.inertia[k] = 1e-3 * size * size * (1.0 + 0.2 * k);
    to_array(def.position, x);
    turn_at_random(def.orientation, stream + 4, 0);
    uint64_t id;
    MUST(rps_world_add_body(world, &def, &id, ERR));
    return id;
}

typedef struct seen {
    uint8_t *times;
    size_t pieces_j, all;
} seen;

static bool note(void *context, uint32_t a, uint32_t b) {
    seen *s = context;
    s->times[a * s->pieces_j + b]++;
    s->all++;
    return true;
}

static size_t pieces_of(const rps_world *world, size_t slot) {
    const int32_t count = world->bodies.pieces[slot][0];
    return count > 1 ? (size_t)count : 1;
}

/* True if the bounding spheres of two pieces are within the margin in their nearest image. */
static bool spheres_near(const rps_world *world, size_t i, size_t j, const rps_side *side_i, const rps_side *side_j,
                         rps_vec3 offset, double margin) {
    if (side_i->shape->unbounded || side_j->shape->unbounded) return true;
    const rps_vec3 d = rps_vec3_add(rps_pair_difference(world, i, j), offset);
    double x[3] = {d.x, d.y, d.z};
    for (int k = 0; k < 3; k++) {
        const double period = world->options.period[k];
        if (period > 0.0) x[k] -= period * floor(x[k] / period + 0.5);
    }
    const double range =
        side_i->shape->bounding_radius(side_i->parameter) + side_j->shape->bounding_radius(side_j->parameter) + margin;
    return rps_vec3_norm(rps_vec3_of(x)) <= range * (1.0 + 1e-9);
}

/* Every pair of pieces within the margin (the gap is a lower bound, tight when small) is visited once. Returns the
 * number within it, and the number visited. */
static size_t check_pairs(const rps_world *world, uint64_t id_i, uint64_t id_j, double margin, size_t *visited) {
    const uint32_t i = (uint32_t)rps_world_slot(world, id_i), j = (uint32_t)rps_world_slot(world, id_j);
    const size_t m = pieces_of(world, i), n = pieces_of(world, j);
    seen s = {calloc(m * n, 1), n, 0};
    assert_non_null(s.times);
    rps_piece_pairs_visit(world, i, j, margin, note, &s);
    size_t near = 0;
    for (size_t a = 0; a < m; a++) {
        for (size_t b = 0; b < n; b++) {
            const size_t at = a * n + b;
            if (s.times[at] > 1) fail_msg("pieces %zu and %zu were visited %d times", a, b, s.times[at]);
            rps_side side_i, side_j;
            rps_vec3 offset_i, offset_j;
            rps_pair_side(world, i, (uint32_t)a, &side_i, &offset_i);
            rps_pair_side(world, j, (uint32_t)b, &side_j, &offset_j);
            if (!spheres_near(world, i, j, &side_i, &side_j, rps_vec3_sub(offset_i, offset_j), margin)) continue;
            double gap = INFINITY;
            for (unsigned f = 0; f < rps_touch_features(&side_i, &side_j); f++) {
                gap = fmin(gap, rps_pair_gap(world, i, j, rps_subkey_make((uint32_t)a, (uint32_t)b, f)));
            }
            /* a bound that looks at spheres alone may be far below the gap: then the touch itself decides */
            if (!(gap < margin)) continue;
            rps_touch touch;
            bool is_near = false;
            for (unsigned f = 0; f < rps_touch_features(&side_i, &side_j); f++) {
                is_near = is_near || rps_pair_touch(world, i, j, rps_subkey_make((uint32_t)a, (uint32_t)b, f), margin,
                                                    NULL, &touch) != RPS_TOUCH_APART;
            }
            if (is_near && s.times[at] == 0) fail_msg("pieces %zu and %zu, %g m apart, were missed", a, b, gap);
            near += is_near;
        }
    }
    free(s.times);
    *visited = s.all;
    return near;
}

static rps_world *empty(double period) {
    rps_world_options options = options_of(1e-5);
    options.period[0] = options.period[1] = period;
    const rps_pair pair = tracked_pair();
    return world_of(&options, &pair);
}

static void test_random_clumps(void **state) {
    (void)state;
    static const int counts[][2] = {{1, 1},   {3, 7},     {1, 8},    {8, 8},    {2, 40},   {60, 50},
                                    {9, 900}, {400, 300}, {1, MOST}, {5, MOST}, {MOST, 40}};
    size_t near = 0, visited = 0, all = 0;
    for (uint64_t c = 0; c < sizeof counts / sizeof *counts; c++) {
        for (uint64_t n = 0; n < (counts[c][1] == MOST ? 2 : 4); n++) {
            const uint64_t stream = 1000 + 100 * c + 10 * n;
            rps_world *world = empty(0.0);
            const rps_vec3 x = rps_vec3_scale(random_vec(stream + 8, 0), 0.2);
            const rps_vec3 y =
                rps_vec3_add(x, rps_vec3_scale(random_direction(stream + 8, 1), uniform(stream + 9, 0, 0.5, 2.2)));
            const uint64_t a = add_clump(world, counts[c][0], 1.0, x, RPS_BODY_FREE, stream);
            const uint64_t b = add_clump(world, counts[c][1], 1.0, y, RPS_BODY_FREE, stream + 5);
            assert_true((rps_body_collider(world, rps_world_slot(world, b)) != NULL) ==
                        (counts[c][1] >= RPS_COLLIDER_FROM));
            size_t these;
            near += check_pairs(world, a, b, n == 0 ? 0.0 : uniform(stream + 9, 1, 0.0, 0.05), &these);
            visited += these;
            all += (size_t)counts[c][0] * (size_t)counts[c][1];
            rps_world_destroy(world);
        }
    }
    SAY("%zu of %zu pairs near, %zu visited\n", near, all, visited);
    assert_true(near > 500 && visited < all / 10);
}

/* A fixed body across the period boundary and one longer than the period, among others all over the box that can meet
 * it in several images; a plane below. */
static void test_periods(void **state) {
    (void)state;
    size_t near = 0, visited = 0, all = 0;
    for (uint64_t n = 0; n < 24; n++) {
        const uint64_t stream = 5000 + 20 * n;
        rps_world *world = empty(2.0);
        const double x = uniform(stream + 15, 0, 0.0, 2.0), y = uniform(stream + 15, 1, 0.0, 2.0);
        const rps_vec3 at = {uniform(stream + 15, 2, 0.0, 2.0), uniform(stream + 15, 3, 0.0, 2.0), 0.1};
        const double size = n % 3 == 0 ? 0.9 : n % 3 == 1 ? 1.6 : 0.4;
        const uint64_t a =
            add_clump(world, n % 2 == 0 ? 300 : 12, size, rps_vec3_make(x, y, 0.0), RPS_BODY_FIXED, stream);
        const uint64_t b = add_clump(world, n % 5 == 0 ? 1 : n % 5 == 1 ? 5 : 60, 0.2, at, RPS_BODY_FREE, stream + 7);
        size_t these;
        near += check_pairs(world, a, b, 0.03, &these);
        visited += these;
        all += pieces_of(world, a) * pieces_of(world, b);
        rps_world_destroy(world);
    }
    SAY("%zu of %zu pairs near, %zu visited\n", near, all, visited);
    assert_true(near > 300 && visited < all / 3);
}

static void test_plane(void **state) {
    (void)state;
    rps_world *world = empty(0.0);
    rps_body_def def = rps_body_def_default();
    def.kind = RPS_BODY_FIXED;
    def.shape = "plane";
    to_array(def.normal, random_direction(61, 0));
    def.position[2] = 0.3;
    uint64_t plane;
    MUST(rps_world_add_body(world, &def, &plane, ERR));
    const rps_vec3 up = rps_vec3_of(def.normal);
    size_t these, near = 0, visited = 0;
    for (uint64_t n = 0; n < 12; n++) {
        const rps_vec3 x = rps_vec3_add_scaled(rps_vec3_make(0, 0, 0.3), 0.1 * (double)n, up);
        const uint64_t id = add_clump(world, 1000, 1.0, x, RPS_BODY_FREE, 7000 + 10 * n);
        near += check_pairs(world, plane, id, 0.02, &these);
        visited += these;
    }
    SAY("%zu pairs near, %zu visited\n", near, visited);
    assert_true(near > 100 && visited >= near && visited < 12000);
    rps_world_destroy(world);
}

/* --- worlds ------------------------------------------------------------------------------------------------------- */

typedef struct manner {
    bool all_pieces;
    int threads;
    uint64_t shuffle;
    uint64_t restart; /* step; 0: none */
} manner;

enum { STEPS = 600 };

/* A rough floor of side x side boxes as one fixed body, periodic along x and y, its tops at heights that differ. */
static void add_floor(rps_world *world, int side, double edge) {
    for (int k = 0; k < side * side; k++) {
        piece[k] = rps_piece_def_default();
        piece[k].shape = "box";
        for (int axis = 0; axis < 3; axis++) piece[k].parameter[axis] = edge;
        piece[k].position[0] = edge * ((double)(k % side) + 0.5);
        piece[k].position[1] = edge * ((double)(k / side) + 0.5);
        piece[k].position[2] = 0.2 * edge * uniform(80, (uint64_t)k, -1.0, 1.0);
    }
    rps_body_def def = rps_body_def_default();
    def.kind = RPS_BODY_FIXED;
    def.piece = piece;
    def.pieces = side * side;
    def.mass = 1.0;
    def.inertia[0] = 1.0;
    MUST(rps_world_add_body(world, &def, NULL, ERR));
}

static rps_world *floor_with_grains(const manner *m, int side, int grains) {
    const double width = 0.066;
    rps_world_options options = options_of(1e-5);
    options.threads = m->threads;
    options.shuffle = m->shuffle;
    options.gravity[2] = -9.81;
    options.period[0] = options.period[1] = width;
    rps_pair pair = tracked_pair(); /* soft, so that contacts last */
    use(&pair, RPS_ROLE_NORMAL, "hooke", "stiffness", 1e4, NULL);
    use(&pair, RPS_ROLE_SLIDE, "tracked", "static", 0.5, "kinetic", 0.4, "stiffness", 5e3, NULL);
    rps_world *world = world_of(&options, &pair);
    world->all_pieces = m->all_pieces;
    add_floor(world, side, width / side);
    for (int k = 0; k < grains; k++) {
        const uint64_t n = (uint64_t)k;
        const rps_vec3 x = {0.011 * (double)(k % 6) + 5e-4 * uniform(81, n, 0, 1),
                            0.011 * (double)(k / 6 % 6) + 5e-4 * uniform(82, n, 0, 1),
                            0.7 * width / side + 0.0042 + 0.011 * (double)(k / 36)};
        const rps_vec3 v = rps_vec3_make(0.2 * uniform(83, n, -1, 1), 0.2 * uniform(84, n, -1, 1), -0.15);
        if (k % 4 == 3) {
            rps_body_def def = rps_body_def_default();
            rps_piece_def two[10];
            for (int p = 0; p < 10; p++) {
                two[p] = rps_piece_def_default();
                two[p].parameter[0] = 1.5e-3;
                to_array(two[p].position, rps_vec3_scale(random_direction(85, 16 * n + (uint64_t)p), 2.5e-3));
            }
            def.piece = two;
            def.pieces = k % 8 == 3 ? 10 : 3;
            def.mass = 2e-4;
            for (int axis = 0; axis < 3; axis++) def.inertia[axis] = 2e-9;
            to_array(def.position, x);
            to_array(def.velocity, v);
            MUST(rps_world_add_body(world, &def, NULL, ERR));
        } else {
            add_ball(world, x, 4e-3, 5e-4, v, rps_vec3_zero());
        }
    }
    return world;
}

static void run_floor(const manner *m, int side, int grains, uint64_t steps, uint64_t hash[2]) {
    rps_world *world = floor_with_grains(m, side, grains);
    if (m->restart > 0) {
        MUST(rps_world_step(world, m->restart, ERR));
        SAY("saved with %d contacts\n", (int)rps_world_contact_count(world));
        assert_true(rps_world_contact_count(world) > 0);
        MUST(rps_world_save(world, file, ERR));
        rps_world_destroy(world);
        world = floor_with_grains(m, side, grains);
        MUST(rps_world_restore(world, file, ERR));
        assert_non_null(rps_body_collider(world, rps_world_slot(world, 0)));
    }
    uint64_t most = 0;
    while (rps_world_steps(world) < steps) {
        MUST(rps_world_step(world, 20, ERR));
        const uint64_t contacts = rps_world_contact_count(world);
        most = contacts > most ? contacts : most;
    }
    MUST(rps_world_hash(world, hash, ERR));
    SAY("%d pieces: up to %d contacts at a time\n", side * side, (int)most);
    assert_true(most > 8 || m->restart > 0);
    rps_world_destroy(world);
}

/* Floors of 1,089 pieces, and of 20,164. */
static void test_same_bits(void **state) {
    (void)state;
    static const manner manners[] = {{false, 1, 0, 0}, {false, 3, 0, 140}, {false, 2, 5, 0}};
    static const int side[2] = {33, 142};
    for (int s = 0; s < 2; s++) {
        const manner reference = {.all_pieces = true, .threads = 2};
        const int grains = s == 0 ? 72 : 36;
        const uint64_t steps = s == 0 ? STEPS : STEPS / 2;
        uint64_t expected[2], hash[2];
        run_floor(&reference, side[s], grains, steps, expected);
        for (size_t k = 0; k < sizeof manners / sizeof *manners; k++) {
            run_floor(&manners[k], side[s], grains, steps, hash);
            if (memcmp(hash, expected, sizeof hash) != 0) fail_msg("side %d, manner %zu: another state", side[s], k);
        }
    }
}

/* Bodies with the same pieces share the collider; a checkpoint has its own pieces. */
static void test_shared(void **state) {
    (void)state;
    rps_world *world = empty(0.0);
    add_clump(world, 20, 1.0, rps_vec3_zero(), RPS_BODY_FREE, 9000);
    add_clump(world, 20, 1.0, rps_vec3_make(3, 0, 0), RPS_BODY_FREE, 9000);
    assert_int_equal(world->colliders, 1);
    add_clump(world, 30, 1.0, rps_vec3_make(6, 0, 0), RPS_BODY_FREE, 9100);
    assert_int_equal(world->colliders, 2);
    add_clump(world, RPS_COLLIDER_FROM - 1, 1.0, rps_vec3_make(9, 0, 0), RPS_BODY_FREE, 9200);
    assert_int_equal(world->colliders, 2);
    for (uint64_t id = 0; id < 3; id++) {
        const size_t slot = rps_world_slot(world, id);
        const rps_collider *collider = rps_body_collider(world, slot);
        assert_non_null(collider);
        assert_int_equal(collider->first, world->bodies.piece[slot][0]);
        double least = INFINITY;
        for (size_t k = 0; k < collider->count; k++) least = fmin(least, world->piece[collider->first + k].half_width);
        assert_true(rps_body_half_width(world, slot) == least);
    }
    assert_ptr_equal(rps_body_collider(world, 0), rps_body_collider(world, 1));
    assert_null(rps_body_collider(world, rps_world_slot(world, 3)));
    MUST(rps_world_save(world, file, ERR));
    MUST(rps_world_restore(world, file, ERR));
    assert_int_equal(world->colliders, 2);
    rps_world_destroy(world);
}

int main(void) {
    const int descriptor = mkstemp(file);
    if (descriptor < 0) return 1;
    close(descriptor);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_clumps), cmocka_unit_test(test_periods),   cmocka_unit_test(test_plane),
        cmocka_unit_test(test_shared),        cmocka_unit_test(test_same_bits),
    };
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    unlink(file);
    return failed;
}
