/* repose new: writes one of the scenes of scenes/templates, which are part of the program, into a file of the user's. */
#include "cli.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "io/file.h"

typedef struct new_template {
    const char *name, *title, *const *line;
} new_template;

#define RPS_TEMPLATE(name, title, ...) static const char *const name##_lines[] = {__VA_ARGS__ NULL};
#include "templates.inc"
#undef RPS_TEMPLATE

static const new_template templates[] = {
#define RPS_TEMPLATE(name, title, ...) {#name, title, name##_lines},
#include "templates.inc"
#undef RPS_TEMPLATE
};
enum { TEMPLATES = sizeof templates / sizeof *templates };

static int take_nothing(void *context, int option, const char *argument) {
    (void)context, (void)option, (void)argument;
    return CLI_OK;
}

static int list_templates(void) {
    for (size_t k = 0; k < TEMPLATES; k++) printf("  %-10s %s\n", templates[k].name, templates[k].title);
    printf("\nrepose new TEMPLATE writes one of them into a file\n");
    return CLI_OK;
}

/* Writes the lines; where a comment names the file of the template, `name` takes its place. */
static void write_lines(FILE *file, const new_template *t, const char *name) {
    char old[64];
    const size_t length = (size_t)snprintf(old, sizeof old, "%s.yaml", t->name);
    for (size_t k = 0; t->line[k]; k++) {
        const char *rest = t->line[k], *found;
        while ((found = strstr(rest, old)) != NULL) {
            fprintf(file, "%.*s%s", (int)(found - rest), rest, name);
            rest = found + length;
        }
        fprintf(file, "%s\n", rest);
    }
}

/* The path to write: in a folder, that exists or ends in a slash, the file of the template's name. */
static rps_status find_path(const new_template *t, const char *target, char out[RPS_PATH], rps_error *err) {
    char name[64];
    snprintf(name, sizeof name, "%s.yaml", t->name);
    if (!target) return rps_path_join(out, NULL, name, err);
    const size_t length = strlen(target);
    if (length > 0 && target[length - 1] == '/') RPS_TRY(rps_directory_make(target, err));
    return rps_is_directory(target) ? rps_path_join(out, target, name, err) : rps_path_join(out, NULL, target, err);
}

static rps_status write_template(const new_template *t, const char *path, rps_error *err) {
    const int number = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (number < 0 && errno == EEXIST) {
        return rps_fail(err, RPS_BAD_INPUT, "%s exists already; give the scene another name: repose new %s FILE", path,
                        t->name);
    }
    FILE *file = number < 0 ? NULL : fdopen(number, "w");
    if (!file) {
        const int error = errno;
        if (number >= 0) close(number);
        return rps_file_fail(err, "write", path, error);
    }
    const char *slash = strrchr(path, '/');
    errno = 0;
    write_lines(file, t, slash ? slash + 1 : path);
    const bool written = fflush(file) == 0 && !ferror(file);
    const int error = errno;
    if (fclose(file) == 0 && written) return RPS_OK;
    remove(path);
    return rps_file_fail(err, "write", path, error ? error : EIO);
}

static int run_new(const cli_command *command, int argc, char **argv) {
    int first = 0;
    const int parsed = cli_parse(command, argc, argv, &first, take_nothing, NULL);
    if (parsed != CLI_OK) return parsed < 0 ? CLI_OK : parsed;
    if (first == argc) return list_templates();
    if (argc - first > 2) return cli_usage_error(command, "%s is one too many", argv[first + 2]);
    const char *names[TEMPLATES];
    const new_template *t = NULL;
    for (size_t k = 0; k < TEMPLATES; k++) {
        names[k] = templates[k].name;
        if (strcmp(argv[first], names[k]) == 0) t = &templates[k];
    }
    if (!t) {
        char hint[64];
        return cli_usage_error(command, "there is no template %s%s; repose new lists all", argv[first],
                               cli_hint(argv[first], names, TEMPLATES, hint, sizeof hint));
    }
    const char *target = first + 1 < argc ? argv[first + 1] : NULL;
    if (target && strcmp(target, "-") == 0) {
        char name[64];
        snprintf(name, sizeof name, "%s.yaml", t->name);
        write_lines(stdout, t, name);
        return CLI_OK;
    }
    char path[RPS_PATH];
    rps_error err;
    rps_status status = find_path(t, target, path, &err);
    if (status == RPS_OK) status = write_template(t, path, &err);
    if (status != RPS_OK) return cli_failed(&err);
    printf("%s: %s\n  repose explain %s\n  repose run %s -o out/%s\n", path, t->title, path, path, t->name);
    return CLI_OK;
}

const cli_command cli_new = {
    .name = "new",
    .usage = "new [TEMPLATE [FILE|DIR|-]]",
    .summary = "write a scene to begin with: a heap, a hopper, a drum ...",
    .more = "Without a template it lists all. The scene has comments, probes and checks and runs within a minute on "
            "one core. It is\n"
            "written as TEMPLATE.yaml, into FILE or into DIR; an existing file is never overwritten. - writes to the "
            "standard output.",
    .example = "  repose new hopper",
    .status = "  0        success\n" CLI_STATUS_ERROR CLI_STATUS_USAGE,
    .run = run_new,
};
