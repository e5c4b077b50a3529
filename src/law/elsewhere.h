/* Laws that other programs have under other names (elsewhere.inc). */
#ifndef RPS_LAW_ELSEWHERE_H
#define RPS_LAW_ELSEWHERE_H

#include <repose/law.h>

typedef struct rps_law_elsewhere {
    rps_role role;
    const char *name, *program; /* as it is written there */
    const char *here;           /* the rest of a sentence: "is `hertz`" */
} rps_law_elsewhere;

/* NULL beyond the last. */
const rps_law_elsewhere *rps_law_elsewhere_at(size_t index);

/* By role and name, whatever its capitals, /, _ and -; NULL: none known. */
const rps_law_elsewhere *rps_law_elsewhere_find(rps_role role, const char *name);

#endif
