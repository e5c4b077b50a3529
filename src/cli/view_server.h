/* The server of `repose view`: HTTP on the loopback interface alone, below a path that holds a random word. One thread; a request
 * is answered before the next one. */
#ifndef RPS_CLI_VIEW_SERVER_H
#define RPS_CLI_VIEW_SERVER_H

#include <repose/run.h>

#include "view_folder.h"

enum { VIEW_TOKEN = 32 /* hexadecimal digits */, VIEW_URL = 96 };

/* The run tells its view these, and the view tells the run commands of one byte, over a socket. */
typedef struct view_told {
    view_state state;
    bool has_progress;
    rps_run_progress progress;
} view_told;
enum { VIEW_DO_PAUSE = 'p', VIEW_DO_STEP = 'n', VIEW_DO_RESUME = 'r', VIEW_DO_STOP = 's' };

typedef struct view_server {
    view_folder folder;
    struct MHD_Daemon *daemon;
    int listener, link; /* link: to the run; -1: none */
    unsigned port;
    char token[VIEW_TOKEN + 1], once[VIEW_TOKEN + 1], url[VIEW_URL];
    char *policy; /* of the page */
    rps_text text;
    view_told told;
    bool heard;     /* the run has told something */
    double asked;   /* s: when a page asked last */
    double lingers; /* s without a page after which the view of a run that is over ends */
} view_server;

/* Listens; port 0: any free one. The address of the page is then server->url. RPS_UNSUPPORTED if this build has no page,
 * RPS_IO_ERROR if the port is taken. Close after any outcome. */
rps_status view_server_open(view_server *server, const char *directory, int port, rps_error *err);
/* Another address, which leads to the page once: for a command line, which others on the machine may read. */
void view_server_once(const view_server *server, char url[VIEW_URL]);
/* Serves until the run is over and no page has asked for long, or cli_proceed says no. */
rps_status view_server_run(view_server *server, rps_error *err);
void view_server_close(view_server *server);

#endif
