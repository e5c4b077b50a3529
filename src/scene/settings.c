/* Settings: variants, --set and --vary replace what the scene says, key by key. */
#include "scene/settings.h"

#include <stdio.h>
#include <string.h>

#include "language/expand.h"
#include "language/yaml.h"

const char rps_variant_is[] = "variant="; /* may vary too */

rps_status rps_settings_variants(rps_scene *scene, rps_error *err) {
    const rps_node *variants = rps_node_get(scene->text->root, "variants");
    if (!variants || variants->kind != RPS_NODE_MAP) return RPS_OK;
    scene->text->variant_name =
        rps_pool_take(&scene->text->pool, (variants->count + 1) * sizeof *scene->text->variant_name, err);
    if (!scene->text->variant_name) return RPS_NO_MEMORY;
    for (size_t i = 0; i < variants->count; i++)
        scene->text->variant_name[scene->text->variants++] = variants->entry[i].key;
    return RPS_OK;
}

/* The names in a map, with a hint to similar ones. */
static rps_status no_such_name(rps_scene *scene, const rps_node *map, const rps_schema_key *key, const char *name,
                               const char *path, rps_place place, rps_error *err) {
    const size_t count = map && map->kind == RPS_NODE_MAP ? map->count : 0;
    const char **names = rps_pool_take(&scene->text->pool, (count + 1) * sizeof *names, err);
    if (!names) return RPS_NO_MEMORY;
    for (size_t i = 0; i < count; i++) names[i] = map->entry[i].key;
    char hint[512];
    return rps_place_fail(err, place, "`%s`: there is no `%.60s` in `%s`%s\na setting changes what the scene has", path,
                          name, key->path, count ? rps_suggest(name, names, count, hint, sizeof hint) : "");
}

/* A setting must not create a named item: nothing would use a material, probe or measure with a mistyped name. The
 * schema checks keys, and stages check the names of drives, which are names of bodies. This checks all other names
 * chosen by the scene. */
rps_status rps_scene_check_path(rps_scene *scene, const rps_node *root, const char *path, rps_place place,
                                rps_error *err) {
    const rps_schema_key *key = rps_schema_find("");
    const rps_node *node = root;
    for (const char *rest = path; key && *rest;) {
        if (key->type & RPS_IS_SETTINGS) return RPS_OK; /* a path of a stage, which is read with it */
        const size_t length = strcspn(rest, ".");
        const char *part = rps_pool_copy(&scene->text->pool, rest, length, err);
        char below[160];
        if (!part) return RPS_NO_MEMORY;
        if (strcmp(key->path, "") == 0 && strcmp(part, "variants") == 0) {
            return rps_place_fail(err, place,
                                  "`%s`: a setting inside a variant would change nothing\nset the key itself; it comes "
                                  "after the variant",
                                  path);
        }
        if (key->type & RPS_IS_NAMES) {
            const bool there = rps_node_get(node, part) != NULL, of_bodies = strcmp(key->path, "stages[].drives") == 0;
            if (!there && !of_bodies) return no_such_name(scene, node, key, part, path, place, err);
            snprintf(below, sizeof below, "%s.*", key->path);
            key = rps_schema_find(below);
            node = rps_node_get(node, part);
        } else if (node && node->kind == RPS_NODE_LIST) {
            size_t index = 0;
            RPS_TRY(rps_node_item(&scene->text->pool, node, part, path, place, &index, err));
            snprintf(below, sizeof below, "%s[]", key->path);
            key = rps_schema_find(below);
            node = node->entry[index].value;
        } else if (!node && (key->type & RPS_IS_LIST) && !(key->type & RPS_IS_MAP)) {
            return rps_place_fail(err, place,
                                  "`%s`: there is no `%s` in this scene\na setting changes what the scene has", path,
                                  key->path);
        } else {
            key = rps_schema_below(key->path, part);
            node = rps_node_get(node, part);
        }
        rest += length + (rest[length] == '.');
    }
    return RPS_OK;
}

static rps_status apply_variant(rps_scene *scene, const char *name, rps_settings which, rps_error *err) {
    scene->text->variant = "";
    if (!name) return RPS_OK;
    const rps_node *variants = rps_node_get(scene->text->root, "variants");
    const rps_entry *found = rps_node_find(variants, name);
    if (!found) {
        char hint[512];
        return rps_fail(err, RPS_BAD_INPUT, "%s has no variant `%.60s`%s", scene->text->source.name, name,
                        scene->text->variants
                            ? rps_suggest(name, scene->text->variant_name, scene->text->variants, hint, sizeof hint)
                            : "; it has no variants at all");
    }
    scene->text->variant = found->key;
    const rps_node *set = rps_node_get(found->value, "set");
    if (!set) return RPS_OK;
    if (set->kind != RPS_NODE_MAP) {
        return rps_place_fail(err, set->place, "`set` needs a map of paths and values, such as {run.step: 1e-5 s}");
    }
    for (size_t i = 0; i < set->count; i++) {
        const char *path = rps_scene_full_path(&scene->text->pool, scene->text->root, set->entry[i].key, err);
        if (!path) return RPS_NO_MEMORY;
        if (rps_scene_is_parameter(path) != (which == RPS_SETTINGS_OF_PARAMETERS)) continue;
        rps_node *copy = rps_node_copy(&scene->text->pool, set->entry[i].value, err);
        if (!copy) return RPS_NO_MEMORY;
        RPS_TRY(rps_scene_check_path(scene, scene->text->root, path, set->entry[i].key_place, err));
        RPS_TRY(rps_node_set(&scene->text->pool, scene->text->root, path, set->entry[i].key_place, copy, err));
    }
    return RPS_OK;
}

static rps_status set_one(rps_scene *scene, const char *from, const char *text, rps_settings which, rps_error *err) {
    rps_source *source = rps_pool_take(&scene->text->pool, sizeof *source, err);
    char *copy = rps_pool_printf(&scene->text->pool, err, "%s", text);
    if (!source || !copy) return RPS_NO_MEMORY;
    *source = (rps_source){.name = from, .text = copy, .bytes = strlen(copy)};
    rps_place place = {source, 1, 1};
    char *equals = strchr(copy, '=');
    if (!equals) return rps_place_fail(err, place, "a setting needs the form path=value, such as run.step=1e-5");
    size_t offset = (size_t)(equals - copy) + 1;
    const char *path = rps_pool_copy(&scene->text->pool, copy, offset - 1, err);
    if (path) path = rps_scene_full_path(&scene->text->pool, scene->text->root, path, err);
    if (!path) return RPS_NO_MEMORY;
    if (rps_scene_is_parameter(path) != (which == RPS_SETTINGS_OF_PARAMETERS)) return RPS_OK;
    if (strcmp(from, "--measure") != 0)
        RPS_TRY(rps_scene_check_path(scene, scene->text->root, path, place, err)); /* which makes a new one */
    rps_node *value;
    RPS_TRY(rps_yaml_parse_value(&scene->text->pool, source, offset, &value, err));
    return rps_node_set(&scene->text->pool, scene->text->root, path, place, value, err);
}

rps_status rps_scene_set(rps_scene *scene, const char *from, const char *text, rps_error *err) {
    return set_one(scene, from, text, RPS_SETTINGS_OF_ALL_ELSE, err);
}

/* Keeps the settings for checkpoints. */
rps_status rps_settings_keep(rps_scene *scene, const rps_scene_load_options *options, rps_error *err) {
    rps_scene_text *text = scene->text;
    text->set = rps_pool_take(&text->pool, (options->sets + 1) * sizeof *text->set, err);
    if (!text->set) return RPS_NO_MEMORY;
    for (size_t i = 0; i < options->sets; i++) {
        char *set = rps_pool_printf(&text->pool, err, "%s", options->set[i]);
        if (!set) return RPS_NO_MEMORY;
        text->set[text->sets++] = set;
    }
    if (!options->until) return RPS_OK;
    char *until = rps_pool_printf(&text->pool, err, "run.until=%s", options->until);
    if (!until) return RPS_NO_MEMORY;
    text->until = until + strlen("run.until=");
    return RPS_OK;
}

/* The variant, the settings, the end and what varies, in this order. */
rps_status rps_settings_apply(rps_scene *scene, const rps_scene_load_options *options, const char *variant,
                              rps_settings which, rps_error *err) {
    const rps_scene_text *text = scene->text;
    RPS_TRY(apply_variant(scene, variant, which, err));
    if (text->root->kind != RPS_NODE_MAP) return RPS_OK;
    for (size_t i = 0; i < text->sets; i++) RPS_TRY(set_one(scene, "--set", text->set[i], which, err));
    if (text->until) RPS_TRY(set_one(scene, "--set", text->until - strlen("run.until="), which, err));
    for (size_t i = 0; i < options->varies; i++) {
        if (strncmp(options->vary[i], rps_variant_is, strlen(rps_variant_is)) == 0) continue;
        RPS_TRY(set_one(scene, "--vary", options->vary[i], which, err));
    }
    return RPS_OK;
}
