/* Runs gnuplot as a child process: script in, figure out. */
#ifndef RPS_RUN_GNUPLOT_H
#define RPS_RUN_GNUPLOT_H

#include <stddef.h>

#include "base/text.h"

/* Collects the bytes that gnuplot writes to its standard output for the script. The caller releases them with
 * rps_buffer_release(NULL, figure, room), also after a failure; both start as zero. No shell and no start-up file is
 * read. RPS_UNSUPPORTED, with gnuplot's own first complaint, if it is not installed, refuses the script or dies. */
rps_status rps_gnuplot_run(const rps_text *script, void **figure, size_t *capacity, size_t *bytes, rps_error *err);

/* Writes a gnuplot string literal that shows the text verbatim, as UTF-8 valid in XML: one line without control
 * characters. */
rps_status rps_gnuplot_quote(rps_text *script, const char *text, rps_error *err);

#endif
