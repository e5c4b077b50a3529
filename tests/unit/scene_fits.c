/*
 * Clumps of spheres that stand for a mesh: mass properties of a brick in closed form, those of its spheres, sets of many sizes; sets of
 * the mesh itself; and refusals.
 */
#include "scene_common.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <repose/run.h>

#include "base/elementary.h"
#include "scene/scene_internal.h"
#include "world/body_shape.h"
#include "world/world.h"

static char folder[] = "/tmp/repose-fits-XXXXXX";
static const char *const file_name[] = {"brick.obj", "open.obj"};

/* The brick: edges of 2, 3 and 5 cm, turned about z by the angle of 3, 4, 5, its center at (1, 2, 3) cm. */
static const double edge[3] = {2.0, 3.0, 5.0}, cosine = 0.8, sine = 0.6;

static FILE *open_file(int which) {
    char path[128];
    snprintf(path, sizeof path, "%s/%s", folder, file_name[which]);
    return fopen(path, "w");
}

static void put_brick(FILE *file, bool closed) {
    for (int k = 0; k < 8; k++) {
        const double x = (k % 2 - 0.5) * edge[0], y = (k / 2 % 2 - 0.5) * edge[1], z = (k / 4 - 0.5) * edge[2];
        fprintf(file, "v %.17g %.17g %.17g\n", cosine * x - sine * y + 1.0, sine * x + cosine * y + 2.0, z + 3.0);
    }
    fputs("f 1 3 4\nf 1 4 2\nf 5 6 8\nf 5 8 7\nf 1 2 6\nf 1 6 5\nf 3 7 8\nf 3 8 4\nf 1 5 7\nf 1 7 3\nf 2 4 8\n", file);
    if (closed) fputs("f 2 8 6\n", file);
}

static int make_files(void **state) {
    (void)state;
    if (!mkdtemp(folder)) return -1;
    for (int k = 0; k < 2; k++) {
        FILE *file = open_file(k);
        if (!file) return -1;
        put_brick(file, k == 0);
        if (fclose(file) != 0) return -1;
    }
    return 0;
}

static int remove_files(void **state) {
    char path[128];
    (void)state;
    for (int k = 0; k < 2; k++) {
        snprintf(path, sizeof path, "%s/%s", folder, file_name[k]);
        unlink(path);
    }
    return rmdir(folder);
}

/* A scene with these bodies or particles, in which MESH stands for the beginning of a mesh; the caller frees it. */
static char *scene_of(const char *rest) {
    enum { SIZE = 8192 };
    static const char head[] = "repose: 1\n"
                               "gravity: [0, 0, -10]\n"
                               "materials: {steel: {density: 1000 kg/m^3}, bare: {}}\n"
                               "pairs:\n"
                               "  - {between: all, normal: {law: hooke, stiffness: 10 kN/m}, damping: none, slide: "
                               "none, roll: none, spin: none}\n"
                               "run: {step: 1e-5 s, until: 1e-4 s}\n";
    char *text = malloc(SIZE);
    assert_non_null(text);
    int length = snprintf(text, SIZE, "%s", head);
    for (const char *name; (name = strstr(rest, "MESH")) != NULL; rest = name + strlen("MESH")) {
        length +=
            snprintf(text + length, SIZE - (size_t)length, "%.*smesh: {file: %s", (int)(name - rest), rest, folder);
    }
    snprintf(text + length, SIZE - (size_t)length, "%s", rest);
    return text;
}

static rps_scene *build(const char *rest, rps_world **world) {
    char *text = scene_of(rest);
    rps_scene *scene = scene_make(text, world);
    free(text);
    return scene;
}

static void end(rps_world *world, rps_scene *scene) {
    rps_world_destroy(world);
    rps_scene_free(scene);
}

static rps_quat quat_of(const double q[4]) {
    return (rps_quat){q[0], q[1], q[2], q[3]};
}

/* Moments of inertia of a slot in world axes. */
static rps_mat3 tensor_of(const rps_world *world, size_t slot) {
    const rps_mat3 r = rps_quat_to_mat3(quat_of(world->bodies.orientation[slot]));
    const rps_mat3 back = rps_mat3_transpose(&r), i = rps_mat3_diagonal(rps_vec3_of(world->bodies.inertia[slot]));
    const rps_mat3 half = rps_mat3_mul(&r, &i);
    return rps_mat3_mul(&half, &back);
}

/* Mass, center and tensor of inertia of the brick, whose file is posed as the scene says; its spheres lie within it and touch it. */
static void test_mass_of_mesh(void **state) {
    (void)state;
    rps_world *world;
    rps_scene *scene = build("bodies:\n"
                             "  - {name: brick, shape: {MESH/brick.obj, unit: cm, spheres: 12}}, material: steel, "
                             "position: [7 cm, 0, 1 cm], "
                             "orientation: {axis: [1, 0, 0], angle: 90 deg}}\n",
                             &world);
    const size_t slot = rps_world_slot(world, 0);
    const rps_bodies *b = &world->bodies;
    const double mass = 1000.0 * 30e-6;
    assert_true(fabs(b->mass[slot][0] / mass - 1.0) < 1e-12); /* round-off of sums over triangles */
    /* the turn brings (x, y, z) to (x, -z, y) */
    const double center[3] = {0.07 + 0.01, -0.03, 0.01 + 0.02};
    for (int k = 0; k < 3; k++) assert_true(fabs(b->pose[slot].position[k] - center[k]) < 1e-14);
    /* in axes of the brick, in m^2; then about z of the file, then into the world */
    double own[3];
    for (int k = 0; k < 3; k++) {
        own[k] = 1e-4 * mass / 12.0 * (edge[(k + 1) % 3] * edge[(k + 1) % 3] + edge[(k + 2) % 3] * edge[(k + 2) % 3]);
    }
    const double xx = cosine * cosine * own[0] + sine * sine * own[1],
                 yy = sine * sine * own[0] + cosine * cosine * own[1], xy = cosine * sine * (own[0] - own[1]);
    const rps_mat3 expected = {{{xx, 0.0, xy}, {0.0, own[2], 0.0}, {xy, 0.0, yy}}}, got = tensor_of(world, slot);
    for (int k = 0; k < 9; k++) {
        assert_true(fabs(got.m[k / 3][k % 3] - expected.m[k / 3][k % 3]) < 1e-12 * own[0]);
    }
    assert_int_equal(b->pieces[slot][0], 12);
    const rps_piece *piece = &world->piece[b->piece[slot][0]];
    const rps_quat turn = quat_of(b->orientation[slot]);
    for (int k = 0; k < 12; k++) {
        const rps_vec3 at = rps_quat_rotate(turn, rps_vec3_of(piece[k].offset));
        /* back to the axes of the file, then to those of the brick */
        const double x = at.x, y = at.z, z = -at.y, to[3] = {cosine * x + sine * y, cosine * y - sine * x, z};
        double room = INFINITY;
        for (int c = 0; c < 3; c++) room = fmin(room, 0.005 * edge[c] - fabs(to[c]));
        assert_true(fabs(room - piece[k].radius) < 1e-14);
    }
    /* a body with the volume of the brick counts as so large in forces and guards */
    assert_true(fabs(rps_body_equal_radius(world, slot) - rps_cbrt(30e-6 * 0.75 / RPS_PI)) < 1e-14);
    end(world, scene);
}

/* A given mass and given moments; fixed bodies of a material without density. The spheres alone weigh less. */
static void test_given_masses(void **state) {
    (void)state;
    rps_world *world;
    rps_scene *scene =
        build("bodies:\n"
              "  - {name: a, shape: {MESH/brick.obj, unit: cm, spheres: 12}}, material: bare, mass: 12 kg}\n"
              "  - {name: b, shape: {MESH/brick.obj, unit: cm, spheres: 12}}, material: bare, mass: 2 kg, inertia: [1, "
              "1.5, 2], "
              "position: [1, 0, 0]}\n"
              "  - {name: c, shape: {MESH/brick.obj, unit: cm, spheres: 12}}, material: bare, fixed: true, position: "
              "[2, 0, 0]}\n"
              "  - {name: d, shape: {MESH/brick.obj, unit: cm, spheres: 12, mass_of: spheres}}, material: steel, "
              "position: [3, "
              "0, 0]}\n",
              &world);
    const rps_bodies *b = &world->bodies;
    const size_t a = rps_world_slot(world, 0), given = rps_world_slot(world, 1), c = rps_world_slot(world, 2),
                 d = rps_world_slot(world, 3);
    double least = INFINITY;
    for (int k = 0; k < 3; k++) least = fmin(least, b->inertia[a][k]);
    assert_true(fabs(least - 12.0 / 12.0 * (4e-4 + 9e-4)) < 1e-14);
    /* about the axes of the file, since its numbers are */
    assert_true(b->inertia[given][1] == 1.5 && b->pose[given].position[0] == 1.0 && b->orientation[given][0] == 1.0);
    assert_true(fabs(b->pose[c].position[0] - 2.01) < 1e-14);
    assert_true(b->mass[d][0] < 0.9 * 0.03 && b->mass[d][0] > 0.5 * 0.03);
    /* one file, fitted once; all four have these spheres */
    assert_true(scene->fits != NULL && scene->fits->next == NULL);
    end(world, scene);
}

/* The hull of a brick that lacks a triangle is the brick: as a free body of triangles, and filled with spheres. */
static void test_hull(void **state) {
    (void)state;
    rps_world *world;
    rps_scene *scene = build("bodies:\n"
                             "  - {name: solid, shape: {MESH/open.obj, unit: cm, hull: true}}, material: steel}\n"
                             "  - {name: clump, shape: {MESH/open.obj, unit: cm, hull: true, spheres: 12}}, material: "
                             "steel, position: [1, 0, 0]}\n",
                             &world);
    const rps_bodies *b = &world->bodies;
    const double mass = 1000.0 * 30e-6, center[3] = {0.01, 0.02, 0.03};
    for (uint64_t id = 0; id < 2; id++) {
        const size_t slot = rps_world_slot(world, id);
        assert_true(fabs(b->mass[slot][0] / mass - 1.0) < 1e-12); /* round-off of sums over triangles */
        double sum = 0.0, least = INFINITY;
        for (int k = 0; k < 3; k++) {
            assert_true(fabs(b->pose[slot].position[k] - center[k] - (k == 0 ? (double)id : 0.0)) < 1e-14);
            sum += b->inertia[slot][k];
            least = fmin(least, b->inertia[slot][k]);
        }
        /* m/12 of the sum of two squares, each square in two of the moments */
        assert_true(fabs(sum / (mass / 6.0 * 38e-4) - 1.0) < 1e-12);
        assert_true(fabs(least / (mass / 12.0 * 13e-4) - 1.0) < 1e-12);
    }
    assert_int_equal(world->meshes, 1);
    assert_true(!scene->meshes->sizes.closed && scene->meshes->sizes.depth < 1e-16);
    assert_true(fabs(scene->meshes->sizes.hull_volume / 30e-6 - 1.0) < 1e-12);
    end(world, scene);
}

/* Sizes of a set: masses as their cubes, moments as their fifth powers, spheres in proportion. */
static void test_sizes(void **state) {
    (void)state;
    rps_world *world;
    rps_scene *scene =
        build("particles:\n"
              "  - {name: bricks, shape: {MESH/brick.obj, unit: cm, spheres: 5}}, material: steel, count: 8,\n"
              "     scale: {uniform: [0.5, 1]}, generator: {lattice: {box: [[0, 0, 0], [40 cm, 40 cm, 40 cm]], "
              "spacing: 15 cm}}}\n",
              &world);
    const rps_bodies *b = &world->bodies;
    assert_int_equal(rps_world_body_count(world), 8);
    double largest = 0.0, smallest = INFINITY;
    for (uint64_t id = 0; id < 8; id++) {
        const size_t slot = rps_world_slot(world, id);
        const double size = rps_cbrt(b->mass[slot][0] / 0.03), mass = b->mass[slot][0];
        largest = fmax(largest, size);
        smallest = fmin(smallest, size);
        double trace = 0.0;
        for (int k = 0; k < 3; k++) trace += b->inertia[slot][k];
        assert_true(fabs(trace / (mass * size * size / 6.0 * 38e-4) - 1.0) < 1e-12);
        assert_true(fabs(world->piece[b->piece[slot][0]].radius / (0.01 * size) - 1.0) < 1e-2); /* of the grid */
    }
    assert_true(smallest > 0.5 && largest < 1.0 && largest > smallest);
    end(world, scene);
}

/* Particles with the mesh itself as their shape: each size in its part, the center of mass at the place, mass and moments in closed
 * form. */
static void test_meshes(void **state) {
    (void)state;
    static const char *const list[] = {"{list: [[0.5, 1], [1, 1], [0.8, 2]]}, by: number", "{list: [[0.5, 1], [1, 1]]}",
                                       "0.7"};
    for (int n = 0; n < 3; n++) {
        char text[1024];
        snprintf(
            text, sizeof text,
            "particles:\n  - {name: a, shape: {MESH/brick.obj, unit: cm%s}}, material: steel, count: 8, scale: %s, "
            "generator: {lattice: {box: [[0, 0, 0], [40 cm, 40 cm, 40 cm]], spacing: 20 cm}}}\n",
            n == 2 ? ", hull: true" : "", list[n]);
        rps_world *world;
        rps_scene *scene = build(text, &world);
        const rps_bodies *b = &world->bodies;
        assert_int_equal(world->meshes, n == 0 ? 3 : n == 1 ? 2 : 1);
        int count[3] = {0, 0, 0};
        for (uint64_t id = 0; id < 8; id++) {
            const size_t slot = rps_world_slot(world, id);
            static const double sizes[3] = {0.5, 1.0, 0.8};
            const double mass = b->mass[slot][0], size = rps_cbrt(mass / 0.03);
            double trace = 0.0, nearest = INFINITY;
            for (int k = 0; k < 3; k++) {
                trace += b->inertia[slot][k];
                count[k] += fabs(size - sizes[k]) < 1e-12;
                /* the center of mass, to round-off of the file's 3 cm */
                const double at = b->pose[slot].position[k];
                nearest = fmin(nearest, fabs(at - 0.2 * floor(at / 0.2 + 0.5)));
            }
            assert_true(nearest < 1e-15);
            assert_true(fabs(trace / (mass * size * size / 6.0 * 38e-4) - 1.0) < 1e-12);
            /* the sphere that holds the brick, and the one of its volume */
            assert_true(fabs(world->piece[b->piece[slot][0]].radius / (0.005 * sqrt(38.0) * size) - 1.0) < 1e-12);
            assert_true(fabs(rps_body_equal_radius(world, slot) / (0.01 * rps_cbrt(22.5 / RPS_PI) * size) - 1.0) <
                        1e-12);
            if (n == 2) assert_true(fabs(size - 0.7) < 1e-12);
        }
        if (n == 0) assert_true(count[0] == 2 && count[1] == 2 && count[2] == 4);
        if (n == 1) assert_true(count[0] + count[1] == 8 && count[0] > 0 && count[1] > 0);
        end(world, scene);
    }
}

static void test_refusals(void **state) {
    (void)state;
#define BODY(FILE, KEYS) "bodies:\n  - {name: a, shape: {MESH/" FILE ", unit: cm, " KEYS "}}, material: steel}\n"
#define LATTICE "generator: {lattice: {box: [[0, 0, 0], [40 cm, 40 cm, 40 cm]], spacing: 15 cm}}"
#define MESHES(FILE, REST) \
    "particles:\n  - {name: a, shape: {MESH/" FILE ", unit: cm}}, material: steel, count: 2, " REST "}\n"
#define SET(KEYS)                                                                                                  \
    "particles:\n  - {name: a, shape: {MESH/brick.obj, unit: cm" KEYS "}}, material: steel, count: 2, generator: " \
    "{lattice: {box: [[0, 0, 0], [40 cm, 40 cm, 40 cm]], spacing: 15 cm}}, scale: {uniform: [0.5, 1]}}\n"
    static const struct {
        const char *rest, *part;
    } broken[] = {
        {BODY("open.obj", "spheres: 5"), "open.obj: spheres fill a closed mesh with a volume, and this one is open"},
        {BODY("no.obj", "spheres: 5"), "no.obj"},
        {BODY("brick.obj", "spheres: 0"), "`spheres` is a whole number from 1 to 10000, not 0"},
        {BODY("brick.obj", "spheres: 2.5"), "`spheres` is a whole number from 1 to 10000, not 2.5"},
        {BODY("brick.obj", "spheres: -3"), "`spheres` must be"},
        {BODY("brick.obj", "spheres: 1e9"), "`spheres` must be"},
        {BODY("brick.obj", "spheres: 5, least_radius: 2 cm"), "no sphere of a radius of 0.02 m and more fits"},
        {BODY("brick.obj", "spheres: 5, mass_of: water"), "`mass_of` must be one of mesh|spheres"},
        {BODY("brick.obj", "spheres: 5, flip: true"), "leave out `flip`"},
        {BODY("brick.obj", "spheres: 5, side: inner"), "leave out `side`"},
        {BODY("brick.obj", "least_radius: 1 mm"), "`least_radius` is that of a clump that stands for the mesh"},
        {BODY("brick.obj", "mass_of: mesh"), "`mass_of` is that of a clump"},
        {"bodies:\n  - {name: a, pieces: [{shape: {MESH/brick.obj, unit: cm, spheres: 5}}}], material: steel}\n",
         "leave out `spheres`, or give the whole body as `shape`"},
        {"bodies:\n  - {name: a, shape: {MESH/brick.obj, unit: cm, spheres: 5}}, material: bare}\n", "has no density"},
        {"bodies:\n  - {name: a, shape: {MESH/open.obj, unit: cm, hull: true, side: outer}}, material: steel}\n",
         "a convex hull is touched from outside"},
        {"bodies:\n  - {name: a, shape: {MESH/open.obj, unit: cm}}, material: steel}\n",
         "closed surface with a volume"},
        {SET(""), "every size of a mesh is a mesh of its own"},
        {MESHES("open.obj", LATTICE), "closed surface with a volume"},
        {MESHES("brick.obj", "generator: {packing: {region: [[0, 0, 0], [40 cm, 40 cm, 40 cm]], pressure: 1 Pa}}"),
         "does not grow until it bears a pressure"},
        {MESHES("brick.obj", "generator: {lattice: {box: [[0, 0, 0], [40 cm, 40 cm, 40 cm]], spacing: 2 cm}}"),
         "overlap"},
        {SET(", spheres: 0"), "`spheres` is a whole number from 1 to 10000, not 0"},
        {SET(", spheres: 5, mass_of: spheres"), "has sizes with `mass_of: mesh`"},
    };
    for (size_t k = 0; k < sizeof broken / sizeof *broken; k++) {
        char *text = scene_of(broken[k].rest);
        rps_run_options options = rps_run_options_default();
        rps_run_summary summary;
        rps_error err = {0};
        options.text = text;
        options.text_bytes = strlen(text);
        const rps_status status = rps_run(&options, &summary, &err);
        if (status == RPS_OK || strstr(err.text, broken[k].part) == NULL) {
            fail_msg("%s -> status %d, %s", broken[k].rest, (int)status, err.text);
        }
        free(text);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_mass_of_mesh), cmocka_unit_test(test_given_masses),
                                       cmocka_unit_test(test_hull),         cmocka_unit_test(test_sizes),
                                       cmocka_unit_test(test_meshes),       cmocka_unit_test(test_refusals)};
    return cmocka_run_group_tests(tests, make_files, remove_files);
}
