/* Bonds in run.h5: what the world says of each of them at the time of the frame, in double and single precision, across a
 * periodic face, broken and removed ones, and after a resumed run. */
#include "io_common.h"

#include <math.h>
#include <string.h>

#include <repose/bond.h>

#include "io/read_results.h"
#include "io/results.h"
#include "world/world.h"

enum { BODIES = 5, BONDS = 4, FRAMES = 3, OFF = 1 /* number of the bond between points beside the centres */ };

static const double period = 20e-3, spacing = 2e-3;
static const double point_off[2][3] = {{0.5e-3, 0.25e-3, 0.0}, {-0.5e-3, 0.0, 0.5e-3}};
static char directory[RPS_PATH];
static rps_error err;

#define MUST_BE(call) \
    if ((call) != RPS_OK) fail_msg("%s", err.text)

static int set_up(void **state) {
    (void)state;
    make_directory(directory);
    return 0;
}

static int tear_down(void **state) {
    (void)state;
    remove_directory(directory);
    return 0;
}

static void add_bond(rps_world *world, uint64_t k) {
    rps_bond_def def = rps_bond_def_default();
    def.body[0] = k + 1; /* the higher id first */
    def.body[1] = k;
    for (int side = 0; side < 2 && k == OFF; side++) {
        const double centre = ((double)def.body[side] - 0.5) * spacing;
        for (int c = 0; c < 3; c++) def.point[side][c] = (c == 0 ? centre : 0.0) + point_off[side][c];
    }
    MUST_BE(rps_bond_set(&def, "young", 1e9, &err));
    MUST_BE(rps_bond_set(&def, "poisson", 0.3, &err));
    MUST_BE(rps_bond_set(&def, "radius", 1e-3, &err));
    if (k == 3) MUST_BE(rps_bond_set(&def, "tensile_strength", 1e3, &err));
    MUST_BE(rps_world_add_bond(world, &def, &err));
}

/* A row of spheres along x, the first one on the other side of the face; the last one flies off and turns. */
static rps_world *make_row(bool bonds) {
    rps_world_options options = rps_world_options_default();
    rps_world *world;
    int index;
    options.step = 1e-7;
    options.period[0] = period;
    options.threads = 1;
    MUST_BE(rps_world_create(&options, &world, &err));
    rps_material stone = rps_material_default();
    stone.name = "stone";
    stone.density = 2500.0;
    MUST_BE(rps_world_add_material(world, &stone, &index, &err));
    for (int k = 0; k < BODIES; k++) {
        rps_body_def def = rps_body_def_default();
        uint64_t id;
        def.shape = "sphere";
        def.radius = 0.9e-3;
        def.kind = RPS_BODY_FREE;
        def.position[0] = k == 0 ? period - 0.5 * spacing : (k - 0.5) * spacing;
        def.velocity[0] = k == BODIES - 1 ? 1.0 : 0.0;
        def.velocity[1] = 0.1 * k;
        def.angular_velocity[2] = 50.0 * k;
        MUST_BE(rps_world_add_body(world, &def, &id, &err));
    }
    for (uint64_t k = BONDS; bonds && k-- > 0;) add_bond(world, k);
    return world;
}

static rps_results_options options_for(const rps_world *world, bool single) {
    return (rps_results_options){.directory = directory,
                                 .title = "bonds",
                                 .variant = "",
                                 .version = "test",
                                 .bodies = BODIES,
                                 .single = single,
                                 .world = world};
}

typedef struct told {
    rps_bond_state bond[BONDS];
    size_t bonds;
} told;

/* Steps before each frame: none; so many that the weak bond breaks; and more after the first bond was removed. */
static void advance(rps_world *world, int frame, told *out) {
    if (frame == 2) MUST_BE(rps_world_remove_bond(world, 0, 1, &err));
    if (frame > 0) MUST_BE(rps_world_step(world, 200, &err));
    out->bonds = rps_world_bond_count(world);
    assert_true(out->bonds <= BONDS);
    for (size_t k = 0; k < out->bonds; k++) MUST_BE(rps_world_bond_at(world, k, &out->bond[k], &err));
}

static void write_row(bool single, told all[FRAMES]) {
    rps_world *world = make_row(true);
    rps_results *results;
    const rps_results_options options = options_for(world, single);
    MUST_BE(rps_results_create(&options, &results, &err));
    for (int f = 0; f < FRAMES; f++) {
        advance(world, f, &all[f]);
        MUST_BE(rps_results_write_with(results, world, rps_world_time(world), rps_world_steps(world), NULL, 0, &err));
    }
    MUST_BE(rps_results_close(results, &err));
    rps_world_destroy(world);
}

static void read_column(rps_results_reader *reader, const char *name, size_t frame, void *out, size_t bytes) {
    MUST_BE(rps_results_read(reader, RPS_RESULTS_BONDS, name, frame, out, bytes, &err));
}

/* relative: 0 in double precision, rounding to 24 bits in single */
static void same(double found, double expected, double relative) {
    if (!(fabs(found - expected) <= relative * fabs(expected))) fail_msg("%.17g, not %.17g", found, expected);
}

static void check_frame(rps_results_reader *reader, size_t f, const told *t, double relative) {
    uint64_t id[2][BONDS];
    int32_t broken[BONDS];
    double line[BONDS][2][3], force[BONDS][3], tension[BONDS], shear[BONDS], bending[BONDS], twist[BONDS],
        stored[BONDS];
    size_t frames;
    assert_int_equal(rps_results_reader_frames(reader, &frames)[f].bonds, t->bonds);
    read_column(reader, "id_first", f, id[0], sizeof id[0]);
    read_column(reader, "id_second", f, id[1], sizeof id[1]);
    read_column(reader, "broken", f, broken, sizeof broken);
    read_column(reader, "line", f, line, sizeof line);
    read_column(reader, "force", f, force, sizeof force);
    read_column(reader, "tension", f, tension, sizeof tension);
    read_column(reader, "shear", f, shear, sizeof shear);
    read_column(reader, "bending", f, bending, sizeof bending);
    read_column(reader, "twist", f, twist, sizeof twist);
    read_column(reader, "stored", f, stored, sizeof stored);
    for (size_t k = 0; k < t->bonds; k++) {
        const rps_bond_state *b = &t->bond[k];
        double square = 0.0;
        assert_true(id[0][k] == b->body[0] && id[1][k] == b->body[1]);
        assert_int_equal(broken[k], b->broken);
        for (int c = 0; c < 3; c++) {
            same(force[k][c], b->force[c], relative);
            /* both ends are rounded once, beside places of up to 20 mm */
            const double across = line[k][1][c] - line[k][0][c], middle = 0.5 * (line[k][0][c] + line[k][1][c]);
            assert_true(fabs(middle - b->point[c]) <= (relative + 1e-15) * period);
            square += across * across;
        }
        /* stretch is the line in the axes of the bond, less its length along the third */
        const double z = b->length + b->stretch[2], x = b->stretch[0], y = b->stretch[1];
        assert_true(fabs(sqrt(square) - sqrt(x * x + y * y + z * z)) <= 4.0 * (relative + 1e-15) * period);
        same(tension[k], b->load[2], relative);
        same(shear[k], sqrt(b->load[0] * b->load[0] + b->load[1] * b->load[1]), relative);
        same(bending[k], sqrt(b->load[3] * b->load[3] + b->load[4] * b->load[4]), relative);
        same(twist[k], b->load[5], relative);
        same(stored[k], b->stored, relative);
    }
}

static void check_all(const told all[FRAMES], double relative) {
    rps_results_reader *reader;
    MUST_BE(rps_results_open(directory, NULL, &reader, &err));
    for (size_t f = 0; f < FRAMES; f++) check_frame(reader, f, &all[f], relative);
    rps_results_reader_close(reader);
}

static void test_frames(void **state) {
    (void)state;
    told all[FRAMES];
    write_row(false, all);
    check_all(all, 0.0);
    assert_true(all[0].bonds == BONDS && !all[0].bond[3].broken);
    assert_true(all[1].bonds == BONDS && all[1].bond[3].broken && !all[1].bond[2].broken);
    assert_true(all[1].bond[2].stored > 0.0 && all[1].bond[OFF].force[0] != 0.0);
    assert_int_equal(all[2].bonds, BONDS - 1);
    write_row(true, all);
    check_all(all, 1e-7);
}

/* Where the ends lie is known before the first step: at the centres, unwrapped as the first, or the points given. */
static void test_ends(void **state) {
    (void)state;
    told all[FRAMES];
    rps_results_reader *reader;
    double line[BONDS][2][3];
    write_row(false, all);
    MUST_BE(rps_results_open(directory, NULL, &reader, &err));
    read_column(reader, "line", 0, line, sizeof line);
    rps_results_reader_close(reader);
    for (int k = 0; k < BONDS; k++) {
        for (int end = 0; end < 2; end++) {
            const int body = k + end;
            const double centre = k == 0 ? period + (end - 0.5) * spacing : (body - 0.5) * spacing;
            /* points are given of the higher id first; places are rounded a few times */
            const double *off = point_off[1 - end], none[3] = {0, 0, 0};
            for (int c = 0; c < 3; c++) {
                const double expected = (c == 0 ? centre : 0.0) + (k == OFF ? off : none)[c];
                assert_true(fabs(line[k][end][c] - expected) < 1e-16);
            }
        }
    }
}

/* A run that goes on after its first frame leaves the same rows, although no bond is left when it begins again. */
static void test_resume(void **state) {
    (void)state;
    told all[FRAMES], again;
    write_row(false, all);
    rps_world *world = make_row(true), *bare = make_row(false);
    rps_results *results;
    const rps_results_options options = options_for(bare, false);
    MUST_BE(rps_results_resume(&options, 1, &results, &err));
    for (int f = 0; f < FRAMES; f++) {
        advance(world, f, &again);
        if (f == 0) continue;
        MUST_BE(rps_results_write_with(results, world, rps_world_time(world), rps_world_steps(world), NULL, 0, &err));
    }
    MUST_BE(rps_results_close(results, &err));
    check_all(all, 0.0);
    rps_world_destroy(world);
    rps_world_destroy(bare);
}

static void test_without_bonds(void **state) {
    (void)state;
    rps_world *world = make_row(false);
    rps_results *results;
    rps_results_reader *reader;
    const rps_results_options options = options_for(world, false);
    MUST_BE(rps_results_create(&options, &results, &err));
    MUST_BE(rps_results_write_with(results, world, 0.0, 0, NULL, 0, &err));
    MUST_BE(rps_results_close(results, &err));
    MUST_BE(rps_results_open(directory, NULL, &reader, &err));
    assert_null(rps_results_reader_column(reader, RPS_RESULTS_BONDS, 0));
    const hid_t file = rps_results_reader_file(reader);
    assert_int_equal(H5Lexists(file, "bonds", H5P_DEFAULT), 0);
    assert_int_equal(H5Lexists(file, "frames/bonds", H5P_DEFAULT), 0);
    assert_int_equal(H5Lexists(file, "checksums/bonds", H5P_DEFAULT), 0);
    rps_results_reader_close(reader);
    rps_world_destroy(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_frames, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_ends, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_resume, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_without_bonds, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
