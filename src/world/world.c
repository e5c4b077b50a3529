/* Creates and destroys a world; its materials, groups and laws. */
#include "world/world.h"

#include <stdio.h>
#include <string.h>

#include "base/flush.h"
#include "base/threads.h"
#include "law/arrays.h"
#include "world/world_internal.h"

/* --- options -------------------------------------------------------------------------------------------------------- */

rps_world_options rps_world_options_default(void) {
    return (rps_world_options){
        .size = sizeof(rps_world_options),
        .stepper = RPS_PENALTY,
        /* Tolerance: errors of loads are then well below 0.1 %, even in contacts that carry a hundredth of the
         * largest. Margin: bodies that impulses push together from beyond it within a step overlap first. */
        .nonsmooth = {.cone = RPS_FRICTION_COULOMB,
                      .tolerance = 1e-6,
                      .max_iterations = 1000,
                      .margin = 0.1,
                      .recovery_speed = 0.1,
                      .impact_speed = NAN},
        .integrator = RPS_VERLET,
        .dimension = 3,
        .depth = 1.0,
        .isa = -1,
        .ledger = true,
        /* Overlap: if spheres of a packing lie 60 degrees apart around a body, their contacts merge at 0.27 of the
         * radius (half an angle of 30 degrees), and laws for single contacts are invalid beyond. Motion: bodies that
         * touch within a step would penetrate further than that. Rotation: tracking assumes a small rotation per
         * step. */
        .guards = {.overlap = 0.3, .motion = 0.5, .rotation = 0.5, .step = 1.0},
    };
}

static rps_status check_length(const char *name, double value, rps_error *err) {
    if (rps_finite(value) && value >= 0.0) return RPS_OK;
    return rps_fail(err, RPS_BAD_INPUT, "world options: %s is %g m; expected a finite length, or 0", name, value);
}

static rps_status check_isa(int isa, rps_error *err) {
    if (isa == -1 || (isa >= 0 && isa < RPS_ISA_COUNT && rps_isa_supported((rps_isa)isa))) return RPS_OK;
    char have[64];
    size_t used = 0;
    have[0] = 0;
    for (int k = 0; k < RPS_ISA_COUNT; k++) {
        if (rps_isa_supported((rps_isa)k)) {
            used +=
                (size_t)snprintf(have + used, sizeof have - used, "%s%s", used ? ", " : "", rps_isa_name((rps_isa)k));
        }
    }
    if (isa < 0 || isa >= RPS_ISA_COUNT) {
        return rps_fail(err, RPS_BAD_INPUT,
                        "world options: isa is %d; expected -1 (the best), or the number of one that "
                        "this machine has (%s)",
                        isa, have);
    }
    return rps_fail(err, RPS_UNSUPPORTED, "world options: this machine cannot run the instruction set %s; it has %s",
                    rps_isa_name((rps_isa)isa), have);
}

rps_status rps_guards_check(const rps_guards *g, rps_error *err) {
    const struct {
        const char *name;
        double value;
    } limit[] = {{"overlap", g->overlap}, {"motion", g->motion}, {"rotation", g->rotation}, {"step", g->step}};
    for (size_t i = 0; i < sizeof limit / sizeof *limit; i++) {
        if (!(limit[i].value > 0.0)) {
            return rps_fail(err, RPS_BAD_INPUT, "world options: guards.%s is %g; expected a positive number",
                            limit[i].name, limit[i].value);
        }
    }
    for (int k = 0; k < RPS_GUARD_COUNT; k++) {
        if ((int)g->action[k] < RPS_GUARD_STOP || g->action[k] > RPS_GUARD_OFF) {
            return rps_fail(err, RPS_BAD_INPUT, "world options: guards.action[%d] is %d; expected stop, warn or off", k,
                            (int)g->action[k]);
        }
    }
    for (int k = 0; k < 3; k++) {
        if (!(g->low[k] <= g->high[k])) {
            return rps_fail(err, RPS_BAD_INPUT,
                            "world options: the domain ends at %g m before it begins at %g m along %c", g->high[k],
                            g->low[k], "xyz"[k]);
        }
    }
    return RPS_OK;
}

static rps_status world_check_nonsmooth(const rps_nonsmooth_options *o, rps_error *err) {
    const struct {
        const char *name;
        double value;
        bool zero; /* may be 0 */
    } number[] = {{"tolerance", o->tolerance, false},
                  {"margin", o->margin, true},
                  {"recovery_speed", o->recovery_speed, true},
                  {"impact_speed", isnan(o->impact_speed) ? 0.0 : o->impact_speed, true}};
    if (o->cone != RPS_FRICTION_COULOMB && o->cone != RPS_FRICTION_CONVEX) {
        return rps_fail(err, RPS_BAD_INPUT, "world options: there is no friction cone number %d", (int)o->cone);
    }
    for (size_t k = 0; k < sizeof number / sizeof *number; k++) {
        const double x = number[k].value;
        if (!rps_finite(x) || x < 0.0 || (x == 0.0 && !number[k].zero)) {
            return rps_fail(err, RPS_BAD_INPUT, "world options: nonsmooth.%s is %g; expected a finite number %s 0",
                            number[k].name, x, number[k].zero ? "of at least" : "above");
        }
    }
    if (o->on_missed != RPS_MISSED_WARN && o->on_missed != RPS_MISSED_STOP && o->on_missed != RPS_MISSED_REFINE) {
        return rps_fail(err, RPS_BAD_INPUT, "world options: nonsmooth.on_missed is %d; there is no such way",
                        (int)o->on_missed);
    }
    if (o->max_iterations == 0) {
        return rps_fail(err, RPS_BAD_INPUT, "world options: nonsmooth.max_iterations is 0; expected at least 1");
    }
    return RPS_OK;
}

static rps_status check_options(const rps_world_options *o, rps_error *err) {
    static const char *const period_name[3] = {"the period along x", "the period along y", "the period along z"};
    if (o->size != sizeof *o) {
        return rps_fail(err, RPS_BAD_INPUT,
                        "world options: size is %u, expected %zu; begin with "
                        "rps_world_options_default()",
                        o->size, sizeof *o);
    }
    if (o->integrator != RPS_VERLET && o->integrator != RPS_HALF_IMPLICIT) {
        return rps_fail(err, RPS_BAD_INPUT, "world options: there is no integrator number %d", (int)o->integrator);
    }
    if (o->stepper != RPS_PENALTY && o->stepper != RPS_NONSMOOTH) {
        return rps_fail(err, RPS_BAD_INPUT, "world options: there is no stepper number %d", (int)o->stepper);
    }
    RPS_TRY(world_check_nonsmooth(&o->nonsmooth, err));
    if (!(rps_finite(o->step) && o->step > 0.0)) {
        return rps_fail(err, RPS_BAD_INPUT, "world options: the time step is %g s; expected a positive number",
                        o->step);
    }
    if (!rps_finite3(o->gravity)) {
        return rps_fail(err, RPS_BAD_INPUT, "world options: gravity is (%g, %g, %g) m/s^2; expected finite numbers",
                        o->gravity[0], o->gravity[1], o->gravity[2]);
    }
    for (int k = 0; k < 3; k++) RPS_TRY(check_length(period_name[k], o->period[k], err));
    RPS_TRY(rps_planar_check_options(o, err));
    RPS_TRY(rps_shear_check_options(o, err));
    RPS_TRY(check_length("skin", o->skin, err));
    RPS_TRY(check_length("neighbor_skin", o->neighbor_skin, err));
    RPS_TRY(rps_guards_check(&o->guards, err));
    if (!o->allocator.alloc != !o->allocator.release) {
        return rps_fail(err, RPS_BAD_INPUT, "world options: an allocator needs both alloc and release, or neither");
    }
    return check_isa(o->isa, err);
}

/* --- life ----------------------------------------------------------------------------------------------------------- */

rps_status rps_world_create(const rps_world_options *options, rps_world **world, rps_error *err) {
    RPS_GIVEN(world);
    *world = NULL;
    int threads;
    RPS_GIVEN(options);
    void *block;
    RPS_TRY(check_options(options, err));
    RPS_TRY(rps_threads_take("threads", options->threads, &options->scheduler, &threads, err));
    const rps_allocator *theirs = options->allocator.alloc ? &options->allocator : NULL;
    RPS_TRY(rps_memory_alloc_zeroed(theirs, sizeof(rps_world), &block, err));
    rps_world *w = block;
    w->options = *options;
    w->allocator = theirs ? &w->options.allocator : NULL;
    w->cell = rps_cell_make(options->period);
    const rps_shear *shear = &options->shear;
    if (shear->flow != shear->gradient) {
        w->shear.rate = rps_flush(shear->rate);
        rps_cell_shear(&w->cell, shear->flow, shear->gradient, w->shear.rate);
    }
    w->step = options->step;
    w->isa = options->isa < 0 ? rps_isa_best() : (rps_isa)options->isa;
    w->threads = threads;
    w->lists_stale = true;
    w->fluid = rps_fluid_default();
    w->moved.deviation = INFINITY;
    w->guard.stopped = RPS_GUARD_NONE;
    memcpy(w->gravity_made, options->gravity, sizeof w->gravity_made);
    int unnamed;
    rps_status status = rps_world_group(w, "", &unnamed, err);
    if (status != RPS_OK) {
        rps_world_destroy(w);
        return status;
    }
    *world = w;
    return RPS_OK;
}

void rps_world_destroy(rps_world *world) {
    if (!world) return;
    if (world->lists_release) world->lists_release(world);
    rps_contacts_release(world, &world->contacts);
    if (world->nonsmooth_release) world->nonsmooth_release(world);
    if (world->contact_log_release) world->contact_log_release(world);
    rps_allocator theirs = world->options.allocator;
    const rps_allocator *allocator = world->allocator;
    for (size_t k = 0; k < world->materials; k++) rps_string_release(allocator, world->material[k].name);
    for (size_t k = 0; k < world->groups; k++) rps_string_release(allocator, world->group[k]);
    rps_memory_release(allocator, world->pair_of, world->materials * world->materials * sizeof *world->pair_of);
    if (world->rule) rps_memory_release(allocator, world->rule, world->groups * world->groups);
    rps_list_release(allocator, world->material, world->materials, sizeof *world->material);
    rps_list_release(allocator, world->group, world->groups, sizeof *world->group);
    rps_list_release(allocator, world->pair_setup, world->pairs, sizeof *world->pair_setup);
    rps_list_release(allocator, world->own_law, world->own_laws, sizeof *world->own_law);
    rps_buffer_release(allocator, (void **)&world->piece, &world->piece_bytes);
    rps_colliders_release(world);
    rps_world_meshes_release(world);
    rps_motion_tables_release(world);
    rps_surface_loads_release(world);
    rps_liquid_release(world);
    rps_heat_release(world);
    rps_forces_release(world);
    rps_clump_release(world);
    rps_list_release(allocator, world->driven, world->drives, sizeof *world->driven);
    rps_joints_release(world);
    rps_bonds_release(world);
    rps_memory_release(allocator, world->scratch, world->scratch_bytes);
    rps_external_release(world);
    rps_memory_release(world->allocator, world->user, world->users * sizeof *world->user);
    rps_memory_release(allocator, world->commons.id, world->commons.id_bytes);
    rps_memory_release(allocator, world->commons.sum, world->commons.sum_bytes);
    rps_bodies_release(world);
    rps_memory_release(allocator ? &theirs : NULL, world, sizeof *world);
}

/* --- materials ------------------------------------------------------------------------------------------------------ */

rps_material rps_material_default(void) {
    return (rps_material){.size = sizeof(rps_material), .young = NAN, .poisson = NAN, .density = NAN};
}

rps_status rps_material_check(const rps_material *m, rps_error *err) {
    if (m->size != sizeof *m) {
        return rps_fail(err, RPS_BAD_INPUT, "material: size is %u, expected %zu; begin with rps_material_default()",
                        m->size, sizeof *m);
    }
    if (!m->name || !*m->name) return rps_fail(err, RPS_BAD_INPUT, "material: a name is expected");
    if (!isnan(m->young) && !(m->young > 0.0)) {
        return rps_fail(err, RPS_BAD_INPUT,
                        "material \"%s\": young is %g Pa; expected a positive number, or infinity: rigid", m->name,
                        m->young);
    }
    if (!isnan(m->poisson) && !(m->poisson > -1.0 && m->poisson <= 0.5)) {
        return rps_fail(err, RPS_BAD_INPUT, "material \"%s\": poisson is %g; expected a number above -1, at most 0.5",
                        m->name, m->poisson);
    }
    if (!isnan(m->density) && !(rps_finite(m->density) && m->density > 0.0)) {
        return rps_fail(err, RPS_BAD_INPUT, "material \"%s\": density is %g kg/m^3; expected a positive number",
                        m->name, m->density);
    }
    return RPS_OK;
}

static rps_status check_material(const rps_world *world, const rps_material *m, rps_error *err) {
    RPS_TRY(rps_material_check(m, err));
    if (rps_world_find_material(world, m->name) < 0) return RPS_OK;
    return rps_fail(err, RPS_BAD_INPUT, "material \"%s\" exists already; give every material a name of its own",
                    m->name);
}

/* *fresh is a copy of a square table of `old` rows with one more row and column; new cells hold `fill` bytes. */
static rps_status grown_square(const rps_world *world, const void *table, size_t old, size_t cell, int fill,
                               void **fresh, rps_error *err) {
    size_t row = old + 1, cells, bytes;
    if (!rps_size_mul(row, row, &cells)) cells = SIZE_MAX;
    RPS_TRY(rps_size_of_items(cells, cell, &bytes, err));
    RPS_TRY(rps_memory_alloc(world->allocator, bytes, fresh, err));
    memset(*fresh, fill, bytes);
    for (size_t k = 0; k < old; k++) {
        memcpy((char *)*fresh + k * row * cell, (const char *)table + k * old * cell, old * cell);
    }
    return RPS_OK;
}

/* Grows a list and its square table (NULL: none) by one and copies the name of the new item; all or nothing. */
static rps_status grow_named(const rps_world *world, const char *name, void **list, size_t count, size_t item_size,
                             void **table, size_t cell, int fill, char **copy, rps_error *err) {
    void *square = NULL, *grown = NULL;
    RPS_TRY(rps_string_copy(world->allocator, name, copy, err));
    rps_status status = table ? grown_square(world, *table, count, cell, fill, &square, err) : RPS_OK;
    if (status == RPS_OK) status = rps_list_grown(world->allocator, *list, count, item_size, &grown, err);
    if (status != RPS_OK) {
        if (square) rps_memory_release(world->allocator, square, (count + 1) * (count + 1) * cell);
        rps_string_release(world->allocator, *copy);
        return status;
    }
    rps_list_keep(world->allocator, *list, count, item_size, grown);
    *list = grown;
    if (table) {
        rps_memory_release(world->allocator, *table, count * count * cell);
        *table = square;
    }
    return RPS_OK;
}

rps_status rps_world_add_material(rps_world *world, const rps_material *material, int *index, rps_error *err) {
    RPS_GIVEN(world);
    RPS_GIVEN(material);
    RPS_TRY(check_material(world, material, err));
    if (world->heat.on) {
        return rps_fail(err, RPS_BAD_INPUT, "material \"%s\": give all materials before the heat of bodies is counted",
                        material->name);
    }
    void *list = world->material, *table = world->pair_of;
    char *name;
    RPS_TRY(grow_named(world, material->name, &list, world->materials, sizeof *world->material, &table,
                       sizeof *world->pair_of, -1, &name, err));
    world->material = list;
    world->pair_of = table;
    rps_material_slot *slot = &world->material[world->materials];
    *slot = (rps_material_slot){.name = name, .value = *material};
    slot->value.name = name;
    if (index) *index = (int)world->materials;
    world->materials++;
    return RPS_OK;
}

int rps_world_find_material(const rps_world *world, const char *name) {
    for (size_t k = 0; name && k < world->materials; k++) {
        if (strcmp(world->material[k].name, name) == 0) return (int)k;
    }
    return -1;
}

int rps_world_material_count(const rps_world *world) {
    return (int)world->materials;
}

rps_material rps_world_material(const rps_world *world, int index) {
    if (index < 0 || (size_t)index >= world->materials) return rps_material_default();
    return world->material[index].value;
}

/* --- groups and their contacts ------------------------------------------------------------------------------------------- */

rps_status rps_world_group(rps_world *world, const char *name, int *index, rps_error *err) {
    RPS_GIVEN(world);
    RPS_GIVEN(name);
    RPS_GIVEN(index);
    for (size_t k = 0; k < world->groups; k++) {
        if (strcmp(world->group[k], name) == 0) {
            *index = (int)k;
            return RPS_OK;
        }
    }
    void *list = world->group, *table = world->rule;
    char *copy;
    RPS_TRY(grow_named(world, name, &list, world->groups, sizeof *world->group, world->rule ? &table : NULL,
                       sizeof *world->rule, 0, &copy, err));
    world->group = list;
    world->rule = table;
    world->group[world->groups] = copy;
    *index = (int)world->groups++;
    return RPS_OK;
}

const char *rps_world_group_name(const rps_world *world, int index) {
    return index >= 0 && (size_t)index < world->groups ? world->group[index] : NULL;
}

static rps_status set_rule(rps_world *world, int group_a, int group_b, rps_contact_rule rule, const char *call,
                           rps_error *err) {
    if (!rps_world_group_name(world, group_a) || !rps_world_group_name(world, group_b)) {
        return rps_fail(err, RPS_BAD_INPUT, "%s: there is no group number %d; the world has %zu", call,
                        rps_world_group_name(world, group_a) ? group_b : group_a, world->groups);
    }
    if (!world->rule) {
        void *table;
        RPS_TRY(rps_memory_alloc_zeroed(world->allocator, world->groups * world->groups, &table, err));
        world->rule = table;
    }
    world->rule[(size_t)group_a * world->groups + (size_t)group_b] = (uint8_t)rule;
    world->rule[(size_t)group_b * world->groups + (size_t)group_a] = (uint8_t)rule;
    world->lists_stale = true;
    return RPS_OK;
}

rps_status rps_world_exclude(rps_world *world, int group_a, int group_b, rps_error *err) {
    RPS_GIVEN(world);
    return set_rule(world, group_a, group_b, RPS_RULE_EXCLUDED, "exclude", err);
}

rps_status rps_world_include(rps_world *world, int group_a, int group_b, rps_error *err) {
    RPS_GIVEN(world);
    return set_rule(world, group_a, group_b, RPS_RULE_INCLUDED, "include", err);
}

rps_contact_rule rps_world_rule(const rps_world *world, int group_a, int group_b) {
    if (!world->rule) return RPS_RULE_NONE;
    return (rps_contact_rule)world->rule[(size_t)group_a * world->groups + (size_t)group_b];
}

static rps_contact_rule rule_of(const rps_world *world, size_t slot_a, size_t slot_b) {
    return rps_world_rule(world, world->bodies.group[slot_a][0], world->bodies.group[slot_b][0]);
}

bool rps_world_is_excluded(const rps_world *world, size_t slot_a, size_t slot_b) {
    if (world->joints > 0 && rps_world_is_joined(world, slot_a, slot_b)) return true;
    if (world->bonds.without_contact > 0 && rps_world_bond_replaces_contact(world, slot_a, slot_b)) return true;
    return rule_of(world, slot_a, slot_b) == RPS_RULE_EXCLUDED;
}

bool rps_world_may_touch(const rps_world *world, size_t slot_a, size_t slot_b) {
    if (!rps_body_feels_forces(world, slot_a) && !rps_body_feels_forces(world, slot_b) &&
        (!world->rule || rule_of(world, slot_a, slot_b) != RPS_RULE_INCLUDED)) {
        return false;
    }
    return !rps_world_is_excluded(world, slot_a, slot_b);
}

/* --- laws ----------------------------------------------------------------------------------------------------------- */

rps_status rps_law_check(const rps_law *law, rps_error *err) {
    if (law->size != sizeof *law) {
        return rps_fail(err, RPS_BAD_INPUT,
                        "law: size is %u, expected %zu; set it to sizeof(rps_law) and compile the program "
                        "against this library's headers",
                        law->size, sizeof *law);
    }
    if ((unsigned)law->role >= RPS_ROLE_COUNT) {
        return rps_fail(err, RPS_BAD_INPUT, "law \"%s\": there is no role number %d", law->name ? law->name : "",
                        (int)law->role);
    }
    const char *role = rps_role_name(law->role);
    if (!law->name || !*law->name) return rps_fail(err, RPS_BAD_INPUT, "%s law: a name is expected", role);
    for (int k = 0; k < RPS_LAW_PARAMETERS && law->parameter[k].name; k++) {
        const rps_law_parameter *p = &law->parameter[k];
        if (!p->unit || !p->meaning || !(p->low <= p->high)) {
            return rps_fail(
                err, RPS_BAD_INPUT,
                "%s law \"%s\", parameter \"%s\": unit (\"\" for a pure number), meaning and a range from low "
                "to high are expected",
                role, law->name, p->name);
        }
    }
    for (int k = 0; k < RPS_LAW_PARAMETERS && law->parameter[k].name; k++) {
        if ((unsigned)law->parameter[k].kind < RPS_PARAMETER_KIND_COUNT) continue;
        return rps_fail(err, RPS_BAD_INPUT,
                        "%s law \"%s\", parameter \"%s\": there is no kind number %d; RPS_PARAMETER_OTHER is for those "
                        "that mean nothing to others",
                        role, law->name, law->parameter[k].name, (int)law->parameter[k].kind);
    }
    if (!law->prepare || !law->kernel[0] || !law->kernel[1] || !law->kernel[2]) {
        return rps_fail(err, RPS_BAD_INPUT,
                        "%s law \"%s\": prepare and a kernel for each instruction set are expected "
                        "(RPS_LAW_KERNELS repeats one)",
                        role, law->name);
    }
    if (law->begins_apart && !law->range) {
        return rps_fail(err, RPS_BAD_INPUT,
                        "%s law \"%s\": begins_apart is set, but there is no range within which contacts could begin",
                        role, law->name);
    }
    if (law->reads == 0 && law->writes == 0) {
        return rps_fail(
            err, RPS_BAD_INPUT,
            "%s law \"%s\" declares neither .reads nor .writes, so the engine would never call it; name the "
            "arrays of a batch that its kernel reads and writes, as RPS_ARRAY(overlap)",
            role, law->name);
    }
    return rps_law_check_arrays(law, err);
}

rps_status rps_world_register_law(rps_world *world, const rps_law *law, rps_error *err) {
    RPS_GIVEN(world);
    RPS_GIVEN(law);
    RPS_TRY(rps_law_check(law, err));
    if (rps_world_find_law(world, law->role, law->name)) {
        return rps_fail(err, RPS_BAD_INPUT, "%s law \"%s\" exists already; give it another name",
                        rps_role_name(law->role), law->name);
    }
    void *grown;
    RPS_TRY(rps_list_grown(world->allocator, world->own_law, world->own_laws, sizeof *world->own_law, &grown, err));
    rps_list_keep(world->allocator, world->own_law, world->own_laws, sizeof *world->own_law, grown);
    world->own_law = grown;
    world->own_law[world->own_laws++] = law;
    return RPS_OK;
}

const rps_law *rps_world_find_law(const rps_world *world, rps_role role, const char *name) {
    const rps_law *law = rps_law_find(role, name);
    for (size_t k = 0; !law && name && k < world->own_laws; k++) {
        if (world->own_law[k]->role == role && strcmp(world->own_law[k]->name, name) == 0) law = world->own_law[k];
    }
    return law;
}
