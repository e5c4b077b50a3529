/* The page that tools/make_viewer makes of viewer/, which is part of the command, and how data are put into it: blocks before
 * its script. */
#ifndef RPS_CLI_REPORT_PAGE_H
#define RPS_CLI_REPORT_PAGE_H

#include "base/text.h"
#include "io/file.h"

typedef struct report_page {
    rps_replacement out;
    const char *rest; /* of the page, after the data */
} report_page;

/* RPS_UNSUPPORTED if this build has no page; nothing is begun then. */
rps_status report_page_begin(report_page *page, const char *path, rps_error *err);
void report_page_put(report_page *page, const char *text);
/* Writes JSON as a block with an id. Tags cannot stand in it, and absolute paths lose their folders: they belong to the
 * machine. */
void report_page_put_json(report_page *page, const char *id, const char *json);
/* Must follow a begin that succeeded. With `good` false the old file stays, and the result is not to be looked at. */
rps_status report_page_end(report_page *page, bool good, rps_error *err);

/* The page itself, which lasts as long as the program: the part before the data, and the rest. RPS_UNSUPPORTED if this build
 * has none. */
rps_status report_page_halves(const char **before, size_t *bytes, const char **rest, rps_error *err);
/* Adds JSON as report_page_put_json writes it. */
rps_status report_page_clean(const char *json, rps_text *out, rps_error *err);

#endif
