/* A scene is read as a tree and walked with the schema; its features are looked up by name. */
#include "coverage_common.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <repose/world.h>

#include "language/schema.h"
#include "language/yaml.h"
#include "scene/quantity.h"
#include "shape/shape.h"

/* Tried elsewhere. A name that ends with a star stands for all that begin so. */
static const char *const elsewhere[] = {
    "",                /* the scene */
    "repose",          /* its version, in every scene */
    "notes",           /* text for readers */
    "bodies[].liquid", /* films of bridges: tests/unit/liquid.sh, scenes/verification/wet_beads.yaml */
    "particles[].liquid",
    "heat*", /* heat of bodies: tests/unit/heat.sh */
    "materials.*.conductivity",
    "materials.*.heat_capacity",
    "bodies[].temperature",
    "particles[].temperature",
    "forces*", /* tests/unit/forces.sh */
    "probes.*.force",
    "force work",
    "fluid*",             /* tests/physics/fluid.c, tests/unit/fluid.sh */
    "include*",           /* tests/unit/scene_includes.c */
    "laws*",              /* needs a shared library: tests/unit/law_file.sh */
    "parameters*",        /* tests/unit/scene_formulas.c */
    "materials.*.normal", /* coefficients that pairs mix: tests/unit/scene_loops.c */
    "materials.*.damping",
    "materials.*.slide",
    "materials.*.roll",
    "materials.*.spin",
    "materials.*.bridge",
    "pairs[].bridge", /* of spheres alone: tests/physics/bridges.c, tests/determinism/bridges.c */
    "bridge*",
    "pairs[].between=all",     /* there too */
    "materials.*.young=rigid", /* tests/unit/rigid_materials.c */
    "sweep*",                  /* of `repose sweep`: tests/physics/sweep.sh */
    "variants*",               /* settings, which tests/unit/scene_stages.c reads */
    "shape mesh*",             /* needs a file: tests/unit/scene_meshes.c, tests/determinism/meshes.c */
    "bodies[].shape.mesh*",
    "particles[].pour.region.mesh*",    /* a file too: tests/unit/scene_regions.c, scene_packing.c */
    "particles[].pour.region.surface*", /* a file too: tests/unit/scene_sources.c */
    "flows.*.within.mesh*",
    "sinks.*.region.mesh*",
    "zones.*.region.mesh*",
    "probes.*.region.mesh*",
    "profiles*", /* tests/unit/profiles.sh */
    "output.profiles*",
    "output.loads*", /* of meshes, with wear: tests/unit/loads.sh, tests/physics/surface_loads.c */
    "pairs[].wear*",
    "run.on_missed=stop",             /* tests/physics/joint_chains.c */
    "run.dump*",                      /* tests/unit/dump.sh */
    "particles[].file*",              /* tests/unit/scene_particles.c */
    "particles[].generator.packing*", /* tests/unit/scene_packing.c */
    "particles[].sieve.file",         /* tests/unit/scene_sizes.c */
    "checks[].stops*",                /* a run that a guard stops: tests/physics/guards.sh */
    "checks[].bodies*",               /* of `stops` */
    "checks[].variant*",              /* of variants */
    "dimension=*",                    /* numbers */
    "bodies[].drive.table*",          /* tests/unit/scene_motion.c, tests/physics/motion_tables.c */
    "particles[].drive.table*",
    "stages[].drives.*.table*",
    "particles[].drive.force", /* refused: only single bodies seek a load */
    "particles[].drive.pressure",
    "particles[].drive.torque",
    "particles[].drive.rate",
    "bodies[].drive.torque", /* tests/physics/torque_drives.c, scenes/verification/torque_servo.yaml */
    "bodies[].drive.rate",
    "stages[].drives.*.torque",
    "stages[].drives.*.rate",
    "particles[].drive.mirror",
    "particles[].drive.direction",
    "particles[].drive.over*",
    "particles[].drive.length",
    "particles[].drive.area",
    "particles[].drive.gain",
    "particles[].drive.speed",
    "particles[].drive.stiffness",
    "bodies[].surface_velocity*", /* tests/unit/scene_surfaces.c, tests/physics/surface_velocity.c */
    "bodies[].drive.surface_velocity*",
    "particles[].surface_velocity*",
    "particles[].drive.surface_velocity*",
    "stages[].drives.*.surface_velocity*",
    "stages[].drives.*.mirror", /* of bodies[].drive: the same keys, read by the same code */
    "stages[].drives.*.angular_velocity",
    "stages[].drives.*.pressure",
    "stages[].drives.*.over*",
    "stages[].drives.*.length",
    "stages[].drives.*.area",
    "stages[].set*",  /* changes of the world and bodies that come and go: tests/unit/scene_changes.c */
    "output.stages*", /* forks: tests/unit/forks.c */
    "stages[].hold*",
    "stages[].release*",
    "stages[].remove*",
    "bodies[].enters*",
    "bodies[].held*",
    "bodies[].released*",
    "bodies[].leaves*",
    "periodic.z", /* the floor bounds z */
    "periodic.shear*", /* of worlds without floor or walls: tests/physics/shear_flow.c, scenes/verification/sheared_cell.yaml */
};

static bool is_elsewhere(const char *name) {
    for (size_t k = 0; k < sizeof elsewhere / sizeof *elsewhere; k++) {
        const size_t n = strlen(elsewhere[k]);
        const bool star = n > 0 && elsewhere[k][n - 1] == '*' && (n < 2 || elsewhere[k][n - 2] != '.');
        if (star ? strncmp(name, elsewhere[k], n - 1) == 0 : strcmp(name, elsewhere[k]) == 0) return true;
    }
    return false;
}

static size_t find(const coverage *c, const char *name) {
    for (size_t k = 0; k < c->count; k++) {
        if (strcmp(c->name[k], name) == 0) return k;
    }
    return c->count;
}

static void want(coverage *c, const char *name) {
    if (is_elsewhere(name) || find(c, name) < c->count) return;
    assert(c->count < COVERAGE_MOST);
    snprintf(c->name[c->count++], COVERAGE_NAME, "%s", name);
}

static void see(coverage *c, const char *name) {
    const size_t k = find(c, name);
    if (k < c->count) c->seen[k]++;
}

__attribute__((format(printf, 2, 3))) static const char *join(char out[COVERAGE_NAME], const char *format, ...) {
    va_list list;
    va_start(list, format);
    vsnprintf(out, COVERAGE_NAME, format, list);
    va_end(list);
    return out;
}

/* --- what there is ------------------------------------------------------------------------------------------------ */

static void want_words(coverage *c, const char *name, const char *choices) {
    char feature[COVERAGE_NAME];
    for (const char *word = choices; word && *word; word += strcspn(word, "|"), word += *word == '|') {
        want(c, join(feature, "%s=%.*s", name, (int)strcspn(word, "|"), word));
    }
}

void coverage_begin(coverage *c) {
    char name[COVERAGE_NAME];
    memset(c, 0, sizeof *c);
    for (size_t k = 0; k < rps_schema_count(); k++) {
        const rps_schema_key *key = rps_schema_at(k);
        want(c, key->path);
        want_words(c, key->path, key->choices);
        if (key->type == RPS_IS_BOOL) want_words(c, key->path, "true");
    }
    for (size_t k = 0; rps_law_at(k); k++) {
        const rps_law *law = rps_law_at(k);
        want(c, join(name, "%s %s", rps_role_name(law->role), law->name));
        for (int p = 0; p < RPS_LAW_PARAMETERS && law->parameter[p].name; p++) {
            char parameter[COVERAGE_NAME];
            want(c, join(parameter, "%.60s %s", name, law->parameter[p].name));
            want_words(c, parameter, law->parameter[p].choices);
        }
    }
    for (size_t k = 0; rps_shape_at(k); k++) {
        size_t count;
        const rps_shape *shape = rps_shape_at(k);
        const rps_shape_parameter *p = rps_schema_shape_keys(shape, &count);
        want(c, join(name, "shape %s", shape->name));
        for (size_t n = 0; n < count; n++) want(c, join(name, "shape %s %s", shape->name, p[n].name));
    }
    for (size_t k = 0; k < rps_quantity_count(); k++) {
        want(c, join(name, "%s %s", rps_quantity_at(k)->of, rps_quantity_at(k)->name));
    }
}

/* --- what a scene has --------------------------------------------------------------------------------------------- */

static void see_block(coverage *c, const rps_node *node, const char *front, const char *what) {
    char name[COVERAGE_NAME], value[COVERAGE_NAME];
    see(c, join(name, "%s %s", front, what));
    for (size_t k = 0; node->kind == RPS_NODE_MAP && k < node->count; k++) {
        char parameter[COVERAGE_NAME];
        see(c, join(parameter, "%.60s %s", name, node->entry[k].key));
        if (node->entry[k].value->text) see(c, join(value, "%.70s=%s", parameter, node->entry[k].value->text));
    }
}

static void see_probe(coverage *c, const rps_node *node) {
    static const char *const of[] = {"contact", "body", "joint", "flow", "sink", "zone", "source"};
    const char *quantity = rps_node_text(node, "quantity"), *what = "world";
    char name[COVERAGE_NAME];
    for (size_t k = 0; k < sizeof of / sizeof *of; k++) {
        if (rps_node_get(node, of[k])) what = of[k];
    }
    if (quantity) see(c, join(name, "%s %s", what, quantity));
}

static void walk(coverage *c, const rps_node *node, const char *path) {
    char below[COVERAGE_NAME];
    const rps_schema_key *key = rps_schema_find(path);
    if (!key) return;
    see(c, path);
    if (node->text) see(c, join(below, "%s=%s", path, node->text));
    if (strcmp(path, "probes.*") == 0) see_probe(c, node);
    if (key->type & RPS_IS_LAW) {
        const char *law = node->text ? node->text : rps_node_text(node, "law");
        if (law) see_block(c, node, strrchr(path, '.') + 1, law);
        return;
    }
    if (key->type & RPS_IS_SHAPE) {
        for (size_t k = 0; k < node->count; k++) see_block(c, node->entry[k].value, "shape", node->entry[k].key);
        return;
    }
    for (size_t k = 0; k < node->count; k++) {
        const char *child = node->entry[k].key;
        if (node->kind == RPS_NODE_LIST) {
            walk(c, node->entry[k].value, join(below, "%s[]", path));
            continue;
        }
        join(below, "%s%s%s", path, *path ? "." : "", child);
        if (!rps_schema_find(below)) join(below, "%s.*", path);
        walk(c, node->entry[k].value, below);
    }
}

void coverage_add(coverage *c, const char *text) {
    rps_pool pool;
    rps_node *root;
    rps_error err;
    const rps_source source = {.name = "scene", .text = text, .bytes = strlen(text)};
    rps_pool_init(&pool, NULL);
    if (rps_yaml_parse(&pool, &source, &root, &err) == RPS_OK) {
        walk(c, root, "");
    } else {
        fprintf(stderr, "%s\n", err.text);
        assert(false);
    }
    rps_pool_release(&pool);
}

size_t coverage_missing(const coverage *c, char *names, size_t bytes) {
    size_t missing = 0, used = 0;
    names[0] = '\0';
    for (size_t k = 0; k < c->count; k++) {
        if (c->seen[k] > 0) continue;
        missing++;
        const size_t n = strlen(c->name[k]) + 2;
        if (used + n < bytes)
            used += (size_t)snprintf(names + used, bytes - used, "%s%s", used ? ", " : "", c->name[k]);
    }
    return missing;
}
