#include "contacts_common.h"

rps_world *contacts_world(const rps_world_options *options, double stiffness) {
    rps_error err;
    rps_world *world;
    OK(rps_world_create(options, &world, &err));
    rps_material material = rps_material_default();
    material.name = "grain";
    material.density = 2500.0;
    int index;
    OK(rps_world_add_material(world, &material, &index, &err));
    rps_pair pair = rps_pair_default();
    pair.law[RPS_ROLE_NORMAL] = rps_law_find(RPS_ROLE_NORMAL, "hooke");
    pair.value[RPS_ROLE_NORMAL][0] = stiffness;
    for (int role = RPS_ROLE_DAMPING; role < RPS_ROLE_COUNT; role++) {
        pair.law[role] = rps_law_find((rps_role)role, "none");
    }
    OK(rps_world_set_pair(world, 0, 0, &pair, &err));
    rps_body_def plane = rps_body_def_default();
    plane.shape = "plane";
    plane.kind = RPS_BODY_FIXED;
    plane.normal[2] = 1.0;
    OK(rps_world_add_body(world, &plane, NULL, &err));
    return world;
}
