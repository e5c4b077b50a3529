/* The state of a scene apart from its world, as sections of a checkpoint: its text, the files it read, the progress
 * of insertions, and the memory of checks. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/hash.h"
#include "io/file.h"
#include "scene/events.h"
#include "scene/fork.h"
#include "scene/scene_internal.h"
#include "scene/stages.h"

/* --- files read by the scene -------------------------------------------------------------------------------------- */

static rps_status hash_file(const char *path, uint64_t out[2], rps_error *err) {
    char part[1 << 14];
    rps_hash hash;
    rps_hash128_begin(&hash);
    int file = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n = file < 0 ? -1 : 1;
    while (n > 0) {
        n = read(file, part, sizeof part);
        if (n > 0) rps_hash128_add(&hash, part, (size_t)n);
    }
    int error = errno;
    if (file >= 0) close(file);
    if (n < 0) return rps_file_fail(err, "read", path, error);
    rps_hash128_value value = rps_hash128_result(&hash);
    out[0] = value.high;
    out[1] = value.low;
    return RPS_OK;
}

rps_status rps_scene_note_file(rps_scene *scene, const char *path, rps_error *err) {
    rps_scene_file *file = rps_pool_take(&scene->pool, sizeof *file, err);
    if (!file) return RPS_NO_MEMORY;
    file->path = path;
    RPS_TRY(hash_file(path, file->hash, err));
    file->next = scene->files;
    scene->files = file;
    return RPS_OK;
}

static rps_status save_files(const rps_scene *scene, rps_serializer *serializer, rps_error *err) {
    size_t count = 0, k = 0;
    void *to;
    for (const rps_scene_file *f = scene->files; f; f = f->next) count++;
    RPS_TRY(rps_serializer_add(serializer, "scene/files", RPS_TYPE_uint64, 2, count, &to, err));
    for (const rps_scene_file *f = scene->files; f; f = f->next, k++) memcpy((uint64_t *)to + 2 * k, f->hash, 16);
    return RPS_OK;
}

static rps_status compare_files(const rps_scene *scene, const rps_checkpoint *c, rps_error *err) {
    size_t count = 0, k = 0;
    const rps_section *s;
    for (const rps_scene_file *f = scene->files; f; f = f->next) count++;
    RPS_TRY(rps_checkpoint_need(c, "scene/files", RPS_TYPE_uint64, 2, count, &s, err));
    for (const rps_scene_file *f = scene->files; f; f = f->next, k++) {
        if (memcmp((const uint64_t *)s->data + 2 * k, f->hash, 16) != 0) {
            return rps_fail(err, RPS_BAD_INPUT,
                            "the file %s has changed since the run of %s began; put it back as it was, or start the "
                            "run again",
                            f->path, rps_checkpoint_path(c));
        }
    }
    return RPS_OK;
}

/* Bodies added minus bodies removed by the program, in two's complement; the section is absent if both are 0. */
const char rps_scene_added_name[] = "scene/bodies added";

static uint64_t bodies_inserted(const rps_scene *scene) {
    uint64_t count = 0;
    for (size_t i = 0; i < scene->insertions.count; i++) count += scene->insertions.item[i].done;
    return count;
}

/* --- saving and restoring ------------------------------------------------------------------------------------------ */

rps_status rps_scene_save(const rps_scene *scene, const rps_world *world, rps_serializer *serializer, rps_error *err) {
    char here[RPS_PATH] = "", folder[2 * RPS_PATH];
    if (scene->text->folder[0] != '/' && !getcwd(here, sizeof here)) {
        return rps_file_fail(err, "find the path of", "the working directory", errno);
    }
    int length = snprintf(folder, sizeof folder, "%s%s%s", here, here[0] ? "/" : "", scene->text->folder);
    RPS_TRY(rps_serializer_text(serializer, "scene/folder", folder, (size_t)length, err));
    RPS_TRY(rps_serializer_text(serializer, "scene/text", scene->text->source.text, scene->text->source.bytes, err));
    RPS_TRY(
        rps_serializer_text(serializer, "scene/path", scene->text->source.name, strlen(scene->text->source.name), err));
    for (size_t k = 0; k < scene->text->includes; k++) {
        const rps_scene_included *one = &scene->text->included[k];
        char name[2][64];
        snprintf(name[0], sizeof name[0], RPS_SCENE_INCLUDED "%zu/path", k);
        snprintf(name[1], sizeof name[1], RPS_SCENE_INCLUDED "%zu/text", k);
        RPS_TRY(rps_serializer_text(serializer, name[0], one->path, strlen(one->path), err));
        RPS_TRY(rps_serializer_text(serializer, name[1], one->text, one->bytes, err));
    }
    RPS_TRY(save_files(scene, serializer, err));
    void *to;
    RPS_TRY(rps_serializer_add(serializer, "scene/poured", RPS_TYPE_uint64, 1, scene->insertions.count, &to, err));
    for (size_t i = 0; i < scene->insertions.count; i++) ((uint64_t *)to)[i] = scene->insertions.item[i].done;
    RPS_TRY(rps_serializer_add(serializer, "scene/late", RPS_TYPE_double, 1, scene->insertions.count, &to, err));
    for (size_t i = 0; i < scene->insertions.count; i++) ((double *)to)[i] = scene->insertions.item[i].late;
    const uint64_t added = rps_world_body_count(world) - scene->bodies_built - bodies_inserted(scene);
    if (added != 0) RPS_TRY(rps_serializer_words(serializer, rps_scene_added_name, &added, 1, err));
    RPS_TRY(rps_serializer_add(serializer, "scene/checks", RPS_TYPE_double, RPS_CHECK_MEMORY, scene->observer.checks,
                               &to, err));
    for (size_t i = 0; i < scene->observer.checks; i++) {
        rps_check_memory_get(scene, i, (double *)to + i * (size_t)RPS_CHECK_MEMORY);
    }
    RPS_TRY(rps_serializer_add(serializer, "scene/absent", RPS_TYPE_uint64, 1, scene->observer.probes, &to, err));
    for (size_t i = 0; i < scene->observer.probes; i++)
        ((uint64_t *)to)[i] = (uint64_t)scene->observer.probe[i].absence;
    RPS_TRY(rps_traffic_save(scene, world, serializer, err));
    RPS_TRY(rps_events_save(scene, serializer, err));
    RPS_TRY(rps_origin_save(scene, serializer, err));
    return rps_stages_save(scene, serializer, err);
}

rps_status rps_scene_restore(rps_scene *scene, rps_world *world, const rps_checkpoint *c, rps_error *err) {
    const rps_section *inserted, *late, *checks, *absent;
    RPS_TRY(compare_files(scene, c, err));
    RPS_TRY(rps_checkpoint_need(c, "scene/poured", RPS_TYPE_uint64, 1, scene->insertions.count, &inserted, err));
    RPS_TRY(rps_checkpoint_need(c, "scene/checks", RPS_TYPE_double, RPS_CHECK_MEMORY, scene->observer.checks, &checks,
                                err));
    RPS_TRY(rps_checkpoint_need(c, "scene/absent", RPS_TYPE_uint64, 1, scene->observer.probes, &absent, err));
    RPS_TRY(rps_checkpoint_need(c, "scene/late", RPS_TYPE_double, 1, scene->insertions.count, &late, err));
    const uint64_t *done = inserted->data;
    uint64_t bodies = rps_world_body_count(world), added = 0;
    bool sound = true;
    if (rps_checkpoint_find(c, rps_scene_added_name))
        RPS_TRY(rps_checkpoint_words(c, rps_scene_added_name, &added, 1, err));
    for (size_t i = 0; i < scene->insertions.count; i++) {
        sound = sound && done[i] <= scene->insertions.item[i].count;
        bodies += done[i];
    }
    bodies += added;
    scene->bodies_total += added;
    size_t now;
    rps_state_info state;
    RPS_TRY(rps_stages_look(scene, c, &now, err));
    RPS_TRY(rps_state_look(c, &state, err));
    RPS_TRY(rps_stages_prepare_restore(scene, world, now, state.step, err));
    RPS_TRY(rps_events_restore(scene, world, c, err));
    RPS_TRY(rps_origin_restore(scene, c, err));
    RPS_TRY(rps_state_restore(world, c, err));
    if (!sound || bodies != rps_world_body_count(world)) {
        return rps_fail(err, RPS_BAD_INPUT,
                        "the checkpoint %s contradicts itself: it has another number of bodies than its scene poured",
                        rps_checkpoint_path(c));
    }
    RPS_TRY(rps_traffic_restore(scene, world, c, err));
    for (size_t i = 0; i < scene->insertions.count; i++) {
        RPS_TRY(rps_insertion_resume(&scene->insertions.item[i], done[i], scene->seed, err));
        scene->insertions.item[i].late = ((const double *)late->data)[i];
    }
    for (size_t i = 0; i < scene->observer.checks; i++) {
        rps_check_memory_set(scene, i, (const double *)checks->data + i * (size_t)RPS_CHECK_MEMORY);
    }
    for (size_t i = 0; i < scene->observer.probes; i++) {
        const uint64_t absence = ((const uint64_t *)absent->data)[i];
        scene->observer.probe[i].absence = absence < 1000 ? (int)absence : -1; /* an unknown reason has a text too */
    }
    scene->observer.ledger_read = false;
    return rps_stages_restore(scene, world, c, err);
}
