/* The table of bond laws, made from bond_list.inc. */
#include <string.h>

#include <repose/bond_law.h>

#define RPS_BOND_LAW(symbol) extern const rps_bond_law symbol;
#include "law/bond_list.inc"
#undef RPS_BOND_LAW

static const rps_bond_law *const table[] = {
#define RPS_BOND_LAW(symbol) &symbol,
#include "law/bond_list.inc"
#undef RPS_BOND_LAW
    NULL,
};

const rps_bond_law *rps_bond_law_at(size_t index) {
    for (size_t i = 0; table[i]; i++) {
        if (i == index) return table[i];
    }
    return NULL;
}

const rps_bond_law *rps_bond_law_find(const char *name) {
    for (size_t i = 0; name && table[i]; i++) {
        if (strcmp(table[i]->name, name) == 0) return table[i];
    }
    return NULL;
}
