/* The view of a run that this process computes: a process of its own serves it, tells the wishes of the page, and is told how
 * far the run is. Waiting is all that a run does for it, so its results stay the same. */
#ifndef RPS_CLI_VIEW_RUN_H
#define RPS_CLI_VIEW_RUN_H

#include "view_server.h"

typedef struct view_run {
    bool on;      /* false: there is no view, and the functions do nothing */
    int link;     /* to the view; -1: it has ended */
    long process; /* its id */
    bool stopped; /* by the page */
    view_told told;
    double listened, spoke; /* s */
} view_run;

/* Starts the view and prints its address; `open` shows it in the browser of the desktop. Call before any thread starts.
 * Errors as those of view_server_open. */
rps_status view_run_begin(view_run *view, const char *directory, int port, bool open, rps_error *err);
/* Pauses the run before its next step. */
void view_run_pause(view_run *view);
/* Takes wishes; a wish to stop is a SIGINT of this process. */
void view_run_listen(view_run *view);
/* The same between steps, and waits while the run is paused. */
void view_run_between_steps(view_run *view);
void view_run_progress(view_run *view, const rps_run_progress *progress);
/* A frame was written. */
void view_run_frame(view_run *view);
/* The run is over. Waits while a page shows it, unless a signal ended the run or does now. */
void view_run_end(view_run *view, bool quiet);

/* Opens the address in the browser of the desktop, by xdg-open; warns if there is none. */
void view_open_browser(const view_server *server);

#endif
