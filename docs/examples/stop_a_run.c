/* A run that the program stops, and errors as values.
 *
 * A stop by a callback is a success: the summary says how the run ended. Every failure is a status with a sentence that
 * says what, where, what was expected and what to do. Build: cc stop_a_run.c $(pkg-config --cflags --libs repose)
 * Usage: stop_a_run SCENE SECONDS [DIRECTORY] */
#include <stdio.h>
#include <stdlib.h>

#include <repose/repose.h>

static bool before_end(void *context, const rps_world *world) {
    return rps_world_time(world) < *(const double *)context;
}

static void warn(void *context, int level, const char *text) {
    (void)context;
    if (level == RPS_LOG_WARNING) fprintf(stderr, "warning: %s\n", text);
}

int main(int argc, char **argv) {
    if (argc < 3) return 2;
    double end = atof(argv[2]);
    rps_run_options options = rps_run_options_default();
    options.path = argv[1];
    options.directory = argc > 3 ? argv[3] : NULL;
    options.each = before_end;
    options.context = &end;
    options.log = warn;
    rps_run_summary summary;
    rps_error error;
    rps_status status = rps_run(&options, &summary, &error);
    if (status != RPS_OK) {
        printf("%s (%s): %s\n", rps_status_name(status), rps_status_meaning(status), error.text);
        return 1;
    }
    printf("%s at %.6g s after %llu steps\n", summary.end == RPS_END_STOPPED ? "stopped" : "ended", summary.time,
           (unsigned long long)summary.steps);
    return 0;
}
