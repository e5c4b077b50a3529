/* Lists the terms of the energy ledger: kinetic and potential energy, the roles from their table, then external
 * terms. */
#include "step/ledger_terms.h"

#include "law/arrays.h"
#include "world/world.h"

size_t rps_ledger_terms(const rps_ledger *ledger, rps_ledger_term out[RPS_LEDGER_TERMS]) {
    static const char *const text[RPS_ROLE_COUNT][4] = {
#define RPS_ROLE(symbol, name, accounts, modes, title)                                                \
    {"ledger_elastic_" #name, "energy stored by laws of the role " #name, "ledger_dissipated_" #name, \
     "energy dissipated by laws of the role " #name},
#include <repose/role_list.inc>
#undef RPS_ROLE
    };
    size_t n = 0;
    out[n++] =
        (rps_ledger_term){"ledger_kinetic_translation", "kinetic energy of translation", ledger->kinetic_translation};
    out[n++] = (rps_ledger_term){"ledger_kinetic_rotation", "kinetic energy of rotation", ledger->kinetic_rotation};
    out[n++] = (rps_ledger_term){"ledger_gravity", "potential energy of gravity", ledger->gravity};
    for (int role = 0; role < RPS_ROLE_COUNT; role++) {
        if (!rps_role_stores((rps_role)role)) continue;
        out[n++] = (rps_ledger_term){text[role][0], text[role][1], ledger->elastic[role]};
    }
    for (int role = 0; role < RPS_ROLE_COUNT; role++) {
        if (!rps_role_dissipates((rps_role)role)) continue;
        out[n++] = (rps_ledger_term){text[role][2], text[role][3], ledger->dissipated[role]};
    }
    out[n++] = (rps_ledger_term){"ledger_drives", "work of drives", ledger->drives};
    out[n++] = (rps_ledger_term){"ledger_start", "energy at the start", ledger->start};
    out[n++] = (rps_ledger_term){"ledger_residual", "residual", ledger->residual};
    out[n++] = (rps_ledger_term){"ledger_shear", "work of the shear", ledger->shear};
    out[n++] = (rps_ledger_term){"ledger_external", "energy that the program brought", ledger->external};
    out[n++] = (rps_ledger_term){"ledger_removed", "energy of removed bodies", ledger->removed};
    out[n++] = (rps_ledger_term){"ledger_bonds_stored", "energy stored by bonds", ledger->bonds_stored};
    out[n++] = (rps_ledger_term){"ledger_bonds_dissipated", "energy dissipated by bonds", ledger->bonds_dissipated};
    return n;
}

size_t rps_ledger_columns(const rps_world *world, const rps_ledger *ledger, rps_ledger_term out[RPS_LEDGER_TERMS]) {
    enum { SHEAR, EXTERNAL, REMOVED, BONDS_STORED, BONDS_DISSIPATED, LAST };
    if (!world->options.ledger) return 0;
    size_t n = rps_ledger_terms(ledger, out) - LAST;
    const rps_ledger_term *rest = out + n, shear = rest[SHEAR], stored = rest[BONDS_STORED],
                          dissipated = rest[BONDS_DISSIPATED];
    if (world->cell.sheared) out[n++] = shear;
    if (world->bonds.used) {
        out[n++] = stored;
        out[n++] = dissipated;
    }
    return n;
}
