/* Finds, reads and merges included files, the deepest first. */
#include "scene/include.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/text.h"
#include "io/file.h"
#include "language/merge.h"
#include "language/yaml.h"

enum { MOST_FILES = 100, DEEPEST = 16 };

static const char include_key[] = "include";

/* The files that are being read, each included by the one before. */
typedef struct chain {
    const char *path;
    const struct chain *by;
    int depth;
} chain;

typedef struct including {
    rps_scene *scene;
    const rps_scene_load_options *options;
    size_t bytes, nodes; /* of all files */
    rps_error *err;
} including;

/* --- paths --------------------------------------------------------------------------------------------------------- */

/* A path without "./", "//" and "x/..": the same file has one path. */
static char *clean_path(rps_pool *pool, const char *folder, const char *name, rps_error *err) {
    char *path = rps_pool_printf(pool, err, "%s%s", name[0] == '/' ? "" : folder, name);
    if (!path) return NULL;
    const size_t root = path[0] == '/';
    size_t used = root;
    for (const char *part = path + root; *part;) {
        const size_t length = strcspn(part, "/");
        const char *next = part + length + (part[length] == '/');
        const bool up = length == 2 && strncmp(part, "..", 2) == 0;
        size_t last = used; /* where the last part that is kept begins */
        while (last > root && path[last - 1] == '/') last--;
        while (last > root && path[last - 1] != '/') last--;
        const bool can_go_up = used > root && !(used - last >= 2 && strncmp(path + last, "..", 2) == 0);
        if (up && can_go_up) {
            used = last;
        } else if (length > 0 && !(length == 1 && *part == '.')) {
            memmove(path + used, part, length);
            used += length;
            if (*next || part[length] == '/') path[used++] = '/';
        }
        part = next;
    }
    path[used] = 0;
    return path;
}

/* The folder of a path, with its slash; "" if it has none. */
static char *folder_of(rps_pool *pool, const char *path, rps_error *err) {
    const char *slash = strrchr(path, '/');
    return rps_pool_copy(pool, path, slash ? (size_t)(slash - path) + 1 : 0, err);
}

/* --- reading ------------------------------------------------------------------------------------------------------- */

/* The size of a file that can be read to its end: no folder, pipe or device. */
static rps_status check_regular(const char *path, rps_place place, rps_error *err) {
    struct stat info;
    const int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    const int error = file < 0 || fstat(file, &info) != 0 ? errno : 0;
    if (file >= 0) close(file);
    if (error) {
        rps_error inner;
        const rps_status status = rps_file_fail(&inner, "read the included file", path, error);
        return status == RPS_NO_MEMORY ? rps_fail(err, status, "%s", inner.text)
                                       : rps_place_fail(err, place, "%s", inner.text);
    }
    if (!S_ISREG(info.st_mode)) return rps_place_fail(err, place, "%s is not a file that can be included", path);
    if (info.st_size <= RPS_YAML_BYTES) return RPS_OK;
    return rps_place_fail(err, place, "%s has %lld bytes; a scene with all that it includes has at most %d", path,
                          (long long)info.st_size, RPS_YAML_BYTES);
}

static rps_status read_file(including *in, const char *path, rps_place place, rps_source *source) {
    void *text = NULL;
    size_t capacity = 0, count = 0;
    RPS_TRY(check_regular(path, place, in->err));
    rps_status status = rps_file_read_bytes(path, &text, &capacity, &count, in->err);
    if (status == RPS_OK) {
        source->text = rps_pool_copy(&in->scene->text->pool, text, count, in->err);
        source->bytes = count;
        status = source->text ? RPS_OK : RPS_NO_MEMORY;
    }
    rps_buffer_release(NULL, &text, &capacity);
    return status;
}

/* The text of a file: that which was kept, of a run that goes on, or that on disk. */
static rps_status find_text(including *in, const char *path, rps_place place, rps_source *source) {
    const rps_scene_load_options *o = in->options;
    rps_pool *pool = &in->scene->text->pool;
    source->name = rps_pool_printf(pool, in->err, "%s%s", path[0] == '/' ? "" : in->scene->text->folder, path);
    source->folder = folder_of(pool, path, in->err);
    if (!source->name || !source->folder) return RPS_NO_MEMORY;
    if (!o->included) return read_file(in, source->name, place, source);
    for (size_t k = 0; k < o->includes; k++) {
        if (strcmp(o->included[k].path, path) != 0) continue;
        source->text = rps_pool_copy(pool, o->included[k].text, o->included[k].bytes, in->err);
        source->bytes = o->included[k].bytes;
        return source->text ? RPS_OK : RPS_NO_MEMORY;
    }
    return rps_place_fail(in->err, place, "the included file %s is not among the texts that the run kept", path);
}

/* --- including ----------------------------------------------------------------------------------------------------- */

/* Keeps the text of a file with the scene, for results and checkpoints. */
static rps_status keep_file_text(rps_scene *scene, const char *path, const char *bytes, size_t count, rps_place place,
                                 rps_error *err) {
    rps_scene_text *text = scene->text;
    if (text->includes == MOST_FILES)
        return rps_place_fail(err, place, "a scene includes at most %d files", MOST_FILES);
    if (!text->included) {
        text->included = rps_pool_take(&text->pool, MOST_FILES * sizeof *text->included, err);
        if (!text->included) return RPS_NO_MEMORY;
    }
    text->included[text->includes++] = (rps_scene_included){path, bytes, count};
    return RPS_OK;
}

static rps_status keep_included(including *in, const char *path, const rps_source *source, rps_place place) {
    RPS_TRY(keep_file_text(in->scene, path, source->text, source->bytes, place, in->err));
    in->bytes += source->bytes;
    if (in->bytes <= RPS_YAML_BYTES) return RPS_OK;
    return rps_place_fail(in->err, place, "a scene with all that it includes has at most %d bytes", RPS_YAML_BYTES);
}

static rps_status include_all(including *in, rps_node *root, const chain *by);

/* Puts a file over what is there. */
static rps_status include_one(including *in, const rps_node *name, const chain *by, rps_node *into) {
    rps_scene_text *text = in->scene->text;
    rps_pool *pool = &text->pool;
    if (name->kind != RPS_NODE_SCALAR || !*name->text) {
        return rps_place_fail(in->err, name->place, "`include` takes the name of a file, or a list of names");
    }
    const char *folder = name->place.source->folder;
    char *path = clean_path(pool, folder ? folder : "", name->text, in->err);
    if (!path) return RPS_NO_MEMORY;
    for (const chain *c = by; c; c = c->by) {
        if (!c->path || strcmp(c->path, path) != 0) continue;
        return rps_place_fail(in->err, name->place, "the file %s includes itself%s", path,
                              c == by ? "" : ", by way of others");
    }
    if (by->depth == DEEPEST) {
        return rps_place_fail(in->err, name->place, "files include each other deeper than %d levels", DEEPEST);
    }
    for (size_t k = 0; k < text->includes; k++) {
        if (strcmp(text->included[k].path, path) == 0) return RPS_OK;
    }
    rps_source *source = rps_pool_take(pool, sizeof *source, in->err);
    rps_node *root;
    if (!source) return RPS_NO_MEMORY;
    RPS_TRY(find_text(in, path, name->place, source));
    RPS_TRY(keep_included(in, path, source, name->place));
    RPS_TRY(rps_yaml_parse(pool, source, &root, in->err));
    if (root->kind != RPS_NODE_MAP) {
        return rps_place_fail(in->err, root->place, "an included file is a map of keys of a scene");
    }
    in->nodes += root->size;
    if (in->nodes > RPS_YAML_NODES) {
        return rps_place_fail(in->err, name->place, "a scene with all that it includes has at most %d values",
                              RPS_YAML_NODES);
    }
    const chain here = {path, by, by->depth + 1};
    RPS_TRY(include_all(in, root, &here));
    return rps_node_merge(pool, into, root, in->err);
}

static rps_status include_all(including *in, rps_node *root, const chain *by) {
    const rps_entry *found = rps_node_find(root, include_key);
    if (!found) return RPS_OK;
    const rps_node *files = found->value;
    const size_t at = (size_t)(found - root->entry);
    memmove(root->entry + at, root->entry + at + 1, (root->count - at - 1) * sizeof *root->entry);
    root->count--;
    rps_node *all = rps_node_new(&in->scene->text->pool, RPS_NODE_MAP, root->place, in->err);
    if (!all) return RPS_NO_MEMORY;
    if (files->kind == RPS_NODE_LIST) {
        for (size_t k = 0; k < files->count; k++) RPS_TRY(include_one(in, files->entry[k].value, by, all));
    } else {
        RPS_TRY(include_one(in, files, by, all));
    }
    RPS_TRY(rps_node_merge(&in->scene->text->pool, all, root, in->err));
    all->place = root->place;
    *root = *all;
    return RPS_OK;
}

/* The texts one after the other, each below its path, for results. */
static rps_status join_texts(rps_scene *scene, rps_error *err) {
    const rps_scene_text *text = scene->text;
    size_t bytes = 0, used = 0;
    for (size_t k = 0; k < text->includes; k++) bytes += text->included[k].bytes + strlen(text->included[k].path) + 8;
    char *all = rps_pool_take(&scene->text->pool, bytes + 1, err);
    if (!all) return RPS_NO_MEMORY;
    for (size_t k = 0; k < text->includes; k++) {
        const rps_scene_included *one = &text->included[k];
        const size_t length = strlen(one->path);
        memcpy(all + used, "#### ", 5);
        memcpy(all + used + 5, one->path, length);
        all[used + 5 + length] = '\n';
        used += 6 + length;
        if (one->bytes) memcpy(all + used, one->text, one->bytes);
        used += one->bytes;
        if (one->bytes && all[used - 1] != '\n') all[used++] = '\n';
    }
    scene->run.included_text = all;
    scene->run.included_bytes = used;
    return RPS_OK;
}

/* Hands the kept texts to the results. */
static rps_status tell_included(rps_scene *scene, rps_error *err) {
    scene->run.included = scene->text->included;
    scene->run.includes = scene->text->includes;
    return join_texts(scene, err);
}

rps_status rps_scene_keep_text(rps_scene *scene, const char *path, const char *text, rps_place place, rps_error *err) {
    RPS_TRY(keep_file_text(scene, path, text, strlen(text), place, err));
    return tell_included(scene, err);
}

rps_status rps_scene_include(rps_scene *scene, const rps_scene_load_options *options, rps_error *err) {
    rps_scene_text *text = scene->text;
    if (!rps_node_find(text->root, include_key)) return RPS_OK;
    including in = {scene, options, text->source.bytes, text->root->size, err};
    const char *slash = options->path ? strrchr(options->path, '/') : NULL;
    const chain scene_file = {options->path && !options->folder ? slash ? slash + 1 : options->path : NULL, NULL, 0};
    RPS_TRY(include_all(&in, text->root, &scene_file));
    return tell_included(scene, err);
}

char *rps_scene_file_path(rps_scene *scene, const rps_node *node, rps_error *err) {
    const char *folder = node->place.source ? node->place.source->folder : NULL;
    const bool absolute = node->text[0] == '/', inner = folder && folder[0] == '/';
    return rps_pool_printf(&scene->pool, err, "%s%s%s", absolute || inner ? "" : scene->text->folder,
                           absolute || !folder ? "" : folder, node->text);
}
