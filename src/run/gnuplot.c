/* One socket serves standard input and output of gnuplot, another its standard error. All are polled together, so
 * that neither side blocks the other. They are sockets because a write to a closed socket can return an error instead
 * of raising a signal. */
#include "run/gnuplot.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/array.h"
#include "base/c_locale.h"

enum { CHUNK = 1 << 16, LABEL = 256, COMPLAINT = 1 << 14 };

extern char **environ;

typedef struct process {
    pid_t id;
    int data[2], complaint[2]; /* ours, the child's; -1: closed */
    const char *left;          /* of the script */
    size_t left_bytes;
    void **figure;
    size_t *capacity, *bytes;
    char said[COMPLAINT];
    size_t said_bytes;
} process;

/* --- words --------------------------------------------------------------------------------------------------------- */

/* Between single quotes gnuplot substitutes nothing; a quote is doubled. It does not escape >, so we split "]]>",
 * which XML forbids in text. */
rps_status rps_gnuplot_quote(rps_text *script, const char *text, rps_error *err) {
    size_t brackets = 0, length = 0;
    rps_text_add(script, "'", err);
    while (*text && length < LABEL) {
        char c[RPS_XML_CHARACTER];
        rps_next_xml_character(&text, c);
        if (strchr("\t\n\r", *c)) strcpy(c, " ");
        if (*c == '>' && brackets >= 2) rps_text_add(script, " ", err);
        brackets = *c == ']' ? brackets + 1 : 0;
        length += strlen(c);
        rps_text_add(script, *c == '\'' ? "''" : c, err);
    }
    return rps_text_add(script, "'", err);
}

/* The first line of its standard error that is not an echo, a position marker or a warning, without "line 12: ". */
static const char *first_complaint(char *said) {
    for (char *line = said, *end; *line; line = end) {
        end = line + strcspn(line, "\n");
        if (*end) *end++ = 0;
        line += strspn(line, " \t");
        if (strncmp(line, "line ", 5) == 0 && strchr(line, ':')) {
            line = strchr(line, ':') + 1;
            line += strspn(line, " ");
        }
        const bool pointer = line[strspn(line, "^ ")] == 0;
        if (!pointer && strncmp(line, "gnuplot>", 8) != 0 && !strstr(line, "arning:")) return line;
    }
    return "it does not say why";
}

static rps_status fail(const char *doing, int number, rps_error *err) {
    char cause[RPS_SYSTEM_ERROR];
    return rps_fail(err, RPS_UNSUPPORTED, "cannot %s gnuplot, which draws the figures: %s", doing,
                    rps_system_error(number, cause));
}

/* --- the process --------------------------------------------------------------------------------------------------- */

static void close_end(int *end) {
    if (*end >= 0) close(*end);
    *end = -1;
}

static int spawn(process *p) {
    static char *const argument[] = {"gnuplot", "--default-settings", "-", NULL};
    posix_spawn_file_actions_t action;
    posix_spawnattr_t attribute;
    sigset_t none, pipe_signal;
    sigemptyset(&none);
    sigemptyset(&pipe_signal);
    sigaddset(&pipe_signal, SIGPIPE);
    int error = posix_spawn_file_actions_init(&action);
    if (error) return error;
    error = posix_spawnattr_init(&attribute);
    if (error) {
        posix_spawn_file_actions_destroy(&action);
        return error;
    }
    /* The child must not inherit the blocked signals of the program. */
    error = posix_spawnattr_setsigmask(&attribute, &none);
    if (!error) error = posix_spawnattr_setsigdefault(&attribute, &pipe_signal);
    if (!error) error = posix_spawnattr_setflags(&attribute, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    if (!error) error = posix_spawn_file_actions_adddup2(&action, p->data[1], STDIN_FILENO);
    if (!error) error = posix_spawn_file_actions_adddup2(&action, p->data[1], STDOUT_FILENO);
    if (!error) error = posix_spawn_file_actions_adddup2(&action, p->complaint[1], STDERR_FILENO);
    if (!error) error = posix_spawnp(&p->id, argument[0], &action, &attribute, argument, environ);
    posix_spawnattr_destroy(&attribute);
    posix_spawn_file_actions_destroy(&action);
    return error;
}

static rps_status gnuplot_start(process *p, rps_error *err) {
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, p->data) != 0) {
        p->data[0] = p->data[1] = -1;
        return fail("talk to", errno, err);
    }
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, p->complaint) != 0) {
        p->complaint[0] = p->complaint[1] = -1;
        return fail("talk to", errno, err);
    }
    const int error = spawn(p);
    close_end(&p->data[1]);
    close_end(&p->complaint[1]);
    if (error == ENOENT) {
        return rps_fail(err, RPS_UNSUPPORTED,
                        "there is no gnuplot, which draws the figures: install it (Debian's package gnuplot-nox)");
    }
    return error ? fail("start", error, err) : RPS_OK;
}

static void send_script(process *p) {
    const ssize_t sent = send(p->data[0], p->left, p->left_bytes, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent >= 0) {
        p->left += sent;
        p->left_bytes -= (size_t)sent;
    } else if (errno != EAGAIN && errno != EINTR) {
        p->left_bytes = 0; /* it stopped reading; its standard error tells why */
    }
    if (p->left_bytes == 0) shutdown(p->data[0], SHUT_WR);
}

static rps_status receive_figure(process *p, rps_error *err) {
    RPS_TRY(rps_buffer_reserve(NULL, p->figure, p->capacity, *p->bytes, *p->bytes + CHUNK, err));
    const ssize_t got = read(p->data[0], (char *)*p->figure + *p->bytes, CHUNK);
    if (got > 0) *p->bytes += (size_t)got;
    if (got == 0 || (got < 0 && errno != EINTR)) close_end(&p->data[0]);
    return RPS_OK;
}

/* Keeps reading when the buffer is full, so that the process does not block. */
static void receive_complaint(process *p) {
    char more[1024];
    const ssize_t got = read(p->complaint[0], more, sizeof more);
    if (got == 0 || (got < 0 && errno != EINTR)) close_end(&p->complaint[0]);
    for (ssize_t k = 0; k < got && p->said_bytes + 1 < sizeof p->said; k++) p->said[p->said_bytes++] = more[k];
}

static rps_status converse(process *p, rps_error *err) {
    while (p->data[0] >= 0 || p->complaint[0] >= 0) {
        const short wanted = p->left_bytes > 0 ? POLLIN | POLLOUT : POLLIN;
        struct pollfd event[2] = {{p->data[0], wanted, 0},
                                  {p->complaint[0], POLLIN, 0}}; /* those below 0 are skipped */
        if (poll(event, 2, -1) < 0) {
            if (errno == EINTR) continue;
            return fail("wait for", errno, err);
        }
        if (p->left_bytes > 0 && event[0].revents & (POLLOUT | POLLERR | POLLHUP)) send_script(p);
        if (event[0].revents & (POLLIN | POLLERR | POLLHUP)) RPS_TRY(receive_figure(p, err));
        if (event[1].revents) receive_complaint(p);
    }
    return RPS_OK;
}

/* Returns 0 on success. If the program ignores SIGCHLD the exit status is lost; then the caller judges the figure. */
static int gnuplot_end(process *p) {
    int how = 0;
    for (int k = 0; k < 2; k++) {
        close_end(&p->data[k]);
        close_end(&p->complaint[k]);
    }
    if (p->id <= 0) return 0;
    while (waitpid(p->id, &how, 0) < 0) {
        if (errno != EINTR) return 0;
    }
    return how;
}

rps_status rps_gnuplot_run(const rps_text *script, void **figure, size_t *capacity, size_t *bytes, rps_error *err) {
    process p = {.data = {-1, -1},
                 .complaint = {-1, -1},
                 .left = rps_text_string(script),
                 .left_bytes = script->length,
                 .figure = figure,
                 .capacity = capacity,
                 .bytes = bytes};
    *bytes = 0;
    rps_status status = gnuplot_start(&p, err);
    if (status == RPS_OK) status = converse(&p, err);
    const int how = gnuplot_end(&p);
    if (status != RPS_OK) return status;
    if (WIFSIGNALED(how)) {
        return rps_fail(err, RPS_UNSUPPORTED, "gnuplot, which draws the figures, was ended by signal %d",
                        WTERMSIG(how));
    }
    if (how != 0 || *bytes == 0) {
        return rps_fail(err, RPS_UNSUPPORTED, "gnuplot, which draws the figures, failed: %.300s",
                        first_complaint(p.said));
    }
    return RPS_OK;
}
