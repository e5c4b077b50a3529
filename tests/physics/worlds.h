/*
 * Small worlds for tests: one material, one pair of laws, spheres and planes, and what a test reads back. Every call
 * that fails ends the test with the library's sentence. Header only, so that other folders of tests can use it.
 */
#ifndef TESTS_PHYSICS_WORLDS_H
#define TESTS_PHYSICS_WORLDS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#include <repose/repose.h>

#include "base/elementary.h"
#include "base/random.h"
#include "base/vec.h"

#define MUST(call)                                           \
    do {                                                     \
        rps_error must_err = {0};                            \
        if ((call) != RPS_OK) fail_msg("%s", must_err.text); \
    } while (0)
/* the error that MUST reads */
#define ERR (&must_err)

/* Says a measured number in the output of the suite. */
#define SAY(...) print_message("# " __VA_ARGS__)

/* measured <= limit, or the test ends with both numbers. */
#define ASSERT_BELOW(measured, limit)                                           \
    do {                                                                        \
        double m_ = (measured), l_ = (limit);                                   \
        if (!(m_ <= l_)) fail_msg("%s is %.6g, above %.6g", #measured, m_, l_); \
    } while (0)
#define ASSERT_ABOVE(measured, limit)                                           \
    do {                                                                        \
        double m_ = (measured), l_ = (limit);                                   \
        if (!(m_ >= l_)) fail_msg("%s is %.6g, below %.6g", #measured, m_, l_); \
    } while (0)
#define ASSERT_NEAR(measured, expected, tolerance)                                                              \
    do {                                                                                                        \
        double m_ = (measured), e_ = (expected), t_ = (tolerance);                                              \
        if (!(fabs(m_ - e_) <= t_)) fail_msg("%s is %.12g, expected %.12g within %.3g", #measured, m_, e_, t_); \
    } while (0)

static inline double uniform(uint64_t stream, uint64_t n, double low, double high) {
    return low + (high - low) * rps_random_uniform(17, RPS_RANDOM_TEST, stream, n);
}

/* Three numbers of deviation 1. */
static inline rps_vec3 random_vec(uint64_t stream, uint64_t n) {
    return rps_vec3_make(rps_random_normal(17, RPS_RANDOM_TEST, stream, 3 * n),
                         rps_random_normal(17, RPS_RANDOM_TEST, stream, 3 * n + 1),
                         rps_random_normal(17, RPS_RANDOM_TEST, stream, 3 * n + 2));
}

static inline rps_vec3 random_direction(uint64_t stream, uint64_t n) {
    return rps_vec3_normalize(random_vec(stream, n));
}

/* --- laws --------------------------------------------------------------------------------------------------------- */

/* A law by name, with values by name: use(&pair, RPS_ROLE_SLIDE, "tracked", "static", .25, ..., NULL). */
static inline void use(rps_pair *pair, rps_role role, const char *law, ...) {
    MUST(rps_pair_law(pair, role, law, ERR));
    va_list list;
    va_start(list, law);
    for (const char *name; (name = va_arg(list, const char *));) {
        const double value = va_arg(list, double);
        int k = 0;
        while (pair->law[role]->parameter[k].name && strcmp(pair->law[role]->parameter[k].name, name) != 0) k++;
        if (k < RPS_LAW_PARAMETERS && pair->law[role]->parameter[k].choices) {
            pair->value[role][k] = value; /* the number of a word */
        } else {
            MUST(rps_pair_set(pair, role, name, value, ERR));
        }
    }
    va_end(list);
}

/* Hooke 1e5 N/m, no damping, tracked slide, roll and spin on mu_s .5, mu_k .4, K_E 5e4 N/m. */
static inline rps_pair tracked_pair(void) {
    rps_pair pair = rps_pair_default();
    use(&pair, RPS_ROLE_NORMAL, "hooke", "stiffness", 1e5, NULL);
    use(&pair, RPS_ROLE_SLIDE, "tracked", "static", 0.5, "kinetic", 0.4, "stiffness", 5e4, NULL);
    use(&pair, RPS_ROLE_ROLL, "tracked", "eta", 0.3, NULL);
    use(&pair, RPS_ROLE_SPIN, "tracked", "eta", 0.2, NULL);
    return pair;
}

/* --- worlds ------------------------------------------------------------------------------------------------------- */

static inline rps_world_options options_of(double step) {
    rps_world_options options = rps_world_options_default();
    options.step = step;
    options.threads = 1;
    return options;
}

/* Own laws are registered before the pair is set. */
static inline rps_world *world_of_material(const rps_world_options *options, const rps_pair *pair,
                                           rps_material material) {
    rps_world *world = NULL;
    MUST(rps_world_create(options, &world, ERR));
    MUST(rps_world_add_material(world, &material, NULL, ERR));
    for (int role = 0; role < RPS_ROLE_COUNT; role++) {
        const rps_law *law = pair->law[role];
        if (law && !rps_world_find_law(world, (rps_role)role, law->name)) {
            MUST(rps_world_register_law(world, law, ERR));
        }
    }
    MUST(rps_world_set_pair(world, 0, 0, pair, ERR));
    return world;
}

/* The laws of the first material with itself are refused, with these words. */
static inline void assert_pair_refused(rps_world *world, const rps_pair *pair, const char *words) {
    rps_error err = {0};
    assert_int_equal(rps_world_set_pair(world, 0, 0, pair, &err), RPS_BAD_INPUT);
    if (!strstr(err.text, words)) fail_msg("`%s` does not say `%s`", err.text, words);
}

static inline rps_world *world_of(const rps_world_options *options, const rps_pair *pair) {
    rps_material material = rps_material_default();
    material.name = "stuff";
    material.young = 1e7;
    material.poisson = 0.3;
    return world_of_material(options, pair, material);
}

static inline void to_array(double out[3], rps_vec3 v) {
    out[0] = v.x;
    out[1] = v.y;
    out[2] = v.z;
}

/* A free sphere; mass <= 0: fixed. */
static inline uint64_t add_ball(rps_world *world, rps_vec3 x, double radius, double mass, rps_vec3 v, rps_vec3 w) {
    rps_body_def def = rps_body_def_default();
    uint64_t id = 0;
    def.radius = radius;
    if (mass > 0.0) {
        def.mass = mass;
    } else {
        def.kind = RPS_BODY_FIXED;
    }
    to_array(def.position, x);
    to_array(def.velocity, v);
    to_array(def.angular_velocity, w);
    MUST(rps_world_add_body(world, &def, &id, ERR));
    return id;
}

static inline uint64_t add_ground(rps_world *world, rps_vec3 normal) {
    const rps_body_def def = rps_body_plane(normal.x, normal.y, normal.z);
    uint64_t id = 0;
    MUST(rps_world_add_body(world, &def, &id, ERR));
    return id;
}

static inline void start(rps_world *world) {
    rps_world_keep_contacts(world, true);
    MUST(rps_world_start(world, ERR));
}

static inline void advance(rps_world *world, uint64_t steps) {
    MUST(rps_world_step(world, steps, ERR));
}

static inline const double *field_of(const rps_world *world, const char *field, uint64_t id) {
    rps_view view;
    MUST(rps_world_view(world, field, &view, ERR));
    return (const double *)((const char *)view.data + rps_world_slot(world, id) * view.stride);
}

static inline rps_vec3 vec_of(const rps_world *world, const char *field, uint64_t id) {
    const double *x = field_of(world, field, id);
    return rps_vec3_make(x[0], x[1], x[2]);
}

static inline rps_vec3 position_of(const rps_world *world, uint64_t id) {
    double x[3];
    MUST(rps_world_body_position(world, id, x, ERR));
    return rps_vec3_make(x[0], x[1], x[2]);
}

static inline rps_vec3 velocity_of(const rps_world *world, uint64_t id) {
    double v[3];
    MUST(rps_world_body_velocity(world, id, v, ERR));
    return rps_vec3_make(v[0], v[1], v[2]);
}

static inline rps_vec3 turning_of(const rps_world *world, uint64_t id) {
    double w[3];
    MUST(rps_world_body_angular_velocity(world, id, w, ERR));
    return rps_vec3_make(w[0], w[1], w[2]);
}

static inline rps_contact contact_of(const rps_world *world, uint64_t a, uint64_t b, bool *found) {
    rps_contact contact = {0};
    bool exists;
    MUST(rps_world_contact(world, a, b, &contact, &exists, ERR));
    if (found) {
        *found = exists;
    } else if (!exists) {
        fail_msg("bodies %d and %d do not touch at t = %g s", (int)a, (int)b, rps_world_time(world));
    }
    return contact;
}

static inline rps_vec3 as_vec(const double v[3]) {
    return rps_vec3_make(v[0], v[1], v[2]);
}

static inline rps_ledger ledger_of(rps_world *world) {
    rps_ledger ledger = {0};
    MUST(rps_world_ledger(world, &ledger, ERR));
    return ledger;
}

static inline double dissipated_of(const rps_ledger *ledger) {
    double sum = 0.0;
    for (int role = 0; role < RPS_ROLE_COUNT; role++) sum += ledger->dissipated[role];
    return sum;
}

#endif
