/* Warns of parameters that no formula, loop or text of the scene asks for: most are misspelt where they should stand. */
#include <ctype.h>
#include <string.h>

#include "base/log.h"
#include "scene/scene_internal.h"

static bool is_of_name(char c) {
    return isalnum((unsigned char)c) || c == '_';
}

/* Does a formula, or a text with braces, name it? */
static bool names_it(const char *text, const char *name) {
    const size_t length = strlen(name);
    if (text[0] != '=' && !strchr(text, '{')) return false;
    for (const char *at = strstr(text, name); at; at = strstr(at + 1, name)) {
        if ((at == text || !is_of_name(at[-1])) && !is_of_name(at[length])) return true;
    }
    return false;
}

/* Variants other than that of this run are not expanded, so their texts are searched. */
static bool is_named_below(const rps_node *node, const char *name) {
    if (node && node->kind == RPS_NODE_SCALAR) return names_it(node->text, name);
    for (size_t i = 0; node && i < node->count; i++) {
        const rps_entry *entry = &node->entry[i];
        if ((entry->key && names_it(entry->key, name)) || is_named_below(entry->value, name)) return true;
    }
    return false;
}

void rps_scene_tell_unused(const rps_scene *scene) {
    const rps_scene_text *text = scene->text;
    const rps_node *parameters = rps_node_get(text->root, "parameters");
    for (size_t i = 0; scene->log && parameters && i < parameters->count; i++) {
        const rps_entry *entry = &parameters->entry[i];
        const rps_place place = entry->key_place;
        /* files are included for some of their parameters; settings, whose names begin with --, are meant */
        const bool meant = place.source == &text->source || strncmp(place.source->name, "--", 2) == 0;
        if (entry->value->used || !meant) continue;
        if (is_named_below(rps_node_get(text->root, "variants"), entry->key)) continue;
        rps_log_write(scene->log, scene->log_context, RPS_LOG_WARNING,
                      "%s:%d:%d: no formula asks for the parameter `%.60s`, so that its value changes nothing; use it "
                      "(`= %.60s`), or leave it out",
                      place.source->name, place.line, place.column, entry->key, entry->key);
    }
}
