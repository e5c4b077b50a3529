/* The set-up of a world as text, one line for each property that must match before a state can be restored. */
#include <stdio.h>
#include <string.h>

#include "base/hash.h"
#include "io/state_parts.h"
#include "law/arrays.h"

const char rps_state_setup_name[] = "setup";

void rps_state_add_numbers(rps_text *text, const double *value, int count) {
    for (int k = 0; k < count; k++) {
        rps_text_add(text, " ", NULL);
        rps_text_add_double(text, value[k], NULL);
    }
}

static void describe_pair(const rps_world *world, const rps_pair_setup *pair, rps_text *text) {
    const char *a = world->material[pair->material[0]].name, *b = world->material[pair->material[1]].name;
    for (int role = 0; role < RPS_ROLE_COUNT; role++) {
        const rps_law *law = pair->law[role];
        if (rps_role_is_optional((rps_role)role) && rps_law_is_idle(law)) continue;
        rps_text_addf(text, NULL, "pair %s, %s: %s: %s", a, b, rps_role_name((rps_role)role), law->name);
        for (int k = 0; k < RPS_LAW_PARAMETERS && law->parameter[k].name; k++) {
            rps_text_addf(text, NULL, " %s", law->parameter[k].name);
            rps_state_add_numbers(text, &pair->given.value[role][k], 1);
        }
        rps_text_add(text, "\n", NULL);
    }
    if (pair->given.wear > 0.0) {
        rps_text_addf(text, NULL, "pair %s, %s: wear", a, b);
        rps_state_add_numbers(text, &pair->given.wear, 1);
        rps_text_add(text, "\n", NULL);
    }
    const rps_form *f = &pair->given.form;
    rps_text_addf(
        text, NULL,
        "pair %s, %s: form: frame %d path %d history %d carry %d damper %d mass %d caps %d arc %d tension %d\n", a, b,
        (int)f->frame, (int)f->path, (int)f->history, (int)f->carry, (int)f->damper, (int)f->damper_mass,
        (int)f->cap_load, (int)f->arc, (int)pair->given.tension);
}

/* Its name may change, its surface may not. */
static void describe_motion(size_t number, const rps_motion_table *table, rps_text *text) {
    rps_hash hash;
    rps_hash128_begin(&hash);
    rps_hash128_add(&hash, table->time, table->rows * sizeof *table->time);
    rps_hash128_add(&hash, table->piece, (table->rows - 1) * sizeof *table->piece);
    const rps_hash128_value value = rps_hash128_result(&hash);
    rps_text_addf(text, NULL, "motion %zu: %zu rows, repeat %d, hash %016llx%016llx\n", number, table->rows,
                  table->repeat ? 1 : 0, (unsigned long long)value.high, (unsigned long long)value.low);
}

static void describe_mesh(size_t number, const rps_mesh *mesh, rps_text *text) {
    rps_hash hash;
    rps_hash128_begin(&hash);
    rps_hash128_add(&hash, mesh->point, mesh->points * sizeof *mesh->point);
    rps_hash128_add(&hash, mesh->triangle, mesh->triangles * sizeof *mesh->triangle);
    const rps_hash128_value value = rps_hash128_result(&hash);
    rps_text_addf(text, NULL, "mesh %zu: %zu triangles, side %d, hash %016llx%016llx\n", number, mesh->triangles,
                  (int)mesh->side, (unsigned long long)value.high, (unsigned long long)value.low);
}

static rps_status state_describe(const rps_world *world, rps_text *text, rps_error *err) {
    const rps_world_options *o = &world->options;
    rps_text_addf(text, NULL, "integrator: %d\nledger: %d\nframes: %d\ngravity:", (int)o->integrator, o->ledger,
                  o->frames);
    rps_state_add_numbers(text, world->gravity_made, 3);
    if (o->stepper == RPS_NONSMOOTH) {
        const rps_nonsmooth_options *n = &o->nonsmooth;
        const double value[5] = {n->tolerance, (double)n->max_iterations, n->margin, n->recovery_speed,
                                 n->impact_speed};
        rps_text_addf(text, NULL, "\nnonsmooth: cone %d rigid %d", (int)n->cone, n->rigid);
        rps_state_add_numbers(text, value, 5);
        if (n->on_missed != RPS_MISSED_WARN) rps_text_addf(text, NULL, " on_missed %d", (int)n->on_missed);
    }
    rps_text_add(text, "\nperiod:", NULL);
    rps_state_add_numbers(text, o->period, 3);
    if (world->cell.sheared) {
        rps_text_addf(text, NULL, "\nshear: %c %c", "xyz"[o->shear.flow], "xyz"[o->shear.gradient]);
        rps_state_add_numbers(text, &o->shear.rate, 1);
    }
    if (o->dimension == 2) {
        rps_text_add(text, "\ndimension: 2\ndepth:", NULL);
        rps_state_add_numbers(text, &o->depth, 1);
    }
    rps_text_add(text, "\nstep:", NULL);
    rps_state_add_numbers(text, &world->step, 1);
    rps_text_add(text, "\n", NULL);
    for (size_t k = 0; k < world->materials; k++) {
        const rps_material *m = &world->material[k].value;
        const double value[3] = {m->young, m->poisson, m->density};
        rps_text_addf(text, NULL, "material %s:", m->name);
        rps_state_add_numbers(text, value, 3);
        rps_text_add(text, "\n", NULL);
    }
    for (size_t k = 0; k < world->materials && world->heat.on; k++) {
        const double value[2] = {world->material[k].conductivity, world->material[k].heat_capacity};
        rps_text_addf(text, NULL, "heat of %s:", world->material[k].name);
        rps_state_add_numbers(text, value, 2);
        rps_text_add(text, "\n", NULL);
    }
    if (world->heat.on) {
        rps_text_addf(text, NULL, "heat: conduction %d from_damping %d start", world->heat.options.conduction,
                      world->heat.options.from_damping);
        rps_state_add_numbers(text, &world->heat.options.start, 1);
        rps_text_add(text, "\n", NULL);
    }
    for (size_t k = 0; k < world->meshes; k++) describe_mesh(k, &world->mesh[k].mesh, text);
    for (size_t k = 0; k < world->motions; k++) describe_motion(k, &world->motion_table[k], text);
    for (size_t k = 0; k < world->pairs; k++) describe_pair(world, &world->pair_setup[k], text);
    rps_state_describe_parts(world, text);
    for (size_t k = 0; k < world->groups; k++) rps_text_addf(text, NULL, "group %zu: %s\n", k, world->group[k]);
    static const char *const rule[] = {NULL, "excluded", "included"};
    for (size_t k = 0; world->rule && k < world->groups * world->groups; k++) {
        if (world->rule[k] != RPS_RULE_NONE) {
            rps_text_addf(text, NULL, "%s: %zu %zu\n", rule[world->rule[k]], k / world->groups, k % world->groups);
        }
    }
    return text->status == RPS_OK ? RPS_OK : rps_fail(err, text->status, "no memory for the description of the world");
}

rps_status rps_state_save_setup(const rps_world *world, rps_serializer *serializer, rps_error *err) {
    rps_text text;
    rps_text_init(&text, world->allocator, (size_t)1 << 30);
    rps_status status = state_describe(world, &text, err);
    if (status == RPS_OK) {
        status = rps_serializer_text(serializer, rps_state_setup_name, rps_text_string(&text), text.length, err);
    }
    rps_text_release(&text);
    return status;
}

rps_status rps_state_compare_setup(const rps_world *world, const rps_checkpoint *c, rps_error *err) {
    const char *saved;
    RPS_TRY(rps_checkpoint_text(c, rps_state_setup_name, &saved, NULL, err));
    rps_text text;
    rps_text_init(&text, world->allocator, (size_t)1 << 30);
    rps_status status = state_describe(world, &text, err);
    const char *now = rps_text_string(&text);
    if (status == RPS_OK && strcmp(saved, now) != 0) {
        const char *a = saved, *b = now; /* starts of the first lines that differ */
        for (size_t k = 0; saved[k] == now[k]; k++) {
            if (saved[k] == '\n') a = saved + k + 1, b = now + k + 1;
        }
        status = rps_fail(err, RPS_BAD_INPUT,
                          "the state in %s belongs to another set-up: it was saved with `%.*s`, the world has `%.*s`; "
                          "set the world up as it was",
                          rps_checkpoint_path(c), (int)strcspn(a, "\n"), a, (int)strcspn(b, "\n"), b);
    }
    rps_text_release(&text);
    return status;
}
