/* repose picture: a frame of a run as PNG, without a display. */
#include "shots.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "language/units.h"

typedef struct picture_request {
    shots shots;
    long frame;  /* from -1 backwards */
    double time; /* s; NaN: by the number */
} picture_request;

static int cmd_picture_take(void *context, int option, const char *argument) {
    picture_request *r = context;
    const cli_command *command = r->shots.command;
    const char *name = command->option[option].name;
    rps_error err;
    if (strcmp(name, "frame") == 0) {
        char *end;
        r->frame = strtol(argument, &end, 10);
        if (strcmp(argument, "last") == 0) r->frame = -1;
        if (strcmp(argument, "last") == 0 || (end != argument && !*end)) return CLI_OK;
        return cli_usage_error(command, "--frame takes a number from 0, or from -1 backwards, or `last`, not \"%s\"",
                               argument);
    }
    if (strcmp(name, "time") != 0) return shots_take(&r->shots, name, argument);
    if (rps_units_read(argument, "s", &r->time, &err) == RPS_OK) return CLI_OK;
    return cli_usage_error(command, "--time takes a time as 0.5s, not \"%s\"", argument);
}

static rps_status picture_find_frame(const picture_request *r, size_t *frame, rps_error *err) {
    const report_frames *frames = &r->shots.frames;
    const long count = (long)frames->count;
    if (!isfinite(r->time)) {
        *frame = (size_t)(r->frame < 0 ? r->frame + count : r->frame);
        if (r->frame < count && r->frame >= -count) return RPS_OK;
        return rps_fail(err, RPS_BAD_INPUT, "%s has %ld frames; there is no frame %ld (they count from 0)",
                        r->shots.directory, count, r->frame);
    }
    *frame = 0;
    for (size_t f = 1; f < frames->count; f++) {
        if (fabs(frames->frame[f].time - r->time) < fabs(frames->frame[*frame].time - r->time)) *frame = f;
    }
    return RPS_OK;
}

static rps_status picture_draw(picture_request *r, rps_error *err) {
    shots *s = &r->shots;
    size_t frame;
    RPS_TRY(shots_open(s, err));
    RPS_TRY(picture_find_frame(r, &frame, err));
    RPS_TRY(shots_begin(s, frame, 1, frame + 1, err));
    RPS_TRY(shots_draw(s, frame, err));
    RPS_TRY(rps_file_replace(s->output, s->png, s->png_bytes, err));
    printf("wrote %s: frame %zu of %zu, t = %.6g s\n", s->output, frame, s->frames.count, s->frames.frame[frame].time);
    return RPS_OK;
}

static int cmd_picture_run(const cli_command *command, int argc, char **argv) {
    picture_request r = {.frame = -1, .time = NAN};
    int first;
    rps_error err;
    shots_init(&r.shots, command);
    const int parsed = cli_parse(command, argc, argv, &first, cmd_picture_take, &r);
    if (parsed != CLI_OK) return parsed < 0 ? CLI_OK : parsed;
    if (argc - first != 1) return cli_usage_error(command, "name one directory of results");
    r.shots.directory = argv[first];
    if (!r.shots.output) return cli_usage_error(command, "where to? name the picture by -o FILE.png");
    const char *ending = strrchr(r.shots.output, '.');
    if (!ending || strcasecmp(ending, ".png") != 0) {
        return cli_usage_error(command, "pictures are PNG: name it FILE.png, not %s", r.shots.output);
    }
    cli_catch_signals();
    const rps_status status = picture_draw(&r, &err);
    return shots_end(&r.shots, status, &err);
}

const cli_command cli_picture = {
    .name = "picture",
    .usage = "picture DIR -o FILE.png [--frame N|--time T] [options]",
    .summary = "draw a frame of a run: grains, surfaces, contacts, with the scale of colors",
    .more =
        "It needs no display: chromium draws the page of `repose report` (Debian's package chromium-headless-shell, "
        "or\n"
        "chromium). The view holds the grains, and walls that are not much larger; --view X,Y,Z looks from that "
        "direction,\n"
        "--view X,Y,Z:X,Y,Z from one place to another, in m. Fields are those of `repose info DIR`; of a vector the "
        "length is\n"
        "drawn, or a component.\n"
        "What is fixed or driven is grey. --time takes the frame that is nearest to it.",
    .example = "  repose picture results/pile -o pile.png --color velocity --view front\n"
               "  repose picture results/pile -o chains.png --contacts --clip y",
    .status = "  0        success\n" CLI_STATUS_ERROR CLI_STATUS_USAGE "  128 + N  a stop by signal N\n",
    .option = {{"output", 'o', "FILE", "the picture, replaced if it is there"},
               {"frame", 0, "N", "from 0, from -1 backwards, or last (last)"},
               {"time", 0, "T", "the frame nearest to a time, as 0.5s"},
               SHOTS_OPTIONS},
    .run = cmd_picture_run,
};
