/* The recorder of a run: probes and ledger as rows of series.csv, frames as results, and the values that checks
 * watch. It never changes the world. */
#include "run/run_state.h"

#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "io/output.h"
#include "step/ledger_terms.h"

/* --- the directory ------------------------------------------------------------------------------------------------- */

static bool is_result(const char *name) {
    static const char *const fixed[] = {"run.h5",        "run.xdmf",   "contacts.xdmf",
                                        "surfaces.xdmf", "series.csv", "summary.json"};
    for (size_t i = 0; i < sizeof fixed / sizeof fixed[0]; i++) {
        size_t n = strlen(fixed[i]);
        if (strncmp(name, fixed[i], n) == 0 &&
            (name[n] == '\0' || strcmp(name + n, ".part") == 0 || strcmp(name + n, ".journal") == 0)) {
            return true;
        }
    }
    return strncmp(name, "checkpoint-", 11) == 0 && (strstr(name, ".ckpt") != NULL);
}

/* Finds the name of any result in the directory; with `remove` it removes all results instead. */
static rps_status scan(const char *directory, bool remove, char found[RPS_PATH], rps_error *err) {
    found[0] = '\0';
    DIR *list = opendir(directory);
    if (!list) {
        return errno == ENOENT ? RPS_OK : rps_file_fail(err, "read the directory", directory, errno);
    }
    rps_status status = RPS_OK;
    for (struct dirent *entry; status == RPS_OK && (entry = readdir(list)) != NULL;) {
        if (!is_result(entry->d_name)) {
            continue;
        }
        char path[RPS_PATH];
        status = rps_path_join(path, directory, entry->d_name, err);
        if (status == RPS_OK && remove) {
            status = rps_output_remove(path, err);
        } else if (status == RPS_OK && rps_file_exists(path)) { /* else a link to a file that does not exist yet */
            strcpy(found, path);
        }
    }
    closedir(list);
    return status;
}

static rps_status record_check(const char *directory, bool overwrite, rps_error *err) {
    char found[RPS_PATH];
    RPS_TRY(scan(directory, false, found, err));
    if (found[0] && !overwrite) {
        return rps_fail(err, RPS_BAD_INPUT,
                        "%s holds results already (%s); choose another directory, or give --overwrite to replace them",
                        directory, found);
    }
    return RPS_OK;
}

static rps_status lock(rps_run_state *run, rps_folder_lock *which, const char *directory, rps_folder_use use,
                       rps_error *err) {
    return rps_folder_take(which, directory, use, run->options->log, run->options->log_context, err);
}

rps_status rps_directory_claim(rps_run_state *run, rps_error *err) {
    const rps_run_options *options = run->options;
    char from[RPS_PATH];
    if (options->resume) {
        bool there;
        RPS_TRY(rps_file_find(options->resume, &there, err));
        if (!there) return rps_file_fail(err, "go on from", options->resume, ENOENT);
        RPS_TRY(rps_is_directory(options->resume) ? rps_path_join(from, NULL, options->resume, err)
                                                  : rps_checkpoint_folder(options->resume, from, err));
    }
    const char *directory = options->directory ? options->directory : options->resume ? from : NULL;
    if (!directory) return RPS_OK;
    RPS_TRY(lock(run, &run->target, directory, RPS_FOLDER_WRITE, err));
    if (!options->resume) { /* no lock: the folder does not exist yet; rps_directory_begin checks */
        return rps_folder_held(&run->target) ? record_check(directory, options->overwrite, err) : RPS_OK;
    }
    return rps_same_directory(from, directory) ? RPS_OK : lock(run, &run->source, from, RPS_FOLDER_READ, err);
}

/* The file of final particles must not replace a result or anything outside the directory. */
static rps_status check_particles(const char *name, rps_error *err) {
    static const char *const taken[] = {"", ".", "..", "run.lock"};
    bool own = !strchr(name, '/') && !is_result(name);
    for (size_t i = 0; i < sizeof taken / sizeof *taken; i++) own = own && strcmp(name, taken[i]) != 0;
    return own ? RPS_OK
               : rps_fail(err, RPS_BAD_INPUT,
                          "`output: {particles: %.60s}` must be a file of its own in the directory of results; choose "
                          "a name such as particles.csv",
                          name);
}

rps_status rps_directory_begin(rps_run_state *run, rps_error *err) {
    const char *directory = run->options->directory;
    char found[RPS_PATH];
    if (run->plan->particles) RPS_TRY(check_particles(run->plan->particles, err));
    if (!rps_folder_held(&run->target)) { /* it did not exist when the run began */
        RPS_TRY(rps_directory_make(directory, err));
        RPS_TRY(lock(run, &run->target, directory, RPS_FOLDER_WRITE, err));
    }
    RPS_TRY(record_check(directory, run->options->overwrite, err)); /* another run may have ended here meanwhile */
    return scan(directory, true, found, err);
}

/* --- series.csv ---------------------------------------------------------------------------------------------------- */

enum { FIXED = 3 };

static size_t series_columns(const rps_run_state *run) {
    const rps_ledger none = {0};
    rps_ledger_term term[RPS_LEDGER_TERMS];
    return FIXED + run->sim.probes + rps_ledger_columns(run->world, &none, term);
}

static rps_status open_series(rps_run_state *run, rps_error *err) {
    char path[RPS_PATH];
    RPS_TRY(rps_path_join(path, run->options->directory, "series.csv", err));
    size_t columns = series_columns(run), n = 0;
    void *memory;
    RPS_TRY(rps_memory_alloc(run->world->allocator, 2 * columns * sizeof(char *), &memory, err));
    const char **name = memory, **unit = name + columns;
    name[n] = "time", unit[n++] = "s";
    name[n] = "bodies", unit[n++] = "";
    name[n] = "contacts", unit[n++] = "";
    for (size_t i = 0; i < run->sim.probes; i++, n++) {
        const rps_probe_info *probe = rps_scene_probe(run->scene, i);
        name[n] = probe->name;
        unit[n] = probe->unit;
    }
    const rps_ledger none = {0};
    rps_ledger_term term[RPS_LEDGER_TERMS];
    rps_ledger_columns(run->world, &none, term);
    for (size_t i = 0; n < columns; i++, n++) {
        name[n] = term[i].column;
        unit[n] = "J";
    }
    rps_status status = rps_csv_open(&run->series, path, name, unit, columns, err);
    rps_memory_release(run->world->allocator, memory, 2 * columns * sizeof(char *));
    return status;
}

static rps_status write_row(rps_run_state *run, double time, rps_error *err) {
    double *row = run->row;
    row[0] = time;
    row[1] = (double)rps_world_body_count(run->world);
    row[2] = (double)rps_world_contact_count(run->world);
    for (size_t i = 0; i < run->sim.probes; i++) {
        row[FIXED + i] = run->sim.value[i];
    }
    if (run->world->options.ledger) {
        rps_ledger ledger;
        RPS_TRY(rps_world_ledger(run->world, &ledger, err));
        rps_ledger_term term[RPS_LEDGER_TERMS];
        const size_t terms = rps_ledger_columns(run->world, &ledger, term);
        for (size_t i = 0; i < terms; i++) row[FIXED + run->sim.probes + i] = term[i].value;
    }
    if (!run->series.notes) {
        return rps_csv_row(&run->series, row, "", err);
    }
    rps_text note;
    rps_text_init(&note, run->world->allocator, (size_t)1 << 20);
    for (size_t i = 0; i < run->sim.probes; i++) {
        if (isnan(run->sim.value[i])) {
            rps_text_addf(&note, NULL, "%s%s: %s", note.length ? "; " : "", rps_scene_probe(run->scene, i)->name,
                          rps_scene_probe_absence(run->scene, i));
        }
    }
    rps_status status = note.status == RPS_OK ? rps_csv_row(&run->series, row, rps_text_string(&note), err)
                                              : rps_fail(err, RPS_NO_MEMORY, "no memory for a row of series.csv");
    rps_text_release(&note);
    return status;
}

/* --- the recorder -------------------------------------------------------------------------------------------------- */

rps_status rps_record_begin(rps_run_state *run, rps_error *err) {
    void *memory;
    for (size_t i = 0; i < run->sim.probes; i++) {
        run->series.notes = run->series.notes || rps_scene_probe(run->scene, i)->may_lack;
    }
    run->row_bytes = series_columns(run) * sizeof(double);
    RPS_TRY(rps_memory_alloc_zeroed(run->allocator, run->row_bytes, &memory, err));
    run->row = memory;
    return RPS_OK;
}

static rps_results_options results_options(const rps_run_state *run) {
    const rps_scene_run *plan = run->plan;
    return (rps_results_options){.directory = run->options->directory,
                                 .title = plan->title ? plan->title : "",
                                 .surface = plan->surface,
                                 .fields = plan->fields,
                                 .field_count = plan->field_count,
                                 .contact_fields = plan->contact_fields,
                                 .contact_field_count = plan->contact_field_count,
                                 .no_contacts = plan->no_contacts,
                                 .single = plan->single,
                                 .variant = run->options->variant,
                                 .version = rps_version(),
                                 .scene = plan->source,
                                 .scene_bytes = plan->source_bytes,
                                 .bodies = rps_scene_body_total(run->scene),
                                 .world = run->world,
                                 .allocator = run->world->allocator};
}

static bool record_lacks(const char *const *names, size_t count, const char *name) {
    for (size_t k = 0; k < count; k++) {
        if (strcmp(names[k], name) == 0) return false;
    }
    return count > 0;
}

/* Warns of pictures that the scene's choice of fields rules out. */
static void tell_lacking(const rps_run_state *run) {
    const rps_scene_run *plan = run->plan;
    const rps_run_options *options = run->options;
    if (!options->log) return;
    if (record_lacks(plan->fields, plan->field_count, "position")) {
        options->log(
            options->log_context, RPS_LOG_WARNING,
            "`output.fields` lacks `position`: no run.xdmf is written, since ParaView would not know where the "
            "bodies are");
    } else if (record_lacks(plan->fields, plan->field_count, "sphere_radius")) {
        options->log(options->log_context, RPS_LOG_WARNING,
                     "`output.fields` lacks `sphere_radius`: ParaView shows points in run.xdmf and cannot draw them as "
                     "spheres");
    }
    if (!plan->no_contacts && record_lacks(plan->contact_fields, plan->contact_field_count, "line")) {
        options->log(options->log_context, RPS_LOG_WARNING,
                     "`output.contacts` lacks `line`: no contacts.xdmf is written, since ParaView would not know where "
                     "the contacts are");
    }
}

rps_status rps_record_open(rps_run_state *run, rps_error *err) {
    if (run->plan->series > 0.0) {
        RPS_TRY(open_series(run, err));
    }
    if (run->plan->frames > 0.0) {
        rps_results_options options = results_options(run);
        tell_lacking(run);
        RPS_TRY(rps_results_create(&options, &run->results, err));
    }
    return RPS_OK;
}

static rps_status resume_frames(rps_run_state *run, rps_error *err) {
    const rps_results_options options = results_options(run);
    const rps_old_results *old = &run->old;
    if (old->frames_missing && old->frames == 0) return rps_results_create(&options, &run->results, err);
    rps_error why;
    const rps_status status = rps_results_resume(&options, old->frames, &run->results, &why);
    if (status == RPS_BAD_INPUT && old->frames_missing) { /* an unusable file */
        if (run->options->log) run->options->log(run->options->log_context, RPS_LOG_WARNING, why.text);
        return rps_results_create(&options, &run->results, err);
    }
    return status == RPS_OK ? RPS_OK : rps_fail(err, status, "%s", why.text);
}

rps_status rps_record_resume(rps_run_state *run, rps_error *err) {
    const rps_old_results *old = &run->old;
    char path[RPS_PATH];
    if (run->plan->frames > 0.0) RPS_TRY(resume_frames(run, err));
    if (!(run->plan->series > 0.0)) return RPS_OK;
    if (old->rows_missing && old->bytes == 0) return open_series(run, err);
    RPS_TRY(rps_path_join(path, run->options->directory, "series.csv", err));
    return rps_csv_resume(&run->series, path, series_columns(run), old->rows, old->bytes, err);
}

static bool frame_due(const rps_run_state *run, uint64_t step) {
    return run->results && rps_schedule_due(run->plan->frames, run->world->step, step);
}

static bool series_due(const rps_run_state *run, uint64_t step) {
    return run->series.file >= 0 && rps_schedule_due(run->plan->series, run->world->step, step);
}

bool rps_record_due(const rps_run_state *run, uint64_t step) {
    return frame_due(run, step) || series_due(run, step);
}

void rps_record_prepare(rps_run_state *run, uint64_t step, rps_step_request *request) {
    const bool of_frames = run->results && rps_results_need_contacts(run->results);
    run->frame_due = frame_due(run, step);
    run->series_due = series_due(run, step);
    request->all_probes = run->series_due;
    request->contacts = of_frames && run->frame_due;
    request->contacts_at_end = of_frames;
}

rps_status rps_record_write(rps_run_state *run, bool final, rps_error *err) {
    if (run->series.file >= 0 && (run->series_due || final)) {
        RPS_TRY(write_row(run, rps_world_time(run->world), err));
    }
    if (run->results && (run->frame_due || final)) {
        RPS_TRY(rps_results_write(run->results, run->world, err));
    }
    return RPS_OK;
}

rps_status rps_record_close(rps_run_state *run, rps_error *err) {
    rps_status status = rps_results_close(run->results, err);
    run->results = NULL;
    rps_status closed = rps_csv_close(&run->series, status == RPS_OK ? err : NULL);
    return status != RPS_OK ? status : closed;
}
