/* Meshes in scene files: what is read, what is refused with its place and remedy, and a run that comes to rest in a groove. */
#include "scene_common.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <repose/query.h>
#include <repose/run.h>

#include "world/world.h"

static char folder[] = "/tmp/repose-meshes-XXXXXX";

/* A groove of 90 degrees along y, of four triangles: x from -100 to 100, z = |x|, in the unit of the file. */
static const char groove[] =
    "solid groove\n"
    "facet normal 0 0 0\nouter loop\nvertex -100 -100 100\nvertex 0 -100 0\nvertex 0 100 0\nendloop\nendfacet\n"
    "facet normal 0 0 0\nouter loop\nvertex -100 -100 100\nvertex 0 100 0\nvertex -100 100 100\nendloop\nendfacet\n"
    "facet normal 0 0 0\nouter loop\nvertex 0 -100 0\nvertex 100 -100 100\nvertex 100 100 100\nendloop\nendfacet\n"
    "facet normal 0 0 0\nouter loop\nvertex 0 -100 0\nvertex 100 100 100\nvertex 0 100 0\nendloop\nendfacet\n"
    "endsolid groove\n";

static int make_files(void **state) {
    char path[128];
    (void)state;
    if (!mkdtemp(folder)) return -1;
    snprintf(path, sizeof path, "%s/groove.stl", folder);
    FILE *file = fopen(path, "w");
    if (!file) return -1;
    fputs(groove, file);
    if (fclose(file) != 0) return -1;
    /* a brick of 2 x 4 x 3 cm, from its corner */
    snprintf(path, sizeof path, "%s/brick.obj", folder);
    file = fopen(path, "w");
    if (!file) return -1;
    for (int k = 0; k < 8; k++) fprintf(file, "v %d %d %d\n", 2 * (k % 2), 4 * (k / 2 % 2), 3 * (k / 4));
    fputs("f 1 3 4 2\nf 5 6 8 7\nf 1 2 6 5\nf 3 7 8 4\nf 1 5 7 3\nf 2 4 8 6\n", file);
    if (fclose(file) != 0) return -1;
    /* the corner of a cube of 3 cm */
    snprintf(path, sizeof path, "%s/corner.obj", folder);
    file = fopen(path, "w");
    if (!file) return -1;
    fputs("v 0 0 0\nv 3 0 0\nv 0 3 0\nv 0 0 3\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n", file);
    return fclose(file);
}

static int remove_files(void **state) {
    char path[128];
    (void)state;
    snprintf(path, sizeof path, "%s/groove.stl", folder);
    unlink(path);
    snprintf(path, sizeof path, "%s/brick.obj", folder);
    unlink(path);
    snprintf(path, sizeof path, "%s/corner.obj", folder);
    unlink(path);
    return rmdir(folder);
}

/* FOLDER stands for the folder of the files. */
static const char base[] =
    "repose: 1\n"
    "gravity: [0, 0, -10]\n"
    "materials: {steel: {density: 1000 kg/m^3}}\n"
    "pairs:\n"
    "  - {between: [steel, steel], normal: {law: hooke, stiffness: 10 kN/m}, damping: {law: restitution, value: 0.3}, "
    "slide: "
    "none, "
    "roll: none, spin: none}\n"
    "bodies:\n"
    "  - {name: wall, shape: {mesh: {file: FOLDER/groove.stl, unit: mm}}, material: steel, fixed: true}\n"
    "  - {name: ball, shape: {sphere: {radius: 1 cm}}, material: steel, position: [0, 0, 1.45 cm]}\n"
    "run: {step: 1e-5 s, until: 0.5 s}\n";

/* The base with one edit; the caller frees it. */
static char *edited(const char *find, const char *by) {
    enum { ROOM = 8192 };
    char *text = calloc(1, ROOM), *out = calloc(1, ROOM);
    assert_true(text != NULL && out != NULL);
    const char *at = find != NULL ? strstr(base, find) : base;
    if (at == NULL) fail_msg("no %s in the scene", find);
    snprintf(text, ROOM / 2, "%.*s%s%s", (int)(at - base), base, find != NULL ? by : "",
             at + (find != NULL ? strlen(find) : 0));
    char *to = out;
    for (const char *from = text; *from != 0;) {
        const char *name = strstr(from, "FOLDER");
        const size_t before = name != NULL ? (size_t)(name - from) : strlen(from);
        memcpy(to, from, before);
        to += before;
        if (name == NULL) break;
        memcpy(to, folder, strlen(folder));
        to += strlen(folder);
        from = name + strlen("FOLDER");
    }
    free(text);
    return out;
}

static void test_rest_in_groove(void **state) {
    (void)state;
    char *text = edited(NULL, NULL);
    rps_world *world;
    rps_scene *scene = scene_make(text, &world);
    const rps_mesh *mesh = &world->mesh[0].mesh;
    assert_int_equal(world->meshes, 1);
    assert_int_equal(mesh->triangles, 4);
    assert_int_equal(mesh->side, RPS_MESH_BOTH); /* it is open */
    assert_true(mesh->box.high[0] == 0.1 && mesh->box.low[1] == -0.1);
    rps_error err;
    assert_int_equal(rps_world_step(world, 50000, &err), RPS_OK);
    /* each face carries m g/sqrt(2) */
    const double mass = 1000.0 * 4.0 / 3.0 * 3.14159265358979323846 * 1e-6, overlap = mass * 10.0 / sqrt(2.0) / 1e4;
    const double z = world->bodies.pose[rps_world_slot(world, 1)].position[2];
    assert_true(fabs(z - sqrt(2.0) * (0.01 - overlap)) < 1e-12);
    rps_world_destroy(world);
    rps_scene_free(scene);
    free(text);
}

/* Bricks that are free, or released later, fall on a plane: four tips carry a quarter of the weight each. A corner has one half on
 * the tip of its right angles and a quarter on the two others, and its center of mass a quarter of its height up. */
static void test_free_bodies(void **state) {
    (void)state;
    char *text = edited(
        "  - {name: wall, shape: {mesh: {file: FOLDER/groove.stl, unit: mm}}, material: steel, fixed: true}\n"
        "  - {name: ball, shape: {sphere: {radius: 1 cm}}, material: steel, position: [0, 0, 1.45 cm]}\n",
        "  - {name: floor, shape: {plane: {normal: [0, 0, 1]}}, material: steel, fixed: true}\n"
        "  - {name: free, shape: {mesh: {file: FOLDER/brick.obj, unit: cm}}, material: steel, position: [0, 0, 1 mm]}\n"
        "  - {name: later, shape: {mesh: {file: FOLDER/brick.obj, unit: cm}}, material: steel, fixed: true, position: "
        "[10 cm, 0, 1 mm], released: {time: 0.05 s}}\n"
        "  - {name: never, shape: {mesh: {file: FOLDER/brick.obj, unit: cm}}, material: steel, fixed: true, position: "
        "[20 cm, 0, 1 mm]}\n"
        "  - {name: corner, shape: {mesh: {file: FOLDER/corner.obj, unit: cm}}, material: steel, position: [30 cm, 0, "
        "0.01 "
        "mm]}\n"
        "probes:\n"
        "  free: {body: free, quantity: position.z}\n"
        "  later: {body: later, quantity: position.z}\n"
        "  never: {body: never, quantity: position.z}\n"
        "  corner: {body: corner, quantity: position.z}\n"
        "checks:\n"
        /* 0.24 N and 0.045 N on springs of 10 kN/m; a brick that never moves keeps the axes of its file. 1e-9: the rest of the
         * bounces */
        "  - {probe: free, final: true, expect: 14.994 mm, within: 1e-9 m}\n"
        "  - {probe: later, final: true, expect: 14.994 mm, within: 1e-9 m}\n"
        "  - {probe: never, final: true, expect: 1 mm, within: 1e-15 m}\n"
        "  - {probe: corner, final: true, expect: 7.4983125 mm, within: 1e-9 m}\n");
    rps_run_options options = rps_run_options_default();
    rps_run_summary summary;
    rps_error err = {0};
    options.text = text;
    options.text_bytes = strlen(text);
    if (rps_run(&options, &summary, &err) != RPS_OK) fail_msg("%s", err.text);
    assert_int_equal(summary.checks, 4);
    assert_int_equal(summary.checks_failed, 0);
    free(text);
}

/* The nearest point, a ray, a box: a mesh has no inside. */
static void test_queries(void **state) {
    (void)state;
    char *text = edited("position: [0, 0, 1.45 cm]", "position: [0, 0, 9 cm]");
    rps_world *world;
    rps_scene *scene = scene_make(text, &world);
    rps_error err;
    rps_hit hit;
    bool found = false;
    const double point[3] = {0.05, 0.01, 0.03}, low[3] = {-1, -1, -1}, high[3] = {0.01, 1, 1};
    assert_int_equal(rps_world_nearest_body(world, point, &hit, &found, &err), RPS_OK);
    assert_true(found && hit.id == 0);
    assert_true(fabs(hit.distance - 0.02 / sqrt(2.0)) < 1e-15); /* of x - z = 0 */
    assert_true(fabs(hit.normal[0] - sqrt(0.5)) < 1e-14 && fabs(hit.normal[2] + sqrt(0.5)) < 1e-14);
    const double from[3] = {0.03, 0.0, 1.0}, down[3] = {0.0, 0.0, -1.0};
    assert_int_equal(rps_world_cast_ray(world, from, down, 2.0, &hit, &found, &err), RPS_OK);
    assert_true(found && hit.id == 0 && fabs(hit.distance - 0.97) < 1e-12);
    const double beside[3] = {0.3, 0.0, 1.0};
    assert_int_equal(rps_world_cast_ray(world, beside, down, 2.0, &hit, &found, &err), RPS_OK);
    assert_false(found);
    assert_true(rps_body_inside(world, rps_world_slot(world, 0), low, high) == 0.0);
    rps_world_destroy(world);
    rps_scene_free(scene);
    free(text);
}

/* One file with the same keys is one mesh; another unit makes another. */
static void test_shared_file(void **state) {
    (void)state;
    char *text = edited(
        "  - {name: ball",
        "  - {name: b, shape: {mesh: {file: FOLDER/groove.stl, unit: mm}}, material: steel, fixed: true, position: "
        "[1, 0, 0]}\n"
        "  - {name: c, shape: {mesh: {file: FOLDER/groove.stl, unit: cm, side: inner, flip: true, weld: 1e-5}}, "
        "material: steel, drive: {velocity: [0, 0, 1]}, position: [0, 5, 0]}\n"
        "  - {name: ball");
    rps_world *world;
    rps_scene *scene = scene_make(text, &world);
    assert_int_equal(world->meshes, 2);
    assert_true(world->mesh[1].mesh.box.high[0] == 1.0);
    assert_int_equal(world->mesh[1].mesh.side, RPS_MESH_INNER);
    rps_world_destroy(world);
    rps_scene_free(scene);
    free(text);
}

static void test_errors(void **state) {
    (void)state;
    static const struct {
        const char *find, *by, *part;
    } broken[] = {
        {", unit: mm", "", "the key `unit` is missing in `bodies[].shape.mesh`"},
        {"unit: mm", "unit: kg", "`kg` is not a unit of length"},
        {"unit: mm", "unit: mm, side: outside", "`side` must be one of auto|outer|inner|both"},
        {"unit: mm", "unit: mm, weld: 1", "`weld` must be above 1e-09 and at most 0.01"},
        {"unit: mm", "unit: mm, size: 2", "unknown key `size` in `bodies[].shape.mesh`"},
        {"groove.stl", "grove.stl", "grove.stl"},
        {"material: steel, fixed: true}", "material: steel, mass: 1}", "this one is open"},
        {"position: [0, 0, 1.45 cm]", "place: {rest on: wall}",
         "`wall` has the shape of a mesh, on which nothing is placed"},
        {"{sphere: {radius: 1 cm}}", "{mesh: {file: FOLDER/groove.stl}}", "the key `unit` is missing"},
        {"gravity: [0, 0, -10]", "gravity: [0, 0, -10]\nperiodic: {x: 20 cm}", "a mesh that meets its own image"},
    };
    for (size_t k = 0; k < sizeof broken / sizeof *broken; k++) {
        char *text = edited(broken[k].find, broken[k].by);
        rps_run_options options = rps_run_options_default();
        rps_run_summary summary;
        rps_error err = {0};
        options.text = text;
        options.text_bytes = strlen(text);
        const rps_status status = rps_run(&options, &summary, &err);
        if (status == RPS_OK || strstr(err.text, broken[k].part) == NULL) {
            fail_msg("%s -> %s: status %d, %s", broken[k].find, broken[k].by, (int)status, err.text);
        }
        free(text);
    }
    /* a shape without contacts with meshes, as it comes near */
    char *text = edited("{sphere: {radius: 1 cm}}", "{cylinder: {radius: 0.5 cm, length: 1 cm}}");
    rps_run_options options = rps_run_options_default();
    rps_run_summary summary;
    rps_error err = {0};
    options.text = text;
    options.text_bytes = strlen(text);
    assert_int_equal(rps_run(&options, &summary, &err), RPS_UNSUPPORTED);
    assert_non_null(strstr(err.text, "contacts of a cylinder with a mesh are not known there: only spheres"));
    free(text);
}

/* A mesh fills the sphere around it no more than a wall does: a source finds places beside it, and none on it. */
static void test_source_beside_mesh(void **state) {
    (void)state;
    static const char feed[] =
        "particles:\n"
        "  - {name: feed, material: steel, radius: 2 mm, count: 20, pour: {region: [[-1 cm, -5 cm, 4 cm], [1 cm, 5 cm, "
        "6 cm]], "
        "until: 0.01 s}}\n"
        "  - {name: wedged, material: steel, radius: 2 mm, count: 1, pour: {region: [[-2.5 mm, -5 cm, 0], [2.5 mm, "
        "5 cm, 4.2 mm]], "
        "until: 0.01 s}}\n"
        "run: {step: 1e-5 s, until: 0.02 s}\n"
        "probes: {fed: {source: feed, quantity: number}, wedged: {source: wedged, quantity: number}}\n"
        "checks: [{probe: fed, final: true, expect: 20}, {probe: wedged, final: true, expect: 0}]\n";
    char *text = edited("run: {step: 1e-5 s, until: 0.5 s}\n", feed);
    rps_run_options options = rps_run_options_default();
    rps_run_summary summary;
    rps_error err = {0};
    options.text = text;
    options.text_bytes = strlen(text);
    if (rps_run(&options, &summary, &err) != RPS_OK) fail_msg("%s", err.text);
    assert_true(summary.checks == 2 && summary.checks_failed == 0);
    free(text);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_source_beside_mesh),
                                       cmocka_unit_test(test_rest_in_groove),
                                       cmocka_unit_test(test_free_bodies),
                                       cmocka_unit_test(test_shared_file),
                                       cmocka_unit_test(test_queries),
                                       cmocka_unit_test(test_errors)};
    return cmocka_run_group_tests(tests, make_files, remove_files);
}
