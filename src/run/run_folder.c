/* The folder of a run: it is locked while the run writes, and holds the results of one run only. */
#include <dirent.h>
#include <errno.h>
#include <string.h>

#include "io/file_names.h"
#include "io/output.h"
#include "run/run_state.h"

static bool is_result(const char *name) {
    return rps_writers_own(name) || rps_is_file_or_part(name, RPS_SUMMARY_FILE) || rps_is_checkpoint_file(name) ||
           rps_is_dump_file(name);
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
