/* gnuplot as a process of its own: a script goes in, a figure comes out. */
#ifndef RPS_RUN_GNUPLOT_H
#define RPS_RUN_GNUPLOT_H

#include <stddef.h>

#include "base/text.h"

/* The bytes that gnuplot writes to its standard output for the script. The caller gives them back by
 * rps_buffer_release(NULL, figure, room), also after a failure; both begin as zero. No shell and no start-up file is read.
 * RPS_UNSUPPORTED, with gnuplot's own first complaint, if it is not installed, refuses the script or dies. */
rps_status rps_gnuplot_run(const rps_text *script, void **figure, size_t *capacity, size_t *bytes, rps_error *err);

/* A string of gnuplot that shows the text as it is, UTF-8 that XML may hold: one line without control characters. */
rps_status rps_gnuplot_quote(rps_text *script, const char *text, rps_error *err);

#endif
