/* Words for `explain`: the changes of stages, and what happens at times. */
#include <stdio.h>
#include <string.h>

#include "base/c_locale.h"
#include "scene/events.h"
#include "scene/stages.h"

/* The node at a path of a tree, which has it; NULL if it is added by the stage. */
static const rps_node *node_at(const rps_scene *scene, const rps_node *root, const char *path) {
    const rps_node *node = root;
    char part[128];
    for (const char *rest = path; node && *rest;) {
        const size_t length = strcspn(rest, ".");
        size_t index;
        rps_error unused;
        if (length >= sizeof part) return NULL;
        snprintf(part, sizeof part, "%.*s", (int)length, rest);
        if (node->kind == RPS_NODE_LIST) {
            if (rps_node_item(&scene->text->pool, node, part, path, node->place, &index, &unused) != RPS_OK)
                return NULL;
            node = node->entry[index].value;
        } else {
            node = rps_node_get(node, part);
        }
        rest += length + (rest[length] == '.');
    }
    return node;
}

static void value_words(const rps_node *node, char *text, size_t size) {
    size_t used = 0;
    text[0] = '\0';
    if (!node) {
        snprintf(text, size, "not given");
    } else if (node->kind == RPS_NODE_SCALAR) {
        snprintf(text, size, "%s", node->text);
    } else if (node->kind == RPS_NODE_LIST && node->count > 0 && node->entry[0].value->kind == RPS_NODE_SCALAR) {
        for (size_t k = 0; k < node->count && used < size; k++) {
            used += (size_t)snprintf(text + used, size - used, "%s%s", k ? ", " : "[", node->entry[k].value->text);
        }
        if (used < size) snprintf(text + used, size - used, "]");
    } else if (rps_node_text(node, "law")) {
        snprintf(text, size, "%s ...", rps_node_text(node, "law"));
    } else {
        snprintf(text, size, "{...}");
    }
}

/* The tree before a stage. */
static const rps_node *tree_before(const rps_scene *scene, size_t stage) {
    while (stage-- > 0) {
        if (scene->stages.item[stage].root) return scene->stages.item[stage].root;
    }
    return scene->text->root;
}

static void setting_words(const rps_scene *scene, size_t stage, const rps_entry *entry, char *text, size_t size) {
    char before[96], after[96];
    value_words(node_at(scene, tree_before(scene, stage), entry->key), before, sizeof before);
    value_words(entry->value, after, sizeof after);
    snprintf(text, size, "%s: %s, was %s", entry->key, after, before);
}

static const char *target_of(const rps_scene *scene, const rps_event *event) {
    for (size_t i = 0; i < scene->names.count; i++) {
        if (scene->names.item[i].group == event->group) return scene->names.item[i].name;
    }
    return "all free bodies";
}

static void event_words(const rps_scene *scene, const rps_event *event, char *text, size_t size) {
    static const char *const verb[RPS_EVENT_KINDS] = {[RPS_EVENT_REMOVED] = "removed",
                                                      [RPS_EVENT_HELD] = "held",
                                                      [RPS_EVENT_RELEASED] = "released",
                                                      [RPS_EVENT_ENTERS] = ""};
    char at[48] = "";
    if (event->stage < 0) rps_snprintf(at, sizeof at, "%.6g s: ", event->time);
    if (event->kind == RPS_EVENT_ENTERS) {
        snprintf(text, size, "%s%s enters", at, scene->names.item[event->named].name);
    } else {
        snprintf(text, size, "%s%s: %s%s", at, target_of(scene, event), verb[event->kind],
                 event->somewhere ? " in a region" : "");
    }
}

bool rps_scene_change_words(const rps_scene *scene, int stage, size_t index, char *text, size_t size) {
    const rps_node *set = stage >= 0 ? rps_node_get(scene->stages.item[stage].node, "set") : NULL;
    const size_t sets = set ? set->count : 0;
    if (index < sets) {
        setting_words(scene, (size_t)stage, &set->entry[index], text, size);
        return true;
    }
    index -= sets;
    for (size_t i = 0; i < scene->events.count; i++) {
        const rps_event *event = &scene->events.item[i];
        if (event->stage != stage || index-- > 0) continue;
        event_words(scene, event, text, size);
        return true;
    }
    return false;
}
