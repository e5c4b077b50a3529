/* repose info A B: chooses what to compare and formats values. */
#include "compare.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "io/file.h"
#include "io/file_names.h"
#include "world/world.h"

size_t compare_bytes(int type) {
    return type == RPS_SECTION_TEXT ? 1 : type == RPS_TYPE_int32 ? 4 : 8;
}

const char *compare_row(int type, int components, const void *row, char out[COMPARE_ROW]) {
    size_t used = 0;
    out[0] = '\0';
    for (int k = 0; k < components && used + RPS_DOUBLE_TEXT + 2 < COMPARE_ROW; k++) {
        char number[RPS_DOUBLE_TEXT];
        if (type == RPS_TYPE_double) {
            rps_double_format(((const double *)row)[k], number);
        } else if (type == RPS_TYPE_int32) {
            snprintf(number, sizeof number, "%d", (int)((const int32_t *)row)[k]);
        } else {
            snprintf(number, sizeof number, "%llu", (unsigned long long)((const uint64_t *)row)[k]);
        }
        used += (size_t)snprintf(out + used, COMPARE_ROW - used, "%s%s", k ? " " : "", number);
    }
    return out;
}

bool compare_bodies(const char *field, int type, int components, size_t count, const void *a, const void *b) {
    const size_t bytes = compare_bytes(type) * (size_t)components;
    size_t differ = 0;
    for (size_t id = 0; id < count; id++) {
        differ += memcmp((const char *)a + id * bytes, (const char *)b + id * bytes, bytes) != 0;
    }
    if (differ == 0) return true;
    printf("bodies    %s differs in %zu of %zu\n", field, differ, count);
    size_t shown = 0;
    for (size_t id = 0; id < count && shown < COMPARE_SHOWN; id++) {
        const char *of_a = (const char *)a + id * bytes, *of_b = (const char *)b + id * bytes;
        if (memcmp(of_a, of_b, bytes) == 0) continue;
        char text[COMPARE_ROW];
        printf("  body %zu (block %zu)\n", id, id / RPS_HASH_BLOCK);
        printf("    A %s\n", compare_row(type, components, of_a, text));
        printf("    B %s\n", compare_row(type, components, of_b, text));
        shown++;
    }
    return false;
}

static bool compare_ends_with(const char *path, const char *end) {
    const size_t n = strlen(path), m = strlen(end);
    return n >= m && strcmp(path + n - m, end) == 0;
}

/* The step of checkpoint-STEP.ckpt; false for any other name. */
static bool compare_step_of(const char *name, unsigned long long *step) {
    static const char begin[] = "checkpoint-";
    char *end;
    if (strncmp(name, begin, sizeof begin - 1) != 0) return false;
    const char *digits = name + sizeof begin - 1;
    *step = strtoull(digits, &end, 10);
    return end > digits && strcmp(end, ".ckpt") == 0;
}

/* The latest step with a checkpoint in both directories. */
static bool common_step(const char *path_a, const char *path_b, unsigned long long *latest) {
    DIR *list = opendir(path_a);
    bool found = false;
    if (!list) return false;
    for (const struct dirent *entry; (entry = readdir(list)) != NULL;) {
        char other[RPS_PATH];
        unsigned long long step = 0;
        if (!compare_step_of(entry->d_name, &step) || rps_path_join(other, path_b, entry->d_name, NULL) != RPS_OK ||
            !rps_file_exists(other) || (found && step < *latest)) {
            continue;
        }
        *latest = step;
        found = true;
    }
    closedir(list);
    return found;
}

/* Compares two directories: their run.h5, then the latest checkpoints of a common step. */
static rps_status compare_runs(const char *path_a, const char *path_b, bool *equal, rps_error *err) {
    char a[RPS_PATH], b[RPS_PATH], name[64];
    bool has_a, has_b, frames = true, states = true, any = false;
    unsigned long long step = 0;
    RPS_TRY(rps_path_join(a, path_a, RPS_FRAMES_FILE, err));
    RPS_TRY(rps_path_join(b, path_b, RPS_FRAMES_FILE, err));
    RPS_TRY(rps_file_find(a, &has_a, err));
    RPS_TRY(rps_file_find(b, &has_b, err));
    if (has_a && has_b) {
        RPS_TRY(compare_frames(a, b, &frames, err));
        any = true;
    }
    if (common_step(path_a, path_b, &step)) {
        snprintf(name, sizeof name, "checkpoint-%llu.ckpt", step);
        RPS_TRY(rps_path_join(a, path_a, name, err));
        RPS_TRY(rps_path_join(b, path_b, name, err));
        RPS_TRY(compare_states(a, b, &states, err));
        any = true;
    }
    *equal = frames && states;
    return any ? RPS_OK
               : rps_fail(err, RPS_BAD_INPUT,
                          "%s and %s have nothing in common that could be compared: expected a " RPS_FRAMES_FILE
                          " in both, or "
                          "checkpoints of one step",
                          path_a, path_b);
}

int cli_compare(const char *path_a, const char *path_b) {
    rps_error err;
    rps_status status;
    bool equal = false;
    const bool folder_a = rps_is_directory(path_a), folder_b = rps_is_directory(path_b);
    const bool state_a = !folder_a && compare_ends_with(path_a, ".ckpt"),
               state_b = !folder_b && compare_ends_with(path_b, ".ckpt");
    printf("A         %s\nB         %s\n", path_a, path_b);
    if (folder_a != folder_b || state_a != state_b) {
        status = rps_fail(&err, RPS_BAD_INPUT,
                          "%s and %s are not of one kind; give two checkpoints (.ckpt), two " RPS_FRAMES_FILE
                          " or two directories "
                          "of results",
                          path_a, path_b);
    } else if (folder_a) {
        status = compare_runs(path_a, path_b, &equal, &err);
    } else {
        status = state_a ? compare_states(path_a, path_b, &equal, &err) : compare_frames(path_a, path_b, &equal, &err);
    }
    if (status != RPS_OK) return cli_failed(&err);
    printf("%s\n", equal ? "equal" : "different");
    return equal ? CLI_OK : CLI_CHECKS;
}
