/*
 * Every law reads and writes what its descriptor declares: worlds of small bodies are stepped with the option check_laws, under
 * which all other arrays hold NaN, and come to the bits of worlds without it. Laws that do not keep to their descriptor
 * must be found, and declarations that cannot be true are refused when the law is registered.
 */
#include "law_bench.h"

#include <repose/law_kernel.h>

enum { STEPS = 40, SHAPES = 3 };

/* A row of bodies on the ground, which slide, roll and spin against it; balls touch each other too, if the law allows that
 * two free bodies meet. shape 0: balls or disks; 1: with the frame layout; 2: ellipsoids, or cylinders of a law of lines. */
static void add_bodies(rps_world *world, const rps_law *law, int shape) {
    const bool planar = world->options.dimension == 2, alone = (law->reads & RPS_ARRAY(weight)) != 0;
    const double radius = 0.01;
    add_ground(world, rps_vec3_make(0.0, 0.0, 1.0));
    for (int k = 0; k < 11; k++) {
        rps_body_def def = rps_body_def_default();
        def.shape = shape == 2 ? (law->lines ? "cylinder" : "ellipsoid") : planar ? "disk" : "sphere";
        if (shape == 2) {
            const double lines[3] = {radius, 2.0 * radius, 0.0}, axes[3] = {radius, 1.2 * radius, 1.1 * radius};
            memcpy(def.parameter, law->lines ? lines : axes, sizeof lines);
            if (law->lines) { /* lying along y */
                def.orientation[0] = def.orientation[1] = sqrt(0.5);
                def.orientation[2] = def.orientation[3] = 0.0;
            }
        } else {
            def.radius = radius;
        }
        def.mass = 0.01;
        const bool apart = alone || shape == 2;
        to_array(def.position, rps_vec3_make((apart ? 3.0 : 1.999) * radius * k, 0.0,
                                             (shape == 2 && !law->lines ? 1.099 : 0.999) * radius));
        to_array(def.velocity, rps_vec3_make(uniform(3, (uint64_t)k, -0.1, 0.1), 0.0, -0.02));
        to_array(def.angular_velocity,
                 rps_vec3_make(0.0, uniform(4, (uint64_t)k, -9.0, 9.0), planar || law->lines ? 0.0 : 5.0));
        MUST(rps_world_add_body(world, &def, NULL, ERR));
    }
}

/* The state that a law leads to. */
static void run_law(const rps_law *law, int form, uint64_t draw, int shape, bool check, bool results,
                    uint64_t hash[2]) {
    subject s = subject_of(law, form, draw, ANY);
    while (shape > 0 && s.setup->projects) { /* that is for the records of shape 0 alone */
        subject_release(&s);
        s = subject_of(law, form, draw += 4, ANY);
    }
    s.world->options.check_laws = check;
    s.world->options.frames = shape == 1;
    for (int k = 0; k < RPS_GUARD_COUNT; k++) s.world->options.guards.action[k] = RPS_GUARD_OFF;
    add_bodies(s.world, law, shape);
    rps_error err = {0};
    rps_world_keep_contacts(s.world, results);
    rps_status status = rps_world_start(s.world, &err);
    if (status == RPS_OK) assert_true(rps_world_contact_count(s.world) > 0);
    if (status == RPS_OK) status = rps_world_step(s.world, STEPS, &err);
    if (status != RPS_OK) fail_msg("%s, form %s, shape %d: %s", law->name, s.form_name, shape, err.text);
    MUST(rps_world_hash(s.world, hash, ERR));
    subject_release(&s);
}

static bool fits(const rps_law *law, int shape) {
    if (shape < 2) return true;
    return !law->spheres && law->dimension != 2 && !(law->reads & RPS_ARRAY(weight));
}

static void test_laws_keep_to_their_descriptors(void **state) {
    (void)state;
    static const int forms[] = {FORM_SYMMETRIC, FORM_PAPER, FORM_PER_BODY, FORM_ANGLE};
    int runs = 0;
    for (size_t n = 0; rps_law_at(n); n++) {
        const rps_law *law = rps_law_at(n);
        for (size_t f = 0; f < sizeof forms / sizeof *forms; f++) {
            for (int shape = 0; shape < SHAPES; shape++) {
                if (!fits(law, shape)) continue;
                for (int results = 0; results < 2; results++, runs++) {
                    uint64_t plain[2], checked[2];
                    run_law(law, forms[f], f, shape, false, results, plain);
                    run_law(law, forms[f], f, shape, true, results, checked);
                    if (memcmp(plain, checked, sizeof plain) != 0) {
                        fail_msg("%s law \"%s\", form %d, shape %d: other bits when it is checked",
                                 rps_role_name(law->role), law->name, forms[f], shape);
                    }
                }
            }
        }
    }
    SAY("%d worlds\n", runs);
}

/* The laws of cylinders in three dimensions, where they read the length of a strip. */
static void test_laws_of_lines(void **state) {
    (void)state;
    rps_pair pair = rps_pair_default();
    use(&pair, RPS_ROLE_NORMAL, "hertz2d", NULL);
    use(&pair, RPS_ROLE_SLIDE, "hertz2d", "friction", 0.5, NULL);
    uint64_t hash[2][2];
    for (int check = 0; check < 2; check++) {
        rps_world_options options = options_of(1e-6);
        options.check_laws = check;
        rps_world *world = world_of(&options, &pair);
        add_bodies(world, pair.law[RPS_ROLE_NORMAL], 2);
        MUST(rps_world_start(world, ERR));
        MUST(rps_world_step(world, STEPS, ERR));
        assert_true(rps_world_contact_count(world) > 0);
        MUST(rps_world_hash(world, hash[check], ERR));
        rps_world_destroy(world);
    }
    assert_memory_equal(hash[0], hash[1], sizeof hash[0]);
}

/* --- laws that do not keep to it -------------------------------------------------------------------------------------- */

static rps_status no_parameters(const rps_law_setup *setup, double *constant, rps_error *err) {
    (void)setup;
    (void)constant;
    (void)err;
    return RPS_OK;
}

/* A spring of 1e4 N/m, the tangent stiffness of which goes with the radius of a body. */
RPS_KERNEL(wide) {
    (void)constant;
    RPS_IN(overlap);
    RPS_IN_AS(radius, b->radius[0]);
    RPS_LANE(elastic_load);
    RPS_LANE(stiffness);
    RPS_LANE(contact_radius);
    RPS_AS(energy, b->energy[RPS_ROLE_NORMAL]);
    RPS_EACH_CONTACT(c) {
        double depth = overlap[c] > 0.0 ? overlap[c] : 0.0, k = 1e6 * radius[c];
        elastic_load[c] = k * depth;
        stiffness[c] = k;
        contact_radius[c] = 0.0;
        energy[c] = 0.5 * k * depth * depth;
    }
}

#define NORMAL_LOADS (RPS_ARRAY(elastic_load) | RPS_ARRAY(stiffness) | RPS_ARRAY(contact_radius) | RPS_ARRAY(energy))

static const rps_law wide_law = {
    .size = sizeof(rps_law),
    .role = RPS_ROLE_NORMAL,
    .name = "wide",
    .summary = "spring in proportion to the radius",
    .citation = "none",
    .exponent = 1.0,
    .reads = RPS_ARRAY(overlap) | RPS_ARRAY(radius),
    .writes = NORMAL_LOADS,
    .prepare = no_parameters,
    .kernel = RPS_LAW_KERNELS(wide),
};

/* Steps a world of a ball with this normal law. */
static rps_status run_normal(const rps_law *law, bool check, double *height, rps_error *err) {
    rps_pair pair = rps_pair_default();
    pair.law[RPS_ROLE_NORMAL] = law;
    rps_world_options options = options_of(1e-5);
    options.check_laws = check;
    options.gravity[2] = -9.81;
    rps_world *world = world_of(&options, &pair);
    add_ground(world, rps_vec3_make(0.0, 0.0, 1.0));
    const uint64_t ball =
        add_ball(world, rps_vec3_make(0.0, 0.0, 0.0099), 0.01, 0.01, rps_vec3_zero(), rps_vec3_zero());
    rps_status status = rps_world_start(world, err);
    if (status == RPS_OK) status = rps_world_step(world, 5, err);
    *height = position_of(world, ball).z;
    rps_world_destroy(world);
    return status;
}

/* A law of the program's own reads the radius in three dimensions: the material's order has the plane or the ball first. */
static void test_own_law_gets_what_it_declares(void **state) {
    (void)state;
    double height[2];
    for (int check = 0; check < 2; check++) {
        rps_error err = {0};
        if (run_normal(&wide_law, check, &height[check], &err) != RPS_OK) fail_msg("%s", err.text);
        assert_true(isfinite(height[check]));
    }
    assert_true(height[0] == height[1]);
}

static void assert_fault(const rps_law *law, const char *words) {
    rps_error err = {0};
    double height;
    assert_int_equal(run_normal(law, true, &height, &err), RPS_BAD_INPUT);
    if (!strstr(err.text, words)) fail_msg("expected \"%s\" in: %s", words, err.text);
}

/* The value that it reads is hidden in a choice, so that no number becomes NaN. */
RPS_KERNEL(sly) {
    (void)constant;
    for (int c = 0; c < b->count; c++) {
        const double depth = b->overlap[c] > 0.0 ? b->overlap[c] : 0.0;
        b->elastic_load[c] = (b->mass_eff[c] > 1e-3 ? 1e4 : 2e4) * depth;
        b->stiffness[c] = 1e4;
        b->contact_radius[c] = b->energy[RPS_ROLE_NORMAL][c] = 0.0;
    }
}

RPS_KERNEL(pushy) {
    (void)constant;
    for (int c = 0; c < b->count; c++) {
        b->elastic_load[c] = b->stiffness[c] = b->contact_radius[c] = b->energy[RPS_ROLE_NORMAL][c] = 0.0;
        b->slide_force[1][c] = 0.0;
    }
}

RPS_KERNEL(lazy) {
    (void)constant;
    for (int c = 0; c < b->count; c++) b->elastic_load[c] = b->contact_radius[c] = b->energy[RPS_ROLE_NORMAL][c] = 0.0;
}

static void test_wrong_laws_are_found(void **state) {
    (void)state;
    rps_law law = wide_law;
    law.name = "wrong";
    law.reads = RPS_ARRAY(overlap);
    assert_fault(&law, "normal law \"wrong\" reads radius of a batch");
    law = wide_law;
    law.reads = RPS_ARRAY(radius);
    assert_fault(&law, "reads overlap of a batch");
    law = wide_law;
    law.writes = RPS_ARRAY(elastic_load) | RPS_ARRAY(energy) | RPS_ARRAY(stiffness);
    assert_fault(&law, "writes contact_radius of a batch");
    law.writes = NORMAL_LOADS & ~RPS_ARRAY(energy);
    assert_fault(&law, "writes energy of a batch");
    law.writes = NORMAL_LOADS;
    law.reads = RPS_ARRAY(overlap);
    for (int k = 0; k < 3; k++) law.kernel[k] = sly;
    assert_fault(&law, "reads mass_eff of a batch");
    for (int k = 0; k < 3; k++) law.kernel[k] = pushy;
    assert_fault(&law, "writes slide_force of a batch");
    for (int k = 0; k < 3; k++) law.kernel[k] = lazy;
    assert_fault(&law, "does not write stiffness of a batch");
}

/* Without the check a law that reads what it does not declare gets NaN, which the guard of numbers stops. */
static void test_undeclared_arrays_hold_nan(void **state) {
    (void)state;
    rps_law law = wide_law;
    law.reads = RPS_ARRAY(overlap);
    rps_error err = {0};
    double height;
    assert_int_not_equal(run_normal(&law, false, &height, &err), RPS_OK);
    assert_true(strlen(err.text) > 20);
}

/* --- declarations that cannot be true --------------------------------------------------------------------------------- */

static void assert_refused_law(const rps_law *law, const char *words) {
    rps_error err = {0};
    rps_world_options options = options_of(1e-5);
    rps_world *world = NULL;
    MUST(rps_world_create(&options, &world, ERR));
    assert_int_equal(rps_world_register_law(world, law, &err), RPS_BAD_INPUT);
    if (!strstr(err.text, words)) fail_msg("expected \"%s\" in: %s", words, err.text);
    rps_world_destroy(world);
}

static void test_refusals(void **state) {
    (void)state;
    rps_law law = wide_law;
    law.reads = law.writes = 0;
    assert_refused_law(&law, "declares neither .reads nor .writes");
    law = wide_law;
    law.reads |= RPS_ARRAY(cap_load);
    assert_refused_law(&law, "reads cap_load, which does not exist");
    law.reads = RPS_ARRAY(slide_force);
    assert_refused_law(&law, "reads slide_force");
    law.reads = UINT64_C(1) << RPS_ARRAY_COUNT;
    assert_refused_law(&law, "an array of no name");
    law.reads = RPS_ARRAY(overlap) | RPS_ARRAY(length);
    assert_refused_law(&law, "reads length, which only laws of contacts along lines have");
    law = wide_law;
    law.writes |= RPS_ARRAY(damping_load);
    assert_refused_law(&law, "writes damping_load");
    law.writes = NORMAL_LOADS | RPS_ARRAY(elastic);
    assert_refused_law(&law, "writes elastic");
    law.writes = RPS_ARRAY(stiffness);
    assert_refused_law(&law, "does not name elastic_load");
    law.writes = RPS_ARRAY(elastic_load);
    law.radius_exponent = 0.5;
    assert_refused_law(&law, "does not name energy");
    law = wide_law;
    law.modes = 1;
    assert_refused_law(&law, "a normal law may have at most 0");
    law = wide_law;
    law.memory[0] = (rps_law_memory){"booked", "N", "load", RPS_MEMORY_SCALAR | RPS_MEMORY_BOOK};
    assert_refused_law(&law, "does not name dissipated");
}

/* --- parameters by what they are -------------------------------------------------------------------------------------- */

/* A slide law whose parameters have names of their own: laws of roll take from it what its kinds say. */
static void test_parameters_are_shared_by_kind(void **state) {
    (void)state;
    rps_law law = *rps_law_find(RPS_ROLE_SLIDE, "tracked");
    law.name = "tracked_by_another_name";
    law.parameter[0].name = "at_rest";
    law.parameter[1].name = "in_motion";
    law.parameter[2].name = "spring";
    rps_pair pair = tracked_pair();
    pair.law[RPS_ROLE_SLIDE] = &law;
    rps_world_options options = options_of(1e-5);
    rps_world *world = world_of(&options, &pair);
    const rps_pair_setup *setup = rps_world_pair_of(world, 0, 0);
    for (int role = RPS_ROLE_ROLL; role <= RPS_ROLE_SPIN; role++) {
        for (int k = 0; k < 3; k++) assert_true(setup->effective.value[role][k] == pair.value[RPS_ROLE_SLIDE][k]);
    }
    rps_world_destroy(world);
    law.name = "odd";
    law.parameter[1].kind = RPS_PARAMETER_KIND_COUNT;
    assert_refused_law(&law, "there is no kind number");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_laws_keep_to_their_descriptors), cmocka_unit_test(test_laws_of_lines),
        cmocka_unit_test(test_own_law_gets_what_it_declares),  cmocka_unit_test(test_wrong_laws_are_found),
        cmocka_unit_test(test_undeclared_arrays_hold_nan),     cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_parameters_are_shared_by_kind),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
