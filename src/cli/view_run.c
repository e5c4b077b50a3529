#include "view_run.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "cli.h"

static const double listening = 0.02, speaking = 0.3; /* s between two */
static const double lingering = 120.0;                /* s: a hidden page asks once a minute at least */
enum { WAITING = 200 /* ms between two looks for a signal */ };

extern char **environ;

void view_open_browser(const view_server *server) {
    char url[VIEW_URL], program[] = "xdg-open";
    char *const argument[] = {program, url, NULL};
    posix_spawn_file_actions_t quiet;
    pid_t process;
    view_server_once(server, url);
    posix_spawn_file_actions_init(&quiet);
    posix_spawn_file_actions_addopen(&quiet, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_addopen(&quiet, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    if (posix_spawnp(&process, program, &quiet, NULL, argument, environ) != 0) {
        cli_warn(NULL, RPS_LOG_WARNING, "there is no xdg-open, so no browser was opened: open the address yourself");
    }
    posix_spawn_file_actions_destroy(&quiet);
}

/* The process of the view. Ctrl-C of a terminal reaches it too, but the run decides what that means. */
static void serve_run(view_server *server, bool open) {
    rps_error err;
    cli_catch_signals();
    signal(SIGINT, SIG_IGN);
    server->asked = -2.0 * lingering;
    server->lingers = lingering;
    if (open) view_open_browser(server);
    const rps_status status = view_server_run(server, &err);
    if (status != RPS_OK) cli_failed(&err);
    view_server_close(server);
    _exit(status == RPS_OK ? CLI_OK : CLI_FAILED);
}

rps_status view_run_begin(view_run *view, const char *directory, int port, bool open, rps_error *err) {
    view_server server;
    int pair[2];
    memset(view, 0, sizeof *view);
    view->link = -1;
    rps_status status = view_server_open(&server, directory, port, err);
    if (status == RPS_OK && socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) != 0) {
        status = rps_fail(err, RPS_IO_ERROR, "cannot make a socket for the view: %s", strerror(errno));
    } else if (status == RPS_OK) {
        printf("The run in a browser: %s\n", server.url);
        fflush(stdout);
        const pid_t process = fork();
        if (process == 0) {
            close(pair[0]);
            server.link = pair[1];
            serve_run(&server, open);
        }
        close(pair[1]);
        view->link = pair[0];
        view->process = process;
        view->on = process > 0;
        view->told.state = VIEW_RUNS;
        if (process < 0) status = rps_fail(err, RPS_IO_ERROR, "cannot start the view: %s", strerror(errno));
        if (process < 0) close(pair[0]);
    }
    view_server_close(&server); /* of this process alone */
    return status;
}

/* --- while the run goes on --------------------------------------------------------------------------------------------- */

static void view_lost(view_run *view) {
    close(view->link);
    view->link = -1;
    view->told.state = VIEW_RUNS;
    cli_warn(NULL, RPS_LOG_WARNING, "the view has ended; the run goes on without it");
}

/* A message that does not fit into the socket is left out: the next one says more. */
static void view_speak(view_run *view) {
    view->spoke = rps_clock_seconds();
    if (view->link >= 0) (void)!send(view->link, &view->told, sizeof view->told, MSG_DONTWAIT | MSG_NOSIGNAL);
}

void view_run_pause(view_run *view) {
    if (view->on) view->told.state = VIEW_PAUSED;
}

void view_run_listen(view_run *view) {
    char word;
    ssize_t got = 0;
    while (view->link >= 0 && (got = recv(view->link, &word, 1, MSG_DONTWAIT)) != -1) {
        if (got == 0) {
            view_lost(view);
        } else if (word == VIEW_DO_STOP) {
            view->stopped = true;
            view->told.state = VIEW_RUNS;
            raise(SIGINT);
        } else if (!view->stopped) {
            view->told.state = word == VIEW_DO_PAUSE ? VIEW_PAUSED : word == VIEW_DO_STEP ? VIEW_STEPS : VIEW_RUNS;
        }
    }
    if (view->link >= 0 && got == -1 && errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR) view_lost(view);
}

void view_run_between_steps(view_run *view) {
    if (view->link < 0) return;
    const double now = rps_clock_seconds();
    if (now - view->listened < listening && view->told.state != VIEW_PAUSED) return;
    view->listened = now;
    view_run_listen(view);
    if (now - view->spoke > speaking) view_speak(view);
    while (view->link >= 0 && view->told.state == VIEW_PAUSED && cli_proceed(NULL)) {
        struct pollfd of = {.fd = view->link, .events = POLLIN};
        view_speak(view);
        poll(&of, 1, WAITING);
        view_run_listen(view);
    }
    view_speak(view);
}

void view_run_progress(view_run *view, const rps_run_progress *progress) {
    view->told.has_progress = true;
    view->told.progress = *progress;
}

void view_run_frame(view_run *view) {
    if (view->on && view->told.state == VIEW_STEPS) view->told.state = VIEW_PAUSED;
}

void view_run_end(view_run *view, bool quiet) {
    if (!view->on) return;
    const bool heard = view->spoke > 0.0, by_signal = cli_caught_signal() && !view->stopped;
    int status;
    if (view->link >= 0) {
        shutdown(view->link, SHUT_WR); /* tells the view that the run is over */
        if (by_signal || !heard) {
            kill((pid_t)view->process, SIGTERM);
        } else if (!quiet) {
            printf("The view goes on while a page is open; Ctrl-C ends it.\n");
            fflush(stdout);
        }
        const int caught = cli_caught_signal();
        struct pollfd of = {.fd = view->link, .events = POLLIN};
        bool told = by_signal || !heard;
        while (poll(&of, 1, WAITING) <= 0) { /* the end of the view is an event */
            if (!told && cli_caught_signal() != caught) told = kill((pid_t)view->process, SIGTERM) == 0;
        }
        close(view->link);
    }
    while (waitpid((pid_t)view->process, &status, 0) < 0 && errno == EINTR) continue;
    view->on = false;
}
