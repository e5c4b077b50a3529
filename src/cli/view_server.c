#include "view_server.h"

#include <arpa/inet.h>
#include <errno.h>
#include <microhttpd.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "cli.h"
#include "report_page.h"

enum { CONNECTIONS = 64, CONNECTION_BYTES = 32768, CONNECTION_SECONDS = 60, BACKLOG = 16 };
static const double reading = 0.3; /* s that one answer spends on new frames */
static const double waking = 0.5;  /* s between two looks at the run */
static const char plain[] = "text/plain; charset=utf-8", json_type[] = "application/json",
                  bytes_type[] = "application/octet-stream";

/* --- set-up ------------------------------------------------------------------------------------------------------------ */

static rps_status make_token(char token[VIEW_TOKEN + 1], rps_error *err) {
    unsigned char byte[VIEW_TOKEN / 2];
    if (getrandom(byte, sizeof byte, 0) != (ssize_t)sizeof byte) {
        return rps_fail(err, RPS_IO_ERROR, "the system gives no random numbers: %s", strerror(errno));
    }
    for (size_t k = 0; k < sizeof byte; k++) snprintf(token + 2 * k, 3, "%02x", byte[k]);
    return RPS_OK;
}

/* The policy of the page, which besides may ask this server, and which no other page may hold in a frame. */
static rps_status make_policy(view_server *server, rps_error *err) {
    static const char mark[] = "Content-Security-Policy\" content=\"", none[] = "default-src 'none'",
                      more[] = "; connect-src 'self'", frames[] = "; frame-ancestors 'none'";
    const char *page = NULL, *rest = NULL;
    size_t bytes = 0;
    RPS_TRY(report_page_halves(&page, &bytes, &rest, err));
    const char *at = strstr(page, mark);
    at = at ? at + sizeof mark - 1 : NULL;
    if (!at || strncmp(at, none, sizeof none - 1) != 0) return rps_fail(err, RPS_INTERNAL, "the page has no policy");
    const size_t length = strcspn(at, "\""), first = sizeof none - 1;
    const size_t all = length + sizeof more + sizeof frames;
    server->policy = malloc(all);
    if (!server->policy) return rps_fail(err, RPS_NO_MEMORY, "no memory for the server");
    snprintf(server->policy, all, "%.*s%s%.*s%s", (int)first, at, more, (int)(length - first), at + first, frames);
    return RPS_OK;
}

static rps_status view_listen(view_server *server, int port, rps_error *err) {
    struct sockaddr_in name = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
    socklen_t bytes = sizeof name;
    const int yes = 1;
    name.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    server->listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (server->listener < 0) return rps_fail(err, RPS_IO_ERROR, "cannot make a socket: %s", strerror(errno));
    setsockopt(server->listener, SOL_SOCKET, SO_REUSEADDR, &yes,
               sizeof yes); /* the same port soon after an earlier view */
    if (bind(server->listener, (struct sockaddr *)&name, sizeof name) != 0 || listen(server->listener, BACKLOG) != 0) {
        const int number = errno;
        return rps_fail(err, RPS_IO_ERROR, "cannot listen on port %d of 127.0.0.1: %s; %s", port, strerror(number),
                        number == EADDRINUSE
                            ? "another program uses it: choose another --port, or leave it out for any free one"
                        : number == EACCES ? "ports below 1024 need rights: choose a higher --port"
                                           : "choose another --port, or leave it out");
    }
    getsockname(server->listener, (struct sockaddr *)&name, &bytes);
    server->port = ntohs(name.sin_port);
    snprintf(server->url, sizeof server->url, "http://127.0.0.1:%u/%s/", server->port, server->token);
    return RPS_OK;
}

rps_status view_server_open(view_server *server, const char *directory, int port, rps_error *err) {
    memset(server, 0, sizeof *server);
    server->listener = server->link = -1;
    view_folder_init(&server->folder, directory);
    rps_text_init(&server->text, NULL, (size_t)1 << 30);
    RPS_TRY(make_policy(server, err));
    RPS_TRY(make_token(server->token, err));
    RPS_TRY(make_token(server->once, err));
    return view_listen(server, port, err);
}

void view_server_once(const view_server *server, char url[VIEW_URL]) {
    snprintf(url, VIEW_URL, "http://127.0.0.1:%u/%s/", server->port, server->once);
}

void view_server_close(view_server *server) {
    if (server->daemon) MHD_stop_daemon(server->daemon); /* closes the listener too */
    if (!server->daemon && server->listener >= 0) close(server->listener);
    if (server->link >= 0) close(server->link);
    view_folder_release(&server->folder);
    rps_text_release(&server->text);
    free(server->policy);
}

/* --- answers ------------------------------------------------------------------------------------------------------------ */

static enum MHD_Result reply(const view_server *server, struct MHD_Connection *connection, unsigned status,
                             const char *type, const void *data, size_t bytes, const char *name, const char *value) {
    struct MHD_Response *response =
        MHD_create_response_from_buffer(bytes, (void *)(uintptr_t)data, MHD_RESPMEM_MUST_COPY);
    if (!response) return MHD_NO;
    MHD_add_response_header(response, "Content-Type", type);
    MHD_add_response_header(response, "Cache-Control", "no-store");
    MHD_add_response_header(response, "X-Content-Type-Options", "nosniff");
    MHD_add_response_header(response, "Referrer-Policy", "no-referrer"); /* the address holds the token */
    MHD_add_response_header(response, "Cross-Origin-Resource-Policy", "same-origin");
    MHD_add_response_header(response, "Content-Security-Policy",
                            strncmp(type, "text/html", 9) == 0 ? server->policy
                                                               : "default-src 'none'; frame-ancestors 'none'");
    if (name) MHD_add_response_header(response, name, value);
    const enum MHD_Result queued = MHD_queue_response(connection, status, response);
    MHD_destroy_response(response);
    return queued;
}

static enum MHD_Result say(const view_server *server, struct MHD_Connection *connection, unsigned status,
                           const char *text) {
    return reply(server, connection, status, plain, text, strlen(text), NULL, NULL);
}

static enum MHD_Result send_text(view_server *server, struct MHD_Connection *connection, rps_status made,
                                 const char *type, const rps_error *err) {
    if (made == RPS_STOPPED) return reply(server, connection, 503, plain, "wait\n", 5, "Retry-After", "1");
    if (made == RPS_OK)
        return reply(server, connection, 200, type, rps_text_string(&server->text), server->text.length, NULL, NULL);
    rps_text_clear(&server->text);
    rps_error unused;
    if (report_page_clean(err->text, &server->text, &unused) != RPS_OK) return MHD_NO;
    return say(server, connection, made == RPS_BAD_INPUT ? 404 : 500, rps_text_string(&server->text));
}

static enum MHD_Result send_page(view_server *server, struct MHD_Connection *connection) {
    static const char mark[] = "default-src 'none'",
                      live[] = "<script type=\"application/json\" id=\"live\">{}</script>\n";
    const char *page = NULL, *rest = NULL;
    size_t bytes = 0;
    rps_error err;
    rps_status status = report_page_halves(&page, &bytes, &rest, &err);
    const char *at = status == RPS_OK ? strstr(page, mark) + sizeof mark - 1 : NULL;
    rps_text_clear(&server->text);
    if (status == RPS_OK) status = rps_text_add_bytes(&server->text, page, (size_t)(at - page), &err);
    if (status == RPS_OK) status = rps_text_add(&server->text, "; connect-src 'self'", &err);
    if (status == RPS_OK) status = rps_text_add_bytes(&server->text, at, bytes - (size_t)(at - page), &err);
    if (status == RPS_OK) status = rps_text_add(&server->text, live, &err);
    if (status == RPS_OK) status = rps_text_add(&server->text, rest, &err);
    return send_text(server, connection, status, "text/html; charset=utf-8", &err);
}

/* A whole number of the query; false if it is none. */
static bool asked_for(struct MHD_Connection *connection, const char *name, uint64_t *value) {
    const char *text = MHD_lookup_connection_value(connection, MHD_GET_ARGUMENT_KIND, name);
    char *end;
    if (!text || *text < '0' || *text > '9') return false;
    *value = strtoull(text, &end, 10);
    return *end == '\0' && *value < INT64_MAX;
}

static void tell_progress(const view_server *server, rps_json *json) {
    const rps_run_progress *p = &server->told.progress;
    rps_json_open(json, "progress", '{', true);
    rps_json_number(json, "time", p->time);
    rps_json_number(json, "until", p->until);
    rps_json_integer(json, "steps", p->steps);
    rps_json_number(json, "steps_per_second", p->steps_per_second);
    rps_json_number(json, "remaining", p->remaining);
    rps_json_integer(json, "bodies", p->bodies);
    rps_json_integer(json, "contacts", p->contacts);
    rps_json_number(json, "residual", p->residual);
    rps_json_close(json, '}');
}

static enum MHD_Result send_news(view_server *server, struct MHD_Connection *connection) {
    static const char *const name[] = {"waits", "runs", "paused", "steps", "ended", "cut"};
    view_folder *folder = &server->folder;
    uint64_t frames, series;
    if (!asked_for(connection, "frames", &frames) || !asked_for(connection, "series", &series)) {
        return say(server, connection, 400, "news takes frames=N and series=N, both whole numbers\n");
    }
    rps_json json;
    rps_error err;
    rps_json_init(&json, NULL);
    rps_text_clear(&server->text);
    const bool before = server->link >= 0 && !server->heard; /* old results may still be there */
    if (!before) view_folder_look(folder, reading);
    rps_json_open(&json, NULL, '{', false);
    rps_json_string(&json, "state", name[folder->state]);
    rps_json_boolean(&json, "control", server->link >= 0);
    if (server->told.has_progress) tell_progress(server, &json);
    const rps_status status = view_folder_news(folder, (size_t)frames, series, &json, &server->text, &err);
    rps_json_release(&json);
    return send_text(server, connection, status, json_type, &err);
}

static enum MHD_Result send_block(view_server *server, struct MHD_Connection *connection, const char *number,
                                  bool corners) {
    char *end;
    const void *data = NULL;
    size_t bytes = 0;
    rps_error err;
    if (*number < '0' || *number > '9') return say(server, connection, 404, "frames have whole numbers\n");
    const unsigned long long index = strtoull(number, &end, 10);
    if (*end || index > INT32_MAX) return say(server, connection, 404, "frames have whole numbers\n");
    const rps_status status = view_folder_block(&server->folder, (size_t)index, corners, &data, &bytes, &err);
    if (status != RPS_OK) return send_text(server, connection, status, plain, &err);
    return reply(server, connection, 200, bytes_type, data, bytes, NULL, NULL);
}

static enum MHD_Result command_run(view_server *server, struct MHD_Connection *connection, const char *name) {
    static const char *const known[] = {"pause", "next", "resume", "stop"};
    static const char word[] = {VIEW_DO_PAUSE, VIEW_DO_STEP, VIEW_DO_RESUME, VIEW_DO_STOP};
    for (size_t k = 0; k < sizeof word; k++) {
        if (strcmp(name, known[k]) != 0) continue;
        const bool sent = server->link >= 0 && send(server->link, &word[k], 1, MSG_DONTWAIT | MSG_NOSIGNAL) == 1;
        return sent ? say(server, connection, 200, "done\n")
                    : say(server, connection, 409,
                          "this view does not control a run: start it by `repose run SCENE -o DIR --view`\n");
    }
    return say(server, connection, 404, "commands are pause, next, resume, stop\n");
}

/* --- who may ask --------------------------------------------------------------------------------------------------------- */

/* Takes as long wherever they differ. */
static bool same_token(const char *given, const char *token) {
    unsigned char differs = 0;
    for (size_t k = 0; k < VIEW_TOKEN; k++) differs |= (unsigned char)(given[k] ^ token[k]);
    return differs == 0;
}

/* The name by which the browser calls this server is its own, not that of a site whose name leads here. */
static bool is_our_name(const view_server *server, const char *name) {
    char ours[2][32];
    snprintf(ours[0], sizeof ours[0], "127.0.0.1:%u", server->port);
    snprintf(ours[1], sizeof ours[1], "localhost:%u", server->port);
    return name && (strcmp(name, ours[0]) == 0 || strcmp(name, ours[1]) == 0);
}

static const char *header(struct MHD_Connection *connection, const char *name) {
    return MHD_lookup_connection_value(connection, MHD_HEADER_KIND, name);
}

static bool is_allowed(const view_server *server, struct MHD_Connection *connection) {
    const char *origin = header(connection, "Origin");
    return is_our_name(server, header(connection, "Host")) &&
           (!origin || (strncmp(origin, "http://", 7) == 0 && is_our_name(server, origin + 7)));
}

static enum MHD_Result serve(view_server *server, struct MHD_Connection *connection, const char *url, bool post) {
    if (!is_allowed(server, connection)) {
        return say(server, connection, 403, "this server answers to 127.0.0.1 and localhost alone\n");
    }
    const bool shaped = url[0] == '/' && strnlen(url, VIEW_TOKEN + 2) == VIEW_TOKEN + 2 && url[VIEW_TOKEN + 1] == '/';
    const char *name = shaped ? url + VIEW_TOKEN + 2 : "";
    if (shaped && server->once[0] && !post && !*name && same_token(url + 1, server->once)) {
        server->once[0] = '\0';
        return reply(server, connection, 303, plain, "", 0, "Location", server->url);
    }
    if (!shaped || !same_token(url + 1, server->token)) {
        return say(server, connection, 403, "wrong address: open the one that the command printed\n");
    }
    server->asked = rps_clock_seconds();
    if (post) return command_run(server, connection, name);
    if (!*name) return send_page(server, connection);
    if (strcmp(name, "news") == 0) return send_news(server, connection);
    if (strncmp(name, "frame-", 6) == 0) return send_block(server, connection, name + 6, false);
    if (strncmp(name, "surface-", 8) == 0) return send_block(server, connection, name + 8, true);
    if (strcmp(name, "summary") == 0) {
        rps_error err;
        rps_text_clear(&server->text);
        const rps_status status = view_folder_summary(&server->folder, &server->text, &err);
        return send_text(server, connection, status, json_type, &err);
    }
    return say(server, connection, 404, "there is nothing of this name\n");
}

/* Called once with the headers, then with each part of the body, then without one: the answer comes with the last call. */
static enum MHD_Result view_answer(void *context, struct MHD_Connection *connection, const char *url,
                                   const char *method, const char *version, const char *body, size_t *bytes,
                                   void **begun) {
    view_server *server = context;
    (void)version, (void)body;
    const bool post = strcmp(method, "POST") == 0;
    if (!*begun) {
        *begun = server;
        return MHD_YES;
    }
    if (*bytes > 0) { /* commands have no body */
        *bytes = 0;
        return MHD_YES;
    }
    if (!post && strcmp(method, "GET") != 0 && strcmp(method, "HEAD") != 0) {
        return say(server, connection, 405, "GET and POST alone\n");
    }
    return serve(server, connection, url, post);
}

/* --- the loop ------------------------------------------------------------------------------------------------------------ */

/* Takes in all that the run has told. */
static void hear(view_server *server) {
    view_told told;
    ssize_t got;
    while (server->link >= 0 && (got = recv(server->link, &told, sizeof told, MSG_DONTWAIT)) != -1) {
        if (got != (ssize_t)sizeof told) { /* it is over */
            server->link = -1;             /* it stays open, and its end tells the run that of the view */
            server->folder.told = server->told.has_progress = false;
            view_folder_find_state(&server->folder);
        } else {
            server->heard = true;
            server->told = told;
            server->folder.state = told.state;
        }
    }
}

static bool is_over(view_server *server) {
    const view_folder *folder = &server->folder;
    if (server->link >= 0) return false;
    view_folder_find_state(&server->folder);
    const bool goes_on = folder->state != VIEW_ENDED && folder->state != VIEW_CUT;
    return !goes_on && rps_clock_seconds() - server->asked > server->lingers;
}

static rps_status wait_for_requests(view_server *server, rps_error *err) {
    fd_set read, write, except;
    MHD_UNSIGNED_LONG_LONG soon = 0;
    int most = server->link;
    FD_ZERO(&read);
    FD_ZERO(&write);
    FD_ZERO(&except);
    if (MHD_get_fdset(server->daemon, &read, &write, &except, &most) != MHD_YES) {
        return rps_fail(err, RPS_INTERNAL, "the server has too many connections");
    }
    if (server->link >= 0) FD_SET(server->link, &read);
    double wait = waking;
    if (MHD_get_timeout(server->daemon, &soon) == MHD_YES && 1e-3 * (double)soon < wait) wait = 1e-3 * (double)soon;
    struct timeval time = {.tv_usec = (suseconds_t)(1e6 * wait)};
    if (select(most + 1, &read, &write, &except, &time) < 0) {
        if (errno != EINTR)
            return rps_fail(err, RPS_IO_ERROR, "the server cannot wait for requests: %s", strerror(errno));
        return RPS_OK;
    }
    hear(server);
    MHD_run_from_select(server->daemon, &read, &write, &except);
    return RPS_OK;
}

rps_status view_server_run(view_server *server, rps_error *err) {
    server->folder.told = server->link >= 0;
    server->daemon = MHD_start_daemon(MHD_NO_FLAG, 0, NULL, NULL, view_answer, server, MHD_OPTION_LISTEN_SOCKET,
                                      server->listener, MHD_OPTION_CONNECTION_LIMIT, (unsigned)CONNECTIONS,
                                      MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)CONNECTION_BYTES,
                                      MHD_OPTION_CONNECTION_TIMEOUT, (unsigned)CONNECTION_SECONDS, MHD_OPTION_END);
    if (!server->daemon) {
        return rps_fail(err, RPS_IO_ERROR,
                        "the server does not start; libmicrohttpd gives no reason: see limits of memory and files");
    }
    while (cli_proceed(NULL) && !is_over(server)) RPS_TRY(wait_for_requests(server, err));
    return RPS_OK;
}
