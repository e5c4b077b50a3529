/* The table of laws, made from law_list.inc. The law `none` of a role comes before the others of the role. */
#include <string.h>

#include "law/roles.h"

#define RPS_LAW(symbol) extern const rps_law symbol;
#include "law/law_list.inc"
#undef RPS_LAW

static const rps_law *const table[] = {
#define RPS_LAW(symbol) &symbol,
#include "law/law_list.inc"
#undef RPS_LAW
};

enum { LISTED = sizeof table / sizeof *table };

const rps_law *rps_law_at(size_t index) {
    bool seen[RPS_ROLE_COUNT] = {false};
    for (size_t i = 0; i < LISTED + RPS_ROLE_COUNT; i++) {
        const rps_law *law = i < LISTED ? table[i] : NULL;
        const rps_role role = law ? law->role : (rps_role)(i - LISTED);
        const rps_law *none = seen[role] ? NULL : rps_role_none(role);
        seen[role] = true;
        if (none && index-- == 0) return none;
        if (law && index-- == 0) return law;
    }
    return NULL;
}

const rps_law *rps_law_find(rps_role role, const char *name) {
    if (!name || (unsigned)role >= RPS_ROLE_COUNT) return NULL;
    for (size_t i = 0; i < LISTED; i++) {
        if (table[i]->role == role && strcmp(table[i]->name, name) == 0) return table[i];
    }
    const rps_law *none = rps_role_none(role);
    return none && strcmp(none->name, name) == 0 ? none : NULL;
}
