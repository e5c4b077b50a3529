/* SIGINT and SIGTERM ask a run or sweep to stop after its present step; a second one ends the process at once. */
#include <signal.h>

#include "cli.h"

static volatile sig_atomic_t caught; /* the signal that requested the stop, 0: none */

static void on_signal(int number) {
    caught = number;
    signal(number, SIG_DFL);
}

void cli_catch_signals(void) {
    struct sigaction action = {.sa_handler = on_signal};
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    signal(SIGXFSZ, SIG_IGN); /* report a file at its size limit as an error instead of dying */
}

int cli_caught_signal(void) {
    return (int)caught;
}

bool cli_proceed(void *context) {
    (void)context;
    return caught == 0;
}
