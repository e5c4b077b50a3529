/* The table of laws, made from law_list.inc. */
#include <string.h>

#include <repose/law.h>

#define RPS_LAW(symbol) extern const rps_law symbol;
#include "law/law_list.inc"
#undef RPS_LAW

static const rps_law *const table[] = {
#define RPS_LAW(symbol) &symbol,
#include "law/law_list.inc"
#undef RPS_LAW
    NULL,
};

const rps_law *rps_law_at(size_t index) {
    for (size_t i = 0; table[i]; i++) {
        if (i == index) return table[i];
    }
    return NULL;
}

const rps_law *rps_law_find(rps_role role, const char *name) {
    for (size_t i = 0; name && table[i]; i++) {
        if (table[i]->role == role && strcmp(table[i]->name, name) == 0) return table[i];
    }
    return NULL;
}
