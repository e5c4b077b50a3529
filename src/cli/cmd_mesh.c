/* repose mesh: what the checks find in files of triangles, without a scene, and the cleaned mesh. */
#include "mesh_json.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "io/file.h"
#include "language/units.h"
#include "mesh/hull.h"
#include "mesh/read.h"
#include "mesh/write.h"
#include "world/fit_volume.h"

enum { LISTED = 8 /* parts of one kind that are printed */ };

typedef struct mesh_request {
    const cli_command *command;
    const char *unit, *json, *output;
    rps_mesh_options options;
    bool chosen_side, hull, overwrite;
    double grain;   /* m, radius; 0: not given */
    double spheres; /* to be fitted; 0: not given */
} mesh_request;

/* --- options ------------------------------------------------------------------------------------------------------ */

static int take_unit(mesh_request *r, const char *argument) {
    char one[80];
    rps_error err;
    const bool fits = strlen(argument) + 3 <= sizeof one;
    if (fits) snprintf(one, sizeof one, "1 %s", argument);
    if (!fits || rps_units_read(one, "m", &r->options.factor, &err) != RPS_OK || !(r->options.factor > 0.0)) {
        return cli_usage_error(r->command, "--unit takes the length of 1 in the file, as mm or m, not \"%s\"",
                               argument);
    }
    r->unit = argument;
    return CLI_OK;
}

static int take_side(mesh_request *r, const char *argument) {
    char hint[64];
    for (int k = 0; k < 3; k++) {
        if (strcmp(argument, cli_mesh_side_name[k]) != 0) continue;
        r->options.side = (rps_mesh_side)k;
        r->chosen_side = true;
        return CLI_OK;
    }
    return cli_usage_error(r->command, "there is no --side %s%s", argument,
                           cli_hint(argument, cli_mesh_side_name, 3, hint, sizeof hint));
}

static int take_length(const mesh_request *r, const char *option, const char *argument, const char *unit,
                       double *value) {
    rps_error err;
    if (rps_units_read(argument, unit, value, &err) == RPS_OK && *value > 0.0) return CLI_OK;
    return cli_usage_error(r->command, "--%s takes %s, not \"%s\"", option,
                           unit[0] == 'm' ? "a length, as \"2 mm\"" : "a number above zero", argument);
}

static int take_spheres(mesh_request *r, const char *argument) {
    rps_error err;
    double *n = &r->spheres;
    if (rps_units_read(argument, "", n, &err) == RPS_OK && *n >= 1.0 && *n <= RPS_FIT_MOST && *n == (double)(int)*n) {
        return CLI_OK;
    }
    return cli_usage_error(r->command, "--spheres takes a whole number from 1 to %d, not \"%s\"", RPS_FIT_MOST,
                           argument);
}

static int cmd_mesh_take(void *context, int option, const char *argument) {
    mesh_request *r = context;
    const char *name = r->command->option[option].name;
    if (strcmp(name, "unit") == 0) return take_unit(r, argument);
    if (strcmp(name, "side") == 0) return take_side(r, argument);
    if (strcmp(name, "weld") == 0) return take_length(r, name, argument, "", &r->options.weld);
    if (strcmp(name, "grain") == 0) return take_length(r, name, argument, "m", &r->grain);
    if (strcmp(name, "spheres") == 0) return take_spheres(r, argument);
    if (strcmp(name, "json") == 0) r->json = argument;
    if (strcmp(name, "output") == 0) r->output = argument;
    if (strcmp(name, "flip") == 0) r->options.flip = true;
    if (strcmp(name, "hull") == 0) r->hull = true;
    if (strcmp(name, "overwrite") == 0) r->overwrite = true;
    return CLI_OK;
}

/* --- reading ------------------------------------------------------------------------------------------------------ */

/* The mesh and its report become those of its hull. */
static rps_status replace_by_hull(const mesh_request *r, cli_mesh_findings *f, rps_error *err) {
    rps_mesh surface = f->mesh;
    rps_raw_mesh raw;
    rps_error cause;
    rps_mesh_options options = rps_mesh_options_default(); /* in m, turned outward */
    options.weld = r->options.weld;
    const size_t points = f->report.given_points, triangles = f->report.given_triangles;
    f->mesh = (rps_mesh){0};
    rps_status status = rps_mesh_hull(&surface, options.weld, &raw, &cause);
    if (status == RPS_OK) status = rps_mesh_build(NULL, &raw, &options, &f->mesh, &f->report, &cause);
    if (status == RPS_OK) f->hull = rps_hull_compare(&surface, &f->mesh);
    f->report.given_points = points;
    f->report.given_triangles = triangles;
    rps_raw_mesh_release(NULL, &raw);
    rps_mesh_release(&surface);
    return status == RPS_OK ? RPS_OK : rps_fail(err, status, "%s: %s", f->path, cause.text);
}

static rps_status read_findings(const mesh_request *r, cli_mesh_findings *f, rps_error *err) {
    void *bytes = NULL;
    size_t capacity = 0, count = 0;
    rps_raw_mesh raw = {0};
    rps_status status = rps_file_read_bytes(f->path, &bytes, &capacity, &count, err);
    if (status == RPS_OK) status = rps_mesh_read(NULL, f->path, bytes, count, &raw, err);
    rps_buffer_release(NULL, &bytes, &capacity);
    if (status == RPS_OK) {
        status =
            (r->chosen_side ? rps_mesh_build : rps_mesh_build_auto)(NULL, &raw, &r->options, &f->mesh, &f->report, err);
        if (status != RPS_OK) { /* the sentence knows no file */
            const rps_error cause = *err;
            status = rps_fail(err, status, "%s: %s", f->path, cause.text);
        }
    }
    rps_raw_mesh_release(NULL, &raw);
    if (status == RPS_OK && r->hull) status = replace_by_hull(r, f, err);
    if (status == RPS_OK) status = rps_mesh_survey_make(&f->mesh, &f->survey, err);
    return status;
}

static void release_findings(cli_mesh_findings *f) {
    rps_mesh_survey_release(&f->survey);
    rps_mesh_release(&f->mesh);
}

/* --- text --------------------------------------------------------------------------------------------------------- */

static rps_status print_found(const rps_mesh_report *report, rps_error *err) {
    for (int kind = RPS_FINDING_WARNING; kind >= RPS_FINDING_DONE; kind--) {
        for (int k = 0; k < RPS_FINDINGS; k++) {
            if (report->found[k].count == 0 || (int)rps_mesh_kind_of(report, (rps_finding)k) != kind) continue;
            rps_text text;
            rps_text_init(&text, NULL, 4096);
            const rps_status status = rps_mesh_describe(report, (rps_finding)k, &text, err);
            if (status == RPS_OK) printf("%-10s %s\n", cli_mesh_kind_name[kind], rps_text_string(&text));
            rps_text_release(&text);
            if (status != RPS_OK) return status;
        }
    }
    return RPS_OK;
}

static void print_mass(const rps_mesh *m) {
    const double *i = m->inertia;
    printf("volume     %.9g m^3, centre of mass (%.9g, %.9g, %.9g) m\n", m->volume, m->center.x, m->center.y,
           m->center.z);
    printf("inertia    per mass, about the centre: xx %.6g, yy %.6g, zz %.6g, xy %.6g, xz %.6g, yz %.6g m^2\n", i[0],
           i[1], i[2], i[3], i[4], i[5]);
    double moment[3], axes[4];
    cli_mesh_principal(m, moment, axes);
    printf("principal  moments per mass %.9g, %.9g, %.9g m^2; orientation of their axes [%.9g, %.9g, %.9g, %.9g]\n",
           moment[0], moment[1], moment[2], axes[0], axes[1], axes[2], axes[3]);
}

static void print_parts(const rps_mesh_survey *s) {
    printf("shells     %zu\n", s->shells);
    for (size_t k = 0; k < s->shells && k < LISTED && s->shells > 1; k++) {
        const rps_mesh_shell *shell = &s->shell[k];
        printf("           %zu triangles, %.6g m^2, %s", shell->triangles, shell->area,
               shell->closed ? "closed" : "open");
        if (shell->closed) printf(", %.6g m^3", shell->volume);
        printf(", at (%.6g, %.6g, %.6g) m\n", shell->at[0], shell->at[1], shell->at[2]);
    }
    if (s->shells > LISTED) printf("           and %zu smaller ones\n", s->shells - LISTED);
    if (s->rims > 0) printf("rims       %zu, of holes or at the outline\n", s->rims);
    for (size_t k = 0; k < s->rims && k < LISTED; k++) {
        const rps_mesh_rim *rim = &s->rim[k];
        printf("           %zu edges, %.6g m, at (%.6g, %.6g, %.6g) m\n", rim->edges, rim->length, rim->at[0],
               rim->at[1], rim->at[2]);
    }
    if (s->rims > LISTED) printf("           and %zu shorter ones\n", s->rims - LISTED);
}

static double degrees(double angle) {
    return angle * (180.0 / 3.14159265358979323846);
}

static void print_hull(const rps_hull_sizes *s) {
    printf("hull       convex, and all of this is about it: ");
    if (s->closed) {
        printf("%.4g times the volume and %.4g times the surface of the triangles of the file",
               s->hull_volume / s->volume, s->hull_area / s->area);
    } else {
        printf("the triangles of the file are open, and have %.6g m^2", s->area);
    }
    printf("; their corners lie up to %.3g m inside\n", s->depth);
}

static void print_curved(const rps_mesh_survey *s, double grain) {
    for (size_t k = 0; k < s->curves && k < LISTED; k++) {
        const rps_mesh_curved *c = &s->curved[k];
        printf("curved     %zu facets, %zu folds (%zu concave) of up to %.4g deg at (%.6g, %.6g, %.6g) m: radius %.4g "
               "m, the "
               "facets lie up to %.3g m off it (sagitta)",
               c->facets, c->folds, c->concave, degrees(c->angle), c->at[0], c->at[1], c->at[2], c->radius, c->sagitta);
        if (grain > 0.0) printf("; a grain rises by %.3g m in a fold", grain * c->angle * c->angle / 8.0);
        printf("\n");
    }
    if (s->curves > LISTED) printf("curved     and %zu smaller parts\n", s->curves - LISTED);
}

static rps_status print_fit(const mesh_request *r, const cli_mesh_findings *f, rps_error *err) {
    rps_sphere_fit fit;
    rps_error cause;
    double volume = 0.0;
    rps_status status = rps_sphere_fit_make(NULL, &f->mesh, (size_t)r->spheres, 0.0, &fit, &cause);
    if (status == RPS_OK) status = rps_fit_volume(&fit, &volume, &cause);
    if (status == RPS_OK) {
        double least = INFINITY, most = 0.0;
        for (size_t k = 0; k < fit.count; k++) {
            least = fmin(least, fit.sphere[k].radius);
            most = fmax(most, fit.sphere[k].radius);
        }
        printf(
            "spheres    %zu with radii of %.4g to %.4g m fill %.6g m^3, %.3g %% less than the mesh; their surface lies "
            "%.3g m inside in the mean, %.3g m at most\n",
            fit.count, least, most, volume, 100.0 * (1.0 - volume / f->mesh.volume), fit.mean, fit.largest);
    }
    rps_sphere_fit_release(&fit);
    return status == RPS_OK ? RPS_OK : rps_fail(err, status, "%s: %s", f->path, cause.text);
}

static rps_status print_findings(const mesh_request *r, const cli_mesh_findings *f, rps_error *err) {
    const rps_mesh *m = &f->mesh;
    const double factor = r->options.factor;
    const double size[3] = {m->box.high[0] - m->box.low[0], m->box.high[1] - m->box.low[1],
                            m->box.high[2] - m->box.low[2]};
    printf("file       %s: %zu triangles, %zu points\n", f->path, f->report.given_triangles, f->report.given_points);
    printf("mesh       %zu triangles, %zu points, %zu edges, %zu planar patches; %s, %s\n", m->triangles, m->points,
           m->edges, m->patches, m->closed ? "closed" : "open",
           m->side == RPS_MESH_BOTH    ? "touched from both sides"
           : m->side == RPS_MESH_OUTER ? "touched from its outer side"
                                       : "touched from its inner side");
    printf("box        (%.9g, %.9g, %.9g) to (%.9g, %.9g, %.9g) m\n", m->box.low[0], m->box.low[1], m->box.low[2],
           m->box.high[0], m->box.high[1], m->box.high[2]);
    printf("size       %.6g x %.6g x %.6g %s", size[0] / factor, size[1] / factor, size[2] / factor, r->unit);
    if (r->grain > 0.0) {
        const double d = 2.0 * r->grain;
        printf(", %.4g x %.4g x %.4g grains", size[0] / d, size[1] / d, size[2] / d);
    }
    printf("\nedges      %.4g to %.4g m, least height of a triangle %.3g m; weld length %.3g m\n",
           f->report.smallest_edge, f->survey.longest_edge, f->survey.least_height, f->report.weld_length);
    printf("area       %.9g m^2\n", m->area);
    if (r->hull) print_hull(&f->hull);
    if (m->closed && m->volume > 0.0) print_mass(m);
    print_parts(&f->survey);
    print_curved(&f->survey, r->grain);
    if (r->spheres > 0.0) RPS_TRY(print_fit(r, f, err));
    return print_found(&f->report, err);
}

/* --- all ---------------------------------------------------------------------------------------------------------- */

static void write_part(void *context, const char *bytes, size_t count) {
    rps_replacement_write(context, bytes, count);
}

static rps_status write_mesh(const mesh_request *r, const cli_mesh_findings *f, rps_error *err) {
    rps_mesh_format format;
    rps_replacement file;
    bool there;
    (void)rps_mesh_format_of(r->output, &format); /* looked at before */
    RPS_TRY(rps_file_find(r->output, &there, err));
    if (there && !r->overwrite) {
        return rps_fail(err, RPS_BAD_INPUT,
                        "%s is there already; choose another name, or give --overwrite to replace it", r->output);
    }
    RPS_TRY(rps_replacement_begin(&file, r->output, err));
    rps_error cause;
    const rps_status status = rps_mesh_write(&f->mesh, format, r->options.factor, write_part, &file, &cause);
    if (status != RPS_OK) file.error = EIO; /* so that nothing is replaced */
    const rps_status end = rps_replacement_end(&file, false, err);
    if (status != RPS_OK) return rps_fail(err, status, "%s: %s", r->output, cause.text);
    RPS_TRY(end);
    printf("written    %s, in %s, %s\n", r->output, r->unit,
           format == RPS_MESH_STL ? "single precision, which is all that STL holds" : "double precision");
    return RPS_OK;
}

static int cmd_mesh_all(const mesh_request *r, char **path, int count) {
    rps_json json;
    rps_error err;
    bool failed = false;
    rps_json_init(&json, NULL);
    rps_json_open(&json, NULL, '{', false);
    rps_json_open(&json, "meshes", '[', false);
    for (int k = 0; k < count; k++) {
        cli_mesh_findings f = {.path = path[k]};
        if (k > 0) printf("\n");
        rps_status status = read_findings(r, &f, &err);
        if (status == RPS_OK) status = print_findings(r, &f, &err);
        if (status == RPS_OK) cli_mesh_json(&json, r->unit, &f);
        if (status == RPS_OK && r->output != NULL) status = write_mesh(r, &f, &err);
        release_findings(&f);
        if (status != RPS_OK) failed = cli_failed(&err) != CLI_OK;
    }
    rps_json_close(&json, ']');
    rps_json_close(&json, '}');
    if (r->json != NULL && rps_json_save(&json, r->json, &err) != RPS_OK) failed = cli_failed(&err) != CLI_OK;
    rps_json_release(&json);
    return failed ? CLI_FAILED : CLI_OK;
}

static int cmd_mesh_run(const cli_command *command, int argc, char **argv) {
    mesh_request r = {.command = command, .options = rps_mesh_options_default()};
    rps_mesh_format format;
    int first;
    const int status = cli_parse(command, argc, argv, &first, cmd_mesh_take, &r);
    if (status != CLI_OK) return status < 0 ? CLI_OK : status;
    if (first == argc) return cli_usage_error(command, "which file? name STL, OBJ or PLY files");
    if (r.unit == NULL) {
        return cli_usage_error(command, "what is the length of 1 in the file? give --unit mm, or another one");
    }
    if (r.output != NULL && argc - first > 1)
        return cli_usage_error(command, "-o takes one file; there are %d", argc - first);
    if (r.output != NULL && !rps_mesh_format_of(r.output, &format)) {
        return cli_usage_error(command, "-o takes a name that ends in .stl, .obj or .ply, not \"%s\"", r.output);
    }
    return cmd_mesh_all(&r, argv + first, argc - first);
}

const cli_command cli_mesh = {
    .name = "mesh",
    .usage = "mesh FILE... --unit UNIT [-o CLEANED.stl|.obj|.ply] [--json FILE]",
    .summary = "check STL, OBJ and PLY files of triangles, and write the repaired mesh",
    .more =
        "Prints counts, size, closed or open, volume, mass properties, shells, rims of holes, the facets of curved "
        "parts\n"
        "with their largest fold and sagitta, what was repaired, and warnings with triangles (from 1, as in the file) "
        "and\n"
        "places. A scene does the same checks. The written mesh is welded, cleaned and turned, in the unit of the "
        "file; its\n"
        "corners have double precision in .obj and .ply, and single precision, 7 digits, in .stl (binary).",
    .example = "  repose mesh hopper.stl --unit mm -o cleaned.stl",
    .status = "  0        success, warnings included\n" CLI_STATUS_ERROR CLI_STATUS_USAGE,
    .option = {{"unit", 'u', "UNIT", "length of 1 in the files, as mm; files do not tell it"},
               {"output", 'o', "FILE", "write the cleaned mesh; .stl, .obj or .ply says its format"},
               {"overwrite", 0, NULL, "replace FILE if it is there"},
               {"json", 0, "FILE", "write the findings there too, in m and rad"},
               {"side", 0, "SIDE", "outer, inner or both (outer if closed, else both)"},
               {"weld", 0, "X", "weld length, in the largest extent of the mesh (1e-6)"},
               {"flip", 0, NULL, "turn open surfaces the other way"},
               {"hull", 0, NULL, "take the convex hull instead of the triangles, and print what it adds"},
               {"spheres", 0, "N", "fit N spheres into a closed mesh, and print how well they fill it"},
               {"grain", 0, "RADIUS", "radius of grains, as \"2 mm\": prints sizes in grains too"},
               {NULL, 0, NULL, NULL}},
    .run = cmd_mesh_run,
};
