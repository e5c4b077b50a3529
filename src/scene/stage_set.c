/*
 * The settings of stages: `set`, a map of paths and values as in a variant. A stage with settings has a tree of its own,
 * that of the stage before it with the settings applied, which is checked as a scene is. When the stage begins, what
 * the trees say differently is changed in the world (stage_world.c).
 */
#include <stdio.h>
#include <string.h>

#include "scene/scene_internal.h"
#include "scene/stages.h"

/* Paths that a stage may set, up to a part: what stands below goes with it. */
static const char *const settable[] = {
    "pairs.*", "materials.*", "gravity", "fluid", "guards", "run.step", "run.safety", "run.accuracy",
#define RPS_WRITER(name, share, shown, item, meaning) "output." #name,
#include "language/writer_list.inc"
#undef RPS_WRITER
};

/* Paths that it may not set, with the reason and the remedy. */
static const struct {
    const char *path, *why;
} fixed[] = {
    {"bodies",
     "a body keeps its shape, material and mass\na stage moves it by `drives`, holds, releases or removes it"},
    {"particles", "sets keep their shapes, sizes and numbers\na stage removes a set by `remove`"},
    {"materials.*.density", "bodies have their masses already\ngive the set another material"},
    {"materials.*.conductivity", "heat is counted by one set of numbers for the whole run"},
    {"materials.*.heat_capacity", "heat is counted by one set of numbers for the whole run"},
    {"heat", "heat is counted over the whole run, or not at all"},
    {"pairs.*.between", "a pair keeps its materials\nset its laws and coefficients"},
    {"pairs.*.name", "names are those of the whole run"},
    {"output", "what is recorded stays the same for the whole run\na stage may set how often: output.frames, "
               "output.series"},
    {"run", "the run keeps its stepper, seed and end\na stage may set run.step, run.safety and run.accuracy"},
    {"stages", "a stage ends by its own `until` and `limit`"},
    {"joints", "joints belong to the whole run"},
    {"bonds", "bonds are made at the start"},
    {"forces", "forces belong to the whole run\nlet their formulas depend on t"},
    {"probes", "probes and checks belong to the whole run\na check may name its `stage`"},
    {"checks", "probes and checks belong to the whole run\na check may name its `stage`"},
    {"periodic", "the cell belongs to the whole run"},
    {"parameters", "formulas are evaluated at the start\nset the keys themselves"},
    {"dimension", "the world keeps its dimension"},
};

/* The length of the part of `path` that a pattern matches; 0: none. */
static size_t matched(const char *path, const char *pattern) {
    const char *at = path;
    for (;;) {
        const size_t part = strcspn(at, "."), own = strcspn(pattern, ".");
        if (!(own == 1 && pattern[0] == '*') && (part != own || strncmp(at, pattern, own) != 0)) return 0;
        at += part;
        pattern += own;
        if (*pattern == '\0') return (size_t)(at - path);
        if (*at == '\0') return 0;
        at++, pattern++;
    }
}

bool rps_stage_sets(const rps_stage *stage, const char *pattern) {
    const rps_node *set = rps_node_get(stage->node, "set");
    for (size_t i = 0; set && i < set->count; i++) {
        if (matched(set->entry[i].key, pattern) > 0) return true;
    }
    return false;
}

static rps_status may_set(const rps_entry *entry, rps_error *err) {
    const char *why = "it belongs to the whole run", *path = entry->key;
    size_t best = 0, allowed = 0;
    for (size_t k = 0; k < sizeof settable / sizeof *settable; k++) {
        const size_t length = matched(path, settable[k]);
        allowed = length > allowed ? length : allowed;
    }
    for (size_t k = 0; k < sizeof fixed / sizeof *fixed; k++) {
        const size_t length = matched(path, fixed[k].path);
        if (length > best) why = fixed[k].why;
        best = length > best ? length : best;
    }
    if (allowed > best) return RPS_OK;
    if (best == 0) {
        char hint[512];
        return rps_place_fail(err, entry->key_place, "a stage cannot set `%.80s`: %s%s", path, why,
                              rps_suggest(path, settable, sizeof settable / sizeof *settable, hint, sizeof hint));
    }
    return rps_place_fail(err, entry->key_place, "a stage cannot set `%.80s`: %s", path, why);
}

/* A copy of a raw tree without what no stage reads. */
static rps_node *copy_of(rps_pool *pool, const rps_node *root, rps_error *err) {
    static const char *const unread[] = {"stages", "variants", "sweep", "checks", "probes"};
    rps_node *copy = rps_node_new(pool, RPS_NODE_MAP, root->place, err);
    for (size_t i = 0; copy && i < root->count; i++) {
        bool read = true;
        for (size_t k = 0; k < sizeof unread / sizeof *unread; k++) {
            read = read && strcmp(root->entry[i].key, unread[k]) != 0;
        }
        if (!read) continue;
        rps_node *value = rps_node_copy(pool, root->entry[i].value, err);
        if (!value || rps_node_add(pool, copy, root->entry[i].key, root->entry[i].key_place, value, err) != RPS_OK) {
            return NULL;
        }
    }
    return copy;
}

static rps_status put_settings(rps_scene *scene, rps_node *tree, const rps_node *set, rps_error *err) {
    for (size_t i = 0; i < set->count; i++) {
        const rps_entry *entry = &set->entry[i];
        RPS_TRY(rps_scene_check_path(scene, scene->text->root, entry->key, entry->key_place, err));
        RPS_TRY(may_set(entry, err));
        rps_node *value = rps_node_copy(&scene->text->pool, entry->value, err);
        if (!value) return RPS_NO_MEMORY;
        RPS_TRY(rps_node_set(&scene->text->pool, tree, entry->key, entry->key_place, value, err));
    }
    return RPS_OK;
}

rps_status rps_stage_trees_make(rps_scene *scene, rps_error *err) {
    rps_scene_text *text = scene->text;
    const rps_node *stages = rps_stages_node(scene), *before = text->root;
    if (!stages || stages->kind != RPS_NODE_LIST || stages->count == 0) return RPS_OK;
    text->stage_root = rps_pool_take(&text->pool, stages->count * sizeof *text->stage_root, err);
    if (!text->stage_root) return RPS_NO_MEMORY;
    for (size_t i = 0; i < stages->count; i++) {
        const rps_node *set = rps_node_get(stages->entry[i].value, "set");
        if (!set || set->kind != RPS_NODE_MAP) continue;
        if (set->count == 0)
            return rps_place_fail(err, set->place, "`set` is empty\ngive paths and values, or leave it out");
        rps_node *tree = copy_of(&text->pool, before, err);
        if (!tree) return RPS_NO_MEMORY;
        RPS_TRY(put_settings(scene, tree, set, err));
        text->stage_root[i] = tree;
        before = tree;
    }
    return RPS_OK;
}

rps_status rps_stage_trees_check(rps_scene *scene, rps_error *err) {
    rps_scene_text *text = scene->text;
    const rps_node *stages = rps_stages_node(scene);
    for (size_t i = 0; text->stage_root && i < stages->count; i++) {
        if (text->stage_root[i]) RPS_TRY(rps_schema_check(&text->pool, &text->own, text->stage_root[i], err));
    }
    return RPS_OK;
}
