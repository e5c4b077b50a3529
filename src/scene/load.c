/* Loads a scene into a checked tree: reads, parses, applies the variant and --set, and checks it against the schema. */
#include <errno.h>
#include <float.h>
#include <stdio.h>
#include <string.h>

#include "base/elementary.h"
#include "io/file.h"
#include "language/expand.h"
#include "language/yaml.h"
#include "scene/events.h"
#include "scene/include.h"
#include "scene/law_file.h"
#include "scene/scene_internal.h"
#include "scene/settings.h"

static rps_status keep_text(rps_scene_text *text, const char *path, const char *bytes, size_t count, rps_error *err) {
    char *copy = rps_pool_copy(&text->pool, bytes, count, err);
    char *name = rps_pool_printf(&text->pool, err, "%s", path ? path : "scene");
    if (!copy || !name) return RPS_NO_MEMORY;
    text->source = (rps_source){.name = name, .text = copy, .bytes = count};
    return RPS_OK;
}

static rps_status load_read_file(rps_scene *scene, const char *path, rps_error *err) {
    FILE *file = fopen(path, "rb");
    if (!file) return rps_file_fail(err, "open the scene file", path, errno);
    void *buffer = NULL;
    size_t capacity = 0, used = 0;
    rps_status status = RPS_OK;
    while (status == RPS_OK && used <= RPS_YAML_BYTES) {
        status = rps_buffer_reserve(scene->allocator, &buffer, &capacity, used, used + (1 << 16), err);
        if (status != RPS_OK) break;
        size_t got = fread((char *)buffer + used, 1, 1 << 16, file);
        used += got;
        if (got == 0) {
            if (ferror(file)) status = rps_file_fail(err, "read the scene file", path, errno);
            break;
        }
    }
    fclose(file);
    if (status == RPS_OK && used > RPS_YAML_BYTES) {
        status = rps_fail(err, RPS_BAD_INPUT,
                          "%s: the scene has more than %d bytes; put particles into a file of their "
                          "own (`file:`)",
                          path, RPS_YAML_BYTES);
    }
    if (status == RPS_OK) status = keep_text(scene->text, path, buffer, used, err);
    rps_buffer_release(scene->allocator, &buffer, &capacity);
    return status;
}

static rps_status read_source(rps_scene *scene, const rps_scene_load_options *options, rps_error *err) {
    const char *path = options->path;
    const char *slash = path ? strrchr(path, '/') : NULL;
    scene->text->folder = options->folder
                              ? rps_pool_printf(&scene->text->pool, err, "%s/", options->folder)
                              : rps_pool_copy(&scene->text->pool, path, slash ? (size_t)(slash - path) + 1 : 0, err);
    if (!scene->text->folder) return RPS_NO_MEMORY;
    if (!options->text) {
        return path ? load_read_file(scene, path, err) : rps_fail(err, RPS_BAD_INPUT, "a scene needs a path or a text");
    }
    if (options->text_bytes > RPS_YAML_BYTES) {
        return rps_fail(err, RPS_BAD_INPUT,
                        "%s: the scene has %zu bytes, the most is %d; put particles into a file of "
                        "their own (`file:`)",
                        path ? path : "scene", options->text_bytes, RPS_YAML_BYTES);
    }
    return keep_text(scene->text, path, options->text, options->text_bytes, err);
}

/* --- load ---------------------------------------------------------------------------------------------------------- */

rps_status rps_scene_read_gravity(const rps_scene *scene, const rps_node *gravity, double out[3], rps_error *err) {
    memset(out, 0, 3 * sizeof *out);
    if (gravity->kind == RPS_NODE_LIST) memcpy(out, gravity->number, 3 * sizeof *out);
    if (gravity->kind != RPS_NODE_MAP) return RPS_OK;
    double g = rps_node_number(gravity, "magnitude", 0.0), tilt = rps_node_number(gravity, "tilt", 0.0);
    bool about_y = rps_node_number(gravity, "about", 1.0) == 1.0;
    if (scene->planar && !about_y) {
        return rps_place_fail(err, rps_node_get(gravity, "about")->place,
                              "a planar scene lies in x-z: its ground is tilted about y");
    }
    /* in the axes of a ground tilted by +tilt the vertical is turned by -tilt */
    out[0] = about_y ? g * rps_sin(tilt) : 0.0;
    out[1] = about_y ? 0.0 : -g * rps_sin(tilt);
    out[2] = -g * rps_cos(tilt);
    return RPS_OK;
}

/* Stores gravity, periods and dimension for the rest of this layer. */
static rps_status read_frame(rps_scene *scene, rps_error *err) {
    const rps_node *depth = rps_node_get(scene->text->root, "depth");
    const rps_node *periodic = rps_node_get(scene->text->root, "periodic");
    scene->planar = rps_node_number(scene->text->root, "dimension", 3.0) == 2.0;
    scene->depth = rps_node_number(scene->text->root, "depth", 1.0);
    if (depth && !scene->planar) {
        return rps_place_fail(err, depth->place,
                              "only a planar scene has a depth\nsay `dimension: 2`, or leave it out");
    }
    RPS_TRY(rps_scene_read_gravity(scene, rps_node_get(scene->text->root, "gravity"), scene->gravity, err));
    if (periodic && periodic->kind == RPS_NODE_LIST) {
        memcpy(scene->period, periodic->number, sizeof scene->period);
    } else if (periodic) {
        static const char *const axis[3] = {"x", "y", "z"};
        for (int k = 0; k < 3; k++) scene->period[k] = rps_node_number(periodic, axis[k], 0.0);
        const rps_node *shear = rps_node_get(periodic, "shear");
        if (shear) {
            scene->shear.flow = (int)rps_node_number(shear, "flow", 0.0);
            scene->shear.gradient = (int)rps_node_number(shear, "gradient", 0.0);
            scene->shear.rate = rps_node_number(shear, "rate", 0.0);
            if (scene->shear.flow == scene->shear.gradient) {
                return rps_place_fail(err, rps_node_get(shear, "gradient")->place,
                                      "the flow and the gradient of the shear lie along one axis, %c\n"
                                      "give them different axes",
                                      "xyz"[scene->shear.flow]);
            }
        }
        if (scene->planar && scene->period[1] > 0.0) {
            return rps_place_fail(err, rps_node_get(periodic, "y")->place,
                                  "a planar scene lies in x-z and has no period along y");
        }
    }
    return RPS_OK;
}

static const struct {
    const char *key;
    double share;
} writer[RPS_WRITERS] = {
#define RPS_WRITER(name, share, shown, item, meaning) {#name, share},
#include "language/writer_list.inc"
#undef RPS_WRITER
};

/* Times of steps whose problems are written. A run that --until ends may go on to those behind its end. */
static rps_status read_dump(rps_scene *scene, rps_error *err) {
    const rps_node *run = rps_node_get(scene->text->root, "run"), *list = rps_node_get(run, "dump");
    rps_scene_run *r = &scene->run;
    if (!list) return RPS_OK;
    if (!rps_node_is(rps_node_get(run, "stepper"), "nonsmooth")) {
        return rps_place_fail(err, list->place,
                              "the penalty stepper solves no contact problem that `run.dump` could write\nwrite `run: "
                              "{stepper: nonsmooth}`, or leave `dump` out");
    }
    double *time = rps_pool_take(&scene->text->pool, list->count * sizeof *time, err);
    if (!time) return RPS_NO_MEMORY;
    for (size_t k = 0; k < list->count; k++) {
        const rps_node *item = list->entry[k].value;
        time[k] = item->number[0];
        if (time[k] < 0.5 * r->step) {
            return rps_place_fail(err, item->place,
                                  "no step ends there: the first one ends at %g s\ngive the time at the end of a step",
                                  r->step);
        }
        if (r->until > 0.0 && !scene->text->until && time[k] > r->until * (1.0 + 1e-12)) {
            return rps_place_fail(err, item->place, "no step ends there: the run ends at %g s\ngive an earlier time",
                                  r->until);
        }
    }
    r->dump = time;
    r->dumps = list->count;
    return RPS_OK;
}

static rps_status read_run(rps_scene *scene, const rps_scene_kept *kept, rps_error *err) {
    const rps_node *run = rps_node_get(scene->text->root, "run"), *output = rps_node_get(scene->text->root, "output");
    const rps_node *step = rps_node_get(run, "step");
    rps_scene_run *r = &scene->run;
    r->title = rps_node_text(scene->text->root, "title");
    r->path = scene->text->source.name;
    r->source = scene->text->source.text;
    r->source_bytes = scene->text->source.bytes;
    r->until = rps_node_number(run, "until", 0.0);
    if (!rps_node_get(run, "until")) RPS_TRY(rps_stages_time(scene, &r->until, err));
    r->step_chosen = rps_node_is(step, "auto");
    r->step_wanted = r->step_chosen ? 0.0 : step->number[0];
    r->step = r->step_wanted;
    r->rest = rps_node_number(run, "rest", 0.0);
    for (int w = 0; w < RPS_WRITERS; w++) {
        const double chosen = writer[w].share > 0.0 ? r->until / writer[w].share : 0.0;
        const bool is_kept = kept && kept->every[w] >= 0.0;
        r->every[w] = is_kept ? kept->every[w] : rps_node_number(output, writer[w].key, chosen);
        r->writes[w] = r->every[w] > 0.0 || rps_stages_write(scene, w);
    }
    scene->kept_step = kept ? kept->step : 0.0;
    r->checkpoint = rps_node_number(output, "checkpoint", -1.0);
    r->stage_states = rps_node_number(output, "stages", 1.0) != 0.0;
    r->surface = (uint64_t)rps_node_number(output, "surface", 200.0);
    const rps_node *particles = rps_node_get(output, "particles");
    r->particles = particles ? particles->text : NULL;
    RPS_TRY(rps_scene_read_output(scene, err));
    RPS_TRY(read_dump(scene, err));
    scene->seed = (uint64_t)rps_node_number(run, "seed", 1.0);
    if (scene->threads == 0) scene->threads = (int)rps_node_number(run, "threads", 0.0);
    return RPS_OK;
}

static rps_status check_run(const rps_scene *scene, rps_error *err) {
    const rps_node *run = rps_node_get(scene->text->root, "run"), *step = rps_node_get(run, "step");
    const bool short_step = !scene->run.step_chosen && scene->run.step < DBL_MIN;
    if (short_step || scene->run.until < DBL_MIN) {
        const rps_node *until = rps_node_get(run, "until");
        return rps_place_fail(err, short_step || !until ? step->place : until->place,
                              "times below %.3g s lose their digits\nchoose a longer %s", DBL_MIN,
                              short_step ? "step" : "run");
    }
    if (!scene->run.step_chosen && scene->run.step > scene->run.until) {
        return rps_place_fail(err, step->place, "the step is longer than the run, which ends at %g s",
                              scene->run.until);
    }
    if (!scene->run.step_chosen && scene->run.until / scene->run.step > 1e15) {
        return rps_place_fail(err, step->place, "the run would take more than 1e15 steps");
    }
    return RPS_OK;
}

static rps_status load_load(rps_scene *scene, const rps_scene_load_options *options, rps_error *err) {
    RPS_TRY(rps_scene_add_laws(scene, options->law, options->laws, err));
    RPS_TRY(read_source(scene, options, err));
    RPS_TRY(rps_yaml_parse(&scene->text->pool, &scene->text->source, &scene->text->root, err));
    RPS_TRY(rps_scene_include(scene, options, err));
    RPS_TRY(rps_settings_variants(scene, err));
    const char *name = options->variant;
    for (size_t i = 0; i < options->varies; i++) {
        if (strncmp(options->vary[i], rps_variant_is, strlen(rps_variant_is)) == 0) {
            name = options->vary[i] + strlen(rps_variant_is);
        }
    }
    if (name != options->variant) name = rps_pool_printf(&scene->text->pool, err, "%s", name);
    if (!name && options->varies && name != options->variant) return RPS_NO_MEMORY;
    RPS_TRY(rps_settings_keep(scene, options, err));
    RPS_TRY(rps_settings_apply(scene, options, name, RPS_SETTINGS_OF_PARAMETERS, err));
    RPS_TRY(rps_scene_expand(&scene->text->pool, scene->text->root, err));
    RPS_TRY(rps_settings_apply(scene, options, name, RPS_SETTINGS_OF_ALL_ELSE, err));
    if (options->sweep && scene->text->root->kind == RPS_NODE_MAP) RPS_TRY(rps_sweep_want(scene, options, err));
    const rps_entry *late = rps_node_find(scene->text->root, "include");
    if (late) {
        return rps_place_fail(err, late->key_place,
                              "files are included before settings are applied\nset their keys "
                              "instead");
    }
    RPS_TRY(rps_scene_expand(&scene->text->pool, scene->text->root, err)); /* formulas of the settings */
    RPS_TRY(rps_scene_law_files(scene, options, err));
    if (scene->text->root->kind == RPS_NODE_MAP) RPS_TRY(rps_stage_trees_make(scene, err)); /* from what is unchecked */
    RPS_TRY(rps_schema_check(&scene->text->pool, &scene->text->own, scene->text->root, err));
    RPS_TRY(rps_stage_trees_check(scene, err));
    RPS_TRY(read_frame(scene, err));
    RPS_TRY(read_run(scene, options->kept, err));
    if (options->sweep) {
        memset(scene->run.every, 0, sizeof scene->run.every); /* a sweep writes its own table */
        memset(scene->run.writes, 0, sizeof scene->run.writes);
        scene->run.dumps = 0;
        RPS_TRY(rps_sweep_read(scene, err));
    }
    RPS_TRY(check_run(scene, err));
    rps_scene_tell_unused(scene);
    return RPS_OK;
}

/* --- the scene and its text ---------------------------------------------------------------------------------------- */

static rps_status make_text(const rps_allocator *allocator, rps_scene_text **out, rps_error *err) {
    void *memory;
    RPS_TRY(rps_memory_alloc_zeroed(allocator, sizeof(rps_scene_text), &memory, err));
    rps_scene_text *text = memory;
    atomic_init(&text->users, 1);
    text->allocator = allocator;
    rps_pool_init(&text->pool, allocator);
    *out = text;
    return RPS_OK;
}

static void release_text(rps_scene_text *text) {
    if (!text || atomic_fetch_sub(&text->users, 1) > 1) return;
    rps_checkpoint_close(text->from);
    rps_pool_release(&text->pool);
    rps_memory_release(text->allocator, text, sizeof *text);
}

rps_status rps_scene_load(const rps_scene_load_options *options, rps_scene **out, rps_error *err) {
    *out = NULL;
    void *memory;
    RPS_TRY(rps_memory_alloc_zeroed(options->allocator, sizeof(rps_scene), &memory, err));
    rps_scene *scene = memory;
    scene->allocator = options->allocator;
    scene->threads = options->threads;
    scene->scheduler = options->scheduler;
    scene->observer.stop.guard = RPS_GUARD_NONE;
    scene->isa = options->isa;
    scene->log = options->log;
    scene->log_context = options->log_context;
    scene->proceed = options->proceed;
    scene->proceed_context = options->proceed_context;
    rps_pool_init(&scene->pool, options->allocator);
    rps_pool_init(&scene->observer.notes, options->allocator);
    rps_status status = make_text(options->allocator, &scene->text, err);
    if (status == RPS_OK) status = load_load(scene, options, err);
    if (status != RPS_OK) {
        rps_scene_free(scene);
        return status;
    }
    *out = scene;
    return RPS_OK;
}

rps_status rps_scene_again(const rps_scene *scene, rps_scene **out, rps_error *err) {
    *out = NULL;
    if (scene->built || scene->observer.sweeping) {
        return rps_fail(err, RPS_INTERNAL, "a scene that was built, or is one of a sweep, is no pattern for another");
    }
    void *memory;
    RPS_TRY(rps_memory_alloc_zeroed(scene->allocator, sizeof(rps_scene), &memory, err));
    rps_scene *again = memory;
    *again = *scene;
    rps_pool_init(&again->pool, scene->allocator);
    rps_pool_init(&again->observer.notes, scene->allocator);
    atomic_fetch_add(&again->text->users, 1);
    *out = again;
    return RPS_OK;
}

void rps_scene_free(rps_scene *scene) {
    if (!scene) return;
    const rps_allocator *allocator = scene->allocator;
    for (size_t i = 0; i < scene->insertions.count; i++) {
        rps_tally_release(allocator, &scene->insertions.item[i].tally);
    }
    rps_sizes_release(scene);
    rps_interiors_release(scene);
    rps_fits_release(scene);
    rps_traffic_release(&scene->traffic, allocator);
    rps_pool_release(&scene->pool);
    rps_pool_release(&scene->observer.notes);
    release_text(scene->text);
    rps_memory_release(allocator, scene, sizeof *scene);
}

void rps_scene_resumes(rps_scene *scene, rps_checkpoint *from, bool extended) {
    scene->text->from = from;
    scene->text->extended = extended;
}

void rps_scene_forget_notes(rps_scene *scene) {
    rps_pool_release(&scene->observer.notes);
    rps_pool_init(&scene->observer.notes, scene->allocator);
}

bool rps_scene_parameter(const rps_scene *scene, size_t index, const char **name, const char **value) {
    const rps_node *parameters = rps_node_get(scene->text->root, "parameters");
    if (!parameters || index >= parameters->count) return false;
    *name = parameters->entry[index].key;
    *value = parameters->entry[index].value->text;
    return true;
}

const char *rps_scene_variant(const rps_scene *scene) {
    return scene->text->variant;
}

size_t rps_scene_variant_count(const rps_scene *scene) {
    return scene ? scene->text->variants : 0;
}

const char *rps_scene_variant_name(const rps_scene *scene, size_t index) {
    return scene && index < scene->text->variants ? scene->text->variant_name[index] : NULL;
}

const rps_scene_run *rps_scene_get_run(const rps_scene *scene) {
    return &scene->run;
}

bool rps_scene_pending(const rps_scene *scene) {
    for (size_t i = 0; i < scene->insertions.count; i++) {
        if (scene->insertions.item[i].done < rps_insertion_planned(&scene->insertions.item[i])) return true;
    }
    return rps_events_wait(scene);
}

uint64_t rps_scene_body_total(const rps_scene *scene) {
    return scene->bodies_total;
}
