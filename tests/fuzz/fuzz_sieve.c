/* Any bytes as the CSV file of a sieve analysis; the first byte says how its parts count. */
#include "fuzz_file.h"
#include "fuzz_scene_text.h"

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);

int LLVMFuzzerInitialize(int *argc, char ***argv) {
    (void)argc;
    (void)argv;
    return fuzz_make_file() ? 0 : 1;
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size) {
    static const char *const by[] = {"number", "mass", "volume"};
    char text[1024];
    if (size < 1 || !fuzz_put_file(data + 1, size - 1)) return 0;
    snprintf(text, sizeof text,
             FUZZ_LAWS "particles:\n  - name: p\n    material: grain\n    count: 8\n    by: %s\n    sieve: {file: %s}\n"
                       "    generator: {lattice: {box: [[0, 0, 0], [1, 1, 1]], spacing: 0.5}}\n"
                       "run: {step: 1e-5, until: 1 ms}\n",
             by[data[0] % 3], fuzz_path);
    fuzz_run_scene(text);
    return 0;
}
