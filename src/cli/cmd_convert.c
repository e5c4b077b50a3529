/* repose convert: frames of results into the files of others, and their particles into files that scenes read. */
#include "cli.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/c_locale.h"
#include "io/file.h"
#include "io/points.h"
#include "language/units.h"

enum { NAMES = 128, RANGES = 64 };

typedef enum bodies_choice { BODIES_USUAL, BODIES_FREE, BODIES_HELD, BODIES_ALL } bodies_choice;
static const char *const bodies_name[] = {"", "free", "held", "all"};

/* Frames by number, negative from the end, or by time. */
typedef struct frame_range {
    bool by_time, single;
    double first, last, step; /* numbers or s */
} frame_range;

typedef struct convert_request {
    const cli_command *command;
    const char *input, *output;
    rps_points_format from, to;
    frame_range range[RANGES];
    int ranges;
    const char *field[NAMES], *type[NAMES];
    int fields, types;
    char *words[2]; /* the lists of options, cut at commas */
    bodies_choice bodies;
    double density;
    bool binary;
    double *time; /* of all frames */
    unsigned char *wanted;
    size_t frames, most; /* most: room of the two lists */
    size_t width;        /* digits of a frame in names of files */
} convert_request;

/* --- options -------------------------------------------------------------------------------------------------------- */

/* Cuts a list at its commas. */
static int cut_list(convert_request *r, int which, const char *argument, const char **name, int *count) {
    free(r->words[which]);
    r->words[which] = malloc(strlen(argument) + 1);
    if (!r->words[which]) return cli_usage_error(r->command, "no memory for the options");
    strcpy(r->words[which], argument);
    *count = 0;
    for (char *word = r->words[which], *comma; word; word = comma ? comma + 1 : NULL) {
        comma = strchr(word, ',');
        if (comma) *comma = '\0';
        if (!word[0]) return cli_usage_error(r->command, "a name in the list \"%s\" is empty", argument);
        if (*count == NAMES) return cli_usage_error(r->command, "more than %d names", NAMES);
        name[(*count)++] = word;
    }
    return CLI_OK;
}

static bool read_range_end(const char *text, bool by_time, double *value) {
    rps_error err;
    if (by_time) return rps_units_read(text, "s", value, &err) == RPS_OK;
    return rps_parse_double(text, value, &err) == RPS_OK && *value == floor(*value) && fabs(*value) < 1e15;
}

/* N, or A:B, or A:B:STEP; A and B may be left out. */
static int take_range(convert_request *r, char *text, bool by_time) {
    frame_range range = {by_time, false, by_time ? -INFINITY : 0.0, by_time ? INFINITY : -1.0, 1.0};
    char *colon = strchr(text, ':'), *second = colon ? strchr(colon + 1, ':') : NULL;
    if (colon) *colon = '\0';
    if (second) *second = '\0';
    range.single = !colon;
    bool good = r->ranges < RANGES && (!second || !by_time);
    if (!by_time && strcmp(text, "last") == 0 && !colon) {
        range.first = -1.0;
    } else if (!by_time && strcmp(text, "all") == 0 && !colon) {
        range.single = false;
    } else {
        if (text[0] || !colon) good = good && read_range_end(text, by_time, &range.first);
        if (colon && colon[1]) good = good && read_range_end(colon + 1, by_time, &range.last);
        if (second) good = good && read_range_end(second + 1, false, &range.step) && range.step >= 1.0;
    }
    if (!good) {
        return cli_usage_error(r->command, "--%s takes %s", by_time ? "times" : "frames",
                               by_time
                                   ? "a time or FROM:TO, in seconds or with a unit"
                                   : "last, all, N, FROM:TO or FROM:TO:STEP; they count from 0, or from -1 backwards");
    }
    r->range[r->ranges++] = range;
    return CLI_OK;
}

static int take_ranges(convert_request *r, const char *argument, bool by_time) {
    char *copy = malloc(strlen(argument) + 1);
    int status = copy ? CLI_OK : cli_usage_error(r->command, "no memory for the options");
    if (copy) strcpy(copy, argument);
    for (char *word = copy, *comma; word && status == CLI_OK; word = comma ? comma + 1 : NULL) {
        comma = strchr(word, ',');
        if (comma) *comma = '\0';
        status = take_range(r, word, by_time);
    }
    free(copy);
    return status;
}

static int take_points_format(const convert_request *r, const char *option, const char *argument,
                              rps_points_format *format) {
    const char *known[RPS_POINTS_FORMATS];
    char hint[64];
    for (int f = 0; f < RPS_POINTS_FORMATS; f++) {
        known[f] = rps_points_format_name(f);
        if (strcmp(argument, known[f]) != 0) continue;
        *format = (rps_points_format)f;
        return CLI_OK;
    }
    return cli_usage_error(r->command, "%s is not a format of --%s%s", argument, option,
                           cli_hint(argument, known, RPS_POINTS_FORMATS, hint, sizeof hint));
}

static int take_bodies(convert_request *r, const char *argument) {
    for (int k = BODIES_FREE; k <= BODIES_ALL; k++) {
        if (strcmp(argument, bodies_name[k]) != 0) continue;
        r->bodies = (bodies_choice)k;
        return CLI_OK;
    }
    return cli_usage_error(r->command, "--bodies takes free, held (fixed and driven) or all, not \"%s\"", argument);
}

static int cmd_convert_take(void *context, int option, const char *argument) {
    convert_request *r = context;
    const char *name = r->command->option[option].name;
    rps_error err;
    if (strcmp(name, "output") == 0) r->output = argument;
    if (strcmp(name, "binary") == 0) r->binary = true;
    if (strcmp(name, "from") == 0) return take_points_format(r, name, argument, &r->from);
    if (strcmp(name, "to") == 0) return take_points_format(r, name, argument, &r->to);
    if (strcmp(name, "frames") == 0) return take_ranges(r, argument, false);
    if (strcmp(name, "times") == 0) return take_ranges(r, argument, true);
    if (strcmp(name, "fields") == 0) return cut_list(r, 0, argument, r->field, &r->fields);
    if (strcmp(name, "types") == 0) return cut_list(r, 1, argument, r->type, &r->types);
    if (strcmp(name, "bodies") == 0) return take_bodies(r, argument);
    if (strcmp(name, "density") == 0 &&
        (rps_units_read(argument, "kg/m^3", &r->density, &err) != RPS_OK || !(r->density > 0.0))) {
        return cli_usage_error(r->command, "--density takes a density above 0, as 2500 or \"2.5 g/cm^3\", not \"%s\"",
                               argument);
    }
    return CLI_OK;
}

static int check_request(convert_request *r, int arguments) {
    if (arguments != 1) return cli_usage_error(r->command, "name one file, or one directory of results, to convert");
    if (!r->output) return cli_usage_error(r->command, "where to? name the file by -o");
    if (r->from == RPS_POINTS_FORMATS) r->from = rps_points_format_of(r->input);
    if (r->to == RPS_POINTS_FORMATS) r->to = rps_points_format_of(r->output);
    if (r->from == RPS_POINTS_FORMATS) {
        return cli_usage_error(r->command, "the name %s does not say what it is; say it by --from", r->input);
    }
    if (r->to == RPS_POINTS_FORMATS) {
        return cli_usage_error(r->command, "the name %s does not say its format; say it by --to", r->output);
    }
    if (r->to == RPS_POINTS_RESULTS) {
        return cli_usage_error(r->command, "results are written by a run alone; convert to csv and read it in a scene");
    }
    return CLI_OK;
}

/* --- frames --------------------------------------------------------------------------------------------------------- */

static rps_status note_time(convert_request *r, double time, rps_error *err) {
    if (r->frames == r->most) {
        const size_t most = r->most ? 2 * r->most : 64;
        double *times = realloc(r->time, most * sizeof *times);
        if (times) r->time = times;
        unsigned char *wanted = times ? realloc(r->wanted, most) : NULL;
        if (wanted) r->wanted = wanted;
        if (!wanted) return rps_fail(err, RPS_NO_MEMORY, "no memory for the times of the frames");
        r->most = most;
    }
    r->wanted[r->frames] = 0;
    r->time[r->frames++] = time;
    return RPS_OK;
}

/* Reads all frames for their times. */
static rps_status survey(convert_request *r, rps_error *err) {
    rps_points_source *source;
    rps_points *points;
    RPS_TRY(rps_points_open(r->input, r->from, NULL, &source, err));
    rps_status status;
    while ((status = rps_points_next(source, false, &points, err)) == RPS_OK && points) {
        status = note_time(r, points->time, err);
        if (status != RPS_OK) break;
    }
    rps_points_close(source);
    return status;
}

static size_t nearest_frame(const convert_request *r, double time) {
    size_t best = 0;
    for (size_t f = 1; f < r->frames; f++) {
        if (fabs(r->time[f] - time) < fabs(r->time[best] - time)) best = f;
    }
    return best;
}

static rps_status want(convert_request *r, const frame_range *range, rps_error *err) {
    const double count = (double)r->frames;
    if (range->by_time && range->single) {
        r->wanted[nearest_frame(r, range->first)] = 1;
        return RPS_OK;
    }
    for (size_t f = 0; f < r->frames && range->by_time; f++) {
        if (r->time[f] >= range->first && r->time[f] <= range->last) r->wanted[f] = 1;
    }
    if (range->by_time) return RPS_OK;
    const double first = range->first < 0.0 ? range->first + count : range->first;
    const double last = range->single ? first : range->last < 0.0 ? range->last + count : range->last;
    if (first < 0.0 || (range->single && first >= count)) {
        return rps_fail(err, RPS_BAD_INPUT, "%s has %zu frames; there is no frame %.0f (they count from 0)", r->input,
                        r->frames, range->first);
    }
    for (double f = first; f <= last && f < count; f += range->step) r->wanted[(size_t)f] = 1;
    return RPS_OK;
}

/* Marks the frames that are asked for, the last one if none is; *count is their number. */
static rps_status choose_frames(convert_request *r, size_t *count, rps_error *err) {
    static const frame_range last = {false, true, -1.0, -1.0, 1.0};
    RPS_TRY(survey(r, err));
    if (r->frames == 0) return rps_fail(err, RPS_BAD_INPUT, "%s holds no frame", r->input);
    if (r->ranges == 0) RPS_TRY(want(r, &last, err));
    for (int k = 0; k < r->ranges; k++) RPS_TRY(want(r, &r->range[k], err));
    *count = 0;
    for (size_t f = 0; f < r->frames; f++) *count += r->wanted[f];
    if (*count == 0) return rps_fail(err, RPS_BAD_INPUT, "%s has no frame in that range", r->input);
    r->width = (size_t)snprintf(NULL, 0, "%zu", r->frames - 1);
    return RPS_OK;
}

/* --- a frame -------------------------------------------------------------------------------------------------------- */

/* Drops planes, which have no place, and bodies that are not asked for. */
static rps_status select_bodies(const convert_request *r, rps_points *points, rps_error *err) {
    const double *kind = rps_points_values(points, "kind"), *radius = rps_points_values(points, "radius");
    const bool begins = r->to == RPS_POINTS_CSV || r->to == RPS_POINTS_DATA; /* simulations begin from these */
    const bodies_choice choice = r->bodies != BODIES_USUAL ? r->bodies : begins ? BODIES_FREE : BODIES_ALL;
    if (choice != BODIES_ALL && !kind) {
        if (r->bodies == BODIES_USUAL) return RPS_OK;
        return rps_fail(err, RPS_BAD_INPUT, "--bodies %s needs the field `kind`, which %s does not hold",
                        bodies_name[choice], r->input);
    }
    unsigned char *keep = malloc(points->count + 1);
    if (!keep) return rps_fail(err, RPS_NO_MEMORY, "no memory to choose bodies");
    for (size_t n = 0; n < points->count; n++) {
        const bool is_free = !kind || kind[n] == 0.0, is_plane = radius && radius[n] == 0.0;
        keep[n] = !is_plane && (choice == BODIES_ALL || is_free == (choice == BODIES_FREE));
    }
    rps_points_select(points, keep);
    free(keep);
    return RPS_OK;
}

/* Names of types become materials. */
static rps_status name_types(const convert_request *r, rps_points *points, rps_error *err) {
    const double *type = rps_points_values(points, "type");
    rps_point_field *material;
    if (!type) return rps_fail(err, RPS_BAD_INPUT, "--types needs the field `type`, which %s does not hold", r->input);
    if (rps_points_find(points, "material")) {
        return rps_fail(err, RPS_BAD_INPUT, "%s names materials already; leave out --types", r->input);
    }
    points->types = 0;
    for (int t = 0; t < r->types; t++) {
        double index;
        RPS_TRY(rps_points_type(points, r->type[t], &index, err));
    }
    RPS_TRY(rps_points_add_field(points, "material", 1, true, &material, err));
    type = rps_points_values(points, "type");
    for (size_t n = 0; n < points->count; n++) {
        double index = -1.0;
        if (type[n] >= 1.0 && type[n] <= r->types && type[n] == floor(type[n])) {
            RPS_TRY(rps_points_type(points, r->type[(int)type[n] - 1], &index, err));
        }
        if (index < 0.0) {
            return rps_fail(err, RPS_BAD_INPUT, "--types names %d types, but a particle has the type %g", r->types,
                            type[n]);
        }
        ((double *)material->value)[n] = index;
    }
    return RPS_OK;
}

static rps_status give_mass(const convert_request *r, rps_points *points, rps_error *err) {
    const double *radius = rps_points_values(points, "radius");
    rps_point_field *mass, *density;
    if (!radius) return rps_fail(err, RPS_BAD_INPUT, "--density needs radii, which %s does not hold", r->input);
    if (rps_points_find(points, "mass") || rps_points_find(points, "density")) {
        return rps_fail(err, RPS_BAD_INPUT, "%s has masses already; leave out --density", r->input);
    }
    RPS_TRY(rps_points_add_field(points, "mass", 1, false, &mass, err));
    RPS_TRY(rps_points_add_field(points, "density", 1, false, &density, err));
    radius = rps_points_values(points, "radius");
    for (size_t n = 0; n < points->count; n++) {
        ((double *)density->value)[n] = r->density;
        ((double *)mass->value)[n] =
            r->density * (4.0 / 3.0 * 3.14159265358979323846 * radius[n] * radius[n] * radius[n]);
    }
    return RPS_OK;
}

static void warn_of_shapes(const convert_request *r, const rps_points *points) {
    const double *sphere = rps_points_values(points, "sphere_radius");
    size_t others = 0;
    for (size_t n = 0; sphere && n < points->count; n++) others += sphere[n] == 0.0;
    if (others == 0 || r->to == RPS_POINTS_VTU || r->to == RPS_POINTS_PLY) return;
    fprintf(stderr,
            "note: %zu bodies are not spheres; they are written as the spheres about their centre that hold them\n",
            others);
}

static rps_status write_points(const convert_request *r, rps_points *points, rps_text *text, rps_error *err) {
    if (r->from == RPS_POINTS_RESULTS) RPS_TRY(select_bodies(r, points, err));
    if (r->types > 0) RPS_TRY(name_types(r, points, err));
    if (r->density > 0.0) RPS_TRY(give_mass(r, points, err));
    const bool all = r->fields == 1 && strcmp(r->field[0], "all") == 0;
    RPS_TRY(rps_points_choose(points, all ? RPS_POINTS_VTU : r->to, r->field, all ? 0 : (size_t)r->fields, err));
    return rps_points_write(points, r->to, r->binary, text, err);
}

/* The name of the file of a frame: its number in the place of the star. */
static rps_status name_file(const convert_request *r, size_t frame, char out[RPS_PATH], rps_error *err) {
    const char *star = strchr(r->output, '*');
    int length = star ? snprintf(out, RPS_PATH, "%.*s%0*zu%s", (int)(star - r->output), r->output, (int)r->width, frame,
                                 star + 1)
                      : snprintf(out, RPS_PATH, "%s", r->output);
    return length >= 0 && length < RPS_PATH ? RPS_OK : rps_fail(err, RPS_BAD_INPUT, "the name of the file is too long");
}

/* --- the files ------------------------------------------------------------------------------------------------------ */

static rps_status convert_frames(convert_request *r, rps_points_source *source, rps_replacement *one, rps_text *text,
                                 rps_error *err) {
    rps_points *points;
    bool warned = false;
    for (size_t f = 0; f < r->frames; f++) {
        char path[RPS_PATH];
        RPS_TRY(rps_points_next(source, r->wanted[f], &points, err));
        if (!points) return rps_fail(err, RPS_BAD_INPUT, "%s was changed while it was read", r->input);
        if (!r->wanted[f]) continue;
        rps_text_clear(text);
        rps_error why;
        const rps_status status = write_points(r, points, text, &why);
        if (status != RPS_OK) return rps_fail(err, status, "frame %zu: %s", f, why.text);
        if (!warned && r->from == RPS_POINTS_RESULTS) warn_of_shapes(r, points);
        warned = true;
        if (one) {
            rps_replacement_write(one, rps_text_string(text), text->length);
            continue;
        }
        RPS_TRY(name_file(r, f, path, err));
        RPS_TRY(rps_file_replace(path, rps_text_string(text), text->length, err));
    }
    return RPS_OK;
}

static rps_status run_convert(convert_request *r, rps_error *err) {
    size_t count = 0;
    rps_points_source *source;
    rps_replacement one;
    rps_text text;
    const bool several = strchr(r->output, '*') != NULL;
    RPS_TRY(choose_frames(r, &count, err));
    if (count > 1 && !several && !rps_points_many(r->to)) {
        return rps_fail(
            err, RPS_BAD_INPUT,
            "a file of format %s holds one frame, but %zu are asked for; put a * into the name of the file, "
            "where their numbers go",
            rps_points_format_name((int)r->to), count);
    }
    RPS_TRY(rps_points_open(r->input, r->from, NULL, &source, err));
    rps_text_init(&text, NULL, (size_t)1 << 40);
    rps_status status = several ? RPS_OK : rps_replacement_begin(&one, r->output, err);
    if (status == RPS_OK) {
        rps_error why;
        status = convert_frames(r, source, several ? NULL : &one, &text, &why);
        if (!several && status != RPS_OK)
            one.error = one.error ? one.error : ECANCELED; /* leaves the old file in place */
        rps_error unused;
        const rps_status closed = several ? RPS_OK : rps_replacement_end(&one, false, status == RPS_OK ? err : &unused);
        if (status != RPS_OK) {
            rps_fail(err, status, "%s", why.text);
        } else {
            status = closed;
        }
    }
    rps_text_release(&text);
    rps_points_close(source);
    return status;
}

static int cmd_convert_run(const cli_command *command, int argc, char **argv) {
    convert_request r = {.command = command, .from = RPS_POINTS_FORMATS, .to = RPS_POINTS_FORMATS};
    int first;
    int status = cli_parse(command, argc, argv, &first, cmd_convert_take, &r);
    if (status == CLI_OK) {
        r.input = argv[first];
        status = check_request(&r, argc - first);
        rps_error err;
        if (status == CLI_OK && run_convert(&r, &err) != RPS_OK) status = cli_failed(&err);
    } else if (status < 0) {
        status = CLI_OK;
    }
    for (int k = 0; k < 2; k++) free(r.words[k]);
    free(r.time);
    free(r.wanted);
    return status;
}

const cli_command cli_convert = {
    .name = "convert",
    .usage = "convert FILE|DIR -o FILE [--frames LIST] [--fields LIST] [options]",
    .summary = "turn frames of results into the files of others, and these into particles for scenes",
    .more =
        "From results (a directory or its run.h5), LAMMPS and LIGGGHTS dumps (text), LAMMPS data (atom_style sphere "
        "or\n"
        "atomic), VTU, PLY, CSV and extended XYZ to all of these but results. The name says the format: .h5, .dump or\n"
        ".lammpstrj or .liggghts, .data or .lmp, .vtu, .ply, .csv, .xyz; --from and --to say it of other names. A CSV\n"
        "is what `particles: {file: ...}` of a scene reads. All is SI; numbers read back to the same bits.\n"
        "\n"
        "Without --frames the last frame is written. Dumps and XYZ hold all frames in one file; for the others, or "
        "for\n"
        "dumps one by one, a * in the name of the output stands for the number of the frame: -o 'frame*.vtu'.",
    .example = "  repose convert results/pile -o pile.csv",
    .status = "  0        success\n" CLI_STATUS_ERROR CLI_STATUS_USAGE,
    .option = {{"output", 'o', "FILE", "the file, replaced if it is there; * in it: one for each frame"},
               {"frames", 0, "LIST", "last, all, N, FROM:TO or FROM:TO:STEP, from 0, or from -1 backwards (last)"},
               {"times", 0, "LIST", "the frames nearest_frame to times, or of FROM:TO, in seconds or with a unit"},
               {"fields", 0, "LIST", "fields by name, as velocity,force, or all (those that the format is for)"},
               {"bodies", 0, "WHICH", "of results: free, held or all; planes never (csv, data: free; else all)"},
               {"types", 0, "LIST", "materials in the place of the types 1, 2 and so on, for a CSV"},
               {"density", 0, "RHO", "gives spheres without a mass one"},
               {"binary", 0, NULL, "VTU as base64, PLY as binary"},
               {"from", 0, "FORMAT", "of the input: results, dump, data, vtu, ply, csv or xyz"},
               {"to", 0, "FORMAT", "of the output"}},
    .run = cmd_convert_run,
};
