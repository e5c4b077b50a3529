/* Settings of a stage as changes of the world when it begins: materials, pairs, guards, gravity, intervals of output and
 * the step. */
#include <math.h>
#include <string.h>

#include "scene/events.h"
#include "scene/scene_internal.h"
#include "scene/stages.h"
#include "step/step_stages.h"

static const char *const writer_key[RPS_WRITERS] = {
#define RPS_WRITER(name, share, shown, item, meaning) #name,
#include "language/writer_list.inc"
#undef RPS_WRITER
};

/* The value that a stage sets for a writer; NULL: none. */
static const rps_node *interval_of(const rps_scene *scene, size_t stage, int writer) {
    const rps_node *root = scene->text->stage_root ? scene->text->stage_root[stage] : NULL;
    const rps_node *value = rps_node_get(rps_node_get(root, "output"), writer_key[writer]);
    return value && value->given ? value : NULL;
}

bool rps_stages_write(const rps_scene *scene, int writer) {
    const rps_node *stages = rps_stages_node(scene);
    for (size_t i = 0; stages && i < stages->count; i++) {
        const rps_node *value = interval_of(scene, i, writer);
        if (value && value->number[0] > 0.0) return true;
    }
    return false;
}

bool rps_stages_set(const rps_scene *scene) {
    for (size_t i = 0; i < scene->stages.count; i++) {
        if (scene->stages.item[i].root) return true;
    }
    return false;
}

bool rps_scene_removes(const rps_scene *scene) {
    return scene->traffic.sinks > 0 || rps_events_have(scene, RPS_EVENT_REMOVED);
}

const bool *rps_scene_unsteady_groups(const rps_scene *scene, size_t *groups) {
    *groups = scene->events.groups;
    return scene->events.meets_group;
}

bool rps_scene_changes(const rps_scene *scene) {
    return scene->origin || rps_stages_set(scene) || rps_events_have(scene, RPS_EVENT_HELD) ||
           rps_events_have(scene, RPS_EVENT_RELEASED);
}

/* --- materials and pairs ------------------------------------------------------------------------------------------ */

static bool same_modulus(double a, double b) {
    return a == b || (isnan(a) && isnan(b));
}

static rps_status change_materials(const rps_node *root, rps_place place, rps_world *world, bool *changed,
                                   rps_error *err) {
    const rps_node *materials = rps_node_get(root, "materials");
    for (size_t i = 0; i < materials->count; i++) {
        const rps_node *node = materials->entry[i].value;
        const int index = rps_world_find_material(world, materials->entry[i].key);
        rps_material material = rps_world_material(world, index);
        material.young = rps_build_young(node);
        material.poisson = rps_node_number(node, "poisson", NAN);
        const rps_material now = rps_world_material(world, index);
        if (same_modulus(material.young, now.young) && same_modulus(material.poisson, now.poisson)) continue;
        *changed = true;
        RPS_TRY(rps_place_wrap(err, place, rps_world_set_material(world, index, &material, err)));
    }
    return RPS_OK;
}

rps_status rps_scene_change_laws(const rps_scene *scene, const rps_node *root, rps_place place, rps_world *world,
                                 bool *changed, rps_error *err) {
    RPS_TRY(change_materials(root, place, world, changed, err));
    return rps_scene_change_pairs(scene, root, place, world, changed, err);
}

static rps_status change_laws(const rps_scene *scene, const rps_stage *stage, rps_world *world, rps_error *err) {
    bool changed = false;
    return rps_scene_change_laws(scene, stage->root, rps_node_get(stage->node, "set")->place, world, &changed, err);
}

size_t rps_scene_stage_now(const rps_scene *scene) {
    return scene->stages.now;
}

rps_status rps_scene_set_laws(const rps_scene *scene, rps_world *world, size_t stage, rps_error *err) {
    for (size_t i = 0; i <= stage && i < scene->stages.count; i++) {
        if (scene->stages.item[i].root) RPS_TRY(change_laws(scene, &scene->stages.item[i], world, err));
    }
    return RPS_OK;
}

rps_status rps_stages_check_laws(const rps_scene *scene, const rps_world *world, rps_error *err) {
    rps_world *scratch;
    rps_status status = RPS_OK;
    if (!rps_stages_set(scene)) return RPS_OK;
    RPS_TRY(rps_scratch_world(world, &scratch, err));
    for (size_t i = 0; i < scene->stages.count && status == RPS_OK; i++) {
        const rps_stage *stage = &scene->stages.item[i];
        rps_guards guards = world->options.guards;
        if (!stage->root) continue;
        status = change_laws(scene, stage, scratch, err);
        if (status == RPS_OK) status = rps_scene_read_guards(scene, stage->root, &guards, err);
    }
    rps_world_destroy(scratch);
    return status;
}

/* --- guards and output -------------------------------------------------------------------------------------------- */

/* The domain that was chosen for the run stays unless the stage gives one. */
static rps_status change_guards(const rps_scene *scene, const rps_stage *stage, rps_world *world, rps_error *err) {
    rps_guards guards = world->options.guards;
    if (!rps_stage_sets(stage, "guards")) return RPS_OK;
    RPS_TRY(rps_scene_read_guards(scene, stage->root, &guards, err));
    return rps_place_wrap(err, rps_node_get(stage->root, "guards")->place, rps_world_set_guards(world, &guards, err));
}

static void change_output(rps_scene *scene, size_t index) {
    for (int w = 0; w < RPS_WRITERS; w++) {
        const rps_node *value = interval_of(scene, index, w);
        char path[64] = "output.";
        strncat(path, writer_key[w], sizeof path - 8);
        if (value && scene->run.writes[w] && rps_stage_sets(&scene->stages.item[index], path)) {
            scene->run.every[w] = value->number[0];
        }
    }
}

/* --- the step ----------------------------------------------------------------------------------------------------- */

/* Does the stage say how long the step is, or change what a chosen one follows from? */
static bool changes_step(const rps_stage *stage) {
    const rps_node *step = rps_node_get(rps_node_get(stage->root, "run"), "step");
    if (rps_stage_sets(stage, "run")) return true;
    return rps_node_is(step, "auto") &&
           (rps_stage_sets(stage, "pairs") || rps_stage_sets(stage, "materials") || rps_stage_sets(stage, "gravity"));
}

bool rps_stages_change_step(const rps_scene *scene) {
    for (size_t i = 0; i < scene->stages.count; i++) {
        if (scene->stages.item[i].root && changes_step(&scene->stages.item[i])) return true;
    }
    return false;
}

/* s, how long the stage lasts if that is known, else 0: the step then divides no time. */
static double stage_span(const rps_scene *scene, const rps_world *world, const rps_stage *stage) {
    const double left = scene->run.until - rps_world_time(world);
    if (stage->until == RPS_STAGE_TIME) return stage->time < left ? stage->time : left;
    return stage->until == RPS_STAGE_OPEN && left > 0.0 ? left : 0.0;
}

static rps_status change_step(rps_scene *scene, const rps_stage *stage, rps_world *world, rps_error *err) {
    double step;
    if (!changes_step(stage)) return RPS_OK;
    RPS_TRY(rps_build_step_of_stage(scene, world, stage->root, stage_span(scene, world, stage), &step, err));
    RPS_TRY(rps_world_set_step(world, step, err));
    scene->run.step = world->step;
    scene->run.clock = rps_world_clock(world);
    rps_traffic_keep_events(scene);
    return RPS_OK;
}

/* --- a stage ------------------------------------------------------------------------------------------------------ */

rps_status rps_stage_change_world(rps_scene *scene, rps_world *world, size_t index, rps_error *err) {
    const rps_stage *stage = &scene->stages.item[index];
    double gravity[3];
    if (!stage->root) return RPS_OK;
    RPS_TRY(change_laws(scene, stage, world, err));
    RPS_TRY(change_guards(scene, stage, world, err));
    change_output(scene, index);
    if (rps_stage_sets(stage, "gravity")) {
        const rps_node *node = rps_node_get(stage->root, "gravity");
        RPS_TRY(rps_scene_read_gravity(scene, node, gravity, err));
        RPS_TRY(rps_place_wrap(err, node->place, rps_world_set_gravity(world, gravity, err)));
        memcpy(scene->gravity, gravity, sizeof scene->gravity);
    }
    return rps_stage_sets(stage, "fluid") ? rps_scene_set_fluid(stage->root, world, err) : RPS_OK;
}

rps_status rps_stage_change_step(rps_scene *scene, rps_world *world, size_t index, rps_error *err) {
    const rps_stage *stage = &scene->stages.item[index];
    return stage->root ? change_step(scene, stage, world, err) : RPS_OK;
}

rps_status rps_stages_prepare_restore(rps_scene *scene, rps_world *world, size_t now, double step, rps_error *err) {
    for (size_t i = 0; i <= now && i < scene->stages.count; i++) {
        const rps_stage *stage = &scene->stages.item[i];
        if (!stage->root) continue;
        RPS_TRY(change_laws(scene, stage, world, err));
        RPS_TRY(change_guards(scene, stage, world, err));
        change_output(scene, i);
    }
    return rps_world_set_step(world, step, err);
}
