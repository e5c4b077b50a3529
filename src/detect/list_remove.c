/*
 * Removes bodies with their contacts and listed pairs.
 */
#include "detect/detect.h"

rps_status rps_detect_remove_reserve(rps_world *world, rps_error *err) {
    return rps_contacts_remove_reserve(world, &world->contacts, err);
}

void rps_detect_remove(rps_world *world, const uint8_t *mark) {
    rps_contacts_remove(world, &world->contacts, mark);
    rps_bodies_compact(world, mark);
    world->lists_stale = true; /* candidates and predicted paths were by slot */
}
