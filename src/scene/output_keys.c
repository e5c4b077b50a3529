/* The keys of `output` that select the contents of a frame, checked against the columns of results. */
#include "io/frame.h"
#include "scene/scene_internal.h"

#include <string.h>

/* Reads a list of distinct column names. */
static rps_status read_columns(rps_scene *scene, const rps_node *list, const rps_table *table, const char *what,
                               const char *const **out, size_t *count, rps_error *err) {
    const char *known[RPS_COLUMNS];
    char hint[512];
    const char **name = rps_pool_take(&scene->text->pool, list->count * sizeof *name, err);
    if (!name) return RPS_NO_MEMORY;
    for (int c = 0; c < table->columns; c++) known[c] = table->column[c].name;
    for (size_t i = 0; i < list->count; i++) {
        const rps_node *item = list->entry[i].value;
        name[i] = item->text;
        if (rps_table_find(table, item->text) < 0) {
            return rps_place_fail(err, item->place, "`%.60s` is no field of %s that results hold%s", item->text, what,
                                  rps_suggest(item->text, known, (size_t)table->columns, hint, sizeof hint));
        }
        for (size_t k = 0; k < i; k++) {
            if (strcmp(name[k], name[i]) == 0) {
                return rps_place_fail(err, item->place, "`%.60s` is in the list twice", item->text);
            }
        }
    }
    *out = name;
    *count = list->count;
    return RPS_OK;
}

rps_status rps_scene_read_output(rps_scene *scene, rps_error *err) {
    const rps_node *output = rps_node_get(scene->text->root, "output"), *fields = rps_node_get(output, "fields"),
                   *contacts = rps_node_get(output, "contacts");
    rps_scene_run *run = &scene->run;
    rps_table table = {0};
    if (fields && fields->kind == RPS_NODE_LIST) {
        rps_frame_body_columns(&table);
        RPS_TRY(read_columns(scene, fields, &table, "bodies", &run->fields, &run->field_count, err));
    }
    run->no_contacts = contacts && rps_node_is(contacts, "no");
    if (contacts && contacts->kind == RPS_NODE_LIST) {
        rps_frame_contact_columns(&table);
        RPS_TRY(
            read_columns(scene, contacts, &table, "contacts", &run->contact_fields, &run->contact_field_count, err));
    }
    run->vtkhdf = rps_node_number(output, "vtkhdf", 1.0) != 0.0;
    run->single = rps_node_is(rps_node_get(output, "precision"), "single");
    return RPS_OK;
}
