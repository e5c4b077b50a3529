/* repose movie: frames of a run as MP4 or GIF, without a display. */
#include "encoder.h"
#include "shots.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

typedef struct movie_request {
    shots shots;
    encoder encoder;
    bool gif;
    double rate;   /* pictures a second */
    long range[3]; /* first, last, step; from -1 backwards */
} movie_request;

static int movie_take_frames(movie_request *r, const char *argument) {
    char rest;
    long *range = r->range;
    if (strcmp(argument, "all") == 0) return CLI_OK;
    const int found = sscanf(argument, "%9ld:%9ld:%9ld%c", &range[0], &range[1], &range[2], &rest);
    if ((found == 3 || (found == 2 && strcspn(argument, ":") == (size_t)(strrchr(argument, ':') - argument))) &&
        range[2] >= 1) {
        return CLI_OK;
    }
    return cli_usage_error(r->shots.command,
                           "--frames takes all, FROM:TO or FROM:TO:STEP, which count from 0, or from -1 backwards, not "
                           "\"%s\"",
                           argument);
}

static int cmd_movie_take(void *context, int option, const char *argument) {
    movie_request *r = context;
    const cli_command *command = r->shots.command;
    const char *name = command->option[option].name;
    rps_error err;
    if (strcmp(name, "frames") == 0) return movie_take_frames(r, argument);
    if (strcmp(name, "fps") != 0) return shots_take(&r->shots, name, argument);
    if (rps_parse_double(argument, &r->rate, &err) == RPS_OK && r->rate >= 0.1 && r->rate <= 240.0) return CLI_OK;
    return cli_usage_error(command, "--fps takes a number from 0.1 to 240, not \"%s\"", argument);
}

/* The frames from *first to before *end. */
static rps_status movie_find_frames(const movie_request *r, size_t *first, size_t *end, rps_error *err) {
    const long count = (long)r->shots.frames.count;
    const long from = r->range[0] < 0 ? r->range[0] + count : r->range[0];
    const long to = r->range[1] < 0 ? r->range[1] + count : r->range[1];
    if (from < 0 || from >= count || to < from) {
        return rps_fail(err, RPS_BAD_INPUT, "%s has %ld frames; there is none from %ld to %ld (they count from 0)",
                        r->shots.directory, count, r->range[0], r->range[1]);
    }
    *first = (size_t)from;
    *end = (size_t)(to < count ? to + 1 : count);
    return RPS_OK;
}

static rps_status movie_draw(movie_request *r, rps_error *err) {
    shots *s = &r->shots;
    size_t first = 0, end = 0, drawn = 0;
    const size_t step = (size_t)r->range[2];
    RPS_TRY(shots_open(s, err));
    RPS_TRY(movie_find_frames(r, &first, &end, err));
    RPS_TRY(shots_begin(s, first, step, end, err));
    RPS_TRY(encoder_start(&r->encoder, s->folder, r->gif, r->rate, s->wait, err));
    for (size_t f = first; f < end; f += step, drawn++) {
        RPS_TRY(shots_draw(s, f, err));
        RPS_TRY(encoder_add(&r->encoder, s->png, s->png_bytes, err));
    }
    RPS_TRY(encoder_finish(&r->encoder, s->output, err));
    printf("wrote %s: %zu frames, t = %.6g s to %.6g s, %.3g s long\n", s->output, drawn, s->frames.frame[first].time,
           s->frames.frame[first + (drawn - 1) * step].time, (double)drawn / r->rate);
    return RPS_OK;
}

/* H.264 keeps colours for blocks of 2 x 2 pixels. */
static int movie_check(movie_request *r) {
    shots *s = &r->shots;
    if (!s->output) return cli_usage_error(s->command, "where to? name the movie by -o FILE.mp4 or FILE.gif");
    const char *ending = strrchr(s->output, '.');
    r->gif = ending && strcasecmp(ending, ".gif") == 0;
    if (!r->gif && (!ending || strcasecmp(ending, ".mp4") != 0)) {
        return cli_usage_error(s->command, "movies are MP4 or GIF: name it FILE.mp4 or FILE.gif, not %s", s->output);
    }
    if (r->gif || (s->size[0] % 2 == 0 && s->size[1] % 2 == 0)) return CLI_OK;
    return cli_usage_error(s->command, "the two numbers of --size are even in an MP4, not %dx%d", s->size[0],
                           s->size[1]);
}

static int cmd_movie_run(const cli_command *command, int argc, char **argv) {
    movie_request r = {.rate = 25.0, .range = {0, -1, 1}};
    int first;
    rps_error err;
    shots_init(&r.shots, command);
    const int parsed = cli_parse(command, argc, argv, &first, cmd_movie_take, &r);
    if (parsed != CLI_OK) return parsed < 0 ? CLI_OK : parsed;
    if (argc - first != 1) return cli_usage_error(command, "name one directory of results");
    r.shots.directory = argv[first];
    const int checked = movie_check(&r);
    if (checked != CLI_OK) return checked;
    cli_catch_signals();
    r.encoder.process.socket = -1;
    const rps_status status = movie_draw(&r, &err);
    encoder_end(&r.encoder);
    return shots_end(&r.shots, status, &err);
}

const cli_command cli_movie = {
    .name = "movie",
    .usage = "movie DIR -o FILE.mp4|FILE.gif [--frames FROM:TO:STEP] [--fps N] [options]",
    .summary = "draw the frames of a run as a movie",
    .more = "Each frame of the results is a picture of the movie, drawn as `repose picture` does, with one camera and "
            "one scale\n"
            "of colors for all. It needs Debian's packages chromium-headless-shell (or chromium) and ffmpeg, and no "
            "display.",
    .example = "  repose movie results/pile -o pile.mp4 --color velocity --view front",
    .status = "  0        success\n" CLI_STATUS_ERROR CLI_STATUS_USAGE "  128 + N  a stop by signal N\n",
    .option = {{"output", 'o', "FILE", "the movie, replaced if it is there; its name says the format"},
               {"frames", 0, "RANGE", "all, FROM:TO or FROM:TO:STEP, from 0, or from -1 backwards (all)"},
               {"fps", 0, "N", "frames of a second of the movie (25)"},
               SHOTS_OPTIONS},
    .run = cmd_movie_run,
};
