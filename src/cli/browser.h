/* A browser without a window that draws a page: Chromium, driven by its DevTools protocol over descriptors 3 and 4 of its
 * process (messages of JSON, each ended by a zero). Nothing listens on the network. */
#ifndef RPS_CLI_BROWSER_H
#define RPS_CLI_BROWSER_H

#include "helper.h"

#include "base/text.h"

typedef struct browser {
    helper process;
    const char *folder;
    int size[2];       /* pixels */
    double wait;       /* s without an answer until it counts as hung */
    unsigned number;   /* of the last message */
    char session[128]; /* of the page; "" before there is one */
    rps_text message;
    void *received; /* begins with the answer to the last message */
    size_t capacity, used, answer;
} browser;

/* Starts the browser with a page of width x height pixels and does not wait for it; its files go into `folder`, which must stay.
 * wait: s, above 0. RPS_UNSUPPORTED where there is none, RPS_STOPPED after a signal (cli_catch_signals), as the functions below.
 * browser_end must follow in any case. */
rps_status browser_start(browser *b, const char *folder, int width, int height, double wait, rps_error *err);
/* Waits for the start, opens a page of `repose report` from a file (an absolute path) and waits until it has drawn. */
rps_status browser_open(browser *b, const char *path, rps_error *err);
/* Evaluates JavaScript in the page and waits for its promise. */
rps_status browser_evaluate(browser *b, const char *expression, rps_error *err);
/* The page as PNG; *png begins as NULL with *capacity 0 and is released with rps_buffer_release. */
rps_status browser_capture(browser *b, void **png, size_t *capacity, size_t *bytes, rps_error *err);
void browser_end(browser *b);

#endif
