/* Shared by the tests of scenes. */
#include "scene_common.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

rps_scene *scene_load(const char *text, const char *variant, const char *const *set, rps_error *err) {
    rps_scene_load_options options = {
        .text = text, .text_bytes = strlen(text), .variant = variant, .set = set, .isa = -1, .threads = 1};
    rps_scene *scene = NULL;
    while (set && set[options.sets]) options.sets++;
    err->text[0] = 0;
    rps_status status = rps_scene_load(&options, &scene, err);
    assert_true((status == RPS_OK) == (scene != NULL));
    return scene;
}

rps_scene *scene_make(const char *text, rps_world **world) {
    rps_error err;
    rps_scene *scene = scene_load(text, NULL, NULL, &err);
    if (!scene) fail_msg("%s", err.text);
    if (rps_scene_build(scene, world, &err) != RPS_OK) {
        rps_scene_free(scene);
        fail_msg("%s", err.text);
    }
    return scene;
}

void scene_refused(const char *text, rps_error *err) {
    rps_scene *scene = scene_load(text, NULL, NULL, err);
    rps_world *world = NULL;
    if (!scene) return;
    rps_status status = rps_scene_build(scene, &world, err);
    rps_world_destroy(world);
    rps_scene_free(scene);
    if (status == RPS_OK) fail_msg("accepted, but it must be refused:\n%s", text);
}

char *text_replace(const char *text, const char *find, const char *by) {
    const char *found = strstr(text, find);
    if (!found) fail_msg("`%s` is not in the text", find);
    size_t before = (size_t)(found - text), bytes = strlen(text) + strlen(by) + 1;
    char *out = malloc(bytes);
    assert_non_null(out);
    snprintf(out, bytes, "%.*s%s%s", (int)before, text, by, found + strlen(find));
    return out;
}

void assert_error_at(const rps_error *err, const char *text, const char *at, const char *part) {
    const char *found = strstr(text, at);
    if (!found) fail_msg("`%s` is not in the text", at);
    int line = 1;
    const char *start = text;
    for (const char *c = text; c < found; c++) {
        if (*c == '\n') {
            line++;
            start = c + 1;
        }
    }
    int column = (int)(found - start) + 1;
    char head[64];
    snprintf(head, sizeof head, "scene:%d:%d: ", line, column);
    if (strncmp(err->text, head, strlen(head)) != 0) fail_msg("expected it at %s\n%s", head, err->text);
    if (!strstr(err->text, part)) fail_msg("expected \"%s\" in\n%s", part, err->text);
    /* line and caret are indented by four; lines of these tests are short enough to be shown whole */
    const char *shown = strchr(err->text, '\n');
    assert_non_null(shown);
    const char *caret = strchr(shown + 1, '\n');
    assert_non_null(caret);
    size_t width = strcspn(start, "\n");
    assert_int_equal(caret - shown - 1 - 4, width);
    assert_memory_equal(shown + 5, start, width);
    assert_int_equal(strspn(caret + 1, " "), column - 1 + 4);
    assert_int_equal(caret[1 + column - 1 + 4], '^');
}

void write_file(const char *path, const char *text) {
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(text, 1, strlen(text), file), strlen(text));
    assert_int_equal(fclose(file), 0);
}
