/* Names that laws have in other programs, for those who write them here. */
#include "law/elsewhere.h"

#include <stdbool.h>

static const rps_law_elsewhere table[] = {
#define RPS_ELSEWHERE(role, name, program, here) {RPS_ROLE_##role, name, program, here},
#include "law/elsewhere.inc"
#undef RPS_ELSEWHERE
};

/* In lower case; 0 for /, _, - and all else that is neither a letter nor a digit. In any locale. */
static int plain_letter(char c) {
    if (c >= 'A' && c <= 'Z') return c - 'A' + 'a';
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') ? c : 0;
}

/* The next letter or digit of a name; 0 at the end. */
static int next_letter(const char **name) {
    while (**name && plain_letter(**name) == 0) ++*name;
    return **name ? plain_letter(*(*name)++) : 0;
}

static bool spells_alike(const char *a, const char *b) {
    for (;;) {
        const int x = next_letter(&a), y = next_letter(&b);
        if (x != y) return false;
        if (x == 0) return true;
    }
}

const rps_law_elsewhere *rps_law_elsewhere_at(size_t index) {
    return index < sizeof table / sizeof *table ? &table[index] : NULL;
}

const rps_law_elsewhere *rps_law_elsewhere_find(rps_role role, const char *name) {
    for (size_t k = 0; k < sizeof table / sizeof *table; k++) {
        if (table[k].role == role && spells_alike(table[k].name, name)) return &table[k];
    }
    return NULL;
}
