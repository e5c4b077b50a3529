/* Any bytes as a file of points in each format of `repose convert`; the first byte says which. A frame that is read can be written, or
 * is refused with a sentence, and reads back to as many points. */
#include <string.h>

#include "fuzz_file.h"
#include "fuzz_memory.h"
#include "io/points.h"

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);

enum { FRAMES = 4 };

int LLVMFuzzerInitialize(int *argc, char ***argv) {
    (void)argc;
    (void)argv;
    return fuzz_make_file() ? 0 : 1;
}

static void check_error(rps_status status, const rps_error *err) {
    if (status != RPS_OK && (err->status != status || strlen(err->text) < 5 || status == RPS_INTERNAL))
        __builtin_trap();
}

/* Points of the first frame, or SIZE_MAX if it is refused. */
static size_t read_back(rps_points_format format, const rps_allocator *allocator) {
    rps_points_source *source = NULL;
    rps_points *points = NULL;
    rps_error err = {.status = RPS_OK};
    rps_status status = rps_points_open(fuzz_path, format, allocator, &source, &err);
    if (status == RPS_OK) status = rps_points_next(source, true, &points, &err);
    check_error(status, &err);
    const size_t count = status == RPS_OK && points ? points->count : SIZE_MAX;
    rps_points_close(source);
    if (status == RPS_NO_MEMORY) return SIZE_MAX - 1;
    return count;
}

/* Writes a frame as it would be converted; true if there is a file now. */
static bool write_frame(rps_points *points, rps_points_format format, bool binary, const rps_allocator *allocator) {
    rps_text text;
    rps_error err = {.status = RPS_OK};
    rps_text_init(&text, allocator, 16 << 20);
    rps_status status = rps_points_choose(points, format, NULL, 0, &err);
    if (status == RPS_OK) status = rps_points_write(points, format, binary, &text, &err);
    check_error(status, &err);
    const bool written = status == RPS_OK && fuzz_put_file(text.data, text.length);
    rps_text_release(&text);
    return written;
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size) {
    if (size < 1 || !fuzz_put_file(data + 1, size - 1)) return 0;
    const rps_points_format format = (rps_points_format)(RPS_POINTS_DUMP + data[0] % (RPS_POINTS_FORMATS - 1));
    const rps_points_format other = (rps_points_format)(RPS_POINTS_DUMP + data[0] / 8 % (RPS_POINTS_FORMATS - 1));
    fuzz_memory memory = {.most = 16 << 20};
    const rps_allocator allocator = {fuzz_take, fuzz_give_back, &memory};
    rps_points_source *source = NULL;
    rps_error err = {.status = RPS_OK};
    rps_status status = rps_points_open(fuzz_path, format, &allocator, &source, &err); /* which reads it whole */
    for (int k = 0; k < FRAMES && status == RPS_OK; k++) {
        rps_points *points = NULL;
        status = rps_points_next(source, true, &points, &err);
        if (status != RPS_OK || !points) break;
        const size_t count = points->count;
        if (k > 0 || !write_frame(points, other, data[0] >= 128, &allocator)) continue;
        const size_t again = read_back(other, &allocator);
        if (count > 0 && again < SIZE_MAX && again != count) __builtin_trap();
    }
    check_error(status, &err);
    rps_points_close(source);
    if (memory.used != 0) __builtin_trap();
    return 0;
}
