/* One run or sweep of a report: its blocks in the page. Those of the first have no prefix, those of the next "run-1-" and so on;
 * "head" is JSON with all but the summary ("summary"), the sweep ("sweep") and the frames. */
#ifndef RPS_CLI_REPORT_RUN_H
#define RPS_CLI_REPORT_RUN_H

#include "report_page.h"

/* RPS_BAD_INPUT if the folder holds neither results of a run nor those of a sweep. */
rps_status report_run_find(const char *directory, rps_error *err);
/* Writes the blocks of a run, `number` in the page, which take about `bytes` of it; prints what is left out. */
rps_status report_run_write(report_page *page, const char *directory, int number, double bytes, rps_error *err);

#endif
