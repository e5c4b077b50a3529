/* Any bytes as the CSV file of a motion; the first byte says how the drive takes it. */
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
    static const char *const how[] = {"", ", repeat: true", ", interpolation: linear", ", axis: [0, 0, 1]",
                                      ", axis: [1, 2, 0], repeat: true, interpolation: linear"};
    char text[1024];
    if (size < 1 || !fuzz_put_file(data + 1, size - 1)) return 0;
    snprintf(text, sizeof text,
             FUZZ_LAWS
             "bodies:\n  - {name: b, shape: {sphere: {radius: 0.1}}, material: grain, drive: {table: {file: %s%s}}}\n"
             "  - {name: c, shape: {sphere: {radius: 0.1}}, material: grain, position: [1, 0, 0]}\n"
             "run: {step: 1e-5, until: 1 ms}\n",
             fuzz_path, how[data[0] % 5]);
    fuzz_run_scene(text);
    return 0;
}
