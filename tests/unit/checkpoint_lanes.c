/*
 * Checkpoints of other versions of a law: memories are found by name. The same law with its memories in another order
 * goes on with the same bits; a memory that the checkpoint lacks begins at 0 only if the law allows it; one that the
 * law lacks is refused by name unless it is 0. Unknown sections are refused by name, damaged names with a sentence.
 */
#include "../physics/worlds.h"

#include <stdlib.h>
#include <unistd.h>

#include <repose/law_kernel.h>

#include "io/state.h"

static char file[] = "/tmp/repose-lanes-XXXXXX";

/* --- one law in several versions ---------------------------------------------------------------------------------- */

#define SPRING 5e4

/* A spring of slide, the length of its path, and a vector that stays 0. constant: which memory is which, -1: none. */
RPS_KERNEL(counted) {
    const int xi = (int)constant[0], path = (int)constant[1], idle = (int)constant[2];
    for (int k = 0; k < b->count; k++) {
        double way2 = 0.0, xi2 = 0.0;
        for (int axis = 0; axis < 3; axis++) {
            const double x = b->memory[xi][axis][k] + b->slip[axis][k];
            b->memory[xi][axis][k] = x;
            b->slide_force[axis][k] = SPRING * x;
            xi2 += x * x;
            way2 += b->slip[axis][k] * b->slip[axis][k];
            if (idle >= 0) b->memory[idle][axis][k] = 0.0;
        }
        if (path >= 0) b->memory[path][0][k] += sqrt(way2);
        b->energy[RPS_ROLE_SLIDE][k] = 0.5 * SPRING * xi2;
        b->dissipated[RPS_ROLE_SLIDE][k] = 0.0;
    }
}

#define VERSION(version, xi, path, idle)                                                                \
    static rps_status prepare_##version(const rps_law_setup *setup, double *constant, rps_error *err) { \
        (void)setup, (void)err;                                                                         \
        constant[0] = xi, constant[1] = path, constant[2] = idle;                                       \
        return RPS_OK;                                                                                  \
    }
VERSION(both, 0, 1, -1)
VERSION(turned, 1, 0, -1)
VERSION(spring, 0, -1, -1)
VERSION(idle, 1, -1, 0)

static rps_law_spring stiffness(const double *constant, const rps_law_contact *contact) {
    (void)constant, (void)contact;
    return (rps_law_spring){.stiffness = SPRING};
}

#define XI \
    { "xi", "m", "accumulated slip", RPS_MEMORY_TANGENT }
#define PATH(name, kind) \
    { name, "m", "length of the path", kind }
#define LAW(version, ...)                                                                                            \
    {                                                                                                                \
        .size = sizeof(rps_law), .role = RPS_ROLE_SLIDE, .name = "counted", .summary = "spring", .citation = "none", \
        .memory = {__VA_ARGS__}, .reads = RPS_ARRAY(slip),                                                           \
        .writes = RPS_ARRAY(slide_force) | RPS_ARRAY(energy) | RPS_ARRAY(dissipated), .prepare = prepare_##version,  \
        .spring = stiffness, .kernel = RPS_LAW_KERNELS(counted)                                                      \
    }

static const rps_law both = LAW(both, XI, PATH("path", RPS_MEMORY_SCALAR)),
                     late = LAW(both, XI, PATH("path", RPS_MEMORY_SCALAR | RPS_MEMORY_FROM_ZERO)),
                     turned = LAW(turned, PATH("path", RPS_MEMORY_SCALAR), XI), spring = LAW(spring, XI),
                     renamed = LAW(both, XI, PATH("way", RPS_MEMORY_SCALAR)),
                     renamed_late = LAW(both, XI, PATH("way", RPS_MEMORY_SCALAR | RPS_MEMORY_FROM_ZERO)),
                     idle = LAW(idle, {"idle", "m", "always 0", RPS_MEMORY_TANGENT}, XI),
                     wide = LAW(spring, XI, PATH("path", RPS_MEMORY_TANGENT));

static rps_world *set_up(const rps_law *law, bool frames) {
    rps_world_options options = options_of(5e-6);
    options.gravity[2] = -9.81;
    options.frames = frames;
    rps_pair pair = rps_pair_default();
    use(&pair, RPS_ROLE_NORMAL, "hooke", "stiffness", 1e5, NULL);
    MUST(rps_pair_own_law(&pair, law, ERR));
    rps_world *world = world_of(&options, &pair);
    rps_body_def def = rps_body_def_default();
    def.shape = "plane";
    def.kind = RPS_BODY_FIXED;
    def.normal[2] = 1.0;
    MUST(rps_world_add_body(world, &def, NULL, ERR));
    for (int k = 0; k < 40; k++) {
        rps_vec3 x = {0.00999 * (k % 4), 0.00999 * (k / 4 % 4), 0.00499 + 0.00999 * (k / 16)};
        add_ball(world, x, 0.005, 1e-3, rps_vec3_scale(random_vec(1, (uint64_t)k), 0.1), random_vec(2, (uint64_t)k));
    }
    return world;
}

typedef struct mark {
    uint64_t word[2];
} mark;

static mark hash_of(const rps_world *world) {
    mark hash;
    MUST(rps_world_hash(world, hash.word, ERR));
    return hash;
}

static void assert_same(mark a, mark b) {
    assert_memory_equal(&a, &b, sizeof a);
}

/* Writes the state after 20 steps to the file. */
static rps_world *saved(const rps_law *law, bool frames) {
    rps_world *world = set_up(law, frames);
    advance(world, 20);
    assert_true(rps_world_contact_count(world) > 50);
    MUST(rps_world_save(world, file, ERR));
    return world;
}

static rps_world *restored(const rps_law *law, bool frames) {
    rps_world *world = set_up(law, frames);
    MUST(rps_world_restore(world, file, ERR));
    return world;
}

/* The file is refused with all of these words, and the world is unchanged. */
static void refused(const rps_law *law, bool frames, const char *const word[], int words) {
    rps_error err = {0};
    rps_world *world = set_up(law, frames);
    const mark before = hash_of(world);
    assert_int_equal(rps_world_restore(world, file, &err), RPS_BAD_INPUT);
    for (int k = 0; k < words; k++) {
        if (!strstr(err.text, word[k])) fail_msg("expected \"%s\" in: %s", word[k], err.text);
    }
    assert_same(before, hash_of(world));
    rps_world_destroy(world);
}
#define REFUSED(law, frames, ...)                                             \
    refused(law, frames, (const char *const[]){__VA_ARGS__, file, "version"}, \
            (int)(sizeof((const char *const[]){__VA_ARGS__, file, "version"}) / sizeof(char *)))

/* Both go on equally: every body has the same bits in all fields that do not depend on the memories of the law. */
static void assert_go_on_equally(rps_world *a, rps_world *b) {
    advance(a, 60);
    advance(b, 60);
    static const char *const field[] = {"position", "velocity", "angular_velocity", "force", "torque", "orientation"};
    for (size_t f = 0; f < sizeof field / sizeof *field; f++) {
        rps_view x, y;
        MUST(rps_world_view(a, field[f], &x, ERR));
        MUST(rps_world_view(b, field[f], &y, ERR));
        assert_int_equal(x.count, y.count);
        for (size_t k = 0; k < x.count; k++) {
            assert_memory_equal((const char *)x.data + k * x.stride, (const char *)y.data + k * y.stride,
                                (size_t)x.components * sizeof(double));
        }
    }
}

/* --- versions ----------------------------------------------------------------------------------------------------- */

static void test_equal(void **state) {
    (void)state;
    for (int frames = 0; frames < 2; frames++) {
        rps_world *through = saved(&both, frames), *after = restored(&both, frames);
        assert_same(hash_of(through), hash_of(after));
        assert_go_on_equally(through, after);
        assert_same(hash_of(through), hash_of(after));
        rps_world_destroy(through);
        rps_world_destroy(after);
    }
}

/* To another order of the memories and back, with steps in between: the same state as without. */
static void test_permuted(void **state) {
    (void)state;
    for (int frames = 0; frames < 2; frames++) {
        rps_world *through = saved(&both, frames), *other = restored(&turned, frames);
        assert_go_on_equally(through, other);
        MUST(rps_world_save(other, file, ERR));
        rps_world *back = restored(&both, frames);
        assert_same(hash_of(through), hash_of(back));
        rps_world_destroy(through);
        rps_world_destroy(other);
        rps_world_destroy(back);
    }
}

static void test_subset(void **state) {
    (void)state;
    for (int frames = 0; frames < 2; frames++) {
        rps_world *less = saved(&spring, frames);
        REFUSED(&both, frames, "lack", "the memory `path` of the slide law `counted`", "cannot begin at 0", "`stuff`");
        rps_world *more = restored(&late, frames);
        MUST(rps_world_save(more, file, ERR)); /* path is 0 in every contact, so nothing is lost on the way back */
        rps_world *back = restored(&spring, frames);
        assert_same(hash_of(less), hash_of(back));
        assert_go_on_equally(less, more);
        advance(back, 60);
        assert_same(hash_of(less), hash_of(back));
        rps_world_destroy(less);
        rps_world_destroy(more);
        rps_world_destroy(back);
    }
}

static void test_superset(void **state) {
    (void)state;
    for (int frames = 0; frames < 2; frames++) {
        rps_world_destroy(saved(&both, frames));
        REFUSED(&spring, frames, "hold", "the memory `path` of the slide law `counted`", "would be lost");
        REFUSED(&renamed, frames, "lack the memory `way`", "hold the memory `path`", "cannot begin at 0");
        REFUSED(&renamed_late, frames, "hold the memory `path`", "would be lost");
        REFUSED(&wide, frames, "the memory `path`", "as a number, and this version as a vector");
        rps_world *through = saved(&idle, frames), *after = restored(&spring, frames);
        assert_go_on_equally(through, after);
        rps_world_destroy(through);
        rps_world_destroy(after);
    }
}

/* --- edited files ------------------------------------------------------------------------------------------------- */

static rps_serializer sections_of(const rps_law *law) {
    rps_serializer serializer;
    rps_serializer_init(&serializer, NULL);
    rps_world *world = set_up(law, false);
    advance(world, 20);
    MUST(rps_state_save(world, &serializer, ERR));
    rps_world_destroy(world);
    return serializer;
}

static void test_unknown_sections(void **state) {
    (void)state;
    static const char *const name[] = {"heat",           "body/heat",      "contact/0/heat",
                                       "contact/99/ids", "contact/-1/ids", "contact/0/ids2",
                                       "setup of heat",  "body/",          "body/inverse_mass"};
    const double one = 1.0;
    for (size_t k = 0; k < sizeof name / sizeof *name; k++) {
        rps_serializer serializer = sections_of(&both);
        char quoted[80];
        MUST(rps_serializer_doubles(&serializer, name[k], &one, 1, ERR));
        MUST(rps_serializer_write(&serializer, file, ERR));
        snprintf(quoted, sizeof quoted, "holds `%s`", name[k]);
        REFUSED(&both, false, quoted, "does not know");
        rps_serializer_release(&serializer);
    }
}

/* The text of the first section with this name in the serializer. */
static char *text_of(rps_serializer *serializer, const char *name) {
    char *data = serializer->data;
    const size_t length = strlen(name) + 1;
    for (size_t at = 0; at + length < serializer->used; at += 8) {
        if (memcmp(data + at, name, length) == 0) return data + at + (length + 7) / 8 * 8;
    }
    fail_msg("no section %s", name);
    return NULL;
}

/* Names that are damaged under a valid checksum: no bit of the state is taken at another place. */
static void test_damaged_names(void **state) {
    (void)state;
    rps_serializer serializer = sections_of(&both);
    char *text = text_of(&serializer, "contact/0/lanes"), *kept = strdup(text);
    const size_t length = strlen(text);
    assert_non_null(kept);
    static const char other[] = "0129 \n-xS\t\001";
    size_t tries = 0;
    for (size_t at = 0; at < length; at++) {
        for (size_t k = 0; k < sizeof other; k++) { /* the terminator too */
            rps_error err = {0};
            if (kept[at] == other[k]) continue;
            text[at] = other[k];
            MUST(rps_serializer_write(&serializer, file, ERR));
            rps_world *world = set_up(&both, false);
            if (rps_world_restore(world, file, &err) != RPS_BAD_INPUT || strlen(err.text) < 40) {
                fail_msg("%s\n taken, or no sentence: %s", text, err.text);
            }
            rps_world_destroy(world);
            tries++;
        }
        text[at] = kept[at];
    }
    SAY("%d changes of one character\n", (int)tries);
    free(kept);
    rps_serializer_release(&serializer);
}

static int make_file(void **state) {
    (void)state;
    const int fd = mkstemp(file);
    return fd < 0 ? -1 : close(fd);
}

static int remove_file(void **state) {
    (void)state;
    return unlink(file);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_equal),    cmocka_unit_test(test_permuted),         cmocka_unit_test(test_subset),
        cmocka_unit_test(test_superset), cmocka_unit_test(test_unknown_sections), cmocka_unit_test(test_damaged_names),
    };
    return cmocka_run_group_tests(tests, make_file, remove_file);
}
