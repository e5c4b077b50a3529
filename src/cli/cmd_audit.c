/* repose audit: which laws gain or lose energy, creep or drift, as a table or as the page docs/audit.md. */
#include "cli.h"

#include <repose/scene.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct request {
    const cli_command *command;
    rps_audit_options options;
    const char *file; /* of laws; NULL: those of the library */
    const char *set[CLI_SETS];
    bool markdown;
    bool noted;
} request;

static int cmd_audit_take(void *context, int option, const char *argument) {
    request *r = context;
    if (strcmp(r->command->option[option].name, "json") == 0) {
        r->options.json = argument;
    } else if (strcmp(r->command->option[option].name, "laws") == 0) {
        r->file = argument;
    } else if (strcmp(r->command->option[option].name, "set") == 0) {
        if (r->options.sets == CLI_SETS) return cli_usage_error(r->command, "at most %d settings", CLI_SETS);
        r->set[r->options.sets++] = argument;
    } else if (strcmp(r->command->option[option].name, "picture") == 0) {
        r->options.picture = argument;
    } else {
        r->markdown = true;
    }
    return CLI_OK;
}

static void cmd_audit_show_row(void *context, const rps_audit_row *row) {
    const request *r = context;
    char name[96], measured[64], verdict[32];
    const char *open = row->variant[0] ? " (" : "", *close = row->variant[0] ? ")" : "";
    snprintf(name, sizeof name, "%s.%s%s%s%s", row->role, row->law, open, row->variant, close);
    snprintf(measured, sizeof measured, "%.3g%s%s", row->measured, row->unit[0] ? " " : "", row->unit);
    snprintf(verdict, sizeof verdict, "%s%s", row->verdict, row->declared ? " (declared)" : "");
    printf(r->markdown ? "| %s | %s | %s | %s |\n" : "%-42s  %-58s  %-22s  %s\n", name, row->experiment, measured,
           verdict);
    fflush(stdout);
}

static void show_note(void *context, const rps_audit_note *note) {
    request *r = context;
    if (!r->noted) printf(r->markdown ? "\n## Defects and their cures\n\n" : "\nDefects and their cures\n");
    r->noted = true;
    const char *open = note->citation[0] ? " (" : "", *close = note->citation[0] ? ")" : "";
    printf(r->markdown ? "- `%s.%s`: %s%s%s%s\n" : "%s.%s: %s%s%s%s\n", note->role, note->law, note->text, open,
           note->citation, close);
}

static int cmd_audit_run(const cli_command *command, int argc, char **argv) {
    request r = {.command = command, .options = rps_audit_options_default()};
    int first;
    int status = cli_parse(command, argc, argv, &first, cmd_audit_take, &r);
    if (status != CLI_OK) {
        return status < 0 ? CLI_OK : status;
    }
    r.options.law = (const char *const *)argv + first;
    r.options.laws = (size_t)(argc - first);
    r.options.row = cmd_audit_show_row;
    r.options.note = show_note;
    r.options.context = &r;
    r.options.set = r.set;
    rps_error err;
    if (r.options.sets && !r.file) return cli_usage_error(command, "--set is for the laws of a file, --laws FILE");
    if (r.file && rps_law_file_load(r.file, &r.options.own, &r.options.owns, &err) != RPS_OK) return cli_failed(&err);
    if (r.markdown) {
        printf(
            "<!-- Written by tools/make_reference: repose audit --markdown. -->\n# Audit of the laws\n\n"
            "Which law gains energy, loses it, creeps or drifts: every law alone, on a contact of spheres (or disks) "
            "of\n"
            "5 mm with E = 70 GPa and nu = 0.22 (impacts: 0.3), without dashpots where the law allows it; bonds of 1 "
            "mm\n"
            "with 1 GPa. Declared is\n"
            "what the law's own descriptor says of itself (`repose list laws`).\n\n"
            "![Oblique impacts: psi2 over psi1 of four laws and the exact contact](oblique.svg)\n\n"
            "| law | experiment | measured | verdict |\n| --- | --- | --- | --- |\n");
    } else {
        printf("%-42s  %-58s  %-22s  %s\n", "law", "experiment", "measured", "verdict");
    }
    rps_audit_summary summary;
    if (rps_audit(&r.options, &summary, &err) != RPS_OK) {
        return cli_failed(&err);
    }
    if (!r.markdown) {
        printf("%zu laws, %zu measurements, %zu defects that no law declares\n", summary.laws, summary.rows,
               summary.undeclared);
    }
    return summary.undeclared ? CLI_FAILED : CLI_OK;
}

const cli_command cli_audit = {
    .name = "audit",
    .usage = "audit [LAW...] [--laws FILE] [--set NAME=VALUE]... [--json FILE] [--picture FILE] [--markdown]",
    .summary = "measure which law gains energy, loses it, creeps or drifts",
    .more = "LAW is a name, or ROLE.NAME where several roles have it; without one all laws are tried.",
    .example = "  repose audit hertz\n"
               "  repose audit --laws ./film.so --set 'viscosity=100 Pa s' --set 'thickness=1 um'",
    .status = "  0        no law creates energy without declaring it\n"
              "  1        a law creates energy without declaring it, or an error\n" CLI_STATUS_USAGE,
    .option = {{"laws", 0, "FILE", "the laws of a shared library (docs/add-a-law.md) in place of those of the library"},
               {"set", 0, "NAME=VALUE", "a parameter of these laws"},
               {"json", 0, "FILE", "write {\"audit\": [...]} as well"},
               {"picture", 0, "FILE",
                "figure (.svg, .png, .pdf): oblique impacts of the Mindlin laws and of the exact contact"},
               {"markdown", 0, NULL, "as a reference page"}},
    .run = cmd_audit_run,
};
