/* Sockets rather than pipes: a write to a closed one returns an error instead of raising a signal. */
#include "helper.h"

#include "cli.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { HELPER_LOOK = 100 }; /* ms between looks for a signal */

extern char **environ;

static double helper_clock(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static int helper_actions(posix_spawn_file_actions_t *action, int theirs, int in, int out, const char *log) {
    int error = 0;
    if (in != STDIN_FILENO) error = posix_spawn_file_actions_addopen(action, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    if (!error) error = posix_spawn_file_actions_addopen(action, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    if (!error) {
        error = posix_spawn_file_actions_addopen(action, STDERR_FILENO, log, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    }
    if (!error) error = posix_spawn_file_actions_adddup2(action, theirs, in);
    if (!error && out >= 0) error = posix_spawn_file_actions_adddup2(action, theirs, out);
    return error;
}

static int helper_spawn(helper *h, char *const argument[], int theirs, int in, int out) {
    posix_spawn_file_actions_t action;
    posix_spawnattr_t attribute;
    sigset_t none, usual;
    sigemptyset(&none);
    sigemptyset(&usual);
    sigaddset(&usual, SIGPIPE);
    sigaddset(&usual, SIGXFSZ);
    int error = posix_spawn_file_actions_init(&action);
    if (error) return error;
    error = posix_spawnattr_init(&attribute);
    if (error) {
        posix_spawn_file_actions_destroy(&action);
        return error;
    }
    const short flags = POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP;
    error = posix_spawnattr_setsigmask(&attribute, &none);
    if (!error) error = posix_spawnattr_setsigdefault(&attribute, &usual);
    if (!error) error = posix_spawnattr_setpgroup(&attribute, 0); /* Ctrl-C reaches the command alone, which ends it */
    if (!error) error = posix_spawnattr_setflags(&attribute, flags);
    if (!error) error = helper_actions(&action, theirs, in, out, h->log);
    if (!error) error = posix_spawnp(&h->id, argument[0], &action, &attribute, argument, environ);
    if (error) h->id = 0;
    posix_spawnattr_destroy(&attribute);
    posix_spawn_file_actions_destroy(&action);
    return error;
}

int helper_start(helper *h, char *const argument[], int in, int out, const char *log) {
    int pair[2];
    h->id = 0;
    h->socket = -1;
    h->how = 0;
    snprintf(h->log, sizeof h->log, "%s", log);
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0) return errno;
    h->socket = pair[0];
    /* Above all descriptors that the child uses, so that none is closed by giving it another. */
    const int theirs = fcntl(pair[1], F_DUPFD_CLOEXEC, 10);
    int error = theirs < 0 ? errno : 0;
    close(pair[1]);
    if (error) return error;
    error = helper_spawn(h, argument, theirs, in, out);
    close(theirs);
    return error;
}

/* Waits until the socket can be written or read. */
static int helper_wait(const helper *h, short event, double wait) {
    const double end = helper_clock() + wait;
    for (;;) {
        struct pollfd socket = {h->socket, event, 0};
        const int ready = poll(&socket, 1, HELPER_LOOK);
        if (!cli_proceed(NULL)) return EINTR;
        if (ready > 0) return 0;
        if (ready < 0 && errno != EINTR) return errno;
        if (helper_clock() > end) return ETIMEDOUT;
    }
}

int helper_send(helper *h, const void *bytes, size_t count, double wait) {
    const char *at = bytes;
    while (count > 0) {
        const int error = helper_wait(h, POLLOUT, wait);
        if (error) return error;
        const ssize_t sent = send(h->socket, at, count, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (sent < 0 && errno != EAGAIN && errno != EINTR) return errno;
        if (sent <= 0) continue;
        at += sent;
        count -= (size_t)sent;
    }
    return 0;
}

int helper_receive(helper *h, void *bytes, size_t capacity, size_t *count, double wait) {
    *count = 0;
    for (;;) {
        const int error = helper_wait(h, POLLIN, wait);
        if (error) return error;
        const ssize_t got = recv(h->socket, bytes, capacity, MSG_DONTWAIT);
        if (got < 0 && (errno == EAGAIN || errno == EINTR)) continue;
        if (got < 0 && errno != ECONNRESET) return errno;
        *count = got > 0 ? (size_t)got : 0;
        return 0;
    }
}

/* --- the end ------------------------------------------------------------------------------------------------------- */

/* True if the program ended; then h->id is 0. */
static bool helper_ended(helper *h) {
    if (h->id <= 0) return true;
    const pid_t id = waitpid(h->id, &h->how, WNOHANG);
    if (id == 0 || (id < 0 && errno == EINTR)) return false;
    h->id = 0;
    return true;
}

static void helper_close(helper *h) {
    if (h->socket >= 0) close(h->socket);
    h->socket = -1;
}

bool helper_finish(helper *h, double wait) {
    const double end = helper_clock() + wait;
    helper_close(h);
    while (!helper_ended(h)) {
        if (helper_clock() > end || !cli_proceed(NULL)) return false;
        nanosleep(&(struct timespec){0, 5000000}, NULL);
    }
    return true;
}

void helper_end(helper *h) {
    const pid_t group = h->id;
    helper_close(h);
    if (group <= 0) return;
    kill(-group, SIGKILL);
    while (waitpid(group, &h->how, 0) < 0 && errno == EINTR) {}
    h->id = 0;
}

bool helper_told(const helper *h, const char *word) {
    char line[HELPER_SAID];
    bool found = false;
    FILE *log = fopen(h->log, "r");
    while (log && !found && fgets(line, sizeof line, log)) found = strstr(line, word) != NULL;
    if (log) fclose(log);
    return found;
}

const char *helper_said(const helper *h, char out[HELPER_SAID]) {
    char line[HELPER_SAID];
    FILE *log = fopen(h->log, "r");
    strcpy(out, "it does not say why");
    while (log && fgets(line, sizeof line, log)) {
        line[strcspn(line, "\r\n")] = '\0';
        const char *text = line + strspn(line, " \t");
        if (*text) memmove(out, text, strlen(text) + 1);
    }
    if (log) fclose(log);
    for (char *c = out; *c; c++) *c = iscntrl((unsigned char)*c) ? ' ' : *c;
    return out;
}
