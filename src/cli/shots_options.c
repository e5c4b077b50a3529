/* The options that pictures and movies share. */
#include "shots.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/c_locale.h"
#include "language/units.h"

enum { SHOTS_LEAST = 100, SHOTS_MOST = 8192 };

/* From where to look, and what is up. */
static const struct {
    const char *name;
    double from[3], up[3];
} shots_view[] = {{"corner", {-0.5, -1.0, 0.45}, {0.0, 0.0, 1.0}}, {"front", {0.0, -1.0, 0.0}, {0.0, 0.0, 1.0}},
                  {"back", {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}},      {"left", {-1.0, 0.0, 0.0}, {0.0, 0.0, 1.0}},
                  {"right", {1.0, 0.0, 0.0}, {0.0, 0.0, 1.0}},     {"top", {0.0, 0.0, 1.0}, {0.0, 1.0, 0.0}},
                  {"bottom", {0.0, 0.0, -1.0}, {0.0, 1.0, 0.0}}};
enum { SHOTS_VIEWS = sizeof shots_view / sizeof shots_view[0] };

void shots_init(shots *s, const cli_command *command) {
    memset(s, 0, sizeof *s);
    s->command = command;
    memcpy(s->from, shots_view[0].from, sizeof s->from);
    memcpy(s->up, shots_view[0].up, sizeof s->up);
    s->walls = "auto";
    s->size[0] = 1280;
    s->size[1] = 720;
    s->range[0] = s->range[1] = s->place = NAN;
    s->cut = -1;
    s->wait = 120.0;
    s->browser.process.socket = -1;
}

/* `count` numbers between `separator`s, and nothing else. */
static bool shots_numbers(const char *text, char separator, int count, double *number) {
    char part[64];
    rps_error err;
    for (int k = 0; k < count; k++) {
        const char *end = k + 1 < count ? strchr(text, separator) : text + strlen(text);
        if (!end || (size_t)(end - text) >= sizeof part) return false;
        memcpy(part, text, (size_t)(end - text));
        part[end - text] = '\0';
        if (rps_parse_double(part, &number[k], &err) != RPS_OK || !isfinite(number[k])) return false;
        text = end + 1;
    }
    return true;
}

/* X,Y,Z, a direction, or X,Y,Z:X,Y,Z, two places. */
static bool shots_places(shots *s, const char *text) {
    char first[200];
    const char *colon = strchr(text, ':');
    const int length = snprintf(first, sizeof first, "%.*s", colon ? (int)(colon - text) : (int)strlen(text), text);
    if (length >= (int)sizeof first || !shots_numbers(first, ',', 3, s->eye)) return false;
    if (colon && !shots_numbers(colon + 1, ',', 3, s->target)) return false;
    s->placed = colon != NULL;
    for (int k = 0; k < 3; k++) s->from[k] = s->eye[k] - (colon ? s->target[k] : 0.0);
    return true;
}

static int shots_take_view(shots *s, const char *argument) {
    const char *name[SHOTS_VIEWS];
    char hint[64];
    s->placed = false;
    for (int k = 0; k < SHOTS_VIEWS; k++) {
        name[k] = shots_view[k].name;
        if (strcmp(argument, name[k]) != 0) continue;
        memcpy(s->from, shots_view[k].from, sizeof s->from);
        memcpy(s->up, shots_view[k].up, sizeof s->up);
        return CLI_OK;
    }
    if (!shots_places(s, argument)) {
        return cli_usage_error(s->command, "there is no view %.60s%s", argument,
                               cli_hint(argument, name, SHOTS_VIEWS, hint, sizeof hint));
    }
    const double level = hypot(s->from[0], s->from[1]), far = hypot(level, s->from[2]);
    if (!(far > 0.0) || !isfinite(far)) {
        return cli_usage_error(s->command, "--view %.60s has no direction: the camera stands where it looks", argument);
    }
    const bool steep = level < 1e-3 * far; /* as seen from the top */
    for (int k = 0; k < 3; k++) s->up[k] = k == (steep ? 1 : 2);
    return CLI_OK;
}

static int shots_take_clip(shots *s, const char *argument) {
    rps_error err;
    const char *axis = strchr("xyz", argument[0]);
    s->cut = axis && *axis ? (int)(argument[0] - 'x') : -1;
    s->place = NAN;
    if (s->cut >= 0 && argument[1] == '\0') return CLI_OK;
    if (s->cut >= 0 && argument[1] == ':' && rps_units_read(argument + 2, "m", &s->place, &err) == RPS_OK)
        return CLI_OK;
    return cli_usage_error(
        s->command, "--clip takes x, y or z, with a place along it as in y:2cm or without, not \"%s\"", argument);
}

static int shots_take_size(shots *s, const char *argument) {
    double number[2];
    bool good = shots_numbers(argument, 'x', 2, number);
    for (int k = 0; good && k < 2; k++) {
        good = number[k] == floor(number[k]) && number[k] >= SHOTS_LEAST && number[k] <= SHOTS_MOST;
        if (good) s->size[k] = (int)number[k];
    }
    if (good) return CLI_OK;
    return cli_usage_error(s->command, "--size takes two whole numbers from %d to %d, as 1280x720, not \"%s\"",
                           SHOTS_LEAST, SHOTS_MOST, argument);
}

static int shots_take_walls(shots *s, const char *argument) {
    static const char *const how[] = {"auto", "clear", "solid", "hidden"};
    for (size_t k = 0; k < sizeof how / sizeof *how; k++) {
        if (strcmp(argument, how[k]) != 0) continue;
        s->walls = how[k];
        return CLI_OK;
    }
    return cli_usage_error(s->command, "--walls takes auto, clear, solid or hidden, not \"%s\"", argument);
}

int shots_take(shots *s, const char *name, const char *argument) {
    if (strcmp(name, "output") == 0) s->output = argument;
    if (strcmp(name, "color") == 0) s->color = argument;
    if (strcmp(name, "contacts") == 0) s->contacts = true;
    if (strcmp(name, "bonds") == 0) s->bonds = true;
    if (strcmp(name, "no-bar") == 0) s->no_bar = true;
    if (strcmp(name, "no-text") == 0) s->no_text = true;
    if (strcmp(name, "view") == 0) return shots_take_view(s, argument);
    if (strcmp(name, "clip") == 0) return shots_take_clip(s, argument);
    if (strcmp(name, "size") == 0) return shots_take_size(s, argument);
    if (strcmp(name, "walls") == 0) return shots_take_walls(s, argument);
    if (strcmp(name, "range") == 0 && (!shots_numbers(argument, ':', 2, s->range) || s->range[0] >= s->range[1])) {
        return cli_usage_error(s->command, "--range takes LOW:HIGH, two numbers that rise, not \"%s\"", argument);
    }
    if (strcmp(name, "wait") == 0 && (!shots_numbers(argument, ' ', 1, &s->wait) || s->wait <= 0.0)) {
        return cli_usage_error(s->command, "--wait takes seconds above 0, not \"%s\"", argument);
    }
    return CLI_OK;
}
