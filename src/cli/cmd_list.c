/* repose list: the tables of the program, as text or, for the reference pages, as Markdown. */
#include "cli.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "io/file_names.h"
#include "io/frame.h"
#include "io/sums.h"
#include "scene/scene.h"
#include "shape/shape.h"

static bool pure(const char *unit) {
    return !unit || !unit[0] || strcmp(unit, "1") == 0;
}

static const char *cmd_list_number(double value, char out[RPS_DOUBLE_TEXT]) {
    return rps_double_format(value, out);
}

/* Bounds beyond this mean unbounded. */
#define HUGE_BOUND 1e300
#define TINY 1e-300

static void format_bounds(double low, double high, bool above, char *out, size_t capacity) {
    char a[RPS_DOUBLE_TEXT], b[RPS_DOUBLE_TEXT];
    cmd_list_number(low <= TINY && above ? 0.0 : low, a);
    cmd_list_number(high, b);
    if (low <= -HUGE_BOUND && high >= HUGE_BOUND) {
        snprintf(out, capacity, "any");
    } else if (high >= HUGE_BOUND) {
        snprintf(out, capacity, "%s %s", above ? ">" : ">=", a);
    } else if (low <= -HUGE_BOUND) {
        snprintf(out, capacity, "<= %s", b);
    } else {
        snprintf(out, capacity, above ? "above %s to %s" : "%s to %s", a, b);
    }
}

/* The bounds of a parameter, or the words that it accepts. */
static void format_range(const rps_law_parameter *p, char *out, size_t capacity) {
    if (p->choices) {
        snprintf(out, capacity, "%s", p->choices);
        for (char *c = out; *c; c++) {
            *c = *c == '|' ? '/' : *c;
        }
        return;
    }
    format_bounds(p->low, p->high, p->low > 0.0 && p->low <= TINY, out, capacity);
}

static void format_default(const rps_law_parameter *p, char *out, size_t capacity) {
    char value[RPS_DOUBLE_TEXT];
    if (isnan(p->default_value)) {
        snprintf(out, capacity, "none");
    } else if (p->choices) {
        const char *word = p->choices;
        for (int k = (int)p->default_value; k > 0 && strchr(word, '|'); k--) {
            word = strchr(word, '|') + 1;
        }
        snprintf(out, capacity, "%.*s", (int)strcspn(word, "|"), word);
    } else {
        snprintf(out, capacity, "%s", cmd_list_number(p->default_value, value));
    }
}

/* --- text or Markdown: a heading, a paragraph, a table --------------------------------------------------------------- */

typedef struct page {
    bool markdown;
    const char *laws; /* a file of them; NULL: those of the library */
    const int *width; /* of the columns in text */
    int columns;
    bool head; /* the row names the columns */
} page;

/* A Markdown table cell must not contain a bar. */
static void print_cell(const char *text) {
    for (const char *c = text; *c; c++) {
        printf(*c == '|' ? "\\|" : "%c", *c);
    }
}

static void print_row(const page *p, const char *const *cell) {
    for (int k = 0; k < p->columns; k++) {
        if (p->markdown) {
            const char *quote = k == 0 && !p->head ? "`" : ""; /* names, which may contain stars */
            printf("| %s", quote);
            print_cell(cell[k]);
            printf("%s ", quote);
        } else if (k + 1 < p->columns) {
            printf("  %-*s", p->width[k], cell[k]);
        } else {
            printf("  %s", cell[k]);
        }
    }
    printf(p->markdown ? "|\n" : "\n");
}

static void begin_table(page *p, const char *const *head, const int *width, int columns) {
    p->width = width;
    p->columns = columns;
    if (!p->markdown) {
        return;
    }
    printf("\n");
    p->head = true;
    print_row(p, head);
    p->head = false;
    for (int k = 0; k < columns; k++) {
        printf("| --- ");
    }
    printf("|\n");
}

static void heading(const page *p, int level, const char *text) {
    if (p->markdown) {
        printf("%s%.*s %s\n", level > 1 ? "\n" : "", level, "####", text);
    } else if (level > 1) {
        printf("\n%s\n", text);
    }
}

/* --- laws ------------------------------------------------------------------------------------------------------------ */

static void head_law(page *p, const char *role, const char *name, const char *summary, const char *citation) {
    char title[128];
    snprintf(title, sizeof title, p->markdown ? "%s `%s`" : "%s %s", role, name);
    heading(p, 2, title);
    printf(p->markdown ? "\n%s\n" : "  %s\n", summary);
    if (citation && citation[0]) printf(p->markdown ? "\nSource: %s\n" : "  source: %s\n", citation);
}

static void list_parameters(page *p, const rps_law_parameter *parameter, int most) {
    static const char *const head[] = {"parameter", "unit", "range", "default", "meaning"};
    static const int width[] = {22, 10, 16, 8, 0};
    if (parameter[0].name) begin_table(p, head, width, 5);
    for (int k = 0; k < most && parameter[k].name; k++) {
        const rps_law_parameter *q = &parameter[k];
        char range[80], default_value[40];
        format_range(q, range, sizeof range);
        format_default(q, default_value, sizeof default_value);
        print_row(p, (const char *const[]){q->name, pure(q->unit) ? "-" : q->unit, range, default_value, q->meaning});
    }
}

static void list_exceptions(page *p, const rps_law_exception *exception) {
    for (int k = 0; k < RPS_LAW_EXCEPTIONS && exception[k].property; k++) {
        const rps_law_exception *e = &exception[k];
        const bool cited = e->citation && e->citation[0];
        printf(p->markdown ? "\nDeclared exception, %s: %s%s%s%s\n" : "  declared exception, %s: %s%s%s%s\n",
               e->property, e->why, cited ? " (" : "", cited ? e->citation : "", cited ? ")" : "");
    }
}

static void list_bond_law(page *p, const rps_bond_law *law) {
    head_law(p, "bond", law->name, law->summary, law->citation);
    list_parameters(p, law->parameter, RPS_BOND_PARAMETERS);
    printf(p->markdown ? "\nBreaks by" : "  breaks by");
    for (int k = 0; k < RPS_BOND_FAILURES && law->failure[k]; k++) printf("%s %s", k ? "," : "", law->failure[k]);
    printf(p->markdown ? ".\n" : "\n");
    list_exceptions(p, law->exception);
}

static void list_law(page *p, const rps_law *law) {
    head_law(p, rps_role_name(law->role), law->name, law->summary, law->citation);
    static const char *const taken[2][2] = {{"not", "Not"}, {"also", "Also"}};
    printf(p->markdown ? "\n%s in the nonsmooth stepper%s%s.\n" : "  %s in the nonsmooth stepper%s%s\n",
           taken[law->cone != NULL][p->markdown], law->nonsmooth ? ": " : "", law->nonsmooth ? law->nonsmooth : "");
    list_parameters(p, law->parameter, RPS_LAW_PARAMETERS);
    static const char *const memory_head[] = {"memory", "unit", "kind", "meaning"};
    static const int memory_width[] = {22, 10, 16, 0};
    for (int k = 0; k < RPS_LAW_MEMORY && law->memory[k].name; k++) {
        const rps_law_memory *m = &law->memory[k];
        if (k == 0) {
            printf(p->markdown ? "" : "  remembers\n");
            begin_table(p, memory_head, memory_width, 4);
        }
        const char *kind = (m->kind & RPS_MEMORY_TANGENT) ? "tangent vector" : "number";
        print_row(p, (const char *const[]){m->name, pure(m->unit) ? "-" : m->unit, kind, m->meaning});
    }
    list_exceptions(p, law->exception);
}

static int list_laws(page *p) {
    heading(p, 1, "Laws");
    if (p->markdown) {
        printf("\nOne law a role for each pair of materials, and the laws of bonds. Bare numbers are SI; a default of "
               "none\n"
               "means that the law derives the value or asks for it.\n");
    }
    const rps_law *const *own;
    size_t owns;
    rps_error err;
    if (p->laws && rps_law_file_load(p->laws, &own, &owns, &err) != RPS_OK) return cli_failed(&err);
    for (size_t i = 0; p->laws && i < owns; i++) list_law(p, own[i]);
    for (size_t i = 0; !p->laws && rps_law_at(i); i++) list_law(p, rps_law_at(i));
    for (size_t i = 0; !p->laws && rps_bond_law_at(i); i++) list_bond_law(p, rps_bond_law_at(i));
    return CLI_OK;
}

static int list_shapes(page *p) {
    heading(p, 1, "Shapes");
    for (int i = 0; rps_shape_at(i); i++) {
        const rps_shape *shape = rps_shape_at(i);
        heading(p, 2, shape->name);
        printf(p->markdown ? "\n%s\n" : "  %s\n", shape->summary);
        static const char *const head[] = {"parameter", "numbers", "unit", "range", "default", "meaning"};
        static const int width[] = {22, 8, 10, 16, 8, 0};
        if (shape->by_world) continue; /* `list keys` has what a scene gives */
        for (int k = 0; k < RPS_SHAPE_PARAMETERS && shape->parameter[k].name; k++) {
            const rps_shape_parameter *q = &shape->parameter[k];
            char range[80];
            if (k == 0) {
                begin_table(p, head, width, 6);
            }
            const bool may_be_low = q->flags & RPS_SHAPE_MAY_BE_LOW;
            char numbers[16], default_value[40] = "none";
            snprintf(numbers, sizeof numbers, "%d", q->components > 1 ? q->components : 1);
            if (may_be_low || q->default_value != 0.0) {
                snprintf(default_value, sizeof default_value, "%g", may_be_low ? q->low : q->default_value);
            }
            format_bounds(q->low, q->high, !may_be_low, range, sizeof range);
            print_row(p, (const char *const[]){q->name, numbers, pure(q->unit) ? "-" : q->unit, range, default_value,
                                               q->meaning});
        }
    }
    return CLI_OK;
}

static int list_keys(page *p) {
    static const char *const head[] = {"key", "type", "unit", "default", "meaning"};
    static const int width[] = {34, 10, 10, 14, 0};
    heading(p, 1, "Keys of a scene");
    begin_table(p, head, width, 5);
    rps_scene_key key;
    for (size_t i = 0; rps_scene_key_at(i, &key); i++) {
        char name[160];
        bool of_law = key.law && key.law[0];
        snprintf(name, sizeof name, of_law ? "%s (%s)" : "%s%s", key.path, of_law ? key.law : "");
        print_row(p, (const char *const[]){name, key.type, pure(key.unit) ? "-" : key.unit,
                                           key.default_value[0] ? key.default_value : "-", key.meaning});
    }
    return CLI_OK;
}

static int list_quantities(page *p) {
    static const char *const head[] = {"quantity", "of", "unit", "meaning"};
    static const int width[] = {26, 8, 10, 0};
    heading(p, 1, "Quantities that probes read");
    begin_table(p, head, width, 4);
    for (size_t i = 0; i < rps_quantity_count(); i++) {
        const rps_quantity_info *q = rps_quantity_at(i);
        print_row(p, (const char *const[]){q->name, q->of, pure(q->unit) ? "-" : q->unit, q->meaning});
    }
    return CLI_OK;
}

static void list_columns(page *p, const char *title, const rps_table *table) {
    static const char *const head[] = {"field", "type", "unit", "meaning"};
    static const int width[] = {22, 10, 10, 0};
    static const char *const type[] = {"double", "int32", "uint64"};
    heading(p, 2, title);
    begin_table(p, head, width, 4);
    for (int c = 0; c < table->columns; c++) {
        const rps_column *column = &table->column[c];
        char kind[32];
        const char *number = table->single && column->type == RPS_TYPE_double ? "float" : type[column->type];
        snprintf(kind, sizeof kind, column->components > 1 ? "%s x %d" : "%s", number, column->components);
        print_row(p,
                  (const char *const[]){column->name, kind, pure(column->unit) ? "-" : column->unit, column->meaning});
    }
}

static int list_fields(page *p) {
    rps_table table = {0}, bodies = {0}, contacts = {0}, joints = {0}, bonds = {0};
    heading(p, 1, "Fields");
    if (p->markdown) {
        printf(
            "\nContent of `" RPS_FRAMES_FILE
            "`. Rows of all frames lie one behind the other; `/frames` says where those of a "
            "frame\n"
            "begin and how many they are. Bodies come in the order of their ids. `/bonds` is there if the scene has\n"
            "bonds, in ascending order of ids, broken ones included. `/joints` is there if the scene has\n"
            "joints, all of them in every frame, in the order of the scene. `/surface` is there if bodies are\n"
            "neither spheres nor planes (`output.surface`). `/loads` is there with `output.loads`: all\n"
            "triangles of these meshes in every frame, in one order; `/profiles` with `profiles`: all bins in every\n"
            "frame. `/checksums` has a row for each frame; `repose info --check` compares. A scene may leave out "
            "fields of `/bodies` and `/contacts`, or all of\n"
            "`/contacts`, and have single precision (`output.fields`, `output.contacts`, `output.precision`).\n"
            "Readers need HDF5 1.10 or later.\n");
    }
    rps_frame_body_columns(&bodies);
    list_columns(p, p->markdown ? "`/bodies`" : "/bodies", &bodies);
    rps_frame_contact_columns(&contacts);
    list_columns(p, p->markdown ? "`/contacts`" : "/contacts", &contacts);
    rps_frame_bond_columns(&bonds);
    list_columns(p, p->markdown ? "`/bonds`" : "/bonds", &bonds);
    rps_frame_joint_columns(&joints);
    list_columns(p, p->markdown ? "`/joints`" : "/joints", &joints);
    rps_frame_index_columns(&table, true, true, true);
    list_columns(p, p->markdown ? "`/frames`" : "/frames", &table);
    rps_surface surface;
    rps_surface_init(&surface, "", 0, NULL);
    const rps_table *const part[] = {&surface.points, &surface.vertices, &surface.corners, &surface.frames};
    for (int k = 0; k < 4; k++) {
        char name[40];
        snprintf(name, sizeof name, p->markdown ? "`/%s`" : "/%s", rps_surface_part_name(k));
        list_columns(p, name, part[k]);
    }
    rps_load_tables loads;
    rps_load_tables_columns(&loads, false);
    const rps_table *const load[] = {&loads.triangles, &loads.points, &loads.values, &loads.intervals};
    for (int k = 0; k < 4; k++) {
        char name[40];
        const char *group = k == 0 ? "loads/triangles" : rps_load_part_name(k - 1);
        snprintf(name, sizeof name, p->markdown ? "`/%s`" : "/%s", group);
        list_columns(p, name, load[k]);
    }
    rps_profile_tables profiles;
    rps_profile_tables_columns(&profiles);
    list_columns(p, p->markdown ? "`/profiles/bins`" : "/profiles/bins", &profiles.bins);
    list_columns(p, p->markdown ? "`/profiles/values`" : "/profiles/values", &profiles.values);
    const rps_sums_of all = {&bodies, &contacts, &joints, &surface, &loads, &profiles.values, &bonds};
    rps_sums_columns(&all, &table);
    list_columns(p, p->markdown ? "`/checksums`" : "/checksums", &table);
    heading(p, 2, "State of a body");
    static const char *const head[] = {"field", "written by", "unit", "part of the state", "meaning"};
    static const int width[] = {22, 10, 12, 5, 0};
    begin_table(p, head, width, 5);
    for (size_t i = 0; i < rps_body_field_count(); i++) {
        const rps_field *f = rps_body_field(i);
        print_row(p, (const char *const[]){f->name, f->writer, pure(f->unit) ? "-" : f->unit,
                                           (f->flags & RPS_FIELD_SAVED) ? "yes" : "no", f->meaning});
    }
    return CLI_OK;
}

static int list_schema(page *p) {
    rps_text text;
    rps_error err;
    (void)p;
    rps_text_init(&text, NULL, (size_t)8 << 20);
    const bool made = rps_scene_json_schema(&text, &err) == RPS_OK;
    fputs(rps_text_string(&text), stdout);
    rps_text_release(&text);
    return made ? CLI_OK : cli_failed(&err);
}

static const struct {
    const char *name;
    int (*list)(page *p);
} lists[] = {{"laws", list_laws},     {"shapes", list_shapes}, {"keys", list_keys}, {"quantities", list_quantities},
             {"schema", list_schema}, {"fields", list_fields}};
enum { LISTS = sizeof lists / sizeof lists[0] };

static int cmd_list_take(void *context, int option, const char *argument) {
    page *p = context;
    if (strcmp(cli_list.option[option].name, "laws") == 0) {
        p->laws = argument;
    } else {
        p->markdown = true;
    }
    return CLI_OK;
}

static int cmd_list_run(const cli_command *command, int argc, char **argv) {
    page p = {.markdown = false};
    int first;
    int status = cli_parse(command, argc, argv, &first, cmd_list_take, &p);
    if (status != CLI_OK) {
        return status < 0 ? CLI_OK : status;
    }
    if (p.laws && (argc - first != 1 || strcmp(argv[first], "laws") != 0)) {
        return cli_usage_error(command, "--laws goes with `list laws`");
    }
    const char *names[LISTS];
    for (int i = 0; i < LISTS; i++) {
        names[i] = lists[i].name;
        if (argc - first == 1 && strcmp(argv[first], names[i]) == 0) {
            return lists[i].list(&p);
        }
    }
    char hint[64];
    if (argc - first != 1) {
        return cli_usage_error(command, "name one list: laws, shapes, keys, quantities, schema or fields");
    }
    return cli_usage_error(command, "there is no list %s%s", argv[first],
                           cli_hint(argv[first], names, LISTS, hint, sizeof hint));
}

const cli_command cli_list = {
    .name = "list",
    .usage = "list laws|shapes|keys|quantities|schema|fields [--laws FILE] [--markdown]",
    .summary = "print the tables of the program: what a scene may say and what results hold",
    .more = "laws        what each role offers, with parameters, units, ranges, defaults and sources\n"
            "shapes      what a body may be\n"
            "keys        every key of a scene\n"
            "quantities  what a probe may read\n"
            "schema      the scene file as a JSON Schema, for editors\n"
            "fields      what results hold, and the state of a body",
    .example = "  repose list laws",
    .status = "  0        success\n" CLI_STATUS_ERROR CLI_STATUS_USAGE,
    .option = {{"laws", 0, "FILE", "with `list laws`: those of a shared library (docs/add-a-law.md)"},
               {"markdown", 0, NULL, "as a reference page"}},
    .run = cmd_list_run,
};
