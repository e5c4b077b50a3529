/* Any bytes as a particle file; the first byte says how the scene reads it. */
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
    static const char *const how[] = {"format: csv", "format: xyz", "format: csv, columns: [x, y, z, '-', mass]",
                                      "format: xyz, columns: [material, x, y, z, radius, vx, wz], scale: 1e-3"};
    static const char *const more[] = {"", "", "    radius: 1 mm\n", ""};
    char text[1024];
    if (size < 1 || !fuzz_put_file(data + 1, size - 1)) return 0;
    const unsigned which = data[0] % 4;
    snprintf(
        text, sizeof text,
        "repose: 1\ngravity: none\nmaterials: {grain: {young: 1e7, poisson: 0.3, density: 2500}, soft: {young: 1e6, "
        "poisson: 0.3}}\npairs:\n"
        "  - {between: [grain, grain], normal: hertz, damping: none, slide: none, roll: none, spin: none}\n"
        "  - {between: [grain, soft], normal: hertz, damping: none, slide: none, roll: none, spin: none}\n"
        "  - {between: [soft, soft], normal: hertz, damping: none, slide: none, roll: none, spin: none}\n"
        "particles:\n  - name: p\n    material: %s\n    file: {path: %s, %s}\n%s"
        "run: {step: 1e-5, until: 1 ms}\n",
        which == 2 ? "soft" : "grain", fuzz_path, how[which], more[which]);
    fuzz_run_scene(text);
    return 0;
}
