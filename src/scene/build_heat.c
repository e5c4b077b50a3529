/* The heat of a scene: `heat`, and what it needs of materials. */
#include <repose/heat.h>

#include <math.h>

#include "scene/scene_internal.h"

static rps_status set_material(const rps_node *node, rps_place place, rps_world *world, int index, rps_error *err) {
    const double conductivity = rps_node_number(node, "conductivity", NAN),
                 capacity = rps_node_number(node, "heat_capacity", NAN);
    if (isnan(conductivity) && isnan(capacity)) return RPS_OK; /* rps_world_set_heat says whether that is enough */
    return rps_place_wrap(err, place, rps_world_set_thermal(world, index, conductivity, capacity, err));
}

rps_status rps_build_heat(const rps_scene *scene, rps_world *world, rps_error *err) {
    const rps_node *root = scene->text->root, *node = rps_node_get(root, "heat"),
                   *materials = rps_node_get(root, "materials");
    rps_heat heat = rps_heat_default();
    if (!node || node->kind != RPS_NODE_MAP) return RPS_OK;
    for (size_t k = 0; k < materials->count; k++) {
        const rps_entry *entry = &materials->entry[k];
        RPS_TRY(set_material(entry->value, entry->key_place, world, rps_world_find_material(world, entry->key), err));
    }
    heat.start = rps_node_number(node, "start", heat.start);
    heat.conduction = rps_node_number(node, "conduction", 1.0) != 0.0;
    heat.from_damping = rps_node_number(node, "from_damping", 0.0) != 0.0;
    return rps_place_wrap(err, node->place, rps_world_set_heat(world, &heat, err));
}
