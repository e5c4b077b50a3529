/* Each message has a number, and the answer the same; events between them are passed over, but for a page that crashes. */
#include "browser.h"

#include "cli.h"
#include "json_find.h"
#include "base/c_locale.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { BROWSER_READ = 1 << 18, BROWSER_IN = 3, BROWSER_OUT = 4, BROWSER_REASON = 400 };

static const char browser_first[] = "Target.createTarget"; /* the message that waits for the start */
static const char browser_remedy[] = "install it (Debian's package chromium-headless-shell or chromium)";

/* --- messages ------------------------------------------------------------------------------------------------------ */

static rps_status browser_fail(browser *b, int number, rps_error *err) {
    char cause[RPS_SYSTEM_ERROR], said[HELPER_SAID];
    if (number == EINTR) return rps_fail(err, RPS_STOPPED, "stopped by a signal");
    if (number == ETIMEDOUT) {
        return rps_fail(err, RPS_UNSUPPORTED,
                        "chromium, which draws the pictures, did not answer for %g s; give it longer by --wait",
                        b->wait);
    }
    if (number == 0 || number == EPIPE) {
        return rps_fail(err, RPS_UNSUPPORTED, "chromium, which draws the pictures, ended: %s",
                        helper_said(&b->process, said));
    }
    return rps_fail(err, RPS_UNSUPPORTED, "cannot talk to chromium, which draws the pictures: %s",
                    rps_system_error(number, cause));
}

/* Drops the message at the front and receives the next. */
static rps_status browser_next(browser *b, rps_error *err) {
    char *bytes = b->received;
    size_t seen = 0;
    if (b->answer > 0) memmove(bytes, bytes + b->answer, b->used - b->answer);
    b->used -= b->answer;
    b->answer = 0;
    for (;;) {
        bytes = b->received;
        const char *end = b->used > seen ? memchr(bytes + seen, '\0', b->used - seen) : NULL;
        if (end) {
            b->answer = (size_t)(end - bytes) + 1;
            return RPS_OK;
        }
        seen = b->used;
        size_t got;
        RPS_TRY(rps_buffer_reserve(NULL, &b->received, &b->capacity, b->used, b->used + BROWSER_READ, err));
        const int error = helper_receive(&b->process, (char *)b->received + b->used, BROWSER_READ, &got, b->wait);
        if (error || got == 0) return browser_fail(b, error, err);
        b->used += got;
    }
}

/* Sends `method` with parameters in JSON. */
static rps_status browser_ask(browser *b, const char *method, const char *parameters, rps_error *err) {
    rps_text_clear(&b->message);
    rps_text_addf(&b->message, err, "{\"id\":%u,\"method\":\"%s\",", ++b->number, method);
    if (*b->session) rps_text_addf(&b->message, err, "\"sessionId\":\"%s\",", b->session);
    rps_text_add(&b->message, "\"params\":", err);
    rps_text_add(&b->message, parameters, err);
    RPS_TRY(rps_text_add(&b->message, "}", err));
    const int error = helper_send(&b->process, rps_text_string(&b->message), b->message.length + 1, b->wait);
    return error ? browser_fail(b, error, err) : RPS_OK;
}

/* Waits for the answer to the last message, which is `method`; it lies in b->received then. */
static rps_status browser_hear(browser *b, const char *method, rps_error *err) {
    char reason[BROWSER_REASON];
    for (;;) {
        RPS_TRY(browser_next(b, err));
        const char *json = b->received, *id = json_find(json, "id");
        json_text(json_find(json, "method"), reason, sizeof reason);
        if (strcmp(reason, "Inspector.targetCrashed") == 0) {
            return rps_fail(err, RPS_UNSUPPORTED,
                            "the page in chromium, which draws the pictures, crashed; most often memory is short");
        }
        if (!id || strtoul(id, NULL, 10) != b->number) continue;
        if (!json_find(json, "error")) return RPS_OK;
        json_text(json_find(json, "error.message"), reason, sizeof reason);
        return rps_fail(err, RPS_UNSUPPORTED, "chromium, which draws the pictures, refused %s: %s", method, reason);
    }
}

static rps_status browser_call(browser *b, const char *method, const char *parameters, rps_error *err) {
    RPS_TRY(browser_ask(b, method, parameters, err));
    return browser_hear(b, method, err);
}

/* A string of the answer into `out`. */
static rps_status browser_take(browser *b, const char *path, char *out, size_t capacity, rps_error *err) {
    json_text(json_find(b->received, path), out, capacity);
    if (*out) return RPS_OK;
    return rps_fail(err, RPS_UNSUPPORTED, "chromium, which draws the pictures, answered without %s", path);
}

/* --- start --------------------------------------------------------------------------------------------------------- */

/* Starts it; with no sandbox of its own where it can have none. The page is the command's, loads nothing, and admits no other
 * script than its own, so that the sandbox guards little. */
static int browser_spawn(browser *b, bool sandbox) {
    /* The headless shells are the same engine without the windows of a browser, and start in a third of the time. */
    static const char *const name[] = {"chromium-headless-shell", "chrome-headless-shell", "chromium",
                                       "chromium-browser",        "google-chrome",         "google-chrome-stable"};
    char profile[RPS_PATH + 32], size[64], log[RPS_PATH + 32];
    int error = ENOENT;
    snprintf(profile, sizeof profile, "--user-data-dir=%s/profile", b->folder);
    snprintf(size, sizeof size, "--window-size=%d,%d", b->size[0], b->size[1]);
    snprintf(log, sizeof log, "%s/browser.log", b->folder);
    for (size_t k = 0; k < sizeof name / sizeof *name && error == ENOENT; k++) {
        /* The pictures are drawn by the processor, so that they are the same with and without a graphics card. */
        const char *argument[] = {name[k],
                                  "--headless=new",
                                  "--remote-debugging-pipe",
                                  profile,
                                  size,
                                  "--use-angle=swiftshader",
                                  "--enable-unsafe-swiftshader",
                                  "--disable-gpu-compositing", /* only the page's own drawing needs WebGL */
                                  "--in-process-gpu",
                                  "--no-startup-window", /* the one page is asked for below */
                                  "--disable-features=SpareRendererForSitePerProcess",
                                  "--force-color-profile=srgb",
                                  "--force-device-scale-factor=1",
                                  "--hide-scrollbars",
                                  "--no-first-run",
                                  "--no-default-browser-check",
                                  "--disable-extensions",
                                  "--disable-background-networking",
                                  "--disable-component-update",
                                  "--disable-sync",
                                  "--disable-dev-shm-usage", /* containers have little of it */
                                  sandbox ? NULL : "--no-sandbox",
                                  NULL};
        error = helper_start(&b->process, (char *const *)(uintptr_t)argument, BROWSER_IN, BROWSER_OUT, log);
    }
    return error;
}

/* Starts the browser and asks it for an empty page. */
static rps_status browser_begin(browser *b, bool sandbox, rps_error *err) {
    char cause[RPS_SYSTEM_ERROR];
    const int error = browser_spawn(b, sandbox);
    if (error == ENOENT) {
        return rps_fail(err, RPS_UNSUPPORTED, "there is no chromium, which draws the pictures: %s", browser_remedy);
    }
    if (error) {
        return rps_fail(err, RPS_UNSUPPORTED, "cannot start chromium, which draws the pictures: %s",
                        rps_system_error(error, cause));
    }
    return browser_ask(b, browser_first, "{\"url\":\"about:blank\"}", err);
}

rps_status browser_start(browser *b, const char *folder, int width, int height, double wait, rps_error *err) {
    memset(b, 0, sizeof *b);
    b->process.socket = -1;
    b->folder = folder;
    b->size[0] = width;
    b->size[1] = height;
    b->wait = wait;
    rps_text_init(&b->message, NULL, (size_t)1 << 30);
    /* Root has no sandbox in chromium; in many containers others have none either (below). */
    return browser_begin(b, geteuid() != 0, err);
}

/* Waits until the browser has started, and takes its page. */
static rps_status browser_attach(browser *b, rps_error *err) {
    char parameters[160], target[128];
    rps_status status = browser_hear(b, browser_first, err);
    if (status == RPS_UNSUPPORTED && geteuid() != 0 && helper_told(&b->process, "No usable sandbox")) {
        helper_end(&b->process);
        b->used = b->answer = 0;
        status = browser_begin(b, false, err);
        if (status == RPS_OK) status = browser_hear(b, browser_first, err);
    }
    RPS_TRY(status);
    RPS_TRY(browser_take(b, "result.targetId", target, sizeof target, err));
    snprintf(parameters, sizeof parameters, "{\"targetId\":\"%s\",\"flatten\":true}", target);
    RPS_TRY(browser_call(b, "Target.attachToTarget", parameters, err));
    RPS_TRY(browser_take(b, "result.sessionId", target, sizeof target, err));
    memcpy(b->session, target, sizeof target);
    RPS_TRY(browser_call(b, "Inspector.enable", "{}", err));
    snprintf(parameters, sizeof parameters, "{\"width\":%d,\"height\":%d,\"deviceScaleFactor\":1,\"mobile\":false}",
             b->size[0], b->size[1]);
    return browser_call(b, "Emulation.setDeviceMetricsOverride", parameters, err);
}

/* --- the page ------------------------------------------------------------------------------------------------------ */

/* Signs other than letters, digits and a few more are written by their bytes. */
static rps_status browser_add_url(rps_text *text, const char *path, rps_error *err) {
    for (const unsigned char *c = (const unsigned char *)path; *c; c++) {
        const bool plain =
            (*c >= '0' && *c <= '9') || (*c >= 'A' && *c <= 'Z') || (*c >= 'a' && *c <= 'z') || strchr("/-_.~", *c);
        RPS_TRY(plain ? rps_text_addf(text, err, "%c", *c) : rps_text_addf(text, err, "%%%02X", *c));
    }
    return RPS_OK;
}

static rps_status browser_add_quoted(rps_text *text, const char *string, rps_error *err) {
    rps_text_add(text, "\"", err);
    for (const char *c = string; *c; c++) {
        rps_text_addf(text, err, *c == '"' || *c == '\\' ? "\\%c" : "%c", (unsigned char)*c < ' ' ? ' ' : *c);
    }
    return rps_text_add(text, "\"", err);
}

rps_status browser_evaluate(browser *b, const char *expression, rps_error *err) {
    rps_text parameters;
    char reason[BROWSER_REASON];
    rps_text_init(&parameters, NULL, (size_t)1 << 20);
    rps_text_add(&parameters, "{\"awaitPromise\":true,\"returnByValue\":true,\"expression\":", err);
    browser_add_quoted(&parameters, expression, err);
    rps_status status = rps_text_add(&parameters, "}", err);
    if (status == RPS_OK) status = browser_call(b, "Runtime.evaluate", rps_text_string(&parameters), err);
    rps_text_release(&parameters);
    if (status != RPS_OK || !json_find(b->received, "result.exceptionDetails")) return status;
    json_text(json_find(b->received, "result.exceptionDetails.exception.description"), reason, sizeof reason);
    if (!*reason) json_text(json_find(b->received, "result.exceptionDetails.text"), reason, sizeof reason);
    char *stack = strstr(reason, "     at ");
    if (stack) *stack = '\0';
    return rps_fail(err, RPS_BAD_INPUT, "the page with the picture failed: %s", reason);
}

rps_status browser_open(browser *b, const char *path, rps_error *err) {
    rps_text url;
    char reason[BROWSER_REASON];
    if (!*b->session) RPS_TRY(browser_attach(b, err));
    rps_text_init(&url, NULL, 4 * RPS_PATH);
    rps_text_add(&url, "{\"url\":\"file://", err);
    browser_add_url(&url, path, err);
    rps_status status = rps_text_add(&url, "#picture\"}", err);
    if (status == RPS_OK) status = browser_call(b, "Page.navigate", rps_text_string(&url), err);
    rps_text_release(&url);
    RPS_TRY(status);
    json_text(json_find(b->received, "result.errorText"), reason, sizeof reason);
    if (*reason) return rps_fail(err, RPS_UNSUPPORTED, "chromium cannot open the page with the picture: %s", reason);
    return browser_evaluate(
        b,
        "new Promise((yes, no) => { const look = () => window.repose ? window.repose.ready.then(() => yes(true), no) : "
        "document.readyState === 'complete' ? no(new Error(document.getElementById('message')?.textContent || "
        "'it is empty')) : setTimeout(look, 20); look(); })",
        err);
}

/* --- base64 -------------------------------------------------------------------------------------------------------- */

static int browser_digit(char c) {
    static const char digit[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const char *at = c ? strchr(digit, c) : NULL;
    return at ? (int)(at - digit) : -1;
}

rps_status browser_capture(browser *b, void **png, size_t *capacity, size_t *bytes, rps_error *err) {
    const char *text;
    *bytes = 0;
    RPS_TRY(browser_call(b, "Page.captureScreenshot", "{\"format\":\"png\",\"optimizeForSpeed\":true}", err));
    const size_t length = json_string(json_find(b->received, "result.data"), &text);
    RPS_TRY(rps_buffer_reserve(NULL, png, capacity, 0, length + 1, err));
    unsigned char *out = *png;
    uint32_t bits = 0;
    int held = 0, digit;
    for (size_t k = 0; k < length && (digit = browser_digit(text[k])) >= 0; k++) {
        bits = bits << 6 | (uint32_t)digit;
        held += 6;
        if (held < 8) continue;
        held -= 8;
        out[(*bytes)++] = (unsigned char)(bits >> held);
    }
    static const unsigned char end[] = {'I', 'E', 'N', 'D', 0xae, 'B', 0x60, 0x82};
    if (*bytes > sizeof end && memcmp(out + *bytes - sizeof end, end, sizeof end) == 0) return RPS_OK;
    return rps_fail(err, RPS_UNSUPPORTED, "chromium, which draws the pictures, sent half of one");
}

void browser_end(browser *b) {
    helper_end(
        &b->process); /* at once: to ask it to end takes a quarter of a second, and its files go with the folder */
    rps_text_release(&b->message);
    rps_buffer_release(NULL, &b->received, &b->capacity);
}
