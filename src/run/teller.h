/* Text for people, piece by piece, for the caller that gave the function to write it. */
#ifndef RPS_RUN_TELLER_H
#define RPS_RUN_TELLER_H

#include <stdarg.h>

#include "base/c_locale.h"
#include "run/run_state.h"

typedef struct teller {
    rps_write_fn write;
    void *context;
} teller;

static void tell(teller *to, const char *fmt, ...) RPS_PRINTF(2, 3);

static void tell(teller *to, const char *fmt, ...) {
    char line[1024];
    va_list args;
    va_start(args, fmt);
    rps_vsnprintf(line, sizeof line, fmt, args);
    va_end(args);
    to->write(to->context, line);
}

/* A number as people read it, six digits. */
#define NUMBER "%.6g"

/* The accuracy of the step, the depth of overlaps, and what the run will cost (explain_impact.c). */
void rps_explain_impact(teller *to, const rps_run_state *run);

#endif
