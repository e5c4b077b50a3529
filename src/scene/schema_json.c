/* The JSON Schema of scenes, for editors. */
#include <stdio.h>
#include <string.h>

#include <repose/world.h>

#include "language/schema.h"
#include "law/arrays.h"
#include "scene/scene.h"

static void add_string(rps_text *out, const char *text) {
    rps_text_add(out, "\"", NULL);
    for (const char *c = text; *c; c++) {
        if (*c == '"' || *c == '\\') rps_text_add(out, "\\", NULL);
        rps_text_add_bytes(out, c, 1, NULL);
    }
    rps_text_add(out, "\"", NULL);
}

static void add_words(rps_text *out, const char *choices) {
    rps_text_add(out, "{\"enum\": [", NULL);
    for (const char *c = choices;; c++) {
        char word[64];
        size_t n = strcspn(c, "|");
        snprintf(word, sizeof word, "%.*s", (int)n, c);
        add_string(out, word);
        c += n;
        if (!*c) break;
        rps_text_add(out, ", ", NULL);
    }
    rps_text_add(out, "]}", NULL);
}

static const char quantity_schema[] = "{\"type\": [\"number\", \"string\"]}";
/* The same, or {mix: rule}. */
static const char mixed_schema[] =
    "{\"anyOf\": [{\"type\": [\"number\", \"string\"]}, {\"type\": \"object\", \"required\": [\"mix\"], "
    "\"additionalProperties\": false, \"properties\": {\"mix\": {\"enum\": [\"mean\", \"geometric\", \"harmonic\", "
    "\"min\", \"max\"]}}}]}";

static void add_law(rps_text *out, const char *role_name) {
    int role = rps_role_from_name(role_name);
    rps_text_add(out, "{\"anyOf\": [{\"enum\": [\"none\"", NULL);
    for (size_t i = 0; rps_law_at(i); i++) {
        const rps_law *law = rps_law_at(i);
        if ((int)law->role != role || rps_law_is_idle(law)) continue;
        rps_text_add(out, ", ", NULL);
        add_string(out, law->name);
    }
    rps_text_add(out, "]}", NULL);
    for (size_t i = 0; rps_law_at(i); i++) {
        const rps_law *law = rps_law_at(i);
        if ((int)law->role != role) continue;
        rps_text_addf(out, NULL,
                      ", {\"type\": \"object\", \"required\": [\"law\"], \"additionalProperties\": false, "
                      "\"properties\": {\"law\": {\"const\": \"%s\"}",
                      law->name);
        if (role == RPS_ROLE_DAMPING) rps_text_add(out, ", \"tension\": {\"enum\": [\"cut\", \"allow\"]}", NULL);
        for (size_t k = 0; k < RPS_LAW_PARAMETERS && law->parameter[k].name; k++) {
            rps_text_addf(out, NULL, ", \"%s\": ", law->parameter[k].name);
            if (law->parameter[k].choices)
                add_words(out, law->parameter[k].choices);
            else
                rps_text_add(out, mixed_schema, NULL);
        }
        rps_text_add(out, "}}", NULL);
    }
    rps_text_add(out, "]}", NULL);
}

static void add_shape(rps_text *out, const rps_schema_key *key) {
    const char *join = "";
    rps_text_add(out, "{\"anyOf\": [", NULL);
    for (int i = 0; rps_shape_at(i); i++) {
        const rps_shape *shape = rps_shape_at(i);
        size_t keys;
        const rps_shape_parameter *p = rps_schema_shape_keys(shape, &keys);
        if (shape->unbounded && (key->flags & RPS_BOUNDED)) continue;
        rps_text_addf(out, NULL,
                      "%s{\"type\": \"object\", \"required\": [\"%s\"], \"additionalProperties\": false, "
                      "\"properties\": {\"%s\": {\"type\": \"object\", \"additionalProperties\": false, "
                      "\"properties\": {",
                      join, shape->name, shape->name);
        join = ", ";
        for (size_t k = 0; k < keys; k++) {
            const int n = rps_schema_components(&p[k]);
            rps_text_addf(out, NULL, "%s\"%s\": ", k ? ", " : "", p[k].name);
            if (p[k].flags & RPS_SHAPE_TEXT) {
                rps_text_add(out, "{\"type\": \"string\"}", NULL);
                continue;
            }
            if (p[k].flags & RPS_SHAPE_WORD) {
                add_words(out, p[k].unit);
                continue;
            }
            if (n > 1) rps_text_add(out, "{\"type\": \"array\", \"items\": ", NULL);
            rps_text_add(out, quantity_schema, NULL);
            if (n > 1) rps_text_addf(out, NULL, ", \"minItems\": %d, \"maxItems\": %d}", n, n);
        }
        rps_text_add(out, "}}}}", NULL);
    }
    rps_text_add(out, "]}", NULL);
}

static void add_key(rps_text *out, const rps_schema_key *key);

/* Does the path end in "[]" or ".*"? Then a loop may make many of it. */
static bool is_item(const rps_schema_key *key) {
    const size_t n = strlen(key->path);
    return n > 2 && (strcmp(key->path + n - 2, "[]") == 0 || strcmp(key->path + n - 2, ".*") == 0);
}

static void add_map(rps_text *out, const rps_schema_key *key) {
    bool some = is_item(key);
    rps_text_add(out, "{\"type\": \"object\", \"additionalProperties\": false, \"properties\": {", NULL);
    if (some) rps_text_add(out, "\"for\": {\"$ref\": \"#/$defs/loop\"}", NULL);
    for (size_t i = 0; rps_schema_at(i); i++) {
        const char *name = rps_schema_child(rps_schema_at(i), key->path);
        if (!name) continue;
        if (some) rps_text_add(out, ", ", NULL);
        some = true;
        add_string(out, name);
        rps_text_add(out, ": ", NULL);
        add_key(out, rps_schema_at(i));
    }
    rps_text_add(out, "}", NULL);
    some = false;
    for (size_t i = 0; rps_schema_at(i); i++) {
        const char *name = rps_schema_child(rps_schema_at(i), key->path);
        if (!name || !(rps_schema_at(i)->flags & RPS_REQUIRED)) continue;
        rps_text_add(out, some ? ", " : ", \"required\": [", NULL);
        some = true;
        add_string(out, name);
    }
    rps_text_add(out, some ? "]}" : "}", NULL);
}

/* All keys below a path that ends like this. */
static void add_below(rps_text *out, const rps_schema_key *key, const char *ending) {
    char path[160];
    snprintf(path, sizeof path, "%s%s", key->path, ending);
    const rps_schema_key *item = rps_schema_find(path);
    if (item)
        add_key(out, item);
    else
        rps_text_add(out, "{}", NULL);
}

static void add_one(rps_text *out, const rps_schema_key *key, int type) {
    switch (type) {
    case RPS_IS_MAP:
        add_map(out, key);
        break;
    case RPS_IS_NAMES:
        rps_text_add(out, "{\"type\": \"object\", \"additionalProperties\": ", NULL);
        add_below(out, key, ".*");
        rps_text_add(out, "}", NULL);
        break;
    case RPS_IS_LIST:
    case RPS_IS_VECTOR:
        rps_text_add(out, "{\"type\": \"array\", \"items\": ", NULL);
        if (type == RPS_IS_LIST) {
            rps_text_add(out, "{\"anyOf\": [", NULL);
            add_below(out, key, "[]");
            rps_text_add(out, ", {\"$ref\": \"#/$defs/each\"}]}", NULL);
        } else
            rps_text_add(out, quantity_schema, NULL);
        const bool maps = type == RPS_IS_LIST && (key->type & RPS_IS_VECTOR);
        if (key->count && !maps) /* planar scenes also accept [x, z] as a vector */
            rps_text_addf(out, NULL, ", \"minItems\": %d, \"maxItems\": %d",
                          type == RPS_IS_VECTOR && key->count == 3 ? 2 : key->count, key->count);
        rps_text_add(out, "}", NULL);
        break;
    case RPS_IS_INTEGER:
        rps_text_addf(out, NULL, "{\"type\": \"integer\", \"minimum\": %.0f, \"maximum\": %.0f}", key->low, key->high);
        break;
    case RPS_IS_BOOL:
        rps_text_add(out, "{\"type\": \"boolean\"}", NULL);
        break;
    case RPS_IS_WORD:
        add_words(out, key->choices);
        break;
    case RPS_IS_NAME:
    case RPS_IS_TEXT:
        rps_text_add(out, "{\"type\": \"string\"}", NULL);
        break;
    case RPS_IS_LAW:
        add_law(out, strrchr(key->path, '.') + 1);
        break;
    case RPS_IS_SHAPE:
        add_shape(out, key);
        break;
    case RPS_IS_SETTINGS:
        rps_text_add(out, "{\"type\": \"object\"}", NULL);
        break;
    default:
        rps_text_add(out, quantity_schema, NULL);
        break;
    }
}

static void add_key(rps_text *out, const rps_schema_key *key) {
    const bool formula = (key->type & (RPS_IS_INTEGER | RPS_IS_BOOL | RPS_IS_WORD)) != 0;
    int kinds = formula;
    for (int bit = 1; bit <= RPS_IS_SHAPE; bit <<= 1) kinds += (key->type & bit) != 0;
    rps_text_add(out, "{\"description\": ", NULL);
    char text[512];
    bool unit = key->unit && *key->unit && strcmp(key->unit, "1") != 0;
    snprintf(text, sizeof text, "%s%s%s%s", key->meaning, unit ? " [" : "", unit ? key->unit : "", unit ? "]" : "");
    add_string(out, text);
    rps_text_add(out, kinds > 1 ? ", \"anyOf\": [" : ", \"allOf\": [", NULL);
    for (int bit = 1, some = 0; bit <= RPS_IS_SHAPE; bit <<= 1) {
        if (!(key->type & bit)) continue;
        if (some++) rps_text_add(out, ", ", NULL);
        add_one(out, key, bit);
    }
    rps_text_add(out, formula ? ", {\"$ref\": \"#/$defs/formula\"}]}" : "]}", NULL);
}

/* A value by a formula or with a variable of a loop; a loop; many items without keys. */
static const char definitions[] =
    "\"$defs\": {\"formula\": {\"type\": \"string\", \"pattern\": \"^=|[{]\"}, \"loop\": {\"description\": "
    "\"variables and their values: a number of times, a list, or a range\", \"type\": \"object\", "
    "\"minProperties\": 1, \"additionalProperties\": {\"anyOf\": [{\"type\": [\"number\", \"string\", \"array\"]}, "
    "{\"type\": \"object\", \"required\": [\"from\", \"to\"], \"additionalProperties\": false, \"properties\": "
    "{\"from\": {\"type\": [\"number\", \"string\"]}, \"to\": {\"type\": [\"number\", \"string\"]}, \"count\": "
    "{\"type\": [\"number\", \"string\"]}}}]}}, \"each\": {\"type\": \"object\", \"required\": [\"for\", "
    "\"each\"], \"additionalProperties\": false, \"properties\": {\"for\": {\"$ref\": \"#/$defs/loop\"}, \"each\": "
    "{\"type\": \"array\"}}}}, ";

rps_status rps_scene_json_schema(rps_text *out, rps_error *err) {
    rps_text_add(out, "{\"$schema\": \"https://json-schema.org/draft/2020-12/schema\", \"title\": \"Repose scene\", ",
                 NULL);
    rps_text_add(out, definitions, NULL);
    rps_text_add(out, "\"allOf\": [", NULL);
    add_key(out, rps_schema_find(""));
    rps_text_add(out, "]}\n", NULL);
    return out->status == RPS_OK ? RPS_OK : rps_fail(err, out->status, "no memory for the JSON Schema");
}
