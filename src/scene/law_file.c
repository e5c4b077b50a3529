/* Loads shared libraries of laws. They stay loaded to the end of the process: worlds hold the addresses of laws. */
#include <repose/law_file.h>

#include <dlfcn.h>
#include <link.h>
#include <string.h>

#include "base/c_locale.h"
#include "base/hash.h"
#include "base/log.h"
#include "base/text.h"
#include "io/file.h"
#include "language/units.h"
#include "scene/include.h"
#include "scene/law_file.h"

enum { LAWS_OF_FILE = 64 };

/* --- the file ------------------------------------------------------------------------------------------------------ */

static rps_status check_layout(const char *path, const rps_law_file *file, rps_error *err) {
    static const uint32_t size[] = RPS_LAW_FILE_SIZES;
    if (file->format == RPS_LAW_FILE_FORMAT && memcmp(file->size, size, sizeof size) == 0 && file->arrays &&
        strcmp(file->arrays, rps_law_file_arrays) == 0 && file->law) {
        return RPS_OK;
    }
    return rps_fail(err, RPS_BAD_INPUT,
                    "%s was compiled with the headers of another version of repose\ncompile it again with those of "
                    "this one",
                    path);
}

/* Whether all that the loader maps lies within the file: it would end the process at the end of one that is cut. */
static bool is_whole_library(const unsigned char *bytes, size_t count) {
    ElfW(Ehdr) head;
    if (count < sizeof head) return false;
    memcpy(&head, bytes, sizeof head);
    if (memcmp(head.e_ident, ELFMAG, SELFMAG) != 0) return false;
    for (size_t k = 0; k < head.e_phnum; k++) {
        ElfW(Phdr) part;
        if (head.e_phentsize != sizeof part || head.e_phoff > count || count - head.e_phoff < (k + 1) * sizeof part) {
            return false;
        }
        memcpy(&part, bytes + head.e_phoff + k * sizeof part, sizeof part);
        if (part.p_type != PT_LOAD) continue;
        if (part.p_offset > count || part.p_filesz > count - part.p_offset) return false;
    }
    return true;
}

static rps_status check_whole(const char *path, rps_error *err) {
    void *bytes = NULL;
    size_t capacity = 0, count = 0;
    rps_status status = rps_file_read_bytes(path, &bytes, &capacity, &count, err);
    if (status == RPS_OK && !is_whole_library(bytes, count)) {
        status = rps_fail(err, RPS_BAD_INPUT, "%s is not a shared library of this machine, or it is cut short", path);
    }
    rps_buffer_release(NULL, &bytes, &capacity);
    return status;
}

/* Its laws, which stay loaded. */
static rps_status open_file(const char *path, const rps_law_file **out, rps_error *err) {
    char here[4096];
    /* the loader would look for a name without a folder in the folders of the system */
    const int length = rps_snprintf(here, sizeof here, "%s%s", strchr(path, '/') ? "" : "./", path);
    if (length < 0 || (size_t)length >= sizeof here) {
        return rps_fail(err, RPS_BAD_INPUT, "the path of the file of laws is too long");
    }
    RPS_TRY(check_whole(here, err));
    void *library = dlopen(here, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    if (!library) {
        const char *why = dlerror();
        return rps_fail(err, RPS_BAD_INPUT, "%s cannot be loaded as a file of laws: %s", path,
                        why ? why : "the system gives no reason");
    }
    const void *found = dlsym(library, "repose_law_file");
    if (!found) {
        dlclose(library);
        return rps_fail(err, RPS_BAD_INPUT,
                        "%s is a shared library, but not one of laws: it does not export repose_law_file\nend its "
                        "source with RPS_LAW_FILE(&law, ...) of <repose/law_file.h>",
                        path);
    }
    *out = found;
    dlclose(library); /* RTLD_NODELETE: it stays */
    return check_layout(path, *out, err);
}

rps_status rps_law_file_load(const char *path, const rps_law *const **law, size_t *laws, rps_error *err) {
    const rps_law_file *file;
    size_t count = 0;
    RPS_GIVEN(path);
    RPS_GIVEN(law);
    RPS_GIVEN(laws);
    RPS_TRY(open_file(path, &file, err));
    while (count <= LAWS_OF_FILE && file->law[count]) {
        const rps_status status = rps_law_check(file->law[count++], err);
        if (status == RPS_OK) continue;
        rps_error_prefix(err, "%s: ", path);
        return status;
    }
    if (count > 0 && count <= LAWS_OF_FILE) {
        *law = file->law;
        *laws = count;
        return RPS_OK;
    }
    return rps_fail(err, RPS_BAD_INPUT, "%s has %s; expected 1 to %d", path, count ? "too many laws" : "no laws",
                    LAWS_OF_FILE);
}

/* --- the laws of a scene --------------------------------------------------------------------------------------------- */

static rps_status check_units(const rps_law *law, rps_error *err) {
    for (int k = 0; k < RPS_LAW_PARAMETERS && law->parameter[k].name; k++) {
        const rps_law_parameter *p = &law->parameter[k];
        bool known = p->choices != NULL;
        if (!known) RPS_TRY(rps_units_known(p->unit, &known, err));
        if (known) continue;
        return rps_fail(err, RPS_BAD_INPUT, "%s law \"%s\", parameter \"%s\": \"%.40s\" is no unit",
                        rps_role_name(law->role), law->name, p->name, p->unit);
    }
    return RPS_OK;
}

static bool has_law(const rps_law_list *own, const rps_law *law) {
    bool found = rps_law_find(law->role, law->name) != NULL;
    for (size_t k = 0; k < own->count; k++) {
        found = found || (own->law[k]->role == law->role && strcmp(own->law[k]->name, law->name) == 0);
    }
    return found;
}

rps_status rps_scene_add_laws(rps_scene *scene, const rps_law *const *law, size_t laws, rps_error *err) {
    rps_law_list *own = &scene->text->own;
    const rps_law **all = rps_pool_take(&scene->text->pool, (own->count + laws + 1) * sizeof *all, err);
    if (!all) return RPS_NO_MEMORY;
    if (own->count) memcpy(all, own->law, own->count * sizeof *all);
    for (size_t k = 0; k < laws; k++) {
        const rps_law_list sofar = {all, own->count + k};
        if (!law[k]) return rps_fail(err, RPS_BAD_INPUT, "law number %zu of the program's own is NULL", k);
        RPS_TRY(rps_law_check(law[k], err));
        RPS_TRY(check_units(law[k], err));
        if (has_law(&sofar, law[k])) {
            return rps_fail(err, RPS_BAD_INPUT, "%s law \"%s\" exists already; give it another name",
                            rps_role_name(law[k]->role), law[k]->name);
        }
        all[own->count + k] = law[k];
    }
    *own = (rps_law_list){all, own->count + laws};
    return RPS_OK;
}

/* --- the files of a scene -------------------------------------------------------------------------------------------- */

/* The text that results and checkpoints keep of a file. */
static const char *fingerprint(rps_scene *scene, const char *path, rps_error *err) {
    void *bytes = NULL;
    size_t capacity = 0, count = 0;
    rps_hash hash;
    const char *text = NULL;
    if (rps_file_read_bytes(path, &bytes, &capacity, &count, err) == RPS_OK) {
        rps_hash128_begin(&hash);
        rps_hash128_add(&hash, bytes, count);
        const rps_hash128_value value = rps_hash128_result(&hash);
        text = rps_pool_printf(&scene->text->pool, err, "a shared library of laws, %zu bytes, XXH3 %016llx%016llx\n",
                               count, (unsigned long long)value.high, (unsigned long long)value.low);
    }
    rps_buffer_release(NULL, &bytes, &capacity);
    return text;
}

/* Says where a run goes on with another file than it began with. */
static void compare_kept(const rps_scene *scene, const rps_scene_load_options *options, const char *name,
                         const char *now, rps_place place) {
    for (size_t k = 0; k < options->includes; k++) {
        const rps_scene_included *kept = &options->included[k];
        if (strcmp(kept->path, name) != 0 || strncmp(kept->text, now, kept->bytes) == 0) continue;
        rps_log_write(
            scene->log, scene->log_context, RPS_LOG_WARNING,
            "%s:%d:%d: the file of laws %s has changed since the run began; from here on the results are those of the "
            "new file",
            place.source->name, place.line, place.column, name);
    }
}

static rps_status load_file(rps_scene *scene, const rps_scene_load_options *options, const rps_node *item,
                            rps_error *err) {
    const rps_node *file = item->kind == RPS_NODE_MAP ? rps_node_get(item, "file") : NULL;
    const rps_law *const *law;
    size_t laws;
    rps_error inner = {0};
    if (!file || file->kind != RPS_NODE_SCALAR || !*file->text || item->count != 1) {
        return rps_place_fail(err, item->place,
                              "`laws` takes {file: PATH}, a shared library of laws, or a list of such");
    }
    const char *path = rps_scene_file_path(scene, file, err);
    const char *now = path ? fingerprint(scene, path, &inner) : NULL;
    rps_status status = now ? RPS_OK : !path || inner.status == RPS_NO_MEMORY ? RPS_NO_MEMORY : RPS_BAD_INPUT;
    if (status == RPS_OK) status = rps_law_file_load(path, &law, &laws, &inner);
    if (status == RPS_OK) status = rps_scene_add_laws(scene, law, laws, &inner);
    if (status == RPS_NO_MEMORY) return path ? rps_fail(err, status, "%s", inner.text) : status;
    if (status != RPS_OK) return rps_place_fail(err, file->place, "%s", inner.text);
    compare_kept(scene, options, file->text, now, file->place);
    return rps_scene_keep_text(scene, file->text, now, file->place, err);
}

rps_status rps_scene_law_files(rps_scene *scene, const rps_scene_load_options *options, rps_error *err) {
    const rps_node *root = scene->text->root;
    const rps_node *laws = root->kind == RPS_NODE_MAP ? rps_node_get(root, "laws") : NULL;
    if (!laws) return RPS_OK;
    if (laws->kind != RPS_NODE_LIST) return load_file(scene, options, laws, err);
    for (size_t k = 0; k < laws->count; k++) RPS_TRY(load_file(scene, options, laws->entry[k].value, err));
    return RPS_OK;
}
