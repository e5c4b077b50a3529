/*
 * A change of gravity between two steps.
 *
 * The first kick of the next step uses the new gravity, but the contact loads of the last evaluation. A load that
 * follows from an overlap does not depend on gravity, but an imposed weight does. A weight from before the change
 * would leave a normal velocity of dt/2 (verlet) or dt (half-implicit) times the change, and since nothing opposes it
 * the body would leave the plane. So the imposed loads in the sums on bodies are replaced by those under the new
 * gravity, with the laws' own kernels. Friction caps follow at the next evaluation, as after any change of load.
 */
#include <math.h>
#include <string.h>

#include "detect/detect.h"
#include "step/step_stages.h"
#include "world/fluid.h"
#include "world/share.h"

/* The change of the load of one entry. */
typedef struct load_change {
    double before;       /* N, elastic load under the old gravity */
    double force[3];     /* N, on i; the opposite acts on j */
    double torque[2][3]; /* N m, on i and on j */
} load_change;

static bool is_imposed(const rps_world *world, const rps_segment *segment) {
    return segment->count > 0 && !(world->pair_setup[segment->pair].law[RPS_ROLE_NORMAL]->exponent > 0.0);
}

static bool has_imposed(const rps_world *world) {
    if (!world->started || world->options.stepper != RPS_PENALTY) return false;
    for (size_t n = 0; n < world->contacts.segments; n++) {
        if (is_imposed(world, &world->contacts.segment[n])) return true;
    }
    return false;
}

/* Change of load at lane c, from its load under the new gravity. Spheres and planes have arms along the normal. */
static void change_at(const rps_lanes *l, int c, bool frame, load_change *change) {
    const double more = l->elastic_load[c] - change->before;
    const rps_vec3 n = {l->normal[0][c], l->normal[1][c], l->normal[2][c]}, force = rps_vec3_scale(n, more);
    rps_vec3_put(change->force, force);
    if (!frame) return;
    const rps_vec3 branch_i = {l->branch_i[0][c], l->branch_i[1][c], l->branch_i[2][c]};
    const rps_vec3 branch_j = {l->branch_j[0][c], l->branch_j[1][c], l->branch_j[2][c]};
    rps_vec3_put(change->torque[0], rps_vec3_cross(branch_i, force));
    rps_vec3_put(change->torque[1], rps_vec3_neg(rps_vec3_cross(branch_j, force)));
}

/* Visits all imposed contacts: records their loads (after: false), or computes their changes since then. */
static void gravity_look(rps_world *world, bool after, load_change *change) {
    const rps_lanes *l = rps_evaluate_lanes(world);
    for (size_t n = 0; n < world->contacts.segments; n++) {
        const rps_segment *segment = &world->contacts.segment[n];
        for (size_t place = 0; is_imposed(world, segment) && place < segment->count; place += RPS_BATCH) {
            const size_t entry = segment->begin + place;
            const int entries = rps_evaluate_energy_only(world, entry / RPS_BATCH);
            for (int c = 0; c < entries; c++) {
                load_change *one = &change[entry + (size_t)c];
                if (!(l->touch[c] > 0.5)) continue;
                if (after) {
                    change_at(l, c, rps_record_has_subkeys(segment->record), one);
                } else {
                    one->before = l->elastic_load[c];
                }
            }
        }
    }
}

static void gravity_add(double to[3], double factor, const double by[3]) {
    for (int k = 0; k < 3; k++) to[k] += factor * by[k];
}

/* Adds the changes to the sums on bodies, in the order of keys, and to the loads of single contacts. */
static void add_changes(rps_world *world, const load_change *change) {
    rps_bodies *bodies = &world->bodies;
    rps_contacts *contacts = &world->contacts;
    const size_t known = contacts->bodies;
    for (size_t s = 0; s < known; s++) {
        for (size_t r = contacts->reference_begin[s]; r < contacts->reference_begin[s + 1]; r++) {
            const int side = contacts->reference[r] & 1;
            const load_change *one = &change[contacts->reference[r] >> 1];
            const double sign = side ? -1.0 : 1.0;
            if (bodies->kind[s][0] != RPS_BODY_FIXED) {
                gravity_add(bodies->load[s].force, sign, one->force);
                gravity_add(bodies->load[s].torque, 1.0, one->torque[side]);
            }
            if (!world->loads_known) continue; /* after a restart */
            gravity_add(contacts->load[contacts->line[r]].force, sign, one->force);
            gravity_add(contacts->load[contacts->line[r]].torque, 1.0, one->torque[side]);
        }
    }
}

/* Potential energy changes without work: its change counts as brought in, each term exactly as in the ledger. */
static void book_potential(rps_world *world, const double gravity[3]) {
    const rps_bodies *bodies = &world->bodies;
    for (size_t s = 0; s < bodies->count; s++) {
        double x[3];
        if (bodies->kind[s][0] != RPS_BODY_FREE) continue;
        rps_world_unwrapped(world, s, x);
        for (int k = 0; k < 3; k++) {
            rps_exact_sum_add(&world->energy_brought, bodies->mass[s][0] * world->options.gravity[k] * x[k]);
            rps_exact_sum_add(&world->energy_brought, -bodies->mass[s][0] * gravity[k] * x[k]);
        }
    }
}

rps_status rps_world_set_gravity(rps_world *world, const double gravity[3], rps_error *err) {
    RPS_GIVEN(world);
    RPS_GIVEN(gravity);
    RPS_TRY(rps_share_refuse(world, "a new gravity", err));
    if (!isfinite(gravity[0]) || !isfinite(gravity[1]) || !isfinite(gravity[2]) ||
        (world->options.dimension == 2 && gravity[1] != 0.0)) {
        return rps_fail(err, RPS_BAD_INPUT, "gravity is (%g, %g, %g) m/s^2; expected finite numbers%s", gravity[0],
                        gravity[1], gravity[2], world->options.dimension == 2 ? ", and no part along y" : "");
    }
    RPS_TRY(rps_shear_check_gravity(&world->options.shear, gravity, err));
    RPS_TRY(rps_fluid_check_gravity(world, gravity, err));
    load_change *change = NULL;
    size_t bytes = 0;
    if (has_imposed(world)) {
        void *p;
        RPS_TRY(rps_evaluate_reserve(world, err));
        RPS_TRY(rps_size_of_items(world->contacts.entries, sizeof *change, &bytes, err));
        RPS_TRY(rps_memory_alloc(world->allocator, bytes, &p, err));
        change = p;
        memset(change, 0, bytes);
        gravity_look(world, false, change);
    }
    book_potential(world, gravity);
    rps_fluid_book_potential(world, -1.0);
    memcpy(world->options.gravity, gravity, sizeof world->options.gravity);
    rps_fluid_book_potential(world, 1.0);
    if (!world->started) memcpy(world->gravity_made, gravity, sizeof world->gravity_made);
    if (change) {
        gravity_look(world, true, change);
        add_changes(world, change);
        rps_memory_release(world->allocator, change, bytes);
    }
    return RPS_OK;
}
