/* Lists the terms of the energy ledger: kinetic and potential energy, the roles from their table, then external
 * terms. */
#include "step/ledger_terms.h"

#include "world/world.h"

static void add_term(rps_ledger_term *out, size_t *n, rps_ledger_use use, const char *column, const char *meaning,
                     double value) {
    out[(*n)++] = (rps_ledger_term){column, meaning, value, use};
}

size_t rps_ledger_terms(const rps_ledger *ledger, rps_ledger_term out[RPS_LEDGER_TERMS]) {
    const rps_ledger *l = ledger;
    const rps_ledger_use all = RPS_LEDGER_ALL_RUNS;
    size_t n = 0;
    add_term(out, &n, all, "ledger_kinetic_translation", "kinetic energy of translation", l->kinetic_translation);
    add_term(out, &n, all, "ledger_kinetic_rotation", "kinetic energy of rotation", l->kinetic_rotation);
    add_term(out, &n, all, "ledger_gravity", "potential energy of gravity", l->gravity);
#define RPS_ROLE_STORES(symbol, name, energy)                                                   \
    add_term(out, &n, all, "ledger_elastic_" #name, "energy stored by laws of the role " #name, \
             l->elastic[RPS_ROLE_##symbol]);
#include <repose/role_list.inc>
#define RPS_ROLE_ACCOUNT(symbol, name, energy)                                                         \
    add_term(out, &n, all, "ledger_dissipated_" #name, "energy dissipated by laws of the role " #name, \
             l->dissipated[RPS_ROLE_##symbol]);
#include <repose/role_list.inc>
    add_term(out, &n, all, "ledger_drives", "work of drives", l->drives);
    add_term(out, &n, all, "ledger_start", "energy at the start", l->start);
    add_term(out, &n, all, "ledger_residual", "residual", l->residual);
    add_term(out, &n, RPS_LEDGER_SHEARED_RUNS, "ledger_shear", "work of the shear", l->shear);
    add_term(out, &n, RPS_LEDGER_NO_RUN, "ledger_external", "energy that the program brought", l->external);
    add_term(out, &n, RPS_LEDGER_DRAINED_RUNS, "ledger_removed", "energy of removed bodies", l->removed);
    add_term(out, &n, RPS_LEDGER_CHANGED_RUNS, "ledger_changed", "energy brought by other laws and kinds of bodies",
             l->changed);
    add_term(out, &n, RPS_LEDGER_MESHED_RUNS, "ledger_handover", "energy lost where contacts join or part",
             l->handover);
    add_term(out, &n, RPS_LEDGER_IMMERSED_RUNS, "ledger_buoyancy", "potential energy of buoyancy", l->buoyancy);
    add_term(out, &n, RPS_LEDGER_IMMERSED_RUNS, "ledger_drag", "energy dissipated by the drag of the fluid", l->drag);
    add_term(out, &n, RPS_LEDGER_IMMERSED_RUNS, "ledger_flow", "work of the flowing fluid", l->flow);
    add_term(out, &n, RPS_LEDGER_FORCED_RUNS, "ledger_forces", "work of forces from outside", l->forces);
    add_term(out, &n, RPS_LEDGER_FORCED_RUNS, "ledger_potential", "potential energy of forces from outside",
             l->potential);
    add_term(out, &n, RPS_LEDGER_BONDED_RUNS, "ledger_bonds_stored", "energy stored by bonds", l->bonds_stored);
    add_term(out, &n, RPS_LEDGER_BONDED_RUNS, "ledger_bonds_dissipated", "energy dissipated by bonds",
             l->bonds_dissipated);
    return n;
}

/* Whether a run of the world has a column for terms of this use. */
static bool has_column(const rps_world *world, rps_ledger_scene scene, rps_ledger_use use) {
    return use == RPS_LEDGER_ALL_RUNS || (use == RPS_LEDGER_SHEARED_RUNS && world->cell.sheared) ||
           (use == RPS_LEDGER_BONDED_RUNS && world->bonds.used) ||
           (use == RPS_LEDGER_IMMERSED_RUNS && scene.immersed) ||
           (use == RPS_LEDGER_FORCED_RUNS && world->forces.count > 0) ||
           (use == RPS_LEDGER_MESHED_RUNS && world->meshes > 0) || (use == RPS_LEDGER_DRAINED_RUNS && scene.removes) ||
           (use == RPS_LEDGER_CHANGED_RUNS && scene.changes);
}

size_t rps_ledger_columns(const rps_world *world, rps_ledger_scene scene, const rps_ledger *ledger,
                          rps_ledger_term out[RPS_LEDGER_TERMS]) {
    if (!world->options.ledger) return 0;
    const size_t terms = rps_ledger_terms(ledger, out);
    size_t n = 0;
    for (size_t k = 0; k < terms; k++) {
        if (has_column(world, scene, out[k].use)) out[n++] = out[k];
    }
    return n;
}
