/*
 * Shape blocks: `shape: {ellipsoid: {semi_axes: [1 cm, 2 cm, 3 cm]}}`. The descriptor of a shape lists its
 * parameters; this file does not repeat them. Only a plane has a direction and a point instead of parameters, and a mesh
 * a file.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/c_locale.h"
#include "language/schema.h"
#include "mesh/fit_spheres.h"

enum { MOST_KEYS = 16 /* of a shape; those that are no parameters of it have room of their own */ };

static const rps_shape_parameter of_plane[MOST_KEYS] = {
    {"normal", "1", "outward normal, of any length", -INFINITY, INFINITY, 3, 0.0, 0},
    {"point", "m", "a point of the plane; the same as `position`", -INFINITY, INFINITY, 3, 0.0, RPS_SHAPE_MAY_BE_LOW},
    {0},
};

/* The unit of a word holds its choices, the first of which is the default. */
static const rps_shape_parameter of_mesh[MOST_KEYS] = {
    {"file", "", "STL, OBJ or PLY file with its triangles; the path starts at the scene file", 0.0, 0.0, 1, 0.0,
     RPS_SHAPE_TEXT},
    {"unit", "", "length of 1 in the file, as mm; STL files do not tell it", 0.0, 0.0, 1, 0.0, RPS_SHAPE_TEXT},
    {"side", "auto|outer|inner|both",
     "touched side: outer (corners run counterclockwise), inner, both of a sheet; auto: outer if it is closed, else "
     "both",
     0.0, 0.0, 1, 0.0, RPS_SHAPE_WORD},
    {"weld", "1", "points nearer than this part of the extent are one", 1e-9, 1e-2, 1, 1e-6, 0},
    {"flip", "false|true", "turns an open surface the other way", 0.0, 0.0, 1, 0.0, RPS_SHAPE_WORD},
    {"hull", "false|true", "the convex hull of the triangles, which is closed even if they are not, stands for them",
     0.0, 0.0, 1, 0.0, RPS_SHAPE_WORD},
    {"parts", "false|true",
     "the file holds convex parts, which make up one body: its groups, or the triangles that hang together", 0.0, 0.0,
     1, 0.0, RPS_SHAPE_WORD},
    {"spheres", "1", "so many spheres, fitted into the closed surface, stand for it as one body, which may be free",
     0.0, RPS_FIT_MOST, 1, 0.0, RPS_SHAPE_MAY_BE_LOW},
    {"least_radius", "m", "no sphere is smaller", 0.0, INFINITY, 1, 0.0, RPS_SHAPE_MAY_BE_LOW},
    {"mass_of", "mesh|spheres", "whose volume gives mass, center and inertia of these spheres", 0.0, 0.0, 1, 0.0,
     RPS_SHAPE_WORD},
    {0},
};

const rps_shape_parameter *rps_schema_shape_keys(const rps_shape *shape, size_t *count) {
    const rps_shape_parameter *key = shape == &rps_shape_plane  ? of_plane
                                     : shape == &rps_shape_mesh ? of_mesh
                                                                : shape->parameter;
    const size_t most = key == shape->parameter ? RPS_SHAPE_PARAMETERS : MOST_KEYS;
    *count = 0;
    while (*count < most && key[*count].name) ++*count;
    return key;
}

int rps_schema_components(const rps_shape_parameter *p) {
    return p->components > 1 ? p->components : 1;
}

const rps_shape *rps_schema_shape(const rps_node *node) {
    return rps_shape_at(rps_shape_find(node->entry[0].key));
}

void rps_schema_shape_numbers(const rps_node *node, double parameter[RPS_SHAPE_PARAMETERS]) {
    size_t keys;
    int at = 0;
    const rps_shape *shape = rps_schema_shape(node);
    const rps_shape_parameter *key = rps_schema_shape_keys(shape, &keys);
    for (int k = 0; k < RPS_SHAPE_PARAMETERS; k++) parameter[k] = NAN;
    if (shape == &rps_shape_plane || shape->by_world) return;
    for (size_t k = 0; k < keys; k++) {
        const rps_node *value = rps_node_get(node->entry[0].value, key[k].name);
        for (int c = 0; c < rps_schema_components(&key[k]); c++, at++) {
            if (value) parameter[at] = value->number[c];
        }
    }
}

/* "a list of 3, each a length, such as 22.5 mm" */
static const char *expected_of(const rps_shape_parameter *p, char *out, size_t bytes) {
    const char *unit = *p->unit ? p->unit : "1";
    char one[160];
    if (p->flags & RPS_SHAPE_TEXT) {
        snprintf(out, bytes, "a text");
        return out;
    }
    if (p->flags & RPS_SHAPE_WORD) {
        snprintf(out, bytes, "one of %s", p->unit);
        return out;
    }
    rps_units_expected(unit, one, sizeof one);
    if (rps_schema_components(p) == 1) {
        snprintf(out, bytes, "%s", one);
    } else {
        snprintf(out, bytes, "a list of %d, each %s", rps_schema_components(p), one);
    }
    return out;
}

static rps_status schema_shape_check_number(rps_node *node, const rps_shape_parameter *p, double *value,
                                            rps_error *err) {
    const char *unit = *p->unit ? p->unit : "1";
    RPS_TRY(rps_schema_quantity(node, unit, value, err));
    const bool may_be_low = p->flags & RPS_SHAPE_MAY_BE_LOW;
    if ((may_be_low ? *value >= p->low : *value > p->low) && *value <= p->high) return RPS_OK;
    char most[48] = "";
    if (p->high < INFINITY) rps_snprintf(most, sizeof most, " and at most %g", p->high);
    return rps_place_fail(err, node->place, "`%s` must be %s %g%s, not %.60s\n%s", p->name,
                          may_be_low ? "at least" : "above", p->low, most, node->text, p->meaning);
}

static rps_status check_text(const rps_node *node, const rps_shape_parameter *p, rps_error *err) {
    if (node->kind == RPS_NODE_SCALAR && *node->text != 0) return RPS_OK;
    return rps_place_fail(err, node->place, "`%s` must be a text\n%s", p->name, p->meaning);
}

/* Leaves the number of the choice. */
static rps_status check_one_of(rps_node *node, const rps_shape_parameter *p, rps_error *err) {
    const char *choice = p->unit;
    for (int k = 0; node->kind == RPS_NODE_SCALAR && *choice != 0; k++) {
        const size_t length = strcspn(choice, "|");
        if (strlen(node->text) == length && strncmp(node->text, choice, length) == 0) {
            node->number[0] = k;
            return RPS_OK;
        }
        choice += length + (choice[length] == '|');
    }
    return rps_place_fail(err, node->place, "`%s` must be one of %s\n%s", p->name, p->unit, p->meaning);
}

static rps_status schema_shape_check_parameter(rps_node *node, const rps_shape_parameter *p, rps_error *err) {
    char expected[256];
    if (p->flags & RPS_SHAPE_TEXT) return check_text(node, p, err);
    if (p->flags & RPS_SHAPE_WORD) return check_one_of(node, p, err);
    const int components = rps_schema_components(p);
    if (components == 1) return schema_shape_check_number(node, p, &node->number[0], err);
    if (node->kind != RPS_NODE_LIST || node->count != (size_t)components) {
        char count[32] = "is no list";
        if (node->kind == RPS_NODE_LIST) snprintf(count, sizeof count, "has %zu values", node->count);
        return rps_place_fail(err, node->place, "`%s` %s\n%s; expected %s", p->name, count, p->meaning,
                              expected_of(p, expected, sizeof expected));
    }
    for (int c = 0; c < components; c++) {
        rps_node *part = node->entry[c].value;
        RPS_TRY(schema_shape_check_number(part, p, &node->number[c], err));
        part->number[0] = node->number[c];
    }
    return RPS_OK;
}

static rps_status schema_shape_check_keys(const rps_node *node, const rps_shape *shape, const char *path,
                                          rps_error *err) {
    char expected[256], hint[512];
    const char *names[MOST_KEYS];
    size_t keys;
    const rps_shape_parameter *key = rps_schema_shape_keys(shape, &keys);
    for (size_t k = 0; k < keys; k++) names[k] = key[k].name;
    for (size_t i = 0; i < node->count; i++) {
        const rps_entry *entry = &node->entry[i];
        size_t k = 0;
        while (k < keys && strcmp(key[k].name, entry->key) != 0) k++;
        if (k == keys) {
            return rps_place_fail(err, entry->key_place, "unknown key `%.60s` in `%s.%s`%s", entry->key, path,
                                  shape->name, rps_suggest(entry->key, names, keys, hint, sizeof hint));
        }
        if (entry->value->kind == RPS_NODE_NULL) {
            return rps_place_fail(err, entry->key_place, "the key `%s` has no value\nexpected %s", entry->key,
                                  expected_of(&key[k], expected, sizeof expected));
        }
        RPS_TRY(schema_shape_check_parameter(entry->value, &key[k], err));
    }
    for (size_t k = 0; k < keys; k++) {
        const bool may_miss = (key[k].flags & (RPS_SHAPE_MAY_BE_LOW | RPS_SHAPE_WORD)) || key[k].default_value != 0.0;
        if (rps_node_find(node, key[k].name) || may_miss) continue;
        return rps_place_fail(err, node->place, "the key `%s` is missing in `%s.%s`\n%s: %s", key[k].name, path,
                              shape->name, key[k].meaning, expected_of(&key[k], expected, sizeof expected));
    }
    return RPS_OK;
}

rps_status rps_schema_check_shape(rps_node *node, const rps_schema_key *key, rps_error *err) {
    const bool bounded = key->flags & RPS_BOUNDED;
    const char *names[RPS_SHAPE_COUNT];
    char all[256] = "", hint[512];
    size_t n = 0, used = 0;
    for (int i = 0; rps_shape_at(i); i++) {
        if (bounded && rps_shape_at(i)->unbounded) continue;
        names[n] = rps_shape_at(i)->name;
        used += (size_t)snprintf(all + used, sizeof all - used, "%s%s", n++ ? ", " : "", rps_shape_at(i)->name);
        if (used >= sizeof all) used = sizeof all - 1;
    }
    if (node->kind != RPS_NODE_MAP) {
        return rps_place_fail(err, node->place,
                              "a shape is a map with its name, such as {sphere: {radius: 1 cm}}\n"
                              "shapes: %s",
                              all);
    }
    for (size_t i = 0; i < node->count; i++) {
        const rps_entry *entry = &node->entry[i];
        const int index = rps_shape_find(entry->key);
        if (index < 0) {
            return rps_place_fail(err, entry->key_place, "unknown key `%.60s` in `%s`%s", entry->key, key->path,
                                  rps_suggest(entry->key, names, n, hint, sizeof hint));
        }
        if (bounded && rps_shape_at(index)->unbounded) {
            return rps_place_fail(err, entry->key_place,
                                  "a %s is a body by itself, it has no mass\nexpected one of: %s", entry->key, all);
        }
    }
    if (node->count != 1) {
        return rps_place_fail(err, node->count ? node->entry[1].key_place : node->place,
                              "`shape` takes exactly one of: %s", all);
    }
    const rps_entry *entry = &node->entry[0];
    const rps_shape *shape = rps_schema_shape(node);
    if (entry->value->kind != RPS_NODE_MAP) {
        size_t keys;
        char expected[256];
        const rps_shape_parameter *first = rps_schema_shape_keys(shape, &keys);
        return rps_place_fail(err, entry->value->kind == RPS_NODE_NULL ? entry->key_place : entry->value->place,
                              "`%s` takes a map of keys\nwrite %s: {%s: ...}, %s: %s", shape->name, shape->name,
                              first->name, first->meaning, expected_of(first, expected, sizeof expected));
    }
    RPS_TRY(schema_shape_check_keys(entry->value, shape, key->path, err));
    if (shape->unbounded || shape->by_world) return RPS_OK;
    double parameter[RPS_SHAPE_PARAMETERS];
    rps_schema_shape_numbers(node, parameter);
    return rps_place_wrap(err, entry->value->place, rps_shape_check(shape, parameter, "shape", err));
}
