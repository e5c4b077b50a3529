/* The list of keys, as the reference shows it: from the table of keys and the descriptors of laws and shapes. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <repose/world.h>

#include "base/c_locale.h"
#include "language/schema.h"
#include "scene/scene.h"

static size_t law_parameter_count(const rps_law *law) {
    size_t n = 0;
    while (n < RPS_LAW_PARAMETERS && law->parameter[n].name) n++;
    return n;
}

/* Number of rows after the row of a role: parameters of its laws, and `tension`. */
static size_t law_rows(const rps_schema_key *key) {
    if (!(key->type & RPS_IS_LAW)) return 0;
    int role = rps_role_from_name(strrchr(key->path, '.') + 1);
    size_t n = role == RPS_ROLE_DAMPING;
    for (size_t i = 0; rps_law_at(i); i++)
        n += (int)rps_law_at(i)->role == role ? law_parameter_count(rps_law_at(i)) : 0;
    return n;
}

/* Number of rows after a key that takes any shape: each shape by its name, then its parameters. */
static size_t shape_rows(const rps_schema_key *key) {
    size_t n = 0, keys;
    if (!(key->type & RPS_IS_SHAPE) || (key->flags & RPS_BOUNDED)) return 0;
    for (int i = 0; rps_shape_at(i); i++) {
        rps_schema_shape_keys(rps_shape_at(i), &keys);
        n += 1 + keys;
    }
    return n;
}

size_t rps_scene_key_count(void) {
    size_t n = 0;
    for (size_t i = 0; rps_schema_at(i); i++) {
        const rps_schema_key *key = rps_schema_at(i);
        n += (*key->path != 0) + law_rows(key) + shape_rows(key);
    }
    return n;
}

static void describe_type(const rps_schema_key *key, char *out, size_t bytes) {
    static const struct {
        int type;
        const char *word;
    } words[] = {{RPS_IS_QUANTITY, "quantity"},
                 {RPS_IS_VECTOR, "list of quantities"},
                 {RPS_IS_INTEGER, "whole number"},
                 {RPS_IS_BOOL, "true or false"},
                 {RPS_IS_WORD, "word"},
                 {RPS_IS_NAME, "name"},
                 {RPS_IS_TEXT, "text"},
                 {RPS_IS_LAW, "law"},
                 {RPS_IS_VALUE, "value"},
                 {RPS_IS_LIST, "list"},
                 {RPS_IS_MAP, "map"},
                 {RPS_IS_SHAPE, "shape"},
                 {RPS_IS_NAMES, "map of names"},
                 {RPS_IS_SETTINGS, "map of paths"}};
    size_t used = 0;
    out[0] = 0;
    for (size_t i = 0; i < sizeof words / sizeof *words && used < bytes; i++) {
        if (!(key->type & words[i].type)) continue;
        const char *join = used ? " or " : "";
        if (words[i].type == RPS_IS_WORD) {
            used += (size_t)snprintf(out + used, bytes - used, "%s%s", join, key->choices);
        } else if (words[i].type == RPS_IS_VECTOR) {
            used += (size_t)snprintf(out + used, bytes - used, "%slist of %d quantities", join, key->count);
        } else {
            used += (size_t)snprintf(out + used, bytes - used, "%s%s", join, words[i].word);
        }
    }
}

static void key_row(const rps_schema_key *key, rps_scene_key *out) {
    snprintf(out->path, sizeof out->path, "%s", key->path);
    describe_type(key, out->type, sizeof out->type);
    out->unit = key->unit ? key->unit : "";
    const char *default_value = key->flags & RPS_REQUIRED ? "required"
                                : key->shown              ? key->shown
                                : key->default_value      ? key->default_value
                                                          : "";
    snprintf(out->default_value, sizeof out->default_value, "%s", default_value);
    out->meaning = key->meaning;
    out->law = "";
}

static void law_row(const rps_schema_key *key, size_t row, rps_scene_key *out) {
    int role = rps_role_from_name(strrchr(key->path, '.') + 1);
    *out = (rps_scene_key){.law = "", .meaning = "", .unit = ""};
    if (role == RPS_ROLE_DAMPING && row-- == 0) {
        snprintf(out->path, sizeof out->path, "%s.tension", key->path);
        snprintf(out->type, sizeof out->type, "cut|allow");
        snprintf(out->default_value, sizeof out->default_value, "cut");
        out->meaning = "may the dashpot pull: the part of the normal load below 0 is cut, or allowed";
        return;
    }
    for (size_t i = 0; rps_law_at(i); i++) {
        const rps_law *law = rps_law_at(i);
        if ((int)law->role != role) continue;
        if (row >= law_parameter_count(law)) {
            row -= law_parameter_count(law);
            continue;
        }
        const rps_law_parameter *p = &law->parameter[row];
        snprintf(out->path, sizeof out->path, "%s.%s", key->path, p->name);
        snprintf(out->type, sizeof out->type, "%s", p->choices ? p->choices : "quantity");
        out->unit = p->choices ? "" : *p->unit ? p->unit : "1";
        out->meaning = p->meaning;
        out->law = law->name;
        if (isnan(p->default_value)) return;
        if (!p->choices) {
            rps_snprintf(out->default_value, sizeof out->default_value, "%.15g", p->default_value);
            return;
        }
        const char *word = p->choices;
        for (int k = 0; k < (int)p->default_value && strchr(word, '|'); k++) word = strchr(word, '|') + 1;
        snprintf(out->default_value, sizeof out->default_value, "%.*s", (int)strcspn(word, "|"), word);
        return;
    }
}

static void shape_row(const rps_schema_key *key, size_t row, rps_scene_key *out) {
    *out = (rps_scene_key){.law = "", .meaning = "", .unit = ""};
    for (int i = 0; rps_shape_at(i); i++) {
        const rps_shape *shape = rps_shape_at(i);
        size_t keys;
        const rps_shape_parameter *p = rps_schema_shape_keys(shape, &keys);
        if (row > keys) {
            row -= keys + 1;
            continue;
        }
        if (row == 0) {
            snprintf(out->path, sizeof out->path, "%s.%s", key->path, shape->name);
            snprintf(out->type, sizeof out->type, "map");
            out->meaning = shape->summary;
            return;
        }
        p += row - 1;
        snprintf(out->path, sizeof out->path, "%s.%s.%s", key->path, shape->name, p->name);
        snprintf(out->type, sizeof out->type, "quantity");
        if (rps_schema_components(p) > 1) {
            snprintf(out->type, sizeof out->type, "list of %d quantities", rps_schema_components(p));
        }
        out->unit = *p->unit ? p->unit : "1";
        out->meaning = p->meaning;
        if (p->flags & (RPS_SHAPE_TEXT | RPS_SHAPE_WORD)) {
            const bool word = p->flags & RPS_SHAPE_WORD;
            snprintf(out->type, sizeof out->type, "%s", word ? p->unit : "text");
            snprintf(out->default_value, sizeof out->default_value, "%.*s", word ? (int)strcspn(p->unit, "|") : 8,
                     word ? p->unit : "required");
            out->unit = "";
            return;
        }
        const bool may_be_low = p->flags & RPS_SHAPE_MAY_BE_LOW;
        if (!may_be_low && p->default_value == 0.0) {
            snprintf(out->default_value, sizeof out->default_value, "required");
        } else if (isinf(p->low)) {
            snprintf(out->default_value, sizeof out->default_value, "the origin");
        } else {
            rps_snprintf(out->default_value, sizeof out->default_value, "%g", may_be_low ? p->low : p->default_value);
        }
        return;
    }
}

bool rps_scene_key_at(size_t index, rps_scene_key *out) {
    for (size_t i = 0; rps_schema_at(i); i++) {
        const rps_schema_key *key = rps_schema_at(i);
        if (!*key->path) continue;
        if (index == 0) {
            key_row(key, out);
            return true;
        }
        index--;
        if (index < law_rows(key)) {
            law_row(key, index, out);
            return true;
        }
        index -= law_rows(key);
        if (index < shape_rows(key)) {
            shape_row(key, index, out);
            return true;
        }
        index -= shape_rows(key);
    }
    return false;
}
