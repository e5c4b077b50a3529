/* The fluid of a scene: `fluid`, which a stage may set again. */
#include <repose/fluid.h>

#include <math.h>

#include "base/c_locale.h"
#include "scene/scene_internal.h"
#include "scene/stages.h"
#include "world/world.h"

/* A step above this part of the shortest time of drag changes terminal speeds by more than a fifth of a per cent. */
#define COARSE_STEP 0.2

static rps_fluid read_fluid(const rps_node *node) {
    rps_fluid fluid = rps_fluid_default();
    if (!node || node->kind != RPS_NODE_MAP) return fluid;
    const char *drag = rps_node_text(node, "drag");
    fluid.drag = RPS_DRAG_SCHILLER_NAUMANN;
    for (int k = 0; drag && k < RPS_DRAG_COUNT; k++) {
        if (rps_node_is(rps_node_get(node, "drag"), rps_drag_name((rps_drag)k))) fluid.drag = (rps_drag)k;
    }
    fluid.density = rps_node_number(node, "density", 0.0);
    fluid.viscosity = rps_node_number(node, "viscosity", 0.0);
    fluid.porosity = rps_node_number(node, "porosity", fluid.porosity);
    fluid.level = rps_node_number(node, "level", fluid.level);
    rps_node_vector(node, "velocity", fluid.velocity, 3);
    return fluid;
}

rps_status rps_scene_set_fluid(const rps_node *root, rps_world *world, rps_error *err) {
    const rps_node *node = rps_node_get(root, "fluid");
    const rps_fluid fluid = read_fluid(node), now = rps_world_fluid(world);
    if (!node && now.drag == RPS_DRAG_NONE && now.density == 0.0) return RPS_OK;
    return rps_place_wrap(err, (node ? node : root)->place, rps_world_set_fluid(world, &fluid, err));
}

bool rps_scene_immersed(const rps_scene *scene) {
    bool has = rps_node_get(scene->text->root, "fluid") != NULL;
    for (size_t i = 0; i < scene->stages.count; i++) {
        has = has || (scene->stages.item[i].root && rps_node_get(scene->stages.item[i].root, "fluid"));
    }
    return has;
}

/* s, and the body that drag slows down the most. */
static double shortest_time(const rps_world *world, size_t *slot) {
    double least = INFINITY;
    for (size_t s = 0; s < world->bodies.count; s++) {
        const double time = rps_world_drag_time(world, s);
        if (!(time < least)) continue;
        least = time;
        *slot = s;
    }
    return least;
}

void rps_scene_tell_drag(const rps_scene *scene, const rps_world *world) {
    size_t slot = 0;
    const double time = shortest_time(world, &slot), part = world->step / time;
    char text[512], name[RPS_BODY_NAME];
    if (!scene->log || !(part > COARSE_STEP)) return;
    rps_snprintf(
        text, sizeof text,
        "the step of %.4g s is %.3g of the time of %.4g s in which drag slows %s down: its terminal speed will be "
        "off by about %.2g %%\ntake a step of %.3g s or less",
        world->step, part, time, rps_body_name(world, slot, name, sizeof name), 100.0 * part * part / 20.0,
        COARSE_STEP * time);
    scene->log(scene->log_context, RPS_LOG_WARNING, text);
}
