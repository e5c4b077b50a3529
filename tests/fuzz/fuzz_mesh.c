/* Any bytes as a mesh file; the first byte says its name, and which side is touched. */
#include <string.h>

#include "fuzz_memory.h"
#include "mesh/build_mesh.h"
#include "mesh/read.h"

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size) {
    static const char *const name[] = {"a.stl", "a.obj", "a.ply", "a"};
    if (size < 1) return 0;
    fuzz_memory memory = {.most = 64 << 20};
    rps_allocator allocator = {fuzz_take, fuzz_give_back, &memory};
    rps_error err = {.status = RPS_OK};
    rps_raw_mesh raw;
    rps_mesh mesh;
    rps_mesh_report report;
    rps_mesh_options options = rps_mesh_options_default();
    options.side = (rps_mesh_side)(data[0] / 4 % 3);
    options.flip = data[0] / 12 % 2 == 1;
    rps_status status = rps_mesh_read(&allocator, name[data[0] % 4], data + 1, size - 1, &raw, &err);
    if (status == RPS_OK) {
        status = rps_mesh_build(&allocator, &raw, &options, &mesh, &report, &err);
        rps_raw_mesh_release(&allocator, &raw);
        if (status == RPS_OK) rps_mesh_release(&mesh);
    }
    if (status != RPS_OK && (err.status != status || strlen(err.text) < 5 || status == RPS_INTERNAL)) __builtin_trap();
    if (memory.used != 0) __builtin_trap();
    return 0;
}
