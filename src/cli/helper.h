/* A program that works for a command and is ended with it: a browser, an encoder. It talks over one socket; what it says on
 * its standard error goes into a file of its own. */
#ifndef RPS_CLI_HELPER_H
#define RPS_CLI_HELPER_H

#include <stdbool.h>
#include <sys/types.h>

#include "io/file.h"

enum { HELPER_SAID = 256 };

typedef struct helper {
    pid_t id;   /* 0: none runs */
    int socket; /* ours; -1: closed */
    char log[RPS_PATH];
    int how; /* status of waitpid after it ended */
} helper;

/* Starts argument[0], found in PATH, in a process group of its own. Its descriptors `in` and `out` are the socket (out < 0:
 * only `in`); its standard error goes into the file `log`. Returns 0 or an errno, ENOENT if there is no such program.
 * helper_end must follow in either case. */
int helper_start(helper *h, char *const argument[], int in, int out, const char *log);

/* Sends all bytes, or waits for some: *count is 0 when the other side closed. `wait`: s without progress until ETIMEDOUT;
 * EINTR after a signal that asks for a stop (cli_catch_signals). Return 0 or an errno. */
int helper_send(helper *h, const void *bytes, size_t count, double wait);
int helper_receive(helper *h, void *bytes, size_t capacity, size_t *count, double wait);

/* Closes the socket and waits until the program ends by itself; false if it runs after `wait` s or a stop was asked for. */
bool helper_finish(helper *h, double wait);
/* Kills what still runs of it. Harmless when nothing does. */
void helper_end(helper *h);

/* Whether a line of what it said holds the word. */
bool helper_told(const helper *h, const char *word);
/* The last line that it said; "it does not say why" if there is none. */
const char *helper_said(const helper *h, char out[HELPER_SAID]);

#endif
